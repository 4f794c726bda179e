//! The performer's own pose on the actor's body: what is shown of movements that were not learned.

use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{slerp, swing_twist};
use ugoki_base::pose::{ModelPose, Pose};
use ugoki_base::skeleton::Skeleton;
use ugoki_motion::retarget::{Retarget, RetargetScratch, Stance, build_retarget, retarget_pose_into};

use super::playhead::Place;

/// How fast the weight of the actor follows its target, 1/s: half in 0.17 s.
const FADE: f32 = 10.0;

/// Shows performer, actor, or something between.
#[derive(Debug, Clone)]
pub(super) struct PerformerPose {
    actor: Stance,
    map: Option<Retarget>,
    scratch: RetargetScratch,
    /// The performer's joints; those that are not seen stay as they were.
    local: Pose,
    own: Pose,
    place: Place,
    /// Weight of the actor and how fast it changes; none before the first frame.
    weight: Option<f32>,
    rate: f32,
}

impl PerformerPose {
    /// For actors like `actor`; `None` when its body cannot be shown in another pose.
    pub(super) fn build(actor: &Clip, performer: &Arc<Skeleton>) -> Option<Self> {
        let empty = || Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut shown = Self {
            actor: Stance::from_clip(actor).ok()?,
            map: None,
            scratch: RetargetScratch::default(),
            local: empty(),
            own: empty(),
            place: Place::IDENTITY,
            weight: None,
            rate: 0.0,
        };
        shown.change_body(performer, Stance::from_rest(performer).ok().as_ref());
        Some(shown)
    }

    /// Continues with a performer of another body.
    pub(super) fn change_body(&mut self, performer: &Arc<Skeleton>, stance: Option<&Stance>) {
        self.map = stance.and_then(|stance| build_retarget(stance, &self.actor).ok());
        self.local = Pose::rest(performer);
        if self.map.is_some() {
            // Room for every joint before the first frame.
            self.retarget();
        }
    }

    /// Whether the performer can be shown.
    pub(super) fn is_possible(&self) -> bool {
        self.map.is_some()
    }

    fn retarget(&mut self) {
        if let Some(map) = &self.map {
            retarget_pose_into(map, &self.local, &mut self.scratch, &mut self.own);
        }
    }

    /// Mixes the actor's pose `shown` with the performer's; `amount` is what the actor's weight becomes. Gives where the actor
    /// has to be put so that it stays with a performer that is mostly shown.
    pub(super) fn mix(
        &mut self,
        skeleton: &Skeleton,
        body: &ModelPose,
        amount: f32,
        seconds: f32,
        shown: &mut Pose,
    ) -> Option<Place> {
        let target = amount.clamp(0.0, 1.0);
        let weight = match self.weight {
            None => target,
            Some(weight) => {
                // Critically damped, exact for any step.
                let decay = (-FADE * seconds).exp();
                let behind = weight - target;
                let y = self.rate + FADE * behind;
                self.rate = (self.rate - y * FADE * seconds) * decay;
                target + (behind + y * seconds) * decay
            }
        };
        self.weight = Some(weight);
        let fits = self.actor.skeleton().num_joints() == shown.rotations.len()
            && body.rotations.len() == self.local.rotations.len();
        if weight > 0.999 || self.map.is_none() || !fits {
            return None;
        }
        if body.positions.first().is_some_and(|p| p.is_finite()) {
            self.local.root = body.positions[0];
        }
        for joint in 0..skeleton.num_joints() {
            let above = skeleton.parent(joint).map_or(Quat::IDENTITY, |parent| body.rotations[parent]);
            let local = above.conjugate() * body.rotations[joint];
            if local.is_finite() && body.positions[joint].is_finite() {
                self.local.rotations[joint] = local.normalize();
            }
        }
        self.retarget();
        let moved = if weight >= 0.5 {
            self.place = Place::between(&self.own, root_of(shown));
            None
        } else {
            let (root, facing) = root_of(&self.own);
            Some(Place::between(shown, (self.place.turn * root + self.place.shift, self.place.turn * facing)))
        };
        self.place.apply(&mut self.own);
        if let Some(place) = moved {
            place.apply(shown);
        }
        shown.root = self.own.root.lerp(shown.root, weight);
        for (q, own) in shown.rotations.iter_mut().zip(&self.own.rotations) {
            *q = slerp(*own, *q, weight).normalize();
        }
        moved
    }
}

/// Where a body's hips are and how they are turned.
fn root_of(pose: &Pose) -> (Vec3, Quat) {
    (pose.root, pose.rotations.first().copied().unwrap_or(Quat::IDENTITY))
}

impl Place {
    /// Nothing turned or moved.
    pub(super) const IDENTITY: Self = Self { turn: Quat::IDENTITY, shift: Vec3::ZERO };

    /// Puts the hips of `pose` over a root, facing alike.
    fn between(pose: &Pose, (root, facing): (Vec3, Quat)) -> Self {
        let (own, own_facing) = root_of(pose);
        let turn = swing_twist(facing * own_facing.conjugate(), Vec3::Y).1;
        let moved = turn * own;
        Self { turn, shift: Vec3::new(root.x - moved.x, 0.0, root.z - moved.z) }
    }

    /// This after another.
    pub(super) fn after(&self, first: &Self) -> Self {
        Self { turn: (self.turn * first.turn).normalize(), shift: self.turn * first.shift + self.shift }
    }
}
