//! Where in a motion a performer is, followed from frame to frame.
//!
//! A motion is laid out in moments, thirty per second of the actor's time. Every moment has *strands*: what the actor,
//! and each imitation that is well paired, looks like then, and how it moves. A live frame's distance from a moment is
//! the least over its strands of the mean over points of |Δplace| + 0.1 s · |Δvelocity|: going up and coming down pass
//! the same poses, but not with the same velocities. The way through the moments is the cheapest of all ways so far,
//! which goes forward at any pace up to three times the actor's, waits at a small cost and jumps at a greater one; the
//! moment at its end is shown. Nothing waits for later frames.
//!
//! A motion may be done smaller than it was shown or imitated. So every moment is there in several sizes, and a way
//! goes through one of them: a performer with a lower kick is at the top when that kick is, not halfway up.

use glam::Vec3;
use ugoki_motion::segment::{BodyPoints, Observer, SegmentError};

use super::Model;
use super::model::{LOOK_BACK_S, MOMENTS_HZ, num_moments};
use super::reduced_size::{LESS, REDUCED_SIZES, smaller};

/// Seconds by which a difference of velocities is counted with a difference of places. Chosen with the costs below on
/// half of the scripts of docs/results/perform.md; anything from 0.03 to 0.15 does about as well.
const VELOCITY_S: f32 = 0.1;
/// What it costs to stay, and to go on by one, two or three moments in a thirtieth of a second: mean leg lengths per
/// point.
const STEPS: [f32; 4] = [0.01, 0.0, 0.005, 0.02];
/// What it costs to go anywhere else.
const JUMP: f32 = 0.15;
/// Fraction of all costs that is still remembered after a thirtieth of a second: half of them after 0.76 s.
const REMEMBER: f32 = 0.97;
/// A gap, seconds, after which following restarts.
const LONGEST_GAP_S: f64 = 0.5;
/// Time over which the two hands are compared, seconds, and how much nearer the mirror image must be, as a fraction:
/// less is what symmetric motions gain by accident.
pub(super) const HAND_S: f32 = 4.0;
const HAND_GAIN: f32 = 0.94;
/// What a way costs at first that does not begin with the motion: of equal moments the first is meant.
const NOT_FIRST: f32 = 0.01;
/// Time over which movements are compared to tell whether the motion is performed at all, seconds: half a simple
/// movement. 0.5, 1 and 2 s tell it about as well; the shortest notices soonest.
const LATELY_S: f32 = 0.5;
/// Mean speed of the points, leg lengths per second, below which a body stands still: sensors that shake by half a
/// centimetre at 30 Hz make as much of one that does.
const STILL: f32 = 0.1;

/// Sizes in which a motion is followed: whole, and smaller.
const SIZES: usize = 1 + REDUCED_SIZES.len();

/// A live point: its number in the model, where it is and how it moves (not finite when that is unknown), leg lengths
/// and leg lengths per second.
pub(super) type LivePoint = (usize, Vec3, Vec3);

/// Where the performer is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Followed {
    /// Frame of the actor's motion, counted from its first, between frames too.
    pub(super) frame: f64,
    /// Mean distance of the points from the nearest strand there, leg lengths; velocities do not count.
    pub(super) distance: f32,
    /// Whether the motion is done in its whole size, as the regressions were learned.
    pub(super) whole: bool,
    /// Fraction of movement that the moments followed of late do not have in common with the performer's.
    pub(super) unexplained: f32,
    /// Whether it is the performer's mirror image that is there.
    pub(super) mirrored: bool,
}

/// All motions' moments, and the way through the one that is performed.
#[derive(Debug, Clone)]
pub(super) struct Follower {
    num_points: usize,
    /// For every point the one on the other side.
    partners: Vec<Option<usize>>,
    tracks: Vec<Track>,
    motion: Option<usize>,
    /// As performed and, when it is looked for, in a mirror.
    ways: [Way; 2],
    hand: usize,
    movement: Movement,
    sums: Vec<f32>,
    mirrored: Vec<LivePoint>,
}

/// How the performer moved of late and how what was followed did, whatever motion it was: means of how far the two
/// velocities are apart and of how great they are together, leg lengths per second and point.
#[derive(Debug, Clone, Copy)]
struct Movement {
    apart: f32,
    both: f32,
}

impl Movement {
    /// Of a performer that stands still, which matches anything.
    const NONE: Self = Self { apart: 0.0, both: STILL };

