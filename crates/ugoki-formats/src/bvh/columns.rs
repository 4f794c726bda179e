//! Which columns of a row move which joint, and rotations from them.

use ugoki_base::clip::{ChannelKind, SourceChannel, UpAxis};
use ugoki_base::math::Axis;

use super::euler_batch::{LANES, Turn, convert, plan};

/// Which columns move which joint.
pub(super) struct Columns {
    pub(super) width: usize,
    pub(super) turns: Vec<Turn>,
    /// Columns of x, y, z positions.
    pub(super) positions: Vec<[Option<usize>; 3]>,
    /// All rotation columns, joint by joint.
    rotations: Vec<(usize, Axis)>,
}

impl Columns {
    pub(super) fn new(num_joints: usize, channels: &[SourceChannel]) -> Self {
        const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];
        let mut positions = vec![[None; 3]; num_joints];
        let mut order: Vec<(usize, usize)> = Vec::with_capacity(channels.len());
        for (column, channel) in channels.iter().enumerate() {
            match channel.kind {
                // Of a repeated position the first column counts.
                ChannelKind::Position(axis) => {
                    positions[channel.joint][usize::from(axis)].get_or_insert(column);
                }
                ChannelKind::Rotation(_) => order.push((channel.joint, column)),
            }
        }
        order.sort_by_key(|(joint, _)| *joint);
        let axis = |column: usize| match channels[column].kind {
            ChannelKind::Rotation(axis) | ChannelKind::Position(axis) => AXES[usize::from(axis)],
        };
        let rotations: Vec<(usize, Axis)> = order.iter().map(|&(_, column)| (column, axis(column))).collect();
        let mut turns = vec![Turn::None; num_joints];
        let mut first = 0;
        while first < order.len() {
            let joint = order[first].0;
            let len = order[first..].iter().take_while(|(j, _)| *j == joint).count();
            turns[joint] = plan(&rotations[first..first + len], first);
            first += len;
        }
        Self { width: channels.len(), turns, positions, rotations }
    }

    /// Fills the four arrays, each joint's frames together, signs as the angles give them.
    #[inline(always)]
    pub(super) fn fill(&self, values: &[f64], up: UpAxis, [x, y, z, w]: [&mut [f32]; 4]) {
        let num_frames = values.len().checked_div(self.width).unwrap_or(0);
        // A block of rows stays in the first cache while all joints take their columns from it.
        for (block, rows) in values.chunks(LANES * self.width.max(1)).enumerate() {
            let n = rows.len() / self.width;
            for (joint, turn) in self.turns.iter().enumerate() {
                let at = joint * num_frames + block * LANES;
                let range = at..at + n;
                let (qx, qw) = (&mut x[range.clone()], &mut w[range.clone()]);
                let (qy, qz) = (&mut y[range.clone()], &mut z[range]);
                match up {
                    UpAxis::Y => convert(rows, self.width, turn, &self.rotations, [qx, qy, qz, qw]),
                    UpAxis::Z => {
                        // The file's z is our y, the file's y our −z.
                        convert(rows, self.width, turn, &self.rotations, [qx, &mut *qz, qy, qw]);
                        for v in qz {
                            *v = -*v;
                        }
                    }
                }
            }
        }
    }
}
