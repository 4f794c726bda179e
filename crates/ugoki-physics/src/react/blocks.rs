//! Fixed boxes that feet may stand on: steps, kerbs, pedestals.
//!
//! A planted foot stands on the target's own ground, which may be a step already. What a box changes is the ground of a
//! foot that is elsewhere than the target's: it stands higher or lower by as much as the ground there does. A box in
//! which the target's own feet stand is none of its ground and left out.

use glam::{DQuat, DVec3};
use ugoki_feet::contact::Floor;

/// A level box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Its middle, world, m.
    pub centre: DVec3,
    /// Half of its edges, m.
    pub half: DVec3,
    /// Its heading.
    pub turn: DQuat,
}

/// A sole that is deeper than this under a box's top, m, is next to or inside it, not on it: captured soles are not on
/// their ground to the centimetre.
const DEEP_M: f64 = 0.03;
/// A box that leans by more than this, rad (1°), is no ground.
const LEVEL: f64 = 0.0175;

impl Block {
    /// Whether its top is level.
    #[must_use]
    pub fn is_level(&self) -> bool {
        (self.turn * DVec3::Y).angle_between(DVec3::Y) < LEVEL
    }

    fn top(&self) -> f64 {
        self.centre.y + self.half.y
    }

    fn carries(&self, p: DVec3) -> bool {
        self.spans(p) && p.y > self.top() - DEEP_M
    }

    /// Whether what stands at `p` stands inside it: such a box is not where the motion has its ground.
    pub(super) fn swallows(&self, p: DVec3) -> bool {
        self.spans(p) && p.y <= self.top() - DEEP_M && p.y >= self.centre.y - self.half.y - DEEP_M
    }

    fn spans(&self, p: DVec3) -> bool {
        let local = self.turn.conjugate() * (p - self.centre);
        local.x.abs() <= self.half.x && local.z.abs() <= self.half.z
    }
}

/// How far the highest box under `p` rises over the floor, m.
pub(super) fn height(blocks: &[Block], floor: &Floor, p: DVec3) -> f64 {
    let under = blocks.iter().filter(|block| block.carries(p));
    under.map(|block| block.top() - floor.height_at(p.x, p.z)).fold(0.0, f64::max)
}

/// How much higher the ground is at `here` than at `there`, m.
pub(super) fn rise(blocks: &[Block], floor: &Floor, here: DVec3, there: DVec3) -> f64 {
    if blocks.is_empty() { 0.0 } else { height(blocks, floor, here) - height(blocks, floor, there) }
}
