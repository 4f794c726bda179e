//! Hips that are being played: carried by both feet's placements, from footfall to footfall.
//!
//! At every footfall the hips belong where the mean of the two feet's placements carries them. In between they go from one
//! to the next in proportion to their own way over the ground, with one velocity before and after each footfall.
//! Their height changes so that legs stay as long as in the source where feet are farther apart or nearer.

use glam::{Mat3, Quat, Vec3, Vec3A, Vec4};

use super::foot::{Doing, Foot};
use super::inertialize::Mend;
use super::interpolate::{Between, ease, half_turn};
use super::place::{Place, yawed};
use super::reach::{Leg, MOST_ROLL};
use super::source::Source;

/// The way from one footfall to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hips {
    /// When it began and when the next foot lands, in source frames.
    pub(super) from: f64,
    pub(super) to: f64,
    /// When the standing leg passes under the hips.
    pub(super) middle: f64,
    start: Place,
    end: Place,
    /// What the end adds to the start where the way begins and where it ends: metres, and radians of yaw.
    added: [Vec4; 2],
    arc: [f32; 2],
    /// Velocities at either end beyond those of the placements: metres, and radians of yaw, per metre of way.
    pub(super) slopes: [Vec4; 2],
    /// Change of height at the start, in the middle and at the end, metres.
    heights: [f32; 3],
    pub(super) mend: Mend,
}

/// Share of a leg's length up to which height changes may stretch it; straighter only where the source is.
const REACH: f32 = 0.99;
/// Most that hips sink and rise for the legs, as shares of a leg.
const SINK: f32 = 0.4;
const RISE: f32 = 0.12;
/// How much more hips may rise between footfalls than in the source, as a share of a leg: 3 cm, as in walks of 0.9 m steps against
/// 0.7 m.
const BOB: f32 = 0.035;
/// Shares of a step after the footfall before it and before the one that ends it in which the height stays.
const LEVEL: [f64; 2] = [0.08, 0.18];
/// Shares of a step at which the legs about its footfall are looked at; over 1 is after it.
const BALANCED: [f64; 6] = [0.7, 0.8, 0.9, 1.0, 1.1, 1.2];
/// Costs of shifting the hips and of stretching a leg past its reach, radians of knee per metre, as in planting.
const SHIFT_COST: f32 = 5.0;
const STRETCH_COST: f32 = 150.0;
/// Gauss–Newton steps; legs are nearly linear over the centimetres in question.
const ROUNDS: usize = 4;
/// Farthest that hips are shifted, as a share of a leg.
const MOST_SHIFT: f32 = 0.15;
/// Shares of a step between which its middle lies for the hips' height.
const MIDDLE: [f64; 2] = [0.35, 0.6];
/// Ways shorter than this, metres, are passed by time instead.
const NO_WAY: f32 = 0.02;

