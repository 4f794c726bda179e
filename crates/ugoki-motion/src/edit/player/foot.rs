//! A foot that is being played: it stands where it was put, or swings to where it must land.

use glam::{Quat, Vec3, Vec3A};
use ugoki_base::math::log;

use super::foot_source::{FootSource, Swing};
use super::inertialize::Mend;
use super::interpolate::{Between, ease, half_turn, turn_by};
use super::place::yawed;
use super::source::Source;
use super::stand::{Footfall, Stand};
use super::stretch::{StretchBend, Wishes};

/// What a foot is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Doing {
    /// It stands in its stance.
    Stands,
    /// It swings to the next one.
    Swings(Flight),
    /// Before the first stance or after the last: it moves along with its placement.
    Free,
}

/// A swing under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flight {
    /// The cut at which the source was entered in the middle of the swing.
    cut: Option<usize>,
    path: StretchBend,
    turn: StretchBend,
    /// Height that the ankle starts with against its source, and gains, metres.
    rise: [f32; 2],
    /// How much of the foot's pitch is taken out in mid-swing, 0 to 1.
    flatten: f32,
    /// Rotation of the foot where it stood flat, in the source.
    flat: Quat,
    /// How far it goes round the standing leg in the middle of its way, metres.
    around: Vec3A,
    /// How far it turns about the vertical, radians: evenly over its time, because in proportion to its own turning it would turn where it
    /// rolls off and lands.
    yaw: f32,
}

/// The state of one foot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Foot {
    pub(super) side: usize,
    /// The stance it is in or has left; none before the first.
    pub(super) stance: Option<usize>,
    pub(super) stand: Stand,
    /// Where the next stance is to be put.
    pub(super) next: Stand,
    pub(super) doing: Doing,
    /// Whether the other foot stands on the ground this one steps to.
    pub(super) follows: bool,
    /// The footfall asked for next.
    pub(super) target: Option<Footfall>,
    /// How much of its toe-off is added to that of the source, 0 to 1: steps as long as captured need none.
    pub(super) rolls: f32,
    /// How much farther than needed its next swing goes round the other leg, metres.
    pub(super) wider_m: f32,
    /// Offsets of the ankle's place and turning from changed minds.
    pub(super) mend: Mend,
}

/// Shares of its way between which a foot that steps up rises, and one that steps down sinks. The first foot over an edge is up
/// when its toes pass the middle between the footfalls, and sinks when its heel has passed the other foot's toes.
const RISES: [f32; 2] = [0.02, 0.5];
const SINKS: [f32; 2] = [0.5, 1.0];
/// The same for a foot that follows: the edge lies behind the other foot.
const RISES_AFTER: [f32; 2] = [0.0, 0.36];
const SINKS_AFTER: [f32; 2] = [0.3, 0.9];

/// Shares of its way up to which a foot still leans on the ground, and from which on it does again.
const LIFTS: f32 = 0.25;
/// Share of its captured way under which a swing is held flatter, how much flatter for each share less, and the share of the way
/// within which it gets flat. Swept until the swinging knee of steps of 0.3 m stays within that of real walks (78°).
const FLATTEN_FROM: f32 = 0.9;
const FLATTEN: f32 = 0.9;
const FLAT_WITHIN: f32 = 0.15;
/// Time within which a foot of whose swing only one end is known leaves the ground or comes to it, seconds.
const FREE_S: f64 = 0.2;
const LANDS: f32 = 0.65;

/// How far out to its own side a foot passes the other one, beside it, metres for a leg of 0.85 m, and how much less for each metre
/// ahead of it or behind: as planned footfalls (`walk::plan`); the captured walks and turns pass at 7 cm and more.
const APART_M: f32 = 0.09;
const APART_SLOPE: f32 = 0.55;
/// A foot this far from where the source has it beside the other one has a way of its own, metres for a leg of 0.85 m.
const SAME_WAY_M: f32 = 0.1;
/// Farthest that a swing goes round, metres for a leg of 0.85 m: as far as legs are apart in a wide stance.
const MOST_AROUND_M: f32 = 0.2;
/// Moments of a swing at which it is looked where the other foot is.
const AROUND_STEPS: u32 = 16;
/// Least share of the way round that is asked for at a moment: near its ends a swing cannot leave its line.
const LEAST_BOW: f32 = 0.25;

