//! Jumps from one frame to the next that despiking left: they do not come back, or not soon enough.

use glam::DQuat;
use serde::Serialize;

use super::glitch::{DespikeConfig, Limits, jumps};
use crate::clip::Clip;
use crate::math::angle_between;

/// Smaller jumps are not worth a look, degrees.
const NO_BODY_DEG: f32 = 15.0;

/// Turns from one frame to the next that are too large for a body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LargeSteps {
    /// How many.
    pub count: usize,
    /// The joint with the largest.
    pub joint: String,
    /// The frame it ends in, counted with an added T-pose.
    pub frame: usize,
    /// The largest, degrees.
    pub largest_deg: f32,
}

/// The steps of a clip's joints that stand out from those before and after as a glitch's do ([`despike`](super::despike)); none
/// when there are none.
#[must_use]
pub fn large_steps(clip: &Clip) -> Option<LargeSteps> {
    let motion = clip.motion_frames();
    let mut found: Option<LargeSteps> = None;
    for joint in 0..clip.num_joints() {
        let samples: Vec<DQuat> =
            motion.clone().map(|frame| clip.rotation(joint, frame).as_dquat().normalize()).collect();
        let limits = Limits::of_rotations(&samples, clip.fps(), &DespikeConfig::default());
        for frame in jumps(&samples, &limits).into_iter().map(|step| motion.start + step + 1) {
            let turn =
                angle_between(clip.rotation(joint, frame - 1), clip.rotation(joint, frame)).to_degrees();
            if turn < NO_BODY_DEG {
                continue;
            }
            let steps =
                found.get_or_insert(LargeSteps { count: 0, joint: String::new(), frame, largest_deg: 0.0 });
            steps.count += 1;
            if turn > steps.largest_deg {
                (steps.joint, steps.frame) = (clip.skeleton().joint(joint).name.clone(), frame);
                steps.largest_deg = turn;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, Skeleton};
    use glam::{Quat, Vec3};

    #[test]
    fn a_jump_is_reported_at_every_rate_and_a_stroke_is_not() {
        let skeleton = Skeleton::build(vec![Joint::new("arm", None, Vec3::Y)]).unwrap();
        for fps in [30.0, 60.0, 120.0] {
            let mut clip = Clip::at_rest(skeleton.clone(), fps, (2.0 * fps) as usize).unwrap();
            let turned = |clip: &mut Clip, angle: &dyn Fn(f64) -> f64| {
                for frame in 0..clip.num_frames() {
                    let degrees = angle(frame as f64 / fps) as f32;
                    clip.set_rotation(0, frame, Quat::from_rotation_x(degrees.to_radians()));
                }
            };
            // 100° in a fifth of a second, as a fast kick.
            turned(&mut clip, &|t| {
                50.0 * (1.0 - (std::f64::consts::PI * ((t - 1.0) / 0.2).clamp(0.0, 1.0)).cos())
            });
            assert_eq!(large_steps(&clip), None, "{fps}");
            turned(&mut clip, &|t| if t < 1.0 { 20.0 * t } else { 20.0 * t + 60.0 });
            let found = large_steps(&clip).unwrap();
            assert_eq!((found.count, found.frame), (1, fps as usize), "{fps}: {found:?}");
        }
    }
}
