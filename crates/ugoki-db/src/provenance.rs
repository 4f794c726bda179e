//! Contacts that a file marks: kept as they were given, in frames of the clip as it came, so that deriving again and
//! exporting do not replace them by what the program finds.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;

use crate::Error;

/// Left foot, right foot.
pub(crate) type Feet = [FootContacts; 2];

#[derive(Serialize, Deserialize)]
struct FeetText {
    left: FootText,
    right: FootText,
}

#[derive(Serialize, Deserialize)]
struct FootText {
    heel: Vec<[usize; 2]>,
    toe: Vec<[usize; 2]>,
}

/// As the database keeps them.
pub(crate) fn to_text(feet: &Feet) -> Result<String, Error> {
    let list = |ranges: &[Range<usize>]| ranges.iter().map(|range| [range.start, range.end]).collect();
    let foot = |foot: &FootContacts| FootText { heel: list(&foot.heel), toe: list(&foot.toe) };
    let text = FeetText { left: foot(&feet[0]), right: foot(&feet[1]) };
    serde_json::to_string(&text).map_err(|error| Error::Unfit { detail: error.to_string() })
}

/// What [`to_text`] wrote about a clip of `frames` frames.
pub(crate) fn from_text(text: &str, frames: usize) -> Result<Feet, Error> {
    let damaged = |detail: String| Error::damaged(format!("the contacts given with a clip: {detail}"));
    let text: FeetText = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
    let list = |pairs: Vec<[usize; 2]>| -> Result<Vec<Range<usize>>, Error> {
        let mut last = 0;
        let mut ranges = Vec::with_capacity(pairs.len());
        for [start, end] in pairs {
            if start < last || start >= end || end > frames {
                return Err(damaged(format!(
                    "frames {start} to {end} of {frames} are none, or not in order"
                )));
            }
            last = end;
            ranges.push(start..end);
        }
        Ok(ranges)
    };
    let foot = |foot: FootText| -> Result<FootContacts, Error> {
        Ok(FootContacts { heel: list(foot.heel)?, toe: list(foot.toe)? })
    };
    Ok([foot(text.left)?, foot(text.right)?])
}

/// Contacts in frames of `source` as frames of `derived`, which begins with the source's motion: the nearest frames.
///
/// A contact shorter than half a frame there is gone.
pub(crate) fn on_derived(feet: &Feet, source: &Clip, derived: &Clip) -> Feet {
    let (start, ratio) = (source.motion_frames().start, derived.fps() / source.fps());
    let frame = |frame: usize| {
        ((frame.saturating_sub(start) as f64 * ratio).round() as usize).min(derived.num_frames())
    };
    let list = |ranges: &[Range<usize>]| -> Vec<Range<usize>> {
        ranges.iter().map(|r| frame(r.start)..frame(r.end)).filter(|range| !range.is_empty()).collect()
    };
    [0, 1].map(|side| FootContacts { heel: list(&feet[side].heel), toe: list(&feet[side].toe) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ranges in order within 100 frames.
    fn ranges() -> impl Strategy<Value = Vec<Range<usize>>> {
        prop::collection::btree_set(0..100usize, 0..12).prop_map(|ends| {
            let ends: Vec<usize> = ends.into_iter().collect();
            ends.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
        })
    }

    proptest! {
        #[test]
        fn texts_give_the_same_contacts_back(heel in ranges(), toe in ranges()) {
            let feet = [FootContacts { heel: heel.clone(), toe: toe.clone() }, FootContacts { heel: toe, toe: heel }];
            prop_assert_eq!(from_text(&to_text(&feet).unwrap(), 100).unwrap(), feet);
        }

        /// Frames stay in order and inside, and the same rate changes nothing.
        #[test]
        fn frames_at_another_rate_are_in_order(heel in ranges(), fps in 10.0..240.0f64) {
            let source = ugoki_sample::clip("walk").unwrap().trimmed(0..100).unwrap();
            let feet = [FootContacts { heel, toe: Vec::new() }, FootContacts::default()];
            prop_assert_eq!(on_derived(&feet, &source, &source), feet.clone());
            let derived = source.resampled(fps).unwrap();
            let moved = on_derived(&feet, &source, &derived);
            prop_assert!(moved[0].heel.windows(2).all(|pair| pair[0].end <= pair[1].start));
            prop_assert!(moved[0].heel.iter().all(|range| !range.is_empty() && range.end <= derived.num_frames()));
        }
    }

    #[test]
    fn hostile_texts_are_refused() {
        let foot =
            |heel: &str| format!(r#"{{"left":{{"heel":{heel},"toe":[]}},"right":{{"heel":[],"toe":[]}}}}"#);
        assert!(from_text(&foot("[[0,5],[5,9]]"), 10).is_ok());
        for bad in ["[[5,5]]", "[[0,11]]", "[[4,6],[5,8]]", "[[3,1]]", "[[-1,4]]", "7"] {
            assert!(from_text(&foot(bad), 10).is_err(), "{bad}");
        }
        assert!(from_text("", 10).is_err());
    }
}
