//! No correction makes a foot jump: what it would move in a frame beyond its guide is spread over the frames around.
//!
//! A foot is led by its heel here and its toe there, by one hold and then the next. On a body of other proportions these do not
//! quite agree, so where one takes over from another the wanted place jumps. The jump is taken out and put back as
//! a ramp, as long as it must be at the pace allowed, and as far as it can be beside the frames that are to be kept.

use glam::DVec3;

/// How a curve of corrections is to go from frame to frame.
pub(super) struct Pace<'a> {
    /// Steps of what is corrected, each from the frame before.
    pub(super) own: &'a [DVec3],
    /// Steps of the same in the guide.
    pub(super) guide: &'a [DVec3],
    /// Frames that are best left as they are.
    pub(super) keep: &'a [bool],
    /// First frame of the motion.
    pub(super) start: usize,
    /// Most that a finished step may be longer than the guide's longest nearby.
    pub(super) most: f64,
}

/// Frames around a step whose guide's steps count as nearby: contacts are known to about two.
pub(super) const NEARBY: usize = 2;
/// Share of the pace allowed that one ramp takes: two may meet.
const RAMP_SHARE: f64 = 0.5;
/// Times that the steps are looked at anew, since ramps may meet. Captures need a few; each [`PATIENCE`] rounds ramps become half as
/// steep, so that any number of them ends.
const ROUNDS: usize = 48;
/// Rounds after which ramps become longer.
const PATIENCE: usize = 8;

