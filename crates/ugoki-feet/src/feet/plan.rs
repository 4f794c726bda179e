//! What a foot should do: where its heel and toe stand, and how firmly.

use std::ops::Range;

use glam::{DQuat, DVec3};
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::log64;

use super::path::{FootPath, median_height};
use crate::contact::LEAVES_M;

/// A heel or toe that stands at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Stance {
    /// The heel, not the toe.
    pub heel: bool,
    /// When it stands.
    pub frames: Range<usize>,
    /// Where, metres; `y` is the height of ankle or toe point.
    pub anchor: DVec3,
}

/// What heel or toe should do in every frame.
#[derive(Debug, Clone, Default)]
pub struct PointPlan {
    /// How firmly it makes its steps, 0 to 1.
    pub firm: Vec<f64>,
    /// Its step from each frame to the next, metres: nothing where it stands.
    pub steps: Vec<DVec3>,
    /// Where it is drawn to, metres.
    pub places: Vec<Option<DVec3>>,
    /// Height under which it is not to go, metres.
    pub floor: Vec<f64>,
}

/// What a foot should do in every frame; [`track`](super::track) makes a path of it.
#[derive(Debug, Clone, Default)]
pub struct FootPlan {
    /// The heel, by the ankle, and the toe.
    pub points: [PointPlan; 2],
    /// Directions in the world to which the foot is drawn: firmly where it stands on heel and toe, loosely elsewhere.
    pub facing: Vec<DQuat>,
    /// How it turns there from each frame to the next, rotation vectors.
    pub turns: Vec<DVec3>,
    /// Displacement to which a foot that does not stand is drawn, metres: nothing, unless the path was led on over a seam.
    pub drawn: Vec<DVec3>,
    /// How hard it is drawn there and to `facing`, as a factor: 0 in a swing between two stances that tell where it goes.
    pub pull: Vec<f64>,
    /// Speed that a swing is to have on top of its path's, m/s: of a corrective step, which no path has.
    pub pace: Vec<f64>,
    /// Where other motions begin: the jump of the path's velocity is rounded there.
    pub seams: Vec<PathSeam>,
}

/// Where a path goes on with another motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathSeam {
    /// The first frame of the other motion.
    pub frame: usize,
    /// By how much the ankle's step over it changes from the one motion to the other, metres.
    pub glide: DVec3,
    /// The same of the foot's turn, a rotation vector.
    pub turn: DVec3,
}

/// Firmness of a point that goes along with its guide, next to where it stands: 6 % of a stance's stiffness, so that stances prevail.
const ALONG: f64 = 0.8;

impl FootPlan {
    /// Stances are held at their anchors. Next to them a point goes along with that of the `guide`, the motion that the path was made from,
    /// for as long as that is on the ground. No swing takes heel or toe under its `floor`.
    #[must_use]
    pub fn from_stances(
        path: &FootPath,
        stances: &[Stance],
        guide: Option<&FootPath>,
        floor: [f64; 2],
        scale: f64,
    ) -> Self {
        let num_frames = path.num_frames();
        let points = [true, false].map(|heel| {
            let mut plan = PointPlan {
                firm: vec![0.0; num_frames],
                steps: vec![DVec3::ZERO; num_frames.saturating_sub(1)],
                places: vec![None; num_frames],
                floor: vec![floor[usize::from(!heel)]; num_frames],
            };
            let own: Vec<&Stance> = stances.iter().filter(|stance| stance.heel == heel).collect();
            if let Some(guide) = guide {
                for stance in &own {
                    plan.go_along(guide.point(heel), &stance.frames, scale);
                }
            }
            for stance in own {
                let frames = stance.frames.clone();
                plan.firm[frames.clone()].fill(1.0);
                plan.steps[frames.start..frames.end - 1].fill(DVec3::ZERO);
                plan.places[frames].fill(Some(stance.anchor));
            }
            plan
        });
        // Where it only goes along, a foot turns as it does.
        let stands = |frame: usize| points.iter().all(|plan: &PointPlan| plan.places[frame].is_some());
        let turn = |frame: usize| match stands(frame) && stands(frame + 1) {
            true => DVec3::ZERO,
            false => log64(path.rotation[frame + 1] * path.rotation[frame].conjugate()),
        };
        let turns = (0..num_frames.saturating_sub(1)).map(turn).collect();
        Self {
            points,
            facing: path.rotation.clone(),
            turns,
            drawn: vec![DVec3::ZERO; num_frames],
            pull: vec![1.0; num_frames],
            pace: vec![0.0; num_frames],
            seams: Vec::new(),
        }
    }

    /// How firmly a foot is held on both, for its direction.
    pub(super) fn flat(&self, frame: usize) -> f64 {
        self.points[0].firm[frame].min(self.points[1].firm[frame])
    }

    /// How firmly heel or toe stands in every frame.
    #[must_use]
    pub fn stands(&self) -> Vec<f64> {
        let [heel, toe] = &self.points;
        (0..heel.firm.len()).map(|frame| heel.stands(frame).max(toe.stands(frame))).collect()
    }
}

impl PointPlan {
    /// How firmly it stands: a point without a place goes along over the ground, and is as free as a swinging one otherwise.
    pub(super) fn stands(&self, frame: usize) -> f64 {
        if self.places[frame].is_some() { self.firm[frame] } else { 0.0 }
    }

    /// Steps of the guide from the ends of a stance outwards, until its point leaves the ground.
    fn go_along(&mut self, guide: &[DVec3], stance: &Range<usize>, scale: f64) {
        let height = median_height(guide, stance);
        let down = |frame: usize| guide[frame].y - height <= LEAVES_M * scale;
        let first = (0..stance.start).rev().take_while(|&frame| down(frame)).last().unwrap_or(stance.start);
        let last =
            (stance.end..guide.len()).take_while(|&frame| down(frame)).last().unwrap_or(stance.end - 1);
        for frame in first..=last {
            self.firm[frame] = ALONG;
            if frame < last {
                self.steps[frame] = guide[frame + 1] - guide[frame];
            }
        }
    }
}

/// The frames of stances, as contacts.
#[must_use]
pub fn stance_frames(stances: &[Stance]) -> FootContacts {
    let frames = |heel: bool| {
        stances.iter().filter(|stance| stance.heel == heel).map(|stance| stance.frames.clone()).collect()
    };
    FootContacts { heel: frames(true), toe: frames(false) }
}
