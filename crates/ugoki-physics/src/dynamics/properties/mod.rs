//! Properties of mechanics that hold across the algorithms, tested on random states of a whole body.

mod body;
mod conservation;
mod contacts;
mod equations;

use glam::DVec3;
use ugoki_base::math::{Random, exp64};

use super::person::person;
use super::{Body, BodyConfig, BodyState, JointKind, PointForce};

pub(super) fn body() -> Body {
    Body::build(&person(), &BodyConfig::default()).expect("a body")
}

pub(super) fn vector(random: &mut Random, scale: f64) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| scale * random.normal()))
}

/// Any pose, velocities of a fast movement (3 rad/s, 3 m/s).
pub(super) fn random_state(body: &Body, random: &mut Random) -> BodyState {
    let mut state = BodyState::rest(body);
    state.set_root_position(vector(random, 2.0));
    for link in 0..body.links().len() {
        let turn = vector(random, 1.0);
        state.set_rotation(body, link, exp64(turn));
        if body.link(link).joint == JointKind::Hinge {
            state.q[body.link(link).coordinate] = random.range(-1.0, 2.0);
        }
    }
    for v in &mut state.qd {
        *v = 3.0 * random.normal();
    }
    state
}

pub(super) fn random_vec(n: usize, scale: f64, random: &mut Random) -> Vec<f64> {
    (0..n).map(|_| scale * random.normal()).collect()
}

pub(super) fn random_forces(body: &Body, random: &mut Random) -> Vec<PointForce> {
    (0..3)
        .map(|_| PointForce {
            link: random.index(body.links().len()),
            point: vector(random, 0.2),
            force: vector(random, 50.0),
            moment: vector(random, 5.0),
        })
        .collect()
}

pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// Joint velocities of a lively movement, ±2 rad/s, from the rest pose with bent limbs.
pub(super) fn swinging_state(body: &Body, seed: u64) -> BodyState {
    let mut random = Random::new(seed);
    let mut state = BodyState::rest(body);
    for v in &mut state.qd {
        *v = random.range(-2.0, 2.0);
    }
    state
}
