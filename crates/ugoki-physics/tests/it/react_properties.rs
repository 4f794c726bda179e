//! What must hold of reactions, on the sample motions.

use std::ops::ControlFlow;
use std::sync::Arc;
use ugoki_base::no_progress;

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::math::angle_between;
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Joint, Role, Skeleton};
use ugoki_physics::dynamics::Load;
use ugoki_physics::react::world::{Scene, World};
use ugoki_physics::react::{
    Config, Control, Event, Outcome, Push, ReactError, Reaction, Simulation, Target, Touch, Tracking, react,
    react_to,
};
use ugoki_sample as sample;

fn run(clip: &Clip, config: &Config, events: &[Event]) -> Reaction {
    react(clip, config, events, None, &mut no_progress()).unwrap()
}

fn target(clip: &Clip) -> Arc<Target> {
    Arc::new(Target::build(clip, &Config::default(), &mut no_progress()).unwrap())
}

fn follow(target: &Arc<Target>, control: bool, events: &[Event]) -> Reaction {
    let config = Config { control: if control { Control::On } else { Control::Off }, ..Config::default() };
    react_to(target, &config, events, None, &mut no_progress()).unwrap()
}

fn push(at_s: f64, role: Role, impulse_n_s: [f64; 3]) -> Event {
    Event::Push(Push { at_s, role, impulse_n_s, seconds: 0.0 })
}

fn pack(mass_kg: f64, offset_m: [f64; 3]) -> Event {
    Event::Load(Load { role: Role::Chest, mass_kg, offset_m, radius_m: 0.0 })
}

/// A weight lying on the shoulder blades, as `--load KG@chest` has it.
fn on_back(target: &Target, mass_kg: f64) -> Event {
    Event::Load(Load::on_back(target.clip().skeleton(), target.body().stature(), mass_kg))
}

fn rms(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(s, n), v| (s + v * v, n + 1.0));
    (sum / count).sqrt()
}

fn peak(reaction: &Reaction, link: &str) -> f64 {
    let link = reaction.links.iter().position(|l| l == link).unwrap();
    reaction.frames.iter().map(|f| f.torque_n_m[link]).fold(0.0, f64::max)
}

/// How the left hand is off where the target has it, seen from the shoulder, m: forward and up, each the mean weighted
/// by what the back carries beyond its comfort. Where it is not loaded nothing is to be relieved.
fn hand_where_loaded(reaction: &Reaction) -> [f64; 2] {
    let skeleton = reaction.clip.skeleton();
    let (hand, shoulder) =
        (skeleton.find(Role::LeftHand).unwrap(), skeleton.find(Role::LeftUpperArm).unwrap());
    let reach = |clip: &Clip, frame: usize| -> Vec3 {
        let model = clip.model_pose(frame);
        model.positions[hand] - model.positions[shoulder]
    };
    let spine = reaction.links.iter().position(|link| link == "spine").unwrap();
    let mut sums = [0.0; 3];
    for (f, frame) in reaction.clip.motion_frames().zip(&reaction.frames) {
        let off = (reach(&reaction.clip, f) - reach(&reaction.target, f)).as_dvec3();
        let excess = (frame.load[spine] - Config::default().comfort).max(0.0);
        sums = [sums[0] + excess, sums[1] + excess * off.z, sums[2] + excess * off.y];
    }
    [sums[1] / sums[0], sums[2] / sums[0]]
}

#[test]
fn undisturbed_targets_are_reproduced_and_not_corrected() {
    let mut worst = (0.0, "");
    for motion in sample::motions() {
        let clip = motion.clip();
        let reaction = run(&clip, &Config::default(), &[]);
        let error = rms(reaction.frames.iter().map(|f| f.tracking_error_deg));
        println!("{:16} rms {error:.4}°", motion.name);
        // The bound is 0.5° for squat, walk in place and reach; every sample keeps a fifth of it.
        assert!(error < 0.15, "{}: {error}°", motion.name);
        assert!(reaction.outcome.follows(), "{}", motion.name);
        for f in &reaction.frames {
            assert_eq!(
                [f.corrections.arms, f.corrections.back, f.corrections.lower],
                [0.0; 3],
                "{}",
                motion.name
            );
        }
        // Against the clip itself, smoothing included.
        let joints = clip.num_joints();
        let off = rms((0..clip.num_frames()).flat_map(|frame| {
            let (a, b) = (&reaction.clip, &clip);
            (0..joints).map(move |j| f64::from(angle_between(a.rotation(j, frame), b.rotation(j, frame))))
        }))
        .to_degrees();
        assert!(off < 0.5, "{}: {off}° from the clip", motion.name);
        if error > worst.0 {
            worst = (error, motion.name);
        }
    }
    println!("worst {} {:.4}°", worst.1, worst.0);
}

