//! What of a performer was not seen, from when to when.

use std::fmt;

use serde::Serialize;

use crate::formats::Gap;
use crate::pose::Pose;
use crate::skeleton::Role;

/// Losses that are kept at most: beyond it a sensor flickers, and more of the same tells nothing.
const MOST: usize = 1000;
/// Losses that are told in words; all are in the `--json` report.
const MOST_LINES: usize = 12;

/// A joint of the performer that was not seen for a while and was left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loss {
    /// Its role.
    pub joint: String,
    /// Seconds from the performance's first frame at which it was last seen; 0 if never before.
    pub from: f64,
    /// When it was seen again; none if it was not.
    pub to: Option<f64>,
}

/// Losses of a performance so far.
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

/// Joints that share a loss in one line each.
pub(super) fn write_losses(f: &mut fmt::Formatter<'_>, losses: &[Loss]) -> fmt::Result {
    let mut lines: Vec<(f64, Option<f64>, Vec<&str>)> = Vec::new();
    for loss in losses {
        match lines.iter_mut().find(|(from, to, _)| (*from, *to) == (loss.from, loss.to)) {
            Some((.., joints)) => joints.push(&loss.joint),
            None => lines.push((loss.from, loss.to, vec![&loss.joint])),
        }
    }
    for (from, to, joints) in lines.iter().take(MOST_LINES) {
        write!(f, "\nnot seen from {from:.2} s ")?;
        match to {
            Some(to) => write!(f, "to {to:.2} s")?,
            None => write!(f, "on")?,
        }
        write!(f, ", done without: {}", joints.join(", "))?;
    }
    match lines.len().saturating_sub(MOST_LINES) {
        0 => Ok(()),
        more => write!(f, "\nand {more} times more; --json has all"),
    }
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
}
