//! Cubics through a block of numbers, and the reference about which they turn.

use glam::{DQuat, DVec3};

use super::BLOCK;
use super::block::{BASIS, MAX_BITS, cubic, rotation};

/// Fewer frames than this get no cubic: four numbers would only describe themselves.
const MIN_FRAMES: usize = 6;
/// Length of a stored reference: the most that i16 holds.
const UNIT: f64 = 32_767.0;
/// Cosine of half the angle to the reference from which on a block's rotations are taken to the reference's side,
/// sign continuity given up: 240° away the projection is still good, at 360° it is infinite.
const FAR: f64 = -0.5;
/// How often the reference is moved to the middle of what is left after the cubic.
const CENTRINGS: usize = 2;

/// Least squares over the frames of a block: each row gives one coefficient of Chebyshev's polynomials 1 to 3.
#[derive(Debug)]
pub(super) struct Fit {
    rows: [[f64; BLOCK]; 3],
    frames: usize,
}

impl Fit {
    pub(super) fn new(frames: usize) -> Self {
        let mut rows = [[0.0; BLOCK]; 3];
        if frames >= MIN_FRAMES {
            // Orthogonal polynomials on these frames, lowest first, each as numbers and as coefficients of the basis.
            let mut orthogonal: Vec<([f64; BLOCK], [f64; 4])> = Vec::new();
            for degree in 0..4 {
                let mut values = [0.0; BLOCK];
                for (frame, value) in values.iter_mut().enumerate().take(frames) {
                    *value = if degree == 0 { 1.0 } else { f64::from(BASIS[frame][degree - 1]) };
                }
                let mut coefficients = [0.0; 4];
                coefficients[degree] = 1.0;
                for (other, mix) in &orthogonal {
                    let along: f64 = values.iter().zip(other).map(|(a, b)| a * b).sum();
                    for (v, o) in values.iter_mut().zip(other) {
                        *v -= along * o;
                    }
                    for (c, m) in coefficients.iter_mut().zip(mix) {
                        *c -= along * m;
                    }
                }
                let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
                orthogonal.push((values.map(|v| v / length), coefficients.map(|c| c / length)));
            }
            for (values, coefficients) in &orthogonal {
                for (row, c) in rows.iter_mut().zip(&coefficients[1..]) {
                    for (r, v) in row.iter_mut().zip(values) {
                        *r += c * v;
                    }
                }
            }
        }
        Self { rows, frames }
    }

    /// The cubic nearest to these numbers, its constant left out.
    pub(super) fn cubic(&self, values: &[f64; BLOCK]) -> [f64; 3] {
        self.rows.map(|row| row.iter().zip(values).take(self.frames).map(|(r, v)| r * v).sum())
    }

    /// Smallest and largest of what the cubic leaves.
    fn rest(&self, values: &[f64; BLOCK], c: [f64; 3]) -> [f64; 2] {
        (0..self.frames).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], frame| {
            let b = BASIS[frame].map(f64::from);
            let rest = values[frame] - (c[0] * b[0] + c[1] * b[1] + c[2] * b[2]);
            [low.min(rest), high.max(rest)]
        })
    }

    /// Middle of what the cubic leaves.
    pub(super) fn middle(&self, values: &[f64; BLOCK]) -> f64 {
        let [low, high] = self.rest(values, self.cubic(values));
        0.5 * (low + high)
    }
}

/// One joint's rotations over a block, packed.
pub(super) struct Turns {
    pub(super) cubics: [[i16; 3]; 3],
    pub(super) numbers: [[i64; BLOCK]; 3],
    pub(super) widths: [u8; 3],
}

/// Bits that hold all of these numbers as two's complement.
pub(super) fn width_of(numbers: &[i64]) -> u8 {
    let bits = numbers.iter().map(|&n| if n < 0 { !n } else { n }).fold(0, |all, n| all | n);
    if numbers.iter().all(|&n| n == 0) { 0 } else { 65 - bits.leading_zeros() as u8 }
}

fn quantised(q: DQuat) -> [i16; 4] {
    q.to_array().map(|c| (c * UNIT).round() as i16)
}

/// Inverse of [`rotation`] about `reference`, each frame.
fn projected(reference: [i16; 4], targets: &[DQuat]) -> [[f64; BLOCK]; 3] {
    let inverse = DQuat::from_array(reference.map(f64::from)).normalize().conjugate();
    let mut out = [[0.0; BLOCK]; 3];
    let mut relative = [DQuat::IDENTITY; BLOCK];
    for (relative, &q) in relative.iter_mut().zip(targets) {
        *relative = inverse * q;
    }
    let far = relative.iter().any(|q| q.w < FAR);
    for (frame, &q) in relative.iter().enumerate().take(targets.len()) {
        let q = if far && q.w < 0.0 { -q } else { q };
        let v = DVec3::new(q.x, q.y, q.z) * (4.0 / (1.0 + q.w));
        for (out, v) in out.iter_mut().zip(v.to_array()) {
            out[frame] = v;
        }
    }
    out
}

/// Whole steps of a cubic.
pub(super) fn steps(c: [f64; 3], step: f64) -> [i16; 3] {
    c.map(|c| (c / step).round().clamp(-UNIT, UNIT) as i16)
}

/// The reference about which these rotations turn: the middle of what a cubic leaves.
pub(super) fn reference(fit: &Fit, targets: &[DQuat]) -> [i16; 4] {
    let mut reference = quantised(targets[targets.len() / 2]);
    for _ in 0..CENTRINGS {
        let v = projected(reference, targets);
        let middle = DVec3::from_array(v.map(|values| fit.middle(&values)));
        let square = middle.length_squared();
        let turn =
            DQuat::from_xyzw(8.0 * middle.x, 8.0 * middle.y, 8.0 * middle.z, 16.0 - square).normalize();
        reference = quantised(DQuat::from_array(reference.map(f64::from)).normalize() * turn);
    }
    reference
}

/// Packs rotations in steps of `step` radians about `reference` and writes what decoding gives to `decoded`; `None` if
/// a number would need too many bits.
pub(super) fn pack_turns(
    fit: &Fit,
    reference: [i16; 4],
    targets: &[DQuat],
    step: f32,
    decoded: &mut [DQuat],
) -> Option<Turns> {
    let v = projected(reference, targets);
    let cubics = v.map(|values| steps(fit.cubic(&values), f64::from(step)));
    let mut numbers = [[0; BLOCK]; 3];
    for (frame, decoded) in decoded.iter_mut().enumerate() {
        let mut out = [0.0; 3];
        for axis in 0..3 {
            let along = cubic(cubics[axis].map(f32::from), BASIS[frame]);
            let n = (v[axis][frame] / f64::from(step) - f64::from(along)).round();
            numbers[axis][frame] = n as i64;
            out[axis] = (n as f32 + along) * step;
        }
        *decoded = DQuat::from_array(rotation(reference.map(f32::from), out).map(f64::from)).normalize();
    }
    let widths = numbers.map(|numbers| width_of(&numbers));
    widths.iter().all(|&width| width <= MAX_BITS).then_some(Turns { cubics, numbers, widths })
}
