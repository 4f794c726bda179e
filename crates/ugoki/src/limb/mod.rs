//! Limbs: the two-bone solve, foot lock and planting.
//!
//! ```text
//! Clip + Contacts ─level→ upright clip ─targets→ fixed points per contact ─curve→ smooth foot corrections
//!                 ─hips→ smooth shift of the root ─two_bone→ planted clip + PlantReport
//! ```
//!
//! The method and its constants are in `docs/methods/plant.md`.

mod beside;
mod corrections;
mod curve;
mod glitch;
mod hips;
mod knees;
mod leg;
mod plant;
mod plant_config;
mod plant_report;
mod spread;
mod targets;
mod two_bone;
mod under;

pub(crate) use beside::stays_down;
pub(crate) use curve::{away_from_contact, smooth_above};
pub(crate) use glitch::glitches;
pub(crate) use hips::{LegFrame, calm, follow};
pub(crate) use knees::{Knees, face_knees};
pub(crate) use leg::{Leg, bend_leg, turn_leg};
pub(crate) use plant::{Guide, plant_feet_like};
pub use plant::{plant_feet, standing_contacts};
pub use plant_config::{PlantConfig, PlantError, Planted};
pub use plant_report::{LeftAlone, PlantReport, Skate, Why};
pub use two_bone::{TwoBone, solve_hinge, solve_two_bone};
pub(crate) use under::put_legs_under;
