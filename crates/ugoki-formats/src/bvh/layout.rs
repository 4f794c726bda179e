//! Which channels a clip is written with, joint by joint.

use ugoki_base::clip::{ChannelKind, Clip, Source};
use ugoki_base::math::{Axis, EulerOrder};

use super::euler_batch::full_order;

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// One joint's columns in the written file.
#[derive(Debug, Clone)]
pub(super) struct JointLayout {
    /// The channels in order, each with the source column it repeats.
    pub channels: Vec<(ChannelKind, Option<usize>)>,
    /// The order in which a changed rotation is solved: the channels' axes and then those they lack.
    pub order: EulerOrder,
    /// How many of the order's axes have a channel.
    pub num_rotations: usize,
}

/// Channels of every joint: the source's, or the usual ones.
pub(super) fn layouts(clip: &Clip, source: Option<&Source>) -> Vec<JointLayout> {
    let Some(source) = source else {
        return (0..clip.num_joints()).map(|joint| usual(clip, joint)).collect();
    };
    let mut channels = vec![Vec::new(); clip.num_joints()];
    for (column, channel) in source.channels.iter().enumerate() {
        channels[channel.joint].push((channel.kind, Some(column)));
    }
    channels.into_iter().map(JointLayout::new).collect()
}

/// Positions and ZYX for the root and joints that move, ZYX for the others.
fn usual(clip: &Clip, joint: usize) -> JointLayout {
    let moves = joint == 0 || clip.translations().iter().any(|t| t.joint == joint);
    let positions = (0..3).filter(|_| moves).map(|axis| (ChannelKind::Position(axis), None));
    let rotations = [2, 1, 0].map(|axis| (ChannelKind::Rotation(axis), None));
    JointLayout::new(positions.chain(rotations).collect())
}

impl JointLayout {
    fn new(channels: Vec<(ChannelKind, Option<usize>)>) -> Self {
        let axes: Vec<Axis> = channels
            .iter()
            .filter_map(|(kind, _)| match kind {
                ChannelKind::Rotation(axis) => Some(AXES[usize::from(*axis)]),
                ChannelKind::Position(_) => None,
            })
            .collect();
        let num_rotations = axes.len();
        let order = match EulerOrder::new(&axes) {
            Some(order) if order.is_full() => order,
            // Repeated axes that are no proper order cannot hold a changed rotation.
            _ if (1..axes.len()).any(|i| axes[..i].contains(&axes[i])) => EulerOrder::ZYX,
            _ => full_order(&axes),
        };
        Self { channels, order, num_rotations }
    }

    /// Whether the rotation channels are the start of `order`, so that angles can be put into them.
    pub(super) fn solvable(&self) -> bool {
        let mut rotations = self.channels.iter().filter_map(|(kind, _)| match kind {
            ChannelKind::Rotation(axis) => Some(usize::from(*axis)),
            ChannelKind::Position(_) => None,
        });
        self.num_rotations <= 3
            && self.order.axes().iter().take(self.num_rotations).all(|a| rotations.next() == Some(a.index()))
    }

    /// Adds the rotation channels that are missing, or replaces those that are no order.
    pub(super) fn complete_rotations(&mut self) {
        if !self.solvable() {
            self.channels.retain(|(kind, _)| matches!(kind, ChannelKind::Position(_)));
            self.num_rotations = 0;
        }
        for axis in &self.order.axes()[self.num_rotations..] {
            self.channels.push((ChannelKind::Rotation(axis.index() as u8), None));
        }
        self.num_rotations = 3;
    }

    /// Adds the position channels that are missing, in front.
    pub(super) fn complete_positions(&mut self) {
        for axis in (0..3).rev() {
            let kind = ChannelKind::Position(axis);
            if !self.channels.iter().any(|(known, _)| *known == kind) {
                self.channels.insert(0, (kind, None));
            }
        }
    }
}
