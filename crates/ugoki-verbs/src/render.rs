//! `render`: a picture of a motion.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::picture::{Forces, MotionPicture, Picture, PictureSize, View, draw_motion, reaction_forces};
use ugoki::react::{ReactionTrace, TraceError};

use crate::error::InFile as _;
use crate::host::{extension, stem};
use crate::motion_verb::{Job, OneOrMany, Results, each, results};
use crate::{Error, Host, Output, Reading, Span, Verb};

/// Draws a motion: contact sheet (.png), vector drawing (.svg) or animation (.gif)
#[derive(Debug, Clone, PartialEq, Default, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki render walk.bvh walk.png --frames 8\n  \
                        ugoki render kick.bvh kick.gif --view side --size 480x360\n  \
                        ugoki render captures/ -o pictures/ --to gif")]
pub struct Render {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Picture to write: .png, .svg or .gif.
    #[command(flatten)]
    pub output: Output,

    /// Format of the files: in the folder, or on standard output [default: png]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Picture>,

    /// How many poses to show
    #[arg(long, value_name = "N")]
    pub frames: Option<usize>,

    /// Width, or width and height, in pixels
    #[arg(long, value_name = "W[xH]")]
    pub size: Option<PictureSize>,

    /// From where it is seen
    #[arg(long, value_enum, default_value = "three-quarter")]
    pub view: View,

    /// Draw corrections, ZMP and support polygon of a report that `react --report` wrote
    #[arg(long, value_name = "REPORT.json")]
    pub forces: Option<String>,

    /// With --forces: the motion that was followed, drawn in grey; the report's input when not given
    #[arg(long, value_name = "FILE", requires = "forces")]
    pub target: Option<String>,

    /// Only this interval: seconds, or frames with an f
    #[arg(long, value_name = "A:B")]
    pub trim: Option<Span>,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What was drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// Size of the picture file.
    pub bytes: usize,
}

impl Verb for Render {
    type Report = OneOrMany<Report>;

    const ACTIVITY: &'static str = "drawing";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Self::Report, Error> {
        let Self { input, output, .. } = self;
        if self.forces.is_some() && host.is_folder(input) {
            return Err(Error::option("--forces", "is about one motion").hint("name its file, not a folder"));
        }
        match results(
            std::slice::from_ref(input),
            output,
            |_| self.to.unwrap_or(Picture::Png).ending(),
            host,
        )? {
            Results::One([_, file]) if self.to.is_some() && file != "-" && file == output.0 => {
                Err(Error::option("--to", "is for pictures in a folder or on standard output")
                    .hint("leave it out; the ending of the file gives its format"))
            }
            Results::One([input, output]) => {
                self.one(Job { input: &input, output: &output, host, progress }).map(OneOrMany::One)
            }
            Results::Folder(names) => each(&names, host, progress, |job| self.one(job)),
        }
    }
}

impl Render {
    /// Reads a motion, draws it and writes the picture.
    fn one(&self, Job { input, output, host, progress }: Job<'_>) -> Result<Report, Error> {
        let side_files = [&self.forces, &self.target].into_iter().flatten().map(String::as_str);
        host.check_outputs(&side_files.chain([input]).collect::<Vec<_>>(), &[output])?;
        let read = host.motion(input, &self.reading)?;
        let forces = self.forces.as_deref().map(|name| self.forces(name, &read.clip, host)).transpose()?;
        let bytes = self.draw(output, &read.clip, forces, progress).in_file(input)?;
        host.write(output, &bytes)?;
        Ok(Report { input: input.to_owned(), output: output.to_owned(), bytes: bytes.len() })
    }

    /// The report of a reaction, with the motion that was followed where it can still be found.
    fn forces(&self, name: &str, clip: &Clip, host: &mut dyn Host) -> Result<Forces, Error> {
        let text = host.text(name, "the report of a reaction")?;
        let unusable = |error: TraceError| {
            let hint = match &error {
                TraceError::Form(_) => "give the JSON file that `ugoki react --report` wrote".to_owned(),
                TraceError::Frames { output, .. } if output.is_empty() => {
                    "give the motion that `ugoki react` wrote with it".to_owned()
                }
                TraceError::Frames { output, .. } => {
                    format!("give the motion that `ugoki react` wrote with it, {output}")
                }
            };
            Error::option("--forces", error.to_string()).hint(hint).in_file(name)
        };
        let report = ReactionTrace::from_json(&text).map_err(unusable)?;
        report.check(clip).map_err(unusable)?;
        if !report.output.is_empty() && stem(&report.output) != stem(&self.input) {
            host.note(&format!("{name} is about {}, not about {}", report.output, self.input));
        }
        let target = match &self.target {
            Some(target) => Some(host.motion(target, &self.reading)?.clip),
            None if report.input == "-" => None,
            None => match host.motion(&report.input, &self.reading) {
                Ok(read) => Some(read.clip),
                Err(_) => {
                    let input = &report.input;
                    host.note(&format!(
                        "{input}: not found, drawn without the target; name it with --target"
                    ));
                    None
                }
            },
        };
        Ok(reaction_forces(&report, clip, target))
    }

    /// Draws a motion with its foot contacts; the kind of picture follows the ending of `output`. `forces` has one entry per
    /// frame of `clip`, see [`reaction_forces`].
    ///
    /// # Errors
    /// When the ending is unknown, the interval is empty, the size impossible, or the caller stops.
    pub fn draw(
        &self,
        output: &str,
        clip: &Clip,
        mut forces: Option<Forces>,
        progress: Progress<'_>,
    ) -> Result<Vec<u8>, Error> {
        let kind = match output {
            "-" => Some(self.to.unwrap_or(Picture::Png)),
            name => extension(name).and_then(|ending| Picture::from_ending(&ending)),
        };
        let kind = kind.ok_or_else(|| {
            Error::refused("has an ending that no picture has").hint("use .png, .svg or .gif").in_file(output)
        })?;
        let trimmed;
        let clip = match &self.trim {
            Some(span) => {
                let range = span.frames(clip)?;
                forces = forces.map(|forces| forces.trimmed(range.clone()));
                trimmed = clip.trimmed(range)?;
                &trimmed
            }
            None => clip,
        };
        let shown = MotionPicture { frames: self.frames, size: self.size, view: self.view, forces };
        Ok(draw_motion(kind, clip, shown, progress)?)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}: {} kB", self.input, self.output, self.bytes.div_ceil(1000))
    }
}
