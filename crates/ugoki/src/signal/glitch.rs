//! Finding and mending glitches in one joint's rotations or path.
//!
//! With ωᵢ the step from frame i to the next, a run of frames between a and b is a glitch when
//!
//! ```text
//! jumps     ω_a and ω_{b−1} both break with the pace outside, the median of the three steps before and after
//! far       its first and last frame, and most between, lie far from what the left side goes on to, from what
//!           the right side comes from, and from the way between: fast strokes and hard stops agree with one of them
//! comes back  from q_a to q_b is no farther than a pace between those outside would lead
//! ```
//!
//! "Break" and "far" are more than bodies reach and more than `ratio` times the median change of step around: Hampel's
//! rule with the joint's own motion for a scale.

use glam::{DQuat, DVec3};

use super::despike::DespikeConfig;
use crate::math::{exp64, log64};

/// Rounds of finding and mending; each round leaves fewer, and more than three were never needed on captures.
const MAX_ROUNDS: usize = 8;
/// Half the neighbourhood whose changes of step are the measure, seconds: shorter than a stroke.
const AROUND_S: f64 = 0.1;
/// The neighbourhood has at least this many frames on either side, so that a median means something.
const MIN_AROUND: usize = 5;
/// Steps outside a run whose median is the pace there: one bad one does not count.
const PACE_STEPS: usize = 3;
/// Share of a run's frames that must be far: fewer are several glitches with good frames between.
const FAR_SHARE: f64 = 0.6;
/// Share of its height within which a glitch must come back.
const BACK_SHARE: f64 = 0.5;
/// A jump this many times the smallest glitch, on both sides of what was mended, means that it lay inside a longer
/// disturbance.
const DISTURBED: f64 = 4.0;

/// Thresholds in frames, and radians or metres.
pub(super) struct Limits {
    /// Smallest height.
    height: f64,
    ratio: f64,
    /// Longest run, frames.
    longest: usize,
    around: usize,
}

impl Limits {
    pub(super) fn new(height: f64, fps: f64, config: &DespikeConfig) -> Self {
        let frames = |seconds: f64| (seconds * fps).round() as usize;
        Self {
            height,
            ratio: config.ratio,
            longest: frames(config.max_s).max(1),
            around: frames(AROUND_S).max(MIN_AROUND),
        }
    }
}

/// What glitches are looked for in: rotations, or points.
pub(super) trait Sample: Copy {
    /// The way from `self` to `other`.
    fn to(self, other: Self) -> DVec3;
    /// What lies `way` from `self`.
    fn along(self, way: DVec3) -> Self;
}

impl Sample for DVec3 {
    fn to(self, other: Self) -> DVec3 {
        other - self
    }
    fn along(self, way: DVec3) -> Self {
        self + way
    }
}

impl Sample for DQuat {
    fn to(self, other: Self) -> DVec3 {
        log64(self.conjugate() * other)
    }
    fn along(self, way: DVec3) -> Self {
        (self * exp64(way)).normalize()
    }
}

/// A glitch: frames `start..end`.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: usize,
    end: usize,
    height: f64,
}

/// Replaces glitches in `samples`; gives their frames in order.
pub(super) fn mend<S: Sample>(samples: &mut [S], limits: &Limits) -> Vec<usize> {
    let n = samples.len();
    if n < 5 {
        return Vec::new();
    }
    let original = samples.to_vec();
    let mut mended: Vec<Run> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let mut runs = find(&Track::new(samples), limits);
        // Outermost first: what lies inside a longer glitch is part of it.
        runs.sort_by(|a, b| {
            let len = |run: &Run| run.end - run.start;
            len(b).cmp(&len(a)).then(b.height.total_cmp(&a.height)).then(a.start.cmp(&b.start))
        });
        let mut taken = vec![false; n];
        let before = mended.len();
        for run in runs {
            // Neighbours that were themselves in doubt wait for the next round.
            if taken[run.start - 2..(run.end + 2).min(n)].contains(&true) {
                continue;
            }
            bridge(samples, run);
            taken[run.start..run.end].fill(true);
            mended.push(run);
        }
        if mended.len() == before {
            break;
        }
    }
    // Whole or not at all: between jumps that stay, what was mended is only part of a longer disturbance.
    let jumps = Track::new(samples).jumps(DISTURBED * limits.height, limits);
    let mut found: Vec<bool> = vec![false; n];
    mended.iter().for_each(|run| found[run.start..run.end].fill(true));
    let mut frame = 0;
    while frame < n {
        let start = frame;
        while frame < n && found[frame] {
            frame += 1;
        }
        if frame > start {
            let near = |from: usize, to: usize| jumps[from..to.min(n)].contains(&true);
            let reach = 2 * limits.longest;
            if near(start.saturating_sub(reach), start.saturating_sub(1)) && near(frame + 1, frame + 1 + reach) {
                samples[start..frame].copy_from_slice(&original[start..frame]);
                found[start..frame].fill(false);
            }
        }
        frame += 1;
    }
    (0..n).filter(|&frame| found[frame]).collect()
}

/// Samples with the steps between them and how these change.
struct Track<'a, S> {
    samples: &'a [S],
    steps: Vec<DVec3>,
    /// |ωᵢ − ωᵢ₋₁| at frame i; 0 at both ends.
    changes: Vec<f64>,
}

impl<'a, S: Sample> Track<'a, S> {
    fn new(samples: &'a [S]) -> Self {
        let steps: Vec<DVec3> = samples.windows(2).map(|pair| pair[0].to(pair[1])).collect();
        let mut changes = vec![0.0; samples.len()];
        for i in 1..steps.len() {
            changes[i] = (steps[i] - steps[i - 1]).length();
        }
        Self { samples, steps, changes }
    }

