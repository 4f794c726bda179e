//! Every rig of the captures moved onto the sample actor: source of its stance, slip, heading and floor; for
//! `docs/results/retarget.md`.
//!
//! `UGOKI_CAPTURES=DIR cargo run --release -p ugoki --example rig_table`; without the variable it says so and ends.

use std::path::{Path, PathBuf};
use ugoki::no_progress;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::formats::{Companion, ReadOptions, read_with};
use ugoki::math::quantile;
use ugoki::retarget::{RetargetConfig, StandsAt, retarget};
use ugoki::sample;
use ugoki::skeleton::{Role, Skeleton};

/// Folders with one rig or more per file, and one file of each rig of `cmu`.
const FOLDERS: [&str; 8] = ["fbx", "gltf", "vrma", "asfamc", "deepmimic", "c3d", "trc", "dialects"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set");
        return Ok(());
    };
    println!(
        "| file | take | frames | stance | contacts held | slip mm | heading ° | toe off mm | ankle off mm | under floor mm |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut files = vec![folder.join("cmu/locomotion/35_05.bvh")];
    for name in FOLDERS {
        let mut found: Vec<PathBuf> =
            std::fs::read_dir(folder.join(name))?.flatten().map(|entry| entry.path()).collect();
        found.sort();
        files.extend(found);
    }
    for file in files {
        let shown = file.strip_prefix(&folder)?.display().to_string();
        for (take, clip) in clips(&file) {
            match clip.map_err(Into::into).and_then(|clip| row(&clip)) {
                Ok(row) => println!("| {shown} | {take} | {row} |"),
                Err(error) => println!("| {shown} | {take} | {error} |"),
            }
        }
    }
    Ok(())
}

/// All motions of a file; an invalid file gives one error.
fn clips(file: &Path) -> Vec<(String, Result<Clip, ugoki::formats::ReadError>)> {
    let Ok(bytes) = std::fs::read(file) else { return Vec::new() };
    let extension = file.extension().map(|ending| ending.to_string_lossy().into_owned());
    let open = |take: Option<String>| {
        let options = ReadOptions { take, ..ReadOptions::default() };
        read_with(&bytes, extension.as_deref(), &options, &mut |companion| match companion {
            Companion::Named(name) => std::fs::read(file.with_file_name(name)).ok(),
            Companion::Skeleton => std::fs::read(file.with_file_name("11.asf")).ok(),
        })
    };
    match open(None) {
        Ok(read) if read.takes.len() > 1 => (0..read.takes.len())
            .map(|i| (read.takes[i].clone(), open(Some(i.to_string())).map(|read| read.clip)))
            .collect(),
        read => vec![(String::new(), read.map(|read| read.clip))],
    }
}

fn row(clip: &Clip) -> Result<String, Box<dyn std::error::Error>> {
    let out = retarget(clip, &sample::skeleton(), &RetargetConfig::default(), &mut no_progress())?;
    let left = |skeleton: &Skeleton, positions: &[Vec3]| {
        let at = |role: Role| Some(positions[skeleton.find(role)?]);
        Some((at(Role::LeftUpperLeg)? - at(Role::RightUpperLeg)?).with_y(0.0).normalize_or_zero())
    };
    let mut headings = Vec::new();
    for frame in clip.motion_frames() {
        let (was, is) = (clip.model_pose(frame), out.clip.model_pose(frame));
        if let (Some(a), Some(b)) =
            (left(clip.skeleton(), &was.positions), left(out.clip.skeleton(), &is.positions))
        {
            headings.push(f64::from(a.cross(b).length().atan2(a.dot(b)).to_degrees()));
        }
    }
    let held = out.report.feet.unwrap_or_default();
    // Left and right foot; a dash for one that never stands.
    let off = |height: fn(&StandsAt) -> Option<f64>| {
        let one = |foot: &Option<StandsAt>| {
            foot.as_ref().and_then(height).map_or_else(|| "-".to_owned(), |mm| format!("{mm:.0}"))
        };
        held.stands_at.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    Ok(format!(
        "{} | {:?} | {} of {} | {:.1} | {} | {} | {} | {:.0}",
        clip.num_frames(),
        out.report.mapping.source_stance,
        held.held,
        held.contacts,
        held.slip_mm,
        quantile(&headings, 0.5).map_or_else(|| "-".to_owned(), |x| format!("{x:.1}")),
        off(|foot| Some(foot.toe_off_mm)),
        off(|foot| foot.ankle_off_mm),
        held.under_floor_mm,
    ))
}
