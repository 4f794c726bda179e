//! Loads and pushes in text form: `8@chest`, `5@leftHand:0,-0.1,0`, `1.0,leftUpperArm,0,0,-25`.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use ugoki::dynamics;
use ugoki::skeleton::{Role, Skeleton};

use crate::Time;

/// A mass that is carried from beginning to end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Load {
    /// Mass, kg.
    pub mass_kg: f64,
    /// Role of the joint it is measured from.
    pub role: Role,
    /// Its centre from the joint in the character's rest frame, m; when absent, for chest, upper chest and spine the place on the
    /// shoulder blades ([`dynamics::Load::on_back`]), else the joint itself.
    pub offset_m: Option<[f64; 3]>,
}

/// Where loads without a place lie on the shoulder blades.
const BACK: [Role; 3] = [Role::Chest, Role::UpperChest, Role::Spine];

impl Load {
    /// As the dynamics takes it, on a character `stature_m` tall.
    #[must_use]
    pub fn placed(&self, skeleton: &Skeleton, stature_m: f64) -> dynamics::Load {
        let (role, mass_kg) = (self.role, self.mass_kg);
        match self.offset_m {
            None if BACK.contains(&role) => dynamics::Load::on_back(skeleton, stature_m, mass_kg),
            offset_m => {
                dynamics::Load { role, mass_kg, offset_m: offset_m.unwrap_or_default(), radius_m: 0.0 }
            }
        }
    }
}

/// A blow on a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Push {
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

impl FromStr for Load {
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

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.mass_kg, self.role)?;
        match self.offset_m {
            Some([x, y, z]) => write!(f, ":{x},{y},{z}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Push {
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

impl fmt::Display for Push {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.impulse_n_s;
        write!(f, "{},{},{x},{y},{z}", self.at, self.role)
    }
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
        let load: Load = "8@chest".parse().unwrap();
        assert_eq!((load.mass_kg, load.role, load.offset_m), (8.0, Role::Chest, None));
        let clip = ugoki::sample::clip("idle").unwrap();
        let placed = |load: &Load| load.placed(clip.skeleton(), 1.7).offset_m;
        // As high as the shoulders and half of a chest's thickness behind them.
        let positions = clip.skeleton().rest_positions();
        let y = |role| f64::from(positions[clip.skeleton().find(role).unwrap()].y);
        let [x, up, back] = placed(&load);
        assert!(x == 0.0 && (up - y(Role::LeftUpperArm) + y(Role::Chest)).abs() < 1e-6, "{up}");
        assert!((back + 0.119).abs() < 0.03, "{back}");
        let load: Load = "2.5@LeftHand:0,-0.1,.05".parse().unwrap();
        assert_eq!(placed(&load), [0.0, -0.1, 0.05]);
        assert_eq!(placed(&"2@head".parse().unwrap()), [0.0; 3]);
        let push: Push = "1.0,leftUpperArm,0,0,-25".parse().unwrap();
        assert_eq!(
            push,
            Push { at: Time::Seconds(1.0), role: Role::LeftUpperArm, impulse_n_s: [0.0, 0.0, -25.0] }
        );
        assert_eq!("3f,hips,1,2,3".parse::<Push>().unwrap().at, Time::Frames(3));
    }

    #[test]
    fn what_cannot_be_read_is_named_with_what_to_do() {
        let load = |text: &str| text.parse::<Load>().unwrap_err().to_string();
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
        let push = |text: &str| text.parse::<Push>().unwrap_err().to_string();
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
