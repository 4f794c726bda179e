//! What every verb is: options, a run on a host, a report.

use std::any::Any;
use std::fmt::Display;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use ugoki::Progress;

use crate::outcome::Outcome;
use crate::{Error, Host};

/// One verb. The struct that implements it is the only definition of its options: command-line arguments, JSON request,
/// schema and help are derived from it.
pub trait Verb: clap::Args + Serialize + JsonSchema {
    /// What a run reports; also the `--json` document.
    type Report: Report;

    /// What a progress bar says, such as "filtering".
    const ACTIVITY: &'static str;

    /// Reads the inputs from the host, does the work, writes the outputs to the host.
    ///
    /// # Errors
    /// When an input or an option cannot be used, or the caller stops. Nothing is half written.
    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Self::Report, Error>;
}

/// Where the text form of a report belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// The report is the result: standard output.
    Result,
    /// The result is a file and the report accompanies it: standard error.
    Notes,
}

/// The report of a verb: `Display` is its text form, `Serialize` its JSON form.
pub trait Report: Serialize + Display + Any {
    /// Where the text form is printed.
    const STREAM: Stream = Stream::Notes;

    /// How the run ended.
    fn outcome(&self) -> Outcome {
        Outcome::Done
    }
}

/// A report of any verb.
pub trait AnyReport {
    /// The text form.
    fn text(&self) -> String;
    /// The `--json` document; numbers that are not finite are null.
    ///
    /// # Errors
    /// When the report cannot be written as JSON.
    fn json(&self) -> serde_json::Result<String>;
    /// The `--json` document as a value.
    ///
    /// # Errors
    /// When the report cannot be written as JSON.
    fn value(&self) -> serde_json::Result<serde_json::Value>;
    /// Where the text form is printed.
    fn stream(&self) -> Stream;
    /// How the run ended.
    fn outcome(&self) -> Outcome;
    /// The report itself, for callers that know its type.
    fn as_any(&self) -> &dyn Any;
}

impl<R: Report> AnyReport for R {
    fn text(&self) -> String {
        self.to_string()
    }

    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn value(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(self)
    }

    fn stream(&self) -> Stream {
        R::STREAM
    }

    fn outcome(&self) -> Outcome {
        Report::outcome(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A verb or a group of verbs whose report type is not known.
pub trait AnyVerb {
    /// What a progress bar says.
    fn activity(&self) -> &'static str;

    /// [`Verb::run`].
    ///
    /// # Errors
    /// As [`Verb::run`].
    fn run_any(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Box<dyn AnyReport>, Error>;

    /// The schema of the request of a verb, which `words` choose within a group.
    fn schema(words: &[&str]) -> Option<Schema>
    where
        Self: Sized;
}

impl<V: Verb> AnyVerb for V {
    fn activity(&self) -> &'static str {
        V::ACTIVITY
    }

    fn run_any(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Box<dyn AnyReport>, Error> {
        host.begin_run();
        let report = self.run(host, progress)?;
        host.end_run();
        Ok(Box::new(report))
    }

    fn schema(words: &[&str]) -> Option<Schema> {
        words.is_empty().then(|| schemars::schema_for!(V))
    }
}

/// Declares an enum of verbs: the one list of them. Parsing, JSON, schema and dispatch follow.
macro_rules! verbs {
    ($(#[$attribute:meta])* $name:ident { $($(#[$of_variant:meta])* $variant:ident($verb:ty),)* }) => {
        #[derive(Debug, Clone, PartialEq, clap::Subcommand, serde::Serialize, schemars::JsonSchema)]
        #[expect(missing_docs, reason = "a variant is documented by its verb, which also gives the help text")]
        $(#[$attribute])*
        pub enum $name {
            $($(#[$of_variant])* $variant($verb),)*
        }

        impl $crate::AnyVerb for $name {
            fn activity(&self) -> &'static str {
                match self {
                    $(Self::$variant(verb) => $crate::AnyVerb::activity(verb),)*
                }
            }

            fn run_any(
                &self,
                host: &mut dyn $crate::Host,
                progress: ugoki::Progress<'_>,
            ) -> Result<Box<dyn $crate::AnyReport>, $crate::Error> {
                match self {
                    $(Self::$variant(verb) => $crate::AnyVerb::run_any(verb, host, progress),)*
                }
            }

            fn schema(words: &[&str]) -> Option<schemars::Schema> {
                let (first, rest) = words.split_first()?;
                $(if first.eq_ignore_ascii_case(stringify!($variant)) {
                    return <$verb as $crate::AnyVerb>::schema(rest);
                })*
                None
            }
        }
    };
}
pub(crate) use verbs;
