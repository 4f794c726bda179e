//! One frame out of a packed clip, eight joints at a time.
//!
//! Bits are taken out one number after the other, the arithmetic runs over eight joints at once. On x86-64 the same
//! source is compiled a second time for AVX2 and BMI and chosen at run time; nothing is fused or reordered, so both
//! give the same bits.

use glam::{Quat, Vec3};

use super::block::{self, BASIS, Block, HEAD, PATH_SCALE};
use super::{BLOCK, LANES, PackedClip};
use crate::pose::Pose;

/// Writes what moves at `frame` into `pose`, which holds what does not.
pub(super) fn frame(clip: &PackedClip, frame: usize, pose: &mut Pose) {
    #[cfg(target_arch = "x86_64")]
    if x86::detected() {
        #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
        // SAFETY: the features the function needs were detected on this machine.
        return unsafe { x86::frame(clip, frame, pose) };
    }
    frame_body(clip, frame, pose);
}

/// [`frame`] between `frame` and the one after it.
pub(super) fn between(clip: &PackedClip, frame: usize, share: f32, pose: &mut Pose) {
    #[cfg(target_arch = "x86_64")]
    if x86::detected() {
        #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
        // SAFETY: the features the function needs were detected on this machine.
        return unsafe { x86::between(clip, frame, share, pose) };
    }
    between_body(clip, frame, share, pose);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{PackedClip, Pose};

    /// Whether the machine has what the functions below are compiled for; asked once, then remembered by std.
    #[inline]
    pub(super) fn detected() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn frame(clip: &PackedClip, frame: usize, pose: &mut Pose) {
        super::frame_body(clip, frame, pose);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn between(clip: &PackedClip, frame: usize, share: f32, pose: &mut Pose) {
        super::between_body(clip, frame, share, pose);
    }
}

/// Eight quaternions: x, y, z, w.
type Lanes = [[f32; LANES]; 4];

/// Reads one frame's numbers in order.
struct Cursor<'a> {
    clip: &'a PackedClip,
    block: &'a Block,
    basis: [f32; 3],
    factor: f32,
    /// Next bit of the clip's bits.
    at: usize,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    fn new(clip: &'a PackedClip, frame: usize) -> Self {
        let block = &clip.blocks[frame / BLOCK];
        let within = frame % BLOCK;
        Self {
            clip,
            block,
            basis: BASIS[within],
            factor: block.exponent.map_or(1.0, block::factor),
            at: block.bits * 8 + within * block.frame_bits,
        }
    }

    /// The next `width` bits, at most 57.
    #[inline(always)]
    fn take(&mut self, width: usize) -> u64 {
        let byte = self.at / 8;
        let mut word = [0; 8];
        word.copy_from_slice(&self.clip.bits[byte..byte + 8]);
        let word = u64::from_le_bytes(word) >> (self.at % 8);
        self.at += width;
        word & ((1 << width) - 1)
    }

    #[inline(always)]
    fn float(&mut self) -> f32 {
        f32::from_bits(self.take(32) as u32)
    }

    /// The rotations of group `group`.
    #[inline(always)]
    fn group(&mut self, group: usize) -> Lanes {
        let mut out = [[0.0; LANES]; 4];
        if self.block.exponent.is_none() {
            for lane in 0..LANES.min(self.clip.moving.len() - group * LANES) {
                for component in &mut out {
                    component[lane] = self.float();
                }
            }
            return out;
        }
        let head: &[i16; HEAD] = &self.clip.heads[self.block.heads + group];
        let mut widths = [0u8; 3 * LANES];
        let at = self.block.widths + group * 3 * LANES;
        widths.copy_from_slice(&self.clip.widths[at..at + 3 * LANES]);
        let mut numbers = [0i32; 3 * LANES];
        for (number, width) in numbers.iter_mut().zip(widths) {
            *number = self.take(usize::from(width)) as i32 - ((1i32 << width) >> 1);
        }
        let mut scales = [0.0f32; LANES];
        scales.copy_from_slice(&self.clip.scales[group * LANES..(group + 1) * LANES]);
        for lane in 0..LANES {
            let at = |row: usize| f32::from(head[row * LANES + lane]);
            let step = scales[lane] * self.factor;
            let mut v = [0.0; 3];
            for (axis, v) in v.iter_mut().enumerate() {
                let k = [at(4 + 3 * axis), at(5 + 3 * axis), at(6 + 3 * axis)];
                *v = (numbers[axis * LANES + lane] as f32 + block::cubic(k, self.basis)) * step;
            }
            let q = block::rotation([at(0), at(1), at(2), at(3)], v);
            for (out, q) in out.iter_mut().zip(q) {
                out[lane] = q;
            }
        }
        out
    }

    /// Position of moving path number `path`; paths come after all groups.
    #[inline(always)]
    fn path(&mut self, path: usize) -> Vec3 {
        if self.block.exponent.is_none() {
            return Vec3::new(self.float(), self.float(), self.float());
        }
        let head = &self.clip.path_heads[self.block.path_heads + path];
        let step = PATH_SCALE * f64::from(self.factor);
        let at = self.block.widths + self.clip.num_groups() * 3 * LANES + path * 3;
        let mut p = [0.0; 3];
        for (axis, p) in p.iter_mut().enumerate() {
            let width = self.clip.widths[at + axis];
            let n = self.take(usize::from(width)) as i64 - ((1i64 << width) >> 1);
            *p = block::position(head.base[axis], head.cubic[axis], n, self.basis, step);
        }
        Vec3::from_array(p)
    }
}

