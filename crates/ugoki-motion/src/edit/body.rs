//! Bodies rebuilt around the handles that were moved: feet without a target keep their paths, hips give way within their reach.
//!
//! Ankles and wrists are met by closing their limbs, toes by moving their ankle, all others by relaxation that is aimed again by
//! what it missed. What is out of reach gives way to the feet, and the nearest body that was found is taken.

use glam::{Quat, Vec3};
use ugoki_base::bend_axes::bend_poles;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};

use super::EditError;
use super::reach::{Ball, Reach, nearest_in};
use crate::reconstruct::{Frame, Rebuild, Residual, Scratch, Target, rebuild_into};

/// Times that handles which no limb ends in are aimed again by what was missed, and when that is enough, metres.
const AIMS: usize = 60;
/// Times after which the hips are moved too: a head straight down over a straight spine is met only by them.
const AIMS_OF_TRUNK: usize = 20;
/// Most that a handle is aimed beyond its goal, metres: a trunk's length.
const MAX_LEAD_M: f32 = 0.5;
const ENOUGH_M: f32 = 1e-5;

/// Distance, metres, from which on a foot without a target has given way: the handles must.
const FOOT_GIVES_M: f32 = 1e-4;

/// Most that hips without a target move while a foot stays, in lengths of a leg: as far as they sink into a deep squat.
const HIPS_SHIFT: f32 = 0.5;

/// The feet and their toes.
const FEET: [[Role; 2]; 2] = [[Role::LeftFoot, Role::LeftToes], [Role::RightFoot, Role::RightToes]];

