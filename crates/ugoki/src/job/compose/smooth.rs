//! Search, render, look at the seams, and search again without the transitions that came out rough.
//!
//! What a transition costs is known from the poses and velocities of two frames; what it looks like shows only when it is rendered: a foot that stands in the one
//! clip and swings in the other, a clap that a cut falls into. So every seam of every candidate is measured, transitions that are rougher than
//! what the clips do themselves are struck off the network, and the search begins anew, a few times at most.

use std::collections::{BTreeMap, BTreeSet};

use super::Error;
use crate::Progress;
use crate::clip::Clip;
use crate::compose::{
    ComposeConfig, ComposeError, Composition, Criterion, Library, RenderConfig, Rendered, Timeline,
    accelerations, clips_of, compose, render,
};
use crate::math::quantile;
use crate::network::{Catalogue, Network};

/// Joint accelerations at a seam may be this many times the 99th percentile of the clips' own.
pub const ROUGH: f64 = 1.5;

/// Frames on either side of a seam that belong to it.
const BESIDE: usize = 2;

/// Searches at most: each strikes what the one before it found.
const ROUNDS: usize = 8;

/// Performances as motion, and how smooth they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Smooth {
    /// The sequences, best first.
    pub composition: Composition,
    /// Their motions.
    pub motions: Vec<Rendered>,
    /// For each the largest joint acceleration at a seam over the 99th percentile of its clips'.
    pub seams: Vec<f64>,
    /// Transitions that were struck because they came out rough.
    pub struck: usize,
    /// Searches it took.
    pub rounds: usize,
}

/// What is asked of the caller on the way.
pub struct Outside<'a> {
    /// Gives clips of the catalogue by number.
    pub load: &'a mut dyn FnMut(usize) -> Result<Clip, Error>,
    /// Sees every motion as soon as it is rendered, those of later rounds instead of the earlier: its number, what was found, and its
    /// roughest seam.
    pub show: &'a mut dyn FnMut(usize, &Composition, &Rendered, f64),
}

/// Clips that were loaded, and what they do by themselves.
struct Stock<'a> {
    load: &'a mut dyn FnMut(usize) -> Result<Clip, Error>,
    clips: BTreeMap<usize, Clip>,
    own: BTreeMap<usize, Vec<f64>>,
}

impl Stock<'_> {
    fn fetch(&mut self, numbers: &BTreeSet<usize>) -> Result<(), Error> {
        for &number in numbers {
            if !self.clips.contains_key(&number) {
                let clip = (self.load)(number)?;
                self.own.insert(number, accelerations(&clip));
                self.clips.insert(number, clip);
            }
        }
        Ok(())
    }

    /// The 99th percentile of the largest joint acceleration in these clips' frames, m/s².
    fn ordinary(&self, numbers: &BTreeSet<usize>) -> f64 {
        let all: Vec<f64> = numbers.iter().flat_map(|n| &self.own[n]).copied().collect();
        // A millimetre per second squared: motion that stands still is no measure.
        quantile(&all, 0.99).unwrap_or(0.0).max(1e-3)
    }
}

