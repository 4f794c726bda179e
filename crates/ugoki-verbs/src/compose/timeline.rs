//! Timelines made ready: lyrics and gestures become keys, and the beats of the timeline those of the network.

use std::collections::BTreeMap;

use ugoki::compose::{Key, Tempo, Timeline, TimelineError, lyric_keys, parse_lrc};
use ugoki::network::Catalogue;

use crate::network::Building;
use crate::{Error, documents};

/// The file or option to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The timeline.
    Timeline,
    /// The lyrics.
    Lyrics,
    /// The map from words to gestures.
    Gestures,
    /// An option.
    Option(&'static str),
}

/// What is wrong with one of the files or options.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Which.
    pub file: Which,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// The word of the timeline that it is about, where its line can be found by that.
    pub field: Option<&'static str>,
    /// What was found.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// What a song brings besides its timeline.
#[derive(Debug, Clone, Copy)]
pub struct Song<'a> {
    /// The LRC text.
    pub lyrics: Option<&'a str>,
    /// The layer of its keys, before the timeline's own; all when neither has one.
    pub layer: Option<&'a str>,
    /// Gestures by words, besides the timeline's own.
    pub gestures: &'a BTreeMap<String, String>,
}

impl Fault {
    fn new(file: Which, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { file, line: None, field: None, message: message.into(), hint: Some(hint.into()) }
    }

    fn of_timeline(error: TimelineError) -> Self {
        // A field of a key stands in many places.
        let field = error.field.filter(|_| error.key.is_none());
        Self { file: Which::Timeline, line: error.line, field, message: error.message, hint: None }
    }
}

/// Reads a timeline. One with lyrics may have no keys and no length of its own.
///
/// # Errors
/// Names the line.
pub fn parse_timeline(text: &str, has_lyrics: bool) -> Result<Timeline, Fault> {
    let timeline = Timeline::parse_open(text).map_err(Fault::of_timeline)?;
    if !has_lyrics && timeline.lyrics.is_none() {
        timeline.check().map_err(Fault::of_timeline)?;
    }
    Ok(timeline)
}

/// A map from words to gestures: a TOML table or a JSON object, `heart = "hand-on-heart"`; a table `gestures` inside does as well.
///
/// # Errors
/// Names the line.
pub fn parse_gestures(text: &str) -> Result<BTreeMap<String, String>, Fault> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Map {
        Inside { gestures: BTreeMap<String, String> },
        Plain(BTreeMap<String, String>),
    }
    let map: Map = documents::parse(text).map_err(|error| {
        let hint = "expected words and clips or tags such as heart = \"hand-on-heart\"";
        let line = error.line.map(|line| line as usize);
        Fault { line, ..Fault::new(Which::Gestures, error.message, hint) }
    })?;
    match map {
        Map::Inside { gestures } | Map::Plain(gestures) => Ok(gestures),
    }
}

