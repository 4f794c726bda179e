//! Timelines made ready: lyrics and gestures become keys.

use std::collections::BTreeMap;

use crate::compose::{Key, Timeline, TimelineError, lyric_keys, parse_lrc};
use crate::network::Catalogue;

/// The file to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The timeline.
    Timeline,
    /// The lyrics.
    Lyrics,
    /// The map from words to gestures.
    Gestures,
}

/// What is wrong with one of the files.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Which.
    pub file: Which,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What was found and what to do.
    pub message: String,
}

/// Lyrics and what to make of them.
#[derive(Debug, Clone, Copy)]
pub struct Lyrics<'a> {
    /// The LRC text.
    pub text: &'a str,
    /// The layer of their keys; all when absent.
    pub layer: Option<&'a str>,
}

/// Reads a timeline. One with lyrics may have no keys and no length of its own.
///
/// # Errors
/// Names the line.
pub fn parse_timeline(text: &str, has_lyrics: bool) -> Result<Timeline, Fault> {
    let fault =
        |error: TimelineError| Fault { file: Which::Timeline, line: error.line, message: error.message };
    let timeline = Timeline::parse_open(text).map_err(fault)?;
    if !has_lyrics && timeline.lyrics.is_none() {
        timeline.check().map_err(fault)?;
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
    let fault = |line: Option<usize>, message: String| Fault { file: Which::Gestures, line, message };
    let expected = "expected words and clips or tags such as heart = \"hand-on-heart\"";
    let map: Map = if text.trim_start().starts_with('{') {
        serde_json::from_str(text)
            .map_err(|e| fault(Some(e.line()).filter(|&line| line > 0), format!("{e}; {expected}")))?
    } else {
        toml::from_str(text).map_err(|e| {
            let line = e.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            fault(line, format!("{}; {expected}", e.message()))
        })?
    };
    match map {
        Map::Inside { gestures } | Map::Plain(gestures) => Ok(gestures),
    }
}

/// A timeline with the keys that its lyrics give, and what to tell about those that were left out. Keys of the timeline's own go first; a
/// gesture that would start before the one before it is over is left out.
///
/// # Errors
/// When the lyrics cannot be read or no gesture is in the database.
pub fn fill(
    mut timeline: Timeline,
    lyrics: Option<Lyrics<'_>>,
    gestures: &BTreeMap<String, String>,
    catalogue: &Catalogue,
) -> Result<(Timeline, Vec<String>), Fault> {
    let mut notes = Vec::new();
    if let Some(lyrics) = lyrics {
        let sung = parse_lrc(lyrics.text).map_err(|error| Fault {
            file: Which::Lyrics,
            line: error.line,
            message: error.message,
        })?;
        let mut map = timeline.gestures.clone();
        map.extend(gestures.iter().map(|(word, gesture)| (word.clone(), gesture.clone())));
        if map.is_empty() {
            return Err(Fault {
                file: Which::Timeline,
                line: None,
                message: "there are lyrics but no gestures; add a table [gestures] with words and clips"
                    .to_owned(),
            });
        }
        let nodes = catalogue.nodes();
        let is_clip = |name: &str| nodes.iter().any(|node| node.name == name);
        for (word, gesture) in &map {
            if !is_clip(gesture) && !nodes.iter().any(|node| node.tags.contains(gesture)) {
                return Err(Fault {
                    file: if gestures.contains_key(word) { Which::Gestures } else { Which::Timeline },
                    line: None,
                    message: format!(
                        "the gesture {gesture:?} of the word {word:?} is neither a clip nor a tag; `ugoki db list` shows both"
                    ),
                });
            }
        }
        let found = lyric_keys(&sung, &map, lyrics.layer, &is_clip);
        if found.is_empty() {
            notes.push("no word of the gestures is sung".to_owned());
        }
        if timeline.seconds.is_none() && timeline.keys.is_empty() {
            timeline.seconds = sung.last().map(|phrase| phrase.end_s);
        }
        for key in found {
            match clash(&timeline, &key, catalogue) {
                None => timeline.keys.push(key),
                Some(why) => {
                    let named = key.clip.as_deref().or(key.tag.as_deref()).unwrap_or_default();
                    notes.push(format!("{named:?} at {:.2} s was left out: {why}", key.at));
                }
            }
        }
        timeline.keys.sort_by(|a, b| a.at.total_cmp(&b.at));
    } else if !gestures.is_empty() || !timeline.gestures.is_empty() {
        // Nobody maps words of no song: the lyrics were forgotten.
        return Err(Fault {
            file: if gestures.is_empty() { Which::Timeline } else { Which::Gestures },
            line: None,
            message: "there are gestures but no lyrics; name them by lyrics = \"song.lrc\" or --lyrics"
                .to_owned(),
        });
    }
    timeline.check().map_err(|error| Fault {
        file: Which::Timeline,
        line: error.line,
        message: error.message,
    })?;
    Ok((timeline, notes))
}

/// Why a key from lyrics cannot stand beside those that are there.
fn clash(timeline: &Timeline, key: &Key, catalogue: &Catalogue) -> Option<String> {
    let nodes = catalogue.nodes();
    let length = |key: &Key| {
        let own = nodes.iter().filter(|node| {
            key.clip.as_ref().is_some_and(|clip| *clip == node.name)
                || node.whole && key.tag.as_ref().is_some_and(|tag| node.tags.contains(tag))
        });
        own.map(|node| node.seconds).fold(f64::INFINITY, f64::min)
    };
    let shortest = nodes.iter().map(|node| node.seconds).fold(f64::INFINITY, f64::min);
    let at = timeline.on_beat(key.at);
    if timeline.seconds.is_some_and(|seconds| at + length(key) > seconds) {
        return Some("it would last beyond the end".to_owned());
    }
    let beside = timeline
        .keys
        .iter()
        .filter(|other| other.layer.is_none() || key.layer.is_none() || other.layer == key.layer);
    for other in beside {
        let there = timeline.on_beat(other.at);
        let (first, last, len) =
            if there <= at { (there, at, length(other)) } else { (at, there, length(key)) };
        // Between two keys there is room for a clip, or they follow each other directly.
        let room = last - first - len;
        if room < shortest && room.abs() > 0.04 * len {
            let name = other.clip.as_deref().or(other.tag.as_deref()).unwrap_or_default();
            return Some(format!("{name:?} at {there:.2} s is too near"));
        }
    }
    None
}
