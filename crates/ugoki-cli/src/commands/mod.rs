//! The verbs. Each file holds one: its words, how they become a request, and how its report reads.

mod check;
mod compare;
mod convert;
mod demo;
mod info;
mod plant;
mod reading;
mod render;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ugoki::job::Request;

use crate::failure::Failure;

/// Turns captured human motion into new motion.
#[derive(Debug, Parser)]
#[command(name = "ugoki", version, about, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Print the report as one JSON document on stdout and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Info(info::Words),
    Check(check::Words),
    Convert(convert::Words),
    Plant(plant::Words),
    Compare(compare::Words),
    Render(render::Words),
    Demo(demo::Words),
}

impl Verb {
    fn request(&self) -> Result<Request, Failure> {
        Ok(match self {
            Self::Info(words) => Request::Info(words.request()),
            Self::Check(words) => Request::Check(words.request()),
            Self::Convert(words) => Request::Convert(words.request()?),
            Self::Plant(words) => Request::Plant(words.request()),
            Self::Compare(words) => Request::Compare(words.request()),
            Self::Render(words) => Request::Render(words.request()),
            Self::Demo(words) => Request::Demo(words.request()),
        })
    }
}

/// Does what the words ask and says how it ended.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let Cli { json, verb } = cli;
    match verb.request()? {
        Request::Info(request) => info::run(&request, json),
        Request::Check(request) => check::run(&request, json),
        Request::Convert(request) => convert::run(&request, json),
        Request::Plant(request) => plant::run(&request, json),
        Request::Compare(request) => compare::run(&request, json),
        Request::Render(request) => render::run(&request, json),
        Request::Demo(request) => demo::run(&request, json),
    }
}

#[cfg(test)]
mod tests;
