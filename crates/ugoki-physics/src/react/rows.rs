//! The rows of the contacts: how the degrees of freedom move each contact, and what each answers.
//!
//! A foot has one row per corner that is near the ground (its upward speed) and, for all corners together, three rows
//! of friction: along x, along z and the spin about the vertical. Other links have a point with three rows. Joints at
//! the end of their range have one row. With J the rows and H̃ = Lᵀ D L the inertia, A = J H̃⁻¹ Jᵀ is the product of
//! the halves D^(−½) L⁻ᵀ Jᵀ, which like J have entries between a link and the root only.

use std::ops::Range;

use glam::DVec3;

use super::complementarity::Boxed;
use super::lcp_dense::Dense;
use crate::dynamics::{Body, Factors, Kinematics, direction_row_into, dot, spin_row_into};

/// Most rows at once: two feet take 18, everything else on the ground 58, joints at their ends 14.
pub(super) const MAX_ROWS: usize = 96;
/// Most groups of contacts with common friction.
pub(super) const MAX_GROUPS: usize = 26;

/// What a row measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Upward speed of a point.
    Normal,
    /// Speed along x or z.
    Slide,
    /// Spin about the vertical.
    Spin,
    /// Speed of a joint away from the end of its range.
    Limit,
    /// Motion of the root itself: what the target lacks of ground is given here, within bounds.
    Assist,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) kind: Kind,
    pub(super) group: usize,
    /// World position of the contact.
    pub(super) at: DVec3,
    /// Farthest place to which it can bear the body: short of `at` where toes are too weak.
    pub(super) bears: DVec3,
    /// World direction of the row.
    pub(super) along: DVec3,
    /// Speed that the ground allows (normal, limit: at least this) or holds (friction).
    pub(super) speed: f64,
    /// Whether the controller may count on it: a scheduled contact that touches.
    pub(super) carries: bool,
    /// Cost of its force when the wrench is shared out.
    pub(super) cost: f64,
    /// Greatest force of an [`Kind::Assist`], N or N·m.
    pub(super) bound: f64,
}

impl Row {
    /// Whether the contact stays as it is in what the controller plans.
    pub(super) fn holds(&self) -> bool {
        self.carries && self.kind != Kind::Assist
    }
}

/// Contacts with common friction.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Group {
    /// 0 or 1 for a foot.
    pub(super) foot: Option<usize>,
    /// Lever of the friction against spinning, m.
    pub(super) lever: f64,
}

/// All rows of one step.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    n: usize,
    pub(super) list: Vec<Row>,
    pub(super) groups: Vec<Group>,
    jacobian: Vec<f64>,
    /// Where beyond the root each row has entries.
    spans: Vec<Range<usize>>,
    /// D^(−½) L⁻ᵀ of the rows, four side by side, and where beyond the root they have entries.
    half: Vec<[f64; ABREAST]>,
    half_spans: Vec<Range<usize>>,
}

/// Degrees of freedom of the root, which every contact moves.
const ROOT: usize = 6;
/// Rows that are solved together: those of one foot move the same joints.
const ABREAST: usize = 4;

