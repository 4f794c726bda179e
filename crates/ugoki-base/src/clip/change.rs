//! Several changes of a clip in one call, and where a range of its frames is after them.

use std::ops::Range;
use std::sync::Arc;

use crate::Progress;
use crate::skeleton::Skeleton;

use super::{Clip, ClipError, RootMotion, Source};

/// Changes of a clip; the default changes nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipChange {
    /// Keeps these frames alone.
    pub trim: Option<Range<usize>>,
    /// Swaps left and right.
    pub mirror: bool,
    /// Plays backwards.
    pub reverse: bool,
    /// Plays this many times as fast, at the same rate.
    pub speed: Option<f64>,
    /// Frames per second of the result.
    pub fps: Option<f64>,
    /// What becomes of travel over the ground.
    pub root_motion: RootMotion,
}

impl ClipChange {
    /// Applies the changes in the order of the fields: trim, mirror, reverse, speed, rate, root motion.
    ///
    /// # Errors
    /// When a range, rate or factor does not fit the clip, or the caller stops.
    pub fn apply(&self, clip: &Clip, progress: Progress<'_>) -> Result<Clip, ClipError> {
        let mut clip = match &self.trim {
            Some(frames) => clip.trimmed(frames.clone())?,
            None => clip.clone(),
        };
        if self.mirror {
            clip = clip.mirrored();
        }
        if self.reverse {
            clip = clip.reversed();
        }
        if let Some(speed) = self.speed {
            clip = clip.sped_with(speed, &mut |part| progress(0.5 * part))?;
        }
        if let Some(fps) = self.fps {
            clip = clip.resampled_with(fps, &mut |part| progress(0.5 + 0.5 * part))?;
        }
        Ok(clip.with_root_motion(self.root_motion))
    }

    /// Where a range of frames of `before`, such as a loop, is in `after`, the result of [`ClipChange::apply`]; `None` when
    /// trimming has cut it.
    #[must_use]
    pub fn range_after(&self, range: &Range<usize>, before: &Clip, after: &Clip) -> Option<Range<usize>> {
        let kept = self.trim.clone().unwrap_or(0..before.num_frames());
        if range.start < kept.start || range.end > kept.end {
            return None;
        }
        let (mut start, mut end) = (range.start - kept.start, range.end - kept.start);
        if self.reverse {
            // An added T-pose stays in front.
            let all = kept.len() + after.motion_frames().start;
            (start, end) = (all.checked_sub(end)?, all.checked_sub(start)?);
        }
        let ratio = after.fps() / before.fps() / self.speed.unwrap_or(1.0);
        let frame = |frame: usize| (frame as f64 * ratio).round() as usize;
        let (start, end) = (frame(start), frame(end).min(after.num_frames()));
        (start < end).then_some(start..end)
    }
}

impl Clip {
    /// Gives a changed clip the channels that the file of its `body` has: their order, their axes and what positions mean. A clip
    /// that still has such channels of its own keeps them, and the file's numbers with them.
    pub fn keep_channels(&mut self, body: &Skeleton, layout: &Source) {
        let same = |own: &Source| own.channels == layout.channels && own.offset == layout.offset;
        if **self.skeleton() != *body || self.source().is_some_and(|own| same(own)) {
            return;
        }
        let frame_time = self.source().map_or_else(|| self.fps().recip(), |own| own.frame_time);
        self.set_source(Some(Arc::new(Source {
            channels: layout.channels.clone(),
            values: Vec::new(),
            frame_time,
            unit_metres: layout.unit_metres,
            up: layout.up,
            offset: layout.offset,
        })));
    }
}

#[cfg(test)]
mod tests {
    use crate::no_progress;
    use crate::skeleton::{Joint, Skeleton};

    use super::*;

    #[test]
    fn a_range_follows_trimming_reversing_and_rates() {
        let skeleton = Skeleton::build(vec![Joint::new("Hips", None, glam::Vec3::ZERO)]).unwrap();
        let clip = Clip::at_rest(skeleton, 30.0, 100).unwrap();
        let after = |change: &ClipChange| {
            let changed = change.apply(&clip, &mut no_progress()).unwrap();
            change.range_after(&(20..50), &clip, &changed)
        };
        assert_eq!(after(&ClipChange::default()), Some(20..50));
        assert_eq!(after(&ClipChange { trim: Some(10..60), ..ClipChange::default() }), Some(10..40));
        assert_eq!(after(&ClipChange { trim: Some(30..60), ..ClipChange::default() }), None);
        assert_eq!(after(&ClipChange { reverse: true, ..ClipChange::default() }), Some(50..80));
        assert_eq!(after(&ClipChange { speed: Some(2.0), ..ClipChange::default() }), Some(10..25));
        assert_eq!(after(&ClipChange { fps: Some(60.0), ..ClipChange::default() }), Some(40..100));
    }
}
