//! Toes stay within the range of their source: what fades after a transition, and a foot that rolls over them, may bend them no farther.

use glam::Quat;
use ugoki_base::clip::Clip;
use ugoki_base::math::{align_sign, angle_between};
use ugoki_feet::contact::Feet;

/// The range of one joint of a foot beyond the ankle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ToeRange {
    pub(super) joint: usize,
    /// Mean local rotation.
    centre: Quat,
    /// Farthest from it, radians.
    most: f32,
}

/// A bend must last this long to count as the source's own, seconds: shorter ones are glitches of the capture.
const SUSTAINED_S: f64 = 0.1;
/// How much farther than in the source toes may bend, radians: 10°.
const ROOM: f32 = 0.175;

impl ToeRange {
    /// The local rotation within the range, and by how much it was beyond, radians.
    #[inline]
    pub(super) fn clamp(&self, rotation: Quat) -> (Quat, f32) {
        let cosine = self.centre.dot(rotation).abs();
        // Cosine of half the angle: most toes never come near their range.
        if cosine >= (0.5 * self.most).cos() {
            return (rotation, 0.0);
        }
        let angle = angle_between(self.centre, rotation);
        let near = self.centre.slerp(align_sign(rotation, self.centre), self.most / angle.max(1e-6));
        (near, (angle - self.most).max(0.0))
    }
}

/// Ranges of all joints below both ankles.
pub(super) fn toe_ranges(clip: &Clip, feet: &Feet) -> Vec<ToeRange> {
    let skeleton = clip.skeleton();
    let ankles = feet.feet.each_ref().map(|foot| foot.ankle);
    let below = |joint: usize| {
        let mut above = skeleton.parent(joint);
        while let Some(at) = above {
            if ankles.contains(&at) {
                return true;
            }
            above = skeleton.parent(at);
        }
        false
    };
    (0..skeleton.num_joints()).filter(|&joint| below(joint)).map(|joint| range(clip, joint)).collect()
}

fn range(clip: &Clip, joint: usize) -> ToeRange {
    let rotations: Vec<Quat> = (0..clip.num_frames()).map(|frame| clip.rotation(joint, frame)).collect();
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let centre = rotations.iter().fold(zero, |sum, &q| sum + align_sign(q, rotations[0])).normalize();
    let angles: Vec<f32> = rotations.iter().map(|&q| angle_between(centre, q)).collect();
    let window = ((SUSTAINED_S * clip.fps()).round() as usize).clamp(1, angles.len());
    let least = |part: &[f32]| part.iter().copied().fold(f32::INFINITY, f32::min);
    let own = angles.windows(window).map(least).fold(0.0, f32::max);
    ToeRange { joint, centre, most: own + ROOM }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_beyond_the_range_is_moved_to_its_edge() {
        let range = ToeRange { joint: 0, centre: Quat::from_rotation_x(0.2), most: 0.5 };
        for angle in [-0.29, 0.0, 0.69_f32] {
            assert_eq!(range.clamp(Quat::from_rotation_x(angle)), (Quat::from_rotation_x(angle), 0.0));
        }
        let (near, beyond) = range.clamp(-Quat::from_rotation_x(1.2));
        assert!(angle_between(near, Quat::from_rotation_x(0.7)) < 1e-3 && (beyond - 0.5).abs() < 1e-3);
    }
}
