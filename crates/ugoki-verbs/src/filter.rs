//! `filter`: removes jitter, and glitches if asked, from rotations and paths.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::edit::FeetAt;
use ugoki::formats::{self, Format, Read, WriteOptions};
use ugoki::markers::Markers;
use ugoki::signal::{
    AutoReport, DespikeConfig, DespikeReport, Edge, FilterConfig, FilterReport, FilterShape, FilteredFeet,
    FilteredMarkers, Kernel, LargeSteps, MarkerFilterReport, Method, OneEuroReport, despike, filter,
    filter_auto, filter_markers, hold_filtered_feet, large_steps, one_euro,
};

use crate::error::InFile as _;
use crate::findings::finding_notes;
use crate::host::extension;
use crate::motion_verb::{Job, Made, MotionReport, MotionVerb, Written, write_made};
use crate::{Error, Output, Reading, seams};

/// Removes jitter from rotations and paths, without the artefacts of smoothing angles or quaternions
///
/// Feet that stand in the source stand still in the result; --feet free filters and no more. Markers in a C3D or TRC file stay markers when the output is a TRC file.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki filter noisy.bvh clean.bvh --auto\n  \
                        ugoki filter noisy.bvh clean.bvh --kernel gauss:2.5\n  \
                        ugoki filter live.bvh calm.bvh --kernel one-euro:1,0.5 --feet free\n  \
                        ugoki filter noisy.bvh clean.bvh --despike --kernel savgol:11,3\n  \
                        ugoki filter session.c3d clean.trc --kernel gauss:2")]
pub struct Filter {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,

    /// box:TAPS, gauss:SIGMA_FRAMES, binomial:TAPS, savgol:TAPS,DEGREE, taps:W,W,W, one-euro:CUTOFF_HZ,BETA (as live; BETA in Hz
    /// per rad/s) or one-euro-zero-lag:CUTOFF_HZ,BETA (forward and backward)
    #[arg(long)]
    #[schemars(with = "Option<String>")]
    pub kernel: Option<FilterShape>,

    /// Estimate the noise of every joint and choose its kernel
    #[arg(long, conflicts_with = "kernel")]
    pub auto: bool,

    /// How rotations are combined; article is the published algorithm, the raw ones show what goes wrong without care for signs
    #[arg(long, value_enum, default_value = "path")]
    pub method: Method,

    /// What happens where the kernel reaches over an end
    #[arg(long, value_enum, default_value = "reflect")]
    pub edge: Edge,

    /// Which standing feet are held
    #[arg(long, value_enum, default_value = "all")]
    pub feet: FeetAt,

    /// First remove glitches of up to a tenth of a second, and say which
    #[arg(long)]
    pub despike: bool,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What filtering did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// Glitches removed, when asked.
    pub despike: Option<DespikeReport>,
    /// What the kernel did, when there is one.
    pub filter: Option<FilterReport>,
    /// What a One-Euro filter did, when there is one.
    pub one_euro: Option<OneEuroReport>,
    /// What was estimated and chosen, when asked.
    pub auto: Option<AutoReport>,
    /// How standing feet were held; none when they are free, not known, or did not move.
    pub feet: Option<FilteredFeet>,
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
        let shape = match &self.kernel {
            Some(FilterShape::Taps(shape)) => shape,
            Some(_) => {
                return Err(Error::option("--kernel", "is for the joints of a body")
                    .hint("give one such as gauss:2.5"));
            }
            None => {
                return Err(
                    Error::option("--kernel", "is missing").hint("give one such as gauss:2.5 or box:51")
                );
            }
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

    fn check(&self) -> Result<(), Error> {
        match self.kernel.is_none() && !self.despike && !self.auto {
            true => Err(Error::option("--kernel", "is missing")
                .hint("give one such as gauss:2.5 or box:51, or --auto or --despike")),
            false => Ok(()),
        }
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
        let hold_feet = seams::are_feet_held(self.feet)?;
        let config = FilterConfig { method: self.method, edge: self.edge };
        let mut report = Report::default();
        let mut clip = read.clip.clone();
        if self.despike {
            let mended = despike(&clip, &DespikeConfig::default(), &mut |part| (job.progress)(0.3 * part))?;
            clip = mended.clip;
            report.despike = Some(mended.report);
            report.large_steps = large_steps(&clip);
        }
        let progress: Progress<'_> = &mut |part| (job.progress)(0.3 + 0.4 * part);
        let source = clip.clone();
        match &self.kernel {
            Some(FilterShape::Taps(shape)) => {
                let filtered = filter(&clip, &Kernel::build(shape)?, config, progress)?;
                (clip, report.filter) = (filtered.clip, Some(filtered.report));
            }
            Some(FilterShape::OneEuro(euro) | FilterShape::OneEuroZeroLag(euro)) => {
                let zero_lag = matches!(self.kernel, Some(FilterShape::OneEuroZeroLag(_)));
                let (result, done) = one_euro(&clip, euro, zero_lag, progress)?;
                (clip, report.one_euro) = (result, Some(done));
            }
            None if self.auto => {
                let (result, done) = filter_auto(&clip, progress)?;
                (clip, report.auto) = (result, Some(done));
            }
            None => {}
        }
        // What only lost its glitches keeps all else.
        if hold_feet && (self.kernel.is_some() || self.auto) {
            let held = hold_filtered_feet(&source, &clip, &mut |part| (job.progress)(0.7 + 0.3 * part))?;
            if let Some((result, feet)) = held {
                (clip, report.feet) = (result, Some(feet));
            }
        }
        Ok(Made::new(clip, FilterOutcome::Motion(Box::new(report))))
    }
}

/// What filtering did to a motion or to markers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FilterOutcome {
    /// To a motion.
    Motion(Box<Report>),
    /// To markers.
    Markers(MarkerFilterReport),
}

impl MotionReport for FilterOutcome {
    fn text(&self, [input, output]: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{input} → {output}")?;
        match self {
            Self::Markers(filter) => write!(f, "\n{filter}"),
            Self::Motion(report) => {
                let Report { despike, filter, one_euro, auto, feet, large_steps } = &**report;
                despike.iter().try_for_each(|report| write!(f, "\n{report}"))?;
                large_steps.iter().try_for_each(|report| write!(f, "\n{report}"))?;
                filter.iter().try_for_each(|report| write!(f, "\n{report}"))?;
                one_euro.iter().try_for_each(|report| write!(f, "\n{report}"))?;
                auto.iter().try_for_each(|report| write!(f, "\n{report}"))?;
                feet.iter().try_for_each(|report| write!(f, "\n{report}"))
            }
        }
    }
}
