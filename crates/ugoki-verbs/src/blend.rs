//! `blend`: mixes motions.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::edit::FeetAt;
use ugoki::signal::{BlendConfig, BlendError, BlendReport, BlendWeights, TimeAlign, WeightCurve, blend};

use crate::inputs::{check_rate, in_file_at, onto_first, read_all};
use crate::seams;
use crate::words::plural;
use crate::{Error, Host, NewMotion, Reading, Verb};

/// Mixes any number of motions into one
///
/// Motions on another skeleton are moved onto the first one's. All are aligned in time and on the ground first; what has no
/// counterpart at their ends is left out, and feet that all of them plant stay where they are.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki blend walk.bvh run.bvh -o jog.bvh --weights 2,1\n  \
                        ugoki blend walk.bvh run.bvh -o speed-up.bvh --weights 0:1/3:0,0:0/3:1")]
pub struct Blend {
    /// Motion files; skeleton and rate are the first one's
    #[arg(required = true)]
    pub inputs: Vec<String>,

    /// File to write, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: String,

    /// One weight per motion, or keys TIME:WEIGHT/TIME:WEIGHT in seconds, or frames with an f [default: equal]
    #[arg(long, allow_hyphen_values = true, value_name = "W,W,…")]
    pub weights: Option<BlendWeights>,

    /// Match moments, places and planted feet first, or mix frame by frame as they are, up to the end of the shortest
    #[arg(long, value_enum, default_value = "time")]
    pub align: TimeAlign,

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

/// What mixing did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The inputs as named.
    pub inputs: Vec<String>,
    /// The output as named.
    pub output: String,
    /// Names of motions that were moved onto the first one's skeleton.
    pub retargeted: Vec<String>,
    /// Whether a weight is negative, so that the result goes beyond the motions.
    pub extrapolates: bool,
    /// Frames, alignment of each clip, feet kept still.
    #[serde(flatten)]
    pub blended: BlendReport,
}

impl Verb for Blend {
    type Report = Report;

    const ACTIVITY: &'static str = "blending";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        let Self { inputs, output, .. } = self;
        host.check_outputs(&inputs.iter().map(String::as_str).collect::<Vec<_>>(), &[output])?;
        host.check_format(output)?;
        let reads = read_all(inputs, &self.reading, host)?;
        let clips: Vec<&Clip> = reads.iter().map(|read| &read.clip).collect();
        let seconds = clips.iter().map(|clip| clip.seconds()).fold(0.0, f64::max);
        host.budget().check_result(seconds * clips[0].fps(), clips[0])?;
        let (clip, report) = self.blend(&clips, progress)?;
        host.write_motion(output, &NewMotion::new(&clip, &reads[0]))?;
        Ok(report)
    }
}

impl Blend {
    /// Mixes the motions of the inputs with the exact mean: aligned in time and on the ground with planted feet kept, or,
    /// without alignment, frame by frame as they are.
    ///
    /// # Errors
    /// When skeletons or weights do not fit, or the caller stops.
    pub fn blend(&self, clips: &[&Clip], progress: Progress<'_>) -> Result<(Clip, Report), Error> {
        let (moved, retargeted) = if self.strict {
            for (file, clip) in self.inputs.iter().zip(clips) {
                check_rate(file, clip, clips[0])?;
            }
            (clips.iter().map(|clip| self.reading.applied(clip)).collect(), Vec::new())
        } else {
            onto_first(&self.inputs, clips, &self.reading, &mut |part| progress(0.3 * part))?
        };
        let clips: Vec<&Clip> = moved.iter().map(AsRef::as_ref).collect();
        let weights = self.weights.clone().unwrap_or_else(|| BlendWeights::equal(clips.len()));
        let weights = weights
            .curves(clips.first().map_or(1.0, |clip| clip.fps()))
            .map_err(|error| Error::option("--weights", error.to_string()))?;
        // Without alignment it is the plain mean of frame and frame: two motions at half weight are their slerp.
        let base = match self.align {
            TimeAlign::Time => BlendConfig::new(&[]),
            TimeAlign::None => BlendConfig::plain(&[]),
        };
        let keep_contacts = seams::are_feet_held(self.feet)? && base.keep_contacts;
        let config = BlendConfig { weights, keep_contacts, ..base };
        let blended = blend(&clips, &config, &mut |part| progress(0.3 + 0.7 * part)).map_err(|error| {
            let index = error.clip();
            let error = match error {
                BlendError::Skeleton { difference, .. } if self.strict => {
                    let message = format!("has another skeleton than the first: {difference}");
                    Error::option("--strict", message)
                        .hint("leave out --strict to have it moved onto the first one's")
                }
                error => error.into(),
            };
            in_file_at(error, &self.inputs, index)
        })?;
        let negative = |curve: &WeightCurve| curve.keys().iter().any(|key| key.weight < 0.0);
        let report = Report {
            inputs: self.inputs.clone(),
            output: self.output.clone(),
            retargeted,
            extrapolates: config.weights.iter().any(negative),
            blended: blended.report,
        };
        Ok((blended.clip, report))
    }
}

impl crate::Report for Report {}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = self.blended.frames;
        let (inputs, word) = (self.inputs.join(" + "), plural(frames, "frame"));
        write!(f, "{inputs} → {}: {frames} {word}", self.output)?;
        for clip in &self.blended.clips {
            write!(f, "\n  {:<24} {}", clip.name, clip.note())?;
        }
        if !self.retargeted.is_empty() {
            write!(f, "\n  on the first one's skeleton: {}", self.retargeted.join(", "))?;
        }
        if self.extrapolates {
            write!(f, "\n  with negative weights the result goes beyond the motions; look at it")?;
        }
        self.blended.notes().iter().try_for_each(|note| write!(f, "\n  {note}"))
    }
}
