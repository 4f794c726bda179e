//! Weights of facial expressions: clips with and without them.

use std::borrow::Cow;

use glam::Vec3;

use super::{Clip, RotationTracks, Translation, VectorTrack};
use crate::skeleton::{Joint, Skeleton, SkeletonError};

impl Clip {
    /// The weight of an expression in every frame, from 0 to 1; `None` where the skeleton has no such expression.
    ///
    /// What bends tracks may lead a little beyond full and none; those weights are full and none here.
    #[must_use]
    pub fn expression(&self, name: &str) -> Option<Vec<f32>> {
        let joint = self.skeleton.find_expression(name)?;
        Some((0..self.num_frames()).map(|frame| self.expression_weight(joint, frame)).collect())
    }

    /// [`Clip::expression`] by joint and frame.
    pub fn expression_weight(&self, joint: usize, frame: usize) -> f32 {
        self.local_position(joint, frame).x.clamp(0.0, 1.0)
    }

    /// The same motion with more expressions, each with its weight in every frame.
    ///
    /// # Errors
    /// Never for a skeleton that was built; names are not compared.
    ///
    /// # Panics
    /// If an expression does not have one weight per frame.
    pub fn with_expressions(&self, faces: &[(String, Vec<f32>)]) -> Result<Self, SkeletonError> {
        let skeleton = self.skeleton.with_expressions(faces.iter().map(|(name, _)| name.as_str()))?;
        let (before, frames) = (self.num_joints(), self.num_frames());
        let mut rotations = RotationTracks::identity(skeleton.num_joints(), frames);
        for joint in 0..before {
            (0..frames).for_each(|frame| rotations.set(joint, frame, self.rotations.get(joint, frame)));
        }
        let mut clip = Self { skeleton, rotations, ..self.clone() };
        for (at, (_, weights)) in faces.iter().enumerate() {
            assert_eq!(weights.len(), frames, "one weight per frame");
            // An expression that never shows needs no track.
            if weights.iter().any(|&weight| weight != 0.0) {
                let track: VectorTrack = weights.iter().map(|&weight| Vec3::X * weight).collect();
                clip.translations.push(Translation { joint: before + at, track });
            }
        }
        Ok(clip)
    }

    /// The body alone, for what has no room for a face.
    #[must_use]
    pub fn without_expressions(&self) -> Cow<'_, Self> {
        if self.skeleton.expressions().next().is_none() {
            return Cow::Borrowed(self);
        }
        let kept: Vec<usize> =
            (0..self.num_joints()).filter(|&joint| !self.skeleton.joint(joint).is_expression).collect();
        // Nothing hangs from an expression, so every parent is among those that stay.
        let place = |joint: usize| kept.partition_point(|&other| other < joint);
        let joints = kept.iter().map(|&joint| {
            let old = self.skeleton.joint(joint);
            Joint { parent: old.parent.map(place), ..old.clone() }
        });
        let skeleton = match Skeleton::build(joints.collect()) {
            Ok(skeleton) => skeleton,
            Err(error) => unreachable!("{error}"),
        };
        let frames = self.num_frames();
        let mut rotations = RotationTracks::identity(kept.len(), frames);
        for (to, &from) in kept.iter().enumerate() {
            (0..frames).for_each(|frame| rotations.set(to, frame, self.rotations.get(from, frame)));
        }
        let body = self.translations.iter().filter(|t| !self.skeleton.joint(t.joint).is_expression);
        let translations =
            body.map(|t| Translation { joint: place(t.joint), track: t.track.clone() }).collect();
        // The channels of a source are numbered by joints; where those stay what they were, the source does too.
        let same = kept.iter().enumerate().all(|(to, &from)| to == from);
        let source = self.source.clone().filter(|_| same);
        Cow::Owned(Self { skeleton, rotations, translations, source, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use crate::no_progress;
    use glam::Quat;

    use super::*;
    use crate::skeleton::Role;

    /// A nodding head under a turning hip.
    fn body() -> Clip {
        let mut head = Joint::new("head", Some(0), Vec3::Y);
        head.role = Some(Role::Head);
        let skeleton = Skeleton::build(vec![Joint::new("hips", None, Vec3::Y), head]).unwrap();
        let mut clip = Clip::at_rest(skeleton, 30.0, 5).unwrap();
        (0..5).for_each(|frame| clip.set_rotation(1, frame, Quat::from_rotation_x(0.1 * frame as f32)));
        clip
    }

    fn face() -> Vec<(String, Vec<f32>)> {
        let weights = |from: f32| (0..5).map(|frame| from + 0.1 * frame as f32).collect();
        vec![("blinkLeft".to_owned(), weights(0.0)), ("blinkRight".to_owned(), weights(0.5))]
    }

    #[test]
    fn a_body_is_what_it_was_when_its_face_is_taken_off_again() {
        let clip = body();
        let faced = clip.with_expressions(&face()).unwrap();
        assert_eq!(faced.expression("blinkRight").unwrap(), face()[1].1);
        assert_eq!(faced.expression("head"), None);
        assert_eq!(*faced.without_expressions(), clip);
        assert_eq!(*clip.without_expressions(), clip);
    }

    #[test]
    fn a_weight_is_no_length_and_has_no_side_but_its_name() {
        let faced = body().with_expressions(&face()).unwrap();
        assert_eq!(faced.scaled(2.0).expression("blinkLeft"), faced.expression("blinkLeft"));
        let seen = faced.mirrored();
        assert_eq!(seen.expression("blinkLeft"), faced.expression("blinkRight"));
        assert_eq!(seen.mirrored(), faced);
    }

    #[test]
    fn joints_stand_as_they_did_without_a_face() {
        let (clip, faced) = (body(), body().with_expressions(&face()).unwrap());
        for frame in 0..5 {
            assert_eq!(faced.model_pose(frame).positions[..2], clip.model_pose(frame).positions);
        }
        assert_eq!(faced.joint_path(2), faced.joint_path(1));
        let packed = super::super::PackedClip::pack(&faced, &mut no_progress());
        let back = packed.unwrap().to_clip();
        for (name, weights) in face() {
            for (now, was) in back.expression(&name).unwrap().iter().zip(weights) {
                // The codec's 0.1 mm.
                assert!((now - was).abs() <= 1e-4, "{name}: {now} {was}");
            }
        }
    }
}
