//! The three parts of the body that correct, in their order: arms, back, lower body.
//!
//! Arms and back have their joints' own accelerations as unknowns. The lower body has the pelvis' six, and the legs follow
//! so that planted feet stay, J_c Δq̈ = 0, by the smallest motion in the metric of H: z = e − H⁻¹ J_cᵀ A⁻¹ J_c e. This is never
//! larger than e itself, also where straight knees leave the pelvis no way up.

use ugoki_base::skeleton::Role;

use super::complementarity::Boxed;
use super::lcp_dense::Dense;
use super::rows::Rows;
use crate::dynamics::{Body, Factors, MassMatrix};

/// Most unknowns of a part.
pub(super) const MAX_UNKNOWNS: usize = 8;

/// A part of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Arms,
    Back,
    Lower,
}

/// In the order of use.
pub(super) const PARTS: [Part; 3] = [Part::Arms, Part::Back, Part::Lower];

/// Bounds of the pelvis' own acceleration, m/s² and rad/s²: half of gravity; the trunk above is turned last.
const PELVIS_LINEAR: f64 = 5.0;
const PELVIS_ANGULAR: f64 = 5.0;

/// Which degrees of freedom belong to which part.
#[derive(Debug, Clone)]
pub(super) struct Members {
    pub(super) arms: Vec<usize>,
    pub(super) back: Vec<usize>,
    pub(super) legs: Vec<usize>,
    /// Degrees of freedom above the pelvis.
    pub(super) stiff: Vec<usize>,
    /// Whether each link belongs to an arm.
    pub(super) is_arm: Vec<bool>,
    /// Links of each part.
    pub(super) arm_links: Vec<usize>,
    pub(super) back_links: Vec<usize>,
    pub(super) leg_links: Vec<usize>,
}

impl Members {
    pub(super) fn new(body: &Body) -> Self {
        let links = |roles: &[Role]| -> Vec<usize> { roles.iter().filter_map(|&r| body.find(r)).collect() };
        let arm_links =
            links(&[Role::LeftUpperArm, Role::LeftLowerArm, Role::RightUpperArm, Role::RightLowerArm]);
        let back_links = links(&[Role::Spine]);
        let leg_links = links(&[
            Role::LeftUpperLeg,
            Role::LeftLowerLeg,
            Role::LeftFoot,
            Role::LeftToes,
            Role::RightUpperLeg,
            Role::RightLowerLeg,
            Role::RightFoot,
            Role::RightToes,
        ]);
        let dofs =
            |links: &[usize]| -> Vec<usize> { links.iter().flat_map(|&l| body.link(l).dofs()).collect() };
        let legs: Vec<usize> = dofs(&leg_links);
        Self {
            is_arm: (0..body.links().len()).map(|l| arm_links.contains(&l)).collect(),
            stiff: (6..body.num_dofs()).filter(|dof| !legs.contains(dof)).collect(),
            arms: dofs(&arm_links),
            back: dofs(&back_links),
            legs,
            arm_links,
            back_links,
            leg_links,
        }
    }

    /// Whether a link's joint belongs to `part`.
    pub(super) fn is_of(&self, part: Part, link: usize) -> bool {
        let links = match part {
            Part::Arms => &self.arm_links,
            Part::Back => &self.back_links,
            Part::Lower => &self.leg_links,
        };
        links.contains(&link)
    }
}

/// The unknowns of one part as motions of the whole body.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    n: usize,
    pub(super) len: usize,
    /// The degree of freedom that each unknown accelerates, where it is one alone.
    alone: Option<[usize; MAX_UNKNOWNS]>,
    /// Motions, one row of degrees of freedom per unknown.
    z: Vec<f64>,
    /// H times each.
    hz: Vec<f64>,
    /// Greatest size of each unknown.
    pub(super) reach: [f64; MAX_UNKNOWNS],
    right: Vec<f64>,
}

impl Basis {
    pub(super) fn new(body: &Body) -> Self {
        let n = body.num_dofs();
        Self {
            n,
            len: 0,
            alone: None,
            z: vec![0.0; MAX_UNKNOWNS * n],
            hz: vec![0.0; MAX_UNKNOWNS * n],
            reach: [0.0; MAX_UNKNOWNS],
            right: vec![0.0; super::rows::MAX_ROWS],
        }
    }

    pub(super) fn z(&self, k: usize) -> &[f64] {
        &self.z[k * self.n..(k + 1) * self.n]
    }

    pub(super) fn z_mut(&mut self, k: usize) -> &mut [f64] {
        self.alone = None;
        &mut self.z[k * self.n..(k + 1) * self.n]
    }

