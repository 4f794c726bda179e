//! Where swinging feet come down, and steps that the target does not have.
//!
//! The extrapolated centre of mass ξ = c + ċ/ω, ω² = g/h, runs away from the zero-moment point: ξ̇ = ω (ξ − p)
//! \[hof2008\]. Against the target's own it is off by δ, and until a foot comes down after T seconds δ grows to Δp + (δ
//! − Δp) e^{ωT}, where Δp is what the standing foot can move the ZMP by. A foot that lands displaced by just this finds
//! the body above it as the target has it: from there on the motion is the target's again, only elsewhere.
//!
//! A foot that the target swings is led there. When the target stands and ξ leaves the support polygon, the foot
//! farther from ξ makes a step of its own; once both feet stand and are displaced differently, the one behind follows.

use glam::{DQuat, DVec2, DVec3};
use ugoki_base::math::{angle_between64, log64};
use ugoki_base::skeleton::Role;

use super::blocks::rise;
use super::bounds::soften_range;
use super::controller::Controller;
use super::ground::{Anchor, bearing};
use super::memory::{Care, STEP_S, Swing};
use super::parts::{MAX_UNKNOWNS, solve_small};
use super::rows::{Kind, Rows};
use super::target::flat;
use crate::dynamics::{Centroid, SupportPolygon, centroid, kinematics_into, vec3_at};

/// How high it lifts the foot, m.
const LIFT_M: f64 = 0.06;
/// Both feet stand at least this long between two such steps, s.
const STAND_S: f64 = 0.05;
/// ξ may be this much farther outside the support than the target's own, m, before a step is made.
const OUT_M: f64 = 0.01;
/// The same where one leg could hardly bear the body, as in a deep squat.
const FAR_OUT_M: f64 = 0.05;
/// Fraction of a leg's strength that may go into bearing the body alone; keeping the pelvis level takes, by
/// estimate, 80 % of a hip's in another direction.
const ONE_LEG: f64 = 0.6;
const LEGS: [Role; 4] = [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::RightUpperLeg, Role::RightLowerLeg];
/// How far ahead it counts that one leg will not bear the body, s: two steps, and a pause of as long between them.
const DEPTH_S: f64 = 1.0;
/// A foot follows the other when ξ is this near to the other's sole, m: farther, lifting it would be a fall.
const NEAR_M: f64 = 0.03;
/// Feet displaced against each other by more than this, m, come together again.
const APART_M: f64 = 0.04;
/// Feet stay this far apart sideways, m, so that legs do not cross.
const WIDTH_M: f64 = 0.12;
/// Longest step, as a fraction of the stature.
const LONGEST: f64 = 0.4;
/// Feet that land within this time are led, s: about a swing of slow walking.
const AHEAD_S: f64 = 0.6;
/// Times within which the foot's way is corrected, s.
const LEAD_S: [f64; 2] = [0.1, 0.4];
/// Greatest acceleration wanted of a foot, m/s²: five times gravity.
const MAX_FOOT: f64 = 50.0;
/// Lever that makes turns of the foot count like its ways, m, and the damping of the leg's solution: less than a fifth
/// of a bent leg's answer, so that a straight one does not whip.
const TURN_LEVER: f64 = 0.3;
const DAMPING: f64 = 0.01;
/// A late foot is sought below the ground at this speed, m/s, down to this depth, m.
const SEEK_SPEED: f64 = 0.4;
const SEEK_M: f64 = 0.06;
/// Metres of ξ outside the support that a metre of the foot's way is worth.
const WAY_COST: f64 = 0.1;
/// Seconds after which a foot that found no ground is led no more.
const LATE_S: f64 = 0.3;

/// Where a body that follows its target well is: pelvis and ξ within these of the target's.
struct Near {
    place_m: f64,
    turn_rad: f64,
    xi_m: f64,
}

/// 1 cm, 2°, and for ξ, which speed moves too, 1.5 cm: what a load carried well makes of a walk.
const NEAR: Near = Near { place_m: 0.01, turn_rad: 0.035, xi_m: 0.015 };

