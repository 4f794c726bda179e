//! The tuned numbers of feet over ground, in one place.
//!
//! Lengths and speeds are those of a body with legs of 0.85 m; [`Feet::scale`](crate::contact::Feet::scale) carries them to others.
//! Detection has its own table: [`ContactConfig`](crate::contact::ContactConfig).

/// A point that is slower than this stands still, m/s: standing feet of captures waver as fast.
pub const STILL_M_S: f64 = 0.05;
/// Time next to a stance within which its foot becomes free, seconds: a third of a swing.
pub const FREE_S: f64 = 0.1;
/// Heights that differ by less are one level, metres: under any stair, over what captures waver by.
pub const STEP_M: f64 = 0.05;
/// A point that standing has moved by more than this has left its place or jumped, metres: standing feet of captures jitter by 1 to 2 mm.
pub(super) const UNREST_M: f64 = 0.006;
/// Heights and places that differ by less are one, metres: feet differ from stance to stance and toes flex by as much.
pub(super) const NEAR_M: f64 = 0.005;
/// A point that leaves its place by no more than this and comes back only wobbles, metres.
pub const WOBBLE_M: f64 = 0.01;
/// Half the window in which a jump away and back is a minority, seconds: two frames at 120 Hz.
pub const GLITCH_HALF_S: f64 = 0.018;
/// Frames between two reports of progress.
pub const REPORT_EVERY: usize = 256;

/// Stiffness of a stance, s²: a foot that would drift by 0.2 m in 10 s creeps by 0.25 mm instead.
pub(super) const HOLD_S2: f64 = 1e4;
/// Stiffness goes from 0 to that of a stance as (Rᶠ − 1)/(R − 1) with the firmness f, so that half a stance is felt as such: R.
pub(super) const HOLD_RANGE: f64 = 1e6;
/// Stiffness of a swing at [`SWING_M_S`], s²: a centimetre over a step of 0.6 m costs a tenth of a centimetre through a stance of half a second.
pub(super) const SWING_S2: f64 = 0.03;
/// Speed of a swinging foot, m/s, and of its turn, rad/s: a walk's mean.
pub(super) const SWING_M_S: f64 = 1.0;
pub(super) const SWING_RAD_S: f64 = 3.0;
/// Part of these speeds that a foot counts as having at least: a swing's edit cannot go into a foot that rests.
pub(super) const SWING_FLOOR: f64 = 0.02;
/// Resistance of a displacement to bending, s⁴: 0.08⁴, with which edges of stances are rounded within 0.04 s.
pub(super) const BEND_S4: f64 = 4.096e-5;
/// Pull of a foot that does not stand towards its source path over the ground, against 1 of one that does: a swing of half a second feels
/// little of it.
pub(super) const FREE_PULL: f64 = 0.1;
/// The same for its height and direction, which are gone within a swing: they say little of a foot that lands or leaves.
pub(super) const FREE_PULL_UP: f64 = 1.0;
/// Pull of every frame, so that each has a place: a hundredth of what a free foot feels.
pub(super) const LEAST_PULL: f64 = 1e-3;
