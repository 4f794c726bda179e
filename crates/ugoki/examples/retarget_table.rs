//! The tables of `docs/results/retarget.md`: every capture moved onto the sample actor, the sample actor's motions moved
//! onto the skeletons of some captures, and summaries.
//!
//! `UGOKI_CAPTURES=DIR cargo run --release -p ugoki --example retarget_table [seen|unseen|NAME]`; without the variable
//! it says so and ends.

mod captures;

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::math::quantile;
use ugoki::retarget::{RetargetConfig, RetargetReport, retarget};
use ugoki::sample;
use ugoki::skeleton::{Role, Skeleton};

/// Upper and lower bones whose directions are compared.
const ARMS: [[Role; 2]; 4] = [
    [Role::LeftUpperArm, Role::LeftLowerArm],
    [Role::LeftLowerArm, Role::LeftHand],
    [Role::RightUpperArm, Role::RightLowerArm],
    [Role::RightLowerArm, Role::RightHand],
];
const LEGS: [[Role; 2]; 4] = [
    [Role::LeftUpperLeg, Role::LeftLowerLeg],
    [Role::LeftLowerLeg, Role::LeftFoot],
    [Role::RightUpperLeg, Role::RightLowerLeg],
    [Role::RightLowerLeg, Role::RightFoot],
];

/// What is measured of one capture.
struct Row {
    name: String,
    set: &'static str,
    report: RetargetReport,
    /// Largest difference of an arm bone's direction, degrees.
    arms_deg: f64,
    /// Median and largest difference of a leg bone's direction, degrees.
    legs_deg: [f64; 2],
    /// Frames in which a knee bends to the other side.
    flips: usize,
    /// Largest angular acceleration of a knee over that of the source (at least 5000 °/s²).
    kink: f64,
    frames: usize,
    /// Median tilt of the sole against the ground while the source's foot is flat, degrees; positive toes up. Of feet
    /// that are level and straight at rest, as the sample actor's.
    tilt_deg: f64,
}

/// Captures whose skeletons the sample actor's motions are moved onto: CMU, Mixamo, MakeHuman, arms down, facing −Z, no
/// toes, inches.
const TARGETS: [&str; 8] = [
    "35_05",
    "mixamo_namespaced",
    "makehuman_zombiewalk",
    "makehuman_fly01",
    "mocapbank_lf",
    "pybvh_mixed_orders",
    "threejs_pirouette",
    "pymo_8walk_xyz",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(captures) = captures::wanted()? else { return Ok(()) };
    let mut targets: Vec<(String, Arc<Skeleton>)> = Vec::new();
    let mut rows = Vec::new();
    println!(
        "| capture | set | frames | stance | contacts | held | released frames | slip mm | source's | between holds mm | source's | under floor mm | arms ° | legs ° median | max | hips mm | knee ° | kink | flips | sole tilt ° |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for capture in captures {
        let set = if capture.unseen { "unseen" } else { "seen" };
        let clip = capture.load();
        if let Ok(clip) = &clip
            && TARGETS.iter().any(|name| capture.name.ends_with(name))
        {
            targets.push((capture.name.clone(), Arc::clone(clip.skeleton())));
        }
        match clip.and_then(|clip| measure(&capture.name, set, &clip, &sample::skeleton())) {
            Ok(row) => {
                print_row(&row);
                rows.push(row);
            }
            Err(error) => println!("| {} | {set} | {error} |", capture.name),
        }
    }
    for (title, keep) in [
        (
            "CMU, seen",
            &(|row: &Row| row.name.starts_with("cmu") && row.set == "seen") as &dyn Fn(&Row) -> bool,
        ),
        ("CMU, unseen", &|row: &Row| row.name.starts_with("cmu") && row.set == "unseen"),
        ("dialects", &|row: &Row| row.name.starts_with("dialects")),
    ] {
        summary(title, &rows.iter().filter(|row| keep(row)).collect::<Vec<_>>());
    }
    for (name, target) in targets {
        let mut rows = Vec::new();
        for clip in sample::clips() {
            match measure(&clip.name, "sample", &clip, &target) {
                Ok(row) => rows.push(row),
                Err(error) => println!("\n{} onto {name}: {error}", clip.name),
            }
        }
        summary(&format!("The sample actor's motions onto {name}"), &rows.iter().collect::<Vec<_>>());
    }
    Ok(())
}

