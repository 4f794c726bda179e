//! The laws of aligning and blending clips.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::math::{angle_between, exp, slerp};
use ugoki_base::signal::{WeightCurve, WeightKey};
use ugoki_base::skeleton::{Joint, Skeleton};
use ugoki_motion::blend::{
    BlendConfig, BlendError, BlendMethod, TransitionConfig, TransitionError, align, blend, transition,
};
use ugoki_testing::bodies::{body, quiet, turned_clip, wandering_clip};

/// Arms and legs that swing with a phase that grows as `phase(second)`; walks along +Z.
fn swinging(frames: usize, phase: impl Fn(f32) -> f32) -> Clip {
    let mut clip = Clip::at_rest(body(), 60.0, frames).unwrap();
    for frame in 0..frames {
        let p = phase(frame as f32 / 60.0);
        for (joint, amount, lag) in
            [(4, 0.6, 0.0), (6, -0.6, 0.0), (8, -0.5, 0.0), (11, 0.5, 0.0), (9, 0.3, 1.0)]
        {
            clip.set_rotation(joint, frame, Quat::from_rotation_x(amount * (p + lag).sin()));
        }
        clip.set_rotation(2, frame, Quat::from_rotation_y(0.2 * p.sin()));
        clip.root_mut().set(frame, Vec3::new(0.0, 0.9, 0.2 * p));
    }
    clip
}

fn placed(clip: &Clip, yaw: f32, shift: Vec3) -> Clip {
    let mut moved = clip.clone();
    let turn = Quat::from_rotation_y(yaw);
    for frame in 0..clip.num_frames() {
        moved.set_rotation(0, frame, turn * clip.rotation(0, frame));
        moved.root_mut().set(frame, turn * clip.root().get(frame) + shift);
    }
    moved
}

