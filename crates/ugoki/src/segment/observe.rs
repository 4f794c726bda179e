//! A body seen from its own hips and heading: where it stands and which way it faces do not matter.

use glam::{Quat, Vec3, Vec3Swizzles};

use super::SegmentError;
use crate::clip::Clip;
use crate::pose::{ModelPose, forward_kinematics_into};
use crate::skeleton::{Role, Skeleton, facing, leg_length};

/// Length of the level part of a facing below which a body has no heading: 70 degrees up or down.
const LEVEL: f32 = 0.34;

/// Roles whose points are watched: everything but eyes, jaw and fingers, which few performers track.
fn watched(role: Role) -> bool {
    role.index() <= Role::Head.index()
        || (role.index() >= Role::LeftShoulder.index() && role.index() <= Role::LeftToes.index())
        || (role.index() >= Role::RightShoulder.index() && role.index() <= Role::RightToes.index())
}

/// Legs, hip to ankle, as multiples of the arms, shoulder to wrist, and of the trunk, hips to neck: from the segment lengths
/// 0.491, 0.332 and 0.288 of a body's height \[winter2009, fig. 4.1\].
const LEG_PER_ARM: f32 = 1.48;
const LEG_PER_TRUNK: f32 = 1.70;

/// Length of a leg; of a body without legs what its other parts make likely, so that half a body is not taken for a small one.
fn leg_or_likely(skeleton: &Skeleton) -> f32 {
    let usable = |length: &f32| length.is_finite() && *length > 0.01;
    let chain = |top: Role, below: Role| {
        let (top, mut at) = (skeleton.find(top)?, skeleton.find(below)?);
        let mut length = 0.0;
        while at != top {
            length += skeleton.length(at);
            at = skeleton.parent(at)?;
        }
        Some(length)
    };
    let arm =
        || chain(Role::LeftUpperArm, Role::LeftHand).or_else(|| chain(Role::RightUpperArm, Role::RightHand));
    let trunk = || chain(Role::Hips, Role::Neck).or_else(|| chain(Role::Hips, Role::Head));
    leg_length(skeleton)
        .filter(usable)
        .or_else(|| arm().filter(usable).map(|arm| LEG_PER_ARM * arm))
        .or_else(|| trunk().filter(usable).map(|trunk| LEG_PER_TRUNK * trunk))
        .unwrap_or(1.0)
}

/// Which joints of a skeleton are watched, in the order of their roles.
#[derive(Debug, Clone, PartialEq)]
pub struct Observer {
    hips: usize,
    points: Vec<(Role, usize)>,
    leg_metres: f32,
}

impl Observer {
    /// The points of every role but hips, eyes, jaw and fingers.
    ///
    /// # Errors
    /// When the hips are not known, or nothing else.
    pub fn build(skeleton: &Skeleton) -> Result<Self, SegmentError> {
        let hips = skeleton.find(Role::Hips).ok_or(SegmentError::Body { missing: "hips" })?;
        let of = |&role: &Role| Some((role, skeleton.find(role)?));
        let points: Vec<(Role, usize)> =
            Role::ALL.iter().filter(|&&role| role != Role::Hips && watched(role)).filter_map(of).collect();
        if points.is_empty() {
            return Err(SegmentError::Body { missing: "limbs" });
        }
        Ok(Self { hips, points, leg_metres: leg_or_likely(skeleton) })
    }

    /// Roles of the points, in order.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = Role> + '_ {
        self.points.iter().map(|&(role, _)| role)
    }

    /// How many points are watched.
    #[must_use]
    pub fn num_points(&self) -> usize {
        self.points.len()
    }

    /// Only the points of these roles, in their order; roles that the body lacks are left out.
    #[must_use]
    pub fn only(&self, roles: &[Role]) -> Self {
        let find = |role: &Role| self.points.iter().find(|(own, _)| own == role).copied();
        Self { points: roles.iter().filter_map(find).collect(), ..*self }
    }

    /// Length of a leg, metres; where the skeleton has none, what arms or trunk make likely, else 1.
    #[must_use]
    pub fn leg_metres(&self) -> f32 {
        self.leg_metres
    }

    /// The points of one model pose relative to hips and heading, metres. A body that faces the floor or the sky keeps
    /// the heading `before`. Gives the heading, radians from +Z to the left.
    ///
    /// # Panics
    /// If `out` is not as long as there are points, or the model is of another skeleton.
    pub fn observe_into(
        &self,
        skeleton: &Skeleton,
        model: &ModelPose,
        before: Option<f32>,
        out: &mut [Vec3],
    ) -> f32 {
        assert_eq!(out.len(), self.points.len(), "one place per point");
        let heading = facing(skeleton, &model.positions)
            .filter(|forward| forward.xz().length() > LEVEL)
            .map(|forward| forward.x.atan2(forward.z))
            .or(before)
            .unwrap_or(0.0);
        let back = Quat::from_rotation_y(-heading);
        let hips = model.positions[self.hips];
        for (place, &(_, joint)) in out.iter_mut().zip(&self.points) {
            *place = back * (model.positions[joint] - hips);
        }
        heading
    }
}

/// The watched points of a whole motion.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyPoints {
    num_points: usize,
    points: Vec<Vec3>,
    /// Hips in the world, per frame.
    pub hips: Vec<Vec3>,
    /// Heading per frame, radians, without jumps by whole turns.
    pub headings: Vec<f32>,
}

impl BodyPoints {
    /// Watches every frame of the motion; an added T-pose is left out.
    #[must_use]
    pub fn watch(observer: &Observer, clip: &Clip) -> Self {
        let frames = clip.motion_frames();
        let num_points = observer.num_points();
        let mut points = vec![Vec3::ZERO; num_points * frames.len()];
        let (mut hips, mut headings) = (Vec::with_capacity(frames.len()), Vec::<f32>::new());
        let mut model = ModelPose::default();
        let mut pose = crate::pose::Pose::rest(clip.skeleton());
        for (frame, out) in frames.zip(points.chunks_exact_mut(num_points)) {
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(clip.skeleton(), &pose, &mut model);
            let before = headings.last().copied();
            let heading = observer.observe_into(clip.skeleton(), &model, before, out);
            let turns = before.map_or(0.0, |before| ((heading - before) / std::f32::consts::TAU).round());
            headings.push(heading - turns * std::f32::consts::TAU);
            hips.push(model.positions[observer.hips]);
        }
        Self { num_points, points, hips, headings }
    }

    /// The points in another unit of length; hips stay in metres.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        for p in &mut self.points {
            *p *= factor;
        }
        self
    }

    /// How many frames there are.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.hips.len()
    }

    /// How many points every frame has.
    #[must_use]
    pub fn num_points(&self) -> usize {
        self.num_points
    }

    /// All points of one frame.
    #[must_use]
    pub fn frame(&self, frame: usize) -> &[Vec3] {
        &self.points[frame * self.num_points..(frame + 1) * self.num_points]
    }
}
