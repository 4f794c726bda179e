//! How far joints are from the ends of their ranges, and how much of their strength a torque takes.
//!
//! A ball joint is measured by the swing and twist from the middle of its range ([`BallRange`]): the swing's two parts
//! lie in an ellipse whose half-axes differ from quadrant to quadrant, the twist in an interval.

use glam::{DQuat, DVec3};
use ugoki_base::math::{exp64, log64};

use super::body::{BallRange, Body, JointKind, Limits, Link};
use super::state::{BodyState, quat_at, vec3_at};

impl BallRange {
    /// Flexion, abduction and internal rotation from the centre, radians, of a joint turned by `parent_from_link`.
    #[must_use]
    pub fn angles(&self, parent_from_link: DQuat) -> DVec3 {
        let d = parent_from_link * self.centre.conjugate();
        let axis = self.axes.z_axis;
        let along = DVec3::new(d.x, d.y, d.z).dot(axis);
        let norm = along.hypot(d.w);
        // A swing of half a turn leaves the twist free; ranges end long before.
        let twist = if norm < 1e-12 {
            DQuat::IDENTITY
        } else {
            let v = axis * (along / norm);
            DQuat::from_xyzw(v.x, v.y, v.z, d.w / norm)
        };
        let swing = log64(d * twist.conjugate());
        DVec3::new(swing.dot(self.axes.x_axis), swing.dot(self.axes.y_axis), log64(twist).dot(axis))
    }

    /// The rotation `parent_from_link` with these angles.
    #[must_use]
    pub fn rotation(&self, angles: DVec3) -> DQuat {
        let swing = self.axes.x_axis * angles.x + self.axes.y_axis * angles.y;
        exp64(swing) * exp64(self.axes.z_axis * angles.z) * self.centre
    }

    /// `angles` brought into the range: the swing towards the centre, the twist to the nearer end.
    #[must_use]
    pub fn clamp(&self, angles: DVec3) -> DVec3 {
        let half = |v: f64, low: f64, high: f64| if v < 0.0 { -low } else { high };
        let (a, b) = (half(angles.x, self.low.x, self.high.x), half(angles.y, self.low.y, self.high.y));
        // A way without any room counts only when something went that way.
        let ratio = |v: f64, room: f64| if v == 0.0 { 0.0 } else { v / room };
        let out = ratio(angles.x, a).hypot(ratio(angles.y, b));
        let twist = angles.z.clamp(self.low.z, self.high.z);
        if out <= 1.0 {
            DVec3::new(angles.x, angles.y, twist)
        } else {
            DVec3::new(angles.x / out, angles.y / out, twist)
        }
    }
}

impl Body {
    /// The same body with ranges wide enough for every row of coordinates in `rows`, and `slack` radians more there.
    ///
    /// Captured people leave the tables' ranges by tens of degrees; a program that bounds their motion must not fight
    /// it.
    #[must_use]
    pub fn with_ranges_for(&self, rows: &[f64], slack: f64) -> Self {
        let mut body = self.clone();
        for row in rows.chunks_exact(self.num_coordinates) {
            for link in &mut body.links {
                match &mut link.limits {
                    Limits::Free => {}
                    Limits::Hinge { low, high } => {
                        let q = row[link.coordinate];
                        if q < *low + slack {
                            *low = q - slack;
                        }
                        if q > *high - slack {
                            *high = q + slack;
                        }
                    }
                    Limits::Ball(range) => range.widen(quat_at(row, link.coordinate), slack),
                }
            }
        }
        body
    }
}

impl BallRange {
    /// Makes room for this rotation and `slack` radians around it.
    fn widen(&mut self, parent_from_link: DQuat, slack: f64) {
        let angles = self.angles(parent_from_link);
        let twist = angles.z;
        if twist < self.low.z + slack {
            self.low.z = twist - slack;
        }
        if twist > self.high.z - slack {
            self.high.z = twist + slack;
        }
        let swing = DVec3::new(angles.x, angles.y, 0.0);
        let reach = swing.length();
        if reach < 1e-9 {
            return;
        }
        // The ellipse grows as a whole, so that it keeps its shape.
        let wanted = swing * ((reach + slack) / reach);
        let inside = self.clamp(DVec3::new(wanted.x, wanted.y, 0.0));
        let kept = inside.truncate().length() / wanted.truncate().length();
        if kept < 1.0 {
            let grow = 1.0 / kept.max(1e-3);
            self.low *= DVec3::new(grow, grow, 1.0);
            self.high *= DVec3::new(grow, grow, 1.0);
        }
    }
}

/// How far each joint is beyond its range, into `out` in the layout of `qd`: moving by `−out` brings it to the range.
///
/// Zero for every joint within its range and for the root.
pub fn excess_into(body: &Body, state: &BodyState, out: &mut [f64]) {
    out.fill(0.0);
    for link in &body.links {
        match &link.limits {
            Limits::Free => {}
            Limits::Hinge { low, high } => {
                let q = state.q[link.coordinate];
                out[link.dof] = q - q.clamp(*low, *high);
            }
            Limits::Ball(range) => {
                let now = quat_at(&state.q, link.coordinate);
                let angles = range.angles(now);
                let inside = range.clamp(angles);
                if inside != angles {
                    let back = log64(now.conjugate() * range.rotation(inside));
                    out[link.dof..link.dof + 3].copy_from_slice(&(-back).to_array());
                }
            }
        }
    }
}

/// Load of each link's joint (torque divided by strength), into `out` (one per link): 1 is full strength, the root has
/// 0.
///
/// For a ball joint the load is the Euclidean norm of the ratios of its three anatomical directions.
pub fn load_into(body: &Body, tau: &[f64], out: &mut [f64]) {
    for (link, out) in body.links.iter().zip(out) {
        *out = load(link, tau);
    }
}

/// Load of one joint: torque divided by strength.
#[must_use]
pub fn load(link: &Link, tau: &[f64]) -> f64 {
    let s = &link.strength;
    let ratio = |t: f64, negative: f64, positive: f64| {
        let most = if t < 0.0 { negative } else { positive };
        if t == 0.0 { 0.0 } else { t.abs() / most }
    };
    match link.joint {
        JointKind::Free => 0.0,
        JointKind::Hinge => ratio(tau[link.dof], s.negative.x, s.positive.x),
        JointKind::Ball => {
            let t = s.anatomical_from_link * vec3_at(tau, link.dof);
            DVec3::from_array(std::array::from_fn(|k| ratio(t[k], s.negative[k], s.positive[k]))).length()
        }
    }
}

/// Scales each joint's torque down to its strength; joints within it keep theirs. The root's six stay as they are.
pub fn clamp_to_strength(body: &Body, tau: &mut [f64]) {
    for link in &body.links {
        let load = load(link, tau);
        if load > 1.0 {
            for t in &mut tau[link.dof..link.dof + link.num_dofs()] {
                *t /= load;
            }
        }
    }
}
