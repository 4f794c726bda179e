//! The automatic tags and the thresholds that decide them.

use std::ops::Range;

use ugoki_base::clip::Clip;

use super::feet::Feet;
use super::gait::Gait;
use super::limbs::Limbs;
use super::path::{Path, Turn};

/// A body is `moving` when its hips travel for this fraction of the time, or for `MOVING_S`.
const MOVING_FRACTION: f64 = 0.4;
/// Seconds of travel after which a body is `moving` however long the clip is: two steps.
const MOVING_S: f64 = 1.0;
/// And it must get this far from where it began, metres: swaying on the spot is not moving.
const MOVING_M: f64 = 0.5;
/// Or, in clips too short for that, this far, metres, at `MOVING_M_S` from its first frame on.
const MOVING_SHORT_M: f64 = 0.1;
/// A slow walk, m/s.
const MOVING_M_S: f64 = 0.5;

/// Speed classes while travelling, m/s, each up to the next: adults walk at 1.2 to 1.5, change to running at about 2.1.
const SPEEDS: [(f64, &str); 4] = [(0.0, "slow"), (0.9, "walking-pace"), (1.6, "brisk"), (2.1, "fast")];

/// A turn counts from this on, degrees: half a quarter turn is a change of mind, hips sway by 10 to 20.
const TURN_DEG: f64 = 45.0;
/// A turn on less way than this per radian is one in place, metres: a walked curve has a radius of over half a metre.
const IN_PLACE_M: f64 = 0.35;
/// Travel with smaller turns than this is `straight`, degrees.
const STRAIGHT_DEG: f64 = 25.0;

/// A hand faster than this about the chest moves, m/s: twice what breathing and swaying make.
const ARM_M_S: f64 = 0.4;
/// A foot faster than this about the hips moves, m/s.
const LEG_M_S: f64 = 0.4;
/// Trunk and head move when they turn faster than this, rad/s: 40° in a second.
const TURN_RAD_S: f64 = 0.7;

/// Hips that end this much higher or lower have gone `up` or `down`, metres: a stair is 0.17.
const LEVEL_M: f64 = 0.12;

/// Lengths of clips, seconds.
const SHORT_S: f64 = 2.0;
const LONG_S: f64 = 15.0;

/// All automatic tags that can be given, in the order of their meaning; `docs/formats/database.md` explains them.
pub const AUTOMATIC: &[&str] = &[
    "pose",
    "short",
    "medium",
    "long",
    "moving",
    "in-place",
    "standing",
    "still",
    "slow",
    "walking-pace",
    "brisk",
    "fast",
    "straight",
    "turn-left",
    "turn-right",
    "turn-in-place",
    "backwards",
    "sideways",
    "up",
    "down",
    "left-arm",
    "right-arm",
    "left-leg",
    "right-leg",
    "torso",
    "head",
    "walk",
    "run",
    "jump",
];

pub(super) fn tags(clip: &Clip, path: &Path, limbs: &Limbs, feet: &Feet, gait: &Gait) -> Vec<String> {
    let mut tags: Vec<&'static str> = Vec::new();
    if clip.num_frames() == 1 {
        return vec!["pose".to_owned()];
    }
    tags.push(match clip.seconds() {
        s if s < SHORT_S => "short",
        s if s < LONG_S => "medium",
        _ => "long",
    });
    let at_once = path.reach_m > MOVING_SHORT_M && path.reach_m > MOVING_M_S * clip.seconds();
    let moving = (path.reach_m > MOVING_M || at_once)
        && (path.moving_fraction > MOVING_FRACTION || path.moving_s > MOVING_S);
    tags.push(match (moving, gait.steps()) {
        (true, _) => "moving",
        // A walk on a treadmill, or a cycle for a game engine.
        (false, true) => "in-place",
        (false, false) => "standing",
    });
    let parts = [
        ("left-arm", limbs.arms_m_s[0] > ARM_M_S),
        ("right-arm", limbs.arms_m_s[1] > ARM_M_S),
        ("left-leg", limbs.legs_m_s[0] > LEG_M_S),
        ("right-leg", limbs.legs_m_s[1] > LEG_M_S),
        ("torso", limbs.torso_rad_s > TURN_RAD_S),
        ("head", limbs.head_rad_s > TURN_RAD_S),
    ];
    tags.extend(parts.iter().filter(|(_, moves)| *moves).map(|(part, _)| *part));
    let turns = [("turn-left", path.left), ("turn-right", path.right)];
    let turning: Vec<&(&str, Turn)> = turns.iter().filter(|(_, turn)| turn.degrees > TURN_DEG).collect();
    tags.extend(turning.iter().map(|(side, _)| *side));
    if turning.iter().any(|(_, turn)| turn.path_m < IN_PLACE_M * turn.degrees.to_radians()) {
        tags.push("turn-in-place");
    }
    if moving {
        let class = SPEEDS.iter().rev().find(|(from, _)| path.moving_m_s >= *from);
        tags.extend(class.map(|(_, class)| *class));
        if path.left.degrees.max(path.right.degrees) < STRAIGHT_DEG {
            tags.push("straight");
        }
        // Along the facing: 1 forwards, −1 backwards; between −0.5 and 0.5 more to the side than ahead.
        if path.forward < -0.5 || gait.backwards {
            tags.push("backwards");
        } else if gait.sideways || path.forward < 0.5 && turning.is_empty() {
            tags.push("sideways");
        }
    } else if !gait.steps() && parts.iter().all(|(_, moves)| !moves) && turning.is_empty() {
        tags.push("still");
    }
    if path.rise_m.abs() > LEVEL_M {
        tags.push(if path.rise_m > 0.0 { "up" } else { "down" });
    }
    // The flights of a run are no jumps.
    let in_run =
        |jump: &Range<usize>| gait.running.iter().any(|run| run.start <= jump.start && jump.end <= run.end);
    let jumps = feet.jumps.iter().any(|jump| !in_run(jump));
    for (tag, fits) in [("walk", gait.walks), ("run", gait.runs), ("jump", jumps)] {
        tags.extend(fits.then_some(tag));
    }
    let mut tags: Vec<String> = tags.into_iter().map(str::to_owned).collect();
    tags.sort();
    tags
}