fn worst(a: &Clip, b: &Clip) -> (f32, f32) {
    assert_eq!(a.num_frames(), b.num_frames());
    let (mut angle, mut distance) = (0.0_f32, 0.0_f32);
    for frame in 0..a.num_frames() {
        distance = distance.max((a.root().get(frame) - b.root().get(frame)).length());
        for joint in 0..a.num_joints() {
            angle = angle.max(angle_between(a.rotation(joint, frame), b.rotation(joint, frame)).to_degrees());
        }
    }
    (angle, distance)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn weight_one_gives_that_clip_back(seed in 0..1000_u64, which in 0..3_usize, lengths in prop::array::uniform3(40..70_usize)) {
        let clips: Vec<Clip> = (0..3).map(|k| wandering_clip(seed * 3 + k as u64, lengths[k], 0.02)).collect();
        let list: Vec<&Clip> = clips.iter().collect();
        let mut weights = [0.0; 3];
        weights[which] = 1.0;
        let done = blend(&list, &BlendConfig { keep_contacts: false, ..BlendConfig::new(&weights) }, &mut quiet).unwrap();
        let (angle, distance) = worst(&clips[which], &done.clip);
        // 1e-4° is what the issue asks for; f32 means reach 2e-5°.
        prop_assert!(angle < 1e-4 && distance < 1e-5, "{angle}° {distance} m");
        let plain = blend(&list, &BlendConfig::plain(&weights), &mut quiet).unwrap().clip;
        let cut = clips[which].trimmed(0..plain.num_frames()).unwrap();
        let (angle, distance) = worst(&cut, &plain);
        prop_assert!(angle < 1e-4 && distance < 1e-5, "{angle}° {distance} m");
    }

    #[test]
    fn two_clips_blend_as_slerp(seed in 0..1000_u64, w in 0.0..1.0_f64) {
        let (a, b) = (wandering_clip(seed, 40, 0.01), wandering_clip(seed + 5000, 40, 0.01));
        let done = blend(&[&a, &b], &BlendConfig::plain(&[1.0 - w, w]), &mut quiet).unwrap().clip;
        for frame in 0..40 {
            for joint in 0..a.num_joints() {
                let expected = slerp(a.rotation(joint, frame), b.rotation(joint, frame), w as f32);
                prop_assert!(angle_between(expected, done.rotation(joint, frame)).to_degrees() < 2e-4);
            }
            let p = a.root().get(frame).lerp(b.root().get(frame), w as f32);
            prop_assert!((p - done.root().get(frame)).length() < 1e-6);
        }
    }

    #[test]
    fn constant_turns_signs_and_the_sense_of_time_do_not_matter(seed in 0..1000_u64, count in 2..5_usize, turns in prop::array::uniform6(-1.5..1.5_f32)) {
        // Wandering far enough that the clips are over 120° apart at times.
        let clips: Vec<Clip> = (0..count as u64).map(|k| wandering_clip(seed * 5 + k, 60, 0.03)).collect();
        let mixed = |change: &dyn Fn(&Clip) -> Clip| {
            let changed: Vec<Clip> = clips.iter().map(change).collect();
            let list: Vec<&Clip> = changed.iter().collect();
            let weights: Vec<f64> = (0..count).map(|k| 1.0 + 0.3 * k as f64).collect();
            blend(&list, &BlendConfig::plain(&weights), &mut quiet).unwrap().clip
        };
        let turn = |k: usize| exp(Vec3::new(turns[k], turns[k + 1], turns[k + 2]));
        let (a, b) = (turn(0), turn(3));
        let plain = mixed(&Clip::clone);
        let turned = mixed(&|clip| turned_clip(clip, a, b));
        let flipped = mixed(&|clip| {
            let mut clip = clip.clone();
            for joint in 0..clip.num_joints() {
                for frame in (0..60).filter(|frame| (frame * 7 + joint) % 5 < 2) {
                    clip.set_rotation(joint, frame, -clip.rotation(joint, frame));
                }
            }
            clip
        });
        let reversed = mixed(&|clip| clip.at_frames(&(0..60).rev().map(f64::from).collect::<Vec<_>>(), clip.fps()));
        let mut apart = [0_usize; 3];
        for joint in 0..plain.num_joints() {
            for frame in 0..60 {
                let q = plain.rotation(joint, frame);
                let off = [
                    angle_between(a * q * b, turned.rotation(joint, frame)),
                    angle_between(q, flipped.rotation(joint, frame)),
                    angle_between(q, reversed.rotation(joint, 59 - frame)),
                ];
                off.iter().zip(&mut apart).for_each(|(off, apart)| *apart += usize::from(*off > 1e-3));
            }
        }
        // Where two minima are equally low to rounding either may be taken: one joint of 14 in a while.
        prop_assert!(apart.iter().all(|apart| *apart <= 60), "{apart:?} of 840");
    }

    #[test]
    fn the_order_of_clips_does_not_matter(seed in 0..1000_u64, weights in prop::array::uniform3(0.1..1.0_f64)) {
        let clips: Vec<Clip> = (0..3).map(|k| wandering_clip(seed * 3 + k, 40, 0.01)).collect();
        let forth = blend(&[&clips[0], &clips[1], &clips[2]], &BlendConfig::plain(&weights), &mut quiet).unwrap().clip;
        let turned = [weights[2], weights[0], weights[1]];
        let back = blend(&[&clips[2], &clips[0], &clips[1]], &BlendConfig::plain(&turned), &mut quiet).unwrap().clip;
        let (angle, distance) = worst(&forth, &back);
        prop_assert!(angle < 5e-4 && distance < 1e-5, "{angle}° {distance} m");
    }
}

#[test]
fn the_order_of_clips_does_not_matter_when_they_are_aligned_either() {
    let clips = [
        swinging(180, |t| 6.0 * t),
        placed(&swinging(200, |t| 5.4 * t + 0.3), 0.4, Vec3::X),
        swinging(150, |t| 7.0 * t),
    ];
    let weights = [0.5, 0.3, 0.2];
    let mixed = |order: [usize; 3]| {
        let list = order.map(|k| &clips[k]);
        blend(&list, &BlendConfig::new(&order.map(|k| weights[k])), &mut quiet).unwrap().clip
    };
    let first = mixed([0, 1, 2]);
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let (angle, distance) = worst(&first, &mixed(order));
        assert!(angle < 0.05 && distance < 1e-3, "{order:?}: {angle}° {distance} m");
    }
    // And of two.
    let forth = blend(&[&clips[0], &clips[1]], &BlendConfig::new(&[0.7, 0.3]), &mut quiet).unwrap().clip;
    let back = blend(&[&clips[1], &clips[0]], &BlendConfig::new(&[0.3, 0.7]), &mut quiet).unwrap().clip;
    assert!(forth.num_frames().abs_diff(back.num_frames()) <= 1);
    let last = forth.num_frames().min(back.num_frames());
    let (angle, _) = worst(&forth.trimmed(0..last).unwrap(), &back.trimmed(0..last).unwrap());
    // Up to a frame of 1/60 s at the ends, at 3.6 rad/s.
    assert!(angle < 4.0, "{angle}°");
}

