//! What time alignment compares: poses seen from the hips on usual bones, and where a clip stands still at its ends.

use std::cmp::Ordering;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::ground::heading;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::Role;

use super::ground::hips;
use crate::segment::Observer;

/// Joints nearer to their parent than this, metres, move as the parent does and are not compared.
const SHORT: f32 = 0.02;
/// Fewest roles by which bodies are compared; bodies that have fewer in common are compared joint by joint.
const MIN_ROLES: usize = 8;
/// Length of a leg on the usual body, metres: distances of bodies of any size are given on it.
const USUAL_LEG_M: f32 = 0.85;
/// People's postures differ by up to this much at a joint, metres: how high hands hang, how far the back leans. Larger lasting
/// differences are other poses.
const POSTURE_M: f32 = 0.1;
/// A body whose joints move no faster than this on the whole, root mean square m/s, rests: breathing and
/// swaying stay under it, any step or gesture is many times as fast.
const REST_M_S: f64 = 0.1;
/// Time over which that speed is taken, seconds: longer than the noise of a capture, shorter than any gesture.
const REST_S: f64 = 0.1;
/// How far joints may get from where they were at the end while resting, root mean square metres.
const REST_M: f32 = 0.05;

/// Which points of a body are compared.
pub(super) enum Points {
    /// Joints by role, on usual bones: size and proportions do not matter.
    Roles(Observer),
    /// Joints by number, where too few roles are known.
    Joints(Vec<usize>),
}

impl Points {
    /// Points that all clips have; nothing when they have neither roles nor their number of joints in common.
    pub(super) fn common(clips: &[&Clip]) -> Option<Vec<Self>> {
        let observers: Option<Vec<Observer>> = clips
            .iter()
            .map(|clip| Some(Observer::build(clip.skeleton()).ok()?.on_usual_bones(clip.skeleton())))
            .collect();
        if let Some(observers) = observers {
            let shared = |role: &Role| observers.iter().all(|observer| observer.roles().any(|r| r == *role));
            let roles: Vec<Role> = observers.first()?.roles().filter(shared).collect();
            if roles.len() >= MIN_ROLES {
                return Some(observers.iter().map(|observer| Self::Roles(observer.only(&roles))).collect());
            }
        }
        let count = clips.first()?.num_joints();
        let joints = |clip: &&Clip| {
            let skeleton = clip.skeleton();
            let hips = hips(skeleton);
            let moves =
                |&j: &usize| skeleton.length(j) >= SHORT || clip.translations().iter().any(|t| t.joint == j);
            let body =
                |&j: &usize| j != hips && skeleton.is_below(j, hips) && !skeleton.joint(j).is_expression;
            Self::Joints((1..count).filter(body).filter(moves).collect())
        };
        clips.iter().all(|clip| clip.num_joints() == count).then(|| clips.iter().map(joints).collect())
    }

    fn len(&self) -> usize {
        match self {
            Self::Roles(observer) => observer.num_points(),
            Self::Joints(joints) => joints.len(),
        }
    }

    /// The points of a pose relative to the hips, along the axes of the world, metres on the usual body.
    fn see(&self, model: &ModelPose, hips: usize, out: &mut [Vec3]) {
        match self {
            Self::Roles(observer) => {
                observer.from_hips_into(model, out);
                let scale = USUAL_LEG_M / observer.leg_metres();
                out.iter_mut().for_each(|place| *place *= scale);
            }
            Self::Joints(joints) => {
                for (place, &joint) in out.iter_mut().zip(joints) {
                    *place = model.positions[joint] - model.positions[hips];
                }
            }
        }
    }

    /// For every point the one on the other side of the body; nothing without roles.
    fn partners(&self) -> Option<Vec<usize>> {
        let Self::Roles(observer) = self else { return None };
        let roles: Vec<Role> = observer.roles().collect();
        roles.iter().map(|role| roles.iter().position(|other| *other == role.mirrored())).collect()
    }
}

