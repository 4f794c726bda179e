//! The cheapest path through a table of distances, with both ends open.
//!
//! Steps are (1, 1), (1, 2) and (2, 1) with weights 2, 3 and 3 \[sakoe1978\], so a path from cell (i₀, j₀) to
//! (i₁, j₁) weighs (i₁ − i₀) + (j₁ − j₀) whatever its steps are. A row or column left out before the path's
//! start or after its end costs `drop_cost` instead, so paths of different extent are comparable.

use crate::{Cancelled, Progress, report};

/// Cost of leaving the diagonal for one step, metres: under the noise of marker-based capture, so that
/// standing still does not make the path wander.
const STRETCH_COST: f32 = 0.002;
/// Most of a side that may be left out at one end, and at both together.
const MAX_DROP: [f64; 2] = [1.0 / 3.0, 0.5];

/// Distances between all rows and columns that a path can pass, metres; infinite elsewhere.
pub(super) struct Table {
    pub(super) rows: usize,
    pub(super) columns: usize,
    values: Vec<f32>,
}

/// A path: a column for every row from `first_row` on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Path {
    pub(super) first_row: usize,
    pub(super) columns: Vec<f64>,
    /// Cost per unit of weight of rows and columns, what was left out included, metres.
    pub(super) cost: f32,
}

impl Table {
    /// Fills the cells that slopes between 1/2 and 2 can pass.
    pub(super) fn build(
        [rows, columns]: [usize; 2],
        distance: impl Fn(usize, usize) -> f32,
        progress: Progress<'_>,
    ) -> Result<Self, Cancelled> {
        let mut values = vec![f32::INFINITY; rows * columns];
        for (i, row) in values.chunks_exact_mut(columns).enumerate() {
            if i % 128 == 0 {
                report(progress, 0.1 + 0.5 * i as f32 / rows as f32)?;
            }
            for j in reachable(i, rows, columns) {
                row[j] = distance(i, j);
            }
        }
        Ok(Self { rows, columns, values })
    }

    /// The least distance of every row that has one, metres.
    pub(super) fn row_minima(&self) -> Vec<f64> {
        let least = |row: &[f32]| row.iter().copied().fold(f32::INFINITY, f32::min);
        let minima = self.values.chunks_exact(self.columns).map(least);
        minima.filter(|d| d.is_finite()).map(f64::from).collect()
    }

    fn at(&self, i: usize, j: usize) -> f32 {
        self.values[i * self.columns + j]
    }

    /// The cheapest path; nothing when slopes between 1/2 and 2 cannot join the ends.
    pub(super) fn cheapest(&self, drop_cost: f32, progress: Progress<'_>) -> Result<Option<Path>, Cancelled> {
        let (n, m) = (self.rows, self.columns);
        let far = f32::INFINITY;
        let [drop_rows, drop_columns] = [n, m].map(|len| most_dropped(len, 0));
        // Costs of three rows and, for each path in them, how many rows and columns it left out at its start.
        let mut costs = vec![vec![far; m]; 3];
        let mut left_out = vec![vec![[0u32; 2]; m]; 3];
        // 0 to 2: the step a cell was reached by; 3: a path starts here.
        let mut came = vec![3u8; n * m];
        let mut best: Option<(f32, usize, usize)> = None;
        for i in 0..n {
            if i % 128 == 0 {
                report(progress, 0.6 + 0.4 * i as f32 / n as f32)?;
            }
            let (now, before, earlier) = (i % 3, (i + 2) % 3, (i + 1) % 3);
            costs[now].fill(far);
            for j in reachable(i, n, m) {
                let d = self.at(i, j);
                let mut least = (far, 3, [0, 0]);
                if (i == 0 && j <= drop_columns) || (j == 0 && i <= drop_rows) {
                    least = (2.0 * d + drop_cost * (i + j) as f32, 3, [i as u32, j as u32]);
                }
                if i >= 1 && j >= 1 {
                    let cost = costs[before][j - 1] + 2.0 * d;
                    if cost < least.0 {
                        least = (cost, 0, left_out[before][j - 1]);
                    }
                }
                if i >= 1 && j >= 2 {
                    let cost = costs[before][j - 2] + 2.0 * self.at(i, j - 1) + d + STRETCH_COST;
                    if cost < least.0 {
                        least = (cost, 1, left_out[before][j - 2]);
                    }
                }
                if i >= 2 && j >= 1 {
                    let cost = costs[earlier][j - 1] + 2.0 * self.at(i - 1, j) + d + STRETCH_COST;
                    if cost < least.0 {
                        least = (cost, 2, left_out[earlier][j - 1]);
                    }
                }
                costs[now][j] = least.0;
                left_out[now][j] = least.2;
                came[i * m + j] = least.1;
                let (rows_left, columns_left) = (n - 1 - i, m - 1 - j);
                let may_end = (rows_left == 0 && columns_left <= most_dropped(m, least.2[1]))
                    || (columns_left == 0 && rows_left <= most_dropped(n, least.2[0]));
                let total = least.0 + drop_cost * (rows_left + columns_left) as f32;
                if may_end && total < best.map_or(far, |b| b.0) {
                    best = Some((total, i, j));
                }
            }
        }
        Ok(best.map(|(total, i, j)| self.walk_back(&came, i, j, total / (n + m) as f32)))
    }

