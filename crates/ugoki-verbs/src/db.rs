//! `db`: the motion database. Requests and reports; the crate `ugoki-db` does the work.

use serde::{Deserialize, Serialize};

use super::{Arguments, Reading, reading_arguments};
use ugoki::formats::Format;

pub use ugoki_db::{
    AddReport, Added, CheckReport, CheckedClip, ClipDetails, ClipRow, ContactsFrom, ContactsRow,
    CreateReport, DatabaseDetails, Duplicate, ExportReport, Exported, FileRow, KeptFinding, Limits,
    LimitsError, ListReport, Measures, Passed, RemoveReport, Sameness, Selection, ShowReport, Skipped,
    TagReport, TaggedClip,
};

/// Ask something of a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub enum Request {
    /// Makes an empty database.
    Create(Create),
    /// Takes files in.
    Add(Add),
    /// Which clips there are.
    List(List),
    /// Everything about a clip, or about the database.
    Show(Show),
    /// Puts tags on clips or takes them off.
    Tag(Tag),
    /// Throws clips out.
    Remove(Remove),
    /// Whether everything in it is sound.
    Check(Check),
    /// Clips as files again.
    Export(Export),
}

/// `db create`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Create {
    /// The database to make.
    pub database: String,
    /// A motion file whose skeleton the database takes; the built-in one when absent.
    #[serde(default)]
    pub skeleton: Option<String>,
    /// Frames per second of derived clips; 60 when absent.
    #[serde(default)]
    pub fps: Option<f64>,
}

/// `db add`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Add {
    /// The database; made if it is not there.
    pub database: String,
    /// Motion files, folders or patterns.
    pub paths: Vec<String>,
    /// Licence of all of them; found beside them when absent.
    #[serde(default)]
    pub license: Option<String>,
    /// Tags for every clip that is added.
    #[serde(default)]
    pub tags: Vec<String>,
    /// How many files to work on at once; as many as the machine has cores when absent.
    #[serde(default)]
    pub jobs: Option<usize>,
    /// How to read them.
    #[serde(default)]
    pub reading: Reading,
}

/// `db list`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// The database.
    pub database: String,
    /// Which clips.
    #[serde(default, flatten)]
    pub selection: Selection,
}

/// `db show`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Show {
    /// The database.
    pub database: String,
    /// Names or numbers as `id:17`; none: the database itself.
    #[serde(default)]
    pub clips: Vec<String>,
}

/// `db tag`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tag {
    /// The database.
    pub database: String,
    /// Names, patterns or numbers.
    pub clips: Vec<String>,
    /// Tags to put on.
    #[serde(default)]
    pub add: Vec<String>,
    /// Tags to take off.
    #[serde(default)]
    pub remove: Vec<String>,
}

/// `db remove`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remove {
    /// The database.
    pub database: String,
    /// Which clips; everything only when asked for by `*`.
    #[serde(default, flatten)]
    pub selection: Selection,
}

/// `db check`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The database.
    pub database: String,
    /// Makes damaged and outdated derived forms again first, from the clips as they came.
    #[serde(default)]
    pub repair: bool,
}

/// `db export`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// The database.
    pub database: String,
    /// File for one clip, or folder for one file per clip.
    pub output: String,
    /// Which clips.
    #[serde(default, flatten)]
    pub selection: Selection,
    /// The clip on its own skeleton and at its own rate, as it came in.
    #[serde(default)]
    pub source: bool,
    /// Format of the files; by the ending of the output, or BVH, when absent.
    #[serde(default)]
    pub to: Option<Format>,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let all = |arguments: Arguments, name: &str, values: &[String]| {
            values.iter().fold(arguments, |arguments, value| arguments.option(name, Some(value)))
        };
        let files =
            |arguments: Arguments, files: &[String]| files.iter().fold(arguments, |a, file| a.file(file));
        let start = |action: &str| Arguments::new("db").word(action);
        match self {
            Self::Create(create) => start("create")
                .option("skeleton", create.skeleton.as_ref())
                .option("fps", create.fps)
                .file(&create.database),
            Self::Add(add) => {
                let arguments = start("add").option("license", add.license.as_ref()).option("jobs", add.jobs);
                let arguments = reading_arguments(&add.reading, all(arguments, "tag", &add.tags));
                files(arguments.file(&add.database), &add.paths)
            }
            Self::List(list) => selection_arguments(&list.selection, start("list").file(&list.database)),
            Self::Show(show) => files(start("show").file(&show.database), &show.clips),
            Self::Tag(tag) => {
                let arguments = all(all(start("tag"), "add", &tag.add), "remove", &tag.remove);
                files(arguments.file(&tag.database), &tag.clips)
            }
            Self::Remove(remove) => {
                selection_arguments(&remove.selection, start("remove").file(&remove.database))
            }
            Self::Check(check) => start("check").flag("repair", check.repair).file(&check.database),
            Self::Export(export) => {
                let arguments = start("export")
                    .option("output", Some(&export.output))
                    .flag("source", export.source)
                    .option("to", export.to.map(Format::extension));
                selection_arguments(&export.selection, arguments.file(&export.database))
            }
        }
        .finish()
    }

    /// The database it is about.
    #[must_use]
    pub fn database(&self) -> &str {
        match self {
            Self::Create(request) => &request.database,
            Self::Add(request) => &request.database,
            Self::List(request) => &request.database,
            Self::Show(request) => &request.database,
            Self::Tag(request) => &request.database,
            Self::Remove(request) => &request.database,
            Self::Check(request) => &request.database,
            Self::Export(request) => &request.database,
        }
    }
}

fn selection_arguments(selection: &Selection, arguments: Arguments) -> Arguments {
    let arguments =
        selection.tags.iter().fold(arguments, |arguments, tag| arguments.option("tag", Some(tag)));
    let arguments = arguments
        .option("length", selection.seconds)
        .option("speed", selection.speed)
        .flag("duplicates", selection.duplicates);
    selection.clips.iter().fold(arguments, |arguments, clip| arguments.file(clip))
}
