//! Rotations as whole steps about a reference, and the cubics that memory takes off them.

use glam::{DQuat, DVec3};

use super::BLOCK;
use super::block::{BASIS, MAX_STEPS, rotation};

/// Fewer frames than this get no cubic: four numbers would only describe themselves.
const MIN_FRAMES: usize = 6;
/// Length of a stored reference: the most that i8 holds. It need not be near to what turns about it.
const UNIT: f64 = 127.0;
/// Cosine of half the angle to the reference from which on a block's rotations are taken to the reference's side,
/// sign continuity given up: 240° away the projection is still good, at 360° it is infinite.
const FAR: f64 = -0.5;
/// How far |v| may get before a joint takes another reference: 106°. Steps are finer by a fifth there.
const WIDE: f64 = 2.0;

/// Least squares over the frames of a block: each row gives one coefficient of Chebyshev's polynomials 1 to 3.
#[derive(Debug)]
pub(super) struct Fit {
    rows: [[f32; BLOCK]; 3],
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
        Self { rows: rows.map(|row| row.map(|r| r as f32)) }
    }

    /// The cubic nearest to these numbers, its constant left out; eight sums side by side, so that vectors do it.
    #[inline(always)]
    pub(super) fn cubic(&self, values: &[f32; BLOCK]) -> [f32; 3] {
        let mut out = [0.0; 3];
        let (values, _) = values.as_chunks::<8>();
        for (out, row) in out.iter_mut().zip(&self.rows) {
            let (row, _) = row.as_chunks::<8>();
            let mut sums = [0.0f32; 8];
            for (row, values) in row.iter().zip(values) {
                for i in 0..8 {
                    sums[i] += row[i] * values[i];
                }
            }
            let four = [sums[0] + sums[4], sums[1] + sums[5], sums[2] + sums[6], sums[3] + sums[7]];
            *out = (four[0] + four[2]) + (four[1] + four[3]);
        }
        out
    }
}

fn quantised(q: DQuat) -> [i8; 4] {
    q.to_array().map(|c| (c * UNIT).round() as i8)
}

/// Inverse of [`rotation`] about `reference`, each frame.
fn projected(reference: [i8; 4], targets: &[DQuat]) -> [[f64; BLOCK]; 3] {
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

/// The reference about which these rotations turn: the one there is while they stay near it, else their first, and if
/// they leave that too, their middle one. Staying makes steps of one block foretell those of the next.
pub(super) fn reference(before: Option<[i8; 4]>, targets: &[DQuat]) -> [i8; 4] {
    let near = |reference: &[i8; 4]| {
        let v = projected(*reference, targets);
        (0..targets.len()).all(|frame| v.iter().map(|v| v[frame] * v[frame]).sum::<f64>() <= WIDE * WIDE)
    };
    let first = Some(quantised(targets[0]));
    before.filter(near).or(first.filter(near)).unwrap_or_else(|| quantised(targets[targets.len() / 2]))
}

/// Rotations in whole steps of `step` radians about `reference`; what decoding gives goes to `decoded`. `None` if a
/// number gets too large.
pub(super) fn pack_turns(
    reference: [i8; 4],
    targets: &[DQuat],
    step: f32,
    decoded: &mut [DQuat],
) -> Option<[[i32; BLOCK]; 3]> {
    let v = projected(reference, targets);
    let mut steps = [[0; BLOCK]; 3];
    for (frame, decoded) in decoded.iter_mut().enumerate() {
        let mut out = [0.0; 3];
        for axis in 0..3 {
            let n = (v[axis][frame] / f64::from(step)).round();
            if n.abs() >= MAX_STEPS as f64 {
                return None;
            }
            steps[axis][frame] = n as i32;
            out[axis] = n as f32 * step;
        }
        *decoded = DQuat::from_array(rotation(reference.map(f32::from), out).map(f64::from)).normalize();
    }
    Some(steps)
}
