//! Files by name, for the database, the verbs and the studio.
//!
//! ```text
//! name ─read_whole→ bytes within a limit        `walk.bvh`, `-` for standard input
//! bytes ─write_whole→ temporary file, fsync, rename        `out.bvh`, `-` for standard output
//! ```
//!
//! An input is read whole and never beyond its limit, and a read that waits ends when the caller asks to stop. An output is
//! written whole or not at all. [`FileId`] recognises a file behind links, so that callers can keep an output off an input.

mod bounded_read;
mod companion;
mod error;
mod identity;
mod journal;
mod read;
mod search;
mod temporary_files;
mod write;

pub use bounded_read::{LARGEST_FILE, read_file};
pub use companion::companion_paths;
pub use error::{FileError, FileFault, system_message};
pub use identity::{FileId, place};
pub use journal::{append, check_writable, journal_path};
pub use read::{open_lines, read_text, read_whole};
pub use search::{is_pattern, matching_paths, motion_files};
pub use temporary_files::{remove_leftovers, replace_file, temporary_path};
pub use write::{check_folder, check_name, create_folder, remove_file, write_whole};