/// Rebuilds bodies of one clip around given handles.
pub(super) struct Bodies {
    frame: Frame,
    /// Joints of the caller's handles, and whether each gives way in every frame.
    joints: Vec<usize>,
    gives_way: Vec<bool>,
    /// For every handle of the frame the caller's handle that moves it, and whether that is the toes below it.
    by: Vec<Option<(usize, bool)>>,
    /// Whether a handle of the frame is an ankle.
    is_foot: Vec<bool>,
    /// Whether a handle is no limb's end: it is met by being aimed again.
    aimed: Vec<bool>,
    reach: Reach,
    model: ModelPose,
    out: ModelPose,
    /// The nearest body found so far.
    best: ModelPose,
    scratch: Scratch,
    targets: Vec<Target>,
    /// Where handles belong, and the nearest places to that which are in reach.
    wanted: Vec<Vec3>,
    goals: Vec<Vec3>,
    balls: Vec<Ball>,
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
        let is_foot =
            handles.iter().map(|&joint| FEET.iter().any(|[foot, _]| find(*foot) == Some(joint))).collect();
        let ends = [Role::LeftFoot, Role::RightFoot, Role::LeftHand, Role::RightHand];
        let aimed = handles.iter().map(|&joint| !ends.iter().any(|&end| find(end) == Some(joint))).collect();
        let frame = Frame::build(skeleton, &handles, &bend_poles(clip))?.with_rebuild(rebuild);
        let mut model = ModelPose::default();
        forward_kinematics_into(skeleton, &Pose::rest(skeleton), &mut model);
        Ok(Self {
            joints: joints.to_vec(),
            gives_way: vec![false; joints.len()],
            out: model.clone(),
            best: model.clone(),
            model,
            scratch: Scratch::new(&frame),
            targets: Vec::with_capacity(by.len()),
            wanted: Vec::with_capacity(by.len()),
            goals: Vec::with_capacity(by.len()),
            balls: Vec::with_capacity(FEET.len()),
            reach: Reach::build(skeleton),
            frame,
            by,
            is_foot,
            aimed,
        })
    }

    /// Lets a handle of the caller give way from now on, and returns how far from its place in the body rebuilt last the nearest place
    /// in reach is.
    pub(super) fn let_give_way(&mut self, handle: usize) -> Vec3 {
        self.gives_way[handle] = true;
        let at = self.by.iter().position(|by| by.is_some_and(|(other, _)| other == handle));
        at.map_or(Vec3::ZERO, |at| self.goals[at] - self.wanted[at])
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
        self.aim_at(skeleton, places);
        let mut links_m = self.solve();
        // A foot that stays goes before a handle that cannot be met.
        if self.feet_off_m() > FOOT_GIVES_M {
            self.let_handles_give_way();
            links_m = links_m.max(self.solve());
        }
        if let Some(hips) = self.hips_gone_too_far() {
            self.let_handles_give_way();
            self.goals[hips.0] = hips.1;
            self.targets[hips.0] = Target { position: hips.1, holds: true, ..self.targets[hips.0] };
            links_m = links_m.max(self.solve());
        }
        let mut residual = Residual { links_m, ..Residual::default() };
        for (at, &joint) in self.frame.handles().iter().enumerate() {
            let off = self.wanted[at].distance(self.out.positions[joint]);
            residual.any_m = residual.any_m.max(off);
            if self.by[at].is_some() || self.is_foot[at] {
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

    /// Sets targets: where handles belong, as far as that is in reach.
    fn aim_at(&mut self, skeleton: &Skeleton, places: &[(Vec3, Option<Quat>)]) {
        let model = &self.model;
        let base = skeleton.find(Role::Hips).unwrap_or(0);
        self.targets.clear();
        self.wanted.clear();
        self.goals.clear();
        self.balls.clear();
        for (&joint, by) in self.frame.handles().iter().zip(&self.by) {
            let (place, turn) = (model.positions[joint], model.rotations[joint]);
            let (place, rotation) = match *by {
                None => (place, turn),
                Some((at, false)) => (places[at].0, places[at].1.unwrap_or(turn)),
                // Toes go where they must by moving the foot as it is.
                Some((at, true)) => (places[at].0 - (model.positions[self.joints[at]] - place), turn),
            };
            let is_base = joint == base;
            let turned = by.is_some_and(|(at, toes)| !toes && places[at].1.is_some());
            let keeps = !is_base || turned || by.is_none();
            // Hips give way unless they are a handle; feet and handles hold.
            let holds = by.is_some() || !is_base;
            self.targets.push(Target { position: place, rotation: keeps.then_some(rotation), holds });
            self.wanted.push(place);
        }
        let hips = self.frame.handles().iter().position(|&joint| joint == base);
        let turn = hips.and_then(|at| self.targets[at].rotation);
        let turn = turn.map_or(Quat::IDENTITY, |rotation| rotation * model.rotations[base].inverse());
        for (at, &joint) in self.frame.handles().iter().enumerate() {
            if self.by[at].is_none() {
                self.balls.extend(self.reach.ball(model, turn, joint, self.wanted[at]));
            }
        }
        let asked_hips = hips.filter(|&at| self.by[at].is_some());
        let hips_place = asked_hips.map(|at| nearest_in(&self.balls, self.wanted[at]));
        // Without feet the hips stay: nothing else says how far they may go.
        let hips_place =
            hips_place.or_else(|| (!self.is_foot.contains(&true)).then(|| model.positions[base]));
        for (at, &joint) in self.frame.handles().iter().enumerate() {
            let wanted = self.wanted[at];
            let goal = match self.by[at] {
                None => wanted,
                Some(_) => {
                    let within = (hips_place, self.balls.as_slice());
                    self.reach.nearest(skeleton, model, turn, (joint, wanted), within)
                }
            };
            let is_met = goal == wanted && !self.by[at].is_some_and(|(handle, _)| self.gives_way[handle]);
            self.goals.push(goal);
            let target = &mut self.targets[at];
            target.position = goal;
            // What cannot be met must not pull the feet away.
            target.holds &= is_met || joint == base;
            target.holds |= joint == base && !self.is_foot.contains(&true);
        }
    }

    /// Rebuilds the body, aims what was missed again, and keeps the nearest body; returns the error of links that is left, metres.
    fn solve(&mut self) -> f32 {
        let base = self.frame.handles().iter().position(|&joint| joint == self.frame.base());
        let hips = base.filter(|&at| self.by[at].is_none() && !self.targets[at].holds);
        let mut links_m = self.rebuild_once();
        let mut least = self.missed_m();
        self.best.clone_from(&self.out);
        for aim in 0..AIMS {
            let (mut missed, mut shift) = (0.0_f32, Vec3::ZERO);
            for (at, &joint) in self.frame.handles().iter().enumerate() {
                if self.by[at].is_some() && self.aimed[at] {
                    let off = self.goals[at] - self.out.positions[joint];
                    if off.length() > missed {
                        (missed, shift) = (off.length(), off);
                    }
                    let lead = self.targets[at].position + off - self.goals[at];
                    self.targets[at].position = self.goals[at] + lead.clamp_length_max(MAX_LEAD_M);
                }
            }
            if missed < ENOUGH_M || !missed.is_finite() {
                break;
            }
            if let Some(hips) = hips.filter(|_| aim >= AIMS_OF_TRUNK) {
                let place = self.targets[hips].position + shift;
                self.targets[hips].position = nearest_in(&self.balls, place);
            }
            let links = self.rebuild_once();
            let found = self.missed_m();
            if found < least {
                (least, links_m) = (found, links);
                self.best.clone_from(&self.out);
            }
        }
        self.out.clone_from(&self.best);
        // A second solution starts from the goals again.
        for (target, goal) in self.targets.iter_mut().zip(&self.goals) {
            target.position = *goal;
        }
        links_m
    }

    /// Which handle the hips are and where they stop, when they moved farther than [`HIPS_SHIFT`].
    fn hips_gone_too_far(&self) -> Option<(usize, Vec3)> {
        let base = self.frame.base();
        let at = self.frame.handles().iter().position(|&joint| joint == base)?;
        let leg_m = self.balls.iter().map(Ball::radius).reduce(f32::min)?;
        let shift = self.out.positions[base] - self.model.positions[base];
        let (most, far) = (HIPS_SHIFT * leg_m, shift.length());
        let stop = self.model.positions[base] + shift * (most / far.max(most));
        (self.by[at].is_none() && far > most).then_some((at, stop))
    }

    /// Only feet without a target hold from now on.
    fn let_handles_give_way(&mut self) {
        for (at, target) in self.targets.iter_mut().enumerate() {
            target.holds &= self.by[at].is_none();
        }
    }

    fn rebuild_once(&mut self) -> f32 {
        rebuild_into(&self.frame, &self.model, &self.targets, &mut self.scratch, &mut self.out).links_m
    }

    /// Greatest distance of a handle from its goal, metres; a foot that stays counts like a handle.
    fn missed_m(&self) -> f32 {
        let off = |(at, &joint): (usize, &usize)| self.goals[at].distance(self.out.positions[joint]);
        let counts = |(at, _): &(usize, &usize)| self.by[*at].is_some() || self.is_foot[*at];
        self.frame.handles().iter().enumerate().filter(counts).map(off).fold(0.0, f32::max)
    }

    /// Greatest distance of a foot without a target from its place, metres.
    fn feet_off_m(&self) -> f32 {
        let off = |(at, &joint): (usize, &usize)| self.goals[at].distance(self.out.positions[joint]);
        let stays = |(at, _): &(usize, &usize)| self.by[*at].is_none() && self.is_foot[*at];
        self.frame.handles().iter().enumerate().filter(stays).map(off).fold(0.0, f32::max)
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