    /// Takes a frame, `None` when no velocity was known.
    fn take(&mut self, seen: Option<Moved>, seconds: f64) {
        let fraction = 1.0 - (-(seconds.max(0.0) as f32) / LATELY_S).exp();
        let Some(seen) = seen else { return };
        let now = if seen.performer < STILL {
            Self::NONE
        } else {
            Self { apart: seen.apart, both: seen.performer + seen.followed }
        };
        self.apart += fraction * (now.apart - self.apart);
        self.both += fraction * (now.both - self.both);
    }

    /// 0 for movements that are the same, 1 for such that have nothing in common: |v − w| ≤ |v| + |w|. A third when one
    /// is half or twice as fast as the other.
    fn unexplained(&self) -> f32 {
        self.apart / self.both
    }
}

/// Mean speeds of the performer's points and of those followed, and how far the velocities are apart, leg lengths per
/// second.
#[derive(Debug, Clone, Copy)]
struct Moved {
    performer: f32,
    followed: f32,
    apart: f32,
}

#[derive(Debug, Clone)]
struct Track {
    moments: usize,
    frames_per_moment: f64,
    /// Strands of one size. Those as they were performed come first, then the same done smaller, size after size.
    strands: usize,
    /// Strand after strand, point after point: x, y, z and velocities times `VELOCITY_S` of all moments in turn; not
    /// finite where a strand has nothing.
    columns: Vec<f32>,
}

#[derive(Debug, Clone, Default)]
struct Way {
    /// Distance of the live frame from every moment.
    near: Vec<f32>,
    /// Cost of the cheapest way to every moment at the last tick, and now.
    costs: Vec<f32>,
    now: Vec<f32>,
    begun: bool,
    /// Seconds since the last tick.
    since: f64,
    /// Distance of late where the way was, and for how many seconds that is.
    of_late: f32,
    seconds: f32,
}

impl Follower {
    pub(super) fn build(model: &Model) -> Result<Self, SegmentError> {
        let num_points = model.roles.len();
        let tracks = model.motions.iter().map(|motion| Track::build(model, motion));
        let tracks = tracks.collect::<Result<Vec<_>, _>>()?;
        let most = tracks.iter().map(|track| track.moments).max().unwrap_or(0) * SIZES;
        let way = || Way {
            near: Vec::with_capacity(most),
            costs: Vec::with_capacity(most),
            now: Vec::with_capacity(most),
            ..Way::default()
        };
        let partner =
            |role: &ugoki_base::skeleton::Role| model.roles.iter().position(|r| *r == role.mirrored());
        Ok(Self {
            num_points,
            partners: model.roles.iter().map(partner).collect(),
            tracks,
            motion: None,
            ways: [way(), way()],
            hand: 0,
            movement: Movement::NONE,
            sums: Vec::with_capacity(most),
            mirrored: Vec::with_capacity(num_points),
        })
    }

    /// Forgets the path: the next frame starts again.
    pub(super) fn forget(&mut self) {
        self.motion = None;
    }

    /// Takes one frame of a performer that is in `motion`, `seconds` after the one before. With `mirror` the mirror
    /// image is followed too and taken when it has been clearly nearer of late.
    pub(super) fn step(
        &mut self,
        motion: usize,
        live: &[LivePoint],
        seconds: f64,
        mirror: bool,
    ) -> Option<Followed> {
        let track = self.tracks.get(motion)?;
        if self.motion != Some(motion) || seconds.is_nan() || seconds > LONGEST_GAP_S {
            self.motion = Some(motion);
            self.hand = 0;
            self.ways.iter_mut().for_each(|way| {
                *way = Way {
                    near: std::mem::take(&mut way.near),
                    costs: std::mem::take(&mut way.costs),
                    now: std::mem::take(&mut way.now),
                    ..Way::default()
                };
            });
        }
        self.ways[0].go(track, self.num_points, live, seconds, &mut self.sums);
        if mirror {
            let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
            self.mirrored.clear();
            self.mirrored.extend(live.iter().filter_map(|&(point, place, rate)| {
                Some((self.partners.get(point).copied().flatten()?, flip(place), flip(rate)))
            }));
            self.ways[1].go(track, self.num_points, &self.mirrored, seconds, &mut self.sums);
            let other = 1 - self.hand;
            let long = self.ways[other].seconds > HAND_S.min(1.0);
            if long && self.ways[other].of_late < HAND_GAIN * self.ways[self.hand].of_late {
                self.hand = other;
            }
        }
        let live = if self.hand == 1 { &self.mirrored } else { live };
        let (size, moment, offset) = self.ways[self.hand].end(track.moments)?;
        self.movement.take(track.moved(self.num_points, size, moment, live), seconds);
        Some(Followed {
            frame: (moment as f64 + f64::from(offset)) * track.frames_per_moment,
            distance: track.distance(self.num_points, size, moment, live),
            whole: size == 0,
            unexplained: self.movement.unexplained(),
            mirrored: self.hand == 1,
        })
    }
}

