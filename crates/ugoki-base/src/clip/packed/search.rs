//! One block at one exponent, and the coarsest exponent that holds the bound.

use glam::{DMat3, DQuat, DVec3, Vec3};

use super::block::{MAX_EXPONENT, MAX_PATH_STEPS, PATH_SCALE, factor, position};
use super::error::{MAX_ERROR_M, Placed, place_into, unit};
use super::fit::{pack_turns, reference};
use super::quantize::Steps;
use super::{BLOCK, PackedClip};
use crate::clip::Clip;
use crate::pose::Pose;

/// What blocks aim at: the bound less what is lost when its largest error is kept as f32.
const AIM_M: f64 = MAX_ERROR_M * (1.0 - 1e-6);

/// How far a path may lead from its base, metres, before it takes another: the finest steps still reach.
const FAR_M: f64 = 1000.0;
/// What a joint's own turning weighs against where its children come to, metres: see [`Search::aimed`]. Swept in
/// `docs/results/codec.md`.
const HOLD_M: f64 = 0.06;

/// A block packed at some exponent.
pub(super) struct Candidate {
    pub(super) steps: Steps,
    error: f64,
}

/// A block of the clip and what packing it needs.
pub(super) struct Search<'a> {
    clip: &'a Clip,
    scales: Vec<f32>,
    rest: Vec<DQuat>,
    /// Lane of each moving joint.
    lanes: Vec<Option<usize>>,
    /// Number of each moving path, by joint.
    paths: Vec<Option<usize>>,
    /// Joints right below each joint.
    children: Vec<Vec<usize>>,
    frames: usize,
    poses: Vec<Pose>,
    /// What each joint turns about in the block.
    references: Vec<Option<[i8; 4]>>,
    /// Where each path is counted from in the block.
    bases: Vec<Option<[f32; 3]>>,
    /// Each frame of the block, placed.
    originals: Vec<Vec<Placed>>,
    /// Each frame as decoding places it.
    decoded: Vec<Vec<Placed>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(clip: &'a Clip, packed: &PackedClip) -> Self {
        let num_joints = clip.num_joints();
        let mut lanes = vec![None; num_joints];
        for (lane, &joint) in packed.moving.iter().enumerate() {
            lanes[joint as usize] = Some(lane);
        }
        let mut paths = vec![None; num_joints];
        for (number, path) in packed.paths.iter().filter(|path| path.still.is_none()).enumerate() {
            paths[path.joint] = Some(number);
        }
        let mut children = vec![Vec::new(); num_joints];
        for joint in 0..num_joints {
            if let Some(parent) = above(clip, joint) {
                children[parent].push(joint);
            }
        }
        let placed = Placed { position: DVec3::ZERO, rotation: DQuat::IDENTITY };
        Self {
            clip,
            scales: packed.scales.clone(),
            rest: packed.rest.iter().map(|&q| unit(q)).collect(),
            lanes,
            paths,
            children,
            frames: 0,
            poses: vec![Pose::rest(clip.skeleton()); BLOCK],
            references: vec![None; num_joints],
            bases: vec![None; num_joints],
            originals: vec![vec![placed; num_joints]; BLOCK],
            decoded: vec![vec![placed; num_joints]; BLOCK],
        }
    }

    /// Takes the frames from `first` on.
    pub(super) fn load(&mut self, first: usize, frames: usize) {
        self.frames = frames;
        for within in 0..frames {
            self.clip.pose_into(first + within, &mut self.poses[within]);
            place_into(self.clip.skeleton(), &self.poses[within], &mut self.originals[within]);
        }
        // The decoded parents' errors move the targets by less than a step or two, so one reference does for all steps.
        for joint in (0..self.lanes.len()).filter(|&joint| self.lanes[joint].is_some()) {
            let mut targets = [DQuat::IDENTITY; BLOCK];
            for (target, pose) in targets.iter_mut().zip(&self.poses[..frames]) {
                *target = unit(pose.rotations[joint]);
            }
            self.references[joint] = Some(reference(self.references[joint], &targets[..frames]));
        }
        for joint in (0..self.paths.len()).filter(|&joint| self.paths[joint].is_some()) {
            let places: Vec<DVec3> =
                self.poses[..frames].iter().map(|pose| local_position(self.clip, joint, pose)).collect();
            let near = |base: &[f32; 3]| {
                let base = Vec3::from_array(*base).as_dvec3();
                places.iter().all(|p| (*p - base).abs().max_element() <= FAR_M)
            };
            let first = places[0].as_vec3().to_array();
            self.bases[joint] = Some(self.bases[joint].filter(near).unwrap_or(first));
        }
    }

    /// Resets the state, as after a block of plain numbers.
    pub(super) fn forget(&mut self) {
        self.references.fill(None);
        self.bases.fill(None);
    }

    /// The coarsest exponent near `start` that holds the bound; `None` if none does.
    pub(super) fn coarsest(&mut self, start: u8) -> Option<(u8, Candidate)> {
        let mut exponent = start.min(MAX_EXPONENT - 1);
        let mut best = None;
        loop {
            let candidate = self.pack(exponent).filter(|candidate| candidate.error <= AIM_M);
            match (candidate, best) {
                (Some(candidate), _) if exponent == 0 => return Some((0, candidate)),
                (Some(candidate), None) if exponent > start => return Some((exponent, candidate)),
                (Some(candidate), _) => {
                    best = Some((exponent, candidate));
                    exponent -= 1;
                }
                (None, Some(best)) => return Some(best),
                (None, None) if exponent + 1 == MAX_EXPONENT => return None,
                (None, None) => {
                    best = None;
                    exponent += 1;
                }
            }
        }
    }

    /// The block in steps of this exponent; `None` if numbers get too large.
    fn pack(&mut self, exponent: u8) -> Option<Candidate> {
        let (lanes, paths) = (self.lanes.iter().flatten().count(), self.paths.iter().flatten().count());
        let mut out = Candidate { steps: Steps::new(lanes, paths), error: 0.0 };
        for joint in 0..self.clip.num_joints() {
            let positions = self.pack_path(joint, exponent, &mut out)?;
            let rotations = self.pack_rotation(joint, exponent, &positions, &mut out)?;
            let parent = above(self.clip, joint);
            for within in 0..self.frames {
                let parent = parent.map(|parent| self.decoded[within][parent]);
                let placed = Placed::below(parent.as_ref(), positions[within], rotations[within]);
                self.decoded[within][joint] = placed;
                out.error = out.error.max(placed.distance(&self.originals[within][joint]));
            }
            if out.error > AIM_M {
                return Some(out);
            }
        }
        Some(out)
    }

    /// Where `joint` should be below its decoded parent: positions and rotations of the block.
    fn parent(&self, joint: usize, within: usize) -> Option<&Placed> {
        above(self.clip, joint).map(|parent| &self.decoded[within][parent])
    }

    /// Local positions as decoded.
    fn pack_path(&self, joint: usize, exponent: u8, out: &mut Candidate) -> Option<[DVec3; BLOCK]> {
        let mut positions = [DVec3::ZERO; BLOCK];
        let Some(number) = self.paths[joint] else {
            for (within, p) in positions.iter_mut().enumerate().take(self.frames) {
                *p = local_position(self.clip, joint, &self.poses[within]);
            }
            return Some(positions);
        };
        let mut targets = [[0.0; BLOCK]; 3];
        for within in 0..self.frames {
            let original = self.originals[within][joint].position;
            let target = self
                .parent(joint, within)
                .map_or(original, |parent| parent.rotation.conjugate() * (original - parent.position));
            for (targets, target) in targets.iter_mut().zip(target.to_array()) {
                targets[within] = target;
            }
        }
        let step = PATH_SCALE * f64::from(factor(exponent));
        let base = self.bases[joint]?;
        out.steps.bases[number] = base;
        for axis in 0..3 {
            for within in 0..self.frames {
                let n = ((targets[axis][within] - f64::from(base[axis])) / step).round();
                if n.abs() >= MAX_PATH_STEPS as f64 {
                    return None;
                }
                out.steps.ways[3 * number + axis][within] = n as i64;
                positions[within][axis] = f64::from(position(base[axis], n as i64, step));
            }
        }
        Some(positions)
    }

    /// Local rotations as decoded.
    fn pack_rotation(
        &self,
        joint: usize,
        exponent: u8,
        positions: &[DVec3; BLOCK],
        out: &mut Candidate,
    ) -> Option<[DQuat; BLOCK]> {
        let Some(lane) = self.lanes[joint] else { return Some([self.rest[joint]; BLOCK]) };
        let mut targets = [DQuat::IDENTITY; BLOCK];
        let still =
            self.poses[..self.frames].windows(2).all(|p| p[0].rotations[joint] == p[1].rotations[joint]);
        for (within, target) in targets.iter_mut().enumerate().take(self.frames) {
            let local = unit(self.poses[within].rotations[joint]);
            *target = match self.parent(joint, within) {
                Some(parent) if !still => {
                    let turned = parent.rotation.conjugate() * self.aimed(joint, within, positions[within]);
                    if turned.dot(local) < 0.0 { -turned } else { turned }
                }
                _ => local,
            };
        }
        let step = self.scales[lane] * factor(exponent);
        let mut decoded = [DQuat::IDENTITY; BLOCK];
        let reference = self.references[joint]?;
        let frames = self.frames;
        let turns = pack_turns(reference, &targets[..frames], step, &mut decoded[..frames])?;
        out.steps.references[lane] = reference;
        out.steps.turns[3 * lane..3 * lane + 3].copy_from_slice(&turns);
        Some(decoded)
    }

    /// The world rotation that `joint` should have where its decoded parents put it, at `position` below them: its own,
    /// and a little turn δ that takes its children to where they should be, as near as one turn can.
    ///
    /// With e the way the joint is off and r the way to a child, δ is least Σ |δ × r − e|² + [`HOLD_M`]²|δ|².
    fn aimed(&self, joint: usize, within: usize, position: DVec3) -> DQuat {
        let original = &self.originals[within][joint];
        let children = &self.children[joint];
        let Some(parent) = self.parent(joint, within).filter(|_| !children.is_empty()) else {
            return original.rotation;
        };
        let off = original.position - (parent.position + parent.rotation * position);
        let mut sum = DMat3::from_diagonal(DVec3::splat(HOLD_M * HOLD_M));
        let mut pull = DVec3::ZERO;
        for &child in children {
            let r = self.originals[within][child].position - original.position;
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            sum += DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer;
            pull += r.cross(off);
        }
        let turn = 0.5 * (sum.inverse() * pull);
        DQuat::from_xyzw(turn.x, turn.y, turn.z, 1.0).normalize() * original.rotation
    }
}

