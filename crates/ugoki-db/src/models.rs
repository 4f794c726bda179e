//! Performance models: the actors' clips and, for each, what was learned.

use std::sync::Arc;

use ugoki_base::clip::Clip;
use ugoki_perform::Model;

use crate::{Database, Error, PERFORMANCE};

/// Why a database gives no performance model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The motion that was asked for was not learned.
    #[error("{name:?} was not learned")]
    NotLearned {
        /// The motion.
        name: String,
        /// Motions that were learned.
        learned: Vec<String>,
    },
    /// What is stored cannot be read.
    #[error("what was learned of {name:?} cannot be read: {reason}")]
    Unreadable {
        /// The motion.
        name: String,
        /// Why.
        reason: String,
    },
    /// Motions that were learned with other points of the body do not make one model.
    #[error("{name:?} was learned with other points than the motions before it")]
    OtherPoints {
        /// The motion.
        name: String,
    },
    /// The file is no database.
    #[error("not a model")]
    NoModel,
    /// Nothing was learned.
    #[error("holds no performance model")]
    Nothing,
    /// The database cannot be read.
    #[error(transparent)]
    Database(#[from] Error),
}

impl Database {
    /// The actors' clips of all motions that were learned.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn actors(&self) -> Result<Vec<Clip>, Error> {
        let names = self.built_names(PERFORMANCE)?;
        // A motion whose clip was removed has no actor; reading the model reports it.
        Ok(names.iter().filter_map(|name| self.source(self.find(name).ok()?).ok()).collect())
    }

    /// Stores a model; returns the names that its motions have here. A motion whose very clip is in the database already uses
    /// that one.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn put_model(&mut self, model: &Model) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        for (number, motion) in model.motions.iter().enumerate() {
            let known = match self.find(motion.name()) {
                Ok(id) => self.source(id).is_ok_and(|clip| clip == *motion.clip).then_some(id),
                Err(_) => None,
            };
            let id = match known {
                Some(id) => id,
                None => self.add_clip(&motion.clip)?,
            };
            let stored = self.name(id)?;
            let version = u32::from(Model::BYTES_VERSION);
            self.put_built(PERFORMANCE, &stored, version, &model.motion_bytes(number))?;
            names.push(stored);
        }
        Ok(names)
    }

    /// The model of all motions that were learned, or of one. Also returns the names of motions that are left out because their
    /// clips are gone.
    ///
    /// # Errors
    /// When nothing was learned, the motions do not make one model, or the database cannot be read.
    pub fn model(&self, only: Option<&str>) -> Result<(Model, Vec<String>), ModelError> {
        let mut names = self.built_names(PERFORMANCE)?;
        if let Some(only) = only {
            if !names.iter().any(|name| name == only) {
                return Err(ModelError::NotLearned { name: only.to_owned(), learned: names });
            }
            names.retain(|name| name == only);
        }
        let (mut model, mut gone): (Option<Model>, _) = (None, Vec::new());
        for name in names {
            let Some(built) = self.built(PERFORMANCE, &name)? else { continue };
            let id = match self.find(&name) {
                Ok(id) => id,
                Err(_) if only.is_none() => {
                    gone.push(name);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let clip = Arc::new(self.source(id)?);
            let (roles, motion) = match Model::motion_from_bytes(&built.bytes, clip) {
                Ok(read) => read,
                Err(error) => return Err(ModelError::Unreadable { name, reason: error.to_string() }),
            };
            match &mut model {
                None => model = Some(Model { roles, motions: vec![motion] }),
                Some(model) if model.roles == roles => model.motions.push(motion),
                Some(_) => return Err(ModelError::OtherPoints { name }),
            }
        }
        Ok((model.ok_or(ModelError::Nothing)?, gone))
    }
}
