//! A walker with known stances, for tests: feet flat in stance, minimum-jerk swings, legs solved in closed form.

use std::ops::Range;
use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Role, Skeleton};

/// Thigh and shin, metres.
const BONE: f64 = 0.43;
/// Height of the ankle over the ground with a flat foot, metres.
const ANKLE: f64 = 0.08;
/// Seconds of standing before the first step.
const BEFORE: f64 = 0.5;
/// Seconds per step.
const STEP: f64 = 0.55;
/// Seconds a swing takes.
const SWING: f64 = 0.42;
/// Steps in all.
const STEPS: usize = 8;

/// What the walker does; the defaults walk on level ground along +Z.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    /// Speed along +Z, metres per second.
    pub speed_m_s: f64,
    /// Height gained with every step.
    pub rise_m: f64,
    /// The left foot is held this high; only with speed 0.
    pub lift_left_m: f64,
    /// Length of a ballistic jump that begins at 1 s; only with speed 0.
    pub jump_s: f64,
}

impl Default for Walk {
    fn default() -> Self {
        Self { speed_m_s: 1.2, rise_m: 0.0, lift_left_m: 0.0, jump_s: 0.0 }
    }
}

/// Joints of the walker: hips, spine, head, legs, feet and toes.
#[must_use]
pub fn skeleton_joints() -> Vec<Joint> {
    let mut joints = vec![Joint::new("hips", None, Vec3::new(0.0, 0.94, 0.0))];
    joints[0].role = Some(Role::Hips);
    let mut add = |name: &str, parent: usize, offset: Vec3, role: Role| {
        joints.push(Joint { role: Some(role), ..Joint::new(name, Some(parent), offset) });
        joints.len() - 1
    };
    let spine = add("spine", 0, Vec3::new(0.0, 0.2, 0.0), Role::Spine);
    add("head", spine, Vec3::new(0.0, 0.4, 0.0), Role::Head);
    for (side, x) in [("left", 0.09), ("right", -0.09)] {
        let role = |name: &str| Role::from_name(&format!("{side}{name}")).unwrap();
        let down = Vec3::new(0.0, -BONE as f32, 0.0);
        let upper = add(&format!("{side}Up"), 0, Vec3::new(x, 0.0, 0.0), role("UpperLeg"));
        let lower = add(&format!("{side}Low"), upper, down, role("LowerLeg"));
        let foot = add(&format!("{side}Foot"), lower, down, role("Foot"));
        add(&format!("{side}Toes"), foot, Vec3::new(0.0, -0.05, 0.13), role("Toes"));
    }
    for joint in &mut joints {
        if joint.name.ends_with("Toes") {
            joint.tips = vec![Vec3::new(0.0, -0.01, 0.06)];
        }
    }
    joints
}

impl Walk {
    /// When and from where to where step `k` swings.
    fn swing(k: usize) -> (f64, f64) {
        let start = BEFORE + k as f64 * STEP;
        (start, start + SWING)
    }

    /// Ankle (height over its flat height, z) of one side.
    fn foot(&self, side: usize, t: f64) -> (f64, f64) {
        let length = self.speed_m_s * STEP;
        let (mut z, mut y) = (0.0, 0.0);
        if self.speed_m_s > 0.0 {
            for k in (0..STEPS).filter(|k| k % 2 == side) {
                let (start, end) = Self::swing(k);
                let to = length * (k + 1) as f64;
                let up = self.rise_m * (k + 1) as f64;
                let s = ((t - start) / (end - start)).clamp(0.0, 1.0);
                let ease = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
                if s > 0.0 {
                    let (from_z, from_y) = (z, y);
                    z = from_z + (to - from_z) * ease;
                    y = from_y
                        + (up - from_y) * ease
                        + (0.1 + self.rise_m) * (16.0 * s * s * (1.0 - s) * (1.0 - s));
                }
            }
        } else if side == 0 {
            y += self.lift_left_m;
        }
        (y + self.jump_height(t), z)
    }

    fn jump_height(&self, t: f64) -> f64 {
        let s = t - 1.0;
        if self.jump_s > 0.0 && s > 0.0 && s < self.jump_s { 0.5 * 9.81 * s * (self.jump_s - s) } else { 0.0 }
    }

