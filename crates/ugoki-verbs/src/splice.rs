//! `splice`: joins motions end to start.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::Contacts;
use ugoki::edit::{FeetAt, MAX_CLIPS, Seam, SpliceConfig, SpliceError, SpliceReport, splice_from};

use crate::error::InFile as _;
use crate::inputs::{check_rate, in_file_at, onto_first, read_all};
use crate::{Error, Host, NewMotion, Reading, Verb, seams};

/// Tags, as importing sets them, of motions that steps, starts and stops are taken from.
const TAGS: [&str; 3] = ["moving", "in-place", "turn-in-place"];

/// Motions of each tag that are considered at most.
const MOST_TAGGED: usize = 256;

/// Joins motions end to start into one
///
/// Each motion is turned and shifted over the ground to go on where the one before ends. The frames on both sides of a
/// seam are bent to meet in place and velocity, and feet that stand stay where they are. Motions on another skeleton
/// are moved onto the first one's.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki splice walk.bvh stepdown.bvh walk.bvh -o out.bvh\n  \
                        ugoki splice a.bvh b.bvh -o out.glb --blend 0.4 --max-trim 0\n  \
                        ugoki splice run.bvh wave.bvh -o out.bvh --from moves.ugoki")]
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
    #[arg(long = "max-trim", value_name = "SECONDS", default_value_t = SpliceConfig::default().trim_s, allow_negative_numbers = true)]
    pub trim_s: f64,

    /// Database with captured steps, starts and stops; where no cut lets the hips follow, at most 1.5 s of one of its
    /// motions is inserted
    #[arg(long, value_name = "DB")]
    pub from: Option<String>,

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
    /// Every motion and every seam.
    #[serde(flatten)]
    pub splice: SpliceReport,
    /// Seams that show or that no body could follow: what, where, how much, what to do.
    pub warnings: Vec<String>,
}

/// Warnings about one seam.
fn warnings(seam: &Seam, done: &SpliceReport) -> Vec<String> {
    let mut out = Vec::new();
    if !seam.after.within(&done.ordinary) {
        out.push(format!(
            "the seam at {:.2} s shows; use a longer --blend or --max-trim, or motions in which the same feet stand there",
            seam.at_s
        ));
    }
    let limit = done.sources.hips_limit_m_s2();
    if seam.body.hips_m_s2 > limit {
        out.push(format!(
            "the hips accelerate by {:.1} m/s² at {:.2} s, next to the seam at {:.2} s (limit {limit:.1}, motions {:.1}); use a longer --blend or \
             --max-trim, or --from with a database that has a start or stop between the motions",
            seam.body.hips_m_s2, seam.body.hips_at_s, seam.at_s, done.sources.hips_m_s2
        ));
    }
    out
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
        host.check_outputs(
            &inputs.iter().chain(&self.from).map(String::as_str).collect::<Vec<_>>(),
            &[output],
        )?;
        host.check_format(output)?;
        let reads = read_all(inputs, &self.reading, host)?;
        let clips: Vec<&Clip> = reads.iter().map(|read| &read.clip).collect();
        let bridges = self.bridges(host)?;
        let frames = clips.iter().map(|clip| clip.seconds() * clips[0].fps()).sum();
        host.budget().check_result(frames, clips[0])?;
        let Done { clip, contacts, report } = self.splice(&clips, &bridges, progress)?;
        let contacts = contacts.map(|found| found.feet);
        host.write_motion(output, &NewMotion { contacts, ..NewMotion::new(&clip, &reads[0]) })?;
        Ok(report)
    }
}

impl Splice {
    /// The motions of the database that may be inserted.
    fn bridges(&self, host: &mut dyn Host) -> Result<Vec<Clip>, Error> {
        let Some(database) = &self.from else { return Ok(Vec::new()) };
        let clips = host.database(database)?.tagged_clips(&TAGS, MOST_TAGGED).in_file(database)?;
        if clips.is_empty() {
            return Err(Error::refused("has no clip that moves, steps or turns").in_file(database));
        }
        Ok(clips)
    }

    /// Joins the motions of the inputs on the first one's skeleton; `bridges` are motions of which parts may be inserted.
    ///
    /// # Errors
    /// When a motion cannot be brought onto the first one's skeleton or rate, has no frames, or the caller stops.
    pub fn splice(&self, clips: &[&Clip], bridges: &[Clip], progress: Progress<'_>) -> Result<Done, Error> {
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
        let mut spliced =
            splice_from(&moved, &captured, bridges, &config, &mut |part| progress(0.3 + 0.7 * part))
                .map_err(|error| {
                    let index = error.clip();
                    in_file_at(error.into(), inputs, index)
                })?;
        spliced.contacts = spliced.contacts.filter(|_| self.feet != FeetAt::Free);
        let splice = spliced.report(retargeted);
        let warnings = splice.seams.iter().flat_map(|seam| warnings(seam, &splice)).collect();
        let report = Report { inputs: inputs.clone(), output: self.output.clone(), splice, warnings };
        Ok(Done { clip: spliced.clip, contacts: spliced.contacts, report })
    }
}

impl crate::Report for Report {}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = &self.splice;
        let inputs = self.inputs.join(" + ");
        write!(f, "{inputs} → {}: {} frames, {:.2} s", self.output, done.frames, done.seconds)?;
        done.clips.iter().try_for_each(|clip| write!(f, "\n  {:<24} {}", clip.name, clip.note()))?;
        if !done.retargeted.is_empty() {
            write!(f, "\n  on the first one's skeleton: {}", done.retargeted.join(", "))?;
        }
        for seam in &done.seams {
            write!(f, "\n  {}\n    {}", seam.note(&done.ordinary), seam.body_note(&done.sources))?;
            for warning in warnings(seam, done) {
                write!(f, "\n  warning: {warning}")?;
            }
        }
        if let Some(held) = &done.held {
            write!(f, "\n  {held}")?;
        }
        seams::write_strain(f, done.mended, done.strain, "motions", "use a longer --blend or --max-trim")?;
        if done.hips_mm > 0.05 {
            write!(f, "\n  hips shifted by up to {:.0} mm for feet that stand", done.hips_mm)?;
        }
        if done.slides > 0 {
            write!(f, "\n  {} contacts slide on purpose and were left alone", done.slides)?;
        }
        Ok(())
    }
}
