//! Walks that look ahead: what the rest of a leg costs at least, from every node and with any time left, is known
//! beforehand.
//!
//! g(b, v) is the least sum of transition costs from the start of v to the leg's end with b buckets of time left. One
//! pass over the buckets, each edge once per bucket. As F counts the mean cost and not the sum, further passes take the
//! mean of the best walk so far off every edge \[dinkelbach1967\]: longer walks of cheaper steps then win; and an
//! arrival off its time costs what F says. The last pass has narrower buckets. A walk then steps to one of the few
//! successors with the least cost + g and keeps its time by itself. The best of such walks is the path search's or
//! better; the others differ from it as chance wills.

use std::cell::RefCell;

use ugoki_base::math::Random;

use super::chromosome::Gene;
use super::score::Search;

/// Buckets of time in a leg while the mean cost is looked for.
const BUCKETS: usize = 96;
/// Buckets of time in a leg at last: 83 ms of 20 s.
const FINE: usize = 240;
/// Edges times buckets at most: some thirty milliseconds.
const MOST_WORK: usize = 1 << 24;
/// Fractions of the allowed tempo change by which an arrival may be early or late: in the table, and in an actual walk.
const LATE: f32 = 0.8;
const TOLERANCE: f32 = 0.96;
/// What an arrival costs for each bucket of the first pass that it is early or late, as a fraction of the threshold.
const EARLY: f32 = 0.02;
/// Successors among which chance decides.
const CHOICES: usize = 8;
/// First nodes of an open start among which chance decides.
const OPENINGS: usize = 64;

/// Greed for the first node at most: which one it is matters little for F and much for variety.
const OPENED: f64 = 2.0;

/// Least costs to the end of one leg.
#[derive(Debug)]
pub(super) struct CostToGo {
    width: f32,
    buckets: usize,
    nodes: usize,
    /// [bucket][node]; bucket `late` has no time left, those below it are too late by as much.
    costs: Vec<f32>,
    /// Times around the end that are an arrival, in buckets.
    late: usize,
    open: bool,
    goal: Goal,
    /// Seconds by which an arrival may be early or late.
    tolerance_s: f32,
    /// Best steps that were asked for before: walks of a population pass the same nodes at the same times again and
    /// again.
    known: RefCell<Known>,
}

/// What a pass looks for.
#[derive(Debug, Clone, Copy)]
struct Goal {
    /// What is taken off the cost of every transition.
    discount: f32,
    /// What an arrival costs for being off its time, per second, and per second squared.
    off: [f32; 2],
}

/// The best successors, best first, and how many there are.
type Choices = ([u32; CHOICES], usize);

#[derive(Debug)]
struct Known {
    /// [bucket][node]: place in `choices` and one more; 0 where not requested yet.
    places: Vec<u32>,
    choices: Vec<Choices>,
}

impl CostToGo {
    /// Of one leg; `None` where the network is too large for the time it takes.
    pub(super) fn build(search: &Search<'_>, layer: usize, leg: usize) -> Option<Self> {
        let legs = &search.tables[layer].legs_s;
        let threshold = search.tables[layer].network.threshold().min(1.0);
        let first = Goal { discount: 0.0, off: [EARLY * threshold * BUCKETS as f32 / legs[leg], 0.0] };
        let mut table = Self::towards(search, layer, leg, first, BUCKETS)?;
        for buckets in [BUCKETS, FINE] {
            let Some((mean, steps)) = table.best(search, layer, leg) else { break };
            // F = α·off² + β·Σ C / n over the n steps of all legs: in units of Σ C, off² counts n·α/β.
            let n = steps as f32 * legs.iter().sum::<f32>() / legs[leg];
            let (time, roughness) = (search.weights.time as f32, search.weights.roughness as f32);
            let off = if roughness > 0.0 { [0.0, n * time / roughness] } else { first.off };
            table = Self::towards(search, layer, leg, Goal { discount: mean, off }, buckets)?;
        }
        Some(table)
    }

