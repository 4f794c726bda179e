//! The rigid move over the ground from one repeat of a cycle to the next.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::pose::forward_kinematics;

use crate::edit::GroundFrame;
use crate::edit::join::{Footholds, STAIR_M, sample, turn_between};

/// Travel of a cycle under which it stays where it is, metres for a leg of 0.85 m: less than a step.
const TRAVEL_M: f64 = 0.15;
/// Turn of a cycle up to which it is straight, degrees: the scatter of headings between strides.
pub(super) const STRAIGHT_DEG: f64 = 10.0;

/// The move from one repeat to the next: where the body goes in a cycle, or nothing in the respects in which it stays.
pub(super) fn offset(clip: &Clip, stands: &Footholds, frames: &Range<usize>) -> GroundFrame {
    let skeleton = clip.skeleton();
    let model = |at: isize| forward_kinematics(skeleton, &sample(clip, at));
    let (start, end) = (frames.start as isize, frames.end as isize);
    let (a, b) = ([model(end - 1), model(end)], [model(start - 1), model(start)]);
    let turn = turn_between(skeleton, &a, &b);
    let yaw = if f64::from(turn.abs().to_degrees()) < STRAIGHT_DEG { 0.0 } else { turn };
    let mut offset = stands.meeting(stands, yaw, &a, &b, [frames.end - 1, frames.start], false);
    offset.shift.y = match (stands.ground(frames.end - 1), stands.ground(frames.start)) {
        (Some(there), Some(here)) if (there - here).abs() > STAIR_M * stands.scale() => (there - here) as f32,
        _ => 0.0,
    };
    // Where the body itself goes; a turn is about it, not about the origin.
    let body = b[1].positions[0];
    let travel = offset.point(body) - body;
    if yaw == 0.0 && f64::from(travel.length()) < TRAVEL_M * stands.scale() {
        return GroundFrame::HERE;
    }
    offset
}
