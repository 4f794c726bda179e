//! Bodies rebuilt around the handles that were moved: feet without a target keep their paths, hips give way.
//!
//! Ankles and wrists are met by closing their limbs, toes by moving their ankle, all others by relaxation that is aimed again by
//! what it missed.

use glam::{Quat, Vec3};
use ugoki_base::bend_axes::bend_poles;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};

use super::EditError;
use crate::reconstruct::{Frame, Rebuild, Residual, Scratch, Target, rebuild_into};

/// Times that handles which no limb ends in are aimed again by what was missed, and when that is enough, metres.
const AIMS: usize = 60;
/// Times after which the hips are moved too: a head straight down over a straight spine is met only by them.
const AIMS_OF_TRUNK: usize = 20;
const ENOUGH_M: f32 = 1e-5;

/// The feet and their toes.
const FEET: [[Role; 2]; 2] = [[Role::LeftFoot, Role::LeftToes], [Role::RightFoot, Role::RightToes]];

/// Rebuilds bodies of one clip around given handles.
pub(super) struct Bodies {
    frame: Frame,
    /// Joints of the caller's handles.
    joints: Vec<usize>,
    /// For every handle of the frame the caller's handle that moves it, and whether that is the toes below it.
    by: Vec<Option<(usize, bool)>>,
    /// Whether a handle is no limb's end: it is met by being aimed again.
    aimed: Vec<bool>,
    model: ModelPose,
    out: ModelPose,
    scratch: Scratch,
    targets: Vec<Target>,
    wanted: Vec<Vec3>,
}

impl Bodies {
    /// For handles at `joints`.
    pub(super) fn build(clip: &Clip, joints: &[usize], rebuild: Rebuild) -> Result<Self, EditError> {
        let skeleton = clip.skeleton();
        let find = |role: Role| skeleton.find(role);
        let mut handles: Vec<usize> = Vec::new();
        let mut by: Vec<Option<(usize, bool)>> = Vec::new();
        let mut add =
            |joint: usize, handle: Option<(usize, bool)>| match handles.iter().position(|&h| h == joint) {
                // Of an ankle and its toes, the ankle is met.
                Some(at) => by[at] = by[at].filter(|(_, toes)| !toes).or(handle),
                None => {
                    handles.push(joint);
                    by.push(handle);
                }
            };
        if let Some(hips) = find(Role::Hips) {
            add(hips, None);
        }
        for foot in FEET.iter().filter_map(|[foot, _]| find(*foot)) {
            add(foot, None);
        }
        for (at, &joint) in joints.iter().enumerate() {
            let toes = FEET.iter().find(|[foot, toes]| find(*toes) == Some(joint) && find(*foot).is_some());
            match toes.and_then(|[foot, _]| find(*foot)) {
                Some(ankle) => add(ankle, Some((at, true))),
                None => add(joint, Some((at, false))),
            }
        }
        let ends = [Role::LeftFoot, Role::RightFoot, Role::LeftHand, Role::RightHand];
        let aimed = handles.iter().map(|&joint| !ends.iter().any(|&end| find(end) == Some(joint))).collect();
        let frame = Frame::build(skeleton, &handles, &bend_poles(clip))?.with_rebuild(rebuild);
        let mut model = ModelPose::default();
        forward_kinematics_into(skeleton, &Pose::rest(skeleton), &mut model);
        Ok(Self {
            joints: joints.to_vec(),
            out: model.clone(),
            model,
            scratch: Scratch::new(&frame),
            targets: Vec::with_capacity(by.len()),
            wanted: Vec::with_capacity(by.len()),
            frame,
            by,
            aimed,
        })
    }

    /// World positions of the body rebuilt last.
    pub(super) fn positions(&self) -> &[Vec3] {
        &self.out.positions
    }

    /// Rebuilds a captured pose around the places of the handles, world; a rotation that is absent stays as captured. A pose whose
    /// handles are where they were captured stays as it is, to the last bit.
    pub(super) fn rebuild(
        &mut self,
        skeleton: &Skeleton,
        places: &[(Vec3, Option<Quat>)],
        pose: &mut Pose,
    ) -> Residual {
        forward_kinematics_into(skeleton, pose, &mut self.model);
        let model = &self.model;
        let stays = |(&joint, (place, rotation)): (&usize, &(Vec3, Option<Quat>))| {
            *place == model.positions[joint] && rotation.is_none()
        };
        if self.joints.iter().zip(places).all(stays) {
            self.out.clone_from(model);
            return Residual::default();
        }
        self.targets.clear();
        self.wanted.clear();
        let base = skeleton.find(Role::Hips).unwrap_or(0);
        for (&joint, by) in self.frame.handles().iter().zip(&self.by) {
            let (place, turn) = (model.positions[joint], model.rotations[joint]);
            let (place, rotation) = match *by {
                None => (place, turn),
                Some((at, false)) => (places[at].0, places[at].1.unwrap_or(turn)),
                // Toes go where they must by moving the foot as it is.
                Some((at, true)) => (places[at].0 - (model.positions[self.joints[at]] - place), turn),
            };
            let is_base = joint == base;
            // Hips give way unless they are a handle; feet and handles hold.
            let holds = by.is_some() || !is_base;
            let turned = by.is_some_and(|(at, toes)| !toes && places[at].1.is_some());
            let keeps = !is_base || turned || by.is_none();
            self.targets.push(Target { position: place, rotation: keeps.then_some(rotation), holds });
            self.wanted.push(place);
        }
        let mut found = rebuild_into(&self.frame, model, &self.targets, &mut self.scratch, &mut self.out);
        let hips = self.frame.handles().iter().position(|&joint| joint == base);
        let hips = hips.filter(|&at| self.by[at].is_none());
        for aim in 0..AIMS {
            let mut missed = 0.0_f32;
            let mut shift = Vec3::ZERO;
            for (at, &joint) in self.frame.handles().iter().enumerate() {
                if self.aimed[at] && self.by[at].is_some() {
                    let off = self.wanted[at] - self.out.positions[joint];
                    if off.length() > missed {
                        (missed, shift) = (off.length(), off);
                    }
                    self.targets[at].position += off;
                }
            }
            if let Some(hips) = hips.filter(|_| aim >= AIMS_OF_TRUNK) {
                self.targets[hips].position += shift;
            }
            if missed < ENOUGH_M || !missed.is_finite() {
                break;
            }
            found = rebuild_into(&self.frame, model, &self.targets, &mut self.scratch, &mut self.out);
        }
        // What was aimed elsewhere is judged by where it belongs.
        let mut residual = Residual { links_m: found.links_m, ..Residual::default() };
        for (at, &joint) in self.frame.handles().iter().enumerate() {
            let off = self.wanted[at].distance(self.out.positions[joint]);
            residual.any_m = residual.any_m.max(off);
            if self.targets[at].holds {
                residual.held_m = residual.held_m.max(off);
            }
        }
        pose.root = self.out.positions[0];
        for (joint, node) in skeleton.joints().iter().enumerate() {
            let world = self.out.rotations[joint];
            pose.rotations[joint] =
                node.parent.map_or(world, |parent| self.out.rotations[parent].inverse() * world);
        }
        residual
    }
}

/// The larger of each figure.
pub(super) fn larger(a: Residual, b: Residual) -> Residual {
    Residual {
        held_m: a.held_m.max(b.held_m),
        any_m: a.any_m.max(b.any_m),
        links_m: a.links_m.max(b.links_m),
    }
}
