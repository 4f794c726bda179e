//! What to do with a character's travel over the ground.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::{Clip, RotationTracks, Translation, VectorTrack};
use crate::math::swing_twist;
use crate::skeleton::{Joint, Skeleton};

/// What becomes of the travel of joint 0 over the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootMotion {
    /// The hips travel, as captured.
    #[default]
    Keep,
    /// A joint `root` on the ground above the hips travels and turns; the hips move relative to it.
    Extract,
    /// No travel and no turning: the character moves on the spot it starts on.
    InPlace,
}

impl Clip {
    /// The clip with its travel over the ground kept, moved into a ground-level `root` joint, or removed.
    ///
    /// Travel is the path of joint 0 in the ground plane and its turning about the vertical, both
    /// relative to the first frame of the motion.
    #[must_use]
    pub fn with_root_motion(&self, mode: RootMotion) -> Self {
        match mode {
            RootMotion::Keep => self.clone(),
            RootMotion::Extract => self.extracted(),
            RootMotion::InPlace => self.in_place(),
        }
    }

    /// Ground position and heading of every frame; headings relative to the first frame of the motion.
    fn travel(&self) -> Vec<(Vec3, Quat)> {
        let first = self.motion_frames().start.min(self.num_frames().saturating_sub(1));
        if self.num_frames() == 0 {
            return Vec::new();
        }
        let start = self.rotation(0, first);
        (0..self.num_frames())
            .map(|frame| {
                let p = self.root.get(frame);
                let turned = self.rotation(0, frame) * start.conjugate();
                (Vec3::new(p.x, 0.0, p.z), swing_twist(turned, Vec3::Y).1)
            })
            .collect()
    }

    fn in_place(&self) -> Self {
        let mut clip = self.clone();
        let travel = self.travel();
        let first = self.motion_frames().start;
        for frame in self.motion_frames() {
            let (_, heading) = travel[frame];
            let place = travel[first].0;
            clip.root.set(frame, place + Vec3::Y * self.root.get(frame).y);
            clip.set_rotation(0, frame, (heading.conjugate() * self.rotation(0, frame)).normalize());
        }
        clip.align_signs();
        clip
    }

    fn extracted(&self) -> Self {
        let old = &self.skeleton;
        let mut joints = vec![Joint::new(free_name(old), None, Vec3::ZERO)];
        joints.extend(old.joints().iter().map(|joint| {
            let parent = Some(joint.parent.map_or(0, |parent| parent + 1));
            Joint { parent, ..joint.clone() }
        }));
        let skeleton: Arc<Skeleton> = match Skeleton::build(joints) {
            Ok(skeleton) => skeleton,
            // A valid skeleton under one more root is valid.
            Err(error) => unreachable!("{error}"),
        };
        let travel = self.travel();
        let mut rotations = RotationTracks::identity(skeleton.num_joints(), self.num_frames());
        let mut hips = VectorTrack::constant(Vec3::ZERO, self.num_frames());
        for (frame, &(place, heading)) in travel.iter().enumerate() {
            rotations.set(0, frame, heading);
            for joint in 0..self.num_joints() {
                rotations.set(joint + 1, frame, self.rotation(joint, frame));
            }
            let back = heading.conjugate();
            rotations.set(1, frame, (back * self.rotation(0, frame)).normalize());
            hips.set(frame, back * (self.root.get(frame) - place));
        }
        let mut translations = vec![Translation { joint: 1, track: hips }];
        translations.extend(
            self.translations.iter().map(|t| Translation { joint: t.joint + 1, track: t.track.clone() }),
        );
        let mut clip = Self {
            name: self.name.clone(),
            tags: self.tags.clone(),
            tpose_frame: self.tpose_frame,
            skeleton,
            fps: self.fps,
            root: travel.iter().map(|(place, _)| *place).collect(),
            rotations,
            translations,
            source: None,
            source_start: 0,
        };
        clip.align_signs();
        clip
    }
}

/// `root`, or `root-2`, `root-3` … where the skeleton has that name.
fn free_name(skeleton: &Skeleton) -> String {
    let mut name = String::from("root");
    let mut number = 1;
    while skeleton.joints().iter().any(|joint| joint.name.eq_ignore_ascii_case(&name)) {
        number += 1;
        name = format!("root-{number}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::angle_between;

    /// Two joints that walk a circle while bobbing and leaning.
    fn circling() -> Clip {
        let joints = vec![Joint::new("hips", None, Vec3::Y), Joint::new("spine", Some(0), Vec3::Y)];
        let mut clip = Clip::at_rest(Skeleton::build(joints).unwrap(), 30.0, 40).unwrap();
        for frame in 0..40 {
            let a = frame as f32 * 0.1;
            clip.root_mut().set(frame, Vec3::new(a.sin(), 1.0 + 0.05 * (7.0 * a).sin(), a.cos()));
            clip.set_rotation(0, frame, Quat::from_rotation_y(a + 0.3) * Quat::from_rotation_x(0.2));
        }
        clip.align_signs();
        clip
    }

    #[test]
    fn extraction_moves_no_joint_in_the_world() {
        let clip = circling();
        let extracted = clip.with_root_motion(RootMotion::Extract);
        assert_eq!(extracted.skeleton().joint(0).name, "root");
        for frame in 0..clip.num_frames() {
            let (a, b) = (clip.model_pose(frame), extracted.model_pose(frame));
            assert_eq!(b.positions[0].y, 0.0);
            for joint in 0..2 {
                assert!((a.positions[joint] - b.positions[joint + 1]).length() < 1e-5);
                assert!(angle_between(a.rotations[joint], b.rotations[joint + 1]) < 1e-5);
            }
        }
    }

    #[test]
    fn in_place_keeps_height_and_lean_and_loses_travel() {
        let clip = circling();
        let still = clip.with_root_motion(RootMotion::InPlace);
        for frame in 0..clip.num_frames() {
            let p = still.root().get(frame);
            assert_eq!((p.x, p.z), (clip.root().get(0).x, clip.root().get(0).z));
            assert_eq!(p.y, clip.root().get(frame).y);
            assert!(angle_between(still.rotation(0, frame), clip.rotation(0, 0)) < 1e-5);
        }
    }
}
