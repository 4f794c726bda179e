//! Lengths and directions of a body: stature, legs, up, facing, T-pose.
//!
//! Lengths come from the chains of joints and need no pose; directions come from joint positions (a rest
//! pose, a frame) in any axes, so a reader can ask which way a file is up before it has decided. Fractions of
//! stature are Winter's, *Biomechanics and Motor Control of Human Movement*, fig. 4.1 \[winter2009\].

use glam::Vec3;

use super::{Role, Skeleton};

/// Ankle above the floor, fraction of stature \[winter2009\].
const ANKLE_FRACTION: f32 = 0.039;
/// Thigh and shin together, fraction of stature \[winter2009\]: 0.245 + 0.246.
const LEG_FRACTION: f32 = 0.491;
/// Base of the skull to the crown, fraction of stature: the head's 0.130 less the chin's drop below the skull base.
const CROWN_FRACTION: f32 = 0.12;
/// A head's end site nearer or farther than these fractions of stature marks a face or a hat, not the crown.
const CROWN_RANGE: (f32, f32) = (0.09, 0.16);

/// Stature in the skeleton's unit, estimated from the lengths of its joints; `None` without a whole leg.
///
/// The sum of legs, trunk, neck and head where there are hips and a head, else from the legs alone.
/// Independent of the pose. Meant for guessing units: CMU's BVH bodies lack 12.5 cm of thorax and come out
/// about 7 % short, and rigs differ in where they put hips and head, so allow a tenth.
#[must_use]
pub fn body_height(skeleton: &Skeleton) -> Option<f32> {
    let leg = leg_length(skeleton).filter(|&length| length > 0.0)?;
    let whole = || {
        let (hips, head) = (skeleton.find(Role::Hips)?, skeleton.find(Role::Head)?);
        Some((leg + trunk_length(skeleton, hips, head)?, head))
    };
    let Some((sum, head)) = whole() else {
        return Some(leg / LEG_FRACTION);
    };
    let without_tip = sum / (1.0 - ANKLE_FRACTION - CROWN_FRACTION);
    let tip = skeleton.joint(head).tips.iter().map(|tip| tip.length()).fold(0.0, f32::max);
    // Some rigs end the head in a joint (`HeadTop_End`) instead of an end site.
    let below = skeleton.children(head).iter().filter(|&&j| skeleton.joint(j).role.is_none());
    let tip = below.map(|&joint| skeleton.length(joint)).fold(tip, f32::max);
    let (near, far) = CROWN_RANGE;
    if (near * without_tip..=far * without_tip).contains(&tip) {
        Some((sum + tip) / (1.0 - ANKLE_FRACTION))
    } else {
        Some(without_tip)
    }
}

/// Length of thigh and shin in the skeleton's unit, the mean of both legs; `None` without a whole leg.
#[must_use]
pub fn leg_length(skeleton: &Skeleton) -> Option<f32> {
    let leg = |upper: Role, foot: Role| chain_length(skeleton, skeleton.find(upper)?, skeleton.find(foot)?);
    let left = leg(Role::LeftUpperLeg, Role::LeftFoot);
    let right = leg(Role::RightUpperLeg, Role::RightFoot);
    match (left, right) {
        (Some(left), Some(right)) => Some(0.5 * (left + right)),
        (left, right) => left.or(right),
    }
}

/// Sum of the lengths from `top` down to `below`; `None` when it is not below.
fn chain_length(skeleton: &Skeleton, top: usize, below: usize) -> Option<f32> {
    let mut length = 0.0;
    let mut at = below;
    while at != top {
        length += skeleton.length(at);
        at = skeleton.parent(at)?;
    }
    Some(length)
}

/// A rest trunk is straight when its ends lie at least this fraction of its chain's length apart; the chains
/// of real trunks zigzag by up to a quarter.
const STRAIGHT_FRACTION: f32 = 0.7;

/// Hip joints higher up the trunk than this fraction of it are on no body; Poser's lie 4 % up.
const RISE_FRACTION: f32 = 0.08;

/// From between the hip joints to the head: straight in the rest pose where the trunk is, else along the chain.
fn trunk_length(skeleton: &Skeleton, hips: usize, head: usize) -> Option<f32> {
    let way = |to: usize| {
        let mut sum = Vec3::ZERO;
        let mut at = to;
        while at != hips {
            sum += skeleton.joint(at).offset;
            at = skeleton.parent(at)?;
        }
        Some(sum)
    };
    let thigh = |role: Role| skeleton.find(role).and_then(way);
    // In the mean of both ways to the hip joints the sideways parts cancel.
    let drop = match (thigh(Role::LeftUpperLeg), thigh(Role::RightUpperLeg)) {
        (Some(left), Some(right)) => 0.5 * (left + right),
        _ => Vec3::ZERO,
    };
    let chain = drop.length() + chain_length(skeleton, hips, head)?;
    let up = way(head)?;
    let straight = (up - drop).length();
    // A rest pose with its hip joints up the trunk is no body: its offsets follow the bones' own axes.
    let is_body = drop.dot(up) <= RISE_FRACTION * chain * up.length();
    Some(if is_body && straight >= STRAIGHT_FRACTION * chain { straight } else { chain })
}

