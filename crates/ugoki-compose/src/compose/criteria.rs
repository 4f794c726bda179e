//! Criteria of the user's own: closures that look at a draft and give a number, less is better.

use crate::network::{Claim, Layers, Node, Origin, RotationPart};
use ugoki_base::skeleton::Role;

/// One layer of a draft.
#[derive(Debug, Clone, Copy)]
pub struct DraftLayer<'a> {
    /// The nodes in order.
    pub nodes: &'a [u32],
    /// When each starts, seconds from the interval's start, before tempo changes.
    pub starts_s: &'a [f32],
    /// Which are key motions.
    pub keys: &'a [bool],
}

/// A chromosome as criteria see it.
#[derive(Debug, Clone, Copy)]
pub struct Draft<'a> {
    /// What the numbers of nodes mean.
    pub library: &'a [Node],
    /// One per layer, in the order of the layers.
    pub layers: &'a [DraftLayer<'a>],
    /// Place of the stepping layer, which brings the way over the ground.
    pub stepping: usize,
}

/// Something else that matters, with its weight in F.
pub struct Criterion<'a> {
    /// As shown with the candidates: `repetition`.
    pub name: String,
    /// Factor in F.
    pub weight: f64,
    /// The measure: finite, less is better.
    pub measure: Box<dyn Fn(&Draft<'_>) -> f64 + Send + Sync + 'a>,
    /// Where the measure is a mean over nodes, what one of them counts: the search is guided by it.
    pub of_node: Option<NodeMeasure<'a>>,
}

/// What a node counts on a layer between key motions.
pub type NodeMeasure<'a> = Box<dyn Fn(&FreeNode<'_>) -> f64 + Send + Sync + 'a>;

/// A node that may stand between key motions.
#[derive(Debug, Clone, Copy)]
pub struct FreeNode<'a> {
    /// What the numbers of nodes mean.
    pub library: &'a [Node],
    /// The node.
    pub node: u32,
    /// The layer.
    pub layer: usize,
    /// Key motions of the interval on this layer; of a tag, one of its nodes.
    pub keys: &'a [u32],
}

impl std::fmt::Debug for Criterion<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Criterion")
            .field("name", &self.name)
            .field("weight", &self.weight)
            .finish_non_exhaustive()
    }
}

/// Weight of a tag or a direction in F: as much as the roughness of an ordinary walk.
const PREFERENCE: f64 = 1.0;
/// Weight of climbing in F, per metre: a stair of 17 cm counts as much as the worst of ordinary walks.
const LEVEL: f64 = 20.0;

/// What a user prefers; the default counts repetitions and climbing.
#[derive(Debug, Clone, PartialEq)]
pub struct Preferences {
    /// Tags that clips should have.
    pub want: Vec<String>,
    /// Tags that clips should not have.
    pub avoid: Vec<String>,
    /// Weight of repetitions in F; 0 allows them.
    pub repetition: f64,
    /// Whether clips may climb.
    pub climb: bool,
    /// How much the energy of what fills a gap must be that of its key motions; 0 lets it be any.
    pub energy: f64,
    /// How much it counts that layers show the same clip at the same time; 0 allows it.
    pub same_clip: f64,
    /// Where to travel, radians to the left of where the motion starts facing.
    pub direction_rad: Option<f64>,
}

impl Preferences {
    /// Weight of repetitions in F unless another is given. A clip after one other counts ½ of some fifteen. At 2 every fifteenth clip of the
    /// sample's singer was one of the two before it, at 6 one of 120, for transitions of 0.0006 instead of 0.0002 rad²: docs/results/compose.md.
    pub const REPETITION: f64 = 6.0;

    /// Weight of energy in F: a gap half or twice as fast as its keys counts 0.7 times as much as the roughness of an
    /// ordinary walk.
    pub const ENERGY: f64 = 1.0;

    /// Weight of the time for which layers show the same clip: as much as the worst of ordinary walks.
    pub const SAME_CLIP: f64 = 2.0;

