//! A live performance: points in, the actor's pose out.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::{Method, Model, PerformError, Recognized, Recognizer, retrieve};
use crate::math::{exp, log};
use crate::pose::Pose;
use crate::segment::{BodyPoints, Observer};
use crate::skeleton::{Role, Skeleton};

/// Stiffness of what is left of a jump, 1/s: half of it is gone after 0.1 s, nine tenths after 0.23 s.
const SETTLE: f32 = 17.0;
/// Frames of the actor that may be skipped per frame of the performer before it counts as a jump, as a multiple of both
/// rates' ratio: a performer three times as fast as the actor.
const MAX_PACE: f64 = 3.0;
/// Distance, leg lengths per point, at which a lone motion counts as half recognised.
const DOUBTFUL: f32 = 0.25;

/// What it takes to leave the order of pieces, mean leg lengths per point; swept in docs/results/perform.md.
const ORDER: f32 = 0.05;
/// Distance from the imitation, mean leg lengths per point, at which its regression is half believed; swept there too.
const TRUST: f32 = 0.05;
/// How fast the pace that is shown follows what was shown last: half of the difference per frame.
const PACE_GAIN: f32 = 0.5;

/// How to recognise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunConfig {
    /// How pieces are recognised.
    pub method: Method,
    /// Frames that must agree on another piece before it is taken; 0 takes it at once.
    pub hysteresis: usize,
    /// How much nearer a piece of the same motion must be to come out of order, mean leg lengths per point.
    pub order: f32,
    /// Distance from the imitation, mean leg lengths per point, at which its regression and its nearest sample are
    /// believed alike; infinite to believe the regression always.
    pub trust: f32,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self { method: Method::default(), hysteresis: 0, order: ORDER, trust: TRUST }
    }
}

/// What was done with one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Number of the motion in the model.
    pub motion: usize,
    /// Number of the piece in the motion.
    pub piece: usize,
    /// The estimate of the objective, metres; none for rests and pieces without a regression.
    pub estimate: Option<f64>,
    /// Frame of the actor's clip that is shown.
    pub actor_frame: usize,
    /// How sure, 0 to 1.
    pub confidence: f32,
}

/// Where a motion is put: turned about the vertical, then moved.
#[derive(Debug, Clone, Copy)]
struct Place {
    turn: Quat,
    shift: Vec3,
}

/// State of one live performance.
#[derive(Debug, Clone)]
pub struct Runner {
    recognizer: Recognizer,
    trust: f32,
    /// For every point of the model, which watched point of the performer it is.
    sources: Vec<Option<usize>>,
    observer: Observer,
    heading: Option<f32>,
    seen: Vec<Vec3>,
    points: Vec<Vec3>,
    actors: Vec<BodyPoints>,
    shown: Option<(usize, usize)>,
    /// Actor's frames shown per frame of the performer, of late; none after a jump.
    pace: Option<f32>,
    place: Place,
    /// Last target, and what is left of jumps: rotation vectors and their rates, the root's last.
    target: Pose,
    left: Vec<Vec3>,
    rates: Vec<Vec3>,
    seconds: f64,
}

