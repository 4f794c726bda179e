//! `edit`: bends a segment so that its handles end where, and if asked how fast, they must.

use std::fmt;

use glam::Vec3;
use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::edit::{
    Distribution, EditConfig, EditReport, HandlePaths, HandleReport, HandleRequest, edit_handles,
    handle_paths,
};
use ugoki::formats::Read;
use ugoki::picture::{Curve, Plot, PlotMark, stacked_plots_svg};
use ugoki::reconstruct::Rebuild;

use crate::motion_verb::{Made, MotionVerb};
use crate::plots::check_plot_name;
use crate::text_form::as_texts;
use crate::{Error, Host, Output, Reading, Span};

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
    pub distribute: Distribute,

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

/// How a displacement is distributed over a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Distribute {
    /// i/n, whatever moves.
    #[value(help = None)]
    Linear,
    /// In proportion to speed; the velocity is not asked for.
    #[value(help = None)]
    Position,
    /// Position and velocity at once, with the least change of acceleration.
    #[value(help = None)]
    OneStage,
    /// The position in proportion to speed, then the velocity.
    #[value(help = None)]
    TwoStage,
}

impl From<Distribute> for Distribution {
    fn from(how: Distribute) -> Self {
        match how {
            Distribute::Linear => Self::Linear,
            Distribute::Position => Self::Position,
            Distribute::OneStage => Self::OneStage,
            Distribute::TwoStage => Self::TwoStage,
        }
    }
}

fn as_text<T: fmt::Display, S: serde::Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// What was asked of the handles and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// How the displacement was distributed.
    pub distribute: Distribute,
    /// How the body was rebuilt.
    #[serde(serialize_with = "as_text")]
    pub rebuild: Rebuild,
    /// Handles, skeleton and texture.
    #[serde(flatten)]
    pub edited: EditReport,
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
        self.plot.as_deref().map_or(Ok(()), check_plot_name)
    }

    fn make(
        &self,
        [input, output]: [&str; 2],
        read: &Read,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Made<Report>, Error> {
        let clip = &read.clip;
        let frames = self.segment.unwrap_or_default().frames(clip)?;
        let config = EditConfig { distribution: self.distribute.into(), rebuild: self.rebuild };
        let edited = edit_handles(clip, &frames, &self.handles, &config, progress)?;
        if let Some(file) = &self.plot {
            let paths = handle_paths(clip, &frames, &self.handles)?;
            host.write(file, draw(&paths, clip.fps(), clip.first_row()).as_bytes())?;
        }
        let report = Report {
            input: input.to_owned(),
            output: output.to_owned(),
            distribute: self.distribute,
            rebuild: self.rebuild,
            edited: edited.report,
        };
        Ok(Made::new(edited.clip, report))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, output, edited, .. } = self;
        write!(
            f,
            "{input} → {output}: {:.3} to {:.3} s ({} frames), {}, {}\n  handles",
            edited.start_s,
            edited.end_s,
            edited.frames,
            Distribution::from(self.distribute).name(),
            self.rebuild
        )?;
        for handle in &edited.handles {
            write_handle(f, handle)?;
        }
        let s = &edited.skeleton;
        write!(
            f,
            "\n  skeleton\n    bones {:.3} mm, handles and standing feet {:.2} mm off, relaxation {:.2} mm\n    \
             hips moved {:.1} mm, other feet {:.2} mm",
            s.bone_mm, s.residual_mm, s.relaxation_mm, s.hips_mm, s.feet_mm
        )?;
        let t = &edited.texture;
        write!(
            f,
            "\n  texture\n    joints turned by {:.2}° on average, {:.1}° at most",
            t.mean_deg, t.max_deg
        )?;
        if !t.joints.is_empty() {
            let joints = t.joints.iter().map(|joint| format!("{} {:.1}°", joint.joint, joint.max_deg));
            write!(f, "\n    {}", joints.collect::<Vec<_>>().join(", "))?;
        }
        match edited.returned_s {
            Some(second) => write!(f, "\n  as captured again from {second:.3} s"),
            None => write!(f, "\n  displaced to the end of the motion"),
        }
    }
}

