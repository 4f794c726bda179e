//! What a caller may choose, what can happen to the body, and why a reaction cannot be made.

use serde::{Deserialize, Serialize};
use ugoki_base::Cancelled;
use ugoki_base::signal::{DespikeError, FilterError, KernelError};
use ugoki_base::skeleton::Role;
use ugoki_feet::contact::{ContactConfig, ContactError};

use crate::dynamics::{BodyConfig, BodyError, Load};

/// How the target is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tracking {
    /// The cubic takes the deviation from the target to zero; exact when undisturbed.
    #[default]
    Deviation,
    /// The paper's: the cubic goes straight to the target's next extremum and cuts what lies between.
    Extremum,
}

/// What is done against loads and blows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    /// The target is only followed.
    Off,
    /// The paper's controller as published: strained joints are relieved and the ZMP is kept in every step by arms,
    /// back and lower body, without plans, rollouts or steps.
    Paper,
    /// Planned relief, balance, giving way and steps, chosen by rollouts.
    #[default]
    On,
}

/// How to react; every field has a default, so `{}` is a whole configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The body without loads.
    pub body: BodyConfig,
    /// How the target is followed.
    pub tracking: Tracking,
    /// What is done against loads and blows.
    pub control: Control,
    /// Least rate of integration, Hz; a whole number of steps fits into each frame. At least 120.
    pub rate_hz: f64,
    /// Coefficient of friction between body and ground.
    pub friction: f64,
    /// Border of the support polygon that the ZMP should keep away from, m.
    pub margin_m: f64,
    /// Load (torque divided by strength) that a joint bears without discomfort.
    pub comfort: f64,
    /// Greatest angular acceleration of any correction, rad/s².
    pub max_acceleration: f64,
    /// The target is low-passed at this frequency, Hz, before velocities and accelerations are taken from it.
    pub smooth_hz: f64,
    /// Whether no joint gives more than its strength; without, one whose target takes more gives up to 1.25 times what
    /// that takes.
    pub strict: bool,
    /// Whether glitches of one to three frames are mended first.
    pub despike: bool,
    /// How contacts with the ground are found in the target.
    pub contacts: ContactConfig,
}

impl Default for Config {
    /// 65 kg, deviation tracking, control on, 120 Hz, μ = 0.8, margin 2 mm.
    fn default() -> Self {
        Self {
            body: BodyConfig::default(),
            tracking: Tracking::default(),
            control: Control::default(),
            rate_hz: 120.0,
            friction: 0.8,
            margin_m: 0.002,
            // Under 15 % of its strength a muscle can work without end [rohmert1960].
            comfort: 0.15,
            // Swept in docs/results/react.md: more makes arms that must come back at once.
            max_acceleration: 25.0,
            // Human motion lies under 6 to 10 Hz [winter2009, §3.4].
            smooth_hz: 8.0,
            strict: false,
            despike: true,
            contacts: ContactConfig::default(),
        }
    }
}

/// A blow: an impulse on a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// When it begins, seconds from the clip's first row.
    pub at_s: f64,
    /// Role of the joint that is hit.
    pub role: Role,
    /// Impulse in world axes, N·s.
    pub impulse_n_s: [f64; 3],
    /// How long it lasts, s; 0 is a blow within one step.
    #[serde(default)]
    pub seconds: f64,
}

/// Something that happens to the body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// A mass carried from beginning to end.
    Load(Load),
    /// A blow.
    Push(Push),
}

/// Impulses above this, N·s, are no pushes: 65 kg hit to 15 m/s, a person before a car.
pub const MAX_IMPULSE_N_S: f64 = 1000.0;
/// Loads above this, kg, crush every body of the tables.
pub const MAX_LOAD_KG: f64 = 1000.0;
/// Steps of a target that are kept in memory: an hour and a half at 120 Hz, 650 MB.
pub(super) const MAX_STEPS: usize = 650_000;

