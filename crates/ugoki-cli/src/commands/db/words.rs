//! The words of `ugoki db`.

use clap::Subcommand;
use ugoki::formats::Format;
use ugoki_verbs::db::{Add, Check, Create, Export, Limits, List, Remove, Request, Selection, Show, Tag};

use crate::commands::reading;

/// Keeps motion in a database: one file, one skeleton, tags, searching
///
/// A clip in a database is used by any other verb as moves.ugoki#clip-name or moves.ugoki#id:17.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ugoki db add moves.ugoki captures/\n  ugoki db list moves.ugoki --tag walk\n  \
                        ugoki render moves.ugoki#16_15 walk.png"
)]
pub(in crate::commands) struct Words {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Makes an empty database
    #[command(after_help = "Example:\n  ugoki db create moves.ugoki --fps 120")]
    Create {
        /// Database to make
        database: String,

        /// Motion file whose skeleton the database takes [default: 22 body joints and fingers, 1.70 m tall]
        #[arg(long, value_name = "FILE")]
        skeleton: Option<String>,

        /// Frames per second of its clips [default: 60]
        #[arg(long, allow_negative_numbers = true)]
        fps: Option<f64>,
    },
    /// Takes motion files and folders in; files that have not changed are passed over
    ///
    /// What is finished stays in the database, also when it is stopped or killed; running it again goes on.
    #[command(after_help = "Examples:\n  ugoki db add moves.ugoki captures/\n  \
                            ugoki db add moves.ugoki dance.fbx --tag dance --license 'CC BY 4.0, Jane Doe'")]
    Add {
        /// Database; made if it is not there
        database: String,

        /// Motion files, folders or patterns
        #[arg(required = true)]
        paths: Vec<String>,

        /// Licence of these files [default: the nearest LICENSE or README file]
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        license: Option<String>,

        /// Tag for every clip; may be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,

        /// Files to work on at once [default: as many as there are processors]
        #[arg(long, value_name = "N", value_parser = jobs)]
        jobs: Option<usize>,

        #[command(flatten)]
        reading: reading::Words,
    },
    /// Lists clips
    #[command(
        after_help = "Examples:\n  ugoki db list moves.ugoki --tag walk --tag '!turn-left' --speed 1:1.5\n  \
                            ugoki db list moves.ugoki '16_*' --length 2:10 --json"
    )]
    List {
        /// Database
        database: String,

        #[command(flatten)]
        selection: SelectionWords,
    },
    /// Shows everything about clips, or about the database
    #[command(after_help = "Examples:\n  ugoki db show moves.ugoki\n  ugoki db show moves.ugoki 16_15 id:17")]
    Show {
        /// Database
        database: String,

        /// Names of clips, or numbers as id:17
        clips: Vec<String>,
    },
    /// Puts tags on clips or takes them off
    #[command(after_help = "Example:\n  ugoki db tag moves.ugoki '16_*' --add locomotion --remove todo")]
    Tag {
        /// Database
        database: String,

        /// Names, patterns or numbers as id:17
        #[arg(required = true)]
        clips: Vec<String>,

        /// Tag to put on; may be given several times
        #[arg(long, value_name = "TAG")]
        add: Vec<String>,

        /// Tag to take off; may be given several times
        #[arg(long, value_name = "TAG")]
        remove: Vec<String>,
    },
    /// Throws clips out
    #[command(after_help = "Example:\n  ugoki db remove moves.ugoki 16_15 'test-*'")]
    Remove {
        /// Database
        database: String,

        #[command(flatten)]
        selection: SelectionWords,
    },
    /// Looks whether everything in the database is sound: decodes all clips and measures their errors
    #[command(after_help = "Examples:\n  ugoki db check moves.ugoki\n  ugoki db check moves.ugoki --repair")]
    Check {
        /// Database
        database: String,

        /// First make damaged and outdated derived forms again, from the clips as they came
        #[arg(long)]
        repair: bool,
    },
    /// Writes clips as motion files
    #[command(after_help = "Examples:\n  ugoki db export moves.ugoki 16_15 -o walk.bvh\n  \
                            ugoki db export moves.ugoki --tag dance -o out/ --to glb\n  \
                            ugoki db export moves.ugoki -o originals/ --source")]
    Export {
        /// Database
        database: String,

        /// File for one clip, or folder for one file per clip
        #[arg(short, long, value_name = "OUT")]
        output: String,

        /// Each clip as it came in: on its own skeleton, at its own rate
        #[arg(long)]
        source: bool,

        /// Format of the files, by its ending [default: that of OUT, else bvh]
        #[arg(long, value_name = "FORMAT", value_parser = format)]
        to: Option<Format>,

        #[command(flatten)]
        selection: SelectionWords,
    },
}

