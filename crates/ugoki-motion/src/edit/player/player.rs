//! A character that is being played: one pose per tick, targets and segments requested at any time.

use std::sync::Arc;

use glam::{Quat, Vec3, Vec3A};
use ugoki_base::math::{exp, log};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::Side;

use super::course::Course;
use super::foot_source::Stance;
use super::inertialize::{Fade, Offset};
use super::interpolate::{Between, turn_by};
use super::limits::Deviation;
use super::repertoire::Repertoire;
use super::source::Source;
use super::stand::Footfall;
use super::stepping::{Reaching, Stepping};
use crate::edit::GroundFrame;
use crate::edit::walk::WalkError;
use crate::reconstruct::{Residual, Scratch, Target, rebuild_into};

/// Time over which joints' offsets fade after a transition, seconds: most of a step.
const JOINTS_S: f64 = 0.35;
/// Time over which velocities of joints are estimated at a transition, seconds: four frames at 120 Hz.
const WINDOW_S: f64 = 1.0 / 30.0;

/// One character's state; what it plays is shared.
#[derive(Debug, Clone)]
pub struct Player {
    pub(super) repertoire: Arc<Repertoire>,
    pub(super) segment: usize,
    pub(super) stepping: Stepping,
    joints: JointOffsets,
    requested: Option<usize>,
    finished: bool,
}

/// Offsets of all joints' rotations after a transition, and when they fade.
#[derive(Debug, Clone)]
struct JointOffsets {
    offsets: Vec<Offset>,
    fade: Fade,
}

/// Buffers of one thread's players.
#[derive(Debug, Clone)]
pub struct PlayerScratch {
    pose: Pose,
    model: ModelPose,
    out: ModelPose,
    rebuild: Scratch,
    /// How far the hips are under where the feet's placements carry them, metres.
    pub(crate) lowering_m: f32,
    /// Farthest that toes would have been bent beyond the range of their source, radians.
    pub(crate) toes_clamped: f32,
}

impl PlayerScratch {
    /// Buffers for players of a repertoire.
    #[must_use]
    pub fn new(repertoire: &Repertoire) -> Self {
        let mut pose = repertoire.sources[0].room();
        let room = repertoire.sources.iter().map(|source| source.room().translations.capacity()).max();
        pose.translations.reserve(room.unwrap_or(0));
        let mut model = ModelPose::default();
        forward_kinematics_into(&repertoire.sources[0].skeleton, &pose, &mut model);
        Self {
            pose,
            out: model.clone(),
            model,
            rebuild: Scratch::new(&repertoire.frame),
            lowering_m: 0.0,
            toes_clamped: 0.0,
        }
    }
}

/// What happened in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tick {
    /// Whether the left and the right foot came to stand.
    pub landed: [bool; 2],
    /// What the body could not reach, metres.
    pub residual: Residual,
    /// Farthest that toes would have been bent beyond the range of their source, radians; they are kept within it.
    pub toes_clamped: f32,
    /// Whether the motion is over: nothing follows the segment.
    pub finished: bool,
}

impl Player {
    /// A player at the start of a segment, its source moved by `place`.
    ///
    /// # Errors
    /// When there is no such segment.
    pub fn new(repertoire: Arc<Repertoire>, segment: usize, place: GroundFrame) -> Result<Self, WalkError> {
        let count = repertoire.segments.len();
        let Some(at) = repertoire.segments.get(segment) else {
            return Err(WalkError::NoSegment { segment, segments: count });
        };
        let frame = at.from as f64;
        Ok(Self::at_frame(repertoire, segment, frame, place))
    }

    /// A player at any frame of a segment.
    pub(crate) fn at_frame(
        repertoire: Arc<Repertoire>,
        segment: usize,
        time: f64,
        place: GroundFrame,
    ) -> Self {
        let source = repertoire.source_of(segment);
        let stepping = Stepping::new(source, time, place);
        let offsets = vec![Offset::default(); source.skeleton.num_joints()];
        let joints = JointOffsets { offsets, fade: Fade::default() };
        Self { repertoire, segment, stepping, joints, requested: None, finished: false }
    }

    /// The segment being played.
    #[must_use]
    pub fn segment(&self) -> usize {
        self.segment
    }

    /// The shared part.
    #[must_use]
    pub fn repertoire(&self) -> &Arc<Repertoire> {
        &self.repertoire
    }

    /// Whether heel and toe of a foot stand now.
    #[must_use]
    pub fn contacts(&self, side: Side) -> [bool; 2] {
        let source = self.source();
        let frames = Between::new(self.time(), source.num_frames);
        let feet = &source.feet[index(side)];
        let (from, to) = (feet.holds[frames.frames[1]], feet.holds[frames.frames[2]]);
        [0, 1].map(|point: usize| from[point] && (frames.exact || to[point]))
    }

