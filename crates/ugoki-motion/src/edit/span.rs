//! A stretch whose both ends are wished for: place and velocity, before and after.
//!
//! The displacement is spread from one end's to the other's in proportion to speed (δ), and what velocity is missing at
//! either end is mended by ε of the stretch, played forwards and backwards. In the middle nothing else is touched.

use glam::DVec3;

use super::{Bend, Coefficients, EditError};

/// A stretch of samples −1 … n+1: 0 and n are its ends, the outer two tell how fast they pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    forward: Coefficients,
    backward: Coefficients,
    /// δ of the sample before the start: how far the path had come, negative.
    before: f64,
}

/// Displacements wished for at samples −1, 0, n and n+1: metres, or radians in the tangent space of each sample.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ends {
    /// At sample −1.
    pub before: DVec3,
    /// At sample 0.
    pub start: DVec3,
    /// At sample n.
    pub end: DVec3,
    /// At sample n+1.
    pub after: DVec3,
}

/// A stretch's bend for given ends.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpanBend {
    start: DVec3,
    spread: DVec3,
    forward: Bend,
    backward: Bend,
}

impl Span {
    /// From the speeds |v_{−1}|, |v_0| … |v_n|, per sample: n+2 of them.
    ///
    /// # Errors
    /// When n < 2 or a speed is not a finite number.
    pub fn build(speeds: &[f64]) -> Result<Self, EditError> {
        let Some((&before, inner)) = speeds.split_first() else {
            return Err(EditError::TooShort { samples: 0 });
        };
        let forward = Coefficients::build(inner)?;
        let n = forward.last_frame();
        let reversed: Vec<f64> = speeds[..=n].iter().rev().copied().collect();
        let backward = Coefficients::build(&reversed)?;
        let before = -forward.share(before);
        Ok(Self { forward, backward, before })
    }

    /// δ, ε of the end and ε of the start at sample `i`, 0 … n.
    pub(super) fn row(&self, i: usize) -> [f64; 3] {
        let back = self.last_frame() - i;
        [self.forward.delta(i), self.forward.epsilon(i), self.backward.epsilon(back)]
    }

    /// What δ alone adds in the sample before the start and in the one after the end, per displacement of the end.
    pub(super) fn given(&self) -> [f64; 2] {
        [self.before, self.forward.delta(self.last_frame() + 1) - 1.0]
    }

    /// n: the sample that ends the stretch.
    #[must_use]
    pub fn last_frame(&self) -> usize {
        self.forward.last_frame()
    }

    /// The bend that meets all four wishes.
    #[must_use]
    pub fn bend(&self, ends: &Ends) -> SpanBend {
        let spread = ends.end - ends.start;
        let [given_before, given_after] = self.given().map(|given| given * spread);
        SpanBend {
            start: ends.start,
            spread,
            forward: Bend::one_stage(&self.forward, DVec3::ZERO, ends.after - ends.end - given_after),
            backward: Bend::one_stage(&self.backward, DVec3::ZERO, ends.before - ends.start - given_before),
        }
    }

    /// Displacement of sample `i`, 0 … n.
    #[must_use]
    pub fn at(&self, bend: &SpanBend, i: usize) -> DVec3 {
        bend.start
            + self.forward.delta(i) * bend.spread
            + bend.forward.at(&self.forward, i)
            + bend.backward.at(&self.backward, self.last_frame() - i)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn both_ends_are_met_in_place_and_velocity(
            speeds in prop::collection::vec(0.0..2.0_f64, 7..100), start in vector(), end in vector(), from in vector(), to in vector(),
        ) {
            let span = Span::build(&speeds).unwrap();
            let n = span.last_frame();
            let ends = Ends { before: start - from, start, end, after: end + to };
            let bend = span.bend(&ends);
            prop_assert!((span.at(&bend, 0) - start).length() < 1e-6);
            prop_assert!((span.at(&bend, n) - end).length() < 1e-6);
            // Neither mend disturbs the other end: the second samples move by the first stage and their own mend only.
            let one = |speeds: &[f64]| Span::build(speeds).map(|span| span.bend(&Ends { start, end, before: start + span.before * (end - start), after: end + (span.forward.delta(n + 1) - 1.0) * (end - start) })).unwrap();
            let plain = one(&speeds);
            prop_assert!((span.at(&plain, n / 2) - (start + span.forward.delta(n / 2) * (end - start))).length() < 1e-9);
        }

        #[test]
        fn a_rigid_displacement_stays_rigid(speeds in prop::collection::vec(0.0..2.0_f64, 4..100), by in vector()) {
            let span = Span::build(&speeds).unwrap();
            let bend = span.bend(&Ends { before: by, start: by, end: by, after: by });
            for i in 0..=span.last_frame() {
                prop_assert!((span.at(&bend, i) - by).length() < 1e-9);
            }
        }

        #[test]
        fn played_backwards_it_is_the_same_bend(speeds in prop::collection::vec(0.1..2.0_f64, 5..60), a in vector(), b in vector(), c in vector(), d in vector()) {
            let span = Span::build(&speeds).unwrap();
            let n = span.last_frame();
            let back = Span::build(&speeds.iter().rev().copied().collect::<Vec<_>>()).unwrap();
            let there = span.bend(&Ends { before: a, start: b, end: c, after: d });
            let again = back.bend(&Ends { before: d, start: c, end: b, after: a });
            for i in 0..=n {
                prop_assert!((span.at(&there, i) - back.at(&again, n - i)).length() < 1e-6);
            }
        }
    }
}
