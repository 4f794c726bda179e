//! What would help where a gap cannot be filled: every remedy is tried out before it is named.

use ugoki_base::no_progress;
use ugoki_base::{Cancelled, Progress};

use super::plan::up;
use super::run::{Earlier, fill, last_threshold};
use super::{ComposeConfig, ComposeError, Criterion, Gap, Library, Remedy, Timeline, Why};
use crate::network::{Method, Network, NetworkConfig, build_network};

/// Nodes up to which remedies are tried out and networks are rebuilt for other thresholds: some hundred milliseconds.
pub(super) const TRIED: usize = 2000;

/// The highest threshold that is named, rad², and below which databases keep transitions. Poses alone differ by 1 at most;
/// out of throws, kicks and landings speeds add up to several times as much.
pub const HIGHEST_THRESHOLD: f64 = 16.0;

/// Steps in which the least threshold is narrowed down, each to the root of what is left of a factor of four.
const NARROWED: usize = 5;

/// Times that a gap's length is corrected before that is given up.
const CORRECTED: usize = 4;

/// Number of intervals that may in turn require a higher F_v before the search for one ends.
const INTERVALS: usize = 64;

/// Generations of a trial at most; it needs one walk, not several.
const GENERATIONS: usize = 300;

/// Remedies for the failure of a search, each of which was found to work.
pub(super) fn remedies(
    library: &Library<'_>,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    (gap, why): (&Gap, &Why),
    progress: Progress<'_>,
) -> Result<Vec<Remedy>, Cancelled> {
    let generations = config.generations.min(GENERATIONS);
    let quick = ComposeConfig { candidates: 1, generations, ..config.clone() };
    let mut trial = |library: &Library<'_>, timeline: &Timeline, config: &ComposeConfig| match fill(
        library,
        timeline,
        criteria,
        config,
        Earlier::default(),
        &mut |_| progress(1.0),
    ) {
        Ok(_) => Ok(None),
        Err(ComposeError::Cancelled(stop)) => Err(stop),
        Err(error) => Ok(Some(error)),
    };
    if let Why::Strict { best_f, .. } = why {
        let works = valid(*best_f, &mut |valid_f| {
            // The search that failed is repeated, or another might find something better.
            trial(library, timeline, &ComposeConfig { valid_f: Some(valid_f), ..config.clone() })
        })?;
        return Ok(works.into_iter().map(|valid_f| Remedy::Valid { valid_f }).collect());
    }
    let mut found = Vec::new();
    let own = library.networks.first().map_or(0.0, |network| f64::from(network.threshold()));
    let now = f64::from(last_threshold(library, config));
    // What networks hold beyond the threshold needs no other networks.
    let held = own >= HIGHEST_THRESHOLD.min(4.0 * now);
    if held || can_rebuild(library) {
        let most = library.networks.first().and_then(Network::most);
        let mut works = |threshold: f64| {
            let quick = ComposeConfig { thresholds: vec![threshold], ..quick.clone() };
            if held {
                return Ok(trial(library, timeline, &quick)?.is_none());
            }
            rebuilt(library, threshold, most, &mut |library| Ok(trial(library, timeline, &quick)?.is_none()))
        };
        let highest = if held { HIGHEST_THRESHOLD.min(own) } else { HIGHEST_THRESHOLD };
        found.extend(threshold(now, highest, &mut works)?.map(|threshold| Remedy::Threshold { threshold }));
    }
    if library.nodes.len() > TRIED {
        return Ok(found);
    }
    if let Some(by_s) = moved(timeline, gap, why, &mut |timeline| trial(library, timeline, &quick))? {
        found.push(Remedy::Move { by_s });
    }
    Ok(found)
}

/// Whether networks with other transitions can be tried out.
pub(super) fn can_rebuild(library: &Library<'_>) -> bool {
    library.features.len() == library.networks.len() && library.nodes.len() <= TRIED
}

