//! Skeleton and motion bytes to a clip with its findings.

use ugoki_base::clip::{Clip, OffsetMode, UpAxis};
use ugoki_base::skeleton::{Role, assign_roles, body_height};

use super::amc::{self, Amc};
use super::asf;
use super::lines::lines;
use super::pose::{self, Means};
use super::tree::{self, AsfJoint};
use crate::body::{MAX_BODY_JOINTS, check_options, max_pose_bytes, reach, sample_frames};
use crate::motion_findings::{
    mark_t_pose, report_few_frames, report_floor, report_glitches, report_hands, report_rest,
};
use crate::text::plain;
use crate::{Companion, Fetch, Findings, Format, Marks, Read, ReadError, ReadOptions, Severity, units, up};

/// Rate of motions that do not say it, frames per second: all of CMU's and most of HDM05's.
const DEFAULT_FPS: f64 = 120.0;

/// Lines looked at to recognise a file; comments in front may be long.
const LOOK_LINES: usize = 200;

/// The first section or header of the file.
fn first_keyword(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // A file that is not text has few line ends.
    let start = &bytes[..bytes.len().min(64 * 1024)];
    lines(start).take(LOOK_LINES).next()?.words().next()?.strip_prefix(b":")
}

/// Whether the bytes start like an Acclaim skeleton.
#[must_use]
pub fn looks_like_asf(bytes: &[u8]) -> bool {
    let known = ["version", "name", "units", "documentation", "root", "bonedata", "hierarchy", "skin"];
    first_keyword(bytes).is_some_and(|word| known.iter().any(|k| word.eq_ignore_ascii_case(k.as_bytes())))
}

/// Whether the bytes start like an Acclaim motion.
#[must_use]
pub fn looks_like_amc(bytes: &[u8]) -> bool {
    let known = ["fully-specified", "degrees", "radians", "samples-per-second"];
    bytes.starts_with(b"#!OML:ASF")
        || first_keyword(bytes)
            .is_some_and(|word| known.iter().any(|k| word.eq_ignore_ascii_case(k.as_bytes())))
}

/// Reads an Acclaim skeleton alone: one frame in its rest pose.
///
/// # Errors
/// When there is no skeleton in it or `options` are impossible.
pub fn read_asf(bytes: &[u8], options: &ReadOptions) -> Result<Read, ReadError> {
    check_options(options)?;
    let mut findings = Findings::default();
    let file = parse_asf(bytes, &mut findings)?;
    let message = "a skeleton file has no motion";
    findings.note(Severity::Info, None, "no-motion", message, "one frame in the rest pose");
    let fps = options.fps.unwrap_or(DEFAULT_FPS);
    let meaning = interpret(&file, &[], file.radians, options, &mut findings);
    let skeleton = pose::skeleton(&file.joints, &meaning.roles, meaning.means);
    let clip = match Clip::at_rest(skeleton, fps, 1) {
        Ok(clip) => clip,
        Err(error) => unreachable!("{error}"),
    };
    if meaning.height.is_some() {
        report_rest(clip.skeleton(), &mut findings);
    }
    Ok(finish(clip, Format::Asf, meaning, findings))
}

/// Reads an Acclaim motion; `fetch` gives its skeleton.
///
/// # Errors
/// When there is no skeleton, no frame, or values that are no numbers.
pub fn read_amc(bytes: &[u8], options: &ReadOptions, fetch: Fetch<'_>) -> Result<Read, ReadError> {
    check_options(options)?;
    let asf = fetch_skeleton(bytes, fetch)?;
    let mut asf_findings = Findings::default();
    let file = parse_asf(&asf, &mut asf_findings).map_err(|error| in_skeleton(&error))?;
    let mut findings = Findings::default();
    findings.absorb(asf_findings, "skeleton");
    let text = plain(bytes, &mut findings);
    let max_bytes = max_pose_bytes(bytes.len() + asf.len());
    let motion = amc::parse(&text, &file.joints, max_bytes, &mut findings)?;
    let fps = options.fps.or(motion.fps).unwrap_or_else(|| {
        let message = "motion files of this format do not say their rate";
        let assumed = format!("{DEFAULT_FPS} frames per second, as CMU's; give the rate if it is another");
        findings.note(Severity::Warning, None, "rate-missing", message, assumed);
        DEFAULT_FPS
    });
    let radians = motion.radians.unwrap_or_else(|| {
        let unit = if file.radians == 1.0 { "radians" } else { "degrees" };
        let message = "neither :DEGREES nor :RADIANS";
        findings.note(Severity::Info, None, "angle-unit", message, format!("{unit}, as the skeleton's"));
        file.radians
    });
    let meaning = interpret(&file, &motion.values, radians, options, &mut findings);
    let skeleton = pose::skeleton(&file.joints, &meaning.roles, meaning.means);
    let mut clip = pose::clip(&file.joints, skeleton, &motion.values, fps, meaning.means);
    report_motion(&mut clip, &motion, &meaning, &mut findings);
    Ok(finish(clip, Format::Amc, meaning, findings))
}

