//! Means that follow their sources over time where several compete.
//!
//! Rotations within 120° of each other lie in one ball of 76° (Jung's theorem on the sphere) and have one mean \[karcher1977\].
//! Rotations farther apart may have several, each a minimum of the mean squared distance. The lowest one alone would jump by up to
//! half a turn within a frame when the order of the minima changes. So
//!
//! ```text
//! minima of every such frame → one for each frame, by dynamic programming → moves between minima at the sources' own speed
//! ```
//!
//! The dynamic programme weighs mean squared distance against the time that a move between minima takes and what it costs
//! meanwhile, so a short excursion is no reason to change sides. All other frames keep their mean, bit for bit, except next to a
//! move that needs more time than the sources stay apart.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3, Quat};
use ugoki_base::math::{angle_between64, exp64, log64, quantile};
use ugoki_base::signal::mean_minima;

use super::mix::Tracks;

/// cos(60°): the dot product of two rotations 120° apart.
const FAR: f32 = 0.5;
/// A clip of less weight moves the mean by less than a tenth of a degree, however far it is.
const FELT: f32 = 2.5e-4;
/// Sources up to 76° from their mean turn it up to 1.2 times as fast as they turn themselves; a step beyond this many times the
/// fastest source's is a move between minima.
const LOCAL: f64 = 1.4;
/// The speed of a source is what this fraction of its steps stays below: glitches aside its fastest.
const FASTEST: f64 = 0.99;
/// A longer jump may as well go the other way round, radians: 170°.
const HALF_TURN: f64 = 2.967;
/// From every sign pattern of the sources minima are looked for in every fourth frame; between those they are tracked.
const SEARCH_STRIDE: usize = 4;
/// Most sources of which all sign patterns are tried; of more, those that differ from the nearest signs in one source.
const ALL_PATTERNS: usize = 5;

/// Frames in which two clips with more than `least` of the weight are over 120° apart.
pub(super) fn far_frames(tracks: &Tracks<'_>, least: f32) -> Vec<usize> {
    let weights = tracks.weights.by_clip();
    let num_frames = weights.first().map_or(0, Vec::len);
    let q = |k: usize, frame: usize| tracks.rotations[k].map(|values| values[frame]);
    let is_far = |frame: &usize| {
        let heavy = |k: usize| weights[k][*frame].abs() > least;
        (1..weights.len()).filter(|&k| heavy(k)).any(|k| {
            (0..k).filter(|&j| heavy(j)).any(|j| {
                let (a, b) = (q(j, *frame), q(k, *frame));
                (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]).abs() < FAR
            })
        })
    };
    (0..num_frames).filter(is_far).collect()
}

/// [`far_frames`] of all clips that are felt.
pub(super) fn competing_frames(tracks: &Tracks<'_>) -> Vec<usize> {
    far_frames(tracks, FELT)
}

/// Changes the exact means `out` where `far`, the competing frames, are not empty. The first and the last frame of a joint are
/// never moved off a minimum.
pub(super) fn follow(tracks: &Tracks<'_>, far: &[usize], out: &mut [&mut [f32]; 4]) {
    if far.is_empty() {
        return;
    }
    let sources = Sources::new(tracks);
    let mut mean: Vec<DQuat> = (0..out[0].len())
        .map(|frame| Quat::from_array(out.each_ref().map(|v| v[frame])).as_dquat().normalize())
        .collect();
    let before = mean.clone();
    sources.choose(far, &mut mean);
    sources.slow_down(&mut mean);
    for (frame, (now, was)) in mean.iter().zip(&before).enumerate() {
        if now != was {
            let q = now.as_quat().to_array();
            out.iter_mut().zip(q).for_each(|(values, value)| values[frame] = value);
        }
    }
}

/// One joint of all clips, in f64.
struct Sources<'a> {
    /// By clip, then frame.
    rotations: Vec<Vec<DQuat>>,
    weights: &'a [Vec<f32>],
    /// Most that any source of weight turns from a frame to the next, radians.
    local: Vec<f64>,
    /// The fastest source's speed, glitches aside, radians per frame.
    fastest: f64,
}

