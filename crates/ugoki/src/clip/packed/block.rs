//! One block of frames, its numbers and their arithmetic; packing and decoding share it, so both get the same bits.

use super::lanes::Number;
use super::{BLOCK, LANES};

/// Numbers in the head of a group of joints: four of the reference R, then the cubic's three for x, three for y and
/// three for z, eight lanes of each.
pub(super) const HEAD: usize = 13 * LANES;
/// Bits that one number of a rotation may have: all that f32 holds exactly.
pub(super) const MAX_BITS: u8 = 24;
/// Bits that one number of a path may have; eight bytes from any bit on hold it.
pub(super) const MAX_PATH_BITS: u8 = 40;
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
    /// Middle of the block, metres.
    pub(super) base: [f32; 3],
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

/// Value of a cubic in steps.
#[inline(always)]
pub(super) fn cubic<T: Number>(k: [T; 3], basis: [f32; 3]) -> T {
    let [a, b, c] = basis.map(T::splat);
    k[0] * a + (k[1] * b + k[2] * c)
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
pub(super) fn position(base: f32, cubic: [i16; 3], n: i64, basis: [f32; 3], step: f64) -> f32 {
    let k = cubic.map(f64::from);
    let b = basis.map(f64::from);
    (f64::from(base) + step * (n as f64 + (k[0] * b[0] + (k[1] * b[1] + k[2] * b[2])))) as f32
}

/// Step of paths at exponent 0, metres; see [`super::pack`].
pub(super) const PATH_SCALE: f64 = 0.4e-3;
