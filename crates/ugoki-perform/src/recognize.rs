//! Which piece of which motion a performer is in, frame by frame.
//!
//! The distances of the live frame to every sample of every pattern are computed once ([`Patterns`]); every method then
//! reads them its own way. The nearest sample needs not all of them: a pattern is given up as soon as it cannot win.

use glam::Vec3;

use super::Model;
use super::config::{Method, RunConfig};
use super::floors::Floors;
use super::model::SAMPLES;
use super::patterns::{Patterns, least};
use super::reduced_size::{LESS, REDUCED_SIZES, smaller_frames};

/// What a frame was taken for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recognized {
    /// Number of the motion in the model.
    pub motion: usize,
    /// Number of the piece in the motion.
    pub piece: usize,
    /// Nearest sample of the piece's pattern, as a fraction of the piece (0 to 1).
    pub place: f32,
    /// How much nearer than the next best motion, 0 to 1; against the next best piece where there is one motion.
    pub margin: f32,
    /// Mean distance of the points to the nearest sample, leg lengths.
    pub distance: f32,
}

/// Length of the window method's window, seconds: a tenth is what one-pass programming needed in the paper.
const WINDOW_S: f64 = 0.1;
/// Most frames of a window, whatever the rate.
const MAX_WINDOW: usize = 24;
/// How much nearer another motion must be than the one shown to be taken by `follow`, mean leg lengths per point: what
/// sensors are off by. Of 24 changes of made-up sequences 24 are noticed in the frame in which they can be seen with 0
/// and 0.002, 23 with 0.004, 11 with 0.008, 2 with 0.015; with less than 0.004 performers with the other hand are
/// missed.
const ALIKE: f32 = 0.004;

/// One pattern among all.
#[derive(Debug, Clone, Copy)]
struct Unit {
    motion: usize,
    piece: usize,
    /// Samples per second when it was performed.
    rate: f32,
    /// What it costs to take it: summed leg lengths; nothing for a motion in its whole size.
    less: f32,
}

/// What a piece is in its motion.
#[derive(Debug, Clone, Copy)]
struct Standing {
    /// How many pieces after it follow in order: the next, and over a rest the one after.
    ahead: usize,
    rest: bool,
}

/// Compares live frames with a model; holds what its method remembers.
#[derive(Debug, Clone)]
pub struct Recognizer {
    config: RunConfig,
    num_points: usize,
    units: Vec<Unit>,
    /// Every piece of every motion, in order.
    pieces: Vec<Vec<Standing>>,
    /// Points in the order they are compared: those that differ most among all samples first.
    order: Vec<usize>,
    /// One pattern per unit.
    patterns: Patterns,
    /// The points seen now, with their numbers; and those of a mirror image.
    live: Vec<(usize, Vec3)>,
    mirrored: Vec<(usize, Vec3)>,
    /// Distance to every sample, now; sums over points.
    now: Vec<f32>,
    /// Distances of earlier frames, newest first (window); accumulated costs (dp).
    before: Vec<Vec<f32>>,
    /// Per unit; infinite where it could not win.
    scores: Vec<f32>,
    /// Per unit, the sample that its method found (window, dp).
    places: Vec<usize>,
    /// What is known of units that were not compared: how near they can be at most.
    floors: Floors,
    /// The piece that the performer is in and how far, 0 to 1.
    meant: Option<(usize, usize)>,
    place: f32,
    /// Mean distance of the points to its nearest sample, leg lengths.
    distance: f32,
    /// The piece that is shown: the one meant, but for hysteresis; and for how many frames another has been meant.
    shown: Option<(usize, usize)>,
    waiting: usize,
    /// The motion that came second last time: looked at early, it lets the others be given up sooner.
    second: Option<usize>,
}

