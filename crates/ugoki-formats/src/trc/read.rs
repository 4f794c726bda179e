//! Bytes to markers with their findings.

use std::borrow::Cow;

use glam::DVec3;
use ugoki_base::clip::UpAxis;

use super::head::{self, Head, cells, number};
use crate::points::{Raw, ReadMarkers, unit_of_name};
use crate::{Findings, Format, ReadError, ReadOptions, Severity, counted};

/// Bytes of points per byte of file that are allowed beyond [`FREE_BYTES`]: a marker not seen takes 3 bytes of
/// text and 24 of memory.
const BYTES_PER_BYTE: usize = 16;

/// Bytes of points that any file may need.
const FREE_BYTES: usize = 4 << 20;

/// Rate assumed where neither head nor times give one, frames per second.
const DEFAULT_FPS: f64 = 100.0;

/// Whether the bytes start like a TRC file.
#[must_use]
pub fn looks_like(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    let start = bytes.trim_ascii_start();
    start.get(..12).is_some_and(|word| word.eq_ignore_ascii_case(b"PathFileType"))
}

/// Reads the marker points of a TRC file.
///
/// # Errors
/// When there is no line of names, no row of numbers, or `options` give an impossible unit.
pub fn read_markers(bytes: &[u8], options: &ReadOptions) -> Result<ReadMarkers, ReadError> {
    let mut findings = Findings::default();
    let text = decode(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let lines = if lines.len() <= 1 && text.contains('\r') { text.split('\r').collect() } else { lines };
    let head = head::read(&lines, &mut findings)?;
    let table = table(&lines, &head, bytes.len(), &mut findings)?;
    let stated = head.unit.as_deref().and_then(unit_of_name);
    if let Some(unit) = head.unit.as_ref().filter(|_| stated.is_none()) {
        let message = format!("Units is {unit:?}");
        findings.note(Severity::Warning, None, "unit-name", message, "guessed from the points");
    }
    let fps = rate(&head, &table, options, &mut findings);
    let raw = Raw {
        format: Format::Trc,
        labels: head.labels,
        fps,
        tracks: table.tracks,
        unit: stated,
        up: None,
        usual_up: UpAxis::Y,
    };
    raw.finish(options, findings)
}

/// Plain text: UTF-8 with or without its mark, else Latin-1.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&b| char::from(b)).collect()),
    }
}

struct Table {
    tracks: Vec<Vec<DVec3>>,
    /// First and last time, and the rows between them.
    times: Option<(f64, f64, usize)>,
}

fn table(
    lines: &[&str],
    head: &Head,
    file_bytes: usize,
    findings: &mut Findings,
) -> Result<Table, ReadError> {
    let markers = head.labels.len();
    let rows: Vec<(usize, &str)> = lines
        .iter()
        .enumerate()
        .skip(head.next)
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| (at, *line))
        .collect();
    check_size(markers, rows.len(), file_bytes)?;
    let mut tracks: Vec<Vec<DVec3>> = vec![Vec::with_capacity(rows.len()); markers];
    let (mut first, mut last) = (None, None);
    let (mut zeros, mut words) = (0, 0);
    for (row, &(at, text)) in rows.iter().enumerate() {
        let line = at as u32 + 1;
        let cells = cells(text);
        if row == 0 && number(cells[0]).is_none() && cells.get(1).is_none_or(|time| number(time).is_none()) {
            return Err(ReadError::MalformedLine {
                line,
                message: format!(
                    "found {:?}, expected a frame number and a time",
                    cells[0].chars().take(24).collect::<String>()
                ),
                hint: "compare the head with a TRC file that works; five lines stand before the numbers",
            });
        }
        // The last marker's blank cells may be left out.
        let filled = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        let wanted = 2 + 3 * markers;
        if filled > wanted {
            let message = format!("{filled} columns, expected {wanted}");
            findings.note(
                Severity::Warning,
                Some(line),
                "row-long",
                message,
                "the columns beyond the last name are left out",
            );
        } else if cells.len() < wanted && (filled.saturating_sub(2) % 3 != 0 || !text.contains('\t')) {
            let message = format!("{filled} columns, expected {wanted}");
            findings.note(
                Severity::Warning,
                Some(line),
                "row-short",
                message,
                "the markers without columns were not seen",
            );
        }
        if let Some(time) = cells.get(1).and_then(|time| number(time)) {
            first = first.or(Some((row, time)));
            last = Some((row, time));
        }
        for (marker, track) in tracks.iter_mut().enumerate() {
            let cell = |axis: usize| cells.get(2 + 3 * marker + axis).copied().unwrap_or_default();
            let xyz = [cell(0), cell(1), cell(2)].map(|text| {
                let value = number(text);
                words += usize::from(value.is_none() && !text.is_empty() && !is_missing(text));
                value
            });
            let point = match xyz {
                [Some(0.0), Some(0.0), Some(0.0)] => {
                    zeros += 1;
                    DVec3::NAN
                }
                [Some(x), Some(y), Some(z)] => DVec3::new(x, y, z),
                _ => DVec3::NAN,
            };
            track.push(point);
        }
    }
    if words > 0 {
        let message = counted(words, "cell is no number", "cells are no numbers");
        findings.note(Severity::Error, None, "not-a-number", message, "not seen");
    }
    if zeros > 0 {
        let message = counted(zeros, "point stands at 0, 0, 0", "points stand at 0, 0, 0");
        findings.note(Severity::Info, None, "zero-points", message, "not seen");
    }
    if let Some(declared) = head.frames.filter(|n| *n != rows.len()) {
        let message =
            format!("NumFrames is {declared}, but there are {}", counted(rows.len(), "row", "rows"));
        findings.note(Severity::Warning, None, "frame-count", message, "the rows");
    }
    let times = match (first, last) {
        (Some((a, from)), Some((b, to))) if b > a && to > from => Some((from, to, b - a)),
        _ => None,
    };
    Ok(Table { tracks, times })
}

/// The ways writers say that a marker was not seen.
fn is_missing(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '+']);
    ["nan", "inf", "infinity", "null", "na", "-", ""].iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn rate(head: &Head, table: &Table, options: &ReadOptions, findings: &mut Findings) -> f64 {
    let usable = |rate: &f64| rate.is_finite() && (1e-3..=1e6).contains(rate);
    let by_times = table.times.map(|(from, to, rows)| rows as f64 / (to - from)).filter(usable);
    let stated = head.rate.filter(usable);
    if let (Some(stated), Some(by_times)) = (stated, by_times)
        && (stated / by_times - 1.0).abs() > 0.02
    {
        let message = format!("DataRate is {stated}, but the times of the rows make {by_times:.3}");
        findings.note(
            Severity::Warning,
            None,
            "rate-disagrees",
            message,
            format!("{stated} frames per second"),
        );
    }
    stated.or(options.fps.filter(usable)).or(by_times).unwrap_or_else(|| {
        let message = "neither head nor times give a rate";
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

/// Names cost a few bytes once, points 24 per row and name.
fn check_size(markers: usize, rows: usize, file_bytes: usize) -> Result<(), ReadError> {
    let need = markers.saturating_mul(rows).saturating_mul(size_of::<DVec3>());
    let max = file_bytes.saturating_mul(BYTES_PER_BYTE).max(FREE_BYTES);
    if need <= max {
        return Ok(());
    }
    Err(ReadError::Malformed {
        line: None,
        message: format!(
            "{markers} markers in {rows} rows would take {} MB, expected at most {} MB from a file of this size",
            need >> 20,
            max >> 20
        ),
        hint: "the rows may be cut off; compare with a file that works",
    })
}
