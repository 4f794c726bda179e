//! From a posture to joint rotations: the one place where degrees become quaternions.
//!
//! Trunk and head distribute their bend over their joints; arms are set from the trunk, the shoulder girdle
//! following the arm; legs reach for their feet by the two-bone solve or take their own angles.

use glam::{DQuat, DVec3, Quat};
use ugoki_base::ik::solve_two_bone;
use ugoki_base::math::exp64;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::Side;

use super::body::{self, HIP_HALF_WIDTH, HIPS_ABOVE, HIPS_HEIGHT, SHANK, THIGH, joint};
use super::feet::{Foot, STANCE_HALF_WIDTH, STANCE_TOE_OUT_DEG};
use super::minimum_jerk::ease;
use super::posture::{Arm, Leg, Posture};

/// How the trunk's flexion, side bend and twist are shared by spine, chest and upper chest: the lumbar part
/// flexes most, the thoracic part turns most [kapandji2008].
const BEND_WEIGHTS: [f64; 3] = [0.45, 0.33, 0.22];
const TWIST_WEIGHTS: [f64; 3] = [0.15, 0.35, 0.50];
/// Neck and head take head movements about equally.
const HEAD_WEIGHTS: [f64; 2] = [0.45, 0.55];
/// Past 30° of elevation the girdle takes a third of the arm's further rise: the 2 : 1 rhythm of [inman1944]. The
/// collar bone itself shows about half of that as elevation, the rest is the shoulder blade's own turn.
const GIRDLE_FRACTION: f64 = 1.0 / 6.0;

/// The collar bones slope down under a hanging arm, degrees: a relaxed shoulder stands 2 cm lower than in the T-pose.
const SLOPE: f64 = 6.0;

/// Where the body is on the ground: place of the pelvis' vertical and heading.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Stage {
    /// Ground point under the body, metres.
    pub place: DVec3,
    /// Direction the body faces, radians, positive to the left of +Z.
    pub heading: f64,
}

impl Stage {
    /// The point `x` to the left, `y` up and `z` in front.
    pub(super) fn point(&self, local: DVec3) -> DVec3 {
        self.place + DQuat::from_rotation_y(self.heading) * local
    }

    /// The idle stance of one foot.
    pub(super) fn stance(&self, side: Side) -> Foot {
        let s = body::sign(side);
        Foot::flat(
            self.point(DVec3::new(s * STANCE_HALF_WIDTH, 0.0, 0.0)),
            self.heading + s * STANCE_TOE_OUT_DEG.to_radians(),
        )
    }

    /// The foot that a posture's leg channels ask for.
    pub(super) fn foot(&self, side: Side, leg: &Leg) -> Foot {
        let s = body::sign(side);
        let place = DVec3::new(s * (STANCE_HALF_WIDTH + leg.step_x), leg.step_y, leg.step_z);
        let yaw = self.heading + s * (STANCE_TOE_OUT_DEG + leg.toe_out).to_radians();
        Foot::flat(self.point(place), yaw).rolled(-leg.heel_lift.to_radians())
    }
}

/// Rotation of the pelvis in the world and the place of the hips joint.
pub(super) fn pelvis(posture: &Posture, stage: &Stage) -> (DVec3, DQuat) {
    let t = &posture.torso;
    let place = stage.point(DVec3::new(t.x, HIPS_HEIGHT + t.y, t.z));
    let turn = DQuat::from_rotation_y(stage.heading + t.turn.to_radians());
    let tip = DQuat::from_rotation_x(t.tilt.to_radians()) * DQuat::from_rotation_z(t.list.to_radians());
    (place, turn * tip)
}

/// Hip joint centre of one side.
pub(super) fn hip_centre(pelvis: (DVec3, DQuat), side: Side) -> DVec3 {
    pelvis.0 + pelvis.1 * DVec3::new(body::sign(side) * HIP_HALF_WIDTH, -HIPS_ABOVE, 0.0)
}

/// All joint rotations of a posture whose feet stand at `feet` (left, right).
pub(super) fn pose(posture: &Posture, stage: &Stage, feet: [Foot; 2]) -> Pose {
    let skeleton = body::skeleton();
    let mut pose = Pose::rest(&skeleton);
    let placed = pelvis(posture, stage);
    pose.root = placed.0.as_vec3();
    let mut set = |index: usize, q: DQuat| pose.rotations[index] = q.as_quat().normalize();
    set(joint::HIPS, placed.1);

    let t = &posture.torso;
    for (i, index) in [joint::SPINE, joint::CHEST, joint::UPPER_CHEST].into_iter().enumerate() {
        let (bend, twist) = (BEND_WEIGHTS[i], TWIST_WEIGHTS[i]);
        set(index, turned(t.bend * bend, t.lean * bend, t.twist * twist));
    }
    let nod = t.nod - t.gaze * (t.tilt + t.bend);
    let lean = t.head_lean - t.gaze * (t.lean - t.list);
    let turn = t.head_turn - t.gaze * (t.turn + t.twist);
    for (i, index) in [joint::NECK, joint::HEAD].into_iter().enumerate() {
        let fraction = HEAD_WEIGHTS[i];
        set(index, turned(nod * fraction, lean * fraction, turn * fraction));
    }
    for (i, arm) in posture.arms.iter().enumerate() {
        for (k, q) in left_arm(arm).into_iter().enumerate() {
            set(joint::ARM[i] + k, if i == 0 { q } else { mirrored(q) });
        }
    }
    for (i, side) in [Side::Left, Side::Right].into_iter().enumerate() {
        let leg = &posture.legs[i];
        let mut rotations = standing_leg(placed, side, &feet[i], leg.knee_out);
        if leg.free > 0.0 {
            for (q, free) in rotations.iter_mut().zip(free_leg(leg)) {
                let free = if i == 0 { free } else { mirrored(free) };
                *q = blend(*q, free, leg.free);
            }
        }
        for (k, q) in rotations.into_iter().enumerate() {
            set(joint::LEG[i] + k, q);
        }
    }
    pose
}

