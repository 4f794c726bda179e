//! Loads and pushes as users state them, in text form and as events of one clip.
//!
//! ```text
//! `8@chest`, `5@leftHand:0,-0.1,0`, `1.0,leftUpperArm,0,0,-25` ─parse─► CarriedLoad, TimedPush ─build_events─► Event
//! ```

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use ugoki_base::clip::{Clip, Time};
use ugoki_base::skeleton::{Role, Skeleton};

use super::config::{Event, MAX_IMPULSE_N_S, MAX_LOAD_KG, Push};
use crate::dynamics::{Body, BodyConfig, BodyError, Load};

/// A mass that is carried from beginning to end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CarriedLoad {
    /// Mass, kg.
    pub mass_kg: f64,
    /// Role of the joint it is measured from.
    pub role: Role,
    /// Its centre from the joint in the character's rest frame, m; when absent, for chest, upper chest and spine the place on the
    /// shoulder blades ([`Load::on_back`]), else the joint itself.
    pub offset_m: Option<[f64; 3]>,
}

/// Where loads without a place lie on the shoulder blades.
const BACK: [Role; 3] = [Role::Chest, Role::UpperChest, Role::Spine];

impl CarriedLoad {
    /// As the dynamics takes it, on a character `stature_m` tall.
    #[must_use]
    pub fn placed(&self, skeleton: &Skeleton, stature_m: f64) -> Load {
        let (role, mass_kg) = (self.role, self.mass_kg);
        match self.offset_m {
            None if BACK.contains(&role) => Load::on_back(skeleton, stature_m, mass_kg),
            offset_m => Load { role, mass_kg, offset_m: offset_m.unwrap_or_default(), radius_m: 0.0 },
        }
    }
}

/// A blow on a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimedPush {
    /// When.
    pub at: Time,
    /// Role of the joint that is hit.
    pub role: Role,
    /// Impulse in world axes, N·s.
    pub impulse_n_s: [f64; 3],
}

/// Why a load or push cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DisturbanceError {
    /// Not the form of a load.
    #[error("{text:?} is not a load; give KG@ROLE or KG@ROLE:X,Y,Z such as 8@chest or 2@leftHand:0,-0.1,0")]
    Load {
        /// The text found.
        text: String,
    },
    /// Not the form of a push.
    #[error("{text:?} is not a push; give SECONDS,ROLE,X,Y,Z such as 1.0,leftUpperArm,0,0,-25")]
    Push {
        /// The text found.
        text: String,
    },
    /// A number that cannot be read or used.
    #[error("{word:?} in {text:?} is not {expected}; give a number such as {example}")]
    Number {
        /// The part found.
        word: String,
        /// The whole.
        text: String,
        /// What it should be.
        expected: &'static str,
        /// One that would do.
        example: &'static str,
    },
    /// A role that no joint has.
    #[error("there is no role {word:?}; the nearest are {}", nearest(word))]
    Role {
        /// The word found.
        word: String,
    },
}

fn number(
    word: &str,
    text: &str,
    expected: &'static str,
    example: &'static str,
    good: impl Fn(f64) -> bool,
) -> Result<f64, DisturbanceError> {
    let value = word.trim().parse::<f64>().ok().filter(|value| value.is_finite() && good(*value));
    value.ok_or_else(|| DisturbanceError::Number {
        word: word.to_owned(),
        text: text.to_owned(),
        expected,
        example,
    })
}

fn role(word: &str) -> Result<Role, DisturbanceError> {
    Role::from_name(word.trim()).ok_or_else(|| DisturbanceError::Role { word: word.to_owned() })
}

/// Largest distance of a load from its joint, m.
const MAX_OFFSET_M: f64 = 2.0;

fn vector(
    words: &str,
    text: &str,
    expected: &'static str,
    most: f64,
) -> Option<Result<[f64; 3], DisturbanceError>> {
    let mut parts = words.split(',');
    let three = [parts.next()?, parts.next()?, parts.next()?];
    if parts.next().is_some() {
        return None;
    }
    let mut out = [0.0; 3];
    for (value, word) in out.iter_mut().zip(three) {
        match number(word, text, expected, "0 or -0.2", |value| value.abs() <= most) {
            Ok(found) => *value = found,
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok(out))
}

impl FromStr for CarriedLoad {
    type Err = DisturbanceError;

    fn from_str(text: &str) -> Result<Self, DisturbanceError> {
        let wrong = || DisturbanceError::Load { text: text.to_owned() };
        let (mass, place) = text.split_once('@').ok_or_else(wrong)?;
        let mass_kg = number(mass, text, "a mass in kg", "8", |m| m >= 0.0)?;
        let (name, offset) = match place.split_once(':') {
            Some((name, offset)) => (name, Some(offset)),
            None => (place, None),
        };
        let role = role(name)?;
        let offset_m = match offset {
            Some(words) => Some(
                vector(words, text, "a length in metres, at most 2", MAX_OFFSET_M).ok_or_else(wrong)??,
            ),
            None => None,
        };
        Ok(Self { mass_kg, role, offset_m })
    }
}

impl fmt::Display for CarriedLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.mass_kg, self.role)?;
        match self.offset_m {
            Some([x, y, z]) => write!(f, ":{x},{y},{z}"),
            None => Ok(()),
        }
    }
}

