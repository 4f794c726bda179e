//! The axis about which a knee or an elbow bends, and joint centres inside the skin.

use glam::{DQuat, DVec3};

use super::frame::{Path, across};

/// Weight of the usual axis against the seen one, whose weight is the square of the bend's sine: a bend of 8
/// degrees counts as much.
const PRIOR: f64 = 0.02;

/// A wand or cluster marker nearer to the limb's line than this, metres, does not tell how the limb is turned.
const MIN_WAND_M: f64 = 0.02;

/// Half the window, seconds, over which axes of nearly straight limbs are taken from their neighbours.
const WINDOW_S: f64 = 0.15;

/// Directions over time.
pub(super) type Directions = Vec<Option<DVec3>>;

/// Unit axis of a hinge in every frame: upper bone crossed with lower bone where the limb is bent; otherwise
/// `usual`, a direction near it that need not be at right angles to the limb (its length is its trust, at most 1).
///
/// With a `wand` on the upper bone the axis sits fixed on that bone and is found over all frames; without, it is
/// found frame by frame.
pub(super) fn axis(
    [top, mid, end]: [&Path; 3],
    usual: &Directions,
    wand: Option<&Path>,
    fps: f64,
) -> Directions {
    let bone = |f: usize| (mid[f]? - top[f]?).try_normalize();
    // Not unit: their lengths are their weights.
    let votes: Vec<Option<DVec3>> = (0..top.len())
        .map(|f| {
            let u = bone(f)?;
            let bend = match end[f] {
                Some(end) => u.cross((end - mid[f]?).try_normalize()?),
                None => DVec3::ZERO,
            };
            let prior = usual[f].map_or(DVec3::ZERO, |usual| usual - u * usual.dot(u));
            Some(bend * bend.length() + prior * PRIOR)
        })
        .collect();
    let fixed = wand.and_then(|wand| on_bone(&votes, &bone, top, mid, wand));
    let loose = smooth(&votes, &bone, fps);
    match fixed {
        None => loose,
        Some(fixed) => fixed.iter().zip(&loose).map(|(fixed, loose)| fixed.or(*loose)).collect(),
    }
}

/// The axis as a direction fixed on the upper bone, whose turning the wand shows.
fn on_bone(
    votes: &Directions,
    bone: &dyn Fn(usize) -> Option<DVec3>,
    top: &Path,
    mid: &Path,
    wand: &Path,
) -> Option<Directions> {
    let side = |f: usize| {
        let u = bone(f)?;
        let from = wand[f]? - top[f]?;
        let out = from - u * from.dot(u);
        let along = from.dot(u) / (mid[f]? - top[f]?).length();
        // Beyond the ends of the bone it would be on another.
        (out.length() > MIN_WAND_M && (0.0..=1.1).contains(&along)).then(|| out.normalize())
    };
    let (mut c, mut s) = (0.0, 0.0);
    for (f, vote) in votes.iter().enumerate() {
        if let (Some(vote), Some(out), Some(u)) = (vote, side(f), bone(f)) {
            c += vote.dot(out);
            s += vote.dot(u.cross(out));
        }
    }
    let length = c.hypot(s);
    if length < 1e-9 {
        return None;
    }
    let (c, s) = (c / length, s / length);
    Some((0..votes.len()).map(|f| Some(side(f)? * c + bone(f)?.cross(side(f)?) * s)).collect())
}

/// Votes of the frames around, carried along with the bone.
fn smooth(votes: &Directions, bone: &dyn Fn(usize) -> Option<DVec3>, fps: f64) -> Directions {
    let reach = ((WINDOW_S * fps).round() as usize).min(120);
    let bones: Directions = (0..votes.len()).map(bone).collect();
    (0..votes.len())
        .map(|f| {
            let u = bones[f]?;
            let mut sum = DVec3::ZERO;
            for k in f.saturating_sub(reach)..(f + reach + 1).min(votes.len()) {
                if let (Some(vote), Some(other)) = (votes[k], bones[k]) {
                    let fade = 1.0 - (k as f64 - f as f64).abs() / (reach + 1) as f64;
                    // Opposite bones have no shortest way between them and no say.
                    if other.dot(u) > -0.9 {
                        sum += DQuat::from_rotation_arc(other, u) * vote * fade;
                    }
                }
            }
            across(sum, u).filter(|_| sum.length() > 1e-9)
        })
        .collect()
}

/// From a marker on the skin inwards: against `outward`, made square to the bone that ends there.
pub(super) fn inside(skin: &Path, outward: &Directions, from: &Path, depth: f64) -> Path {
    (0..skin.len())
        .map(|f| {
            let (skin, outward) = (skin[f]?, outward[f]?);
            // The bone's direction is hardly changed by the depth: two rounds find the centre.
            let mut centre = skin - outward * depth;
            for _ in 0..2 {
                let bone = (centre - from[f]?).try_normalize()?;
                centre = skin - across(outward, bone)? * depth;
            }
            Some(centre)
        })
        .collect()
}
