//! The boxed linear complementarity problem: contact forces that hold, slide or let go.
//!
//! ```text
//! w = A x + b,    low ≤ x ≤ high,    x = low → w ≥ 0,    x = high → w ≤ 0,    else w = 0
//! ```
//!
//! A is symmetric and positive definite (a small compliance on its diagonal sees to that). Block principal pivoting
//! \[judice1994\]: guess which unknowns are free, solve for these, move all that break their condition, and fall back to
//! moving one at a time when that does not lead on. Each guess costs one Cholesky factor of the free part; the guess of
//! the step before is nearly always right. Should the pivoting not end, projected Gauss–Seidel gives a near answer.

use crate::dynamics::dot;

/// Where an unknown is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Free,
    Low,
    High,
}

/// Room for problems of up to `max` unknowns; filled and solved every step.
#[derive(Debug, Clone)]
pub(super) struct Boxed {
    max: usize,
    pub(super) n: usize,
    /// A, row by row with stride `max`.
    a: Vec<f64>,
    pub(super) b: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) place: Vec<Place>,
    /// Indices of the free unknowns, and the Cholesky factor of their part of A.
    free: Vec<usize>,
    lower: Vec<f64>,
    /// 1 / the factor's diagonal: many products wait for few divisions.
    inverse: Vec<f64>,
    /// Rows of the factor that belong to A as it is.
    factored: usize,
    right: Vec<f64>,
    /// Unknowns that break their condition, and where they should go.
    moves: Vec<(usize, Place)>,
}

/// Guesses that move all wrong unknowns at once before one at a time is tried.
const PATIENCE: usize = 3;
/// Guesses enough for the contacts of standing feet; then Gauss–Seidel takes over.
pub(super) const GUESSES: usize = 120;
/// Guesses for a body with its limbs on the ground, where a near answer will do.
pub(super) const FEW_GUESSES: usize = 8;
/// Sweeps of the fallback.
const SWEEPS: usize = 40;
/// Share of the mean diagonal added to the diagonal: the compliance of the contacts. With forces of a body's weight
/// a contact creeps by less than 1e-5 m/s.
const COMPLIANCE: f64 = 1e-7;

impl Boxed {
    pub(super) fn new(max: usize) -> Self {
        Self {
            max,
            n: 0,
            a: vec![0.0; max * max],
            b: vec![0.0; max],
            low: vec![0.0; max],
            high: vec![0.0; max],
            x: vec![0.0; max],
            place: vec![Place::Low; max],
            free: Vec::with_capacity(max),
            lower: vec![0.0; max * max],
            inverse: vec![0.0; max],
            factored: 0,
            right: vec![0.0; max],
            moves: Vec::with_capacity(max),
        }
    }

    /// Starts a problem of `n` unknowns.
    pub(super) fn begin(&mut self, n: usize) {
        debug_assert!(n <= self.max);
        self.n = n;
        self.factored = 0;
    }

