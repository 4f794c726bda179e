//! Jacobians: how the degrees of freedom move a point or a link; and what is left when they do not accelerate.
//!
//! Rows are contiguous: row `r` of a Jacobian over `n` degrees of freedom is `out[r·n .. (r + 1)·n]`, in world axes.

use glam::DVec3;

use super::body::{Body, JointKind};
use super::kinematics::Kinematics;
use super::rnea::velocity_product;
use super::spatial::Motion;

/// Three rows: velocity of `point` (link frame, m) on `link` per unit of each degree of freedom.
///
/// # Panics
/// If `out` has less than three rows.
pub fn point_jacobian_into(body: &Body, kinematics: &Kinematics, link: usize, point: DVec3, out: &mut [f64]) {
    let n = body.num_dofs();
    out[..3 * n].fill(0.0);
    let at = kinematics.links[link].point(point);
    columns(body, kinematics, link, |dof, axis, origin| {
        write(out, n, 0, dof, axis.cross(at - origin));
    });
    for k in 0..3 {
        out[k * n + k] = 1.0;
    }
}

/// Six rows: angular velocity of `link`, then velocity of `point` on it.
///
/// # Panics
/// If `out` has less than six rows.
pub fn link_jacobian_into(body: &Body, kinematics: &Kinematics, link: usize, point: DVec3, out: &mut [f64]) {
    let n = body.num_dofs();
    out[..3 * n].fill(0.0);
    columns(body, kinematics, link, |dof, axis, _| write(out, n, 0, dof, axis));
    point_jacobian_into(body, kinematics, link, point, &mut out[3 * n..]);
}

/// One row: speed along the world direction `along` of the point of `link` that is at world position `at`.
///
/// # Panics
/// If `out` has less than one entry per degree of freedom.
pub fn direction_row_into(
    body: &Body,
    kinematics: &Kinematics,
    link: usize,
    at: DVec3,
    along: DVec3,
    out: &mut [f64],
) {
    out[..body.num_dofs()].fill(0.0);
    columns(body, kinematics, link, |dof, axis, origin| out[dof] = axis.cross(at - origin).dot(along));
    out[..3].copy_from_slice(&along.to_array());
}

/// One row: angular speed of `link` about the world direction `about`.
///
/// # Panics
/// If `out` has less than one entry per degree of freedom.
pub fn spin_row_into(body: &Body, kinematics: &Kinematics, link: usize, about: DVec3, out: &mut [f64]) {
    out[..body.num_dofs()].fill(0.0);
    columns(body, kinematics, link, |dof, axis, _| out[dof] = axis.dot(about));
}

/// Acceleration of `point` on `link` (angular, ordinary linear; world axes) when every `qdd` is zero: `J̇ q̇`.
#[must_use]
pub fn bias_acceleration(body: &Body, kinematics: &Kinematics, link: usize, point: DVec3) -> Motion {
    let pose = &kinematics.links[link];
    let at = pose.point(point);
    let mut a = Motion::ZERO;
    let mut i = link;
    while let Some(parent) = body.links[i].parent {
        let here = &kinematics.links[i];
        a += velocity_product(here).shifted(at - here.position);
        i = parent;
    }
    // The root's spatial acceleration is that of a point at rest in the world: −ω × v.
    let root = &kinematics.links[0];
    let lin = -root.velocity.ang.cross(root.velocity.lin);
    a += Motion { ang: DVec3::ZERO, lin }.shifted(at - root.position);
    a.lin += pose.velocity.ang.cross(pose.point_velocity(point));
    a
}

/// Calls `each` with every rotational degree of freedom above and at `link`: index, world axis, its origin.
#[inline]
fn columns(body: &Body, kinematics: &Kinematics, link: usize, mut each: impl FnMut(usize, DVec3, DVec3)) {
    let mut at = Some(link);
    while let Some(i) = at {
        let (link, pose) = (&body.links[i], &kinematics.links[i]);
        if link.joint == JointKind::Hinge {
            each(link.dof, pose.matrix * link.axis, pose.position);
        } else {
            let first = if link.joint == JointKind::Free { 3 } else { link.dof };
            each(first, pose.matrix.x_axis, pose.position);
            each(first + 1, pose.matrix.y_axis, pose.position);
            each(first + 2, pose.matrix.z_axis, pose.position);
        }
        at = link.parent;
    }
}

#[inline]
fn write(out: &mut [f64], n: usize, row: usize, column: usize, v: DVec3) {
    out[row * n + column] = v.x;
    out[(row + 1) * n + column] = v.y;
    out[(row + 2) * n + column] = v.z;
}
