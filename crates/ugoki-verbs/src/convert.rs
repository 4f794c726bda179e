//! `convert`: from one form to another, with the changes people ask for on the way.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::up_name;
use super::{Arguments, Error, Problem, Reading, Span, reading_arguments};
use ugoki::Progress;
use ugoki::clip::{Clip, RootMotion, Source, UpAxis};
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::formats::{self, Finding, Format, Marks, Read, ReadMarkers, WriteOptions};
use ugoki::retarget::RetargetReport;
use ugoki::skeleton::Skeleton;

/// Ask for a conversion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Motion files, folders or patterns.
    pub inputs: Vec<String>,
    /// The file to write, or the folder for several.
    pub output: Output,
    /// How to read the inputs.
    #[serde(default)]
    pub reading: Reading,
    /// What to change.
    #[serde(default)]
    pub change: Change,
    /// Format of the files in a folder; BVH when absent. A single file's ending tells its own.
    #[serde(default)]
    pub to: Option<Format>,
}

/// Where results go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Output {
    /// One file; `-` is standard output.
    File(String),
    /// A folder, one file per input.
    Folder(String),
}

/// What a conversion changes; the default changes nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Change {
    /// New rate, frames per second.
    pub fps: Option<f64>,
    /// Factor on lengths, or true size in a unit.
    pub scale: Scale,
    /// Which way is up in the result; as in the source, or the file retargeted to, when absent.
    pub up: Option<UpAxis>,
    /// Left and right swapped.
    pub mirror: bool,
    /// Last frame first.
    pub reverse: bool,
    /// Times as fast.
    pub speed: Option<f64>,
    /// Only this stretch.
    pub trim: Option<Span>,
    /// What becomes of travel over the ground.
    pub root_motion: RootMotion,
    /// The file whose skeleton the motion is moved onto; its own when absent.
    pub retarget: Option<String>,
}

impl Change {
    /// Whether every pose stays as it is on its skeleton: no other rate, order, side, stretch or travel.
    fn leaves_frames_alone(&self) -> bool {
        let Self { fps, mirror, reverse, speed, trim, root_motion, scale: _, up: _, retarget: _ } = self;
        !mirror
            && !reverse
            && (fps.is_none() && speed.is_none() && trim.is_none())
            && *root_motion == RootMotion::Keep
    }

    /// Whether only rate, size and axes change, which points without a body have too.
    #[must_use]
    pub fn leaves_bodies_alone(&self) -> bool {
        let kept = Self { fps: self.fps, scale: self.scale, up: self.up, ..Self::default() };
        *self == kept
    }
}

/// How long lengths are written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// The source's numbers times this.
    Factor(f64),
    /// True size in this unit.
    Auto(Unit),
}

impl Default for Scale {
    fn default() -> Self {
        Self::Factor(1.0)
    }
}

/// A unit of length for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Metres.
    M,
    /// Centimetres, what most tools expect of a BVH.
    #[default]
    Cm,
    /// Inches.
    In,
}

impl Unit {
    /// Metres per unit.
    #[must_use]
    pub fn metres(self) -> f64 {
        match self {
            Self::M => 1.0,
            Self::Cm => 0.01,
            Self::In => 0.0254,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::M => "m",
            Self::Cm => "cm",
            Self::In => "in",
        })
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "m" => Ok(Self::M),
            "cm" => Ok(Self::Cm),
            "in" => Ok(Self::In),
            _ => Err(format!("{text:?} is not a unit, expected m, cm or in")),
        }
    }
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let change = &self.change;
        let (scale, unit) = match change.scale {
            Scale::Factor(1.0) => (None, None),
            Scale::Factor(factor) => (Some(factor.to_string()), None),
            Scale::Auto(unit) => (Some("auto".to_owned()), Some(unit)),
        };
        let root_motion = match change.root_motion {
            RootMotion::Keep => None,
            RootMotion::Extract => Some("extract"),
            RootMotion::InPlace => Some("in-place"),
        };
        let folder = match &self.output {
            Output::Folder(folder) => Some(folder),
            Output::File(_) => None,
        };
        let mut arguments = reading_arguments(&self.reading, Arguments::new("convert"))
            .option("fps", change.fps)
            .option("scale", scale)
            .option("unit", unit)
            .option("up", change.up.map(up_name))
            .flag("mirror", change.mirror)
            .flag("reverse", change.reverse)
            .option("speed", change.speed)
            .option("trim", change.trim)
            .option("root-motion", root_motion)
            .option("retarget", change.retarget.as_ref())
            .option("to", self.to.map(Format::extension))
            .option("output", folder);
        for input in &self.inputs {
            arguments = arguments.file(input);
        }
        if let Output::File(file) = &self.output {
            arguments = arguments.file(file);
        }
        arguments.finish()
    }
}

