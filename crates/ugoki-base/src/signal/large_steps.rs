//! Turns from one frame to the next that are too large for a body: what despiking could not mend.

use serde::Serialize;

use crate::clip::Clip;
use crate::math::angle_between;

/// Turns from a frame to the next that no body makes, degrees per second: throws reach 7000 about the arm's own axis,
/// all else stays far below.
const NO_BODY_DEG_S: f64 = 8000.0;
/// And no less than this from one frame to the next, degrees: at high rates jitter alone is as fast.
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

/// The steps of a clip's joints that no body makes; none when there are none.
#[must_use]
pub fn large_steps(clip: &Clip) -> Option<LargeSteps> {
    let least = ((NO_BODY_DEG_S / clip.fps()) as f32).max(NO_BODY_DEG);
    let motion = clip.motion_frames();
    let mut found: Option<LargeSteps> = None;
    for joint in 0..clip.num_joints() {
        for frame in motion.clone().skip(1) {
            let turn =
                angle_between(clip.rotation(joint, frame - 1), clip.rotation(joint, frame)).to_degrees();
            if turn < least {
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
