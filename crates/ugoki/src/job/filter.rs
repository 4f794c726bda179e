//! `filter`: removes jitter, and glitches if asked, from rotations and paths.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error, Reading};
use crate::Progress;
use crate::clip::Clip;
use crate::signal::{
    DespikeConfig, DespikeReport, Edge, FilterConfig, FilterReport, Kernel, KernelShape, Method, despike,
    filter,
};

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
        self.reading
            .arguments(Arguments::new("filter"))
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
    let mut report =
        Report { input: request.input.clone(), output: request.output.clone(), despike: None, filter: None };
    let mut clip = clip.clone();
    if request.despike {
        let mended = despike(&clip, &DespikeConfig::default(), &mut |share| progress(0.3 * share))?;
        clip = mended.clip;
        report.despike = Some(mended.report);
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
                write!(f, "\n  {:<24} {frames:>4} frames, by up to ", joint.joint)?;
                let (turned, moved) = (!joint.frames.is_empty(), !joint.path_frames.is_empty());
                if turned {
                    write!(f, "{:.1}°", joint.largest_deg)?;
                }
                if moved {
                    write!(f, "{}{:.1} mm", if turned { " and " } else { "" }, 1e3 * joint.largest_m)?;
                }
            }
        }
        if let Some(filter) = &self.filter {
            let (method, edge) = (method_name(filter.method), edge_name(filter.edge));
            write!(f, "\nfiltered   {} frames, {} taps, {method}, {edge}", filter.frames, filter.taps)?;
            if let Some(joint) = &filter.largest_change_joint {
                let (degrees, frame) = (filter.largest_change_deg, filter.largest_change_frame);
                write!(f, "\nchanged    most at {joint} in frame {frame}: {degrees:.2}°")?;
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
