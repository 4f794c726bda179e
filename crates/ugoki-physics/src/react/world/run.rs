//! A reaction with the bodies of a scene around the character.

use std::fmt;
use std::sync::Arc;

use ugoki_base::Progress;

use super::super::config::{Config, Event, ReactError};
use super::super::environment::Touch;
use super::super::report::Reaction;
use super::super::run::react_to;
use super::super::target::Target;
use super::scene::{Scene, SceneError};
use super::world::{Hit, Place, World};

/// How near to the ground the top of a box is that stands for it, and how high a floor must be over zero to be a box's top, m.
const PEDESTAL_M: f64 = 0.03;

/// What the bodies of a scene did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorldRecord {
    /// Meetings with the character, in order.
    pub hits: Vec<Hit>,
    /// Where each body is in every frame of motion; none before it appears.
    pub places: Vec<Vec<Option<Place>>>,
    /// Fixed bodies in which a planted foot has stood.
    pub stood_in: Vec<usize>,
}

/// What a user should know about a body of a scene; `Display` counts bodies from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SceneWarning {
    /// It appears after the end.
    Late {
        /// Which body, from 0.
        body: usize,
        /// When it appears, s.
        at_s: f64,
        /// When the motion ends, s.
        end_s: f64,
    },
    /// A fixed box ends at the height of the ground: a character on a box was taken to stand on a floor.
    Pedestal {
        /// Which body, from 0.
        body: usize,
        /// Height of the ground, m.
        ground_m: f64,
    },
    /// Planted feet reach into a fixed body.
    StoodIn {
        /// Which body, from 0.
        body: usize,
    },
}

impl fmt::Display for SceneWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late { body, at_s, end_s } => {
                write!(f, "body {} appears at {at_s} s, after the motion's end at {end_s:.2} s", body + 1)
            }
            Self::Pedestal { body, ground_m } => write!(
                f,
                "body {} ends at the height of the motion's ground, {ground_m:.2} m, which goes on past its edges; no body comes down from it",
                body + 1
            ),
            Self::StoodIn { body } => write!(
                f,
                "planted feet reach into body {}; they keep to the motion's own ground, and no fixed body lifts or stops them",
                body + 1
            ),
        }
    }
}

impl Scene {
    /// The world around a target. Times of the scene count from `offset_s` before the target's clip.
    ///
    /// # Errors
    /// When a body of the scene cannot be.
    pub fn around(&self, target: &Target, config: &Config, offset_s: f64) -> Result<World, SceneError> {
        let mut scene = self.clone();
        for thing in &mut scene.bodies {
            thing.at_s = (thing.at_s - offset_s).max(0.0);
        }
        World::build(&scene, target.floor(), config.body.gravity_m_s2)
    }

    /// Bodies that will not do what was meant: those that come too late, and boxes that a character seems to stand on.
    #[must_use]
    pub fn warnings(&self, target: &Target, offset_s: f64) -> Vec<SceneWarning> {
        let end_s = target.start_s() + offset_s + target.num_steps() as f64 * target.step_s();
        let bodies = || self.bodies.iter().enumerate();
        let late = bodies().filter(|(_, thing)| thing.at_s > end_s);
        let late = late.map(|(body, thing)| SceneWarning::Late { body, at_s: thing.at_s, end_s });
        let pedestals = bodies().filter_map(|(body, thing)| {
            let ([x, y, z], [_, height, _]) = (thing.position_m, thing.size_m?);
            let ground_m = target.floor().height_at(x, z);
            let under = thing.mass_kg.is_none() && (y + 0.5 * height - ground_m).abs() < PEDESTAL_M;
            // A plate let into a floor at zero is no pedestal.
            (under && ground_m > PEDESTAL_M).then_some(SceneWarning::Pedestal { body, ground_m })
        });
        late.chain(pedestals).collect()
    }
}

/// [`react_to`] in a world of bodies.
///
/// # Errors
/// As [`react_to`].
pub fn react_in(
    mut world: World,
    target: &Arc<Target>,
    config: &Config,
    events: &[Event],
    progress: Progress<'_>,
) -> Result<(Reaction, WorldRecord), ReactError> {
    let (mut places, mut steps) = (Vec::new(), 0);
    let mut environment = |touch: &mut Touch<'_>| {
        if steps % target.substeps() == 0 {
            places.push(world.places());
        }
        steps += 1;
        world.step(touch);
    };
    let reaction = react_to(target, config, events, Some(&mut environment), progress)?;
    places.push(world.places());
    Ok((reaction, WorldRecord { hits: world.hits().to_vec(), places, stood_in: world.stood_in() }))
}
