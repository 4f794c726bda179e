//! What is known before any frame: particles, constraints, and how each joint turns.

use std::fmt;
use std::str::FromStr;

use glam::Vec3;
use ugoki_base::bend_axes::LIMBS;
use ugoki_base::skeleton::{Role, Side, Skeleton};

/// Why a body cannot be rebuilt around handles.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RebuildError {
    /// A handle that is no joint of the skeleton.
    #[error("handle {joint} is not one of {joints} joints")]
    Joint {
        /// The joint asked for.
        joint: usize,
        /// Joints there are.
        joints: usize,
    },
    /// One joint cannot be two handles.
    #[error("joint {joint:?} is a handle twice")]
    Twice {
        /// The joint's name.
        joint: String,
    },
    /// Not a way to rebuild a body.
    #[error("{text:?} does not say how to rebuild, expected closed or relax:N with 1 to {MAX_SWEEPS} sweeps")]
    Method {
        /// The text found.
        text: String,
    },
}

/// Most sweeps of relaxation per frame.
pub const MAX_SWEEPS: usize = 10_000;

/// How a trunk that is pulled follows its handles. Limbs are closed exactly in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rebuild {
    /// Particles at the joints with distance constraints, at most so many sweeps over them \[jakobsen2001\]; held handles are pinned.
    Relax {
        /// Sweeps, at least 1.
        sweeps: usize,
    },
    /// Closed form alone: the trunk moves with the hips and turns towards its handles, and the hips come into reach.
    Closed,
}

impl Default for Rebuild {
    /// 12 sweeps: the budget of a frame. What the budget leaves is taken up by the hips.
    fn default() -> Self {
        Self::Relax { sweeps: 12 }
    }
}

impl Rebuild {
    pub(super) fn sweeps(self) -> usize {
        match self {
            Self::Relax { sweeps } => sweeps,
            Self::Closed => 0,
        }
    }
}

impl FromStr for Rebuild {
    type Err = RebuildError;

    fn from_str(text: &str) -> Result<Self, RebuildError> {
        let sweeps = || text.strip_prefix("relax:")?.parse().ok().filter(|n| (1..=MAX_SWEEPS).contains(n));
        match text {
            "closed" => Ok(Self::Closed),
            _ => sweeps()
                .map(|sweeps| Self::Relax { sweeps })
                .ok_or_else(|| RebuildError::Method { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Rebuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relax { sweeps } => write!(f, "relax:{sweeps}"),
            Self::Closed => f.write_str("closed"),
        }
    }
}

/// A limb that is closed to its end's handle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limb {
    pub(super) upper: usize,
    pub(super) middle: usize,
    pub(super) end: usize,
    /// Index of the end's handle.
    pub(super) handle: usize,
    /// Where the middle goes when the limb bends, in the frame of the upper joint.
    pub(super) pole: Vec3,
}

/// How a joint's rotation is found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Turn {
    /// Carried by the parent as in the source.
    Carry,
    /// The least turn that takes these particles nearest to where they belong.
    Follow(Vec<usize>),
    /// Upper joint of a limb.
    Upper(usize),
    /// Middle joint of a limb.
    Middle(usize),
    /// End of a limb with this handle.
    End(usize),
}

/// A skeleton with its handles, ready to be rebuilt frame by frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub(super) parents: Vec<Option<usize>>,
    /// The hips, or joint 0: what carries the body; joints above it only move along.
    pub(super) base: usize,
    /// Joints that are handles, in the caller's order.
    pub(super) handles: Vec<usize>,
    /// Joints that are particles, the base first, then parents before children.
    pub(super) particles: Vec<usize>,
    /// Pairs of joints whose distance is kept, trunk first.
    pub(super) links: Vec<(usize, usize)>,
    pub(super) limbs: Vec<Limb>,
    pub(super) turns: Vec<Turn>,
    /// Legs and arms end the trunk; joints of the trunk move with hips before anything pulls.
    pub(super) is_limb: Vec<bool>,
    /// How a pulled trunk follows.
    pub(super) rebuild: Rebuild,
}

/// Offsets shorter than this, metres, have no direction.
const NO_LENGTH: f32 = 1e-5;

impl Frame {
    /// For a skeleton whose joints `handles` will be given places; `poles` are those of [`bend_poles`](ugoki_base::bend_axes::bend_poles)
    /// of the motion.
    ///
    /// # Errors
    /// When a handle is no joint or is named twice.
    pub fn build(
        skeleton: &Skeleton,
        handles: &[usize],
        poles: &[Option<Vec3>; 4],
    ) -> Result<Self, RebuildError> {
        for (at, &joint) in handles.iter().enumerate() {
            if joint >= skeleton.num_joints() {
                return Err(RebuildError::Joint { joint, joints: skeleton.num_joints() });
            }
            if handles[..at].contains(&joint) {
                return Err(RebuildError::Twice { joint: skeleton.joint(joint).name.clone() });
            }
        }
        let limbs = find_limbs(skeleton, handles, poles);
        let base = skeleton.find(Role::Hips).unwrap_or(0);
        let is_particle = mark_particles(skeleton, base, handles);
        let particles: Vec<usize> = (0..skeleton.num_joints()).filter(|&j| is_particle[j]).collect();
        let is_limb: Vec<bool> = (0..skeleton.num_joints())
            .map(|j| limbs.iter().any(|limb| j != limb.upper && skeleton.is_below(j, limb.upper)))
            .collect();
        let mut links: Vec<(usize, usize)> = Vec::new();
        for &j in &particles {
            let ends = far_children(skeleton, &is_particle, j);
            links.extend(ends.iter().map(|&end| (j, end)));
            // Children of one joint keep their distances: pelvis and shoulder girdle are rigid.
            for (at, &a) in ends.iter().enumerate() {
                links.extend(ends[..at].iter().map(|&b| (b, a)));
            }
        }
        let turns =
            (0..skeleton.num_joints()).map(|j| turn_of(skeleton, &is_particle, &limbs, handles, j)).collect();
        Ok(Self {
            parents: (0..skeleton.num_joints()).map(|j| skeleton.parent(j)).collect(),
            base,
            handles: handles.to_vec(),
            particles,
            links,
            limbs,
            turns,
            is_limb,
            rebuild: Rebuild::default(),
        })
    }

