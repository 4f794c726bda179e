//! Markers to bytes.

use std::fmt::Write as _;

use glam::{DVec3, Vec3};
use ugoki_base::clip::{Clip, UpAxis};
use ugoki_base::markers::Markers;

use crate::{Findings, Format, WriteOptions, Written, counted, faces};

/// Most decimals tried before a number is written as precisely as a double can be.
const MAX_DECIMALS: usize = 12;

/// Writes markers; a marker that was not seen has blank cells.
#[must_use]
pub fn write_markers(markers: &Markers, options: &WriteOptions) -> Written {
    let mut findings = Findings::default();
    let bytes = table(markers, options, &mut findings);
    Written { bytes, findings: findings.finish() }
}

/// Writes the joint centres of a clip as markers named after its joints.
#[must_use]
pub fn write_clip(clip: &Clip, options: &WriteOptions) -> Written {
    let mut findings = Findings::default();
    let clip = &*faces::left_out(clip, &mut findings);
    let joints = clip.skeleton().joints();
    let labels: Vec<String> = joints.iter().map(|joint| joint.name.clone()).collect();
    let points: Vec<Vec3> = (0..joints.len()).flat_map(|joint| clip.joint_path(joint)).collect();
    let message = format!(
        "{} written as markers; rotations are lost",
        counted(joints.len(), "joint centre", "joint centres")
    );
    findings.info(None, "joints-as-markers", message);
    let bytes = match Markers::new(labels, clip.fps(), points) {
        Ok(mut markers) => {
            markers.name.clone_from(&clip.name);
            table(&markers, options, &mut findings)
        }
        // A clip has a positive rate and every joint in every frame.
        Err(error) => unreachable!("{error}"),
    };
    Written { bytes, findings: findings.finish() }
}

fn table(markers: &Markers, options: &WriteOptions, findings: &mut Findings) -> Vec<u8> {
    let unit_metres = options.unit_metres.unwrap_or(Format::Trc.usual_unit_metres());
    let unit = match unit_metres {
        1.0 => "m",
        0.01 => "cm",
        0.001 => "mm",
        // OpenSim and others refuse names they do not know.
        _ => {
            findings.info(
                None,
                "unit-name",
                format!("TRC has no name for a unit of {unit_metres} m; the file says mm"),
            );
            "mm"
        }
    };
    let labels: Vec<String> =
        markers.labels().iter().map(|label| label.replace(['\t', '\n', '\r'], " ")).collect();
    let (frames, count, fps) = (markers.num_frames(), labels.len(), markers.fps());
    let mut text = String::new();
    let name = if markers.name.is_empty() { "markers" } else { &markers.name };
    let _ = writeln!(text, "PathFileType\t4\t(X/Y/Z)\t{}.trc", name.replace(['\t', '\n', '\r'], " "));
    text.push_str("DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n");
    let _ = writeln!(text, "{fps}\t{fps}\t{frames}\t{count}\t{unit}\t{fps}\t1\t{frames}");
    text.push_str("Frame#\tTime");
    for label in &labels {
        let _ = write!(text, "\t{label}\t\t");
    }
    text.push_str("\n\t");
    for index in 1..=count {
        let _ = write!(text, "\tX{index}\tY{index}\tZ{index}");
    }
    text.push_str("\n\n");
    for frame in 0..frames {
        let _ = write!(text, "{}\t{:.6}", frame + 1, frame as f64 / fps);
        for marker in 0..count {
            match markers.get(marker, frame) {
                Some(point) => point_cells(&mut text, point, unit_metres, options),
                None => text.push_str("\t\t\t"),
            }
        }
        text.push('\n');
    }
    text.into_bytes()
}

fn point_cells(text: &mut String, point: Vec3, unit_metres: f64, options: &WriteOptions) {
    let p = match options.up.unwrap_or(UpAxis::Y) {
        UpAxis::Y => point,
        UpAxis::Z => Vec3::new(point.x, -point.z, point.y),
    };
    for x in p.to_array() {
        text.push('\t');
        text.push_str(&number(x, unit_metres, options.digits));
    }
}

/// The shortest decimal number that reads back as `x` metres, or one with the digits asked for.
fn number(x: f32, unit_metres: f64, digits: Option<u8>) -> String {
    let value = f64::from(x) / unit_metres;
    if let Some(digits) = digits {
        return format!("{value:.*}", usize::from(digits));
    }
    let reads_back = |text: &String| {
        let back: f64 = text.parse().unwrap_or(f64::NAN);
        // As the reader does it.
        (DVec3::splat(back) * unit_metres).as_vec3().x == x
    };
    (3..=MAX_DECIMALS)
        .map(|decimals| format!("{value:.decimals$}"))
        .find(reads_back)
        .unwrap_or_else(|| format!("{value:e}"))
}
