//! Articulated body: the accelerations that torques cause, in one pass per link \[featherstone2008, ch. 7\].
//!
//! With a link's origin at its joint and world axes, a ball joint is simple: it passes no moment on but the joint's own
//! torque, so what its subtree adds to the parent is a 3×3 mass at the joint and a force there. Only hinges carry the
//! whole 6×6 inertia inward. In blocks, about the link's origin:
//!
//! ```text
//! f.ang = A α + B a + p.ang        A symmetric, M symmetric
//! f.lin = Bᵀα + M a + p.lin
//! ball:   M' = M − Bᵀ A⁻¹ B,   p'.ang = τ,   p'.lin = p.lin + M' c.lin + Bᵀ A⁻¹ (τ − p.ang)
//! ```

use glam::{DMat3, DVec3};

use super::body::{Body, JointKind};
use super::force::PointForce;
use super::kinematics::{place, place_root};
use super::rnea::velocity_product;
use super::spatial::{Force, Motion, Sym3};
use super::state::{BodyState, set_vec3, vec3_at};
use super::workspace::{LinkScratch, Workspace};

/// Accelerations under the torques `tau`, `forces` and gravity; `tau`'s first six act on the root.
///
/// # Panics
/// If a slice does not have [`Body::num_dofs`] entries.
pub fn aba_into(
    body: &Body,
    state: &BodyState,
    tau: &[f64],
    forces: &[PointForce],
    workspace: &mut Workspace,
    qdd: &mut [f64],
) {
    let n = body.num_dofs();
    assert!(qdd.len() == n && tau.len() == n, "one acceleration and one torque per degree of freedom");
    let Workspace { kinematics, links: scratch } = workspace;
    let poses = &mut kinematics.links[..];
    for (i, link) in body.links.iter().enumerate() {
        let pose = match link.parent {
            None => place_root(body, state),
            Some(parent) => place(link, &poses[parent], state),
        };
        let inertia = link.inertia.rotated(&pose.matrix);
        let s = &mut scratch[i];
        s.f = pose.velocity.cross_force(inertia.mul(pose.velocity));
        s.aa = inertia.j;
        s.al = cross_matrix(inertia.h);
        s.ll = Sym3::diagonal(DVec3::splat(inertia.mass));
        poses[i] = pose;
    }
    for force in forces {
        let f = force.spatial(kinematics);
        scratch[force.link].f -= f;
    }
    let poses = &kinematics.links[..];
    for (i, link) in body.links.iter().enumerate().skip(1).rev() {
        let pose = &poses[i];
        let parent = link.parent.unwrap_or(0);
        let (above, own) = scratch.split_at_mut(i);
        let (s, up) = (&mut own[0], &mut above[parent]);
        match link.joint {
            JointKind::Hinge => {
                let axis = pose.matrix * link.axis;
                eliminate_hinge(s, up, axis, tau[link.dof], velocity_product(pose), pose.arm);
            }
            _ => {
                let torque = pose.matrix * vec3_at(tau, link.dof);
                eliminate_ball(s, up, torque, velocity_product(pose), pose.arm);
            }
        }
    }
    let pose = &poses[0];
    let a = root(&scratch[0], pose.matrix * vec3_at(tau, 3), vec3_at(tau, 0));
    scratch[0].a = a;
    set_vec3(qdd, 0, a.lin + pose.velocity.ang.cross(pose.velocity.lin) + body.gravity);
    set_vec3(qdd, 3, pose.matrix.transpose() * a.ang);
    for (i, link) in body.links.iter().enumerate().skip(1) {
        let pose = &poses[i];
        let free = scratch[link.parent.unwrap_or(0)].a.shifted(pose.arm) + velocity_product(pose);
        let s = &mut scratch[i];
        s.a = free;
        match link.joint {
            JointKind::Hinge => {
                let rate = (s.u.x - free.ang.dot(s.uh.ang) - free.lin.dot(s.uh.lin)) * s.inverse.xx;
                qdd[link.dof] = rate;
                s.a.ang += pose.matrix * link.axis * rate;
            }
            _ => {
                s.a.ang = s.inverse.mul_vec(s.u - s.al * free.lin);
                set_vec3(qdd, link.dof, pose.matrix.transpose() * (s.a.ang - free.ang));
            }
        }
    }
}

/// `h×` as a matrix.
#[inline]
fn cross_matrix(h: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, h.z, -h.y), DVec3::new(-h.z, 0.0, h.x), DVec3::new(h.y, -h.x, 0.0))
}

