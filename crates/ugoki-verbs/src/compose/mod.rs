//! `compose`: complete performances between key motions, several to choose from.
//!
//! ```text
//! timeline, lyrics, gestures ─fill─► Timeline ─smooth (compose ⇄ render)─► candidates, clips ─► report, page
//! ```

mod fill;
mod interior;
mod page;
mod report;
mod smooth;

use serde::{Deserialize, Serialize};

use super::network::Building;
use super::{Arguments, Error};
use ugoki::clip::Clip;
use ugoki::compose::{
    ComposeConfig, ComposeError, Composition, Criterion, Method, RenderConfig, RenderError, Rendered,
    Timeline, Weights, level_ground, repetition_of, tag_preference, travel_direction,
};
use ugoki::network::{Catalogue, Origin};
use ugoki::{Progress, report as tell};

pub use fill::{Fault, Song, Which, fill, on_one_beat, parse_gestures, parse_timeline};
pub use report::{CandidateReport, ClipReport, KeyReport, Report, StretchReport};
pub use smooth::{Outside, ROUGH, Smooth, smooth};

/// Ask for performances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// The database.
    pub database: String,
    /// The timeline's file.
    pub timeline: String,
    /// Folder for motions, report and page.
    pub output: String,
    /// How many different performances are wanted.
    pub candidates: usize,
    /// Generations after which fewer are enough.
    pub generations: usize,
    /// Chromosomes of a generation.
    pub population: usize,
    /// How gaps are filled.
    pub method: Method,
    /// Where all chance comes from.
    pub seed: u64,
    /// An LRC file that fills keys; before the timeline's own.
    pub lyrics: Option<String>,
    /// A file that maps words to gestures; besides the timeline's own.
    pub gestures: Option<String>,
    /// The layer of keys from lyrics; all when absent.
    pub gesture_layer: Option<String>,
    /// F_v; found from the first population when absent.
    pub valid_f: Option<f64>,
    /// α, β, δ; found from the first population when absent.
    pub weights: Option<WeightList>,
    /// Least difference between candidates, a share of their length.
    pub distance: f64,
    /// Tags that are wanted.
    pub want: Vec<String>,
    /// Tags to avoid.
    pub avoid: Vec<String>,
    /// Weight of repetitions in F; 0 allows them.
    pub repetition: f64,
    /// Direction to travel in, degrees to the left of where the motion starts facing.
    pub direction: Option<f64>,
    /// Whether clips may go up and down where there may be no steps.
    pub climb: bool,
    /// How long seams are spread, seconds.
    pub blend_s: f64,
    /// Ending of the motion files: `bvh`, `glb`.
    pub format: String,
    /// Whether the page is left out.
    pub no_page: bool,
    /// How networks are built.
    pub building: Building,
}

/// Weight of a tag or a direction in F: as much as the roughness of an ordinary walk.
const WISH: f64 = 1.0;

/// Weight of climbing in F, per metre: a stair of 17 cm counts as much as the worst of ordinary walks.
const LEVEL: f64 = 20.0;

impl Default for Request {
    fn default() -> Self {
        let usual = ComposeConfig::default();
        Self {
            database: String::new(),
            timeline: String::new(),
            output: String::new(),
            candidates: usual.candidates,
            generations: usual.generations,
            population: usual.population,
            method: usual.method,
            seed: usual.seed,
            lyrics: None,
            gestures: None,
            gesture_layer: None,
            valid_f: None,
            weights: None,
            distance: usual.distance,
            want: Vec::new(),
            avoid: Vec::new(),
            // A clip after one other counts ½ of some fifteen. At 2 every fifteenth clip of the sample's singer was one of the two before it, at 6
            // one of 120, for transitions of 0.0006 instead of 0.0002 rad²: docs/results/compose.md.
            repetition: 6.0,
            direction: None,
            climb: false,
            blend_s: RenderConfig::default().blend_s,
            format: "bvh".to_owned(),
            no_page: false,
            building: Building::default(),
        }
    }
}

