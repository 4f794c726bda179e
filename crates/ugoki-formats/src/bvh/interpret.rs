//! Infers what a file does not say: joint roles, unit of length and up axis.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use ugoki_base::clip::{Clip, OffsetMode, UpAxis};
use ugoki_base::skeleton::{Joint, Role, Skeleton, assign_roles, body_height};

use super::channels::Parsed;
use super::poses::{Columns, Conventions};
use crate::body::{MAX_BODY_JOINTS, reach, sample_frames};
use crate::{Findings, ReadOptions, Severity, axes, units, up};

/// What was decided.
pub(super) struct Meaning {
    pub skeleton: Arc<Skeleton>,
    pub means: Conventions,
    pub unit_name: String,
    pub height_metres: Option<f64>,
}

/// Decides roles, unit and up axis, and builds the skeleton in metres and Ugoki's axes.
pub(super) fn interpret(
    parsed: &Parsed,
    columns: &Columns,
    options: &ReadOptions,
    findings: &mut Findings,
) -> Meaning {
    let offset = choose_offset(parsed, columns, options.offset, findings);
    let as_written = Conventions { unit_metres: 1.0, up: UpAxis::Y, offset };
    let mut joints = convert(parsed, as_written);
    if joints.len() <= MAX_BODY_JOINTS {
        assign_roles(&mut joints);
    }
    let roles: Vec<Option<Role>> = joints.iter().map(|joint| joint.role).collect();
    let file = build(joints);
    let height = body_height(&file).map(f64::from);
    if height.is_none() {
        let message = "no human body: hips and legs were not recognised";
        let assumed = "joints without roles; unit and axes are as given or usual";
        findings.note(Severity::Warning, None, "not-humanoid", message, assumed);
    }
    let samples = sample(parsed, columns, &file, as_written);
    let reach = reach(&file, &samples);
    let (unit_metres, unit_name) = units::choose(options.unit_metres, height, reach, findings);
    let up_axis = up::choose(options.up, &file, &samples, findings);
    let means = Conventions { unit_metres, up: up_axis, offset };
    let mut joints = convert(parsed, means);
    for (joint, role) in joints.iter_mut().zip(roles) {
        joint.role = role;
    }
    Meaning { skeleton: build(joints), means, unit_name, height_metres: height.map(|h| h * unit_metres) }
}

/// Fraction of an offset's length within which a position counts as 0.
const NO_MOVE: f64 = 0.01;

/// Whether positions add to offsets although the file does not say so: where nearly all joints below the root have
/// offsets but positions of 0 throughout, replacing would put the whole body into one point.
fn choose_offset(
    parsed: &Parsed,
    columns: &Columns,
    given: Option<OffsetMode>,
    findings: &mut Findings,
) -> OffsetMode {
    let frames: Vec<usize> = sample_frames(parsed.num_frames());
    if let Some(given) = given {
        return given;
    }
    if frames.is_empty() {
        return OffsetMode::Replace;
    }
    let row = |frame: usize| &parsed.values[frame * columns.width..(frame + 1) * columns.width];
    let (mut still, mut all, mut line) = (0, 0, None);
    for (joint, raw) in parsed.joints.iter().enumerate().skip(1) {
        let length = raw.offset.length();
        if length == 0.0 || !columns.moves(joint) {
            continue;
        }
        all += 1;
        let zero = |frame: &usize| columns.channels_of(row(*frame), joint).length() < NO_MOVE * length;
        if frames.iter().all(zero) {
            still += 1;
            line = line.or(Some(raw.line));
        }
    }
    // Three joints in one point may be meant; a body may not.
    if still < 4 || still * 5 < all * 4 {
        return OffsetMode::Replace;
    }
    let message = format!("positions of {still} of {all} joints below the root are 0, their offsets are not");
    findings.note(Severity::Warning, line, "offset-adds", message, "positions add to the offsets");
    OffsetMode::Add
}

/// The file's joints in metres and Ugoki's axes, without roles.
fn convert(parsed: &Parsed, means: Conventions) -> Vec<Joint> {
    let metres = |v: DVec3| axes::from_file(v * means.unit_metres, means.up).as_vec3();
    let joint = |joint: &super::ChannelJoint| Joint {
        tips: joint.tips.iter().map(|tip| metres(*tip)).collect(),
        ..Joint::new(joint.name.clone(), joint.parent, metres(joint.offset))
    };
    parsed.joints.iter().map(joint).collect()
}

fn build(joints: Vec<Joint>) -> Arc<Skeleton> {
    match Skeleton::build(joints) {
        Ok(skeleton) => skeleton,
        // Parents stand earlier by construction, offsets were bounded, roles are given once.
        Err(error) => unreachable!("{error}"),
    }
}

/// World positions of all joints in a few frames spread over the motion, in file units and axes.
fn sample(parsed: &Parsed, columns: &Columns, file: &Arc<Skeleton>, means: Conventions) -> Vec<Vec<Vec3>> {
    let num_frames = parsed.num_frames();
    if num_frames == 0 {
        return Vec::new();
    }
    let width = columns.width;
    let frames = sample_frames(num_frames);
    let rows: Vec<f64> =
        frames.iter().flat_map(|f| &parsed.values[f * width..(f + 1) * width]).copied().collect();
    let (root, translations) = columns.paths(&rows, file, means);
    let rotations = columns.rotations(&rows, means.up);
    match Clip::from_tracks(file.clone(), parsed.fps, root, rotations, translations) {
        Ok(clip) => clip.model_poses().into_iter().map(|pose| pose.positions).collect(),
        Err(_) => Vec::new(),
    }
}

/// Whether positions are relative to the rest pose's; kept here with the other guesses.
pub(super) fn advice(offset: OffsetMode, rest_height: f32) -> &'static str {
    if offset == OffsetMode::Replace && rest_height > 0.0 {
        "kept as written; reading with offsets added counts them from the rest offset"
    } else {
        "kept as written"
    }
}
