//! From frames to steps: a smooth curve through the fitted coordinates, and velocities that belong to it.
//!
//! Each coordinate runs along a natural cubic spline (quaternions are brought back to unit length). Velocities are the
//! steps' own differences, so that the semi-implicit step q ⊕ (q̇ + q̈ Δt) Δt repeats the curve to the last digit.

use crate::dynamics::{Body, JointKind, difference_into, quat_at, set_quat};

/// Coordinates and velocities at every step.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    /// `num + 1` rows of coordinates.
    pub(super) q: Vec<f64>,
    /// `num + 2` rows of velocities; row k leads from coordinates k − 1 to k, the first and last are repeated.
    pub(super) qd: Vec<f64>,
    /// Seconds of a step.
    pub(super) dt: f64,
}

/// Samples rows of coordinates at `fps`, `substeps` steps to a frame.
pub(super) fn sample(body: &Body, frames: &[f64], fps: f64, substeps: usize) -> Steps {
    let n = body.num_coordinates();
    let num_frames = frames.len() / n;
    let num = (num_frames.max(1) - 1) * substeps;
    let dt = 1.0 / (fps * substeps as f64);
    let mut q = vec![0.0; (num + 1) * n];
    let (mut values, mut curvature) = (vec![0.0; num_frames], vec![0.0; num_frames]);
    for column in 0..n {
        for (frame, value) in values.iter_mut().enumerate() {
            *value = frames[frame * n + column];
        }
        natural_spline(&values, &mut curvature);
        for step in 0..=num {
            let frame = (step / substeps).min(num_frames.saturating_sub(2));
            let t = (step - frame * substeps) as f64 / substeps as f64;
            q[step * n + column] = at(&values, &curvature, frame, t);
        }
    }
    for row in q.chunks_exact_mut(n) {
        for link in body.links() {
            if link.joint != JointKind::Hinge {
                let at = link.coordinate + if link.joint == JointKind::Free { 3 } else { 0 };
                let unit = quat_at(row, at).normalize();
                set_quat(row, at, unit);
            }
        }
    }
    let v = body.num_dofs();
    let mut qd = vec![0.0; (num + 2) * v];
    for step in 1..=num {
        let (from, to) = (&q[(step - 1) * n..step * n], &q[step * n..(step + 1) * n]);
        let out = &mut qd[step * v..(step + 1) * v];
        difference_into(body, from, to, out);
        out.iter_mut().for_each(|x| *x /= dt);
    }
    if num > 0 {
        qd.copy_within(v..2 * v, 0);
        qd.copy_within(num * v..(num + 1) * v, (num + 1) * v);
    }
    Steps { q, qd, dt }
}

/// Second derivatives (per frame²) of the natural cubic spline through `values`.
fn natural_spline(values: &[f64], out: &mut [f64]) {
    let n = values.len();
    out.fill(0.0);
    if n < 3 {
        return;
    }
    // Tridiagonal (1, 4, 1) m = 6 Δ²y; the ends have no curvature.
    let mut ratio = vec![0.0; n];
    for i in 1..n - 1 {
        let rhs = 6.0 * (values[i + 1] - 2.0 * values[i] + values[i - 1]);
        let pivot = 4.0 - ratio[i - 1];
        ratio[i] = 1.0 / pivot;
        out[i] = (rhs - out[i - 1]) / pivot;
    }
    for i in (1..n - 1).rev() {
        out[i] -= ratio[i] * out[i + 1];
    }
}

/// The spline between `frame` and the next, `t` from 0 to 1.
fn at(values: &[f64], curvature: &[f64], frame: usize, t: f64) -> f64 {
    let Some(&next) = values.get(frame + 1) else { return values[frame] };
    let s = 1.0 - t;
    let bend = (s * s * s - s) * curvature[frame] + (t * t * t - t) * curvature[frame + 1];
    s * values[frame] + t * next + bend / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spline_follows_a_smooth_curve_between_its_frames() {
        let curve = |x: f64| (0.3 * x).sin();
        let values: Vec<f64> = (0..60).map(|i| curve(f64::from(i))).collect();
        let mut curvature = vec![0.0; 60];
        natural_spline(&values, &mut curvature);
        for i in 5..54 {
            let here = at(&values, &curvature, i, 0.5);
            // h⁴/384 of the fourth derivative 0.3⁴.
            assert!((here - curve(i as f64 + 0.5)).abs() < 5e-5);
            assert!((at(&values, &curvature, i, 1.0) - values[i + 1]).abs() < 1e-15);
        }
    }
}
