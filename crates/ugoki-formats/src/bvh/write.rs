//! A clip to BVH: the source's own numbers wherever the pose is still theirs.
//!
//! For every frame and joint the source's row is turned into a pose by the reader's own code and compared.
//! Where they agree the row's numbers are written; elsewhere the rotation is solved for the joint's
//! order on the Euler branch nearest to what was written in the frame before, so that edits bring no jumps.

use std::borrow::Cow;
use std::sync::Arc;
use ugoki_base::no_progress;

use glam::Vec3;
use ugoki_base::clip::{ChannelKind, Clip, OffsetMode, RotationTracks, Source};
use ugoki_base::{Cancelled, Progress, report};

use super::layout::{JointLayout, layouts};
use super::poses::{Columns, Conventions, SAME_POSITION};
use super::print::{length_in_units, push_number, push_rounded};
use crate::{Findings, Format, Severity, WriteOptions, Written, axes, counted, faces, rate};

/// Largest difference of a quaternion's component, up to sign, at which a pose is still its source's:
/// four units in the last place of 1 in f32.
const SAME_ROTATION: f32 = 5e-7;

/// Largest difference of a root position, relative to its length or to 1 m, at which it is its source's.
const SAME_PATH: f32 = 5e-7;

/// Angle, radians, of a missing channel below which a rotation needs no such channel: 6e-4 degrees.
const NO_ANGLE: f64 = 1e-5;

/// Step, degrees, between written frames that is taken for a jump; no joint turns so far in a frame.
const JUMP_DEGREES: f64 = 120.0;

/// Decimals of angles that are computed: a millionth of a degree is below what f32 rotations hold.
const ANGLE_DECIMALS: f64 = 1e6;

/// Rows between two checks for cancellation: about ten milliseconds of work.
const REPORT_FRAMES: usize = 256;

/// Bytes reserved before writing at most; longer files grow.
const MAX_RESERVED: usize = 256 << 20;

/// Writes `clip` as BVH.
#[must_use]
pub fn write(clip: &Clip, options: &WriteOptions) -> Written {
    match write_with(clip, options, &mut no_progress()) {
        Ok(written) => written,
        Err(cancelled) => unreachable!("{cancelled}"),
    }
}

/// [`write()`] for clips that take long.
///
/// # Errors
/// When the caller asks to stop.
pub fn write_with(clip: &Clip, options: &WriteOptions, progress: Progress<'_>) -> Result<Written, Cancelled> {
    report(progress, 0.0)?;
    let mut findings = Findings::default();
    let body = faces::left_out(clip, &mut findings);
    let motion = without_unknown_t_pose(&body, &mut findings);
    let clip = &*motion;
    let writer = Writer::new(clip, options, &mut findings);
    let order = depth_first(clip);
    let size = 256 * clip.num_joints() + 9 * clip.num_frames() * writer.num_columns();
    let mut out = Vec::with_capacity(size.min(MAX_RESERVED));
    writer.hierarchy(&order, &mut out, &mut findings);
    writer.motion(&order, &mut out, progress)?;
    Ok(Written { bytes: out, findings: findings.finish() })
}

/// A BVH file cannot say that its first row is no motion: readers know an added T-pose by its looks. One that they
/// would not know again, as on a rig whose rest pose is no body, is left out.
fn without_unknown_t_pose<'a>(clip: &'a Clip, findings: &mut Findings) -> Cow<'a, Clip> {
    if !clip.tpose_frame || clip.num_frames() < 2 || clip.starts_with_reference_frame() {
        return Cow::Borrowed(clip);
    }
    let Ok(mut motion) = clip.trimmed(clip.motion_frames()) else { return Cow::Borrowed(clip) };
    motion.tpose_frame = false;
    let message = "the T-pose in front is left out: on this skeleton no reader would know it from the motion";
    findings.info(None, crate::T_POSE_LEFT_OUT, message);
    Cow::Owned(motion)
}

