//! Properties of segments edited by handles: requests are met, everything outside stays, feet stand, bones keep their lengths.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::{Clip, Time};
use ugoki_base::no_progress;
use ugoki_base::skeleton::Role;
use ugoki_feet::contact::{ContactConfig, find_contacts};
use ugoki_motion::edit::{
    Distribution, EditConfig, EditError, EditedHandles, Handle, HandleRequest, Place, edit_handles,
    handle_paths,
};
use ugoki_motion::reconstruct::Rebuild;
use ugoki_sample as sample;

const ROLES: [Role; 4] = [Role::RightHand, Role::LeftHand, Role::Head, Role::Hips];

fn offset(role: Role, by: Vec3) -> HandleRequest {
    HandleRequest { handle: Handle::Role(role), place: Place::Offset(by), velocity_m_s: None, at: None }
}

fn edit(
    clip: &Clip,
    frames: std::ops::Range<usize>,
    requests: &[HandleRequest],
    config: EditConfig,
) -> EditedHandles {
    edit_handles(clip, &frames, requests, &config, &mut no_progress()).unwrap()
}

fn with(distribution: Distribution) -> EditConfig {
    EditConfig { distribution, ..EditConfig::default() }
}

fn vector(size: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from_array)
}

fn same_pose(a: &Clip, b: &Clip, frame: usize) -> bool {
    a.pose(frame) == b.pose(frame)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn requests_are_met_and_everything_outside_stays(
        role in 0..ROLES.len(), by in vector(0.04), velocity in vector(0.5), which in 0..4_usize, start in 2_usize..20, closed in any::<bool>(),
    ) {
        let (clip, how) = (sample::clip("wave").unwrap(), Distribution::ALL[which]);
        let frames = start..start + 40;
        // Lower: 4 cm to the side over straight legs are 1 mm out of reach.
        let by = Vec3::new(by.x, -0.01 - by.y.abs(), by.z);
        // The closed form turns only the last joint before a head: it cannot follow by relaxation.
        let rebuild = if closed && ROLES[role] != Role::Head { Rebuild::Closed } else { Rebuild::default() };
        let request = HandleRequest { velocity_m_s: Some(velocity), ..offset(ROLES[role], by) };
        let edited = edit(&clip, frames.clone(), &[request], EditConfig { distribution: how, rebuild });
        let report = &edited.report;
        prop_assert!(report.handles[0].is_met(), "{:?}", report.handles[0]);
        if how.meets_velocity() {
            let reached = Vec3::from_array(report.handles[0].velocity_reached_m_s);
            // Two positions, each within 0.01 mm, a frame apart.
            prop_assert!(reached.distance(velocity) < 2.0 * 2e-5 * clip.fps() as f32 + 1e-3, "{reached} {velocity}");
        }
        prop_assert!(report.skeleton.bone_mm < 0.01 && report.skeleton.feet_mm < 0.1, "{:?}", report.skeleton);
        prop_assert!((0..=start).all(|frame| same_pose(&clip, &edited.clip, frame)));
        let returned = report.returned_s.map_or(clip.num_frames(), |s| (s * clip.fps()).round() as usize);
        prop_assert!((returned..clip.num_frames()).all(|frame| same_pose(&clip, &edited.clip, frame)));
    }

    #[test]
    fn a_target_where_it_was_captured_changes_nothing(role in 0..ROLES.len(), which in 0..4_usize, start in 0_usize..40) {
        let clip = sample::clip("wave").unwrap();
        let frames = start..start + 30;
        let edited = edit(&clip, frames, &[offset(ROLES[role], Vec3::ZERO)], with(Distribution::ALL[which]));
        prop_assert!((0..clip.num_frames()).all(|frame| same_pose(&clip, &edited.clip, frame)));
        prop_assert!(edited.report.texture.max_deg == 0.0);
    }

    #[test]
    fn moving_the_source_over_the_ground_moves_the_result(
        by in vector(0.1), yaw in -3.0..3.0_f32, x in -3.0..3.0_f32, z in -3.0..3.0_f32, which in 0..4_usize,
    ) {
        let clip = sample::clip("wave").unwrap();
        let (turn, shift) = (Quat::from_rotation_y(yaw), Vec3::new(x, 0.0, z));
        let mut moved = clip.clone();
        for frame in 0..clip.num_frames() {
            let mut pose = clip.pose(frame);
            (pose.root, pose.rotations[0]) = (turn * pose.root + shift, turn * pose.rotations[0]);
            moved.set_pose(frame, &pose);
        }
        let how = with(Distribution::ALL[which]);
        let here = edit(&clip, 10..50, &[offset(Role::RightHand, by)], how);
        let there = edit(&moved, 10..50, &[offset(Role::RightHand, turn * by)], how);
        for frame in 0..clip.num_frames() {
            let (a, b) = (here.clip.model_pose(frame), there.clip.model_pose(frame));
            for (a, b) in a.positions.iter().zip(&b.positions) {
                // f32 metres a few metres from the origin, through nine rotations.
                prop_assert!((turn * *a + shift).distance(*b) < 2e-5);
            }
        }
    }

    #[test]
    fn a_request_inside_the_segment_cuts_it_without_a_jump(
        first in vector(0.05), last in vector(0.05), velocity in prop::option::of(vector(0.5)), middle in 18_usize..36, one in any::<bool>(),
    ) {
        let clip = sample::clip("wave").unwrap();
        let how = if one { Distribution::OneStage } else { Distribution::TwoStage };
        let inside = HandleRequest { at: Some(Time::Frames(middle)), velocity_m_s: velocity, ..offset(Role::RightHand, first) };
        let edited = edit(&clip, 10..50, &[offset(Role::RightHand, last), inside], with(how));
        prop_assert!(edited.report.handles.iter().all(ugoki_motion::edit::HandleReport::is_met), "{:?}", edited.report.handles);
        let hand = clip.skeleton().find(Role::RightHand).unwrap();
        let (was, is) = (clip.joint_path(hand), edited.clip.joint_path(hand));
        let by: Vec<Vec3> = was.iter().zip(&is).map(|(a, b)| *b - *a).collect();
        // The velocity passes the cut about as smoothly as it passes other frames; the linear distribution has kinks nowhere else.
        let kink = |frame: usize| (by[frame + 1] - 2.0 * by[frame] + by[frame - 1]).length();
        let usual = (12_usize..60).filter(|&frame| frame != middle).map(kink).fold(0.0, f32::max);
        prop_assert!(kink(middle) < 2.0 * usual + 1e-4, "{} {usual}", kink(middle));
        if let Some(velocity) = velocity {
            prop_assert!(Vec3::from_array(edited.report.handles[1].velocity_reached_m_s).distance(velocity) < 1e-2);
        }
    }

    #[test]
    fn a_foot_is_moved_while_it_swings_and_stands_where_it_was_put(x in -0.08..0.08_f32, z in -0.08..0.08_f32, which in 0..4_usize, left in any::<bool>()) {
        let clip = sample::clip("walk").unwrap();
        let role = if left { Role::LeftFoot } else { Role::RightFoot };
        let ankle = clip.skeleton().find(role).unwrap();
        let stances = find_contacts(&clip, &ContactConfig::default()).unwrap().feet[usize::from(!left)].any();
        // From the middle of one stance to the middle of the next.
        let [a, b] = [&stances[1], &stances[2]].map(|stance| (stance.start + stance.end) / 2);
        let by = Vec3::new(x, 0.0, z);
        let edited = edit(&clip, a..b + 1, &[offset(role, by)], with(Distribution::ALL[which]));
        let (was, is) = (clip.joint_path(ankle), edited.clip.joint_path(ankle));
        let moved = |frame: usize| is[frame] - was[frame];
        prop_assert!(edited.report.handles[0].is_met() && !edited.report.handles[0].is_dragged, "{:?}", edited.report.handles);
        prop_assert!(stances[1].clone().all(|frame| moved(frame).length() < 1e-4));
        prop_assert!(stances[2].clone().all(|frame| moved(frame).distance(by) < 2e-4));
        prop_assert!(stances.get(3).is_none_or(|stance| stance.clone().all(|frame| moved(frame).length() < 1e-4)));
        prop_assert!(edited.report.skeleton.feet_mm < 0.1, "{:?}", edited.report.skeleton);
    }
}