/// Positions of points relative to the hips, heading taken out: one row of numbers per sample.
#[derive(Clone)]
pub(super) struct Features {
    rows: Vec<f32>,
    width: usize,
    num_points: usize,
    /// For every point the one on the other side.
    partners: Option<Vec<usize>>,
    /// Samples after the first, and before the last, in which the body rests.
    pub(super) still: [usize; 2],
    /// Time from a sample to the next, seconds.
    pub(super) step_s: f64,
}

impl Features {
    /// `grid` samples, at least 2, spread over the motion.
    pub(super) fn of(clip: &Clip, points: &Points, grid: usize) -> Self {
        let skeleton = clip.skeleton();
        let hips = hips(skeleton);
        let num_points = points.len();
        // Rows are filled up with zeros to whole lanes of eight.
        let width = (3 * num_points).next_multiple_of(8).max(8);
        let motion = clip.motion_frames();
        let mut rows = vec![0.0; grid * width];
        let mut world = Vec::with_capacity(grid * (num_points + 1));
        let mut seen = vec![Vec3::ZERO; num_points];
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut model = ModelPose::default();
        let mut before = 0.0;
        for (sample, row) in rows.chunks_exact_mut(width).enumerate() {
            // The nearest frame: half a frame of time is far below what the smoothing takes out.
            let at = sample as f64 * (motion.len() - 1) as f64 / (grid - 1) as f64;
            clip.pose_into(motion.start + at.round() as usize, &mut pose);
            forward_kinematics_into(skeleton, &pose, &mut model);
            let facing = heading(skeleton, &model.positions).unwrap_or(before);
            before = facing;
            let back = Quat::from_rotation_y(-facing as f32);
            points.see(&model, hips, &mut seen);
            for (place, &point) in row.chunks_exact_mut(3).zip(&seen) {
                place.copy_from_slice(&(back * point).to_array());
            }
            world.push(model.positions[hips]);
            world.extend(seen.iter().map(|&point| model.positions[hips] + point));
        }
        let step_s = (motion.len() - 1) as f64 / clip.fps() / (grid - 1) as f64;
        let still = still(&world, num_points + 1, step_s);
        Self { rows, width, num_points, partners: points.partners(), still, step_s }
    }

    /// The same of the mirror image; nothing where sides are not known.
    pub(super) fn mirrored(&self) -> Option<Self> {
        let partners = self.partners.as_ref()?;
        let mut rows = self.rows.clone();
        for (row, own) in rows.chunks_exact_mut(self.width).zip(self.rows.chunks_exact(self.width)) {
            for (place, &partner) in row.chunks_exact_mut(3).zip(partners) {
                // x points to the left of a body that faces +Z.
                let [x, y, z] = [own[3 * partner], own[3 * partner + 1], own[3 * partner + 2]];
                place.copy_from_slice(&[-x, y, z]);
            }
        }
        Some(Self { rows, ..self.clone() })
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// From first to last sample, seconds.
    pub(super) fn seconds(&self) -> f64 {
        (self.len() - 1) as f64 * self.step_s
    }

    /// The sample nearest to a time.
    pub(super) fn nearest(&self, time_s: f64) -> usize {
        ((time_s / self.step_s).round().max(0.0) as usize).min(self.len() - 1)
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.rows[i * self.width..(i + 1) * self.width]
    }

    /// Root mean square distance of the points, with `posture` taken out, metres.
    #[inline(always)]
    pub(super) fn distance(&self, i: usize, other: &Self, j: usize, posture: &Posture) -> f32 {
        let mut sums = [0.0f32; 8];
        let rows = self.row(i).chunks_exact(8).zip(other.row(j).chunks_exact(8));
        for ((a, b), o) in rows.zip(posture.0.chunks_exact(8)) {
            for lane in 0..8 {
                let d = a[lane] - b[lane] - o[lane];
                sums[lane] += d * d;
            }
        }
        (sums.iter().sum::<f32>() / self.num_points.max(1) as f32).sqrt()
    }

    /// No difference of posture.
    pub(super) fn same_posture(&self) -> Posture {
        Posture(vec![0.0; self.width])
    }

    /// How `self` stands differently from `other` on the mean of corresponding samples.
    pub(super) fn posture(&self, other: &Self, pairs: impl Iterator<Item = [usize; 2]>) -> Posture {
        let (mut sums, mut count) = (vec![0.0_f64; self.width], 0.0);
        for [i, j] in pairs {
            for ((sum, a), b) in sums.iter_mut().zip(self.row(i)).zip(other.row(j)) {
                *sum += f64::from(a - b);
            }
            count += 1.0;
        }
        let mut mean: Vec<f32> = sums.iter().map(|sum| (sum / f64::max(count, 1.0)) as f32).collect();
        for point in mean.chunks_exact_mut(3) {
            let length = Vec3::from_slice(point).length();
            if length > POSTURE_M {
                point.iter_mut().for_each(|c| *c *= POSTURE_M / length);
            }
        }
        Posture(mean)
    }

    /// Shorter clips first, equally long ones by what is in them: an order that does not know which clip was named first.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let values = || self.rows.iter().zip(&other.rows).map(|(a, b)| a.total_cmp(b));
        self.len().cmp(&other.len()).then_with(|| values().find(|o| o.is_ne()).unwrap_or(Ordering::Equal))
    }
}

