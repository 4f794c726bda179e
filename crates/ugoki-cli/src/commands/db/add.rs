//! `ugoki db add`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ugoki_db::{CreateConfig, Database, Error, ImportConfig};
use ugoki_verbs::db::Add;

use super::{say, text};
use crate::database::failure;
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::output;

pub(super) fn run(request: &Add, json: bool) -> Result<ExitCode, Failure> {
    let fail = |error: &Error| failure(&request.database, error);
    super::refuse_sample(&request.database)?;
    let paths = paths(&request.paths)?;
    let path = Path::new(&request.database);
    let mut made_new = false;
    let mut database = match Database::open(path) {
        Err(Error::Missing) => {
            // Nothing is made for names that were mistyped.
            if let Some(missing) = paths.iter().find(|_| paths.iter().all(|path| !path.exists())) {
                return Err(Failure::of_file(&missing.to_string_lossy(), &"no such file or folder")
                    .hint("check the name and the folder it is in"));
            }
            super::check_name(&request.database)?;
            match Database::create(path, &CreateConfig::default()) {
                // Another process has made it meanwhile.
                Err(Error::Exists) => Database::open(path),
                created => {
                    made_new = created.is_ok();
                    created
                }
            }
            .map_err(|error| fail(&error))?
        }
        opened => opened.map_err(|error| fail(&error))?,
    };
    let config = ImportConfig {
        paths,
        licence: request.license.clone(),
        tags: request.tags.clone(),
        reading: request.reading.clone(),
        threads: request.jobs,
    };
    let before = database.num_clips().ok();
    let bar = Bar::start("adding");
    let imported =
        database.import(&config, &mut |step| bar.step(step.done as f32 / step.total.max(1) as f32));
    drop(bar);
    let stopped = imported.as_ref().is_ok_and(|report| report.stopped);
    // Another process that opened it meanwhile may be about to add.
    let empty = made_new
        && !stopped
        && database.num_clips().is_ok_and(|clips| clips == 0)
        && database.is_alone().unwrap_or(true);
    if empty {
        // Nothing went in: what was made for it goes too, with the journals of one that could not be closed.
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", request.database));
        }
    }
    let mut report = match imported {
        Ok(report) => report,
        Err(error) => {
            // What went in before the failure is kept.
            if let Some(clips) = database.num_clips().ok().filter(|_| !empty)
                && Some(clips) != before
            {
                output::note(&format!("{}: {clips} clips are in it", request.database));
            }
            return Err(fail(&error));
        }
    };
    if made_new {
        let what =
            if empty { "nothing could be added, so no database was made" } else { "made a new database" };
        output::note(&format!("{}: {what}", request.database));
    }
    report.database.clone_from(&request.database);
    say(&report, json, text::added);
    if report.stopped {
        // What is in stays in, and is reported; still the command did not do what it was asked.
        if !json {
            output::note("ugoki: cancelled; what was finished is kept, the same command goes on from there");
        }
        return Ok(ExitCode::from(2));
    }
    let passed = report.passed;
    let nothing = report.added.is_empty() && passed.unchanged + passed.moved + passed.removed == 0;
    // A folder may hold anything; a file that is named is meant.
    let named = report.skipped.iter().any(|skipped| skipped.named);
    Ok(ExitCode::from(u8::from(nothing || named)))
}

/// The files and folders behind names and patterns.
fn paths(names: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for name in names {
        if name == "-" {
            return Err(
                Failure::new("a database takes files, not standard input").hint("save it as a file first")
            );
        }
        if let Some((database, clip)) = crate::database::reference(name).filter(|(_, clip)| !clip.is_empty())
        {
            let hint = format!(
                "write it first: `ugoki db export {database} {clip} -o FILE.glb --source`, and add that file"
            );
            return Err(Failure::of_file(name, &"is a clip of a database, expected motion files").hint(hint));
        }
        if Path::new(name).exists() || !name.contains(['*', '?', '[']) {
            paths.push(PathBuf::from(name));
            continue;
        }
        let before = paths.len();
        paths.extend(glob::glob(name).map_err(|error| Failure::of_file(name, &error))?.flatten());
        if paths.len() == before {
            return Err(Failure::of_file(name, &"matches no file"));
        }
    }
    Ok(paths)
}
