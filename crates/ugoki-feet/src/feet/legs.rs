//! One leg of one frame: how far it reaches, and bending it to a place.

use glam::{DVec3, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::ik::{TwoBone, solve_hinge, turn_towards};
use ugoki_base::math::exp64;
use ugoki_base::pose::ModelPose;

use super::hips::{LegFrame, bend_at};
use crate::contact::Foot;

/// Part of a leg's length up to which it reaches freely; legs already straighter may stay so: a bend of 20°.
pub const REACH: f64 = 0.985;
/// Width of the soft end of a leg, as a part of its length: a held foot misses its place by under 0.1 mm up to a bend of 20°.
const SOFT: f64 = 0.002;
/// Part of a leg's length that is always left: a bend of 4°.
const STRAIGHTEST: f64 = 6e-4;
/// Correction from which on the soft end holds fully, metres: a frame hardly touched keeps even a leg as straight as a rod.
const FULL_SHARE_M: f64 = 0.005;

/// The length that a leg gets which is asked to be so long, all in metres: nearly the same well within its reach, ever less beyond.
///
/// In parts of the leg, u is what is left to straight. F(u) = (u + √(u² + w²))/2 goes from u to 0 without a corner, and so does the knee, which
/// moves as √u: a leg that touches its full length for one frame would show a kink.
pub(super) fn soft_length(distance: f64, length: f64, width: f64) -> f64 {
    let left = 1.0 - distance / length.max(1e-9);
    length * (1.0 - (0.5 * (left + left.hypot(width))).max(STRAIGHTEST))
}

/// One leg of a pose, with the distance up to which it may be stretched.
pub struct Leg {
    /// Position of the hip joint, metres.
    pub hip: DVec3,
    /// Position of the ankle, metres.
    pub ankle: DVec3,
    length: f64,
    /// Thigh and shin, metres.
    bones: [f64; 2],
    /// Up to here the leg reaches freely: the configured fraction, or as far as the source already stretches.
    free: f64,
}

impl Leg {
    /// The leg of `foot` in a pose.
    #[must_use]
    pub fn new(pose: &ModelPose, foot: &Foot) -> Self {
        let [hip, knee, ankle] =
            [foot.upper, foot.lower, foot.ankle].map(|joint| pose.positions[joint].as_dvec3());
        let bones = [(knee - hip).length(), (ankle - knee).length()];
        let length = bones[0] + bones[1];
        Self { hip, ankle, length, bones, free: (ankle - hip).length().max(REACH * length) }
    }

    /// How much too short it is for an ankle at a place, metres; negative within reach.
    pub(super) fn lacks(&self, ankle: DVec3) -> f64 {
        (ankle - self.hip).length() - self.free
    }

    /// This leg in one frame, for the hips' least squares.
    pub fn frame(&self, shift: DVec3) -> LegFrame {
        LegFrame { line: self.hip - self.ankle, shift, bones: self.bones, free: self.free, weight: 1.0 }
    }

    /// Change of the knee's bend, radians, and how far the ankle stays off, metres, for shifted hips and ankle.
    pub fn cost(&self, hips: DVec3, shift: DVec3) -> (f64, f64) {
        let target = self.reachable(hips, shift);
        let bend = |length: f64| bend_at(length, self.bones);
        let change = bend((target - self.hip - hips).length()) - bend((self.ankle - self.hip).length());
        (change.abs(), (target - self.ankle - shift).length())
    }

    /// The ankle's place on the line to where it is shifted, held back smoothly short of a straight leg.
    fn reachable(&self, hips: DVec3, shift: DVec3) -> DVec3 {
        let target = self.ankle + shift;
        let line = target - self.hip - hips;
        let distance = line.length().max(1e-9);
        let part = ((shift.length() + hips.length()) / FULL_SHARE_M).min(1.0);
        target + line * (part * (soft_length(distance, self.length, SOFT) / distance - 1.0))
    }
}

/// Puts one leg's ankle and foot where they belong in one frame; `pole` is where the knee goes when it bends, in the thigh's frame
/// ([`Knees::poles`](super::Knees::poles)).
#[expect(clippy::too_many_arguments, reason = "one frame's worth of plain values")]
pub(super) fn bend_leg(
    clip: &mut Clip,
    frame: usize,
    pose: &ModelPose,
    foot: &Foot,
    turn: DVec3,
    shift: DVec3,
    hips: DVec3,
    pole: Vec3,
) {
    let leg = Leg::new(pose, foot);
    // Solved about the hip's old place: only the difference matters, and f32 keeps its digits.
    let target = (leg.reachable(hips, shift) - hips).as_vec3();
    let [upper, lower, ankle] = [foot.upper, foot.lower, foot.ankle].map(|joint| pose.positions[joint]);
    let pole = pose.rotations[foot.upper] * pole;
    let solved = solve_hinge(upper, lower, ankle, target, pole);
    let foot_world = exp64(turn).as_quat() * pose.rotations[foot.ankle];
    put_leg(clip, frame, pose, foot, &solved, foot_world);
}

/// Bends a knee that is bent away from its `pole` as far towards it, with ankle and foot in their places; says whether it was. `round` is
/// the part of the way round that it goes, and 1 for going round on the left of the leg, −1 on the right.
pub(super) fn face_knee(
    clip: &mut Clip,
    frame: usize,
    pose: &ModelPose,
    foot: &Foot,
    pole: Vec3,
    (part, outward): (f32, f32),
) -> bool {
    let [upper, lower, ankle] = [foot.upper, foot.lower, foot.ankle].map(|joint| pose.positions[joint]);
    let pole = pose.rotations[foot.upper] * pole;
    let Some(solved) = turn_towards(upper, lower, ankle, pole, part, outward) else { return false };
    put_leg(clip, frame, pose, foot, &solved, pose.rotations[foot.ankle]);
    true
}

/// Turns a whole leg about its hip joint in the world; knee and foot stay as they are bent and turned.
pub fn turn_leg(clip: &mut Clip, frame: usize, pose: &ModelPose, foot: &Foot, turn: Quat) {
    let solved = TwoBone { upper: turn, lower: turn, miss: 0.0 };
    put_leg(clip, frame, pose, foot, &solved, pose.rotations[foot.ankle]);
}

/// How far a knee is bent towards its `pole`, as the sine of its bend; negative when it is bent the other way.
pub(super) fn knee_bend(pose: &ModelPose, foot: &Foot, pole: Vec3) -> f32 {
    let [upper, lower, ankle] = [foot.upper, foot.lower, foot.ankle].map(|joint| pose.positions[joint]);
    let (a, b) = ((lower - upper).normalize_or_zero(), (ankle - lower).normalize_or_zero());
    let towards = (pose.rotations[foot.upper] * pole).cross(a).normalize_or_zero();
    a.cross(b).dot(towards)
}

/// Turns thigh and shin as solved and the foot to its world rotation.
fn put_leg(clip: &mut Clip, frame: usize, pose: &ModelPose, foot: &Foot, solved: &TwoBone, foot_world: Quat) {
    let skeleton = clip.skeleton().clone();
    let mut put = |joint: usize, world: Quat, above: Quat, root: usize| {
        // Joints between the limb's joints ride along with the one above them.
        let parent = skeleton.parent(joint).map_or(Quat::IDENTITY, |parent| {
            let world = pose.rotations[parent];
            if skeleton.is_below(parent, root) { above * world } else { world }
        });
        clip.set_rotation(joint, frame, (parent.conjugate() * world).normalize());
    };
    put(foot.upper, solved.upper * pose.rotations[foot.upper], Quat::IDENTITY, foot.upper);
    put(foot.lower, solved.lower * pose.rotations[foot.lower], solved.upper, foot.upper);
    put(foot.ankle, foot_world, solved.lower, foot.lower);
}
