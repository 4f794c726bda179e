//! Finding and mending glitches in one joint's rotations or path.
//!
//! With ωᵢ the step from frame i to the next, a run of frames between a and b is a glitch when
//!
//! ```text
//! jumps     ω_a and ω_{b−1} both break with the pace outside, the middle one of the three steps before and after,
//!           and at least half of the break comes within one step: what gathers speed is a stroke
//! far       its first and last frame, and most between, lie far from what the left side goes on to, from what
//!           the right side comes from, from the way between and from the cubic through the two frames on either side:
//!           fast strokes and hard stops agree with one of them
//! comes back  from q_a to q_b is no farther than a pace between those outside would lead
//! ```
//!
//! "Break" and "far" are more than this joint reaches in the time the run takes, by its own accelerations over the whole clip,
//! and more than `ratio` times the median change of step around: Hampel's rule with the joint's own motion for a scale. All of
//! it is in seconds, so the rate does not matter. The shortest runs are mended first, and a run is mended only if its largest
//! change of step falls to half or less: nothing becomes rougher.

use glam::{DQuat, DVec3};

use crate::math::{exp64, log64, quantile};
use serde::{Deserialize, Serialize};

/// What counts as a glitch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DespikeConfig {
    /// Longest glitch, seconds: up to a quarter. One frame always is.
    pub max_s: f64,
    /// Smallest glitch of a rotation, degrees.
    pub rotation_deg: f64,
    /// Smallest glitch of a path, metres.
    pub path_m: f64,
    /// How many times the median change of step around it a glitch must reach.
    pub ratio: f64,
}

impl Default for DespikeConfig {
    /// Chosen on one half of the captures and checked on the other: `docs/results/signal.md`.
    fn default() -> Self {
        Self { max_s: 0.1, rotation_deg: 1.4, path_m: 0.007, ratio: 5.0 }
    }
}

/// Rounds of finding and mending; each round leaves fewer, and more than three were never needed on captures.
const MAX_ROUNDS: usize = 8;
/// Half the neighbourhood whose changes of step are the measure, seconds: shorter than a stroke.
const AROUND_S: f64 = 0.1;
/// The neighbourhood has at least this many frames on either side, so that a median means something.
const MIN_AROUND: usize = 5;
/// Steps outside a run whose middle one is the pace there: one bad one does not count.
const PACE_STEPS: usize = 3;
/// Fraction of a run's frames that must be far: fewer are several glitches with good frames between.
const FAR_FRACTION: f64 = 0.6;
/// Fraction of its height within which a glitch must come back.
const BACK_FRACTION: f64 = 0.5;
/// Out and back within a short run with this acceleration is a glitch in any noise: 14° in three frames of 1/120 s, of which no
/// joint is capable. Degrees per second squared; of paths ten times the upper bound of [`STROKE_M_S2`].
const IN_ANY_NOISE_DEG_S2: f64 = 200_000.0;
/// The acceleration of a joint is taken as this many times the value that nine of ten frames stay below: its fastest stroke
/// accelerates so much more than its usual motion.
const STROKE_RATIO: f64 = 4.0;
/// Bounds of that acceleration, degrees per second squared: a calm joint may still make one stroke, and no body exceeds the
/// upper one but for throws.
const STROKE_DEG_S2: [f64; 2] = [6_000.0, 20_000.0];
/// The same of paths, metres per second squared.
const STROKE_M_S2: [f64; 2] = [30.0, 100.0];
/// Out and back in a time τ with acceleration a, a quarter of τ to speed up, half to turn round, a quarter to slow down, goes
/// a·τ²/16 far.
const OUT_AND_BACK: f64 = 1.0 / 16.0;
/// Longest run, frames, of which that is certain.
const SHORT_RUN: usize = 3;
/// Times the smallest glitch from which on a jump may bound a longer disturbance.
const DISTURBED: f64 = 4.0;
/// How far from what was mended such jumps are looked for, in longest runs.
const DISTURBED_REACH: usize = 4;
/// Fraction of its largest change of step that may be left of a run when it is mended: a glitch loses nearly all, a
/// bent stroke gains. Swept from 0.5 to 0.7 in `docs/results/signal.md`.
const FALL: f64 = 0.5;
/// Fraction of a jump that must come within one step: strokes gather speed over several. Swept from 0 to 0.6 there.
const ABRUPT: f64 = 0.5;

/// Thresholds of one joint, in frames, and radians or metres.
pub(super) struct Limits {
    /// Smallest height.
    least: f64,
    /// How far the joint goes out and back in a time, over the square of that time in frames.
    stroke: f64,
    /// How far a body can come off its course within one frame.
    sudden: f64,
    /// Height that is a glitch in any noise.
    any_noise: f64,
    ratio: f64,
    /// Longest run, frames.
    longest: usize,
    around: usize,
}