impl Track {
    fn build(model: &Model, motion: &super::Motion) -> Result<Self, SegmentError> {
        let skeleton = motion.clip.skeleton();
        let observer = Observer::build(skeleton)?.on_usual_bones(skeleton).only(&model.roles);
        let points = BodyPoints::watch(&observer, &motion.clip).scaled(1.0 / observer.leg_metres());
        let moments = num_moments(&motion.clip);
        let per_moment = motion.clip.fps() / MOMENTS_HZ;
        // A model made by hand may have points that its actor lacks; then the strands alone count.
        let own = (observer.num_points() == model.roles.len()).then(|| {
            let back = LOOK_BACK_S * motion.clip.fps();
            super::model::strand(
                &points,
                (0..moments).map(|i| Some(i as f64 * per_moment)),
                back,
                motion.clip.fps(),
            )
        });
        let fits = |strand: &&super::Strand| {
            let all = moments * model.roles.len();
            strand.seen.len() == moments && strand.points.len() == all && strand.rates.len() == all
        };
        let whole: Vec<&super::Strand> = motion.strands.iter().chain(&own).filter(fits).collect();
        let pairs =
            REDUCED_SIZES.iter().flat_map(|fraction| whole.iter().map(move |strand| (strand, *fraction)));
        let less: Vec<super::Strand> =
            pairs.map(|(strand, fraction)| smaller(strand, &model.roles, fraction)).collect();
        let strands: Vec<&super::Strand> = whole.iter().copied().chain(&less).collect();
        let mut columns = Vec::with_capacity(strands.len() * 6 * moments * model.roles.len());
        for strand in &strands {
            for point in 0..model.roles.len() {
                for column in 0..6 {
                    columns.extend((0..moments).map(|moment| {
                        let at = moment * model.roles.len() + point;
                        match (strand.seen[moment], column) {
                            (false, _) => f32::NAN,
                            (true, 0..3) => strand.points[at][column],
                            (true, _) => VELOCITY_S * strand.rates[at][column - 3],
                        }
                    }));
                }
            }
        }
        Ok(Self { moments, frames_per_moment: per_moment, strands: whole.len(), columns })
    }

    fn column(&self, num_points: usize, strand: usize, point: usize, column: usize) -> &[f32] {
        let from = ((strand * num_points + point) * 6 + column) * self.moments;
        &self.columns[from..from + self.moments]
    }

