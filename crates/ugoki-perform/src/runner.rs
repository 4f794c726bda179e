//! A live performance: points in, the actor's pose out.

use std::sync::Arc;

use glam::Vec3;
use ugoki_base::pose::{ModelPose, Pose};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_motion::retarget::Stance;
use ugoki_motion::segment::Observer;

use super::config::{MAX_LOOKAHEAD_S, Method, Mirror, RunConfig};
use super::follow::{FilterConfig, Follower};
use super::paper::Paper;
use super::performer_pose::PerformerPose;
use super::playhead::Playhead;
use super::sight::{History, Sight};
use super::{Model, PerformError};

/// How much less than [`RunConfig::unknown`] the probability must be before the actor is shown again, so that nothing
/// alternates.
const BELIEVE: f32 = 0.1;

/// What was done with one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Number of the motion in the model.
    pub motion: usize,
    /// Number of the piece in the motion.
    pub piece: usize,
    /// The estimate of the objective, metres, where a regression was used.
    pub estimate: Option<f64>,
    /// Frame of the actor's clip that is shown, the nearest one.
    pub actor_frame: usize,
    /// How sure, 0 to 1: following, the probability of the motion.
    pub confidence: f32,
    /// Following, how much more probable than the next motion; else how much nearer, 0 to 1.
    pub margin: f32,
    /// Whether the performer does anything that was learned; if not, the performer is shown.
    pub known: bool,
    /// Whether it is the performer's mirror image that was followed.
    pub mirrored: bool,
    /// Rate at which the performer goes through the motion, as a multiple of the actor's; following only.
    pub rate: f32,
}

/// How the actor's frame is found.
#[derive(Debug, Clone)]
enum Engine {
    Follow(Box<Following>),
    Paper(Box<Paper>),
}

/// A frame of the performer.
struct Seen<'a> {
    points: &'a [Vec3],
    /// The points some time ago, and how long ago, seconds.
    before: Option<(&'a [Vec3], f64)>,
    skeleton: &'a Skeleton,
    body: &'a ModelPose,
}

/// What following needs.
#[derive(Debug, Clone)]
struct Following {
    follower: Follower,
    playhead: Playhead,
    /// None when no performer can be shown on the actor's body.
    performer: Option<PerformerPose>,
    is_unknown: bool,
}

/// State of one live performance.
#[derive(Debug, Clone)]
pub struct Runner {
    config: RunConfig,
    engine: Engine,
    /// For every point of the model, which watched point of the performer it is.
    sources: Vec<Option<usize>>,
    missing: Vec<Role>,
    observer: Observer,
    heading: Option<f32>,
    seen: Vec<Vec3>,
    sight: Sight,
    points: Vec<Vec3>,
    history: History,
    shown: Option<usize>,
    seconds: f64,
}

impl Runner {
    /// Prepares a performance by a body on `skeleton` at `fps` frames per second. Points that the body lacks are done
    /// without; [`Runner::missing`] names them.
    ///
    /// # Errors
    /// When the body's hips are not known or it has none of the model's points.
    pub fn build(
        model: &Model,
        skeleton: &Arc<Skeleton>,
        fps: f64,
        config: RunConfig,
    ) -> Result<Self, PerformError> {
        let (observer, sources, missing) = watch(model, skeleton)?;
        let engine = match config.method {
            Method::Follow => {
                let joints = model.motions.iter().map(|motion| motion.clip.num_joints()).max().unwrap_or(0);
                let actor = model.motions.first();
                Engine::Follow(Box::new(Following {
                    follower: Follower::build(model, &FilterConfig::default())?,
                    playhead: Playhead::build(joints),
                    performer: actor.and_then(|actor| PerformerPose::build(&actor.clip, skeleton)),
                    is_unknown: false,
                }))
            }
            method => Engine::Paper(Box::new(Paper::build(model, method)?)),
        };
        let num_points = model.roles.len();
        Ok(Self {
            config,
            engine,
            seen: vec![Vec3::ZERO; observer.num_points()],
            sight: Sight::new(&observer),
            points: vec![Vec3::NAN; num_points],
            history: History::new(num_points),
            sources,
            missing,
            observer,
            heading: None,
            shown: None,
            seconds: 1.0 / fps,
        })
    }