/// Joints in the order a file needs: each right after its parent or an elder sibling's last descendant.
fn depth_first(clip: &Clip) -> Vec<usize> {
    let skeleton = clip.skeleton();
    let mut stack: Vec<usize> =
        (0..skeleton.num_joints()).filter(|&j| skeleton.parent(j).is_none()).rev().collect();
    let mut order = Vec::with_capacity(skeleton.num_joints());
    while let Some(joint) = stack.pop() {
        order.push(joint);
        stack.extend(skeleton.children(joint).iter().rev());
    }
    order
}

/// What the source's rows give, to compare with.
struct FromSource<'a> {
    source: &'a Source,
    columns: Columns,
    means: Conventions,
    rotations: RotationTracks,
    /// Frames of the clip that have a row.
    num_frames: usize,
}

struct Writer<'a> {
    clip: &'a Clip,
    source: Option<FromSource<'a>>,
    means: Conventions,
    digits: Option<usize>,
    layouts: Vec<JointLayout>,
    /// Whether the source's angles hold in the written axes.
    same_up: bool,
}

impl<'a> Writer<'a> {
    fn new(clip: &'a Clip, options: &WriteOptions, findings: &mut Findings) -> Self {
        let source = clip.source().map(Arc::as_ref).filter(|s| fits(s, clip));
        let unit = options.unit_metres.filter(|unit| unit.is_finite() && *unit > 0.0);
        let means = Conventions {
            unit_metres: unit.or(source.map(|s| s.unit_metres)).unwrap_or(Format::Bvh.usual_unit_metres()),
            up: options.up.or(source.map(|s| s.up)).unwrap_or_default(),
            offset: source.map_or(OffsetMode::Replace, |s| s.offset),
        };
        let layouts = layouts(clip, source);
        let same_up = source.is_some_and(|s| s.up == means.up);
        let source = source.map(|source| {
            // The rows lie one after another: those of this clip's frames, as far as the source has them.
            let width = source.channels.len();
            let first = clip.first_row().saturating_mul(width).min(source.values.len());
            let have = (source.values.len() - first).checked_div(width).unwrap_or(0);
            let num_frames = have.min(clip.num_frames());
            let rows = &source.values[first..first + num_frames * width];
            let columns = Columns::new(clip.num_joints(), &source.channels);
            let means = Conventions { unit_metres: source.unit_metres, up: source.up, offset: source.offset };
            let rotations = columns.rotations(rows, source.up);
            // Without channels there are no rows to compare with.
            let num_frames = if source.channels.is_empty() { 0 } else { num_frames };
            FromSource { source, columns, means, rotations, num_frames }
        });
        let digits = options.digits.map(usize::from);
        let mut writer = Self { clip, source, means, digits, layouts, same_up };
        writer.complete(findings);
        writer
    }

    fn num_columns(&self) -> usize {
        self.layouts.iter().map(|layout| layout.channels.len()).sum()
    }

    /// Adds the channels without which the clip's poses cannot be said.
    fn complete(&mut self, findings: &mut Findings) {
        let mut added: Vec<&str> = Vec::new();
        for joint in 0..self.clip.num_joints() {
            let turn = self.lacks_rotations(joint);
            let shift = self.lacks_positions(joint);
            if turn {
                self.layouts[joint].complete_rotations();
            }
            if shift {
                self.layouts[joint].complete_positions();
            }
            if turn || shift {
                added.push(&self.clip.skeleton().joint(joint).name);
            }
        }
        if let Some(first) = added.first() {
            let message = format!(
                "{} cannot say, first {first:?}; channels were added",
                counted(
                    added.len(),
                    "joint moves in ways its channels",
                    "joints move in ways their channels"
                )
            );
            findings.info(None, "channels-added", message);
        }
    }

    fn lacks_rotations(&self, joint: usize) -> bool {
        let layout = &self.layouts[joint];
        if layout.solvable() && layout.num_rotations == 3 {
            return false;
        }
        (0..self.clip.num_frames()).any(|frame| {
            if self.same_up && self.same_rotation(joint, frame) {
                return false;
            }
            let q = axes::rotation_to_file(self.clip.rotation(joint, frame), self.means.up);
            if !layout.solvable() {
                return true;
            }
            let angles = layout.order.angles_near(q.as_dquat(), [0.0; 3]).unwrap_or_default();
            angles[layout.num_rotations..].iter().any(|angle| angle.abs() > NO_ANGLE)
        })
    }

