//! Search, render, look at the seams, and search again without the transitions that came out rough.
//!
//! What a transition costs is known from the poses and velocities of two frames; what it looks like shows only when it is rendered: a foot that stands in the one
//! clip and swings in the other, a clap that a cut falls into. So every seam of every candidate is measured, transitions that are rougher than
//! what the clips do themselves are struck off the network, and the search begins anew, a few times at most. Smooth performances of all rounds
//! are put together.

use std::collections::{BTreeMap, BTreeSet};

use super::Error;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::compose::{
    Candidate, ComposeConfig, ComposeError, Composition, Criterion, Glide, LayerSeam, Library, RenderConfig,
    Rendered, SeamLook, Source, Timeline, accelerations, clips_of, compose, diversity, glides, look_at_seams,
    render,
};
use ugoki::math::quantile;
use ugoki::network::{Catalogue, Layers, Network};

/// Joint accelerations at a seam may be this many times the 99th percentile of the clips' own.
pub const ROUGH: f64 = 1.5;

/// Way of a foot that glides flat at a seam although its clips do not, metres, from which on the seam is rough: what a foot is long over five.
const GLIDE_M: f64 = 0.05;

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
    sources: BTreeMap<usize, Source>,
    own: BTreeMap<usize, Vec<f64>>,
}

