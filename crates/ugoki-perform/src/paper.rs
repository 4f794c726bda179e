//! The paper's run time \[shibata2005, 2.2 to 2.5\] and nothing else: the piece recognised, its regression's estimate ŷ, and of
//! the five frames whose index is nearest ŷ the one of least z(P) + z(Q), Q measured from the frame shown last.

use glam::Vec3;
use ugoki_motion::segment::{BodyPoints, SegmentError};

use super::config::Method;
use super::{Model, Recognizer, retrieve};

/// State of a performance in the paper's way.
#[derive(Debug, Clone)]
pub(super) struct Paper {
    recognizer: Recognizer,
    /// The actors' points, for Q.
    actors: Vec<BodyPoints>,
    /// Motion and frame of its clip that were shown last.
    shown: Option<(usize, usize)>,
}

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retrieved {
    pub(super) motion: usize,
    pub(super) piece: usize,
    pub(super) frame: usize,
    pub(super) estimate: Option<f64>,
    pub(super) margin: f32,
}

impl Paper {
    pub(super) fn build(model: &Model, method: Method) -> Result<Self, SegmentError> {
        let actors = model.motions.iter().map(super::Motion::actor_points);
        Ok(Self {
            recognizer: Recognizer::build(model, method),
            actors: actors.collect::<Result<_, _>>()?,
            shown: None,
        })
    }

    /// Takes the model's points in leg lengths. A piece without a regression, which the paper does not have, is shown by the
    /// frame nearest to the one before.
    pub(super) fn step(&mut self, model: &Model, points: &[Vec3]) -> Option<Retrieved> {
        let found = self.recognizer.step(points)?;
        let motion = &model.motions[found.motion];
        let piece = &motion.pieces[found.piece];
        let actor = &self.actors[found.motion];
        let first = motion.clip.motion_frames().start;
        let before = self.shown.and_then(|(m, frame)| {
            let last = &self.actors[m];
            // Actors on other skeletons may have other points; then Q has no say.
            (last.num_points() == actor.num_points())
                .then(|| last.frame(frame - model.motions[m].clip.motion_frames().start))
        });
        let distance = before.map(|before| {
            move |i: usize| -> f64 {
                let points = actor.frame(piece.start - first + i).iter().zip(before);
                points.map(|(a, b)| f64::from(a.distance(*b))).sum()
            }
        });
        let value = |column: usize| Model::variable(column).value(points) * motion.leg_metres;
        let estimate = piece.regression.as_ref().map(|own| own.estimate(value)).filter(|y| y.is_finite());
        let frame = match (estimate, &distance) {
            (Some(wanted), _) => {
                let distance = distance.as_ref().map(|far| far as &dyn Fn(usize) -> f64);
                retrieve(&piece.index, wanted, distance)
            }
            (None, Some(far)) => {
                (0..piece.end - piece.start).min_by(|&a, &b| far(a).total_cmp(&far(b))).unwrap_or(0)
            }
            (None, None) => 0,
        };
        let frame = piece.start + frame;
        self.shown = Some((found.motion, frame));
        Some(Retrieved { motion: found.motion, piece: found.piece, frame, estimate, margin: found.margin })
    }
}
