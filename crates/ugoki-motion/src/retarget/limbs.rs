//! Roles of limbs and feet.

use ugoki_base::skeleton::{Role, Side};

/// Upper, lower and end of arms and legs, in the order of [`Stance::hinges`](super::Stance).
pub(super) const LIMBS: [[Role; 3]; 4] = [
    [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
    [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
    [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot],
    [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot],
];

/// Foot and toes of a side.
pub(super) fn feet(side: Side) -> (Role, Role) {
    match side {
        Side::Left => (Role::LeftFoot, Role::LeftToes),
        Side::Right => (Role::RightFoot, Role::RightToes),
    }
}