#[test]
fn the_literal_cubic_cuts_corners_and_stays_up() {
    let clip = sample::clip("squat").unwrap();
    let config = Config { tracking: Tracking::Extremum, ..Config::default() };
    let reaction = run(&clip, &config, &[]);
    let error = rms(reaction.frames.iter().map(|f| f.tracking_error_deg));
    assert!(error > 0.5 && error < 20.0, "{error}°");
    assert_eq!(reaction.fell_at_s, None);
}

fn most(reaction: &Reaction, value: impl Fn(&ugoki_physics::react::Frame) -> f64) -> f64 {
    reaction.frames.iter().map(value).fold(0.0, f64::max)
}

#[test]
fn the_paper_s_loads_on_the_squat() {
    let target = target(&sample::clip("squat").unwrap().resampled(30.0).unwrap());
    // (b), (c): arms relieve the back, more under 8 kg than under 5, and its peak torque falls against no control, at
    // no other joint's cost. The trunk of this squat leans by 36° with the arms out before it: what relieves the back
    // is drawing them in; in the paper, whose squatter stands under the pack, they go forward.
    let mut moved = 0.0;
    for kg in [5.0, 8.0, 12.0, 20.0] {
        let (on, off) =
            (follow(&target, true, &[on_back(&target, kg)]), follow(&target, false, &[on_back(&target, kg)]));
        assert!(on.fell_at_s.is_none() && off.outcome.follows(), "{kg} kg");
        assert!(on.outcome.follows() || kg > 8.0, "{kg} kg");
        let hand = hand_where_loaded(&on);
        let well = worst_of_the_well(&on, &off);
        let gained = gained_peak(&on, &off);
        println!(
            "{kg} kg: hand {hand:.3?} m forward and up, back {:.1} against {:.1} N·m, another joint's peak {gained:+.3}, joints that were well at most {well:.3} over",
            peak(&on, "spine"),
            peak(&off, "spine")
        );
        let far = hand[0].hypot(hand[1]);
        // Under 20 kg the arms are as far off as they go.
        let more = if kg < 20.0 { 1.1 } else { 1.0 };
        assert!(far > more * moved + 0.001, "{kg} kg: {hand:?}, with less {moved}");
        assert!(peak(&on, "spine") < peak(&off, "spine") - 0.1 * kg, "{kg} kg");
        assert!(gained < GAINED, "{kg} kg: a joint's peak gains {gained}");
        assert!(most(&on, |f| f.corrections.arms) > 1.0, "{kg} kg");
        // Joints that are well stay so, but for what arms on their way need.
        assert!(well < WELL, "{kg} kg: a joint that was well is {well} over");
        moved = far;
    }
    // On the shoulder blades a load leaves the ZMP inside for long: back and hips have to work from 40 and 46 kg on.
    let (some, much) =
        (follow(&target, true, &[on_back(&target, 30.0)]), follow(&target, true, &[on_back(&target, 60.0)]));
    assert!(most(&some, |f| f.corrections.back).max(most(&some, |f| f.corrections.lower)) < 1e-9);
    let (back, lower) = (most(&much, |f| f.corrections.back), most(&much, |f| f.corrections.lower));
    println!("60 kg: back {back:.2}, lower body {lower:.2} rad/s²");
    assert!(back > 0.2 && lower > 0.05 && much.fell_at_s.is_none(), "{back}, {lower}");
}

/// Fraction of strength by which the largest load of a joint may be larger with control than without.
const GAINED: f64 = 0.03;

/// The most by which control raises the largest load of any joint but the arms', fraction of strength.
fn gained_peak(on: &Reaction, off: &Reaction) -> f64 {
    let most =
        |reaction: &Reaction, link: usize| reaction.frames.iter().map(|f| f.load[link]).fold(0.0, f64::max);
    let others = (0..on.links.len()).filter(|&link| !on.links[link].contains("Arm"));
    others.map(|link| most(on, link) - most(off, link)).fold(f64::NEG_INFINITY, f64::max)
}

