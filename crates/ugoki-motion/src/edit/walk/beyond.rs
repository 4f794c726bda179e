//! How far a source's own steps exceed the limits of plans.

/// What steps go beyond the limits for plans, of height, of length, in turning and across the other foot: metres and degrees.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Beyond {
    pub(super) high: f32,
    pub(super) long: f32,
    pub(super) turn_deg: f32,
    pub(super) across: f32,
}
