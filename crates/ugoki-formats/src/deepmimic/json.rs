//! The JSON of a motion file.

use serde::Deserialize;

use crate::ReadError;
use crate::text::line_of;

/// What the file says; other keys are left out.
#[derive(Debug, Deserialize)]
pub(super) struct Motion {
    /// `wrap` or `none`; its successors write `loop_mode` and numbers.
    #[serde(rename = "Loop", alias = "loop", alias = "loop_mode", default)]
    pub wraps: Option<serde_json::Value>,
    #[serde(rename = "Frames", alias = "frames")]
    pub frames: Vec<Vec<f64>>,
}

/// Parses the text; errors name line and column.
pub(super) fn parse(text: &[u8]) -> Result<Motion, ReadError> {
    serde_json::from_slice(text).map_err(|error| {
        let line = u32::try_from(error.line()).ok().filter(|line| *line > 0);
        ReadError::Malformed {
            line,
            // The message of serde_json ends in line and column.
            message: format!("{error}, expected an object with Frames, each a list of numbers"),
            hint: "look at that line in a text editor; the file may be cut off or of another program",
        }
    })
}

/// Lines of the first `num_frames` frames in a text that was parsed; fewer where they cannot be determined.
pub(super) fn frame_lines(text: &[u8], num_frames: usize) -> Vec<u32> {
    let key = b"\"frames\"";
    let Some(start) = text.windows(key.len()).position(|w| w.eq_ignore_ascii_case(key)) else {
        return Vec::new();
    };
    let mut line = line_of(text, start);
    let mut lines = Vec::with_capacity(num_frames);
    // The first bracket is the list's own.
    let mut brackets = 0;
    for &b in &text[start..] {
        line += u32::from(b == b'\n');
        if b == b'[' {
            brackets += 1;
            if brackets > 1 {
                lines.push(line);
            }
        }
        if lines.len() == num_frames {
            break;
        }
    }
    lines
}
