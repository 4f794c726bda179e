//! Which joints of a branch are hip, knee and ankle, or shoulder, elbow and wrist.
//!
//! All choices of three joints along the longest way down the branch are weighed by the proportions of
//! people: both bones nearly of one length, straight, long, and begun at the right distance from the midline.
//! This leaves out twist joints, helper joints along the limb and fingers.

use glam::Vec3;

use super::tree_shape::Shape;

/// What a pair of branches is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LimbKind {
    Leg,
    Arm,
}

/// A limb found in a branch.
#[derive(Clone, Copy)]
pub(super) struct Limb {
    pub(super) upper: usize,
    pub(super) lower: usize,
    /// Foot or hand.
    pub(super) end: usize,
    /// The first joint past the foot.
    pub(super) toes: Option<usize>,
    /// From the end to the last place of the branch.
    pub(super) onward: Vec3,
    /// Length of both bones.
    pub(super) length: f32,
}

/// Longest way down a limb that is looked at; a human's with twist joints and fingers has about 16.
const MOST_JOINTS: usize = 40;

/// What the proportions of people say about a limb, and how much each is worth against the others.
///
/// Means are from stature ratios \[winter2009\] and the rigs in `docs/results/roles.md`; the weights make an
/// error of one bone's tenth cost about 0.1 each, and were not tuned further.
struct Proportions {
    /// Natural logarithm of upper over lower bone.
    log_ratio: f32,
    /// Distance of the upper joint from the midline over the upper bone.
    aside: f32,
    /// Worth of one e-fold of difference in `aside`.
    aside_weight: f32,
}

const LEG: Proportions = Proportions { log_ratio: 0.0, aside: 0.22, aside_weight: 0.1 };
const ARM: Proportions = Proportions { log_ratio: 0.15, aside: 0.6, aside_weight: 0.4 };
/// Worth of covering the whole branch.
const COVER_WEIGHT: f32 = 0.5;
/// Cost of a bone that is a crooked way, per fraction of length lost.
const CROOKED_WEIGHT: f32 = 4.0;
/// Worth of fingers that part at the hand: as much as covering the whole arm, for nothing else in it forks.
const FINGERS_WORTH: f32 = 0.5;
/// A side branch counts as a finger when it is this fraction of the longest one.
const FINGER_FRACTION: f32 = 0.25;

/// A hand is shorter than its forearm; what forks nearer to the end than this fraction of it is a hand.
/// People's hands have 0.74 of the forearm's length \[winter2009\].
const HAND_FRACTION: f32 = 0.8;

/// Reads the limbs of two like branches; both sides are read alike where they have as many joints.
pub(super) fn choose_limbs(
    shape: &Shape<'_>,
    fork: usize,
    starts: [usize; 2],
    kind: LimbKind,
) -> Option<[Limb; 2]> {
    let ways = [way_down(shape, starts[0])?, way_down(shape, starts[1])?];
    let lateral = lateral(shape, &ways)?;
    let choices = |way: &[usize]| weigh(shape, fork, way, lateral, kind);
    let (first, second) = (choices(&ways[0]), choices(&ways[1]));
    let pick = |weighed: &[([usize; 3], f32)]| {
        weighed.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(choice, _)| *choice)
    };
    let chosen = if ways[0].len() == ways[1].len() {
        // Same numbers of joints give the same choices in the same order, unless one side is degenerate.
        let both: Vec<([usize; 3], f32)> = first
            .iter()
            .filter_map(|(choice, worth)| {
                let other = second.iter().find(|(c, _)| c == choice)?;
                Some((*choice, worth + other.1))
            })
            .collect();
        let choice = pick(&both)?;
        [choice, choice]
    } else {
        [pick(&first)?, pick(&second)?]
    };
    let limb = |side: usize| {
        let way = &ways[side];
        let [upper, lower, end] = chosen[side].map(|i| way[i]);
        let places = shape.places;
        let length = places[upper].distance(places[lower]) + places[lower].distance(places[end]);
        // Helpers on the spot of the foot are not its toes.
        let toes = way[chosen[side][2] + 1..]
            .iter()
            .copied()
            .find(|&joint| places[joint].distance(places[end]) > 0.02 * length);
        let last = way[way.len() - 1];
        Limb { upper, lower, end, toes, onward: places[last] + shape.tip_ways[last] - places[end], length }
    };
    Some([limb(0), limb(1)])
}

