//! Feet over ground: what they should do, the paths that do it, hips that follow and legs that bend.
//!
//! ```text
//! contacts ─stances→ where heels and toes stand ─plan→ FootPlan ─track→ displacement of each foot: stances held, swings edited
//!          ─hips→ smooth shift of the hips ─legs→ bent legs ─report→ what changed
//! ```
//!
//! Every operation that moves a body over the ground makes a [`FootPlan`] and leaves the rest to [`track`] and [`FeetSolution`].
//! The method is in `docs/methods/plant.md`.

mod clip_feet;
pub mod config;
mod curve;
mod glitch;
mod hips;
mod knees;
mod leg_transfer;
mod legs;
mod live;
mod path;
mod plan;
mod plant;
mod plant_config;
mod reach;
mod report;
mod solve;
mod stances;
mod steady_root;
mod track;

pub use clip_feet::ClipFeet;
pub use curve::smooth_above;
pub use glitch::glitches;
pub use hips::{LegFrame, balance, bend_at};
pub use knees::face_knees;
pub use leg_transfer::put_legs_under;
pub use legs::{Leg, REACH, turn_leg};
pub use live::{LiveLeg, MOST_ROLL, Reached, within_reach};
pub use path::FootPath;
pub use plan::{FootPlan, PathSeam, PointPlan, Stance, stance_frames};
pub use plant::{Guide, plant_feet, plant_feet_like};
pub use plant_config::{PlantConfig, PlantError, Planted};
pub use report::{LeftAlone, PlantReport, Skate, Why};
pub use solve::{FeetSolution, FootShift, HipsConfig, grip, grip_around};
pub use stances::{standing_contacts, stays_down};
pub use track::{Hold, correction, track};
