//! Properties of collisions: equal and opposite impulses, identical bits every time, no tunnelling, and nothing is hit
//! that was passed.

use std::sync::Arc;
use ugoki_base::no_progress;

use glam::DVec3;
use ugoki_sample as sample;

use super::super::{Config, Simulation, Target, Touch, react_to};
use super::*;
use crate::dynamics::{Kinematics, centroid, kinematics_into};

fn target(name: &str) -> Arc<Target> {
    let clip = sample::clip(name).unwrap();
    Arc::new(Target::build(&clip, &Config::default(), &mut no_progress()).unwrap())
}

fn ball(position_m: [f64; 3], velocity_m_s: [f64; 3], mass_kg: f64) -> Thing {
    let text = r#"{"bodies": [{"shape": "ball", "radius_m": 0.12, "position_m": [0, 0, 0], "at_s": 0.2}]}"#;
    let thing = Scene::from_json(text).unwrap().bodies.remove(0);
    Thing { position_m, velocity_m_s, mass_kg: Some(mass_kg), ..thing }
}

fn world(target: &Target, bodies: Vec<Thing>) -> World {
    World::build(&Scene { bodies }, target.floor(), 9.80665).unwrap()
}

/// Momentum of the character, kg·m/s.
fn momentum(simulation: &Simulation) -> DVec3 {
    let mut kinematics = Kinematics::new(simulation.body());
    kinematics_into(simulation.body(), simulation.state(), &mut kinematics);
    centroid(simulation.body(), &kinematics).momentum()
}

#[test]
fn collisions_conserve_momentum() {
    let target = target("idle");
    let mut world = world(&target, vec![ball([0.0, 1.25, 1.5], [0.0, 1.0, -6.0], 4.0)]);
    let mut simulation = Simulation::new(target.clone(), &Config::default(), &[]).unwrap();
    let dt = target.step_s();
    let mut met = 0;
    while !simulation.is_done() && simulation.time_s() < 1.2 {
        let before = (momentum(&simulation), world.momentum(0), world.hits().len());
        let ground = |s: &Simulation| {
            s.record.foot_force.iter().map(|f| f.force).sum::<DVec3>() + s.record.other_force.force
        };
        let stood = ground(&simulation);
        simulation.step(Some(&mut |touch: &mut Touch<'_>| world.step(touch)));
        let hits = &world.hits()[before.2..];
        if hits.is_empty() {
            continue;
        }
        met += 1;
        let given: DVec3 = hits.iter().map(|hit| DVec3::from_array(hit.impulse_n_s)).sum();
        // The object: what the character got, less gravity. Rapier works in f32.
        let fall = DVec3::NEG_Y * (4.0 * 9.80665 * dt);
        let lost = world.momentum(0) - before.1 - fall;
        assert!((lost + given).length() < 1e-3 * given.length() + 1e-3, "{lost} against {given}");
        // The character: blow, ground and gravity, and what the capture's own error carries along.
        let weight = DVec3::NEG_Y * simulation.setup.weight;
        let held = ground(&simulation) - stood + weight + DVec3::from_slice(&simulation.seen.residual[..3]);
        let gained = momentum(&simulation) - before.0 - held * dt;
        // The integrator takes H from the step's beginning: a limb turning under the blow leaves some percent.
        assert!((gained - given).length() < 0.05 * given.length() + 0.1, "{gained} against {given}");
    }
    assert!(met > 0, "the ball never met the body");
}

#[test]
fn the_same_throw_gives_the_same_bits() {
    let target = target("squat");
    let run = || {
        let mut world = world(
            &target,
            vec![ball([0.1, 1.2, 1.5], [0.0, 1.0, -7.0], 3.0), ball([1.5, 1.4, 0.0], [-6.0, 1.0, 0.0], 2.0)],
        );
        let mut environment = |touch: &mut Touch<'_>| world.step(touch);
        let config = Config::default();
        let done = react_to(&target, &config, &[], Some(&mut environment), &mut no_progress()).unwrap();
        (done, world.hits().to_vec())
    };
    let (first, second) = (run(), run());
    assert!(first.1.len() >= 2, "{:?}", first.1);
    assert!(first.0.clip == second.0.clip && first.1 == second.1);
}

#[test]
fn fast_balls_do_not_fly_through_and_passing_ones_do_not_hit() {
    let target = target("idle");
    let hits = |thing: Thing| {
        let mut world = world(&target, vec![thing]);
        let mut simulation = Simulation::new(target.clone(), &Config::default(), &[]).unwrap();
        while simulation.time_s() < 0.6 {
            simulation.step(Some(&mut |touch: &mut Touch<'_>| world.step(touch)));
        }
        assert!(simulation.state().q.iter().chain(&simulation.state().qd).all(|x| x.is_finite()));
        (world.hits().to_vec(), world.momentum(0))
    };
    // 0.83 m a step: four times a trunk's depth.
    let (struck, after) = hits(ball([0.0, 1.25, 6.0], [0.0, 0.0, -100.0], 0.1));
    assert!(!struck.is_empty() && after.z > -2.0, "{struck:?} {after}");
    let (passed, _) = hits(ball([1.2, 1.25, 6.0], [0.0, 0.0, -100.0], 0.1));
    assert!(passed.is_empty(), "{passed:?}");
}

#[test]
fn a_heavy_object_ends_in_a_fall_that_stays_finite() {
    let target = target("idle");
    let mut wall = ball([0.0, 1.0, -0.6], [0.0; 3], 1.0);
    (wall.shape, wall.radius_m, wall.size_m, wall.mass_kg) = (Shape::Box, None, Some([3.0, 2.0, 0.3]), None);
    let mut world = world(&target, vec![ball([0.0, 1.2, 3.0], [0.0, 1.0, -12.0], 2000.0), wall]);
    let mut environment = |touch: &mut Touch<'_>| world.step(touch);
    let config = Config::default();
    let done = react_to(&target, &config, &[], Some(&mut environment), &mut no_progress()).unwrap();
    assert!(done.fell_at_s.is_some());
    for frame in done.clip.motion_frames() {
        assert!(done.clip.model_pose(frame).positions.iter().all(|p| p.is_finite() && p.length() < 1e4));
    }
}

#[test]
fn scenes_that_cannot_be_are_named() {
    for (text, part) in [
        ("{", "line 1"),
        (r#"{"bodies": [{"shape": "ball", "position_m": [0, 0, 0]}]}"#, "radius_m is missing"),
        (r#"{"bodies": [{"shape": "cone", "position_m": [0, 0, 0]}]}"#, "unknown variant"),
        (r#"{"bodies": [{"shape": "box", "size_m": [1, 1, 0], "position_m": [0, 0, 0]}]}"#, "size_m is"),
        (
            r#"{"bodies": [{"shape": "ball", "radius_m": 0.1, "mass_kg": 0, "position_m": [0, 0, 0]}]}"#,
            "mass_kg is 0",
        ),
        (r#"{"bodies": [{"shape": "ball", "radius_m": 0.1, "position_m": [0, 1e9, 0]}]}"#, "position_m"),
        (
            r#"{"bodies": [{"shape": "ball", "radius_m": 0.1, "position_m": [0, 0, 0], "colour": 1}]}"#,
            "colour",
        ),
    ] {
        let error = Scene::from_json(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    let many = vec![ball([0.0; 3], [0.0; 3], 1.0); MAX_BODIES + 1];
    assert_eq!(Scene { bodies: many }.check(), Err(SceneError::TooMany { found: MAX_BODIES + 1 }));
}
