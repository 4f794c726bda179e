//! Spatial vectors: six numbers for the motion of a rigid body and for the forces on it \[featherstone2008, ch. 2\].
//!
//! A [`Motion`] is an angular velocity and the linear velocity of the point at the frame's origin; a [`Force`] is
//! a moment about the origin and a force. Moving the origin is all that the algorithms of this module do
//! between links: they keep every link in world axes with the origin at the link's own joint, so a Plücker
//! transform shrinks to one cross product ([`Motion::shifted`], [`Force::shifted_back`], [`Inertia::shifted`])
//! and no 6×6 matrix is ever rotated. The general [`Transform`] is the definition against which they are tested.

use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use glam::{DMat3, DQuat, DVec3};

/// Angular part and linear part at the origin: a velocity (rad/s, m/s) or a spatial acceleration.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motion {
    /// Angular part.
    pub ang: DVec3,
    /// Linear part of the point at the origin.
    pub lin: DVec3,
}

impl Motion {
    /// No motion.
    pub const ZERO: Self = Self { ang: DVec3::ZERO, lin: DVec3::ZERO };

    /// The same motion seen at an origin `r` farther on.
    #[inline]
    #[must_use]
    pub fn shifted(self, r: DVec3) -> Self {
        Self { ang: self.ang, lin: self.lin + self.ang.cross(r) }
    }

    /// Rate of change of the motion vector `m` that moves with `self`: `self × m`.
    #[inline]
    #[must_use]
    pub fn cross(self, m: Self) -> Self {
        Self { ang: self.ang.cross(m.ang), lin: self.ang.cross(m.lin) + self.lin.cross(m.ang) }
    }

    /// Rate of change of the force vector `f` that moves with `self`: `self ×* f`.
    #[inline]
    #[must_use]
    pub fn cross_force(self, f: Force) -> Force {
        Force { ang: self.ang.cross(f.ang) + self.lin.cross(f.lin), lin: self.ang.cross(f.lin) }
    }

    /// Power that `f` gives to the motion, watts.
    #[inline]
    #[must_use]
    pub fn dot(self, f: Force) -> f64 {
        self.ang.dot(f.ang) + self.lin.dot(f.lin)
    }
}

/// Moment about the origin (N·m) and force (N); also a momentum (N·m·s, N·s).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Force {
    /// Moment about the origin.
    pub ang: DVec3,
    /// Force.
    pub lin: DVec3,
}

impl Force {
    /// No force.
    pub const ZERO: Self = Self { ang: DVec3::ZERO, lin: DVec3::ZERO };

    /// A force that acts at `point`.
    #[inline]
    #[must_use]
    pub fn at(point: DVec3, force: DVec3) -> Self {
        Self { ang: point.cross(force), lin: force }
    }

    /// The same force about an origin from which the old one lies at `r`.
    #[inline]
    #[must_use]
    pub fn shifted_back(self, r: DVec3) -> Self {
        Self { ang: self.ang + r.cross(self.lin), lin: self.lin }
    }
}

macro_rules! vector_space {
    ($($name:ident)*) => {$(
        impl Add for $name {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self { ang: self.ang + other.ang, lin: self.lin + other.lin }
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline]
            fn sub(self, other: Self) -> Self {
                Self { ang: self.ang - other.ang, lin: self.lin - other.lin }
            }
        }
        impl Neg for $name {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self { ang: -self.ang, lin: -self.lin }
            }
        }
        impl AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }
        impl SubAssign for $name {
            #[inline]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
    )*};
}
vector_space!(Motion Force);

/// A symmetric 3×3 matrix.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sym3 {
    /// Row 0, column 0.
    pub xx: f64,
    /// Row 1, column 1.
    pub yy: f64,
    /// Row 2, column 2.
    pub zz: f64,
    /// Row 0, column 1.
    pub xy: f64,
    /// Row 0, column 2.
    pub xz: f64,
    /// Row 1, column 2.
    pub yz: f64,
}

impl Sym3 {
    /// All zeros.
    pub const ZERO: Self = Self { xx: 0.0, yy: 0.0, zz: 0.0, xy: 0.0, xz: 0.0, yz: 0.0 };

    /// Zero but for its diagonal.
    #[must_use]
    pub fn diagonal(d: DVec3) -> Self {
        Self { xx: d.x, yy: d.y, zz: d.z, ..Self::ZERO }
    }

