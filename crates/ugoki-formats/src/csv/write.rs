//! A clip as comma-separated values.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use glam::{Quat, Vec3};
use ugoki_base::clip::{Clip, UpAxis};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::{Progress, report};

use crate::npz::report_losses;
use crate::save::{WriteError, WriteOptions, Written};
use crate::{Findings, Severity, axes, faces};

/// Frames written between two reports of progress.
const REPORT_FRAMES: usize = 256;

/// Writes `clip` as comma-separated values: a header, then one row per frame.
///
/// # Errors
/// When the caller stops.
pub fn write(clip: &Clip, options: &WriteOptions, progress: Progress<'_>) -> Result<Written, WriteError> {
    let unit = options.unit_metres.unwrap_or(1.0);
    let up = options.up.unwrap_or(UpAxis::Y);
    let mut findings = Findings::default();
    let clip = &*faces::left_out(clip, &mut findings);
    let mut text = header(clip, &mut findings);
    let mut row = Row { text: &mut text, digits: options.digits };
    let mut pose = Pose::rest(clip.skeleton());
    let mut model = ModelPose::default();
    let mut signs = vec![Quat::IDENTITY; clip.num_joints()];
    for frame in 0..clip.num_frames() {
        if frame % REPORT_FRAMES == 0 {
            report(progress, frame as f32 / clip.num_frames() as f32)?;
        }
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(clip.skeleton(), &pose, &mut model);
        // Seconds in f64, so that rows of long takes keep their distance.
        row.first(frame as f64 / clip.fps());
        row.place(pose.root, unit, up);
        for (joint, before) in signs.iter_mut().enumerate() {
            row.place(model.positions[joint], unit, up);
            let mut q = axes::rotation_to_file(model.rotations[joint].normalize(), up);
            // Along a column the sign does not jump; the first row has w ≥ 0.
            if q.dot(*before) < 0.0 || (frame == 0 && q.w < 0.0) {
                q = -q;
            }
            *before = q;
            for value in [q.w, q.x, q.y, q.z] {
                row.float(value);
            }
        }
        row.end();
    }
    report(progress, 1.0)?;
    report_losses(clip, &mut findings);
    Ok(Written { bytes: text.into_bytes(), findings: findings.finish() })
}

/// The names of the columns; joints of the same name are distinguished by their number.
fn header(clip: &Clip, findings: &mut Findings) -> String {
    let mut text = String::from("time,root_x,root_y,root_z");
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for joint in clip.skeleton().joints() {
        let mut name = joint.name.clone();
        let count = seen.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            let mut number = *count;
            while seen.contains_key(&format!("{name}_{number}")) {
                number += 1;
            }
            name = format!("{name}_{number}");
            seen.insert(name.clone(), 1);
            let message = format!("the joint name {:?} occurs more than once", joint.name);
            findings.note(Severity::Info, None, "name-duplicate", message, format!("{name:?}"));
        }
        for part in ["px", "py", "pz", "qw", "qx", "qy", "qz"] {
            text.push(',');
            push_field(&mut text, &format!("{name}_{part}"));
        }
    }
    text.push('\n');
    text
}

/// A field, quoted where it must be.
fn push_field(text: &mut String, field: &str) {
    if field.contains([',', '"', '\n', '\r']) || field.starts_with(' ') || field.ends_with(' ') {
        text.push('"');
        text.push_str(&field.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(field);
    }
}

/// Writes the numbers of a row.
struct Row<'a> {
    text: &'a mut String,
    digits: Option<u8>,
}

impl Row<'_> {
    fn first(&mut self, value: f64) {
        let done = match self.digits {
            Some(digits) => write!(self.text, "{value:.*}", usize::from(digits)),
            None => write!(self.text, "{value}"),
        };
        done.expect("writing to a string cannot fail");
    }

    fn float(&mut self, value: f32) {
        self.text.push(',');
        let done = match self.digits {
            Some(digits) => write!(self.text, "{value:.*}", usize::from(digits)),
            // The shortest digits that read back the same f32.
            None => write!(self.text, "{value}"),
        };
        done.expect("writing to a string cannot fail");
    }

    fn place(&mut self, place: Vec3, unit: f64, up: UpAxis) {
        for value in axes::to_file(place, up).to_array() {
            self.float((f64::from(value) / unit) as f32);
        }
    }

    fn end(&mut self) {
        self.text.push('\n');
    }
}
