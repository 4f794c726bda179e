//! How high the ground under a clip is: stairs are climbed, jumps are not.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_feet::contact::{ContactConfig, Contacts, Feet, find_contacts, find_feet};

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
    /// The lower of the places that toes stand on; where none stands, as in the frame nearest to it in which one does.
    #[must_use]
    pub fn under(clip: &Clip) -> Self {
        match (find_feet(clip.skeleton()), find_contacts(clip, &ContactConfig::default())) {
            (Ok(feet), Ok(contacts)) => Self::at_contacts(clip, &feet, &contacts),
            _ => Self::default(),
        }
    }

    /// [`Ground::under`] a clip whose contacts are known.
    pub(crate) fn at_contacts(clip: &Clip, feet: &Feet, contacts: &Contacts) -> Self {
        let poses = clip.model_poses();
        let mut heights: Vec<Option<f32>> = vec![None; clip.num_frames()];
        for (foot, contacts) in feet.feet.iter().zip(&contacts.feet) {
            for contact in &contacts.toe {
                let mean = contact.clone().map(|frame| foot.toe.position(&poses[frame]).y).sum::<f32>()
                    / contact.len().max(1) as f32;
                for height in &mut heights[contact.clone()] {
                    *height = Some(height.map_or(mean, |other| other.min(mean)));
                }
            }
        }
        Self(fill(&heights))
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

/// Every frame without a value takes that of the nearest with one; nothing where there is none at all.
fn fill(values: &[Option<f32>]) -> Vec<f32> {
    let known: Vec<(usize, f32)> =
        values.iter().enumerate().filter_map(|(frame, value)| value.map(|value| (frame, value))).collect();
    let nearest = |frame: usize| {
        let after = known.partition_point(|&(at, _)| at < frame);
        let (left, right) = (after.checked_sub(1).map(|i| known[i]), known.get(after).copied());
        match (left, right) {
            (Some(left), Some(right)) if frame - left.0 <= right.0 - frame => Some(left.1),
            (left, right) => right.or(left).map(|(_, value)| value),
        }
    };
    (0..values.len()).map_while(nearest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_without_ground_takes_the_nearest() {
        let values = [None, Some(1.0), None, None, None, Some(2.0), None];
        assert_eq!(fill(&values), [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        assert!(fill(&[None, None]).is_empty());
        assert_eq!(Ground::default().climb(0..3), Climb::default());
    }
}
