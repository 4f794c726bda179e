//! What a file's channels foretell about poses.
//!
//! Poses read from a file differ from this by a few units in the last place, whatever the reader's arithmetic;
//! poses changed since differ by more, and then earlier frames foretell them better. Only operations that every
//! machine rounds alike are used (no library sine), because the reader must foretell to the bit what the writer did.

use std::f64::consts::PI;

use glam::{Quat, Vec3};

use crate::clip::{ChannelKind, OffsetMode, Source, UpAxis};

/// The channels of one joint.
pub(super) struct Predictor<'a> {
    source: &'a Source,
    start: usize,
    /// Rest position in the file's axes, metres.
    rest: [f64; 3],
    /// Column of each position axis.
    positions: [Option<usize>; 3],
    /// Columns and axes of rotations, outermost first.
    rotations: Vec<(usize, u8)>,
}

impl<'a> Predictor<'a> {
    pub(super) fn new(source: &'a Source, start: usize, joint: usize, rest: Vec3) -> Self {
        let [x, y, z] = rest.as_dvec3().to_array();
        let rest = if source.up == UpAxis::Z { [x, -z, y] } else { [x, y, z] };
        let mut positions = [None; 3];
        let mut rotations = Vec::new();
        for (column, channel) in source.channels.iter().enumerate() {
            match channel.kind {
                _ if channel.joint != joint => {}
                ChannelKind::Position(axis) => positions[usize::from(axis.min(2))] = Some(column),
                ChannelKind::Rotation(axis) => rotations.push((column, axis)),
            }
        }
        Self { source, start, rest, positions, rotations }
    }

    fn row(&self, frame: usize) -> &[f64] {
        self.source.row(self.start + frame).unwrap_or_default()
    }

    /// Position of the joint in its parent's frame, metres.
    pub(super) fn position(&self, frame: usize) -> Vec3 {
        let row = self.row(frame);
        let mut p = self.rest;
        for (p, column) in p.iter_mut().zip(self.positions) {
            if let Some(v) = column.and_then(|column| row.get(column)) {
                let moved = v * self.source.unit_metres;
                *p = if self.source.offset == OffsetMode::Add { *p + moved } else { moved };
            }
        }
        if self.source.up == UpAxis::Z { from_z_up(p) } else { Vec3::from_array(p.map(|v| v as f32)) }
    }

    /// Rotation of the joint, in the hemisphere of the frame before or, for the first, with w ≥ 0.
    pub(super) fn rotation(&self, frame: usize, before: Option<Quat>) -> Quat {
        let row = self.row(frame);
        let mut q = [0.0, 0.0, 0.0, 1.0];
        for &(column, axis) in &self.rotations {
            if let Some(&degrees) = row.get(column) {
                let (sin, cos) = half_sin_cos(degrees);
                q = turned(q, axis, sin, cos);
            }
        }
        if self.source.up == UpAxis::Z {
            q = [q[0], q[2], -q[1], q[3]];
        }
        let q = Quat::from_array(q.map(|v| v as f32));
        let flip = before.map_or(q.w < 0.0, |b| q.x * b.x + q.y * b.y + q.z * b.z + q.w * b.w < 0.0);
        if flip { -q } else { q }
    }
}

/// q times a turn about `axis` whose half angle has this sine and cosine.
fn turned([x, y, z, w]: [f64; 4], axis: u8, s: f64, c: f64) -> [f64; 4] {
    match axis {
        0 => [x * c + w * s, y * c + z * s, z * c - y * s, w * c - x * s],
        1 => [x * c - z * s, y * c + w * s, z * c + x * s, w * c - y * s],
        _ => [x * c + y * s, y * c - x * s, z * c + w * s, w * c - z * s],
    }
}

/// Sine and cosine of half an angle, from multiplications and additions alone; 1e-13 is good enough for f32.
fn half_sin_cos(degrees: f64) -> (f64, f64) {
    let quarters = (degrees / 180.0).round();
    let x = (degrees - quarters * 180.0) * (PI / 360.0);
    let z = x * x;
    // Taylor's series to x¹³ and x¹⁴; the first terms left out are below 1e-13 at π/4.
    let sin = x
        * (1.0
            - z * (1.0 / 6.0)
                * (1.0
                    - z * (1.0 / 20.0)
                        * (1.0
                            - z * (1.0 / 42.0)
                                * (1.0
                                    - z * (1.0 / 72.0)
                                        * (1.0 - z * (1.0 / 110.0) * (1.0 - z * (1.0 / 156.0)))))));
    let cos = 1.0
        - z * (1.0 / 2.0)
            * (1.0
                - z * (1.0 / 12.0)
                    * (1.0
                        - z * (1.0 / 30.0)
                            * (1.0
                                - z * (1.0 / 56.0)
                                    * (1.0
                                        - z * (1.0 / 90.0)
                                            * (1.0 - z * (1.0 / 132.0) * (1.0 - z * (1.0 / 182.0)))))));
    // Turns beyond what an i64 counts foretell nothing, but must foretell the same everywhere: `as` saturates.
    match (quarters as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// Axes of a Z-up file in ours: the file's z is our y, its y our −z.
fn from_z_up([x, y, z]: [f64; 3]) -> Vec3 {
    Vec3::new(x as f32, z as f32, -y as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_angles_have_their_sine_and_cosine() {
        for i in -4000..4000 {
            let degrees = f64::from(i) * 0.37;
            let (sin, cos) = half_sin_cos(degrees);
            let half = 0.5 * degrees.to_radians();
            // 1e-12: the series' 1e-13 and the rounding of a half angle of up to 13 radians.
            assert!((sin - half.sin()).abs() < 1e-12 && (cos - half.cos()).abs() < 1e-12, "{degrees}");
        }
    }

    #[test]
    fn turns_are_quaternion_products() {
        let q = glam::DQuat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize();
        for (axis, unit) in [glam::DVec3::X, glam::DVec3::Y, glam::DVec3::Z].into_iter().enumerate() {
            let (s, c) = 0.4f64.sin_cos();
            let wanted = q * glam::DQuat::from_axis_angle(unit, 0.8);
            let found = glam::DQuat::from_array(turned(q.to_array(), axis as u8, s, c));
            assert!(wanted.dot(found) > 1.0 - 1e-15, "{axis}");
        }
    }
}
