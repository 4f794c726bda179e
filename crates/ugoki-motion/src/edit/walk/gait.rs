//! The walk in a source: steps of one foot after the other, and the stride that repeats best.

use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_base::ground::wrap_angle;
use ugoki_base::skeleton::Side;

use super::WalkError;
use super::effort::{Effort, Trace};
use crate::edit::GroundFrame;
use crate::edit::player::{Landing, Repertoire, Source, index};

/// A walk to take steps from.
#[derive(Debug, Clone, PartialEq)]
pub struct Gait {
    pub(super) repertoire: Arc<Repertoire>,
    /// The longest run of steps of one foot after the other.
    pub(super) steps: Vec<Landing>,
    /// The segment that ends the stride which repeats, the one that begins it, and how many steps follow.
    pub(super) cycle: Option<Cycle>,
    /// Half the distance between the feet's lines, metres.
    pub(super) half_width: f32,
    /// How far each foot points outward of where the body faces, radians to the left.
    pub(super) toe_out: [f32; 2],
    /// Mean distance between successive footfalls, metres.
    pub(super) stride_m: f32,
    /// Longest distance between successive footfalls, metres.
    pub(super) longest_m: f32,
    /// Where the source goes against where it faces, radians to the left; 0 for a walk forwards.
    pub(super) goes: f32,
    /// How far the source's own steps go beyond the limits of plans, in their order: they are possible.
    pub(super) own_excess: [f32; 4],
    /// What the source demands of the body, as it was captured.
    pub(super) own_effort: Effort,
    /// Axes about which its knees bend, in their thighs' frames.
    pub(super) knees: [Vec3; 2],
}

/// The stride that repeats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cycle {
    /// Segment left at its end.
    pub(super) leave: usize,
    /// Segment entered instead of the next one.
    pub(super) enter: usize,
    /// Steps of the run that come after the end.
    pub(super) tail: usize,
}

/// Where a walk begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Start {
    pub(super) segment: usize,
    pub(super) frame: usize,
    /// First step of the run that is taken.
    pub(super) step: usize,
    /// Takes the source to the origin, facing +Z.
    pub(super) place: GroundFrame,
}

/// Time of the stance before the first swing that is kept, seconds, when the source walks already.
const LEAD_S: f64 = 0.15;
/// What a difference of the hips' speed costs in the choice of the stride, radians per m/s: without it the ankles of captured walks
/// accelerate 2 % more in the median.
const SPEED_COST: f64 = 0.2;
/// Strides whose costs differ by less are alike and the first one is taken, radians: no rounding then decides.
const SAME_COST: f64 = 2e-3;

/// A standing foot turned farther than this from the mean facing of the first stride says where a walk begins to face, radians: 25°.
const TURNED: f32 = 0.44;

/// Share of a walk's longest step under which a step is no part of it.
const STEADY: f32 = 0.45;
/// How many times as long as another a step of a walk may take: turns and stairs reach 1.9, dances and fights 2.7 and more.
const PACES: f64 = 2.2;
/// Sources that go at a larger angle than this to their facing go sideways or backwards, and so do plans of strides, radians: 35°.
const ASIDE: f32 = 0.61;

impl Gait {
    /// Finds the walk in a clip.
    ///
    /// # Errors
    /// When the legs are not known, the clip is too short or does not walk, or the caller stops.
    pub fn build(clip: &Clip, progress: Progress<'_>) -> Result<Self, WalkError> {
        let source = Source::build(clip, progress)?;
        let steps = longest_run(&source);
        if steps.len() < 2 {
            return Err(WalkError::NoGait { steps: steps.len() });
        }
        let flat = steps.iter().filter(|step| source.feet[step.foot].stances[step.stance].flat).count();
        if 3 * flat < steps.len() {
            return Err(WalkError::OnTiptoe { flat, steps: steps.len() });
        }
        let mut repertoire = Repertoire::build(vec![source])?;
        let cycle = best_cycle(&repertoire, &steps);
        if let Some(cycle) = cycle {
            repertoire = repertoire.linked(&[(cycle.leave, cycle.enter)])?;
        }
        let source = &repertoire.sources()[0];
        let stance = |step: &Landing| &source.feet[step.foot].stances[step.stance];
        let (mut width, mut toe_out, mut length, mut count) = (0.0, [0.0; 2], 0.0, [0.0_f32; 2]);
        let mut longest_m = 0.0_f32;
        for pair in steps.windows(2) {
            let (a, b, foot) = (stance(&pair[0]), stance(&pair[1]), pair[1].foot);
            let by = (b.ankle - a.ankle).with_y(0.0);
            width += by.dot(outward(side(foot), source.facing[b.frames.start]));
            length += by.length();
            longest_m = longest_m.max(by.length());
            let faces = mean(&source.facing[a.frames.start..=b.frames.start]);
            toe_out[foot] += wrap_angle(f64::from(b.heading - faces)) as f32;
            count[foot] += 1.0;
        }
        let strides = steps.windows(3).map(|run| {
            let by = (stance(&run[2]).ankle - stance(&run[0]).ankle).with_y(0.0);
            Quat::from_rotation_y(-source.facing[run[1].frame]) * by
        });
        let mean_stride: Vec3 = strides.sum();
        let goes = mean_stride.x.atan2(mean_stride.z);
        let pairs = count[0] + count[1];
        let mut gait = Self {
            half_width: 0.5 * width / pairs,
            toe_out: [0, 1].map(|foot: usize| toe_out[foot] / count[foot].max(1.0)),
            stride_m: length / pairs,
            longest_m,
            goes: if goes.abs() > ASIDE { goes } else { 0.0 },
            repertoire: Arc::new(repertoire),
            steps,
            cycle,
            own_excess: [0.0; 4],
            own_effort: Effort::NONE,
            knees: [Vec3::ZERO; 2],
        };
        gait.own_excess = gait.own_excess();
        (gait.own_effort, gait.knees) = gait.captured_effort(clip);
        Ok(gait)
    }

