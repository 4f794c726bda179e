//! Timelines: which key motion when, on which layer; TOML or JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use ugoki_base::document::{Number, json_place, line_of_offset, number, optional_number};

/// Key motions over time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// How long the motion is; until the end of the last key motion when absent.
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Beats per minute from 0 s on: keys are moved to the nearest beat, and clips last whole ones.
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub bpm: Option<f64>,
    /// Times of beats, seconds, instead of a tempo: two or more.
    #[serde(default, deserialize_with = "numbers", skip_serializing_if = "Vec::is_empty")]
    pub beats: Vec<f64>,
    /// The key motions, in any order.
    #[serde(default, rename = "key", skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Key>,
    /// An LRC file whose words fill keys by `gestures`; the caller reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lyrics: Option<String>,
    /// The layer of keys from lyrics; all when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gesture_layer: Option<String>,
    /// Clips or tags by words of the lyrics.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gestures: BTreeMap<String, String>,
}

/// One key motion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// When it starts, seconds.
    #[serde(deserialize_with = "number")]
    pub at: f64,
    /// The clip, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Or any clip with this tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The layer; all layers when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
}

impl Key {
    /// The clip or tag that it names.
    #[must_use]
    pub fn named(&self) -> &str {
        self.clip.as_deref().or(self.tag.as_deref()).unwrap_or_default()
    }
}

fn numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    Ok(Vec::<Number>::deserialize(deserializer)?.into_iter().map(|number| number.0).collect())
}

/// What is wrong with a timeline, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}{message}", line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct TimelineError {
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// The key, counted from 0, where it is about one.
    pub key: Option<usize>,
    /// The word of the timeline that it is about: `clip`, `seconds`.
    pub field: Option<&'static str>,
    /// What was found and what was wanted.
    pub message: String,
}

impl TimelineError {
    /// About a line, or the whole where there is none.
    #[must_use]
    pub fn at_line(line: Option<usize>, message: String) -> Self {
        Self { line, key: None, field: None, message }
    }

    /// About a word of a key.
    #[must_use]
    pub fn of_key(key: usize, field: &'static str, message: String) -> Self {
        Self { line: None, key: Some(key), field: Some(field), message }
    }

    /// With the line of the word, or else the key, that it is about.
    #[must_use]
    pub fn found_in(mut self, text: &str) -> Self {
        self.line = self.line.or_else(|| line_of(text, self.key, self.field));
        self
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    line_of_offset(text, offset) as usize
}

/// The line of a word of a key, or of the whole timeline; where it is not there, the line in which the key begins.
pub fn line_of(text: &str, key: Option<usize>, field: Option<&str>) -> Option<usize> {
    let json = text.trim_start().starts_with('{');
    let keys = if json { json_keys(text) } else { toml_keys(text) };
    let (from, to) = match key {
        Some(key) => (*keys.get(key)?, keys.get(key + 1).copied().unwrap_or(text.len())),
        None => (0, text.len()),
    };
    let found = field.and_then(|field| {
        let quoted = format!("\"{field}\"");
        let mut offset = from;
        for line in text[from..to].split_inclusive('\n') {
            let is = if json {
                line.contains(&quoted)
            } else {
                // A table of the timeline's own may follow the key.
                let plain = line.trim_start();
                let word = plain.trim_start_matches(['{', ' ']).split(['=', ' ', '\t']).next();
                word == Some(field)
                    || line.contains(&format!(" {field} ="))
                    || line.contains(&format!("{{{field}="))
            };
            if is {
                return Some(offset);
            }
            offset += line.len();
        }
        None
    });
    found.or(key.map(|_| from)).map(|offset| line_at(text, offset))
}

fn toml_keys(text: &str) -> Vec<usize> {
    #[derive(Deserialize)]
    struct Places {
        #[serde(default)]
        key: Vec<toml::Spanned<serde::de::IgnoredAny>>,
    }
    let places: Result<Places, _> = toml::from_str(text);
    places.map_or_else(|_| Vec::new(), |places| places.key.iter().map(|key| key.span().start).collect())
}

/// Where the objects of the outer object's array `key` begin.
fn json_keys(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut depth, mut inside, mut word_start) = (0_usize, false, None);
    let mut escaped = false;
    let mut word = "";
    for (at, byte) in text.bytes().enumerate() {
        if let Some(start) = word_start {
            match byte {
                b'\\' if !escaped => escaped = true,
                b'"' if !escaped => {
                    word = &text[start..at];
                    word_start = None;
                }
                _ => escaped = false,
            }
            continue;
        }
        match byte {
            b'"' => word_start = Some(at + 1),
            b'[' => {
                inside |= depth == 1 && word == "key";
                depth += 1;
            }
            b'{' => {
                if inside && depth == 2 {
                    found.push(at);
                }
                depth += 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                inside &= depth > 1;
            }
            _ => {}
        }
    }
    found
}