/// Gives the timeline and the network the same beats: those of `--bpm`, or the timeline's tempo, or the one that its beats
/// have. Returns notes about it.
///
/// # Errors
/// When both `--bpm` and beats are given.
pub fn match_beats(timeline: &mut Timeline, building: &mut Building) -> Result<Vec<String>, Error> {
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

/// A timeline with the keys that its lyrics give, and notes about those that were left out. The timeline's own keys go
/// first; a gesture that would start before the one before it is over is left out.
///
/// # Errors
/// When the lyrics cannot be read or no gesture is in the database.
pub fn fill(
    mut timeline: Timeline,
    song: &Song<'_>,
    catalogue: &Catalogue,
) -> Result<(Timeline, Vec<String>), Fault> {
    let gestures = song.gestures;
    let mut notes = Vec::new();
    let layer = gesture_layer(&timeline, song, catalogue)?;
    if let Some(lyrics) = song.lyrics {
        let sung = parse_lrc(lyrics).map_err(|error| Fault {
            file: Which::Lyrics,
            field: None,
            ..Fault::of_timeline(error)
        })?;
        let mut map = timeline.gestures.clone();
        map.extend(gestures.iter().map(|(word, gesture)| (word.clone(), gesture.clone())));
        if map.is_empty() {
            let hint = "add a table [gestures] with words and clips";
            return Err(Fault::new(Which::Timeline, "there are lyrics but no gestures", hint));
        }
        let nodes = catalogue.nodes();
        let is_clip = |name: &str| nodes.iter().any(|node| node.name == name);
        for (word, gesture) in &map {
            if !is_clip(gesture) && !nodes.iter().any(|node| node.tags.contains(gesture)) {
                let file = if gestures.contains_key(word) { Which::Gestures } else { Which::Timeline };
                let message =
                    format!("the gesture {gesture:?} of the word {word:?} is neither a clip nor a tag");
                return Err(Fault::new(file, message, "`ugoki db list` shows both"));
            }
        }
        let found = lyric_keys(&sung, &map, layer.as_deref(), &is_clip);
        if found.is_empty() {
            notes.push("no word of the gestures is sung".to_owned());
        }
        if timeline.seconds.is_none() && timeline.keys.is_empty() {
            timeline.seconds = sung.last().map(|phrase| phrase.end_s);
        }
        let tempo = timeline.tempo();
        for key in found {
            match clash(&timeline, &tempo, &key, catalogue) {
                None => timeline.keys.push(key),
                Some(why) => {
                    let named = key.named();
                    notes.push(format!("{named:?} at {:.2} s was left out: {why}", key.at));
                }
            }
        }
        timeline.keys.sort_by(|a, b| a.at.total_cmp(&b.at));
    } else if !gestures.is_empty() || !timeline.gestures.is_empty() {
        // Gestures without a song: the lyrics were forgotten.
        let file = if gestures.is_empty() { Which::Timeline } else { Which::Gestures };
        return Err(Fault::new(file, "there are gestures but no lyrics", NAME_LYRICS));
    }
    timeline.check().map_err(Fault::of_timeline)?;
    Ok((timeline, notes))
}

/// How to give lyrics.
const NAME_LYRICS: &str = "name them by lyrics = \"song.lrc\" or --lyrics";

/// The layer of keys from lyrics, which must be one.
fn gesture_layer(
    timeline: &Timeline,
    song: &Song<'_>,
    catalogue: &Catalogue,
) -> Result<Option<String>, Fault> {
    let fault = |message: String, hint: String| match song.layer {
        Some(_) => Fault::new(Which::Option("--gesture-layer"), message, hint),
        None => Fault { field: Some("gesture_layer"), ..Fault::new(Which::Timeline, message, hint) },
    };
    let Some(layer) = song.layer.or(timeline.gesture_layer.as_deref()) else { return Ok(None) };
    if catalogue.layers().find(layer).is_none() {
        let names: Vec<&str> = catalogue.layers().layers().iter().map(|layer| layer.name.as_str()).collect();
        return Err(fault(format!("there is no layer {layer:?}"), format!("use {}", names.join(", "))));
    }
    if song.lyrics.is_none() {
        return Err(fault("there is a layer for gestures but no lyrics".to_owned(), NAME_LYRICS.to_owned()));
    }
    Ok(Some(layer.to_owned()))
}

/// Why a key from lyrics does not fit between the others.
fn clash(timeline: &Timeline, tempo: &Tempo, key: &Key, catalogue: &Catalogue) -> Option<String> {
    let nodes = catalogue.nodes();
    let length = |key: &Key| {
        let own = nodes.iter().filter(|node| {
            key.clip.as_ref().is_some_and(|clip| *clip == node.name)
                || node.whole && key.tag.as_ref().is_some_and(|tag| node.tags.contains(tag))
        });
        own.map(|node| node.seconds).fold(f64::INFINITY, f64::min)
    };
    let shortest = nodes.iter().map(|node| node.seconds).fold(f64::INFINITY, f64::min);
    let at = tempo.nearest(key.at);
    if timeline.seconds.is_some_and(|seconds| at + length(key) > seconds) {
        return Some("it would last beyond the end".to_owned());
    }
    let beside = timeline
        .keys
        .iter()
        .filter(|other| other.layer.is_none() || key.layer.is_none() || other.layer == key.layer);
    for other in beside {
        let there = tempo.nearest(other.at);
        let (first, last, len) =
            if there <= at { (there, at, length(other)) } else { (at, there, length(key)) };
        // Between two keys there is room for a clip, or they follow each other directly.
        let room = last - first - len;
        if room < shortest && room.abs() > 0.04 * len {
            let name = other.named();
            return Some(format!("{name:?} at {there:.2} s is too near"));
        }
    }
    None
}
