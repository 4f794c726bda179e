//! Footsteps: where they go, and the limits beyond which no body makes them.

use glam::{Quat, Vec3};
use ugoki_base::ground::{GroundFrame, wrap_angle};
use ugoki_base::skeleton::Side;

use serde::Serialize;

use super::error::Excess;
use super::gait::{other, outward, side};
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
    /// Distance between successive footfalls along the path, of the first step and of the last, metres.
    pub stride_m: [f32; 2],
    /// How many steps.
    pub count: usize,
    /// Turn to the left over all steps, degrees.
    pub turn_deg: f32,
}

/// Most steps of one plan: an hour and a half of walking.
pub const MAX_STEPS: usize = 10_000;
/// Farthest from the start, metres, at which f32 still resolves tenths of a millimetre.
const FARTHEST_M: f32 = 1000.0;
/// Longest and highest step, as parts of the leg: the hips then sink by a quarter of the leg.
const REACH: [f32; 2] = [1.25, 0.45];
/// How much of a step's reach each metre of height takes, metres.
const REACH_PER_RISE: f32 = 1.5;
/// How far out to its own side a foot must land, by how far along it lands from the other, both metres for a leg of
/// 0.85 m. Side by side they keep the width of a foot; a foot's length ahead they may just cross; well ahead they cross as far
/// as in the captures' own turns.
const LEAST_OUT_M: [(f32, f32); 3] = [(0.0, 0.08), (0.22, -0.04), (0.5, -0.17)];
/// Largest turn of a foot against the other, degrees: both hips turned out.
const MOST_TURN_DEG: f32 = 70.0;
/// What planned and moved feet are farther apart than they must be, metres: no step then lies on its limit.
pub(super) const ROOM_M: f32 = 0.01;
/// Excess that is rounding, metres or degrees, so that a clamped step passes.
const ROUNDING: f32 = 1e-3;

/// A standing foot: where, and where the body faces above it, radians.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stands {
    pub(super) ankle: Vec3,
    pub(super) faces: f32,
}

/// A step seen from the other foot, half turned: ahead, out to its own side and up, metres, and the turn, radians to the left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stride {
    pub(super) along: f32,
    pub(super) out: f32,
    pub(super) rise: f32,
    pub(super) turn: f32,
}

