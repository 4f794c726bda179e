//! A player's tick: editing its handles, posing a body of 31 joints, and crowds.

use std::hint::black_box;

use glam::{Quat, Vec3};
use ugoki::edit::walk::Gait;
use ugoki::edit::{EditBasis, EditConfig, EndTarget, Footfall, PlayerScratch, edit_segment};
use ugoki::pose::Pose;
use ugoki::reconstruct::Rebuild;
use ugoki::skeleton::{Role, Side};

use super::{quiet, sound};
use crate::clock::Bench;
use crate::data::{JOINTS, walk};

/// Frames of the segment that is edited: a second.
const SEGMENT: usize = 60;

pub(crate) fn measure(bench: &mut Bench) {
    let clip = walk();
    let gait = Gait::build(&clip, &mut quiet).expect("the sample walk has strides");
    let mut player = gait.endless_player(gait.first_foot()).expect("a stride that repeats");
    let mut scratch = PlayerScratch::new(player.repertoire());
    let mut pose = Pose::rest(clip.skeleton());
    // Somewhere in a bent swing, between two frames.
    let target = player.footfall(Side::Left);
    let _ = player.put(Side::Left, Footfall { place: target.place + Vec3::new(0.0, 0.0, -0.15), ..target });
    while !player.swings(Side::Left) {
        player.tick(0.0071, &mut scratch, &mut pose);
    }
    player.tick(0.1, &mut scratch, &mut pose);
    // What the machine does just now: a chain of rotations such as a skeleton of 31 joints takes.
    let turns: Vec<Quat> = (0..JOINTS).map(|i| Quat::from_rotation_x(0.1 * i as f32)).collect();
    bench.variant("edit.handles", "31 quaternion products in a chain", 1, 1.0, || {
        black_box(black_box(&turns).iter().fold(Quat::IDENTITY, |q, turn| q * *turn));
    });
    bench.measure("edit.handles", 1, 1.0, || {
        black_box(black_box(&player).edited());
    });
    bench.measure("edit.pose", 1, 1.0, || {
        black_box(&player).pose_into(&mut scratch, &mut pose);
    });
    bench.measure("edit.target", 1, 1.0, || {
        let mut changed = player.clone();
        let _ = changed.put(Side::Left, Footfall { place: target.place, heading: None });
        black_box(changed);
    });
    segment(bench);
    for &characters in bench.sizes(&[1, 10, 100, 1000, 10_000]) {
        let mut crowd = vec![player.clone(); characters];
        for (i, player) in crowd.iter_mut().enumerate() {
            player.tick(0.001 * (i % 1000) as f64, &mut scratch, &mut pose);
        }
        bench.measure("edit.players", characters, 1.0, || {
            for player in &mut crowd {
                let _ = player.tick(1.0 / 60.0, &mut scratch, &mut pose);
            }
        });
    }
}

/// A frame of a segment edited by a wrist and the head, body rebuilt, as in the paper's 0.40 ms.
fn segment(bench: &mut Bench) {
    let clip = walk();
    let basis = EditBasis::build(&clip, 0..SEGMENT, &[]).expect("frames of the sample walk");
    let end = clip.model_pose(SEGMENT - 1);
    let target = |role: Role, by: Vec3| {
        let joint = clip.skeleton().find(role).expect("a human body");
        let handle = basis.find(joint).expect("a handle");
        EndTarget { handle, position: end.positions[joint] + by, rotation: None, velocity: None }
    };
    let targets =
        [target(Role::RightHand, Vec3::new(0.1, 0.1, 0.1)), target(Role::Head, Vec3::new(0.0, -0.03, 0.03))];
    let edit = |config: EditConfig| {
        sound(edit_segment(&clip, &basis, &targets, &config, &mut quiet));
    };
    bench.measure("edit.segment", SEGMENT, SEGMENT as f64, || edit(EditConfig::default()));
    let closed = EditConfig { rebuild: Rebuild::Closed, ..EditConfig::default() };
    bench.variant("edit.segment", "closed form", SEGMENT, SEGMENT as f64, || edit(closed));
}