    fn lacks_positions(&self, joint: usize) -> bool {
        let has = |axis: u8| {
            self.layouts[joint].channels.iter().any(|(kind, _)| *kind == ChannelKind::Position(axis))
        };
        if (0..3).all(has) {
            return false;
        }
        let rest = axes::to_file(self.clip.skeleton().joint(joint).offset, self.means.up).to_array();
        (0..self.clip.num_frames()).any(|frame| {
            let p = axes::to_file(self.clip.local_position(joint, frame), self.means.up).to_array();
            (0..3).any(|axis| !has(axis as u8) && (p[axis] - rest[axis]).abs() > SAME_POSITION)
        })
    }

    /// Whether the clip's rotation is the one its source row gives.
    fn same_rotation(&self, joint: usize, frame: usize) -> bool {
        let Some(from) = self.source.as_ref().filter(|from| frame < from.num_frames) else { return false };
        let a = self.clip.rotation(joint, frame).to_array();
        let b = from.rotations.get(joint, frame).to_array();
        let near = |sign: f32| (0..4).all(|i| (a[i] - sign * b[i]).abs() <= SAME_ROTATION);
        near(1.0) || near(-1.0)
    }

    /// Whether the clip's position is the one its source row gives.
    fn same_position(&self, joint: usize, frame: usize) -> bool {
        let Some(from) = self.source.as_ref().filter(|from| frame < from.num_frames) else { return false };
        let Some(row) = self.clip.source_row(frame) else { return false };
        let rest = self.clip.skeleton().joint(joint).offset;
        let expected = from.columns.position(row, joint, rest, from.means);
        let p = self.clip.local_position(joint, frame);
        // A joint that keeps its offset was read from numbers near the offset.
        let tolerance = if joint > 0 && p == rest { SAME_POSITION } else { SAME_PATH * p.length().max(1.0) };
        (p - expected).abs().max_element() <= tolerance
    }

    fn push(&self, out: &mut Vec<u8>, v: f64) {
        match self.digits {
            Some(digits) => push_rounded(out, v, digits),
            None => push_number(out, v),
        }
    }

    fn push_vector(&self, out: &mut Vec<u8>, metres: Vec3) {
        for v in axes::to_file(metres, self.means.up).to_array() {
            out.push(b' ');
            self.push(out, length_in_units(v, self.means.unit_metres));
        }
        out.push(b'\n');
    }

    /// The `OFFSET` of a joint. A root that did not come from a BVH file is given none: its channels say where it is,
    /// and readers that add the two, as three.js does, would raise the body by the height of its hips.
    fn offset(&self, joint: usize) -> Vec3 {
        let skeleton = self.clip.skeleton();
        if self.source.is_none() && joint == 0 {
            return Vec3::ZERO;
        }
        skeleton.joint(joint).offset
    }

