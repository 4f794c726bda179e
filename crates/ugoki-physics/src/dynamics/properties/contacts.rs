//! Impulses on a body that is free or held.

use glam::DVec3;
use ugoki_base::math::Random;

use super::*;
use crate::dynamics::*;

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
fn held_feet_do_not_accelerate_and_their_forces_explain_the_motion() {
    let body = body();
    let n = body.num_dofs();
    let mut random = Random::new(15);
    let mut workspace = Workspace::new(&body);
    let mut held = Held::new(&body, 12);
    let zero = vec![0.0; n];
    for _ in 0..40 {
        let state = random_state(&body, &mut random);
        let feet =
            body.feet().map(|f| Contact { link: f.foot, point: vector(&mut random, 0.1), hold: Hold::Link });
        let tau = random_vec(n, 50.0, &mut random);
        // H q̈ − Jᵀλ = τ − bias, J q̈ = −J̇ q̇.
        let (mut bias, mut lambda) = (vec![0.0; n], vec![0.0; 12]);
        rnea_into(&body, &state, &zero, &[], &mut workspace, &mut bias);
        let mut qdd: Vec<f64> = tau.iter().zip(&bias).map(|(t, b)| t - b).collect();
        hold_into(&body, &state, &feet, &mut workspace, &mut held).unwrap();
        for (i, c) in feet.iter().enumerate() {
            let a = bias_acceleration(&body, workspace.kinematics(), c.link, c.point);
            lambda[6 * i..6 * i + 3].copy_from_slice(&(-a.ang).to_array());
            lambda[6 * i + 3..6 * i + 6].copy_from_slice(&(-a.lin).to_array());
        }
        let wanted = lambda.clone();
        held.solve(&mut qdd, &mut lambda);
        let scale = largest(&qdd);
        for (row, w) in wanted.iter().enumerate() {
            let got: f64 = held.jacobian_row(row).iter().zip(&qdd).map(|(j, a)| j * a).sum();
            assert!((got - w).abs() < 1e-8 * scale, "row {row}: {got} {w}");
        }
        // The contact forces as outside forces: inverse dynamics gives the torques back.
        let forces: Vec<PointForce> = feet
            .iter()
            .enumerate()
            .map(|(i, c)| PointForce {
                link: c.link,
                point: c.point,
                moment: DVec3::from_slice(&lambda[6 * i..]),
                force: DVec3::from_slice(&lambda[6 * i + 3..]),
            })
            .collect();
        let mut back = vec![0.0; n];
        rnea_into(&body, &state, &qdd, &forces, &mut workspace, &mut back);
        let scale = largest(&lambda).max(1.0);
        assert!(tau.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-9 * scale), "forces to {scale} N");
    }
}

#[test]
fn absurd_loads_and_blows_stay_finite() {
    use crate::dynamics::person::person;
    let load = |mass_kg: f64| Load {
        role: ugoki_base::skeleton::Role::Chest,
        mass_kg,
        offset_m: [0.0, 0.0, -0.2],
        radius_m: 0.0,
    };
    for mass_kg in [0.0, 1e-9, 500.0, 1e6] {
        let config = BodyConfig { loads: vec![load(mass_kg)], ..BodyConfig::default() };
        let body = Body::build(&person(), &config).unwrap();
        let n = body.num_dofs();
        let (mut workspace, mut held) = (Workspace::new(&body), Held::new(&body, 12));
        let feet = body.feet().map(|f| Contact { link: f.foot, point: DVec3::ZERO, hold: Hold::Link });
        let mut state = BodyState::rest(&body);
        hold_into(&body, &state, &feet, &mut workspace, &mut held).unwrap();
        let (mut change, mut back, mut qdd) = (vec![0.0; n], vec![0.0; 12], vec![0.0; n]);
        let blow = [PointForce::new(1, DVec3::Y, DVec3::new(1e6, 0.0, -1e6))];
        impulse_response_into(&body, workspace.kinematics(), &held, &blow, &mut change, &mut back);
        state.qd.iter_mut().zip(&change).for_each(|(v, d)| *v += d);
        aba_into(&body, &state, &vec![0.0; n], &[], &mut workspace, &mut qdd);
        state.step(&body, &qdd, 1e-3);
        let all = change.iter().chain(&back).chain(&qdd).chain(&state.q).chain(&state.qd);
        assert!(all.into_iter().all(|v| v.is_finite()), "{mass_kg} kg");
    }
}
