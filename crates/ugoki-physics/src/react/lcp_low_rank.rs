//! A of a complementarity problem that is six columns and a diagonal: contacts that answer each other through one
//! body's wrench.
//!
//! A = G Gᵀ + D with b = −G w. With v = w − Σ gᵢ xᵢ over the unknowns at bounds and M = 1 + Σ gᵢ gᵢᵀ / dᵢ over the free
//! ones, y = M⁻¹ v gives xᵢ = gᵢ·y / dᵢ of the free unknowns and A x + b = dᵢ xᵢ − gᵢ·y of all. M is six by six however
//! many contacts there are, and keeps its digits where D is small.

use super::complementarity::{Matrix, Place};

/// Columns of G: a force and a moment.
pub(super) const WIDTH: usize = 6;

/// Six numbers for each unknown, and for what is wanted of all together.
pub(super) type Column = [f64; WIDTH];

/// G, D and w of a problem, and M factored for the free unknowns.
#[derive(Debug, Clone)]
pub(super) struct Thin {
    /// Rows gᵢ of G, the same over dᵢ, and dᵢ.
    columns: Vec<Column>,
    over: Vec<Column>,
    diagonal: Vec<f64>,
    /// w.
    pub(super) wanted: Column,
    /// The unknowns that M is factored for: none, or one of each.
    free: Vec<bool>,
    /// M's Cholesky factor under the diagonal, and 1 / its diagonal.
    lower: [Column; WIDTH],
    inverse: Column,
    /// y of the last guess.
    y: Column,
}

impl Thin {
    /// Room for `max` unknowns.
    pub(super) fn new(max: usize) -> Self {
        Self {
            columns: Vec::with_capacity(max),
            over: Vec::with_capacity(max),
            diagonal: Vec::with_capacity(max),
            wanted: [0.0; WIDTH],
            free: Vec::with_capacity(max),
            lower: [[0.0; WIDTH]; WIDTH],
            inverse: [0.0; WIDTH],
            y: [0.0; WIDTH],
        }
    }

    /// Forgets all unknowns.
    pub(super) fn clear(&mut self) {
        self.columns.clear();
        self.over.clear();
        self.diagonal.clear();
        self.free.clear();
    }

    /// One unknown more; `d` is positive.
    pub(super) fn push(&mut self, column: Column, d: f64) {
        self.columns.push(column);
        self.over.push(column.map(|c| c / d));
        self.diagonal.push(d);
        self.free.clear();
    }

    /// −b of one unknown: how far it gives what is wanted.
    pub(super) fn along(&self, i: usize) -> f64 {
        product(&self.columns[i], &self.wanted)
    }

    /// Factors M for the unknowns that are free; `false` when a number is not finite.
    pub(super) fn factor(&mut self, place: &[Place]) -> bool {
        let free = |place: &Place| *place == Place::Free;
        if self.free.len() == place.len()
            && self.free.iter().zip(place).all(|(&was, place)| was == free(place))
        {
            return true;
        }
        self.free.clear();
        let mut m = [[0.0; WIDTH]; WIDTH];
        for r in 0..WIDTH {
            m[r][r] = 1.0;
        }
        for i in (0..place.len()).filter(|&i| free(&place[i])) {
            let (column, over) = (&self.columns[i], &self.over[i]);
            for r in 0..WIDTH {
                for c in 0..WIDTH {
                    m[r][c] += column[r] * over[c];
                }
            }
        }
        for r in 0..WIDTH {
            for c in 0..=r {
                let mut rest = m[r][c];
                for k in 0..c {
                    rest -= self.lower[r][k] * self.lower[c][k];
                }
                if r > c {
                    self.lower[r][c] = rest * self.inverse[c];
                } else if rest > 0.0 {
                    self.inverse[r] = 1.0 / rest.sqrt();
                } else {
                    return false;
                }
            }
        }
        self.free.extend(place.iter().map(free));
        true
    }

    /// A free unknown for y.
    pub(super) fn free(&self, i: usize, y: &Column) -> f64 {
        product(&self.over[i], y)
    }

    /// M⁻¹ v.
    pub(super) fn solve(&self, mut v: Column) -> Column {
        for r in 0..WIDTH {
            for k in 0..r {
                v[r] -= self.lower[r][k] * v[k];
            }
            v[r] *= self.inverse[r];
        }
        for r in (0..WIDTH).rev() {
            for k in r + 1..WIDTH {
                v[r] -= self.lower[k][r] * v[k];
            }
            v[r] *= self.inverse[r];
        }
        v
    }
}

