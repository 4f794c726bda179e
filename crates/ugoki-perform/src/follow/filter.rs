//! The causal Bayesian filter.
//!
//! Probabilities are kept for cells of eight neighbouring frames at one size, each at eight rates. Only cells that matter are
//! touched: those with probability, those that it moves into, and the cells nearest to the performer, which jumps may reach. How
//! probable a motion is, is not the filter's to say but [`Identity`]'s; here frames of motions that are likely are followed.

use glam::Vec3;

use super::atlas::{Atlas, Lanes, WIDTH};
use super::config::{FilterConfig, NUM_RATES, RATES};
use super::identity::Identity;
use super::live::Live;
use crate::model::MOMENTS_HZ;

/// Cells of less probability are forgotten.
const NEGLIGIBLE: f32 = 1e-9;
/// A block of less probability does not change its size.
const RESIZED: f32 = 1e-3;
/// So many motions are followed, the likeliest, and none of less probability compared with the first.
const MOST_FOLLOWED: usize = 4;
const FOLLOWED: f32 = 1e-3;
/// Cells that jumps may reach in one tick, of all motions that are followed.
const SEEDS: usize = 32;
/// Frames about the mode over which the mean is taken: 0.13 s to either side.
const AROUND: usize = 4;
/// Longest time between two frames that is followed, ticks; after a longer one everything is as likely as after this.
const MAX_TICKS: f64 = 30.0;

/// What is known after a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Posterior {
    /// Number of the motion.
    pub motion: usize,
    /// Place in the motion, frames of the actor's clip from its first.
    pub frame: f64,
    /// Rate at which the performer goes through it, as a multiple of the actor's.
    pub rate: f64,
    /// Probability of the motion.
    pub confidence: f32,
    /// How much more probable it is than the next motion.
    pub margin: f32,
    /// Probability that it is any motion that was learned.
    pub known: f32,
    /// Natural logarithm of how probable this frame was after those before.
    pub evidence: f32,
    /// Whether it is the performer's mirror image that does the motion.
    pub mirrored: bool,
}

/// The frame of a motion that was shown last, and the rate.
#[derive(Debug, Clone, Copy)]
struct Shown {
    motion: usize,
    frame: f64,
    rate: f64,
}

/// The state of one performance.
#[derive(Debug, Clone)]
pub struct Filter {
    config: FilterConfig,
    transitions: [[f32; NUM_RATES]; NUM_RATES],
    rate_prior: [f32; NUM_RATES],
    /// Probability per cell and rate of eight frames.
    belief: Vec<[Lanes; NUM_RATES]>,
    next: Vec<[Lanes; NUM_RATES]>,
    /// Probability per cell.
    mass: Vec<f32>,
    /// Cells that have probability.
    active: Vec<u32>,
    /// Cells that may have some after this tick, and whether a cell is among them.
    work: Vec<u32>,
    marked: Vec<bool>,
    /// The performer's last frame and its mirror image, their rough distances from all cells and their distances from all motions.
    lives: [Option<Live>; 2],
    rough: [Vec<f32>; 2],
    pub(super) distances: [Vec<f32>; 2],
    /// With which of the two a motion is followed, if it is, and how probable it is that the performer is at its end, if doing it.
    followed: Vec<Option<usize>>,
    ended: Vec<f32>,
    seeds: Vec<u32>,
    unknown: f32,
    begun: bool,
    shown: Option<Shown>,
    /// Probability per frame of one motion, and the same times the rate.
    marginal: Vec<f32>,
    rates: Vec<f32>,
    by_motion: Vec<f32>,
}

