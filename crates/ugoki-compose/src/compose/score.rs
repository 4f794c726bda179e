//! One search's tables, and the fitness of a chromosome.

use ugoki_base::skeleton::Role;

use super::chromosome::{Gene, Marks};
use super::tabu::Tabu;
use super::{Criterion, Draft, DraftLayer, FreeNode, Interval, Library, Weights};
use crate::network::{Claim, Network, RotationPart, TORSO_LANES};

/// Nodes up to which edges are also kept as bits, 1 MB per layer at this many.
const BITS_TO: usize = 1 << 12;

/// Nodes up to which costs are also kept as a full table, 16 MB per layer at this many.
const DENSE_TO: usize = 1 << 11;

/// Genes a strand may have; a timeline that needs more is cut by more keys.
pub(super) const MOST_GENES: usize = 4096;

/// Genes of all layers up to which criteria see a chromosome without memory being asked for.
const FEW: usize = 256;

/// What a leg costs in the search for being off by its whole time beyond what may be stretched, and a chromosome for
/// being wholly one that was found before; 1 % counts as 100, an ordinary chromosome of plain walks as 2, so that no
/// smoothness makes up for a key that cannot be on time.
const LATE: f64 = 1e4;

/// One layer's network, ready to be asked often.
#[derive(Debug)]
pub(super) struct Table<'a> {
    pub(super) network: &'a Network,
    bits: Vec<u64>,
    words: usize,
    dense: Vec<f32>,
    /// Start to start, seconds, by leg.
    pub(super) legs_s: Vec<f32>,
    pub(super) open_end: bool,
    /// When the first gene starts after the interval's start, seconds.
    pub(super) first_s: f32,
    pub(super) cap: usize,
}

/// What may follow one node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row<'a> {
    Bits(&'a [u64]),
    Targets(&'a [u32]),
}

impl Row<'_> {
    #[inline]
    pub(super) fn has(self, to: u32) -> bool {
        match self {
            Self::Bits(bits) => (bits[to as usize / 64] >> (to % 64)) & 1 == 1,
            Self::Targets(targets) => targets.binary_search(&to).is_ok(),
        }
    }
}

/// Everything a chromosome of one interval is judged by.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub(super) library: Library<'a>,
    pub(super) interval: &'a Interval,
    pub(super) criteria: &'a [Criterion<'a>],
    pub(super) tables: Vec<Table<'a>>,
    pub(super) seconds: Vec<f32>,
    pub(super) base: usize,
    stepping: usize,
    pub(super) weights: Weights,
    /// Fraction by which a leg's tempo may change.
    pub(super) most_tempo_change: f32,
    /// Walks to keep away from.
    pub(super) tabu: Tabu,
    /// By layer and node, what criteria count for a node, weighted.
    of_nodes: Vec<Vec<f32>>,
    torso: TorsoTable,
}

