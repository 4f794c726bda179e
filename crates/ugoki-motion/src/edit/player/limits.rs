//! Human limits of a changed target: the request is met later, or as near as possible, and the deviation is returned.
//!
//! A change is tried on a copy of [`Stepping`] that is played ahead until the foot has landed and the hips have followed. If a foot or a
//! knee is too fast there, the step is taken slower; if that is not enough, the target is moved back towards where the foot was going,
//! by bisection. A change within the limits is met exactly.

use glam::{Quat, Vec3};
use ugoki_base::ground::wrap_angle;
use ugoki_feet::feet::bend_at;

use super::course::Course;
use super::foot::Foot;
use super::inertialize::FADE_S;
use super::interpolate::Between;
use super::pace::RATES;
use super::source::Source;
use super::speed_limits::SpeedLimits;
use super::stand::{Footfall, Stand};
use super::stepping::Stepping;

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
/// Step in which a motion is played ahead, seconds: a knee that comes to be straight is fast for a hundredth of a second.
const STEP_S: f64 = 1.0 / 120.0;
/// Longest time that is played ahead, seconds: twice the slowest step.
const AHEAD_S: f64 = 2.0;
/// Longest step from the other foot, as a part of the leg, and relative to the source's own where that is longer.
const LONGEST: [f32; 2] = [1.1, 1.05];
/// Halvings of an interval in which the most that is possible is searched: to 1.6 % of it.
pub(crate) const HALVINGS: usize = 6;
/// Frames that a foot must still have to go for its target to change: two make a path that can end anywhere.
const LEAST_FRAMES: f64 = 2.0;

/// What happens until a foot has landed and the hips have followed.
struct Ahead {
    /// Fastest foot and knee.
    fastest: SpeedLimits,
    /// When the foot lands, seconds from now.
    lands_s: f64,
}

