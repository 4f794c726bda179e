//! The search: all pairs of frames that look alike, and which of them makes the wanted cycle.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::ground::{headings, wrap_angle};
use ugoki_base::pose::ModelPose;
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{Contacts, find_feet};

use super::gait::{NEARLY, Strides};
use super::repeat_offset::{STRAIGHT_DEG, offset};
use super::{CycleConfig, CycleError, LEAST_FRAMES, Pick, Straight};
use crate::edit::join::{BodyFeatures, Footholds, SPEED_COST_S, ordinary, seam_step, standing_labels};

/// A stretch of a clip that begins again where it ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// Its frames; the frame after the last is like the first.
    pub frames: Range<usize>,
    /// How far the two are apart, metres: root mean square distance of the body's points and, over a tenth of a second, of
    /// their velocities, seen from the body, and 2 cm for each foot that stands in one of them only.
    pub gap_m: f64,
    /// Whether it is one stride of a gait.
    pub is_stride: bool,
}

/// Share by which a cycle may be shorter or longer than the motion's stride.
const STRIDE_SHARE: f64 = 0.15;
/// A cycle's ends are at most this share as far apart as its start and its middle, or what is farthest from it.
const COMES_BACK: f64 = 0.5;
/// Strides are known to be cycles by their feet; they may be this many times as far open as what is only like one.
const STRIDE_GATE: f64 = 2.0;
/// A straight stride is taken if it closes at most this many times as badly as the best.
pub(super) const STRAIGHT_COST: f64 = 1.5;
/// Strides that are closed to see which closes best: of all, and of straight ones.
const CLOSED: usize = 4;
/// These start at least this part of a stride apart: nearer ones close alike.
const APART: f64 = 0.08;
/// Shortest cycle that is not a stride, seconds.
const SHORTEST_S: f64 = 0.5;
/// Frames compared each with each at most: 4.5 million pairs; longer motions are searched coarsely first.
const MAX_FRAMES: usize = 3000;
/// Rate at which all pairs are compared at most, frames per second; the best are refined at the clip's own.
const COARSE_HZ: f64 = 30.0;
/// A whole motion whose end leads to its start by at most this many times an ordinary step was made as a loop.
const MADE: f64 = 1.5;
/// A cycle in which the body moves less than this share as fast as on the whole only holds a pose.
const HELD: f64 = 0.25;

/// Finds the cycle of a motion, by how much its ends are alike. `contacts` are those of the clip, where it has legs.
///
/// # Errors
/// When the motion is too short or nothing in it comes back near enough, or the caller stops.
pub fn find_cycle(
    clip: &Clip,
    contacts: Option<&Contacts>,
    config: &CycleConfig,
    progress: Progress<'_>,
) -> Result<Cycle, CycleError> {
    let found = find_cycles(clip, contacts, config, progress)?;
    let nearly = |straight: &Found, best: &Found| straight.cost <= STRAIGHT_COST * best.cost;
    let chosen = choose(&found, config.straight, |found| found.is_straight, |found| found.cost, nearly);
    chosen.map(|at| found[at].cycle.clone()).ok_or(CycleError::Still)
}

/// The best of `all` by their scores: a straight one if it closes `nearly` as well as the best, or if only those are wanted.
pub(super) fn choose<T>(
    all: &[T],
    straight: Straight,
    is_straight: impl Fn(&T) -> bool,
    score: impl Fn(&T) -> f64,
    nearly: impl Fn(&T, &T) -> bool,
) -> Option<usize> {
    let best = |only: bool| {
        let fit = (0..all.len()).filter(|&at| is_straight(&all[at]) || !only);
        fit.min_by(|&a, &b| score(&all[a]).total_cmp(&score(&all[b])))
    };
    let least = best(false)?;
    let is_taken = |&at: &usize| match straight {
        Straight::Auto => nearly(&all[at], &all[least]),
        Straight::Yes => true,
        Straight::No => false,
    };
    Some(best(true).filter(is_taken).unwrap_or(least))
}

/// A cycle that may be taken.
pub(super) struct Found {
    pub(super) cycle: Cycle,
    /// How badly it closes, by its ends alone, metres.
    pub(super) cost: f64,
    /// Whether it is a stride that goes straight.
    pub(super) is_straight: bool,
}

impl From<Cycle> for Found {
    fn from(cycle: Cycle) -> Self {
        Self { cost: cycle.gap_m, cycle, is_straight: false }
    }
}

