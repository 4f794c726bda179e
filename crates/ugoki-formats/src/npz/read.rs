//! Arrays to a clip with its findings.
//!
//! Three layouts are known: Ugoki's own, that of motion generators (Kimodo: world positions and rotations of all joints), and AMASS's.

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::clip::{Clip, RotationTracks, Translation, UpAxis, VectorTrack};
use ugoki_base::skeleton::{Joint, Skeleton, assign_roles, body_height};

use super::archive::{arrays, malformed};
use super::array_motion::{ArrayMotion, Arrays, skeleton, unit, vectors};
use super::marks;
use super::{amass, generated};
use crate::body::{MAX_BODY_JOINTS, check_options, max_pose_bytes, reach, sample_frames};
use crate::motion_findings::{
    mark_t_pose, report_few_frames, report_floor, report_glitches, report_hands, report_rest,
};
use crate::{Fetch, Findings, Format, Read, ReadError, ReadOptions, Severity, axes, units, up};

/// Rate of motions that do not state it, frames per second: that of most generators.
const DEFAULT_FPS: f64 = 30.0;

/// Reads arrays as Ugoki writes them, those of a motion generator, or those of AMASS, whose skeleton `fetch` gives.
///
/// # Errors
/// When the archive is broken, arrays are missing, or their shapes do not fit each other.
pub fn read(bytes: &[u8], options: &ReadOptions, fetch: Fetch<'_>) -> Result<Read, ReadError> {
    check_options(options)?;
    let mut findings = Findings::default();
    let arrays = Arrays(arrays(bytes, max_pose_bytes(bytes.len()))?);
    let mut turned = None;
    let motion = if arrays.get("quat_wxyz").is_some() {
        own(&arrays)?
    } else if amass::is_amass(&arrays) {
        let (motion, up) = amass::motion(&arrays, options, fetch, &mut findings)?;
        turned = Some(up);
        motion
    } else {
        generated::motion(&arrays)?
    };
    let stated = ["fps"].iter().chain(&amass::RATES).find_map(|name| arrays.number(name));
    let fps = options.fps.or(stated).filter(|fps| fps.is_finite() && *fps > 0.0);
    let fps = fps.unwrap_or_else(|| {
        let message = "the arrays do not state their rate";
        let assumed = format!("{DEFAULT_FPS} frames per second; give the rate if it is another");
        findings.note(Severity::Warning, None, "rate-missing", message, assumed);
        DEFAULT_FPS
    });
    let mut joints = motion.joints.clone();
    if joints.len() <= MAX_BODY_JOINTS && joints.iter().all(|joint| joint.role.is_none()) {
        assign_roles(&mut joints);
    }
    let body = Skeleton::build(joints).map_err(|error| malformed(error.to_string()))?;
    let samples: Vec<Vec<Vec3>> =
        sample_frames(motion.num_frames).iter().map(|&frame| motion.positions(frame)).collect();
    let height = body_height(&body).map(f64::from);
    let reach = reach(&body, &samples);
    let (unit_metres, unit_name) =
        units::choose_stated(options.unit_metres, Some(1.0), height, reach, units::SURE_RATIO, &mut findings);
    // What was turned already stands along Y.
    let given = if turned.is_some() { Some(UpAxis::Y) } else { options.up };
    let up = up::choose(given, &body, &samples, &mut findings);
    let place = |p: DVec3| (axes::from_file(p, up) * unit_metres).as_vec3();
    let moved =
        body.joints().iter().map(|joint| Joint { offset: place(joint.offset.as_dvec3()), ..joint.clone() });
    let skeleton = Skeleton::build(moved.collect()).map_err(|error| malformed(error.to_string()))?;
    let (frames, count) = (motion.num_frames, skeleton.num_joints());
    let mut root = VectorTrack::constant(Vec3::ZERO, frames);
    let mut rotations = RotationTracks::identity(count, frames);
    for frame in 0..frames {
        root.set(frame, place(motion.root[frame]));
        for joint in 0..count {
            let turn =
                axes::rotation_from_file(motion.local[frame * count + joint], up).as_quat().normalize();
            rotations.set(joint, frame, turn);
        }
    }
    let translations = motion.moved.iter().map(|(joint, places)| {
        let mut track = VectorTrack::constant(Vec3::ZERO, frames);
        places.iter().enumerate().for_each(|(frame, &p)| track.set(frame, place(p)));
        Translation { joint: *joint, track }
    });
    let mut clip =
        Clip::from_tracks(skeleton, fps, root, rotations, translations.collect()).map_err(ReadError::Clip)?;
    clip.align_signs();
    mark_t_pose(&mut clip, arrays.number("tpose_frame").map(|flag| flag != 0.0), None, &mut findings);
    let marks = marks::read(&arrays, frames, &mut findings)?;
    report_few_frames(&clip, &|_| None, &mut findings);
    report_glitches(&clip, &|_| None, &mut findings);
    match height {
        Some(height) => {
            report_rest(clip.skeleton(), &mut findings);
            report_hands(&clip, &mut findings);
            report_floor(&clip, (height * unit_metres) as f32, "kept as written", &mut findings);
        }
        None => {
            let message = "no human body: hips and legs were not recognised";
            findings.note(Severity::Warning, None, "not-humanoid", message, "joints without roles");
        }
    }
    Ok(Read {
        frame_time: 1.0 / clip.fps(),
        clip,
        format: Format::Npz,
        findings: findings.finish(),
        unit_metres,
        unit_name,
        height_metres: height.map(|height| height * unit_metres),
        up: turned.unwrap_or(up),
        takes: Vec::new(),
        markers: None,
        marks,
    })
}

/// Arrays as `write` makes them.
fn own(arrays: &Arrays<'_>) -> Result<ArrayMotion, ReadError> {
    let [num_frames, count] = {
        let shape = &arrays.shaped("quat_wxyz", &[0, 0, 4])?.shape;
        [shape[0], shape[1]]
    };
    let joints = skeleton(arrays, count, &vectors(&arrays.numbers("offsets", &[count, 3])?))?;
    let quats = arrays.numbers("quat_wxyz", &[num_frames, count, 4])?;
    let local = quats.chunks_exact(4).map(|q| unit(DQuat::from_xyzw(q[1], q[2], q[3], q[0]))).collect();
    let mut moved = Vec::new();
    if let Some(array) = arrays.get("moved_joints") {
        let which = array.numbers()?;
        let places = vectors(&arrays.numbers("moved", &[num_frames, which.len(), 3])?);
        for (at, &joint) in which.iter().enumerate() {
            let joint = Some(joint as usize).filter(|&j| joint >= 1.0 && j < count);
            let joint = joint.filter(|j| moved.iter().all(|(other, _)| other != j));
            let joint =
                joint.ok_or_else(|| malformed("moved_joints are no joints that can move".to_owned()))?;
            moved.push((joint, places.iter().skip(at).step_by(which.len()).copied().collect()));
        }
    }
    let root = vectors(&arrays.numbers("root", &[num_frames, 3])?);
    Ok(ArrayMotion { joints, num_frames, root, local, moved })
}