impl Recognizer {
    /// Compares by `config`.
    #[must_use]
    pub fn build(model: &Model, config: RunConfig) -> Self {
        let num_points = model.roles.len();
        let mut units = Vec::new();
        let mut patterns: Vec<Vec<Vec3>> = Vec::new();
        // The paper's measures know a motion in one size.
        let fractions: &[f32] = if config.method == Method::Follow { &REDUCED_SIZES } else { &[] };
        for (m, motion) in model.motions.iter().enumerate() {
            for (p, piece) in motion.pieces.iter().enumerate() {
                for (number, pattern) in piece.patterns.iter().enumerate() {
                    if pattern.points.len() < SAMPLES * num_points {
                        continue;
                    }
                    let rate = (SAMPLES - 1) as f64 / pattern.seconds.max(1e-3);
                    let unit = Unit { motion: m, piece: p, rate: rate as f32, less: 0.0 };
                    units.push(unit);
                    patterns.push(pattern.points.clone());
                    // Smaller about the pose in which the performance of the motion begins.
                    let first = &motion.pieces[0].patterns;
                    let Some(neutral) =
                        first.get(number).or(first.first()).filter(|p| p.points.len() >= num_points)
                    else {
                        continue;
                    };
                    for &fraction in fractions {
                        units.push(Unit { less: LESS * num_points as f32, ..unit });
                        let neutral = &neutral.points[..num_points];
                        patterns.push(smaller_frames(&pattern.points, neutral, &model.roles, fraction));
                    }
                }
            }
        }
        let patterns: Vec<&[Vec3]> = patterns.iter().map(Vec::as_slice).collect();
        let order = telling(&patterns, num_points);
        let pieces = |motion: &super::Motion| {
            let n = motion.pieces.len();
            let rests = |p: usize| motion.pieces[p % n].group.is_none();
            (0..n).map(|p| Standing { ahead: 1 + usize::from(rests(p + 1)), rest: rests(p) }).collect()
        };
        let (units, all) = (units.len(), units);
        // A cost that is no number, or less than none, is none.
        let config = RunConfig { order: config.order.max(0.0), ..config };
        Self {
            config,
            num_points,
            pieces: model.motions.iter().map(pieces).collect(),
            live: Vec::with_capacity(num_points),
            mirrored: Vec::with_capacity(num_points),
            now: vec![0.0; units * SAMPLES],
            scores: vec![0.0; units],
            places: vec![0; units],
            units: all,
            patterns: Patterns::build(&patterns, num_points, &order),
            order,
            before: Vec::new(),
            floors: Floors::new(units, num_points),
            meant: None,
            place: 0.0,
            distance: f32::INFINITY,
            shown: None,
            waiting: 0,
            second: None,
        }
    }

    /// Makes room for a stream of this rate, so that [`Recognizer::step`] does not allocate.
    pub fn prepare(&mut self, fps: f64) {
        let frames = match self.config.method {
            Method::Follow | Method::Sum | Method::Nearest => 0,
            Method::Window => ((WINDOW_S * fps).round() as usize).clamp(1, MAX_WINDOW),
            Method::Dp => 2,
        };
        self.before = vec![vec![f32::NAN; self.now.len()]; frames];
    }

    /// Takes one frame: the model's points in leg lengths and on usual bones, not finite where a point was not seen.
    /// `None` when no point was, or the model is empty.
    pub fn step(&mut self, points: &[Vec3], seconds: f64) -> Option<Recognized> {
        self.live.clear();
        let seen = self.order.iter().enumerate().filter(|(_, point)| points.get(**point).is_some());
        self.live.extend(seen.map(|(place, &point)| (place, points[point])).filter(|(_, p)| p.is_finite()));
        if self.live.is_empty() || self.units.is_empty() {
            return None;
        }
        if matches!(self.config.method, Method::Follow | Method::Nearest) {
            self.nearest();
        } else {
            for unit in 0..self.units.len() {
                self.compare(unit, f32::INFINITY);
            }
            match self.config.method {
                Method::Sum => self.score(|samples| samples.iter().sum::<f32>() / SAMPLES as f32),
                Method::Window => self.window(seconds as f32),
                Method::Dp => self.dp(),
                Method::Follow | Method::Nearest => {}
            }
        }
        let unit = self.units[self.choose()?];
        let recognized = self.recognized(unit);
        (self.place, self.distance) = (recognized.place, recognized.distance);
        let meant = (unit.motion, unit.piece);
        // Where the place in a motion is another's matter, pieces do not count. Nor do they for a performer that
        // continues in another motion, from one piece of it to the next: he has agreed on that motion all the time.
        let by_motion = self.config.method == Method::Follow;
        let elsewhere = self.shown.is_some_and(|shown| shown.0 != meant.0);
        let agreed =
            |before: (usize, usize)| before == meant || before.0 == meant.0 && (by_motion || elsewhere);
        self.waiting = if self.meant.is_some_and(agreed) { self.waiting + 1 } else { 0 };
        self.meant = Some(meant);
        let other = |shown: (usize, usize)| if by_motion { shown.0 != meant.0 } else { shown != meant };
        match self.shown.filter(|&shown| other(shown) && self.waiting < self.config.hysteresis) {
            Some(shown) => Some(self.recognized(*self.units.iter().find(|u| (u.motion, u.piece) == shown)?)),
            None => {
                self.shown = Some(meant);
                Some(recognized)
            }
        }
    }

