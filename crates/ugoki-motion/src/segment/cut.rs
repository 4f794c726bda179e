//! From bells to cuts and pieces.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::DVec3;
use serde::Serialize;
use ugoki_base::clip::Clip;
use ugoki_base::signal::{DespikeConfig, despike};
use ugoki_base::{Progress, report};

use super::groups::{REST, groups};
use super::speeds::{path, speeds};
use super::turns::{Part, parts};
use super::{Bell, BodyPoints, Group, Observer, SegmentConfig, SegmentError, SegmentMethod, find_bells};

/// How far a distance may fall back, as a share of its range, and still count as monotone.
const MONOTONE: f64 = 0.05;

/// What tells where in a piece one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// How far the group is from where it is in the piece's first frame.
    Distance,
    /// How far the group has travelled since then: always monotone.
    Path,
}

/// A simple movement, or a rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Suggested from the part that moves: `right-arm-1`, `rest-2`.
    pub name: String,
    /// First frame, counted from the clip's own frame 0.
    pub start: usize,
    /// Frame of greatest speed of the group; the middle of a rest.
    pub peak: usize,
    /// Frame after the last; the next piece's first.
    pub end: usize,
    /// The group that moves, as numbered by the segmentation; `None` for a rest.
    pub group: Option<usize>,
    /// Greatest speed of the group, metres per second; 0 for a rest.
    pub peak_m_s: f64,
    /// What tells where in the piece one is.
    pub objective: Objective,
}

/// A take cut into pieces that cover all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Segmentation {
    /// The rigid groups that were watched.
    pub groups: Vec<Group>,
    /// First frame of the motion: 1 after an added T-pose, else 0. Speeds and paths start there.
    pub first: usize,
    /// Speed of every group in every frame of the motion, metres per second.
    pub speeds: Vec<Vec<f64>>,
    /// Smoothed path of every group as seen from the hips; of travel over the ground, metres.
    pub paths: Vec<Vec<DVec3>>,
    /// All significant bells; frames are counted from the clip's own frame 0.
    pub bells: Vec<Bell>,
    /// The pieces in order, each ending where the next starts.
    pub pieces: Vec<Piece>,
}

impl Segmentation {
    /// Frames at which the take is cut: where a piece ends and the next starts.
    #[must_use]
    pub fn cuts(&self) -> Vec<usize> {
        self.pieces.iter().skip(1).map(|piece| piece.start).collect()
    }

    /// The objective of every frame of a piece, metres: how far the actor is in it. All 0 for a rest.
    #[must_use]
    pub fn index(&self, piece: &Piece) -> Vec<f32> {
        let Some(group) = piece.group else { return vec![0.0; piece.end - piece.start] };
        let path = &self.paths[group][piece.start - self.first..piece.end - self.first];
        let mut way = 0.0;
        let mut before = path[0];
        path.iter()
            .map(|&p| {
                way += p.distance(before);
                before = p;
                match piece.objective {
                    Objective::Distance => p.distance(path[0]) as f32,
                    Objective::Path => way as f32,
                }
            })
            .collect()
    }
}

