//! Decimal numbers to f64, correctly rounded, eight bytes at a time.
//!
//! Most numbers in motion files are a sign, one to three digits, a dot and up to six digits. [`fast`]
//! reads those without a branch per digit: [`blanks`] finds the words of 64 bytes at once, the dot is found
//! and squeezed out by arithmetic on whole machine words and three multiplications sum the digits. Both the digits
//! (below 2⁵³) and the power of ten (up to 10²²) are exact, so their quotient is the correctly rounded value
//! [clinger1990]. Everything else goes through [`slow`], which ends in the standard library.

/// Powers of ten that are exact in f64.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

const ONES: u64 = 0x0101_0101_0101_0101;

/// The eight bytes before `end`, the last one highest.
#[inline(always)]
fn word_before(bytes: &[u8], end: usize) -> Option<u64> {
    let start = end.checked_sub(8)?;
    Some(u64::from_le_bytes(*bytes.get(start..)?.first_chunk::<8>()?))
}

/// Bits of the 64 bytes from `at` that are blanks or line ends (at most 0x20), the first byte's lowest.
#[inline(always)]
pub(crate) fn blanks(bytes: &[u8], at: usize) -> Option<u64> {
    let block = bytes.get(at..)?.first_chunk::<64>()?;
    let mut mask = 0;
    for (i, word) in block.as_chunks::<8>().0.iter().enumerate() {
        let w = u64::from_le_bytes(*word);
        // The high bit of each byte is set when it is above 0x20; no byte overflows into the next.
        let above = ((w & (0x7f * ONES)) + 0x5f * ONES) | w;
        // The product gathers the eight low bits in its top byte.
        let bits = (((!above) >> 7) & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * i);
    }
    Some(mask)
}

/// Value of eight digits (0 to 9), the first in the lowest byte.
#[inline(always)]
fn eight_digits(x: u64) -> u64 {
    let x = x.wrapping_mul(2561) >> 8;
    let x = (x & 0x00ff_00ff_00ff_00ff).wrapping_mul(6_553_601) >> 16;
    (x & 0x0000_ffff_0000_ffff).wrapping_mul(42_949_672_960_001) >> 32
}

/// Whether some byte is no digit. Above 9 adding 6 sets the high nibble; a carry into the next byte
/// needs a high nibble that was set already.
#[inline(always)]
fn has_other(x: u64) -> bool {
    (x | x.wrapping_add(0x06 * ONES)) & (0xf0 * ONES) != 0
}

/// The number that is the whole word `start..end`, when it is a plain decimal of at most 16 characters
/// after the sign; `None` sends the caller to [`slow`].
///
/// Words are found first and read from their ends, so that reading one number need not wait for another.
#[inline(always)]
pub(crate) fn fast(bytes: &[u8], start: usize, end: usize) -> Option<f64> {
    let negative = bytes[start] == b'-';
    let len = end - start - usize::from(negative);
    if len.wrapping_sub(1) >= 8 {
        return if len == 0 { None } else { sixteen(bytes, end, len, negative) };
    }
    // Digits become 0 to 9, a dot 0x1e; what stands before the number is masked away.
    let x = (word_before(bytes, end)? ^ (0x30 * ONES)) & (u64::MAX << (64 - 8 * len));
    let stop = x & (0x10 * ONES);
    let at = stop.trailing_zeros(); // bit 4 of the dot's byte; 64 without one
    let has_dot = stop != 0;
    // Squeeze the dot out: what is before it moves up by a byte over it.
    let after = (u64::MAX << (at & 63)) << 4;
    let before = !(u64::MAX << (at.wrapping_sub(4) & 63));
    let squeezed = if has_dot { (x & after) | ((x & before) << 8) } else { x };
    let is_dot = (x >> (at.wrapping_sub(4) & 63)) as u8 == 0x1e;
    // A leading dot is worth a finding, so the slow way takes it; a dot alone is no number.
    let leads = at.wrapping_sub(4) as usize == 64 - 8 * len;
    if has_other(squeezed) || (has_dot & (!is_dot | leads)) {
        return None;
    }
    let fraction = if has_dot { (60 - at) >> 3 } else { 0 };
    Some(signed(eight_digits(squeezed), fraction as usize, negative))
}

