//! The solve against the truth: markers fixed to the sample actor.

use ugoki_base::no_progress;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::markers::{Markers, SolveConfig, Solved, resolve, solve};
use ugoki_base::math::{angle_between, quantile};
use ugoki_base::skeleton::Role;
use ugoki_formats::{Format, ReadOptions, UpAxis, WriteOptions, read, write_markers};
use ugoki_sample as sample;

use crate::marker_support::{map, moved, plug_in_gait, with_noise};

const CLIPS: [&str; 6] = ["walk", "run", "squat", "throw", "wave", "turn-left"];

fn solved(markers: &Markers) -> Solved {
    let found = resolve(markers.labels(), None).unwrap();
    solve(markers, &found, &SolveConfig::default(), &mut no_progress()).unwrap()
}

/// Distances, metres, of a joint from the truth over all frames.
fn errors(truth: &Clip, found: &Clip, role: Role) -> Vec<f64> {
    let a = truth.joint_path(truth.skeleton().find(role).unwrap());
    let b = found.joint_path(found.skeleton().find(role).unwrap());
    a.iter().zip(&b).map(|(a, b)| f64::from(a.distance(*b))).collect()
}

const WELL: [Role; 8] = [
    Role::LeftUpperLeg,
    Role::RightUpperLeg,
    Role::LeftLowerLeg,
    Role::RightLowerLeg,
    Role::LeftFoot,
    Role::RightFoot,
    Role::LeftHand,
    Role::RightHand,
];
const LESS: [Role; 8] = [
    Role::LeftToes,
    Role::RightToes,
    Role::LeftLowerArm,
    Role::RightLowerArm,
    Role::LeftUpperArm,
    Role::RightUpperArm,
    Role::Neck,
    Role::Head,
];

#[test]
fn joint_centres_come_back() {
    for (medial, noise) in [(true, 0.0), (false, 0.0), (false, 0.001)] {
        println!("medial markers {medial}, noise {} mm: median / p95 / max mm", 1e3 * noise);
        for role in WELL.into_iter().chain(LESS) {
            let mut all = Vec::new();
            for name in CLIPS {
                let clip = sample::clip(name).unwrap();
                let markers = plug_in_gait(&clip, medial);
                let markers = if noise > 0.0 { with_noise(&markers, noise, 7) } else { markers };
                all.extend(errors(&clip, &solved(&markers).clip, role));
            }
            let [median, p95, max] = [0.5, 0.95, 1.0].map(|p| 1e3 * quantile(&all, p).unwrap());
            println!("  {:<14} {median:6.1} {p95:6.1} {max:6.1}", role.name());
            // With both sides of a joint marked its centre is known; with one side the width is usual and the
            // axis is seen only while the joint bends.
            let bound = match (WELL.contains(&role), medial) {
                (true, true) => 5.0,
                (true, false) => 12.0,
                (false, _) => 45.0,
            };
            assert!(p95 < bound + 3e3 * f64::from(noise), "{role}: {p95:.1} mm");
        }
    }
}

#[test]
fn lengths_are_constant_and_the_rest_pose_is_a_t_pose() {
    let found = solved(&with_noise(&plug_in_gait(&sample::clip("walk").unwrap(), false), 0.002, 3));
    assert!(found.clip.translations().is_empty());
    let skeleton = found.clip.skeleton();
    assert!(ugoki_base::skeleton::is_t_pose(skeleton, &skeleton.rest_positions()));
    assert_eq!(found.held, []);
}

#[test]
fn turning_and_moving_the_room_turns_and_moves_the_motion() {
    let markers = plug_in_gait(&sample::clip("throw").unwrap(), false);
    let plain = solved(&markers).clip;
    let (turn, shift) = (Quat::from_euler(glam::EulerRot::XYZ, 0.7, -1.9, 0.4), Vec3::new(3.0, -1.0, 2.0));
    let other = solved(&moved(&markers, turn, shift)).clip;
    for frame in (0..plain.num_frames()).step_by(7) {
        let (a, b) = (plain.model_pose(frame), other.model_pose(frame));
        for joint in 0..plain.num_joints() {
            // Single precision three metres from the origin.
            let p = turn * a.positions[joint] + shift;
            assert!(
                p.distance(b.positions[joint]) < 1e-4,
                "{} in frame {frame}",
                plain.skeleton().joint(joint).name
            );
            assert!(angle_between(turn * a.rotations[joint], b.rotations[joint]) < 1e-3);
        }
    }
}

