//! Locomotion: walking, running and single steps over planned contacts.
//!
//! The tables give angles over the gait cycle; a [`Route`] gives phase, strength and place over time. Each foot
//! stands by the body's place in the middle of its stance, and stays there: it rolls over the heel
//! to flat, stands, and rolls over the ball to toe-off. In swing it follows the tables' leg, plus a term that
//! carries the difference of the joint angles to the stands before and after, so that angles and velocities agree
//! at both ends. The legs then reach for the feet. See docs/methods/sample.md.

use glam::{DQuat, DVec3};
use ugoki_base::skeleton::Side;

use super::body::{SHANK, THIGH, sign};
use super::feet::{Foot, STANCE_TOE_OUT_DEG};
use super::gait_tables::Style;
use super::minimum_jerk::{Cycle, Knot, between, ease};
use super::pose::{Stage, hip_centre, pelvis};
use super::posture::Posture;
use super::take::{Contact, FPS, Lowering, MARGIN, Moment, Part, too_high};

/// Angles of the legs while standing at ease, degrees: thigh, knee, ankle.
const STANDING: [f64; 3] = [4.0, 8.0, 4.0];
/// Knees never straighter than this while standing at ease, degrees; just under what the idle posture has.
const STANDING_KNEE_DEG: f64 = 7.5;
/// Step of the one-sided differences at contact and toe-off, seconds.
const STEP_S: f64 = 1e-3;

/// Extra hip flexion in the middle of a swing that starts from standing, degrees: weak swings would scrape.
const SHY_LIFT_DEG: f64 = 18.0;
/// Slope at contact of the fraction of the tables' pitch, over the time to foot flat: the foot comes down a little
/// faster than the tables say, which carries the ankle forward and spares the knee.
const SLAP: f64 = -0.6;
/// The heel follows the tables after this fraction of the time from heel-off to toe-off.
const HEEL_RISE: f64 = 0.65;
/// A difference in speed between stand and swing is gone after this long, seconds: a fifth of a second keeps the
/// detour small (8 % of speed times time) and the acceleration human.
const FADE_S: f64 = 0.2;

/// s(1 − s)⁴ with s = time / `FADE_S`: rises from 0 with slope 1, and is gone, to third order, at 1.
fn fade(time: f64) -> f64 {
    let s = (time / FADE_S).clamp(0.0, 1.0);
    s * (1.0 - s).powi(4)
}

/// Where a body goes: functions of time, seconds from the clip's start, also before and after the clip.
pub(super) struct Route<'a> {
    /// The tables to go by.
    pub style: &'a Style,
    /// Frames to make.
    pub num_frames: usize,
    /// Gait phase of the left foot; whole numbers are its contacts. The right foot is half a cycle later.
    pub phase: &'a dyn Fn(f64) -> f64,
    /// 0 standing, 1 going.
    pub gain: &'a dyn Fn(f64) -> f64,
    /// Place and heading.
    pub stage: &'a dyn Fn(f64) -> Stage,
    /// Ground height at z.
    pub ground: &'a dyn Fn(f64) -> f64,
    /// Phases outside which the feet stand still; `None`: the motion goes on.
    pub begins: Option<f64>,
    /// Likewise at the end.
    pub ends: Option<f64>,
}

/// One stand of a foot.
#[derive(Debug, Clone, Copy)]
struct Plant {
    flat: Foot,
    /// Contact, flat, heel off, toes off, seconds.
    times: [f64; 4],
    /// Whether it comes down on its heel.
    heel_first: bool,
}

/// Curves of a style, ready to evaluate.
struct Gait<'a> {
    route: &'a Route<'a>,
    curves: [Cycle; 3],
    lowering: Lowering,
}

/// A leg that carries its foot: angles in radians.
#[derive(Debug, Clone, Copy)]
struct Limb {
    thigh: f64,
    knee: f64,
    /// Leg out to the left of the heading.
    aside: f64,
    pitch: f64,
    yaw: f64,
}

impl Limb {
    fn to_array(self) -> [f64; 5] {
        [self.thigh, self.knee, self.aside, self.pitch, self.yaw]
    }

    /// The foot at the end of this leg.
    fn foot(&self, hip: DVec3, heading: f64, toes: f64) -> Foot {
        let shank = self.thigh - self.knee;
        let down = THIGH * self.thigh.cos() + SHANK * shank.cos();
        let ahead = THIGH * self.thigh.sin() + SHANK * shank.sin();
        let local = DVec3::new(down * self.aside.sin(), -down * self.aside.cos(), ahead);
        let ankle = hip + DQuat::from_rotation_y(heading) * local;
        Foot { ankle, yaw: self.yaw, pitch: self.pitch, toes }
    }

