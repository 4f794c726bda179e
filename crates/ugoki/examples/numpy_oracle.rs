//! Sample motions as NPZ and CSV, for `scripts/oracles/tables.py` to compare with numpy.
//!
//! `cargo run -p ugoki --example numpy_oracle -- FOLDER` writes there; without a folder it only counts.

use std::path::PathBuf;
use ugoki::no_progress;

use glam::Vec3;
use ugoki::clip::{Clip, Translation, UpAxis, VectorTrack};
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::formats::{Format, WriteOptions, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder)?;
    }
    for clip in ugoki::sample::clips() {
        let contacts = find_contacts(&clip, &ContactConfig::default()).ok().map(|found| found.feet);
        let options =
            WriteOptions { contacts, loop_frames: Some(0..clip.num_frames()), ..WriteOptions::default() };
        save(&clip, &clip.name, &options, folder.as_ref())?;
    }
    let walk = ugoki::sample::clip("walk").ok_or("the sample walk")?;
    let z_up = WriteOptions { up: Some(UpAxis::Z), unit_metres: Some(0.01), ..WriteOptions::default() };
    save(&walk, "walk-z-up-cm", &z_up, folder.as_ref())?;
    save(&stretched(&walk)?, "walk-stretched", &WriteOptions::default(), folder.as_ref())?;
    Ok(())
}

/// The clip with its last joint leaving its offset.
fn stretched(clip: &Clip) -> Result<Clip, ugoki::clip::ClipError> {
    let joint = clip.num_joints() - 1;
    let rest = clip.skeleton().joint(joint).offset;
    let place = |frame: usize| rest + Vec3::new(0.1, 0.02, -0.03) * (0.1 * frame as f32).sin();
    let track: VectorTrack = (0..clip.num_frames()).map(place).collect();
    let (root, rotations) = (clip.root().clone(), clip.rotations().clone());
    Clip::from_tracks(
        clip.skeleton().clone(),
        clip.fps(),
        root,
        rotations,
        vec![Translation { joint, track }],
    )
}

fn save(
    clip: &Clip,
    name: &str,
    options: &WriteOptions,
    folder: Option<&PathBuf>,
) -> Result<(), Box<dyn std::error::Error>> {
    for format in [Format::Npz, Format::Csv] {
        let written = write(clip, format, options, &mut no_progress())?;
        println!(
            "{name}.{}: {} frames, {} bytes",
            format.extension(),
            clip.num_frames(),
            written.bytes.len()
        );
        if let Some(folder) = folder {
            std::fs::write(folder.join(format!("{name}.{}", format.extension())), written.bytes)?;
        }
    }
    Ok(())
}
