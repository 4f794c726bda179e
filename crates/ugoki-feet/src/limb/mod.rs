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
mod hold;
mod knees;
mod leg;
mod leg_transfer;
mod plant;
mod plant_config;
mod plant_report;
mod solution;
mod spread;
mod standing;
mod steady_root;
mod target;
mod targets;

pub use curve::smooth_above;
pub use free_foot::stays_down;
pub use glitch::glitches;
pub use hips::{LegFrame, follow};
pub use hold::{Hold, correction};
pub use knees::face_knees;
pub use leg::{Leg, turn_leg};
pub use leg_transfer::put_legs_under;
pub use plant::plant_feet;
pub use plant::{Guide, plant_feet_like};
pub use plant_config::{PlantConfig, PlantError, Planted};
pub use plant_report::{LeftAlone, PlantReport, Skate, Why};
pub use solution::{FeetSolution, FootShift, HipsConfig, grip};
pub use standing::standing_contacts;
