//! Facial expressions as joints.
//!
//! VRMA keeps the weight of an expression as the x of a node's translation. So does a clip: an expression is a joint on the
//! head (else on joint 0) with no length, and its track is that x. What carries tracks carries faces too: resampling, splicing,
//! layers claimed by name. Forward kinematics leaves it where its parent is, so no measure, picture or contact meets a body part a metre away.

use std::sync::Arc;

use glam::Vec3;

use super::{Joint, Role, Skeleton, SkeletonError};

/// The first expression that is more than a bare joint below another.
pub(super) fn misplaced(joints: &[Joint]) -> Option<usize> {
    let odd = |joint: &Joint| {
        joint.parent.is_none() || joint.offset != Vec3::ZERO || !joint.tips.is_empty() || joint.role.is_some()
    };
    let below = joints.iter().filter_map(|joint| joint.parent).find(|&parent| joints[parent].is_expression);
    joints.iter().position(|joint| joint.is_expression && odd(joint)).or(below)
}

impl Skeleton {
    /// The joints that are facial expressions.
    pub fn expressions(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.num_joints()).filter(|&joint| self.joint(joint).is_expression)
    }

    /// The expression with exactly this name.
    #[must_use]
    pub fn find_expression(&self, name: &str) -> Option<usize> {
        self.expressions().find(|&joint| self.joint(joint).name == name)
    }

    /// The same body with more expressions, one joint each after all others, on the head where there is one.
    ///
    /// # Errors
    /// Never for a skeleton that was built; names are not compared.
    pub fn with_expressions<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Arc<Self>, SkeletonError> {
        let head = self.find(Role::Head).unwrap_or(0);
        let mut joints = self.joints().to_vec();
        joints.extend(
            names
                .into_iter()
                .map(|name| Joint { is_expression: true, ..Joint::new(name, Some(head), Vec3::ZERO) }),
        );
        Self::build(joints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> Vec<Joint> {
        let mut head = Joint::new("head", Some(0), Vec3::Y);
        head.role = Some(Role::Head);
        vec![Joint::new("hips", None, Vec3::Y), head]
    }

    #[test]
    fn expressions_hang_from_the_head_and_are_found_by_name() {
        let skeleton = Skeleton::build(body()).unwrap().with_expressions(["happy"]).unwrap();
        let happy = skeleton.find_expression("happy").unwrap();
        assert_eq!((skeleton.parent(happy), skeleton.find_expression("head")), (Some(1), None));
    }

    #[test]
    fn an_expression_that_is_more_than_one_is_refused_by_name() {
        let changes: [fn(&mut Vec<Joint>); 4] = [
            |joints| joints[2].parent = None,
            |joints| joints[2].offset = Vec3::X,
            |joints| joints[2].role = Some(Role::Jaw),
            |joints| joints.push(Joint::new("tooth", Some(2), Vec3::ZERO)),
        ];
        for change in changes {
            let mut joints = body();
            joints.push(Joint { is_expression: true, ..Joint::new("happy", Some(1), Vec3::ZERO) });
            assert!(Skeleton::build(joints.clone()).is_ok());
            change(&mut joints);
            let error = Skeleton::build(joints).unwrap_err();
            assert!(error.to_string().contains("\"happy\""), "{error}");
        }
    }

    #[test]
    fn bytes_keep_expressions() {
        let skeleton = Skeleton::build(body()).unwrap().with_expressions(["happy", "aa"]).unwrap();
        assert_eq!(Skeleton::from_bytes(&skeleton.to_bytes()).unwrap(), skeleton);
    }
}
