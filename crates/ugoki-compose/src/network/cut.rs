//! Clips into nodes: each as a whole, and where it has several movements also piece by piece; on the beat where there
//! is one.
//!
//! Whole clips are never cut for the beat: they are retimed to it, or wait for the next one. Pieces end where the body
//! is slowest near a beat.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_feet::feet::ClipFeet;
use ugoki_motion::segment::{SegmentConfig, SegmentError, Segmentation, segment};

use super::flight::Flights;
use super::{NetworkError, Pace};

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
    /// Change of speed that brings a piece onto the beat at most, as a fraction.
    pub tempo_change: f64,
    /// The same of whole clips, which cannot be cut elsewhere. Half a beat is a tenth of five beats, so that whatever
    /// lasts 4.5 beats or more can be brought onto the beat; what is shorter and does not fit waits for the next.
    pub whole_tempo_change: f64,
}

impl Default for CutConfig {
    fn default() -> Self {
        Self {
            pieces: true,
            shortest_s: 0.4,
            longest_s: 2.0,
            bpm: None,
            tempo_change: 0.05,
            whole_tempo_change: 0.1,
        }
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
    /// How long they last as a node, seconds.
    pub seconds: f64,
    /// How they fill that time.
    pub pace: Pace,
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
        within("tempo_change", self.tempo_change, 0.0, 0.5, "a fraction from 0 to 0.5")?;
        within("whole_tempo_change", self.whole_tempo_change, 0.0, 0.5, "a fraction from 0 to 0.5")
    }
}

/// The nodes of one clip, the whole first. A clip without frames of motion has none.
///
/// # Errors
/// When a setting is not usable or the caller stops.
pub fn cut_clip(clip: &Clip, config: &CutConfig, progress: Progress<'_>) -> Result<Vec<Cut>, NetworkError> {
    cut_between(clip, &mut || Flights::new(ClipFeet::find(clip).ok().as_ref(), clip), config, progress)
}

/// [`cut_clip`] of a clip whose flights are asked for where they are needed.
pub(super) fn cut_between(
    clip: &Clip,
    flights: &mut dyn FnMut() -> Flights,
    config: &CutConfig,
    progress: Progress<'_>,
) -> Result<Vec<Cut>, NetworkError> {
    config.check()?;
    let motion = clip.motion_frames();
    if motion.is_empty() {
        return Ok(Vec::new());
    }
    let beat_s = config.bpm.map(|bpm| 60.0 / bpm);
    let cut = |name: String, frames: Range<usize>, tempo_change: Option<f64>| {
        let captured_s = frames.len() as f64 / clip.fps();
        let (seconds, pace) = match beat_s {
            Some(beat_s) => {
                Pace::on_beat(captured_s, beat_s, tempo_change.unwrap_or(config.whole_tempo_change))
            }
            None => (captured_s, Pace::default()),
        };
        Cut { name, whole: tempo_change.is_none(), frames, seconds, pace }
    };
    let mut cuts = vec![cut(clip.name.clone(), motion, None)];
    if !config.pieces {
        return Ok(cuts);
    }
    let found = match segment(clip, &SegmentConfig::default(), progress) {
        Ok(found) => found,
        Err(SegmentError::Cancelled(stop)) => return Err(stop.into()),
        // Bodies that are not known and motions of two frames have no movements to be distinguished.
        Err(_) => return Ok(cuts),
    };
    let flights = flights();
    let pieces = match beat_s {
        None => {
            let mut pieces = by_movement(&found, clip.fps(), config);
            flights.leave_whole(&mut pieces, (config.shortest_s * clip.fps()).ceil() as usize);
            pieces
        }
        Some(beat_s) => {
            let beat = (beat_s * clip.fps(), clip.fps());
            by_beat(&found, &flights, clip.motion_frames(), beat, config)
        }
    };
    // One piece is as good as the whole, unless that waits for the beat.
    if pieces.len() > 1 || cuts[0].pace.held_s > 0.0 {
        let pieces = pieces.into_iter();
        cuts.extend(
            pieces.map(|(name, frames)| {
                cut(format!("{}/{name}", clip.name), frames, Some(config.tempo_change))
            }),
        );
    }
    Ok(cuts)
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

/// Pieces of whole beats, each ended where the body is slowest within what stretching can take, and in no flight; what
/// is left at the end is left out.
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
            let low = start + (whole * (1.0 - config.tempo_change)).ceil() as usize;
            let high = start + (whole * (1.0 + config.tempo_change)).floor() as usize;
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
