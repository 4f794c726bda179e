//! `loop`: finds and closes a cycle.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::edit::{Cycle, CycleConfig, Drift, FeetAt, Pick, SeamStep, close_cycle, find_cycle};
use ugoki::formats::Read;

use crate::held::Held;
use crate::motion_verb::{Made, MotionVerb};
use crate::{Error, Host, Output, Reading, Span, seams};

/// Finds the best cycle of a motion and closes it without a seam
///
/// Of a walk or run that is one stride; of other motions the longest interval that comes back to how it began. A walk that
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

/// What was found and closed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// First moment of the cycle in the input, seconds.
    pub start_s: f64,
    /// The moment that looks like it, seconds.
    pub end_s: f64,
    /// Length of the cycle, seconds.
    pub seconds: f64,
    /// Length of the cycle, frames.
    pub frames: usize,
    /// Repeats written.
    pub cycles: usize,
    /// Whether the cycle is one stride of a gait.
    pub is_stride: bool,
    /// How far the cycle's ends were apart, metres of pose and velocity together; `null` when that is not known.
    pub gap_m: f64,
    /// Step from the last frame to the first of the next repeat.
    pub seam: SeamStep,
    /// The same had the cycle only been cut out.
    pub cut: SeamStep,
    /// What changes from frame to frame in the input: 99 % of its steps stay under it.
    pub ordinary: SeamStep,
    /// Way from one repeat to the next, metres: x, y, z.
    pub travel_m: [f32; 3],
    /// Turn about the vertical from one repeat to the next, degrees.
    pub turn_deg: f32,
    /// Frames in which hips jumped away and back over standing feet, put between their neighbours.
    pub mended: usize,
    /// How many times more than the input ever does the cycle asks of the legs: of knees' speed or of room between them.
    pub strain: f64,
    /// How the contacts that are held compare with those that `convert` finds in the result.
    pub held: Option<Held>,
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
            blend_s: self.blend_s,
            drift: if self.in_place { Drift::Remove } else { Drift::Keep },
            cycles: self.cycles,
            feet: self.feet,
            ..CycleConfig::default()
        };
        let contacts = find_contacts(clip, &ContactConfig::default()).ok();
        let cycle = match &self.range {
            None => find_cycle(clip, contacts.as_ref(), &config, &mut |part| progress(0.5 * part))?,
            Some(range) => {
                let frames = range.frames(clip)?;
                // An added T-pose is no part of a motion.
                let start = frames.start.max(clip.motion_frames().start);
                Cycle::forced(clip, contacts.as_ref(), start..frames.end.max(start))
            }
        };
        let looped = close_cycle(clip, contacts.as_ref(), &cycle.frames, &config, &mut |part| {
            progress(0.5 + 0.5 * part)
        })?;
        let contacts = looped.contacts.filter(|_| self.feet != FeetAt::Free);
        let fps = clip.fps();
        let second = |frame: usize| (frame + clip.first_row()) as f64 / fps;
        let start = clip.root().get(cycle.frames.start);
        let report = Report {
            input: input.to_owned(),
            output: output.to_owned(),
            start_s: second(cycle.frames.start),
            end_s: second(cycle.frames.end),
            seconds: looped.period as f64 / fps,
            frames: looped.period,
            cycles: self.cycles,
            is_stride: cycle.is_stride,
            gap_m: cycle.gap_m,
            seam: looped.seam,
            cut: looped.before,
            ordinary: looped.ordinary,
            travel_m: (looped.offset.point(start) - start).to_array(),
            turn_deg: looped.offset.yaw.to_degrees(),
            mended: looped.mended,
            strain: looped.strain,
            held: contacts.as_ref().and_then(|contacts| Held::of(&looped.clip, &contacts.feet)),
        };
        let frames = 0..looped.clip.num_frames();
        Ok(Made {
            clip: looped.clip,
            contacts: contacts.map(|found| found.feet),
            loop_frames: Some(frames),
            report,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_stride { "stride" } else { "cycle" };
        write!(
            f,
            "{} → {}: {what} of {:.3} s ({} frames), {:.3} to {:.3} s, written {} times",
            self.input, self.output, self.seconds, self.frames, self.start_s, self.end_s, self.cycles
        )?;
        let (s, c, o) = (&self.seam, &self.cut, &self.ordinary);
        write!(f, "\n  {:<24} {:>10} {:>10} {:>10}", "over the seam", "cut", "closed", "ordinary")?;
        for (name, cut, closed, usual) in [
            ("step, mm", c.position_mm, s.position_mm, o.position_mm),
            ("velocity change, mm/s", c.velocity_mm_s, s.velocity_mm_s, o.velocity_mm_s),
            ("joint turn, °", c.rotation_deg, s.rotation_deg, o.rotation_deg),
        ] {
            write!(f, "\n  {name:<24} {cut:>10.2} {closed:>10.2} {usual:>10.2}")?;
        }
        if !s.within(o) {
            write!(
                f,
                "\n  warning: the seam shows; use a longer --blend, or another cycle with --range or --longest"
            )?;
        }
        seams::tell(f, self.mended, self.strain, "motion", "use a longer --blend, or --feet seam")?;
        if let Some(held) = &self.held {
            write!(f, "\n  {held}")?;
        }
        let [x, y, z] = self.travel_m;
        if self.travel_m == [0.0; 3] && self.turn_deg == 0.0 {
            return write!(f, "\n  every repeat stays in its place");
        }
        write!(f, "\n  every repeat goes on by {:.2} m", x.hypot(z))?;
        if y != 0.0 {
            write!(f, ", {:.2} m {}", y.abs(), if y > 0.0 { "up" } else { "down" })?;
        }
        if self.turn_deg != 0.0 {
            write!(f, ", turned {:.1}°", self.turn_deg)?;
        }
        Ok(())
    }
}
