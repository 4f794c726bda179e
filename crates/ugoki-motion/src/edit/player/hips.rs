//! Hips that are being played: carried by both feet's placements, from footfall to footfall.
//!
//! At every footfall the hips belong where the mean of the two feet's placements carries them. In between they go from one
//! to the next in proportion to their own path over the ground, with one velocity before and after each footfall.
//! Their height changes so that legs stay as long as in the source where feet are farther apart or nearer.

use glam::{Quat, Vec3, Vec3A, Vec4};
use ugoki_feet::feet::{LegFrame, LiveLeg, MOST_ROLL, REACH, balance};

use super::foot::Foot;
use super::inertialize::HandleOffset;
use super::interpolate::{Between, ease, turn_by};
use super::place::Place;
use super::source::Source;

/// The path from one footfall to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hips {
    /// When it began and when the next foot lands, in source frames.
    pub(super) from: f64,
    pub(super) to: f64,
    /// When the standing leg passes under the hips.
    pub(super) middle: f64,
    start: Place,
    end: Place,
    /// What the end adds to the start where the path begins and where it ends: metres, and radians of yaw.
    added: [Vec4; 2],
    /// Lengths of the source's path over the ground at both ends, metres.
    arc: [f32; 2],
    /// Velocities at either end beyond those of the placements: metres, and radians of yaw, per metre of path.
    slopes: [Vec4; 2],
    /// Change of height at the start, in the middle and at the end, metres.
    heights: [f32; 3],
    pub(super) offset: HandleOffset,
}

/// How much more hips may rise between footfalls than in the source, as a part of a leg: 3 cm, as in walks of 0.9 m steps against
/// 0.7 m.
const BOB: f32 = 0.035;
/// Parts of a step at which the legs about its footfall are seen; over 1 is after it; not swept.
const SEEN: [f64; 6] = [0.7, 0.8, 0.9, 1.0, 1.1, 1.2];
/// The same for their height: closer together, as a leg is farthest stretched for a moment.
const NEAR_FOOTFALL: [f64; 9] = [0.62, 0.7, 0.78, 0.86, 0.93, 1.06, 1.12, 1.18, 1.24];
/// Parts of a step after the footfall before it and before the one that ends it in which the height stays: without, long steps of the
/// archive jerk hips and knees.
const LEVEL: [f64; 2] = [0.08, 0.18];
/// Parts of a step between which its middle lies for the hips' height: neither half of their path is so short that it shows.
const MIDDLE: [f64; 2] = [0.35, 0.6];
/// Farthest that hips are shifted, as a part of a leg: a bound for footfalls out of reach, not swept.
const MOST_SHIFT: f32 = 0.15;
/// Paths shorter than this, metres, are passed by time instead: hips that stay have no arc length to go by.
const SHORT_PATH_M: f32 = 0.02;

/// The mean of two placements where they carry `at`.
fn mean(a: &Place, b: &Place, at: Vec3) -> Place {
    Place::carrying(at, 0.5 * (a.point(at) + b.point(at)), 0.5 * (a.yaw + b.yaw))
}

/// What taking `at` by the second placement adds to the first: metres, and radians of yaw.
fn between(a: &Place, b: &Place, at: Vec3) -> Vec4 {
    (b.point(at) - a.point(at)).extend(b.yaw - a.yaw)
}

fn arc_at(source: &Source, time: f64) -> f32 {
    Between::new(time, source.num_frames).pair(&source.hips)[0].w
}

impl Hips {
    /// Hips carried by one placement from `from` on.
    pub(super) fn new(source: &Source, place: Place, from: f64) -> Self {
        let to = (source.num_frames - 1) as f64;
        Self {
            from,
            to,
            middle: 0.5 * (from + to),
            start: place,
            end: place,
            added: [Vec4::ZERO; 2],
            arc: [from, to].map(|time| arc_at(source, time)),
            slopes: [Vec4::ZERO; 2],
            heights: [0.0; 3],
            offset: HandleOffset::default(),
        }
    }

