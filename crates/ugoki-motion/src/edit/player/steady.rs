//! A body that yields where holding a foot would jerk its knee.
//!
//! A tracker's slip moves a whole body, its standing feet too, for a frame or two. Feet that are then held leave it all to the knees: hips
//! that jump by 8 cm and back (CMU 16_17) bent a knee by 19° in one frame that does 7° in the capture. Where the knee of a standing leg
//! jerks more than the captured one about that moment, the body is moved along the leg so that it does not; feet that stand stay where
//! they are.

use glam::Vec3;

use super::speed_limits::knee_bend as bend;

/// One leg in every frame: hip joint and ankle as they are now, the line from the ankle to the hip joint as captured, whether the foot is
/// held.
#[derive(Debug, Clone)]
pub(super) struct HeldLeg {
    pub(super) upper: Vec<Vec3>,
    pub(super) ankle: Vec<Vec3>,
    pub(super) captured: Vec<Vec3>,
    pub(super) held: Vec<bool>,
    /// Thigh and shin, metres.
    pub(super) bones: [f32; 2],
}

/// Width of the Gaussian that a jerk is measured against, seconds: steps last ten times as long, slips a third of it.
const SMOOTH_S: f64 = 0.03;
/// Time about a moment in which a captured knee's own jerks excuse it, seconds.
const ABOUT_S: f64 = 0.05;
/// Jerks that are accepted, radians: half a degree, as knees of captures tremble.
const ROOM: f32 = 0.009;
/// Rounds: what is smoothed is jerky at first itself.
const ROUNDS: usize = 3;
/// How much more suddenly than before a body may be moved, metres: what a tracker's noise does.
const BODY_ROOM_M: f32 = 0.001;
/// How much moving the body along the legs costs against what is left of a jerk.
const SOFT: f32 = 0.5;

/// How far the body goes in every frame, metres.
pub(super) fn steady_hips(legs: &[HeldLeg; 2], fps: f64) -> Vec<Vec3> {
    let count = legs[0].upper.len();
    let mut by = vec![Vec3::ZERO; count];
    let own = legs.each_ref().map(|leg| {
        let bends: Vec<f32> = leg.captured.iter().map(|line| bend(line.length(), leg.bones)).collect();
        let jerks = high_pass(&bends, fps);
        let about = (ABOUT_S * fps).round() as usize;
        let near = |frame: usize| &jerks[frame.saturating_sub(about)..(frame + about + 1).min(count)];
        (0..count)
            .map(|frame| near(frame).iter().fold(0.0_f32, |most, jerk| most.max(jerk.abs())))
            .collect::<Vec<_>>()
    });
    for _ in 0..ROUNDS {
        let pulls = [0, 1].map(|side: usize| {
            let leg = &legs[side];
            let lines: Vec<Vec3> =
                (0..count).map(|frame| leg.upper[frame] + by[frame] - leg.ankle[frame]).collect();
            let bends: Vec<f32> = lines.iter().map(|line| bend(line.length(), leg.bones)).collect();
            // What the legs were moved by against the capture, and how suddenly.
            let moved: Vec<Vec3> = lines.iter().zip(&leg.captured).map(|(now, was)| *now - *was).collect();
            let (slips, jerks) = (high_pass(&moved, fps), high_pass(&bends, fps));
            (0..count)
                .map(|frame| {
                    let over = (jerks[frame].abs() - own[side][frame] - ROOM).max(0.0).copysign(jerks[frame]);
                    let wanted = length((bends[frame] - over).max(0.0), leg.bones);
                    let lacks = if over == 0.0 { 0.0 } else { wanted - lines[frame].length() };
                    Pull { along: lines[frame].normalize_or_zero(), lacks, slip: slips[frame] }
                })
                .collect::<Vec<_>>()
        });
        for frame in 0..count {
            let held = [0, 1].map(|side: usize| legs[side].held[frame].then(|| pulls[side][frame]));
            by[frame] -= correction(held);
        }
        limit_jerk(&legs[0].upper, &mut by, fps);
    }
    by
}

/// Takes moves back where they jerk the body itself more than it jerks about that moment anyway: a knee's twitch is the lesser evil.
fn limit_jerk(body: &[Vec3], by: &mut [Vec3], fps: f64) {
    let about = (ABOUT_S * fps).round() as usize;
    let own = high_pass(body, fps);
    let moved: Vec<Vec3> = body.iter().zip(&*by).map(|(at, by)| *at + *by).collect();
    let jerks = high_pass(&moved, fps);
    for frame in 0..by.len() {
        let near = &own[frame.saturating_sub(about)..(frame + about + 1).min(own.len())];
        let most = near.iter().fold(0.0_f32, |most, jerk| most.max(jerk.length())) + BODY_ROOM_M;
        by[frame] *= (most / jerks[frame].length().max(1e-9)).min(1.0);
    }
}

/// What a held leg asks for in a frame: so much more length along it, metres; and how far it slipped against the frames about it.
#[derive(Debug, Clone, Copy)]
struct Pull {
    along: Vec3,
    lacks: f32,
    slip: Vec3,
}

