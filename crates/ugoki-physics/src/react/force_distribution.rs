//! Which contact forces give a wanted wrench at the root.
//!
//! The columns of J over the root's six degrees of freedom are the wrenches of unit contact forces. The forces f with
//! non-negative normals inside the friction cone that come nearest to the wanted wrench w, and among these the most
//! evenly spread, minimise |S(Gᵀ f − w)|² + ε Σ cᵢ fᵢ². Between two feet this distributes the weight by the position of
//! the ZMP.

use super::complementarity::{Boxed, FRICTION_ROUNDS, GUESSES, Place};
use super::lcp_low_rank::Thin;
use super::rows::{Kind, MAX_GROUPS, MAX_ROWS, Rows};

/// Newton-metres that count like one newton, as a lever in m: about half the width of a stance.
const LEVER: f64 = 0.3;
/// Weight of an even spread against an exact wrench.
const SPREAD: f64 = 1e-7;

/// The sharing of one step.
#[derive(Debug, Clone)]
pub(super) struct ForceDistribution {
    problem: Boxed<Thin>,
    /// Forces, one per row of the contacts (impulses are forces times Δt).
    pub(super) force: Vec<f64>,
    /// Row of the contacts for each unknown.
    rows: Vec<usize>,
}

fn scale(k: usize) -> f64 {
    if k < 3 { 1.0 } else { 1.0 / LEVER }
}

impl ForceDistribution {
    pub(super) fn new() -> Self {
        Self {
            problem: Boxed::with(Thin::new(MAX_ROWS), MAX_ROWS),
            force: vec![0.0; MAX_ROWS],
            rows: Vec::with_capacity(MAX_ROWS),
        }
    }

    /// Sets up the contacts that carry.
    pub(super) fn begin(&mut self, rows: &Rows) {
        let before = self.rows.len();
        self.rows.clear();
        self.problem.a.clear();
        for (i, row) in rows.list.iter().enumerate() {
            if row.carries {
                self.rows.push(i);
                let jacobian = rows.jacobian(i);
                self.problem.a.push(std::array::from_fn(|k| jacobian[k] * scale(k)), SPREAD * row.cost);
            }
        }
        let n = self.rows.len();
        self.problem.n = n;
        // With as many contacts as a step ago, what was pressed then is a good guess.
        if n != before {
            self.problem.place[..n].fill(Place::Free);
        }
    }

    /// The forces nearest to the root wrench `wanted` (force in world axes, moment in root axes).
    pub(super) fn solve(&mut self, rows: &Rows, friction: f64, wanted: &[f64; 6]) {
        self.problem.a.wanted = std::array::from_fn(|k| wanted[k] * scale(k));
        for i in 0..self.rows.len() {
            self.problem.b[i] = -self.problem.a.along(i);
            let row = &rows.list[self.rows[i]];
            let (low, high) = match row.kind {
                Kind::Normal | Kind::Limit => (0.0, f64::INFINITY),
                Kind::Assist => (-row.bound, row.bound),
                Kind::Slide | Kind::Spin => (f64::NEG_INFINITY, f64::INFINITY),
            };
            (self.problem.low[i], self.problem.high[i]) = (low, high);
            if row.kind != Kind::Normal {
                self.problem.place[i] = Place::Free;
            }
        }
        self.problem.solve(GUESSES);
        // Friction depends on the normal forces, which hardly depend on friction: a few rounds settle it.
        for _ in 0..FRICTION_ROUNDS {
            if !self.bound(rows, friction) {
                break;
            }
            self.problem.solve(GUESSES);
        }
        self.force[..rows.len()].fill(0.0);
        for (k, &i) in self.rows.iter().enumerate() {
            self.force[i] = self.problem.x[k].clamp(self.problem.low[k], self.problem.high[k]);
        }
    }

    /// How the forces of the last solution answer to a small change of the wrench, those at a bound staying there: one
    /// entry per row of the contacts.
    pub(super) fn answer(&mut self, wrench: &[f64; 6], out: &mut [f64]) {
        out.fill(0.0);
        let n = self.problem.n;
        if !self.problem.a.factor(&self.problem.place[..n]) {
            return;
        }
        let y = self.problem.a.solve(std::array::from_fn(|k| wrench[k] * scale(k)));
        for (k, &i) in self.rows.iter().enumerate() {
            if self.problem.place[k] == Place::Free {
                out[i] = self.problem.a.free(k, &y);
            }
        }
    }

    /// Bounds of friction from the normal forces; whether any force is outside or could be larger.
    fn bound(&mut self, rows: &Rows, friction: f64) -> bool {
        let mut changed = false;
        for k in 0..self.rows.len() {
            let row = &rows.list[self.rows[k]];
            if matches!(row.kind, Kind::Normal | Kind::Limit | Kind::Assist) {
                continue;
            }
            let normal: f64 = self
                .rows
                .iter()
                .zip(&self.problem.x)
                .filter(|&(&i, _)| rows.list[i].kind == Kind::Normal && rows.list[i].group == row.group)
                .map(|(_, x)| x.max(0.0))
                .sum();
            let most = friction
                * normal
                * if row.kind == Kind::Spin {
                    rows.groups[row.group].lever
                } else {
                    std::f64::consts::FRAC_1_SQRT_2
                };
            let x = self.problem.x[k].abs();
            changed |= x > most * (1.0 + 1e-9)
                || (self.problem.place[k] != Place::Free && (most - x).abs() > 1e-6 * (1.0 + most));
            (self.problem.low[k], self.problem.high[k]) = (-most, most);
        }
        changed
    }

    /// Largest ratio of a friction force to its bound; 0 without contacts.
    pub(super) fn friction_used(&self, rows: &Rows, friction: f64) -> f64 {
        let mut normal = [0.0; MAX_GROUPS];
        for (row, &f) in rows.list.iter().zip(&self.force) {
            if row.kind == Kind::Normal {
                normal[row.group] += f;
            }
        }
        let used = rows.list.iter().zip(&self.force).map(|(row, &f)| match row.kind {
            Kind::Slide => f.abs() / (std::f64::consts::FRAC_1_SQRT_2 * friction * normal[row.group]),
            Kind::Spin => f.abs() / (friction * normal[row.group] * rows.groups[row.group].lever),
            _ => 0.0,
        });
        // A foot without force has no friction: 0/0.
        used.filter(|ratio| ratio.is_finite()).fold(0.0, f64::max)
    }
}