/// A hand that was asked to be 50 m away took the body 17 m with it.
#[test]
fn what_is_out_of_reach_is_approached_without_taking_the_feet_or_the_hips_along() {
    let clip = sample::clip("wave").unwrap();
    let far = [
        Vec3::new(50.0, 0.0, 0.0),
        Vec3::new(5.0, 1.0, 3.0),
        Vec3::new(0.0, -30.0, 0.0),
        Vec3::new(0.0, 0.0, 1.5),
    ];
    for rebuild in [Rebuild::default(), Rebuild::Closed, Rebuild::Relax { sweeps: 200 }] {
        for role in [Role::RightHand, Role::Head, Role::Hips, Role::LeftFoot] {
            for by in far {
                let config = EditConfig { rebuild, ..EditConfig::default() };
                let edited = edit(&clip, 10..50, &[offset(role, by)], config);
                let (handle, fit) = (&edited.report.handles[0], &edited.report.skeleton);
                let what = format!("{rebuild} {} {by}", role.name());
                assert!(!handle.is_met() && fit.bone_mm < 0.01, "{what}: {handle:?} {fit:?}");
                assert!(
                    (handle.off_mm
                        - 1e3
                            * Vec3::from_array(handle.reached_m).distance(Vec3::from_array(handle.asked_m)))
                    .abs()
                        < 0.1
                );
                // Legs of this body are 0.85 m long: hips move by half of that at most, or within their reach where they are the handle.
                let most_mm = if role == Role::Hips { 1700.0 } else { 430.0 };
                assert!(fit.hips_mm < most_mm && fit.feet_mm < 0.2, "{what}: {fit:?}");
                // It comes nearer than where it was captured: upwards a standing body has nothing to give.
                assert!(handle.off_mm < 1e3 * by.length() + 0.1, "{what}: {handle:?}");
                assert!(
                    (0..clip.num_frames()).all(|frame| edited
                        .clip
                        .pose(frame)
                        .rotations
                        .iter()
                        .all(|q| q.is_finite()))
                );
                let root: Vec<Vec3> = edited.clip.root().iter().collect();
                let jump = root.windows(2).map(|x| x[0].distance(x[1])).fold(0.0, f32::max);
                // A head that the spine cannot follow is followed by the hips, which stop where the feet let them.
                let most = if role == Role::Head { 0.25 } else { 0.12 };
                assert!(jump < most, "{what}: {jump}");
            }
        }
    }
}