/// The part of the held legs' mean slip that gives them their lengths best, and what is left along them, as a move.
fn correction(held: [Option<Pull>; 2]) -> Vec3 {
    let pulls = || held.iter().flatten();
    if pulls().all(|pull| pull.lacks == 0.0) {
        return Vec3::ZERO;
    }
    let slip = pulls().map(|pull| pull.slip).sum::<Vec3>() / pulls().count() as f32;
    let (mut wanted, mut given) = (0.0, 1e-12);
    for pull in pulls() {
        let gives = -pull.along.dot(slip);
        wanted += gives * pull.lacks;
        given += gives * gives;
    }
    let back = slip * (wanted / given).clamp(0.0, 1.0);
    // What a slip of the whole body does not explain is taken along the legs: least squares, and rather half than far.
    let rows = held
        .map(|pull| pull.map_or((Vec3::ZERO, 0.0), |pull| (pull.along, -pull.lacks - pull.along.dot(back))));
    let [(a, far), (b, further)] = rows;
    let (aa, ab, bb) = (a.length_squared() + SOFT, a.dot(b), b.length_squared() + SOFT);
    let det = aa * bb - ab * ab;
    back + a * ((far * bb - further * ab) / det) + b * ((further * aa - far * ab) / det)
}

/// Distance between the ends of bones of these lengths whose knee is bent so far, metres: the inverse of [`bend`].
fn length(bend: f32, [thigh, shin]: [f32; 2]) -> f32 {
    (thigh * thigh + shin * shin + 2.0 * thigh * shin * bend.cos()).max(0.0).sqrt()
}

/// What is left of a curve without its Gaussian mean.
fn high_pass<T>(curve: &[T], fps: f64) -> Vec<T>
where
    T: Copy + std::ops::Mul<f32, Output = T> + std::ops::Add<Output = T> + std::ops::Sub<Output = T>,
{
    let width = SMOOTH_S * fps;
    let reach = (3.0 * width).ceil() as i64;
    let weights: Vec<f32> = (0..=reach).map(|k| (-0.5 * (k as f64 / width).powi(2)).exp() as f32).collect();
    let sum = weights[0] + 2.0 * weights[1..].iter().sum::<f32>();
    let last = curve.len() as i64 - 1;
    (0..=last)
        .map(|frame| {
            let at = |k: i64| curve[(frame + k).clamp(0, last) as usize];
            let near = (1..=reach).zip(&weights[1..]);
            let mean = near.fold(at(0) * weights[0], |sum, (k, &weight)| sum + (at(k) + at(-k)) * weight);
            at(0) - mean * (1.0 / sum)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body that walks over a standing foot and slips for two frames.
    fn slipping(slip: Vec3) -> [HeldLeg; 2] {
        let bones = [0.42, 0.43];
        let hip = |frame: usize| Vec3::new(0.0, 0.8, 0.004 * (frame as f32 - 30.0));
        let slips = |frame: usize| if (30..32).contains(&frame) { slip } else { Vec3::ZERO };
        let leg = HeldLeg {
            upper: (0..60).map(|frame| hip(frame) + slips(frame)).collect(),
            ankle: vec![Vec3::ZERO; 60],
            captured: (0..60).map(hip).collect(),
            held: vec![true; 60],
            bones,
        };
        let mut other = leg.clone();
        other.held = vec![false; 60];
        [leg, other]
    }

    fn fastest(leg: &HeldLeg, by: &[Vec3]) -> f32 {
        let bends: Vec<f32> =
            (0..60).map(|f| bend((leg.upper[f] + by[f] - leg.ankle[f]).length(), leg.bones)).collect();
        bends.windows(2).map(|pair| (pair[1] - pair[0]).abs().to_degrees() * 120.0).fold(0.0, f32::max)
    }

    #[test]
    fn a_slip_does_not_bend_the_knee_and_what_is_steady_stays() {
        let legs = slipping(Vec3::new(0.0, -0.03, 0.02));
        let by = steady_hips(&legs, 120.0);
        let (before, after) = (fastest(&legs[0], &[Vec3::ZERO; 60]), fastest(&legs[0], &by));
        assert!(before > 1000.0 && after < 0.25 * before, "{before} {after}");
        // Far from the slip nothing is moved, and nothing without one.
        assert!(by[..15].iter().chain(&by[46..]).all(|by| *by == Vec3::ZERO));
        assert!(steady_hips(&slipping(Vec3::ZERO), 120.0).iter().all(|by| *by == Vec3::ZERO));
    }

    #[test]
    fn a_foot_that_jumps_does_not_throw_the_body() {
        let mut legs = slipping(Vec3::ZERO);
        legs[0].ankle[30] = Vec3::new(0.03, 0.0, 0.05);
        let by = steady_hips(&legs, 120.0);
        let jerk =
            |by: &[Vec3]| by.windows(3).map(|w| (w[0] + w[2] - 2.0 * w[1]).length()).fold(0.0, f32::max);
        // Twice the room: a move is judged by itself, its neighbours' part of the mean is not.
        assert!(jerk(&by) < 4.0 * BODY_ROOM_M, "{}", jerk(&by));
    }

    #[test]
    fn lengths_and_bends_are_each_others_inverse() {
        for degrees in [0.0, 5.0, 60.0, 140.0_f32] {
            let there = length(degrees.to_radians(), [0.42, 0.43]);
            assert!((bend(there, [0.42, 0.43]).to_degrees() - degrees).abs() < 0.1);
        }
    }
}