impl Runner {
    /// Prepares a performance by a body on `skeleton` at `fps` frames per second.
    ///
    /// # Errors
    /// When the body's hips are not known or it lacks a point that a regression needs.
    pub fn build(
        model: &Model,
        skeleton: &Skeleton,
        fps: f64,
        config: RunConfig,
    ) -> Result<Self, PerformError> {
        let observer = Observer::build(skeleton)?;
        let own: Vec<Role> = observer.roles().collect();
        let sources: Vec<Option<usize>> =
            model.roles.iter().map(|role| own.iter().position(|other| other == role)).collect();
        for piece in model.motions.iter().flat_map(|motion| &motion.pieces) {
            for &column in piece.regression.iter().flat_map(|regression| &regression.columns) {
                let point = Model::variable(column).point;
                if sources.get(point).copied().flatten().is_none() {
                    let missing =
                        model.roles.get(point).map_or_else(String::new, |role| role.name().to_owned());
                    return Err(PerformError::Performer { missing });
                }
            }
        }
        let actors = model.motions.iter().map(|motion| Ok(motion.actor_points()?));
        let joints = model.motions.iter().map(|motion| motion.clip.num_joints()).max().unwrap_or(0);
        let mut recognizer = Recognizer::build(model, config);
        recognizer.prepare(fps);
        Ok(Self {
            recognizer,
            trust: config.trust.max(f32::MIN_POSITIVE),
            seen: vec![Vec3::ZERO; observer.num_points()],
            points: vec![Vec3::NAN; model.roles.len()],
            sources,
            observer,
            heading: None,
            actors: actors.collect::<Result<_, PerformError>>()?,
            shown: None,
            pace: None,
            place: Place { turn: Quat::IDENTITY, shift: Vec3::ZERO },
            target: Pose {
                root: Vec3::ZERO,
                rotations: vec![Quat::IDENTITY; joints],
                translations: Vec::new(),
            },
            left: vec![Vec3::ZERO; joints + 1],
            rates: vec![Vec3::ZERO; joints + 1],
            seconds: 1.0 / fps,
        })
    }

    /// One frame of the performer's body, as a model pose of the skeleton given to [`Runner::build`]. Writes the actor's
    /// pose for it and says what was recognised; `None`, and `out` unchanged, when nothing of the body was seen.
    pub fn step(
        &mut self,
        model: &Model,
        skeleton: &Skeleton,
        body: &crate::pose::ModelPose,
        out: &mut Pose,
    ) -> Option<Frame> {
        self.heading = Some(self.observer.observe_into(skeleton, body, self.heading, &mut self.seen))
            .filter(|heading| heading.is_finite())
            .or(self.heading);
        let leg = self.observer.leg_metres();
        for (point, source) in self.points.iter_mut().zip(&self.sources) {
            *point = source.map_or(Vec3::NAN, |source| self.seen[source] / leg);
        }
        let found = self.recognizer.step(&self.points, self.seconds)?;
        let (frame, estimate) = self.choose(model, found);
        self.show(model, found.motion, frame, out);
        let alone = model.motions.len() == 1;
        let near = (-found.distance / DOUBTFUL * std::f32::consts::LN_2).exp();
        Some(Frame {
            motion: found.motion,
            piece: found.piece,
            estimate,
            actor_frame: frame,
            confidence: if alone { near } else { found.margin },
        })
    }

    /// The actor's frame for what was recognised.
    fn choose(&self, model: &Model, found: Recognized) -> (usize, Option<f64>) {
        let motion = &model.motions[found.motion];
        let piece = &motion.pieces[found.piece];
        let actor = &self.actors[found.motion];
        let first = motion.clip.motion_frames().start;
        let before = self.shown.and_then(|(m, frame)| {
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
            let share = at.fract();
            move |i: usize| {
                let points = actor.frame(piece.start - first + i).iter();
                let meant = low.iter().zip(high).map(|(a, b)| a.lerp(*b, share));
                points.zip(meant).map(|(a, b)| f64::from(a.distance(b))).sum::<f64>()
            }
        });
        match &piece.regression {
            Some(regression) => {
                let value = |column: usize| Model::variable(column).of(&self.points) * motion.leg_metres;
                let wanted = regression.estimate(value);
                // A point that was lost leaves no estimate: the pattern's place stands in.
                if wanted.is_finite() {
                    // Far from all that was imitated the regression extrapolates; the nearest sample does not.
                    let near = at_share(0, piece.end - piece.start, found.place);
                    let belief = f64::from((-(found.distance / self.trust).powi(2)).exp2());
                    let wanted = belief * wanted + (1.0 - belief) * f64::from(piece.index[near]);
                    let distance = distance.as_ref().map(|far| far as &dyn Fn(usize) -> f64);
                    return (piece.start + retrieve(&piece.index, wanted, distance), Some(wanted));
                }
                (at_share(piece.start, piece.end, found.place), None)
            }
            None if piece.group.is_none() => {
                // A rest is over as soon as it is reached: the frame most like the last one.
                let frames = 0..piece.end - piece.start;
                let nearest =
                    distance.and_then(|distance| frames.min_by(|&a, &b| distance(a).total_cmp(&distance(b))));
                (piece.start + nearest.unwrap_or(0), None)
            }
            None => (at_share(piece.start, piece.end, found.place), None),
        }
    }