    /// Where the foot stands, or will land as things are: its ankle, metres, its heading, radians to the left of +Z.
    #[must_use]
    pub fn footfall(&self, side: Side) -> Footfall {
        let foot = &self.stepping.feet[index(side)];
        let feet = foot.source(self.source());
        let (stand, stance) =
            if foot.stands() { (&foot.stand, foot.stance) } else { (&foot.next, Some(foot.next_stance())) };
        let heading = stance.and_then(|i| feet.stances.get(i)).map(|stance| stance.heading + stand.place.yaw);
        Footfall { place: stand.ankle.with_y(stand.ground), heading }
    }

    /// Height over the ground of the ankle in the stance that a foot is in, metres; or, with true, of the toe in the middle of that stance, when
    /// its heel never stands there.
    pub(crate) fn rest(&self, side: Side) -> (bool, f32) {
        let foot = &self.stepping.feet[index(side)];
        let feet = foot.source(self.source());
        let ankle_m = foot.stand.ankle.y - foot.stand.ground;
        let on_toe = |stance: &&Stance| !stance.flat && feet.holds[stance.middle][1];
        match foot.stance.map(|stance| &feet.stances[stance]).filter(on_toe) {
            Some(stance) => (true, ankle_m + (feet.track.rotation[stance.middle] * feet.track.toe).y),
            None => (false, ankle_m),
        }
    }

    /// Whether the foot is off the ground.
    #[must_use]
    pub fn swings(&self, side: Side) -> bool {
        !self.stepping.feet[index(side)].stands()
    }

    /// Asks for the next footfall of a foot, also while it is in the air: position and velocity go on without a jump. A request that
    /// would make feet or knees faster than [`Source::speed_limits`] is met later, or as near as possible.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn put(&mut self, side: Side, target: Footfall) -> Result<Deviation, WalkError> {
        if !target.is_finite() {
            return Err(WalkError::NotFinite);
        }
        Ok(self.change(side, Some(target)))
    }

    /// Lets the foot land where the source has it, within the same limits.
    pub fn clear_target(&mut self, side: Side) -> Deviation {
        self.change(side, None)
    }

    /// Plans a footfall whatever it demands of the body, led so much farther round the other leg, metres: the caller judges that.
    pub(crate) fn plan_step(&mut self, side: Side, target: Footfall, wider_m: f32) {
        let foot = &mut self.stepping.feet[index(side)];
        foot.wider_m = wider_m;
        if foot.target != Some(target) {
            foot.target = Some(target);
            self.stepping.replan(self.repertoire.source_of(self.segment));
        }
    }

    fn change(&mut self, side: Side, target: Option<Footfall>) -> Deviation {
        if self.stepping.feet[index(side)].target == target {
            return Deviation::NONE;
        }
        let course = Course { shared: &self.repertoire, segment: self.segment, requested: self.requested };
        self.stepping.retarget(&course, index(side), target)
    }

    /// Takes the step under way slower than its length asks for, until this is called again.
    pub(crate) fn set_tempo(&mut self, tempo: f32) {
        if self.stepping.tempo != tempo {
            self.stepping.tempo = tempo;
            self.stepping.set_pace(self.repertoire.source_of(self.segment));
        }
    }

    /// Asks for a segment; it is reached over the transitions there are, as soon as they allow, and then left as it
    /// goes on by itself.
    ///
    /// # Errors
    /// When there is no such segment or no way to it.
    pub fn request(&mut self, segment: usize) -> Result<(), WalkError> {
        let shared = &self.repertoire;
        let count = shared.segments.len();
        if segment >= count {
            return Err(WalkError::NoSegment { segment, segments: count });
        }
        if shared.towards(self.segment, segment).is_none() {
            let name = |i: usize| shared.segments[i].name.clone();
            return Err(WalkError::NoWay { from: name(self.segment), to: name(segment) });
        }
        self.requested = Some(segment);
        Ok(())
    }

    /// Forgets the segment asked for: the source goes on by itself.
    pub fn clear_request(&mut self) {
        self.requested = None;
    }

    /// Whether the motion is over: nothing follows its last segment.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Where the player is in its segment's source, in frames.
    pub(crate) fn time(&self) -> f64 {
        self.stepping.time
    }

    /// Goes on by `seconds` and gives the pose then.
    ///
    /// # Panics
    /// If scratch or pose are of another repertoire.
    pub fn tick(&mut self, seconds: f64, scratch: &mut PlayerScratch, out: &mut Pose) -> Tick {
        let landed = self.advance(seconds);
        let residual = self.pose_into(scratch, out);
        Tick { landed, residual, toes_clamped: scratch.toes_clamped, finished: self.finished }
    }

    /// Goes on without posing; gives the feet that landed.
    pub(crate) fn advance(&mut self, seconds: f64) -> [bool; 2] {
        let mut landed = [false; 2];
        if self.finished {
            return landed;
        }
        let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        let mut course =
            Course { shared: &self.repertoire, segment: self.segment, requested: self.requested };
        let joints = &mut self.joints;
        let mut entering = |stepping: &Stepping, old: &Source, course: &Course<'_>| {
            joints.inertialize(stepping, old, course);
        };
        self.finished = !self.stepping.play(&mut course, seconds, &mut landed, &mut entering);
        (self.segment, self.requested) = (course.segment, course.requested);
        landed
    }

    fn source(&self) -> &Source {
        self.repertoire.source_of(self.segment)
    }

    /// Hips and ankles as edited, now.
    #[must_use]
    pub fn edited(&self) -> [(Vec3, Quat); 3] {
        self.stepping.edited_at(self.source(), self.time())
    }

    /// The pose now.
    ///
    /// # Panics
    /// If scratch or pose are of another repertoire.
    pub fn pose_into(&self, scratch: &mut PlayerScratch, out: &mut Pose) -> Residual {
        let source = self.source();
        let between = Between::new(self.time(), source.num_frames);
        source.pose_into(&between, &mut scratch.pose);
        if let Some(weights) = self.joints.fade.weights(self.time()) {
            for (q, offset) in scratch.pose.rotations.iter_mut().zip(&self.joints.offsets) {
                *q = (*q * turn_by(offset.at(weights))).normalize();
            }
        }
        forward_kinematics_into(&source.skeleton, &scratch.pose, &mut scratch.model);
        let base = self.repertoire.joints[0];
        let unturned = scratch.model.rotations[base].inverse();
        let offsets = [0, 1].map(|side: usize| {
            let joint = source.toes.feet[side].upper;
            unturned * (scratch.model.positions[joint] - scratch.model.positions[base])
        });
        let Reaching { handles, rolled, lowering_m } = self.stepping.reaching(source, &between, offsets);
        scratch.lowering_m = lowering_m;
        let holds = [false, self.stepping.feet[0].stands(), self.stepping.feet[1].stands()];
        let targets = [0, 1, 2].map(|i: usize| {
            let (position, rotation) = handles[i];
            Target { position, rotation: Some(rotation), holds: holds[i] }
        });
        let residual = rebuild_into(
            &self.repertoire.frame,
            &scratch.model,
            &targets,
            &mut scratch.rebuild,
            &mut scratch.out,
        );
        out.root = scratch.out.positions[0];
        out.rotations.clear();
        out.rotations.extend(source.skeleton.joints().iter().enumerate().map(|(joint, node)| {
            let world = scratch.out.rotations[joint];
            node.parent.map_or(world, |parent| scratch.out.rotations[parent].inverse() * world)
        }));
        out.translations.clear();
        out.translations.extend_from_slice(&scratch.pose.translations);
        scratch.toes_clamped = self.settle_toes(source, rolled, &scratch.out, out);
        residual
    }
}

