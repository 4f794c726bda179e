//! A motion done with less amplitude: every joint turned part of the way from a base pose.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{align_sign, slerp, swing_twist};
use ugoki_base::pose::Pose;

/// The pose about which a motion is done smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The motion's first pose.
    First,
    /// The mean pose of the whole motion.
    Mean,
}

/// Every joint's rotation in the base pose; the root's without its heading.
fn base_rotations(clip: &Clip, base: Base) -> Vec<Quat> {
    let frames = clip.motion_frames();
    let one = |joint: usize| {
        let at = |frame: usize| local(clip, joint, frame);
        let first = at(frames.start);
        match base {
            Base::First => first,
            Base::Mean => {
                let sum = frames.clone().fold(glam::Vec4::ZERO, |sum, frame| {
                    sum + glam::Vec4::from(align_sign(at(frame), first))
                });
                Quat::from_vec4(sum).normalize()
            }
        }
    };
    (0..clip.num_joints()).map(one).collect()
}

/// A joint's rotation; the root's without its heading, so that turning round is no part of the amplitude.
fn local(clip: &Clip, joint: usize, frame: usize) -> Quat {
    let q = clip.rotation(joint, frame);
    if joint == 0 { heading(q).conjugate() * q } else { q }
}

fn heading(q: Quat) -> Quat {
    swing_twist(q, Vec3::Y).1
}

/// The motion with every joint turned by `amplitude`, 0 to 1, of its way from the base pose. The root keeps its path and its
/// heading.
#[must_use]
pub fn with_amplitude(clip: &Clip, amplitude: f32, base: Base) -> Clip {
    let bases = base_rotations(clip, base);
    let mut out = clip.clone();
    out.set_source(None);
    let mut pose = Pose::rest(clip.skeleton());
    for frame in clip.motion_frames() {
        clip.pose_into(frame, &mut pose);
        let turn = pose.rotations.first().map_or(Quat::IDENTITY, |root| heading(*root));
        for (joint, q) in pose.rotations.iter_mut().enumerate() {
            let part = slerp(bases[joint], local(clip, joint, frame), amplitude);
            *q = if joint == 0 { turn * part } else { part }.normalize();
        }
        out.set_pose(frame, &pose);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::math::angle_between;

    #[test]
    fn the_whole_amplitude_is_the_motion_and_none_is_the_base() {
        let kick = ugoki_sample::clip("front-kick").unwrap();
        let whole = with_amplitude(&kick, 1.0, Base::Mean);
        let none = with_amplitude(&kick, 0.0, Base::First);
        for frame in kick.motion_frames().step_by(10) {
            for joint in 1..kick.num_joints() {
                let own = kick.rotation(joint, frame);
                assert!(angle_between(whole.rotation(joint, frame), own) < 1e-3);
                assert!(angle_between(none.rotation(joint, frame), kick.rotation(joint, 0)) < 1e-3);
            }
        }
    }

    #[test]
    fn turning_round_is_no_amplitude() {
        let mut kick = ugoki_sample::clip("front-kick").unwrap();
        let turn = Quat::from_rotation_y(2.0);
        for frame in 0..kick.num_frames() {
            kick.set_rotation(0, frame, turn * kick.rotation(0, frame));
        }
        let less = with_amplitude(&kick, 0.3, Base::Mean);
        for frame in kick.motion_frames().step_by(10) {
            let twist = |clip: &Clip| heading(clip.rotation(0, frame));
            assert!(angle_between(twist(&less), twist(&kick)) < 0.02);
        }
    }
}
