//! How a human's mass is spread over segments: de Leva's adjustment of Zatsiorsky and Seluyanov's
//! gamma-ray scans of living young adults \[deleva1996, table 4\], and a few fractions of stature from Winter
//! \[winter2009, fig. 4.1\] for what the scans do not give.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use crate::dynamics::spatial::{Inertia, Sym3};

/// Whose proportions the tables take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proportions {
    /// De Leva's women (stature 1.735 m, 61.9 kg).
    Female,
    /// De Leva's men (stature 1.741 m, 73.0 kg).
    Male,
    /// Halfway between the two.
    #[default]
    Mean,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SegmentRatios {
    /// Length, m, of the measured mean subject.
    pub(super) length: f64,
    /// Mass as a fraction of the body's.
    pub(super) mass: f64,
    /// Centre of mass from the first endpoint, fraction of the segment's length.
    pub(super) com: f64,
    /// Radii of gyration about the centre, fraction of the segment's length: about the transverse (left–right),
    /// the longitudinal and the sagittal (back–front) axis.
    pub(super) radii: DVec3,
}

/// The segments of the table. Trunk parts and head are measured from the top down, limbs from the trunk out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Segment {
    /// Vertex to cervicale (C7).
    Head,
    /// Suprasternale to xiphion.
    UpperTrunk,
    /// Xiphion to omphalion (navel).
    MiddleTrunk,
    /// Omphalion to mid-hip.
    LowerTrunk,
    /// Shoulder to elbow.
    UpperArm,
    /// Elbow to wrist.
    Forearm,
    /// Wrist to third metacarpal head.
    Hand,
    /// Hip to knee.
    Thigh,
    /// Knee to ankle joint centre.
    Shank,
    /// Heel to tip of the longest toe.
    Foot,
}

/// Length mm, mass %, centre %, radii % sagittal, transverse, longitudinal; as printed, women then men.
type Row = [[f64; 6]; 2];

const fn row(segment: Segment) -> Row {
    match segment {
        Segment::Head => [[243.7, 6.68, 48.41, 27.1, 29.5, 26.1], [242.9, 6.94, 50.02, 30.3, 31.5, 26.1]],
        Segment::UpperTrunk => {
            [[142.5, 15.45, 20.77, 74.6, 50.2, 71.8], [170.7, 15.96, 29.99, 71.6, 45.4, 65.9]]
        }
        Segment::MiddleTrunk => {
            [[205.3, 14.65, 45.12, 43.3, 35.4, 41.5], [215.5, 16.33, 45.02, 48.2, 38.3, 46.8]]
        }
        Segment::LowerTrunk => {
            [[181.5, 12.47, 49.20, 43.3, 40.2, 44.4], [145.7, 11.17, 61.15, 61.5, 55.1, 58.7]]
        }
        Segment::UpperArm => [[275.1, 2.55, 57.54, 27.8, 26.0, 14.8], [281.7, 2.71, 57.72, 28.5, 26.9, 15.8]],
        Segment::Forearm => [[264.3, 1.38, 45.59, 26.1, 25.7, 9.4], [268.9, 1.62, 45.74, 27.6, 26.5, 12.1]],
        Segment::Hand => [[78.0, 0.56, 74.74, 53.1, 45.4, 33.5], [86.2, 0.61, 79.00, 62.8, 51.3, 40.1]],
        Segment::Thigh => [[368.5, 14.78, 36.12, 36.9, 36.4, 16.2], [422.2, 14.16, 40.95, 32.9, 32.9, 14.9]],
        Segment::Shank => [[438.6, 4.81, 43.52, 26.7, 26.3, 9.2], [440.3, 4.33, 43.95, 25.1, 24.6, 10.2]],
        Segment::Foot => [[228.3, 1.29, 40.14, 29.9, 27.9, 13.9], [258.1, 1.37, 44.15, 25.7, 24.5, 12.4]],
    }
}

/// Mean statures of the two samples, m, women then men.
const STATURE: [f64; 2] = [1.735, 1.741];
/// Mid-shoulder to mid-hip of the two samples, m.
const TRUNK: [f64; 2] = [0.4979, 0.5155];

/// Fraction of the foot's mass in the toes: 0.2166 kg of 1.5666 kg in OpenSim's model gait2392 \[delp2007\].
pub(super) const TOES_FRACTION: f64 = 0.14;
/// Ankle joint centre above the sole, fraction of stature \[winter2009\].
pub(super) const ANKLE_HEIGHT: f64 = 0.039;
/// Foot breadth at the ball, fraction of stature \[winter2009\].
pub(super) const FOOT_BREADTH: f64 = 0.055;
/// Heel breadth relative to the ball's: an estimate, heels are about two thirds as wide.
pub(super) const HEEL_BREADTH: f64 = 0.67;
/// Breadth of the sole at the toes' tips relative to the ball's; the outline rounds off, so it is less than 1.
pub(super) const TIP_BREADTH: f64 = 0.75;
/// Horizontal distance from heel to ankle joint centre, fraction of the foot's length: the tibia stands on its
/// rear quarter.
pub(super) const HEEL_TO_ANKLE: f64 = 0.25;
/// Thickness of the toes under their joint, fraction of stature: 2 cm on 1.70 m.
pub(super) const TOE_HEIGHT: f64 = 0.012;