    /// Distance of the live frame from every moment of every size, mean over points and least over strands; compiled
    /// twice like the comparison of patterns.
    fn distances(&self, num_points: usize, live: &[LivePoint], sums: &mut Vec<f32>, near: &mut Vec<f32>) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
            // SAFETY: the features the function needs were detected on this machine.
            return unsafe { distances_wide(self, num_points, live, sums, near) };
        }
        self.distances_here(num_points, live, sums, near);
    }

    #[inline(always)]
    fn distances_here(
        &self,
        num_points: usize,
        live: &[LivePoint],
        sums: &mut Vec<f32>,
        near: &mut Vec<f32>,
    ) {
        let n = self.moments;
        near.clear();
        near.resize(n * SIZES, f32::INFINITY);
        let scale = 1.0 / live.len().max(1) as f32;
        for strand in 0..self.strands * SIZES {
            let size = strand / self.strands;
            let less = if size > 0 { LESS } else { 0.0 };
            let near = &mut near[size * n..(size + 1) * n];
            sums.clear();
            sums.resize(n, 0.0);
            for &(point, p, rate) in live {
                let column = |c: usize| self.column(num_points, strand, point, c);
                let (xs, ys, zs) = (column(0), column(1), column(2));
                let sums = &mut sums[..n];
                for i in 0..n {
                    let (dx, dy, dz) = (xs[i] - p.x, ys[i] - p.y, zs[i] - p.z);
                    sums[i] += (dx * dx + dy * dy + dz * dz).sqrt();
                }
                if !rate.is_finite() {
                    continue;
                }
                let r = rate * VELOCITY_S;
                let (xs, ys, zs) = (column(3), column(4), column(5));
                for i in 0..n {
                    let (dx, dy, dz) = (xs[i] - r.x, ys[i] - r.y, zs[i] - r.z);
                    sums[i] += (dx * dx + dy * dy + dz * dz).sqrt();
                }
            }
            // What is no number is no nearer.
            for (least, sum) in near.iter_mut().zip(sums.iter()) {
                let d = sum * scale + less;
                *least = if d < *least { d } else { *least };
            }
        }
    }

    /// Numbers of the strands of one size.
    fn strands_of_size(&self, size: usize) -> std::ops::Range<usize> {
        size * self.strands..(size + 1) * self.strands
    }

    /// How the live points move compared with one moment's: of the strand that moves most alike.
    fn moved(&self, num_points: usize, size: usize, moment: usize, live: &[LivePoint]) -> Option<Moved> {
        let of = |strand: usize| {
            let (mut moved, mut count) = (Moved { performer: 0.0, followed: 0.0, apart: 0.0 }, 0.0_f32);
            for &(point, _, rate) in live.iter().filter(|(_, _, rate)| rate.is_finite()) {
                let at = |c: usize| self.column(num_points, strand, point, c)[moment] / VELOCITY_S;
                let own = Vec3::new(at(3), at(4), at(5));
                moved.performer += rate.length();
                moved.followed += own.length();
                moved.apart += own.distance(rate);
                count += 1.0;
            }
            let Moved { performer, followed, apart } = moved;
            Moved { performer: performer / count, followed: followed / count, apart: apart / count }
        };
        let finite = |moved: &Moved| moved.apart.is_finite() && moved.followed.is_finite();
        self.strands_of_size(size).map(of).filter(finite).min_by(|a, b| a.apart.total_cmp(&b.apart))
    }

    /// Mean distance of places alone from one moment.
    fn distance(&self, num_points: usize, size: usize, moment: usize, live: &[LivePoint]) -> f32 {
        let of = |strand: usize| {
            let far = |&(point, p, _): &LivePoint| {
                let at = |c: usize| self.column(num_points, strand, point, c)[moment];
                p.distance(Vec3::new(at(0), at(1), at(2)))
            };
            live.iter().map(far).sum::<f32>() / live.len().max(1) as f32
        };
        self.strands_of_size(size).map(of).fold(f32::INFINITY, f32::min)
    }
}

/// [`Track::distances_here`] with wide registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn distances_wide(
    track: &Track,
    num_points: usize,
    live: &[LivePoint],
    sums: &mut Vec<f32>,
    near: &mut Vec<f32>,
) {
    track.distances_here(num_points, live, sums, near);
}

impl Way {
    fn go(
        &mut self,
        track: &Track,
        num_points: usize,
        live: &[LivePoint],
        seconds: f64,
        sums: &mut Vec<f32>,
    ) {
        track.distances(num_points, live, sums, &mut self.near);
        let tick = 1.0 / MOMENTS_HZ;
        if !self.begun {
            self.begun = true;
            self.costs.clone_from(&self.near);
            for size in self.costs.chunks_mut(track.moments) {
                size.iter_mut().skip(1).for_each(|cost| *cost += NOT_FIRST);
            }
            self.now.clone_from(&self.costs);
            self.since = 0.0;
        } else {
            self.since += seconds.max(0.0);
            // Slow senders: the time between has passed too.
            while self.since > 1.75 * tick {
                self.advance(track.moments);
                std::mem::swap(&mut self.costs, &mut self.now);
                self.since -= tick;
            }
            self.advance(track.moments);
            for (cost, near) in self.now.iter_mut().zip(&self.near) {
                *cost += near;
            }
            if self.since > 0.75 * tick {
                self.since -= tick;
                let least = self.now.iter().copied().fold(f32::INFINITY, f32::min);
                for (cost, now) in self.costs.iter_mut().zip(&self.now) {
                    *cost = REMEMBER * (now - least);
                }
            }
        }
        let here = self
            .end(track.moments)
            .map_or(f32::INFINITY, |(size, moment, _)| self.near[size * track.moments + moment]);
        let fraction = 1.0 - (-(seconds.max(0.0) as f32) / HAND_S).exp();
        self.of_late =
            if self.seconds == 0.0 { here } else { self.of_late + fraction * (here - self.of_late) };
        self.seconds += seconds.max(0.0) as f32;
    }

