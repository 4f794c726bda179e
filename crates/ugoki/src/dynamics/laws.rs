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

/// Joint velocities of a lively movement, ±2 rad/s, from the rest pose with bent limbs.
fn swinging_state(body: &Body, seed: u64) -> BodyState {
    let mut random = Random::new(seed);
    let mut state = BodyState::rest(body);
    for v in &mut state.qd {
        *v = random.range(-2.0, 2.0);
    }
    state
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
            let ang = crate::math::log64(p.rotation * m.rotation.conjugate()) / (2.0 * step);
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
fn an_impulse_changes_momentum_by_itself() {
    let body = body();
    let n = body.num_dofs();
    let mut random = Random::new(6);
    let mut workspace = Workspace::new(&body);
    let mut held = Held::new(&body, 12);
    let (mut change, mut back) = (vec![0.0; n], vec![0.0; 12]);
    let mut k = Kinematics::new(&body);
    for round in 0..40 {
        let mut state = random_state(&body, &mut random);
        let contacts: Vec<Contact> = match round % 3 {
            0 => vec![],
            1 => vec![Contact { link: body.feet()[0].foot, point: DVec3::ZERO, hold: Hold::Link }],
            _ => body.feet().map(|f| Contact { link: f.foot, point: DVec3::ZERO, hold: Hold::Link }).to_vec(),
        };
        hold_into(&body, &state, &contacts, &mut workspace, &mut held).unwrap();
        let push = PointForce::new(random.index(15), vector(&mut random, 0.2), vector(&mut random, 20.0));
        impulse_response_into(&body, workspace.kinematics(), &held, &[push], &mut change, &mut back);
        kinematics_into(&body, &state, &mut k);
        let before = centroid(&body, &k);
        let held_before: Vec<_> = contacts.iter().map(|c| k.link(c.link).velocity).collect();
        let at = k.link(push.link).point(push.point);
        // What the ground gave back: per contact, moment then force.
        let mut total = push.force;
        let mut moment = (at - before.com).cross(push.force);
        for (i, c) in contacts.iter().enumerate() {
            let (m, f) = (DVec3::from_slice(&back[6 * i..]), DVec3::from_slice(&back[6 * i + 3..]));
            total += f;
            moment += m + (k.link(c.link).position - before.com).cross(f);
        }
        state.qd.iter_mut().zip(&change).for_each(|(v, d)| *v += d);
        kinematics_into(&body, &state, &mut k);
        let after = centroid(&body, &k);
        // N·s against impulses of some 50; the 12-row solve loses a few digits in contorted poses.
        assert!((after.momentum() - before.momentum() - total).length() < 1e-7);
        assert!((after.angular_momentum - before.angular_momentum - moment).length() < 1e-7);
        for (c, v) in contacts.iter().zip(held_before) {
            let d = k.link(c.link).velocity - v;
            assert!(d.ang.length() + d.lin.length() < 1e-7, "a planted foot jumped by {d:?}");
        }
        // The blow cannot take energy that was not there: the response pushes with it.
        let p = mass_met(&body, &workspace, &held, push);
        assert!(p > 0.0 && p < 1e9);
    }
}

fn mass_met(body: &Body, workspace: &Workspace, held: &Held, push: PointForce) -> f64 {
    let (mut change, mut back) = (vec![0.0; body.num_dofs()], vec![0.0; 12]);
    let unit = PointForce { force: push.force.normalize(), ..push };
    effective_mass(body, workspace.kinematics(), held, &unit, &mut change, &mut back)
}

#[test]
fn redundant_contacts_hold_like_the_whole_foot() {
    let body = body();
    let n = body.num_dofs();
    let mut workspace = Workspace::new(&body);
    let state = swinging_state(&body, 7);
    let foot = body.feet()[0].foot;
    let whole = [Contact { link: foot, point: DVec3::ZERO, hold: Hold::Link }];
    // Four corners of the sole: twelve rows of which six are independent.
    let corners: Vec<Contact> =
        body.link(foot).sole.iter().map(|&point| Contact { link: foot, point, hold: Hold::Point }).collect();
    assert_eq!(corners.len(), 4);
    let push = [PointForce::new(1, DVec3::Y * 0.2, DVec3::new(10.0, 5.0, -20.0))];
    let mut changes = Vec::new();
    for contacts in [&whole[..], &corners[..]] {
        let mut held = Held::new(&body, 12);
        hold_into(&body, &state, contacts, &mut workspace, &mut held).unwrap();
        let (mut change, mut back) = (vec![0.0; n], vec![0.0; 12]);
        impulse_response_into(&body, workspace.kinematics(), &held, &push, &mut change, &mut back);
        changes.push(change);
    }
    let largest = largest(&changes[0]);
    assert!(changes[0].iter().zip(&changes[1]).all(|(a, b)| (a - b).abs() < 1e-6 * largest));
    let mut small = Held::new(&body, 6);
    assert_eq!(
        hold_into(&body, &state, &corners, &mut workspace, &mut small),
        Err(TooManyContacts { rows: 12, max: 6 })
    );
}

#[test]
fn holding_the_feet_makes_a_body_heavier_to_push() {
    // A body frozen into one piece would meet a push through its centre with its mass. Ours bends, so with less;
    // and holding the feet can only make it more.
    let body = body();
    let mut workspace = Workspace::new(&body);
    let state = BodyState::rest(&body);
    let mut free = Held::new(&body, 12);
    hold_into(&body, &state, &[], &mut workspace, &mut free).unwrap();
    let mut held = Held::new(&body, 12);
    let feet = body.feet().map(|f| Contact { link: f.foot, point: DVec3::ZERO, hold: Hold::Link });
    hold_into(&body, &state, &feet, &mut workspace, &mut held).unwrap();
    for direction in [DVec3::X, DVec3::Z, DVec3::new(0.6, 0.0, 0.8)] {
        let push = PointForce::new(0, DVec3::ZERO, direction);
        let (loose, planted) =
            (mass_met(&body, &workspace, &free, push), mass_met(&body, &workspace, &held, push));
        assert!(loose < body.mass() && loose > 5.0, "{loose} kg");
        assert!(planted >= loose - 1e-9, "{planted} {loose}");
    }
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
