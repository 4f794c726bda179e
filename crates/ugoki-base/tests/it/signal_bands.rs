//! Properties of splitting a motion into bands and recombining it.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::math::{angle_between, exp};
use ugoki_base::signal::{EqualizeConfig, EqualizeError, Part, bands, equalize, num_bands};
use ugoki_testing::bodies::{body, quiet, turned_clip, wandering_clip};

/// Radians that a sum of a dozen displacements in f64 may lose when it is rounded to f32.
const ROUNDING: f32 = 1e-6;

fn gains_of(frames: usize, gain: impl Fn(usize) -> f64) -> EqualizeConfig {
    EqualizeConfig { gains: (0..num_bands(frames)).map(gain).collect(), part: None }
}

fn rotation() -> impl Strategy<Value = Quat> {
    prop::array::uniform3(-1.8..1.8_f32).prop_map(|v| exp(Vec3::from_array(v)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn gains_of_one_give_the_motion_back(seed in 0..1000_u64, frames in 3..150_usize, speed in 0.01..0.3_f32) {
        let clip = wandering_clip(seed, frames, speed);
        let done = equalize(&clip, &gains_of(frames, |_| 1.0), &mut quiet).unwrap();
        for frame in 0..frames {
            for joint in 0..clip.num_joints() {
                prop_assert!(angle_between(clip.rotation(joint, frame), done.clip.rotation(joint, frame)) < ROUNDING);
            }
            prop_assert!((clip.root().get(frame) - done.clip.root().get(frame)).length() < 1e-6);
        }
    }

    #[test]
    fn a_constant_turn_on_either_side_passes_through(seed in 0..1000_u64, a in rotation(), b in rotation()) {
        let clip = wandering_clip(seed, 60, 0.03);
        let config = gains_of(60, |band| [0.3, 1.4, 0.8, 2.0, 1.0, 0.0, 1.3][band]);
        let plain = equalize(&clip, &config, &mut quiet).unwrap().clip;
        let moved = equalize(&turned_clip(&clip, a, b), &config, &mut quiet).unwrap().clip;
        for frame in 0..60 {
            for joint in 0..clip.num_joints() {
                let expected = a * plain.rotation(joint, frame) * b;
                // Ten levels of f32 means.
                prop_assert!(angle_between(expected, moved.rotation(joint, frame)) < 2e-5);
            }
        }
    }
}

#[test]
fn a_band_answers_to_its_own_frequency() {
    // Swings of 10° at 60 frames per second: each must be strongest in the band that says so.
    for hz in [0.45, 3.75, 8.0, 20.0_f32] {
        let mut clip = wandering_clip(1, 512, 0.0);
        for frame in 0..512 {
            let angle = 0.1745 * (std::f32::consts::TAU * hz * frame as f32 / 60.0).sin();
            clip.set_rotation(1, frame, Quat::from_rotation_x(angle));
        }
        let list = bands(&clip, &mut quiet).unwrap();
        let strongest = list.iter().max_by(|a, b| a.rms_deg.total_cmp(&b.rms_deg)).unwrap();
        let hz = f64::from(hz);
        assert!(strongest.low_hz < hz && hz < strongest.high_hz, "{hz} Hz in {strongest:?}");
        if hz < 1.0 {
            // Such slow bands feel the clip's ends everywhere.
            continue;
        }
        // Without the bands above a quarter of its frequency nothing is left of it.
        let gains = list.iter().map(|band| if band.high_hz > 0.25 * hz { 0.0 } else { 1.0 }).collect();
        let calm = equalize(&clip, &EqualizeConfig { gains, part: None }, &mut quiet).unwrap().clip;
        for frame in 150..362 {
            assert!(calm.rotation(1, frame).to_scaled_axis().length().to_degrees() < 0.3, "{hz} Hz");
        }
    }
}

#[test]
fn turning_on_the_spot_survives_any_gains_without_jumps() {
    let mut clip = wandering_clip(3, 600, 0.02);
    for frame in 0..600 {
        // Five turns with a sway of the hips.
        let q = Quat::from_rotation_y(frame as f32 * 0.0524)
            * Quat::from_rotation_x((frame as f32 * 0.2).sin() * 0.1);
        clip.set_rotation(0, frame, q);
    }
    let done = equalize(&clip, &gains_of(600, |band| if band < 5 { 1.0 } else { 2.0 }), &mut quiet).unwrap();
    for frame in 1..600 {
        let step = angle_between(done.clip.rotation(0, frame - 1), done.clip.rotation(0, frame)).to_degrees();
        // 3° of turning and at most twice the sway's 1.1° per frame.
        assert!(step < 6.0, "frame {frame}: {step}");
    }
}

#[test]
fn a_part_leaves_the_rest_to_the_bit() {
    let clip = wandering_clip(9, 80, 0.05);
    let config = EqualizeConfig { part: Some(Part::LeftArm), ..gains_of(80, |_| 0.5) };
    let done = equalize(&clip, &config, &mut quiet).unwrap();
    let chosen = Part::LeftArm.joints(&body());
    for (joint, &chosen) in chosen.iter().enumerate() {
        let same = (0..80).all(|frame| clip.rotation(joint, frame) == done.clip.rotation(joint, frame));
        assert_eq!(same, !chosen, "{}", clip.skeleton().joint(joint).name);
    }
    assert_eq!(clip.root(), done.clip.root());
    assert_eq!(done.report.joints, chosen.iter().filter(|&&c| c).count());
}

#[test]
fn wrong_counts_say_how_many_bands_there_are() {
    let clip = wandering_clip(9, 100, 0.05);
    let bands = num_bands(100);
    for count in [0, bands - 1, bands + 1] {
        let config = EqualizeConfig { gains: vec![1.0; count], part: None };
        let error = equalize(&clip, &config, &mut quiet).unwrap_err();
        assert!(error.to_string().contains(&format!("{bands} bands")), "{error}");
    }
    let config = gains_of(100, |band| if band == 2 { f64::NAN } else { 1.0 });
    assert!(matches!(equalize(&clip, &config, &mut quiet), Err(EqualizeError::Gain { index: 2, .. })));
    let one = wandering_clip(9, 1, 0.05);
    assert!(matches!(
        equalize(&one, &gains_of(1, |_| 1.0), &mut quiet),
        Err(EqualizeError::TooShort { frames: 1 })
    ));
}

#[test]
fn an_added_t_pose_stays_and_has_no_weight() {
    let clip = wandering_clip(4, 60, 0.05);
    let mut with = wandering_clip(4, 61, 0.05);
    for frame in 0..60 {
        let pose = clip.pose(frame);
        with.set_pose(frame + 1, &pose);
    }
    with.set_pose(0, &ugoki_base::pose::Pose::rest(&body()));
    with.tpose_frame = true;
    let config = gains_of(60, |band| band as f64 * 0.5);
    let plain = equalize(&clip, &config, &mut quiet).unwrap().clip;
    let done = equalize(&with, &config, &mut quiet).unwrap().clip;
    assert_eq!(done.pose(0), with.pose(0));
    for frame in 0..60 {
        for joint in 0..clip.num_joints() {
            assert!(angle_between(plain.rotation(joint, frame), done.rotation(joint, frame + 1)) < 1e-6);
        }
    }
}
