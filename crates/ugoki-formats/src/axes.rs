//! From a file's axes to Ugoki's and back: a quarter turn about X where Z is up.

use glam::{DQuat, DVec3, Quat, Vec3};
use ugoki_base::clip::UpAxis;

/// A file's vector in Ugoki's axes. Turning by −90° about X only swaps and negates, so nothing is rounded.
pub(crate) fn from_file(v: DVec3, up: UpAxis) -> DVec3 {
    match up {
        UpAxis::Y => v,
        UpAxis::Z => DVec3::new(v.x, v.z, -v.y),
    }
}

/// Ugoki's vector in a file's axes; undoes [`from_file`].
pub(crate) fn to_file(v: Vec3, up: UpAxis) -> Vec3 {
    match up {
        UpAxis::Y => v,
        UpAxis::Z => Vec3::new(v.x, -v.z, v.y),
    }
}

/// Ugoki's rotation in a file's axes: the axis turns as vectors do, the angle stays.
pub(crate) fn rotation_to_file(q: Quat, up: UpAxis) -> Quat {
    let v = to_file(Vec3::new(q.x, q.y, q.z), up);
    Quat::from_xyzw(v.x, v.y, v.z, q.w)
}

/// A file's rotation in Ugoki's axes; undoes [`rotation_to_file`].
pub(crate) fn rotation_from_file(q: DQuat, up: UpAxis) -> DQuat {
    let v = from_file(DVec3::new(q.x, q.y, q.z), up);
    DQuat::from_xyzw(v.x, v.y, v.z, q.w)
}
