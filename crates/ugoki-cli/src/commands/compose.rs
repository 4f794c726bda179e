//! `ugoki compose`

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use ugoki::compose::{ComposeError, Method, Timeline, line_of};
use ugoki_verbs::Error;
use ugoki_verbs::compose::{
    Fault, Report, Request, Song, WeightList, Which, fill, on_one_beat, parse_gestures, parse_timeline,
    run as make,
};

use super::network::BuildingWords;
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{catalogues, database, files, output};

/// Fills a timeline of key motions from a database, several ways to choose from
///
/// Writes one motion per performance, candidates.json, and a page that shows all of them side by side.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki compose moves.ugoki song.toml -o out\n  \
                        ugoki compose sample song.toml --lyrics song.lrc --gestures words.toml --gesture-layer upper -o out --candidates 20\n  \
                        ugoki compose moves.ugoki song.toml -o out --method paths --want calm --direction 90")]
pub(super) struct Words {
    /// Database, or sample for the built-in one
    database: String,

    /// Timeline: key motions with times, TOML or JSON
    timeline: String,

    /// Folder to write into; made when missing
    #[arg(short, long, value_name = "DIR")]
    output: String,

    /// Performances wanted
    #[arg(long, value_name = "N", default_value_t = usual().candidates)]
    candidates: usize,

    /// Generations after which fewer performances are enough
    #[arg(long, value_name = "N", default_value_t = usual().generations)]
    generations: usize,

    /// Sequences of a generation
    #[arg(long, value_name = "N", default_value_t = usual().population)]
    population: usize,

    /// Search by generations, or by cheapest paths layer by layer
    #[arg(long, value_enum, default_value = "genetic")]
    method: MethodWord,

    /// Where all chance comes from
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Lyrics with times, whose words become key motions
    #[arg(long, value_name = "FILE.lrc")]
    lyrics: Option<String>,

    /// Words and the clips or tags they stand for, TOML or JSON
    #[arg(long, value_name = "MAP")]
    gestures: Option<String>,

    /// Layer of the key motions from lyrics; all layers when left out
    #[arg(long, value_name = "LAYER")]
    gesture_layer: Option<String>,

    /// F that a performance must reach; found by itself when left out
    #[arg(long, value_name = "F")]
    valid: Option<f64>,

    /// Weights of time error, transitions and torso in F; found by themselves when left out
    #[arg(long, value_name = "A,B,D")]
    weights: Option<WeightList>,

    /// Least difference between two performances, a share of their clips
    #[arg(long, value_name = "SHARE", default_value_t = usual().distance)]
    distance: f64,

    /// Prefer clips with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    want: Vec<String>,

    /// Avoid clips with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    avoid: Vec<String>,

    /// How much repetitions count in F; 0 allows them
    #[arg(long, value_name = "WEIGHT", default_value_t = usual().repetition)]
    repetition: f64,

    /// Travel this way, degrees to the left of where the motion starts facing
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    direction: Option<f64>,

    /// Allow clips that climb, though there may be no steps where they are shown
    #[arg(long)]
    climb: bool,

    /// How long each seam is spread
    #[arg(long, value_name = "SECONDS", default_value_t = usual().blend_s)]
    blend: f64,

    /// Ending of the motion files
    #[arg(long, value_name = "bvh|glb|…", default_value = "bvh")]
    format: String,

    /// Write no page
    #[arg(long)]
    no_page: bool,

    #[command(flatten)]
    building: BuildingWords,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodWord {
    Genetic,
    Paths,
}

fn usual() -> Request {
    Request::default()
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            database: self.database.clone(),
            timeline: self.timeline.clone(),
            output: self.output.clone(),
            candidates: self.candidates,
            generations: self.generations,
            population: self.population,
            method: match self.method {
                MethodWord::Genetic => Method::Genetic,
                MethodWord::Paths => Method::Paths,
            },
            seed: self.seed,
            lyrics: self.lyrics.clone(),
            gestures: self.gestures.clone(),
            gesture_layer: self.gesture_layer.clone(),
            valid_f: self.valid,
            weights: self.weights,
            distance: self.distance,
            want: self.want.clone(),
            avoid: self.avoid.clone(),
            repetition: self.repetition,
            direction: self.direction,
            blend_s: self.blend,
            format: self.format.clone(),
            climb: self.climb,
            no_page: self.no_page,
            building: self.building.building(),
        }
    }
}

