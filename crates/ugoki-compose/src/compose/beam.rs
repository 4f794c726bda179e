//! The best walks that tables of what lies ahead lead to, by a beam of many walks side by side.
//!
//! A table knows times by buckets; a walk that always takes its best step is off by what rounding adds up to. Here the
//! many best beginnings go on together, each with its true time and cost, and the table only ranks them.

use super::chromosome::Gene;
use super::cost_to_go::CostToGo;
use super::score::Search;

/// Beginnings that go on side by side.
const WIDTH: usize = 64;

/// Times that count as one, seconds: rounding of sums is far below, a frame far above.
const SAME_S: f32 = 1e-3;

const NONE: u32 = u32::MAX;

/// A beginning of a walk.
#[derive(Debug, Clone, Copy)]
struct Label {
    gene: Gene,
    /// What it cost so far, by the goals of its legs' tables.
    total: f32,
    /// Time left in its leg when its last gene starts, seconds.
    left: f32,
    before: u32,
}

/// Whole strands of one layer, best first, by time and transitions; empty where some leg has no table or none arrives.
pub(super) fn beam(search: &Search<'_>, layer: usize, aheads: &[Option<CostToGo>]) -> Vec<Vec<Gene>> {
    let track = &search.interval.tracks[layer];
    let Some(Some(first)) = aheads.first() else { return Vec::new() };
    let leg_s = search.tables[layer].legs_s[0];
    let all: Vec<u32> = (0..search.seconds.len() as u32).collect();
    let heads = track.anchors.first().filter(|_| track.first_is_anchor()).map_or(&all, |key| &key.nodes);
    let mut labels: Vec<Label> = Vec::new();
    let mut front: Vec<(f32, u32)> = Vec::new();
    for &node in heads {
        let label = Label { gene: Gene { node, ..Gene::default() }, total: 0.0, left: leg_s, before: NONE };
        front.push((first.cost(node, leg_s), labels.len() as u32));
        labels.push(label);
    }
    for (leg, ahead) in aheads.iter().enumerate() {
        let Some(ahead) = ahead else { return Vec::new() };
        best_of(&mut front);
        front = walk_leg(search, layer, leg, ahead, &front, &mut labels);
        // The next leg begins where these arrive; what they cost there is not known yet, and so all go on.
        let next_s = search.tables[layer].legs_s.get(leg + 1).copied().unwrap_or(0.0);
        front.iter().for_each(|&(_, label)| labels[label as usize].left = next_s);
    }
    front.iter().map(|&(_, end)| strand(&labels, end)).collect()
}

/// Walks one leg from the labels `front`; the labels that arrive with what they cost, cheapest first.
fn walk_leg(
    search: &Search<'_>,
    layer: usize,
    leg: usize,
    ahead: &CostToGo,
    front: &[(f32, u32)],
    labels: &mut Vec<Label>,
) -> Vec<(f32, u32)> {
    let table = &search.tables[layer];
    let anchor = search.interval.tracks[layer].anchor_after(leg);
    let mut front = front.to_vec();
    let mut arrived: Vec<(f32, u32)> = Vec::new();
    for _ in 0..table.cap {
        let mut next: Vec<(f32, Label)> = Vec::new();
        for &(_, place) in &front {
            let label = labels[place as usize];
            let at = label.gene.node as usize;
            let after = label.left - search.seconds[at];
            if anchor.is_none() && ahead.is_on_time(after) {
                arrived.push((label.total + ahead.arrival(after), place));
            }
            for edge in table.network.edges(at) {
                let advance = search.seconds[at] - edge.exit_s - edge.entry_s;
                let left = label.left - advance;
                let total = label.total + edge.cost - ahead.discount() + search.surcharge(layer, at);
                let gene = Gene { node: edge.to, cost: edge.cost, advance, leg: leg as u32 };
                let fresh = Label { gene, total, left, before: place };
                let is_end = anchor.is_some_and(|anchor| anchor.nodes.binary_search(&edge.to).is_ok());
                if is_end && ahead.is_on_time(left) {
                    arrived.push((total + ahead.arrival(left), labels.len() as u32));
                    labels.push(Label { gene: Gene { leg: leg as u32 + 1, ..gene }, ..fresh });
                }
                let estimate = total + ahead.cost(edge.to, left);
                if estimate < f32::INFINITY {
                    next.push((estimate, fresh));
                }
            }
        }
        best_of(&mut arrived);
        let enough = arrived.get(WIDTH - 1).map_or(f32::INFINITY, |&(total, _)| total);
        next.retain(|&(estimate, _)| estimate < enough);
        front = kept(next, labels);
        if front.is_empty() {
            break;
        }
    }
    arrived.iter().for_each(|&(total, place)| labels[place as usize].total = total);
    arrived
}

/// The cheapest of new labels, one for each node and time.
fn kept(mut next: Vec<(f32, Label)>, labels: &mut Vec<Label>) -> Vec<(f32, u32)> {
    let state = |label: &Label| (label.gene.node, (label.left / SAME_S).round() as i64);
    next.sort_unstable_by(|a, b| {
        state(&a.1).cmp(&state(&b.1)).then(a.0.total_cmp(&b.0)).then(a.1.before.cmp(&b.1.before))
    });
    next.dedup_by(|b, a| state(&a.1) == state(&b.1));
    next.sort_by(|a, b| a.0.total_cmp(&b.0));
    next.truncate(WIDTH);
    let number = |(estimate, label)| {
        labels.push(label);
        (estimate, labels.len() as u32 - 1)
    };
    next.into_iter().map(number).collect()
}

/// Keeps the cheapest, in order.
fn best_of(front: &mut Vec<(f32, u32)>) {
    front.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    front.truncate(WIDTH);
}

fn strand(labels: &[Label], end: u32) -> Vec<Gene> {
    let mut strand = Vec::new();
    let mut at = end;
    while at != NONE {
        strand.push(labels[at as usize].gene);
        at = labels[at as usize].before;
    }
    strand.reverse();
    strand
}
