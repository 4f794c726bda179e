//! Yardsticks: which moments of the actor are right for a performer's when any repetition counts, and how much what is
//! shown jerks.

use ugoki::clip::Clip;
use ugoki::math::quantile;
use ugoki::segment::BodyPoints;
use ugoki::skeleton::Role;

use super::{Outcome, watched};

/// Rate at which moments are compared, hertz.
const RATE_HZ: f64 = 30.0;
/// Half of the interval by which two moments are compared: 0.4 s.
const HALF: isize = 12;
/// Paces at which the performer may go through it, as multiples of the actor's.
const PACES: [f64; 7] = [0.6, 0.75, 0.9, 1.0, 1.1, 1.3, 1.6];
/// An interval is as good as the best when its distance is at most this much greater.
const SLACK: f32 = 1.15;
/// How near to a right moment one is right: 0.1 s.
const NEAR: usize = 3;
/// Mean speed of the points, leg lengths per second, from which a performer moves.
const MOVING: f32 = 0.1;

/// For every moment of a performer, the moments of the actor that look and go on alike.
pub(crate) struct Repetitions {
    actor: usize,
    performer: usize,
    right: Vec<bool>,
    moving: Vec<bool>,
    /// Mean over the performer's moments of the distance of the best interval, leg lengths.
    distance: f64,
}

/// Points at 30 Hz about their means.
fn centred(points: &BodyPoints, fps: f64) -> Vec<Vec<glam::Vec3>> {
    let count = ((points.num_frames() - 1) as f64 / fps * RATE_HZ) as usize + 1;
    let at = |i: usize| ((i as f64 * fps / RATE_HZ) as usize).min(points.num_frames() - 1);
    // Smoothed over 42 ms, as sensors shake.
    let reach = (0.021 * fps).round() as usize;
    let mut rows: Vec<Vec<glam::Vec3>> = (0..count)
        .map(|i| {
            let (from, to) = (at(i).saturating_sub(reach), (at(i) + reach).min(points.num_frames() - 1));
            let mean = |p: usize| {
                (from..=to).map(|f| points.frame(f)[p]).sum::<glam::Vec3>() / (to - from + 1) as f32
            };
            (0..points.num_points()).map(mean).collect()
        })
        .collect();
    for point in 0..points.num_points() {
        let mean = rows.iter().map(|row| row[point]).sum::<glam::Vec3>() / rows.len() as f32;
        rows.iter_mut().for_each(|row| row[point] -= mean);
    }
    rows
}

impl Repetitions {
    pub(crate) fn find(actor: &Clip, performer: &Clip) -> Outcome<Self> {
        let a = centred(&watched(actor)?, actor.fps());
        let x = centred(&watched(performer)?, performer.fps());
        let (n, m) = (a.len(), x.len());
        let far = |i: usize, j: usize| {
            a[i].iter().zip(&x[j]).map(|(p, q)| p.distance(*q)).sum::<f32>() / a[i].len() as f32
        };
        let distances: Vec<f32> =
            (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).map(|(i, j)| far(i, j)).collect();
        let mut best = vec![f32::INFINITY; n * m];
        for pace in PACES {
            for i in 0..n {
                for j in 0..m {
                    let (mut sum, mut count) = (0.0, 0);
                    for step in -HALF..=HALF {
                        let k = (i as f64 + step as f64 * pace).round() as isize;
                        let l = j as isize + step;
                        if (0..n as isize).contains(&k) && (0..m as isize).contains(&l) {
                            sum += distances[k as usize * m + l as usize];
                            count += 1;
                        }
                    }
                    // At an end at least 0.6 of the interval.
                    if 10 * count >= 6 * (2 * HALF as usize + 1) {
                        best[i * m + j] = best[i * m + j].min(sum / count as f32);
                    }
                }
            }
        }
        let mut right = vec![false; n * m];
        let mut all = Vec::new();
        for j in 0..m {
            let column = |i: usize| best[i * m + j];
            let least = (0..n).map(column).fold(f32::INFINITY, f32::min);
            all.extend(least.is_finite().then_some(f64::from(least)));
            for i in (0..n).filter(|&i| column(i).is_finite() && column(i) <= SLACK * least) {
                let (low, high) = (i.saturating_sub(NEAR), (i + NEAR).min(n - 1));
                if (low..=high).all(|k| column(i) <= column(k)) {
                    (low..=high).for_each(|k| right[k * m + j] = true);
                }
            }
        }
        let speed = |j: usize| {
            let before = j.saturating_sub(2);
            let way: f32 = x[j].iter().zip(&x[before]).map(|(p, q)| p.distance(*q)).sum();
            way / x[j].len() as f32 * RATE_HZ as f32 / (j - before).max(1) as f32
        };
        let moving = (0..m).map(|j| speed(j) > MOVING).collect();
        let distance = all.iter().sum::<f64>() / all.len().max(1) as f64;
        Ok(Self { actor: n, performer: m, right, moving, distance })
    }

    pub(crate) fn distance(&self) -> f64 {
        self.distance
    }

    /// Of the performer's moments that move: how many are shown right, how many there are, and how many would be by
    /// chance.
    pub(crate) fn judge(&self, actor: &Clip, performer: &Clip, shown: &[usize]) -> (usize, usize, f64) {
        let first = actor.motion_frames().start;
        let (mut good, mut all, mut chance) = (0, 0, 0.0);
        for j in (0..self.performer).filter(|&j| self.moving[j]) {
            let frame = (j as f64 * performer.fps() / RATE_HZ) as usize;
            let Some(&shown) = shown.get(frame) else { continue };
            let i = ((shown - first) as f64 / actor.fps() * RATE_HZ).round() as usize;
            let right = |i: usize| self.right[i.min(self.actor - 1) * self.performer + j];
            all += 1;
            good += usize::from(right(i));
            chance += (0..self.actor).filter(|&i| right(i)).count() as f64 / self.actor as f64;
        }
        (good, all, chance)
    }
}

/// 99th percentile of the accelerations of hands, feet, head and hips, metres per second squared.
pub(crate) fn acceleration(clip: &Clip) -> f64 {
    let roles = [Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot, Role::Head, Role::Hips];
    let mut all = Vec::new();
    for joint in roles.iter().filter_map(|&role| clip.skeleton().find(role)) {
        let path = clip.joint_path(joint);
        let path = &path[clip.motion_frames()];
        let rate = (clip.fps() * clip.fps()) as f32;
        all.extend(path.windows(3).map(|p| f64::from((p[2] - 2.0 * p[1] + p[0]).length() * rate)));
    }
    quantile(&all, 0.99).unwrap_or(0.0)
}
