//! Time of a player's tick: editing its handles, posing a body of 31 joints, and a thousand characters at 60 Hz.

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::edit::walk::Gait;
use ugoki::edit::{Footfall, PlayerScratch};
use ugoki::pose::Pose;
use ugoki::sample;
use ugoki::skeleton::{Joint, Side, Skeleton};

/// A walk on a body with nine joints more than the sample actor: 31, as CMU's.
fn source() -> Clip {
    let walk = sample::clip("walk").expect("the sample actor walks");
    let mut joints = walk.skeleton().joints().to_vec();
    while joints.len() < 31 {
        let name = format!("extra{}", joints.len());
        joints.push(Joint::new(name, Some(5), Vec3::Y * 0.05));
    }
    let skeleton = Skeleton::build(joints).expect("extra joints hang from the head");
    let poses: Vec<Pose> = (0..walk.num_frames())
        .map(|frame| {
            let mut pose = walk.pose(frame);
            pose.rotations.resize(31, Quat::IDENTITY);
            pose
        })
        .collect();
    Clip::from_poses(skeleton, walk.fps(), &poses).expect("the rate is the sample actor's")
}

fn benches(c: &mut Criterion) {
    let clip = source();
    let Ok(gait) = Gait::build(&clip, &mut |_| ControlFlow::Continue(())) else { return };
    let Ok(mut player) = gait.endless_player(gait.first_foot()) else { return };
    let mut scratch = PlayerScratch::new(player.repertoire());
    let mut pose = Pose::rest(clip.skeleton());
    // Somewhere in a bent swing, between two frames.
    let wish = player.footfall(Side::Left);
    let _ = player.put(Side::Left, Footfall { place: wish.place + Vec3::new(0.0, 0.0, -0.15), ..wish });
    while !player.swings(Side::Left) {
        player.tick(0.0071, &mut scratch, &mut pose);
    }
    player.tick(0.1, &mut scratch, &mut pose);
    let mut group = c.benchmark_group("edit");
    // What the machine does just now, to compare with: a chain of rotations such as a skeleton of 31 joints takes.
    let turns: Vec<Quat> = (0..31).map(|i| Quat::from_rotation_x(0.1 * i as f32)).collect();
    group.bench_function("reference: a chain of 31 quaternion products", |b| {
        b.iter(|| black_box(&turns).iter().fold(Quat::IDENTITY, |q, turn| q * *turn));
    });
    group.bench_function("hips and ankles edited at one moment", |b| b.iter(|| black_box(&player).edited()));
    group.bench_function("pose of 31 joints: edit, rebuild, rotations", |b| {
        b.iter(|| black_box(&player).pose_into(&mut scratch, &mut pose));
    });
    let mut walking = player.clone();
    group.bench_function("tick of 1/60 s, 31 joints", |b| {
        b.iter(|| walking.tick(1.0 / 60.0, &mut scratch, &mut pose));
    });
    group.bench_function("new target in mid-swing", |b| {
        b.iter(|| {
            let mut changed = player.clone();
            let _ = changed.put(Side::Left, Footfall { place: wish.place, heading: None });
            changed
        });
    });
    let mut crowd: Vec<_> = (0..1000).map(|_| player.clone()).collect();
    for (i, player) in crowd.iter_mut().enumerate() {
        player.tick(0.001 * i as f64, &mut scratch, &mut pose);
    }
    group.sample_size(20);
    group.bench_function("1000 players, one tick of 1/60 s each", |b| {
        b.iter(|| {
            for player in &mut crowd {
                let _ = player.tick(1.0 / 60.0, &mut scratch, &mut pose);
            }
        });
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
