//! Where a verb with one result writes it: `IN OUT`, or `IN -o OUT`; for a folder of inputs, `IN -o DIR`.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Command, FromArgMatches};
use serde::{Deserialize, Serialize};

/// Identifier of the positional form of `--output`.
pub(crate) const OUT: &str = "OUT";

/// The name of a result: a file, `-` for standard output, or a folder when the input is one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Output(pub String);

impl std::ops::Deref for Output {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Output {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl FromArgMatches for Output {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let name = matches.get_one::<String>(OUT).or_else(|| matches.get_one::<String>("output"));
        Ok(Self(name.cloned().unwrap_or_default()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Output {
    fn augment_args(command: Command) -> Command {
        let positional = Arg::new(OUT)
            .value_name(OUT)
            .help("File to write, or - for standard output")
            .required_unless_present("output");
        let option = Arg::new("output")
            .value_parser(NonEmptyStringValueParser::new())
            .short('o')
            .long("output")
            .value_name("OUT|DIR")
            .conflicts_with(OUT)
            .help("File to write, or - for standard output; a folder when the input is a folder");
        command.arg(positional).arg(option)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
