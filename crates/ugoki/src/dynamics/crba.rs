//! Composite rigid body: the joint-space inertia H(q) [featherstone2008, §6.2].
//!
//! Inward, the inertia of everything beyond each joint; then for each degree of freedom the force that a unit
//! acceleration needs, seen by every joint between it and the root. In world axes that force stays as it is on the way and
//! only its moment shifts.

use glam::DVec3;

use super::body::{Body, JointKind};
use super::kinematics::kinematics_into;
use super::mass_matrix::MassMatrix;
use super::spatial::{Force, Motion};
use super::state::BodyState;
use super::workspace::Workspace;

/// Fills `h`; entries between branches stay zero as [`MassMatrix::new`] made them.
pub fn crba_into(body: &Body, state: &BodyState, workspace: &mut Workspace, h: &mut MassMatrix) {
    let Workspace { kinematics, links: scratch } = workspace;
    kinematics_into(body, state, kinematics);
    let poses = &kinematics.links[..];
    for ((link, pose), s) in body.links.iter().zip(poses).zip(scratch.iter_mut()) {
        s.inertia = link.inertia.rotated(&pose.matrix);
    }
    for (i, link) in body.links.iter().enumerate().skip(1).rev() {
        let shifted = scratch[i].inertia.shifted(poses[i].arm);
        scratch[link.parent.unwrap_or(0)].inertia += shifted;
        let composite = &scratch[i].inertia;
        let pose = &poses[i];
        match link.joint {
            JointKind::Hinge => {
                let axis = pose.matrix * link.axis;
                let f = composite.mul(Motion { ang: axis, lin: DVec3::ZERO });
                h.set(link.dof, link.dof, axis.dot(f.ang));
                walk(body, poses, i, link.dof, f, h);
            }
            _ => {
                let axes = [pose.matrix.x_axis, pose.matrix.y_axis, pose.matrix.z_axis];
                for (k, axis) in axes.into_iter().enumerate() {
                    let f = composite.mul(Motion { ang: axis, lin: DVec3::ZERO });
                    for (l, other) in axes.into_iter().enumerate().take(k + 1) {
                        h.set(link.dof + k, link.dof + l, other.dot(f.ang));
                    }
                    walk(body, poses, i, link.dof + k, f, h);
                }
            }
        }
    }
    let whole = &scratch[0].inertia;
    let r = &poses[0].matrix;
    let j = whole.j.rotated(&r.transpose());
    let j = [[j.xx, j.xy, j.xz], [j.xy, j.yy, j.yz], [j.xz, j.yz, j.zz]];
    for (k, axis) in [r.x_axis, r.y_axis, r.z_axis].into_iter().enumerate() {
        let momentum = axis.cross(whole.h);
        for l in 0..3 {
            h.set(l, k, if l == k { whole.mass } else { 0.0 });
            h.set(3 + k, l, momentum[l]);
            h.set(3 + k, 3 + l, j[k][l]);
        }
    }
}

/// The row of degree of freedom `dof` against every joint above link `i`.
#[inline]
fn walk(
    body: &Body,
    poses: &[super::kinematics::LinkPose],
    i: usize,
    dof: usize,
    mut f: Force,
    h: &mut MassMatrix,
) {
    let mut at = i;
    while let Some(parent) = body.links[at].parent {
        f = f.shifted_back(poses[at].arm);
        let (link, pose) = (&body.links[parent], &poses[parent]);
        match link.joint {
            JointKind::Hinge => h.set(dof, link.dof, (pose.matrix * link.axis).dot(f.ang)),
            JointKind::Ball | JointKind::Free => {
                let m = pose.matrix.transpose() * f.ang;
                let first = if link.joint == JointKind::Free { 3 } else { link.dof };
                h.set(dof, first, m.x);
                h.set(dof, first + 1, m.y);
                h.set(dof, first + 2, m.z);
            }
        }
        at = parent;
    }
    h.set(dof, 0, f.lin.x);
    h.set(dof, 1, f.lin.y);
    h.set(dof, 2, f.lin.z);
}
