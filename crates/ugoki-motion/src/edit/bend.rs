//! A target for the end of a path, as the few vectors that bend it.
//!
//! The first target spreads the displacement by one of four [`Distribution`]s; every later one, a change of target at sample
//! k, pushes the rest k … n by γ and ε of that rest, so that place and velocity at k stay. However often the target moves,
//! the state stays a few vectors.

use glam::DVec3;

use super::{Coefficients, EditError};

/// How the displacement of the end is distributed over a path \[kawachi2003, sections 3.2 and 3.3\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, serde::Serialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// i/n, whatever moves: what the paper compares with. The end velocity is what comes of it.
    Linear,
    /// δ, in proportion to speed. The end velocity is what comes of it.
    Position,
    /// Position and velocity by γ and ε at once, the least change of acceleration.
    OneStage,
    /// The position by δ, then the missing velocity by ε.
    #[default]
    TwoStage,
}

impl Distribution {
    /// All of them, in the paper's order.
    pub const ALL: [Self; 4] = [Self::Linear, Self::Position, Self::OneStage, Self::TwoStage];

    /// `linear`, `position`, `one-stage` or `two-stage`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Position => "position",
            Self::OneStage => "one-stage",
            Self::TwoStage => "two-stage",
        }
    }

    /// Whether the end velocity is met.
    #[must_use]
    pub fn meets_velocity(self) -> bool {
        matches!(self, Self::OneStage | Self::TwoStage)
    }
}

/// How far samples of one path are displaced: metres, or radians in the tangent space of each sample.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bend {
    /// From the latest change on.
    now: State,
    /// From the change before it to the latest.
    before: State,
    /// Up to the first change, which was at the sample `first_until`; 0 without one.
    first: State,
    first_until: usize,
}

/// The displacements that hold from one change of target to the next.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct State {
    /// The sample of the change; 0 for the first target.
    since: usize,
    /// Times i/n.
    linear: DVec3,
    /// Times δ_i.
    spread: DVec3,
    /// The line through the end: displacement of sample n, and per sample after it.
    end: DVec3,
    slope: DVec3,
    /// Times the two sums over the samples from i on.
    push: [DVec3; 2],
}

impl Bend {
    /// The end displaced by `dx` and its velocity by `dv`, per sample.
    #[must_use]
    pub fn new(coefficients: &Coefficients, dx: DVec3, dv: DVec3, distribution: Distribution) -> Self {
        let n = coefficients.last_frame();
        let mut now = State::default();
        match distribution {
            Distribution::Linear => now.linear = dx,
            Distribution::Position => now.spread = dx,
            // At sample 0 the whole path is ahead, and n ≥ 2: neither change comes too late.
            Distribution::OneStage => {
                let _ = now.change(coefficients, 0, dx, dv);
            }
            Distribution::TwoStage => {
                now.spread = dx;
                let given = (coefficients.delta(n + 1) - coefficients.delta(n)) * dx;
                let _ = now.change(coefficients, 0, DVec3::ZERO, dv - given);
            }
        }
        Self { now, before: now, first: now, first_until: 0 }
    }

    /// [`Distribution::TwoStage`].
    #[must_use]
    pub fn two_stage(coefficients: &Coefficients, dx: DVec3, dv: DVec3) -> Self {
        Self::new(coefficients, dx, dv, Distribution::TwoStage)
    }

    /// [`Distribution::OneStage`].
    #[must_use]
    pub fn one_stage(coefficients: &Coefficients, dx: DVec3, dv: DVec3) -> Self {
        Self::new(coefficients, dx, dv, Distribution::OneStage)
    }

