//! Packed clips as bytes: what memory holds, less what can be told again.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::block::{Block, HEAD, MAX_BITS, MAX_EXPONENT, MAX_PATH_BITS, PathHead};
use super::search::plain_bits;
use super::{BLOCK, LANES, PackedClip, Path};
use crate::bytes::{BytesError, Reader, Writer};
use crate::skeleton::Skeleton;

const MAGIC: [u8; 4] = *b"UGPK";
const VERSION: u16 = 1;
/// Kinds of joints: at rest, still otherwise, moving.
const AT_REST: u8 = 0;
const STILL: u8 = 1;
const MOVING: u8 = 2;
/// The exponent of a block of plain numbers.
const PLAIN: u8 = u8::MAX;
/// Largest step at exponent 0, radians: v then stays far from where the squares of f32 end.
const MAX_SCALE: f32 = 0.1;

impl PackedClip {
    /// The packed clip without its skeleton, which is known by its fingerprint.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(MAGIC, VERSION);
        out.u64(self.skeleton.fingerprint());
        out.text(&self.name);
        out.texts(&self.tags);
        out.u8(u8::from(self.tpose_frame));
        out.f64(self.fps);
        out.u64(self.num_frames as u64);
        out.f32(self.max_error_m);
        out.count(self.rest.len());
        let mut lanes = self.moving.iter().zip(&self.scales).peekable();
        for (joint, q) in self.rest.iter().enumerate() {
            if let Some((_, &scale)) = lanes.next_if(|(moving, _)| **moving as usize == joint) {
                out.u8(MOVING);
                out.f32(scale);
            } else if q.to_array().map(f32::to_bits) == Quat::IDENTITY.to_array().map(f32::to_bits) {
                out.u8(AT_REST);
            } else {
                out.u8(STILL);
                q.to_array().into_iter().for_each(|c| out.f32(c));
            }
        }
        out.count(self.paths.len());
        for path in &self.paths {
            out.count(path.joint);
            out.u8(u8::from(path.still.is_none()));
            if let Some(p) = path.still {
                p.to_array().into_iter().for_each(|c| out.f32(c));
            }
        }
        for number in 0..self.blocks.len() {
            self.write_block(&mut out, number);
        }
        out.finish()
    }

    fn write_block(&self, out: &mut Writer, number: usize) {
        let block = &self.blocks[number];
        out.u8(block.exponent.unwrap_or(PLAIN));
        if block.exponent.is_some() {
            for row in 0..HEAD / LANES {
                for lane in 0..self.moving.len() {
                    out.i16(self.heads[block.heads + lane / LANES][row * LANES + lane % LANES]);
                }
            }
            for head in &self.path_heads[block.path_heads..block.path_heads + self.num_moving_paths] {
                head.base.into_iter().for_each(|c| out.f32(c));
                head.cubic.as_flattened().iter().for_each(|&k| out.i16(k));
            }
            for axis in 0..3 {
                for lane in 0..self.moving.len() {
                    out.u8(self.widths[block.widths + slot(lane, axis)]);
                }
            }
            let at = block.widths + self.num_groups() * 3 * LANES;
            out.raw(&self.widths[at..at + 3 * self.num_moving_paths]);
        }
        out.raw(&self.bits[block.bits..block.bits + self.block_bytes(number, block.frame_bits)]);
    }

    /// Bytes of the bits of block `number`.
    fn block_bytes(&self, number: usize, frame_bits: usize) -> usize {
        let frames = BLOCK.min(self.num_frames - number * BLOCK);
        (frames * frame_bits).div_ceil(8)
    }

    /// The packed clip of these bytes, on the skeleton it was packed on.
    ///
    /// # Errors
    /// When the bytes are not a packed clip's, are cut short or damaged, or belong to another skeleton.
    pub fn from_bytes(skeleton: &Arc<Skeleton>, bytes: &[u8]) -> Result<Self, BytesError> {
        let (mut read, _) = Reader::new(bytes, MAGIC, VERSION)?;
        if read.u64()? != skeleton.fingerprint() {
            return Err(read.bad("the clip was packed on another skeleton"));
        }
        let name = read.text()?;
        let tags = read.texts()?;
        let tpose_frame = read.bool()?;
        let fps = read.finite64()?;
        if fps <= 0.0 {
            return Err(read.bad(format!("a rate of {fps} frames per second")));
        }
        let frames = read.u64()?;
        let max_error_m = read.finite32()?;
        let joints = read.count(1)?;
        if joints != skeleton.num_joints() {
            return Err(read.bad(format!("{joints} joints for a skeleton of {}", skeleton.num_joints())));
        }
        let mut clip = Self {
            name,
            tags,
            tpose_frame,
            skeleton: skeleton.clone(),
            fps,
            num_frames: 0,
            max_error_m,
            rest: vec![Quat::IDENTITY; joints],
            moving: Vec::new(),
            scales: Vec::new(),
            paths: Vec::new(),
            num_moving_paths: 0,
            blocks: Vec::new(),
            heads: Vec::new(),
            path_heads: Vec::new(),
            widths: Vec::new(),
            bits: Vec::new(),
        };
        clip.read_joints(&mut read)?;
        clip.read_paths(&mut read)?;
        // A block takes at least its exponent's byte.
        match usize::try_from(frames).ok().filter(|frames| frames.div_ceil(BLOCK) <= read.left()) {
            Some(frames) => clip.num_frames = frames,
            None => return Err(read.bad(format!("{frames} frames in {} bytes", read.left()))),
        }
        let num_blocks = clip.num_frames.div_ceil(BLOCK);
        clip.blocks.reserve_exact(num_blocks);
        clip.bits.reserve(read.left());
        for number in 0..num_blocks {
            clip.read_block(&mut read, number)?;
        }
        read.finish()?;
        clip.bits.extend([0; 8]);
        Ok(clip)
    }

    fn read_joints(&mut self, read: &mut Reader<'_>) -> Result<(), BytesError> {
        for joint in 0..self.rest.len() {
            match read.u8()? {
                AT_REST => {}
                STILL => {
                    let q = Quat::from_xyzw(read.f32()?, read.f32()?, read.f32()?, read.f32()?);
                    let square = q.length_squared();
                    if !(square.is_finite() && square > 0.0) {
                        return Err(read.bad(format!("{q} is no rotation")));
                    }
                    self.rest[joint] = q;
                }
                MOVING => {
                    let scale = read.f32()?;
                    if !(scale > 0.0 && scale <= MAX_SCALE) {
                        return Err(read.bad(format!("steps of {scale} radians")));
                    }
                    self.moving.push(joint as u32);
                    self.scales.push(scale);
                }
                kind => return Err(read.bad(format!("a joint of kind {kind}"))),
            }
        }
        self.scales.resize(self.moving.len().next_multiple_of(LANES), 1.0);
        Ok(())
    }

    fn read_paths(&mut self, read: &mut Reader<'_>) -> Result<(), BytesError> {
        let count = read.count(5)?;
        for number in 0..count {
            let joint = read.u32()? as usize;
            let in_order = self.paths.last().map_or(joint == 0, |before| joint > before.joint);
            if !in_order || joint >= self.rest.len() {
                return Err(read.bad(format!("path {number} of joint {joint}")));
            }
            let still = if read.bool()? {
                self.num_moving_paths += 1;
                None
            } else {
                Some(Vec3::new(read.finite32()?, read.finite32()?, read.finite32()?))
            };
            self.paths.push(Path { joint, still });
        }
        if self.paths.is_empty() {
            return Err(read.bad("joint 0 has no path"));
        }
        Ok(())
    }

    fn read_block(&mut self, read: &mut Reader<'_>, number: usize) -> Result<(), BytesError> {
        let exponent = read.u8()?;
        let mut block = Block {
            exponent: Some(exponent),
            heads: self.heads.len(),
            path_heads: self.path_heads.len(),
            widths: self.widths.len(),
            bits: self.bits.len(),
            frame_bits: plain_bits(self.moving.len(), self.num_moving_paths),
        };
        if exponent == PLAIN {
            block.exponent = None;
            let bits = read.raw(self.block_bytes(number, block.frame_bits))?;
            let finite = |c: &[u8]| f32::from_le_bytes([c[0], c[1], c[2], c[3]]).is_finite();
            if !bits.chunks_exact(4).all(finite) {
                return Err(read.bad("a number in a block is not finite"));
            }
            self.bits.extend_from_slice(bits);
        } else if exponent < MAX_EXPONENT {
            block.frame_bits = self.read_heads(read)?;
            let bits = read.raw(self.block_bytes(number, block.frame_bits))?;
            self.bits.extend_from_slice(bits);
        } else {
            return Err(read.bad(format!("a block of exponent {exponent}")));
        }
        self.blocks.push(block);
        Ok(())
    }

    /// Heads and widths of a block; gives the bits of a frame.
    fn read_heads(&mut self, read: &mut Reader<'_>) -> Result<usize, BytesError> {
        let num_moving = self.moving.len();
        let first = self.heads.len();
        let rows = read.raw(HEAD / LANES * num_moving * 2)?;
        let mut empty = [0; HEAD];
        empty[3 * LANES..4 * LANES].fill(1);
        self.heads.resize(first + self.num_groups(), empty);
        for (number, k) in rows.chunks_exact(2).enumerate() {
            let (row, lane) = (number / num_moving, number % num_moving);
            self.heads[first + lane / LANES][row * LANES + lane % LANES] = i16::from_le_bytes([k[0], k[1]]);
        }
        for head in &self.heads[first..] {
            if (0..LANES).any(|lane| (0..4).all(|row| head[row * LANES + lane] == 0)) {
                return Err(read.bad("a reference without a direction"));
            }
        }
        for _ in 0..self.num_moving_paths {
            let mut head = PathHead::default();
            for base in &mut head.base {
                *base = read.finite32()?;
            }
            for k in head.cubic.as_flattened_mut() {
                *k = read.i16()?;
            }
            self.path_heads.push(head);
        }
        let at = self.widths.len();
        let slots = self.num_groups() * 3 * LANES;
        self.widths.resize(at + slots, 0);
        let turns = read.raw(3 * num_moving)?;
        for (number, &width) in turns.iter().enumerate() {
            self.widths[at + slot(number % num_moving, number / num_moving)] = width;
        }
        let paths = read.raw(3 * self.num_moving_paths)?;
        self.widths.extend_from_slice(paths);
        if turns.iter().any(|&width| width > MAX_BITS) || paths.iter().any(|&width| width > MAX_PATH_BITS) {
            return Err(read.bad("a number of too many bits"));
        }
        Ok(turns.iter().chain(paths).map(|&width| usize::from(width)).sum())
    }
}

/// Place of a lane's axis among the widths of a block.
fn slot(lane: usize, axis: usize) -> usize {
    lane / LANES * 3 * LANES + axis * LANES + lane % LANES
}
