//! A segment of a clip made ready to be bent: its handles' paths and turnings with δ, γ, ε, built once in f64.
//!
//! ```text
//! Clip, frames, handles ─build→ EditBasis ─(database)→ bend to targets ─edit_into→ a body per frame
//! ```
//!
//! Handles are hips, ankles, toes, wrists and head, and any joint that is named. Targets are met by the body: ankles and
//! wrists by closing their limbs, toes by moving their ankle, all others by relaxation that is aimed again by what it missed.

use std::ops::Range;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_base::{Progress, report};

use super::body::{Bodies, larger};
use super::{Bend, Distribution, EditError, PathBasis, TurnBasis, TurnBend};
use crate::reconstruct::{Rebuild, RebuildError, Residual};

/// What a segment may be bent by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handle {
    /// The joint with this role.
    Role(Role),
    /// The joint of this name.
    Joint(String),
}

impl Handle {
    /// The joint.
    ///
    /// # Errors
    /// When the skeleton does not have it.
    pub fn find(&self, skeleton: &Skeleton) -> Result<usize, EditError> {
        let (found, name) = match self {
            Self::Role(role) => (skeleton.find(*role), role.name()),
            Self::Joint(name) => {
                (skeleton.joints().iter().position(|joint| joint.name == *name), name.as_str())
            }
        };
        found.ok_or_else(|| EditError::NoHandle { name: name.to_owned() })
    }
}

/// The handles that bodies have, as far as a skeleton has them.
pub const HANDLES: [Role; 8] = [
    Role::Hips,
    Role::LeftFoot,
    Role::RightFoot,
    Role::LeftToes,
    Role::RightToes,
    Role::LeftHand,
    Role::RightHand,
    Role::Head,
];

/// One handle over a segment.
#[derive(Debug, Clone, PartialEq)]
pub struct HandleBasis {
    /// The joint's name.
    pub name: String,
    /// The joint.
    pub joint: usize,
    /// Its world path.
    pub path: PathBasis,
    /// Its world turning.
    pub turn: TurnBasis,
}

/// A segment with its handles; built once, never changed.
#[derive(Debug, Clone, PartialEq)]
pub struct EditBasis {
    pub(super) frames: Range<usize>,
    pub(super) handles: Vec<HandleBasis>,
}

/// How a handle must end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EndTarget {
    /// Which of the basis's handles.
    pub handle: usize,
    /// Where it must be in the segment's last frame, metres.
    pub position: Vec3,
    /// How it must be turned; as captured when absent.
    pub rotation: Option<Quat>,
    /// How fast it must move there, metres per frame; as captured when absent.
    pub velocity: Option<Vec3>,
}

/// A handle's bend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandleBend {
    handle: usize,
    path: Bend,
    turn: Option<TurnBend>,
}

impl EditBasis {
    /// For frames of a clip, the last of which is where targets are met; the frame after it tells how fast the end is. Without
    /// `handles` those of [`HANDLES`] that the skeleton has.
    ///
    /// # Errors
    /// When there are fewer than three frames, a handle is not there, or a position is not a finite number.
    pub fn build(clip: &Clip, frames: Range<usize>, handles: &[Handle]) -> Result<Self, EditError> {
        let skeleton = clip.skeleton();
        let motion = clip.motion_frames();
        if frames.start < motion.start || frames.end > motion.end || frames.len() < 3 {
            let inside = frames.start.max(motion.start)..frames.end.min(motion.end);
            return Err(EditError::TooShort { samples: inside.len().min(frames.len()) });
        }
        let joints = joints_of(skeleton, handles)?;
        let last = (frames.end + 1).min(motion.end);
        let poses: Vec<ModelPose> = (frames.start..last).map(|frame| clip.model_pose(frame)).collect();
        let build = |&joint: &usize| -> Result<HandleBasis, EditError> {
            let places: Vec<Vec3> = poses.iter().map(|pose| pose.positions[joint]).collect();
            let turns: Vec<Quat> = poses.iter().map(|pose| pose.rotations[joint]).collect();
            let count = frames.len();
            Ok(HandleBasis {
                name: skeleton.joint(joint).name.clone(),
                joint,
                path: PathBasis::build(&places[..count], places.get(count).copied())?,
                turn: TurnBasis::build(&turns[..count], turns.get(count).copied())?,
            })
        };
        let handles = joints.iter().map(build).collect::<Result<_, _>>()?;
        Ok(Self { frames, handles })
    }

    /// The segment's frames in its clip.
    #[must_use]
    pub fn frames(&self) -> Range<usize> {
        self.frames.clone()
    }

    /// The handles, in the order that targets name them.
    #[must_use]
    pub fn handles(&self) -> &[HandleBasis] {
        &self.handles
    }

