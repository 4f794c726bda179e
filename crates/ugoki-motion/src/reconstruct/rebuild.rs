//! One frame: from a source pose and the places of its handles to a body that fits both.

use glam::{Quat, Vec3};
use ugoki_base::ik::solve_hinge;
use ugoki_base::pose::ModelPose;

use super::build::{Frame, Limb, Turn};
use super::fit::fit;
use super::relax::{Link, relax};

/// Where a handle belongs in this frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// World position, metres.
    pub position: Vec3,
    /// World rotation of the handle's joint; carried by the body when absent.
    pub rotation: Option<Quat>,
    /// Whether the point must hold: a planted foot, a grasping hand. Others give way when the body cannot reach all.
    pub holds: bool,
}

/// What could not be met.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Residual {
    /// Largest distance of a holding handle from its place, metres.
    pub held_m: f32,
    /// Largest distance of any handle from its place, metres.
    pub any_m: f32,
    /// Largest error of a distance between joints that relaxation left, metres; turning joints takes it up.
    pub links_m: f32,
}

/// Buffers of [`rebuild_into`], for one frame after another.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    positions: Vec<Vec3>,
    ease: Vec<f32>,
    links: Vec<Link>,
    /// Rotations of limbs' middle joints, found with the upper ones.
    middles: Vec<Quat>,
}

impl Scratch {
    /// Buffers large enough for `frame`.
    #[must_use]
    pub fn new(frame: &Frame) -> Self {
        Self {
            positions: vec![Vec3::ZERO; frame.num_joints()],
            ease: vec![0.0; frame.num_joints()],
            links: Vec::with_capacity(frame.links.len()),
            middles: vec![Quat::IDENTITY; frame.limbs.len()],
        }
    }
}

/// Error, metres, at which relaxation may stop before its budget.
const ENOUGH: f32 = 1e-5;

/// Inverse mass of a handle that may give way, against 1 for joints that are no handles.
const SOFT: f32 = 0.2;

/// Rounds in which the hips are brought near enough for limbs that must hold.
const ROUNDS: usize = 8;

/// Share of a limb's length up to which it is stretched by moving hips; straighter only if the source is.
const STRETCH: f32 = 0.9996;

/// Rebuilds the body of one frame: `source` is its pose as captured, `targets` one place per handle. `out` gets world
/// positions and rotations; it must have as many joints as `source`.
///
/// # Panics
/// If the number of targets is not that of the handles, or `source`, `scratch` or `out` are of another skeleton.
pub fn rebuild_into(
    frame: &Frame,
    source: &ModelPose,
    targets: &[Target],
    scratch: &mut Scratch,
    out: &mut ModelPose,
) -> Residual {
    assert_eq!(targets.len(), frame.handles.len(), "one target per handle");
    if let Some(base) = unpulled(frame, source, targets) {
        // Nothing pulls the trunk: it moves as the base does, and limbs are closed as they are.
        scratch.positions[frame.base] = targets[base].position;
        turn_back(frame, source, targets, scratch, out, true);
        return residual(frame, targets, out);
    }
    spread(frame, source, targets, scratch);
    let sweeps = frame.rebuild.sweeps();
    let links_m = relax(&scratch.links, &scratch.ease, &mut scratch.positions, sweeps, ENOUGH);
    turn_back(frame, source, targets, scratch, out, false);
    // Pins and bone lengths are exact only when every pin is within reach.
    for _ in 0..ROUNDS {
        let shift = reach_shift(frame, source, targets, out);
        if shift.length() < ENOUGH {
            break;
        }
        for &joint in &frame.particles {
            if !frame.is_limb[joint] {
                scratch.positions[joint] += shift;
            }
        }
        turn_back(frame, source, targets, scratch, out, false);
    }
    Residual { links_m, ..residual(frame, targets, out) }
}

/// The base's handle, when all others are ends of limbs that reach their places from where the base carries them.
fn unpulled(frame: &Frame, source: &ModelPose, targets: &[Target]) -> Option<usize> {
    let base = frame.handles.iter().position(|&joint| joint == frame.base)?;
    let turn = targets[base].rotation? * source.rotations[frame.base].inverse();
    if frame.limbs.len() + 1 != frame.handles.len() {
        return None;
    }
    let reaches = |limb: &Limb| {
        let [upper, middle, end] = [limb.upper, limb.middle, limb.end].map(|joint| source.positions[joint]);
        let carried = targets[base].position + turn * (upper - source.positions[frame.base]);
        let (a, b) = (upper.distance(middle), middle.distance(end));
        let limit = limb_reach_m([upper, middle, end]);
        let distance = carried.distance(targets[limb.handle].position);
        distance <= limit && distance >= (a - b).abs()
    };
    frame.limbs.iter().all(reaches).then_some(base)
}