#[test]
fn alignment_undoes_a_change_of_pace() {
    let steady = swinging(240, |t| 6.0 * t);
    // The same swings, now slower, now faster: slopes from 0.65 to 1.35.
    let uneven =
        swinging(240, |t| 6.0 * t + 0.5 * (4.2 * t).sin() * (1.0 - (t / 2.0 - 1.0).powi(4)).max(0.0));
    let done = align(&steady, &uneven, &mut quiet).unwrap();
    assert_eq!((done.frames.clone(), done.times[0], done.times[239]), (0..240, 0.0, 239.0));
    assert!(done.times.windows(2).all(|pair| pair[1] > pair[0]));
    assert!(done.report.slowest >= 0.5 - 1e-9 && done.report.fastest <= 2.0 + 1e-9);
    assert!(done.report.distance_m < 0.3 * done.report.uniform_distance_m, "{:?}", done.report);
    // Itself against itself is the identity.
    let same = align(&steady, &steady, &mut quiet).unwrap();
    assert!(same.times.iter().enumerate().all(|(i, t)| (t - i as f64).abs() < 1e-9));
}

#[test]
fn what_has_no_counterpart_at_the_ends_is_left_out() {
    // The second begins a third of a swing later and ends as much later.
    let (a, b) = (swinging(240, |t| 6.0 * t), swinging(240, |t| 6.0 * t + 2.1));
    let done = align(&a, &b, &mut quiet).unwrap();
    assert!(done.frames.start >= 18 && done.frames.end == 240, "{:?}", done.frames);
    assert!((done.report.unmatched_reference_s[0] - 2.1 / 6.0).abs() < 0.06, "{:?}", done.report);
    assert!((done.report.unmatched_s[1] - 2.1 / 6.0).abs() < 0.06, "{:?}", done.report);
    assert!(done.report.distance_m < 0.01, "{:?}", done.report);
    let mixed = blend(&[&a, &b], &BlendConfig::new(&[0.5, 0.5]), &mut quiet).unwrap();
    assert!((mixed.report.clips[0].left_out_s[0] - 0.35).abs() < 0.06, "{:?}", mixed.report.clips);
    assert!((mixed.clip.num_frames() as f64 - (240.0 - 21.0)).abs() <= 4.0, "{}", mixed.clip.num_frames());
}

#[test]
fn a_left_turn_and_a_right_turn_make_a_straight_walk_of_full_stride() {
    let turning = |rate: f32| {
        let mut clip = swinging(180, |t| 6.0 * t);
        let mut place = Vec3::new(0.0, 0.9, 0.0);
        for frame in 0..180 {
            let heading = rate * frame as f32 / 60.0;
            clip.set_rotation(0, frame, Quat::from_rotation_y(heading));
            clip.root_mut().set(frame, place);
            place += Quat::from_rotation_y(heading + 0.5 * rate / 60.0) * Vec3::Z * 0.02;
        }
        clip
    };
    // More than half a turn to either side: headings are 220° apart at the end.
    let done = blend(&[&turning(0.64), &turning(-0.64)], &BlendConfig::new(&[0.5, 0.5]), &mut quiet).unwrap();
    let (start, end) = (done.clip.root().get(0), done.clip.root().get(179));
    assert!((end - start - Vec3::Z * 0.02 * 179.0).length() < 1e-3, "{}", end - start);
    for frame in 0..180 {
        assert!(angle_between(done.clip.rotation(0, frame), Quat::IDENTITY).to_degrees() < 0.01);
    }
}

#[test]
fn blends_last_a_rounded_mean_and_say_what_was_cut() {
    let (a, b) = (swinging(100, |t| 6.0 * t), swinging(101, |t| 6.0 * t * 99.0 / 100.0));
    let done = blend(&[&a, &b], &BlendConfig::new(&[0.2, 0.8]), &mut quiet).unwrap();
    // 99.8 steps of time between first and last frame are 100 steps of frames.
    assert_eq!(done.clip.num_frames(), 101);
    let plain = blend(&[&a, &b], &BlendConfig::plain(&[0.5, 0.5]), &mut quiet).unwrap();
    assert_eq!(plain.report.clips[0].left_out_s, [0.0, 0.0]);
    assert!((plain.report.clips[1].left_out_s[1] - 1.0 / 60.0).abs() < 1e-9);
}

