//! What is thrown or stands in the way, as `--throw FILE.json` describes it.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use ugoki_base::document::json_place;

/// Bodies of one scene; each is swept against every link in every step.
pub const MAX_BODIES: usize = 64;
/// Lengths, m, and speeds, m/s, beyond these belong to another unit.
const MAX_LENGTH_M: f64 = 1000.0;
const MAX_SPEED_M_S: f64 = 1000.0;

/// Everything except the character.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Balls and boxes.
    pub bodies: Vec<Thing>,
}

/// The form of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A ball of `radius_m`.
    Ball,
    /// A box of `size_m`.
    Box,
}

/// One body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thing {
    /// Its form.
    pub shape: Shape,
    /// Radius of a ball, m.
    #[serde(default)]
    pub radius_m: Option<f64>,
    /// Edges of a box, m.
    #[serde(default)]
    pub size_m: Option<[f64; 3]>,
    /// Mass, kg; without one it stands fixed: a step, a wall.
    #[serde(default)]
    pub mass_kg: Option<f64>,
    /// Centre, world, m.
    pub position_m: [f64; 3],
    /// Orientation as a rotation vector, degrees.
    #[serde(default)]
    pub rotation_deg: [f64; 3],
    /// Velocity when it appears, m/s.
    #[serde(default)]
    pub velocity_m_s: [f64; 3],
    /// Angular velocity when it appears, rad/s.
    #[serde(default)]
    pub spin_rad_s: [f64; 3],
    /// When it appears, seconds from the clip's first row.
    #[serde(default)]
    pub at_s: f64,
    /// Coefficient of restitution: separation speed divided by closing speed.
    #[serde(default = "restitution")]
    pub restitution: f64,
    /// Coefficient of friction.
    #[serde(default = "friction")]
    pub friction: f64,
}

/// A half-blown ball on clothes; a tennis ball on stone has 0.75.
fn restitution() -> f64 {
    0.4
}

/// Leather or cardboard on cloth.
fn friction() -> f64 {
    0.5
}

/// Why a scene cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// Not the JSON of a scene.
    #[error("{}{message}", line.map_or(String::new(), |line| format!("line {line}: ")))]
    Json {
        /// The line, from 1, where known.
        line: Option<u32>,
        /// What the parser said.
        message: String,
    },
    /// Too many bodies.
    #[error("{found} bodies; give at most {MAX_BODIES}")]
    TooMany {
        /// Bodies found.
        found: usize,
    },
    /// A number that makes no sense.
    #[error("bodies[{index}]: {field} is {found}; give {expected}")]
    Value {
        /// Which body, from 0.
        index: usize,
        /// The field.
        field: &'static str,
        /// Its value.
        found: String,
        /// What would do.
        expected: &'static str,
    },
}

impl Scene {
    /// Reads and checks a scene.
    ///
    /// # Errors
    /// Names the line or the body and field that makes no sense.
    pub fn from_json(text: &str) -> Result<Self, SceneError> {
        let scene: Self = serde_json::from_str(text).map_err(|error| {
            let (line, message) = json_place(&error, error.line(), error.column());
            SceneError::Json { line, message }
        })?;
        scene.check()?;
        Ok(scene)
    }

    /// Whether every number can be worked with.
    ///
    /// # Errors
    /// Names the first that cannot.
    pub fn check(&self) -> Result<(), SceneError> {
        if self.bodies.len() > MAX_BODIES {
            return Err(SceneError::TooMany { found: self.bodies.len() });
        }
        for (index, thing) in self.bodies.iter().enumerate() {
            if let Some((field, found, expected)) = thing.fault() {
                return Err(SceneError::Value { index, field, found, expected });
            }
        }
        Ok(())
    }
}

impl Thing {
    /// The first number that makes no sense: field, value, what would do.
    fn fault(&self) -> Option<(&'static str, String, &'static str)> {
        let size = |length: f64| (0.005..=100.0).contains(&length);
        match (self.shape, self.radius_m, self.size_m) {
            (Shape::Ball, Some(radius), None) if size(radius) => {}
            (Shape::Ball, None, _) => {
                return Some(("radius_m", "missing".to_owned(), "the ball's radius in metres"));
            }
            (Shape::Ball, _, Some(_)) => {
                return Some(("size_m", "given".to_owned(), "only radius_m for a ball"));
            }
            (Shape::Ball, Some(radius), None) => {
                return Some(("radius_m", radius.to_string(), "0.005 to 100 m"));
            }
            (Shape::Box, None, Some(edges)) if edges.iter().all(|edge| size(*edge)) => {}
            (Shape::Box, _, None) => {
                return Some(("size_m", "missing".to_owned(), "the box's three edges in metres"));
            }
            (Shape::Box, Some(_), _) => {
                return Some(("radius_m", "given".to_owned(), "only size_m for a box"));
            }
            (Shape::Box, None, Some(edges)) => {
                return Some(("size_m", format!("{edges:?}"), "0.005 to 100 m"));
            }
        }
        let within = |v: [f64; 3], most: f64| v.iter().all(|x| x.abs() <= most);
        let list = |v: [f64; 3]| format!("{v:?}");
        if let Some(mass) = self.mass_kg.filter(|mass| !(0.001..=10_000.0).contains(mass)) {
            return Some(("mass_kg", mass.to_string(), "0.001 to 10000 kg, or none for what stands fixed"));
        }
        if !within(self.position_m, MAX_LENGTH_M) {
            return Some(("position_m", list(self.position_m), "metres, at most 1000 from the origin"));
        }
        if !within(self.velocity_m_s, MAX_SPEED_M_S) {
            return Some(("velocity_m_s", list(self.velocity_m_s), "at most 1000 m/s"));
        }
        if !within(self.spin_rad_s, 1000.0) {
            return Some(("spin_rad_s", list(self.spin_rad_s), "at most 1000 rad/s"));
        }
        if !within(self.rotation_deg, 360.0) {
            return Some(("rotation_deg", list(self.rotation_deg), "at most 360 degrees"));
        }
        if !(0.0..=1e6).contains(&self.at_s) {
            return Some(("at_s", self.at_s.to_string(), "0 or more seconds"));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Some(("restitution", self.restitution.to_string(), "0 to 1"));
        }
        if !(0.0..=10.0).contains(&self.friction) {
            return Some(("friction", self.friction.to_string(), "0 to 10"));
        }
        None
    }

    /// Radius of a ball about the centre that holds it, m.
    pub(super) fn reach(&self) -> f64 {
        match self.shape {
            Shape::Ball => self.radius_m.unwrap_or_default(),
            Shape::Box => 0.5 * DVec3::from_array(self.size_m.unwrap_or_default()).length(),
        }
    }
}
