//! `plant`: removes foot skate and levels the floor.

use std::fmt::{self, Display as _};

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::formats::Read;
use ugoki::limb::{PlantConfig, PlantReport, plant_feet};

use crate::motion_verb::{Job, Made, MotionReport, MotionVerb};
use crate::{Error, Output, Reading};

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

impl MotionVerb for Plant {
    type Report = PlantReport;

    const ACTIVITY: &'static str = "planting";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn make(&self, read: &Read, job: &mut Job<'_>) -> Result<Made<PlantReport>, Error> {
        let contacts = find_contacts(&read.clip, &ContactConfig::default())?;
        let planted = plant_feet(&read.clip, &contacts, &PlantConfig::default(), job.progress)?;
        Ok(Made::new(planted.clip, planted.report))
    }
}

impl MotionReport for PlantReport {
    fn text(&self, _: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt(f)
    }
}
