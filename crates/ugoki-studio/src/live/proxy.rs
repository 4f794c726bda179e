//! Between a performer's stream and a receiver: the actor's motion goes on, everything else passes through.

use std::sync::Arc;

use glam::Vec3;
use ugoki::live::{StreamFrame, encode_frame, encode_messages, skeleton_of, stream_pose_into};
use ugoki::perform::{Frame, Model, PerformError, RunConfig, Runner};
use ugoki::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki::retarget::{Retarget, RetargetError, RetargetScratch, Stance, build_retarget, retarget_pose_into};
use ugoki::skeleton::{Role, Skeleton};

/// Why a performance cannot go live.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProxyError {
    /// The performer does not fit the model.
    #[error(transparent)]
    Perform(#[from] PerformError),
    /// An actor cannot be shown on the standard body.
    #[error("the actor {actor:?} cannot be sent: {reason}")]
    Actor {
        /// The actor's motion.
        actor: String,
        /// Why.
        reason: RetargetError,
    },
}

/// One live performance. Poses go out on `shown`, a skeleton in T-pose as VMC wants.
pub struct Proxy {
    model: Model,
    shown: Arc<Skeleton>,
    maps: Vec<Retarget>,
    fps: f64,
    config: RunConfig,
    performer: Option<Performer>,
    scratch: RetargetScratch,
    actor: Pose,
    out: Pose,
}

/// What is known of the one who performs; begun anew when the stream's body changes.
struct Performer {
    skeleton: Arc<Skeleton>,
    runner: Runner,
    pose: Pose,
    body: ModelPose,
}

impl Proxy {
    /// `fps` is the performer's rate; `shown` the skeleton that is sent, in T-pose and facing +Z in rest.
    ///
    /// # Errors
    /// When an actor cannot be moved onto `shown`.
    pub fn build(
        model: Model,
        shown: &Arc<Skeleton>,
        fps: f64,
        config: RunConfig,
    ) -> Result<Self, ProxyError> {
        let mut maps = Vec::new();
        for motion in &model.motions {
            let unfit = |reason| ProxyError::Actor { actor: motion.name().to_owned(), reason };
            let stances = Stance::from_clip(&motion.clip)
                .and_then(|from| Ok((from, Stance::from_rest(shown)?)))
                .map_err(unfit)?;
            maps.push(build_retarget(&stances.0, &stances.1).map_err(unfit)?);
        }
        let empty = || Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        Ok(Self {
            model,
            shown: Arc::clone(shown),
            maps,
            fps,
            config,
            performer: None,
            scratch: RetargetScratch::default(),
            actor: empty(),
            out: Pose::rest(shown),
        })
    }

    /// The skeleton that is sent.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.shown
    }

    /// The model that is played.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The pose that was sent last.
    #[must_use]
    pub fn pose(&self) -> &Pose {
        &self.out
    }

    /// One frame in; the packets to send and what was recognised. Messages that are no body bones go on unchanged and first,
    /// fingers too unless the actor has them. `None` for what was recognised when nothing of the body was seen or only such
    /// messages came.
    ///
    /// # Errors
    /// When the performer's body lacks what the model needs.
    pub fn frame(
        &mut self,
        frame: &StreamFrame,
        seconds: f32,
    ) -> Result<(Vec<Vec<u8>>, Option<Frame>), ProxyError> {
        let mut packets = encode_messages(&frame.others);
        if !frame.moved {
            return Ok((packets, None));
        }
        self.meet(frame)?;
        let Some(performer) = &mut self.performer else { return Ok((packets, None)) };
        stream_pose_into(&performer.skeleton, frame, &mut performer.pose);
        forward_kinematics_into(&performer.skeleton, &performer.pose, &mut performer.body);
        let Some(found) =
            performer.runner.step(&self.model, &performer.skeleton, &performer.body, &mut self.actor)
        else {
            return Ok((packets, None));
        };
        retarget_pose_into(&self.maps[found.motion], &self.actor, &mut self.scratch, &mut self.out);
        let actor = self.model.motions[found.motion].clip.skeleton();
        for joint in 0..self.shown.num_joints() {
            let Some(role) = self.shown.joint(joint).role.filter(|role| is_finger(*role)) else { continue };
            let own = frame.bones.get(role.index()).copied().flatten();
            if let Some(bone) = own.filter(|_| actor.find(role).is_none()) {
                self.out.rotations[joint] = bone.rotation;
            }
        }
        packets.extend(encode_frame(&self.shown, &self.out, seconds));
        Ok((packets, Some(found)))
    }

    /// Gets to know the performer, anew when other bones are sent than before.
    fn meet(&mut self, frame: &StreamFrame) -> Result<(), ProxyError> {
        let known = |performer: &Performer| {
            let bones = frame.bones.iter().enumerate().filter(|(_, bone)| bone.is_some());
            bones.clone().count() == performer.skeleton.num_joints()
                && bones.zip(0..).all(|((role, _), _)| performer.skeleton.find(Role::ALL[role]).is_some())
        };
        if self.performer.as_ref().is_some_and(known) {
            return Ok(());
        }
        // Until the hips come there is no body.
        let Ok(skeleton) = skeleton_of(frame) else { return Ok(()) };
        let runner = Runner::build(&self.model, &skeleton, self.fps, self.config)?;
        let pose = Pose::rest(&skeleton);
        self.performer = Some(Performer { skeleton, runner, pose, body: ModelPose::default() });
        Ok(())
    }
}

fn is_finger(role: Role) -> bool {
    let name = role.name();
    ["Thumb", "Index", "Middle", "Ring", "Little"].iter().any(|finger| name.contains(finger))
}