    /// Begins the path to the next footfall where the last one ended.
    pub(super) fn follow(&mut self, source: &Source) {
        self.from = self.to;
        self.start = self.end;
        self.slopes[0] = self.slopes[1];
        self.heights[0] = self.heights[2];
        self.arc[0] = arc_at(source, self.from);
    }

    /// Finds the end of the path: where the feet will carry the hips then, and how high. `feet` are as they are now;
    /// their next stances say where they will be. `lands` is the foot that lands first. `middle` is when the standing leg is under the hips,
    /// if known; at the start of the path when that begins there.
    pub(super) fn aim(
        &mut self,
        source: &Source,
        mut feet: [Foot; 2],
        landings: &[Option<(usize, f64)>; 2],
        lands: usize,
        middle: Option<f64>,
    ) {
        let Some((_, to)) = landings[lands] else {
            *self = Self {
                slopes: [self.slopes[0], Vec4::ZERO],
                heights: [self.heights[0]; 3],
                offset: self.offset,
                ..Self::new(source, self.start, self.from)
            };
            return;
        };
        self.to = to;
        self.arc[1] = arc_at(source, to);
        self.end = mean(&feet[lands].next.place, &feet[1 - lands].stand.place, source.hips_at(to));
        // A foot that still stands will swing to where it lands, not as captured.
        if feet[lands].stands() {
            let other = feet[1 - lands];
            feet[lands].lift(source, None, &other);
        }
        let after = landings[1 - lands].map(|(_, then)| then).filter(|then| *then > to);
        self.find_slopes(source, &feet, lands, after);
        let by = self.balance(source, &feet, lands);
        self.end.shift += Vec3A::from(by.with_y(0.0));
        self.find_slopes(source, &feet, lands, after);
        self.middle = middle.filter(|middle| *middle < to).unwrap_or(0.5 * (self.from + to));
        self.find_heights(source, &feet, lands, by.y);
    }

    /// Finds what the end of the path adds to its start, and how fast it is left, when the foot that stands now lands `after` that.
    fn find_slopes(&mut self, source: &Source, feet: &[Foot; 2], lands: usize, after: Option<f64>) {
        let length = (self.arc[1] - self.arc[0]).max(SHORT_PATH_M);
        self.added = [self.from, self.to].map(|time| between(&self.start, &self.end, source.hips_at(time)));
        self.slopes[1] = self.added[1] / length;
        if let Some(then) = after {
            // The velocity of both paths.
            let next = mean(&feet[lands].next.place, &feet[1 - lands].next.place, source.hips_at(then));
            let length = (arc_at(source, then) - self.arc[1]).max(SHORT_PATH_M);
            let leaving = between(&self.end, &next, source.hips_at(self.to)) / length;
            self.slopes[1] = 0.5 * (self.slopes[1] + leaving);
        }
    }

