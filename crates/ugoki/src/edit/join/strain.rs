//! What a splice asks of legs about its seams, against what its clips ever ask of them.

use super::Spliced;
use crate::clip::Clip;
use crate::contact::{Feet, find_feet};
use crate::edit::walk::{Effort, Trace};
use crate::skeleton::Role;

/// Time about a seam that is looked at, seconds to either side, besides half its window.
const BESIDE_S: f64 = 0.2;
/// How much faster than ever in the clips a knee may bend before it shows; as in walks.
const FASTER: f32 = 1.3;
/// Legs nearer than this pass through each other to the eye, metres between their middle lines for a leg of 0.85 m, unless the clips' own
/// do; as in walks.
const NEAR_M: f32 = 0.04;

/// 1 and less: as in the clips. Above that, how many times too fast a knee bends at the worst seam, or 1 and the share of the distance
/// that legs lack.
pub(super) fn strain(done: &Spliced, clips: &[&Clip]) -> f64 {
    let Ok(feet) = find_feet(done.clip.skeleton()) else { return 0.0 };
    if done.seams.is_empty() {
        return 0.0;
    }
    let own = clips.iter().map(|clip| traced(clip, &feet).whole(clip.fps())).reduce(Effort::or);
    let own = own.unwrap_or(Effort::NONE);
    let trace = traced(&done.clip, &feet);
    let fps = done.clip.fps();
    let beside = ((0.5 * done.blend_s + BESIDE_S) * fps).round() as usize;
    let near = (NEAR_M * feet.scale() as f32).min(own.nears.0);
    let at = |frame: usize| {
        let effort = trace.effort(frame.saturating_sub(beside)..frame + beside, fps);
        let bends = effort.bends.0 / (FASTER * own.bends.0).max(1e-6);
        let lacks = ((near - effort.nears.0) / near.max(1e-6)).max(0.0);
        f64::from(bends.max(if lacks > 0.0 { 1.0 + lacks } else { 0.0 }))
    };
    done.seams.iter().map(|seam| at(seam.frame)).fold(0.0, f64::max)
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
