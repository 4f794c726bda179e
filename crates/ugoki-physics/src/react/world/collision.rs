//! Collisions between an object and a link, and the impulse on each.
//!
//! Sweeping both along their velocities of this step finds the first moment of touch, so that nothing flies through a
//! limb and nothing is hit that would have passed. Along the normal n, with closing speed c, restitution e, and
//! effective masses m_b of the body and m_o of the object,
//!
//! ```text
//! j = (1 + e) c / (1/m_b + 1/m_o)          friction: at most μ j against sliding, at most what stops it
//! ```
//!
//! The ground holds the feet against what presses them down or along, but lets them rise: a blow from below meets the
//! body with free feet, and no blow meets more than the whole body's mass. An overlap is taken back as if nothing held
//! the link, so that it never leaves faster than asked, whatever else lets go.

use glam::{DVec3, Vec3};
use rapier3d::parry::query::{ShapeCastOptions, ShapeCastStatus, cast_shapes, contact};
use rapier3d::prelude::{Pose, RigidBody, SharedShape};
use ugoki_base::skeleton::Role;

use super::super::config::MAX_IMPULSE_N_S;
use super::super::environment::Touch;
use super::world::{Hit, World};

/// Slower than this, m/s, nothing bounces: what lies on the body rests on it.
const BOUNCE_M_S: f64 = 0.5;
/// Fraction of an overlap that one step corrects, and the greatest speed for it, m/s; without, f32 would let objects
/// sink in.
const PUSH_BACK: f64 = 0.2;
const PUSH_BACK_M_S: f64 = 0.5;
/// Overlap that is left alone, m: contacts stay contacts.
const SLOP_M: f64 = 0.002;

/// A normal that points up by more than this sine lifts: 17°, the slope that friction of 0.3 holds on.
const FROM_BELOW: f64 = 0.3;

/// One link and one object that meet in this step.
#[derive(Clone, Copy)]
struct Meeting {
    link: usize,
    /// Seconds into the step.
    after_s: f64,
    /// The way of the object until then, seen from the link, m.
    way: Vec3,
    /// On the link's surface, world, m.
    at: DVec3,
    /// Unit, from the object into the link.
    normal: DVec3,
    /// How far they overlap already, m.
    depth: f64,
    closing: f64,
}

impl World {
    /// Gives every object that meets a link in this step, and that link, their impulses.
    ///
    /// Each object meets one link a step, the one it touches first: at 120 steps a second the next is not late.
    pub(super) fn meet(&mut self, touch: &mut Touch<'_>) {
        for body in 0..self.objects.len() {
            self.objects[body].stood_in |= self.is_stood_in(body, touch);
            if let Some(meeting) = self.first_meeting(body, touch) {
                self.exchange(body, &meeting, touch);
            }
        }
    }

    /// Whether a planted foot is inside a fixed body.
    fn is_stood_in(&self, body: usize, touch: &Touch<'_>) -> bool {
        let object = &self.objects[body];
        let Some(rigid) = object.handle.and_then(|handle| self.physics.bodies.get(handle)) else {
            return false;
        };
        let within = |p: DVec3| object.shape.contains_point(rigid.position(), p.as_vec3());
        object.thing.mass_kg.is_none()
            && !object.stood_in
            && (0..touch.num_links()).any(|link| touch.foot_in(link, within) == Some(true))
    }

    fn first_meeting(&self, body: usize, touch: &Touch<'_>) -> Option<Meeting> {
        let object = &self.objects[body];
        let rigid = self.physics.bodies.get(object.handle?)?;
        let (pose, velocity) = (rigid.position(), rigid.linvel());
        let (centre, dt) = (pose.translation.as_dvec3(), touch.step_s());
        let fixed = object.thing.mass_kg.is_none();
        let mut first: Option<Meeting> = None;
        let links = (0..touch.num_links()).map(|link| (link, touch.capsule(link)));
        let hands = (0..touch.num_links()).filter_map(|link| Some((link, touch.hand(link)?)));
        for (link, capsule) in links.chain(hands) {
            // What stands fixed under the feet is the simulation's ground already.
            if fixed && is_foot(touch.setup.body.link(link).role) {
                continue;
            }
            // Nor is a shin hit by what its foot stands in: the target's ground is there, not on the object.
            let within = |p: DVec3| object.shape.contains_point(pose, p.as_vec3());
            let inside = if fixed { touch.foot_in(link, within) } else { None };
            if inside == Some(true) {
                continue;
            }
            let middle = 0.5 * (capsule.start + capsule.end);
            let own = touch.velocity(link, middle);
            let reach = 0.5 * capsule.start.distance(capsule.end) + capsule.radius + object.thing.reach();
            let apart = (velocity.as_dvec3() - own).length() * dt;
            // What is not a number is not near.
            let near = centre.distance(middle) <= reach + apart + 0.01;
            if !near {
                continue;
            }
            let (a, b) = (capsule.start.as_vec3(), capsule.end.as_vec3());
            let shape = match a.distance(b) < 1e-3 {
                true => (Pose::from_parts(a, glam::Quat::IDENTITY), SharedShape::ball(capsule.radius as f32)),
                false => (Pose::IDENTITY, SharedShape::capsule(a, b, capsule.radius as f32)),
            };
            let Some(found) = sweep(pose, velocity, &object.shape, &shape, own.as_vec3(), dt as f32) else {
                continue;
            };
            let (after_s, at, normal, depth) = found;
            // A foot on its way through a plate takes its shin along; before a wall only the foot passes.
            if inside.is_some() && f64::from(normal.y) > FROM_BELOW {
                continue;
            }
            let way = (velocity - own.as_vec3()) * after_s;
            let closing = (rigid.velocity_at_point(at - way).as_dvec3()
                - touch.velocity(link, at.as_dvec3()))
            .dot(normal.as_dvec3());
            let meeting = Meeting {
                link,
                after_s: f64::from(after_s),
                way,
                at: at.as_dvec3(),
                normal: normal.as_dvec3().normalize_or_zero(),
                depth: f64::from(depth),
                closing,
            };
            let usable = meeting.normal != DVec3::ZERO && (closing > 0.0 || meeting.depth > SLOP_M);
            let before =
                |other: &Meeting| (meeting.after_s, -meeting.closing) < (other.after_s, -other.closing);
            if usable && first.as_ref().is_none_or(before) {
                first = Some(meeting);
            }
        }
        first
    }

