//! Easing curves: from 0 to 1 over a unit of time, constant before and after.

/// Smoothstep 3t² − 2t³: its velocity is 0 at both ends.
#[must_use]
pub fn smoothstep(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Minimum jerk 6t⁵ − 15t⁴ + 10t³ \[flashhogan1985, eq. 3\]: velocity and acceleration are 0 at both ends.
#[must_use]
pub fn minimum_jerk(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (10.0 + t * (-15.0 + 6.0 * t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Monotone, symmetric about the middle, and constant outside the unit interval.
        #[test]
        fn curves_rise_from_zero_to_one(t in -0.5..1.5_f64) {
            for ease in [smoothstep, minimum_jerk] {
                prop_assert!(ease(t + 1e-3) >= ease(t));
                prop_assert!((ease(t) + ease(1.0 - t) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn derivatives_vanish_at_both_ends() {
        // Differences over h: h for the second derivative of a smoothstep's cubic, h² for what minimum jerk leaves.
        let h = 1e-4;
        for end in [0.0, 1.0] {
            for ease in [smoothstep, minimum_jerk] {
                assert!((ease(end + h) - ease(end - h)).abs() / (2.0 * h) < 4.0 * h);
            }
            let second = (minimum_jerk(end + h) - 2.0 * minimum_jerk(end) + minimum_jerk(end - h)) / (h * h);
            assert!(second.abs() < 20.0 * h, "{second}");
        }
    }
}