/// `M − Bᵀ A⁻¹ B` and `A⁻¹ B`.
#[inline]
fn schur(ll: Sym3, inverse: Sym3, al: &DMat3) -> (Sym3, DMat3) {
    let k =
        DMat3::from_cols(inverse.mul_vec(al.x_axis), inverse.mul_vec(al.y_axis), inverse.mul_vec(al.z_axis));
    let reduced = Sym3 {
        xx: ll.xx - al.x_axis.dot(k.x_axis),
        yy: ll.yy - al.y_axis.dot(k.y_axis),
        zz: ll.zz - al.z_axis.dot(k.z_axis),
        xy: ll.xy - al.x_axis.dot(k.y_axis),
        xz: ll.xz - al.x_axis.dot(k.z_axis),
        yz: ll.yz - al.y_axis.dot(k.z_axis),
    };
    (reduced, k)
}

/// Adds a 3×3 mass `m` at `r` to an articulated inertia.
#[inline]
fn add_mass_at(up: &mut LinkScratch, m: Sym3, r: DVec3) -> DMat3 {
    let m_full = m.to_mat3();
    // [r]× M, column by column; then [r]× M [r]ᵀ from its rows.
    let rm = DMat3::from_cols(r.cross(m_full.x_axis), r.cross(m_full.y_axis), r.cross(m_full.z_axis));
    let (a, b, c) = (r.cross(rm.row(0)), r.cross(rm.row(1)), r.cross(rm.row(2)));
    up.aa = up.aa + Sym3 { xx: a.x, yy: b.y, zz: c.z, xy: a.y, xz: a.z, yz: b.z };
    up.al += rm;
    up.ll = up.ll + m;
    rm
}

#[inline]
fn eliminate_ball(s: &mut LinkScratch, up: &mut LinkScratch, torque: DVec3, c: Motion, arm: DVec3) {
    s.inverse = s.aa.inverse();
    s.u = torque - s.f.ang;
    let (m, _) = schur(s.ll, s.inverse, &s.al);
    let lin = s.f.lin + m.mul_vec(c.lin) + s.al.transpose() * s.inverse.mul_vec(s.u);
    add_mass_at(up, m, arm);
    up.f += Force { ang: torque, lin }.shifted_back(arm);
}

#[inline]
fn eliminate_hinge(
    s: &mut LinkScratch,
    up: &mut LinkScratch,
    axis: DVec3,
    torque: f64,
    c: Motion,
    arm: DVec3,
) {
    let uh = Force { ang: s.aa.mul_vec(axis), lin: s.al.transpose() * axis };
    let inverse = 1.0 / axis.dot(uh.ang);
    let u = torque - axis.dot(s.f.ang);
    s.uh = uh;
    s.inverse.xx = inverse;
    s.u.x = u;
    // Rank-one update of the three blocks.
    let ka = uh.ang * inverse;
    let aa = Sym3 {
        xx: s.aa.xx - ka.x * uh.ang.x,
        yy: s.aa.yy - ka.y * uh.ang.y,
        zz: s.aa.zz - ka.z * uh.ang.z,
        xy: s.aa.xy - ka.x * uh.ang.y,
        xz: s.aa.xz - ka.x * uh.ang.z,
        yz: s.aa.yz - ka.y * uh.ang.z,
    };
    let al = DMat3::from_cols(
        s.al.x_axis - ka * uh.lin.x,
        s.al.y_axis - ka * uh.lin.y,
        s.al.z_axis - ka * uh.lin.z,
    );
    let kl = uh.lin * inverse;
    let ll = Sym3 {
        xx: s.ll.xx - kl.x * uh.lin.x,
        yy: s.ll.yy - kl.y * uh.lin.y,
        zz: s.ll.zz - kl.z * uh.lin.z,
        xy: s.ll.xy - kl.x * uh.lin.y,
        xz: s.ll.xz - kl.x * uh.lin.z,
        yz: s.ll.yz - kl.y * uh.lin.z,
    };
    let p = Force {
        ang: s.f.ang + aa.mul_vec(c.ang) + al * c.lin + ka * u,
        lin: s.f.lin + al.transpose() * c.ang + ll.mul_vec(c.lin) + kl * u,
    };
    // Shift by the arm: A + [r]Bᵀ + B[r]ᵀ + [r]M[r]ᵀ, B + [r]M, M.
    let (a, b, d) = (arm.cross(al.row(0)), arm.cross(al.row(1)), arm.cross(al.row(2)));
    up.aa = up.aa
        + aa
        + Sym3 { xx: 2.0 * a.x, yy: 2.0 * b.y, zz: 2.0 * d.z, xy: a.y + b.x, xz: a.z + d.x, yz: b.z + d.y };
    up.al += al;
    add_mass_at(up, ll, arm);
    up.f += p.shifted_back(arm);
}

/// Acceleration of the free root under its own moment and force.
#[inline]
fn root(s: &LinkScratch, moment: DVec3, force: DVec3) -> Motion {
    let inverse = s.aa.inverse();
    let (m, k) = schur(s.ll, inverse, &s.al);
    let (n, f) = (moment - s.f.ang, force - s.f.lin);
    let lin = m.inverse().mul_vec(f - k.transpose() * n);
    Motion { ang: inverse.mul_vec(n - s.al * lin), lin }
}
