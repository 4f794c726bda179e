//! The cost of a transition, eight at a time.
//!
//! C = Σ c_p·w/J·θ² + Σ c_v·w/J·|Δv|² over the layer's joints. With c = |q·p| the angle is θ = 2·acos c, and θ² is smooth where
//! acos is not: θ² = x·P(x) with x = 1 − c in 0..1, so a polynomial serves and plain loops over eight numbers become
//! vector instructions.

use super::features::{Features, LANES, NUMBERS};

/// P: least-squares Chebyshev fit of 4·acos²(1 − x)/x on 0..1; relative error at most 3e-7, about f32's own.
const P: [f32; 7] =
    [8.000_002, 1.333_127_7, 0.358_686_6, 0.096_716_44, 0.086_198_43, -0.041_801_845, 0.036_671_967];

/// Channels after which a block that is too far everywhere is given up.
const LOOK: usize = 4;

/// Costs from one end to eight starts. Gives up, with what was summed so far, once all eight are at or above `limit`.
#[inline(always)]
pub(super) fn block_costs(end: &[f32], block: &[[f32; LANES]], weights: &[f32], limit: f32) -> [f32; LANES] {
    let mut sum = [0.0_f32; LANES];
    let channels = end.chunks_exact(NUMBERS).zip(block.chunks_exact(NUMBERS)).zip(weights);
    for (count, ((e, b), &w)) in channels.enumerate() {
        for lane in 0..LANES {
            let dot = e[0] * b[0][lane] + e[1] * b[1][lane] + e[2] * b[2][lane] + e[3] * b[3][lane];
            let x = (1.0 - dot.abs()).max(0.0);
            let p = P[0] + x * (P[1] + x * (P[2] + x * (P[3] + x * (P[4] + x * (P[5] + x * P[6])))));
            let (dx, dy, dz) = (e[4] - b[4][lane], e[5] - b[5][lane], e[6] - b[6][lane]);
            sum[lane] += w * x * p + (dx * dx + dy * dy + dz * dz);
        }
        if count % LOOK == LOOK - 1 && all_at_least(&sum, limit) {
            break;
        }
    }
    sum
}

/// Whether no lane is below `limit`. No branch within: one comparison of all lanes.
#[inline(always)]
pub(super) fn all_at_least(lanes: &[f32; LANES], limit: f32) -> bool {
    lanes.iter().fold(true, |all, &lane| all & (lane >= limit))
}

/// The least cost from node `m` to each of eight starts over all places, and the places (exit, entry) that give it.
#[inline(always)]
pub(super) fn best_costs(
    features: &Features,
    m: usize,
    block: usize,
    limit: f32,
) -> ([f32; LANES], [(u8, u8); LANES]) {
    let weights = &features.pose_weights;
    let mut best = block_costs(features.end(m, 0), features.block(block, 0), weights, limit);
    let mut at = [(0, 0); LANES];
    for exit in 0..features.places {
        for entry in 0..features.places {
            if exit + entry == 0 {
                continue;
            }
            let costs = block_costs(features.end(m, exit), features.block(block, entry), weights, limit);
            for lane in 0..LANES {
                if costs[lane] < best[lane] {
                    best[lane] = costs[lane];
                    at[lane] = (exit as u8, entry as u8);
                }
            }
        }
    }
    (best, at)
}

impl Features {
    /// Cost of the transition from the end of `m` to the start of `n`, whole clips or at the best places inside.
    ///
    /// # Panics
    /// If there is no such node.
    #[must_use]
    pub fn cost(&self, m: usize, n: usize) -> f32 {
        assert!(m < self.num_nodes && n < self.num_nodes, "nodes {m} and {n} of {}", self.num_nodes);
        best_costs(self, m, n / LANES, f32::INFINITY).0[n % LANES]
    }
}