/// What was read besides the database.
struct Texts {
    timeline: String,
    lyrics: Option<(String, String)>,
    gestures: Option<String>,
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    files::format_to_write(&format!("x.{}", request.format))?;
    if Path::new(&request.output).is_file() {
        return Err(Failure::of_file(&request.output, &"is a file").hint("name a folder to write into"));
    }
    let (texts, mut timeline, map) = read(request)?;
    let mut building = request.building.clone();
    let mut notes = on_one_beat(&mut timeline, &mut building)
        .map_err(|error| Failure::of_job(&request.timeline, &error))?;
    let layers = catalogues::layers(&building)?;
    let found = catalogues::find(&request.database, &building, layers)?;
    let lyrics = texts.lyrics.as_ref().map(|(_, text)| text.as_str());
    let song = Song { lyrics, layer: request.gesture_layer.as_deref(), gestures: &map };
    let (timeline, more) =
        fill(timeline, &song, &found.catalogue).map_err(|fault| of_fault(request, &texts, &fault))?;
    notes.extend(more);
    let bar = Bar::start("composing");
    let mut load = |number: usize| {
        let mark = &found.catalogue.clips()[number];
        found.database.clip(mark.id).map_err(|error| Error::Network(format!("clip {:?}: {error}", mark.name)))
    };
    let done = make(request, &timeline, &found.catalogue, &mut load, &mut |share| bar.step(share))
        .map_err(|error| of_error(request, &texts, &timeline, &error))?;
    drop(bar);
    let mut report = done.report;
    report.notes.splice(0..0, notes);
    let folder = Path::new(&request.output);
    fs::create_dir_all(folder).map_err(|error| Failure::of_file(&request.output, &files::plain(&error)))?;
    let inside = |name: &str| folder.join(name).to_string_lossy().into_owned();
    forget(folder, &report)?;
    // Unit and axes are the database's.
    let first = &found.catalogue.clips()[0].name;
    let like = database::motion(&request.database, first, &ugoki_verbs::Reading::default())?;
    for (candidate, motion) in report.candidates.iter().zip(&done.motions) {
        let contacts = motion.contacts.as_ref().map(|contacts| contacts.feet.clone());
        files::write_motion_with(&inside(&candidate.file), &motion.clip, &like, contacts, None)?;
    }
    if let (Some(name), Some(page)) = (&report.page, &done.page) {
        files::write(&inside(name), page.as_bytes())?;
    }
    let text = serde_json::to_string_pretty(&report)
        .map_err(|error| Failure::new(format!("the report is no JSON: {error}")))?;
    files::write(&inside("candidates.json"), text.as_bytes())?;
    output::report(&report, json);
    if !json {
        report.notes.iter().for_each(|note| output::note(&format!("note: {note}")));
        if let Some(page) = &report.page {
            output::note(&format!("open {}", inside(page)));
        }
    }
    Ok(ExitCode::from(u8::from(report.candidates.is_empty())))
}

/// Removes what an earlier run left in the folder and this one does not write again: the motions that its report names, and its page.
fn forget(folder: &Path, report: &Report) -> Result<(), Failure> {
    let Ok(text) = fs::read_to_string(folder.join("candidates.json")) else { return Ok(()) };
    let Ok(earlier) = serde_json::from_str::<serde_json::Value>(&text) else { return Ok(()) };
    let motions =
        earlier["candidates"].as_array().into_iter().flatten().filter_map(|one| one["file"].as_str());
    for name in motions.chain(earlier["page"].as_str()) {
        let written =
            report.candidates.iter().any(|one| one.file == name) || report.page.as_deref() == Some(name);
        // A report is a file that anybody may have written: nothing outside the folder, and no other name.
        let ours = name.starts_with("candidate-") && !name.contains(['/', '\\']) || name == "index.html";
        let file = folder.join(name);
        if !written && ours && file.is_file() {
            fs::remove_file(&file)
                .map_err(|error| Failure::of_file(&file.to_string_lossy(), &files::plain(&error)))?;
        }
    }
    Ok(())
}