/// The strides or hops that close best, of all and of straight ones; one cycle for other motions.
pub(super) fn find_cycles(
    clip: &Clip,
    contacts: Option<&Contacts>,
    config: &CycleConfig,
    progress: Progress<'_>,
) -> Result<Vec<Found>, CycleError> {
    let motion = clip.motion_frames();
    if motion.len() < LEAST_FRAMES + 1 {
        return Err(CycleError::TooShort { frames: motion.len(), least: LEAST_FRAMES + 1 });
    }
    let stands = Footholds::of(clip, contacts);
    let features = BodyFeatures::of(clip, &stands, motion.start..motion.end + 1);
    report(progress, 0.1)?;
    let gate = config.gate_m * stands.scale();
    if let Some(Contacts { feet, .. }) = contacts.filter(|_| config.pick == Pick::Best) {
        let poses: Vec<ModelPose> = motion.clone().map(|frame| clip.model_pose(frame)).collect();
        let headings = headings(clip.skeleton(), &poses);
        let turn = |frames: &Range<usize>| {
            let at = |frame: usize| headings[frame.min(motion.end - 1) - motion.start];
            wrap_angle(at(frames.end) - at(frames.start))
        };
        let best = |strides: &Strides| best_strides(&features, strides, &motion, STRIDE_GATE * gate, turn);
        let gait = || Strides::of(feet, &motion, clip.fps(), |frame| features.pace(frame));
        let hops = || Strides::hops(feet, &motion, clip.fps(), |a, b| features.gap(a, &features, b));
        let found = gait().map(|gait| best(&gait)).filter(|found| !found.is_empty());
        if let Some(found) =
            found.or_else(|| hops().map(|hops| best(&hops)).filter(|found| !found.is_empty()))
        {
            return Ok(found);
        }
    }
    let cycle = longest(&features, &motion, clip.fps(), gate, progress)
        .or_else(|error| whole(clip, contacts, &features).ok_or(error))?;
    Ok(vec![Found::from(cycle)])
}

/// The whole motion as a cycle, where its maker cut it as a loop; `None` for any other motion.
#[must_use]
pub fn made_cycle(clip: &Clip, contacts: Option<&Contacts>) -> Option<Cycle> {
    let motion = clip.motion_frames();
    if motion.len() < LEAST_FRAMES + 1 {
        return None;
    }
    whole(
        clip,
        contacts,
        &BodyFeatures::of(clip, &Footholds::of(clip, contacts), motion.start..motion.end + 1),
    )
}

/// The whole motion, where its maker cut it as a loop: with its first frame again at the end, or without, its end leads to
/// its start by an ordinary step.
fn whole(clip: &Clip, contacts: Option<&Contacts>, features: &BodyFeatures) -> Option<Cycle> {
    let motion = clip.motion_frames();
    let usual = ordinary(clip);
    // As in closing: only feet that truly stand tell where the next repeat belongs.
    let kept = contacts.and_then(|contacts| {
        find_feet(clip.skeleton()).ok().map(|feet| standing_labels(clip, contacts, &feet).0)
    });
    let stands = Footholds::of(clip, kept.as_ref());
    [motion.end - 1, motion.end].into_iter().find_map(|end| {
        let frames = motion.start..end;
        let gap_m = features.gap(end, features, frames.start);
        let step = seam_step(clip, end, clip, frames.start, &offset(clip, &stands, &frames));
        (step.over(&usual) <= MADE).then_some(Cycle { frames, gap_m, is_stride: false })
    })
}

/// Whether the motion goes farther from its start than `gap_m`, with which it comes back to it.
fn comes_back(features: &BodyFeatures, frames: Range<usize>, gap_m: f64) -> bool {
    // Sixteen frames of a cycle show how far it goes.
    let step = (frames.len() / 16).max(1);
    frames
        .clone()
        .step_by(step)
        .any(|frame| gap_m <= COMES_BACK * features.gap(frame, features, frames.start))
}

