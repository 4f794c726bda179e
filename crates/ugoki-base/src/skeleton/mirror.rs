//! Pairs of joints on opposite sides of the body.

use std::collections::BTreeMap;

use glam::Vec3;

use super::words::runs;
use super::{Role, Skeleton};

/// The axis of the rest pose that runs from right to left: X, or Z where hips and shoulders say so.
///
/// X also where nothing is known: rest poses face +Z.
#[must_use]
pub fn mirror_axis(skeleton: &Skeleton) -> Vec3 {
    let rest = skeleton.rest_positions();
    let pairs = [(Role::LeftUpperLeg, Role::RightUpperLeg), (Role::LeftUpperArm, Role::RightUpperArm)];
    let across: Vec3 = pairs
        .iter()
        .filter_map(|&(left, right)| Some(rest[skeleton.find(left)?] - rest[skeleton.find(right)?]))
        .sum();
    if across.z.abs() > across.x.abs() { Vec3::Z } else { Vec3::X }
}

/// Of so many siblings at most one is looked for by place; no body's joint has more.
const MOST_PLACED: usize = 64;

/// The partner of each joint on the other side; a joint on the midline, or without a partner, is its own.
///
/// Partners are found by roles, then by names that differ in their side alone (`LThumb`, `RThumb`), then,
/// below partners, by place. The map undoes itself: the partner's partner is the joint.
#[must_use]
pub fn mirror_map(skeleton: &Skeleton) -> Vec<usize> {
    let joints = skeleton.joints();
    let mut partner: Vec<Option<usize>> = vec![None; joints.len()];
    // The root carries the path and has no other side.
    partner[0] = Some(0);
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, joint) in joints.iter().enumerate() {
        by_name.entry(&joint.name).or_default().push(index);
    }
    let axis = mirror_axis(skeleton);
    for joint in 1..joints.len() {
        if partner[joint].is_some() {
            continue;
        }
        let alike = |other: usize| joints[other].is_expression == joints[joint].is_expression;
        let free = |other: &usize| *other != joint && partner[*other].is_none() && alike(*other);
        // Only joints whose parents are partners do the same thing on both sides.
        let matches = |other: &usize| match (joints[joint].parent, joints[*other].parent) {
            (Some(a), Some(b)) => partner[a] == Some(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let by_role = joints[joint].role.and_then(|role| skeleton.find(role.mirrored())).filter(free);
        let named = || {
            let names = swapped_names(&joints[joint].name);
            let others = names.iter().filter_map(|name| by_name.get(name.as_str())).flatten();
            others.copied().find(|other| free(other) && matches(other))
        };
        let placed = || {
            let parent = joints[joint].parent?;
            let opposite = partner[parent].filter(|&opposite| opposite != parent)?;
            let wanted = mirror_vector(joints[joint].offset, axis);
            let distance = |j: usize| joints[j].offset.distance(wanted);
            let others = skeleton.children(opposite).iter().copied().filter(free).take(MOST_PLACED);
            others.filter(|&j| joints[j].role.is_none()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
        };
        let midline = joints[joint].role.is_some_and(|role| role.mirrored() == role);
        let found = if midline { None } else { by_role.or_else(named).or_else(placed) };
        match found {
            Some(other) => {
                partner[joint] = Some(other);
                partner[other] = Some(joint);
            }
            None => partner[joint] = Some(joint),
        }
    }
    partner.into_iter().enumerate().map(|(joint, other)| other.unwrap_or(joint)).collect()
}

/// `v` seen in a mirror across `axis`, one of the coordinate axes. Only a sign changes: exact.
pub(crate) fn mirror_vector(v: Vec3, axis: Vec3) -> Vec3 {
    if axis == Vec3::Z { Vec3::new(v.x, v.y, -v.z) } else { Vec3::new(-v.x, v.y, v.z) }
}

/// The name with one word for a side changed to the other, for every such word, the likeliest first.
fn swapped_names(name: &str) -> Vec<String> {
    const SIDES: [(&str, &str); 9] = [
        ("Left", "Right"),
        ("left", "right"),
        ("LEFT", "RIGHT"),
        ("L", "R"),
        ("l", "r"),
        ("Lft", "Rgt"),
        ("lft", "rgt"),
        ("Lt", "Rt"),
        ("左", "右"),
    ];
    let opposite = |word: &str| {
        SIDES.iter().find_map(|&(left, right)| match word {
            _ if word == left => Some(right),
            _ if word == right => Some(left),
            _ => None,
        })
    };
    let mut names = Vec::new();
    let mut change =
        |from: usize, to: usize, word: &str| names.push(format!("{}{word}{}", &name[..from], &name[to..]));
    // Whole words first, then words glued to others: `leftarm`, `lhumerus`, `左腕`.
    for run in runs(name) {
        let from = run.as_ptr() as usize - name.as_ptr() as usize;
        if let Some(other) = opposite(run) {
            change(from, from + run.len(), other);
        }
    }
    for (left, right) in SIDES {
        for (one, other) in [(left, right), (right, left)] {
            let letter = one.len() == 1;
            for (from, _) in name.match_indices(one).take(8).filter(|(from, _)| !letter || *from == 0) {
                change(from, from + one.len(), other);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, assign_roles};

    fn pairs(names: &[(&str, Option<usize>)]) -> Vec<usize> {
        let mut joints: Vec<Joint> =
            names.iter().map(|(name, parent)| Joint::new(*name, *parent, Vec3::Y)).collect();
        assign_roles(&mut joints);
        mirror_map(&Skeleton::build(joints).unwrap())
    }

    #[test]
    fn names_that_differ_in_their_side_are_partners() {
        for (left, right) in [
            ("LThumb", "RThumb"),
            ("wing_left.001", "wing_right.001"),
            ("oris06.l", "oris06.r"),
            ("lhumerus", "rhumerus"),
            ("Bip01 L Antenna", "Bip01 R Antenna"),
            ("左袖", "右袖"),
        ] {
            assert_eq!(pairs(&[("root", None), (left, Some(0)), (right, Some(0))]), [0, 2, 1], "{left}");
        }
        assert_eq!(pairs(&[("root", None), ("lace", Some(0)), ("race car", Some(0))]), [0, 1, 2]);
    }

    #[test]
    fn unnamed_joints_below_partners_pair_by_place() {
        let mut joints = vec![Joint::new("root", None, Vec3::ZERO)];
        joints.push(Joint::new("arm.L", Some(0), Vec3::X));
        joints.push(Joint::new("arm.R", Some(0), -Vec3::X));
        joints.push(Joint::new("a", Some(1), Vec3::new(1.0, 0.0, 0.2)));
        joints.push(Joint::new("b", Some(1), Vec3::new(1.0, 0.0, -0.2)));
        joints.push(Joint::new("c", Some(2), Vec3::new(-1.0, 0.0, -0.2)));
        joints.push(Joint::new("d", Some(2), Vec3::new(-1.0, 0.0, 0.2)));
        assert_eq!(mirror_map(&Skeleton::build(joints).unwrap()), [0, 2, 1, 6, 5, 4, 3]);
    }
}
