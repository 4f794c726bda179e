//! Impulses on a body that is free or held.

use glam::DVec3;

use super::*;
use crate::dynamics::*;
use crate::math::Random;

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