/// Cuts a take into simple movements.
///
/// # Errors
/// When a setting is not usable, the body is unknown, the motion too short, or the caller stops.
pub fn segment(
    clip: &Clip,
    config: &SegmentConfig,
    progress: Progress<'_>,
) -> Result<Segmentation, SegmentError> {
    config.check()?;
    let observer = Observer::build(clip.skeleton())?;
    let frames = clip.motion_frames();
    if frames.len() < 3 {
        return Err(SegmentError::TooShort { frames: frames.len() });
    }
    let clean = despike(clip, &DespikeConfig::default(), &mut |share| progress(0.6 * share))?.clip;
    let points = BodyPoints::watch(&observer, &clean);
    report(progress, 0.8)?;
    let groups = groups(&observer, &config.groups)?;
    let fps = clip.fps();
    let speeds: Vec<Vec<f64>> = groups.iter().map(|g| speeds(&points, g, fps, config.smooth_s)).collect();
    let (mut bells, mut pieces) = match config.method {
        SegmentMethod::Turns => {
            let parts = parts(&clean, &observer, &groups, config);
            (Vec::new(), parts.into_iter().map(|part| moving_piece(part, &speeds)).collect())
        }
        SegmentMethod::Paper => pieces_of_bells(&speeds, fps, config),
    };
    let paths: Vec<Vec<DVec3>> = groups.iter().map(|g| path(&points, g, fps, config.smooth_s)).collect();
    for piece in &mut pieces {
        if let Some(group) = piece.group {
            piece.objective = objective(&paths[group][piece.start..piece.end]);
        }
    }
    // From here on frames are the clip's own.
    for bell in &mut bells {
        bell.start += frames.start;
        bell.peak += frames.start;
        bell.end += frames.start;
    }
    for piece in &mut pieces {
        piece.start += frames.start;
        piece.peak += frames.start;
        piece.end += frames.start;
    }
    name(&mut pieces, &groups);
    report(progress, 1.0)?;
    Ok(Segmentation { groups, first: frames.start, speeds, paths, bells, pieces })
}

/// A part with what moves in it most.
fn moving_piece(part: Part, speeds: &[Vec<f64>]) -> Piece {
    let Part { frames, is_rest } = part;
    let mut piece = Piece {
        name: String::new(),
        start: frames.start,
        peak: (frames.start + frames.end) / 2,
        end: frames.end,
        group: None,
        peak_m_s: 0.0,
        objective: Objective::Path,
    };
    if !is_rest {
        for (group, speeds) in speeds.iter().enumerate() {
            for frame in frames.clone() {
                if piece.group.is_none() || speeds[frame] > piece.peak_m_s {
                    (piece.group, piece.peak, piece.peak_m_s) = (Some(group), frame, speeds[frame]);
                }
            }
        }
    }
    piece
}

/// Significant bells of all groups, and the pieces that they make \[shibata2005, 3.2 and 3.3\].
fn pieces_of_bells(speeds: &[Vec<f64>], fps: f64, config: &SegmentConfig) -> (Vec<Bell>, Vec<Piece>) {
    let num_frames = speeds.first().map_or(0, Vec::len);
    let of_group = |group: usize| find_bells(&speeds[group], fps, group, config);
    let bells: Vec<Bell> = (0..speeds.len()).flat_map(of_group).collect();
    let merge = (config.merge_s * fps).round() as usize;
    let chosen = merged(fastest(&bells, num_frames, merge), num_frames, merge);
    let least = (config.duration_s * fps).round() as usize;
    let pieces = pieces(&chosen, num_frames, &|gap| gap.len() >= least, &|gap| slowest(speeds, gap));
    (bells, pieces)
}

/// The fastest bell, then the fastest of those wholly before it and after it, and so on; in time order.
fn fastest(bells: &[Bell], num_frames: usize, tolerance: usize) -> Vec<Bell> {
    let mut order: Vec<usize> = (0..bells.len()).collect();
    // Of equally fast bells the earlier, then the group listed first.
    order.sort_by(|&a, &b| {
        let by_speed = bells[b].peak_m_s.total_cmp(&bells[a].peak_m_s);
        by_speed.then(bells[a].start.cmp(&bells[b].start)).then(bells[a].group.cmp(&bells[b].group))
    });
    let mut chosen = Vec::new();
    let mut open = Vec::new();
    open.push(0..num_frames);
    while let Some(stretch) = open.pop() {
        // Wholly inside but for the tolerance, and still some frames long when trimmed to the stretch.
        let inside = |bell: &Bell| {
            let (start, end) = (bell.start.max(stretch.start), bell.end.min(stretch.end.saturating_sub(1)));
            let inside = bell.start + tolerance >= stretch.start && bell.end < stretch.end + tolerance;
            (inside && stretch.contains(&bell.peak) && end > start + 1).then_some(Bell {
                start,
                end,
                ..*bell
            })
        };
        let Some(bell) = order.iter().find_map(|&i| inside(&bells[i])) else { continue };
        open.push(stretch.start..bell.start);
        open.push(bell.end..stretch.end);
        chosen.push(bell);
    }
    chosen.sort_by_key(|bell| bell.start);
    chosen
}

