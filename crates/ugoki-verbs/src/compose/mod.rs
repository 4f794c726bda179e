//! `compose`: complete performances between key motions, several to choose from.
//!
//! ```text
//! timeline, lyrics, gestures ─add_song─► Timeline ─ugoki::compose─► candidates, clips ─► report, page
//! ```

mod blame;
mod report;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::clip::UpAxis;
use ugoki::compose::{
    Callbacks, Candidate, ComposeConfig, Composed, CutRule, Generation, Method, Preferences, Preview,
    RenderConfig, Rendered, Searched, Song, Timeline, WeightList, add_song, compose, describe,
};
use ugoki::edit::FeetAt;
use ugoki::formats::{self, Format};
use ugoki::network::{Catalogue, NetworkError};
use ugoki::{Progress, report as step};

use crate::error::InFile as _;
use crate::network::Building;
use crate::verb::Verb;
use crate::{Error, Host, NewMotion, documents};

pub use report::{CandidateReport, Report};

/// Part of the progress that the network takes.
const NETWORK: f32 = 0.3;

/// Fills a timeline of key motions from a database, several ways to choose from
///
/// Writes one motion per performance, candidates.json, a chart of their clips as SVG and CSV, and a page that shows all of
/// them side by side.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki compose moves.ugoki song.toml -o out\n  \
                        ugoki compose sample song.toml --lyrics song.lrc --gestures words.toml --gesture-layer upper -o out --candidates 20\n  \
                        ugoki compose moves.ugoki song.toml -o out --method paths --want calm --direction 90")]
pub struct Compose {
    /// Database, or sample for the built-in one
    pub database: String,

    /// Timeline: key motions with times, TOML or JSON
    pub timeline: String,

    /// Folder to write into; made when missing
    #[arg(short, long, value_name = "DIR")]
    pub output: String,

    /// Performances wanted
    #[arg(long, value_name = "N", default_value_t = ComposeConfig::default().candidates)]
    pub candidates: usize,

    /// Generations after which fewer performances are enough
    #[arg(long, value_name = "N", default_value_t = ComposeConfig::default().generations)]
    pub generations: usize,

    /// Sequences of a generation
    #[arg(long, value_name = "N", default_value_t = ComposeConfig::default().population)]
    pub population: usize,

    /// How gaps are filled
    #[arg(long, value_enum, default_value = "genetic")]
    pub method: Method,

    /// Where genetic-paper cuts sequences: by the paper's figure, or by its text
    #[arg(long, value_enum, default_value = "figure")]
    pub cut_rule: CutRule,

    /// Write F of each generation of genetic-paper
    #[arg(long, value_name = "FILE.csv")]
    pub log: Option<String>,

    /// Where all chance comes from
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Lyrics with times, whose words become key motions
    #[arg(long, value_name = "FILE.lrc")]
    pub lyrics: Option<String>,

    /// Words and the clips or tags they stand for, TOML or JSON
    #[arg(long, value_name = "MAP")]
    pub gestures: Option<String>,

    /// Layer of the key motions from lyrics; all layers when left out
    #[arg(long, value_name = "LAYER")]
    pub gesture_layer: Option<String>,

    /// F that a performance must reach; found by itself when left out
    #[arg(long = "valid", value_name = "F", allow_negative_numbers = true)]
    pub valid_f: Option<f64>,

    /// Weights of time error, transitions and torso in F; found by themselves when left out
    #[arg(long, value_name = "A,B,D")]
    pub weights: Option<WeightList>,

    /// Least difference between two performances, as a ratio of their clips
    #[arg(long, value_name = "RATIO", default_value_t = ComposeConfig::default().distance, allow_negative_numbers = true)]
    pub distance: f64,

    /// Prefer clips with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    pub want: Vec<String>,

    /// Avoid clips with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    pub avoid: Vec<String>,

    /// How much repetitions count in F; 0 allows them [default: 6; of genetic-paper 0]
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true)]
    pub repetition: Option<f64>,

    /// How much gaps must be filled as energetically as their key motions move; 0 lets them be any [default: 1; of
    /// genetic-paper 0]
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true)]
    pub energy: Option<f64>,

    /// How much it counts that layers show the same clip at once; 0 allows it [default: 2; of genetic-paper 0]
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true)]
    pub same_clip: Option<f64>,

    /// Travel this way, degrees to the left of where the motion starts facing
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    pub direction: Option<f64>,

    /// Allow clips that climb, though there may be no steps where they are shown; genetic-paper does
    #[arg(long)]
    pub climb: bool,

    /// How long each seam is spread
    #[arg(long = "blend", value_name = "SECONDS", default_value_t = RenderConfig::default().blend_s, allow_negative_numbers = true)]
    pub blend_s: f64,

    /// Format of the files: bvh, glb, … [default: bvh]
    #[arg(long, alias = "format", value_name = "FORMAT", value_parser = formats::written_format)]
    #[schemars(with = "Option<String>")]
    pub to: Option<Format>,

    /// Which standing feet are held
    #[arg(long, value_enum, default_value = "all")]
    pub feet: FeetAt,

    /// Write no page
    #[arg(long)]
    pub no_page: bool,

    /// How networks are built.
    #[command(flatten)]
    #[serde(flatten)]
    pub building: Building,
}

