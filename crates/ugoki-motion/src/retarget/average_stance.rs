//! How trunk and feet usually are in a motion: what a single frame of a walk or a jog does not tell.
//!
//! In one frame of a jog the pelvis is turned against the shoulders, and a foot is in the air. On the average over the
//! motion left and right even out, and where a foot is lowest it stands flat.

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose};
use ugoki_base::skeleton::{Role, Side, Skeleton};
use ugoki_feet::contact::{Foot, find_feet};

use super::limbs::{LIMBS, feet};
use super::stance::{Evidence, Stance, body_frame, left_of, trunk};
use super::{RetargetError, Whose};

/// Joints of the trunk; how much of their left is the shoulders' (the rest is the hips'), and how much of their up is
/// the world's (the rest is the trunk's): a head is held upright whatever the trunk does.
const TRUNK: [(Role, f64, f64); 8] = [
    (Role::Hips, 0.0, 0.0),
    (Role::Spine, 1.0 / 3.0, 0.0),
    (Role::Chest, 2.0 / 3.0, 0.0),
    (Role::UpperChest, 1.0, 0.0),
    (Role::LeftShoulder, 1.0, 0.0),
    (Role::RightShoulder, 1.0, 0.0),
    (Role::Neck, 0.5, 0.5),
    (Role::Head, 0.5, 1.0),
];

/// Share of the frames, those with the foot lowest, in which it counts as flat: half the time that each foot of a
/// runner spends on the ground, and less of a walker's \[winter2009\].
const FLAT_SHARE: f64 = 0.15;

/// A frame in which the trunk leans by more than this is no stance, as a cosine: 40°.
const UPRIGHT: f64 = 0.766;
/// Frames looked at for the most upright one.
const MOST_FRAMES: usize = 256;
/// Mean sine of a limb's bend from which on its hinge is believed: 9°.
const MIN_BEND: f64 = 0.15;
/// Share of a limb's bending that must be about one axis for it to be a hinge.
const MIN_FOCUS: f64 = 0.8;

/// Joints of the back nearer than this are at one place, metres.
const MIN_BONE_M: f64 = 0.02;
/// Fewest upright frames that show how the hips' own axes lie.
const FIRM_FRAMES: usize = 10;
/// Length of the mean of unit vectors from which on they are much the same: within about 25°.
const FIRM_FOCUS: f64 = 0.9;

impl Stance {
    /// The most upright frame, with trunk and feet as the whole motion shows them, and the hinges.
    pub(super) fn most_upright(clip: &Clip, whose: Whose) -> Result<Self, RetargetError> {
        let skeleton = clip.skeleton();
        let motion = clip.motion_frames();
        let step = motion.len().div_ceil(MOST_FRAMES).max(1);
        let mut best: Option<(f64, usize)> = None;
        let mut bends = [(DVec3::ZERO, 0.0, 0usize); 4];
        let mut usual = Usual::new(skeleton);
        for frame in motion.step_by(step) {
            let model = clip.model_pose(frame);
            if let Some(cost) = lean(skeleton, &model.positions) {
                usual.add(skeleton, &model);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, frame));
                }
            }
            for (limb, (sum, total, count)) in LIMBS.iter().zip(&mut bends) {
                if let Some(bend) = bend(skeleton, &model, limb) {
                    *sum += bend;
                    *total += bend.length();
                    *count += 1;
                }
            }
        }
        let (_, frame) = best.ok_or(RetargetError::NoStance { whose })?;
        let model = clip.model_pose(frame);
        let left = left_of(skeleton, &model.positions).ok_or(RetargetError::NoStance { whose })?;
        let body = body_frame(DVec3::Y, left).ok_or(RetargetError::NoStance { whose })?;
        let mut stance = Self::new(skeleton, Evidence::StandingFrame, &clip.pose(frame), &model, body);
        stance.hips = usual.hips();
        usual.straighten(&mut stance, &clip.pose(frame));
        stance.hinges = bends.map(|(sum, total, count)| {
            let clear = total > MIN_BEND * count as f64 && sum.length() > MIN_FOCUS * total;
            clear.then(|| sum.normalize_or_zero())
        });
        Ok(stance)
    }
}

