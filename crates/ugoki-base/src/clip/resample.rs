//! The same motion at another rate.
//!
//! Positions follow a Catmull–Rom cubic through the frames. Rotations follow its counterpart on the
//! sphere: a Bézier curve by repeated slerp \[shoemake1985\] whose tangents are the mean of the two
//! neighbouring rotation vectors, so steady turning stays exactly steady.

use crate::no_progress;

use glam::{Quat, Vec3};

use super::{Clip, ClipError, RotationTracks, Translation, VectorTrack};
use crate::math::{align_sign, exp, log, slerp};
use crate::{Cancelled, Progress, report};

/// Frames a resampled clip may have: two days at 60 per second.
const MAX_FRAMES: usize = 10_000_000;

/// Frame times closer than this to a source frame, in frames, take that frame as it is.
const SAME_FRAME: f64 = 1e-6;

/// Frames of one joint between two checks for cancellation: some tens of microseconds of work.
const REPORT_FRAMES: usize = 256;

impl Clip {
    /// The clip at `fps` frames per second, its motion lasting as long; the same rate gives the same clip.
    ///
    /// An added T-pose stays frame 0 and is never mixed with the motion: it takes one frame of the new rate, and
    /// frame 1 is the motion's first frame at every rate.
    ///
    /// # Errors
    /// When `fps` is not a positive finite number or gives too many frames.
    pub fn resampled(&self, fps: f64) -> Result<Self, ClipError> {
        self.resampled_with(fps, &mut no_progress())
    }

    /// [`Clip::resampled`] for clips and rates that take long.
    ///
    /// # Errors
    /// As [`Clip::resampled`], and when the caller asks to stop.
    pub fn resampled_with(&self, fps: f64, progress: Progress<'_>) -> Result<Self, ClipError> {
        if !(fps.is_finite() && fps > 0.0) {
            return Err(ClipError::Rate { fps });
        }
        if (fps / self.fps - 1.0).abs() < 1e-9 || self.num_frames() == 0 {
            let mut same = self.clone();
            same.fps = fps;
            return Ok(same);
        }
        let ratio = self.fps / fps;
        let motion = self.motion_frames();
        // The last frame is the last one at or before the source's last.
        let last = motion.len().saturating_sub(1) as f64;
        let motion_frames = if motion.is_empty() { 0.0 } else { (last / ratio + SAME_FRAME).floor() + 1.0 };
        let num_frames = motion.start as f64 + motion_frames;
        if num_frames > MAX_FRAMES as f64 {
            return Err(ClipError::TooLong { frames: num_frames, max: MAX_FRAMES });
        }
        let first = motion.start;
        let times: Vec<f64> = (0..num_frames as usize)
            .map(|frame| match frame.checked_sub(first) {
                Some(since) => first as f64 + since as f64 * ratio,
                None => frame as f64,
            })
            .collect();
        Ok(self.sampled(&times, fps, progress)?)
    }

    /// The motion sampled at these times, given in source frames and clamped to the clip; rate `fps`.
    ///
    /// Time 0 of a clip with an added T-pose is the T-pose; between it and frame 1 there is only frame 1.
    ///
    /// # Panics
    /// If the clip has no frames.
    #[must_use]
    pub fn at_frames(&self, times: &[f64], fps: f64) -> Self {
        match self.sampled(times, fps, &mut no_progress()) {
            Ok(clip) => clip,
            Err(cancelled) => unreachable!("{cancelled}"),
        }
    }