/// Mean position of the joints that have these roles.
fn middle(skeleton: &Skeleton, positions: &[Vec3], roles: &[Role]) -> Option<Vec3> {
    // Live frames come through here: no list is made.
    let found = roles.iter().filter_map(|&role| positions.get(skeleton.find(role)?).copied());
    let (sum, count) = found.fold((Vec3::ZERO, 0_u8), |(sum, count), p| (sum + p, count.saturating_add(1)));
    (count > 0).then(|| sum / f32::from(count))
}

/// Unit direction from the feet to the head, in the axes of `positions` (one per joint).
///
/// Which way is up while the body stands: average over a clip. Hips stand in for a missing head or missing
/// feet; `None` when two of the three are missing or in one place.
#[must_use]
pub fn up_direction(skeleton: &Skeleton, positions: &[Vec3]) -> Option<Vec3> {
    let at = |roles: &[Role]| middle(skeleton, positions, roles);
    let hips = at(&[Role::Hips]);
    let feet = at(&[Role::LeftFoot, Role::RightFoot]);
    let head = at(&[Role::Head]).or_else(|| at(&[Role::Neck]));
    let (from, to) = match (feet, head) {
        (Some(feet), Some(head)) => (feet, head),
        (Some(feet), None) => (feet, hips?),
        (None, Some(head)) => (hips?, head),
        (None, None) => return None,
    };
    (to - from).try_normalize()
}

/// Unit direction the body faces: its left–right line crossed with the trunk's up; `None` where hips and
/// shoulders are unknown or in line with the trunk.
///
/// The up used is the trunk's own (hips to neck or head), so a bowing body still has a facing.
#[must_use]
pub fn facing(skeleton: &Skeleton, positions: &[Vec3]) -> Option<Vec3> {
    body_axes(skeleton, positions).map(|[_, _, front]| front)
}

/// The body's left, up and front, orthonormal: up is the trunk's, left that of hips and shoulders together; `None` as for [`facing`].
#[must_use]
pub fn body_axes(skeleton: &Skeleton, positions: &[Vec3]) -> Option<[Vec3; 3]> {
    let left = left_direction(skeleton, positions)?;
    let up = trunk_direction(skeleton, positions).or_else(|| up_direction(skeleton, positions))?;
    let front = left.cross(up).try_normalize()?;
    Some([up.cross(front), up, front])
}

/// Unit direction to the body's own left, from hips and shoulders.
fn left_direction(skeleton: &Skeleton, positions: &[Vec3]) -> Option<Vec3> {
    let pairs = [(Role::LeftUpperLeg, Role::RightUpperLeg), (Role::LeftUpperArm, Role::RightUpperArm)];
    let sum: Vec3 = pairs
        .iter()
        .filter_map(|&(left, right)| {
            let (left, right) = (skeleton.find(left)?, skeleton.find(right)?);
            Some(*positions.get(left)? - *positions.get(right)?)
        })
        // A body whose arm is not seen has a left all the same.
        .filter(|apart| apart.is_finite())
        .sum();
    sum.try_normalize()
}

/// Unit direction from the hips up the trunk.
fn trunk_direction(skeleton: &Skeleton, positions: &[Vec3]) -> Option<Vec3> {
    let at = |roles: &[Role]| middle(skeleton, positions, roles);
    let low = at(&[Role::LeftUpperLeg, Role::RightUpperLeg]).or_else(|| at(&[Role::Hips]))?;
    let high = at(&[Role::LeftUpperArm, Role::RightUpperArm]).or_else(|| at(&[Role::Neck, Role::Head]))?;
    (high - low).try_normalize()
}

/// Largest angle, degrees, between an arm of a T-pose and the body's left–right line: below the 45 degrees
/// of an A-pose, above the droop of real T-poses.
const ARM_DEGREES: f32 = 25.0;
/// Largest angle, degrees, between a leg of a T-pose and the trunk; CMU's stand 20 degrees apart.
const LEG_DEGREES: f32 = 30.0;
/// Largest angle, degrees, between the trunk of a T-pose and the axis that is up.
const TRUNK_DEGREES: f32 = 15.0;
/// Largest bend of knees and elbows in a T-pose, degrees.
const BEND_DEGREES: f32 = 25.0;