    fn hierarchy(&self, order: &[usize], out: &mut Vec<u8>, findings: &mut Findings) {
        let skeleton = self.clip.skeleton();
        let names = names(self.clip, self.source.is_some(), findings);
        out.extend_from_slice(b"HIERARCHY\n");
        let indent = |out: &mut Vec<u8>, depth: usize| {
            // Very deep trees would be more blanks than data.
            out.resize(out.len() + depth.min(64), b'\t');
        };
        let mut open: Vec<usize> = Vec::new();
        let close_to = |open: &mut Vec<usize>, parent: Option<usize>, out: &mut Vec<u8>| {
            while open.last().copied() != parent && open.pop().is_some() {
                indent(out, open.len());
                out.extend_from_slice(b"}\n");
            }
        };
        for &joint in order {
            let parent = skeleton.parent(joint);
            close_to(&mut open, parent, out);
            let depth = open.len();
            indent(out, depth);
            out.extend_from_slice(if parent.is_none() { b"ROOT " } else { b"JOINT " });
            out.extend_from_slice(names[joint].as_bytes());
            out.push(b'\n');
            indent(out, depth);
            out.extend_from_slice(b"{\n");
            open.push(joint);
            indent(out, depth + 1);
            out.extend_from_slice(b"OFFSET");
            self.push_vector(out, self.offset(joint));
            indent(out, depth + 1);
            let channels = &self.layouts[joint].channels;
            out.extend_from_slice(format!("CHANNELS {}", channels.len()).as_bytes());
            for (kind, _) in channels {
                let (axis, what) = match kind {
                    ChannelKind::Position(axis) => (axis, "position"),
                    ChannelKind::Rotation(axis) => (axis, "rotation"),
                };
                out.extend_from_slice(&[b' ', b"XYZ"[usize::from(*axis)]]);
                out.extend_from_slice(what.as_bytes());
            }
            out.push(b'\n');
            for &tip in &skeleton.joint(joint).tips {
                for (extra, text) in [(1, &b"End Site\n"[..]), (1, b"{\n"), (2, b"OFFSET")] {
                    indent(out, depth + extra);
                    out.extend_from_slice(text);
                }
                self.push_vector(out, tip);
                indent(out, depth + 1);
                out.extend_from_slice(b"}\n");
            }
        }
        close_to(&mut open, None, out);
    }

    fn motion(&self, order: &[usize], out: &mut Vec<u8>, progress: Progress<'_>) -> Result<(), Cancelled> {
        let num_frames = self.clip.num_frames();
        let time = rate::text(self.clip.fps(), self.source.as_ref().map(|from| from.source.frame_time));
        out.extend_from_slice(format!("MOTION\nFrames: {num_frames}\nFrame Time: {time}\n").as_bytes());
        // What was last written for each joint: degrees by place in its order.
        let mut last = vec![[0.0f64; 3]; self.clip.num_joints()];
        let mut row: Vec<f64> = Vec::new();
        for frame in 0..num_frames {
            if frame % REPORT_FRAMES == 0 {
                report(progress, frame as f32 / num_frames as f32)?;
            }
            row.clear();
            for &joint in order {
                self.joint_row(joint, frame, &mut last[joint], &mut row);
            }
            for (i, v) in row.iter().enumerate() {
                if i > 0 {
                    out.push(b' ');
                }
                self.push(out, *v);
            }
            out.push(b'\n');
        }
        Ok(())
    }

    fn joint_row(&self, joint: usize, frame: usize, last: &mut [f64; 3], row: &mut Vec<f64>) {
        let layout = &self.layouts[joint];
        let source_row = self.clip.source_row(frame).filter(|_| self.source.is_some());
        let keep_rotation = self.same_up && self.same_rotation(joint, frame);
        let keep_position = self.same_up && self.same_position(joint, frame);
        let angles = self.angles(joint, frame, source_row.filter(|_| keep_rotation), last);
        let ratio = self.source.as_ref().map_or(1.0, |from| from.means.unit_metres / self.means.unit_metres);
        let mut position = None;
        let mut place = 0;
        for (kind, column) in &layout.channels {
            let from_source = |keep: bool| column.zip(source_row).filter(|_| keep).map(|(c, row)| row[c]);
            row.push(match kind {
                ChannelKind::Position(axis) => match from_source(keep_position) {
                    Some(v) if ratio == 1.0 => v,
                    Some(v) => v * ratio,
                    None => position.get_or_insert_with(|| self.position(joint, frame))[usize::from(*axis)],
                },
                ChannelKind::Rotation(_) => {
                    let v = match &angles {
                        Some(angles) => angles.get(place).copied().unwrap_or(0.0),
                        None => from_source(true).unwrap_or(0.0),
                    };
                    place += 1;
                    v
                }
            });
        }
    }

