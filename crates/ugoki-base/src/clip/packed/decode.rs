//! One frame out of a packed clip, eight joints at a time.
//!
//! Bits are taken out one number after the other, the arithmetic runs over eight joints at once. On x86-64 the same
//! source is compiled a second time for AVX2 and BMI and chosen at run time; nothing is fused or reordered, so both
//! give the same bits.

use glam::{Quat, Vec3};

use super::block::{self, BASIS, Block, HEAD, PATH_SCALE};
use super::lanes::{Lane, Number};
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
    frame_body(clip, frame, pose, portable_group);
}

/// [`frame`] between `frame` and the one after it.
pub(super) fn between(clip: &PackedClip, frame: usize, fraction: f32, pose: &mut Pose) {
    #[cfg(target_arch = "x86_64")]
    if x86::detected() {
        #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
        // SAFETY: the features the function needs were detected on this machine.
        return unsafe { x86::between(clip, frame, fraction, pose) };
    }
    between_body(clip, frame, fraction, pose, portable_group, portable_mix);
}

/// [`Cursor::group`] for any machine. A function of its own: in line with the loops around it the compiler gives up
/// vectors.
#[inline(never)]
fn portable_group(cursor: &mut Cursor<'_>, group: usize, out: &mut Lanes) {
    *out = cursor.group(group);
}

