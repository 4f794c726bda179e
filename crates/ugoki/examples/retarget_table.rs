//! The tables of `docs/results/retarget.md`: every capture moved onto the sample actor, the sample actor's motions moved
//! onto the skeletons of some captures, and summaries.
//!
//! `UGOKI_CAPTURES=DIR cargo run --release -p ugoki --example retarget_table [seen|unseen|NAME]`; without the variable
//! it says so and ends.

mod captures;
#[path = "retarget_support/stands.rs"]
mod stands;

use std::sync::Arc;
use ugoki::no_progress;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::math::quantile;
use ugoki::retarget::{Held, RetargetConfig, RetargetReport, StandsAt, retarget};
use ugoki::sample;
use ugoki::skeleton::{Role, Skeleton};

use stands::{Stand, stands};

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
    /// All stands of the source.
    stands: Vec<Stand>,
}

impl Row {
    fn feet(&self) -> Held {
        self.report.feet.unwrap_or_default()
    }

    /// How far toe and ankle are off where they should stand, the worse foot, mm.
    fn off_mm(&self) -> [f64; 2] {
        let worst = |off: fn(&StandsAt) -> f64| {
            let feet = self.feet().stands_at;
            feet.iter().flatten().map(off).fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a })
        };
        [worst(|foot| foot.toe_off_mm), worst(|foot| foot.ankle_off_mm.unwrap_or(0.0))]
    }

    /// Most that a stand strays farther than in the source, mm.
    fn strays_mm(&self) -> f64 {
        self.stands.iter().map(Stand::more_mm).fold(0.0, f64::max)
    }
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
        "| capture | frames | contacts held | slip mm | stands | stray more mm | toe off mm | ankle off mm | under floor mm | legs ° | kink |\n\
         |---|---|---|---|---|---|---|---|---|---|---|"
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
    named(&rows);
    println!(
        "\n| onto | motions | slip mm | stray more mm | toe off mm | ankle off mm | under floor mm | legs ° | kink |\n|---|---|---|---|---|---|---|---|---|"
    );
    for (name, target) in targets {
        let mut rows = Vec::new();
        for clip in sample::clips() {
            match measure(&clip.name, "sample", &clip, &target) {
                Ok(row) => rows.push(row),
                Err(error) => println!("\n{} onto {name}: {error}", clip.name),
            }
        }
        let worst = |measure: fn(&Row) -> f64| {
            let row = rows.iter().max_by(|a, b| measure(a).total_cmp(&measure(b)));
            row.map_or_else(String::new, |row| format!("{:.1} ({})", measure(row), row.name))
        };
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} |",
            rows.len(),
            worst(|r| r.feet().slip_mm),
            worst(Row::strays_mm),
            worst(|r| r.off_mm()[0].abs()),
            worst(|r| r.off_mm()[1].abs()),
            worst(|r| r.feet().under_floor_mm),
            worst(|r| r.legs_deg[1]),
            worst(|r| r.kink),
        );
    }
    Ok(())
}

fn measure(
    name: &str,
    set: &'static str,
    clip: &Clip,
    target: &Arc<Skeleton>,
) -> Result<Row, Box<dyn std::error::Error>> {
    let go = &mut no_progress();
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
    let stands = stands(&clip.scaled(out.report.mapping.scale as f32), &out.clip);
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
        stands,
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
    let (feet, [toe, ankle]) = (row.feet(), row.off_mm());
    println!(
        "| {} | {} | {} of {} | {:.1} | {} | {:.1} | {toe:.0} | {ankle:.0} | {:.0} | {:.1} | {:.1} |",
        row.name,
        row.frames,
        feet.held,
        feet.contacts,
        feet.slip_mm,
        row.stands.len(),
        row.strays_mm(),
        feet.under_floor_mm,
        row.legs_deg[1],
        row.kink,
    );
}

/// What fails, by name: stands that stray over 10 mm farther than the source, and feet off the floor.
fn named(rows: &[Row]) {
    let all: usize = rows.iter().map(|row| row.stands.len()).sum();
    println!("\n{all} stands; farther than the source by more than 10 mm:");
    for row in rows {
        for stand in row.stands.iter().filter(|stand| stand.more_mm() > 10.0) {
            let [source, result] = stand.strays_mm;
            println!(
                "- {}, {} at {:.2} s: {result:.1} mm, the source {source:.1}",
                row.name, stand.point, stand.start_s
            );
        }
    }
    println!("\nOff the floor:");
    for row in rows {
        for note in row.report.notes() {
            println!("- {}: {note}", row.name);
        }
    }
}

type Measure = fn(&Row) -> f64;

fn summary(title: &str, rows: &[&Row]) {
    if rows.is_empty() {
        return;
    }
    let measures: [(&str, Measure); 15] = [
        ("slip in held contacts, mm", |r| r.feet().slip_mm),
        ("the source's own there, mm", |r| r.feet().source_slip_mm),
        ("stands stray more than the source's, mm", Row::strays_mm),
        ("more than the source between holds of a foot that stays down, mm", |r| r.feet().between_added_mm),
        ("more than the source next to a hold while down, mm", |r| r.feet().beside_mm),
        ("contacts not held, %", |r| {
            100.0 * (r.feet().contacts - r.feet().held) as f64 / r.feet().contacts.max(1) as f64
        }),
        ("toe off its standing height, mm", |r| r.off_mm()[0].abs()),
        ("ankle off its standing height, mm", |r| r.off_mm()[1].abs()),
        ("deepest under the floor, mm", |r| r.feet().under_floor_mm),
        ("sole against the ground while flat, °", |r| r.tilt_deg.abs()),
        ("arm directions, largest, °", |r| r.arms_deg),
        ("leg directions, median frame, °", |r| r.legs_deg[0]),
        ("leg directions, largest, °", |r| r.legs_deg[1]),
        ("knee acceleration over the source's (at least 5000 °/s²)", |r| r.kink),
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
