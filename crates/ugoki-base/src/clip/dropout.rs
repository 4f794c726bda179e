//! Frames that hold no capture: rows of zeros where the recording had dropped out.

use std::ops::Range;

use super::Clip;
use crate::math::{angle_between, median};
use glam::Quat;

/// Joints turned by less than this are at rest, radians: zeros are written as zeros, and no captured body has every
/// joint so.
const AT_REST: f32 = 1e-4;
/// Steps of the motion next to an interval from which its speed is estimated.
const NUM_STEPS: usize = 10;
/// The step between an interval of zeros and the motion is this many times as large as the motion's own steps.
const JUMP: f64 = 4.0;
/// And at least this large, degrees: a motion drawn by hand may leave its rest pose gently.
const LEAST_JUMP_DEGREES: f64 = 1.0;

impl Clip {
    /// Intervals of the motion in which nothing was captured, in order: every joint is exactly at rest, joint 0 stays
    /// where it is, and the body jumps between there and the adjacent motion.
    ///
    /// A clip that is at rest throughout, or that leaves its rest pose smoothly, has none; an added T-pose is no part
    /// of the motion.
    #[must_use]
    pub fn dropouts(&self) -> Vec<Range<usize>> {
        let motion = self.motion_frames();
        let mut runs: Vec<Range<usize>> = Vec::new();
        for frame in motion.clone().filter(|&frame| self.is_at_rest(frame)) {
            match runs.last_mut() {
                Some(run) if run.end == frame && self.root.get(frame) == self.root.get(frame - 1) => {
                    run.end += 1;
                }
                _ => runs.push(frame..frame + 1),
            }
        }
        runs.retain(|run| {
            let before = run.start > motion.start;
            let after = run.end < motion.end;
            let jumps_in = || self.jumps(run.start, run.start - 1, motion.start..run.start);
            let jumps_out = || self.jumps(run.end - 1, run.end, run.end..motion.end);
            (before || after) && (!before || jumps_in()) && (!after || jumps_out())
        });
        runs
    }

    /// Overwrites intervals of frames with the adjacent pose: the one before, or the one after an interval at the
    /// start. A clip that consists of nothing else stays as it is.
    pub fn hold_through(&mut self, intervals: &[Range<usize>]) {
        let motion = self.motion_frames();
        let lost = |frame: usize| intervals.iter().any(|interval| interval.contains(&frame));
        let Some(first) = motion.clone().find(|&frame| !lost(frame)) else { return };
        let mut last = self.pose(first);
        for frame in motion {
            if lost(frame) {
                self.set_pose(frame, &last);
            } else {
                self.pose_into(frame, &mut last);
            }
        }
        self.align_signs();
    }

    /// Whether no joint is turned or moved away from its parent.
    fn is_at_rest(&self, frame: usize) -> bool {
        let turned = |joint: usize| angle_between(self.rotations.get(joint, frame), Quat::IDENTITY) > AT_REST;
        // Faces are captured by another device than bodies.
        let mut places = self.translations.iter().filter(|t| !self.skeleton.joint(t.joint).is_expression);
        let moved = places.any(|t| t.track.get(frame) != self.skeleton.joint(t.joint).offset);
        !moved && !(0..self.num_joints()).any(turned)
    }

    /// Whether the body jumps from a frame to its neighbour in `motion`, against the steps of the motion there.
    fn jumps(&self, from: usize, to: usize, motion: Range<usize>) -> bool {
        let step = |a: usize, b: usize| {
            let turns =
                (0..self.num_joints()).map(|j| angle_between(self.rotation(j, a), self.rotation(j, b)));
            f64::from(turns.fold(0.0, f32::max).to_degrees())
        };
        let near = if to < from {
            to.saturating_sub(NUM_STEPS).max(motion.start)..to
        } else {
            to..(to + NUM_STEPS).min(motion.end - 1)
        };
        let captured = |frame: &usize| !self.is_at_rest(*frame) && !self.is_at_rest(*frame + 1);
        let own: Vec<f64> = near.filter(captured).map(|frame| step(frame, frame + 1)).collect();
        step(from, to) >= LEAST_JUMP_DEGREES.max(JUMP * median(&own).unwrap_or(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, Skeleton};
    use glam::Vec3;
    use proptest::prelude::*;

    /// A chain of three joints whose middle one is turned by `degrees[frame]`; at 0° all is zero.
    fn clip(degrees: &[f32]) -> Clip {
        let joints = vec![
            Joint::new("Hips", None, Vec3::Y),
            Joint::new("Spine", Some(0), Vec3::Y * 0.4),
            Joint::new("Head", Some(1), Vec3::Y * 0.2),
        ];
        let mut clip = Clip::at_rest(Skeleton::build(joints).unwrap(), 30.0, degrees.len()).unwrap();
        for (frame, degrees) in degrees.iter().enumerate() {
            clip.set_rotation(1, frame, Quat::from_rotation_z(degrees.to_radians()));
        }
        clip
    }

    proptest! {
        /// Zeros put into a motion that is never at rest are found, all of them and nothing else, and held through.
        #[test]
        fn zeros_in_a_motion_are_found(lost in prop::collection::vec((1usize..20, 1usize..20), 1..5)) {
            let (mut degrees, mut zeros) = (Vec::new(), Vec::new());
            for (good, bad) in lost {
                let start = degrees.len();
                degrees.extend((start..start + good).map(|i| 40.0 + i as f32 * 0.5));
                zeros.push(degrees.len()..degrees.len() + bad);
                degrees.extend(std::iter::repeat_n(0.0, bad));
            }
            let mut clip = clip(&degrees);
            prop_assert_eq!(clip.dropouts(), zeros.clone());
            clip.hold_through(&zeros);
            prop_assert!(clip.dropouts().is_empty());
            for zero in zeros.iter().flat_map(Clone::clone) {
                prop_assert_eq!(clip.pose(zero), clip.pose(zero - 1));
            }
        }
    }

    #[test]
    fn a_start_without_capture_is_held_at_the_first_pose_there_is() {
        let mut clip = clip(&[0.0, 0.0, 50.0, 51.0]);
        let lost = clip.dropouts();
        assert!(matches!(&lost[..], [first] if *first == (0..2)), "{lost:?}");
        clip.hold_through(&lost);
        assert_eq!([clip.pose(0), clip.pose(1)], [clip.pose(2), clip.pose(2)]);
        assert_eq!(clip.pose(3), super::tests::clip(&[51.0]).pose(0));
    }

    #[test]
    fn rest_poses_that_are_meant_are_no_dropouts() {
        assert!(clip(&[0.0; 9]).dropouts().is_empty(), "at rest throughout");
        assert!(clip(&[0.0, 0.0, 3.0, 6.0, 9.0, 12.0]).dropouts().is_empty(), "left smoothly");
        let mut added = clip(&[0.0, 50.0, 51.0]);
        added.tpose_frame = true;
        assert!(added.dropouts().is_empty(), "an added T-pose is no part of the motion");
        let mut moving = clip(&[0.0; 4]);
        moving.root_mut().set(2, Vec3::ONE);
        assert!(moving.dropouts().is_empty(), "carried about without turning");
        assert!(clip(&[]).dropouts().is_empty());
    }
}
