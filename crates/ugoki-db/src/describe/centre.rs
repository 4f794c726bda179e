//! Where the centre of a body is: its parts by their fraction of the whole mass.

use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Role, Skeleton};

/// Parts of a body: fraction of its mass, from which joint to which, and how far along the part's own centre is, after
/// \[winter2009, table 4.1\]; what is given for one side counts for both. The head is taken at its joint.
const PARTS: [(f64, Role, Role, f32); 8] = [
    (0.497, Role::Hips, Role::Neck, 0.5),
    (0.081, Role::Head, Role::Head, 0.0),
    (0.028, Role::LeftUpperArm, Role::LeftLowerArm, 0.436),
    (0.016, Role::LeftLowerArm, Role::LeftHand, 0.43),
    (0.006, Role::LeftHand, Role::LeftHand, 0.0),
    (0.1, Role::LeftUpperLeg, Role::LeftLowerLeg, 0.433),
    (0.0465, Role::LeftLowerLeg, Role::LeftFoot, 0.433),
    (0.0145, Role::LeftFoot, Role::LeftToes, 0.5),
];

/// The parts of one skeleton; those whose first joint is missing are left out, those whose second is missing are at the first.
pub(super) struct Centre {
    parts: Vec<(f64, usize, usize, f32)>,
}

impl Centre {
    /// `None` without a trunk.
    pub(super) fn new(skeleton: &Skeleton) -> Option<Self> {
        skeleton.find(Role::Hips)?;
        let mut parts = Vec::with_capacity(2 * PARTS.len());
        for (mass, from, to, along) in PARTS {
            let sides = if from.side().is_some() { 2 } else { 1 };
            for (from, to) in [(from, to), (from.mirrored(), to.mirrored())].into_iter().take(sides) {
                let Some(first) = skeleton.find(from) else { continue };
                parts.push((mass, first, skeleton.find(to).unwrap_or(first), along));
            }
        }
        Some(Self { parts })
    }

    /// Height of the centre in a pose.
    pub(super) fn height(&self, pose: &ModelPose) -> f64 {
        let (mut sum, mut mass) = (0.0, 0.0);
        for &(fraction, from, to, along) in &self.parts {
            let height = pose.positions[from].y + along * (pose.positions[to].y - pose.positions[from].y);
            sum += fraction * f64::from(height);
            mass += fraction;
        }
        sum / mass
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::pose::{Pose, forward_kinematics};

    /// A standing adult's centre is at 0.55 to 0.57 of the stature with arms at the sides; in T-pose the arms raise it by 2 %,
    /// and statures are estimates from bones: the sample actor has 0.601.
    #[test]
    fn the_centre_of_a_standing_body_is_where_books_have_it() {
        let skeleton = ugoki_sample::skeleton();
        let pose = forward_kinematics(&skeleton, &Pose::rest(&skeleton));
        let centre = Centre::new(&skeleton).unwrap();
        let stature = f64::from(ugoki_base::skeleton::body_height(&skeleton).unwrap());
        let fraction = centre.height(&pose) / stature;
        assert!((0.54..0.62).contains(&fraction), "{fraction}");
        let total: f64 = centre.parts.iter().map(|part| part.0).sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
    }
}
