//! Multiple regression with stepwise choice of variables.
//!
//! All of it happens in one symmetric matrix of centred sums, the last row and column belonging to the objective. The
//! sweep operator \[goodnight1979\] moves a variable into the model and out again: after it the objective's corner is
//! the residual sum, its column the coefficients, and the diagonal of a variable outside the model what those inside do
//! not explain of it.

/// Variables whose simple regression explains less are dropped \[shibata2005, 2.3\].
pub(super) const MIN_R2: f64 = 0.6;
/// Variables of smaller variance, m², are not moved on purpose: 0.5 cm², the paper's figure with the unit that fits it.
const MIN_VARIANCE: f64 = 0.5e-4;
/// F to enter and to be removed: the usual pair, near the 5 % point of F(1, 60).
const F_ENTER: f64 = 4.0;
const F_REMOVE: f64 = 3.9;
/// Largest variance inflation of a variable by those already chosen.
const MAX_INFLATION: f64 = 10.0;
/// Most variables: the paper ended with 3 to 6.
const MAX_VARIABLES: usize = 6;
/// Rows wanted for every variable.
const ROWS_PER_VARIABLE: usize = 5;
/// Blocks of time left out in turn.
const BLOCKS: usize = 5;
/// What a sum of squares may lose to rounding, as a fraction of itself.
const TINY: f64 = 1e-10;

/// y ≈ constant + Σ coefficients · variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// Columns used, in the order they were chosen.
    pub columns: Vec<usize>,
    /// One for each column.
    pub coefficients: Vec<f64>,
    /// Value where all columns are 0.
    pub constant: f64,
}

impl Regression {
    /// The estimate for a row, given as a function from column to value.
    #[must_use]
    pub fn estimate(&self, value: impl Fn(usize) -> f64) -> f64 {
        let terms = self.columns.iter().zip(&self.coefficients).map(|(&column, b)| b * value(column));
        self.constant + terms.sum::<f64>()
    }
}

/// A regression and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// What was found.
    pub regression: Regression,
    /// Fraction of the objective's variance explained.
    pub r2: f64,
    /// The same, corrected for the number of variables.
    pub adjusted_r2: f64,
    /// 1 − Σ held-out residual² / Σ(y − ȳ)² over five blocks of time.
    pub cross_validated_r2: f64,
    /// Root mean square residual, in the objective's unit.
    pub residual: f64,
}

/// Why there is no regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RegressError {
    /// Too few rows, or the objective does not change.
    Degenerate,
    /// No variable passes the gates.
    NonePasses {
        /// The best simple R² of any variable that moves.
        best_r2: f64,
    },
}

/// Symmetric sums of squares and products about the mean; objective last.
struct Sums {
    size: usize,
    a: Vec<f64>,
}

impl Sums {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.a[i * self.size + j]
    }

    /// Moves variable `k` into the model.
    fn sweep(&mut self, k: usize) {
        self.pivot(k, 1.0);
    }

    /// Moves variable `k` out of the model.
    fn unsweep(&mut self, k: usize) {
        self.pivot(k, -1.0);
    }

    fn pivot(&mut self, k: usize, sign: f64) {
        let n = self.size;
        let d = self.at(k, k);
        let row: Vec<f64> = (0..n).map(|j| self.at(k, j)).collect();
        for i in (0..n).filter(|&i| i != k) {
            for j in (0..n).filter(|&j| j != k) {
                self.a[i * n + j] -= row[i] * row[j] / d;
            }
        }
        for i in (0..n).filter(|&i| i != k) {
            self.a[i * n + k] = sign * row[i] / d;
            self.a[k * n + i] = sign * row[i] / d;
        }
        self.a[k * n + k] = -1.0 / d;
    }
}

