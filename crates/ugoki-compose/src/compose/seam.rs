//! Roughness of a motion's seams compared with its clips.

use super::{Rendered, joint_accelerations};

/// Frames on either side of a seam that are the seam itself, and to which the time of a clip's own movement is known.
const SEAM_FRAMES: usize = 2;

/// One seam.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SeamLook {
    /// Largest acceleration of any joint within two frames over what is ordinary.
    pub at_seam: f64,
    /// The same within the whole blend, over what is ordinary or what the joint does just then in its clip, whichever
    /// is more.
    pub blend: f64,
    /// Where in the blend that is: frame and joint.
    pub at: (usize, usize),
}

impl SeamLook {
    /// The rougher of both.
    #[must_use]
    pub fn worst(&self) -> f64 {
        self.at_seam.max(self.blend)
    }
}

/// Looks at every seam of a motion; `ordinary` is the 99th percentile of the largest joint acceleration in the frames
/// of its clips, m/s², and `spread` half of a blend in frames.
#[must_use]
pub fn look_at_seams(motion: &Rendered, ordinary: f64, spread: usize) -> Vec<SeamLook> {
    let joints = motion.clip.num_joints();
    let now = joint_accelerations(&motion.clip);
    let frames = now.len() / joints.max(1);
    let about = |frame: usize, reach: usize| frame.saturating_sub(reach)..(frame + reach + 1).min(frames);
    let own = |frame: usize, joint: usize| {
        let around = about(frame, SEAM_FRAMES).map(|at| motion.own_m_s2.get(at * joints + joint).copied());
        f64::from(around.flatten().fold(0.0, f32::max))
    };
    let mut looks = Vec::with_capacity(motion.seams.len());
    for seam in &motion.seams {
        let mut look = SeamLook::default();
        for frame in about(seam.frame, spread) {
            for joint in 0..joints {
                let a = f64::from(now[frame * joints + joint]) / ordinary;
                if frame.abs_diff(seam.frame) <= SEAM_FRAMES {
                    look.at_seam = look.at_seam.max(a);
                }
                // What is below the best so far without its clip stays below it with it.
                if a > look.blend {
                    let over = a / (own(frame, joint) / ordinary).max(1.0);
                    if over > look.blend {
                        (look.blend, look.at) = (over, (frame, joint));
                    }
                }
            }
        }
        looks.push(look);
    }
    looks
}