    /// Sets A in both triangles.
    pub(super) fn set(&mut self, i: usize, j: usize, value: f64) {
        self.factored = 0;
        self.a[i * self.max + j] = value;
        self.a[j * self.max + i] = value;
    }

    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.a[i * self.max + j]
    }

    /// Adds the compliance to the diagonal.
    pub(super) fn soften(&mut self) {
        self.factored = 0;
        let mean = (0..self.n).map(|i| self.at(i, i)).sum::<f64>() / self.n.max(1) as f64;
        for i in 0..self.n {
            self.a[i * self.max + i] += COMPLIANCE * mean + f64::MIN_POSITIVE;
        }
    }

    /// Factors the free part; `false` when it is not positive definite.
    ///
    /// Row r of the factor depends on the first r free unknowns only, so what was factored for the same A up to the first unknown
    /// that changed sides stays. A step asks for the same free set several times: holding, sharing, responding.
    pub(super) fn factor_free(&mut self) -> bool {
        let mut count = 0;
        for i in 0..self.n {
            if self.place[i] == Place::Free {
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
        for (r, &i) in self.free.iter().enumerate().skip(self.factored) {
            for (c, &j) in self.free[..=r].iter().enumerate() {
                let done = dot(&self.lower[r * m..r * m + c], &self.lower[c * m..c * m + c]);
                let rest = self.a[i * m + j] - done;
                if r == c {
                    if rest.is_nan() || rest <= 0.0 {
                        return false;
                    }
                    self.inverse[r] = 1.0 / rest.sqrt();
                } else {
                    self.lower[r * m + c] = rest * self.inverse[c];
                }
            }
            self.factored = r + 1;
        }
        true
    }

    /// Solves A_FF y = r for the free unknowns in place; `r` is indexed by free unknown.
    fn solve_free(lower: &[f64], inverse: &[f64], m: usize, r: &mut [f64]) {
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

    /// Solves A_FF y = r for the free set factored last; other entries of `r` become zero.
    pub(super) fn solve_held(&mut self, r: &mut [f64]) {
        for (k, &i) in self.free.iter().enumerate() {
            self.right[k] = r[i];
        }
        let n = self.free.len();
        Self::solve_free(&self.lower, &self.inverse, self.max, &mut self.right[..n]);
        r[..self.n].fill(0.0);
        for (k, &i) in self.free.iter().enumerate() {
            r[i] = self.right[k];
        }
    }

    /// Solves the problem from the places given; `x` and `place` hold the answer. Says whether pivoting ended within
    /// `most` guesses.
    pub(super) fn solve(&mut self, most: usize) -> bool {
        let (n, m) = (self.n, self.max);
        let scale = self.b[..n].iter().fold(0.0_f64, |s, b| s.max(b.abs()));
        let close = 1e-10 * (1.0 + scale);
        let (mut best, mut patience) = (usize::MAX, PATIENCE);
        for i in 0..n {
            // A guess left by another problem may be at a bound that this one does not have.
            let bound = match self.place[i] {
                Place::Free => 0.0,
                Place::Low => self.low[i],
                Place::High => self.high[i],
            };
            if !bound.is_finite() {
                self.place[i] = Place::Free;
            }
        }
        for _ in 0..most {
            if !self.guess() {
                break;
            }
            self.moves.clear();
            for i in 0..n {
                if let Some(place) = self.wrong(i, close) {
                    self.moves.push((i, place));
                }
            }
            let Some(&(index, place)) = self.moves.last() else { return true };
            let all = if self.moves.len() < best {
                (best, patience) = (self.moves.len(), PATIENCE);
                true
            } else {
                patience = patience.saturating_sub(1);
                patience > 0
            };
            if all {
                for &(i, place) in &self.moves {
                    self.place[i] = place;
                }
            } else {
                // Murty's rule: always the last one; it cannot cycle.
                self.place[index] = place;
            }
        }
        // A near answer: sweep from what there is, unless that is worse than nothing. The answer minimises ½ xᵀA x + bᵀx within its
        // bounds, and sweeps only lower it, so that contacts never add energy.
        for i in 0..n {
            self.x[i] = if self.x[i].is_finite() { self.x[i].clamp(self.low[i], self.high[i]) } else { 0.0 };
        }
        let worth: f64 = (0..n)
            .map(|i| self.x[i] * (0.5 * dot(&self.a[i * m..i * m + n], &self.x[..n]) + self.b[i]))
            .sum();
        if worth.is_nan() || worth > 0.0 {
            for i in 0..n {
                self.x[i] = 0.0_f64.clamp(self.low[i], self.high[i]);
            }
        }
        for _ in 0..SWEEPS {
            for i in 0..n {
                let w = dot(&self.a[i * m..i * m + n], &self.x[..n]) + self.b[i];
                self.x[i] = (self.x[i] - w / self.at(i, i)).clamp(self.low[i], self.high[i]);
            }
        }
        for i in 0..n {
            self.place[i] = if self.x[i] <= self.low[i] {
                Place::Low
            } else if self.x[i] >= self.high[i] {
                Place::High
            } else {
                Place::Free
            };
        }
        false
    }

    /// `x` for the places as they are.
    fn guess(&mut self) -> bool {
        let (n, m) = (self.n, self.max);
        for i in 0..n {
            match self.place[i] {
                Place::Low => self.x[i] = self.low[i],
                Place::High => self.x[i] = self.high[i],
                Place::Free => self.x[i] = 0.0,
            }
        }
        if !self.factor_free() {
            return false;
        }
        let pressed = self.x[..n].iter().any(|&x| x != 0.0);
        for (k, &i) in self.free.iter().enumerate() {
            let bounded = if pressed { dot(&self.a[i * m..i * m + n], &self.x[..n]) } else { 0.0 };
            self.right[k] = -self.b[i] - bounded;
        }
        let count = self.free.len();
        Self::solve_free(&self.lower, &self.inverse, m, &mut self.right[..count]);
        for (k, &i) in self.free.iter().enumerate() {
            self.x[i] = self.right[k];
        }
        true
    }

    /// Where unknown `i` should go instead, if its condition is broken.
    fn wrong(&self, i: usize, close: f64) -> Option<Place> {
        let (n, m) = (self.n, self.max);
        let w = || dot(&self.a[i * m..i * m + n], &self.x[..n]) + self.b[i];
        match self.place[i] {
            Place::Free if self.x[i] < self.low[i] - close => Some(Place::Low),
            Place::Free if self.x[i] > self.high[i] + close => Some(Place::High),
            Place::Low if self.low[i] < self.high[i] && w() < -close => Some(Place::Free),
            Place::High if self.low[i] < self.high[i] && w() > close => Some(Place::Free),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn answers_meet_their_conditions() {
        let mut random = Random::new(4);
        let mut ended = 0_usize;
        for trial in 0..400_usize {
            let n = 1 + trial % 24;
            // Fewer columns than rows half of the time: redundant contacts.
            let rank = if trial % 2 == 0 { n } else { n.div_ceil(2) };
            let g: Vec<f64> = (0..n * rank).map(|_| random.normal()).collect();
            let mut problem = Boxed::new(24);
            problem.begin(n);
            for i in 0..n {
                for j in 0..=i {
                    problem.set(i, j, dot(&g[i * rank..(i + 1) * rank], &g[j * rank..(j + 1) * rank]));
                }
                // A motion that contacts can stop: b in the range of A, or any where A is regular.
                (problem.low[i], problem.high[i]) =
                    if i % 3 == 0 { (0.0, f64::INFINITY) } else { (-0.5, 0.5) };
                problem.place[i] = Place::Free;
            }
            let y: Vec<f64> = (0..rank).map(|_| random.normal()).collect();
            for i in 0..n {
                problem.b[i] = dot(&g[i * rank..(i + 1) * rank], &y);
            }
            problem.soften();
            let exact = problem.solve(GUESSES);
            ended += usize::from(exact);
            for i in 0..n {
                let x = problem.x[i];
                let w = dot(&problem.a[i * 24..i * 24 + n], &problem.x[..n]) + problem.b[i];
                assert!(x >= problem.low[i] - 1e-6 && x <= problem.high[i] + 1e-6, "{trial}: {x}");
                // The fallback's sweeps come near in the mean only; pivoting is exact to the rounding of A.
                let close = if exact { 1e-6 } else { 0.1 };
                assert!(x <= problem.low[i] + 1e-6 || w < close, "{trial} {i}: {x} {w}");
                assert!(x >= problem.high[i] - 1e-6 || w > -close, "{trial} {i}: {x} {w}");
            }
        }
        assert!(ended > 395, "pivoting ended in {ended} of 400");
    }

    #[test]
    fn a_guess_at_a_bound_that_there_is_not_is_let_go() {
        let mut problem = Boxed::new(2);
        problem.begin(2);
        problem.set(0, 0, 2.0);
        problem.set(1, 0, 0.5);
        problem.set(1, 1, 1.0);
        (problem.low[0], problem.high[0]) = (0.0, f64::INFINITY);
        (problem.low[1], problem.high[1]) = (f64::NEG_INFINITY, f64::INFINITY);
        (problem.b[0], problem.b[1]) = (-1.0, 0.5);
        // Left by a step with as many contacts, of which these were friction.
        (problem.place[0], problem.place[1]) = (Place::High, Place::Low);
        assert!(problem.solve(GUESSES));
        let [x, y] = [problem.x[0], problem.x[1]];
        assert!((2.0 * x + 0.5 * y - 1.0).abs() < 1e-12 && (0.5 * x + y + 0.5).abs() < 1e-12, "{x} {y}");
    }
}
