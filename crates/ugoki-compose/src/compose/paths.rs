//! The baseline: the cheapest walks of the right length, layer by layer, then ranked by F.
//!
//! A walk's state is its node and its time, in buckets shorter than any clip; for each state the few cheapest walks are
//! kept. As every step goes to a later bucket, one pass over the buckets finds the cheapest walks that arrive in time.

use ugoki_base::{Cancelled, Progress, report};

use super::ComposeConfig;
use super::chromosome::{Gene, Marks};
use super::pool::{Entry, Pool};
use super::score::Search;

/// Buckets of one leg at most.
const BUCKETS: usize = 400;

/// Walks of one leg at most, for nodes and buckets together; buckets become wider before. Each takes some hundred bytes
/// with the walks that were cheaper once.
const STATES: usize = 1 << 22;

/// Walks of one leg that go on into the next, for each that is kept of a node and bucket.
const ARRIVALS: usize = 64;

/// Combinations of the layers' walks that are ranked by F, for each that is kept of a node and bucket.
const COMBINATIONS: usize = 5_000;

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Label {
    cost: f32,
    /// Since the leg's start.
    time: f32,
    node: u32,
    leg: u32,
    before: u32,
}

/// Chromosomes of the cheapest walks, best F first; empty when none arrives in time.
pub(super) fn cheapest(
    search: &Search<'_>,
    config: &ComposeConfig,
    most: usize,
    progress: Progress<'_>,
) -> Result<Pool, Cancelled> {
    let &ComposeConfig { tempo_change, kept, .. } = config;
    let layers = search.tables.len();
    let mut strands: Vec<Vec<Vec<Gene>>> = Vec::with_capacity(layers);
    for layer in 0..layers {
        strands.push(layer_walks(search, layer, tempo_change, kept));
        report(progress, (layer + 1) as f32 / (layers + 1) as f32)?;
    }
    combined(search, strands, config, most, progress)
}

/// Chromosomes of these walks by layer in all combinations, best F first; the first walks of each layer where there would
/// be too many.
pub(super) fn combined(
    search: &Search<'_>,
    mut strands: Vec<Vec<Vec<Gene>>>,
    config: &ComposeConfig,
    most: usize,
    progress: Progress<'_>,
) -> Result<Pool, Cancelled> {
    let &ComposeConfig { torso_hz, kept, .. } = config;
    let layers = strands.len();
    let mut pool = Pool::default();
    if strands.iter().any(Vec::is_empty) {
        return Ok(pool);
    }
    let per_layer = (((COMBINATIONS * kept) as f64).powf(1.0 / layers as f64) as usize).max(1);
    strands.iter_mut().for_each(|walks| walks.truncate(per_layer));
    // Counts through all combinations, the first layer slowest.
    let total: usize = strands.iter().map(Vec::len).product();
    let mut ranked: Vec<(Marks, usize)> = Vec::with_capacity(total);
    let pick = |mut number: usize| -> Vec<&[Gene]> {
        let mut picked: Vec<&[Gene]> = vec![&[]; layers];
        for (layer, walks) in strands.iter().enumerate().rev() {
            picked[layer] = &walks[number % walks.len()];
            number /= walks.len();
        }
        picked
    };
    for number in 0..total {
        ranked.push((search.score(&pick(number), torso_hz, f64::INFINITY), number));
        if number % 1024 == 1023 {
            let done = (layers as f32 + number as f32 / total as f32) / (layers + 1) as f32;
            report(progress, done)?;
        }
    }
    ranked.sort_by(|a, b| a.0.f.total_cmp(&b.0.f).then(a.1.cmp(&b.1)));
    for (_, number) in ranked.into_iter().take(most) {
        pool.put(Entry::new(search, pick(number).into_iter().map(<[Gene]>::to_vec).collect()));
    }
    Ok(pool)
}

/// The cheapest strands of one layer that keep every leg's time within `tempo_change`, cheapest first.
fn layer_walks(search: &Search<'_>, layer: usize, tempo_change: f64, kept: usize) -> Vec<Vec<Gene>> {
    let track = &search.interval.tracks[layer];
    let mut labels: Vec<Label> = Vec::new();
    let all: Vec<u32> = (0..search.seconds.len() as u32).collect();
    let first = track.anchors.first().filter(|_| track.first_is_anchor());
    let mut front: Vec<u32> = Vec::new();
    for &node in first.map_or(&all, |anchor| &anchor.nodes) {
        front.push(labels.len() as u32);
        labels.push(Label { cost: 0.0, time: 0.0, node, leg: 0, before: NONE });
    }
    for leg in 0..track.legs_s.len() {
        front = leg_walks(search, layer, leg, (tempo_change as f32, kept), &front, &mut labels);
    }
    front.iter().filter_map(|&end| strand(search, layer, &labels, end)).collect()
}

