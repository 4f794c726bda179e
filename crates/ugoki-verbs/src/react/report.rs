//! The report of `react`.

use std::fmt;

use serde::Serialize;
use ugoki::react::{CarriedLoad, ReactionReport, TimedPush};

use super::Control;
use crate::motion_verb::MotionReport;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What was done against loads and blows.
    pub control: Control,
    /// What was carried.
    pub loads: Vec<CarriedLoad>,
    /// What hit.
    pub pushes: Vec<TimedPush>,
    /// What was taken otherwise than it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Text of the body's file, when one was asked for; no part of the document.
    #[serde(skip)]
    pub body: Option<String>,
    /// What the body did, frame by frame.
    #[serde(flatten)]
    pub reaction: ReactionReport,
}

impl MotionReport for Report {
    fn text(&self, [input, output]: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{input} → {output}\n{}", self.reaction)
    }
}
