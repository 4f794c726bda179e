//! The default cutter: rests, and between them the changes of direction of whatever is fastest.
//!
//! Everything is measured at one rate, over one time and on one body's bones, so that cuts depend on neither the rate of a take
//! nor the build of the actor.

use std::ops::Range;

use glam::{DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::quantile;

use super::{BodyPoints, Group, Observer, SHORTEST_BELL_S, SegmentConfig};

/// Rate at which every take is looked at, hertz.
const LOOK_HZ: f64 = 60.0;
/// Leg of the body whose speeds are compared, metres; of the adult mean 0.49 of the height above the ankle \[winter2009\].
const LEG_METRES: f32 = 0.85;
/// A movement that nowhere is as fast as this, metres per second, is a rest: people that stand still sway and shift.
const LEAST_PEAK_M_S: f64 = 0.2;
/// No group that is faster than this is still, however much its sensors shake, metres per second.
const MOST_STILL_M_S: f64 = 0.25;
/// Of three coordinates with noise of one deviation each, one speed in a hundred is beyond this many.
const NOISE_DEVIATIONS: f64 = 3.4;
/// A smoothing kernel ends after so many deviations.
const KERNEL_DEVIATIONS: f64 = 3.0;

/// A part of a take, in frames of its motion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) frames: Range<usize>,
    pub(super) is_rest: bool,
}

/// Rests and movements of a take in order; together they cover it.
pub(super) fn parts(clip: &Clip, observer: &Observer, groups: &[Group], config: &SegmentConfig) -> Vec<Part> {
    let fps = clip.fps();
    let usual = observer.clone().on_usual_bones(clip.skeleton());
    let factor = LEG_METRES / observer.leg_metres();
    let points = BodyPoints::watch(&usual, clip).scaled(factor);
    let frames = points.num_frames();
    let looks = ((frames - 1) as f64 / fps * LOOK_HZ) as usize + 1;
    let sigma_s = 0.5 * config.smooth_s;
    let mut fastest = vec![0.0_f64; looks];
    let mut is_still = vec![true; looks];
    for group in groups {
        let path = path_in_world(&points, group, f64::from(factor));
        let speeds = speeds(&path, fps, sigma_s, looks);
        let still = (NOISE_DEVIATIONS * speed_noise(&path, fps, sigma_s)).min(MOST_STILL_M_S);
        let still = still.max(config.quiet_m_s);
        for (look, &speed) in speeds.iter().enumerate() {
            fastest[look] = fastest[look].max(speed);
            is_still[look] &= speed <= still;
        }
    }
    let mut cuts = Vec::new();
    for part in rests_and_movements(&fastest, &is_still, config) {
        if part.is_rest {
            cuts.push((part.frames.start, true));
            continue;
        }
        let turns = turns(&fastest[part.frames.clone()], config.turn, (config.merge_s * LOOK_HZ) as usize);
        cuts.push((part.frames.start, false));
        cuts.extend(turns.into_iter().map(|turn| (part.frames.start + turn, false)));
    }
    let frame_of = |look: usize| (look as f64 / LOOK_HZ * fps).round() as usize;
    let ends = cuts.iter().skip(1).map(|&(look, _)| frame_of(look)).chain([frames]);
    let starts = cuts.iter().map(|&(look, is_rest)| (frame_of(look), is_rest));
    let parts = starts.zip(ends).map(|((start, is_rest), end)| Part { frames: start..end, is_rest });
    parts.filter(|part| !part.frames.is_empty()).collect()
}

/// Where a group is in the world; of travel, which has no points, where the hips are.
fn path_in_world(points: &BodyPoints, group: &Group, factor: f64) -> Vec<DVec3> {
    let place = |frame: usize| {
        let hips = factor * points.hips[frame].as_dvec3();
        if group.points.is_empty() {
            return hips;
        }
        let turn = DQuat::from_rotation_y(f64::from(points.headings[frame]));
        hips + turn * group.middle(points.frame(frame)).as_dvec3()
    };
    (0..points.num_frames()).map(place).collect()
}

/// Speeds at [`LOOK_HZ`] of a path, metres per second: slopes of straight lines through it by least squares, under a Gaussian
/// kernel of `sigma_s` seconds.
fn speeds(path: &[DVec3], fps: f64, sigma_s: f64, looks: usize) -> Vec<f64> {
    let last = path.len() - 1;
    // No narrower than that two frames are in it.
    let sigma = (sigma_s * fps).max(0.5);
    let slope = |look: usize| {
        let middle = look as f64 / LOOK_HZ * fps;
        let reach = KERNEL_DEVIATIONS * sigma;
        let frames = (middle - reach).ceil().max(0.0) as usize..=((middle + reach) as usize).min(last);
        // Sums of weights, times, their squares, places, and places times times.
        let (mut w, mut wt, mut wtt, mut wp, mut wtp) = (0.0, 0.0, 0.0, DVec3::ZERO, DVec3::ZERO);
        for frame in frames {
            let t = frame as f64 - middle;
            let weight = (-0.5 * (t / sigma).powi(2)).exp();
            let p = path[frame] - path[0];
            w += weight;
            wt += weight * t;
            wtt += weight * t * t;
            wp += weight * p;
            wtp += weight * t * p;
        }
        let spread = w * wtt - wt * wt;
        if spread > 0.0 { ((w * wtp - wt * wp) / spread).length() * fps } else { 0.0 }
    };
    (0..looks).map(slope).collect()
}

