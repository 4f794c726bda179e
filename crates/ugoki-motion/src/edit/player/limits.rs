//! Human limits of a changed target: the request is met later, or as near as possible, and the deviation is returned.
//!
//! A change is tried on a copy of [`Stepping`] that is played ahead until the foot has landed and the hips have followed. If a foot or a
//! knee is too fast there, the step is taken slower; if that is not enough, the target is moved back towards where the foot was going,
//! by bisection. A change within the limits is met exactly.

use glam::Vec3;
use ugoki_base::ground::wrap_angle;

use super::course::Course;
use super::foot::Foot;
use super::interpolate::Between;
use super::source::Source;
use super::speed_limits::{SpeedLimits, knee_bend};
use super::stand::{Footfall, Stand};
use super::stepping::{HIPS_S, Stepping};

/// How far a request is from being met.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Deviation {
    /// Distance from the requested place to where the foot will land, metres.
    pub metres: f32,
    /// Turn from the requested heading to the one that the foot will have, radians to the left.
    pub radians: f32,
    /// How much later the foot lands than at the pace of its step, seconds.
    pub seconds: f32,
}

impl Deviation {
    /// The request is met exactly and in time.
    pub const NONE: Self = Self { metres: 0.0, radians: 0.0, seconds: 0.0 };
}

/// Largest acceleration of the hips by which a step is slowed, m/s²: what walkers reach in a sudden stop.
const BRAKE_M_S2: f32 = 8.0;
/// Peak slope of the pace's easing, relative to its mean.
const EASE_SLOPE: f32 = 1.875;
/// Slowest that a step is taken for a request, relative to its pace.
const SLOWEST: f32 = 0.65;
/// Step in which a motion is played ahead, seconds, and most steps: a knee that comes to be straight is fast for a hundredth of a second.
const STEP_S: f64 = 1.0 / 120.0;
const MOST_STEPS: usize = 180;
/// Step in which a delay is measured, seconds, and most steps of it.
const DELAY_STEP_S: f64 = 1.0 / 240.0;
const MOST_DELAY_STEPS: usize = 720;
/// Points at which a pace is looked at.
const PACES: usize = 8;
/// Segments within one step ahead at most.
const MAX_SEGMENTS: usize = 8;
/// Longest step from the other foot, as a part of the leg, and relative to the source's own where that is longer.
const LONGEST: f32 = 1.1;
const OWN_LONGEST: f32 = 1.05;
/// Halvings of the way to a target that is too far: to a hundredth of it.
const HALVINGS: usize = 7;
/// Frames that a foot must still have to go for its target to change: two make a path that can end anywhere.
const LEAST_FRAMES: f64 = 2.0;

impl Stepping {
    /// Gives a foot a target, or takes it away, within the limits of the source.
    pub(super) fn retarget(
        &mut self,
        course: &Course<'_>,
        side: usize,
        target: Option<Footfall>,
    ) -> Deviation {
        let (before, source) = (*self, course.source());
        let lands = before.feet[side].next_landing(source).map(|landing| landing.1);
        let late = before.feet[side].is_swinging() && lands.is_some_and(|at| at - self.time < LEAST_FRAMES);
        let mut full = before.aimed(source, side, target, 1.0);
        let (asked, wanted) = (target, full.feet[side].next);
        let target = full.within_legs(source, side).or(target);
        if target != asked {
            full = before.aimed(source, side, target, 1.0);
        }
        if late {
            return off(&before.feet[side].next, &wanted, asked);
        }
        let fits =
            |stepping: &Self, limits: &SpeedLimits| limits.over(&stepping.fastest(*course, side)) <= 1.0;
        if fits(&full, &source.limits) {
            *self = full;
            return off(&full.feet[side].next, &wanted, asked);
        }
        let limits = source.limits.or(&before.fastest(*course, side));
        let slowest = before.slowest(source, side);
        // Slower first: half as much, and as much as the hips can brake.
        let (mut best, aim) = (None, full.feet[side].next);
        for slower in [1.0, 0.5 * (1.0 + slowest), slowest] {
            let tried = before.aimed(source, side, target, slower);
            if fits(&tried, &limits) {
                best = Some((tried, slower));
                break;
            }
        }
        let (mut near, mut far) = (0.0_f32, 1.0_f32);
        if best.is_none() {
            for _ in 0..HALVINGS {
                let part = 0.5 * (near + far);
                let between = before.feet[side].next.towards(&aim, part, source, &before.feet[side]);
                let tried = before.aimed(source, side, Some(between), slowest);
                if fits(&tried, &limits) {
                    (near, best) = (part, Some((tried, slowest)));
                } else {
                    far = part;
                }
            }
        }
        let Some((found, slower)) = best else { return off(&before.feet[side].next, &wanted, asked) };
        *self = found;
        let seconds = match slower < 1.0 {
            true => {
                let mut plain = found;
                (plain.yielding, plain.pace) = (before.yielding, before.pace);
                plain.set_pace(source);
                (found.landing_s(*course, side) - plain.landing_s(*course, side)).max(0.0) as f32
            }
            false => 0.0,
        };
        Deviation { seconds, ..off(&found.feet[side].next, &wanted, asked) }
    }

