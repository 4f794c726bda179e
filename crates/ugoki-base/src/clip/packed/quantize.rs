//! Whole steps of a block as memory holds them, and back: a cubic and a middle taken off each track, what is left in
//! as few bits as it needs, frame after frame.
//!
//! Which cubic is taken changes how many bits are left and nothing else: steps are whole numbers, and so is the cubic at
//! every frame ([`super::block::cubic`]).

use super::block::{BASIS, Block, HEAD, MAX_BITS, MAX_PATH_BITS, NEAREST, PathHead, cubic};
use super::fit::Fit;
use super::{BLOCK, LANES, PackedClip};

/// One block as whole steps.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    /// The reference of each moving joint.
    pub(super) references: Vec<[i8; 4]>,
    /// Each joint's x, y, z.
    pub(super) turns: Vec<[i32; BLOCK]>,
    /// Where each moving path is counted from.
    pub(super) bases: Vec<[f32; 3]>,
    /// Each path's x, y, z.
    pub(super) ways: Vec<[i64; BLOCK]>,
}

impl Steps {
    pub(super) fn new(num_moving: usize, num_paths: usize) -> Self {
        Self {
            references: vec![[0; 4]; num_moving],
            turns: vec![[0; BLOCK]; 3 * num_moving],
            bases: vec![[0.0; 3]; num_paths],
            ways: vec![[0; BLOCK]; 3 * num_paths],
        }
    }
}

/// Room for what [`PackedClip::settle`] works with.
#[derive(Debug)]
pub(super) struct Settling {
    fits: [Fit; 2],
    /// Numbers of each place of a frame that has bits, and how many bits: rows in the order of the bits, rotations before paths.
    turns: Rows<u32>,
    ways: Rows<u64>,
}

/// Numbers over the frames of a block and their bits.
type Rows<T> = Vec<([T; BLOCK], u8)>;

impl Settling {
    /// For blocks of a clip of `num_frames` frames.
    pub(super) fn new(num_frames: usize) -> Self {
        let fits = [Fit::new(BLOCK), Fit::new(num_frames % BLOCK)];
        Self { fits, turns: Vec::new(), ways: Vec::new() }
    }
}

/// Bits that hold numbers from `low` to `high` as two's complement.
#[inline(always)]
fn width_of(low: i64, high: i64) -> u8 {
    let bits = if low < 0 { !low } else { low } | if high < 0 { !high } else { high };
    if low == 0 && high == 0 { 0 } else { 65 - bits.leading_zeros() as u8 }
}

/// The cubic nearest to `values`, and its whole value at each frame.
#[inline(always)]
fn cubic_of(fit: &Fit, values: &[f32; BLOCK]) -> ([i16; 3], [i32; BLOCK]) {
    const LARGEST: f32 = i16::MAX as f32;
    let whole = |v: f32| (v + NEAREST).to_bits() as i32 - NEAREST.to_bits() as i32;
    let k = fit.cubic(values).map(|c| c.clamp(-LARGEST, LARGEST) + NEAREST - NEAREST);
    let mut along = [0; BLOCK];
    for frame in 0..BLOCK {
        let [a, b, c] = BASIS[frame];
        along[frame] = whole(k[0] * a + (k[1] * b + k[2] * c));
    }
    (k.map(|k| k as i16), along)
}

impl PackedClip {
    /// Adds a block; `None` if a number needs too many bits, and then nothing is added.
    #[inline(always)]
    pub(super) fn settle(
        &mut self,
        exponent: u8,
        frames: usize,
        steps: &Steps,
        room: &mut Settling,
    ) -> Option<()> {
        let fit = &room.fits[usize::from(frames < BLOCK)];
        let (heads, widths, path_heads) = (self.heads.len(), self.widths.len(), self.path_heads.len());
        let undone = (heads, widths, path_heads);
        let mut head = [0; HEAD];
        // Lanes without a joint turn about the identity.
        head[3 * LANES..4 * LANES].fill(1);
        self.heads.resize(heads + self.num_groups(), head);
        self.widths.resize(widths + self.num_groups() * 3 * LANES + steps.ways.len(), 0);
        let mut widest = [0; 2];
        room.turns.clear();
        room.ways.clear();
        for (lane, references) in steps.references.iter().enumerate() {
            let head = &mut self.heads[heads + lane / LANES];
            for (row, &r) in references.iter().enumerate() {
                head[row * LANES + lane % LANES] = i16::from(r);
            }
        }
        for slot in 0..self.num_groups() * 3 * LANES {
            let (group, axis, within) = (slot / (3 * LANES), slot / LANES % 3, slot % LANES);
            let lane = group * LANES + within;
            if lane >= self.moving.len() {
                continue;
            }
            let track = &steps.turns[3 * lane + axis];
            let mut values = [0.0; BLOCK];
            for (value, &n) in values.iter_mut().zip(&track[..frames]) {
                *value = n as f32;
            }
            let (k, along) = cubic_of(fit, &values);
            let mut rest = [0; BLOCK];
            for frame in 0..BLOCK {
                rest[frame] = track[frame] - along[frame];
            }
            let (low, high) = bounds(&rest[..frames]);
            let middle = ((low + high) >> 1).clamp(-i32::from(i16::MAX), i32::from(i16::MAX));
            let width = width_of(i64::from(low - middle), i64::from(high - middle));
            widest[0] = widest[0].max(width);
            self.widths[widths + slot] = width;
            if width > 0 {
                let from = middle - ((1 << width.min(MAX_BITS)) >> 1);
                let mut row = [0; BLOCK];
                for frame in 0..BLOCK {
                    row[frame] = rest[frame].wrapping_sub(from) as u32;
                }
                room.turns.push((row, width));
            }
            let head = &mut self.heads[heads + group];
            for (place, k) in [middle as i16, k[0], k[1], k[2]].into_iter().enumerate() {
                head[(4 + 4 * axis + place) * LANES + within] = k;
            }
        }
        for (path, &base) in steps.bases.iter().enumerate() {
            let mut head = PathHead { base, ..PathHead::default() };
            for axis in 0..3 {
                let track = &steps.ways[3 * path + axis];
                let mut values = [0.0; BLOCK];
                for (value, &n) in values.iter_mut().zip(&track[..frames]) {
                    *value = (n - track[0]) as f32;
                }
                let (k, along) = cubic_of(fit, &values);
                head.cubic[axis] = k;
                let rest = |frame: usize| track[frame] - i64::from(along[frame]);
                let (low, high) =
                    (1..frames).map(rest).fold((rest(0), rest(0)), |(l, h), n| (l.min(n), h.max(n)));
                head.middle[axis] = (low + high) >> 1;
                let width = width_of(low - head.middle[axis], high - head.middle[axis]);
                widest[1] = widest[1].max(width);
                let slot = self.num_groups() * 3 * LANES + 3 * path + axis;
                self.widths[widths + slot] = width;
                if width > 0 {
                    let half = (1i64 << width.min(MAX_PATH_BITS)) >> 1;
                    let mut row = [0; BLOCK];
                    for (frame, row) in row.iter_mut().enumerate().take(frames) {
                        *row = (rest(frame) - head.middle[axis] + half) as u64;
                    }
                    room.ways.push((row, width));
                }
            }
            self.path_heads.push(head);
        }
        if widest[0] > MAX_BITS || widest[1] > MAX_PATH_BITS {
            self.heads.truncate(undone.0);
            self.widths.truncate(undone.1);
            self.path_heads.truncate(undone.2);
            return None;
        }
        let frame_bits = self.widths[widths..].iter().map(|&width| usize::from(width)).sum();
        self.blocks.push(Block {
            exponent: Some(exponent),
            heads,
            path_heads,
            widths,
            bits: self.bits.len(),
            frame_bits,
        });
        self.write_bits(frames, frame_bits, room);
        Some(())
    }

