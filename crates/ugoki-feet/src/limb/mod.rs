//! Limbs: the two-bone solve, foot lock and planting.
//!
//! ```text
//! Clip + Contacts ─level→ upright clip ─targets→ fixed points per contact ─curve→ smooth foot corrections
//!                 ─hips→ smooth shift of the root ─two_bone→ planted clip + PlantReport
//! ```
//!
//! The method and its constants are in `docs/methods/plant.md`.

mod corrections;
mod curve;
mod free_foot;
mod glitch;
mod hips;
mod knees;
mod leg;
mod leg_transfer;
mod plant;
mod plant_config;
mod plant_report;
mod spread;
mod targets;

pub use curve::{away_from_contact, smooth_above};
pub use free_foot::stays_down;
pub use glitch::glitches;
pub use hips::{LegFrame, calm, follow};
pub use knees::{Knees, face_knees};
pub use leg::{Leg, bend_leg, turn_leg};
pub use leg_transfer::put_legs_under;
pub use plant::{Guide, plant_feet_like};
pub use plant::{plant_feet, standing_contacts};
pub use plant_config::{PlantConfig, PlantError, Planted};
pub use plant_report::{LeftAlone, PlantReport, Skate, Why};
