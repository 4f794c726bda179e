//! Crossover and mutation: both keep every transition an edge and every key in its place.
//!
//! A cut (i, j) between Aᵢ|Aᵢ₊₁ and Bⱼ|Bⱼ₊₁ is feasible when the edges Aᵢ→Bⱼ₊₁ and Bⱼ→Aᵢ₊₁ exist and both lie in the
//! same leg. The genes between two feasible cuts are exchanged. Only a few places, drawn at random, are looked at: a
//! listing of all would cost more than the rest of a generation.

use ugoki_base::math::Random;

use super::chromosome::{Gene, Population};
use super::score::Search;

/// Places of the one strand at which all places of the other are looked at.
const ROWS: usize = 6;

/// Feasible cuts that are kept: one of each place, and those at both ends.
const KEPT: usize = ROWS + 2;

/// Nodes that are tried for each new gene of a mutation.
const TRIES: usize = 12;

/// Genes that a mutation replaces at most; longer ones are left to the exchange.
const LONGEST: usize = 4;

/// In one of this many exchanges a layer other than the base stays as it is though it could be cut.
const STAY: usize = 4;

/// A cut after gene `a` of the one strand and gene `b` of the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cut {
    pub(super) a: usize,
    pub(super) b: usize,
}

/// Two children of `a` and `b` into slots 0 and 1 of `kids`; false when there are no cuts.
pub(super) fn cross(
    search: &Search<'_>,
    parents: &Population,
    (a, b): (usize, usize),
    kids: &mut Population,
    random: &mut Random,
) -> bool {
    let base = search.base;
    let (first, second) = (parents.strand(a, base), parents.strand(b, base));
    let Some((from, to)) = draw_cuts(search, base, first, second, random) else { return false };
    if !exchange(search, base, first, second, (from, to), kids) {
        return false;
    }
    if search.tables.len() == 1 {
        return true;
    }
    let time = |cut: usize| {
        let start = search.tables[base].first_s;
        start + first[..=cut + 1].iter().map(|gene| gene.advance).sum::<f32>()
    };
    let (from_s, to_s) = (time(from.a), time(to.a));
    for layer in (0..search.tables.len()).filter(|&layer| layer != base) {
        let (first, second) = (parents.strand(a, layer), parents.strand(b, layer));
        let cuts = (random.index(STAY) > 0)
            .then(|| {
                let from = nearest_cut(search, layer, first, second, from_s)?;
                let to = nearest_cut(search, layer, first, second, to_s)?;
                (from.a < to.a && from.b < to.b).then_some((from, to))
            })
            .flatten();
        let done = cuts.is_some_and(|cuts| exchange(search, layer, first, second, cuts, kids));
        if !done {
            kids.put(0, layer, first);
            kids.put(1, layer, second);
        }
    }
    true
}

fn feasible(search: &Search<'_>, layer: usize, a: &[Gene], b: &[Gene], cut: Cut) -> bool {
    let (ai, bj) = (a[cut.a], b[cut.b]);
    ai.leg == bj.leg
        && search.has(layer, ai.node, b[cut.b + 1].node)
        && search.has(layer, bj.node, a[cut.a + 1].node)
}

/// A first and a second feasible cut at random, the first before the second in both strands.
fn draw_cuts(
    search: &Search<'_>,
    layer: usize,
    a: &[Gene],
    b: &[Gene],
    random: &mut Random,
) -> Option<(Cut, Cut)> {
    if a.len() < 3 || b.len() < 3 {
        return None;
    }
    let (n, m) = (a.len() - 1, b.len() - 1);
    let mut kept = [Cut { a: 0, b: 0 }; KEPT];
    let mut count = 0;
    // A few places in the one, each with all places of the other: one node's edges lie together in memory.
    let bits = random.next_u64();
    let first = (((bits >> 32) * n as u64) >> 32) as usize;
    let turn = (((bits & 0xffff_ffff) * m as u64) >> 32) as usize;
    let stride = (n / ROWS).max(1);
    for row in 0..ROWS.min(n) {
        let i = (first + row * stride) % n;
        let ends = (a[i], a[i + 1].node);
        // One cut of a place is enough.
        let found = first_fit(search, layer, ends, &b[turn..]).map(|j| turn + j);
        if let Some(j) = found.or_else(|| first_fit(search, layer, ends, &b[..=turn])) {
            kept[count] = Cut { a: i, b: j };
            count += 1;
        }
    }
    // Where strands begin or end alike, their ends can always be cut.
    for cut in [Cut { a: 0, b: 0 }, Cut { a: n - 1, b: m - 1 }] {
        if count < KEPT && !kept[..count].contains(&cut) && feasible(search, layer, a, b, cut) {
            kept[count] = cut;
            count += 1;
        }
    }
    for _ in 0..KEPT {
        let (p, q) = (kept[random.index(count)], kept[random.index(count)]);
        let (from, to) = if p.a < q.a { (p, q) } else { (q, p) };
        if from.a < to.a && from.b < to.b {
            return Some((from, to));
        }
    }
    None
}

