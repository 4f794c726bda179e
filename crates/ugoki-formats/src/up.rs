//! Which way is up in a file: Y or Z, by the body in rest and in motion.
//!
//! A body that stands along an axis both ways settles it. Where rest and motion disagree, one of them lies or
//! the rig's rest pose is arbitrary; then the motion is asked whether it stands on a floor along the one axis or
//! lies on a floor along the other, and no reading is taken in which a body that could stand hangs upside down.

use glam::Vec3;
use ugoki_base::clip::UpAxis;
use ugoki_base::skeleton::{Role, Skeleton, leg_length, up_direction};

use crate::{Findings, Severity};

/// Cosine above which a direction is an axis's: 45 degrees would fit two.
const ALONG: f32 = 0.8;

/// Fraction of the sampled frames that must agree: falls, jumps and bows are allowed to be some of them.
const MOST: f32 = 0.75;

/// Height of the hips above the lower ankle in leg lengths while a body stands, walks, or half crouches.
const HIP_HEIGHT: std::ops::RangeInclusive<f32> = 0.6..=1.2;

/// Height of the lower ankle in leg lengths while a foot is on a floor at 0: ankles stand 0.08 of a leg above
/// the sole, rigs with boots or heels twice that, and floors are off by a hand's breadth.
const ANKLE_HEIGHT: std::ops::RangeInclusive<f32> = -0.2..=0.35;

/// Height of the lowest joint in leg lengths while a body lies on a floor at 0: half a trunk's depth at most.
const LYING_LOW: std::ops::RangeInclusive<f32> = -0.12..=0.2;

/// Height of the highest joint in leg lengths while a body lies: a shoulder on its side, a knee drawn up a little.
const LYING_HIGH: f32 = 0.7;

/// Chooses the up axis. `samples` are world positions of all joints in a few frames, in file units and axes.
pub(crate) fn choose(
    given: Option<UpAxis>,
    file: &Skeleton,
    samples: &[Vec<Vec3>],
    findings: &mut Findings,
) -> UpAxis {
    if let Some(up) = given {
        if up == UpAxis::Z {
            findings.note(Severity::Info, None, "up-z", "Z is up, as given", "turned so that Y is up");
        }
        return up;
    }
    let rest = up_direction(file, &file.rest_positions());
    let sum: Vec3 = samples.iter().filter_map(|positions| up_direction(file, positions)).sum();
    let posed = sum.try_normalize().filter(|_| sum.length() > 0.5 * samples.len() as f32);
    let up = decide(file, samples, rest, posed);
    let (rest, posed_axis) = (axis(rest), axis(posed));
    let (name, other) = if up == UpAxis::Y { ("Y", "Z") } else { ("Z", "Y") };
    let agrees = |axis: &str| axis == name || axis == "no axis";
    if up == UpAxis::Z {
        let message = match (rest, posed_axis) {
            ("Z", "Z") => "the body stands along Z, in rest and in motion",
            ("Z", _) => "the body stands along Z in rest",
            _ => "the body stands on a floor along Z in motion",
        };
        findings.note(Severity::Info, None, "up-z", message, "Z is up; turned so that Y is up");
    }
    let (odd_motion, odd_rest) = (!agrees(posed_axis), posed.is_some() && !agrees(rest));
    if odd_motion || odd_rest {
        let severity = if odd_motion { Severity::Warning } else { Severity::Info };
        let message = format!("the body stands along {rest} in rest and along {posed_axis} in motion");
        let assumed = format!("{name} is up; give the up axis if it is {other}");
        findings.note(severity, None, "up-disagrees", message, assumed);
    }
    up
}

fn decide(file: &Skeleton, samples: &[Vec<Vec3>], rest: Option<Vec3>, posed: Option<Vec3>) -> UpAxis {
    let rest_z = rest.is_some_and(|up| up.z > ALONG);
    let Some(posed) = posed else {
        // No frames, or frames that turn every way: the rest pose alone.
        return if rest_z { UpAxis::Z } else { UpAxis::Y };
    };
    let stands = |up: UpAxis| most(samples, |positions| stands(file, positions, up));
    let lies = |up: UpAxis| most(samples, |positions| lies(file, positions, up));
    match (rest_z, axis(Some(posed))) {
        (true, "Z") => UpAxis::Z,
        // Either a body that lies in a file with Z up, or a rig whose rest pose lies.
        (true, "Y") if !stands(UpAxis::Y) && lies(UpAxis::Z) => UpAxis::Z,
        (true, "Y") => UpAxis::Y,
        // Upside down along Z, whichever way along Y.
        (true, "-Z") => UpAxis::Y,
        // Upside down along Y, or lying in both readings: the rest pose decides.
        (true, _) => UpAxis::Z,
        (false, "Z") if stands(UpAxis::Z) && !lies(UpAxis::Y) => UpAxis::Z,
        (false, _) => UpAxis::Y,
    }
}

fn most(samples: &[Vec<Vec3>], test: impl Fn(&[Vec3]) -> bool) -> bool {
    let count = samples.iter().filter(|positions| test(positions)).count();
    count as f32 >= MOST * samples.len() as f32 && count > 0
}

fn height(p: Vec3, up: UpAxis) -> f32 {
    if up == UpAxis::Y { p.y } else { p.z }
}

/// Whether the body stands on a floor at 0: an ankle near it, the hips about a leg above the ankle, the head
/// above the hips.
fn stands(file: &Skeleton, positions: &[Vec3], up: UpAxis) -> bool {
    let at = |role: Role| Some(height(*positions.get(file.find(role)?)?, up));
    let feet = [at(Role::LeftFoot), at(Role::RightFoot)].into_iter().flatten().reduce(f32::min);
    let (Some(leg), Some(foot), Some(hips)) = (leg_length(file), feet, at(Role::Hips)) else { return false };
    let head_above = at(Role::Head).or_else(|| at(Role::Neck)).is_none_or(|head| head > hips);
    leg > 0.0
        && HIP_HEIGHT.contains(&((hips - foot) / leg))
        && ANKLE_HEIGHT.contains(&(foot / leg))
        && head_above
}

/// Whether the whole body lies close to a floor at 0.
fn lies(file: &Skeleton, positions: &[Vec3], up: UpAxis) -> bool {
    let Some(leg) = leg_length(file).filter(|leg| *leg > 0.0) else { return false };
    let heights = positions.iter().map(|p| height(*p, up) / leg);
    let (low, high) =
        heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
    LYING_LOW.contains(&low) && high < LYING_HIGH
}

/// The name of the axis a direction goes along.
fn axis(up: Option<Vec3>) -> &'static str {
    match up {
        Some(up) if up.y > ALONG => "Y",
        Some(up) if up.z > ALONG => "Z",
        Some(up) if up.y < -ALONG => "-Y",
        Some(up) if up.z < -ALONG => "-Z",
        Some(up) if up.x.abs() > ALONG => "X",
        _ => "no axis",
    }
}
