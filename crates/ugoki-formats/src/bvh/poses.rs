//! Channels to tracks: the one place where a row becomes a pose, used by reader and writer alike.

use glam::{DVec3, Vec3};
use ugoki_base::clip::{OffsetMode, RotationTracks, Translation, UpAxis, VectorTrack};
use ugoki_base::skeleton::Skeleton;

pub(super) use super::columns::Columns;
use super::wide;
use crate::axes;

/// Positions nearer than this to the rest offset, metres, are the rest offset: files print offsets and
/// channels with different numbers of digits.
pub(super) const SAME_POSITION: f32 = 5e-5;

/// How a file's numbers are meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Conventions {
    pub unit_metres: f64,
    pub up: UpAxis,
    pub offset: OffsetMode,
}

impl Columns {
    /// Whether `joint` has position channels.
    pub(super) fn moves(&self, joint: usize) -> bool {
        self.positions[joint].iter().any(Option::is_some)
    }

    /// The position channels of `joint` as written; 0 where it has none.
    pub(super) fn channels_of(&self, row: &[f64], joint: usize) -> DVec3 {
        DVec3::from_array(self.positions[joint].map(|column| column.map_or(0.0, |column| row[column])))
    }

    /// Rotations of all joints in all rows, in Ugoki's axes, signs continuous along the motion.
    pub(super) fn rotations(&self, values: &[f64], up: UpAxis) -> RotationTracks {
        let num_joints = self.turns.len();
        let num_frames = values.len().checked_div(self.width).unwrap_or(0);
        let len = num_joints * num_frames;
        let zeros = || vec![0.0f32; len];
        let (mut x, mut y, mut z, mut w) = (zeros(), zeros(), zeros(), zeros());
        wide::fill(self, values, up, [&mut x, &mut y, &mut z, &mut w]);
        if num_frames > 0 {
            for joint in 0..num_joints {
                let range = joint * num_frames..(joint + 1) * num_frames;
                align(&mut x[range.clone()], &mut y[range.clone()], &mut z[range.clone()], &mut w[range]);
            }
        }
        RotationTracks::from_arrays([x, y, z, w], num_joints, num_frames)
    }

    /// Position of `joint` in its parent's frame in one row, metres, Ugoki's axes.
    pub(super) fn position(&self, row: &[f64], joint: usize, rest: Vec3, means: Conventions) -> Vec3 {
        let rest_file = axes::to_file(rest, means.up).as_dvec3();
        let mut p = rest_file.to_array();
        for (axis, column) in self.positions[joint].iter().enumerate() {
            if let Some(column) = column {
                let moved = row[*column] * means.unit_metres;
                p[axis] = if means.offset == OffsetMode::Add { p[axis] + moved } else { moved };
            }
        }
        axes::from_file(DVec3::from_array(p), means.up).as_vec3()
    }

    /// Path of joint 0 and of every other joint that leaves its rest offset.
    pub(super) fn paths(
        &self,
        values: &[f64],
        skeleton: &Skeleton,
        means: Conventions,
    ) -> (VectorTrack, Vec<Translation>) {
        let path = |joint: usize| -> VectorTrack {
            let rest = skeleton.joint(joint).offset;
            values.chunks_exact(self.width.max(1)).map(|row| self.position(row, joint, rest, means)).collect()
        };
        let moved = (1..skeleton.num_joints()).filter(|&joint| self.moves(joint)).filter_map(|joint| {
            let rest = skeleton.joint(joint).offset;
            let leaves = values
                .chunks_exact(self.width)
                .any(|row| !same_position(self.position(row, joint, rest, means), rest));
            leaves.then(|| Translation { joint, track: path(joint) })
        });
        (path(0), moved.collect())
    }
}

/// Whether two positions are one, see [`SAME_POSITION`].
pub(super) fn same_position(a: Vec3, b: Vec3) -> bool {
    (a - b).abs().max_element() <= SAME_POSITION
}

/// Flips quaternions so that neighbours lie in one hemisphere; the first has w ≥ 0.
fn align(x: &mut [f32], y: &mut [f32], z: &mut [f32], w: &mut [f32]) {
    let n = x.len();
    let dot = |x: &[f32], y: &[f32], z: &[f32], w: &[f32], i: usize| {
        x[i] * x[i + 1] + y[i] * y[i + 1] + z[i] * z[i + 1] + w[i] * w[i + 1]
    };
    let aligned = {
        // Slices of one length let the compiler drop the checks and go wide.
        let (x0, y0, z0, w0) = (&x[..n - 1], &y[..n - 1], &z[..n - 1], &w[..n - 1]);
        let (x1, y1, z1, w1) = (&x[1..n], &y[1..n], &z[1..n], &w[1..n]);
        let mut flips = 0u32;
        for i in 0..n - 1 {
            flips |= u32::from(x0[i] * x1[i] + y0[i] * y1[i] + z0[i] * z1[i] + w0[i] * w1[i] < 0.0);
        }
        flips == 0
    };
    let mut flip = w[0] < 0.0;
    if aligned && !flip {
        return;
    }
    let mut flip_next = flip;
    for i in 0..n {
        if i + 1 < n {
            flip_next = flip ^ (dot(x, y, z, w, i) < 0.0);
        }
        if flip {
            (x[i], y[i], z[i], w[i]) = (-x[i], -y[i], -z[i], -w[i]);
        }
        flip = flip_next;
    }
}
