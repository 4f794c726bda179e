//! A foot that is being played: it stands where it was put, or swings to where it must land.

use glam::{Quat, Vec3, Vec3A};
use ugoki_base::math::log;

use super::foot_source::FootSource;
use super::inertialize::{FADE_S, HandleOffset};
use super::interpolate::{Between, ease, turn_by};
use super::source::Source;
use super::stand::{Footfall, Stand};
use super::swing::{Swing, SwingBend};

/// What a foot is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Phase {
    /// It stands in its stance.
    Stands,
    /// It swings to the next one.
    Swings(Flight),
    /// Before the first stance or after the last: it moves along with its placement.
    Free,
}

/// A swing under way.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Flight {
    /// The cut at which the source was entered in the middle of the swing.
    cut: Option<usize>,
    path: SwingBend,
    turn: SwingBend,
    /// Height that the ankle starts with against its source, and gains, metres.
    rise: [f32; 2],
    /// How far it goes round the standing leg in the middle of its path, metres.
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
    pub(super) phase: Phase,
    /// Whether the other foot stands on the ground this one steps to.
    pub(super) follows: bool,
    /// The footfall asked for next.
    pub(super) target: Option<Footfall>,
    /// How much of its toe-off is added to that of the source, 0 to 1: steps as long as captured need none.
    pub(super) rolls: f32,
    /// How much farther than needed its next swing goes round the other leg, metres.
    pub(super) wider_m: f32,
    /// What a change of target or source leaves of the ankle's old path.
    pub(super) offset: HandleOffset,
}

