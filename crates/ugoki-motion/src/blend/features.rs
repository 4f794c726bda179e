//! What time alignment compares: poses seen from the hips, and where a clip stands still at its ends.

use std::cmp::Ordering;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::ground::heading;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};

use super::ground::hips;

/// Joints nearer to their parent than this, metres, move as the parent does and are not compared.
const SHORT: f32 = 0.02;
/// A body whose joints move no faster than this on the whole, root mean square m/s, rests: breathing and
/// swaying stay under it, any step or gesture is many times as fast.
const REST_M_S: f64 = 0.1;
/// Time over which that speed is taken, seconds: longer than the noise of a capture, shorter than any gesture.
const REST_S: f64 = 0.1;
/// How far joints may get from where they were at the end while resting, root mean square metres.
const REST_M: f32 = 0.05;

/// Joint positions relative to the hips, heading taken out: one row of numbers per sample.
pub(super) struct Features {
    rows: Vec<f32>,
    width: usize,
    /// 1 / number of joints: the squared length of a difference times this is the mean square.
    per_joint: f32,
    /// Samples after the first, and before the last, in which the body rests.
    pub(super) still: [usize; 2],
    /// Time from a sample to the next, seconds.
    pub(super) step_s: f64,
}

impl Features {
    /// `grid` samples, at least 2, spread over the motion.
    pub(super) fn of(clip: &Clip, grid: usize) -> Self {
        let skeleton = clip.skeleton();
        let hips = hips(skeleton);
        let joints: Vec<usize> = (1..skeleton.num_joints())
            .filter(|&j| j != hips && skeleton.is_below(j, hips) && !skeleton.joint(j).is_expression)
            .filter(|&j| skeleton.length(j) >= SHORT || clip.translations().iter().any(|t| t.joint == j))
            .collect();
        // Rows are filled up with zeros to whole lanes of eight.
        let width = (3 * joints.len()).next_multiple_of(8).max(8);
        let motion = clip.motion_frames();
        let mut rows = vec![0.0; grid * width];
        let mut world = Vec::with_capacity(grid * (joints.len() + 1));
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
            for (place, &joint) in row.chunks_exact_mut(3).zip(&joints) {
                place.copy_from_slice(&(back * (model.positions[joint] - model.positions[hips])).to_array());
            }
            world.push(model.positions[hips]);
            world.extend(joints.iter().map(|&joint| model.positions[joint]));
        }
        let step_s = (motion.len() - 1) as f64 / clip.fps() / (grid - 1) as f64;
        let still = still(&world, joints.len() + 1, step_s);
        Self { rows, width, per_joint: 1.0 / joints.len().max(1) as f32, still, step_s }
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

    /// Root mean square distance of the joints, metres.
    #[inline(always)]
    pub(super) fn distance(&self, i: usize, other: &Self, j: usize) -> f32 {
        let mut sums = [0.0f32; 8];
        for (a, b) in self.row(i).chunks_exact(8).zip(other.row(j).chunks_exact(8)) {
            for lane in 0..8 {
                let d = a[lane] - b[lane];
                sums[lane] += d * d;
            }
        }
        (sums.iter().sum::<f32>() * self.per_joint).sqrt()
    }

    /// Shorter clips first, equally long ones by what is in them: an order that does not know which clip was named first.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let values = || self.rows.iter().zip(&other.rows).map(|(a, b)| a.total_cmp(b));
        self.len().cmp(&other.len()).then_with(|| values().find(|o| o.is_ne()).unwrap_or(Ordering::Equal))
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
