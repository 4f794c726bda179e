//! Euler angles in any order, as motion files write them: intrinsic, first axis applied outermost.
//!
//! An order lists 0 to 3 axes; the rotation is `R = R₁(a)·R₂(b)·R₃(c)`. Twelve orders of three axes
//! reach every rotation: six with three different axes and six that repeat the first. Shorter
//! orders, which files use for hinges, turn angles into rotations but not back.

use std::f64::consts::{PI, TAU};

use glam::{DMat3, DQuat, DVec3};

/// A coordinate axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// (1, 0, 0)
    X,
    /// (0, 1, 0)
    Y,
    /// (0, 0, 1)
    Z,
}

impl Axis {
    /// 0, 1 or 2.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The unit vector.
    #[must_use]
    pub const fn unit(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }

    /// Rotation by `angle_rad` about this axis.
    #[must_use]
    pub fn rotation(self, angle_rad: f64) -> DQuat {
        let (sine, cosine) = (0.5 * angle_rad).sin_cos();
        let v = self.unit() * sine;
        DQuat::from_xyzw(v.x, v.y, v.z, cosine)
    }
}

/// The axes of up to three successive rotations, in file order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EulerOrder {
    axes: [Axis; 3],
    len: u8,
}

impl EulerOrder {
    /// Rotation about Z, then the turned Y, then the turned X: what most tools write.
    pub const ZYX: Self = Self { axes: [Axis::Z, Axis::Y, Axis::X], len: 3 };

    /// The order of these axes; `None` for more than three.
    #[must_use]
    pub fn new(axes: &[Axis]) -> Option<Self> {
        let mut all = [Axis::X; 3];
        all.get_mut(..axes.len())?.copy_from_slice(axes);
        Some(Self { axes: all, len: axes.len() as u8 })
    }

    /// The axes, outermost first.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes[..usize::from(self.len)]
    }

    /// Whether every rotation can be written in this order.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let [i, j, k] = self.axes;
        self.len == 3 && i != j && j != k
    }

    /// The rotation of these angles; only as many angles as there are axes are read.
    #[must_use]
    pub fn rotation(&self, angles_rad: [f64; 3]) -> DQuat {
        self.axes().iter().zip(angles_rad).fold(DQuat::IDENTITY, |q, (axis, angle)| q * axis.rotation(angle))
    }

    /// Angles (radians) of `q`, on the branch and in the turn nearest to `near`; `None` unless [`Self::is_full`].
    ///
    /// Every rotation has two triples of angles and each angle any number of turns; in gimbal lock the
    /// first angle is free and keeps its value in `near`. So a smooth rotation gives smooth angles.
    #[must_use]
    pub fn angles_near(&self, q: DQuat, near: [f64; 3]) -> Option<[f64; 3]> {
        if !self.is_full() {
            return None;
        }
        let first = self.one_branch(q, near);
        let second = [first[0] + PI, self.other_middle(first[1]), first[2] + PI];
        let unwrap = |angles: [f64; 3]| std::array::from_fn(|i| nearest_turn(angles[i], near[i]));
        let (first, second): ([f64; 3], [f64; 3]) = (unwrap(first), unwrap(second));
        let distance = |a: &[f64; 3]| (0..3).map(|i| (a[i] - near[i]).powi(2)).sum::<f64>();
        Some(if distance(&second) < distance(&first) { second } else { first })
    }

    /// Sign of the permutation (i, j, third axis).
    fn parity(&self) -> f64 {
        if (self.axes[0].index() + 1) % 3 == self.axes[1].index() { 1.0 } else { -1.0 }
    }

    /// The middle angle of the second triple.
    fn other_middle(&self, b: f64) -> f64 {
        if self.axes[0] == self.axes[2] { -b } else { PI - b }
    }

    fn one_branch(&self, q: DQuat, near: [f64; 3]) -> [f64; 3] {
        /// Sine of the distance from gimbal lock under which the first angle is noise; f64 gives 1e-16.
        const LOCKED: f64 = 1e-7;
        let m = DMat3::from_quat(q);
        let at = |row: usize, column: usize| m.col(column)[row];
        let (i, j) = (self.axes[0].index(), self.axes[1].index());
        let k = 3 - i - j;
        let e = self.parity();
        let (a, b, free) = if self.axes[0] == self.axes[2] {
            let sine = at(i, j).hypot(at(i, k));
            (at(j, i).atan2(-e * at(k, i)), sine.atan2(at(i, i)), sine)
        } else {
            let cosine = at(i, i).hypot(at(i, j));
            ((-e * at(j, k)).atan2(at(k, k)), (e * at(i, k)).atan2(cosine), cosine)
        };
        let a = if free < LOCKED { near[0] } else { a };
        // The last angle is whatever is left, so that the three together always give `q`.
        let rest = (self.axes[0].rotation(a) * self.axes[1].rotation(b)).conjugate() * q;
        let along = DVec3::new(rest.x, rest.y, rest.z)[self.axes[2].index()];
        [a, b, 2.0 * along.atan2(rest.w)]
    }
}

