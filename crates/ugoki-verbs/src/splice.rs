//! `splice`: joins motions end to start.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::Contacts;
use ugoki::edit::{
    FeetAt, MAX_CLIPS, Seam, SeamStep, SpliceConfig, SpliceError, SplicedClip, splice_captured,
};

use crate::held::Held;
use crate::inputs::{check_rate, in_file_at, onto_first, read_all};
use crate::{Error, Host, NewMotion, Reading, Verb, seams};

/// Joins motions end to start into one
///
/// Each motion is turned and shifted over the ground to go on where the one before ends. The frames on both sides of a
/// seam are bent to meet in place and velocity, and feet that stand stay where they are. Motions on another skeleton
/// are moved onto the first one's.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki splice walk.bvh stepdown.bvh walk.bvh -o out.bvh\n  \
                        ugoki splice a.bvh b.bvh -o out.glb --blend 0.4 --max-trim 0")]
pub struct Splice {
    /// Motion files in order; skeleton and rate are the first one's
    #[arg(required = true)]
    pub inputs: Vec<String>,

    /// File to write, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: String,

    /// How long each seam is spread: half before it, half after
    #[arg(long = "blend", value_name = "SECONDS", default_value_t = SpliceConfig::default().blend_s, allow_hyphen_values = true)]
    pub blend_s: f64,

    /// Most that may be left out on each side of a seam, where the motions meet better there; 0 joins the last frame to
    /// the first
    #[arg(long = "max-trim", alias = "trim", value_name = "SECONDS", default_value_t = SpliceConfig::default().trim_s)]
    pub trim_s: f64,

    /// Which standing feet are held
    #[arg(long, value_enum, default_value = "all")]
    pub feet: FeetAt,

    /// Refuse motions of another rate or skeleton instead of adapting them
    #[arg(long)]
    pub strict: bool,

    /// How to read the inputs.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What joining did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The inputs as named.
    pub inputs: Vec<String>,
    /// The output as named.
    pub output: String,
    /// Frames of the result.
    pub frames: usize,
    /// Its length, seconds.
    pub seconds: f64,
    /// Names of motions that were moved onto the first one's skeleton.
    pub retargeted: Vec<String>,
    /// What became of every motion.
    pub clips: Vec<SplicedClip>,
    /// Every seam.
    pub seams: Vec<Seam>,
    /// What changes from frame to frame in the motions themselves: 99 % of their steps stay under it.
    pub ordinary: SeamStep,
    /// Largest shift of the hips for feet that stand, millimetres.
    pub hips_mm: f64,
    /// Contacts that were not kept because the foot slides on purpose.
    pub slides: usize,
    /// Frames in which hips jumped away and back over standing feet, put between their neighbours.
    pub mended: usize,
    /// How many times more than the motions ever do, as they were captured, the result asks of the legs: of knees' speed or of room
    /// between them.
    pub strain: f64,
    /// How the contacts that are held compare with those that `convert` finds in the result.
    pub held: Option<Held>,
}

/// The joined motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The motion.
    pub clip: Clip,
    /// Frames in which heels and toes are held; `None` without legs or when no foot is held.
    pub contacts: Option<Contacts>,
    /// What was done.
    pub report: Report,
}

impl Verb for Splice {
    type Report = Report;

    const ACTIVITY: &'static str = "splicing";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        let Self { inputs, output, .. } = self;
        host.check_outputs(&inputs.iter().map(String::as_str).collect::<Vec<_>>(), &[output])?;
        host.check_format(output)?;
        let reads = read_all(inputs, &self.reading, host)?;
        let clips: Vec<&Clip> = reads.iter().map(|read| &read.clip).collect();
        let Done { clip, contacts, report } = self.splice(&clips, progress)?;
        let contacts = contacts.map(|found| found.feet);
        host.write_motion(output, &NewMotion { contacts, ..NewMotion::new(&clip, &reads[0]) })?;
        Ok(report)
    }
}

