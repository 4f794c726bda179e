//! Properties of every sample motion.

use std::collections::BTreeSet;

use glam::{DQuat, DVec3, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{angle_between, log};
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Role, Side};

use super::body::joint;
use super::gait_tables::{WALK, WALK_FAST, WALK_SLOW};
use super::limits::{JOINT_LIMITS, joint_angles};
use super::minimum_jerk::Cycle;
use super::take::{Part, sole_points};
use super::{Contact, FPS, clip, clips, contacts, motions, skeleton};

/// Sole points may be this far under the ground and planted ones may move this far, metres.
const ROOM: f32 = 0.005;
/// Motions that cover ground or change level; all others stand where they start.
const GOING: [&str; 12] = [
    "walk",
    "walk-slow",
    "walk-fast",
    "walk-in-place",
    "run",
    "start",
    "stop",
    "turn-left",
    "turn-right",
    "step-up",
    "step-down",
    "side-step",
];

fn get(name: &str) -> Clip {
    clip(name).unwrap()
}

/// Height of the ground under a point of this motion: the upper level reaches as near to the foot on the lower level as
/// it would on a stair, a few centimetres from the toes that go up and from the heel that comes down.
fn ground(name: &str, z: f32) -> f32 {
    match name {
        "step-up" if z > 0.36 => 0.17,
        "step-down" if z <= 0.21 => 0.17,
        _ => 0.0,
    }
}

#[test]
fn every_motion_of_the_list_is_there() {
    let names: Vec<&str> = motions().iter().map(|motion| motion.name).collect();
    let wanted = [
        "walk",
        "walk-slow",
        "walk-fast",
        "walk-in-place",
        "run",
        "start",
        "stop",
        "turn-left",
        "turn-right",
        "step-down",
        "step-up",
        "idle",
        "squat",
        "reach-up",
        "reach-back-down",
        "throw",
        "front-kick",
        "side-kick",
        "punch",
        "knife-hand",
        "wave",
        "hand-on-heart",
        "point-at-you",
        "open-arms",
        "clap",
        "bow",
        "sway",
        "side-step",
        "nod",
    ];
    for name in wanted {
        assert!(names.contains(&name), "{name}");
    }
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "names are unique");
    for motion in motions() {
        assert!(!motion.tags.is_empty() && motion.summary.ends_with('.'), "{}", motion.name);
    }
    assert!(clip("walk-the-dog").is_none() && contacts("walk-the-dog").is_none());
}

#[test]
fn the_same_bits_come_out_every_time() {
    for (clip, motion) in clips().iter().zip(motions()) {
        assert_eq!(clip, &motion.clip());
        assert_eq!((clip.name.as_str(), clip.fps()), (motion.name, FPS));
        assert!(clip.num_frames() > 60, "{} lasts longer than a second", clip.name);
    }
}

