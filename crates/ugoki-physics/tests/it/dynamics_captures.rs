//! Bodies of real captures; skipped, and said so, without `UGOKI_CAPTURES`.

use std::path::PathBuf;

use glam::DVec2;
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_formats::{ReadOptions, read};
use ugoki_physics::dynamics::{
    Body, BodyConfig, BodyState, Factors, Kinematics, MassMatrix, SupportPolygon, Workspace, centroid,
    crba_into, excess_into, kinematics_into, measured_axes, rnea_into, root_wrench, zmp,
};

/// Squats, lifting, jumps and walks of seven people.
const CLIPS: [(&str, &str); 8] = [
    ("physics", "22_14"),
    ("physics", "23_14"),
    ("physics", "115_01"),
    ("physics", "13_39"),
    ("physics", "16_01"),
    ("physics", "49_18"),
    ("locomotion", "35_05"),
    ("locomotion", "16_15"),
];

fn capture(set: &str, name: &str) -> Option<Clip> {
    let folder = PathBuf::from(std::env::var_os("UGOKI_CAPTURES")?);
    let file = folder.join("cmu").join(set).join(name).with_extension("bvh");
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Some(read(&bytes, Some("bvh"), &ReadOptions::default()).unwrap().clip)
}

fn body(clip: &Clip) -> Body {
    Body::build(clip.skeleton(), &BodyConfig::default()).unwrap()
}

#[test]
fn captured_people_get_whole_bodies() {
    for (set, name) in CLIPS {
        let Some(clip) = capture(set, name) else {
            return println!("skipped: UGOKI_CAPTURES is not set ({} checks)", CLIPS.len());
        };
        let body = body(&clip);
        assert_eq!(body.num_dofs(), 36, "{name}");
        assert!((body.mass() - 65.0).abs() < 1e-9);
        assert!((1.45..1.95).contains(&body.stature()), "{name}: {}", body.stature());
        let (mut workspace, mut state) = (Workspace::new(&body), BodyState::rest(&body));
        let (mut h, mut factors) = (MassMatrix::new(&body), Factors::new(&body));
        for frame in clip.motion_frames().step_by(20) {
            state.set_pose(&body, &clip.model_pose(frame));
            crba_into(&body, &state, &mut workspace, &mut h);
            factors.factor(&h);
            assert!(factors.is_positive(), "{name} frame {frame}");
        }
    }
}

#[test]
fn knees_bend_about_the_axes_that_anatomy_says_and_elbows_near_them() {
    for (set, name) in CLIPS {
        let Some(clip) = capture(set, name) else {
            return println!("skipped: UGOKI_CAPTURES is not set ({} checks)", CLIPS.len());
        };
        let body = body(&clip);
        let axes = measured_axes(&body, &clip);
        for (role, axis) in &axes {
            let off = axis.angle_between(body.link(body.find(*role).unwrap()).axis).to_degrees();
            // CMU's skeletons have their knees' axes along the leg's normal; their elbows are tilted by 30°.
            let most = if matches!(role, Role::LeftLowerLeg | Role::RightLowerLeg) { 1.0 } else { 32.0 };
            assert!(off < most, "{name} {role}: {off}°");
        }
        let knees = axes.iter().filter(|(role, _)| matches!(role, Role::LeftLowerLeg | Role::RightLowerLeg));
        assert_eq!(knees.count(), 2, "{name}");
    }
}

#[test]
fn standing_people_stand_on_their_soles() {
    // Clips that begin with both feet on the ground: the added T-pose has flat feet, and in the first second of the
    // motion the centre of mass stays over them.
    for (set, name) in
        [("physics", "22_14"), ("physics", "23_14"), ("physics", "115_01"), ("physics", "13_39")]
    {
        let Some(clip) = capture(set, name) else {
            return println!("skipped: UGOKI_CAPTURES is not set (4 checks)");
        };
        let body = body(&clip);
        let n = body.num_dofs();
        let (mut workspace, mut state) = (Workspace::new(&body), BodyState::rest(&body));
        let mut kinematics = Kinematics::new(&body);
        let soles: Vec<usize> =
            body.feet().iter().flat_map(|foot| [Some(foot.foot), foot.toes]).flatten().collect();
        assert!(clip.tpose_frame, "{name}");
        state.set_pose(&body, &clip.model_pose(0));
        kinematics_into(&body, &state, &mut kinematics);
        for foot in body.feet() {
            let heights: Vec<f64> =
                body.link(foot.foot).sole.iter().map(|&p| kinematics.link(foot.foot).point(p).y).collect();
            let spread = heights.iter().fold(0.0f64, |m, h| m.max((h - heights[0]).abs()));
            assert!(spread < 0.03, "{name} {:?}: a T-pose's sole is tilted by {spread} m", foot.side);
        }
        let frame = clip.motion_frames().start + 30;
        state.set_pose(&body, &clip.model_pose(frame));
        let mut tau = vec![0.0; n];
        rnea_into(&body, &state, &vec![0.0; n], &[], &mut workspace, &mut tau);
        let com = centroid(&body, workspace.kinematics()).com;
        let p = zmp(&root_wrench(workspace.kinematics(), &tau), 0.0, 1.0).unwrap();
        assert!((p.x - com.x).abs() + (p.z - com.z).abs() < 1e-9);
        let polygon = SupportPolygon::from_soles(&body, workspace.kinematics(), &soles);
        let margin = polygon.margin(DVec2::new(p.x, p.z));
        assert!(margin > 0.0, "{name}: the centre of mass is {margin} m out of the soles");
        // No body stands at the end of a joint's range: 10° allow for the capture's skeleton.
        let mut excess = vec![0.0; n];
        excess_into(&body, &state, &mut excess);
        let worst = excess.iter().fold(0.0f64, |m, e| m.max(e.abs())).to_degrees();
        assert!(worst < 10.0, "{name}: {worst}° out of range");
    }
}