impl Filter {
    /// A filter that has seen nothing.
    #[must_use]
    pub fn new(atlas: &Atlas, config: &FilterConfig) -> Self {
        let cells = atlas.cells.len();
        let longest = atlas.motions.iter().map(|motion| motion.blocks).max().unwrap_or(0) * WIDTH;
        Self {
            transitions: config.rate_transitions(),
            rate_prior: config.rate_prior(),
            config: config.clone(),
            belief: vec![[[0.0; WIDTH]; NUM_RATES]; cells],
            next: vec![[[0.0; WIDTH]; NUM_RATES]; cells],
            mass: vec![0.0; cells],
            active: Vec::with_capacity(cells),
            work: Vec::with_capacity(cells),
            marked: vec![false; cells],
            lives: [None, None],
            rough: std::array::from_fn(|_| Vec::with_capacity(cells)),
            distances: std::array::from_fn(|_| vec![f32::INFINITY; atlas.motions.len()]),
            followed: vec![None; atlas.motions.len()],
            ended: vec![0.0; atlas.motions.len()],
            seeds: Vec::with_capacity(cells),
            unknown: 0.0,
            begun: false,
            shown: None,
            marginal: vec![0.0; longest],
            rates: vec![0.0; longest],
            by_motion: vec![0.0; atlas.motions.len()],
        }
    }

    /// Compares the model's points of a frame, and those of some time ago with how long ago it was, with every motion; points that
    /// are not finite were not seen. `hand` is 1 for the performer's mirror image. Returns whether anything was seen.
    pub(super) fn look(
        &mut self,
        hand: usize,
        atlas: &Atlas,
        points: &[Vec3],
        before: Option<(&[Vec3], f64)>,
    ) -> bool {
        self.lives[hand] = Live::new(atlas, points, before, &self.config);
        match &self.lives[hand] {
            Some(live) => live.look(atlas, &mut self.rough[hand], &mut self.distances[hand]),
            None => self.distances[hand].fill(f32::INFINITY),
        }
        self.lives[hand].is_some()
    }

    /// Probability that the performer is at the end of a motion.
    pub(super) fn ended(&self, identity: &Identity) -> f32 {
        self.ended.iter().zip(&identity.probabilities).map(|(ended, p)| ended * p).sum()
    }

    /// Follows what was looked at, `seconds` after the frame before, through motions of these probabilities.
    pub(super) fn follow(&mut self, atlas: &Atlas, identity: &Identity, seconds: f64) -> Option<Posterior> {
        let seen = self.lives.iter().flatten().next()?;
        let unknown = seen.unknown(&self.config);
        let ticks = if self.begun { (seconds * MOMENTS_HZ).clamp(0.0, MAX_TICKS) } else { 0.0 };
        self.choose(atlas, identity);
        // No rate goes on by more than the width of a cell.
        let steps = if self.begun { (ticks / 2.0).ceil().max(1.0) } else { 0.0 };
        for _ in 0..steps as usize {
            self.predict(atlas, ticks / steps);
        }
        self.begin(atlas);
        let probability = self.update(atlas, identity);
        self.reject(probability, unknown);
        let evidence = probability.max(f32::MIN_POSITIVE).ln();
        let advanced = self.shown.map(|shown| Shown { frame: shown.frame + shown.rate * ticks, ..shown });
        self.estimate(atlas, advanced, evidence)
    }

