//! From a network to what players may do: its transitions, where segments of a repertoire meet.

use ugoki_motion::edit::Repertoire;

use super::{Catalogue, Origin};

/// A transition of the network is taken at the cuts of the sources nearest to it, at most this far away, seconds: half a stride, so
/// that there is one on either foot.
const NEAR_S: f64 = 0.6;

/// The transitions of a catalogue's network between sources of a repertoire, for [`Repertoire::linked`]: pairs of segments, cheapest
/// transitions first. Sources are the catalogue's clips by name. A network joins ends to starts of clips and pieces; players join where
/// one foot stands flat, so each transition is taken at the nearest pair of cuts on the same foot, or left out where there is none.
#[must_use]
pub fn transitions(repertoire: &Repertoire, catalogue: &Catalogue, layer: usize) -> Vec<(usize, usize)> {
    let Some(network) = catalogue.networks().get(layer) else { return Vec::new() };
    let source_of = |origin: &Origin| -> Option<usize> {
        let name = &catalogue.clips().get(origin.clip)?.name;
        repertoire.sources().iter().position(|source| source.name() == name)
    };
    let mut found: Vec<(f32, (usize, usize))> = Vec::new();
    for (from, origin) in catalogue.origins().iter().enumerate() {
        let Some(source) = source_of(origin) else { continue };
        for edge in network.edges(from) {
            let next = &catalogue.origins()[edge.to as usize];
            let Some(then) = source_of(next) else { continue };
            let rate = |source: usize| repertoire.sources()[source].clip_fps();
            let exit = origin.frames.end as f64 / rate(source) - f64::from(edge.exit_s);
            let entry = next.frames.start as f64 / rate(then) + f64::from(edge.entry_s);
            if let Some(pair) = nearest(repertoire, (source, exit), (then, entry)) {
                found.push((edge.cost, pair));
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (_, pair) in found {
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// The segments that end and begin nearest to these times of their sources, seconds, and may follow each other.
fn nearest(repertoire: &Repertoire, exit: (usize, f64), entry: (usize, f64)) -> Option<(usize, usize)> {
    let segments = repertoire.segments();
    let time = |source: usize, frame: usize| frame as f64 / repertoire.sources()[source].fps();
    let mut best: Option<(f64, (usize, usize))> = None;
    for (a, from) in segments.iter().enumerate().filter(|(_, segment)| segment.source == exit.0) {
        let before = (time(exit.0, from.to) - exit.1).abs();
        if before > NEAR_S || from.leave.is_none() {
            continue;
        }
        for (b, to) in segments.iter().enumerate().filter(|(_, segment)| segment.source == entry.0) {
            let after = (time(entry.0, to.from) - entry.1).abs();
            // Going on as the source does is no transition.
            let goes_on = exit.0 == entry.0 && from.to == to.from;
            if after > NEAR_S || goes_on || !repertoire.fits(a, b) {
                continue;
            }
            if best.is_none_or(|(least, _)| before + after < least) {
                best = Some((before + after, (a, b)));
            }
        }
    }
    best.map(|best| best.1)
}
