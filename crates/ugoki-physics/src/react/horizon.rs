//! How far ahead each joint's target turns round.
//!
//! The tracking cubic ends at the target's next extremum. A hinge's are the maxima and minima of its angle that stand
//! out by 1°; a ball joint's are the minima of its angular speed under half
//! of what it has before and after, between which it turns by 1°. The time to it is kept within
//! [0.1, 0.5] s; where none lies ahead it is 0.5 s.

use crate::dynamics::{Body, JointKind, vec3_at};

/// Shortest and longest way to an extremum, s.
pub(super) const RANGE_S: [f64; 2] = [0.1, 0.5];
/// Turning back by less than this is no extremum, radians: 1°.
const PROMINENCE: f64 = std::f64::consts::PI / 180.0;
/// A ball joint pauses where its speed falls below this fraction of the fastest before and after.
const PAUSE: f64 = 0.5;
/// Speeds within this fraction of the slowest belong to the same pause.
const REST: f64 = 0.1;

/// Seconds to the next extremum of every link's joint at every step, row by row.
///
/// `q` and `qd` are rows of coordinates and velocities, one per step of `dt` seconds. The root counts as a ball.
pub(super) fn horizons(body: &Body, q: &[f64], qd: &[f64], dt: f64) -> Vec<f32> {
    let (nq, nv, links) = (body.num_coordinates(), body.num_dofs(), body.links().len());
    let steps = q.len() / nq;
    let mut out = vec![RANGE_S[1] as f32; steps * links];
    let mut column = vec![0.0; steps];
    for (index, link) in body.links().iter().enumerate() {
        let turns = if link.joint == JointKind::Hinge {
            for (step, value) in column.iter_mut().enumerate() {
                *value = q[step * nq + link.coordinate];
            }
            extrema(&column, PROMINENCE)
        } else {
            let first = if link.joint == JointKind::Free { link.dof + 3 } else { link.dof };
            for (step, value) in column.iter_mut().enumerate() {
                *value = vec3_at(&qd[step * nv..], first).length();
            }
            pauses(&column, PROMINENCE / dt)
        };
        let mut ahead = turns.iter().rev().peekable();
        let mut next: Option<usize> = None;
        for step in (0..steps).rev() {
            while let Some(&&turn) = ahead.peek() {
                if turn <= step {
                    break;
                }
                next = Some(turn);
                ahead.next();
            }
            if let Some(next) = next {
                let seconds = (next - step) as f64 * dt;
                out[step * links + index] = seconds.clamp(RANGE_S[0], RANGE_S[1]) as f32;
            }
        }
    }
    out
}

/// Indices of the maxima and minima of `values` that stand out by `prominence`, in order.
fn extrema(values: &[f64], prominence: f64) -> Vec<usize> {
    let mut found = Vec::new();
    let Some(&first) = values.first() else { return found };
    // The highest and lowest since the last extremum; whichever is left behind by `prominence` was one.
    let (mut high, mut low) = ((0, first), (0, first));
    let mut rising: Option<bool> = None;
    for (i, &v) in values.iter().enumerate() {
        if v > high.1 {
            high = (i, v);
        }
        if v < low.1 {
            low = (i, v);
        }
        if rising != Some(false) && high.1 - v >= prominence {
            if rising.is_some() {
                found.push(high.0);
            }
            (rising, low) = (Some(false), (i, v));
            high = (i, v);
        } else if rising != Some(true) && v - low.1 >= prominence {
            if rising.is_some() {
                found.push(low.0);
            }
            (rising, high) = (Some(true), (i, v));
            low = (i, v);
        }
    }
    found
}

/// Indices of the minima of a speed that lie under [`PAUSE`] of the maxima on both sides, with at least `way` (sum of
/// speeds) on both sides too; of a rest, its middle.
///
/// Without prominence ripples of smoothing and splines were pauses, and the same motion at another frame rate had
/// others.
fn pauses(speed: &[f64], way: f64) -> Vec<usize> {
    let mut found = Vec::new();
    // The fastest and the way since the last pause; the slowest after it, and the way made up to there.
    let (mut fastest, mut gone) = (0.0_f64, 0.0);
    let mut slowest: Option<(usize, f64, f64)> = None;
    for (i, &v) in speed.iter().enumerate() {
        gone += v;
        match slowest {
            None => {
                fastest = fastest.max(v);
                if v < PAUSE * fastest && gone >= way {
                    slowest = Some((i, v, gone));
                }
            }
            Some((_, low, _)) if v < low => slowest = Some((i, v, gone)),
            Some((at, low, before)) => {
                // Fast again, and far enough: it was a pause.
                if low < PAUSE * v && gone - before >= way {
                    found.push(middle(speed, at, low + REST * fastest));
                    (fastest, gone, slowest) = (v, gone - before, None);
                }
            }
        }
    }
    found
}

/// The middle of the interval around `at` that is not faster than `most`.
fn middle(speed: &[f64], at: usize, most: f64) -> usize {
    let before = speed[..at].iter().rev().take_while(|&&v| v <= most).count();
    let after = speed[at + 1..].iter().take_while(|&&v| v <= most).count();
    (2 * at + after - before) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_turns_twice_a_period_and_small_ripples_do_not_count() {
        let wave: Vec<f64> = (0..240).map(|i| (f64::from(i) * std::f64::consts::TAU / 60.0).sin()).collect();
        let turns = extrema(&wave, PROMINENCE);
        assert_eq!(turns, [15, 45, 75, 105, 135, 165, 195, 225]);
        let ripple: Vec<f64> = wave.iter().map(|v| 0.008 * v).collect();
        assert!(extrema(&ripple, PROMINENCE).is_empty());
        let speed: Vec<f64> = wave.iter().map(|v| v.abs()).collect();
        assert_eq!(pauses(&speed, 1.0), [30, 60, 90, 120, 150, 180, 210]);
        // Ripples during a movement are not pauses; a rest is one pause, at its middle.
        let rippled: Vec<f64> =
            speed.iter().enumerate().map(|(i, v)| v * (1.0 + 0.2 * (i as f64 * 1.3).sin())).collect();
        let near = pauses(&rippled, 1.0);
        assert!(
            near.len() == 7
                && near.iter().zip([30, 60, 90, 120, 150, 180, 210]).all(|(a, b)| a.abs_diff(b) <= 1)
        );
        let rest = [&speed[..30], &[1e-3, 0.0, 2e-3, 1e-3, 0.0][..], &speed[31..60]].concat();
        assert_eq!(pauses(&rest, 1.0), [32]);
    }
}
