//! The One-Euro filter [casiez2012] on rotations and positions: a low-pass whose cut-off rises with speed.
//!
//! ```text
//! ω̂ ← ω̂ + α(f_speed)·(log(q̂⁻¹q)/dt − ω̂)      f = min_cutoff + beta·|ω̂|      q̂ ← q̂·exp(α(f)·log(q̂⁻¹q))
//! α(f) = 1 / (1 + 1/(2π·f·dt))
//! ```
//!
//! Differences of rotations are rotation vectors, so neither the frame of reference nor signs matter. [`OneEuro`] works on live
//! frames and does not allocate; [`one_euro`] works on a clip, as it would live or there and back again without lag.

use std::f64::consts::TAU;
use std::fmt;
use std::str::FromStr;

use glam::{DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::joints::{align_track_signs, for_each_joint};
use super::kernel::{KernelError, KernelShape};
use crate::clip::{Clip, VectorTrack};
use crate::math::{angle_between, exp64, log64};
use crate::pose::Pose;
use crate::{Cancelled, Progress};

/// Settings of a One-Euro filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneEuroConfig {
    /// Cut-off at rest, hertz: lower removes more jitter.
    pub min_cutoff_hz: f64,
    /// Rise of the cut-off with speed, hertz per radian per second (positions: per metre per second): higher lags less.
    pub beta: f64,
    /// Cut-off of the speed itself, hertz.
    pub speed_cutoff_hz: f64,
}

impl OneEuroConfig {
    /// A filter with the published cut-off of the speed, 1 Hz.
    ///
    /// # Errors
    /// When the cut-off is not above 0 or `beta` is negative.
    pub fn new(min_cutoff_hz: f64, beta: f64) -> Result<Self, KernelError> {
        let usable = |value: f64| value.is_finite() && value >= 0.0;
        if !usable(min_cutoff_hz) || !usable(beta) || min_cutoff_hz == 0.0 {
            return Err(KernelError::OneEuro { min_cutoff_hz, beta });
        }
        Ok(Self { min_cutoff_hz, beta, speed_cutoff_hz: 1.0 })
    }
}

impl FromStr for OneEuroConfig {
    type Err = String;

    /// From `CUTOFF_HZ,BETA`, such as `1,0.5`.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| word.trim().parse::<f64>().ok();
        let config =
            text.split_once(',').and_then(|(cutoff, beta)| Self::new(number(cutoff)?, number(beta)?).ok());
        config.ok_or_else(|| {
            format!(
                "{text:?} is not a One-Euro filter; give CUTOFF_HZ,BETA with a cut-off above 0 and a beta of 0 or more, such as 1,0.5"
            )
        })
    }
}

impl fmt::Display for OneEuroConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.min_cutoff_hz, self.beta)
    }
}

impl Serialize for OneEuroConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Weight of a new sample at a cut-off.
fn alpha(cutoff_hz: f64, dt_s: f64) -> f64 {
    1.0 / (1.0 + 1.0 / (TAU * cutoff_hz * dt_s))
}

/// State of one rotation.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneEuroRotation {
    /// Filtered rotation and its speed, radians per second.
    state: Option<(DQuat, DVec3)>,
}

impl OneEuroRotation {
    /// The filtered rotation after another sample, `dt_s` seconds after the last one.
    ///
    /// A sample that is not a rotation, or not later than the last, changes nothing. The first one comes back as it is.
    pub fn update(&mut self, sample: Quat, dt_s: f64, config: &OneEuroConfig) -> Quat {
        let usable = sample.is_finite() && sample.length_squared() > 0.25;
        let sample = sample.as_dquat().normalize();
        let Some((filtered, speed)) = self.state else {
            if usable {
                self.state = Some((sample, DVec3::ZERO));
            }
            return if usable { sample.as_quat() } else { Quat::IDENTITY };
        };
        if !(usable && dt_s > 0.0 && dt_s.is_finite()) {
            return filtered.as_quat();
        }
        let way = log64(filtered.conjugate() * sample);
        let speed = speed + (way / dt_s - speed) * alpha(config.speed_cutoff_hz, dt_s);
        let part = alpha(config.min_cutoff_hz + config.beta * speed.length(), dt_s);
        let filtered = (filtered * exp64(way * part)).normalize();
        self.state = Some((filtered, speed));
        filtered.as_quat()
    }
}