/// What was converted.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct Report {
    /// One entry per file written.
    pub files: Vec<FileReport>,
    /// One entry per file that could not be.
    pub errors: Vec<Problem>,
}

/// One conversion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileReport {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// The output's format.
    pub format: Format,
    /// Frames written.
    pub frames: usize,
    /// Frames per second written.
    pub fps: f64,
    /// Metres per unit written.
    pub unit_metres: f64,
    /// How the motion was moved onto another skeleton, if it was.
    pub retarget: Option<RetargetReport>,
    /// What reading found.
    pub read: Vec<Finding>,
    /// What writing lost or had to change.
    pub written: Vec<Finding>,
}

/// Converts one file that was read from `input` into the bytes of `output`, a file of `format`; `target` is a motion on the
/// skeleton asked for, in whose unit, axes and channels a file of its format is written.
///
/// `read` holds its added T-pose still ([`Reading::whole`]): it tells how the body stands and goes after that.
///
/// # Errors
/// When a range, rate or factor does not fit the clip, or the caller stops.
pub fn run(
    request: &Request,
    [input, output]: [&str; 2],
    format: Format,
    mut read: Read,
    target: Option<&Read>,
    progress: Progress<'_>,
) -> Result<(Vec<u8>, FileReport), Error> {
    let change = &request.change;
    let like =
        target.map_or((read.format, read.unit_metres, read.up), |to| (to.format, to.unit_metres, to.up));
    let mut options = write_options(change, format, like)?;
    let layout = target.unwrap_or(&read).clip.source().cloned();
    let mut retarget = None;
    if let Some(target) = target {
        let moved = super::onto(&read.clip, &target.clip, &mut |share| progress(0.4 * share))?;
        read.clip = moved.clip;
        retarget = Some(moved.report);
    }
    request.reading.apply_to(&mut read);
    let was = read.marks.loop_of(&read.clip);
    let body = target.map_or(read.clip.skeleton(), |target| target.clip.skeleton()).clone();
    let mut clip = if change.leaves_frames_alone() {
        // Long captures are not copied for nothing.
        options.loop_frames.clone_from(&was);
        read.clip
    } else {
        let clip = apply(change, &read.clip, &mut |share| progress(0.4 + 0.2 * share))?;
        options.loop_frames = was.clone().and_then(|was| loop_after(change, was, &read.clip, &clip));
        clip
    };
    if was.is_some() && options.loop_frames.is_none() {
        clip.tags.retain(|tag| tag != Marks::LOOP_TAG);
    }
    if let (Format::Bvh, Some(layout)) = (format, layout) {
        keep_layout(&mut clip, &body, &layout);
    }
    if holds_contacts(format) {
        // What the file itself says stays as long as nothing moves.
        let kept = read.marks.contacts.filter(|_| *change == Change::default());
        let found = || Some(find_contacts(&clip, &ContactConfig::default()).ok()?.feet);
        options.contacts = kept.or_else(found);
    }
    let written = formats::write(&clip, format, &options, &mut |share| progress(0.6 + 0.4 * share))?;
    let left_out = written.findings.iter().any(|finding| finding.code == formats::bvh::T_POSE_LEFT_OUT);
    let report = FileReport {
        input: input.to_owned(),
        output: output.to_owned(),
        format,
        frames: clip.num_frames() - usize::from(left_out),
        fps: clip.fps(),
        unit_metres: options.unit_metres.unwrap_or(read.unit_metres),
        retarget,
        read: read.findings,
        written: written.findings,
    };
    Ok((written.bytes, report))
}

/// Gives a changed clip the channels that the file of its `body` has: their order, their axes and what positions mean.
/// A clip that still has such channels of its own keeps them, and the file's numbers with them.
fn keep_layout(clip: &mut Clip, body: &Skeleton, layout: &Source) {
    let same = |own: &Source| own.channels == layout.channels && own.offset == layout.offset;
    if **clip.skeleton() != *body || clip.source().is_some_and(|own| same(own)) {
        return;
    }
    let frame_time = clip.source().map_or_else(|| clip.fps().recip(), |own| own.frame_time);
    clip.set_source(Some(Arc::new(Source {
        channels: layout.channels.clone(),
        values: Vec::new(),
        frame_time,
        unit_metres: layout.unit_metres,
        up: layout.up,
        offset: layout.offset,
    })));
}

