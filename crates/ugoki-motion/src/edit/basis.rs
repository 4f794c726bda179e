//! A segment of a clip made ready to be bent: its handles' paths and turnings with δ, γ, ε, built once in f64.
//!
//! ```text
//! Clip, frames, handles ─build→ EditBasis ─(database)→ bend to wishes ─edit_into→ a body per frame
//! ```
//!
//! Handles are hips, ankles, toes, wrists and head, and any joint that is named. What is wished for is met by the body: ankles and
//! wrists by closing their limbs, toes by moving their ankle, all others by relaxation that is aimed again by what it missed.

use std::ops::Range;

use glam::{Quat, Vec3};
use ugoki_base::bend_axes::bend_poles;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_base::{Progress, report};

use super::{Bend, Distribution, EditError, PathBasis, TurnBasis, TurnBend};
use crate::reconstruct::{Frame, RebuildError, Residual, Scratch, Target, rebuild_into};

/// What a segment may be bent by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handle {
    /// The joint with this role.
    Role(Role),
    /// The joint of this name.
    Joint(String),
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
pub struct EndWish {
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
    /// For frames of a clip, the last of which is where wishes are met; the frame after it tells how fast the end is. Without
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

    /// The handles, in the order that wishes name them.
    #[must_use]
    pub fn handles(&self) -> &[HandleBasis] {
        &self.handles
    }

    /// The handle of a joint, if it is one.
    #[must_use]
    pub fn find(&self, joint: usize) -> Option<usize> {
        self.handles.iter().position(|handle| handle.joint == joint)
    }

    /// The bend that meets a wish.
    ///
    /// # Errors
    /// When there is no such handle or a number is not finite.
    pub fn bend(&self, wish: &EndWish) -> Result<HandleBend, EditError> {
        let Some(handle) = self.handles.get(wish.handle) else {
            return Err(EditError::NoHandle { name: wish.handle.to_string() });
        };
        let n = handle.path.last_frame();
        let velocity = wish.velocity.unwrap_or(handle.path.source(n + 1) - handle.path.source(n));
        let finite = wish.position.is_finite()
            && velocity.is_finite()
            && wish.rotation.is_none_or(|rotation| rotation.is_finite() && rotation.length() > 0.5);
        if !finite {
            return Err(EditError::NotFinite { sample: n });
        }
        Ok(HandleBend {
            handle: wish.handle,
            path: handle.path.edit(wish.position, velocity, Distribution::TwoStage),
            turn: wish.rotation.map(|rotation| handle.turn.edit(rotation, handle.turn.end_velocity())),
        })
    }

    /// Place and, where it was wished for, rotation of a bent handle in frame `i` of the segment, 0 … n+1; any frame in any order,
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

/// Times that handles which no limb ends in are aimed again by what was missed, and when that is enough, metres.
const AIMS: usize = 40;
const ENOUGH_M: f32 = 1e-5;

/// Bends a segment of its clip to wishes: each is met in the last frame, the first frame stays. Feet that nothing was wished for keep
/// their paths, so the body gives way between them and what was wished for.
///
/// # Errors
/// When a wish is none, the basis is of another clip, or the caller stops.
pub fn edit_segment(
    clip: &Clip,
    basis: &EditBasis,
    wishes: &[EndWish],
    progress: Progress<'_>,
) -> Result<Edited, EditError> {
    let skeleton = clip.skeleton();
    let fits = basis.frames.end <= clip.num_frames()
        && basis.handles.iter().all(|handle| handle.joint < skeleton.num_joints());
    if !fits {
        return Err(EditError::OtherClip);
    }
    let bends: Vec<HandleBend> = wishes.iter().map(|wish| basis.bend(wish)).collect::<Result<_, _>>()?;
    let plan = Plan::of(clip, basis, &bends)?;
    let mut out = clip.trimmed(basis.frames.clone()).map_err(|_| EditError::OtherClip)?;
    out.tpose_frame = false;
    out.set_source(None);
    let mut work = Work::new(skeleton, &plan);
    let mut worst = Residual::default();
    for i in 0..basis.frames.len() {
        report(progress, i as f32 / basis.frames.len() as f32)?;
        let mut pose = clip.pose(basis.frames.start + i);
        let residual = plan.body(skeleton, basis, &bends, i, &mut pose, &mut work);
        worst.held_m = worst.held_m.max(residual.held_m);
        worst.any_m = worst.any_m.max(residual.any_m);
        out.set_pose(i, &pose);
    }
    out.align_signs();
    Ok(Edited { clip: out, residual: worst })
}

/// Which joints are given places, and by which bends.
struct Plan {
    frame: Frame,
    /// For every handle of the frame the bend that moves it, and whether that is of the toes below it.
    by: Vec<Option<(usize, bool)>>,
    /// Whether a handle is no limb's end: it is met by being aimed again.
    aimed: Vec<bool>,
}

struct Work {
    model: ModelPose,
    out: ModelPose,
    scratch: Scratch,
    targets: Vec<Target>,
    wanted: Vec<Vec3>,
}

impl Work {
    fn new(skeleton: &Skeleton, plan: &Plan) -> Self {
        let mut model = ModelPose::default();
        forward_kinematics_into(skeleton, &Pose::rest(skeleton), &mut model);
        Self {
            out: model.clone(),
            model,
            scratch: Scratch::new(&plan.frame),
            targets: Vec::with_capacity(plan.by.len()),
            wanted: Vec::with_capacity(plan.by.len()),
        }
    }
}

impl Plan {
    fn of(clip: &Clip, basis: &EditBasis, bends: &[HandleBend]) -> Result<Self, EditError> {
        let skeleton = clip.skeleton();
        let find = |role: Role| skeleton.find(role);
        let feet = [[Role::LeftFoot, Role::LeftToes], [Role::RightFoot, Role::RightToes]];
        let mut handles: Vec<usize> = Vec::new();
        let mut by: Vec<Option<(usize, bool)>> = Vec::new();
        let mut add =
            |joint: usize, bend: Option<(usize, bool)>| match handles.iter().position(|&h| h == joint) {
                // Asked for both, an ankle goes before its toes.
                Some(at) => by[at] = by[at].filter(|(_, toes)| !toes).or(bend),
                None => {
                    handles.push(joint);
                    by.push(bend);
                }
            };
        if let Some(hips) = find(Role::Hips) {
            add(hips, None);
        }
        for foot in feet.iter().filter_map(|[foot, _]| find(*foot)) {
            add(foot, None);
        }
        for (at, bend) in bends.iter().enumerate() {
            let joint = basis.handles[bend.handle].joint;
            let toes = feet.iter().find(|[foot, toes]| find(*toes) == Some(joint) && find(*foot).is_some());
            match toes.and_then(|[foot, _]| find(*foot)) {
                Some(ankle) => add(ankle, Some((at, true))),
                None => add(joint, Some((at, false))),
            }
        }
        let ends = [Role::LeftFoot, Role::RightFoot, Role::LeftHand, Role::RightHand];
        let aimed = handles.iter().map(|&joint| !ends.iter().any(|&end| find(end) == Some(joint))).collect();
        Ok(Self { frame: Frame::build(skeleton, &handles, &bend_poles(clip))?, by, aimed })
    }

