//! Why a walk cannot be made.

use ugoki_base::Cancelled;
use ugoki_base::clip::ClipError;
use ugoki_base::skeleton::Side;
use ugoki_feet::contact::ContactError;
use ugoki_feet::feet::PlantError;

use crate::edit::EditError;
use crate::reconstruct::RebuildError;

/// Why a source cannot be walked with, or a plan not be walked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WalkError {
    /// Less than a motion.
    #[error("the motion has {frames} frames, expected at least 4")]
    TooShort {
        /// Frames there are.
        frames: usize,
    },
    /// Hips are what feet carry.
    #[error("no joint has the role hips")]
    NoHips,
    /// A position is not a number.
    #[error("a position or heading is not a finite number")]
    NotFinite,
    /// The legs are not known.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// The clip cannot be cut or resampled.
    #[error(transparent)]
    Clip(ClipError),
    /// A swing cannot be bent, or no more.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The body cannot be rebuilt.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// Nothing to play.
    #[error("there is no source")]
    NoSource,
    /// Sources must share a skeleton.
    #[error("{other:?} is on another skeleton than {first:?}")]
    Skeletons {
        /// Name of the first source.
        first: String,
        /// Name of the one that differs.
        other: String,
    },
    /// Routes between segments take a square of them.
    #[error("{segments} segments are more than {max}")]
    TooMany {
        /// Segments there are.
        segments: usize,
        /// The bound.
        max: usize,
    },
    /// A segment out of range, or one that no transition leads to.
    #[error("segment {segment} of {segments} does not exist or does not follow there")]
    NoSegment {
        /// The segment asked for.
        segment: usize,
        /// Segments there are.
        segments: usize,
    },
    /// The feet do not match where segments meet.
    #[error("{to:?} cannot follow {from:?}: not the same feet stand where they meet")]
    NoLink {
        /// The segment before.
        from: String,
        /// The segment after.
        to: String,
    },
    /// No transitions lead there.
    #[error("no transitions lead from {from:?} to {to:?}")]
    NoWay {
        /// Where the player is.
        from: String,
        /// The segment asked for.
        to: String,
    },
    /// Steps of both feet in turn are what a walk is made of.
    #[error("no walk was found: {steps} steps of one foot after the other, expected at least 2")]
    NoGait {
        /// Steps of the longest run.
        steps: usize,
    },
    /// A source too short to be repeated.
    #[error("the source has {steps} steps and no stride that repeats, and more are wanted")]
    NoCycle {
        /// Steps there are.
        steps: usize,
    },
    /// Feet that hardly stand flat run, dance or jump.
    #[error("the feet stand flat in {flat} of {steps} steps, expected in a third at least")]
    OnTiptoe {
        /// Steps in which heel and toe stand together.
        flat: usize,
        /// Steps there are.
        steps: usize,
    },
    /// Clamping did not come to an end.
    #[error("the plan is still impossible after being made easier {rounds} times")]
    Clamp {
        /// Times it was made easier.
        rounds: usize,
    },
    /// A plan without steps.
    #[error("the plan has no steps")]
    EmptyPlan,
    /// More than a clip should hold.
    #[error("the plan has {steps} steps, more than {max}")]
    TooManySteps {
        /// Steps planned.
        steps: usize,
        /// The bound.
        max: usize,
    },
    /// A step that no body makes, by its place in the plan, counted from 1.
    #[error("step {step} ({}): {fault}", side_word(*.foot))]
    Step {
        /// Counted from 1.
        step: usize,
        /// The foot that steps.
        foot: Side,
        /// What is wrong with it.
        fault: StepFault,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A figure of a step beyond its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excess {
    /// The figure found.
    pub found: f32,
    /// The limit, in the same unit; the least where less is worse.
    pub max: f32,
}

/// What is wrong with a planned step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepFault {
    /// A number is not finite.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// Which one.
        what: &'static str,
    },
    /// Too far from the origin for millimetres, metres.
    #[error("it lies {:.0} m from the start, more than {:.0} m", .0.found, .0.max)]
    Far(Excess),
    /// Feet take turns.
    #[error("the {} foot cannot step twice in a row", side_word(*.foot))]
    SameFoot {
        /// The foot.
        foot: Side,
    },
    /// Too long for the legs, metres between the ankles over the ground.
    #[error("{:.2} m from the other foot, at most {:.2} m for these legs", .0.found, .0.max)]
    Long(Excess),
    /// Too high or too deep, metres.
    #[error("{:.2} m higher or lower than the other foot, at most {:.2} m for these legs", .0.found, .0.max)]
    High(Excess),
    /// The legs would pass through each other: metres across the other foot's line, negative on the foot's own side.
    #[error("{}", crossing(.0))]
    Crosses(Excess),
    /// Turned too far against the other foot, degrees.
    #[error("turned {:.0}° against the other foot, at most {:.0}°", .0.found, .0.max)]
    Turns(Excess),
    /// Taken with this source, it demands too much of the body, however slowly.
    #[error("{}", demand(*.metres, *.max, .strain))]
    Asks {
        /// How far ahead of the other foot it is planned, or to its side if that is farther, metres.
        metres: f32,
        /// How far it may be in this plan made shorter, metres, where that helps.
        max: Option<f32>,
        /// What it demands.
        strain: Strain,
    },
}

