//! `plant`: removes foot skate and levels the floor.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::feet::{PlantConfig, PlantReport, plant_feet};
use ugoki::formats::{Format, Read};

use crate::motion_verb::{Job, Made, MotionReport, MotionVerb};
use crate::{Error, Output, Reading};

/// Where contacts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ContactSource {
    /// Labels of the file where it has some, else found in the motion.
    #[default]
    File,
    /// Found in the motion, whatever the file says.
    Detect,
}

/// Removes foot skate and levels the floor
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki plant walk.bvh planted.bvh\n  ugoki plant captures/ -o planted/")]
pub struct Plant {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,

    /// Which contacts are held: labels that the file has (NPZ, glTF), or those found in the motion
    #[arg(long, value_enum, default_value = "file")]
    pub contacts: ContactSource,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What planting changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Whether the contacts are labels of the file or were found in the motion.
    pub contacts: ContactSource,
    /// Before and after.
    #[serde(flatten)]
    pub planted: PlantReport,
}

impl MotionVerb for Plant {
    type Report = Report;

    const ACTIVITY: &'static str = "planting";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn make(&self, read: &Read, job: &mut Job<'_>) -> Result<Made<Report>, Error> {
        let clip = &read.clip;
        let mut contacts = find_contacts(clip, &ContactConfig::default())?;
        // What a database says about contacts was found in the motion when it was added.
        let is_file = self.contacts == ContactSource::File && read.format != Format::Database;
        let labels = read.marks.contacts.as_ref().filter(|_| is_file);
        if let Some(labels) = labels {
            contacts = contacts.with_labels(labels, &clip.motion_frames());
        }
        let source = if labels.is_some() { ContactSource::File } else { ContactSource::Detect };
        let planted = plant_feet(clip, &contacts, &PlantConfig::default(), job.progress)?;
        let report = Report { contacts: source, planted: planted.report };
        Ok(Made { contacts: Some(contacts.feet), ..Made::new(planted.clip, report) })
    }
}

impl MotionReport for Report {
    fn text(&self, [input, output]: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{input} → {output}\n{}", self.planted)?;
        if self.contacts == ContactSource::File {
            write!(f, "\ncontacts      labels of the file; --contacts detect finds them in the motion")?;
        }
        Ok(())
    }
}
