//! Energy, momentum, the zero-moment point and the choice of the world's frame.

use glam::DVec3;
use ugoki_base::math::Random;

use super::*;
use crate::dynamics::*;

/// dq/dt for velocities `qd`: quaternions by q̇ = ½ q ω.
fn coordinate_rates(body: &Body, q: &[f64], qd: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; q.len()];
    let quaternion = |at: usize, d: usize, out: &mut [f64]| {
        let rate = glam::DQuat::from_xyzw(qd[d], qd[d + 1], qd[d + 2], 0.0) * 0.5;
        out[at..at + 4].copy_from_slice(&(glam::DQuat::from_slice(&q[at..]) * rate).to_array());
    };
    for link in body.links() {
        let (c, d) = (link.coordinate, link.dof);
        match link.joint {
            JointKind::Free => {
                out[c..c + 3].copy_from_slice(&qd[d..d + 3]);
                quaternion(c + 3, d + 3, &mut out);
            }
            JointKind::Ball => quaternion(c, d, &mut out),
            JointKind::Hinge => out[c] = qd[d],
        }
    }
    out
}

/// One classical Runge–Kutta step of the passive body.
fn rk4(body: &Body, state: &mut BodyState, dt: f64, workspace: &mut Workspace) {
    let n = body.num_dofs();
    let tau = vec![0.0; n];
    let (mut dq, mut dv) = (vec![0.0; state.q.len()], vec![0.0; n]);
    let mut stage = state.clone();
    for (ahead, weight) in [(0.5, 1.0), (0.5, 2.0), (1.0, 2.0), (0.0, 1.0)] {
        let rates = coordinate_rates(body, &stage.q, &stage.qd);
        let mut qdd = vec![0.0; n];
        aba_into(body, &stage, &tau, &[], workspace, &mut qdd);
        for (d, r) in dq.iter_mut().zip(&rates) {
            *d += weight * r / 6.0;
        }
        for (d, a) in dv.iter_mut().zip(&qdd) {
            *d += weight * a / 6.0;
        }
        let ahead = |from: &[f64], rate: &[f64]| -> Vec<f64> {
            from.iter().zip(rate).map(|(x, r)| x + ahead * dt * r).collect()
        };
        stage = BodyState { q: ahead(&state.q, &rates), qd: ahead(&state.qd, &qdd) };
    }
    state.q.iter_mut().zip(&dq).for_each(|(q, d)| *q += dt * d);
    state.qd.iter_mut().zip(&dv).for_each(|(v, d)| *v += dt * d);
    move_by(body, &mut state.q, &tau, 0.0); // brings the quaternions back to length 1
}

#[test]
fn a_passive_body_in_free_space_keeps_its_energy() {
    let body = Body::build(&person(), &BodyConfig { gravity_m_s2: 0.0, ..BodyConfig::default() }).unwrap();
    let mut workspace = Workspace::new(&body);
    let mut kinematics = Kinematics::new(&body);
    let mut state = swinging_state(&body, 11);
    kinematics_into(&body, &state, &mut kinematics);
    let (before, momentum) = (energy(&body, &kinematics).kinetic, centroid(&body, &kinematics));
    for _ in 0..5000 {
        rk4(&body, &mut state, 1e-3, &mut workspace);
        kinematics_into(&body, &state, &mut kinematics);
        let now = energy(&body, &kinematics).kinetic;
        assert!((now / before - 1.0).abs() < 1e-6, "{before} J became {now} J");
    }
    // Nothing acts from outside, so momentum and spin stay too; 1e-6 of a few N·s like the energy.
    let after = centroid(&body, &kinematics);
    assert!((after.momentum() - momentum.momentum()).length() < 1e-5 * momentum.momentum().length());
    assert!((after.angular_momentum - momentum.angular_momentum).length() < 1e-5);
}

#[test]
fn a_falling_body_keeps_the_energy_about_its_centre() {
    let body = body();
    let mut workspace = Workspace::new(&body);
    let mut kinematics = Kinematics::new(&body);
    let mut state = swinging_state(&body, 12);
    let mut inner = |state: &BodyState| {
        kinematics_into(&body, state, &mut kinematics);
        let (e, c) = (energy(&body, &kinematics), centroid(&body, &kinematics));
        let height = c.com.y * c.mass * STANDARD_GRAVITY;
        e.kinetic + e.potential - 0.5 * c.mass * c.velocity.length_squared() - height
    };
    let before = inner(&state);
    for _ in 0..5000 {
        rk4(&body, &mut state, 1e-3, &mut workspace);
    }
    let after = inner(&state);
    assert!((after / before - 1.0).abs() < 1e-6, "{before} J became {after} J");
    // And it fell as a stone does: ½ g t².
    kinematics_into(&body, &state, &mut kinematics);
    let first = {
        let start = swinging_state(&body, 12);
        let mut k = Kinematics::new(&body);
        kinematics_into(&body, &start, &mut k);
        centroid(&body, &k)
    };
    let now = centroid(&body, &kinematics);
    let expected = first.com + first.velocity * 5.0 + body.gravity() * 12.5;
    assert!((now.com - expected).length() < 1e-6, "{} {}", now.com, expected);
}

