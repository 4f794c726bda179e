//! `demo`: one example of each capability on the built-in sample motions, with an index page.

mod examples;
mod exchange;
mod page;

use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::{Progress, report, sample};
use ugoki_db::{CreateConfig, ImportConfig, Selection};

use crate::db::{Imported, ListReport};
use crate::{Error, Host, Verb};

/// The database that the demo makes.
const MOVES: &str = "moves.ugoki";

/// Runs one example of each capability on the built-in sample motions
///
/// Writes motion files, pictures and an index page into a folder.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki demo out\n  ugoki demo out --serve")]
pub struct Demo {
    /// Folder to write into; made when missing
    pub folder: String,

    /// Then show the page at a local address until Ctrl-C
    #[arg(long)]
    pub serve: bool,

    /// Port of the local address; the next free one when it is busy
    #[arg(long, default_value_t = 4650)]
    pub port: u16,

    /// Fetch the page once and end; with --serve
    #[arg(long)]
    pub check: bool,

    /// Open the page in a browser where there is a display; with --serve
    #[arg(long)]
    pub open: bool,
}

/// One file of the demo.
struct File {
    /// Name inside the folder.
    name: String,
    bytes: Vec<u8>,
}

/// The demo's `--json` document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// One entry per capability.
    pub examples: Vec<Example>,
    /// The sample motions.
    pub motions: Vec<Motion>,
    /// The folder, and how many files were written there.
    #[serde(skip)]
    written: (String, usize),
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
    /// What the program printed.
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

/// Makes everything in memory, then writes it. The page is served by the command line, after the report.
impl Verb for Demo {
    type Report = Report;

    const ACTIVITY: &'static str = "demo";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        host.create_folder(&self.folder)?;
        let mut files = Vec::new();
        let (motions, mut examples) = make(&mut files, host, &mut |part| progress(0.9 * part))
            .map_err(|error| error.in_file(&self.folder))?;
        for file in &files {
            host.write(&self.path(&file.name), &file.bytes)?;
        }
        examples.push(self.keeping(&motions, host, &mut |part| progress(0.9 + 0.1 * part))?);
        let report = Report { examples, motions, written: (self.folder.clone(), files.len() + 1) };
        host.write(&self.path("index.html"), page::html(&report).as_bytes())?;
        Ok(report)
    }
}

/// The sample motions and the examples.
fn make(
    files: &mut Vec<File>,
    host: &mut dyn Host,
    progress: Progress<'_>,
) -> Result<(Vec<Motion>, Vec<Example>), Error> {
    let all = sample::motions();
    let mut motions = Vec::new();
    for (index, motion) in all.iter().enumerate() {
        report(progress, 0.8 * index as f32 / all.len() as f32)?;
        if let Some(clip) = sample::clip(motion.name) {
            motions.push(examples::gallery_entry(motion, &clip, files)?);
        }
    }
    Ok((motions, examples::all(files, host, &mut |part| progress(0.8 + 0.2 * part))?))
}

impl Demo {
    /// The path of a file in the folder.
    fn path(&self, name: &str) -> String {
        Path::new(&self.folder).join(name).to_string_lossy().into_owned()
    }

    /// The example of a database: the sample motions in one of their own.
    fn keeping(
        &self,
        motions: &[Motion],
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Example, Error> {
        let path = self.path(MOVES);
        let fail = |error: ugoki_db::Error| Error::from(error).in_file(&path);
        // Only a database of an earlier demo is replaced.
        let is_sample = |name: &str| motions.iter().any(|motion| motion.name == name);
        let earlier =
            host.database(&path).ok().and_then(|database| database.list(&Selection::default()).ok());
        if earlier.is_some_and(|rows| rows.iter().all(|row| is_sample(&row.name))) {
            host.remove(&path)?;
        }
        let mut database = host.create_database(&path, &CreateConfig::default())?;
        let config = ImportConfig {
            paths: motions.iter().map(|motion| Path::new(&self.folder).join(&motion.file)).collect(),
            licence: Some("made by the program itself".to_owned()),
            ..ImportConfig::default()
        };
        let imported =
            database.import(&config, &mut |step| progress(step.done as f32 / step.total.max(1) as f32));
        let imported = imported.map_err(fail)?;
        if imported.stopped {
            return Err(Error::Cancelled);
        }
        let selection = Selection { tags: vec!["walk".to_owned()], ..Selection::default() };
        let clips = database.list(&selection).map_err(fail)?;
        Ok(Example {
            title: "Keep motions in a database",
            text: "One file, one skeleton, one rate; tags found by the program, searching, and every clip back on the \
                   skeleton it came on. The sample motions are also there without a file, as the database `sample`."
                .to_owned(),
            commands: vec![
                format!("ugoki db add {MOVES} *.bvh"),
                format!("ugoki db list {MOVES} --tag walk"),
                format!("ugoki render {MOVES}#walk walk-from-database.png"),
                "ugoki convert sample#walk walk.glb".to_owned(),
            ],
            files: vec![MOVES.to_owned()],
            output: format!("{}\n{}", Imported(imported), ListReport { clips }),
        })
    }
}

impl crate::Report for Report {}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (folder, files) = &self.written;
        write!(f, "{files} files in {folder}; open {}", Path::new(folder).join("index.html").display())
    }
}
