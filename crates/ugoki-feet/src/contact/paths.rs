//! Paths, speeds and supports of the foot points, without one-frame glitches.

use glam::{DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::quantile;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};

use super::feet::Feet;

/// Half the span over which a speed is taken, seconds: the same at every rate, long enough that 1 mm of marker
/// noise is 0.03 m/s, short against the shortest stance (a sprint's 0.1 s).
pub(crate) const SPEED_HALF_S: f64 = 0.025;
/// Half the span of the hips' vertical acceleration, seconds; flights last 0.1 s and more.
const FALL_HALF_S: f64 = 0.05;
/// Hips that fall faster than this part of gravity are in free fall: feet then bear nothing, however slow. At the top of a jump it is 1.
pub(super) const FREE_FALL_G: f64 = 0.65;
/// Standard gravity, m/s².
pub(super) const GRAVITY: f64 = 9.80665;
/// A point this much higher than where it stood has left the ground, metres for a leg of 0.85 m: under the lift of a step, over twice the
/// wobble of a foot that stands.
pub const LEAVES_M: f64 = 0.02;
/// Window of the median that removes glitches, seconds: five frames at 120 Hz.
const DESPIKE_S: f64 = 0.04;
/// How much lower than an ankle a knee or hand is when it bears the body, metres for a leg of 0.85 m.
const ANKLE_M: f64 = 0.05;
/// Below this rate, Hz, a glitch and a step look the same.
const DESPIKE_MIN_HZ: f64 = 20.0;

/// What the detector looks at; index 0 is the first frame of the motion.
pub(super) struct Paths {
    /// Ankle paths, left and right, metres.
    pub(super) ankle: [Vec<DVec3>; 2],
    /// Toe paths.
    pub(super) toe: [Vec<DVec3>; 2],
    /// World rotations of the foot joints.
    pub(super) turn: [Vec<DQuat>; 2],
    /// Height of the body's lowest joint, metres.
    pub(super) lowest: Vec<f64>,
    /// Height of the lower ankle, or of another joint that bears the body as low as an ankle would, metres.
    pub(super) lowest_ankle: Vec<f64>,
    /// Speed of the hips over the ground, m/s.
    pub(super) travel: Vec<f64>,
    /// Vertical acceleration of the hips, m/s².
    pub(super) rise: Vec<f64>,
}

impl Paths {
    pub(super) fn new(clip: &Clip, feet: &Feet) -> Self {
        let motion = clip.motion_frames();
        let skeleton = clip.skeleton();
        // Joints without a role are props, hair and helpers, which may hang below the feet.
        let body: Vec<usize> =
            (0..skeleton.num_joints()).filter(|&joint| skeleton.joint(joint).role.is_some()).collect();
        let mut paths = Self {
            ankle: [Vec::new(), Vec::new()],
            toe: [Vec::new(), Vec::new()],
            turn: [Vec::new(), Vec::new()],
            lowest: Vec::new(),
            lowest_ankle: Vec::new(),
            travel: Vec::new(),
            rise: Vec::new(),
        };
        let toes = feet.feet.map(|foot| foot.toe.joint);
        let ankles = feet.feet.map(|foot| foot.ankle);
        let others: Vec<usize> =
            body.iter().copied().filter(|joint| !toes.contains(joint) && !ankles.contains(joint)).collect();
        let ankle_m = (ANKLE_M * feet.scale()) as f32;
        let mut hips = Vec::new();
        let mut pose = Pose::rest(skeleton);
        let mut model = ModelPose::default();
        for frame in motion {
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(skeleton, &pose, &mut model);
            for (side, foot) in feet.feet.iter().enumerate() {
                paths.ankle[side].push(model.positions[foot.ankle].as_dvec3());
                paths.toe[side].push(foot.toe.position(&model).as_dvec3());
                paths.turn[side].push(model.rotations[foot.ankle].as_dquat());
            }
            let low = |joints: &[usize]| {
                joints.iter().map(|&joint| model.positions[joint].y).fold(f32::INFINITY, f32::min)
            };
            paths.lowest.push(f64::from(low(&others)));
            paths.lowest_ankle.push(f64::from(low(&others) + ankle_m));
            let [left, right] = feet.feet.map(|foot| model.positions[foot.upper].as_dvec3());
            hips.push(0.5 * (left + right));
        }
        let fps = clip.fps();
        for path in paths.ankle.iter_mut().chain(&mut paths.toe) {
            *path = despiked(path, fps);
        }
        for side in 0..2 {
            for frame in 0..hips.len() {
                let (ankle, toe) = (paths.ankle[side][frame].y, paths.toe[side][frame].y);
                paths.lowest[frame] = paths.lowest[frame].min(ankle).min(toe);
                paths.lowest_ankle[frame] = paths.lowest_ankle[frame].min(ankle);
            }
        }
        let heights: Vec<f64> = hips.iter().map(|p| p.y).collect();
        paths.rise = accelerations(&heights, fps);
        let ground: Vec<DVec3> = hips.iter().map(|p| DVec3::new(p.x, 0.0, p.z)).collect();
        paths.travel = speeds(&ground, fps);
        paths
    }
}