impl Splice {
    /// Joins the motions of the inputs on the first one's skeleton.
    ///
    /// # Errors
    /// When a motion cannot be brought onto the first one's skeleton or rate, has no frames, or the caller stops.
    pub fn splice(&self, clips: &[&Clip], progress: Progress<'_>) -> Result<Done, Error> {
        let Self { inputs, reading, .. } = self;
        if clips.len() < 2 {
            return Err(SpliceError::Count { clips: clips.len(), least: 2, most: MAX_CLIPS }.into());
        }
        for (file, clip) in inputs.iter().zip(clips).filter(|_| self.strict) {
            check_rate(file, clip, clips[0])?;
            if **clip.skeleton() != **clips[0].skeleton() {
                return Err(Error::option("--strict", "has another skeleton than the first")
                    .hint("leave out --strict to allow that")
                    .in_file(file));
            }
        }
        let (moved, retargeted) = onto_first(inputs, clips, reading, &mut |part| progress(0.3 * part))?;
        let captured: Vec<Cow<'_, Clip>> = clips.iter().map(|&clip| reading.applied(clip)).collect();
        let captured: Vec<&Clip> = captured.iter().map(AsRef::as_ref).collect();
        let moved: Vec<&Clip> = moved.iter().map(AsRef::as_ref).collect();
        let config = SpliceConfig { blend_s: self.blend_s, trim_s: self.trim_s, feet: self.feet };
        let spliced = splice_captured(&moved, &captured, &config, &mut |part| progress(0.3 + 0.7 * part))
            .map_err(|error| {
                let index = error.clip();
                in_file_at(error.into(), inputs, index)
            })?;
        let contacts = spliced.contacts.filter(|_| self.feet != FeetAt::Free);
        let report = Report {
            inputs: inputs.clone(),
            output: self.output.clone(),
            frames: spliced.clip.num_frames(),
            seconds: spliced.clip.seconds(),
            retargeted,
            clips: spliced.clips,
            seams: spliced.seams,
            ordinary: spliced.ordinary,
            hips_mm: 1e3 * spliced.hips_m,
            slides: spliced.slides,
            mended: spliced.mended,
            strain: spliced.strain,
            held: contacts.as_ref().and_then(|contacts| Held::of(&spliced.clip, &contacts.feet)),
        };
        Ok(Done { clip: spliced.clip, contacts, report })
    }
}

impl crate::Report for Report {}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} → {}: {} frames, {:.2} s",
            self.inputs.join(" + "),
            self.output,
            self.frames,
            self.seconds
        )?;
        for clip in &self.clips {
            let [x, y, z] = clip.shift_m;
            write!(f, "\n  {:<24} from frame {}", clip.name, clip.start)?;
            if clip.turn_deg != 0.0 || clip.shift_m != [0.0; 3] {
                write!(f, ", turned {:.1}°, moved {:.2} m", clip.turn_deg, x.hypot(z))?;
            }
            if y != 0.0 {
                write!(f, ", {:.2} m {}", y.abs(), if y > 0.0 { "up" } else { "down" })?;
            }
            for (seconds, end) in clip.trimmed_s.iter().zip(["start", "end"]).filter(|(s, _)| **s > 0.0) {
                write!(f, ", {seconds:.2} s at its {end} left out")?;
            }
            if clip.resampled {
                write!(f, ", brought to the first one's rate")?;
            }
        }
        if !self.retargeted.is_empty() {
            write!(f, "\n  on the first one's skeleton: {}", self.retargeted.join(", "))?;
        }
        let o = &self.ordinary;
        for seam in &self.seams {
            let s = &seam.after;
            write!(
                f,
                "\n  seam at {:.2} s: step {:.1} mm (ordinary {:.1}), velocity changes by {:.0} mm/s ({:.0}), joints turn {:.1}° ({:.1})",
                seam.at_s,
                s.position_mm,
                o.position_mm,
                s.velocity_mm_s,
                o.velocity_mm_s,
                s.rotation_deg,
                o.rotation_deg
            )?;
            if !s.within(o) {
                write!(
                    f,
                    "\n  warning: the seam at {:.2} s shows; use a longer --blend or --max-trim, or motions in which the same feet stand there",
                    seam.at_s
                )?;
            }
        }
        if let Some(held) = &self.held {
            write!(f, "\n  {held}")?;
        }
        seams::tell(f, self.mended, self.strain, "motions", "use a longer --blend or --max-trim")?;
        if self.hips_mm > 0.05 {
            write!(f, "\n  hips shifted by up to {:.0} mm for feet that stand", self.hips_mm)?;
        }
        if self.slides > 0 {
            write!(f, "\n  {} contacts slide on purpose and were left alone", self.slides)?;
        }
        Ok(())
    }
}
