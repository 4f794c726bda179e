//! The axes about which a capture really bends its hinges.
//!
//! Anatomy gives a hinge's axis from the rest pose ([`Body::build`]); skeletons may have another idea: CMU's elbows
//! are tilted by 30°. Where a clip bends a joint enough and about one axis, that axis is used instead.

use glam::{DMat3, DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::Role;

use crate::dynamics::body::{Body, JointKind};
use crate::dynamics::spatial::Sym3;

/// The clip must bend the joint by this much, root mean square of the half-angle's sine: 10°.
const ENOUGH: f64 = 0.087;
/// Fraction of the bending that must be about one axis; less means noise or a joint that is not a hinge.
const ONE_AXIS: f64 = 0.9;
/// Cosine within which the measured axis must agree with anatomy (60°), else it is a mislabelled joint.
const AGREES: f64 = 0.5;
/// More steps than a dominance of 0.9 needs: the error falls by 9 in each.
const STEPS: usize = 40;

/// Unit axes of the hinges of `body` that `clip` shows, in rest axes, signed as the body's; for [`LinkOverride::axis`].
///
/// `clip` is on the skeleton the body was built from. An added T-pose is left out.
///
/// [`LinkOverride::axis`]: crate::dynamics::LinkOverride::axis
#[must_use]
pub fn measured_axes(body: &Body, clip: &Clip) -> Vec<(Role, DVec3)> {
    let hinges: Vec<_> = body.links().iter().filter(|link| link.joint == JointKind::Hinge).collect();
    let mut sums = vec![Sym3::ZERO; hinges.len()];
    let mut pose = Pose::rest(clip.skeleton());
    let mut model = ModelPose::default();
    for frame in clip.motion_frames() {
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(clip.skeleton(), &pose, &mut model);
        let world = |joint: usize| -> DQuat { model.rotations[joint].as_dquat() };
        for (link, sum) in hinges.iter().zip(&mut sums) {
            let parent = body.link(link.parent.unwrap_or(0)).frame_joint;
            let q = world(parent).conjugate() * world(link.frame_joint);
            let v = DVec3::new(q.x, q.y, q.z);
            *sum = *sum + Sym3::from_mat3(&DMat3::from_cols(v * v.x, v * v.y, v * v.z));
        }
    }
    let frames = clip.motion_frames().len().max(1) as f64;
    let shown = hinges.iter().zip(&sums).filter_map(|(link, sum)| {
        let mut axis = link.axis;
        for _ in 0..STEPS {
            axis = sum.mul_vec(axis).normalize_or_zero();
        }
        let whole = sum.xx + sum.yy + sum.zz;
        let along = axis.dot(sum.mul_vec(axis));
        let good = whole > ENOUGH * ENOUGH * frames
            && along > ONE_AXIS * whole
            && axis.dot(link.axis).abs() > AGREES;
        good.then(|| (link.role, axis * axis.dot(link.axis).signum()))
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::person::person;
    use crate::dynamics::{BodyConfig, LinkOverride};
    use glam::Quat;

    #[test]
    fn a_tilted_elbow_is_found_and_an_unused_one_left_alone() {
        let skeleton = person();
        let tilted = DVec3::new(0.0, -0.866, 0.5).normalize();
        let elbow = skeleton.find(Role::LeftLowerArm).unwrap();
        let mut clip = Clip::at_rest(skeleton.clone(), 30.0, 60).unwrap();
        for frame in 0..60 {
            let angle = 1.0 + (0.2 * frame as f32).sin();
            clip.set_rotation(elbow, frame, Quat::from_axis_angle(tilted.as_vec3(), angle));
        }
        let body = Body::build(&skeleton, &BodyConfig::default()).unwrap();
        let axes = measured_axes(&body, &clip);
        assert_eq!(axes.len(), 1);
        assert_eq!(axes[0].0, Role::LeftLowerArm);
        // f32 rotations carry 1e-7.
        assert!((axes[0].1 - tilted).length() < 1e-6, "{}", axes[0].1);
        let mut config = BodyConfig::default();
        let own = LinkOverride { axis: Some(axes[0].1.to_array()), ..LinkOverride::default() };
        config.links.insert(Role::LeftLowerArm, own);
        let refit = Body::build(&skeleton, &config).unwrap();
        assert!((refit.link(refit.find(Role::LeftLowerArm).unwrap()).axis - tilted).length() < 1e-6);
        // Twisting the forearm is no bending.
        for frame in 0..60 {
            clip.set_rotation(elbow, frame, Quat::from_rotation_x(1.0));
        }
        assert_eq!(measured_axes(&body, &clip), []);
    }
}