/// State of one position.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneEuroPosition {
    /// Filtered position and its speed, metres per second.
    state: Option<(DVec3, DVec3)>,
}

impl OneEuroPosition {
    /// The filtered position after another sample, `dt_s` seconds after the last one; as [`OneEuroRotation::update`].
    pub fn update(&mut self, sample: Vec3, dt_s: f64, config: &OneEuroConfig) -> Vec3 {
        let Some((filtered, speed)) = self.state else {
            if sample.is_finite() {
                self.state = Some((sample.as_dvec3(), DVec3::ZERO));
            }
            return sample;
        };
        if !(sample.is_finite() && dt_s > 0.0 && dt_s.is_finite()) {
            return filtered.as_vec3();
        }
        let way = sample.as_dvec3() - filtered;
        let speed = speed + (way / dt_s - speed) * alpha(config.speed_cutoff_hz, dt_s);
        let filtered = filtered + way * alpha(config.min_cutoff_hz + config.beta * speed.length(), dt_s);
        self.state = Some((filtered, speed));
        filtered.as_vec3()
    }
}

/// One-Euro filter of a live body.
#[derive(Debug, Clone)]
pub struct OneEuro {
    config: OneEuroConfig,
    rotations: Vec<OneEuroRotation>,
    root: OneEuroPosition,
}

impl OneEuro {
    /// A filter for bodies of `num_joints` joints.
    #[must_use]
    pub fn new(num_joints: usize, config: OneEuroConfig) -> Self {
        Self {
            config,
            rotations: vec![OneEuroRotation::default(); num_joints],
            root: OneEuroPosition::default(),
        }
    }

    /// Filters a frame in place, `dt_s` seconds after the last one. Does not allocate.
    pub fn update(&mut self, pose: &mut Pose, dt_s: f64) {
        for (state, rotation) in self.rotations.iter_mut().zip(&mut pose.rotations) {
            *rotation = state.update(*rotation, dt_s, &self.config);
        }
        pose.root = self.root.update(pose.root, dt_s, &self.config);
    }

    /// Forgets all frames: the next one comes back as it is.
    pub fn reset(&mut self) {
        self.rotations.fill(OneEuroRotation::default());
        self.root = OneEuroPosition::default();
    }
}

/// What `--kernel` takes: taps, or a One-Euro filter in one direction or both.
#[derive(Debug, Clone, PartialEq)]
pub enum FilterShape {
    /// A convolution.
    Taps(KernelShape),
    /// As live: `one-euro:MINCUTOFF,BETA`.
    OneEuro(OneEuroConfig),
    /// Forward, then backward over the result, without lag: `one-euro-zero-lag:MINCUTOFF,BETA`.
    OneEuroZeroLag(OneEuroConfig),
}

impl FromStr for FilterShape {
    type Err = KernelError;

    fn from_str(text: &str) -> Result<Self, KernelError> {
        let syntax = || KernelError::Syntax { text: text.to_owned() };
        let (name, values) = text.split_once(':').ok_or_else(syntax)?;
        let shape = match name.trim() {
            "one-euro" => Self::OneEuro,
            "one-euro-zero-lag" => Self::OneEuroZeroLag,
            _ => return text.parse().map(Self::Taps),
        };
        let (cutoff, beta) = values.split_once(',').ok_or_else(syntax)?;
        let number = |word: &str| word.trim().parse::<f64>().map_err(|_| syntax());
        OneEuroConfig::new(number(cutoff)?, number(beta)?).map(shape)
    }
}

impl fmt::Display for FilterShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taps(shape) => shape.fmt(f),
            Self::OneEuro(config) => write!(f, "one-euro:{config}"),
            Self::OneEuroZeroLag(config) => write!(f, "one-euro-zero-lag:{config}"),
        }
    }
}

impl Serialize for FilterShape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FilterShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What a One-Euro filter did to a clip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OneEuroReport {
    /// Frames of motion, without an added T-pose.
    pub frames: usize,
    /// Whether it ran forward and backward.
    pub zero_lag: bool,
    /// The largest turn any joint got, degrees.
    pub largest_change_deg: f32,
    /// The joint that got it; none when nothing turned.
    pub largest_change_joint: Option<String>,
}