    /// The criteria of a search over clips that come from `origins` on these layers.
    #[must_use]
    pub fn criteria<'a>(&self, origins: &'a [Origin], layers: &Layers) -> Vec<Criterion<'a>> {
        let wanted = self.want.iter().map(|tag| tag_preference(tag, true, PREFERENCE));
        let avoided = self.avoid.iter().map(|tag| tag_preference(tag, false, PREFERENCE));
        let mut criteria: Vec<Criterion<'a>> = wanted.chain(avoided).collect();
        if self.repetition > 0.0 {
            criteria.push(repetition_of(self.repetition, origins));
        }
        if !self.climb {
            criteria.push(level_ground(LEVEL));
        }
        if self.energy > 0.0 {
            criteria.push(energy_of_keys(self.energy, layers));
        }
        if self.same_clip > 0.0 && layers.layers().len() > 1 {
            criteria.push(same_clip(self.same_clip, origins));
        }
        criteria.extend(self.direction_rad.map(|heading_rad| travel_direction(heading_rad, PREFERENCE)));
        criteria
    }
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            want: Vec::new(),
            avoid: Vec::new(),
            repetition: Self::REPETITION,
            climb: false,
            energy: Self::ENERGY,
            same_clip: Self::SAME_CLIP,
            direction_rad: None,
        }
    }
}

/// Fraction of nodes, over all layers, that have the tag where it is to be avoided, or lack it where it is wanted.
#[must_use]
pub fn tag_preference(tag: &str, wanted: bool, weight: f64) -> Criterion<'static> {
    let tag = tag.to_owned();
    let name = format!("{}:{tag}", if wanted { "want" } else { "avoid" });
    let measure = move |draft: &Draft<'_>| {
        let nodes = draft.layers.iter().flat_map(|layer| layer.nodes);
        let (mut count, mut against) = (0_u32, 0_u32);
        for &node in nodes {
            count += 1;
            against += u32::from(draft.library[node as usize].tags.contains(&tag) != wanted);
        }
        f64::from(against) / f64::from(count.max(1))
    };
    let tag = name.split_once(':').map_or(String::new(), |(_, tag)| tag.to_owned());
    let of_node = move |free: &FreeNode<'_>| {
        f64::from(u8::from(free.library[free.node as usize].tags.contains(&tag) != wanted))
    };
    Criterion { name, weight, measure: Box::new(measure), of_node: Some(Box::new(of_node)) }
}

/// How much walks repeat themselves: the fraction of genes whose node was there before, each counted by ½ + ½/(genes
/// since then), so that a node straight after itself counts 1 and one that comes back after a long while a half.
/// (Without the half, clips that take turns were cheap: a walk of 85 genes showed one clip fourteen times.)
#[must_use]
pub fn repetition(weight: f64) -> Criterion<'static> {
    repeating(weight, |a, b| a == b)
}

/// [`repetition`] by what nodes show: a movement out of a clip repeats the whole clip, though they are two nodes. Two
/// nodes are the same where more than half of the shorter one's frames are the other's too.
#[must_use]
pub fn repetition_of(weight: f64, origins: &[Origin]) -> Criterion<'_> {
    repeating(weight, move |a, b| {
        let (Some(a), Some(b)) = (origins.get(a as usize), origins.get(b as usize)) else { return a == b };
        let shared = a.frames.end.min(b.frames.end).saturating_sub(a.frames.start.max(b.frames.start));
        a.clip == b.clip && 2 * shared > a.frames.len().min(b.frames.len())
    })
}

fn repeating<'a>(weight: f64, same: impl Fn(u32, u32) -> bool + Send + Sync + 'a) -> Criterion<'a> {
    let measure = move |draft: &Draft<'_>| {
        let (mut sum, mut count) = (0.0, 0_u32);
        for layer in draft.layers {
            for (i, &node) in layer.nodes.iter().enumerate() {
                count += 1;
                if let Some(back) = layer.nodes[..i].iter().rev().position(|&before| same(before, node)) {
                    sum += 0.5 + 0.5 / (back + 1) as f64;
                }
            }
        }
        sum / f64::from(count.max(1))
    };
    Criterion { name: "repetition".to_owned(), weight, measure: Box::new(measure), of_node: None }
}

