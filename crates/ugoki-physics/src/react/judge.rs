//! Whether balance is lost.

use ugoki_base::math::angle_between64;

use super::rows::Kind;
use super::state::{Motion, Observation, Setup};
use super::target::flat;

/// A link other than a foot that bears this fraction of the weight for this long, s, where the target's does not, ends
/// balance.
const LEAN: f64 = 0.05;
const LEAN_S: f64 = 0.03;
/// Pelvis lower than this fraction of its target height, tilted by more than this against the target, rad, or off
/// sideways by more than this fraction of the stature: no body stands like that.
const LOW: f64 = 0.65;
/// Least loss of height that counts, m.
const LOW_M: f64 = 0.1;
const TILT: f64 = 1.05;
const OFF: f64 = 0.30;

/// Looks whether balance is lost.
pub(super) fn judge(setup: &Setup, motion: &mut Motion, seen: &Observation) {
    let dt = setup.target.dt;
    if motion.fall.is_falling() {
        motion.fall.since_s += dt;
        return;
    }
    let mut lean = 0.0;
    for (i, row) in seen.rows.list.iter().enumerate() {
        if row.kind == Kind::Normal && seen.rows.groups[row.group].foot.is_none() {
            lean += seen.problem.x[i] / dt;
        }
    }
    motion.fall.leaning_s = if lean > LEAN * setup.weight { motion.fall.leaning_s + dt } else { 0.0 };
    let (here, there) = (seen.workspace.kinematics().link(0), seen.target_kinematics.link(0));
    let place = motion.frame.place(there.position);
    let floor = setup.target.floor.height_at(here.position.x, here.position.z);
    // A target that lies, or is captured under its floor, is low itself.
    let height = (there.position.y - floor).max(0.0);
    let low = place.y - here.position.y > ((1.0 - LOW) * height).max(LOW_M);
    let tilt = angle_between64(here.rotation, motion.frame.turn * there.rotation) > TILT;
    let off = flat(here.position).distance(flat(place)) > OFF * setup.body.stature();
    // In flight nothing is lost yet: a body in flight comes down somewhere.
    if motion.fall.leaning_s > LEAN_S || low || tilt || off {
        motion.fall.at_s = Some(motion.time_s(&setup.target));
    }
}