/// Texts that were read.
struct Texts {
    timeline: String,
    /// Name and text.
    lyrics: Option<(String, String)>,
    gestures: BTreeMap<String, String>,
}

impl Verb for Compose {
    type Report = Report;

    const ACTIVITY: &'static str = "composing";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        let inside = |name: &str| Path::new(&self.output).join(name).to_string_lossy().into_owned();
        let named = [&self.lyrics, &self.gestures].into_iter().flatten();
        let inputs: Vec<&str> = [&self.database, &self.timeline, &self.building.layers]
            .into_iter()
            .chain(named)
            .map(String::as_str)
            .collect();
        let log = self.log.as_deref().into_iter();
        let files = [CANDIDATES, report::PAGE, report::CHART, report::TABLE].map(inside);
        let outputs: Vec<&str> = std::iter::once(self.output.as_str())
            .chain(files.iter().map(String::as_str))
            .chain(log)
            .collect();
        host.check_outputs(&inputs, &outputs)?;
        if host.exists(&self.output) && !host.is_folder(&self.output) {
            return Err(Error::refused("is a file")
                .hint("name a folder to write into")
                .in_file(&self.output));
        }
        let (texts, mut timeline) = self.read(host)?;
        let mut building = self.building.clone();
        building.check()?;
        // The paper's nodes are clips.
        building.whole |= self.is_paper();
        let mut notes = match_beats(&mut timeline, &mut building).in_file(&self.timeline)?;
        let layers = building.read_layers(host)?;
        let (found, _) =
            host.catalogue(&self.database, &building.config(layers), &mut |part| progress(NETWORK * part))?;
        let catalogue = &found.catalogue;
        let lyrics = texts.lyrics.as_ref().map(|(_, text)| text.as_str());
        let song = Song { lyrics, layer: self.gesture_layer.as_deref(), gestures: &texts.gestures };
        let (timeline, more) =
            add_song(timeline, &song, catalogue).map_err(|error| self.of_song(&texts, error))?;
        notes.extend(more);
        let rest = &mut |part: f32| progress(NETWORK + (1.0 - NETWORK) * part);
        let (mut report, motions, log) = self.compose(&texts, &timeline, catalogue, host, rest)?;
        let page = (!self.no_page).then(|| report.html(&motions));
        report.notes.splice(0..0, notes);
        let files: Vec<String> = report.candidates.iter().map(|one| inside(&one.file)).collect();
        host.check_outputs(&[], &files.iter().map(String::as_str).collect::<Vec<_>>())?;
        host.create_folder(&self.output)?;
        self.remove_stale(&report, host)?;
        for (file, motion) in files.iter().zip(&motions) {
            let contacts = motion.contacts.as_ref().map(|contacts| contacts.feet.clone());
            // Unit and axes are the database's.
            let like = (Format::Database, 1.0, UpAxis::Y);
            let motion =
                NewMotion { clip: &motion.clip, like, contacts, loop_frames: None, keep_reference: false };
            host.write_motion(file, &motion)?;
        }
        if let (Some(name), Some(page)) = (&report.page, &page) {
            host.write(&inside(name), page.as_bytes())?;
        }
        for (name, text) in [report::CHART, report::TABLE].into_iter().zip(report.chart()) {
            host.write(&inside(name), text.as_bytes())?;
        }
        if let Some(file) = &self.log {
            host.write(file, log.as_bytes())?;
        }
        let text = serde_json::to_string_pretty(&report).in_file(CANDIDATES)?;
        host.write(&inside(CANDIDATES), text.as_bytes())?;
        report.notes.iter().for_each(|note| host.note(&format!("note: {note}")));
        if let Some(page) = &report.page {
            host.note(&format!("open {}", inside(page)));
        }
        Ok(report)
    }
}

/// The report's file, in the output's folder.
const CANDIDATES: &str = "candidates.json";