#[test]
fn clips_of_very_different_length_align_end_to_end() {
    let (short, long) = (swinging(60, |t| 6.0 * t), swinging(500, |t| 0.72 * t));
    let done = align(&short, &long, &mut quiet).unwrap();
    assert!(done.times[0].abs() < 1e-9 && (done.times[59] - 499.0).abs() < 1e-9, "{:?}", done.report);
    assert!(done.times.windows(2).all(|pair| pair[1] > pair[0]));
}

#[test]
fn a_blend_of_a_clip_with_its_slower_self_keeps_the_swing() {
    let (fast, slow) = (swinging(180, |t| 8.0 * t), swinging(240, |t| 6.0 * t));
    let aligned = blend(&[&fast, &slow], &BlendConfig::new(&[0.5, 0.5]), &mut quiet).unwrap();
    // The weighted mean length, and the arms' full swing of 0.6 rad.
    assert!((aligned.clip.num_frames() as i64 - 210).abs() <= 1, "{}", aligned.clip.num_frames());
    let swing = |clip: &Clip| {
        (0..clip.num_frames()).map(|f| angle_between(clip.rotation(4, f), Quat::IDENTITY)).fold(0.0, f32::max)
    };
    assert!(swing(&aligned.clip) > 0.57, "{}", swing(&aligned.clip));
    // Frame by frame they drift out of phase and cancel.
    let late = |clip: &Clip| {
        (75..105).map(|f| angle_between(clip.rotation(4, f), Quat::IDENTITY)).fold(0.0, f32::max)
    };
    let plain = blend(&[&fast, &slow], &BlendConfig::plain(&[0.5, 0.5]), &mut quiet).unwrap().clip;
    assert!(late(&plain) < 0.45, "{}", late(&plain));
}

#[test]
fn starts_meet_on_the_ground_wherever_the_clips_stand() {
    let a = swinging(120, |t| 6.0 * t);
    let b = placed(&a, 2.0, Vec3::new(3.0, 0.0, -1.0));
    let done = blend(&[&a, &b], &BlendConfig::new(&[0.75, 0.25]), &mut quiet).unwrap();
    let first = done.clip.root().get(0);
    assert!((first - Vec3::new(0.75, 0.9, -0.25)).length() < 1e-5, "{first}");
    // The same walk, from the weighted mean start, facing 0.5 rad: nothing is lost of its length.
    let expected = placed(&a, 0.5, first - Quat::from_rotation_y(0.5) * a.root().get(0));
    let (angle, distance) = worst(&expected, &done.clip);
    assert!(angle < 1e-3 && distance < 1e-4, "{angle}° {distance} m");
    assert!((done.report.clips[1].turn_deg + 1.5_f64.to_degrees()).abs() < 1e-3);
}

#[test]
fn weight_curves_lead_from_one_clip_to_the_other_without_a_jump() {
    let (a, b) = (swinging(180, |t| 6.0 * t), swinging(180, |t| 6.0 * t + 0.4));
    let key = |time_s, weight| WeightKey { time_s, weight };
    let mut config = BlendConfig::plain(&[0.0, 0.0]);
    config.weights[0] = WeightCurve::through(vec![key(0.5, 1.0), key(2.0, 0.0)]).unwrap();
    config.weights[1] = WeightCurve::through(vec![key(0.5, 0.0), key(2.0, 1.0)]).unwrap();
    let done = blend(&[&a, &b], &config, &mut quiet).unwrap().clip;
    assert!(angle_between(done.rotation(4, 0), a.rotation(4, 0)) < 1e-6);
    assert!(angle_between(done.rotation(4, 179), b.rotation(4, 179)) < 1e-6);
    for frame in 1..180 {
        assert!(angle_between(done.rotation(4, frame - 1), done.rotation(4, frame)) < 0.08);
    }
}

#[test]
fn qlerp_is_near_the_exact_mean_and_not_the_same() {
    let clips: Vec<Clip> = (0..4).map(|k| wandering_clip(k, 60, 0.02)).collect();
    let list: Vec<&Clip> = clips.iter().collect();
    let exact = BlendConfig::plain(&[0.4, 0.3, 0.2, 0.1]);
    let quick = BlendConfig { method: BlendMethod::Qlerp, ..exact.clone() };
    let one = blend(&list, &exact, &mut quiet).unwrap().clip;
    let other = blend(&list, &quick, &mut quiet).unwrap().clip;
    let (angle, _) = worst(&one, &other);
    assert!(angle > 1e-3 && angle < 3.0, "{angle}");
}

