//! How the actor is shown: between frames, at a pace that does not jerk, and over jumps without a pop.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{exp, log};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};

/// Stiffness with which the place that is shown follows the place that is meant, 1/s. At a steady rate, which is known, it is
/// not behind.
const FOLLOW: f64 = 20.0;
/// Greatest rate at which the actor is played, either way, as a multiple of the actor's own.
const MAX_PACE: f64 = 4.0;
/// A place farther off than this, seconds of the actor's time, is reached by a jump: half a short movement. Nearer, and a fast
/// movement would be jumped about in; farther, and racing there jerks (0.1 to 0.4 s in docs/results/perform.md).
const JUMP_S: f64 = 0.2;
/// Stiffness of what is left of a jump, 1/s: half of it is gone after 0.17 s, nine tenths after 0.39 s.
const SETTLE: f32 = 10.0;
/// Fastest that what is left of a jump may set out with, radians (metres for the root) per second: a fast arm's.
const MAX_RATE: f32 = 15.0;

/// Shows an actor's clips. Poses go in and out by the caller's buffers.
#[derive(Debug, Clone)]
pub(super) struct Playhead {
    /// The motion that is shown, the place in it in frames, and frames per second.
    motion: Option<usize>,
    at: f64,
    rate: f64,
    place: Place,
    /// The last two poses shown and the seconds between them.
    last: Pose,
    before: Pose,
    step: f64,
    /// The actor's pose, and a second one to mix with it.
    target: Pose,
    other: Pose,
    /// Where the joints are in the pose shown and in the one jumped to.
    bodies: [ModelPose; 2],
    /// What is left of jumps and how it moves: rotation vectors, the root's last.
    left: Vec<Vec3>,
    rates: Vec<Vec3>,
}

/// Where a motion is put: turned about the vertical, then moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) turn: Quat,
    pub(super) shift: Vec3,
}

impl Playhead {
    /// For clips of up to `joints` joints.
    pub(super) fn build(joints: usize) -> Self {
        let pose = || Pose {
            root: Vec3::ZERO,
            rotations: Vec::with_capacity(joints),
            translations: Vec::with_capacity(joints),
        };
        let body =
            || ModelPose { positions: vec![Vec3::ZERO; joints], rotations: vec![Quat::IDENTITY; joints] };
        Self {
            motion: None,
            at: 0.0,
            rate: 0.0,
            place: Place { turn: Quat::IDENTITY, shift: Vec3::ZERO },
            last: pose(),
            before: pose(),
            step: 0.0,
            target: pose(),
            other: pose(),
            bodies: [body(), body()],
            left: vec![Vec3::ZERO; joints + 1],
            rates: vec![Vec3::ZERO; joints + 1],
        }
    }

    /// The place that is shown, frames of the clip.
    pub(super) fn at(&self) -> f64 {
        self.at
    }

    /// The motion that is shown.
    pub(super) fn motion(&self) -> Option<usize> {
        self.motion
    }

    /// Goes on by `seconds` towards frame `meant` of `clip`, the clip of `motion`, which goes on at `pace` frames per second, and
    /// writes the pose to show.
    pub(super) fn show(
        &mut self,
        motion: usize,
        clip: &Clip,
        [meant, pace]: [f64; 2],
        seconds: f64,
        out: &mut Pose,
    ) {
        let frames = clip.motion_frames();
        let (first, end) = (frames.start as f64, (frames.end.max(frames.start + 1) - 1) as f64);
        let meant = meant.clamp(first, end);
        let dt = seconds.clamp(1e-4, 1.0);
        let same = self.motion == Some(motion);
        if !same || (meant - self.at - self.rate * dt).abs() > JUMP_S * clip.fps() {
            self.jump(clip, [meant, pace], first, dt);
        }
        self.motion = Some(motion);
        // Critically damped, exact for any step.
        let decay = (-FOLLOW * dt).exp();
        let behind = self.at - (meant - pace * dt);
        let faster = self.rate - pace;
        let y = faster + FOLLOW * behind;
        let before = self.at;
        self.at = meant + (behind + y * dt) * decay;
        let most = MAX_PACE * clip.fps();
        self.rate = (pace + (faster - y * FOLLOW * dt) * decay).clamp(-most, most);
        self.at = self.at.clamp(before - most * dt, before + most * dt).clamp(first, end);
        pose_at(clip, self.at, &mut self.other, &mut self.target);
        self.place.apply(&mut self.target);
        self.settle(dt as f32);
        std::mem::swap(&mut self.before, &mut self.last);
        self.step = dt;
        self.last.root = self.target.root + self.left.last().copied().unwrap_or(Vec3::ZERO);
        self.last.rotations.clear();
        let turned = self.target.rotations.iter().zip(&self.left);
        self.last.rotations.extend(turned.map(|(q, left)| (exp(*left) * *q).normalize()));
        self.last.translations.clear();
        self.last.translations.extend_from_slice(&self.target.translations);
        out.root = self.last.root;
        out.rotations.clear();
        out.rotations.extend_from_slice(&self.last.rotations);
        out.translations.clear();
        out.translations.extend_from_slice(&self.last.translations);
    }