/// Cuts close together become one at their mean, weighted by peaks; those close to an end of the take go there.
fn merged(mut bells: Vec<Bell>, num_frames: usize, merge: usize) -> Vec<Bell> {
    for i in 1..bells.len() {
        let (a, b) = (bells[i - 1], bells[i]);
        if b.start.abs_diff(a.end) <= merge {
            let (wa, wb) = (a.peak_m_s, b.peak_m_s);
            let at = (a.end as f64 * wa + b.start as f64 * wb) / (wa + wb);
            let at = (at.round() as usize).clamp(a.start + 1, b.end - 1);
            bells[i - 1].end = at;
            bells[i].start = at;
        }
    }
    if let Some(first) = bells.first_mut().filter(|bell| bell.start <= merge) {
        first.start = 0;
    }
    if let Some(last) = bells.last_mut().filter(|bell| bell.end + merge >= num_frames) {
        last.end = num_frames;
    }
    bells
}

/// The frame of a gap between movements in which all groups together are slowest.
fn slowest(speeds: &[Vec<f64>], gap: Range<usize>) -> usize {
    let sum = |frame: usize| speeds.iter().map(|group| group[frame]).sum::<f64>();
    gap.clone().min_by(|&a, &b| sum(a).total_cmp(&sum(b))).unwrap_or(gap.end)
}

/// Bells as pieces with the rests between them; a gap that is no rest is parted between its neighbours where `part` says, or
/// joins the one there is.
fn pieces(
    bells: &[Bell],
    num_frames: usize,
    rests: &dyn Fn(Range<usize>) -> bool,
    part: &dyn Fn(Range<usize>) -> usize,
) -> Vec<Piece> {
    let piece = |start, end, bell: Option<&Bell>| Piece {
        name: String::new(),
        start,
        peak: bell.map_or((start + end) / 2, |bell| bell.peak),
        end,
        group: bell.map(|bell| bell.group),
        peak_m_s: bell.map_or(0.0, |bell| bell.peak_m_s),
        objective: Objective::Path,
    };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = 0;
    for bell in bells {
        let mut start = bell.start;
        if bell.start > at {
            match pieces.last_mut() {
                Some(before) if !rests(at..bell.start) => {
                    start = part(at..bell.start + 1);
                    before.end = start;
                }
                None if !rests(at..bell.start) => start = 0,
                _ => pieces.push(piece(at, bell.start, None)),
            }
        }
        pieces.push(piece(start, bell.end, Some(bell)));
        at = bell.end;
    }
    if at < num_frames {
        match pieces.last_mut() {
            Some(before) if !rests(at..num_frames) => before.end = num_frames,
            _ => pieces.push(piece(at, num_frames, None)),
        }
    }
    pieces
}

/// Distance from the first place where that only grows (or falls back by little), else the way travelled.
fn objective(path: &[DVec3]) -> Objective {
    let Some(&first) = path.first() else { return Objective::Path };
    let distances = path.iter().map(|p| p.distance(first));
    let (mut highest, mut fall) = (0.0_f64, 0.0_f64);
    for distance in distances {
        highest = highest.max(distance);
        fall = fall.max(highest - distance);
    }
    if highest > 0.0 && fall <= MONOTONE * highest { Objective::Distance } else { Objective::Path }
}

fn name(pieces: &mut [Piece], groups: &[Group]) {
    let mut counts = BTreeMap::new();
    for piece in pieces {
        let part = piece.group.map_or(REST, |group| groups[group].part.as_str());
        let count: &mut usize = counts.entry(part).or_default();
        *count += 1;
        piece.name = format!("{part}-{count}");
    }
}
