//! Interior transitions as a remedy: clips that may be entered and left inside may fill a gap that their ends do not.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::library::LoadClip;
use super::{ComposeConfig, ComposeError, Criterion, Library, Remedy, Timeline, search};
use crate::network::{Catalogue, FeatureConfig, Features, Flights, Network, NetworkError, build_network};
use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_feet::feet::ClipFeet;

/// How far inside a clip interior transitions usually lie, seconds: half of what a seam is spread over.
pub const INTERIOR_S: f64 = 0.3;

/// Largest network that is tried, nodes: features of a thousand take about a second.
const MOST_NODES: usize = 2000;

/// Generations of the trial at most; it needs one walk, not several.
const GENERATIONS: usize = 300;

/// The failure of a search, with interior transitions among its remedies where a search shows that they help.
///
/// # Errors
/// When a clip cannot be loaded, or the caller stops.
pub(super) fn suggest_interior(
    failure: ComposeError,
    catalogue: &Catalogue,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    load: LoadClip<'_>,
    progress: Progress<'_>,
) -> Result<ComposeError, ComposeError> {
    let ComposeError::Gap { gap, why, mut remedies, tried } = failure else {
        return Ok(failure);
    };
    let unsuited = catalogue.config().features.interior_s > 0.0 || catalogue.nodes().len() > MOST_NODES;
    // More transitions do not help against an F_v that is too strict.
    if !unsuited && !remedies.iter().any(|remedy| matches!(remedy, Remedy::Valid { .. })) {
        let (features, networks) = with_interior(catalogue, load, progress)?;
        let library = Library::new(catalogue.nodes(), catalogue.layers(), &networks, &features)?
            .with_origins(catalogue.origins());
        let generations = config.generations.min(GENERATIONS);
        let quick = ComposeConfig { candidates: 1, generations, ..config.clone() };
        match search(&library, timeline, criteria, &quick, &mut |_| progress(1.0)) {
            Ok(_) => remedies.push(Remedy::Interior { interior_s: INTERIOR_S }),
            Err(error @ ComposeError::Cancelled(_)) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(ComposeError::Gap { gap, why, remedies, tried })
}

/// Features and networks of the catalogue's nodes with interior entries and exits.
fn with_interior(
    catalogue: &Catalogue,
    load: LoadClip<'_>,
    progress: Progress<'_>,
) -> Result<(Vec<Features>, Vec<Network>), NetworkError> {
    let mut clips: BTreeMap<usize, (Clip, Flights)> = BTreeMap::new();
    for origin in catalogue.origins() {
        if let Entry::Vacant(place) = clips.entry(origin.clip) {
            let clip = load(origin.clip)?;
            let flights = Flights::new(ClipFeet::find(&clip).ok().as_ref(), &clip);
            place.insert((clip, flights));
        }
    }
    let pieces: Vec<_> =
        catalogue.origins().iter().map(|origin| (&clips[&origin.clip].0, origin.frames.clone())).collect();
    let flights: Vec<_> = catalogue.origins().iter().map(|origin| &clips[&origin.clip].1).collect();
    let config = FeatureConfig { interior_s: INTERIOR_S, ..catalogue.config().features.clone() };
    let (mut features, mut networks) = (Vec::new(), Vec::new());
    for layer in 0..catalogue.layers().layers().len() {
        let own = Features::build_with(&pieces, &[], Some(&flights), catalogue.layers(), layer, &config)?;
        networks.push(build_network(&own, &catalogue.config().network, &mut |_| progress(1.0))?);
        features.push(own);
    }
    Ok((features, networks))
}
