//! Packed clips as bytes: what is known once, then the blocks (`stream`), then a checksum of it all.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::block::{MAX_SIZE, MIN_SIZE, scale};
use super::{BLOCK, LANES, PackedClip, Path};
use crate::bytes::{BytesError, Reader, Writer, checksum};
use crate::skeleton::Skeleton;

const MAGIC: [u8; 4] = *b"UGPK";
const VERSION: u16 = 2;
/// The oldest version that is still read: clips of version 1 were packed on other steps.
const OLDEST: u16 = 2;
/// Bytes of the checksum at the end.
const SUM: usize = 8;
/// Kinds of joints: at rest, still otherwise, moving.
const AT_REST: u8 = 0;
const STILL: u8 = 1;
const MOVING: u8 = 2;

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
        let mut lanes = self.moving.iter().zip(&self.sizes).peekable();
        for (joint, q) in self.rest.iter().enumerate() {
            if let Some((_, &size)) = lanes.next_if(|(moving, _)| **moving as usize == joint) {
                out.u8(MOVING);
                out.u8(size);
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
        out.raw(&self.write_blocks());
        let bytes = out.finish();
        let sum = checksum(&bytes);
        [bytes, sum.to_le_bytes().to_vec()].concat()
    }

    /// The packed clip of these bytes, on the skeleton it was packed on.
    ///
    /// # Errors
    /// When the bytes are not a packed clip's, are cut short or damaged, or belong to another skeleton.
    pub fn from_bytes(skeleton: &Arc<Skeleton>, bytes: &[u8]) -> Result<Self, BytesError> {
        let (_, version) = Reader::new(bytes, MAGIC, VERSION)?;
        if version < OLDEST {
            return Err(BytesError::Old { what: "a packed clip".to_owned(), found: version, oldest: OLDEST });
        }
        let (bytes, sum) = bytes.split_last_chunk().unwrap_or((bytes, &[0; SUM]));
        if checksum(bytes) != u64::from_le_bytes(*sum) {
            return Err(BytesError::Sum);
        }
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
            sizes: Vec::new(),
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
        let rest = read.raw(read.left())?;
        clip.blocks.reserve_exact(clip.num_frames.div_ceil(BLOCK));
        clip.read_blocks(rest).map_err(|what| read.bad(what))?;
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
                    let size = read.u8()?;
                    if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
                        return Err(read.bad(format!("steps of size {size}")));
                    }
                    self.moving.push(joint as u32);
                    self.sizes.push(size);
                    self.scales.push(scale(size));
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
}
