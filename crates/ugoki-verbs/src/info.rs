//! `info`: the contents of a file.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::formats::Contents;

use crate::{Error, Host, Opened, Reading, Stream, Verb};

/// Shows what is in a motion file
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki info walk.bvh\n  ugoki info walk.bvh --json | jq .fps")]
pub struct Info {
    /// Motion file, or - for standard input
    pub file: String,

    /// How to read it.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The file as named.
    pub file: String,
    /// Its contents.
    #[serde(flatten)]
    pub contents: Contents,
}

impl Verb for Info {
    type Report = Report;

    const ACTIVITY: &'static str = "reading";

    fn run(&self, host: &mut dyn Host, _: Progress<'_>) -> Result<Report, Error> {
        let contents = match host.open(&self.file, &self.reading)? {
            Opened::Motion(read) => Contents::motion(&read),
            Opened::Markers(markers, error) => {
                let mut contents = Contents::markers(&markers, &error);
                if let (Some(hint), Some(last)) = (crate::advice::read(&error), contents.warnings.last_mut())
                {
                    last.message = format!("{}; {hint}", last.message);
                }
                contents
            }
        };
        Ok(Report { file: self.file.clone(), contents })
    }
}

impl crate::Report for Report {
    const STREAM: Stream = Stream::Result;
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.file, self.contents)
    }
}
