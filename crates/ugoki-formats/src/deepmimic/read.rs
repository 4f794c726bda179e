//! Bytes to a clip with its findings.

use ugoki_base::clip::{Clip, UpAxis};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::body_height;

use super::humanoid::{self, ROW};
use super::json;
use super::timing::{Timed, at_one_rate};
use crate::body::{check_options, max_pose_bytes};
use crate::motion_findings::{mark_t_pose, report_few_frames, report_floor, report_glitches};
use crate::text::plain;
use crate::{Findings, Format, Marks, Read, ReadError, ReadOptions, Severity, counted, units};

/// Bytes looked at to recognise a file: what stands before the frames is short.
const LOOK_BYTES: usize = 4096;

/// Numbers beyond this are no places and no turns.
const MAX_VALUE: f64 = 1e9;

/// Whether the bytes start like a motion of DeepMimic: an object with `Frames`.
#[must_use]
pub fn looks_like(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOK_BYTES)];
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let has = |word: &[u8]| start.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word));
    start.first() == Some(&b'{') && has(b"\"frames\"") && !has(b"\"asset\"")
}

/// Reads a motion of DeepMimic's humanoid.
///
/// # Errors
/// When the text is no JSON of frames, or its frames are not those of the humanoid.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Read, ReadError> {
    check_options(options)?;
    let mut findings = Findings::default();
    let text = plain(bytes, &mut findings);
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    let motion = json::parse(&text)?;
    let lines = json::frame_lines(&text, motion.frames.len());
    let line_of = |frame: usize| lines.get(frame).copied();
    let rows = rows(&motion.frames, &line_of, &mut findings)?;
    let unit_metres = options.unit_metres.unwrap_or(1.0);
    let (mut poses, mut durations): (Vec<Pose>, Vec<f64>) = (Vec::new(), Vec::new());
    let (mut first_odd, mut num_odd) = (None, 0);
    for (frame, row) in rows.iter().enumerate() {
        let (pose, sound) = humanoid::pose(row, unit_metres);
        if !sound {
            first_odd.get_or_insert(frame);
            num_odd += 1;
        }
        poses.push(pose);
        durations.push(row[0]);
    }
    if let Some(first) = first_odd {
        let number = counted(num_odd, "frame has", "frames have");
        let message = format!("{number} quaternions that are not of length 1, first frame {first}");
        findings.note(Severity::Warning, line_of(first), "not-unit", message, "made 1 long");
    }
    let pose_bytes = 16 * 15;
    let max_frames = max_pose_bytes(bytes.len()) / pose_bytes;
    let Timed { fps, frame_time, poses } =
        at_one_rate(poses, &durations, options.fps, max_frames, &line_of, &mut findings)?;
    let skeleton = humanoid::skeleton(unit_metres);
    let height_metres = body_height(&skeleton).map(f64::from);
    let mut clip = match Clip::from_poses(skeleton, fps, &poses) {
        Ok(clip) => clip,
        // Rates come from positive durations or were checked.
        Err(error) => unreachable!("{error}"),
    };
    if wraps(motion.wraps.as_ref()) {
        clip.tags.push("loop".to_owned());
        let message = "the motion repeats: its last frame is the first of the next round";
        findings.note(Severity::Info, None, "loop-wrap", message, "kept as written, tagged `loop`");
    }
    mark_t_pose(&mut clip, None, line_of(0), &mut findings);
    report_few_frames(&clip, &line_of, &mut findings);
    report_glitches(&clip, &line_of, &mut findings);
    if let Some(height) = height_metres {
        report_floor(&clip, height as f32, "kept as written", &mut findings);
    }
    Ok(Read {
        clip,
        format: Format::DeepMimic,
        findings: findings.finish(),
        unit_metres,
        unit_name: units::name(unit_metres),
        height_metres,
        up: UpAxis::Y,
        frame_time,
        takes: Vec::new(),
        markers: None,
        marks: Marks::default(),
    })
}

/// `"wrap"`, or 1 as its successors number it.
fn wraps(value: Option<&serde_json::Value>) -> bool {
    value.is_some_and(|v| v.as_str().is_some_and(|s| s.eq_ignore_ascii_case("wrap")) || v.as_i64() == Some(1))
}

/// The rows of the humanoid; broken ones repeat the row before.
fn rows(
    frames: &[Vec<f64>],
    line_of: &dyn Fn(usize) -> Option<u32>,
    findings: &mut Findings,
) -> Result<Vec<[f64; ROW]>, ReadError> {
    let fits = |frame: &Vec<f64>| frame.len() == ROW;
    if frames.is_empty() {
        return Err(ReadError::Malformed {
            line: None,
            message: "Frames is empty, expected at least one frame".to_owned(),
            hint: "export the motion again",
        });
    }
    if !frames.iter().any(fits) {
        let found = frames[0].len();
        return Err(ReadError::Malformed {
            line: line_of(0),
            message: format!("frame 0 has {found} numbers, expected the {ROW} of the humanoid of 15 bodies"),
            hint: "motions of other characters need their own skeleton and are not read",
        });
    }
    let mut rows: Vec<[f64; ROW]> = Vec::with_capacity(frames.len());
    // The first sound row stands in for what is broken before it.
    let first: [f64; ROW] =
        frames.iter().find(|f| fits(f)).and_then(|f| f.as_slice().try_into().ok()).unwrap_or([0.0; ROW]);
    for (index, frame) in frames.iter().enumerate() {
        let before = rows.last().copied().unwrap_or(first);
        match <&[f64; ROW]>::try_from(frame.as_slice()) {
            Ok(row) if row.iter().all(|v| v.abs() <= MAX_VALUE) => rows.push(*row),
            Ok(_) => {
                let message = format!("frame {index} has a number beyond 1e9");
                findings.note(Severity::Error, line_of(index), "too-large", message, "the frame before");
                rows.push(before.map(|v| v.clamp(-MAX_VALUE, MAX_VALUE)));
            }
            Err(_) => {
                let message = format!("frame {index} has {} numbers, expected {ROW}", frame.len());
                findings.note(Severity::Error, line_of(index), "row-length", message, "the frame before");
                rows.push(before.map(|v| v.clamp(-MAX_VALUE, MAX_VALUE)));
            }
        }
    }
    Ok(rows)
}