/// Body and target as pendulums, seen from one anchor.
struct Pendulum {
    omega: f64,
    /// ξ of the body and of the target, and the target's ZMP.
    xi: DVec2,
    target_xi: DVec2,
    target_zmp: DVec2,
}

impl Pendulum {
    /// How far ξ will be off the target's after `seconds` on a foot with this sole.
    fn ahead(&self, sole: &SupportPolygon, seconds: f64) -> DVec2 {
        let delta = self.xi - self.target_xi;
        let best = sole.nearest(self.target_zmp + delta).unwrap_or(self.target_zmp);
        let shift = best - self.target_zmp;
        shift + (delta - shift) * (self.omega * seconds).exp()
    }
}

/// The velocity of the centre of mass that would have the spin's moment of momentum about the ground.
fn lean(centroid: &Centroid, height: f64) -> DVec3 {
    let l = DVec3::new(centroid.angular_momentum.x, 0.0, centroid.angular_momentum.z);
    l.cross(DVec3::Y) / (centroid.mass * height.max(0.3))
}

/// The hull of what carries of one foot.
fn sole(rows: &Rows, foot: usize) -> SupportPolygon {
    let of_foot = rows
        .list
        .iter()
        .filter(|row| row.carries && row.kind == Kind::Normal && rows.groups[row.group].foot == Some(foot));
    SupportPolygon::hull(of_foot.map(|row| flat(row.bears)))
}

