//! Between a performer's stream and a receiver: the body is replaced by the actor's, everything else passes through.

use std::sync::Arc;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::angle_between;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_live::sockets::StreamClock;
use ugoki_live::{
    Bone, Passed, StreamFrame, TrackedBody, encode_frame_with, encode_passed, is_body, seen_pose_into,
    skeleton_of,
};
use ugoki_motion::retarget::{
    Retarget, RetargetError, RetargetScratch, Stance, build_retarget, retarget_pose_into,
};

use crate::{Frame, Model, PerformError, RunConfig, Runner};

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

/// One live performance. Poses go out on `shown`, a skeleton in T-pose as VMC expects.
pub struct Proxy {
    model: Arc<Model>,
    shown: Arc<Skeleton>,
    maps: Vec<Retarget>,
    /// Per motion and role, whether the actor moves what is no part of the body: eyes, jaw, fingers.
    acts: Vec<Vec<bool>>,
    runner: Runner,
    performer: Option<Performer>,
    /// Frames whose body could not be used.
    unusable: u64,
    clock: StreamClock,
    time: Option<f64>,
    /// When the last frame with a body arrived, seconds.
    arrived: f64,
    /// Whether the last frame showed nothing of the body and the pose before was sent again.
    held: bool,
    scratch: RetargetScratch,
    actor: Pose,
    out: Pose,
}

/// The performer's body; built again when the stream's bones change.
struct Performer {
    skeleton: Arc<Skeleton>,
    /// Bones that are sent, trackers that are sent, and the body where some of these are joints of it.
    num_bones: usize,
    num_trackers: usize,
    tracked: Option<TrackedBody>,
    pose: Pose,
    body: ModelPose,
}

/// Eyes, jaw and fingers that turn by less in a whole motion, radians, count as not moved: many skeletons have fingers that
/// were not captured.
const UNMOVED: f32 = 0.02;

/// Which eyes, jaw and fingers an actor moves, by role.
fn acts(clip: &Clip) -> Vec<bool> {
    let frames = clip.motion_frames();
    let moves = |joint: usize| {
        let first = clip.rotation(joint, frames.start);
        frames.clone().any(|frame| angle_between(first, clip.rotation(joint, frame)) > UNMOVED)
    };
    let apart = |&role: &Role| !is_body(role) && clip.skeleton().find(role).is_some_and(moves);
    Role::ALL.iter().map(apart).collect()
}

/// Seconds without any bone after which a stream that goes on has lost its body. Longer than what single bones are bridged for: a
/// face may come between the frames of a body that comes four times a second.
const BODILESS_S: f64 = 0.25;
/// A bone whose translation differs by more than this, metres, belongs to another body.
const OTHER_BODY: f32 = 0.02;

