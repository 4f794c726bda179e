//! Joining: what a splice of two clips and the closing of a loop share.
//!
//! ```text
//! body_features    every frame seen from its own body: points, velocities, feet that stand
//! ground           where a body stands and faces, and moving whole clips there
//! blend            the end of one clip and the start of the next bent to their common mean, place and velocity
//! hip_glitches     frames in which hips jump away and back over standing feet, put between their neighbours
//! part             pieces of clips and where they go
//! labels           the sources' contact labels, brought together over the seam
//! foot_plan        stances carried over seams, corrective steps, and holding both with the kernel of `ugoki-feet`
//! step             how large a seam is, compared with ordinary change from frame to frame
//! momentum         acceleration of the hips, joint speed and slide at seams, next to the sources' own
//! strain           what a result asks of legs, compared with what its captures do
//! piece            clips prepared for joining, their possible cuts, where the second goes
//! assemble         pieces put one after another by a plan for every seam
//! search           other windows and cuts for seams that show
//! bridge           captured steps, starts and stops from a database where clips do not meet
//! spliced          options and results
//! splice           the entry points, for clips one after another
//! ```

mod assemble;
mod blend;
mod body_features;
mod bridge;
mod foot_plan;
mod ground;
mod hip_glitches;
mod labels;
mod momentum;
mod part;
mod piece;
mod report;
mod search;
mod splice;
mod splice_error;
mod spliced;
mod step;
mod strain;

pub(super) use blend::{blended, concatenated};
pub(super) use body_features::{BodyFeatures, SPEED_COST_S};
pub use foot_plan::FeetAt;
pub(super) use foot_plan::FootPlans;
pub(super) use ground::{Footholds, STAIR_M, moved_pose, turn_between};
pub(super) use hip_glitches::without_hip_glitches;
pub use labels::standing_labels;
pub(super) use labels::stands_through;
pub(super) use momentum::BodyTrace;
pub use momentum::{SeamBody, SourceBody};
pub(super) use part::{Part, sample};
pub use piece::Labels;
pub use report::SpliceReport;
pub(super) use search::{BETTER, WINDOWS};
pub use splice::{MAX_CLIPS, splice, splice_from, splice_labelled};
pub use splice_error::SpliceError;
pub use spliced::{Seam, SpliceConfig, Spliced, SplicedClip};
pub use step::SeamStep;
pub(super) use step::{ordinary, seam_step};
pub(super) use strain::LegLimits;