/// Walks one leg from the labels `front`; gives the labels that arrive, cheapest first.
fn leg_walks(
    search: &Search<'_>,
    layer: usize,
    leg: usize,
    (tempo_change, kept): (f32, usize),
    front: &[u32],
    labels: &mut Vec<Label>,
) -> Vec<u32> {
    let table = &search.tables[layer];
    let n = search.seconds.len();
    let want = table.legs_s[leg];
    let (early, late) = (want * (1.0 - tempo_change), want * (1.0 + tempo_change));
    let anchor = search.interval.tracks[layer].anchor_after(leg);
    let shortest = search.seconds.iter().copied().fold(f32::INFINITY, f32::min);
    let shortest = if table.network.is_interior() { shortest / 3.0 } else { shortest };
    let most = BUCKETS.min((STATES / (n * kept)).max(8));
    // Narrower than a step where that many buckets suffice; wider ones are swept until nothing is new in them.
    let width = (0.5 * shortest).max(late / most as f32);
    let count = (late / width) as usize + 1;
    let mut states = vec![NONE; count * n * kept];
    let mut arrivals: Vec<u32> = Vec::new();
    for &label in front {
        let node = labels[label as usize].node;
        keep(&mut states[node as usize * kept..][..kept], label, labels);
        if anchor.is_none() && in_time(search, &labels[label as usize], early, late) {
            arrivals.push(label);
        }
    }
    for bucket in 0..count {
        for node in 0..n {
            for place in 0..kept {
                let at = states[(bucket * n + node) * kept + place];
                if at == NONE {
                    continue;
                }
                let label = labels[at as usize];
                for edge in table.network.edges(node) {
                    let time = label.time + search.seconds[node] - edge.exit_s - edge.entry_s;
                    if time > late {
                        continue;
                    }
                    let cost = label.cost + edge.cost;
                    let arrives = anchor.is_some_and(|anchor| anchor.nodes.binary_search(&edge.to).is_ok());
                    if arrives && time >= early {
                        arrivals.push(labels.len() as u32);
                        labels.push(Label {
                            cost,
                            time: 0.0,
                            node: edge.to,
                            leg: leg as u32 + 1,
                            before: at,
                        });
                    }
                    let into = (((time / width) as usize).max(bucket + 1)).min(count);
                    let from = (into * n + edge.to as usize) * kept;
                    let Some(state) = states.get_mut(from..from + kept) else { continue };
                    let worst = state[kept - 1];
                    if worst != NONE && labels[worst as usize].cost <= cost {
                        continue;
                    }
                    let fresh = Label { cost, time, node: edge.to, leg: leg as u32, before: at };
                    let number = labels.len() as u32;
                    labels.push(fresh);
                    keep(state, number, labels);
                    if anchor.is_none() && in_time(search, &fresh, early, late) {
                        arrivals.push(number);
                    }
                }
            }
        }
    }
    let cost = |label: &u32| labels[*label as usize].cost;
    arrivals.sort_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b)));
    arrivals.truncate(ARRIVALS * kept);
    arrivals
}

/// Whether a walk that ends with this clip fills an open end.
fn in_time(search: &Search<'_>, label: &Label, early: f32, late: f32) -> bool {
    let end = label.time + search.seconds[label.node as usize];
    end >= early && end <= late
}

/// Puts a label among the cheapest, which stand in order.
fn keep(state: &mut [u32], label: u32, labels: &[Label]) {
    let cost = labels[label as usize].cost;
    let place = state.iter().position(|&other| other == NONE || labels[other as usize].cost > cost);
    if let Some(place) = place {
        state[place..].rotate_right(1);
        state[place] = label;
    }
}

/// The strand that ends with a label.
fn strand(search: &Search<'_>, layer: usize, labels: &[Label], end: u32) -> Option<Vec<Gene>> {
    let mut nodes = Vec::new();
    let mut at = end;
    while at != NONE {
        let label = labels[at as usize];
        nodes.push((label.node, label.leg));
        at = label.before;
    }
    nodes.reverse();
    let mut strand = vec![Gene { node: nodes[0].0, leg: nodes[0].1, ..Gene::default() }];
    for pair in nodes.windows(2) {
        strand.push(search.step(layer, pair[0].0, pair[1].0, pair[1].1)?);
    }
    Some(strand)
}