/// Rotation of a trunk joint: forward, to the left, turned left; degrees.
fn turned(forward: f64, left: f64, turn: f64) -> DQuat {
    exp64(DVec3::new(forward, turn, -left) * 1f64.to_radians())
}

/// The same rotation of the other side's joint.
fn mirrored(q: DQuat) -> DQuat {
    DQuat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

/// The shortest way from `a` to `b`.
fn blend(a: DQuat, b: DQuat, fraction: f64) -> DQuat {
    a * exp64(ugoki_base::math::log64(a.conjugate() * b) * fraction)
}

/// Shoulder, upper arm, lower arm and hand of the left arm.
fn left_arm(arm: &Arm) -> [DQuat; 4] {
    let rad = |degrees: f64| degrees.to_radians();
    // From the T-pose the arm first hangs: the palm then faces the thigh and the thumb points forward.
    let hang = DQuat::from_rotation_z(rad(-90.0));
    // Hanging along −Y: forward turns about −X, to the (left) side about +Z, inward about +Y seen from above.
    let swing = exp64(DVec3::new(-rad(arm.flexion), 0.0, rad(arm.abduction)));
    let twist = DQuat::from_rotation_y(rad(-arm.rotation));
    let upper_trunk = swing * twist * hang;

    let elevation = arm.flexion.hypot(arm.abduction);
    // Eased in between 20° and 60° so that the girdle starts without a jerk.
    let hanging = 1.0 - ease(elevation / 75.0);
    let rise =
        GIRDLE_FRACTION * (elevation - 30.0) * ease((elevation - 20.0) / 40.0) - SLOPE * hanging + arm.shrug;
    // A forward arm also draws the girdle forward, up to 8° at shoulder height.
    let forward = arm.protract + 8.0 * ease(arm.flexion / 90.0);
    let girdle = exp64(DVec3::new(0.0, -rad(forward), rad(rise)));
    let upper = girdle.conjugate() * upper_trunk;

    // In the T-pose frame of the forearm: length along +X, elbow axis −Y, palm towards −Y.
    let elbow = DQuat::from_rotation_y(rad(-arm.elbow));
    // Palm down from thumb up is a turn of the hanging forearm about its length; half of it is shown by the
    // forearm's skin, so the lower arm carries all of it here and the hand none.
    let pronate = DQuat::from_rotation_x(rad(arm.pronation));
    let wrist = DQuat::from_rotation_z(rad(-arm.wrist)) * DQuat::from_rotation_y(rad(-arm.deviation));
    [girdle, upper, elbow * pronate, wrist]
}

/// Hip, knee, ankle and toes of a left leg from its own angles, relative to the pelvis.
fn free_leg(leg: &Leg) -> [DQuat; 4] {
    let rad = |degrees: f64| degrees.to_radians();
    let swing = exp64(DVec3::new(-rad(leg.hip), 0.0, rad(leg.abduction)));
    let hip = swing * DQuat::from_rotation_y(rad(-leg.rotation));
    [hip, DQuat::from_rotation_x(rad(leg.knee)), DQuat::from_rotation_x(rad(-leg.ankle)), DQuat::IDENTITY]
}

/// Hip, knee, ankle and toes of a leg whose foot is given; the knee points along foot and pelvis.
fn standing_leg(pelvis: (DVec3, DQuat), side: Side, foot: &Foot, knee_out_deg: f64) -> [DQuat; 4] {
    let hip = hip_centre(pelvis, side);
    let forward = pelvis.1 * DVec3::Z;
    let pelvis_yaw = forward.x.atan2(forward.z);
    let between = foot.yaw - pelvis_yaw;
    let between = between - std::f64::consts::TAU * (between / std::f64::consts::TAU).round();
    let yaw = pelvis_yaw + 0.5 * between + body::sign(side) * knee_out_deg.to_radians();
    // A leg bent by 20° in the wanted plane; the solve keeps that plane.
    let bend = 10f64.to_radians();
    let facing = DQuat::from_rotation_y(yaw);
    let (thigh, shank) = (facing * DQuat::from_rotation_x(-bend), facing * DQuat::from_rotation_x(bend));
    let knee = hip + thigh * (DVec3::NEG_Y * THIGH);
    let ankle = knee + shank * (DVec3::NEG_Y * SHANK);
    let solved = solve_two_bone(
        DVec3::ZERO.as_vec3(),
        (knee - hip).as_vec3(),
        (ankle - hip).as_vec3(),
        (foot.ankle - hip).as_vec3(),
        (facing * DVec3::Z).as_vec3(),
    );
    let apply = |turn: Quat, q: DQuat| (turn.as_dquat().normalize() * q).normalize();
    let (thigh, shank) = (apply(solved.upper, thigh), apply(solved.lower, shank));
    let sole = foot.rotation();
    [
        pelvis.1.conjugate() * thigh,
        thigh.conjugate() * shank,
        shank.conjugate() * sole,
        DQuat::from_rotation_x(-foot.toes),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use ugoki_base::pose::forward_kinematics;

    fn idle_with(edit: impl FnOnce(&mut Posture)) -> ugoki_base::pose::ModelPose {
        let posture = Posture::idle().with(edit);
        let stage = Stage::default();
        let feet = [Side::Left, Side::Right];
        let feet = [stage.foot(feet[0], &posture.legs[0]), stage.foot(feet[1], &posture.legs[1])];
        forward_kinematics(&body::skeleton(), &pose(&posture, &stage, feet))
    }

    #[test]
    fn the_signs_are_those_of_a_therapist() {
        let elbow_and_hand = |edit: fn(&mut Arm)| {
            let model = idle_with(|p| {
                p.arms = [Arm::default(); 2];
                p.torso.bend = 0.0;
                p.torso.tilt = 0.0;
                edit(&mut p.arms[0]);
                edit(&mut p.arms[1]);
            });
            let arm = joint::ARM[0];
            let at = |i: usize| model.positions[arm + i] - model.positions[arm + 1];
            let other = model.positions[joint::ARM[1] + 3] * Vec3::new(-1.0, 1.0, 1.0);
            assert!((model.positions[arm + 3] - other).length() < 1e-5, "sides mirror");
            (at(2).normalize(), (at(3) - at(2)).normalize(), model.rotations[arm + 3])
        };
        let (elbow, hand, _) = elbow_and_hand(|_| {});
        assert!((elbow + Vec3::Y).length() < 0.01 && (hand + Vec3::Y).length() < 0.01, "hangs {elbow}");
        assert!((elbow_and_hand(|a| a.flexion = 90.0).0 - Vec3::Z).length() < 0.02, "flexion is forward");
        assert!(
            (elbow_and_hand(|a| a.abduction = 90.0).0 - Vec3::X).length() < 0.02,
            "abduction is sideways"
        );
        assert!((elbow_and_hand(|a| a.elbow = 90.0).1 - Vec3::Z).length() < 0.02, "the elbow bends forward");
        let inward = |a: &mut Arm| (a.elbow, a.rotation) = (90.0, 90.0);
        assert!(
            (elbow_and_hand(inward).1 + Vec3::X).length() < 0.02,
            "inward brings the forearm to the belly"
        );
        // The palm faces −Y of the hand's rest frame.
        let palm = |edit: fn(&mut Arm)| elbow_and_hand(edit).2 * Vec3::NEG_Y;
        assert!((palm(|_| {}) + Vec3::X).length() < 0.02, "the palm faces the thigh");
        let down = |a: &mut Arm| (a.elbow, a.pronation) = (90.0, 90.0);
        assert!((palm(down) + Vec3::Y).length() < 0.02, "pronated, the palm faces down: {}", palm(down));
    }

    #[test]
    fn knees_and_feet_go_where_they_should() {
        let squat = idle_with(|p| p.torso.y = -0.3);
        for leg in joint::LEG {
            let (hip, knee) = (squat.positions[leg], squat.positions[leg + 1]);
            assert!(knee.z > hip.z + 0.1, "the knee bends forward");
            assert!((squat.positions[leg + 2].y - body::ANKLE_HEIGHT as f32).abs() < 1e-4);
        }
        let kick = idle_with(|p| p.legs[1] = Leg { free: 1.0, hip: 90.0, knee: 90.0, ..Leg::default() });
        let leg = joint::LEG[1];
        let shin = (kick.positions[leg + 2] - kick.positions[leg + 1]).normalize();
        let thigh = (kick.positions[leg + 1] - kick.positions[leg]).normalize();
        assert!(thigh.z > 0.95 && shin.y < -0.95, "{thigh} {shin}");
        let bow = idle_with(|p| p.torso.bend = 60.0);
        assert!(bow.positions[joint::HEAD].z > 0.2, "bending is forward");
        let lean = idle_with(|p| p.torso.lean = 30.0);
        assert!(lean.positions[joint::HEAD].x > 0.1, "leaning is to the left");
    }
}
