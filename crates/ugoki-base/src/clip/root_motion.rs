//! What to do with a character's travel over the ground.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::{Clip, RotationTracks, Translation, VectorTrack};
use crate::ground::{GroundFrame, pose_heading, unwrapped};
use crate::pose::{ModelPose, Pose, forward_kinematics_into};
use crate::skeleton::{Joint, Skeleton};

/// Width σ of the smoothing of headings, seconds: a third of a gait cycle of about 1.1 s, whose swing it takes
/// down to a seventh, while a quarter turn in two steps keeps its shape.
const SMOOTHING_SECONDS: f64 = 0.35;

/// What becomes of the travel of joint 0 over the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
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
    /// Travel is the path of joint 0 in the ground plane and the turning of the body's heading, relative to the first
    /// frame of the motion. The heading is where hips and shoulders face, smoothed over a gait cycle: the hips'
    /// swing in each step stays with the hips.
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
        if self.num_frames() == 0 {
            return Vec::new();
        }
        let first = self.motion_frames().start.min(self.num_frames() - 1);
        let mut angles = self.headings();
        let smooth = smoothed(&angles[first..], self.fps);
        angles.truncate(first);
        angles.extend(smooth);
        let start = angles[first];
        angles
            .iter()
            .enumerate()
            .map(|(frame, angle)| {
                let p = self.root.get(frame);
                (Vec3::new(p.x, 0.0, p.z), Quat::from_rotation_y((angle - start) as f32))
            })
            .collect()
    }

    /// Heading of every frame, radians, without jumps by whole turns ([`crate::ground`]).
    #[must_use]
    pub fn headings(&self) -> Vec<f64> {
        let mut pose = Pose::rest(&self.skeleton);
        let mut model = ModelPose::default();
        unwrapped((0..self.num_frames()).map(|frame| {
            self.pose_into(frame, &mut pose);
            forward_kinematics_into(&self.skeleton, &pose, &mut model);
            pose_heading(&self.skeleton, &model)
        }))
    }

    /// Moves every frame over the ground; the identity changes no bit.
    pub fn carry(&mut self, by: &GroundFrame) {
        if *by == GroundFrame::HERE {
            return;
        }
        for frame in 0..self.num_frames() {
            self.root.set(frame, by.point(self.root.get(frame)));
        }
        // Every root joint stands in the world; joint 0 is the one that travels.
        for joint in
            (0..self.num_joints()).filter(|&joint| self.skeleton.parent(joint).is_none()).collect::<Vec<_>>()
        {
            for frame in 0..self.num_frames() {
                self.set_rotation(joint, frame, by.rotation(self.rotation(joint, frame)).normalize());
            }
        }
        self.align_signs();
        self.set_source(None);
    }

    /// A copy that is moved over the ground; see [`Clip::carry`].
    #[must_use]
    pub fn carried(&self, by: &GroundFrame) -> Self {
        let mut out = self.clone();
        out.carry(by);
        out
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

/// The angles without the swing of hips and shoulders in each step: at every frame the value of the line
/// fitted to its neighbours by least squares with weights exp(−t²/2σ²), so that steady turning stays exact up to
/// the ends. There, where neighbours are missing on one side, σ grows to twice its width to see as many.
fn smoothed(angles: &[f64], fps: f64) -> Vec<f64> {
    let narrow = SMOOTHING_SECONDS * fps;
    let fit = |frame: usize| {
        let to_end = frame.min(angles.len() - 1 - frame) as f64;
        let sigma = narrow * (2.0 - (to_end / (3.0 * narrow)).min(1.0));
        let reach = ((3.0 * sigma).ceil() as usize).min(angles.len());
        let (mut w, mut wt, mut wtt, mut wa, mut wta) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for other in frame.saturating_sub(reach)..(frame + reach + 1).min(angles.len()) {
            let t = other as f64 - frame as f64;
            let weight = (-0.5 * (t / sigma).powi(2)).exp();
            // Relative to the frame's own angle: many turns lose no digits.
            let a = angles[other] - angles[frame];
            w += weight;
            wt += weight * t;
            wtt += weight * t * t;
            wa += weight * a;
            wta += weight * t * a;
        }
        let det = w * wtt - wt * wt;
        // One frame, or neighbours without weight: there is nothing to fit.
        let at_zero = if det > 1e-12 * w * w { (wtt * wa - wt * wta) / det } else { wa / w };
        angles[frame] + at_zero
    };
    (0..angles.len()).map(fit).collect()
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

    /// Heading of every frame of an extracted root, degrees.
    fn headings(clip: &Clip) -> Vec<f32> {
        let extracted = clip.with_root_motion(RootMotion::Extract);
        let heading = |frame| {
            let q = extracted.rotation(0, frame);
            (2.0 * q.y.atan2(q.w)).to_degrees()
        };
        extracted.motion_frames().map(heading).collect()
    }

    #[test]
    fn swinging_hips_do_not_swing_the_root() {
        // A walk of 10 s at a cycle of 1.1 s whose hips swing 6 degrees each way, on a straight line.
        let mut clip = Clip::at_rest(circling().skeleton().clone(), 60.0, 600).unwrap();
        let swing = |frame: usize| 6.0 * (frame as f32 / 60.0 / 1.1 * std::f32::consts::TAU).sin();
        for frame in 0..600 {
            clip.set_rotation(0, frame, Quat::from_rotation_y(swing(frame).to_radians()));
        }
        // Away from the ends a seventh of the swing is left.
        let inner = &headings(&clip)[100..500];
        let most = inner.iter().copied().fold(f32::MIN, f32::max);
        let least = inner.iter().copied().fold(f32::MAX, f32::min);
        assert!(most - least < 2.0 * 6.0 / 6.0, "{least}..{most}");
        // The hips keep it.
        let still = clip.with_root_motion(RootMotion::InPlace);
        let kept = (100..500).map(|f| 2.0 * still.rotation(0, f).y.asin().to_degrees());
        let kept: Vec<f32> = kept.collect();
        let range =
            kept.iter().copied().fold(f32::MIN, f32::max) - kept.iter().copied().fold(f32::MAX, f32::min);
        assert!(range > 10.0, "{range}");
    }
}