    /// The cheapest way to every moment from the last tick; a performer that changes size jumps.
    fn advance(&mut self, moments: usize) {
        let least = self.costs.iter().copied().fold(f32::INFINITY, f32::min);
        self.now.clear();
        self.now.extend(self.costs.iter().map(|cost| (cost + STEPS[0]).min(least + JUMP)));
        for (now, costs) in self.now.chunks_mut(moments).zip(self.costs.chunks(moments)) {
            for (step, extra) in STEPS.iter().enumerate().skip(1) {
                let Some(later) = now.get_mut(step..) else { continue };
                for (now, cost) in later.iter_mut().zip(costs) {
                    let cost = cost + extra;
                    *now = if cost < *now { cost } else { *now };
                }
            }
        }
    }

    /// Size and moment at the end of the cheapest way, and how far from it the live frame is by its neighbours'
    /// distances.
    fn end(&self, moments: usize) -> Option<(usize, usize, f32)> {
        let best = (0..self.now.len()).min_by(|&a, &b| self.now[a].total_cmp(&self.now[b]))?;
        let (size, best) = (best / moments, best % moments);
        let near = self.near.get(size * moments..)?;
        let around = |i: usize| near[..moments].get(i).copied().filter(|d| d.is_finite());
        let before = best.checked_sub(1).and_then(around);
        let offset = match (before, around(best), around(best + 1)) {
            (Some(a), Some(b), Some(c)) if a - 2.0 * b + c > 1e-6 => (a - c) / (2.0 * (a - 2.0 * b + c)),
            _ => 0.0,
        };
        Some((size, best, offset.clamp(-0.5, 0.5)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(near: &[f32]) -> Way {
        Way { near: near.to_vec(), costs: near.to_vec(), now: near.to_vec(), begun: true, ..Way::default() }
    }

    #[test]
    fn a_way_goes_forward_for_nothing_and_jumps_for_a_price() {
        let mut way = way(&[0.0, 9.0, 9.0, 9.0, 9.0, 9.0]);
        way.advance(6);
        assert_eq!(way.now[..4], [0.01, 0.0, 0.005, 0.02]);
        assert_eq!(way.now[4..], [0.15, 0.15]);
        // No way goes on from one size into the next.
        let mut two = self::way(&[9.0, 9.0, 0.0, 9.0, 9.0, 9.0]);
        two.advance(3);
        assert_eq!(two.now[3..], [0.15; 3]);
    }

    #[test]
    fn movement_is_explained_by_what_is_alike_at_any_size_and_pace() {
        let lasting = |performer: f32, followed: f32, apart: f32| {
            let mut movement = Movement::NONE;
            (0..300).for_each(|_| movement.take(Some(Moved { performer, followed, apart }), 1.0 / 60.0));
            movement.unexplained()
        };
        // The same, half, the other way, and at right angles.
        assert_eq!(lasting(1.0, 1.0, 0.0), 0.0);
        assert!((lasting(0.5, 1.0, 0.5) - 1.0 / 3.0).abs() < 1e-3);
        assert!((lasting(1.0, 1.0, 2.0) - 1.0).abs() < 1e-3);
        assert!((lasting(1.0, 1.0, 2.0_f32.sqrt()) - 0.5_f32.sqrt()).abs() < 1e-3);
        // A performer standing still does nothing else, and one that stopped is trusted again within a second.
        assert_eq!(lasting(0.5 * STILL, 1.0, 1.0), 0.0);
        let mut movement = Movement { apart: 0.8, both: 1.0 };
        let still = Moved { performer: 0.0, followed: 0.0, apart: 0.0 };
        (0..60).for_each(|_| movement.take(Some(still), 1.0 / 60.0));
        assert!(movement.unexplained() < 0.5);
        // What was not seen says nothing.
        movement = Movement { apart: 0.8, both: 1.0 };
        movement.take(None, 1.0);
        assert_eq!(movement.unexplained(), 0.8);
    }

    #[test]
    fn the_end_lies_between_moments_that_are_as_near() {
        let (size, moment, offset) = way(&[3.0, 1.0, 1.0, 3.0]).end(4).unwrap();
        assert_eq!((size, moment as f32 + offset), (0, 1.5));
        assert_eq!(way(&[1.0]).end(1), Some((0, 0, 0.0)));
        assert_eq!(way(&[]).end(1), None);
        // Of two sizes; the neighbours are those of the same one.
        assert_eq!(way(&[3.0, 2.0, 0.0, 3.0]).end(2), Some((1, 0, 0.0)));
    }
}
