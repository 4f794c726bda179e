//! The two hot loops compiled twice: for any x86-64 and for machines with AVX2 and BMI.
//!
//! The code is the same and nothing is contracted, so both give the same bits; only registers are wider
//! and bit tricks shorter. `docs/results/bvh.md` has what it brings.

use ugoki_base::clip::UpAxis;

use super::columns::Columns;
use super::row_parser;

/// [`row_parser::fast_row`] as wide as this machine allows.
#[inline]
pub(super) fn fast_row(bytes: &[u8], pos: usize, row: &mut [f64], trailing: &mut bool) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if x86::detected() {
        #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
        // SAFETY: the features the function needs were detected on this machine.
        return unsafe { x86::fast_row(bytes, pos, row, trailing) };
    }
    row_parser::fast_row(bytes, pos, row, trailing)
}

/// [`Columns::fill`] as wide as this machine allows.
pub(super) fn fill(columns: &Columns, values: &[f64], up: UpAxis, out: [&mut [f32]; 4]) {
    #[cfg(target_arch = "x86_64")]
    if x86::detected() {
        #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
        // SAFETY: the features the function needs were detected on this machine.
        return unsafe { x86::fill(columns, values, up, out) };
    }
    columns.fill(values, up, out);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Columns, UpAxis, row_parser};

    /// Whether the machine has what the functions below are compiled for; asked once, then remembered by std.
    #[inline]
    pub(super) fn detected() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn fast_row(bytes: &[u8], pos: usize, row: &mut [f64], trailing: &mut bool) -> Option<usize> {
        row_parser::fast_row(bytes, pos, row, trailing)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn fill(columns: &Columns, values: &[f64], up: UpAxis, out: [&mut [f32]; 4]) {
        columns.fill(values, up, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::clip::{ChannelKind, SourceChannel};
    use ugoki_base::math::Random;

    #[test]
    fn wide_and_plain_code_give_the_same_bits() {
        let mut random = Random::new(11);
        let channels: Vec<SourceChannel> = (0..30u8)
            .map(|i| SourceChannel {
                joint: usize::from(i / 3),
                kind: ChannelKind::Rotation((i + i / 5) % 3),
            })
            .collect();
        let columns = Columns::new(10, &channels);
        let values: Vec<f64> = (0..30 * 37).map(|_| random.range(-1000.0, 1000.0)).collect();
        let arrays = || [vec![0.0f32; 370], vec![0.0f32; 370], vec![0.0f32; 370], vec![0.0f32; 370]];
        let (mut a, mut b) = (arrays(), arrays());
        for up in [UpAxis::Y, UpAxis::Z] {
            fill(&columns, &values, up, a.each_mut().map(Vec::as_mut_slice));
            columns.fill(&values, up, b.each_mut().map(Vec::as_mut_slice));
            assert_eq!(a, b);
        }
        let text: String = values.iter().take(40).map(|v| format!("{v:.4} ")).collect();
        let bytes = format!("header header {}\n{}", text.trim_end(), " ".repeat(64));
        let (mut p, mut q) = ([0.0; 40], [0.0; 40]);
        let mut trailing = false;
        let ends = (
            fast_row(bytes.as_bytes(), 14, &mut p, &mut trailing),
            row_parser::fast_row(bytes.as_bytes(), 14, &mut q, &mut trailing),
        );
        assert!(ends.0.is_some() && ends.0 == ends.1);
        assert_eq!(p.map(f64::to_bits), q.map(f64::to_bits));
    }
}
