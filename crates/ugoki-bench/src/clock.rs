//! Median and 99th percentile of single pieces of work, and the rows they become.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// Time spent on one figure; enough for hundreds of batches of all but the largest.
const BUDGET: Duration = Duration::from_millis(800);
/// A batch lasts at least this long, so that asking the clock (some 25 ns) does not count.
const LEAST_BATCH: Duration = Duration::from_micros(10);
/// Batches at least and at most.
const LEAST: usize = 5;
const MOST: usize = 20_000;

/// One figure, as it is written: also what the peers' script writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// What was done: a name of `claims`.
    pub(crate) task: String,
    /// Frames, clips, characters: what grows.
    pub(crate) size: usize,
    /// Program with version; empty for Ugoki.
    #[serde(default)]
    pub(crate) peer: String,
    /// The function that was called; for Ugoki the variant, empty for the one that is used.
    #[serde(default)]
    pub(crate) what: String,
    /// Nanoseconds per unit of work; bytes for memory.
    pub(crate) median_ns: f64,
    /// The same, exceeded by one batch in a hundred.
    pub(crate) p99_ns: f64,
    /// How many batches were timed.
    pub(crate) runs: usize,
    /// A peer that does only part of the work: it stands on the page as a measure, not in the summary as a rival.
    #[serde(default)]
    pub(crate) part: bool,
}

/// Takes the time and writes rows as they come.
pub(crate) struct Bench {
    /// Smallest sizes, each once: shows only that it runs.
    pub(crate) smoke: bool,
    /// Only tasks whose name has this in it.
    pub(crate) only: Option<String>,
    /// Runs the task of exactly this name so often, untimed: for a tool that counts instructions.
    pub(crate) counted: Option<(String, usize)>,
    out: BufWriter<File>,
    failed: Option<std::io::Error>,
    /// Names of the tasks that have a row, or were counted.
    done: BTreeSet<String>,
}

impl Bench {
    pub(crate) fn new(out: &Path) -> std::io::Result<Self> {
        Ok(Self {
            smoke: false,
            only: None,
            counted: None,
            out: BufWriter::new(File::create(out)?),
            failed: None,
            done: BTreeSet::new(),
        })
    }

    /// The sizes to measure: all, or the smallest in a smoke run.
    pub(crate) fn sizes<'a>(&self, all: &'a [usize]) -> &'a [usize] {
        if self.smoke { &all[..1] } else { all }
    }

    /// Whether anything of a topic is wanted, before its data are made.
    pub(crate) fn wants(&self, topic: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.starts_with(topic) || topic.starts_with(only.as_str()))
    }

    fn takes(&self, task: &str) -> bool {
        self.only.as_ref().is_none_or(|only| task.contains(only.as_str()))
    }

    /// Times `work`, which does `per` units of work in one call.
    pub(crate) fn measure(&mut self, task: &str, size: usize, per: f64, work: impl FnMut()) {
        self.variant(task, "", size, per, work);
    }

    /// Times a variant that is not the one used: what lost, or what one would write first.
    pub(crate) fn variant(&mut self, task: &str, what: &str, size: usize, per: f64, mut work: impl FnMut()) {
        if self.counted.is_some() {
            if what.is_empty() {
                self.count(task, per, work);
            }
            return;
        }
        if !self.takes(task) {
            return;
        }
        let start = Instant::now();
        work();
        let once = start.elapsed().max(Duration::from_nanos(20));
        let calls = (LEAST_BATCH.as_nanos() / once.as_nanos()).max(1) as usize;
        let mut batches = Vec::new();
        let start = Instant::now();
        while batches.len() < LEAST || (batches.len() < MOST && start.elapsed() < BUDGET) {
            let batch = Instant::now();
            for _ in 0..calls {
                work();
            }
            batches.push(batch.elapsed().as_nanos() as f64 / calls as f64 / per);
            if self.smoke {
                break;
            }
        }
        self.tell(task, what, size, batches);
    }

    /// Runs `work`, which does `per` units of work in one call, as often as a tool that counts instructions asks for;
    /// says whether one does. For tasks that take their times themselves.
    pub(crate) fn count(&mut self, task: &str, per: f64, mut work: impl FnMut()) -> bool {
        let Some((counted, calls)) = &self.counted else { return false };
        if task == counted {
            self.done.insert(task.to_owned());
            (0..*calls).for_each(|_| work());
            println!("{per}");
        }
        true
    }

    /// Writes times that were taken elsewhere, nanoseconds each.
    pub(crate) fn tell(&mut self, task: &str, what: &str, size: usize, mut times: Vec<f64>) {
        if self.counted.is_some() || !self.takes(task) {
            return;
        }
        self.done.insert(task.to_owned());
        times.sort_unstable_by(f64::total_cmp);
        let last = times.len() - 1;
        let row = Row {
            task: task.to_owned(),
            size,
            peer: String::new(),
            what: what.to_owned(),
            median_ns: times[last / 2],
            p99_ns: times[(last * 99).div_ceil(100)],
            runs: times.len(),
            part: false,
        };
        println!("{task} {what} {size}: {:.0} ns, p99 {:.0}", row.median_ns, row.p99_ns);
        let line = serde_json::to_string(&row).map_err(std::io::Error::from);
        if let Err(error) = line.and_then(|line| writeln!(self.out, "{line}")) {
            self.failed.get_or_insert(error);
        }
    }

    /// Ends the run; complains if one of `expected`, or everything that was asked for, was not done.
    pub(crate) fn finish(mut self, expected: impl Iterator<Item = &'static str>) -> Outcome {
        if self.done.is_empty() {
            return Err("no task has that name; docs/results/bench names them all".into());
        }
        let missing: Vec<&str> = expected.filter(|task| !self.done.contains(*task)).collect();
        if !missing.is_empty() {
            return Err(format!("not measured: {}", missing.join(", ")).into());
        }
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        Ok(self.out.flush()?)
    }
}
