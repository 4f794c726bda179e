//! One block of frames, its numbers and their arithmetic; packing and decoding both use it, so both get the same bits.

use super::lanes::{LANES, Number};

/// Frames of a block.
pub(super) const BLOCK: usize = 32;

/// Numbers in the head of a group of joints: four of the reference R, then the middle and the cubic's three for x, for
/// y and for z, eight lanes of each.
pub(super) const HEAD: usize = 16 * LANES;
/// What whole steps of a rotation stay below, so that f32 holds them and their sums exactly.
pub(super) const MAX_STEPS: i64 = 1 << 23;
/// What whole steps of a path stay below: f64 holds them and what foretells them exactly.
pub(super) const MAX_PATH_STEPS: i64 = 1 << 40;
/// Bits that one number of a rotation may have: all that f32 holds exactly.
pub(super) const MAX_BITS: u8 = 24;
/// Bits that one number of a path may have; eight bytes from any bit on hold it. Two more than [`MAX_PATH_STEPS`] asks
/// for, because a cubic can lead away from what it is fitted to.
pub(super) const MAX_PATH_BITS: u8 = 43;
/// Exponents a block may have; steps are then down to 2⁻¹⁶ of the coarsest.
pub(super) const MAX_EXPONENT: u8 = 64;

/// Where a block's numbers are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Block {
    /// Steps are 2^(−exponent/4) of the scales; `None` for a block of plain numbers.
    pub(super) exponent: Option<u8>,
    /// First of its heads; as many as there are groups.
    pub(super) heads: usize,
    /// First of its path heads.
    pub(super) path_heads: usize,
    /// First of its widths.
    pub(super) widths: usize,
    /// First byte of its bits.
    pub(super) bits: usize,
    /// Bits of one frame.
    pub(super) frame_bits: usize,
}

/// What a block knows about one path.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct PathHead {
    /// Where steps are counted from, metres.
    pub(super) base: [f32; 3],
    /// Middle of the block, steps.
    pub(super) middle: [i64; 3],
    /// The cubic in steps: three numbers for x, y, z.
    pub(super) cubic: [[i16; 3]; 3],
}

/// 2^(−exponent/4), the same on every machine.
pub(super) fn factor(exponent: u8) -> f32 {
    const QUARTERS: [f32; 4] = [1.0, 0.840_896_4, std::f32::consts::FRAC_1_SQRT_2, 0.594_603_54];
    QUARTERS[usize::from(exponent % 4)] / (1u64 << (exponent / 4)) as f32
}

/// Chebyshev's polynomials 1, 2, 3 at each frame of a block, which spans −1 to 1.
pub(super) const BASIS: [[f32; 3]; BLOCK] = {
    let mut basis = [[0.0; 3]; BLOCK];
    let mut frame = 0;
    while frame < BLOCK {
        let x = (2 * frame + 1) as f64 / BLOCK as f64 - 1.0;
        basis[frame] = [x as f32, (2.0 * x * x - 1.0) as f32, (4.0 * x * x * x - 3.0 * x) as f32];
        frame += 1;
    }
    basis
};

/// Added to a number below 2²² and taken off again, this leaves the nearest whole number: f32 has no room for more.
pub(super) const NEAREST: f32 = 12_582_912.0;

/// Value of a cubic, in whole steps.
#[inline(always)]
pub(super) fn cubic<T: Number>(k: [T; 3], basis: [f32; 3]) -> T {
    let [a, b, c] = basis.map(T::splat);
    let nearest = T::splat(NEAREST);
    (k[0] * a + (k[1] * b + k[2] * c)) + nearest - nearest
}

/// R·q(v), unit: q(v) is the turn whose stereographic projection is v/4, by its centre a rotation vector in radians.
///
/// q(v) = (8v, 16 − |v|²)/(16 + |v|²); neither it nor R, whole numbers, is made unit before the product is.
#[inline(always)]
pub(super) fn rotation<T: Number>(r: [T; 4], v: [T; 3]) -> [T; 4] {
    let (eight, sixteen) = (T::splat(8.0), T::splat(16.0));
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    let [x, y, z, w] = [eight * v[0], eight * v[1], eight * v[2], sixteen - square];
    let q = [
        r[3] * x + r[0] * w + r[1] * z - r[2] * y,
        r[3] * y - r[0] * z + r[1] * w + r[2] * x,
        r[3] * z + r[0] * y - r[1] * x + r[2] * w,
        r[3] * w - r[0] * x - r[1] * y - r[2] * z,
    ];
    let unit = (q[0] * q[0] + q[1] * q[1] + (q[2] * q[2] + q[3] * q[3])).inverse_root();
    [q[0] * unit, q[1] * unit, q[2] * unit, q[3] * unit]
}

/// One axis of a position; in f64, so that far from the origin the nearest f32 comes out.
#[inline(always)]
pub(super) fn position(base: f32, steps: i64, step: f64) -> f32 {
    (f64::from(base) + step * steps as f64) as f32
}

/// Step of paths at exponent 0, metres; see [`super::pack`].
pub(super) const PATH_SCALE: f64 = 0.4e-3;

/// Step of a rotation at exponent 0, radians: 2^(−size/8), the same on every machine. Sizes go up to [`MAX_SIZE`].
pub(super) fn scale(size: u8) -> f32 {
    const EIGHTHS: [f32; 8] = [
        1.0,
        0.917_004_04,
        0.840_896_4,
        0.771_105_4,
        std::f32::consts::FRAC_1_SQRT_2,
        0.648_419_8,
        0.594_603_54,
        0.545_253_9,
    ];
    EIGHTHS[usize::from(size % 8)] / (1u64 << (size / 8)) as f32
}

/// The coarsest steps, 0.088 radians: v then stays far from where the squares of f32 end.
pub(super) const MIN_SIZE: u8 = 28;
/// The finest steps, 4e-10 radians at exponent 0.
pub(super) const MAX_SIZE: u8 = 250;

/// The size whose steps are nearest to `step` radians.
pub(super) fn size_of(step: f64) -> u8 {
    // Not a number, as of a step of 0, becomes the finest.
    (-8.0 * step.log2()).round().clamp(f64::from(MIN_SIZE), f64::from(MAX_SIZE)) as u8
}
