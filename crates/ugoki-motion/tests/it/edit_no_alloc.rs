//! A player takes the caller's buffers and never allocates, not even when minds change or strides repeat.

use ugoki_base::no_progress;

use glam::{Quat, Vec3};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::Side;
use ugoki_motion::edit::walk::Gait;
use ugoki_motion::edit::{Bend, Distribution, Footfall, PathBasis, PlayerScratch, TurnBasis, TurnBend};
use ugoki_sample as sample;
use ugoki_testing::allocations;

#[test]
fn a_bent_path_is_asked_for_in_any_order_without_allocation() {
    let path: Vec<Vec3> = (0..40).map(|i| Vec3::new(0.02 * i as f32, (0.1 * i as f32).sin(), 0.0)).collect();
    let turning: Vec<Quat> = (0..40).map(|i| Quat::from_rotation_x(0.001 * (i * i) as f32)).collect();
    let (places, turns) = (PathBasis::build(&path, None).unwrap(), TurnBasis::build(&turning, None).unwrap());
    let n = places.last_frame();
    let in_order = |bend: &Bend, turn: &TurnBend| -> Vec<(Vec3, Quat)> {
        (0..=n + 1).map(|i| (places.at(bend, i), turns.at(turn, i))).collect()
    };
    let mut bend = places.edit(Vec3::new(1.0, 0.3, -0.2), Vec3::X * 0.01, Distribution::TwoStage);
    let mut turn = turns.edit(Quat::from_rotation_y(0.7), Vec3::Z * 0.02);
    places.change(&mut bend, 11, Vec3::ONE, Vec3::ZERO).unwrap();
    turns.change(&mut turn, 11, Quat::from_rotation_z(0.3), Vec3::ZERO).unwrap();
    let wanted = in_order(&bend, &turn);
    let mut same = true;
    let count = allocations(|| {
        let mut bend = bend;
        // 17 has no factor in common with the 41 samples: every one of them, far from its neighbours.
        for at in (0..=n + 1).map(|i| 17 * i % (n + 2)) {
            same &= (places.at(&bend, at), turns.at(&turn, at)) == wanted[at];
        }
        same &= places.change(&mut bend, 20, Vec3::X, Vec3::ZERO).is_ok();
    });
    assert_eq!(count, 0);
    assert!(same);
}

#[test]
fn playing_does_not_allocate() {
    let clip = sample::clip("walk").unwrap();
    let gait = Gait::build(&clip, &mut no_progress()).unwrap();
    let mut player = gait.endless_player(gait.first_foot()).unwrap();
    let mut scratch = PlayerScratch::new(player.repertoire());
    let mut pose = Pose::rest(clip.skeleton());
    player.tick(0.0, &mut scratch, &mut pose);
    // A segment of the stride that repeats, which can be asked for at any time.
    for _ in 0..600 {
        player.tick(1.0 / 60.0, &mut scratch, &mut pose);
    }
    let goal = player.segment();
    let (mut steps, mut jumps, mut last, mut asked) = (0, 0, player.segment(), 0);
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
            if tick % 50 == 0 && player.segment() != goal {
                asked += usize::from(player.request(goal).is_ok());
            }
            jumps += usize::from(player.segment() < last);
            last = player.segment();
        }
    });
    assert_eq!(count, 0);
    assert!(steps > 20 && jumps > 3 && asked > 10, "{steps} steps, {jumps} repeats, {asked} wishes");
}
