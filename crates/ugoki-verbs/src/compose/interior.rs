//! Whether clips that may be entered and left inside would fill a timeline that ends alone do not.

use std::collections::BTreeMap;

use super::Error;
use crate::network::INTERIOR_S;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::compose::{ComposeConfig, ComposeError, Criterion, Library, Remedy, Timeline, compose};
use ugoki::network::{Catalogue, FeatureConfig, Features, Network, build_network};

/// Nodes up to which that is tried: features of a thousand take about a second.
const MOST_NODES: usize = 2000;

/// Generations of the trial at most; it needs one walk, not several.
const GENERATIONS: usize = 300;

/// The failure of a search, with `--interior` among its remedies where that is found to help.
///
/// # Errors
/// `load` fails, or the caller stops.
pub(super) fn try_interior(
    failure: Error,
    catalogue: &Catalogue,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    load: &mut dyn FnMut(usize) -> Result<Clip, Error>,
    progress: Progress<'_>,
) -> Result<Error, Error> {
    let Error::Compose(ComposeError::Gap { gap, why, mut remedies, tried }) = failure else {
        return Ok(failure);
    };
    let apart = catalogue.config().features.interior_s > 0.0 || catalogue.nodes().len() > MOST_NODES;
    // An F_v that is too strict is no matter of transitions.
    if !apart && !remedies.iter().any(|remedy| matches!(remedy, Remedy::Valid { .. })) {
        let (features, networks) = with_interior(catalogue, load, progress)?;
        let library = Library::new(catalogue.nodes(), catalogue.layers(), &networks, &features)?
            .with_origins(catalogue.origins());
        let generations = config.generations.min(GENERATIONS);
        let quick = ComposeConfig { candidates: 1, generations, ..config.clone() };
        // Judged as ever, and no advice upon advice.
        match compose(&library, timeline, criteria, &quick, &mut |_| progress(1.0)) {
            Ok(_) => remedies.push(Remedy::Interior { interior_s: INTERIOR_S }),
            Err(ComposeError::Cancelled(_)) => return Err(Error::Cancelled),
            Err(_) => {}
        }
    }
    Ok(Error::Compose(ComposeError::Gap { gap, why, remedies, tried }))
}

/// The catalogue's nodes with entries and exits inside.
fn with_interior(
    catalogue: &Catalogue,
    load: &mut dyn FnMut(usize) -> Result<Clip, Error>,
    progress: Progress<'_>,
) -> Result<(Vec<Features>, Vec<Network>), Error> {
    let mut clips: BTreeMap<usize, Clip> = BTreeMap::new();
    for origin in catalogue.origins() {
        if let std::collections::btree_map::Entry::Vacant(place) = clips.entry(origin.clip) {
            place.insert(load(origin.clip)?);
        }
    }
    let pieces: Vec<_> =
        catalogue.origins().iter().map(|origin| (&clips[&origin.clip], origin.frames.clone())).collect();
    let config = FeatureConfig { interior_s: INTERIOR_S, ..catalogue.config().features.clone() };
    let (mut features, mut networks) = (Vec::new(), Vec::new());
    for layer in 0..catalogue.layers().layers().len() {
        let own = Features::build(&pieces, catalogue.layers(), layer, &config)?;
        networks.push(build_network(&own, &catalogue.config().network, &mut |_| progress(1.0))?);
        features.push(own);
    }
    Ok((features, networks))
}
