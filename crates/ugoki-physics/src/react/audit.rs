//! What of the written motion no body could do.
//!
//! Step by step the simulation keeps to Newton. What is written are frames of several steps, and captures whose soles
//! float or sink: a program that has only the clip and the body takes accelerations by differences over frames, the
//! ground's wrench and the torques by inverse dynamics, and may find frames in which the ground would pull, rub too
//! hard or act outside the feet, or a joint would be too weak. Those frames are named in the report. The bounds are a
//! little tighter than a judge's, so that what a judge finds is named.

use glam::{DVec2, DVec3};
use ugoki_base::clip::Clip;

use super::report::{FootForce, Frame, Impossible};
use super::simulation::Simulation;
use super::state::HEADROOM;
use super::target::{FLIGHT, flat};
use crate::dynamics::{
    Body, BodyState, Kinematics, Link, PointForce, SupportPolygon, Workspace, Wrench, difference_into,
    kinematics_into, load, rnea_into, root_wrench, zmp,
};

/// Tolerance of forces as a fraction of the weight: the noise of second differences of f32 poses.
const FORCE_TOLERANCE: f64 = 0.025;
/// How far outside the soles the ZMP may be, m: differences mix the steps of two frames.
const OUTSIDE_M: f64 = 0.015;
/// Corners of soles nearer to the ground than this, m, can stand on it: a centimetre for the capture, one for the
/// sole's thickness, one for the fit.
const SOLE_M: f64 = 0.03;
/// Tolerance of torques as a fraction of a joint's strength.
const STRENGTH_TOLERANCE: f64 = 0.1;

/// A corner this near to the ground, m, whose upward speed jumps by this much between frames, m/s, strikes it: impacts
/// are shorter than a frame, and differences cannot tell their torques.
const STRIKE_M: f64 = 0.015;
const STRIKE_M_S: f64 = 0.16;

/// Three frames in a row, and what is found between them.
struct Audit<'a> {
    body: &'a Body,
    floor: f64,
    weight: f64,
    states: [BodyState; 3],
    places: [Kinematics; 3],
    workspace: Workspace,
    moving: BodyState,
    back: Vec<f64>,
    qdd: Vec<f64>,
    tau: Vec<f64>,
}

/// Names in each frame what no body could do there; nothing is said of the first, the last, those next to a blow and
/// falls.
pub(super) fn audit(simulation: &Simulation, clip: &Clip, frames: &mut [Frame]) {
    let body = &simulation.setup.body;
    if frames.len() < 3 {
        return;
    }
    let first = simulation.setup.target.first_frame;
    let mut audit = Audit {
        body,
        floor: simulation.setup.target.floor.height,
        weight: simulation.setup.weight,
        states: std::array::from_fn(|_| BodyState::rest(body)),
        places: std::array::from_fn(|_| Kinematics::new(body)),
        workspace: Workspace::new(body),
        moving: BodyState::rest(body),
        back: vec![0.0; body.num_dofs()],
        qdd: vec![0.0; body.num_dofs()],
        tau: vec![0.0; body.num_dofs()],
    };
    audit.place(0, clip, first);
    audit.place(1, clip, first + 1);
    for i in 1..frames.len() - 1 {
        audit.place(2, clip, first + i + 1);
        let around = &frames[i - 1..=i + 1];
        if !around[1..].iter().any(|frame| frame.struck || frame.falling) {
            let most = |link: usize| {
                let allowed = around
                    .iter()
                    .map(|frame| allowed(body.link(link), frame, link, &simulation.setup.config));
                allowed.fold(1.0, f64::max)
            };
            let found = audit.between(around, clip.fps(), simulation.setup.config.friction, most);
            frames[i].impossible = found;
        }
        audit.states.rotate_left(1);
        audit.places.rotate_left(1);
    }
}

/// Allowed load of a link's joint in a frame, passive torque included.
fn allowed(link: &Link, frame: &Frame, index: usize, config: &super::config::Config) -> f64 {
    let weakest = link.strength.negative.min(link.strength.positive);
    let weakest = if link.num_dofs() == 1 { weakest.x } else { weakest.min_element() };
    let own = if config.strict { 0.0 } else { HEADROOM * frame.target_load[index] };
    own.max(1.0) + frame.passive_torque_n_m[index] / weakest
}

