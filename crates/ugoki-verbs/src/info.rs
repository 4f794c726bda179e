//! `info`: what is in a file.

use serde::{Deserialize, Serialize};

use super::{Arguments, Reading, reading_arguments};
use ugoki::clip::UpAxis;
use ugoki::formats::{Finding, Format, Read, ReadError, ReadMarkers, Severity};
use ugoki::markers::Markers;
use ugoki::skeleton::Role;

/// Ask what is in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion file.
    pub file: String,
    /// How to read it.
    #[serde(default)]
    pub reading: Reading,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        reading_arguments(&self.reading, Arguments::new("info")).file(&self.file).finish()
    }
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The file as named.
    pub file: String,
    /// Its format.
    pub format: Format,
    /// Number of frames, an added T-pose included.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Frames divided by rate.
    pub seconds: f64,
    /// Seconds per frame as the file says, before the rate was rounded.
    pub frame_time: Option<f64>,
    /// Index of an added T-pose frame.
    pub tpose_frame: Option<usize>,
    /// Metres per unit of the file.
    pub unit_metres: f64,
    /// The unit's name and how it was found.
    pub unit: String,
    /// Which way is up in the file.
    pub up: UpAxis,
    /// Estimated height of the body.
    pub height_metres: Option<f64>,
    /// The joints, parents before children.
    pub joints: Vec<JointReport>,
    /// The markers of a marker file, whether or not they became joints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<MarkerReport>,
    /// Everything odd about the file that matters or made us assume something.
    pub warnings: Vec<WarningReport>,
}

/// One joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointReport {
    /// Its name in the file.
    pub name: String,
    /// Index of its parent.
    pub parent: Option<usize>,
    /// What it is on a human.
    pub role: Option<Role>,
    /// Whether it is a facial expression.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_expression: bool,
    /// Length to its parent at rest, metres.
    pub length_metres: f32,
}

/// One marker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarkerReport {
    /// Its name in the file.
    pub label: String,
    /// Frames in which it was not seen.
    pub missing_frames: usize,
    /// The longest stretch of them.
    pub longest_gap_frames: usize,
}

/// One oddity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WarningReport {
    /// Line of the file.
    pub line: Option<u32>,
    /// Stable short name.
    pub code: &'static str,
    /// What was found.
    pub message: String,
}

/// Looks into what was read.
#[must_use]
pub fn run(request: &Request, read: &Read) -> Report {
    let clip = &read.clip;
    let skeleton = clip.skeleton();
    let joint = |index: usize| {
        let joint = skeleton.joint(index);
        JointReport {
            name: joint.name.clone(),
            parent: joint.parent,
            role: joint.role,
            is_expression: joint.is_expression,
            length_metres: skeleton.length(index),
        }
    };
    Report {
        file: request.file.clone(),
        format: read.format,
        frames: clip.num_frames(),
        fps: clip.fps(),
        seconds: clip.seconds(),
        frame_time: clip.source().map(|source| source.frame_time),
        tpose_frame: clip.tpose_frame.then_some(0),
        unit_metres: read.unit_metres,
        unit: read.unit_name.clone(),
        up: read.up,
        height_metres: read.height_metres,
        joints: (0..skeleton.num_joints()).map(joint).collect(),
        markers: read.markers.as_ref().map(marker_reports).unwrap_or_default(),
        warnings: warnings(&read.findings),
    }
}

/// Looks into a marker file whose markers are no person we know; `error` says why.
#[must_use]
pub fn run_markers(request: &Request, read: &ReadMarkers, error: &ReadError) -> Report {
    let markers = &read.markers;
    let mut warnings = warnings(&read.findings);
    let message = match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    };
    warnings.push(WarningReport { line: error.line(), code: "unsolved", message });
    Report {
        file: request.file.clone(),
        format: read.format,
        frames: markers.num_frames(),
        fps: markers.fps(),
        seconds: markers.num_frames() as f64 / markers.fps(),
        frame_time: Some(read.frame_time),
        tpose_frame: None,
        unit_metres: read.unit_metres,
        unit: read.unit_name.clone(),
        up: read.up,
        height_metres: None,
        joints: Vec::new(),
        markers: marker_reports(markers),
        warnings,
    }
}

fn marker_reports(markers: &Markers) -> Vec<MarkerReport> {
    let report = |(index, label): (usize, &String)| {
        let gaps = markers.gaps(index);
        MarkerReport {
            label: label.clone(),
            missing_frames: gaps.iter().map(ExactSizeIterator::len).sum(),
            longest_gap_frames: gaps.iter().map(ExactSizeIterator::len).max().unwrap_or(0),
        }
    };
    markers.labels().iter().enumerate().map(report).collect()
}

/// The findings that matter or made us assume something.
fn warnings(findings: &[Finding]) -> Vec<WarningReport> {
    let warning = |finding: &Finding| WarningReport {
        line: finding.line,
        code: finding.code,
        message: match &finding.assumed {
            Some(assumed) => format!("{}; assumed: {assumed}", finding.message),
            None => finding.message.clone(),
        },
    };
    findings.iter().filter(|f| f.severity != Severity::Info || f.assumed.is_some()).map(warning).collect()
}