impl Stock<'_> {
    fn fetch(&mut self, numbers: &BTreeSet<usize>) -> Result<(), Error> {
        for &number in numbers {
            if !self.sources.contains_key(&number) {
                let clip = (self.load)(number)?;
                self.own.insert(number, accelerations(&clip));
                self.sources.insert(number, Source::of(clip));
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

/// A performance that was found in some round, and how it came out.
struct Made {
    candidate: Candidate,
    motion: Rendered,
    seam: f64,
    glide_m: f64,
}

impl Made {
    fn is_smooth(&self) -> bool {
        self.seam <= ROUGH && self.glide_m <= GLIDE_M
    }
}

/// Fills a timeline and renders what was found; transitions that come out rougher than [`ROUGH`] are struck and looked for anew. What is smooth
/// stays from round to round: all rounds are judged by the weights of the first.
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
    let mut config = config.clone();
    let mut stock = Stock { load, sources: BTreeMap::new(), own: BTreeMap::new() };
    let mut struck: Vec<BTreeSet<(u32, u32)>> = vec![BTreeSet::new(); catalogue.networks().len()];
    let mut networks: Option<Vec<Network>> = None;
    let mut first: Option<Composition> = None;
    let mut pool: Vec<Made> = Vec::new();
    let mut rounds = 0;
    let stepping = &catalogue.layers().layers()[catalogue.layers().stepping()].name;
    while rounds < ROUNDS {
        // Later rounds are rarer; each takes half of what is left of the bar.
        let from = 1.0 - 0.5_f32.powi(rounds as i32);
        let left = 1.0 - from;
        let share = |part: f32| from + 0.5 * left * part;
        let now = networks.as_deref().unwrap_or(catalogue.networks());
        let library = Library::new(catalogue.nodes(), catalogue.layers(), now, catalogue.features())?
            .with_origins(catalogue.origins());
        let composition =
            match compose(&library, timeline, criteria, &config, &mut |part| progress(share(0.5 * part))) {
                Ok(composition) => composition,
                // Without what was struck there is no way: what there is will have to do.
                Err(error) if first.is_none() || matches!(error, ComposeError::Cancelled(_)) => {
                    return Err(error.into());
                }
                Err(_) => break,
            };
        rounds += 1;
        let count = composition.candidates.len().max(1) as f32;
        let mut new = 0;
        for (number, candidate) in composition.candidates.iter().enumerate() {
            if pool.iter().any(|made| made.candidate.walks() == candidate.walks()) {
                continue;
            }
            let needed = clips_of(candidate, catalogue.origins());
            stock.fetch(&needed)?;
            let done = |part: f32| share(0.5 + 0.5 * (number as f32 + part) / count);
            let mut motion = render(
                candidate,
                catalogue.layers(),
                catalogue.origins(),
                &stock.sources,
                composition.seconds,
                settings,
                &mut |part| progress(done(part)),
            )?;
            let spread = (0.5 * settings.blend_s * motion.clip.fps()).round() as usize;
            let found = glides(&motion, &stock.sources);
            let (seam, glide_m, rough) = look(&motion, stock.ordinary(&needed), spread, stepping, &found);
            motion.clip.name = name(number);
            show(number, &composition, &motion, seam);
            for at in rough {
                let seam = &motion.seams[at];
                let layer = catalogue.layers().layers().iter().position(|layer| layer.name == seam.layer);
                new += usize::from(struck[layer.unwrap_or(0)].insert((seam.from as u32, seam.to as u32)));
            }
            pool.push(Made { candidate: candidate.clone(), motion, seam, glide_m });
        }
        config.judges = composition.judges();
        let first = first.get_or_insert(composition);
        let wanted = first.candidates.len();
        let enough = keep(&mut pool, wanted, config.distance);
        if enough || new == 0 {
            break;
        }
        networks =
            Some(catalogue.networks().iter().zip(&struck).map(|(all, gone)| all.without(gone)).collect());
    }
    let mut first = first.ok_or(Error::Cancelled)?;
    first.notes.extend(idle_legs(catalogue.layers()));
    let struck = struck.iter().map(BTreeSet::len).sum();
    Ok(Smooth { struck, rounds, ..finished(first, pool, config.distance) })
}

/// What is claimed of the legs and not shown: feet of different clips cannot stand under one body.
fn idle_legs(layers: &Layers) -> Option<String> {
    let idle = layers.idle_legs();
    let name = |layer: usize| format!("{:?}", layers.layers()[layer].name);
    let roles: Vec<String> = idle.iter().map(|&(role, layer)| format!("{role} of {}", name(layer))).collect();
    let stepping = name(layers.stepping());
    (!idle.is_empty()).then(|| {
        format!(
            "legs go as the layer {stepping} has them, which brings the feet; not shown: {}",
            roles.join(", ")
        )
    })
}

fn name(number: usize) -> String {
    format!("candidate-{:02}", number + 1)
}

/// Puts the pool in the order in which performances are given, best F first among equals: smooth ones that differ from all before, smooth ones that are
/// near to one before, then the rest by how rough they are. How many there are of each.
fn order(pool: &mut [Made], distance: f64) -> [usize; 2] {
    pool.sort_by(|a, b| {
        b.is_smooth().cmp(&a.is_smooth()).then_with(|| {
            if a.is_smooth() { a.candidate.f.total_cmp(&b.candidate.f) } else { a.seam.total_cmp(&b.seam) }
        })
    });
    let smooth = pool.iter().filter(|made| made.is_smooth()).count();
    let mut distinct = 0;
    for at in 0..smooth {
        if pool[..distinct].iter().all(|other| other.candidate.distance(&pool[at].candidate) >= distance) {
            pool[distinct..=at].rotate_right(1);
            distinct += 1;
        }
    }
    [distinct, smooth - distinct]
}

/// Forgets rough performances that will not be needed; whether enough are smooth and differ.
fn keep(pool: &mut Vec<Made>, wanted: usize, distance: f64) -> bool {
    let [distinct, near] = order(pool, distance);
    pool.truncate((distinct + near).max(wanted));
    distinct >= wanted
}

/// As many performances as the first search found, ranked; says which of them stayed rough.
fn finished(first: Composition, mut pool: Vec<Made>, distance: f64) -> Smooth {
    let mut composition = first;
    order(&mut pool, distance);
    pool.truncate(composition.candidates.len());
    pool.sort_by(|a, b| a.candidate.f.total_cmp(&b.candidate.f));
    composition.candidates.clear();
    let (mut motions, mut seams) = (Vec::new(), Vec::new());
    for (number, mut made) in pool.into_iter().enumerate() {
        if made.seam > ROUGH {
            composition.notes.push(format!(
                "candidate {}: a seam has {:.1} times the acceleration of its clips, and no smoother way was found; more clips may help",
                number + 1,
                made.seam
            ));
        }
        if made.glide_m > GLIDE_M {
            composition.notes.push(format!(
                "candidate {}: a foot slides {:.0} cm at a seam, and no way without was found; more clips may help",
                number + 1,
                100.0 * made.glide_m
            ));
        }
        made.motion.clip.name = name(number);
        composition.candidates.push(made.candidate);
        motions.push(made.motion);
        seams.push(made.seam);
    }
    composition.diversity = diversity(&composition.candidates);
    Smooth { composition, motions, seams, struck: 0, rounds: 0 }
}

/// The roughest seam, the longest glide at a seam of the stepping layer in metres, and which seams are rough by either.
fn look(
    motion: &Rendered,
    ordinary: f64,
    spread: usize,
    stepping: &str,
    glides: &[Glide],
) -> (f64, f64, Vec<usize>) {
    let looks = look_at_seams(motion, ordinary, spread);
    let worst = looks.iter().map(SeamLook::worst).fold(0.0, f64::max);
    let glide_at = |seam: &LayerSeam| {
        let beside = seam.frame.saturating_sub(spread)..seam.frame + spread;
        let meets = |glide: &&Glide| glide.frames.start < beside.end && beside.start < glide.frames.end;
        let ways = glides.iter().filter(meets).map(|glide| glide.way_m);
        if seam.layer == stepping { ways.fold(0.0, f64::max) } else { 0.0 }
    };
    let ways: Vec<f64> = motion.seams.iter().map(glide_at).collect();
    let rough = (0..looks.len()).filter(|&i| looks[i].worst() > ROUGH || ways[i] > GLIDE_M).collect();
    (worst, ways.into_iter().fold(0.0, f64::max), rough)
}
