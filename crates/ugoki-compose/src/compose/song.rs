//! Keys from the lyrics of a song, added to a timeline.

use std::collections::BTreeMap;

use super::{Key, Tempo, Timeline, TimelineError, lyric_keys, parse_lrc};
use crate::network::Catalogue;

/// What a song has in addition to its timeline.
#[derive(Debug, Clone, Copy)]
pub struct Song<'a> {
    /// The LRC text.
    pub lyrics: Option<&'a str>,
    /// The layer of its keys, before the timeline's own; all when neither has one.
    pub layer: Option<&'a str>,
    /// Gestures by words, in addition to the timeline's own.
    pub gestures: &'a BTreeMap<String, String>,
}

/// Why a song gives no keys.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SongError {
    /// The timeline cannot be used, with or without the keys of the lyrics.
    #[error(transparent)]
    Timeline(TimelineError),
    /// The lyrics cannot be read.
    #[error("{0}")]
    Lyrics(TimelineError),
    /// Lyrics, but no words to look for.
    #[error("there are lyrics but no gestures")]
    NoGestures,
    /// A gesture that is not in the catalogue.
    #[error("the gesture {gesture:?} of the word {word:?} is neither a clip nor a tag")]
    Gesture {
        /// The word.
        word: String,
        /// What it stands for.
        gesture: String,
        /// Whether the song brings it; else it is the timeline's.
        of_song: bool,
    },
    /// Gestures, but no lyrics.
    #[error("there are gestures but no lyrics")]
    NoLyrics {
        /// Whether the song brings them; else they are the timeline's.
        of_song: bool,
    },
    /// There is no such layer.
    #[error("there is no layer {layer:?}")]
    Layer {
        /// The layer wanted.
        layer: String,
        /// Those there are.
        known: Vec<String>,
        /// Whether the song names it; else the timeline does.
        of_song: bool,
    },
    /// A layer for keys from lyrics, but no lyrics.
    #[error("there is a layer for gestures but no lyrics")]
    LayerAlone {
        /// Whether the song names it; else the timeline does.
        of_song: bool,
    },
}

/// A timeline with the keys that its lyrics give, and notes about those that were left out. The timeline's own keys go
/// first; a gesture that would start before the one before it is over is left out.
///
/// # Errors
/// When the lyrics cannot be read or no gesture is in the catalogue.
pub fn add_song(
    mut timeline: Timeline,
    song: &Song<'_>,
    catalogue: &Catalogue,
) -> Result<(Timeline, Vec<String>), SongError> {
    let gestures = song.gestures;
    let mut notes = Vec::new();
    let layer = gesture_layer(&timeline, song, catalogue)?;
    if let Some(lyrics) = song.lyrics {
        let sung = parse_lrc(lyrics).map_err(SongError::Lyrics)?;
        let mut map = timeline.gestures.clone();
        map.extend(gestures.iter().map(|(word, gesture)| (word.clone(), gesture.clone())));
        if map.is_empty() {
            return Err(SongError::NoGestures);
        }
        let nodes = catalogue.nodes();
        let is_clip = |name: &str| nodes.iter().any(|node| node.name == name);
        let unknown = |(_, gesture): &(&String, &String)| {
            !is_clip(gesture) && !nodes.iter().any(|node| node.tags.contains(gesture))
        };
        if let Some((word, gesture)) = map.iter().find(unknown) {
            let of_song = gestures.contains_key(word);
            return Err(SongError::Gesture { word: word.clone(), gesture: gesture.clone(), of_song });
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
        return Err(SongError::NoLyrics { of_song: !gestures.is_empty() });
    }
    timeline.check().map_err(SongError::Timeline)?;
    Ok((timeline, notes))
}

/// The layer of keys from lyrics, which must be one of the catalogue's.
fn gesture_layer(
    timeline: &Timeline,
    song: &Song<'_>,
    catalogue: &Catalogue,
) -> Result<Option<String>, SongError> {
    let of_song = song.layer.is_some();
    let Some(layer) = song.layer.or(timeline.gesture_layer.as_deref()) else { return Ok(None) };
    let layer = layer.to_owned();
    if catalogue.layers().find(&layer).is_none() {
        let known = catalogue.layers().layers().iter().map(|layer| layer.name.clone()).collect();
        return Err(SongError::Layer { layer, known, of_song });
    }
    if song.lyrics.is_none() {
        return Err(SongError::LayerAlone { of_song });
    }
    Ok(Some(layer))
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
    let neighbours = timeline
        .keys
        .iter()
        .filter(|other| other.layer.is_none() || key.layer.is_none() || other.layer == key.layer);
    for other in neighbours {
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
