//! A performance as it would be had every bone turned less far from where it was at first: the same kick, lower.
//!
//! Points hang from each other as limbs do. A bone's direction goes a fraction of the way, along the great circle, from
//! its direction in the first pose to that of the moment; so thigh and shin of a kick that is half as high are both
//! turned by half, and the foot is where a performer with such a kick has it, which is not halfway in space.

use glam::{Quat, Vec3};
use ugoki_base::skeleton::Role;
use ugoki_motion::segment::limb_above;

use super::Strand;
use super::model::LOOK_BACK_S;

/// Shorter bones, leg lengths, have no direction.
const NO_BONE: f32 = 0.01;

/// How much smaller than it was shown or imitated a motion may be performed: steps of a square root of two, down to
/// half.
pub(super) const REDUCED_SIZES: [f32; 2] = [0.7, 0.5];
/// What it costs to take a motion for one that is done smaller, mean leg lengths per point: what sensors are off by, so
/// that of two that fit alike the whole one is meant.
pub(super) const LESS: f32 = 0.004;

/// Frames of points done by `fraction` about the pose `neutral`.
pub(super) fn smaller_frames(frames: &[Vec3], neutral: &[Vec3], roles: &[Role], fraction: f32) -> Vec<Vec3> {
    let above = above(roles);
    let one =
        |now: &[Vec3]| (0..now.len()).map(|point| place(&above, neutral, now, point, fraction)).collect();
    frames.chunks_exact(roles.len().max(1)).flat_map::<Vec<Vec3>, _>(one).collect()
}

/// For every point the one that it hangs from; none for those that hang from the hips.
fn above(roles: &[Role]) -> Vec<Option<usize>> {
    let one = |role: &Role| {
        let up = limb_above(*role)?;
        roles.iter().position(|other| *other == up)
    };
    roles.iter().map(one).collect()
}

/// The strand done by `fraction`, 0 to 1, about its first pose: places, and the velocities that they have then.
pub(super) fn smaller(strand: &Strand, roles: &[Role], fraction: f32) -> Strand {
    let n = roles.len();
    let Some(first) = strand.seen.iter().position(|seen| *seen) else { return strand.clone() };
    let above = above(roles);
    let neutral = &strand.points[first * n..(first + 1) * n];
    let mut out = Strand { seen: strand.seen.clone(), points: Vec::new(), rates: Vec::new() };
    for moment in 0..strand.seen.len() {
        let own = moment * n..(moment + 1) * n;
        let now = &strand.points[own.clone()];
        let before: Vec<Vec3> =
            now.iter().zip(&strand.rates[own]).map(|(p, rate)| *p - *rate * LOOK_BACK_S as f32).collect();
        for point in 0..n {
            let place = place(&above, neutral, now, point, fraction);
            let then = self::place(&above, neutral, &before, point, fraction);
            out.points.push(place);
            out.rates.push((place - then) / LOOK_BACK_S as f32);
        }
    }
    out
}

/// Where a point is when every bone from the hips to it is turned by `fraction` of its way.
fn place(above: &[Option<usize>], neutral: &[Vec3], now: &[Vec3], point: usize, fraction: f32) -> Vec3 {
    let (mut place, mut at) = (Vec3::ZERO, Some(point));
    while let Some(end) = at {
        at = above[end];
        let bone = |points: &[Vec3]| points[end] - at.map_or(Vec3::ZERO, |start| points[start]);
        place += turned(bone(neutral), bone(now), fraction);
    }
    place
}

fn turned(from: Vec3, to: Vec3, fraction: f32) -> Vec3 {
    let (short, long) = (from.length(), to.length());
    if !(short > NO_BONE && long > NO_BONE) {
        return from.lerp(to, fraction);
    }
    let way = Quat::IDENTITY.slerp(Quat::from_rotation_arc(from / short, to / long), fraction);
    way * (from / short) * (short + fraction * (long - short))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A leg that swings forward about the hip, its knee bending, for two moments after standing.
    fn swing() -> (Vec<Role>, Strand) {
        let roles = vec![Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot];
        let leg = |hip: f32, knee: f32| {
            let down = |angle: f32| Quat::from_rotation_x(-angle) * Vec3::NEG_Y;
            let hip_at = Vec3::new(0.1, 0.0, 0.0);
            let knee_at = hip_at + 0.5 * down(hip);
            [hip_at, knee_at, knee_at + 0.5 * down(hip - knee)]
        };
        let points: Vec<Vec3> = [leg(0.0, 0.0), leg(0.6, 0.9), leg(1.2, 0.2)].concat();
        let rates = vec![Vec3::ZERO; points.len()];
        (roles, Strand { seen: vec![true; 3], points, rates })
    }

    #[test]
    fn a_leg_by_half_is_the_leg_of_half_the_angles() {
        let (roles, strand) = swing();
        let half = smaller(&strand, &roles, 0.5);
        let down = |angle: f32| Quat::from_rotation_x(-angle) * Vec3::NEG_Y;
        let knee = Vec3::new(0.1, 0.0, 0.0) + 0.5 * down(0.6);
        assert!(half.points[7].distance(knee) < 1e-5);
        assert!(half.points[8].distance(knee + 0.5 * down(0.5)) < 1e-5);
    }

    #[test]
    fn the_whole_is_the_strand_itself_and_nothing_is_its_first_pose() {
        let (roles, strand) = swing();
        let near = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).all(|(a, b)| a.distance(*b) < 1e-5);
        assert!(near(&smaller(&strand, &roles, 1.0).points, &strand.points));
        let none = smaller(&strand, &roles, 0.0);
        assert!(none.points.chunks(3).all(|moment| near(moment, &strand.points[..3])));
    }
}