    /// Mean distance of the points to what was nearest in the last frame, leg lengths; hysteresis may show something
    /// else.
    pub(super) fn distance(&self) -> f32 {
        self.distance
    }

    /// The unit to take. Which motion it is, distance alone decides; which piece of it, distance and order.
    fn choose(&self) -> Option<usize> {
        let least = least_at(&self.scores)?;
        let motion = match (self.config.method, self.meant) {
            (Method::Follow, Some((meant, _))) if self.is_alike(meant, self.scores[least]) => meant,
            _ => self.units[least].motion,
        };
        let cost = |&i: &usize| self.scores[i] + self.out_of_order(self.units[i]);
        let own = (0..self.units.len()).filter(|&i| self.units[i].motion == motion);
        own.filter(|i| !cost(i).is_nan()).min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }

    /// Whether a motion is as near as `least`, but for what sensors are off.
    fn is_alike(&self, motion: usize, least: f32) -> bool {
        let own = self.units.iter().zip(&self.scores).filter(|(unit, _)| unit.motion == motion);
        own.map(|(_, score)| *score).fold(f32::INFINITY, f32::min) <= least + ALIKE * self.num_points as f32
    }

    /// Least mean distance of other points, such as a mirror image's, to the patterns numbered `part`, `part` +
    /// `parts`, …, leg lengths; `limit` where none is nearer.
    pub(super) fn distance_in_part(&mut self, points: &[Vec3], part: usize, parts: usize, limit: f32) -> f32 {
        self.mirrored.clear();
        let seen =
            self.order.iter().enumerate().filter_map(|(place, &point)| Some((place, *points.get(point)?)));
        self.mirrored.extend(seen.filter(|(_, p)| p.is_finite()));
        if self.mirrored.is_empty() {
            return limit;
        }
        std::mem::swap(&mut self.live, &mut self.mirrored);
        let mut least = limit * self.num_points as f32;
        for unit in (part..self.units.len()).step_by(parts.max(1)) {
            least = least.min(self.compare(unit, least).unwrap_or(f32::INFINITY));
        }
        std::mem::swap(&mut self.live, &mut self.mirrored);
        least / self.num_points.max(1) as f32
    }

    /// What it costs a piece to come out of order, in summed leg lengths. Nothing for the piece meant and for all
    /// pieces of other motions; for those that follow, as much as is left of the piece meant, since a performer that
    /// turns back halfway passes the same poses as one that continues to the movement back.
    fn out_of_order(&self, unit: Unit) -> f32 {
        let Some((motion, piece)) = self.meant.filter(|(motion, _)| *motion == unit.motion) else {
            return 0.0;
        };
        let (n, standing) = (self.pieces[motion].len(), self.pieces[motion][piece]);
        let cost = self.config.order * self.num_points as f32;
        match (unit.piece + n - piece) % n {
            0 => 0.0,
            steps if steps <= standing.ahead => cost * if standing.rest { 0.0 } else { 1.0 - self.place },
            _ => cost,
        }
    }

