//! What a result asks of legs, against what the captures that it was made of ever ask of them.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_feet::contact::{Feet, find_feet};

use super::foot_plan::RETURN_S;
use crate::edit::walk::{Effort, Trace};

/// How much faster than ever in the captures a knee may bend before it shows; as in walks.
const FASTER: f32 = 1.3;
/// What no one sees, radians per second: 150°/s, or 1.2° from one frame at 120 Hz to the next.
const CALM_RAD_S: f32 = 2.6;
/// Legs nearer than this pass through each other to the eye, metres between their middle lines for a leg of 0.85 m, unless the captures'
/// own do; as in walks.
const NEAR_M: f32 = 0.04;

/// What the captures ask of legs.
#[derive(Clone)]
pub(in crate::edit) struct LegLimits {
    /// Fastest bending of a knee that does not show, radians per second.
    bends: f32,
    /// Nearest that legs may come, metres.
    nears: f32,
}

impl LegLimits {
    /// Of motions as they were captured, each on a body of its own, seen at the size of the body with these `feet`.
    pub(in crate::edit) fn of(captured: &[&Clip], feet: &Feet) -> Self {
        let mut own = Effort::NONE;
        for clip in captured {
            let Ok(theirs) = find_feet(clip.skeleton()) else { continue };
            let mut effort = traced(clip, &theirs).whole(clip.fps());
            effort.nears.0 *= (feet.scale() / theirs.scale()) as f32;
            own = own.or(effort);
        }
        Self {
            bends: (FASTER * own.bends.0).max(CALM_RAD_S),
            nears: (NEAR_M * feet.scale() as f32).min(own.nears.0),
        }
    }

    /// Frames in which what legs do is a seam's doing, for a window of `half` frames to either side.
    pub(in crate::edit) fn about(seam: usize, half: usize, fps: f64) -> Range<usize> {
        let near = half + (RETURN_S * fps).round() as usize;
        seam.saturating_sub(near)..seam + near
    }

    /// How much of that each range of frames asks for: 1 and less as the captures do. Above that, how many times too fast a knee bends, or 1 and
    /// the part of the distance that legs lack.
    pub(in crate::edit) fn strains(&self, clip: &Clip, feet: &Feet, ranges: &[Range<usize>]) -> Vec<f64> {
        let trace = traced(clip, feet);
        let at = |frames: &Range<usize>| {
            let effort = trace.effort(frames.clone(), clip.fps());
            let bends = effort.bends.0 / self.bends;
            let lacks = ((self.nears - effort.nears.0) / self.nears.max(1e-6)).max(0.0);
            f64::from(bends.max(if lacks > 0.0 { 1.0 + lacks } else { 0.0 }))
        };
        ranges.iter().map(at).collect()
    }
}

fn traced<'a>(clip: &Clip, feet: &'a Feet) -> Trace<'a> {
    let hips = clip.skeleton().find(Role::Hips).unwrap_or(0);
    let rest = clip.skeleton().rest_positions();
    let leg_m = feet.feet.each_ref().map(|foot| {
        rest[foot.upper].distance(rest[foot.lower]) + rest[foot.lower].distance(rest[foot.ankle])
    });
    let mut trace = Trace::new(feet, hips, leg_m, None);
    clip.motion_frames().for_each(|frame| trace.see(&clip.model_pose(frame)));
    trace
}
