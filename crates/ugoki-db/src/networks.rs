//! Motion networks stored with the clips: loaded, updated or built, then stored again.

use std::collections::BTreeMap;

use crate::Selection;
use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_compose::network::{Catalogue, CatalogueConfig, Changes, ClipMark, NetworkError, content_mark};

use crate::{Database, Error};

/// What networks are kept as in a database.
const KIND: &str = "network";

/// A catalogue with what was done to get it.
#[derive(Debug)]
pub struct FoundCatalogue {
    /// The clips' networks, with the tags that the clips have now.
    pub catalogue: Catalogue,
    /// What was new or gone since it was stored; absent when it was built at once.
    pub changes: Option<Changes>,
    /// Whether it differs from what the database keeps.
    pub fresh: bool,
}

/// Why there is no catalogue.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The database cannot be read.
    #[error(transparent)]
    Database(#[from] Error),
    /// There is nothing to build it of.
    #[error("{}", if *unusable { "none of its clips is on the database's skeleton" } else { "has no clips" })]
    NoClips {
        /// Whether there are clips that cannot be used.
        unusable: bool,
    },
    /// It cannot be built, or the caller stops.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Database {
    /// The catalogue of all clips by these settings. Nothing is written; see [`Database::keep_catalogue`].
    ///
    /// # Errors
    /// When there are no clips, a clip or a setting cannot be used, or the caller stops.
    pub fn catalogue(
        &self,
        config: &CatalogueConfig,
        progress: Progress<'_>,
    ) -> Result<FoundCatalogue, CatalogueError> {
        let rows = self.list(&Selection::default())?;
        let usable: Vec<_> = rows.iter().filter(|row| row.derived).collect();
        if usable.is_empty() {
            return Err(CatalogueError::NoClips { unusable: !rows.is_empty() });
        }
        let kept = self.built(KIND, &config.name())?;
        let kept = kept.filter(|built| built.version == u32::from(Catalogue::BYTES_VERSION));
        let is_current = kept.as_ref().is_some_and(|built| built.is_current);
        // What cannot be read, or has other nodes, is built again.
        let kept = kept.and_then(|built| Catalogue::from_bytes(&built.bytes).ok());
        let kept = kept.filter(|kept| kept.config().has_nodes_of(config));
        // Where no clip has changed, none has to be looked at.
        let known: BTreeMap<i64, u64> = match &kept {
            Some(kept) if is_current => kept.clips().iter().map(|clip| (clip.id, clip.mark)).collect(),
            _ => BTreeMap::new(),
        };
        let mut marks = Vec::with_capacity(usable.len());
        for row in &usable {
            let mark = match known.get(&row.id) {
                Some(&mark) => mark,
                None => content_mark(&self.blob("derived", row.id)?.unwrap_or_default()),
            };
            marks.push(ClipMark { id: row.id, name: row.name.clone(), mark });
        }
        let mut load = |mark: &ClipMark| -> Result<Clip, NetworkError> {
            self.clip(mark.id)
                .map_err(|error| NetworkError::Load { name: mark.name.clone(), what: error.to_string() })
        };
        let (mut catalogue, changes, fresh) = match kept {
            Some(kept) => {
                let same_edges = kept.config().network == config.network;
                let kept = if same_edges { kept } else { kept.with_edges(config.network.clone(), progress)? };
                let (catalogue, changes) = kept.updated(&marks, &mut load, progress)?;
                (catalogue, Some(changes), !same_edges || changes.added + changes.removed > 0)
            }
            None => (Catalogue::build(config, &marks, &mut load, progress)?, None, true),
        };
        let tags: BTreeMap<i64, &Vec<String>> = usable.iter().map(|row| (row.id, &row.tags)).collect();
        let own = |clip: &ClipMark| tags.get(&clip.id).map_or_else(Vec::new, |tags| (*tags).clone());
        let tags: Vec<Vec<String>> = catalogue.clips().iter().map(own).collect();
        catalogue.set_tags(&tags);
        Ok(FoundCatalogue { catalogue, changes, fresh })
    }

    /// Keeps a catalogue for the next time, in place of an earlier one of the same layers.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_catalogue(&mut self, catalogue: &Catalogue) -> Result<(), Error> {
        let version = u32::from(Catalogue::BYTES_VERSION);
        // Networks of older programs are never read again.
        self.remove_built_by_others(KIND, version)?;
        self.put_built(KIND, &catalogue.config().name(), version, &catalogue.to_bytes())
    }
}
