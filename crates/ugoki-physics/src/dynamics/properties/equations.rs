//! Inverse and forward dynamics, H, Jacobians and external forces say the same.

use glam::DVec3;
use ugoki_base::math::Random;

use super::*;
use crate::dynamics::*;

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

#[test]
fn products_of_h_and_of_its_halves_are_those_of_its_entries() {
    let body = body();
    let n = body.num_dofs();
    let (mut workspace, mut random) = (Workspace::new(&body), Random::new(8));
    let (mut h, mut again) = (MassMatrix::new(&body), MassMatrix::new(&body));
    let mut factors = Factors::new(&body);
    let (mut product, mut column) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..100 {
        let state = random_state(&body, &mut random);
        crba_into(&body, &state, &mut workspace, &mut h);
        rnea_into(&body, &state, &vec![0.0; n], &[], &mut workspace, &mut product);
        crba_placed_into(&body, &mut workspace, &mut again);
        assert_eq!(h, again);
        let x = random_vec(n, 50.0, &mut random);
        h.multiply_into(&x, &mut product);
        let root = h.multiply_root(&x);
        for row in 0..n {
            let wanted: f64 = (0..n).map(|k| h.at(row, k) * x[k]).sum();
            // N·m: sums of 36 products of up to a thousand.
            assert!((product[row] - wanted).abs() < 1e-9, "{row}: {} {wanted}", product[row]);
            assert!(row >= 6 || (root[row] - wanted).abs() < 1e-9, "{row}: {wanted}");
            h.column_into(row, &mut column);
            assert!((0..n).all(|k| column[k] == h.at(k, row)));
        }
        // bᵀ H⁻¹ c of four vectors with each other, one of them on one limb alone.
        factors.factor(&h);
        let mut vectors: [Vec<f64>; 4] = std::array::from_fn(|_| random_vec(n, 1.0, &mut random));
        vectors[3][..n - 1].fill(0.0);
        let mut half: Vec<[f64; 4]> = (0..n).map(|k| vectors.each_ref().map(|v| v[k])).collect();
        factors.half_solve_four(&mut half);
        for (a, vector) in vectors.iter().enumerate() {
            let mut x = vector.clone();
            factors.solve(&mut x);
            for (b, other) in vectors.iter().enumerate() {
                let wanted: f64 = other.iter().zip(&x).map(|(b, x)| b * x).sum();
                let found: f64 = half.iter().map(|half| half[a] * half[b]).sum();
                // Toes of 0.1 kg answer a N·m with thousands of rad/s².
                assert!((found - wanted).abs() < 1e-9 * (1.0 + wanted.abs()), "{a} {b}: {found} {wanted}");
            }
        }
    }
}

#[test]
fn jacobians_are_the_derivative_of_the_pose() {
    let body = body();
    let n = body.num_dofs();
    let mut random = Random::new(4);
    let (mut k, mut ahead, mut behind) =
        (Kinematics::new(&body), Kinematics::new(&body), Kinematics::new(&body));
    let mut jacobian = vec![0.0; 6 * n];
    let step = 1e-6;
    for _ in 0..20 {
        let state = random_state(&body, &mut random);
        kinematics_into(&body, &state, &mut k);
        let (link, point) = (random.index(body.links().len()), vector(&mut random, 0.3));
        link_jacobian_into(&body, &k, link, point, &mut jacobian);
        for dof in 0..n {
            let mut unit = vec![0.0; n];
            unit[dof] = 1.0;
            let (mut plus, mut minus) = (state.clone(), state.clone());
            move_by(&body, &mut plus.q, &unit, step);
            move_by(&body, &mut minus.q, &unit, -step);
            kinematics_into(&body, &plus, &mut ahead);
            kinematics_into(&body, &minus, &mut behind);
            let (p, m) = (ahead.link(link), behind.link(link));
            let lin = (p.point(point) - m.point(point)) / (2.0 * step);
            let ang = ugoki_base::math::log64(p.rotation * m.rotation.conjugate()) / (2.0 * step);
            for row in 0..3 {
                // Central differences at 1e-6: rounding 1e-10, third derivatives 1e-12.
                assert!((jacobian[row * n + dof] - ang[row]).abs() < 1e-8, "link {link} dof {dof}");
                assert!((jacobian[(3 + row) * n + dof] - lin[row]).abs() < 1e-8, "link {link} dof {dof}");
            }
        }
        // J q̇ is the velocity that kinematics gives.
        let speed: Vec<f64> = (0..6)
            .map(|r| jacobian[r * n..(r + 1) * n].iter().zip(&state.qd).map(|(a, b)| a * b).sum())
            .collect();
        assert!(
            (DVec3::new(speed[3], speed[4], speed[5]) - k.link(link).point_velocity(point)).length() < 1e-10
        );
        assert!((DVec3::new(speed[0], speed[1], speed[2]) - k.link(link).velocity.ang).length() < 1e-10);
    }
}

