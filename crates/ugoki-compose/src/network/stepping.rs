//! The stepping layer: the one that brings the feet, and with them the way over the ground.
//!
//! Feet stand and step together: two that come from different clips cannot both stand still under one body that
//! travels. So one layer brings both, whole legs with them, and what other layers claim of the legs is not shown.

use ugoki_base::skeleton::Role;

use super::{Claim, Layers, RotationPart};

/// What carries a foot, from the hip down; both legs.
const LEGS: [Role; 6] = [
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
];

impl Layers {
    /// Place of the stepping layer: the owner of both feet; of two owners the one that has more of the legs, and of
    /// equals the base or else the first.
    #[must_use]
    pub fn stepping(&self) -> usize {
        let owns = |role: Role| self.owner(Claim { role, part: RotationPart::Whole });
        let [left, right] = [Role::LeftFoot, Role::RightFoot].map(owns);
        let legs = |layer: usize| LEGS.iter().filter(|&&role| owns(role) == layer).count();
        let rank = |layer: usize| (legs(layer), layer == self.base(), std::cmp::Reverse(layer));
        if rank(left) >= rank(right) { left } else { right }
    }

    /// Roles of the legs that layers other than the stepping one claim, and the places of those layers.
    #[must_use]
    pub fn idle_legs(&self) -> Vec<(Role, usize)> {
        let stepping = self.stepping();
        let owned = LEGS.iter().map(|&role| (role, self.owner(Claim { role, part: RotationPart::Whole })));
        owned.filter(|&(_, owner)| owner != stepping).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Layer;
    use super::*;

    fn split(parts: &[(&str, &[Role])], base: &str) -> Layers {
        let layer = |(name, roles): &(&str, &[Role])| Layer {
            name: (*name).to_owned(),
            roles: roles.iter().map(|&role| Claim { role, part: RotationPart::Whole }).collect(),
            joints: Vec::new(),
        };
        Layers::new(parts.iter().map(layer).collect(), base).unwrap()
    }

    #[test]
    fn the_owner_of_the_feet_steps_and_of_two_the_one_with_more_of_the_legs() {
        use Role::{LeftFoot, LeftLowerLeg, LeftToes, LeftUpperLeg, RightFoot, RightToes};
        for layers in [Layers::full(), Layers::upper_lower(), Layers::head_arms_legs()] {
            assert_eq!((layers.stepping(), layers.idle_legs().len()), (layers.base(), 0));
        }
        assert_eq!(split(&[("legs", &LEGS), ("body", &[])], "body").stepping(), 0);
        assert_eq!(split(&[("feet", &[LeftFoot, RightFoot]), ("body", &[])], "body").stepping(), 0);
        let one = split(&[("left", &[LeftUpperLeg, LeftLowerLeg, LeftFoot]), ("body", &[])], "body");
        assert_eq!((one.stepping(), one.idle_legs().len()), (1, 3));
        let two =
            split(&[("left", &[LeftLowerLeg, LeftFoot]), ("right", &[RightFoot]), ("body", &[])], "body");
        assert_eq!(two.stepping(), 0);
        // Unclaimed toes go with their foot, not with the base.
        let owner = |role: Role| two.owner(Claim { role, part: RotationPart::Whole });
        assert_eq!([LeftToes, RightToes].map(owner), [0, 1]);
    }
}
