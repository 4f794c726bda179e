//! An index over starts that rules out whole blocks of far nodes.
//!
//! A start or an end is written as one long vector: per channel √(w/2)·R, with R the nine numbers of the rotation's
//! matrix, and the weighted velocity. As |R − S|²/2 = 4·sin²(θ/2) ≤ θ², the squared distance of two such vectors is at
//! most the cost, and so is that of their projections on any few orthonormal directions. A k-d tree over the eight
//! directions of greatest variance, and a look at 24 of them in each of its leaves, therefore drop only what is at or
//! above the threshold: edges are those of brute force, bit by bit. Where only the cheapest edges are kept, the near
//! side of each fork is gone through first, and the dearest of those found so far is the threshold for the rest.

use std::collections::BinaryHeap;

use glam::{Mat3, Quat};
use ugoki_base::math::Random;

use super::cost::{all_at_least, block_costs};
use super::features::{Features, LANES, NUMBERS};
use super::graph::Found;

/// Directions of the tree. More rule out more, but cost more to test; eight are one row of lanes.
const DIRECTIONS: usize = 8;

/// Directions, those of the tree among them, in which the nodes of a leaf are looked at before their costs.
const FINE: usize = 24;

/// Nodes from which the directions are learned.
const SAMPLE: usize = 2048;

/// Rounds of subspace iteration: the split need not be exact, only good.
const ROUNDS: usize = 6;

/// Numbers per channel of the long vector: a rotation matrix and an angular velocity.
const EMBEDDED: usize = 12;

/// Rounding of a squared angle by the polynomial over f32 dot products near 1, rad².
const ANGLE_SLACK: f32 = 2e-6;

#[derive(Debug)]
pub(super) struct Index {
    /// Nodes in the order of the leaves.
    order: Vec<u32>,
    /// Starts in that order, eight at a time.
    blocks: Vec<[f32; LANES]>,
    /// Where they lie in each direction, leaf by leaf.
    places: Vec<[[f32; LANES]; FINE]>,
    tree: Vec<Branch>,
    frame: Frame,
    /// What a cost may be lower than it truly is, by rounding.
    slack: f32,
}

#[derive(Debug)]
struct Branch {
    low: [f32; DIRECTIONS],
    high: [f32; DIRECTIONS],
    /// Children, or the block of a leaf.
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Leaf(u32),
    Fork(u32, u32),
}

/// Weights and directions that turn features into a few numbers.
#[derive(Debug)]
struct Frame {
    scale: Vec<f32>,
    directions: Vec<Vec<f32>>,
}

impl Index {
    pub(super) fn build(features: &Features) -> Self {
        let frame = Frame::learn(features);
        let places: Vec<[f32; FINE]> =
            (0..features.num_nodes).map(|node| frame.place(&frame.embed_start(features, node))).collect();
        let mut order: Vec<u32> = (0..features.num_nodes as u32).collect();
        let mut tree = Vec::new();
        let mut leaves = Vec::new();
        branch(&places, &mut order, 0, &mut tree, &mut leaves);
        let stride = features.stride();
        let mut blocks = vec![[0.0; LANES]; leaves.len() * stride];
        let mut slots = Vec::with_capacity(leaves.len() * LANES);
        let mut leaf_places = vec![[[0.0; LANES]; FINE]; leaves.len()];
        for (leaf, &(from, to)) in leaves.iter().enumerate() {
            for lane in 0..LANES {
                // Short leaves repeat their last node, marked as empty.
                let node = order[(from + lane).min(to - 1)];
                slots.push(if from + lane < to { node } else { u32::MAX });
                for (number, v) in features.start(node as usize, 0).enumerate() {
                    blocks[leaf * stride + number][lane] = v;
                }
                for (along, v) in leaf_places[leaf].iter_mut().zip(places[node as usize]) {
                    along[lane] = v;
                }
            }
        }
        Self {
            order: slots,
            blocks,
            places: leaf_places,
            tree,
            frame,
            slack: ANGLE_SLACK * features.pose_weights.iter().sum::<f32>(),
        }
    }

    /// All nodes, neighbours near each other.
    pub(super) fn order(&self) -> Vec<u32> {
        self.order.iter().copied().filter(|&node| node != u32::MAX).collect()
    }

