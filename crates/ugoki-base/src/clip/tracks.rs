//! Structure-of-arrays storage for vectors and rotations over time.

use glam::{Quat, Vec3};

/// One vector per frame: three arrays of equal length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VectorTrack {
    /// x of every frame.
    pub x: Vec<f32>,
    /// y of every frame.
    pub y: Vec<f32>,
    /// z of every frame.
    pub z: Vec<f32>,
}

impl VectorTrack {
    /// The same vector in every frame.
    #[must_use]
    pub fn constant(v: Vec3, num_frames: usize) -> Self {
        Self { x: vec![v.x; num_frames], y: vec![v.y; num_frames], z: vec![v.z; num_frames] }
    }

    /// How many frames there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are no frames.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The vector at `frame`.
    #[must_use]
    pub fn get(&self, frame: usize) -> Vec3 {
        Vec3::new(self.x[frame], self.y[frame], self.z[frame])
    }

    /// Sets the vector at `frame`.
    pub fn set(&mut self, frame: usize, v: Vec3) {
        self.x[frame] = v.x;
        self.y[frame] = v.y;
        self.z[frame] = v.z;
    }

    /// All vectors in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Vec3> + '_ {
        (0..self.len()).map(|frame| self.get(frame))
    }
}

impl FromIterator<Vec3> for VectorTrack {
    fn from_iter<T: IntoIterator<Item = Vec3>>(vectors: T) -> Self {
        let mut track = Self::default();
        for v in vectors {
            track.x.push(v.x);
            track.y.push(v.y);
            track.z.push(v.z);
        }
        track
    }
}

/// Rotations of all joints: four arrays, each joint's frames together.
///
/// Entry `joint * num_frames + frame` of `x`, `y`, `z`, `w` is one unit quaternion.
#[derive(Debug, Clone, PartialEq)]
pub struct RotationTracks {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    w: Vec<f32>,
    num_joints: usize,
    num_frames: usize,
}

/// One joint's rotations over time: four slices of equal length.
#[derive(Debug, Clone, Copy)]
pub struct RotationTrack<'a> {
    /// x of every frame.
    pub x: &'a [f32],
    /// y of every frame.
    pub y: &'a [f32],
    /// z of every frame.
    pub z: &'a [f32],
    /// w of every frame.
    pub w: &'a [f32],
}

impl RotationTracks {
    /// No joint turned in any frame.
    #[must_use]
    pub fn identity(num_joints: usize, num_frames: usize) -> Self {
        let len = num_joints * num_frames;
        let zero = vec![0.0; len];
        Self { x: zero.clone(), y: zero.clone(), z: zero, w: vec![1.0; len], num_joints, num_frames }
    }

    /// From the four arrays, each joint's frames together.
    ///
    /// # Panics
    /// If an array is not `num_joints * num_frames` long.
    #[must_use]
    pub fn from_arrays([x, y, z, w]: [Vec<f32>; 4], num_joints: usize, num_frames: usize) -> Self {
        let len = num_joints * num_frames;
        assert!([&x, &y, &z, &w].iter().all(|a| a.len() == len), "four arrays of {len}");
        Self { x, y, z, w, num_joints, num_frames }
    }

    /// How many joints there are.
    #[must_use]
    pub fn num_joints(&self) -> usize {
        self.num_joints
    }

    /// How many frames there are.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Rotation of `joint` at `frame`.
    #[must_use]
    pub fn get(&self, joint: usize, frame: usize) -> Quat {
        assert!(frame < self.num_frames, "frame {frame} of {}", self.num_frames);
        let i = joint * self.num_frames + frame;
        Quat::from_xyzw(self.x[i], self.y[i], self.z[i], self.w[i])
    }

    /// Sets the rotation of `joint` at `frame`.
    pub fn set(&mut self, joint: usize, frame: usize, q: Quat) {
        assert!(frame < self.num_frames, "frame {frame} of {}", self.num_frames);
        let i = joint * self.num_frames + frame;
        [self.x[i], self.y[i], self.z[i], self.w[i]] = q.to_array();
    }

    /// One joint's curve.
    #[must_use]
    pub fn track(&self, joint: usize) -> RotationTrack<'_> {
        let range = joint * self.num_frames..(joint + 1) * self.num_frames;
        RotationTrack {
            x: &self.x[range.clone()],
            y: &self.y[range.clone()],
            z: &self.z[range.clone()],
            w: &self.w[range],
        }
    }

    /// One joint's curve, to change: x, y, z, w.
    pub fn track_mut(&mut self, joint: usize) -> [&mut [f32]; 4] {
        let range = joint * self.num_frames..(joint + 1) * self.num_frames;
        [
            &mut self.x[range.clone()],
            &mut self.y[range.clone()],
            &mut self.z[range.clone()],
            &mut self.w[range],
        ]
    }

    /// The four arrays whole.
    #[must_use]
    pub fn arrays(&self) -> [&[f32]; 4] {
        [&self.x, &self.y, &self.z, &self.w]
    }

    /// The four arrays whole, to change.
    pub fn arrays_mut(&mut self) -> [&mut [f32]; 4] {
        [&mut self.x, &mut self.y, &mut self.z, &mut self.w]
    }
}

impl<'a> RotationTrack<'a> {
    /// The frames of `range` alone.
    #[must_use]
    pub fn part(&self, range: std::ops::Range<usize>) -> RotationTrack<'a> {
        RotationTrack {
            x: &self.x[range.clone()],
            y: &self.y[range.clone()],
            z: &self.z[range.clone()],
            w: &self.w[range],
        }
    }

    /// How many frames there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are no frames.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Rotation at `frame`.
    #[must_use]
    pub fn get(&self, frame: usize) -> Quat {
        Quat::from_xyzw(self.x[frame], self.y[frame], self.z[frame], self.w[frame])
    }
}
