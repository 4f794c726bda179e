//! The cheapest path through a table of distances, with both ends open.
//!
//! Steps are (1, 1), (1, 2) and (2, 1) with weights 2, 3 and 3 \[sakoe1978\], so a path from cell (i₀, j₀) to
//! (i₁, j₁) weighs (i₁ − i₀) + (j₁ − j₀) whatever its steps are. A row or column left out before the path's
//! start or after its end costs `drop_cost` instead, so paths of different extent are comparable.

use ugoki_base::{Cancelled, Progress, report};

/// Cost of leaving the diagonal for one step, metres: under the noise of marker-based capture, so that
/// standing still does not make the path wander.
const STRETCH_COST: f32 = 0.002;
/// What of a table a path may leave out, in steps of rows and of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Most before its start.
    pub(super) start: [usize; 2],
    /// Most after its end.
    pub(super) end: [usize; 2],
    /// Fewest that it passes.
    pub(super) need: [usize; 2],
}

/// Distances between all rows and columns, metres.
pub(super) struct Table {
    pub(super) rows: usize,
    pub(super) columns: usize,
    values: Vec<f32>,
}

impl Table {
    /// Fills all cells.
    pub(super) fn build(
        [rows, columns]: [usize; 2],
        distance: impl Fn(usize, usize) -> f32,
        progress: Progress<'_>,
    ) -> Result<Self, Cancelled> {
        let mut values = Vec::with_capacity(rows * columns);
        for i in 0..rows {
            if i % 128 == 0 {
                report(progress, 0.1 + 0.4 * i as f32 / rows as f32)?;
            }
            values.extend((0..columns).map(|j| distance(i, j)));
        }
        Ok(Self { rows, columns, values })
    }

    /// The least distance of every row and of every column, metres.
    pub(super) fn minima(&self) -> Vec<f64> {
        let mut minima = vec![f32::INFINITY; self.rows + self.columns];
        let (rows, columns) = minima.split_at_mut(self.rows);
        for (least, row) in rows.iter_mut().zip(self.values.chunks_exact(self.columns)) {
            for (d, column) in row.iter().zip(columns.iter_mut()) {
                *least = least.min(*d);
                *column = column.min(*d);
            }
        }
        minima.into_iter().map(f64::from).collect()
    }

    /// The mean of all distances.
    pub(super) fn mean(&self) -> f32 {
        (self.values.iter().map(|d| f64::from(*d)).sum::<f64>() / self.values.len().max(1) as f64) as f32
    }

    fn at(&self, i: usize, j: usize) -> f32 {
        self.values[i * self.columns + j]
    }

