//! Findings of input files as notes.

use ugoki::formats::{Finding, Severity};

use crate::words::quoted;

/// What was found in a file: errors in full, warnings by number.
pub(crate) fn finding_notes(file: &str, findings: &[Finding]) -> Vec<String> {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).map(|finding| {
        let line = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("{file}: {line}{} [{}]", finding.message, finding.code)
    });
    let count = findings.iter().filter(|finding| finding.severity == Severity::Warning).count();
    errors.chain((count > 0).then(|| format!("{file}: {}", check_hint(file, count)))).collect()
}

/// How many warnings a file has and how to see them.
pub(crate) fn check_hint(file: &str, count: usize) -> String {
    let file = quoted(file);
    match count {
        1 => format!("1 warning; `ugoki check {file}` shows it"),
        count => format!("{count} warnings; `ugoki check {file}` lists them"),
    }
}
