//! A clip with what its feet do, found once on the whole of it: a piece of half a second does not tell where the floor
//! is.

use std::ops::Range;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::{FootContacts, runs};
use ugoki_base::math::quantile;
use ugoki_feet::contact::{Contacts, find_feet};
use ugoki_feet::feet::{ClipFeet, FootPath};
use ugoki_motion::edit::{Labels, standing_labels};

use crate::network::Ground;

/// Stances that are apart for no longer than this are one, seconds, where the foot rises by less than the first and
/// strays from its mean by less than the second, metres for a leg of 0.85 m. A foot that creeps has two places and
/// would be jerked from the one to the other: CMU 69_17 by 4.5 cm in 3 frames.
const BRIDGED_S: f64 = 0.1;
const BRIDGED_M: f64 = 0.015;
const STAYS_M: f64 = 0.08;

/// A clip that performances are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The motion.
    pub clip: Clip,
    /// What its feet do; `None` without legs.
    pub steps: Option<Steps>,
}

impl Source {
    /// Looks at the feet of a clip.
    #[must_use]
    pub fn new(clip: Clip) -> Self {
        let steps = Steps::new(&clip);
        Self { clip, steps }
    }
}

/// Contacts of a clip, and where its feet are.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// The floor, and when heels and toes stand.
    pub contacts: Contacts,
    /// Those parts of them in which heels and toes truly stand.
    pub standing: Contacts,
    /// Of the left and the right foot, in every frame: ankle and toe, metres.
    pub points: [Vec<[Vec3; 2]>; 2],
    /// At what height those stand about that frame, metres: as in the contact nearest in time, so that stairs need no
    /// common floor.
    pub levels: [Vec<[f32; 2]>; 2],
    /// The ground that bears the body, by which climbing is judged too.
    pub ground: Ground,
}

impl Steps {
    fn new(clip: &Clip) -> Option<Self> {
        let found = ClipFeet::find(clip).ok()?;
        let ground = Ground::of(&found);
        let ClipFeet { legs: feet, contacts, paths, .. } = found;
        let mut standing = standing_labels(clip, &contacts, &feet).0;
        let points = ankles_and_toes(&paths);
        for (foot, points) in standing.feet.iter_mut().zip(&points) {
            bridge(foot, points, clip.fps(), feet.scale());
        }
        let levels = [0, 1].map(|side| {
            let heights = [0, 1].map(|point| levels(&points[side], &contacts.feet[side], point));
            (0..clip.num_frames()).map(|frame| [heights[0][frame], heights[1][frame]]).collect()
        });
        Some(Self { contacts, standing, points, levels, ground })
    }

    /// What stands at some times of the clip, in its frames, and on what ground: the labels of a piece that is sampled
    /// there.
    pub(super) fn at(&self, times: &[f64]) -> Labels {
        let list = |ranges: &Vec<Range<usize>>| {
            let near = |frame: usize| times[frame].round().max(0.0) as usize;
            runs(0..times.len(), |frame| ranges.iter().any(|range| range.contains(&near(frame))))
        };
        let foot = |foot: &FootContacts| FootContacts { heel: list(&foot.heel), toe: list(&foot.toe) };
        let ground = self.ground.heights();
        let height = |time: &f64| ground.get((time.round().max(0.0) as usize).min(ground.len() - 1)).copied();
        let ground_m = if ground.is_empty() { Vec::new() } else { times.iter().filter_map(height).collect() };
        let contacts = Contacts { feet: self.standing.feet.each_ref().map(foot), ..self.standing.clone() };
        Labels { contacts, ground_m }
    }
}