/// α, β and δ as users write them: `1,20,5`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WeightList(pub Weights);

impl std::str::FromStr for WeightList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<f64> = text.split(',').filter_map(|word| word.trim().parse().ok()).collect();
        match numbers[..] {
            [time, roughness, torso] if numbers.iter().all(|n| n.is_finite() && *n >= 0.0) => {
                Ok(Self(Weights { time, roughness, torso }))
            }
            _ => Err(format!("{text:?} is not three weights; give time, roughness and torso such as 1,20,5")),
        }
    }
}

impl std::fmt::Display for WeightList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Weights { time, roughness, torso } = self.0;
        write!(f, "{time},{roughness},{torso}")
    }
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let usual = Self::default();
        let other = |value: f64, usual: f64| (value != usual).then_some(value);
        let count = |value: usize, usual: usize| (value != usual).then_some(value);
        let arguments = self
            .building
            .arguments(Arguments::new("compose"))
            .option("output", Some(&self.output))
            .option("candidates", count(self.candidates, usual.candidates))
            .option("generations", count(self.generations, usual.generations))
            .option("population", count(self.population, usual.population))
            .option("method", (self.method == Method::Paths).then_some("paths"))
            .option("seed", (self.seed != 0).then_some(self.seed))
            .option("lyrics", self.lyrics.as_ref())
            .option("gestures", self.gestures.as_ref())
            .option("gesture-layer", self.gesture_layer.as_ref())
            .option("valid", self.valid_f)
            .option("weights", self.weights)
            .option("distance", other(self.distance, usual.distance))
            .option("repetition", other(self.repetition, usual.repetition))
            .option("direction", self.direction)
            .option("blend", other(self.blend_s, usual.blend_s))
            .option("format", (self.format != usual.format).then_some(&self.format))
            .flag("climb", self.climb)
            .flag("no-page", self.no_page);
        let arguments = self.want.iter().fold(arguments, |a, tag| a.option("want", Some(tag)));
        let arguments = self.avoid.iter().fold(arguments, |a, tag| a.option("avoid", Some(tag)));
        arguments.file(&self.database).file(&self.timeline).finish()
    }

    /// What the search is told.
    #[must_use]
    pub fn config(&self) -> ComposeConfig {
        ComposeConfig {
            method: self.method,
            candidates: self.candidates,
            population: self.population,
            generations: self.generations,
            seed: self.seed,
            weights: self.weights.map(|list| list.0),
            valid_f: self.valid_f,
            distance: self.distance,
            ..ComposeConfig::default()
        }
    }

    fn criteria<'a>(&self, origins: &'a [Origin]) -> Vec<Criterion<'a>> {
        let wanted = self.want.iter().map(|tag| tag_preference(tag, true, WISH));
        let avoided = self.avoid.iter().map(|tag| tag_preference(tag, false, WISH));
        let mut criteria: Vec<Criterion<'a>> = wanted.chain(avoided).collect();
        if self.repetition > 0.0 {
            criteria.push(repetition_of(self.repetition, origins));
        }
        if !self.climb {
            criteria.push(level_ground(LEVEL));
        }
        criteria.extend(self.direction.map(|degrees| travel_direction(degrees.to_radians(), WISH)));
        criteria
    }
}

/// What composing gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The motions, best first.
    pub motions: Vec<Rendered>,
    /// What was found.
    pub report: Report,
    /// The page with all of them side by side, unless it was left out.
    pub page: Option<String>,
    /// The sequences themselves.
    pub composition: Composition,
}

impl From<ComposeError> for Error {
    fn from(error: ComposeError) -> Self {
        match error {
            ComposeError::Cancelled(_) => Self::Cancelled,
            error => Self::Compose(error),
        }
    }
}

