//! What a blow does: the jump of the velocities under impulses while planted feet hold, and the mass that a blow meets.

use super::body::Body;
use super::contact::Held;
use super::force::joint_force;
use super::force::{PointForce, add_generalized};
use super::kinematics::Kinematics;

/// Change of `qd` under impulses (N·s, N·m·s) on the body as held; `contact` gets what the contacts gave back.
///
/// The contacts' velocities do not change: planted feet stay planted. Pose and contacts are those of the
/// [`hold_into`](super::hold_into) before.
///
/// # Panics
/// If `change` is not one per degree of freedom or `contact` shorter than the rows held.
pub fn impulse_response_into(
    body: &Body,
    kinematics: &Kinematics,
    held: &Held,
    impulses: &[PointForce],
    change: &mut [f64],
    contact: &mut [f64],
) {
    change.fill(0.0);
    add_generalized(body, kinematics, impulses, change);
    contact[..held.num_rows()].fill(0.0);
    held.solve(change, contact);
}

/// The mass that `unit`, an impulse of 1 N·s, meets, kg: `1 / (nᵀ J H⁻¹ Jᵀ n)`, contacts held.
///
/// Infinite where the contacts leave the point no motion that way. `change` and `contact` are scratch as for
/// [`impulse_response_into`] and hold the response to the impulse after.
#[must_use]
pub fn effective_mass(
    body: &Body,
    kinematics: &Kinematics,
    held: &Held,
    unit: &PointForce,
    change: &mut [f64],
    contact: &mut [f64],
) -> f64 {
    impulse_response_into(body, kinematics, held, std::slice::from_ref(unit), change, contact);
    // nᵀ J Δq̇ by the same walk: the velocity of the point along n.
    let speed = generalized_dot(body, kinematics, unit, change);
    if speed > 0.0 { 1.0 / speed } else { f64::INFINITY }
}

/// `(Jᵀ f)·v` without storing `Jᵀ f`.
fn generalized_dot(body: &Body, kinematics: &Kinematics, force: &PointForce, v: &[f64]) -> f64 {
    let mut f = force.spatial(kinematics);
    let mut sum = 0.0;
    let mut at = Some(force.link);
    while let Some(i) = at {
        let (link, pose) = (&body.links[i], &kinematics.links[i]);
        let mut own = [0.0; 6];
        let dofs = link.num_dofs();
        joint_force(link, pose, f, &mut own);
        sum += own[..dofs].iter().zip(&v[link.dof..]).map(|(a, b)| a * b).sum::<f64>();
        f = f.shifted_back(pose.arm);
        at = link.parent;
    }
    sum
}
