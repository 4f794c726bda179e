//! Reading and writing BVH, and world positions of what was read.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::formats::ReadOptions;
use ugoki::formats::bvh::{WriteOptions, read, read_channels, write};
use ugoki::skeleton::{Joint, Skeleton};

use super::sound;
use crate::clock::Bench;
use crate::data::{LENGTHS, walk_bvh};

/// Runs of each capture, of which the middle one counts.
const RUNS: usize = 5;

pub(crate) fn measure(bench: &mut Bench) {
    let options = ReadOptions::default();
    captures(bench);
    joints(bench);
    for &frames in bench.sizes(&LENGTHS) {
        let bytes = walk_bvh(frames).expect("the sample walk");
        let per = frames as f64;
        bench.measure("bvh.read", frames, per, || sound(read(black_box(&bytes), &options)));
        bench.measure("bvh.channels", frames, per, || sound(read_channels(black_box(&bytes))));
        let mut clip = read(&bytes, &options).expect("our own file").clip;
        bench.measure("bvh.write.untouched", frames, per, || {
            drop(black_box(write(black_box(&clip), &WriteOptions::default())));
        });
        clip.set_source(None);
        bench.measure("bvh.write", frames, per, || {
            drop(black_box(write(black_box(&clip), &WriteOptions::default())));
        });
        bench.measure("bvh.kinematics", frames, per, || {
            for frame in 0..clip.num_frames() {
                black_box(clip.model_pose(frame));
            }
        });
    }
}

/// World positions of bodies of more and more joints, a fourth of them on each limb.
fn joints(bench: &mut Bench) {
    for &count in bench.sizes(&[8, 16, 31, 64, 128, 256]) {
        let parent = |joint: usize| match joint {
            0 => None,
            1..=4 => Some(0),
            _ => Some(joint - 4),
        };
        let tree = (0..count).map(|j| Joint::new(format!("j{j}"), parent(j), Vec3::Y * 0.1)).collect();
        let skeleton = Skeleton::build(tree).expect("four chains");
        let clip = Clip::at_rest(skeleton, 60.0, 100).expect("a rate");
        bench.measure("bvh.joints", count, 100.0, || {
            for frame in 0..clip.num_frames() {
                black_box(clip.model_pose(frame));
            }
        });
    }
}

/// Real files: the time for a megabyte of each, so that the 99th percentile is the slowest kind of file.
fn captures(bench: &mut Bench) {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("bvh.captures: UGOKI_CAPTURES is not set, nothing measured");
        return;
    };
    let options = ReadOptions::default();
    let mut files = Vec::new();
    bvh_files(&folder, &mut files);
    if bench.smoke {
        files.truncate(3);
    }
    let mut times = Vec::new();
    for bytes in files.iter().filter_map(|file| std::fs::read(file).ok()) {
        if read(&bytes, &options).is_err() {
            continue;
        }
        let mut runs: Vec<f64> = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                sound(read(black_box(&bytes), &options));
                start.elapsed().as_nanos() as f64
            })
            .collect();
        runs.sort_by(f64::total_cmp);
        times.push(runs[RUNS / 2] / (bytes.len() as f64 / 1e6));
    }
    if !times.is_empty() {
        bench.tell("bvh.captures", "", 1, times);
    }
}

fn bvh_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            bvh_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "bvh") {
            files.push(path);
        }
    }
    files.sort();
}
