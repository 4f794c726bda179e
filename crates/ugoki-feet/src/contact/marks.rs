//! Where feet stood, for pictures and footprints.

use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootMark;
use ugoki_base::skeleton::Side;

use super::detect::Contacts;
use super::feet::find_feet;

/// Contacts this far under the floor, metres, are on a level of their own: a low stair rises 0.12 m, and errors of
/// captured feet reach 0.09 m.
const LOWER_M: f32 = 0.10;

/// The lowest ground that a foot stood on: the floor, or that of marks well below it.
#[must_use]
pub fn lowest_ground(contacts: &Contacts, marks: &[FootMark]) -> f32 {
    let floor = contacts.floor.height as f32;
    let heights = marks.iter().map(|mark| mark.height);
    heights.filter(|height| *height < floor - LOWER_M).fold(floor, f32::min)
}

/// Where each foot stood: its middle frame's place, from heel-strike to toe-off. Empty without known legs.
#[must_use]
pub fn foot_marks(clip: &Clip, contacts: &Contacts) -> Vec<FootMark> {
    let Ok(feet) = find_feet(clip.skeleton()) else { return Vec::new() };
    let mut marks = Vec::new();
    let floor = &contacts.floor;
    for (i, side) in [Side::Left, Side::Right].into_iter().enumerate() {
        let (foot, stood, flat_m) = (&feet.feet[i], &contacts.feet[i], contacts.flat_m[i]);
        for frames in stood.any() {
            let pose = clip.model_pose((frames.start + frames.end) / 2);
            let position = pose.positions[foot.ankle];
            let heading = foot.toe.position(&pose) - position;
            // Toes lift at heel-strike and stay down when the heel leaves, so their lowest place is the ground.
            // Feet of a body that lies point up, but their ankles are as low as the floor.
            let (mut toe_y, mut ankle_y) = (f64::INFINITY, f64::INFINITY);
            for frame in frames.clone() {
                let pose = clip.model_pose(frame);
                toe_y = toe_y.min(f64::from(foot.toe.position(&pose).y));
                ankle_y = ankle_y.min(f64::from(pose.positions[foot.ankle].y));
            }
            let under_ankle = (ankle_y - flat_m - floor.toe_clearance_m).max(floor.height);
            let height = (toe_y - floor.toe_clearance_m).min(under_ankle) as f32;
            marks.push(FootMark { frames, position, height, heading, side });
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactConfig, find_contacts};

    #[test]
    fn marks_know_the_ground_they_are_on() {
        for (name, levels) in [("walk", [0.0, 0.0]), ("step-up", [0.0, 0.17]), ("step-down", [0.17, 0.0])] {
            let clip = ugoki_sample::clip(name).unwrap();
            let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
            let mut marks = foot_marks(&clip, &contacts);
            marks.sort_by_key(|mark| mark.frames.start);
            for (mark, level) in [(&marks[0], levels[0]), (&marks[marks.len() - 1], levels[1])] {
                // Contact heights of the sample body are found to a centimetre.
                assert!((mark.height - level).abs() < 0.012, "{name}: {} instead of {level}", mark.height);
            }
        }
    }
}
