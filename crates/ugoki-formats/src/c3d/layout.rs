//! Where the points lie: how many, how many frames, from which byte and how far apart.
//!
//! Header and parameters repeat each other, and vendors fill in one of them only. What fits the size of the file
//! is believed.

use super::header::{BLOCK, Header};
use super::parameters::Parameters;
use crate::{Findings, ReadError, Severity, counted};

/// What was decided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub points: usize,
    pub frames: usize,
    /// Byte of the first frame.
    pub start: usize,
    /// Bytes from one frame to the next.
    pub stride: usize,
    /// Whether coordinates are real numbers; else integers to be multiplied by the scale.
    pub real: bool,
    /// File units per integer step.
    pub scale: f64,
}

/// Decides.
pub(super) fn choose(
    header: &Header,
    parameters: &Parameters<'_>,
    file_bytes: usize,
    findings: &mut Findings,
) -> Result<Layout, ReadError> {
    let points = points(header, parameters, findings)?;
    let scale = scale(header, parameters, findings);
    let real = scale < 0.0;
    let start = start(header, parameters, file_bytes, findings)?;
    let available = file_bytes - start;
    let declared = frames(header, parameters, findings);
    let point_bytes = if real { 16 } else { 8 };
    let analog_bytes = point_bytes / 4;
    let stride = |analog: usize| points * point_bytes + analog * analog_bytes;
    let by_header = stride(header.analog);
    let by_parameters = parameters.number("ANALOG", "USED").map(|channels| {
        let ratio = analog_ratio(parameters).unwrap_or(header.analog_per_frame as f64);
        stride((channels * ratio).clamp(0.0, 1e6) as usize)
    });
    let fits = |stride: usize| stride.saturating_mul(declared.max(1)) <= available;
    let stride = match by_parameters {
        Some(other) if other != by_header && !fits(by_header) && fits(other) => {
            let message =
                format!("{} analog numbers per frame in the header do not fit the file", header.analog);
            findings.note(Severity::Warning, None, "analog-count", message, "the number of the ANALOG group");
            other
        }
        _ => by_header,
    };
    let whole = available / stride;
    let frames = match declared {
        0 if whole > 0 => {
            let assumed = format!("{whole} frames, by the size of the file");
            findings.note(
                Severity::Warning,
                None,
                "frames-missing",
                "the file does not say its number of frames",
                assumed,
            );
            whole
        }
        declared if declared > whole => {
            let message = format!(
                "{} are missing at the end: the file holds {whole} of {declared}",
                counted(declared - whole, "frame", "frames")
            );
            findings.note(Severity::Error, None, "truncated", message, "the frames that are there");
            whole
        }
        declared => declared,
    };
    Ok(Layout { points, frames, start, stride, real, scale: scale.abs() })
}

fn points(header: &Header, parameters: &Parameters<'_>, findings: &mut Findings) -> Result<usize, ReadError> {
    let used = parameters.number("POINT", "USED").map(|used| used as usize);
    let points = match used {
        Some(used) if used != header.points => {
            let message = format!("the header counts {} points, POINT:USED {used}", header.points);
            let points = if used == 0 { header.points } else { used };
            findings.note(Severity::Warning, None, "point-count", message, format!("{points} points"));
            points
        }
        _ => header.points,
    };
    if points == 0 {
        return Err(ReadError::Malformed {
            line: None,
            message: "the file has no marker points, only analog samples or nothing".to_owned(),
            hint: "export the trial with its trajectories",
        });
    }
    Ok(points)
}

fn scale(header: &Header, parameters: &Parameters<'_>, findings: &mut Findings) -> f64 {
    let usable = |scale: &f64| scale.is_finite() && *scale != 0.0;
    let by_parameter = parameters.number("POINT", "SCALE").filter(usable);
    let by_header = Some(super::parameters::decimal(header.scale)).filter(usable);
    match (by_parameter, by_header) {
        (Some(scale), Some(other)) if scale != other => {
            let message = format!("the scale is {other} in the header and {scale} in POINT:SCALE");
            findings.note(Severity::Warning, None, "scale-disagrees", message, format!("{scale}"));
            scale
        }
        (Some(scale), _) | (None, Some(scale)) => scale,
        (None, None) => {
            findings.note(
                Severity::Warning,
                None,
                "scale-missing",
                "the file gives no scale",
                "points are real numbers",
            );
            -1.0
        }
    }
}

