//! `db export`: writes clips as motion files.

use std::collections::HashSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::formats::{self, Finding, Format};
use ugoki::{Progress, report as step};
use ugoki_db::{CheckedClip, Database, Error as DatabaseError, Selection};

use crate::error::InFile as _;
use crate::motion_verb::free_name;
use crate::verb::Verb;
use crate::{Error, Host, advice, extension, format_to_write};

/// Writes clips as motion files
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki db export moves.ugoki 16_15 -o walk.bvh\n  \
                        ugoki db export moves.ugoki --tag dance -o out/ --to glb\n  \
                        ugoki db export moves.ugoki -o originals/ --source")]
pub struct Export {
    /// Database
    pub database: String,

    /// File for one clip, or folder for one file per clip
    #[arg(short, long, value_name = "OUT")]
    pub output: String,

    /// Each clip as it came in: on its own skeleton, at its own rate
    #[arg(long)]
    pub source: bool,

    /// Format of the files: bvh, glb, … [default: that of OUT, else bvh]
    #[arg(long, value_name = "FORMAT", value_parser = ugoki::formats::written_format)]
    #[schemars(with = "Option<String>")]
    pub to: Option<Format>,

    /// Which clips.
    #[command(flatten)]
    #[serde(flatten)]
    pub selection: Selection,
}

/// One file that `db export` wrote.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exported {
    /// The clip.
    pub clip: String,
    /// The file.
    pub file: String,
    /// What the format could not hold.
    pub findings: Vec<Finding>,
}

/// What `db export` did.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct ExportReport {
    /// Files written.
    pub files: Vec<Exported>,
    /// Clips that could not be written, and why.
    pub skipped: Vec<CheckedClip>,
    /// Whether a clip that should have been written was not: one that was named, or a damaged one. A clip without a form
    /// on the database's skeleton is not among "all clips on that skeleton".
    #[serde(skip)]
    pub incomplete: bool,
}

impl Verb for Export {
    type Report = ExportReport;

    const ACTIVITY: &'static str = "exporting";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<ExportReport, Error> {
        host.check_outputs(&[&self.database], &[&self.output])?;
        let database = host.database(&self.database)?;
        let ids = database.select(&self.selection).in_file(&self.database)?;
        let mut report = ExportReport::default();
        if let Some(format) = self.single_file(host)? {
            let [id] = ids[..] else {
                return Err(Error::refused(format!("is one file, but {} clips fit", ids.len()))
                    .hint("name one clip, or a folder to write into")
                    .in_file(&self.output));
            };
            let written = self.write(&database, id, format, &self.output, host, progress)?;
            report.files.push(written.map_err(|left| Error::refused(left.message).in_file(&self.output))?);
            return Ok(report);
        }
        let format = self.to.unwrap_or(Format::Bvh);
        let names =
            ids.iter().map(|&id| database.name(id)).collect::<Result<Vec<_>, _>>().in_file(&self.database)?;
        let mut taken = HashSet::new();
        let file = |name: &String| free_name(&file_stem(name), format.extension(), &mut taken);
        let place = |name: String| Path::new(&self.output).join(name).to_string_lossy().into_owned();
        let files: Vec<String> = names.iter().map(file).map(place).collect();
        host.check_outputs(&[], &files.iter().map(String::as_str).collect::<Vec<_>>())?;
        host.create_folder(&self.output)?;
        for (index, ((&id, name), file)) in ids.iter().zip(names).zip(files).enumerate() {
            let part = index as f32 / ids.len() as f32;
            step(progress, part)?;
            match self.write(&database, id, format, &file, host, &mut |_| progress(part))? {
                Ok(exported) => report.files.push(exported),
                Err(left) => {
                    report.incomplete |= left.failed || !self.selection.clips.is_empty();
                    report.skipped.push(CheckedClip { name, message: left.message, repairable: false });
                }
            }
        }
        Ok(report)
    }
}

/// Why a clip was not written.
struct Left {
    message: String,
    /// Whether it should have been; else it has no such form.
    failed: bool,
}

/// A message and its hint in one line.
fn advised(message: &str, hint: Option<impl AsRef<str>>) -> String {
    hint.map_or_else(|| message.to_owned(), |hint| format!("{message}; {}", hint.as_ref()))
}

impl Export {
    /// The format when the output is one file: its ending can be written and it is no folder.
    fn single_file(&self, host: &dyn Host) -> Result<Option<Format>, Error> {
        if host.is_folder(&self.output) || self.output.ends_with(['/', '\\']) {
            return Ok(None);
        }
        let ending = extension(&self.output);
        let by_ending =
            ending.as_deref().and_then(Format::from_extension).filter(|format| format.is_written());
        match (by_ending, self.output.as_str()) {
            (Some(format), name) if self.to.is_some_and(|to| to != format) => {
                let (ending, to) = (format.extension(), self.to.unwrap_or(format).extension());
                Err(Error::refused(format!("ends in .{ending}, but --to says {to}"))
                    .hint(format!("name the file .{to}, or leave --to out"))
                    .in_file(name))
            }
            (Some(format), _) => Ok(Some(format)),
            (None, "-") => Ok(Some(self.to.unwrap_or(Format::Bvh))),
            // A name with an ending is meant as a file; folders end in a slash or have none.
            (None, name) if ending.is_some() => format_to_write(name).map(Some),
            _ => Ok(None),
        }
    }

    /// Writes one clip; the inner error is about this clip alone.
    fn write(
        &self,
        database: &Database,
        id: i64,
        format: Format,
        file: &str,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Result<Exported, Left>, Error> {
        let clip = match if self.source { database.source(id) } else { database.clip(id) } {
            Ok(clip) => clip,
            Err(
                error @ (DatabaseError::Underived { .. }
                | DatabaseError::Damaged { .. }
                | DatabaseError::DamagedForm { .. }),
            ) => {
                let failed = !matches!(error, DatabaseError::Underived { .. });
                return Ok(Err(Left {
                    message: advised(&error.to_string(), advice::database(&error)),
                    failed,
                }));
            }
            Err(error) => return Err(error).in_file(&self.database),
        };
        let options = database.write_options(id, &clip, self.source, format).in_file(&self.database)?;
        match formats::write(&clip, format, &options, progress) {
            Ok(written) => {
                host.write(file, &written.bytes)?;
                Ok(Ok(Exported { clip: clip.name, file: file.to_owned(), findings: written.findings }))
            }
            Err(formats::WriteError::Cancelled(_)) => Err(Error::Cancelled),
            Err(error) => {
                Ok(Err(Left { message: advised(&error.to_string(), advice::write(&error)), failed: true }))
            }
        }
    }
}

/// The name of a clip as that of a file.
fn file_stem(clip: &str) -> String {
    let safe = clip.replace(['/', '\\', ':', '*', '?', '"', '<', '>', '|'], "-");
    if safe.trim_start_matches('.').is_empty() { format!("clip{safe}") } else { safe }
}