#[test]
fn joints_stay_within_human_limits() {
    let mut broken = Vec::new();
    for clip in clips() {
        let mut worst = [(0.0_f64, 0.0_f64, 0_usize); JOINT_LIMITS.len()];
        for frame in 0..clip.num_frames() {
            for (i, angle) in joint_angles(&clip.pose(frame)) {
                // 0.2°: solved knees are read through single precision.
                let over = (angle - JOINT_LIMITS[i].high_deg).max(JOINT_LIMITS[i].low_deg - angle);
                if over > 0.2 && over > worst[i].0 {
                    worst[i] = (over, angle, frame);
                }
            }
        }
        for (i, (over, angle, frame)) in worst.into_iter().enumerate() {
            if over > 0.0 {
                broken.push(format!("{} frame {frame}: {} {angle:.1}°", clip.name, JOINT_LIMITS[i].movement));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn no_foot_goes_under_the_ground() {
    let mut broken = Vec::new();
    for clip in clips() {
        let mut lowest = (0.0_f32, 0, 0, Side::Left);
        for frame in 0..clip.num_frames() {
            let model = clip.model_pose(frame);
            for side in [Side::Left, Side::Right] {
                for (part, point) in sole_points(&model, side).into_iter().enumerate() {
                    let height = point.y - ground(&clip.name, point.z);
                    if height < lowest.0 {
                        lowest = (height, frame, part, side);
                    }
                }
            }
        }
        if lowest.0 < -ROOM {
            broken.push(format!("{} {lowest:?}", clip.name));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The point by which a contact is judged.
fn contact_point(contact: &Contact, model: &ModelPose) -> Vec3 {
    let [heel, _, tip] = sole_points(model, contact.side);
    match contact.part {
        Part::Heel => heel,
        Part::Toe => tip,
    }
}

#[test]
fn planted_feet_stay_where_they_are() {
    let mut broken = Vec::new();
    for clip in clips() {
        for contact in contacts(&clip.name).unwrap() {
            let frames = contact.frames();
            let Some(first) = frames.clone().next() else { continue };
            let place = contact_point(&contact, &clip.model_pose(first));
            for frame in frames.start..frames.end.min(clip.num_frames()) {
                let point = contact_point(&contact, &clip.model_pose(frame));
                let (moved, off) = ((point - place).length(), (point.y - contact.ground as f32).abs());
                if moved > ROOM || off > ROOM {
                    broken.push(format!(
                        "{} frame {frame} moved {moved:.4} off {off:.4} {contact:?}",
                        clip.name
                    ));
                    break;
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn someone_always_stands_except_in_the_flight_of_running() {
    for clip in clips() {
        let contacts = contacts(&clip.name).unwrap();
        let airborne = (0..clip.num_frames())
            .filter(|frame| !contacts.iter().any(|contact| contact.frames().contains(frame)))
            .count();
        if clip.name == "run" {
            // Two flights of 15 % of the cycle each.
            let fraction = airborne as f64 / clip.num_frames() as f64;
            assert!((0.2..0.4).contains(&fraction), "run is in the air {fraction:.2} of the time");
        } else {
            assert_eq!(airborne, 0, "{}", clip.name);
        }
    }
}

/// Fastest turn (rad/s) and largest change of it between frames (rad/s²) over all joints.
fn liveliness(clip: &Clip) -> (f32, f32, usize) {
    let mut most = (0.0_f32, 0.0_f32, 0);
    for joint in 0..clip.num_joints() {
        let rate = |frame: usize| {
            log(clip.rotation(joint, frame).conjugate() * clip.rotation(joint, frame + 1)) * FPS as f32
        };
        let mut before = rate(0);
        for frame in 1..clip.num_frames() - 1 {
            let now = rate(frame);
            most.0 = most.0.max(now.length());
            let change = (now - before).length() * FPS as f32;
            if change > most.1 {
                (most.1, most.2) = (change, joint);
            }
            before = now;
        }
    }
    most
}

#[test]
fn velocities_are_continuous() {
    let mut broken = Vec::new();
    for clip in clips() {
        let (rate, change, joint) = liveliness(&clip);
        // The captured walk CMU 35_05 has 329 rad/s² at its knee at 60 frames per second; kicking knees turn at 25
        // rad/s [nunome2002] and a pitcher's upper arm at over 100 [fleisig1995]. A jump of 5° in one frame alone
        // would be two changes of 314 rad/s². Gestures, which have no contacts, are smoother.
        let (fastest, jump) = match clip.name.as_str() {
            "run" => (20.0, 450.0),
            name if GOING.contains(&name) => (12.0, 330.0),
            "throw" | "front-kick" | "side-kick" | "punch" | "knife-hand" => (25.0, 250.0),
            _ => (8.0, 100.0),
        };
        let name = &clip.skeleton().joint(joint).name;
        eprintln!("{}: {rate:.1} rad/s, {change:.0} rad/s² at {name}", clip.name);
        if !(rate < fastest && change < jump) {
            broken.push(format!("{}: {rate:.1} rad/s, {change:.0} rad/s² at {name}", clip.name));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Largest difference of two frames: metres after moving hips over hips, radians.
fn difference(a: &Clip, frame_a: usize, b: &Clip, frame_b: usize, turned: Quat) -> (f32, f32) {
    let (pa, pb) = (a.model_pose(frame_a), b.model_pose(frame_b));
    let mut most = (0.0_f32, 0.0_f32);
    for i in 0..pa.positions.len() {
        let flat = |p: &ModelPose| p.positions[i] - p.positions[0] * Vec3::new(1.0, 0.0, 1.0);
        most.0 = most.0.max((turned * flat(&pa) - flat(&pb)).length());
        most.1 = most.1.max(angle_between(turned * pa.rotations[i], pb.rotations[i]));
    }
    most
}

/// Single precision: rotations of chains agree to 1e-5 rad, positions to 1e-5 m; turned paths to ten times that.
const SAME: f32 = 1e-4;

#[test]
fn gestures_start_and_end_in_the_idle_pose() {
    let idle = get("idle");
    let check = |clip: &Clip, frame: usize| {
        let (metres, radians) = difference(&idle, 0, clip, frame, Quat::IDENTITY);
        // A step up ends on the upper level, a step down starts there.
        let upper = matches!((clip.name.as_str(), frame), ("step-up", 1..) | ("step-down", 0));
        let level = if upper { 0.17 } else { 0.0 };
        assert!(
            (metres - level).abs() < SAME && radians < SAME,
            "{} frame {frame}: {metres} {radians}",
            clip.name
        );
    };
    for clip in clips() {
        let steady = ["walk", "walk-slow", "walk-fast", "walk-in-place", "run", "turn-left", "turn-right"];
        if steady.contains(&clip.name.as_str()) {
            continue;
        }
        if clip.name != "stop" {
            check(&clip, 0);
        }
        if clip.name != "start" {
            check(&clip, clip.num_frames() - 1);
        }
        if !GOING.contains(&clip.name.as_str()) {
            let path = clip.root().get(clip.num_frames() - 1) - clip.root().get(0);
            assert!(path.length() < SAME, "{} returns to its place", clip.name);
        }
    }
}

#[test]
fn start_walk_turn_and_stop_follow_each_other_without_a_seam() {
    let walk = get("walk");
    let cycle = 64;
    let before = |clip: &Clip, turned: Quat| {
        let (metres, radians) = difference(&walk, cycle - 1, clip, clip.num_frames() - 1, turned);
        assert!(metres < SAME && radians < SAME, "{} ends before the walk: {metres} {radians}", clip.name);
    };
    before(&get("start"), Quat::IDENTITY);
    before(&walk, Quat::IDENTITY);
    let quarter = std::f32::consts::FRAC_PI_2;
    before(&get("turn-left"), Quat::from_rotation_y(quarter));
    before(&get("turn-right"), Quat::from_rotation_y(-quarter));
    for name in ["stop", "turn-left", "turn-right"] {
        let (metres, radians) = difference(&walk, 0, &get(name), 0, Quat::IDENTITY);
        assert!(metres < SAME && radians < SAME, "{name} begins as the walk: {metres} {radians}");
    }
}

#[test]
fn steady_gaits_close_and_mirror_after_half_a_cycle() {
    let skeleton = skeleton();
    for (name, cycle, speed) in [
        ("walk", 64, 1.30),
        ("walk-slow", 78, 0.86),
        ("walk-fast", 54, 1.75),
        ("run", 44, 2.9),
        ("walk-in-place", 66, 0.0),
    ] {
        let clip = get(name);
        assert_eq!(clip.num_frames() % cycle, 0);
        for frame in 0..cycle {
            let (metres, radians) = difference(&clip, frame, &clip, frame + cycle, Quat::IDENTITY);
            assert!(metres < SAME && radians < SAME, "{name} frame {frame} closes: {metres} {radians}");
            for (index, joint) in skeleton.joints().iter().enumerate() {
                let other = skeleton.find(joint.role.unwrap().mirrored()).unwrap();
                let q = clip.rotation(index, frame);
                let mirrored = Quat::from_xyzw(q.x, -q.y, -q.z, q.w);
                let later = clip.rotation(other, frame + cycle / 2);
                let off = angle_between(mirrored, later);
                assert!(off < 5e-4, "{name} frame {frame} {}: {off} rad", joint.name);
            }
        }
        let travelled = clip.root().get(2 * cycle) - clip.root().get(cycle);
        assert!((travelled.z * FPS as f32 / cycle as f32 - speed).abs() < 1e-3, "{name}: {travelled}");
    }
}

#[test]
fn walking_has_the_figures_of_walking() {
    let clip = get("walk");
    let leg = joint::LEG[0];
    let range = |i: usize| {
        let angles: Vec<f64> = (0..64)
            .map(|frame| joint_angles(&clip.pose(frame)).into_iter().find(|(k, _)| *k == i).unwrap().1)
            .collect();
        (angles.iter().copied().fold(f64::MAX, f64::min), angles.iter().copied().fold(f64::MIN, f64::max))
    };
    let (hip, knee, ankle) = (range(13), range(16), range(18));
    eprintln!("hip {hip:.1?} knee {knee:.1?} ankle {ankle:.1?}");
    // [perryburnfield2010]: knee 5–60°, thigh arc 45°, ankle −20–10°; one standard deviation is 5–8° [kadaba1990].
    assert!((52.0..70.0).contains(&knee.1) && knee.0 < 8.0, "knee {knee:?}");
    assert!((38.0..52.0).contains(&(hip.1 - hip.0)), "hip {hip:?}");
    assert!((-28.0..-12.0).contains(&ankle.0) && (5.0..19.0).contains(&ankle.1), "ankle {ankle:?}");
    let heights: Vec<f32> = (0..64).map(|frame| clip.root().get(frame).y).collect();
    let bob = heights.iter().copied().fold(0.0, f32::max) - heights.iter().copied().fold(9.0, f32::min);
    // 4–5 cm published, 3.1 cm in CMU 35_05.
    assert!((0.028..0.055).contains(&bob), "the pelvis rises and falls by {bob} m");
    let model = clip.model_pose(64);
    let step = model.positions[leg + 2].z - model.positions[joint::LEG[1] + 2].z;
    assert!((0.55..0.75).contains(&step), "ankles are {step} m apart at contact");
}

#[test]
fn walking_follows_the_published_angles() {
    // Root mean square over the cycle, degrees; one standard deviation between people is 5–8° [kadaba1990].
    for (name, style, frames, most) in
        [("walk", WALK, 64, 6.0), ("walk-slow", WALK_SLOW, 78, 8.0), ("walk-fast", WALK_FAST, 54, 8.0)]
    {
        let clip = get(name);
        let curves = [style.thigh, style.knee].map(Cycle::through);
        let leg = joint::LEG[0];
        let mut squares = [0.0_f64; 2];
        for frame in 0..frames {
            let model = clip.model_pose(frame);
            let lean = |a: usize| {
                let along = model.positions[leg + a + 1] - model.positions[leg + a];
                f64::from(along.z.atan2(-along.y)).to_degrees()
            };
            let phase = frame as f64 / frames as f64;
            for (i, angle) in [lean(0), lean(0) - lean(1)].into_iter().enumerate() {
                squares[i] += (angle - style.range[i] * curves[i].at(phase)).powi(2) / frames as f64;
            }
        }
        let [thigh, knee] = squares.map(f64::sqrt);
        eprintln!("{name}: thigh {thigh:.1}°, knee {knee:.1}°");
        assert!(thigh < most && knee < most, "{name}: thigh {thigh:.1}°, knee {knee:.1}°");
    }
}

#[test]
fn a_reach_is_one_bell() {
    for (name, role) in
        [("reach-up", Role::RightUpperArm), ("hand-on-heart", Role::RightUpperArm), ("bow", Role::Spine)]
    {
        let clip = get(name);
        let joint = clip.skeleton().find(role).unwrap();
        let speeds: Vec<f32> = (0..50)
            .map(|frame| {
                angle_between(clip.rotation(joint, frame), clip.rotation(joint, frame + 1)) * FPS as f32
            })
            .collect();
        let peak = (0..50).max_by(|&a, &b| speeds[a].total_cmp(&speeds[b])).unwrap();
        assert!((18..42).contains(&peak), "{name} peaks at frame {peak}");
        // Breathing and single precision ripple the curve by up to 0.02 rad/s.
        for frame in 1..50 {
            let rising = frame <= peak;
            let change = speeds[frame] - speeds[frame - 1];
            assert!(if rising { change > -0.02 } else { change < 0.02 }, "{name} frame {frame}: {speeds:?}");
        }
    }
}

#[test]
fn hands_go_where_their_gesture_says() {
    let hands = |clip: &Clip, frame: usize| {
        let model = clip.model_pose(frame);
        let at = |i: usize| {
            let hand = joint::ARM[i] + 3;
            model.point(hand, clip.skeleton().joint(hand).tips[0] * 0.5)
        };
        (at(0), at(1), model)
    };
    let clap = get("clap");
    let gaps: Vec<f32> = (0..clap.num_frames())
        .map(|frame| {
            let (left, right, _) = hands(&clap, frame);
            left.distance(right)
        })
        .collect();
    let met =
        (1..gaps.len() - 1).filter(|&i| gaps[i] < gaps[i - 1] && gaps[i] <= gaps[i + 1] && gaps[i] < 0.075);
    // Half a hand is 1.5 cm thick; between frames hands come a little closer than on them.
    assert!(gaps.iter().all(|&gap| gap > 0.02), "hands do not pass through each other");
    assert_eq!(met.count(), 6, "{gaps:?}");

    let heart = get("hand-on-heart");
    let (_, hand, model) = hands(&heart, 75);
    let chest = model.positions[joint::UPPER_CHEST];
    assert!((hand - chest - Vec3::new(0.02, 0.0, 0.15)).length() < 0.07, "{}", hand - chest);

    let you = get("point-at-you");
    let model = you.model_pose(70);
    let arm = joint::ARM[1];
    let along = (model.positions[arm + 3] - model.positions[arm + 1]).normalize();
    assert!(along.z > 0.95, "{along}");

    let up = get("reach-up");
    assert!(hands(&up, 76).1.y > 2.0, "{}", hands(&up, 76).1);
    let down = get("reach-back-down");
    let (_, hand, model) = hands(&down, 76);
    assert!(hand.y < 0.62 && hand.z < model.positions[0].z - 0.15, "{hand}");
}

#[test]
fn turns_turn_and_steps_step() {
    for (name, heading) in [("turn-left", 1.0), ("turn-right", -1.0)] {
        let clip = get(name);
        let last = clip.num_frames() - 1;
        let facing = clip.rotation(0, last).as_dquat() * DQuat::IDENTITY * DVec3::Z;
        assert!((facing.x * heading) > 0.95, "{name} faces {facing}");
        assert!(clip.root().get(last).x * heading as f32 > 1.0, "{name} goes there");
    }
    let climbed = |name: &str| {
        let clip = get(name);
        clip.root().get(clip.num_frames() - 1) - clip.root().get(0)
    };
    assert!((climbed("step-up") - Vec3::new(0.0, 0.17, 0.46)).length() < 1e-3);
    assert!((climbed("step-down") - Vec3::new(0.0, -0.17, 0.46)).length() < 1e-3);
    assert!((climbed("side-step") - Vec3::new(0.60, 0.0, 0.0)).length() < 1e-3);
}
