//! Every measured claim of Ugoki in one run: `make bench` calls this program and then writes the pages.
//!
//! ```text
//! ugoki-bench data DIR                      motions and a body for the peers to work on
//! ugoki-bench run OUT.jsonl [--smoke] [--only NAME]
//! ugoki-bench count TASK CALLS              the smallest size of one task, untimed: for callgrind
//! ugoki-bench pages OURS.jsonl PEERS.jsonl DOCS README
//! ```
//!
//! Flow: `tasks` measure with `clock` → rows as JSON lines; `pages` joins them with the peers' rows and with `claims`,
//! which says of every task what it is, what was aimed at and what bounds it.

mod claims;
mod clock;
mod data;
mod pages;
mod plots;
mod tasks;

use std::path::Path;
use std::process::ExitCode;

use clock::Bench;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["data", folder] => data::write(Path::new(folder)),
        ["run", out, options @ ..] => run(Path::new(out), options),
        ["count", task, calls] => count(task, calls),
        ["pages", ours, peers, docs, readme] => {
            pages::write(Path::new(ours), Path::new(peers), Path::new(docs), Path::new(readme))
        }
        _ => Err("say data DIR, run OUT [--smoke] [--only NAME], count TASK CALLS, or pages OURS PEERS DOCS README".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ugoki-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Errors are reported and end the program.
type Outcome = Result<(), Box<dyn std::error::Error>>;

fn run(out: &Path, options: &[&str]) -> Outcome {
    let mut bench = Bench::new(out)?;
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match (*option, options.as_slice().first()) {
            ("--smoke", _) => bench.smoke = true,
            ("--only", Some(name)) => {
                bench.only = Some((*name).to_owned());
                options.next();
            }
            _ => return Err(format!("{option}: unknown").into()),
        }
    }
    let whole = bench.only.is_none();
    let captures = std::env::var_os("UGOKI_CAPTURES").is_some();
    if whole && !captures && !bench.smoke {
        return Err("set UGOKI_CAPTURES to the folder of captures, whose files are part of the table".into());
    }
    tasks::all(&mut bench);
    let names = claims::CLAIMS.iter().map(|claim| claim.task);
    // A machine without captures or without `time` may still show that everything else runs.
    let possible = |name: &str| match name {
        "bvh.captures" => captures,
        "program.memory" => Path::new("/usr/bin/time").exists(),
        _ => true,
    };
    bench.finish(names.filter(|name| whole && possible(name)))
}

/// Prints how many units of work one call does.
fn count(task: &str, calls: &str) -> Outcome {
    let mut bench = Bench::new(Path::new("/dev/null"))?;
    bench.smoke = true;
    bench.only = task.split('.').next().map(str::to_owned);
    bench.counted = Some((task.to_owned(), calls.parse()?));
    tasks::all(&mut bench);
    bench.finish(std::iter::empty())
}
