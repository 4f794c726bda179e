//! `ugoki compare`

use std::process::ExitCode;

use ugoki::metric::Stats;
use ugoki_verbs::compare::{Request, adaptations, run as compare};

use super::reading;
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, output};

/// Measures how far two motions are apart
///
/// B is resampled to A's rate; their common time and common joints are compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ugoki compare original.bvh filtered.bvh")]
pub(super) struct Words {
    /// First motion file; its rate is used
    a: String,

    /// Second motion file
    b: String,

    /// JSON file {"mean": […], "std": […]}, x y z of each compared joint in the order of `compared.joints`,
    /// for LAFAN1's normalised L2P
    #[arg(long, value_name = "FILE")]
    stats: Option<String>,

    /// Refuse motions of different rate or skeleton instead of adapting the second
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    reading: reading::Words,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            a: self.a.clone(),
            b: self.b.clone(),
            stats: self.stats.clone(),
            strict: self.strict,
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    if request.a == "-" && request.b == "-" {
        return Err(Failure::new("standard input can be read once").hint("give one of the two as a file"));
    }
    let a = files::motion(&request.a, &request.reading)?;
    let b = files::motion(&request.b, &request.reading)?;
    for adaptation in adaptations(&a.clip, &b.clip) {
        if request.strict {
            return Err(Failure::of_file(&request.b, &adaptation).hint("leave out --strict to allow that"));
        }
        output::note(&format!("note: {adaptation}"));
    }
    let stats: Option<Stats> = match &request.stats {
        None => None,
        Some(name) => {
            let parsed = serde_json::from_slice(&files::bytes(name)?);
            Some(parsed.map_err(|error| Failure::of_file(name, &format!("not statistics: {error}")))?)
        }
    };
    let bar = Bar::start("comparing");
    let report = compare(&a.clip, &b.clip, stats.as_ref(), &mut |share| bar.step(share))
        .map_err(|error| Failure::of_job(&format!("{} and {}", request.a, request.b), &error))?;
    drop(bar);
    if json {
        output::json(&report);
    } else {
        output::line(&report.to_string());
    }
    Ok(ExitCode::SUCCESS)
}
