//! The five lines before the table.

use crate::{Findings, ReadError, Severity, counted};

/// What they say.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub rate: Option<f64>,
    pub frames: Option<usize>,
    pub unit: Option<String>,
    pub labels: Vec<String>,
    /// Index of the line after them.
    pub next: usize,
}

/// Cells of a line: between tabs, or between blanks where there are no tabs.
pub(super) fn cells(line: &str) -> Vec<&str> {
    if line.contains('\t') {
        line.split('\t').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    }
}

/// Reads the head; `lines` are all lines of the file.
pub(super) fn read(lines: &[&str], findings: &mut Findings) -> Result<Head, ReadError> {
    let mut head = Head::default();
    let starts = |line: &str, word: &str| {
        line.trim_start().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    let find = |word: &str| lines.iter().take(32).position(|line| starts(line, word));
    if let Some(keys_at) = find("DataRate") {
        let keys = cells(lines[keys_at]);
        let values = lines.get(keys_at + 1).map(|line| cells(line)).unwrap_or_default();
        let value = |key: &str| {
            let at = keys.iter().position(|known| known.eq_ignore_ascii_case(key))?;
            values.get(at).copied().filter(|value| !value.is_empty())
        };
        let numeric = |key: &str| value(key).and_then(number);
        head.rate = numeric("DataRate").or_else(|| numeric("CameraRate"));
        head.frames = numeric("NumFrames").filter(|n| (0.0..=1e12).contains(n)).map(|n| n as usize);
        head.unit = value("Units").map(str::to_owned);
        let declared = numeric("NumMarkers");
        head.labels = labels(lines, &find, findings, declared)?;
    } else {
        findings.note(
            Severity::Warning,
            Some(1),
            "head-missing",
            "the line DataRate is missing",
            "unit and rate are guessed",
        );
        head.labels = labels(lines, &find, findings, None)?;
    }
    let names_at = find("Frame#").unwrap_or(0);
    head.next = names_at + 1;
    // The line X1 Y1 Z1 …, which some writers leave out.
    if lines.get(head.next).is_some_and(|line| cells(line).iter().any(|cell| starts(cell, "X1"))) {
        head.next += 1;
    }
    Ok(head)
}

fn labels(
    lines: &[&str],
    find: &dyn Fn(&str) -> Option<usize>,
    findings: &mut Findings,
    declared: Option<f64>,
) -> Result<Vec<String>, ReadError> {
    let Some(at) = find("Frame#") else {
        return Err(ReadError::Malformed {
            line: Some(1),
            message: "no line starts with Frame#, expected the names of the markers after it".to_owned(),
            hint: "compare the head with a TRC file that works",
        });
    };
    let line = at as u32 + 1;
    let labels: Vec<String> = cells(lines[at])
        .iter()
        .skip(2)
        .filter(|cell| !cell.is_empty())
        .map(|cell| (*cell).to_owned())
        .collect();
    if labels.is_empty() {
        return Err(ReadError::MalformedLine {
            line,
            message: "no markers after Frame# and Time".to_owned(),
            hint: "export the trial with its trajectories",
        });
    }
    if let Some(declared) = declared.filter(|n| *n != labels.len() as f64) {
        let message =
            format!("NumMarkers is {declared}, but there are {}", counted(labels.len(), "name", "names"));
        findings.note(Severity::Warning, Some(line), "marker-count", message, "the names");
    }
    Ok(labels)
}

/// A number in any of the forms writers use; not-a-number and blanks give `None`.
pub(super) fn number(text: &str) -> Option<f64> {
    let value: f64 = match text.parse() {
        Ok(value) => value,
        // A decimal comma.
        Err(_) if text.contains(',') && !text.contains('.') => text.replacen(',', ".", 1).parse().ok()?,
        Err(_) => return None,
    };
    value.is_finite().then_some(value)
}
