//! What a walk may do, from the strictest rules to the laxest.

use super::{Interval, Library};
use crate::network::Network;

/// Fraction of a beat by which a leg may be off and still be on the beat; rounding is far below it, the next beat far
/// above.
const BEAT_OFF: f64 = 0.25;

/// Rules by which an interval may be filled.
#[derive(Debug)]
pub(super) struct Rule<'a> {
    pub(super) networks: &'a [Network],
    /// Fraction by which a leg's time may be off.
    pub(super) tempo_change: f64,
    /// Whether clips may leave the beat.
    pub(super) off_beat: bool,
}

/// The rules, strictest first: nothing repeats straight away, no clip but a key stands still for the beat and nothing
/// leaves the beat unless it must, and then rather stands than repeats, and rather repeats than leaves the beat. `calm`
/// are the networks of the first two rules.
pub(super) fn rules<'a>(
    library: &Library<'a>,
    calm: &'a [Vec<Network>],
    interval: &Interval,
    most: f64,
) -> Vec<Rule<'a>> {
    let longest = interval.tracks.iter().flat_map(|track| &track.legs_s).copied().fold(0.0, f64::max);
    let interior = library.networks.iter().any(Network::is_interior);
    // Clips last whole beats, so that a leg that is off by less than half of one is not off at all.
    let on_beat = interval
        .tempo
        .beat_s()
        .filter(|_| !interior && longest > 0.0)
        .map(|beat_s| BEAT_OFF * beat_s / longest);
    let times = [on_beat.filter(|change| *change < most).map(|change| (change, false)), Some((most, true))];
    let tight = times[0].is_some();
    let mut rules = Vec::new();
    for (tempo_change, off_beat) in times.into_iter().flatten() {
        let rule = |networks| Rule { networks, tempo_change, off_beat: off_beat && tight };
        rules.extend(calm.iter().map(|networks| rule(networks)));
        rules.push(rule(library.networks));
    }
    rules
}