    /// Edges of each of `nodes`, by target: all below `limit`, or the cheapest of them.
    pub(super) fn rows(
        &self,
        features: &Features,
        nodes: &[u32],
        limit: f32,
        most: Option<u32>,
    ) -> Vec<Vec<Found>> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code, reason = "the processor has just been asked for AVX2")]
            // SAFETY: the feature was detected.
            return unsafe { self.rows_avx2(features, nodes, limit, most) };
        }
        self.rows_plain(features, nodes, limit, most)
    }

    /// The same source for twice as wide registers; nothing is fused or reordered, so the bits are the same.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn rows_avx2(
        &self,
        features: &Features,
        nodes: &[u32],
        limit: f32,
        most: Option<u32>,
    ) -> Vec<Vec<Found>> {
        self.rows_plain(features, nodes, limit, most)
    }

    #[inline(always)]
    fn rows_plain(
        &self,
        features: &Features,
        nodes: &[u32],
        limit: f32,
        most: Option<u32>,
    ) -> Vec<Vec<Found>> {
        nodes.iter().map(|&m| self.row(features, m as usize, limit, most)).collect()
    }

    #[inline(always)]
    fn row(&self, features: &Features, m: usize, limit: f32, most: Option<u32>) -> Vec<Found> {
        let end = features.end(m, 0);
        let place = self.frame.place(&self.frame.embed(end));
        let stride = features.stride();
        let mut kept =
            Cheapest { limit, most: most.map_or(usize::MAX, |most| most as usize), heap: BinaryHeap::new() };
        let mut open = vec![(0.0, 0)];
        while let Some((distance, at)) = open.pop() {
            if distance >= self.beyond(kept.bound()) {
                continue;
            }
            match self.tree[at as usize].kind {
                Kind::Fork(left, right) => {
                    let sides = [left, right].map(|side| (self.tree[side as usize].distance(&place), side));
                    let near = usize::from(sides[1].0 < sides[0].0);
                    open.extend([sides[1 - near], sides[near]]);
                }
                Kind::Leaf(leaf) => {
                    let leaf = leaf as usize;
                    if self.leaf_is_far(leaf, &place, self.beyond(kept.bound())) {
                        continue;
                    }
                    let block = &self.blocks[leaf * stride..(leaf + 1) * stride];
                    let costs = block_costs(end, block, &features.pose_weights, kept.bound());
                    for (&cost, &to) in costs.iter().zip(&self.order[leaf * LANES..]) {
                        if to != u32::MAX {
                            kept.offer(Found { cost, far: to });
                        }
                    }
                }
            }
        }
        let mut row = kept.heap.into_vec();
        row.sort_unstable_by_key(|found| found.far);
        row
    }

    /// A squared distance of projections that no cost below `bound` can have. Projections are good to e = 1e-6, and
    /// (√b + e)² ≤ b + 1e-3·b + 1e3·e² + e².
    #[inline(always)]
    fn beyond(&self, bound: f32) -> f32 {
        (bound + self.slack) * (1.0 + 1e-3) + 1e-8
    }

    /// Whether all nodes of a leaf are at least √`bound` away.
    #[inline(always)]
    fn leaf_is_far(&self, leaf: usize, place: &[f32; FINE], bound: f32) -> bool {
        let mut sum = [0.0_f32; LANES];
        for (lanes, at) in self.places[leaf].chunks(DIRECTIONS).zip(place.chunks(DIRECTIONS)) {
            for (lanes, at) in lanes.iter().zip(at) {
                for lane in 0..LANES {
                    let d = lanes[lane] - at;
                    sum[lane] += d * d;
                }
            }
            if all_at_least(&sum, bound) {
                return true;
            }
        }
        false
    }
}

impl Branch {
    /// Squared distance of a place from this branch's box.
    #[inline(always)]
    fn distance(&self, place: &[f32; FINE]) -> f32 {
        let mut sum = 0.0;
        for ((low, high), at) in self.low.iter().zip(&self.high).zip(place) {
            let d = (low - at).max(at - high).max(0.0);
            sum += d * d;
        }
        sum
    }
}

/// The cheapest so many below a limit.
struct Cheapest {
    limit: f32,
    most: usize,
    heap: BinaryHeap<Found>,
}

impl Cheapest {
    /// What costs this or more is not wanted.
    fn bound(&self) -> f32 {
        match self.heap.peek() {
            // One as dear as the dearest may still stand before it by its number.
            Some(dearest) if self.heap.len() >= self.most => dearest.cost.next_up(),
            _ => self.limit,
        }
    }

    fn offer(&mut self, found: Found) {
        if found.cost >= self.bound() {
            return;
        }
        self.heap.push(found);
        if self.heap.len() > self.most {
            self.heap.pop();
        }
    }
}

