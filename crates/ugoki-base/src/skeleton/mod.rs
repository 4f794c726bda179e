//! The immutable joint tree.
//!
//! Joints stand parents before children. Each has a rest offset from its parent in the parent's
//! frame, end sites (tips without a joint), and, where known, a [`Role`]: what it is on a human.
//! A built skeleton never changes; clips refer to it through `Arc`.
//!
//! Readers call [`assign_roles`] on their joints before building: names tell the roles (`words` cuts and looks
//! them up, `names` resolves them by the tree), and where they do not, the shape does (`shape`, `limb_shape`).
//! [`body_height`], [`up_direction`], [`facing`] and [`is_t_pose`] measure a body by its roles, [`mirror_map`]
//! finds the partners across it. Facial expressions are joints too, without a place of their own (`expression`).

mod assign;
mod bytes;
mod difference;
mod expression;
mod fingers;
mod limb_shape;
mod measure;
mod mirror;
mod names;
mod role;
mod shape;
mod tree_shape;
mod words;

use std::sync::Arc;

use glam::Vec3;

pub use assign::{RoleSource, assign_roles, assign_roles_in_pose};
pub use difference::difference;
pub use fingers::with_fingers;
pub use measure::{body_axes, body_height, facing, is_reference_pose, is_t_pose, leg_length, up_direction};
pub(crate) use mirror::mirror_vector;
pub use mirror::{mirror_axis, mirror_map};
pub use role::{Role, Side};

/// One joint as it is built and read.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// The source's name, kept as it was written.
    pub name: String,
    /// Index of the parent, which stands earlier; `None` for a root.
    pub parent: Option<usize>,
    /// Rest position in the parent's frame, metres; for a root, its rest position in the world.
    pub offset: Vec3,
    /// End sites below this joint, in its frame, metres. Most leaves have one; files may give several or none.
    pub tips: Vec<Vec3>,
    /// What this joint is on a human, where known. Each role occurs at most once in a skeleton.
    pub role: Option<Role>,
    /// Whether it is a facial expression: the x of its local position is then a weight from 0 to 1, and it stands where
    /// its parent stands.
    pub is_expression: bool,
}

impl Joint {
    /// A joint without end sites and role.
    #[must_use]
    pub fn new(name: impl Into<String>, parent: Option<usize>, offset: Vec3) -> Self {
        Self { name: name.into(), parent, offset, tips: Vec::new(), role: None, is_expression: false }
    }
}

/// Why joints do not make a skeleton.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    /// At least one joint is needed.
    #[error("a skeleton needs at least one joint")]
    Empty,
    /// Parents stand before children, and the first joint is a root.
    #[error("joint {joint} {name:?} has parent {parent:?}, expected an earlier joint")]
    ParentOrder {
        /// Index of the joint.
        joint: usize,
        /// Its name.
        name: String,
        /// The parent given.
        parent: Option<usize>,
    },
    /// Offsets are finite numbers.
    #[error("joint {joint} {name:?} has an offset that is not a finite number")]
    NotFinite {
        /// Index of the joint.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// A role belongs to one joint.
    #[error("joints {first} and {second} both have the role {role}")]
    RoleTwice {
        /// The role.
        role: Role,
        /// First joint with it.
        first: usize,
        /// Second joint with it.
        second: usize,
    },
    /// An expression has no place, so nothing can hang from it.
    #[error(
        "expression {joint} {name:?} is a root, has a length, an end site, a role or a child, expected a bare joint on the head"
    )]
    Expression {
        /// Index of the joint.
        joint: usize,
        /// Its name.
        name: String,
    },
}

/// An immutable tree of joints, parents before children; joint 0 is the root whose path a clip carries.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    children: Vec<Vec<usize>>,
    by_role: [Option<u32>; Role::COUNT],
}