    /// Says how the performer's body stands, where more is known than its rest pose: it is shown while movements are unknown.
    pub fn set_stance(&mut self, stance: &Stance) {
        if let Engine::Follow(following) = &mut self.engine
            && let Some(performer) = &mut following.performer
        {
            performer.change_body(stance.skeleton(), Some(stance));
        }
    }

    /// Continues with another body: the sender restarted, or only now sends all its bones. The shown motion continues.
    ///
    /// # Errors
    /// As [`Runner::build`]; then the body stays as it was.
    pub fn change_body(&mut self, model: &Model, skeleton: &Arc<Skeleton>) -> Result<(), PerformError> {
        let (observer, sources, missing) = watch(model, skeleton)?;
        self.seen = vec![Vec3::ZERO; observer.num_points()];
        self.sight = self.sight.for_body(&observer);
        // Velocities are not to be measured between two bodies.
        self.history = History::new(model.roles.len());
        (self.observer, self.sources, self.missing) = (observer, sources, missing);
        if let Engine::Follow(following) = &mut self.engine
            && let Some(performer) = &mut following.performer
        {
            performer.change_body(skeleton, Stance::from_rest(skeleton).ok().as_ref());
        }
        Ok(())
    }

    /// The motion that is shown.
    #[must_use]
    pub fn shown(&self) -> Option<usize> {
        self.shown
    }

    /// Roles that the model knows and the performer's body lacks.
    #[must_use]
    pub fn missing(&self) -> &[Role] {
        &self.missing
    }

    /// Roles of the model that the performer's body has but that have not been seen for more than 0.1 s, and for how
    /// many seconds: infinite for those that never were. They are left out of all that is compared.
    pub fn lost(&self) -> impl Iterator<Item = (Role, f64)> + '_ {
        self.sight.lost().filter(|(at, ..)| self.sources.contains(&Some(*at))).map(|(_, role, s)| (role, s))
    }

    /// One frame of the performer's body, as a model pose of the skeleton given to [`Runner::build`]; positions that
    /// are not finite were not seen. Writes the actor's pose for it and says what was recognised; `None`, and `out`
    /// unchanged, when nothing of the body was seen.
    pub fn step(
        &mut self,
        model: &Model,
        skeleton: &Skeleton,
        body: &ModelPose,
        out: &mut Pose,
    ) -> Option<Frame> {
        self.step_after(self.seconds, model, skeleton, body, out)
    }

    /// The same for a frame that comes `seconds` after the one before, where frames come unevenly.
    pub fn step_after(
        &mut self,
        seconds: f64,
        model: &Model,
        skeleton: &Skeleton,
        body: &ModelPose,
        out: &mut Pose,
    ) -> Option<Frame> {
        self.heading = Some(self.observer.observe_into(skeleton, body, self.heading, &mut self.seen))
            .filter(|heading| heading.is_finite())
            .or(self.heading);
        self.sight.bridge(&mut self.seen, seconds);
        let leg = self.observer.leg_metres();
        for (point, source) in self.points.iter_mut().zip(&self.sources) {
            *point = source.map_or(Vec3::NAN, |source| self.seen[source] / leg);
        }
        let before = self.history.push(&self.points, seconds);
        // What is only taken to be where it was has no velocity that is known.
        for (point, source) in self.history.newest_mut().iter_mut().zip(&self.sources) {
            if source.is_some_and(|source| self.sight.is_bridged(source)) {
                *point = Vec3::NAN;
            }
        }
        let then = before.map(|(age, place)| (self.history.frame(place), age));
        let frame = match &mut self.engine {
            Engine::Follow(following) => {
                let seen = Seen { points: &self.points, before: then, skeleton, body };
                // What proportions cost a body of trackers is no other movement, and it could not be shown instead.
                let unknown = if self.observer.is_on_usual_bones() { self.config.unknown } else { 1.0 };
                following.step(model, RunConfig { unknown, ..self.config }, &seen, seconds, out)?
            }
            Engine::Paper(paper) => {
                let found = paper.step(model, &self.points)?;
                model.motions[found.motion].clip.pose_into(found.frame, out);
                Frame {
                    motion: found.motion,
                    piece: found.piece,
                    estimate: found.estimate,
                    actor_frame: found.frame,
                    confidence: found.margin,
                    margin: found.margin,
                    known: true,
                    mirrored: false,
                    rate: 1.0,
                }
            }
        };
        self.shown = match &self.engine {
            Engine::Follow(following) => following.playhead.motion(),
            Engine::Paper(_) => Some(frame.motion),
        };
        Some(frame)
    }
}

