//! Walking, running and stepping, detected from how the feet swing against each other, not from where they stand.
//!
//! Seen from the body, the feet of a walker pass each other again and again, and *the foot that moves is the one in the
//! air*. This holds on the ground, on a treadmill and in a cycle that was authored on the spot, at any size. A kick
//! swings one foot out and the same foot back, so during the return the wrong foot is in the air; a punch from a stance
//! moves feet that both stand; a somersault is not upright.
//!
//! ```text
//! feet, hips ─→ fore, side, lift in leg lengths ─turning points→ swings ─same way, one after the other→ bouts
//! ```
//!
//! A walker vaults over the standing leg: the hips are highest when the feet pass. A runner bounces on it: they are
//! lowest then, between two flights [cavagna1977]. With the Froude number v²/(g·leg) this distinguishes the two without
//! contacts.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::math::median;
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Role, Skeleton};

use super::{LEG_M, smooth};

/// Signals are averaged over this time, seconds: trembling of single frames makes no turning points.
const SMOOTH_S: f64 = 0.08;
/// A swing turns when it comes back by this much, leg lengths.
const TURN: f64 = 0.15;
/// Shortest swing that counts, leg lengths from one turning point to the next: steps of 13 cm.
const SWING: f64 = 0.3;
/// How far a foot must get ahead of the other, leg lengths, that they have passed each other.
const PASS: f64 = 0.1;
/// The moving foot is at least this much higher than the other on average, leg lengths.
const LIFT: f64 = 0.02;
/// A side step is at least this wide, and lifts the foot by at least this much, leg lengths: side steps are shorter and
/// lower.
const SIDE_SWING: f64 = 0.2;
const SIDE_LIFT: f64 = 0.01;
/// Side steps carry the hips along by at least this much, leg lengths: rocking from foot to foot does not.
const SIDE_WAY: f64 = 0.02;
/// Cosine of the trunk's lean up to which a body walks: 60°.
const UPRIGHT: f64 = 0.5;
/// A step takes this long, seconds.
const STEP_S: std::ops::RangeInclusive<f64> = 0.1..=1.5;
/// A swing that the clip's first or last frames cut off begins or ends within this of them, seconds.
const EDGE_S: f64 = 0.05;
/// Whole swings that make a bout; one that an end of the clip cuts off counts half, so that a cycle of two steps is
/// enough.
const BOUT: f64 = 2.0;
/// Side steps that make a bout: side, close, side.
const SIDE_BOUT: f64 = 3.0;
/// Changes of the lifted foot that make marching on the spot, where feet do not pass each other, and how much higher
/// the lifted foot is at least, leg lengths.
const MARCH: usize = 5;
const MARCH_LIFT: f64 = 0.03;
/// A lift turns when it comes back by this much, leg lengths.
const MARCH_TURN: f64 = 0.05;
/// A cycle closes when the feet and hips end this near to where they begin, leg lengths.
const CLOSED: f64 = 0.05;
/// Or by this fraction of the way they swing: a cycle of a dozen frames without its last one, which is its first again,
/// lacks that.
const CLOSED_FRACTION: f64 = 0.125;
/// Cycles are not longer than this, seconds: a few steps.
const CYCLE_S: f64 = 3.0;
/// Froude number from which bouncing steps are a run: people change to running at 0.5 [alexander1989] and jog down to
/// half of that.
const RUN_FROUDE: f64 = 0.2;
/// Steps of one kind in a bout that give the clip its name: one step among others is chance.
const STEPS: usize = 2;
/// Standard gravity, m/s².
const GRAVITY: f64 = 9.80665;

/// How the body goes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Gait {
    pub(super) walks: bool,
    pub(super) runs: bool,
    /// Steps backwards.
    pub(super) backwards: bool,
    /// Steps to a side.
    pub(super) sideways: bool,
    /// Frames of running.
    pub(super) running: Vec<Range<usize>>,
}

