//! What a clip is like, found by the program: numbers first, then the automatic tags that they decide.
//!
//! ```text
//! derived clip ─find_contacts→ contacts ──────────┐
//!              └─hips, facing, limbs, gait────────┴─measure→ Description { measures, tags }
//! ```
//!
//! Every threshold stands here with its unit and reason; `docs/formats/database.md` lists them for users and
//! `docs/results/database.md` holds the table over real captures.

mod centre;
mod feet;
mod gait;
mod limbs;
mod path;
#[cfg(test)]
mod properties;
mod tags;

use crate::Measures;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, forward_kinematics_into};
use ugoki_feet::contact::Contacts;

use feet::Feet;
use gait::Gait;
use limbs::Limbs;
use path::Path;

pub use tags::AUTOMATIC as AUTOMATIC_TAGS;

/// Leg of the adult that all lengths and speeds of thresholds are meant for, metres. Clips of a database are moved onto
/// its skeleton by size alone, so a smaller skeleton makes every way and speed smaller by as much: they are judged as
/// if the leg were this long.
const LEG_M: f64 = 0.85;

/// What a clip is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The numbers.
    pub measures: Measures,
    /// Automatic tags, sorted.
    pub tags: Vec<String>,
}

/// Describes a human clip without T-pose frame; `None` when it has no frames or its hips are not known.
///
/// Without contacts (no feet found) the steps are 0 and nothing is said about them.
#[must_use]
pub fn describe(clip: &Clip, contacts: Option<&Contacts>) -> Option<Description> {
    let scale = gait::leg_m(clip.skeleton()).map_or(1.0, |leg_m| leg_m / LEG_M);
    let poses = model_poses(clip, scale);
    let path = Path::measure(clip, &poses)?;
    let limbs = Limbs::measure(clip, &poses);
    let feet = contacts.map(|contacts| Feet::measure(clip, &poses, contacts, scale)).unwrap_or_default();
    let gait = Gait::measure(clip, &poses).unwrap_or_default();
    let measures = Measures {
        speed_m_s: path.speed_m_s * scale,
        peak_m_s: path.peak_m_s * scale,
        path_m: path.path_m * scale,
        turn_deg: path.turn_deg,
        left_deg: path.left.degrees,
        right_deg: path.right.degrees,
        rise_m: path.rise_m * scale,
        steps: feet.steps,
        flights: feet.flights.len(),
    };
    let tags = tags::tags(clip, &path, &limbs, &feet, &gait);
    Some(Description { measures, tags })
}

/// World poses of all frames, `scale` times smaller, with one buffer for the local ones.
fn model_poses(clip: &Clip, scale: f64) -> Vec<ModelPose> {
    let factor = (1.0 / scale) as f32;
    let mut pose = ugoki_base::pose::Pose::rest(clip.skeleton());
    (0..clip.num_frames())
        .map(|frame| {
            let mut out = ModelPose::default();
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(clip.skeleton(), &pose, &mut out);
            out.positions.iter_mut().for_each(|position| *position *= factor);
            out
        })
        .collect()
}

/// Centred moving mean over about `seconds`; shorter at the ends.
fn smooth(values: &[f64], fps: f64, seconds: f64) -> Vec<f64> {
    let half = ((seconds * fps / 2.0).round() as usize).max(1);
    let mut sums = Vec::with_capacity(values.len() + 1);
    sums.push(0.0);
    for value in values {
        sums.push(sums[sums.len() - 1] + value);
    }
    (0..values.len())
        .map(|i| {
            // As far to the left as to the right, so that a steady motion stays steady at the ends.
            let reach = half.min(i).min(values.len() - 1 - i);
            (sums[i + reach + 1] - sums[i - reach]) / (2 * reach + 1) as f64
        })
        .collect()
}
