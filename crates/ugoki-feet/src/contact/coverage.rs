//! How much of the contacts that a detector finds in a motion is covered by given labels.
//!
//! A detector labels a heel or toe from when it touches the ground until it leaves it: landing and rolling off are contact, and the joint
//! above still moves by centimetres. Edits that hold feet write narrower labels: the frames in which heel or toe truly stand, and are
//! held to a tenth of a millimetre.

use serde::Serialize;

use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;

use super::{ContactConfig, find_contacts};

/// How contacts that are held compare with those found in the same motion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ContactCoverage {
    /// Frames in which a heel or toe is held, counted once for each.
    pub held_frames: usize,
    /// Frames in which the detector finds a heel or toe on the ground in the result, counted the same way.
    pub found_frames: usize,
    /// Ratio of the found frames that are held.
    pub of_found: f64,
    /// Ratio of the held frames that are found: near 1 when both mean the same feet.
    pub of_held: f64,
}

impl ContactCoverage {
    /// Compares labels with what is found in their clip; `None` without legs or labels.
    #[must_use]
    pub fn measure(clip: &Clip, labels: &[FootContacts; 2]) -> Option<Self> {
        let found = find_contacts(clip, &ContactConfig::default()).ok()?;
        let (mut held_frames, mut found_frames, mut both) = (0, 0, 0);
        for (ours, theirs) in labels.iter().zip(&found.feet) {
            for (ours, theirs) in [(&ours.heel, &theirs.heel), (&ours.toe, &theirs.toe)] {
                held_frames += ours.iter().map(ExactSizeIterator::len).sum::<usize>();
                found_frames += theirs.iter().map(ExactSizeIterator::len).sum::<usize>();
                for a in ours {
                    for b in theirs {
                        both += a.end.min(b.end).saturating_sub(a.start.max(b.start));
                    }
                }
            }
        }
        let ratio = |of: usize| both as f64 / of.max(1) as f64;
        (held_frames > 0).then(|| Self {
            held_frames,
            found_frames,
            of_found: ratio(found_frames),
            of_held: ratio(held_frames),
        })
    }
}

impl std::fmt::Display for ContactCoverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "feet are held in {:.0} % of the frames in which heel or toe touch the ground, not where they land and roll off",
            100.0 * self.of_found
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_wholly_held_by_its_own_labels_and_not_by_half_of_them() {
        let clip = ugoki_sample::clip("walk").unwrap();
        let found = find_contacts(&clip, &ContactConfig::default()).unwrap();
        let all = ContactCoverage::measure(&clip, &found.feet).unwrap();
        assert_eq!((all.of_found, all.of_held, all.held_frames), (1.0, 1.0, all.found_frames));
        let mut half = found.feet.clone();
        half[0] = FootContacts { heel: Vec::new(), toe: Vec::new() };
        let half = ContactCoverage::measure(&clip, &half).unwrap();
        assert!(half.of_held == 1.0 && half.of_found > 0.3 && half.of_found < 0.7, "{half:?}");
        let none = FootContacts { heel: Vec::new(), toe: Vec::new() };
        assert_eq!(ContactCoverage::measure(&clip, &[none.clone(), none]), None);
    }
}