    /// Which motions are followed, and the cells of each that are roughly nearest. Of motions that are no longer followed nothing
    /// stays; within each of the others probabilities add up to 1.
    fn choose(&mut self, atlas: &Atlas, identity: &Identity) {
        // The likeliest in order.
        let mut likeliest: [Option<usize>; MOST_FOLLOWED] = [None; MOST_FOLLOWED];
        let p = |motion: usize| identity.probabilities[motion];
        for motion in 0..identity.probabilities.len() {
            let is_less = |other: &Option<usize>| other.is_none_or(|other| p(other) < p(motion));
            if let Some(place) = likeliest.iter().position(is_less) {
                likeliest[place..].rotate_right(1);
                likeliest[place] = Some(motion);
            }
        }
        let least = likeliest[0].map_or(0.0, |motion| FOLLOWED * p(motion));
        let is_likely = |motion: &usize| likeliest.contains(&Some(*motion)) && p(*motion) >= least;
        let most = SEEDS / (0..identity.probabilities.len()).filter(is_likely).count().max(1);
        self.seeds.clear();
        self.by_motion.fill(0.0);
        for &cell in &self.active {
            self.by_motion[atlas.cells[cell as usize].motion as usize] += self.mass[cell as usize];
        }
        for motion in 0..self.followed.len() {
            let hand = is_likely(&motion).then_some(identity.hands[motion]);
            if hand != self.followed[motion] {
                // It begins, ends, or goes on with the other hand.
                self.by_motion[motion] = 0.0;
                self.followed[motion] = hand;
            }
            let Some(hand) = hand else { continue };
            let (start, rough) = (self.seeds.len(), &self.rough[hand]);
            let cells = atlas.motions[motion].first..;
            // The nearest so far, in order.
            for cell in cells.take(atlas.motions[motion].num_cells()) {
                let is_nearer = |other: &u32| rough[*other as usize] <= rough[cell];
                if self.seeds.len() == start + most && is_nearer(&self.seeds[start + most - 1]) {
                    continue;
                }
                let place = start + self.seeds[start..].partition_point(is_nearer);
                self.seeds.truncate(start + most - 1);
                self.seeds.insert(place, cell as u32);
            }
        }
        let Self { active, belief, mass, by_motion, .. } = self;
        active.retain(|&cell| {
            let (cell, motion) = (cell as usize, atlas.cells[cell as usize].motion as usize);
            if by_motion[motion] <= 0.0 {
                mass[cell] = 0.0;
                belief[cell] = [[0.0; WIDTH]; NUM_RATES];
                return false;
            }
            let factor = 1.0 / by_motion[motion];
            mass[cell] *= factor;
            belief[cell].iter_mut().flatten().for_each(|p| *p *= factor);
            true
        });
    }

    /// Forgets everything, as before the first frame.
    pub fn reset(&mut self) {
        for &cell in &self.active {
            self.belief[cell as usize] = [[0.0; WIDTH]; NUM_RATES];
            self.mass[cell as usize] = 0.0;
        }
        self.active.clear();
        (self.unknown, self.begun, self.shown) = (0.0, false, None);
    }

    /// Motions that were not followed before may be anywhere near what is seen, or at their beginning.
    fn begin(&mut self, atlas: &Atlas) {
        if !self.begun {
            self.begun = true;
            self.unknown = self.config.unknown_at_first;
        }
        self.by_motion.fill(0.0);
        for &cell in &self.active {
            self.by_motion[atlas.cells[cell as usize].motion as usize] += self.mass[cell as usize];
        }
        let is_new = |motion: usize| self.followed[motion].is_some() && self.by_motion[motion] <= 0.0;
        let (first, listed) = (self.active.len(), self.seeds.len());
        for motion in (0..atlas.motions.len()).filter(|&motion| is_new(motion)) {
            let at = atlas.motions[motion];
            self.active.extend((0..at.sizes).map(|size| (at.first + size * at.blocks) as u32));
        }
        for number in 0..listed {
            let cell = self.seeds[number];
            let (block, motion) =
                (atlas.cells[cell as usize].block, atlas.cells[cell as usize].motion as usize);
            if block > 0 && self.followed[motion].is_some() && self.by_motion[motion] <= 0.0 {
                self.active.push(cell);
            }
        }
        for number in first..self.active.len() {
            let cell = self.active[number] as usize;
            self.belief[cell] = self.jumped(atlas, cell, 1.0);
        }
    }

