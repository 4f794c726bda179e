//! Minimum-jerk curves: from rest to rest, and through via points.
//!
//! The path that minimises ∫ (d³x/dt³)² dt between two rests is `x₀ + (x₁ − x₀)(10s³ − 15s⁴ + 6s⁵)`: its speed
//! is a bell [flashhogan1985, eq. 3]. Through via points at given times the minimiser is the quintic spline
//! whose first four derivatives are continuous; the velocities and accelerations at the via points follow
//! from that (ibid., appendix A).

pub(super) use ugoki_base::math::minimum_jerk as ease;

/// ∫ ease from 0 to `s`; beyond 1 it grows by `s − 1`. What a speed that eases from 0 to 1 has travelled.
pub(super) fn ease_integral(s: f64) -> f64 {
    let t = s.clamp(0.0, 1.0);
    t.powi(4) * (2.5 + t * (-3.0 + t)) + (s - 1.0).max(0.0)
}

/// Position, velocity and acceleration at a knot.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Knot {
    /// Seconds.
    pub time: f64,
    /// Position.
    pub p: f64,
    /// Velocity, per second.
    pub v: f64,
    /// Acceleration, per second².
    pub a: f64,
}

/// The quintic between two knots, `c0 + c1 s + … + c5 s⁵` over `s` from 0 to 1.
fn quintic(k0: &Knot, k1: &Knot) -> [f64; 6] {
    let h = k1.time - k0.time;
    let (d, v0, v1, a0, a1) = (k1.p - k0.p, k0.v * h, k1.v * h, k0.a * h * h, k1.a * h * h);
    [
        k0.p,
        v0,
        0.5 * a0,
        10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1,
        -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1,
        6.0 * d - 3.0 * (v0 + v1) - 0.5 * a0 + 0.5 * a1,
    ]
}

/// Value at `time` of the quintic from `k0` to `k1`, which it meets in position, velocity and acceleration.
pub(super) fn between(k0: &Knot, k1: &Knot, time: f64) -> f64 {
    let s = ((time - k0.time) / (k1.time - k0.time)).clamp(0.0, 1.0);
    quintic(k0, k1).iter().rev().fold(0.0, |sum, c| sum * s + c)
}

/// A curve at rest at its ends and at every stop, passing through its via points.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    knots: Vec<Knot>,
}

impl Curve {
    /// Through `(time, value, stop)`, times rising. Two equal values in a row hold: the curve rests between.
    pub(super) fn through(points: &[(f64, f64, bool)]) -> Self {
        let mut knots: Vec<Knot> =
            points.iter().map(|&(time, p, _)| Knot { time, p, ..Knot::default() }).collect();
        let last = points.len().saturating_sub(1);
        let rests = |i: usize| {
            let holds = |j: usize| (points[j].1 - points[j + 1].1).abs() < 1e-12;
            i == 0 || i == last || points[i].2 || holds(i - 1) || holds(i)
        };
        let mut from = 0;
        for to in 1..points.len() {
            if rests(to) {
                free_knots(&mut knots[from..=to]);
                from = to;
            }
        }
        Self { knots }
    }

    /// Value at `time`; constant before the first and after the last point.
    pub(super) fn at(&self, time: f64) -> f64 {
        let next = self.knots.partition_point(|knot| knot.time <= time);
        match (next.checked_sub(1).map(|i| &self.knots[i]), self.knots.get(next)) {
            (Some(k0), Some(k1)) => between(k0, k1, time),
            (Some(k), None) | (None, Some(k)) => k.p,
            (None, None) => 0.0,
        }
    }
}

