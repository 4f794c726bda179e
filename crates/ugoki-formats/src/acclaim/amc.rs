//! The motion file: a frame's number on a line of its own, then one line of values per bone.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use super::lines::{Line, Number, lines, name, number};
use super::tree::AsfJoint;
use crate::error::excerpt;
use crate::{Findings, ReadError, Severity};

/// Fraction of the words for numbers that may be none; beyond it, and beyond [`FEW_BAD`], the file is refused.
const BAD_FRACTION: f64 = 0.01;

/// Words that may be no numbers in any file.
const FEW_BAD: usize = 8;

/// Rates no camera has.
const LIKELY_FPS: std::ops::RangeInclusive<f64> = 1.0..=2000.0;

/// The motion as written.
#[derive(Debug)]
pub(super) struct Amc {
    /// One row per frame, one value per degree of freedom of the joints, in their order.
    pub values: Vec<f64>,
    /// Line of each frame's number.
    pub lines: Vec<u32>,
    /// Radians per unit of angle, where the file says it.
    pub radians: Option<f64>,
    /// Frames per second, where the file says it.
    pub fps: Option<f64>,
}

/// Where a joint's values stand in a row.
pub(super) fn first_columns(joints: &[AsfJoint]) -> (Vec<usize>, usize) {
    let mut width = 0;
    let mut columns = Vec::with_capacity(joints.len());
    for joint in joints {
        columns.push(width);
        width += joint.dofs.len();
    }
    (columns, width)
}

/// Reads the text of a motion file; its rows may take `max_bytes`.
pub(super) fn parse(
    text: &[u8],
    joints: &[AsfJoint],
    max_bytes: usize,
    findings: &mut Findings,
) -> Result<Amc, ReadError> {
    let (columns, width) = first_columns(joints);
    let by_name =
        joints.iter().enumerate().rev().map(|(index, joint)| (joint.name.as_bytes(), index)).collect();
    let amc = Amc { values: Vec::new(), lines: Vec::new(), radians: None, fps: None };
    let row_bytes = (8 * width).max(16 * joints.len());
    let mut reader = Reader {
        amc,
        findings,
        joints,
        columns,
        width,
        by_name,
        order: Vec::new(),
        place: 0,
        given: vec![false; joints.len()],
        max_frames: max_bytes / row_bytes.max(1),
        last_number: None,
        num_words: 0,
        bad: None,
    };
    for line in lines(text) {
        reader.line(line)?;
    }
    reader.end_frame();
    reader.finish()
}

struct Reader<'a, 'f> {
    amc: Amc,
    findings: &'f mut Findings,
    joints: &'a [AsfJoint],
    columns: Vec<usize>,
    width: usize,
    by_name: BTreeMap<&'a [u8], usize>,
    /// Joints in the order in which the file names them, learnt as it is read.
    order: Vec<usize>,
    /// Where in `order` the frame is.
    place: usize,
    /// Which joints this frame gave values for.
    given: Vec<bool>,
    max_frames: usize,
    last_number: Option<f64>,
    num_words: usize,
    /// Line, column and text of the first word that is no number, and how many there are.
    bad: Option<(u32, u32, String, usize)>,
}

impl Reader<'_, '_> {
    fn line(&mut self, line: Line<'_>) -> Result<(), ReadError> {
        let mut words = line.words();
        let Some(first) = words.next() else { return Ok(()) };
        if first[0] == b':' {
            self.header(line, &first[1..]);
            return Ok(());
        }
        if words.next().is_none()
            && let Number::Is(frame) = number(first)
        {
            return self.frame(line, frame);
        }
        if self.amc.lines.is_empty() {
            let message = format!("{} stands before the first frame", excerpt(first));
            self.findings.note(Severity::Warning, Some(line.number), "stray-text", message, "left out");
            return Ok(());
        }
        self.bone(line, first)
    }

