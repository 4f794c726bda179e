//! A swing that may be bent at both ends, as a table: what [`crate::edit::Span`] says, ready for any time between frames.

use glam::{Vec3, Vec3A, Vec4};

use super::interpolate::Between;
use crate::edit::{Coefficients, EditError};

/// δ, ε of the end and ε of the start (of the stretch played backwards), one row per frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    /// The source frame of row 0.
    pub(super) start: usize,
    rows: Vec<Vec4>,
    /// What δ alone adds in the frame after the end and takes in the frame before the start.
    given: [f32; 2],
}

/// Displacements wished for at frames −1, 0, n and n+1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Wishes {
    pub(super) before: Vec3,
    pub(super) start: Vec3,
    pub(super) end: Vec3,
    pub(super) after: Vec3,
}

/// How a stretch is bent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct StretchBend {
    start: Vec3A,
    spread: Vec3A,
    after: Vec3A,
    before: Vec3A,
}

impl Stretch {
    /// From the speeds |v_{−1}|, |v_0| … |v_n| per frame; stretches of one frame are taken for two.
    pub(super) fn build(start: usize, speeds: &[f64]) -> Result<Self, EditError> {
        let mut speeds = speeds.to_vec();
        while speeds.len() < 4 {
            speeds.push(speeds.last().copied().unwrap_or(0.0));
        }
        let inner = &speeds[1..];
        let forward = Coefficients::build(inner)?;
        let n = forward.last_frame();
        let reversed: Vec<f64> = speeds[..=n].iter().rev().copied().collect();
        let backward = Coefficients::build(&reversed)?;
        let total: f64 = inner[..n].iter().sum();
        let before = if total > 0.0 { speeds[0] / total } else { 1.0 / n as f64 };
        let row = |i: usize| {
            let ends = [forward.delta(i), forward.epsilon(i), backward.epsilon(n - i)];
            Vec4::new(ends[0] as f32, ends[1] as f32, ends[2] as f32, 0.0)
        };
        let mut rows: Vec<Vec4> = (0..=n).map(row).collect();
        // The ends are what they are but for rounding.
        rows[0] = Vec4::ZERO;
        rows[n] = Vec4::X;
        Ok(Self { start, rows, given: [(forward.delta(n + 1) - 1.0) as f32, -before as f32] })
    }

    pub(super) fn bend(&self, wishes: &Wishes) -> StretchBend {
        let spread = wishes.end - wishes.start;
        StretchBend {
            start: wishes.start.into(),
            spread: spread.into(),
            after: (wishes.after - wishes.end - self.given[0] * spread).into(),
            before: (wishes.before - wishes.start - self.given[1] * spread).into(),
        }
    }

    /// The numbers of `time`, in source frames; the first is the share of the way that the source has gone.
    pub(super) fn row(&self, time: f64) -> Vec4 {
        let between = Between::new(time - self.start as f64, self.rows.len());
        let ([i, j, k, l], [a, b, c, d]) = (between.frames, between.weights);
        (self.rows[i] * a + self.rows[j] * b) + (self.rows[k] * c + self.rows[l] * d)
    }

    /// The rows of two stretches over the same frames, side by side.
    pub(super) fn beside(&self, other: &Self) -> Vec<[Vec4; 2]> {
        self.rows.iter().zip(&other.rows).map(|(a, b)| [*a, *b]).collect()
    }

    /// Share of the way that the source has gone at `time`.
    pub(super) fn share(&self, time: f64) -> f32 {
        self.row(time).x
    }
}

impl StretchBend {
    /// Displacement where the stretch has this row.
    #[inline]
    pub(super) fn at(&self, row: Vec4) -> Vec3A {
        (self.start + row.x * self.spread) + (row.y * self.after + row.z * self.before)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;

    use super::*;
    use crate::edit::{Ends, Span};

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0..1.0_f32).prop_map(Vec3::from_array)
    }

    proptest! {
        #[test]
        fn the_table_is_the_span(speeds in prop::collection::vec(0.001..0.1_f64, 5..80), a in vector(), b in vector(), c in vector(), d in vector()) {
            let (span, table) = (Span::build(&speeds).unwrap(), Stretch::build(7, &speeds).unwrap());
            let (before, after) = (b + 0.01 * a, c + 0.01 * d);
            let bend = span.bend(&Ends { before: before.as_dvec3(), start: b.as_dvec3(), end: c.as_dvec3(), after: after.as_dvec3() });
            let rows = table.bend(&Wishes { before, start: b, end: c, after });
            for i in 0..=span.last_frame() {
                let wanted: DVec3 = span.at(&bend, i);
                prop_assert!((Vec3::from(rows.at(table.row(7.0 + i as f64))).as_dvec3() - wanted).length() < 1e-4);
            }
        }
    }
}
