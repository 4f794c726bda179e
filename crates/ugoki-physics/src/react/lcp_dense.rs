//! A of a complementarity problem, entry by entry: contacts that answer each other through the whole body.

use super::complementarity::{Boxed, Matrix, Place};
use crate::dynamics::dot;

/// A symmetric matrix with the Cholesky factor of its free part.
#[derive(Debug, Clone)]
pub(super) struct Dense {
    max: usize,
    /// A, row by row with stride `max`.
    entries: Vec<f64>,
    /// Indices of the free unknowns, and the Cholesky factor of their part of A.
    free: Vec<usize>,
    lower: Vec<f64>,
    /// 1 / the factor's diagonal: many products wait for few divisions.
    inverse: Vec<f64>,
    /// Rows of the factor that belong to A as it is.
    factored: usize,
    right: Vec<f64>,
}

/// Fraction of the mean diagonal added to the diagonal: the compliance of the contacts. With forces of a body's weight
/// a contact creeps by less than 1e-5 m/s.
const COMPLIANCE: f64 = 1e-7;

/// Rows of the factor that are found together.
const AT_ONCE: usize = 4;

/// The products of one vector with four, each summed as by [`dot`].
#[inline]
fn dots(a: &[f64], others: [&[f64]; AT_ONCE]) -> [f64; AT_ONCE] {
    let (whole, rest) = a.as_chunks::<4>();
    let chunks = others.map(|other| other.as_chunks::<4>());
    let mut sums = [[0.0; 4]; AT_ONCE];
    for (i, a) in whole.iter().enumerate() {
        for q in 0..AT_ONCE {
            for k in 0..4 {
                sums[q][k] += a[k] * chunks[q].0[i][k];
            }
        }
    }
    std::array::from_fn(|q| {
        let rest: f64 = rest.iter().zip(chunks[q].1).map(|(a, b)| a * b).sum();
        (sums[q][0] + sums[q][1]) + (sums[q][2] + sums[q][3]) + rest
    })
}

impl Boxed<Dense> {
    pub(super) fn new(max: usize) -> Self {
        let a = Dense {
            max,
            entries: vec![0.0; max * max],
            free: Vec::with_capacity(max),
            lower: vec![0.0; max * max],
            inverse: vec![0.0; max],
            factored: 0,
            right: vec![0.0; max],
        };
        Self::with(a, max)
    }

    /// Starts a problem of `n` unknowns.
    pub(super) fn begin(&mut self, n: usize) {
        debug_assert!(n <= self.a.max);
        self.n = n;
        self.a.factored = 0;
    }

    /// Sets A in both triangles.
    pub(super) fn set(&mut self, i: usize, j: usize, value: f64) {
        self.a.factored = 0;
        self.a.entries[i * self.a.max + j] = value;
        self.a.entries[j * self.a.max + i] = value;
    }

    /// Adds the compliance to the diagonal, which makes A positive definite.
    pub(super) fn soften(&mut self) {
        self.a.factored = 0;
        let mean = (0..self.n).map(|i| self.a.diagonal(i)).sum::<f64>() / self.n.max(1) as f64;
        for i in 0..self.n {
            self.a.entries[i * self.a.max + i] += COMPLIANCE * mean + f64::MIN_POSITIVE;
        }
    }

    /// Factors the free part; `false` when it is not positive definite.
    pub(super) fn factor_free(&mut self) -> bool {
        self.a.factor_free(&self.place[..self.n])
    }

    /// Solves A_FF y = r for the free set factored last; other entries of `r` become zero.
    pub(super) fn solve_held(&mut self, r: &mut [f64]) {
        self.a.gather(r);
        self.a.solve_right();
        r[..self.n].fill(0.0);
        self.a.scatter(r);
    }
}