#[inline(always)]
fn store(clip: &PackedClip, group: usize, lanes: &Lanes, pose: &mut Pose) {
    let joints = &clip.moving[group * LANES..clip.moving.len().min((group + 1) * LANES)];
    for (lane, &joint) in joints.iter().enumerate() {
        pose.rotations[joint as usize] =
            Quat::from_xyzw(lanes[0][lane], lanes[1][lane], lanes[2][lane], lanes[3][lane]);
    }
}

/// Gives each moving path's position to `pose`.
#[inline(always)]
fn store_paths(clip: &PackedClip, pose: &mut Pose, mut position: impl FnMut(usize) -> Vec3) {
    let moving = clip.paths.iter().enumerate().filter(|(_, path)| path.still.is_none());
    for (number, (place, path)) in moving.enumerate() {
        let p = position(number);
        if path.joint == 0 {
            pose.root = p;
        } else {
            // Path 0 is joint 0's, the others stand in the pose in order.
            pose.translations[place - 1].1 = p;
        }
    }
}

#[inline(always)]
fn frame_body(clip: &PackedClip, frame: usize, pose: &mut Pose) {
    let mut cursor = Cursor::new(clip, frame);
    for group in 0..clip.num_groups() {
        let lanes = cursor.group(group);
        store(clip, group, &lanes, pose);
    }
    store_paths(clip, pose, |path| cursor.path(path));
}

#[inline(always)]
fn between_body(clip: &PackedClip, frame: usize, share: f32, pose: &mut Pose) {
    let (mut a, mut b) = (Cursor::new(clip, frame), Cursor::new(clip, frame + 1));
    for group in 0..clip.num_groups() {
        let lanes = mixed(&a.group(group), &b.group(group), share);
        store(clip, group, &lanes, pose);
    }
    store_paths(clip, pose, |path| {
        let (p, q) = (a.path(path), b.path(path));
        p + (q - p) * share
    });
}

/// The normalised mix of two rotations, its share bent so that it turns steadily: within 1e-3 rad of a slerp for
/// frames up to half a turn apart, and 1e-7 for frames up to 10° apart (test).
///
/// The bend is the fit of \[kapoulkine2015\] to the difference of slerp and nlerp.
#[inline(always)]
fn mixed(a: &Lanes, b: &Lanes, share: f32) -> Lanes {
    let mut out = [[0.0; LANES]; 4];
    for lane in 0..LANES {
        let dot = a[0][lane] * b[0][lane]
            + a[1][lane] * b[1][lane]
            + (a[2][lane] * b[2][lane] + a[3][lane] * b[3][lane]);
        let d = dot.abs();
        let big = 1.0904 + d * (-3.2452 + d * (3.55645 - d * 1.43519));
        let small = 0.848_013 + d * (-1.06021 + d * 0.215_638);
        let middle = share - 0.5;
        let bend = big * middle * middle + small;
        let t = share + share * middle * (share - 1.0) * bend;
        let t = if dot < 0.0 { -t } else { t };
        let one = 1.0 - t.abs();
        let mut square = 0.0;
        for c in 0..4 {
            out[c][lane] = one * a[c][lane] + t * b[c][lane];
            square += out[c][lane] * out[c][lane];
        }
        let unit = 1.0 / square.sqrt();
        for component in &mut out {
            component[lane] *= unit;
        }
    }
    out
}
