//! Clips: poses at a fixed rate on one skeleton.
//!
//! Storage is structure-of-arrays, joint by joint: the x of all frames of joint 0, then of joint 1,
//! and so on, and likewise y, z, w. A curve of one joint over time is four contiguous slices, which is
//! what filters, resampling and eight-wide code want; one frame's pose is gathered by [`Clip::pose_into`].

mod bytes;
mod change;
mod dropout;
mod expressions;
mod mirror;
mod packed;
mod reference_frame;
mod resample;
mod root_motion;
mod source;
mod time;
mod tracks;
mod transform;

use std::ops::Range;
use std::sync::Arc;

use glam::{Quat, Vec3};

use crate::Cancelled;
use crate::math::align_sign;
use crate::pose::{ModelPose, Pose, forward_kinematics_into};
use crate::skeleton::Skeleton;

pub use change::ClipChange;
pub use packed::{PackError, PackedClip, shell_error};
pub use root_motion::RootMotion;
pub use source::{ChannelKind, OffsetMode, Source, SourceChannel, UpAxis};
pub use time::{Span, Time, TimeError};
pub use tracks::{RotationTrack, RotationTracks, VectorTrack};

/// Why a clip cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClipError {
    /// The rate must be a positive finite number.
    #[error("a rate of {fps} frames per second is not possible, expected more than 0")]
    Rate {
        /// The rate given.
        fps: f64,
    },
    /// A range outside the clip or empty.
    #[error("frames {start}..{end} are not in a clip of {frames} frames")]
    Range {
        /// First frame wanted.
        start: usize,
        /// Frame after the last one wanted.
        end: usize,
        /// Frames there are.
        frames: usize,
    },
    /// The result would be unreasonably long.
    #[error("{frames:.0} frames would be made, more than {max}")]
    TooLong {
        /// Frames that would be made.
        frames: f64,
        /// The bound.
        max: usize,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The path of a joint other than joint 0 that leaves its rest offset.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// The joint.
    pub joint: usize,
    /// Its position in the parent's frame, metres.
    pub track: VectorTrack,
}

/// Poses at a fixed rate on one skeleton, with a name and tags.
#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    /// The file's stem or the user's name for it.
    pub name: String,
    /// Free words: `walk`, `loop`, `left`.
    pub tags: Vec<String>,
    /// Whether frame 0 is an added T-pose and not part of the capture (as CMU's BVH files have).
    pub tpose_frame: bool,
    skeleton: Arc<Skeleton>,
    fps: f64,
    root: VectorTrack,
    rotations: RotationTracks,
    translations: Vec<Translation>,
    source: Option<Arc<Source>>,
    /// Row of the source that is frame 0.
    source_start: usize,
}

impl Clip {
    /// A clip of `num_frames` rest poses.
    ///
    /// # Errors
    /// When `fps` is not a positive finite number.
    pub fn at_rest(skeleton: Arc<Skeleton>, fps: f64, num_frames: usize) -> Result<Self, ClipError> {
        if !(fps.is_finite() && fps > 0.0) {
            return Err(ClipError::Rate { fps });
        }
        let root = VectorTrack::constant(skeleton.joint(0).offset, num_frames);
        let rotations = RotationTracks::identity(skeleton.num_joints(), num_frames);
        Ok(Self {
            name: String::new(),
            tags: Vec::new(),
            tpose_frame: false,
            skeleton,
            fps,
            root,
            rotations,
            translations: Vec::new(),
            source: None,
            source_start: 0,
        })
    }

    /// A clip of these poses, quaternion signs made continuous.
    ///
    /// # Errors
    /// When `fps` is not a positive finite number.
    ///
    /// # Panics
    /// If a pose does not have one rotation per joint.
    pub fn from_poses(skeleton: Arc<Skeleton>, fps: f64, poses: &[Pose]) -> Result<Self, ClipError> {
        let mut clip = Self::at_rest(skeleton, fps, poses.len())?;
        for (frame, pose) in poses.iter().enumerate() {
            clip.set_pose(frame, pose);
        }
        clip.align_signs();
        Ok(clip)
    }