/// Fills a timeline and renders what was found; transitions that come out rougher than [`ROUGH`] are struck and looked for anew.
///
/// # Errors
/// As [`compose`] and [`render`]; or `load` fails, or the caller stops.
pub fn smooth(
    catalogue: &Catalogue,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    settings: &RenderConfig,
    outside: Outside<'_>,
    progress: Progress<'_>,
) -> Result<Smooth, Error> {
    let Outside { load, show } = outside;
    let mut stock = Stock { load, clips: BTreeMap::new(), own: BTreeMap::new() };
    let mut struck: Vec<BTreeSet<(u32, u32)>> = vec![BTreeSet::new(); catalogue.networks().len()];
    let mut networks: Option<Vec<Network>> = None;
    let mut best: Option<Smooth> = None;
    for round in 0..ROUNDS {
        // Later rounds are rarer; each takes half of what is left of the bar.
        let from = 1.0 - 0.5_f32.powi(round as i32);
        let share = |part: f32| from + 0.5_f32.powi(round as i32 + 1) * part;
        let now = networks.as_deref().unwrap_or(catalogue.networks());
        let library = Library::new(catalogue.nodes(), catalogue.layers(), now, catalogue.features())?;
        let composition =
            match compose(&library, timeline, criteria, config, &mut |part| progress(share(0.5 * part))) {
                Ok(composition) => composition,
                // Without what was struck there is no way: the best so far is what there is.
                Err(error) if best.is_none() || matches!(error, ComposeError::Cancelled(_)) => {
                    return Err(error.into());
                }
                Err(_) => break,
            };
        let count = composition.candidates.len().max(1) as f32;
        let (mut motions, mut seams) = (Vec::new(), Vec::new());
        let before: usize = struck.iter().map(BTreeSet::len).sum();
        for (number, candidate) in composition.candidates.iter().enumerate() {
            let needed = clips_of(candidate, catalogue.origins());
            stock.fetch(&needed)?;
            let done = |part: f32| share(0.5 + 0.5 * (number as f32 + part) / count);
            let mut motion = render(
                candidate,
                catalogue.layers(),
                catalogue.origins(),
                &stock.clips,
                composition.seconds,
                settings,
                &mut |part| progress(done(part)),
            )?;
            let ordinary = stock.ordinary(&needed);
            let spread = (0.5 * settings.blend_s * motion.clip.fps()).round() as usize;
            let (worst, rough) = look(&motion, ordinary, spread);
            motion.clip.name = format!("candidate-{:02}", number + 1);
            show(number, &composition, &motion, worst);
            for at in rough {
                let seam = &motion.seams[at];
                let layer = catalogue.layers().layers().iter().position(|layer| layer.name == seam.layer);
                struck[layer.unwrap_or(0)].insert((seam.from as u32, seam.to as u32));
            }
            seams.push(worst);
            motions.push(motion);
        }
        let after: usize = struck.iter().map(BTreeSet::len).sum();
        let made = Smooth { composition, motions, seams, struck: before, rounds: round + 1 };
        let better = best.as_ref().is_none_or(|best| good(&made) > good(best));
        if better {
            best = Some(made);
        }
        if after == before {
            break;
        }
        networks =
            Some(catalogue.networks().iter().zip(&struck).map(|(all, gone)| all.without(gone)).collect());
    }
    best.map(finished).ok_or(Error::Cancelled)
}

/// How many candidates have no rough seam; of as many the round with fewer rough ones wins.
fn good(made: &Smooth) -> (usize, std::cmp::Reverse<usize>) {
    let good = made.seams.iter().filter(|&&seam| seam <= ROUGH).count();
    (good, std::cmp::Reverse(made.seams.len() - good))
}

/// Says which candidates stayed rough.
fn finished(mut made: Smooth) -> Smooth {
    for (number, &seam) in made.seams.iter().enumerate().filter(|&(_, &seam)| seam > ROUGH) {
        made.composition.notes.push(format!(
            "candidate {}: a seam has {seam:.1} times the acceleration of its clips; a lower threshold or more clips may help",
            number + 1
        ));
    }
    made
}

/// The largest acceleration at a seam over the clips' own, and which seams are rough: those beside which it is larger than [`ROUGH`], or within whose `spread`
/// frames it is while the clips themselves do nothing of the kind.
fn look(motion: &Rendered, ordinary: f64, spread: usize) -> (f64, Vec<usize>) {
    let now = accelerations(&motion.clip);
    let around = |values: &[f64], frame: usize, reach: usize| {
        let to = (frame + reach + 1).min(values.len());
        values[frame.saturating_sub(reach).min(to)..to].iter().copied().fold(0.0, f64::max)
    };
    let mut worst = 0.0_f64;
    let mut rough = Vec::new();
    for (number, seam) in motion.seams.iter().enumerate() {
        let beside = around(&now, seam.frame, BESIDE) / ordinary;
        worst = worst.max(beside);
        let pops = (seam.frame.saturating_sub(spread)..(seam.frame + spread).min(now.len())).any(|frame| {
            let own = around(&motion.own_m_s2, frame, BESIDE);
            now[frame] > ROUGH * ordinary.max(own)
        });
        if beside > ROUGH || pops {
            rough.push(number);
        }
    }
    (worst, rough)
}