/// Why there is no reaction.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReactError {
    /// The skeleton gives no body.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// No contacts can be found.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// A motion needs time.
    #[error("the clip has {frames} frames of motion, expected at least {least}")]
    TooShort {
        /// Frames of motion there are.
        frames: usize,
        /// Frames needed.
        least: usize,
    },
    /// More steps than a target holds.
    #[error("{steps} steps would be simulated, more than {max}")]
    TooLong {
        /// Steps needed.
        steps: usize,
        /// The bound.
        max: usize,
    },
    /// A pose that is not finite.
    #[error("frame {frame} of the clip is not finite")]
    NotFinite {
        /// The first such frame.
        frame: usize,
    },
    /// A setting that makes no sense.
    #[error("{name} is {value}, expected {expected}")]
    Config {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What would do.
        expected: &'static str,
    },
    /// A push or load that makes no sense.
    #[error("event {index}: {what} is {value}, expected {expected}")]
    Event {
        /// Which event, from 0.
        index: usize,
        /// What was wrong.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would do.
        expected: &'static str,
    },
    /// The smoothing kernel cannot be made.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The motion cannot be smoothed.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// Glitches cannot be looked for.
    #[error(transparent)]
    Despike(#[from] DespikeError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Config {
    /// Whether every number can be worked with.
    ///
    /// # Errors
    /// Names the first that cannot.
    pub fn check(&self) -> Result<(), ReactError> {
        let body = &self.body;
        let weakest = body.links.values().filter_map(|link| link.strength).fold(f64::INFINITY, f64::min);
        let (strength, stature) = (body.strength, body.stature_m.unwrap_or(1.7));
        let checks: [(&'static str, f64, bool, &'static str); 11] = [
            ("rate_hz", self.rate_hz, (120.0..=2000.0).contains(&self.rate_hz), "120 to 2000"),
            ("friction", self.friction, (0.0..=10.0).contains(&self.friction), "0 to 10"),
            ("margin_m", self.margin_m, (0.0..=0.2).contains(&self.margin_m), "0 to 0.2"),
            ("comfort", self.comfort, (0.0..=10.0).contains(&self.comfort), "0 to 10"),
            (
                "max_acceleration",
                self.max_acceleration,
                self.max_acceleration > 0.0 && self.max_acceleration.is_finite(),
                "more than 0",
            ),
            ("smooth_hz", self.smooth_hz, (0.5..=1000.0).contains(&self.smooth_hz), "0.5 to 1000"),
            // Without any strength every load is endless.
            ("body.strength", strength, (1e-3..=1e3).contains(&strength), "0.001 to 1000"),
            ("body.links.strength", weakest, weakest >= 1e-3, "0.001 to 1000"),
            (
                "body.gravity_m_s2",
                body.gravity_m_s2,
                (0.1..=100.0).contains(&body.gravity_m_s2),
                "0.1 to 100, downward",
            ),
            ("body.stature_m", stature, (0.3..=3.0).contains(&stature), "0.3 to 3 m"),
            ("body.mass_kg", self.body.mass_kg, (5.0..=500.0).contains(&self.body.mass_kg), "5 to 500 kg"),
        ];
        match checks.into_iter().find(|(_, _, good, _)| !good) {
            Some((name, value, _, expected)) => Err(ReactError::Config { name, value, expected }),
            None => Ok(()),
        }
    }
}

/// Whether every event can happen.
pub(super) fn check_events(events: &[Event]) -> Result<(), ReactError> {
    let fail = |index, what, value, expected| Err(ReactError::Event { index, what, value, expected });
    for (index, event) in events.iter().enumerate() {
        match event {
            Event::Load(load) => {
                if !(0.0..=MAX_LOAD_KG).contains(&load.mass_kg) {
                    return fail(index, "the load in kg", load.mass_kg, "0 to 1000");
                }
            }
            Event::Push(push) => {
                let size = glam::DVec3::from_array(push.impulse_n_s).length();
                // Written so that what is not a number fails.
                if !(0.0..=MAX_IMPULSE_N_S).contains(&size) {
                    return fail(index, "the impulse in N·s", size, "at most 1000");
                }
                if !(push.at_s >= 0.0 && push.at_s.is_finite()) {
                    return fail(index, "the time in s", push.at_s, "0 or more");
                }
                if !(0.0..=10.0).contains(&push.seconds) {
                    return fail(index, "the duration in s", push.seconds, "0 to 10");
                }
            }
        }
    }
    Ok(())
}
