//! Ugoki (動き, movement) turns captured human motion into new motion.
//!
//! This crate is the library: it reads no files, opens no sockets and asks no clock. Callers pass
//! bytes and times. Inside everything is metres, seconds, radians, right-handed, +Y up, and a
//! character in rest pose faces +Z; [`formats`] alone knows other axes, units and orders.
//!
//! The modules stand in order; one may use only those above it:
//!
//! ```text
//! math → skeleton → pose → clip, markers → contact → limb → metric → picture → formats → … → job
//! ```

pub mod clip;
pub mod markers;
pub mod math;
pub mod pose;
pub mod skeleton;