impl<'a> Sources<'a> {
    fn new(tracks: &'a Tracks<'a>) -> Self {
        let weights = tracks.weights.by_clip();
        let num_frames = weights[0].len();
        let q = |[x, y, z, w]: &[&[f32]; 4], frame: usize| {
            Quat::from_xyzw(x[frame], y[frame], z[frame], w[frame]).as_dquat().normalize()
        };
        let rotations: Vec<Vec<DQuat>> = tracks
            .rotations
            .iter()
            .map(|track| (0..num_frames).map(|frame| q(track, frame)).collect())
            .collect();
        let mut local = vec![0.0_f64; num_frames.saturating_sub(1)];
        let mut fastest = 0.0_f64;
        for (track, weights) in rotations.iter().zip(weights) {
            let steps: Vec<f64> = track.windows(2).map(|pair| angle_between64(pair[0], pair[1])).collect();
            fastest = fastest.max(quantile(&steps, FASTEST).unwrap_or(0.0));
            for (t, step) in steps.into_iter().enumerate() {
                if weights[t].abs().max(weights[t + 1].abs()) > FELT {
                    local[t] = local[t].max(step);
                }
            }
        }
        Self { rotations, weights, local, fastest }
    }

    /// Rotations and weights of a frame, without those that are not felt.
    fn frame(&self, frame: usize) -> (Vec<DQuat>, Vec<f64>) {
        self.rotations
            .iter()
            .zip(self.weights)
            .filter(|(_, weights)| weights[frame].abs() > FELT)
            .map(|(track, weights)| (track[frame], f64::from(weights[frame])))
            .unzip()
    }

    /// How far weights that change may turn a mean at `mean` from frame `t` to the next, radians, and how many times as far as
    /// its sources weights beyond 0 and 1 may turn it.
    fn by_weights(&self, t: usize, mean: DQuat) -> (f64, f64) {
        let (mut turn, mut size) = (0.0, 0.0);
        for (track, weights) in self.rotations.iter().zip(self.weights) {
            turn += f64::from((weights[t + 1] - weights[t]).abs()) * angle_between64(mean, track[t]);
            size += f64::from(weights[t].abs());
        }
        (turn, size.max(1.0))
    }

    /// The speed of a move between minima at step `t`, and the largest step of a mean that stays with its minimum; radians per frame.
    fn speeds(&self, t: usize, mean: DQuat) -> [f64; 2] {
        let (turn, size) = self.by_weights(t, mean);
        let moving = size * self.fastest + turn;
        [moving, moving.max(LOCAL * (size * self.local[t] + turn))]
    }