/// Whether joints at `positions` (one per joint) stand in a T-pose: arms straight out to their own sides,
/// legs straight down, trunk along an axis of the file. False where limbs have no roles.
#[must_use]
pub fn is_t_pose(skeleton: &Skeleton, positions: &[Vec3]) -> bool {
    t_pose(skeleton, positions).unwrap_or(false)
}

fn t_pose(skeleton: &Skeleton, positions: &[Vec3]) -> Option<bool> {
    let within = |a: Vec3, b: Vec3, degrees: f32| a.angle_between(b) <= degrees.to_radians();
    let up = trunk_direction(skeleton, positions)?;
    if up.abs().max_element() < TRUNK_DEGREES.to_radians().cos() {
        return Some(false);
    }
    let left = left_direction(skeleton, positions)?;
    let Some([arms, legs]) = straight_limbs(skeleton, positions)? else { return Some(false) };
    Some(
        within(arms[0], left, ARM_DEGREES)
            && within(arms[1], -left, ARM_DEGREES)
            && legs.iter().all(|&leg| within(leg, -up, LEG_DEGREES)),
    )
}

/// Directions of left and right arm and leg; the inner `None` when one of them is bent, the outer when one has no roles.
fn straight_limbs(skeleton: &Skeleton, positions: &[Vec3]) -> Option<Option<[[Vec3; 2]; 2]>> {
    let at = |role: Role| positions.get(skeleton.find(role)?).copied();
    let limbs = [
        [
            [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
            [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
        ],
        [
            [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot],
            [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot],
        ],
    ];
    let mut directions = [[Vec3::ZERO; 2]; 2];
    for (pair, found) in limbs.iter().zip(&mut directions) {
        for (&[upper, lower, end], direction) in pair.iter().zip(found) {
            let [upper, lower, end] = [at(upper)?, at(lower)?, at(end)?];
            *direction = (end - upper).try_normalize()?;
            let bend = (lower - upper).try_normalize()?.angle_between((end - lower).try_normalize()?);
            if bend > BEND_DEGREES.to_radians() {
                return Some(None);
            }
        }
    }
    Some(Some(directions))
}

/// Largest angle, degrees, between the trunk of a reference pose and an axis of the file: exporters write bodies that lean.
const REFERENCE_TRUNK_DEGREES: f32 = 40.0;
/// Largest angle, degrees, between a leg of a reference pose and the trunk: a T-pose's legs under a trunk that leans.
const REFERENCE_LEG_DEGREES: f32 = 50.0;
/// Largest angle, degrees, between a limb of a reference pose and the mirror image of the other side's.
const SYMMETRY_DEGREES: f32 = 10.0;
/// Largest angle, degrees, between an arm of a reference pose and the plane that divides front and back of the body.
const FRONTAL_DEGREES: f32 = 35.0;

/// Whether joints at `positions` stand in a reference pose as rigs are drawn: straight limbs, equal sides, arms out to the
/// side or down (T-pose, A-pose and what lies between). False where limbs have no roles.
#[must_use]
pub fn is_reference_pose(skeleton: &Skeleton, positions: &[Vec3]) -> bool {
    reference_pose(skeleton, positions).unwrap_or(false)
}

fn reference_pose(skeleton: &Skeleton, positions: &[Vec3]) -> Option<bool> {
    let up = trunk_direction(skeleton, positions)?;
    if up.abs().max_element() < REFERENCE_TRUNK_DEGREES.to_radians().cos() {
        return Some(false);
    }
    let left = left_direction(skeleton, positions)?;
    let front = left.cross(up).try_normalize()?;
    let Some([arms, legs]) = straight_limbs(skeleton, positions)? else { return Some(false) };
    let mirrored = |[a, b]: [Vec3; 2]| {
        let image = b - left * (2.0 * b.dot(left));
        a.angle_between(image) <= SYMMETRY_DEGREES.to_radians()
    };
    let frontal = |arm: &Vec3| arm.dot(front).abs() <= FRONTAL_DEGREES.to_radians().sin();
    let below = |leg: &Vec3| leg.angle_between(-up) <= REFERENCE_LEG_DEGREES.to_radians();
    // Each arm on its own side: crossed arms are motion.
    let outward = arms[0].dot(left) > 0.0 && arms[1].dot(left) < 0.0;
    Some(mirrored(arms) && mirrored(legs) && arms.iter().all(frontal) && legs.iter().all(below) && outward)
}