/// Filters every joint and path of `clip` as it would be live or, with `zero_lag`, forward and then backward over the result.
/// An added T-pose stays as it is.
///
/// # Errors
/// When the caller stops.
pub fn one_euro(
    clip: &Clip,
    config: &OneEuroConfig,
    zero_lag: bool,
    progress: Progress<'_>,
) -> Result<(Clip, OneEuroReport), Cancelled> {
    let motion = clip.motion_frames();
    let dt_s = 1.0 / clip.fps();
    let mut result = clip.clone();
    let changes = for_each_joint(result.rotations_mut(), progress, |joint, mut out| {
        let track = clip.rotations().track(joint).part(motion.clone());
        let mut largest = 0.0_f32;
        if [track.x, track.y, track.z, track.w].iter().all(|c| c.windows(2).all(|p| p[0] == p[1])) {
            return largest;
        }
        let mut samples: Vec<Quat> = (0..track.len()).map(|frame| track.get(frame)).collect();
        let mut state = OneEuroRotation::default();
        samples.iter_mut().for_each(|q| *q = state.update(*q, dt_s, config));
        if zero_lag {
            let mut state = OneEuroRotation::default();
            samples.iter_mut().rev().for_each(|q| *q = state.update(*q, dt_s, config));
        }
        for (frame, q) in samples.iter().enumerate() {
            largest = largest.max(angle_between(track.get(frame), *q));
            for (values, value) in out.iter_mut().zip(q.to_array()) {
                values[motion.start + frame] = value;
            }
        }
        align_track_signs(out);
        largest
    })?;
    let path = |track: &mut VectorTrack| {
        let mut state = OneEuroPosition::default();
        motion.clone().for_each(|f| track.set(f, state.update(track.get(f), dt_s, config)));
        if zero_lag {
            let mut state = OneEuroPosition::default();
            motion.clone().rev().for_each(|f| track.set(f, state.update(track.get(f), dt_s, config)));
        }
    };
    path(result.root_mut());
    result.translations_mut().iter_mut().for_each(|translation| path(&mut translation.track));
    let mut report =
        OneEuroReport { frames: motion.len(), zero_lag, largest_change_deg: 0.0, largest_change_joint: None };
    for (joint, change) in changes.into_iter().enumerate() {
        if change.to_degrees() > report.largest_change_deg {
            report.largest_change_deg = change.to_degrees();
            report.largest_change_joint = Some(clip.skeleton().joint(joint).name.clone());
        }
    }
    Ok((result, report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::skeleton::{Joint, Skeleton};
    use proptest::prelude::*;

    fn rotation() -> impl Strategy<Value = Quat> {
        prop::array::uniform3(-1.8..1.8_f64).prop_map(|v| exp64(DVec3::from_array(v)).as_quat())
    }

    fn noisy(seed: u64, frames: usize) -> Vec<Quat> {
        let mut random = Random::new(seed);
        let mut draw = |size: f64| exp64(DVec3::from_array(std::array::from_fn(|_| size * random.normal())));
        (0..frames).map(|i| (exp64(DVec3::Y * 0.02 * i as f64) * draw(0.02)).as_quat().normalize()).collect()
    }

    fn run(samples: &[Quat], config: &OneEuroConfig) -> Vec<Quat> {
        let mut state = OneEuroRotation::default();
        samples.iter().map(|&q| state.update(q, 1.0 / 60.0, config)).collect()
    }

    proptest! {
        #[test]
        fn a_constant_turn_and_signs_do_not_matter(seed in 0..1000_u64, a in rotation(), b in rotation()) {
            let config = OneEuroConfig::new(1.0, 0.5).unwrap();
            let samples = noisy(seed, 60);
            let plain = run(&samples, &config);
            let turned: Vec<Quat> = samples.iter().enumerate().map(|(i, &q)| if i % 3 == 1 { -(a * q * b) } else { a * q * b }).collect();
            for (p, t) in plain.iter().zip(run(&turned, &config)) {
                // 1e-5 rad: rounding of f32 input, fed back.
                prop_assert!(angle_between(a * *p * b, t) < 1e-5);
            }
        }

        #[test]
        fn it_writes_back_what_it_read(cutoff in 0.01..50.0_f64, beta in 0.0..9.0_f64, both in any::<bool>()) {
            let config = OneEuroConfig::new(cutoff, beta).unwrap();
            prop_assert_eq!(config.to_string().parse::<OneEuroConfig>(), Ok(config));
            let shape = if both { FilterShape::OneEuroZeroLag(config) } else { FilterShape::OneEuro(config) };
            prop_assert_eq!(shape.to_string().parse::<FilterShape>(), Ok(shape));
        }
    }

    #[test]
    fn the_scalar_filter_of_the_paper_comes_out_about_one_axis() {
        // The published algorithm on the angle itself, speed from the last filtered value.
        let angles: Vec<f64> =
            (0..200).map(|i| (0.05 * f64::from(i)).sin() + 0.01 * f64::from(i * 7 % 11)).collect();
        let (cutoff, beta, dt) = (1.2, 0.4, 1.0 / 60.0);
        let (mut x, mut speed) = (angles[0], 0.0);
        let config = OneEuroConfig::new(cutoff, beta).unwrap();
        let mut state = OneEuroRotation::default();
        for (i, &angle) in angles.iter().enumerate() {
            if i > 0 {
                let smoothing = |f: f64| 1.0 / (1.0 + (1.0 / (TAU * f)) / dt);
                speed += smoothing(1.0) * ((angle - x) / dt - speed);
                x += smoothing(cutoff + beta * speed.abs()) * (angle - x);
            }
            let q = state.update(exp64(DVec3::Z * angle).as_quat(), dt, &config);
            assert!(angle_between(q, exp64(DVec3::Z * x).as_quat()) < 1e-6, "sample {i}");
        }
    }

    #[test]
    fn a_clip_is_filtered_as_its_frames_are_live() {
        let skeleton = Skeleton::build(vec![Joint::new("arm", None, Vec3::Y)]).unwrap();
        let mut clip = Clip::at_rest(skeleton, 60.0, 120).unwrap();
        for (frame, q) in noisy(3, 120).into_iter().enumerate() {
            clip.set_rotation(0, frame, q);
            clip.root_mut().set(frame, Vec3::new((frame as f32 * 0.1).sin(), 1.0, 0.01 * frame as f32));
        }
        let config: OneEuroConfig = "1.5,0.3".parse().unwrap();
        let (filtered, report) = one_euro(&clip, &config, false, &mut crate::no_progress()).unwrap();
        let mut live = OneEuro::new(1, config);
        for frame in 0..120 {
            let mut pose = clip.pose(frame);
            live.update(&mut pose, 1.0 / 60.0);
            assert!(angle_between(pose.rotations[0], filtered.rotation(0, frame)) < 1e-6);
            assert_eq!(pose.root, filtered.root().get(frame));
        }
        assert!(report.largest_change_deg > 1.0, "{report:?}");
        for text in ["", "1", "0,1", "1,-1", "nan,1", "a,b"] {
            assert!(text.parse::<OneEuroConfig>().is_err(), "{text}");
        }
    }

    #[test]
    fn samples_that_are_no_rotations_change_nothing() {
        let config = OneEuroConfig::new(1.0, 0.0).unwrap();
        let mut state = OneEuroRotation::default();
        let first = state.update(Quat::from_rotation_x(0.3), 0.01, &config);
        for (bad, dt) in [
            (Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), 0.01),
            (Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), 0.01),
            (Quat::IDENTITY, 0.0),
            (Quat::IDENTITY, f64::NAN),
        ] {
            assert_eq!(state.update(bad, dt, &config), first);
        }
        for text in ["one-euro:0,1", "one-euro:1,-1", "one-euro:nan,1", "one-euro-zero-lag:inf,0"] {
            assert!(matches!(text.parse::<FilterShape>(), Err(KernelError::OneEuro { .. })), "{text}");
        }
        for text in ["one-euro:1", "one-euro", "one-euro:a,b"] {
            assert!(matches!(text.parse::<FilterShape>(), Err(KernelError::Syntax { .. })), "{text}");
        }
    }
}
