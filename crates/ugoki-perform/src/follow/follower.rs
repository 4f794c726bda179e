//! Follows a performer, or the mirror image, at the rate of the filter; what lies between two ticks is predicted.

use glam::Vec3;

use super::{Atlas, Filter, FilterConfig, Posterior};
use crate::config::Mirror;
use crate::model::MOMENTS_HZ;
use crate::{Model, PerformError};

/// Frames that come sooner after a tick than this fraction of one are predicted.
const SOON: f64 = 0.9;
/// Time over which the evidence of a performer using the other hand adds up, seconds.
const HAND_S: f64 = 4.0;
/// Evidence, natural logarithm of the odds, from which the other hand is taken.
const HAND_ODDS: f64 = 10.0;

/// Where a performer is now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Followed {
    pub(crate) posterior: Posterior,
    /// Place in the motion now, frames of its clip from the first.
    pub(crate) frame: f64,
    /// Whether it is the performer's mirror image.
    pub(crate) mirrored: bool,
}

/// The filters of one performance.
#[derive(Debug, Clone)]
pub(crate) struct Follower {
    atlas: Atlas,
    /// Of the performer, and of the mirror image.
    filters: [Filter; 2],
    found: [Option<Posterior>; 2],
    /// For every point the one on the other side.
    partners: Vec<Option<usize>>,
    mirrored: [Vec<Vec3>; 2],
    /// Seconds since the last tick.
    since: f64,
    /// Evidence for the mirror image, and which of the two is followed.
    evidence: f64,
    hand: usize,
}

impl Follower {
    pub(crate) fn build(model: &Model, config: &FilterConfig) -> Result<Self, PerformError> {
        let atlas = Atlas::build(model, config)?;
        let partner = |role: &ugoki_base::skeleton::Role| {
            model.roles.iter().position(|other| *other == role.mirrored())
        };
        let points = vec![Vec3::NAN; model.roles.len()];
        Ok(Self {
            filters: std::array::from_fn(|_| Filter::new(&atlas, config)),
            found: [None; 2],
            partners: model.roles.iter().map(partner).collect(),
            mirrored: [points.clone(), points],
            since: f64::INFINITY,
            evidence: 0.0,
            hand: 0,
            atlas,
        })
    }

    /// Takes points `seconds` after those before, and those of some time ago with how long ago it was. `None` when none is
    /// seen.
    pub(crate) fn step(
        &mut self,
        points: &[Vec3],
        before: Option<(&[Vec3], f64)>,
        seconds: f64,
        mirror: Mirror,
    ) -> Option<Followed> {
        self.since += seconds.max(0.0);
        if points.iter().all(|p| !p.is_finite()) {
            return None;
        }
        let tick = 1.0 / MOMENTS_HZ;
        if self.since >= SOON * tick {
            let ticks = if self.since.is_finite() { self.since } else { 0.0 };
            self.tick(points, before, ticks, mirror);
            self.since = 0.0;
        }
        let posterior = self.found[self.hand]?;
        let clip_fps = self.atlas.motions[posterior.motion].clip_frames * MOMENTS_HZ;
        let frame = posterior.frame + posterior.rate * self.since * clip_fps;
        Some(Followed { posterior, frame, mirrored: self.hand == 1 })
    }

    fn tick(&mut self, points: &[Vec3], before: Option<(&[Vec3], f64)>, seconds: f64, mirror: Mirror) {
        if mirror == Mirror::Yes {
            self.hand = 1;
        } else {
            self.found[0] = self.filters[0].tick(&self.atlas, points, before, seconds);
        }
        if mirror == Mirror::No {
            return;
        }
        let flip = |points: &[Vec3], partners: &[Option<usize>], out: &mut Vec<Vec3>| {
            for (out, partner) in out.iter_mut().zip(partners) {
                *out = partner.map_or(Vec3::NAN, |at| points[at] * Vec3::new(-1.0, 1.0, 1.0));
            }
        };
        flip(points, &self.partners, &mut self.mirrored[0]);
        if let Some((before, _)) = before {
            flip(before, &self.partners, &mut self.mirrored[1]);
        }
        let then = before.map(|(_, age)| (self.mirrored[1].as_slice(), age));
        self.found[1] = self.filters[1].tick(&self.atlas, &self.mirrored[0], then, seconds);
        if mirror == Mirror::Auto
            && let [Some(own), Some(other)] = self.found
        {
            self.evidence *= (-seconds / HAND_S).exp();
            self.evidence += f64::from(other.evidence - own.evidence);
            if self.evidence.abs() > HAND_ODDS {
                self.hand = usize::from(self.evidence > 0.0);
            }
        }
    }
}
