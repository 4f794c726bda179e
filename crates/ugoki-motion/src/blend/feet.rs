//! The feet of a blend: the weighted mean of the clips' feet, held still where the clips agree that they stand.
//!
//! Joint by joint means move a foot off the mean of the feet: legs of different bend put it lower or higher, and under
//! the floor. So a foot that stands in all clips is led by the mean of the feet's places and directions in the world,
//! which lies no lower than the lowest of them. The mean still drifts when the clips turn at different rates about it;
//! [`ugoki_feet::feet::correction`] takes that drift out. A foot that swings, or stands in some clips only, is left to the blended pose and
//! goes with the hips: half a kick is half as high a kick, not a foot half way to its place.

use glam::{DQuat, DVec3};
use ugoki_base::math::log64;
use ugoki_base::signal::{Method, combine};
use ugoki_feet::feet::{FootPath, FootShift};

use super::clock::smooth;
use super::ground::Led;
use super::guide::Guide;

/// Root mean square distance of the clips' legs from their mean, metres for a leg of 0.85 m, at which half of what the
/// captured feet themselves move while standing is taken out: the noise of a capture. Far nearer, the clips
/// are one and its feet stay as captured; far apart, the blend is a motion of its own and its feet stand truly still.
const ONE_CLIP_M: f64 = 0.001;
/// The rest of the weight, all but the heaviest clip's, from which on a foot that all clips plant stands still. Below,
/// the blend goes over into that clip and its feet into the captured ones, whose standing feet may move by centimetres.
/// So little that no blend is meant by it, as `ALONE` in [`super::contacts`]; a foot's place does not jump there, only
/// how much of each captured step it makes.
const OWN_FEET: f64 = 0.001;

/// What leads one foot of the blend.
pub(super) struct Lead<'a> {
    /// The foot of every clip, moved to where it is mixed.
    pub(super) clips: Vec<&'a FootPath>,
    /// By clip, then frame.
    pub(super) weights: &'a [Vec<f32>],
    /// By clip: from where it was captured to where it is mixed.
    pub(super) grounds: &'a [Led],
    /// How firmly heel and toe stand in each frame, 0 to 1.
    pub(super) firm: [&'a [f64]; 2],
    /// Body size relative to a leg of 0.85 m.
    pub(super) scale: f64,
    pub(super) fps: f64,
}

