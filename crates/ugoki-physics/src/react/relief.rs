//! Relief: under a carried load the arms go where strained joints carry less.
//!
//! What a load adds to the joints of a body on its target is known beforehand, so relief is planned once for the whole
//! target. At every instant of a grid the arms' displacement Δ is sought that relieves the strained joints best for its
//! size, min Σ (load − well)² + ρ² |Δ|², with loads by inverse dynamics of the laden body and the ground's forces
//! shared out as in the simulation; the displacements are smoothed over time, and the run follows them without delay:
//! q̈ += Δ̈ + 4Δ̇/T + 6Δ/T². Looked for from step to step instead, relief came half a second late, and followed every
//! sway of the body.

use glam::DVec3;
use ugoki_base::skeleton::Role;
use ugoki_base::{Cancelled, Progress, report};

use super::bounds::beyond_range;
use super::config::Config;
use super::parts::{MAX_UNKNOWNS, Members, solve_small};
use super::relief_course::ReliefCourse;
use super::state::Setup;
use super::target::{MUCH_SLACK, Target};
use super::target_dynamics::Own;
use crate::dynamics::{Body, BodyState, Kinematics, centroid, kinematics_into, load_into, move_by};

/// Seconds between two instants of the plan: three to a tenth of a second, far above what arms can follow.
const GRID_S: f64 = 1.0 / 30.0;
/// Width of the smoothing, s: arms that follow quicker load by their inertia what their weight is to relieve. With 0.15
/// s the ankles' peak rose by 28 % of their strength under 12 kg.
const SMOOTH_S: f64 = 0.35;
/// The body begins on the target; the arms are where they relieve after this long, s. In 0.6 s hands moved at 0.9 m/s
/// under 40 kg.
const BEGIN_S: f64 = 1.5;
/// A radian of an arm's displacement costs as much as this fraction of a joint's strength left unrelieved.
const ARMS_EFFORT: f64 = 0.035;
/// Weight of a leg's joint relative to the back, on which the arms hang: in the depth of a squat arms can only take
/// from the one what they give to the others.
const LEGS: f64 = 0.1;
/// Farthest displacement of a joint, rad. With 1 rad hands moved at 0.7 m/s under 40 kg, while the body stood still.
const FARTHEST: f64 = 0.8;
/// How much more a joint that must not be loaded further counts than one to be relieved.
const GUARD: f64 = 30.0;
/// Rounds of Gauss and Newton: loads are no linear functions of the arms' places.
const ROUNDS: usize = 4;
/// Angle of the differences, rad.
const DIFFERENCE: f64 = 1e-3;

/// Plans where the arms go while a laden body follows its target.
pub(super) fn plan_relief(of: &Setup, progress: Progress<'_>) -> Result<ReliefCourse, Cancelled> {
    let (target, members) = (&*of.target, &of.members);
    if members.arms.is_empty() || members.arms.len() > MAX_UNKNOWNS {
        return Ok(ReliefCourse::default());
    }
    let stride = ((GRID_S / target.dt).round() as usize).max(1);
    let mut trial = Trial::new(of);
    let mut last = [0.0; MAX_UNKNOWNS];
    let count = target.num_steps / stride + 1;
    let mut points = Vec::with_capacity(count);
    for point in 0..count {
        let step = point * stride;
        if point % 64 == 0 {
            report(progress, 0.4)?;
        }
        let shift =
            if target.slack[step] < MUCH_SLACK { trial.best(step, last) } else { [0.0; MAX_UNKNOWNS] };
        last = shift;
        let begun = (step as f64 * target.dt / BEGIN_S).min(1.0);
        points.push(shift.map(|x| x * begun * begun * (3.0 - 2.0 * begun)));
    }
    let sigma = SMOOTH_S / (stride as f64 * target.dt);
    Ok(ReliefCourse { points: smoothed(&points, sigma), stride })
}

/// Means of the points weighted by a Gaussian of this width in points.
fn smoothed(points: &[[f64; MAX_UNKNOWNS]], sigma: f64) -> Vec<[f64; MAX_UNKNOWNS]> {
    let reach = (3.0 * sigma).ceil() as isize;
    let weight = |far: isize| (-0.5 * (far as f64 / sigma).powi(2)).exp();
    let whole: f64 = (-reach..=reach).map(weight).sum();
    let last = points.len() as isize - 1;
    (0..=last)
        .map(|i| {
            let mut out = [0.0; MAX_UNKNOWNS];
            for far in -reach..=reach {
                let point = &points[(i + far).clamp(0, last) as usize];
                for (out, x) in out.iter_mut().zip(point) {
                    *out += x * weight(far) / whole;
                }
            }
            out
        })
        .collect()
}

