//! `equalize`: scales the frequency bands of a motion.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::formats::Read;
use ugoki::signal::{
    EqualizeConfig, EqualizeReport, Part, TravelReport, equalize, follow_feet, keep_hinges, num_bands,
};

use crate::motion_verb::{Made, MotionVerb};
use crate::{Error, Host, Output, Reading};

/// Scales the frequency bands of a motion, like a graphic equalizer
///
/// Where the legs change, the body travels as far as its steps then carry it, and standing feet stay. The first and the
/// last pose are those of the source.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki equalize walk.bvh calm.bvh --gains 1,1,1,0.5,0.2\n  \
                        ugoki equalize walk.bvh nervous.bvh --gains 1,1,1,1,2 --part upper")]
pub struct Equalize {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,

    /// One gain per band, lowest frequency first; bands without one keep gain 1
    #[arg(long, value_delimiter = ',', required = true, allow_hyphen_values = true, value_name = "G,G,…", value_parser = gain)]
    pub gains: Vec<f64>,

    /// Only this part of the body
    #[arg(long, value_enum)]
    pub part: Option<Part>,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// A gain as typed.
fn gain(word: &str) -> Result<f64, String> {
    word.trim().parse().map_err(|_| format!("{word:?} is not a gain; give numbers such as 1,1,0.5"))
}

/// What equalising did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// The bands with their gains.
    #[serde(flatten)]
    pub equalized: EqualizeReport,
    /// How the body's way was made to agree with its steps; none when the feet move as before or are not known.
    pub travel: Option<TravelReport>,
}

/// Standing feet that still slide this much faster than captured are worth a word, m/s: more than captures differ by.
const WORSE_SLIDE_M_S: f64 = 0.03;

impl MotionVerb for Equalize {
    type Report = Report;

    const ACTIVITY: &'static str = "equalising";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn make(
        &self,
        [input, output]: [&str; 2],
        read: &Read,
        _: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Made<Report>, Error> {
        let clip = &read.clip;
        let mut gains = self.gains.clone();
        // Gains for the low bands leave the high ones alone.
        let bands = num_bands(clip.motion_frames().len());
        gains.resize(gains.len().max(bands), 1.0);
        let config = EqualizeConfig { gains, part: self.part };
        let mut equalized = equalize(clip, &config, &mut |part| progress(0.7 * part))?;
        keep_hinges(clip, &mut equalized.clip);
        let travelled = follow_feet(clip, equalized.clip, &mut |part| progress(0.7 + 0.3 * part))?;
        let report = Report {
            input: input.to_owned(),
            output: output.to_owned(),
            equalized: equalized.report,
            travel: travelled.report,
        };
        Ok(Made::new(travelled.clip, report))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.equalized.part.map_or_else(|| "whole body".to_owned(), |part| part.to_string());
        writeln!(f, "{} → {}: {part}, {} joints", self.input, self.output, self.equalized.joints)?;
        write!(f, "band           Hz      gain   motion")?;
        for (index, band) in self.equalized.bands.iter().enumerate() {
            let range = format!("{:.2}–{:.2}", band.low_hz, band.high_hz);
            write!(f, "\n{index:>4} {range:>14} {:>8.2} {:>7.2}°", band.gain, band.rms_deg)?;
        }
        let Some(travel) = &self.travel else { return Ok(()) };
        if travel.in_place {
            return write!(
                f,
                "\nin place       feet keep their height; their steps now slide under the body at another pace"
            );
        }
        let [before, after] = travel.way_m;
        let [captured, plain, kept] = travel.slide_m_s.map(|speed| 100.0 * speed);
        write!(
            f,
            "\nway            {before:.2} m before, {after:.2} m as the steps now carry it; standing feet slide at {kept:.1} cm/s \
             ({captured:.1} captured, {plain:.1} on the old way)"
        )?;
        if kept > captured + 100.0 * WORSE_SLIDE_M_S {
            write!(f, "\nfeet still slide; use --part upper, or leave the bands of the stride at 1")?;
        }
        Ok(())
    }
}
