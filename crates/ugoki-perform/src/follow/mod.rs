//! Following: where in which of the actor's motions a performer is, by a causal Bayesian filter.
//!
//! ```text
//! points ─features─► directions and velocities ─atlas─► distance to every motion ─identity─► probabilities of motions
//!                    likelihood of every (frame, rate, size) of the likely ones ─filter─► posterior ─estimate─►
//!                    motion, frame, rate, confidence
//! ```
//!
//! The state is the actor's frame, the rate at which the performer goes through it, and the size at which the motion is done;
//! one more state stands for everything that was not learned.

mod atlas;
mod config;
mod features;
mod filter;
mod follower;
mod identity;
mod live;

pub use atlas::Atlas;
pub use config::FilterConfig;
pub use filter::{Filter, Posterior};
pub use follower::{Followed, Follower};
