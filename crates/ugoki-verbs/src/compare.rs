//! `compare`: the distance between two motions.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::metric::{self, AngleError, Comparison, Stats};

use crate::{Error, Host, Reading, Stream, Verb};

/// Measures how far two motions are apart
///
/// B is resampled to A's rate; their common time and common joints are compared.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki compare original.bvh filtered.bvh")]
pub struct Compare {
    /// First motion file; its rate is used
    pub a: String,

    /// Second motion file
    pub b: String,

    /// JSON file {"mean": […], "std": […]}, x y z of each compared joint in the order of `compared.joints`,
    /// for LAFAN1's normalised L2P
    #[arg(long, value_name = "FILE")]
    pub stats: Option<String>,

    /// Refuse motions of another rate or skeleton instead of adapting them
    #[arg(long)]
    pub strict: bool,

    /// How to read both.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

impl Verb for Compare {
    type Report = Report;

    const ACTIVITY: &'static str = "comparing";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        let Self { a, b, .. } = self;
        if a == "-" && b == "-" {
            return Err(
                Error::refused("standard input can be read once").hint("give one of the two as a file")
            );
        }
        let first = host.motion(a, &self.reading)?.clip;
        let second = host.motion(b, &self.reading)?.clip;
        for adaptation in adaptations(&first, &second) {
            if self.strict {
                return Err(Error::refused(adaptation).hint("leave out --strict to allow that").in_file(b));
            }
            host.note(&format!("note: {adaptation}"));
        }
        let stats = self.stats.as_deref().map(|name| statistics(name, host)).transpose()?;
        compare(&first, &second, stats.as_ref(), progress)
            .map_err(|error| error.in_file(&format!("{a} and {b}")))
    }
}

fn statistics(name: &str, host: &mut dyn Host) -> Result<Stats, Error> {
    let text = host.text(name, "statistics as JSON")?;
    serde_json::from_str(&text)
        .map_err(|error| Error::refused(format!("not statistics: {error}")).in_file(name))
}

/// How far apart the motions are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What was compared.
    pub compared: Compared,
    /// Rotation of each joint, degrees.
    pub angle_deg: AngleError,
    /// Mean over frames of the 2-norm of all global joint positions' difference, metres.
    pub l2p: f64,
    /// The same for global quaternions.
    pub l2q: f64,
    /// Power spectrum similarity of the global quaternions.
    pub npss: f64,
    /// Mean jerk of each motion, m/s³.
    pub jerk: [f64; 2],
    /// Mean speed of standing feet in each motion, m/s.
    pub foot_skate_m_s: [Option<f64>; 2],
}

/// What two motions have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Length of the common time.
    pub seconds: f64,
    /// The common joints, by role or by name.
    pub joints: Vec<String>,
}

/// What must be done to `b` before it can be compared with `a`, in words; empty when nothing.
fn adaptations(a: &Clip, b: &Clip) -> Vec<String> {
    let mut words = Vec::new();
    if (a.fps() / b.fps() - 1.0).abs() > 1e-9 {
        words.push(format!("the second motion is brought from {} to {} frames per second", b.fps(), a.fps()));
    }
    let names =
        |clip: &Clip| clip.skeleton().joints().iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    if names(a) != names(b) {
        words.push("the skeletons differ, so only their common joints are compared".to_owned());
    }
    words
}

/// Compares the motions over their common time and joints.
pub(crate) fn compare(
    a: &Clip,
    b: &Clip,
    stats: Option<&Stats>,
    progress: Progress<'_>,
) -> Result<Report, Error> {
    let Comparison { seconds, joints, angle_deg, l2p, l2q, npss, jerk, foot_skate_m_s } =
        metric::compare(a, b, stats, progress)?;
    let compared = Compared { seconds, joints };
    Ok(Report { compared, angle_deg, l2p, l2q, npss, jerk, foot_skate_m_s })
}

impl crate::Report for Report {
    const STREAM: Stream = Stream::Result;
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skate = |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |v| format!("{v:.4}"));
        writeln!(f, "compared    {} joints over {:.3} s", self.compared.joints.len(), self.compared.seconds)?;
        writeln!(f, "angle       mean {:.4}°, worst {:.4}°", self.angle_deg.mean, self.angle_deg.max)?;
        writeln!(f, "L2P         {:.6}", self.l2p)?;
        writeln!(f, "L2Q         {:.6}", self.l2q)?;
        writeln!(f, "NPSS        {:.6}", self.npss)?;
        writeln!(f, "jerk        {:.1} and {:.1} m/s³", self.jerk[0], self.jerk[1])?;
        let [a, b] = self.foot_skate_m_s.map(skate);
        write!(f, "foot skate  {a} and {b} m/s")
    }
}