/// How far a frame is from standing upright, radians; `None` when the trunk leans too far.
fn lean(skeleton: &Skeleton, positions: &[Vec3]) -> Option<f64> {
    let trunk = trunk(skeleton, positions)?;
    if trunk.y < UPRIGHT {
        return None;
    }
    let mut cost = trunk.angle_between(DVec3::Y);
    for [upper, lower, end] in [LIMBS[2], LIMBS[3]] {
        let at = |role: Role| Some(positions[skeleton.find(role)?].as_dvec3());
        let thigh = (at(lower)? - at(upper)?).try_normalize()?;
        let shin = (at(end)? - at(lower)?).try_normalize()?;
        cost += thigh.angle_between(DVec3::NEG_Y) + 0.5 * thigh.angle_between(shin);
    }
    Some(cost)
}

/// Bend of a limb as sine times axis, in the upper joint's frame.
fn bend(skeleton: &Skeleton, model: &ModelPose, limb: &[Role; 3]) -> Option<DVec3> {
    let [upper, lower, end] = [skeleton.find(limb[0])?, skeleton.find(limb[1])?, skeleton.find(limb[2])?];
    let a = (model.positions[lower] - model.positions[upper]).as_dvec3().try_normalize()?;
    let b = (model.positions[end] - model.positions[lower]).as_dvec3().try_normalize()?;
    Some(model.rotations[upper].as_dquat().conjugate() * a.cross(b))
}

/// From a joint of the back to the next one towards the head that is not at the same place, unit.
fn back_bone(skeleton: &Skeleton, model: &ModelPose, joint: usize) -> Option<DVec3> {
    let mut next = skeleton.find(Role::Neck).or_else(|| skeleton.find(Role::Head))?;
    let mut bone = None;
    while next != joint {
        let line = (model.positions[next] - model.positions[joint]).as_dvec3();
        bone = line.try_normalize().filter(|_| line.length() > MIN_BONE_M).or(bone);
        next = skeleton.parent(next)?;
    }
    bone
}

/// Sums over the upright frames of a motion.
pub(super) struct Usual {
    /// Left and up in the joint's frame, summed; one entry for each of [`TRUNK`].
    trunk: [(DVec3, DVec3); TRUNK.len()],
    /// For both feet and every frame: height of ankle and toe together, metres, and the world's up in the frames of foot
    /// and toes.
    soles: [Vec<(f64, [DVec3; 2])>; 2],
    toes: [Option<Foot>; 2],
    /// Frames counted.
    frames: usize,
}

impl Usual {
    pub(super) fn new(skeleton: &Skeleton) -> Self {
        let found = find_feet(skeleton).ok();
        let toes = [0, 1].map(|side| Some(found.as_ref()?.feet[side]).filter(|foot| foot.length_m > 0.0));
        Self {
            trunk: [(DVec3::ZERO, DVec3::ZERO); TRUNK.len()],
            soles: [Vec::new(), Vec::new()],
            toes,
            frames: 0,
        }
    }

