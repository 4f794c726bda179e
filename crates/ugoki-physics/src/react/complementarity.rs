//! The boxed linear complementarity problem: contact forces that hold, slide or let go.
//!
//! ```text
//! w = A x + b,    low ≤ x ≤ high,    x = low → w ≥ 0,    x = high → w ≤ 0,    else w = 0
//! ```
//!
//! A is symmetric and positive definite. Block principal pivoting
//! \[judice1994\]: guess which unknowns are free, solve for these, move all that break their condition, and fall back to
//! moving one at a time when that does not lead on. Each guess costs one solution of the free part; the guess of
//! the step before is nearly always right. Should the pivoting not end, projected Gauss–Seidel gives a near answer.
//!
//! How A is kept and solved is the [`Matrix`]'s: entry by entry ([`super::lcp_dense::Dense`]), or as few columns and a diagonal
//! ([`super::lcp_low_rank::Thin`]).

/// Where an unknown is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Free,
    Low,
    High,
}

/// The A of a problem.
pub(super) trait Matrix {
    /// Solves A x + b = 0 for the free unknowns into `x`, which holds the others' bounds; `false` when A is not positive definite there.
    fn free_into(&mut self, place: &[Place], b: &[f64], x: &mut [f64]) -> bool;

    /// A x + b of one unknown for the `x` that [`Matrix::free_into`] gave last.
    fn left(&self, i: usize, b: &[f64], x: &[f64]) -> f64;

    /// A x of one unknown for any `x`.
    fn times(&self, i: usize, x: &[f64]) -> f64;

    /// Adds `by` times a column of A.
    fn add_column(&self, i: usize, by: f64, out: &mut [f64]);

    /// A's diagonal.
    fn diagonal(&self, i: usize) -> f64;
}

/// Room for problems of up to `max` unknowns; filled and solved every step.
#[derive(Debug, Clone)]
pub(super) struct Boxed<A> {
    pub(super) n: usize,
    pub(super) a: A,
    pub(super) b: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) place: Vec<Place>,
    /// Unknowns that break their condition, and where they should go.
    moves: Vec<(usize, Place)>,
    /// A x + b while sweeping.
    w: Vec<f64>,
}

/// Guesses that move all wrong unknowns at once before one at a time is tried.
const PATIENCE: usize = 3;
/// Guesses enough for the contacts of standing feet; then Gauss–Seidel takes over.
pub(super) const GUESSES: usize = 120;
/// Guesses for a body with its limbs on the ground, where a near answer will do.
pub(super) const FEW_GUESSES: usize = 8;
/// Most rounds of friction after the first; two or three are usual, and a foot that is about to slip while it comes
/// down takes more.
pub(super) const FRICTION_ROUNDS: usize = 20;
/// Sweeps of the fallback.
const SWEEPS: usize = 40;

impl<A: Matrix> Boxed<A> {
    /// Room for `max` unknowns of this matrix.
    pub(super) fn with(a: A, max: usize) -> Self {
        Self {
            n: 0,
            a,
            b: vec![0.0; max],
            low: vec![0.0; max],
            high: vec![0.0; max],
            x: vec![0.0; max],
            place: vec![Place::Low; max],
            moves: Vec::with_capacity(max),
            w: vec![0.0; max],
        }
    }

    /// Solves the problem from the places given; `x` and `place` hold the answer. Says whether pivoting ended within
    /// `most` guesses.
    pub(super) fn solve(&mut self, most: usize) -> bool {
        let n = self.n;
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
        let Self { a, b, low, high, x, w, .. } = self;
        let (x, w) = (&mut x[..n], &mut w[..n]);
        for i in 0..n {
            w[i] = a.times(i, x) + b[i];
        }
        let worth: f64 = (0..n).map(|i| 0.5 * x[i] * (w[i] + b[i])).sum();
        if worth.is_nan() || worth > 0.0 {
            for i in 0..n {
                x[i] = 0.0_f64.clamp(low[i], high[i]);
            }
            for i in 0..n {
                w[i] = a.times(i, x) + b[i];
            }
        }
        for _ in 0..SWEEPS {
            for i in 0..n {
                let next = (x[i] - w[i] / a.diagonal(i)).clamp(low[i], high[i]);
                // Most unknowns stay at their bounds.
                if next != x[i] {
                    a.add_column(i, next - x[i], w);
                    x[i] = next;
                }
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
        let n = self.n;
        for i in 0..n {
            match self.place[i] {
                Place::Low => self.x[i] = self.low[i],
                Place::High => self.x[i] = self.high[i],
                Place::Free => self.x[i] = 0.0,
            }
        }
        self.a.free_into(&self.place[..n], &self.b[..n], &mut self.x[..n])
    }

    /// Where unknown `i` should go instead, if its condition is broken.
    fn wrong(&self, i: usize, close: f64) -> Option<Place> {
        let w = || self.a.left(i, &self.b[..self.n], &self.x[..self.n]);
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
    use crate::dynamics::dot;
    use ugoki_base::math::Random;

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
                let w = problem.a.times(i, &problem.x[..n]) + problem.b[i];
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
