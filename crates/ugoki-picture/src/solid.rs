//! The one solid that bodies are made of: two spheres and the cone that touches both, optionally flattened.
//!
//! A limb is such a rounded cone, a head is one with a small chin and a large crown, a chest is one
//! flattened front to back. The ray intersection is closed form (I. Quilez, "rounded cone").

use glam::Vec3;

/// Which colour a solid has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Left,
    Right,
    Middle,
    /// A motion that was wanted.
    Wanted,
    /// What came of it.
    Became,
}

impl Tone {
    /// Blue and orange stay apart in every common colour blindness (Okabe & Ito's pair, softened); sRGB.
    pub(super) const fn rgb(self) -> [u8; 3] {
        match self {
            Self::Left => [52, 128, 196],
            Self::Right => [232, 126, 40],
            Self::Middle => [176, 179, 186],
            Self::Wanted => [138, 142, 150],
            Self::Became => [246, 246, 243],
        }
    }
}

/// A rounded cone from `a` (radius `ra`) to `b` (radius `rb`), in body heights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Solid {
    pub(super) a: Vec3,
    pub(super) b: Vec3,
    pub(super) ra: f32,
    pub(super) rb: f32,
    /// Unit axis along which the solid is flattened.
    pub(super) flat_axis: Vec3,
    /// Thickness along `flat_axis` relative to the radius; 1 is round.
    pub(super) flat: f32,
    pub(super) tone: Tone,
}

/// Where a ray meets a solid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// Distance along the ray.
    pub(super) t: f32,
    /// Along the outward normal, of any length.
    pub(super) outward: Vec3,
}

impl Hit {
    /// Outward unit normal.
    pub(super) fn normal(&self) -> Vec3 {
        self.outward.normalize_or(Vec3::Y)
    }
}

impl Solid {
    pub(super) fn is_finite(&self) -> bool {
        self.a.is_finite() && self.b.is_finite() && self.ra.is_finite() && self.rb.is_finite()
    }

    /// Scales the flattened solid to a round one.
    fn unflatten(&self, v: Vec3) -> Vec3 {
        if self.flat >= 1.0 {
            v
        } else {
            v + self.flat_axis * (v.dot(self.flat_axis) * (1.0 / self.flat - 1.0))
        }
    }

    /// The first meeting of the ray `eye + t·direction` (unit direction) with the surface.
    pub(super) fn hit(&self, eye: Vec3, direction: Vec3) -> Option<Hit> {
        // Start next to the solid: squares of the eye's distance would eat the digits of small radii.
        let start = (self.a - eye).dot(direction);
        let near = eye + direction * start;
        if self.flat >= 1.0 {
            let (t, outward) = hit_round(near - self.a, direction, self.b - self.a, self.ra, self.rb)?;
            let t = start + t;
            return (t > 0.0).then_some(Hit { t, outward });
        }
        let stretched = self.unflatten(direction);
        let speed = stretched.length();
        let (oa, ba) = (self.unflatten(near - self.a), self.unflatten(self.b - self.a));
        let (t, outward) = hit_round(oa, stretched / speed, ba, self.ra, self.rb)?;
        let t = start + t / speed;
        (t > 0.0).then(|| Hit { t, outward: self.unflatten(outward) })
    }

    /// Radius of the silhouette in the direction `e` (unit), relative to the unflattened radius.
    pub(super) fn support(&self, e: Vec3) -> f32 {
        let along = self.flat_axis.dot(e);
        (1.0 - (1.0 - self.flat * self.flat) * along * along).max(0.0).sqrt()
    }
}

