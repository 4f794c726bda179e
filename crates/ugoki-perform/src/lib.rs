//! Performing through an actor \[shibata2005\]: a rough live performance drives an expert's correct motion.
//!
//! ```text
//! actor clip ─segment─► pieces ─┐
//!                               ├─ pair ─► rows ─ regress ─► Model (motions, pieces, regressions, imitations)
//! imitation ─observe─► points ──┘
//! live frame ─observe─► points ─┬─ follow (filter) ─► motion, frame, rate ─ playhead ─┬─► pose
//!                               │                     performer's own pose ───────────┘
//!                               └─ paper: recognize ─► piece ─ estimate ŷ ─ retrieve ─► actor frame ─► pose
//! ```
//!
//! Following is the default and needs no imitation: a causal Bayesian filter over motion, frame, rate and size. The paper's
//! run time is a method of its own, with nothing added.

mod amplitude;
mod bytes;
mod config;
pub mod evaluate;
pub mod follow;
mod learn;
#[cfg(feature = "live")]
pub mod live;
mod model;
mod pair;
mod paper;
mod performance;
mod performer_pose;
mod playhead;
mod recognize;
mod regress;
mod retrieve;
mod runner;
mod sight;
mod tracking_loss;
mod variables;

pub use amplitude::{Base, with_amplitude};
pub use config::{MAX_LOOKAHEAD_S, Method, Mirror, RunConfig};
pub use learn::{
    Imitation, LearnConfig, LearnReport, PAIRED, PIECE_COLUMNS, PairReport, PieceReport, Unseen, learn,
    learn_seen,
};
pub use model::{Index, Model, ModelPiece, Motion, Pattern, Strand};
pub use pair::{PairMethod, Pairing, pair};
pub use performance::{
    Gaps, Performance, RecognizedClip, RecognizedFrame, RunFrame, Switch, check_same_skeleton, perform_clip,
    recognize_clip,
};
pub use recognize::{Recognized, Recognizer};
pub use regress::{RegressError, Regression, Selection, select};
pub use retrieve::retrieve;
pub use runner::{Frame, Runner};
pub use sight::BRIDGE_S;
pub use tracking_loss::{GapMask, losses, unseen};
pub use ugoki_base::tracking_loss::{Loss, LossChange, LossTracker, MAX_LOSSES, loss_lines};
pub use variables::Variable;

use ugoki_base::Cancelled;
use ugoki_base::clip::ClipError;
use ugoki_motion::segment::SegmentError;

/// Why a performance cannot be learned or run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PerformError {
    /// The actor's motion cannot be cut, or a body is unknown.
    #[error(transparent)]
    Segment(SegmentError),
    /// A body to learn from is unknown.
    #[error("{clip}: {reason}")]
    Body {
        /// The motion.
        clip: String,
        /// What is not known.
        reason: String,
    },
    /// There are no imitations.
    #[error("there is nothing to learn from")]
    Nothing,
    /// The performer cannot be compared with the actor.
    #[error("the imitation {performer:?} does not fit {actor:?}: {reason}")]
    Unfit {
        /// The actor's motion.
        actor: String,
        /// The imitation.
        performer: String,
        /// Why.
        reason: String,
    },
    /// No piece of the actor's motion can be predicted from the imitation.
    #[error(
        "no coordinate of the imitation follows {actor:?}: the best R² is {best_r2:.2}; {needed:.2} is needed, and more than 0 \
         on time left out"
    )]
    Unlearnable {
        /// The actor's motion.
        actor: String,
        /// The best R² of any coordinate and piece.
        best_r2: f64,
        /// The gate.
        needed: f64,
    },
    /// A live body has nothing that the model knows.
    #[error(
        "the performer's skeleton has none of the {wanted} joints that the model was learned with, such as {such}"
    )]
    Performer {
        /// How many joints the model knows.
        wanted: usize,
        /// One of them.
        such: String,
    },
    /// A performance without frames.
    #[error("the performance has no frames")]
    NoFrames,
    /// A performance in which the whole body is lost.
    #[error("nothing of the body is seen in any frame: its numbers are lost or not finite")]
    NothingSeen,
    /// A model without motions.
    #[error("the model has no motions")]
    NoMotions,
    /// Two actors of one model have different skeletons.
    #[error("the actors of {first:?} and {second:?} have different skeletons ({difference})")]
    Skeletons {
        /// The first motion.
        first: String,
        /// The second.
        second: String,
        /// Where they differ.
        difference: String,
    },
    /// The actor's motion cannot be put together.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<SegmentError> for PerformError {
    fn from(error: SegmentError) -> Self {
        match error {
            SegmentError::Cancelled(stop) => Self::Cancelled(stop),
            error => Self::Segment(error),
        }
    }
}

#[cfg(test)]
mod tests;