fn measure(
    name: &str,
    set: &'static str,
    clip: &Clip,
    target: &Arc<Skeleton>,
) -> Result<Row, Box<dyn std::error::Error>> {
    let go = &mut |_: f32| ControlFlow::Continue(());
    let out = retarget(clip, target, &RetargetConfig::default(), go)?;
    let direction = |clip: &Clip, positions: &[Vec3], bone: [Role; 2]| {
        let [from, to] = bone.map(|role| clip.skeleton().find(role));
        Some((positions[to?] - positions[from?]).normalize_or_zero())
    };
    let (mut arms, mut legs) = (0.0_f64, Vec::new());
    let mut flips = 0;
    let mut bends: [[Vec<f64>; 2]; 2] = Default::default();
    for frame in clip.motion_frames() {
        let (was, is) = (clip.model_pose(frame), out.clip.model_pose(frame));
        let apart = |bone: [Role; 2]| {
            let (a, b) = (direction(clip, &was.positions, bone)?, direction(&out.clip, &is.positions, bone)?);
            Some(f64::from(a.cross(b).length().atan2(a.dot(b)).to_degrees()))
        };
        arms = ARMS.iter().filter_map(|bone| apart(*bone)).fold(arms, f64::max);
        legs.push(LEGS.iter().filter_map(|bone| apart(*bone)).fold(0.0, f64::max));
        for (side, bones) in LEGS.chunks(2).enumerate() {
            let axis = |clip: &Clip, positions: &[Vec3]| {
                let (a, b) = (direction(clip, positions, bones[0])?, direction(clip, positions, bones[1])?);
                Some((a.cross(b), f64::from(a.cross(b).length().atan2(a.dot(b)).to_degrees())))
            };
            if let (Some(a), Some(b)) = (axis(clip, &was.positions), axis(&out.clip, &is.positions)) {
                // Bends under 10° have an axis of noise.
                flips += usize::from(a.1 > 10.0 && b.1 > 10.0 && a.0.dot(b.0) < 0.0);
                bends[0][side].push(a.1);
                bends[1][side].push(b.1);
            }
        }
    }
    let kinks =
        bends.map(|sides| sides.iter().map(|knee| acceleration(knee, clip.fps())).fold(0.0, f64::max));
    Ok(Row {
        name: name.to_owned(),
        set,
        report: out.report,
        arms_deg: arms,
        legs_deg: [quantile(&legs, 0.5).unwrap_or(0.0), quantile(&legs, 1.0).unwrap_or(0.0)],
        flips,
        kink: kinks[1] / kinks[0].max(5000.0),
        frames: clip.num_frames(),
        tilt_deg: tilt(clip, &out.clip),
    })
}

/// Median tilt of the target's sole while heel and toe of the source stand.
fn tilt(clip: &Clip, out: &Clip) -> f64 {
    let Ok(contacts) = find_contacts(clip, &ContactConfig::default()) else { return 0.0 };
    let mut tilts = Vec::new();
    for (contact, role) in contacts.feet.iter().zip([Role::LeftFoot, Role::RightFoot]) {
        let Some(foot) = out.skeleton().find(role) else { continue };
        for frame in contact.flat().into_iter().flatten() {
            let front = out.model_pose(frame).rotations[foot] * Vec3::Z;
            tilts.push(f64::from(front.y.asin().to_degrees()));
        }
    }
    quantile(&tilts, 0.5).unwrap_or(0.0)
}

