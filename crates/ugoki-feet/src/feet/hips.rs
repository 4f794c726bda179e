//! The shift of the hips that changes the legs least, smoothly: weighted least squares over all frames.
//!
//! Near a straight knee a millimetre of leg length is degrees of bend, so a planted foot must take its hips along.
//! Per frame and leg the cost is (change of the knee's bend)² + (change of the leg's direction)²; the shift itself
//! and its acceleration cost too. Gauss–Newton on the legs' true lengths; the normal equations are banded.

use glam::{DMat3, DVec3};
use ugoki_base::math::Banded;

use super::curve::smooth_above;

/// One leg of one frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct LegFrame {
    /// From the ankle to the hip in the source, metres.
    pub line: DVec3,
    /// Shift of the ankle, metres.
    pub shift: DVec3,
    /// Thigh and shin, metres.
    pub bones: [f64; 2],
    /// Length up to which the leg may be stretched, metres.
    pub free: f64,
    /// How much this leg's change costs, 0 to 1: a foot that goes with the hips does not pull them.
    pub weight: f64,
}

/// Bend below which a knee counts as this much bent, as a sine: 17°. Straighter, the bend goes with the root of the length.
const MIN_SINE: f64 = 0.3;
/// Cost of the hips' shift, radians of knee per metre: 1 cm costs what 2.9° of one knee costs.
const SHIFT_COST: f64 = 5.0;
/// Cost of the hips' added acceleration, radians of knee per m/s²: 1 m/s² costs what 0.6° of one knee costs.
const ACCELERATION_COST: f64 = 0.01;
/// Cost of a leg's length past its free reach, radians per metre: ten times that of a knee bent by 20°.
const STRETCH_COST: f64 = 150.0;
/// Gauss–Newton steps; legs are nearly linear over the centimetres in question.
const STEPS: usize = 4;

/// Half the time within which hips cannot truly change their pace, seconds: what is faster than the mean over this is the
/// capture's jitter. Four frames at 120 Hz.
const JITTER_S: f64 = 0.034;
/// Half the time within which hips that are calmed come back to their path, seconds.
const CALM_S: f64 = 0.134;
/// Farthest that hips are calmed, metres for a leg of 0.85 m, approached smoothly: jitter is millimetres, more is a fault of the
/// capture.
const CALM_MOST_M: f64 = 0.012;
/// Cost of the calmed hips' acceleration, radians of knee per m/s²: a fifth of that of hips that follow, since it takes jitter out.
const CALM_COST: f64 = 0.002;

/// What hips that follow by `hips` along `path` must yet give way, for jitter that their feet were freed of; no more than jitter, so that its mean
/// over a quarter of a second is nothing. Weights of `legs` tell how much their feet are held; free feet are to go along.
///
/// In captures the whole body jumps by millimetres from frame to frame. Feet that are held still have that taken out of them; unless
/// the hips give way as fast it goes into the knees. Acceleration that the hips' own jitter already has costs nothing where it is taken out.
pub(super) fn calm(
    legs: &[[LegFrame; 2]],
    hips: &[DVec3],
    path: &[DVec3],
    fps: f64,
    scale: f64,
) -> Vec<DVec3> {
    let left: Vec<[LegFrame; 2]> = legs
        .iter()
        .zip(hips)
        .map(|(pair, &hips)| pair.map(|leg| LegFrame { shift: leg.shift - hips, ..leg }))
        .collect();
    // A jump is a fault of the capture, not jitter, and no hips should chase it.
    let jumps = jitter(path, JITTER_S * fps)
        .into_iter()
        .map(|by| if by.length() > CALM_MOST_M * scale { by } else { DVec3::ZERO });
    let path: Vec<DVec3> = path.iter().zip(jumps).map(|(at, by)| *at - by).collect();
    let noise = jitter(&path, JITTER_S * fps);
    // No more than the feet were moved by nearby: hips over feet that stay as they are stay, too.
    let moved =
        |pair: &[LegFrame; 2]| pair.iter().map(|leg| leg.shift.length() * leg.weight).fold(0.0, f64::max);
    let most: Vec<f64> = legs.iter().map(|pair| moved(pair).min(CALM_MOST_M * scale)).collect();
    let most = smooth_above(&most, (CALM_S * fps).round() as usize);
    jitter(&least_squares(&left, Some(&noise), [SHIFT_COST, CALM_COST], fps, scale), CALM_S * fps)
        .into_iter()
        .zip(most)
        .map(|(shift, most)| match most > 0.0 {
            true => shift.normalize_or_zero() * (most * (shift.length() / most).tanh()),
            false => DVec3::ZERO,
        })
        .collect()
}

/// How far a path is from its mean within `half` frames to either side, weighted by a raised cosine; nearer its ends within as many
/// frames as there are, so that steady travel has no jitter.
fn jitter(path: &[DVec3], half: f64) -> Vec<DVec3> {
    let half = (half.round() as usize).max(1);
    (0..path.len())
        .map(|at| {
            let half = half.min(at).min(path.len() - 1 - at);
            let (mut sum, mut total) = (path[at], 1.0);
            for i in 1..=half {
                let weight = 0.5 + 0.5 * (std::f64::consts::PI * i as f64 / (half + 1) as f64).cos();
                sum += (path[at - i] + path[at + i]) * weight;
                total += 2.0 * weight;
            }
            path[at] - sum / total
        })
        .collect()
}

