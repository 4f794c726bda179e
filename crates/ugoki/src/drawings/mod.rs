//! Drawings of results: what the methods return, as the plain data that `ugoki-picture` draws.
//!
//! ```
//! # #[cfg(feature = "sample")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ugoki::picture::{MotionPicture, Picture, draw_motion};
//! use ugoki::prelude::no_progress;
//!
//! let walk = ugoki::sample::clip("walk").ok_or("no such motion")?;
//! let shown = MotionPicture { frames: Some(2), ..MotionPicture::default() };
//! let svg = String::from_utf8(draw_motion(Picture::Svg, &walk, shown, &mut no_progress())?)?;
//! assert!(svg.contains("<svg"));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "sample"))]
//! # fn main() {}
//! ```

#[cfg(feature = "compose")]
mod compose;
#[cfg(feature = "motion")]
mod motion;
#[cfg(feature = "perform")]
mod perform;
#[cfg(feature = "physics")]
mod physics;

use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_feet::contact::{ContactConfig, find_contacts, foot_marks, lowest_ground};
use ugoki_picture::{Forces, Picture, PictureConfig, PictureError, PictureSize, View};

#[cfg(feature = "compose")]
pub use compose::{catalogue_svg, performances_csv, performances_svg, shown_performance};
#[cfg(feature = "motion")]
pub use motion::{handle_plot, segmentation_svg};
#[cfg(feature = "perform")]
pub use perform::learning_svg;
#[cfg(feature = "physics")]
pub use physics::{reaction_forces, reaction_svg};

/// What a picture of a motion shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MotionPicture {
    /// How many poses; by the kind of picture if not given.
    pub frames: Option<usize>,
    /// Size in pixels; by the kind of picture if not given.
    pub size: Option<PictureSize>,
    /// From where it is seen.
    pub view: View,
    /// Forces in every frame of the clip, see [`reaction_forces`].
    pub forces: Option<Forces>,
}

/// Draws a motion on its floor, with the marks of its feet.
///
/// # Errors
/// When the size or the number of poses is impossible, or the caller stops.
pub fn draw_motion(
    kind: Picture,
    clip: &Clip,
    shown: MotionPicture,
    progress: Progress<'_>,
) -> Result<Vec<u8>, PictureError> {
    // Bodies without feet are drawn without marks.
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let marks = contacts.as_ref().map_or_else(Vec::new, |contacts| foot_marks(clip, contacts));
    // The lowest ground that a foot stood on is the floor of the picture; higher ground is drawn as steps on it.
    let floor = contacts.as_ref().map_or(0.0, |contacts| lowest_ground(contacts, &marks));
    let MotionPicture { frames, size, view, forces } = shown;
    let title = forces.as_ref().map(|forces| {
        let target = if forces.target.is_some() { ": target grey, result white" } else { "" };
        format!("{}{target}, arrows up to {:.0} m/s/s", clip.name, forces.longest_m_s2())
    });
    let (width, height) = size.map_or((0, 0), |size| (size.width, size.height));
    let config = PictureConfig { frames, width, height, view, marks, floor, title, forces };
    kind.draw(clip, &config, progress)
}
