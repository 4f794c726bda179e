//! Numbers of variable length: seven bits a byte, the lowest first; the eighth bit says that more follow.

use ugoki_base::bytes::{BytesError, Reader, Writer};

/// Writes a number.
pub(super) fn write(w: &mut Writer, mut v: u32) {
    while v >= 0x80 {
        w.u8(v as u8 | 0x80);
        v >>= 7;
    }
    w.u8(v as u8);
}

/// Reads a number; only its shortest form is valid.
pub(super) fn read(r: &mut Reader<'_>) -> Result<u32, BytesError> {
    let mut v = 0_u64;
    for shift in (0..35).step_by(7) {
        let byte = r.u8()?;
        v |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let shortest = byte != 0 || shift == 0;
            return u32::try_from(v)
                .ok()
                .filter(|_| shortest)
                .ok_or_else(|| r.bad("a number that is too long"));
        }
    }
    Err(r.bad("a number that is too long"))
}

/// Writes a difference by zigzag encoding: small ones of either sign are short.
pub(super) fn write_signed(w: &mut Writer, v: i32) {
    write(w, ((v << 1) ^ (v >> 31)).cast_unsigned());
}

/// The inverse of [`write_signed`].
pub(super) fn read_signed(r: &mut Reader<'_>) -> Result<i32, BytesError> {
    let v = read(r)?;
    Ok((v >> 1).cast_signed() ^ -(v & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_survive_their_bytes(numbers in prop::collection::vec(any::<i32>(), 0..40), small in -70..70_i32) {
            let numbers: Vec<i32> = numbers.into_iter().chain([small, 0, i32::MIN, i32::MAX]).collect();
            let mut w = Writer::new(*b"TEST", 1);
            numbers.iter().for_each(|&v| write_signed(&mut w, v));
            numbers.iter().for_each(|&v| write(&mut w, v.cast_unsigned()));
            let bytes = w.finish();
            let (mut r, _) = Reader::new(&bytes, *b"TEST", 1).unwrap();
            for &v in &numbers {
                prop_assert_eq!(read_signed(&mut r).unwrap(), v);
            }
            for &v in &numbers {
                prop_assert_eq!(read(&mut r).unwrap(), v.cast_unsigned());
            }
            prop_assert!(r.finish().is_ok());
        }
    }
}