    /// What jumps put into a cell when `all` jump in its motion.
    fn jumped(&self, atlas: &Atlas, cell: usize, all: f32) -> [Lanes; NUM_RATES] {
        let at = atlas.cells[cell];
        let motion = atlas.motions[at.motion as usize];
        let whole = motion.whole as f32;
        let size = if motion.sizes == motion.whole {
            1.0 / whole
        } else if (at.size as usize) < motion.whole {
            self.config.whole / whole
        } else {
            (1.0 - self.config.whole) / (motion.sizes - motion.whole) as f32
        };
        // The first 0.3 s.
        let begin = motion.frames.min(9);
        let weight = size * all;
        let lanes: Lanes = std::array::from_fn(|lane| {
            if lane >= at.frames as usize {
                return 0.0;
            }
            let frame = at.block as usize * WIDTH + lane;
            let first = if frame < begin { self.config.begin / begin as f32 } else { 0.0 };
            weight * (first + (1.0 - self.config.begin) / motion.frames as f32)
        });
        std::array::from_fn(|rate| lanes.map(|p| p * self.rate_prior[rate]))
    }

    /// One step of `ticks` in time.
    fn predict(&mut self, atlas: &Atlas, ticks: f64) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
            // SAFETY: the features the function needs were detected on this machine.
            return unsafe { predict_wide(self, atlas, ticks) };
        }
        self.predict_here(atlas, ticks);
    }

    #[inline(always)]
    fn predict_here(&mut self, atlas: &Atlas, ticks: f64) {
        self.by_motion.fill(0.0);
        self.ended.fill(0.0);
        for &cell in &self.active {
            let cell = cell as usize;
            self.by_motion[atlas.cells[cell].motion as usize] += self.mass[cell];
            let old = self.belief[cell];
            for (to, new) in self.belief[cell].iter_mut().enumerate() {
                let mut sum = [0.0; WIDTH];
                for (from, old) in old.iter().enumerate() {
                    let p = self.transitions[from][to];
                    for lane in 0..WIDTH {
                        sum[lane] += p * old[lane];
                    }
                }
                *new = sum;
            }
        }
        self.resize(atlas);
        self.work.clear();
        for number in 0..self.active.len() {
            let cell = self.active[number] as usize;
            self.mark(cell);
            let at = atlas.cells[cell];
            if (at.block as usize) + 1 < atlas.motions[at.motion as usize].blocks {
                self.mark(cell + 1);
            }
        }
        for number in 0..self.seeds.len() {
            let cell = self.seeds[number] as usize;
            if self.by_motion[atlas.cells[cell].motion as usize] > 0.0 {
                self.mark(cell);
            }
        }
        // At the end of a motion one is likely to begin.
        let is_last = |cell: usize| {
            let at = atlas.cells[cell];
            at.block as usize + 1 == atlas.motions[at.motion as usize].blocks
        };
        for &cell in self.active.iter().filter(|&&cell| is_last(cell as usize)) {
            self.ended[atlas.cells[cell as usize].motion as usize] += self.mass[cell as usize];
        }
        let stays = 1.0 - self.config.jump;
        for number in 0..self.work.len() {
            let cell = self.work[number] as usize;
            let at = atlas.cells[cell];
            let motion = at.motion as usize;
            let all = self.config.jump * self.by_motion[motion] + self.config.leave * self.ended[motion];
            let mut new = self.jumped(atlas, cell, all);
            let is_last = is_last(cell);
            let stays = if is_last { stays - self.config.leave } else { stays };
            let end = at.frames as usize - 1;
            for (rate, new) in new.iter_mut().enumerate() {
                // The block before, and this one.
                let mut from = [0.0; 2 * WIDTH];
                if at.block > 0 {
                    from[..WIDTH].copy_from_slice(&self.belief[cell - 1][rate]);
                }
                from[WIDTH..].copy_from_slice(&self.belief[cell][rate]);
                let shift = f64::from(RATES[rate]) * ticks;
                let whole = (shift as usize).min(WIDTH - 1);
                let fraction = (shift - whole as f64) as f32;
                let (near, far) = (&from[WIDTH - whole..], &from[WIDTH - whole - 1..]);
                for lane in 0..WIDTH {
                    new[lane] += stays * ((1.0 - fraction) * near[lane] + fraction * far[lane]);
                }
                if is_last {
                    // At the end the performer stays.
                    let over: f32 = from[WIDTH + end - whole + 1..=WIDTH + end].iter().sum();
                    new[end] += stays * (over + fraction * from[WIDTH + end - whole]);
                    new[end + 1..].fill(0.0);
                }
            }
            self.next[cell] = new;
        }
        for &cell in &self.active {
            self.belief[cell as usize] = [[0.0; WIDTH]; NUM_RATES];
            self.mass[cell as usize] = 0.0;
        }
        for &cell in &self.work {
            let cell = cell as usize;
            self.belief[cell] = self.next[cell];
            self.mass[cell] = self.belief[cell].iter().flatten().sum();
            self.marked[cell] = false;
        }
        std::mem::swap(&mut self.active, &mut self.work);
    }

    fn mark(&mut self, cell: usize) {
        if !self.marked[cell] {
            self.marked[cell] = true;
            self.work.push(cell as u32);
        }
    }

    /// Sizes of the same frames mix.
    fn resize(&mut self, atlas: &Atlas) {
        for number in 0..self.active.len() {
            let cell = self.active[number] as usize;
            let at = atlas.cells[cell];
            let motion = atlas.motions[at.motion as usize];
            let own = |size: usize| motion.first + size * motion.blocks + at.block as usize;
            let all = (0..motion.sizes).map(|size| self.mass[own(size)]).sum::<f32>();
            // Once per block: by the first of its active sizes.
            if all < RESIZED || (0..at.size as usize).any(|size| self.mass[own(size)] > 0.0) {
                continue;
            }
            let part = self.config.resize / motion.sizes as f32;
            for rate in 0..NUM_RATES {
                let mut sum = [0.0; WIDTH];
                for size in 0..motion.sizes {
                    for (sum, p) in sum.iter_mut().zip(&self.belief[own(size)][rate]) {
                        *sum += p;
                    }
                }
                for size in 0..motion.sizes {
                    for (p, sum) in self.belief[own(size)][rate].iter_mut().zip(&sum) {
                        *p = (1.0 - self.config.resize) * *p + part * sum;
                    }
                }
            }
            for size in 0..motion.sizes {
                if self.mass[own(size)] == 0.0 {
                    // Listed from now on; its probability is counted after the step.
                    self.mass[own(size)] = f32::MIN_POSITIVE;
                    self.active.push(own(size) as u32);
                }
            }
        }
    }

    /// Multiplies by the likelihood, each motion's frames alone; gives the probability of the frame.
    fn update(&mut self, atlas: &Atlas, identity: &Identity) -> f32 {
        self.by_motion.fill(0.0);
        for &cell in &self.active {
            let (cell, motion) = (cell as usize, atlas.cells[cell as usize].motion as usize);
            let live = self.followed[motion].and_then(|hand| self.lives[hand].as_ref());
            let belief = &mut self.belief[cell];
            let mass = live.map_or(0.0, |live| live.weigh(atlas, cell, &self.config, belief));
            self.mass[cell] = mass;
            self.by_motion[motion] += mass;
        }
        let followed = || identity.probabilities.iter().zip(&self.by_motion);
        let total: f32 = followed().map(|(p, predicted)| p * predicted).sum();
        let all: f32 = followed().filter(|(_, predicted)| **predicted > 0.0).map(|(p, _)| p).sum();
        let Self { active, belief, mass, by_motion, .. } = self;
        active.retain(|&cell| {
            let (cell, motion) = (cell as usize, atlas.cells[cell as usize].motion as usize);
            let factor = identity.probabilities[motion] / (all * by_motion[motion]);
            let own = mass[cell] / by_motion[motion];
            if !(own >= NEGLIGIBLE && factor.is_finite()) {
                mass[cell] = 0.0;
                belief[cell] = [[0.0; WIDTH]; NUM_RATES];
                return false;
            }
            mass[cell] *= factor;
            belief[cell].iter_mut().flatten().for_each(|p| *p *= factor);
            true
        });
        if all > 0.0 { total / all } else { 0.0 }
    }

    /// Whether the movement is one that was learned: what is known of it predicts this frame with the probability `known`.
    /// Motions are followed all the while, so that one is found at once when it comes.
    fn reject(&mut self, known: f32, unknown: f32) {
        let [begins, ends] = self.config.unknown;
        let prior = self.unknown + begins * (1.0 - self.unknown) - ends * self.unknown;
        let weight = self.config.unknown_weight;
        let (yes, no) = (prior * unknown.powf(weight), (1.0 - prior) * known.powf(weight));
        self.unknown = if yes + no > 0.0 { yes / (yes + no) } else { prior };
    }

    fn estimate(&mut self, atlas: &Atlas, advanced: Option<Shown>, evidence: f32) -> Option<Posterior> {
        self.by_motion.fill(0.0);
        for &cell in &self.active {
            self.by_motion[atlas.cells[cell as usize].motion as usize] += self.mass[cell as usize];
        }
        let motions = 0..self.by_motion.len();
        let most = motions.clone().max_by(|&a, &b| self.by_motion[a].total_cmp(&self.by_motion[b]))?;
        let motion = match advanced {
            Some(shown) if self.by_motion[shown.motion] * self.config.odds >= self.by_motion[most] => {
                shown.motion
            }
            _ => most,
        };
        let others = motions.filter(|&other| other != motion).map(|other| self.by_motion[other]);
        let margin = (self.by_motion[motion] - others.fold(0.0, f32::max)).max(0.0);
        let frames = atlas.motions[motion].frames;
        self.marginal[..frames].fill(0.0);
        self.rates[..frames].fill(0.0);
        for &cell in &self.active {
            let at = atlas.cells[cell as usize];
            if at.motion as usize != motion {
                continue;
            }
            let first = at.block as usize * WIDTH;
            for (rate, belief) in self.belief[cell as usize].iter().enumerate() {
                for (lane, p) in belief.iter().enumerate().take(at.frames as usize) {
                    self.marginal[first + lane] += p;
                    self.rates[first + lane] += p * RATES[rate];
                }
            }
        }
        let near = |at: usize| {
            self.marginal[at.saturating_sub(AROUND)..(at + AROUND + 1).min(frames)].iter().sum::<f32>()
        };
        // Probability around every frame, as a running sum.
        let (mut best, mut sum) = ((0, 0.0_f32), near(0));
        for at in 0..frames {
            if at > 0 {
                sum += self.marginal[..frames].get(at + AROUND).copied().unwrap_or(0.0);
                sum -= at.checked_sub(AROUND + 1).map_or(0.0, |gone| self.marginal[gone]);
            }
            if sum > best.1 {
                best = (at, sum);
            }
        }
        let mut centre = best.0;
        if let Some(shown) = advanced.filter(|shown| shown.motion == motion) {
            let at = (shown.frame.round().max(0.0) as usize).min(frames - 1);
            if near(at) * self.config.odds >= best.1 {
                centre = at;
            }
        }
        // The mean about the centre, taken again so that it is about itself.
        let (mut frame, mut rate) = (centre as f64, 1.0);
        for _ in 0..3 {
            let at = (frame.round().max(0.0) as usize).min(frames - 1);
            let range = at.saturating_sub(AROUND)..(at + AROUND + 1).min(frames);
            let mass: f32 = self.marginal[range.clone()].iter().sum();
            if mass <= 0.0 {
                break;
            }
            let place: f64 = range.clone().map(|i| i as f64 * f64::from(self.marginal[i])).sum();
            frame = place / f64::from(mass);
            rate = f64::from(self.rates[range].iter().sum::<f32>() / mass);
        }
        self.shown = Some(Shown { motion, frame, rate });
        Some(Posterior {
            motion,
            frame: frame * atlas.motions[motion].clip_frames,
            rate,
            confidence: self.by_motion[motion] * (1.0 - self.unknown),
            margin,
            known: 1.0 - self.unknown,
            evidence,
            mirrored: self.followed[motion] == Some(1),
        })
    }
}

