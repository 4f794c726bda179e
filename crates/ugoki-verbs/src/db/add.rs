//! `db add`: imports motion files.

use std::io::BufRead as _;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki_db::{AddReport, CreateConfig, Database, Error as DatabaseError, ImportConfig};
use ugoki_files::FileFault;

use crate::outcome::Outcome;
use crate::verb::Verb;
use crate::{Error, Host, Reading, advice, quoted};

/// Takes motion files and folders in; files that have not changed are passed over
///
/// What is finished stays in the database, also when it is stopped or killed; running it again goes on.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki db add moves.ugoki captures/\n  \
                        ugoki db add moves.ugoki dance.fbx --tag dance --license 'CC BY 4.0, Jane Doe'\n  \
                        find captures -name '*.bvh' | ugoki db add moves.ugoki --files-from -")]
pub struct Add {
    /// Database; made if it is not there
    pub database: String,

    /// Motion files, folders or patterns
    #[arg(required_unless_present = "files_from")]
    pub paths: Vec<String>,

    /// A text with one file or folder on each line, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<String>,

    /// Licence of these files [default: the nearest LICENSE or README file]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub license: Option<String>,

    /// Tag for every clip; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,

    /// How to read them.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What `db add` did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Imported(pub AddReport);

impl Imported {
    pub(super) fn how_it_ended(&self) -> Outcome {
        let AddReport { stopped, passed, added, skipped, .. } = &self.0;
        let nothing = added.is_empty() && passed.unchanged + passed.moved + passed.removed == 0;
        if *stopped {
            // What is in stays in and is reported, but the command did not do what it was asked for.
            Outcome::Failed
        } else if nothing || skipped.iter().any(|skipped| skipped.named) {
            // A folder may hold anything; a file that is named is meant.
            Outcome::NothingFound
        } else {
            Outcome::Done
        }
    }
}

impl Verb for Add {
    type Report = Imported;

    const ACTIVITY: &'static str = "adding";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Imported, Error> {
        let paths = self.paths(host)?;
        check_paths(&paths, host)?;
        let inputs: Vec<&str> = paths.iter().map(String::as_str).collect();
        host.check_outputs(&inputs, &[&self.database])?;
        let config = ImportConfig {
            paths: host.import_paths(&paths)?,
            licence: self.license.clone(),
            tags: self.tags.clone(),
            reading: self.reading.clone(),
            threads: Some(host.budget().threads),
        };
        let (mut database, made_new) = self.open_or_create(&config, host)?;
        let before = database.num_clips().ok();
        let imported =
            database.import(&config, &mut |step| progress(step.done as f32 / step.total.max(1) as f32));
        let stopped = imported.as_ref().is_ok_and(|report| report.stopped);
        let clips = database.num_clips().ok();
        // Another process that opened it meanwhile may be about to add.
        let empty = made_new && !stopped && clips == Some(0) && database.is_alone().unwrap_or(true);
        if empty {
            database.delete();
        }
        let mut report = imported.map_err(|error| {
            // What was imported before the failure is kept.
            if let Some(clips) = clips.filter(|_| !empty && clips != before) {
                host.note(&format!("{}: {clips} clips are in it", self.database));
            }
            Error::from(error).in_file(&self.database)
        })?;
        if made_new {
            let what =
                if empty { "nothing could be added, so no database was made" } else { "made a new database" };
            host.note(&format!("{}: {what}", self.database));
        }
        if report.stopped {
            host.note("ugoki: cancelled; what was finished is kept, the same command goes on from there");
        }
        for skipped in &mut report.skipped {
            skipped.problem.hint =
                skipped.cause.as_ref().and_then(advice::database).or(skipped.problem.hint.take());
        }
        report.database.clone_from(&self.database);
        Ok(Imported(report))
    }
}

/// Refuses what is no file.
fn check_paths(paths: &[String], host: &dyn Host) -> Result<(), Error> {
    for name in paths {
        if name == "-" {
            return Err(
                Error::refused("a database takes files, not standard input").hint("save it as a file first")
            );
        }
        if let Some((database, clip)) = host.clip_reference(name).filter(|(_, clip)| !clip.is_empty()) {
            let (database, clip) = (quoted(database), quoted(clip));
            let hint = format!(
                "write it first: `ugoki db export {database} {clip} -o FILE.glb --source`, and add that file"
            );
            return Err(Error::refused("is a clip of a database, expected motion files")
                .hint(hint)
                .in_file(name));
        }
    }
    Ok(())
}

impl Add {
    /// The files and folders that are named, and those of the list.
    fn paths(&self, host: &mut dyn Host) -> Result<Vec<String>, Error> {
        let mut paths = self.paths.clone();
        if let Some(list) = &self.files_from {
            for line in host.lines(list)?.lines() {
                let line = line.map_err(|error| FileFault::Unreadable(error).in_file(list))?;
                let name = line.trim_end_matches('\r');
                paths.extend((!name.is_empty()).then(|| name.to_owned()));
            }
            if paths.is_empty() {
                return Err(Error::refused("names no file").in_file(list));
            }
        }
        Ok(paths)
    }

    /// The database, and whether it was made.
    fn open_or_create(&self, config: &ImportConfig, host: &mut dyn Host) -> Result<(Database, bool), Error> {
        let is = |error: &Error, wanted: &DatabaseError| matches!(error.root(), Error::Database(found) if found == wanted);
        match host.database_to_write(&self.database) {
            Err(error) if is(&error, &DatabaseError::Missing) => {}
            opened => return opened.map(|database| (database, false)),
        }
        // No database is made for names that were mistyped.
        let names: Vec<_> = config.paths.iter().map(|path| path.to_string_lossy()).collect();
        if let Some(missing) = names.first().filter(|_| names.iter().all(|name| !host.exists(name))) {
            return Err(Error::refused("no such file or folder")
                .hint("check the name and the folder it is in")
                .in_file(missing));
        }
        match host.create_database(&self.database, &CreateConfig::default()) {
            // Another process has made it meanwhile.
            Err(error) if is(&error, &DatabaseError::Exists) => {
                host.database_to_write(&self.database).map(|database| (database, false))
            }
            created => created.map(|database| (database, true)),
        }
    }
}