impl FromStr for TimedPush {
    type Err = DisturbanceError;

    fn from_str(text: &str) -> Result<Self, DisturbanceError> {
        let wrong = || DisturbanceError::Push { text: text.to_owned() };
        let (time, rest) = text.split_once(',').ok_or_else(wrong)?;
        let (name, impulse) = rest.split_once(',').ok_or_else(wrong)?;
        let at = time.trim().parse().map_err(|_| DisturbanceError::Number {
            word: time.to_owned(),
            text: text.to_owned(),
            expected: "a time",
            example: "1.5 (seconds) or 33f (frames)",
        })?;
        let role = role(name)?;
        let impulse_n_s = vector(impulse, text, "an impulse in N·s", f64::MAX).ok_or_else(wrong)??;
        Ok(Self { at, role, impulse_n_s })
    }
}

impl fmt::Display for TimedPush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.impulse_n_s;
        write!(f, "{},{},{x},{y},{z}", self.at, self.role)
    }
}

/// Why a load or push cannot act on a clip.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EventError {
    /// The skeleton has no legs, so there is no body.
    #[error(transparent)]
    Body(BodyError),
    /// Too much to carry.
    #[error("{load}: no body carries that")]
    Heavy {
        /// The load.
        load: CarriedLoad,
    },
    /// Too strong a blow.
    #[error("{push}: {size} N·s would break every body")]
    Hard {
        /// The push.
        push: TimedPush,
        /// Length of its impulse, N·s.
        size: f64,
    },
    /// No joint has the role.
    #[error("no joint of the motion is its {role}")]
    NoJoint {
        /// The role.
        role: Role,
        /// Whether a load names it; else a push.
        of_load: bool,
        /// Roles of trunk and arms that the skeleton has.
        known: Vec<Role>,
    },
    /// A push before the motion or after its end.
    #[error("{push}: the motion lasts from {start_s:.3} to {end_s:.3} s")]
    Outside {
        /// The push.
        push: TimedPush,
        /// First moment, seconds from the file's first row.
        start_s: f64,
        /// Last moment.
        end_s: f64,
    },
}

/// Loads and pushes on one clip.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Events {
    /// As the simulation takes them.
    pub events: Vec<Event>,
    /// The joint that loads have instead of a chest, in a skeleton without one.
    pub chest_of_loads: Option<Role>,
    /// The same for pushes.
    pub chest_of_pushes: Option<Role>,
}

/// Places loads and pushes on a clip and checks them.
///
/// # Errors
/// Says which load or push cannot act, and why.
pub fn build_events(
    clip: &Clip,
    body: &BodyConfig,
    loads: &[CarriedLoad],
    pushes: &[TimedPush],
) -> Result<Events, EventError> {
    let mut out = Events::default();
    let stature_m = match Body::build(clip.skeleton(), body) {
        Ok(body) => body.stature(),
        // Missing legs are the more important message than a missing joint of a load or push.
        Err(error @ BodyError::Missing { .. }) => return Err(EventError::Body(error)),
        // Everything else is reported when the target is built.
        Err(_) => 0.0,
    };
    for load in loads {
        let load = &CarriedLoad { role: stand_in(clip, load.role, &mut out.chest_of_loads), ..*load };
        if !(0.0..=MAX_LOAD_KG).contains(&load.mass_kg) {
            return Err(EventError::Heavy { load: *load });
        }
        check_role(clip, load.role, true)?;
        out.events.push(Event::Load(load.placed(clip.skeleton(), stature_m)));
    }
    // The clip's first row is the file's, unless an added T-pose was dropped.
    let offset_s = clip.first_row() as f64 / clip.fps();
    let motion = clip.motion_frames();
    let (start, end) = (motion.start as f64 / clip.fps(), (motion.end as f64 - 1.0) / clip.fps());
    // Fewer frames have no time to choose from; that is reported when the target is built.
    let too_short = motion.len() < 2;
    for push in pushes {
        let push = TimedPush { role: stand_in(clip, push.role, &mut out.chest_of_pushes), ..*push };
        let size = push.impulse_n_s.iter().map(|x| x * x).sum::<f64>().sqrt();
        // Written so that what is not a number fails.
        if !(0.0..=MAX_IMPULSE_N_S).contains(&size) {
            return Err(EventError::Hard { push, size });
        }
        check_role(clip, push.role, false)?;
        let at_s = push.at.seconds(clip.fps()) - offset_s;
        // A thousandth of a second of grace for rounded times; after the last frame nothing is simulated.
        if !(too_short || at_s >= start - 1e-3 && at_s < end) {
            return Err(EventError::Outside { push, start_s: start + offset_s, end_s: end + offset_s });
        }
        let TimedPush { role, impulse_n_s, .. } = push;
        out.events.push(Event::Push(Push { at_s: at_s.max(start), role, impulse_n_s, seconds: 0.0 }));
    }
    Ok(out)
}

