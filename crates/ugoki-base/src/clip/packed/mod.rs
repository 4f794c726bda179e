//! Packed clips: a quarter of the memory or less, any frame decoded as cheaply as the next.
//!
//! ```text
//! Clip ─pack→ PackedClip ─pose_into, sample_into→ Pose          PackedClip ⇄ bytes
//! ```
//!
//! The bound: in every frame, every point up to 3 cm off any joint, in any direction, lies within 0.1 mm of where the
//! clip has it, in the world, errors added up along the chain. It is measured on the packed clip and kept in
//! [`PackedClip::max_error_m`].
//!
//! Frames come in blocks. A joint's rotation is a reference R times a turn v(t), a position a base and a way; v and way are
//! whole steps, fitted to how far the joint reaches (`fit`, `pack`). Each joint is packed against the world pose that its
//! decoded parents give, and turned a little so that its children come to where they should be, so errors do not add up
//! along a chain (`search`). Joints that never move cost nothing. Where steps cannot hold the bound (chains of hundreds of
//! joints, jumps of thousands of kilometres) the block keeps plain numbers.
//!
//! The same whole numbers have two forms. In memory a block takes a cubic off each track and keeps what is left in few
//! bits, so that any frame is at hand (`quantize`, `decode`). As bytes each number is stored as its difference from what those
//! before it predict, in fewer bits still but one after the other (`predict`, `stream`). Layout and
//! arithmetic are in `docs/formats/clip-bytes.md`.

mod block;
mod bytes;
mod decode;
mod error;
mod fit;
mod lanes;
mod pack;
mod predict;
mod quantize;
mod search;
mod stream;

use std::sync::Arc;

use glam::{Quat, Vec3};

use self::block::Block;
use super::Clip;
use crate::pose::Pose;
use crate::skeleton::Skeleton;

use self::block::BLOCK;
pub use self::error::shell_error;
use self::lanes::LANES;
pub use self::pack::PackError;

/// A clip in few bits: in every frame, every point up to 3 cm off any joint lies within 0.1 mm of where the clip has it in
/// the world. Any frame is decoded as cheaply as the next; `docs/formats/clip-bytes.md` has the form.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedClip {
    /// The clip's name.
    pub name: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether frame 0 is an added T-pose and not part of the capture.
    pub tpose_frame: bool,
    skeleton: Arc<Skeleton>,
    fps: f64,
    num_frames: usize,
    /// Largest error found after packing, metres.
    max_error_m: f32,
    /// Each joint's rotation if it never moves, else anything.
    rest: Vec<Quat>,
    /// The joints that move, in order.
    moving: Vec<u32>,
    /// Size of each moving joint's steps, see [`block::scale`].
    sizes: Vec<u8>,
    /// Step of each moving joint's v at exponent 0, radians; whole groups of lanes.
    scales: Vec<f32>,
    /// Joint 0 and the joints that leave their rest offset.
    paths: Vec<Path>,
    /// How many of them move.
    num_moving_paths: usize,
    blocks: Vec<Block>,
    /// References and cubics of all blocks, see [`block`].
    heads: Vec<[i16; block::HEAD]>,
    path_heads: Vec<block::PathHead>,
    /// Bits per number, 24 for each group of lanes and then 3 for each moving path, block after block.
    widths: Vec<u8>,
    /// The numbers, frame after frame; ends in padding so that eight bytes can be loaded anywhere.
    bits: Vec<u8>,
}

/// Position of one joint over time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Path {
    joint: usize,
    /// The position if it never changes; `None` if it does.
    still: Option<Vec3>,
}

impl PackedClip {
    /// The skeleton the poses are on.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Frames per second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// How many frames there are; may be 0.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// How many joints there are.
    #[must_use]
    pub fn num_joints(&self) -> usize {
        self.rest.len()
    }

    /// Length in seconds: frames divided by rate.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.num_frames as f64 / self.fps
    }

    /// The largest distance, over all frames, between a point within 3 cm of a joint in the clip and in this, metres.
    #[must_use]
    pub fn max_error_m(&self) -> f32 {
        self.max_error_m
    }

    /// Memory that frames take, bytes: all but name, tags and skeleton.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(&*self.rest)
            + size_of_val(&*self.moving)
            + self.sizes.len()
            + size_of_val(&*self.scales)
            + size_of_val(&*self.paths)
            + size_of_val(&*self.blocks)
            + size_of_val(&*self.heads)
            + size_of_val(&*self.path_heads)
            + self.widths.len()
            + self.bits.len()
    }

    /// Decodes one frame. Allocates only while `pose` is too small; takes the same time for every frame.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn pose_into(&self, frame: usize, pose: &mut Pose) {
        assert!(frame < self.num_frames, "frame {frame} of {}", self.num_frames);
        self.start(pose);
        decode::frame(self, frame, pose);
    }

    /// One frame as a pose.
    #[must_use]
    pub fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        self.pose_into(frame, &mut pose);
        pose
    }

    /// The pose `seconds` after frame 0, between two frames where need be; times outside give the first or last frame.
    ///
    /// An added T-pose is never mixed with the motion: after time 0, up to frame 1, there is only frame 1.
    ///
    /// # Panics
    /// If there are no frames.
    pub fn sample_into(&self, seconds: f64, pose: &mut Pose) {
        assert!(self.num_frames > 0, "a clip without frames has no poses");
        let last = (self.num_frames - 1) as f64;
        // Not a number counts as 0.
        let time = (seconds * self.fps).max(0.0).min(last);
        let first_motion = if self.tpose_frame && time > 0.0 { 1.0f64.min(last) } else { 0.0 };
        let time = time.max(first_motion);
        let (frame, fraction) = (time.floor() as usize, (time - time.floor()) as f32);
        self.start(pose);
        if fraction == 0.0 || frame + 1 >= self.num_frames {
            decode::frame(self, frame, pose);
        } else {
            decode::between(self, frame, fraction, pose);
        }
    }

    /// All frames as a clip; it has no source.
    #[must_use]
    pub fn to_clip(&self) -> Clip {
        let mut clip = Clip::at_rest(self.skeleton.clone(), self.fps, self.num_frames)
            .unwrap_or_else(|error| unreachable!("the rate was checked: {error}"));
        (clip.name, clip.tags, clip.tpose_frame) = (self.name.clone(), self.tags.clone(), self.tpose_frame);
        let mut pose = Pose::rest(&self.skeleton);
        for frame in 0..self.num_frames {
            self.pose_into(frame, &mut pose);
            clip.set_pose(frame, &pose);
        }
        clip.align_signs();
        clip
    }

    /// What never changes.
    fn start(&self, pose: &mut Pose) {
        pose.rotations.clear();
        pose.rotations.extend_from_slice(&self.rest);
        pose.translations.clear();
        for path in &self.paths {
            let position = path.still.unwrap_or_default();
            if path.joint == 0 {
                pose.root = position;
            } else {
                pose.translations.push((path.joint, position));
            }
        }
    }

    /// Groups of lanes that the moving joints fill.
    fn num_groups(&self) -> usize {
        self.moving.len().div_ceil(LANES)
    }
}
