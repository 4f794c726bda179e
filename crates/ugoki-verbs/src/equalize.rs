//! `equalize`: makes a motion calmer or more nervous by gains on its frequency bands.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error, Reading, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::signal::{
    EqualizeConfig, EqualizeReport, Part, TravelReport, equalize, follow_feet, keep_hinges, num_bands,
};

/// Ask for an equalised motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion file.
    pub input: String,
    /// The file to write; `-` is standard output.
    pub output: String,
    /// One gain per band, lowest frequency first; bands without one keep gain 1.
    pub gains: Vec<f64>,
    /// The part of the body to change; all of it when absent.
    #[serde(default)]
    pub part: Option<Part>,
    /// How to read it.
    #[serde(default)]
    pub reading: Reading,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let gains = self.gains.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        reading_arguments(&self.reading, Arguments::new("equalize"))
            .option("gains", Some(gains))
            .option("part", self.part)
            .file(&self.input)
            .file(&self.output)
            .finish()
    }
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

/// Splits the motion into bands, puts it together again with the gains, and lets it go where its feet then carry it.
///
/// # Errors
/// When there are more gains than bands, a gain is impossible, or the caller stops.
pub fn run(request: &Request, clip: &Clip, progress: Progress<'_>) -> Result<(Clip, Report), Error> {
    let mut gains = request.gains.clone();
    // Whoever gives gains for the low bands leaves the high ones alone.
    let bands = num_bands(clip.motion_frames().len());
    gains.resize(gains.len().max(bands), 1.0);
    let config = EqualizeConfig { gains, part: request.part };
    let mut equalized = equalize(clip, &config, &mut |share| progress(0.7 * share))?;
    keep_hinges(clip, &mut equalized.clip);
    let travelled = follow_feet(clip, equalized.clip, &mut |share| progress(0.7 + 0.3 * share))?;
    let report = Report {
        input: request.input.clone(),
        output: request.output.clone(),
        equalized: equalized.report,
        travel: travelled.report,
    };
    Ok((travelled.clip, report))
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
