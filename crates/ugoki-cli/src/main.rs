//! The binary `ugoki`: words in, one [`ugoki_verbs::Request`], files read, job run, report printed.
//!
//! Exit 0 done, 1 done but nothing found or a check failed, 2 error. With `--json` stdout holds one
//! JSON document and nothing else, also for errors.

mod catalogues;
mod commands;
mod database;
mod failure;
mod files;
mod interrupt;
mod live;
mod models;
mod output;
mod serve;

use std::process::ExitCode;

use clap::Parser;

use commands::Cli;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    interrupt::watch();
    let json = cli.json;
    match commands::run(cli) {
        Ok(code) => code,
        Err(failure) => failure.print(json),
    }
}
