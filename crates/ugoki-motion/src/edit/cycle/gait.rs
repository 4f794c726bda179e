//! Whether a motion walks, runs or hops, and how long its stride or hop is.

use std::ops::Range;

use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::median;

/// Strides and hops are this long, seconds: from quick hops on one foot to a slow walk's strides and long leaps.
const PERIOD_S: [f64; 2] = [0.25, 2.0];
/// Strides of one gait differ from their middle by at most this part of it.
const EVEN: f64 = 0.35;
/// Share of all the body's way that strides must cover for the motion to be a gait, and not a gesture with a few steps.
const COVER: f64 = 0.4;

/// Least correlation of a motion with itself, one period later, for it to repeat itself.
const REPEATS: f64 = 0.5;
/// What is nearly as good as the best counts as good as that: this part of it. Of periods the shortest is taken, of cycles that cover as much of a
/// motion the one that closes best.
pub(super) const NEARLY: f64 = 0.95;

/// Moments that divide a gait into strides, or hops into single ones.
pub(super) struct Strides {
    /// First frames of the stances of each foot; one that stands when the motion starts has no such moment there. None for hops.
    strikes: Vec<Vec<usize>>,
    /// Middle length of a stride or hop, frames.
    pub(super) frames: usize,
    /// Whether legs change places in the middle.
    pub(super) alternates: bool,
}

impl Strides {
    /// Of a motion whose feet step in turn; `None` when they do not. `pace` is how fast the body moves in a frame.
    pub(super) fn of(
        contacts: &[FootContacts; 2],
        motion: &Range<usize>,
        fps: f64,
        pace: impl Fn(usize) -> f64,
    ) -> Option<Self> {
        let stances = [0, 1].map(|side: usize| contacts[side].any());
        let strikes = [0, 1].map(|side: usize| {
            stances[side].iter().map(|s| s.start).filter(|&f| f > motion.start + 1).collect::<Vec<_>>()
        });
        let leaves = [0, 1].map(|side: usize| {
            stances[side].iter().map(|s| s.end).filter(|&f| f + 1 < motion.end).collect::<Vec<_>>()
        });
        let mut lengths: Vec<f64> = Vec::new();
        let mut covered = vec![false; motion.end];
        for moments in [&strikes, &leaves] {
            for side in 0..2 {
                for pair in moments[side].windows(2) {
                    let seconds = (pair[1] - pair[0]) as f64 / fps;
                    let other = moments[1 - side].iter().filter(|f| (pair[0]..pair[1]).contains(f)).count();
                    if (PERIOD_S[0]..=PERIOD_S[1]).contains(&seconds) && other == 1 {
                        lengths.push((pair[1] - pair[0]) as f64);
                        covered[pair[0]..pair[1]].fill(true);
                    }
                }
            }
        }
        let frames = steady_length(&lengths, &covered, motion, pace)?;
        Some(Self { strikes: strikes.to_vec(), frames, alternates: true })
    }

    /// Of a motion that leaves the ground again and again and repeats itself: hops on one foot or on both. `gap` is how far two frames
    /// are apart. `None` for other motions.
    pub(super) fn hops(
        contacts: &[FootContacts; 2],
        motion: &Range<usize>,
        fps: f64,
        gap: impl Fn(usize, usize) -> f64,
    ) -> Option<Self> {
        let touches = |frame: usize| contacts.iter().any(|foot| foot.touches(frame));
        let landings: Vec<usize> = motion
            .clone()
            .skip(2)
            .filter(|&frame| touches(frame) && !touches(frame - 1) && !touches(frame - 2))
            .collect();
        if landings.len() < 2 {
            return None;
        }
        let frames = period(motion, PERIOD_S.map(|seconds| (seconds * fps).round() as usize), gap)?;
        Some(Self { strikes: Vec::new(), frames, alternates: false })
    }

    /// Whether each foot of a gait comes down exactly once in the frames after `start` up to `end`.
    pub(super) fn once(&self, start: usize, end: usize) -> bool {
        self.strikes.iter().all(|list| list.iter().filter(|&&f| start < f && f <= end).count() == 1)
    }
}

/// Middle length of strides or hops, frames, if most are about as long and they cover enough of the motion.
fn steady_length(
    lengths: &[f64],
    covered: &[bool],
    motion: &Range<usize>,
    pace: impl Fn(usize) -> f64,
) -> Option<usize> {
    let middle = median(lengths)?;
    let even = lengths.iter().filter(|&&l| (l / middle - 1.0).abs() <= EVEN).count();
    let way: f64 = motion.clone().map(&pace).sum();
    let strides: f64 = motion.clone().filter(|&frame| covered[frame]).map(pace).sum();
    let steady = 2 * even > lengths.len() && strides >= COVER * way;
    steady.then_some(middle.round() as usize)
}

/// The shortest length, frames, after which a motion repeats itself, by its correlation 1 − D²(lag)/D²(any) with itself.
fn period(
    motion: &Range<usize>,
    [least, most]: [usize; 2],
    gap: impl Fn(usize, usize) -> f64,
) -> Option<usize> {
    let distance = |lag: usize| {
        let count = motion.len() - lag;
        // Two hundred pairs of frames say enough.
        let starts = (motion.start..motion.end - lag).step_by(count.div_ceil(200));
        let squares: Vec<f64> = starts.map(|frame| gap(frame, frame + lag).powi(2)).collect();
        squares.iter().sum::<f64>() / squares.len() as f64
    };
    let lags = least.max(1)..(most + 1).min(2 * motion.len() / 3);
    let distances: Vec<f64> = lags.clone().map(distance).collect();
    let usual = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
    let scores: Vec<f64> = distances.iter().map(|distance| 1.0 - distance / usual).collect();
    let is_peak = |&at: &usize| scores[at - 1] <= scores[at] && scores[at] >= scores[at + 1];
    let peaks: Vec<usize> = (1..scores.len().saturating_sub(1)).filter(is_peak).collect();
    let best = peaks.iter().map(|&at| scores[at]).fold(f64::NEG_INFINITY, f64::max);
    let found = peaks.into_iter().find(|&at| best >= REPEATS && scores[at] >= NEARLY * best);
    found.map(|at| lags.start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hops of 24 frames at 60 Hz: 14 on the ground, 10 in the air, one foot a frame late.
    fn hopping(feet: usize) -> [FootContacts; 2] {
        [0, 1].map(|foot| {
            let stances = |late: usize| (0..6).map(|hop| 24 * hop + late..24 * hop + 14).collect();
            if foot < feet {
                FootContacts { heel: Vec::new(), toe: stances(foot) }
            } else {
                FootContacts::default()
            }
        })
    }

    #[test]
    fn hops_on_one_foot_and_on_both_have_the_length_of_one() {
        let gap = |a: usize, b: usize| {
            let phase = |frame: usize| std::f64::consts::TAU * frame as f64 / 24.0;
            (phase(a).sin() - phase(b).sin()).hypot(phase(a).cos() - phase(b).cos())
        };
        for feet in [1, 2] {
            let hops = Strides::hops(&hopping(feet), &(0..144), 60.0, gap).expect("it hops");
            assert_eq!((hops.frames, hops.alternates), (24, false));
        }
        assert!(Strides::hops(&hopping(0), &(0..144), 60.0, gap).is_none(), "it never lands");
        assert!(
            Strides::hops(&hopping(2), &(0..144), 60.0, |a, b| a.abs_diff(b) as f64).is_none(),
            "it goes away"
        );
    }
}
