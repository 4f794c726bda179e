//! `plant`: removes foot skate and levels the floor.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error, Reading, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::limb::{PlantConfig, PlantReport, plant_feet};

/// Ask for planted feet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion file.
    pub input: String,
    /// The file to write; `-` is standard output.
    pub output: String,
    /// How to read it.
    #[serde(default)]
    pub reading: Reading,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        reading_arguments(&self.reading, Arguments::new("plant"))
            .file(&self.input)
            .file(&self.output)
            .finish()
    }
}

/// What planting changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// Skate, penetration and the corrections, before and after.
    #[serde(flatten)]
    pub planted: PlantReport,
}

/// Finds the contacts and plants the feet.
///
/// # Errors
/// When the body has no feet, the clip no motion, or the caller stops.
pub fn run(request: &Request, clip: &Clip, progress: Progress<'_>) -> Result<(Clip, Report), Error> {
    let contacts = find_contacts(clip, &ContactConfig::default())?;
    let planted = plant_feet(clip, &contacts, &PlantConfig::default(), progress)?;
    let report =
        Report { input: request.input.clone(), output: request.output.clone(), planted: planted.report };
    Ok((planted.clip, report))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.planted;
        let (before, after) = (report.skate_before, report.skate_after);
        writeln!(f, "                 before     after")?;
        writeln!(f, "skate, mean   {:>9.1} {:>9.1}  mm/s", before.mean_mm_s, after.mean_mm_s)?;
        writeln!(f, "skate, worst  {:>9.1} {:>9.1}  mm/s", before.max_mm_s, after.max_mm_s)?;
        let (before, after) = (report.penetration_before_mm, report.penetration_after_mm);
        writeln!(f, "penetration   {before:>9.1} {after:>9.1}  mm")?;
        writeln!(
            f,
            "floor         {:.1} mm per metre of tilt and {:.3} m of height removed",
            report.tilt_mm_m, report.offset_m
        )?;
        write!(
            f,
            "corrections   hips up to {:.1} mm, knees up to {:.1}°",
            report.hip_shift_mm, report.knee_change_deg
        )?;
        if report.released > 0 {
            write!(
                f,
                "\nreleased      {} contacts that could not be held without spoiling the motion",
                report.released
            )?;
        }
        if report.slid > 0 {
            write!(f, "\nleft alone    {} contacts that slide on purpose", report.slid)?;
        }
        Ok(())
    }
}
