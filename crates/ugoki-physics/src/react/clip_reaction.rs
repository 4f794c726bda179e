//! The reaction of a clip from end to end: loads, pushes and a scene are placed on it, simulated and reported.

use std::sync::Arc;

use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;

use super::config::{Config, ReactError};
use super::disturbance::{CarriedLoad, EventError, Events, TimedPush, build_events};
use super::named_reaction::ReactionReport;
use super::run::react_to;
use super::target::Target;
use super::world::{Scene, SceneError, SceneWarning, react_in};
use crate::dynamics::Body;

/// What acts on a body that follows a clip.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disturbances<'a> {
    /// What is carried.
    pub loads: &'a [CarriedLoad],
    /// What hits.
    pub pushes: &'a [TimedPush],
    /// Bodies around the character.
    pub scene: Option<&'a Scene>,
}

/// What became of a clip.
#[derive(Debug)]
pub struct ClipReaction {
    /// The motion.
    pub clip: Clip,
    /// What the body did, frame by frame.
    pub report: ReactionReport,
    /// The body as it was simulated, loads welded on.
    pub body: Body,
    /// The joint that loads have instead of a chest, in a skeleton without one.
    pub chest_of_loads: Option<Role>,
    /// The same for pushes.
    pub chest_of_pushes: Option<Role>,
    /// What a user should know about the scene.
    pub warnings: Vec<SceneWarning>,
}

/// Why a clip does not react.
#[derive(Debug, thiserror::Error)]
pub enum ClipReactionError {
    /// A load or push cannot act.
    #[error(transparent)]
    Event(#[from] EventError),
    /// A body of the scene cannot be.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The body cannot follow the clip, or the caller stops.
    #[error(transparent)]
    React(#[from] ReactError),
}

/// Follows a clip through everything that happens. Times count from the file's first row, also when an added T-pose was dropped.
///
/// # Errors
/// When something cannot act, the clip gives no body, or the caller stops.
pub fn react_clip(
    clip: &Clip,
    config: &Config,
    what: Disturbances<'_>,
    progress: Progress<'_>,
) -> Result<ClipReaction, ClipReactionError> {
    let offset_s = clip.first_row() as f64 / clip.fps();
    let Events { events, chest_of_loads, chest_of_pushes } =
        build_events(clip, &config.body, what.loads, what.pushes)?;
    let target = Arc::new(Target::build(clip, config, &mut |part| progress(0.4 * part))?);
    let body = target.loaded_body(config, &events)?;
    let mut warnings = Vec::new();
    let (reaction, report) = match what.scene {
        None => {
            let reaction = react_to(&target, config, &events, None, progress)?;
            let report = ReactionReport::new(&reaction, &target, offset_s);
            (reaction, report)
        }
        Some(scene) => {
            let world = scene.around(&target, config, offset_s)?;
            let (reaction, record) = react_in(world, &target, config, &events, progress)?;
            warnings = scene.warnings(&target, offset_s);
            warnings.extend(record.stood_in.iter().map(|&body| SceneWarning::StoodIn { body }));
            let report = ReactionReport::new(&reaction, &target, offset_s);
            let report = report.with_world(scene.bodies.clone(), record, &reaction.links, offset_s);
            (reaction, report)
        }
    };
    Ok(ClipReaction { clip: reaction.clip, report, body, chest_of_loads, chest_of_pushes, warnings })
}
