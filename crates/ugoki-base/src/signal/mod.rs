//! Filtering rotations correctly.
//!
//! One operation serves smoothing in time and blending across motions: a weighted combination of
//! rotations about a reference, q′ = q₀·exp(Σ hₖ·log(q₀⁻¹qₖ)), iterated to the intrinsic mean where
//! exactness is wanted. `docs/methods/signal.md` has the maths. Blending is in `ugoki-motion`.
//!
//! ```text
//! filter      kernel → window (eight frames at a time, lanes); wide windows: unrolled (`path`) or global_mean (`exact`), f64
//! auto        noise of each joint → kernel of least expected error → filter
//! one_euro    a low-pass whose cut-off rises with speed, for live frames and for clips
//! despike     glitches of up to a tenth of a second, replaced by the way between their neighbours
//! equalize    bands of frequency, by part of the body → hinges
//! ```

mod auto;
mod bands;
mod combine;
mod despike;
mod filter;
mod glitch;
mod global_mean;
mod hinges;
mod joints;
mod kernel;
pub mod lanes;
mod large_steps;
mod one_euro;
mod part;
mod report;
mod unrolled;
mod weight_list;
mod weights;
mod window;

pub use auto::{AutoJoint, AutoReport, filter_auto};
pub use bands::{Band, EqualizeConfig, EqualizeError, EqualizeReport, Equalized, bands, equalize, num_bands};
pub use combine::{Method, combine};
pub use despike::{
    DespikeError, DespikeReport, Despiked, DespikedJoint, despike, path_glitches, rotation_glitches,
};
pub use filter::{
    AmbiguousJoint, Edge, FilterConfig, FilterError, FilterReport, Filtered, FilteredMarkers,
    MarkerFilterReport, filter, filter_markers,
};
pub use glitch::DespikeConfig;
pub use global_mean::mean_minima;
pub use hinges::keep_hinges;
pub use joints::{align_track_signs, for_each_joint, sum_over_joints};
pub use kernel::{Kernel, KernelError, KernelShape};
pub use large_steps::{LargeSteps, large_steps};
pub use one_euro::{
    FilterShape, OneEuro, OneEuroConfig, OneEuroPosition, OneEuroReport, OneEuroRotation, one_euro,
};
pub use part::{Part, PartError};
pub use weight_list::{BlendWeights, WeightAt};
pub use weights::{WeightCurve, WeightError, WeightKey};
