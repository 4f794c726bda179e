//! The built-in sample actor: motions that every installation has, authored in code.
//!
//! The story: [`skeleton`] is a 1.70 m body with published proportions. Locomotion (`gait`) follows normative angles
//! over the gait cycle (`gait_tables`) on feet with planned contacts (`feet`). Gestures (`gesture`) are
//! minimum-jerk curves (`minimum_jerk`) through authored postures in human terms (`posture`), which `pose` turns into
//! joint rotations. [`JOINT_LIMITS`] states how far a human joint goes. `motions` lists what there is.
//!
//! Everything is computed, nothing is stored: the same bits come out every time.

mod body;
mod feet;
mod flawed_motions;
mod gait;
mod gait_tables;
mod gesture;
mod gestures;
mod limits;
mod locomotion;
mod minimum_jerk;
mod motions;
mod pose;
mod posture;
#[cfg(test)]
mod properties;
mod sport;
mod take;

pub use body::{STATURE, ball_point, heel_point, skeleton, toe_tip};
pub use flawed_motions::{child, noisy_walk, skating_walk};
pub use limits::{JOINT_LIMITS, JointLimit, joint_angles};
pub use motions::{SampleMotion, clip, clips, contacts, motions};
pub use take::{Contact, FPS, Part, sole_points};
