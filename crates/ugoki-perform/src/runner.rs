//! A live performance: points in, the actor's pose out.

use glam::Vec3;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_motion::segment::{BodyPoints, Observer};

use super::config::{Method, Mirror, RunConfig};
use super::follow::{Follower, LivePoint};
use super::hands::Hands;
use super::playhead::Playhead;
use super::sight::{History, Sight};
use super::{Model, PerformError, Recognized, Recognizer, retrieve};

/// Distance, leg lengths per point, at which a motion counts as half recognised.
const DOUBTFUL: f32 = 0.2;
/// How far, seconds of the actor's time, a regression may be from where the performer was followed to and still be
/// heard.
const AGREES_S: f64 = 0.1;
/// How much less than [`RunConfig::unknown`] may go unexplained before the pose is shown again, so that nothing
/// chatters; swept in docs/results/perform.md.
const BELIEVE: f32 = 0.05;
/// Distance from every imitation, mean leg lengths per point, beyond which a performer does something else, though he
/// may stand still: no performer of docs/results/perform.md is as far.
const FAR: f32 = 0.2;
/// How fast the pace that is shown follows what was shown last: half of the difference per frame.
const PACE_GAIN: f32 = 0.5;
/// Frames of the actor that may be skipped per frame of the performer before pace is forgotten, as a multiple of both
/// rates' ratio: a performer three times as fast as the actor.
const MAX_PACE: f64 = 3.0;

/// What was done with one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Number of the motion in the model.
    pub motion: usize,
    /// Number of the piece in the motion.
    pub piece: usize,
    /// The estimate of the objective, metres; none for rests and pieces without a regression.
    pub estimate: Option<f64>,
    /// Frame of the actor's clip that is shown, the nearest one.
    pub actor_frame: usize,
    /// How sure, 0 to 1.
    pub confidence: f32,
    /// How much nearer than the next best motion, 0 to 1; against the next best piece where there is one motion.
    pub margin: f32,
    /// Whether the performer is near anything that was imitated; if not, the last pose is held.
    pub known: bool,
    /// Whether it is the performer's mirror image that was followed.
    pub mirrored: bool,
    /// Fraction of movement, 0 to 1, that performer and what is followed have not had in common over the last half
    /// second; 0 by methods that do not follow.
    pub unexplained: f32,
}

