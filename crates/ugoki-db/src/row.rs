//! Rows of tables as values, for what is carried from one place to another whole.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::Error;

/// Tables with rows about one clip. The first is the clip itself, the others refer to it.
pub(crate) const TABLES: [&str; 8] =
    ["clips", "sources", "derived", "measures", "tags", "contacts", "given_contacts", "segments"];

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) table: String,
    pub(crate) columns: Vec<(String, Value)>,
}

impl Row {
    pub(crate) fn get(&self, name: &str) -> Value {
        self.columns.iter().find(|(known, _)| known == name).map_or(Value::Null, |(_, value)| value.clone())
    }

    pub(crate) fn set(&mut self, name: &str, to: &Value) {
        for (_, value) in self.columns.iter_mut().filter(|(known, _)| known == name) {
            value.clone_from(to);
        }
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.columns.retain(|(known, _)| known != name);
        self
    }

    /// Writes it; `or` says what happens when it is there already.
    pub(crate) fn insert(&self, connection: &Connection, or: &str) -> Result<(), Error> {
        // Names of columns come from bytes: they must be those of the table.
        let known = columns(connection, &self.table)?;
        let fitting: Vec<_> = self.columns.iter().filter(|(name, _)| known.contains(name)).collect();
        let names: Vec<String> = fitting.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let blanks = vec!["?"; names.len()].join(", ");
        let words = format!("INSERT {or} INTO {} ({}) VALUES ({blanks})", self.table, names.join(", "));
        connection.execute(&words, params_from_iter(fitting.iter().map(|(_, value)| value)))?;
        Ok(())
    }
}

/// Keeps a row of a table of things that are there once, known by their hash; gives its id.
pub(crate) fn kept(connection: &Connection, row: Row) -> Result<Value, Error> {
    let row = row.without("id");
    row.insert(connection, "OR IGNORE")?;
    let words = format!("SELECT id FROM {} WHERE hash = ?1", row.table);
    Ok(connection.query_row(&words, [row.get("hash")], |found| found.get(0))?)
}

fn columns(connection: &Connection, table: &str) -> Result<Vec<String>, Error> {
    let statement = connection.prepare(&format!("SELECT * FROM {table} LIMIT 0"))?;
    Ok(statement.column_names().map(ToOwned::to_owned).collect())
}

/// The rows of a table that a condition on `?1` chooses.
pub(crate) fn rows(connection: &Connection, table: &str, which: &str, id: i64) -> Result<Vec<Row>, Error> {
    let names = columns(connection, table)?;
    let mut query = connection.prepare(&format!("SELECT * FROM {table} WHERE {which}"))?;
    let found = query.query_map([id], |row| {
        let columns = names.iter().enumerate().map(|(at, name)| Ok((name.clone(), row.get(at)?)));
        Ok(Row { table: table.to_owned(), columns: columns.collect::<rusqlite::Result<_>>()? })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}