/// Means of the chosen columns and of `y`, and the sums about them, over the rows that `keep` selects.
fn sums(
    rows: &[Vec<f64>],
    y: &[f64],
    columns: &[usize],
    keep: impl Fn(usize) -> bool,
) -> (Vec<f64>, Sums, usize) {
    let size = columns.len() + 1;
    let value = |row: usize, i: usize| if i < columns.len() { rows[row][columns[i]] } else { y[row] };
    let kept: Vec<usize> = (0..rows.len()).filter(|&row| keep(row)).collect();
    let count = kept.len().max(1) as f64;
    let means: Vec<f64> =
        (0..size).map(|i| kept.iter().map(|&row| value(row, i)).sum::<f64>() / count).collect();
    let mut a = vec![0.0; size * size];
    let mut centred = vec![0.0; size];
    for &row in &kept {
        for (i, c) in centred.iter_mut().enumerate() {
            *c = value(row, i) - means[i];
        }
        for i in 0..size {
            for j in i..size {
                a[i * size + j] += centred[i] * centred[j];
            }
        }
    }
    for i in 0..size {
        for j in 0..i {
            a[i * size + j] = a[j * size + i];
        }
    }
    (means, Sums { size, a }, kept.len())
}

/// Chooses variables among the columns of `rows` and regresses `y` on them.
///
/// # Errors
/// When there are too few rows, `y` does not change, or no column passes the gates.
pub fn select(rows: &[Vec<f64>], y: &[f64]) -> Result<Selection, RegressError> {
    let n = rows.len();
    let width = rows.first().map_or(0, Vec::len);
    let (columns, best_r2) = gated(rows, y, width).ok_or(RegressError::Degenerate)?;
    if columns.is_empty() {
        return Err(RegressError::NonePasses { best_r2 });
    }
    let (means, mut sums, _) = sums(rows, y, &columns, |_| true);
    let chosen = stepwise(&mut sums, n);
    let last = columns.len();
    let total = { self::sums(rows, y, &[], |_| true).1.at(0, 0) };
    let regression = Regression {
        columns: chosen.iter().map(|&i| columns[i]).collect(),
        coefficients: chosen.iter().map(|&i| sums.at(i, last)).collect(),
        constant: means[last] - chosen.iter().map(|&i| sums.at(i, last) * means[i]).sum::<f64>(),
    };
    let residual = sums.at(last, last).max(0.0);
    let freedom = (n - 1 - chosen.len()) as f64;
    Ok(Selection {
        r2: 1.0 - residual / total,
        adjusted_r2: 1.0 - (residual / freedom) / (total / (n - 1) as f64),
        cross_validated_r2: 1.0 - held_out(rows, y, &regression.columns) / total,
        residual: (residual / n as f64).sqrt(),
        regression,
    })
}

/// The columns that vary enough and explain enough alone, and the best simple R² of those that vary.
fn gated(rows: &[Vec<f64>], y: &[f64], width: usize) -> Option<(Vec<usize>, f64)> {
    let n = rows.len();
    if n < 2 * ROWS_PER_VARIABLE || y.len() != n {
        return None;
    }
    let total = sums(rows, y, &[], |_| true).1.at(0, 0);
    let scale = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if total.is_nan() || total <= TINY * n as f64 * scale * scale {
        return None;
    }
    let (mut columns, mut best) = (Vec::new(), 0.0_f64);
    for column in 0..width {
        let (_, s, _) = sums(rows, y, &[column], |_| true);
        // Sums with a value that is not a number fail both comparisons and are left out.
        if s.at(0, 0) / n as f64 > MIN_VARIANCE {
            let r2 = s.at(0, 1) * s.at(0, 1) / (s.at(0, 0) * total);
            best = best.max(r2);
            if r2 >= MIN_R2 {
                columns.push(column);
            }
        }
    }
    Some((columns, best))
}