impl Dense {
    /// Row r of the factor depends on the first r free unknowns only, so what was factored for the same A up to the
    /// first unknown that changed sides stays. A step asks for the same free set several times: holding, sharing,
    /// responding.
    fn factor_free(&mut self, place: &[Place]) -> bool {
        let mut count = 0;
        for (i, &place) in place.iter().enumerate() {
            if place == Place::Free {
                if self.free.get(count) != Some(&i) {
                    self.factored = self.factored.min(count);
                    self.free.truncate(count);
                    self.free.push(i);
                }
                count += 1;
            }
        }
        self.free.truncate(count);
        self.factored = self.factored.min(count);
        let m = self.max;
        while self.factored < count {
            let first = self.factored;
            let block = first..(first + AT_ONCE).min(count);
            // What belongs to the rows above the block, for all of its rows at once: they do not wait for each other.
            let (above, own) = self.lower.split_at_mut(first * m);
            if let [a, b, c, d] = self.free[block.clone()] {
                let (row_a, rest) = own.split_at_mut(m);
                let (row_b, rest) = rest.split_at_mut(m);
                let (row_c, row_d) = rest.split_at_mut(m);
                for (k, &j) in self.free[..first].iter().enumerate() {
                    let done =
                        dots(&above[k * m..k * m + k], [&row_a[..k], &row_b[..k], &row_c[..k], &row_d[..k]]);
                    row_a[k] = (self.entries[a * m + j] - done[0]) * self.inverse[k];
                    row_b[k] = (self.entries[b * m + j] - done[1]) * self.inverse[k];
                    row_c[k] = (self.entries[c * m + j] - done[2]) * self.inverse[k];
                    row_d[k] = (self.entries[d * m + j] - done[3]) * self.inverse[k];
                }
            }
            for r in block.clone() {
                // A block of fewer rows has nothing yet.
                for c in if block.len() == AT_ONCE { first } else { 0 }..=r {
                    let done = dot(&self.lower[r * m..r * m + c], &self.lower[c * m..c * m + c]);
                    let rest = self.entries[self.free[r] * m + self.free[c]] - done;
                    if r > c {
                        self.lower[r * m + c] = rest * self.inverse[c];
                    } else if rest > 0.0 {
                        self.inverse[r] = 1.0 / rest.sqrt();
                    } else {
                        return false;
                    }
                }
                self.factored = r + 1;
            }
        }
        true
    }

    fn gather(&mut self, r: &[f64]) {
        for (k, &i) in self.free.iter().enumerate() {
            self.right[k] = r[i];
        }
    }

    fn scatter(&self, r: &mut [f64]) {
        for (k, &i) in self.free.iter().enumerate() {
            r[i] = self.right[k];
        }
    }

    /// Solves A_FF y = r in place, `right` indexed by free unknown.
    fn solve_right(&mut self) {
        let (m, lower, inverse) = (self.max, &self.lower[..], &self.inverse[..]);
        let r = &mut self.right[..self.free.len()];
        for i in 0..r.len() {
            r[i] = (r[i] - dot(&lower[i * m..i * m + i], &r[..i])) * inverse[i];
        }
        for i in (0..r.len()).rev() {
            let x = r[i] * inverse[i];
            r[i] = x;
            for (r, l) in r[..i].iter_mut().zip(&lower[i * m..i * m + i]) {
                *r -= l * x;
            }
        }
    }
}

impl Matrix for Dense {
    fn free_into(&mut self, place: &[Place], b: &[f64], x: &mut [f64]) -> bool {
        if !self.factor_free(place) {
            return false;
        }
        let pressed = x.iter().any(|&x| x != 0.0);
        for k in 0..self.free.len() {
            let i = self.free[k];
            let bounded = if pressed { self.times(i, x) } else { 0.0 };
            self.right[k] = -b[i] - bounded;
        }
        self.solve_right();
        self.scatter(x);
        true
    }

    fn left(&self, i: usize, b: &[f64], x: &[f64]) -> f64 {
        self.times(i, x) + b[i]
    }

    fn times(&self, i: usize, x: &[f64]) -> f64 {
        dot(&self.entries[i * self.max..i * self.max + x.len()], x)
    }

    fn add_column(&self, i: usize, by: f64, out: &mut [f64]) {
        let row = &self.entries[i * self.max..i * self.max + out.len()];
        for (out, a) in out.iter_mut().zip(row) {
            *out += by * a;
        }
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.entries[i * self.max + i]
    }
}