/// Deviation of every coordinate of a smoothed velocity that comes of noise in the places, metres per second. Second differences
/// of a smooth path are small, so the lower quarter of them is noise: of three coordinates with deviation σ it lies at 1.10 √6 σ.
/// A velocity through a Gaussian kernel of s seconds has the variance σ² / (4 √π s³ fps).
fn speed_noise(path: &[DVec3], fps: f64, sigma_s: f64) -> f64 {
    const QUARTER_PER_SIGMA: f64 = 1.10 * 2.449;
    let bends: Vec<f64> = path.windows(3).map(|p| (p[2] - 2.0 * p[1] + p[0]).length()).collect();
    let sigma = quantile(&bends, 0.25).unwrap_or(0.0) / QUARTER_PER_SIGMA;
    let kernel = sigma_s.max(0.5 / fps);
    sigma / (4.0 * std::f64::consts::PI.sqrt() * kernel.powi(3) * fps).sqrt()
}

/// Rests, at least as long as the least pause, and movements between them. What is too slow or too short to be a movement is part of
/// the rest around it.
fn rests_and_movements(fastest: &[f64], is_still: &[bool], config: &SegmentConfig) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let runs = |parts: &mut Vec<Part>, frames: Range<usize>, is_rest: bool| match parts.last_mut() {
        Some(last) if last.is_rest == is_rest => last.frames.end = frames.end,
        _ => parts.push(Part { frames, is_rest }),
    };
    // Short stillness is a turn, not a rest.
    let least = ((config.pause_s * LOOK_HZ).round() as usize).max(1);
    for run in is_still.chunk_by(|a, b| a == b) {
        let start = parts.last().map_or(0, |part| part.frames.end);
        runs(&mut parts, start..start + run.len(), run[0] && run.len() >= least);
    }
    let shortest = (SHORTEST_BELL_S * LOOK_HZ) as usize;
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        let own = &fastest[part.frames.clone()];
        let moves = own.len() >= shortest && own.iter().any(|speed| *speed >= LEAST_PEAK_M_S);
        runs(&mut joined, part.frames.clone(), part.is_rest || !moves);
    }
    joined
}

/// Dips of a speed between two peaks of which either is at least 1 / `ratio` times as high; none nearer than `apart` to an end or to
/// a deeper one. By this ratio alone small ripples are no turns, on a fast movement or a slow one, and a small change of the speeds
/// changes no clear turn. A turn is in the middle of its dip at half the depth: where the least speed of a flat dip is, is chance.
fn turns(speeds: &[f64], ratio: f64, apart: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut high, mut low, mut falls) = (0.0_f64, (f64::INFINITY, 0), false);
    for (at, &speed) in speeds.iter().enumerate() {
        if !falls {
            high = high.max(speed);
            if speed <= ratio * high {
                (falls, low) = (true, (speed, at));
            }
        } else if speed < low.0 {
            low = (speed, at);
        } else if low.0 <= ratio * speed {
            found.push(low.1);
            (falls, high) = (false, speed);
        }
    }
    let edges: Vec<usize> = [0].into_iter().chain(found.iter().copied()).chain([speeds.len() - 1]).collect();
    let peak = |from: usize, to: usize| speeds[from..=to].iter().copied().fold(0.0, f64::max);
    let middle = |number: usize| {
        let [from, low, to] = [edges[number], edges[number + 1], edges[number + 2]];
        let level = 0.5 * (speeds[low] + ratio * peak(from, low).min(peak(low, to)));
        let start = (from..low).rev().take_while(|&at| speeds[at] <= level).last().unwrap_or(low);
        let end = (low..=to).take_while(|&at| speeds[at] <= level).last().unwrap_or(low);
        (speeds[low], (start + end) / 2)
    };
    let mut dips: Vec<(f64, usize)> = (0..found.len()).map(middle).collect();
    dips.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<usize> = Vec::new();
    for (_, at) in dips {
        let from_ends = at.min(speeds.len() - at);
        if from_ends >= apart && kept.iter().all(|other| other.abs_diff(at) >= apart) {
            kept.push(at);
        }
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_dip_is_a_turn_by_its_ratio_to_both_peaks() {
        let speeds = [0.1, 1.0, 2.0, 0.9, 1.2, 3.0, 2.2, 2.6, 0.3];
        assert_eq!(turns(&speeds, 0.6, 1), [3]);
        // The ripple from 2.2 to 2.6 is one where nine tenths suffice.
        assert_eq!(turns(&speeds, 0.9, 1), [3, 6]);
        assert_eq!(turns(&speeds, 0.3, 1), [0_usize; 0]);
    }

    proptest! {
        #[test]
        fn turns_lie_between_peaks_that_are_so_much_higher(
            speeds in prop::collection::vec(0.01..2.0_f64, 3..120), ratio in 0.2..0.9_f64,
        ) {
            let found = turns(&speeds, ratio, 1);
            for &at in &found {
                for side in [&speeds[..at], &speeds[at..]] {
                    let peak = side.iter().copied().fold(0.0, f64::max);
                    prop_assert!(speeds[at] <= ratio * peak + 1e-12);
                }
            }
            // In other units of speed they are the same.
            let scaled: Vec<f64> = speeds.iter().map(|speed| 3.0 * speed).collect();
            prop_assert_eq!(found, turns(&scaled, ratio, 1));
        }

        #[test]
        fn a_straight_path_keeps_its_speed_to_its_ends(fps in 24.0..240.0_f64, v in 0.0..3.0_f64) {
            let path: Vec<DVec3> = (0..60).map(|i| DVec3::new(v * f64::from(i) / fps, 1.0, -2.0)).collect();
            let looks = (59.0 / fps * LOOK_HZ) as usize + 1;
            for speed in speeds(&path, fps, 0.05, looks) {
                prop_assert!((speed - v).abs() < 1e-9 + 1e-6 * v, "{} {}", speed, v);
            }
        }
    }
}
