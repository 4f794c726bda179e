//! A reacting character on one core: the control step and the frame, quiet, balancing, loaded and falling.
//!
//! `cargo bench -p ugoki --bench react`
//!
//! Times of single steps by our own clock, over whole clips; medians, so that other work on the machine moves the last
//! percentile only.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use ugoki::dynamics::Load;
use ugoki::react::{Config, Simulation, Target};
use ugoki::sample;
use ugoki::skeleton::Role;

struct Case {
    name: &'static str,
    clip: &'static str,
    load_kg: f64,
    push: DVec3,
    control: bool,
}

fn main() {
    let cases = [
        Case { name: "squat, nothing", clip: "squat", load_kg: 0.0, push: DVec3::ZERO, control: true },
        Case { name: "squat, 8 kg", clip: "squat", load_kg: 8.0, push: DVec3::ZERO, control: true },
        Case { name: "squat, 15 N·s", clip: "squat", load_kg: 0.0, push: DVec3::X * 15.0, control: true },
        Case {
            name: "squat, 15 N·s, off",
            clip: "squat",
            load_kg: 0.0,
            push: DVec3::X * 15.0,
            control: false,
        },
        Case {
            name: "walk, 8 N·s and 5 kg",
            clip: "walk",
            load_kg: 5.0,
            push: DVec3::X * 8.0,
            control: true,
        },
        Case {
            name: "idle, 60 N·s: falls",
            clip: "idle",
            load_kg: 0.0,
            push: DVec3::Z * 60.0,
            control: true,
        },
    ];
    println!(
        "| 30 fps, four steps a frame | step: median | p99 | frame: median | p99 |\n|---|---|---|---|---|"
    );
    for case in &cases {
        let clip = sample::clip(case.clip).expect("a sample motion").resampled(30.0).expect("a rate");
        let config = Config { control: case.control, ..Config::default() };
        let go_on = &mut |_| ControlFlow::Continue(());
        let target = Arc::new(Target::build(&clip, &config, go_on).expect("a target"));
        let load =
            Load { role: Role::Chest, mass_kg: case.load_kg, offset_m: [0.0, 0.0, -0.2], radius_m: 0.0 };
        let (mut steps, mut frames) = (Vec::new(), Vec::new());
        for _ in 0..20 {
            let mut simulation = Simulation::new(target.clone(), &config, &[load]).expect("a body");
            let torso = simulation.body().find(Role::Spine).expect("a back");
            while !simulation.is_done() {
                let mut frame = 0.0;
                for _ in 0..target.substeps() {
                    if simulation.steps() == 12 {
                        simulation.apply_impulse(torso, DVec3::Y * 0.3, case.push);
                    }
                    let start = Instant::now();
                    simulation.step(None);
                    let us = start.elapsed().as_secs_f64() * 1e6;
                    steps.push(us);
                    frame += us;
                }
                frames.push(frame);
            }
        }
        let at = |list: &mut Vec<f64>| {
            list.sort_unstable_by(f64::total_cmp);
            (list[list.len() / 2], list[list.len() * 99 / 100])
        };
        let ((s50, s99), (f50, f99)) = (at(&mut steps), at(&mut frames));
        println!("| {} | {s50:.1} µs | {s99:.1} µs | {f50:.0} µs | {f99:.0} µs |", case.name);
    }
    crowd();
}

/// A hundred characters on one core: each squats under a load or after a push, a quarter of them with nothing added.
fn crowd() {
    let clip = sample::clip("squat").expect("a sample motion").resampled(30.0).expect("a rate");
    let config = Config::default();
    let target = Target::build(&clip, &config, &mut |_| ControlFlow::Continue(())).expect("a target");
    let target = Arc::new(target);
    let mut all: Vec<Simulation> = (0..100)
        .map(|k| {
            let mass_kg = if k % 4 == 1 { 8.0 } else { 0.0 };
            let load = Load { role: Role::Chest, mass_kg, offset_m: [0.0, 0.0, -0.2], radius_m: 0.0 };
            let mut one = Simulation::new(target.clone(), &config, &[load]).expect("a body");
            if k % 4 > 1 {
                let torso = one.body().find(Role::Spine).expect("a back");
                one.apply_impulse(torso, DVec3::Y * 0.3, DVec3::X * (8.0 + 0.1 * f64::from(k)));
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
        frames.push(start.elapsed().as_secs_f64() * 1e3);
    }
    frames.sort_unstable_by(f64::total_cmp);
    println!(
        "\n100 characters, a frame of 33.3 ms: median {:.1} ms, worst {:.1} ms",
        frames[frames.len() / 2],
        frames[frames.len() - 1]
    );
}
