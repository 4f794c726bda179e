//! A kernel sliding over one joint's rotations, eight frames at a time.

use glam::Quat;

use super::combine::Method;
use super::lanes::{LANES, Lane, Quats, Samples, exact_if_unique, one_step, qlerp};
use crate::clip::RotationTrack;

/// One joint's rotations with enough frames on either side for a kernel.
#[derive(Debug, Clone)]
pub(super) struct Padded {
    arrays: [Vec<f32>; 4],
    reach: usize,
    stride: usize,
}

impl Padded {
    /// The track with `reach` frames more on either side; `outside` gives frames −reach … −1 and n … n+reach−1.
    /// Taps will lie `stride` frames apart; `reach` counts frames.
    pub(super) fn new(
        track: &RotationTrack<'_>,
        reach: usize,
        stride: usize,
        outside: impl Fn(isize) -> Quat,
    ) -> Self {
        let n = track.len() as isize;
        let k = reach as isize;
        let mut arrays = [track.x, track.y, track.z, track.w].map(|values| {
            // The last eight lanes may read beyond the last window.
            let mut array = Vec::with_capacity(values.len() + 2 * reach + LANES);
            array.resize(reach, 0.0);
            array.extend_from_slice(values);
            array.resize(values.len() + 2 * reach + LANES, 0.0);
            array
        });
        for at in (-k..0).chain(n..n + k) {
            let q = outside(at).to_array();
            for (array, value) in arrays.iter_mut().zip(q) {
                array[(at + k) as usize] = value;
            }
        }
        Self { arrays, reach, stride }
    }

    /// The four arrays from padded frame `at`, `len` long.
    #[inline(always)]
    fn slices(&self, at: usize, len: usize) -> [&[f32]; 4] {
        let [x, y, z, w] = &self.arrays;
        [&x[at..at + len], &y[at..at + len], &z[at..at + len], &w[at..at + len]]
    }
}

/// The taps around eight frames of one track.
struct Window<'a> {
    slices: [&'a [f32]; 4],
    taps: &'a [f32],
    stride: usize,
    convex: bool,
}

impl Samples for Window<'_> {
    #[inline(always)]
    fn visit(&self, mut visit: impl FnMut(&Quats, Lane)) {
        if self.stride == 1 {
            // The common case, kept apart because it compiles to plain unaligned loads.
            let [x, y, z, w] = self.slices.map(|slice| slice.windows(LANES));
            for ((((x, y), z), w), &h) in x.zip(y).zip(z).zip(w).zip(self.taps) {
                visit(&Quats::load([x, y, z, w]), Lane::splat(h));
            }
            return;
        }
        let [x, y, z, w] = self.slices.map(|slice| slice.windows(LANES).step_by(self.stride));
        for ((((x, y), z), w), &h) in x.zip(y).zip(z).zip(w).zip(self.taps) {
            visit(&Quats::load([x, y, z, w]), Lane::splat(h));
        }
    }
    #[inline(always)]
    fn convex(&self) -> bool {
        self.convex
    }
}

/// Filters every frame of the track behind `track` into `out` (x, y, z, w); gives the frames whose mean did
/// not settle, or may have others because the window reaches farther than 85° from it.
pub(super) fn filter_track(method: Method, track: &Padded, taps: &[f32], out: [&mut [f32]; 4]) -> Vec<usize> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code, reason = "the processor has just been asked for AVX2")]
        // SAFETY: the feature was detected.
        return unsafe { filter_track_avx2(method, track, taps, out) };
    }
    filter_track_portable(method, track, taps, out)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn filter_track_avx2(method: Method, track: &Padded, taps: &[f32], out: [&mut [f32]; 4]) -> Vec<usize> {
    filter_track_body(method, track, taps, out)
}

fn filter_track_portable(method: Method, track: &Padded, taps: &[f32], out: [&mut [f32]; 4]) -> Vec<usize> {
    filter_track_body(method, track, taps, out)
}

#[inline(always)]
fn filter_track_body(method: Method, track: &Padded, taps: &[f32], mut out: [&mut [f32]; 4]) -> Vec<usize> {
    let num_frames = out[0].len();
    let convex = taps.iter().all(|&h| h >= 0.0);
    let mut unsettled = Vec::new();
    for frame in (0..num_frames).step_by(LANES) {
        let slices = track.slices(frame, 2 * track.reach + LANES);
        let window = Window { slices, taps, stride: track.stride, convex };
        let centre = Quats::load(track.slices(frame + track.reach, LANES));
        let q = match method {
            Method::Qlerp => qlerp(&window, &centre),
            Method::Expmap => one_step(&window, &centre),
            _ => {
                let (q, open) = exact_if_unique(&window, &centre);
                if open != [false; LANES] {
                    unsettled
                        .extend((0..LANES).filter(|&i| open[i] && frame + i < num_frames).map(|i| frame + i));
                }
                q
            }
        };
        let count = LANES.min(num_frames - frame);
        for (values, lane) in out.iter_mut().zip(&q.0) {
            values[frame..frame + count].copy_from_slice(&lane.0[..count]);
        }
    }
    unsettled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip::RotationTracks;
    use crate::math::{Random, exp};
    use glam::Vec3;

    #[test]
    fn both_compilations_give_the_same_bits() {
        let mut random = Random::new(11);
        let mut q = Quat::IDENTITY;
        let mut tracks = RotationTracks::identity(1, 150);
        for frame in 0..150 {
            q = (q * exp(Vec3::from_array(std::array::from_fn(|_| 0.1 * random.normal() as f32))))
                .normalize();
            tracks.set(0, frame, if random.uniform() < 0.2 { -q } else { q });
        }
        let track = tracks.track(0);
        let padded = Padded::new(&track, 25, 1, |at| track.get(at.clamp(0, 149) as usize));
        let taps = vec![1.0 / 51.0; 51];
        for method in [Method::Exact, Method::Expmap, Method::Qlerp] {
            let (mut a, mut b) = (tracks.clone(), tracks.clone());
            let unsettled = filter_track_portable(method, &padded, &taps, a.track_mut(0));
            assert_eq!(filter_track(method, &padded, &taps, b.track_mut(0)), unsettled);
            assert_eq!(a, b);
        }
    }
}
