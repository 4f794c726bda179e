//! Families of rigs whose rest pose is not how their bodies stand, but whose T-pose is known: CMU's.
//!
//! The skeleton files of the CMU motion capture library draw the body with legs apart, and neck and head not as it
//! holds them; an AMC file has no frame that tells. The converter that made the library's BVH files (cgspeed.com) put a
//! T-pose in front of every capture, always with the same turns from that rest pose. With these turns
//! a body of the family stands the same whichever of the two files it comes from, and after its T-pose was cut off.

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::skeleton::{Role, Skeleton};

use super::limbs::LIMBS;

/// How far CMU's legs stand apart in the rest pose, degrees each: the direction (0.34202, −0.939693, 0) of every ASF file.
const CMU_SPLAY_DEG: f64 = 20.0;
/// How far a bone may be from CMU's direction, as a cosine: 1°. Files give six digits, other drawings differ by more.
const SAME: f64 = 0.99985;
/// Turns of the legs inwards in the T-pose, degrees: left about the body's front, right against it.
const CMU_LEG_DEG: f64 = -21.0;
/// Turns of the arms downwards, degrees, likewise.
const CMU_ARM_DEG: f64 = -8.0;
/// Turns of lower neck, upper neck and head about the body's left, degrees.
const CMU_NECK_DEG: [f64; 3] = [-16.0, 21.0, 11.0];
/// What lower and upper neck are called, in ASF and in BVH files.
const CMU_NECKS: [[&str; 2]; 2] = [["lowerneck", "upperneck"], ["neck", "neck1"]];

/// Local rotations that bring a rest pose into the T-pose of its family; `None` for unknown rigs. `body` is
/// `world_from_body`.
pub(super) fn t_pose_turns(skeleton: &Skeleton, rest: &[Vec3], body: DQuat) -> Option<Vec<(usize, DQuat)>> {
    if !drawn_as_cmu(skeleton, rest, body)? {
        return None;
    }
    let head = skeleton.find(Role::Head)?;
    let upper = skeleton.parent(head)?;
    let lower = skeleton.parent(upper)?;
    let named = |joint: usize| {
        let name = &skeleton.joint(joint).name;
        name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase()
    };
    CMU_NECKS.iter().find(|[low, high]| named(lower) == *low && named(upper) == *high)?;
    // At rest the joints' axes are the world's: a turn about the body's axis is the same for every joint.
    let turn = |axis: DVec3, degrees: f64| DQuat::from_axis_angle(body * axis, degrees.to_radians());
    let mut turns: Vec<(usize, DQuat)> =
        [lower, upper, head].into_iter().zip(CMU_NECK_DEG.map(|deg| turn(DVec3::X, deg))).collect();
    for (role, degrees) in [
        (Role::LeftUpperLeg, CMU_LEG_DEG),
        (Role::RightUpperLeg, -CMU_LEG_DEG),
        (Role::LeftUpperArm, CMU_ARM_DEG),
        (Role::RightUpperArm, -CMU_ARM_DEG),
    ] {
        turns.push((skeleton.find(role)?, turn(DVec3::Z, degrees)));
    }
    Some(turns)
}

/// Whether both bones of all limbs lie as CMU's do.
fn drawn_as_cmu(skeleton: &Skeleton, rest: &[Vec3], body: DQuat) -> Option<bool> {
    let (sin, cos) = CMU_SPLAY_DEG.to_radians().sin_cos();
    let wanted = [DVec3::X, DVec3::NEG_X, DVec3::new(sin, -cos, 0.0), DVec3::new(-sin, -cos, 0.0)];
    for (limb, wanted) in LIMBS.iter().zip(wanted) {
        let at = |role: Role| Some(rest[skeleton.find(role)?].as_dvec3());
        for [from, to] in [[limb[0], limb[1]], [limb[1], limb[2]]] {
            let along = body.conjugate() * (at(to)? - at(from)?).try_normalize()?;
            if along.dot(wanted) < SAME {
                return Some(false);
            }
        }
    }
    Some(true)
}
