//! Laws of players: the same as a walk planned ahead, continuous when minds change, the same bits every time.

use std::sync::Arc;
use ugoki_base::no_progress;

use glam::Vec3;
use proptest::prelude::*;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics};
use ugoki_base::skeleton::{Joint, Side, Skeleton};
use ugoki_feet::contact::find_feet;
use ugoki_motion::edit::walk::{Footstep, Gait, Strides, WalkError, other};
use ugoki_motion::edit::{Footfall, GroundFrame, Player, PlayerScratch, Repertoire, Source};
use ugoki_sample as sample;

fn gait() -> Gait {
    Gait::build(&sample::clip("walk").unwrap(), &mut no_progress()).unwrap()
}

fn plan(gait: &Gait, stride: f32, count: usize, turn_deg: f32) -> Vec<Footstep> {
    gait.plan(&Strides { stride_m: [stride; 2], count, turn_deg }).unwrap()
}

fn footfall(step: &Footstep) -> Footfall {
    Footfall { place: step.place, heading: step.heading_deg.map(f32::to_radians) }
}

fn model(player: &Player, scratch: &mut PlayerScratch) -> ModelPose {
    let skeleton = sample::skeleton();
    let mut pose = Pose::rest(&skeleton);
    player.pose_into(scratch, &mut pose);
    forward_kinematics(&skeleton, &pose)
}

