//! Whether a motion walks or runs, and how long its stride is.

use std::ops::Range;

use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::median;

/// Strides are this long, seconds: from a sprint's to a slow walk's.
const STRIDE_S: [f64; 2] = [0.4, 2.0];
/// Strides of one gait differ from their middle by at most this share.
const EVEN: f64 = 0.35;
/// Share of all the body's way that strides must cover for the motion to be a gait, and not a gesture with a few steps.
const COVER: f64 = 0.4;

/// Moments at which both feet come down and leave the ground.
pub(super) struct Strides {
    /// First frames of the stances of each foot; one that stands when the motion starts has no such moment there.
    strikes: [Vec<usize>; 2],
    /// Middle length of a stride, frames.
    pub(super) frames: usize,
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
                    if (STRIDE_S[0]..=STRIDE_S[1]).contains(&seconds) && other == 1 {
                        lengths.push((pair[1] - pair[0]) as f64);
                        covered[pair[0]..pair[1]].fill(true);
                    }
                }
            }
        }
        let middle = median(&lengths)?;
        let even = lengths.iter().filter(|&&l| (l / middle - 1.0).abs() <= EVEN).count();
        let way: f64 = motion.clone().map(&pace).sum();
        let strides: f64 = motion.clone().filter(|&frame| covered[frame]).map(pace).sum();
        let steady = 2 * even > lengths.len() && strides >= COVER * way;
        steady.then_some(Self { strikes, frames: middle.round() as usize })
    }

    /// Whether each foot comes down exactly once in the frames after `start` up to `end`.
    pub(super) fn once(&self, start: usize, end: usize) -> bool {
        self.strikes.iter().all(|list| list.iter().filter(|&&f| start < f && f <= end).count() == 1)
    }
}