impl Gait {
    /// `None` where hips, feet or head are not known.
    pub(super) fn measure(clip: &Clip, poses: &[ModelPose]) -> Option<Self> {
        let body = Signals::measure(clip, poses)?;
        let mut gait = Self::default();
        let mut ahead = 0;
        for bout in body.bouts(&body.fore, TURN, BOUT, |swing| body.judge_step(swing)) {
            let whole: Vec<&Step> = bout.iter().filter(|step| step.whole).collect();
            let running = whole.iter().filter(|step| body.is_run(step)).count();
            // A cycle of one whole step has its name from that one.
            let enough = |steps: usize| steps >= STEPS.min(whole.len());
            if enough(running) {
                gait.runs = true;
                let (start, end) = (bout[0].swing.start, bout[bout.len() - 1].swing.end + 1);
                let repeated = body.fore.len() > poses.len();
                gait.running.push(if repeated { 0..poses.len() } else { start..end });
            }
            gait.walks |= enough(whole.len() - running);
            gait.backwards |= bout[0].way < 0.0;
            ahead += bout.len();
        }
        let aside =
            body.bouts(&body.side, TURN.min(SIDE_SWING / 2.0), SIDE_BOUT, |swing| body.judge_side(swing));
        // The feet of a walker in a curve swing to the side too; side steps are where they do so more often than ahead.
        if aside.iter().map(Vec::len).sum::<usize>() > ahead {
            (gait.sideways, gait.walks) = (true, true);
        }
        gait.walks |= !gait.runs && body.marches();
        Some(gait)
    }

    /// Whether the feet step, however.
    pub(super) fn steps(&self) -> bool {
        self.walks || self.runs
    }
}

/// From one turning point to the next.
#[derive(Debug, Clone, PartialEq)]
struct Swing {
    start: usize,
    end: usize,
    /// Signed, leg lengths; the left foot ahead is positive.
    amplitude: f64,
    /// Whether the clip begins or ends in it.
    cut: bool,
}

/// A swing that is part of a gait.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    swing: Swing,
    /// 1 where the foot in the air moves ahead (or to the left), −1 where it moves back (or to the right).
    way: f64,
    /// Whether all of the step is in the clip.
    whole: bool,
}

/// The feet against each other, in leg lengths, and what the trunk does.
#[derive(Debug)]
struct Signals {
    fps: f64,
    /// Left foot ahead of the right one.
    fore: Vec<f64>,
    /// Left foot to the left of the right one.
    side: Vec<f64>,
    /// Left foot higher than the right one, against its median, so that uneven ankles do not matter.
    lift: Vec<f64>,
    /// Height of the hips.
    hips: Vec<f64>,
    /// Way of the hips to the body's left from the frame before.
    aside: Vec<f64>,
    /// Cosine between the trunk and up.
    upright: Vec<f64>,
}

impl Signals {
    fn measure(clip: &Clip, poses: &[ModelPose]) -> Option<Self> {
        let skeleton = clip.skeleton();
        let joint = |role: Role| skeleton.find(role);
        let (hips, head) = (joint(Role::Hips)?, joint(Role::Head)?);
        let (left_leg, right_leg) = (joint(Role::LeftUpperLeg)?, joint(Role::RightUpperLeg)?);
        let (left_foot, right_foot) = (joint(Role::LeftFoot)?, joint(Role::RightFoot)?);
        let mut raw: [Vec<f64>; 6] = Default::default();
        let mut before: Option<&ModelPose> = None;
        for pose in poses {
            let p = |joint: usize| pose.positions[joint].as_dvec3();
            let left = (p(left_leg) - p(right_leg)).with_y(0.0).normalize_or_zero();
            let ahead = left.cross(glam::DVec3::Y);
            let feet = p(left_foot) - p(right_foot);
            let step = before.map_or(glam::DVec3::ZERO, |b| p(hips) - b.positions[hips].as_dvec3());
            let trunk = (p(head) - p(hips)).normalize_or_zero();
            let values = [feet.dot(ahead), feet.dot(left), feet.y, p(hips).y, step.dot(left)];
            for (list, value) in raw.iter_mut().zip(values) {
                list.push(value / LEG_M);
            }
            raw[5].push(trunk.y);
            before = Some(pose);
        }
        let fps = clip.fps();
        // Of a cycle that closes, the first frame follows the last: two rounds show every step of it whole.
        let closes = poses.len() > 2 && raw[..4].iter().all(|list| closes(list));
        if closes && poses.len() as f64 <= CYCLE_S * fps {
            raw.iter_mut().for_each(|list| list.extend_from_within(1..));
        }
        let [fore, side, lift, hips, aside, upright] = raw;
        let smoothed = |values: &[f64]| smooth(values, fps, SMOOTH_S);
        let mut lift = smoothed(&lift);
        let level = median(&lift).unwrap_or(0.0);
        lift.iter_mut().for_each(|value| *value -= level);
        Some(Self {
            fps,
            fore: smoothed(&fore),
            side: smoothed(&side),
            lift,
            hips: smoothed(&hips),
            aside,
            upright,
        })
    }

