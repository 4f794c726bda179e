//! Articulated-body dynamics: a [`Body`] built from any humanoid skeleton, its [`BodyState`], and one algorithm per
//! file under its literature name.
//!
//! ```text
//! Skeleton ─Body::build(BodyConfig)→ Body ──────────── mjcf, urdf: the same body for other tools
//!                                     │ BodyState { q, qd }, Workspace
//!          kinematics · rnea · crba · aba · jacobian · impulse · centroid · zmp · limits
//! ```
//!
//! The body has a free root, ball joints for back, neck, shoulders, hips and ankles, hinges for knees, elbows and toes:
//! 36 degrees of freedom on a whole skeleton. Masses follow de Leva, ranges and strengths a table with
//! sources. Everything is f64; run functions take scratch and write to the caller's slices, and allocate nothing.
//! Coordinates are plain slices with a layout that depends on the body alone, so that a batch of characters can
//! store them side by side, one lane each. The maths is in `docs/methods/dynamics.md`, measurements in
//! `docs/results/dynamics.md`.

mod aba;
mod body;
mod build;
mod centroid;
mod config;
mod contact;
mod crba;
mod force;
mod impulse;
mod jacobian;
mod kinematics;
mod limits;
mod mass_matrix;
mod mjcf;
mod posing;
mod rnea;
mod spatial;
mod state;
mod support;
mod urdf;
mod workspace;
mod zmp;

#[cfg(test)]
mod person;
#[cfg(test)]
mod properties;

pub use aba::aba_into;
pub use body::{BallRange, Body, BodyError, Foot, JointKind, Limits, Link, Strength};
pub use build::{Proportions, STANDARD_GRAVITY, measured_axes};
pub use centroid::{Centroid, Energy, centroid, energy, frozen_inertia};
pub use config::{BodyConfig, LinkOverride, Load};
pub use contact::{Contact, Held, Hold, TooManyContacts, hold_into};
pub use crba::{crba_into, crba_placed_into};
pub use force::{PointForce, add_generalized};
pub use impulse::{effective_mass, impulse_response_into};
pub use jacobian::{
    bias_acceleration, direction_row_into, link_jacobian_into, point_jacobian_into, spin_row_into,
};
pub use kinematics::{Kinematics, LinkPose, kinematics_into};
pub use limits::{clamp_to_strength, excess_into, load, load_into};
pub(crate) use mass_matrix::dot;
pub use mass_matrix::{Factors, MassMatrix};
pub use mjcf::mjcf;
pub use posing::{write_pose, write_rotations};
pub use rnea::rnea_into;
pub use spatial::{Force, Inertia, Motion, Sym3, Transform};
pub use state::{BodyState, difference_into, move_by};
pub(crate) use state::{quat_at, set_quat, set_vec3, vec3_at};
pub use support::SupportPolygon;
pub use urdf::urdf;
pub use workspace::Workspace;
pub use zmp::{Wrench, root_wrench, zmp};