    /// Counts a frame in which the body is upright.
    pub(super) fn add(&mut self, skeleton: &Skeleton, model: &ModelPose) {
        let across = |left: Role, right: Role| {
            let (left, right) = (skeleton.find(left)?, skeleton.find(right)?);
            (model.positions[left] - model.positions[right]).as_dvec3().try_normalize()
        };
        let hips = across(Role::LeftUpperLeg, Role::RightUpperLeg);
        let shoulders = across(Role::LeftUpperArm, Role::RightUpperArm).or(hips);
        if let (Some(hips), Some(shoulders), Some(up)) = (hips, shoulders, trunk(skeleton, &model.positions))
        {
            self.frames += 1;
            for ((role, upper, world), (left_sum, up_sum)) in TRUNK.into_iter().zip(&mut self.trunk) {
                let Some(joint) = skeleton.find(role) else { continue };
                let from_world = model.rotations[joint].as_dquat().conjugate();
                let up = match role {
                    Role::Spine | Role::Chest | Role::UpperChest => {
                        back_bone(skeleton, model, joint).unwrap_or(up)
                    }
                    _ => up,
                };
                *left_sum += from_world * hips.lerp(shoulders, upper);
                *up_sum += from_world * up.lerp(DVec3::Y, world);
            }
        }
        for ((side, soles), foot) in
            [Side::Left, Side::Right].into_iter().zip(&mut self.soles).zip(&self.toes)
        {
            if let (Some(joint), Some(foot)) = (skeleton.find(feet(side).0), foot) {
                let height = model.positions[foot.ankle].y + foot.toe.position(model).y;
                let toes = skeleton.find(feet(side).1).unwrap_or(joint);
                let up = [joint, toes].map(|j| model.rotations[j].as_dquat().conjugate() * DVec3::Y);
                soles.push((f64::from(height), up));
            }
        }
    }

    /// The body's axes in the hips' frame; `None` after too few frames, or when they vary.
    fn hips(&self) -> Option<DQuat> {
        let (left, up) = self.trunk[0];
        let enough = FIRM_FOCUS * self.frames.max(FIRM_FRAMES) as f64;
        (left.length().min(up.length()) > enough).then(|| body_frame(up.normalize_or_zero(), left))?
    }

    /// Turns trunk and feet of the stance to where they usually are; all other joints keep their places relative to
    /// their parents.
    pub(super) fn straighten(&mut self, stance: &mut Stance, pose: &Pose) {
        let skeleton = stance.skeleton.clone();
        let mut wanted: Vec<Option<DQuat>> = vec![None; skeleton.num_joints()];
        for ((role, ..), (left, up)) in TRUNK.into_iter().zip(self.trunk) {
            if let (Some(joint), Some(up)) = (skeleton.find(role), up.try_normalize())
                && let Some(joint_from_body) = body_frame(up, left)
            {
                wanted[joint] = Some(stance.body * joint_from_body.conjugate());
            }
        }
        for (side, soles) in [Side::Left, Side::Right].into_iter().zip(&mut self.soles) {
            soles.sort_by(|a, b| a.0.total_cmp(&b.0));
            let lowest = ((soles.len() as f64 * FLAT_SHARE).ceil() as usize).min(soles.len());
            let (foot, toes) = feet(side);
            for (part, role) in [foot, toes].into_iter().enumerate() {
                let up: DVec3 = soles[..lowest].iter().map(|(_, up)| up[part]).sum();
                if let (Some(joint), Some(up)) = (skeleton.find(role), up.try_normalize()) {
                    // The shortest way: where the foot points is read from it afterwards.
                    let now = stance.rotations[joint];
                    wanted[joint] = Some(DQuat::from_rotation_arc(now * up, DVec3::Y) * now);
                }
            }
        }
        let mut offsets: Vec<DVec3> = skeleton.joints().iter().map(|joint| joint.offset.as_dvec3()).collect();
        let places = pose.translations.iter().filter(|(joint, _)| !skeleton.joint(*joint).is_expression);
        for &(joint, place) in places {
            offsets[joint] = place.as_dvec3();
        }
        for joint in 0..skeleton.num_joints() {
            let (above, at) = match skeleton.parent(joint) {
                Some(parent) => (stance.rotations[parent], stance.positions[parent]),
                None => (DQuat::IDENTITY, DVec3::ZERO),
            };
            if let Some(world) = wanted[joint] {
                stance.local[joint] = (above.conjugate() * world).normalize();
            }
            stance.rotations[joint] = (above * stance.local[joint]).normalize();
            if skeleton.parent(joint).is_some() {
                stance.positions[joint] = at + above * offsets[joint];
            }
        }
    }
}
