//! How different two performances look: mean distance of their joints, with hips and heading removed.
//!
//! Lists of clips say little about it: other pieces of one clip, or two clips at rest, are other names for the same sight.

use glam::Vec3;
use serde::Serialize;
use ugoki_base::math::{median, swing_twist};
use ugoki_base::skeleton::Role;

use super::{Candidate, Rendered};

/// Looks per second: half a gesture's beat lies between two.
const LOOKS_HZ: f64 = 5.0;

/// Median of the mean joint distances between candidates below which they count as alike, metres: a hand's breadth and a
/// half.
pub const APART_M: f64 = 0.15;

/// Where joints are in the gaps between key motions, seen from the hips, look after look.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Looks {
    places: Vec<Vec3>,
}

/// How far candidates are apart: means over joints and time, metres.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Apart {
    /// Of the pair in the middle.
    pub median_m: f64,
    /// Of the nearest pair.
    pub min_m: f64,
}

impl Looks {
    /// Looks at a rendered candidate wherever some layer shows no key motion.
    pub(super) fn new(candidate: &Candidate, motion: &Rendered) -> Self {
        let clip = &motion.clip;
        let hips = clip.skeleton().find(Role::Hips).unwrap_or(0);
        let is_key = |at_s: f64| {
            candidate.layers.iter().all(|layer| {
                let mut items = layer.items.iter().filter(|item| item.key.is_some());
                items.any(|item| item.start_s <= at_s && at_s < item.end_s)
            })
        };
        let count = (clip.seconds() * LOOKS_HZ) as usize;
        let times = (0..count).map(|look| look as f64 / LOOKS_HZ).filter(|&at_s| !is_key(at_s));
        let mut places = Vec::new();
        for at_s in times {
            let frame = ((at_s * clip.fps()) as usize).min(clip.num_frames().saturating_sub(1));
            let pose = clip.model_pose(frame);
            let back = swing_twist(pose.rotations[hips].conjugate(), Vec3::Y).1;
            let from_hips = |&place: &Vec3| back * (place - pose.positions[hips]);
            places.extend(pose.positions.iter().map(from_hips));
        }
        Self { places }
    }

    /// Mean distance of joints at the same times, metres.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        let both = self.places.iter().zip(&other.places);
        let sum: f64 = both.map(|(a, b)| f64::from(a.distance(*b))).sum();
        sum / self.places.len().min(other.places.len()).max(1) as f64
    }
}

/// How far all pairs are apart; `None` of fewer than two.
pub(super) fn apart(looks: &[&Looks]) -> Option<Apart> {
    let mut all = Vec::new();
    for (i, a) in looks.iter().enumerate() {
        all.extend(looks[..i].iter().map(|b| a.distance(b)));
    }
    let min_m = all.iter().copied().reduce(f64::min)?;
    Some(Apart { median_m: median(&all)?, min_m })
}

/// Which of these to offer: from the first on, each time the one that is farthest from all chosen, until there are `most`.
/// Then the later one of the nearest pair is left out until the median pair is [`APART_M`] apart. Places in order.
pub(super) fn choose(looks: &[&Looks], most: usize) -> Vec<usize> {
    let n = looks.len();
    let mut chosen: Vec<usize> = (0..n.min(1)).collect();
    let mut nearest: Vec<f64> = looks.iter().map(|own| own.distance(looks[0])).collect();
    while chosen.len() < most.min(n) {
        let open = (0..n).filter(|i| !chosen.contains(i));
        let Some(next) = open.max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]).then(b.cmp(&a))) else {
            break;
        };
        chosen.push(next);
        for (near, own) in nearest.iter_mut().zip(looks) {
            *near = near.min(own.distance(looks[next]));
        }
    }
    // The order of choice is that of how much each adds.
    let far = |chosen: &[usize]| {
        let picked: Vec<&Looks> = chosen.iter().map(|&i| looks[i]).collect();
        apart(&picked).is_none_or(|apart| apart.median_m >= APART_M)
    };
    while chosen.len() > 2 && !far(&chosen) {
        chosen.pop();
    }
    chosen.sort_unstable();
    chosen
}
