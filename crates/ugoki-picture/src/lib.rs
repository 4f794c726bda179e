//! Pictures of motion: contact sheets, animations, drawings, plots and pages, as bytes and text.
//!
//! ```text
//! Clip ─stage→ body heights ─figure→ solids ─sheet, film→ Drawing ─canvas, raster→ RGBA ─png, gif→ bytes
//!                                                            └────svg→ text
//! ```
//!
//! A `stage` measures the clip: body size, facing, path; from there on lengths are body heights above
//! the ground. A `figure` turns joints into rounded cones: a human where roles are known, thin capsules
//! elsewhere. `sheet` and `film` lay out a `Drawing`, a list of items that both the pixel and the SVG
//! writers draw. Everything is a pure function: the same clip gives the same bytes.
//!
//! Left is blue and right is orange everywhere, the trunk is grey. Time labels count from the clip's
//! first row; an added T-pose is not shown.

mod camera;
mod canvas;
mod config;
mod drawing;
mod figure;
mod film;
mod font;
mod force_frame;
mod forces;
mod gif;
mod ground;
mod handles;
mod kind;
mod network;
mod pages;
mod palette;
mod platform;
mod plot;
mod png;
mod raster;
mod sequence_chart;
mod sheet;
mod size;
mod solid;
mod stage;
mod svg;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod xml;

pub use canvas::Rgba;
pub use config::{PictureConfig, PictureError, View};
pub use film::frame_rgba;
pub use force_frame::{ForceFrame, Forces};
pub use gif::{animation_gif, side_by_side_gif};
pub use handles::{HandlePlot, handle_plots_svg};
pub use kind::Picture;
pub use network::{NetworkPanel, networks_svg};
pub use pages::{
    ClipLane, Example, GalleryMotion, LaneClip, PerformancePage, ShownPerformance, clip_frame_html,
    examples_html,
};
pub use plot::{Curve, Plot, PlotMark, plot_svg, stacked_plots_svg};
pub use png::contact_sheet_png;
pub use sequence_chart::sequences_svg;
pub use size::PictureSize;
pub use svg::{drawing_svg, escaped};
pub use ugoki_base::contact_labels::FootMark;
