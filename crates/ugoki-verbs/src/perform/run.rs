//! `perform run`

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::Read;
use ugoki::perform::{Performance, RunConfig, perform_clip};

use super::Recognition;
use crate::error::InFile as _;
use crate::live::{MAX_BUFFER_MS, is_live};
use crate::losses::{joint_gaps, write_losses};
use crate::motion_verb::{Job, OneOrMany, Results, each, results, written_ending};
use crate::words::counted;
use crate::{Error, Host, NewMotion, Reading, Verb};

/// Plays the actor's motion as the performer goes through it
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki perform run kata.ugoki --input me.bvh --output kata.bvh\n  \
                        ugoki perform run kata.ugoki --input vmc:39540 --output vmc:127.0.0.1:39539")]
pub struct Run {
    /// Model that `learn` wrote; moves.ugoki#kick for one motion of it
    pub model: String,

    /// Performance: a motion file or folder, - for standard input, or vmc:PORT for a live stream; - with a live output performs each
    /// row of a BVH as it comes
    #[arg(long, value_name = "FILE|vmc:PORT")]
    pub input: String,

    /// Motion file or folder to write, - for standard output, or vmc:HOST:PORT to send it live
    #[arg(short, long, value_name = "FILE|vmc:HOST:PORT")]
    pub output: String,

    /// Hold packets back for so long, to put those that arrive out of order into order; for live input
    #[arg(long = "buffer", value_name = "MILLISECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=MAX_BUFFER_MS))]
    pub buffer_ms: u32,

    /// How pieces are recognised.
    #[command(flatten)]
    #[serde(flatten)]
    pub recognition: Recognition,

    /// How to read the performance.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What was done with a performance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// The performance as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// Every frame, and what was lost.
    #[serde(flatten)]
    pub performance: Performance,
}

impl Verb for Run {
    type Report = OneOrMany<RunReport>;

    const ACTIVITY: &'static str = "performing";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Self::Report, Error> {
        if self.buffer_ms > 0 && !is_live(&self.input) {
            host.note("--buffer is for live input; a file's frames are in order, and nothing is held back");
        }
        let config = self.recognition.config()?;
        match (self.input.as_str(), is_live(&self.output)) {
            (input, _) if is_live(input) => self.perform_stream(config, host, progress).map(OneOrMany::One),
            ("-", true) => self.perform_rows(config, host, progress).map(OneOrMany::One),
            (_, true) => self.send_performance(config, host, progress).map(OneOrMany::One),
            (_, false) => self.perform_files(config, host, progress),
        }
    }
}

impl Run {
    /// Performs a file, or every file of a folder.
    fn perform_files(
        &self,
        config: RunConfig,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<OneOrMany<RunReport>, Error> {
        let one = |mut job: Job<'_>| {
            let (clip, read, report) = self.perform_file(config, &mut job)?;
            job.host.write_motion(job.output, &NewMotion::new(&clip, &read))?;
            Ok(report)
        };
        match results(std::slice::from_ref(&self.input), &self.output, written_ending, host)? {
            Results::One([input, output]) => {
                host.check_outputs(&[&input, &self.model], &[&output])?;
                host.check_format(&output)?;
                one(Job { input: &input, output: &output, host, progress }).map(OneOrMany::One)
            }
            Results::Folder(names) => {
                host.check_outputs(&[&self.model], &[])?;
                each(&names, host, progress, one)
            }
        }
    }

    /// Reads model and performance and plays the actor.
    pub(super) fn perform_file(
        &self,
        config: RunConfig,
        job: &mut Job<'_>,
    ) -> Result<(Clip, Read, RunReport), Error> {
        let model = job.host.model(&self.model)?;
        let read = job.host.motion(job.input, &self.reading)?;
        let gaps = joint_gaps(&read.marks.gaps);
        let (clip, performance) =
            perform_clip(&model, &read.clip, &gaps, config, job.progress).in_file(job.input)?;
        let report = RunReport { input: job.input.to_owned(), output: job.output.to_owned(), performance };
        Ok((clip, read, report))
    }
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = &self.performance;
        let frames = |count| counted(count, "frame");
        write!(f, "{} → {}: {}", self.input, self.output, frames(done.frames.len() + done.lost))?;
        let mut before: Option<(&str, &str, bool)> = None;
        for frame in &done.frames {
            let now = (frame.motion.as_str(), frame.piece.as_str(), frame.known);
            match before {
                Some(before) if before == now || !(before.2 || now.2) => continue,
                _ if now.2 => {
                    write!(
                        f,
                        "\n  {:>7.2} s  {} {}, actor's frame {}",
                        frame.t, now.0, now.1, frame.actor_frame
                    )?;
                }
                _ => write!(f, "\n  {:>7.2} s  nothing that was learned; the performer is shown", frame.t)?,
            }
            before = Some(now);
        }
        if !done.missing.is_empty() {
            write!(f, "\nthe performer has no {}; continued without", done.missing.join(", "))?;
        }
        write_losses(f, &done.losses, "continued without")?;
        if done.mirrored > 0 {
            write!(f, "\nfollowed as in a mirror in {}: the other hand or foot", frames(done.mirrored))?;
        }
        if done.lost_first > 0 {
            write!(f, "\nnothing of the body was seen in the first {}", frames(done.lost_first))?;
            write!(f, "; what is shown begins with the pose after them")?;
        }
        if done.lost > done.lost_first {
            let held = frames(done.lost - done.lost_first);
            write!(f, "\nnothing of the body was seen in {held}; the last pose was held")?;
        }
        Ok(())
    }
}
