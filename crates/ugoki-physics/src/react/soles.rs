//! The places of a body that can touch the ground: corners of the soles, balls at the ends of the other links and at the hands' fingers.

use glam::DVec3;
use ugoki_base::skeleton::Role;

use super::hands::{FINGER_M, Tip};
use crate::dynamics::{Body, Kinematics};

/// Heel stands.
pub(super) const HEEL: u8 = 1;
/// Ball and toes stand.
pub(super) const TOE: u8 = 2;

/// A corner of a sole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub(super) link: usize,
    /// In the link's frame, m.
    pub(super) point: DVec3,
    /// [`HEEL`] or [`TOE`].
    pub(super) part: u8,
    /// At the tip of the toes, which are weak.
    pub(super) tip: bool,
}

/// One sole.
#[derive(Debug, Clone)]
pub(super) struct Sole {
    /// The foot's link.
    pub(super) foot: usize,
    pub(super) corners: Vec<Corner>,
}

impl Sole {
    /// The middle of its corners, world, m.
    pub(super) fn middle(&self, poses: &Kinematics) -> DVec3 {
        let places = self.corners.iter().map(|corner| poses.link(corner.link).point(corner.point));
        places.sum::<DVec3>() / self.corners.len().max(1) as f64
    }
}

/// The soles, left first.
pub(super) fn soles(body: &Body) -> [Sole; 2] {
    body.feet().map(|foot| {
        let mut corners = Vec::with_capacity(6);
        let on_foot = &body.link(foot.foot).sole;
        for (k, &point) in on_foot.iter().enumerate() {
            corners.push(Corner {
                link: foot.foot,
                point,
                part: if k < 2 { HEEL } else { TOE },
                tip: k >= 4,
            });
        }
        if let Some(toes) = foot.toes {
            // The toes' first pair is the ball again.
            for &point in body.link(toes).sole.iter().skip(2) {
                corners.push(Corner { link: toes, point, part: TOE, tip: true });
            }
        }
        Sole { foot: foot.foot, corners }
    })
}

/// A ball on a link that may hit the ground in a fall.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bump {
    pub(super) link: usize,
    /// Centre in the link's frame, m.
    pub(super) point: DVec3,
    pub(super) radius: f64,
    /// Whether it has friction of its own.
    pub(super) rubs: bool,
    /// Which tip of a hand it is, if any.
    pub(super) tip: Option<usize>,
}

/// Balls on everything but the soles.
pub(super) fn bumps(body: &Body, tips: &[Tip]) -> Vec<Bump> {
    let mut out = Vec::new();
    let ball = |link, point, radius| Bump { link, point, radius, rubs: true, tip: None };
    for (index, link) in body.links().iter().enumerate() {
        let is_foot = body.feet().iter().any(|f| f.foot == index || f.toes == Some(index));
        if !is_foot {
            out.push(ball(index, link.end, link.radius));
        }
        let sides =
            [Role::Hips, Role::LeftUpperLeg, Role::RightUpperLeg, Role::LeftUpperArm, Role::RightUpperArm];
        if sides.contains(&link.role) {
            out.push(ball(index, DVec3::ZERO, link.radius));
        }
    }
    out.extend(tips.iter().enumerate().map(|(index, tip)| {
        let point = tip.at(0, 1);
        Bump { link: tip.link, point, radius: FINGER_M, rubs: tip.longest, tip: Some(index) }
    }));
    out
}