#[inline]
fn product(a: &Column, b: &Column) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

impl Matrix for Thin {
    fn free_into(&mut self, place: &[Place], _b: &[f64], x: &mut [f64]) -> bool {
        if !self.factor(place) {
            return false;
        }
        let mut v = self.wanted;
        // The free ones are 0 as yet.
        for (column, &x) in self.columns.iter().zip(&*x).filter(|(_, x)| **x != 0.0) {
            for (v, c) in v.iter_mut().zip(column) {
                *v -= c * x;
            }
        }
        self.y = self.solve(v);
        for (i, x) in x.iter_mut().enumerate().filter(|(i, _)| place[*i] == Place::Free) {
            *x = product(&self.over[i], &self.y);
        }
        true
    }

    fn left(&self, i: usize, _b: &[f64], x: &[f64]) -> f64 {
        self.diagonal[i] * x[i] - product(&self.columns[i], &self.y)
    }

    fn add_column(&self, i: usize, by: f64, out: &mut [f64]) {
        for (out, column) in out.iter_mut().zip(&self.columns) {
            *out += by * product(&self.columns[i], column);
        }
        out[i] += by * self.diagonal[i];
    }

    fn times(&self, i: usize, x: &[f64]) -> f64 {
        let mut sum = [0.0; WIDTH];
        for (column, x) in self.columns.iter().zip(x) {
            for (sum, c) in sum.iter_mut().zip(column) {
                *sum += c * x;
            }
        }
        product(&self.columns[i], &sum) + self.diagonal[i] * x[i]
    }

    fn diagonal(&self, i: usize) -> f64 {
        product(&self.columns[i], &self.columns[i]) + self.diagonal[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::react::complementarity::{Boxed, GUESSES};
    use ugoki_base::math::Random;

    /// The same problem entry by entry gives the same answers, at bounds and between them.
    #[test]
    fn a_thin_matrix_answers_as_its_entries_do() {
        let mut random = Random::new(9);
        for trial in 0..300_usize {
            let n = 1 + trial % 24;
            let mut thin = Boxed::with(Thin::new(n), n);
            let mut dense = Boxed::new(n);
            dense.begin(n);
            thin.n = n;
            let column = |random: &mut Random| -> Column { std::array::from_fn(|_| random.normal()) };
            let columns: Vec<Column> = (0..n).map(|_| column(&mut random)).collect();
            // Far from singular, so that both have nearly all digits; figures of real steps are in
            // docs/results/react.md.
            let d: Vec<f64> = (0..n).map(|_| 0.01 + random.uniform()).collect();
            thin.a.wanted = column(&mut random);
            for i in 0..n {
                thin.a.push(columns[i], d[i]);
                for j in 0..=i {
                    dense.set(i, j, product(&columns[i], &columns[j]) + if i == j { d[i] } else { 0.0 });
                }
            }
            for i in 0..n {
                let bounds = if i % 3 == 0 { (0.0, f64::INFINITY) } else { (-0.2, 0.2) };
                (thin.low[i], thin.high[i]) = bounds;
                (dense.low[i], dense.high[i]) = bounds;
                (thin.place[i], dense.place[i]) = (Place::Free, Place::Free);
                thin.b[i] = -thin.a.along(i);
                dense.b[i] = thin.b[i];
            }
            assert!(thin.solve(GUESSES) && dense.solve(GUESSES), "{trial}: pivoting ended");
            for i in 0..n {
                let (x, y) = (thin.x[i], dense.x[i]);
                // Condition numbers are below 1e5 here.
                assert!((x - y).abs() < 1e-9, "{trial} {i}: {x} {y}");
                let [w, left] = [
                    dense.a.left(i, &dense.b[..n], &dense.x[..n]),
                    thin.a.left(i, &thin.b[..n], &thin.x[..n]),
                ];
                assert!((w - left).abs() < 1e-9, "{trial} {i}: {w} {left}");
                assert!((thin.a.times(i, &thin.x[..n]) + thin.b[i] - left).abs() < 1e-9);
                assert!((thin.a.diagonal(i) - dense.a.diagonal(i)).abs() < 1e-12);
            }
        }
    }
}