/// Fraction of strength by which moving arms may load a joint within its comfort.
const WELL: f64 = 0.06;

/// How far a joint that is well without control exceeds its comfort and the target's own load with it, fraction of
/// strength.
fn worst_of_the_well(on: &Reaction, off: &Reaction) -> f64 {
    let frames = on.frames.iter().zip(&off.frames);
    let over = frames.flat_map(|(on, off)| {
        on.load.iter().zip(&off.load).zip(&on.target_load).map(|((&on, &off), &own)| {
            let well = own.max(Config::default().comfort);
            if off <= well + 1e-3 { on - well } else { 0.0 }
        })
    });
    over.fold(0.0, f64::max)
}

#[test]
fn the_paper_s_blow_on_the_squat() {
    let target = target(&sample::clip("squat").unwrap().resampled(30.0).unwrap());
    // (d) a blow at the left shoulder in frame 3: arms and hips answer, back on target, ZMP inside at the end.
    let blow = |size: f64| [push(0.1, Role::LeftUpperArm, [-size, 0.0, 0.0])];
    let on = follow(&target, true, &blow(15.0));
    let worst = most(&on, |f| f.tracking_error_deg);
    let last = on.frames.last().unwrap();
    assert!(on.outcome.follows() && worst > 3.0, "worst {worst}°");
    assert!(last.tracking_error_deg < 0.1 && last.margin_m.unwrap() > 0.01, "{last:?}");
    assert!(on.frames.iter().any(|f| f.corrections.arms > 5.0 && f.corrections.lower > 0.5));
    // Harder blows end in steps; without control in a fall.
    for size in [20.0, 25.0] {
        let [on, off] = [true, false].map(|control| follow(&target, control, &blow(size)).fell_at_s);
        assert!(off.is_some() && on.is_none(), "{size} N·s: {on:?}, {off:?}");
    }
}

#[test]
fn control_does_no_harm_under_loads_that_are_carried_without_it() {
    let (mut carried, mut harm) = (0, Vec::new());
    for motion in sample::motions() {
        let target = target(&motion.clip());
        for kg in [6.0, 10.0, 16.0, 28.0] {
            let [on, off] = [true, false].map(|control| follow(&target, control, &[on_back(&target, kg)]));
            // Where the load is carried without control, control neither fells nor strays by more than 3° farther.
            if off.fell_at_s.is_some() {
                continue;
            }
            carried += 1;
            let [far, least] = [&on, &off].map(Reaction::worst_of_back_and_legs_deg);
            if on.fell_at_s.is_some() || far > least + 3.0 {
                harm.push(format!(
                    "{} {kg} kg: {far:.1}° against {least:.1}°, {:?}",
                    motion.name, on.fell_at_s
                ));
            }
        }
    }
    println!("{carried} loads carried without control; worse with it: {harm:?}");
    assert!(carried > 80, "{carried}");
    assert!(harm.is_empty(), "{harm:?}");
}

#[test]
fn arms_under_a_central_load_move_alike_and_slowly() {
    let target = target(&sample::clip("idle").unwrap());
    let skeleton = target.clip().skeleton();
    let find = |role| skeleton.find(role).unwrap();
    let arms = [(Role::LeftHand, Role::LeftUpperArm), (Role::RightHand, Role::RightUpperArm)];
    let arms = arms.map(|(hand, shoulder)| (find(hand), find(shoulder)));
    for kg in [5.0, 12.0, 20.0, 30.0, 40.0] {
        let reaction = follow(&target, true, &[on_back(&target, kg)]);
        let off = |frame: usize| -> [Vec3; 2] {
            let reach = |clip: &Clip, (hand, shoulder): (usize, usize)| {
                let model = clip.model_pose(frame);
                model.positions[hand] - model.positions[shoulder]
            };
            arms.map(|arm| reach(&reaction.clip, arm) - reach(&reaction.target, arm))
        };
        let places: Vec<[Vec3; 2]> = reaction.clip.motion_frames().map(off).collect();
        let mirrored = |p: Vec3| Vec3::new(-p.x, p.y, p.z);
        let uneven = places.iter().map(|p| p[0].distance(mirrored(p[1]))).fold(0.0, f32::max);
        let fastest = places.windows(2).map(|w| w[0][0].distance(w[1][0]) * reaction.clip.fps() as f32);
        let fastest = fastest.fold(0.0, f32::max);
        println!("{kg} kg: {:.1} cm unlike, {fastest:.2} m/s", 100.0 * uneven);
        // They wandered by 51 cm against each other, at 0.9 m/s.
        assert!(uneven < 0.05 && fastest < 0.5, "{kg} kg: {uneven} m, {fastest} m/s");
    }
}

