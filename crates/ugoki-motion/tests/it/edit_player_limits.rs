//! Players whose targets move late: feet and knees stay within human limits, and what is not met is returned.

use std::ops::ControlFlow;

use glam::Vec3;
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::Side;
use ugoki_feet::contact::{Feet, find_feet};
use ugoki_motion::edit::walk::Gait;
use ugoki_motion::edit::{Deviation, Footfall, Player, PlayerScratch};
use ugoki_sample as sample;
use ugoki_testing::captures;

fn go() -> impl FnMut(f32) -> ControlFlow<()> {
    |_| ControlFlow::Continue(())
}

/// Ticks per second of what is measured.
const RATE: f64 = 120.0;
/// How much faster than the limits a frame may be: ticks lie between the moments that are looked at ahead of time.
const ROOM: f32 = 1.1;

/// A player with its pose, frame by frame.
struct Watch {
    player: Player,
    scratch: PlayerScratch,
    pose: Pose,
    model: ModelPose,
    feet: Feet,
    last: Option<[(Vec3, f32); 2]>,
    /// Fastest ankle, m/s, and knee, rad/s.
    fastest: [f32; 2],
}

impl Watch {
    fn new(player: Player, clip: &Clip) -> Self {
        let scratch = PlayerScratch::new(player.repertoire());
        let pose = Pose::rest(clip.skeleton());
        let feet = find_feet(clip.skeleton()).unwrap();
        let model = ModelPose::default();
        Self { player, scratch, pose, model, feet, last: None, fastest: [0.0; 2] }
    }

    fn legs(&mut self, clip: &Clip) -> [(Vec3, f32); 2] {
        forward_kinematics_into(clip.skeleton(), &self.pose, &mut self.model);
        self.feet.feet.each_ref().map(|foot| {
            let [hip, knee, ankle] = [foot.upper, foot.lower, foot.ankle].map(|j| self.model.positions[j]);
            (ankle, (knee - hip).angle_between(ankle - knee))
        })
    }

    fn tick(&mut self, clip: &Clip) -> [bool; 2] {
        let landed = self.player.tick(1.0 / RATE, &mut self.scratch, &mut self.pose).landed;
        let now = self.legs(clip);
        for (now, last) in now.iter().zip(self.last.iter().flatten()) {
            self.fastest[0] = self.fastest[0].max(now.0.distance(last.0) * RATE as f32);
            self.fastest[1] = self.fastest[1].max((now.1 - last.1).abs() * RATE as f32);
        }
        self.last = Some(now);
        landed
    }
}

/// What a late change led to.
#[derive(Debug)]
struct Late {
    /// Fastest ankle, m/s, and knee, rad/s, until a quarter of a second after landing; of the same player left alone.
    fastest: [f32; 2],
    alone: [f32; 2],
    deviation: Deviation,
    /// Distance from where the foot landed to where it was asked to, metres, and how much later than left alone, seconds.
    missed_m: f32,
    later_s: f32,
}

/// Plays until a foot swings, `after_s` into that, moves its target by `by` and plays until it stands.
fn late(
    gait: &Gait,
    clip: &Clip,
    side: Side,
    skip: usize,
    after_s: f64,
    by: Vec3,
    turn: f32,
) -> Option<Late> {
    let mut player = gait.endless_player(gait.first_foot()).ok()?;
    let mut scratch = PlayerScratch::new(player.repertoire());
    let mut pose = Pose::rest(clip.skeleton());
    let mut swings = 0;
    let mut was = player.swings(side);
    for _ in 0..4000 {
        player.tick(1.0 / RATE, &mut scratch, &mut pose);
        swings += usize::from(player.swings(side) && !was);
        was = player.swings(side);
        if swings > skip {
            break;
        }
    }
    for _ in 0..(after_s * RATE) as usize {
        if player.tick(1.0 / RATE, &mut scratch, &mut pose).landed[usize::from(side == Side::Right)] {
            return None;
        }
    }
    let now = player.footfall(side);
    let target = Footfall { place: now.place + by, heading: now.heading.map(|heading| heading + turn) };
    let mut watches = [Watch::new(player.clone(), clip), Watch::new(player, clip)];
    watches.iter_mut().for_each(|watch| {
        watch.player.pose_into(&mut watch.scratch, &mut watch.pose);
        watch.last = Some(watch.legs(clip));
    });
    let deviation = watches[1].player.put(side, target).unwrap();
    let mut stands = [0.0_f64; 2];
    let mut missed_m = 0.0;
    for (watch, stands) in watches.iter_mut().zip(&mut stands) {
        let mut landed = false;
        while !landed && *stands < 3.0 {
            landed = watch.tick(clip)[usize::from(side == Side::Right)];
            *stands += 1.0 / RATE;
        }
        missed_m = watch.player.footfall(side).place.distance(target.place);
        for _ in 0..(0.25 * RATE) as usize {
            watch.tick(clip);
        }
    }
    let [alone, fastest] = [watches[0].fastest, watches[1].fastest];
    Some(Late { fastest, alone, deviation, missed_m, later_s: (stands[1] - stands[0]) as f32 })
}

