//! Reacting characters on one core: the control step, the frame, and crowds.

use std::sync::Arc;
use std::time::Instant;
use ugoki::no_progress;

use glam::DVec3;
use ugoki::dynamics::Load;
use ugoki::react::{Config, Simulation, Target};
use ugoki::sample;
use ugoki::skeleton::Role;

use super::quiet;
use crate::clock::Bench;

/// Step at which a push comes.
const PUSHED_AT: usize = 12;

pub(crate) fn measure(bench: &mut Bench) {
    let cases = [
        ("", "squat", 8.0, DVec3::ZERO),
        ("nothing acts", "squat", 0.0, DVec3::ZERO),
        ("15 N·s", "squat", 0.0, DVec3::X * 15.0),
        ("5 kg and 8 N·s on a walk", "walk", 5.0, DVec3::X * 8.0),
        ("a fall, 60 N·s", "idle", 0.0, DVec3::Z * 60.0),
    ];
    for (what, clip, load_kg, push) in cases {
        let target = target(clip);
        let counted = match what {
            "" => "react.step",
            "a fall, 60 N·s" => "react.fall",
            _ => "",
        };
        let ready = character(&target, load_kg);
        if bench.count(counted, target.num_steps() as f64, || play(ready.clone(), push, |_| {})) {
            continue;
        }
        let (mut steps, mut frames) = (Vec::new(), Vec::new());
        for _ in 0..if bench.smoke { 1 } else { 20 } {
            let first = steps.len();
            play(ready.clone(), push, |nanoseconds| steps.push(nanoseconds));
            frames.extend(
                steps[first..].chunks_exact(target.substeps()).map(|frame| frame.iter().sum::<f64>()),
            );
        }
        bench.tell("react.step", what, 1, steps);
        bench.tell("react.frame", what, 1, frames);
    }
    for (what, clip, push) in [
        ("15 N·s on a squat", "squat", DVec3::X * 15.0),
        ("25 N·s from the front, standing", "idle", DVec3::NEG_Z * 25.0),
        ("90 N·s from behind, standing", "idle", DVec3::Z * 90.0),
    ] {
        look(bench, what, &target(clip), push);
    }
    for &characters in bench.sizes(&[1, 10, 30, 100, 300]) {
        crowd(bench, characters);
    }
}

/// The whole motion of a character that is ready, pushed once; `each` receives the duration of a step.
fn play(mut simulation: Simulation, push: DVec3, mut each: impl FnMut(f64)) {
    let torso = simulation.body().find(Role::Spine).expect("a back");
    while !simulation.is_done() {
        if simulation.steps() == PUSHED_AT {
            simulation.apply_impulse(torso, DVec3::Y * 0.3, push);
        }
        let start = Instant::now();
        simulation.step(None);
        each(start.elapsed().as_nanos() as f64);
    }
}

/// One look ahead right after a push.
fn look(bench: &mut Bench, what: &str, target: &Arc<Target>, push: DVec3) {
    if bench.count("", 0.0, || {}) {
        return;
    }
    let mut struck = character(target, 0.0);
    let torso = struck.body().find(Role::Spine).expect("a back");
    while struck.steps() < PUSHED_AT {
        struck.step(None);
    }
    struck.apply_impulse(torso, DVec3::Y * 0.3, push);
    let looks = (0..if bench.smoke { 1 } else { 20 }).map(|_| {
        let mut one = struck.clone();
        let start = Instant::now();
        one.foresee(&mut quiet).expect("not cancelled");
        start.elapsed().as_nanos() as f64
    });
    let looks = looks.collect();
    bench.tell("react.foresee", what, 1, looks);
}

fn target(clip: &str) -> Arc<Target> {
    let clip = sample::clip(clip).expect("a sample motion").resampled(30.0).expect("a rate");
    Arc::new(Target::build(&clip, &Config::default(), &mut quiet).expect("a target"))
}

fn character(target: &Arc<Target>, mass_kg: f64) -> Simulation {
    let load = Load { role: Role::Chest, mass_kg, offset_m: [0.0, 0.0, -0.2], radius_m: 0.0 };
    let mut simulation = Simulation::new(target.clone(), &Config::default(), &[load]).expect("a body");
    simulation.prepare(&mut no_progress()).expect("not cancelled");
    simulation
}

/// Each squats under a load or after a push, a quarter of them with nothing added; one frame of all.
fn crowd(bench: &mut Bench, characters: usize) {
    let target = target("squat");
    let mut all: Vec<Simulation> = (0..characters)
        .map(|k| {
            let mut one = character(&target, if k % 4 == 1 { 8.0 } else { 0.0 });
            if k % 4 > 1 {
                let torso = one.body().find(Role::Spine).expect("a back");
                one.apply_impulse(torso, DVec3::Y * 0.3, DVec3::X * (8.0 + 0.1 * (k % 100) as f64));
            }
            one
        })
        .collect();
    let mut frames = Vec::new();
    while !all[0].is_done() {
        let start = Instant::now();
        for one in &mut all {
            for _ in 0..target.substeps() {
                one.step(None);
            }
        }
        frames.push(start.elapsed().as_nanos() as f64);
    }
    bench.tell("react.characters", "", characters, frames);
}