#[test]
fn what_the_target_takes_is_what_the_undisturbed_body_takes() {
    for motion in sample::motions() {
        let reaction = run(&motion.clip(), &Config::default(), &[]);
        for (frame, link) in
            (0..reaction.frames.len()).flat_map(|f| (0..reaction.links.len()).map(move |l| (f, l)))
        {
            let (now, own) = (reaction.frames[frame].load[link], reaction.frames[frame].target_load[link]);
            let name = &reaction.links[link];
            assert!((now - own).abs() < 0.02, "{} frame {frame}: {name} {now} against {own}", motion.name);
        }
    }
}

/// The fastest joint, m/s, and how far the pelvis rises over the target's, m.
fn fastest_and_highest(reaction: &Reaction) -> (f32, f32) {
    let models: Vec<_> =
        (0..reaction.clip.num_frames()).map(|frame| reaction.clip.model_pose(frame)).collect();
    let ways = models.windows(2).flat_map(|w| {
        w[0].positions.iter().zip(&w[1].positions).map(|(a, b)| a.distance(*b)).collect::<Vec<_>>()
    });
    let fastest = ways.fold(0.0, f32::max) * reaction.clip.fps() as f32;
    let rises = models
        .iter()
        .enumerate()
        .map(|(f, m)| m.positions[0].y - reaction.target.model_pose(f).positions[0].y);
    (fastest, rises.fold(0.0, f32::max))
}

