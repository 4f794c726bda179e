//! The table of `docs/results/plant.md`: every capture before and after planting.
//!
//! `UGOKI_CAPTURES=DIR cargo run --release -p ugoki --example plant_table`; without the variable it says so and ends.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::formats::{ReadOptions, read};
use ugoki::limb::{PlantConfig, plant_feet};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set");
        return Ok(());
    };
    println!(
        "| capture | skate mm/s mean | max | after mean | max | under floor mm | after | knee ° | hips mm | \
         knee °/s² | after | slid | miss mm | again mm |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for file in captures(&folder)? {
        let name = file.strip_prefix(&folder)?.with_extension("");
        println!(
            "| {} | {} |",
            name.display(),
            load(&file).and_then(|clip| row(&clip)).unwrap_or_else(|e| e.to_string())
        );
    }
    Ok(())
}

fn load(file: &Path) -> Result<Clip, Box<dyn std::error::Error>> {
    Ok(read(&std::fs::read(file)?, Some("bvh"), &ReadOptions::default())?.clip)
}

/// All captures but the defective ones, in order.
fn captures(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for set in ["cmu/gesture", "cmu/locomotion", "cmu/physics", "cmu/sport", "dialects"] {
        for entry in std::fs::read_dir(folder.join(set))? {
            files.push(entry?.path());
        }
    }
    files.sort();
    Ok(files)
}

fn row(clip: &Clip) -> Result<String, Box<dyn std::error::Error>> {
    let contacts = find_contacts(clip, &ContactConfig::default())?;
    let planted = plant_feet(clip, &contacts, &PlantConfig::default(), &mut |_| ControlFlow::Continue(()))?;
    // Planted again with its own contacts: how far any joint still moves.
    let again = find_contacts(&planted.clip, &ContactConfig::default())?;
    let twice =
        plant_feet(&planted.clip, &again, &PlantConfig::default(), &mut |_| ControlFlow::Continue(()))?;
    let moved = clip.motion_frames().map(|frame| {
        let (a, b) = (planted.clip.model_pose(frame), twice.clip.model_pose(frame));
        a.positions.iter().zip(&b.positions).map(|(p, q)| 1e3 * (*p - *q).length()).fold(0.0, f32::max)
    });
    let r = &planted.report;
    Ok(format!(
        "{:.1} | {:.0} | {:.1} | {:.0} | {:.0} | {:.0} | {:.1} | {:.0} | {:.0} | {:.0} | {} | {:.1} | {:.1}",
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
        r.miss_mm,
        moved.fold(0.0, f32::max),
    ))
}
