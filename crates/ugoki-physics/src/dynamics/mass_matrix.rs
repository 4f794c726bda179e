//! The joint-space inertia matrix and its sparse factors.
//!
//! Two degrees of freedom on different branches do not meet: their entry is zero. The factors H = Lᵀ D L keep
//! exactly this pattern \[featherstone2005\], so factoring and solving visit, for each degree of freedom, only those
//! between it and the root. Along a limb these are neighbours: a few ranges of consecutive indices, processed as plain
//! slices.

use std::ops::Range;

use super::body::Body;

/// The degrees of freedom above each one: what its row may have entries at.
#[derive(Debug, Clone, PartialEq)]
struct Above {
    /// Ranges in rising order; `starts[i]..starts[i + 1]` are those of `i`.
    ranges: Vec<Range<usize>>,
    starts: Vec<usize>,
}

impl Above {
    fn new(body: &Body) -> Self {
        let (mut ranges, mut starts): (Vec<Range<usize>>, Vec<usize>) = (Vec::new(), vec![0]);
        for dof in 0..body.num_dofs() {
            let mut own: Vec<Range<usize>> = Vec::new();
            let mut i = dof;
            while body.dof_parents[i] < i {
                i = body.dof_parents[i];
                match own.last_mut() {
                    Some(last) if last.start == i + 1 => last.start = i,
                    _ => own.push(i..i + 1),
                }
            }
            ranges.extend(own.into_iter().rev());
            starts.push(ranges.len());
        }
        Self { ranges, starts }
    }

    #[inline]
    fn row(&self, dof: usize) -> &[Range<usize>] {
        &self.ranges[self.starts[dof]..self.starts[dof + 1]]
    }
}

/// Degrees of freedom of the root.
const ROOT: usize = 6;

/// A symmetric matrix over a body's degrees of freedom; the lower triangle is stored, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct MassMatrix {
    n: usize,
    pub(super) entries: Vec<f64>,
    above: Above,
}

impl MassMatrix {
    /// Zeros for `body`.
    #[must_use]
    pub fn new(body: &Body) -> Self {
        let n = body.num_dofs();
        Self { n, entries: vec![0.0; n * n], above: Above::new(body) }
    }

    /// Rows and columns.
    #[must_use]
    pub fn size(&self) -> usize {
        self.n
    }

    /// One entry.
    #[inline]
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row.max(column) * self.n + row.min(column)]
    }

    /// `out = H x`.
    ///
    /// # Panics
    /// If a slice does not have one entry per row.
    pub fn multiply_into(&self, x: &[f64], out: &mut [f64]) {
        assert!(x.len() == self.n && out.len() == self.n, "one entry per row");
        out.fill(0.0);
        for (i, row) in self.entries.chunks_exact(self.n).enumerate() {
            let mut sum = row[i] * x[i];
            for range in self.above.row(i) {
                let row = &row[range.clone()];
                sum += dot(row, &x[range.clone()]);
                subtract(&mut out[range.clone()], -x[i], row);
            }
            out[i] += sum;
        }
    }

    /// The root's six of `H x`: what the world must give for the accelerations `x`.
    ///
    /// # Panics
    /// If `x` does not have one entry per row.
    #[must_use]
    pub fn multiply_root(&self, x: &[f64]) -> [f64; ROOT] {
        assert!(x.len() == self.n, "one entry per row");
        let own = &x[..ROOT];
        let mut out: [f64; ROOT] =
            std::array::from_fn(|i| own.iter().enumerate().map(|(j, x)| self.at(i, j) * x).sum());
        for (row, x) in self.entries.chunks_exact(self.n).zip(x).skip(ROOT) {
            for (out, h) in out.iter_mut().zip(row) {
                *out += h * x;
            }
        }
        out
    }

    /// The column of `dof`, `H` times a unit acceleration of it.
    ///
    /// # Panics
    /// If `out` does not have one entry per row.
    pub fn column_into(&self, dof: usize, out: &mut [f64]) {
        assert!(out.len() == self.n, "one entry per row");
        for (row, out) in out.iter_mut().enumerate() {
            *out = self.at(row, dof);
        }
    }

    /// The row of `dof` up to and with its diagonal; the rest of the row is the column below.
    #[inline]
    #[must_use]
    pub fn lower_row(&self, dof: usize) -> &[f64] {
        &self.entries[dof * self.n..dof * self.n + dof + 1]
    }

    /// Takes the entries of another matrix of the same body.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn copy_from(&mut self, other: &Self) {
        self.entries.copy_from_slice(&other.entries);
    }

    /// Adds `value` to the diagonal entry of `dof`: a rotor's inertia, or a step's worth of damping.
    #[inline]
    pub fn add_to_diagonal(&mut self, dof: usize, value: f64) {
        self.entries[dof * self.n + dof] += value;
    }

    /// The row of `dof` up to its diagonal.
    #[inline]
    pub(super) fn row_mut(&mut self, dof: usize) -> &mut [f64] {
        &mut self.entries[dof * self.n..dof * self.n + dof + 1]
    }
}

