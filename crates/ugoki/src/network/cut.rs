//! Clips into nodes: each as a whole, and where it has several movements also piece by piece; on the beat where there is one.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::NetworkError;
use super::flight::Flights;
use crate::Progress;
use crate::clip::Clip;
use crate::segment::{SegmentConfig, SegmentError, Segmentation, segment};

/// How clips become nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CutConfig {
    /// Whether clips with several movements are nodes piece by piece too; otherwise only as a whole.
    pub pieces: bool,
    /// Shorter pieces join a neighbour, seconds: no room for a seam at both ends is left in less.
    pub shortest_s: f64,
    /// Longer pieces are divided, seconds: rests and steady gaits have no cuts of their own.
    pub longest_s: f64,
    /// Beats per minute on which nodes last whole beats.
    pub bpm: Option<f64>,
    /// Change of speed that brings a node onto the beat at most, as a share.
    pub stretch: f64,
}

impl Default for CutConfig {
    fn default() -> Self {
        Self { pieces: true, shortest_s: 0.4, longest_s: 2.0, bpm: None, stretch: 0.05 }
    }
}

/// A node to be: frames of a clip and how long they last.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The clip's name, and the piece's after a slash: `wave/right-arm-1`.
    pub name: String,
    /// Whether it is the whole clip.
    pub whole: bool,
    /// Frames of the clip.
    pub frames: Range<usize>,
    /// How long they last as a node, seconds; on the beat this may differ by a few per cent from how long they were captured.
    pub seconds: f64,
}

/// Beats of a piece at most; two bars of four.
const MOST_BEATS: usize = 8;

impl CutConfig {
    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let within = |name, value: f64, low: f64, high: f64, expected| {
            if value >= low && value <= high {
                Ok(())
            } else {
                Err(NetworkError::Config { name, value, expected })
            }
        };
        within("shortest_s", self.shortest_s, 0.05, 60.0, "seconds from 0.05 to 60")?;
        within("longest_s", self.longest_s, 2.0 * self.shortest_s, 1e6, "at least twice shortest_s")?;
        within("bpm", self.bpm.unwrap_or(60.0), 1.0, 1000.0, "1 to 1000 beats per minute")?;
        within("stretch", self.stretch, 0.0, 0.5, "a share from 0 to 0.5")
    }
}

/// The nodes of one clip, the whole first. A clip without frames of motion has none.
///
/// # Errors
/// When a setting is not usable or the caller stops.
pub fn cut_clip(clip: &Clip, config: &CutConfig, progress: Progress<'_>) -> Result<Vec<Cut>, NetworkError> {
    config.check()?;
    let motion = clip.motion_frames();
    if motion.is_empty() {
        return Ok(Vec::new());
    }
    let beat = config.bpm.map(|bpm| 60.0 / bpm * clip.fps());
    let whole = whole_on_beat(motion, beat, config.stretch);
    let seconds = |frames: &Range<usize>| {
        let played =
            beat.map_or(frames.len() as f64, |beat| on_beat(frames.len() as f64, beat, config.stretch));
        played / clip.fps()
    };
    let mut cuts =
        vec![Cut { name: clip.name.clone(), whole: true, seconds: seconds(&whole), frames: whole }];
    if !config.pieces {
        return Ok(cuts);
    }
    let found = match segment(clip, &SegmentConfig::default(), progress) {
        Ok(found) => found,
        Err(SegmentError::Cancelled(stop)) => return Err(stop.into()),
        // Bodies that are not known and motions of two frames have no movements to be told apart.
        Err(_) => return Ok(cuts),
    };
    let flights = Flights::of(clip);
    let pieces = match beat {
        None => {
            let mut pieces = by_movement(&found, clip.fps(), config);
            flights.leave_whole(&mut pieces, (config.shortest_s * clip.fps()).ceil() as usize);
            pieces
        }
        Some(beat) => by_beat(&found, &flights, clip.motion_frames(), (beat, clip.fps()), config),
    };
    if pieces.len() > 1 {
        for (name, frames) in pieces {
            let name = format!("{}/{name}", clip.name);
            cuts.push(Cut { name, whole: false, seconds: seconds(&frames), frames });
        }
    }
    Ok(cuts)
}

