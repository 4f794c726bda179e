//! Skeleton and tracks from world transforms.

use glam::{DAffine3, DMat3, DQuat, DVec3, Quat, Vec3};
use ugoki_base::clip::{Clip, RotationTracks, Translation, VectorTrack};
use ugoki_base::skeleton::{Joint, RoleSource, Skeleton, assign_roles, assign_roles_in_pose};

use super::joints::Plan;
use super::{Scene, SceneClip, Trs};
use crate::{Findings, ReadError, Severity};

/// Memory that poses of any file may take, bytes, and how much more per byte of the file: joints that do not
/// move cost a file nothing, so honest files reach some tens.
const ANY_MEMORY: usize = 64 << 20;
const MEMORY_PER_BYTE: usize = 256;

/// A joint whose place in its parent's frame stays within this fraction of the body's extent of its rest offset
/// has no track: 2 µm on a human, above the noise of f32 files and below what anyone sees.
const STILL_FRACTION: f64 = 1e-6;

/// A scale that changes by more than this factor minus one over a clip was meant to.
const STEADY_SCALE: f32 = 1e-3;

/// Places farther from the origin than this, metres, are no motion; f32 squares of them still fit.
const MAX_PLACE: f64 = 1e12;

/// Smallest scale along an axis; a smaller one flattens the rest pose and nothing can be undone.
const MIN_SCALE: f64 = 1e-9;

/// Number of joints above which no human is searched for: ten times the largest rig known.
const MAX_BODY_JOINTS: usize = 2000;

pub(super) fn bake(
    scene: &Scene,
    order: &[usize],
    plan: &Plan,
    findings: &mut Findings,
) -> Result<SceneClip, ReadError> {
    let (num_joints, num_frames) = (plan.joints.len(), scene.num_frames);
    check_size(num_joints, num_frames, scene.file_bytes)?;
    let order: Vec<usize> = order.iter().copied().filter(|&node| plan.needed[node]).collect();
    let rests = sound_rests(scene, findings);
    let mut worlds = vec![scene.world_from_file; scene.nodes.len()];
    place_nodes(scene, &order, &rests, &mut worlds);
    let rest_worlds: Vec<DAffine3> = plan
        .joints
        .iter()
        .map(|&node| scene.nodes[node].bind.map_or(worlds[node], |bind| scene.world_from_file * bind))
        .collect();
    let joints = build_joints(scene, plan, &rests, &rest_worlds)?;
    let low = rest_worlds.iter().map(|w| w.translation).fold(DVec3::INFINITY, DVec3::min);
    let high = rest_worlds.iter().map(|w| w.translation).fold(DVec3::NEG_INFINITY, DVec3::max);
    let still = STILL_FRACTION * (high - low).length();

    let mut tracks = Tracks::new(num_joints, num_frames);
    let rest_inverses: Vec<DMat3> = rest_worlds.iter().map(|world| world.matrix3.inverse()).collect();
    let mut locals = rests.clone();
    let mut turns = vec![DQuat::IDENTITY; num_joints];
    let mut bad = 0;
    for frame in 0..num_frames {
        for track in &scene.tracks {
            if plan.needed.get(track.node) == Some(&true) {
                bad += usize::from(!track.set(frame, &rests[track.node], &mut locals[track.node]));
            }
        }
        place_nodes(scene, &order, &locals, &mut worlds);
        for (joint, &node) in plan.joints.iter().enumerate() {
            let world = worlds[node];
            let turn = nearest_rotation(world.matrix3 * rest_inverses[joint]);
            let (local, place) = match plan.parents[joint] {
                Some(parent) => {
                    let back = turns[parent].conjugate();
                    let apart = world.translation - worlds[plan.joints[parent]].translation;
                    (back * turn, back * apart)
                }
                None => (turn, world.translation),
            };
            if is_far(place) {
                return Err(too_far(&scene.nodes[node].name));
            }
            turns[joint] = turn;
            tracks.set(joint, frame, local.normalize().as_quat(), place.as_vec3());
        }
    }
    if bad > 0 {
        let message = format!("{bad} animated values are not finite numbers or no rotations");
        findings.note(Severity::Error, None, "not-finite", message, "the rest pose there");
    }
    report_scales(scene, plan, findings);
    let skeleton = with_roles(joints, &tracks)?;
    let clip = tracks.into_clip(skeleton, scene.fps, still)?;
    Ok(SceneClip { clip, nodes: plan.joints.clone() })
}

fn check_size(joints: usize, frames: usize, file_bytes: usize) -> Result<(), ReadError> {
    // Rotation and place of every joint in every frame.
    let bytes = joints.saturating_mul(frames).saturating_mul(28);
    let max = ANY_MEMORY.saturating_add(file_bytes.saturating_mul(MEMORY_PER_BYTE));
    if bytes > max {
        let (megabytes, max_megabytes) = (bytes >> 20, max >> 20);
        return Err(ReadError::TooLarge { joints, frames, megabytes, max_megabytes });
    }
    Ok(())
}