/// Hips above what straight legs allow were reported as the nearest place, and more sweeps went farther away.
#[test]
fn more_sweeps_do_not_miss_by_more() {
    let clip = sample::clip("wave").unwrap();
    for (role, by) in [
        (Role::Hips, Vec3::new(0.0, 0.3, 0.0)),
        (Role::Hips, Vec3::new(0.5, 0.1, 0.2)),
        (Role::Head, Vec3::new(0.1, 0.4, 0.3)),
        (Role::RightHand, Vec3::new(0.2, 0.6, 0.4)),
        (Role::RightHand, Vec3::new(-2.0, 0.0, 2.0)),
    ] {
        let off = |sweeps: usize| {
            let config = EditConfig { rebuild: Rebuild::Relax { sweeps }, ..EditConfig::default() };
            edit(&clip, 10..50, &[offset(role, by)], config).report.handles[0].off_mm
        };
        let found = [4, 12, 50, 400].map(off);
        // A centimetre: relaxation takes other ways to the same distance.
        assert!(found.windows(2).all(|off| off[1] < off[0] + 10.0), "{} {by}: {found:?}", role.name());
    }
}

#[test]
fn linear_is_i_over_n_and_paths_of_all_distributions_end_where_asked() {
    let clip = sample::clip("wave").unwrap();
    let by = Vec3::new(0.1, -0.1, 0.05);
    let found = handle_paths(&clip, &(10..50), &[offset(Role::RightHand, by)]).unwrap();
    let paths = &found[0];
    assert_eq!(paths.frames.start, 10);
    for (i, (was, is)) in paths.captured.iter().zip(&paths.edited[0]).enumerate().take(40) {
        assert!((*is - *was).distance(by * i as f32 / 39.0) < 1e-6);
    }
    for path in &paths.edited {
        assert!(path[0] == paths.captured[0] && path[39].distance(paths.asked[0].1) < 1e-6);
    }
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    let clip = sample::clip("wave").unwrap();
    let run = |frames: std::ops::Range<usize>, requests: &[HandleRequest]| {
        edit_handles(&clip, &frames, requests, &EditConfig::default(), &mut no_progress()).unwrap_err()
    };
    let hand = offset(Role::RightHand, Vec3::X);
    let tail = HandleRequest { handle: Handle::Joint("tail".to_owned()), ..hand.clone() };
    assert!(run(0..40, &[tail]).to_string().contains("tail"));
    assert!(matches!(run(5..7, std::slice::from_ref(&hand)), EditError::TooShort { samples: 2 }));
    assert!(matches!(run(5..50, &[]), EditError::NoRequest));
    assert!(matches!(run(5..50, &[hand.clone(), hand.clone()]), EditError::Twice { .. }));
    let nan = HandleRequest { place: Place::World(Vec3::NAN), ..hand.clone() };
    assert!(matches!(run(5..50, &[nan]), EditError::NotFinite { .. }));
    for frame in [2, 6, 60] {
        let late = HandleRequest { at: Some(Time::Frames(frame)), ..hand.clone() };
        assert!(matches!(run(5..50, &[late]), EditError::Moment { .. }), "{frame}");
    }
    let near = HandleRequest { at: Some(Time::Frames(48)), ..hand.clone() };
    assert!(matches!(run(5..50, &[near, hand]), EditError::TooShort { .. }));
}