#[test]
fn the_order_of_labels_does_not_matter() {
    let markers = plug_in_gait(&sample::clip("wave").unwrap(), true);
    let count = markers.labels().len();
    let order: Vec<usize> = (0..count).map(|i| (i * 17 + 5) % count).collect();
    let labels = order.iter().map(|&i| format!("Ann:{}", markers.labels()[i].to_lowercase())).collect();
    let points = order.iter().flat_map(|&i| markers.track(i).to_vec()).collect();
    let shuffled = Markers::new(labels, markers.fps(), points).unwrap();
    assert_eq!(solved(&markers).clip, solved(&shuffled).clip);
}

#[test]
fn unit_and_axes_of_the_file_do_not_matter() {
    let markers = plug_in_gait(&sample::clip("squat").unwrap(), false);
    let mut clips = Vec::new();
    for (unit, up) in [(1.0, UpAxis::Y), (0.001, UpAxis::Y), (0.01, UpAxis::Z)] {
        let how = WriteOptions { up: Some(up), unit_metres: Some(unit), ..WriteOptions::default() };
        let bytes = write_markers(&markers, Format::Trc, &how).unwrap().bytes;
        // Neither is given: the unit is in the file, up is found from the body.
        let found = read(&bytes, Some("trc"), &ReadOptions::default()).unwrap();
        assert_eq!(found.up, up);
        assert_eq!(found.markers.as_ref(), Some(&markers));
        clips.push(found.clip);
    }
    assert!(clips.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn gaps_are_filled_from_neighbours_or_held_and_reported() {
    let clip = sample::clip("walk").unwrap();
    let whole = plug_in_gait(&clip, false);
    let index = |label: &str| whole.labels().iter().position(|known| known == label).unwrap();
    let (hip, toe, wrist) = (index("LPSI"), index("RTOE"), [index("LWRA"), index("LWRB")]);
    let gappy = map(&whole, |p, marker, frame| {
        let lost = (marker == hip && (40..120).contains(&frame))
            || (marker == toe && (60..66).contains(&frame))
            || (wrist.contains(&marker) && (80..130).contains(&frame));
        if lost { Vec3::NAN } else { p }
    });
    let found = solved(&gappy);
    assert_eq!((found.filled_rigid, found.filled_short), (80, 6));
    let held: Vec<(Role, usize)> = found.held.clone();
    assert!(held.contains(&(Role::LeftLowerArm, 50)), "{held:?}");
    assert!(
        held.iter().all(|(role, _)| [Role::LeftLowerArm, Role::LeftHand, Role::LeftUpperArm].contains(role)),
        "{held:?}"
    );
    // A pelvis is rigid, so a marker that was lost changes nothing there.
    let plain = solved(&whole).clip;
    let worst = errors(&plain, &found.clip, Role::LeftUpperLeg).into_iter().fold(0.0, f64::max);
    assert!(worst < 1e-4, "{worst} m");
    let worst = errors(&plain, &found.clip, Role::RightToes).into_iter().fold(0.0, f64::max);
    assert!(worst < 0.01, "a tenth of a second is bridged to {worst} m");
}

#[test]
fn residuals_are_the_noise() {
    let clip = sample::clip("walk").unwrap();
    let found = solved(&with_noise(&plug_in_gait(&clip, true), 0.002, 11));
    for group in &found.groups {
        // Three coordinates of 2 mm noise are 3.5 mm; shoulders ride on a girdle that no marker turns.
        assert!(group.rms_m > 0.0005 && group.rms_m < 0.02, "{}: {:.1} mm", group.role, 1e3 * group.rms_m);
    }
    let swapped = {
        let labels: Vec<String> = plug_in_gait(&clip, true)
            .labels()
            .iter()
            .map(|label| match label.as_str() {
                "LKNE" => "RKNE".to_owned(),
                "RKNE" => "LKNE".to_owned(),
                other => other.to_owned(),
            })
            .collect();
        let whole = plug_in_gait(&clip, true);
        let points = (0..labels.len()).flat_map(|m| whole.track(m).to_vec()).collect();
        Markers::new(labels, whole.fps(), points).unwrap()
    };
    let worst = solved(&swapped).groups.iter().map(|group| group.rms_m).fold(0.0, f64::max);
    assert!(worst > 0.03, "two swapped labels show: {:.0} mm", 1e3 * worst);
}
