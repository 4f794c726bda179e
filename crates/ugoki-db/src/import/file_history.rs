//! What the database knows about files from earlier imports.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};
use ugoki_formats::{Problem, Reading};

use super::labels::label_text;
use super::places::Stat;
use super::prepare::KeptCompanion;
use crate::Error;
use crate::hash::{hex, sha256};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Imported,
    Refused,
    Removed,
}

impl Status {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Imported => "imported",
            Self::Refused => "refused",
            Self::Removed => "removed",
        }
    }
}

/// Why a file was refused, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptProblem {
    pub(crate) line: Option<u32>,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl KeptProblem {
    pub(crate) fn new(problem: &Problem) -> Self {
        Self { line: problem.line, message: problem.message.clone(), hint: problem.hint.clone() }
    }

    pub(crate) fn about(self, file: &str) -> Problem {
        Problem { file: Some(file.to_owned()), line: self.line, message: self.message, hint: self.hint }
    }
}

/// One file of an earlier import.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) id: i64,
    pub(crate) stat: Stat,
    pub(crate) hash: Vec<u8>,
    pub(crate) companions: Vec<KeptCompanion>,
    pub(crate) options: String,
    pub(crate) status: Status,
    pub(crate) reason: Option<KeptProblem>,
    pub(crate) program: String,
    /// Takes of it that the user threw out while others stayed.
    pub(crate) removed_takes: usize,
}

impl Known {
    /// Whether a cheap look finds the file and what belongs to it as they were, read as they were.
    pub(crate) fn is_unchanged(&self, path: &Path, stat: Stat, options: &str) -> bool {
        self.stat == stat && self.is_read_alike(path, options)
    }

    /// Whether it would be read in the same way with the same companions.
    pub(crate) fn is_read_alike(&self, path: &Path, options: &str) -> bool {
        let folder = path.parent().unwrap_or(Path::new(""));
        self.options == options && self.companions.iter().all(|companion| companion.is_unchanged(folder))
    }
}

/// All files of earlier imports, by path and by content.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) by_path: HashMap<String, Known>,
    /// Ids of files by the hash of their content, in order.
    pub(crate) by_hash: HashMap<Vec<u8>, Vec<i64>>,
}

const FILES: &str = "SELECT path, id, size, modified_ns, hash, companions, options, status, reason, program, \
     (SELECT count(*) FROM removed_takes WHERE file_id = files.id) FROM files";

impl Memory {
    pub(crate) fn load(connection: &Connection) -> Result<Self, Error> {
        let mut memory = Self::default();
        let mut query = connection.prepare(&format!("{FILES} ORDER BY id"))?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let known = Known::from_row(row)?;
            memory.by_hash.entry(known.hash.clone()).or_default().push(known.id);
            memory.by_path.insert(row.get(0)?, known);
        }
        Ok(memory)
    }
}

impl Known {
    /// What is known under this number.
    pub(crate) fn load(connection: &Connection, id: i64) -> Result<Self, Error> {
        let mut query = connection.prepare_cached(&format!("{FILES} WHERE id = ?1"))?;
        Ok(query.query_row([id], Self::from_row)?)
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let companions: String = row.get(5)?;
        let status: String = row.get(7)?;
        let reason: Option<String> = row.get(8)?;
        Ok(Self {
            id: row.get(1)?,
            stat: Stat { size: row.get(2)?, modified_ns: row.get(3)? },
            hash: row.get(4)?,
            // What does not parse counts as changed: the file is read again.
            companions: serde_json::from_str(&companions).unwrap_or_default(),
            options: row.get(6)?,
            status: match status.as_str() {
                "imported" => Status::Imported,
                "removed" => Status::Removed,
                _ => Status::Refused,
            },
            reason: reason.and_then(|text| serde_json::from_str(&text).ok()),
            program: row.get(9)?,
            removed_takes: row.get(10)?,
        })
    }
}

/// How files are read, as it is kept and compared; a label map counts by its text.
pub(crate) fn options_text(reading: &Reading) -> Result<String, Error> {
    let unfit = |error: serde_json::Error| Error::Unfit { detail: error.to_string() };
    let mut options = serde_json::to_value(reading).map_err(unfit)?;
    if let Some(text) = label_text(reading)? {
        options["markers_sha256"] = hex(&sha256(text.as_bytes())).into();
    }
    serde_json::to_string(&options).map_err(unfit)
}
