//! Joining: what a splice of two clips and the closing of a loop share.
//!
//! ```text
//! body_features    every frame seen from its own body: points, velocities, feet that stand
//! ground           where a body stands and faces, and moving whole clips there
//! meet             the end of one clip and the start of the next bent to their common mean, place and velocity
//! steady           frames in which hips jump away and back over standing feet, put between their neighbours
//! carry            the sources' contact labels, brought together over the seam
//! footing          the paths of both feet, bent at the seam where they move
//! corrective_step  feet that two clips want in different places step from the one to the other
//! stand            feet that their labels hold stand still; hips and knees follow
//! step             how large a seam is, beside ordinary change from frame to frame
//! momentum         acceleration of the hips, joint speed and slide at seams, next to the sources' own
//! strain           what a result asks of legs, beside what its captures do
//! piece            clips prepared for joining, their possible cuts, where the second goes
//! assemble         pieces put one after another by a plan for every seam
//! search           other windows and cuts for seams that show
//! bridge           captured steps, starts and stops from a database where clips do not meet
//! spliced          options and results
//! splice           the entry points, for clips one after another
//! ```

mod assemble;
mod body_features;
mod bridge;
mod carry;
mod corrective_step;
mod footing;
mod ground;
mod meet;
mod momentum;
mod piece;
mod report;
mod search;
mod splice;
mod splice_error;
mod spliced;
mod stand;
mod steady;
mod step;
mod strain;

pub(super) use assemble::concatenated;
pub(super) use body_features::{Looks, SPEED_COST_S};
pub use carry::standing_labels;
pub(super) use carry::{Part, labels};
pub(super) use corrective_step::{Crossing, step_over};
pub(super) use footing::{FootGap, Footing, standing_at};
pub(super) use ground::{Stands, moved_pose, turn_between};
pub(super) use meet::{Gap, bend_end, bend_start, sample};
pub(super) use momentum::BodyTrace;
pub use momentum::{SeamBody, SourceBody};
pub use piece::Labels;
pub use report::SpliceReport;
pub(super) use search::{BETTER, WINDOWS};
pub use splice::{MAX_CLIPS, splice, splice_from, splice_labelled};
pub use splice_error::SpliceError;
pub use spliced::{Seam, SpliceConfig, Spliced, SplicedClip};
pub use stand::FeetAt;
pub(super) use stand::stand;
pub(super) use steady::steadied;
pub use step::SeamStep;
pub(super) use step::{ordinary, seam_step};
pub(super) use strain::Own;
