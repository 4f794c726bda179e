//! The motion database: one file `.ugoki`, SQLite inside.
//!
//! ```text
//! files ─import→ lossless source + form on the database's skeleton and rate + tags ─list, clip, source→ everyone
//! ```
//!
//! Every clip is kept twice: as it came, to the bit, and derived from it on the database's skeleton at its rate, packed
//! within 0.1 mm. What can be derived can be made again, so a newer program renews it. [`Database::import`] takes files
//! in, [`Database::select`] and [`Database::list`] find clips, [`Database::clip`] and [`Database::source`] give them
//! back, [`Database::check`] looks at everything. Tables and promises are in `docs/formats/database.md`.

mod blob;
mod bounded_read;
mod change;
mod check;
mod clips;
mod derive;
mod describe;
mod edits;
mod error;
mod export;
mod fingerprint;
mod hash;
mod header;
mod import;
mod limits;
mod list;
mod models;
mod names;
mod networks;
mod open;
mod provenance;
mod reports;
mod sample;
mod schema;
mod segments_and_models;
mod select;
mod selection;
mod skeletons;
mod tag;
mod temporary_files;
mod text;
mod trash;

pub use bounded_read::{LARGEST_FILE, read_file, read_stream};
pub use check::BOUND_M;
pub use derive::DERIVED_VERSION;
pub use describe::{AUTOMATIC_TAGS, Description, describe};
pub use error::{Error, system_message};
pub use import::{ImportConfig, ImportProgress, ImportStep, Upload};
pub use limits::{Limits, LimitsError};
pub use models::ModelError;
pub use networks::{CatalogueError, FoundCatalogue};
pub use open::{CreateConfig, DEFAULT_FPS, Database, default_skeleton};
pub use reports::{
    AddReport, Added, CheckReport, CheckedClip, ClipDetails, ClipNote, ClipRow, ContactsFrom, ContactsRow,
    DatabaseDetails, Duplicate, FileRow, KeptFinding, Measures, Passed, RemoveReport, Sameness, Skipped,
    TaggedClip,
};
pub use sample::{sample_database, sample_database_in};
pub use schema::{APPLICATION_ID, VERSION};
pub use segments_and_models::{Built, PERFORMANCE, StoredSegment};
pub use selection::Selection;
pub use tag::{normal_tag, normal_tags};
pub use temporary_files::{check_writable, remove_leftovers, replace_file, temporary_path};
pub use text::clip_table;