/// Puts particles where the handles alone would have them: the trunk moves as the root's handle does, or as all handles on
/// average; limbs are closed to their ends.
fn spread(frame: &Frame, source: &ModelPose, targets: &[Target], scratch: &mut Scratch) {
    let root = frame.base;
    let moved = |handle: usize| targets[handle].position - source.positions[frame.handles[handle]];
    let shift = match frame.handles.iter().position(|&joint| joint == root) {
        Some(handle) => moved(handle),
        None if targets.is_empty() => Vec3::ZERO,
        None => (0..targets.len()).map(moved).sum::<Vec3>() / targets.len() as f32,
    };
    for &joint in &frame.particles {
        scratch.positions[joint] = source.positions[joint] + shift;
        scratch.ease[joint] = 1.0;
    }
    // A turned root carries the whole body round before anything else.
    if let Some(handle) = frame.handles.iter().position(|&joint| joint == root)
        && let Some(rotation) = targets[handle].rotation
    {
        let turn = rotation * source.rotations[root].inverse();
        let about = scratch.positions[root];
        for &joint in &frame.particles {
            scratch.positions[joint] = about + turn * (scratch.positions[joint] - about);
        }
    }
    for (target, &joint) in targets.iter().zip(&frame.handles) {
        scratch.positions[joint] = target.position;
        scratch.ease[joint] = if target.holds { 0.0 } else { SOFT };
    }
    for limb in &frame.limbs {
        let carried = scratch.positions[limb.upper] - source.positions[limb.upper];
        let (a, b) = (source.positions[limb.middle], source.positions[limb.end]);
        let solved = solve_hinge(
            scratch.positions[limb.upper],
            a + carried,
            b + carried,
            targets[limb.handle].position,
            source.rotations[limb.upper] * limb.pole,
        );
        scratch.positions[limb.middle] =
            scratch.positions[limb.upper] + solved.upper * (a - source.positions[limb.upper]);
    }
    scratch.links.clear();
    scratch.links.extend(frame.links.iter().map(|&(a, b)| {
        let length = source.positions[a].distance(source.positions[b]);
        Link { a, b, length }
    }));
}

/// Turns joints, parents first, to follow the particles, or, where the trunk is `rigid`, to go with the base; limbs are closed to
/// their handles exactly where they reach.
fn turn_back(
    frame: &Frame,
    source: &ModelPose,
    targets: &[Target],
    scratch: &mut Scratch,
    out: &mut ModelPose,
    rigid: bool,
) {
    for joint in 0..frame.num_joints() {
        let carried = match frame.parents[joint] {
            None => {
                let base = frame.base;
                let shift = scratch.positions[base] - source.positions[base];
                out.positions[joint] = source.positions[joint] + shift;
                source.rotations[joint]
            }
            Some(parent) => {
                let unturned = source.rotations[parent].inverse();
                let offset = unturned * (source.positions[joint] - source.positions[parent]);
                out.positions[joint] = out.positions[parent] + out.rotations[parent] * offset;
                out.rotations[parent] * unturned * source.rotations[joint]
            }
        };
        let carried = if joint == frame.base { root_rotation(frame, source, targets) } else { carried };
        // World rotation that takes a source vector to where the body carries it.
        let turn = carried * source.rotations[joint].inverse();
        let here = out.positions[joint];
        out.rotations[joint] = match &frame.turns[joint] {
            Turn::Carry => carried,
            Turn::Follow(_) if rigid => carried,
            Turn::Follow(ends) => {
                let pairs = ends.iter().map(|&end| {
                    let from = turn * (source.positions[end] - source.positions[joint]);
                    (from, scratch.positions[end] - here)
                });
                fit(&pairs) * carried
            }
            Turn::Upper(at) => {
                let limb = &frame.limbs[*at];
                let middle = here + turn * (source.positions[limb.middle] - source.positions[joint]);
                let end = here + turn * (source.positions[limb.end] - source.positions[joint]);
                let pole = turn * source.rotations[joint] * limb.pole;
                let solved = solve_hinge(here, middle, end, targets[limb.handle].position, pole);
                scratch.middles[*at] = solved.lower * turn * source.rotations[limb.middle];
                solved.upper * carried
            }
            Turn::Middle(at) => scratch.middles[*at],
            Turn::End(handle) => targets[*handle].rotation.unwrap_or_else(|| {
                let root = frame.base;
                out.rotations[root] * source.rotations[root].inverse() * source.rotations[joint]
            }),
        }
        .normalize();
    }
}

fn root_rotation(frame: &Frame, source: &ModelPose, targets: &[Target]) -> Quat {
    let root = frame.base;
    let handle = frame.handles.iter().position(|&joint| joint == root);
    handle.and_then(|handle| targets[handle].rotation).unwrap_or(source.rotations[root])
}

/// How far from its upper joint a limb reaches, metres, from its three joints as captured.
pub(crate) fn limb_reach_m([upper, middle, end]: [Vec3; 3]) -> f32 {
    (STRETCH * (upper.distance(middle) + middle.distance(end))).max(upper.distance(end))
}

/// How far the body must move so that limbs that must hold reach their places.
fn reach_shift(frame: &Frame, source: &ModelPose, targets: &[Target], out: &ModelPose) -> Vec3 {
    let mut shift = Vec3::ZERO;
    let mut count = 0.0;
    for limb in frame.limbs.iter().filter(|limb| targets[limb.handle].holds) {
        let limit = limb_reach_m([limb.upper, limb.middle, limb.end].map(|joint| source.positions[joint]));
        let line = targets[limb.handle].position - out.positions[limb.upper];
        let excess = line.length() - limit;
        if excess > 0.0 {
            shift += line.normalize_or_zero() * excess;
            count += 1.0;
        }
    }
    if count > 0.0 { shift / count } else { shift }
}

fn residual(frame: &Frame, targets: &[Target], out: &ModelPose) -> Residual {
    let mut residual = Residual::default();
    for (target, &joint) in targets.iter().zip(&frame.handles) {
        let off = out.positions[joint].distance(target.position);
        residual.any_m = residual.any_m.max(off);
        if target.holds {
            residual.held_m = residual.held_m.max(off);
        }
    }
    residual
}
