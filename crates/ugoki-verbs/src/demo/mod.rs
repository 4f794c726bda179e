//! `demo`: one example of each capability on the built-in sample motions, with an index page.

mod examples;
mod exchange;
mod page;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error};
use ugoki::sample;
use ugoki::{Progress, report};

/// Port of the page when none is given.
pub const DEFAULT_PORT: u16 = 4650;

/// Ask for the demo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The folder to write into.
    pub folder: String,
    /// Whether to show the page at a local address afterwards.
    #[serde(default)]
    pub serve: bool,
    /// First port to try.
    #[serde(default = "default_port")]
    pub port: u16,
    /// Whether to fetch the page once and stop.
    #[serde(default)]
    pub check: bool,
    /// Whether to open a browser.
    #[serde(default)]
    pub open: bool,
}

fn default_port() -> u16 {
    DEFAULT_PORT
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let port = (self.port != DEFAULT_PORT).then_some(self.port);
        Arguments::new("demo")
            .flag("serve", self.serve)
            .option("port", port)
            .flag("check", self.check)
            .flag("open", self.open)
            .file(&self.folder)
            .finish()
    }
}

/// One file of the demo.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Name inside the folder.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What the demo made.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// All files, the index page last.
    pub files: Vec<File>,
    /// What to say about them.
    pub report: Report,
}

impl Made {
    /// With an example that the caller made, shown after the others; its files are the caller's to write.
    #[must_use]
    pub fn with_example(mut self, example: Example) -> Self {
        self.report.examples.push(example);
        let page = page::html(&self.report).into_bytes();
        if let Some(index) = self.files.iter_mut().find(|file| file.name == "index.html") {
            index.bytes = page;
        }
        self
    }
}

/// The demo's `--json` document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// One entry per capability.
    pub examples: Vec<Example>,
    /// The sample motions.
    pub motions: Vec<Motion>,
}

/// One capability, shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    /// What it shows.
    pub title: &'static str,
    /// One or two sentences.
    pub text: String,
    /// The commands that do the same.
    pub commands: Vec<String>,
    /// Files it made.
    pub files: Vec<String>,
    /// What the program said, line by line.
    pub output: String,
}

/// One sample motion of the gallery.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Motion {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub summary: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its length.
    pub seconds: f64,
    /// The motion file.
    pub file: String,
    /// The animation.
    pub picture: String,
}

/// Makes everything in memory; the caller writes it.
///
/// # Errors
/// When the caller stops.
pub fn run(progress: Progress<'_>) -> Result<Made, Error> {
    let mut files = Vec::new();
    let all = sample::motions();
    let mut motions = Vec::new();
    for (index, motion) in all.iter().enumerate() {
        report(progress, 0.8 * index as f32 / all.len() as f32)?;
        if let Some(clip) = sample::clip(motion.name) {
            motions.push(examples::gallery_entry(motion, &clip, &mut files)?);
        }
    }
    let examples = examples::all(&mut files, &mut |share| progress(0.8 + 0.2 * share))?;
    let made = Report { examples, motions };
    files.push(File { name: "index.html".to_owned(), bytes: page::html(&made).into_bytes() });
    Ok(Made { files, report: made })
}
