//! Ugoki (動き, movement) turns captured human motion into new motion.
//!
//! The library does no I/O and reads no clock: callers pass bytes and times. Inside everything is metres, seconds, radians,
//! right-handed, +Y up, and a character in rest pose faces +Z; [`formats`] alone knows other axes, units and orders.
//!
//! This crate re-exports the crates that the library is made of, by feature. The default features read, write, filter, blend,
//! retarget and edit motion; they need no C compiler and build for `wasm32-unknown-unknown`.
//!
//! | task | module | feature |
//! |---|---|---|
//! | read and write BVH, AMC, C3D, TRC, NPZ, CSV, DeepMimic, glTF, VRM | `formats` | `formats` (default) |
//! | read FBX | `formats` | `fbx` |
//! | skeletons, roles, poses, forward kinematics, clips | [`skeleton`], [`pose`], [`clip`] | |
//! | labelled markers to a skeleton and a clip | [`markers`] | |
//! | smooth, remove glitches, scale frequency bands | [`signal`] | |
//! | find the floor and foot contacts, plant feet | [`contact`], [`feet`] | |
//! | compare two motions, measure foot skate | [`metric`] | |
//! | blend, align in time, transition | [`signal`] | `motion` (default) |
//! | convert a motion file: skeleton, rate, size, axes, format | `convert` | `formats`, `motion` (default) |
//! | move a motion onto another skeleton | `retarget` | `motion` (default) |
//! | cut a take into simple movements | `segment` | `motion` (default) |
//! | bend, splice, loop, walk along footsteps, play | `edit` | `motion` (default) |
//! | build a motion network, compose to a timeline | `network`, `compose` | `compose` |
//! | drive an actor by a performer | `perform` | `perform` |
//! | inverse and forward dynamics, reactions to pushes | `dynamics`, `react` | `physics` |
//! | send and receive the VMC protocol | `live` | `live` |
//! | contact sheets, GIF, SVG, plots | `picture` | `picture` |
//! | motions to try everything with | `sample` | `sample` |
//!
//! `parallel` uses several threads and gives the same bits; `full` is everything else.
//!
//! Read a file, smooth it and write it again:
//!
//! ```
//! # #[cfg(feature = "formats")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ugoki::prelude::*;
//! use ugoki::signal::{FilterConfig, Kernel, KernelShape, filter};
//!
//! let file = "HIERARCHY
//! ROOT Hips
//! {
//!   OFFSET 0 90 0
//!   CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
//!   End Site
//!   {
//!     OFFSET 0 80 0
//!   }
//! }
//! MOTION
//! Frames: 5
//! Frame Time: 0.033333
//! 0 90 0 0 0 0
//! 0 90 1 0 2 0
//! 0 90 2 0 1 0
//! 0 90 3 0 3 0
//! 0 90 4 0 2 0
//! ";
//! let read = read(file.as_bytes(), Some("bvh"), &ReadOptions::default())?;
//! let kernel = Kernel::build(&KernelShape::Binomial(3))?;
//! let smooth = filter(&read.clip, &kernel, FilterConfig::default(), &mut no_progress())?;
//! let written = write(&smooth.clip, Format::Bvh, &WriteOptions::default(), &mut no_progress())?;
//! assert!(written.bytes.starts_with(b"HIERARCHY"));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "formats"))]
//! # fn main() {}
//! ```
//!
//! Plant the feet of a motion, and measure what that does to foot skate:
//!
//! ```
//! # #[cfg(feature = "sample")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ugoki::contact::{ContactConfig, find_contacts};
//! use ugoki::feet::{PlantConfig, plant_feet};
//! use ugoki::metric::foot_skate;
//! use ugoki::prelude::*;
//!
//! let walk = ugoki::sample::clip("walk").ok_or("no such motion")?;
//! let contacts = find_contacts(&walk, &ContactConfig::default())?;
//! let planted = plant_feet(&walk, &contacts, &PlantConfig::default(), &mut no_progress())?;
//! let skate = |clip: &Clip| foot_skate(clip, &ContactConfig::default());
//! assert!(skate(&planted.clip)? <= skate(&walk)?);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "sample"))]
//! # fn main() {}
//! ```
//!
//! Blend two motions into one that is halfway between them:
//!
//! ```
//! # #[cfg(all(feature = "sample", feature = "motion"))]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ugoki::prelude::*;
//! use ugoki::signal::{BlendConfig, blend};
//!
//! let (walk, run) = (ugoki::sample::clip("walk").unwrap(), ugoki::sample::clip("run").unwrap());
//! let jog = blend(&[&walk, &run], &BlendConfig::new(&[1.0, 1.0]), &mut no_progress())?;
//! assert_eq!(jog.clip.num_joints(), walk.num_joints());
//! # Ok(())
//! # }
//! # #[cfg(not(all(feature = "sample", feature = "motion")))]
//! # fn main() {}
//! ```

pub use ugoki_base::{Cancelled, Progress, no_progress, report};
pub use ugoki_base::{
    bend_axes, bytes, clip, document, ground, mannequin, markers, math, pose, skeleton, threads,
};
pub use ugoki_feet::{contact, metric};

/// Two-bone inverse kinematics, foot lock and planting.
pub mod feet {
    pub use ugoki_base::ik::*;
    pub use ugoki_feet::feet::*;
}

/// Filtering and blending rotations.
pub mod signal {
    pub use ugoki_base::signal::*;
    #[cfg(feature = "motion")]
    pub use ugoki_motion::blend::*;
}

#[cfg(feature = "compose")]
pub use ugoki_compose::{compose, network};
#[cfg(feature = "formats")]
pub use ugoki_formats as formats;
#[cfg(feature = "live")]
pub use ugoki_live as live;
#[cfg(feature = "motion")]
pub use ugoki_motion::{edit, reconstruct, retarget, segment};
#[cfg(feature = "perform")]
pub use ugoki_perform as perform;
#[cfg(feature = "physics")]
pub use ugoki_physics::{dynamics, react};
#[cfg(all(feature = "formats", feature = "motion"))]
pub mod convert;
#[cfg(feature = "picture")]
mod drawings;

/// Contact sheets, animations, drawings, plots and pages; drawings of the results of other modules.
#[cfg(feature = "picture")]
pub mod picture {
    pub use crate::drawings::*;
    pub use ugoki_picture::*;
}
#[cfg(feature = "sample")]
pub use ugoki_sample as sample;

/// The types that almost every program names.
pub mod prelude {
    pub use ugoki_base::clip::{Clip, RootMotion};
    pub use ugoki_base::contact_labels::FootContacts;
    pub use ugoki_base::pose::{ModelPose, Pose};
    pub use ugoki_base::skeleton::{Joint, Role, Side, Skeleton};
    pub use ugoki_base::{Cancelled, Progress, no_progress};
    #[cfg(feature = "formats")]
    pub use ugoki_formats::{Format, Read, ReadOptions, WriteOptions, read, write};
}
