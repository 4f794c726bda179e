//! What acts on a body in a clip: data of a picture of forces.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::{Role, Skeleton};

/// What to draw about the forces in a clip.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forces {
    /// The motion that was followed, on the same skeleton; drawn in grey.
    pub target: Option<Clip>,
    /// One per frame of the clip; frames beyond have nothing.
    pub frames: Vec<ForceFrame>,
}

/// Forces in one frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForceFrame {
    /// Zero-moment point, (x, z) in m.
    pub zmp: Option<[f32; 2]>,
    /// Corners of the support polygon, (x, z) in m.
    pub polygon: Vec<[f32; 2]>,
    /// Height of the ground under them, m.
    pub height: f32,
    /// Where the controller accelerates the body: place, world, m; acceleration, m/s².
    pub arrows: Vec<[Vec3; 2]>,
    /// Balls other than the body: centre, world, and radius, m.
    pub balls: Vec<(Vec3, f32)>,
    /// Edges of boxes other than the body, world, m.
    pub edges: Vec<[Vec3; 2]>,
}

impl ForceFrame {
    /// Adds the edges of a box: centre, edge lengths and orientation in the world, m.
    pub fn add_box(&mut self, centre: DVec3, size: DVec3, rotation: DQuat) {
        let half = size * 0.5;
        let corner = |k: usize| {
            let sign = |axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
            (centre + rotation * (half * DVec3::new(sign(0), sign(1), sign(2)))).as_vec3()
        };
        for k in 0..8_usize {
            let ends = (0..3).filter(|axis| k >> axis & 1 == 0);
            self.edges.extend(ends.map(|axis| [corner(k), corner(k | 1 << axis)]));
        }
    }

    /// Adds the accelerations of the limbs' ends that follow from angular accelerations at their joints, rad/s²: α × r.
    pub fn add_arrows(&mut self, clip: &Clip, frame: usize, axes: &BTreeMap<Role, [f64; 3]>) {
        if axes.is_empty() {
            return;
        }
        let pose = clip.model_pose(frame);
        let skeleton = clip.skeleton();
        let arrow = |(role, axis): (&Role, &[f64; 3])| {
            let (joint, end) = (skeleton.find(*role)?, end_of(skeleton, *role)?);
            let at = pose.positions[end];
            let arm = at - pose.positions[joint];
            Some([at, DVec3::from_array(*axis).as_vec3().cross(arm)])
        };
        self.arrows.extend(axes.iter().filter_map(arrow));
    }
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

impl Forces {
    /// The greatest acceleration of all arrows, m/s².
    #[must_use]
    pub fn longest_m_s2(&self) -> f32 {
        let arrows = self.frames.iter().flat_map(|frame| &frame.arrows);
        arrows.map(|[_, a]| a.length()).filter(|a| a.is_finite()).fold(0.0, f32::max)
    }

    /// The same for an interval of the clip.
    #[must_use]
    pub fn trimmed(&self, frames: std::ops::Range<usize>) -> Self {
        let target = self.target.as_ref().and_then(|clip| {
            let range = frames.start.min(clip.num_frames())..frames.end.min(clip.num_frames());
            clip.trimmed(range).ok()
        });
        let part = self.frames.iter().skip(frames.start).take(frames.len()).cloned().collect();
        Self { target, frames: part }
    }
}
