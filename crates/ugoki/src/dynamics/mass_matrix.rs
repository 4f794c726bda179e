//! The joint-space inertia matrix and its sparse factors.
//!
//! Two degrees of freedom on different branches do not meet: their entry is zero. The factors H = Lᵀ D L keep
//! exactly this pattern [featherstone2005], so factoring and solving walk from each degree of freedom towards the root.

use super::body::Body;

/// A symmetric matrix over a body's degrees of freedom, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct MassMatrix {
    n: usize,
    pub(super) entries: Vec<f64>,
}

impl MassMatrix {
    /// Zeros for `body`.
    #[must_use]
    pub fn new(body: &Body) -> Self {
        let n = body.num_dofs();
        Self { n, entries: vec![0.0; n * n] }
    }

    /// Rows and columns.
    #[must_use]
    pub fn size(&self) -> usize {
        self.n
    }

    /// One entry.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.n + column]
    }

    /// One row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.n..(row + 1) * self.n]
    }

    /// `out = H x`.
    pub fn multiply_into(&self, x: &[f64], out: &mut [f64]) {
        for (row, o) in self.entries.chunks_exact(self.n).zip(out) {
            *o = row.iter().zip(x).map(|(h, x)| h * x).sum();
        }
    }

    /// Writes both entries of a pair.
    #[inline]
    pub(super) fn set(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.n + column] = value;
        self.entries[column * self.n + row] = value;
    }
}

/// Factors of a [`MassMatrix`]: D on the diagonal, the rows of L below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    n: usize,
    entries: Vec<f64>,
    /// For each degree of freedom the next towards the root; its own index ends the walk.
    parents: Vec<usize>,
}

impl Factors {
    /// Room for `body`.
    #[must_use]
    pub fn new(body: &Body) -> Self {
        let n = body.num_dofs();
        Self { n, entries: vec![0.0; n * n], parents: body.dof_parents.clone() }
    }

    /// Factors `h`.
    pub fn factor(&mut self, h: &MassMatrix) {
        self.entries.copy_from_slice(&h.entries);
        let n = self.n;
        for k in (0..n).rev() {
            let (above, from_k) = self.entries.split_at_mut(k * n);
            let row_k = &mut from_k[..n];
            let inverse = 1.0 / row_k[k];
            let mut i = k;
            while let Some(next) = up(&self.parents, i) {
                i = next;
                let a = row_k[i] * inverse;
                let row_i = &mut above[i * n..i * n + n];
                let mut j = i;
                row_i[j] -= a * row_k[j];
                while let Some(next) = up(&self.parents, j) {
                    j = next;
                    row_i[j] -= a * row_k[j];
                }
                row_k[i] = a;
            }
        }
    }

    /// Solves `H x = b` in place.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for i in (0..n).rev() {
            let row = &self.entries[i * n..i * n + n];
            let x = b[i];
            let mut j = i;
            while let Some(next) = up(&self.parents, j) {
                j = next;
                b[j] -= row[j] * x;
            }
        }
        for i in 0..n {
            let row = &self.entries[i * n..i * n + n];
            let mut x = b[i] / row[i];
            let mut j = i;
            while let Some(next) = up(&self.parents, j) {
                j = next;
                x -= row[j] * b[j];
            }
            b[i] = x;
        }
    }

    /// Whether the matrix factored was positive definite.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        (0..self.n).all(|i| self.entries[i * self.n + i] > 0.0)
    }
}

#[inline]
fn up(parents: &[usize], i: usize) -> Option<usize> {
    let next = parents[i];
    (next < i).then_some(next)
}