    /// The leg that carries this foot: cosine rule.
    fn carrying(foot: &Foot, hip: DVec3, heading: f64) -> Self {
        let local = DQuat::from_rotation_y(-heading) * (foot.ankle - hip);
        let squared = local.length_squared();
        let cosine = (squared - THIGH * THIGH - SHANK * SHANK) / (2.0 * THIGH * SHANK);
        let knee = cosine.clamp(-1.0, 1.0).acos();
        // The thigh lies ahead of the line from hip to ankle by the angle opposite the shank.
        let before = (SHANK * knee.sin()).atan2(THIGH + SHANK * knee.cos());
        let thigh = local.z.atan2(local.x.hypot(local.y)) + before;
        Self { thigh, knee, aside: local.x.atan2(-local.y), pitch: foot.pitch, yaw: foot.yaw }
    }
}

/// The moments of a route (with margins) and its contacts.
pub(super) fn go(route: &Route<'_>) -> (Vec<Moment>, Vec<Contact>) {
    let s = route.style;
    let curves = [s.thigh, s.knee, s.ankle].map(Cycle::through);
    let mut gait = Gait { route, curves, lowering: Lowering::new(&[]) };
    let sides = [Side::Left, Side::Right];
    let plants = sides.map(|side| gait.plants(side));
    let last_s = (route.num_frames - 1) as f64 / FPS;
    let times: Vec<f64> =
        (0..route.num_frames + 2 * MARGIN).map(|frame| (frame as f64 - MARGIN as f64) / FPS).collect();
    let needed: Vec<f64> = times
        .iter()
        .map(|&time| {
            let standing =
                [0, 1].map(|i| standing(&plants[i], time).map(|plant| gait.planted(sides[i], plant, time)));
            // Standing at ease the knees are nearly straight.
            let straightest = STANDING_KNEE_DEG + (s.straightest - STANDING_KNEE_DEG) * (route.gain)(time);
            too_high(&gait.posture(time), &(route.stage)(time), standing, straightest)
        })
        .collect();
    gait.lowering = Lowering::new(&needed);
    let moments = times
        .iter()
        .map(|&time| {
            let feet = [0, 1].map(|i| gait.foot(sides[i], &plants[i], time));
            Moment { posture: gait.posture(time), stage: (route.stage)(time), feet }
        })
        .collect();
    let mut contacts = Vec::new();
    for (side, plants) in sides.into_iter().zip(&plants) {
        for plant in plants {
            let ground = plant.flat.ankle.y - super::body::ANKLE_HEIGHT;
            let [strike, flat, heel_off, off] = plant.times;
            // A foot that comes down on its ball has its heel down only when flat, and the other way round.
            let (heel, toe) = if plant.heel_first { (strike, flat) } else { (flat, strike) };
            for (part, start_s, end_s) in [(Part::Heel, heel, heel_off), (Part::Toe, toe, off)] {
                let (start_s, end_s) = (start_s.max(0.0), end_s.min(last_s));
                if end_s > start_s {
                    contacts.push(Contact { side, part, start_s, end_s, ground });
                }
            }
        }
    }
    contacts.sort_by(|a, b| a.start_s.total_cmp(&b.start_s).then((a.side, a.part).cmp(&(b.side, b.part))));
    (moments, contacts)
}