/// Enters the variable with the greatest F, then removes what has become idle, until neither is possible.
fn stepwise(sums: &mut Sums, n: usize) -> Vec<usize> {
    let last = sums.size - 1;
    let own: Vec<f64> = (0..last).map(|i| sums.at(i, i)).collect();
    let most = MAX_VARIABLES.min(n / ROWS_PER_VARIABLE).max(1);
    let mut chosen: Vec<usize> = Vec::new();
    // Every round enters one variable; a bound in case rounding makes one go in and out for ever.
    for _ in 0..4 * MAX_VARIABLES {
        let freedom = (n - chosen.len()) as f64 - 2.0;
        if chosen.len() >= most || freedom < 1.0 {
            break;
        }
        let residual = sums.at(last, last);
        let gain = |i: usize| sums.at(i, last).powi(2) / sums.at(i, i);
        let best = (0..last)
            .filter(|i| !chosen.contains(i) && sums.at(*i, *i) * MAX_INFLATION > own[*i])
            .max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
        let Some(best) = best else { break };
        let left = (residual - gain(best)).max(TINY * own_total(sums, residual));
        if gain(best) / (left / freedom) < F_ENTER {
            break;
        }
        sums.sweep(best);
        chosen.push(best);
        // What the newcomer makes idle goes.
        let freedom = (n - chosen.len()) as f64 - 1.0;
        let loss = |i: usize| sums.at(i, last).powi(2) / -sums.at(i, i);
        let idle = chosen.iter().copied().min_by(|&a, &b| loss(a).total_cmp(&loss(b)));
        if let Some(idle) = idle.filter(|&idle| idle != best) {
            let residual = sums.at(last, last).max(0.0);
            if loss(idle) * freedom < F_REMOVE * residual {
                sums.unsweep(idle);
                chosen.retain(|&i| i != idle);
            }
        }
        // Nothing is left to explain.
        if sums.at(last, last) <= TINY * residual {
            break;
        }
    }
    chosen
}

/// A floor for residual sums, so that a perfect fit has a finite F.
fn own_total(sums: &Sums, residual: f64) -> f64 {
    residual.max(sums.at(sums.size - 1, sums.size - 1)).max(f64::MIN_POSITIVE)
}

