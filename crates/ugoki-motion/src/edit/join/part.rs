//! Pieces of clips and where they go; poses of a clip and just beyond its ends.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics};
use ugoki_feet::contact::Contacts;

use super::moved_pose;
use crate::edit::GroundFrame;

/// One source's part in a joined clip.
pub(in crate::edit) struct Part<'a> {
    /// The clip.
    pub(in crate::edit) clip: &'a Clip,
    /// Where it goes.
    pub(in crate::edit) placement: GroundFrame,
    /// Its labels, or none.
    pub(in crate::edit) contacts: Option<&'a Contacts>,
    /// The frames of it that are used.
    pub(in crate::edit) frames: Range<usize>,
}

impl Part<'_> {
    /// A frame of the clip in its place, which may lie one beyond either end.
    pub(super) fn pose(&self, at: isize) -> Pose {
        moved_pose(self.clip.skeleton(), &sample(self.clip, at), &self.placement)
    }

    /// The same in the world.
    pub(super) fn model(&self, at: isize) -> ModelPose {
        forward_kinematics(self.clip.skeleton(), &self.pose(at))
    }
}

/// Frame `at` of a clip's motion, which may lie one beyond either end: the last velocity goes on there.
pub(in crate::edit) fn sample(clip: &Clip, at: isize) -> Pose {
    let motion = clip.motion_frames();
    let inside = |frame: isize| {
        usize::try_from(frame)
            .unwrap_or(0)
            .clamp(motion.start, motion.end.saturating_sub(1).max(motion.start))
    };
    let frame = inside(at);
    let mut out = clip.pose(frame);
    let beyond = at - frame as isize;
    if beyond != 0 {
        let before = clip.pose(inside(frame as isize - beyond.signum()));
        out.root = 2.0 * out.root - before.root;
        for (q, was) in out.rotations.iter_mut().zip(&before.rotations) {
            *q = (*q * was.inverse() * *q).normalize();
        }
        for (path, was) in out.translations.iter_mut().zip(&before.translations) {
            path.1 = 2.0 * path.1 - was.1;
        }
    }
    out
}
