//! Roles from shape: what the tree and the joints' places tell where names tell nothing.
//!
//! A human is two pairs of like branches on one trunk. The lower fork is the hips, the upper one the chest,
//! and the way on from the chest leads to the head. Along each limb three joints are chosen as hip, knee and
//! ankle (or shoulder, elbow and wrist) by the proportions of people; see `limb_shape`. Left and right come from
//! the feet, which point forward. Whatever contradicts a standing human gives no roles at all.

use glam::Vec3;

use super::limb_shape::{LimbKind, choose_limbs};
use super::names::{Tree, back_roles};
use super::tree_shape::Shape;
use super::{Joint, Role};

/// Branches of a pair may differ in length by this fraction; people differ by a few hundredths, bad rigs by more.
const PAIR_MISMATCH: f32 = 0.2;
/// A pair shorter than this fraction of the longest pair is fingers, toes or a face.
const SHORTEST_PAIR: f32 = 0.5;
/// The legs point away from the trunk by at least this many degrees; in a four-legged animal it is near 90.
const LEGS_FROM_TRUNK_DEGREES: f32 = 120.0;
/// Leg length over arm length (hip to ankle, shoulder to wrist) of people is 1.4 to 1.7; rigs go further.
const LEG_TO_ARM: (f32, f32) = (0.7, 2.6);
/// Chest fork above the hips over leg length. People have 0.4 to 0.6; some rigs fork low in the chest.
const TRUNK_TO_LEG: (f32, f32) = (0.1, 1.2);
/// A last joint this many leg lengths above the hips is a crown; people's skull bases have 0.5 to 0.87.
const SURE_CROWN_TO_LEG: f32 = 0.95;
/// From here on it is one if the way to it is a head's and not a neck's: people's heads have 0.22 to 0.26 leg
/// lengths from skull base to crown, their necks 0.08 to 0.15.
const CROWN_TO_LEG: f32 = 0.78;
const HEAD_TO_LEG: (f32, f32) = (0.17, 0.33);
/// Feet tell forward when they reach this many leg lengths across the vertical; half an ankle's height.
const FOOT_TO_LEG: f32 = 0.04;

/// And when this fraction of them lies across it: a dancer's or a swimmer's pointed feet show nothing.
const FOOT_ACROSS: f32 = 0.5;

/// Branch of the tree below one joint.
#[derive(Clone, Copy)]
struct Branch {
    start: usize,
    /// Way from the fork to the farthest joint or end site in the branch.
    reach: f32,
    num_joints: usize,
}

/// Two like branches on one joint.
#[derive(Clone, Copy)]
struct Pair {
    fork: usize,
    branches: [Branch; 2],
}

impl Pair {
    fn reach(&self) -> f32 {
        0.5 * (self.branches[0].reach + self.branches[1].reach)
    }
}

