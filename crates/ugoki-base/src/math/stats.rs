//! Order statistics of plain slices.

/// Arithmetic mean; 0 for an empty slice.
#[must_use]
pub fn mean_of(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// The value below which the fraction `p` (0 to 1) of `values` lies, interpolated between neighbours.
///
/// Values that are not numbers are left out; `None` when nothing is left.
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    if sorted.is_empty() {
        return None;
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let place = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let low = place.floor() as usize;
    let high = place.ceil() as usize;
    Some(sorted[low] + (sorted[high] - sorted[low]) * (place - low as f64))
}

/// The middle value, see [`quantile`].
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Rank correlation of two lists of equal length (Spearman's; equal values get their mean rank): 1 where both sort
/// alike, −1 where opposite. `None` for fewer than three, or where a list is all alike.
#[must_use]
pub fn rank_correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let n = a.len();
    if n < 3 || b.len() != n {
        return None;
    }
    let ranks = |values: &[f64]| {
        let below = |v: f64| values.iter().filter(|&&other| other < v).count() as f64;
        let equal = |v: f64| values.iter().filter(|&&other| other == v).count() as f64;
        values.iter().map(|&v| below(v) + 0.5 * equal(v) - 0.5 * n as f64).collect::<Vec<f64>>()
    };
    let (a, b) = (ranks(a), ranks(b));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let scale = (dot(&a, &a) * dot(&b, &b)).sqrt();
    (scale > 0.0).then(|| dot(&a, &b) / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_and_skip_what_is_not_a_number() {
        let values = [4.0, f64::NAN, 1.0, 3.0, 2.0];
        assert_eq!(median(&values), Some(2.5));
        assert_eq!(quantile(&values, 0.0), Some(1.0));
        assert_eq!(quantile(&values, 1.0), Some(4.0));
        assert_eq!(median(&[f64::NAN]), None);
        assert_eq!(mean_of(&[]), 0.0);
    }

    #[test]
    fn ranks_agree_with_themselves_oppose_their_reverse_and_do_not_see_scale() {
        let a = [3.0, -1.0, 7.0, 0.5, 0.5];
        let cubes = a.map(|v: f64| v.powi(3) + 2.0);
        let against = a.map(|v: f64| -v);
        assert!((rank_correlation(&a, &cubes).unwrap() - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&a, &against).unwrap() + 1.0).abs() < 1e-12);
        // By hand: ranks 1 2 3 4 and 2 1 4 3, 1 − 6·4/(4·15).
        let swapped = rank_correlation(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 4.0, 3.0]).unwrap();
        assert!((swapped - 0.6).abs() < 1e-12);
        assert_eq!(rank_correlation(&a[..2], &a[..2]), None);
        assert_eq!(rank_correlation(&[1.0; 4], &[1.0, 2.0, 3.0, 4.0]), None);
    }
}