/// Ray from `oa` along unit `rd` against the rounded cone from the origin (radius `ra`) to `ba` (radius `rb`).
fn hit_round(oa: Vec3, rd: Vec3, ba: Vec3, ra: f32, rb: f32) -> Option<(f32, Vec3)> {
    let rr = ra - rb;
    let m0 = ba.dot(ba);
    let d2 = m0 - rr * rr;
    let (m3, m5) = (rd.dot(oa), oa.dot(oa));
    if d2 > 1e-9 {
        let (m1, m2) = (ba.dot(oa), ba.dot(rd));
        let k2 = d2 - m2 * m2;
        let k1 = d2 * m3 - m1 * m2 + m2 * rr * ra;
        let k0 = d2 * m5 - m1 * m1 + m1 * rr * ra * 2.0 - m0 * ra * ra;
        let h = k1 * k1 - k0 * k2;
        if h < 0.0 {
            return None;
        }
        let t = (-h.sqrt() - k1) / k2;
        let y = m1 - ra * rr + t * m2;
        if y > 0.0 && y < d2 {
            return Some((t, d2 * (oa + rd * t) - ba * y));
        }
    }
    // The spheres at the ends; where one holds the other, the larger is the whole solid.
    let ob = oa - ba;
    let (m6, m7) = (rd.dot(ob), ob.dot(ob));
    let mut best: Option<(f32, Vec3)> = None;
    let mut sphere = |h: f32, m: f32, o: Vec3| {
        if h > 0.0 {
            let t = -m - h.sqrt();
            if best.is_none_or(|(found, _)| t < found) {
                best = Some((t, o + rd * t));
            }
        }
    };
    sphere(m3 * m3 - m5 + ra * ra, m3, oa);
    sphere(m6 * m6 - m7 + rb * rb, m6, ob);
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Signed distance to the unflattened solid: the least over spheres along the axis.
    fn distance(solid: &Solid, p: Vec3) -> f32 {
        (0..=200)
            .map(|i| {
                let s = i as f32 / 200.0;
                (p - solid.a.lerp(solid.b, s)).length() - (solid.ra + (solid.rb - solid.ra) * s)
            })
            .fold(f32::INFINITY, f32::min)
    }

    fn point() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-0.5..0.5_f32).prop_map(Vec3::from)
    }

    proptest! {
        #[test]
        fn hits_lie_on_the_surface_and_misses_stay_outside(
            a in point(), b in point(), ra in 0.02..0.2_f32, rb in 0.02..0.2_f32, aim in point(),
        ) {
            let round = Solid { a, b, ra, rb, flat_axis: Vec3::Z, flat: 1.0, tone: Tone::Left };
            let eye = Vec3::new(0.3, 0.4, 4.0);
            let direction = (aim - eye).normalize();
            match round.hit(eye, direction) {
                Some(hit) => {
                    // 2e-3 body heights: the oracle's 200 spheres and f32 at grazing rays.
                    prop_assert!(distance(&round, eye + direction * hit.t).abs() < 2e-3);
                                        prop_assert!(hit.normal().dot(direction) < 2e-2);
                }
                None => {
                    // All solids lie within 1.1 of the origin, the eye 4 away.
                    let least = (0..1200).map(|i| distance(&round, eye + direction * (2.8 + i as f32 * 2e-3)));
                    prop_assert!(least.fold(f32::INFINITY, f32::min) > -2e-3);
                }
            }
        }
    }

    #[test]
    fn a_flattened_ball_is_thin_along_its_axis() {
        let p = Vec3::Y;
        let ball = Solid { a: p, b: p, ra: 0.2, rb: 0.2, flat_axis: Vec3::Z, flat: 0.5, tone: Tone::Middle };
        let hit = ball.hit(Vec3::new(0.0, 1.0, 5.0), Vec3::NEG_Z).unwrap();
        assert!((hit.t - 4.9).abs() < 1e-4, "{}", hit.t);
        let hit = ball.hit(Vec3::new(5.0, 1.0, 0.0), Vec3::NEG_X).unwrap();
        assert!((hit.t - 4.8).abs() < 1e-4, "{}", hit.t);
        assert!((ball.support(Vec3::Z) - 0.5).abs() < 1e-6 && ball.support(Vec3::X) == 1.0);
    }
}
