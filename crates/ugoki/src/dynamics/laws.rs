//! Laws of mechanics that hold across the algorithms, on random states of a whole body.

use glam::DVec3;

use super::person::person;
use super::*;
use crate::math::{Random, exp64};

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

fn random_forces(body: &Body, random: &mut Random) -> Vec<PointForce> {
    (0..3)
        .map(|_| PointForce {
            link: random.index(body.links().len()),
            point: vector(random, 0.2),
            force: vector(random, 50.0),
            moment: vector(random, 5.0),
        })
        .collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

#[test]
fn inverse_dynamics_undoes_forward_dynamics() {
    let body = body();
    let n = body.num_dofs();
    let (mut workspace, mut random) = (Workspace::new(&body), Random::new(1));
    let (mut qdd, mut back) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..200 {
        let state = random_state(&body, &mut random);
        let tau = random_vec(n, 50.0, &mut random);
        let forces = random_forces(&body, &mut random);
        aba_into(&body, &state, &tau, &forces, &mut workspace, &mut qdd);
        rnea_into(&body, &state, &qdd, &forces, &mut workspace, &mut back);
        for (a, b) in tau.iter().zip(&back) {
            // N·m: torques of 50 with accelerations up to thousands of rad/s² on 0.1 kg toes.
            assert!((a - b).abs() < 1e-9, "{a} came back as {b}, accelerations to {}", largest(&qdd));
        }
    }
}

#[test]
fn unit_accelerations_give_the_columns_of_h() {
    let body = body();
    let n = body.num_dofs();
    let (mut workspace, mut random) = (Workspace::new(&body), Random::new(2));
    let mut h = MassMatrix::new(&body);
    let (mut bias, mut tau) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..200 {
        let state = random_state(&body, &mut random);
        crba_into(&body, &state, &mut workspace, &mut h);
        rnea_into(&body, &state, &vec![0.0; n], &[], &mut workspace, &mut bias);
        for column in 0..n {
            let mut qdd = vec![0.0; n];
            qdd[column] = 1.0;
            rnea_into(&body, &state, &qdd, &[], &mut workspace, &mut tau);
            for row in 0..n {
                // The difference of two torques of up to 1000 N·m.
                assert!((tau[row] - bias[row] - h.at(row, column)).abs() < 1e-9, "{row} {column}");
                assert_eq!(h.at(row, column), h.at(column, row));
            }
        }
    }
}

#[test]
fn h_is_positive_definite_and_its_factors_solve() {
    let body = body();
    let n = body.num_dofs();
    let (mut workspace, mut random) = (Workspace::new(&body), Random::new(3));
    let (mut h, mut factors) = (MassMatrix::new(&body), Factors::new(&body));
    let mut product = vec![0.0; n];
    for _ in 0..200 {
        let state = random_state(&body, &mut random);
        crba_into(&body, &state, &mut workspace, &mut h);
        factors.factor(&h);
        assert!(factors.is_positive());
        let b = random_vec(n, 50.0, &mut random);
        let mut x = b.clone();
        factors.solve(&mut x);
        h.multiply_into(&x, &mut product);
        for (p, b) in product.iter().zip(&b) {
            assert!((p - b).abs() < 1e-9, "{p} {b}");
        }
        // And aba solves the same system: H q̈ + bias = τ.
        let (mut bias, mut qdd) = (vec![0.0; n], vec![0.0; n]);
        rnea_into(&body, &state, &vec![0.0; n], &[], &mut workspace, &mut bias);
        let tau: Vec<f64> = b.iter().zip(&bias).map(|(b, c)| b + c).collect();
        aba_into(&body, &state, &tau, &[], &mut workspace, &mut qdd);
        let scale = largest(&x);
        assert!(x.iter().zip(&qdd).all(|(a, b)| (a - b).abs() < 1e-9 * scale));
    }
}