    /// A clip of whole tracks; for readers, which fill tracks faster than poses.
    ///
    /// # Errors
    /// When `fps` is not a positive finite number.
    ///
    /// # Panics
    /// If the tracks do not fit the skeleton or each other.
    pub fn from_tracks(
        skeleton: Arc<Skeleton>,
        fps: f64,
        root: VectorTrack,
        rotations: RotationTracks,
        mut translations: Vec<Translation>,
    ) -> Result<Self, ClipError> {
        assert_eq!(rotations.num_joints(), skeleton.num_joints(), "one rotation track per joint");
        assert_eq!(rotations.num_frames(), root.len(), "as many root positions as frames");
        assert!(
            translations.iter().all(|t| t.track.len() == root.len() && t.joint != 0),
            "translation tracks are for joints other than 0 and cover every frame"
        );
        translations.sort_by_key(|t| t.joint);
        let mut clip = Self::at_rest(skeleton, fps, 0)?;
        clip.root = root;
        clip.rotations = rotations;
        clip.translations = translations;
        Ok(clip)
    }

    /// The skeleton the poses are on.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Frames per second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// How many frames there are; may be 0.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.root.len()
    }

    /// How many joints there are.
    #[must_use]
    pub fn num_joints(&self) -> usize {
        self.skeleton.num_joints()
    }

    /// Length in seconds: frames divided by rate, each frame lasting one period.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.num_frames() as f64 / self.fps
    }

    /// The frames that belong to the motion: all but an added T-pose.
    #[must_use]
    pub fn motion_frames(&self) -> Range<usize> {
        usize::from(self.tpose_frame).min(self.num_frames())..self.num_frames()
    }

    /// Path of joint 0.
    #[must_use]
    pub fn root(&self) -> &VectorTrack {
        &self.root
    }

    /// Path of joint 0, to change.
    pub fn root_mut(&mut self) -> &mut VectorTrack {
        &mut self.root
    }

    /// All rotations.
    #[must_use]
    pub fn rotations(&self) -> &RotationTracks {
        &self.rotations
    }

    /// All rotations, to change; keep them unit and call [`Clip::align_signs`] after.
    pub fn rotations_mut(&mut self) -> &mut RotationTracks {
        &mut self.rotations
    }

    /// Paths of other joints that leave their rest offset, in joint order.
    #[must_use]
    pub fn translations(&self) -> &[Translation] {
        &self.translations
    }

    /// Paths of other joints, to change; their joints must stay as they are.
    pub fn translations_mut(&mut self) -> &mut [Translation] {
        &mut self.translations
    }

    /// What the file said, when the clip comes from a format that keeps it.
    #[must_use]
    pub fn source(&self) -> Option<&Arc<Source>> {
        self.source.as_ref()
    }

    /// The numbers the file gave for `frame`, one per channel of its [`Source`].
    #[must_use]
    pub fn source_row(&self, frame: usize) -> Option<&[f64]> {
        self.source.as_ref()?.row(self.source_start + frame)
    }

    /// Row of the file that is frame 0: more than 0 once frames were cut off in front.
    #[must_use]
    pub fn first_row(&self) -> usize {
        self.source_start
    }

    /// Attaches the file's own numbers, row 0 being frame 0, or drops them.
    pub fn set_source(&mut self, source: Option<Arc<Source>>) {
        self.source = source;
        self.source_start = 0;
    }

    /// Local rotation of `joint` at `frame`.
    ///
    /// # Panics
    /// If either is out of range; so do the other accessors by frame.
    #[must_use]
    pub fn rotation(&self, joint: usize, frame: usize) -> Quat {
        self.rotations.get(joint, frame)
    }

    /// Sets the local rotation of `joint` at `frame`.
    pub fn set_rotation(&mut self, joint: usize, frame: usize, q: Quat) {
        self.rotations.set(joint, frame, q);
    }

    /// Position of `joint` in its parent's frame at `frame` (joint 0: in the world), metres; of an expression the x is its
    /// weight.
    #[must_use]
    pub fn local_position(&self, joint: usize, frame: usize) -> Vec3 {
        if joint == 0 {
            return self.root.get(frame);
        }
        match self.translations.binary_search_by_key(&joint, |t| t.joint) {
            Ok(i) => self.translations[i].track.get(frame),
            Err(_) => self.skeleton.joint(joint).offset,
        }
    }

    /// Gathers one frame. Allocates only while `pose` is too small.
    pub fn pose_into(&self, frame: usize, pose: &mut Pose) {
        pose.root = self.root.get(frame);
        pose.rotations.clear();
        pose.rotations.extend((0..self.num_joints()).map(|joint| self.rotations.get(joint, frame)));
        pose.translations.clear();
        pose.translations.extend(self.translations.iter().map(|t| (t.joint, t.track.get(frame))));
    }

    /// One frame as a pose.
    #[must_use]
    pub fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        self.pose_into(frame, &mut pose);
        pose
    }

    /// Overwrites one frame. A joint that leaves its offset for the first time gets a track.
    pub fn set_pose(&mut self, frame: usize, pose: &Pose) {
        assert_eq!(pose.rotations.len(), self.num_joints(), "one rotation per joint");
        self.root.set(frame, pose.root);
        for (joint, &q) in pose.rotations.iter().enumerate() {
            self.rotations.set(joint, frame, q);
        }
        for &(joint, position) in &pose.translations {
            let place = match self.translations.binary_search_by_key(&joint, |t| t.joint) {
                Ok(i) => i,
                Err(i) => {
                    let rest = self.skeleton.joint(joint).offset;
                    let track = VectorTrack::constant(rest, self.num_frames());
                    self.translations.insert(i, Translation { joint, track });
                    i
                }
            };
            self.translations[place].track.set(frame, position);
        }
    }

    /// World positions and rotations of one frame.
    #[must_use]
    pub fn model_pose(&self, frame: usize) -> ModelPose {
        let mut out = ModelPose::default();
        forward_kinematics_into(&self.skeleton, &self.pose(frame), &mut out);
        out
    }

    /// World poses of all frames, in order.
    #[must_use]
    pub fn model_poses(&self) -> Vec<ModelPose> {
        (0..self.num_frames()).map(|frame| self.model_pose(frame)).collect()
    }

    /// World path of one joint over all frames.
    #[must_use]
    pub fn joint_path(&self, joint: usize) -> Vec<Vec3> {
        let mut chain = vec![joint];
        while let Some(parent) = self.skeleton.parent(chain[chain.len() - 1]) {
            chain.push(parent);
        }
        (0..self.num_frames())
            .map(|frame| {
                // From the joint outwards: carry the point into each ancestor's frame.
                let mut point = Vec3::ZERO;
                for &ancestor in chain.iter().filter(|&&joint| !self.skeleton.joint(joint).is_expression) {
                    point = self.local_position(ancestor, frame)
                        + if ancestor == joint { Vec3::ZERO } else { self.rotation(ancestor, frame) * point };
                }
                point
            })
            .collect()
    }

    /// Makes each joint's quaternions continuous in sign along the motion.
    pub fn align_signs(&mut self) {
        for joint in 0..self.num_joints() {
            for frame in 1..self.num_frames() {
                let before = self.rotations.get(joint, frame - 1);
                let q = self.rotations.get(joint, frame);
                let aligned = align_sign(q, before);
                if aligned != q {
                    self.rotations.set(joint, frame, aligned);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::Joint;

    fn arm() -> Arc<Skeleton> {
        let mut joints = vec![Joint::new("shoulder", None, Vec3::Y)];
        joints.push(Joint::new("elbow", Some(0), Vec3::X));
        joints.push(Joint::new("hand", Some(1), Vec3::X));
        Skeleton::build(joints).unwrap()
    }

    #[test]
    fn poses_come_back_as_they_were_set() {
        let mut pose = Pose::rest(&arm());
        pose.rotations[1] = Quat::from_rotation_z(0.5);
        pose.translations = vec![(2, Vec3::new(1.5, 0.0, 0.0))];
        let rest = Pose::rest(&arm());
        let clip = Clip::from_poses(arm(), 30.0, &[rest.clone(), pose.clone()]).unwrap();
        assert_eq!(clip.pose(1), pose);
        assert_eq!(clip.pose(0).rotations, rest.rotations);
        assert_eq!(clip.local_position(2, 0), Vec3::X);
        assert_eq!(clip.joint_path(2)[1], clip.model_pose(1).positions[2]);
        assert!((clip.seconds() - 2.0 / 30.0).abs() < 1e-12);
    }

    #[test]
    fn impossible_rates_are_refused() {
        for fps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Clip::at_rest(arm(), fps, 1).is_err());
        }
    }

    #[test]
    fn signs_are_continuous_after_building() {
        let mut poses = vec![Pose::rest(&arm()); 3];
        poses[1].rotations[0] = -Quat::IDENTITY;
        let clip = Clip::from_poses(arm(), 30.0, &poses).unwrap();
        assert_eq!(clip.rotation(0, 1), Quat::IDENTITY);
    }
}