/// A load within this of the middle, m, is carried evenly: a third of a trunk's half width.
const MIDDLE_M: f64 = 0.05;

/// Whether what `laden` has more than `bare` sits in the middle of the body at rest.
fn is_even(bare: &Body, laden: &Body) -> bool {
    let moment = |body: &Body| {
        let mut placed = Kinematics::new(body);
        kinematics_into(body, &BodyState::rest(body), &mut placed);
        (body.mass(), body.mass() * (centroid(body, &placed).com.x - placed.link(0).position.x))
    };
    let ((mass, own), (all, both)) = (moment(bare), moment(laden));
    (both - own).abs() <= MIDDLE_M * (all - mass).abs()
}

/// The laden body on the target with its arms displaced.
struct Trial<'a> {
    target: &'a Target,
    body: &'a Body,
    members: &'a Members,
    config: &'a Config,
    /// Whether both arms move alike.
    even: bool,
    own: Own,
    shift: Vec<f64>,
    loads: Vec<f64>,
}

impl<'a> Trial<'a> {
    fn new(of: &'a Setup) -> Self {
        let even = is_even(&of.target.body, &of.body) && of.members.arm_links.len() == 4;
        Self {
            target: &of.target,
            body: &of.body,
            members: &of.members,
            config: &of.config,
            even,
            own: Own::new(&of.body),
            shift: vec![0.0; of.body.num_dofs()],
            loads: vec![0.0; of.body.links().len()],
        }
    }

    /// Loads of all joints with the arms displaced by `arms`.
    fn loads(&mut self, step: usize, arms: &[f64; MAX_UNKNOWNS]) {
        for (&dof, &x) in self.members.arms.iter().zip(arms) {
            self.shift[dof] = x;
        }
        self.own.place(self.body, self.target, step, self.target.slack[step], Some(&self.shift));
        let residual = &self.target.tau(step)[..6];
        let wanted = std::array::from_fn(|k| self.own.tau()[k] - residual[k]);
        self.own.give(self.config.friction, &wanted);
        load_into(self.body, self.own.tau(), &mut self.loads);
    }

    /// What a joint carries well at a step; nothing for joints that are not looked after.
    fn well(&self, step: usize, link: usize) -> Option<f64> {
        // Toes only give way; arms are what relieves.
        let spared = matches!(self.body.link(link).role, Role::LeftToes | Role::RightToes);
        let well = self.target.load(step)[link].max(self.config.comfort);
        (link > 0 && !spared && !self.members.is_arm[link]).then_some(well)
    }

    /// The arms' motions that are sought for, as displacements of their degrees of freedom.
    fn ways(&self) -> ([[f64; MAX_UNKNOWNS]; MAX_UNKNOWNS], usize) {
        let mut out = [[0.0; MAX_UNKNOWNS]; MAX_UNKNOWNS];
        let arms = &self.members.arms;
        if !self.even {
            for (k, way) in out.iter_mut().enumerate().take(arms.len()) {
                way[k] = 1.0;
            }
            return (out, arms.len());
        }
        let links = &self.members.arm_links;
        let poses = self.own.kinematics();
        let across = (poses.link(links[0]).position - poses.link(links[2]).position).normalize_or(DVec3::X);
        let half = arms.len() / 2;
        for k in 0..half {
            out[k][k] = 1.0;
            // The other arm turns by the mirror image: half a turn about the line through the shoulders.
            let of = |dof: usize| links.iter().position(|&l| self.body.link(l).dofs().contains(&dof));
            let Some(pair) = of(arms[k]).filter(|&pair| pair < 2) else { continue };
            let axis = |link: usize, dof: usize| {
                let (l, pose) = (self.body.link(link), poses.link(link));
                if l.num_dofs() == 1 { pose.matrix * l.axis } else { pose.matrix.col(dof - l.dof) }
            };
            let own = axis(links[pair], arms[k]);
            let image = across * (2.0 * own.dot(across)) - own;
            for (j, &dof) in arms.iter().enumerate().skip(half) {
                if of(dof) == Some(pair + 2) {
                    let along = axis(links[pair + 2], dof).dot(image);
                    // Elbows bend alike, whatever their axes.
                    let hinge = self.body.link(links[pair]).num_dofs() == 1;
                    out[k][j] = if hinge { along.signum() } else { along };
                }
            }
        }
        (out, half)
    }