/// Largest second difference over ±1/60 s, degrees/s².
fn acceleration(knee: &[f64], fps: f64) -> f64 {
    let half = ((fps / 60.0).round() as usize).max(1);
    let seconds = half as f64 / fps;
    knee.windows(2 * half + 1)
        .map(|w| ((w[0] - 2.0 * w[half] + w[2 * half]) / (seconds * seconds)).abs())
        .fold(0.0, f64::max)
}

fn print_row(row: &Row) {
    let feet = row.report.feet.unwrap_or_default();
    println!(
        "| {} | {} | {} | {:?} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} | {:.2} | {:.1} | {:.1} | {:.0} | {:.1} | {:.1} | {} | {:.1} |",
        row.name,
        row.set,
        row.frames,
        row.report.mapping.source_stance,
        feet.contacts,
        feet.held,
        feet.released_frames,
        feet.slip_mm,
        feet.source_slip_mm,
        feet.between_mm,
        feet.source_between_mm,
        feet.under_floor_mm,
        row.arms_deg,
        row.legs_deg[0],
        row.legs_deg[1],
        feet.hip_shift_mm,
        feet.knee_change_deg,
        row.kink,
        row.flips,
        row.tilt_deg,
    );
}

type Measure = fn(&Row) -> f64;

fn summary(title: &str, rows: &[&Row]) {
    if rows.is_empty() {
        return;
    }
    let measures: [(&str, Measure); 16] = [
        ("slip in held contacts, mm", |r| r.report.feet.unwrap_or_default().slip_mm),
        ("the source's own there, mm", |r| r.report.feet.unwrap_or_default().source_slip_mm),
        ("between holds of a foot that stays down, mm", |r| r.report.feet.unwrap_or_default().between_mm),
        ("more there than the source, mm", |r| r.report.feet.unwrap_or_default().between_added_mm),
        ("more than the source beside a hold while down, mm", |r| {
            r.report.feet.unwrap_or_default().beside_mm
        }),
        ("contacts not held, %", |r| {
            let feet = r.report.feet.unwrap_or_default();
            100.0 * (feet.contacts - feet.held) as f64 / feet.contacts.max(1) as f64
        }),
        ("frames of held contacts released, %", |r| {
            let feet = r.report.feet.unwrap_or_default();
            100.0 * feet.released_frames as f64 / feet.held_frames.max(1) as f64
        }),
        ("place missed, mm", |r| r.report.feet.unwrap_or_default().shortfall_mm),
        ("under the floor, mm", |r| r.report.feet.unwrap_or_default().under_floor_mm),
        ("arm directions, largest, °", |r| r.arms_deg),
        ("leg directions, median frame, °", |r| r.legs_deg[0]),
        ("leg directions, largest, °", |r| r.legs_deg[1]),
        ("hips moved, mm", |r| r.report.feet.unwrap_or_default().hip_shift_mm),
        ("knee acceleration over the source's (at least 5000 °/s²)", |r| r.kink),
        ("sole against the ground while flat, °", |r| r.tilt_deg.abs()),
        ("frames with a knee on the other side", |r| r.flips as f64),
    ];
    println!("\n{title}: {} captures\n\n| | median | 90 % | worst |\n|---|---|---|---|", rows.len());
    for (name, measure) in measures {
        let values: Vec<f64> = rows.iter().map(|row| measure(row)).collect();
        let mut order: Vec<&&Row> = rows.iter().collect();
        order.sort_by(|a, b| measure(b).total_cmp(&measure(a)));
        let worst: Vec<String> = order
            .iter()
            .take(4)
            .map(|row| format!("{} ({:.2})", row.name.rsplit('/').next().unwrap_or(""), measure(row)))
            .collect();
        println!(
            "| {name} | {:.2} | {:.2} | {} |",
            quantile(&values, 0.5).unwrap_or(f64::NAN),
            quantile(&values, 0.9).unwrap_or(f64::NAN),
            worst.join(", ")
        );
    }
}
