//! `equalize`: makes a motion calmer or more nervous by gains on its frequency bands.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error, Reading};
use crate::Progress;
use crate::clip::Clip;
use crate::contact::ContactConfig;
use crate::metric::foot_skate;
use crate::signal::{EqualizeConfig, EqualizeReport, Part, equalize, num_bands};

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
        self.reading
            .arguments(Arguments::new("equalize"))
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
    /// How fast standing feet slide, m/s, before and after; none when legs are not known or no foot stands.
    pub foot_skate_m_s: Option<[f64; 2]>,
}

/// Standing feet that slide this much faster than before are worth a word, m/s: more than captures differ by.
const WORSE_SKATE_M_S: f64 = 0.03;

/// Splits the motion into bands and puts it together again with the gains.
///
/// # Errors
/// When there are more gains than bands, a gain is impossible, or the caller stops.
pub fn run(request: &Request, clip: &Clip, progress: Progress<'_>) -> Result<(Clip, Report), Error> {
    let mut gains = request.gains.clone();
    // Whoever gives gains for the low bands leaves the high ones alone.
    let bands = num_bands(clip.motion_frames().len());
    gains.resize(gains.len().max(bands), 1.0);
    let config = EqualizeConfig { gains, part: request.part };
    let equalized = equalize(clip, &config, progress)?;
    // Where feet stood in the source they should stand in the result.
    let skate = |clip: &Clip| foot_skate(clip, &ContactConfig::default()).ok();
    let report = Report {
        input: request.input.clone(),
        output: request.output.clone(),
        equalized: equalized.report,
        foot_skate_m_s: skate(clip).zip(skate(&equalized.clip)).map(|(before, after)| [before, after]),
    };
    Ok((equalized.clip, report))
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
        if let Some([before, after]) = self.foot_skate_m_s
            && after > before + WORSE_SKATE_M_S
        {
            let (before, after) = (100.0 * before, 100.0 * after);
            write!(
                f,
                "\nstanding feet slide at {after:.0} cm/s, {before:.0} before: the legs step shorter or longer than the body \
                 travels; use --part upper, or leave the bands of the stride at 1"
            )?;
        }
        Ok(())
    }
}
