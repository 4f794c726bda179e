//! The words of [`Reading`].

use ugoki::clip::{OffsetMode, UpAxis};
use ugoki::formats::{Reading, Tpose};

use crate::Arguments;

/// The words that say the same.
#[must_use]
pub fn reading_arguments(reading: &Reading, arguments: Arguments) -> Arguments {
    let offset = reading.offset.map(|mode| match mode {
        OffsetMode::Replace => "replace",
        OffsetMode::Add => "add",
    });
    let up = reading.source_up.map(up_name);
    let tpose = (reading.tpose == Tpose::Drop).then_some("drop");
    arguments
        .option("offset", offset)
        .option("source-up", up)
        .option("source-unit", reading.source_unit)
        .option("source-fps", reading.source_fps)
        .option("take", reading.take.as_ref())
        .option("asf", reading.asf.as_ref())
        .option("markers", reading.markers.as_ref())
        .option("tpose", tpose)
}

/// `y` or `z`.
#[must_use]
pub fn up_name(up: UpAxis) -> &'static str {
    match up {
        UpAxis::Y => "y",
        UpAxis::Z => "z",
    }
}