    /// The median of up to three steps, coordinate by coordinate.
    fn pace(&self, range: std::ops::Range<usize>) -> DVec3 {
        let steps = &self.steps[range.start.min(self.steps.len())..range.end.min(self.steps.len())];
        match *steps {
            [a, b, c] => {
                let middle = |x: f64, y: f64, z: f64| x.max(y).min(x.min(y).max(z));
                DVec3::new(middle(a.x, b.x, c.x), middle(a.y, b.y, c.y), middle(a.z, b.z, c.z))
            }
            [a, b] => 0.5 * (a + b),
            [a] => a,
            _ => DVec3::ZERO,
        }
    }

    /// The median change of step before `start` or from `end` on, whichever is larger, leaving out what they touch.
    fn usual(&self, start: usize, end: usize, around: usize) -> f64 {
        let median = |range: std::ops::Range<usize>| -> f64 {
            let mut changes = self.changes[range].to_vec();
            if changes.is_empty() {
                return 0.0;
            }
            let middle = changes.len() / 2;
            *changes.select_nth_unstable_by(middle, f64::total_cmp).1
        };
        let last = self.changes.len() - 1;
        let before = start.saturating_sub(around + 2).max(1)..start.saturating_sub(2).max(1);
        let after = (end + 2).min(last)..(end + 2 + around).min(last);
        median(before).max(median(after))
    }

    /// Frames where the step changes by more than `least` and more than what is usual around.
    fn jumps(&self, least: f64, limits: &Limits) -> Vec<bool> {
        (0..self.changes.len())
            .map(|frame| {
                self.changes[frame] > least
                    && self.changes[frame] > limits.ratio * self.usual(frame, frame, limits.around)
            })
            .collect()
    }
}

/// All runs that are glitches, overlapping ones too.
fn find<S: Sample>(track: &Track<'_, S>, limits: &Limits) -> Vec<Run> {
    let n = track.samples.len();
    let mut runs = Vec::new();
    for a in 1..n - 3 {
        // The jump out must break with the motion before: cheap, and rules nearly everything out.
        if track.changes[a] < limits.height {
            continue;
        }
        let left = track.pace(a.saturating_sub(PACE_STEPS)..a);
        for b in a + 2..=(a + 1 + limits.longest).min(n - 2) {
            if track.changes[b] >= limits.height
                && let Some(height) = height(track, a, b, left, limits)
            {
                runs.push(Run { start: a + 1, end: b, height });
            }
        }
    }
    runs
}

/// The height of the frames between `a` and `b`, the median of how far they lie from all that could explain them;
/// nothing when they are no glitch.
fn height<S: Sample>(track: &Track<'_, S>, a: usize, b: usize, left: DVec3, limits: &Limits) -> Option<f64> {
    let len = b - a - 1;
    let right = track.pace(b..b + PACE_STEPS);
    let jump = (track.steps[a] - left).length().min((track.steps[b - 1] - right).length());
    if jump < limits.height {
        return None;
    }
    let usual = track.usual(a + 1, b, limits.around);
    let least = limits.height.max(limits.ratio * usual);
    // What bends as usual leaves the way between by (len + 1)²/8 of its change of step; twice that is far.
    let far = least.max(0.25 * usual * ((len + 1) * (len + 1)) as f64);
    if jump < least {
        return None;
    }
    let from = track.samples[a];
    let whole = from.to(track.samples[b]);
    let mut away: Vec<f64> = (1..=len)
        .map(|i| {
            let at = from.to(track.samples[a + i]);
            let goes_on = left * i as f64;
            let comes_from = whole - right * (len + 1 - i) as f64;
            let between = whole * (i as f64 / (len + 1) as f64);
            (at - goes_on).length().min((at - comes_from).length()).min((at - between).length())
        })
        .collect();
    let num_far = away.iter().filter(|&&d| d >= 0.5 * far).count();
    if away[0] < far || away[len - 1] < far || (num_far as f64) < FAR_SHARE * len as f64 {
        return None;
    }
    let height = *away.select_nth_unstable_by(len / 2, f64::total_cmp).1;
    // And it must come back to where some pace between those outside would have led.
    let (slow, range) = (left * (len + 1) as f64, (right - left) * (len + 1) as f64);
    let share = ((whole - slow).dot(range) / range.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let astray = (whole - slow - range * share).length();
    (astray < BACK_SHARE * height).then_some(height)
}

/// Replaces a run by a cubic between its good neighbours that leaves and arrives at their pace, as far as that does
/// not overshoot \[fritsch1984\].
fn bridge<S: Sample>(samples: &mut [S], run: Run) {
    let (a, b) = (run.start - 1, run.end);
    let from = samples[a];
    let whole = from.to(samples[b]);
    let length = (b - a) as f64;
    let track = Track::new(&samples[a.saturating_sub(PACE_STEPS)..=a]);
    let left = track.pace(0..PACE_STEPS);
    let track = Track::new(&samples[b..(b + PACE_STEPS + 1).min(samples.len())]);
    let right = track.pace(0..PACE_STEPS);
    let most = 3.0 * whole.length() / length;
    let (left, right) = (left.clamp_length_max(most), right.clamp_length_max(most));
    for i in 1..b - a {
        let u = i as f64 / length;
        let (u2, u3) = (u * u, u * u * u);
        let way = left * (length * (u3 - 2.0 * u2 + u))
            + whole * (3.0 * u2 - 2.0 * u3)
            + right * (length * (u3 - u2));
        samples[a + i] = from.along(way);
    }
}