    /// From sample `k` on, displaces the end by further `dx` and its velocity by further `dv`. Changes come in the order in
    /// which the path is played.
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
        let played = self.now;
        self.now.change(coefficients, k, dx, dv)?;
        // Of two changes at one sample nothing was played between them.
        if k > played.since {
            (self.before, self.now.since) = (played, k);
            if self.first_until == 0 {
                (self.first, self.first_until) = (played, k);
            }
        }
        Ok(())
    }

    /// Displacement of sample `i`, 0 … n+1; for samples before a change of target, as they were played.
    ///
    /// What was played is known before the first change and since the latest but one. Of three changes or more, samples between
    /// those lie on the cubic that continues what is known on either side.
    #[must_use]
    pub fn at(&self, coefficients: &Coefficients, i: usize) -> DVec3 {
        let Self { now, before, first, first_until } = self;
        if i >= now.since {
            now.at(coefficients, i)
        } else if i >= before.since {
            before.at(coefficients, i)
        } else if i <= *first_until {
            first.at(coefficients, i)
        } else {
            let ends = [(first, *first_until), (before, before.since)];
            let [from, to] = ends.map(|(state, k)| {
                let place = state.at(coefficients, k);
                (place, state.at(coefficients, k + 1) - place)
            });
            cubic(from, to, (before.since - first_until) as f64, (i - first_until) as f64)
        }
    }
}

/// The cubic from one place and velocity per sample to another, `length` samples later, after `at` samples.
fn cubic(from: (DVec3, DVec3), to: (DVec3, DVec3), length: f64, at: f64) -> DVec3 {
    let u = at / length;
    let (a, b) = (1.0 - u, u);
    a * a * ((1.0 + 2.0 * b) * from.0 + at * from.1) + b * b * ((1.0 + 2.0 * a) * to.0 - a * length * to.1)
}

impl State {
    fn change(
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

    fn at(&self, coefficients: &Coefficients, i: usize) -> DVec3 {
        let n = coefficients.last_frame() as f64;
        let given = i as f64 / n * self.linear + coefficients.delta(i) * self.spread;
        if i < 2 && self.since == 0 {
            // No acceleration of the first target reaches samples 0 and 1; the sums would say so but for rounding.
            return given;
        }
        let [g0, g1] = coefficients.back_sums(i);
        given + self.end + (i as f64 - n) * self.slope + g0 * self.push[0] + g1 * self.push[1]
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

        /// Samples before a change were up to 39 km away: the sums of the rest of a path were used for the part before it.
        #[test]
        fn samples_before_a_change_are_those_that_were_played(
            speeds in speeds(), first in (vector(), vector()), changes in prop::collection::vec((any::<prop::sample::Index>(), vector(), vector()), 1..6),
        ) {
            let c = Coefficients::build(&speeds).unwrap();
            let n = c.last_frame();
            let mut bend = Bend::two_stage(&c, first.0, first.1);
            let mut at: Vec<usize> = changes.iter().map(|(k, ..)| k.index(n - 1)).collect();
            at.sort_unstable();
            let mut distinct = at.clone();
            distinct.dedup();
            distinct.retain(|&k| k > 0);
            let (mut played, mut next) = (Vec::new(), 0);
            for (k, (_, dx, dv)) in at.into_iter().zip(changes) {
                played.extend((next..k.max(next)).map(|i| bend.at(&c, i)));
                next = next.max(k);
                bend.change(&c, k, dx, dv).unwrap();
            }
            let known_until = distinct.first().copied().unwrap_or(0);
            let known_since = distinct.len().checked_sub(2).map_or(0, |at| distinct[at]);
            // No sample is farther away than the cubic between known places and velocities can lead.
            let size = played.iter().map(|x| x.length()).fold(0.0, f64::max);
            let step = played.windows(2).map(|x| x[0].distance(x[1])).fold(0.0, f64::max);
            for (i, was) in played.iter().enumerate() {
                let found = bend.at(&c, i);
                if distinct.len() < 3 || i <= known_until || i >= known_since {
                    prop_assert!(found.distance(*was) < 1e-7 * n as f64, "{i}: {found} {was}");
                }
                prop_assert!(found.length() <= 2.0 * size + n as f64 * step + 1e-6, "{i}: {found}");
            }
        }

        #[test]
        fn the_linear_distribution_is_i_over_n_and_position_is_delta(speeds in speeds(), dx in vector(), dv in vector()) {
            let c = Coefficients::build(&speeds).unwrap();
            let n = c.last_frame();
            let [linear, position] = [Distribution::Linear, Distribution::Position].map(|how| Bend::new(&c, dx, dv, how));
            for i in 0..=n + 1 {
                prop_assert!(linear.at(&c, i).distance(i as f64 / n as f64 * dx) < 1e-12);
                prop_assert!(position.at(&c, i).distance(c.delta(i) * dx) < 1e-12);
            }
        }
    }
}
