//! Mean jerk: how abruptly joints accelerate.

use glam::DVec3;
use ugoki_base::clip::Clip;

/// Mean length of the third derivative of all joints' world paths, m/s³, by third differences.
///
/// Differences amplify noise with the cube of the rate: compare clips at one rate. 0 with fewer than four frames.
#[must_use]
pub fn mean_jerk(clip: &Clip) -> f64 {
    let poses: Vec<_> = clip.motion_frames().map(|frame| clip.model_pose(frame)).collect();
    // Expressions are not in any place.
    let joints: Vec<usize> =
        (0..clip.num_joints()).filter(|&joint| !clip.skeleton().joint(joint).is_expression).collect();
    let (mut sum, mut count) = (0.0, 0usize);
    for window in poses.windows(4) {
        for &joint in &joints {
            let p = |i: usize| -> DVec3 { window[i].positions[joint].as_dvec3() };
            sum += (p(3) - 3.0 * p(2) + 3.0 * p(1) - p(0)).length();
            count += 1;
        }
    }
    if count == 0 { 0.0 } else { sum / count as f64 * clip.fps().powi(3) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use ugoki_base::skeleton::{Joint, Skeleton};

    #[test]
    fn a_cubic_path_has_its_constant_jerk_and_a_parabola_none() {
        let skeleton = Skeleton::build(vec![Joint::new("root", None, Vec3::ZERO)]).unwrap();
        let mut clip = Clip::at_rest(skeleton, 30.0, 40).unwrap();
        for (power, wanted) in [(3, 6.0 * 2.0), (2, 0.0)] {
            for frame in 0..40 {
                clip.root_mut().set(frame, Vec3::X * 2.0 * (frame as f32 / 30.0).powi(power));
            }
            // f32 positions of a few metres, 2e-7 each, times 27000/s³ and a sum of eight of them.
            assert!((mean_jerk(&clip) - wanted).abs() < 0.05, "{}", mean_jerk(&clip));
        }
        assert_eq!(mean_jerk(&clip.trimmed(0..3).unwrap()), 0.0);
    }
}