/// Factors of a [`MassMatrix`]: 1/D on the diagonal, the rows of L below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    n: usize,
    entries: Vec<f64>,
    above: Above,
}

impl Factors {
    /// Room for `body`.
    #[must_use]
    pub fn new(body: &Body) -> Self {
        let n = body.num_dofs();
        Self { n, entries: vec![0.0; n * n], above: Above::new(body) }
    }

    /// Factors `h`.
    pub fn factor(&mut self, h: &MassMatrix) {
        self.entries.copy_from_slice(&h.entries);
        let n = self.n;
        for k in (0..n).rev() {
            let (rows_above, from_k) = self.entries.split_at_mut(k * n);
            let row_k = &mut from_k[..=k];
            let inverse = 1.0 / row_k[k];
            row_k[k] = inverse;
            let above = self.above.row(k);
            // From the nearest to the root: each row loses its part before its own entry becomes L's.
            for (s, range) in above.iter().enumerate().rev() {
                for i in range.clone().rev() {
                    let a = row_k[i] * inverse;
                    let row_i = &mut rows_above[i * n..i * n + i + 1];
                    for lower in &above[..s] {
                        subtract(&mut row_i[lower.clone()], a, &row_k[lower.clone()]);
                    }
                    subtract(&mut row_i[range.start..=i], a, &row_k[range.start..=i]);
                    row_k[i] = a;
                }
            }
        }
    }

    /// Solves `H x = b` in place.
    ///
    /// # Panics
    /// If `b` is shorter than the matrix.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        self.solve_upper(b);
        for i in 0..n {
            let row = &self.entries[i * n..i * n + i + 1];
            let mut x = b[i] * row[i];
            for range in self.above.row(i) {
                x -= dot(&row[range.clone()], &b[range.clone()]);
            }
            b[i] = x;
        }
    }

    /// `b = L⁻ᵀ b`: what a force on one limb does to the joints above it; the other limbs' entries stay zero.
    fn solve_upper(&self, b: &mut [f64]) {
        let n = self.n;
        for i in (0..n).rev() {
            let x = b[i];
            // A force on one limb only leaves the other limbs' entries zero.
            if x != 0.0 {
                let row = &self.entries[i * n..i * n + i + 1];
                for range in self.above.row(i) {
                    subtract(&mut b[range.clone()], x, &row[range.clone()]);
                }
            }
        }
    }

    /// `b = D^(−½) L⁻ᵀ b` of four vectors side by side, so that bᵀ H⁻¹ c is the product of two such halves.
    ///
    /// # Panics
    /// If `b` is shorter than the matrix.
    pub(crate) fn half_solve_four(&self, b: &mut [[f64; 4]]) {
        let n = self.n;
        for i in (0..n).rev() {
            let x = b[i];
            // Forces on one limb only leave the other limbs' entries zero.
            if x == [0.0; 4] {
                continue;
            }
            let row = &self.entries[i * n..i * n + i + 1];
            for range in self.above.row(i) {
                for (b, l) in b[range.clone()].iter_mut().zip(&row[range.clone()]) {
                    for k in 0..4 {
                        b[k] -= l * x[k];
                    }
                }
            }
            let root = row[i].sqrt();
            b[i] = x.map(|x| x * root);
        }
    }

    /// Whether the matrix factored was positive definite.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        (0..self.n).all(|i| self.entries[i * self.n + i] > 0.0)
    }
}

/// `a −= k b`.
#[inline]
pub(super) fn subtract(a: &mut [f64], k: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= k * b;
    }
}

/// Σ aᵢ bᵢ in four sums, so that the additions need not wait for each other.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
