//! Points that are lost while a performance goes on.

use super::*;

#[test]
fn a_limb_that_is_lost_in_the_middle_is_done_without_and_told() {
    let clips = ["front-kick", "punch", "bow"].map(|name| sample::clip(name).unwrap());
    let (model, _) = taught(&clips.each_ref().map(|clip| (clip, clip)));
    let kick = &clips[0];
    let foot = kick.skeleton().find(Role::RightFoot).unwrap();
    let highest = |poses: &[Pose]| {
        let height = |pose: &Pose| crate::pose::forward_kinematics(kick.skeleton(), pose).positions[foot].y;
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
        assert_eq!(lost, limb, "what is lost is told");
        assert!(runner.lost().all(|(_, seconds)| seconds > 1.0));
        let height = highest(&shown);
        assert!((height - actor).abs() < 0.02, "without {limb:?}: {height} of {actor} m");
        assert!(wrong * 10 < shown.len(), "without {limb:?}: {wrong} of {} frames", shown.len());
    }
}