/// Speed of the stiller foot, m/s for a leg of 0.85 m, that a clean capture has in over a third of its frames. Of 300 clips drawn from CMU's
/// archive five have more than 0.03 m/s: four on skateboards and a sprint.
const CLEAN_M_S: f64 = 0.08;
/// Part of the hips' speed that the stiller foot of a clean run has on top of that: stances are short and roll.
const CLEAN_TRAVEL: f64 = 0.1;
/// Part of the frames in which the stiller foot is slower than its noise.
const NOISE_QUANTILE: f64 = 0.35;
/// Speed of the stiller foot, m/s for a leg of 0.85 m, beyond which it does not stand but glides, on a skateboard or on ice.
pub const GLIDES_M_S: f64 = 0.4;

impl Paths {
    /// How much noisier the standing feet are than those of a clean capture, as a factor of at least 1.
    ///
    /// A body on its feet stands on one of them nearly always, so the speed of the stiller one shows the noise. Frames in which the body
    /// falls, or rests on something else than its feet, do not count.
    pub(super) fn noise(&self, support_m: f64, fps: f64, scale: f64) -> f64 {
        let speeds = [&self.ankle[0], &self.toe[0], &self.ankle[1], &self.toe[1]].map(|path| {
            let ground: Vec<DVec3> = path.iter().map(|p| p.with_y(0.0)).collect();
            speeds(&ground, fps)
        });
        let stiller: Vec<f64> = (0..self.lowest.len())
            .filter(|&frame| {
                let foot = self.toe[0][frame].y.min(self.toe[1][frame].y);
                foot - self.lowest[frame] <= support_m && self.rise[frame] > -FREE_FALL_G * GRAVITY * scale
            })
            .map(|frame| {
                let least = speeds.iter().map(|speeds| speeds[frame]).fold(f64::INFINITY, f64::min);
                least - CLEAN_TRAVEL * self.travel[frame]
            })
            .collect();
        let typical = quantile(&stiller, NOISE_QUANTILE).unwrap_or(0.0);
        match typical > GLIDES_M_S * scale {
            true => 1.0,
            false => (typical / (CLEAN_M_S * scale)).max(1.0),
        }
    }
}

/// The heel lies behind the ankle by this fraction of the level distance from ankle to toe joint: of a foot's length
/// the ankle stands at 23.5 % and the toe joint at 70 % [winter2009].
const HEEL_SHARE: f64 = 0.5;
/// Height of a toe joint over the sole, metres for a leg of 0.85 m: half the forefoot's thickness.
pub const SOLE_M: f64 = 0.02;

impl Paths {
    /// Path of the heel: the point of the sole behind and under the ankle, fixed in the foot as the frames picked by
    /// `flat` show it; the ankle's path when there are none or the foot has no length.
    pub(super) fn heel(
        &self,
        side: usize,
        flat_m: f64,
        scale: f64,
        fps: f64,
        flat: impl Fn(usize) -> bool,
    ) -> Vec<DVec3> {
        let (ankle, toe, turn) = (&self.ankle[side], &self.toe[side], &self.turn[side]);
        let (mut sum, mut count) = (DVec3::ZERO, 0usize);
        for frame in (0..toe.len()).filter(|&frame| flat(frame)) {
            let along = (toe[frame] - ankle[frame]).with_y(0.0);
            let heel = along * -HEEL_SHARE - DVec3::Y * (flat_m + SOLE_M * scale);
            sum += turn[frame].conjugate() * heel;
            count += 1;
        }
        if count == 0 {
            return ankle.clone();
        }
        let offset = sum / count as f64;
        let path: Vec<DVec3> = ankle.iter().zip(turn).map(|(ankle, turn)| *ankle + *turn * offset).collect();
        despiked(&path, fps)
    }
}

