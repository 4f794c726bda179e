//! Glitches are taken out and nothing else is touched.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, angle_between, exp, log};
use ugoki_base::signal::{DespikeConfig, DespikeError, Kernel, despike, filter};
use ugoki_testing::bodies::{body, quiet, turned_clip, wandering_clip};

fn cleaned(clip: &Clip) -> ugoki_base::signal::Despiked {
    despike(clip, &DespikeConfig::default(), &mut quiet).unwrap()
}

/// A smooth motion: what wanders, through a Gaussian.
fn smooth(seed: u64) -> Clip {
    let kernel = Kernel::build(&"gauss:3".parse().unwrap()).unwrap();
    filter(&wandering_clip(seed, 200, 0.05), &kernel, ugoki_base::signal::FilterConfig::default(), &mut quiet)
        .unwrap()
        .clip
}

fn turn(random: &mut Random, degrees: f32) -> Quat {
    let axis = Vec3::from_array(std::array::from_fn(|_| random.normal() as f32)).normalize();
    exp(axis * degrees.to_radians())
}

/// A tenth of a second at 60 frames per second.
const LONGEST: usize = 6;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_glitch_is_found_and_mended(seed in 0..1000_u64, joint in 0..14_usize, at in 10..180_usize, len in 1..=LONGEST, height in 25.0..170.0_f32) {
        let clip = smooth(seed);
        let mut random = Random::new(seed);
        let glitch = turn(&mut random, height);
        let mut bad = clip.clone();
        for frame in at..at + len {
            bad.set_rotation(joint, frame, (clip.rotation(joint, frame) * glitch).normalize());
        }
        let done = cleaned(&bad);
        prop_assert_eq!(done.report.joints.len(), 1);
        prop_assert_eq!(&done.report.joints[0].frames, &(at..at + len).collect::<Vec<_>>());
        for frame in 0..200 {
            let off = angle_between(clip.rotation(joint, frame), done.clip.rotation(joint, frame)).to_degrees();
            // The way between neighbours misses a smooth motion by its curvature over the frames replaced.
            prop_assert!(off < 4.0 + 1.5 * len as f32, "frame {frame}: {off}°");
        }
    }

    #[test]
    fn a_glitch_with_spikes_inside_is_mended_whole(seed in 0..1000_u64, at in 20..170_usize, len in 3..=LONGEST) {
        let clip = smooth(seed);
        let mut random = Random::new(seed);
        let mut bad = clip.clone();
        for frame in at..at + len {
            bad.set_rotation(5, frame, (clip.rotation(5, frame) * turn(&mut random, 60.0)).normalize());
        }
        let done = cleaned(&bad);
        prop_assert_eq!(done.report.joints.len(), 1);
        prop_assert_eq!(&done.report.joints[0].frames, &(at..at + len).collect::<Vec<_>>());
    }

    #[test]
    fn what_lasts_longer_than_a_glitch_is_left_whole(seed in 0..1000_u64, at in 40..120_usize, len in 9..20_usize, height in 30.0..150.0_f32, spike in 2..7_usize) {
        // A joint turned over for a while, with a spike inside: no frame of it may change.
        let clip = smooth(seed);
        let mut random = Random::new(seed);
        let axis = Vec3::from_array(std::array::from_fn(|_| random.normal() as f32)).normalize();
        let away = exp(axis * height.to_radians());
        let mut bad = clip.clone();
        for frame in at..at + len {
            bad.set_rotation(5, frame, (clip.rotation(5, frame) * away).normalize());
        }
        // Farther out, not by chance back where it should be.
        let q = bad.rotation(5, at + spike) * exp(axis * 25.0_f32.to_radians());
        bad.set_rotation(5, at + spike, q.normalize());
        bad.align_signs();
        let done = cleaned(&bad);
        prop_assert!(done.report.joints.is_empty(), "{:?}", done.report.joints);
        prop_assert_eq!(done.clip, bad);
    }

    #[test]
    fn smooth_motion_keeps_its_bits(seed in 0..1000_u64) {
        let clip = smooth(seed);
        let done = cleaned(&clip);
        prop_assert_eq!(done.report.values_changed, 0);
        prop_assert_eq!(done.clip, clip);
    }

    #[test]
    fn a_constant_turn_on_either_side_changes_nothing_that_is_found(seed in 0..1000_u64, a in prop::array::uniform3(-1.8..1.8_f32), b in prop::array::uniform3(-1.8..1.8_f32)) {
        let mut clip = smooth(seed);
        let mut random = Random::new(seed + 7);
        for frame in [30, 61, 99, 140] {
            let q = clip.rotation(5, frame) * turn(&mut random, 40.0);
            clip.set_rotation(5, frame, q.normalize());
        }
        let (a, b) = (exp(Vec3::from_array(a)), exp(Vec3::from_array(b)));
        let (plain, moved) = (cleaned(&clip), cleaned(&turned_clip(&clip, a, b)));
        prop_assert_eq!(&plain.report.joints[0].frames, &moved.report.joints[0].frames);
        for frame in 0..200 {
            prop_assert!(angle_between(a * plain.clip.rotation(5, frame) * b, moved.clip.rotation(5, frame)) < 3e-6);
        }
    }
}