/// Which clips.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct SelectionWords {
    /// Names, patterns such as '16_*', or numbers as id:17; list and export take all clips without any filter
    clips: Vec<String>,

    /// Only clips with this tag, or without it: '!turn-left'; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,

    /// Only clips this long, seconds: 2:10, :5 or 3:
    #[arg(long, value_name = "A:B", allow_hyphen_values = true)]
    length: Option<Limits>,

    /// Only clips whose hips travel this fast on average, m/s: 1:1.5
    #[arg(long, value_name = "A:B", allow_hyphen_values = true)]
    speed: Option<Limits>,

    /// Only clips whose motion is in the database more than once
    #[arg(long)]
    duplicates: bool,
}

impl SelectionWords {
    fn selection(&self) -> Selection {
        Selection {
            clips: self.clips.clone(),
            tags: self.tags.clone(),
            seconds: self.length,
            speed: self.speed,
            duplicates: self.duplicates,
        }
    }
}

fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected how many files to work on at once, 1 or more".to_owned()),
        Ok(jobs) => Ok(jobs),
    }
}

fn format(text: &str) -> Result<Format, String> {
    if Format::from_extension(text) == Some(Format::Fbx) {
        return Err("FBX is not written; write glb or bvh, docs/formats/fbx.md tells the ways on".to_owned());
    }
    let found = Format::from_extension(text).filter(|format| format.is_written());
    found.ok_or_else(|| {
        let endings: Vec<&str> =
            Format::all().filter(|format| format.is_written()).map(Format::extension).collect();
        format!("expected one of {}", endings.join(", "))
    })
}

impl Words {
    pub(in crate::commands) fn request(&self) -> Request {
        match &self.action {
            Action::Create { database, skeleton, fps } => {
                Request::Create(Create { database: database.clone(), skeleton: skeleton.clone(), fps: *fps })
            }
            Action::Add { database, paths, license, tags, jobs, reading } => Request::Add(Add {
                database: database.clone(),
                paths: paths.clone(),
                license: license.clone(),
                tags: tags.clone(),
                jobs: *jobs,
                reading: reading.reading(),
            }),
            Action::List { database, selection } => {
                Request::List(List { database: database.clone(), selection: selection.selection() })
            }
            Action::Show { database, clips } => {
                Request::Show(Show { database: database.clone(), clips: clips.clone() })
            }
            Action::Tag { database, clips, add, remove } => Request::Tag(Tag {
                database: database.clone(),
                clips: clips.clone(),
                add: add.clone(),
                remove: remove.clone(),
            }),
            Action::Remove { database, selection } => {
                Request::Remove(Remove { database: database.clone(), selection: selection.selection() })
            }
            Action::Check { database, repair } => {
                Request::Check(Check { database: database.clone(), repair: *repair })
            }
            Action::Export { database, output, source, to, selection } => Request::Export(Export {
                database: database.clone(),
                output: output.clone(),
                selection: selection.selection(),
                source: *source,
                to: *to,
            }),
        }
    }
}
