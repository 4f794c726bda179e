//! Retargeting: a motion moved from one skeleton onto another.
//!
//! ```text
//! Clip or Skeleton ─Stance→ how the body stands ─┐
//! Skeleton         ─Stance→ how the body stands ─┴─build_retarget→ Retarget ─retarget_pose_into→ pose by pose
//! Clip + Skeleton ─retarget→ clip on that skeleton, feet held + RetargetReport
//! ```
//!
//! Joints are matched by [`ugoki_base::skeleton::Role`]. A [`Stance`] gives each role a frame that means the same on
//! every body: along the limb and about its hinge, or left, up and front for the trunk. What is kept of a motion
//! is the way these frames turn in the world; rest poses drop out. The hips travel in proportion to the legs, and feet
//! that stand in the source are held. The mathematics is in `docs/methods/retarget.md`.

mod apart;
mod average_stance;
mod build;
mod clip_stance;
mod config;
mod foot;
mod frames;
mod hold;
mod known_rigs;
mod level;
mod limbs;
mod motion;
mod pose;
mod report;
mod stance;
mod still;
mod trunk;

pub use build::{Ground, Retarget, build_retarget};
pub use config::{RetargetConfig, RetargetError, Whose};
pub use motion::{
    Retargeted, retarget, retarget_onto, retarget_onto_first, retarget_onto_t_pose, retarget_with,
};
pub use pose::{RetargetScratch, retarget_pose_into};
pub use report::{Bridge, Held, MappedJoint, Mapping, RetargetReport, StandsAt};
pub use stance::{Evidence, Stance};