/// [`fast`] for 9 to 16 characters.
#[inline(always)]
fn sixteen(bytes: &[u8], end: usize, len: usize, negative: bool) -> Option<f64> {
    if len > 16 {
        return None;
    }
    let (high, low) = (word_before(bytes, end)?, word_before(bytes, end - 8)?);
    let low = (low ^ (0x30 * ONES)) & (u64::MAX << (128 - 8 * len));
    let x = u128::from(high ^ (0x30 * ONES)) << 64 | u128::from(low);
    let ones = u128::from(ONES) << 64 | u128::from(ONES);
    let stop = x & (0x10 * ones);
    let (squeezed, fraction) = if stop == 0 {
        (x, 0)
    } else {
        let at = stop.trailing_zeros();
        let after = (u128::MAX << at) << 4;
        let before = !(u128::MAX << (at - 4));
        let leads = (at - 4) as usize == 128 - 8 * len;
        if (x >> (at - 4)) as u8 != 0x1e || leads {
            return None;
        }
        ((x & after) | ((x & before) << 8), (124 - at) >> 3)
    };
    let (high, low) = ((squeezed >> 64) as u64, squeezed as u64);
    if has_other(high) || has_other(low) {
        return None;
    }
    let digits = eight_digits(low) * 100_000_000 + eight_digits(high);
    (digits <= 1 << 53).then(|| signed(digits, fraction as usize, negative))
}

/// `±digits / 10^fraction`, correctly rounded for digits up to 2⁵³.
#[inline(always)]
fn signed(digits: u64, fraction: usize, negative: bool) -> f64 {
    // Through i64, for which there is one instruction.
    let value = digits as i64 as f64 / POWERS[fraction & 15];
    f64::from_bits(value.to_bits() | u64::from(negative) << 63)
}

/// What [`slow`] found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Slow {
    /// A finite number and where it ends; another may be glued to it.
    Number { value: f64, end: usize, exponent: bool, leading_dot: bool },
    /// NaN or infinity in any spelling, or a number beyond f64; ends with the word.
    NotFinite,
    /// Not a number.
    Bad,
}

/// Reads one number at `at`, which is inside the word ending at `word_end`.
pub(crate) fn slow(bytes: &[u8], at: usize, word_end: usize) -> Slow {
    let word = &bytes[at..word_end];
    let mut i = usize::from(matches!(word.first(), Some(b'-' | b'+')));
    let negative = word.first() == Some(&b'-');
    if is_not_finite(&word[i..]) {
        return Slow::NotFinite;
    }
    let (mut digits, mut num_digits, mut scale) = (0u64, 0usize, 0i64);
    let start = i;
    let mut seen_dot = false;
    let mut any = false;
    let mut truncated = false;
    while let Some(&b) = word.get(i) {
        match b {
            b'0'..=b'9' => {
                any = true;
                if num_digits < 19 {
                    digits = digits * 10 + u64::from(b - b'0');
                    num_digits += usize::from(digits > 0);
                    scale -= i64::from(seen_dot);
                } else {
                    truncated = true;
                }
            }
            b'.' if !seen_dot => seen_dot = true,
            _ => break,
        }
        i += 1;
    }
    if !any {
        return Slow::Bad;
    }
    let mut exponent = false;
    if let Some(b'e' | b'E') = word.get(i) {
        let mut j = i + 1;
        let minus = word.get(j) == Some(&b'-');
        j += usize::from(matches!(word.get(j), Some(b'-' | b'+')));
        let first = j;
        let mut power = 0i64;
        while let Some(b @ b'0'..=b'9') = word.get(j) {
            power = (power * 10 + i64::from(b - b'0')).min(1_000_000);
            j += 1;
        }
        if j == first {
            return Slow::Bad;
        }
        scale += if minus { -power } else { power };
        exponent = true;
        i = j;
    }
    if !matches!(word.get(i), None | Some(b'-' | b'+')) {
        return Slow::Bad;
    }
    let value = if truncated || digits > 1 << 53 || scale.unsigned_abs() > 22 {
        // Only digits, one dot and one exponent were let through.
        std::str::from_utf8(&word[start..i]).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
    } else if scale < 0 {
        digits as f64 / POWERS[scale.unsigned_abs() as usize]
    } else {
        digits as f64 * POWERS[scale as usize]
    };
    if !value.is_finite() {
        return Slow::NotFinite;
    }
    let leading_dot = word.get(start) == Some(&b'.');
    Slow::Number { value: if negative { -value } else { value }, end: at + i, exponent, leading_dot }
}

/// `nan`, `inf`, `-nan(ind)`, `1.#QNAN`: what C libraries print.
fn is_not_finite(word: &[u8]) -> bool {
    let starts = |prefix: &[u8]| word.get(..prefix.len()).is_some_and(|w| w.eq_ignore_ascii_case(prefix));
    starts(b"nan") || starts(b"inf") || starts(b"1.#")
}

