//! A body whose steps were changed goes as far as its feet carry it: laws, and the table of `docs/results/signal.md`:
//!
//! ```text
//! UGOKI_TABLES=1 UGOKI_CAPTURES=… cargo test --release -p ugoki-motion --test it signal_travel -- --nocapture --test-threads 1
//! ```

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::math::angle_between;
use ugoki_base::signal::{EqualizeConfig, Part, equalize, keep_hinges, num_bands};
use ugoki_base::skeleton::Role;
use ugoki_feet::contact::find_feet;
use ugoki_motion::blend::{Travelled, follow_feet};
use ugoki_sample as sample;
use ugoki_testing::bodies::{quiet, wandering_clip};
use ugoki_testing::captures;

/// Equalised with `gains`, then led by its feet.
fn equalized(clip: &Clip, gains: &[f64], part: Option<Part>) -> (Clip, Travelled) {
    let mut all = gains.to_vec();
    all.resize(num_bands(clip.motion_frames().len()).max(gains.len()), 1.0);
    let mut plain = equalize(clip, &EqualizeConfig { gains: all, part }, &mut quiet).unwrap().clip;
    keep_hinges(clip, &mut plain);
    let travelled = follow_feet(clip, plain.clone(), &mut quiet).unwrap();
    (plain, travelled)
}

fn walk() -> Clip {
    sample::clip("walk").unwrap()
}

/// Lowest height of any heel, toe or tip of toes, metres.
fn lowest(clip: &Clip) -> f32 {
    let feet = find_feet(clip.skeleton()).unwrap().feet;
    let points = clip.motion_frames().flat_map(|frame| {
        let pose = clip.model_pose(frame);
        feet.map(|foot| {
            let joint = foot.toe.joint;
            let tips = clip.skeleton().joint(joint).tips.iter().map(|tip| pose.point(joint, *tip).y);
            tips.fold(pose.positions[foot.ankle].y.min(foot.toe.position(&pose).y), f32::min)
        })
    });
    points.fold(f32::INFINITY, f32::min)
}

/// Largest turn of either knee from a frame to the next, degrees.
fn knee_step(clip: &Clip) -> f32 {
    let knees = find_feet(clip.skeleton()).unwrap().feet.map(|foot| foot.lower);
    let motion = clip.motion_frames();
    let steps = knees.into_iter().flat_map(|knee| (motion.start + 1..motion.end).map(move |f| (knee, f)));
    let step = |(knee, f): (usize, usize)| angle_between(clip.rotation(knee, f - 1), clip.rotation(knee, f));
    steps.map(step).fold(0.0, f32::max).to_degrees()
}