    /// What the whole capture demands of the body, before anything was changed, and the axes of its knees.
    fn captured_effort(&self, clip: &Clip) -> (Effort, [Vec3; 2]) {
        let source = self.source();
        let mut trace = Trace::new(&source.toes, self.repertoire.hips(), source.leg_m, None);
        clip.motion_frames().for_each(|frame| trace.see(&clip.model_pose(frame)));
        (trace.whole(clip.fps()), trace.axes())
    }

    /// The source's segments and transitions, ready for players.
    #[must_use]
    pub fn repertoire(&self) -> &Arc<Repertoire> {
        &self.repertoire
    }

    /// How many steps the source has, one foot after the other.
    #[must_use]
    pub fn num_steps(&self) -> usize {
        self.steps.len()
    }

    /// Mean distance between successive footfalls of the source, metres.
    #[must_use]
    pub fn stride_m(&self) -> f32 {
        self.stride_m
    }

    /// Mean turn of the feet to the left from step to step, radians.
    #[must_use]
    pub fn turn(&self) -> f32 {
        let source = self.source();
        let [first, last] = [0, self.steps.len() - 1].map(|at| source.facing[self.steps[at].frame]);
        (last - first) / (self.steps.len() - 1) as f32
    }

    /// The largest rise of the ground from step to step, metres; negative when it falls.
    #[must_use]
    pub fn rise_m(&self) -> f32 {
        let level = |step: &Landing| self.source().feet[step.foot].stances[step.stance].level;
        largest(self.steps.windows(2).map(|pair| level(&pair[1]) - level(&pair[0])))
    }

    /// What the whole source takes of the body, as it was captured; frames are counted from its first motion frame.
    #[must_use]
    pub fn captured(&self) -> &Effort {
        &self.own_effort
    }

    /// The foot that steps first in the source.
    #[must_use]
    pub fn first_foot(&self) -> Side {
        side(self.steps[0].foot)
    }

    pub(super) fn source(&self) -> &Source {
        &self.repertoire.sources()[0]
    }

    /// Where a walk begins whose first step is of `foot`.
    pub(super) fn start(&self, foot: Side) -> Start {
        let source = self.source();
        let step = usize::from(self.steps[0].foot != index(foot));
        let first = self.steps[step];
        let standing = &source.feet[first.foot].stances[first.stance - 1];
        let lift = standing.frames.end - 1;
        let before = source.landings.iter().any(|landing| landing.frame < first.frame);
        let mut frame = if before {
            let lead = (LEAD_S * source.fps) as usize;
            lift.saturating_sub(lead).max(standing.frames.start)
        } else {
            0
        };
        // The other foot stands already when the first step begins, or else lands as it does.
        let landed = source.landings.iter().rev().find(|l| l.foot != first.foot && l.frame < first.frame);
        if let Some(landed) = landed.filter(|l| l.frame <= lift + (first.frame - lift) / 3) {
            frame = frame.max(landed.frame);
        }
        let until = self.steps.get(step + 2).map_or(first.frame, |step| step.frame).max(frame);
        let mut facing = mean(&source.facing[frame..=until]);
        // A source that turns begins as the foot points on which it stands: a plan leads on from there.
        let other = &source.feet[1 - first.foot];
        if let Some(stance) = other.stance_before(first.frame as f64) {
            let faces = other.stances[stance].heading - self.toe_out[1 - first.foot];
            let off = wrap_angle(f64::from(faces - facing)) as f32;
            facing += if off.abs() > TURNED { off } else { 0.0 };
        }
        let hips = source.hips_at(frame as f64);
        let shift = -(Quat::from_rotation_y(-facing) * hips).with_y(0.0);
        let place = GroundFrame { yaw: -facing, shift };
        let segments = self.repertoire.segments();
        let segment = segments.iter().position(|segment| segment.to > frame).unwrap_or(segments.len() - 1);
        Start { segment, frame, step, place }
    }
}