/// Finds velocity and acceleration of the inner knots so that jerk and snap are continuous there.
fn free_knots(knots: &mut [Knot]) {
    let inner = knots.len().saturating_sub(2);
    if inner == 0 {
        return;
    }
    // Jumps of jerk and snap at each inner knot are affine in the unknowns: probe them one by one.
    let n = 2 * inner;
    let jumps = |knots: &[Knot]| -> Vec<f64> {
        let mut out = Vec::with_capacity(n);
        for w in knots.windows(3) {
            let (h0, h1) = (w[1].time - w[0].time, w[2].time - w[1].time);
            let (c, d) = (quintic(&w[0], &w[1]), quintic(&w[1], &w[2]));
            out.push((6.0 * c[3] + 24.0 * c[4] + 60.0 * c[5]) / h0.powi(3) - 6.0 * d[3] / h1.powi(3));
            out.push((24.0 * c[4] + 120.0 * c[5]) / h0.powi(4) - 24.0 * d[4] / h1.powi(4));
        }
        out
    };
    let base = jumps(knots);
    let mut matrix = vec![vec![0.0; n + 1]; n];
    for column in 0..n {
        let mut probe = knots.to_vec();
        let knot = &mut probe[1 + column / 2];
        *(if column % 2 == 0 { &mut knot.v } else { &mut knot.a }) += 1.0;
        for (row, value) in jumps(&probe).into_iter().enumerate() {
            matrix[row][column] = value - base[row];
        }
    }
    for (row, value) in base.iter().enumerate() {
        matrix[row][n] = -value;
    }
    let solution = solve(matrix);
    for (i, pair) in solution.chunks(2).enumerate() {
        knots[1 + i].v = pair[0];
        knots[1 + i].a = pair[1];
    }
}

/// Gaussian elimination with row pivoting; `rows` are equations with their right side last.
pub(super) fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        rows.swap(column, pivot.unwrap_or(column));
        let top = rows[column].clone();
        for row in rows.iter_mut().skip(column + 1) {
            let factor = row[column] / top[column];
            for (cell, above) in row.iter_mut().zip(&top).skip(column) {
                *cell -= factor * above;
            }
        }
    }
    let mut x = vec![0.0; n];
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|column| rows[row][column] * x[column]).sum();
        x[row] = (rows[row][n] - known) / rows[row][row];
    }
    x
}

/// A closed curve over phase 0 to 1 through `(phase, value)`: the periodic cubic spline, twice differentiable.
#[derive(Debug, Clone)]
pub(super) struct Cycle {
    points: Vec<(f64, f64)>,
    /// Second derivative at each point.
    bends: Vec<f64>,
}

impl Cycle {
    /// Through points with rising phases in [0, 1).
    pub(super) fn through(points: &[(f64, f64)]) -> Self {
        let n = points.len();
        let gap = |i: usize| {
            let next = points[(i + 1) % n].0 + if i + 1 >= n { 1.0 } else { 0.0 };
            next - points[i % n].0
        };
        let mut rows = vec![vec![0.0; n + 1]; n];
        for (i, row) in rows.iter_mut().enumerate() {
            let (before, after) = ((i + n - 1) % n, (i + 1) % n);
            let (h0, h1) = (gap(before), gap(i));
            row[before] += h0;
            row[i] += 2.0 * (h0 + h1);
            row[after] += h1;
            row[n] = 6.0 * ((points[after].1 - points[i].1) / h1 - (points[i].1 - points[before].1) / h0);
        }
        Self { points: points.to_vec(), bends: solve(rows) }
    }