/// Sum of squared residuals of five blocks of time, each estimated from the other four.
fn held_out(rows: &[Vec<f64>], y: &[f64], columns: &[usize]) -> f64 {
    let n = rows.len();
    let block = |row: usize| row * BLOCKS / n;
    let mut sum = 0.0;
    for left_out in 0..BLOCKS {
        let (means, mut s, kept) = sums(rows, y, columns, |row| block(row) != left_out);
        let last = columns.len();
        let mut used = Vec::new();
        for i in 0..last {
            // A variable that does not vary in these blocks, or only with others, has no say.
            let own = s.at(i, i);
            if own > TINY && kept > used.len() + 2 {
                s.sweep(i);
                used.push(i);
            }
        }
        for row in (0..n).filter(|&row| block(row) == left_out) {
            let terms = used.iter().map(|&i| s.at(i, last) * (rows[row][columns[i]] - means[i]));
            sum += (y[row] - means[last] - terms.sum::<f64>()).powi(2);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::math::Random;

    fn noise(random: &mut Random, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * random.normal()).collect()
    }

    /// Ordinary least squares by Gaussian elimination on the normal equations: an independent way.
    fn oracle(rows: &[Vec<f64>], y: &[f64], columns: &[usize]) -> Vec<f64> {
        let p = columns.len() + 1;
        let value = |row: &Vec<f64>, i: usize| if i == 0 { 1.0 } else { row[columns[i - 1]] };
        let mut m = vec![vec![0.0; p + 1]; p];
        for (row, y) in rows.iter().zip(y) {
            for (i, sums) in m.iter_mut().enumerate() {
                for (j, sum) in sums[..p].iter_mut().enumerate() {
                    *sum += value(row, i) * value(row, j);
                }
                sums[p] += value(row, i) * y;
            }
        }
        for i in 0..p {
            let best = (i..p).max_by(|&a, &b| m[a][i].abs().total_cmp(&m[b][i].abs())).unwrap();
            m.swap(i, best);
            for r in 0..p {
                if r != i {
                    let f = m[r][i] / m[i][i];
                    let pivot = m[i].clone();
                    m[r].iter_mut().zip(&pivot).skip(i).for_each(|(a, b)| *a -= f * b);
                }
            }
        }
        (0..p).map(|i| m[i][p] / m[i][i]).collect()
    }

    #[test]
    fn coefficients_are_those_of_least_squares() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let n = 80;
            let drift: Vec<f64> = (0..n).map(|i| i as f64 / n as f64).collect();
            let rows: Vec<Vec<f64>> = drift
                .iter()
                .map(|t| (0..5).map(|j| t * (1.0 + f64::from(j)) + 0.1 * random.normal()).collect())
                .collect();
            let extra = noise(&mut random, n, 0.02);
            let y: Vec<f64> =
                rows.iter().zip(&extra).map(|(r, e)| 0.3 + 0.5 * r[0] - 0.2 * r[3] + r[1] + e).collect();
            let found = select(&rows, &y).unwrap();
            let wanted = oracle(&rows, &y, &found.regression.columns);
            assert!((found.regression.constant - wanted[0]).abs() < 1e-8);
            for (a, b) in found.regression.coefficients.iter().zip(&wanted[1..]) {
                assert!((a - b).abs() < 1e-8, "{a} {b}");
            }
            assert!(found.cross_validated_r2 <= found.r2 && found.adjusted_r2 <= found.r2);
            assert!(found.r2 > 0.9 && found.regression.columns.len() <= 6);
        }
    }

    #[test]
    fn twins_are_not_both_chosen() {
        let mut random = Random::new(3);
        let rows: Vec<Vec<f64>> = (0..60)
            .map(|i| {
                let t = f64::from(i) / 60.0;
                vec![t, t + 1e-4 * random.normal(), t + 0.1 * random.normal()]
            })
            .collect();
        let y: Vec<f64> = rows.iter().map(|r| r[0] + 0.01 * random.normal()).collect();
        let columns = select(&rows, &y).unwrap().regression.columns;
        assert!(!(columns.contains(&0) && columns.contains(&1)), "{columns:?}");
    }

    #[test]
    fn what_explains_nothing_is_refused_with_the_best_seen() {
        let mut random = Random::new(4);
        let y: Vec<f64> = (0..60).map(f64::from).collect();
        let rows: Vec<Vec<f64>> = (0..60).map(|_| noise(&mut random, 4, 1.0)).collect();
        match select(&rows, &y) {
            Err(RegressError::NonePasses { best_r2 }) => assert!(best_r2 < 0.6),
            other => panic!("{other:?}"),
        }
        // Nothing to explain, nothing to explain it with, and invalid numbers.
        assert_eq!(select(&rows, &[1.0; 60]), Err(RegressError::Degenerate));
        assert_eq!(select(&[], &[]), Err(RegressError::Degenerate));
        let rows = vec![vec![f64::NAN; 3]; 60];
        assert_eq!(select(&rows, &y), Err(RegressError::NonePasses { best_r2: 0.0 }));
        let still = vec![vec![1.0; 3]; 60];
        assert_eq!(select(&still, &y), Err(RegressError::NonePasses { best_r2: 0.0 }));
    }

    #[test]
    fn sweeping_back_undoes_sweeping() {
        let mut random = Random::new(9);
        let rows: Vec<Vec<f64>> = (0..30).map(|_| noise(&mut random, 4, 1.0)).collect();
        let y = noise(&mut random, 30, 1.0);
        let (_, mut s, _) = sums(&rows, &y, &[0, 1, 2, 3], |_| true);
        let before = s.a.clone();
        for k in [2, 0, 3] {
            s.sweep(k);
        }
        for k in [0, 3, 2] {
            s.unsweep(k);
        }
        for (a, b) in before.iter().zip(&s.a) {
            assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()));
        }
    }
}
