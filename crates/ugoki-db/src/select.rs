//! Which clips: names, patterns, numbers, tags, length and speed.

use crate::{Limits, Selection};
use rusqlite::types::Value;

use crate::tag::normal_tag;
use crate::{Database, Error, names};

impl Database {
    /// Ids of the clips that fit, in the order they were added; a name that fits nothing is an error, as it was
    /// probably mistyped.
    ///
    /// # Errors
    /// When a name or pattern fits no clip, or the database cannot be read.
    pub fn select(&self, selection: &Selection) -> Result<Vec<i64>, Error> {
        self.select_where(
            selection,
            "(duplicate_of IS NOT NULL OR EXISTS (SELECT 1 FROM clips o WHERE o.duplicate_of = clips.id))",
        )
    }

    /// [`Self::select`] for removing: of motions that are there twice, the first stays.
    ///
    /// # Errors
    /// As [`Self::select`].
    pub fn select_to_remove(&self, selection: &Selection) -> Result<Vec<i64>, Error> {
        self.select_where(selection, "duplicate_of IS NOT NULL")
    }

    fn select_where(&self, selection: &Selection, twice: &str) -> Result<Vec<i64>, Error> {
        let mut terms: Vec<String> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        if !selection.clips.is_empty() {
            let mut wanted = Vec::new();
            for name in &selection.clips {
                wanted.extend(self.named(name)?);
            }
            let list = wanted.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            terms.push(format!("clips.id IN ({list})"));
        }
        for tag in &selection.tags {
            let (missing, tag) = match tag.strip_prefix('!') {
                Some(tag) => ("NOT ", tag),
                None => ("", tag.as_str()),
            };
            values.push(Value::Text(normal_tag(tag)?));
            terms.push(format!(
                "{missing}EXISTS (SELECT 1 FROM tags WHERE tags.clip_id = clips.id AND tag = ?{})",
                values.len()
            ));
        }
        within(
            "coalesce(derived.frames / (SELECT fps FROM meta), clips.frames / clips.fps)",
            selection.seconds,
            &mut terms,
            &mut values,
        );
        within("measures.speed_m_s", selection.speed, &mut terms, &mut values);
        if selection.duplicates {
            terms.push(twice.to_owned());
        }
        let condition = if terms.is_empty() { "1".to_owned() } else { terms.join(" AND ") };
        let mut query = self.connection.prepare(&format!(
            "SELECT clips.id FROM clips LEFT JOIN measures ON measures.clip_id = clips.id \
             LEFT JOIN derived ON derived.clip_id = clips.id WHERE {condition} \
             ORDER BY clips.id"
        ))?;
        let ids = query.query_map(rusqlite::params_from_iter(values), |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// The clips of one word: a name, `id:17`, or a pattern.
    fn named(&self, name: &str) -> Result<Vec<i64>, Error> {
        // A name may hold the letters of patterns; then it is meant as a name.
        match names::find(&self.connection, name) {
            Err(Error::UnknownClip { .. }) if name.contains(['*', '?', '[']) => {}
            found => return found.map(|id| vec![id]),
        }
        let mut query =
            self.connection.prepare_cached("SELECT id FROM clips WHERE name GLOB ?1 ORDER BY id")?;
        let ids: Vec<i64> = query.query_map([name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if ids.is_empty() && name != "*" {
            return Err(Error::NothingFits { what: format!("the pattern {name:?}") });
        }
        Ok(ids)
    }

    /// The id of the clip called `name`, or with the number in `id:17`.
    ///
    /// # Errors
    /// When there is none; the error suggests names like it.
    pub fn find(&self, name: &str) -> Result<i64, Error> {
        names::find(&self.connection, name)
    }
}

fn within(column: &str, limits: Option<Limits>, terms: &mut Vec<String>, values: &mut Vec<Value>) {
    let Some(limits) = limits else { return };
    for (bound, sign) in [(limits.least, ">="), (limits.greatest, "<=")] {
        if let Some(bound) = bound {
            values.push(Value::Real(bound));
            terms.push(format!("{column} {sign} ?{}", values.len()));
        }
    }
}