    /// The same with another way to rebuild the trunk.
    #[must_use]
    pub fn with_rebuild(self, rebuild: Rebuild) -> Self {
        Self { rebuild, ..self }
    }

    /// The joints that are handles, in the order their targets are given.
    #[must_use]
    pub fn handles(&self) -> &[usize] {
        &self.handles
    }

    /// The hips, or joint 0: what carries the body.
    #[must_use]
    pub fn base(&self) -> usize {
        self.base
    }

    /// How many joints the skeleton has.
    #[must_use]
    pub fn num_joints(&self) -> usize {
        self.parents.len()
    }
}

/// Arms and legs whose end is a handle.
fn find_limbs(skeleton: &Skeleton, handles: &[usize], poles: &[Option<Vec3>; 4]) -> Vec<Limb> {
    let mut limbs = Vec::new();
    for ([upper, middle, end], pole) in LIMBS.into_iter().zip(poles) {
        let found = (skeleton.find(upper), skeleton.find(middle), skeleton.find(end));
        let (Some(upper), Some(middle), Some(end)) = found else { continue };
        let in_line = skeleton.is_below(middle, upper) && skeleton.is_below(end, middle);
        if let Some(handle) = handles.iter().position(|&joint| joint == end).filter(|_| in_line) {
            limbs.push(Limb { upper, middle, end, handle, pole: pole.unwrap_or(Vec3::Z) });
        }
    }
    limbs
}

/// Joints on the way from the base to a handle, a limb's joints or the head.
fn mark_particles(skeleton: &Skeleton, base: usize, handles: &[usize]) -> Vec<bool> {
    let mut is_particle = vec![false; skeleton.num_joints()];
    is_particle[base] = true;
    let ends = [Role::Head, Role::LeftFoot, Role::RightFoot, Role::LeftHand, Role::RightHand];
    for joint in ends.iter().filter_map(|&role| skeleton.find(role)).chain(handles.iter().copied()) {
        let mut at = Some(joint);
        while let Some(joint) = at.filter(|&joint| joint == base || skeleton.is_below(joint, base)) {
            is_particle[joint] = true;
            at = skeleton.parent(joint);
        }
    }
    is_particle
}

/// Particles below `joint` that have a distance from it: its children, or theirs where a child lies on it.
fn far_children(skeleton: &Skeleton, is_particle: &[bool], joint: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut open: Vec<usize> = skeleton.children(joint).iter().rev().copied().collect();
    while let Some(child) = open.pop() {
        if !is_particle[child] {
            continue;
        }
        if skeleton.length(child) > NO_LENGTH {
            ends.push(child);
        } else {
            open.extend(skeleton.children(child).iter().rev());
        }
    }
    ends
}

fn turn_of(
    skeleton: &Skeleton,
    is_particle: &[bool],
    limbs: &[Limb],
    handles: &[usize],
    joint: usize,
) -> Turn {
    for (at, limb) in limbs.iter().enumerate() {
        if joint == limb.upper {
            return Turn::Upper(at);
        }
        if joint == limb.middle {
            return Turn::Middle(at);
        }
        if joint == limb.end {
            return Turn::End(limb.handle);
        }
        if skeleton.is_below(joint, limb.upper) && skeleton.is_below(limb.end, joint) {
            // A twist joint inside the limb.
            return Turn::Carry;
        }
    }
    if !is_particle[joint] {
        return Turn::Carry;
    }
    if let Some(handle) = handles.iter().position(|&handle| handle == joint)
        && side_of(skeleton, joint).is_some()
        && far_children(skeleton, is_particle, joint).is_empty()
    {
        return Turn::End(handle);
    }
    // A joint that lies on its parent and leads to a limb was taken in by the parent's own fit.
    let lies_on_parent = skeleton.parent(joint).is_some() && skeleton.length(joint) <= NO_LENGTH;
    if lies_on_parent && side_of(skeleton, joint).is_some() {
        return Turn::Carry;
    }
    match far_children(skeleton, is_particle, joint) {
        ends if ends.is_empty() => Turn::Carry,
        ends => Turn::Follow(ends),
    }
}

/// The side of the body of the first joint with a role at or below `joint`, if it has one.
fn side_of(skeleton: &Skeleton, joint: usize) -> Option<Side> {
    let mut at = joint;
    loop {
        if let Some(role) = skeleton.joint(at).role {
            return role.side();
        }
        at = *skeleton.children(at).first()?;
    }
}
