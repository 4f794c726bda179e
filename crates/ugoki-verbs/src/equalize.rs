//! `equalize`: scales the frequency bands of a motion.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::edit::FeetAt;
use ugoki::formats::Read;
use ugoki::signal::{EqualizeReport, Part, TravelReport, equalize_body, equalize_free};

use crate::motion_verb::{Job, Made, MotionReport, MotionVerb};
use crate::{Error, Output, Reading, seams};

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

    /// Which standing feet are held
    #[arg(long, value_enum, default_value = "all")]
    pub feet: FeetAt,

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
    /// The bands with their gains.
    #[serde(flatten)]
    pub equalized: EqualizeReport,
    /// How the body's way was made to agree with its steps; none when the feet move as before or are not known.
    pub travel: Option<TravelReport>,
}

impl MotionVerb for Equalize {
    type Report = Report;

    const ACTIVITY: &'static str = "equalising";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn make(&self, read: &Read, job: &mut Job<'_>) -> Result<Made<Report>, Error> {
        if !seams::are_feet_held(self.feet)? {
            let free = equalize_free(&read.clip, &self.gains, self.part, job.progress)?;
            return Ok(Made::new(free.clip, Report { equalized: free.report, travel: None }));
        }
        let (travelled, equalized) = equalize_body(&read.clip, &self.gains, self.part, job.progress)?;
        Ok(Made::new(travelled.clip, Report { equalized, travel: travelled.report }))
    }
}

impl MotionReport for Report {
    fn text(&self, [input, output]: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{input} → {output}: {}", self.equalized)?;
        if let Some(travel) = &self.travel {
            write!(f, "\n{travel}")?;
        }
        match self.travel.is_some_and(|travel| travel.slides()) {
            true => write!(f, "\nfeet still slide; use --part upper, or leave the bands of the stride at 1"),
            false => Ok(()),
        }
    }
}