impl Lead<'_> {
    /// What brings the foot of the mixed clip to its place, and how much of what the captured feet move while standing is kept, 0 to 1.
    pub(super) fn fix(&self, mixed: &FootPath) -> (FootShift, Vec<f64>) {
        let num_frames = mixed.ankle.len();
        let ankle = self.mean(num_frames, |track| &track.ankle);
        let toe = self.mean(num_frames, |track| &track.toe);
        let own: Vec<f64> = (0..num_frames).map(|frame| self.as_captured(frame)).collect();
        let steps = num_frames.saturating_sub(1);
        let kept = |frame: usize| 0.5 * (own[frame] + own[frame + 1]);
        let step = |heel: bool| (0..steps).map(|f| self.captured_step(f, heel) * kept(f)).collect();
        let heights = |path: &[DVec3]| path.iter().map(|p| p.y).collect();
        let any = |heel: bool, mean: &[DVec3]| {
            (0..num_frames).map(|frame| self.lowest(frame, heel, mean[frame].y)).collect()
        };
        let guide = Guide {
            rotation: (0..num_frames).map(|frame| self.mean_rotation(frame)).collect(),
            turns: (0..steps).map(|frame| self.captured_turn(frame) * kept(frame)).collect(),
            steps: [step(true), step(false)],
            led_heights: [heights(&ankle), heights(&toe)],
            free_heights: [any(true, &ankle), any(false, &toe)],
            ankle,
            firm: self.firm,
            fps: self.fps,
        };
        (guide.fix(mixed), own)
    }

    /// The lowest height of heel or toe in the clips that have a part; `mean` in those that have none.
    fn lowest(&self, frame: usize, heel: bool, mean: f64) -> f64 {
        let height = |track: &FootPath, w: f32| mean + present(w) * (track.point(heel)[frame].y - mean);
        let heights = self.clips.iter().zip(self.weights).map(|(track, w)| height(track, w[frame]));
        heights.fold(mean, f64::min)
    }

    fn mean(&self, num_frames: usize, of: fn(&FootPath) -> &[DVec3]) -> Vec<DVec3> {
        // As differences to the first: equal paths keep their bits.
        let first = of(self.clips[0]);
        (0..num_frames)
            .map(|frame| {
                let others = self.clips.iter().zip(self.weights).skip(1);
                let sum: DVec3 =
                    others.map(|(track, w)| (of(track)[frame] - first[frame]) * f64::from(w[frame])).sum();
                first[frame] + sum
            })
            .collect()
    }

    fn mean_rotation(&self, frame: usize) -> DQuat {
        let samples: Vec<DQuat> = self.clips.iter().map(|track| track.rotation[frame]).collect();
        let weights: Vec<f64> = self.weights.iter().map(|w| f64::from(w[frame])).collect();
        let first = super::clock::heaviest(&weights);
        combine(Method::Exact, &samples, &weights, first).0
    }

    /// How much of what the captured feet move while standing is kept: 1 where the clips' legs are one or one clip has
    /// all the weight, 0 where a blend is a motion of its own.
    fn as_captured(&self, frame: usize) -> f64 {
        let joints: [fn(&FootPath) -> &[DVec3]; 4] =
            [|track| &track.hip, |track| &track.knee, |track| &track.ankle, |track| &track.toe];
        let says: f64 = self.weights.iter().map(|w| present(w[frame])).sum();
        let mut spread = 0.0;
        for of in joints {
            let mut mean = DVec3::ZERO;
            let mut square = 0.0;
            // About the first clip's joint, so that the difference of squares keeps its digits.
            let base = of(self.clips[0])[frame];
            for (track, w) in self.clips.iter().zip(self.weights) {
                let (share, p) = (present(w[frame]) / says, of(track)[frame] - base);
                mean += p * share;
                square += share * p.length_squared();
            }
            spread += 0.25 * (square - mean.length_squared()).max(0.0);
        }
        let most = self.weights.iter().map(|w| f64::from(w[frame])).fold(0.0, f64::max);
        let apart = spread / (spread + (ONE_CLIP_M * self.scale).powi(2));
        1.0 - apart * smooth((1.0 - most) / OWN_FEET)
    }

    /// The step of heel or toe from `frame` to the next that the captured feet make, on the mean, each turned as its
    /// clip is.
    fn captured_step(&self, frame: usize, heel: bool) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for ((track, w), ground) in self.clips.iter().zip(self.weights).zip(self.grounds) {
            let [a, b] = [frame, frame + 1].map(|f| ground.captured(f, track.point(heel)[f]));
            let turn = 0.5 * (ground.turn(frame) + ground.turn(frame + 1));
            sum += DQuat::from_rotation_y(turn) * (b - a) * f64::from(w[frame]);
        }
        sum
    }

    /// The same for the turn of the foot, as a rotation vector in the world.
    fn captured_turn(&self, frame: usize) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for ((track, w), ground) in self.clips.iter().zip(self.weights).zip(self.grounds) {
            let [a, b] =
                [frame, frame + 1].map(|f| DQuat::from_rotation_y(-ground.turn(f)) * track.rotation[f]);
            let turn = 0.5 * (ground.turn(frame) + ground.turn(frame + 1));
            sum += DQuat::from_rotation_y(turn) * log64(b * a.conjugate()) * f64::from(w[frame]);
        }
        sum
    }
}

/// Whether a clip of this weight has a part in the blend, 0 to 1.
fn present(weight: f32) -> f64 {
    smooth(f64::from(weight.abs()) / OWN_FEET)
}