    /// The legs about the end of the path that stand then, by side, and how much of a shift of that end they take part in, 0 to 1.
    fn legs_about_end<'a>(
        &'a self,
        source: &'a Source,
        feet: &'a [Foot; 2],
        lands: usize,
    ) -> impl Iterator<Item = (usize, (Line, f32))> + 'a {
        let pairs = SEEN.iter().flat_map(|part| [(part, 0), (part, 1)]);
        pairs.filter(move |(_, side)| *side == lands || feet[*side].stands()).map(move |(&part, side)| {
            let time = self.from + part * (self.to - self.from);
            let line = self.line(source, &feet[side], side == lands && part > 1.0, time);
            (side, (line, part.min(1.0) as f32))
        })
    }

    /// How far the hips go from where the end of the path has them, over the ground and in height, so that both legs change least before and
    /// after the footfall.
    fn balance(&self, source: &Source, feet: &[Foot; 2], lands: usize) -> Vec3 {
        let mut legs = [(LegFrame { weight: 0.0, ..LegFrame::default() }, 0.0); 2 * SEEN.len()];
        for (leg, (i, (line, part))) in legs.iter_mut().zip(self.legs_about_end(source, feet, lands)) {
            *leg = (line.frame(source.bones[i]), f64::from(part));
        }
        let by = balance(&legs, f64::from(source.scale())).as_vec3();
        let most = MOST_SHIFT * source.leg_m[0];
        if by.is_finite() { by.with_y(0.0).clamp_length_max(most).with_y(by.y) } else { Vec3::ZERO }
    }

    /// Heights at which no leg is stretched and legs that stand are as long as in the source; `raise` is what the legs would change least by
    /// at the end.
    fn find_heights(&mut self, source: &Source, feet: &[Foot; 2], lands: usize, raise: f32) {
        let leg_m = source.leg_m[0];
        // At the footfall both legs, about it those that stand.
        let mut most = f32::INFINITY;
        for (side, foot) in feet.iter().enumerate() {
            most = most.min(self.line(source, foot, side == lands, self.to).rise_to_reach());
            for part in NEAR_FOOTFALL.into_iter().filter(|_| side == lands || foot.stands()) {
                let time = self.from + part * (self.to - self.from);
                most = most.min(self.line(source, foot, side == lands && part > 1.0, time).rise_to_reach());
            }
        }
        // They sink no farther than legs need to reach, and rise only where legs are better for it.
        let end = most.min(raise.max(0.0));
        // Between the footfalls: the leg that stands.
        let standing = &feet[1 - lands];
        let leg = |time: f64| self.line(source, standing, false, time);
        let parts = [0.25, 0.4, 0.55, 0.7].map(|part| self.from + part * (self.to - self.from));
        let most = parts.map(|time| leg(time).rise_to_reach()).into_iter().fold(f32::INFINITY, f32::min);
        let middle = leg(self.middle);
        // Long steps sink in the middle too, instead of bobbing up; where the feet stand on different ground they must.
        let rise = |ground: f32| (ground - standing.stand.ground).abs();
        let bob = BOB * leg_m + 0.5 * rise(feet[lands].next.ground).max(rise(feet[lands].stand.ground));
        let raised = (0.5 * (self.heights[0] + end)).min(self.heights[0]) + bob;
        let middle = middle.rise_to(middle.captured).min(most).min(raised);
        self.heights[1] = middle;
        self.heights[2] = end.min(middle + 2.0 * bob);
        if self.middle <= self.from {
            self.heights[0] = middle;
        }
    }

    /// Leaves as fast as the placements alone would.
    pub(super) fn leave_plainly(&mut self) {
        self.slopes[0] = self.added[0] / (self.arc[1] - self.arc[0]).max(SHORT_PATH_M);
    }

    /// A leg as the placements have it at `time`, without a change of height.
    fn line(&self, source: &Source, foot: &Foot, landed: bool, time: f64) -> Line {
        let between = Between::new(time, source.num_frames);
        let (hips, joint) = (between.pair(&source.hips)[0], between.vector(&source.upper[foot.side]));
        let feet = foot.source(source);
        let own = feet.at_frames(&between);
        let (ankle, turn) =
            if landed { foot.next.apply(own) } else { foot.at_frames(source, &between, time) };
        let (place, yaw) = self.carried(hips, time);
        let (captured, length) = (joint.distance(own.0.into()), source.leg_m[foot.side]);
        let mut leg = LiveLeg {
            hip: Vec3::from(place + turn_by(Vec3A::Y * yaw) * Vec3A::from(joint - hips.truncate())),
            ankle: ankle.into(),
            toe: Vec3::from(ankle) + turn * feet.track.toe,
            captured,
            length,
            stands: 1.0,
            rolls: if landed { 0.0 } else { MOST_ROLL * foot.rolls * feet.roll_at(&between) },
        };
        leg.roll();
        Line { line: leg.hip - leg.ankle, captured, length }
    }

    /// Place and yaw by the placements alone, of the source's hips: their place, and the length of their path.
    #[inline]
    fn carried(&self, hips: Vec4, time: f64) -> (Vec3A, f32) {
        let length = self.arc[1] - self.arc[0];
        let u = if length > SHORT_PATH_M {
            (hips.w - self.arc[0]) / length
        } else {
            let frames = (self.to - self.from).max(1e-9);
            ease(((time - self.from) / frames) as f32)
        };
        let length = length.max(SHORT_PATH_M);
        // After its end the path goes on as fast as it arrives.
        let (u, beyond) = (u.clamp(0.0, 1.0), (u - 1.0).max(0.0) * length);
        let (into, out_of) = (u * (1.0 - u) * (1.0 - u), u * u * (u - 1.0));
        let by = into * (self.slopes[0] * length - self.added[0])
            + (out_of * (self.slopes[1] * length - self.added[1]) + beyond * self.slopes[1]);
        let hips = Vec3A::from_vec4(hips);
        let place = self.start.carry(hips).lerp(self.end.carry(hips), u);
        let yaw = self.start.yaw + u * (self.end.yaw - self.start.yaw);
        (place + Vec3A::from_vec4(by), yaw + by.w)
    }

    /// The change of height: level about both footfalls, where legs are farthest apart.
    #[inline]
    pub(super) fn height(&self, time: f64) -> f32 {
        let [start, middle, end] = self.heights;
        let length = self.to - self.from;
        let (leave, arrive) = (self.from + LEVEL[0] * length, self.to - LEVEL[1] * length);
        let eased = |a: f64, b: f64| ease((time - a) as f32 / ((b - a) as f32).max(1e-6));
        if self.middle <= self.from {
            return middle + (end - middle) * eased(self.from, arrive);
        }
        let turn = self.middle.clamp(self.from + MIDDLE[0] * length, self.from + MIDDLE[1] * length);
        if time < turn {
            start + (middle - start) * eased(leave, turn)
        } else {
            middle + (end - middle) * eased(turn, arrive)
        }
    }

    /// World place and rotation of the hips at `time`, with the four source frames about it.
    #[inline]
    pub(super) fn at_frames(&self, source: &Source, between: &Between, time: f64) -> (Vec3A, Quat) {
        let [hips, rotation] = between.pair(&source.hips);
        let (place, yaw) = self.carried(hips, time);
        let rotation = turn_by(Vec3A::Y * yaw) * Quat::from_vec4(rotation).normalize();
        self.offset.apply((place + Vec3A::Y * self.height(time), rotation), time)
    }
}

/// A leg: from its ankle to the hip joint as carried, how long that is in the source, and the whole leg, metres.
#[derive(Debug, Clone, Copy)]
struct Line {
    line: Vec3,
    captured: f32,
    length: f32,
}

impl Line {
    /// How much higher the hips may be for the leg to be so long, metres.
    fn rise_to(&self, length: f32) -> f32 {
        (length * length - self.line.with_y(0.0).length_squared()).max(0.0).sqrt() - self.line.y
    }

    /// How much higher the hips may be for the leg to reach.
    fn rise_to_reach(&self) -> f32 {
        self.rise_to(self.captured.max(REACH as f32 * self.length))
    }

    /// For the least squares of the hips: only what those turn the leg by counts, not where the feet were put.
    fn frame(&self, bones: [f32; 2]) -> LegFrame {
        let line = self.line.normalize_or_zero() * self.captured;
        LegFrame {
            line: line.as_dvec3(),
            shift: (line - self.line).as_dvec3(),
            bones: bones.map(f64::from),
            free: f64::from(self.captured).max(REACH * f64::from(self.length)),
            weight: 1.0,
        }
    }
}
