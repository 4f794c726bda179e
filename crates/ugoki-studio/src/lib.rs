//! The studio: a local web server for one database.

pub mod studio;
