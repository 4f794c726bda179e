//! Paths of the joints of a leg.

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_feet::contact::{Feet, Foot};

/// One foot of one clip in the world.
pub(super) struct FootTrack {
    pub(super) ankle: Vec<DVec3>,
    pub(super) toe: Vec<DVec3>,
    /// Of the ankle joint in the world.
    pub(super) rotation: Vec<DQuat>,
    pub(super) hip: Vec<DVec3>,
    pub(super) knee: Vec<DVec3>,
}

impl FootTrack {
    /// Both feet of a clip.
    pub(super) fn both(clip: &Clip, feet: &Feet) -> [Self; 2] {
        let empty = || Self {
            ankle: Vec::new(),
            toe: Vec::new(),
            rotation: Vec::new(),
            hip: Vec::new(),
            knee: Vec::new(),
        };
        let mut tracks = [empty(), empty()];
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut model = ModelPose::default();
        for frame in 0..clip.num_frames() {
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(clip.skeleton(), &pose, &mut model);
            tracks.iter_mut().zip(&feet.feet).for_each(|(track, foot)| track.push(&model, foot));
        }
        tracks
    }

    fn push(&mut self, model: &ModelPose, foot: &Foot) {
        self.ankle.push(model.positions[foot.ankle].as_dvec3());
        self.toe.push(foot.toe.position(model).as_dvec3());
        self.rotation.push(model.rotations[foot.ankle].as_dquat().normalize());
        self.hip.push(model.positions[foot.upper].as_dvec3());
        self.knee.push(model.positions[foot.lower].as_dvec3());
    }

    /// The same foot moved frame by frame.
    pub(super) fn shifted(mut self, shift: &[DVec3]) -> Self {
        for path in [&mut self.ankle, &mut self.toe, &mut self.hip, &mut self.knee] {
            path.iter_mut().zip(shift).for_each(|(p, shift)| *p += *shift);
        }
        self
    }

    /// Heel (judged by the ankle) or toe.
    pub(super) fn point(&self, heel: bool) -> &[DVec3] {
        if heel { &self.ankle } else { &self.toe }
    }
}