#[test]
fn other_skeletons_are_refused_by_joint() {
    let a = swinging(30, |t| t);
    let mut joints: Vec<Joint> = body().joints().to_vec();
    joints[5].offset.x = 0.33;
    joints[9].name = "shin".into();
    let b = Clip::at_rest(Skeleton::build(joints).unwrap(), 60.0, 30).unwrap();
    let error = blend(&[&a, &b], &BlendConfig::new(&[0.5, 0.5]), &mut quiet).unwrap_err().to_string();
    assert!(error.contains("\"leftLowerArm\" is 33.0 cm") && error.contains("\"shin\""), "{error}");
    assert!(matches!(
        transition(&a, &b, TransitionConfig::default(), &mut quiet),
        Err(TransitionError::Skeleton { .. })
    ));
}

#[test]
fn bad_weights_are_refused_with_what_to_do() {
    let a = swinging(30, |t| t);
    let wrong =
        |clips: &[&Clip], weights: &[f64]| blend(clips, &BlendConfig::new(weights), &mut quiet).unwrap_err();
    assert_eq!(wrong(&[&a], &[1.0]), BlendError::TooFew { clips: 1 });
    assert_eq!(wrong(&[&a, &a], &[1.0]), BlendError::WeightCount { weights: 1, clips: 2 });
    assert!(matches!(wrong(&[&a, &a], &[1.0, -1.0]), BlendError::ZeroSum { .. }));
    assert!(matches!(wrong(&[&a, &a], &[f64::NAN, 1.0]), BlendError::Weight { clip: 0, .. }));
    let empty = Clip::at_rest(body(), 60.0, 0).unwrap();
    assert!(matches!(wrong(&[&a, &empty], &[0.5, 0.5]), BlendError::Empty { clip: 1, .. }));
}

#[test]
fn a_clip_of_no_weight_takes_no_part() {
    // The third is shorter, slower and elsewhere: at weight 0 it decides nothing, not even the length.
    let (a, b) = (swinging(180, |t| 6.0 * t), swinging(200, |t| 5.4 * t + 0.3));
    let c = placed(&swinging(50, |t| 4.0 * t), 1.0, Vec3::X);
    for base in [BlendConfig::new(&[]), BlendConfig::plain(&[])] {
        let with = |clips: &[&Clip], weights: &[f64]| {
            let weights = weights.iter().map(|&w| WeightCurve::constant(w)).collect();
            blend(clips, &BlendConfig { weights, ..base.clone() }, &mut quiet).unwrap()
        };
        let two = with(&[&a, &b], &[1.0, 1.0]);
        for (clips, weights) in [
            ([&a, &b, &c], [1.0, 1.0, 0.0]),
            ([&a, &c, &b], [1.0, 0.0, 1.0]),
            ([&c, &a, &b], [0.0, 1.0, 1.0]),
        ] {
            let three = with(&clips, &weights);
            assert_eq!(three.clip.num_frames(), two.clip.num_frames());
            for frame in 0..two.clip.num_frames() {
                assert_eq!(three.clip.pose(frame), two.clip.pose(frame));
            }
            let parts: Vec<bool> = three.report.clips.iter().map(|clip| clip.takes_part).collect();
            assert_eq!(parts, weights.map(|w| w > 0.0));
        }
    }
    let nothing = blend(&[&a, &b], &BlendConfig::new(&[0.0, 0.0]), &mut quiet);
    assert!(matches!(nothing, Err(BlendError::ZeroSum { .. })));
}

#[test]
fn weights_whose_sum_passes_through_zero_are_refused_with_the_time() {
    let (a, b) = (swinging(180, |t| 6.0 * t), swinging(180, |t| 6.0 * t + 0.4));
    let key = |time_s, weight| WeightKey { time_s, weight };
    let refused = |first: Vec<WeightKey>, second: Vec<WeightKey>| {
        [BlendConfig::new(&[]), BlendConfig::plain(&[])].map(|base| {
            let weights = [first.clone(), second.clone()].map(|keys| WeightCurve::through(keys).unwrap());
            match blend(&[&a, &b], &BlendConfig { weights: weights.to_vec(), ..base }, &mut quiet) {
                Err(BlendError::ZeroSum { time_s, .. }) => Some(time_s),
                Err(error) => panic!("{error}"),
                Ok(_) => None,
            }
        })
    };
    // 1 − 2(3u² − 2u³) + 0: through 0 in the middle, 1.013 s, between two frames.
    for time in refused(vec![key(0.0, 1.0), key(2.026, -1.0)], vec![key(0.0, 0.0), key(1.0, 1e-9)]) {
        assert!((time.unwrap() - 1.013).abs() < 1e-3, "{time:?}");
    }
    // Down and up again within one frame of 1/60 s.
    let dip = vec![key(0.502, 1.0), key(0.506, -1.0), key(0.510, 1.0)];
    for time in refused(dip, vec![key(0.0, 0.0), key(1.0, 1e-9)]) {
        assert!((0.502..0.506).contains(&time.unwrap()), "{time:?}");
    }
    // After the end nothing is asked for.
    assert_eq!(refused(vec![key(5.0, 1.0), key(6.0, -1.0)], vec![key(0.0, 1.0)]), [None, None]);
    // A sum that stays above 0 is no trouble.
    assert_eq!(refused(vec![key(0.0, 1.0), key(2.0, -0.4)], vec![key(0.0, 1.0)]), [None, None]);
}