fn report_motion(clip: &mut Clip, motion: &Amc, meaning: &Meaning, findings: &mut Findings) {
    let line_of = |frame: usize| motion.lines.get(frame).copied();
    mark_t_pose(clip, None, line_of(0), findings);
    report_few_frames(clip, &line_of, findings);
    report_glitches(clip, &line_of, findings);
    if let Some(height) = meaning.height {
        report_rest(clip.skeleton(), findings);
        report_hands(clip, findings);
        report_floor(clip, (height * meaning.means.unit_metres) as f32, "kept as written", findings);
    }
}

/// The skeleton file next to the motion: the one of its name, or the one its first line names.
fn fetch_skeleton(bytes: &[u8], fetch: Fetch<'_>) -> Result<Vec<u8>, ReadError> {
    if let Some(asf) = fetch(Companion::Skeleton) {
        return Ok(asf);
    }
    // `#!OML:ASF F:\VICON\USERDATA\INSTALL\rory3\rory3.ASF`
    let header = bytes.split(|&b| b == b'\n').next().and_then(|line| line.strip_prefix(b"#!OML:ASF"));
    let file = header.and_then(|path| path.split(|&b| matches!(b, b'\\' | b'/')).next_back());
    let file = file.map(|file| String::from_utf8_lossy(file.trim_ascii()).into_owned());
    let file = file.filter(|file| !file.is_empty() && file.len() < 256);
    if let Some(file) = &file
        && let Some(asf) = fetch(Companion::Named(file))
    {
        return Ok(asf);
    }
    Err(ReadError::NoSkeleton { named: file })
}

/// An error of the skeleton file, reported as such.
fn in_skeleton(error: &ReadError) -> ReadError {
    ReadError::SkeletonFile { error: Box::new(error.clone()) }
}

/// A skeleton file with its joints in order.
struct File {
    joints: Vec<AsfJoint>,
    length: Option<f64>,
    radians: f64,
}

fn parse_asf(bytes: &[u8], findings: &mut Findings) -> Result<File, ReadError> {
    let text = plain(bytes, findings);
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    let asf = asf::parse(&text, findings)?;
    let (length, radians) = (asf.length, asf.radians);
    if asf.position != glam::DVec3::ZERO {
        let p = asf.position;
        let message = format!("the root's position in rest is {:.4} {:.4} {:.4}", p.x, p.y, p.z);
        findings.info(Some(asf.root.line), "root-offset", message);
    }
    let joints = tree::order(asf, findings);
    if joints.iter().any(|joint| joint.offset.abs().max_element() > super::lines::MAX_VALUE) {
        let message = "a bone is longer than 1e12 units".to_owned();
        return Err(ReadError::Malformed {
            line: None,
            message,
            hint: "correct the length in a text editor",
        });
    }
    Ok(File { joints, length, radians })
}

/// What the files do not say.
struct Meaning {
    means: Means,
    roles: Vec<Option<Role>>,
    unit_name: String,
    /// Height of the body, file units.
    height: Option<f64>,
}

fn interpret(
    file: &File,
    rows: &[f64],
    radians: f64,
    options: &ReadOptions,
    findings: &mut Findings,
) -> Meaning {
    let offset = options.offset.unwrap_or(OffsetMode::Replace);
    let as_written = Means { unit_metres: 1.0, up: UpAxis::Y, offset, radians };
    let mut joints = pose::joints(&file.joints, as_written);
    if joints.len() <= MAX_BODY_JOINTS {
        assign_roles(&mut joints);
    }
    let roles: Vec<Option<Role>> = joints.iter().map(|joint| joint.role).collect();
    let body = pose::skeleton(&file.joints, &roles, as_written);
    let height = body_height(&body).map(f64::from);
    if height.is_none() {
        let message = "no human body: hips and legs were not recognised";
        let assumed = "joints without roles; unit and axes are as given or usual";
        findings.note(Severity::Warning, None, "not-humanoid", message, assumed);
    }
    let (_, width) = amc::first_columns(&file.joints);
    let num_frames = rows.len().checked_div(width).unwrap_or(0);
    let some: Vec<f64> =
        sample_frames(num_frames).iter().flat_map(|f| &rows[f * width..(f + 1) * width]).copied().collect();
    let sampled = pose::clip(&file.joints, body.clone(), &some, DEFAULT_FPS, as_written);
    let samples: Vec<_> = sampled.model_poses().into_iter().map(|pose| pose.positions).collect();
    // The file's own unit is inches divided by its length.
    let own = file.length.map(|length| units::INCH / length);
    let reach = reach(&body, &samples);
    let (unit_metres, unit_name) =
        units::choose_stated(options.unit_metres, own, height, reach, units::SURE_RATIO, findings);
    let up = up::choose(options.up, &body, &samples, findings);
    let means = Means { unit_metres, up, offset, radians };
    Meaning { means, roles, unit_name, height }
}

fn finish(clip: Clip, format: Format, meaning: Meaning, findings: Findings) -> Read {
    let Meaning { means, unit_name, height, .. } = meaning;
    Read {
        frame_time: 1.0 / clip.fps(),
        clip,
        format,
        findings: findings.finish(),
        unit_metres: means.unit_metres,
        unit_name,
        height_metres: height.map(|height| height * means.unit_metres),
        up: means.up,
        takes: Vec::new(),
        markers: None,
        marks: Marks::default(),
    }
}
