//! Numbers as text: the shortest digits that read back the same.

use std::io::Write;

/// Decimals tried by whole-number arithmetic before the general printer; captures have 4 to 6.
const QUICK_DECIMALS: usize = 6;

/// Appends `v` with the fewest digits that give the same f64 back.
pub(super) fn push_number(out: &mut Vec<u8>, v: f64) {
    if quick(out, v) {
        return;
    }
    // Writing into memory cannot fail.
    let _ = if v != 0.0 && (v.abs() < 1e-5 || v.abs() >= 1e15) {
        write!(out, "{v:e}")
    } else {
        write!(out, "{v}")
    };
}

/// Appends `v` rounded to `digits` decimals, trailing zeros kept so that columns align.
pub(super) fn push_rounded(out: &mut Vec<u8>, v: f64, digits: usize) {
    let start = out.len();
    let _ = write!(out, "{v:.digits$}");
    // "-0.000" is 0.
    if out[start] == b'-' && out[start + 1..].iter().all(|b| matches!(b, b'0' | b'.')) {
        out.remove(start);
    }
}

/// Prints numbers of up to six decimals as integers over a power of ten; false if that is not exact.
fn quick(out: &mut Vec<u8>, v: f64) -> bool {
    let scaled = v * 1e6;
    let whole = scaled.round();
    // Below 2⁵³ the integer is exact, and integer / 10⁶ is the correctly rounded decimal.
    if whole.abs() >= 9e15 || whole / 1e6 != v {
        return false;
    }
    if v.is_sign_negative() {
        out.push(b'-');
    }
    let mut n = whole.abs() as u64;
    let mut decimals = QUICK_DECIMALS;
    while decimals > 0 && n.is_multiple_of(10) {
        n /= 10;
        decimals -= 1;
    }
    let mut digits = [b'0'; 24];
    let mut at = digits.len();
    let mut count = 0;
    while n > 0 || count <= decimals {
        if count == decimals && decimals > 0 {
            at -= 1;
            digits[at] = b'.';
        }
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        count += 1;
    }
    out.extend_from_slice(&digits[at..]);
    true
}

/// A length of `metres` in units of `unit_metres`, rounded to the fewest digits that give the same f32 back.
pub(super) fn length_in_units(metres: f32, unit_metres: f64) -> f64 {
    let exact = f64::from(metres) / unit_metres;
    if exact == 0.0 || !exact.is_finite() {
        return if exact.is_finite() { exact } else { 0.0 };
    }
    // Decimals so that 6, 7, 8, 9 significant digits are left; f32 needs at most 9.
    let magnitude = exact.abs().log10().floor() as i32;
    for significant in 6..=9 {
        let decimals = significant - 1 - magnitude;
        if decimals.abs() > 22 {
            break;
        }
        let power = 10f64.powi(decimals.abs());
        let rounded =
            if decimals >= 0 { (exact * power).round() / power } else { (exact / power).round() * power };
        if (rounded * unit_metres) as f32 == metres {
            return rounded;
        }
    }
    exact
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(v: f64) -> String {
        let mut out = Vec::new();
        push_number(&mut out, v);
        String::from_utf8(out).unwrap()
    }

    proptest! {
        #[test]
        fn printed_numbers_read_back_the_same(bits in any::<u64>()) {
            let v = f64::from_bits(bits);
            prop_assume!(v.is_finite());
            prop_assert_eq!(text(v).parse::<f64>().unwrap().to_bits(), v.to_bits());
        }

        #[test]
        fn decimals_print_as_they_were_written(n in -9_999_999_999i64..9_999_999_999, decimals in 0usize..=8) {
            let v = n as f64 / 10f64.powi(decimals as i32);
            prop_assume!(v == 0.0 || v.abs() >= 1e-5);
            prop_assert_eq!(text(v), format!("{v}"));
        }

        #[test]
        fn lengths_survive_any_unit(metres in -100.0f32..100.0, unit in prop::sample::select(vec![1.0, 0.01, 0.0254])) {
            let units = length_in_units(metres, unit);
            prop_assert_eq!((units * unit) as f32, metres);
        }
    }

    #[test]
    fn short_offsets_stay_short() {
        assert_eq!(length_in_units((8.473 * 0.0254) as f32, 0.0254), 8.473);
        assert_eq!(text(-0.0), "-0");
        assert_eq!(text(0.1), "0.1");
        assert_eq!(text(120.0), "120");
        assert_eq!(text(9.27476e-16), "9.27476e-16");
    }
}
