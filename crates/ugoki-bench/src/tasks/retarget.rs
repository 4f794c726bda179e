//! Moving a walk onto another body: whole clips with feet held, without, and pose by pose.

use std::hint::black_box;

use ugoki::formats::ReadOptions;
use ugoki::formats::bvh::read;
use ugoki::pose::Pose;
use ugoki::retarget::{
    RetargetConfig, RetargetScratch, Stance, build_retarget, retarget, retarget_pose_into,
};
use ugoki::sample;

use super::{quiet, sound};
use crate::clock::Bench;
use crate::data::walk_bvh;

/// A body a tenth smaller than the source's.
const SCALE: f32 = 0.9;

pub(crate) fn measure(bench: &mut Bench) {
    let target = sample::skeleton().scaled(SCALE);
    let bare = RetargetConfig { hold_feet: false, find_floor: false, ..RetargetConfig::default() };
    for &frames in bench.sizes(&[100, 300, 1000, 3000]) {
        let bytes = walk_bvh(frames).expect("the sample walk");
        let clip = read(&bytes, &ReadOptions::default()).expect("our own file").clip;
        for (task, config) in [("retarget.held", &RetargetConfig::default()), ("retarget.plain", &bare)] {
            bench.measure(task, frames, frames as f64, || {
                sound(retarget(black_box(&clip), &target, config, &mut quiet));
            });
        }
        if frames == 100 {
            let from = Stance::from_clip(&clip).expect("a walk has a stance");
            let to = Stance::from_rest(&target).expect("the sample actor has a stance");
            let map = build_retarget(&from, &to).expect("two actors");
            let (mut scratch, mut out) = (RetargetScratch::default(), Pose::rest(&target));
            let pose = clip.pose(clip.num_frames() / 2);
            bench.measure("retarget.pose", 1, 1.0, || {
                retarget_pose_into(&map, black_box(&pose), &mut scratch, &mut out);
            });
        }
    }
}