/// A foot that was asked 15 cm ahead in a walk stretched its leg: the knee turned at three times its captured speed.
#[test]
fn hips_go_along_with_a_foot_that_is_moved() {
    let clip = sample::clip("walk").unwrap();
    let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
    let stance = contacts.feet[0].any()[1].clone();
    let middle = usize::midpoint(stance.start, stance.end);
    for ahead in [-0.1, 0.05, 0.1, 0.15] {
        let request = offset(Role::LeftFoot, Vec3::new(0.0, 0.0, ahead));
        let edited = edit(&clip, 1..middle, &[request], EditConfig::default());
        let (handle, fit, body) = (&edited.report.handles[0], &edited.report.skeleton, &edited.report.body);
        assert!(handle.is_met() && fit.feet_mm < 0.5, "{ahead}: {handle:?} {fit:?}");
        // A longer step takes a faster knee; a leg that snaps straight takes three times the captured speed.
        let ratio = body.joint_speed_deg_s / body.source_joint_speed_deg_s;
        assert!(ratio < 1.3, "{ahead}: {ratio} {body:?}");
        // Steps longer by more than a sixth of this walk's accelerate the hips by more than 8 m/s², which is reported.
        assert_eq!(body.is_implausible, body.hips_m_s2 > 8.0, "{ahead}: {body:?}");
        assert!(ahead.abs() > 0.1 || !body.is_implausible, "{ahead}: {body:?}");
    }
}
