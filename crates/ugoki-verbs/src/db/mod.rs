//! `db`: the motion database. The crate `ugoki-db` does the work.

mod add;
mod export;
mod merge;

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki_db::{
    CheckReport, ClipDetails, ClipRow, CreateConfig, DEFAULT_FPS, DatabaseDetails, RemoveReport, Selection,
    TaggedClip, clip_table,
};

use crate::advice::REPAIR;
use crate::error::InFile as _;
use crate::outcome::Outcome;
use crate::verb::{Stream, Verb, verbs};
use crate::words::counted;
use crate::{Error, Host, Reading};

pub use add::{Add, Imported};
pub use export::{Export, ExportReport, Exported};
pub use merge::{Gathered, Merge, Pull, Push};

verbs! {
    /// Keeps motion in a database: one file, one skeleton, tags, searching
    ///
    /// A clip in a database is used by any other verb as moves.ugoki#clip-name or moves.ugoki#id:17.
    #[command(
        after_help = "Examples:\n  ugoki db add moves.ugoki captures/\n  ugoki db list moves.ugoki --tag walk\n  \
                      ugoki render moves.ugoki#16_15 walk.png"
    )]
    #[serde(tag = "action", rename_all = "kebab-case")]
    Db {
        Create(Create),
        Add(Add),
        List(List),
        Show(Show),
        Tag(Tag),
        Remove(Remove),
        Check(Check),
        Export(Export),
        Merge(Merge),
        Pull(Pull),
        Push(Push),
    }
}

/// Makes an empty database
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki db create moves.ugoki --fps 120")]
pub struct Create {
    /// Database to make
    pub database: String,

    /// Motion file whose skeleton the database takes [default: 22 body joints and fingers, 1.70 m tall]
    #[arg(long, value_name = "FILE")]
    pub skeleton: Option<String>,

    /// Frames per second of the result: the clips of the database [default: 60]
    #[arg(long, allow_negative_numbers = true)]
    pub fps: Option<f64>,
}

/// Lists clips
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  ugoki db list moves.ugoki --tag walk --tag '!turn-left' --speed 1:1.5\n  \
                  ugoki db list moves.ugoki '16_*' --length 2:10 --json"
)]
pub struct List {
    /// Database
    pub database: String,

    /// Which clips.
    #[command(flatten)]
    #[serde(flatten)]
    pub selection: Selection,
}

/// Shows everything about clips, or about the database
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki db show moves.ugoki\n  ugoki db show moves.ugoki 16_15 id:17")]
pub struct Show {
    /// Database
    pub database: String,

    /// Names of clips, or numbers as id:17
    pub clips: Vec<String>,
}

/// Puts tags on clips or takes them off
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki db tag moves.ugoki '16_*' --add locomotion --remove todo")]
pub struct Tag {
    /// Database
    pub database: String,

    /// Names, patterns or numbers as id:17
    #[arg(required = true)]
    pub clips: Vec<String>,

    /// Tag to put on; may be given several times
    #[arg(long, value_name = "TAG")]
    pub add: Vec<String>,

    /// Tag to take off; may be given several times
    #[arg(long, value_name = "TAG")]
    pub remove: Vec<String>,
}

/// Removes clips
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki db remove moves.ugoki 16_15 'test-*'")]
pub struct Remove {
    /// Database
    pub database: String,

    /// Which clips; everything only when asked for by `*`.
    #[command(flatten)]
    #[serde(flatten)]
    pub selection: Selection,
}

/// Checks whether everything in the database is sound: decodes all clips and measures their errors
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki db check moves.ugoki\n  ugoki db check moves.ugoki --repair")]
pub struct Check {
    /// Database
    pub database: String,

    /// First make damaged and outdated derived forms again, from the clips as they came
    #[arg(long)]
    pub repair: bool,
}

/// What `db create` made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CreateReport {
    /// The database.
    pub database: String,
    /// Frames per second of derived clips.
    pub fps: f64,
    /// Joints of its skeleton.
    pub joints: usize,
}

/// What `db list` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListReport {
    /// One entry per clip, in the order they were added.
    pub clips: Vec<ClipRow>,
}

/// What `db show` shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShowReport {
    /// The database, when no clip was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseDetails>,
    /// The clips named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<ClipDetails>,
}

/// What `db tag` did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TagReport {
    /// The clips, with the user's tags they have now.
    pub clips: Vec<TaggedClip>,
}

/// What `db remove` did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Removed(pub RemoveReport);

/// What `db check` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Checked(pub CheckReport);

/// Text forms and outcomes of reports.
macro_rules! reports {
    ($($report:ty: $text:expr, $outcome:expr;)*) => {
        $(impl fmt::Display for $report {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let text: fn(&Self) -> String = $text;
                f.write_str(text(self).trim_end())
            }
        }

        impl crate::Report for $report {
            const STREAM: Stream = Stream::Result;

            fn outcome(&self) -> Outcome {
                let outcome: fn(&Self) -> Outcome = $outcome;
                outcome(self)
            }
        })*
    };
}

reports! {
    CreateReport: |made| format!("made {}: {} joints, {} frames per second", made.database, made.joints, made.fps),
        |_| Outcome::Done;
    Imported: |report| report.0.to_string(), Imported::how_it_ended;
    ListReport: |report| clip_table(&report.clips), |report| found(!report.clips.is_empty());
    ShowReport: |report| joined(report.database.iter().map(ToString::to_string), &report.clips),
        |_| Outcome::Done;
    TagReport: |report| joined(report.clips.iter().map(|clip| format!("{}: {}", clip.name, clip.tags.join(" "))), &[]),
        |_| Outcome::Done;
    Removed: |report| report.0.to_string(), |report| found(!report.0.removed.is_empty());
    Checked: checked, |report| found(report.0.sound);
    ExportReport: exported, |report| found(!report.files.is_empty() && !report.incomplete);
}

