//! Entry point: searches, renders every candidate, measures the seams, and searches again without the transitions that
//! came out rough.
//!
//! The cost of a transition is known from the poses and velocities of two frames. How it looks shows only when it is
//! rendered: a foot that stands in one clip and swings in the other, a cut into a clap. So every seam of every candidate
//! is measured, transitions that are rougher than the clips themselves are removed from the network, and the search is
//! repeated a few times at most. Smooth candidates of all rounds are merged.

use std::collections::{BTreeMap, BTreeSet};

use super::interior::suggest_interior;
use super::library::LoadClip;
use super::motion_distance::{APART_M, Apart, Looks, apart, choose};
use super::run::{Earlier, fill};
use super::{
    Candidate, ComposeConfig, ComposeError, Composition, Criterion, Glide, LayerSeam, Library, Method,
    RenderConfig, Rendered, SeamLook, Source, Timeline, accelerations, clips_of, diversity, glides,
    look_at_seams, plan, render, search,
};
use crate::network::{Catalogue, Layers, NetworkError};
use ugoki_base::math::quantile;
use ugoki_base::{Cancelled, Progress};

/// Largest joint acceleration at a smooth seam, as a multiple of the 99th percentile of the clips' own.
pub const ROUGH: f64 = 1.5;

/// Distance that a flat foot glides at a seam, although its clips do not, from which on the seam is rough, metres: a fifth
/// of a foot's length.
const GLIDE_M: f64 = 0.05;

/// Candidates that are made for each that is asked for, besides it.
const SPARE: usize = 1;

/// Motion that is rendered at most before no further round begins, seconds; of long timelines fewer spare candidates are made.
const RENDERED_S: f64 = 6000.0;

/// Searches at most; each goes without the rough transitions of those before.
const ROUNDS: usize = 4;

/// Motions that fill a timeline, and how smooth they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Composed {
    /// The sequences, best first.
    pub composition: Composition,
    /// Their motions.
    pub motions: Vec<Rendered>,
    /// For each motion the largest joint acceleration at a seam over the 99th percentile of its clips'.
    pub roughest_seams: Vec<f64>,
    /// Transitions that were removed because they came out rough.
    pub rejected: usize,
    /// Searches it took.
    pub rounds: usize,
    /// How far the candidates are apart to the eye.
    pub apart: Option<Apart>,
}

/// A candidate that was just rendered.
#[derive(Debug, Clone, Copy)]
pub struct Preview<'a> {
    /// Its place in its round, from 0; a later round replaces the candidates of the one before.
    pub number: usize,
    /// The search that found it.
    pub composition: &'a Composition,
    /// Its motion.
    pub motion: &'a Rendered,
    /// Its largest joint acceleration at a seam over the 99th percentile of its clips'.
    pub roughest_seam: f64,
}

/// What the caller provides while a composition is made.
pub struct Callbacks<'a> {
    /// Loads a clip.
    pub load: LoadClip<'a>,
    /// Receives every candidate as soon as it is rendered.
    pub show: &'a mut dyn FnMut(&Preview<'_>),
}

/// Fills a timeline several ways and renders the results; transitions that come out rougher than [`ROUGH`] are removed and
/// the search is repeated. All rounds are judged by the weights of the first.
///
/// A gap that cannot be filled is also tried with interior transitions, and they are among its remedies where they help.
///
/// # Errors
/// As [`search`] and [`render`]; or a clip cannot be loaded, or the caller stops.
pub fn compose(
    catalogue: &Catalogue,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    settings: &RenderConfig,
    callbacks: Callbacks<'_>,
    progress: Progress<'_>,
) -> Result<Composed, ComposeError> {
    let Callbacks { load, show } = callbacks;
    let inner = Callbacks { load: &mut *load, show };
    match refine(catalogue, timeline, criteria, config, settings, inner, progress) {
        Err(failure) => {
            Err(suggest_interior(failure, catalogue, timeline, criteria, config, load, progress)?)
        }
        made => made,
    }
}

/// Clips that were loaded, and what they do by themselves.
struct Stock<'a> {
    load: LoadClip<'a>,
    sources: BTreeMap<usize, Source>,
    own: BTreeMap<usize, Vec<f64>>,
}

impl Stock<'_> {
    fn fetch(&mut self, numbers: &BTreeSet<usize>) -> Result<(), NetworkError> {
        for &number in numbers {
            if !self.sources.contains_key(&number) {
                let clip = (self.load)(number)?;
                self.own.insert(number, accelerations(&clip));
                self.sources.insert(number, Source::new(clip));
            }
        }
        Ok(())
    }

    /// The 99th percentile of the largest joint acceleration in these clips' frames, m/s².
    fn ordinary(&self, numbers: &BTreeSet<usize>) -> f64 {
        let all: Vec<f64> = numbers.iter().flat_map(|n| &self.own[n]).copied().collect();
        // A motion that stands still is no measure: at least a millimetre per second squared.
        quantile(&all, 0.99).unwrap_or(0.0).max(1e-3)
    }
}

