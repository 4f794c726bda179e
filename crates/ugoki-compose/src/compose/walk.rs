//! Random walks from anchor to anchor that keep an eye on the time left and the hops still needed.

use ugoki_base::math::Random;

use super::beam::beam;
use super::chromosome::Gene;
use super::cost_to_go::CostToGo;
use super::score::Search;

/// Hops from a node to the nearest anchor; unreachable.
const NEVER: u32 = u32::MAX;

/// Successors that are drawn before a row is looked through.
const DRAWS: usize = 12;

/// What walks of one layer need to know.
#[derive(Debug)]
pub(super) struct Ways {
    /// For each leg that ends at an anchor: hops from every node to it.
    hops: Vec<Vec<u32>>,
    /// For each leg what its rest costs at least, where that is known.
    ahead: Vec<Option<CostToGo>>,
    /// The best whole strands by time and transitions, best first, where that is known.
    pub(super) best: Vec<Vec<Gene>>,
    mean_s: f32,
    shortest: f32,
    lengths: Vec<f32>,
}

impl Ways {
    pub(super) fn new(search: &Search<'_>, layer: usize) -> Self {
        let track = &search.interval.tracks[layer];
        let predecessors = search.tables[layer].network.predecessors();
        let hops = (0..track.legs_s.len())
            .map(|leg| match track.anchor_after(leg) {
                Some(anchor) => hops(&predecessors, &anchor.nodes),
                // At an open end any node will do that can go on; those that cannot are one worse.
                None => (0..predecessors.len())
                    .map(|v| u32::from(search.tables[layer].network.successors(v).is_empty()))
                    .collect(),
            })
            .collect();
        let mut lengths = search.seconds.clone();
        lengths.sort_by(f32::total_cmp);
        let mean_s = lengths.iter().sum::<f32>() / lengths.len() as f32;
        Self { hops, ahead: Vec::new(), best: Vec::new(), mean_s, shortest: lengths[0], lengths }
    }

    /// Learns what the rest of every leg costs at least.
    pub(super) fn look_ahead(&mut self, search: &Search<'_>, layer: usize) {
        let legs = search.interval.tracks[layer].legs_s.len();
        self.ahead = (0..legs).map(|leg| CostToGo::build(search, layer, leg)).collect();
        self.best = beam(search, layer, &self.ahead);
    }

    /// A whole strand guided by the cost-to-go, or nothing where that is unknown or no such walk keeps the time.
    pub(super) fn strand_ahead(
        &self,
        search: &Search<'_>,
        layer: usize,
        greed: f64,
        random: &mut Random,
    ) -> Option<Vec<Gene>> {
        let track = &search.interval.tracks[layer];
        let first = match track.anchors.first().filter(|_| track.first_is_anchor()) {
            Some(anchor) => anchor.nodes[random.index(anchor.nodes.len())],
            None => {
                let leg_s = search.tables[layer].legs_s.first().copied()?;
                self.ahead.first()?.as_ref()?.opening(leg_s, greed, random)?
            }
        };
        let mut strand = vec![Gene { node: first, ..Gene::default() }];
        for leg in 0..track.legs_s.len() {
            self.ahead.get(leg)?.as_ref()?.walk(search, layer, leg, greed, random, &mut strand)?;
        }
        Some(strand)
    }

    /// Hops to the end of leg `leg` from `node`, at least one, where there is a way.
    pub(super) fn hops(&self, search: &Search<'_>, layer: usize, leg: usize, node: u32) -> Option<u32> {
        let next = search.tables[layer].network.successors(node as usize);
        next.iter().map(|&to| self.hops[leg][to as usize]).min().filter(|&h| h != NEVER).map(|h| h + 1)
    }

    /// A whole strand, or nothing where chance led nowhere. A strict one has as many genes as fit the time; a plain one
    /// takes any successor and not the cheaper of two.
    pub(super) fn strand(
        &self,
        search: &Search<'_>,
        layer: usize,
        manner: (bool, bool),
        random: &mut Random,
    ) -> Option<Vec<Gene>> {
        let track = &search.interval.tracks[layer];
        let first = match track.anchors.first().filter(|_| track.first_is_anchor()) {
            Some(anchor) => anchor.nodes[random.index(anchor.nodes.len())],
            None => self.opening(search, layer, random)?,
        };
        let mut strand = vec![Gene { node: first, ..Gene::default() }];
        for leg in 0..track.legs_s.len() {
            self.leg(search, layer, leg, manner, random, &mut strand)?;
        }
        Some(strand)
    }

    /// A first node of an open start: any from which the leg can be walked.
    fn opening(&self, search: &Search<'_>, layer: usize, random: &mut Random) -> Option<u32> {
        let n = search.seconds.len();
        let fits = |node: u32| {
            let leg_s = search.tables[layer].legs_s.first().copied().unwrap_or(f32::INFINITY);
            search.seconds[node as usize] <= leg_s + 0.5 * self.shortest
                && (self.hops(search, layer, 0, node).is_some()
                    || search.interval.tracks[layer].anchor_after(0).is_none())
        };
        (0..DRAWS).map(|_| random.index(n) as u32).find(|&node| fits(node)).or_else(|| {
            let from = random.index(n);
            (from..n).chain(0..from).map(|node| node as u32).find(|&node| fits(node))
        })
    }