    /// The rows' lowest bits, frame after frame, lowest bit first.
    #[inline(always)]
    fn write_bits(&mut self, frames: usize, frame_bits: usize, room: &Settling) {
        let len = (frames * frame_bits).div_ceil(8);
        let mut at = self.bits.len();
        let end = at + len;
        // A number is written as eight bytes, of which the last may be beyond the end.
        self.bits.resize(end + 8, 0);
        let (mut pending, mut count) = (0u64, 0u32);
        let mut write = |number: u64, width: u8| {
            pending |= number << count;
            count += u32::from(width);
            self.bits[at..at + 8].copy_from_slice(&pending.to_le_bytes());
            at += (count / 8) as usize;
            pending >>= count & !7;
            count %= 8;
        };
        for frame in 0..frames {
            for (row, width) in &room.turns {
                write(u64::from(row[frame]), *width);
            }
            for (row, width) in &room.ways {
                write(row[frame], *width);
            }
        }
        self.bits.truncate(end);
    }

    /// The whole steps of block `number`, which is no block of plain numbers.
    pub(super) fn unsettle(&self, number: usize, steps: &mut Steps) {
        let block = &self.blocks[number];
        let frames = BLOCK.min(self.num_frames - number * BLOCK);
        let mut at = 8 * block.bits;
        let mut take = |width: u8| {
            let mut word = [0; 8];
            word.copy_from_slice(&self.bits[at / 8..at / 8 + 8]);
            let word = u64::from_le_bytes(word) >> (at % 8);
            at += usize::from(width);
            (word & ((1 << width) - 1)) as i64 - ((1i64 << width) >> 1)
        };
        for (frame, &basis) in BASIS.iter().enumerate().take(frames) {
            for slot in 0..self.num_groups() * 3 * LANES {
                let n = take(self.widths[block.widths + slot]);
                let (group, axis, within) = (slot / (3 * LANES), slot / LANES % 3, slot % LANES);
                let lane = group * LANES + within;
                if lane < self.moving.len() {
                    let head = &self.heads[block.heads + group];
                    let k = |place: usize| head[(4 + 4 * axis + place) * LANES + within];
                    let along = cubic([1, 2, 3].map(|place| f32::from(k(place))), basis) as i32;
                    steps.turns[3 * lane + axis][frame] = n as i32 + i32::from(k(0)) + along;
                }
            }
            for slot in 0..3 * self.num_moving_paths {
                let n = take(self.widths[block.widths + self.num_groups() * 3 * LANES + slot]);
                let head = &self.path_heads[block.path_heads + slot / 3];
                let along = cubic(head.cubic[slot % 3].map(f32::from), basis) as i64;
                steps.ways[slot][frame] = n + head.middle[slot % 3] + along;
            }
        }
        for (lane, reference) in steps.references.iter_mut().enumerate() {
            let head = &self.heads[block.heads + lane / LANES];
            *reference = std::array::from_fn(|row| head[row * LANES + lane % LANES] as i8);
        }
        for (path, base) in steps.bases.iter_mut().enumerate() {
            *base = self.path_heads[block.path_heads + path].base;
        }
    }
}

/// Smallest and largest.
#[inline(always)]
fn bounds(values: &[i32]) -> (i32, i32) {
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for &value in values {
        low = low.min(value);
        high = high.max(value);
    }
    (low, high)
}