    /// The upper triangle of `m`.
    #[inline]
    #[must_use]
    pub fn from_mat3(m: &DMat3) -> Self {
        let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
        Self { xx: x.x, yy: y.y, zz: z.z, xy: y.x, xz: z.x, yz: z.y }
    }

    /// As a full matrix.
    #[inline]
    #[must_use]
    pub fn to_mat3(self) -> DMat3 {
        DMat3::from_cols(
            DVec3::new(self.xx, self.xy, self.xz),
            DVec3::new(self.xy, self.yy, self.yz),
            DVec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// Matrix times vector.
    #[inline]
    #[must_use]
    pub fn mul_vec(self, v: DVec3) -> DVec3 {
        DVec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }

    /// `R S Rᵀ`.
    #[inline]
    #[must_use]
    pub fn rotated(self, r: &DMat3) -> Self {
        let (a, b, c) = (r.row(0), r.row(1), r.row(2));
        let (sa, sb, sc) = (self.mul_vec(a), self.mul_vec(b), self.mul_vec(c));
        Self { xx: a.dot(sa), yy: b.dot(sb), zz: c.dot(sc), xy: a.dot(sb), xz: a.dot(sc), yz: b.dot(sc) }
    }

    /// The inverse, by cofactors; infinite or not a number when singular.
    #[inline]
    #[must_use]
    pub fn inverse(self) -> Self {
        let xx = self.yy * self.zz - self.yz * self.yz;
        let xy = self.xz * self.yz - self.xy * self.zz;
        let xz = self.xy * self.yz - self.xz * self.yy;
        let k = 1.0 / (self.xx * xx + self.xy * xy + self.xz * xz);
        Self {
            xx: k * xx,
            yy: k * (self.xx * self.zz - self.xz * self.xz),
            zz: k * (self.xx * self.yy - self.xy * self.xy),
            xy: k * xy,
            xz: k * xz,
            yz: k * (self.xy * self.xz - self.xx * self.yz),
        }
    }
}

impl Add for Sym3 {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }
}

/// Inertia of a rigid body about the origin: mass, first moment and second moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Mass times centre, kg·m.
    pub h: DVec3,
    /// Rotational inertia about the origin, kg·m².
    pub j: Sym3,
}

impl Inertia {
    /// Nothing there.
    pub const ZERO: Self = Self { mass: 0.0, h: DVec3::ZERO, j: Sym3::ZERO };

    /// A body of this mass, centre (m) and rotational inertia about its centre (kg·m²).
    #[must_use]
    pub fn new(mass: f64, com: DVec3, j_com: Sym3) -> Self {
        Self { mass, h: DVec3::ZERO, j: j_com }.shifted(com)
    }

    /// Its centre of mass, m; the origin when there is no mass.
    #[must_use]
    pub fn com(&self) -> DVec3 {
        if self.mass > 0.0 { self.h / self.mass } else { DVec3::ZERO }
    }

    /// Rotational inertia about the centre of mass, kg·m².
    #[must_use]
    pub fn j_com(&self) -> Sym3 {
        // Moved to the centre the first moment vanishes, which is what `shifted` by −com gives.
        self.shifted(-self.com()).j
    }

    /// The same body about an origin from which the old one lies at `r`.
    ///
    /// With k = h + ½ m r: J' = J + 2(k·r)1 − k rᵀ − r kᵀ.
    #[inline]
    #[must_use]
    pub fn shifted(&self, r: DVec3) -> Self {
        let k = self.h + r * (0.5 * self.mass);
        let (x, y, z) = (2.0 * k.x * r.x, 2.0 * k.y * r.y, 2.0 * k.z * r.z);
        Self {
            mass: self.mass,
            h: self.h + r * self.mass,
            j: Sym3 {
                xx: self.j.xx + (y + z),
                yy: self.j.yy + (x + z),
                zz: self.j.zz + (x + y),
                xy: self.j.xy - (k.x * r.y + k.y * r.x),
                xz: self.j.xz - (k.x * r.z + k.z * r.x),
                yz: self.j.yz - (k.y * r.z + k.z * r.y),
            },
        }
    }

    /// The same body with its axes turned by `r`.
    #[inline]
    #[must_use]
    pub fn rotated(&self, r: &DMat3) -> Self {
        Self { mass: self.mass, h: *r * self.h, j: self.j.rotated(r) }
    }

