//! Timelines: which key motion when, on which layer; TOML or JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Key motions over time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// How long the motion is; until the end of the last key motion when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Beats per minute from 0 s on: keys are moved to the nearest beat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bpm: Option<f64>,
    /// Times of beats, seconds, instead of a tempo.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beats: Vec<f64>,
    /// The key motions, in any order.
    #[serde(default, rename = "key", skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Key>,
    /// An LRC file whose words fill keys by `gestures`; the caller reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lyrics: Option<String>,
    /// Clips or tags by words of the lyrics.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gestures: BTreeMap<String, String>,
}

/// One key motion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// When it starts, seconds.
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

/// What is wrong with a timeline, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}{message}", line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct TimelineError {
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// The key, counted from 0, where it is about one.
    pub key: Option<usize>,
    /// What was found and what was wanted.
    pub message: String,
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
        let line_at = |offset: usize| {
            text.as_bytes()[..offset.min(text.len())].iter().filter(|&&b| b == b'\n').count() + 1
        };
        if text.trim_start().starts_with('{') {
            let timeline: Self = serde_json::from_str(text).map_err(|error| TimelineError {
                line: Some(error.line()),
                key: None,
                message: error.to_string(),
            })?;
            timeline.check()?;
            return Ok(timeline);
        }
        let timeline: Self = toml::from_str(text).map_err(|error| TimelineError {
            line: error.span().map(|span| line_at(span.start)),
            key: None,
            message: error.message().to_owned(),
        })?;
        timeline.check().map_err(|mut error| {
            // The n-th table of keys tells where the n-th key stands.
            let starts =
                text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("[[key]]"));
            error.line = error.key.and_then(|key| starts.map(|(at, _)| at + 1).nth(key));
            error
        })?;
        Ok(timeline)
    }

    /// Whether times can be, and every key names a clip or a tag.
    ///
    /// # Errors
    /// Names the first key that cannot be used.
    pub fn check(&self) -> Result<(), TimelineError> {
        let whole = |message: String| Err(TimelineError { line: None, key: None, message });
        if self.keys.len() > MOST_KEYS || self.beats.len() > MOST_KEYS {
            return whole(format!(
                "{} keys are more than {MOST_KEYS}",
                self.keys.len().max(self.beats.len())
            ));
        }
        if let Some(seconds) = self.seconds.filter(|s| !(*s > 0.0 && *s <= MOST_SECONDS)) {
            return whole(format!("seconds is {seconds}; expected more than 0 and at most a day"));
        }
        if let Some(bpm) = self.bpm.filter(|bpm| !(*bpm >= 1.0 && *bpm <= 1000.0)) {
            return whole(format!("bpm is {bpm}; expected 1 to 1000 beats per minute"));
        }
        if self.bpm.is_some() && !self.beats.is_empty() {
            return whole("both bpm and beats are given; keep one".to_owned());
        }
        if !self.beats.is_sorted_by(|a, b| a < b) || self.beats.iter().any(|at| !at.is_finite() || *at < 0.0)
        {
            return whole("beats must be ascending times in seconds from 0 on".to_owned());
        }
        if self.seconds.is_none() && self.keys.is_empty() {
            return whole("there is neither a length nor a key; give seconds, or a [[key]]".to_owned());
        }
        for (at, key) in self.keys.iter().enumerate() {
            let bad = |message: String| Err(TimelineError { line: None, key: Some(at), message });
            let number = at + 1;
            if !(key.at >= 0.0 && key.at <= MOST_SECONDS) {
                return bad(format!(
                    "key {number} is at {} s; expected 0 or more, and at most a day",
                    key.at
                ));
            }
            if let Some(seconds) = self.seconds.filter(|s| key.at >= *s) {
                return bad(format!("key {number} is at {} s, after the end at {seconds} s", key.at));
            }
            match (&key.clip, &key.tag) {
                (None, None) => return bad(format!("key {number} names no motion; give clip or tag")),
                (Some(_), Some(_)) => return bad(format!("key {number} has both clip and tag; keep one")),
                _ => {}
            }
        }
        Ok(())
    }

    /// `at`, moved to the nearest beat where there are beats.
    #[must_use]
    pub fn on_beat(&self, at: f64) -> f64 {
        if let Some(bpm) = self.bpm {
            let beat = 60.0 / bpm;
            return (at / beat).round() * beat;
        }
        let nearest = self.beats.iter().min_by(|a, b| (*a - at).abs().total_cmp(&(*b - at).abs()));
        nearest.copied().unwrap_or(at)
    }
}