    /// The handle of a joint, if it is one.
    #[must_use]
    pub fn find(&self, joint: usize) -> Option<usize> {
        self.handles.iter().position(|handle| handle.joint == joint)
    }

    /// The bend that meets a target; rotations are always distributed in two stages.
    ///
    /// # Errors
    /// When there is no such handle or a number is not finite.
    pub fn bend(&self, target: &EndTarget, distribution: Distribution) -> Result<HandleBend, EditError> {
        let Some(handle) = self.handles.get(target.handle) else {
            return Err(EditError::NoHandle { name: target.handle.to_string() });
        };
        let n = handle.path.last_frame();
        let velocity = target.velocity.unwrap_or(handle.path.source(n + 1) - handle.path.source(n));
        let finite = target.position.is_finite()
            && velocity.is_finite()
            && target.rotation.is_none_or(|rotation| rotation.is_finite() && rotation.length() > 0.5);
        if !finite {
            return Err(EditError::NotFinite { sample: n });
        }
        Ok(HandleBend {
            handle: target.handle,
            path: handle.path.edit(target.position, velocity, distribution),
            turn: target.rotation.map(|rotation| handle.turn.edit(rotation, handle.turn.end_velocity())),
        })
    }

    /// Place and, where it has a target, rotation of a bent handle in frame `i` of the segment, 0 … n+1; any frame in any order,
    /// without allocation.
    #[must_use]
    pub fn at(&self, bend: &HandleBend, i: usize) -> (Vec3, Option<Quat>) {
        let handle = &self.handles[bend.handle];
        (handle.path.at(&bend.path, i), bend.turn.map(|turn| handle.turn.at(&turn, i)))
    }
}

/// A bent segment.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// Its frames, on the clip's skeleton and at its rate.
    pub clip: Clip,
    /// The worst that could not be met, metres.
    pub residual: Residual,
}

/// How a segment is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EditConfig {
    /// How displacements are distributed over the segment.
    pub distribution: Distribution,
    /// How bodies are rebuilt around their handles.
    pub rebuild: Rebuild,
}

/// Bends a segment of its clip to targets: each is met in the last frame, the first frame stays. Feet without a target keep
/// their paths, so the body gives way between them and the handles that have one.
///
/// # Errors
/// When a target is not finite or has no handle, the basis is of another clip, or the caller stops.
pub fn edit_segment(
    clip: &Clip,
    basis: &EditBasis,
    targets: &[EndTarget],
    config: &EditConfig,
    progress: Progress<'_>,
) -> Result<Edited, EditError> {
    let skeleton = clip.skeleton();
    let fits = basis.frames.end <= clip.num_frames()
        && basis.handles.iter().all(|handle| handle.joint < skeleton.num_joints());
    if !fits {
        return Err(EditError::OtherClip);
    }
    let bend = |target: &EndTarget| basis.bend(target, config.distribution);
    let bends: Vec<HandleBend> = targets.iter().map(bend).collect::<Result<_, _>>()?;
    let joints: Vec<usize> = bends.iter().map(|bend| basis.handles[bend.handle].joint).collect();
    let mut bodies = Bodies::build(clip, &joints, config.rebuild)?;
    let mut out = clip.trimmed(basis.frames.clone()).map_err(|_| EditError::OtherClip)?;
    out.tpose_frame = false;
    out.set_source(None);
    let mut worst = Residual::default();
    let mut places = Vec::with_capacity(bends.len());
    for i in 0..basis.frames.len() {
        report(progress, i as f32 / basis.frames.len() as f32)?;
        places.clear();
        places.extend(bends.iter().map(|bend| basis.at(bend, i)));
        let mut pose = clip.pose(basis.frames.start + i);
        worst = larger(worst, bodies.rebuild(skeleton, &places, &mut pose));
        out.set_pose(i, &pose);
    }
    out.align_signs();
    Ok(Edited { clip: out, residual: worst })
}

fn joints_of(skeleton: &Skeleton, handles: &[Handle]) -> Result<Vec<usize>, EditError> {
    if handles.is_empty() {
        let found: Vec<usize> = HANDLES.iter().filter_map(|&role| skeleton.find(role)).collect();
        return if found.is_empty() {
            Err(EditError::NoHandle { name: "hips".to_owned() })
        } else {
            Ok(found)
        };
    }
    let mut joints = Vec::with_capacity(handles.len());
    for handle in handles {
        let joint = handle.find(skeleton)?;
        if !joints.contains(&joint) {
            joints.push(joint);
        }
    }
    Ok(joints)
}

impl From<RebuildError> for EditError {
    fn from(error: RebuildError) -> Self {
        match error {
            RebuildError::Joint { joint, .. } => Self::NoHandle { name: joint.to_string() },
            RebuildError::Twice { joint } | RebuildError::Method { text: joint } => {
                Self::NoHandle { name: joint }
            }
        }
    }
}
