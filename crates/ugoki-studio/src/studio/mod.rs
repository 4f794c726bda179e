//! The studio's server: one database, one document, any number of pages.
//!
//! ```text
//! page ──intents──► page (queue) ──► handlers ──► evaluate: steps of the document, each a job of the library
//!      ◄──answers, poses── outbox ◄──┘      └──► session (undo, kept in the database), shared (clips, exports)
//! ```
//!
//! `performer` is the live side: packets of a live performer, received for one page.
//! `protocol` defines all messages between pages and server, `guard` controls access, `bundle` is the page itself.

mod bundle;
mod commands;
mod evaluate;
mod guard;
mod handlers;
mod live;
mod motion;
mod outbox;
mod page;
mod performer;
mod poses;
pub mod protocol;
mod reaction;
mod results;
mod server;
mod session;
mod shared;
mod step_host;
mod transfers;
mod unique_keys;
mod user_database;

pub use commands::commands;
pub use server::{Server, ServerConfig, ServerError};
pub use user_database::{own_database, own_database_in};