    /// Mean cost of the transitions of the best walk, and how many they are.
    fn best(&self, search: &Search<'_>, layer: usize, leg: usize) -> Option<(f32, usize)> {
        let want = search.tables[layer].legs_s[leg];
        let row = self.row(want)?;
        let cheaper = |a: &u32, b: &u32| row[*a as usize].total_cmp(&row[*b as usize]);
        let all = 0..self.nodes as u32;
        let head = match search.interval.tracks[layer].anchor_before(leg) {
            Some(anchor) => anchor.nodes.iter().copied().min_by(cheaper)?,
            None => all.min_by(cheaper)?,
        };
        let mut strand = vec![Gene { node: head, leg: leg as u32, ..Gene::default() }];
        self.walk(search, layer, leg, f64::INFINITY, &mut Random::new(0), &mut strand)?;
        let steps = strand.len() - 1;
        (steps > 0).then(|| (strand.iter().map(|gene| gene.cost).sum::<f32>() / steps as f32, steps))
    }

    /// One pass.
    fn towards(search: &Search<'_>, layer: usize, leg: usize, goal: Goal, buckets: usize) -> Option<Self> {
        let table = &search.tables[layer];
        let network = table.network;
        let want = table.legs_s[leg];
        let anchor = search.interval.tracks[layer].anchor_after(leg);
        let affordable = MOST_WORK / network.num_edges().max(1);
        let most = buckets.min(affordable);
        if most < BUCKETS / 4 || want <= 0.0 {
            return None;
        }
        let width = want / most as f32;
        let late = ((LATE * search.most_tempo_change * want / width).round() as usize).max(1);
        let buckets = (want / width).ceil() as usize + 2 * late + 1;
        let nodes = network.num_nodes();
        let mut ahead = Self {
            width,
            buckets,
            nodes,
            costs: vec![f32::INFINITY; buckets * nodes],
            late,
            open: anchor.is_none(),
            goal,
            tolerance_s: TOLERANCE * search.most_tempo_change * want,
            known: RefCell::new(Known { places: vec![0; buckets * nodes], choices: Vec::new() }),
        };
        let surcharges: Vec<f32> = (0..nodes).map(|node| search.surcharge(layer, node)).collect();
        for bucket in 0..buckets {
            // Steps shorter than a bucket stay in it; their costs are known as far as nodes come earlier. That is an
            // estimate, no error.
            for (node, &surcharge) in surcharges.iter().enumerate() {
                let left = (bucket as f32 - late as f32) * width;
                let mut least = f32::INFINITY;
                if let Some(anchor) = anchor
                    && bucket <= 2 * late
                    && anchor.nodes.binary_search(&(node as u32)).is_ok()
                {
                    least = ahead.arrival(left);
                } else if ahead.open {
                    let after = left - search.seconds[node];
                    if after.abs() <= late as f32 * width {
                        least = ahead.arrival(after);
                    }
                }
                let own = search.seconds[node];
                if network.is_interior() {
                    for edge in network.edges(node) {
                        let cost = ahead.cost(edge.to, left - own + edge.exit_s + edge.entry_s);
                        least = least.min(edge.cost - goal.discount + cost);
                    }
                } else if let Some(row) = ahead.row(left - own) {
                    let mut next = f32::INFINITY;
                    for (&to, &cost) in network.successors(node).iter().zip(network.costs(node)) {
                        // No NaN is among them: a plain comparison is one instruction, `min` is several.
                        let total = cost + row[to as usize];
                        next = if total < next { total } else { next };
                    }
                    least = least.min(next - goal.discount);
                }
                ahead.costs[bucket * nodes + node] = least + surcharge;
            }
        }
        Some(ahead)
    }

    /// What is taken off the cost of every transition.
    pub(super) fn discount(&self) -> f32 {
        self.goal.discount
    }

    /// Whether an arrival may be early or late by so much, seconds.
    pub(super) fn is_on_time(&self, off: f32) -> bool {
        off.abs() <= self.tolerance_s
    }

    /// What an arrival costs for being early or late by so much, seconds.
    pub(super) fn arrival(&self, off: f32) -> f32 {
        self.goal.off[0] * off.abs() + self.goal.off[1] * off * off
    }

    /// The bucket of a time that is left; none when it is too late.
    fn bucket(&self, left: f32) -> Option<usize> {
        let bucket = (left / self.width).round() + self.late as f32;
        (bucket >= 0.0).then(|| (bucket as usize).min(self.buckets - 1))
    }

    /// Costs with this time left, by node; none when it is too late.
    fn row(&self, left: f32) -> Option<&[f32]> {
        let bucket = self.bucket(left)?;
        Some(&self.costs[bucket * self.nodes..(bucket + 1) * self.nodes])
    }

