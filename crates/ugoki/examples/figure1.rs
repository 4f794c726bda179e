//! Figure 1 of Oshita and Makinouchi: a squat with hanging arms, with nothing added, under packs of 5 and 8 kg, and hit
//! at the left shoulder at frame 3; the paper's controller and ours. Prints Markdown for `docs/results/react.md`.
//!
//! ```text
//! cargo run --profile smoke --example figure1 -- [FOLDER] [squat.bvh …]
//! ```
//!
//! Without files the sample squat, whose arms are made to hang. The inputs are written into FOLDER at 30 fps, so that
//! `ugoki react` and `ugoki render --forces` can draw the same cases.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ugoki::clip::Clip;
use ugoki::dynamics::Load;
use ugoki::formats::{ReadOptions, bvh, read};
use ugoki::math::angle_between;
use ugoki::no_progress;
use ugoki::react::{Config, Control, Event, Outcome, Push, Reaction, Simulation, Target, Tracking, react_to};
use ugoki::sample;
use ugoki::skeleton::Role;

/// How far the pack's centre is behind the chest, m.
const BEHIND_M: f64 = 0.25;
/// Seconds from the first row to frame 3.
const HIT_S: f64 = 0.1;

/// A way of following and controlling.
struct Mode {
    name: &'static str,
    control: Control,
    tracking: Tracking,
}

const MODES: [Mode; 4] = [
    Mode { name: "paper", control: Control::Paper, tracking: Tracking::Extremum },
    Mode { name: "paper, deviation", control: Control::Paper, tracking: Tracking::Deviation },
    Mode { name: "default", control: Control::On, tracking: Tracking::Deviation },
    Mode { name: "off", control: Control::Off, tracking: Tracking::Deviation },
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first();
    let mut clips = Vec::new();
    for file in arguments.iter().skip(1) {
        let extension = Path::new(file).extension().and_then(|e| e.to_str());
        let clip = read(&std::fs::read(file)?, extension, &ReadOptions::default())?.clip;
        let stem = Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy());
        clips.push((stem.into_owned(), clip.resampled(30.0)?));
    }
    if clips.is_empty() {
        let squat = sample::clip("squat").ok_or("no sample squat")?;
        clips.push(("sample".to_owned(), hanging(&squat.resampled(30.0)?)?));
    }
    for (name, clip) in &clips {
        if let Some(folder) = folder {
            let file = Path::new(folder).join(format!("{name}.bvh"));
            std::fs::write(file, bvh::write(clip, &bvh::WriteOptions::default()).bytes)?;
        }
        table(name, clip)?;
    }
    Ok(())
}

