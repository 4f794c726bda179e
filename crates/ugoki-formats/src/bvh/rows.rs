//! A BVH that arrives line by line: hierarchy and header once, then one row of numbers per frame.
//!
//! `Frames` may be any number, as it is not known in advance; `Frame Time` is the time between rows.

use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;

use crate::{Gap, ReadError, ReadOptions};

/// Longest text before the rows, bytes: no skeleton needs more.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// Reads the rows of a BVH one by one, each as a clip of one frame.
#[derive(Debug, Clone)]
pub struct RowReader {
    header: Vec<u8>,
    options: ReadOptions,
    has_header: bool,
    num_refused: u32,
}

/// One row of a BVH.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// A clip of one frame.
    pub clip: Clip,
    /// Joints without numbers in it.
    pub gaps: Vec<Gap>,
}

impl Row {
    /// Whether the row says how a joint is turned against the one above it: joints without roles between the two count too.
    #[must_use]
    pub fn has(&self, role: Role) -> bool {
        let skeleton = self.clip.skeleton();
        let mut at = skeleton.find(role);
        while let Some(joint) = at {
            if self.gaps.iter().any(|gap| gap.joint == joint) {
                return false;
            }
            at = skeleton.parent(joint).filter(|&parent| skeleton.joint(parent).role.is_none());
        }
        true
    }
}

impl RowReader {
    /// A reader at the start of a text.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        Self { header: Vec::new(), options, has_header: false, num_refused: 0 }
    }

    /// Takes the next line; returns the row that it is, if it is one.
    ///
    /// # Errors
    /// When the header is malformed or longer than a megabyte.
    pub fn line(&mut self, line: &[u8]) -> Result<Option<Row>, ReadError> {
        if !self.has_header {
            if self.header.len() + line.len() > MAX_HEADER_BYTES {
                return Err(ReadError::NoFrameTime);
            }
            self.header.extend_from_slice(line);
            let words = line.trim_ascii_start();
            self.has_header = words.len() >= 10 && words[..10].eq_ignore_ascii_case(b"Frame Time");
            return Ok(None);
        }
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let text = [self.header.as_slice(), line].concat();
        let read = crate::read(&text, Some("bvh"), &self.options)?;
        // Axes and unit that the first row shows hold for all.
        self.options.up = Some(read.up);
        self.options.unit_metres = Some(read.unit_metres);
        self.num_refused += u32::from(read.clip.num_frames() == 0);
        Ok((read.clip.num_frames() > 0).then_some(Row { clip: read.clip, gaps: read.marks.gaps }))
    }

    /// Whether hierarchy and header are complete.
    #[must_use]
    pub fn has_header(&self) -> bool {
        self.has_header
    }

    /// Lines after the header that are not frames: too few numbers, or words.
    #[must_use]
    pub fn num_refused(&self) -> u32 {
        self.num_refused
    }
}

#[cfg(test)]
mod tests {
    use ugoki_base::no_progress;

    use super::*;
    use crate::Format;

    #[test]
    fn bones_without_numbers_in_a_row_are_not_read() {
        let clip = ugoki_sample::clip("front-kick").unwrap();
        let written = crate::write(&clip, Format::Bvh, &Default::default(), &mut no_progress());
        let text = String::from_utf8(written.unwrap().bytes).unwrap();
        let mut rows = RowReader::new(ReadOptions::default());
        let mut lines = text.lines().map(|line| format!("{line}\n"));
        while !rows.has_header() {
            assert!(rows.line(lines.next().expect("a header").as_bytes()).unwrap().is_none());
        }
        // Six columns of the hips, then three of every joint in the skeleton's order.
        let row = lines.next().expect("a row");
        let (skeleton, lost) = (clip.skeleton(), Role::RightLowerLeg);
        let column = 3 + 3 * skeleton.find(lost).expect("a knee");
        let word = |(at, word): (usize, &str)| if at == column { "nan".to_owned() } else { word.to_owned() };
        let broken = row.split_whitespace().enumerate().map(word).collect::<Vec<_>>().join(" ");
        let row = rows.line(broken.as_bytes()).unwrap().expect("a frame");
        for joint in row.clip.skeleton().joints() {
            let Some(role) = joint.role else { continue };
            assert_eq!(row.has(role), role != lost, "{role}");
        }
    }
}
