//! A stance: a pose in which it is known how the body stands, and so what each joint's own axes mean.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics};
use ugoki_base::skeleton::{Role, Skeleton};

use super::known_rigs::t_pose_turns;
use super::limbs::LIMBS;
use super::{RetargetError, Whose};

/// What told how a body stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The rest pose.
    Rest,
    /// A T-pose that was added in front of the capture.
    TPoseFrame,
    /// The T-pose that belongs to the rest pose of a known family of rigs: CMU's.
    KnownRig,
    /// The most upright frame of a clip whose rest pose is no body, its trunk and feet straightened to what they are on
    /// the average of the motion. A guess: how the body would stand at ease is not known.
    StandingFrame,
}

/// A skeleton in a pose in which it is known how the body stands.
#[derive(Debug, Clone)]
pub struct Stance {
    pub(super) skeleton: Arc<Skeleton>,
    /// What told.
    pub(super) evidence: Evidence,
    /// Local rotations of the stance.
    pub(super) local: Vec<DQuat>,
    /// World positions of the stance, metres.
    pub(super) positions: Vec<DVec3>,
    /// World rotations of the stance.
    pub(super) rotations: Vec<DQuat>,
    /// The body's left, up and front in the world of the stance: `world_from_body`.
    pub(super) body: DQuat,
    /// Hinge of upper arms and legs in their joints' frames where the motion shows it: left arm, right arm, left leg,
    /// right leg.
    pub(super) hinges: [Option<DVec3>; 4],
    /// The body's axes in the hips' frame on the average of the motion, where they are much the same all the time.
    pub(super) hips: Option<DQuat>,
}

/// Roles without which there is no body to move.
pub(super) const NEEDED: [Role; 7] = [
    Role::Hips,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
];

/// Trunk and legs of a standing body point apart by at least this, as a cosine: 120°. Where a rest pose lays offsets
/// along the bones' own axes they point the same way.
const APART: f64 = -0.5;
/// A leg of a standing body is within this of straight, as a cosine of its bend: 45°.
const STRAIGHT: f64 = 0.7;
/// Up and left of a rest pose this near an axis of the world are that axis, as a cosine: 20°. Bodies are not quite
/// symmetric and trunks lean a little; rest poses are drawn along the axes.
const SNAP: f64 = 0.94;
impl Stance {
    /// The stance of a rest pose, or the T-pose that is known to belong to it.
    ///
    /// # Errors
    /// When hips or legs are not known, or the rest pose is no standing body ([`RetargetError`] speaks of the target
    /// then; building a map for a source says so).
    pub fn from_rest(skeleton: &Arc<Skeleton>) -> Result<Self, RetargetError> {
        Self::rest(skeleton, Whose::Target)
    }

    /// What told how the body stands.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// The skeleton that stands.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    pub(super) fn rest(skeleton: &Arc<Skeleton>, whose: Whose) -> Result<Self, RetargetError> {
        needed(skeleton, whose)?;
        let pose = Pose::rest(skeleton);
        let model = forward_kinematics(skeleton, &pose);
        let (up, left) = standing(skeleton, &model.positions).ok_or(RetargetError::NoStance { whose })?;
        let up = snapped(up);
        let body = body_frame(up, snapped(left)).or_else(|| body_frame(up, left));
        let body = body.ok_or(RetargetError::NoStance { whose })?;
        if let Some(turns) = t_pose_turns(skeleton, &model.positions, body) {
            let mut pose = pose;
            for (joint, turn) in turns {
                pose.rotations[joint] = turn.as_quat();
            }
            let model = forward_kinematics(skeleton, &pose);
            return Ok(Self::new(skeleton, Evidence::KnownRig, &pose, &model, body));
        }
        Ok(Self::new(skeleton, Evidence::Rest, &pose, &model, body))
    }

    pub(super) fn new(
        skeleton: &Arc<Skeleton>,
        evidence: Evidence,
        pose: &Pose,
        model: &ModelPose,
        body: DQuat,
    ) -> Self {
        Self {
            skeleton: Arc::clone(skeleton),
            evidence,
            local: pose.rotations.iter().map(|q| q.as_dquat().normalize()).collect(),
            positions: model.positions.iter().map(|p| p.as_dvec3()).collect(),
            rotations: model.rotations.iter().map(|q| q.as_dquat().normalize()).collect(),
            body,
            hinges: [None; 4],
            hips: None,
        }
    }

    /// Place of a role's joint in the stance.
    pub(super) fn place(&self, role: Role) -> Option<DVec3> {
        Some(self.positions[self.skeleton.find(role)?])
    }
}

