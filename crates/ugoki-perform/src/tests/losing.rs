//! Points that are lost while a performance goes on.

use super::*;
use ugoki_base::no_progress;

#[test]
fn a_limb_lost_in_the_middle_is_left_out_and_reported() {
    let clips = ["front-kick", "punch", "bow"].map(|name| sample::clip(name).unwrap());
    let (model, _) = taught(&clips.each_ref().map(|clip| (clip, clip)));
    let kick = &clips[0];
    let foot = kick.skeleton().find(Role::RightFoot).unwrap();
    let highest = |poses: &[Pose]| {
        let height =
            |pose: &Pose| ugoki_base::pose::forward_kinematics(kick.skeleton(), pose).positions[foot].y;
        poses.iter().map(height).fold(0.0, f32::max)
    };
    let actor = kick.joint_path(foot).iter().map(|p| p.y).fold(0.0, f32::max);
    let leg = [Role::RightLowerLeg, Role::RightFoot, Role::RightToes];
    let arm = [Role::LeftLowerArm, Role::LeftHand];
    for limb in [&leg[1..], &leg[..], &arm[..]] {
        let mut runner = Runner::build(&model, kick.skeleton(), kick.fps(), RunConfig::default()).unwrap();
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let (mut shown, mut wrong) = (Vec::new(), 0);
        for (number, frame) in kick.motion_frames().chain(kick.motion_frames()).enumerate() {
            let mut body = kick.model_pose(frame);
            let second = number >= kick.num_frames();
            for &role in limb.iter().filter(|_| second) {
                body.positions[kick.skeleton().find(role).unwrap()] = Vec3::NAN;
            }
            let found = runner.step(&model, kick.skeleton(), &body, &mut pose).unwrap();
            if second {
                wrong += usize::from(found.known && found.motion != 0);
                shown.push(pose.clone());
            }
        }
        let lost: Vec<Role> = runner.lost().map(|(role, _)| role).collect();
        assert_eq!(lost, limb, "the loss is reported");
        assert!(runner.lost().all(|(_, seconds)| seconds > 1.0));
        let height = highest(&shown);
        assert!((height - actor).abs() < 0.02, "without {limb:?}: {height} of {actor} m");
        assert!(wrong * 10 < shown.len(), "without {limb:?}: {wrong} of {} frames", shown.len());
    }
}

#[test]
fn what_is_filled_in_where_an_imitation_is_lost_does_not_matter() {
    let kick = sample::clip("front-kick").unwrap();
    let hip = kick.skeleton().find(Role::RightUpperLeg).unwrap();
    let lost = 60..100;
    let filled = |turn: f32| {
        let mut poses: Vec<Pose> = kick.motion_frames().map(|frame| kick.pose(frame)).collect();
        poses[lost.clone()].iter_mut().for_each(|pose| pose.rotations[hip] = Quat::from_rotation_x(turn));
        Clip::from_poses(kick.skeleton().clone(), kick.fps(), &poses).unwrap()
    };
    let seconds = lost.start as f64 / kick.fps()..lost.end as f64 / kick.fps();
    let leg = [Role::RightLowerLeg, Role::RightFoot, Role::RightToes];
    let unseen = leg.map(|role| Unseen { role, seconds: seconds.clone() }).to_vec();
    let model = |turn: f32, unseen: &[Unseen]| {
        let performer = filled(turn);
        let imitation = Imitation { actor: &kick, performer: Some(&performer) };
        let go_on = &mut no_progress();
        learn_seen(&[imitation], &[unseen.to_vec()], &LearnConfig::default(), go_on).unwrap().0
    };
    assert_eq!(model(0.3, &unseen), model(-1.2, &unseen), "the lost frames are not looked at");
    assert_ne!(model(0.3, &[]), model(-1.2, &[]), "they would have been");
}