/// Roles by the places of the joints, one place per joint; `None` unless they are surely a human's.
///
/// `at_rest` says that the places are a rest pose: then, where the feet tell nothing, a body with +Y up
/// is taken to face +Z as the rest poses of files do.
pub(super) fn roles_from_shape(
    joints: &[Joint],
    places: &[Vec3],
    at_rest: bool,
) -> Option<Vec<Option<Role>>> {
    if places.len() != joints.len() || places.iter().any(|place| !place.is_finite()) {
        return None;
    }
    let tree = Tree::new(joints);
    let shape = Shape::new(joints, &tree, places, at_rest);
    let (legs, arms) = shape.find_pairs()?;
    let hips = tree.common(legs.fork, arms.fork)?;
    let chest = arms.fork;

    let leg = choose_limbs(&shape, legs.fork, legs.branches.map(|b| b.start), LimbKind::Leg)?;
    let arm = choose_limbs(&shape, arms.fork, arms.branches.map(|b| b.start), LimbKind::Arm)?;
    let leg_length = 0.5 * (leg[0].length + leg[1].length);
    let arm_length = 0.5 * (arm[0].length + arm[1].length);
    let inside = |value: f32, (low, high): (f32, f32)| (low..=high).contains(&value);
    let feet = 0.5 * (places[leg[0].end] + places[leg[1].end]);
    let hip_joints = 0.5 * (places[leg[0].upper] + places[leg[1].upper]);
    let shoulders = 0.5 * (places[arm[0].upper] + places[arm[1].upper]);
    let up = (shoulders - hip_joints).try_normalize()?;
    if !inside(leg_length / arm_length, LEG_TO_ARM)
        || !inside((shoulders - hip_joints).length() / leg_length, TRUNK_TO_LEG)
        || (feet - hip_joints).angle_between(up).to_degrees() < LEGS_FROM_TRUNK_DEGREES
    {
        return None;
    }
    let neck = shape.find_neck(&arms, up, leg_length, places[hips])?;
    let head = *neck.last()?;
    if (places[head] - hip_joints).dot(up) < 0.0 {
        return None;
    }

    let left = shape.left_direction(&leg, up, leg_length).or_else(|| {
        // The rest poses of files with +Y up face +Z, so +X is left.
        (at_rest && up.y > 0.9).then_some(Vec3::X)
    })?;
    let mut roles: Vec<Option<Role>> = vec![None; joints.len()];
    let mut give = |joint: usize, role: Role| roles[joint] = roles[joint].or(Some(role));
    give(hips, Role::Hips);
    for (pair, fork, parts) in [
        (
            &leg,
            legs.fork,
            [
                None,
                Some(Role::LeftUpperLeg),
                Some(Role::LeftLowerLeg),
                Some(Role::LeftFoot),
                Some(Role::LeftToes),
            ],
        ),
        (
            &arm,
            arms.fork,
            [
                Some(Role::LeftShoulder),
                Some(Role::LeftUpperArm),
                Some(Role::LeftLowerArm),
                Some(Role::LeftHand),
                None,
            ],
        ),
    ] {
        let across = places[pair[0].upper] - places[pair[1].upper];
        // A pair on one spot or in front of one another has no sides.
        if across.dot(left).abs() < 0.5 * across.length() || across.length() <= 0.0 {
            return None;
        }
        let first_is_left = across.dot(left) > 0.0;
        for (limb, is_left) in [(&pair[0], first_is_left), (&pair[1], !first_is_left)] {
            let clavicle = tree.between(fork, limb.upper).first().copied();
            let joints = [clavicle, Some(limb.upper), Some(limb.lower), Some(limb.end), limb.toes];
            for (joint, role) in joints.into_iter().zip(parts) {
                if let (Some(joint), Some(role)) = (joint, role) {
                    give(joint, if is_left { role } else { role.mirrored() });
                }
            }
        }
    }
    give(head, Role::Head);
    if neck.len() > 1 {
        give(neck[0], Role::Neck);
    }
    let mut back = tree.between(hips, chest);
    if chest != hips {
        back.push(chest);
    }
    for (joint, role) in back_roles(&back) {
        give(joint, role);
    }
    Some(roles)
}