impl From<RenderError> for Error {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Cancelled(_) => Self::Cancelled,
            RenderError::Splice(error) => Self::Splice(error),
            error => Self::Network(error.to_string()),
        }
    }
}

/// Fills the timeline and makes motions of the candidates. `load` gives clips of the catalogue by number.
///
/// # Errors
/// Names the key or gap that stands against it and what would help; or `load` fails, or the caller stops.
pub fn run(
    request: &Request,
    timeline: &Timeline,
    catalogue: &Catalogue,
    load: &mut dyn FnMut(usize) -> Result<Clip, Error>,
    progress: Progress<'_>,
) -> Result<Done, Error> {
    run_shown(request, timeline, catalogue, load, &mut |_| {}, progress)
}

/// A performance as soon as it is there.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// Its place among all of them, from 0; the best is first.
    pub number: usize,
    /// How many there will be.
    pub count: usize,
    /// The motion.
    pub motion: &'a Rendered,
    /// What it is made of.
    pub report: &'a CandidateReport,
}

/// As [`run`]; `show` is given every performance when its motion is ready, while the others are still made.
///
/// # Errors
/// As [`run`].
pub fn run_shown(
    request: &Request,
    timeline: &Timeline,
    catalogue: &Catalogue,
    load: &mut dyn FnMut(usize) -> Result<Clip, Error>,
    show: &mut dyn FnMut(Shown<'_>),
    progress: Progress<'_>,
) -> Result<Done, Error> {
    let criteria = request.criteria(catalogue.origins());
    if !(request.repetition.is_finite() && request.repetition >= 0.0) {
        let message = format!("{} is not a weight; give 0 or more", request.repetition);
        return Err(Error::Option { option: "--repetition", message });
    }
    for (option, value) in [("--direction", request.direction), ("--valid", request.valid_f)] {
        if let Some(value) = value.filter(|value| !value.is_finite()) {
            return Err(Error::Option { option, message: format!("{value} is not a number to go by") });
        }
    }
    for (option, tags) in [("--want", &request.want), ("--avoid", &request.avoid)] {
        let unknown = |tag: &&String| !catalogue.nodes().iter().any(|node| node.tags.contains(tag));
        if let Some(tag) = tags.iter().find(unknown) {
            let message = format!("no clip has the tag {tag:?}; `ugoki db list` shows tags");
            return Err(Error::Option { option, message });
        }
    }
    let settings = RenderConfig { blend_s: request.blend_s, ..RenderConfig::default() };
    let names: Vec<String> = criteria.iter().map(|criterion| criterion.name.clone()).collect();
    let mut told = |number: usize, composition: &Composition, motion: &Rendered, seam: f64| {
        let candidate = &composition.candidates[number];
        let report = report::one(request, catalogue, candidate, motion, &names, composition.seconds, seam);
        show(Shown { number, count: composition.candidates.len(), motion, report: &report });
        report
    };
    let show_one = &mut |number, composition: &Composition, motion: &Rendered, seam| {
        drop(told(number, composition, motion, seam));
    };
    let outside = Outside { load, show: show_one };
    let config = request.config();
    let made = smooth(catalogue, timeline, &criteria, &config, &settings, outside, &mut |share| {
        progress(0.95 * share)
    });
    let made = match made {
        Ok(made) => made,
        Err(failure) => {
            let failure =
                interior::try_interior(failure, catalogue, timeline, &criteria, &config, load, progress)?;
            return Err(failure);
        }
    };
    let Smooth { composition, motions, seams, .. } = made;
    let reports = motions.iter().zip(&seams).enumerate();
    let reports = reports.map(|(number, (motion, &seam))| told(number, &composition, motion, seam)).collect();
    tell(progress, 0.97)?;
    let report = report::report(request, timeline, &composition, reports);
    let page = (!request.no_page).then(|| page::html(&report, &motions));
    Ok(Done { motions, report, page, composition })
}