    /// Minima of a frame, by the signs that its sources may have and from those of the frame before.
    fn minima(&self, frame: usize, before: &[(f64, DQuat)], search: bool) -> Vec<(f64, DQuat)> {
        let (samples, weights) = self.frame(frame);
        let mut starts: Vec<DQuat> = before.iter().map(|&(_, q)| q).collect();
        if search {
            let n = samples.len();
            let patterns = if n <= ALL_PATTERNS { 1 << (n - 1) } else { n };
            for pattern in 0..patterns {
                let flips = |k: usize| {
                    if n <= ALL_PATTERNS {
                        k > 0 && pattern >> (k - 1) & 1 == 1
                    } else {
                        k > 0 && k == pattern
                    }
                };
                let sum = samples.iter().zip(&weights).enumerate().fold(
                    DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0),
                    |sum, (k, (&q, &w))| {
                        let near = if q.dot(samples[0]) < 0.0 { -q } else { q };
                        sum + near * if flips(k) { -w } else { w }
                    },
                );
                // A sum shorter than a hundredth has no direction.
                if sum.length() > 0.01 {
                    starts.push(sum.normalize());
                }
            }
            starts.extend(&samples);
        }
        mean_minima(&samples, &weights, starts.into_iter())
    }

    /// One minimum for every frame of `far`, the others being given.
    fn choose(&self, far: &[usize], mean: &mut [DQuat]) {
        let runs = far.chunk_by(|a, b| a + 1 == *b);
        for run in runs {
            let (first, last) = (run[0], run[run.len() - 1]);
            let mut states: Vec<Vec<(f64, DQuat)>> = Vec::with_capacity(run.len());
            for (i, &frame) in run.iter().enumerate() {
                let before = states.last().map_or(&[][..], |list| list);
                let mut minima = self.minima(frame, before, i % SEARCH_STRIDE == 0);
                if minima.is_empty() {
                    minima.push((0.0, mean[frame]));
                }
                states.push(minima);
            }
            // The costs of all ways to each state, and where the best of them comes from.
            let entry = first.checked_sub(1).map(|frame| mean[frame]);
            let mut costs: Vec<f64> = states[0]
                .iter()
                .map(|&(cost, q)| cost + entry.map_or(0.0, |from| self.move_cost(first - 1, from, q)))
                .collect();
            let mut from: Vec<Vec<usize>> = Vec::with_capacity(run.len());
            for i in 1..states.len() {
                let (mut next, mut best) = (Vec::new(), Vec::new());
                for &(cost, q) in &states[i] {
                    let total = |k: usize| costs[k] + self.move_cost(first + i - 1, states[i - 1][k].1, q);
                    let least = (1..costs.len()).fold(0, |b, k| if total(k) < total(b) { k } else { b });
                    next.push(cost + total(least));
                    best.push(least);
                }
                costs = next;
                from.push(best);
            }
            if let Some(&exit) = mean.get(last + 1) {
                for (cost, &(_, q)) in costs.iter_mut().zip(&states[run.len() - 1]) {
                    *cost += self.move_cost(last, q, exit);
                }
            }
            let mut state = (0..costs.len()).fold(0, |b, k| if costs[k] < costs[b] { k } else { b });
            for i in (0..states.len()).rev() {
                mean[first + i] = states[i][state].1;
                if i > 0 {
                    state = from[i - 1][state];
                }
            }
        }
    }

    /// What going from `a` to `b` within step `t` costs, rad² frames: with D the angle beyond what a mean may turn and v the speed
    /// of a move, it takes D/v frames, in which the squared distance from the nearer end is D²/12 on the mean.
    fn move_cost(&self, t: usize, a: DQuat, b: DQuat) -> f64 {
        let [moving, most] = self.speeds(t, a);
        let jump = (angle_between64(a, b) - most).max(0.0);
        // A millionth of a radian: sources that stand still never give the time that a move takes.
        jump.powi(3) / (12.0 * moving.max(1e-6))
    }

    /// Spreads steps that are too fast over the frames around them, at the sources' own speed.
    fn slow_down(&self, mean: &mut [DQuat]) {
        let step = |mean: &[DQuat], t: usize| angle_between64(mean[t], mean[t + 1]);
        let speeds: Vec<[f64; 2]> = (0..self.local.len()).map(|t| self.speeds(t, mean[t])).collect();
        // A microradian is rounding.
        let too_fast = |mean: &[DQuat], t: usize| step(mean, t) > speeds[t][1] + 1e-6;
        let mut jumps: Vec<usize> = (0..speeds.len()).filter(|&t| too_fast(mean, t)).collect();
        jumps.sort_by(|&a, &b| step(mean, b).total_cmp(&step(mean, a)).then(a.cmp(&b)));
        for t in jumps {
            if !too_fast(mean, t) {
                continue;
            }
            let jump = way_back(&steps_around(mean, t), log64(mean[t].conjugate() * mean[t + 1]));
            let along = jump.normalize();
            // Along the jump a step may become so much longer that all of it stays within the speed of a move.
            let spare = |s: usize| {
                let (speed, own) = (speeds[s][0], log64(mean[s].conjugate() * mean[s + 1]));
                match s == t {
                    true => speed,
                    false if own.length() >= speed => 0.0,
                    false => {
                        let with = own.dot(along);
                        (speed * speed - own.length_squared() + with * with).sqrt() - with
                    }
                }
            };
            // The frames around the jump are widened until they have the time to spare.
            let mut reach = 1;
            let (parts, start) = loop {
                let (start, end) = (t.saturating_sub(reach), (t + reach).min(speeds.len() - 1));
                let part = |s: usize| {
                    let x = (s as f64 - t as f64) / (reach + 1) as f64;
                    spare(s) * (1.0 - x * x)
                };
                let parts: Vec<f64> = (start..=end).map(part).collect();
                let whole = start == 0 && end == speeds.len() - 1;
                if parts.iter().sum::<f64>() >= jump.length() || (whole && reach > 4 * speeds.len()) {
                    break (parts, start);
                }
                reach += 1 + reach / 8;
            };
            let total: f64 = parts.iter().sum();
            if total <= 0.0 {
                continue;
            }
            let mut done = 0.0;
            for (i, part) in parts.iter().enumerate() {
                let s = start + i;
                // Step s is widened: the frames before it lie `done` of the jump on, those after the jump what is left short.
                let turn = if s <= t { jump * done } else { jump * (done - 1.0) };
                mean[s] = (mean[s] * exp64(turn)).normalize();
                done += part / total;
            }
        }
    }
}

/// The steps next to step `t`.
fn steps_around(mean: &[DQuat], t: usize) -> DVec3 {
    let step = |s: usize| mean.get(s + 1).map_or(DVec3::ZERO, |next| log64(mean[s].conjugate() * *next));
    t.checked_sub(1).map_or(DVec3::ZERO, step) + step(t + 1)
}