pub(super) fn side(foot: usize) -> Side {
    [Side::Left, Side::Right][foot]
}

/// The other foot.
#[must_use]
pub fn other(foot: Side) -> Side {
    side(1 - index(foot))
}

/// Out to a foot's own side when the body faces `heading`.
pub(super) fn outward(foot: Side, heading: f32) -> Vec3 {
    let own = if foot == Side::Left { 1.0 } else { -1.0 };
    Vec3::new(heading.cos(), 0.0, -heading.sin()) * own
}

/// The value farthest from 0; 0 of none.
pub(super) fn largest(values: impl Iterator<Item = f32>) -> f32 {
    values.fold(0.0, |most: f32, value| if value.abs() > most.abs() { value } else { most })
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len().max(1) as f32
}

/// The longest run of landings of alternating feet, each from a stance that was seen, without steps much shorter than its
/// longest: those that start and end a walk, or are none.
fn longest_run(source: &Source) -> Vec<Landing> {
    let landings = &source.landings;
    let mut best: &[Landing] = &[];
    let mut from = 0;
    for at in 0..landings.len() {
        if landings[at].stance == 0 {
            from = at + 1;
            continue;
        }
        if at > from && landings[at].foot == landings[at - 1].foot {
            from = at;
        }
        let run = steady(source, &landings[from..=at]);
        if run.len() > best.len() {
            best = run;
        }
    }
    best.to_vec()
}

/// The longest part of a run in which all steps are at least [`STEADY`] of the run's longest and follow each other at one pace: no
/// step takes more than [`PACES`] times as long as another.
fn steady<'a>(source: &Source, run: &'a [Landing]) -> &'a [Landing] {
    let length = |landing: &Landing| {
        let [feet, others] = [&source.feet[landing.foot], &source.feet[1 - landing.foot]];
        let from = others.stance_before(landing.frame as f64).map(|stance| others.stances[stance].ankle);
        from.map_or(0.0, |from| (feet.stances[landing.stance].ankle - from).with_y(0.0).length())
    };
    let longest = run.iter().map(length).fold(0.0, f32::max);
    let mut best: &[Landing] = &[];
    for part in run.split(|landing| length(landing) < STEADY * longest) {
        for from in 0..part.len() {
            let (mut shortest, mut longest) = (usize::MAX, 0);
            let at_one_pace = part[from..].windows(2).take_while(|pair| {
                let frames = pair[1].frame - pair[0].frame;
                (shortest, longest) = (shortest.min(frames), longest.max(frames));
                longest as f64 <= PACES * shortest as f64
            });
            let to = from + 1 + at_one_pace.count();
            if to - from > best.len() {
                best = &part[from..to];
            }
        }
    }
    best
}

/// The pair of cuts on one foot, at least a stride apart, whose poses and speeds are nearest.
fn best_cycle(repertoire: &Repertoire, steps: &[Landing]) -> Option<Cycle> {
    let source = &repertoire.sources()[0];
    let (first, last) = (steps.first()?.frame, steps.last()?.frame);
    let segments = repertoire.segments();
    let near = (0.25 * source.fps) as usize;
    let speed = |frame: usize| {
        let (behind, ahead) = (frame.saturating_sub(near), (frame + near).min(source.num_frames - 1));
        let length = source.hips_at(ahead as f64).distance(source.hips_at(behind as f64));
        f64::from(length) * source.fps / (ahead - behind).max(1) as f64
    };
    let before = |frame: usize| steps.iter().filter(|step| step.frame <= frame).count();
    let mut best: Option<(f64, Cycle)> = None;
    for (leave, a) in segments.iter().enumerate() {
        for (enter, b) in segments.iter().enumerate() {
            // After the first step of the run and with a step still seen behind the end, so that all is steady.
            let steady = b.from >= first && a.to <= last + source.fps as usize;
            if !(steady && repertoire.fits(leave, enter) && before(a.to) >= before(b.from) + 2) {
                continue;
            }
            let cost =
                repertoire.seam((0, a.to), (0, b.from)) + SPEED_COST * (speed(a.to) - speed(b.from)).abs();
            if best.is_none_or(|(least, _)| cost < least - SAME_COST) {
                best = Some((cost, Cycle { leave, enter, tail: steps.len() - before(a.to) }));
            }
        }
    }
    best.map(|(_, cycle)| cycle)
}