    fn sampled(&self, times: &[f64], fps: f64, progress: Progress<'_>) -> Result<Self, Cancelled> {
        let motion = self.motion_frames();
        let spans: Vec<Span> = times.iter().map(|&time| Span::new(time, motion.start, motion.end)).collect();
        let vectors =
            |track: &VectorTrack| -> VectorTrack { spans.iter().map(|span| span.vector(track)).collect() };
        let mut rotations = RotationTracks::identity(self.num_joints(), times.len());
        let all = (self.num_joints() * spans.len()).max(1) as f32;
        for joint in 0..self.num_joints() {
            let mut before = None;
            for (frame, span) in spans.iter().enumerate() {
                if frame % REPORT_FRAMES == 0 {
                    report(progress, (joint * spans.len() + frame) as f32 / all)?;
                }
                let q = span.rotation(|f| self.rotations.get(joint, f));
                let q = before.map_or(q, |before| align_sign(q, before));
                rotations.set(joint, frame, q);
                before = Some(q);
            }
        }
        Ok(Self {
            root: vectors(&self.root),
            rotations,
            translations: self
                .translations
                .iter()
                .map(|t| Translation { joint: t.joint, track: vectors(&t.track) })
                .collect(),
            fps,
            source: None,
            tpose_frame: self.tpose_frame && times.first() == Some(&0.0),
            ..self.clone_meta()
        })
    }

    /// Name, tags and skeleton without frames.
    pub(super) fn clone_meta(&self) -> Self {
        Self {
            name: self.name.clone(),
            tags: self.tags.clone(),
            tpose_frame: self.tpose_frame,
            skeleton: self.skeleton.clone(),
            fps: self.fps,
            root: VectorTrack::default(),
            rotations: RotationTracks::identity(self.num_joints(), 0),
            translations: Vec::new(),
            source: None,
            source_start: 0,
        }
    }
}

/// A time between two frames with its outer neighbours, all inside the motion.
struct Span {
    before: usize,
    from: usize,
    to: usize,
    after: usize,
    t: f32,
}

impl Span {
    fn new(time: f64, first: usize, end: usize) -> Self {
        if first > 0 && time < SAME_FRAME {
            // The added T-pose itself.
            return Self { before: 0, from: 0, to: 0, after: 0, t: 0.0 };
        }
        let last = end - 1;
        let time = time.clamp(first.min(last) as f64, last as f64);
        let nearest = time.round();
        let (from, t) = if (time - nearest).abs() < SAME_FRAME {
            (nearest as usize, 0.0)
        } else {
            (time.floor() as usize, time.fract() as f32)
        };
        let to = (from + 1).min(last);
        Self { before: from.saturating_sub(1).max(first), from, to, after: (to + 1).min(last), t }
    }

    fn vector(&self, track: &VectorTrack) -> Vec3 {
        let p1 = track.get(self.from);
        if self.t == 0.0 {
            return p1;
        }
        let p2 = track.get(self.to);
        // At the ends the missing neighbour continues the line.
        let p0 = if self.before == self.from { 2.0 * p1 - p2 } else { track.get(self.before) };
        let p3 = if self.after == self.to { 2.0 * p2 - p1 } else { track.get(self.after) };
        let (m1, m2) = ((p2 - p0) * 0.5, (p3 - p1) * 0.5);
        let (t, d) = (self.t, p2 - p1);
        p1 + t * (m1 + t * (3.0 * d - 2.0 * m1 - m2 + t * (m1 + m2 - 2.0 * d)))
    }

