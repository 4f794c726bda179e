//! Why clips cannot be joined.

use ugoki_base::Cancelled;
use ugoki_base::clip::ClipError;

/// Why clips cannot be joined.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpliceError {
    /// Nothing to join.
    #[error("{clips} clips cannot be joined, expected {least} to {most}")]
    Count {
        /// How many there are.
        clips: usize,
        /// How many must be.
        least: usize,
        /// How many may be.
        most: usize,
    },
    /// A clip without motion.
    #[error("{name:?} has no frames of motion")]
    Empty {
        /// Which one, from 0.
        clip: usize,
        /// Its name.
        name: String,
    },
    /// Joints must correspond.
    #[error("{name:?} has another skeleton than the first motion")]
    Skeleton {
        /// Which one, from 0.
        clip: usize,
        /// Its name.
        name: String,
    },
    /// A time must be a time.
    #[error("{what} of {seconds} s is not possible, expected 0 or more")]
    Seconds {
        /// Which time.
        what: &'static str,
        /// What it is.
        seconds: f64,
    },
    /// The rate of a clip cannot be changed.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SpliceError {
    /// The clip to blame, from 0.
    #[must_use]
    pub fn clip(&self) -> Option<usize> {
        match self {
            Self::Empty { clip, .. } | Self::Skeleton { clip, .. } => Some(*clip),
            _ => None,
        }
    }
}
