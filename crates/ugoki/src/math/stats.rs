//! Order statistics of plain slices.

/// Arithmetic mean; 0 for an empty slice.
#[must_use]
pub fn mean_of(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// The value below which the share `p` (0 to 1) of `values` lies, interpolated between neighbours.
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
}