impl Player {
    /// Keeps toes within the range of their source, and on the ground under feet that roll over them as far as that range allows. Gives the
    /// farthest that any were beyond it before, radians.
    fn settle_toes(
        &self,
        source: &Source,
        rolled: [Option<Quat>; 2],
        model: &ModelPose,
        out: &mut Pose,
    ) -> f32 {
        let mut most = 0.0_f32;
        for range in &source.toe_ranges {
            let (near, beyond) = range.clamp(out.rotations[range.joint]);
            let side = source.toes.feet.iter().position(|foot| foot.toe.joint == range.joint);
            let turn = side.and_then(|side| rolled[side]).zip(source.skeleton.parent(range.joint));
            out.rotations[range.joint] = turn.map_or(near, |(turn, parent)| {
                let parent = model.rotations[parent];
                range.clamp((parent.inverse() * turn.inverse() * parent * near).normalize()).0
            });
            most = most.max(beyond);
        }
        most
    }
}

/// 0 for the left, 1 for the right.
pub(crate) fn index(side: Side) -> usize {
    usize::from(side == Side::Right)
}

impl JointOffsets {
    /// Keeps all joints' rotations and their velocities when another source is entered at the start of a segment.
    fn inertialize(&mut self, stepping: &Stepping, old: &Source, course: &Course<'_>) {
        let (new, at) = (course.source(), course.shared.segments[course.segment].from as f64);
        let (now, pace) = (stepping.time, f64::from(stepping.pace.at(stepping.time)));
        // Velocities are those of a window before or after, whichever is less: a glitch of one frame would be carried through the fade.
        let windows = [old, new].map(|source| WINDOW_S * source.fps * pace);
        let moments = [-1.0, 0.0, 1.0].map(|sign: f64| {
            let times = [now + sign * windows[0], at + sign * windows[1]];
            let weights = self.fade.weights(times[0]);
            (weights, Between::new(times[0], old.num_frames), Between::new(times[1], new.num_frames))
        });
        for (joint, offset) in self.offsets.iter_mut().enumerate() {
            let [before, by, then] = moments.each_ref().map(|(weights, from, to)| {
                let was = weights.map_or(Vec3A::ZERO, |weights| offset.at(weights));
                let was = old.rotation(joint, from) * exp(was.into());
                Vec3A::from(log(new.rotation(joint, to).inverse() * was))
            });
            let [arrives, leaves] = [by - before, then - by];
            let less = if arrives.length_squared() < leaves.length_squared() { arrives } else { leaves };
            *offset = Offset { by, speed: less / windows[1] as f32 };
        }
        self.fade = Fade::new(at, at + JOINTS_S * new.fps * pace);
    }
}
