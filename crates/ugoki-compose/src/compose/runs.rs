//! A layer's clips sampled at the frames of the result, in runs without seams.

use std::collections::BTreeMap;

use ugoki_base::clip::Clip;

use super::{Item, RenderError, Sequence, Source};
use crate::network::Origin;

/// Source frames by which a clip may miss where the one before it left and still simply go on: a tenth of a frame is no seam.
const GOES_ON: f64 = 0.1;

/// A part of a layer without seams.
pub(super) struct Run {
    pub(super) clip: Clip,
    /// The clip it is sampled from, and where, in frames of that.
    pub(super) source: usize,
    pub(super) times: Vec<f64>,
    /// Its first frame in the result.
    pub(super) start: usize,
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Samples a layer's clips at the frames of the result. The first is held before its time where an opening was left, the last
/// after its own.
pub(super) fn runs(
    sequence: &Sequence,
    origins: &[Origin],
    sources: &BTreeMap<usize, Source>,
    fps: f64,
    frames: usize,
) -> Result<Vec<Run>, RenderError> {
    let mut runs: Vec<Run> = Vec::new();
    // Of the run that is being gathered: clip, times in its frames, first node, first frame.
    let mut open: Option<(usize, Vec<f64>, usize, usize)> = None;
    let mut last = 0;
    let close = |open: &mut Option<(usize, Vec<f64>, usize, usize)>, last: usize, runs: &mut Vec<Run>| {
        if let Some((clip, times, first, start)) = open.take() {
            let mut piece = sources[&clip].clip.at_frames(&times, fps);
            piece.tpose_frame = false;
            runs.push(Run { clip: piece, source: clip, times, start, first, last });
        }
    };
    let count = sequence.items.len();
    for (i, item) in sequence.items.iter().enumerate() {
        let (origin, from_clip) =
            source(item, origins, sources).ok_or(RenderError::Missing { node: item.node })?;
        let at = |seconds: f64| ((seconds * fps).round().max(0.0) as usize).min(frames);
        let from = if i == 0 { 0 } else { at(item.start_s) };
        let to = if i + 1 == count { frames } else { at(sequence.items[i + 1].start_s) };
        if from >= to {
            continue;
        }
        // Seconds of the clip to its frames.
        let rate = origin.frames.len() as f64 / (item.whole_s.max(f64::MIN_POSITIVE));
        let frame_at = |t: f64| {
            let own = item.clip_s(t) * rate;
            origin.frames.start as f64 + own.clamp(0.0, origin.frames.len() as f64)
        };
        let motion = from_clip.clip.motion_frames();
        let times = (from..to)
            .map(|frame| frame_at(frame as f64 / fps).clamp(motion.start as f64, (motion.end - 1) as f64));
        let goes_on = open.as_ref().is_some_and(|(other, so_far, ..)| {
            let step = item.speed * rate / fps;
            let next = so_far.last().map_or(f64::NAN, |t| t + step);
            *other == origin.clip && (frame_at(from as f64 / fps) - next).abs() < GOES_ON * step.max(1.0)
        });
        if !goes_on {
            close(&mut open, last, &mut runs);
            open = Some((origin.clip, Vec::new(), item.node, from));
        }
        if let Some((_, so_far, ..)) = &mut open {
            so_far.extend(times);
        }
        last = item.node;
    }
    close(&mut open, last, &mut runs);
    if runs.is_empty() {
        return Err(RenderError::Length { frames: 0.0, most: super::render::MOST_FRAMES });
    }
    Ok(runs)
}

/// Where an item's frames are, and the clip that has them.
pub(super) fn source<'a>(
    item: &Item,
    origins: &'a [Origin],
    sources: &'a BTreeMap<usize, Source>,
) -> Option<(&'a Origin, &'a Source)> {
    let origin = origins.get(item.node)?;
    sources.get(&origin.clip).map(|source| (origin, source))
}