/// The clip with arms that hang as in the frame in which the hands are lowest under the shoulders.
fn hanging(clip: &Clip) -> Result<Clip, Box<dyn Error>> {
    let skeleton = clip.skeleton().clone();
    let sides = [
        [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
        [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
    ];
    let mut out = clip.clone();
    for side in sides {
        let joints = side.map(|role| skeleton.find(role));
        let [Some(upper), Some(lower), Some(hand)] = joints else { return Err("no arms".into()) };
        let drop = |frame: usize| {
            let model = clip.model_pose(frame);
            model.positions[hand].y - model.positions[upper].y
        };
        let calm = clip.motion_frames().min_by(|&a, &b| drop(a).total_cmp(&drop(b))).ok_or("no frames")?;
        let parent = skeleton.parent(upper).ok_or("an arm without a body")?;
        let wanted = clip.model_pose(calm).rotations[upper];
        for frame in clip.motion_frames() {
            let above = clip.model_pose(frame).rotations[parent];
            out.set_rotation(upper, frame, (above.inverse() * wanted).normalize());
            for joint in [lower, hand] {
                out.set_rotation(joint, frame, clip.rotation(joint, calm));
            }
        }
    }
    out.align_signs();
    Ok(out)
}

fn pack(mass_kg: f64) -> Event {
    Event::Load(Load { role: Role::Chest, mass_kg, offset_m: [0.0, 0.0, -BEHIND_M], radius_m: 0.0 })
}

fn blow(size: f64) -> Event {
    Event::Push(Push { at_s: HIT_S, role: Role::LeftUpperArm, impulse_n_s: [-size, 0.0, 0.0], seconds: 0.0 })
}

fn table(name: &str, clip: &Clip) -> Result<(), Box<dyn Error>> {
    let cases = [
        ("(a) nothing", vec![]),
        ("(b) 5 kg", vec![pack(5.0)]),
        ("(c) 8 kg", vec![pack(8.0)]),
        ("(d) 15 N·s", vec![blow(15.0)]),
        ("(d) 25 N·s", vec![blow(25.0)]),
    ];
    println!(
        "| {name} | mode | end | joints off the capture, rms | wrists before the target's, most and least | back, peak | corrections arms, back, lower | pelvis off, most and at the end | a frame, mean and worst |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (case, events) in &cases {
        for mode in &MODES {
            let config = Config { control: mode.control, tracking: mode.tracking, ..Config::default() };
            let target = Arc::new(Target::build(clip, &config, &mut no_progress())?);
            let reaction = react_to(&target, &config, events, None, &mut no_progress())?;
            let spine = reaction.links.iter().position(|link| link == "spine").ok_or("no back")?;
            let most = |value: &dyn Fn(&ugoki::react::Frame) -> f64| {
                reaction.frames.iter().map(value).fold(0.0, f64::max)
            };
            let last = reaction.frames.last().ok_or("no frames")?;
            let [before, behind] = forward(&reaction)?;
            let [mean, worst] = time(&target, &config, events)?;
            println!(
                "| {case} | {} | {} | {:.2}° | {before:+.3}, {behind:+.3} m | {:.1} N·m | {:.0}, {:.0}, {:.0} rad/s² | {:.3}, {:.3} m | {mean:.0}, {worst:.0} µs |",
                mode.name,
                match reaction.fell_at_s {
                    Some(t) => format!("fell at {t:.2} s"),
                    None => match reaction.outcome {
                        Outcome::Recovered => "recovered".to_owned(),
                        Outcome::Displaced => "displaced".to_owned(),
                        _ => "off target".to_owned(),
                    },
                },
                off(&reaction, clip),
                most(&|f| f.torque_n_m[spine]),
                most(&|f| f.corrections.arms),
                most(&|f| f.corrections.back),
                most(&|f| f.corrections.lower),
                most(&|f| f.world_offset_m),
                last.world_offset_m,
            );
        }
    }
    Ok(())
}

/// Root mean square angle of the joints to the clip itself, degrees.
fn off(reaction: &Reaction, clip: &Clip) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for frame in clip.motion_frames() {
        for joint in 0..clip.num_joints() {
            let angle = angle_between(reaction.clip.rotation(joint, frame), clip.rotation(joint, frame));
            sum += f64::from(angle).powi(2);
            count += 1.0;
        }
    }
    (sum / f64::max(count, 1.0)).sqrt().to_degrees()
}

/// How far both wrists are before the target's in the world, the mean of both: the most forward and the most backward,
/// m.
fn forward(reaction: &Reaction) -> Result<[f64; 2], Box<dyn Error>> {
    let skeleton = reaction.clip.skeleton();
    let find = |role: Role| skeleton.find(role).ok_or("no such joint");
    let hands = [find(Role::LeftHand)?, find(Role::RightHand)?];
    let legs = [find(Role::LeftUpperLeg)?, find(Role::RightUpperLeg)?];
    let at = |frame: usize| {
        let (now, goal) = (reaction.clip.model_pose(frame), reaction.target.model_pose(frame));
        // Left × up is forward.
        let left = goal.positions[legs[0]] - goal.positions[legs[1]];
        let ahead = left.cross(glam::Vec3::Y).normalize_or_zero();
        let off = |hand: usize| f64::from((now.positions[hand] - goal.positions[hand]).dot(ahead));
        0.5 * (off(hands[0]) + off(hands[1]))
    };
    let all = || reaction.clip.motion_frames().map(at);
    Ok([all().fold(0.0, f64::max), all().fold(0.0, f64::min)])
}

/// Mean and worst duration of a frame's steps, µs; rollouts included, what is prepared before the run left out. The
/// quickest of three runs, frame by frame: other programs run on the machine.
fn time(target: &Arc<Target>, config: &Config, events: &[Event]) -> Result<[f64; 2], Box<dyn Error>> {
    let loads: Vec<Load> = events
        .iter()
        .filter_map(|event| match event {
            Event::Load(load) => Some(*load),
            Event::Push(_) => None,
        })
        .collect();
    let mut frames: Vec<f64> = Vec::new();
    for run in 0..3 {
        let mut body = Simulation::new(target.clone(), config, &loads)?;
        body.prepare(&mut no_progress())?;
        for frame in 0..target.num_steps() / target.substeps() {
            let start = Instant::now();
            for _ in 0..target.substeps() {
                for event in events {
                    if let Event::Push(push) = event
                        && (body.time_s() - push.at_s).abs() < 0.5 * target.step_s()
                    {
                        let joint = target.clip().skeleton().find(push.role).ok_or("no such joint")?;
                        let (link, at) = body.body().place_of_joint(joint);
                        body.apply_impulse(link, at, glam::DVec3::from_array(push.impulse_n_s));
                    }
                }
                body.foresee(&mut no_progress())?;
                body.step(None);
            }
            let took = start.elapsed().as_secs_f64() * 1e6;
            match frames.get_mut(frame) {
                Some(best) => *best = best.min(took),
                None if run == 0 => frames.push(took),
                None => {}
            }
        }
    }
    let mean = frames.iter().sum::<f64>() / frames.len().max(1) as f64;
    Ok([mean, frames.iter().copied().fold(0.0, f64::max)])
}