#[test]
fn weights_that_nearly_cancel_do_not_fill_the_memory() {
    let (a, b) = (swinging(180, |t| 6.0 * t), swinging(300, |t| 3.6 * t));
    let error = blend(&[&a, &b], &BlendConfig::new(&[-0.97, 1.0]), &mut quiet).unwrap_err();
    assert!(matches!(error, BlendError::TooLong { .. }), "{error}");
}

#[test]
fn a_clip_of_two_frames_is_said_to_be_stretched() {
    let (a, b) = (swinging(180, |t| 6.0 * t), swinging(2, |t| 6.0 * t));
    let done = blend(&[&a, &b], &BlendConfig::new(&[0.5, 0.5]), &mut quiet).unwrap();
    assert!(done.report.clips[1].aligned.unwrap().slowest < 0.01, "{:?}", done.report.clips);
}

#[test]
fn added_t_poses_have_no_part_in_blends_and_transitions() {
    let a = swinging(90, |t| 6.0 * t);
    let mut with = swinging(91, |t| 6.0 * (t - 1.0 / 60.0));
    with.set_pose(0, &ugoki_base::pose::Pose::rest(&body()));
    with.tpose_frame = true;
    let plain = blend(&[&a, &a], &BlendConfig::new(&[0.5, 0.5]), &mut quiet).unwrap().clip;
    let other = blend(&[&with, &a], &BlendConfig::new(&[0.5, 0.5]), &mut quiet).unwrap().clip;
    assert!(!other.tpose_frame);
    let (angle, distance) = worst(&plain, &other);
    assert!(angle < 0.01 && distance < 1e-4, "{angle}° {distance} m");
    let joined = transition(&with, &with, TransitionConfig::default(), &mut quiet).unwrap();
    assert_eq!(joined.clip.num_frames(), 90 + 90 - 20);
}

#[test]
fn a_transition_leaves_what_lies_outside_its_window_and_does_not_jump() {
    let a = swinging(120, |t| 6.0 * t);
    let b = placed(&swinging(100, |t| 5.0 * t + 0.7), -1.2, Vec3::new(-4.0, 0.0, 2.0));
    let done = transition(&a, &b, TransitionConfig { seconds: 0.5, ground: true }, &mut quiet).unwrap();
    assert_eq!((done.report.start, done.report.frames), (90, 30));
    assert_eq!(done.clip.num_frames(), 190);
    for frame in 0..90 {
        assert_eq!(done.clip.pose(frame), a.pose(frame));
    }
    for frame in 30..100 {
        for joint in 1..a.num_joints() {
            assert_eq!(done.clip.rotation(joint, frame + 90), b.rotation(joint, frame));
        }
    }
    let step = |clip: &Clip, frame: usize| (clip.root().get(frame) - clip.root().get(frame - 1)).length();
    // The inputs move 20 and 17 mm per frame; nothing in the result may move faster than both together.
    let fastest = (1..190).map(|frame| step(&done.clip, frame)).fold(0.0, f32::max);
    assert!(fastest < 0.03, "{fastest}");
    for frame in 1..190 {
        let turn = angle_between(done.clip.rotation(0, frame - 1), done.clip.rotation(0, frame));
        assert!(turn.to_degrees() < 1.0, "frame {frame}: {turn}");
    }
    assert!(matches!(
        transition(&a, &b, TransitionConfig { seconds: 3.0, ground: true }, &mut quiet),
        Err(TransitionError::TooLong { frames: 180, .. })
    ));
    // No window at all: one clip behind the other.
    let cut = transition(&a, &a, TransitionConfig { seconds: 0.0, ground: true }, &mut quiet).unwrap();
    assert_eq!(cut.clip.num_frames(), 240);
}
