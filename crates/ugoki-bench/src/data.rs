//! Motions and a body, the same for Ugoki and its peers.

use std::path::Path;
use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::dynamics::{Body, BodyConfig, mjcf};
use ugoki::formats::bvh;
use ugoki::math::{Random, exp};
use ugoki::pose::Pose;
use ugoki::sample;
use ugoki::skeleton::{Joint, Skeleton};

use crate::Outcome;
use crate::tasks::compose;

/// Joints of a body in every task, as CMU's captures have.
pub(crate) const JOINTS: usize = 31;
/// Lengths of motions, frames.
pub(crate) const LENGTHS: [usize; 5] = [100, 300, 1000, 3000, 10_000];

/// Writes what the peers read.
pub(crate) fn write(folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder)?;
    for frames in LENGTHS {
        std::fs::write(folder.join(format!("walk_{frames}.bvh")), walk_bvh(frames)?)?;
    }
    for clips in compose::SIZES {
        std::fs::write(folder.join(format!("network_{clips}.txt")), compose::edge_list(clips))?;
    }
    let body = Body::build(&sample::skeleton(), &BodyConfig::default())?;
    std::fs::write(folder.join("body.xml"), mjcf(&body))?;
    Ok(())
}

/// The sample actor's walk on 31 joints, again and again, as a file.
pub(crate) fn walk_bvh(frames: usize) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let walk = walk();
    let poses: Vec<Pose> = (0..frames).map(|frame| walk.pose(frame % walk.num_frames())).collect();
    let clip = Clip::from_poses(walk.skeleton().clone(), walk.fps(), &poses)?;
    Ok(bvh::write(&clip, &bvh::WriteOptions::default()).bytes)
}

/// The sample actor's walk on a body with joints more: 31.
pub(crate) fn walk() -> Clip {
    let walk = sample::clip("walk").expect("the sample actor walks");
    let mut joints = walk.skeleton().joints().to_vec();
    while joints.len() < JOINTS {
        let name = format!("extra{}", joints.len());
        joints.push(Joint::new(name, Some(5), Vec3::Y * 0.05));
    }
    let skeleton = Skeleton::build(joints).expect("extra joints hang from the head");
    let poses: Vec<Pose> = (0..walk.num_frames())
        .map(|frame| {
            let mut pose = walk.pose(frame);
            pose.rotations.resize(JOINTS, Quat::IDENTITY);
            pose
        })
        .collect();
    Clip::from_poses(skeleton, walk.fps(), &poses).expect("the rate is the sample actor's")
}

/// A tree of 31 joints without roles.
pub(crate) fn tree() -> Arc<Skeleton> {
    let joints =
        (0..JOINTS).map(|j: usize| Joint::new(format!("joint {j}"), j.checked_sub(1 + j % 4), Vec3::Y * 0.2));
    Skeleton::build(joints.collect()).expect("a tree")
}

/// Joints that swing as limbs do: a slow turn of up to 60° and a faster one of 10°, at 120 frames per second.
pub(crate) fn swinging(frames: usize, seed: u64) -> Clip {
    let mut random = Random::new(seed);
    let mut clip = Clip::at_rest(tree(), 120.0, frames).expect("a rate");
    let mut draw = |scale: f64| Vec3::from_array(std::array::from_fn(|_| (scale * random.normal()) as f32));
    for joint in 0..JOINTS {
        let (rest, slow, fast) = (exp(draw(0.5)), draw(0.5), draw(0.08));
        for frame in 0..frames {
            let t = frame as f32 / 120.0;
            let turn = exp(slow * (5.0 * t + joint as f32).sin()) * exp(fast * (18.0 * t).sin());
            clip.set_rotation(joint, frame, (rest * turn).normalize());
        }
    }
    clip.align_signs();
    clip
}

/// The clip with every joint turned a little, as another take would be.
pub(crate) fn near(clip: &Clip, take: u64) -> Clip {
    let mut random = Random::new(take);
    let mut other = clip.clone();
    for joint in 0..clip.num_joints() {
        let turn = exp(Vec3::from_array(std::array::from_fn(|_| (0.2 * random.normal()) as f32)));
        for frame in 0..clip.num_frames() {
            other.set_rotation(joint, frame, (clip.rotation(joint, frame) * turn).normalize());
        }
    }
    other
}