    /// True stances of one side.
    pub fn stances(&self, side: usize, fps: f64) -> Vec<Range<usize>> {
        let total = self.num_frames(fps);
        let mut stances = Vec::new();
        let mut from = 0;
        for k in (0..STEPS).filter(|k| k % 2 == side) {
            let (start, end) = Self::swing(k);
            stances.push(from..(start * fps).ceil() as usize);
            from = (end * fps).floor() as usize;
        }
        stances.push(from..total);
        stances
    }

    fn num_frames(&self, fps: f64) -> usize {
        ((2.0 * BEFORE + STEPS as f64 * STEP) * fps) as usize
    }

    /// The walk as a clip.
    ///
    /// # Panics
    /// If `fps` is not a positive finite number.
    #[must_use]
    pub fn clip(&self, fps: f64) -> Clip {
        let skeleton: Arc<Skeleton> = Skeleton::build(skeleton_joints()).unwrap();
        let poses: Vec<Pose> =
            (0..self.num_frames(fps)).map(|f| self.pose(&skeleton, f as f64 / fps)).collect();
        Clip::from_poses(skeleton, fps, &poses).unwrap()
    }

    fn pose(&self, skeleton: &Skeleton, t: f64) -> Pose {
        let mut pose = Pose::rest(skeleton);
        let feet = [self.foot(0, t), self.foot(1, t)];
        let z = 0.5 * (feet[0].1 + feet[1].1);
        let low = if self.speed_m_s > 0.0 {
            // Hips follow the mean of the feet's ground without their swing's arc.
            let s = ((t - BEFORE) / (STEPS as f64 * STEP)).clamp(0.0, 1.0);
            self.rise_m * STEPS as f64 * s - 1.2 * self.rise_m
        } else {
            self.jump_height(t)
        };
        let hips_y = ANKLE + 0.92 * 2.0 * BONE - 0.03 * self.speed_m_s + low;
        pose.root = Vec3::new(0.0, hips_y as f32, z as f32);
        for (side, &(y, foot_z)) in feet.iter().enumerate() {
            let (dy, dz) = (hips_y - (ANKLE + y), foot_z - z);
            let d = dy.hypot(dz);
            assert!(d < 1.999 * BONE, "the walker's leg does not reach at {t} s");
            let half = (0.5 * d / BONE).acos();
            // Turning about +X by φ sends −Y towards −Z; the knee goes forward.
            let thigh = -dz.atan2(dy) - half;
            let base = 3 + 4 * side;
            pose.rotations[base] = Quat::from_rotation_x(thigh as f32);
            pose.rotations[base + 1] = Quat::from_rotation_x((2.0 * half) as f32);
            pose.rotations[base + 2] = Quat::from_rotation_x(-(thigh + 2.0 * half) as f32);
        }
        pose
    }
}

/// The clip turned about the vertical through the origin, then shifted.
pub fn moved(clip: &Clip, by: Vec3, yaw: f32) -> Clip {
    let turn = Quat::from_rotation_y(yaw);
    let mut out = clip.clone();
    for frame in 0..clip.num_frames() {
        out.root_mut().set(frame, turn * clip.root().get(frame) + by);
        out.set_rotation(0, frame, turn * clip.rotation(0, frame));
    }
    out
}

/// The mirror image in x: offsets and motion reflected, roles of the two sides exchanged.
pub fn mirrored(clip: &Clip) -> Clip {
    let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
    let joints = clip.skeleton().joints().iter().map(|joint| Joint {
        offset: flip(joint.offset),
        tips: joint.tips.iter().map(|&tip| flip(tip)).collect(),
        role: joint.role.map(Role::mirrored),
        ..joint.clone()
    });
    let skeleton = Skeleton::build(joints.collect()).unwrap();
    let poses: Vec<Pose> = (0..clip.num_frames())
        .map(|frame| {
            let mut pose = clip.pose(frame);
            pose.root = flip(pose.root);
            for q in &mut pose.rotations {
                *q = Quat::from_xyzw(q.x, -q.y, -q.z, q.w);
            }
            pose
        })
        .collect();
    Clip::from_poses(skeleton, clip.fps(), &poses).unwrap()
}