/// The strides or hops that close best, of all and of straight ones, best first.
fn best_strides(
    features: &BodyFeatures,
    strides: &Strides,
    motion: &Range<usize>,
    gate: f64,
    turn: impl Fn(&Range<usize>) -> f64,
) -> Vec<Found> {
    let part = |factor: f64| (factor * strides.frames as f64).round() as usize;
    let (least, most) = (part(1.0 - STRIDE_SHARE).max(LEAST_FRAMES), part(1.0 + STRIDE_SHARE));
    // The best of every start, and the best straight one.
    let mut all: Vec<Found> = Vec::new();
    for start in motion.clone() {
        let speed = SPEED_COST_S * features.fastest(start);
        let mut best: [Option<Found>; 2] = [None, None];
        for end in start + least..=(start + most).min(motion.end) {
            if !strides.once(start, end) {
                continue;
            }
            let gap_m = features.gap(end, features, start);
            let cost = gap_m + speed;
            let is_straight = turn(&(start..end)).abs().to_degrees() <= STRAIGHT_DEG;
            let best = &mut best[usize::from(is_straight)];
            if gap_m > gate || best.as_ref().is_some_and(|best| best.cost <= cost) {
                continue;
            }
            // What does not go away from its start does not come back to it; half a stride on the legs have changed places.
            let comes_back = if strides.alternates {
                gap_m <= COMES_BACK * features.gap((start + end) / 2, features, start)
            } else {
                comes_back(features, start..end, gap_m)
            };
            if comes_back {
                let cycle = Cycle { frames: start..end, gap_m, is_stride: true };
                *best = Some(Found { cycle, cost, is_straight });
            }
        }
        all.extend(best.into_iter().flatten());
    }
    all.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let apart = part(APART).max(1);
    let mut kept: Vec<Found> = Vec::new();
    let mut counts = [0, 0];
    for found in all {
        let near = |other: &Found| {
            other.is_straight == found.is_straight
                && other.cycle.frames.start.abs_diff(found.cycle.frames.start) < apart
        };
        let count = &mut counts[usize::from(found.is_straight)];
        if *count < CLOSED && !kept.iter().any(near) {
            *count += 1;
            kept.push(found);
        }
    }
    kept
}

/// The cycle under the gate that covers most of the motion, or of those that cover nearly as much the one that closes best.
fn longest(
    features: &BodyFeatures,
    motion: &Range<usize>,
    fps: f64,
    gate: f64,
    progress: Progress<'_>,
) -> Result<Cycle, CycleError> {
    let shortest = ((SHORTEST_S * fps).round() as usize).clamp(LEAST_FRAMES, motion.len());
    let step = ((fps / COARSE_HZ) as usize).max(motion.len() / MAX_FRAMES).max(1);
    // How far the body has moved up to every frame, metres: the sum of its points' root mean square steps.
    let mut way = vec![0.0];
    motion.clone().for_each(|frame| way.push(way[way.len() - 1] + features.pace(frame) / fps));
    let covered = |start: usize, end: usize| way[end - motion.start] - way[start - motion.start];
    let usual = covered(motion.start, motion.end) / motion.len() as f64;
    let count = motion.len().div_ceil(step);
    let mut nearest: Option<Cycle> = None;
    // Cycles and what they cover; of those found so far, all that cover nearly as much as the best.
    let mut found: Vec<(f64, Cycle)> = Vec::new();
    let mut most = 0.0;
    for (at, start) in motion.clone().step_by(step).enumerate() {
        if at % 64 == 0 {
            report(progress, 0.1 + 0.8 * at as f32 / count as f32)?;
        }
        let ends = (start + shortest..motion.end).step_by(step).chain(std::iter::once(motion.end));
        for end in ends.filter(|&end| end >= start + shortest) {
            let covers = covered(start, end);
            if covers < HELD * usual * (end - start) as f64 {
                continue;
            }
            let gap_m = features.gap(end, features, start);
            let cycle = Cycle { frames: start..end, gap_m, is_stride: false };
            if nearest.as_ref().is_none_or(|best| gap_m < best.gap_m)
                && comes_back(features, start..end, gap_m)
            {
                nearest = Some(cycle.clone());
            }
            let nearly = covers >= NEARLY * most;
            if gap_m <= gate && nearly && comes_back(features, start..end, gap_m) {
                if covers > most {
                    most = covers;
                    found.retain(|(covers, _)| *covers >= NEARLY * most);
                }
                found.push((covers, cycle));
            }
        }
    }
    let best = found.into_iter().map(|(_, cycle)| cycle).min_by(|a, b| a.gap_m.total_cmp(&b.gap_m));
    match (best, nearest) {
        (Some(cycle), _) => Ok(refined(features, motion, &cycle, step)),
        (None, Some(nearest)) => {
            let nearest = refined(features, motion, &nearest, step);
            if nearest.gap_m <= gate {
                return Ok(nearest);
            }
            let Range { start, end } = nearest.frames;
            Err(CycleError::Open { start, end, gap_m: nearest.gap_m, gate_m: gate })
        }
        (None, None) => Err(CycleError::Still),
    }
}

/// The best cycle whose ends are within a coarse step of this one's.
fn refined(features: &BodyFeatures, motion: &Range<usize>, cycle: &Cycle, step: usize) -> Cycle {
    let near =
        |frame: usize| frame.saturating_sub(step - 1).max(motion.start)..=(frame + step - 1).min(motion.end);
    let mut best = cycle.clone();
    for start in near(cycle.frames.start) {
        for end in near(cycle.frames.end).filter(|&end| end >= start + LEAST_FRAMES) {
            let gap_m = features.gap(end, features, start);
            if gap_m < best.gap_m {
                best = Cycle { frames: start..end, gap_m, is_stride: false };
            }
        }
    }
    best
}
