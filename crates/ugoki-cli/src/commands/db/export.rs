//! `ugoki db export`

use std::collections::HashSet;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::formats::{self, Format, UpAxis, WriteOptions};
use ugoki_db::{Database, Error};
use ugoki_verbs::db::{CheckedClip, Export, ExportReport, Exported};

use super::{read, say, text};
use crate::database::failure;
use crate::failure::Failure;
use crate::files;
use crate::interrupt::{self, Bar};

pub(super) fn run(request: &Export, json: bool) -> Result<ExitCode, Failure> {
    let database = read(&request.database)?;
    let ids = database.select(&request.selection).map_err(|error| failure(&request.database, &error))?;
    let as_file = single_file(request)?;
    if let Some(format) = as_file {
        return match ids.as_slice() {
            [id] => one(request, &database, *id, format, json),
            ids => {
                Err(Failure::of_file(&request.output, &format!("is one file, but {} clips fit", ids.len()))
                    .hint("name one clip, or a folder to write into"))
            }
        };
    }
    let format = request.to.unwrap_or(Format::Bvh);
    fs::create_dir_all(&request.output).map_err(|error| {
        let advice = "no folder can be made there; name one in a folder that you may write to";
        Failure::of_file(&request.output, &files::plain(&error)).hint(advice)
    })?;
    let mut report = ExportReport::default();
    let mut taken = HashSet::new();
    let mut failed = false;
    let bar = Bar::start("exporting");
    for (index, &id) in ids.iter().enumerate() {
        if bar.step(index as f32 / ids.len() as f32).is_break() {
            return Err(Failure::new("cancelled"));
        }
        let name = database.name(id).map_err(|error| failure(&request.database, &error))?;
        let file = free_name(&request.output, &name, format, &mut taken);
        match write(request, &database, id, format, &file)? {
            Ok(exported) => report.files.push(exported),
            Err(left) => {
                failed |= left.failed || !request.selection.clips.is_empty();
                report.skipped.push(CheckedClip { name, message: left.message });
            }
        }
    }
    drop(bar);
    say(&report, json, text::exported);
    // A clip that was named and not written is a task not done, and so is a damaged one. Clips that are kept only on
    // their own skeleton are not among "all clips on the database's skeleton".
    Ok(ExitCode::from(u8::from(report.files.is_empty() || failed)))
}

/// The format, when the output is one file: its ending can be written and it is no folder.
fn single_file(request: &Export) -> Result<Option<Format>, Failure> {
    if Path::new(&request.output).is_dir() || request.output.ends_with(['/', '\\']) {
        return Ok(None);
    }
    let by_ending = files::extension(&request.output)
        .and_then(|ending| Format::from_extension(&ending))
        .filter(|format| format.is_written());
    match (by_ending, request.output.as_str()) {
        (Some(format), name) if request.to.is_some_and(|to| to != format) => {
            let (ending, to) = (format.extension(), request.to.unwrap_or(format).extension());
            Err(Failure::of_file(name, &format!("ends in .{ending}, but --to says {to}"))
                .hint(format!("name the file .{to}, or leave --to out")))
        }
        (Some(format), _) => Ok(Some(format)),
        (None, "-") => Ok(Some(request.to.unwrap_or(Format::Bvh))),
        // A name with an ending is meant as a file; folders end in a slash or have none.
        (None, name) if files::extension(name).is_some() => files::format_to_write(name).map(Some),
        _ => Ok(None),
    }
}