impl Limits {
    /// For a joint's rotations.
    pub(super) fn of_rotations(samples: &[DQuat], fps: f64, config: &DespikeConfig) -> Self {
        let radians = |limits: [f64; 2]| limits.map(f64::to_radians);
        let any_noise = IN_ANY_NOISE_DEG_S2.to_radians();
        Self::new(samples, config.rotation_deg.to_radians(), radians(STROKE_DEG_S2), any_noise, fps, config)
    }

    /// For a path.
    pub(super) fn of_path(samples: &[DVec3], fps: f64, config: &DespikeConfig) -> Self {
        Self::new(samples, config.path_m, STROKE_M_S2, 10.0 * STROKE_M_S2[1], fps, config)
    }

    fn new<S: Sample>(
        samples: &[S],
        least: f64,
        [low, high]: [f64; 2],
        any_noise: f64,
        fps: f64,
        config: &DespikeConfig,
    ) -> Self {
        let frames = |seconds: f64| (seconds * fps).round() as usize;
        let changes = Track::new(samples).changes;
        let usual = quantile(&changes, 0.9).unwrap_or(0.0) * fps * fps;
        Self {
            least,
            stroke: OUT_AND_BACK * (STROKE_RATIO * usual).clamp(low, high) / (fps * fps),
            sudden: high / (fps * fps),
            any_noise: any_noise / (fps * fps),
            ratio: config.ratio,
            longest: frames(config.max_s).max(1),
            around: frames(AROUND_S).max(MIN_AROUND),
        }
    }

    /// The smallest glitch of `len` frames. A long one need not be farther than a body can get out and back in its time: it is
    /// enough that it begins and ends more suddenly than a body can.
    fn height(&self, len: usize) -> f64 {
        let out_and_back = self.stroke * ((len + 1) * (len + 1)) as f64;
        self.least.max(out_and_back.min(self.sudden))
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
    let mut found = vec![false; samples.len()];
    for _ in 0..MAX_ROUNDS {
        // What was mended may show what it hid.
        let more = pass(samples, limits);
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|frame| found[frame] = true);
    }
    (0..samples.len()).filter(|&frame| found[frame]).collect()
}

/// Steps that stand out from both their neighbours enough to bound a disturbance.
pub(super) fn jumps<S: Sample>(samples: &[S], limits: &Limits) -> Vec<usize> {
    let track = Track::new(samples);
    (0..track.steps.len()).filter(|&step| samples.len() > 4 && track.jumps(step, limits)).collect()
}

/// Finds and mends until nothing is left, and gives back what lay inside longer disturbances.
fn pass<S: Sample>(samples: &mut [S], limits: &Limits) -> Vec<usize> {
    let n = samples.len();
    if n < 5 {
        return Vec::new();
    }
    let original = samples.to_vec();
    let mut mended: Vec<Run> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let mut runs = find(&Track::new(samples), limits);
        // The shortest explanation first: good frames between two glitches are not part of either.
        runs.sort_by(|a, b| {
            let len = |run: &Run| run.end - run.start;
            len(a).cmp(&len(b)).then(b.height.total_cmp(&a.height)).then(a.start.cmp(&b.start))
        });
        let mut taken = vec![false; n];
        let before = mended.len();
        for run in runs {
            // Neighbours that were themselves in doubt wait for the next round.
            if taken[run.start.saturating_sub(2)..(run.end + 2).min(n)].contains(&true) {
                continue;
            }
            let kept = samples[run.start..run.end].to_vec();
            let before = roughest(samples, run.start, run.end);
            bridge(samples, run);
            if roughest(samples, run.start, run.end) > FALL * before {
                samples[run.start..run.end].copy_from_slice(&kept);
                continue;
            }
            taken[run.start..run.end].fill(true);
            mended.push(run);
        }
        if mended.len() == before {
            break;
        }
    }
    let mut found = vec![false; n];
    mended.iter().for_each(|run| found[run.start..run.end].fill(true));
    give_back_parts(samples, &original, &mut found, limits);
    give_back_rough(samples, &original, &mut found);
    (0..n).filter(|&frame| found[frame]).collect()
}

/// The largest change of step that the frames `start..end` have a part in.
fn roughest<S: Sample>(samples: &[S], start: usize, end: usize) -> f64 {
    let from = start.saturating_sub(2);
    let changes = Track::new(&samples[from..(end + 2).min(samples.len())]).changes;
    changes.into_iter().fold(0.0, f64::max)
}

