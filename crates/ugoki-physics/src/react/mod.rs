//! Reacting to loads, pushes and collisions: a captured motion is the target of a simulated body with limited strength.
//!
//! ```text
//! Clip ─Target::build→ Target: coordinates, velocities, torques, contacts at every step
//!        (fit · sampling · horizon · target_dynamics)
//! Config, loads, pushes, Environment → Simulation::step → Reaction: clip, frames, recovered or fell
//!        step = observe → control (tracking, relief, balance, steps) → integrate → judge
//! ```
//!
//! Undisturbed, the target is reproduced. Under a load or after a blow the body yields, relieves strained joints, swings
//! its arms, moves its hips, keeps its balance, and returns to the target as fast as its strength allows; or it falls, and says when
//! \[oshita2001\]. The ground only pushes and rubs, at every step. `docs/methods/react.md` has the maths and where
//! we depart from the paper; `docs/results/react.md` the measurements.

// One index runs over several arrays in most of these sums.
#![allow(clippy::needless_range_loop)]

mod audit;
mod balance;
mod blocks;
mod bounds;
mod chart;
mod clip_reaction;
mod complementarity;
mod config;
mod control;
mod controller;
mod disturbance;
mod environment;
mod fit;
mod force_distribution;
mod ground;
mod hands;
mod horizon;
mod integrate;
mod judge;
mod lcp_dense;
mod lcp_low_rank;
mod load_policy;
mod memory;
mod named_reaction;
mod observe;
mod paper;
mod parts;
mod protective_posture;
mod relief;
mod relief_course;
mod report;
mod report_csv;
mod rollout;
mod rows;
mod run;
mod sampling;
mod simulation;
mod soles;
mod state;
mod stepping;
mod target;
mod target_build;
mod target_dynamics;
mod trace;
mod tracking;
pub mod world;

pub use blocks::Block;
pub use clip_reaction::{ClipReaction, ClipReactionError, Disturbances, react_clip};
pub use config::{Config, Control, Event, MAX_IMPULSE_N_S, MAX_LOAD_KG, Push, ReactError, Tracking};
pub use disturbance::{CarriedLoad, DisturbanceError, EventError, Events, TimedPush, build_events};
pub use environment::{Capsule, Environment, Touch};
pub use named_reaction::{NamedFrame, NamedHit, ReactionReport};
pub use report::{Corrections, FitReport, FootForce, Frame, Impossible, Outcome, Reaction};
pub use run::{react, react_to};
pub use simulation::Simulation;
pub use target::Target;
pub use trace::{ReactionTrace, TraceError, TraceFrame};