/// Shift of the hips in every frame, for legs scaled by `scale` against 0.85 m; it costs `stiffness` times as much as it should.
pub(super) fn follow(legs: &[[LegFrame; 2]], stiffness: f64, fps: f64, scale: f64) -> Vec<DVec3> {
    least_squares(legs, None, [stiffness * SHIFT_COST, ACCELERATION_COST], fps, scale)
}

/// The least squares of both; the acceleration that costs is that of the shift and of the `noise` together.
fn least_squares(
    legs: &[[LegFrame; 2]],
    noise: Option<&[DVec3]>,
    [shift_cost, acceleration_cost]: [f64; 2],
    fps: f64,
    scale: f64,
) -> Vec<DVec3> {
    let n = legs.len();
    let mut hips = vec![DVec3::ZERO; n];
    if legs.iter().flatten().all(|leg| leg.shift == DVec3::ZERO) {
        return hips;
    }
    for _ in 0..STEPS {
        let mut system = Banded::<8, 9>::new(3 * n);
        for (frame, pair) in legs.iter().enumerate() {
            let at = hips[frame];
            add_block(
                &mut system,
                frame,
                frame,
                DMat3::from_diagonal(DVec3::splat((shift_cost / scale).powi(2))),
            );
            for leg in pair {
                let (cost, pull) = leg.terms(at, scale);
                add_block(&mut system, frame, frame, cost);
                // Gauss–Newton for the new shift itself: J·x = J·at − residual.
                add_right(&mut system, frame, cost * at - pull);
            }
        }
        let rate = fps * fps * acceleration_cost / scale;
        for middle in 1..n.saturating_sub(1) {
            let jerks = noise.map_or(DVec3::ZERO, |x| x[middle - 1] - 2.0 * x[middle] + x[middle + 1]);
            for (i, a) in [(-1_isize, 1.0), (0, -2.0), (1, 1.0)] {
                add_right(&mut system, middle.wrapping_add_signed(i), -(jerks * (rate * rate * a)));
            }
            for (i, a) in [(-1_isize, 1.0), (0, -2.0), (1, 1.0)] {
                for (j, b) in [(-1_isize, 1.0), (0, -2.0), (1, 1.0)] {
                    let (row, column) = (middle.wrapping_add_signed(i), middle.wrapping_add_signed(j));
                    if column <= row {
                        add_block(
                            &mut system,
                            row,
                            column,
                            DMat3::from_diagonal(DVec3::splat(rate * rate * a * b)),
                        );
                    }
                }
            }
        }
        hips = system.solve().chunks_exact(3).map(DVec3::from_slice).collect();
    }
    hips
}

/// Adds to block (row, column) of the equations in 3-vectors; of a diagonal block the lower half.
fn add_block(system: &mut Banded<8, 9>, row: usize, column: usize, block: DMat3) {
    for i in 0..3 {
        for j in 0..if row == column { i + 1 } else { 3 } {
            system.add(3 * row + i, 3 * column + j, block.col(j)[i]);
        }
    }
}

fn add_right(system: &mut Banded<8, 9>, row: usize, value: DVec3) {
    for (right, value) in system.right[3 * row..].iter_mut().zip(value.to_array()) {
        *right += value;
    }
}

/// Bend of a knee between bones of these lengths whose ends are so far apart, radians.
#[must_use]
pub fn bend_at(length: f64, [thigh, shin]: [f64; 2]) -> f64 {
    let cosine = (length * length - thigh * thigh - shin * shin) / (2.0 * thigh * shin).max(1e-9);
    cosine.clamp(-1.0, 1.0).acos()
}

impl LegFrame {
    /// Second derivative and gradient, halved, of the cost of this leg under hips shifted by `at`.
    fn terms(&self, at: DVec3, scale: f64) -> (DMat3, DVec3) {
        let line = self.line + at - self.shift;
        let (now, before) = (line.length(), self.line.length());
        if now < 1e-9 || before < 1e-9 {
            return (DMat3::ZERO, DVec3::ZERO);
        }
        let along = line / now;
        // Turning the leg costs by the angle; bending it by the knee's.
        let outer = DMat3::from_cols(along * along.x, along * along.y, along * along.z);
        let direction = (DMat3::IDENTITY - outer) * (1.0 / (before * before));
        let bend = self.bend_per_metre(before).powi(2);
        let over = (now - self.free).max(0.0);
        let stiff = if over > 0.0 { (STRETCH_COST / scale).powi(2) } else { 0.0 };
        let cost = outer * (bend + stiff) + direction;
        let pull = along * (bend * (now - before) + stiff * over) + direction * (at - self.shift);
        (cost * self.weight, pull * self.weight)
    }