    /// Nearest sample of every unit, giving up those that can be neither first nor the first of another motion (of
    /// another piece where there is one motion): both are exact, and where order counts so are all pieces of the motion
    /// that is meant, and those of the motion that hysteresis still shows.
    fn nearest(&mut self) {
        let lone = self.is_lone();
        let likely = [self.meant.map(|(motion, _)| motion), self.second];
        let delayed = self.shown.map(|(motion, _)| motion).filter(|_| self.config.hysteresis > 0);
        self.floors.moved(&self.live);
        let (mut first, mut second) = ((usize::MAX, f32::INFINITY), (usize::MAX, f32::INFINITY));
        for pass in 0..3 {
            for number in 0..self.units.len() {
                let unit = self.units[number];
                let turn = likely.iter().position(|&likely| likely == Some(unit.motion)).unwrap_or(2);
                if turn != pass {
                    continue;
                }
                let exact = turn == 0 && self.config.order > 0.0 || delayed == Some(unit.motion);
                let limit = if exact { f32::INFINITY } else { second.1 } - unit.less;
                self.scores[number] = f32::INFINITY;
                if self.floors.bound(number) > limit {
                    continue;
                }
                let near = self.near(number, limit);
                let Some(score) = near.map(|distance| distance + unit.less) else { continue };
                self.scores[number] = score;
                let own = if lone { unit.piece } else { unit.motion };
                if own == first.0 {
                    first.1 = first.1.min(score);
                } else if score < first.1 {
                    second = first;
                    first = (own, score);
                } else if score < second.1 {
                    second = (own, score);
                }
            }
        }
        self.second = (!lone).then_some(second.0);
    }

    /// Whether there is one motion only; then its pieces are each other's rivals.
    fn is_lone(&self) -> bool {
        self.pieces.len() == 1
    }

    /// Distances to all samples of a unit, as if every point had been seen, and the least of them; those beyond `limit`
    /// may be infinite, and `None` when all are.
    fn compare(&mut self, unit: usize, limit: f32) -> Option<f32> {
        let now = self.now[unit * SAMPLES..].first_chunk_mut::<SAMPLES>()?;
        self.patterns.compare(unit, &self.live, limit, now)
    }

    /// The same, keeping what was learned of how near the unit can be.
    fn near(&mut self, unit: usize, limit: f32) -> Option<f32> {
        let now = self.now[unit * SAMPLES..].first_chunk_mut::<SAMPLES>()?;
        let floor = self.floors.wanted(limit);
        let (near, floor) = self.patterns.compare_beyond(unit, &self.live, limit, floor, now);
        self.floors.put(unit, near.unwrap_or(floor));
        near
    }

    fn score(&mut self, of: impl Fn(&[f32]) -> f32) {
        for (score, samples) in self.scores.iter_mut().zip(self.now.chunks_exact(SAMPLES)) {
            *score = of(samples);
        }
    }

    fn window(&mut self, seconds: f32) {
        for (unit, score) in self.scores.iter_mut().enumerate() {
            let rate = self.units[unit].rate * seconds;
            let own = unit * SAMPLES..(unit + 1) * SAMPLES;
            let Some(mut sums) = self.now[own.clone()].first_chunk::<SAMPLES>().copied() else { continue };
            let mut count = 1.0;
            for (age, frame) in self.before.iter().enumerate() {
                let frame = &frame[own.clone()];
                // Units are compared wholly or not at all.
                if frame[0].is_nan() {
                    break;
                }
                let back = (((age + 1) as f32 * rate).round() as usize).min(SAMPLES - 1);
                sums[..back].iter_mut().for_each(|sum| *sum += frame[0]);
                sums[back..].iter_mut().zip(frame).for_each(|(sum, d)| *sum += d);
                count += 1.0;
            }
            self.places[unit] = least_at(&sums).unwrap_or(0);
            *score = sums[self.places[unit]] / count;
        }
        self.before.rotate_right(1);
        if let Some(newest) = self.before.first_mut() {
            newest.copy_from_slice(&self.now);
        }
    }

