//! The parts of a `react` report that a picture shows.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Vec3};
use serde::Deserialize;

use crate::Error;
use ugoki::clip::Clip;
use ugoki::picture::{ForceFrame, Forces};
use ugoki::react::world::{Place, Shape, Thing};
use ugoki::skeleton::{Role, Skeleton};

/// The parts of a `react` report that are drawn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ForceReport {
    /// The motion that was followed, as it was named.
    pub(crate) input: String,
    /// The resulting motion, as it was named.
    #[serde(default)]
    pub(crate) output: String,
    /// Height of the ground, m.
    #[serde(default)]
    floor_m: f64,
    /// The bodies of the scene file.
    #[serde(default)]
    bodies: Vec<Thing>,
    frames: Vec<ReportFrame>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct ReportFrame {
    t: f64,
    #[serde(default)]
    zmp: Option<[f64; 2]>,
    #[serde(default)]
    polygon: Vec<[f64; 2]>,
    #[serde(default)]
    correction_axes: BTreeMap<Role, [f64; 3]>,
    #[serde(default)]
    bodies: Vec<Option<Place>>,
}

impl ForceReport {
    /// Reads the JSON that `react --report` wrote.
    ///
    /// # Errors
    /// When it is something else.
    pub(crate) fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| {
            Error::option("--forces", error.to_string())
                .hint("give the JSON file that `ugoki react --report` wrote")
        })
    }

    /// Refuses a report with other frames than `clip`: it is about another motion.
    ///
    /// # Errors
    /// When they do not fit.
    pub(crate) fn check(&self, clip: &Clip) -> Result<(), Error> {
        let (reported, there) = (self.frames.len(), clip.motion_frames().len());
        let step = self.frames.windows(2).next().map_or(1.0 / clip.fps(), |pair| pair[1].t - pair[0].t);
        if reported == there && (step * clip.fps() - 1.0).abs() < 0.01 {
            return Ok(());
        }
        let message = format!(
            "the report tells of {reported} frames of {step:.4} s, the motion has {there} of {:.4} s",
            1.0 / clip.fps()
        );
        let output = if self.output.is_empty() { String::new() } else { format!(", {}", self.output) };
        Err(Error::option("--forces", message)
            .hint(format!("give the motion that `ugoki react` wrote with it{output}")))
    }

    /// What to draw on `clip`, the motion that was reported on; `target` is drawn in grey, each on its own skeleton.
    pub(crate) fn forces(&self, clip: &Clip, target: Option<Clip>) -> Forces {
        let mut frames = vec![ForceFrame::default(); clip.num_frames()];
        for reported in &self.frames {
            // Times count from the file's first row, also when an added T-pose was dropped.
            let row = (reported.t * clip.fps()).round() as usize;
            let Some(index) = row.checked_sub(clip.first_row()).filter(|index| *index < frames.len()) else {
                continue;
            };
            let place = |[x, z]: &[f64; 2]| [*x as f32, *z as f32];
            let (balls, edges) = things(&self.bodies, &reported.bodies);
            frames[index] = ForceFrame {
                balls,
                edges,
                zmp: reported.zmp.as_ref().map(place),
                polygon: reported.polygon.iter().map(place).collect(),
                height: self.floor_m as f32,
                arrows: arrows(clip, index, &reported.correction_axes),
            };
        }
        Forces { target, frames }
    }
}

/// Balls, and the edges of boxes, where they are.
#[allow(clippy::type_complexity)]
fn things(bodies: &[Thing], places: &[Option<Place>]) -> (Vec<(Vec3, f32)>, Vec<[Vec3; 2]>) {
    let (mut balls, mut edges) = (Vec::new(), Vec::new());
    for (body, place) in bodies.iter().zip(places) {
        let Some(place) = place else { continue };
        let at = DVec3::from_array(place.position_m);
        match body.shape {
            Shape::Ball => balls.push((at.as_vec3(), body.radius_m.unwrap_or_default() as f32)),
            Shape::Box => {
                let half = DVec3::from_array(body.size_m.unwrap_or_default()) * 0.5;
                let turn = DQuat::from_array(place.rotation);
                let corner = |k: usize| {
                    let sign = |axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
                    (at + turn * (half * DVec3::new(sign(0), sign(1), sign(2)))).as_vec3()
                };
                for k in 0..8_usize {
                    let ends = (0..3).filter(|axis| k >> axis & 1 == 0);
                    edges.extend(ends.map(|axis| [corner(k), corner(k | 1 << axis)]));
                }
            }
        }
    }
    (balls, edges)
}

/// Accelerations of the limbs' ends from angular accelerations at their joints: α × r.
fn arrows(clip: &Clip, frame: usize, axes: &BTreeMap<Role, [f64; 3]>) -> Vec<[Vec3; 2]> {
    if axes.is_empty() {
        return Vec::new();
    }
    let pose = clip.model_pose(frame);
    let skeleton = clip.skeleton();
    let arrow = |(role, axis): (&Role, &[f64; 3])| {
        let (joint, end) = (skeleton.find(*role)?, end_of(skeleton, *role)?);
        let at = pose.positions[end];
        let arm = at - pose.positions[joint];
        Some([at, DVec3::from_array(*axis).as_vec3().cross(arm)])
    };
    axes.iter().filter_map(arrow).collect()
}

/// The joint at the far end of the link that hangs on `role`.
fn end_of(skeleton: &Skeleton, role: Role) -> Option<usize> {
    let ends: &[Role] = match role {
        Role::Hips => &[Role::Spine],
        Role::Spine => &[Role::Neck, Role::Head],
        Role::Neck => &[Role::Head],
        Role::LeftUpperArm => &[Role::LeftLowerArm],
        Role::LeftLowerArm => &[Role::LeftHand],
        Role::RightUpperArm => &[Role::RightLowerArm],
        Role::RightLowerArm => &[Role::RightHand],
        Role::LeftUpperLeg => &[Role::LeftLowerLeg],
        Role::LeftLowerLeg => &[Role::LeftFoot],
        Role::LeftFoot => &[Role::LeftToes],
        Role::RightUpperLeg => &[Role::RightLowerLeg],
        Role::RightLowerLeg => &[Role::RightFoot],
        Role::RightFoot => &[Role::RightToes],
        _ => &[],
    };
    ends.iter().find_map(|end| skeleton.find(*end))
}
