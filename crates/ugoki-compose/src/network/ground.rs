//! How high the ground under a clip is: stairs are climbed, jumps are not.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_feet::feet::ClipFeet;

/// Height of the ground that bears the body, frame by frame, metres. Empty where feet or contacts are not known: then the ground counts as level.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ground(Vec<f32>);

/// How the ground of a piece rises and falls, seen from where it begins, metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Climb {
    /// How much higher the ground is at the end.
    pub end_m: f32,
    /// The lowest place, at most 0.
    pub low_m: f32,
    /// The highest place, at least 0.
    pub high_m: f32,
}

impl Climb {
    pub(super) fn is_finite(self) -> bool {
        self.end_m.is_finite() && self.low_m.is_finite() && self.high_m.is_finite()
    }
}

impl Ground {
    /// The ground under a clip.
    #[must_use]
    pub fn under(clip: &Clip) -> Self {
        ClipFeet::find(clip).map_or_else(|_| Self::default(), |feet| Self::of(&feet))
    }

    /// The ground under a clip with these feet.
    #[must_use]
    pub fn of(feet: &ClipFeet) -> Self {
        Self(feet.elevation())
    }

    /// The heights, by frame.
    #[must_use]
    pub fn heights(&self) -> &[f32] {
        &self.0
    }

    /// The rise and fall over some frames.
    #[must_use]
    pub fn climb(&self, frames: Range<usize>) -> Climb {
        let Some([first, .., last] | [first @ last]) = self.0.get(frames.clone()) else {
            return Climb::default();
        };
        let own = &self.0[frames];
        let low = own.iter().copied().fold(*first, f32::min);
        let high = own.iter().copied().fold(*first, f32::max);
        Climb { end_m: last - first, low_m: low - first, high_m: high - first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_that_is_not_known_is_level() {
        assert_eq!(Ground::default().climb(0..3), Climb::default());
    }
}