    /// Puts the actor elsewhere from now on, with all that is remembered of what was shown.
    pub(super) fn carry(&mut self, by: &Place) {
        self.place = by.after(&self.place);
        by.apply(&mut self.last);
        by.apply(&mut self.before);
        if let Some(root) = self.left.last_mut() {
            *root = by.turn * *root;
        }
        if let Some(root) = self.rates.last_mut() {
            *root = by.turn * *root;
        }
    }

    /// Puts the actor, a moment before `meant`, where the character stands and faces; what differs from the pose shown last,
    /// and from how it moves, is left to settle.
    fn jump(&mut self, clip: &Clip, [meant, pace]: [f64; 2], first: f64, dt: f64) {
        let known = self.motion.is_some();
        self.rate = pace;
        self.at = (meant - pace * dt).max(first);
        pose_at(clip, self.at, &mut self.other, &mut self.target);
        if !known || self.last.rotations.len() != self.target.rotations.len() {
            self.left.fill(Vec3::ZERO);
            self.rates.fill(Vec3::ZERO);
            return;
        }
        self.place = place_onto(clip.skeleton(), &self.target, &self.last, &mut self.bodies);
        self.place.apply(&mut self.target);
        let moving = self.before.rotations.len() == self.last.rotations.len() && self.step > 0.0;
        let per_s = if moving { (1.0 / self.step) as f32 } else { 0.0 };
        let root = self.left.len() - 1;
        for joint in 0..self.target.rotations.len().min(root) {
            let last = self.last.rotations[joint];
            self.left[joint] = log((last * self.target.rotations[joint].conjugate()).normalize());
            self.rates[joint] = Vec3::ZERO;
            if moving {
                let turned = log((last * self.before.rotations[joint].conjugate()).normalize());
                self.rates[joint] = turned * per_s;
            }
        }
        self.left[root] = self.last.root - self.target.root;
        self.rates[root] = if moving { (self.last.root - self.before.root) * per_s } else { Vec3::ZERO };
        // Less what the new motion brings itself.
        pose_at(clip, self.at + pace * dt, &mut self.other, &mut self.before);
        self.place.apply(&mut self.before);
        for joint in 0..self.target.rotations.len().min(root) {
            let turn = self.before.rotations[joint] * self.target.rotations[joint].conjugate();
            self.rates[joint] -= log(turn.normalize()) / dt as f32;
        }
        self.rates[root] -= (self.before.root - self.target.root) / dt as f32;
        for rate in &mut self.rates {
            *rate = rate.clamp_length_max(MAX_RATE);
        }
    }

    /// Critically damped way of what is left of jumps to nothing, exact for any step.
    fn settle(&mut self, dt: f32) {
        let decay = (-SETTLE * dt).exp();
        for (x, v) in self.left.iter_mut().zip(&mut self.rates) {
            let y = *v + *x * SETTLE;
            *x = (*x + y * dt) * decay;
            *v = (*v - y * SETTLE * dt) * decay;
        }
    }
}

/// The clip's pose between frames, by way of `other`.
fn pose_at(clip: &Clip, frame: f64, other: &mut Pose, out: &mut Pose) {
    let last = clip.num_frames() - 1;
    let low = (frame.max(0.0) as usize).min(last);
    let fraction = (frame - low as f64).clamp(0.0, 1.0) as f32;
    clip.pose_into(low, out);
    if fraction == 0.0 || low == last {
        return;
    }
    clip.pose_into(low + 1, other);
    out.root = out.root.lerp(other.root, fraction);
    for (a, b) in out.rotations.iter_mut().zip(&other.rotations) {
        *a = a.slerp(if a.dot(*b) < 0.0 { -*b } else { *b }, fraction).normalize();
    }
    for ((_, a), (_, b)) in out.translations.iter_mut().zip(&other.translations) {
        *a = a.lerp(*b, fraction);
    }
}

/// The ground place at which `target` faces as `shown` does and stands where it stands: with the foot that is lower in both,
/// or without feet with the hips. Put by the hips, the foot on the ground would slide by what the poses differ.
fn place_onto(skeleton: &Skeleton, target: &Pose, shown: &Pose, bodies: &mut [ModelPose; 2]) -> Place {
    let (Some(a), Some(b)) = (target.rotations.first(), shown.rotations.first()) else {
        return Place { turn: Quat::IDENTITY, shift: Vec3::ZERO };
    };
    let turn = ugoki_base::math::swing_twist(*b * a.conjugate(), Vec3::Y).1;
    let (mut from, mut onto) = (target.root, shown.root);
    let feet = [Role::LeftFoot, Role::RightFoot].map(|role| skeleton.find(role));
    if let [Some(left), Some(right)] = feet {
        forward_kinematics_into(skeleton, target, &mut bodies[0]);
        forward_kinematics_into(skeleton, shown, &mut bodies[1]);
        let height = |foot: usize| bodies[0].positions[foot].y + bodies[1].positions[foot].y;
        let foot = if height(left) <= height(right) { left } else { right };
        (from, onto) = (bodies[0].positions[foot], bodies[1].positions[foot]);
    }
    let moved = turn * from;
    Place { turn, shift: Vec3::new(onto.x - moved.x, 0.0, onto.z - moved.z) }
}

impl Place {
    pub(super) fn apply(&self, pose: &mut Pose) {
        pose.root = self.turn * pose.root + self.shift;
        if let Some(root) = pose.rotations.first_mut() {
            *root = (self.turn * *root).normalize();
        }
    }
}

#[cfg(test)]
mod tests;
