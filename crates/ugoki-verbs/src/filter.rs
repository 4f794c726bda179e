//! `filter`: removes jitter, and glitches if asked, from rotations and paths.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error, Reading, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::markers::Markers;
use ugoki::math::angle_between;
use ugoki::signal::{
    DespikeConfig, DespikeReport, Edge, FilterConfig, FilterReport, Kernel, KernelShape, Method, despike,
    filter, filter_markers,
};

/// Turns from a frame to the next that no body makes, degrees per second: throws reach 7000 about the arm's own axis,
/// all else stays far below.
const NO_BODY_DEG_S: f64 = 8000.0;
/// And no less than this from one frame to the next, degrees: at high rates jitter alone is as fast.
const NO_BODY_DEG: f32 = 15.0;

/// Ask for a filtered motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion file.
    pub input: String,
    /// The file to write; `-` is standard output.
    pub output: String,
    /// The kernel; without one only glitches are removed.
    #[serde(default)]
    pub kernel: Option<KernelShape>,
    /// How rotations are combined and what happens at the ends.
    #[serde(default)]
    pub config: FilterConfig,
    /// Whether glitches of up to a tenth of a second are removed first.
    #[serde(default)]
    pub despike: bool,
    /// How to read it.
    #[serde(default)]
    pub reading: Reading,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let method = (self.config.method != Method::default()).then(|| method_name(self.config.method));
        let edge = (self.config.edge != Edge::default()).then(|| edge_name(self.config.edge));
        reading_arguments(&self.reading, Arguments::new("filter"))
            .option("kernel", self.kernel.as_ref())
            .option("method", method)
            .option("edge", edge)
            .flag("despike", self.despike)
            .file(&self.input)
            .file(&self.output)
            .finish()
    }
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Exact => "exact",
        Method::Expmap => "expmap",
        Method::Qlerp => "qlerp",
        Method::Leeshin => "leeshin",
        Method::QlerpRaw => "qlerp-raw",
        Method::LogRaw => "log-raw",
    }
}

fn edge_name(edge: Edge) -> &'static str {
    match edge {
        Edge::Copy => "copy",
        Edge::Reflect => "reflect",
        Edge::Clamp => "clamp",
        Edge::Truncate => "truncate",
    }
}

/// A joint's name, or words for one that has none.
fn named(joint: &str) -> &str {
    if joint.is_empty() { "a joint without a name" } else { joint }
}

/// The word as it follows a number.
pub(super) fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
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

/// Removes jitter from the paths of markers; gaps stay gaps.
///
/// # Errors
/// When glitches of rotations were to be removed, there is no kernel or it does not fit, or the caller stops.
pub fn run_markers(
    request: &Request,
    markers: &Markers,
    progress: Progress<'_>,
) -> Result<(Markers, MarkersReport), Error> {
    if request.despike {
        let message = "looks at the rotations of a body; leave it out, or write a motion such as out.bvh";
        return Err(Error::Option { option: "--despike", message: message.to_owned() });
    }
    let Some(shape) = &request.kernel else {
        let message = "is missing; give one such as gauss:2.5 or box:51".to_owned();
        return Err(Error::Option { option: "--kernel", message });
    };
    let kernel = Kernel::build(shape)?;
    let smooth = filter_markers(markers, &kernel, request.config.edge, progress)?;
    let mut report = MarkersReport {
        input: request.input.clone(),
        output: request.output.clone(),
        markers: markers.labels().len(),
        frames: markers.num_frames(),
        taps: kernel.taps().len(),
        edge: request.config.edge,
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

/// Removes glitches, then jitter.
///
/// # Errors
/// When neither was asked for, the kernel is impossible or too long, or the caller stops.
pub fn run(request: &Request, clip: &Clip, progress: Progress<'_>) -> Result<(Clip, Report), Error> {
    if request.kernel.is_none() && !request.despike {
        let message = "is missing; give one such as gauss:2.5 or box:51, or --despike".to_owned();
        return Err(Error::Option { option: "--kernel", message });
    }
    let kernel = request.kernel.as_ref().map(Kernel::build).transpose()?;
    let mut report = Report {
        input: request.input.clone(),
        output: request.output.clone(),
        despike: None,
        filter: None,
        large_steps: None,
    };
    let mut clip = clip.clone();
    if request.despike {
        let mended = despike(&clip, &DespikeConfig::default(), &mut |share| progress(0.3 * share))?;
        clip = mended.clip;
        report.despike = Some(mended.report);
        report.large_steps = large_steps(&clip);
    }
    if let Some(kernel) = kernel {
        let filtered = filter(&clip, &kernel, request.config, &mut |share| progress(0.3 + 0.7 * share))?;
        clip = filtered.clip;
        report.filter = Some(filtered.report);
    }
    Ok((clip, report))
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