/// A jump of nearly half a turn goes the way round that is against the motion around it, where it has more time.
fn way_back(around: &DVec3, jump: DVec3) -> DVec3 {
    let length = jump.length();
    if length > HALF_TURN && jump.dot(*around) > 0.0 { jump * ((length - TAU) / length) } else { jump }
}

#[cfg(test)]
mod tests {
    use ugoki_base::math::Random;

    use super::super::mix::{Weights, mix_track};
    use super::*;

    /// The blend of sources given by frame, and how many of its frames compete.
    fn blended(sources: &[Vec<DQuat>], weights: Vec<Vec<f32>>) -> (Vec<DQuat>, usize) {
        let arrays: Vec<[Vec<f32>; 4]> = sources
            .iter()
            .map(|track| std::array::from_fn(|c| track.iter().map(|q| q.as_quat().to_array()[c]).collect()))
            .collect();
        let views: Vec<[&[f32]; 4]> = arrays.iter().map(|a| a.each_ref().map(|v| &v[..])).collect();
        let weights = Weights::new(weights);
        let tracks = Tracks { rotations: &views, weights: &weights };
        let mut out: [Vec<f32>; 4] = std::array::from_fn(|_| vec![0.0; sources[0].len()]);
        let mut parts = out.each_mut().map(|v| &mut v[..]);
        mix_track(true, &tracks, parts.each_mut().map(|v| &mut v[..]));
        let far = competing_frames(&tracks);
        follow(&tracks, &far, &mut parts);
        let q = |frame: usize| Quat::from_array(out.each_ref().map(|v| v[frame])).as_dquat().normalize();
        ((0..sources[0].len()).map(q).collect(), far.len())
    }

    fn even(clips: usize, frames: usize) -> Vec<Vec<f32>> {
        vec![vec![1.0 / clips as f32; frames]; clips]
    }

    fn fastest(track: &[DQuat]) -> f64 {
        track.windows(2).map(|p| angle_between64(p[0], p[1])).fold(0.0, f64::max)
    }

    fn wandering(random: &mut Random, frames: usize, speed: f64) -> Vec<DQuat> {
        let mut draw = || DVec3::from_array(std::array::from_fn(|_| random.normal()));
        let (mut q, mut v) = (exp64(draw() * 2.0), DVec3::ZERO);
        (0..frames)
            .map(|_| {
                v = (v * 0.95 + draw() * (0.15 * speed)).clamp_length_max(speed);
                q = (q * exp64(v)).normalize();
                q
            })
            .collect()
    }

    #[test]
    fn a_mean_of_any_sources_is_no_faster_than_they_are() {
        let mut random = Random::new(21);
        let (mut jumped, mut worst) = (0, 0.0_f64);
        for set in 0..60 {
            let clips = 2 + set % 4;
            let sources: Vec<Vec<DQuat>> = (0..clips).map(|_| wandering(&mut random, 300, 0.05)).collect();
            let (mean, far) = blended(&sources, even(clips, 300));
            assert!(far > 0);
            let source = sources.iter().map(|s| fastest(s)).fold(0.0, f64::max);
            worst = worst.max(fastest(&mean) / source);
            // What the lowest mean of every frame alone would do.
            let alone: Vec<DQuat> = (0..300)
                .map(|f| {
                    let samples: Vec<DQuat> = sources.iter().map(|s| s[f]).collect();
                    let weights = vec![1.0 / clips as f64; clips];
                    mean_minima(&samples, &weights, samples.iter().copied().chain([mean[f]]))[0].1
                })
                .collect();
            jumped += usize::from(fastest(&alone) > 3.0 * source);
        }
        assert!(worst <= LOCAL + 1e-3, "{worst}");
        assert!(jumped > 20, "the lowest mean alone jumps in {jumped} of 60 sets");
    }

