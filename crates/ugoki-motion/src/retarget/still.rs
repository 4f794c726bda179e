//! Feet that no contact was found of although they stand: still, and hardly higher than the floor.
//!
//! A contact bears the body: it is among the lowest points. Where a capture has one foot some centimetres higher than the other all
//! the time, only the lower one bears, and the other would hang over the target's floor.

use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::{FootContacts, runs};
use ugoki_feet::contact::{Contacts, find_feet};
use ugoki_feet::feet::FootPath;
use ugoki_feet::feet::config::{STEP_M, STILL_M_S};

/// Shortest time that a still foot stands, seconds: no swinging foot rests for so long.
const LONG_S: f64 = 0.5;

/// Adds heel and toe contacts where a foot without any is still near the floor.
pub(super) fn add_still_feet(clip: &Clip, standing: &mut Contacts) {
    let Ok(feet) = find_feet(clip.skeleton()) else { return };
    let (fps, scale, motion) = (clip.fps(), feet.scale(), clip.motion_frames());
    if motion.is_empty() {
        return;
    }
    for (path, found) in FootPath::both(clip, &feet).into_iter().zip(&mut standing.feet) {
        if !found.any().is_empty() {
            continue;
        }
        let path = path.starting_at(motion.start);
        let stands = |frame: usize| {
            let toe = path.toe[frame];
            let floor = standing.floor.height_at(toe.x, toe.z) + standing.floor.toe_clearance_m;
            let still = |heel: bool| path.velocity(heel, frame, fps).length() <= STILL_M_S * scale;
            toe.y - floor <= STEP_M * scale && still(true) && still(false)
        };
        let mut runs = runs(motion.clone(), stands);
        runs.retain(|run| run.len() as f64 >= LONG_S * fps);
        *found = FootContacts { heel: runs.clone(), toe: runs };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;
    use ugoki_feet::contact::{ContactConfig, find_contacts};
    use ugoki_testing::walker::Walk;

    /// Contacts of one who stands with the left foot so much higher, as found and with still feet added.
    fn standing(lift_left_m: f64) -> (Clip, Contacts, Contacts) {
        let clip = Walk { speed_m_s: 0.0, lift_left_m, ..Walk::default() }.clip(60.0);
        let found = find_contacts(&clip, &ContactConfig::default()).unwrap();
        let mut added = found.clone();
        add_still_feet(&clip, &mut added);
        (clip, found, added)
    }

    #[test]
    fn a_still_foot_a_little_higher_stands_and_a_lifted_one_does_not() {
        let (clip, found, added) = standing(0.045);
        assert!(found.feet[0].toe.is_empty(), "{:?}", found.feet);
        let frames: usize = added.feet[0].toe.iter().map(Range::len).sum();
        assert!(10 * frames > 9 * clip.num_frames(), "{frames} of {}", clip.num_frames());
        assert_eq!((&added.feet[0].heel, &added.feet[1]), (&added.feet[0].toe, &found.feet[1]));
        let (_, found, added) = standing(0.1);
        assert_eq!(added, found);
        assert!(added.feet[0].toe.is_empty());
    }

    #[test]
    fn of_a_walk_only_its_stances_are_added() {
        let walk = Walk { speed_m_s: 0.6, ..Walk::default() };
        let clip = walk.clip(60.0);
        let mut contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
        let truth = std::mem::take(&mut contacts.feet[0]);
        add_still_feet(&clip, &mut contacts);
        for run in &contacts.feet[0].toe {
            assert!(truth.toe.iter().any(|on| on.start <= run.start && run.end <= on.end), "{run:?}");
        }
    }
}