impl Gait<'_> {
    /// Thigh, knee and ankle of a foot at this time, degrees.
    fn angles(&self, side: Side, time: f64) -> [f64; 3] {
        let phase = (self.route.phase)(time) - lag(side);
        let gain = (self.route.gain)(time);
        let [range_thigh, range_knee] = self.route.style.range;
        let ranges = [range_thigh, range_knee, 1.0];
        std::array::from_fn(|i| {
            let going = ranges[i] * self.curves[i].at(phase);
            STANDING[i] + (going - STANDING[i]) * gain
        })
    }

    /// Everything above the legs.
    fn posture(&self, time: f64) -> Posture {
        let s = self.route.style;
        let gain = (self.route.gain)(time);
        let phase = (self.route.phase)(time);
        let wave = |amplitude: f64, shift: f64| amplitude * (std::f64::consts::TAU * (phase - shift)).cos();
        let twice =
            |amplitude: f64, shift: f64| amplitude * (2.0 * std::f64::consts::TAU * (phase - shift)).cos();
        // The body is over the standing foot in mid-stance (0.31); the swing side is lowest once the other leg has
        // taken the load (0.14); the trunk is most upright shortly after contact (0.10) [perryburnfield2010, ch. 7].
        let going = Posture::idle().with(|p| {
            let t = &mut p.torso;
            t.x = wave(s.sway, 0.31);
            t.y = twice(s.bob.0, s.bob.1) - s.drop;
            t.z = twice(s.surge.0, s.surge.1);
            t.tilt = s.tilt + twice(0.25 * s.tilt, 0.10);
            // The side of the leg in front leads; the side of the leg in swing is low.
            t.turn = -wave(s.turn, 0.0);
            t.list = wave(s.list, 0.14);
            t.bend = s.bend - twice(0.2 * s.tilt, 0.10);
            t.twist = wave(s.turn + s.shoulders, 0.02);
            t.lean = t.list + wave(0.3 * s.list, 0.31);
            t.nod = 2.0;
            t.gaze = 0.85;
            for (arm, opposite) in p.arms.iter_mut().zip([0.5, 0.0]) {
                // The arm is in front when the opposite leg is.
                arm.flexion = s.arm.0 + wave(s.arm.1, opposite);
                arm.abduction = 8.0;
                arm.rotation = 14.0;
                arm.elbow = s.elbow.0 + wave(s.elbow.1, opposite + 0.05);
                arm.protract = wave(0.12 * s.arm.1, opposite);
                arm.pronation = 25.0;
            }
        });
        Posture::idle().mix(&going, gain).with(|p| p.torso.y -= self.lowering.at(time))
    }

    /// Hip joint centre and heading.
    fn hip(&self, side: Side, time: f64) -> (DVec3, f64) {
        let stage = (self.route.stage)(time);
        (hip_centre(pelvis(&self.posture(time), &stage), side), stage.heading)
    }

    /// The tables' leg.
    fn nominal(&self, side: Side, time: f64) -> Limb {
        let [thigh, knee, ankle] = self.angles(side, time).map(f64::to_radians);
        let gain = (self.route.gain)(time);
        let toe_out = STANCE_TOE_OUT_DEG + (self.route.style.toe_out - STANCE_TOE_OUT_DEG) * gain;
        let yaw = (self.route.stage)(time).heading + sign(side) * toe_out.to_radians();
        Limb { thigh, knee, aside: 0.0, pitch: thigh - knee + ankle, yaw }
    }

    /// The time at which the left foot's phase is `phase`; the phase never falls.
    fn time_of(&self, phase: f64) -> f64 {
        let span = 4.0 * self.route.style.cycle_s;
        let (mut low, mut high) = (-span, self.route.num_frames as f64 / FPS + span);
        // 60 halvings of at most 20 s leave less than 1e-16 s.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (self.route.phase)(middle) < phase { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// The stands of a foot, in order, covering the clip.
    fn plants(&self, side: Side) -> Vec<Plant> {
        let route = self.route;
        let seconds = route.num_frames as f64 / FPS;
        let margin = (MARGIN + 1) as f64 / FPS;
        let first = route.begins.unwrap_or_else(|| (route.phase)(-margin) - 1.0) - lag(side);
        let last = route.ends.unwrap_or_else(|| (route.phase)(seconds + margin) + 1.0) - lag(side);
        let [flat, heel_off, off] = route.style.events;
        let mut plants = Vec::new();
        // A stand belongs to the route when its toes leave after the beginning and it lands before the end.
        let mut number = (first - off).ceil();
        while number <= last {
            let at = |fraction: f64| self.time_of(number + fraction + lag(side));
            let stood_before = route.begins.is_some() && number < first;
            let stays = route.ends.is_some() && number + off > last;
            let mut times = [at(0.0), at(flat), at(heel_off), at(off)];
            if stood_before {
                // The phase stays at `begins` until the feet start to move.
                let begin = self.time_of(route.begins.unwrap_or_default() + 1e-6);
                times = [-1e6, -1e6 + 1.0, times[2].max(begin), times[3]];
            }
            if stays {
                times = [times[0], times[1], 1e6, 1e6 + 1.0];
            }
            let foot = if stood_before {
                (route.stage)(0.0).stance(side)
            } else if stays {
                (route.stage)(seconds).stance(side)
            } else {
                self.stand(side, number + lag(side))
            };
            let foot =
                Foot::flat(DVec3::new(foot.ankle.x, (route.ground)(foot.ankle.z), foot.ankle.z), foot.yaw);
            let heel_first = !stood_before && self.nominal(side, times[0]).pitch > 0.0;
            let plant = Plant { flat: foot, times, heel_first };
            plants.push(plant);
            number += 1.0;
        }
        plants
    }

    /// A standing foot: it rolls as the tables say at contact and at toe-off, and is flat in between.
    fn planted(&self, side: Side, plant: &Plant, time: f64) -> Foot {
        let [strike, flat, heel_off, off] = plant.times;
        let fraction = if time < flat {
            let full = Knot { time: strike, p: 1.0, v: SLAP / (flat - strike), a: 0.0 };
            between(&full, &Knot { time: flat, ..Knot::default() }, time)
        } else {
            ease((time - heel_off) / (HEEL_RISE * (off - heel_off)))
        };
        if fraction <= 0.0 {
            return plant.flat;
        }
        let pitch = fraction * self.nominal(side, time).pitch;
        // Over the heel only while landing on it; otherwise over the ball.
        let over_heel = plant.heel_first && time < flat;
        plant.flat.rolled(if over_heel { pitch.max(0.0) } else { pitch.min(0.0) })
    }

    /// Where a foot stands that lands at this phase of the left foot: by the body's place in the middle of its stance.
    fn stand(&self, side: Side, phase: f64) -> Foot {
        let style = self.route.style;
        let middle = self.time_of(phase + 0.5 * style.events[2]);
        let stage = (self.route.stage)(middle);
        let back = style.set_back * (self.route.gain)(middle);
        let place = stage.point(DVec3::new(sign(side) * style.half_width, 0.0, -back));
        Foot::flat(place, stage.heading + sign(side) * style.toe_out.to_radians())
    }

    /// The foot at this time: standing, or swinging between two stands.
    fn foot(&self, side: Side, plants: &[Plant], time: f64) -> Foot {
        if let Some(plant) = standing(plants, time) {
            return self.planted(side, plant, time);
        }
        let next = plants.partition_point(|plant| plant.times[0] <= time);
        let (before, after) = match (next.checked_sub(1), plants.get(next)) {
            (Some(i), Some(after)) => (&plants[i], after),
            // Outside the first and last stand, which lie beyond the margins, nothing is asked.
            (Some(i), None) => return self.planted(side, &plants[i], time),
            (None, _) => return self.planted(side, &plants[0], time),
        };
        let (leave, land) = (before.times[3], after.times[0]);
        let rest = |plant: &Plant, time: f64| -> [f64; 5] {
            let (hip, heading) = self.hip(side, time);
            let stand = Limb::carrying(&self.planted(side, plant, time), hip, heading).to_array();
            let free = self.nominal(side, time).to_array();
            std::array::from_fn(|i| stand[i] - free[i])
        };
        // Value and one-sided rate, inside the stand, of the difference to the tables' leg.
        let edge = |plant: &Plant, time: f64, step: f64| -> [(f64, f64); 5] {
            let f: [[f64; 5]; 3] = std::array::from_fn(|k| rest(plant, time + step * k as f64));
            std::array::from_fn(|i| (f[0][i], (-3.0 * f[0][i] + 4.0 * f[1][i] - f[2][i]) / (2.0 * step)))
        };
        let (from, to) = (edge(before, leave, -STEP_S), edge(after, land, STEP_S));
        let free = self.nominal(side, time).to_array();
        let way = ease((time - leave) / (land - leave));
        let [thigh, knee, aside, pitch, yaw] = std::array::from_fn(|i| {
            let ((p0, v0), (p1, v1)) = (from[i], to[i]);
            free[i] + p0 + (p1 - p0) * way + FADE_S * (v0 * fade(time - leave) - v1 * fade(land - time))
        });
        let fraction = (time - leave) / (land - leave);
        // 16 s²(1 − s)² is 1 in the middle and flat at both ends.
        let clearance = self.route.style.clearance + SHY_LIFT_DEG * (1.0 - (self.route.gain)(time));
        let lift = clearance.to_radians() * 16.0 * (fraction * (1.0 - fraction)).powi(2);
        let toes = {
            let knot = |plant: &Plant, time: f64, step: f64| {
                let (p, inside) =
                    (self.planted(side, plant, time).toes, self.planted(side, plant, time + step).toes);
                Knot { time, p, v: (inside - p) / step, a: 0.0 }
            };
            between(&knot(before, leave, -STEP_S), &knot(after, land, STEP_S), time)
        };
        let (hip, heading) = self.hip(side, time);
        Limb { thigh: thigh + lift, knee: knee + 2.0 * lift, aside, pitch, yaw }.foot(hip, heading, toes)
    }
}

/// The stand that this time lies in.
fn standing(plants: &[Plant], time: f64) -> Option<&Plant> {
    // A nanosecond absorbs the rounding of contact times that lie on frames.
    plants.iter().find(|plant| plant.times[0] - 1e-9 <= time && time <= plant.times[3])
}

/// The right foot follows half a cycle after the left.
fn lag(side: Side) -> f64 {
    match side {
        Side::Left => 0.0,
        Side::Right => 0.5,
    }
}