    /// Momentum of velocity `v`, or the force that gives acceleration `v`.
    #[inline]
    #[must_use]
    pub fn mul(&self, v: Motion) -> Force {
        Force {
            ang: self.j.mul_vec(v.ang) + self.h.cross(v.lin),
            lin: v.lin * self.mass - self.h.cross(v.ang),
        }
    }
}

impl Add for Inertia {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self { mass: self.mass + o.mass, h: self.h + o.h, j: self.j + o.j }
    }
}

impl AddAssign for Inertia {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

/// Placement of frame b in frame a: the Plücker transform `a_from_b`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Axes of b in a.
    pub rotation: DMat3,
    /// Origin of b in a, m.
    pub position: DVec3,
}

impl Transform {
    /// The frame turned by `rotation` with its origin at `position`.
    #[must_use]
    pub fn new(rotation: DQuat, position: DVec3) -> Self {
        Self { rotation: DMat3::from_quat(rotation), position }
    }

    /// A motion of b's coordinates in a's.
    #[must_use]
    pub fn motion(&self, v: Motion) -> Motion {
        Motion { ang: self.rotation * v.ang, lin: self.rotation * v.lin }.shifted(-self.position)
    }

    /// A force of b's coordinates in a's.
    #[must_use]
    pub fn force(&self, f: Force) -> Force {
        Force { ang: self.rotation * f.ang, lin: self.rotation * f.lin }.shifted_back(self.position)
    }

    /// An inertia of b's coordinates in a's.
    #[must_use]
    pub fn inertia(&self, inertia: &Inertia) -> Inertia {
        inertia.rotated(&self.rotation).shifted(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ugoki_base::math::exp64;

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-2.0..2.0_f64).prop_map(DVec3::from_array)
    }
    fn motion() -> impl Strategy<Value = Motion> {
        (vector(), vector()).prop_map(|(ang, lin)| Motion { ang, lin })
    }
    fn force() -> impl Strategy<Value = Force> {
        (vector(), vector()).prop_map(|(ang, lin)| Force { ang, lin })
    }
    fn inertia() -> impl Strategy<Value = Inertia> {
        (0.1..5.0_f64, vector(), vector(), vector()).prop_map(|(mass, com, d, turn)| {
            let j = Sym3::diagonal(d * d + DVec3::ONE).rotated(&DMat3::from_quat(exp64(turn)));
            Inertia::new(mass, com, j)
        })
    }
    fn transform() -> impl Strategy<Value = Transform> {
        (vector(), vector()).prop_map(|(turn, at)| Transform::new(exp64(turn), at))
    }
    /// Rounding of a dozen products of numbers up to about 100.
    const CLOSE: f64 = 1e-11;

    proptest! {
        #[test]
        fn power_is_the_same_in_every_frame(x in transform(), v in motion(), f in force()) {
            prop_assert!((x.motion(v).dot(x.force(f)) - v.dot(f)).abs() < CLOSE);
        }

        #[test]
        fn kinetic_energy_is_the_same_in_every_frame(x in transform(), v in motion(), i in inertia()) {
            let here = v.dot(i.mul(v));
            let there = x.motion(v).dot(x.inertia(&i).mul(x.motion(v)));
            prop_assert!((here - there).abs() < CLOSE * here.max(1.0));
        }

        #[test]
        fn momentum_transforms_as_a_force(x in transform(), v in motion(), i in inertia()) {
            let d = x.force(i.mul(v)) - x.inertia(&i).mul(x.motion(v));
            prop_assert!(d.ang.length() + d.lin.length() < 1e-9);
        }

        #[test]
        fn the_two_cross_products_are_dual(u in motion(), v in motion(), f in force()) {
            // (u × v)·f = −v·(u ×* f)
            prop_assert!((u.cross(v).dot(f) + v.dot(u.cross_force(f))).abs() < CLOSE);
        }

        #[test]
        fn inertia_keeps_its_centre_and_central_inertia(i in inertia(), r in vector()) {
            let moved = i.shifted(r);
            prop_assert!((moved.com() - i.com() - r).length() < CLOSE);
            let (a, b) = (moved.j_com().to_mat3(), i.j_com().to_mat3());
            prop_assert!((0..3).all(|k| (a.col(k) - b.col(k)).length() < 1e-9));
        }

        #[test]
        fn a_symmetric_inverse_is_the_matrix_inverse(i in inertia()) {
            let product = i.j.to_mat3() * i.j.inverse().to_mat3();
            prop_assert!((0..3).all(|k| (product.col(k) - DMat3::IDENTITY.col(k)).length() < 1e-9));
        }
    }
}
