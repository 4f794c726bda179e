//! `render`: a picture of a motion.

mod forces;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, Contacts, find_contacts, find_feet};
use ugoki::picture::{FootMark, Forces, PictureConfig, View, animation_gif, contact_sheet_png, drawing_svg};
use ugoki::skeleton::Side;

use crate::host::{extension, stem};
use crate::motion_verb::{OneOrMany, each, in_folder};
use crate::text_form::text_form;
use crate::{Error, Host, Output, Reading, Span, Verb};

pub(crate) use forces::ForceReport;

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

    /// Format of the files: pictures of a folder [default: png]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Picture>,

    /// How many poses to show
    #[arg(long, value_name = "N")]
    pub frames: Option<usize>,

    /// Width, or width and height, in pixels
    #[arg(long, value_name = "W[xH]")]
    pub size: Option<Size>,

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

/// Size of a picture in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Width.
    pub width: u32,
    /// Height; chosen when 0.
    pub height: u32,
}

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (width, height) = text.split_once('x').unwrap_or((text, "0"));
        match (width.parse(), height.parse()) {
            (Ok(width), Ok(height)) if width > 0 => Ok(Self { width, height }),
            _ => Err("expected a width like 1200 or a size like 1200x800"),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.height {
            0 => write!(f, "{}", self.width),
            height => write!(f, "{}x{height}", self.width),
        }
    }
}

text_form! {
    Size => "Size", "Width, or width and height, in pixels: 1200 or 1200x800.";
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

/// The kinds of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "lowercase")]
pub enum Picture {
    /// Contact sheet.
    Png,
    /// Vector drawing.
    Svg,
    /// Animation.
    Gif,
}

impl Picture {
    /// By the ending of a file name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Png, Self::Svg, Self::Gif]
            .into_iter()
            .find(|kind| extension(name).as_deref() == Some(kind.ending()))
    }

    fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Gif => "gif",
        }
    }
}

impl Verb for Render {
    type Report = OneOrMany<Report>;

    const ACTIVITY: &'static str = "drawing";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Self::Report, Error> {
        let Self { input, output, .. } = self;
        if !host.is_folder(input) {
            if self.to.is_some() {
                return Err(Error::option("--to", "is for the pictures of a folder").hint("leave it out"));
            }
            return self.one([input, output], host, progress).map(OneOrMany::One);
        }
        if self.forces.is_some() {
            return Err(Error::option("--forces", "is about one motion").hint("name its file, not a folder"));
        }
        host.create_folder(output)?;
        let names = host.expand(std::slice::from_ref(input), Some(output))?;
        let names = in_folder(output, names, |_| self.to.unwrap_or(Picture::Png).ending());
        each(&names, host, progress, |names, host, progress| self.one(names, host, progress))
    }
}