/// `angle` moved by whole turns to within half a turn of `near`.
fn nearest_turn(angle: f64, near: f64) -> f64 {
    angle - TAU * ((angle - near) / TAU).round()
}

#[cfg(test)]
mod tests {
    use super::super::angle_between64;
    use super::*;
    use proptest::prelude::*;

    const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    fn full_order() -> impl Strategy<Value = EulerOrder> {
        (0..3usize, 1..3usize, 1..3usize).prop_map(|(i, dj, dk)| {
            let j = (i + dj) % 3;
            EulerOrder::new(&[AXES[i], AXES[j], AXES[(j + dk) % 3]]).unwrap()
        })
    }
    fn angles() -> impl Strategy<Value = [f64; 3]> {
        prop::array::uniform3(-7.0..7.0_f64)
    }

    #[test]
    fn twelve_orders_of_three_axes_are_full() {
        let mut full = 0;
        for i in AXES {
            for j in AXES {
                for k in AXES {
                    full += usize::from(EulerOrder::new(&[i, j, k]).unwrap().is_full());
                }
            }
        }
        assert_eq!(full, 12);
        assert!(!EulerOrder::new(&[Axis::X, Axis::Y]).unwrap().is_full());
        assert_eq!(EulerOrder::new(&[Axis::X; 4]), None);
    }

    proptest! {
        #[test]
        fn angles_give_their_rotation_back(order in full_order(), angles in angles(), near in angles()) {
            let q = order.rotation(angles);
            let back = order.angles_near(q, near).unwrap();
            prop_assert!(angle_between64(order.rotation(back), q) < 1e-7, "{order:?} {angles:?} → {back:?}");
        }

        #[test]
        fn angles_near_themselves_are_themselves(order in full_order(), angles in angles()) {
            // Away from gimbal lock the nearest triple is the one that made the rotation.
            let middle = if order.axes()[0] == order.axes()[2] { angles[1].sin() } else { angles[1].cos() };
            prop_assume!(middle.abs() > 1e-3);
            let back = order.angles_near(order.rotation(angles), angles).unwrap();
            for i in 0..3 {
                prop_assert!((back[i] - angles[i]).abs() < 1e-9, "{order:?} {angles:?} → {back:?}");
            }
        }

        #[test]
        fn gimbal_lock_keeps_the_first_angle(a in -3.0..3.0_f64, c in -3.0..3.0_f64, near in -3.0..3.0_f64) {
            let q = EulerOrder::ZYX.rotation([a, PI / 2.0, c]);
            let back = EulerOrder::ZYX.angles_near(q, [near, PI / 2.0, 0.0]).unwrap();
            prop_assert!((back[0] - near).abs() < 1e-6);
            prop_assert!(angle_between64(EulerOrder::ZYX.rotation(back), q) < 1e-7);
        }
    }

    #[test]
    fn the_first_axis_is_outermost() {
        // 90° about Z, then 90° about the turned X: the body's Y axis first goes to −X, then stays in
        // the plane that the second rotation turns; intrinsic ZX maps Y to Z.
        let q = EulerOrder::new(&[Axis::Z, Axis::X]).unwrap().rotation([PI / 2.0, PI / 2.0, 0.0]);
        assert!((q * DVec3::Y - DVec3::Z).length() < 1e-12);
        assert!((q * DVec3::X - DVec3::Y).length() < 1e-12);
    }
}
