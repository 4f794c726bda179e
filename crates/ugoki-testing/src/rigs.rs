//! The same motion on a skeleton with other local axes: what a result must not depend on.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_base::skeleton::{Joint, Skeleton};

/// How the rest pose of a rig differs from that of the clip it is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rig {
    /// Every bone lies along +X, as in rigs whose joints point at their children.
    AlongX,
    /// Every joint is rolled and turned at random.
    Rolled,
    /// The rest pose lies on its back: Z is up.
    LyingDown,
}

impl Rig {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::AlongX, Self::Rolled, Self::LyingDown];
}

/// `clip` on another rig: every joint is at the same place in every frame, but local rotations, offsets and the rest pose differ.
#[must_use]
pub fn on_rig(clip: &Clip, rig: Rig) -> Clip {
    let skeleton = clip.skeleton();
    let mut random = Random::new(7);
    let mut angle = || random.range(-3.0, 3.0) as f32;
    // Axes of the new joint in the frame of the old one.
    let axes: Vec<Quat> = (0..skeleton.num_joints())
        .map(|joint| match rig {
            Rig::AlongX => {
                let child = skeleton.children(joint).first().map(|&child| skeleton.joint(child).offset);
                let bone = child.and_then(Vec3::try_normalize).unwrap_or(Vec3::X);
                Quat::from_rotation_arc(Vec3::X, bone)
            }
            Rig::Rolled => Quat::from_euler(glam::EulerRot::XYZ, angle(), angle(), angle()),
            Rig::LyingDown => Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
        })
        .collect();
    let above = |joint: usize| skeleton.parent(joint).map_or(Quat::IDENTITY, |parent| axes[parent]);
    let joints: Vec<Joint> = (0..skeleton.num_joints())
        .map(|joint| {
            let old = skeleton.joint(joint).clone();
            let offset = above(joint).conjugate() * old.offset;
            let tips = old.tips.iter().map(|&tip| axes[joint].conjugate() * tip).collect();
            Joint { offset, tips, ..old }
        })
        .collect();
    let skeleton = Skeleton::build(joints).expect("the same joints");
    let mut rigged = Clip::at_rest(skeleton, clip.fps(), clip.num_frames()).expect("the same frames");
    rigged.name.clone_from(&clip.name);
    rigged.tags.clone_from(&clip.tags);
    rigged.tpose_frame = clip.tpose_frame;
    for frame in 0..clip.num_frames() {
        rigged.root_mut().set(frame, clip.root().get(frame));
        for (joint, &own) in axes.iter().enumerate() {
            let local = above(joint).conjugate() * clip.rotation(joint, frame) * own;
            rigged.set_rotation(joint, frame, local.normalize());
        }
    }
    rigged.align_signs();
    rigged
}

/// Farthest that a joint of one clip is from the same joint of the other in any frame, metres.
#[must_use]
pub fn farthest_m(a: &Clip, b: &Clip) -> f32 {
    assert_eq!((a.num_frames(), a.num_joints()), (b.num_frames(), b.num_joints()));
    let mut worst = 0.0_f32;
    for frame in 0..a.num_frames() {
        let (a, b) = (a.model_pose(frame), b.model_pose(frame));
        for (p, q) in a.positions.iter().zip(&b.positions) {
            worst = worst.max(p.distance(*q));
        }
    }
    worst
}
