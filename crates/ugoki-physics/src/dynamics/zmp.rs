//! The wrench that the ground must supply and its zero-moment point \[vukobratovic2004\].

use glam::DVec3;

use super::kinematics::Kinematics;
use super::state::vec3_at;

/// Force and moment in world axes, the moment about `at`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrench {
    /// Where the moment is taken, m.
    pub at: DVec3,
    /// Force, N.
    pub force: DVec3,
    /// Moment, N·m.
    pub moment: DVec3,
}

impl Wrench {
    /// Moment about another point, N·m.
    #[must_use]
    pub fn moment_about(&self, point: DVec3) -> DVec3 {
        self.moment + (self.at - point).cross(self.force)
    }
}

/// What the world must supply at the root for the motion whose torques `rnea` gave; planted feet carry it.
#[must_use]
pub fn root_wrench(kinematics: &Kinematics, tau: &[f64]) -> Wrench {
    let root = &kinematics.links[0];
    Wrench { at: root.position, force: vec3_at(tau, 0), moment: root.matrix * vec3_at(tau, 3) }
}

/// The point on the level ground at height `ground` where the wrench has no horizontal moment, m.
///
/// `None` when the ground would have to push less than `least` newtons upward: in flight there is no such point.
#[must_use]
pub fn zmp(wrench: &Wrench, ground: f64, least: f64) -> Option<DVec3> {
    let f = wrench.force;
    if f.y <= least.max(0.0) || !f.y.is_finite() {
        return None;
    }
    // About the point of the ground below `at`; then M.x + dz·F.y = 0 and M.z − dx·F.y = 0.
    let below = DVec3::new(wrench.at.x, ground, wrench.at.z);
    let m = wrench.moment_about(below);
    Some(below + DVec3::new(m.z / f.y, 0.0, -m.x / f.y))
}