fn read(request: &Request) -> Result<(Texts, Timeline, std::collections::BTreeMap<String, String>), Failure> {
    let text = |name: &str, what: &str| {
        String::from_utf8(files::bytes(name)?)
            .map_err(|_| Failure::of_file(name, &format!("is not text, expected {what}")))
    };
    let mut texts = Texts { timeline: text(&request.timeline, "a timeline")?, lyrics: None, gestures: None };
    let timeline = parse_timeline(&texts.timeline, request.lyrics.is_some())
        .map_err(|fault| of_fault(request, &texts, &fault))?;
    // The user's own lyrics, or those the timeline names, beside it.
    let lyrics = request.lyrics.clone().or_else(|| {
        let folder = Path::new(&request.timeline).parent()?;
        Some(folder.join(timeline.lyrics.as_ref()?).to_string_lossy().into_owned())
    });
    if let Some(name) = lyrics {
        let own = text(&name, "lyrics with times")?;
        texts.lyrics = Some((name, own));
    }
    let mut map = std::collections::BTreeMap::new();
    if let Some(name) = &request.gestures {
        texts.gestures = Some(text(name, "words and gestures")?);
        map = parse_gestures(texts.gestures.as_deref().unwrap_or_default())
            .map_err(|fault| of_fault(request, &texts, &fault))?;
    }
    Ok((texts, timeline, map))
}

/// The failure with file and line.
fn of_fault(request: &Request, texts: &Texts, fault: &Fault) -> Failure {
    let file = match fault.file {
        Which::Timeline => request.timeline.as_str(),
        Which::Lyrics => texts.lyrics.as_ref().map_or("lyrics", |(name, _)| name.as_str()),
        Which::Gestures => request.gestures.as_deref().unwrap_or(&request.timeline),
        Which::Option(option) => return Failure::advised(&format!("{option}: {}", fault.message)),
    };
    let in_timeline = || line_of(&texts.timeline, None, Some(fault.field?));
    let line = fault.line.or_else(|| if fault.file == Which::Timeline { in_timeline() } else { None });
    at_line(file, line, &fault.message)
}

fn of_error(request: &Request, texts: &Texts, timeline: &Timeline, error: &Error) -> Failure {
    // Keys from lyrics stand among those of the file, sorted by time.
    let own = Timeline::parse_open(&texts.timeline).map(|own| own.keys).unwrap_or_default();
    let line = |key: Option<usize>, field: Option<&str>| {
        let (place, key) = (key?, timeline.keys.get(key?)?);
        // Of keys that are the same word for word, each is its own.
        let nth = timeline.keys[..place].iter().filter(|other| *other == key).count();
        let mut same = (0..own.len()).filter(|&i| own[i] == *key);
        line_of(&texts.timeline, Some(same.nth(nth)?), field)
    };
    match error {
        Error::Compose(ComposeError::Timeline(error)) => {
            at_line(&request.timeline, line(error.key, error.field), &error.message)
        }
        Error::Compose(ComposeError::Gap { gap, .. }) => {
            at_line(&request.timeline, line(gap.key, Some("at")), &error.to_string())
        }
        error => Failure::of_job(&request.database, error),
    }
}

/// "found; advice" about a line of a file.
fn at_line(file: &str, line: Option<usize>, message: &str) -> Failure {
    let shown = line.map_or_else(String::new, |line| format!("line {line}: "));
    let line = line.and_then(|line| u32::try_from(line).ok());
    match message.split_once("; ") {
        Some((found, advice)) => Failure::of_file(file, &format!("{shown}{found}")).line(line).hint(advice),
        None => Failure::of_file(file, &format!("{shown}{message}")).line(line),
    }
}