/// Keys and beats a timeline may have; a day of keys, one each second.
const MOST_KEYS: usize = 100_000;

/// The longest timeline, seconds: a day.
const MOST_SECONDS: f64 = 86_400.0;

impl Timeline {
    /// Reads TOML, or JSON where the text starts with a brace, and checks it.
    ///
    /// # Errors
    /// Names the line and what is wrong there.
    pub fn parse(text: &str) -> Result<Self, TimelineError> {
        let timeline = Self::parse_open(text)?;
        timeline.check().map_err(|error| error.found_in(text))?;
        Ok(timeline)
    }

    /// As [`Timeline::parse`], of a timeline that need not have keys or a length yet because lyrics will bring them.
    ///
    /// # Errors
    /// As [`Timeline::parse`].
    pub fn parse_open(text: &str) -> Result<Self, TimelineError> {
        let timeline: Self = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| {
                let (line, message) = json_place(&error, error.line(), error.column());
                TimelineError::at_line(line.map(|line| line as usize), message)
            })?
        } else {
            toml::from_str(text).map_err(|error| {
                let line = error.span().map(|span| line_at(text, span.start));
                TimelineError::at_line(line, error.message().to_owned())
            })?
        };
        timeline.check_parts().map_err(|error| error.found_in(text))?;
        Ok(timeline)
    }

    /// Whether times can be, and every key names a clip or a tag.
    ///
    /// # Errors
    /// Names the first key that cannot be used.
    pub fn check(&self) -> Result<(), TimelineError> {
        self.check_parts()?;
        if self.seconds.is_none() && self.keys.is_empty() {
            let message = "there is neither a length nor a key; give seconds, or a [[key]]".to_owned();
            return Err(TimelineError::at_line(None, message));
        }
        Ok(())
    }

    fn check_parts(&self) -> Result<(), TimelineError> {
        let whole = |field: &'static str, message: String| {
            Err(TimelineError { field: Some(field), ..TimelineError::at_line(None, message) })
        };
        if self.keys.len() > MOST_KEYS || self.beats.len() > MOST_KEYS {
            let count = self.keys.len().max(self.beats.len());
            return whole("key", format!("{count} keys are more than {MOST_KEYS}"));
        }
        if let Some(seconds) = self.seconds.filter(|s| !(*s > 0.0 && *s <= MOST_SECONDS)) {
            return whole("seconds", format!("seconds is {seconds}; expected more than 0 and at most a day"));
        }
        if let Some(bpm) = self.bpm.filter(|bpm| !(*bpm >= 1.0 && *bpm <= 1000.0)) {
            return whole("bpm", format!("bpm is {bpm}; expected 1 to 1000 beats per minute"));
        }
        if self.bpm.is_some() && !self.beats.is_empty() {
            return whole("beats", "both bpm and beats are given; keep one".to_owned());
        }
        if !self.beats.is_sorted_by(|a, b| a < b) || self.beats.iter().any(|at| !at.is_finite() || *at < 0.0)
        {
            return whole("beats", "beats must be ascending times in seconds from 0 on".to_owned());
        }
        if self.beats.len() == 1 {
            return whole("beats", "beats has one time; give two or more, or bpm".to_owned());
        }
        if let Some(bpm) = self.tempo().bpm().filter(|bpm| !(*bpm >= 1.0 && *bpm <= 1000.0)) {
            let (apart, bpm) = (60.0 / bpm, bpm.round());
            return whole(
                "beats",
                format!("beats are {apart:.3} s apart, {bpm} a minute; expected 1 to 1000 beats per minute"),
            );
        }
        for (at, key) in self.keys.iter().enumerate() {
            let bad = |field: &'static str, message: String| Err(TimelineError::of_key(at, field, message));
            let number = at + 1;
            if !(key.at >= 0.0 && key.at <= MOST_SECONDS) {
                let at = key.at;
                return bad(
                    "at",
                    format!("key {number} is at {at} s; expected 0 or more, and at most a day"),
                );
            }
            if let Some(seconds) = self.seconds.filter(|s| key.at >= *s) {
                return bad("at", format!("key {number} is at {} s, after the end at {seconds} s", key.at));
            }
            match (&key.clip, &key.tag) {
                (None, None) => {
                    return bad("clip", format!("key {number} names no motion; give clip or tag"));
                }
                (Some(_), Some(_)) => {
                    return bad("tag", format!("key {number} has both clip and tag; keep one"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// `at`, moved to the nearest beat where there are beats; [`Timeline::tempo`] does it for many.
    #[must_use]
    pub fn on_beat(&self, at: f64) -> f64 {
        self.tempo().nearest(at)
    }
}
