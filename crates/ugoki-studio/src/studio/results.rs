//! What steps of a document made, and the results that are kept for a while.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use ugoki::clip::Clip;
use ugoki::perform::Model;

use super::protocol::{Problem, Reaction};

/// Results of steps that are kept.
const MOST_KEPT: usize = 40;
/// Prepared values, such as walks, that verbs keep for their next run.
const MOST_PREPARED: usize = 4;

/// A performance: its motion and what it is made of.
pub(super) type Candidate = (Arc<Clip>, Value);

/// Called for every candidate when it is found: its place, how many are searched for, and itself.
pub(super) type Tell<'a> = &'a dyn Fn(usize, usize, &Candidate);

/// What one step made.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) clip: Arc<Clip>,
    /// As `--json` gives it, without numbers of every frame.
    pub(super) report: Value,
    pub(super) reaction: Option<Reaction>,
    /// What later steps may run, by the name that they know it under.
    pub(super) model: Option<(String, Arc<Model>)>,
    /// The performance that drove the result, shown next to it.
    pub(super) performance: Option<Arc<Clip>>,
    /// Performances of which the document picks one.
    pub(super) candidates: Vec<Candidate>,
}

/// Why there is nothing to show.
#[derive(Debug)]
pub(super) enum Fault {
    /// The page asked to stop.
    Cancelled,
    /// It cannot be.
    Problem(Problem),
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Cancelled => Self::new("stopped"),
            Fault::Problem(problem) => problem,
        }
    }
}

/// Values by what they were made from, newest last.
#[derive(Debug)]
pub(super) struct Recent<T: ?Sized> {
    values: Mutex<Vec<(String, Arc<T>)>>,
    most: usize,
}

impl<T: ?Sized> Recent<T> {
    fn new(most: usize) -> Self {
        Self { values: Mutex::new(Vec::new()), most }
    }

    pub(super) fn get(&self, key: &str) -> Option<Arc<T>> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let at = values.iter().position(|(known, _)| known == key)?;
        let entry = values.remove(at);
        values.push(entry);
        values.last().map(|(_, value)| value.clone())
    }

    pub(super) fn put(&self, key: String, value: Arc<T>) {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.push((key, value));
        let extra = values.len().saturating_sub(self.most);
        values.drain(..extra);
    }

    fn clear(&self) {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What was computed and may be wanted again.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) made: Recent<Made>,
    pub(super) prepared: Recent<dyn std::any::Any + Send + Sync>,
}

impl Default for Kept {
    fn default() -> Self {
        Self { made: Recent::new(MOST_KEPT), prepared: Recent::new(MOST_PREPARED) }
    }
}

impl Kept {
    /// Forgets everything: clips of the database changed.
    pub(super) fn clear(&self) {
        self.made.clear();
        self.prepared.clear();
    }
}
