//! The sample actor's tables of `docs/results/contact.md` and `plant.md`: contacts found against contacts planned,
//! and planting against the motion as authored, clean and degraded.
//!
//! `cargo run --release -p ugoki --example sample_table`

use std::ops::Range;
use ugoki::no_progress;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, Contacts, find_contacts};
use ugoki::feet::{PlantConfig, plant_feet};
use ugoki::math::{Random, angle_between, mean_of, median, quantile};
use ugoki::sample::{Contact, Part, contacts, motions};
use ugoki::skeleton::{Role, Side};

/// A way to spoil a clip.
struct Spoil {
    name: &'static str,
    apply: fn(&Clip) -> Clip,
}

/// A tenth of a degree of independent noise on every joint and 0.5 mm on the root.
fn noise(clip: &Clip) -> Clip {
    let mut out = clip.clone();
    let mut random = Random::new(7);
    let mut vector = move |size: f32| {
        Vec3::new(random.normal() as f32, random.normal() as f32, random.normal() as f32) * size
    };
    for frame in 0..clip.num_frames() {
        out.root_mut().set(frame, clip.root().get(frame) + vector(0.0005));
        for joint in 0..clip.num_joints() {
            let turn = Quat::from_scaled_axis(vector(0.1_f32.to_radians()));
            out.set_rotation(joint, frame, turn * clip.rotation(joint, frame));
        }
    }
    out
}

/// The body drifts to and fro by 4 cm at up to 0.1 m/s: feet skate.
fn skate(clip: &Clip) -> Clip {
    let mut out = clip.clone();
    for frame in 0..clip.num_frames() {
        let t = frame as f32 / clip.fps() as f32;
        let drift = Vec3::new(0.02 * (5.0 * t).sin(), 0.004 * (9.0 * t).sin(), 0.04 * (2.0 * t).sin());
        out.root_mut().set(frame, clip.root().get(frame) + drift);
    }
    out
}

/// The floor rises by 2 cm per metre along +Z.
fn tilt(clip: &Clip) -> Clip {
    let turn = Quat::from_rotation_x(-0.02);
    let mut out = clip.clone();
    for frame in 0..clip.num_frames() {
        out.root_mut().set(frame, turn * clip.root().get(frame));
        out.set_rotation(0, frame, turn * clip.rotation(0, frame));
    }
    out
}

const SPOILS: [Spoil; 6] = [
    Spoil { name: "clean", apply: Clip::clone },
    Spoil { name: "30 Hz", apply: |clip| clip.resampled(30.0).unwrap_or_else(|_| clip.clone()) },
    Spoil { name: "120 Hz", apply: |clip| clip.resampled(120.0).unwrap_or_else(|_| clip.clone()) },
    Spoil { name: "noise 0.1°, 0.5 mm", apply: noise },
    Spoil { name: "skate 0.1 m/s", apply: skate },
    Spoil { name: "floor tilted 2 %", apply: tilt },
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "Contacts of all {} motions, frames pooled; onsets and ends in ms, found − planned\n",
        motions().len()
    );
    println!(
        "| clips | part | precision % | recall % | planned contacts missed | onset median | abs 90 % | end median | abs 90 % |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for spoil in &SPOILS {
        for part in [Part::Toe, Part::Heel] {
            detection(spoil, part)?;
        }
    }
    println!(
        "\nPlanting: largest distance of any joint (from the hips) from the authored motion, mm, and turn of any joint, °\n"
    );
    println!(
        "| clips | before, median | worst | after, median | worst | knee change °, median | worst | toe speed in planned contacts mm/s | after | turn °, worst |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for spoil in &SPOILS {
        planting(spoil)?;
    }
    Ok(())
}

fn ranges(found: &Contacts, side: Side, part: Part) -> &[Range<usize>] {
    let foot = &found.feet[usize::from(side == Side::Right)];
    if part == Part::Heel { &foot.heel } else { &foot.toe }
}