fn is_far(place: DVec3) -> bool {
    !place.is_finite() || place.abs().max_element() >= MAX_PLACE
}

fn too_far(name: &str) -> ReadError {
    ReadError::Malformed {
        line: None,
        message: format!("node {name:?} is placed beyond 1e12 m, expected a body's size"),
        hint: "the file's transforms are broken; export it again",
    }
}

/// The rest transforms with what is not finite or flat replaced.
fn sound_rests(scene: &Scene, findings: &mut Findings) -> Vec<Trs> {
    let sound = |(index, node): (usize, &super::SceneNode)| {
        let mut rest = node.rest;
        let turn = rest.rotation.length();
        let fine = rest.translation.is_finite()
            && turn.is_finite()
            && turn > MIN_SCALE
            && rest.scale.is_finite()
            && rest.scale.abs().min_element() > MIN_SCALE;
        if fine {
            rest.rotation = rest.rotation.normalize();
            return rest;
        }
        let message = format!("node {index} {:?} has a rest transform that is flat or not finite", node.name);
        findings.note(Severity::Error, None, "rest-transform", message, "its sound parts, else the identity");
        let unit = Trs::IDENTITY;
        if !rest.translation.is_finite() {
            rest.translation = unit.translation;
        }
        rest.rotation =
            if turn.is_finite() && turn > MIN_SCALE { rest.rotation.normalize() } else { unit.rotation };
        if !(rest.scale.is_finite() && rest.scale.abs().min_element() > MIN_SCALE) {
            rest.scale = unit.scale;
        }
        rest
    };
    scene.nodes.iter().enumerate().map(sound).collect()
}

/// World transforms of the nodes in `order` from their local ones.
fn place_nodes(scene: &Scene, order: &[usize], locals: &[Trs], worlds: &mut [DAffine3]) {
    for &node in order {
        let above = scene.parent(node).map_or(scene.world_from_file, |parent| worlds[parent]);
        worlds[node] = above * locals[node].affine();
    }
}

fn build_joints(
    scene: &Scene,
    plan: &Plan,
    rests: &[Trs],
    rest_worlds: &[DAffine3],
) -> Result<Vec<Joint>, ReadError> {
    let mut joints = Vec::with_capacity(plan.joints.len());
    for (index, &node) in plan.joints.iter().enumerate() {
        let place = rest_worlds[index].translation;
        if is_far(place) || !rest_worlds[index].matrix3.is_finite() {
            return Err(too_far(&scene.nodes[node].name));
        }
        let parent = plan.parents[index];
        let base = parent.map_or(DVec3::ZERO, |parent| rest_worlds[parent].translation);
        let mut joint = Joint::new(scene.nodes[node].name.clone(), parent, (place - base).as_vec3());
        joint.role = scene.nodes[node].role;
        joints.push(joint);
    }
    for &(joint, node) in &plan.tips {
        let tip = rest_worlds[joint].matrix3 * rests[node].translation;
        if !is_far(tip) {
            joints[joint].tips.push(tip.as_vec3());
        }
    }
    Ok(joints)
}

/// Roles the file gives; without any, by names and shape of the rest pose, else of the first frame.
fn with_roles(mut joints: Vec<Joint>, tracks: &Tracks) -> Result<std::sync::Arc<Skeleton>, ReadError> {
    let given = joints.iter().any(|joint| joint.role.is_some());
    if !given
        && joints.len() <= MAX_BODY_JOINTS
        && assign_roles(&mut joints) == RoleSource::None
        && tracks.num_frames > 0
    {
        let places = tracks.places(&joints, 0);
        assign_roles_in_pose(&mut joints, &places);
    }
    Skeleton::build(joints).map_err(|error| ReadError::Malformed {
        line: None,
        message: error.to_string(),
        hint: "the file's nodes are broken; export it again",
    })
}

/// Says which joints change their size.
fn report_scales(scene: &Scene, plan: &Plan, findings: &mut Findings) {
    for track in &scene.tracks {
        let Some(scales) = track.scale.as_ref().filter(|_| plan.needed.get(track.node) == Some(&true)) else {
            continue;
        };
        let (low, high) =
            scales.iter().filter(|s| s.is_finite()).fold((f32::INFINITY, 0f32), |(low, high), s| {
                (low.min(s.min_element()), high.max(s.max_element()))
            });
        if high > low * (1.0 + STEADY_SCALE) && high - low > STEADY_SCALE {
            let name = &scene.nodes[track.node].name;
            let message =
                format!("node {name:?} changes its scale from {low} to {high}; a clip holds no scale");
            findings.note(
                Severity::Warning,
                None,
                "scale-lost",
                message,
                "joints below move, sizes are lost",
            );
        }
    }
}

