//! A drawing is a list of items, back to front; the raster and the SVG writer both draw it.

use glam::Vec2;

use super::camera::Camera;
use super::solid::Solid;

/// A colour (sRGB) and how much it covers, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ink {
    pub(super) rgb: [u8; 3],
    pub(super) alpha: f32,
}

impl Ink {
    pub(super) const fn new(rgb: [u8; 3], alpha: f32) -> Self {
        Self { rgb, alpha }
    }
}

/// Paper: a warm white that is quiet on light and dark pages.
pub(super) const PAPER: [u8; 3] = [252, 252, 250];
/// Titles.
pub(super) const TEXT: [u8; 3] = [38, 42, 48];
/// Labels of lesser weight.
pub(super) const FAINT_TEXT: [u8; 3] = [112, 118, 126];
/// Grid lines and separators, drawn with low alpha.
pub(super) const RULE: [u8; 3] = [120, 128, 138];
/// Shadows.
pub(super) const SHADE: [u8; 3] = [40, 44, 56];

/// Where a text's point lies along its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    End,
}

/// One thing on the paper; pixels, y downwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    /// Line through the points with round ends.
    Line { points: Vec<Vec2>, width: f32, ink: Ink },
    /// Separate lines of one look.
    Segments { list: Vec<[Vec2; 2]>, width: f32, ink: Ink },
    /// Filled polygon.
    Fill { points: Vec<Vec2>, ink: Ink },
    /// A spot that fades to nothing at its rim.
    Soft { centre: Vec2, radii: Vec2, ink: Ink },
    /// One line of text, `at` on its baseline; `size` is the height of capitals.
    Text { at: Vec2, size: f32, anchor: Anchor, bold: bool, text: String, ink: Ink },
    /// Lit solids seen by a camera, nearer ones in front.
    Body { camera: Camera, solids: Vec<Solid> },
}

/// Items on paper of a size in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawing {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) items: Vec<Item>,
}

/// A label in the usual ink.
pub(super) fn label(at: Vec2, size: f32, anchor: Anchor, text: impl Into<String>, rgb: [u8; 3]) -> Item {
    Item::Text { at, size, anchor, bold: false, text: text.into(), ink: Ink::new(rgb, 1.0) }
}