/// Refuses skeletons without hips and legs.
pub(super) fn needed(skeleton: &Skeleton, whose: Whose) -> Result<(), RetargetError> {
    let missing: Vec<Role> = NEEDED.into_iter().filter(|&role| skeleton.find(role).is_none()).collect();
    if missing.is_empty() { Ok(()) } else { Err(RetargetError::NoRoles { whose, missing }) }
}

fn middle(skeleton: &Skeleton, positions: &[Vec3], roles: &[Role]) -> Option<DVec3> {
    let found: Vec<DVec3> =
        roles.iter().filter_map(|&role| Some(positions[skeleton.find(role)?].as_dvec3())).collect();
    (!found.is_empty()).then(|| found.iter().sum::<DVec3>() / found.len() as f64)
}

/// From the hip joints up the trunk, unit.
pub(super) fn trunk(skeleton: &Skeleton, positions: &[Vec3]) -> Option<DVec3> {
    let high = middle(skeleton, positions, &[Role::LeftUpperArm, Role::RightUpperArm])
        .or_else(|| middle(skeleton, positions, &[Role::Neck]))
        .or_else(|| middle(skeleton, positions, &[Role::Head]))?;
    let low = middle(skeleton, positions, &[Role::LeftUpperLeg, Role::RightUpperLeg])?;
    (high - low).try_normalize()
}

/// To the body's left: hips and shoulders.
pub(super) fn left_of(skeleton: &Skeleton, positions: &[Vec3]) -> Option<DVec3> {
    let across = |left: Role, right: Role| {
        let (left, right) = (skeleton.find(left)?, skeleton.find(right)?);
        Some((positions[left] - positions[right]).as_dvec3())
    };
    let hips = across(Role::LeftUpperLeg, Role::RightUpperLeg);
    let shoulders = across(Role::LeftUpperArm, Role::RightUpperArm);
    (hips.unwrap_or_default() + shoulders.unwrap_or_default()).try_normalize()
}

/// Up and left of a standing body, unit; `None` when the joints do not stand.
pub(super) fn standing(skeleton: &Skeleton, positions: &[Vec3]) -> Option<(DVec3, DVec3)> {
    let trunk = trunk(skeleton, positions)?;
    let mut legs = DVec3::ZERO;
    for [upper, lower, end] in [LIMBS[2], LIMBS[3]] {
        let at = |role: Role| Some(positions[skeleton.find(role)?].as_dvec3());
        let thigh = (at(lower)? - at(upper)?).try_normalize()?;
        let shin = (at(end)? - at(lower)?).try_normalize()?;
        let leg = (at(end)? - at(upper)?).try_normalize()?;
        if leg.dot(trunk) > APART || thigh.dot(shin) < STRAIGHT {
            return None;
        }
        legs += leg;
    }
    let left = left_of(skeleton, positions)?;
    let up = (trunk - legs.normalize_or_zero()).try_normalize()?;
    (left.dot(up).abs() < STRAIGHT).then_some((up, left))
}

/// The nearest axis of the world where it is near; else `v`.
pub(super) fn snapped(v: DVec3) -> DVec3 {
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        if v.dot(axis).abs() > SNAP {
            return axis * v.dot(axis).signum();
        }
    }
    v
}

/// `world_from_body` whose X is left, Y up and Z front.
pub(super) fn body_frame(up: DVec3, left: DVec3) -> Option<DQuat> {
    let left = (left - up * left.dot(up)).try_normalize()?;
    Some(DQuat::from_mat3(&DMat3::from_cols(left, up, left.cross(up))))
}