/// Mended frames whose largest change of step did not fall clearly were no glitch.
fn give_back_rough<S: Sample>(samples: &mut [S], original: &[S], found: &mut [bool]) {
    loop {
        let bad = runs_of(found).into_iter().find(|run| {
            roughest(samples, run.start, run.end) > FALL * roughest(original, run.start, run.end)
        });
        let Some(run) = bad else { return };
        samples[run.clone()].copy_from_slice(&original[run.clone()]);
        found[run].fill(false);
    }
}

/// Runs of marked frames.
fn runs_of(found: &[bool]) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for frame in (0..found.len()).filter(|&frame| found[frame]) {
        match runs.last_mut() {
            Some(run) if run.end == frame => run.end = frame + 1,
            _ => runs.push(frame..frame + 1),
        }
    }
    runs
}

/// Whole or not at all: what lies on a level that is jumped to and left again is part of a longer disturbance, and
/// keeps its frames.
fn give_back_parts<S: Sample>(samples: &mut [S], original: &[S], found: &mut [bool], limits: &Limits) {
    let n = samples.len();
    let track = Track::new(samples);
    let jumps: Vec<usize> = (0..n - 1).filter(|&step| track.jumps(step, limits)).collect();
    let reach = DISTURBED_REACH * limits.longest;
    let inside = |start: usize, end: usize| {
        let before = jumps.iter().filter(|&&i| i + 1 < start && i + reach >= start);
        before.into_iter().any(|&i| {
            let after = jumps.iter().filter(|&&k| k >= end && k <= end + reach);
            after.into_iter().any(|&k| {
                let (out, level, back) = (track.samples[i], track.samples[start - 1], track.samples[k + 1]);
                let (up, down) = (track.steps[i].length(), track.steps[k].length());
                // Back where it was, or where the motion outside would have led, or down by as much as up.
                let [left, right] =
                    [track.pace(i.saturating_sub(PACE_STEPS)..i), track.pace(k + 1..k + 1 + PACE_STEPS)];
                let whole = out.to(back);
                let astray = astray(whole, left, right, (k + 1 - i) as f64).min(whole.length());
                let returns = astray.min((track.steps[i] + track.steps[k]).length());
                out.to(level).length() > BACK_FRACTION * up
                    && level.to(back).length() > BACK_FRACTION * down
                    && returns < BACK_FRACTION * up.min(down)
            })
        })
    };
    let parts: Vec<_> = runs_of(found).into_iter().filter(|run| inside(run.start, run.end)).collect();
    for part in parts {
        samples[part.clone()].copy_from_slice(&original[part.clone()]);
        found[part].fill(false);
    }
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

    /// The middle one of up to three steps: the one nearest to the others, whatever the axes are.
    fn pace(&self, range: std::ops::Range<usize>) -> DVec3 {
        let steps = &self.steps[range.start.min(self.steps.len())..range.end.min(self.steps.len())];
        match *steps {
            [a, b, c] => middle(a, b, c),
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

    /// Whether a step stands out from both its neighbours enough to bound a disturbance.
    fn jumps(&self, step: usize, limits: &Limits) -> bool {
        let at = self.steps[step];
        let before = self.steps[step.saturating_sub(1)];
        let after = self.steps[(step + 1).min(self.steps.len() - 1)];
        let out = (at - before).length().min((at - after).length());
        out > DISTURBED * limits.height(1) && out > limits.ratio * self.usual(step, step + 1, limits.around)
    }
}

/// The one of three vectors with the least sum of distances to the others.
fn middle(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (ab, bc, ca) = (a.distance(b), b.distance(c), c.distance(a));
    if ab + ca <= ab + bc && ab + ca <= bc + ca {
        a
    } else if ab + bc <= bc + ca {
        b
    } else {
        c
    }
}

/// All runs that are glitches, overlapping ones too.
fn find<S: Sample>(track: &Track<'_, S>, limits: &Limits) -> Vec<Run> {
    let n = track.samples.len();
    let mut runs = Vec::new();
    for a in 0..n - 2 {
        // The jump out must break with the motion before: cheap, and rules nearly everything out.
        if a > 0 && track.changes[a] < limits.height(1) {
            continue;
        }
        for b in a + 2..=(a + 1 + limits.longest).min(n - 1) {
            if (b == n - 1 || track.changes[b] >= limits.height(1))
                && let Some(height) = height(track, a, b, limits)
            {
                runs.push(Run { start: a + 1, end: b, height });
            }
        }
    }
    runs
}

/// The height of the frames between `a` and `b`, the median of how far they lie from all that could explain them;
/// nothing when they are no glitch.
fn height<S: Sample>(track: &Track<'_, S>, a: usize, b: usize, limits: &Limits) -> Option<f64> {
    let len = b - a - 1;
    let smallest = limits.height(len);
    // Next to the first or last frame only the other side has a velocity.
    let (left, right) = match (a > 0, b + 1 < track.samples.len()) {
        (true, true) => (track.pace(a.saturating_sub(PACE_STEPS)..a), track.pace(b..b + PACE_STEPS)),
        (false, true) => (track.pace(b..b + PACE_STEPS), track.pace(b..b + PACE_STEPS)),
        (true, false) => [track.pace(a.saturating_sub(PACE_STEPS)..a); 2].into(),
        (false, false) => return None,
    };
    let jump = (track.steps[a] - left).length().min((track.steps[b - 1] - right).length());
    if jump < smallest {
        return None;
    }
    // A jump comes within one step; what gathers speed over several is a stroke. A longer run must also arrive: a
    // level is jumped to and left, a stroke goes on.
    let abrupt = |frame: usize, step: DVec3, outside: DVec3| {
        let least = ABRUPT * (step - outside).length();
        let at_end = frame == 0 || frame + 1 == track.samples.len();
        let inner = if frame == a { frame + 1 } else { frame - 1 };
        (at_end || track.changes[frame] >= least) && (len <= SHORT_RUN || track.changes[inner] >= least)
    };
    if !abrupt(a, track.steps[a], left) || !abrupt(b, track.steps[b - 1], right) {
        return None;
    }
    let usual = track.usual(a + 1, b, limits.around);
    let noise = limits.ratio * usual;
    let noise = if len <= SHORT_RUN { noise.min(limits.any_noise) } else { noise };
    let least = smallest.max(noise);
    // What bends as usual leaves the way between by (len + 1)²/8 of its change of step; twice that is far.
    let bends = 0.25 * usual * ((len + 1) * (len + 1)) as f64;
    let far = if len <= SHORT_RUN { least } else { least.max(bends) };
    if jump < least {
        return None;
    }
    let from = track.samples[a];
    let whole = from.to(track.samples[b]);
    let cubic = Cubic::through(track, a, b);
    let mut away: Vec<f64> = (1..=len)
        .map(|i| {
            let at = from.to(track.samples[a + i]);
            let goes_on = left * i as f64;
            let comes_from = whole - right * (len + 1 - i) as f64;
            let between = whole * (i as f64 / (len + 1) as f64);
            let curved = cubic.as_ref().map_or(f64::INFINITY, |cubic| (at - cubic.at(i as f64)).length());
            (at - goes_on).length().min((at - comes_from).length()).min((at - between).length()).min(curved)
        })
        .collect();
    let num_far = away.iter().filter(|&&d| d >= 0.5 * far).count();
    if away[0] < far || away[len - 1] < far || (num_far as f64) < FAR_FRACTION * len as f64 {
        return None;
    }
    let height = *away.select_nth_unstable_by(len / 2, f64::total_cmp).1;
    // And it must come back to where some pace between those outside would have led; a short one may come back to
    // where it was, since steps next to a glitch are unreliable.
    let mut astray = astray(whole, left, right, (len + 1) as f64);
    if len <= SHORT_RUN {
        astray = astray.min(whole.length());
    }
    (astray < BACK_FRACTION * height).then_some(height)
}

/// The cubic through the two frames before a run and the two after it, from the last frame before.
struct Cubic {
    /// Frames from there to the first frame after the run.
    length: f64,
    before: DVec3,
    whole: DVec3,
    after: DVec3,
}

impl Cubic {
    /// Nothing next to an end of the clip.
    fn through<S: Sample>(track: &Track<'_, S>, a: usize, b: usize) -> Option<Self> {
        if a == 0 || b + 1 >= track.samples.len() {
            return None;
        }
        let from = track.samples[a];
        let to = |frame: usize| from.to(track.samples[frame]);
        Some(Self { length: (b - a) as f64, before: to(a - 1), whole: to(b), after: to(b + 1) })
    }

    /// Lagrange's polynomial at `x` frames from the start; 0 at x = 0.
    fn at(&self, x: f64) -> DVec3 {
        let m = self.length;
        let before = x * (x - m) * (x - m - 1.0) / -((1.0 + m) * (2.0 + m));
        let whole = (x + 1.0) * x * (x - m - 1.0) / -((m + 1.0) * m);
        let after = (x + 1.0) * x * (x - m) / ((m + 2.0) * (m + 1.0));
        self.before * before + self.whole * whole + self.after * after
    }
}

/// How far `whole` lies from where some pace between `left` and `right` leads in `steps`.
fn astray(whole: DVec3, left: DVec3, right: DVec3, steps: f64) -> f64 {
    let (slow, range) = (left * steps, (right - left) * steps);
    let t = ((whole - slow).dot(range) / range.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (whole - slow - range * t).length()
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