impl Proportions {
    fn pick(self, of: [f64; 2]) -> f64 {
        match self {
            Self::Female => of[0],
            Self::Male => of[1],
            Self::Mean => 0.5 * (of[0] + of[1]),
        }
    }

    /// The table's row of `segment`.
    #[must_use]
    pub(super) fn ratios(self, segment: Segment) -> SegmentRatios {
        let rows = row(segment);
        let at = |column: usize| self.pick([rows[0][column], rows[1][column]]);
        SegmentRatios {
            length: at(0) * 1e-3,
            mass: at(1) * 1e-2,
            com: at(2) * 1e-2,
            radii: DVec3::new(at(4), at(5), at(3)) * 1e-2,
        }
    }

    /// The segment's length on a body of `stature` metres.
    #[must_use]
    pub(super) fn length(self, segment: Segment, stature: f64) -> f64 {
        self.ratios(segment).length * stature / self.pick(STATURE)
    }

    /// Mid-shoulder to mid-hip of the measured mean subject, m.
    #[must_use]
    pub(super) fn trunk_length(self) -> f64 {
        self.pick(TRUNK)
    }
}

/// A straight segment of `mass` kg from `start` to `end` (first and second endpoint of its row); `across` is about its
/// transverse axis, which points left when the segment hangs as in standing.
#[must_use]
pub(super) fn segment_inertia(
    ratios: &SegmentRatios,
    mass: f64,
    start: DVec3,
    end: DVec3,
    across: DVec3,
) -> Inertia {
    let length = (end - start).length();
    let axes = segment_axes(end - start, across);
    let radii = ratios.radii * length;
    let j = Sym3::diagonal(radii * radii * mass).rotated(&axes);
    Inertia::new(mass, start.lerp(end, ratios.com), j)
}

/// Axes of a segment in columns: transverse, longitudinal, sagittal.
fn segment_axes(along: DVec3, across: DVec3) -> DMat3 {
    let y = along.normalize_or(DVec3::Y);
    let x = across - y * across.dot(y);
    // Nearly along the segment what is left of `across` is rounding.
    let x = if x.length() > 0.1 * across.length() { x.normalize() } else { y.any_orthonormal_vector() };
    DMat3::from_cols(x, y, x.cross(y))
}

/// A box of `mass` kg with edges `size` (m) along the columns of `axes`, about its centre `com`.
#[must_use]
pub(super) fn box_inertia(mass: f64, com: DVec3, size: DVec3, axes: &DMat3) -> Inertia {
    let s = size * size;
    let d = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 12.0);
    Inertia::new(mass, com, Sym3::diagonal(d).rotated(axes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_segments_make_a_whole_body() {
        use Segment::{
            Foot, Forearm, Hand, Head, LowerTrunk, MiddleTrunk, Shank, Thigh, UpperArm, UpperTrunk,
        };
        for sex in [Proportions::Female, Proportions::Male, Proportions::Mean] {
            let sum: f64 =
                [Head, UpperTrunk, MiddleTrunk, LowerTrunk].map(|s| sex.ratios(s).mass).iter().sum();
            let limbs: f64 =
                [UpperArm, Forearm, Hand, Thigh, Shank, Foot].map(|s| 2.0 * sex.ratios(s).mass).iter().sum();
            // The printed percentages round to 0.01 each.
            assert!((sum + limbs - 1.0).abs() < 1e-3, "{sex:?}: {}", sum + limbs);
        }
    }

    #[test]
    fn trunk_parts_give_the_printed_whole_trunk() {
        // Table 4 also lists the trunk as one: centre at 44.86 % from suprasternale, men.
        let sex = Proportions::Male;
        let (mut moment, mut mass, mut top) = (0.0, 0.0, 0.0);
        for segment in [Segment::UpperTrunk, Segment::MiddleTrunk, Segment::LowerTrunk] {
            let s = sex.ratios(segment);
            moment += s.mass * (top + s.com * s.length);
            mass += s.mass;
            top += s.length;
        }
        assert!((top - 0.5319).abs() < 1e-6 && (mass - 0.4346).abs() < 1e-3);
        // 1 % of the length: the parts and the whole were measured on their own.
        assert!((moment / mass / top - 0.4486).abs() < 0.01, "{}", moment / mass / top);
    }

    #[test]
    fn a_thigh_has_the_published_inertia() {
        let ratios = Proportions::Male.ratios(Segment::Thigh);
        let thigh = segment_inertia(&ratios, 10.0, DVec3::ZERO, DVec3::NEG_Y * 0.4, DVec3::X);
        assert!((thigh.com() - DVec3::NEG_Y * 0.4 * 0.4095).length() < 1e-12);
        let j = thigh.j_com();
        assert!((j.xx - 10.0 * (0.329f64 * 0.4).powi(2)).abs() < 1e-12);
        assert!((j.yy - 10.0 * (0.149f64 * 0.4).powi(2)).abs() < 1e-12);
    }
}