/// State of one live performance.
#[derive(Debug, Clone)]
pub struct Runner {
    config: RunConfig,
    recognizer: Recognizer,
    follower: Follower,
    /// For every point of the model, which watched point of the performer it is.
    sources: Vec<Option<usize>>,
    partners: Vec<Option<usize>>,
    missing: Vec<Role>,
    observer: Observer,
    heading: Option<f32>,
    seen: Vec<Vec3>,
    sight: Sight,
    points: Vec<Vec3>,
    live: Vec<LivePoint>,
    history: History,
    actors: Vec<BodyPoints>,
    /// The motion and the actor's frame retrieved last.
    retrieved: Option<(usize, usize)>,
    /// Actor's frames retrieved per frame of the performer, of late; none after a jump.
    pace: Option<f32>,
    playhead: Playhead,
    hands: Hands,
    holding: bool,
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
        skeleton: &Skeleton,
        fps: f64,
        config: RunConfig,
    ) -> Result<Self, PerformError> {
        let (observer, sources, missing) = watch(model, skeleton)?;
        let partner = |role: &Role| model.roles.iter().position(|other| *other == role.mirrored());
        let actors = model.motions.iter().map(|motion| Ok(motion.actor_points()?));
        let joints = model.motions.iter().map(|motion| motion.clip.num_joints()).max().unwrap_or(0);
        // Following has its own order.
        let order = if config.method == Method::Follow { 0.0 } else { config.order };
        let mut recognizer = Recognizer::build(model, RunConfig { order, ..config });
        recognizer.prepare(fps);
        let num_points = model.roles.len();
        Ok(Self {
            config: RunConfig { trust: config.trust.max(f32::MIN_POSITIVE), ..config },
            recognizer,
            follower: Follower::build(model)?,
            seen: vec![Vec3::ZERO; observer.num_points()],
            sight: Sight::new(&observer),
            points: vec![Vec3::NAN; num_points],
            live: Vec::with_capacity(num_points),
            history: History::new(num_points),
            partners: model.roles.iter().map(partner).collect(),
            sources,
            missing,
            observer,
            heading: None,
            actors: actors.collect::<Result<_, PerformError>>()?,
            retrieved: None,
            pace: None,
            playhead: Playhead::build(joints),
            hands: Hands::new(num_points),
            holding: false,
            seconds: 1.0 / fps,
        })
    }

    /// Continues with another body: the sender restarted, or only now sends all its bones. The shown motion continues.
    ///
    /// # Errors
    /// As [`Runner::build`]; then the body stays as it was.
    pub fn change_body(&mut self, model: &Model, skeleton: &Skeleton) -> Result<(), PerformError> {
        let (observer, sources, missing) = watch(model, skeleton)?;
        self.seen = vec![Vec3::ZERO; observer.num_points()];
        self.sight = self.sight.for_body(&observer);
        // Velocities are not to be measured between two bodies.
        self.history = History::new(model.roles.len());
        (self.observer, self.sources, self.missing) = (observer, sources, missing);
        Ok(())
    }

    /// The motion that is shown: the one recognised, or while the performer does something else the one before.
    #[must_use]
    pub fn shown(&self) -> Option<usize> {
        self.playhead.motion()
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
        body: &ugoki_base::pose::ModelPose,
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
        body: &ugoki_base::pose::ModelPose,
        out: &mut Pose,
    ) -> Option<Frame> {
        self.heading = Some(self.observer.observe_into(skeleton, body, self.heading, &mut self.seen))
            .filter(|heading| heading.is_finite())
            .or(self.heading);
        self.sight.bridge(&mut self.seen, seconds);
        let leg = self.observer.leg_metres();
        let mirrored = self.config.mirror == Mirror::Yes || self.hands.other;
        let (sources, partners) = (&self.sources, &self.partners);
        let source_of = |number: usize| sources[if mirrored { partners[number]? } else { number }];
        for (number, point) in self.points.iter_mut().enumerate() {
            *point = match source_of(number) {
                Some(source) if mirrored => self.seen[source] * Vec3::new(-1.0, 1.0, 1.0) / leg,
                Some(source) => self.seen[source] / leg,
                None => Vec3::NAN,
            };
        }
        let before = self.history.push(&self.points, seconds);
        // What is only taken to be where it was has no velocity that is known.
        for (number, point) in self.history.newest_mut().iter_mut().enumerate() {
            if source_of(number).is_some_and(|source| self.sight.is_bridged(source)) {
                *point = Vec3::NAN;
            }
        }
        let found = self.recognizer.step(&self.points, seconds)?;
        let motion = &model.motions[found.motion];
        let chosen = match self.config.method {
            Method::Follow => self.follow(model, found, before, seconds)?,
            _ => self.retrieve(model, found),
        };
        let several = model.motions.len() > 1;
        if several && self.config.method == Method::Follow && self.config.mirror == Mirror::Auto {
            let recognizer = &mut self.recognizer;
            let distance = recognizer.distance();
            if self.hands.compare(recognizer, &self.points, &self.partners, distance, seconds) {
                // From the next frame on it is the other hand.
                self.follower.forget();
                self.history = History::new(model.roles.len());
            }
        }
        let most = if self.holding { self.config.unknown - BELIEVE } else { self.config.unknown };
        // What proportions cost a body of trackers is no other movement.
        let far = self.observer.is_on_usual_bones() && chosen.distance > FAR;
        let other = self.config.unknown < 1.0 && (chosen.unexplained > most || far);
        self.holding = other && self.playhead.motion().is_some();
        let known = !self.holding;
        match self.playhead.motion().filter(|_| !known) {
            Some(held) => {
                let (clip, at) = (&model.motions[held].clip, self.playhead.at());
                self.playhead.show(held, clip, at, seconds, out);
            }
            None => self.playhead.show(found.motion, &motion.clip, chosen.frame, seconds, out),
        }
        let near = (-chosen.distance / DOUBTFUL * std::f32::consts::LN_2).exp();
        let shown = self.playhead.motion().unwrap_or(found.motion);
        let actor_frame =
            (self.playhead.at().round() as usize).min(model.motions[shown].clip.num_frames() - 1);
        Some(Frame {
            motion: found.motion,
            piece: chosen.piece,
            estimate: chosen.estimate,
            actor_frame,
            confidence: if model.motions.len() == 1 { near } else { found.margin.min(near) },
            margin: found.margin,
            known,
            mirrored: chosen.mirrored != mirrored,
            unexplained: chosen.unexplained,
        })
    }

    /// Where the performer is in the motion; the piece's regression counts where it agrees.
    fn follow(
        &mut self,
        model: &Model,
        found: Recognized,
        before: Option<(f64, usize)>,
        seconds: f64,
    ) -> Option<Chosen> {
        let now = self.history.newest();
        let then = before.map(|(age, place)| (age, self.history.frame(place)));
        self.live.clear();
        let live = self.points.iter().enumerate().filter(|(_, p)| p.is_finite());
        self.live.extend(live.map(|(point, &p)| {
            let rate = then.map_or(Vec3::NAN, |(age, then)| (now[point] - then[point]) / age as f32);
            (point, p, rate)
        }));
        let auto = self.config.mirror == Mirror::Auto;
        let way = self.follower.step(found.motion, &self.live, seconds, auto)?;
        let motion = &model.motions[found.motion];
        let fps = motion.clip.fps();
        let frames = motion.clip.motion_frames();
        let mut frame = (frames.start as f64 + way.frame).min((frames.end - 1) as f64);
        let at = |piece: &&super::ModelPiece| (piece.start..piece.end).contains(&(frame as usize));
        let number = motion.pieces.iter().position(|piece| at(&piece)).unwrap_or(found.piece);
        let piece = &motion.pieces[number];
        let mut estimate = None;
        // A regression knows the performer as he imitated, not in a mirror and not smaller.
        if let Some(regression) = piece.regression.as_ref().filter(|_| !way.mirrored && way.whole) {
            let wanted =
                regression.estimate(|column| Model::variable(column).value(&self.points) * motion.leg_metres);
            if wanted.is_finite() {
                let place = (piece.start + retrieve(&piece.index, wanted, None)) as f64;
                if (place - frame).abs() <= AGREES_S * fps {
                    let belief = f64::from((-(way.distance / self.config.trust).powi(2)).exp2());
                    frame += belief * (place - frame);
                }
                estimate = Some(wanted);
            }
        }
        let (distance, unexplained, mirrored) = (way.distance, way.unexplained, way.mirrored);
        Some(Chosen { piece: number, frame, estimate, distance, unexplained, mirrored })
    }

    /// The paper's way: the recognised piece's regression, and of the five frames it names the most continuous.
    fn retrieve(&mut self, model: &Model, found: Recognized) -> Chosen {
        let (frame, estimate) = self.choose(model, found);
        let clip = &model.motions[found.motion].clip;
        let most = (MAX_PACE * clip.fps() * self.seconds).ceil() as usize + 1;
        self.pace = match self.retrieved {
            Some((motion, before)) if motion == found.motion && before.abs_diff(frame) <= most => {
                let step = frame as f32 - before as f32;
                Some(self.pace.map_or(step, |pace| pace + PACE_GAIN * (step - pace)))
            }
            _ => None,
        };
        self.retrieved = Some((found.motion, frame));
        let (piece, distance) = (found.piece, found.distance);
        Chosen { piece, frame: frame as f64, estimate, distance, unexplained: 0.0, mirrored: false }
    }

    /// The actor's frame for what was recognised.
    fn choose(&self, model: &Model, found: Recognized) -> (usize, Option<f64>) {
        let motion = &model.motions[found.motion];
        let piece = &motion.pieces[found.piece];
        let actor = &self.actors[found.motion];
        let first = motion.clip.motion_frames().start;
        let before = self.retrieved.and_then(|(m, frame)| {
            let last = self.actors.get(m)?;
            // Actors on other skeletons may have other points; then continuity has no say.
            let place = frame - model.motions[m].clip.motion_frames().start;
            (last.num_points() == actor.num_points()).then_some((last, place as f32))
        });
        // Where the actor would be now, had he gone on as he was shown; a rest goes on from where it is.
        let pace = self.pace.filter(|_| piece.group.is_some()).unwrap_or(0.0);
        let distance = before.map(|(last, place)| {
            let end = (last.num_frames() - 1) as f32;
            let at = (place + pace).clamp(0.0, end);
            let (low, high) = (last.frame(at.floor() as usize), last.frame(at.ceil() as usize));
            let fraction = at.fract();
            move |i: usize| {
                let points = actor.frame(piece.start - first + i).iter();
                let meant = low.iter().zip(high).map(|(a, b)| a.lerp(*b, fraction));
                points.zip(meant).map(|(a, b)| f64::from(a.distance(b))).sum::<f64>()
            }
        });
        match &piece.regression {
            Some(regression) => {
                let value = |column: usize| Model::variable(column).value(&self.points) * motion.leg_metres;
                let wanted = regression.estimate(value);
                // A point that was lost leaves no estimate: the pattern's place stands in.
                if wanted.is_finite() {
                    // Far from all that was imitated the regression extrapolates; the nearest sample does not.
                    let near = at_fraction(0, piece.end - piece.start, found.place);
                    let belief = f64::from((-(found.distance / self.config.trust).powi(2)).exp2());
                    let wanted = belief * wanted + (1.0 - belief) * f64::from(piece.index[near]);
                    let distance = distance.as_ref().map(|far| far as &dyn Fn(usize) -> f64);
                    return (piece.start + retrieve(&piece.index, wanted, distance), Some(wanted));
                }
                (at_fraction(piece.start, piece.end, found.place), None)
            }
            None if piece.group.is_none() => {
                // A rest is over as soon as it is reached: the frame most like the last one.
                let frames = 0..piece.end - piece.start;
                let nearest =
                    distance.and_then(|distance| frames.min_by(|&a, &b| distance(a).total_cmp(&distance(b))));
                (piece.start + nearest.unwrap_or(0), None)
            }
            None => (at_fraction(piece.start, piece.end, found.place), None),
        }
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

fn at_fraction(start: usize, end: usize, fraction: f32) -> usize {
    start + (fraction * (end - start - 1) as f32).round() as usize
}

/// The frame to show for what was recognised.
struct Chosen {
    piece: usize,
    /// Of the actor's clip, between frames too.
    frame: f64,
    estimate: Option<f64>,
    /// Mean leg lengths per point.
    distance: f32,
    unexplained: f32,
    mirrored: bool,
}
