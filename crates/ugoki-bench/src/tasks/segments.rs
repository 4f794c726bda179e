//! Networks of very many segments: time of the index, and how many of the true edges it finds.
//!
//! Segments are cut from captures where `UGOKI_CAPTURES` names them, from the sample actor's motions otherwise:
//! mirrored, a tenth slower or faster, and bent a little, so that none is the copy of another.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::formats::{ReadOptions, read};
use ugoki::math::{Random, exp};
use ugoki::network::{FeatureConfig, Features, Layers, Method, NetworkConfig, build_network};
use ugoki::sample;

use super::quiet;
use crate::clock::Bench;

const THRESHOLD: f64 = 0.01;
/// The cheapest of each that are kept: what a search of this size needs, and what fits memory.
const MOST: u32 = 64;
/// Rows whose true edges are looked for.
const ROWS: usize = 2000;
/// Features are made of so many segments at once.
const PORTION: usize = 10_000;

pub(crate) fn measure(bench: &mut Bench) {
    // Minutes of work: only where it was asked for.
    if bench.counted.is_some() || !bench.wants("network.segments") {
        return;
    }
    let takes: Vec<[Clip; 2]> = takes().into_iter().map(|clip| [clip.mirrored(), clip]).collect();
    let layers = Layers::upper_lower();
    for &count in bench.sizes(&[1000, 10_000, 30_000, 100_000]) {
        for layer in 0..2 {
            let features = features(&takes, &layers, layer, count);
            let config = NetworkConfig { threshold: THRESHOLD, most: Some(MOST), method: Method::Index };
            let start = Instant::now();
            let network = build_network(&features, &config, &mut quiet).expect("a network");
            let index_ns = start.elapsed().as_nanos() as f64;
            let mut random = Random::new(3);
            let (mut found, mut wanted) = (0_usize, 0_usize);
            for _ in 0..ROWS.min(count) {
                let from = random.index(count);
                let row = true_edges(&features, from);
                wanted += row.len();
                found += row.iter().filter(|&&to| network.edge(from, to).is_some()).count();
            }
            let task = format!("network.segments.{}", layers.layers()[layer].name);
            println!("{task}: recall {:.4} of {wanted} edges", found as f64 / wanted.max(1) as f64);
            bench.tell(&task, "", count, vec![index_ns]);
            bench.tell(&format!("{task}.missed"), "", count, vec![1.0 - found as f64 / wanted.max(1) as f64]);
        }
    }
}

/// The cheapest successors of a segment, by looking at all.
fn true_edges(features: &Features, from: usize) -> Vec<usize> {
    let mut row: Vec<(f32, usize)> = (0..features.num_nodes())
        .map(|to| (features.cost(from, to), to))
        .filter(|&(cost, _)| f64::from(cost) < THRESHOLD)
        .collect();
    row.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    row.truncate(MOST as usize);
    row.into_iter().map(|(_, to)| to).collect()
}

fn features(takes: &[[Clip; 2]], layers: &Layers, layer: usize, count: usize) -> Features {
    let mut random = Random::new(2);
    let mut all: Option<Features> = None;
    for start in (0..count).step_by(PORTION) {
        let clips: Vec<Clip> =
            (start..count.min(start + PORTION)).map(|_| segment(takes, &mut random)).collect();
        let nodes: Vec<(&Clip, Range<usize>)> =
            clips.iter().map(|clip| (clip, 0..clip.num_frames())).collect();
        let more = Features::build(&nodes, layers, layer, &FeatureConfig::default()).expect("features");
        all = Some(match all {
            None => more,
            Some(all) => all.appended(&more).expect("the same layer"),
        });
    }
    all.expect("at least one segment")
}

/// Both ends of a random segment of a take: four frames.
fn segment(takes: &[[Clip; 2]], random: &mut Random) -> Clip {
    let take = &takes[random.index(takes.len())][random.index(2)];
    let frames = take.motion_frames();
    let len = (frames.len() / 2).min(20 + random.index(100)).max(2);
    let start = frames.start + random.index(frames.len() - len);
    let fps = take.fps() * random.range(0.9, 1.1);
    let mut clip = Clip::at_rest(take.skeleton().clone(), fps, 4).expect("a rate");
    let at = [start, start + 1, start + len - 2, start + len - 1];
    for joint in 0..take.num_joints() {
        let bend = [bend(random), bend(random)];
        for (frame, &from) in at.iter().enumerate() {
            clip.set_rotation(joint, frame, take.rotation(joint, from) * bend[frame / 2]);
        }
    }
    clip
}

/// A turn of about 2°.
fn bend(random: &mut Random) -> Quat {
    exp(Vec3::from_array(std::array::from_fn(|_| (0.03 * random.normal()) as f32)))
}

/// Takes on one skeleton.
fn takes() -> Vec<Clip> {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("UGOKI_CAPTURES is not set: segments of the sample actor");
        return sample::clips();
    };
    let mut takes: Vec<Clip> = Vec::new();
    for part in ["cmu/gesture", "cmu/locomotion"] {
        let Ok(entries) = std::fs::read_dir(folder.join(part)) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "bvh")) {
            let Ok(bytes) = std::fs::read(file) else { continue };
            let Ok(read) = read(&bytes, Some("bvh"), &ReadOptions::default()) else { continue };
            takes.extend(on_one_body(read.clip, takes.first()));
        }
    }
    if takes.is_empty() { sample::clips() } else { takes }
}

/// The clip's turns on the first one's body: other people's bones have other lengths, and here the turning counts.
fn on_one_body(clip: Clip, first: Option<&Clip>) -> Option<Clip> {
    let Some(first) = first else { return Some(clip) };
    if clip.num_joints() != first.num_joints() {
        return None;
    }
    let (root, turns) = (clip.root().clone(), clip.rotations().clone());
    let mut moved = Clip::from_tracks(first.skeleton().clone(), clip.fps(), root, turns, Vec::new()).ok()?;
    moved.tpose_frame = clip.tpose_frame;
    Some(moved)
}