fn found(anything: bool) -> Outcome {
    if anything { Outcome::Done } else { Outcome::NothingFound }
}

fn joined(lines: impl Iterator<Item = String>, clips: &[ClipDetails]) -> String {
    lines.chain(clips.iter().map(ToString::to_string)).collect::<Vec<_>>().join("\n")
}

fn checked(Checked(report): &Checked) -> String {
    let mut text = report.to_string();
    if report.outdated > 0 {
        text += "\n`ugoki db add` or `--repair` makes what another version derived again";
    }
    text
}

fn exported(report: &ExportReport) -> String {
    // Standard output holds the motion.
    if report.files.iter().any(|file| file.file == "-") {
        return String::new();
    }
    let file = |file: &Exported| {
        let findings: Vec<&str> = file.findings.iter().map(|finding| finding.message.as_str()).collect();
        let lost = if findings.is_empty() { String::new() } else { format!(" ({})", findings.join("; ")) };
        format!("{} -> {}{lost}", file.clip, file.file)
    };
    let mut lines: Vec<String> = report.files.iter().map(file).collect();
    lines.extend(report.skipped.iter().map(|clip| format!("{}: not written: {}", clip.name, clip.message)));
    lines.push(format!("{} written", counted(report.files.len(), "file")));
    lines.join("\n")
}

impl Verb for Create {
    type Report = CreateReport;

    const ACTIVITY: &'static str = "creating";

    fn run(&self, host: &mut dyn Host, _: Progress<'_>) -> Result<CreateReport, Error> {
        host.check_outputs(&self.skeleton.as_deref().into_iter().collect::<Vec<_>>(), &[&self.database])?;
        let mut config = CreateConfig { fps: self.fps.unwrap_or(DEFAULT_FPS), ..CreateConfig::default() };
        if let Some(file) = &self.skeleton {
            config.skeleton = host.motion(file, &Reading::default())?.clip.skeleton().clone();
            config.check_skeleton().in_file(file)?;
        }
        let database = host.create_database(&self.database, &config)?;
        let joints = database.skeleton().num_joints();
        Ok(CreateReport { database: self.database.clone(), fps: database.fps(), joints })
    }
}

impl Verb for List {
    type Report = ListReport;

    const ACTIVITY: &'static str = "listing";

    fn run(&self, host: &mut dyn Host, _: Progress<'_>) -> Result<ListReport, Error> {
        let listed = host.database(&self.database)?.list(&self.selection);
        let clips = listed.in_file(&self.database)?;
        Ok(ListReport { clips })
    }
}

impl Verb for Show {
    type Report = ShowReport;

    const ACTIVITY: &'static str = "reading";

    fn run(&self, host: &mut dyn Host, _: Progress<'_>) -> Result<ShowReport, Error> {
        let database = host.database(&self.database)?;
        let about = self.clips.is_empty().then(|| database.about()).transpose().in_file(&self.database)?;
        let clips = self.clips.iter().map(|clip| database.details(database.find(clip)?));
        Ok(ShowReport { database: about, clips: clips.collect::<Result<_, _>>().in_file(&self.database)? })
    }
}

impl Verb for Tag {
    type Report = TagReport;

    const ACTIVITY: &'static str = "tagging";

    fn run(&self, host: &mut dyn Host, _: Progress<'_>) -> Result<TagReport, Error> {
        if self.add.is_empty() && self.remove.is_empty() {
            return Err(Error::refused("no tags are given").hint("use --add TAG or --remove TAG"));
        }
        let mut database = host.database_to_write(&self.database)?;
        let selection = Selection { clips: self.clips.clone(), ..Selection::default() };
        let ids = database.select(&selection).in_file(&self.database)?;
        Ok(TagReport { clips: database.tag(&ids, &self.add, &self.remove).in_file(&self.database)? })
    }
}

impl Verb for Remove {
    type Report = Removed;

    const ACTIVITY: &'static str = "removing";

    fn run(&self, host: &mut dyn Host, _: Progress<'_>) -> Result<Removed, Error> {
        if self.selection.is_everything() {
            return Err(Error::refused("no clips are named")
                .hint("name clips, or give --tag, --length or --speed; '*' removes every clip")
                .in_file(&self.database));
        }
        let mut database = host.database_to_write(&self.database)?;
        let ids = database.select_to_remove(&self.selection).in_file(&self.database)?;
        database.remove(&ids).map(Removed).in_file(&self.database)
    }
}

impl Verb for Check {
    type Report = Checked;

    const ACTIVITY: &'static str = "checking";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Checked, Error> {
        let mut repaired = Vec::new();
        let mut done = 0.0;
        if self.repair {
            let mut database = host.database_to_write(&self.database)?;
            repaired = database.repair(&mut |part| progress(0.5 * part)).in_file(&self.database)?;
            done = 0.5;
        }
        let report = host.database(&self.database)?.check(&mut |part| progress(done + (1.0 - done) * part));
        let mut report = report.in_file(&self.database)?;
        for clip in report.broken.iter_mut().filter(|clip| clip.repairable) {
            clip.message += &format!("; {REPAIR}");
        }
        Ok(Checked(CheckReport { repaired, ..report }))
    }
}