/// A lasting difference between two bodies: what one person's shoulders, arms and back are off the other's.
pub(super) struct Posture(Vec<f32>);

impl Posture {
    /// The largest difference from another in any coordinate, metres.
    pub(super) fn change(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }
}

/// How many samples after the first and before the last the body rests, from positions of `width` joints per sample.
fn still(world: &[Vec3], width: usize, step_s: f64) -> [usize; 2] {
    let count = world.len() / width;
    let apart = |i: usize, j: usize| -> f32 {
        let (a, b) = (&world[i * width..(i + 1) * width], &world[j * width..(j + 1) * width]);
        let sum: f32 = a.iter().zip(b).map(|(p, q)| p.distance_squared(*q)).sum();
        (sum / width as f32).sqrt()
    };
    let reach = ((REST_S / step_s).round() as usize).clamp(1, count - 1);
    let far = (REST_M_S * reach as f64 * step_s) as f32;
    // Sample k from one end, seen along that end's direction.
    let rests = |at: &dyn Fn(usize) -> usize| {
        (0..count - reach)
            .take_while(|&k| apart(at(k), at(k + reach)) < far && apart(at(k), at(0)) < REST_M)
            .count()
    };
    let whole = |k: usize| if k == count - reach { count - 1 } else { k };
    [whole(rests(&|k| k)), whole(rests(&|k| count - 1 - k))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_is_found_at_either_end() {
        // Two joints: 40 samples of rest, 30 of motion at 1 m/s, 30 of rest; 60 Hz.
        let world: Vec<Vec3> = (0..100)
            .flat_map(|k: i32| {
                let z = (k - 40).clamp(0, 30) as f32 / 60.0;
                [Vec3::new(0.0, 1.0, z), Vec3::new(0.0, 0.0, z)]
            })
            .collect();
        let [head, tail] = still(&world, 2, 1.0 / 60.0);
        assert!((34..=40).contains(&head) && (24..=30).contains(&tail), "{head} {tail}");
        assert_eq!(still(&vec![Vec3::ZERO; 50], 1, 1.0 / 60.0), [49, 49]);
        let moving: Vec<Vec3> = (0..50).map(|k| Vec3::X * (k as f32 / 60.0)).collect();
        assert_eq!(still(&moving, 1, 1.0 / 60.0), [0, 0]);
    }
}