/// One limit of plans: its fault, the figure found and the most allowed.
type Limit = (fn(Excess) -> StepFault, f32, f32);

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
        let (standing, stance) = self.first_stance(foot);
        // On the ground on which the other foot stands: the floor, or a step.
        let ground = self.source().feet[standing].stances[stance].level;
        let ankle = self.stands_first(foot).place.with_y(ground);
        let mut middle = ankle - self.half_width * outward(other(foot), 0.0);
        let mut steps = Vec::with_capacity(count);
        for step in 0..count {
            let along = step as f32 / (count - 1).max(1) as f32;
            let stride = stride_m[0] + (stride_m[1] - stride_m[0]) * along;
            let turn = turn_deg.to_radians() / count as f32;
            let heading = turn * (step as f32 + 1.0);
            middle += stride * (Quat::from_rotation_y(heading + self.goes - 0.5 * turn) * Vec3::Z);
            steps.push(Footstep {
                foot,
                place: middle + 0.5 * self.planned_out(stride) * outward(foot, heading),
                heading_deg: Some((heading + self.toe_out[index(foot)]).to_degrees()),
            });
            foot = other(foot);
        }
        Ok(steps)
    }

    /// Where the source itself steps, from its first foot on: a plan that changes nothing.
    #[must_use]
    pub fn own_plan(&self) -> Vec<Footstep> {
        let start = self.start(self.first_foot());
        self.steps[start.step..]
            .iter()
            .map(|step| self.own_step(step.foot, step.stance, &start.place))
            .collect()
    }

    /// Where the source stands in a stance when it is moved by `place`.
    pub(super) fn own_step(&self, foot: usize, stance: usize, place: &GroundFrame) -> Footstep {
        let feet = &self.source().feet[foot];
        let stance = &feet.stances[stance];
        Footstep {
            foot: side(foot),
            place: place.point(stance.ankle) - Vec3::Y * feet.rest_m(stance),
            heading_deg: Some((stance.heading + place.yaw).to_degrees()),
        }
    }

    /// How far the source's own steps go beyond the limits of plans: rise, length, turn and across.
    pub(super) fn own_excess(&self) -> [f32; 4] {
        let plan = self.own_plan();
        let mut most = [0.0_f32; 4];
        for (step, stands) in plan.iter().zip(self.standing(&plan)) {
            let limits = self.limits(&self.stride(step, &stands));
            most = std::array::from_fn(|i| most[i].max(limits[i].1 - limits[i].2));
        }
        most
    }

    /// The foot that does not step first and the stance in which it is when the other one does.
    fn first_stance(&self, first: Side) -> (usize, usize) {
        let (time, standing) = (self.steps[self.start(first).step].frame, index(other(first)));
        (standing, self.source().feet[standing].stance_before(time as f64).unwrap_or(0))
    }

    /// Where the foot that does not step first stands then, as the source has it.
    #[must_use]
    pub fn stands_first(&self, first: Side) -> Footstep {
        let (foot, stance) = self.first_stance(first);
        self.own_step(foot, stance, &self.start(first).place)
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
        let mut stands = self.stands_at_first(first.foot);
        let mut checked: Vec<Footstep> = Vec::with_capacity(plan.len());
        for (at, step) in plan.iter().enumerate() {
            let mut step = *step;
            let before = checked.last().map(|step| step.foot);
            let fault = invalid(&step, before).or_else(|| {
                if clamp {
                    self.pull_in(&mut step, &stands);
                }
                self.fault(&self.stride(&step, &stands))
            });
            if let Some(fault) = fault {
                return Err(WalkError::Step { step: at + 1, foot: step.foot, fault });
            }
            stands = self.stands_on(&step, &stands);
            checked.push(step);
        }
        Ok(checked)
    }

    /// What stands before each step of a plan and after the last.
    pub(super) fn standing(&self, plan: &[Footstep]) -> Vec<Stands> {
        let mut all = Vec::with_capacity(plan.len() + 1);
        all.extend(plan.first().map(|first| self.stands_at_first(first.foot)));
        for (at, step) in plan.iter().enumerate() {
            all.push(self.stands_on(step, &all[at]));
        }
        all
    }

    fn stands_at_first(&self, first: Side) -> Stands {
        // The motion starts facing +Z.
        Stands { ankle: self.stands_first(first).place, faces: 0.0 }
    }

    /// The foot of a step when it has landed next to the one that stands.
    pub(super) fn stands_on(&self, step: &Footstep, stands: &Stands) -> Stands {
        Stands { ankle: step.place, faces: stands.faces + self.stride(step, stands).turn }
    }

    pub(super) fn leg_m(&self) -> f32 {
        self.source().toes.leg_m as f32
    }

    /// A step seen from the foot that stands.
    pub(super) fn stride(&self, step: &Footstep, stands: &Stands) -> Stride {
        let turn = step.heading_deg.map_or(0.0, |heading| {
            wrap_angle(f64::from(heading.to_radians() - self.toe_out[index(step.foot)] - stands.faces)) as f32
        });
        let faces = stands.faces + 0.5 * turn;
        let by = step.place - stands.ankle;
        let ahead = Vec3::new(faces.sin(), 0.0, faces.cos());
        Stride { along: by.dot(ahead), out: by.dot(outward(step.foot, faces)), rise: by.y, turn }
    }

    /// The step that makes a stride.
    pub(super) fn step_from(&self, stands: &Stands, foot: Side, stride: &Stride) -> Footstep {
        let faces = stands.faces + 0.5 * stride.turn;
        let ahead = Vec3::new(faces.sin(), 0.0, faces.cos());
        let by = stride.along * ahead + stride.out * outward(foot, faces) + stride.rise * Vec3::Y;
        Footstep {
            foot,
            place: stands.ankle + by,
            heading_deg: Some((stands.faces + stride.turn + self.toe_out[index(foot)]).to_degrees()),
        }
    }

    /// Least distance out to the own side for a step this far along, metres.
    fn least_out(&self, along: f32) -> f32 {
        let scale = self.source().scale();
        let along = along.abs() / scale;
        let [near, ahead, far] = LEAST_OUT_M;
        let (a, b) = if along < ahead.0 { (near, ahead) } else { (ahead, far) };
        let part = ((along - a.0) / (b.0 - a.0)).clamp(0.0, 1.0);
        scale * (a.1 + (b.1 - a.1) * part) - self.own_excess[3]
    }

    /// How far out steps this far along are planned: as the source, or farther, since short steps need their feet farther apart.
    pub(super) fn planned_out(&self, along: f32) -> f32 {
        (self.least_out(along) + 2.0 * ROOM_M).max(2.0 * self.half_width)
    }

    /// Rise, length, turn and place across the other foot's line of a step, with their limits: metres and degrees.
    fn limits(&self, stride: &Stride) -> [Limit; 4] {
        let own = self.own_excess;
        let highest = REACH[1] * self.leg_m() + own[0];
        // A source that runs makes longer steps than walks may.
        let reach = (REACH[0] * self.leg_m()).max(1.05 * self.longest_m);
        let taken = REACH_PER_RISE * stride.rise.abs().min(highest);
        let longest = (reach * reach - taken * taken).max(0.0).sqrt() + own[1];
        [
            (StepFault::High, stride.rise.abs(), highest),
            (StepFault::Long, stride.along.hypot(stride.out), longest),
            (StepFault::Turns, stride.turn.to_degrees().abs(), MOST_TURN_DEG + own[2]),
            (StepFault::Crosses, -stride.out, -self.least_out(stride.along)),
        ]
    }

    fn fault(&self, stride: &Stride) -> Option<StepFault> {
        let (fault, found, max) =
            self.limits(stride).into_iter().find(|(_, found, max)| *found > max + ROUNDING)?;
        Some(fault(Excess { found, max }))
    }

    /// Moves a step to where a body can make it; what is possible keeps its bits.
    pub(super) fn pull_in(&self, step: &mut Footstep, stands: &Stands) {
        let turn = self.stride(step, stands).turn.to_degrees();
        let most = MOST_TURN_DEG + self.own_excess[2];
        if let Some(heading) = step.heading_deg.as_mut().filter(|_| turn.abs() > most) {
            *heading += turn.clamp(-most, most) - turn;
        }
        let mut stride = self.stride(step, stands);
        if self.fault(&stride).is_none() {
            return;
        }
        let [(_, _, highest), (_, length, longest), ..] = self.limits(&stride);
        stride.rise = stride.rise.clamp(-highest, highest);
        if length > longest {
            stride.along *= longest / length;
            stride.out *= longest / length;
        }
        // Out to the own side, and back along the path if that makes the step too long.
        let least = self.least_out(stride.along);
        if stride.out < least {
            let most = (longest * longest - least * least).max(0.0).sqrt();
            (stride.out, stride.along) = (least, stride.along.clamp(-most, most));
        }
        step.place = self.step_from(stands, step.foot, &stride).place;
    }
}

/// What is wrong with a step wherever the other foot stands, which made the step `before`.
fn invalid(step: &Footstep, before: Option<Side>) -> Option<StepFault> {
    let Footstep { foot, place, heading_deg } = *step;
    let numbers =
        [("x", place.x), ("y", place.y), ("z", place.z), ("heading_deg", heading_deg.unwrap_or(0.0))];
    if let Some((what, _)) = numbers.into_iter().find(|(_, value)| !value.is_finite()) {
        return Some(StepFault::NotFinite { what });
    }
    if place.length() > FARTHEST_M {
        return Some(StepFault::Far(Excess { found: place.length(), max: FARTHEST_M }));
    }
    (before == Some(foot)).then_some(StepFault::SameFoot { foot })
}
