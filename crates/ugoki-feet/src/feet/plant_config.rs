//! How feet are planted, and why they cannot be.

use serde::{Deserialize, Serialize};
use ugoki_base::Cancelled;
use ugoki_base::clip::Clip;

use super::report::PlantReport;
use crate::contact::ContactError;

/// Why feet cannot be planted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlantError {
    /// The legs are not known.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// How feet are planted; lengths for a leg of 0.85 m.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlantConfig {
    /// Whether the floor's tilt and height are removed.
    pub level: bool,
    /// Contacts this near a foot's usual height are put on it; farther ones stand on steps, metres.
    pub snap_m: f64,
    /// Contacts that stray farther from their mean slide on purpose and are left alone, metres.
    pub slide_m: f64,
    /// A contact that needs its foot moved by more than this is let go, metres.
    pub max_shift_m: f64,
    /// A contact that would bend or stretch a knee by more than this is let go, degrees.
    pub max_knee_deg: f64,
    /// How much more the hips' shift costs than where a seam or a step asks for it: what is only planted stays near its source. Swept on
    /// captures for tuning: joints are 6.9 mm from the source in the mean with 1, 6.1 mm with 2; feet slide as much. Contacts that
    /// are held whole ask for it fully.
    pub hips_stiffness: f64,
    /// Whether contacts are held whole and at any cost, because the caller knows that the feet stand there;
    /// otherwise only the parts that truly stand are held, and those beyond the limits are let go.
    pub whole: bool,
}

impl Default for PlantConfig {
    fn default() -> Self {
        Self {
            level: true,
            snap_m: 0.03,
            slide_m: 0.08,
            max_shift_m: 0.06,
            max_knee_deg: 25.0,
            hips_stiffness: 2.0,
            whole: false,
        }
    }
}

/// A planted clip and what was done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Planted {
    /// The clip with feet that stand still.
    pub clip: Clip,
    /// Before and after.
    pub report: PlantReport,
}
