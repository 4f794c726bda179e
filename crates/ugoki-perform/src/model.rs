//! What learning gives: actors' motions, their pieces, and how a position in them is estimated from a performer's body.

use std::sync::Arc;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_motion::segment::{BodyPoints, Objective, Observer};

use super::{Regression, Variable};

/// Samples of every pattern: the paper's J, the same for all pieces.
pub(super) const SAMPLES: usize = 60;

/// The objective of every frame of a piece, metres.
pub type Index = Vec<f32>;

/// What a piece looks like when performed.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// How long the performance of it took.
    pub seconds: f64,
    /// Sixty frames of the model's points, in leg lengths.
    pub points: Vec<Vec3>,
}

/// One simple movement of an actor.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelPiece {
    /// `right-arm-1`.
    pub name: String,
    /// First frame of the actor's clip.
    pub start: usize,
    /// Frame after the last.
    pub end: usize,
    /// The group that moves; none for a rest.
    pub group: Option<String>,
    /// What the index measures.
    pub objective: Objective,
    /// The objective of every frame.
    pub index: Index,
    /// Estimates the objective from the performer's points, in metres of the imitator; none for a rest and where no
    /// coordinate predicts enough.
    pub regression: Option<Regression>,
    /// The imitations' own frames; the actor's where there is none.
    pub patterns: Vec<Pattern>,
}

/// Moments of a motion per second of the actor's time: twice what the fastest voluntary movements need.
pub(super) const MOMENTS_HZ: f64 = 30.0;
/// Time over which velocities are measured backwards, seconds: two frames of the paper's 30 Hz, short against a
/// movement and long against the noise of sensors.
pub(super) const LOOK_BACK_S: f64 = 1.0 / 15.0;

/// How many moments a clip has.
pub(super) fn num_moments(clip: &Clip) -> usize {
    let last = clip.motion_frames().len().saturating_sub(1);
    (last as f64 / clip.fps() * MOMENTS_HZ + 1e-6) as usize + 1
}

/// A performance of a whole motion in the actor's time: for every moment, thirty per second, what it looked like then.
#[derive(Debug, Clone, PartialEq)]
pub struct Strand {
    /// Whether the performance has the moment.
    pub seen: Vec<bool>,
    /// The model's points at every moment, in leg lengths; 0 where it is not seen.
    pub points: Vec<Vec3>,
    /// Their velocities, leg lengths per second of the performance.
    pub rates: Vec<Vec3>,
}

/// A strand of points at `times`, in frames; velocities over the `back` frames before, of which there are `fps` a
/// second.
pub(super) fn strand(
    points: &BodyPoints,
    times: impl Iterator<Item = Option<f64>>,
    back: f64,
    fps: f64,
) -> Strand {
    let last = points.num_frames() - 1;
    let at = |time: f64, point: usize| {
        let low = (time as usize).min(last);
        let high = (low + 1).min(last);
        points.frame(low)[point].lerp(points.frame(high)[point], (time - low as f64).clamp(0.0, 1.0) as f32)
    };
    let mut strand = Strand { seen: Vec::new(), points: Vec::new(), rates: Vec::new() };
    for time in times {
        strand.seen.push(time.is_some());
        for point in 0..points.num_points() {
            let (mut place, mut rate) = (Vec3::ZERO, Vec3::ZERO);
            if let Some(time) = time {
                place = at(time, point);
                // At its beginning a performance has nothing before it; what comes first stands in.
                let (from, to) = ((time - back).max(0.0), time.max(back).min(last as f64));
                if to > from {
                    rate = (at(to, point) - at(from, point)) * (fps / (to - from)) as f32;
                }
            }
            strand.points.push(place);
            strand.rates.push(rate);
        }
    }
    strand
}

/// An actor's motion and its pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// The actor's clip.
    pub clip: Arc<Clip>,
    /// Its pieces in order.
    pub pieces: Vec<ModelPiece>,
    /// Leg length of the imitator, metres: the regressions' unit of length.
    pub leg_metres: f64,
    /// Imitations that are well paired, in the actor's time. The actor's own frames are not among them.
    pub strands: Vec<Strand>,
}

impl Motion {
    /// The motion's name: that of the actor's clip.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.clip.name
    }

    /// The actor's own points, for the continuity of what is shown.
    ///
    /// # Errors
    /// When the actor's body is not known.
    pub fn actor_points(&self) -> Result<BodyPoints, ugoki_motion::segment::SegmentError> {
        Ok(BodyPoints::watch(&Observer::build(self.clip.skeleton())?, &self.clip))
    }
}

/// Everything that a live performance needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Roles of the points that patterns and regressions use, in order.
    pub roles: Vec<Role>,
    /// The motions.
    pub motions: Vec<Motion>,
}

impl Model {
    /// The variable of a regression's column.
    #[must_use]
    pub fn variable(column: usize) -> Variable {
        Variable { point: column / 3, axis: column % 3 }
    }

    /// `right wrist y` for a regression's column.
    #[must_use]
    pub fn variable_name(&self, column: usize) -> String {
        let variable = Self::variable(column);
        self.roles.get(variable.point).map_or_else(String::new, |&role| variable.name(role))
    }
}