/// Converts markers that were read from `input` into the bytes of `output`, a marker file of `format`: points stay points.
///
/// # Errors
/// When a change needs a body, a rate or factor is not possible, or the format holds no markers.
pub fn run_markers(
    change: &Change,
    input: &str,
    output: &str,
    format: Format,
    read: &ReadMarkers,
) -> Result<(Vec<u8>, FileReport), Error> {
    if !change.leaves_bodies_alone() {
        let message = "markers without a body have only a rate, a scale and an up axis to change".to_owned();
        return Err(Error::Option { option: "convert", message });
    }
    let options = write_options(change, format, (read.format, read.unit_metres, read.up))?;
    let markers = match change.fps {
        Some(fps) => {
            positive("--fps", fps)?;
            read.markers.resampled(fps)?
        }
        None => read.markers.clone(),
    };
    let written = formats::write_markers(&markers, format, &options)?;
    let report = FileReport {
        input: input.to_owned(),
        output: output.to_owned(),
        format,
        frames: markers.num_frames(),
        fps: markers.fps(),
        unit_metres: options.unit_metres.unwrap_or(read.unit_metres),
        retarget: None,
        read: read.findings.clone(),
        written: written.findings,
    };
    Ok((written.bytes, report))
}

/// Whether files of a format have room for foot contacts.
#[must_use]
pub fn holds_contacts(format: Format) -> bool {
    matches!(format, Format::Glb | Format::Gltf | Format::Vrma | Format::Npz)
}

/// Where a loop is after the changes; `None` when trimming has cut it.
fn loop_after(
    change: &Change,
    was: std::ops::Range<usize>,
    before: &Clip,
    after: &Clip,
) -> Option<std::ops::Range<usize>> {
    let kept = match &change.trim {
        Some(span) => span.frames(before).ok()?,
        None => 0..before.num_frames(),
    };
    if was.start < kept.start || was.end > kept.end {
        return None;
    }
    let (mut start, mut end) = (was.start - kept.start, was.end - kept.start);
    if change.reverse {
        // An added T-pose stays in front.
        let all = kept.len() + after.motion_frames().start;
        (start, end) = (all.checked_sub(end)?, all.checked_sub(start)?);
    }
    let ratio = after.fps() / before.fps() / change.speed.unwrap_or(1.0);
    let frame = |frame: usize| (frame as f64 * ratio).round() as usize;
    let (start, end) = (frame(start), frame(end).min(after.num_frames()));
    (start < end).then_some(start..end)
}

/// Applies the changes in the order of the list: trim, mirror, reverse, speed, rate, root motion.
///
/// # Errors
/// When a range, rate or factor does not fit the clip, or the caller stops.
pub fn apply(change: &Change, clip: &Clip, progress: Progress<'_>) -> Result<Clip, Error> {
    let mut clip = match &change.trim {
        Some(span) => clip.trimmed(span.frames(clip)?)?,
        None => clip.clone(),
    };
    if change.mirror {
        clip = clip.mirrored();
    }
    if change.reverse {
        clip = clip.reversed();
    }
    if let Some(speed) = change.speed {
        positive("--speed", speed)?;
        clip = clip.sped_with(speed, &mut |share| progress(0.5 * share))?;
    }
    if let Some(fps) = change.fps {
        positive("--fps", fps)?;
        clip = clip.resampled_with(fps, &mut |share| progress(0.5 + 0.5 * share))?;
    }
    Ok(clip.with_root_motion(change.root_motion))
}

/// Writing options for this change: unit and up axis of the file that the result is to be like when the format is the
/// same, else the format's usual ones.
fn write_options(
    change: &Change,
    format: Format,
    (source, source_unit, source_up): (Format, f64, UpAxis),
) -> Result<WriteOptions, Error> {
    let (unit, up) = match format == source {
        true => (source_unit, source_up),
        false => (format.usual_unit_metres(), UpAxis::Y),
    };
    let unit_metres = match change.scale {
        Scale::Factor(factor) => {
            positive("--scale", factor)?;
            unit / factor
        }
        Scale::Auto(unit) => unit.metres(),
    };
    let up = Some(change.up.unwrap_or(up));
    Ok(WriteOptions { up, unit_metres: Some(unit_metres), ..WriteOptions::default() })
}

fn positive(option: &'static str, value: f64) -> Result<(), Error> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::Option { option, message: format!("{value} is not possible, give a number above 0") })
}
