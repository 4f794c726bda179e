//! A step of a reacting body allocates nothing, whatever happens to it: a counting allocator watches.

use std::sync::Arc;
use ugoki_base::no_progress;

use glam::DVec3;
use ugoki_base::skeleton::Role;
use ugoki_physics::dynamics::Load;
use ugoki_physics::react::{Config, Simulation, Target, Touch};
use ugoki_sample as sample;
use ugoki_testing::allocations;

#[test]
fn steps_allocate_nothing_standing_walking_and_falling() {
    for (name, load_kg, push) in [("squat", 8.0, 10.0), ("walk", 0.0, 8.0), ("idle", 0.0, 80.0)] {
        let clip = sample::clip(name).unwrap();
        let config = Config::default();
        let target = Arc::new(Target::build(&clip, &config, &mut no_progress()).expect("a target"));
        let load = Load { role: Role::Chest, mass_kg: load_kg, offset_m: [0.0, 0.0, -0.2], radius_m: 0.0 };
        let mut simulation = Simulation::new(target, &config, &[load]).expect("a body");
        simulation.prepare(&mut no_progress()).expect("not cancelled");
        let torso = simulation.body().find(Role::Spine).unwrap();
        let mut asked = 0;
        let mut world = |touch: &mut Touch<'_>| {
            let at = touch.capsule(torso).end;
            if touch.effective_mass(torso, at, DVec3::Z) > 0.0 {
                asked += 1;
            }
            touch.push(torso, at, DVec3::Z * 0.01);
        };
        let count = allocations(|| {
            while !simulation.is_done() {
                if simulation.steps() == 30 {
                    simulation.apply_impulse(torso, DVec3::Y * 0.3, DVec3::new(0.0, 0.0, push));
                }
                simulation.step(Some(&mut world));
            }
        });
        assert_eq!(count, 0, "{name}: allocations in {} steps", simulation.steps());
        assert_eq!(asked, simulation.steps());
        assert_eq!(simulation.fell_at_s().is_some(), name == "idle", "{name}");
    }
}
