//! Hinges: knees and elbows stay within what hinges can do when their motion is made larger.
//!
//! A gain above 1 would push a nearly straight knee past straight, where no leg can be solved for its foot. So a hinge
//! straightens no farther than it does in the source, and bends no farther than that or than flesh allows; what goes
//! beyond is taken up smoothly, and where nothing was changed nothing is.

use glam::{DQuat, DVec3};

use crate::clip::Clip;
use crate::math::{log64, quantile};
use crate::skeleton::Role;

/// Joints with one axis.
const HINGES: [Role; 4] = [Role::LeftLowerLeg, Role::RightLowerLeg, Role::LeftLowerArm, Role::RightLowerArm];
/// How far knees and elbows bend at most, radians: 150°, thigh on calf and forearm on upper arm.
const MOST: f64 = 2.618;
/// Fraction of frames that may be straighter than what counts as the straightest: glitches.
const GLITCHES: f64 = 0.01;
/// A joint whose turns are smaller than this all the time does not tell its axis, radians.
const TELLING: f64 = 0.02;

/// Brings knees and elbows of `changed` back between the straightest and the most bent that `source` or a body knows.
///
/// # Panics
/// When the clips differ in skeleton or length.
pub fn keep_hinges(source: &Clip, changed: &mut Clip) {
    assert!(source.skeleton() == changed.skeleton() && source.num_frames() == changed.num_frames());
    let joints = HINGES.iter().filter_map(|&role| source.skeleton().find(role));
    for joint in joints {
        let motion = source.motion_frames();
        let turns: Vec<DVec3> =
            motion.clone().map(|frame| log64(source.rotation(joint, frame).as_dquat().normalize())).collect();
        let Some(axis) = principal(&turns) else { continue };
        let angles: Vec<f64> =
            motion.clone().map(|f| about(source.rotation(joint, f).as_dquat(), axis)).collect();
        let straightest = quantile(&angles, GLITCHES).unwrap_or(0.0);
        let most = quantile(&angles, 1.0 - GLITCHES).unwrap_or(0.0).max(MOST);
        for (frame, was) in motion.zip(angles) {
            let q = changed.rotation(joint, frame).as_dquat();
            let more = wrapped(about(q, axis) - was);
            let room = if more < 0.0 { was - straightest } else { most - was };
            let back = more.signum() * within(more.abs(), room.max(0.0)) - more;
            if back != 0.0 {
                changed.set_rotation(
                    joint,
                    frame,
                    (q * DQuat::from_axis_angle(axis, back)).normalize().as_quat(),
                );
            }
        }
    }
    changed.align_signs();
}

/// The axis most of the turns are about, along the mean of them; nothing when there are hardly any.
fn principal(turns: &[DVec3]) -> Option<DVec3> {
    let largest = turns.iter().copied().max_by(|a, b| a.length().total_cmp(&b.length()))?;
    if largest.length() < TELLING {
        return None;
    }
    let mut axis = largest.normalize();
    // Power iteration on Σ v·vᵀ; hinges turn about one axis, so few rounds do.
    for _ in 0..16 {
        let next: DVec3 = turns.iter().map(|v| *v * v.dot(axis)).sum();
        axis = next.try_normalize()?;
    }
    let mean: DVec3 = turns.iter().copied().sum();
    Some(if mean.dot(axis) < 0.0 { -axis } else { axis })
}

/// How far a rotation turns about `axis`, radians.
fn about(q: DQuat, axis: DVec3) -> f64 {
    wrapped(2.0 * q.xyz().dot(axis).atan2(q.w))
}

fn wrapped(angle: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    angle - turn * (angle / turn).round()
}

/// `wanted` as long as it is well within `room`, never more than it, smoothly in between.
fn within(wanted: f64, room: f64) -> f64 {
    if room <= 0.0 {
        return 0.0;
    }
    let u = wanted / room;
    // For small u this is u to the last bit.
    wanted / (1.0 + u.powi(4)).powf(0.25)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_more_than_the_room_and_little_stays_as_it_is(wanted in 0.0..10.0_f64, room in 0.0..3.0_f64) {
            let given = within(wanted, room);
            prop_assert!(given <= room.min(wanted) + 1e-12);
            prop_assert!(wanted > 0.3 * room || (given - wanted).abs() < 0.003 * room);
        }
    }
}
