//! A swing that may be bent at both ends, as a table: what [`crate::edit::Span`] gives, for any time between frames, of the ankle's path
//! and of its rotation.

use glam::{Vec3, Vec3A, Vec4};

use super::interpolate::Between;
use crate::edit::{EditError, Span};

/// δ, ε of the end and ε of the start of the path and of the rotation, one row per frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Swing {
    /// The source frame of row 0.
    pub(super) start: usize,
    rows: Vec<[Vec4; 2]>,
    /// Of the path and of the rotation, what δ alone adds in the frame before the start and in the one after the end.
    given: [[f32; 2]; 2],
}

/// How a path or a rotation is bent over a swing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct SwingBend {
    start: Vec3A,
    spread: Vec3A,
    after: Vec3A,
    before: Vec3A,
}

impl Swing {
    /// From the speeds |v_{−1}|, |v_0| … |v_n| per frame of both; swings of one frame are taken for two.
    pub(super) fn build(start: usize, speeds: [Vec<f64>; 2]) -> Result<Self, EditError> {
        let [path, turn] = speeds.map(|mut speeds| {
            while speeds.len() < 4 {
                speeds.push(speeds.last().copied().unwrap_or(0.0));
            }
            Span::build(&speeds)
        });
        let spans = [path?, turn?];
        let last = spans[0].last_frame();
        let mut rows: Vec<[Vec4; 2]> = (0..=last)
            .map(|i| spans.each_ref().map(|span| Vec3::from(span.row(i).map(|x| x as f32)).extend(0.0)))
            .collect();
        // The ends are what they are but for rounding.
        (rows[0], rows[last]) = ([Vec4::ZERO; 2], [Vec4::X; 2]);
        Ok(Self { start, rows, given: spans.map(|span| span.given().map(|x| x as f32)) })
    }

    /// The bend of the path (0) or the rotation (1) with these displacements in frames −1, 0, n and n + 1.
    pub(super) fn bend(&self, what: usize, [before, start, end, after]: [Vec3; 4]) -> SwingBend {
        let (spread, given) = (end - start, self.given[what]);
        SwingBend {
            start: start.into(),
            spread: spread.into(),
            after: (after - end - given[1] * spread).into(),
            before: (before - start - given[0] * spread).into(),
        }
    }

    /// Part of its time that is over.
    #[inline]
    pub(super) fn time_part(&self, time: f64) -> f32 {
        ((time - self.start as f64) as f32) / (self.rows.len() - 1) as f32
    }

    /// The rows of the path and of the rotation for the four source frames about a time; the first number is the part of its path that the source
    /// has gone.
    #[inline]
    pub(super) fn rows_at(&self, between: &Between) -> [Vec4; 2] {
        let last = self.rows.len() - 1;
        let row = |frame: usize| &self.rows[frame.saturating_sub(self.start).min(last)];
        let ([i, j, k, l], [a, b, c, d]) = (between.frames.map(row), between.weights);
        [0, 1].map(|what: usize| (i[what] * a + j[what] * b) + (k[what] * c + l[what] * d))
    }
}

impl SwingBend {
    /// Displacement where the swing has this row.
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
    use crate::edit::Ends;

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0..1.0_f32).prop_map(Vec3::from_array)
    }

    proptest! {
        #[test]
        fn the_table_is_the_span(speeds in prop::collection::vec(0.001..0.1_f64, 5..80), a in vector(), b in vector(), c in vector(), d in vector()) {
            let (span, table) = (Span::build(&speeds).unwrap(), Swing::build(7, [speeds.clone(), speeds]).unwrap());
            let (before, after) = (b + 0.01 * a, c + 0.01 * d);
            let bend = span.bend(&Ends { before: before.as_dvec3(), start: b.as_dvec3(), end: c.as_dvec3(), after: after.as_dvec3() });
            let rows = [0, 1].map(|what| table.bend(what, [before, b, c, after]));
            for i in 0..=span.last_frame() {
                let wanted: DVec3 = span.at(&bend, i);
                for (rows, row) in rows.iter().zip(table.rows_at(&Between::new(7.0 + i as f64, 1000))) {
                    prop_assert!((Vec3::from(rows.at(row)).as_dvec3() - wanted).length() < 1e-4);
                }
            }
        }
    }
}
