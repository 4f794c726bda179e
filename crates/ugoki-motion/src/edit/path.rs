//! The path of a point, bent to a new end.

use glam::{DVec3, Vec3};

use super::{Bend, Coefficients, Distribution, EditError};

/// A path of samples 0 … n and the look-ahead sample n+1, with its coefficients.
#[derive(Debug, Clone, PartialEq)]
pub struct PathBasis {
    pub(super) samples: Vec<Vec3>,
    pub(super) coefficients: Coefficients,
}

impl PathBasis {
    /// From samples 0 … n, metres; `ahead` is sample n+1, and without one the last velocity goes on.
    ///
    /// # Errors
    /// When there are fewer than three samples or one is not a finite number.
    pub fn build(samples: &[Vec3], ahead: Option<Vec3>) -> Result<Self, EditError> {
        let [.., before, last] = samples else { return Err(EditError::TooShort { samples: samples.len() }) };
        let ahead = ahead.unwrap_or(2.0 * *last - *before);
        let samples: Vec<Vec3> = samples.iter().copied().chain([ahead]).collect();
        if let Some(sample) = samples.iter().position(|x| !x.is_finite()) {
            return Err(EditError::NotFinite { sample });
        }
        let speeds: Vec<f64> = samples.windows(2).map(|x| (x[1] - x[0]).as_dvec3().length()).collect();
        Ok(Self { samples, coefficients: Coefficients::build(&speeds)? })
    }

    /// n: the sample that ends the path.
    #[must_use]
    pub fn last_frame(&self) -> usize {
        self.coefficients.last_frame()
    }

    /// δ, γ, ε.
    #[must_use]
    pub fn coefficients(&self) -> &Coefficients {
        &self.coefficients
    }

    /// Sample `i` as captured, 0 … n+1.
    #[must_use]
    pub fn source(&self, i: usize) -> Vec3 {
        self.samples[i]
    }

    /// The bend that ends at `position`, metres, moving by `velocity`, metres per sample.
    #[must_use]
    pub fn edit(&self, position: Vec3, velocity: Vec3, distribution: Distribution) -> Bend {
        let n = self.last_frame();
        let dx = (position - self.samples[n]).as_dvec3();
        let dv = (velocity - (self.samples[n + 1] - self.samples[n])).as_dvec3();
        Bend::new(&self.coefficients, dx, dv, distribution)
    }

    /// Aims a bend that is being played, now at sample `k`, at another end; place and velocity at `k` stay.
    ///
    /// # Errors
    /// When fewer than two samples are left.
    pub fn change(&self, bend: &mut Bend, k: usize, position: Vec3, velocity: Vec3) -> Result<(), EditError> {
        let n = self.last_frame();
        let at = |i: usize| self.samples[i].as_dvec3() + bend.at(&self.coefficients, i);
        let (end, ahead) = (at(n), at(n + 1));
        let dx = position.as_dvec3() - end;
        let dv = velocity.as_dvec3() - (ahead - end);
        bend.change(&self.coefficients, k, dx, dv)
    }

    /// Sample `i` of the bent path, 0 … n+1.
    #[must_use]
    pub fn at(&self, bend: &Bend, i: usize) -> Vec3 {
        let moved: DVec3 = bend.at(&self.coefficients, i);
        self.samples[i] + moved.as_vec3()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(size: f32) -> impl Strategy<Value = Vec3> {
        (-size..size, -size..size, -size..size).prop_map(Vec3::from)
    }

    proptest! {
        #[test]
        fn a_bent_path_starts_where_it_did_and_ends_where_and_how_fast_it_must(
            samples in prop::collection::vec(vector(1.0), 3..80), position in vector(3.0), velocity in vector(0.1), one in any::<bool>(),
        ) {
            let basis = PathBasis::build(&samples, None).unwrap();
            let n = basis.last_frame();
            let bend = basis.edit(position, velocity, if one { Distribution::OneStage } else { Distribution::TwoStage });
            prop_assert_eq!(basis.at(&bend, 0), samples[0]);
            // f32 metres of a few metres.
            prop_assert!(basis.at(&bend, n).distance(position) < 2e-6);
            prop_assert!((basis.at(&bend, n + 1) - basis.at(&bend, n)).distance(velocity) < 2e-6);
        }

        #[test]
        fn wishing_for_its_own_end_changes_nothing(samples in prop::collection::vec(vector(1.0), 3..80)) {
            let basis = PathBasis::build(&samples, None).unwrap();
            let n = basis.last_frame();
            let bend = basis.edit(samples[n], basis.source(n + 1) - samples[n], Distribution::TwoStage);
            for (i, x) in samples.iter().enumerate() {
                prop_assert!(basis.at(&bend, i).distance(*x) < 1e-6);
            }
        }

        #[test]
        fn a_new_target_half_way_keeps_place_and_velocity(
            samples in prop::collection::vec(vector(1.0), 6..80), first in vector(3.0), then in vector(3.0), velocity in vector(0.1),
        ) {
            let basis = PathBasis::build(&samples, None).unwrap();
            let (n, k) = (basis.last_frame(), basis.last_frame() / 2);
            let mut bend = basis.edit(first, velocity, Distribution::TwoStage);
            let before = bend;
            basis.change(&mut bend, k, then, -velocity).unwrap();
            for i in [k, k + 1] {
                prop_assert!(basis.at(&bend, i).distance(basis.at(&before, i)) < 1e-5);
            }
            prop_assert!(basis.at(&bend, n).distance(then) < 2e-6);
            prop_assert!((basis.at(&bend, n + 1) - basis.at(&bend, n)).distance(-velocity) < 3e-6);
        }
    }

    #[test]
    fn a_foot_that_rests_stays_while_the_end_moves() {
        let path: Vec<Vec3> = [0.0, 0.1, 0.3, 0.3, 0.3, 0.5, 0.6].map(|x| Vec3::new(x, 0.0, 0.0)).to_vec();
        let basis = PathBasis::build(&path, None).unwrap();
        let n = basis.last_frame();
        let d = Vec3::new(0.2, 0.0, 0.1);
        let moved =
            basis.edit(path[n] + d, (basis.source(n + 1) - path[n]) + d / 6.0, Distribution::TwoStage);
        // The wished velocity is what the first stage gives by itself (|v_n|/Σ|v| = 0.1/0.6), so δ acts alone.
        assert!(basis.at(&moved, 2).distance(basis.at(&moved, 4)) < 1e-6);
    }
}