#[test]
fn the_zmp_of_a_body_at_rest_lies_under_its_centre() {
    let body = body();
    let n = body.num_dofs();
    let mut random = Random::new(8);
    let (mut workspace, mut tau) = (Workspace::new(&body), vec![0.0; n]);
    for _ in 0..50 {
        let mut state = random_state(&body, &mut random);
        state.qd.fill(0.0);
        rnea_into(&body, &state, &vec![0.0; n], &[], &mut workspace, &mut tau);
        let wrench = root_wrench(workspace.kinematics(), &tau);
        let com = centroid(&body, workspace.kinematics()).com;
        let ground = random.range(-1.0, 1.0);
        let p = zmp(&wrench, ground, 0.0).unwrap();
        assert!((p - DVec3::new(com.x, ground, com.z)).length() < 1e-9, "{p} {com}");
        let m = wrench.moment_about(p);
        assert!(m.x.abs() < 1e-9 && m.z.abs() < 1e-9);
        assert!((wrench.force - DVec3::Y * body.mass() * STANDARD_GRAVITY).length() < 1e-9);
    }
    // In free fall the ground gives nothing.
    let state = random_state(&body, &mut random);
    let mut qdd = vec![0.0; n];
    aba_into(&body, &state, &vec![0.0; n], &[], &mut workspace, &mut qdd);
    rnea_into(&body, &state, &qdd, &[], &mut workspace, &mut tau);
    assert_eq!(zmp(&root_wrench(workspace.kinematics(), &tau), 0.0, 1e-6), None);
}

#[test]
fn turning_and_moving_the_world_changes_no_torque() {
    let body = body();
    let n = body.num_dofs();
    let mut random = Random::new(9);
    let mut workspace = Workspace::new(&body);
    let (mut here, mut there) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..50 {
        let state = random_state(&body, &mut random);
        let qdd = random_vec(n, 10.0, &mut random);
        let yaw = glam::DQuat::from_rotation_y(random.range(-3.0, 3.0));
        let mut moved = state.clone();
        moved.set_root_position(yaw * state.root_position() + vector(&mut random, 100.0));
        moved.set_rotation(&body, 0, yaw * state.rotation(&body, 0));
        let turned = |v: &[f64]| -> Vec<f64> {
            let mut out = v.to_vec();
            out[..3].copy_from_slice(&(yaw * DVec3::from_slice(v)).to_array());
            out
        };
        moved.qd = turned(&state.qd);
        rnea_into(&body, &state, &qdd, &[], &mut workspace, &mut here);
        rnea_into(&body, &moved, &turned(&qdd), &[], &mut workspace, &mut there);
        let scale = largest(&here);
        for (a, b) in turned(&here).iter().zip(&there) {
            // Nothing is ever measured from the world's origin, so 100 m away costs no digit.
            assert!((a - b).abs() < 1e-12 * scale, "{a} {b}");
        }
    }
}

#[test]
fn momentum_is_h_times_velocity_and_com_motion_its_first_rows() {
    let body = body();
    let n = body.num_dofs();
    let mut random = Random::new(13);
    let mut workspace = Workspace::new(&body);
    let mut h = MassMatrix::new(&body);
    let mut p = vec![0.0; n];
    for _ in 0..20 {
        let state = random_state(&body, &mut random);
        crba_into(&body, &state, &mut workspace, &mut h);
        h.multiply_into(&state.qd, &mut p);
        let c = centroid(&body, workspace.kinematics());
        assert!((DVec3::from_slice(&p) - c.momentum()).length() < 1e-9);
        let kinetic: f64 = 0.5 * p.iter().zip(&state.qd).map(|(a, b)| a * b).sum::<f64>();
        assert!((kinetic / energy(&body, workspace.kinematics()).kinetic - 1.0).abs() < 1e-12);
        let mut straight = state.clone();
        straight.qd.fill(0.0);
        straight.qd[3..6].copy_from_slice(&[0.3, -0.2, 0.5]);
        let k = {
            let mut k = Kinematics::new(&body);
            kinematics_into(&body, &straight, &mut k);
            k
        };
        // Turned as one piece, spin is the frozen inertia times the angular velocity.
        let spin = frozen_inertia(&body, &k).j.mul_vec(k.link(0).velocity.ang);
        assert!((centroid(&body, &k).angular_momentum - spin).length() < 1e-10);
    }
}

#[test]
fn moving_by_a_difference_arrives() {
    let body = body();
    let mut random = Random::new(14);
    let mut way = vec![0.0; body.num_dofs()];
    for _ in 0..50 {
        let (from, to) = (random_state(&body, &mut random), random_state(&body, &mut random));
        difference_into(&body, &from.q, &to.q, &mut way);
        let mut arrived = from.clone();
        move_by(&body, &mut arrived.q, &way, 1.0);
        difference_into(&body, &arrived.q, &to.q, &mut way);
        assert!(largest(&way) < 1e-12, "{way:?}");
    }
}
