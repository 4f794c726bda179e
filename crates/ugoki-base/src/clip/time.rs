//! Times and ranges as users write them: seconds, or frames with an `f`.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::Clip;

/// A moment of a clip. Frame 0 and 0 s are the file's first row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Time {
    /// Seconds from the first row.
    Seconds(f64),
    /// Frames from the first row: `33f`.
    Frames(usize),
}

/// An interval `A:B` of a clip; an open end is the clip's own.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Span {
    /// First moment.
    pub start: Option<Time>,
    /// Moment after the last.
    pub end: Option<Time>,
}

/// Why a time or range cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TimeError {
    /// Not a time.
    #[error("{text:?} is not a time, expected seconds like 1.5 or frames like 33f")]
    Time {
        /// The text found.
        text: String,
    },
    /// Not a range.
    #[error("{text:?} is not a range, expected A:B such as 0.5:2, 33f:173f or 1.5:")]
    Span {
        /// The text found.
        text: String,
    },
    /// The range leaves the clip or is empty.
    #[error(
        "range {span} holds no frames of a clip that has frames 0f to {last}f ({seconds:.3} s at {fps} per second)"
    )]
    Outside {
        /// The range.
        span: Span,
        /// The clip's last frame.
        last: usize,
        /// The clip's length.
        seconds: f64,
        /// The clip's rate.
        fps: f64,
    },
}

impl Time {
    /// The nearest frame at `fps`.
    #[must_use]
    pub fn frame(self, fps: f64) -> usize {
        match self {
            Self::Seconds(seconds) => (seconds * fps).round() as usize,
            Self::Frames(frame) => frame,
        }
    }

    /// Seconds from the first row at `fps`.
    #[must_use]
    pub fn seconds(self, fps: f64) -> f64 {
        match self {
            Self::Seconds(seconds) => seconds,
            Self::Frames(frame) => frame as f64 / fps,
        }
    }
}

impl Span {
    /// The frames of `clip` inside, cut at its end.
    ///
    /// # Errors
    /// When none are.
    pub fn frames(&self, clip: &Clip) -> Result<Range<usize>, TimeError> {
        let num_frames = clip.num_frames();
        // Times count from the file's first row, also when an added T-pose was dropped.
        let frame = |time: Time| time.frame(clip.fps()).saturating_sub(clip.first_row());
        let start = self.start.map_or(0, frame);
        let end = self.end.map_or(num_frames, frame).min(num_frames);
        if start < end {
            return Ok(start..end);
        }
        Err(TimeError::Outside {
            span: *self,
            last: num_frames.saturating_sub(1),
            seconds: clip.seconds(),
            fps: clip.fps(),
        })
    }
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let error = || TimeError::Time { text: text.to_owned() };
        if let Some(frames) = text.strip_suffix('f') {
            return frames.parse().map(Self::Frames).map_err(|_| error());
        }
        let seconds: f64 = text.strip_suffix('s').unwrap_or(text).parse().map_err(|_| error())?;
        if seconds.is_finite() && seconds >= 0.0 { Ok(Self::Seconds(seconds)) } else { Err(error()) }
    }
}

impl FromStr for Span {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let (start, end) = text.split_once(':').ok_or_else(|| TimeError::Span { text: text.to_owned() })?;
        let time = |part: &str| if part.is_empty() { Ok(None) } else { part.parse().map(Some) };
        Ok(Self { start: time(start)?, end: time(end)? })
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seconds(seconds) => write!(f, "{seconds}"),
            Self::Frames(frame) => write!(f, "{frame}f"),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(start) = self.start {
            write!(f, "{start}")?;
        }
        f.write_str(":")?;
        if let Some(end) = self.end {
            write!(f, "{end}")?;
        }
        Ok(())
    }
}

/// Gives option types their text form in JSON, as on the command line: `Serialize` through `Display` and, with the feature `options`
/// of the crate that uses it, a JSON schema.
#[macro_export]
macro_rules! text_form {
    ($($type:ident: $description:literal;)*) => {
        $(impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        #[cfg(feature = "options")]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "description": $description })
            }
        })*
    };
}

text_form! {
    Time: "A moment: seconds, or frames with an f, such as 1.5 or 33f.";
    Span: "An interval A:B in seconds, or in frames with an f; an open end is the clip's own.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn time() -> impl Strategy<Value = Time> {
        prop_oneof![(0.0..1e4_f64).prop_map(Time::Seconds), (0..1_000_000usize).prop_map(Time::Frames)]
    }

    proptest! {
        #[test]
        fn ranges_parse_back(start in prop::option::of(time()), end in prop::option::of(time())) {
            let span = Span { start, end };
            prop_assert_eq!(span.to_string().parse::<Span>(), Ok(span));
        }
    }

    #[test]
    fn bad_times_say_what_was_expected() {
        for text in ["x", "-1", "1e999", "nan", "3.5f", "-3f", ""] {
            let error = text.parse::<Time>().unwrap_err().to_string();
            assert!(error.contains("expected seconds"), "{error}");
        }
        assert!("12".parse::<Span>().is_err());
    }
}
