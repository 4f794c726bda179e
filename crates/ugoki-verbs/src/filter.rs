//! `filter`: removes jitter, and glitches if asked, from rotations and paths.

use std::fmt;

use clap::ValueEnum as _;
use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::{Clip, UpAxis};
use ugoki::formats::{self, Format, Read, WriteOptions};
use ugoki::markers::Markers;
use ugoki::math::angle_between;
use ugoki::signal::{
    DespikeConfig, DespikeReport, Edge, FilterConfig, FilterReport, Kernel, KernelShape, Method, despike,
    filter, filter_markers,
};

use crate::host::extension;
use crate::motion_verb::{Made, MotionVerb, note_findings, write_made};
use crate::words::plural;
use crate::{Error, Host, Output, Reading};

/// Turns from a frame to the next that no body makes, degrees per second: throws reach 7000 about the arm's own axis,
/// all else stays far below.
const NO_BODY_DEG_S: f64 = 8000.0;
/// And no less than this from one frame to the next, degrees: at high rates jitter alone is as fast.
const NO_BODY_DEG: f32 = 15.0;

/// Removes jitter from rotations and paths, without the artefacts of smoothing angles or quaternions
///
/// Markers in a C3D or TRC file stay markers when the output is a TRC file.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki filter noisy.bvh clean.bvh --kernel gauss:2.5\n  \
                        ugoki filter noisy.bvh clean.bvh --despike --kernel savgol:11,3\n  \
                        ugoki filter session.c3d clean.trc --kernel gauss:2")]
pub struct Filter {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,

    /// box:TAPS, gauss:SIGMA_FRAMES, binomial:TAPS, savgol:TAPS,DEGREE or taps:W,W,W
    #[arg(long)]
    #[schemars(with = "Option<String>")]
    pub kernel: Option<KernelShape>,

    /// How rotations are combined; the raw ones show what goes wrong without care for signs
    #[arg(long, value_enum, default_value = "exact")]
    pub method: Method,

    /// What happens where the kernel reaches over an end
    #[arg(long, value_enum, default_value = "reflect")]
    pub edge: Edge,

    /// First remove glitches of up to a tenth of a second, and say which
    #[arg(long)]
    pub despike: bool,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

fn method_name(method: Method) -> String {
    method.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn edge_name(edge: Edge) -> String {
    edge.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// A joint's name, or words for one that has none.
fn named(joint: &str) -> &str {
    if joint.is_empty() { "a joint without a name" } else { joint }
}

/// What filtering did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// Glitches removed, when asked.
    pub despike: Option<DespikeReport>,
    /// What the kernel did, when there is one.
    pub filter: Option<FilterReport>,
    /// Steps too large for a body that are left after despiking.
    pub large_steps: Option<LargeSteps>,
}

/// Turns from one frame to the next that are too large for a body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LargeSteps {
    /// How many.
    pub count: usize,
    /// The joint with the largest.
    pub joint: String,
    /// The frame it ends in, counted with an added T-pose.
    pub frame: usize,
    /// The largest, degrees.
    pub largest_deg: f32,
}

/// The steps of a clip's joints that no body makes; none when there are none.
fn large_steps(clip: &Clip) -> Option<LargeSteps> {
    let least = ((NO_BODY_DEG_S / clip.fps()) as f32).max(NO_BODY_DEG);
    let motion = clip.motion_frames();
    let mut found: Option<LargeSteps> = None;
    for joint in 0..clip.num_joints() {
        for frame in motion.clone().skip(1) {
            let turn =
                angle_between(clip.rotation(joint, frame - 1), clip.rotation(joint, frame)).to_degrees();
            if turn < least {
                continue;
            }
            let steps =
                found.get_or_insert(LargeSteps { count: 0, joint: String::new(), frame, largest_deg: 0.0 });
            steps.count += 1;
            if turn > steps.largest_deg {
                (steps.joint, steps.frame) = (clip.skeleton().joint(joint).name.clone(), frame);
                steps.largest_deg = turn;
            }
        }
    }
    found
}

/// What filtering markers did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarkersReport {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// How many markers.
    pub markers: usize,
    /// How many frames.
    pub frames: usize,
    /// Taps of the kernel.
    pub taps: usize,
    /// What happened at the ends.
    pub edge: Edge,
    /// The farthest that a marker was moved, metres.
    pub largest_change_m: f32,
    /// The marker; none when none moved.
    pub largest_change_marker: Option<String>,
    /// The frame it was moved so far in.
    pub largest_change_frame: usize,
}

impl Filter {
    /// Removes jitter from the paths of markers; gaps stay gaps.
    fn filter_markers(
        &self,
        [input, output]: [&str; 2],
        markers: &Markers,
        progress: Progress<'_>,
    ) -> Result<(Markers, MarkersReport), Error> {
        if self.despike {
            return Err(Error::option("--despike", "looks at the rotations of a body")
                .hint("leave it out, or write a motion such as out.bvh"));
        }
        let Some(shape) = &self.kernel else {
            return Err(Error::option("--kernel", "is missing").hint("give one such as gauss:2.5 or box:51"));
        };
        let kernel = Kernel::build(shape)?;
        let smooth = filter_markers(markers, &kernel, self.edge, progress)?;
        let mut report = MarkersReport {
            input: input.to_owned(),
            output: output.to_owned(),
            markers: markers.labels().len(),
            frames: markers.num_frames(),
            taps: kernel.taps().len(),
            edge: self.edge,
            largest_change_m: 0.0,
            largest_change_marker: None,
            largest_change_frame: 0,
        };
        for (marker, label) in markers.labels().iter().enumerate() {
            for frame in 0..markers.num_frames() {
                let (Some(p), Some(q)) = (markers.get(marker, frame), smooth.get(marker, frame)) else {
                    continue;
                };
                if p.distance(q) > report.largest_change_m {
                    report.largest_change_m = p.distance(q);
                    report.largest_change_marker = Some(label.clone());
                    report.largest_change_frame = frame;
                }
            }
        }
        Ok((smooth, report))
    }
}

