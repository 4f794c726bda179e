//! The binary `ugoki`: words in, one [`ugoki_verbs::Request`], run on files, report printed.
//!
//! Exit 0 done, 1 done but nothing found or a check failed, 2 error. With `--json` stdout holds one
//! JSON document and nothing else, also for errors.

mod failure;
mod interrupt;
mod manual;
mod output;
mod serve;
mod studio;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ugoki_verbs::{AnyVerb as _, Budget, FileHost, Folder, Outcome, Request, Stream};

use failure::Failure;
use interrupt::Bar;

/// Turns captured human motion into new motion.
#[derive(Debug, Parser)]
#[command(
    name = "ugoki",
    version,
    about = "Turns captured human motion into new motion",
    max_term_width = 100
)]
struct Cli {
    /// Print the report as one JSON document on stdout and nothing else there
    #[arg(long, global = true, help_heading = "Every verb")]
    json: bool,

    /// Let an output replace a file that is also an input
    #[arg(long, global = true, help_heading = "Every verb")]
    overwrite: bool,

    /// Threads for work that is done in parallel [default: as many as there are processors]
    #[arg(long, global = true, value_name = "N", help_heading = "Every verb", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Memory that inputs and the motions made of them may take, such as 500M or 4G [default: 8G]
    #[arg(long, global = true, value_name = "BYTES", help_heading = "Every verb", value_parser = bytes)]
    memory: Option<u64>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Verb(Box<Request>),

    /// Prints the JSON schema of a verb's request
    #[command(after_help = "Examples:\n  ugoki schema plant\n  ugoki schema db add")]
    Schema {
        /// The verb, such as plant or db add
        #[arg(required = true, num_args = 1..=2)]
        verb: Vec<String>,
    },

    /// Prints a completion script for a shell
    #[command(
        after_help = "Example:\n  ugoki completions bash > ~/.local/share/bash-completion/completions/ugoki"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },

    /// Writes manual pages into a folder
    #[command(after_help = "Example:\n  ugoki man ~/.local/share/man/man1")]
    Man {
        /// Where the pages go.
        #[command(flatten)]
        folder: Folder,
    },
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    interrupt::watch();
    let json = cli.json;
    match run(cli) {
        Ok(code) => code,
        Err(failure) => failure.print(json),
    }
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let Cli { json, overwrite, threads, memory, command } = cli;
    threads.into_iter().for_each(|threads| ugoki::threads::limit(threads.into()));
    let usual = Budget::default();
    let budget = Budget { memory_bytes: memory.unwrap_or(usual.memory_bytes), ..usual };
    let mut note = output::note;
    let mut host = FileHost::new(&mut note, &interrupt::stopped);
    (host.overwrite, host.stdout_taken, host.budget) = (overwrite, json, budget);
    let request = match command {
        Command::Verb(request) => *request,
        Command::Schema { verb } => return manual::schema(&verb),
        Command::Completions { shell } => return Ok(manual::completions(shell)),
        Command::Man { folder } => return manual::man(&folder.0, json, &mut host),
    };
    if let Request::Studio(request) = &request {
        return studio::run(request, &mut host, json);
    }
    let bar = Bar::start(request.activity());
    let report = request.run_any(&mut host, &mut |part| bar.step(part))?;
    drop(bar);
    match (json, report.stream()) {
        (true, _) => output::line(&report.json().map_err(|error| Failure::new(error.to_string()))?),
        (false, stream) => match (report.text().trim_end(), stream) {
            ("", _) => {}
            (text, Stream::Result) => output::line(text),
            (text, Stream::Notes) => output::note(text),
        },
    }
    if let Request::Demo(demo) = &request
        && demo.serve
    {
        serve::folder(demo, json)?;
    }
    Ok(match report.outcome() {
        Outcome::Done => ExitCode::SUCCESS,
        Outcome::NothingFound => ExitCode::from(1),
        Outcome::Failed => ExitCode::from(2),
    })
}

/// `500M`, `4G` or plain bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let (number, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1_u64),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| "expected bytes such as 500M or 4G".to_owned())
}
