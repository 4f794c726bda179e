//! A wish for the end of a path, as the few vectors that bend it.
//!
//! The first wish spreads the displacement by δ and corrects the velocity by ε (two stages); every later one,
//! a change of mind at sample k, pushes the rest k … n by γ and ε of that rest, so that place and velocity at k
//! stay. However often the target moves, the state stays five vectors.

use glam::DVec3;

use super::{Coefficients, EditError};

/// How far samples of one path are displaced: metres, or radians in the tangent space of each sample.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bend {
    /// Times δ_i.
    spread: DVec3,
    /// The line through the end: displacement of sample n, and per sample after it.
    end: DVec3,
    slope: DVec3,
    /// Times the two sums over the samples from i on.
    push: [DVec3; 2],
}

impl Bend {
    /// Two stages: the end displaced by `dx` in proportion to speed, then by what is missing to change the end
    /// velocity by `dv` in all, per sample.
    #[must_use]
    pub fn two_stage(coefficients: &Coefficients, dx: DVec3, dv: DVec3) -> Self {
        let n = coefficients.last_frame();
        let mut bend = Self { spread: dx, ..Self::default() };
        let given = (coefficients.delta(n + 1) - coefficients.delta(n)) * dx;
        // At sample 0 the whole path is ahead, and n ≥ 2.
        let _ = bend.change(coefficients, 0, DVec3::ZERO, dv - given);
        bend
    }

    /// One stage: both wishes by γ and ε.
    #[must_use]
    pub fn one_stage(coefficients: &Coefficients, dx: DVec3, dv: DVec3) -> Self {
        let mut bend = Self::default();
        let _ = bend.change(coefficients, 0, dx, dv);
        bend
    }

    /// From sample `k` on, displaces the end by further `dx` and its velocity by further `dv`; samples up to `k` must
    /// not be asked for any more.
    ///
    /// # Errors
    /// When fewer than two samples follow `k`: it is too late to meet both.
    pub fn change(
        &mut self,
        coefficients: &Coefficients,
        k: usize,
        dx: DVec3,
        dv: DVec3,
    ) -> Result<(), EditError> {
        let (Some(x), Some(v)) = (coefficients.push(k, 1.0, 0.0), coefficients.push(k, 0.0, 1.0)) else {
            return Err(EditError::TooLate { sample: k, last: coefficients.last_frame() });
        };
        self.end += dx;
        self.slope += dv;
        self.push[0] += x.e0 * dx + v.e0 * dv;
        self.push[1] += x.e1 * dx + v.e1 * dv;
        Ok(())
    }

    /// Displacement of sample `i`, 0 … n+1.
    #[must_use]
    pub fn at(&self, coefficients: &Coefficients, i: usize) -> DVec3 {
        if i < 2 {
            // No acceleration reaches samples 0 and 1; the sums would say so but for rounding.
            return coefficients.delta(i) * self.spread;
        }
        let from_end = i as f64 - coefficients.last_frame() as f64;
        let [g0, g1] = coefficients.back_sums(i);
        coefficients.delta(i) * self.spread
            + self.end
            + from_end * self.slope
            + g0 * self.push[0]
            + g1 * self.push[1]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        (-2.0..2.0_f64, -2.0..2.0_f64, -2.0..2.0_f64).prop_map(DVec3::from)
    }

    fn speeds() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(prop_oneof![Just(0.0), 0.0..3.0_f64], 3..120)
    }

    proptest! {
        #[test]
        fn both_edits_keep_the_start_and_meet_the_end(speeds in speeds(), dx in vector(), dv in vector()) {
            let c = Coefficients::build(&speeds).unwrap();
            let n = c.last_frame();
            for bend in [Bend::two_stage(&c, dx, dv), Bend::one_stage(&c, dx, dv)] {
                prop_assert!(bend.at(&c, 0) == DVec3::ZERO);
                prop_assert!((bend.at(&c, n) - dx).length() < 1e-12);
                prop_assert!((bend.at(&c, n + 1) - bend.at(&c, n) - dv).length() < 1e-9);
            }
        }

        #[test]
        fn a_change_of_mind_leaves_place_and_velocity_and_meets_the_new_end(
            speeds in speeds(), first in (vector(), vector()), changes in prop::collection::vec((any::<prop::sample::Index>(), vector(), vector()), 1..6),
        ) {
            let c = Coefficients::build(&speeds).unwrap();
            let n = c.last_frame();
            let mut bend = Bend::two_stage(&c, first.0, first.1);
            let (mut end, mut velocity) = first;
            let mut at: Vec<usize> = changes.iter().map(|(k, ..)| k.index(n - 1)).collect();
            at.sort_unstable();
            for (k, (_, dx, dv)) in at.into_iter().zip(changes) {
                let before = bend;
                bend.change(&c, k, dx, dv).unwrap();
                end += dx;
                velocity += dv;
                let tolerance = 1e-7 * n as f64;
                prop_assert!((bend.at(&c, k) - before.at(&c, k)).length() < tolerance);
                prop_assert!((bend.at(&c, k + 1) - before.at(&c, k + 1)).length() < tolerance);
                prop_assert!((bend.at(&c, n) - end).length() < 1e-9);
                prop_assert!((bend.at(&c, n + 1) - bend.at(&c, n) - velocity).length() < 1e-9);
            }
            prop_assert!(bend.change(&c, n - 1, DVec3::X, DVec3::ZERO).is_err());
        }
    }
}
