//! The support polygon: the convex hull of the soles on the ground, seen from above.
//!
//! Points are (x, z). The hull runs so that its inside lies to the left of every edge in (x, z) axes.

use glam::DVec2;

use super::body::Body;
use super::kinematics::Kinematics;

/// Corners that two feet with toes can give, and a few for hands.
const MAX_CORNERS: usize = 24;

/// A convex polygon on the ground; a point or a segment when fewer corners are left, empty without contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SupportPolygon {
    corners: [DVec2; MAX_CORNERS],
    len: usize,
}

impl SupportPolygon {
    /// Nothing on the ground.
    pub const EMPTY: Self = Self { corners: [DVec2::ZERO; MAX_CORNERS], len: 0 };

    /// The convex hull of `points`; all but the first 24 are left out, as are points that are not finite.
    #[must_use]
    pub fn hull(points: impl IntoIterator<Item = DVec2>) -> Self {
        let mut sorted = [DVec2::ZERO; MAX_CORNERS];
        let mut n = 0;
        for p in points.into_iter().filter(|p| p.is_finite()).take(MAX_CORNERS) {
            sorted[n] = p;
            n += 1;
        }
        let sorted = &mut sorted[..n];
        sorted.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        // Andrew's monotone chain: lower hull, then upper hull.
        let mut hull = [DVec2::ZERO; 2 * MAX_CORNERS];
        let mut k = 0;
        for pass in 0..2 {
            let start = k;
            for i in 0..n {
                let p = sorted[if pass == 0 { i } else { n - 1 - i }];
                while k >= start + 2 && (hull[k - 1] - hull[k - 2]).perp_dot(p - hull[k - 2]) <= 0.0 {
                    k -= 1;
                }
                hull[k] = p;
                k += 1;
            }
            // The last point of each chain starts the next.
            k -= usize::from(k > start);
        }
        let len = if n > 0 && k == 0 { 1 } else { k.min(MAX_CORNERS) };
        let mut out = Self::EMPTY;
        out.corners[..len].copy_from_slice(&hull[..len]);
        out.len = len;
        if len == 2 && out.corners[0] == out.corners[1] {
            out.len = 1;
        }
        out
    }

    /// The hull of the soles of `links` where they are.
    #[must_use]
    pub fn from_soles(body: &Body, kinematics: &Kinematics, links: &[usize]) -> Self {
        Self::hull(links.iter().flat_map(|&i| {
            let pose = kinematics.link(i);
            body.link(i).sole.iter().map(move |&p| {
                let at = pose.point(p);
                DVec2::new(at.x, at.z)
            })
        }))
    }

    /// Its corners in order.
    #[must_use]
    pub fn corners(&self) -> &[DVec2] {
        &self.corners[..self.len]
    }

    /// Signed distance from `p` to the border, m: positive inside; −∞ for the empty polygon.
    #[must_use]
    pub fn margin(&self, p: DVec2) -> f64 {
        if self.len == 0 {
            return f64::NEG_INFINITY;
        }
        let nearest = self.nearest_on_border(p).distance(p);
        if self.contains(p) { nearest } else { -nearest }
    }

    /// Whether `p` lies inside or on the border.
    #[must_use]
    pub fn contains(&self, p: DVec2) -> bool {
        match self.len {
            0 => false,
            1 => p == self.corners[0],
            2 => self.nearest_on_border(p) == p,
            _ => self.edges().all(|(a, b)| (b - a).perp_dot(p - a) >= 0.0),
        }
    }

    /// The polygon without a border of `margin` metres; where nothing would be left, its middle.
    #[must_use]
    pub fn shrunk(&self, margin: f64) -> Self {
        if self.len < 3 || margin <= 0.0 {
            return *self;
        }
        let mut out = *self;
        for (a, b) in self.edges() {
            let inward = (b - a).perp().normalize_or_zero();
            out = out.clipped(a + inward * margin, inward);
        }
        if out.len == 0 {
            out.corners[0] = self.middle();
            out.len = 1;
        }
        out
    }

