//! What of a body was not seen, from when to when.

use std::fmt;

use ugoki::clip::Clip;
use ugoki::formats::Gap;
pub use ugoki::live::Loss;
use ugoki::perform::{BRIDGE_S, Unseen};
use ugoki::pose::Pose;
use ugoki::skeleton::Role;

/// Losses that are kept at most: beyond it a sensor flickers, and more of the same tells nothing.
const MOST: usize = 1000;
/// Losses that are told in words; all are in the `--json` report.
const MOST_LINES: usize = 12;

/// Losses so far.
#[derive(Debug, Clone, Default)]
pub struct Losses {
    all: Vec<Loss>,
    /// Roles that are lost now, and where among all they are.
    open: Vec<(Role, Option<usize>)>,
}

/// What has changed with a frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LossChange {
    /// Joints that are lost from now on.
    pub lost: Vec<Role>,
    /// Joints that are seen again.
    pub back: Vec<Role>,
}

impl Losses {
    /// Takes a frame at `t` seconds and what is lost in it, with how long it has been.
    pub fn take(&mut self, t: f64, lost: impl Iterator<Item = (Role, f64)>) -> LossChange {
        let mut change = LossChange::default();
        let mut still = vec![false; self.open.len()];
        for (role, seconds) in lost {
            match self.open.iter().position(|(open, _)| *open == role) {
                Some(at) if at < still.len() => still[at] = true,
                Some(_) => {}
                None => {
                    let loss = Loss { joint: role.name().to_owned(), from: (t - seconds).max(0.0), to: None };
                    let place = (self.all.len() < MOST).then_some(self.all.len());
                    self.all.extend(place.map(|_| loss));
                    self.open.push((role, place));
                    change.lost.push(role);
                }
            }
        }
        for at in (0..still.len()).rev().filter(|at| !still[*at]) {
            let (role, place) = self.open.remove(at);
            if let Some(place) = place {
                self.all[place].to = Some(t);
            }
            change.back.insert(0, role);
        }
        change
    }

    /// All of them, in the order in which they began to be told.
    #[must_use]
    pub fn finish(self) -> Vec<Loss> {
        self.all
    }
}

/// Joints that share a loss in one line each, with what was done about it.
#[must_use]
pub fn lines(losses: &[Loss], done: &str) -> Vec<String> {
    let mut shared: Vec<(f64, Option<f64>, Vec<&str>)> = Vec::new();
    for loss in losses {
        match shared.iter_mut().find(|(from, to, _)| (*from, *to) == (loss.from, loss.to)) {
            Some((.., joints)) => joints.push(&loss.joint),
            None => shared.push((loss.from, loss.to, vec![&loss.joint])),
        }
    }
    let line = |(from, to, joints): &(f64, Option<f64>, Vec<&str>)| {
        let to = to.map_or_else(|| "on".to_owned(), |to| format!("to {to:.2} s"));
        format!("not seen from {from:.2} s {to}, {done}: {}", joints.join(", "))
    };
    let mut lines: Vec<String> = shared.iter().take(MOST_LINES).map(line).collect();
    if shared.len() > MOST_LINES {
        lines.push(format!("and {} times more; --json has all", shared.len() - MOST_LINES));
    }
    lines
}

/// The same, each after a line end.
pub(super) fn write_losses(f: &mut fmt::Formatter<'_>, losses: &[Loss], done: &str) -> fmt::Result {
    lines(losses, done).iter().try_for_each(|line| write!(f, "\n{line}"))
}

