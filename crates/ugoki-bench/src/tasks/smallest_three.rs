//! The simplest packing of a clip, which lost: the three smallest numbers of each quaternion in 15 bits each.

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::pose::Pose;

/// Three words a rotation; the highest bits of the first two say which number is left out.
pub(crate) struct SmallestThree {
    rotations: Vec<[u16; 3]>,
    root: Vec<Vec3>,
    joints: usize,
}

impl SmallestThree {
    pub(crate) fn pack(clip: &Clip) -> Self {
        let mut rotations = Vec::with_capacity(clip.num_frames() * clip.num_joints());
        for frame in 0..clip.num_frames() {
            rotations.extend((0..clip.num_joints()).map(|joint| packed(clip.rotation(joint, frame))));
        }
        Self { rotations, root: clip.root().iter().collect(), joints: clip.num_joints() }
    }

    pub(crate) fn num_bytes(&self) -> usize {
        self.rotations.len() * 6 + self.root.len() * 12
    }

    pub(crate) fn pose_into(&self, frame: usize, pose: &mut Pose) {
        pose.root = self.root[frame];
        pose.rotations.clear();
        let words = &self.rotations[frame * self.joints..(frame + 1) * self.joints];
        pose.rotations.extend(words.iter().copied().map(unpacked));
    }

    pub(crate) fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        self.pose_into(frame, &mut pose);
        pose
    }
}

fn packed(q: Quat) -> [u16; 3] {
    let q = q.to_array();
    let largest = (0..4).max_by(|&a, &b| q[a].abs().total_cmp(&q[b].abs())).expect("four");
    let sign = q[largest].signum();
    let mut words = [0; 3];
    for (word, c) in words.iter_mut().zip((0..4).filter(|&c| c != largest)) {
        let unit = q[c] * sign * std::f32::consts::FRAC_1_SQRT_2 + 0.5;
        *word = (unit * 32_767.0).round() as u16;
    }
    words[0] |= (largest as u16 & 1) << 15;
    words[1] |= (largest as u16 >> 1) << 15;
    words
}

fn unpacked(words: [u16; 3]) -> Quat {
    let largest = words[0] >> 15 | (words[1] >> 15) << 1;
    let [a, b, c] = words.map(|w| (f32::from(w & 0x7fff) / 32_767.0 - 0.5) * std::f32::consts::SQRT_2);
    let w = (1.0 - a * a - b * b - c * c).max(0.0).sqrt();
    match largest {
        0 => Quat::from_xyzw(w, a, b, c),
        1 => Quat::from_xyzw(a, w, b, c),
        2 => Quat::from_xyzw(a, b, w, c),
        _ => Quat::from_xyzw(a, b, c, w),
    }
}