/// The torsos of all nodes in one array, and which layers' torsos must agree in what.
#[derive(Debug)]
struct TorsoTable {
    rows: Vec<[f32; TORSO_LANES]>,
    /// First row, last row, rows per second.
    nodes: Vec<(u32, u32, f32)>,
    /// Pairs of layers with weights by lane.
    pairs: Vec<(usize, usize, [f32; TORSO_LANES])>,
    /// Rows per second of the node that has most.
    frames_hz: f64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        library: Library<'a>,
        interval: &'a Interval,
        criteria: &'a [Criterion<'a>],
        most_tempo_change: f64,
    ) -> Self {
        let shortest = library.shortest();
        let n = library.nodes.len();
        let tables = interval.tracks.iter().zip(library.networks).map(|(track, network)| {
            let words = n.div_ceil(64);
            let mut bits = vec![0_u64; if n <= BITS_TO { n * words } else { 0 }];
            let mut dense = vec![f32::INFINITY; if n <= DENSE_TO { n * n } else { 0 }];
            if n <= BITS_TO {
                for from in 0..n {
                    for edge in network.edges(from) {
                        let to = edge.to as usize;
                        bits[from * words + to / 64] |= 1 << (to % 64);
                        if let Some(cost) = dense.get_mut(from * n + to) {
                            *cost = edge.cost;
                        }
                    }
                }
            }
            // Transitions inside clips leave at least a third of each.
            let least = if network.is_interior() { shortest / 3.0 } else { shortest };
            let genes: f64 = track.legs_s.iter().map(|leg| (leg / least).ceil() + 2.0).sum();
            let first = track.anchors.first().filter(|_| track.first_is_anchor());
            Table {
                network,
                bits,
                words,
                dense,
                legs_s: track.legs_s.iter().map(|&leg| leg as f32).collect(),
                open_end: track.open_end,
                first_s: first.map_or(0.0, |anchor| {
                    (interval.tempo.to_steady(anchor.at_s) - interval.tempo.to_steady(interval.start_s))
                        as f32
                }),
                cap: (genes as usize + 1).clamp(2, MOST_GENES),
            }
        });
        let of_nodes = interval.tracks.iter().enumerate().map(|(layer, track)| {
            let keys: Vec<u32> = track.anchors.iter().map(|key| library.number(key.nodes[0])).collect();
            let measured = criteria.iter().filter_map(|one| Some((one.weight, one.of_node.as_ref()?)));
            let measured: Vec<_> = measured.collect();
            let count = |node: u32| -> f32 {
                let free = FreeNode { library: library.all, node: library.number(node), layer, keys: &keys };
                measured.iter().map(|(weight, of_node)| weight * of_node(&free)).sum::<f64>() as f32
            };
            if measured.is_empty() { Vec::new() } else { (0..n as u32).map(count).collect() }
        });
        Self {
            of_nodes: of_nodes.collect(),
            tables: tables.collect(),
            seconds: (0..n as u32).map(|node| library.seconds(node)).collect(),
            base: library.layers.base(),
            stepping: library.layers.stepping(),
            weights: Weights { time: 0.0, roughness: 0.0, torso: 0.0 },
            most_tempo_change: most_tempo_change as f32,
            tabu: Tabu::default(),
            torso: TorsoTable::new(&library),
            library,
            interval,
            criteria,
        }
    }

    pub(super) fn caps(&self) -> Vec<usize> {
        self.tables.iter().map(|table| table.cap).collect()
    }

    /// What criteria count for a node in the sum of transition costs that guides walks, rad²: in F it stands next to β
    /// times their mean. Layers count alike.
    pub(super) fn surcharge(&self, layer: usize, node: usize) -> f32 {
        let counted = self.of_nodes[layer].get(node).copied().unwrap_or(0.0);
        if counted > 0.0 && self.weights.roughness > 0.0 {
            counted / self.weights.roughness as f32
        } else {
            0.0
        }
    }

    /// All that may follow `from`, to be asked often.
    #[inline]
    pub(super) fn row(&self, layer: usize, from: u32) -> Row<'_> {
        let table = &self.tables[layer];
        let at = from as usize * table.words;
        match table.bits.get(at..at + table.words) {
            Some(bits) => Row::Bits(bits),
            None => Row::Targets(table.network.successors(from as usize)),
        }
    }

    /// Whether `to` may follow `from`.
    #[inline]
    pub(super) fn has(&self, layer: usize, from: u32, to: u32) -> bool {
        let table = &self.tables[layer];
        match table.bits.get(from as usize * table.words + to as usize / 64) {
            Some(word) => (word >> (to % 64)) & 1 == 1,
            None => table.network.edge(from as usize, to as usize).is_some(),
        }
    }

    /// The gene of `to` after `from`; `None` without an edge.
    #[inline]
    pub(super) fn step(&self, layer: usize, from: u32, to: u32, leg: u32) -> Option<Gene> {
        let table = &self.tables[layer];
        let advance = self.seconds[from as usize];
        if !table.dense.is_empty() && !table.network.is_interior() {
            let cost = table.dense[from as usize * self.seconds.len() + to as usize];
            return (cost < f32::INFINITY).then_some(Gene { node: to, cost, advance, leg });
        }
        let edge = table.network.edge(from as usize, to as usize)?;
        Some(Gene { node: to, cost: edge.cost, advance: advance - edge.exit_s - edge.entry_s, leg })
    }

    /// Time error and roughness of one strand, and by what fraction of their time legs exceed the allowed tempo change.
    #[inline]
    fn line(&self, layer: usize, strand: &[Gene]) -> (f32, f32, f32) {
        let table = &self.tables[layer];
        let (mut error, mut cost, mut time, mut leg) = (0.0_f32, 0.0_f32, 0.0_f32, 0);
        let mut late = 0.0_f32;
        let over =
            |e: f32, want: f32| (e.abs() / want.max(f32::MIN_POSITIVE) - self.most_tempo_change).max(0.0);
        for gene in strand {
            cost += gene.cost;
            time += gene.advance;
            if gene.leg != leg {
                let want = table.legs_s[leg as usize];
                let e = want - time;
                error += e * e;
                late += over(e, want);
                (time, leg) = (0.0, gene.leg);
            }
        }
        if let (true, Some(last), Some(&want)) =
            (table.open_end, strand.last(), table.legs_s.get(leg as usize))
        {
            let e = want - time - self.seconds[last.node as usize];
            error += e * e;
            late += over(e, want);
        }
        (error, cost / (strand.len().max(2) - 1) as f32, late)
    }

    /// Largest |actual/wanted − 1| of a strand's legs.
    pub(super) fn off_time(&self, layer: usize, strand: &[Gene]) -> f64 {
        let wanted = &self.tables[layer].legs_s;
        let off = |leg: usize, time: f64| {
            let want = f64::from(wanted[leg]);
            if want > 0.0 { (time / want - 1.0).abs() } else { time.abs() }
        };
        self.leg_times(layer, strand)
            .iter()
            .enumerate()
            .map(|(leg, &time)| off(leg, time))
            .fold(0.0, f64::max)
    }

    /// Seconds from start to start of every leg; to the end of the last clip for an open end.
    pub(super) fn leg_times(&self, layer: usize, strand: &[Gene]) -> Vec<f64> {
        let table = &self.tables[layer];
        let mut times = vec![0.0; table.legs_s.len()];
        let mut leg = 0;
        for gene in strand {
            if let Some(time) = times.get_mut(leg) {
                *time += f64::from(gene.advance);
            }
            leg = gene.leg as usize;
        }
        if let (true, Some(last), Some(time)) = (table.open_end, strand.last(), times.last_mut()) {
            *time += f64::from(self.seconds[last.node as usize]);
        }
        times
    }

    /// Fitness of a chromosome. Once F is known to be at least `limit`, what is left is not looked at.
    pub(super) fn score(&self, strands: &[&[Gene]], torso_hz: f64, limit: f64) -> Marks {
        let mut marks = Marks::default();
        for (layer, strand) in strands.iter().enumerate() {
            let (error, roughness, late) = self.line(layer, strand);
            marks.late += LATE * f64::from(late);
            marks.f1 += f64::from(error);
            marks.f2 += f64::from(roughness);
        }
        marks.late += LATE * f64::from(self.tabu.nearness(strands));
        let weight = 1.0 / strands.len() as f64;
        marks.f1 *= weight;
        marks.f2 *= weight;
        marks.f = self.weights.time * marks.f1 + self.weights.roughness * marks.f2;
        if !self.criteria.is_empty() {
            let mut extra = 0.0;
            self.each_extra(strands, &mut |value, weight| extra += value * weight);
            marks.extra = extra;
            marks.f += marks.extra;
        }
        // f3 is never negative: what is already too bad stays so.
        let so_far = marks.rank();
        if self.weights.torso > 0.0 && so_far < limit && !self.torso.pairs.is_empty() {
            let most = (limit - so_far) / self.weights.torso;
            marks.f3 = self.torso(strands, torso_hz, most);
            marks.f += self.weights.torso * marks.f3;
        }
        marks
    }

    /// Fitness with every frame looked at.
    pub(super) fn exact(&self, strands: &[&[Gene]]) -> Marks {
        self.score(strands, self.torso.frames_hz, f64::INFINITY)
    }

    /// The users' criteria, in order, unweighted.
    pub(super) fn extras(&self, strands: &[&[Gene]]) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.criteria.len());
        self.each_extra(strands, &mut |value, _| values.push(value));
        values
    }

    /// Every criterion's value and weight; what is not finite counts as very bad.
    fn each_extra(&self, strands: &[&[Gene]], each: &mut dyn FnMut(f64, f64)) {
        let total: usize = strands.iter().map(|strand| strand.len()).sum();
        // Chromosomes of usual length need no memory of their own.
        let (mut few_nodes, mut few_starts, mut few_keys) = ([0_u32; FEW], [0.0_f32; FEW], [false; FEW]);
        let (mut many_nodes, mut many_starts, mut many_keys) = (Vec::new(), Vec::new(), Vec::new());
        let (mut nodes, mut starts, mut keys): (&mut [u32], &mut [f32], &mut [bool]) = if total <= FEW {
            (&mut few_nodes, &mut few_starts, &mut few_keys)
        } else {
            many_nodes.resize(total, 0);
            many_starts.resize(total, 0.0);
            many_keys.resize(total, false);
            (&mut many_nodes, &mut many_starts, &mut many_keys)
        };
        let mut layers = [DraftLayer { nodes: &[], starts_s: &[], keys: &[] }; 8];
        for (layer, strand) in strands.iter().enumerate() {
            let (own, rest) = std::mem::take(&mut nodes).split_at_mut(strand.len());
            let (times, later) = std::mem::take(&mut starts).split_at_mut(strand.len());
            let (is_key, more) = std::mem::take(&mut keys).split_at_mut(strand.len());
            (nodes, starts, keys) = (rest, later, more);
            let mut at = self.tables[layer].first_s;
            // Each key starts a new leg; so does a key with which the strand begins.
            let mut leg = if self.interval.tracks[layer].first_is_anchor() { u32::MAX } else { 0 };
            let both = own.iter_mut().zip(times.iter_mut()).zip(is_key.iter_mut());
            for (gene, ((node, start), is_key)) in strand.iter().zip(both) {
                (*is_key, leg) = (gene.leg != leg, gene.leg);
                at += gene.advance;
                (*node, *start) = (self.library.number(gene.node), at);
            }
            layers[layer] = DraftLayer { nodes: own, starts_s: times, keys: is_key };
        }
        // Travel and ground are those of the layer that brings the feet.
        let stepping = self.stepping;
        let draft = Draft { library: self.library.all, layers: &layers[..strands.len()], stepping };
        let bad = 1e9;
        for criterion in self.criteria {
            let value = (criterion.measure)(&draft);
            each(if value.is_finite() { value } else { bad }, criterion.weight);
        }
    }

    /// f3: mean over rows of the squared differences between the torso each layer was captured with and the one it sits
    /// on; infinite once the mean must exceed `most`.
    pub(super) fn torso(&self, strands: &[&[Gene]], hz: f64, most: f64) -> f64 {
        let seconds = self.interval.end_s - self.interval.start_s;
        let count = ((seconds * hz).floor() as usize).max(1);
        let step = (1.0 / hz) as f32;
        // Looked at in the middle of each step: clips change between frames, and rounding does not decide on which side
        // a frame falls.
        let middle = |row: usize| (row as f32 + 0.5) * step;
        let most_sum = (most * count as f64) as f32;
        // Per layer: gene, its start, the next one's start.
        let mut at = [(0_usize, 0.0_f32, 0.0_f32); 8];
        for (layer, strand) in strands.iter().enumerate() {
            let first = self.tables[layer].first_s;
            at[layer] = (0, first, strand.get(1).map_or(f32::INFINITY, |gene| first + gene.advance));
        }
        let mut sums = [0.0_f32; TORSO_LANES];
        let mut k = 0;
        while k < count {
            let t = middle(k);
            let mut until = f32::INFINITY;
            for (layer, strand) in strands.iter().enumerate() {
                let (gene, start, next) = &mut at[layer];
                while t >= *next {
                    *gene += 1;
                    *start = *next;
                    *next = strand.get(*gene + 1).map_or(f32::INFINITY, |gene| *start + gene.advance);
                }
                until = until.min(*next);
            }
            // Rows until some layer goes on to its next clip; the first that is not before `until` belongs to that.
            let mut end = if until.is_finite() { ((until / step) as usize + 1).min(count) } else { count };
            while end > k + 1 && middle(end - 1) >= until {
                end -= 1;
            }
            for (a, b, weights) in &self.torso.pairs {
                let spans = [*a, *b].map(|layer| {
                    let (gene, start, _) = at[layer];
                    (self.torso.nodes[strands[layer][gene].node as usize], start)
                });
                for row in k..end {
                    let t = middle(row);
                    let [a, b] = spans.map(|((first, last, rate), start)| {
                        // Negative times become row 0.
                        &self.torso.rows[(first + ((t - start) * rate) as u32).min(last) as usize]
                    });
                    for lane in 0..TORSO_LANES {
                        let d = a[lane] - b[lane];
                        sums[lane] += weights[lane] * d * d;
                    }
                }
            }
            k = end;
            if sums.iter().sum::<f32>() > most_sum {
                return f64::INFINITY;
            }
        }
        f64::from(sums.iter().sum::<f32>()) / count as f64
    }
}