impl Compose {
    fn config(&self) -> ComposeConfig {
        ComposeConfig {
            method: self.method,
            candidates: self.candidates,
            population: self.population,
            generations: self.generations,
            seed: self.seed,
            weights: self.weights.map(|list| list.0),
            valid_f: self.valid_f,
            distance: self.distance,
            cut_rule: self.cut_rule,
            thresholds: self
                .building
                .threshold
                .map_or_else(|| ComposeConfig::RELAXED.to_vec(), |one| vec![one]),
            ..ComposeConfig::default()
        }
    }

    /// The ending of the motions.
    #[must_use]
    pub fn ending(&self) -> &'static str {
        self.to.unwrap_or(Format::Bvh).extension()
    }

    /// Whether only what the paper has counts.
    fn is_paper(&self) -> bool {
        self.method == Method::GeneticPaper
    }

    fn preferences(&self) -> Preferences {
        let usual = |weight: f64| if self.is_paper() { 0.0 } else { weight };
        let weight = |given: Option<f64>, default: f64| given.unwrap_or(usual(default));
        Preferences {
            want: self.want.clone(),
            avoid: self.avoid.clone(),
            repetition: weight(self.repetition, Preferences::REPETITION),
            energy: weight(self.energy, Preferences::ENERGY),
            same_clip: weight(self.same_clip, Preferences::SAME_CLIP),
            climb: self.climb || self.is_paper(),
            direction_rad: self.direction.map(f64::to_radians),
        }
    }

    fn check(&self, catalogue: &Catalogue) -> Result<(), Error> {
        let weights =
            [("--repetition", self.repetition), ("--energy", self.energy), ("--same-clip", self.same_clip)];
        for (option, weight) in weights {
            if let Some(weight) = weight.filter(|weight| !(weight.is_finite() && *weight >= 0.0)) {
                let message = format!("{weight} is not a weight");
                return Err(Error::option(option, message).hint("give 0 or more"));
            }
        }
        for (option, value) in [("--direction", self.direction), ("--valid", self.valid_f)] {
            if let Some(value) = value.filter(|value| !value.is_finite()) {
                return Err(Error::option(option, format!("{value} is not a number to go by")));
            }
        }
        for (option, tags) in [("--want", &self.want), ("--avoid", &self.avoid)] {
            let unknown = |tag: &&String| !catalogue.nodes().iter().any(|node| node.tags.contains(tag));
            if let Some(tag) = tags.iter().find(unknown) {
                return Err(Error::option(option, format!("no clip has the tag {tag:?}"))
                    .hint("`ugoki db list` shows tags"));
            }
        }
        Ok(())
    }

    fn read(&self, host: &mut dyn Host) -> Result<(Texts, Timeline), Error> {
        let text = host.text(&self.timeline, "a timeline")?;
        let mut texts = Texts { timeline: text, lyrics: None, gestures: BTreeMap::new() };
        let refuse = |error| self.of_timeline(&texts.timeline, &error);
        let timeline = Timeline::parse_open(&texts.timeline).map_err(refuse)?;
        // One with lyrics may have no keys and no length of its own.
        if self.lyrics.is_none() && timeline.lyrics.is_none() {
            timeline.check().map_err(refuse)?;
        }
        // The user's lyrics, or those that the timeline names, in its folder.
        let lyrics = self.lyrics.clone().or_else(|| {
            let folder = Path::new(&self.timeline).parent()?;
            Some(folder.join(timeline.lyrics.as_ref()?).to_string_lossy().into_owned())
        });
        if let Some(name) = lyrics {
            let text = host.text(&name, "lyrics with times")?;
            texts.lyrics = Some((name, text));
        }
        if let Some(name) = &self.gestures {
            let text = host.text(name, "words and gestures")?;
            texts.gestures = parse_gestures(name, &text)?;
        }
        Ok((texts, timeline))
    }

    /// Searches and renders; shows candidates to the host as they are found.
    fn compose(
        &self,
        texts: &Texts,
        timeline: &Timeline,
        catalogue: &Catalogue,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<(Report, Vec<Rendered>, String), Error> {
        let criteria = self.preferences().criteria(catalogue.origins(), catalogue.layers());
        self.check(catalogue).in_file(&self.database)?;
        let database = host.database(&self.database)?;
        let mut load = |number: usize| {
            let mark = &catalogue.clips()[number];
            database
                .clip(mark.id)
                .map_err(|error| NetworkError::Load { name: mark.name.clone(), what: error.to_string() })
        };
        let names: Vec<String> = criteria.iter().map(|criterion| criterion.name.clone()).collect();
        let one = |candidate: &Candidate, motion: &Rendered, seconds: f64, seam: f64| {
            let file = format!("{}.{}", motion.clip.name, self.ending());
            CandidateReport { file, made: describe(catalogue, candidate, motion, &names, seconds, seam) }
        };
        let mut show = |preview: &Preview<'_>| {
            let Preview { number, composition, motion, roughest_seam } = *preview;
            let candidate = &composition.candidates[number];
            let report = one(candidate, motion, composition.seconds, roughest_seam);
            // The first search finds one candidate, those after it spare ones too.
            let count = composition.candidates.len().max(self.candidates);
            host.candidate(number, count, &motion.clip, &|| document(&report));
        };
        let settings = RenderConfig { blend_s: self.blend_s, feet: self.feet };
        let callbacks = Callbacks { load: &mut load, show: &mut show };
        let composed =
            compose(catalogue, timeline, &criteria, &self.config(), &settings, callbacks, &mut |part| {
                progress(0.95 * part)
            });
        let Composed { composition, motions, roughest_seams, apart, .. } =
            composed.map_err(|error| self.of_error(texts, timeline, error))?;
        let made = composition.candidates.iter().zip(&motions).zip(&roughest_seams);
        let reports =
            made.map(|((candidate, motion), &seam)| one(candidate, motion, composition.seconds, seam));
        let reports: Vec<CandidateReport> = reports.collect();
        for (number, (report, motion)) in reports.iter().zip(&motions).enumerate() {
            host.candidate(number, reports.len(), &motion.clip, &|| document(report));
        }
        step(progress, 0.97)?;
        let log = generations(&composition.intervals);
        Ok((Report::new(self, timeline, &composition, apart, reports), motions, log))
    }

    /// Removes motions and the page that an earlier run left in the folder and this one does not write again.
    fn remove_stale(&self, report: &Report, host: &mut dyn Host) -> Result<(), Error> {
        let inside = |name: &str| Path::new(&self.output).join(name).to_string_lossy().into_owned();
        let Some(text) = host.earlier(&inside(CANDIDATES)) else { return Ok(()) };
        let Ok(earlier) = serde_json::from_str::<serde_json::Value>(&text) else { return Ok(()) };
        let motions =
            earlier["candidates"].as_array().into_iter().flatten().filter_map(|one| one["file"].as_str());
        for name in motions.chain(earlier["page"].as_str()) {
            let written =
                report.candidates.iter().any(|one| one.file == name) || report.page.as_deref() == Some(name);
            // Anyone may have written that report: nothing outside the folder, and no other name.
            let ours = name.starts_with("candidate-") && !name.contains(['/', '\\']) || name == report::PAGE;
            if !written && ours {
                host.remove(&inside(name))?;
            }
        }
        Ok(())
    }
}