    fn header(&mut self, line: Line<'_>, word: &[u8]) {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        if is("degrees") {
            self.amc.radians = Some(PI / 180.0);
        } else if is("radians") {
            self.amc.radians = Some(1.0);
        } else if is("samples-per-second") {
            let value = line.words().nth(1).unwrap_or_default();
            match number(value) {
                Number::Is(fps) if LIKELY_FPS.contains(&fps) => self.amc.fps = Some(fps),
                _ => {
                    let message = format!("the rate is {}, expected 1 to 2000", excerpt(value));
                    let place = Some(line.number);
                    self.findings.note(Severity::Warning, place, "rate-bad", message, "left out");
                }
            }
        } else if !is("fully-specified") {
            let message = format!("header {}", excerpt(word));
            self.findings.note(Severity::Info, Some(line.number), "header-unknown", message, "left out");
        }
    }

    fn frame(&mut self, line: Line<'_>, frame: f64) -> Result<(), ReadError> {
        self.end_frame();
        if self.amc.lines.len() >= self.max_frames {
            let (joints, frames) = (self.joints.len(), self.amc.lines.len());
            let message = format!(
                "{joints} joints in {frames} frames and more take too much memory for a file of this size"
            );
            let hint = "frames without values may be many; compare with a file that works";
            return Err(ReadError::MalformedLine { line: line.number, message, hint });
        }
        if let Some(last) = self.last_number
            && frame != last + 1.0
        {
            let message = format!("frame {frame} follows frame {last}");
            let assumed = "frames in file order, at one rate";
            self.findings.note(Severity::Warning, Some(line.number), "frame-numbers", message, assumed);
        }
        self.last_number = Some(frame);
        // What a frame does not say stays as it was.
        let before = self.amc.values.len().checked_sub(self.width);
        match before {
            Some(before) => self.amc.values.extend_from_within(before..),
            None => self.amc.values.resize(self.width, 0.0),
        }
        self.amc.lines.push(line.number);
        self.given.fill(false);
        self.place = 0;
        Ok(())
    }

    fn bone(&mut self, line: Line<'_>, first: &[u8]) -> Result<(), ReadError> {
        let Some(joint) = self.find(first) else {
            let message = format!("{:?} is no bone of the skeleton", name(first));
            self.findings.note(Severity::Error, Some(line.number), "bone-unknown", message, "left out");
            return Ok(());
        };
        if std::mem::replace(&mut self.given[joint], true) {
            let message = format!("bone {:?} stands twice in one frame", self.joints[joint].name);
            self.findings.note(
                Severity::Warning,
                Some(line.number),
                "bone-twice",
                message,
                "the last counts",
            );
        }
        let row = self.amc.values.len() - self.width;
        let wanted = self.joints[joint].dofs.len();
        let mut count = 0;
        for word in line.words().skip(1) {
            if count < wanted {
                let value = self.value(line, word);
                if let Some(value) = value {
                    self.amc.values[row + self.columns[joint] + count] = value;
                }
            }
            count += 1;
        }
        if count != wanted {
            let (code, assumed) = if count < wanted {
                ("row-short", "the missing values stay as they were")
            } else {
                ("row-long", "the rest is left out")
            };
            let message = format!("bone {:?} has {count} values, its dof {wanted}", self.joints[joint].name);
            self.findings.note(Severity::Error, Some(line.number), code, message, assumed);
        }
        match &self.bad {
            Some((.., bad))
                if *bad > FEW_BAD && *bad as f64 > BAD_FRACTION * self.num_words as f64 + 1000.0 =>
            {
                Err(self.not_numbers())
            }
            _ => Ok(()),
        }
    }

    /// The joint of this name, first the one that followed in the frame before.
    fn find(&mut self, word: &[u8]) -> Option<usize> {
        let expected = self.order.get(self.place).copied();
        let joint = match expected.filter(|&joint| self.joints[joint].name.as_bytes() == word) {
            Some(joint) => joint,
            None => *self.by_name.get(word)?,
        };
        if expected.is_none() && self.order.len() < self.joints.len() {
            self.order.push(joint);
        }
        self.place += 1;
        Some(joint)
    }

    fn value(&mut self, line: Line<'_>, word: &[u8]) -> Option<f64> {
        self.num_words += 1;
        let (code, what) = match number(word) {
            Number::Is(value) => return Some(value),
            Number::Beyond => ("not-finite", "is not finite or beyond 1e12"),
            Number::No => {
                let column = line.column(word);
                let bad = self.bad.get_or_insert_with(|| (line.number, column, excerpt(word), 0));
                bad.3 += 1;
                ("number-bad", "is no number")
            }
        };
        let message = format!("column {}: {} {what}", line.column(word), excerpt(word));
        let assumed = "the value of the frame before";
        self.findings.note(Severity::Error, Some(line.number), code, message, assumed);
        None
    }

    /// Reports joints with degrees of freedom that the frame did not give.
    fn end_frame(&mut self) {
        let Some(&line) = self.amc.lines.last() else { return };
        let first_frame = self.amc.lines.len() == 1;
        let missing = (0..self.joints.len()).find(|&j| !self.given[j] && !self.joints[j].dofs.is_empty());
        if let Some(joint) = missing {
            let count =
                (0..self.joints.len()).filter(|&j| !self.given[j] && !self.joints[j].dofs.is_empty()).count();
            let message =
                format!("{count} of the skeleton's bones are missing, first {:?}", self.joints[joint].name);
            let assumed = if first_frame { "at rest" } else { "as in the frame before" };
            self.findings.note(Severity::Warning, Some(line), "bones-missing", message, assumed);
        }
    }

    fn not_numbers(&self) -> ReadError {
        let (line, column, found, count) = self.bad.clone().unwrap_or((0, 0, String::new(), 1));
        ReadError::NotNumbers { line, column, found, count: count - 1 }
    }

    fn finish(self) -> Result<Amc, ReadError> {
        match &self.bad {
            Some((.., bad)) if *bad > FEW_BAD && *bad as f64 > BAD_FRACTION * self.num_words as f64 => {
                Err(self.not_numbers())
            }
            _ if self.amc.lines.is_empty() => Err(ReadError::Malformed {
                line: None,
                message: "no frame, expected a line with the number 1 and values of bones after it"
                    .to_owned(),
                hint: "the file may be cut off or no AMC; open it in a text editor",
            }),
            _ => Ok(self.amc),
        }
    }
}