impl Audit<'_> {
    fn place(&mut self, slot: usize, clip: &Clip, row: usize) {
        self.states[slot].set_pose(self.body, &clip.model_pose(row));
        self.states[slot].qd.fill(0.0);
        kinematics_into(self.body, &self.states[slot], &mut self.places[slot]);
    }

    /// What cannot be at the middle of the three frames; `most` is what each link's joint may take.
    fn between(
        &mut self,
        around: &[Frame],
        fps: f64,
        friction: f64,
        most: impl Fn(usize) -> f64,
    ) -> Vec<Impossible> {
        let mut out = Vec::new();
        difference_into(self.body, &self.states[0].q, &self.states[1].q, &mut self.back);
        difference_into(self.body, &self.states[1].q, &self.states[2].q, &mut self.qdd);
        self.moving.q.copy_from_slice(&self.states[1].q);
        for ((ahead, back), rate) in self.qdd.iter_mut().zip(&self.back).zip(&mut self.moving.qd) {
            *rate = 0.5 * (*ahead + back) * fps;
            *ahead = (*ahead - back) * fps * fps;
        }
        rnea_into(self.body, &self.moving, &self.qdd, &[], &mut self.workspace, &mut self.tau);
        let mut wrench = root_wrench(self.workspace.kinematics(), &self.tau);
        // The steps around a frame belong to its own report and the next.
        for frame in &around[1..] {
            wrench.force -= DVec3::from_array(frame.residual_force_n) * 0.5;
            wrench.moment -= DVec3::from_array(frame.residual_moment_n_m) * 0.5;
        }
        let tolerance = FORCE_TOLERANCE * self.weight;
        let along = DVec2::new(wrench.force.x, wrench.force.z).length();
        if wrench.force.y < -tolerance {
            out.push(Impossible::Pull);
        }
        if along > friction * wrench.force.y.max(0.0) + tolerance {
            out.push(Impossible::Rub);
        }
        let Some(point) = zmp(&wrench, self.floor, FLIGHT * self.weight) else { return out };
        if self.soles().margin(flat(point)) < -OUTSIDE_M {
            out.push(Impossible::OutsideFeet);
        }
        if self.strikes(fps) {
            return out;
        }
        self.tau_with_feet(around, &wrench, point);
        for (index, link) in self.body.links().iter().enumerate().skip(1) {
            if load(link, &self.tau) > most(index) * (1.0 + STRENGTH_TOLERANCE) {
                out.push(Impossible::Weak(index));
            }
        }
        out
    }

    /// Whether a foot strikes the ground, or is torn off it.
    fn strikes(&self, fps: f64) -> bool {
        self.body.links().iter().enumerate().any(|(index, link)| {
            link.sole.iter().any(|corner| {
                let [a, b, c] = [0, 1, 2].map(|k| self.places[k].link(index).point(*corner).y);
                let low = a.min(b).min(c) < self.floor + STRIKE_M;
                low && (c - b * 2.0 + a).abs() * fps > STRIKE_M_S
            })
        })
    }

    /// The hull of the corners that may have stood in any of the three frames: a foot lands within a frame.
    fn soles(&self) -> SupportPolygon {
        let mut low = Vec::with_capacity(48);
        for places in &self.places {
            let corners = self.body.links().iter().enumerate().flat_map(|(link, l)| {
                let pose = places.link(link);
                l.sole.iter().map(move |p| pose.point(*p))
            });
            let lowest = corners.clone().map(|p| p.y).fold(f64::INFINITY, f64::min);
            // Captured soles float: whatever stands, the lowest corner does.
            let ground = self.floor.max(lowest);
            low.extend(corners.filter(|p| p.y < ground + SOLE_M).map(flat));
        }
        SupportPolygon::hull(low)
    }

    /// The joints' torques with the ground's force shared between the feet as it was reported, moved so that together
    /// it acts at `point`.
    fn tau_with_feet(&mut self, around: &[Frame], wrench: &Wrench, point: DVec3) {
        let [left, right] = [0, 1].map(|side| mean(around[1].feet[side], around[2].feet[side]));
        let whole = left.force_n[1] + right.force_n[1];
        let right_part = if whole > 0.0 { right.force_n[1] / whole } else { 0.5 };
        let (a, b) = (DVec3::from_array(left.at_m), DVec3::from_array(right.at_m));
        let shift = flat(point) - flat(a.lerp(b, right_part));
        let forces = [(0, a, 1.0 - right_part), (1, b, right_part)].map(|(side, at, part)| {
            let foot = self.body.feet()[side].foot;
            let pose = self.places[1].link(foot);
            let at = DVec3::new(at.x + shift.x, point.y, at.z + shift.y);
            PointForce::new(foot, pose.matrix.transpose() * (at - pose.position), wrench.force * part)
        });
        rnea_into(self.body, &self.moving, &self.qdd, &forces, &mut self.workspace, &mut self.tau);
    }
}

/// The mean of two frames' forces on a foot.
fn mean(a: FootForce, b: FootForce) -> FootForce {
    let whole = a.force_n[1] + b.force_n[1];
    let weight = if whole > 0.0 { b.force_n[1] / whole } else { 0.5 };
    FootForce {
        force_n: std::array::from_fn(|k| 0.5 * (a.force_n[k] + b.force_n[k])),
        at_m: DVec3::from_array(a.at_m).lerp(DVec3::from_array(b.at_m), weight).to_array(),
    }
}