/// The largest change of step, degrees, that frames `start..end` of a joint have a part in.
fn roughest(clip: &Clip, joint: usize, start: usize, end: usize) -> f32 {
    let step = |f: usize| log(clip.rotation(joint, f).conjugate() * clip.rotation(joint, f + 1));
    let frames = start.saturating_sub(1).max(1)..(end + 1).min(clip.num_frames() - 1);
    frames.map(|f| (step(f) - step(f - 1)).length().to_degrees()).fold(0.0, f32::max)
}

/// Runs of consecutive frames.
fn runs(frames: &[usize]) -> Vec<std::ops::Range<usize>> {
    let mut list: Vec<std::ops::Range<usize>> = Vec::new();
    for &frame in frames {
        match list.last_mut() {
            Some(run) if run.end == frame => run.end = frame + 1,
            _ => list.push(frame..frame + 1),
        }
    }
    list
}

/// A joint that does `angle` degrees about one axis at `fps` for two seconds.
fn one_joint(fps: f64, axis: Vec3, angle: impl Fn(f64) -> f64) -> Clip {
    let frames = (2.0 * fps) as usize;
    let mut clip = Clip::at_rest(body(), fps, frames).unwrap();
    for frame in 0..frames {
        let degrees = angle(frame as f64 / fps) as f32;
        clip.set_rotation(5, frame, exp(axis.normalize() * degrees.to_radians()));
    }
    clip.align_signs();
    clip
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn strokes_out_and_back_in_a_fifth_of_a_second_keep_their_bits(
        rate in 0..3_usize, degrees in 10.0..140.0_f64, lasts in 0.2..0.6_f64, at in 0.6..0.9_f64, hold in 0.0..0.2_f64,
        axis in prop::array::uniform3(0.1..1.0_f32), kind in 0..3_usize,
    ) {
        let reach = |u: f64| { let u = u.clamp(0.0, 1.0); u * u * u * (10.0 - 15.0 * u + 6.0 * u * u) };
        let angle = |t: f64| match kind {
            0 => degrees * (std::f64::consts::PI * ((t - at) / lasts).clamp(0.0, 1.0)).sin().powi(2),
            1 => degrees * (reach((t - at) / (0.5 * lasts)) - reach((t - at - 0.5 * lasts - hold) / (0.5 * lasts))),
            // Started and stopped within one frame.
            _ => (degrees / lasts * (t - at)).clamp(0.0, degrees),
        };
        let clip = one_joint([30.0, 60.0, 120.0][rate], Vec3::from_array(axis), angle);
        let done = cleaned(&clip);
        prop_assert_eq!(done.report.values_changed, 0);
        prop_assert_eq!(done.clip, clip);
    }

    #[test]
    fn shaking_to_and_fro_keeps_its_bits(
        rate in 0..3_usize, degrees in 5.0..60.0_f64, hz in 0.5..5.5_f64, phase in 0.0..1.0_f64, swells in any::<bool>(),
        axis in prop::array::uniform3(0.1..1.0_f32),
    ) {
        let swell = |t: f64| if swells { (-((t - 1.0) / 0.25).powi(2)).exp() } else { 1.0 };
        let angle = |t: f64| degrees * swell(t) * (std::f64::consts::TAU * (hz * t + phase)).sin();
        let clip = one_joint([30.0, 60.0, 120.0][rate], Vec3::from_array(axis), angle);
        prop_assert_eq!(cleaned(&clip).report.values_changed, 0);
    }

    #[test]
    fn good_frames_between_two_glitches_stay(seed in 0..1000_u64, at in 20..150_usize, first in 1..3_usize, gap in 2..8_usize, second in 1..3_usize, height in 25.0..90.0_f32) {
        // At 120 Hz; at 60 two glitches so near are a third of all that the joint does around, and hide each other.
        let slow = smooth(seed);
        let mut clip = Clip::at_rest(body(), 120.0, slow.num_frames()).unwrap();
        (0..slow.num_frames()).for_each(|frame| clip.set_rotation(5, frame, slow.rotation(5, frame)));
        let mut random = Random::new(seed);
        let mut bad = clip.clone();
        let (end, next) = (at + first, at + first + gap);
        let [one, other] = [turn(&mut random, height), turn(&mut random, height)];
        (at..end).for_each(|f| bad.set_rotation(5, f, (clip.rotation(5, f) * one).normalize()));
        (next..next + second).for_each(|f| bad.set_rotation(5, f, (clip.rotation(5, f) * other).normalize()));
        bad.align_signs();
        let done = cleaned(&bad);
        let found = done.report.joints.first().map_or(Vec::new(), |joint| joint.frames.clone());
        // Every frame replaced was a glitch, and both glitches are.
        let wanted: Vec<usize> = (at..end).chain(next..next + second).collect();
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn nothing_becomes_rougher_whatever_the_motion(seed in 0..10_000_u64, noise in 0.0..8.0_f32, fraction in 0.0..0.3_f64, rate in 0..3_usize) {
        // Noise, and glitches of any height and length in any place: up to a third of all frames.
        let smooth = smooth(seed);
        let mut bad = Clip::at_rest(body(), [30.0, 60.0, 120.0][rate], smooth.num_frames()).unwrap();
        let mut random = Random::new(seed);
        for frame in 0..smooth.num_frames() {
            let jitter = noise * random.normal() as f32;
            let height = if random.uniform() < fraction { 120.0 * random.uniform() as f32 } else { 0.0 };
            let q = smooth.rotation(5, frame) * turn(&mut random, jitter) * turn(&mut random, height);
            bad.set_rotation(5, frame, q.normalize());
        }
        bad.align_signs();
        let done = cleaned(&bad);
        let frames = done.report.joints.first().map_or(Vec::new(), |joint| joint.frames.clone());
        for run in runs(&frames) {
            let [before, after] = [&bad, &done.clip].map(|clip| roughest(clip, 5, run.start, run.end));
            prop_assert!(after < 0.75 * before, "{run:?}: {before}° {after}°");
        }
        // A second time finds next to nothing: what the first left in noise may look different next to the repaired
        // frames.
        let again = cleaned(&done.clip).report.values_changed;
        prop_assert!(again <= 2 + frames.len() / 10, "{again} after {}", frames.len());
    }
}

#[test]
fn hard_stops_and_fast_strokes_are_not_glitches() {
    // A leg that swings at 1200°/s and is stopped within one frame of 1/120 s, and a punch out and back in 0.2 s.
    let mut clip = Clip::at_rest(body(), 120.0, 120).unwrap();
    for frame in 0..120 {
        let kick = (1200.0 / 120.0 * (frame as f32 - 40.0)).clamp(0.0, 110.0);
        clip.set_rotation(9, frame, Quat::from_rotation_x(kick.to_radians()));
        let u = ((frame as f32 - 60.0) / 24.0).clamp(0.0, 1.0);
        let punch = 130.0 * (std::f32::consts::PI * u).sin().powi(2);
        clip.set_rotation(5, frame, Quat::from_rotation_y(punch.to_radians()));
    }
    assert_eq!(cleaned(&clip).report.values_changed, 0);
}

#[test]
fn the_path_of_the_root_is_mended_too() {
    let mut clip = smooth(3);
    let clean = clip.clone();
    let p = clip.root().get(70) + Vec3::new(0.0, 0.08, 0.0);
    clip.root_mut().set(70, p);
    let done = cleaned(&clip);
    assert_eq!(done.report.joints[0].path_frames, [70]);
    assert!((done.report.joints[0].largest_m - 0.08).abs() < 0.005);
    assert!((done.clip.root().get(70) - clean.root().get(70)).length() < 0.005);
    assert_eq!((done.report.frames_changed, done.report.values_changed), (1, 1));
}

#[test]
fn an_added_t_pose_is_no_glitch_and_stays() {
    let mut clip = smooth(5);
    clip.set_pose(0, &ugoki_base::pose::Pose::rest(&body()));
    clip.tpose_frame = true;
    let done = cleaned(&clip);
    assert_eq!(done.report.values_changed, 0);
    assert_eq!(done.clip.pose(0), clip.pose(0));
}

#[test]
fn short_clips_and_bad_thresholds_are_no_trouble() {
    for frames in 0..6 {
        let clip = wandering_clip(1, frames, 0.05);
        assert_eq!(cleaned(&clip).clip.num_frames(), frames);
    }
    let bad = DespikeConfig { max_s: 0.9, ..DespikeConfig::default() };
    assert!(matches!(despike(&smooth(1), &bad, &mut quiet), Err(DespikeError::Config { .. })));
    let bad = DespikeConfig { ratio: f64::NAN, ..DespikeConfig::default() };
    let error = despike(&smooth(1), &bad, &mut quiet).unwrap_err().to_string();
    assert!(error.contains("above 0"), "{error}");
}
