//! Bounds of what the controller may want: ends of ranges approached softly, accelerations within reach.

use glam::DVec3;
use ugoki_base::math::{exp64, log64};

use crate::dynamics::{Body, BodyState, Limits, Link, MassMatrix, quat_at, vec3_at};

/// A joint that would be beyond its range after this time, s, is slowed now.
const LOOK_AHEAD_S: f64 = 0.1;

/// Changes the accelerations `qdd` of `link` so that after the look-ahead it is not beyond its range.
///
/// With room r and speed v towards the end: r ≥ v T + ½ q̈ T².
pub(super) fn soften_range(link: &Link, state: &BodyState, qdd: &mut [f64]) {
    let (t, d) = (LOOK_AHEAD_S, link.dof);
    match &link.limits {
        Limits::Free => {}
        Limits::Hinge { low, high } => {
            let ahead = state.q[link.coordinate] + state.qd[d] * t + 0.5 * qdd[d] * t * t;
            let beyond = ahead - ahead.clamp(*low, *high);
            qdd[d] -= 2.0 * beyond / (t * t);
        }
        Limits::Ball(range) => {
            let now = quat_at(&state.q, link.coordinate);
            let way = vec3_at(&state.qd, d) * t + vec3_at(qdd, d) * (0.5 * t * t);
            // A whole turn ahead says nothing any more.
            let ahead = now * exp64(way.clamp_length_max(1.5));
            let angles = range.angles(ahead);
            let inside = range.clamp(angles);
            if inside != angles {
                let back = log64(ahead.conjugate() * range.rotation(inside));
                for k in 0..3 {
                    qdd[d + k] += 2.0 * back[k] / (t * t);
                }
            }
        }
    }
}

/// How far a joint is beyond its range: unit direction of the excess in the joint's own degrees of freedom, and angle.
///
/// A hinge also reports the room that is left, as a negative angle, when it is less than `near` radians.
pub(super) fn beyond_range(link: &Link, state: &BodyState, near: f64) -> Option<(DVec3, f64)> {
    match &link.limits {
        Limits::Free => None,
        Limits::Hinge { low, high } => {
            let q = state.q[link.coordinate];
            if q > *high - near {
                Some((DVec3::X, q - high))
            } else if q < *low + near {
                Some((DVec3::NEG_X, low - q))
            } else {
                None
            }
        }
        Limits::Ball(range) => {
            let now = quat_at(&state.q, link.coordinate);
            let angles = range.angles(now);
            let inside = range.clamp(angles);
            if inside == angles {
                return None;
            }
            let out = -log64(now.conjugate() * range.rotation(inside));
            let angle = out.length();
            (angle > 1e-9).then(|| (out / angle, angle))
        }
    }
}

/// Greatest acceleration of each degree of freedom: what its whole strength gives it, but at most `most` rad/s².
pub(super) fn reach_into(body: &Body, h: &MassMatrix, most: f64, out: &mut [f64]) {
    for link in body.links() {
        let s = &link.strength;
        let torque = s.negative.min(s.positive);
        // The weakest anatomical direction of a ball stands for all three axes: they are not the link's.
        let torque = if link.num_dofs() == 1 { torque.x } else { torque.max_element() };
        for dof in link.dofs() {
            out[dof] = (torque / h.at(dof, dof)).min(most);
        }
    }
}