fn start(
    header: &Header,
    parameters: &Parameters<'_>,
    file_bytes: usize,
    findings: &mut Findings,
) -> Result<usize, ReadError> {
    let by_parameter = parameters.number("POINT", "DATA_START").map(|block| block as usize);
    let byte = |block: usize| block.saturating_sub(1) * BLOCK;
    let usable = |block: &usize| byte(*block) > header.parameters && byte(*block) < file_bytes;
    let block = match by_parameter {
        Some(block) if block != header.data_block => {
            let chosen = if usable(&header.data_block) { header.data_block } else { block };
            let message = format!(
                "the points start in block {} by the header, {block} by POINT:DATA_START",
                header.data_block
            );
            findings.note(Severity::Warning, None, "data-start", message, format!("block {chosen}"));
            chosen
        }
        _ => header.data_block,
    };
    if usable(&block) {
        return Ok(byte(block));
    }
    // Some programs leave both empty; data then follows the parameters.
    let after = header.parameters + header.parameter_blocks * BLOCK;
    if block == 0 && after > header.parameters && after < file_bytes {
        let message = "the file does not say where its points start";
        findings.note(Severity::Warning, None, "data-start", message, "after the parameters");
        return Ok(after);
    }
    Err(ReadError::Malformed {
        line: None,
        message: format!("the points start at byte {}, but the file ends at {file_bytes}", byte(block)),
        hint: "the file is cut off; export it again",
    })
}

/// Two integers, low word first, as one number of a frame.
fn field(parameters: &Parameters<'_>, name: &str) -> Option<u64> {
    let words = parameters.numbers("TRIAL", name)?;
    let (low, high) = (*words.first()?, words.get(1).copied().unwrap_or(0.0));
    Some(low as u64 + ((high as u64) << 16))
}

/// How many frames the file says it has; 0 when it does not.
fn frames(header: &Header, parameters: &Parameters<'_>, findings: &mut Findings) -> usize {
    let span = |first: u64, last: u64| (last >= first && last > 0).then(|| last - first + 1);
    let by_trial = match (field(parameters, "ACTUAL_START_FIELD"), field(parameters, "ACTUAL_END_FIELD")) {
        (Some(first), Some(last)) => span(first, last),
        _ => None,
    };
    let count = |name: &str| parameters.number("POINT", name).filter(|n| *n >= 1.0).map(|n| n as u64);
    let by_header = span(u64::from(header.first), u64::from(header.last));
    // The header's last frame stops at 65 535; POINT:FRAMES too, unless it is a real number.
    let is_full = header.last == u16::MAX;
    let by_parameter = count("LONG_FRAMES").or_else(|| count("FRAMES"));
    let chosen = match (by_trial, by_header) {
        (Some(trial), _) => Some(trial),
        (None, Some(_)) if is_full => by_parameter.max(by_header),
        (None, by_header) => by_header.or(by_parameter),
    };
    let says: Vec<(&str, u64)> =
        [("the header", by_header), ("TRIAL", by_trial), ("POINT:FRAMES", by_parameter)]
            .into_iter()
            .filter_map(|(place, frames)| Some((place, frames?)))
            .collect();
    if !is_full && says.windows(2).any(|pair| pair[0].1 != pair[1].1) {
        let list: Vec<String> = says.iter().map(|(place, frames)| format!("{frames} in {place}")).collect();
        let assumed = format!("{} frames", chosen.unwrap_or(0));
        let message = format!("the number of frames is {}", list.join(", "));
        findings.note(Severity::Warning, None, "frames-disagree", message, assumed);
    }
    usize::try_from(chosen.unwrap_or(0)).unwrap_or(usize::MAX)
}

/// Analog samples per frame of points, from the two rates.
fn analog_ratio(parameters: &Parameters<'_>) -> Option<f64> {
    let ratio = parameters.number("ANALOG", "RATE")? / parameters.number("POINT", "RATE")?;
    ratio.is_finite().then(|| ratio.round())
}