    /// Value at any phase.
    pub(super) fn at(&self, phase: f64) -> f64 {
        let n = self.points.len();
        let phase = phase - phase.floor();
        let next = self.points.partition_point(|point| point.0 <= phase);
        let (i, j) = ((next + n - 1) % n, next % n);
        let mut start = self.points[i].0;
        if start > phase {
            start -= 1.0;
        }
        let mut h = self.points[j].0 - self.points[i].0;
        if h <= 0.0 {
            h += 1.0;
        }
        let b = (phase - start) / h;
        let a = 1.0 - b;
        a * self.points[i].1
            + b * self.points[j].1
            + ((a * a * a - a) * self.bends[i] + (b * b * b - b) * self.bends[j]) * h * h / 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn from_rest_to_rest_the_speed_is_a_bell() {
        let curve = Curve::through(&[(0.0, 1.0, true), (2.0, 5.0, true)]);
        let speed = |t: f64| (curve.at(t + 1e-5) - curve.at(t - 1e-5)) / 2e-5;
        // Peak speed of the minimum-jerk path is 1.875 times the mean [flashhogan1985].
        assert!((speed(1.0) - 1.875 * 2.0).abs() < 1e-6);
        assert!(speed(1e-4).abs() < 1e-4 && speed(2.0 - 1e-4).abs() < 1e-4);
        for i in 1..50 {
            let t = f64::from(i) * 0.02;
            assert!(speed(t) > speed(t - 0.02), "rises to the middle");
            assert!((speed(t) - speed(2.0 - t)).abs() < 1e-6, "symmetric");
        }
    }

    proptest! {
        #[test]
        fn via_points_are_met_with_continuous_derivatives(
            gaps in prop::collection::vec(0.1..1.0_f64, 2..6), values in prop::collection::vec(-90.0..90.0_f64, 7),
        ) {
            let mut time = 0.0;
            let mut points = vec![(0.0, values[0], true)];
            for (gap, value) in gaps.iter().zip(&values[1..]) {
                time += gap;
                points.push((time, *value, false));
            }
            let curve = Curve::through(&points);
            for &(t, value, _) in &points {
                prop_assert!((curve.at(t) - value).abs() < 1e-9);
            }
            for w in curve.knots.windows(3) {
                // Fourth derivatives from both sides, relative to their size.
                let (c, d) = (quintic(&w[0], &w[1]), quintic(&w[1], &w[2]));
                let left = (24.0 * c[4] + 120.0 * c[5]) / (w[1].time - w[0].time).powi(4);
                let right = 24.0 * d[4] / (w[2].time - w[1].time).powi(4);
                prop_assert!((left - right).abs() < 1e-6 * (1.0 + left.abs()), "{left} {right}");
            }
        }

        #[test]
        fn equal_values_hold(value in -90.0..90.0_f64, s in 0.0..1.0_f64) {
            let points = [(0.0, 10.0, true), (1.0, value, false), (2.0, value, false), (3.0, -5.0, true)];
            prop_assert!((Curve::through(&points).at(1.0 + s) - value).abs() < 1e-12);
        }

        #[test]
        fn cycles_meet_their_points_and_close(values in prop::collection::vec(-60.0..60.0_f64, 3..10), phase in 0.0..1.0_f64) {
            let n = values.len() as f64;
            let points: Vec<_> = values.iter().enumerate().map(|(i, v)| (i as f64 / n, *v)).collect();
            let cycle = Cycle::through(&points);
            for &(p, v) in &points {
                prop_assert!((cycle.at(p) - v).abs() < 1e-9);
            }
            prop_assert!((cycle.at(phase) - cycle.at(phase - 3.0)).abs() < 1e-9);
            let slope = |p: f64| (cycle.at(p + 1e-6) - cycle.at(p - 1e-6)) / 2e-6;
            // Slopes 2e-5 apart differ by the second derivative times that; a corner would differ by far more.
            let most = cycle.bends.iter().fold(1.0_f64, |most, bend| most.max(bend.abs()));
            prop_assert!((slope(-1e-5) - slope(1e-5)).abs() < 4e-5 * most, "no corner where it closes");
        }
    }

    #[test]
    fn the_integral_of_the_ease_is_its_integral() {
        let mut sum = 0.0;
        for i in 0..1500 {
            let s = (f64::from(i) + 0.5) / 1000.0;
            sum += ease(s) / 1000.0;
            assert!((ease_integral(s + 0.0005) - sum).abs() < 1e-6);
        }
    }
}
