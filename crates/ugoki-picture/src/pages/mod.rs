//! Pages for a browser, each one file that loads nothing from elsewhere.

mod clip;
mod examples;
mod figure;
mod performances;

pub use clip::clip_frame_html;
pub use examples::{Example, GalleryMotion, examples_html};
pub use performances::{ClipLane, LaneClip, PerformancePage, ShownPerformance};
