//! A clip as GLB, glTF, VRM and VRMA, and where its joints are: what the browser tests play and compare.
//!
//! With a folder as argument the files are written there; without, only their sizes are printed.

use std::error::Error;
use std::path::{Path, PathBuf};
use ugoki::no_progress;

use serde_json::{Value, json};
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::formats::{Format, ReadOptions, WriteOptions, read, write};
use ugoki::sample;

/// Captures that are written too when `UGOKI_CAPTURES` names their folder: another rest pose, another rig.
const CAPTURES: [&str; 2] = ["cmu/locomotion/16_17.bvh", "dialects/mixamo_namespaced.bvh"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let mut clips: Vec<Clip> = ["walk", "front-kick"].iter().filter_map(|name| sample::clip(name)).collect();
    if let Some(captures) = std::env::var_os("UGOKI_CAPTURES").filter(|_| folder.is_some()) {
        for name in CAPTURES {
            let Ok(bytes) = std::fs::read(Path::new(&captures).join(name)) else { continue };
            let mut clip = read(&bytes, Some("bvh"), &ReadOptions::default())?.clip;
            clip = clip.trimmed(0..clip.num_frames().min(600))?;
            clip.name = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            clips.push(clip);
        }
    }
    let mut expected = Vec::new();
    for clip in &clips {
        let options = WriteOptions {
            contacts: find_contacts(clip, &ContactConfig::default()).ok().map(|found| found.feet),
            loop_frames: Some(0..clip.num_frames()),
            keep_reference: true,
            ..WriteOptions::default()
        };
        let mut held = clip.clone();
        for format in [Format::Glb, Format::Gltf, Format::Vrm, Format::Vrma] {
            let written = write(clip, format, &options, &mut no_progress())?;
            if format == Format::Vrma && written.findings.iter().any(|finding| finding.code == "joints-moved")
            {
                // The writer says that VRMA cannot keep this body's places: what it keeps is what we read back.
                held = read(&written.bytes, None, &ReadOptions::default())?.clip;
            }
            println!("{}.{}: {} bytes", clip.name, format.extension(), written.bytes.len());
            if let Some(folder) = &folder {
                std::fs::create_dir_all(folder)?;
                std::fs::write(folder.join(format!("{}.{}", clip.name, format.extension())), written.bytes)?;
            }
        }
        let mut places_of = places(clip);
        places_of["roles"] = roles(&held, &places_of);
        expected.push(places_of);
    }
    if let Some(folder) = &folder {
        std::fs::write(folder.join("expected.json"), json!({ "clips": expected }).to_string())?;
    }
    Ok(())
}

/// Joints with their roles, and their places in the world in five frames.
fn places(clip: &Clip) -> Value {
    let last = clip.num_frames() - 1;
    let frames: Vec<Value> = [0, last / 4, last / 2, last * 4 / 5, last]
        .into_iter()
        .map(|frame| {
            let places: Vec<[f32; 3]> =
                clip.model_pose(frame).positions.iter().map(glam::Vec3::to_array).collect();
            json!({"frame": frame, "seconds": frame as f64 / clip.fps(), "places": places})
        })
        .collect();
    let joints: Vec<Value> = clip
        .skeleton()
        .joints()
        .iter()
        .map(|joint| json!({"name": joint.name, "role": joint.role}))
        .collect();
    json!({"name": clip.name, "fps": clip.fps(), "joints": joints, "frames": frames})
}

/// Places of all roles in the same frames.
fn roles(clip: &Clip, like: &Value) -> Value {
    let frames = like["frames"].as_array().into_iter().flatten().filter_map(|frame| frame["frame"].as_u64());
    let places = |frame: u64| {
        let pose = clip.model_pose(frame as usize);
        let joints = clip.skeleton().joints().iter().zip(&pose.positions);
        let named = joints
            .filter_map(|(joint, place)| Some((joint.role?.name().to_owned(), json!(place.to_array()))));
        Value::Object(named.collect())
    };
    frames.map(places).collect()
}
