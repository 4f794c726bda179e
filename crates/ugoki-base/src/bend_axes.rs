//! Which way knees and elbows bend, estimated from the motion.
//!
//! A skeleton's rest pose does not show it: in many rigs all offsets lie along one axis, and joints are rolled about their bones. The
//! motion does. In the frame of the upper joint (thigh, upper arm) a hinge bends about one axis; bends vote for it by the square of
//! their sine. A prior of a small bend towards the toes (knees) or the back (elbows) decides where the motion shows too little. Only
//! joint positions count, so local axes, roll and rest pose do not matter.

use glam::{DVec3, Vec3};

use crate::clip::Clip;
use crate::pose::{ModelPose, Pose, forward_kinematics_into};
use crate::skeleton::{Role, Skeleton, facing};

/// Upper joint, middle joint and end of a limb.
pub const LIMBS: [[Role; 3]; 4] = [
    [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot],
    [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot],
    [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
    [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
];

/// Toes of the legs among [`LIMBS`].
const TOES: [Role; 2] = [Role::LeftToes, Role::RightToes];
/// Weight of the prior: the vote of a limb bent by 9° in every frame (sin² 9°), above the noise of a straight one.
const PRIOR: f64 = 0.0245;
/// Sine of a bend against the prior from which on a limb does bend that way, unless it bends farther towards the prior: 40°, more than any
/// overstretched knee or elbow. A bird's leg does, and so do legs whose thighs a solver turned round.
pub const OTHER_WAY: f64 = 0.64;
/// Frames looked at: enough for a mean, few enough for an hour of capture.
const MAX_FRAMES: usize = 512;

/// For each of [`LIMBS`] the unit direction, in the frame of its upper joint, towards which the middle joint moves as the limb bends;
/// `None` where the skeleton lacks the limb or it has no length.
#[must_use]
pub fn bend_poles(clip: &Clip) -> [Option<Vec3>; 4] {
    let skeleton = clip.skeleton();
    let motion = clip.motion_frames();
    let step = motion.len().div_ceil(MAX_FRAMES).max(1);
    let mut votes: [Votes; 4] = Default::default();
    let mut pose = Pose::rest(skeleton);
    let mut model = ModelPose::default();
    for frame in motion.step_by(step) {
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(skeleton, &pose, &mut model);
        for (at, votes) in votes.iter_mut().enumerate() {
            votes.add(skeleton, &model, at);
        }
    }
    votes.map(|votes| votes.pole())
}

/// Sums over the frames, in the frame of the upper joint.
#[derive(Default)]
struct Votes {
    /// Sine of the bend times its axis, frame by frame.
    bends: Vec<DVec3>,
    /// Axes of the prior.
    prior: DVec3,
    /// Directions of the upper bone.
    along: DVec3,
}

impl Votes {
    fn add(&mut self, skeleton: &Skeleton, model: &ModelPose, limb: usize) {
        let at = |role: Role| Some(model.positions[skeleton.find(role)?].as_dvec3());
        let bones = || {
            let [upper, middle, end] = LIMBS[limb];
            let joint = skeleton.find(upper)?;
            let (a, b, c) = (at(upper)?, at(middle)?, at(end)?);
            let front = facing(skeleton, &model.positions).map(Vec3::as_dvec3);
            let towards = match TOES.get(limb) {
                Some(&toes) => foot_direction(skeleton, model, end, toes).or(front),
                None => front.map(|front| -front),
            };
            Some((joint, (b - a).try_normalize()?, (c - b).try_normalize()?, towards))
        };
        let Some((joint, first, second, towards)) = bones() else { return };
        let upper_from_world = model.rotations[joint].as_dquat().conjugate();
        self.bends.push(upper_from_world * first.cross(second));
        if let Some(axis) = towards.and_then(|towards| towards.cross(first).try_normalize()) {
            self.prior += upper_from_world * axis;
        }
        self.along += upper_from_world * first;
    }

    fn pole(&self) -> Option<Vec3> {
        let prior = self.prior.normalize_or_zero();
        // Knees are captured past straight: that shows the axis, but not the side.
        let signed = self.bends.iter().map(|bend| bend.dot(prior));
        let (least, most) =
            signed.fold((0.0_f64, 0.0_f64), |(least, most), sine| (least.min(sine), most.max(sine)));
        let far = -least > OTHER_WAY && -least > most;
        let bend: DVec3 = self.bends.iter().map(|&bend| bend * bend.length()).sum();
        let side = if (bend.dot(prior) < 0.0) == far { 1.0 } else { -1.0 };
        let prior = if far { DVec3::ZERO } else { prior };
        let axis = bend * side + prior * (PRIOR * self.bends.len() as f64);
        // The axis turns the first bone onto the second; their middle goes to the other side.
        Some(self.along.cross(axis).try_normalize()?.as_vec3())
    }
}

/// From the ankle to the toes or, without such a joint, to the farthest child or tip.
fn foot_direction(skeleton: &Skeleton, model: &ModelPose, foot: Role, toes: Role) -> Option<DVec3> {
    let ankle = skeleton.find(foot)?;
    let children = skeleton.children(ankle).iter().map(|&child| model.positions[child]);
    let tips = skeleton.joint(ankle).tips.iter().map(|&tip| model.point(ankle, tip));
    let from = model.positions[ankle];
    let farthest = || children.chain(tips).max_by(|a, b| a.distance(from).total_cmp(&b.distance(from)));
    let to = skeleton.find(toes).map(|joint| model.positions[joint]).or_else(farthest)?;
    (to - from).as_dvec3().try_normalize()
}
