//! Names of the numbers that a regression may use: "right wrist y".

use glam::Vec3;
use ugoki_base::skeleton::{Role, Side};

/// One coordinate of one watched point, seen from hips and heading: x to the left, y up, z forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable {
    /// Number of the point among the watched ones.
    pub point: usize,
    /// 0, 1, 2 for x, y, z.
    pub axis: usize,
}

impl Variable {
    /// Its value in a frame's points.
    #[must_use]
    pub fn value(self, points: &[Vec3]) -> f64 {
        f64::from(points[self.point][self.axis])
    }

    /// `right wrist y`, for the role that the point has.
    #[must_use]
    pub fn name(self, role: Role) -> String {
        format!("{} {}", place(role), ["x", "y", "z"][self.axis.min(2)])
    }
}

/// What the point of a role is called in anatomy: a joint's place is where its part begins.
fn place(role: Role) -> String {
    let part = match role {
        Role::LeftShoulder | Role::RightShoulder => "collar",
        Role::LeftUpperArm | Role::RightUpperArm => "shoulder",
        Role::LeftLowerArm | Role::RightLowerArm => "elbow",
        Role::LeftHand | Role::RightHand => "wrist",
        Role::LeftUpperLeg | Role::RightUpperLeg => "hip",
        Role::LeftLowerLeg | Role::RightLowerLeg => "knee",
        Role::LeftFoot | Role::RightFoot => "ankle",
        Role::LeftToes | Role::RightToes => "toe",
        Role::UpperChest => "upper chest",
        other => return other.name().to_owned(),
    };
    match role.side() {
        Some(Side::Left) => format!("left {part}"),
        Some(Side::Right) => format!("right {part}"),
        None => part.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_called_as_people_call_them() {
        assert_eq!(Variable { point: 0, axis: 1 }.name(Role::RightHand), "right wrist y");
        assert_eq!(Variable { point: 0, axis: 0 }.name(Role::Head), "head x");
        assert_eq!(Variable { point: 0, axis: 2 }.name(Role::LeftFoot), "left ankle z");
    }
}
