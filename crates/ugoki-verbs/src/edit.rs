//! `edit`: bends a segment so that its handles end where, and if asked how fast, they must.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::clip::Clip;
use ugoki::edit::{
    Distribution, EditConfig, EditReport, HandlePaths, HandleRequest, edit_handles, handle_paths,
};
use ugoki::formats::Read;
use ugoki::picture::{HandlePlot, handle_plot, handle_plots_svg};
use ugoki::reconstruct::Rebuild;

use crate::motion_verb::{Job, Made, MotionReport, MotionVerb};
use crate::plots::check_plot_name;
use crate::text_form::as_texts;
use crate::{Error, Output, Reading, Span};

/// Bends a segment so that hands, feet or other joints end where, and if asked how fast, they must
///
/// The start of the segment and everything before it stay. After it, joints return to their captured paths. Feet that are not
/// handles stay where they were captured.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  ugoki edit reach.bvh out.bvh --segment 0.5:1.4 --handle rightHand@0.3,1.2,0.4\n  \
                  ugoki edit walk.bvh out.bvh --segment 33f:90f --handle leftFoot@+0,0,0.15 --plot paths.svg\n  \
                  ugoki edit wave.bvh out.bvh --segment 0.2:1.5 --handle rightHand@+0,0.1,0@0.8 --handle \
                  rightHand@0.3,1.1,0.3,0,0,0\n\n\
                  A handle is a joint, by role or by name. X,Y,Z is its place in the segment's last frame in metres, \
                  Y up; with a + in front, the way from where it was captured. VX,VY,VZ is its velocity there in metres \
                  per second. With a time @T, in seconds or frames, the segment is cut there. Feet that stand are moved in \
                  the swing before."
)]
pub struct Edit {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,

    /// The segment; the whole motion when not given
    #[arg(long, value_name = "A:B")]
    pub segment: Option<Span>,

    /// Where a joint must be at the segment's end, or at a time inside it; may be repeated
    #[arg(
        long = "handle",
        value_name = "JOINT@X,Y,Z[,VX,VY,VZ][@T]",
        required = true,
        allow_hyphen_values = true
    )]
    #[serde(serialize_with = "as_texts")]
    #[schemars(with = "Vec<String>")]
    pub handles: Vec<HandleRequest>,

    /// How the displacement is distributed over the segment: i/n; by speed, without the velocity; position and velocity at once;
    /// or the position first, then the velocity
    #[arg(long, value_enum, default_value = "two-stage")]
    pub distribute: Distribution,

    /// How the body is rebuilt around its handles: particle relaxation with so many sweeps, or closed form
    #[arg(long, value_name = "relax:N|closed", default_value_t = Rebuild::default())]
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub rebuild: Rebuild,

    /// Draw a plot: paths of each handle by the four distributions
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<String>,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

fn as_text<T: fmt::Display, S: serde::Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// What was asked of the handles and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// How the displacement was distributed.
    pub distribute: Distribution,
    /// How the body was rebuilt.
    #[serde(serialize_with = "as_text")]
    pub rebuild: Rebuild,
    /// Handles, skeleton and texture.
    #[serde(flatten)]
    pub edited: EditReport,
    /// What the plot shows, when one was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathReport>,
}

/// The paths of one handle before the body is rebuilt: as captured and by the four distributions, metres.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PathReport {
    /// The joint's name.
    pub joint: String,
    /// First frame, seconds.
    pub start_s: f64,
    /// Frames per second.
    pub fps: f64,
    /// Names of the paths, `captured` first.
    pub names: Vec<String>,
    /// One path for each name.
    pub paths: Vec<Vec<[f32; 3]>>,
}

impl MotionVerb for Edit {
    type Report = Report;

    const ACTIVITY: &'static str = "editing";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn side_files(&self) -> (Vec<&str>, Vec<&str>) {
        (Vec::new(), self.plot.as_deref().into_iter().collect())
    }

    fn check(&self) -> Result<(), Error> {
        check_plot_name(self.plot.as_deref())
    }

    fn make(&self, read: &Read, job: &mut Job<'_>) -> Result<Made<Report>, Error> {
        let clip = &read.clip;
        let frames = self.segment.unwrap_or_default().frames(clip)?;
        let config = EditConfig { distribution: self.distribute, rebuild: self.rebuild };
        let edited = edit_handles(clip, &frames, &self.handles, &config, job.progress)?;
        let mut reported = Vec::new();
        if let Some(file) = &self.plot {
            let paths = handle_paths(clip, &frames, &self.handles)?;
            reported = paths.iter().map(|paths| PathReport::new(paths, clip)).collect();
            let plots: Vec<HandlePlot> = paths.iter().map(|paths| handle_plot(paths, clip)).collect();
            job.host.write(file, handle_plots_svg(&plots).as_bytes())?;
        }
        let report = Report {
            distribute: self.distribute,
            rebuild: self.rebuild,
            edited: edited.report,
            paths: reported,
        };
        Ok(Made::new(edited.clip, report))
    }
}

impl MotionReport for Report {
    fn text(&self, [input, output]: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edited = &self.edited;
        write!(
            f,
            "{input} → {output}: {:.3} to {:.3} s ({} frames), {}, {}\n{edited}",
            edited.start_s,
            edited.end_s,
            edited.frames,
            self.distribute.name(),
            self.rebuild
        )
    }
}

impl PathReport {
    fn new(paths: &HandlePaths, clip: &Clip) -> Self {
        let plot = handle_plot(paths, clip);
        Self {
            joint: paths.joint.clone(),
            start_s: plot.start_s,
            fps: plot.fps,
            names: plot.paths.iter().map(|(name, _)| (*name).to_owned()).collect(),
            paths: plot
                .paths
                .iter()
                .map(|(_, path)| path.iter().map(glam::Vec3::to_array).collect())
                .collect(),
        }
    }
}