    /// The footfall nearest to where a foot is to land that legs can open for; none where it already is.
    fn within_legs(&self, source: &Source, side: usize) -> Option<Footfall> {
        let (foot, other) = (&self.feet[side], &self.feet[1 - side]);
        let (next, lands) = foot.next_landing(source)?;
        // The other foot stands where it is, or where it lands before.
        let later =
            other.is_swinging() || other.next_landing(source).is_some_and(|landing| landing.1 < lands);
        let (from, stance) =
            if later { (&other.next, other.next_stance()) } else { (&other.stand, other.stance?) };
        let captured =
            foot.source(source).stances[next].ankle - other.source(source).stances.get(stance)?.ankle;
        let most = (LONGEST * source.leg_m[side]).max(OWN_LONGEST * captured.with_y(0.0).length());
        let way = (foot.next.ankle - from.ankle).with_y(0.0);
        if way.length() <= most {
            return None;
        }
        let place = from.ankle + way.clamp_length_max(most);
        let heading = foot.source(source).stances[next].heading + foot.next.place.yaw;
        Some(Footfall { place: place.with_y(foot.next.ground), heading: Some(heading) })
    }

    /// Seconds until a foot lands when it is played.
    fn landing_s(&self, mut course: Course<'_>, side: usize) -> f64 {
        let (mut ahead, mut landed) = (*self, [false; 2]);
        let moments = (0..MOST_DELAY_STEPS)
            .take_while(|_| ahead.play(&mut course, DELAY_STEP_S, &mut landed) && !landed[side]);
        moments.count() as f64 * DELAY_STEP_S
    }

    /// A copy with another target, its step taken `slower`.
    fn aimed(&self, source: &Source, side: usize, target: Option<Footfall>, slower: f32) -> Self {
        let mut tried = *self;
        tried.feet[side].target = target;
        tried.yielding[side] *= slower;
        tried.replan(source);
        tried
    }

    /// The slowest pace relative to the present one that the hips can brake to within the step.
    fn slowest(&self, source: &Source, side: usize) -> f32 {
        let Some((_, lands)) = self.feet[side].next_landing(source) else { return 1.0 };
        let pace = f64::from(self.pace.at(self.time));
        let braking_s = 0.5 * ((lands - self.time) / (source.fps * pace)).max(0.0);
        let window = 0.1 * source.fps;
        let way = source.hips_at(self.time + window) - source.hips_at(self.time - window);
        let speed = way.with_y(0.0).length() / 0.2 * pace as f32;
        let least = 1.0 - BRAKE_M_S2 * braking_s as f32 / (EASE_SLOPE * speed.max(0.1));
        least.clamp((SLOWEST / self.yielding[side]).min(1.0), 1.0)
    }