impl Stepping {
    /// Gives a foot a target, or takes it away, within the limits of the source.
    pub(super) fn retarget(
        &mut self,
        course: &Course<'_>,
        side: usize,
        target: Option<Footfall>,
    ) -> Deviation {
        let (before, source) = (*self, course.source());
        let mut full = before.aimed(source, side, target, 1.0);
        let wanted = full.feet[side].next;
        let missed = |found: &Self| deviation(&found.feet[side].next, &wanted, target);
        let reached = full.within_legs(source, side);
        if reached.is_some() {
            full = before.aimed(source, side, reached, 1.0);
        }
        let lands = before.feet[side].next_landing(source).map(|landing| landing.1);
        if before.feet[side].is_swinging() && lands.is_some_and(|at| at - before.time < LEAST_FRAMES) {
            return missed(&before);
        }
        if source.limits.over(&full.ahead(*course, side).fastest) <= 1.0 {
            *self = full;
            return missed(self);
        }
        // What is faster already may stay so.
        let limits = source.limits.or(&before.ahead(*course, side).fastest);
        let slowest = before.slowest(source, side);
        let aim = full.feet[side].next;
        let tried = |part: f32, tempo: f32| {
            let nearer = || before.feet[side].next.towards(&aim, part, source, &before.feet[side]);
            let target = if part < 1.0 { Some(nearer()) } else { reached.or(target) };
            let tried = before.aimed(source, side, target, tempo);
            let ahead = tried.ahead(*course, side);
            (limits.over(&ahead.fastest) <= 1.0).then_some((tried, ahead.lands_s))
        };
        // Slower first: half as much, and as much as the hips can brake.
        let mut best = [1.0, 0.5 * (1.0 + slowest), slowest].into_iter().find_map(|tempo| tried(1.0, tempo));
        if best.is_none() {
            let (mut near, mut far) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let part = 0.5 * (near + far);
                match tried(part, slowest) {
                    Some(found) => (near, best) = (part, Some(found)),
                    None => far = part,
                }
            }
        }
        let Some((found, lands_s)) = best else { return missed(&before) };
        *self = found;
        let mut plain = found;
        (plain.slowed, plain.pace) = (before.slowed, before.pace);
        plain.set_pace(source);
        let seconds = (lands_s - plain.ahead(*course, side).lands_s).max(0.0) as f32;
        Deviation { seconds, ..missed(self) }
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
        let stands = &foot.source(source).stances[next];
        let captured = (stands.ankle - other.source(source).stances.get(stance)?.ankle).with_y(0.0);
        let most = (LONGEST[0] * source.leg_m[side]).max(LONGEST[1] * captured.length());
        let step = (foot.next.ankle - from.ankle).with_y(0.0);
        (step.length() > most).then(|| Footfall {
            place: (from.ankle + step.clamp_length_max(most)).with_y(foot.next.ground),
            heading: Some(stands.heading + foot.next.place.yaw),
        })
    }

    /// A copy with another target, its step taken with another tempo.
    fn aimed(&self, source: &Source, side: usize, target: Option<Footfall>, tempo: f32) -> Self {
        let mut tried = *self;
        tried.feet[side].target = target;
        tried.slowed[side] *= tempo;
        tried.replan(source);
        tried
    }

    /// The slowest pace relative to the present one that the hips can brake to within the step.
    fn slowest(&self, source: &Source, side: usize) -> f32 {
        let Some((_, lands)) = self.feet[side].next_landing(source) else { return 1.0 };
        let pace = f64::from(self.pace.at(self.time));
        let braking_s = 0.5 * ((lands - self.time) / (source.fps * pace)).max(0.0);
        let near = 0.5 * FADE_S * source.fps;
        let by = source.hips_at(self.time + near) - source.hips_at(self.time - near);
        let speed = by.with_y(0.0).length() / FADE_S as f32 * pace as f32;
        // The easing of a pace is 15/8 times as steep at its steepest as on the whole.
        let least = 1.0 - BRAKE_M_S2 * braking_s as f32 / (1.875 * speed.max(0.1));
        least.clamp((RATES[0] / self.slowed[side]).min(1.0), 1.0)
    }

    /// Plays a copy until a foot has landed and the hips have followed.
    fn ahead(&self, mut course: Course<'_>, side: usize) -> Ahead {
        let mut copy = *self;
        let mut ahead = Ahead { fastest: SpeedLimits { foot_m_s: 0.0, knee_rad_s: 0.0 }, lands_s: AHEAD_S };
        let mut last = copy.legs(course.source());
        let mut seconds = 0.0;
        while seconds < AHEAD_S.min(ahead.lands_s + FADE_S) {
            let source = course.source();
            let until = copy.feet[side].next_landing(source).map_or(f64::INFINITY, |landing| landing.1);
            let until_s = (until - copy.time) / (source.fps * f64::from(copy.pace.at(copy.time)));
            let mut landed = [false; 2];
            if !copy.play(&mut course, STEP_S, &mut landed, &mut |_, _, _| {}) {
                break;
            }
            if landed[side] && ahead.lands_s == AHEAD_S {
                ahead.lands_s = seconds + until_s.min(STEP_S);
            }
            seconds += STEP_S;
            let now = copy.legs(course.source());
            for (now, last) in now.iter().zip(&last) {
                ahead.fastest = ahead.fastest.or(&SpeedLimits {
                    foot_m_s: now.0.distance(last.0) / STEP_S as f32,
                    knee_rad_s: (now.1 - last.1).abs() / STEP_S as f32,
                });
            }
            last = now;
        }
        ahead
    }

    /// Ankle and flexion of the knee, radians, of both legs now.
    fn legs(&self, source: &Source) -> [(Vec3, f32); 2] {
        let between = Between::new(self.time, source.num_frames);
        let [hips, turn] = between.pair(&source.hips);
        let turn = Quat::from_vec4(turn).normalize().inverse();
        let offsets =
            [0, 1].map(|side: usize| turn * (between.vector(&source.upper[side]) - hips.truncate()));
        let [(hips, turn), feet @ ..] = self.reaching(source, &between, offsets).handles;
        [0, 1].map(|side: usize| {
            let (hip, ankle) = (hips + turn * offsets[side], feet[side].0);
            (ankle, bend_at(f64::from(hip.distance(ankle)), source.bones[side].map(f64::from)) as f32)
        })
    }
}

/// The deviation of a footfall from the one asked for.
fn deviation(found: &Stand, wanted: &Stand, target: Option<Footfall>) -> Deviation {
    let turned = target.is_none_or(|target| target.heading.is_some());
    let radians = if turned { wrap_angle(f64::from(found.place.yaw - wanted.place.yaw)) as f32 } else { 0.0 };
    Deviation { metres: found.ankle.distance(wanted.ankle), radians, seconds: 0.0 }
}

impl Stand {
    /// The footfall a part of the path from here to another placement of the same stance of a foot.
    fn towards(&self, to: &Self, part: f32, source: &Source, foot: &Foot) -> Footfall {
        let place = self.ankle.with_y(self.ground).lerp(to.ankle.with_y(to.ground), part);
        let stance = foot.next_landing(source).map(|(next, _)| &foot.source(source).stances[next]);
        let yaw = self.place.yaw + part * wrap_angle(f64::from(to.place.yaw - self.place.yaw)) as f32;
        Footfall { place, heading: stance.map(|stance| stance.heading + yaw) }
    }
}
