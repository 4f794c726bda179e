//! The solve from outside.

use super::cloud::Cloud;
use super::residual::{self, GroupResidual};
use super::{build, centres, fill};
use crate::clip::{Clip, ClipError};
use crate::markers::points::Markers;
use crate::markers::resolve::Resolved;
use crate::skeleton::Role;
use crate::{Cancelled, Progress};

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveConfig {
    /// Longest gap, seconds, that is bridged between neighbouring frames when no markers on the same part help.
    ///
    /// A fifth of a second is less than half a step's swing; over longer gaps the joint is held and reported.
    pub max_bridge_s: f64,
}

impl Default for SolveConfig {
    fn default() -> Self {
        Self { max_bridge_s: 0.2 }
    }
}

/// A solved clip and how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Solved {
    /// The motion; lengths of all joints are constant.
    pub clip: Clip,
    /// Whose marker names were found.
    pub set: String,
    /// Labels used.
    pub used: Vec<String>,
    /// Labels not used.
    pub ignored: Vec<String>,
    /// Measures that were taken from usual proportions because no marker shows them.
    pub guessed: Vec<String>,
    /// Positions of gaps filled from markers on the same part.
    pub filled_rigid: usize,
    /// Positions of gaps bridged between neighbouring frames.
    pub filled_short: usize,
    /// Joints that no marker showed in some frames, and in how many.
    pub held: Vec<(Role, usize)>,
    /// How far the markers of each part are from the body, by part.
    pub groups: Vec<GroupResidual>,
}

/// Why markers do not become a clip.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// Nothing to solve.
    #[error("the file has no frames")]
    NoFrames,
    /// The markers are there by name but not in sight.
    #[error("{what} cannot be found: its markers are never in sight together")]
    NotSeen {
        /// Which part of the body.
        what: &'static str,
    },
    /// A body that is no person's size.
    #[error(
        "the body would be {stature_m:.3} m tall, expected a person; the unit may be wrong, or the markers are on something else"
    )]
    Size {
        /// Stature by the thigh.
        stature_m: f64,
    },
    /// Marker and clip disagree about rates.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Statures of people, metres, children and giants included.
const STATURES: std::ops::RangeInclusive<f64> = 0.5..=2.7;

/// Solves `markers`, which are what `found` says, for a skeleton and its motion.
///
/// # Errors
/// When pelvis or legs are never in sight, or what is there is not of a person's size.
pub fn solve(
    markers: &Markers,
    found: &Resolved,
    config: &SolveConfig,
    progress: Progress<'_>,
) -> Result<Solved, SolveError> {
    if markers.num_frames() == 0 {
        return Err(SolveError::NoFrames);
    }
    let fps = markers.fps();
    let mut cloud = Cloud::new(markers, found);
    let seen = cloud.clone();
    let bridge = (config.max_bridge_s * fps).clamp(0.0, 1e6) as usize;
    let filled = fill::fill(&mut cloud, bridge);
    step(progress, 0.3)?;
    let centres =
        centres::find(&cloud, &found.body, fps).ok_or(SolveError::NotSeen { what: "the pelvis" })?;
    if !STATURES.contains(&centres.stature) {
        return Err(SolveError::Size { stature_m: centres.stature });
    }
    step(progress, 0.6)?;
    let built = build::build(&centres, fps)?.ok_or(SolveError::NotSeen { what: "a whole leg" })?;
    step(progress, 0.9)?;
    let groups = residual::measure(&seen, &built.clip, &built.shown);
    let names = |indices: &mut dyn Iterator<Item = usize>| {
        indices.map(|index| markers.labels()[index].clone()).collect::<Vec<String>>()
    };
    let mut clip = built.clip;
    clip.name.clone_from(&markers.name);
    Ok(Solved {
        clip,
        set: found.set.clone(),
        used: names(&mut found.landmarks.iter().map(|(index, _)| *index)),
        ignored: names(&mut found.ignored.iter().copied()),
        guessed: centres.guessed.iter().map(|what| (*what).to_owned()).collect(),
        filled_rigid: filled.rigid,
        filled_short: filled.short,
        held: built.held,
        groups,
    })
}

fn step(progress: Progress<'_>, fraction: f32) -> Result<(), Cancelled> {
    if progress(fraction).is_break() { Err(Cancelled) } else { Ok(()) }
}