/// How far the stepping layer's travel strays from a direction: half of one minus the cosine between both, 0 to 1.
/// `heading_rad` is measured from where the first clip faces, to the left. Without travel it is half.
#[must_use]
pub fn travel_direction(heading_rad: f64, weight: f64) -> Criterion<'static> {
    let measure = move |draft: &Draft<'_>| {
        let Some(steps) = draft.layers.get(draft.stepping) else { return 0.0 };
        // Left and ahead, seen from the first clip's heading; turning to the left turns ahead towards left.
        let (mut x, mut z, mut turn) = (0.0_f64, 0.0_f64, 0.0_f64);
        for &node in steps.nodes {
            let node = &draft.library[node as usize];
            let [left, ahead] = node.travel.map(f64::from);
            x += left * turn.cos() + ahead * turn.sin();
            z += ahead * turn.cos() - left * turn.sin();
            turn += f64::from(node.turn_rad);
        }
        let length = x.hypot(z);
        if length < 1e-6 {
            return 0.5;
        }
        0.5 * (1.0 - (x * heading_rad.sin() + z * heading_rad.cos()) / length)
    };
    Criterion { name: "direction".to_owned(), weight, measure: Box::new(measure), of_node: None }
}

/// Climbing up to this is none, metres: a heel that is lifted, a foot cut in its swing.
const LEVEL_M: f32 = 0.06;

/// How far the stepping layer gets above or below where it starts, at most and on its way too, metres: on level ground
/// there are no stairs, not even such as lead up and down again.
#[must_use]
pub fn level_ground(weight: f64) -> Criterion<'static> {
    let measure = move |draft: &Draft<'_>| {
        let Some(steps) = draft.layers.get(draft.stepping) else { return 0.0 };
        let (mut height, mut most) = (0.0_f32, 0.0_f32);
        for &node in steps.nodes {
            let climb = draft.library[node as usize].climb;
            most = most.max(height + climb.high_m).max(-height - climb.low_m);
            height += climb.end_m;
        }
        f64::from((most - LEVEL_M).max(0.0))
    };
    Criterion { name: "climb".to_owned(), weight, measure: Box::new(measure), of_node: None }
}

/// Speeds below this are rest, m/s: what a standing body sways.
const REST_M_S: f64 = 0.05;

/// How far the energy of nodes between key motions is from that of the key motions next to them: the mean over nodes and
/// layers of |ln v/v₀|, with v the mean speed of the limbs' ends that the layer owns, and v₀ that of the key motions. Where
/// a layer has no key motion any energy will do.
#[must_use]
pub fn energy_of_keys(weight: f64, layers: &Layers) -> Criterion<'static> {
    let owns = |layer: usize, role: Role| layers.owner(Claim { role, part: RotationPart::Whole }) == layer;
    let limbs: Vec<[f64; 2]> = (0..layers.layers().len())
        .map(|layer| [Role::LeftHand, Role::LeftFoot].map(|role| f64::from(u8::from(owns(layer, role)))))
        .collect();
    let speed = move |node: &Node, layer: usize| -> Option<f64> {
        let limbs = limbs[layer];
        let owned = limbs[0] + limbs[1];
        let sum = limbs[0] * f64::from(node.speeds_m_s[0]) + limbs[1] * f64::from(node.speeds_m_s[1]);
        (owned > 0.0).then(|| sum / owned + REST_M_S)
    };
    let mean =
        |speeds: Vec<f64>| (!speeds.is_empty()).then(|| speeds.iter().sum::<f64>() / speeds.len() as f64);
    let target_of = {
        let speed = speed.clone();
        move |library: &[Node], keys: &mut dyn Iterator<Item = u32>, layer: usize| {
            mean(keys.filter_map(|key| speed(&library[key as usize], layer)).collect())
        }
    };
    let (node_speed, node_target) = (speed.clone(), target_of.clone());
    let of_node = move |free: &FreeNode<'_>| {
        let target = node_target(free.library, &mut free.keys.iter().copied(), free.layer);
        let own = node_speed(&free.library[free.node as usize], free.layer);
        target.zip(own).map_or(0.0, |(target, own)| (own / target).ln().abs())
    };
    let measure = move |draft: &Draft<'_>| {
        let (mut sum, mut count) = (0.0, 0_u32);
        for (number, layer) in draft.layers.iter().enumerate() {
            let all = || layer.nodes.iter().copied().zip(layer.keys.iter().copied());
            let mut keys = all().filter(|&(_, key)| key).map(|(node, _)| node);
            let Some(target) = target_of(draft.library, &mut keys, number) else { continue };
            for (node, _) in all().filter(|&(_, key)| !key) {
                if let Some(own) = speed(&draft.library[node as usize], number) {
                    sum += (own / target).ln().abs();
                    count += 1;
                }
            }
        }
        sum / f64::from(count.max(1))
    };
    Criterion {
        name: "energy".to_owned(),
        weight,
        measure: Box::new(measure),
        of_node: Some(Box::new(of_node)),
    }
}

