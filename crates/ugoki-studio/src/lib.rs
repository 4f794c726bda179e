//! The studio: a local web server for one database; and a folder at a local address.

mod folder;
pub mod studio;

pub use folder::{FetchError, FolderServer};