    /// The displacement that relieves best for its size, sought from `from`.
    fn best(&mut self, step: usize, from: [f64; MAX_UNKNOWNS]) -> [f64; MAX_UNKNOWNS] {
        let none = [0.0; MAX_UNKNOWNS];
        self.loads(step, &none);
        let links = self.body.links().len();
        let bare = self.loads.clone();
        let strained =
            |trial: &Self, link: usize| trial.well(step, link).is_some_and(|well| bare[link] > well);
        if !(0..links).any(|link| strained(self, link)) {
            return none;
        }
        let (ways, n) = self.ways();
        // What was found an instant before is a good guess; of it only what the ways can make.
        let mut x = [0.0; MAX_UNKNOWNS];
        x[..n].copy_from_slice(&from[..n]);
        for _ in 0..ROUNDS {
            let now = made(&ways, &x, n);
            self.loads(step, &now);
            let here = self.loads.clone();
            let mut m = [0.0; MAX_UNKNOWNS * MAX_UNKNOWNS];
            let mut r = [0.0; MAX_UNKNOWNS];
            let mut changes = vec![[0.0; MAX_UNKNOWNS]; links];
            for k in 0..n {
                let mut near = x;
                near[k] += DIFFERENCE;
                self.loads(step, &made(&ways, &near, n));
                for (change, (after, before)) in changes.iter_mut().zip(self.loads.iter().zip(&here)) {
                    change[k] = (after - before) / DIFFERENCE;
                }
            }
            for (link, change) in changes.iter().enumerate() {
                let Some(well) = self.well(step, link) else { continue };
                let over = here[link] - well;
                let weight = if strained(self, link) {
                    if self.body.link(link).role == Role::Spine { 1.0 } else { LEGS }
                } else if over > 0.0 {
                    GUARD
                } else {
                    continue;
                };
                for i in 0..n {
                    for j in 0..=i {
                        m[i * MAX_UNKNOWNS + j] += weight * change[i] * change[j];
                    }
                    r[i] -= weight * change[i] * over;
                }
            }
            let effort = ARMS_EFFORT;
            for i in 0..n {
                let cost = effort.powi(2) * ways[i].iter().map(|x| x * x).sum::<f64>();
                m[i * MAX_UNKNOWNS + i] += cost;
                r[i] -= cost * x[i];
            }
            solve_small(&mut m, &mut r, n);
            for (x, r) in x[..n].iter_mut().zip(&r) {
                *x = (*x + r.clamp(-0.3, 0.3)).clamp(-FARTHEST, FARTHEST);
            }
        }
        let mut out = made(&ways, &x, n);
        self.keep_in_range(step, &mut out);
        out
    }

    /// Takes back what leads joints beyond their ranges.
    fn keep_in_range(&self, step: usize, arms: &mut [f64; MAX_UNKNOWNS]) {
        let mut state = BodyState::rest(self.body);
        for &link in &self.members.arm_links {
            let link = self.body.link(link);
            for tenths in (0..=10).rev() {
                let scale = f64::from(tenths) / 10.0;
                state.q.copy_from_slice(self.target.q(step));
                let mut shift = vec![0.0; self.body.num_dofs()];
                for (&dof, &x) in self.members.arms.iter().zip(arms.iter()) {
                    if link.dofs().contains(&dof) {
                        shift[dof] = scale * x;
                    }
                }
                move_by(self.body, &mut state.q, &shift, 1.0);
                if tenths == 0 || beyond_range(link, &state, 0.0).is_none_or(|(_, angle)| angle < 1e-6) {
                    for (&dof, x) in self.members.arms.iter().zip(arms.iter_mut()) {
                        if link.dofs().contains(&dof) {
                            *x *= scale;
                        }
                    }
                    break;
                }
            }
        }
    }
}

/// Σ xₖ wayₖ.
fn made(
    ways: &[[f64; MAX_UNKNOWNS]; MAX_UNKNOWNS],
    x: &[f64; MAX_UNKNOWNS],
    n: usize,
) -> [f64; MAX_UNKNOWNS] {
    let mut out = [0.0; MAX_UNKNOWNS];
    for (way, &x) in ways[..n].iter().zip(x) {
        for (out, w) in out.iter_mut().zip(way) {
            *out += x * w;
        }
    }
    out
}