/// [`mixed`] for any machine, a function of its own for the same reason.
#[inline(never)]
fn portable_mix(a: &Lanes, b: &Lanes, fraction: f32, out: &mut Lanes) {
    *out = mixed(a, b, fraction);
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{Cursor, Lanes, PackedClip, Pose};

    /// Whether the machine has what the functions below are compiled for; asked once, then remembered by std.
    #[inline]
    pub(in super::super) fn detected() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn frame(clip: &PackedClip, frame: usize, pose: &mut Pose) {
        super::frame_body(clip, frame, pose, |cursor, number, out| group(cursor, number, out));
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn between(clip: &PackedClip, frame: usize, fraction: f32, pose: &mut Pose) {
        super::between_body(
            clip,
            frame,
            fraction,
            pose,
            |cursor, number, out| group(cursor, number, out),
            |a, b, fraction, out| mix(a, b, fraction, out),
        );
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    #[inline(never)]
    fn group(cursor: &mut Cursor<'_>, group: usize, out: &mut Lanes) {
        *out = cursor.group(group);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    #[inline(never)]
    fn mix(a: &Lanes, b: &Lanes, fraction: f32, out: &mut Lanes) {
        *out = super::mixed(a, b, fraction);
    }
}

/// Eight quaternions: x, y, z, w.
type Lanes = [Lane; 4];

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
        if self.block.exponent.is_none() {
            return self.plain_group(group);
        }
        let head: &[i16; HEAD] = &self.clip.heads[self.block.heads + group];
        let (rows, _) = head.as_chunks::<LANES>();
        let row = |row: usize| Lane::from_i16(&rows[row]);
        let at = self.block.widths + group * 3 * LANES;
        let (widths, _) = self.clip.widths[at..at + 3 * LANES].as_chunks::<LANES>();
        let (scales, _) = self.clip.scales[group * LANES..(group + 1) * LANES].as_chunks::<LANES>();
        let step = Lane(scales[0]) * Lane::splat(self.factor);
        let mut v = [step; 3];
        for axis in 0..3 {
            let mut numbers = [0i32; LANES];
            for (number, &width) in numbers.iter_mut().zip(&widths[axis]) {
                *number = self.take(usize::from(width)) as i32 - ((1i32 << width) >> 1);
            }
            let middle = row(4 + 4 * axis);
            let k = [row(5 + 4 * axis), row(6 + 4 * axis), row(7 + 4 * axis)];
            v[axis] = (Lane::from_i32(&numbers) + middle + block::cubic(k, self.basis)) * step;
        }
        block::rotation([row(0), row(1), row(2), row(3)], v)
    }

    /// [`Cursor::group`] of a block of plain numbers.
    #[inline(never)]
    fn plain_group(&mut self, group: usize) -> Lanes {
        let mut out = [Lane::splat(0.0); 4];
        for lane in 0..LANES.min(self.clip.moving.len() - group * LANES) {
            for component in &mut out {
                component.0[lane] = self.float();
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
            let along = block::cubic(head.cubic[axis].map(f32::from), self.basis) as i64;
            *p = block::position(head.base[axis], n + head.middle[axis] + along, step);
        }
        Vec3::from_array(p)
    }
}

#[inline(always)]
fn store(clip: &PackedClip, group: usize, lanes: &Lanes, pose: &mut Pose) {
    let joints = &clip.moving[group * LANES..clip.moving.len().min((group + 1) * LANES)];
    for (lane, &joint) in joints.iter().enumerate() {
        pose.rotations[joint as usize] =
            Quat::from_xyzw(lanes[0].0[lane], lanes[1].0[lane], lanes[2].0[lane], lanes[3].0[lane]);
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
fn frame_body(
    clip: &PackedClip,
    frame: usize,
    pose: &mut Pose,
    group: impl Fn(&mut Cursor<'_>, usize, &mut Lanes),
) {
    let mut cursor = Cursor::new(clip, frame);
    let mut lanes = [Lane::splat(0.0); 4];
    for number in 0..clip.num_groups() {
        group(&mut cursor, number, &mut lanes);
        store(clip, number, &lanes, pose);
    }
    store_paths(clip, pose, |path| cursor.path(path));
}

#[inline(always)]
fn between_body(
    clip: &PackedClip,
    frame: usize,
    fraction: f32,
    pose: &mut Pose,
    group: impl Fn(&mut Cursor<'_>, usize, &mut Lanes),
    mix: impl Fn(&Lanes, &Lanes, f32, &mut Lanes),
) {
    let (mut a, mut b) = (Cursor::new(clip, frame), Cursor::new(clip, frame + 1));
    let (mut first, mut second, mut out) =
        ([Lane::splat(0.0); 4], [Lane::splat(0.0); 4], [Lane::splat(0.0); 4]);
    for number in 0..clip.num_groups() {
        group(&mut a, number, &mut first);
        group(&mut b, number, &mut second);
        mix(&first, &second, fraction, &mut out);
        store(clip, number, &out, pose);
    }
    store_paths(clip, pose, |path| {
        let (p, q) = (a.path(path), b.path(path));
        p + (q - p) * fraction
    });
}

/// Normalised linear interpolation of two rotations, its parameter corrected for constant angular velocity.
///
/// The correction is A. Kapoulkine's fit (2015) to the difference of slerp and nlerp, a function of parameter and
/// cosine.
#[inline(always)]
fn mixed(a: &Lanes, b: &Lanes, fraction: f32) -> Lanes {
    let number = Lane::splat;
    let dot = a[0] * b[0] + a[1] * b[1] + (a[2] * b[2] + a[3] * b[3]);
    let d = dot.abs();
    let big = number(1.0904) + d * (number(-3.2452) + d * (number(3.55645) - d * number(1.43519)));
    let small = number(0.848_013) + d * (number(-1.06021) + d * number(0.215_638));
    let middle = fraction - 0.5;
    let bend = big * number(middle * middle) + small;
    let t = number(fraction) + number(fraction * middle * (fraction - 1.0)) * bend;
    let (one, t) = (number(1.0) - t, t.flipped_by(dot));
    let q: Lanes =
        [one * a[0] + t * b[0], one * a[1] + t * b[1], one * a[2] + t * b[2], one * a[3] + t * b[3]];
    let unit = (q[0] * q[0] + q[1] * q[1] + (q[2] * q[2] + q[3] * q[3])).inverse_root();
    [q[0] * unit, q[1] * unit, q[2] * unit, q[3] * unit]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip::Clip;
    use crate::math::{Random, exp};
    use crate::no_progress;
    use crate::skeleton::{Joint, Skeleton};

    #[test]
    fn wide_and_plain_code_give_the_same_bits() {
        let joints = (0..21).map(|i: usize| Joint::new(format!("{i}"), i.checked_sub(1), Vec3::Y * 0.1));
        let mut clip = Clip::at_rest(Skeleton::build(joints.collect()).unwrap(), 60.0, 90).unwrap();
        let mut random = Random::new(4);
        for joint in 0..clip.num_joints() {
            for frame in 0..clip.num_frames() {
                clip.set_rotation(
                    joint,
                    frame,
                    exp(Vec3::from_array(std::array::from_fn(|_| random.normal() as f32))),
                );
            }
        }
        let packed = PackedClip::pack(&clip, &mut no_progress()).unwrap();
        let (mut a, mut b) = (packed.pose(0), packed.pose(0));
        let bits = |pose: &Pose| {
            pose.rotations.iter().flat_map(|q| q.to_array().map(f32::to_bits)).collect::<Vec<_>>()
        };
        for number in 0..89 {
            frame(&packed, number, &mut a);
            frame_body(&packed, number, &mut b, portable_group);
            assert_eq!(bits(&a), bits(&b), "frame {number}");
            between(&packed, number, 0.3, &mut a);
            between_body(&packed, number, 0.3, &mut b, portable_group, portable_mix);
            assert_eq!(bits(&a), bits(&b), "after frame {number}");
        }
    }
}
