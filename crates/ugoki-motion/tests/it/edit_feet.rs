//! Feet that stand stand still, wherever they are put: every sample motion.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::pose::forward_kinematics;
use ugoki_feet::contact::{ContactConfig, Contacts, find_contacts, find_feet};
use ugoki_motion::edit::{FootTrack, GroundFrame};
use ugoki_sample as sample;

fn track(clip: &Clip, side: usize) -> FootTrack {
    let foot = find_feet(clip.skeleton()).unwrap().feet[side];
    let poses: Vec<_> =
        (0..clip.num_frames()).map(|f| forward_kinematics(clip.skeleton(), &clip.pose(f))).collect();
    let toe = poses[0].rotations[foot.ankle].inverse()
        * (foot.toe.position(&poses[0]) - poses[0].positions[foot.ankle]);
    FootTrack {
        ankle: poses.iter().map(|pose| pose.positions[foot.ankle]).collect(),
        rotation: poses.iter().map(|pose| pose.rotations[foot.ankle]).collect(),
        toe,
    }
}

/// Largest distance of a labelled heel or toe from where its label began, metres.
fn slip(track: &FootTrack, contacts: &Contacts, side: usize) -> f32 {
    let toe = |frame: usize| track.ankle[frame] + track.rotation[frame] * track.toe;
    let feet = &contacts.feet[side];
    let heels = feet
        .heel
        .iter()
        .flat_map(|range| range.clone().map(|f| track.ankle[f].distance(track.ankle[range.start])));
    let toes =
        feet.toe.iter().flat_map(|range| range.clone().map(move |f| toe(f).distance(toe(range.start))));
    heels.chain(toes).fold(0.0, f32::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn labelled_heels_and_toes_do_not_move(
        motion in 0..sample::motions().len(), side in 0..2_usize,
        wishes in prop::collection::vec((-0.5..0.5_f32, -0.2..0.2_f32, -0.5..0.5_f32, -1.0..1.0_f32), 64),
    ) {
        let clip = sample::motions()[motion].clip();
        let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
        let source = track(&clip, side);
        let stances = source.stances(&contacts.feet[side]);
        let placements: Vec<GroundFrame> = stances.iter().zip(wishes.iter().cycle()).map(|(stance, &(x, y, z, yaw))| {
            let from = source.ankle[stance.start];
            GroundFrame::carrying(from, from + Vec3::new(x, y, z), yaw)
        }).collect();
        let held = source.held(&contacts.feet[side], &placements, 12);
        // f32 positions of some metres.
        prop_assert!(slip(&held, &contacts, side) < 2e-5, "{} slips {} m", clip.name, slip(&held, &contacts, side));
        prop_assert!(held.ankle.iter().all(|p| p.is_finite()));
        // Each placement is met in the middle of its stance up to what holding itself moved there.
        let here = source.held(&contacts.feet[side], &vec![GroundFrame::HERE; stances.len()], 12);
        for (stance, placement) in stances.iter().zip(&placements) {
            let middle = (stance.start + stance.end) / 2;
            prop_assert!(held.ankle[middle].distance(placement.point(here.ankle[middle])) < 2e-5);
        }
    }

    #[test]
    fn one_move_for_all_stances_moves_the_track_rigidly(motion in 0..sample::motions().len(), side in 0..2_usize, yaw in -3.0..3.0_f32) {
        let clip = sample::motions()[motion].clip();
        let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
        let source = track(&clip, side);
        let count = source.stances(&contacts.feet[side]).len();
        prop_assume!(count > 0);
        let placement = GroundFrame { yaw, shift: Vec3::new(1.0, 0.2, -2.0) };
        let here = source.held(&contacts.feet[side], &vec![GroundFrame::HERE; count], 12);
        let there = source.held(&contacts.feet[side], &vec![placement; count], 12);
        for (a, b) in here.ankle.iter().zip(&there.ankle) {
            prop_assert!(placement.point(*a).distance(*b) < 1e-4);
        }
        for (a, b) in here.rotation.iter().zip(&there.rotation) {
            prop_assert!((Quat::from_rotation_y(yaw) * *a).angle_between(*b) < 3e-3);
        }
    }
}

/// A capture cut two frames before a stance whose toe creeps: its held place is centimetres away, and the two frames are no time to get there.
#[test]
fn frames_beside_the_only_stance_do_not_jump_to_it() {
    let creep = |frame: usize| Vec3::new(0.0015 * frame as f32, 0.08, 0.0);
    let source = FootTrack {
        ankle: (0..60).map(creep).collect(),
        rotation: vec![Quat::IDENTITY; 60],
        toe: Vec3::new(0.0, -0.07, 0.14),
    };
    for (stance, fade) in [(2..60, 9), (0..58, 9), (1..59, 9)] {
        let labels = FootContacts { heel: Vec::new(), toe: vec![stance.clone()] };
        let held = source.held(&labels, &[GroundFrame::HERE], fade);
        let step = held.ankle.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f32::max);
        // Before: 2 cm in each of two frames. Now what is left of its own creep and of the fade.
        assert!(step < 0.005, "{stance:?}: {step} m in a frame");
    }
    // A long way before it is as captured.
    let mut labels = FootContacts::default();
    labels.toe.push(40..60);
    assert_eq!(source.held(&labels, &[GroundFrame::HERE], 9).ankle[0], source.ankle[0]);
}
