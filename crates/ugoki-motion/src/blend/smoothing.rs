//! Gaussian smoothing of paths.

use glam::DVec3;

/// A path through a Gaussian of deviation `sigma` frames; beyond its ends it stays.
pub(super) fn smoothed(path: &[DVec3], sigma: f64) -> Vec<DVec3> {
    let reach = (3.0 * sigma).ceil() as isize;
    if reach == 0 {
        return path.to_vec();
    }
    let last = path.len() as isize - 1;
    (0..=last)
        .map(|i| {
            let (mut sum, mut total) = (DVec3::ZERO, 0.0);
            for k in -reach..=reach {
                let h = (-0.5 * (k as f64 / sigma).powi(2)).exp();
                sum += path[(i + k).clamp(0, last) as usize] * h;
                total += h;
            }
            sum / total
        })
        .collect()
}