/// A map from words to gestures: a TOML table or a JSON object, `heart = "hand-on-heart"`; a table `gestures` inside does as well.
fn parse_gestures(file: &str, text: &str) -> Result<BTreeMap<String, String>, Error> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Map {
        Inside { gestures: BTreeMap<String, String> },
        Plain(BTreeMap<String, String>),
    }
    let map: Map = documents::parse(text).map_err(|error| {
        let hint = "expected words and clips or tags such as heart = \"hand-on-heart\"";
        error.in_file(file, Some(hint))
    })?;
    match map {
        Map::Inside { gestures } | Map::Plain(gestures) => Ok(gestures),
    }
}

/// Gives the timeline and the network the same beats: those of `--bpm`, or the timeline's tempo, or the one that its beats
/// have. Returns notes about it.
fn match_beats(timeline: &mut Timeline, building: &mut Building) -> Result<Vec<String>, Error> {
    if building.bpm.is_some() && !timeline.beats.is_empty() {
        return Err(
            Error::option("--bpm", "the timeline has beats of its own").hint("leave out one of the two")
        );
    }
    timeline.bpm = building.bpm.or(timeline.bpm);
    let tempo = timeline.tempo();
    // Not the tempo's, which went through seconds: names of networks are made of all digits.
    building.bpm = timeline.bpm.or(tempo.bpm());
    Ok(tempo.uneven().into_iter().collect())
}

/// F generation by generation as CSV, of each search that has them.
fn generations(searches: &[Searched]) -> String {
    let mut text = "start_s,end_s,generation,m,valid,best_f,median_f\n".to_owned();
    for search in searches {
        for Generation { number, wanted, valid, best_f, median_f } in &search.log {
            let (start, end) = (search.start_s, search.end_s);
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{start},{end},{number},{wanted},{valid},{best_f},{median_f}");
        }
    }
    text
}

/// The report as JSON; it is plain data, so that cannot fail.
fn document(report: &CandidateReport) -> serde_json::Value {
    serde_json::to_value(report).unwrap_or_default()
}