/// A number of frames as whole beats where that takes no more than `stretch`; else as it is.
fn on_beat(frames: f64, beat: f64, stretch: f64) -> f64 {
    let whole = (frames / beat).round().max(1.0) * beat;
    if (frames / whole - 1.0).abs() <= stretch { whole } else { frames }
}

/// All frames, or as many from the start as whole beats can hold; at least one beat, or everything.
fn whole_on_beat(motion: Range<usize>, beat: Option<f64>, stretch: f64) -> Range<usize> {
    let Some(beat) = beat else { return motion };
    let len = motion.len() as f64;
    if on_beat(len, beat, stretch) != len {
        return motion;
    }
    let beats = (len / beat).floor();
    if beats < 1.0 { motion } else { motion.start..motion.start + (beats * beat).round() as usize }
}

/// The movements, short ones joined, long ones divided.
fn by_movement(found: &Segmentation, fps: f64, config: &CutConfig) -> Vec<(String, Range<usize>)> {
    let shortest = (config.shortest_s * fps).ceil() as usize;
    let mut pieces: Vec<(String, Range<usize>, f64)> =
        found.pieces.iter().map(|p| (p.name.clone(), p.start..p.end, p.peak_m_s)).collect();
    // The shortest first, so that a row of short ones becomes pieces of alike length.
    while pieces.len() > 1 {
        let Some(at) = (0..pieces.len()).min_by_key(|&i| pieces[i].1.len()) else { break };
        if pieces[at].1.len() >= shortest {
            break;
        }
        let before = at.checked_sub(1).map(|i| pieces[i].1.len());
        let after = pieces.get(at + 1).map(|piece| piece.1.len());
        let first = match (before, after) {
            (Some(before), Some(after)) if before <= after => at - 1,
            (Some(_), None) => at - 1,
            _ => at,
        };
        let second = pieces.remove(first + 1);
        let first = &mut pieces[first];
        first.1.end = second.1.end;
        // Named after the faster movement.
        if second.2 > first.2 {
            (first.0, first.2) = (second.0, second.2);
        }
    }
    let longest = (config.longest_s * fps).floor().max(1.0);
    let divided = pieces.into_iter().flat_map(|(name, frames, _)| {
        let count = (frames.len() as f64 / longest).ceil() as usize;
        let at = move |i: usize| frames.start + frames.len() * i / count;
        (0..count).map(move |i| {
            let part = if count > 1 { format!("{name}.{}", i + 1) } else { name.clone() };
            let (start, end) = (at(i), at(i + 1));
            (part, start..end)
        })
    });
    divided.collect()
}

/// Pieces of whole beats, each ended where the body is slowest within what stretching can take, and in no flight; what is left at the end is left out.
fn by_beat(
    found: &Segmentation,
    flights: &Flights,
    motion: Range<usize>,
    (beat, fps): (f64, f64),
    config: &CutConfig,
) -> Vec<(String, Range<usize>)> {
    let speed = |frame: usize| -> f64 {
        let at = (frame - found.first).min(found.speeds.first().map_or(0, Vec::len).saturating_sub(1));
        found.speeds.iter().map(|group| group.get(at).copied().unwrap_or(0.0)).sum()
    };
    let most = ((config.longest_s * fps / beat).floor() as usize).clamp(1, MOST_BEATS);
    let mut pieces = Vec::new();
    let mut start = motion.start;
    loop {
        let mut best: Option<(f64, usize)> = None;
        for beats in 1..=most {
            let whole = beats as f64 * beat;
            let low = start + (whole * (1.0 - config.stretch)).ceil() as usize;
            let high = start + (whole * (1.0 + config.stretch)).floor() as usize;
            for end in low..=high.min(motion.end) {
                let slow = speed(end.min(motion.end - 1));
                let fits = end > start && flights.may_cut(end);
                if fits && best.is_none_or(|(least, _)| slow < least) {
                    best = Some((slow, end));
                }
            }
        }
        let Some((_, end)) = best else { break };
        pieces.push((format!("{}", pieces.len() + 1), start..end));
        start = end;
    }
    pieces
}
