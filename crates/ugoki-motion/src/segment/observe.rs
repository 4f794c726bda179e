//! A body seen from its own hips and heading: where it stands and which way it faces do not matter.

use glam::{Quat, Vec3, Vec3Swizzles};
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton, facing, leg_length};

use super::SegmentError;

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

/// Limbs joint by joint, from the one next to the hips: the joint above, the joint, and how long the bone between them is on
/// the usual body, in legs from hip to ankle: means of seven people captured. What they are hardly matters, for everybody's
/// points are put on them; they weigh trunk against limbs.
const LIMBS: [(Role, Role, f32); 12] = [
    (Role::Hips, Role::LeftUpperLeg, 0.17),
    (Role::LeftUpperLeg, Role::LeftLowerLeg, 0.48),
    (Role::LeftLowerLeg, Role::LeftFoot, 0.52),
    (Role::LeftFoot, Role::LeftToes, 0.14),
    (Role::Hips, Role::RightUpperLeg, 0.17),
    (Role::RightUpperLeg, Role::RightLowerLeg, 0.48),
    (Role::RightLowerLeg, Role::RightFoot, 0.52),
    (Role::RightFoot, Role::RightToes, 0.14),
    (Role::LeftUpperArm, Role::LeftLowerArm, 0.34),
    (Role::LeftLowerArm, Role::LeftHand, 0.22),
    (Role::RightUpperArm, Role::RightLowerArm, 0.34),
    (Role::RightLowerArm, Role::RightHand, 0.22),
];
/// The joint that a limb's joint hangs from, in the way points are put on usual bones; `None` for trunk and head, whose points
/// are seen from the hips.
#[must_use]
pub fn limb_above(role: Role) -> Option<Role> {
    LIMBS.iter().find(|(_, below, _)| *below == role).map(|&(above, ..)| above)
}

/// The usual trunk, from the hips to between the shoulders, in legs: mean of the same people.
const TRUNK: f32 = 0.36;
/// A bone shorter than this, in legs, has no direction to speak of and stays as it is.
const NO_BONE: f32 = 0.02;
/// No bone is stretched or shortened by more: beyond it a skeleton is not a body's.
const MOST_STRETCH: f32 = 4.0;

/// Which joints of a skeleton are watched, in the order of their roles.
#[derive(Debug, Clone, PartialEq)]
pub struct Observer {
    hips: usize,
    points: Vec<(Role, usize)>,
    leg_metres: f32,
    /// For every point the bones from the hips to it: from, to, and by how much each is stretched. Empty for points that are
    /// taken where they are.
    bones: Vec<Vec<(usize, usize, f32)>>,
    /// Whether all of these are of usual lengths.
    usual: bool,
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
        let bones = vec![Vec::new(); points.len()];
        Ok(Self { hips, points, leg_metres: leg_or_likely(skeleton), bones, usual: false })
    }

    /// The same points as if the bones between them had a usual body's lengths: trunk and head are scaled as one, limbs bone
    /// by bone, directions stay. So bodies of other proportions that do the same have the same points, in legs.
    #[must_use]
    pub fn on_usual_bones(mut self, skeleton: &Skeleton) -> Self {
        let rest = skeleton.rest_positions();
        let leg = self.leg_metres;
        let stretch = |from: usize, to: usize, wanted: f32| {
            let own = rest[from].distance(rest[to]);
            let factor = wanted * leg / own;
            let usable = own > NO_BONE * leg && factor.is_finite();
            if usable { factor.clamp(1.0 / MOST_STRETCH, MOST_STRETCH) } else { 1.0 }
        };
        // The trunk reaches from the hips to between the shoulders, or to the neck.
        let shoulders = [Role::LeftUpperArm, Role::RightUpperArm].map(|role| skeleton.find(role));
        let top = match shoulders {
            [Some(left), Some(right)] => Some(rest[left].midpoint(rest[right])),
            _ => skeleton.find(Role::Neck).map(|neck| rest[neck]),
        };
        let trunk = top.map(|top| TRUNK * leg / top.distance(rest[self.hips]));
        let trunk = trunk.filter(|factor| factor.is_finite() && (0.25..=MOST_STRETCH).contains(factor));
        self.usual = trunk.is_some();
        for (number, &(role, joint)) in self.points.iter().enumerate() {
            let mut bones = Vec::new();
            let (mut role, mut joint) = (role, joint);
            // Up the limb as far as it is there; the rest of the way is the trunk's.
            while let Some((above, up, wanted)) = LIMBS
                .iter()
                .find(|(_, below, _)| *below == role)
                .and_then(|&(above, _, wanted)| Some((above, skeleton.find(above)?, wanted)))
            {
                bones.push((up, joint, stretch(up, joint, wanted)));
                (role, joint) = (above, up);
            }
            if joint != self.hips {
                // A tracker on a hand or foot hangs from nothing; the trunk's proportions say nothing of its limb.
                let hangs = LIMBS.iter().any(|(_, below, _)| *below == role);
                self.usual &= !hangs;
                bones.push((self.hips, joint, if hangs { 1.0 } else { trunk.unwrap_or(1.0) }));
            }
            self.bones[number] = bones;
        }
        self
    }

    /// Whether every point's way from the hips has been put on usual bones: distances to others' points then tell of movement
    /// alone. A body of trackers, which has no limbs between, keeps its own proportions.
    #[must_use]
    pub fn is_on_usual_bones(&self) -> bool {
        self.usual
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
        let find = |role: &Role| self.points.iter().position(|(own, _)| own == role);
        let kept: Vec<usize> = roles.iter().filter_map(find).collect();
        let points = kept.iter().map(|&at| self.points[at]).collect();
        let bones = kept.iter().map(|&at| self.bones[at].clone()).collect();
        Self { hips: self.hips, points, leg_metres: self.leg_metres, bones, usual: self.usual }
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
        self.from_hips_into(model, out);
        let back = Quat::from_rotation_y(-heading);
        for place in out {
            *place = back * *place;
        }
        heading
    }

    /// The points of one model pose relative to the hips, metres, along the axes of the world.
    pub fn from_hips_into(&self, model: &ModelPose, out: &mut [Vec3]) {
        let hips = model.positions[self.hips];
        for ((place, &(_, joint)), bones) in out.iter_mut().zip(&self.points).zip(&self.bones) {
            let at = |joint: usize| model.positions[joint];
            *place = match bones.as_slice() {
                [] => at(joint) - hips,
                bones => bones.iter().map(|&(from, to, factor)| factor * (at(to) - at(from))).sum(),
            };
        }
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
        let mut pose = ugoki_base::pose::Pose::rest(clip.skeleton());
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

    /// The same, to be changed.
    pub fn frame_mut(&mut self, frame: usize) -> &mut [Vec3] {
        &mut self.points[frame * self.num_points..(frame + 1) * self.num_points]
    }
}
