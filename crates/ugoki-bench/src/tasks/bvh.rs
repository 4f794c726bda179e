//! Reading and writing BVH, and world positions of what was read.

use std::hint::black_box;

use ugoki::formats::ReadOptions;
use ugoki::formats::bvh::{WriteOptions, read, read_channels, write};

use crate::clock::Bench;
use crate::data::{LENGTHS, walk_bvh};

pub(crate) fn measure(bench: &mut Bench) {
    let options = ReadOptions::default();
    for &frames in bench.sizes(&LENGTHS) {
        let bytes = walk_bvh(frames).expect("the sample walk");
        let per = frames as f64;
        bench.measure("bvh.read", frames, per, || drop(black_box(read(black_box(&bytes), &options))));
        bench.measure("bvh.channels", frames, per, || drop(black_box(read_channels(black_box(&bytes)))));
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
