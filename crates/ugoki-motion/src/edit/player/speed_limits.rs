//! Fastest feet and knees.

/// Fastest that a changed target may make a foot and a knee; the motion itself may be faster where nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedLimits {
    /// Speed of an ankle, m/s.
    pub foot_m_s: f32,
    /// Speed of a knee's flexion, rad/s.
    pub knee_rad_s: f32,
}

/// A foot in a hurry relative to the 99th percentile of the source's own.
const FOOT_HURRY: f32 = 1.5;
/// Bounds of the feet's limit, m/s: the swinging ankle of a walk at 1.4 m/s (Winter 1991, about 4.5 m/s), and that of a run at 5 m/s
/// (twice the body's speed), unless the source itself is faster.
const FOOT_BOUNDS_M_S: [f32; 2] = [4.5, 10.0];
/// Fastest flexion of a knee, rad/s: 900°/s, as in the swing of a fast run; sprinters reach 1200°/s.
const KNEE_RAD_S: f32 = 15.7;

impl SpeedLimits {
    /// For feet whose ankles have this 99th percentile of speed in the source, m/s.
    pub(super) fn new(foot_p99_m_s: f32) -> Self {
        let [least, most] = FOOT_BOUNDS_M_S;
        Self {
            foot_m_s: (FOOT_HURRY * foot_p99_m_s).clamp(least, most).max(foot_p99_m_s),
            knee_rad_s: KNEE_RAD_S,
        }
    }

    /// How many times too fast.
    pub(super) fn over(&self, found: &Self) -> f32 {
        (found.foot_m_s / self.foot_m_s).max(found.knee_rad_s / self.knee_rad_s)
    }

    /// Limits that let pass what is there already.
    pub(super) fn or(self, other: &Self) -> Self {
        Self {
            foot_m_s: self.foot_m_s.max(other.foot_m_s),
            knee_rad_s: self.knee_rad_s.max(other.knee_rad_s),
        }
    }
}
