//! The world other than the floor: boxes and balls that collide with the body.
//!
//! ```text
//! Scene (JSON) ─World::build→ World ── every step: sweep against the links' capsules → impulses on both sides → Rapier
//! ```
//!
//! Rapier moves the objects, stops them on floor and steps, and lets them hit each other. The body's links are capsules
//! that the simulation places. To Rapier such kinematic bodies would have infinite mass; so they stay out of its
//! solver, and the impulse of every meeting is computed here, with the body's effective mass, planted feet held, and
//! acts equal and opposite on both. `docs/methods/react-world.md` has the formulas.

mod collision;
mod run;
mod scene;
#[allow(clippy::module_inception, reason = "the type of that name")]
mod world;

pub use run::{SceneWarning, WorldRecord, react_in};
pub use scene::{MAX_BODIES, Scene, SceneError, Shape, Thing};
pub use world::{Hit, Place, World};

#[cfg(test)]
mod tests;
