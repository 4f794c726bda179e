//! Legs of one motion under the hips of another: feet stay where the first has them.

use glam::{DVec3, Quat};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::pose::ModelPose;
use ugoki_base::{Cancelled, Progress, report};

use super::config::REPORT_EVERY;
use super::solve::{FeetSolution, FootShift, HipsConfig, grip};
use crate::contact::Feet;

/// Bends the legs of `clip` so that ankles are where `walker` has them, feet turned as its and knees bent to the same side; hips give way smoothly where a
/// leg would change much or not reach. `contacts` tell when the walker's feet stand; those are met exactly. Gives the largest shift of the hips, metres.
///
/// The clip has the walker's local turns below the hip joints already, on the same skeleton, frame by frame.
///
/// # Errors
/// When the caller asks to stop.
pub fn put_legs_under(
    clip: &mut Clip,
    walker: &Clip,
    feet: &Feet,
    contacts: &[FootContacts; 2],
    progress: Progress<'_>,
) -> Result<f64, Cancelled> {
    let frames = clip.num_frames().min(walker.num_frames());
    let mut poses: Vec<ModelPose> = Vec::with_capacity(frames);
    let mut shifts = [0, 1].map(|side: usize| FootShift {
        shift: Vec::with_capacity(frames),
        turn: vec![DVec3::ZERO; frames],
        grip: grip(&contacts[side], frames, clip.fps()),
        led: vec![1.0; frames],
    });
    for frame in 0..frames {
        if frame % REPORT_EVERY == 0 {
            report(progress, 0.4 * frame as f32 / frames as f32)?;
        }
        let wanted = walker.model_pose(frame);
        let own = clip.model_pose(frame);
        for foot in &feet.feet {
            let parent = clip.skeleton().parent(foot.upper);
            let above = parent.map_or(Quat::IDENTITY, |parent| own.rotations[parent]);
            let turned = above.conjugate() * wanted.rotations[foot.upper];
            clip.set_rotation(foot.upper, frame, turned.normalize());
        }
        let pose = clip.model_pose(frame);
        let away = |ankle: usize| (wanted.positions[ankle] - pose.positions[ankle]).as_dvec3();
        for (foot, shifts) in feet.feet.iter().zip(&mut shifts) {
            shifts.shift.push(away(foot.ankle));
        }
        poses.push(pose);
    }
    let hips = HipsConfig { exact: true, ..HipsConfig::default() };
    let solution = FeetSolution::solve(&poses, feet, shifts, vec![1.0; frames], hips, clip.fps());
    report(progress, 0.5)?;
    solution.apply(clip, &poses, feet, &mut |part| progress(0.5 + 0.5 * part))?;
    Ok(solution.hips_m())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactConfig, find_contacts, find_feet};
    use proptest::prelude::*;
    use std::ops::ControlFlow;
    use ugoki_base::math::angle_between;
    use ugoki_base::no_progress;
    use ugoki_testing::walker::Walk;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// A pelvis that tilts, rolls and turns as it likes over the legs of a walk: standing feet stay within a millimetre, feet keep their turn.
        #[test]
        fn feet_stay_under_whatever_hips(tilt in -0.4..0.4_f32, roll in -0.15..0.15_f32, yaw in -0.2..0.2_f32, hz in 0.2..1.0_f32) {
            let walker = Walk::default().clip(60.0);
            let feet = find_feet(walker.skeleton()).unwrap();
            let contacts = find_contacts(&walker, &ContactConfig::default()).unwrap();
            let mut clip = walker.clone();
            for frame in 0..clip.num_frames() {
                let t = (std::f32::consts::TAU * hz * frame as f32 / 60.0).sin();
                let q = Quat::from_rotation_y(yaw * t) * Quat::from_rotation_x(tilt * t) * Quat::from_rotation_z(roll * t);
                clip.set_rotation(0, frame, q * walker.rotation(0, frame));
            }
            let moved = put_legs_under(&mut clip, &walker, &feet, &contacts.feet, &mut no_progress()).unwrap();
            prop_assert!(moved < 0.1, "hips by {moved} m");
            for frame in 0..clip.num_frames() {
                let (now, own) = (clip.model_pose(frame), walker.model_pose(frame));
                for (foot, contacts) in feet.feet.iter().zip(&contacts.feet) {
                    let off = now.positions[foot.ankle].distance(own.positions[foot.ankle]);
                    // Legs in the air may stay a little short of straight.
                    prop_assert!(off < if contacts.touches(frame) { 1e-3 } else { 0.03 }, "frame {frame}: {off} m");
                    // 0.1°: f32 through a chain of five joints and an arc cosine.
                    prop_assert!(angle_between(now.rotations[foot.ankle], own.rotations[foot.ankle]) < 2e-3);
                }
            }
        }
    }

    #[test]
    fn under_its_own_hips_a_leg_hardly_changes() {
        let walker = Walk::default().clip(60.0);
        let feet = find_feet(walker.skeleton()).unwrap();
        let contacts = find_contacts(&walker, &ContactConfig::default()).unwrap();
        let mut clip = walker.clone();
        put_legs_under(&mut clip, &walker, &feet, &contacts.feet, &mut no_progress()).unwrap();
        for frame in 0..clip.num_frames() {
            let (now, own) = (clip.model_pose(frame), walker.model_pose(frame));
            for (p, q) in now.positions.iter().zip(&own.positions) {
                assert!(p.distance(*q) < 1e-4, "frame {frame}");
            }
        }
        let stop = put_legs_under(&mut clip, &walker, &feet, &contacts.feet, &mut |_| ControlFlow::Break(()));
        assert_eq!(stop, Err(Cancelled));
    }
}