#[test]
fn a_body_standing_in_a_plate_or_step_is_not_thrown() {
    for name in ["idle", "squat", "walk", "step-up"] {
        let clip = sample::clip(name).unwrap();
        let target = target(&clip.trimmed(0..clip.num_frames().min(150)).unwrap());
        for (height, mass) in [0.01, 0.02, 0.04, 0.06, 0.15, 0.3, 0.4]
            .map(|h| (h, None))
            .into_iter()
            .chain([(0.04, Some(2000.0)), (0.15, Some(2000.0))])
        {
            let mass = mass.map_or(String::new(), |kg: f64| format!(r#", "mass_kg": {kg}"#));
            let middle = 0.5 * height;
            let text = format!(
                r#"{{"bodies": [{{"shape": "box", "size_m": [2, {height}, 2], "position_m": [0, {middle}, 0]{mass}}}]}}"#
            );
            let scene = Scene::from_json(&text).unwrap();
            let mut world = World::build(&scene, target.floor(), 9.80665).unwrap();
            let mut environment = |touch: &mut Touch<'_>| world.step(touch);
            let reaction = react_to(&target, &Config::default(), &[], Some(&mut environment), &mut |_| {
                ControlFlow::Continue(())
            })
            .unwrap();
            let (fastest, highest) = fastest_and_highest(&reaction);
            println!(
                "{name} in {height} m{mass}: {fastest:.1} m/s, {highest:+.2} m, fell {:?}",
                reaction.fell_at_s
            );
            // They flew 17 m high at 102 m/s. What can be moved is pressed by the feet as well.
            let most = if mass.is_empty() { 10.0 } else { 20.0 };
            assert!(
                fastest < most && highest < 0.3,
                "{name} in {height} m{mass}: {fastest} m/s, {highest} m"
            );
            // Up to a step's height nothing happens at all.
            let unmoved = reaction.fell_at_s.is_none() && reaction.worst_of_back_and_legs_deg() < 10.0;
            assert!(!mass.is_empty() || height > 0.2 || unmoved, "{name} in {height} m");
            assert!(!mass.is_empty() || height < 0.015 || world.stood_in() == [0], "{name} in {height} m");
        }
    }
}

#[test]
fn the_first_command_of_the_manual() {
    // A weight on the back and a blow at the left shoulder as the squat goes down: `--load 8@chest --push
    // 1.0,leftUpperArm,0,0,-25`.
    let target = target(&sample::clip("squat").unwrap());
    let reaction = |control: bool, size: f64| {
        let events = [on_back(&target, 8.0), push(1.0, Role::LeftUpperArm, [0.0, 0.0, -size])];
        follow(&target, control, &events)
    };
    for size in [10.0, 15.0, 20.0, 25.0, 30.0] {
        assert_eq!(reaction(true, size).fell_at_s, None, "{size} N·s");
    }
    assert!(reaction(false, 25.0).fell_at_s.is_some());
}

#[test]
fn control_survives_more_and_fells_no_body_that_stands_without_it() {
    let mut totals = [0, 0];
    for name in ["idle", "squat", "walk"] {
        let clip = sample::clip(name).unwrap();
        let target = target(&clip.trimmed(0..clip.num_frames().min(200)).unwrap());
        let (mut survived, mut harmed, mut holes) = ([0, 0], Vec::new(), Vec::new());
        for direction in 0..8 {
            let (sine, cosine) = (f64::from(direction) * std::f64::consts::FRAC_PI_4).sin_cos();
            let mut fell = None;
            for size in [10.0, 15.0, 20.0, 25.0, 30.0, 40.0] {
                let event = [push(0.5, Role::Chest, [size * sine, 0.0, size * cosine])];
                let [on, off] =
                    [true, false].map(|control| follow(&target, control, &event).fell_at_s.is_none());
                survived = [survived[0] + usize::from(on), survived[1] + usize::from(off)];
                if off && !on {
                    harmed.push((45 * direction, size));
                }
                if !on {
                    fell = Some(size);
                } else if let Some(less) = fell {
                    holes.push((45 * direction, less, size));
                }
            }
        }
        println!("{name}: {survived:?} of 48 with and without control; harmed {harmed:?}, holes {holes:?}");
        assert!(survived[0] > survived[1] && harmed.is_empty(), "{name}: {survived:?}, {harmed:?}");
        // A body that withstands a blow withstands the smaller ones; from the depth of a squat a step's place still
        // decides.
        assert!(holes.is_empty() || name == "squat", "{name}: {holes:?}");
        totals = [totals[0] + survived[0], totals[1] + survived[1]];
    }
    assert!(totals[0] >= totals[1] + 30, "{totals:?}");
}

#[test]
fn a_body_that_needs_no_catching_is_not_caught() {
    // Nudges that following the target alone brings back were answered by arms and steps: half a newton-second by 7°, 8
    // N·s by 11°.
    let mut worst = (f64::MIN, String::new());
    for name in ["idle", "squat", "walk", "side-step", "step-down", "bow"] {
        let target = target(&sample::clip(name).unwrap());
        let half_s = 0.5 * target.num_steps() as f64 * target.step_s();
        for (side, size) in (0..4).flat_map(|side| [0.5, 2.0, 8.0].map(|size| (side, size))) {
            let (sine, cosine) = (f64::from(side) * std::f64::consts::FRAC_PI_2).sin_cos();
            let event = [push(half_s, Role::Chest, [size * sine, 0.0, size * cosine])];
            let [on, off] = [true, false].map(|control| follow(&target, control, &event));
            assert!(on.fell_at_s.is_none() || off.fell_at_s.is_some(), "{name} {size} N·s at {}°", 90 * side);
            let more = most(&on, |f| f.tracking_error_deg) - most(&off, |f| f.tracking_error_deg);
            if off.outcome.follows() && more > worst.0 {
                worst = (more, format!("{name} {size} N·s at {}°", 90 * side));
            }
        }
    }
    println!("at most {:.1}° farther than without control: {}", worst.0, worst.1);
    assert!(worst.0 < 1.0, "{worst:?}");
}

#[test]
fn a_blow_to_come_changes_nothing_before_it() {
    // Trials look ahead; what they must not know is what has not happened yet.
    let target = target(&sample::clip("squat").unwrap());
    let first = push(0.3, Role::Chest, [0.0, 0.0, -35.0]);
    let second = push(0.8, Role::Chest, [30.0, 0.0, 0.0]);
    let (one, both) = (follow(&target, true, &[first]), follow(&target, true, &[first, second]));
    let before = one.frames.iter().filter(|frame| frame.t < 0.8 - 1e-9).count();
    assert!(before > 40, "{before}");
    assert_eq!(one.frames[..before], both.frames[..before]);
    assert_ne!(one.frames[before + 2], both.frames[before + 2]);
}

#[test]
fn rollouts_move_nothing_and_none_run_before_a_blow() {
    let target = target(&sample::clip("idle").unwrap());
    let mut body = Simulation::new(target, &Config::default(), &[]).unwrap();
    let mut looks = 0;
    let mut look = |body: &mut Simulation| {
        let (q, step) = (body.state().clone(), body.steps());
        body.foresee(&mut |_| {
            looks += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!((body.state(), body.steps()), (&q, step));
        looks
    };
    for _ in 0..20 {
        assert_eq!(look(&mut body), 0);
        body.step(None);
    }
    let chest = body.body().find(Role::Spine).unwrap();
    body.apply_impulse(chest, DVec3::Y * 0.3, DVec3::NEG_Z * 25.0);
    let after = look(&mut body);
    assert!(after > 0, "the usual answer to 25 N·s from the front is a fall, and others are tried");
    assert_eq!(look(&mut body), after, "the same blow is looked at once");
    // A cancelled rollout leaves the state unchanged.
    body.apply_impulse(chest, DVec3::Y * 0.3, DVec3::NEG_Z * 90.0);
    for _ in 0..20 {
        body.step(None);
    }
    let stopped = body.foresee(&mut |_| ControlFlow::Break(()));
    assert!(stopped.is_err() || body.fell_at_s().is_some());
}

/// The fastest turn of the pelvis against the target's, rad/s, from `after` seconds on.
fn fastest_turn(reaction: &Reaction, after: f64) -> f64 {
    let fps = reaction.clip.fps();
    let pelvis = reaction.clip.skeleton().find(Role::Hips).unwrap();
    let rate = |clip: &Clip, frame: usize| {
        let turn = clip.rotation(pelvis, frame) * clip.rotation(pelvis, frame - 1).conjugate();
        turn.to_scaled_axis().as_dvec3() * fps
    };
    let frames = reaction.clip.motion_frames().skip(1).filter(|&frame| frame as f64 / fps > after);
    frames
        .map(|frame| (rate(&reaction.clip, frame) - rate(&reaction.target, frame)).length())
        .fold(0.0, f64::max)
}

/// A body that recovers its balance turns its pelvis no faster than the hardest of the blows, 40 N·s at the chest, does
/// at once: 8 rad/s.
const TURN_RAD_S: f64 = 8.0;

#[test]
fn the_pelvis_of_a_body_that_withstands_a_push_is_not_thrown_round() {
    let mut worst = (0.0, String::new());
    for name in ["idle", "squat", "walk"] {
        let clip = sample::clip(name).unwrap();
        let target = target(&clip.trimmed(0..clip.num_frames().min(200)).unwrap());
        for (direction, size) in (0..8).flat_map(|d| [15.0, 20.0, 25.0, 30.0, 40.0].map(|size| (d, size))) {
            let (sine, cosine) = (f64::from(direction) * std::f64::consts::FRAC_PI_4).sin_cos();
            let event = push(0.5, Role::Chest, [size * sine, 0.0, size * cosine]);
            let reaction = follow(&target, true, &[event]);
            // The blow itself turns it at once, by 0.2 rad/s a newton-second.
            let fastest = fastest_turn(&reaction, 0.56);
            if reaction.fell_at_s.is_none() && fastest > worst.0 {
                worst = (fastest, format!("{name} {}° {size} N·s", 45 * direction));
            }
        }
    }
    println!("fastest {:.1} rad/s: {}", worst.0, worst.1);
    // It was thrown at 18 rad/s.
    assert!(worst.0 < TURN_RAD_S, "{worst:?}");
}

#[test]
fn control_widens_what_a_squat_carries() {
    let target = target(&sample::clip("squat").unwrap());
    let heaviest = |control: bool| -> f64 {
        let stands = |kg: f64| follow(&target, control, &[on_back(&target, kg)]).fell_at_s.is_none();
        [60.0, 62.0, 64.0, 66.0, 68.0, 70.0].into_iter().take_while(|&kg| stands(kg)).last().unwrap_or(0.0)
    };
    let (on, off) = (heaviest(true), heaviest(false));
    println!("{on} kg with control, {off} kg without");
    assert!(on > off, "{on} with, {off} without");
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let clip = sample::clip("idle").unwrap();
    let go_on = &mut no_progress();
    let mut attempt =
        |clip: &Clip, config: &Config, events: &[Event]| react(clip, config, events, None, go_on);
    let light = Config {
        body: ugoki_physics::dynamics::BodyConfig { mass_kg: 0.0, ..Default::default() },
        ..Config::default()
    };
    assert!(matches!(attempt(&clip, &light, &[]), Err(ReactError::Config { name: "body.mass_kg", .. })));
    let blow = push(0.5, Role::Chest, [0.0, 0.0, 1e6]);
    assert!(matches!(attempt(&clip, &Config::default(), &[blow]), Err(ReactError::Event { index: 0, .. })));
    let nan = push(0.5, Role::Chest, [f64::NAN, 0.0, 0.0]);
    assert!(matches!(attempt(&clip, &Config::default(), &[nan]), Err(ReactError::Event { .. })));
    let one = clip.trimmed(0..1).unwrap();
    assert!(matches!(attempt(&one, &Config::default(), &[]), Err(ReactError::TooShort { frames: 1, .. })));
    let legless =
        Skeleton::build(vec![Joint::new("Hips", None, Vec3::Y), Joint::new("Spine", Some(0), Vec3::Y)])
            .unwrap();
    let legless = Clip::at_rest(legless, 30.0, 30).unwrap();
    let error = attempt(&legless, &Config::default(), &[]).unwrap_err();
    assert!(matches!(error, ReactError::Body(_)), "{error}");
    let heavy = attempt(&clip, &Config::default(), &[pack(500.0, [0.0, 0.0, -0.2])]).unwrap();
    assert!(heavy.fell_at_s.is_some());
    sane(&heavy, 0.03);
    let stop = react(&clip, &Config::default(), &[], None, &mut |_| ControlFlow::Break(()));
    assert!(matches!(stop, Err(ReactError::Cancelled(_))));
}

/// Finite, near the ground, and nothing deep in it.
///
/// `sink_m` is how deep any joint, fingers too, may be for a moment: it is a limb's radius above what touches, and the
/// ground gives way to a hard impact. The walker's own toes may be as deep as the target has them.
fn sane(reaction: &Reaction, sink_m: f32) {
    for f in &reaction.frames {
        assert!(f.tracking_error_deg.is_finite() && f.root_error_m.is_finite());
        assert!(f.torque_n_m.iter().chain(&f.load).chain(&f.residual_force_n).all(|t| t.is_finite()));
    }
    let skeleton = reaction.clip.skeleton();
    for frame in 0..reaction.clip.num_frames() {
        let model = reaction.clip.model_pose(frame);
        for (joint, p) in model.positions.iter().enumerate() {
            assert!(p.is_finite(), "frame {frame}");
            assert!(p.length() < 200.0 && p.y < 60.0, "frame {frame}: {} at {p}", skeleton.joint(joint).name);
        }
        let own = reaction.target.model_pose(frame);
        for (joint, p) in model.positions.iter().enumerate() {
            let least = own.positions[joint].y.min(0.0) - sink_m;
            assert!(p.y > least, "frame {frame}: {} at {} m", skeleton.joint(joint).name, p.y);
        }
        for hand in [Role::LeftHand, Role::RightHand].into_iter().filter_map(|role| skeleton.find(role)) {
            for &tip in &skeleton.joint(hand).tips {
                let place = |pose: &ModelPose| (pose.positions[hand] + pose.rotations[hand] * tip).y;
                let least = place(&own).min(0.0) - sink_m;
                assert!(place(&model) > least, "frame {frame}: a fingertip at {} m", place(&model));
            }
        }
    }
}

#[test]
fn hands_do_not_sink_in_falls() {
    for (name, size) in [("idle", 90.0), ("squat", 40.0), ("walk", 45.0)] {
        let clip = sample::clip(name).unwrap();
        let target = target(&clip);
        for direction in [0.0_f64, 45.0, 90.0, 225.0, 315.0] {
            let (sine, cosine) = direction.to_radians().sin_cos();
            sane(&follow(&target, true, &[push(0.5, Role::Chest, [size * sine, 0.0, size * cosine])]), 0.03);
        }
    }
}

#[test]
fn forces_of_a_walk_that_is_pushed_to_the_right_are_numbers() {
    // A foot that came down while another slid left a guess at an infinite bound; the body stopped dead for a step.
    let target = target(&sample::clip("walk").unwrap());
    sane(&follow(&target, true, &[push(0.5, Role::Chest, [-15.0, 0.0, 0.0])]), 0.03);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn pushes_of_any_size_end_sanely(
        name in prop::sample::select(vec!["idle", "squat", "walk", "run", "reach-up"]),
        at in 0.0..1.5_f64,
        size in prop::sample::select(vec![3.0, 20.0, 60.0, 200.0, 999.0]),
        direction in prop::array::uniform3(-1.0..1.0_f64),
        role in prop::sample::select(vec![Role::Chest, Role::Hips, Role::Head, Role::LeftHand, Role::RightFoot]),
        kg in 0.0..60.0_f64,
    ) {
        let impulse = DVec3::from_array(direction).normalize_or(DVec3::X) * size;
        let clip = sample::clip(name).unwrap();
        let reaction = run(&clip, &Config::default(), &[push(at, role, impulse.to_array()), pack(kg, [0.0, 0.0, -0.2])]);
        // 999 N·s drive a limb into the ground at 40 m/s, a third of a metre a step.
        sane(&reaction, if size > 500.0 { 0.3 } else { 0.03 });
    }
}

#[test]
fn the_paper_s_controller_acts_only_when_something_acts_and_never_breaks() {
    let paper = Config { control: Control::Paper, tracking: Tracking::Extremum, ..Config::default() };
    for name in ["squat", "walk", "bow"] {
        let clip = sample::clip(name).unwrap().resampled(30.0).unwrap();
        let target = Arc::new(Target::build(&clip, &paper, &mut no_progress()).unwrap());
        let react = |events: &[Event]| react_to(&target, &paper, events, None, &mut no_progress()).unwrap();
        let none = |f: &ugoki_physics::react::Frame| {
            [f.corrections.arms, f.corrections.back, f.corrections.lower] == [0.0; 3]
        };
        assert!(react(&[]).frames.iter().all(none), "{name}");
        let laden = react(&[pack(8.0, [0.0, 0.0, -0.25])]);
        let arms = laden.frames.iter().map(|f| f.corrections.arms).fold(0.0, f64::max);
        assert!(arms > 0.5, "{name}: arms answer a pack with {arms} rad/s²");
        // Same inputs, same bits; and nothing that could be carried breaks the arithmetic.
        assert_eq!(laden.frames, react(&[pack(8.0, [0.0, 0.0, -0.25])]).frames, "{name}");
        let harsh = [pack(90.0, [0.3, 0.0, -0.4]), push(0.5, Role::LeftUpperArm, [-300.0, 50.0, 200.0])];
        let broken = react(&harsh);
        assert!(
            broken.frames.iter().all(|f| f.tracking_error_deg.is_finite() && f.world_offset_m.is_finite())
        );
    }
}

#[test]
fn an_outcome_says_where_the_body_is() {
    let target = target(&sample::clip("idle").unwrap().resampled(30.0).unwrap());
    let mut seen = Vec::new();
    for size in [0.0, 10.0, 30.0, 40.0, 120.0] {
        let reaction = follow(&target, true, &[push(1.0, Role::Chest, [0.0, 0.0, size])]);
        let last = reaction.frames.last().unwrap();
        match reaction.outcome {
            Outcome::Recovered => assert!(last.world_offset_m < 0.05 && last.tracking_error_deg < 5.0),
            Outcome::Displaced => assert!(last.tracking_error_deg < 5.0),
            Outcome::OffTarget => assert!(reaction.fell_at_s.is_none()),
            Outcome::Fell => assert!(reaction.fell_at_s.is_some() && last.falling),
        }
        // The place in the world, from the written motion itself.
        let (hips, frame) =
            (target.clip().skeleton().find(Role::Hips).unwrap(), reaction.clip.num_frames() - 1);
        let [now, goal] =
            [&reaction.clip, &reaction.target].map(|clip| clip.model_pose(frame).positions[hips]);
        assert!((f64::from(now.distance(goal)) - last.world_offset_m).abs() < 1e-3, "{size}");
        seen.push(reaction.outcome);
    }
    assert_eq!((seen[0], seen[4]), (Outcome::Recovered, Outcome::Fell), "{seen:?}");
}
