//! CMU's takes stand the same whichever file they come from: AMC, BVH with its T-pose, BVH without; needs
//! `UGOKI_CAPTURES`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::angle_between;
use ugoki_base::skeleton::{Role, Skeleton, with_fingers};
use ugoki_formats::{Companion, ReadOptions, read, read_with};
use ugoki_motion::retarget::{Evidence, RetargetConfig, Stance};
use ugoki_sample as sample;

use crate::retarget_support::{bare, moved};

/// Takes in both formats; subject 8 has no skeleton file here, so its AMC is read with that of subject 11, whose limbs
/// have the same directions.
const TWINS: [(&str, &str, bool); 2] =
    [("11_01.amc", "cmu/sport/11_01.bvh", true), ("08_02.amc", "cmu/locomotion/08_02.bvh", false)];

fn folder(checks: usize) -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set ({checks} checks)");
    }
    folder
}

fn bvh(file: &Path) -> Clip {
    read(&std::fs::read(file).unwrap(), Some("bvh"), &ReadOptions::default()).unwrap().clip
}

fn amc(folder: &Path, name: &str) -> Clip {
    let bytes = std::fs::read(folder.join("asfamc").join(name)).unwrap();
    let asf = &mut |_: Companion<'_>| std::fs::read(folder.join("asfamc/11.asf")).ok();
    read_with(&bytes, Some("amc"), &ReadOptions::default(), asf).unwrap().clip
}

/// The body that databases have.
fn body() -> Arc<Skeleton> {
    with_fingers(&sample::skeleton())
}

/// World directions of all bones of a frame, with the joint that each leads to.
fn directions(clip: &Clip, frame: usize) -> Vec<(usize, Vec3)> {
    let model = clip.model_pose(frame);
    let skeleton = clip.skeleton();
    (1..skeleton.num_joints())
        .filter_map(|joint| {
            let from = model.positions[skeleton.parent(joint)?];
            Some((joint, (model.positions[joint] - from).normalize_or_zero()))
        })
        .collect()
}

/// Largest angle between the bones of two clips on one skeleton over the motion, degrees, and the joint it leads to.
fn bones_apart(a: &Clip, b: &Clip) -> (f32, String) {
    let (from_a, from_b) = (a.motion_frames().start, b.motion_frames().start);
    let frames = a.motion_frames().len().min(b.motion_frames().len());
    assert!(frames > 100);
    let mut worst = (0.0_f32, String::new());
    for frame in (0..frames).step_by(7) {
        let pairs = directions(a, from_a + frame).into_iter().zip(directions(b, from_b + frame));
        for ((joint, p), (_, q)) in pairs {
            let angle = p.cross(q).length().atan2(p.dot(q)).to_degrees();
            if angle > worst.0 {
                worst = (angle, a.skeleton().joint(joint).name.clone());
            }
        }
    }
    worst
}

#[test]
fn a_take_has_the_same_bones_from_amc_and_from_bvh() {
    let Some(folder) = folder(4) else { return };
    for (name, twin, same_body) in TWINS {
        let (amc, bvh) = (amc(&folder, name), bvh(&folder.join(twin)));
        assert_eq!(Stance::from_clip(&amc).unwrap().evidence(), Evidence::KnownRig);
        assert_eq!(Stance::from_clip(&bvh).unwrap().evidence(), Evidence::TPoseFrame);
        let (a, b) = (moved(&amc, &body(), &bare()).clip, moved(&bvh, &body(), &bare()).clip);
        let (worst, joint) = bones_apart(&a, &b);
        println!("{name}: {worst:.3}° to {joint}");
        // f32 and the digits of both files; 08_02 also shows that the directions do not hang on the subject's lengths.
        assert!(worst < 0.1, "{name}: {worst}° to {joint}");
        if same_body {
            // The BVH lacks the thorax bone, not legs or floor: holding the feet gives the same too.
            let config = RetargetConfig::default();
            let (a, b) = (moved(&amc, &body(), &config).clip, moved(&bvh, &body(), &config).clip);
            let (worst, joint) = bones_apart(&a, &b);
            println!("{name}, feet held: {worst:.3}° to {joint}");
            assert!(worst < 1.0, "{name}, feet held: {worst}° to {joint}");
        }
    }
}

/// The turns of the known T-pose are those of every CMU file, not of one.
#[test]
fn every_cmu_capture_stands_the_same_with_and_without_its_t_pose() {
    let Some(folder) = folder(100) else { return };
    let mut checked = 0;
    for kind in ["gesture", "locomotion", "physics", "sport"] {
        for entry in std::fs::read_dir(folder.join("cmu").join(kind)).unwrap() {
            let file = entry.unwrap().path();
            let clip = bvh(&file);
            assert!(clip.tpose_frame, "{}", file.display());
            let with = clip.trimmed(0..9.min(clip.num_frames())).unwrap();
            let without = with.trimmed(1..with.num_frames()).unwrap();
            let (a, b) = (moved(&with, &body(), &bare()), moved(&without, &body(), &bare()));
            assert_eq!(a.report.mapping.source_stance, Evidence::TPoseFrame);
            assert_eq!(b.report.mapping.source_stance, Evidence::KnownRig, "{}", file.display());
            for frame in 0..without.num_frames() {
                let (p, q) = (a.clip.model_pose(frame + 1), b.clip.model_pose(frame));
                for joint in 0..body().num_joints() {
                    let apart = angle_between(p.rotations[joint], q.rotations[joint]).to_degrees();
                    // Arc cosines of f32 rotations.
                    assert!(apart < 0.05, "{}: {} {apart}°", file.display(), body().joint(joint).name);
                }
            }
            checked += 1;
        }
    }
    assert!(checked > 90, "{checked}");
    println!("{checked} captures");
}

#[test]
fn one_joint_for_all_fingers_bends_them_all() {
    let Some(folder) = folder(1) else { return };
    let clip = bvh(&folder.join("cmu/sport/11_01.bvh"));
    let out = moved(&clip, &body(), &bare()).clip;
    let at = |role: Role| body().find(role).unwrap();
    for frame in out.motion_frames().step_by(50) {
        let model = out.model_pose(frame);
        let hand = model.rotations[at(Role::LeftHand)];
        let bend = |role: Role| angle_between(hand, model.rotations[at(role)]).to_degrees();
        let index = bend(Role::LeftIndexProximal);
        for role in [Role::LeftMiddleProximal, Role::LeftRingProximal, Role::LeftLittleProximal] {
            assert!((bend(role) - index).abs() < 10.0, "{role} {} index {index}", bend(role));
        }
    }
}