    fn walk_back(&self, came: &[u8], mut i: usize, mut j: usize, cost: f32) -> Path {
        let mut columns = vec![j as f64];
        loop {
            match came[i * self.columns + j] {
                0 => (i, j) = (i - 1, j - 1),
                1 => (i, j) = (i - 1, j - 2),
                2 => {
                    // Passes the row between at half a column.
                    columns.push(j as f64 - 0.5);
                    (i, j) = (i - 2, j - 1);
                }
                _ => break,
            }
            columns.push(j as f64);
        }
        columns.reverse();
        Path { first_row: i, columns, cost }
    }
}

/// Most that may be left out at an end of a side of `len`, when `already` was at the other.
fn most_dropped(len: usize, already: u32) -> usize {
    let [one, both] = MAX_DROP.map(|share| (share * (len - 1) as f64) as usize);
    one.min(both.saturating_sub(already as usize))
}

/// The columns of row `i` that slopes between 1/2 and 2 can reach from a start and leave for an end.
fn reachable(i: usize, rows: usize, columns: usize) -> std::ops::Range<usize> {
    let [drop_rows, drop_columns] = [rows, columns].map(|len| most_dropped(len, 0));
    let (left, last) = (rows - 1 - i, columns - 1);
    let low = i.saturating_sub(drop_rows).div_ceil(2).max(last.saturating_sub(2 * left + drop_columns));
    let high = (2 * i + drop_columns).min(last.saturating_sub(left.saturating_sub(drop_rows).div_ceil(2)));
    low..high + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use std::ops::ControlFlow;

    fn path(rows: usize, columns: usize, drop: f32, distance: impl Fn(usize, usize) -> f32) -> Option<Path> {
        let quiet = &mut |_| ControlFlow::Continue(());
        Table::build([rows, columns], distance, quiet).unwrap().cheapest(drop, quiet).unwrap()
    }

    #[test]
    fn slopes_and_drops_keep_their_bounds_on_random_tables() {
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let (n, m) = (2 + random.index(60), 2 + random.index(60));
            let noise: Vec<f32> = (0..n * m).map(|_| random.uniform() as f32).collect();
            let Some(found) = path(n, m, 0.3, |i, j| noise[i * m + j]) else {
                assert!(n > 2 * m - 2 || m > 2 * n - 2, "{n} × {m} can be joined");
                continue;
            };
            let rows = found.first_row..found.first_row + found.columns.len();
            let (first, last) = (found.columns[0], found.columns[found.columns.len() - 1]);
            assert!(rows.len() * 2 >= n && (last - first + 1.0) * 2.0 >= m as f64, "{n} × {m}: {found:?}");
            assert!(rows.start == 0 || first == 0.0);
            assert!(rows.end == n || last == (m - 1) as f64);
            for pair in found.columns.windows(2) {
                assert!((0.5..=2.0).contains(&(pair[1] - pair[0])), "{found:?}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_at_the_ends_is_left_out_and_nothing_else() {
        // Columns 12 to 59 are rows 0 to 47; everything else is far apart.
        let shifted = |i: usize, j: usize| if j == i + 12 { 0.01 } else { 0.5 };
        let found = path(60, 60, 0.1, shifted).unwrap();
        assert_eq!((found.first_row, found.columns.len()), (0, 48));
        assert!(found.columns.iter().enumerate().all(|(i, &j)| j == (i + 12) as f64));
        // Where all fits nothing is left out, however little leaving out costs.
        let found = path(60, 60, 1e-3, |i, j| i.abs_diff(j) as f32).unwrap();
        assert_eq!((found.first_row, found.columns.len()), (0, 60));
        assert!(path(10, 90, 0.1, |_, _| 0.0).is_none(), "slopes cannot join these");
    }
}