fn detection(spoil: &Spoil, part: Part) -> Result<(), Box<dyn std::error::Error>> {
    let (mut both, mut said, mut planned, mut missed, mut all) = (0, 0, 0, 0, 0);
    let (mut onsets, mut ends) = (Vec::new(), Vec::new());
    for motion in motions() {
        if std::env::args().nth(1).is_some_and(|name| motion.name != name) {
            continue;
        }
        let clip = (spoil.apply)(&motion.clip());
        let found = find_contacts(&clip, &ContactConfig::default())?;
        let truth: Vec<Contact> =
            contacts(motion.name).unwrap_or_default().into_iter().filter(|c| c.part == part).collect();
        let length = (clip.num_frames() - 1) as f64 / clip.fps();
        for side in [Side::Left, Side::Right] {
            let truth: Vec<&Contact> = truth.iter().filter(|c| c.side == side).collect();
            for frame in 0..clip.num_frames() {
                let t = frame as f64 / clip.fps();
                let stands = truth.iter().any(|c| c.start_s - 1e-6 <= t && t <= c.end_s + 1e-6);
                let says = ranges(&found, side, part).iter().any(|r| r.contains(&frame));
                both += usize::from(stands && says);
                said += usize::from(says);
                planned += usize::from(stands);
            }
            for c in truth {
                all += 1;
                let overlap = |r: &&Range<usize>| {
                    (r.end as f64 / clip.fps()).min(c.end_s) - (r.start as f64 / clip.fps()).max(c.start_s)
                };
                let best = ranges(&found, side, part).iter().max_by(|a, b| overlap(a).total_cmp(&overlap(b)));
                match best.filter(|r| overlap(r) > 0.0) {
                    Some(r) => {
                        // Ends of the clip are no onsets.
                        if c.start_s > 1e-6 {
                            onsets.push(1e3 * (r.start as f64 / clip.fps() - c.start_s));
                        }
                        if c.end_s < length - 1e-6 {
                            ends.push(1e3 * ((r.end - 1) as f64 / clip.fps() - c.end_s));
                        }
                    }
                    None => missed += 1,
                }
            }
        }
    }
    let of = |values: &[f64], p: f64| quantile(values, p).unwrap_or(f64::NAN);
    let size = |values: &[f64]| values.iter().map(|v| v.abs()).collect::<Vec<_>>();
    println!(
        "| {} | {part:?} | {:.1} | {:.1} | {missed} of {all} | {:.0} | {:.0} | {:.0} | {:.0} |",
        spoil.name,
        100.0 * f64::from(both as u32) / f64::from(said as u32),
        100.0 * f64::from(both as u32) / f64::from(planned as u32),
        of(&onsets, 0.5),
        of(&size(&onsets), 0.9),
        of(&ends, 0.5),
        of(&size(&ends), 0.9),
    );
    Ok(())
}

/// Largest distance of joints as seen from the hips, mm, and largest turn of one, degrees.
fn apart(a: &Clip, b: &Clip) -> (f64, f64) {
    let (mut distance, mut turn) = (0.0_f32, 0.0_f32);
    for frame in 0..a.num_frames().min(b.num_frames()) {
        let (p, q) = (a.model_pose(frame), b.model_pose(frame));
        for joint in 0..a.num_joints() {
            // From the hips: levelling moves the whole body.
            let (u, v) = (p.positions[joint] - p.positions[0], q.positions[joint] - q.positions[0]);
            distance = distance.max((u - v).length());
            turn = turn.max(angle_between(a.rotation(joint, frame), b.rotation(joint, frame)));
        }
    }
    (1e3 * f64::from(distance), f64::from(turn.to_degrees()))
}

/// Mean level speed of the toe joints while they are planned to stand, mm/s.
fn toe_speed(clip: &Clip, name: &str) -> f64 {
    let mut speeds = Vec::new();
    for c in contacts(name).unwrap_or_default().iter().filter(|c| c.part == Part::Toe) {
        let role = if c.side == Side::Left { Role::LeftToes } else { Role::RightToes };
        let Some(toe) = clip.skeleton().find(role) else { continue };
        let frames = (c.start_s * clip.fps()).ceil() as usize..(c.end_s * clip.fps()).floor() as usize + 1;
        for frame in frames.start + 1..frames.end.min(clip.num_frames()) {
            let step = clip.model_pose(frame).positions[toe] - clip.model_pose(frame - 1).positions[toe];
            speeds.push(1e3 * f64::from(step.with_y(0.0).length()) * clip.fps());
        }
    }
    mean_of(&speeds)
}

fn planting(spoil: &Spoil) -> Result<(), Box<dyn std::error::Error>> {
    let (mut before, mut after, mut knees, mut turns) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut skate_before, mut skate_after) = (Vec::new(), Vec::new());
    let mut worst = (0.0, "");
    let mut worst_knee = (0.0, "");
    for motion in motions() {
        let authored = motion.clip();
        let clip = (spoil.apply)(&authored);
        let wanted = authored.resampled(clip.fps())?;
        let found = find_contacts(&clip, &ContactConfig::default())?;
        let planted = plant_feet(&clip, &found, &PlantConfig::default(), &mut no_progress())?;
        before.push(apart(&clip, &wanted).0);
        let (distance, turn) = apart(&planted.clip, &wanted);
        if distance > worst.0 {
            worst = (distance, motion.name);
        }
        if planted.report.knee_change_deg > worst_knee.0 {
            worst_knee = (planted.report.knee_change_deg, motion.name);
        }
        after.push(distance);
        turns.push(turn);
        knees.push(planted.report.knee_change_deg);
        skate_before.push(toe_speed(&clip, motion.name));
        skate_after.push(toe_speed(&planted.clip, motion.name));
    }
    let top = |values: &[f64]| quantile(values, 1.0).unwrap_or(f64::NAN);
    let mid = |values: &[f64]| median(values).unwrap_or(f64::NAN);
    println!(
        "| {} | {:.1} | {:.1} | {:.1} | {:.1} ({}) | {:.2} | {:.1} ({}) | {:.1} | {:.1} | {:.1} |",
        spoil.name,
        mid(&before),
        top(&before),
        mid(&after),
        worst.0,
        worst.1,
        mid(&knees),
        worst_knee.0,
        worst_knee.1,
        mean_of(&skate_before),
        mean_of(&skate_after),
        top(&turns),
    );
    Ok(())
}
