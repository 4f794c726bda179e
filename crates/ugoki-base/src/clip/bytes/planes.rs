//! Numbers as small integers, and integers as planes of bytes.
//!
//! The bits of a float, read as an integer that counts all floats in order, change little where the float does.
//! Differences are folded so that small ones of either sign are small numbers (zigzag), and stored plane by plane:
//! first the lowest byte of all, then the next. High planes are mostly zero, which compressors like.

use crate::bytes::{BytesError, Reader, Writer};

/// Place of a float in the order of all floats.
pub(super) fn bits_of(v: f32) -> u32 {
    let bits = v.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// The float at this place.
pub(super) fn float_of(place: u32) -> f32 {
    f32::from_bits(if place >> 31 == 1 { place & !(1 << 31) } else { !place })
}

/// Place of a double in the order of all doubles, as a signed number.
pub(super) fn bits_of64(v: f64) -> i64 {
    let bits = v.to_bits() as i64;
    // Negative numbers count downwards from −1.
    if bits < 0 { !(bits & i64::MAX) } else { bits }
}

/// The double at this place.
pub(super) fn double_of(place: i64) -> f64 {
    f64::from_bits(if place < 0 { (!place | i64::MIN) as u64 } else { place as u64 })
}

/// 0, −1, 1, −2, … as 0, 1, 2, 3, …
pub(super) fn zigzag(v: i64) -> u64 {
    ((v << 1) ^ (v >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(super) fn unzigzag(code: u64) -> i64 {
    (code >> 1) as i64 ^ -((code & 1) as i64)
}

/// Folded differences to the number before (`order` 1) or to the line through the two before (2).
pub(super) fn delta(values: &[i64], order: u8) -> Vec<u64> {
    let (mut before, mut step) = (0i64, 0i64);
    let mut out = Vec::with_capacity(values.len());
    for (i, &v) in values.iter().enumerate() {
        out.push(zigzag(v.wrapping_sub(before.wrapping_add(step))));
        // The first number has no line to follow.
        step = if order == 2 && i > 0 { v.wrapping_sub(before) } else { 0 };
        before = v;
    }
    out
}

/// The inverse of [`delta`].
pub(super) fn undelta(coded: &[u64], order: u8) -> Vec<i64> {
    let (mut before, mut step) = (0i64, 0i64);
    let mut out = Vec::with_capacity(coded.len());
    for (i, &code) in coded.iter().enumerate() {
        let v = unzigzag(code).wrapping_add(before.wrapping_add(step));
        step = if order == 2 && i > 0 { v.wrapping_sub(before) } else { 0 };
        before = v;
        out.push(v);
    }
    out
}

/// About how many bits the numbers are worth.
pub(super) fn cost(coded: &[u64]) -> u64 {
    coded.iter().map(|code| u64::from(64 - code.leading_zeros())).sum()
}

/// As many planes as the largest number needs, at least one.
pub(super) fn write_planes(out: &mut Writer, coded: &[u64]) {
    let all = coded.iter().fold(0, |all, code| all | code);
    let planes = (64 - all.leading_zeros()).div_ceil(8).max(1);
    out.u8(planes as u8);
    let mut bytes = vec![0u8; coded.len()];
    for plane in 0..planes {
        for (byte, code) in bytes.iter_mut().zip(coded) {
            *byte = (code >> (8 * plane)) as u8;
        }
        out.raw(&bytes);
    }
}

/// `len` numbers of at most `max_planes` bytes each.
pub(super) fn read_planes(read: &mut Reader<'_>, len: usize, max_planes: u8) -> Result<Vec<u64>, BytesError> {
    let planes = read.u8()?;
    if planes == 0 || planes > max_planes {
        return Err(read.bad(format!("{planes} planes of bytes, expected 1 to {max_planes}")));
    }
    read.fits(len, usize::from(planes))?;
    let mut coded = vec![0u64; len];
    for plane in 0..planes {
        for (code, &byte) in coded.iter_mut().zip(read.raw(len)?) {
            *code |= u64::from(byte) << (8 * plane);
        }
    }
    Ok(coded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn floats_and_their_places_are_one(bits: u32, bits64: u64) {
            prop_assert_eq!(float_of(bits_of(f32::from_bits(bits))).to_bits(), bits);
            prop_assert_eq!(double_of(bits_of64(f64::from_bits(bits64))).to_bits(), bits64);
        }

        #[test]
        fn places_stand_in_order(a: f32, b: f32, c: f64, d: f64) {
            prop_assert!(a >= b || bits_of(a) < bits_of(b));
            prop_assert!(c >= d || bits_of64(c) < bits_of64(d));
        }

        #[test]
        fn differences_add_up_again(values: Vec<i64>, order in 1..3u8) {
            prop_assert_eq!(undelta(&delta(&values, order), order), values);
        }
    }
}