/// By cost, then by number.
impl Ord for Found {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.cost.total_cmp(&other.cost).then(self.far.cmp(&other.far))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Found {}

/// Splits `order[..]`, which stands at `first` of the whole, at the median of its widest direction until eight are
/// left.
fn branch(
    places: &[[f32; FINE]],
    order: &mut [u32],
    first: usize,
    tree: &mut Vec<Branch>,
    leaves: &mut Vec<(usize, usize)>,
) -> u32 {
    let mut low = [f32::INFINITY; DIRECTIONS];
    let mut high = [f32::NEG_INFINITY; DIRECTIONS];
    for &node in order.iter() {
        for i in 0..DIRECTIONS {
            low[i] = low[i].min(places[node as usize][i]);
            high[i] = high[i].max(places[node as usize][i]);
        }
    }
    let at = tree.len();
    tree.push(Branch { low, high, kind: Kind::Leaf(leaves.len() as u32) });
    if order.len() <= LANES {
        leaves.push((first, first + order.len()));
        return at as u32;
    }
    let widest =
        (0..DIRECTIONS).max_by(|&a, &b| (high[a] - low[a]).total_cmp(&(high[b] - low[b]))).unwrap_or(0);
    // Whole leaves on the left, so that few lanes stay empty.
    let middle = (order.len() / 2).div_ceil(LANES) * LANES;
    let by =
        |a: &u32, b: &u32| places[*a as usize][widest].total_cmp(&places[*b as usize][widest]).then(a.cmp(b));
    order.select_nth_unstable_by(middle, by);
    let (left, right) = order.split_at_mut(middle);
    let left = branch(places, left, first, tree, leaves);
    let right = branch(places, right, first + middle, tree, leaves);
    tree[at].kind = Kind::Fork(left, right);
    at as u32
}

impl Frame {
    fn learn(features: &Features) -> Self {
        let stride = features.num_channels() * EMBEDDED;
        let step = features.num_nodes.div_ceil(SAMPLE);
        let mut frame = Self {
            scale: features.pose_weights.iter().map(|&w| (0.5 * w).sqrt()).collect(),
            directions: Vec::new(),
        };
        let mut rows: Vec<Vec<f32>> =
            (0..features.num_nodes).step_by(step).map(|node| frame.embed_start(features, node)).collect();
        let mean: Vec<f32> =
            (0..stride).map(|i| rows.iter().map(|row| row[i]).sum::<f32>() / rows.len() as f32).collect();
        rows.iter_mut().for_each(|row| row.iter_mut().zip(&mean).for_each(|(v, m)| *v -= m));
        let mut random = Random::new(0);
        let mut directions: Vec<Vec<f32>> =
            (0..FINE.min(stride)).map(|_| (0..stride).map(|_| random.normal() as f32).collect()).collect();
        orthonormal(&mut directions);
        for _ in 0..ROUNDS {
            for direction in &mut directions {
                let mut next = vec![0.0; stride];
                for row in &rows {
                    let along = dot(row, direction);
                    next.iter_mut().zip(row).for_each(|(n, v)| *n += along * v);
                }
                // A direction without variance stays what it is.
                if dot(&next, &next) > 0.0 {
                    *direction = next;
                }
            }
            orthonormal(&mut directions);
        }
        frame.directions = directions;
        frame
    }

    /// Features as the long vector.
    fn embed(&self, row: &[f32]) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.scale.len() * EMBEDDED);
        for (v, &scale) in row.chunks_exact(NUMBERS).zip(&self.scale) {
            let rotation = Mat3::from_quat(Quat::from_xyzw(v[0], v[1], v[2], v[3]));
            out.extend(rotation.to_cols_array().map(|number| scale * number));
            out.extend_from_slice(&v[4..]);
        }
        out
    }

    fn embed_start(&self, features: &Features, node: usize) -> Vec<f32> {
        self.embed(&features.start(node, 0).collect::<Vec<f32>>())
    }

    fn place(&self, vector: &[f32]) -> [f32; FINE] {
        std::array::from_fn(|i| self.directions.get(i).map_or(0.0, |direction| dot(vector, direction)))
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Gram–Schmidt, twice for accuracy; what vanishes becomes 0 and takes no part.
fn orthonormal(directions: &mut [Vec<f32>]) {
    for i in 0..directions.len() {
        let (done, rest) = directions.split_at_mut(i);
        let own = &mut rest[0];
        for _ in 0..2 {
            let length = dot(own, own).sqrt();
            if length > 0.0 {
                own.iter_mut().for_each(|v| *v /= length);
            }
            for other in done.iter() {
                let along = dot(own, other);
                own.iter_mut().zip(other).for_each(|(v, o)| *v -= along * o);
            }
        }
        let length = dot(own, own).sqrt();
        // Below this the rest is rounding of what was taken away.
        let keep = if length > 1e-3 { 1.0 / length } else { 0.0 };
        own.iter_mut().for_each(|v| *v *= keep);
    }
}
