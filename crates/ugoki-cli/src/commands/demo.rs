//! `ugoki demo`

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use ugoki_db::{CreateConfig, Database, ImportConfig};
use ugoki_verbs::db::Selection;
use ugoki_verbs::demo::{Example, Request, run as show};

use super::db::text;
use crate::database::failure;
use crate::failure::Failure;
use crate::interrupt::{self, Bar};
use crate::{files, output, serve};

/// The database that the demo makes.
const MOVES: &str = "moves.ugoki";

/// Runs one example of each capability on the built-in sample motions
///
/// Writes motion files, pictures and an index page into a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki demo out\n  ugoki demo out --serve")]
pub(super) struct Words {
    /// Folder to write into; made when missing
    folder: String,

    /// Then show the page at a local address until Ctrl-C
    #[arg(long)]
    serve: bool,

    /// Port of the local address; the next free one when it is busy
    #[arg(long, default_value_t = 4650)]
    port: u16,

    /// With --serve: fetch the page once and stop
    #[arg(long)]
    check: bool,

    /// With --serve: open the page in a browser where there is a display
    #[arg(long)]
    open: bool,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            folder: self.folder.clone(),
            serve: self.serve,
            port: self.port,
            check: self.check,
            open: self.open,
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let folder = Path::new(&request.folder);
    fs::create_dir_all(folder).map_err(|error| Failure::of_file(&request.folder, &files::plain(&error)))?;
    let bar = Bar::start("demo");
    let made =
        show(&mut |share| bar.step(share)).map_err(|error| Failure::of_job(&request.folder, &error))?;
    drop(bar);
    for file in &made.files {
        files::write(&folder.join(&file.name).to_string_lossy(), &file.bytes)?;
    }
    let motions: Vec<&str> = made.report.motions.iter().map(|motion| motion.file.as_str()).collect();
    let example = database(folder, &motions)?;
    let made = made.with_example(example);
    if let Some(page) = made.files.last() {
        files::write(&folder.join(&page.name).to_string_lossy(), &page.bytes)?;
    }
    if json {
        output::json(&made.report);
    } else {
        output::note(&format!(
            "{} files in {}; open {}",
            made.files.len(),
            request.folder,
            folder.join("index.html").display()
        ));
    }
    if request.serve {
        serve::folder(folder, request, json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The demo's motions in a database of their own.
fn database(folder: &Path, motions: &[&str]) -> Result<Example, Failure> {
    let path = folder.join(MOVES);
    let fail = |error: &ugoki_db::Error| failure(&path.to_string_lossy(), error);
    // Of an earlier demo.
    if Database::open_read_only(&path).is_ok() {
        let _ = fs::remove_file(&path);
    }
    let mut database = Database::create(&path, &CreateConfig::default()).map_err(|error| fail(&error))?;
    let config = ImportConfig {
        paths: motions.iter().map(|name| folder.join(name)).collect(),
        licence: Some("made by the program itself".to_owned()),
        ..ImportConfig::default()
    };
    let bar = Bar::start("database");
    let step = |step: ugoki_db::ImportStep<'_>| bar.step(step.done as f32 / step.total.max(1) as f32);
    let report = database.import(&config, &mut { step }).map_err(|error| fail(&error))?;
    drop(bar);
    if report.stopped || interrupt::stopped() {
        return Err(Failure::new("cancelled"));
    }
    let selection = Selection { tags: vec!["walk".to_owned()], ..Selection::default() };
    let rows = database.list(&selection).map_err(|error| fail(&error))?;
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
        output: format!("{}\n{}", text::added(&report).trim_end(), text::list(&rows).trim_end()),
    })
}