fn write_handle(f: &mut fmt::Formatter<'_>, handle: &HandleReport) -> fmt::Result {
    let vector = |[x, y, z]: [f32; 3]| format!("{x:.3}, {y:.3}, {z:.3}");
    write!(
        f,
        "\n    {} at {:.3} s: asked {}; reached {} ({:.2} mm off)",
        handle.joint,
        handle.at_s,
        vector(handle.asked_m),
        vector(handle.reached_m),
        handle.off_mm
    )?;
    let asked = handle.velocity_asked_m_s.map_or_else(String::new, |v| format!("asked {} m/s; ", vector(v)));
    write!(f, "\n      velocity {asked}reached {} m/s", vector(handle.velocity_reached_m_s))?;
    if !handle.is_met() {
        write!(f, "\n      warning: out of reach; this is the nearest place")?;
    }
    if handle.is_dragged {
        write!(
            f,
            "\n      warning: the foot stands in the whole segment and is dragged; begin with the swing before"
        )?;
    }
    Ok(())
}

/// For each handle its paths from the side, and its speeds.
fn draw(paths: &[HandlePaths], fps: f64, first_row: usize) -> String {
    let plots: Vec<Plot> =
        paths.iter().flat_map(|paths| [side_view(paths), speeds(paths, fps, first_row)]).collect();
    stacked_plots_svg(&plots)
}

/// Names and paths: as captured, then by distribution.
fn curves(paths: &HandlePaths) -> impl Iterator<Item = (&'static str, &Vec<Vec3>)> + Clone {
    let edited = Distribution::ALL.iter().map(|how| how.name()).zip(&paths.edited);
    std::iter::once(("captured", &paths.captured)).chain(edited)
}

/// Height over the way along the ground on which the paths are longest.
fn side_view(paths: &HandlePaths) -> Plot {
    let along = main_direction(curves(paths).flat_map(|(_, path)| path));
    let point = |place: &Vec3| [f64::from(place.dot(along)), f64::from(place.y)];
    let mut drawn: Vec<Curve> = curves(paths)
        .map(|(name, path)| Curve {
            name: name.to_owned(),
            points: path.iter().map(point).collect(),
            dashed: name == "captured",
        })
        .collect();
    // A cross at every place asked for.
    let places: Vec<[f64; 2]> = paths.asked.iter().map(|(_, place)| point(place)).collect();
    let size = |axis: usize| {
        let values = || drawn.iter().flat_map(|curve| curve.points.iter().map(move |point| point[axis]));
        0.012 * (values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)).max(1e-3)
    };
    let (w, h) = (0.4 * size(0), size(1));
    let cross = places
        .iter()
        .flat_map(|&[x, y]| [[x - w, y], [x + w, y], [f64::NAN; 2], [x, y - h], [x, y + h], [f64::NAN; 2]]);
    let cross = cross.collect();
    drawn.push(Curve { name: "asked".to_owned(), points: cross, dashed: false });
    Plot {
        title: format!("{}: path", paths.joint),
        x_label: "along the ground (m)".to_owned(),
        y_label: "height (m)".to_owned(),
        curves: drawn,
        marks: Vec::new(),
        width: 900,
        height: 420,
    }
}

fn speeds(paths: &HandlePaths, fps: f64, first_row: usize) -> Plot {
    let second = |frame: usize| (frame + first_row) as f64 / fps;
    let speed = |path: &Vec<Vec3>| -> Vec<[f64; 2]> {
        let steps = path.windows(2).map(|pair| f64::from(pair[0].distance(pair[1])) * fps);
        steps.enumerate().map(|(i, speed)| [second(paths.frames.start + i), speed]).collect()
    };
    let marks =
        paths.asked.iter().map(|(frame, _)| PlotMark { x: second(*frame), label: "asked".to_owned() });
    Plot {
        title: format!("{}: speed", paths.joint),
        x_label: "time (s)".to_owned(),
        y_label: "speed (m/s)".to_owned(),
        curves: curves(paths)
            .map(|(name, path)| Curve {
                name: name.to_owned(),
                points: speed(path),
                dashed: name == "captured",
            })
            .collect(),
        marks: marks.collect(),
        width: 900,
        height: 320,
    }
}

/// The horizontal direction in which points are spread most.
fn main_direction<'a>(points: impl Iterator<Item = &'a Vec3> + Clone) -> Vec3 {
    let count = points.clone().count().max(1) as f32;
    let mean = points.clone().sum::<Vec3>() / count;
    let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
    for point in points {
        let off = *point - mean;
        xx += off.x * off.x;
        xz += off.x * off.z;
        zz += off.z * off.z;
    }
    let angle = 0.5 * (2.0 * xz).atan2(xx - zz);
    let along = Vec3::new(angle.cos(), 0.0, angle.sin());
    // Ahead is to the right, where bodies begin facing +Z.
    if along.z + 0.5 * along.x < 0.0 { -along } else { along }
}
