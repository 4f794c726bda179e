//! What is in a motion file, for people and for scripts.

use std::fmt;

use serde::Serialize;
use ugoki_base::clip::UpAxis;
use ugoki_base::markers::Markers;
use ugoki_base::skeleton::Role;

use crate::{Finding, Format, Read, ReadError, ReadMarkers, Severity};

/// What is in a motion file. `Display` is an indented list with the joints as a tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contents {
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
    pub joints: Vec<JointSummary>,
    /// The markers of a marker file, whether or not they became joints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<MarkerSummary>,
    /// Findings that matter or made the reader assume something.
    pub warnings: Vec<FileWarning>,
}

/// One joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointSummary {
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
pub struct MarkerSummary {
    /// Its name in the file.
    pub label: String,
    /// Frames in which it was not seen.
    pub missing_frames: usize,
    /// The longest run of them.
    pub longest_gap_frames: usize,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileWarning {
    /// Line of the file.
    pub line: Option<u32>,
    /// Stable short name.
    pub code: &'static str,
    /// What was found.
    pub message: String,
}

impl Contents {
    /// Describes a motion.
    #[must_use]
    pub fn motion(read: &Read) -> Self {
        let clip = &read.clip;
        let skeleton = clip.skeleton();
        let joint = |index: usize| {
            let joint = skeleton.joint(index);
            JointSummary {
                name: joint.name.clone(),
                parent: joint.parent,
                role: joint.role,
                is_expression: joint.is_expression,
                length_metres: skeleton.length(index),
            }
        };
        Self {
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
            markers: read.markers.as_ref().map(marker_summaries).unwrap_or_default(),
            warnings: warnings(&read.findings),
        }
    }

    /// Describes a marker file that no motion could be solved from; `error` says why.
    #[must_use]
    pub fn markers(read: &ReadMarkers, error: &ReadError) -> Self {
        let markers = &read.markers;
        let mut warnings = warnings(&read.findings);
        warnings.push(FileWarning { line: error.line(), code: "unsolved", message: error.to_string() });
        Self {
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
            markers: marker_summaries(markers),
            warnings,
        }
    }
}

fn marker_summaries(markers: &Markers) -> Vec<MarkerSummary> {
    let report = |(index, label): (usize, &String)| {
        let gaps = markers.gaps(index);
        MarkerSummary {
            label: label.clone(),
            missing_frames: gaps.iter().map(ExactSizeIterator::len).sum(),
            longest_gap_frames: gaps.iter().map(ExactSizeIterator::len).max().unwrap_or(0),
        }
    };
    markers.labels().iter().enumerate().map(report).collect()
}

/// The findings that matter or made the reader assume something.
fn warnings(findings: &[Finding]) -> Vec<FileWarning> {
    let warning = |finding: &Finding| FileWarning {
        line: finding.line,
        code: finding.code,
        message: match &finding.assumed {
            Some(assumed) => format!("{}; assumed: {assumed}", finding.message),
            None => finding.message.clone(),
        },
    };
    findings.iter().filter(|f| f.severity != Severity::Info || f.assumed.is_some()).map(warning).collect()
}

/// A number with at most so many digits after the point, without trailing zeros.
fn short(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  format   {}", self.format.name())?;
        let tpose = if self.tpose_frame.is_some() { "; frame 0 is an added T-pose" } else { "" };
        let (frames, fps) = (self.frames, short(self.fps, 6));
        write!(f, "\n  motion   {frames} frames at {fps} per second, {:.3} s{tpose}", self.seconds)?;
        write!(f, "\n  unit     {} ({} m)", self.unit, short(self.unit_metres, 6))?;
        if let Some(height) = self.height_metres {
            write!(f, "\n  height   about {height:.2} m")?;
        }
        write!(f, "\n  joints   {}", self.joints.len())?;
        for (index, depth) in tree(&self.joints) {
            let joint = &self.joints[index];
            // Chains deeper than the screen is wide are not indented further.
            let depth = depth.min(20);
            let (indent, width) = ("  ".repeat(depth), 44 - 2 * depth);
            let plain = if joint.is_expression { "  expression" } else { "" };
            let role = joint.role.map_or_else(|| plain.to_owned(), |role| format!("  {role}"));
            write!(f, "\n    {indent}{:<width$}{role}", joint.name)?;
        }
        if !self.markers.is_empty() {
            write!(f, "\n  markers  {}", self.markers.len())?;
        }
        for marker in &self.markers {
            let gaps = match marker.missing_frames {
                0 => String::new(),
                missing if missing == self.frames => "  never seen".to_owned(),
                missing => {
                    format!("  missing in {missing} frames, longest gap {}", marker.longest_gap_frames)
                }
            };
            write!(f, "\n{}", format!("    {:<24}{gaps}", marker.label).trim_end())?;
        }
        for warning in &self.warnings {
            let line = warning.line.map_or_else(String::new, |line| format!("line {line}: "));
            write!(f, "\n  note     {line}{} [{}]", warning.message, warning.code)?;
        }
        Ok(())
    }
}

/// Joints with their depth, each below its parent, in whatever order the file has them.
fn tree(joints: &[JointSummary]) -> Vec<(usize, usize)> {
    let mut children = vec![Vec::new(); joints.len()];
    let mut waiting = Vec::new();
    for (index, joint) in joints.iter().enumerate().rev() {
        match joint.parent {
            Some(parent) => children[parent].push(index),
            None => waiting.push((index, 0)),
        }
    }
    let mut order = Vec::with_capacity(joints.len());
    while let Some((index, depth)) = waiting.pop() {
        order.push((index, depth));
        waiting.extend(children[index].iter().map(|&child| (child, depth + 1)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_in_breadth_first_order_are_shown_under_their_parents() {
        let joint = |name: &str, parent| JointSummary {
            name: name.to_owned(),
            parent,
            role: None,
            is_expression: false,
            length_metres: 0.1,
        };
        let joints = [
            joint("hips", None),
            joint("left", Some(0)),
            joint("right", Some(0)),
            joint("left knee", Some(1)),
            joint("right knee", Some(2)),
        ];
        assert_eq!(tree(&joints), [(0, 0), (1, 1), (3, 2), (2, 1), (4, 2)]);
    }
}