/// Lets stances that are apart for a moment only, while the foot stays low and about where it was, be one: what ends
/// before the moment lasts over it.
fn bridge(foot: &mut FootContacts, points: &[[Vec3; 2]], fps: f64, scale: f64) {
    let middle = |frame: usize| 0.5 * (points[frame][0] + points[frame][1]);
    let longest = (BRIDGED_S * fps).round() as usize;
    let mut stance: Option<Range<usize>> = None;
    for next in foot.any() {
        if let Some(last) = stance.as_mut() {
            let ground = middle(last.end - 1).y.min(middle(next.start).y);
            let low = |frame: usize| f64::from(middle(frame).y - ground) < BRIDGED_M * scale;
            let all = last.start..next.end;
            let mean = all.clone().map(middle).sum::<Vec3>() / all.len() as f32;
            let stays = |frame: usize| f64::from(middle(frame).distance(mean)) < STAYS_M * scale;
            let mut apart = last.end..next.start;
            if apart.len() <= longest && apart.all(low) && all.clone().all(stays) {
                for list in [&mut foot.heel, &mut foot.toe] {
                    list.iter_mut()
                        .filter(|range| range.end == last.end)
                        .for_each(|range| range.end = next.start);
                    list.dedup_by(|after, before| {
                        let touch = after.start <= before.end;
                        before.end = if touch { after.end } else { before.end };
                        touch
                    });
                }
                last.end = next.end;
                continue;
            }
        }
        stance = Some(next);
    }
}

/// Ankle and toe of both feet in every frame; `None` without legs.
pub(super) fn feet_of(clip: &Clip) -> Option<[Vec<[Vec3; 2]>; 2]> {
    let feet = find_feet(clip.skeleton()).ok()?;
    Some(ankles_and_toes(&FootPath::both(clip, &feet)))
}

fn ankles_and_toes(paths: &[FootPath; 2]) -> [Vec<[Vec3; 2]>; 2] {
    paths.each_ref().map(|path| {
        path.ankle.iter().zip(&path.toe).map(|(ankle, toe)| [ankle.as_vec3(), toe.as_vec3()]).collect()
    })
}

/// Mean height of a point in the contact nearest to every frame; where it never stands, what it is lowest at, spikes
/// aside.
fn levels(points: &[[Vec3; 2]], contacts: &FootContacts, point: usize) -> Vec<f32> {
    let list = if point == 0 { &contacts.heel } else { &contacts.toe };
    let height = |frame: usize| points[frame][point].y;
    let stands: Vec<(usize, usize, f32)> = list
        .iter()
        .map(|range| {
            let mean = range.clone().map(height).sum::<f32>() / range.len().max(1) as f32;
            (range.start, range.end, mean)
        })
        .collect();
    let all: Vec<f64> = (0..points.len()).map(|frame| f64::from(height(frame))).collect();
    let lowest = quantile(&all, 0.05).unwrap_or(0.0) as f32;
    let away = |frame: usize, &(start, end, _): &(usize, usize, f32)| {
        if frame < start { start - frame } else { (frame + 1).saturating_sub(end) }
    };
    (0..points.len())
        .map(|frame| stands.iter().min_by_key(|stand| away(frame, stand)).map_or(lowest, |stand| stand.2))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot that creeps 4 cm on its toe and then on its heel, two frames between.
    #[test]
    fn a_creeping_foot_is_one_stance_and_a_lifted_one_is_two() {
        let path = |lift: f32, creep: f32| -> Vec<[Vec3; 2]> {
            let at = |frame: usize| {
                let up = if (20..22).contains(&frame) { lift } else { 0.0 };
                let heel = Vec3::new(creep * frame as f32 / 40.0, 0.08 + up, 0.0);
                [heel, heel + Vec3::new(0.0, -0.07, 0.14)]
            };
            (0..40).map(at).collect()
        };
        let bridged = |points: &[[Vec3; 2]], scale: f64, heel: Range<usize>| {
            let mut foot = FootContacts { heel: Vec::from([heel]), toe: Vec::new() };
            foot.toe.push(0..20);
            bridge(&mut foot, points, 60.0, scale);
            foot
        };
        let one = bridged(&path(0.0, 0.04), 1.0, 22..40);
        assert_eq!((one.any().len(), &one.any()[0], &one.toe[0]), (1, &(0..40), &(0..22)));
        for (points, scale) in [(path(0.03, 0.04), 1.0), (path(0.0, 0.3), 1.0), (path(0.0, 0.04), 0.1)] {
            assert_eq!(bridged(&points, scale, 22..40).any().len(), 2);
        }
        // A longer swing is one, however low.
        assert_eq!(bridged(&path(0.0, 0.04), 1.0, 30..40).any().len(), 2);
    }
}