fn apart(a: &ModelPose, b: &ModelPose) -> f32 {
    a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn a_player_told_in_advance_walks_as_the_plan_does() {
    let gait = gait();
    let count = gait.num_steps().min(4);
    let plan = plan(&gait, 0.5, count, 30.0);
    let walked = gait.walk(&plan, false, &mut no_progress()).unwrap();
    let mut player = gait.player(plan[0].foot);
    let mut scratch = PlayerScratch::new(gait.repertoire());
    let mut pose = Pose::rest(&sample::skeleton());
    player.put(plan[0].foot, footfall(&plan[0])).unwrap();
    // The other foot may be about to land.
    let mut lands_first = player.swings(other(plan[0].foot));
    if !lands_first {
        player.put(plan[1].foot, footfall(&plan[1])).unwrap();
    }
    let mut made = 0;
    player.pose_into(&mut scratch, &mut pose);
    for frame in 0..walked.clip.num_frames() {
        let wanted = walked.clip.pose(frame);
        assert!(pose.root.distance(wanted.root) < 1e-6, "frame {frame}");
        for (a, b) in pose.rotations.iter().zip(&wanted.rotations) {
            assert!(a.dot(*b).abs() > 1.0 - 1e-6, "frame {frame}");
        }
        let tick = player.tick(1.0 / walked.clip.fps(), &mut scratch, &mut pose);
        for _ in tick.landed.iter().filter(|landed| **landed) {
            if lands_first {
                lands_first = false;
            } else {
                made += 1;
            }
            if let Some(step) = plan.get(made + 1) {
                player.put(step.foot, footfall(step)).unwrap();
                player.pose_into(&mut scratch, &mut pose);
            } else {
                // From here on the walk knows where the swing after its last step goes, and the player was not told.
                assert!(made + 1 == plan.len() && frame > walked.clip.num_frames() / 2, "frame {frame}");
                return;
            }
        }
    }
    assert_eq!(made, count);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_changed_mind_moves_nothing_at_once_and_is_met(
        ticks in 5..200_usize, by in (-0.08..0.08_f32, -0.1..0.1_f32, -0.25..0.25_f32), turn in -0.4..0.4_f32, left in any::<bool>(),
    ) {
        let gait = gait();
        let side = if left { Side::Left } else { Side::Right };
        let mut player = gait.player(gait.first_foot());
        let mut scratch = PlayerScratch::new(gait.repertoire());
        let mut pose = Pose::rest(&sample::skeleton());
        let dt = 1.0 / 120.0;
        for _ in 0..ticks {
            player.tick(dt, &mut scratch, &mut pose);
        }
        // The next moment at which the foot is in the air.
        while !player.swings(side) {
            player.tick(dt, &mut scratch, &mut pose);
        }
        let now = player.footfall(side);
        let wish = Footfall { place: now.place + Vec3::from(by), heading: now.heading.map(|heading| heading + turn) };
        let mut changed = player.clone();
        // Met in part when it is too late for all of it; nothing changes when the foot is about to land.
        let deviation = changed.put(side, wish).unwrap();
        let jump = apart(&model(&player, &mut scratch), &model(&changed, &mut scratch));
        prop_assert!(jump < 1e-4, "{jump} m at once");
        // Velocity goes on too: after a 2400th of a second 0.1 mm is 0.24 m/s, a tenth of a swinging foot's speed, and
        // what acceleration alone gives when two frames are left for a quarter of a metre.
        player.tick(dt / 20.0, &mut scratch, &mut pose);
        let mut landed = changed.tick(dt / 20.0, &mut scratch, &mut pose).landed;
        let jump = apart(&model(&player, &mut scratch), &model(&changed, &mut scratch));
        prop_assert!(jump < 1e-4, "{jump} m after a tick");
        for _ in 0..400 {
            if landed[usize::from(!left)] {
                break;
            }
            landed = changed.tick(dt, &mut scratch, &mut pose).landed;
        }
        let there = changed.footfall(side);
        prop_assert!((there.place.distance(wish.place) - deviation.metres).abs() < 1e-4, "{there:?} {wish:?} {deviation:?}");
        let wish = there;
        // The pose says so too: the ankle is over that place in the middle of its stance.
        let ankle = find_feet(&sample::skeleton()).unwrap().feet[usize::from(!left)].ankle;
        let mut nearest = f32::INFINITY;
        for _ in 0..60 {
            let at = model(&changed, &mut scratch).positions[ankle];
            nearest = nearest.min(at.with_y(0.0).distance(wish.place.with_y(0.0)));
            changed.tick(dt, &mut scratch, &mut pose);
        }
        prop_assert!(nearest < 1e-3, "{nearest} m from {wish:?}");
    }

    #[test]
    fn any_ticks_in_any_order_give_finite_poses(steps in prop::collection::vec((0.0..0.4_f64, any::<bool>(), -1.0..1.0_f32, -1.0..1.0_f32), 1..60)) {
        let gait = gait();
        let mut players = [gait.player(gait.first_foot()), gait.player(gait.first_foot())];
        let mut scratch = PlayerScratch::new(gait.repertoire());
        let skeleton = sample::skeleton();
        let mut poses = [Pose::rest(&skeleton), Pose::rest(&skeleton)];
        for (seconds, left, x, z) in steps {
            for (player, pose) in players.iter_mut().zip(&mut poses) {
                let side = if left { Side::Left } else { Side::Right };
                let at = player.footfall(side).place;
                let _ = player.put(side, Footfall { place: at + Vec3::new(x, 0.0, z), heading: None });
                player.tick(seconds, &mut scratch, pose);
                prop_assert!(pose.root.is_finite() && pose.rotations.iter().all(|q| q.is_finite() && q.is_normalized()));
            }
            prop_assert!(poses[0] == poses[1], "the same bits every time");
        }
    }
}

#[test]
fn segments_are_reached_over_the_transitions_there_are() {
    let gait = gait();
    let shared: &Arc<Repertoire> = gait.repertoire();
    let count = shared.segments().len();
    assert!(count >= 4, "{count}");
    let mut player = gait.player(gait.first_foot());
    let start = player.segment();
    assert!(matches!(player.request(count), Err(WalkError::NoSegment { .. })));
    player.request(count - 1).unwrap();
    let mut scratch = PlayerScratch::new(shared);
    let mut pose = Pose::rest(&sample::skeleton());
    let mut ticks = 0;
    while player.segment() != count - 1 {
        player.tick(1.0 / 60.0, &mut scratch, &mut pose);
        ticks += 1;
        assert!(ticks < 3000, "stuck in segment {} of {count}, from {start}", player.segment());
    }
    assert!(
        matches!(player.request(0), Err(WalkError::NoWay { .. })),
        "nothing leads back to the source's own start"
    );
    // From the end of a source to a start on the other foot there is no transition.
    let wrong = (0..count).flat_map(|a| (0..count).map(move |b| (a, b))).find(|&(a, b)| !shared.fits(a, b));
    let wrong = wrong.unwrap();
    assert!(matches!(Repertoire::clone(shared).linked(&[wrong]), Err(WalkError::NoLink { .. })));
}

#[test]
fn sources_must_share_a_skeleton_and_numbers_must_be_finite() {
    let clip = sample::clip("walk").unwrap();
    let source = |clip| Source::build(clip, &mut no_progress()).unwrap();
    assert_eq!(Repertoire::build(Vec::new()), Err(WalkError::NoSource));
    let mut joints = clip.skeleton().joints().to_vec();
    joints.push(Joint::new("tail", Some(0), -Vec3::Z));
    let poses: Vec<Pose> = (0..clip.num_frames())
        .map(|frame| {
            let mut pose = clip.pose(frame);
            pose.rotations.push(glam::Quat::IDENTITY);
            pose
        })
        .collect();
    let tailed =
        ugoki_base::clip::Clip::from_poses(Skeleton::build(joints).unwrap(), clip.fps(), &poses).unwrap();
    let two = Repertoire::build(vec![source(&clip), source(&tailed)]);
    assert!(matches!(two, Err(WalkError::Skeletons { .. })));
    let one = Arc::new(Repertoire::build(vec![source(&clip)]).unwrap());
    let mut player = Player::new(one.clone(), 0, GroundFrame::HERE).unwrap();
    let bad = Footfall { place: Vec3::splat(f32::NAN), heading: None };
    assert_eq!(player.put(Side::Left, bad), Err(WalkError::NotFinite));
    assert!(Player::new(one, 9999, GroundFrame::HERE).is_err());
}
