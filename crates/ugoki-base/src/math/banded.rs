//! Symmetric positive definite banded linear systems, such as the normal equations of smooth curves.

/// Equations A·x = b whose symmetric A is zero more than `BAND` places off the diagonal. Solving costs O(n·`BAND`²).
#[derive(Debug, Clone)]
pub struct Banded<const BAND: usize, const WIDTH: usize> {
    /// Row r holds the coefficients of columns r − `BAND` to r; `WIDTH` is `BAND` + 1.
    rows: Vec<[f64; WIDTH]>,
    /// The right-hand side b.
    pub right: Vec<f64>,
}

impl<const BAND: usize, const WIDTH: usize> Banded<BAND, WIDTH> {
    /// `n` equations without coefficients.
    #[must_use]
    pub fn new(n: usize) -> Self {
        const { assert!(WIDTH == BAND + 1) };
        Self { rows: vec![[0.0; WIDTH]; n], right: vec![0.0; n] }
    }

    /// Number of unknowns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no unknowns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds to the coefficient at (`row`, `column`) of the lower half: `column` is at most `row` and at least `row` − `BAND`.
    #[inline]
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row][BAND + column - row] += value;
    }

    /// Solves by Cholesky's L·Lᵀ and two substitutions. A must be positive definite.
    #[must_use]
    pub fn solve(self) -> Vec<f64> {
        let (mut rows, mut x) = (self.rows, self.right);
        let n = rows.len();
        for r in 0..n {
            let first = r.saturating_sub(BAND);
            for c in first..=r {
                let mut sum = rows[r][BAND + c - r];
                for k in first.max(c.saturating_sub(BAND))..c {
                    sum -= rows[r][BAND + k - r] * rows[c][BAND + k - c];
                }
                rows[r][BAND + c - r] = if c == r { sum.sqrt() } else { sum / rows[c][BAND] };
            }
            for c in first..r {
                x[r] -= rows[r][BAND + c - r] * x[c];
            }
            x[r] /= rows[r][BAND];
        }
        for r in (0..n).rev() {
            x[r] /= rows[r][BAND];
            for c in r.saturating_sub(BAND)..r {
                x[c] -= rows[r][BAND + c - r] * x[r];
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<const BAND: usize, const WIDTH: usize>(values: &[f64], n: usize) -> Result<(), TestCaseError> {
        let mut system = Banded::<BAND, WIDTH>::new(n);
        let mut dense = vec![vec![0.0; n]; n];
        for row in 0..n {
            for column in row.saturating_sub(BAND)..=row {
                // Diagonally dominant, so positive definite.
                let value = if row == column {
                    2.5 * WIDTH as f64
                } else {
                    values[(7 * row + column) % values.len()]
                };
                system.add(row, column, value);
                dense[row][column] = value;
                dense[column][row] = value;
            }
            system.right[row] = values[row % values.len()];
        }
        let right = system.right.clone();
        let x = system.solve();
        for (row, right) in dense.iter().zip(right) {
            let sum: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
            // Rounding of at most nine products of order one.
            prop_assert!((sum - right).abs() < 1e-12);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn the_solution_satisfies_the_dense_equations(values in prop::collection::vec(-1.0..1.0_f64, 60), n in 1usize..40) {
            check::<2, 3>(&values, n)?;
            check::<8, 9>(&values, n)?;
        }
    }
}