    /// Equal and opposite impulses on object and link.
    fn exchange(&mut self, body: usize, meeting: &Meeting, touch: &mut Touch<'_>) {
        let object = &self.objects[body];
        let Some(rigid) = object.handle.and_then(|handle| self.physics.bodies.get_mut(handle)) else {
            return;
        };
        let &Meeting { link, at, normal, closing, depth, way, .. } = meeting;
        let sliding = rigid.velocity_at_point(at.as_vec3() - way).as_dvec3() - touch.velocity(link, at);
        // Brought to the place of touch: a fast ball would else turn back a hand's breadth before the body.
        if rigid.is_dynamic() {
            rigid.set_translation(rigid.translation() + way, true);
        }
        let (arm, step_s) = (at.as_vec3() - rigid.translation(), touch.step_s());
        let whole = touch.setup.body.mass();
        let mut softness = |rigid: &RigidBody, along: DVec3| -> [f64; 2] {
            let [held, free] = touch.masses(link, at, along);
            let held = if along.y > FROM_BELOW { free } else { held.min(whole) };
            [held, free].map(|mass| 1.0 / mass + softness(rigid, arm, along))
        };
        let [k, free] = softness(rigid, normal);
        // Neither is a number where the body's own is none.
        let gives = k > 0.0 && free > 0.0;
        if !gives {
            return;
        }
        let bounce = if closing > BOUNCE_M_S { object.thing.restitution } else { 0.0 };
        let apart = ((depth - SLOP_M).max(0.0) * PUSH_BACK / step_s).min(PUSH_BACK_M_S);
        // What comes nearer is stopped; only then is an overlap taken back.
        let along =
            ((1.0 + bounce) * closing / k).max(closing.max(0.0) / k + (closing.min(0.0) + apart) / free);
        let along = along.max(0.0);
        let sliding = sliding - normal * sliding.dot(normal);
        let speed = sliding.length();
        let mut impulse = normal * along;
        if speed > 1e-6 {
            let across = sliding / speed;
            let [k, _] = softness(rigid, across);
            if k > 0.0 {
                impulse += across * (speed / k).min(object.thing.friction * along);
            }
        }
        // Cut here as the simulation would cut it, so that both sides get the same.
        let impulse = impulse.clamp_length_max(MAX_IMPULSE_N_S);
        if !impulse.is_finite() || impulse == DVec3::ZERO {
            return;
        }
        touch.push(link, at, impulse);
        rigid.apply_impulse(-impulse.as_vec3(), true);
        rigid.apply_torque_impulse(-arm.cross(impulse.as_vec3()), true);
        self.hits.push(Hit {
            t: touch.time_s(),
            body,
            link,
            at_m: at.to_array(),
            impulse_n_s: impulse.to_array(),
        });
    }
}

/// How fast the object moves at `arm` from its centre along unit `along` for an impulse of 1 N·s there, 1/kg.
fn softness(rigid: &RigidBody, arm: Vec3, along: DVec3) -> f64 {
    if !rigid.is_dynamic() {
        return 0.0;
    }
    let props = rigid.mass_properties();
    let turn = props.effective_world_inv_inertia * arm.cross(along.as_vec3());
    f64::from(props.effective_inv_mass.x) + turn.cross(arm).as_dvec3().dot(along)
}

/// Seconds until the object touches the link within the step, where on the link (world, now), the normal into the link,
/// and the overlap.
fn sweep(
    pose: &Pose,
    velocity: Vec3,
    shape: &SharedShape,
    link: &(Pose, SharedShape),
    link_velocity: Vec3,
    dt: f32,
) -> Option<(f32, Vec3, Vec3, f32)> {
    let options = ShapeCastOptions { max_time_of_impact: dt, ..ShapeCastOptions::default() };
    let hit =
        cast_shapes(pose, velocity, &*shape.0, &link.0, link_velocity, &*link.1.0, options).ok().flatten()?;
    let found = if hit.status == ShapeCastStatus::PenetratingOrWithinTargetDist {
        let touching = contact(pose, &*shape.0, &link.0, &*link.1.0, 0.0).ok().flatten()?;
        (0.0, touching.point2, touching.normal1, -touching.dist)
    } else {
        (hit.time_of_impact, link.0 * hit.witness2, pose.rotation * hit.normal1, 0.0)
    };
    (found.1.is_finite() && found.2.is_finite()).then_some(found)
}

fn is_foot(role: Role) -> bool {
    [Role::LeftFoot, Role::RightFoot, Role::LeftToes, Role::RightToes].contains(&role)
}