/// How many decimals the number at the start of `word` was written with; for the rounding of frame times.
pub(crate) fn decimals(word: &[u8]) -> i32 {
    let text = word.split(|b| matches!(b, b'e' | b'E')).collect::<Vec<_>>();
    let fraction = text[0].iter().rev().position(|&b| b == b'.').map_or(0, |n| n as i32);
    let power = text.get(1).and_then(|t| std::str::from_utf8(t).ok()).and_then(|t| t.parse::<i32>().ok());
    fraction - power.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The number by either path, as the row reader takes it.
    fn value(text: &str) -> Option<f64> {
        // What stands before a number must not matter.
        let padded = format!("1.5 9999999999999999 {text}");
        let start = padded.len() - text.len();
        let fast = fast(padded.as_bytes(), start, padded.len());
        let slow = match slow(padded.as_bytes(), start, padded.len()) {
            Slow::Number { value, end, .. } if end == padded.len() => Some(value),
            _ => None,
        };
        if let Some(quick) = fast {
            assert_eq!(Some(quick.to_bits()), slow.map(f64::to_bits), "{text}");
        } else if let Some(v) = slow {
            let plain = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-'));
            let leads = text.trim_start_matches('-').starts_with('.');
            assert!(!plain || leads || text.len() > 16 || v.abs() > 9e15, "{text} should be read fast");
        }
        slow
    }

    #[test]
    fn blank_bits_are_the_bytes_up_to_space() {
        let mut bytes: Vec<u8> = (0..=255).collect();
        bytes.extend([0; 64]);
        for at in 0..256 {
            let expected = (0..64).fold(0u64, |m, i| m | u64::from(bytes[at + i] <= b' ') << i);
            assert_eq!(blanks(&bytes, at), Some(expected));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn decimals_are_correctly_rounded(text in "-?[0-9]{0,9}(\\.[0-9]{0,12})?") {
            prop_assume!(text.bytes().any(|b| b.is_ascii_digit()));
            let expected: f64 = text.parse().unwrap();
            prop_assert_eq!(value(&text).map(f64::to_bits), Some(expected.to_bits()));
        }

        #[test]
        fn exponents_and_long_mantissas_are_correctly_rounded(
            text in "[-+]?([0-9]{1,25}\\.?|[0-9]{0,25}\\.[0-9]{1,25})([eE][-+]?[0-9]{1,3})?",
        ) {
            let expected: f64 = text.parse().unwrap();
            prop_assert_eq!(value(&text), Some(expected).filter(|v| v.is_finite()));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            for start in 0..bytes.len() {
                let quick = fast(&bytes, start, bytes.len());
                if let Some(v) = quick {
                    let same = matches!(slow(&bytes, start, bytes.len()), Slow::Number { value, .. } if value == v);
                    prop_assert!(same, "{} from {:?}", v, &bytes[start..]);
                }
            }
            let _ = blanks(&bytes, 0);
            let _ = slow(&bytes, 0, bytes.len());
            let _ = decimals(&bytes);
        }

        #[test]
        fn every_printed_double_comes_back(bits in any::<u64>()) {
            let v = f64::from_bits(bits);
            prop_assume!(v.is_finite());
            prop_assert_eq!(value(&format!("{v:e}")), Some(v));
        }
    }

    #[test]
    fn glued_numbers_end_at_the_sign() {
        let Slow::Number { value, end, .. } = slow(b"0.0-7.5", 0, 7) else { panic!() };
        assert_eq!((value, end), (0.0, 3));
        assert!(fast(b"         0.0-7.5", 9, 16).is_none());
        let Slow::Number { value, end, exponent, .. } = slow(b"1E-7-2", 0, 6) else { panic!() };
        assert_eq!((value, end, exponent), (1e-7, 4, true));
    }

    #[test]
    fn words_and_broken_numbers_are_distinguished_from_numbers() {
        for bad in ["", "-", "E-7", "1.2.3", "0x10", "1e", "--5", "abc", "5f", "."] {
            assert_eq!(slow(bad.as_bytes(), 0, bad.len()), Slow::Bad, "{bad}");
            let padded = format!("                    {bad}");
            if !bad.is_empty() {
                assert_eq!(fast(padded.as_bytes(), 20, padded.len()), None, "{bad}");
            }
        }
        for odd in ["nan", "-NaN(ind)", "inf", "-1.#QNAN", "1e999"] {
            assert_eq!(slow(odd.as_bytes(), 0, odd.len()), Slow::NotFinite, "{odd}");
        }
    }

    #[test]
    fn decimals_count_what_was_written() {
        assert_eq!(decimals(b".0083333"), 7);
        assert_eq!(decimals(b"3.33e-2"), 4);
        assert_eq!(decimals(b"1"), 0);
    }
}
