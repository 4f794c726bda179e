//! Frames in which a capture's hips jump away and back over standing feet.
//!
//! A marker of the pelvis that is mistaken for one or two frames turns and shifts the hips, and the feet with them. Feet that are then held
//! still leave the whole jump to the knees.

use std::borrow::Cow;
use std::ops::Range;

use glam::DVec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::slerp;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_feet::contact::{Contacts, Feet};
use ugoki_feet::feet::glitches;

/// The clip with such frames put between their neighbours, and how many; only frames in which a foot stands are looked at. Hips that travel
/// by more than a quarter of the jump in a frame hide it ([`glitches`]).
pub(in crate::edit) fn without_hip_glitches<'a>(
    clip: &'a Clip,
    contacts: &Contacts,
    feet: &Feet,
) -> (Cow<'a, Clip>, usize) {
    let motion = clip.motion_frames();
    let (mut pose, mut model) = (Pose::rest(clip.skeleton()), ModelPose::default());
    let mut paths = [Vec::with_capacity(motion.len()), Vec::with_capacity(motion.len())];
    for frame in motion.clone() {
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(clip.skeleton(), &pose, &mut model);
        for (path, foot) in paths.iter_mut().zip(&feet.feet) {
            path.push(model.positions[foot.upper].as_dvec3());
        }
    }
    let [left, right] = paths.each_ref().map(|path: &Vec<DVec3>| glitches(path, clip.fps(), feet.scale()));
    let mut runs: Vec<Range<usize>> = Vec::new();
    for frame in motion.clone() {
        let at = frame - motion.start;
        if !(left[at] || right[at]) || !contacts.feet.iter().any(|foot| foot.touches(frame)) {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == frame => run.end += 1,
            _ => runs.push(frame..frame + 1),
        }
    }
    runs.retain(|run| run.start > motion.start && run.end < motion.end);
    if runs.is_empty() {
        return (Cow::Borrowed(clip), 0);
    }
    let mut out = clip.clone();
    for run in &runs {
        let (before, after) = (run.start - 1, run.end);
        for frame in run.clone() {
            let share = (frame - before) as f32 / (after - before) as f32;
            out.root_mut().set(frame, clip.root().get(before).lerp(clip.root().get(after), share));
            for joint in 0..clip.num_joints() {
                let (p, q) = (clip.rotation(joint, before), clip.rotation(joint, after));
                out.set_rotation(joint, frame, slerp(p, q, share));
            }
        }
    }
    out.align_signs();
    out.set_source(None);
    (Cow::Owned(out), runs.iter().map(Range::len).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};
    use ugoki_feet::contact::{ContactConfig, find_contacts, find_feet};
    use ugoki_testing::walker::Walk;

    #[test]
    fn hips_that_jump_over_standing_feet_are_put_back_and_nothing_else_changes() {
        let clip = Walk { speed_m_s: 0.0, ..Walk::default() }.clip(120.0);
        let feet = find_feet(clip.skeleton()).unwrap();
        let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
        let (same, none) = without_hip_glitches(&clip, &contacts, &feet);
        assert!(none == 0 && *same == clip);
        let frame = clip.num_frames() / 2;
        let mut jumps = clip.clone();
        jumps.root_mut().set(frame, clip.root().get(frame) + Vec3::new(0.008, -0.006, 0.0));
        jumps.set_rotation(0, frame, Quat::from_rotation_z(0.08) * clip.rotation(0, frame));
        let (steady, mended) = without_hip_glitches(&jumps, &contacts, &feet);
        assert_eq!(mended, 1);
        for other in 0..clip.num_frames() {
            let (a, b) = (clip.model_pose(other), steady.model_pose(other));
            let apart = a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(apart < if other == frame { 2e-3 } else { 1e-6 }, "frame {other}: {apart} m");
        }
    }
}
