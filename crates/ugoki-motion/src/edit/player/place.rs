//! A placement with its turn at hand, for use in every frame.

use glam::{Quat, Vec3, Vec3A, Vec4, Vec4Swizzles};

use crate::edit::GroundFrame;

/// A turn about the vertical, then a shift. A turn by ψ takes (x, z) to (x cos ψ + z sin ψ, z cos ψ − x sin ψ): two products, and two
/// placements are mixed before they are applied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// Radians to the left; counts whole turns.
    pub(super) yaw: f32,
    /// (cos ψ, 1, cos ψ), of (x, y, z), and (sin ψ, 0, −sin ψ), of (z, y, x).
    along: Vec3A,
    across: Vec3A,
    shift: Vec3A,
    /// Cosine and sine of half the turn.
    half: [f32; 2],
}

impl From<GroundFrame> for Place {
    fn from(placement: GroundFrame) -> Self {
        let GroundFrame { yaw, shift } = placement;
        let (sine, cosine) = yaw.sin_cos();
        let (half_sine, half_cosine) = (0.5 * yaw).sin_cos();
        Self {
            yaw,
            along: Vec3A::new(cosine, 1.0, cosine),
            across: Vec3A::new(sine, 0.0, -sine),
            shift: shift.into(),
            half: [half_cosine, half_sine],
        }
    }
}

impl Place {
    /// The move that turns by `yaw` about the point `from` and takes it to `to`.
    pub(super) fn carrying(from: Vec3, to: Vec3, yaw: f32) -> Self {
        let turned = Self::from(GroundFrame { yaw, shift: Vec3::ZERO });
        Self { shift: (to - turned.point(from)).into(), ..turned }
    }

    /// The same, and then moved further.
    pub(super) fn shifted(self, by: Vec3) -> Self {
        Self { shift: self.shift + Vec3A::from(by), ..self }
    }

    /// Where the origin goes.
    pub(super) fn origin(&self) -> Vec3 {
        self.shift.into()
    }

    #[inline]
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        self.carry(p.into()).into()
    }

    #[inline]
    pub(super) fn carry(&self, p: Vec3A) -> Vec3A {
        turned(p, self.along, self.across) + self.shift
    }

    /// Where a point goes on the straight way from this placement's place for it to another's, at the share `u`.
    #[inline]
    pub(super) fn carry_towards(&self, to: &Self, u: f32, p: Vec3A) -> Vec3A {
        let mix = |a: Vec3A, b: Vec3A| a + u * (b - a);
        turned(p, mix(self.along, to.along), mix(self.across, to.across)) + mix(self.shift, to.shift)
    }

    #[inline]
    pub(super) fn rotation(&self, q: Quat) -> Quat {
        yawed(self.half, q)
    }
}

#[inline]
fn turned(p: Vec3A, along: Vec3A, across: Vec3A) -> Vec3A {
    p * along + Vec3A::from_vec4(Vec4::from((p, 0.0)).zyxw()) * across
}

/// A rotation followed by a turn about the vertical of which half's cosine and sine are given.
#[inline]
pub(super) fn yawed([cosine, sine]: [f32; 2], q: Quat) -> Quat {
    let q = Vec4::from(q);
    Quat::from_vec4(q * cosine + q.zwxy() * Vec4::new(sine, sine, -sine, -sine))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_place_is_its_placement(yaw in -9.0..9.0_f32, p in prop::array::uniform3(-5.0..5.0_f32), shift in prop::array::uniform3(-5.0..5.0_f32)) {
            let (p, placement) = (Vec3::from(p), GroundFrame { yaw, shift: shift.into() });
            let place = Place::from(placement);
            // f32 metres of some metres.
            prop_assert!(place.point(p).distance(placement.point(p)) < 5e-6);
            let q = Quat::from_scaled_axis(p);
            prop_assert!((place.rotation(q) - placement.rotation(q)).length() < 1e-6);
            let other = Place::carrying(p, Vec3::ONE, 1.0);
            prop_assert!(other.point(p).distance(Vec3::ONE) < 5e-6);
            let wanted = 0.3 * place.point(p) + 0.7 * other.point(p);
            prop_assert!(Vec3::from(place.carry_towards(&other, 0.7, p.into())).distance(wanted) < 1e-5);
        }
    }
}
