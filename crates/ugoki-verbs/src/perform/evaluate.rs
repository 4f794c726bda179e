//! `perform evaluate`

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::perform::evaluate::{Evaluation, evaluate};

use super::Recognition;
use crate::error::InFile as _;
use crate::{Error, Host, Reading, Report, Stream, Verb};

/// Says how well a model is followed: its motions on other bones, slower, faster, smaller, shaken and with a pause
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki perform evaluate moves.ugoki")]
pub struct Evaluate {
    /// Model that `learn` wrote; moves.ugoki#kick for one motion of it
    pub model: String,

    /// A take of yours to change instead of the model's motions; what is shown of it as it is counts as right
    #[arg(long, value_name = "FILE")]
    pub input: Option<String>,

    /// How the performer is followed.
    #[command(flatten)]
    #[serde(flatten)]
    pub recognition: Recognition,

    /// How to read the take.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// How well a model is followed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluateReport {
    /// The model as named.
    pub model: String,
    /// Every motion and change.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl Verb for Evaluate {
    type Report = EvaluateReport;

    const ACTIVITY: &'static str = "evaluating";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<EvaluateReport, Error> {
        let config = self.recognition.config()?;
        let model = host.model(&self.model)?;
        let read = self.input.as_deref().map(|input| host.motion(input, &self.reading)).transpose()?;
        let named = self.input.as_deref().unwrap_or(&self.model);
        let evaluation =
            evaluate(&model, read.as_ref().map(|read| &read.clip), config, progress).in_file(named)?;
        Ok(EvaluateReport { model: self.model.clone(), evaluation })
    }
}

impl Report for EvaluateReport {
    const STREAM: Stream = Stream::Result;
}

impl fmt::Display for EvaluateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.model, self.evaluation)
    }
}
