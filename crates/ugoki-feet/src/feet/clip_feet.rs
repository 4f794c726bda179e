//! What the feet of a clip do, found once and passed along.

use ugoki_base::clip::Clip;

use super::path::FootPath;
use crate::contact::{ContactConfig, ContactError, Contacts, Feet, find_contacts, find_feet};

/// The feet of a clip: built once per clip and passed to all that ask about them.
#[derive(Debug, Clone)]
pub struct ClipFeet {
    /// The joints of both legs.
    pub legs: Feet,
    /// The floor, and when heels and toes are on it.
    pub contacts: Contacts,
    /// Left and right foot in every frame.
    pub paths: [FootPath; 2],
}

impl ClipFeet {
    /// Finds the contacts of a clip.
    ///
    /// # Errors
    /// When the legs are not known by role or have no length, or the clip has no motion.
    pub fn find(clip: &Clip) -> Result<Self, ContactError> {
        let legs = find_feet(clip.skeleton())?;
        let contacts = find_contacts(clip, &ContactConfig::default())?;
        Ok(Self { legs, contacts, paths: FootPath::both(clip, &legs) })
    }

    /// Height of the ground that bears the body in every frame, metres: the lower of the places that toes stand on; where none stands, as
    /// in the frame nearest to it in which one does. Empty where none ever stands.
    #[must_use]
    pub fn elevation(&self) -> Vec<f32> {
        let mut heights: Vec<Option<f32>> = vec![None; self.paths[0].num_frames()];
        for (path, contacts) in self.paths.iter().zip(&self.contacts.feet) {
            for contact in &contacts.toe {
                let mean = path.toe[contact.clone()].iter().map(|toe| toe.y).sum::<f64>()
                    / contact.len().max(1) as f64;
                for height in &mut heights[contact.clone()] {
                    *height = Some(height.map_or(mean as f32, |other| other.min(mean as f32)));
                }
            }
        }
        fill(&heights)
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
    }
}
