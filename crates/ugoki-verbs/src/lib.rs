//! One definition per verb: a struct whose fields are the options, a report, and a run on a [`Host`].
//!
//! ```text
//! argv ─clap──────┐                                   ┌─► text
//! JSON ─from_value┴─► Request ─run_any(host)─► report ┴─► --json document
//!        ▲                 │
//!        └─ command_line ◄─┘   (parses back to the same request)
//! ```
//!
//! Command-line arguments, help, JSON requests, schemas and shell completions are all derived from the struct of the verb
//! ([`Verb`]). The command line, the studio and Python are hosts: they turn names into motions and results into files.
//! Words for users and names of options belong here; the library below has neither.

mod advice;
mod command_line;
mod documents;
mod error;
mod field_types;
mod files;
mod findings;
mod host;
mod inputs;
mod live;
mod losses;
mod motion_verb;
mod outcome;
mod output;
mod plots;
mod request_error;
mod schema;
mod seams;
mod text_form;
mod verb;
mod words;

pub mod blend;
pub mod check;
pub mod compare;
pub mod compose;
pub mod convert;
pub mod db;
pub mod demo;
pub mod edit;
pub mod equalize;
pub mod filter;
pub mod info;
pub mod loop_;
pub mod network;
pub mod perform;
pub mod plant;
pub mod react;
pub mod record;
pub mod render;
pub mod segment;
pub mod splice;
pub mod stream;
pub mod studio;
pub mod walk;

pub use command_line::refusal;
pub use error::Error;
pub use files::FileHost;
pub use host::{Budget, Host, NewMotion, Opened, extension, format_to_write, read_again, stem};
pub use motion_verb::{OneOrMany, Written};
pub use outcome::Outcome;
pub use output::{Folder, Output};
pub use request_error::RequestError;
pub use schema::{request_schema, verb_names};
pub use ugoki::clip::{Span, Time, TimeError};
pub use ugoki::formats::{Problem, Reading, Tpose};
pub use verb::{AnyReport, AnyVerb, Report, Stream, Verb};
pub use words::quoted;

verb::verbs! {
    /// Everything a user can ask for, by verb.
    #[serde(tag = "verb", rename_all = "kebab-case")]
    Request {
        Info(info::Info),
        Check(check::Check),
        Convert(convert::Convert),
        Plant(plant::Plant),
        Compare(compare::Compare),
        Render(render::Render),
        Filter(filter::Filter),
        Equalize(equalize::Equalize),
        Blend(blend::Blend),
        Loop(loop_::Loop),
        Edit(edit::Edit),
        Splice(splice::Splice),
        Segment(segment::Segment),
        #[command(subcommand)]
        Perform(perform::Perform),
        Stream(stream::Stream),
        Record(record::Record),
        React(react::React),
        Walk(walk::Walk),
        Network(network::Network),
        Compose(compose::Compose),
        #[command(subcommand)]
        Db(db::Db),
        Studio(studio::Studio),
        Demo(demo::Demo),
    }
}
