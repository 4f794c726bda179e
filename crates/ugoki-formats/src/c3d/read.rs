//! Bytes to markers with their findings.

use glam::DVec3;
use ugoki_base::clip::UpAxis;

use super::parameters::{Parameters, decimal};
use super::{header, layout, parameters, points};
use crate::points::{Raw, ReadMarkers, unit_of_name};
use crate::{Findings, Format, ReadError, ReadOptions, Severity, counted};

/// Groups of points that are no positions, where POINT:TYPE_GROUPS does not list them.
const NOT_POSITIONS: [&str; 6] = ["ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS"];

/// Rate assumed where the file gives none, frames per second: the commonest among gait laboratories.
const DEFAULT_FPS: f64 = 100.0;

/// Whether the bytes start like a C3D file: the mark 0x50 and a processor where the parameters are said to be.
#[must_use]
pub fn looks_like(bytes: &[u8]) -> bool {
    let [block, 0x50, ..] = bytes else { return false };
    let parameters = usize::from(block.saturating_sub(1)) * header::BLOCK;
    parameters > 0 && bytes.get(parameters + 3).is_some_and(|mark| (84..=86).contains(mark))
}

/// Reads the marker points of a C3D file.
///
/// # Errors
/// When header, parameters or data are not there, or `options` give an impossible unit.
pub fn read_markers(bytes: &[u8], options: &ReadOptions) -> Result<ReadMarkers, ReadError> {
    let mut findings = Findings::default();
    let (header, data) = header::read(bytes, &mut findings)?;
    let parameters = parameters::read(data, &header, &mut findings);
    let layout = layout::choose(&header, &parameters, bytes.len(), &mut findings)?;
    let form = if layout.real { "real numbers" } else { "integers" };
    findings.info(None, "encoding", format!("{} {form}", data.processor.name()));
    let labels = labels(&parameters, layout.points, &mut findings);
    let kept = positions(&parameters, &labels, &mut findings);
    let mut tracks: Vec<Vec<DVec3>> = Vec::with_capacity(kept.len());
    let mut zeros = 0;
    for &index in &kept {
        let track = points::track(data, &layout, index);
        zeros += track.zeros;
        tracks.push(track.points);
    }
    if zeros > 0 {
        let message = counted(zeros, "point stands at 0, 0, 0", "points stand at 0, 0, 0");
        findings.note(Severity::Info, None, "zero-points", message, "not seen");
    }
    let unit = parameters.text("POINT", "UNITS");
    let stated = unit.as_deref().and_then(unit_of_name);
    if let Some(unit) = unit.filter(|_| stated.is_none()) {
        findings.note(
            Severity::Warning,
            None,
            "unit-name",
            format!("POINT:UNITS is {unit:?}"),
            "guessed from the points",
        );
    }
    let raw = Raw {
        format: Format::C3d,
        labels: kept.iter().map(|&index| labels[index].clone()).collect(),
        fps: rate(&parameters, header.rate, options, &mut findings),
        tracks,
        unit: stated,
        up: up(&parameters, &mut findings),
        usual_up: UpAxis::Z,
    };
    raw.finish(options, findings)
}

fn labels(parameters: &Parameters<'_>, points: usize, findings: &mut Findings) -> Vec<String> {
    let mut labels = parameters.texts_in_parts("POINT", "LABELS");
    if labels.len() < points {
        let message = format!("{} for {points} points", counted(labels.len(), "label", "labels"));
        findings.note(
            Severity::Warning,
            None,
            "labels-missing",
            message,
            "the others are called by their number",
        );
    }
    labels.truncate(points);
    labels.resize(points, String::new());
    for (index, label) in labels.iter_mut().enumerate() {
        if label.is_empty() {
            *label = format!("*{}", index + 1);
        }
    }
    labels
}

/// Indices of the points that are positions, which model outputs such as angles and forces are not.
fn positions(parameters: &Parameters<'_>, labels: &[String], findings: &mut Findings) -> Vec<usize> {
    let mut groups: Vec<String> = NOT_POSITIONS.iter().map(|group| (*group).to_owned()).collect();
    // Rows of two: the name of the parameter that lists the points, and their kind.
    let types = parameters.texts("POINT", "TYPE_GROUPS").unwrap_or_default();
    groups.extend(types.chunks(2).filter_map(|row| Some(row.first()?.to_ascii_uppercase())));
    let others: std::collections::BTreeSet<String> =
        groups.iter().flat_map(|group| parameters.texts_in_parts("POINT", group)).collect();
    let kept: Vec<usize> = (0..labels.len()).filter(|&i| !others.contains(&labels[i])).collect();
    if kept.len() < labels.len() {
        let count = labels.len() - kept.len();
        let message = counted(
            count,
            "point is no position but an angle, force or the like",
            "points are no positions but angles, forces and the like",
        );
        findings.note(Severity::Info, None, "not-positions", message, "left out");
    }
    kept
}

fn rate(parameters: &Parameters<'_>, header: f32, options: &ReadOptions, findings: &mut Findings) -> f64 {
    let usable = |rate: &f64| rate.is_finite() && (1e-3..=1e6).contains(rate);
    let by_header = Some(decimal(header)).filter(usable);
    let by_parameter = parameters.number("POINT", "RATE").filter(usable);
    if let (Some(a), Some(b)) = (by_header, by_parameter)
        && (a / b - 1.0).abs() > 1e-3
    {
        let message = format!("the rate is {a} in the header and {b} in POINT:RATE");
        findings.note(Severity::Warning, None, "rate-disagrees", message, format!("{b} frames per second"));
    }
    let found =
        by_parameter.or(by_header).or_else(|| parameters.number("TRIAL", "CAMERA_RATE").filter(usable));
    found.or(options.fps.filter(usable)).unwrap_or_else(|| {
        let message = "the file gives no rate";
        findings.note(
            Severity::Warning,
            None,
            "rate-missing",
            message,
            format!("{DEFAULT_FPS} frames per second"),
        );
        DEFAULT_FPS
    })
}

/// Which way is up by POINT:Y_SCREEN, the axis that points up on a screen.
fn up(parameters: &Parameters<'_>, findings: &mut Findings) -> Option<UpAxis> {
    let axis = parameters.text("POINT", "Y_SCREEN")?;
    match axis.to_ascii_uppercase().trim_start_matches('+') {
        "Y" => Some(UpAxis::Y),
        "Z" => Some(UpAxis::Z),
        _ => {
            let message = format!("POINT:Y_SCREEN is {axis:?}, expected +Y or +Z");
            findings.note(Severity::Warning, None, "up-axis", message, "guessed from the points");
            None
        }
    }
}