impl super::NodeTrack {
    /// Puts the values of `frame` into `local`; false when one was no number or no rotation.
    fn set(&self, frame: usize, rest: &Trs, local: &mut Trs) -> bool {
        let mut sound = true;
        if let Some(values) = &self.translation {
            let v = values[frame].as_dvec3();
            sound &= v.is_finite();
            local.translation = if v.is_finite() { v } else { rest.translation };
        }
        if let Some(values) = &self.rotation {
            let q = values[frame].as_dquat();
            let length = q.length();
            let fine = length.is_finite() && length > MIN_SCALE;
            sound &= fine;
            local.rotation = if fine { q.normalize() } else { rest.rotation };
        }
        if let Some(values) = &self.scale {
            let v = values[frame].as_dvec3();
            sound &= v.is_finite();
            // Things are hidden by a scale of 0; their joints keep a direction.
            let fine = v.is_finite() && v.abs().min_element() > MIN_SCALE;
            local.scale = if fine { v } else { rest.scale };
        }
        sound
    }
}

/// The rotation nearest to `m` (its polar factor, by Newton's iteration on X ← (X + X⁻ᵀ)/2); the identity
/// where there is none.
fn nearest_rotation(m: DMat3) -> DQuat {
    let size = m.determinant().abs().cbrt();
    if !(size.is_finite() && size > MIN_SCALE) {
        return DQuat::IDENTITY;
    }
    let mut x = m * (1.0 / size);
    // Ten steps take factors of 1000 between the axes to full precision; rotations need one.
    for _ in 0..16 {
        let next = (x + x.inverse().transpose()) * 0.5;
        let change = (next - x).abs_diff_eq(DMat3::ZERO, 1e-15);
        x = next;
        if change {
            break;
        }
    }
    if x.determinant() < 0.0 {
        // Turned inside out by an animated mirroring: the rotation that is left of it.
        x *= -1.0;
    }
    let q = DQuat::from_mat3(&x);
    if q.is_finite() { q.normalize() } else { DQuat::IDENTITY }
}

/// Rotations and places of all joints while they are filled.
struct Tracks {
    num_joints: usize,
    num_frames: usize,
    rotations: [Vec<f32>; 4],
    places: Vec<VectorTrack>,
}

impl Tracks {
    fn new(num_joints: usize, num_frames: usize) -> Self {
        let zeros = || vec![0.0; num_joints * num_frames];
        let rotations = std::array::from_fn(|_| zeros());
        let places = vec![VectorTrack::constant(Vec3::ZERO, num_frames); num_joints];
        Self { num_joints, num_frames, rotations, places }
    }

    fn set(&mut self, joint: usize, frame: usize, q: Quat, place: Vec3) {
        let at = joint * self.num_frames + frame;
        for (values, value) in self.rotations.iter_mut().zip(q.to_array()) {
            values[at] = value;
        }
        self.places[joint].set(frame, place);
    }

    /// World positions of all joints at `frame`.
    fn places(&self, joints: &[Joint], frame: usize) -> Vec<Vec3> {
        let mut world: Vec<(Vec3, Quat)> = Vec::with_capacity(joints.len());
        for (index, joint) in joints.iter().enumerate() {
            let at = index * self.num_frames + frame;
            let [x, y, z, w] = std::array::from_fn(|axis| self.rotations[axis][at]);
            let (place, turn) = joint.parent.map_or((Vec3::ZERO, Quat::IDENTITY), |parent| world[parent]);
            let local = Quat::from_xyzw(x, y, z, w);
            world.push((place + turn * self.places[index].get(frame), turn * local));
        }
        world.into_iter().map(|(place, _)| place).collect()
    }

    fn into_clip(self, skeleton: std::sync::Arc<Skeleton>, fps: f64, still: f64) -> Result<Clip, ReadError> {
        let mut places = self.places.into_iter();
        let root = places.next().unwrap_or_default();
        let moved = |joint: usize, track: &VectorTrack| {
            let rest = skeleton.joint(joint).offset;
            track.iter().any(|place| f64::from((place - rest).length()) > still)
        };
        let translations = places
            .enumerate()
            .map(|(index, track)| Translation { joint: index + 1, track })
            .filter(|translation| moved(translation.joint, &translation.track))
            .collect();
        let rotations = RotationTracks::from_arrays(self.rotations, self.num_joints, self.num_frames);
        let mut clip =
            Clip::from_tracks(skeleton, fps, root, rotations, translations).map_err(ReadError::Clip)?;
        clip.align_signs();
        Ok(clip)
    }
}
