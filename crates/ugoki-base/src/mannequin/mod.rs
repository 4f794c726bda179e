//! A body for any skeleton: rounded cones bound to its joints, drawn by pictures and written as a mesh by `formats`.

mod figure;
mod human;
mod rest_parts;

pub use figure::{Figure, Flat, Part, Place};
pub use rest_parts::{MannequinPart, mannequin};