/// What a step demands of a body that is too much.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Strain {
    /// The hips would sink too far for both legs to reach, metres: a walk on bent knees.
    #[error("hips would sink by {:.3} m, at most {:.3} m", .0.found, .0.max)]
    Sinks(Excess),
    /// The knee would have to fold farther than knees do, degrees.
    #[error("a knee would fold by {:.0}°, at most {:.0}°", .0.found, .0.max)]
    Folds(Excess),
    /// The hips would have to rise or sink faster than bodies do in walking, metres per second.
    #[error("hips would rise or sink at {:.1} m/s, at most {:.1} m/s", .0.found, .0.max)]
    Lurches(Excess),
    /// The knee would have to bend faster than the source's ever does, as a multiple of the source's fastest.
    #[error("a knee would bend {:.1} times as fast as the source's ever does", .0.found)]
    Kicks(Excess),
    /// A knee would bend the wrong way, degrees.
    #[error("a knee would bend back by {:.0}°", .0.found)]
    BendsBack(Excess),
    /// The legs would pass through each other in mid-swing: metres between their middle lines, and the least.
    #[error("the legs would pass within {:.3} m of each other, at least {:.3} m", .0.found, .0.max)]
    Touches(Excess),
}

impl Strain {
    /// Whether it shows, but a body can do it: neither legs that do not reach nor knees that do not fold.
    pub(super) fn shows(&self) -> bool {
        !matches!(self, Self::Sinks(_) | Self::Folds(_))
    }
}

/// What was planned, what is possible and why.
fn demand(metres: f32, max: Option<f32>, strain: &Strain) -> String {
    match (max, strain) {
        (Some(max), _) => {
            format!("{metres:.2} m from the other foot, at most {max:.2} m with this walk, or {strain}")
        }
        (None, Strain::Touches(_)) => strain.to_string(),
        (None, _) => format!("{strain} with this walk, even in shorter steps"),
    }
}

/// Feet across each other's line, or too near on their own sides.
fn crossing(&Excess { found, max }: &Excess) -> String {
    if found <= 0.0 {
        return format!("{:.3} m to the side of the other foot, at least {:.3} m there", -found, -max);
    }
    let limit = match max > 0.0 {
        true => format!("at most {max:.3} m before the legs cross"),
        false => format!("at least {:.3} m to its own side there", -max),
    };
    format!("{found:.3} m across the other foot's line, {limit}")
}

fn side_word(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
    }
}

impl From<PlantError> for WalkError {
    fn from(error: PlantError) -> Self {
        match error {
            PlantError::Contact(error) => Self::Contact(error),
            PlantError::Cancelled(cancelled) => Self::Cancelled(cancelled),
        }
    }
}