/// Where candidates are rendered, measured and shown.
struct Stage<'a, 'b> {
    catalogue: &'a Catalogue,
    settings: &'a RenderConfig,
    stock: Stock<'b>,
    show: &'b mut dyn FnMut(&Preview<'_>),
}

/// A transition by layer.
type Transition = (usize, (u32, u32));

impl Stage<'_, '_> {
    /// Renders a candidate; returns it with its rough transitions.
    fn make(
        &mut self,
        composition: &Composition,
        number: usize,
        progress: Progress<'_>,
    ) -> Result<(Made, Vec<Transition>), ComposeError> {
        let (catalogue, candidate) = (self.catalogue, &composition.candidates[number]);
        let layers = catalogue.layers().layers();
        let needed = clips_of(candidate, catalogue.origins());
        self.stock.fetch(&needed)?;
        let mut motion = render(
            candidate,
            catalogue.layers(),
            catalogue.origins(),
            &self.stock.sources,
            composition.seconds,
            self.settings,
            progress,
        )?;
        let spread = (0.5 * self.settings.blend_s * motion.clip.fps()).round() as usize;
        let found = glides(&motion, &self.stock.sources);
        let stepping = &layers[catalogue.layers().stepping()].name;
        let (seam, glide_m, rough) = measure(&motion, self.stock.ordinary(&needed), spread, stepping, &found);
        motion.clip.name = name(number);
        (self.show)(&Preview { number, composition, motion: &motion, roughest_seam: seam });
        let transition = |at: usize| {
            let seam = &motion.seams[at];
            let layer = layers.iter().position(|layer| layer.name == seam.layer).unwrap_or(0);
            (layer, (seam.from as u32, seam.to as u32))
        };
        let rough = rough.into_iter().map(transition).collect();
        let looks = Looks::new(candidate, &motion);
        Ok((Made { candidate: candidate.clone(), motion, seam, glide_m, looks }, rough))
    }
}

/// A candidate of some round, rendered and measured.
struct Made {
    candidate: Candidate,
    motion: Rendered,
    seam: f64,
    glide_m: f64,
    looks: Looks,
}

impl Made {
    fn is_smooth(&self) -> bool {
        self.seam <= ROUGH && self.glide_m <= GLIDE_M
    }
}

fn refine(
    catalogue: &Catalogue,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    settings: &RenderConfig,
    callbacks: Callbacks<'_>,
    progress: Progress<'_>,
) -> Result<Composed, ComposeError> {
    let Callbacks { load, show } = callbacks;
    let stock = Stock { load, sources: BTreeMap::new(), own: BTreeMap::new() };
    let mut stage = Stage { catalogue, settings, stock, show };
    let library =
        Library::new(catalogue.nodes(), catalogue.layers(), catalogue.networks(), catalogue.features())?
            .with_origins(catalogue.origins());
    let mut rejected: Vec<BTreeSet<(u32, u32)>> = vec![BTreeSet::new(); catalogue.networks().len()];
    let (mut first, mut last): (Option<Composition>, Option<Composition>) = (None, None);
    let mut pool: Vec<Made> = Vec::new();
    let (mut rounds, mut rendered_s) = (0, 0.0);
    // More than are asked for, so that those can be chosen that look most different.
    let seconds = plan(timeline, &library)?.seconds.max(1.0);
    let affordable = (0.5 * RENDERED_S / seconds) as usize;
    let spare = affordable.saturating_sub(config.candidates).min(SPARE * config.candidates);
    let more = ComposeConfig { spare, ..config.clone() };
    let wanted = config.candidates;
    let config = if config.method == Method::GeneticPaper { config } else { &more };
    if config.method == Method::Genetic {
        // One candidate at once, by the quickest search; the others follow.
        let quick = ComposeConfig { method: Method::Beam, candidates: 1, spare: 0, ..config.clone() };
        match fill(&library, timeline, criteria, &quick, Earlier::default(), &mut |_| progress(0.0)) {
            Ok(one) if !one.candidates.is_empty() => {
                let (made, rough) = stage.make(&one, 0, &mut |_| progress(0.0))?;
                rough.into_iter().for_each(|(layer, transition)| {
                    rejected[layer].insert(transition);
                });
                pool.push(made);
            }
            Err(error @ ComposeError::Cancelled(_)) => return Err(error),
            // What stands against it, the search proper finds out.
            _ => {}
        }
    }
    // The paper looks at no motion.
    let most_rounds = if config.method == Method::GeneticPaper { 1 } else { ROUNDS };
    while rounds < most_rounds {
        // Later rounds are rarer; each takes half of what is left of the bar.
        let from = 1.0 - 0.5_f32.powi(rounds as i32);
        let left = 1.0 - from;
        let overall = |part: f32| from + 0.5 * left * part;
        let go_on = &mut |part: f32| progress(overall(0.5 * part));
        let intervals = last.as_ref().map_or(&[][..], |last: &Composition| &last.intervals);
        let earlier = Earlier { intervals, rejected: &rejected };
        let found = fill(&library, timeline, criteria, config, earlier, go_on);
        let composition = match found {
            Ok(composition) => composition,
            Err(error @ ComposeError::Cancelled(_)) => return Err(error),
            // With all transitions, so that the error and its remedies are the timeline's.
            Err(_) if last.is_none() => search(&library, timeline, criteria, config, go_on)?,
            // There is no way without the rejected transitions: the candidates so far have to do.
            Err(_) => break,
        };
        rounds += 1;
        let count = composition.candidates.len().max(1) as f32;
        let (mut new, mut rendered) = (0, 0_usize);
        for number in 0..composition.candidates.len() {
            let walks = composition.candidates[number].walks();
            if pool.iter().any(|made| made.candidate.walks() == walks) {
                continue;
            }
            let done = |part: f32| overall(0.5 + 0.5 * (number as f32 + part) / count);
            let (made, rough) = stage.make(&composition, number, &mut |part| progress(done(part)))?;
            for (layer, transition) in rough {
                new += usize::from(rejected[layer].insert(transition));
            }
            pool.push(made);
            rendered += 1;
        }
        let found = first.get_or_insert_with(|| composition.clone()).candidates.len();
        let enough = keep(&mut pool, wanted.min(found), config.distance);
        last = Some(composition);
        rendered_s += seconds * rendered as f64;
        if enough || new == 0 || rendered_s >= RENDERED_S {
            break;
        }
    }
    let mut first = first.ok_or(Cancelled)?;
    first.notes.extend(idle_legs(catalogue.layers()));
    let rejected = rejected.iter().map(BTreeSet::len).sum();
    Ok(Composed { rejected, rounds, ..finished(first, pool, wanted, config) })
}