/// The F_v, four digits, that lets all intervals pass: where one passes, the next may fail.
fn valid(
    best_f: f64,
    trial: &mut dyn FnMut(f64) -> Result<Option<ComposeError>, Cancelled>,
) -> Result<Option<f64>, Cancelled> {
    let mut best_f = best_f;
    for _ in 0..INTERVALS {
        let valid_f = (best_f * 1e4).ceil() / 1e4;
        match trial(valid_f)? {
            None => return Ok(Some(valid_f)),
            Some(ComposeError::Gap { why: Why::Strict { best_f: now, .. }, .. }) if now > best_f => {
                best_f = now;
            }
            Some(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// Whether something works with networks of other transitions.
fn rebuilt(
    library: &Library<'_>,
    threshold: f64,
    most: Option<u32>,
    works: &mut dyn FnMut(&Library<'_>) -> Result<bool, Cancelled>,
) -> Result<bool, Cancelled> {
    let config = NetworkConfig { threshold, most, method: Method::Auto };
    let networks =
        library.features.iter().map(|features| build_network(features, &config, &mut no_progress()));
    // More transitions than memory holds are no remedy either.
    let Ok(networks) = networks.collect::<Result<Vec<Network>, _>>() else { return Ok(false) };
    works(&Library { networks: &networks, ..*library })
}

/// The least threshold above `now` that works, two digits of it.
fn threshold(
    now: f64,
    highest: f64,
    works: &mut dyn FnMut(f64) -> Result<bool, Cancelled>,
) -> Result<Option<f64>, Cancelled> {
    let (mut low, mut high) = (now, None);
    while high.is_none() && low < highest {
        let next = (4.0 * low).min(highest);
        match works(next)? {
            true => high = Some(next),
            false => low = next,
        }
    }
    let Some(mut high) = high else { return Ok(None) };
    for _ in 0..NARROWED {
        let middle = (low * high).sqrt();
        if works(middle)? { high = middle } else { low = middle }
    }
    let named = two_digits_up(high);
    Ok(Some(if works(named)? { named } else { high }))
}

/// The number with two digits that is next above.
fn two_digits_up(value: f64) -> f64 {
    let place = value.log10().floor() as i32 - 1;
    let digits = (value / 10_f64.powi(place) - 1e-9).ceil();
    format!("{digits}e{place}").parse().unwrap_or(value)
}

/// By how much the end of a gap has to move, seconds, where that alone helps.
fn moved(
    timeline: &Timeline,
    gap: &Gap,
    why: &Why,
    trial: &mut dyn FnMut(&Timeline) -> Result<Option<ComposeError>, Cancelled>,
) -> Result<Option<f64>, Cancelled> {
    let step = |why: &Why| match why {
        Why::TooShort { by_s } | Why::KeyTooLong { by_s, .. } => Some(up(*by_s)),
        Why::TooLong { by_s } => Some(-up(*by_s)),
        _ => None,
    };
    let Some(mut by_s) = step(why) else { return Ok(None) };
    for _ in 0..CORRECTED {
        if let Some(bpm) = timeline.bpm {
            // Keys move by whole beats.
            let beats = by_s * bpm / 60.0;
            by_s = if beats > 0.0 { beats.ceil() } else { beats.floor() } * 60.0 / bpm;
        }
        let mut other = timeline.clone();
        other.keys.iter_mut().zip(&timeline.keys).for_each(|(key, was)| {
            if gap.to.is_some() && timeline.on_beat(was.at) >= gap.end_s - 1e-6 {
                key.at += by_s;
            }
        });
        other.seconds = timeline.seconds.map(|seconds| seconds + by_s);
        if other.check().is_err() {
            return Ok(None);
        }
        match trial(&other)? {
            None => return Ok(Some(by_s)),
            Some(ComposeError::Gap { gap: now, why: ref still, .. })
                if now.to == gap.to && now.layer == gap.layer && (now.start_s - gap.start_s).abs() < 1e-6 =>
            {
                let Some(more) = step(still) else { return Ok(None) };
                by_s = up(by_s + more);
            }
            Some(_) => return Ok(None),
        }
    }
    Ok(None)
}
