//! Soles: which way a foot points when it stands flat, and how high its ankle is then.

use glam::{DMat3, DQuat, DVec3};
use ugoki_base::skeleton::Side;
use ugoki_feet::contact::{Foot, REFERENCE_LEG_M, SOLE_M, find_feet};

use super::limbs::{LIMBS, feet};
use super::stance::{Evidence, Stance};

/// Legs that stand apart by more than this in a drawn stance take their soles along, radians: 12°. CMU's rest pose is
/// drawn so (20°); bodies whose legs stand a little apart stand flat.
const SPLAY: f64 = 0.21;
/// A foot whose level part is a smaller share of its length points down its leg and tells no direction.
const MIN_LEVEL: f64 = 0.3;
/// A foot turned out by more than this tells no direction, as a cosine: 75°.
const MIN_FRONT: f64 = 0.26;
/// End sites this much lower than the toe joint mark the sole, share of thigh and shin: 5 mm of 0.85 m.
const MIN_TIP_SHARE: f64 = 0.005 / 0.85;
/// Height of an ankle over the sole where the skeleton ends there, share of thigh and shin \[winter2009\].
const ANKLE_SHARE: f64 = 0.039 / 0.491;

/// Left, up and front of a sole in the world of the stance: `world_from_sole`.
pub(super) fn sole_frame(stance: &Stance, side: Side) -> Option<DQuat> {
    let (left, up, front) = (stance.body * DVec3::X, stance.body * DVec3::Y, stance.body * DVec3::Z);
    let [_, lower, foot] = LIMBS[2 + usize::from(side == Side::Right)];
    let shin = (stance.place(foot)? - stance.place(lower)?).normalize_or(-up);
    let aside = (left * shin.dot(left) + up * shin.dot(up)).normalize_or(-up);
    let drawn = stance.evidence != Evidence::StandingFrame;
    let splay = if drawn && aside.angle_between(-up) > SPLAY {
        DQuat::from_rotation_arc(-up, aside)
    } else {
        DQuat::IDENTITY
    };
    let line = toe_line(stance, side).map_or(DVec3::ZERO, |line| splay.conjugate() * line);
    let level = line - up * line.dot(up);
    let told = level.length() > MIN_LEVEL * line.length() && level.dot(front) > MIN_FRONT * level.length();
    let front = if told { level.normalize_or(front) } else { front };
    Some((splay * DQuat::from_mat3(&DMat3::from_cols(up.cross(front), up, front))).normalize())
}

/// The leg's points of contact.
fn foot(stance: &Stance, side: Side) -> Option<Foot> {
    Some(find_feet(&stance.skeleton).ok()?.feet[usize::from(side == Side::Right)])
}

/// From the ankle to the toe point in the stance; `None` where the skeleton ends at the ankle.
fn toe_line(stance: &Stance, side: Side) -> Option<DVec3> {
    let foot = foot(stance, side)?;
    let toe =
        stance.positions[foot.toe.joint] + stance.rotations[foot.toe.joint] * foot.toe.offset.as_dvec3();
    (foot.length_m > 0.0).then(|| toe - stance.positions[foot.ankle])
}

/// How steeply the line from toe to ankle rises over the sole in the stance, radians.
pub(super) fn rise(stance: &Stance, side: Side) -> Option<f64> {
    let line = sole_frame(stance, side)?.conjugate() * toe_line(stance, side)?;
    Some((-line.y).atan2(DVec3::new(line.x, 0.0, line.z).length()))
}

/// How high the toe point and the ankle are over the ground when the foot stands flat, metres; the mean of both feet.
pub(super) fn heights(stance: &Stance, leg_m: f64) -> (f64, f64) {
    let one = |side: Side| -> Option<(f64, f64)> {
        let sole = sole_frame(stance, side)?;
        let Some(line) = toe_line(stance, side) else { return Some((0.0, ANKLE_SHARE * leg_m)) };
        let foot = foot(stance, side)?;
        let to_sole = |p: DVec3| (sole.conjugate() * p).y;
        // End sites of toes and foot may lie on the sole.
        let (ankle, toes) = feet(side);
        let joints = [Some(foot.toe.joint), stance.skeleton.find(ankle), stance.skeleton.find(toes)];
        let toe = stance.positions[foot.ankle] + line;
        let mut lowest = 0.0_f64;
        for joint in joints.into_iter().flatten() {
            for tip in &stance.skeleton.joint(joint).tips {
                let place = stance.positions[joint] + stance.rotations[joint] * tip.as_dvec3();
                lowest = lowest.min(to_sole(place - toe));
            }
        }
        let clearance =
            if -lowest > MIN_TIP_SHARE * leg_m { -lowest } else { SOLE_M / REFERENCE_LEG_M * leg_m };
        Some((clearance, clearance - to_sole(line)))
    };
    let both: Vec<(f64, f64)> = [Side::Left, Side::Right].into_iter().filter_map(one).collect();
    let n = both.len().max(1) as f64;
    (both.iter().map(|h| h.0).sum::<f64>() / n, both.iter().map(|h| h.1).sum::<f64>() / n)
}