fn one(
    request: &Export,
    database: &Database,
    id: i64,
    format: Format,
    json: bool,
) -> Result<ExitCode, Failure> {
    if json && request.output == "-" {
        return Err(Failure::new("--json and the output - both want standard output")
            .hint("write the motion to a file"));
    }
    match write(request, database, id, format, &request.output)? {
        Ok(exported) => {
            let report = ExportReport { files: vec![exported], skipped: Vec::new() };
            if request.output != "-" {
                say(&report, json, text::exported);
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(left) => Err(Failure::of_file(&request.output, &left.message)),
    }
}

/// Why a clip was not written.
struct Left {
    message: String,
    /// Whether it should have been; else it has no such form.
    failed: bool,
}

/// Writes one clip; the inner error is about this clip alone.
fn write(
    request: &Export,
    database: &Database,
    id: i64,
    format: Format,
    file: &str,
) -> Result<Result<Exported, Left>, Failure> {
    let fail = |error: &Error| failure(&request.database, error);
    let clip = match if request.source { database.source(id) } else { database.clip(id) } {
        Ok(clip) => clip,
        Err(error @ (Error::Underived { .. } | Error::Damaged { .. } | Error::DamagedForm { .. })) => {
            let hint = error.hint().map_or_else(String::new, |hint| format!("; {hint}"));
            let failed = !matches!(error, Error::Underived { .. });
            return Ok(Err(Left { message: format!("{error}{hint}"), failed }));
        }
        Err(error) => return Err(fail(&error)),
    };
    // The numbers of the file itself stay as they were where the format does.
    let keeps_source = request.source && clip.source().is_some() && format == Format::Bvh;
    let mut options = WriteOptions::default();
    if !keeps_source {
        options.up = Some(UpAxis::Y);
        options.unit_metres = Some(format.usual_unit_metres());
    }
    options.automatic_tags = database.tags(id, true).map_err(|error| fail(&error))?;
    let marked = database.loop_frames(id).map_err(|error| fail(&error))?;
    if request.source {
        // What the file itself said stays; it is in the clip's own frames.
        let given = database.given_contacts(id).map_err(|error| fail(&error))?;
        let found = || Some(find_contacts(&clip, &ContactConfig::default()).ok()?.feet);
        options.contacts = given.or_else(found);
        options.loop_frames = marked.map(|range| source_frames(range, database.fps(), &clip));
    } else {
        options.contacts = database.contacts(id).map_err(|error| fail(&error))?.map(|contacts| contacts.feet);
        options.loop_frames = marked;
    }
    let mut go_on = |_: f32| match interrupt::stopped() {
        true => std::ops::ControlFlow::Break(()),
        false => std::ops::ControlFlow::Continue(()),
    };
    match formats::write(&clip, format, &options, &mut go_on) {
        Ok(written) => {
            files::write(file, &written.bytes)?;
            Ok(Ok(Exported { clip: clip.name, file: file.to_owned(), findings: written.findings }))
        }
        Err(formats::WriteError::Cancelled(_)) => Err(Failure::new("cancelled")),
        Err(error) => {
            let hint = error.hint().map_or_else(String::new, |hint| format!("; {hint}"));
            Ok(Err(Left { message: format!("{error}{hint}"), failed: true }))
        }
    }
}

/// Frames of the derived clip as frames of the clip as it came.
fn source_frames(range: Range<usize>, fps: f64, clip: &Clip) -> Range<usize> {
    let motion = clip.motion_frames();
    let frame =
        |frame: usize| (motion.start + (frame as f64 * clip.fps() / fps).round() as usize).min(motion.end);
    frame(range.start)..frame(range.end)
}

/// A file name for a clip, which no other clip of this export has, whatever the file system thinks of capitals.
fn free_name(folder: &str, clip: &str, format: Format, taken: &mut HashSet<String>) -> String {
    let safe: String = clip
        .chars()
        .map(|c| if matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') { '-' } else { c })
        .collect();
    let safe = if safe.trim_start_matches('.').is_empty() { format!("clip{safe}") } else { safe };
    let mut name = format!("{safe}.{}", format.extension());
    let mut number = 2;
    while !taken.insert(name.to_lowercase()) {
        name = format!("{safe}-{number}.{}", format.extension());
        number += 1;
    }
    Path::new(folder).join(name).to_string_lossy().into_owned()
}