/// When the joints of a motion are not known for longer than is bridged: those below a joint of whose turning there are no numbers.
/// What a file begins without is not bridged, for there is nothing before it.
pub(super) fn unseen(clip: &Clip, gaps: &[Gap]) -> Vec<Unseen> {
    let motion = clip.motion_frames();
    let mut all = Vec::new();
    for &role in Role::ALL {
        let mut above = clip.skeleton().find(role).and_then(|joint| clip.skeleton().parent(joint));
        let mut lost = vec![false; motion.len()];
        while let Some(joint) = above {
            for gap in gaps.iter().filter(|gap| gap.joint == joint) {
                let within = |frame: usize| frame.clamp(motion.start, motion.end) - motion.start;
                lost[within(gap.frames.start)..within(gap.frames.end)].fill(true);
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

/// The same as a report tells it.
pub(super) fn told(unseen: &[Unseen], clip: &Clip) -> Vec<Loss> {
    let end = clip.motion_frames().len() as f64 / clip.fps();
    let loss = |unseen: &Unseen| Loss {
        joint: unseen.role.name().to_owned(),
        from: unseen.seconds.start,
        to: Some(unseen.seconds.end).filter(|to| *to < end),
    };
    unseen.iter().take(MOST).map(loss).collect()
}

/// Which joints of a clip have no numbers, frame by frame.
pub(super) struct Unread {
    joints: Vec<Vec<u32>>,
}

impl Unread {
    /// The gaps of a clip of so many frames.
    pub(super) fn new(gaps: &[Gap], num_frames: usize) -> Self {
        let mut joints = vec![Vec::new(); if gaps.is_empty() { 0 } else { num_frames }];
        for gap in gaps {
            let frames = gap.frames.start.min(num_frames)..gap.frames.end.min(num_frames);
            joints[frames].iter_mut().for_each(|all| all.push(gap.joint as u32));
        }
        Self { joints }
    }

    /// Makes rotations that are not known not finite: nothing below them is seen.
    pub(super) fn mark(&self, frame: usize, pose: &mut Pose) {
        for &joint in self.joints.get(frame).into_iter().flatten() {
            if let Some(rotation) = pose.rotations.get_mut(joint as usize) {
                *rotation = glam::Quat::from_xyzw(f32::NAN, f32::NAN, f32::NAN, f32::NAN);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_told_once_and_end_when_seen_again() {
        let mut losses = Losses::default();
        let (foot, toes, hand) = (Role::RightFoot, Role::RightToes, Role::LeftHand);
        assert_eq!(losses.take(0.0, std::iter::empty()), LossChange::default());
        let change = losses.take(1.2, [(foot, 0.2), (toes, 0.2)].into_iter());
        assert_eq!(change.lost, [foot, toes]);
        assert_eq!(losses.take(1.3, [(foot, 0.3), (toes, 0.3)].into_iter()), LossChange::default());
        let change = losses.take(2.0, [(hand, 0.15), (toes, 1.0)].into_iter());
        assert_eq!((change.lost, change.back), (vec![hand], vec![foot]));
        assert_eq!(losses.take(2.5, [(hand, 0.65)].into_iter()).back, [toes]);
        let all = losses.finish();
        let told: Vec<_> = all.iter().map(|loss| (loss.joint.as_str(), loss.to)).collect();
        assert_eq!(told, [("rightFoot", Some(2.0)), ("rightToes", Some(2.5)), ("leftHand", None)]);
        assert!((all[0].from - 1.0).abs() < 1e-9 && (all[2].from - 1.85).abs() < 1e-9);
    }

    #[test]
    fn what_hangs_below_a_joint_without_numbers_is_not_seen() {
        let clip = ugoki::sample::clip("front-kick").unwrap();
        let hip = clip.skeleton().find(Role::RightUpperLeg).unwrap();
        let short = (BRIDGE_S * clip.fps()) as usize - 1;
        let gap = |frames: std::ops::Range<usize>| Gap { joint: hip, frames };
        let leg = [Role::RightLowerLeg, Role::RightFoot, Role::RightToes];
        let lost = unseen(&clip, &[gap(40..70), gap(100..100 + short)]);
        assert_eq!(lost.iter().map(|one| one.role).collect::<Vec<_>>(), leg);
        for one in &lost {
            assert!((one.seconds.start * clip.fps() - 40.0).abs() < 1e-6);
            assert!((one.seconds.end * clip.fps() - 70.0).abs() < 1e-6);
        }
        // Nothing is known before what a file begins without.
        assert_eq!(unseen(&clip, &[gap(0..short)]).len(), leg.len());
        let on = unseen(&clip, &[gap(100..clip.num_frames())]);
        assert!(told(&on, &clip).iter().all(|loss| loss.to.is_none()));
    }
}
