//! A correction curve that makes a path stand still in some places and fades away elsewhere.
//!
//! With x the correction of each frame, F the path, c the hold of each step and g the step it should make there:
//!
//! ```text
//! minimise  Σ |x|²  +  Σ K(c)·|Δ(F + x) − g|²·fps²  +  θ⁴·Σ |Δ²x|²·fps⁴
//! ```
//!
//! No place has to be chosen: a held path stands where that takes the least correction. Away from holds the curve
//! dies away like exp(−t/θ). The result depends continuously on path, steps and holds. The normal equations have five diagonals.

use glam::DVec3;

/// θ, seconds: what a hold adds is gone after about a quarter of a second, the time of a swing's rise.
const FADE_S: f64 = 0.08;
/// K at full hold, s²: a foot that would drift by 0.2 m in 10 s creeps by 0.25 mm instead.
const FULL_HOLD_S2: f64 = 1e4;
/// K goes from 0 to full as (Rᶜ − 1)/(R − 1), so that half a hold is felt as such: R.
const HOLD_RANGE: f64 = 1e6;

/// What one step between two frames should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hold {
    /// The earlier frame.
    pub frame: usize,
    /// How firmly, 0 to 1.
    pub firm: f64,
    /// The step the correction should make: g − ΔF.
    pub step: DVec3,
}

/// How long a correction lasts for the sake of a hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Memory {
    /// As long as holds follow each other: a drift is taken out whole.
    Drift,
    /// Some seconds, then it returns to nothing: noise has no mean.
    Noise,
}

/// K at full hold of [`Memory::Noise`], s²: a correction is forgotten after two seconds.
const NOISE_HOLD_S2: f64 = 4.0;

/// The correction of every frame.
#[must_use]
pub fn correction(num_frames: usize, fps: f64, holds: &[Hold]) -> Vec<DVec3> {
    correction_within(num_frames, fps, holds, Memory::Drift)
}

/// [`correction`] with a memory.
pub(super) fn correction_within(num_frames: usize, fps: f64, holds: &[Hold], memory: Memory) -> Vec<DVec3> {
    let full = match memory {
        Memory::Drift => FULL_HOLD_S2,
        Memory::Noise => NOISE_HOLD_S2,
    };
    let mut x = vec![DVec3::ZERO; num_frames];
    if holds.iter().all(|hold| hold.firm <= 0.0 || hold.step == DVec3::ZERO) {
        return x;
    }
    // Row r holds the coefficients of columns r − 2, r − 1 and r.
    let mut rows = vec![[0.0, 0.0, 1.0]; num_frames];
    for hold in holds {
        let k = full * (HOLD_RANGE.powf(hold.firm) - 1.0) / (HOLD_RANGE - 1.0) * fps * fps;
        let (a, b) = (hold.frame, hold.frame + 1);
        rows[a][2] += k;
        rows[b][2] += k;
        rows[b][1] -= k;
        x[a] -= hold.step * k;
        x[b] += hold.step * k;
    }
    let bend = (FADE_S * fps).powi(4);
    for i in 2..num_frames {
        // (1, −2, 1) on frames i − 2, i − 1, i.
        for (row, [two, one, own]) in
            [(i - 2, [0.0, 0.0, 1.0]), (i - 1, [0.0, -2.0, 4.0]), (i, [1.0, -2.0, 1.0])]
        {
            rows[row][0] += bend * two;
            rows[row][1] += bend * one;
            rows[row][2] += bend * own;
        }
    }
    // Cholesky's L·Lᵀ, then both substitutions; every frame costs something, so the diagonal stays positive.
    for r in 0..num_frames {
        let [mut two, mut one, mut own] = rows[r];
        if r >= 2 {
            two /= rows[r - 2][2];
            one -= two * rows[r - 1][1];
            let before = x[r - 2];
            x[r] -= before * two;
            own -= two * two;
        }
        if r >= 1 {
            one /= rows[r - 1][2];
            let before = x[r - 1];
            x[r] -= before * one;
            own -= one * one;
        }
        let own = own.sqrt();
        rows[r] = [two, one, own];
        x[r] /= own;
    }
    for r in (0..num_frames).rev() {
        let [two, one, own] = rows[r];
        x[r] /= own;
        let value = x[r];
        if r >= 1 {
            x[r - 1] -= value * one;
        }
        if r >= 2 {
            x[r - 2] -= value * two;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::math::Random;

    #[test]
    fn a_drifting_path_stands_still_while_held_and_is_itself_elsewhere() {
        let path: Vec<DVec3> = (0..400).map(|i| DVec3::new(0.001 * f64::from(i), 0.0, 0.0)).collect();
        let holds: Vec<Hold> =
            (100..160).map(|frame| Hold { frame, firm: 1.0, step: path[frame] - path[frame + 1] }).collect();
        let x = correction(400, 120.0, &holds);
        let held = |i: usize| path[i] + x[i];
        assert!((held(160) - held(100)).length() < 1e-5, "{}", (held(160) - held(100)).length());
        // It stands in the middle of its way, and half a second away nothing is left of it.
        assert!(x[130].length() < 1e-3, "{}", x[130]);
        assert!(x[40].length() < 1e-3 && x[220].length() < 1e-3, "{} {}", x[40], x[220]);
        // No jump: the correction's own steps stay of the size of what it takes away.
        assert!(x.windows(2).all(|pair| (pair[1] - pair[0]).length() < 1.5e-3));
    }

    #[test]
    fn the_solution_has_no_gradient() {
        let mut random = Random::new(3);
        let holds: Vec<Hold> = (0..29)
            .map(|frame| Hold {
                frame,
                firm: random.uniform(),
                step: DVec3::new(0.01 * random.normal(), 0.0, 0.0),
            })
            .collect();
        let x = correction(30, 2.0, &holds);
        let cost = |x: &[DVec3]| -> f64 {
            let own: f64 = x.iter().map(|v| v.length_squared()).sum();
            let held: f64 = holds
                .iter()
                .map(|hold| {
                    let k = FULL_HOLD_S2 * (HOLD_RANGE.powf(hold.firm) - 1.0) / (HOLD_RANGE - 1.0) * 4.0;
                    k * (x[hold.frame + 1] - x[hold.frame] - hold.step).length_squared()
                })
                .sum();
            let bent: f64 = x.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).length_squared()).sum();
            own + held + bent * (FADE_S * 2.0).powi(4)
        };
        let least = cost(&x);
        for i in 0..30 {
            for by in [-1e-4, 1e-4] {
                let mut other = x.clone();
                other[i].x += by;
                assert!(cost(&other) >= least - 1e-12, "frame {i}");
            }
        }
    }

    #[test]
    fn nothing_to_hold_is_nothing_to_correct() {
        assert!(correction(0, 60.0, &[]).is_empty());
        let still = Hold { frame: 0, firm: 1.0, step: DVec3::ZERO };
        assert_eq!(correction(2, 60.0, &[still]), [DVec3::ZERO; 2]);
    }
}