impl Controller<'_> {
    /// Whether a foot makes a step that the target does not have.
    pub(super) fn steps_out(&self) -> bool {
        self.memory.steps.swing.iter().any(|swing| swing.own)
    }

    /// Whether a foot is coming down or could: a body on one leg has nothing to be caught by.
    pub(super) fn may_be_caught(&self) -> bool {
        self.memory.steps.swing.iter().any(|swing| swing.led)
            || self.setup.target.schedule[self.motion.step].iter().all(|&parts| parts != 0)
    }

    /// Seconds until the target plants (`true`) or lifts the foot; at most `most`.
    fn until(&self, foot: usize, plants: bool, most: f64) -> f64 {
        let dt = self.setup.target.dt;
        let ahead = self.setup.target.schedule[self.motion.step..].iter().take((most / dt) as usize);
        let count = ahead.take_while(|parts| (parts[foot] != 0) != plants).count();
        if self.motion.step + count >= self.setup.target.schedule.len() {
            most.min(STEP_S)
        } else {
            (count as f64 * dt).min(most)
        }
    }

    fn pendulum(&self, seen: &Anchor, here: &Centroid, there: &Centroid) -> Pendulum {
        let floor = self.setup.target.floor.height_at(here.com.x, here.com.z);
        let g = self.setup.body.gravity().length();
        let omega = (g / (there.com.y - floor).max(0.3)).sqrt();
        let place = seen.place(there.com);
        let rate = seen.turn * there.velocity;
        let target_xi = flat(place + (rate + seen.turn * lean(there, there.com.y - floor)) / omega);
        let zmp = self.setup.target.zmp[self.motion.step];
        let target_zmp = flat(seen.place(DVec3::new(zmp.x, 0.0, zmp.y)));
        Pendulum {
            omega,
            xi: flat(here.com + (here.velocity + lean(here, here.com.y - floor)) / omega),
            target_xi,
            target_zmp,
        }
    }

    /// Decides which feet are led and where to.
    pub(super) fn lead_feet(&mut self) {
        self.seen.target_state.qd.copy_from_slice(self.setup.target.qd(self.motion.step));
        kinematics_into(&self.setup.body, &self.seen.target_state, &mut self.seen.target_now);
        let here = centroid(&self.setup.body, self.seen.workspace.kinematics());
        let there = centroid(&self.setup.body, &self.seen.target_now);
        let all = self.care_now() == Care::All;
        self.memory.astray = if all { self.how_far_astray(&here, &there) } else { 0.0 };
        let planted = self.setup.target.schedule[self.motion.step];
        let dt = self.setup.target.dt;
        for foot in 0..2 {
            let landing = self.until(foot, true, 1.0);
            let swing = &mut self.memory.steps.swing[foot];
            if swing.own {
                swing.left_s -= dt;
                let down = swing.left_s <= 0.0 && self.motion.anchors[foot].set;
                if down || swing.left_s < -LATE_S {
                    *swing = Swing::default();
                }
            } else if planted[foot] == 0 {
                // A foot held up for long is not on its way to the ground.
                swing.led = landing < AHEAD_S;
                swing.left_s = landing;
            } else if swing.led {
                swing.left_s = swing.left_s.min(0.0) - dt;
                if self.motion.anchors[foot].set || swing.left_s < -LATE_S {
                    *swing = Swing::default();
                }
            }
        }
        let standing = (0..2).all(|foot| {
            planted[foot] != 0 && self.motion.anchors[foot].set && !self.memory.steps.swing[foot].led
        });
        self.memory.steps.stood_s = if standing { self.memory.steps.stood_s + dt } else { 0.0 };
        if all && standing && self.memory.steps.stood_s > STAND_S {
            self.maybe_step(&here, &there);
        }
        for foot in 0..2 {
            let stance = 1 - foot;
            let swing = self.memory.steps.swing[foot];
            // Near the end the place is settled, and without a standing foot there is nothing to judge from.
            if swing.led && self.motion.anchors[stance].set && swing.left_s > 0.5 * LEAD_S[0] {
                let pendulum = self.pendulum(&self.motion.anchors[stance], &here, &there);
                let off = pendulum.ahead(&sole(&self.seen.rows, stance), swing.left_s);
                self.memory.steps.swing[foot].goal = self.within_reach(foot, off * self.memory.answer.reach);
            }
        }
    }

    /// Whether pelvis and ξ were near the target's as the last step began, on which control acted.
    pub(super) fn is_where_the_target_is(&self) -> bool {
        let here = centroid(&self.setup.body, self.seen.workspace.kinematics());
        let there = centroid(&self.setup.body, &self.seen.target_now);
        self.how_far_astray(&here, &there) == 0.0
    }

    /// How far the body is from where and how the target has it: 0 within the bounds of [`NEAR`], 1 at twice as far.
    fn how_far_astray(&self, here: &Centroid, there: &Centroid) -> f64 {
        let (pelvis, goal) = (self.seen.workspace.kinematics().link(0), self.seen.target_now.link(0));
        let place = pelvis.position.distance(self.motion.frame.place(goal.position));
        let turn = angle_between64(pelvis.rotation, self.motion.frame.turn * goal.rotation);
        let pendulum = self.pendulum(&self.motion.frame, here, there);
        let xi = pendulum.xi.distance(pendulum.target_xi);
        let (hull, _) = bearing(&self.seen.rows, pendulum.target_zmp, 0.0);
        let out = -hull.margin(pendulum.xi) - (-hull.margin(pendulum.target_xi)).max(0.0);
        let out = if out.is_finite() { out } else { 0.0 };
        let far = [place / NEAR.place_m, turn / NEAR.turn_rad, xi / NEAR.xi_m, out / OUT_M];
        (far.into_iter().fold(0.0, f64::max) - 1.0).clamp(0.0, 1.0)
    }

    /// The displacement nearest to `off` with which legs neither cross nor extend too far.
    fn within_reach(&self, foot: usize, off: DVec2) -> DVec2 {
        let stance = &self.motion.anchors[1 - foot];
        let feet = self.setup.body.feet();
        let at = |side: usize| stance.turn * self.seen.target_now.link(feet[side].foot).position;
        let apart = flat(at(foot) - at(1 - foot));
        let side = stance.turn * (self.seen.target_now.link(0).matrix * DVec3::X);
        let side = flat(side).normalize_or(DVec2::X) * if foot == 0 { 1.0 } else { -1.0 };
        let mut goal = apart + off;
        // In a walk feet pass each other and may come down in one line; legs still do not cross.
        let width = if self.memory.steps.swing[foot].own { WIDTH_M } else { 0.0 };
        let narrow = width.min(apart.dot(side)) - goal.dot(side);
        if narrow > 0.0 {
            goal += side * narrow;
        }
        goal.clamp_length_max(LONGEST * self.setup.body.stature()) - apart
    }

    /// Begins a step where standing does not do, or where feet stand apart.
    fn maybe_step(&mut self, here: &Centroid, there: &Centroid) {
        let step_s = self.memory.answer.step_s;
        if (0..2).any(|foot| self.until(foot, false, step_s + 0.1) < step_s) {
            return;
        }
        let pendulum = self.pendulum(&self.motion.frame, here, there);
        let (hull, _) = bearing(&self.seen.rows, pendulum.target_zmp, 0.0);
        let out = -hull.margin(pendulum.xi) - (-hull.margin(pendulum.target_xi)).max(0.0);
        let soles = [sole(&self.seen.rows, 0), sole(&self.seen.rows, 1)];
        let far = |foot: usize| -soles[foot].margin(pendulum.xi);
        let apart = flat(self.motion.anchors[0].shift - self.motion.anchors[1].shift).length();
        let restore = apart > APART_M && far(0).min(far(1)) < NEAR_M;
        let bears = self.one_leg_bears(STEP_S);
        // At the very edge ξ hardly moves, ξ̇ = ω (ξ − p), and a body that waits there while the target goes down must
        // step from the depth.
        let most = match (bears, self.one_leg_bears(DEPTH_S)) {
            (true, true) => OUT_M,
            (true, false) => 0.0,
            (false, _) => FAR_OUT_M,
        };
        let first = self.memory.answer.first.take();
        if first.is_none() && out <= most && !(bears && restore) {
            return;
        }
        let costs = [0, 1].map(|foot| self.cost_of_step(foot, &soles, here, there));
        let foot = first.unwrap_or(usize::from(costs[1] < costs[0]));
        self.memory.steps.swing[foot] =
            Swing { led: true, own: true, whole_s: step_s, left_s: step_s, goal: DVec2::ZERO };
    }

    /// Whether one leg can bear what the target asks of two until `seconds` from now, and keep the pelvis level
    /// besides.
    fn one_leg_bears(&self, seconds: f64) -> bool {
        let apart = (STEP_S / self.setup.target.dt) as usize;
        // The target's loads are the bare body's.
        let carried = self.setup.body.mass() / self.setup.target.body.mass();
        let end =
            (self.motion.step + (seconds / self.setup.target.dt) as usize).min(self.setup.target.num_steps);
        (self.motion.step..end).step_by(apart.max(1)).chain([end]).all(|step| {
            let loads = self.setup.target.load(step).iter().zip(self.setup.body.links());
            let legs = loads.filter(|(_, link)| LEGS.contains(&link.role));
            legs.map(|(load, _)| 2.0 * carried * load).fold(0.0, f64::max) < ONE_LEG
        })
    }

    /// How far ξ will be from the support after a step of `foot`, m, and a little for the way of the foot.
    fn cost_of_step(
        &self,
        foot: usize,
        soles: &[SupportPolygon; 2],
        here: &Centroid,
        there: &Centroid,
    ) -> f64 {
        let stance = 1 - foot;
        let pendulum = self.pendulum(&self.motion.anchors[stance], here, there);
        let off = pendulum.ahead(&soles[stance], self.memory.answer.step_s);
        let goal = self.within_reach(foot, off * self.memory.answer.reach);
        let link = self.setup.body.feet()[foot].foot;
        let place = self.motion.anchors[stance].place(self.seen.target_now.link(link).position);
        let way = flat(place) + goal - flat(self.seen.workspace.kinematics().link(link).position);
        let landed = soles[foot].corners().iter().map(|corner| *corner + way);
        let hull = SupportPolygon::hull(soles[stance].corners().iter().copied().chain(landed));
        (-hull.margin(pendulum.target_xi + off)).max(0.0) + WAY_COST * way.length()
    }

    /// Changes the legs' accelerations so that led feet go where they are led.
    pub(super) fn swing_legs(&mut self) {
        for foot in 0..2 {
            let swing = self.memory.steps.swing[foot];
            // A foot that the target swings needs no leading while the body is where it should be.
            let weight = if swing.own { 1.0 } else { self.memory.astray };
            if swing.led && weight > 0.0 && !self.motion.fall.is_falling() {
                self.swing_leg(foot, &swing, weight);
            }
        }
    }

    /// How much higher than the standing foot's the ground is where a led foot comes down, against what the target has
    /// there, m.
    fn level_at(&self, foot: usize, swing: &Swing, stance: &Anchor) -> f64 {
        if self.motion.blocks.is_empty() {
            return 0.0;
        }
        let sole = self.setup.target.soles[foot].middle(&self.seen.target_now);
        let place = stance.place(sole) + DVec3::new(swing.goal.x, 0.0, swing.goal.y);
        rise(&self.motion.blocks, &self.setup.target.floor, place, sole) - stance.shift.y
    }

    fn swing_leg(&mut self, foot: usize, swing: &Swing, weight: f64) {
        let stance =
            if self.motion.anchors[1 - foot].set { self.motion.anchors[1 - foot] } else { self.motion.frame };
        let link = self.setup.body.feet()[foot].foot;
        let (now, goal) = (*self.seen.workspace.kinematics().link(link), *self.seen.target_now.link(link));
        // How the foot is off where the target has it, and what the cubic to its goal asks for.
        let off = now.position - stance.place(goal.position);
        let rate = now.velocity.lin - stance.turn * goal.velocity.lin;
        let t = swing.left_s.clamp(LEAD_S[0], LEAD_S[1]);
        let mut wanted = DVec3::new(swing.goal.x - off.x, 0.0, swing.goal.y - off.z) * (6.0 / (t * t))
            - DVec3::new(rate.x, 0.0, rate.z) * (4.0 / t);
        let (height, climb, bend) = lift(swing);
        let height = height + self.level_at(foot, swing, &stance);
        let t = LEAD_S[0];
        wanted.y = bend + (height - off.y) * (6.0 / (t * t)) + (climb - rate.y) * (4.0 / t);
        let wanted = wanted.clamp_length_max(MAX_FOOT);
        let turned: DQuat = stance.turn * goal.rotation;
        let phi = now.rotation * log64(now.rotation.conjugate() * turned);
        let t = LEAD_S[0].max(0.15);
        let spin = phi * (6.0 / (t * t)) - (now.velocity.ang - stance.turn * goal.velocity.ang) * (4.0 / t);
        self.solve_leg(link, now.position, wanted, spin.clamp_length_max(MAX_FOOT / TURN_LEVER), weight);
    }

    /// The smallest change of the leg's accelerations with which its foot accelerates by `linear` and `spin` against
    /// the target's.
    fn solve_leg(&mut self, foot: usize, at: DVec3, linear: DVec3, spin: DVec3, weight: f64) {
        let own = |dof: usize| {
            (self.setup.target.qd(self.motion.step + 1)[dof] - self.setup.target.qd(self.motion.step)[dof])
                / self.setup.target.dt
        };
        // The pelvis carries the foot along; what it and the leg do otherwise than the target's is to be made up for.
        let root = self.seen.workspace.kinematics().link(0);
        let root_linear =
            vec3_at(&self.plan.qdd, 0) - self.motion.frame.turn * DVec3::new(own(0), own(1), own(2));
        let root_spin = root.matrix * (vec3_at(&self.plan.qdd, 3) - DVec3::new(own(3), own(4), own(5)));
        let mut leg = Leg::new(self, foot, at);
        let carried = root_linear + root_spin.cross(at - root.position);
        let mut right = [DVec3::ZERO; 2];
        right[0] = linear - carried;
        right[1] = spin - root_spin;
        for (column, &dof) in leg.columns[..leg.count].iter().zip(&leg.dofs) {
            let base = self.plan.qdd[dof] - own(dof);
            right[0] -= column[0] * base;
            right[1] -= column[1] * base;
        }
        leg.solve(right[0], right[1]);
        for (&x, &dof) in leg.answer[..leg.count].iter().zip(&leg.dofs) {
            self.plan.qdd[dof] += weight * x;
        }
        let mut link = Some(foot);
        while let Some(index) = link.filter(|&index| index != 0) {
            soften_range(self.setup.body.link(index), &self.motion.state, &mut self.plan.qdd);
            link = self.setup.body.link(index).parent;
        }
    }

    /// What the legs do so that both feet stay while the pelvis accelerates by `along`, into `out`.
    pub(super) fn carry_pelvis_into(&self, along: DVec3, out: &mut [f64]) {
        out.fill(0.0);
        out[..3].copy_from_slice(&along.to_array());
        for foot in self.setup.body.feet() {
            let at = self.seen.workspace.kinematics().link(foot.foot).position;
            let mut leg = Leg::new(self, foot.foot, at);
            leg.solve(-along, DVec3::ZERO);
            for (&x, &dof) in leg.answer[..leg.count].iter().zip(&leg.dofs) {
                out[dof] = x;
            }
        }
    }
}

