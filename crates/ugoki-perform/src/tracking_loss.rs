//! Tracking loss: joints without data, by interval and frame by frame.

use std::ops::Range;

use glam::Quat;

use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::Role;
use ugoki_base::tracking_loss::{Loss, MAX_LOSSES};

use crate::{BRIDGE_S, Unseen};

/// Intervals longer than [`BRIDGE_S`] in which the place of a joint is not known: a joint above it has no rotation.
/// A gap at the start of the motion counts whatever its length, as no earlier pose can bridge it.
///
/// `gaps` are joints and the frames of the clip in which their rotations are not known.
#[must_use]
pub fn unseen(clip: &Clip, gaps: &[(usize, Range<usize>)]) -> Vec<Unseen> {
    let motion = clip.motion_frames();
    let mut all = Vec::new();
    for &role in Role::ALL {
        let mut above = clip.skeleton().find(role).and_then(|joint| clip.skeleton().parent(joint));
        let mut lost = vec![false; motion.len()];
        while let Some(joint) = above {
            for (_, frames) in gaps.iter().filter(|(of, _)| *of == joint) {
                let within = |frame: usize| frame.clamp(motion.start, motion.end) - motion.start;
                lost[within(frames.start)..within(frames.end)].fill(true);
            }
            above = clip.skeleton().parent(joint);
        }
        let mut at = 0;
        for run in lost.chunk_by(|a, b| a == b) {
            let frames = at..at + run.len();
            at = frames.end;
            let seconds = frames.start as f64 / clip.fps()..frames.end as f64 / clip.fps();
            if run[0] && (frames.start == 0 || seconds.end - seconds.start > BRIDGE_S) {
                all.push(Unseen { role, seconds });
            }
        }
    }
    all.sort_by(|a, b| a.seconds.start.total_cmp(&b.seconds.start));
    all
}

/// Unseen intervals of a clip in the form of a report.
#[must_use]
pub fn losses(unseen: &[Unseen], clip: &Clip) -> Vec<Loss> {
    let end = clip.motion_frames().len() as f64 / clip.fps();
    let loss = |unseen: &Unseen| Loss {
        joint: unseen.role.name().to_owned(),
        from: unseen.seconds.start,
        to: Some(unseen.seconds.end).filter(|to| *to < end),
    };
    unseen.iter().take(MAX_LOSSES).map(loss).collect()
}

/// The joints of a clip without data, frame by frame.
#[derive(Debug, Clone, Default)]
pub struct GapMask {
    joints: Vec<Vec<u32>>,
}

impl GapMask {
    /// The gaps of a clip of so many frames, as in [`unseen`].
    #[must_use]
    pub fn new(gaps: &[(usize, Range<usize>)], num_frames: usize) -> Self {
        let mut joints = vec![Vec::new(); if gaps.is_empty() { 0 } else { num_frames }];
        for (joint, frames) in gaps {
            let frames = frames.start.min(num_frames)..frames.end.min(num_frames);
            joints[frames].iter_mut().for_each(|all| all.push(*joint as u32));
        }
        Self { joints }
    }

    /// Replaces rotations that are not known by NaN, so that no joint below them counts as seen.
    pub fn apply(&self, frame: usize, pose: &mut Pose) {
        for &joint in self.joints.get(frame).into_iter().flatten() {
            if let Some(rotation) = pose.rotations.get_mut(joint as usize) {
                *rotation = Quat::NAN;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ugoki_base::tracking_loss::{LossChange, LossTracker};

    use super::*;

    #[test]
    fn losses_are_reported_once_and_end_when_seen_again() {
        let mut losses = LossTracker::default();
        let (foot, toes, hand) = (Role::RightFoot, Role::RightToes, Role::LeftHand);
        assert_eq!(losses.update(0.0, std::iter::empty()), LossChange::default());
        let change = losses.update(1.2, [(foot, 0.2), (toes, 0.2)].into_iter());
        assert_eq!(change.lost, [foot, toes]);
        assert_eq!(losses.update(1.3, [(foot, 0.3), (toes, 0.3)].into_iter()), LossChange::default());
        let change = losses.update(2.0, [(hand, 0.15), (toes, 1.0)].into_iter());
        assert_eq!((change.lost, change.back), (vec![hand], vec![foot]));
        assert_eq!(losses.update(2.5, [(hand, 0.65)].into_iter()).back, [toes]);
        let all = losses.finish();
        let ends: Vec<_> = all.iter().map(|loss| (loss.joint.as_str(), loss.to)).collect();
        assert_eq!(ends, [("rightFoot", Some(2.0)), ("rightToes", Some(2.5)), ("leftHand", None)]);
        assert!((all[0].from - 1.0).abs() < 1e-9 && (all[2].from - 1.85).abs() < 1e-9);
    }

    #[test]
    fn joints_below_a_joint_without_data_are_unseen() {
        let clip = ugoki_sample::clip("front-kick").unwrap();
        let hip = clip.skeleton().find(Role::RightUpperLeg).unwrap();
        let short = (BRIDGE_S * clip.fps()) as usize - 1;
        let leg = [Role::RightLowerLeg, Role::RightFoot, Role::RightToes];
        let lost = unseen(&clip, &[(hip, 40..70), (hip, 100..100 + short)]);
        assert_eq!(lost.iter().map(|one| one.role).collect::<Vec<_>>(), leg);
        for one in &lost {
            assert!((one.seconds.start * clip.fps() - 40.0).abs() < 1e-6);
            assert!((one.seconds.end * clip.fps() - 70.0).abs() < 1e-6);
        }
        // No pose is known before a gap at the start.
        assert_eq!(unseen(&clip, &[(hip, 0..short)]).len(), leg.len());
        let open = unseen(&clip, &[(hip, 100..clip.num_frames())]);
        assert!(losses(&open, &clip).iter().all(|loss| loss.to.is_none()));
    }
}
