//! Keys from lyrics: LRC lines with times, and a map from words to gestures.

use std::collections::BTreeMap;

use super::{Key, TimelineError};

/// A line is sung for at most this long, seconds, where the next one comes late.
const LONGEST_LINE_S: f64 = 8.0;

/// One word or phrase of a song.
#[derive(Debug, Clone, PartialEq)]
pub struct Sung {
    /// When it begins, seconds.
    pub at_s: f64,
    /// When the next begins, at most eight seconds later.
    pub end_s: f64,
    /// The words.
    pub text: String,
    /// Line of the file, counted from 1.
    pub line: usize,
}

/// Reads an LRC file: `[mm:ss.xx] words`, several times before one line, `[offset:ms]`, and times of words
/// `<mm:ss.xx>`.
///
/// # Errors
/// Names the line whose time cannot be read, or says that there is none.
pub fn parse_lrc(text: &str) -> Result<Vec<Sung>, TimelineError> {
    let mut sung: Vec<Sung> = Vec::new();
    let mut offset_s = 0.0;
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        let bad = |message: String| TimelineError::at_line(Some(line_number), message);
        let mut rest = line.trim().trim_start_matches('\u{feff}');
        let mut starts = Vec::new();
        while let Some((tag, after)) = rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
            rest = after.trim_start();
            if let Some(at) = seconds(tag) {
                starts.push(at);
            } else if let Some(ms) = tag.strip_prefix("offset:") {
                let ms: f64 = ms
                    .trim()
                    .parse()
                    .map_err(|_| bad(format!("offset {ms:?} is not a number of milliseconds")))?;
                // LRC: a positive offset shows the words earlier.
                offset_s = if ms.is_finite() { -ms / 1000.0 } else { 0.0 };
            } else if tag.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(bad(format!("[{tag}] is not a time; expected [mm:ss.xx]")));
            }
        }
        for start in starts {
            // Words with their own times are phrases of their own.
            let mut at = start;
            let mut words = rest;
            loop {
                let (phrase, next) = match words.split_once('<') {
                    Some((phrase, after)) => (phrase, after.split_once('>')),
                    None => (words, None),
                };
                if !phrase.trim().is_empty() {
                    sung.push(Sung {
                        at_s: at,
                        end_s: at,
                        text: phrase.trim().to_owned(),
                        line: line_number,
                    });
                }
                let Some((time, after)) = next else { break };
                at = seconds(time)
                    .ok_or_else(|| bad(format!("<{time}> is not a time; expected <mm:ss.xx>")))?;
                words = after;
            }
        }
    }
    if sung.is_empty() {
        let message = "there is no line with a time; expected [mm:ss.xx] words".to_owned();
        return Err(TimelineError::at_line(None, message));
    }
    sung.iter_mut().for_each(|phrase| phrase.at_s = (phrase.at_s + offset_s).max(0.0));
    sung.sort_by(|a, b| a.at_s.total_cmp(&b.at_s).then(a.line.cmp(&b.line)));
    for i in 0..sung.len() {
        let next = sung[i + 1..].iter().map(|phrase| phrase.at_s).find(|&at| at > sung[i].at_s);
        let latest = sung[i].at_s + LONGEST_LINE_S;
        sung[i].end_s = next.unwrap_or(latest).min(latest);
    }
    Ok(sung)
}

/// `mm:ss.xx` or `mm:ss:xx` in seconds.
fn seconds(text: &str) -> Option<f64> {
    let (minutes, rest) = text.trim().split_once(':')?;
    let minutes: u32 = minutes.parse().ok()?;
    let rest = rest.replacen(':', ".", 1);
    let plain = rest.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let within: f64 = rest.parse().ok().filter(|_| plain)?;
    (within < 60.0).then_some(f64::from(minutes) * 60.0 + within)
}

/// A key for every place where a word of `gestures` is sung: capitals aside, at the word's position within its line's
/// time. `is_clip` says whether a gesture is a clip's name; otherwise it is a tag. Words inside words count only where
/// the script has no spaces between them.
#[must_use]
pub fn lyric_keys(
    sung: &[Sung],
    gestures: &BTreeMap<String, String>,
    layer: Option<&str>,
    is_clip: &dyn Fn(&str) -> bool,
) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for phrase in sung {
        let text = phrase.text.to_lowercase();
        for (word, gesture) in gestures {
            let word = word.to_lowercase();
            if word.is_empty() {
                continue;
            }
            for (at, _) in text.match_indices(&word) {
                let (before, after) =
                    (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
                let joined = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && c.is_ascii());
                if word.is_ascii() && (joined(before) || joined(after)) {
                    continue;
                }
                let position = text[..at].chars().count() as f64 / text.chars().count() as f64;
                let clip = is_clip(gesture);
                keys.push(Key {
                    at: phrase.at_s + position * (phrase.end_s - phrase.at_s),
                    clip: clip.then(|| gesture.clone()),
                    tag: (!clip).then(|| gesture.clone()),
                    layer: layer.map(ToOwned::to_owned),
                });
            }
        }
    }
    keys.sort_by(|a, b| a.at.total_cmp(&b.at));
    keys
}