    /// The cells (row, column) of the cheapest path; nothing when slopes between 1/2 and 2 cannot keep the limits.
    pub(super) fn cheapest(
        &self,
        drop_cost: f32,
        limits: Limits,
        progress: Progress<'_>,
    ) -> Result<Option<Vec<[usize; 2]>>, Cancelled> {
        let (n, m) = (self.rows, self.columns);
        let far = f32::INFINITY;
        // Costs of three rows and, for each path in them, how many rows and columns it left out at its start.
        let mut costs = vec![vec![far; m]; 3];
        let mut left_out = vec![vec![[0u32; 2]; m]; 3];
        // 0 to 2: the step a cell was reached by; 3: a path starts here.
        let mut came = vec![3u8; n * m];
        let mut best: Option<(f32, usize, usize)> = None;
        for i in 0..n {
            if i % 128 == 0 {
                report(progress, 0.5 + 0.5 * i as f32 / n as f32)?;
            }
            let (now, before, earlier) = (i % 3, (i + 2) % 3, (i + 1) % 3);
            costs[now].fill(far);
            for j in 0..m {
                let d = self.at(i, j);
                let mut least = (far, 3, [0, 0]);
                if (i == 0 && j <= limits.start[1]) || (j == 0 && i <= limits.start[0]) {
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
                let may_end = (rows_left == 0 && columns_left <= limits.end[1])
                    || (columns_left == 0 && rows_left <= limits.end[0]);
                let passed = [i - least.2[0] as usize, j - least.2[1] as usize];
                let may_end = may_end && (0..2).all(|side| passed[side] >= limits.need[side]);
                let total = least.0 + drop_cost * (rows_left + columns_left) as f32;
                if may_end && total < best.map_or(far, |b| b.0) {
                    best = Some((total, i, j));
                }
            }
        }
        Ok(best.map(|(_, i, j)| self.walk_back(&came, i, j)))
    }

    fn walk_back(&self, came: &[u8], mut i: usize, mut j: usize) -> Vec<[usize; 2]> {
        let mut cells = vec![[i, j]];
        loop {
            (i, j) = match came[i * self.columns + j] {
                0 => (i - 1, j - 1),
                1 => (i - 1, j - 2),
                2 => (i - 2, j - 1),
                _ => break,
            };
            cells.push([i, j]);
        }
        cells.reverse();
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::math::Random;
    use ugoki_base::no_progress;

    fn path(
        rows: usize,
        columns: usize,
        drop: f32,
        limits: Limits,
        distance: impl Fn(usize, usize) -> f32,
    ) -> Option<Vec<[usize; 2]>> {
        let quiet = &mut no_progress();
        Table::build([rows, columns], distance, quiet).unwrap().cheapest(drop, limits, quiet).unwrap()
    }

    /// Half of either side may be left out, a third at one end.
    fn open(n: usize, m: usize) -> Limits {
        let thirds = [n, m].map(|len| (len - 1) / 3);
        Limits { start: thirds, end: thirds, need: [n, m].map(|len| (len - 1).div_ceil(2)) }
    }

    #[test]
    fn slopes_and_drops_keep_their_bounds_on_random_tables() {
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let (n, m) = (2 + random.index(60), 2 + random.index(60));
            let noise: Vec<f32> = (0..n * m).map(|_| random.uniform() as f32).collect();
            let limits = open(n, m);
            let Some(cells) = path(n, m, 0.3, limits, |i, j| noise[i * m + j]) else {
                assert!(n > 2 * m - 2 || m > 2 * n - 2, "{n} × {m} can be joined");
                continue;
            };
            let (first, last) = (cells[0], cells[cells.len() - 1]);
            assert!(first[0] == 0 || first[1] == 0);
            assert!(last[0] == n - 1 || last[1] == m - 1);
            for side in 0..2 {
                let len = [n, m][side];
                assert!(first[side] <= limits.start[side] && len - 1 - last[side] <= limits.end[side]);
                assert!(last[side] - first[side] >= limits.need[side]);
            }
            for pair in cells.windows(2) {
                let step = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
                assert!([[1, 1], [1, 2], [2, 1]].contains(&step), "{cells:?}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_at_the_ends_is_left_out_and_nothing_else() {
        // Columns 12 to 59 are rows 0 to 47; everything else is far apart.
        let shifted = |i: usize, j: usize| if j == i + 12 { 0.01 } else { 0.5 };
        let cells = path(60, 60, 0.1, open(60, 60), shifted).unwrap();
        assert_eq!(cells, (0..48).map(|i| [i, i + 12]).collect::<Vec<_>>());
        // Where all fits nothing is left out, however little leaving out costs.
        let cells = path(60, 60, 1e-3, open(60, 60), |i, j| i.abs_diff(j) as f32).unwrap();
        assert_eq!(cells, (0..60).map(|i| [i, i]).collect::<Vec<_>>());
        // Where ends may not be left out they are not.
        let closed = Limits { start: [0, 0], end: [0, 0], need: [1, 1] };
        let cells = path(60, 60, 0.1, closed, shifted).unwrap();
        assert_eq!((cells[0], cells[cells.len() - 1]), ([0, 0], [59, 59]));
        assert!(path(10, 90, 0.1, open(10, 90), |_, _| 0.0).is_none(), "slopes cannot join these");
    }
}
