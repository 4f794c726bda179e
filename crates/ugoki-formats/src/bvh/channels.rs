//! A file's own numbers: the tree and the table, before any meaning is given to them.

use std::ops::Range;

use ugoki_base::clip::{ChannelKind, SourceChannel};

use super::hierarchy::{self, ChannelJoint};
use super::normalise::normalise;
use super::{motion, structure};
use crate::text::Cursor;
use crate::{Finding, Findings, Gap, ReadError, Severity, rate};

/// A BVH file parsed to channels: file units, degrees, file axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Channels {
    /// The joints, parents before children.
    pub joints: Vec<ChannelJoint>,
    /// The columns of the table, in file order.
    pub columns: Vec<SourceChannel>,
    /// All numbers, row after row.
    pub values: Vec<f64>,
    /// How many rows there are.
    pub num_frames: usize,
    /// `Frame Time` in seconds as written; 1/30 when it is missing or impossible.
    pub frame_time: f64,
    /// Frames per second, rounded to a usual rate where the frame time is one rounded.
    pub fps: f64,
    /// What was odd.
    pub findings: Vec<Finding>,
}

/// Reads the tree and the table of a BVH file and stops there.
///
/// # Errors
/// When there is no tree, or the table is not numbers.
pub fn read_channels(bytes: &[u8]) -> Result<Channels, ReadError> {
    let mut findings = Findings::default();
    let parsed = parse(bytes, &mut findings)?;
    let num_frames = parsed.num_frames();
    let Parsed { joints, columns, values, frame_time, fps, .. } = parsed;
    Ok(Channels { joints, columns, values, num_frames, frame_time, fps, findings: findings.finish() })
}

/// [`Channels`] and where its rows stand, for findings to come.
pub(super) struct Parsed {
    pub joints: Vec<ChannelJoint>,
    pub columns: Vec<SourceChannel>,
    pub values: Vec<f64>,
    pub frame_time: f64,
    pub fps: f64,
    /// Line of the first row, when every row has a line of its own.
    pub first_row_line: Option<u32>,
    /// Where it is not known how a joint is turned.
    pub gaps: Vec<Gap>,
}

impl Parsed {
    pub(super) fn num_frames(&self) -> usize {
        self.values.len().checked_div(self.columns.len()).unwrap_or(0)
    }

    /// Line of a row, where known.
    pub(super) fn row_line(&self, row: usize) -> Option<u32> {
        self.first_row_line?.checked_add(u32::try_from(row).ok()?)
    }
}

pub(super) fn parse(bytes: &[u8], findings: &mut Findings) -> Result<Parsed, ReadError> {
    let text = normalise(bytes, findings);
    structure::report_text(&text, findings);
    let mut cursor = Cursor::new(&text);
    let mut tree = hierarchy::read(&mut cursor, findings)?;
    structure::report_tree(&mut tree, findings)?;
    if !tree.motion {
        let assumed = "a skeleton without frames";
        findings.note(Severity::Error, None, "no-motion", "the file has no MOTION part", assumed);
        let (frame_time, fps) = rate::choose(None, findings);
        let columns = tree.columns.into_iter().flatten().collect();
        let joints = tree.joints;
        let (values, gaps) = (Vec::new(), Vec::new());
        return Ok(Parsed { joints, columns, values, frame_time, fps, first_row_line: None, gaps });
    }
    let table = motion::read(&mut cursor, tree.columns.len(), findings)?;
    let (frame_time, fps) = rate::choose(table.frame_time, findings);
    let irregular = ["row-split", "rows-joined", "blank-rows", "stray-text", "row-short"];
    let regular = irregular.iter().all(|code| findings.count(code) == 0);
    let values = drop_unknown(table.values, &tree.columns);
    let gaps = gaps(&table.unread, &tree.columns);
    let parsed = Parsed {
        joints: tree.joints,
        columns: tree.columns.into_iter().flatten().collect(),
        values,
        frame_time,
        fps,
        first_row_line: table.first_line.filter(|_| regular),
        gaps,
    };
    if parsed.columns.is_empty() {
        let assumed = "a skeleton without frames";
        findings.note(Severity::Error, None, "no-channels", "no joint has channels", assumed);
    } else if parsed.num_frames() == 0 {
        findings.note(Severity::Error, None, "no-frames", "the motion has no frames", "a skeleton alone");
    }
    Ok(parsed)
}

/// Joints whose turning, or place on the joint above, has no numbers. Where the body stands is another matter.
fn gaps(unread: &[(usize, Range<usize>)], columns: &[Option<SourceChannel>]) -> Vec<Gap> {
    let gap = |(column, frames): &(usize, Range<usize>)| {
        let channel = columns[*column]?;
        let stands = channel.joint == 0 && matches!(channel.kind, ChannelKind::Position(_));
        (!stands).then(|| Gap { joint: channel.joint, frames: frames.clone() })
    };
    let mut gaps: Vec<Gap> = unread.iter().filter_map(gap).collect();
    gaps.sort_by_key(|gap| (gap.joint, gap.frames.start, gap.frames.end));
    gaps.dedup();
    gaps
}

/// Removes columns of unknown channels from the table.
fn drop_unknown(mut values: Vec<f64>, columns: &[Option<SourceChannel>]) -> Vec<f64> {
    if columns.iter().all(Option::is_some) {
        return values;
    }
    let mut index = 0;
    values.retain(|_| {
        let keep = columns[index].is_some();
        index = (index + 1) % columns.len();
        keep
    });
    values
}
