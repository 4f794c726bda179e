//! `loop`: finds and closes a cycle.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::held::Held;
use super::{Arguments, Error, Reading, Span, reading_arguments, seams};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, Contacts, find_contacts};
use ugoki::edit::{Cycle, CycleConfig, Drift, FeetAt, Pick, SeamStep, close_cycle, find_cycle};

/// Ask for a loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion file.
    pub input: String,
    /// The file to write; `-` is standard output.
    pub output: String,
    /// The cycle, when it is known; found otherwise.
    #[serde(default)]
    pub range: Option<Span>,
    /// Whether the cycle that covers most of the motion is wanted.
    #[serde(default)]
    pub longest: bool,
    /// How many repeats to write.
    #[serde(default = "once")]
    pub cycles: usize,
    /// How long the seam is spread, seconds.
    #[serde(default = "blend")]
    pub blend_s: f64,
    /// Whether the travel is taken out.
    #[serde(default)]
    pub in_place: bool,
    /// Which standing feet are held.
    #[serde(default)]
    pub feet: FeetAt,
    /// How to read it.
    #[serde(default)]
    pub reading: Reading,
}

fn once() -> usize {
    1
}

fn blend() -> f64 {
    CycleConfig::default().blend_s
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        reading_arguments(&self.reading, Arguments::new("loop"))
            .option("range", self.range)
            .flag("longest", self.longest)
            .option("cycles", (self.cycles != 1).then_some(self.cycles))
            .option("blend", (self.blend_s.to_bits() != blend().to_bits()).then_some(self.blend_s))
            .flag("in-place", self.in_place)
            .option("feet", (self.feet == FeetAt::Seams).then_some("seams"))
            .file(&self.input)
            .file(&self.output)
            .finish()
    }
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

/// The loop and what a file may say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The motion.
    pub clip: Clip,
    /// Its contacts, where it has legs.
    pub contacts: Option<Contacts>,
    /// What was done.
    pub report: Report,
}

/// Finds a cycle, or takes the one asked for, closes and repeats it.
///
/// # Errors
/// When nothing in the motion comes back, the range does not fit, or the caller stops.
pub fn run(request: &Request, clip: &Clip, progress: Progress<'_>) -> Result<Done, Error> {
    let config = CycleConfig {
        pick: if request.longest { Pick::Longest } else { Pick::Best },
        blend_s: request.blend_s,
        drift: if request.in_place { Drift::Remove } else { Drift::Keep },
        cycles: request.cycles,
        feet: request.feet,
        ..CycleConfig::default()
    };
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let cycle = match &request.range {
        None => find_cycle(clip, contacts.as_ref(), &config, &mut |share| progress(0.5 * share))?,
        Some(range) => {
            let frames = range.frames(clip)?;
            // An added T-pose is no part of a motion.
            let start = frames.start.max(clip.motion_frames().start);
            Cycle::forced(clip, contacts.as_ref(), start..frames.end.max(start))
        }
    };
    let looped = close_cycle(clip, contacts.as_ref(), &cycle.frames, &config, &mut |share| {
        progress(0.5 + 0.5 * share)
    })?;
    let fps = clip.fps();
    let second = |frame: usize| (frame + clip.first_row()) as f64 / fps;
    let start = clip.root().get(cycle.frames.start);
    let report = Report {
        input: request.input.clone(),
        output: request.output.clone(),
        start_s: second(cycle.frames.start),
        end_s: second(cycle.frames.end),
        seconds: looped.period as f64 / fps,
        frames: looped.period,
        cycles: request.cycles,
        is_stride: cycle.is_stride,
        gap_m: cycle.gap_m,
        seam: looped.seam,
        cut: looped.before,
        ordinary: looped.ordinary,
        travel_m: (looped.offset.point(start) - start).to_array(),
        turn_deg: looped.offset.yaw.to_degrees(),
        mended: looped.mended,
        strain: looped.strain,
        held: looped.contacts.as_ref().and_then(|contacts| Held::of(&looped.clip, &contacts.feet)),
    };
    Ok(Done { clip: looped.clip, contacts: looped.contacts, report })
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
        seams::tell(f, self.mended, self.strain, "motion", "use a longer --blend, or --feet seams")?;
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