    /// How fast the knee's bend goes with the leg's length, radians per metre: d / (a·b·sin θ), by the law of cosines.
    fn bend_per_metre(&self, length: f64) -> f64 {
        let [a, b] = self.bones;
        length / (a * b * bend_at(length, self.bones).sin().max(MIN_SINE))
    }
}

/// Shift of the hips at one moment that changes the legs about it least, each of which takes part in it by so much, 0 to 1.
#[must_use]
pub fn balance(legs: &[(LegFrame, f64)], scale: f64) -> DVec3 {
    let mut by = DVec3::ZERO;
    for _ in 0..STEPS {
        let own = DMat3::from_diagonal(DVec3::splat((SHIFT_COST / scale).powi(2)));
        let (mut matrix, mut right) = (own, DVec3::ZERO);
        for (leg, part) in legs {
            let (cost, pull) = leg.terms(by * *part, scale);
            matrix += cost * (part * part);
            right += (cost * by * *part - pull) * *part;
        }
        by = matrix.inverse() * right;
    }
    by
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn leg(line: DVec3, shift: DVec3) -> LegFrame {
        LegFrame { line, shift, bones: [0.43, 0.42], free: 0.845, weight: 1.0 }
    }

    #[test]
    fn legs_keep_their_length_under_a_shift_that_both_feet_share_and_hips_stay_without_one() {
        let lines = [DVec3::new(0.02, 0.8, 0.2), DVec3::new(-0.02, 0.82, -0.1)];
        let shift = DVec3::new(0.01, -0.008, 0.006);
        let moved = follow(&vec![lines.map(|line| leg(line, shift)); 120], 1.0, 120.0, 1.0);
        for line in lines {
            let change = (line + moved[60] - shift).length() - line.length();
            assert!(change.abs() < 0.15 * shift.length(), "{change} m, hips {}", moved[60]);
        }
        let still = follow(&vec![lines.map(|line| leg(line, DVec3::ZERO)); 120], 1.0, 120.0, 1.0);
        assert!(still.iter().all(|h| *h == DVec3::ZERO));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// A body that jitters, feet and all, over feet that are held: the hips take the jitter out, not the knees.
        #[test]
        fn hips_that_jitter_with_their_feet_are_calmed_and_knees_are_not(seed in prop::collection::vec(-2e-3..2e-3_f64, 100), bend in 0.96..0.99_f64) {
            let lines = [DVec3::new(0.02, 0.85 * bend, 0.0), DVec3::new(-0.02, 0.84 * bend, 0.05)];
            let noise: Vec<DVec3> = seed.iter().map(|&y| DVec3::Y * y).collect();
            let legs: Vec<[LegFrame; 2]> = noise.iter().map(|&j| lines.map(|line| leg(line, -j))).collect();
            let path: Vec<DVec3> = noise.iter().map(|&j| DVec3::new(0.0, 0.9, 0.0) + j).collect();
            let change = |moved: &[DVec3]| {
                let most = |i: usize| lines.iter().map(|&line| ((line + moved[i] + noise[i]).length() - line.length()).abs()).fold(0.0, f64::max);
                (20..80).map(most).fold(0.0, f64::max)
            };
            let followed = follow(&legs, 1.0, 120.0, 1.0);
            let calmed: Vec<DVec3> = followed.iter().zip(calm(&legs, &followed, &path, 120.0, 1.0)).map(|(&h, j)| h + j).collect();
            prop_assert!(change(&calmed) < 0.6 * change(&followed), "{} m of leg, {} m without", change(&calmed), change(&followed));
        }

        /// Steady travel and a slow bob are no jitter.
        #[test]
        fn calm_hips_stay(speed in -2.0..2.0_f64, bob in 0.0..0.03_f64) {
            let lines = [DVec3::new(0.02, 0.8, 0.2), DVec3::new(-0.02, 0.82, -0.1)];
            let legs = vec![lines.map(|line| leg(line, DVec3::new(0.01, -0.008, 0.006))); 120];
            let path: Vec<DVec3> = (0..120).map(|f| f64::from(f) / 120.0).map(|t| DVec3::new(0.0, bob * (12.0 * t).sin(), speed * t)).collect();
            let calmed = calm(&legs, &follow(&legs, 1.0, 120.0, 1.0), &path, 120.0, 1.0);
            let most = calmed.iter().map(|shift| shift.length()).fold(0.0, f64::max);
            prop_assert!(most < 3e-4, "{} m", most);
        }
    }

    #[test]
    fn hips_come_down_to_a_leg_that_would_not_reach() {
        let lines = [DVec3::new(0.0, 0.845, 0.0), DVec3::new(0.0, 0.7, 0.0)];
        let shifts = [DVec3::new(0.0, -0.03, 0.0), DVec3::ZERO];
        let legs = [leg(lines[0], shifts[0]), leg(lines[1], shifts[1])];
        let moved = follow(&vec![legs; 120], 1.0, 120.0, 1.0);
        assert!(moved[60].y < -0.025 && moved[60].y > -0.031, "{}", moved[60]);
    }
}