    pub(super) fn hz(&self, k: usize) -> &[f64] {
        &self.hz[k * self.n..(k + 1) * self.n]
    }

    /// Sets up `part`; `reach` is the greatest acceleration of each degree of freedom.
    pub(super) fn fill(
        &mut self,
        part: Part,
        members: &Members,
        rows: &Rows,
        factors: &Factors,
        problem: &mut Boxed<Dense>,
        reach: &[f64],
    ) {
        let n = self.n;
        let dofs = match part {
            Part::Arms => &members.arms[..],
            Part::Back => &members.back[..],
            Part::Lower => &[],
        };
        if part == Part::Lower {
            self.len = 6;
            self.alone = None;
            self.z[..6 * n].fill(0.0);
            self.follow(members, rows, factors, problem);
            for k in 0..6 {
                self.reach[k] = if k < 3 { PELVIS_LINEAR } else { PELVIS_ANGULAR };
            }
        } else {
            self.len = dofs.len().min(MAX_UNKNOWNS);
            let mut alone = [0; MAX_UNKNOWNS];
            alone[..self.len].copy_from_slice(&dofs[..self.len]);
            self.alone = Some(alone);
            for (k, &dof) in dofs[..self.len].iter().enumerate() {
                self.z[k * n..(k + 1) * n].fill(0.0);
                self.z[k * n + dof] = 1.0;
                self.reach[k] = reach[dof];
            }
        }
    }

    /// H z of every unknown at the root: the ground's forces and moments.
    pub(super) fn weigh_root(&mut self, h: &MassMatrix) {
        let n = self.n;
        for k in 0..self.len {
            let out = &mut self.hz[k * n..k * n + 6];
            match self.alone {
                Some(alone) => out.copy_from_slice(&h.lower_row(alone[k])[..6]),
                None => out.copy_from_slice(&h.multiply_root(&self.z[k * n..(k + 1) * n])),
            }
        }
    }

    /// H z of one unknown.
    pub(super) fn weigh_into(&self, k: usize, h: &MassMatrix, out: &mut [f64]) {
        match self.alone {
            Some(alone) => out.iter_mut().enumerate().for_each(|(dof, out)| *out = h.at(dof, alone[k])),
            None => h.multiply_into(self.z(k), out),
        }
    }

    /// The pelvis' six motions, brought to what planted feet allow in the metric of H; arms, back and head stay stiff.
    ///
    /// `problem` holds A factored for the rows that hold, as `Simulation::hold` leaves it.
    fn follow(&mut self, members: &Members, rows: &Rows, factors: &Factors, problem: &mut Boxed<Dense>) {
        let held = rows.list.iter().any(super::rows::Row::holds);
        let n = self.n;
        for k in 0..6 {
            let z = &mut self.z[k * n..(k + 1) * n];
            if !held {
                z[k] = 1.0;
                continue;
            }
            for (i, row) in rows.list.iter().enumerate() {
                self.right[i] = if row.holds() { -rows.jacobian(i)[k] } else { 0.0 };
            }
            problem.solve_held(&mut self.right);
            rows.add_force(&self.right, z);
            factors.solve(z);
            z[k] += 1.0;
            for &dof in &members.stiff {
                z[dof] = 0.0;
            }
        }
    }

    /// Adds Σ xₖ zₖ to `qdd`.
    pub(super) fn add(&self, x: &[f64], qdd: &mut [f64]) {
        for (k, &x) in x[..self.len].iter().enumerate() {
            if x != 0.0 {
                for (q, z) in qdd.iter_mut().zip(self.z(k)) {
                    *q += x * z;
                }
            }
        }
    }
}

/// Solves the symmetric positive system `m x = r` of `n` unknowns in place; rows have stride [`MAX_UNKNOWNS`].
pub(super) fn solve_small(m: &mut [f64], r: &mut [f64], n: usize) {
    const S: usize = MAX_UNKNOWNS;
    for i in 0..n {
        for j in 0..=i {
            let mut sum = m[i * S + j];
            for k in 0..j {
                sum -= m[i * S + k] * m[j * S + k];
            }
            m[i * S + j] = if i == j { sum.max(1e-300).sqrt() } else { sum / m[j * S + j] };
        }
    }
    for i in 0..n {
        for k in 0..i {
            r[i] -= m[i * S + k] * r[k];
        }
        r[i] /= m[i * S + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            r[i] -= m[k * S + i] * r[k];
        }
        r[i] /= m[i * S + i];
    }
}
