//! `loop`: finds and closes a cycle.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::edit::{CycleConfig, CycleReport, Drift, FeetAt, Pick, Straight, loop_clip};
use ugoki::formats::Read;

use crate::motion_verb::{Made, MotionVerb};
use crate::{Error, Host, Output, Reading, Span, seams};

/// Finds the best cycle of a motion and closes it without a seam
///
/// Of a walk or run that is one stride, straight where one is; of hops one hop; of other motions the longest interval that comes back to how it began. A walk that
/// is repeated walks on. Ends with 1 when nothing in the motion comes back.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  ugoki loop walk.bvh cycle.glb\n  ugoki loop walk.bvh far.bvh --cycles 5\n  \
                        ugoki loop walk.bvh cycle.bvh --range 33f:173f --in-place"
)]
pub struct Loop {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,

    /// The cycle: its first moment, and the one that should look like it
    #[arg(long, value_name = "A:B")]
    pub range: Option<Span>,

    /// The cycle that covers most of the motion, also of a walk
    #[arg(long, conflicts_with = "range")]
    pub longest: bool,

    /// Whether a stride must go straight, turning by at most 10°: auto takes a straight one if its seam is at most 1.5 times the
    /// best
    #[arg(
        long,
        value_enum,
        value_name = "auto|yes|no",
        default_value = "auto",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "yes"
    )]
    pub straight: StraightCycle,

    /// How many repeats to write
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub cycles: usize,

    /// How long each seam is spread: half at the end of the cycle, half at its start
    #[arg(long = "blend", value_name = "SECONDS", default_value_t = CycleConfig::default().blend_s, allow_hyphen_values = true)]
    pub blend_s: f64,

    /// Take the travel out, as on a treadmill
    #[arg(long)]
    pub in_place: bool,

    /// Which standing feet are held
    #[arg(long, value_enum, default_value = "all")]
    pub feet: FeetAt,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// Whether a stride must go straight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum StraightCycle {
    /// If its seam is nearly as good as the best.
    #[value(help = None)]
    Auto,
    /// If there is one.
    #[value(help = None)]
    Yes,
    /// The best seam, wherever it leads.
    #[value(help = None)]
    No,
}

impl From<StraightCycle> for Straight {
    fn from(straight: StraightCycle) -> Self {
        match straight {
            StraightCycle::Auto => Self::Auto,
            StraightCycle::Yes => Self::Yes,
            StraightCycle::No => Self::No,
        }
    }
}

/// What was found and closed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// The cycle and its seam.
    #[serde(flatten)]
    pub cycle: CycleReport,
}

impl MotionVerb for Loop {
    type Report = Report;

    const ACTIVITY: &'static str = "looping";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn make(
        &self,
        [input, output]: [&str; 2],
        read: &Read,
        _: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Made<Report>, Error> {
        let clip = &read.clip;
        let config = CycleConfig {
            pick: if self.longest { Pick::Longest } else { Pick::Best },
            straight: self.straight.into(),
            blend_s: self.blend_s,
            drift: if self.in_place { Drift::Remove } else { Drift::Keep },
            cycles: self.cycles,
            feet: self.feet,
            ..CycleConfig::default()
        };
        let range = self.range.as_ref().map(|range| range.frames(clip)).transpose()?;
        let (looped, cycle) = loop_clip(clip, range, &config, progress)?;
        let frames = 0..looped.clip.num_frames();
        Ok(Made {
            clip: looped.clip,
            contacts: looped.contacts.map(|found| found.feet),
            loop_frames: Some(frames),
            report: Report { input: input.to_owned(), output: output.to_owned(), cycle },
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = &self.cycle;
        let what = if done.is_stride { "stride" } else { "cycle" };
        write!(
            f,
            "{} → {}: {what} of {:.3} s ({} frames), {:.3} to {:.3} s, written {} times\n{}",
            self.input,
            self.output,
            done.seconds,
            done.frames,
            done.start_s,
            done.end_s,
            done.cycles,
            done.table()
        )?;
        if !done.seam.within(&done.ordinary) {
            write!(
                f,
                "\n  warning: the seam shows; use a longer --blend, or another cycle with --range or --longest"
            )?;
        }
        seams::write_strain(f, done.mended, done.strain, "motion", "use a longer --blend, or --feet seam")?;
        if let Some(held) = &done.held {
            write!(f, "\n  {held}")?;
        }
        write!(f, "\n  {}", done.travel_note())
    }
}