    fn dp(&mut self) {
        if self.before.len() < 2 {
            self.score(least);
            return;
        }
        let (costs, next) = self.before.split_at_mut(1);
        let (costs, next) = (&mut costs[0], &mut next[0]);
        if costs[0].is_nan() {
            costs.copy_from_slice(&self.now);
        } else {
            // A pattern may begin when any has ended.
            let ended =
                costs.chunks_exact(SAMPLES).map(|unit| unit[SAMPLES - 1]).fold(f32::INFINITY, f32::min);
            for (unit, d) in self.now.chunks_exact(SAMPLES).enumerate() {
                let own = &costs[unit * SAMPLES..(unit + 1) * SAMPLES];
                for (sample, d) in d.iter().enumerate() {
                    let from = match sample {
                        0 => own[0].min(ended),
                        1 => own[1].min(own[0]),
                        _ => own[sample].min(own[sample - 1]).min(own[sample - 2]),
                    };
                    next[unit * SAMPLES + sample] = from + d;
                }
            }
            // Only differences matter; the least is kept at 0.
            let floor = least(next);
            for (cost, next) in costs.iter_mut().zip(next.iter()) {
                *cost = next - floor;
            }
        }
        for (number, unit) in self.before[0].chunks_exact(SAMPLES).enumerate() {
            self.places[number] = least_at(unit).unwrap_or(0);
            self.scores[number] = unit[self.places[number]];
        }
    }

    fn recognized(&self, unit: Unit) -> Recognized {
        let same = |u: &Unit| (u.motion, u.piece) == (unit.motion, unit.piece);
        let (mut distance, mut place, mut score) = (f32::INFINITY, 0, f32::INFINITY);
        // Methods with a memory know the place by it; it may not be the sample nearest to this one frame.
        let remembers = matches!(self.config.method, Method::Window | Method::Dp);
        let own = |number: &usize| same(&self.units[*number]) && self.scores[*number].is_finite();
        for number in (0..self.units.len()).filter(own) {
            let samples = &self.now[number * SAMPLES..(number + 1) * SAMPLES];
            if remembers && self.scores[number] < score {
                score = self.scores[number];
                place = self.places[number];
            }
            for (sample, &d) in samples.iter().enumerate() {
                if d < distance {
                    distance = d;
                    place = if remembers { place } else { sample };
                }
            }
        }
        let key = |u: &Unit| if self.is_lone() { u.piece } else { u.motion };
        let scored = |kin: bool| {
            let kin = |(u, _): &(&Unit, usize)| (key(u) == key(&unit)) == kin;
            let score = |(_, number): (&Unit, usize)| match self.config.method {
                // Costs of ways are known up to a constant only: only this frame decides.
                Method::Dp => least(&self.now[number * SAMPLES..(number + 1) * SAMPLES]),
                _ => self.scores[number],
            };
            self.units.iter().zip(0..).filter(kin).map(score).fold(f32::INFINITY, f32::min)
        };
        let (own, other) = (scored(true), scored(false));
        let margin = match other {
            other if !other.is_finite() => 1.0,
            other if other > 0.0 => ((other - own) / other).clamp(0.0, 1.0),
            _ => 0.0,
        };
        Recognized {
            motion: unit.motion,
            piece: unit.piece,
            place: place as f32 / (SAMPLES - 1) as f32,
            margin,
            distance: distance / self.num_points.max(1) as f32,
        }
    }
}

/// Points by their variance over all samples, greatest first.
fn telling(patterns: &[&[Vec3]], num_points: usize) -> Vec<usize> {
    let spread = |point: usize| {
        let all = || patterns.iter().flat_map(|pattern| pattern.iter().skip(point).step_by(num_points));
        let count = all().count().max(1) as f32;
        let mean = all().copied().sum::<Vec3>() / count;
        all().map(|p| p.distance_squared(mean)).sum::<f32>() / count
    };
    let mut order: Vec<(usize, f32)> = (0..num_points).map(|point| (point, spread(point))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order.into_iter().map(|(point, _)| point).collect()
}

/// Where the least value is; the first of equal ones.
fn least_at(values: &[f32]) -> Option<usize> {
    (0..values.len()).filter(|&i| !values[i].is_nan()).min_by(|&a, &b| values[a].total_cmp(&values[b]))
}
