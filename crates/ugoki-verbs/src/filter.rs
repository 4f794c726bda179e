//! `filter`: removes jitter, and glitches if asked, from rotations and paths.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::formats::{self, Format, Read, WriteOptions};
use ugoki::markers::Markers;
use ugoki::signal::{
    DespikeConfig, DespikeReport, Edge, FilterConfig, FilterReport, FilteredMarkers, Kernel, KernelShape,
    LargeSteps, MarkerFilterReport, Method, despike, filter, filter_markers, large_steps,
};

use crate::error::InFile as _;
use crate::findings::finding_notes;
use crate::host::extension;
use crate::motion_verb::{Job, Made, MotionReport, MotionVerb, Written, write_made};
use crate::{Error, Output, Reading};

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

/// What filtering did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Glitches removed, when asked.
    pub despike: Option<DespikeReport>,
    /// What the kernel did, when there is one.
    pub filter: Option<FilterReport>,
    /// Steps too large for a body that are left after despiking.
    pub large_steps: Option<LargeSteps>,
}

impl Filter {
    /// Removes jitter from the paths of markers; gaps stay gaps.
    fn filter_markers(&self, markers: &Markers, progress: Progress<'_>) -> Result<FilteredMarkers, Error> {
        if self.despike {
            return Err(Error::option("--despike", "looks at the rotations of a body")
                .hint("leave it out, or write a motion such as out.bvh"));
        }
        let Some(shape) = &self.kernel else {
            return Err(Error::option("--kernel", "is missing").hint("give one such as gauss:2.5 or box:51"));
        };
        Ok(filter_markers(markers, &Kernel::build(shape)?, self.edge, progress)?)
    }
}

impl MotionVerb for Filter {
    type Report = FilterOutcome;

    const ACTIVITY: &'static str = "filtering";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn one(&self, mut job: Job<'_>) -> Result<Written<FilterOutcome>, Error> {
        // Points stay points, whether or not a body could be solved from them.
        if extension(job.output).as_deref() != Some("trc") {
            return write_made(self, &mut job);
        }
        let Some(read) = job.host.markers(job.input, &self.reading)? else {
            return write_made(self, &mut job);
        };
        let filtered = self.filter_markers(&read.markers, job.progress).in_file(job.input)?;
        job.host.note_findings(finding_notes(job.input, &read.findings));
        let options = WriteOptions::like(Format::Trc, (read.format, read.unit_metres, read.up));
        let written = formats::write_markers(&filtered.markers, Format::Trc, &options).in_file(job.output)?;
        job.host.note_findings(finding_notes(job.output, &written.findings));
        job.host.write(job.output, &written.bytes)?;
        Ok(Written::new(&job, FilterOutcome::Markers(filtered.report)))
    }

    fn make(&self, read: &Read, job: &mut Job<'_>) -> Result<Made<FilterOutcome>, Error> {
        if self.kernel.is_none() && !self.despike {
            return Err(Error::option("--kernel", "is missing")
                .hint("give one such as gauss:2.5 or box:51, or --despike"));
        }
        let config = FilterConfig { method: self.method, edge: self.edge };
        let kernel = self.kernel.as_ref().map(Kernel::build).transpose()?;
        let mut report = Report { despike: None, filter: None, large_steps: None };
        let mut clip = read.clip.clone();
        if self.despike {
            let mended = despike(&clip, &DespikeConfig::default(), &mut |part| (job.progress)(0.3 * part))?;
            clip = mended.clip;
            report.despike = Some(mended.report);
            report.large_steps = large_steps(&clip);
        }
        if let Some(kernel) = kernel {
            let filtered = filter(&clip, &kernel, config, &mut |part| (job.progress)(0.3 + 0.7 * part))?;
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
    Markers(MarkerFilterReport),
}

impl MotionReport for FilterOutcome {
    fn text(&self, [input, output]: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{input} → {output}")?;
        match self {
            Self::Markers(filter) => write!(f, "\n{filter}"),
            Self::Motion(Report { despike, filter, large_steps }) => {
                despike.iter().try_for_each(|report| write!(f, "\n{report}"))?;
                large_steps.iter().try_for_each(|report| write!(f, "\n{report}"))?;
                filter.iter().try_for_each(|report| write!(f, "\n{report}"))
            }
        }
    }
}