impl Skeleton {
    /// Checks and freezes the joints.
    ///
    /// # Errors
    /// Names the joint that breaks the order, has a bad offset, repeats a role, or is an expression that is more than
    /// one.
    pub fn build(joints: Vec<Joint>) -> Result<Arc<Self>, SkeletonError> {
        if joints.is_empty() {
            return Err(SkeletonError::Empty);
        }
        let mut children = vec![Vec::new(); joints.len()];
        let mut by_role: [Option<u32>; Role::COUNT] = [None; Role::COUNT];
        for (index, joint) in joints.iter().enumerate() {
            match joint.parent {
                Some(parent) if parent < index => children[parent].push(index),
                None => {}
                parent => {
                    let name = joint.name.clone();
                    return Err(SkeletonError::ParentOrder { joint: index, name, parent });
                }
            }
            if !joint.offset.is_finite() || joint.tips.iter().any(|tip| !tip.is_finite()) {
                return Err(SkeletonError::NotFinite { joint: index, name: joint.name.clone() });
            }
            if let Some(role) = joint.role
                && let Some(first) = by_role[role.index()].replace(index as u32)
            {
                return Err(SkeletonError::RoleTwice { role, first: first as usize, second: index });
            }
        }
        if let Some(joint) = expression::misplaced(&joints) {
            return Err(SkeletonError::Expression { joint, name: joints[joint].name.clone() });
        }
        Ok(Arc::new(Self { joints, children, by_role }))
    }

    /// How many joints there are, at least one.
    #[must_use]
    pub fn num_joints(&self) -> usize {
        self.joints.len()
    }

    /// All joints, parents before children.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// One joint.
    ///
    /// # Panics
    /// If there is no such joint.
    #[must_use]
    pub fn joint(&self, joint: usize) -> &Joint {
        &self.joints[joint]
    }

    /// Parent of `joint`, `None` for a root.
    #[must_use]
    pub fn parent(&self, joint: usize) -> Option<usize> {
        self.joints[joint].parent
    }

    /// Children of `joint` in file order.
    #[must_use]
    pub fn children(&self, joint: usize) -> &[usize] {
        &self.children[joint]
    }

    /// The joint with this role.
    #[must_use]
    pub fn find(&self, role: Role) -> Option<usize> {
        self.by_role[role.index()].map(|joint| joint as usize)
    }

    /// The first joint with exactly this name.
    #[must_use]
    pub fn find_name(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Distance from `joint` to its parent in rest, metres; 0 for a root.
    #[must_use]
    pub fn length(&self, joint: usize) -> f32 {
        if self.joints[joint].parent.is_some() { self.joints[joint].offset.length() } else { 0.0 }
    }

    /// Whether `joint` is `ancestor` or below it.
    #[must_use]
    pub fn is_below(&self, joint: usize, ancestor: usize) -> bool {
        let mut at = Some(joint);
        while let Some(j) = at {
            if j == ancestor {
                return true;
            }
            at = self.parent(j);
        }
        false
    }

    /// Positions of all joints in the rest pose (all rotations identity), roots at their offsets, metres.
    #[must_use]
    pub fn rest_positions(&self) -> Vec<Vec3> {
        let mut positions: Vec<Vec3> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let base = joint.parent.map_or(Vec3::ZERO, |parent| positions[parent]);
            positions.push(base + joint.offset);
        }
        positions
    }

    /// The same tree with lengths multiplied by `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f32) -> Arc<Self> {
        let mut scaled = self.clone();
        for joint in &mut scaled.joints {
            joint.offset *= factor;
            for tip in &mut joint.tips {
                *tip *= factor;
            }
        }
        Arc::new(scaled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm() -> Vec<Joint> {
        vec![
            Joint::new("root", None, Vec3::Y),
            Joint::new("upper", Some(0), Vec3::X),
            Joint::new("lower", Some(1), Vec3::X * 2.0),
        ]
    }

    #[test]
    fn rest_positions_add_up_along_the_chain() {
        let skeleton = Skeleton::build(arm()).unwrap();
        assert_eq!(skeleton.rest_positions()[2], Vec3::new(3.0, 1.0, 0.0));
        assert_eq!(skeleton.length(2), 2.0);
        assert!(skeleton.is_below(2, 0) && !skeleton.is_below(0, 2));
        assert_eq!(skeleton.children(0), [1]);
    }

    #[test]
    fn bad_trees_are_refused_by_name() {
        assert_eq!(Skeleton::build(vec![]), Err(SkeletonError::Empty));
        let mut joints = arm();
        joints[1].parent = Some(2);
        let error = Skeleton::build(joints).unwrap_err();
        assert!(error.to_string().contains("\"upper\""), "{error}");
        let mut joints = arm();
        joints[0].role = Some(Role::Hips);
        joints[1].role = Some(Role::Hips);
        assert_eq!(
            Skeleton::build(joints),
            Err(SkeletonError::RoleTwice { role: Role::Hips, first: 0, second: 1 })
        );
    }
}
