//! Knees bent back, as captures have straight ones, brought to their leg's side where it is changed.
//!
//! A knee captured a few degrees past straight must bend forward once its leg is made shorter than that allows. Decided frame by
//! frame it flips to and fro; decided for the whole leg, a straight leg is the limit of both sides and nothing jumps.

use glam::Vec3;
use ugoki_base::bend_axes::{OTHER_WAY, bend_poles};
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};

use super::legs::{face_knee, knee_bend};
use crate::contact::{Feet, Foot};

/// Which way the knees of a motion bend, and whether they are brought there; with room for one frame.
pub(super) struct Knees {
    legs: [Option<Foot>; 2],
    /// Where each knee goes when it bends, in its thigh's frame.
    poles: [Vec3; 2],
    pose: Pose,
    model: ModelPose,
}

impl Knees {
    /// Of a motion's frames; only legs that are `changed` are brought to their side.
    pub(super) fn build<'a>(
        clip: &Clip,
        poses: impl IntoIterator<Item = &'a ModelPose>,
        feet: &Feet,
        changed: [bool; 2],
    ) -> Self {
        let [left, right, ..] = bend_poles(clip);
        let poles = [left, right].map(|pole| pole.unwrap_or(Vec3::Z));
        let mut backs = [0.0_f32; 2];
        if changed != [false; 2] {
            for pose in poses {
                for ((foot, back), pole) in feet.feet.iter().zip(&mut backs).zip(poles) {
                    let bend = knee_bend(pose, foot, pole);
                    *back = back.max(-bend);
                }
            }
        }
        // A knee bent farther the wrong way is no straight one with noise: its thigh is twisted now and then, and turning it round would show.
        let faced = |side: usize| changed[side] && backs[side] > 0.0 && f64::from(backs[side]) < OTHER_WAY;
        Self {
            legs: [0, 1].map(|side| faced(side).then_some(feet.feet[side])),
            poles,
            pose: Pose::rest(clip.skeleton()),
            model: ModelPose::default(),
        }
    }

    /// Where each knee goes when it bends, in its thigh's frame.
    pub(super) fn poles(&self) -> [Vec3; 2] {
        self.poles
    }

    /// Brings the knees of one frame to their side, the whole way or a fraction of it, and gives the pose as it then is. Ankles and feet
    /// stay; `pose` is the frame's own.
    pub(super) fn face<'a>(
        &'a mut self,
        clip: &mut Clip,
        frame: usize,
        pose: &'a ModelPose,
        fraction: f32,
    ) -> &'a ModelPose {
        let mut turned = false;
        for ((foot, pole), outward) in self.legs.iter().zip(self.poles).zip([1.0, -1.0]) {
            let Some(foot) = foot else { continue };
            turned |= face_knee(clip, frame, pose, foot, pole, (fraction, outward));
        }
        if !turned {
            return pose;
        }
        clip.pose_into(frame, &mut self.pose);
        forward_kinematics_into(clip.skeleton(), &self.pose, &mut self.model);
        &self.model
    }
}

