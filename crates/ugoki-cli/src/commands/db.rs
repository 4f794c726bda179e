//! `ugoki db`

mod add;
mod export;
pub(super) mod text;
mod words;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde::Serialize;
use ugoki::retarget::{RetargetError, Stance};
use ugoki::skeleton::Skeleton;
use ugoki_db::{CreateConfig, DEFAULT_FPS, Database, default_skeleton};
use ugoki_verbs::Reading;
use ugoki_verbs::db::{Create, CreateReport, ListReport, Remove, Request, ShowReport, Tag, TagReport};

pub(super) use words::Words;

use crate::database::{self, failure};
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, output};

/// Does what is asked of a database.
pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let name = request.database();
    let done = match request {
        Request::Create(request) => return create(request, json),
        Request::Add(request) => return add::run(request, json),
        Request::Export(request) => return export::run(request, json),
        Request::List(request) => read(name)?.list(&request.selection).map(|clips| {
            let found = !clips.is_empty();
            say(&ListReport { clips }, json, |report| text::list(&report.clips));
            found
        }),
        Request::Show(request) => show(&read(name)?, &request.clips, json),
        Request::Tag(request) => return tag(request, json),
        Request::Remove(request) => return remove(request, json),
        Request::Check(request) => {
            let mut repaired = Vec::new();
            if request.repair {
                let bar = Bar::start("repairing");
                let done = open(name)?.repair(&mut |share| bar.step(share));
                repaired = done.map_err(|error| failure(name, &error))?;
            }
            let bar = Bar::start("checking");
            let report = read(name)?.check(&mut |share| bar.step(share));
            drop(bar);
            report.map(|report| ugoki_verbs::db::CheckReport { repaired, ..report }).map(|report| {
                say(&report, json, text::check);
                report.sound
            })
        }
    };
    let found = done.map_err(|error| failure(name, &error))?;
    Ok(ExitCode::from(u8::from(!found)))
}

/// A database to read: a file, or the one that is built in.
fn read(name: &str) -> Result<Database, Failure> {
    database::open(name)
}

fn open(name: &str) -> Result<Database, Failure> {
    refuse_sample(name)?;
    Database::open(Path::new(name)).map_err(|error| failure(name, &error))
}

/// The report as JSON or as text, both on stdout.
fn say<R: Serialize>(report: &R, json: bool, text: impl FnOnce(&R) -> String) {
    if json {
        output::json(report);
    } else {
        let text = text(report);
        if !text.is_empty() {
            output::line(text.trim_end());
        }
    }
}

/// A new database is called `.ugoki`: by that ending other verbs know `moves.ugoki#walk` for a clip.
fn check_name(name: &str) -> Result<(), Failure> {
    if files::extension(name).as_deref() == Some("ugoki") {
        return Ok(());
    }
    let hint = format!("call it {}.ugoki", name.trim_end_matches('.'));
    Err(Failure::of_file(name, &"the name of a new database ends in .ugoki, or its clips could not be named")
        .hint(hint))
}

/// The built-in database is made by the program and only read.
fn refuse_sample(name: &str) -> Result<(), Failure> {
    if !database::is_sample(name) {
        return Ok(());
    }
    Err(Failure::of_file(name, &"is the built-in database, which is only read")
        .hint("give the name of a file of your own, such as moves.ugoki"))
}

fn create(request: &Create, json: bool) -> Result<ExitCode, Failure> {
    refuse_sample(&request.database)?;
    check_name(&request.database)?;
    let skeleton = match &request.skeleton {
        Some(file) => standing(file)?,
        None => default_skeleton(),
    };
    let config = CreateConfig { skeleton, fps: request.fps.unwrap_or(DEFAULT_FPS) };
    let made = Database::create(Path::new(&request.database), &config);
    let database = made.map_err(|error| match (&error, &request.skeleton) {
        (ugoki_db::Error::Skeleton { .. } | ugoki_db::Error::Target { .. }, Some(file)) => {
            failure(file, &error)
        }
        _ => failure(&request.database, &error),
    })?;
    let report = CreateReport {
        database: request.database.clone(),
        fps: database.fps(),
        joints: database.skeleton().num_joints(),
    };
    say(&report, json, |report| {
        format!("made {}: {} joints, {} frames per second", report.database, report.joints, report.fps)
    });
    Ok(ExitCode::SUCCESS)
}

/// The skeleton of a file, if motion can be moved onto it as it is at rest.
fn standing(file: &str) -> Result<Arc<Skeleton>, Failure> {
    let skeleton = files::motion(file, &Reading::default())?.clip.skeleton().clone();
    match Stance::from_rest(&skeleton) {
        Err(RetargetError::NoStance { .. }) => {
            let message = "its rest pose is no standing body, so no motion could be moved onto it";
            Err(Failure::of_file(file, &message).hint(
                "take a file of this rig that rests in a T-pose or A-pose; single motions go onto this one by \
                 `ugoki convert --retarget`, which looks for a frame in which it stands",
            ))
        }
        // Roles that are missing are the database's to name.
        _ => Ok(skeleton),
    }
}

fn show(database: &Database, clips: &[String], json: bool) -> Result<bool, ugoki_db::Error> {
    let mut report = ShowReport::default();
    if clips.is_empty() {
        report.database = Some(database.about()?);
    }
    for clip in clips {
        report.clips.push(database.details(database.find(clip)?)?);
    }
    say(&report, json, text::show);
    Ok(true)
}

fn tag(request: &Tag, json: bool) -> Result<ExitCode, Failure> {
    let fail = |error: &ugoki_db::Error| failure(&request.database, error);
    if request.add.is_empty() && request.remove.is_empty() {
        return Err(Failure::new("no tags are given").hint("use --add TAG or --remove TAG"));
    }
    let mut database = open(&request.database)?;
    let selection = ugoki_verbs::db::Selection { clips: request.clips.clone(), ..Default::default() };
    let ids = database.select(&selection).map_err(|error| fail(&error))?;
    let clips = database.tag(&ids, &request.add, &request.remove).map_err(|error| fail(&error))?;
    say(&TagReport { clips }, json, text::tagged);
    Ok(ExitCode::SUCCESS)
}

fn remove(request: &Remove, json: bool) -> Result<ExitCode, Failure> {
    let fail = |error: &ugoki_db::Error| failure(&request.database, error);
    if request.selection.is_everything() {
        return Err(Failure::of_file(&request.database, &"no clips are named")
            .hint("name clips, or give --tag, --length or --speed; '*' removes every clip"));
    }
    let mut database = open(&request.database)?;
    let ids = database.select_to_remove(&request.selection).map_err(|error| fail(&error))?;
    let report = database.remove(&ids).map_err(|error| fail(&error))?;
    say(&report, json, text::removed);
    Ok(ExitCode::from(u8::from(ids.is_empty())))
}
