//! `ugoki info`

use std::process::ExitCode;

use ugoki_verbs::info::{JointReport, Report, Request, run as look, run_markers};

use super::reading;
use crate::failure::Failure;
use crate::{files, output};

/// Shows what is in a motion file
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ugoki info walk.bvh\n  ugoki info walk.bvh --json | jq .fps")]
pub(super) struct Words {
    /// Motion file, or - for standard input
    file: String,

    #[command(flatten)]
    reading: reading::Words,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request { file: self.file.clone(), reading: self.reading.reading() }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let report = match files::open(&request.file, &request.reading)? {
        files::Opened::Motion(read) => look(request, &read),
        files::Opened::Markers(markers, error) => run_markers(request, &markers, &error),
    };
    if json {
        output::json(&report);
    } else {
        print(&report);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(report: &Report) {
    output::line(&report.file);
    output::line(&format!("  format   {}", report.format.name()));
    output::line(&format!(
        "  motion   {} frames at {} per second, {:.3} s{}",
        report.frames,
        short(report.fps),
        report.seconds,
        if report.tpose_frame.is_some() { "; frame 0 is an added T-pose" } else { "" }
    ));
    output::line(&format!("  unit     {} ({} m)", report.unit, short(report.unit_metres)));
    if let Some(height) = report.height_metres {
        output::line(&format!("  height   about {height:.2} m"));
    }
    output::line(&format!("  joints   {}", report.joints.len()));
    for (index, depth) in tree(&report.joints) {
        let joint = &report.joints[index];
        // Chains deeper than the screen is wide are not indented further.
        let indent = "  ".repeat(depth.min(20));
        let plain = if joint.is_expression { "  expression" } else { "" };
        let role = joint.role.map_or_else(|| plain.to_owned(), |role| format!("  {role}"));
        output::line(&format!("    {indent}{:<width$}{role}", joint.name, width = 44 - 2 * depth.min(20)));
    }
    if !report.markers.is_empty() {
        output::line(&format!("  markers  {}", report.markers.len()));
    }
    for marker in &report.markers {
        let gaps = match marker.missing_frames {
            0 => String::new(),
            missing if missing == report.frames => "  never seen".to_owned(),
            missing => format!("  missing in {missing} frames, longest gap {}", marker.longest_gap_frames),
        };
        output::line(format!("    {:<24}{gaps}", marker.label).trim_end());
    }
    for warning in &report.warnings {
        let line = warning.line.map_or_else(String::new, |line| format!("line {line}: "));
        output::line(&format!("  note     {line}{} [{}]", warning.message, warning.code));
    }
}

/// Joints with their depth, each right under its parent or an elder sibling's last descendant, in whatever order the file has them.
fn tree(joints: &[JointReport]) -> Vec<(usize, usize)> {
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

/// At most six digits after the point, without trailing zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_in_breadth_first_order_are_shown_under_their_parents() {
        let joint = |name: &str, parent| JointReport {
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
