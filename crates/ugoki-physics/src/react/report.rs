//! Report of every frame, and the whole result.

use glam::DVec3;
use serde::Serialize;
use ugoki_base::clip::Clip;
use ugoki_base::math::angle_between;
use ugoki_base::skeleton::Role;

use crate::dynamics::Body;

/// How much the controller added in each part of the body, rad/s²: length of the corrections' vector.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Corrections {
    /// Shoulders and elbows.
    pub arms: f64,
    /// The back.
    pub back: f64,
    /// Pelvis and legs.
    pub lower: f64,
}

/// What one foot got from the ground.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct FootForce {
    /// Force, world axes, N.
    pub force_n: [f64; 3],
    /// Its centre of pressure, world, m; meaningless without force.
    pub at_m: [f64; 3],
}

/// One frame's numbers: the last step before the frame; torques and loads the largest, forces the means over the
/// frame's steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Frame {
    /// Seconds from the clip's first row.
    pub t: f64,
    /// Root mean square over the joints of the angle to the target, degrees.
    pub tracking_error_deg: f64,
    /// Distance of the pelvis from where the target has it, seen from the planted feet, m.
    pub root_error_m: f64,
    /// Distance of the pelvis from where the target has it in the world, m.
    pub world_offset_m: f64,
    /// Torque of the muscles of each link's joint, N·m, in the body's link order (the root's is 0).
    pub torque_n_m: Vec<f64>,
    /// Muscle load of each joint (torque divided by strength); over 1 where the target itself needs more.
    pub load: Vec<f64>,
    /// Torque with which each joint passively resists fast motion and the end of its range (tendons, ligaments, bones),
    /// N·m.
    pub passive_torque_n_m: Vec<f64>,
    /// Whether each joint's muscles were asked for more than they have.
    pub clamped: Vec<bool>,
    /// Load of the undisturbed target.
    pub target_load: Vec<f64>,
    /// Zero-moment point of the ground's force, (x, z) in m; none in flight.
    pub zmp_m: Option<[f64; 2]>,
    /// Distance of the ZMP from the border of the support polygon, positive inside, m.
    pub margin_m: Option<f64>,
    /// Corners of the support polygon, (x, z) in m.
    pub polygon_m: Vec<[f64; 2]>,
    /// What the controller added, part by part.
    pub corrections: Corrections,
    /// What the controller added at each link's joint, world axes, rad/s²: the paper's arrows.
    pub correction_axes: Vec<[f64; 3]>,
    /// Forces on the left and the right foot.
    pub feet: [FootForce; 2],
    /// Force of the ground on all other links together, N.
    pub other_ground_force_n: [f64; 3],
    /// Force that the target itself needs and no ground could give, N: the capture's error, carried along and varied by
    /// at most 5 % of the weight.
    pub residual_force_n: [f64; 3],
    /// The same for the moment about the pelvis, N·m, world axes; it varies by at most the weight on a lever of 2 cm.
    pub residual_moment_n_m: [f64; 3],
    /// Whether the target lacks the ground to stand on here (its residual, ZMP or friction): the default control follows
    /// it without relief and balance.
    pub flagged: bool,
    /// Whether the body is falling.
    pub falling: bool,
    /// Whether something hit the body in this frame's steps.
    pub struck: bool,
    /// What no body could do here, judged from the written motion alone.
    pub impossible: Vec<Impossible>,
}

/// What a frame of the written motion would need and no body and no ground could give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Impossible {
    /// The ground would have to pull.
    Pull,
    /// The ground would have to rub harder than friction allows.
    Rub,
    /// The ground would have to act outside the feet.
    OutsideFeet,
    /// The joint of this link would need more than it may give.
    Weak(usize),
}

/// How a reaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// On the target in the world: joints, ZMP, place and direction.
    Recovered,
    /// Doing what the target does, but in another place or direction.
    Displaced,
    /// Standing, but not doing what the target does.
    OffTarget,
    /// Fallen.
    Fell,
}

impl Outcome {
    /// Whether the body does what the target does at the end, wherever it is.
    #[must_use]
    pub fn follows(self) -> bool {
        matches!(self, Self::Recovered | Self::Displaced)
    }
}

/// The reaction to everything that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Reaction {
    /// The motion, on the input's skeleton, rate and frames.
    pub clip: Clip,
    /// The target as it was followed: smoothed and without glitches.
    pub target: Clip,
    /// One per frame of motion; an added T-pose has none.
    pub frames: Vec<Frame>,
    /// Names (roles) of the links, for the lists in [`Frame`].
    pub links: Vec<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// When balance was lost for good, seconds from the clip's first row.
    pub fell_at_s: Option<f64>,
    /// Weight of the body with its loads, N.
    pub weight_n: f64,
    /// How well the body's joints could take the target's pose.
    pub fit: FitReport,
}

/// Joints whose deviation from the target is not the controller's choice.
const BACK_AND_LEGS: [Role; 7] = [
    Role::Spine,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
];

impl Reaction {
    /// Root mean square over back and legs of the angle to the target in the worst frame, degrees; arms move on
    /// purpose.
    #[must_use]
    pub fn worst_of_back_and_legs_deg(&self) -> f64 {
        let skeleton = self.clip.skeleton();
        let joints: Vec<usize> = BACK_AND_LEGS.iter().filter_map(|&role| skeleton.find(role)).collect();
        let square = |frame: usize| {
            let angle =
                |&j: &usize| angle_between(self.clip.rotation(j, frame), self.target.rotation(j, frame));
            joints.iter().map(|j| f64::from(angle(j)).powi(2)).sum::<f64>() / joints.len().max(1) as f64
        };
        self.clip.motion_frames().map(square).fold(0.0, f64::max).sqrt().to_degrees()
    }
}

/// How well the body's 36 degrees of freedom could take the poses of the clip.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct FitReport {
    /// Root mean square angle between the clip's joints and the body's links, degrees.
    pub rms_deg: f64,
    /// The largest, degrees.
    pub worst_deg: f64,
    /// Role of the link with the largest.
    pub worst_link: String,
    /// Largest distance of an ankle from the clip's, m.
    pub ankle_m: f64,
    /// Glitches mended before, joint-frames.
    pub mended: usize,
}

/// The largest at one joint in the steps of a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Peak {
    /// Of its muscles, N·m, and divided by strength.
    pub(super) torque: f64,
    pub(super) load: f64,
    /// Passive, against fast motion and the end of its range, N·m.
    pub(super) passive: f64,
    /// Whether it was asked for more than it has.
    pub(super) clamped: bool,
}

/// The sum of forces at points, kept until a frame is written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ForceSum {
    pub(super) force: DVec3,
    /// Σ normal force · place.
    pub(super) weighted: DVec3,
    pub(super) normal: f64,
}

impl ForceSum {
    pub(super) fn add(&mut self, force: DVec3, at: DVec3) {
        self.force += force;
        self.weighted += at * force.y;
        self.normal += force.y;
    }

    pub(super) fn mean(&self, steps: usize) -> FootForce {
        let at = if self.normal > 0.0 { self.weighted / self.normal } else { DVec3::ZERO };
        FootForce { force_n: (self.force / steps.max(1) as f64).to_array(), at_m: at.to_array() }
    }
}

/// Root mean square over the joints (not the root) of the angle off, radians.
pub(super) fn joint_error(body: &Body, off: &[f64]) -> f64 {
    let joints = &body.links()[1..];
    let square: f64 = joints.iter().map(|link| off[link.dofs()].iter().map(|x| x * x).sum::<f64>()).sum();
    (square / joints.len().max(1) as f64).sqrt()
}