impl Render {
    /// Reads a motion, draws it and writes the picture.
    fn one(
        &self,
        [input, output]: [&str; 2],
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Report, Error> {
        let side_files = [&self.forces, &self.target].into_iter().flatten().map(String::as_str);
        host.check_outputs(&side_files.chain([input]).collect::<Vec<_>>(), &[output])?;
        let read = host.motion(input, &self.reading)?;
        let forces = self.forces.as_deref().map(|name| self.forces(name, &read.clip, host)).transpose()?;
        let bytes = self.draw(output, &read.clip, forces, progress).map_err(|error| error.in_file(input))?;
        host.write(output, &bytes)?;
        Ok(Report { input: input.to_owned(), output: output.to_owned(), bytes: bytes.len() })
    }

    /// The report of a reaction, with the motion that was followed where it can still be found.
    fn forces(&self, name: &str, clip: &Clip, host: &mut dyn Host) -> Result<Forces, Error> {
        let text = host.text(name, "the report of a reaction")?;
        let report = ForceReport::from_json(&text).map_err(|error| error.in_file(name))?;
        report.check(clip).map_err(|error| error.in_file(name))?;
        if !report.output.is_empty() && stem(&report.output) != stem(&self.input) {
            host.note(&format!("{name} tells of {}, not of {}", report.output, self.input));
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
        Ok(report.forces(clip, target))
    }

    /// Draws a motion with its foot contacts; the kind of picture follows the ending of `output`. `forces` has one entry per
    /// frame of `clip`, see `ForceReport::forces`.
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
        let kind = Picture::from_name(output)
            .ok_or_else(|| Error::option("OUT", format!("{output:?} does not end in .png, .svg or .gif")))?;
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
        // Bodies without feet are drawn without marks.
        let contacts = find_contacts(clip, &ContactConfig::default()).ok();
        let marks = contacts.as_ref().map_or_else(Vec::new, |contacts| marks(clip, contacts));
        // The lowest ground that a foot stood on is the floor of the picture; higher ground is drawn as steps on it.
        let floor = contacts.map_or(0.0, |contacts| contacts.floor.height as f32);
        let heights = marks.iter().map(|mark| mark.height);
        let lowest = heights.filter(|height| *height < floor - LOWER_M).fold(floor, f32::min);
        let title = forces.as_ref().map(|forces| {
            let target = if forces.target.is_some() { ": target grey, result white" } else { "" };
            format!("{}{target}, arrows up to {:.0} m/s/s", clip.name, forces.longest_m_s2())
        });
        let config = PictureConfig {
            frames: self.frames,
            width: self.size.map_or(0, |size| size.width),
            height: self.size.map_or(0, |size| size.height),
            view: self.view,
            marks,
            floor: lowest,
            title,
            forces,
        };
        Ok(match kind {
            Picture::Png => contact_sheet_png(clip, &config, progress)?,
            Picture::Gif => animation_gif(clip, &config, progress)?,
            Picture::Svg => drawing_svg(clip, &config, progress)?.into_bytes(),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}: {} kB", self.input, self.output, self.bytes.div_ceil(1000))
    }
}

/// Contacts this far under the floor, metres, are on a level of their own: a low stair rises 0.12 m, and errors of
/// captured feet reach 0.09 m.
const LOWER_M: f32 = 0.10;

/// Where each foot stood: its middle frame's place, from heel-strike to toe-off.
fn marks(clip: &Clip, contacts: &Contacts) -> Vec<FootMark> {
    let Ok(feet) = find_feet(clip.skeleton()) else { return Vec::new() };
    let mut marks = Vec::new();
    let floor = &contacts.floor;
    for (i, side) in [Side::Left, Side::Right].into_iter().enumerate() {
        let (foot, stood, flat_m) = (&feet.feet[i], &contacts.feet[i], contacts.flat_m[i]);
        for frames in stood.any() {
            let pose = clip.model_pose((frames.start + frames.end) / 2);
            let position = pose.positions[foot.ankle];
            let heading = foot.toe.position(&pose) - position;
            // Toes lift at heel-strike and stay down when the heel leaves, so their lowest place is the ground.
            // Feet of a body that lies point up, but their ankles are as low as the floor.
            let (mut toe_y, mut ankle_y) = (f64::INFINITY, f64::INFINITY);
            for frame in frames.clone() {
                let pose = clip.model_pose(frame);
                toe_y = toe_y.min(f64::from(foot.toe.position(&pose).y));
                ankle_y = ankle_y.min(f64::from(pose.positions[foot.ankle].y));
            }
            let under_ankle = (ankle_y - flat_m - floor.toe_clearance_m).max(floor.height);
            let height = (toe_y - floor.toe_clearance_m).min(under_ankle) as f32;
            marks.push(FootMark { frames, position, height, heading, side });
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_know_the_ground_they_are_on() {
        for (name, levels) in [("walk", [0.0, 0.0]), ("step-up", [0.0, 0.17]), ("step-down", [0.17, 0.0])] {
            let clip = ugoki::sample::clip(name).unwrap();
            let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
            let mut marks = marks(&clip, &contacts);
            marks.sort_by_key(|mark| mark.frames.start);
            for (mark, level) in [(&marks[0], levels[0]), (&marks[marks.len() - 1], levels[1])] {
                // Contact heights of the sample body are found to a centimetre.
                assert!((mark.height - level).abs() < 0.012, "{name}: {} instead of {level}", mark.height);
            }
        }
    }
}
