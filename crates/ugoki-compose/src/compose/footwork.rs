//! Foot motion of a performance compared with that of its clips.
//!
//! Contacts that are looked for in the motion itself are blind: a foot that slides is no contact any more. So the
//! clips' own labels are carried along, frame by frame, and the clips' own speeds are compared with the motion's.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::Vec3;
use serde::Serialize;
use ugoki_feet::contact::find_feet;

use super::Rendered;
use super::source::{Source, Steps, feet_of};

/// A foot is down while ankle and toe are less than this over where they stand, metres for a leg of 0.85 m.
const DOWN_M: f64 = 0.025;
/// A foot that is down and faster than this glides, m/s for a leg of 0.85 m: twice what feet skate in captures in the
/// mean.
const GLIDES_M_S: f64 = 0.05;
/// Frames that may interrupt a glide without ending it.
const PAUSE: usize = 2;

/// What plays in the stepping layer in one frame of a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Played {
    /// The clip.
    pub clip: usize,
    /// Its frame, and parts of one.
    pub frame: f64,
    /// How much higher than captured it was put, metres.
    pub rise_m: f32,
    /// Which run without seams it belongs to.
    pub run: usize,
}

/// Feet of a motion and of its clips, the motion's first.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Footwork {
    /// Mean speed over the ground of heels and toes while they stand in the clips and are down in the motion, m/s.
    pub skate_m_s: [f64; 2],
    /// The same about seams only.
    pub skate_at_seams_m_s: [f64; 2],
    /// Way that feet glide flat, metres.
    pub glide_m: [f64; 2],
    /// The longest glide, less what the clips do in the same frames, metres.
    pub worst_m: f64,
    /// When it begins, seconds.
    pub worst_s: f64,
}

/// A glide: which foot, which frames, how far beyond what the clips do.
#[derive(Debug, Clone, PartialEq)]
pub struct Glide {
    /// 0 left, 1 right.
    pub side: usize,
    /// Frames of the motion.
    pub frames: Range<usize>,
    /// Way less the clips' own, metres.
    pub way_m: f64,
}

/// One step from a frame to the next, of one foot.
#[derive(Clone, Copy, Default)]
struct Step {
    /// Speed of ankle and toe over the ground in the motion, and in the clip where it goes on, m/s.
    speeds: [f64; 2],
    own: Option<[f64; 2]>,
    /// Whether ankle and toe stand in the clips, in both frames.
    stands: [bool; 2],
    /// Whether the foot is down, in both frames, in the motion and in the clip.
    down: bool,
    own_down: bool,
}

impl Step {
    /// Speed of a foot that glides, or 0: its slower point, as a foot may turn on the other.
    fn glides(speeds: [f64; 2], down: bool, scale: f64) -> f64 {
        let v = speeds[0].min(speeds[1]);
        if down && v > GLIDES_M_S * scale { v } else { 0.0 }
    }
}

/// Measures the feet of a motion; `None` without legs.
#[must_use]
pub fn footwork(motion: &Rendered, sources: &BTreeMap<usize, Source>, spread: usize) -> Option<Footwork> {
    let scale = find_feet(motion.clip.skeleton()).ok()?.scale();
    let fps = motion.clip.fps();
    let steps = steps(motion, sources, scale)?;
    let changes: Vec<usize> =
        (1..motion.played.len()).filter(|&f| motion.played[f].run != motion.played[f - 1].run).collect();
    let near = |frame: usize| changes.iter().any(|&at| frame + spread >= at && frame < at + spread);
    // Sum and number: in the motion, in the clips; everywhere, about seams.
    let mut sums = [[(0.0, 0usize); 2]; 2];
    let mut glide_m = [0.0; 2];
    for (frame, step) in steps.iter().flat_map(|side| side.iter().enumerate()) {
        for point in (0..2).filter(|&point| step.stands[point] && step.down) {
            let places = if near(frame) { 2 } else { 1 };
            for [now, own] in sums.iter_mut().take(places) {
                *now = (now.0 + step.speeds[point], now.1 + 1);
                if let Some(speeds) = step.own {
                    *own = (own.0 + speeds[point], own.1 + 1);
                }
            }
        }
        glide_m[0] += Step::glides(step.speeds, step.down, scale) / fps;
        glide_m[1] += step.own.map_or(0.0, |own| Step::glides(own, step.own_down, scale)) / fps;
    }
    let [all, seams] =
        sums.map(|sums| sums.map(|(sum, count)| if count == 0 { 0.0 } else { sum / count as f64 }));
    let worst = glides_in(&steps, fps, scale).into_iter().max_by(|a, b| a.way_m.total_cmp(&b.way_m));
    Some(Footwork {
        skate_m_s: all,
        skate_at_seams_m_s: seams,
        glide_m,
        worst_m: worst.as_ref().map_or(0.0, |glide| glide.way_m),
        worst_s: worst.map_or(0.0, |glide| glide.frames.start as f64 / fps),
    })
}

