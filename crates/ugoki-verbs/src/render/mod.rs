//! `render`: a picture of a motion.

mod forces;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error, Reading, Span, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, Contacts, find_contacts, find_feet};
use ugoki::picture::{FootMark, Forces, PictureConfig, View, animation_gif, contact_sheet_png, drawing_svg};
use ugoki::skeleton::Side;

pub use forces::ForceReport;

/// Ask for a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion file.
    pub input: String,
    /// The picture: `.png`, `.svg` or `.gif`.
    pub output: String,
    /// How many poses are shown; chosen when absent.
    #[serde(default)]
    pub frames: Option<usize>,
    /// Width and height in pixels; a height of 0 is chosen.
    #[serde(default)]
    pub size: Option<(u32, u32)>,
    /// From where it is seen.
    #[serde(default)]
    pub view: View,
    /// The report of `react --report` to draw: corrections, ZMP and support polygon.
    #[serde(default)]
    pub forces: Option<String>,
    /// The motion that was followed, in grey behind; the report's input when absent.
    #[serde(default)]
    pub target: Option<String>,
    /// Only this stretch.
    #[serde(default)]
    pub trim: Option<Span>,
    /// How to read it.
    #[serde(default)]
    pub reading: Reading,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let view = match self.view {
            View::ThreeQuarter => None,
            View::Front => Some("front"),
            View::Side => Some("side"),
        };
        let size = self.size.map(|(width, height)| match height {
            0 => width.to_string(),
            _ => format!("{width}x{height}"),
        });
        reading_arguments(&self.reading, Arguments::new("render"))
            .option("frames", self.frames)
            .option("size", size)
            .option("view", view)
            .option("forces", self.forces.as_ref())
            .option("target", self.target.as_ref())
            .option("trim", self.trim)
            .file(&self.input)
            .file(&self.output)
            .finish()
    }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "svg" => Some(Self::Svg),
            "gif" => Some(Self::Gif),
            _ => None,
        }
    }
}

/// Draws the motion with its foot contacts; the picture's kind follows the output's ending.
///
/// # Errors
/// When the ending is unknown, the stretch is empty, the size impossible, or the caller stops.
pub fn run(request: &Request, clip: &Clip, progress: Progress<'_>) -> Result<(Vec<u8>, Report), Error> {
    run_with(request, clip, None, progress)
}

/// [`run`] with what acts on the body, one entry per frame of `clip`; see [`ForceReport::forces`].
///
/// # Errors
/// As [`run`].
pub fn run_with(
    request: &Request,
    clip: &Clip,
    mut forces: Option<Forces>,
    progress: Progress<'_>,
) -> Result<(Vec<u8>, Report), Error> {
    let kind = Picture::from_name(&request.output).ok_or_else(|| Error::Option {
        option: "OUT",
        message: format!("{:?} does not end in .png, .svg or .gif", request.output),
    })?;
    let trimmed;
    let clip = match &request.trim {
        Some(span) => {
            let range = span.frames(clip)?;
            forces = forces.map(|forces| forces.trimmed(range.clone()));
            trimmed = clip.trimmed(range)?;
            &trimmed
        }
        None => clip,
    };
    let bytes = draw(kind, request, clip, forces, progress)?;
    let report = Report { input: request.input.clone(), output: request.output.clone(), bytes: bytes.len() };
    Ok((bytes, report))
}

/// Contacts this far under the floor, metres, are on a level of their own: a low stair rises 0.12 m, and errors of
/// captured feet reach 0.09 m.
const LOWER_M: f32 = 0.10;

fn draw(
    kind: Picture,
    request: &Request,
    clip: &Clip,
    forces: Option<Forces>,
    progress: Progress<'_>,
) -> Result<Vec<u8>, Error> {
    // Bodies without feet are drawn without marks.
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let marks = contacts.as_ref().map_or_else(Vec::new, |contacts| marks(clip, contacts));
    // The lowest ground that a foot stood on is the floor of the picture; what is higher is drawn as steps on it.
    let floor = contacts.map_or(0.0, |contacts| contacts.floor.height as f32);
    let lowest = marks.iter().map(|mark| mark.height).filter(|h| *h < floor - LOWER_M).fold(floor, f32::min);
    let (width, height) = request.size.unwrap_or_default();
    let title = forces.as_ref().map(|forces| {
        let wanted = if forces.target.is_some() { ": target grey, result white" } else { "" };
        format!("{}{wanted}, arrows up to {:.0} m/s/s", clip.name, forces.longest_m_s2())
    });
    let config = PictureConfig {
        frames: request.frames,
        width,
        height,
        view: request.view,
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
            // Toes lift at heel-strike and stay down when the heel leaves, so their lowest place tells the ground.
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
