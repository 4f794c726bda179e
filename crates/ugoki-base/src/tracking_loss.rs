//! Tracking loss: when a joint of a performer was not seen.

use serde::Serialize;

use crate::skeleton::Role;

/// Most losses that are kept: a sensor that flickers more often adds no information.
pub const MAX_LOSSES: usize = 1000;

/// A joint whose tracking was lost for a while.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loss {
    /// Its role.
    pub joint: String,
    /// When it was last seen, seconds from the first frame; 0 if never before.
    pub from: f64,
    /// When it was seen again; none if it was not.
    pub to: Option<f64>,
}

/// Collects the losses of a running performance.
#[derive(Debug, Clone, Default)]
pub struct LossTracker {
    losses: Vec<Loss>,
    /// Roles that are lost now, and their index in `losses`.
    open: Vec<(Role, Option<usize>)>,
}

/// What a frame changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LossChange {
    /// Joints that are lost from now on.
    pub lost: Vec<Role>,
    /// Joints that are seen again.
    pub back: Vec<Role>,
}

impl LossTracker {
    /// Takes the roles that are lost at `t` seconds, each with how long it has been.
    pub fn update(&mut self, t: f64, lost: impl Iterator<Item = (Role, f64)>) -> LossChange {
        let mut change = LossChange::default();
        let mut still = vec![false; self.open.len()];
        for (role, seconds) in lost {
            match self.open.iter().position(|(open, _)| *open == role) {
                Some(at) if at < still.len() => still[at] = true,
                Some(_) => {}
                None => {
                    let loss = Loss { joint: role.name().to_owned(), from: (t - seconds).max(0.0), to: None };
                    let place = (self.losses.len() < MAX_LOSSES).then_some(self.losses.len());
                    self.losses.extend(place.map(|_| loss));
                    self.open.push((role, place));
                    change.lost.push(role);
                }
            }
        }
        for at in (0..still.len()).rev().filter(|at| !still[*at]) {
            let (role, place) = self.open.remove(at);
            if let Some(place) = place {
                self.losses[place].to = Some(t);
            }
            change.back.insert(0, role);
        }
        change
    }

    /// All losses in the order in which they were noticed.
    #[must_use]
    pub fn finish(self) -> Vec<Loss> {
        self.losses
    }
}

/// Most lines that [`loss_lines`] gives.
const MAX_LINES: usize = 12;

/// Losses in words: joints with the same interval in one line each, with what was done about it.
#[must_use]
pub fn loss_lines(losses: &[Loss], done: &str) -> Vec<String> {
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
    let mut lines: Vec<String> = shared.iter().take(MAX_LINES).map(line).collect();
    if shared.len() > MAX_LINES {
        lines.push(format!("and {} times more", shared.len() - MAX_LINES));
    }
    lines
}
