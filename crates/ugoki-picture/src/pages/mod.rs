//! Pages for a browser, each one file that loads nothing from elsewhere.

mod examples;
mod performances;

pub use examples::{Example, GalleryMotion, examples_html};
pub use performances::{ClipLane, LaneClip, PerformancePage, ShownPerformance};
