//! Footsteps: where they go, and which no body can make.

use glam::Vec3;
use ugoki_base::ground::wrap_angle;
use ugoki_base::skeleton::Side;

use serde::Serialize;

use super::beyond::Beyond;
use super::gait::side;
use super::{Gait, StepFault, WalkError};
use crate::edit::player::{Footfall, index};

/// One planned step, in the world in which the motion starts above the origin facing +Z.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Footstep {
    /// The foot that steps.
    pub foot: Side,
    /// The planted ankle's ground point: x and z, with the ground's height as y, metres.
    pub place: Vec3,
    /// Ankle to toe over the ground, degrees from +Z to the left; without one the foot turns as the other stands.
    pub heading_deg: Option<f32>,
}

impl Footstep {
    pub(super) fn footfall(&self) -> Footfall {
        Footfall { place: self.place, heading: self.heading_deg.map(f32::to_radians) }
    }
}

/// A plan by its length of step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strides {
    /// Distance between successive footfalls along the way, of the first step and of the last, metres.
    pub stride_m: [f32; 2],
    /// How many steps.
    pub count: usize,
    /// Turn to the left over all steps, degrees.
    pub turn_deg: f32,
}

/// Most steps of one plan: an hour and a half of walking.
pub const MAX_STEPS: usize = 10_000;
/// Farthest from the start, metres, at which f32 still tells tenths of a millimetre.
const FARTHEST_M: f32 = 1000.0;
/// Longest step between ankles, as a share of the leg: the hips then sink by a quarter of the leg.
const LONGEST: f32 = 1.25;
/// Highest and deepest step, as a share of the leg.
const HIGHEST: f32 = 0.45;
/// How much of a step's reach each metre of height takes.
const HEIGHT_SHARE: f32 = 1.5;
/// How far out to its own side a foot must land, by how far along the way it lands from the other, both metres for a leg of
/// 0.85 m. Side by side they keep the width of a foot; a foot's length ahead they may just cross; well ahead they cross as far
/// as in the captures' own turns.
const LEAST_OUT_M: [(f32, f32); 3] = [(0.0, 0.08), (0.22, -0.04), (0.5, -0.17)];
/// Largest turn of a foot against the other, degrees: both hips turned out.
const MOST_TURN_DEG: f32 = 70.0;

/// Heights of the ground nearer than this to where the source stands first are that, metres for a leg of 0.85 m; as `Stance::level`.
const LEVEL_M: f32 = 0.05;
/// What planned feet are farther apart than they must be, metres.
const ROOM_M: f32 = 0.01;

/// A standing foot, for judging the next step: where, and where the body faces above it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stands {
    pub(super) ankle: Vec3,
    pub(super) faces: f32,
}

impl Gait {
    /// The plan of a walk by strides, beginning with the source's first foot.
    ///
    /// # Errors
    /// When a number is not finite or there are no steps or too many.
    pub fn plan(&self, strides: &Strides) -> Result<Vec<Footstep>, WalkError> {
        let Strides { stride_m, count, turn_deg } = *strides;
        if count == 0 {
            return Err(WalkError::EmptyPlan);
        }
        if count > MAX_STEPS {
            return Err(WalkError::TooManySteps { steps: count, max: MAX_STEPS });
        }
        if !(stride_m[0].is_finite() && stride_m[1].is_finite() && turn_deg.is_finite()) {
            return Err(WalkError::NotFinite);
        }
        let mut foot = self.first_foot();
        let stands = self.first_stance(foot);
        let out = |foot: Side, heading: f32, half_width: f32| {
            let own = if foot == Side::Left { 1.0 } else { -1.0 };
            Vec3::new(heading.cos(), 0.0, -heading.sin()) * own * half_width
        };
        let other = side(1 - index(foot));
        // On the ground on which the other foot stands: the floor, or a step.
        let ground = stands.ankle.y;
        let ground = if ground.abs() < LEVEL_M * self.source().scale() { 0.0 } else { ground };
        let mut middle = stands.ankle.with_y(ground) - out(other, 0.0, self.half_width);
        let mut steps = Vec::with_capacity(count);
        for step in 0..count {
            let share = (step as f32 + 1.0) / count as f32;
            let along = if count == 1 { 0.0 } else { step as f32 / (count - 1) as f32 };
            let stride = stride_m[0] + (stride_m[1] - stride_m[0]) * along;
            let heading = turn_deg.to_radians() * share;
            let way = heading + self.goes - 0.5 * turn_deg.to_radians() / count as f32;
            middle += stride * Vec3::new(way.sin(), 0.0, way.cos());
            let toe = (heading + self.toe_out[index(foot)]).to_degrees();
            let half_width = 0.5 * self.beside(stride);
            steps.push(Footstep {
                foot,
                place: middle + out(foot, heading, half_width),
                heading_deg: Some(toe),
            });
            foot = side(1 - index(foot));
        }
        Ok(steps)
    }

