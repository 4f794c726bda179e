//! Composite rigid body: the joint-space inertia H(q) \[featherstone2008, §6.2\].
//!
//! Inward, the inertia of everything beyond each joint; then for each degree of freedom the force that a unit
//! acceleration needs, seen by every joint between it and the root. In world axes that force is the same at all these
//! joints and only its moment shifts.

use glam::{DMat3, DVec3};

use super::body::{Body, JointKind};
use super::kinematics::{LinkPose, kinematics_into};
use super::mass_matrix::MassMatrix;
use super::spatial::{Force, Motion};
use super::state::{BodyState, set_vec3};
use super::workspace::Workspace;

/// Fills `h`; entries between branches stay zero as [`MassMatrix::new`] made them.
pub fn crba_into(body: &Body, state: &BodyState, workspace: &mut Workspace, h: &mut MassMatrix) {
    kinematics_into(body, state, workspace.kinematics_mut());
    crba_placed_into(body, workspace, h);
}

/// [`crba_into`] of a body that is placed already, as [`super::rnea_into`] leaves it.
pub fn crba_placed_into(body: &Body, workspace: &mut Workspace, h: &mut MassMatrix) {
    let Workspace { kinematics, links: scratch } = workspace;
    let poses = &kinematics.links[..];
    for ((link, pose), s) in body.links.iter().zip(poses).zip(scratch.iter_mut()) {
        s.inertia = link.inertia.rotated(&pose.matrix);
    }
    for (i, link) in body.links.iter().enumerate().skip(1).rev() {
        let shifted = scratch[i].inertia.shifted(poses[i].arm);
        scratch[link.parent.unwrap_or(0)].inertia += shifted;
        let composite = &scratch[i].inertia;
        let pose = &poses[i];
        if link.joint == JointKind::Hinge {
            let axis = pose.matrix * link.axis;
            let f = composite.mul(Motion { ang: axis, lin: DVec3::ZERO });
            let row = h.row_mut(link.dof);
            row[link.dof] = axis.dot(f.ang);
            walk_hinge(body, poses, i, f, row);
        } else {
            // Columns: moment and force of a unit acceleration about each axis of the link.
            let r = &pose.matrix;
            let ang = DMat3::from_cols(
                composite.j.mul_vec(r.x_axis),
                composite.j.mul_vec(r.y_axis),
                composite.j.mul_vec(r.z_axis),
            );
            let c = composite.h;
            let lin = DMat3::from_cols(r.x_axis.cross(c), r.y_axis.cross(c), r.z_axis.cross(c));
            let own = r.transpose() * ang;
            for k in 0..3 {
                h.row_mut(link.dof + k)[link.dof..].copy_from_slice(&own.col(k).to_array()[..=k]);
            }
            walk_ball(body, poses, i, ang, &lin, h);
        }
    }
    let whole = &scratch[0].inertia;
    let r = &poses[0].matrix;
    let j = whole.j.rotated(&r.transpose()).to_mat3();
    for k in 0..3 {
        h.row_mut(k)[k] = whole.mass;
        let row = h.row_mut(3 + k);
        set_vec3(row, 0, r.col(k).cross(whole.h));
        row[3..].copy_from_slice(&j.col(k).to_array()[..=k]);
    }
}

/// The row of a hinge against every joint above link `i`.
#[inline]
fn walk_hinge(body: &Body, poses: &[LinkPose], i: usize, mut f: Force, row: &mut [f64]) {
    let mut at = i;
    while let Some(parent) = body.links[at].parent {
        f = f.shifted_back(poses[at].arm);
        let (link, pose) = (&body.links[parent], &poses[parent]);
        match link.joint {
            JointKind::Hinge => row[link.dof] = (pose.matrix * link.axis).dot(f.ang),
            JointKind::Ball => set_vec3(row, link.dof, pose.matrix.transpose() * f.ang),
            JointKind::Free => set_vec3(row, 3, pose.matrix.transpose() * f.ang),
        }
        at = parent;
    }
    set_vec3(row, 0, f.lin);
}

/// The three rows of a ball against every joint above link `i`.
#[inline]
fn walk_ball(body: &Body, poses: &[LinkPose], i: usize, mut ang: DMat3, lin: &DMat3, h: &mut MassMatrix) {
    let dof = body.links[i].dof;
    let mut at = i;
    while let Some(parent) = body.links[at].parent {
        let arm = poses[at].arm;
        ang.x_axis += arm.cross(lin.x_axis);
        ang.y_axis += arm.cross(lin.y_axis);
        ang.z_axis += arm.cross(lin.z_axis);
        let (link, pose) = (&body.links[parent], &poses[parent]);
        if link.joint == JointKind::Hinge {
            let m = ang.transpose() * (pose.matrix * link.axis);
            for k in 0..3 {
                h.row_mut(dof + k)[link.dof] = m[k];
            }
        } else {
            let first = if link.joint == JointKind::Free { 3 } else { link.dof };
            let m = pose.matrix.transpose() * ang;
            for k in 0..3 {
                set_vec3(h.row_mut(dof + k), first, m.col(k));
            }
        }
        at = parent;
    }
    for k in 0..3 {
        set_vec3(h.row_mut(dof + k), 0, lin.col(k));
    }
}