/// Median per coordinate over [`DESPIKE_S`], at least three frames; monotone intervals stay as they are.
pub(super) fn despiked(path: &[DVec3], fps: f64) -> Vec<DVec3> {
    if fps < DESPIKE_MIN_HZ {
        return path.to_vec();
    }
    let half = ((0.5 * DESPIKE_S * fps).floor() as usize).max(1);
    let mut window = Vec::with_capacity(2 * half + 1);
    (0..path.len())
        .map(|frame| {
            // The window shrinks symmetrically at the ends, so that the ends themselves stay.
            let half = half.min(frame).min(path.len() - 1 - frame);
            let mut middle = [0.0; 3];
            for (axis, value) in middle.iter_mut().enumerate() {
                window.clear();
                window.extend(path[frame - half..=frame + half].iter().map(|p| p[axis]));
                window.sort_unstable_by(f64::total_cmp);
                *value = window[half];
            }
            DVec3::from_array(middle)
        })
        .collect()
}

/// Point between frames, clamped to the path.
fn at(path: &[DVec3], time: f64) -> DVec3 {
    let last = path.len() - 1;
    let time = time.clamp(0.0, last as f64);
    let from = time.floor() as usize;
    let to = (from + 1).min(last);
    path[from].lerp(path[to], time - from as f64)
}

/// Speed of every frame over ±[`SPEED_HALF_S`], m/s; one-sided at the ends.
pub(super) fn speeds(path: &[DVec3], fps: f64) -> Vec<f64> {
    let half = SPEED_HALF_S * fps;
    let last = path.len().saturating_sub(1) as f64;
    (0..path.len())
        .map(|frame| {
            let (from, to) = ((frame as f64 - half).max(0.0), (frame as f64 + half).min(last));
            if to <= from {
                return 0.0;
            }
            (at(path, to) - at(path, from)).length() * fps / (to - from)
        })
        .collect()
}

/// Second difference over ±[`FALL_HALF_S`]; 0 where the clip ends sooner.
fn accelerations(heights: &[f64], fps: f64) -> Vec<f64> {
    let half = ((FALL_HALF_S * fps).round() as usize).max(1);
    let seconds = half as f64 / fps;
    (0..heights.len())
        .map(|frame| {
            if frame < half || frame + half >= heights.len() {
                return 0.0;
            }
            (heights[frame - half] - 2.0 * heights[frame] + heights[frame + half]) / (seconds * seconds)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_one_frame_glitch_leaves_no_trace_at_any_rate() {
        for fps in [24.0, 30.0, 60.0, 120.0, 240.0] {
            let clean: Vec<DVec3> = (0..50).map(|i| DVec3::X * f64::from(i) / fps).collect();
            let mut spiked = clean.clone();
            spiked[20] += DVec3::new(0.05, 0.05, -0.05);
            for (a, b) in despiked(&spiked, fps).iter().zip(&clean) {
                // A spike between monotone neighbours is replaced by one of them: one frame's travel.
                assert!((*a - *b).length() <= 1.001 / fps, "{fps}: {a} {b}");
            }
        }
    }

    #[test]
    fn steady_travel_has_its_speed_at_every_rate() {
        for fps in [24.0, 72.0, 240.0] {
            let path: Vec<DVec3> = (0..40).map(|i| DVec3::new(3.0, 0.0, 4.0) * f64::from(i) / fps).collect();
            assert!(speeds(&path, fps).iter().all(|v| (v - 5.0).abs() < 1e-9));
        }
        assert_eq!(speeds(&[DVec3::X], 30.0), [0.0]);
        assert!(speeds(&[], 30.0).is_empty());
    }

    #[test]
    fn free_fall_accelerates_with_gravity() {
        for fps in [30.0, 120.0] {
            let heights: Vec<f64> = (0..60).map(|i| -4.905 * (f64::from(i) / fps).powi(2)).collect();
            assert!((accelerations(&heights, fps)[30] + 9.81).abs() < 1e-6);
        }
    }
}
