//! How cost grows: double logarithmic plots and slopes.

use ugoki::picture::{Curve, Plot, plot_svg};

use crate::clock::Row;

/// Sizes at which one task was measured, with the whole cost of the work: (size, nanoseconds).
pub(crate) fn points(rows: &[&Row], whole: impl Fn(&Row) -> f64) -> Vec<[f64; 2]> {
    let mut points: Vec<[f64; 2]> = rows.iter().map(|row| [row.size as f64, whole(row)]).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    points
}

/// Slope of the logarithms by least squares: 1 is linear, 2 quadratic. Needs three sizes.
pub(crate) fn slope(points: &[[f64; 2]]) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    Some(steepness(points))
}

/// The same of any two sizes or more.
pub(crate) fn steepness(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let n = logs.len() as f64;
    let mean = |k: usize| logs.iter().map(|p| p[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let above: f64 = logs.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let below: f64 = logs.iter().map(|p| (p[0] - x).powi(2)).sum();
    above / below
}

/// One curve per name over decades.
pub(crate) fn growth_svg(title: &str, grows: &str, unit: &str, curves: &[(String, Vec<[f64; 2]>)]) -> String {
    let curve = |(name, points): &(String, Vec<[f64; 2]>)| Curve {
        name: name.clone(),
        points: points.iter().map(|p| p.map(f64::log10)).collect(),
        dashed: false,
    };
    plot_svg(&Plot {
        title: title.to_owned(),
        x_label: format!("log₁₀ {grows}"),
        y_label: format!("log₁₀ {unit}"),
        curves: curves.iter().map(curve).collect(),
        ..Plot::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_the_exponents() {
        let squares: Vec<[f64; 2]> = [10.0, 100.0, 1000.0].iter().map(|&n| [n, 3.0 * n * n]).collect();
        assert!((slope(&squares).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(slope(&squares[..2]), None);
    }
}
