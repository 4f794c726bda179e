//! `compare`: the distance between two motions.

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::metric::{Comparison, Stats, compare};

use crate::error::InFile as _;
use crate::{Error, Host, Reading, Stream, Verb};

/// Measures how far two motions are apart
///
/// B is resampled to A's rate; their common time and common joints are compared.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki compare original.bvh filtered.bvh")]
pub struct Compare {
    /// First motion file; its rate is used
    pub a: String,

    /// Second motion file
    pub b: String,

    /// JSON file {"mean": […], "std": […]}, x y z of each compared joint in the order of `compared.joints`,
    /// for LAFAN1's normalised L2P
    #[arg(long, value_name = "FILE")]
    pub stats: Option<String>,

    /// Refuse motions of another rate or skeleton instead of adapting them
    #[arg(long)]
    pub strict: bool,

    /// How to read both.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

impl Verb for Compare {
    type Report = Comparison;

    const ACTIVITY: &'static str = "comparing";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Comparison, Error> {
        let Self { a, b, .. } = self;
        host.check_outputs(&[a, b], &[])?;
        let first = host.motion(a, &self.reading)?.clip;
        let second = host.motion(b, &self.reading)?.clip;
        for adaptation in adaptations(&first, &second, self.strict) {
            if self.strict {
                return Err(Error::refused(adaptation).hint("leave out --strict to allow that").in_file(b));
            }
            host.note(&format!("note: {adaptation}"));
        }
        let stats = self.stats.as_deref().map(|name| statistics(name, host)).transpose()?;
        compare(&first, &second, stats.as_ref(), progress).in_file(&format!("{a} and {b}"))
    }
}

fn statistics(name: &str, host: &mut dyn Host) -> Result<Stats, Error> {
    let text = host.text(name, "statistics as JSON")?;
    serde_json::from_str(&text)
        .map_err(|error| Error::refused(format!("not statistics: {error}")).in_file(name))
}

/// What must be done to `b` before it can be compared with `a`, in words; empty when nothing.
fn adaptations(a: &Clip, b: &Clip, strict: bool) -> Vec<String> {
    let mut words = Vec::new();
    if (a.fps() / b.fps() - 1.0).abs() > 1e-9 {
        let (from, to) = (b.fps(), a.fps());
        words.push(match strict {
            true => format!("the motions have {to} and {from} frames per second"),
            false => format!("the second motion is brought from {from} to {to} frames per second"),
        });
    }
    let names =
        |clip: &Clip| clip.skeleton().joints().iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    if names(a) != names(b) {
        let change = if strict { "" } else { ", so only their common joints are compared" };
        words.push(format!("the skeletons differ{change}"));
    }
    words
}

impl crate::Report for Comparison {
    const STREAM: Stream = Stream::Result;
}
