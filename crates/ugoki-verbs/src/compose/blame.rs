//! Errors of `compose` with the file and line or the option to blame.

use ugoki::compose::{
    ComposeError, Gap, HIGHEST_THRESHOLD, Remedy, SongError, Timeline, TimelineError, line_of,
};

use super::{Compose, Texts};
use crate::Error;
use crate::documents::DocumentError;

/// How to give lyrics.
const NAME_LYRICS: &str = "name them by lyrics = \"song.lrc\" or --lyrics";

impl Compose {
    /// The error with the line of the timeline.
    pub(super) fn of_timeline(&self, text: &str, error: &TimelineError) -> Error {
        // A field of a key stands in many places.
        let field = error.field.filter(|_| error.key.is_none());
        let line = error.line.or_else(|| line_of(text, None, Some(field?)));
        at_line(&self.timeline, line, &error.message, None)
    }

    pub(super) fn of_song(&self, texts: &Texts, error: SongError) -> Error {
        let message = error.to_string();
        let in_gestures = |of_song: bool, hint: &str| {
            let file = self.gestures.as_ref().filter(|_| of_song).unwrap_or(&self.timeline);
            at_line(file, None, &message, Some(hint))
        };
        let of_layer = |of_song: bool, hint: String| {
            if of_song {
                return Error::option("--gesture-layer", message.as_str()).hint(hint);
            }
            let line = line_of(&texts.timeline, None, Some("gesture_layer"));
            at_line(&self.timeline, line, &message, Some(&hint))
        };
        match error {
            SongError::Timeline(error) => self.of_timeline(&texts.timeline, &error),
            SongError::Lyrics(error) => {
                let file = texts.lyrics.as_ref().map_or("lyrics", |(name, _)| name.as_str());
                at_line(file, error.line, &error.message, None)
            }
            SongError::NoGestures => in_gestures(false, "add a table [gestures] with words and clips"),
            SongError::Gesture { of_song, .. } => in_gestures(of_song, "`ugoki db list` shows both"),
            SongError::NoLyrics { of_song } => in_gestures(of_song, NAME_LYRICS),
            SongError::Layer { known, of_song, .. } => of_layer(of_song, format!("use {}", known.join(", "))),
            SongError::LayerAlone { of_song } => of_layer(of_song, NAME_LYRICS.to_owned()),
        }
    }

    pub(super) fn of_error(&self, texts: &Texts, timeline: &Timeline, error: ComposeError) -> Error {
        // Keys from lyrics stand among those of the file, sorted by time.
        let own = Timeline::parse_open(&texts.timeline).map(|own| own.keys).unwrap_or_default();
        let line = |key: Option<usize>, field: Option<&str>| {
            let (place, key) = (key?, timeline.keys.get(key?)?);
            // Equal keys are distinguished by their order.
            let nth = timeline.keys[..place].iter().filter(|other| *other == key).count();
            let mut same = (0..own.len()).filter(|&i| own[i] == *key);
            line_of(&texts.timeline, Some(same.nth(nth)?), field)
        };
        match &error {
            ComposeError::Timeline(error) => {
                let is_name = matches!(error.field, Some("clip" | "tag"));
                let hint = is_name.then_some("`ugoki db list` shows names and tags");
                at_line(&self.timeline, line(error.key, error.field), &error.message, hint)
            }
            ComposeError::Gap { gap, remedies, tried, .. } => {
                let hint = advice(gap, remedies, *tried);
                at_line(&self.timeline, line(gap.key, Some("at")), &error.to_string(), Some(&hint))
            }
            _ => Error::from(error).in_file(&self.database),
        }
    }
}

/// An error about a line of a file.
fn at_line(file: &str, line: Option<usize>, message: &str, hint: Option<&str>) -> Error {
    let line = line.and_then(|line| u32::try_from(line).ok());
    DocumentError { line, message: message.to_owned() }.in_file(file, hint)
}

/// The remedies in words, or what was tried in vain.
fn advice(gap: &Gap, remedies: &[Remedy], tried: bool) -> String {
    let what = gap.to.as_ref().map_or("the end".to_owned(), |name| format!("{name:?} and what follows"));
    let words = |remedy: &Remedy| match remedy {
        Remedy::Threshold { threshold } => format!("use a threshold of {threshold}"),
        Remedy::Move { by_s } if *by_s > 0.0 => format!("move {what} {by_s:.2} s later"),
        Remedy::Move { by_s } => format!("move {what} {:.2} s sooner", -by_s),
        Remedy::Interior { interior_s } => {
            format!("let clips be entered and left inside (--interior {interior_s})")
        }
        Remedy::Valid { valid_f } => format!("allow F = {valid_f:.4} (--valid)"),
    };
    if remedies.is_empty() && tried {
        return format!(
            "no threshold up to {HIGHEST_THRESHOLD} helps; choose other key motions or times, or add clips"
        );
    }
    if remedies.is_empty() {
        return "choose other key motions or times, or add clips; a higher threshold may help, which was not tried with so many clips".to_owned();
    }
    remedies.iter().map(words).collect::<Vec<String>>().join(", or ")
}