    /// Puts the actor's frame where the character stands and lets jumps settle.
    fn show(&mut self, model: &Model, motion: usize, frame: usize, out: &mut Pose) {
        let clip = &model.motions[motion].clip;
        let mut target = std::mem::replace(
            &mut self.target,
            Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() },
        );
        // What was shown before, to measure the jump against; `out` has the room for it.
        out.root = target.root;
        out.rotations.clear();
        out.rotations.extend_from_slice(&target.rotations);
        clip.pose_into(frame, &mut target);
        let pace = (MAX_PACE * clip.fps() * self.seconds).ceil() as usize + 1;
        let (same, jumped) = match self.shown {
            Some((m, before)) if m == motion => (true, before.abs_diff(frame) > pace),
            Some(_) => (false, true),
            None => (true, false),
        };
        if self.shown.is_some() && (!same || jumped) {
            self.place = place_onto(&target, out);
        }
        self.pace = match self.shown {
            Some((_, before)) if same && !jumped => {
                let step = frame as f32 - before as f32;
                Some(self.pace.map_or(step, |pace| pace + PACE_GAIN * (step - pace)))
            }
            _ => None,
        };
        self.place.apply(&mut target);
        if self.shown.is_some() && jumped && out.rotations.len() == target.rotations.len() {
            for (joint, left) in self.left.iter_mut().enumerate().take(target.rotations.len()) {
                let jump = out.rotations[joint] * target.rotations[joint].conjugate();
                *left = log((exp(*left) * jump).normalize());
            }
            if let Some(root) = self.left.last_mut() {
                *root += out.root - target.root;
            }
        }
        self.settle();
        self.target = target;
        self.shown = Some((motion, frame));
        out.translations.clear();
        out.translations.extend_from_slice(&self.target.translations);
        out.rotations.clear();
        out.rotations.extend(
            self.target.rotations.iter().zip(&self.left).map(|(q, left)| (exp(*left) * *q).normalize()),
        );
        out.root = self.target.root + self.left.last().copied().unwrap_or(Vec3::ZERO);
    }

    /// Critically damped way of what is left of jumps to nothing, exact for any step.
    fn settle(&mut self) {
        let dt = self.seconds as f32;
        let decay = (-SETTLE * dt).exp();
        for (x, v) in self.left.iter_mut().zip(&mut self.rates) {
            let y = *v + *x * SETTLE;
            *x = (*x + y * dt) * decay;
            *v = (*v - y * SETTLE * dt) * decay;
        }
    }
}

fn at_share(start: usize, end: usize, share: f32) -> usize {
    start + (share * (end - start - 1) as f32).round() as usize
}

/// The ground place at which `target` stands and faces as `shown` does.
fn place_onto(target: &Pose, shown: &Pose) -> Place {
    let (Some(a), Some(b)) = (target.rotations.first(), shown.rotations.first()) else {
        return Place { turn: Quat::IDENTITY, shift: Vec3::ZERO };
    };
    let turn = crate::math::swing_twist(*b * a.conjugate(), Vec3::Y).1;
    let moved = turn * target.root;
    Place { turn, shift: Vec3::new(shown.root.x - moved.x, 0.0, shown.root.z - moved.z) }
}

impl Place {
    fn apply(&self, pose: &mut Pose) {
        pose.root = self.turn * pose.root + self.shift;
        if let Some(root) = pose.rotations.first_mut() {
            *root = (self.turn * *root).normalize();
        }
    }
}