impl Following {
    fn step(
        &mut self,
        model: &Model,
        config: RunConfig,
        seen: &Seen<'_>,
        seconds: f64,
        out: &mut Pose,
    ) -> Option<Frame> {
        let found = self.follower.step(seen.points, seen.before, seconds, config.mirror)?;
        let posterior = found.posterior;
        let unknown = 1.0 - posterior.known;
        let most = if self.is_unknown { config.unknown - BELIEVE } else { config.unknown };
        self.is_unknown = config.unknown < 1.0 && unknown > most;
        let motion = &model.motions[posterior.motion];
        let (clip, frames) = (&motion.clip, motion.clip.motion_frames());
        let pace = posterior.rate * clip.fps();
        let late = f64::from(config.lookahead_s.clamp(0.0, MAX_LOOKAHEAD_S));
        let end = (frames.end.max(frames.start + 1) - 1) as f64;
        let meant = (frames.start as f64 + found.frame - pace * late).clamp(frames.start as f64, end);
        let can_show_performer = self.performer.as_ref().is_some_and(PerformerPose::is_possible);
        match self.playhead.motion().filter(|_| self.is_unknown && !can_show_performer) {
            // The performer cannot be shown: the actor stays as he is.
            Some(held) => {
                let at = self.playhead.at();
                self.playhead.show(held, &model.motions[held].clip, [at, 0.0], seconds, out);
            }
            None => {
                // At the end of a motion nothing goes on.
                let pace = if meant < end { pace } else { 0.0 };
                self.playhead.show(posterior.motion, clip, [meant, pace], seconds, out);
            }
        }
        let amount = if self.is_unknown { 0.0 } else { config.amount };
        if let Some(performer) = &mut self.performer
            && let Some(place) = performer.mix(seen.skeleton, seen.body, amount, seconds as f32, out)
        {
            self.playhead.carry(&place);
        }
        let actor_frame = self.playhead.at().round() as usize;
        let at = |piece: &super::ModelPiece| (piece.start..piece.end).contains(&actor_frame);
        let last = motion.pieces.len().saturating_sub(1);
        Some(Frame {
            motion: posterior.motion,
            piece: motion.pieces.iter().position(at).unwrap_or(last),
            estimate: None,
            actor_frame: actor_frame.min(clip.num_frames() - 1),
            confidence: posterior.confidence,
            margin: posterior.margin,
            known: !self.is_unknown,
            mirrored: found.mirrored || config.mirror == Mirror::Yes,
            rate: posterior.rate as f32,
        })
    }
}

/// How to watch a body, which of its points the model's are, and which are missing.
type Watched = (Observer, Vec<Option<usize>>, Vec<Role>);

fn watch(model: &Model, skeleton: &Skeleton) -> Result<Watched, PerformError> {
    let observer = Observer::build(skeleton)?.on_usual_bones(skeleton);
    let own: Vec<Role> = observer.roles().collect();
    let place = |role: &Role| own.iter().position(|other| other == role);
    let sources: Vec<Option<usize>> = model.roles.iter().map(place).collect();
    let missing: Vec<Role> = model.roles.iter().copied().filter(|role| !own.contains(role)).collect();
    if missing.len() == model.roles.len() && !missing.is_empty() {
        let such = missing[0].name().to_owned();
        return Err(PerformError::Performer { wanted: missing.len(), such });
    }
    Ok((observer, sources, missing))
}