fn check(found: &Late, gait: &Gait) -> Result<(), String> {
    let limits = gait.repertoire().sources()[0].speed_limits();
    for (what, limit) in [limits.foot_m_s, limits.knee_rad_s].into_iter().enumerate() {
        if found.fastest[what] > ROOM * limit.max(found.alone[what]) {
            return Err(format!("{found:?}, limits {limits:?}"));
        }
    }
    // What is said to be missed is missed by that.
    if (found.missed_m - found.deviation.metres).abs() > 1e-3 {
        return Err(format!("{found:?}"));
    }
    Ok(())
}

fn sample_gait() -> (Clip, Gait) {
    let clip = sample::clip("walk").unwrap();
    let gait = Gait::build(&clip, &mut go()).unwrap();
    (clip, gait)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn late_changes_stay_within_human_limits_and_return_what_they_miss(
        left in any::<bool>(), skip in 0..5_usize, after_s in 0.0..0.4_f64, x in -0.3..0.3_f32, z in -0.7..0.7_f32, turn in -0.5..0.5_f32,
    ) {
        let (clip, gait) = sample_gait();
        let side = if left { Side::Left } else { Side::Right };
        let Some(found) = late(&gait, &clip, side, skip, after_s, Vec3::new(x, 0.0, z), turn) else { return Ok(()) };
        let checked = check(&found, &gait);
        prop_assert!(checked.is_ok(), "{}", checked.unwrap_err());
    }
}

#[test]
fn small_changes_early_in_a_swing_are_met_exactly_and_in_time() {
    let (clip, gait) = sample_gait();
    for side in [Side::Left, Side::Right] {
        let found = late(&gait, &clip, side, 1, 0.05, Vec3::new(0.02, 0.0, 0.08), 0.1).unwrap();
        assert!(found.deviation == Deviation::NONE && found.missed_m < 1e-4, "{found:?}");
    }
}

#[test]
fn a_target_that_moves_far_as_the_foot_lands_is_met_in_part() {
    let (clip, gait) = sample_gait();
    let mut parts = 0;
    for tenths in 1..5 {
        let after_s = 0.1 * f64::from(tenths);
        let Some(found) = late(&gait, &clip, Side::Left, 2, after_s, Vec3::new(0.0, 0.0, 0.6), 0.0) else {
            break;
        };
        check(&found, &gait).unwrap();
        parts += usize::from(found.deviation.metres > 0.01);
    }
    assert!(parts > 0, "nothing was too much");
}

/// `cargo test -p ugoki-motion --test it late_changes_of_captured -- --nocapture` prints the table of docs/results/segments.md.
#[test]
fn late_changes_of_captured_walks_stay_within_human_limits() {
    let Some(folder) = captures::folder(5) else { return };
    let mut random = Random::new(11);
    println!(
        "| walk | changes | foot, m/s: limit, 99 %, most | knee, °/s: 99 %, most | met exactly | missed, m: mean | later, s: mean |"
    );
    for name in ["02_01", "16_15", "16_21", "35_05", "35_32"] {
        let clip = captures::capture(&folder, &format!("cmu/locomotion/{name}.bvh"));
        let gait = Gait::build(&clip, &mut go()).unwrap();
        let mut all = Vec::new();
        for _ in 0..40 {
            let side = if random.uniform() < 0.5 { Side::Left } else { Side::Right };
            let (skip, after_s) = (random.range(0.0, 4.0) as usize, random.range(0.0, 0.4));
            let by = Vec3::new(random.range(-0.3, 0.3) as f32, 0.0, random.range(-0.6, 0.6) as f32);
            let turn = random.range(-0.4, 0.4) as f32;
            if let Some(found) = late(&gait, &clip, side, skip, after_s, by, turn) {
                check(&found, &gait).unwrap_or_else(|error| panic!("{name}, {after_s:.3} s, {by}: {error}"));
                all.push(found);
            }
        }
        let most = |what: usize, part: f64| {
            let mut values: Vec<f32> = all.iter().map(|late| late.fastest[what]).collect();
            values.sort_by(f32::total_cmp);
            values[((values.len() - 1) as f64 * part) as usize]
        };
        let mean = |of: &dyn Fn(&Late) -> f32| all.iter().map(of).sum::<f32>() / all.len() as f32;
        let exact = all.iter().filter(|late| late.deviation == Deviation::NONE).count();
        println!(
            "| {name} | {} | {:.1}, {:.1}, {:.1} | {:.0}, {:.0} | {exact} | {:.3} | {:.3} |",
            all.len(),
            gait.repertoire().sources()[0].speed_limits().foot_m_s,
            most(0, 0.99),
            most(0, 1.0),
            most(1, 0.99).to_degrees(),
            most(1, 1.0).to_degrees(),
            mean(&|late| late.missed_m),
            mean(&|late| late.later_s),
        );
        assert!(all.len() > 10 && exact > 0, "{name}: {} changes, {exact} exact", all.len());
    }
}
