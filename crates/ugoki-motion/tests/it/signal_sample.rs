//! Despiking and blending the built-in sample motions.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::signal::{DespikeConfig, FilterConfig, Kernel, despike, filter};
use ugoki_base::skeleton::Role;
use ugoki_motion::blend::{BlendConfig, blend, hold_filtered_feet};
use ugoki_sample as sample;
use ugoki_testing::bodies::quiet;

fn motion(name: &str) -> Clip {
    sample::clip(name).unwrap_or_else(|| panic!("no sample motion {name}"))
}

#[test]
fn kicks_punches_and_throws_are_not_glitches() {
    for clip in sample::clips() {
        let done = despike(&clip, &DespikeConfig::default(), &mut quiet).unwrap();
        assert_eq!(done.report.values_changed, 0, "{}: {:?}", clip.name, done.report);
        assert_eq!(done.clip, clip);
    }
}

#[test]
fn feet_that_both_walks_plant_do_not_slide_in_the_blend() {
    for (a, b) in [("walk", "walk-fast"), ("walk-slow", "walk"), ("turn-left", "turn-right"), ("idle", "bow")]
    {
        for w in [0.25, 0.5, 0.8] {
            let (a, b) = (motion(a), motion(b));
            let done = blend(&[&a, &b], &BlendConfig::new(&[1.0 - w, w]), &mut quiet).unwrap();
            assert!(!done.report.contacts.is_empty(), "{} + {}", a.name, b.name);
            for contact in &done.report.contacts {
                assert!(contact.slide_after_m < 5e-3, "{} + {}: {contact:?}", a.name, b.name);
            }
            let lengths = |clip: &Clip, frame: usize| -> Vec<f32> {
                let pose = clip.model_pose(frame);
                let parent = |j: usize| clip.skeleton().parent(j).unwrap_or(j);
                (0..clip.num_joints())
                    .map(|j| pose.positions[j].distance(pose.positions[parent(j)]))
                    .collect()
            };
            for (x, y) in lengths(&a, 0).iter().zip(lengths(&done.clip, done.clip.num_frames() / 2)) {
                assert!((x - y).abs() < 1e-5, "no bone changes its length");
            }
        }
    }
}

#[test]
fn weight_one_gives_the_walk_back_contacts_kept_or_not() {
    let (a, b) = (motion("walk"), motion("walk-fast"));
    let done = blend(&[&a, &b], &BlendConfig::new(&[1.0, 0.0]), &mut quiet).unwrap();
    assert!(done.report.contacts.is_empty());
    for frame in 0..a.num_frames() {
        for joint in 0..a.num_joints() {
            let off =
                ugoki_base::math::angle_between(a.rotation(joint, frame), done.clip.rotation(joint, frame));
            assert!(off.to_degrees() < 1e-4, "{off}");
        }
        assert!((a.root().get(frame) - done.clip.root().get(frame)).length() < 1e-5);
    }
}

#[test]
fn reaching_up_and_reaching_back_and_down_blend_into_reaching_sideways() {
    let (up, back) = (motion("reach-up"), motion("reach-back-down"));
    let done = blend(&[&up, &back], &BlendConfig::new(&[0.5, 0.5]), &mut quiet).unwrap().clip;
    // The hand relative to the hips, in the hips' own heading at the start, when it is farthest from the chest.
    let reach = |clip: &Clip| -> Vec3 {
        let find = |role| clip.skeleton().find(role).unwrap();
        let (hand, shoulder) = (find(Role::RightHand), find(Role::RightUpperArm));
        let farthest = clip
            .motion_frames()
            .map(|frame| clip.model_pose(frame))
            .max_by(|p, q| {
                let far = |m: &ugoki_base::pose::ModelPose| m.positions[hand].distance(m.positions[0]);
                far(p).total_cmp(&far(q))
            })
            .unwrap();
        let start = clip.rotation(0, clip.motion_frames().start);
        let heading = Quat::from_rotation_y(start.to_euler(glam::EulerRot::YXZ).0);
        heading.conjugate() * (farthest.positions[hand] - farthest.positions[shoulder])
    };
    let (high, low, side) = (reach(&up), reach(&back), reach(&done));
    println!("up {high}, back {low}, blend {side}");
    assert!(side.y < high.y && side.y > low.y, "between in height: {side}");
    // The character's right is −X.
    assert!(-side.x > 0.25, "out to the right: {side}");
    assert!(-side.x > -high.x && side.z > low.z, "farther out than up, less far back than back: {side}");
}

/// Mean distance of joints from the true walk, metres.
fn distance_from_walk(clip: &Clip) -> f32 {
    let walk = motion("walk");
    let frames = (0..walk.num_frames()).map(|frame| {
        let (is, should) = (clip.model_pose(frame), walk.model_pose(frame));
        let joints = is.positions.iter().zip(&should.positions).map(|(is, should)| is.distance(*should));
        joints.sum::<f32>() / walk.num_joints() as f32
    });
    frames.sum::<f32>() / walk.num_frames() as f32
}

#[test]
fn feet_held_in_a_filtered_noisy_walk_leave_it_near_the_true_one() {
    let noisy = sample::noisy_walk().unwrap();
    for kernel in ["gauss:2.5", "binomial:9"] {
        let kernel = Kernel::build(&kernel.parse().unwrap()).unwrap();
        let plain = filter(&noisy, &kernel, FilterConfig::default(), &mut quiet).unwrap().clip;
        let (held, found) = hold_filtered_feet(&noisy, &plain, &mut quiet).unwrap().unwrap();
        let [before, after] = [&plain, &held].map(distance_from_walk);
        // Hips and feet go where the filtered stances are on the average: a few millimetres from the truth.
        assert!(after < before + 0.004, "{before} m → {after} m: {found:?}");
        assert!(found.slide_mm_s[2] < 0.3 * found.slide_mm_s[1], "{found:?}");
    }
}