/// Largest acceleration of the hips over a tenth of a second, m/s².
fn hips_acceleration(clip: &Clip) -> f64 {
    let path = &clip.joint_path(clip.skeleton().find(Role::Hips).unwrap())[clip.motion_frames()];
    let reach = ((0.05 * clip.fps()).round() as usize).max(1);
    let seconds = reach as f64 / clip.fps();
    let bends = path.windows(2 * reach + 1).map(|w| (w[0] - 2.0 * w[reach] + w[2 * reach]).length());
    bends.fold(0.0, |worst: f64, bend| worst.max(f64::from(bend) / (seconds * seconds)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn standing_feet_stay_whatever_the_gains(low in 0.0..1.6_f64, stride in 0.1..1.6_f64, high in 0.0..2.0_f64) {
        let (_, travelled) = equalized(&walk(), &[1.0, 1.0, low, stride, high], None);
        let slide = travelled.report.unwrap().slide_m_s;
        // The sample's own feet creep by a millimetre a second; half a centimetre is not seen.
        prop_assert!(slide[2] < slide[0] + 0.005, "{slide:?}");
        prop_assert!(lowest(&travelled.clip) > lowest(&walk()) - 3e-3, "{}", lowest(&travelled.clip));
    }

    #[test]
    fn no_knee_snaps_whatever_the_gains(stride in 0.1..3.0_f64, high in 0.0..3.0_f64) {
        let (_, travelled) = equalized(&walk(), &[1.0, 1.0, 1.0, stride, high], None);
        let (was, is) = (knee_step(&walk()), knee_step(&travelled.clip));
        // As much faster as the gains say, and as much again for legs that are led.
        let gain = stride.max(high).max(1.0) as f32;
        prop_assert!(is < 2.0 * gain * was, "{is}° from {was}° at {stride}, {high}");
        // A little more gain changes a little.
        let (_, more) = equalized(&walk(), &[1.0, 1.0, 1.0, stride + 1e-3, high + 1e-3], None);
        for frame in 0..more.clip.num_frames() {
            for joint in 0..more.clip.num_joints() {
                let apart = angle_between(travelled.clip.rotation(joint, frame), more.clip.rotation(joint, frame));
                prop_assert!(apart < 0.02, "joint {joint} frame {frame}: {apart}");
            }
        }
    }

    #[test]
    fn place_and_heading_do_not_matter(x in -4.0..4.0_f32, z in -4.0..4.0_f32, yaw in -3.1..3.1_f32) {
        let moved = |clip: &Clip| {
            let (turn, mut clip) = (Quat::from_rotation_y(yaw), clip.clone());
            for frame in 0..clip.num_frames() {
                let place = turn * clip.root().get(frame) + Vec3::new(x, 0.0, z);
                clip.root_mut().set(frame, place);
                clip.set_rotation(0, frame, turn * clip.rotation(0, frame));
            }
            clip
        };
        let gains = [1.0, 1.0, 1.0, 0.6, 0.4];
        let here = moved(&equalized(&walk(), &gains, None).1.clip);
        let there = equalized(&moved(&walk()), &gains, None).1.clip;
        for frame in (0..here.num_frames()).step_by(7) {
            let apart = (here.root().get(frame) - there.root().get(frame)).length();
            // f32 coordinates some metres from the origin, summed over the clip.
            prop_assert!(apart < 1e-3, "frame {frame}: {apart}");
            for joint in 0..here.num_joints() {
                prop_assert!(angle_between(here.rotation(joint, frame), there.rotation(joint, frame)) < 5e-3);
            }
        }
    }
}

#[test]
fn what_the_feet_do_not_feel_changes_nothing() {
    let walk = walk();
    let (plain, travelled) = equalized(&walk, &[1.0, 1.0, 1.0, 0.4, 0.2], Some(Part::LeftArm));
    assert_eq!((travelled.report, &travelled.clip), (None, &plain));
    let (plain, travelled) = equalized(&walk, &[1.0; 5], None);
    assert_eq!((travelled.report, &travelled.clip), (None, &plain));
    // Feet that are no feet: nothing is known to stand.
    let clip = ugoki_base::clip::Clip::at_rest(walk.skeleton().clone(), 60.0, 1).unwrap();
    assert_eq!(follow_feet(&clip, clip.clone(), &mut quiet).unwrap().report, None);
    let wandering = wandering_clip(3, 60, 0.05);
    assert!(follow_feet(&wandering, wandering.clone(), &mut quiet).unwrap().report.is_none());
}

#[test]
fn shorter_steps_go_less_far_and_longer_ones_farther() {
    let way =
        |stride: f64| equalized(&walk(), &[1.0, 1.0, 1.0, stride, stride], None).1.report.unwrap().way_m;
    let ways = [0.25, 0.5, 0.75, 1.25, 1.5].map(|stride| way(stride)[1]);
    assert!(ways.windows(2).all(|pair| pair[0] + 0.2 < pair[1]), "{ways:?}");
    assert!(ways[2] < way(0.5)[0] && way(0.5)[0] < ways[3], "{ways:?}");
}

#[test]
fn only_legs_and_the_place_of_the_root_change() {
    let (plain, travelled) = equalized(&walk(), &[1.0, 1.0, 1.0, 0.5, 0.2], None);
    let legs: Vec<usize> = find_feet(plain.skeleton())
        .unwrap()
        .feet
        .iter()
        .flat_map(|f| [f.upper, f.lower, f.ankle, f.toe.joint])
        .collect();
    for frame in 0..plain.num_frames() {
        for joint in (0..plain.num_joints()).filter(|joint| !legs.contains(joint)) {
            assert!(
                angle_between(plain.rotation(joint, frame), travelled.clip.rotation(joint, frame)) < 1e-6
            );
        }
    }
}

#[test]
fn the_mirror_image_travels_as_the_mirror_image() {
    let gains = [1.0, 1.0, 1.0, 0.5, 0.2];
    let [a, b] = [
        equalized(&walk(), &gains, None).1.clip.mirrored(),
        equalized(&walk().mirrored(), &gains, None).1.clip,
    ];
    for frame in 0..a.num_frames() {
        assert!((a.root().get(frame) - b.root().get(frame)).length() < 1e-3, "frame {frame}");
    }
}

#[test]
fn a_walk_in_place_stays_there_and_over_the_floor() {
    let still = walk().with_root_motion(ugoki_base::clip::RootMotion::InPlace);
    for gain in [0.4, 1.6] {
        let (_, travelled) = equalized(&still, &[1.0, 1.0, 1.0, gain, gain], None);
        let report = travelled.report.unwrap();
        assert!(report.in_place && report.way_m[1] < report.way_m[0] + 0.5, "{report:?}");
        assert!(lowest(&travelled.clip) > lowest(&still) - 6e-3, "{gain}: {}", lowest(&travelled.clip));
    }
}

#[test]
fn an_added_t_pose_stays_and_a_wish_to_stop_is_heard() {
    let walk = walk();
    let mut poses: Vec<_> = (0..walk.num_frames()).map(|frame| walk.pose(frame)).collect();
    poses.insert(0, ugoki_base::pose::Pose::rest(walk.skeleton()));
    let mut with = Clip::from_poses(walk.skeleton().clone(), walk.fps(), &poses).unwrap();
    with.tpose_frame = true;
    let gains = [1.0, 1.0, 1.0, 0.5, 0.2];
    let (_, travelled) = equalized(&with, &gains, None);
    assert_eq!(travelled.clip.pose(0), with.pose(0));
    let alone = equalized(&walk, &gains, None).1;
    assert_eq!(travelled.clip.pose(100), alone.clip.pose(99));
    let stopped = follow_feet(&walk, walk.clone(), &mut |_| std::ops::ControlFlow::Break(()));
    assert!(stopped.is_err());
}

/// Name, gains, and the three: bands from about a third of a hertz, where strides are.
const KINDS: [(&str, f64); 4] =
    [("calm ×0.5", 0.5), ("nervous ×1.5", 1.5), ("still ×0.2", 0.2), ("wild ×2", 2.0)];

/// Gains for the bands that begin between 0.3 and 5 Hz.
fn stride_gains(clip: &Clip, gain: f64) -> Vec<f64> {
    let found = ugoki_base::signal::bands(clip, &mut quiet).unwrap();
    found.iter().map(|band| if (0.25..5.0).contains(&band.low_hz) { gain } else { 1.0 }).collect()
}

#[test]
fn captured_feet_slide_no_faster_than_captured() {
    let Some(folder) = captures::folder(4) else { return };
    for name in ["locomotion/16_15", "locomotion/69_17", "locomotion/35_25", "sport/135_04"] {
        let clip = captures::capture(&folder, &format!("cmu/{name}.bvh"));
        let (_, travelled) = equalized(&clip, &stride_gains(&clip, 0.5), None);
        let [captured, plain, kept] = travelled.report.unwrap().slide_m_s;
        assert!(kept < captured + 0.01, "{name}: {captured} {plain} {kept}");
    }
}

#[test]
fn table_of_captures() {
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: prints a table over all captures; set UGOKI_TABLES=1");
        return;
    }
    let Some(folder) = captures::folder(1) else { return };
    let clips = captures::all(&folder);
    println!(
        "| gains on 0.3–5 Hz | clips | slide on the old way cm/s: median, worst | above captured, after: median, worst | lower than captured mm, worst | hips' acceleration / captured: median, worst | largest step of a knee / captured: median, worst |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (kind, gain) in KINDS {
        let [mut plain, mut after, mut low, mut bend, mut knees] = [const { Vec::new() }; 5];
        for (name, clip, _) in clips.iter().filter(|(_, clip, _)| clip.motion_frames().len() > 50) {
            let (plain_clip, travelled) = equalized(clip, &stride_gains(clip, gain), None);
            let Some(report) = travelled.report else { continue };
            let [captured, old, kept] = report.slide_m_s;
            plain.push((100.0 * old, name));
            after.push((100.0 * (kept - captured), name));
            low.push((1e3 * f64::from(lowest(clip) - lowest(&travelled.clip)), name));
            bend.push((hips_acceleration(&travelled.clip) / hips_acceleration(clip), name));
            knees.push((f64::from(knee_step(&travelled.clip) / knee_step(clip)), name));
            if knee_step(&travelled.clip) > 8.0 && knee_step(clip) < 4.0 {
                println!(
                    "snap {kind} {name}: {} from {}, without feet {}",
                    knee_step(&travelled.clip),
                    knee_step(clip),
                    knee_step(&plain_clip)
                );
            }
        }
        let show = |list: &mut Vec<(f64, &String)>, digits: usize| {
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (worst, name) = list[list.len() - 1];
            format!("{:.digits$}, {worst:.digits$} ({name})", list[list.len() / 2].0)
        };
        println!(
            "| {kind} | {} | {} | {} | {} | {} | {} |",
            plain.len(),
            show(&mut plain, 1),
            show(&mut after, 2),
            show(&mut low, 1),
            show(&mut bend, 2),
            show(&mut knees, 2)
        );
    }
}
