//! The user's own names of markers, read once for all files of an import.

use std::fs;

use ugoki_base::markers::LabelMap;
use ugoki_files::system_message;
use ugoki_formats::{Reading, parse_label_map};

use crate::Error;

/// The label map that the user named.
pub(super) fn label_map(reading: &Reading) -> Result<Option<LabelMap>, Error> {
    let (Some(file), Some(text)) = (&reading.markers, label_text(reading)?) else { return Ok(None) };
    let map = parse_label_map(&text);
    map.map(Some).map_err(|error| Error::Labels { file: file.clone(), detail: error.to_string() })
}

/// The files that the user named for reading must be there, also when no file of this import needs them.
pub(super) fn check_named(reading: &Reading) -> Result<(), Error> {
    let Some(file) = &reading.asf else { return Ok(()) };
    fs::File::open(file)
        .map(drop)
        .map_err(|error| Error::SkeletonFile { file: file.clone(), detail: system_message(&error) })
}

/// The text of that map.
pub(super) fn label_text(reading: &Reading) -> Result<Option<String>, Error> {
    let Some(file) = &reading.markers else { return Ok(None) };
    let text = fs::read_to_string(file);
    text.map(Some).map_err(|error| Error::Labels { file: file.clone(), detail: system_message(&error) })
}
