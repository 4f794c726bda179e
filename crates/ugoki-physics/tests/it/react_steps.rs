//! Fixed boxes as ground: a body pushed on a step stands on it or next to it, never in the air.

use std::sync::Arc;
use ugoki_base::no_progress;

use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_physics::react::world::{Scene, World};
use ugoki_physics::react::{Config, Event, Push, Reaction, Target, Touch, react_to};
use ugoki_sample as sample;

/// The sample's step: 17 cm high from here on, m.
const STEP_M: f64 = 0.17;
const EDGE_Z: f64 = 0.34;
/// Half of its width, m.
const HALF_M: f64 = 0.22;

/// The step-up, and standing on the step for three seconds.
fn climbed() -> Clip {
    let clip = sample::clip("step-up").unwrap();
    let n = clip.num_frames();
    let mut out = Clip::at_rest(clip.skeleton().clone(), clip.fps(), n + 180).unwrap();
    for frame in 0..n + 180 {
        out.set_pose(frame, &clip.pose(frame.min(n - 1)));
    }
    out
}

fn on_the_step(target: &Arc<Target>, events: &[Event]) -> (Reaction, Vec<usize>) {
    let text = format!(
        r#"{{"bodies": [{{"shape": "box", "size_m": [{}, {STEP_M}, 1.0], "position_m": [0, {}, {}]}}]}}"#,
        2.0 * HALF_M,
        0.5 * STEP_M,
        EDGE_Z + 0.5
    );
    let mut world = World::build(&Scene::from_json(&text).unwrap(), target.floor(), 9.80665).unwrap();
    let mut environment = |touch: &mut Touch<'_>| world.step(touch);
    let go_on = &mut no_progress();
    let reaction = react_to(target, &Config::default(), events, Some(&mut environment), go_on).unwrap();
    (reaction, world.stood_in())
}

#[test]
fn a_step_under_the_target_s_feet_changes_nothing() {
    let target = Arc::new(Target::build(&climbed(), &Config::default(), &mut no_progress()).unwrap());
    let (reaction, stood_in) = on_the_step(&target, &[]);
    let worst = reaction.frames.iter().map(|f| f.tracking_error_deg).fold(0.0, f64::max);
    assert!(reaction.outcome.follows() && worst < 0.01, "{worst}°");
    assert!(stood_in.is_empty());
}

#[test]
fn a_body_pushed_on_a_step_stands_on_it_or_next_to_it() {
    let clip = climbed();
    let target = Arc::new(Target::build(&clip, &Config::default(), &mut no_progress()).unwrap());
    let pushed_s = (clip.num_frames() - 170) as f64 / clip.fps();
    let (mut off_step, mut stand) = (0, 0);
    for (x, z) in
        [(25.0, 0.0), (30.0, 0.0), (40.0, 0.0), (-25.0, 0.0), (-35.0, 0.0), (0.0, -30.0), (25.0, -25.0)]
    {
        let push = Push { at_s: pushed_s, role: Role::Chest, impulse_n_s: [x, 0.0, z], seconds: 0.0 };
        let (reaction, _) = on_the_step(&target, &[Event::Push(push)]);
        stand += usize::from(reaction.fell_at_s.is_none());
        let mut stood = 0;
        for frame in reaction.frames.iter().filter(|frame| frame.t > pushed_s) {
            for foot in &frame.feet {
                let [at_x, at_y, at_z] = foot.at_m;
                // A sole that reaches over the edge by less than half still stands on the step.
                let off = (at_x.abs() - HALF_M).max(EDGE_Z - at_z);
                if foot.force_n[1] > 100.0 && off > 0.13 {
                    assert!(at_y < 0.05, "{x}, {z} N·s: at {at_y:.2} m in the air, {off:.2} m from the step");
                    stood += 1;
                }
            }
        }
        println!("{x}, {z} N·s: {stood} times next to the step, fell {:?}", reaction.fell_at_s);
        off_step += stood;
    }
    // It is not only falls that end next to it.
    assert!(off_step > 0 && stand > 0, "{off_step}, {stand}");
}
