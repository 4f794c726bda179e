//! Following the target: each joint's acceleration from its own deviation, without dynamics.
//!
//! The cubic from (x₀, ẋ₀) now to (x₁, ẋ₁) after T has the second derivative 6(x₁ − x₀)/T² − (4ẋ₀ + 2ẋ₁)/T now. Applied
//! to the deviation e from the target, towards (0, 0), and added to the target's own acceleration it is
//! q̈_t − 6e/T² − 4ė/T. Ball joints work in the chart at their current orientation (`chart`).

use glam::{DQuat, DVec3};
use ugoki_base::math::log64;

use super::chart::in_chart;
use super::config::Tracking;
use super::ground::Anchor;
use super::horizon::RANGE_S;
use super::target::Target;
use crate::dynamics::{BodyState, JointKind, quat_at, set_vec3, vec3_at};

/// Time back to the target for joints, and for the pelvis' place, while the ground cannot give all that is wanted, s.
///
/// Swept in `docs/results/react.md`: faster, and the joints' own reactions throw the body; slower, and a trunk once tilted pulls it over.
const BOUNDED_S: f64 = 0.15;
const BOUNDED_ROOT_S: f64 = 0.2;

/// How fast joints return to the target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace<'a> {
    /// Links that take the longest time; none when it is empty.
    pub(super) slow: &'a [bool],
    /// How far the ground bounds what can be wanted, 0 to 1: at 1 all others take a fixed time.
    pub(super) bounded: f64,
}

impl Pace<'_> {
    fn bound(&self, free_s: f64, bounded_s: f64) -> f64 {
        free_s + self.bounded * (bounded_s - free_s)
    }
}

/// Requested accelerations of all degrees of freedom, into `out`; the root is followed as seen through `frame`.
pub(super) fn track_into(
    target: &Target,
    step: usize,
    tracking: Tracking,
    frame: &Anchor,
    pace: Pace<'_>,
    state: &BodyState,
    out: &mut [f64],
) {
    for (index, link) in target.body.links().iter().enumerate() {
        let free_s = target.horizon_s(step, index);
        let seconds = if pace.slow.get(index).is_some_and(|&slow| slow) {
            RANGE_S[1]
        } else {
            pace.bound(free_s, BOUNDED_S)
        };
        let goal = match tracking {
            Tracking::Deviation => Goal::deviation(target, step, seconds),
            Tracking::Extremum => Goal::extremum(target, step, seconds),
        };
        let (c, d) = (link.coordinate, link.dof);
        match link.joint {
            JointKind::Hinge => {
                out[d] = goal.scalar(state.q[c], state.qd[d], c, d);
            }
            JointKind::Ball => {
                let (now, omega) = (quat_at(&state.q, c), vec3_at(&state.qd, d));
                set_vec3(out, d, goal.ball(now, omega, quat_at(goal.q, c), d));
            }
            JointKind::Free => {
                let (now, omega) = (quat_at(&state.q, 3), vec3_at(&state.qd, 3));
                set_vec3(out, 3, goal.ball(now, omega, frame.turn * quat_at(goal.q, 3), 3));
                let seconds = pace.bound(free_s, BOUNDED_ROOT_S);
                let place = frame.place(vec3_at(goal.q, 0));
                let e = vec3_at(&state.q, 0) - place;
                let v = vec3_at(&state.qd, 0);
                let target_v = frame.turn * vec3_at(goal.qd, 0);
                let a = match goal.qd_next {
                    Some(next) => {
                        frame.turn * ((vec3_at(next, 0) - vec3_at(goal.qd, 0)) / goal.dt)
                            - (v - target_v) * (4.0 / seconds)
                    }
                    None => -(v * 4.0 + target_v * 2.0) / seconds,
                };
                set_vec3(out, 0, a - e * (6.0 / (seconds * seconds)));
            }
        }
    }
}

/// Where the cubic ends.
struct Goal<'a> {
    q: &'a [f64],
    qd: &'a [f64],
    /// The target's velocities one step on, when the deviation is followed.
    qd_next: Option<&'a [f64]>,
    dt: f64,
    seconds: f64,
}

impl<'a> Goal<'a> {
    fn deviation(target: &'a Target, step: usize, seconds: f64) -> Self {
        let (q, qd) = (target.q(step), target.qd(step));
        Self { q, qd, qd_next: Some(target.qd(step + 1)), dt: target.dt, seconds }
    }

    fn extremum(target: &'a Target, step: usize, seconds: f64) -> Self {
        let end = (step + (seconds / target.dt).round() as usize).min(target.num_steps);
        Self { q: target.q(end), qd: target.qd(end), qd_next: None, dt: target.dt, seconds }
    }

    fn scalar(&self, x: f64, v: f64, c: usize, d: usize) -> f64 {
        let t = self.seconds;
        let e = x - self.q[c];
        match self.qd_next {
            Some(next) => (next[d] - self.qd[d]) / self.dt - 6.0 * e / (t * t) - 4.0 * (v - self.qd[d]) / t,
            None => -6.0 * e / (t * t) - (4.0 * v + 2.0 * self.qd[d]) / t,
        }
    }

    fn ball(&self, now: DQuat, omega: DVec3, goal: DQuat, d: usize) -> DVec3 {
        let t = self.seconds;
        let phi = log64(now.conjugate() * goal);
        let goal_omega = vec3_at(self.qd, d);
        match self.qd_next {
            Some(next) => {
                let rate = (vec3_at(next, d) - goal_omega) / self.dt;
                let (v, a) = in_chart(phi, goal_omega, rate);
                a + phi * (6.0 / (t * t)) - (omega - v) * (4.0 / t)
            }
            None => {
                let (v, _) = in_chart(phi, goal_omega, DVec3::ZERO);
                phi * (6.0 / (t * t)) - (omega * 4.0 + v * 2.0) / t
            }
        }
    }
}