/// 16 s² (1 − s)²: 1 in the middle, nothing at the ends, without a velocity there.
#[inline]
fn bow(s: f32) -> f32 {
    let s = s.clamp(0.0, 1.0);
    let x = 4.0 * s * (1.0 - s);
    x * x
}

impl Foot {
    pub(super) fn source<'a>(&self, source: &'a Source) -> &'a FootSource {
        &source.feet[self.side]
    }

    /// Whether it is on its way to its next stance.
    pub(super) fn is_swinging(&self) -> bool {
        matches!(self.doing, Doing::Swings(_))
    }

    /// The stance that comes next.
    pub(super) fn next_stance(&self) -> usize {
        self.stance.map_or(0, |stance| stance + 1)
    }

    /// When it lifts or lands next, in source frames.
    pub(super) fn next_event(&self, source: &Source) -> f64 {
        let stances = &self.source(source).stances;
        match (self.doing, self.stance) {
            (Doing::Stands, Some(stance)) => (stances[stance].frames.end - 1) as f64,
            _ => stances.get(self.next_stance()).map_or(f64::INFINITY, |stance| stance.frames.start as f64),
        }
    }

    /// The next stance that is a step, and when it begins.
    pub(super) fn next_landing(&self, source: &Source) -> Option<(usize, f64)> {
        let stances = self.source(source).stances.iter().enumerate().skip(self.next_stance());
        stances
            .filter(|(_, stance)| !stance.shuffle)
            .map(|(i, stance)| (i, stance.frames.start as f64))
            .next()
    }

    /// Leaves the ground at the end of its stance; `cut` when the source is entered in the middle of a swing.
    pub(super) fn lift(&mut self, source: &Source, cut: Option<usize>, other: &Self) {
        self.doing = match self.source(source).stances.get(self.next_stance()) {
            None => Doing::Free,
            Some(_) => Doing::Swings(self.flight(source, cut, other)),
        };
    }

    /// Comes to stand in its next stance.
    pub(super) fn land(&mut self, source: &Source) {
        let next = self.next_stance();
        if !self.source(source).stances[next].shuffle {
            self.stand = self.next;
            self.target = None;
            self.wider_m = 0.0;
        }
        self.stance = Some(next);
        self.doing = Doing::Stands;
        self.mend = Mend::NONE;
    }

    #[inline]
    fn swing<'a>(&self, source: &'a Source, cut: Option<usize>) -> Option<&'a Swing> {
        match (cut, self.stance) {
            (Some(cut), _) => source.cuts[cut].late.as_ref(),
            (None, Some(stance)) => self.source(source).swings.get(stance),
            (None, None) => None,
        }
    }

    /// The bend from the stance left to the next one, past the other foot.
    fn flight(&self, source: &Source, cut: Option<usize>, other: &Self) -> Flight {
        let mut flight = self.straight_flight(source, cut);
        flight.around = self.around(source, &flight, other);
        flight
    }

    /// How far a swing must go round the other foot, which stands: steps that turn or go to the side would else lead the straight way,
    /// through the other leg. What the source itself does there is let be.
    fn around(&self, source: &Source, flight: &Flight, other: &Self) -> Vec3A {
        let Some(swing) = self.swing(source, flight.cut) else { return Vec3A::ZERO };
        let (feet, others) = (self.source(source), other.source(source));
        let (start, end) = (swing.path.start as f64, feet.stances[self.next_stance()].frames.start as f64);
        // A foot that is about to land stands when this one passes it.
        let lands = others.stances.get(other.next_stance()).map(|stance| stance.frames.start as f64);
        let passed = match (other.doing, other.stance) {
            (Doing::Stands, Some(stance)) => Some((stance, &other.stand)),
            (Doing::Swings(_), _) if lands.is_some_and(|time| time < 0.5 * (start + end)) => {
                let next = other.next_stance();
                let shuffles = others.stances[next].shuffle;
                Some((next, if shuffles { &other.stand } else { &other.next }))
            }
            _ => None,
        };
        let Some((stance, stand)) = passed else { return Vec3A::ZERO };
        let stance = &others.stances[stance];
        let scale = source.scale();
        let (toe, length) = (Vec3A::from(feet.track.toe), others.track.toe.length());
        // To the side of this leg's hip joint, whatever the joints are called.
        let hips = [self.side, other.side].map(|side| source.upper[side][stance.middle]);
        let (sine, cosine) = stance.heading.sin_cos();
        let own = if (hips[0] - hips[1]).dot(Vec3::new(cosine, 0.0, -sine)) < 0.0 { -1.0 } else { 1.0 };
        // Along the standing foot and out to this foot's side, for the source's place and for the new one.
        let axes = |heading: f32| {
            let (sine, cosine) = heading.sin_cos();
            [Vec3A::new(sine, 0.0, cosine), own * Vec3A::new(cosine, 0.0, -sine)]
        };
        let heading = stance.heading + stand.place.yaw;
        let [there, here] = [axes(stance.heading), axes(heading)];
        let beside = |axes: &[Vec3A; 2], by: Vec3A| [by.dot(axes[0]), by.dot(axes[1])];
        let lack = |[along, out]: [f32; 2]| {
            let away = (-along).max(along - length).max(0.0);
            scale * APART_M - APART_SLOPE * away - out
        };
        let mut straight = *self;
        straight.doing = Doing::Swings(*flight);
        straight.mend = Mend::NONE;
        let mut most = 0.0_f32;
        for step in 1..AROUND_STEPS {
            let time = start + (end - start) * f64::from(step) / f64::from(AROUND_STEPS);
            let between = Between::new(time, source.num_frames);
            let (was, is) = (feet.at_frames(&between), straight.at_frames(source, &between, time));
            let share = bow(swing.rows_at(&between)[0].x);
            for lever in [Vec3A::ZERO, toe] {
                let own = beside(&there, was.0 + was.1 * lever - Vec3A::from(stance.ankle));
                let now = beside(&here, is.0 + is.1 * lever - Vec3A::from(stand.ankle));
                // What the source does is let be as far as it is still the same.
                let same = 1.0 - (now[0] - own[0]).hypot(now[1] - own[1]) / (scale * SAME_WAY_M);
                let lacks = lack(now) - lack(own).max(0.0) * same.max(0.0);
                most = most.max(lacks / share.max(LEAST_BOW));
            }
        }
        here[1] * (most.min(scale * MOST_AROUND_M) + self.wider_m)
    }

    fn straight_flight(&self, source: &Source, cut: Option<usize>) -> Flight {
        let nothing = Flight {
            cut,
            path: StretchBend::default(),
            turn: StretchBend::default(),
            rise: [0.0; 2],
            flatten: 0.0,
            flat: Quat::IDENTITY,
            around: Vec3A::ZERO,
            yaw: 0.0,
        };
        let Some(swing) = self.swing(source, cut) else { return nothing };
        let feet = self.source(source);
        let stance = &feet.stances[self.next_stance()];
        let landed = if stance.shuffle { &self.stand } else { &self.next };
        let last = feet.track.ankle.len() - 1;
        let frame = |i: usize| (feet.track.ankle[i.min(last)], feet.track.rotation[i.min(last)]);
        let yaw = landed.place.yaw - self.stand.place.yaw;
        let off = |stand: &Stand, i: usize, yaw: f32| {
            let (p, q) = frame(i);
            let (x, r) = stand.apply((p.into(), q));
            let turned = yawed(half_turn(yaw), self.stand.place.rotation(q));
            [Vec3::from(x) - self.stand.place.point(p), log(turned.inverse() * r)]
        };
        let (start, end) = (swing.path.start, stance.frames.start);
        // Entered in mid-swing, the foot begins where the source has it; the rest is mended.
        let begin = |i: usize| if cut.is_some() { [Vec3::ZERO; 2] } else { off(&self.stand, i, 0.0) };
        let (before, first) = (begin(start.saturating_sub(1)), begin(start));
        let (target, after) =
            (off(landed, end, yaw), off(landed, end + usize::from(stance.frames.len() > 1), yaw));
        let wishes = [0, 1].map(|what| Wishes {
            before: before[what],
            start: first[what],
            end: target[what],
            after: after[what],
        });
        let level = |v: Vec3| v.with_y(0.0);
        let [path, turn] = wishes;
        // Short steps lift the heel less: the foot is held flatter about its toe, which keeps its way. A foot that only shifts makes none.
        let left = self.stance.and_then(|stance| feet.stances.get(stance)).filter(|stance| stance.flat);
        let steps = cut.is_none() && !stance.shuffle;
        let (flatten, flat) = left.filter(|_| steps).map_or((0.0, Quat::IDENTITY), |left| {
            let ways =
                [stance.ankle - left.ankle, landed.ankle - self.stand.ankle].map(|way| level(way).length());
            let ratio = ways[1] / ways[0].max(1e-3);
            (FLATTEN * (FLATTEN_FROM - ratio).max(0.0), feet.track.rotation[left.middle])
        });
        Flight {
            cut,
            path: swing.path.bend(&Wishes {
                before: level(path.before),
                start: level(path.start),
                end: level(path.end),
                after: level(path.after),
            }),
            turn: swing.turn.bend(&turn),
            rise: [path.start.y, path.end.y - path.start.y],
            flatten,
            flat,
            around: Vec3A::ZERO,
            yaw,
        }
    }

    /// Bends the swing that is under way anew, after its target or its placement changed.
    pub(super) fn aim(&mut self, source: &Source, other: &Self) {
        if let Doing::Swings(flight) = self.doing {
            self.doing = Doing::Swings(self.flight(source, flight.cut, other));
        }
    }

    /// World place and rotation of the ankle at `time`, with the four source frames about it.
    #[inline]
    pub(super) fn at_frames(&self, source: &Source, between: &Between, time: f64) -> (Vec3A, Quat) {
        let captured = self.source(source).at_frames(between);
        let flight = match &self.doing {
            Doing::Stands => return self.stand.apply(captured),
            Doing::Free => return self.mend.mended(self.stand.apply(captured), time),
            Doing::Swings(flight) => flight,
        };
        let Some(swing) = self.swing(source, flight.cut) else {
            return self.mend.mended(self.stand.apply(captured), time);
        };
        let [row, turn_row] = swing.rows_at(between);
        let mut by = flight.path.at(row);
        let share = row.x;
        let [from, to] = match (flight.rise[1] > 0.0, self.follows) {
            (true, false) => RISES,
            (true, true) => RISES_AFTER,
            (false, false) => SINKS,
            (false, true) => SINKS_AFTER,
        };
        let risen = (share - from) / (to - from);
        by.y += flight.rise[0] + flight.rise[1] * ease(risen);
        by += flight.around * bow(share);
        let turned = turn_by(flight.turn.at(turn_row));
        let yaw = half_turn(flight.yaw * ease(swing.share_of_time(time)));
        let facing = yawed(yaw, self.stand.place.rotation(captured.1));
        let mut placed = (self.stand.place.carry(captured.0) + by, facing * turned);
        if flight.flatten > 0.0 {
            let toe = Vec3A::from(self.source(source).track.toe);
            let flat = yawed(yaw, self.stand.place.rotation(flight.flat)) * turned;
            let much = flight.flatten * ease(share / FLAT_WITHIN) * (1.0 - ease((share - 0.5) / 0.5));
            let same = much.copysign(flat.dot(placed.1));
            let rotation = (placed.1 * (1.0 - much) + flat * same).normalize();
            placed = (placed.0 + placed.1 * toe - rotation * toe, rotation);
        }
        self.mend.mended(placed, time)
    }

    /// How much of what a leg cannot reach the hips take up: all while the foot stands, none in the middle of its swing.
    pub(super) fn leans(&self, source: &Source, time: f64) -> f32 {
        let flight = match self.doing {
            Doing::Stands => return 1.0,
            Doing::Free => return self.leans_free(source, time),
            Doing::Swings(flight) => flight,
        };
        let share = self.swing(source, flight.cut).map_or(0.5, |swing| swing.path.share(time));
        let lifts = if flight.cut.is_some() { 0.0 } else { 1.0 - ease(share / LIFTS) };
        lifts + ease((share - LANDS) / (1.0 - LANDS))
    }

    /// The same before the first stance and after the last.
    fn leans_free(&self, source: &Source, time: f64) -> f32 {
        let stances = &self.source(source).stances;
        let away = match self.stance {
            Some(stance) => time - (stances[stance].frames.end - 1) as f64,
            None => stances.first().map_or(f64::INFINITY, |stance| stance.frames.start as f64 - time),
        };
        1.0 - ease((away / (FREE_S * source.fps)) as f32)
    }
}