    /// Where the source itself steps, from its first foot on: a plan that changes nothing.
    #[must_use]
    pub fn own_plan(&self) -> Vec<Footstep> {
        let start = self.start(self.first_foot());
        let source = self.source();
        (self.steps[start.step..].iter())
            .map(|step| {
                let feet = &source.feet[step.foot];
                let stance = &feet.stances[step.stance];
                let ankle = start.place.point(stance.ankle);
                let heading = (stance.heading + start.place.yaw).to_degrees();
                Footstep {
                    foot: side(step.foot),
                    place: ankle - Vec3::Y * feet.rest_m(stance),
                    heading_deg: Some(heading),
                }
            })
            .collect()
    }

    /// How far the source's own steps go beyond the limits.
    pub(super) fn beyond(&self) -> Beyond {
        let mut beyond = Beyond::default();
        let plan = self.own_plan();
        let Some(first) = plan.first() else { return beyond };
        let mut stands = self.first_stance(first.foot);
        for step in &plan {
            let by = step.place - stands.ankle;
            let turn = (self.faces(step, &stands) - stands.faces).to_degrees();
            let [along, out] = self.along_and_out(step, &stands);
            beyond.high = beyond.high.max(by.y.abs() - self.highest());
            beyond.long = beyond.long.max(by.with_y(0.0).length() - self.longest(by.y));
            beyond.turn_deg = beyond.turn_deg.max(turn.abs() - MOST_TURN_DEG);
            beyond.across = beyond.across.max(self.least_out(along) - out);
            stands = Stands { ankle: step.place, faces: self.faces(step, &stands) };
        }
        beyond
    }

    /// Where the foot that does not step first stands then, as the source has it.
    #[must_use]
    pub fn stands_first(&self, first: Side) -> Footstep {
        let start = self.start(first);
        let source = self.source();
        let other = 1 - index(first);
        let feet = &source.feet[other];
        let stance = feet.stance_before(self.steps[start.step].frame as f64).unwrap_or(0);
        let heading = feet.stances.get(stance).map(|stance| (stance.heading + start.place.yaw).to_degrees());
        Footstep { foot: side(other), place: self.first_stance(first).ankle, heading_deg: heading }
    }

    /// Where the other foot stands when `foot` steps first.
    pub(super) fn first_stance(&self, foot: Side) -> Stands {
        let start = self.start(foot);
        let source = self.source();
        let other = 1 - index(foot);
        let time = self.steps[start.step].frame;
        let feet = &source.feet[other];
        let stance = feet.stance_before(time as f64).unwrap_or(0);
        let stance = &feet.stances[stance];
        // The motion starts facing +Z.
        Stands { ankle: start.place.point(stance.ankle) - Vec3::Y * feet.rest_m(stance), faces: 0.0 }
    }

    /// The plan if a body can walk it; with `clamp`, the nearest one that it can.
    ///
    /// # Errors
    /// Names the first step that is impossible, and the limit.
    pub fn check(&self, plan: &[Footstep], clamp: bool) -> Result<Vec<Footstep>, WalkError> {
        let Some(first) = plan.first() else { return Err(WalkError::EmptyPlan) };
        if plan.len() > MAX_STEPS {
            return Err(WalkError::TooManySteps { steps: plan.len(), max: MAX_STEPS });
        }
        for (at, step) in plan.iter().enumerate() {
            let fail = |fault| Err(WalkError::Step { step: at + 1, foot: step.foot, fault });
            for (what, value) in [("x", step.place.x), ("y", step.place.y), ("z", step.place.z)] {
                if !value.is_finite() {
                    return fail(StepFault::NotFinite { what });
                }
            }
            if step.heading_deg.is_some_and(|heading| !heading.is_finite()) {
                return fail(StepFault::NotFinite { what: "heading_deg" });
            }
            if step.place.length() > FARTHEST_M {
                return fail(StepFault::Far { metres: step.place.length(), max: FARTHEST_M });
            }
            if at > 0 && plan[at - 1].foot == step.foot {
                return fail(StepFault::SameFoot { foot: step.foot });
            }
        }
        let mut stands = self.first_stance(first.foot);
        let mut checked = Vec::with_capacity(plan.len());
        for (at, step) in plan.iter().enumerate() {
            let mut step = *step;
            if clamp {
                self.pull_in(&mut step, &stands);
            }
            if let Some(fault) = self.fault(&step, &stands) {
                return Err(WalkError::Step { step: at + 1, foot: step.foot, fault });
            }
            stands = Stands { ankle: step.place, faces: self.faces(&step, &stands) };
            checked.push(step);
        }
        Ok(checked)
    }

