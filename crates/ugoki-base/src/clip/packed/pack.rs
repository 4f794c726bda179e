//! Packing: steps per joint, blocks one after the other, each as coarse as the bound allows.

use glam::{DQuat, DVec3};

use super::block::{PATH_SCALE, scale, size_of};
use super::error::{MAX_ERROR_M, SHELL_M, place_into, unit};
use super::quantize::Settling;
use super::search::{Search, above, plain_bits, plain_bytes};
use super::{BLOCK, LANES, PackedClip, Path};
use crate::clip::{Clip, VectorTrack};
use crate::pose::Pose;
use crate::{Cancelled, Progress, report};

/// A joint whose turning moves nothing by more than this, metres, counts as still: a fiftieth of the bound, far above
/// what rounding leaves of a joint at rest.
const STILL_M: f64 = 2e-6;
/// Exponent at which the first block begins its search; a few octaves finer than the coarsest.
const FIRST_EXPONENT: u8 = 8;

/// Why a clip cannot be packed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PackError {
    /// Poses are finite numbers and rotations have a length.
    #[error("frame {frame}, joint {joint}: the pose is not finite")]
    NotFinite {
        /// The frame.
        frame: usize,
        /// The joint.
        joint: usize,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl PackedClip {
    /// Packs a clip: every point up to 3 cm off any joint stays within 0.1 mm, in every frame.
    ///
    /// # Errors
    /// When a pose is not finite, and when the caller asks to stop.
    pub fn pack(clip: &Clip, progress: Progress<'_>) -> Result<Self, PackError> {
        check(clip)?;
        let packed = packed(clip, STILL_M, progress)?;
        if f64::from(packed.max_error_m) <= MAX_ERROR_M {
            return Ok(packed);
        }
        // A chain of so many joints that tremble within [`STILL_M`] that it adds up: then none counts as still.
        self::packed(clip, 0.0, progress)
    }
}

/// The clip packed; joints that move nothing by more than `still_m` count as still.
fn packed(clip: &Clip, still_m: f64, progress: Progress<'_>) -> Result<PackedClip, PackError> {
    let mut packed = prepared(clip, still_m);
    let mut search = Search::new(clip, &packed);
    let num_blocks = clip.num_frames().div_ceil(BLOCK);
    let mut room = Settling::new(clip.num_frames());
    let mut exponent = FIRST_EXPONENT;
    for number in 0..num_blocks {
        report(progress, number as f32 / num_blocks as f32)?;
        let first = number * BLOCK;
        let frames = BLOCK.min(clip.num_frames() - first);
        search.load(first, frames);
        match search.coarsest(exponent) {
            Some((found, candidate))
                if packed.settle(found, frames, &candidate.steps, &mut room).is_some() =>
            {
                exponent = found;
            }
            _ => {
                let frame_bits = plain_bits(packed.moving.len(), packed.num_moving_paths);
                let bytes = plain_bytes(clip, &packed, first, frames);
                packed.append_plain(frame_bits, &bytes);
                search.forget();
            }
        }
    }
    // Eight bytes can be loaded from any bit of the last frame.
    packed.bits.extend([0; 8]);
    packed.max_error_m = measured(clip, &packed);
    Ok(packed)
}

fn check(clip: &Clip) -> Result<(), PackError> {
    for joint in 0..clip.num_joints() {
        let track = clip.rotations().track(joint);
        for frame in 0..track.len() {
            let square = track.get(frame).as_dquat().length_squared();
            if !(square.is_finite() && square > 0.0) {
                return Err(PackError::NotFinite { frame, joint });
            }
        }
    }
    let others = clip.translations().iter().map(|t| (t.joint, &t.track));
    for (joint, track) in std::iter::once((0, clip.root())).chain(others) {
        if let Some(frame) = track.iter().position(|p| !p.is_finite()) {
            return Err(PackError::NotFinite { frame, joint });
        }
    }
    Ok(())
}

/// Distance of each joint from its parent, at most, metres.
fn lengths(clip: &Clip) -> Vec<f64> {
    let mut lengths: Vec<f64> =
        clip.skeleton().joints().iter().map(|joint| f64::from(joint.offset.length())).collect();
    for t in clip.translations() {
        lengths[t.joint] = t.track.iter().map(|p| p.as_dvec3().length()).fold(0.0, f64::max);
    }
    lengths
}

/// Whether all positions are one.
fn still_path(track: &VectorTrack) -> bool {
    let same = |values: &[f32]| values.iter().all(|v| v.to_bits() == values[0].to_bits());
    same(&track.x) && same(&track.y) && same(&track.z)
}

/// The packed clip without frames: what moves, what does not, in which steps.
fn prepared(clip: &Clip, still_m: f64) -> PackedClip {
    let (skeleton, num_joints) = (clip.skeleton(), clip.num_joints());
    let lengths = lengths(clip);
    // How far anything below a joint is from it, at most.
    let mut reach = vec![SHELL_M; num_joints];
    for joint in (1..num_joints).rev() {
        if let Some(parent) = above(clip, joint) {
            reach[parent] = reach[parent].max(lengths[joint] + reach[joint]);
        }
    }
    let still: Vec<bool> = (0..num_joints)
        .map(|joint| {
            let track = clip.rotations().track(joint);
            let first = if track.is_empty() { DQuat::IDENTITY } else { unit(track.get(0)) };
            (0..track.len()).all(|frame| {
                if track.get(frame) == track.get(0) {
                    return true;
                }
                let turn = first.conjugate() * unit(track.get(frame));
                2.0 * DVec3::new(turn.x, turn.y, turn.z).length() * reach[joint] <= still_m
            })
        })
        .collect();
    // How far a joint carries its error before a moving joint below takes it up.
    let mut lever = vec![SHELL_M; num_joints];
    for joint in (1..num_joints).rev() {
        if let Some(parent) = above(clip, joint) {
            let carried = lengths[joint] + if still[joint] { lever[joint] } else { 0.0 };
            lever[parent] = lever[parent].max(carried);
        }
    }
    let moving: Vec<u32> = (0..num_joints).filter(|&joint| !still[joint]).map(|joint| joint as u32).collect();
    let sizes: Vec<u8> = moving.iter().map(|&joint| size_of(PATH_SCALE / lever[joint as usize])).collect();
    let mut scales: Vec<f32> = sizes.iter().map(|&size| scale(size)).collect();
    scales.resize(moving.len().next_multiple_of(LANES), 1.0);
    let path = |joint: usize, track: &VectorTrack| Path {
        joint,
        still: (track.is_empty() || still_path(track))
            .then(|| if track.is_empty() { skeleton.joint(joint).offset } else { track.get(0) }),
    };
    let mut paths = vec![path(0, clip.root())];
    paths.extend(clip.translations().iter().map(|t| path(t.joint, &t.track)));
    let rest = (0..num_joints).map(|joint| {
        if still[joint] && clip.num_frames() > 0 { clip.rotation(joint, 0) } else { glam::Quat::IDENTITY }
    });
    PackedClip {
        name: clip.name.clone(),
        tags: clip.tags.clone(),
        tpose_frame: clip.tpose_frame,
        skeleton: skeleton.clone(),
        fps: clip.fps(),
        num_frames: clip.num_frames(),
        max_error_m: 0.0,
        rest: rest.collect(),
        num_moving_paths: paths.iter().filter(|path| path.still.is_none()).count(),
        moving,
        sizes,
        scales,
        paths,
        blocks: Vec::new(),
        heads: Vec::new(),
        path_heads: Vec::new(),
        widths: Vec::new(),
        bits: Vec::new(),
    }
}

/// The error of every frame, decoded as users decode it.
fn measured(clip: &Clip, packed: &PackedClip) -> f32 {
    let mut worst = 0.0f64;
    let (mut a, mut b) = (Pose::rest(clip.skeleton()), Pose::rest(clip.skeleton()));
    let (mut placed_a, mut placed_b) = (Vec::new(), Vec::new());
    for frame in 0..clip.num_frames() {
        clip.pose_into(frame, &mut a);
        packed.pose_into(frame, &mut b);
        place_into(clip.skeleton(), &a, &mut placed_a);
        place_into(clip.skeleton(), &b, &mut placed_b);
        worst = placed_a.iter().zip(&placed_b).map(|(a, b)| a.distance(b)).fold(worst, f64::max);
    }
    worst as f32
}
