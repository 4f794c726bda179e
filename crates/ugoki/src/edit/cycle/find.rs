//! The search: all pairs of frames that look alike, and which of them makes the wanted cycle.

use std::ops::Range;

use super::gait::Strides;
use super::{CycleConfig, CycleError, LEAST_FRAMES, Pick};
use crate::clip::Clip;
use crate::contact::Contacts;
use crate::edit::join::{Looks, SPEED_COST_S, Stands};
use crate::{Progress, report};

/// A stretch of a clip that begins again where it ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// Its frames; the frame after the last looks like the first.
    pub frames: Range<usize>,
    /// How far the two are apart, metres: root mean square distance of the body's points and, over a tenth of a second, of
    /// their velocities, seen from the body, and 2 cm for each foot that stands in one of them only.
    pub gap_m: f64,
    /// Whether it is one stride of a gait.
    pub is_stride: bool,
}

/// Share by which a cycle may be shorter or longer than the motion's stride.
const STRIDE_SHARE: f64 = 0.15;
/// A stride's ends are at most this share as far apart as its start and its middle.
const COMES_BACK: f64 = 0.5;
/// Strides are known to be cycles by their feet; they may be this many times as far open as what only looks like one.
const STRIDE_GATE: f64 = 2.0;
/// Shortest cycle that is not a stride, seconds.
const SHORTEST_S: f64 = 0.5;
/// Frames compared each with each at most: 4.5 million pairs; longer motions are searched coarsely first.
const MAX_FRAMES: usize = 3000;
/// Rate at which all pairs are compared at most, frames per second; the best are refined at the clip's own.
const COARSE_HZ: f64 = 30.0;
/// Of cycles this much shorter than the longest the best closed one is taken: a share of its length.
const NEARLY_LONGEST: f64 = 0.05;

/// Finds the cycle of a motion. `contacts` are those of the clip, where it has legs.
///
/// # Errors
/// When the motion is too short or nothing in it comes back near enough, or the caller stops.
pub fn find_cycle(
    clip: &Clip,
    contacts: Option<&Contacts>,
    config: &CycleConfig,
    progress: Progress<'_>,
) -> Result<Cycle, CycleError> {
    let motion = clip.motion_frames();
    if motion.len() < LEAST_FRAMES + 1 {
        return Err(CycleError::TooShort { frames: motion.len(), least: LEAST_FRAMES + 1 });
    }
    let stands = Stands::of(clip, contacts);
    let looks = Looks::of(clip, &stands, motion.clone());
    report(progress, 0.1)?;
    let gate = config.gate_m * stands.scale();
    let strides = contacts
        .filter(|_| config.pick == Pick::Best)
        .and_then(|contacts| Strides::of(&contacts.feet, &motion, clip.fps()));
    if let Some(strides) = strides
        && let Some(cycle) = best_stride(&looks, &strides, &motion)
        && cycle.gap_m <= STRIDE_GATE * gate
    {
        return Ok(cycle);
    }
    longest(&looks, &motion, clip.fps(), gate, progress)
}

/// The stride that closes best.
fn best_stride(looks: &Looks, strides: &Strides, motion: &Range<usize>) -> Option<Cycle> {
    let share = |factor: f64| (factor * strides.frames as f64).round() as usize;
    let (least, most) = (share(1.0 - STRIDE_SHARE).max(LEAST_FRAMES), share(1.0 + STRIDE_SHARE));
    let mut best: Option<(f64, Cycle)> = None;
    for start in motion.clone() {
        let speed = SPEED_COST_S * looks.fastest(start);
        for end in start + least..=(start + most).min(motion.end - 1) {
            if !strides.once(start, end) {
                continue;
            }
            let gap_m = looks.gap(end, looks, start);
            // Half a stride on the legs have changed places: what does not go away from its start does not come back to it.
            if gap_m > COMES_BACK * looks.gap((start + end) / 2, looks, start) {
                continue;
            }
            if best.as_ref().is_none_or(|best| gap_m + speed < best.0) {
                best = Some((gap_m + speed, Cycle { frames: start..end, gap_m, is_stride: true }));
            }
        }
    }
    best.map(|best| best.1)
}

/// The longest cycle under the gate, or of those nearly as long the one that closes best.
fn longest(
    looks: &Looks,
    motion: &Range<usize>,
    fps: f64,
    gate: f64,
    progress: Progress<'_>,
) -> Result<Cycle, CycleError> {
    let shortest = ((SHORTEST_S * fps).round() as usize).clamp(LEAST_FRAMES, motion.len() - 1);
    let step = ((fps / COARSE_HZ) as usize).max(motion.len() / MAX_FRAMES).max(1);
    let starts = || (motion.start..motion.end).step_by(step);
    let count = motion.len().div_ceil(step);
    // For every length the best start; the coarse grid is made finer where it matters.
    let mut nearest: Option<Cycle> = None;
    let mut found: Vec<Cycle> = Vec::new();
    for (at, start) in starts().enumerate() {
        if at % 64 == 0 {
            report(progress, 0.1 + 0.8 * at as f32 / count as f32)?;
        }
        for end in (start + shortest..motion.end).step_by(step) {
            let gap_m = looks.gap(end, looks, start);
            let cycle = Cycle { frames: start..end, gap_m, is_stride: false };
            if nearest.as_ref().is_none_or(|best| gap_m < best.gap_m) {
                nearest = Some(cycle.clone());
            }
            let longest = found.last().map_or(0, |best| best.frames.len());
            let nearly = (longest as f64 * (1.0 - NEARLY_LONGEST)) as usize;
            if gap_m <= gate && end - start >= nearly {
                if end - start > longest {
                    let keep = ((end - start) as f64 * (1.0 - NEARLY_LONGEST)) as usize;
                    found.retain(|cycle| cycle.frames.len() >= keep);
                    found.push(cycle);
                } else {
                    let last = found.len().saturating_sub(1);
                    found.insert(last, cycle);
                }
            }
        }
    }
    let best = found.into_iter().min_by(|a, b| a.gap_m.total_cmp(&b.gap_m));
    match (best, nearest) {
        (Some(cycle), _) => Ok(refined(looks, motion, &cycle, step)),
        (None, Some(nearest)) => {
            let nearest = refined(looks, motion, &nearest, step);
            if nearest.gap_m <= gate {
                return Ok(nearest);
            }
            let Range { start, end } = nearest.frames;
            Err(CycleError::Open { start, end, gap_m: nearest.gap_m, gate_m: gate })
        }
        (None, None) => Err(CycleError::TooShort { frames: motion.len(), least: shortest + 1 }),
    }
}

/// The best cycle whose ends are within a coarse step of this one's.
fn refined(looks: &Looks, motion: &Range<usize>, cycle: &Cycle, step: usize) -> Cycle {
    let near = |frame: usize| {
        frame.saturating_sub(step - 1).max(motion.start)..=(frame + step - 1).min(motion.end - 1)
    };
    let mut best = cycle.clone();
    for start in near(cycle.frames.start) {
        for end in near(cycle.frames.end).filter(|&end| end >= start + LEAST_FRAMES) {
            let gap_m = looks.gap(end, looks, start);
            if gap_m < best.gap_m {
                best = Cycle { frames: start..end, gap_m, is_stride: false };
            }
        }
    }
    best
}