    /// The point of the polygon nearest to `p`; `p` itself when inside. `None` for the empty polygon.
    #[must_use]
    pub fn nearest(&self, p: DVec2) -> Option<DVec2> {
        match self.len {
            0 => None,
            _ if self.contains(p) => Some(p),
            _ => Some(self.nearest_on_border(p)),
        }
    }

    /// Mean of the corners; the origin for the empty polygon.
    #[must_use]
    pub fn middle(&self) -> DVec2 {
        self.corners().iter().sum::<DVec2>() / self.len.max(1) as f64
    }

    fn edges(&self) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
        let corners = self.corners();
        corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
    }

    fn nearest_on_border(&self, p: DVec2) -> DVec2 {
        let mut best = self.corners[0];
        for (a, b) in self.edges() {
            let along = b - a;
            let t = (p - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
            let q = a + along * t.clamp(0.0, 1.0);
            if q.distance_squared(p) < best.distance_squared(p) {
                best = q;
            }
        }
        best
    }

    /// The part on the side of `inward` of a line through `at`.
    fn clipped(&self, at: DVec2, inward: DVec2) -> Self {
        let mut out = Self::EMPTY;
        let mut push = |p: DVec2| {
            if out.len < MAX_CORNERS {
                out.corners[out.len] = p;
                out.len += 1;
            }
        };
        for (a, b) in self.edges() {
            let (da, db) = ((a - at).dot(inward), (b - at).dot(inward));
            if da >= 0.0 {
                push(a);
            }
            if (da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0) {
                push(a + (b - a) * (da / (da - db)));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec2> {
        prop::array::uniform2(-1.0..1.0_f64).prop_map(DVec2::from_array)
    }

    proptest! {
        #[test]
        fn a_hull_holds_its_points_and_is_convex(points in prop::collection::vec(point(), 0..20)) {
            let hull = SupportPolygon::hull(points.iter().copied());
            for &p in &points {
                prop_assert!(hull.margin(p) > -1e-12, "{p} is {} out", -hull.margin(p));
            }
            let corners = hull.corners();
            for i in 0..if corners.len() > 2 { corners.len() } else { 0 } {
                let (a, b, c) = (corners[i], corners[(i + 1) % corners.len()], corners[(i + 2) % corners.len()]);
                prop_assert!((b - a).perp_dot(c - b) > 0.0);
            }
            prop_assert!(corners.iter().all(|c| points.contains(c)));
        }

        #[test]
        fn shrinking_leaves_what_has_the_margin(points in prop::collection::vec(point(), 3..20), p in point(), margin in 0.0..0.3_f64) {
            let hull = SupportPolygon::hull(points.iter().copied());
            let inner = hull.shrunk(margin);
            let q = inner.nearest(p).unwrap();
            if inner.corners().len() > 2 {
                prop_assert!(hull.margin(q) > margin - 1e-9, "{} {margin}", hull.margin(q));
                // And it is the nearest: no point with the margin lies between it and p.
                prop_assert!(hull.margin(p) < margin || q == p);
            } else {
                prop_assert!(hull.margin(q) > -1e-9);
            }
        }
    }

    #[test]
    fn degenerate_polygons_answer_sanely() {
        assert_eq!(SupportPolygon::EMPTY.nearest(DVec2::ONE), None);
        assert_eq!(SupportPolygon::EMPTY.margin(DVec2::ONE), f64::NEG_INFINITY);
        let one = SupportPolygon::hull([DVec2::X, DVec2::X]);
        assert_eq!(one.corners(), [DVec2::X]);
        let two = SupportPolygon::hull([DVec2::ZERO, DVec2::X * 0.5, DVec2::X]);
        assert_eq!(two.corners().len(), 2);
        assert!((two.margin(DVec2::new(0.5, 0.2)) + 0.2).abs() < 1e-12);
    }
}
