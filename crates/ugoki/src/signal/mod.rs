//! Filtering and blending rotations correctly.
//!
//! One operation serves smoothing in time and blending across motions: a weighted combination of
//! rotations about a reference, q′ = q₀·exp(Σ hₖ·log(q₀⁻¹qₖ)), iterated to the intrinsic mean where
//! exactness is wanted. `docs/methods/signal.md` has the maths.
//!
//! ```text
//! filter      kernel → window (eight frames at a time, lanes) or combine (one at a time, f64)
//! despike     glitches of up to a tenth of a second, replaced by the way between their neighbours
//! equalize    bands of frequency, by part of the body → hinges, travel (steps and way agree)
//! blend       align, clock (time) → ground (place) → mix (lanes) → contacts, feet, guide, hold, legs (feet that stay)
//! transition  the same mean over a window
//! ```

mod align;
mod bands;
mod blend;
mod blend_config;
mod clock;
mod combine;
mod contacts;
mod despike;
mod features;
mod feet;
mod filter;
mod glitch;
mod ground;
mod guide;
mod hinges;
mod hold;
mod joints;
mod kernel;
mod lanes;
mod legs;
mod mix;
mod part;
mod registration;
mod toes;
mod transition;
mod travel;
mod warp;
mod weights;
mod window;

pub use align::{AlignError, AlignKind, AlignReport, Alignment, align};
pub use bands::{Band, EqualizeConfig, EqualizeError, EqualizeReport, Equalized, bands, equalize, num_bands};
pub use blend::{Blend, Blended, blend, build_blend};
pub use blend_config::{
    BlendConfig, BlendError, BlendMethod, BlendReport, BlendedClip, KeptContact, SlideReason, TimeAlign,
};
pub use combine::Method;
pub use despike::{DespikeConfig, DespikeError, DespikeReport, Despiked, DespikedJoint, despike};
pub use filter::{Edge, FilterConfig, FilterError, FilterReport, Filtered, filter, filter_markers};
pub use hinges::keep_hinges;
pub use kernel::{Kernel, KernelError, KernelShape};
pub use part::{Part, PartError};
pub use transition::{Transition, TransitionConfig, TransitionError, TransitionReport, transition};
pub use travel::{TravelReport, Travelled, follow_feet};
pub use weights::{WeightCurve, WeightError, WeightKey};