    /// Where the body faces above a step.
    pub(super) fn faces(&self, step: &Footstep, stands: &Stands) -> f32 {
        step.heading_deg.map_or(stands.faces, |heading| {
            let faces = heading.to_radians() - self.toe_out[index(step.foot)];
            stands.faces + wrap_angle(f64::from(faces - stands.faces)) as f32
        })
    }

    pub(super) fn leg_m(&self) -> f32 {
        self.source().toes.leg_m as f32
    }

    /// Along the way and out to the foot's own side, from the other foot, metres.
    pub(super) fn along_and_out(&self, step: &Footstep, stands: &Stands) -> [f32; 2] {
        let faces = 0.5 * (self.faces(step, stands) + stands.faces);
        let by = step.place - stands.ankle;
        let own = if step.foot == Side::Left { 1.0 } else { -1.0 };
        [by.x * faces.sin() + by.z * faces.cos(), own * (by.x * faces.cos() - by.z * faces.sin())]
    }

    /// Least distance out to the own side for a step this far along.
    fn least_out(&self, along: f32) -> f32 {
        let scale = self.source().scale();
        let along = along.abs() / scale;
        let [near, ahead, far] = LEAST_OUT_M;
        let between = |a: (f32, f32), b: (f32, f32)| {
            let share = ((along - a.0) / (b.0 - a.0)).clamp(0.0, 1.0);
            a.1 + (b.1 - a.1) * share
        };
        scale * if along < ahead.0 { between(near, ahead) } else { between(ahead, far) } - self.own.across
    }

    /// How far out steps this far along are planned: as the source, or farther, since short steps need their feet farther apart.
    pub(super) fn beside(&self, along: f32) -> f32 {
        (self.least_out(along) + 2.0 * ROOM_M).max(2.0 * self.half_width)
    }

    /// Highest and deepest step.
    fn highest(&self) -> f32 {
        HIGHEST * self.leg_m() + self.own.high
    }

    /// Largest turn from step to step, degrees.
    fn most_turn_deg(&self) -> f32 {
        MOST_TURN_DEG + self.own.turn_deg
    }

    /// Longest step for a difference of height.
    fn longest(&self, rise: f32) -> f32 {
        // A source that runs makes longer steps than walks may.
        let most = (LONGEST * self.leg_m()).max(1.05 * self.longest_m);
        (most * most - (HEIGHT_SHARE * rise).powi(2)).max(0.0).sqrt() + self.own.long
    }

    fn fault(&self, step: &Footstep, stands: &Stands) -> Option<StepFault> {
        // A hair of room, so that a clamped step passes.
        let room = 1e-4;
        let by = step.place - stands.ankle;
        let highest = self.highest();
        if by.y.abs() > highest + room {
            return Some(StepFault::High { metres: by.y.abs(), max: highest });
        }
        let (length, longest) = (by.with_y(0.0).length(), self.longest(by.y));
        if length > longest + room {
            return Some(StepFault::Long { metres: length, max: longest });
        }
        let turn = (self.faces(step, stands) - stands.faces).to_degrees();
        let most = self.most_turn_deg();
        if turn.abs() > most + 0.01 {
            return Some(StepFault::Turns { degrees: turn.abs(), max: most });
        }
        let [along, out] = self.along_and_out(step, stands);
        let least = self.least_out(along);
        (out < least - room).then_some(StepFault::Crosses { metres: -out, max: -least })
    }

    /// Moves a step to where a body can make it.
    pub(super) fn pull_in(&self, step: &mut Footstep, stands: &Stands) {
        let turn = (self.faces(step, stands) - stands.faces).to_degrees();
        let most = self.most_turn_deg();
        if turn.abs() > most
            && let Some(heading) = &mut step.heading_deg
        {
            *heading += turn.clamp(-most, most) - turn;
        }
        let highest = self.highest();
        let mut by = step.place - stands.ankle;
        let high = by.y.abs() > highest;
        by.y = by.y.clamp(-highest, highest);
        let longest = self.longest(by.y);
        let flat = by.with_y(0.0);
        // What is possible keeps its bits.
        if high || flat.length() > longest {
            step.place = stands.ankle + flat.clamp_length_max(longest).with_y(by.y);
        }
        let [along, out] = self.along_and_out(step, stands);
        let least = self.least_out(along);
        if out < least {
            // Out to the own side, and back along the way if that makes the step too long.
            let faces = 0.5 * (self.faces(step, stands) + stands.faces);
            let own = if step.foot == Side::Left { 1.0 } else { -1.0 };
            let left = Vec3::new(faces.cos(), 0.0, -faces.sin());
            let ahead = Vec3::new(faces.sin(), 0.0, faces.cos());
            let most = (longest * longest - least * least).max(0.0).sqrt();
            let along = along.clamp(-most, most);
            step.place = stands.ankle + along * ahead + least * own * left + Vec3::Y * by.y;
        }
    }
}
