//! The turning of a joint, bent to a new end: the same coefficients in the tangent space of every sample.
//!
//! q'_i = q_i · exp(δ_i d) · exp(w_i): d spreads the displacement of the end in proportion to angular speed, w_i is the
//! further bend, one vector per sample, in which velocity and all changes of mind are collected.

use glam::{DQuat, DVec3, Quat, Vec3};
use ugoki_base::math::{align_sign, exp64, log64};

use super::{Bend, Coefficients, EditError};

/// Rotations 0 … n and the look-ahead n+1, with their coefficients.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnBasis {
    pub(super) samples: Vec<Quat>,
    pub(super) coefficients: Coefficients,
}

/// How a turning is bent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TurnBend {
    spread: DVec3,
    further: Bend,
}

impl TurnBasis {
    /// From rotations 0 … n; `ahead` is sample n+1, and without one the last turning goes on.
    ///
    /// # Errors
    /// When there are fewer than three samples or one is not a finite number.
    pub fn build(samples: &[Quat], ahead: Option<Quat>) -> Result<Self, EditError> {
        let [.., before, last] = samples else { return Err(EditError::TooShort { samples: samples.len() }) };
        let ahead = ahead.unwrap_or(*last * before.inverse() * *last);
        let samples: Vec<Quat> = samples.iter().copied().chain([ahead]).collect();
        if let Some(sample) = samples.iter().position(|q| !q.is_finite()) {
            return Err(EditError::NotFinite { sample });
        }
        let speeds: Vec<f64> =
            samples.windows(2).map(|q| log64(unit(q[0]).inverse() * unit(q[1])).length()).collect();
        Ok(Self { samples, coefficients: Coefficients::build(&speeds)? })
    }

    /// n: the sample that ends the turning.
    #[must_use]
    pub fn last_frame(&self) -> usize {
        self.coefficients.last_frame()
    }

    /// How the source turns at its end: the vector of one sample, radians, in the axes of its last rotation.
    #[must_use]
    pub fn end_velocity(&self) -> Vec3 {
        let n = self.last_frame();
        log64(unit(self.samples[n]).inverse() * unit(self.samples[n + 1])).as_vec3()
    }

    /// The bend that ends at `rotation`, turning by the vector `velocity`, radians per sample in the axes of `rotation`.
    #[must_use]
    pub fn edit(&self, rotation: Quat, velocity: Vec3) -> TurnBend {
        let n = self.last_frame();
        let spread = log64(unit(self.samples[n]).inverse() * unit(rotation));
        let mut bend = TurnBend { spread, further: Bend::default() };
        // With the whole path ahead a change cannot come too late.
        let _ = self.change(&mut bend, 0, rotation, velocity);
        bend
    }

    /// Aims a bend that is being played, now at sample `k`, at another end; rotation and turning at `k` stay.
    ///
    /// # Errors
    /// When fewer than two samples are left.
    pub fn change(
        &self,
        bend: &mut TurnBend,
        k: usize,
        rotation: Quat,
        velocity: Vec3,
    ) -> Result<(), EditError> {
        let n = self.last_frame();
        let target = unit(rotation);
        // What w must be at n and n+1, and what it is.
        let end = log64(self.spread_at(bend, n).inverse() * target);
        let ahead = log64(self.spread_at(bend, n + 1).inverse() * target * exp64(velocity.as_dvec3()));
        let (end_now, ahead_now) =
            (bend.further.at(&self.coefficients, n), bend.further.at(&self.coefficients, n + 1));
        bend.further.change(&self.coefficients, k, end - end_now, (ahead - end) - (ahead_now - end_now))
    }

    /// Sample `i` of the bent turning, 0 … n+1.
    #[must_use]
    pub fn at(&self, bend: &TurnBend, i: usize) -> Quat {
        let q = self.spread_at(bend, i) * exp64(bend.further.at(&self.coefficients, i));
        align_sign(q.as_quat(), self.samples[i]).normalize()
    }

    fn spread_at(&self, bend: &TurnBend, i: usize) -> DQuat {
        unit(self.samples[i]) * exp64(self.coefficients.delta(i) * bend.spread)
    }
}

fn unit(q: Quat) -> DQuat {
    q.as_dquat().normalize()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use ugoki_base::math::{angle_between, exp};

    fn vector(size: f32) -> impl Strategy<Value = Vec3> {
        (-size..size, -size..size, -size..size).prop_map(Vec3::from)
    }

    /// A turning of small steps from anywhere.
    fn turning() -> impl Strategy<Value = Vec<Quat>> {
        (vector(1.5), prop::collection::vec(vector(0.2), 3..60)).prop_map(|(start, steps)| {
            let mut q = exp(start);
            steps
                .into_iter()
                .map(|step| {
                    q = (q * exp(step)).normalize();
                    q
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn a_bent_turning_starts_as_it_did_and_ends_as_and_how_fast_it_must(
            samples in turning(), target in vector(1.5), velocity in vector(0.1),
        ) {
            let basis = TurnBasis::build(&samples, None).unwrap();
            let n = basis.last_frame();
            let bend = basis.edit(exp(target), velocity);
            // f32 rotations: 1e-6 rad is some units in the last place.
            prop_assert!(angle_between(basis.at(&bend, 0), samples[0]) < 2e-6);
            prop_assert!(angle_between(basis.at(&bend, n), exp(target)) < 2e-6);
            prop_assert!(angle_between(basis.at(&bend, n + 1), exp(target) * exp(velocity)) < 2e-6);
        }

        #[test]
        fn a_new_target_half_way_keeps_rotation_and_turning(
            samples in turning(), first in vector(1.0), then in vector(1.0), velocity in vector(0.1),
        ) {
            prop_assume!(samples.len() > 5);
            let basis = TurnBasis::build(&samples, None).unwrap();
            let (n, k) = (basis.last_frame(), basis.last_frame() / 2);
            let mut bend = basis.edit(exp(first), velocity);
            let before = bend;
            basis.change(&mut bend, k, exp(then), -velocity).unwrap();
            for i in [k, k + 1] {
                prop_assert!(angle_between(basis.at(&bend, i), basis.at(&before, i)) < 3e-6);
            }
            prop_assert!(angle_between(basis.at(&bend, n), exp(then)) < 2e-6);
            prop_assert!(angle_between(basis.at(&bend, n + 1), exp(then) * exp(-velocity)) < 2e-6);
        }

        #[test]
        fn the_world_may_be_turned_first_or_last(samples in turning(), target in vector(1.5), world in vector(3.0)) {
            let world = exp(world);
            let turned: Vec<Quat> = samples.iter().map(|&q| world * q).collect();
            let (here, there) = (TurnBasis::build(&samples, None).unwrap(), TurnBasis::build(&turned, None).unwrap());
            let (a, b) = (here.edit(exp(target), Vec3::ZERO), there.edit(world * exp(target), Vec3::ZERO));
            for i in 0..samples.len() {
                prop_assert!(angle_between(world * here.at(&a, i), there.at(&b, i)) < 2e-4, "{i}");
            }
        }
    }
}