/// How the joints of a leg move its foot.
struct Leg {
    count: usize,
    dofs: [usize; Leg::MOST],
    /// Linear and angular velocity of the foot, world axes, for unit rates.
    columns: [[DVec3; 2]; Leg::MOST],
    answer: [f64; Leg::MOST],
}

impl Leg {
    /// Hip, knee and ankle have seven degrees of freedom, nine where the knee is a ball.
    const MOST: usize = 9;

    fn new(controller: &Controller<'_>, foot: usize, at: DVec3) -> Self {
        let mut out = Self {
            count: 0,
            dofs: [0; Self::MOST],
            columns: [[DVec3::ZERO; 2]; Self::MOST],
            answer: [0.0; Self::MOST],
        };
        let poses = controller.seen.workspace.kinematics();
        let mut link = Some(foot);
        while let Some(index) = link.filter(|&index| index != 0) {
            let (l, pose) = (controller.setup.body.link(index), poses.link(index));
            for dof in l.dofs().take(Self::MOST - out.count) {
                let axis =
                    if l.num_dofs() == 1 { pose.matrix * l.axis } else { pose.matrix.col(dof - l.dof) };
                out.columns[out.count] = [axis.cross(at - pose.position), axis];
                out.dofs[out.count] = dof;
                out.count += 1;
            }
            link = l.parent;
        }
        out
    }