/// Every glide of a motion that its clips do not do, in order of time.
#[must_use]
pub fn glides(motion: &Rendered, sources: &BTreeMap<usize, Source>) -> Vec<Glide> {
    let Ok(feet) = find_feet(motion.clip.skeleton()) else { return Vec::new() };
    steps(motion, sources, feet.scale())
        .map_or(Vec::new(), |steps| glides_in(&steps, motion.clip.fps(), feet.scale()))
}

fn glides_in(steps: &[Vec<Step>; 2], fps: f64, scale: f64) -> Vec<Glide> {
    let mut out: Vec<Glide> = Vec::new();
    for (side, steps) in steps.iter().enumerate() {
        let mut open: Option<Glide> = None;
        for (frame, step) in steps.iter().enumerate() {
            let v = Step::glides(step.speeds, step.down, scale);
            if v > 0.0 {
                let own = step.own.map_or(0.0, |own| Step::glides(own, step.own_down, scale));
                let glide = open.get_or_insert(Glide { side, frames: frame..frame, way_m: 0.0 });
                glide.way_m += (v - own) / fps;
                glide.frames.end = frame + 1;
            } else if open.as_ref().is_some_and(|glide| frame > glide.frames.end + PAUSE) {
                out.extend(open.take());
            }
        }
        out.extend(open);
    }
    out.retain(|glide| glide.way_m > 0.0);
    out.sort_by_key(|glide| (glide.frames.start, glide.side));
    out
}

/// What every foot does from each frame to the next.
fn steps(motion: &Rendered, sources: &BTreeMap<usize, Source>, scale: f64) -> Option<[Vec<Step>; 2]> {
    let fps = motion.clip.fps();
    let now = feet_of(&motion.clip)?;
    let of = |played: &Played| sources.get(&played.clip).and_then(|source| source.steps.as_ref());
    if !motion.played.iter().all(|played| of(played).is_some()) {
        return None;
    }
    let last = now[0].len().min(motion.played.len()).saturating_sub(1);
    Some([0, 1].map(|side| {
        let frame_of = |frame: usize| {
            let played = &motion.played[frame];
            let own = of(played).expect("looked at above");
            (own, played, Own::at(own, side, played.frame))
        };
        (0..last)
            .map(|frame| {
                let ((a, pa, from), (b, pb, to)) = (frame_of(frame), frame_of(frame + 1));
                let down = |own: &Own, points: &[Vec3; 2], rise: f32| {
                    (0..2).all(|k| f64::from(points[k].y - own.levels[k] - rise) < DOWN_M * scale)
                };
                let speed = |p: Vec3, q: Vec3| f64::from((q - p).with_y(0.0).length()) * fps;
                let stand = |steps: &Steps, played: &Played, point: usize| {
                    let foot = &steps.contacts.feet[side];
                    let list = if point == 0 { &foot.heel } else { &foot.toe };
                    list.iter().any(|range| range.contains(&(played.frame.round() as usize)))
                };
                let (p, q) = (now[side][frame], now[side][frame + 1]);
                Step {
                    speeds: [0, 1].map(|k| speed(p[k], q[k])),
                    own: (pa.run == pb.run).then(|| [0, 1].map(|k| speed(from.points[k], to.points[k]))),
                    stands: [0, 1].map(|k| stand(a, pa, k) && stand(b, pb, k)),
                    down: down(&from, &p, pa.rise_m) && down(&to, &q, pb.rise_m),
                    own_down: down(&from, &from.points, 0.0) && down(&to, &to.points, 0.0),
                }
            })
            .collect()
    }))
}

/// A foot of a clip between two frames.
struct Own {
    points: [Vec3; 2],
    levels: [f32; 2],
}

impl Own {
    fn at(steps: &Steps, side: usize, frame: f64) -> Self {
        let points = &steps.points[side];
        let last = points.len() - 1;
        let at = (frame.max(0.0) as usize).min(last);
        let part = (frame - at as f64).clamp(0.0, 1.0) as f32;
        let next = (at + 1).min(last);
        let near = (frame.round().max(0.0) as usize).min(last);
        Self {
            points: [0, 1].map(|k| points[at][k].lerp(points[next][k], part)),
            levels: steps.levels[side][near],
        }
    }
}
