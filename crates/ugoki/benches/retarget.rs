//! Time to move a walk onto another skeleton: the whole clip with feet held, without, and pose by pose.

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, criterion_group, criterion_main};
use ugoki::clip::Clip;
use ugoki::pose::Pose;
use ugoki::retarget::{
    RetargetConfig, RetargetScratch, Stance, build_retarget, retarget, retarget_pose_into,
};
use ugoki::sample;
use ugoki::skeleton::{Joint, Skeleton};

/// 1024 frames of walking on a body with nine joints more than the sample actor: 31, as CMU's.
fn source() -> Clip {
    let walk = sample::clip("walk").expect("the sample actor walks");
    let mut joints = walk.skeleton().joints().to_vec();
    for i in 0..9 {
        joints.push(Joint::new(format!("extra{i}"), Some(5), glam::Vec3::Y * 0.05));
    }
    let skeleton = Skeleton::build(joints).expect("extra joints hang from the head");
    let poses: Vec<Pose> = (0..1024)
        .map(|frame| {
            let mut pose = walk.pose(frame % walk.num_frames());
            pose.rotations.resize(31, glam::Quat::IDENTITY);
            pose
        })
        .collect();
    Clip::from_poses(skeleton, walk.fps(), &poses).expect("the rate is the sample actor's")
}

fn benches(c: &mut Criterion) {
    let clip = source();
    let target = sample::skeleton().scaled(0.9);
    let go = |_: f32| ControlFlow::Continue(());
    let bare = RetargetConfig { hold_feet: false, find_floor: false, ..RetargetConfig::default() };
    let mut group = c.benchmark_group("retarget");
    group.sample_size(20);
    group.bench_function("1024 frames of 31 joints, feet held", |b| {
        b.iter(|| retarget(black_box(&clip), &target, &RetargetConfig::default(), &mut { go }));
    });
    group.bench_function("1024 frames of 31 joints, poses only", |b| {
        b.iter(|| retarget(black_box(&clip), &target, &bare, &mut { go }));
    });
    let stances = (Stance::from_clip(&clip), Stance::from_rest(&target));
    let (Ok(from), Ok(to)) = stances else { return };
    let Ok(map) = build_retarget(&from, &to) else { return };
    let (mut scratch, mut out) = (RetargetScratch::default(), Pose::rest(&target));
    let pose = clip.pose(100);
    group.bench_function("one pose", |b| {
        b.iter(|| retarget_pose_into(&map, black_box(&pose), &mut scratch, &mut out));
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