    /// Seconds until a foot lands, as things are.
    fn seconds_to_landing(&self, source: &Source, side: usize) -> f32 {
        let Some((_, lands)) = self.feet[side].next_landing(source) else { return 0.0 };
        let step = (lands - self.time) / PACES as f64;
        let paces = (0..PACES).map(|i| f64::from(self.pace.at(self.time + (i as f64 + 0.5) * step)));
        paces.map(|pace| step / (source.fps * pace)).sum::<f64>() as f32
    }

    /// Fastest foot and knee from now until a foot has landed and the hips have followed.
    fn fastest(&self, mut course: Course<'_>, side: usize) -> SpeedLimits {
        let ahead_s = f64::from(self.seconds_to_landing(course.source(), side)) + HIPS_S;
        let moments = ((ahead_s / STEP_S) as usize).min(MOST_STEPS);
        let mut ahead = *self;
        let mut found = SpeedLimits { foot_m_s: 0.0, knee_rad_s: 0.0 };
        let mut last = ahead.legs(course.source());
        for _ in 0..moments {
            if !ahead.play(&mut course, STEP_S, &mut [false; 2]) {
                break;
            }
            let now = ahead.legs(course.source());
            for (now, last) in now.iter().zip(&last) {
                found = found.or(&SpeedLimits {
                    foot_m_s: now.0.distance(last.0) / STEP_S as f32,
                    knee_rad_s: (now.1 - last.1).abs() / STEP_S as f32,
                });
            }
            last = now;
        }
        found
    }

    /// Goes on by `seconds` without a body and adds the feet that landed; false where the motion ends.
    fn play(&mut self, course: &mut Course<'_>, seconds: f64, landed: &mut [bool; 2]) -> bool {
        let mut left_s = seconds;
        for _ in 0..MAX_SEGMENTS {
            let (source, until) = (course.source(), course.until());
            self.advance(source, until, &mut left_s, landed);
            if self.time < until {
                return true;
            }
            match course.follow() {
                None => return false,
                Some(true) => self.enter(source, course),
                Some(false) => {}
            }
        }
        false
    }

    /// Ankle and flexion of the knee, radians, of both legs now.
    fn legs(&self, source: &Source) -> [(Vec3, f32); 2] {
        let between = Between::new(self.time, source.num_frames);
        let [hips, turn] = between.pair(&source.hips);
        let turn = glam::Quat::from_vec4(turn).normalize().inverse();
        let offsets =
            [0, 1].map(|side: usize| turn * (between.vector(&source.upper[side]) - hips.truncate()));
        let reached = self.reaching(source, &between, offsets);
        [0, 1].map(|side: usize| {
            let ankle = reached.handles.feet[side].0;
            let hip = reached.handles.hips.0 + reached.handles.hips.1 * offsets[side];
            (ankle, knee_bend(hip.distance(ankle), source.bones[side]))
        })
    }
}

/// The deviation of a footfall from the one asked for.
fn off(found: &Stand, wanted: &Stand, target: Option<Footfall>) -> Deviation {
    let heading = target.is_none_or(|target| target.heading.is_some());
    let radians =
        if heading { wrap_angle(f64::from(found.place.yaw - wanted.place.yaw)) as f32 } else { 0.0 };
    Deviation { metres: found.ankle.distance(wanted.ankle), radians, seconds: 0.0 }
}

impl Stand {
    /// The footfall a part of the way from here to another placement of the same stance of a foot.
    fn towards(&self, to: &Self, part: f32, source: &Source, foot: &Foot) -> Footfall {
        let place = self.ankle.with_y(self.ground).lerp(to.ankle.with_y(to.ground), part);
        let stance = foot.next_landing(source).map(|(next, _)| &foot.source(source).stances[next]);
        let yaw = self.place.yaw + part * wrap_angle(f64::from(to.place.yaw - self.place.yaw)) as f32;
        Footfall { place, heading: stance.map(|stance| stance.heading + yaw) }
    }
}