/// Notes the joints of legs that a layer claims but that are not shown: feet of different clips cannot stand under one
/// body.
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

/// Sorts the pool by preference, best F first among equals: smooth candidates that differ from all before, smooth ones that
/// are similar to one before, then the rest by roughness. Returns the sizes of the first two groups.
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

/// Drops rough candidates that will not be needed; returns whether enough smooth and distinct ones are there.
fn keep(pool: &mut Vec<Made>, wanted: usize, distance: f64) -> bool {
    let [distinct, near] = order(pool, distance);
    pool.truncate((distinct + near).max(wanted));
    distinct >= wanted
}

/// The candidates to offer, ranked; notes say which of them stayed rough.
fn finished(first: Composition, mut pool: Vec<Made>, wanted: usize, config: &ComposeConfig) -> Composed {
    let mut composition = first;
    order(&mut pool, config.distance);
    let smooth = pool.iter().filter(|made| made.is_smooth()).count();
    if config.method == Method::GeneticPaper {
        pool.truncate(wanted);
    } else if smooth < wanted {
        pool.truncate(wanted.min(composition.candidates.len()));
    } else {
        pool.truncate(smooth);
        let looks: Vec<&Looks> = pool.iter().map(|made| &made.looks).collect();
        let chosen = choose(&looks, wanted);
        let mut place = 0;
        pool.retain(|_| {
            place += 1;
            chosen.binary_search(&(place - 1)).is_ok()
        });
    }
    pool.sort_by(|a, b| a.candidate.f.total_cmp(&b.candidate.f));
    let apart = apart(&pool.iter().map(|made| &made.looks).collect::<Vec<_>>());
    if pool.len() < wanted && smooth >= wanted {
        composition.notes.push(format!(
            "{} of {wanted} candidates are offered: the others look like them, less than {:.0} cm apart in the median",
            pool.len(),
            100.0 * APART_M
        ));
    }
    composition.candidates.clear();
    let (mut motions, mut roughest_seams) = (Vec::new(), Vec::new());
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
        roughest_seams.push(made.seam);
    }
    composition.diversity = diversity(&composition.candidates);
    Composed { composition, motions, roughest_seams, rejected: 0, rounds: 0, apart }
}

/// Returns the roughest seam, the longest glide at a seam of the stepping layer in metres, and the seams that are rough by
/// either.
fn measure(
    motion: &Rendered,
    ordinary: f64,
    spread: usize,
    stepping: &str,
    glides: &[Glide],
) -> (f64, f64, Vec<usize>) {
    let looks = look_at_seams(motion, ordinary, spread);
    let worst = looks.iter().map(SeamLook::worst).fold(0.0, f64::max);
    let glide_at = |seam: &LayerSeam| {
        let frames = seam.frame.saturating_sub(spread)..seam.frame + spread;
        let meets = |glide: &&Glide| glide.frames.start < frames.end && frames.start < glide.frames.end;
        let ways = glides.iter().filter(meets).map(|glide| glide.way_m);
        if seam.layer == stepping { ways.fold(0.0, f64::max) } else { 0.0 }
    };
    let ways: Vec<f64> = motion.seams.iter().map(glide_at).collect();
    let rough = (0..looks.len()).filter(|&i| looks[i].worst() > ROUGH || ways[i] > GLIDE_M).collect();
    (worst, ways.into_iter().fold(0.0, f64::max), rough)
}