/// Parts of its path between which a foot changes its height: when it steps up or down first, and when it follows, as the edge then lies
/// behind the other foot. The first foot over an edge is up when its toes pass the middle between the footfalls, and sinks when its heel
/// has passed the other foot's toes.
const RISES: [[f32; 2]; 2] = [[0.02, 0.5], [0.0, 0.36]];
const SINKS: [[f32; 2]; 2] = [[0.5, 1.0], [0.3, 0.9]];
/// How far out to its own side a foot passes the other one, metres for a leg of 0.85 m, and how much less for each metre
/// ahead of it or behind: as planned footfalls (`walk::plan`); the captured walks and turns pass at 7 cm and more.
const APART: [f32; 2] = [0.09, 0.55];
/// Farthest that a swing goes round, metres for a leg of 0.85 m: as far as legs are apart in a wide stance.
pub(crate) const MOST_AROUND_M: f32 = 0.2;
/// Moments of a swing at which it is seen where the other foot is.
const AROUND_STEPS: u32 = 16;
/// Least part of the bow that is counted on at a moment: near its ends a swing cannot leave its line.
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

    pub(super) fn stands(&self) -> bool {
        self.phase == Phase::Stands
    }

    pub(super) fn is_swinging(&self) -> bool {
        matches!(self.phase, Phase::Swings(_))
    }

    /// The stance that comes next.
    pub(super) fn next_stance(&self) -> usize {
        self.stance.map_or(0, |stance| stance + 1)
    }

    /// When it lifts or lands next, in source frames.
    pub(super) fn next_event(&self, source: &Source) -> f64 {
        let stances = &self.source(source).stances;
        match self.stance.filter(|_| self.stands()) {
            Some(stance) => (stances[stance].frames.end - 1) as f64,
            None => {
                stances.get(self.next_stance()).map_or(f64::INFINITY, |stance| stance.frames.start as f64)
            }
        }
    }

    /// The next stance, and when it begins.
    pub(super) fn next_landing(&self, source: &Source) -> Option<(usize, f64)> {
        let stances = &self.source(source).stances;
        let next = self.next_stance();
        Some((next, stances.get(next)?.frames.start as f64))
    }

    /// Leaves the ground at the end of its stance; `cut` when the source is entered in the middle of a swing.
    pub(super) fn lift(&mut self, source: &Source, cut: Option<usize>, other: &Self) {
        self.phase = match self.source(source).stances.get(self.next_stance()) {
            None => Phase::Free,
            Some(_) => Phase::Swings(self.flight(source, cut, other)),
        };
    }

    /// Bends the swing that is under way again, after its target or its placement changed.
    pub(super) fn aim(&mut self, source: &Source, other: &Self) {
        if let Phase::Swings(flight) = self.phase {
            self.lift(source, flight.cut, other);
        }
        self.offset = HandleOffset::default();
    }

    /// Comes to stand in its next stance.
    pub(super) fn land(&mut self) {
        (self.stand, self.target, self.wider_m) = (self.next, None, 0.0);
        self.stance = Some(self.next_stance());
        self.phase = Phase::Stands;
        self.offset = HandleOffset::default();
    }

    #[inline]
    fn swing<'a>(&self, source: &'a Source, cut: Option<usize>) -> Option<&'a Swing> {
        match cut {
            Some(cut) => source.cuts[cut].late.as_ref(),
            None => self.source(source).swings.get(self.stance?),
        }
    }

    /// The bend from the stance left to the next one, past the other foot.
    fn flight(&self, source: &Source, cut: Option<usize>, other: &Self) -> Flight {
        let mut flight = Flight { cut, ..Flight::default() };
        let Some(swing) = self.swing(source, cut) else { return flight };
        let feet = self.source(source);
        let stance = &feet.stances[self.next_stance()];
        flight.yaw = self.next.place.yaw - self.stand.place.yaw;
        // Displacements against the placement that is left: metres and rotation vectors.
        let last = feet.track.ankle.len() - 1;
        let displaced = |stand: &Stand, i: usize, yaw: f32| {
            let (p, q) = (feet.track.ankle[i.min(last)], feet.track.rotation[i.min(last)]);
            let (x, r) = stand.apply((p.into(), q));
            let turned = turn_by(Vec3A::Y * yaw) * self.stand.place.rotation(q);
            [Vec3::from(x) - self.stand.place.point(p), log(turned.inverse() * r)]
        };
        let (start, end) = (swing.start, stance.frames.start);
        // Entered in mid-swing, the foot begins where the source has it; the rest is an offset.
        let begin = |i: usize| if cut.is_some() { [Vec3::ZERO; 2] } else { displaced(&self.stand, i, 0.0) };
        let after = end + usize::from(stance.frames.len() > 1);
        let ends = [
            begin(start.saturating_sub(1)),
            begin(start),
            displaced(&self.next, end, flight.yaw),
            displaced(&self.next, after, flight.yaw),
        ];
        flight.rise = [ends[1][0].y, ends[2][0].y - ends[1][0].y];
        flight.path = swing.bend(0, ends.map(|end| end[0].with_y(0.0)));
        flight.turn = swing.bend(1, ends.map(|end| end[1]));
        flight.around = self.around(source, swing, &flight, other);
        flight
    }

    /// How far a swing must go round the other foot, which stands: steps that turn or go to the side would else lead the straight way,
    /// through the other leg. What the source itself does there stays.
    fn around(&self, source: &Source, swing: &Swing, flight: &Flight, other: &Self) -> Vec3A {
        let (feet, others) = (self.source(source), other.source(source));
        let (start, end) = (swing.start as f64, feet.stances[self.next_stance()].frames.start as f64);
        // A foot that is about to land stands when this one passes it.
        let next = others.stances.get(other.next_stance());
        let lands_first = next.is_some_and(|next| (next.frames.start as f64) < 0.5 * (start + end));
        let passed = match (other.phase, other.stance) {
            (Phase::Stands, Some(stance)) => Some((&others.stances[stance], &other.stand)),
            (Phase::Swings(_), _) if lands_first => next.map(|next| (next, &other.next)),
            _ => None,
        };
        let Some((stance, stand)) = passed else { return Vec3A::ZERO };
        let scale = source.scale();
        let (toe, length) = (Vec3A::from(feet.track.toe), others.track.toe.length());
        // Along the standing foot and out to this foot's side, whatever the joints are called, in the source and in the new place.
        let hips = [self.side, other.side].map(|side| source.upper[side][stance.middle]);
        let axes = |heading: f32, own: f32| {
            let (sine, cosine) = heading.sin_cos();
            [Vec3A::new(sine, 0.0, cosine), own * Vec3A::new(cosine, 0.0, -sine)]
        };
        let own = 1.0_f32.copysign(Vec3A::from(hips[0] - hips[1]).dot(axes(stance.heading, 1.0)[1]));
        let [there, here] =
            [stance.heading, stance.heading + stand.place.yaw].map(|heading| axes(heading, own));
        let seen = |axes: &[Vec3A; 2], by: Vec3A| [by.dot(axes[0]), by.dot(axes[1])];
        let lack = |[along, out]: [f32; 2]| {
            let away = (-along).max(along - length).max(0.0);
            scale * APART[0] - APART[1] * away - out
        };
        let straight = Self { phase: Phase::Swings(*flight), offset: HandleOffset::default(), ..*self };
        let mut most = 0.0_f32;
        for step in 1..AROUND_STEPS {
            let time = start + (end - start) * f64::from(step) / f64::from(AROUND_STEPS);
            let between = Between::new(time, source.num_frames);
            let (was, is) = (feet.at_frames(&between), straight.at_frames(source, &between, time));
            let bow = bow(swing.rows_at(&between)[0].x).max(LEAST_BOW);
            for lever in [Vec3A::ZERO, toe] {
                let own = seen(&there, was.0 + was.1 * lever - Vec3A::from(stance.ankle));
                let now = seen(&here, is.0 + is.1 * lever - Vec3A::from(stand.ankle));
                most = most.max((lack(now) - lack(own).max(0.0)) / bow);
            }
        }
        here[1] * (most.min(scale * MOST_AROUND_M) + self.wider_m)
    }

    /// World place and rotation of the ankle at `time`, with the four source frames about it.
    #[inline]
    pub(super) fn at_frames(&self, source: &Source, between: &Between, time: f64) -> (Vec3A, Quat) {
        let captured = self.source(source).at_frames(between);
        let flight = match &self.phase {
            Phase::Stands => return self.stand.apply(captured),
            Phase::Free => return self.offset.apply(self.stand.apply(captured), time),
            Phase::Swings(flight) => flight,
        };
        let Some(swing) = self.swing(source, flight.cut) else {
            return self.offset.apply(self.stand.apply(captured), time);
        };
        let [row, turn_row] = swing.rows_at(between);
        let mut by = flight.path.at(row) + flight.around * bow(row.x);
        let part = row.x;
        let [from, to] = if flight.rise[1] > 0.0 { RISES } else { SINKS }[usize::from(self.follows)];
        by.y += flight.rise[0] + flight.rise[1] * ease((part - from) / (to - from));
        let turned = turn_by(flight.turn.at(turn_row));
        let yaw = turn_by(Vec3A::Y * (flight.yaw * ease(swing.time_part(time))));
        let rotation = yaw * self.stand.place.rotation(captured.1) * turned;
        self.offset.apply((self.stand.place.carry(captured.0) + by, rotation), time)
    }

    /// How much of what a leg cannot reach the hips take up: all while the foot stands, none in the middle of its swing.
    pub(super) fn leans(&self, source: &Source, between: &Between, time: f64) -> f32 {
        let flight = match self.phase {
            Phase::Stands => return 1.0,
            Phase::Free => return self.leans_free(source, time),
            Phase::Swings(flight) => flight,
        };
        let part = self.swing(source, flight.cut).map_or(0.5, |swing| swing.rows_at(between)[0].x);
        // From 1 where it lifts over 0 in the middle to 1 where it lands; entered in mid-swing it has not lifted.
        let from_middle = (2.0 * part - 1.0).clamp(if flight.cut.is_some() { 0.0 } else { -1.0 }, 1.0);
        from_middle * from_middle
    }

    /// The same before the first stance and after the last.
    fn leans_free(&self, source: &Source, time: f64) -> f32 {
        let stances = &self.source(source).stances;
        let away = match self.stance {
            Some(stance) => time - (stances[stance].frames.end - 1) as f64,
            None => stances.first().map_or(f64::INFINITY, |stance| stance.frames.start as f64 - time),
        };
        1.0 - ease((away / (FADE_S * source.fps)) as f32)
    }
}
