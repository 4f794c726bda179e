//! The same joint of several clips through one mean, eight frames at a time.

use glam::{DQuat, Quat};
use ugoki_base::signal::lanes::{LANES, Lane, Quats, Samples, exact, qlerp};
use ugoki_base::signal::{Method, combine};

/// Most clips that are mixed at once: what mixing needs of them lies on the stack.
pub(super) const MAX_CLIPS: usize = 64;

/// One joint of every clip, with each clip's weight at every frame (sum 1): x, y, z, w of equal length.
pub(super) struct Tracks<'a> {
    pub(super) rotations: &'a [[&'a [f32]; 4]],
    pub(super) weights: &'a Weights,
}

/// Each clip's weight at every frame, sum 1, and what mixing wants to know of them.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    /// By clip, then frame.
    by_clip: Vec<Vec<f32>>,
    /// The clip of largest weight at every frame.
    heaviest: Vec<u32>,
    /// Whether none is negative.
    convex: bool,
}

impl Weights {
    pub(super) fn new(by_clip: Vec<Vec<f32>>) -> Self {
        let frames = by_clip.first().map_or(0, Vec::len);
        let heaviest = (0..frames)
            .map(|frame| {
                let heavier = |best: usize, k: usize| by_clip[k][frame] > by_clip[best][frame];
                (0..by_clip.len()).fold(0, |best, k| if heavier(best, k) { k } else { best }) as u32
            })
            .collect();
        let convex = by_clip.iter().flatten().all(|&w| w >= 0.0);
        Self { by_clip, heaviest, convex }
    }

    /// By clip, then frame.
    pub(super) fn by_clip(&self) -> &[Vec<f32>] {
        &self.by_clip
    }
}

/// Eight frames of [`Tracks`].
struct Eight<'a> {
    tracks: &'a Tracks<'a>,
    frame: usize,
}

impl Eight<'_> {
    #[inline(always)]
    fn rotations(&self, clip: usize) -> Quats {
        Quats::load(self.tracks.rotations[clip].map(|values| &values[self.frame..self.frame + LANES]))
    }

    /// The clip of largest weight in each lane.
    #[inline(always)]
    fn heaviest(&self) -> Quats {
        let heaviest = &self.tracks.weights.heaviest[self.frame..self.frame + LANES];
        let mut centre = self.rotations(heaviest[0] as usize);
        if heaviest.iter().any(|&clip| clip != heaviest[0]) {
            for (lane, &clip) in heaviest.iter().enumerate().skip(1) {
                let other = self.rotations(clip as usize);
                centre = other.select(&centre, |i| i == lane);
            }
        }
        centre
    }
}

impl Samples for Eight<'_> {
    #[inline(always)]
    fn visit(&self, mut visit: impl FnMut(&Quats, Lane)) {
        let part = self.frame..self.frame + LANES;
        for ([x, y, z, w], weights) in self.tracks.rotations.iter().zip(&self.tracks.weights.by_clip) {
            let q = Quats::load([&x[part.clone()], &y[part.clone()], &z[part.clone()], &w[part.clone()]]);
            visit(&q, Lane::load(&weights[part.clone()]));
        }
    }
    #[inline(always)]
    fn convex(&self) -> bool {
        self.tracks.weights.convex
    }
}

/// Mixes the tracks into `out`; gives how many means did not settle, for which one step from the heaviest
/// clip was taken.
pub(super) fn mix_track(exactly: bool, tracks: &Tracks<'_>, out: [&mut [f32]; 4]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code, reason = "the processor has just been asked for AVX2")]
        // SAFETY: the feature was detected.
        return unsafe { mix_track_avx2(exactly, tracks, out) };
    }
    mix_track_body(exactly, tracks, out)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn mix_track_avx2(exactly: bool, tracks: &Tracks<'_>, out: [&mut [f32]; 4]) -> usize {
    mix_track_body(exactly, tracks, out)
}

#[inline(always)]
fn mix_track_body(exactly: bool, tracks: &Tracks<'_>, mut out: [&mut [f32]; 4]) -> usize {
    let num_frames = out[0].len();
    if num_frames < LANES {
        return (0..num_frames).filter(|&frame| mix_frame(exactly, tracks, frame, &mut out)).count();
    }
    let mut fallbacks = 0;
    for frame in (0..num_frames).step_by(LANES) {
        // The last eight may overlap the ones before; lanes do not know of each other, so bits agree.
        let frame = frame.min(num_frames - LANES);
        let eight = Eight { tracks, frame };
        let centre = eight.heaviest();
        let (q, moving) =
            if exactly { exact(&eight, &centre) } else { (qlerp(&eight, &centre), [false; LANES]) };
        for (c, lane) in q.0.iter().enumerate() {
            out[c][frame..frame + LANES].copy_from_slice(&lane.0);
        }
        if moving != [false; LANES] {
            fallbacks +=
                (0..LANES).filter(|&i| moving[i] && mix_frame(exactly, tracks, frame + i, &mut out)).count();
        }
    }
    fallbacks
}

/// One frame in f64; whether its mean did not settle.
#[inline(never)]
fn mix_frame(exactly: bool, tracks: &Tracks<'_>, frame: usize, out: &mut [&mut [f32]; 4]) -> bool {
    let mut samples = [DQuat::IDENTITY; MAX_CLIPS];
    let mut weights = [0.0; MAX_CLIPS];
    let num_clips = tracks.rotations.len();
    for (sample, [x, y, z, w]) in samples.iter_mut().zip(tracks.rotations) {
        *sample = Quat::from_xyzw(x[frame], y[frame], z[frame], w[frame]).as_dquat().normalize();
    }
    for (weight, list) in weights.iter_mut().zip(&tracks.weights.by_clip) {
        *weight = f64::from(list[frame]);
    }
    let centre = tracks.weights.heaviest[frame] as usize;
    let method = if exactly { Method::Exact } else { Method::Qlerp };
    let (q, gave_up) = combine(method, &samples[..num_clips], &weights[..num_clips], centre);
    for (values, value) in out.iter_mut().zip(q.as_quat().to_array()) {
        values[frame] = value;
    }
    gave_up
}