impl Proxy {
    /// `fps` is the performer's usual rate, `shown` the skeleton that is sent, in T-pose and facing +Z in rest.
    ///
    /// # Errors
    /// When an actor cannot be moved onto `shown`, or has nothing in common with it.
    pub fn build(
        model: impl Into<Arc<Model>>,
        shown: &Arc<Skeleton>,
        fps: f64,
        config: RunConfig,
    ) -> Result<Self, ProxyError> {
        let model: Arc<Model> = model.into();
        let mut maps = Vec::new();
        let acts = model.motions.iter().map(|motion| acts(&motion.clip)).collect();
        for motion in &model.motions {
            let unfit = |reason| ProxyError::Actor { actor: motion.name().to_owned(), reason };
            let stances = Stance::from_clip(&motion.clip)
                .and_then(|from| Ok((from, Stance::from_rest(shown)?)))
                .map_err(unfit)?;
            maps.push(build_retarget(&stances.0, &stances.1).map_err(unfit)?);
        }
        let empty = || Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        // Prepared with the body that is shown, so that the first frame of a performer takes no longer than the others.
        let runner = Runner::build(&model, shown, fps, config)?;
        Ok(Self {
            model,
            shown: Arc::clone(shown),
            maps,
            acts,
            runner,
            performer: None,
            unusable: 0,
            clock: StreamClock::default(),
            time: None,
            arrived: 0.0,
            held: false,
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

    /// Roles that the model knows and the performer's stream does not send; none before one came.
    #[must_use]
    pub fn missing(&self) -> &[Role] {
        if self.performer.is_some() { self.runner.missing() } else { &[] }
    }

    /// Roles of the model that the performer's stream sent once but that have not been seen for more than 0.1 s, and for how many
    /// seconds.
    pub fn lost(&self) -> impl Iterator<Item = (Role, f64)> + '_ {
        self.runner.lost().filter(|_| self.performer.is_some())
    }

    /// Frames whose body could not be used: without hips, or with none of the model's joints.
    #[must_use]
    pub fn unusable(&self) -> u64 {
        self.unusable
    }

    /// The stream's time of the last frame with a body, seconds.
    #[must_use]
    pub fn time(&self) -> Option<f64> {
        self.time
    }

    /// Whether the last frame showed nothing of the body, which stays as it was and was sent again.
    #[must_use]
    pub fn held(&self) -> bool {
        self.held
    }

    /// One frame in, which arrived at `seconds`; the packets to send and what was recognised. Messages that are no body
    /// bones go on first, unchanged and in order; so do eyes, jaw and fingers unless the actor moves them. `None` for what was
    /// recognised when nothing of the body could be used or only such messages came; a body that lacks joints is done with
    /// what it has. A body that was shown and is seen no more is held: its pose is sent with every frame.
    pub fn frame(&mut self, frame: &StreamFrame, seconds: f64) -> (Vec<Vec<u8>>, Option<Frame>) {
        let bodiless = !frame.moved && self.time.is_some() && seconds - self.arrived > BODILESS_S;
        let found = if frame.moved || bodiless { self.perform(frame, seconds) } else { None };
        let shown = self.runner.shown();
        self.held = found.is_none() && shown.is_some() && (frame.moved || bodiless);
        let acted = |role: Role| shown.is_some_and(|motion| self.acts[motion][role.index()]);
        // A state that came alone goes with the pose that is held.
        let again = |other: &Passed| self.held && Some(other) == frame.state.as_ref();
        let passing = frame.others.iter().filter(|other| other.role.is_none_or(|role| !acted(role)));
        let mut packets = encode_passed(passing.filter(|other| !again(other)));
        if let Some(now) = self.time.filter(|_| found.is_some() || self.held) {
            // What the performer moves, by whatever program, has been passed on; what neither moves is at rest.
            let own = |role: Role| frame.bones.get(role.index()).is_some_and(Option::is_some);
            // A frame without a body may come from another program than the fingers.
            let wanted = |role: Role| is_body(role) || acted(role) || frame.moved && !own(role);
            let state = frame.state.as_ref();
            packets.extend(encode_frame_with(&self.shown, &self.out, now as f32, state, &wanted));
        }
        (packets, found)
    }

    /// The actor's pose for a frame with a body, on the skeleton that is sent; a frame without one is of a body that is not seen.
    fn perform(&mut self, frame: &StreamFrame, seconds: f64) -> Option<Frame> {
        if frame.moved {
            self.arrived = seconds;
            self.unusable += u64::from(!self.meet(frame));
        }
        let performer = self.performer.as_mut()?;
        let now = self.clock.tick(seconds, frame.time);
        let step = self.time.map_or(0.0, |before| now - before);
        self.time = Some(now);
        match &performer.tracked {
            _ if !frame.moved => performer.body.positions.fill(Vec3::NAN),
            Some(tracked) => tracked.place_into(frame, &mut performer.pose, &mut performer.body),
            None => {
                seen_pose_into(&performer.skeleton, frame, &mut performer.pose);
                forward_kinematics_into(&performer.skeleton, &performer.pose, &mut performer.body);
            }
        }
        let (skeleton, body) = (&performer.skeleton, &performer.body);
        let found = self.runner.step_after(step, &self.model, skeleton, body, &mut self.actor)?;
        // What is shown may be the motion before, held.
        let motion = self.runner.shown().unwrap_or(found.motion);
        retarget_pose_into(&self.maps[motion], &self.actor, &mut self.scratch, &mut self.out);
        for joint in 0..self.shown.num_joints() {
            let Some(role) = self.shown.joint(joint).role.filter(|role| !is_body(*role)) else { continue };
            let own = frame.bones.get(role.index()).copied().flatten();
            if let Some(bone) = own.filter(|_| !self.acts[motion][role.index()]) {
                self.out.rotations[joint] = bone.rotation;
            }
        }
        Some(found)
    }

    /// Builds the performer's body, again when other bones are sent than before; `false` when the body is unusable.
    fn meet(&mut self, frame: &StreamFrame) -> bool {
        // Eyes and fingers that come later, or from another program, make no other body.
        let body = || Role::ALL.iter().copied().filter(|role| is_body(*role));
        let sent =
            || body().filter_map(|role| Some((role, frame.bones.get(role.index()).copied().flatten()?)));
        let known = |performer: &Performer| {
            let same = |(role, bone): (Role, Bone)| {
                let Some(joint) = performer.skeleton.find(role) else { return false };
                let offset = performer.skeleton.joint(joint).offset;
                // Hips move, and bones without translations have the usual ones.
                role == Role::Hips
                    || bone.position == Vec3::ZERO
                    || offset.distance(bone.position) < OTHER_BODY
            };
            sent().count() == performer.num_bones
                && sent().all(same)
                && frame.trackers.len() == performer.num_trackers
        };
        if self.performer.as_ref().is_some_and(known) {
            return true;
        }
        // Until the hips or enough trackers come there is no body; the one before stays, and bones that it lacks are ignored.
        let tracked = match frame.trackers.is_empty() {
            true => None,
            false => TrackedBody::build(frame, &self.shown),
        };
        let skeleton = match &tracked {
            Some(tracked) => Arc::clone(tracked.skeleton()),
            None => match skeleton_of(frame, &self.shown) {
                Ok(skeleton) => skeleton,
                Err(_) => return false,
            },
        };
        if self.runner.change_body(&self.model, &skeleton).is_err() {
            return false;
        }
        let pose = Pose::rest(&skeleton);
        let (num_bones, num_trackers) = (sent().count(), frame.trackers.len());
        let body = ModelPose::default();
        self.performer = Some(Performer { skeleton, num_bones, num_trackers, tracked, pose, body });
        true
    }
}
