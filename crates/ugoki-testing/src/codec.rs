//! Captures and measures for the tests of byte forms.

use std::ops::ControlFlow;
use std::path::PathBuf;

use glam::{Quat, Vec3};
use ugoki_base::clip::{Clip, PackedClip};
use ugoki_base::math::{Random, exp};
use ugoki_base::skeleton::{Joint, Skeleton};
use ugoki_formats::{ReadOptions, read};

/// Never stops.
pub fn quiet(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Packs a clip that can be packed.
///
/// # Panics
/// If it cannot.
#[must_use]
pub fn pack(clip: &Clip) -> PackedClip {
    PackedClip::pack(clip, &mut quiet).unwrap()
}

/// The folder of captures; says that checks are skipped when there is none.
pub fn folder(checks: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set ({checks} checks)");
    }
    folder
}

/// Every BVH below the folder of captures that can be read, by its path in there, in order.
pub fn captures(folder: &std::path::Path) -> Vec<(String, Clip)> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bvh") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path).expect("a readable file");
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            let read = read(&bytes, Some("bvh"), &ReadOptions::default());
            (name.clone(), read.unwrap_or_else(|error| panic!("{name}: {error}")).clip)
        })
        .collect()
}

/// Bytes that the poses take as plain f32: four per joint and three for the root, per frame.
pub fn raw_bytes(clip: &Clip) -> usize {
    clip.num_frames() * (clip.num_joints() * 16 + 12 + clip.translations().len() * 12)
}

/// What a random clip is like.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Seed of all that is drawn.
    pub seed: u64,
    /// How many joints it has.
    pub joints: usize,
    /// How many frames it has.
    pub frames: usize,
    /// About how far a joint turns per frame, radians; some joints never move.
    pub turn: f64,
    /// About how far the root goes in all, metres.
    pub travel: f64,
    /// Joints that leave their offset.
    pub paths: usize,
}

/// A random tree whose joints wander, with intervals of standing still and single frames that jump.
pub fn random_clip(shape: Shape) -> Clip {
    let mut random = Random::new(shape.seed);
    let mut vector = |scale: f64| Vec3::from_array(std::array::from_fn(|_| (scale * random.normal()) as f32));
    let mut pick = Random::fork(shape.seed, 1);
    let joints = (0..shape.joints).map(|i| {
        // Chains rather than bushes: long ones add up errors.
        let parent = i.checked_sub(1).map(|last| if pick.index(4) == 0 { pick.index(i) } else { last });
        Joint::new(format!("joint {i}"), parent, vector(0.2))
    });
    let skeleton = Skeleton::build(joints.collect()).unwrap();
    let mut clip = Clip::at_rest(skeleton, 60.0, shape.frames).unwrap();
    let speed = shape.travel / shape.frames.max(1) as f64;
    for joint in 0..shape.joints {
        if pick.index(5) == 0 {
            continue;
        }
        let (mut q, mut v) = (exp(vector(1.0)), Vec3::ZERO);
        let still = pick.index(shape.frames + 1);
        for frame in 0..shape.frames {
            v = v * 0.9 + vector(0.3 * shape.turn);
            let jump = if pick.index(200) == 0 { exp(vector(1.0)) } else { Quat::IDENTITY };
            if frame < still {
                q = (q * exp(v)).normalize();
            }
            clip.set_rotation(joint, frame, (q * jump).normalize());
        }
    }
    clip.align_signs();
    let (mut p, mut v) = (Vec3::Y, Vec3::ZERO);
    for frame in 0..shape.frames {
        v = v * 0.9 + vector(0.3 * speed);
        p += v;
        let mut pose = clip.pose(frame);
        pose.root = p;
        for joint in 1..shape.joints.min(shape.paths + 1) {
            pose.translations.retain(|(other, _)| *other != joint);
            pose.translations.push((joint, clip.skeleton().joint(joint).offset + vector(0.01)));
        }
        pose.translations.sort_by_key(|(joint, _)| *joint);
        clip.set_pose(frame, &pose);
    }
    clip
}