/// [`Filter::predict_here`] with wide registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn predict_wide(filter: &mut Filter, atlas: &Atlas, ticks: f64) {
    filter.predict_here(atlas, ticks);
}

#[cfg(test)]
mod tests {
    use ugoki_base::clip::Clip;
    use ugoki_base::no_progress;
    use ugoki_motion::segment::{BodyPoints, Observer};

    use super::*;
    use crate::{Imitation, LearnConfig, learn};

    /// What is found at every frame of a performance at 30 frames per second, of a model of one motion.
    fn found(actor: &Clip, performed: &Clip) -> Vec<Posterior> {
        let alone = [Imitation { actor, performer: None }];
        let (model, _) = learn(&alone, &LearnConfig::default(), &mut no_progress()).unwrap();
        let config = FilterConfig::default();
        let atlas = Atlas::build(&model, &config).unwrap();
        let skeleton = performed.skeleton();
        let observer = Observer::build(skeleton).unwrap().on_usual_bones(skeleton).only(&model.roles);
        let points = BodyPoints::watch(&observer, performed).scaled(1.0 / observer.leg_metres());
        let mut filter = Filter::new(&atlas, &config);
        let alone = Identity::new(1);
        let tick = |frame: usize| {
            let back = frame.min(2);
            let before = (back > 0).then(|| (points.frame(frame - back), back as f64 / 30.0));
            assert!(filter.look(0, &atlas, points.frame(frame), before));
            filter.follow(&atlas, &alone, 1.0 / 30.0).unwrap()
        };
        (0..points.num_frames()).map(tick).collect()
    }

