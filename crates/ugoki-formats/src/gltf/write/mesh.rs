//! The mannequin as triangles: one closed, rounded cone per part, bound to one or two joints.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::Vec3;
use serde_json::{Value, json};
use ugoki_base::mannequin::{MannequinPart, mannequin};
use ugoki_base::skeleton::{Side, Skeleton};

/// Corners around a part, and rings over each of its round ends; with the rings between, 416 triangles a part.
const AROUND: usize = 16;
const END_RINGS: usize = 5;

/// Rings between the ends, so that parts on two joints bend smoothly.
const MIDDLE_RINGS: usize = 3;

/// Vertices that u16 indices reach.
const MAX_VERTICES: usize = 65_535;

/// Triangles of one colour.
#[derive(Default)]
pub(super) struct Mesh {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    /// The two joints a vertex may hang on.
    pub(super) joints: Vec<[usize; 2]>,
    /// Fraction of the second joint, in 255ths.
    pub(super) weights: Vec<u8>,
    pub(super) triangles: Vec<[u16; 3]>,
}

/// All parts of one side of the body; `None` is the trunk.
pub(super) fn build(skeleton: &Skeleton, side: Option<Side>) -> Mesh {
    let mut mesh = Mesh::default();
    for part in mannequin(skeleton).iter().filter(|part| part.side == side) {
        mesh.add(part);
    }
    mesh
}

/// Trunk, left, right: the colours of pictures, dull plastic.
pub(super) fn materials() -> Vec<Value> {
    let material = |name: &str, rgb: [f64; 3]| {
        // Colour factors are linear.
        let linear = rgb.map(|v: f64| ((v / 255.0 + 0.055) / 1.055).powf(2.4));
        let rounded = linear.map(|v| (v * 1e4).round() / 1e4);
        json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [rounded[0], rounded[1], rounded[2], 1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.7,
            },
        })
    };
    vec![
        material("trunk", [176.0, 179.0, 186.0]),
        material("left", [52.0, 128.0, 196.0]),
        material("right", [232.0, 126.0, 40.0]),
    ]
}

impl Mesh {
    /// A surface of revolution about the axis from `a` to `b`: an arc about `a`, the cone that touches both
    /// spheres, an arc about `b`; then pressed flat.
    fn add(&mut self, part: &MannequinPart) {
        let axis = (part.b - part.a).try_normalize().unwrap_or(Vec3::Y);
        let length = part.a.distance(part.b);
        // Angle of the cone's normal against the plane across the axis; where one sphere holds the other,
        // the whole is the larger sphere.
        let slope = ((part.ra - part.rb) / length.max(f32::MIN_POSITIVE)).clamp(-1.0, 1.0).asin();
        let side = axis.any_orthonormal_vector();
        let across = axis.cross(side);
        // Rings from the pole behind `a` to the pole beyond `b`: (angle of the normal, fraction of the way).
        let mut rings: Vec<(f32, f32)> = Vec::new();
        for i in 0..=END_RINGS {
            let t = i as f32 / END_RINGS as f32;
            rings.push((-FRAC_PI_2 + t * (slope + FRAC_PI_2), 0.0));
        }
        for i in 1..=MIDDLE_RINGS {
            rings.push((slope, i as f32 / (MIDDLE_RINGS + 1) as f32));
        }
        for i in 0..=END_RINGS {
            let t = i as f32 / END_RINGS as f32;
            rings.push((slope + t * (FRAC_PI_2 - slope), 1.0));
        }
        let first = self.positions.len();
        if first + rings.len() * AROUND > MAX_VERTICES || !(part.a.is_finite() && part.b.is_finite()) {
            return;
        }
        for &(angle, fraction) in &rings {
            let center = part.a.lerp(part.b, fraction);
            let radius = part.ra + (part.rb - part.ra) * fraction;
            for corner in 0..AROUND {
                let (sin, cos) = (corner as f32 / AROUND as f32 * TAU).sin_cos();
                let normal = (side * cos + across * sin) * angle.cos() + axis * angle.sin();
                self.push(part, center + normal * radius, normal, axis, length);
            }
        }
        for ring in 0..rings.len() - 1 {
            for corner in 0..AROUND {
                let next = (corner + 1) % AROUND;
                let at = |ring: usize, corner: usize| (first + ring * AROUND + corner) as u16;
                let (a, b) = (at(ring, corner), at(ring, next));
                let (c, d) = (at(ring + 1, corner), at(ring + 1, next));
                // At the poles one of the two has no area.
                if ring > 0 {
                    self.triangles.push([a, b, c]);
                }
                if ring + 2 < rings.len() {
                    self.triangles.push([b, d, c]);
                }
            }
        }
    }

    fn push(&mut self, part: &MannequinPart, place: Vec3, normal: Vec3, axis: Vec3, length: f32) {
        let press = |v: Vec3, factor: f32| v + part.flat_axis * (v.dot(part.flat_axis) * (factor - 1.0));
        let place = part.a + press(place - part.a, part.flat);
        self.positions.push(place);
        self.normals.push(press(normal, 1.0 / part.flat.max(0.05)).normalize_or(Vec3::Y));
        self.joints.push([part.joint_a, part.joint_b]);
        let along = if length > 0.0 { ((place - part.a).dot(axis) / length).clamp(0.0, 1.0) } else { 0.0 };
        let smooth = along * along * (3.0 - 2.0 * along);
        self.weights.push(if part.joint_a == part.joint_b { 0 } else { (smooth * 255.0).round() as u8 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::skeleton::Joint;

    #[test]
    fn a_part_is_closed_and_faces_outwards() {
        let mut joints = vec![Joint::new("a", None, Vec3::Y)];
        joints.push(Joint::new("b", Some(0), Vec3::new(0.3, 0.4, 0.0)));
        let skeleton = Skeleton::build(joints).unwrap();
        let mesh = build(&skeleton, None);
        assert!(!mesh.triangles.is_empty());
        // The volume by the divergence theorem is that of the capsule, less what corners cut off.
        let volume: f32 = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| mesh.positions[usize::from(i)]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        let part = mannequin(&skeleton)[0];
        let (ra, rb) = (part.ra, part.rb);
        let cone = std::f32::consts::PI / 3.0 * 0.5 * (ra * ra + ra * rb + rb * rb);
        assert!(volume > 0.85 * cone && volume < 1.4 * cone, "{volume} against {cone}");
        for (triangle, normal) in mesh.triangles.iter().map(|t| (t, mesh.normals[usize::from(t[0])])) {
            let [a, b, c] = triangle.map(|i| mesh.positions[usize::from(i)]);
            let face = (b - a).cross(c - a);
            assert!(face.dot(normal) > 0.0, "{face} {normal}");
        }
    }
}