    /// Runs of steps of the same way, one after the other, that are at least `least` long.
    fn bouts(
        &self,
        signal: &[f64],
        turn: f64,
        least: f64,
        judge: impl Fn(Swing) -> Option<Step>,
    ) -> Vec<Vec<Step>> {
        let mut bouts: Vec<Vec<Step>> = vec![Vec::new()];
        for swing in self.swings(signal, turn) {
            match judge(swing) {
                Some(step) => match bouts.last_mut() {
                    Some(bout) if bout.last().is_none_or(|last| last.way == step.way) => bout.push(step),
                    _ => bouts.push(vec![step]),
                },
                None => bouts.push(Vec::new()),
            }
        }
        let length = |bout: &[Step]| bout.iter().map(|step| if step.whole { 1.0 } else { 0.5 }).sum::<f64>();
        bouts.retain(|bout| bout.iter().any(|step| step.whole) && length(bout) >= least);
        bouts
    }

    fn swings(&self, signal: &[f64], turn: f64) -> Vec<Swing> {
        let points = turning_points(signal, turn);
        let edge = (EDGE_S * self.fps).round() as usize;
        let last = signal.len().saturating_sub(1);
        let near_end = |start: usize, end: usize| start <= edge || end + edge >= last;
        points
            .windows(2)
            .map(|pair| Swing {
                start: pair[0],
                end: pair[1],
                amplitude: signal[pair[1]] - signal[pair[0]],
                cut: near_end(pair[0], pair[1]),
            })
            .collect()
    }

    /// Whether a swing ahead or back is a step: upright, of a step's length and time, by the foot that is in the air.
    fn judge_step(&self, swing: Swing) -> Option<Step> {
        let (a, b) = (self.fore[swing.start], self.fore[swing.end]);
        let whole = a * b < 0.0 && a.abs().min(b.abs()) >= PASS;
        let way = self.way(&swing, SWING, LIFT)?;
        (whole || swing.cut).then_some(Step { swing, way, whole })
    }

    /// Whether a swing to the side is a side step: the hips go with it.
    fn judge_side(&self, swing: Swing) -> Option<Step> {
        let way = self.way(&swing, SIDE_SWING, SIDE_LIFT)?;
        let travel: f64 = self.aside[swing.start + 1..=swing.end].iter().sum();
        (way * travel > SIDE_WAY).then_some(Step { swing, way, whole: true })
    }

    /// Which way the foot in the air moves.
    fn way(&self, swing: &Swing, least: f64, lift: f64) -> Option<f64> {
        let quarter = (swing.end - swing.start) / 4;
        let inner = &self.lift[swing.start + quarter..=swing.end - quarter];
        let way = swing.amplitude.signum() * inner.iter().sum::<f64>() / inner.len() as f64;
        let fits = swing.amplitude.abs() >= least
            && way.abs() >= lift
            && STEP_S.contains(&self.seconds(swing))
            && self.is_upright(swing.start..swing.end + 1);
        fits.then_some(way.signum())
    }

    fn seconds(&self, swing: &Swing) -> f64 {
        (swing.end - swing.start) as f64 / self.fps
    }

    fn is_upright(&self, frames: Range<usize>) -> bool {
        self.upright[frames].iter().all(|&cosine| cosine >= UPRIGHT)
    }

