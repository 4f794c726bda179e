//! The world other than the floor. Its simulator is called once per step with the poses of the body's links and returns
//! impulses.

use glam::DVec3;

use super::blocks::Block;
use super::complementarity::Place;
use super::config::MAX_IMPULSE_N_S;
use super::memory::Memory;
use super::state::{Motion, Observation, Plan, Setup};
use crate::dynamics::{Kinematics, PointForce, add_generalized, direction_row_into, dot};

/// A sole is inside what reaches this far above it, m: captured soles are not on their ground to the millimetre.
const INSIDE_M: f64 = 0.01;

/// Called once a step, after the body was placed and before it moves.
pub type Environment<'a> = &'a mut dyn FnMut(&mut Touch<'_>);

/// The body as the world meets it in one step.
pub struct Touch<'a> {
    pub(super) setup: &'a Setup,
    pub(super) motion: &'a mut Motion,
    pub(super) memory: &'a mut Memory,
    pub(super) seen: &'a mut Observation,
    pub(super) plan: &'a mut Plan,
}

/// A link as a capsule, world, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    /// One end of its axis.
    pub start: DVec3,
    /// The other.
    pub end: DVec3,
    /// Its radius.
    pub radius: f64,
}

impl Touch<'_> {
    /// Seconds of this step.
    #[must_use]
    pub fn step_s(&self) -> f64 {
        self.setup.target.dt
    }

    /// Seconds from the clip's first row.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.motion.time_s(&self.setup.target)
    }

    /// How many links there are.
    #[must_use]
    pub fn num_links(&self) -> usize {
        self.setup.body.links().len()
    }

    /// All links in the world, with their velocities before this step.
    #[must_use]
    pub fn links(&self) -> &Kinematics {
        self.seen.workspace.kinematics()
    }

    /// A link as a capsule.
    #[must_use]
    pub fn capsule(&self, link: usize) -> Capsule {
        let l = self.setup.body.link(link);
        let pose = self.links().link(link);
        Capsule { start: pose.position, end: pose.point(l.end), radius: l.radius }
    }

    /// The hand that a forearm carries, from the wrist to the tip of its longest finger; none for other links.
    #[must_use]
    pub fn hand(&self, link: usize) -> Option<Capsule> {
        let tips = &self.setup.target.tips;
        let longest =
            |bump: &&super::soles::Bump| bump.link == link && bump.tip.is_some_and(|tip| tips[tip].longest);
        let tip = self.seen.bumps.iter().find(longest)?;
        let pose = self.links().link(link);
        let start = pose.point(self.setup.body.link(link).end);
        Some(Capsule { start, end: pose.point(tip.point), radius: super::hands::HAND_M })
    }

    /// Velocity of the point of `link` at world position `at`, m/s, before this step's impulses.
    #[must_use]
    pub fn velocity(&self, link: usize, at: DVec3) -> DVec3 {
        let pose = self.links().link(link);
        pose.velocity.shifted(at - pose.position).lin
    }

    /// The mass, kg, that a blow along unit `normal` at world position `at` of `link` meets, planted feet held.
    ///
    /// 1 / (nᵀ J (H⁻¹ − H⁻¹ J_cᵀ A⁻¹ J_c H⁻¹) Jᵀ n); infinite where the feet leave no motion that way.
    #[must_use]
    pub fn effective_mass(&mut self, link: usize, at: DVec3, normal: DVec3) -> f64 {
        self.masses(link, at, normal)[0]
    }

    /// The mass, kg, that a blow meets with planted feet held, and with feet that nothing holds: 1 / (nᵀ J H⁻¹ Jᵀ n).
    pub(super) fn masses(&mut self, link: usize, at: DVec3, normal: DVec3) -> [f64; 2] {
        let body = &self.setup.body;
        let Observation { workspace, factors, rows, problem, .. } = &mut *self.seen;
        let Plan { qdd, scratch, row_scratch, .. } = &mut *self.plan;
        direction_row_into(body, workspace.kinematics(), link, at, normal, qdd);
        scratch.copy_from_slice(qdd);
        factors.solve(scratch);
        let free = dot(qdd, scratch);
        for (i, row) in rows.list.iter().enumerate() {
            problem.place[i] = if row.holds() { Place::Free } else { Place::Low };
            row_scratch[i] = dot(rows.jacobian(i), scratch);
        }
        let mut held = 0.0;
        if problem.factor_free() {
            let (right, answer) = row_scratch.split_at_mut(super::rows::MAX_ROWS);
            answer[..rows.len()].copy_from_slice(&right[..rows.len()]);
            problem.solve_held(answer);
            held = dot(&right[..rows.len()], &answer[..rows.len()]);
        }
        let speed = free - held;
        // 1e-9 of the free answer is rounding.
        [if speed > 1e-9 * free { 1.0 / speed } else { f64::INFINITY }, 1.0 / free]
    }

    /// For a lower leg of whose sole a corner is `inside` something: whether the foot is planted.
    pub(super) fn foot_in(&self, link: usize, inside: impl Fn(DVec3) -> bool) -> Option<bool> {
        let body = &self.setup.body;
        let side = body.feet().iter().position(|foot| body.link(foot.foot).parent == Some(link))?;
        let place = |corner: &super::soles::Corner| self.links().link(corner.link).point(corner.point);
        let mut corners = self.setup.target.soles[side].corners.iter();
        corners
            .any(|corner| inside(place(corner) + DVec3::Y * INSIDE_M))
            .then_some(self.motion.anchors[side].set)
    }

    /// Adds a fixed box that feet may stand on from the next step on; a box that is not level is ignored.
    pub fn add_block(&mut self, block: Block) {
        if block.is_level() {
            self.motion.blocks.push(block);
        }
    }

    /// Hits `link` at world position `at` with `impulse`, N·s, in this step; bounded as by
    /// [`super::Simulation::apply_impulse`].
    pub fn push(&mut self, link: usize, at: DVec3, impulse: DVec3) {
        if link < self.num_links() && at.is_finite() {
            let pose = self.links().link(link);
            let point = pose.matrix.transpose() * (at - pose.position);
            self.strike(link, point, impulse);
        }
    }

    /// Hits `link` at `point` (link frame) with `impulse`, the links placed already.
    pub(super) fn strike(&mut self, link: usize, point: DVec3, impulse: DVec3) {
        if link >= self.num_links() || !(point.is_finite() && impulse.is_finite()) {
            return;
        }
        self.motion.disturbed |= impulse != DVec3::ZERO;
        self.memory.was_struck |= impulse != DVec3::ZERO;
        let impulse = impulse.clamp_length_max(MAX_IMPULSE_N_S);
        self.memory.foresight.news_n_s += impulse.length();
        let force = PointForce::new(link, point, impulse);
        add_generalized(&self.setup.body, self.seen.workspace.kinematics(), &[force], &mut self.motion.blow);
    }
}