    fn rotation(&self, at: impl Fn(usize) -> Quat) -> Quat {
        let q1 = at(self.from);
        if self.t == 0.0 {
            return q1;
        }
        let q2 = at(self.to);
        let here = log(q1.conjugate() * q2);
        let before = if self.before == self.from { here } else { log(at(self.before).conjugate() * q1) };
        let after = if self.after == self.to { here } else { log(q2.conjugate() * at(self.after)) };
        let c1 = q1 * exp((before + here) / 6.0);
        let c2 = q2 * exp((here + after) / -6.0);
        let t = self.t;
        let (a, b, c) = (slerp(q1, c1, t), slerp(c1, c2, t), slerp(c2, q2, t));
        slerp(slerp(a, b, t), slerp(b, c, t), t)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::math::angle_between;
    use crate::skeleton::{Joint, Skeleton};
    use proptest::prelude::*;

    fn turning(num_frames: usize, rad_per_frame: f32) -> Clip {
        let skeleton = Skeleton::build(vec![Joint::new("root", None, Vec3::ZERO)]).unwrap();
        let mut clip = Clip::at_rest(skeleton, 30.0, num_frames).unwrap();
        for frame in 0..num_frames {
            clip.set_rotation(0, frame, Quat::from_rotation_y(rad_per_frame * frame as f32));
            clip.root_mut().set(frame, Vec3::X * frame as f32 * 0.1);
        }
        clip.align_signs();
        clip
    }

    proptest! {
        #[test]
        fn steady_motion_stays_steady_at_any_rate(fps in 5.0..240.0_f64, speed in -0.5..0.5_f32) {
            let clip = turning(20, speed).resampled(fps).unwrap();
            for frame in 0..clip.num_frames() {
                let source = frame as f32 * (30.0 / fps) as f32;
                prop_assert!((clip.root().get(frame).x - 0.1 * source).abs() < 1e-5);
                let wanted = Quat::from_rotation_y(speed * source);
                prop_assert!(angle_between(clip.rotation(0, frame), wanted) < 1e-5);
            }
        }
    }

    #[test]
    fn source_frames_are_kept_when_the_rate_doubles() {
        let clip = turning(20, 0.2);
        let double = clip.resampled(60.0).unwrap();
        assert_eq!(double.num_frames(), 39);
        for frame in 0..20 {
            assert_eq!(double.rotation(0, 2 * frame), clip.rotation(0, frame));
            assert_eq!(double.root().get(2 * frame), clip.root().get(frame));
        }
        assert_eq!(double.resampled(30.0).unwrap().root(), clip.root());
    }

    #[test]
    fn an_added_tpose_is_never_mixed_in() {
        let mut clip = turning(10, 0.1);
        clip.tpose_frame = true;
        clip.root_mut().set(0, Vec3::Y * 100.0);
        let double = clip.resampled(60.0).unwrap();
        assert!(double.tpose_frame);
        assert_eq!(double.root().get(0).y, 100.0);
        assert!((1..double.num_frames()).all(|frame| double.root().get(frame).y == 0.0));
    }

    proptest! {
        #[test]
        fn an_added_tpose_takes_one_frame_and_the_motion_starts_at_once(fps in 5.0..240.0_f64) {
            let mut clip = turning(20, 0.1);
            clip.tpose_frame = true;
            clip.root_mut().set(0, Vec3::Y * 100.0);
            let other = clip.resampled(fps).unwrap();
            let motion = clip.trimmed(1..20).unwrap().resampled(fps).unwrap();
            prop_assert!(other.tpose_frame);
            prop_assert_eq!(other.root().get(0), Vec3::Y * 100.0);
            prop_assert_eq!(other.num_frames(), 1 + motion.num_frames());
            for frame in 0..motion.num_frames() {
                // 1e-5: f32 interpolation at times that differ in the last place.
                prop_assert!((other.root().get(frame + 1) - motion.root().get(frame)).length() < 1e-5);
                prop_assert!(angle_between(other.rotation(0, frame + 1), motion.rotation(0, frame)) < 1e-5);
                prop_assert!(frame == 0 || other.root().get(frame + 1) != other.root().get(frame));
            }
        }
    }

    #[test]
    fn the_caller_can_stop() {
        let clip = turning(20, 0.1);
        let mut calls = 0;
        let stopped = clip.resampled_with(30_000.0, &mut |fraction| {
            assert!((0.0..=1.0).contains(&fraction));
            calls += 1;
            if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((stopped, calls), (Err(ClipError::Cancelled(Cancelled)), 3));
    }

    #[test]
    fn absurd_rates_are_refused() {
        assert!(turning(10, 0.1).resampled(0.0).is_err());
        assert!(turning(10, 0.1).resampled(1e12).is_err());
        assert_eq!(turning(10, 0.1).resampled(0.001).unwrap().num_frames(), 1);
    }
}