    /// Whether a whole step bounces, and is as fast as runs are.
    fn is_run(&self, step: &Step) -> bool {
        let Swing { start, end, amplitude, .. } = step.swing;
        let middle = 0.5 * (self.fore[start] + self.fore[end]);
        let distance = |frame: &usize| (self.fore[*frame] - middle).abs();
        let passing = (start..=end).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(start);
        let fraction = (passing - start) as f64 / (end - start) as f64;
        let line = self.hips[start] + fraction * (self.hips[end] - self.hips[start]);
        // From one turning point to the next the body goes half as far as the feet swing.
        let speed_m_s = 0.5 * amplitude.abs() * LEG_M / self.seconds(&step.swing);
        self.hips[passing] < line && speed_m_s * speed_m_s / (GRAVITY * LEG_M) >= RUN_FROUDE
    }

    /// Whether the feet are lifted in turn, many times over.
    fn marches(&self) -> bool {
        let mut changes = 0;
        for swing in self.swings(&self.lift, MARCH_TURN) {
            let (a, b) = (self.lift[swing.start], self.lift[swing.end]);
            let changed = a * b < 0.0
                && a.abs().min(b.abs()) >= MARCH_LIFT
                && STEP_S.contains(&self.seconds(&swing))
                && self.is_upright(swing.start..swing.end + 1);
            changes = if changed { changes + 1 } else { 0 };
            if changes == MARCH {
                return true;
            }
        }
        false
    }
}

/// Whether a signal ends where it begins, by a fraction of its own range, or a few centimetres.
fn closes(signal: &[f64]) -> bool {
    let low = signal.iter().copied().fold(f64::INFINITY, f64::min);
    let high = signal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (signal[signal.len() - 1] - signal[0]).abs() <= CLOSED.max(CLOSED_FRACTION * (high - low))
}

/// Length of thigh and shin, metres.
pub(super) fn leg_m(skeleton: &Skeleton) -> Option<f64> {
    let rest = skeleton.rest_positions();
    let at = |role: Role| Some(rest[skeleton.find(role)?].as_dvec3());
    let (hip, knee, ankle) = (at(Role::LeftUpperLeg)?, at(Role::LeftLowerLeg)?, at(Role::LeftFoot)?);
    Some(hip.distance(knee) + knee.distance(ankle)).filter(|length| *length > 1e-6)
}

/// Frames where the signal turns, by at least `turn` each time, with the ends.
fn turning_points(signal: &[f64], turn: f64) -> Vec<usize> {
    let (mut points, mut low, mut high) = (Vec::new(), 0, 0);
    // 1 while it rises, −1 while it falls, 0 before the first turn.
    let mut sense = 0.0;
    let mut best = 0;
    for (frame, &value) in signal.iter().enumerate() {
        if sense == 0.0 {
            low = if value < signal[low] { frame } else { low };
            high = if value > signal[high] { frame } else { high };
            if value - signal[low] >= turn {
                (points, sense, best) = (vec![low], 1.0, frame);
            } else if signal[high] - value >= turn {
                (points, sense, best) = (vec![high], -1.0, frame);
            }
        } else if sense * (value - signal[best]) > 0.0 {
            best = frame;
        } else if sense * (signal[best] - value) >= turn {
            points.push(best);
            (sense, best) = (-sense, frame);
        }
    }
    if sense != 0.0 {
        points.push(best);
    }
    points
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Turning points are in order, alternate, and what lies between is monotone up to `turn`.
        #[test]
        fn turning_points_alternate(signal in prop::collection::vec(-1.0..1.0f64, 0..80), turn in 0.05..0.8f64) {
            let points = turning_points(&signal, turn);
            prop_assert!(points.windows(2).all(|pair| pair[0] < pair[1]));
            for triple in points.windows(3) {
                let (a, b) = (signal[triple[1]] - signal[triple[0]], signal[triple[2]] - signal[triple[1]]);
                prop_assert!(a * b < 0.0);
            }
            prop_assert!(points.windows(2).all(|pair| (signal[pair[1]] - signal[pair[0]]).abs() >= turn));
        }
    }
}
