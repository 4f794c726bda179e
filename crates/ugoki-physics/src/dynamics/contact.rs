//! A body held at contacts: the system `[H J_cᵀ; J_c 0]`, for impulses and for accelerations.
//!
//! ```text
//! H x − J_cᵀ λ = b        x: Δq̇ or q̈     b: generalized impulse, or τ − bias
//!     J_c x    = w        λ: contact impulses or forces, w: wanted motion of the contacts (0: they hold)
//! ```
//!
//! By the factors of H: A = J_c H⁻¹ J_cᵀ, A λ = w − J_c H⁻¹ b. Contacts may be redundant (three points of one foot):
//! A is then singular but the system consistent, and a Cholesky factor that leaves out dependent rows solves it.

use glam::DVec3;

use super::body::Body;
use super::crba::crba_into;
use super::jacobian::{link_jacobian_into, point_jacobian_into};
use super::mass_matrix::{Factors, MassMatrix, dot, subtract};
use super::state::BodyState;
use super::workspace::Workspace;

/// What of a link a contact holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// One point: three rows.
    Point,
    /// The whole link: six rows, angular first.
    Link,
}

/// A place where the world holds the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// The link.
    pub link: usize,
    /// The point, in the link's frame, m.
    pub point: DVec3,
    /// What is held there.
    pub hold: Hold,
}

impl Contact {
    /// Rows of its Jacobian.
    #[must_use]
    pub fn num_rows(&self) -> usize {
        match self.hold {
            Hold::Point => 3,
            Hold::Link => 6,
        }
    }
}

/// A pivot below this fraction of its row's diagonal is rounding error: the row depends linearly on the rows before it.
const DEPENDENT: f64 = 1e-12;

/// A body factored in one pose with its contacts; made once, filled by [`hold_into`].
#[derive(Debug, Clone)]
pub struct Held {
    num_rows: usize,
    h: MassMatrix,
    factors: Factors,
    /// `J_c`, row by row.
    jacobian: Vec<f64>,
    /// `H⁻¹ J_cᵀ`, one row per row of `J_c`.
    response: Vec<f64>,
    /// Lower Cholesky factor of A; a zero pivot marks a row left out.
    lower: Vec<f64>,
    max_rows: usize,
}

/// More rows than the [`Held`] was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("contacts need {rows} rows, but there is room for {max}")]
pub struct TooManyContacts {
    /// Rows needed.
    pub rows: usize,
    /// Room.
    pub max: usize,
}

impl Held {
    /// Room for `body` with contacts of up to `max_rows` rows.
    #[must_use]
    pub fn new(body: &Body, max_rows: usize) -> Self {
        let n = body.num_dofs();
        Self {
            num_rows: 0,
            h: MassMatrix::new(body),
            factors: Factors::new(body),
            jacobian: vec![0.0; max_rows * n],
            response: vec![0.0; max_rows * n],
            lower: vec![0.0; max_rows * max_rows],
            max_rows,
        }
    }

    /// Rows of the contacts held.
    #[must_use]
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// H in this pose.
    #[must_use]
    pub fn mass_matrix(&self) -> &MassMatrix {
        &self.h
    }

    /// One row of `J_c`.
    #[must_use]
    pub fn jacobian_row(&self, row: usize) -> &[f64] {
        let n = self.h.size();
        &self.jacobian[row * n..(row + 1) * n]
    }

    /// Solves the system above: `x` holds `b` and gets the motion, `lambda` holds `w` and gets the contact forces.
    ///
    /// # Panics
    /// If `x` is not one per degree of freedom or `lambda` shorter than [`Held::num_rows`].
    pub fn solve(&self, x: &mut [f64], lambda: &mut [f64]) {
        let n = self.h.size();
        assert!(x.len() == n && lambda.len() >= self.num_rows, "room for the motion and the contact forces");
        self.factors.solve(x);
        let lambda = &mut lambda[..self.num_rows];
        for (row, l) in self.jacobian.chunks_exact(n).zip(lambda.iter_mut()) {
            *l -= dot(row, x);
        }
        self.solve_lower(lambda);
        for (row, l) in self.response.chunks_exact(n).zip(lambda.iter()) {
            subtract(x, -l, row);
        }
    }

    /// A = L Lᵀ, row by row, leaving out rows that depend on earlier ones.
    fn factor_contacts(&mut self) {
        let (n, m, rows) = (self.h.size(), self.max_rows, self.num_rows);
        for i in 0..rows {
            let row = &self.jacobian[i * n..(i + 1) * n];
            let mut left = 0.0;
            let whole = dot(row, &self.response[i * n..(i + 1) * n]);
            for j in 0..i {
                let pivot = self.lower[j * m + j];
                let value = if pivot == 0.0 {
                    0.0
                } else {
                    let a = dot(row, &self.response[j * n..(j + 1) * n]);
                    (a - dot(&self.lower[i * m..i * m + j], &self.lower[j * m..j * m + j])) / pivot
                };
                self.lower[i * m + j] = value;
                left += value * value;
            }
            let rest = whole - left;
            self.lower[i * m + i] = if rest > DEPENDENT * whole { rest.sqrt() } else { 0.0 };
        }
    }

    fn solve_lower(&self, b: &mut [f64]) {
        let m = self.max_rows;
        for i in 0..b.len() {
            let pivot = self.lower[i * m + i];
            let x = b[i] - dot(&self.lower[i * m..i * m + i], &b[..i]);
            b[i] = if pivot == 0.0 { 0.0 } else { x / pivot };
        }
        for i in (0..b.len()).rev() {
            let pivot = self.lower[i * m + i];
            if pivot == 0.0 {
                b[i] = 0.0;
                continue;
            }
            b[i] /= pivot;
            let x = b[i];
            subtract(&mut b[..i], x, &self.lower[i * m..i * m + i]);
        }
    }
}

/// Places and factors `body` held at `contacts`.
///
/// # Errors
/// When the contacts have more rows than `held` has room for.
pub fn hold_into(
    body: &Body,
    state: &BodyState,
    contacts: &[Contact],
    workspace: &mut Workspace,
    held: &mut Held,
) -> Result<(), TooManyContacts> {
    let n = body.num_dofs();
    let rows = contacts.iter().map(Contact::num_rows).sum();
    if rows > held.max_rows {
        return Err(TooManyContacts { rows, max: held.max_rows });
    }
    crba_into(body, state, workspace, &mut held.h);
    held.factors.factor(&held.h);
    held.num_rows = rows;
    let kinematics = workspace.kinematics();
    let mut row = 0;
    for contact in contacts {
        let out = &mut held.jacobian[row * n..];
        match contact.hold {
            Hold::Point => point_jacobian_into(body, kinematics, contact.link, contact.point, out),
            Hold::Link => link_jacobian_into(body, kinematics, contact.link, contact.point, out),
        }
        row += contact.num_rows();
    }
    held.response[..rows * n].copy_from_slice(&held.jacobian[..rows * n]);
    for row in held.response[..rows * n].chunks_exact_mut(n) {
        held.factors.solve(row);
    }
    held.factor_contacts();
    Ok(())
}
