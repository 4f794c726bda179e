//! The reports of filters in words: a table whose first column says what was done.

use std::fmt;

use super::large_steps::LargeSteps;
use super::{
    AutoJoint, AutoReport, DespikeReport, Edge, EqualizeReport, FilterReport, MarkerFilterReport, Method,
    OneEuroReport,
};

/// Intervals of ambiguous frames that a line of text shows; `--json` has all.
const SHOWN_TIMES: usize = 4;

/// A joint's name, or words for one that has none.
fn named(joint: &str) -> &str {
    if joint.is_empty() { "a joint without a name" } else { joint }
}

/// The word as it follows a number.
fn plural<'a>(count: usize, one: &'a str, more: &'a str) -> &'a str {
    if count == 1 { one } else { more }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "path",
            Self::Exact => "exact",
            Self::Expmap => "expmap",
            Self::Article => "article",
            Self::Qlerp => "qlerp",
            Self::Leeshin => "leeshin",
            Self::QlerpRaw => "qlerp-raw",
            Self::LogRaw => "log-raw",
        })
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Copy => "copy",
            Self::Reflect => "reflect",
            Self::Clamp => "clamp",
            Self::Truncate => "truncate",
        })
    }
}

impl fmt::Display for DespikeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (values, frames, joints) = (self.values_changed, self.frames_changed, self.joints.len());
        write!(f, "despiked   {values} values in {frames} frames of {joints} joints")?;
        for joint in &self.joints {
            let frames = joint.frames.len() + joint.path_frames.len();
            let word = plural(frames, "frame", "frames");
            write!(f, "\n  {:<24} {frames:>4} {word}, by up to ", named(&joint.joint))?;
            let (turned, moved) = (!joint.frames.is_empty(), !joint.path_frames.is_empty());
            if turned {
                write!(f, "{:.1}°", joint.largest_deg)?;
            }
            if moved {
                write!(f, "{}{:.1} mm", if turned { " and " } else { "" }, 1e3 * joint.largest_m)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for LargeSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, frame, largest_deg, .. } = self;
        let (turns, joint) = (plural(*count, "turn", "turns"), named(&self.joint));
        write!(
            f,
            "left       {count} {turns} that jump and do not come back, most at {joint} into frame {frame}: {largest_deg:.0}° in one frame; look at them"
        )
    }
}

impl fmt::Display for FilterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frames, taps, method, edge, .. } = self;
        let (frame, tap) = (plural(*frames, "frame", "frames"), plural(*taps, "tap", "taps"));
        write!(f, "filtered   {frames} {frame}, {taps} {tap}, {method}, {edge}")?;
        if let Some(joint) = &self.largest_change_joint {
            let (degrees, frame) = (self.largest_change_deg, self.largest_change_frame);
            write!(f, "\nchanged    most at {} in frame {frame}: {degrees:.2}°", named(joint))?;
        }
        for (index, joint) in self.ambiguous.iter().enumerate() {
            let (word, frames) = (plural(joint.frames, "frame", "frames"), joint.frames);
            let start = if index == 0 { "ambiguous " } else { "          " };
            write!(f, "\n{start} {:<16} {frames:>4} {word}, at", named(&joint.joint))?;
            for (index, [from, to]) in joint.times_s.iter().take(SHOWN_TIMES).enumerate() {
                write!(f, "{} {from:.2}–{to:.2} s", if index == 0 { "" } else { "," })?;
            }
            match joint.times_s.len().saturating_sub(SHOWN_TIMES) {
                0 => {}
                more => write!(f, " and {more} more")?,
            }
        }
        match self.fallbacks {
            0 => Ok(()),
            count => write!(f, "\nfell back  {count} means did not converge; one step was taken there"),
        }
    }
}

impl fmt::Display for OneEuroReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.zero_lag { "One-Euro forward and backward" } else { "One-Euro" };
        write!(f, "filtered   {} {}, {way}", self.frames, plural(self.frames, "frame", "frames"))?;
        match &self.largest_change_joint {
            Some(joint) => {
                write!(f, "\nchanged    most at {}: {:.2}°", named(joint), self.largest_change_deg)
            }
            None => Ok(()),
        }
    }
}

impl fmt::Display for AutoReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "filtered   {} {}, each joint by its noise",
            self.frames,
            plural(self.frames, "frame", "frames")
        )?;
        let mut line = |joint: &AutoJoint, unit: &str| {
            write!(f, "\n  {:<24} noise {:.2}{unit}, ", named(&joint.joint), joint.noise)?;
            match joint.cutoff_hz {
                Some(hz) => write!(
                    f,
                    "cut-off {hz:.1} Hz, {} taps, changed by up to {:.2}{unit}",
                    joint.taps, joint.largest_change
                ),
                None => write!(f, "left as it is"),
            }
        };
        self.rotations.iter().try_for_each(|joint| line(joint, "°"))?;
        self.paths.iter().try_for_each(|joint| line(joint, " mm"))
    }
}

impl fmt::Display for MarkerFilterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { markers, frames, taps, edge, .. } = self;
        write!(f, "filtered   {markers} markers, {frames} frames, {taps} taps, {edge}")?;
        if let Some(marker) = &self.largest_change_marker {
            let (change, frame) = (1e3 * self.largest_change_m, self.largest_change_frame);
            write!(f, "\nmoved      most at {marker} in frame {frame}: {change:.1} mm")?;
        }
        Ok(())
    }
}

impl fmt::Display for EqualizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part.map_or_else(|| "whole body".to_owned(), |part| part.to_string());
        writeln!(f, "{part}, {} joints", self.joints)?;
        write!(f, "band           Hz      gain   motion")?;
        for (index, band) in self.bands.iter().enumerate() {
            let range = format!("{:.2}–{:.2}", band.low_hz, band.high_hz);
            write!(f, "\n{index:>4} {range:>14} {:>8.2} {:>7.2}°", band.gain, band.rms_deg)?;
        }
        Ok(())
    }
}