    #[test]
    fn the_rate_is_the_performer_s_and_a_pause_has_none() {
        let kick = ugoki_sample::clip("front-kick").unwrap();
        let last = (kick.num_frames() - 1) as f64;
        // Twice as fast to the middle, then a second of nothing.
        let mut times: Vec<f64> =
            (0..).map(|i| 4.0 * f64::from(i)).take_while(|t| *t <= 0.5 * last).collect();
        let moving = times.len();
        let middle = times[moving - 1];
        times.extend(std::iter::repeat_n(middle, 30));
        let found = found(&kick, &kick.at_frames(&times, 30.0));
        let half = &found[moving / 2..moving - 1];
        let mean = half.iter().map(|p| p.rate).sum::<f64>() / half.len() as f64;
        assert!((1.6..2.4).contains(&mean), "{mean}");
        let paused = found.last().unwrap();
        assert!(paused.rate < 0.1, "{}", paused.rate);
        assert!((paused.frame - middle).abs() < 3.0, "{} of {middle}", paused.frame);
    }

    #[test]
    fn probability_is_a_ratio_and_evidence_is_greater_for_what_was_learned() {
        let (kick, bow) = (ugoki_sample::clip("front-kick").unwrap(), ugoki_sample::clip("bow").unwrap());
        let resampled = |clip: &Clip| clip.resampled(30.0).unwrap();
        let (own, other) = (found(&kick, &resampled(&kick)), found(&kick, &resampled(&bow)));
        let in_range =
            |p: &Posterior| (0.0..=1.0).contains(&p.known) && (0.0..=1.001).contains(&p.confidence);
        assert!(own.iter().chain(&other).all(in_range));
        let mean = |all: &[Posterior]| all.iter().map(|p| p.evidence).sum::<f32>() / all.len() as f32;
        assert!(mean(&own) > mean(&other) + 0.5, "{} {}", mean(&own), mean(&other));
    }
}