/// The first place of `b` at which a strand that goes from `here` to `next` can be cut too.
#[inline]
fn first_fit(search: &Search<'_>, layer: usize, (here, next): (Gene, u32), b: &[Gene]) -> Option<usize> {
    let after = search.row(layer, here.node);
    b.windows(2).position(|pair| {
        let (from, to) = (pair[0], pair[1].node);
        let common = here.node == from.node || next == to;
        here.leg == from.leg && (common || (after.has(to) && search.has(layer, from.node, next)))
    })
}

/// The feasible cut nearest to a time, among those next to it in both strands.
fn nearest_cut(search: &Search<'_>, layer: usize, a: &[Gene], b: &[Gene], at_s: f32) -> Option<Cut> {
    let near = |strand: &[Gene]| {
        let mut time = search.tables[layer].first_s;
        let mut best = (f32::INFINITY, 0);
        for (i, gene) in strand.iter().enumerate().skip(1) {
            time += gene.advance;
            if (time - at_s).abs() < best.0 {
                best = ((time - at_s).abs(), i - 1);
            }
        }
        best.1
    };
    if a.len() < 3 || b.len() < 3 {
        return None;
    }
    let (i, j) = (near(a), near(b));
    let around = |at: usize, len: usize| [Some(at), at.checked_sub(1), Some(at + 1).filter(|&k| k + 1 < len)];
    around(i, a.len()).into_iter().flatten().find_map(|i| {
        around(j, b.len())
            .into_iter()
            .flatten()
            .map(|j| Cut { a: i, b: j })
            .find(|&cut| feasible(search, layer, a, b, cut))
    })
}

/// Writes both strands with their middles exchanged; false when one would be too long.
pub(super) fn exchange(
    search: &Search<'_>,
    layer: usize,
    a: &[Gene],
    b: &[Gene],
    (from, to): (Cut, Cut),
    kids: &mut Population,
) -> bool {
    splice(search, layer, a, &b[from.b + 1..=to.b], (from.a, to.a), kids, 0)
        && splice(search, layer, b, &a[from.a + 1..=to.a], (from.b, to.b), kids, 1)
}

/// `outer` with its genes after `cut.0` up to `cut.1` replaced by `inner`, into a slot.
fn splice(
    search: &Search<'_>,
    layer: usize,
    outer: &[Gene],
    inner: &[Gene],
    cut: (usize, usize),
    kids: &mut Population,
    slot: usize,
) -> bool {
    let (head, tail) = (&outer[..=cut.0], &outer[cut.1 + 1..]);
    let len = head.len() + inner.len() + tail.len();
    let room = kids.strand_room(slot, layer);
    if len > room.len() {
        return false;
    }
    let (a, b) = (head.len(), head.len() + inner.len());
    room[..a].copy_from_slice(head);
    room[a..b].copy_from_slice(inner);
    room[b..len].copy_from_slice(tail);
    for at in [a, b].into_iter().filter(|&at| at > 0 && at < len) {
        match search.step(layer, room[at - 1].node, room[at].node, room[at].leg) {
            Some(gene) => room[at] = gene,
            None => return false,
        }
    }
    kids.set_len(slot, layer, len);
    true
}