impl Rows {
    pub(super) fn new(body: &Body) -> Self {
        let n = body.num_dofs();
        Self {
            n,
            list: Vec::with_capacity(MAX_ROWS),
            groups: Vec::with_capacity(MAX_GROUPS),
            jacobian: vec![0.0; MAX_ROWS * n],
            spans: Vec::with_capacity(MAX_ROWS),
            half: vec![[0.0; ABREAST]; MAX_ROWS.div_ceil(ABREAST) * n],
            half_spans: Vec::with_capacity(MAX_ROWS.div_ceil(ABREAST)),
        }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.groups.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Room for `more` rows and a group.
    pub(super) fn has_room(&self, more: usize) -> bool {
        self.list.len() + more <= MAX_ROWS && self.groups.len() < MAX_GROUPS
    }

    pub(super) fn jacobian(&self, row: usize) -> &[f64] {
        &self.jacobian[row * self.n..(row + 1) * self.n]
    }

    /// Adds Jᵀ x, the generalized force or impulse of contact forces or impulses, to `out`; after [`Rows::respond`].
    pub(super) fn add_force(&self, x: &[f64], out: &mut [f64]) {
        for (i, &x) in x[..self.len()].iter().enumerate() {
            if x != 0.0 {
                self.add_row(i, x, out);
            }
        }
    }

    /// Adds `x` times one row of J to `out`; after [`Rows::respond`].
    pub(super) fn add_row(&self, i: usize, x: f64, out: &mut [f64]) {
        let (row, span) = (self.jacobian(i), self.spans[i].clone());
        for (o, j) in out[..ROOT].iter_mut().zip(&row[..ROOT]) {
            *o += x * j;
        }
        for (o, j) in out[span.clone()].iter_mut().zip(&row[span]) {
            *o += x * j;
        }
    }

    /// One row of J v; after [`Rows::respond`].
    pub(super) fn motion(&self, i: usize, v: &[f64]) -> f64 {
        let (row, span) = (self.jacobian(i), self.spans[i].clone());
        dot(&row[..ROOT], &v[..ROOT]) + dot(&row[span.clone()], &v[span])
    }

    /// Adds the row of a point's speed along `row.along`.
    pub(super) fn push_point(&mut self, body: &Body, kinematics: &Kinematics, link: usize, row: Row) {
        let at = self.list.len() * self.n;
        let out = &mut self.jacobian[at..at + self.n];
        direction_row_into(body, kinematics, link, row.at, row.along, out);
        self.list.push(row);
    }

    /// Adds the row of a link's spin about `row.along`.
    pub(super) fn push_spin(&mut self, body: &Body, kinematics: &Kinematics, link: usize, row: Row) {
        let at = self.list.len() * self.n;
        spin_row_into(body, kinematics, link, row.along, &mut self.jacobian[at..at + self.n]);
        self.list.push(row);
    }

    /// Adds a row on one joint's own degrees of freedom from `dof` on.
    pub(super) fn push_joint(&mut self, dof: usize, entries: &[f64], row: Row) {
        let at = self.list.len() * self.n;
        let out = &mut self.jacobian[at..at + self.n];
        out.fill(0.0);
        out[dof..dof + entries.len()].copy_from_slice(entries);
        self.list.push(row);
    }

    /// Fills A.
    pub(super) fn respond(&mut self, factors: &Factors, problem: &mut Boxed<Dense>) {
        let (n, count) = (self.n, self.list.len());
        self.spans.clear();
        self.half_spans.clear();
        let rows = &self.jacobian[..count * n];
        for (four, half) in rows.chunks(ABREAST * n).zip(self.half.chunks_exact_mut(n)) {
            half.fill([0.0; ABREAST]);
            let mut last = ROOT;
            for (lane, row) in four.chunks_exact(n).enumerate() {
                half.iter_mut().zip(row).for_each(|(half, j)| half[lane] = *j);
                let end = (ROOT..n).rev().find(|&k| row[k] != 0.0).map_or(ROOT, |k| k + 1);
                let first = (ROOT..end).find(|&k| row[k] != 0.0).unwrap_or(end);
                self.spans.push(first..end);
                last = last.max(end);
            }
            factors.half_solve_four(half);
            // What a row moves it moves by the joints above: entries come in front of its own, never behind.
            let first = (ROOT..last).find(|&k| half[k] != [0.0; ABREAST]).unwrap_or(last);
            self.half_spans.push(first..last);
        }
        problem.begin(count);
        let halves = || self.half.chunks_exact(n).zip(&self.half_spans);
        for (i, (a, own)) in halves().enumerate() {
            for (j, (b, other)) in halves().enumerate().take(i + 1) {
                let span = own.start.max(other.start)..own.end.min(other.end);
                let mut sums = [[0.0; ABREAST]; ABREAST];
                add_products(&a[..ROOT], &b[..ROOT], &mut sums);
                if !span.is_empty() {
                    add_products(&a[span.clone()], &b[span], &mut sums);
                }
                for (p, sums) in sums.iter().enumerate() {
                    let row = ABREAST * i + p;
                    for (q, &value) in sums.iter().enumerate() {
                        let column = ABREAST * j + q;
                        if row < count && column <= row {
                            problem.set(row, column, value);
                        }
                    }
                }
            }
        }
        problem.soften();
    }

    /// Friction's bounds from the normal forces in `x`; says whether one is narrower than the force there.
    pub(super) fn bound_friction(&self, friction: f64, problem: &mut Boxed<Dense>) -> bool {
        let mut normal = [0.0; MAX_GROUPS];
        for (row, &x) in self.list.iter().zip(&problem.x) {
            if row.kind == Kind::Normal {
                normal[row.group] += x.max(0.0);
            }
        }
        let mut exceeded = false;
        for (i, row) in self.list.iter().enumerate() {
            let most = match row.kind {
                // A square inside the cone's circle.
                Kind::Slide => std::f64::consts::FRAC_1_SQRT_2 * friction * normal[row.group],
                Kind::Spin => friction * normal[row.group] * self.groups[row.group].lever,
                Kind::Normal | Kind::Limit | Kind::Assist => continue,
            };
            exceeded |= problem.x[i].abs() > most * (1.0 + 1e-9) + 1e-12
                || (problem.x[i].abs() >= problem.high[i] && most > problem.high[i] * (1.0 + 1e-3));
            (problem.low[i], problem.high[i]) = (-most, most);
        }
        exceeded
    }
}

/// Adds the products of every vector in `a` with every one in `b`.
#[inline]
fn add_products(a: &[[f64; ABREAST]], b: &[[f64; ABREAST]], sums: &mut [[f64; ABREAST]; ABREAST]) {
    for (a, b) in a.iter().zip(b) {
        for p in 0..ABREAST {
            for q in 0..ABREAST {
                sums[p][q] += a[p] * b[q];
            }
        }
    }
}
