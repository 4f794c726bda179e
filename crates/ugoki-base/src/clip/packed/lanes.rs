//! One number, or eight at a time.
//!
//! Plain arrays of eight f32 in plain loops, one operation each; the compiler turns them into whatever vectors the
//! target has. Packing computes with single numbers, decoding with eight, by the same source ([`super::block`]).

use std::ops::{Add, Mul, Sub};

/// Joints decoded together.
pub(super) const LANES: usize = 8;

/// What rotations are computed from.
pub(super) trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    fn splat(v: f32) -> Self;
    /// 1/√self: a root and a division, both correctly rounded.
    fn inverse_root(self) -> Self;
}

impl Number for f32 {
    #[inline(always)]
    fn splat(v: f32) -> Self {
        v
    }

    #[inline(always)]
    fn inverse_root(self) -> Self {
        1.0 / self.sqrt()
    }
}

/// One number for each of eight joints.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub(super) struct Lane(pub(super) [f32; LANES]);

macro_rules! lane_operator {
    ($trait:ident, $function:ident, $operator:tt) => {
        impl $trait for Lane {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                let mut out = self;
                for i in 0..LANES {
                    out.0[i] = self.0[i] $operator other.0[i];
                }
                out
            }
        }
    };
}
lane_operator!(Add, add, +);
lane_operator!(Sub, sub, -);
lane_operator!(Mul, mul, *);

impl Number for Lane {
    #[inline(always)]
    fn splat(v: f32) -> Self {
        Self([v; LANES])
    }

    #[inline(always)]
    fn inverse_root(self) -> Self {
        let mut out = self;
        for i in 0..LANES {
            out.0[i] = self.0[i].sqrt();
        }
        for i in 0..LANES {
            out.0[i] = 1.0 / out.0[i];
        }
        out
    }
}

impl Lane {
    /// Whole numbers of 16 bits.
    #[inline(always)]
    pub(super) fn from_i16(values: &[i16; LANES]) -> Self {
        let mut out = [0.0; LANES];
        for i in 0..LANES {
            out[i] = f32::from(values[i]);
        }
        Self(out)
    }

    /// Whole numbers of up to 24 bits.
    #[inline(always)]
    pub(super) fn from_i32(values: &[i32; LANES]) -> Self {
        let mut out = [0.0; LANES];
        for i in 0..LANES {
            out[i] = values[i] as f32;
        }
        Self(out)
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        let mut out = self;
        for i in 0..LANES {
            out.0[i] = self.0[i].abs();
        }
        out
    }

    /// `self` with the sign of `sign` multiplied in.
    #[inline(always)]
    pub(super) fn flipped_by(self, sign: Self) -> Self {
        let mut out = self;
        for i in 0..LANES {
            out.0[i] = f32::from_bits(self.0[i].to_bits() ^ (sign.0[i].to_bits() & 0x8000_0000));
        }
        out
    }
}