    /// Position channels of a changed joint, file units.
    fn position(&self, joint: usize, frame: usize) -> [f64; 3] {
        let mut p = self.clip.local_position(joint, frame);
        if self.means.offset == OffsetMode::Add {
            p -= self.clip.skeleton().joint(joint).offset;
        }
        axes::to_file(p, self.means.up).to_array().map(|v| length_in_units(v, self.means.unit_metres))
    }

    /// Degrees to write for a joint's rotation, or `None` when its source row is to be repeated.
    fn angles(
        &self,
        joint: usize,
        frame: usize,
        keep: Option<&[f64]>,
        last: &mut [f64; 3],
    ) -> Option<[f64; 3]> {
        let layout = &self.layouts[joint];
        let own = |row: &[f64]| -> [f64; 3] {
            let columns = layout.channels.iter().filter(|(kind, _)| matches!(kind, ChannelKind::Rotation(_)));
            let mut columns = columns.map(|(_, column)| column.map_or(0.0, |c| row[c]));
            std::array::from_fn(|_| columns.next().unwrap_or(0.0))
        };
        let step = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
        if let Some(row) = keep {
            let mine = own(row);
            // Numbers that would jump from the edited frame before, where the source has no jump, are
            // moved to the branch the edit is on.
            let jump = frame > 0 && step(&mine, last) > JUMP_DEGREES && layout.num_rotations == 3;
            let source_jumps = frame > 0
                && self.clip.source_row(frame - 1).is_some_and(|b| step(&own(b), &mine) > JUMP_DEGREES);
            if !jump || source_jumps {
                *last = mine;
                return None;
            }
        }
        let q = axes::rotation_to_file(self.clip.rotation(joint, frame), self.means.up);
        if frame == 0 && self.same_up {
            // The first frame starts from the source's turn.
            if let Some(row) = self.clip.source_row(0).filter(|_| self.source.is_some()) {
                *last = own(row);
            }
        }
        let solved = layout.order.angles_near(q.as_dquat(), last.map(f64::to_radians)).unwrap_or_default();
        let mut degrees = solved.map(|a| (a.to_degrees() * ANGLE_DECIMALS).round() / ANGLE_DECIMALS);
        degrees.iter_mut().skip(layout.num_rotations).for_each(|a| *a = 0.0);
        if let Some(row) = keep {
            let mine = own(row);
            if step(&degrees, last) >= step(&mine, last) {
                *last = mine;
                return None;
            }
        }
        *last = degrees;
        Some(degrees)
    }
}

/// Whether the source's columns belong to this clip's joints.
fn fits(source: &Source, clip: &Clip) -> bool {
    source.channels.iter().all(|channel| channel.joint < clip.num_joints())
}

/// Names a reader can take back: one line, no braces, not empty; those of no file also without blanks and unique.
fn names(clip: &Clip, from_file: bool, findings: &mut Findings) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(clip.num_joints());
    let mut changed = Vec::new();
    let mut used = std::collections::BTreeSet::new();
    let mut numbers = std::collections::BTreeMap::new();
    for (index, joint) in clip.skeleton().joints().iter().enumerate() {
        let bad = |c: char| c.is_control() || matches!(c, '{' | '}') || (!from_file && c.is_whitespace());
        let mut name: String = joint.name.trim().chars().map(|c| if bad(c) { '_' } else { c }).collect();
        if name.is_empty() {
            name = format!("joint_{index}");
        }
        if !from_file {
            // The next number of each stem is remembered, so that many equal names cost no search.
            let stem = name.clone();
            while !used.insert(name.clone()) {
                let next = numbers.entry(stem.clone()).or_insert(1);
                *next += 1;
                name = format!("{stem}_{next}");
            }
        }
        if name != joint.name {
            changed.push((joint.name.clone(), name.clone()));
        }
        names.push(name);
    }
    if let Some((old, new)) = changed.first() {
        let message = format!(
            "{} cannot stand in BVH, first {old:?}, written as {new:?}",
            counted(changed.len(), "name", "names")
        );
        findings.note(Severity::Warning, None, "names-changed", message, "letters replaced, numbers added");
    }
    names
}