/// The chest, or the joint that is used instead in a skeleton without one.
fn stand_in(clip: &Clip, role: Role, instead: &mut Option<Role>) -> Role {
    let there = |role: &Role| clip.skeleton().find(*role).is_some();
    if role != Role::Chest || there(&role) {
        return role;
    }
    let found = [Role::UpperChest, Role::Spine].into_iter().find(there);
    *instead = instead.or(found);
    found.unwrap_or(role)
}

/// Roles that are suggested where one is missing.
const USUAL: [Role; 12] = [
    Role::Hips,
    Role::Spine,
    Role::Chest,
    Role::UpperChest,
    Role::Neck,
    Role::Head,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
];

/// Refuses roles that no joint of the clip has.
fn check_role(clip: &Clip, role: Role, of_load: bool) -> Result<(), EventError> {
    let there = |role: &Role| clip.skeleton().find(*role).is_some();
    if there(&role) {
        return Ok(());
    }
    let known = USUAL.into_iter().filter(there).collect();
    Err(EventError::NoJoint { role, of_load, known })
}

/// Names of the three roles that look most like `word`.
fn nearest(word: &str) -> String {
    // Fingers and eyes would only crowd the list.
    let plain = |role: &&Role| {
        let name = role.name();
        !["Thumb", "Index", "Middle", "Ring", "Little", "Eye"].iter().any(|part| name.contains(part))
    };
    let mut roles: Vec<(usize, &str)> = (Role::ALL.iter().filter(plain))
        .map(|role| (distance(&word.to_lowercase(), &role.name().to_lowercase()), role.name()))
        .collect();
    roles.sort();
    roles.iter().take(3).map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

/// Letters to change, add or drop from one word to the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    // Longer words than any role's are far from all of them whatever follows.
    for (i, x) in a.chars().take(64).enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let same = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = same.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_pushes_are_read_as_the_manual_writes_them() {
        let load: CarriedLoad = "8@chest".parse().unwrap();
        assert_eq!((load.mass_kg, load.role, load.offset_m), (8.0, Role::Chest, None));
        let clip = ugoki_sample::clip("idle").unwrap();
        let placed = |load: &CarriedLoad| load.placed(clip.skeleton(), 1.7).offset_m;
        // As high as the shoulders and half of a chest's thickness behind them.
        let positions = clip.skeleton().rest_positions();
        let y = |role| f64::from(positions[clip.skeleton().find(role).unwrap()].y);
        let [x, up, back] = placed(&load);
        assert!(x == 0.0 && (up - y(Role::LeftUpperArm) + y(Role::Chest)).abs() < 1e-6, "{up}");
        assert!((back + 0.119).abs() < 0.03, "{back}");
        let load: CarriedLoad = "2.5@LeftHand:0,-0.1,.05".parse().unwrap();
        assert_eq!(placed(&load), [0.0, -0.1, 0.05]);
        assert_eq!(placed(&"2@head".parse().unwrap()), [0.0; 3]);
        let push: TimedPush = "1.0,leftUpperArm,0,0,-25".parse().unwrap();
        assert_eq!(
            push,
            TimedPush { at: Time::Seconds(1.0), role: Role::LeftUpperArm, impulse_n_s: [0.0, 0.0, -25.0] }
        );
        assert_eq!("3f,hips,1,2,3".parse::<TimedPush>().unwrap().at, Time::Frames(3));
    }

    #[test]
    fn what_cannot_be_read_is_named_with_what_to_do() {
        let load = |text: &str| text.parse::<CarriedLoad>().unwrap_err().to_string();
        assert_eq!(
            load("8@leftUperArm"),
            "there is no role \"leftUperArm\"; the nearest are leftUpperArm, leftLowerArm, leftUpperLeg"
        );
        for (text, part) in [
            ("8", "KG@ROLE"),
            ("x@chest", "a mass in kg"),
            ("-1@chest", "a mass in kg"),
            ("inf@chest", "a mass in kg"),
            ("8@chest:1,2", "KG@ROLE:X,Y,Z"),
            ("8@chest:1,2,b", "a length in metres"),
            ("8@chest:1e9,0,0", "at most 2"),
        ] {
            assert!(load(text).contains(part), "{text}: {}", load(text));
        }
        let push = |text: &str| text.parse::<TimedPush>().unwrap_err().to_string();
        for (text, part) in [
            ("1.0", "SECONDS,ROLE"),
            ("1,hips,1,2", "SECONDS,ROLE"),
            ("1,hips,1,2,3,4", "SECONDS,ROLE"),
            ("-1,hips,1,2,3", "a time"),
            ("1,hip,1,2,3", "the nearest are hips"),
            ("1,hips,1,nan,3", "an impulse in N·s"),
        ] {
            assert!(push(text).contains(part), "{text}: {}", push(text));
        }
    }
}