/// Fraction of the time between key motions for which two layers show the same clip, mean over the layers after the first.
#[must_use]
pub fn same_clip(weight: f64, origins: &[Origin]) -> Criterion<'_> {
    let measure = move |draft: &Draft<'_>| {
        let Some((first, others)) = draft.layers.split_first() else { return 0.0 };
        let clip = |node: u32| origins.get(node as usize).map_or(node as usize, |origin| origin.clip);
        let end = |layer: &DraftLayer<'_>, i: usize| -> f32 {
            let own = || layer.starts_s[i] + draft.library[layer.nodes[i] as usize].seconds as f32;
            layer.starts_s.get(i + 1).copied().unwrap_or_else(own)
        };
        let (mut same, mut all) = (0.0_f32, 0.0_f32);
        for other in others {
            let mut j = 0;
            for i in (0..first.nodes.len()).filter(|&i| !first.keys[i]) {
                let (from, to) = (first.starts_s[i], end(first, i));
                while j + 1 < other.nodes.len() && end(other, j) <= from {
                    j += 1;
                }
                let mut k = j;
                while k < other.nodes.len() && other.starts_s[k] < to {
                    let both = to.min(end(other, k)) - from.max(other.starts_s[k]);
                    if both > 0.0 && !other.keys[k] {
                        all += both;
                        same += if clip(first.nodes[i]) == clip(other.nodes[k]) { both } else { 0.0 };
                    }
                    k += 1;
                }
            }
        }
        if all > 0.0 { f64::from(same / all) } else { 0.0 }
    };
    Criterion { name: "same-clip".to_owned(), weight, measure: Box::new(measure), of_node: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Climb, Pace, Torso};

    #[test]
    fn stairs_up_and_down_again_are_as_far_from_level_as_stairs_up() {
        let node = |end_m, low_m, high_m| Node {
            name: String::new(),
            tags: Vec::new(),
            whole: true,
            seconds: 1.0,
            pace: Pace::default(),
            torso: Torso::default(),
            travel: [0.0; 2],
            turn_rad: 0.0,
            speeds_m_s: [0.0; 2],
            climb: Climb { end_m, low_m, high_m },
        };
        // Level; up; down; up and down again; down and up again.
        let library = [
            node(0.0, -0.02, 0.02),
            node(0.5, 0.0, 0.5),
            node(-0.5, -0.5, 0.0),
            node(0.0, 0.0, 0.5),
            node(0.0, -0.5, 0.0),
        ];
        let climb = |nodes: &[u32]| {
            let layers = [DraftLayer { nodes, starts_s: &[], keys: &[] }];
            (level_ground(1.0).measure)(&Draft { library: &library, layers: &layers, stepping: 0 })
        };
        assert_eq!(climb(&[0, 0, 0, 0]), 0.0);
        let up = climb(&[0, 1]);
        assert!(up > 0.4);
        for walk in [&[1, 2][..], &[3], &[0, 3, 0], &[4, 0], &[2, 1], &[2, 3]] {
            assert!((climb(walk) - up).abs() < 1e-6, "{walk:?}: {}", climb(walk));
        }
        assert!((climb(&[1, 3]) - up - 0.5).abs() < 1e-6);
    }
}