/// The joints on the longest way down from `start`.
fn way_down(shape: &Shape<'_>, start: usize) -> Option<Vec<usize>> {
    let mut way = vec![start];
    let mut at = start;
    while let Some(&next) = shape
        .children(at)
        .iter()
        .max_by(|a, b| shape.reach_through(at, **a).total_cmp(&shape.reach_through(at, **b)).then(b.cmp(a)))
    {
        at = next;
        way.push(at);
        if way.len() > MOST_JOINTS {
            return None;
        }
    }
    Some(way)
}

/// Unit direction from the second branch to the first: in a symmetric pose every pair of joints shows it.
fn lateral(shape: &Shape<'_>, ways: &[Vec<usize>; 2]) -> Option<Vec3> {
    let sum: Vec3 = ways[0].iter().zip(&ways[1]).map(|(&a, &b)| shape.places[a] - shape.places[b]).sum();
    sum.try_normalize()
}

/// Every choice of three joints of `way` (places in it) with what it is worth.
fn weigh(
    shape: &Shape<'_>,
    fork: usize,
    way: &[usize],
    lateral: Vec3,
    kind: LimbKind,
) -> Vec<([usize; 3], f32)> {
    let people = match kind {
        LimbKind::Leg => LEG,
        LimbKind::Arm => ARM,
    };
    let place = |i: usize| shape.places[way[i]];
    // along[i]: way from the fork to way[i].
    let mut along = vec![shape.places[fork].distance(place(0))];
    for i in 1..way.len() {
        along.push(along[i - 1] + place(i - 1).distance(place(i)));
    }
    let whole = along[way.len() - 1] + shape.tips[way[way.len() - 1]];
    let mut weighed = Vec::new();
    for u in 0..way.len() {
        for l in u + 1..way.len() {
            let (upper, upper_way) = (place(u).distance(place(l)), along[l] - along[u]);
            if upper < 0.05 * whole {
                continue;
            }
            for e in l + 1..way.len() {
                let (lower, lower_way) = (place(l).distance(place(e)), along[e] - along[l]);
                if lower < 0.05 * whole {
                    continue;
                }
                let aside = ((place(u) - shape.places[fork]).dot(lateral).abs() / upper).max(0.01);
                let crooked = (1.0 - upper / upper_way) + (1.0 - lower / lower_way);
                let fingers = kind == LimbKind::Arm && parts_into_fingers(shape, way[e], lower);
                let worth = COVER_WEIGHT * (upper + lower) / whole
                    - ((upper / lower).ln() - people.log_ratio).abs()
                    - people.aside_weight * (aside / people.aside).ln().abs()
                    - CROOKED_WEIGHT * crooked
                    + if fingers { FINGERS_WORTH } else { 0.0 }
                    // Of joints on one spot the end is the first and the beginning the last.
                    - 1e-4 * e as f32
                    - 1e-4 * l as f32
                    + 1e-4 * u as f32;
                weighed.push(([u, l, e], worth));
            }
        }
    }
    weighed
}

/// Whether fingers part at `joint`, the end of a lower bone of length `lower`.
fn parts_into_fingers(shape: &Shape<'_>, joint: usize, lower: f32) -> bool {
    let mut reaches: Vec<f32> =
        shape.children(joint).iter().map(|&c| shape.reach_through(joint, c)).collect();
    reaches.sort_by(|a, b| b.total_cmp(a));
    let [longest, second, ..] = reaches[..] else { return false };
    // Near the end of the arm any fork is a hand's, even where the rig gives a thumb no length.
    second >= FINGER_FRACTION * longest && second > 0.0 || longest < HAND_FRACTION * lower
}
