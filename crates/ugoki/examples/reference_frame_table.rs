//! The table of `docs/results/reference-frames.md`: which added T-poses are recognised, and which first frames are taken for one.
//!
//! `UGOKI_ARCHIVE=DIR cargo run --release -p ugoki --example reference_frame_table`; the folder holds BVH files that all begin with an
//! added T-pose. Without the variable it says so and ends.

use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};
use ugoki::formats::{ReadOptions, read};
use ugoki::prelude::*;
use ugoki::skeleton::facing;

/// Frames between the first frames of the pieces in which nothing was added.
const EVERY: usize = 24;
/// Frames of such a piece.
const PIECE: usize = 40;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(folder) = std::env::var_os("UGOKI_ARCHIVE") else {
        println!("UGOKI_ARCHIVE is not set: nothing to measure");
        return Ok(());
    };
    let mut files = Vec::new();
    list(Path::new(&folder), &mut files)?;
    files.sort();
    let (mut recognised, mut pieces) = (0, 0);
    let (mut missed, mut mistaken) = (Vec::new(), Vec::new());
    let mut generated: Vec<(String, usize, usize)> = Vec::new();
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(read) = read(&std::fs::read(file)?, Some("bvh"), &ReadOptions::default()) else { continue };
        let clip = read.clip;
        if clip.starts_with_reference_frame() {
            recognised += 1;
        } else {
            missed.push(name.clone());
        }
        for start in (1..clip.num_frames().saturating_sub(PIECE)).step_by(EVERY) {
            pieces += 1;
            if clip.trimmed(start..start + PIECE)?.starts_with_reference_frame() {
                mistaken.push(format!("{name} at frame {start}"));
            }
        }
        for (at, (label, made)) in variants(&clip).into_iter().enumerate() {
            if generated.len() <= at {
                generated.push((label, 0, 0));
            }
            generated[at].1 += usize::from(made.starts_with_reference_frame());
            generated[at].2 += 1;
        }
    }
    println!("| frames | recognised | of |\n|---|---|---|");
    println!("| added T-poses of the files | {recognised} | {} |", files.len());
    for (label, right, all) in generated {
        println!("| {label} | {right} | {all} |");
    }
    println!("| first frames without one (taken for one) | {} | {pieces} |", mistaken.len());
    println!("\nnot recognised: {}\ntaken for one: {}", missed.join(", "), mistaken.join(", "));
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "bvh") {
            files.push(path);
        }
    }
    Ok(())
}

/// The clip with its T-pose bent in ways that exporters do.
fn variants(clip: &Clip) -> Vec<(String, Clip)> {
    let mut made = Vec::new();
    for (label, body, trunk, arms) in [
        ("body pitched by 10°", 10.0_f32, 0.0_f32, 0.0_f32),
        ("body pitched by 20°", 20.0, 0.0, 0.0),
        ("body pitched by 30°", 30.0, 0.0, 0.0),
        ("trunk pitched by 15°", 0.0, 15.0, 0.0),
        ("trunk pitched by 30°", 0.0, 30.0, 0.0),
        ("arms raised by 20°", 0.0, 0.0, -20.0),
        ("arms lowered by 20°", 0.0, 0.0, 20.0),
        ("A-pose, arms lowered by 45°", 0.0, 0.0, 45.0),
        ("A-pose, arms lowered by 60°", 0.0, 0.0, 60.0),
        ("body pitched by 30°, arms lowered by 20°", 30.0, 0.0, 20.0),
    ] {
        let skeleton = clip.skeleton().clone();
        let model = clip.model_pose(0);
        let Some(front) = facing(&skeleton, &model.positions) else { continue };
        let left = Vec3::Y.cross(front).normalize_or(Vec3::X);
        let mut posed = clip.clone();
        let mut turn = |role: Role, axis: Vec3, degrees: f32| {
            let Some(joint) = skeleton.find(role) else { return };
            let above = skeleton.parent(joint).map_or(Quat::IDENTITY, |parent| model.rotations[parent]);
            let world = Quat::from_axis_angle(axis, degrees.to_radians()) * model.rotations[joint];
            posed.set_rotation(joint, 0, (above.conjugate() * world).normalize());
        };
        if body != 0.0 {
            turn(Role::Hips, left, body);
        }
        if trunk != 0.0 {
            turn(Role::Spine, left, trunk);
        }
        if arms != 0.0 {
            turn(Role::LeftUpperArm, front, -arms);
            turn(Role::RightUpperArm, front, arms);
        }
        made.push((label.to_owned(), posed));
    }
    made
}
