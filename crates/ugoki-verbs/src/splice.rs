//! `splice`: joins motions end to start.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::held::Held;
use super::{Arguments, Error, Reading, reading_arguments, seams};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::Contacts;
use ugoki::edit::{
    FeetAt, MAX_CLIPS, Seam, SeamStep, SpliceConfig, SpliceError, SplicedClip, splice_captured,
};

/// Ask for motions one after another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion files in order; skeleton and rate are the first one's.
    pub inputs: Vec<String>,
    /// The file to write; `-` is standard output.
    pub output: String,
    /// How the seams are found and spread.
    #[serde(flatten)]
    pub config: SpliceConfig,
    /// Whether motions of another rate or skeleton are refused.
    #[serde(default)]
    pub strict: bool,
    /// How to read them.
    #[serde(default)]
    pub reading: Reading,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let usual = SpliceConfig::default();
        let given = |value: f64, usual: f64| (value.to_bits() != usual.to_bits()).then_some(value);
        let arguments = reading_arguments(&self.reading, Arguments::new("splice"))
            .option("output", Some(&self.output))
            .option("blend", given(self.config.blend_s, usual.blend_s))
            .option("trim", given(self.config.trim_s, usual.trim_s))
            .option("feet", (self.config.feet == FeetAt::Seams).then_some("seams"))
            .flag("strict", self.strict);
        self.inputs.iter().fold(arguments, |arguments, input| arguments.file(input)).finish()
    }
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

/// Motions as one, and the contacts of the result where it has legs.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The motion.
    pub clip: Clip,
    /// The sources' contacts, carried along.
    pub contacts: Option<Contacts>,
    /// What was done.
    pub report: Report,
}

/// Joins the motions on the first one's skeleton.
///
/// # Errors
/// When a motion cannot be brought onto the first one's skeleton or rate, has no frames, or the caller stops.
pub fn run(request: &Request, clips: &[&Clip], progress: Progress<'_>) -> Result<Done, Error> {
    if clips.len() < 2 {
        return Err(SpliceError::Count { clips: clips.len(), least: 2, most: MAX_CLIPS }.into());
    }
    if request.strict {
        refuse_others(clips)?;
    }
    let (moved, retargeted) = on_one_skeleton(clips, &request.reading, &mut |share| progress(0.3 * share))?;
    let captured: Vec<Cow<'_, Clip>> = clips.iter().map(|&clip| request.reading.applied(clip)).collect();
    let captured: Vec<&Clip> = captured.iter().map(AsRef::as_ref).collect();
    let clips: Vec<&Clip> = moved.iter().map(AsRef::as_ref).collect();
    let spliced =
        splice_captured(&clips, &captured, &request.config, &mut |share| progress(0.3 + 0.7 * share))?;
    let held = spliced.contacts.as_ref().and_then(|contacts| Held::of(&spliced.clip, &contacts.feet));
    let report = Report {
        inputs: request.inputs.clone(),
        output: request.output.clone(),
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
        held,
    };
    Ok(Done { clip: spliced.clip, contacts: spliced.contacts, report })
}

fn refuse_others(clips: &[&Clip]) -> Result<(), Error> {
    let [first, others @ ..] = clips else { return Ok(()) };
    for other in others {
        let message = if (other.fps() / first.fps() - 1.0).abs() > 1e-9 {
            format!("{:?} has {} frames per second, the first {}", other.name, other.fps(), first.fps())
        } else if **other.skeleton() != **first.skeleton() {
            format!("{:?} has another skeleton than the first", other.name)
        } else {
            continue;
        };
        let message = format!("{message}; leave out --strict to allow that");
        return Err(Error::Option { option: "--strict", message });
    }
    Ok(())
}

/// The clips on the first one's skeleton, and the names of those that had to be moved onto it. Added T-poses, which tell
/// how the bodies stand, go after that if they are to go.
fn on_one_skeleton<'a>(
    clips: &[&'a Clip],
    reading: &Reading,
    progress: Progress<'_>,
) -> Result<(Vec<Cow<'a, Clip>>, Vec<String>), Error> {
    let mut names = Vec::new();
    let mut moved = Vec::new();
    for (index, &clip) in clips.iter().enumerate() {
        if **clip.skeleton() == **clips[0].skeleton() {
            moved.push(reading.applied(clip));
            continue;
        }
        names.push(clip.name.clone());
        let share = |part: f32| (index as f32 + part) / clips.len() as f32;
        let onto = super::onto(clip, clips[0], &mut |part| progress(share(part)))?;
        moved.push(Cow::Owned(reading.apply(onto.clip)));
    }
    Ok((moved, names))
}

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
                    "\n  warning: the seam at {:.2} s shows; use a longer --blend or --trim, or motions in which the same feet stand there",
                    seam.at_s
                )?;
            }
        }
        if let Some(held) = &self.held {
            write!(f, "\n  {held}")?;
        }
        seams::tell(f, self.mended, self.strain, "motions", "use a longer --blend or --trim")?;
        if self.hips_mm > 0.05 {
            write!(f, "\n  hips shifted by up to {:.0} mm for feet that stand", self.hips_mm)?;
        }
        if self.slides > 0 {
            write!(f, "\n  {} contacts slide on purpose and were left alone", self.slides)?;
        }
        Ok(())
    }
}