impl Shape<'_> {
    /// Leg pair and arm pair.
    fn find_pairs(&self) -> Option<(Pair, Pair)> {
        let mut pairs: Vec<Pair> =
            (0..self.places.len()).filter_map(|fork| self.longest_pair(fork)).collect();
        let longest = pairs.iter().map(Pair::reach).fold(0.0, f32::max);
        pairs.retain(|pair| pair.reach() >= SHORTEST_PAIR * longest && longest > 0.0);
        // Pairs inside a branch of another pair are parts of a limb: toes, fingers, a two-bone forearm.
        let inner = |pair: &Pair| {
            pairs
                .iter()
                .any(|outer| outer.branches.iter().any(|branch| self.tree.is_below(pair.fork, branch.start)))
        };
        let mut outer: Vec<Pair> = pairs.iter().copied().filter(|pair| !inner(pair)).collect();
        // More than two: hair or cloth that hangs far down. The two longest are the limbs.
        outer.sort_by(|a, b| b.reach().total_cmp(&a.reach()));
        let [a, b] = *outer.get(..2)? else { return None };
        let fork = self.tree.common(a.fork, b.fork)?;
        // The legs hang at the joint where the trunk begins, or nearer to it than the arms.
        let distance = |pair: &Pair| {
            let way = self.tree.between(fork, pair.fork).len() + usize::from(pair.fork != fork);
            (way, self.places[pair.fork].distance(self.places[fork]))
        };
        let (of_a, of_b) = (distance(&a), distance(&b));
        let a_is_lower = of_a.0 == 0 || (of_b.0 != 0 && of_a.1 < of_b.1);
        (a.fork != b.fork).then_some(if a_is_lower { (a, b) } else { (b, a) })
    }

    /// The longest two branches of `fork` that are alike.
    fn longest_pair(&self, fork: usize) -> Option<Pair> {
        let mut branches: Vec<Branch> = self.children[fork]
            .iter()
            .map(|&start| Branch {
                start,
                reach: self.reach_through(fork, start),
                num_joints: self.num_below[start],
            })
            .collect();
        branches.sort_by(|a, b| b.reach.total_cmp(&a.reach).then(a.start.cmp(&b.start)));
        let alike = |a: &Branch, b: &Branch| {
            b.reach >= (1.0 - PAIR_MISMATCH) * a.reach
                && a.num_joints.abs_diff(b.num_joints) * 5 <= a.num_joints
        };
        // A branch of like length may lie between the two (a trunk between two legs), so look two further.
        (0..branches.len()).find_map(|i| {
            let other = (i + 1..branches.len().min(i + 4)).find(|&j| alike(&branches[i], &branches[j]))?;
            Some(Pair { fork, branches: [branches[i], branches[other]] })
        })
    }

    /// The chain from the chest fork to the head.
    fn find_neck(&self, arms: &Pair, up: Vec3, leg_length: f32, hips: Vec3) -> Option<Vec<usize>> {
        let chest = self.places[arms.fork];
        let starts = arms.branches.map(|branch| branch.start);
        // Of the other branches, the one that reaches highest.
        let first = self
            .children(arms.fork)
            .iter()
            .copied()
            .filter(|child| !starts.contains(child))
            .map(|child| (child, (self.highest(child, up) - chest).dot(up)))
            .filter(|(_, height)| *height > 0.0)
            .max_by(|a, b| a.1.total_cmp(&b.1))?
            .0;
        let mut chain = vec![first];
        // A face begins where the chain forks.
        while let [next] = *self.children(chain[chain.len() - 1]) {
            chain.push(next);
        }
        // A last joint at the crown is the end of the head.
        let last = chain[chain.len() - 1];
        let height = (self.places[last] - hips).dot(up) / leg_length;
        let way =
            self.tree.parents[last].map_or(0.0, |p| self.places[p].distance(self.places[last])) / leg_length;
        let is_head_long = (HEAD_TO_LEG.0..=HEAD_TO_LEG.1).contains(&way);
        let crown = self.children(last).is_empty()
            && self.tips[last] <= 0.0
            && (height > SURE_CROWN_TO_LEG || (height > CROWN_TO_LEG && is_head_long));
        if crown && chain.len() > 1 {
            chain.pop();
        }
        Some(chain)
    }

    /// The highest position along the longest branches below `joint`.
    fn highest(&self, joint: usize, up: Vec3) -> Vec3 {
        let mut best = self.places[joint];
        let mut at = joint;
        while let Some(&next) = self
            .children(at)
            .iter()
            .max_by(|a, b| self.reach_through(at, **a).total_cmp(&self.reach_through(at, **b)))
        {
            at = next;
            if self.places[at].dot(up) > best.dot(up) {
                best = self.places[at];
            }
        }
        best
    }

    /// Unit direction to the body's left: feet point forward.
    fn left_direction(&self, legs: &[super::limb_shape::Limb; 2], up: Vec3, leg_length: f32) -> Option<Vec3> {
        let forward: Vec3 = legs.iter().map(|leg| leg.onward - up * leg.onward.dot(up)).sum::<Vec3>() * 0.5;
        let feet = 0.5 * (legs[0].onward.length() + legs[1].onward.length());
        if forward.length() < (FOOT_TO_LEG * leg_length).max(FOOT_ACROSS * feet) {
            return None;
        }
        up.cross(forward).try_normalize()
    }
}