/// The joint whose errors `joint` inherits: its parent; none for an expression.
pub(super) fn above(clip: &Clip, joint: usize) -> Option<usize> {
    clip.skeleton().parent(joint).filter(|_| !clip.skeleton().joint(joint).is_expression)
}

fn local_position(clip: &Clip, joint: usize, pose: &Pose) -> DVec3 {
    if joint == 0 {
        return pose.root.as_dvec3();
    }
    match pose.translations.binary_search_by_key(&joint, |(joint, _)| *joint) {
        Ok(place) => pose.translations[place].1.as_dvec3(),
        Err(_) => clip.skeleton().joint(joint).offset.as_dvec3(),
    }
}

/// The numbers of a block as they are, frame after frame.
pub(super) fn plain_bytes(clip: &Clip, packed: &PackedClip, first: usize, frames: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for frame in first..first + frames {
        for &joint in &packed.moving {
            out.extend(
                clip.rotation(joint as usize, frame).to_array().into_iter().flat_map(f32::to_le_bytes),
            );
        }
        for path in packed.paths.iter().filter(|path| path.still.is_none()) {
            out.extend(
                clip.local_position(path.joint, frame).to_array().into_iter().flat_map(f32::to_le_bytes),
            );
        }
    }
    out
}

/// Bits of a frame of plain numbers.
pub(super) fn plain_bits(num_moving: usize, num_paths: usize) -> usize {
    num_moving * 128 + num_paths * 96
}
