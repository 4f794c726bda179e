//! `compare`: how far two motions are apart.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error, Reading, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::metric::{self, AngleError, Comparison, Stats};

/// Ask how far two motions are apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The first motion file; its rate is used.
    pub a: String,
    /// The second motion file.
    pub b: String,
    /// A file with mean and deviation of every joint coordinate, for LAFAN1's normalised L2P.
    #[serde(default)]
    pub stats: Option<String>,
    /// Whether motions of different rate or skeleton are refused.
    #[serde(default)]
    pub strict: bool,
    /// How to read both.
    #[serde(default)]
    pub reading: Reading,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let arguments = reading_arguments(&self.reading, Arguments::new("compare"));
        arguments
            .option("stats", self.stats.as_ref())
            .flag("strict", self.strict)
            .file(&self.a)
            .file(&self.b)
            .finish()
    }
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
#[must_use]
pub fn adaptations(a: &Clip, b: &Clip) -> Vec<String> {
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
///
/// # Errors
/// When they have no time or no joints in common, the statistics do not fit, or the caller stops.
pub fn run(a: &Clip, b: &Clip, stats: Option<&Stats>, progress: Progress<'_>) -> Result<Report, Error> {
    let Comparison { seconds, joints, angle_deg, l2p, l2q, npss, jerk, foot_skate_m_s } =
        metric::compare(a, b, stats, progress)?;
    let compared = Compared { seconds, joints };
    Ok(Report { compared, angle_deg, l2p, l2q, npss, jerk, foot_skate_m_s })
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
