//! Foot skate: how fast feet slide while they stand.

use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;

use crate::contact::{ContactConfig, ContactError, find_contacts, find_feet};

/// Mean horizontal speed of heels (ankles) and toes during their contacts, m/s; 0 when nothing ever stands.
///
/// # Errors
/// When the skeleton's legs are not known or there is no motion.
pub fn foot_skate(clip: &Clip, config: &ContactConfig) -> Result<f64, ContactError> {
    let contacts = find_contacts(clip, config)?;
    let feet = find_feet(clip.skeleton())?;
    let poses = clip.model_poses();
    let (mut sum, mut count) = (0.0, 0usize);
    for (foot, contact) in feet.feet.iter().zip(&contacts.feet) {
        for (ranges, is_toe) in [(&contact.heel, false), (&contact.toe, true)] {
            let at = |frame: usize| {
                if is_toe { foot.toe.position(&poses[frame]) } else { poses[frame].positions[foot.ankle] }
            };
            for frame in ranges.iter().flat_map(|range| range.start + 1..range.end) {
                sum += f64::from((at(frame) - at(frame - 1)).with_y(0.0).length());
                count += 1;
            }
        }
    }
    Ok(if count == 0 { 0.0 } else { sum / count as f64 * clip.fps() })
}

/// Toe speeds near the floor, whatever the contacts; the definition of Kimodo's metrics.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ToeSkate {
    /// Mean toe speed over steps that begin and end lower than 5 cm above the floor, m/s.
    pub mean_m_s: f64,
    /// Fastest of them, m/s.
    pub max_m_s: f64,
    /// Fraction of them faster than 0.2 m/s.
    pub ratio: f64,
}

/// Toes lower than this over the floor count, metres.
const LOW_M: f64 = 0.05;
/// Speed called skating, m/s.
const SKATING_M_S: f64 = 0.2;

/// [`ToeSkate`] of a clip over its own floor.
///
/// # Errors
/// When the skeleton's legs are not known or there is no motion.
pub fn toe_skate(clip: &Clip, config: &ContactConfig) -> Result<ToeSkate, ContactError> {
    let floor = find_contacts(clip, config)?.floor;
    let feet = find_feet(clip.skeleton())?;
    let poses: Vec<_> = clip.motion_frames().map(|frame| clip.model_pose(frame)).collect();
    let (mut sum, mut count, mut fast) = (0.0, 0usize, 0usize);
    let mut max_m_s = 0.0_f64;
    for foot in &feet.feet {
        let low = |p: glam::Vec3| f64::from(p.y) - floor.height_at(f64::from(p.x), f64::from(p.z)) < LOW_M;
        for pair in poses.windows(2) {
            let (p, q) = (foot.toe.position(&pair[0]), foot.toe.position(&pair[1]));
            if low(p) && low(q) {
                let speed = f64::from((q - p).length()) * clip.fps();
                sum += speed;
                count += 1;
                fast += usize::from(speed > SKATING_M_S);
                max_m_s = max_m_s.max(speed);
            }
        }
    }
    let of = |x: f64| if count == 0 { 0.0 } else { x / count as f64 };
    Ok(ToeSkate { mean_m_s: of(sum), max_m_s, ratio: of(fast as f64) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_testing::walker::Walk;

    #[test]
    fn a_body_that_slides_skates_with_its_speed() {
        let still = Walk { speed_m_s: 0.0, ..Walk::default() }.clip(60.0);
        let config = ContactConfig::default();
        assert_eq!(foot_skate(&still, &config).unwrap(), 0.0);
        assert_eq!(toe_skate(&still, &config).unwrap(), ToeSkate::default());
        let mut sliding = still.clone();
        for frame in 0..sliding.num_frames() {
            let root = still.root().get(frame) + glam::Vec3::X * 0.1 * frame as f32 / 60.0;
            sliding.root_mut().set(frame, root);
        }
        // f32 positions near 1 m at 60 steps per second: 1e-7 · 60.
        assert!((foot_skate(&sliding, &config).unwrap() - 0.1).abs() < 1e-5);
        let toes = toe_skate(&sliding, &config).unwrap();
        assert!((toes.mean_m_s - 0.1).abs() < 1e-5 && toes.ratio == 0.0, "{toes:?}");
    }
}