    /// Walks one leg from the strand's last node.
    fn leg(
        &self,
        search: &Search<'_>,
        layer: usize,
        leg: usize,
        (strict, plain): (bool, bool),
        random: &mut Random,
        strand: &mut Vec<Gene>,
    ) -> Option<()> {
        let table = &search.tables[layer];
        let anchor = search.interval.tracks[layer].anchor_after(leg);
        let want = table.legs_s[leg];
        let head = strand.len() - 1;
        let (least, most) =
            self.bounds(want - search.seconds[strand[head].node as usize], table.network.is_interior());
        let (least, most) = if strict { (least, most) } else { (2, most + self.hops.len().max(16)) };
        let mut left = want;
        loop {
            let at = strand[strand.len() - 1].node;
            let own = search.seconds[at as usize];
            // Time left when the next gene starts.
            let after = left - own;
            let count = strand.len() - head;
            match anchor {
                None if after < 0.5 * self.shortest => return Some(()),
                Some(anchor) if after < 0.5 * self.mean_s => {
                    let ends = anchor.nodes.iter().filter(|&&node| search.has(layer, at, node));
                    let ends: Vec<u32> = ends.copied().collect();
                    if !ends.is_empty() {
                        let to = ends[random.index(ends.len())];
                        strand.push(search.step(layer, at, to, leg as u32 + 1)?);
                        return (least..=most).contains(&(count + 1)).then_some(());
                    }
                }
                _ => {}
            }
            if count >= most || strand.len() >= table.cap {
                return None;
            }
            let to = self.next(search, (layer, leg), at, after, plain, random)?;
            let gene = search.step(layer, at, to, leg as u32)?;
            left -= gene.advance;
            let arrived = anchor.is_some_and(|anchor| anchor.nodes.binary_search(&to).is_ok());
            // A key motion may also be passed in between while there is time.
            if arrived && left < 0.5 * self.mean_s {
                strand.push(Gene { leg: leg as u32 + 1, ..gene });
                return (least..=most).contains(&(count + 1)).then_some(());
            }
            strand.push(gene);
        }
    }

    /// Genes of a leg, both keys counted, that fit `filled` seconds between them.
    fn bounds(&self, filled: f32, interior: bool) -> (usize, usize) {
        if filled < self.shortest {
            // Nothing fits; two keys in a row, or what little more the transitions need.
            return (2, 2 + (filled.max(0.0) / self.shortest).ceil() as usize + usize::from(interior));
        }
        let longest = self.lengths[self.lengths.partition_point(|&s| s <= filled) - 1];
        let shortest = if interior { self.shortest / 3.0 } else { self.shortest };
        ((filled / longest).floor() as usize + 2, (filled / shortest).ceil() as usize + 2)
    }

    /// A successor at random from which the anchor can be reached, about in the time left; of two such the cheaper.
    fn next(
        &self,
        search: &Search<'_>,
        (layer, leg): (usize, usize),
        at: u32,
        after: f32,
        plain: bool,
        random: &mut Random,
    ) -> Option<u32> {
        let successors = search.tables[layer].network.successors(at as usize);
        let hops = &self.hops[leg];
        let open = search.interval.tracks[layer].anchor_after(leg).is_none();
        let allowed = (after / self.mean_s).ceil().max(1.0) as u32;
        let mut chosen: Option<Gene> = None;
        for _ in 0..DRAWS.min(2 * successors.len()) {
            let to = successors[random.index(successors.len())];
            let h = hops[to as usize];
            let good = if open {
                h == 0 && search.seconds[to as usize] <= after + 0.5 * self.shortest
            } else {
                h >= 1 && h <= allowed
            };
            if !good {
                continue;
            }
            let gene = search.step(layer, at, to, leg as u32)?;
            match chosen {
                None if plain => return Some(to),
                None => chosen = Some(gene),
                Some(other) => return Some(if gene.cost < other.cost { to } else { other.node }),
            }
        }
        if let Some(gene) = chosen {
            return Some(gene.node);
        }
        // Nothing fits: one of those nearest to the end, from a place at random.
        let near = successors.iter().map(|&to| hops[to as usize]).min().filter(|&h| h != NEVER)?;
        let from = random.index(successors.len());
        successors[from..].iter().chain(&successors[..from]).copied().find(|&to| hops[to as usize] == near)
    }
}

/// Hops from every node to the nearest of `to`, against the edges.
fn hops(predecessors: &[Vec<u32>], to: &[u32]) -> Vec<u32> {
    let mut hops = vec![NEVER; predecessors.len()];
    let mut open: Vec<u32> = to.to_vec();
    open.iter().for_each(|&v| hops[v as usize] = 0);
    let mut at = 0;
    while let Some(&v) = open.get(at) {
        at += 1;
        for &u in &predecessors[v as usize] {
            if hops[u as usize] == NEVER {
                hops[u as usize] = hops[v as usize] + 1;
                open.push(u);
            }
        }
    }
    hops
}