impl MotionVerb for Filter {
    type Report = FilterOutcome;

    const ACTIVITY: &'static str = "filtering";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn one(
        &self,
        names: [&str; 2],
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<FilterOutcome, Error> {
        let [input, output] = names;
        // Points stay points, whether or not a body could be solved from them.
        if extension(output).as_deref() != Some("trc") {
            return write_made(self, names, host, progress);
        }
        let Some(read) = host.markers(input, &self.reading)? else {
            return write_made(self, names, host, progress);
        };
        let (points, report) =
            self.filter_markers(names, &read.markers, progress).map_err(|error| error.in_file(input))?;
        note_findings(host, input, &read.findings);
        // As in the file where the format stays, else as is usual.
        let same = read.format == Format::Trc;
        let unit = if same { read.unit_metres } else { Format::Trc.usual_unit_metres() };
        let up = if same { read.up } else { UpAxis::Y };
        let options = WriteOptions { up: Some(up), unit_metres: Some(unit), ..WriteOptions::default() };
        let written = formats::write_markers(&points, Format::Trc, &options)
            .map_err(|error| Error::from(error).in_file(output))?;
        note_findings(host, output, &written.findings);
        host.write(output, &written.bytes)?;
        Ok(FilterOutcome::Markers(report))
    }

    fn make(
        &self,
        [input, output]: [&str; 2],
        read: &Read,
        _: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Made<FilterOutcome>, Error> {
        if self.kernel.is_none() && !self.despike {
            return Err(Error::option("--kernel", "is missing")
                .hint("give one such as gauss:2.5 or box:51, or --despike"));
        }
        let config = FilterConfig { method: self.method, edge: self.edge };
        let kernel = self.kernel.as_ref().map(Kernel::build).transpose()?;
        let mut report = Report {
            input: input.to_owned(),
            output: output.to_owned(),
            despike: None,
            filter: None,
            large_steps: None,
        };
        let mut clip = read.clip.clone();
        if self.despike {
            let mended = despike(&clip, &DespikeConfig::default(), &mut |part| progress(0.3 * part))?;
            clip = mended.clip;
            report.despike = Some(mended.report);
            report.large_steps = large_steps(&clip);
        }
        if let Some(kernel) = kernel {
            let filtered = filter(&clip, &kernel, config, &mut |part| progress(0.3 + 0.7 * part))?;
            clip = filtered.clip;
            report.filter = Some(filtered.report);
        }
        Ok(Made::new(clip, FilterOutcome::Motion(report)))
    }
}

/// What filtering did to a motion or to markers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FilterOutcome {
    /// To a motion.
    Motion(Report),
    /// To markers.
    Markers(MarkersReport),
}

impl fmt::Display for FilterOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Motion(report) => report.fmt(f),
            Self::Markers(report) => report.fmt(f),
        }
    }
}

impl fmt::Display for MarkersReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edge = edge_name(self.edge);
        write!(f, "{} → {}", self.input, self.output)?;
        write!(
            f,
            "\nfiltered   {} markers, {} frames, {} taps, {edge}",
            self.markers, self.frames, self.taps
        )?;
        if let Some(marker) = &self.largest_change_marker {
            let (change, frame) = (1e3 * self.largest_change_m, self.largest_change_frame);
            write!(f, "\nmoved      most at {marker} in frame {frame}: {change:.1} mm")?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", self.input, self.output)?;
        if let Some(despike) = &self.despike {
            write!(
                f,
                "\ndespiked   {} values in {} frames of {} joints",
                despike.values_changed,
                despike.frames_changed,
                despike.joints.len()
            )?;
            for joint in &despike.joints {
                let frames = joint.frames.len() + joint.path_frames.len();
                let word = plural(frames, "frame");
                write!(f, "\n  {:<24} {frames:>4} {word}, by up to ", named(&joint.joint))?;
                let (turned, moved) = (!joint.frames.is_empty(), !joint.path_frames.is_empty());
                if turned {
                    write!(f, "{:.1}°", joint.largest_deg)?;
                }
                if moved {
                    write!(f, "{}{:.1} mm", if turned { " and " } else { "" }, 1e3 * joint.largest_m)?;
                }
            }
        }
        if let Some(steps) = &self.large_steps {
            let LargeSteps { count, frame, largest_deg, .. } = steps;
            let (turns, joint) = (if *count == 1 { "turn" } else { "turns" }, named(&steps.joint));
            write!(
                f,
                "\nleft       {count} {turns} too fast for a body, most at {joint} into frame {frame}: {largest_deg:.0}° in one frame; look at them"
            )?;
        }
        if let Some(filter) = &self.filter {
            let (method, edge) = (method_name(filter.method), edge_name(filter.edge));
            write!(
                f,
                "\nfiltered   {} {}, {} {}, {method}, {edge}",
                filter.frames,
                plural(filter.frames, "frame"),
                filter.taps,
                plural(filter.taps, "tap")
            )?;
            if let Some(joint) = &filter.largest_change_joint {
                let (degrees, frame) = (filter.largest_change_deg, filter.largest_change_frame);
                write!(f, "\nchanged    most at {} in frame {frame}: {degrees:.2}°", named(joint))?;
            }
            if filter.fallbacks > 0 {
                write!(
                    f,
                    "\nfell back  {} means did not converge; one step was taken there",
                    filter.fallbacks
                )?;
            }
        }
        Ok(())
    }
}
