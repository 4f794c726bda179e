//! Arrays to a clip with its findings.
//!
//! Two layouts are known: Ugoki's own, and that of motion generators (Kimodo): world positions and rotations of all joints.

use glam::{DMat3, DQuat, DVec3, Vec3};
use ugoki_base::clip::{Clip, RotationTracks, Translation, VectorTrack};
use ugoki_base::skeleton::{Joint, Role, Skeleton, assign_roles, body_height};

use super::archive::{Array, arrays, malformed};
use super::generated;
use super::marks;
use crate::body::{MAX_BODY_JOINTS, check_options, max_pose_bytes, reach, sample_frames};
use crate::motion_findings::{
    mark_t_pose, report_few_frames, report_floor, report_glitches, report_hands, report_rest,
};
use crate::{Findings, Format, Read, ReadError, ReadOptions, Severity, axes, units, up};

/// Rate of motions that do not state it, frames per second: that of most generators.
const DEFAULT_FPS: f64 = 30.0;

/// Numbers beyond this are no places.
const MAX_VALUE: f64 = 1e9;

/// Reads arrays as Ugoki writes them, or those of a motion generator.
///
/// # Errors
/// When the archive is broken, arrays are missing, or their shapes do not fit each other.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Read, ReadError> {
    check_options(options)?;
    let mut findings = Findings::default();
    let arrays = Arrays(arrays(bytes, max_pose_bytes(bytes.len()))?);
    let motion = if arrays.get("quat_wxyz").is_some() { own(&arrays)? } else { generated::motion(&arrays)? };
    let fps = options.fps.or(arrays.number("fps")).filter(|fps| fps.is_finite() && *fps > 0.0);
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
    let up = up::choose(options.up, &body, &samples, &mut findings);
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
        up,
        takes: Vec::new(),
        markers: None,
        marks,
    })
}

/// Arrays by name.
pub(super) struct Arrays<'a>(Vec<Array<'a>>);

impl Arrays<'_> {
    pub(super) fn get(&self, name: &str) -> Option<&Array<'_>> {
        self.0.iter().find(|array| array.name == name)
    }

    /// An array that must be there, with this shape; sides of 0 may be any.
    pub(super) fn shaped(&self, name: &str, wanted: &[usize]) -> Result<&Array<'_>, ReadError> {
        let array = self.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|array| array.name.as_str()).take(20).collect();
            malformed(format!("no array {name:?} among {}", names.join(", ")))
        })?;
        let fits = array.shape.len() == wanted.len()
            && array.shape.iter().zip(wanted).all(|(found, wanted)| found == wanted || *wanted == 0);
        if fits {
            return Ok(array);
        }
        let sides = |shape: &[usize]| {
            let side = |side: &usize| if *side == 0 { "any".to_owned() } else { side.to_string() };
            shape.iter().map(side).collect::<Vec<_>>().join(", ")
        };
        let (found, wanted) = (sides(&array.shape), sides(wanted));
        Err(malformed(format!("the array {name:?} has the shape ({found}), expected ({wanted})")))
    }

    /// The single number of an array.
    fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)?.numbers().ok()?.as_slice() {
            [number] => Some(*number),
            _ => None,
        }
    }

    /// Finite numbers of an array that is there.
    pub(super) fn numbers(&self, name: &str, wanted: &[usize]) -> Result<Vec<f64>, ReadError> {
        let numbers = self.shaped(name, wanted)?.numbers()?;
        match numbers.iter().position(|value| value.is_nan() || value.abs() > MAX_VALUE) {
            Some(at) => Err(malformed(format!(
                "element {at} of the array {name:?} is {}, expected a number below 1e9",
                numbers[at]
            ))),
            None => Ok(numbers),
        }
    }
}

/// A motion in file units and axes.
pub(super) struct ArrayMotion {
    pub(super) joints: Vec<Joint>,
    pub(super) num_frames: usize,
    pub(super) root: Vec<DVec3>,
    /// Rotations relative to parents, frame by frame.
    pub(super) local: Vec<DQuat>,
    /// Joints other than joint 0 that leave their offset.
    pub(super) moved: Vec<(usize, Vec<DVec3>)>,
}

impl ArrayMotion {
    /// World positions of a frame.
    fn positions(&self, frame: usize) -> Vec<Vec3> {
        let mut world: Vec<(DVec3, DQuat)> = Vec::with_capacity(self.joints.len());
        for (joint, node) in self.joints.iter().enumerate() {
            let turn = self.local[frame * self.joints.len() + joint];
            let moved = self.moved.iter().find(|(moved, _)| *moved == joint).map(|(_, places)| places[frame]);
            let offset = moved.unwrap_or_else(|| node.offset.as_dvec3());
            world.push(match node.parent {
                Some(parent) => (world[parent].0 + world[parent].1 * offset, world[parent].1 * turn),
                None => (if joint == 0 { self.root[frame] } else { offset }, turn),
            });
        }
        world.iter().map(|(place, _)| place.as_vec3()).collect()
    }
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

/// Joints from `names`, `parents` and, where there are any, `roles`.
pub(super) fn skeleton(
    arrays: &Arrays<'_>,
    count: usize,
    offsets: &[DVec3],
) -> Result<Vec<Joint>, ReadError> {
    let names = arrays.shaped("names", &[count])?.words()?;
    let parents = arrays.numbers("parents", &[count])?;
    let roles = arrays.get("roles").and_then(|roles| roles.words().ok()).unwrap_or_default();
    let mut joints: Vec<Joint> = Vec::with_capacity(count);
    for (at, name) in names.into_iter().enumerate() {
        let parent = parents[at];
        if parent >= at as f64 {
            return Err(malformed(format!(
                "joint {at} has the parent {parent}, expected an earlier joint or -1"
            )));
        }
        let parent = (parent >= 0.0).then_some(parent as usize);
        let mut joint = Joint::new(name, parent, offsets[at].as_vec3());
        let role = roles.get(at).and_then(|role| Role::from_name(role));
        joint.role = role.filter(|role| joints.iter().all(|other| other.role != Some(*role)));
        joints.push(joint);
    }
    Ok(joints)
}

pub(super) fn vectors(numbers: &[f64]) -> Vec<DVec3> {
    numbers.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// A unit quaternion; none where it has no length.
fn unit(q: DQuat) -> DQuat {
    if q.length() > 1e-6 { q.normalize() } else { DQuat::IDENTITY }
}

/// The rotation of a row-major matrix.
pub(super) fn rotation(matrix: &[f64]) -> DQuat {
    let rows = DMat3::from_cols_slice(matrix);
    unit(DQuat::from_mat3(&rows.transpose()))
}
