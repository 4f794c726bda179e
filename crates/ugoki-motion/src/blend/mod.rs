//! Blending motions: time alignment, N-way blending, transitions, and feet that stay where they stand.
//!
//! The weighted combination of rotations is `ugoki_base::signal`'s. `docs/methods/signal.md` has the maths.
//!
//! ```text
//! blend       align, clock (time) → ground (place) → mix (lanes), follow (over time) → contacts, feet, guide, hold, legs (feet that stay)
//! transition  the same mean over a window
//! travel      steps and way agree after an edit of the body
//! filtered_feet  feet of a filtered motion stand where they stood
//! ```

mod align;
mod blend_config;
mod clock;
mod contacts;
mod features;
mod feet;
mod filtered_feet;
mod follow;
mod ground;
mod guide;
mod interpolation;
mod mix;
mod registration;
mod smoothing;
mod toes;
mod transition;
mod travel;
mod warp;

pub use align::{AlignError, AlignKind, AlignReport, Alignment, align};
pub use blend_config::{
    BlendConfig, BlendError, BlendMethod, BlendReport, BlendedClip, KeptContact, SlideReason, TimeAlign,
};
pub use filtered_feet::{FilteredFeet, hold_filtered_feet};
pub use interpolation::{Blend, Blended, blend, build_blend};
pub use transition::{Transition, TransitionConfig, TransitionError, TransitionReport, transition};
pub use travel::{TravelReport, Travelled, equalize_body, equalize_free, follow_feet};