    /// The smallest rates with which the foot moves as wanted: Jᵀ (J Jᵀ + ρ)⁻¹ b.
    fn solve(&mut self, linear: DVec3, angular: DVec3) {
        let scaled =
            |column: &[DVec3; 2], k: usize| if k < 3 { column[0][k] } else { column[1][k - 3] * TURN_LEVER };
        let mut m = [0.0; MAX_UNKNOWNS * MAX_UNKNOWNS];
        let mut y = [0.0; MAX_UNKNOWNS];
        for i in 0..6 {
            for j in 0..=i {
                let sum: f64 = self.columns[..self.count].iter().map(|c| scaled(c, i) * scaled(c, j)).sum();
                m[i * MAX_UNKNOWNS + j] = sum + if i == j { DAMPING } else { 0.0 };
            }
            y[i] = scaled(&[linear, angular], i);
        }
        solve_small(&mut m, &mut y, 6);
        for (x, column) in self.answer.iter_mut().zip(&self.columns[..self.count]) {
            *x = (0..6).map(|k| scaled(column, k) * y[k]).sum();
        }
    }
}

/// Height above the target's foot, its rate and its acceleration.
fn lift(swing: &Swing) -> (f64, f64, f64) {
    if swing.left_s <= 0.0 {
        let down = (-swing.left_s * SEEK_SPEED).min(SEEK_M);
        return (-down, if down < SEEK_M { -SEEK_SPEED } else { 0.0 }, 0.0);
    }
    if !swing.own {
        return (0.0, 0.0, 0.0);
    }
    // 16 h s²(1 − s)²: at rest on both ends.
    let whole = swing.whole_s;
    let s = (1.0 - swing.left_s / whole).clamp(0.0, 1.0);
    let h = 16.0 * LIFT_M;
    let height = h * s * s * (1.0 - s) * (1.0 - s);
    let rate = h * 2.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / whole;
    let bend = h * (2.0 - 12.0 * s + 12.0 * s * s) / (whole * whole);
    (height, rate, bend)
}
