//! A player takes the caller's buffers and never allocates, not even when minds change or strides repeat.

mod alloc_support;

use std::ops::ControlFlow;

use alloc_support::allocations;
use glam::Vec3;
use ugoki::edit::walk::Gait;
use ugoki::edit::{Footfall, PlayerScratch};
use ugoki::pose::Pose;
use ugoki::sample;
use ugoki::skeleton::Side;

#[test]
fn playing_does_not_allocate() {
    let clip = sample::clip("walk").unwrap();
    let gait = Gait::build(&clip, &mut |_| ControlFlow::Continue(())).unwrap();
    let mut player = gait.endless_player(gait.first_foot()).unwrap();
    let mut scratch = PlayerScratch::new(player.repertoire());
    let mut pose = Pose::rest(clip.skeleton());
    player.tick(0.0, &mut scratch, &mut pose);
    let (mut steps, mut jumps, mut last) = (0, 0, player.segment());
    let count = allocations(|| {
        for tick in 0..1800 {
            let landed = player.tick(1.0 / 60.0, &mut scratch, &mut pose).landed;
            steps += landed.iter().filter(|landed| **landed).count();
            if tick % 7 == 0 {
                let side = if tick % 2 == 0 { Side::Left } else { Side::Right };
                let wish = player.footfall(side);
                let place = wish.place + Vec3::new(0.002, 0.0, -0.01);
                // It may come too late; that allocates nothing either.
                let _ = player.put(side, Footfall { place, ..wish });
            }
            jumps += usize::from(player.segment() < last);
            last = player.segment();
        }
    });
    assert_eq!(count, 0);
    assert!(steps > 20 && jumps > 3, "{steps} steps, {jumps} repeats");
}
