//! A tree of joints with their places: lengths, ends and branches.

use glam::Vec3;

use super::Joint;
use super::names::Tree;

/// The body as joints and places.
pub(super) struct Shape<'a> {
    pub(super) tree: &'a Tree,
    pub(super) places: &'a [Vec3],
    pub(super) children: Vec<Vec<usize>>,
    /// Way from each joint to the farthest place below it.
    pub(super) reach: Vec<f32>,
    /// Length of each joint's longest end site.
    pub(super) tips: Vec<f32>,
    /// Way to it; zero away from the rest pose, where places alone do not tell it.
    pub(super) tip_ways: Vec<Vec3>,
    pub(super) num_below: Vec<usize>,
}

impl<'a> Shape<'a> {
    pub(super) fn new(joints: &[Joint], tree: &'a Tree, places: &'a [Vec3], at_rest: bool) -> Self {
        let longest = |joint: &Joint| {
            joint
                .tips
                .iter()
                .copied()
                .filter(|tip| tip.is_finite())
                .max_by(|a, b| a.length().total_cmp(&b.length()))
        };
        let longest: Vec<Vec3> = joints.iter().map(|joint| longest(joint).unwrap_or_default()).collect();
        let tips: Vec<f32> = longest.iter().map(|tip| tip.length()).collect();
        let tip_ways = if at_rest { longest } else { vec![Vec3::ZERO; joints.len()] };
        let mut children = vec![Vec::new(); joints.len()];
        let mut reach = tips.clone();
        let mut num_below = vec![1; joints.len()];
        for joint in (0..joints.len()).rev() {
            if let Some(parent) = tree.parents[joint] {
                children[parent].push(joint);
                reach[parent] = reach[parent].max(reach[joint] + places[joint].distance(places[parent]));
                num_below[parent] += num_below[joint];
            }
        }
        for list in &mut children {
            list.reverse();
        }
        Self { tree, places, children, reach, tips, tip_ways, num_below }
    }

    /// Joints below `joint`, nearest first.
    pub(super) fn children(&self, joint: usize) -> &[usize] {
        &self.children[joint]
    }

    /// How far it is from `joint` through its child `child` to the end.
    pub(super) fn reach_through(&self, joint: usize, child: usize) -> f32 {
        self.places[joint].distance(self.places[child]) + self.reach[child]
    }
}