#[test]
fn bias_acceleration_is_the_derivative_of_the_velocity_at_constant_rates() {
    let body = body();
    let mut random = Random::new(5);
    let (mut k, mut ahead, mut behind) =
        (Kinematics::new(&body), Kinematics::new(&body), Kinematics::new(&body));
    for _ in 0..50 {
        let state = random_state(&body, &mut random);
        let (link, point) = (random.index(body.links().len()), vector(&mut random, 0.3));
        kinematics_into(&body, &state, &mut k);
        let (mut plus, mut minus) = (state.clone(), state.clone());
        let step = 1e-5;
        move_by(&body, &mut plus.q, &state.qd, step);
        move_by(&body, &mut minus.q, &state.qd, -step);
        kinematics_into(&body, &plus, &mut ahead);
        kinematics_into(&body, &minus, &mut behind);
        let (p, m) = (ahead.link(link), behind.link(link));
        let lin = (p.point_velocity(point) - m.point_velocity(point)) / (2.0 * step);
        let ang = (p.velocity.ang - m.velocity.ang) / (2.0 * step);
        let a = bias_acceleration(&body, &k, link, point);
        // Accelerations of some 100 m/s², jerks of 10⁴: the differences carry about 1e-6 of either.
        let scale = 1.0 + lin.length() + ang.length();
        assert!((a.lin - lin).length() < 1e-5 * scale && (a.ang - ang).length() < 1e-5 * scale);
    }
}

#[test]
fn external_forces_are_generalized_by_the_jacobian() {
    let body = body();
    let n = body.num_dofs();
    let mut random = Random::new(10);
    let mut workspace = Workspace::new(&body);
    let (mut bare, mut pushed) = (vec![0.0; n], vec![0.0; n]);
    let mut jacobian = vec![0.0; 6 * n];
    for _ in 0..50 {
        let state = random_state(&body, &mut random);
        let force = random_forces(&body, &mut random)[0];
        let qdd = random_vec(n, 5.0, &mut random);
        rnea_into(&body, &state, &qdd, &[], &mut workspace, &mut bare);
        rnea_into(&body, &state, &qdd, &[force], &mut workspace, &mut pushed);
        link_jacobian_into(&body, workspace.kinematics(), force.link, force.point, &mut jacobian);
        let mut generalized = vec![0.0; n];
        add_generalized(&body, workspace.kinematics(), &[force], &mut generalized);
        for dof in 0..n {
            let at = |r: usize| jacobian[r * n + dof];
            let jt = force.moment.dot(DVec3::new(at(0), at(1), at(2)))
                + force.force.dot(DVec3::new(at(3), at(4), at(5)));
            assert!((bare[dof] - pushed[dof] - jt).abs() < 1e-9 && (generalized[dof] - jt).abs() < 1e-10);
        }
    }
}