    /// Least cost from the start of a node to the leg's end with this time left; infinite when it is too late.
    pub(super) fn cost(&self, node: u32, left: f32) -> f32 {
        self.row(left).map_or(f32::INFINITY, |row| row[node as usize])
    }

    /// A first node of an open start: one of those from which the leg costs least.
    pub(super) fn opening(&self, want: f32, greed: f64, random: &mut Random) -> Option<u32> {
        let row = self.row(want)?;
        let mut nodes: Vec<u32> =
            (0..self.nodes as u32).filter(|&v| row[v as usize] < f32::INFINITY).collect();
        let cheaper = |a: &u32, b: &u32| row[*a as usize].total_cmp(&row[*b as usize]).then(a.cmp(b));
        if nodes.len() > OPENINGS {
            nodes.select_nth_unstable_by(OPENINGS, cheaper);
            nodes.truncate(OPENINGS);
        }
        nodes.sort_unstable_by(cheaper);
        let place = (random.uniform().powf(greed.min(OPENED)) * nodes.len() as f64) as usize;
        nodes.get(place.min(nodes.len().saturating_sub(1))).copied()
    }

    /// Walks the leg from the strand's last node, which starts it; `None` where no walk keeps the time. With a `greed`
    /// of 1 the best few successors are alike, the greater it is the likelier is the very best.
    pub(super) fn walk(
        &self,
        search: &Search<'_>,
        layer: usize,
        leg: usize,
        greed: f64,
        random: &mut Random,
        strand: &mut Vec<Gene>,
    ) -> Option<()> {
        let table = &search.tables[layer];
        let anchor = search.interval.tracks[layer].anchor_after(leg);
        let mut left = table.legs_s[leg];
        loop {
            let at = strand[strand.len() - 1].node;
            if self.open && self.is_on_time(left - search.seconds[at as usize]) {
                return Some(());
            }
            if strand.len() >= table.cap {
                return None;
            }
            let gene = self.choose(search, layer, leg, at, left, greed, random)?;
            left -= gene.advance;
            let arrives = anchor.is_some_and(|anchor| anchor.nodes.binary_search(&gene.node).is_ok())
                && self.is_on_time(left);
            if arrives {
                strand.push(Gene { leg: leg as u32 + 1, ..gene });
                return Some(());
            }
            strand.push(gene);
        }
    }

    /// One of the successors with the least cost to the end.
    #[expect(clippy::too_many_arguments, reason = "one step of a walk: where, when, and by what chance")]
    fn choose(
        &self,
        search: &Search<'_>,
        layer: usize,
        leg: usize,
        at: u32,
        left: f32,
        greed: f64,
        random: &mut Random,
    ) -> Option<Gene> {
        let network = search.tables[layer].network;
        let after = left - search.seconds[at as usize];
        let (choices, count) = if network.is_interior() {
            let totals = network
                .edges(at as usize)
                .map(|edge| (edge.cost + self.cost(edge.to, after + edge.exit_s + edge.entry_s), edge.to));
            best_of(totals)
        } else {
            let bucket = self.bucket(after)?;
            let mut known = self.known.borrow_mut();
            let place = bucket * self.nodes + at as usize;
            if known.places[place] == 0 {
                let row = &self.costs[bucket * self.nodes..(bucket + 1) * self.nodes];
                let steps = network.successors(at as usize).iter().zip(network.costs(at as usize));
                known.choices.push(best_of(steps.map(|(&to, &cost)| (cost + row[to as usize], to))));
                known.places[place] = known.choices.len() as u32;
            }
            known.choices[known.places[place] as usize - 1]
        };
        if count == 0 {
            return None;
        }
        let place = (random.uniform().powf(greed) * count as f64) as usize;
        search.step(layer, at, choices[place.min(count - 1)], leg as u32)
    }
}

/// The nodes with the least totals, of equal ones the first; what is infinite leads nowhere.
fn best_of(totals: impl Iterator<Item = (f32, u32)>) -> Choices {
    let mut best = [(f32::INFINITY, u32::MAX); CHOICES];
    let mut count = 0;
    for (total, to) in totals {
        if total < best[CHOICES - 1].0 {
            let place = best.partition_point(|other| other.0 <= total);
            best[place..].rotate_right(1);
            best[place] = (total, to);
            count = (count + 1).min(CHOICES);
        }
    }
    (best.map(|(_, to)| to), count)
}
