//! A body for any skeleton: rounded cones bound to its joints, drawn by pictures and written as a mesh by `formats`.

mod figure;
mod human;
mod part;
mod rest_parts;

pub use figure::Figure;
pub use part::{Flat, Part, Place};
pub use rest_parts::{MannequinPart, mannequin};
