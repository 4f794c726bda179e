//! `loop`: finds and closes a cycle.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::edit::{CycleConfig, CycleReport, Drift, FeetAt, Pick, Straight, loop_clip};
use ugoki::formats::Read;

use crate::motion_verb::{Job, Made, MotionReport, MotionVerb};
use crate::{Error, Output, Reading, Span, seams};

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
    pub straight: Straight,

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

impl MotionVerb for Loop {
    type Report = CycleReport;

    const ACTIVITY: &'static str = "looping";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn make(&self, read: &Read, job: &mut Job<'_>) -> Result<Made<CycleReport>, Error> {
        let clip = &read.clip;
        let config = CycleConfig {
            pick: if self.longest { Pick::Longest } else { Pick::Best },
            straight: self.straight,
            blend_s: self.blend_s,
            drift: if self.in_place { Drift::Remove } else { Drift::Keep },
            cycles: self.cycles,
            feet: self.feet,
            ..CycleConfig::default()
        };
        let range = self.range.as_ref().map(|range| range.frames(clip)).transpose()?;
        let budget = job.host.budget();
        let repeats = |frames: usize| frames as f64 * self.cycles as f64;
        if budget.check_result(repeats(clip.num_frames()), clip).is_err() {
            // The cycle is only a part of the clip; once it is found, the result can be estimated.
            let once = CycleConfig { cycles: 1, ..config };
            let (once, _) = loop_clip(clip, range.clone(), &once, &mut |part| (job.progress)(0.5 * part))?;
            budget.check_result(repeats(once.period), clip)?;
        }
        let (looped, report) = loop_clip(clip, range, &config, job.progress)?;
        let frames = 0..looped.clip.num_frames();
        Ok(Made {
            clip: looped.clip,
            contacts: looped.contacts.map(|found| found.feet),
            loop_frames: Some(frames),
            report,
        })
    }
}

impl MotionReport for CycleReport {
    fn text(&self, [input, output]: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_stride { "stride" } else { "cycle" };
        write!(
            f,
            "{input} → {output}: {what} of {:.3} s ({} frames), {:.3} to {:.3} s, written {} times\n{}",
            self.seconds,
            self.frames,
            self.start_s,
            self.end_s,
            self.cycles,
            self.table()
        )?;
        if !self.seam.within(&self.ordinary) {
            write!(
                f,
                "\n  warning: the seam shows; use a longer --blend, or another cycle with --range or --longest"
            )?;
        }
        seams::write_strain(f, self.mended, self.strain, "motion", "use a longer --blend, or --feet seam")?;
        if let Some(held) = &self.held {
            write!(f, "\n  {held}")?;
        }
        write!(f, "\n  {}", self.travel_note())
    }
}