    /// Bends one frame's pose.
    fn body(
        &self,
        skeleton: &Skeleton,
        basis: &EditBasis,
        bends: &[HandleBend],
        i: usize,
        pose: &mut Pose,
        work: &mut Work,
    ) -> Residual {
        forward_kinematics_into(skeleton, pose, &mut work.model);
        let model = &work.model;
        work.targets.clear();
        work.wanted.clear();
        for (&joint, by) in self.frame.handles().iter().zip(&self.by) {
            let (place, turn) = (model.positions[joint], model.rotations[joint]);
            let (place, rotation) = match *by {
                None => (place, turn),
                Some((at, false)) => {
                    let (place, rotation) = basis.at(&bends[at], i);
                    (place, rotation.unwrap_or(turn))
                }
                // Toes go where they must by moving the foot as it is.
                Some((at, true)) => {
                    let toes = basis.handles[bends[at].handle].joint;
                    (basis.at(&bends[at], i).0 - (model.positions[toes] - place), turn)
                }
            };
            let is_base = joint == skeleton.find(Role::Hips).unwrap_or(0);
            // Hips give way unless they were asked for; feet and what was wished for hold.
            let holds = by.is_some() || !is_base;
            let turned = by.is_some_and(|(at, toes)| !toes && bends[at].turn.is_some());
            let keeps = !is_base || turned || by.is_none();
            work.targets.push(Target { position: place, rotation: keeps.then_some(rotation), holds });
            work.wanted.push(place);
        }
        rebuild_into(&self.frame, model, &work.targets, &mut work.scratch, &mut work.out);
        for _ in 0..AIMS {
            let mut missed = 0.0_f32;
            for (at, &joint) in self.frame.handles().iter().enumerate() {
                if self.aimed[at] && self.by[at].is_some() {
                    let off = work.wanted[at] - work.out.positions[joint];
                    missed = missed.max(off.length());
                    work.targets[at].position += off;
                }
            }
            if missed < ENOUGH_M || !missed.is_finite() {
                break;
            }
            rebuild_into(&self.frame, model, &work.targets, &mut work.scratch, &mut work.out);
        }
        // What was aimed elsewhere is judged by where it belongs.
        let mut residual = Residual::default();
        for (at, &joint) in self.frame.handles().iter().enumerate() {
            let off = work.wanted[at].distance(work.out.positions[joint]);
            residual.any_m = residual.any_m.max(off);
            if work.targets[at].holds {
                residual.held_m = residual.held_m.max(off);
            }
        }
        pose.root = work.out.positions[0];
        for (joint, node) in skeleton.joints().iter().enumerate() {
            let world = work.out.rotations[joint];
            pose.rotations[joint] =
                node.parent.map_or(world, |parent| work.out.rotations[parent].inverse() * world);
        }
        residual
    }
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
        let (found, name) = match handle {
            Handle::Role(role) => (skeleton.find(*role), role.name().to_owned()),
            Handle::Joint(name) => {
                (skeleton.joints().iter().position(|joint| joint.name == *name), name.clone())
            }
        };
        let joint = found.ok_or(EditError::NoHandle { name })?;
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
            RebuildError::Twice { joint } => Self::NoHandle { name: joint },
        }
    }
}