impl TorsoTable {
    fn new(library: &Library<'_>) -> Self {
        let mut rows = vec![[0.0; TORSO_LANES]];
        let mut nodes = Vec::with_capacity(library.nodes.len());
        for node in library.nodes {
            let first = rows.len() as u32;
            rows.extend_from_slice(&node.torso.rows);
            nodes.push(match node.torso.rows.len() {
                0 => (0, 0, 0.0),
                count => (first, first + count as u32 - 1, node.torso.rate_hz as f32),
            });
        }
        // The owner of every lane: swing, swing, twist of abdomen and chest.
        let owner = |lane: usize| {
            let role = if lane < 3 { Role::Spine } else { Role::Chest };
            let part = if lane % 3 == 2 { RotationPart::Twist } else { RotationPart::Swing };
            library.layers.owner(Claim { role, part })
        };
        let count = library.layers.layers().len();
        let mut pairs = Vec::new();
        for a in 0..count {
            for b in a + 1..count {
                let mut weights = [0.0; TORSO_LANES];
                for (lane, weight) in weights.iter_mut().enumerate().take(6) {
                    // Where one of the two owns the lane, the other was captured with something else.
                    *weight = f32::from(u8::from(owner(lane) == a || owner(lane) == b));
                }
                if weights.iter().any(|&w| w > 0.0) {
                    pairs.push((a, b, weights));
                }
            }
        }
        let frames_hz = library.nodes.iter().map(|node| node.torso.rate_hz).fold(1.0, f64::max);
        Self { rows, nodes, pairs, frames_hz }
    }
}