impl Pace<'_> {
    /// The guide's longest step near each frame.
    pub(super) fn nearby(&self) -> Vec<f64> {
        let len = self.guide.len();
        (0..len)
            .map(|frame| {
                let from = frame.saturating_sub(NEARBY).max(self.start + 1).min(len);
                let near = self.guide.get(from..(frame + NEARBY + 1).min(len)).unwrap_or(&[]);
                near.iter().fold(0.0, |most: f64, step| most.max(step.length()))
            })
            .collect()
    }

    /// Makes the finished steps, own and the curve's, no longer than allowed.
    pub(super) fn spread(&self, curve: &mut [DVec3]) {
        let near = self.nearby();
        for round in 0..ROUNDS {
            let jumps = self.jumps(curve, &near);
            if jumps.is_empty() {
                return;
            }
            let pace = RAMP_SHARE * self.most / f64::from(1_u32 << (round / PATIENCE));
            for (first, excess) in &jumps {
                self.ramp(curve, *first, excess, pace);
            }
        }
    }

    /// Runs of frames with too long steps: the first, and by how much each is too long.
    fn jumps(&self, curve: &[DVec3], near: &[f64]) -> Vec<(usize, Vec<DVec3>)> {
        let mut jumps: Vec<(usize, Vec<DVec3>)> = Vec::new();
        for frame in self.start + 1..curve.len() {
            let step = self.own[frame] + curve[frame] - curve[frame - 1];
            let length = step.length();
            // A hair more is allowed than ramps are made for, so that they are not ramped again.
            if length <= near[frame] + self.most * (1.0 + 1e-9) {
                continue;
            }
            let excess = step * (1.0 - near[frame] / length);
            match jumps.last_mut() {
                Some((first, run)) if *first + run.len() == frame => run.push(excess),
                _ => jumps.push((frame, vec![excess])),
            }
        }
        jumps
    }

    /// Replaces a jump by a raised-cosine ramp over as many frames as a `pace` per frame asks for.
    fn ramp(&self, curve: &mut [DVec3], first: usize, excess: &[DVec3], pace: f64) {
        let whole: DVec3 = excess.iter().sum();
        // A cosine is steepest in its middle, π/2 times its mean.
        let frames = std::f64::consts::FRAC_PI_2 * whole.length() / pace;
        let frames = (frames.ceil() as usize).max(excess.len() + 1).min(2 * curve.len());
        let share = |frame: usize, from: isize| {
            let t = ((frame as isize - from) as f64 / frames as f64).clamp(0.0, 1.0);
            0.5 - 0.5 * (std::f64::consts::PI * t).cos()
        };
        let last = first + excess.len() - 1;
        let around = |from: isize| {
            let begin = (from.max(self.start as isize) as usize).min(first);
            begin..((from + frames as isize).max(last as isize + 1) as usize).min(curve.len())
        };
        // How far the kept frames would leave their places, for a ramp that begins there.
        let cost = |from: isize| -> f64 {
            around(from)
                .filter(|&frame| self.keep[frame])
                .map(|frame| if frame < first { share(frame, from) } else { 1.0 - share(frame, from) })
                .sum()
        };
        let middle = (first + last).div_ceil(2) as isize - (frames as isize + 1) / 2;
        let (earliest, latest) = (last as isize - frames as isize, first as isize - 1);
        let mut best = (f64::INFINITY, middle);
        for away in 0..=frames as isize {
            for from in [middle - away, middle + away] {
                if (earliest..=latest).contains(&from) {
                    let cost = cost(from);
                    // Frames far from the middle are taken only where that keeps more.
                    if cost < best.0 - 1e-9 {
                        best = (cost, from);
                    }
                }
            }
        }
        let mut taken = DVec3::ZERO;
        for frame in around(best.1) {
            if let Some(step) = frame.checked_sub(first).and_then(|i| excess.get(i)) {
                taken += *step;
            }
            curve[frame] += whole * share(frame, best.1) - taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn steps(path: &[DVec3]) -> Vec<DVec3> {
        (0..path.len()).map(|f| if f == 0 { DVec3::ZERO } else { path[f] - path[f - 1] }).collect()
    }

    proptest! {
        /// Whatever places take over from one another, no finished step is longer than the guide's nearby and the pace.
        #[test]
        fn no_step_is_longer_than_allowed(
            jumps in prop::collection::vec((1usize..30, -0.05..0.05_f64, -0.05..0.05_f64), 0..12),
            sway in 0.0..0.004_f64,
            own in prop::collection::vec(-0.001..0.001_f64, 200),
        ) {
            let guide: Vec<DVec3> = (0..200).map(|f| DVec3::Z * sway * (0.2 * f64::from(f)).sin()).collect();
            let mut own_steps: Vec<DVec3> = own.iter().map(|x| DVec3::X * *x).collect();
            own_steps[0] = DVec3::ZERO;
            let mut curve = vec![DVec3::ZERO; 200];
            let (mut at, mut frame) = (DVec3::ZERO, 0);
            for (after, x, z) in jumps {
                for _ in 0..after {
                    if frame < 200 {
                        curve[frame] = at;
                        frame += 1;
                    }
                }
                at = DVec3::new(x, 0.0, z);
            }
            curve[frame..].fill(at);
            let keep = vec![true; 200];
            let guide_steps = steps(&guide);
            let pace = Pace { own: &own_steps, guide: &guide_steps, keep: &keep, start: 0, most: 0.004 };
            let near = pace.nearby();
            pace.spread(&mut curve);
            for f in 1..200 {
                let step = (own_steps[f] + curve[f] - curve[f - 1]).length();
                prop_assert!(step <= near[f] + 0.004 * (1.0 + 1e-6), "frame {}: {} over {}", f, step, near[f]);
            }
        }

        /// A curve that goes slowly enough is left alone, to the bit.
        #[test]
        fn a_calm_curve_is_left_alone(slope in -0.0039..0.0039_f64) {
            let before: Vec<DVec3> = (0..80).map(|f| DVec3::X * slope * f64::from(f)).collect();
            let mut curve = before.clone();
            let still = vec![DVec3::ZERO; 80];
            let pace = Pace { own: &still, guide: &still, keep: &[true; 80], start: 0, most: 0.004 };
            pace.spread(&mut curve);
            prop_assert_eq!(curve, before);
        }
    }

    #[test]
    fn frames_to_be_kept_are_kept_where_there_is_room_beside_them() {
        let mut curve: Vec<DVec3> = (0..100).map(|f| DVec3::X * if f < 50 { 0.0 } else { 0.02 }).collect();
        let still = vec![DVec3::ZERO; 100];
        let keep: Vec<bool> = (0..100).map(|f| f < 50).collect();
        Pace { own: &still, guide: &still, keep: &keep, start: 0, most: 0.004 }.spread(&mut curve);
        assert!(curve[..50].iter().all(|c| c.length() < 1e-9), "{:?}", &curve[40..60]);
        assert!(curve[70..].iter().all(|c| (*c - DVec3::X * 0.02).length() < 1e-9));
    }

    #[test]
    fn away_and_back_is_hardly_seen() {
        let mut curve: Vec<DVec3> =
            (0..100).map(|f| DVec3::X * if (50..56).contains(&f) { 0.04 } else { 0.0 }).collect();
        let still = vec![DVec3::ZERO; 100];
        Pace { own: &still, guide: &still, keep: &[true; 100], start: 0, most: 0.0033 }.spread(&mut curve);
        assert!(curve.iter().all(|c| c.length() < 0.012), "{:?}", &curve[40..70]);
    }
}
