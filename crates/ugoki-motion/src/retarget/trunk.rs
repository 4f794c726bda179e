//! The trunk: back joints of two bodies matched although their numbers differ.

use glam::DVec3;
use ugoki_base::skeleton::{Role, Skeleton};

use super::stance::Stance;

/// Back joints from the lowest up, with the share of the back's length up to the end of each one's bone; the last is 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trunk {
    pub(super) joints: Vec<usize>,
    pub(super) shares: Vec<f64>,
}

impl Trunk {
    /// The joints with roles of the back; where none has, those between the hips and what carries head and arms.
    pub(super) fn new(stance: &Stance) -> Self {
        let skeleton = &stance.skeleton;
        let named =
            [Role::Spine, Role::Chest, Role::UpperChest].into_iter().filter_map(|role| skeleton.find(role));
        let mut joints: Vec<usize> = named.collect();
        if joints.is_empty() {
            joints = between(skeleton);
        }
        let top = top(stance);
        let ends = joints.iter().skip(1).map(|&joint| stance.positions[joint]).chain([top]);
        let lengths: Vec<f64> =
            joints.iter().zip(ends).map(|(&joint, end)| (end - stance.positions[joint]).length()).collect();
        let total: f64 = lengths.iter().sum();
        let count = joints.len();
        let mut sum = 0.0;
        let mut shares: Vec<f64> = lengths
            .iter()
            .enumerate()
            .map(|(i, length)| {
                sum += length;
                if total > 0.0 { sum / total } else { (i + 1) as f64 / count as f64 }
            })
            .collect();
        if let Some(last) = shares.last_mut() {
            *last = 1.0;
        }
        Self { joints, shares }
    }

    /// Between which two knots a share of the back lies, and how far from the first to the second: knot 0 is the hips,
    /// knot i + 1 back joint i.
    pub(super) fn knots(&self, share: f64) -> (usize, usize, f64) {
        let mut below = 0.0;
        for (i, &end) in self.shares.iter().enumerate() {
            if share <= end {
                let t = if end > below { (share - below) / (end - below) } else { 1.0 };
                return (i, i + 1, t);
            }
            below = end;
        }
        (self.joints.len(), self.joints.len(), 0.0)
    }
}

/// Where neck and shoulders begin.
fn top(stance: &Stance) -> DVec3 {
    let places = |roles: &[Role]| -> Option<DVec3> {
        let found: Vec<DVec3> = roles.iter().filter_map(|&role| stance.place(role)).collect();
        (!found.is_empty()).then(|| found.iter().sum::<DVec3>() / found.len() as f64)
    };
    places(&[Role::Neck])
        .or_else(|| places(&[Role::LeftUpperArm, Role::RightUpperArm]))
        .or_else(|| places(&[Role::Head]))
        .unwrap_or_default()
}

/// Joints below the hips that carry all of head and arms, lowest first.
fn between(skeleton: &Skeleton) -> Vec<usize> {
    let carried: Vec<usize> = [Role::Neck, Role::Head, Role::LeftUpperArm, Role::RightUpperArm]
        .into_iter()
        .filter_map(|role| skeleton.find(role))
        .collect();
    let (Some(&first), Some(hips)) = (carried.first(), skeleton.find(Role::Hips)) else { return Vec::new() };
    let mut joints = Vec::new();
    let mut at = skeleton.parent(first);
    while let Some(joint) = at.filter(|&joint| joint != hips) {
        if carried.iter().all(|&other| skeleton.is_below(other, joint)) {
            joints.push(joint);
        }
        at = skeleton.parent(joint);
    }
    if at.is_none() {
        return Vec::new();
    }
    joints.reverse();
    joints
}
