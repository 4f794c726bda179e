//! Segments bent so that they end where and how fast they must \[kawachi2003\].
//!
//! A handle's path or a joint's turning gives its [`Coefficients`] once; a wish for the end is a [`Bend`] of a few
//! vectors; any sample can then be asked for in any order, without its neighbours and without allocation.

mod basis;
mod basis_bytes;
mod bend;
mod body;
mod coefficients;
mod cycle;
mod edit_report;
mod feet;
mod handle_path;
mod handles;
mod join;
mod path;
pub mod player;
mod reach;
mod request;
mod span;
mod turn;
pub mod walk;

pub use basis::{
    EditBasis, EditConfig, Edited, EndTarget, HANDLES, Handle, HandleBasis, HandleBend, edit_segment,
};
pub use bend::{Bend, Distribution};
pub use coefficients::Coefficients;
pub use cycle::{
    Cycle, CycleConfig, CycleError, CycleReport, Drift, Looped, Pick, Straight, close_cycle, find_cycle,
    loop_clip, made_cycle,
};
pub use edit_report::{EditReport, HandleReport, SkeletonReport, TextureReport, TurnedJoint};
pub use feet::FootTrack;
pub use handles::{EditedHandles, HandlePaths, edit_handles, handle_paths};
pub use join::{
    FeetAt, Labels, MAX_CLIPS, Seam, SeamBody, SeamStep, SourceBody, SpliceConfig, SpliceError, SpliceReport,
    Spliced, SplicedClip, splice, splice_from, splice_labelled, standing_labels,
};
pub use path::PathBasis;
pub use player::{Deviation, Footfall, Player, PlayerScratch, Repertoire, Source, SpeedLimits, Tick};
pub use request::{HandleRequest, Place};
pub use span::{Ends, Span, SpanBend};
pub use turn::{TurnBasis, TurnBend};
pub use ugoki_base::ground::GroundFrame;
pub use walk::{Footstep, Gait, Strides, WalkError, Walked};

/// Why a segment cannot be edited as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    /// Two intervals are the least that can meet a position and a velocity.
    #[error("a path of {samples} samples is too short to edit, expected at least 3")]
    TooShort {
        /// Samples there are.
        samples: usize,
    },
    /// A position or rotation is not a number.
    #[error("sample {sample} is not a finite number")]
    NotFinite {
        /// The first such sample.
        sample: usize,
    },
    /// The target moved when the segment was over but for one sample.
    #[error(
        "at sample {sample} of {last} it is too late for a new target, expected at least two samples to go"
    )]
    TooLate {
        /// Where the change was asked for.
        sample: usize,
        /// The path's end.
        last: usize,
    },
    /// A handle that the skeleton or the basis does not have.
    #[error("no joint {name:?} to bend by; name one of the skeleton's joints or roles")]
    NoHandle {
        /// What was asked for.
        name: String,
    },
    /// Not a request for a handle.
    #[error(
        "{text:?} is not a request, expected JOINT@X,Y,Z or JOINT@X,Y,Z,VX,VY,VZ, metres and metres per second"
    )]
    Request {
        /// The text found.
        text: String,
    },
    /// No handle is asked for anything.
    #[error("no handle has a target")]
    NoRequest,
    /// Two requests for one handle at one time.
    #[error("{name} has two targets at the same time")]
    Twice {
        /// The handle.
        name: String,
    },
    /// A request outside the segment.
    #[error(
        "a target at {at_s:.3} s is not in the segment from {start_s:.3} to {end_s:.3} s, or within two frames of its start"
    )]
    Moment {
        /// When it was asked for, seconds.
        at_s: f64,
        /// The segment's first frame.
        start_s: f64,
        /// The segment's last frame.
        end_s: f64,
    },
    /// A basis of another clip.
    #[error("the segment's coefficients are of another clip; build them again")]
    OtherClip,
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] ugoki_base::Cancelled),
}
