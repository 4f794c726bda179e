//! Rotations in the world and their headings.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::swing_twist;

/// Rotation of `joint` in the world.
pub(super) fn world_rotation(clip: &Clip, joint: usize, frame: usize) -> Quat {
    let mut q = clip.rotation(joint, frame);
    let mut at = joint;
    while let Some(parent) = clip.skeleton().parent(at) {
        q = clip.rotation(parent, frame) * q;
        at = parent;
    }
    q
}

/// The turn about the vertical in q = yaw · rest, where the rest turns about a level line only.
pub(super) fn yaw(q: Quat) -> Quat {
    swing_twist(q.conjugate(), Vec3::Y).1.conjugate()
}
