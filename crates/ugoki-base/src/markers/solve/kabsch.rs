//! The rigid motion that takes one set of points best onto another.

use glam::{DQuat, DVec3};

/// A rotation and a translation: `to = rotation · from + translation`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rigid {
    pub rotation: DQuat,
    pub translation: DVec3,
}

impl Rigid {
    pub(super) fn apply(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }
}

/// Twice the area of the widest triangle, m², below which points are taken to lie in a line: 2 cm by 1 cm.
const MIN_SPREAD: f64 = 2e-4;

/// Least squares over all pairs (from, to), by the quaternion form of \[horn1987\]; `None` for fewer than three
/// points or points in a line.
pub(super) fn fit(pairs: &[(DVec3, DVec3)]) -> Option<Rigid> {
    if spread(pairs) < MIN_SPREAD {
        return None;
    }
    let n = pairs.len() as f64;
    let from = pairs.iter().map(|(a, _)| *a).sum::<DVec3>() / n;
    let to = pairs.iter().map(|(_, b)| *b).sum::<DVec3>() / n;
    let mut s = [[0.0; 3]; 3];
    for (a, b) in pairs {
        let (a, b) = ((*a - from).to_array(), (*b - to).to_array());
        for (row, x) in s.iter_mut().zip(a) {
            for (cell, y) in row.iter_mut().zip(b) {
                *cell += x * y;
            }
        }
    }
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = s;
    let symmetric = [
        [xx + yy + zz, yz - zy, zx - xz, xy - yx],
        [yz - zy, xx - yy - zz, xy + yx, zx + xz],
        [zx - xz, xy + yx, yy - xx - zz, yz + zy],
        [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ];
    let [w, x, y, z] = dominant(symmetric);
    let rotation = DQuat::from_xyzw(x, y, z, w).normalize();
    Some(Rigid { rotation, translation: to - rotation * from })
}

/// Twice the area of the widest triangle of the points given.
fn spread(pairs: &[(DVec3, DVec3)]) -> f64 {
    let mut widest: f64 = 0.0;
    for (i, (a, _)) in pairs.iter().enumerate() {
        for (j, (b, _)) in pairs.iter().enumerate().skip(i + 1) {
            for (c, _) in &pairs[j + 1..] {
                widest = widest.max((*b - *a).cross(*c - *a).length());
            }
        }
    }
    widest
}

/// Eigenvector of the largest eigenvalue, by Jacobi's rotations.
fn dominant(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    let mut v = [[0.0; 4]; 4];
    for (i, row) in v.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    // Converges quadratically; six sweeps reach rounding from anywhere, twelve are a bound.
    for _ in 0..12 {
        let off: f64 =
            (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j))).map(|(i, j)| a[i][j].powi(2)).sum();
        let all: f64 = (0..4).map(|i| a[i][i].powi(2)).sum();
        if off <= 1e-32 * all {
            break;
        }
        for p in 0..4 {
            for q in p + 1..4 {
                rotate(&mut a, &mut v, p, q);
            }
        }
    }
    let best = (0..4).max_by(|&i, &j| a[i][i].total_cmp(&a[j][j])).unwrap_or(0);
    std::array::from_fn(|i| v[i][best])
}

/// One Jacobi rotation that makes `a[p][q]` zero.
fn rotate(a: &mut [[f64; 4]; 4], v: &mut [[f64; 4]; 4], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
    let (low, high) = (a[p], a[q]);
    for (k, (x, y)) in low.into_iter().zip(high).enumerate() {
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
    for row in v.iter_mut() {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{angle_between64, exp64};
    use proptest::prelude::*;

    fn vector(range: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-range..range).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn a_rigid_motion_is_found_again(
            points in prop::collection::vec(vector(0.3), 3..9), turn in vector(1.8), shift in vector(5.0)
        ) {
            let q = exp64(turn);
            let pairs: Vec<_> = points.iter().map(|&p| (p, q * p + shift)).collect();
            let Some(found) = fit(&pairs) else { return Ok(()) };
            prop_assert!(angle_between64(found.rotation, q) < 1e-6);
            prop_assert!(points.iter().all(|&p| (found.apply(p) - (q * p + shift)).length() < 1e-9));
        }

        #[test]
        fn no_small_change_of_the_fit_is_better(
            pairs in prop::collection::vec((vector(0.3), vector(0.3)), 4..8), nudge in vector(0.01)
        ) {
            let Some(found) = fit(&pairs) else { return Ok(()) };
            let cost = |fit: &Rigid| pairs.iter().map(|(a, b)| (fit.apply(*a) - *b).length_squared()).sum::<f64>();
            let centre = pairs.iter().map(|(a, _)| *a).sum::<DVec3>() / pairs.len() as f64;
            let rotation = exp64(nudge) * found.rotation;
            let turned = Rigid { rotation, translation: found.apply(centre) - rotation * centre };
            prop_assert!(cost(&found) <= cost(&turned) + 1e-12);
        }
    }

    #[test]
    fn points_in_a_line_are_refused() {
        let line: Vec<_> = (0..5).map(|i| (DVec3::X * f64::from(i), DVec3::Y * f64::from(i))).collect();
        assert!(fit(&line).is_none());
    }
}