    #[test]
    fn weights_that_change_move_the_mean_by_no_more_than_they_must() {
        let mut random = Random::new(33);
        for set in 0..30 {
            let clips = 2 + set % 4;
            let sources: Vec<Vec<DQuat>> = (0..clips).map(|_| wandering(&mut random, 300, 0.05)).collect();
            // Every clip comes and goes in its own time.
            let raw = |k: usize, f: usize| 1.0 + 0.9 * (0.03 * f as f64 + 2.0 * k as f64).sin();
            let weight = |k: usize, f: usize| raw(k, f) / (0..clips).map(|j| raw(j, f)).sum::<f64>();
            let weights: Vec<Vec<f32>> =
                (0..clips).map(|k| (0..300).map(|f| weight(k, f) as f32).collect()).collect();
            let (mean, _) = blended(&sources, weights);
            let source = sources.iter().map(|s| fastest(s)).fold(0.0, f64::max);
            for t in 0..299 {
                let turn: f64 =
                    (0..clips).map(|k| (weight(k, t + 1) - weight(k, t)).abs() * std::f64::consts::PI).sum();
                let step = angle_between64(mean[t], mean[t + 1]);
                assert!(
                    step <= LOCAL * (source + turn) + 1e-3,
                    "set {set} frame {t}: {step} of {source} + {turn}"
                );
            }
        }
    }

    #[test]
    fn sources_that_pass_half_a_turn_and_return_keep_the_blend_on_its_side() {
        // 100° apart, for a tenth of a second 190°, and back.
        let angle = |f: usize| 145.0 - 45.0 * (std::f64::consts::TAU * f as f64 / 60.0).cos();
        let still = vec![DQuat::IDENTITY; 61];
        let turning: Vec<DQuat> = (0..61).map(|f| exp64(DVec3::X * angle(f).to_radians())).collect();
        let (mean, _) = blended(&[still, turning], even(2, 61));
        for (f, m) in mean.iter().enumerate() {
            let expected = exp64(DVec3::X * (0.5 * angle(f)).to_radians());
            assert!(angle_between64(*m, expected) < 1e-5, "frame {f}");
        }
    }

    #[test]
    fn sources_that_go_round_carry_the_blend_over_to_the_other_side_in_time() {
        // From 60° to 300° apart: at both ends the mean is in the middle of the nearer arc.
        let angle = |f: usize| 60.0 + 240.0 * f as f64 / 239.0;
        let still = vec![DQuat::IDENTITY; 240];
        let turning: Vec<DQuat> = (0..240).map(|f| exp64(DVec3::X * angle(f).to_radians())).collect();
        let (mean, _) = blended(&[still, turning.clone()], even(2, 240));
        assert!(angle_between64(mean[0], exp64(DVec3::X * 30_f64.to_radians())) < 1e-5);
        assert!(angle_between64(mean[239], exp64(DVec3::X * 330_f64.to_radians())) < 1e-5);
        assert!(fastest(&mean) < 1.01 * fastest(&turning), "{} {}", fastest(&mean), fastest(&turning));
    }

    #[test]
    fn still_sources_far_apart_are_blended_by_weights_that_change() {
        let rotations = [0.0, 150.0].map(|degrees: f64| vec![exp64(DVec3::X * degrees.to_radians()); 101]);
        let rising: Vec<f32> = (0..101).map(|f| f as f32 / 100.0).collect();
        let falling = rising.iter().map(|w| 1.0 - w).collect();
        let (mean, _) = blended(&rotations, vec![falling, rising]);
        for (f, m) in mean.iter().enumerate() {
            let expected = exp64(DVec3::X * (1.5 * f as f64).to_radians());
            assert!(angle_between64(*m, expected) < 1e-4, "frame {f}");
        }
    }

    #[test]
    fn near_sources_keep_their_mean_bit_for_bit_and_turning_all_turns_the_blend() {
        let mut random = Random::new(4);
        let mut draw = || DVec3::from_array(std::array::from_fn(|_| random.normal()));
        let (a, b) = (exp64(draw()), exp64(draw()));
        let mut random = Random::new(9);
        let sources: Vec<Vec<DQuat>> = (0..3).map(|_| wandering(&mut random, 200, 0.04)).collect();
        let turned: Vec<Vec<DQuat>> = sources
            .iter()
            .map(|s| s.iter().map(|&q| if q.x > 0.1 { -(a * q * b) } else { a * q * b }).collect())
            .collect();
        let (plain, far) = blended(&sources, even(3, 200));
        assert!(far > 50);
        let (other, _) = blended(&turned, even(3, 200));
        for (f, (p, t)) in plain.iter().zip(&other).enumerate() {
            assert!(angle_between64(a * *p * b, *t) < 2e-5, "frame {f}");
        }
        let near: Vec<Vec<DQuat>> =
            sources.iter().map(|s| s.iter().map(|&q| exp64(log64(q) * 0.3)).collect()).collect();
        let (_, far) = blended(&near, even(3, 200));
        assert_eq!(far, 0);
    }
}