/// The mean of two placements where they carry `at`.
fn mean(a: &Place, b: &Place, at: Vec3) -> Place {
    Place::carrying(at, 0.5 * (a.point(at) + b.point(at)), 0.5 * (a.yaw + b.yaw))
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
            arc: [arc_at(source, from), arc_at(source, to)],
            slopes: [Vec4::ZERO; 2],
            heights: [0.0; 3],
            mend: Mend::NONE,
        }
    }

    /// Begins the way to the next footfall where the last one ended.
    pub(super) fn go_on(&mut self, source: &Source) {
        self.from = self.to;
        self.start = self.end;
        self.slopes[0] = self.slopes[1];
        self.heights[0] = self.heights[2];
        self.arc[0] = arc_at(source, self.from);
    }

    /// Finds the end of the way: where the feet will carry the hips then, and how high. `feet` are as they are now;
    /// their next stances say where they will be. `middle` is when the standing leg is under the hips, if known; at the start of
    /// the way when that begins there.
    pub(super) fn aim(&mut self, source: &Source, feet: &[Foot; 2], middle: Option<f64>) {
        let landings = [0, 1].map(|side| feet[side].next_landing(source));
        let soonest = |a: usize| {
            let time = |side: usize| landings[side].map_or(f64::INFINITY, |landing| landing.1);
            time(a) <= time(1 - a)
        };
        let lands = usize::from(!soonest(0));
        let Some((_, to)) = landings[lands] else {
            self.to = (source.num_frames - 1) as f64;
            self.middle = 0.5 * (self.from + self.to);
            self.end = self.start;
            self.added = [Vec4::ZERO; 2];
            self.arc[1] = arc_at(source, self.to);
            self.slopes[1] = Vec4::ZERO;
            self.heights = [self.heights[0]; 3];
            return;
        };
        self.to = to;
        self.arc[1] = arc_at(source, to);
        let (first, second) = (&feet[lands], &feet[1 - lands]);
        let here = hips_at(source, to);
        self.end = mean(&first.next.place, &second.stand.place, here);
        let way = (self.arc[1] - self.arc[0]).max(NO_WAY);
        // A foot that still stands will swing to where it lands, not as captured.
        let mut feet = *feet;
        if feet[lands].doing == Doing::Stands {
            let other = feet[1 - lands];
            feet[lands].lift(source, None, &other);
        }
        self.turn_to(source, &feet, &landings, lands, way);
        let by = self.balance(source, &feet, lands);
        if by != Vec3::ZERO {
            self.end = self.end.shifted(by.with_y(0.0));
            self.turn_to(source, &feet, &landings, lands, way);
        }
        self.middle = middle.filter(|middle| *middle < to).unwrap_or(0.5 * (self.from + to));
        self.find_heights(source, &feet, lands, by.y);
    }

    /// Finds what the end of the way adds to its start, and how fast it is left.
    fn turn_to(
        &mut self,
        source: &Source,
        feet: &[Foot; 2],
        landings: &[Option<(usize, f64)>; 2],
        lands: usize,
        way: f32,
    ) {
        let (first, second) = (&feet[lands], &feet[1 - lands]);
        let here = hips_at(source, self.to);
        self.added = [hips_at(source, self.from), here].map(|at| between(&self.start, &self.end, at));
        let arriving = self.added[1] / way;
        self.slopes[1] = arriving;
        // The foot that stands now lands after that: aim at the velocity of both ways.
        if let Some((_, then)) = landings[1 - lands].filter(|(_, then)| *then > self.to) {
            let there = hips_at(source, then);
            let after = mean(&first.next.place, &second.next.place, there);
            let way = (arc_at(source, then) - self.arc[1]).max(NO_WAY);
            self.slopes[1] = 0.5 * (arriving + between(&self.end, &after, here) / way);
        }
    }

    /// How far the hips go from where the end of the way has them, over the ground and in height, so that the legs change least about the footfall:
    /// least squares as in planting (`feet::hips`), of both legs' bends and directions, before and after it.
    fn balance(&self, source: &Source, feet: &[Foot; 2], lands: usize) -> Vec3 {
        let length = self.to - self.from;
        let mut legs = [(Line::default(), 0.0, 0.0); 2 * BALANCED.len()];
        for (i, share) in BALANCED.into_iter().enumerate() {
            let time = self.from + share * length;
            for (side, foot) in feet.iter().enumerate() {
                if side == lands || matches!(foot.doing, Doing::Stands) {
                    let landed = side == lands && share > 1.0;
                    legs[2 * i + side] =
                        (self.line(source, foot, landed, time), share.min(1.0) as f32, source.leg_m[side]);
                }
            }
        }
        let mut by = Vec3::ZERO;
        for _ in 0..ROUNDS {
            let cost = SHIFT_COST / source.scale();
            let (mut matrix, mut right) = (Mat3::from_diagonal(Vec3::splat(cost * cost)), Vec3::ZERO);
            for (line, share, leg) in legs.iter().filter(|leg| leg.1 > 0.0) {
                let now = line.line + *share * by;
                let (long, along) = (now.length(), now.normalize_or_zero());
                let bend = line.captured / (0.25 * leg * leg * knee_sine(line.captured / leg));
                let over = (long - line.captured.max(REACH * leg)).max(0.0);
                let stiff = if over > 0.0 { STRETCH_COST / source.scale() } else { 0.0 };
                let outer = Mat3::from_cols(along * along.x, along * along.y, along * along.z);
                let across = 1.0 / line.captured.max(1e-3);
                let weight =
                    outer * (bend * bend + stiff * stiff) + (Mat3::IDENTITY - outer) * (across * across);
                let pull = along * (bend * bend * (long - line.captured) + stiff * stiff * over);
                // Only what the shift itself turns the leg by counts: where the feet were put, the leg points.
                matrix += weight * (share * share);
                right += outer * by * (share * share * (bend * bend + stiff * stiff)) - pull * *share;
            }
            by = matrix.inverse() * right;
        }
        let most = MOST_SHIFT * source.leg_m[0];
        if by.is_finite() { by.with_y(0.0).clamp_length_max(most).with_y(by.y) } else { Vec3::ZERO }
    }

    /// Heights at which no leg is stretched and legs that stand are as long as in the source.
    fn find_heights(&mut self, source: &Source, feet: &[Foot; 2], lands: usize, wished: f32) {
        let length = self.to - self.from;
        let limits = [-SINK * source.leg_m[0], RISE * source.leg_m[0]];
        let at = |time: f64, side: usize, landed: bool| {
            let Line { line, captured } = self.line(source, &feet[side], landed, time);
            let over = line.with_y(0.0).length_squared();
            let height = |length: f32| (length * length - over).max(0.0).sqrt() - line.y;
            // How much higher the hips may be for the leg to be as long as in the source, and for it to reach.
            (height(captured), height(captured.max(REACH * source.leg_m[side])))
        };
        // At the footfall: both legs.
        let mut most = f32::INFINITY;
        for side in 0..2 {
            most = most.min(at(self.to, side, side == lands).1);
        }
        for share in [0.62, 0.7, 0.78, 0.86, 0.93, 1.06, 1.12, 1.18, 1.24] {
            let time = self.from + share * length;
            for (side, foot) in feet.iter().enumerate() {
                let stands = matches!(foot.doing, Doing::Stands);
                if stands || side == lands {
                    most = most.min(at(time, side, side == lands && share > 1.0).1);
                }
            }
        }
        // They sink no farther than legs need to reach, and rise only where legs are better for it.
        let end = most.min(wished.max(0.0)).clamp(limits[0], limits[1]);
        // Between the footfalls: the leg that stands.
        let standing = 1 - lands;
        let (mut middle, mut most) = at(self.middle, standing, false);
        for share in [0.25, 0.4, 0.55, 0.7] {
            most = most.min(at(self.from + share * length, standing, false).1);
        }
        // Long steps sink in the middle too, instead of bobbing up; where the feet stand on different ground they must.
        let grounds = [feet[lands].next.ground, feet[lands].stand.ground, feet[standing].stand.ground];
        let rise = (grounds[0] - grounds[2]).abs().max((grounds[1] - grounds[2]).abs());
        let bob = BOB * source.leg_m[0] + 0.5 * rise;
        let sunk = (0.5 * (self.heights[0] + end)).min(self.heights[0]) + bob;
        middle = middle.min(most).min(sunk).clamp(limits[0], limits[1]);
        self.heights[1] = middle;
        self.heights[2] = end.min(middle + 2.0 * bob);
        if self.middle <= self.from {
            self.heights[0] = middle;
        }
    }

    /// Leaves as fast as the placements alone would.
    pub(super) fn leave_plainly(&mut self) {
        let way = (self.arc[1] - self.arc[0]).max(NO_WAY);
        self.slopes[0] = self.added[0] / way;
    }

    /// A leg as the placements have it at `time`, without a change of height.
    fn line(&self, source: &Source, foot: &Foot, landed: bool, time: f64) -> Line {
        let between = Between::new(time, source.num_frames);
        let (hips, joint) = (between.pair(&source.hips)[0], between.vector(&source.upper[foot.side]));
        let own = foot.source(source).at_frames(&between);
        let (ankle, turn) =
            if landed { foot.next.apply(own) } else { foot.at_frames(source, &between, time) };
        let (place, yaw) = self.carried(hips, time);
        let (captured, toe) = (joint.distance(own.0.into()), foot.source(source).track.toe);
        let mut leg = Leg {
            hip: Vec3::from(place) + Quat::from_rotation_y(yaw) * (joint - hips.truncate()),
            ankle: ankle.into(),
            toe: Vec3::from(ankle) + turn * toe,
            captured,
            length: source.leg_m[foot.side],
            stands: 1.0,
            rolls: if landed { 0.0 } else { MOST_ROLL * foot.rolls * foot.source(source).roll_at(&between) },
        };
        leg.roll();
        Line { line: leg.hip - leg.ankle, captured }
    }

    /// Place and yaw by the placements alone, of the source's hips: their place, and the length of their way.
    #[inline]
    fn carried(&self, hips: Vec4, time: f64) -> (Vec3A, f32) {
        let way = self.arc[1] - self.arc[0];
        let u = if way > NO_WAY {
            (hips.w - self.arc[0]) / way
        } else {
            let length = (self.to - self.from).max(1e-9);
            ease(((time - self.from) / length) as f32)
        };
        let way = way.max(NO_WAY);
        // After its end the way goes on as fast as it arrives.
        let (u, beyond) = (u.clamp(0.0, 1.0), (u - 1.0).max(0.0) * way);
        let (into, out_of) = (u * (1.0 - u) * (1.0 - u), u * u * (u - 1.0));
        let mend = into * (self.slopes[0] * way - self.added[0])
            + (out_of * (self.slopes[1] * way - self.added[1]) + beyond * self.slopes[1]);
        let place = self.start.carry_towards(&self.end, u, Vec3A::from_vec4(hips));
        let yaw = self.start.yaw + u * (self.end.yaw - self.start.yaw);
        (place + Vec3A::from_vec4(mend), yaw + mend.w)
    }

    /// The change of height: level about both footfalls, where legs are farthest apart.
    #[inline]
    pub(super) fn height(&self, time: f64) -> f32 {
        let [start, middle, end] = self.heights;
        let length = self.to - self.from;
        let (leave, arrive) = (self.from + LEVEL[0] * length, self.to - LEVEL[1] * length);
        let share = |a: f64, b: f64| ease((time - a) as f32 / ((b - a) as f32).max(1e-6));
        if self.middle <= self.from {
            return middle + (end - middle) * share(self.from, arrive);
        }
        // Neither way of the hips is so short that it shows, wherever the source has its middle.
        let turn = self.middle.clamp(self.from + MIDDLE[0] * length, self.from + MIDDLE[1] * length);
        if time < turn {
            start + (middle - start) * share(leave, turn)
        } else {
            middle + (end - middle) * share(turn, arrive)
        }
    }

    /// World place and rotation of the hips at `time`, with the four source frames about it.
    #[inline]
    pub(super) fn at_frames(&self, source: &Source, between: &Between, time: f64) -> (Vec3A, Quat) {
        let [hips, rotation] = between.pair(&source.hips);
        let (place, yaw) = self.carried(hips, time);
        let rotation = yawed(half_turn(yaw), Quat::from_vec4(rotation).normalize());
        self.mend.mended((place + Vec3A::Y * self.height(time), rotation), time)
    }
}

/// A leg: from its ankle to the hip joint as wished for, and how long that is in the source, metres.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    line: Vec3,
    captured: f32,
}

/// Sine of the bend of a knee between two bones of one length, by the share of the leg that is left; never less than that of 17°.
fn knee_sine(share: f32) -> f32 {
    let cosine = (2.0 * share * share - 1.0).clamp(-1.0, 1.0);
    (1.0 - cosine * cosine).sqrt().max(0.3)
}

/// What taking `at` by the second placement adds to the first: metres, and radians of yaw.
fn between(a: &Place, b: &Place, at: Vec3) -> Vec4 {
    (b.point(at) - a.point(at)).extend(b.yaw - a.yaw)
}

fn hips_at(source: &Source, time: f64) -> Vec3 {
    source.hips_at(time)
}

fn arc_at(source: &Source, time: f64) -> f32 {
    Between::new(time, source.num_frames).pair(&source.hips)[0].w
}
