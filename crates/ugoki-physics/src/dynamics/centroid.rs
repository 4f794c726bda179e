//! Centre of mass, momentum about it, and energy.

use glam::DVec3;

use super::body::Body;
use super::kinematics::Kinematics;
use super::spatial::{Force, Inertia};

/// The whole body as one: where its centre is and what it carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Centroid {
    /// Mass with loads, kg.
    pub mass: f64,
    /// Centre of mass in the world, m.
    pub com: DVec3,
    /// Its velocity, m/s.
    pub velocity: DVec3,
    /// Angular momentum about the centre, world axes, N·m·s.
    pub angular_momentum: DVec3,
}

impl Centroid {
    /// Linear momentum, N·s.
    #[must_use]
    pub fn momentum(&self) -> DVec3 {
        self.velocity * self.mass
    }
}

/// Centre of mass and centroidal momentum \[orin2013\] of a placed body.
#[must_use]
pub fn centroid(body: &Body, kinematics: &Kinematics) -> Centroid {
    // About the root's origin, so that a body far from the world's origin loses no digits.
    let root = kinematics.links[0].position;
    let (mut momentum, mut mass, mut h) = (Force::ZERO, 0.0, DVec3::ZERO);
    for (link, pose) in body.links.iter().zip(&kinematics.links) {
        let inertia = link.inertia.rotated(&pose.matrix);
        let at = pose.position - root;
        momentum += inertia.mul(pose.velocity).shifted_back(at);
        mass += inertia.mass;
        h += inertia.h + at * inertia.mass;
    }
    let com = h / mass;
    Centroid {
        mass,
        com: root + com,
        velocity: momentum.lin / mass,
        angular_momentum: momentum.ang - com.cross(momentum.lin),
    }
}

/// Rotational inertia of the placed body as if frozen, about its centre of mass, world axes.
#[must_use]
pub fn frozen_inertia(body: &Body, kinematics: &Kinematics) -> Inertia {
    let root = kinematics.links[0].position;
    let mut whole = Inertia::ZERO;
    for (link, pose) in body.links.iter().zip(&kinematics.links) {
        whole += link.inertia.rotated(&pose.matrix).shifted(pose.position - root);
    }
    whole.shifted(-whole.com())
}

/// Energy of motion and of height, J.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// ½ Σ v·I v.
    pub kinetic: f64,
    /// −M g·com; zero at the world's origin.
    pub potential: f64,
}

/// Energy of a placed body.
#[must_use]
pub fn energy(body: &Body, kinematics: &Kinematics) -> Energy {
    let mut out = Energy { kinetic: 0.0, potential: 0.0 };
    for (link, pose) in body.links.iter().zip(&kinematics.links) {
        let inertia = link.inertia.rotated(&pose.matrix);
        out.kinetic += 0.5 * pose.velocity.dot(inertia.mul(pose.velocity));
        out.potential -= body.gravity.dot(inertia.h + pose.position * inertia.mass);
    }
    out
}