/// Brings the knees of a whole motion to their side.
pub fn face_knees(clip: &mut Clip, feet: &Feet) {
    let poses = clip.model_poses();
    let motion = clip.motion_frames();
    let mut knees = Knees::build(clip, &poses[motion.clone()], feet, [true; 2]);
    if knees.legs.iter().all(Option::is_none) {
        return;
    }
    for frame in motion {
        knees.face(clip, frame, &poses[frame], 1.0);
    }
    clip.align_signs();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactConfig, Contacts, find_contacts, find_feet};
    use crate::feet::{PlantConfig, plant_feet};
    use glam::Quat;
    use proptest::prelude::*;
    use ugoki_base::no_progress;
    use ugoki_testing::walker::Walk;

    /// Someone who stands, knees bent back by so many degrees, and whose whole body bobs by so much to and fro.
    fn stander(back_deg: f32, bob_m: f32) -> Clip {
        let mut clip = Walk { speed_m_s: 0.0, ..Walk::default() }.clip(60.0);
        let feet = find_feet(clip.skeleton()).unwrap();
        let half = back_deg.to_radians() / 2.0;
        for frame in 0..clip.num_frames() {
            let t = frame as f32 / 60.0;
            let bob = bob_m * ((9.0 * t).sin() + 0.5 * (31.0 * t).sin());
            // The walker's ankles are 8 cm over the ground, its thighs and shins 43 cm long.
            clip.root_mut().set(frame, Vec3::Y * (0.08 + 0.86 * half.cos() + bob));
            for foot in &feet.feet {
                clip.set_rotation(foot.upper, frame, Quat::from_rotation_x(half));
                clip.set_rotation(foot.lower, frame, Quat::from_rotation_x(-2.0 * half));
                clip.set_rotation(foot.ankle, frame, Quat::from_rotation_x(half));
            }
        }
        clip
    }

    /// How far each knee is ahead of the line from its hip to its ankle, metres; negative behind.
    fn ahead(pose: &ModelPose, feet: &Feet) -> [f32; 2] {
        feet.feet.each_ref().map(|foot| {
            let [hip, knee, ankle] = [foot.upper, foot.lower, foot.ankle].map(|joint| pose.positions[joint]);
            let line = (ankle - hip).normalize();
            let way = knee - hip;
            (way - line * way.dot(line)).z
        })
    }

    fn held(clip: &Clip) -> Contacts {
        let mut contacts = find_contacts(clip, &ContactConfig::default()).unwrap();
        for foot in &mut contacts.feet {
            foot.heel = std::iter::once(0..clip.num_frames()).collect();
            foot.toe = foot.heel.clone();
        }
        contacts
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Held still, a body that bobs bends its knees to and fro; the knee never leaps from behind its leg's line before it.
        #[test]
        fn knees_captured_past_straight_do_not_flip(back_deg in 1.0..8.0_f32, bob_m in 0.0005..0.002_f32) {
            let clip = stander(back_deg, bob_m);
            let feet = find_feet(clip.skeleton()).unwrap();
            prop_assert!(ahead(&clip.model_pose(0), &feet).iter().all(|z| *z < -1e-3));
            let planted = plant_feet(&clip, &held(&clip), &PlantConfig::default(), &mut no_progress()).unwrap();
            let knees: Vec<[f32; 2]> = planted.clip.model_poses().iter().map(|pose| ahead(pose, &feet)).collect();
            for pair in knees.windows(2) {
                for side in 0..2 {
                    // The body's own bob takes the knees along by 4 mm a frame at most; a flip is 15 to 60.
                    prop_assert!((pair[1][side] - pair[0][side]).abs() < 0.008, "{:?}", pair);
                    prop_assert!(pair[0][side] > -1e-3, "{:?}", pair);
                }
            }
        }
    }

    #[test]
    fn legs_that_nothing_changes_keep_their_bits_and_legs_bent_far_back_their_side() {
        let mut clip = stander(5.0, 0.0);
        let feet = find_feet(clip.skeleton()).unwrap();
        let (before, poses) = (clip.clone(), clip.model_poses());
        let mut knees = Knees::build(&clip, &poses, &feet, [false, true]);
        for (frame, pose) in poses.iter().enumerate() {
            let ankles = feet.feet.each_ref().map(|foot| pose.positions[foot.ankle]);
            let faced = knees.face(&mut clip, frame, pose, 1.0);
            for (foot, ankle) in feet.feet.iter().zip(ankles) {
                assert!(faced.positions[foot.ankle].distance(ankle) < 1e-5);
            }
            let [left, right] = ahead(faced, &feet);
            assert!(left < -1e-3 && right > 1e-3, "{left} {right}");
            assert_eq!(clip.rotation(feet.feet[0].lower, frame), before.rotation(feet.feet[0].lower, frame));
        }
        // Knees that bend back by 60° somewhere are a bird's, and stay so.
        let (bird, mut far) = (stander(60.0, 0.0), stander(5.0, 0.0));
        for frame in 30..far.num_frames() {
            far.set_pose(frame, &bird.pose(frame));
        }
        let kept = far.clone();
        face_knees(&mut far, &feet);
        assert_eq!(far, kept);
    }
}
