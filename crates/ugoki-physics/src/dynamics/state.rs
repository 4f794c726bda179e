//! The moving part of a body: coordinates and velocities, and how they step.

use glam::{DQuat, DVec3};
use ugoki_base::math::{exp64, log64};

use super::body::{Body, JointKind};

/// Where a body is and how it moves; the layout is [`Body`]'s.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyState {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub qd: Vec<f64>,
}

impl BodyState {
    /// The skeleton's rest pose, at rest.
    #[must_use]
    pub fn rest(body: &Body) -> Self {
        let mut q = vec![0.0; body.num_coordinates()];
        for link in body.links() {
            let at = &mut q[link.coordinate..];
            match link.joint {
                JointKind::Free => {
                    at[..3].copy_from_slice(&link.offset.to_array());
                    at[6] = 1.0;
                }
                JointKind::Ball => at[3] = 1.0,
                JointKind::Hinge => {}
            }
        }
        Self { q, qd: vec![0.0; body.num_dofs()] }
    }

    /// Position of the root in the world, m.
    #[must_use]
    pub fn root_position(&self) -> DVec3 {
        vec3_at(&self.q, 0)
    }

    /// Moves the root.
    pub fn set_root_position(&mut self, position: DVec3) {
        self.q[..3].copy_from_slice(&position.to_array());
    }

    /// Rotation of `link` against its parent; for the root, against the world.
    #[must_use]
    pub fn rotation(&self, body: &Body, link: usize) -> DQuat {
        let link = body.link(link);
        match link.joint {
            JointKind::Free => quat_at(&self.q, link.coordinate + 3),
            JointKind::Ball => quat_at(&self.q, link.coordinate),
            JointKind::Hinge => hinge_rotation(link.axis, self.q[link.coordinate]),
        }
    }

    /// Sets the rotation of a ball joint or the root; a hinge takes the angle nearest to it about its axis.
    pub fn set_rotation(&mut self, body: &Body, link: usize, rotation: DQuat) {
        let link = body.link(link);
        match link.joint {
            JointKind::Free => set_quat(&mut self.q, link.coordinate + 3, rotation.normalize()),
            JointKind::Ball => set_quat(&mut self.q, link.coordinate, rotation.normalize()),
            JointKind::Hinge => {
                let along = DVec3::new(rotation.x, rotation.y, rotation.z).dot(link.axis);
                let angle = 2.0 * along.atan2(rotation.w);
                self.q[link.coordinate] =
                    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round();
            }
        }
    }

    /// One semi-implicit Euler step: first `qd += qdd·dt`, then the pose moves with the new `qd`.
    pub fn step(&mut self, body: &Body, qdd: &[f64], dt: f64) {
        for (v, a) in self.qd.iter_mut().zip(qdd) {
            *v += a * dt;
        }
        let Self { q, qd } = self;
        move_by(body, q, qd, dt);
    }
}

/// Moves the coordinates `q` along the velocity `v` for `dt` seconds; rotations follow the exponential map exactly.
pub fn move_by(body: &Body, q: &mut [f64], v: &[f64], dt: f64) {
    for link in body.links() {
        let (c, d) = (link.coordinate, link.dof);
        match link.joint {
            JointKind::Free => {
                for k in 0..3 {
                    q[c + k] += v[d + k] * dt;
                }
                turn(q, c + 3, vec3_at(v, d + 3) * dt);
            }
            JointKind::Ball => turn(q, c, vec3_at(v, d) * dt),
            JointKind::Hinge => q[c] += v[d] * dt,
        }
    }
}

/// The velocity that takes `from` to `to` in one second, into `out`; the inverse of [`move_by`].
pub fn difference_into(body: &Body, from: &[f64], to: &[f64], out: &mut [f64]) {
    let between = |at: usize| log64(quat_at(from, at).conjugate() * quat_at(to, at));
    for link in body.links() {
        let (c, d) = (link.coordinate, link.dof);
        match link.joint {
            JointKind::Free => {
                for k in 0..3 {
                    out[d + k] = to[c + k] - from[c + k];
                }
                out[d + 3..d + 6].copy_from_slice(&between(c + 3).to_array());
            }
            JointKind::Ball => out[d..d + 3].copy_from_slice(&between(c).to_array()),
            JointKind::Hinge => out[d] = to[c] - from[c],
        }
    }
}

fn turn(q: &mut [f64], at: usize, by: DVec3) {
    // Normalising every step keeps the length within rounding of 1 however long the run.
    set_quat(q, at, (quat_at(q, at) * exp64(by)).normalize());
}

#[inline]
pub(super) fn hinge_rotation(axis: DVec3, angle: f64) -> DQuat {
    let (sine, cosine) = (0.5 * angle).sin_cos();
    DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
}

#[inline]
pub(crate) fn vec3_at(v: &[f64], at: usize) -> DVec3 {
    DVec3::from_slice(&v[at..at + 3])
}

#[inline]
pub(crate) fn quat_at(q: &[f64], at: usize) -> DQuat {
    DQuat::from_slice(&q[at..at + 4])
}

#[inline]
pub(crate) fn set_vec3(v: &mut [f64], at: usize, value: DVec3) {
    v[at..at + 3].copy_from_slice(&value.to_array());
}

pub(crate) fn set_quat(q: &mut [f64], at: usize, value: DQuat) {
    q[at..at + 4].copy_from_slice(&value.to_array());
}
