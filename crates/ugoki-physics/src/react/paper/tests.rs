//! Properties of the paper's relief.

use std::ops::ControlFlow;
use std::sync::Arc;

use ugoki_base::skeleton::Role;

use super::*;
use crate::dynamics::Load;
use crate::react::config::{Config, Control};
use crate::react::observe::observe;
use crate::react::simulation::Simulation;
use crate::react::target::Target;

/// The rows of relief are the derivatives of the loads: accelerating an unknown a little and planning the torques again,
/// the ground's forces shared out again, gives the same change.
#[test]
fn answers_are_the_derivatives_of_the_planned_loads() {
    let clip = ugoki_sample::clip("squat").unwrap();
    let config = Config { control: Control::Paper, comfort: 0.0, ..Config::default() };
    let target = Arc::new(Target::build(&clip, &config, &mut |_| ControlFlow::Continue(())).unwrap());
    let pack = Load { role: Role::Chest, mass_kg: 8.0, offset_m: [0.0, 0.0, -0.25], radius_m: 0.0 };
    let mut body = Simulation::new(target, &config, &[pack]).unwrap();
    let (mut compared, mut worst) = (0, 0.0_f64);
    for _ in 0..6 {
        for _ in 0..40 {
            body.step(None);
        }
        let Simulation { setup, motion, memory, seen, plan, .. } = &mut body;
        observe(setup, motion, memory, seen);
        let mut controller = Controller { setup, motion, memory, seen, plan };
        setup.target.acceleration_into(motion.step, &mut controller.plan.qdd);
        controller.hold();
        controller.plan.distribution.begin(&controller.seen.rows);
        for part in PARTS {
            controller.plan_torques();
            let strained = controller.strained();
            assert!(strained.count > 0, "nothing to relieve");
            let answers = controller.answers(part, &strained);
            let (tau, qdd) = (controller.plan.tau.clone(), controller.plan.qdd.clone());
            for k in 0..controller.plan.basis.len {
                let mut one = [0.0; MAX_UNKNOWNS];
                one[k] = DIFFERENCE;
                controller.plan.basis.add(&one, &mut controller.plan.qdd);
                controller.plan_torques();
                for (answer, &(index, _)) in answers.iter().zip(strained.joints()) {
                    let link = setup.body.link(index);
                    let change = (load(link, &controller.plan.tau) - load(link, &tau)) / DIFFERENCE;
                    worst = worst.max((change - answer[k]).abs());
                    compared += 1;
                }
                controller.plan.qdd.copy_from_slice(&qdd);
            }
            controller.plan_torques();
        }
    }
    println!("{compared} derivatives, worst {worst:.1e} of strength per rad/s²");
    // Loads are below 1 and known to 1e-10; a difference of 1e-4 leaves 1e-6, and curvature as much again.
    assert!(compared > 200 && worst < 1e-5, "{compared}, {worst}");
}