/// Replaces a few genes of slot `slot` of `kids` by another walk between the same neighbours; false, and the slot is
/// invalid, when chance found none.
pub(super) fn mutate(search: &Search<'_>, kids: &mut Population, slot: usize, random: &mut Random) -> bool {
    let layer = random.index(search.tables.len());
    let track = &search.interval.tracks[layer];
    let strand = kids.strand(slot, layer);
    let n = strand.len();
    // Gene 0 stands still where it is a key; so do keys inside, unless a tag leaves a choice.
    let free_start = usize::from(track.first_is_anchor());
    let free_end = if track.open_end { n } else { n - 1 };
    if free_start >= free_end {
        return change_anchor(search, layer, kids, slot, 0, random);
    }
    let at = free_start + random.index(free_end - free_start);
    let is_anchor = at > 0 && strand[at].leg != strand[at - 1].leg;
    if is_anchor {
        return change_anchor(search, layer, kids, slot, at, random);
    }
    let leg = strand[at].leg;
    let span = 1 + random.index(LONGEST);
    // Genes at..end go; none of them is a key.
    let end = (at..(at + span).min(free_end)).take_while(|&i| strand[i].leg == leg).last().unwrap_or(at) + 1;
    let count = (end - at + random.index(3)).saturating_sub(1);
    if at == 0 && (count == 0 || end == n) {
        return false;
    }
    let mut fresh = [Gene::default(); LONGEST + 2];
    let before = (at > 0).then(|| strand[at - 1].node);
    let after = strand.get(end).map(|gene| gene.node);
    let Some(count) = walk(search, layer, (before, after), leg, &mut fresh[..count], random) else {
        return false;
    };
    let len = at + count + (n - end);
    let room = kids.strand_room(slot, layer);
    if len > room.len() {
        return false;
    }
    room.copy_within(end..n, at + count);
    room[at..at + count].copy_from_slice(&fresh[..count]);
    if (1..len).contains(&(at + count)) {
        let (before, next) = (room[at + count - 1], room[at + count]);
        match search.step(layer, before.node, next.node, next.leg) {
            Some(gene) => room[at + count] = gene,
            None => return false,
        }
    }
    if at == 0 {
        room[0] = Gene { cost: 0.0, advance: 0.0, ..room[0] };
    }
    kids.set_len(slot, layer, len);
    true
}

/// Fills `out` with a walk after `before` that can go on to `after`; how many genes, or nothing.
fn walk(
    search: &Search<'_>,
    layer: usize,
    (before, after): (Option<u32>, Option<u32>),
    leg: u32,
    out: &mut [Gene],
    random: &mut Random,
) -> Option<usize> {
    let network = search.tables[layer].network;
    let count = out.len();
    if count == 0 {
        let direct = before.zip(after).is_none_or(|(from, to)| search.has(layer, from, to));
        return direct.then_some(0);
    }
    let mut at = before;
    for (i, place) in out.iter_mut().enumerate() {
        let last = i + 1 == count;
        let mut best: Option<Gene> = None;
        let next = at.map_or(&[][..], |from| network.successors(from as usize));
        for _ in 0..TRIES {
            let gene = match at {
                None => Gene { node: random.index(search.seconds.len()) as u32, leg, ..Gene::default() },
                Some(from) => {
                    let place = random.index(next.len());
                    let to = *next.get(place)?;
                    // Most that are drawn do not fit; only what does is looked up.
                    if last && after.is_some_and(|after| !search.has(layer, to, after)) {
                        continue;
                    }
                    if network.is_interior() {
                        search.step(layer, from, to, leg)?
                    } else {
                        // What is drawn from a row has its cost next to it; the table of all pairs is far from every
                        // cache.
                        let cost = network.costs(from as usize)[place];
                        Gene { node: to, cost, advance: search.seconds[from as usize], leg }
                    }
                }
            };
            let fits = !last || after.is_none_or(|to| search.has(layer, gene.node, to));
            if fits {
                // Of two that fit the cheaper.
                match best {
                    Some(other) => {
                        best = Some(if gene.cost < other.cost { gene } else { other });
                        break;
                    }
                    None => best = Some(gene),
                }
            }
        }
        *place = best?;
        at = Some(place.node);
    }
    Some(count)
}

/// Another node of the tag at the key that gene `at` is.
fn change_anchor(
    search: &Search<'_>,
    layer: usize,
    kids: &mut Population,
    slot: usize,
    at: usize,
    random: &mut Random,
) -> bool {
    let track = &search.interval.tracks[layer];
    let strand = kids.strand(slot, layer);
    let gene = strand[at];
    let anchor = if at == 0 && track.first_is_anchor() {
        track.anchors.first()
    } else {
        (gene.leg as usize).checked_sub(1).and_then(|leg| track.anchor_after(leg))
    };
    let Some(anchor) = anchor.filter(|anchor| anchor.nodes.len() > 1) else { return false };
    let (before, after) = (at.checked_sub(1).map(|i| strand[i].node), strand.get(at + 1).copied());
    for _ in 0..TRIES {
        let node = anchor.nodes[random.index(anchor.nodes.len())];
        let fits = node != gene.node
            && before.is_none_or(|from| search.has(layer, from, node))
            && after.is_none_or(|to| search.has(layer, node, to.node));
        if !fits {
            continue;
        }
        let new = before.map_or(Some(Gene { node, ..gene }), |from| search.step(layer, from, node, gene.leg));
        let next = after.map(|to| search.step(layer, node, to.node, to.leg));
        let (Some(new), false) = (new, next == Some(None)) else { continue };
        let room = kids.strand_room(slot, layer);
        room[at] = new;
        if let Some(Some(next)) = next {
            room[at + 1] = next;
        }
        return true;
    }
    false
}
