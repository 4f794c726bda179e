//! Feet that no contact was found of although they stand: still, and hardly higher than the floor.
//!
//! A contact bears the body: it is among the lowest points. Where a capture has one foot some centimetres higher than the other all
//! the time, only the lower one bears, and the other would hang over the target's floor.

use std::ops::Range;

use glam::DVec3;
use ugoki_base::clip::Clip;
use ugoki_feet::contact::{Contacts, find_feet};
use ugoki_feet::feet::config::{SPEED_HALF_S, STEP_M, STILL_M_S};

use super::hold::point_paths;

/// Shortest time that a still foot stands, seconds: no swinging foot rests for so long.
const LONG_S: f64 = 0.5;

/// Adds heel and toe contacts where a foot without any is still near the floor.
pub(super) fn add_still_feet(clip: &Clip, standing: &mut Contacts) {
    let Ok(feet) = find_feet(clip.skeleton()) else { return };
    let (fps, scale, motion) = (clip.fps(), feet.scale(), clip.motion_frames());
    let lacking = |side: usize| standing.feet[side].heel.is_empty() && standing.feet[side].toe.is_empty();
    let sides: Vec<usize> = (0..2).filter(|&side| lacking(side)).collect();
    if sides.is_empty() || motion.is_empty() {
        return;
    }
    let paths = point_paths(clip, &feet);
    let half = ((SPEED_HALF_S * fps).round() as usize).max(1);
    let still = |path: &[DVec3], frame: usize| {
        let (from, to) = (frame.saturating_sub(half).max(motion.start), (frame + half).min(motion.end - 1));
        (path[to] - path[from]).length() * fps <= STILL_M_S * scale * (to - from).max(1) as f64
    };
    for side in sides {
        let [ankle, toe] = [&paths[2 * side], &paths[2 * side + 1]];
        let mut runs: Vec<Range<usize>> = Vec::new();
        for frame in motion.clone() {
            let floor = standing.floor.height_at(toe[frame].x, toe[frame].z) + standing.floor.toe_clearance_m;
            if toe[frame].y - floor > STEP_M * scale || !still(ankle, frame) || !still(toe, frame) {
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.end == frame => run.end += 1,
                _ => runs.push(frame..frame + 1),
            }
        }
        runs.retain(|run| run.len() as f64 >= LONG_S * fps);
        (standing.feet[side].heel, standing.feet[side].toe) = (runs.clone(), runs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
