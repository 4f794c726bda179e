//! The tables of `docs/results/plant.md`: every capture before and after planting, and a summary.
//!
//! `UGOKI_CAPTURES=DIR cargo run --release -p ugoki --example plant_table [seen|unseen|NAME]`; without the variable
//! it says so and ends.

mod captures;

use ugoki::no_progress;

use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::feet::{PlantConfig, PlantReport, plant_feet};
use ugoki::math::quantile;

/// Clean walks, which a planting tool should barely change.
const WALKS: [&str; 9] = ["16_15", "16_21", "35_05", "35_10", "35_32", "35_34", "69_24", "69_53", "69_59"];

/// What is measured of one capture.
struct Row {
    name: String,
    set: &'static str,
    report: PlantReport,
    /// How far any joint moves when the result is planted again, mm.
    again_mm: f64,
    /// Fraction of the motion in which a foot stands, %.
    standing: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(captures) = captures::wanted()? else { return Ok(()) };
    let mut rows = Vec::new();
    println!(
        "| capture | set | skate mm/s mean | max | after mean | max | under floor mm | after | knee ° | hips mm | \
         knee °/s² | after | slid | released | glitches | miss mm | again mm |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for capture in captures {
        let set = if capture.unseen { "unseen" } else { "seen" };
        match capture.load().and_then(|clip| measure(&clip)) {
            Ok((report, again_mm, standing)) => {
                let row = Row { name: capture.name, set, report, again_mm, standing };
                print_row(&row);
                rows.push(row);
            }
            Err(error) => println!("| {} | {set} | {error} |", capture.name),
        }
    }
    rows.retain(|row| row.name.starts_with("cmu"));
    for (title, keep) in [
        ("Clean walks", &(|row: &Row| WALKS.iter().any(|w| row.name.ends_with(w))) as &dyn Fn(&Row) -> bool),
        ("CMU, seen", &|row: &Row| row.set == "seen"),
        ("CMU, unseen", &|row: &Row| row.set == "unseen"),
    ] {
        summary(title, &rows.iter().filter(|row| keep(row)).collect::<Vec<_>>());
    }
    Ok(())
}

fn measure(clip: &Clip) -> Result<(PlantReport, f64, f64), Box<dyn std::error::Error>> {
    let go = &mut no_progress();
    let contacts = find_contacts(clip, &ContactConfig::default())?;
    let planted = plant_feet(clip, &contacts, &PlantConfig::default(), go)?;
    // Planted again with its own contacts: how far any joint still moves.
    let again = find_contacts(&planted.clip, &ContactConfig::default())?;
    let twice = plant_feet(&planted.clip, &again, &PlantConfig::default(), go)?;
    let moved = clip.motion_frames().map(|frame| {
        let (a, b) = (planted.clip.model_pose(frame), twice.clip.model_pose(frame));
        a.positions.iter().zip(&b.positions).map(|(p, q)| 1e3 * (*p - *q).length()).fold(0.0, f32::max)
    });
    let motion = clip.motion_frames();
    let stands = motion.clone().filter(|&f| contacts.feet.iter().any(|foot| foot.touches(f))).count();
    let standing = 100.0 * stands as f64 / motion.len() as f64;
    Ok((planted.report, f64::from(moved.fold(0.0, f32::max)), standing))
}

fn print_row(row: &Row) {
    let r = &row.report;
    println!(
        "| {} | {} | {:.1} | {:.0} | {:.1} | {:.0} | {:.0} | {:.0} | {:.1} | {:.0} | {:.0} | {:.0} | {} | {} | {} | {:.1} | {:.1} |",
        row.name,
        row.set,
        r.skate_before.mean_mm_s,
        r.skate_before.max_mm_s,
        r.skate_after.mean_mm_s,
        r.skate_after.max_mm_s,
        r.penetration_before_mm,
        r.penetration_after_mm,
        r.knee_change_deg,
        r.hip_shift_mm,
        r.knee_acceleration_before,
        r.knee_acceleration_after,
        r.slid,
        r.released,
        r.glitch_frames,
        r.miss_mm,
        row.again_mm,
    );
}

type Measure = fn(&Row) -> f64;

fn summary(title: &str, rows: &[&Row]) {
    let measures: [(&str, Measure); 12] = [
        ("skate before, mm/s", |r| r.report.skate_before.mean_mm_s),
        ("skate after, mm/s", |r| r.report.skate_after.mean_mm_s),
        ("largest knee change, °", |r| r.report.knee_change_deg),
        ("largest hip shift, mm", |r| r.report.hip_shift_mm),
        ("knee acceleration, after / before (at least 5000 °/s²)", |r| {
            r.report.knee_acceleration_after / r.report.knee_acceleration_before.max(5000.0)
        }),
        ("under the floor after, mm", |r| r.report.penetration_after_mm),
        ("place missed, mm", |r| r.report.miss_mm),
        ("planted again, mm", |r| r.again_mm),
        ("contacts that slide", |r| r.report.slid as f64),
        ("a foot stands, %", |r| r.standing),
        ("contact frames held, %", |r| 100.0 * r.report.held_share),
        ("contacts released", |r| r.report.released as f64),
    ];
    println!("\n{title}: {} captures\n\n| | median | 90 % | worst |\n|---|---|---|---|", rows.len());
    for (name, measure) in measures {
        let values: Vec<f64> = rows.iter().map(|row| measure(row)).collect();
        let mut order: Vec<&&Row> = rows.iter().collect();
        order.sort_by(|a, b| measure(b).total_cmp(&measure(a)));
        let worst: Vec<String> = order
            .iter()
            .take(5)
            .map(|row| format!("{} ({:.1})", row.name.rsplit('/').next().unwrap_or(""), measure(row)))
            .collect();
        println!(
            "| {name} | {:.1} | {:.1} | {} |",
            quantile(&values, 0.5).unwrap_or(f64::NAN),
            quantile(&values, 0.9).unwrap_or(f64::NAN),
            worst.join(", ")
        );
    }
}
