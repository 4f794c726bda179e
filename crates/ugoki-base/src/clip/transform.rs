//! Trimming, reversing, retiming and scaling a whole clip.

use crate::no_progress;
use std::ops::Range;

use crate::Progress;

use super::{Clip, ClipError, RotationTracks, Translation, VectorTrack};

impl Clip {
    /// The frames of `range` alone; they keep the numbers of their source.
    ///
    /// # Errors
    /// When the range is empty or leaves the clip.
    pub fn trimmed(&self, range: Range<usize>) -> Result<Self, ClipError> {
        if range.start >= range.end || range.end > self.num_frames() {
            let Range { start, end } = range;
            return Err(ClipError::Range { start, end, frames: self.num_frames() });
        }
        let order: Vec<usize> = range.clone().collect();
        let mut clip = self.reordered(&order);
        clip.tpose_frame = self.tpose_frame && range.start == 0;
        clip.source.clone_from(&self.source);
        clip.source_start = self.source_start + range.start;
        Ok(clip)
    }

    /// Last frame first. An added T-pose stays in front.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let motion = self.motion_frames();
        let order: Vec<usize> = (0..motion.start).chain(motion.rev()).collect();
        let mut clip = self.reordered(&order);
        clip.tpose_frame = self.tpose_frame;
        clip
    }

    /// The motion `speed` times as fast at the same rate.
    ///
    /// # Errors
    /// When `speed` is not a positive finite number or the result would be too long.
    pub fn sped(&self, speed: f64) -> Result<Self, ClipError> {
        self.sped_with(speed, &mut no_progress())
    }

    /// [`Clip::sped`] that reports progress and can be cancelled.
    ///
    /// # Errors
    /// As [`Clip::sped`], or when the caller asks to stop.
    pub fn sped_with(&self, speed: f64, progress: Progress<'_>) -> Result<Self, ClipError> {
        if !(speed.is_finite() && speed > 0.0) {
            return Err(ClipError::Rate { fps: self.fps * speed });
        }
        if speed == 1.0 {
            return Ok(self.clone());
        }
        let mut clip = self.resampled_with(self.fps / speed, progress)?;
        clip.fps = self.fps;
        clip.source = None;
        Ok(clip)
    }

    /// All lengths multiplied by `factor`: skeleton, root path and translations.
    #[must_use]
    pub fn scaled(&self, factor: f32) -> Self {
        let mut clip = self.clone();
        if factor == 1.0 {
            return clip;
        }
        clip.skeleton = self.skeleton.scaled(factor);
        let scale = |track: &mut VectorTrack| {
            for axis in [&mut track.x, &mut track.y, &mut track.z] {
                for v in axis.iter_mut() {
                    *v *= factor;
                }
            }
        };
        scale(&mut clip.root);
        // Weights of expressions are no lengths.
        let paths = clip.translations.iter_mut().filter(|t| !self.skeleton.joint(t.joint).is_expression);
        for translation in paths {
            scale(&mut translation.track);
        }
        clip.source = None;
        clip
    }

    /// The frames in this order, without their source.
    fn reordered(&self, order: &[usize]) -> Self {
        let vectors =
            |track: &VectorTrack| -> VectorTrack { order.iter().map(|&frame| track.get(frame)).collect() };
        let mut rotations = RotationTracks::identity(self.num_joints(), order.len());
        for joint in 0..self.num_joints() {
            for (to, &from) in order.iter().enumerate() {
                rotations.set(joint, to, self.rotations.get(joint, from));
            }
        }
        Self {
            root: vectors(&self.root),
            rotations,
            translations: self
                .translations
                .iter()
                .map(|t| Translation { joint: t.joint, track: vectors(&t.track) })
                .collect(),
            ..self.clone_meta()
        }
    }
}
