//! What learning gives: actors' motions, their pieces, and how a performer's body tells where in them it is.

use std::sync::Arc;

use glam::Vec3;

use super::{Regression, Variable};
use crate::clip::Clip;
use crate::segment::{BodyPoints, Objective, Observer};
use crate::skeleton::Role;

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
    /// Estimates the objective from the performer's points, in metres of the one who imitated; none for a rest and where
    /// no coordinate told enough.
    pub regression: Option<Regression>,
    /// The imitations' own frames; the actor's where there is none.
    pub patterns: Vec<Pattern>,
}

/// An actor's motion and its pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// The actor's clip.
    pub clip: Arc<Clip>,
    /// Its pieces in order.
    pub pieces: Vec<ModelPiece>,
    /// Leg of the one who imitated, metres: the regressions' unit of length.
    pub leg_metres: f64,
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
    pub fn actor_points(&self) -> Result<BodyPoints, crate::segment::SegmentError> {
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
