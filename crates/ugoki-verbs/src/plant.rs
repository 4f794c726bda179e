//! `plant`: removes foot skate and levels the floor.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::formats::Read;
use ugoki::limb::{PlantConfig, PlantReport, plant_feet};

use crate::motion_verb::{Made, MotionVerb};
use crate::{Error, Host, Output, Reading};

/// Removes foot skate and levels the floor
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki plant walk.bvh planted.bvh\n  ugoki plant captures/ -o planted/")]
pub struct Plant {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What planting changed
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

impl MotionVerb for Plant {
    type Report = Report;

    const ACTIVITY: &'static str = "planting";

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
        let contacts = find_contacts(&read.clip, &ContactConfig::default())?;
        let planted = plant_feet(&read.clip, &contacts, &PlantConfig::default(), progress)?;
        let report = Report { input: input.to_owned(), output: output.to_owned(), planted: planted.report };
        Ok(Made::new(planted.clip, report))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.planted.fmt(f)
    }
}
