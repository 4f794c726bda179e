//! A bone as the skeleton file describes it.

use glam::{DQuat, DVec3};
use ugoki_base::math::Axis;

/// One degree of freedom of a bone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dof {
    Rotate(Axis),
    Move(Axis),
    /// Changes the bone's length; skipped, not applied.
    Length,
}

impl Dof {
    /// `rx`, `TY`, `l`.
    pub(super) fn from_word(word: &[u8]) -> Option<Self> {
        let axis = |b: u8| match b.to_ascii_lowercase() {
            b'x' => Some(Axis::X),
            b'y' => Some(Axis::Y),
            b'z' => Some(Axis::Z),
            _ => None,
        };
        match word {
            [b'r' | b'R', b] => axis(*b).map(Self::Rotate),
            [b't' | b'T', b] => axis(*b).map(Self::Move),
            [b'l' | b'L'] => Some(Self::Length),
            _ => None,
        }
    }
}

/// A bone, or the root, whose direction and length are 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bone {
    pub name: String,
    /// Line of its name, or of its block while it has none.
    pub line: u32,
    /// Unit vector from its start to its end in the rest pose.
    pub direction: DVec3,
    /// File units.
    pub length: f64,
    /// Angles of its frame as written; `order` says about which axes.
    pub axis: DVec3,
    /// Axes of the frame's angles, the first applied first.
    pub order: [Axis; 3],
    /// What the motion gives for it, in order.
    pub dofs: Vec<Dof>,
}

impl Bone {
    pub(super) fn new(name: String, line: u32) -> Self {
        Self {
            name,
            line,
            direction: DVec3::ZERO,
            length: 0.0,
            axis: DVec3::ZERO,
            order: [Axis::X, Axis::Y, Axis::Z],
            dofs: Vec::new(),
        }
    }

    /// From its start to its end in the rest pose, file units.
    pub(super) fn span(&self) -> DVec3 {
        self.direction * self.length
    }

    /// The frame in which its angles are measured; `radians` per unit of angle.
    pub(super) fn frame(&self, radians: f64) -> DQuat {
        let angles = self.axis.to_array();
        let turns = self.order.iter().zip(angles).map(|(axis, angle)| axis.rotation(angle * radians));
        turns.fold(DQuat::IDENTITY, |frame, turn| turn * frame)
    }
}
