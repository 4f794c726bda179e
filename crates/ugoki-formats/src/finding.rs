//! What a reader noticed, for people and for scripts.

use std::fmt;

use serde::Serialize;

use crate::ReadError;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Unusual but unambiguous.
    Info,
    /// Something had to be assumed.
    Warning,
    /// Data was lost or replaced.
    Error,
}

impl Severity {
    /// In lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One finding about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Line in the file, from 1; `None` when it concerns the whole file.
    pub line: Option<u32>,
    /// How much it matters.
    pub severity: Severity,
    /// Stable name in kebab case, listed in `docs/formats`.
    pub code: &'static str,
    /// What was found.
    pub message: String,
    /// What was assumed, where a choice was made.
    pub assumed: Option<String>,
}

impl Finding {
    /// The finding about a file that cannot be read.
    #[must_use]
    pub fn unreadable(message: String) -> Self {
        Self { line: None, severity: Severity::Error, code: "unreadable", message, assumed: None }
    }
}

impl From<&ReadError> for Finding {
    fn from(error: &ReadError) -> Self {
        Self { line: error.line(), ..Self::unreadable(error.message()) }
    }
}

impl fmt::Display for Finding {
    /// Line, message, assumption and code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(assumed) = &self.assumed {
            write!(f, "; assumed: {assumed}")?;
        }
        write!(f, " [{}]", self.code)
    }
}

/// How many findings of one code are listed one by one; the rest are counted.
const LISTED: usize = 8;

/// A count with its noun: `1 frame`, `2 frames`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Collects findings; bounded, however broken the file is.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    /// Codes seen and how often.
    counts: Vec<(&'static str, usize)>,
}

impl Findings {
    pub(crate) fn info(&mut self, line: Option<u32>, code: &'static str, message: impl Into<String>) {
        self.add(Severity::Info, line, code, message.into(), None);
    }

    pub(crate) fn note(
        &mut self,
        severity: Severity,
        line: Option<u32>,
        code: &'static str,
        message: impl Into<String>,
        assumed: impl Into<String>,
    ) {
        self.add(severity, line, code, message.into(), Some(assumed.into()));
    }

    fn add(
        &mut self,
        severity: Severity,
        line: Option<u32>,
        code: &'static str,
        message: String,
        assumed: Option<String>,
    ) {
        let count = match self.counts.iter_mut().find(|(known, _)| *known == code) {
            Some((_, count)) => count,
            None => {
                self.counts.push((code, 0));
                &mut self.counts.last_mut().expect("just pushed").1
            }
        };
        *count += 1;
        if *count <= LISTED {
            self.list.push(Finding { line, severity, code, message, assumed });
        }
    }

    /// Takes over the findings of another file, such as a motion's skeleton; their lines go into the messages.
    pub(crate) fn absorb(&mut self, other: Self, file: &str) {
        for finding in other.finish() {
            let place = finding.line.map(|line| format!(", line {line}")).unwrap_or_default();
            let message = format!("{file}{place}: {}", finding.message);
            self.add(finding.severity, None, finding.code, message, finding.assumed);
        }
    }

    /// Takes over findings about the same file.
    #[cfg(feature = "fbx")]
    pub(crate) fn extend(&mut self, other: Self) {
        for finding in other.list {
            self.add(finding.severity, finding.line, finding.code, finding.message, finding.assumed);
        }
    }

    /// How often `code` was found.
    pub(crate) fn count(&self, code: &str) -> usize {
        self.counts.iter().find(|(known, _)| *known == code).map_or(0, |(_, count)| *count)
    }

    /// All findings in the order of their lines, whole-file ones last.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        for (code, count) in &self.counts {
            if *count > LISTED
                && let Some(last) = self.list.iter_mut().rev().find(|finding| finding.code == *code)
            {
                let more = counted(count - LISTED, "more like it is", "more like it are");
                last.message.push_str(&format!("; {more} not listed"));
            }
        }
        self.list.sort_by_key(|finding| finding.line.unwrap_or(u32::MAX));
        self.list
    }
}

/// Code of the finding about a reference frame that was not written.
pub const T_POSE_LEFT_OUT: &str = "tpose-left-out";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "frame", "frames"), "1 frame");
        assert_eq!(counted(0, "frame", "frames"), "0 frames");
        assert_eq!(counted(2, "frame", "frames"), "2 frames");
    }

    #[test]
    fn many_findings_of_one_code_are_counted_not_listed() {
        let mut findings = Findings::default();
        for line in (1..=1000).rev() {
            findings.info(Some(line), "tabs", format!("line {line}"));
        }
        let list = findings.finish();
        assert_eq!(list.len(), LISTED);
        assert!(list.is_sorted_by_key(|finding| finding.line));
        assert!(list.iter().any(|finding| finding.message.contains("992 more")));
    }
}
