//! Follows a performer, or the mirror image, at the rate of the filter; what lies between two ticks is predicted.

use glam::Vec3;

use super::identity::Identity;
use super::{Atlas, Filter, FilterConfig, Posterior};
use crate::config::Mirror;
use crate::model::MOMENTS_HZ;
use crate::{Model, PerformError};

/// Frames that come sooner after a tick than this fraction of one are predicted.
const SOON: f64 = 0.9;

/// Where a performer is now.
#[derive(Debug, Clone, Copy)]
pub struct Followed {
    /// What is known.
    pub posterior: Posterior,
    /// Place in the motion now, frames of its clip from the first.
    pub frame: f64,
    /// Whether it is the performer's mirror image.
    pub mirrored: bool,
}

/// The filter of one performance.
#[derive(Debug, Clone)]
pub struct Follower {
    atlas: Atlas,
    filter: Filter,
    /// Which motion it is, with either hand.
    identity: Identity,
    config: FilterConfig,
    found: Option<Posterior>,
    /// For every point the one on the other side.
    partners: Vec<Option<usize>>,
    mirrored: [Vec<Vec3>; 2],
    /// Seconds since the last tick.
    since: f64,
}

impl Follower {
    /// Prepares for motions of a model.
    ///
    /// # Errors
    /// When a body is not known.
    pub fn build(model: &Model, config: &FilterConfig) -> Result<Self, PerformError> {
        let atlas = Atlas::build(model, config)?;
        let partner = |role: &ugoki_base::skeleton::Role| {
            model.roles.iter().position(|other| *other == role.mirrored())
        };
        let points = vec![Vec3::NAN; model.roles.len()];
        Ok(Self {
            filter: Filter::new(&atlas, config),
            identity: Identity::new(atlas.motions.len()),
            config: config.clone(),
            found: None,
            partners: model.roles.iter().map(partner).collect(),
            mirrored: [points.clone(), points],
            since: f64::INFINITY,
            atlas,
        })
    }

    /// Takes points `seconds` after those before, and those of some time ago with how long ago it was. `None` when none is
    /// seen.
    pub fn step(
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
        let posterior = self.found?;
        let clip_fps = self.atlas.motions[posterior.motion].clip_frames * MOMENTS_HZ;
        let frame = posterior.frame + posterior.rate * self.since * clip_fps;
        Some(Followed { posterior, frame, mirrored: posterior.mirrored })
    }

    fn tick(&mut self, points: &[Vec3], before: Option<(&[Vec3], f64)>, seconds: f64, mirror: Mirror) {
        let flip = |points: &[Vec3], partners: &[Option<usize>], out: &mut Vec<Vec3>| {
            for (out, partner) in out.iter_mut().zip(partners) {
                *out = partner.map_or(Vec3::NAN, |at| points[at] * Vec3::new(-1.0, 1.0, 1.0));
            }
        };
        let mut is_seen = false;
        if mirror != Mirror::Yes {
            is_seen |= self.filter.look(0, &self.atlas, points, before);
        }
        if mirror != Mirror::No {
            flip(points, &self.partners, &mut self.mirrored[0]);
            if let Some((before, _)) = before {
                flip(before, &self.partners, &mut self.mirrored[1]);
            }
            let then = before.map(|(_, age)| (self.mirrored[1].as_slice(), age));
            is_seen |= self.filter.look(1, &self.atlas, &self.mirrored[0], then);
        }
        if is_seen {
            let ended = self.filter.ended(&self.identity);
            let switch = (self.config.switch + self.config.leave * ended).min(0.5);
            let distances = self.filter.distances.each_ref().map(Vec::as_slice);
            self.identity.update(distances, switch, seconds as f32, &self.config);
            self.found = self.filter.follow(&self.atlas, &self.identity, seconds);
        }
    }
}
