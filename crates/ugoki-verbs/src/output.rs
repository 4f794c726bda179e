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

/// The name of a folder that results go into: `DIR`, or `-o DIR`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Folder(pub String);

/// Declares a name that is given by place or with `--output`.
macro_rules! named_twice {
    ($name:ident, $place:literal, $option:literal, $place_help:literal, $option_help:literal) => {
        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self(name.to_owned())
            }
        }

        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                let name = matches.get_one::<String>(OUT).or_else(|| matches.get_one::<String>("output"));
                Ok(Self(name.cloned().unwrap_or_default()))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl clap::Args for $name {
            fn augment_args(command: Command) -> Command {
                let positional =
                    Arg::new(OUT).value_name($place).help($place_help).required_unless_present("output");
                let option = Arg::new("output")
                    .value_parser(NonEmptyStringValueParser::new())
                    .short('o')
                    .long("output")
                    .value_name($option)
                    .conflicts_with(OUT)
                    .help($option_help);
                command.arg(positional).arg(option)
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }
    };
}

named_twice!(
    Output,
    "OUT",
    "OUT|DIR",
    "File to write, or - for standard output",
    "File to write, or - for standard output; a folder when the input is a folder"
);
named_twice!(
    Folder,
    "DIR",
    "DIR",
    "Folder to write into; made when missing",
    "Folder to write into; made when missing"
);
