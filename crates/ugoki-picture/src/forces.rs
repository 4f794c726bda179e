//! A reaction as the paper draws it: the target in grey behind the result in white, arrows where the controller
//! accelerates the limbs, the support polygon and the zero-moment point on the ground \[oshita2001, fig. 6\].

use glam::{Vec2, Vec3};

use super::camera::Camera;
use super::drawing::{Ink, Item};
use super::solid::{Solid, Tone};
use super::stage::Stage;

/// Length of the longest arrow of a clip, body heights: visible next to a limb, not mistaken for one.
const LONGEST: f32 = 0.26;
/// Arrows shorter than this fraction of the longest are not drawn.
const SHORTEST: f32 = 0.06;
/// Radius of the spot at the ZMP, body heights.
const SPOT: f32 = 0.022;

/// Radius of a box's edges, and how far from the body things are drawn, body heights.
const EDGE: f32 = 0.006;
const FAR: f32 = 50.0;

const INSIDE: [u8; 3] = [0, 130, 95];
const OUTSIDE: [u8; 3] = [200, 40, 40];
const ARROW: [u8; 3] = [150, 30, 130];

/// Balls and boxes other than the body, the latter as their edges.
pub(super) fn things(stage: &Stage, frame: usize, out: &mut Vec<Solid>) {
    let Some(forces) = stage.config.forces.as_ref().and_then(|forces| forces.frames.get(frame)) else {
        return;
    };
    let balls = forces.balls.iter().map(|&(at, radius)| ([at, at], radius / stage.size));
    let edges = forces.edges.iter().map(|&ends| (ends, EDGE));
    for (ends, radius) in balls.chain(edges) {
        let [a, b] = ends.map(|end| stage.unit(end));
        // What is not a number, and what is nowhere near, is not drawn.
        if (a.length().max(b.length())) < FAR && radius < FAR {
            out.push(Solid {
                a,
                b,
                ra: radius,
                rb: radius,
                flat_axis: Vec3::Y,
                flat: 1.0,
                tone: Tone::Became,
            });
        }
    }
}

/// Polygon and ZMP, on the ground under the body.
pub(super) fn ground_forces(stage: &Stage, frame: usize, camera: &Camera, line: f32, out: &mut Vec<Item>) {
    let Some(forces) = stage.config.forces.as_ref().and_then(|forces| forces.frames.get(frame)) else {
        return;
    };
    let place = |[x, z]: [f32; 2]| stage.unit(Vec3::new(x, forces.height, z));
    let corners: Option<Vec<Vec2>> =
        forces.polygon.iter().map(|p| camera.project(place(*p)).map(|(at, _)| at)).collect();
    if let Some(mut corners) =
        corners.filter(|corners| corners.len() >= 2 && corners.iter().all(|p| p.is_finite()))
    {
        out.push(Item::Fill { points: corners.clone(), ink: Ink::new(INSIDE, 0.20) });
        corners.push(corners[0]);
        out.push(Item::Line { points: corners, width: line * 1.5, ink: Ink::new(INSIDE, 0.9) });
    }
    let Some(zmp) = forces.zmp.filter(|p| p.iter().all(|x| x.is_finite())) else { return };
    let rgb = if inside(&forces.polygon, zmp) { INSIDE } else { OUTSIDE };
    let centre = place(zmp);
    let rim = (0..16).map(|i| {
        let angle = i as f32 / 16.0 * std::f32::consts::TAU;
        camera.project(centre + Vec3::new(angle.cos(), 0.0, angle.sin()) * SPOT).map(|(at, _)| at)
    });
    if let Some(points) = rim.collect::<Option<Vec<Vec2>>>() {
        out.push(Item::Fill { points, ink: Ink::new(rgb, 1.0) });
    }
}

/// Both ends of the arrows at the limbs, in the stage's units.
pub(super) fn arrow_ends(stage: &Stage, frame: usize) -> Vec<[Vec3; 2]> {
    let Some(forces) = stage.config.forces.as_ref() else { return Vec::new() };
    let longest = forces.longest_m_s2();
    let Some(frame) = forces.frames.get(frame).filter(|_| longest > 0.0) else { return Vec::new() };
    // Also lets go of what is not a number.
    let shown = |[at, acceleration]: &&[Vec3; 2]| {
        acceleration.length() / longest >= SHORTEST && at.is_finite() && acceleration.is_finite()
    };
    let ends = |[at, acceleration]: &[Vec3; 2]| {
        let from = stage.unit(*at);
        [from, from + *acceleration / longest * LONGEST]
    };
    frame.arrows.iter().filter(shown).map(ends).collect()
}

/// Arrows at the limbs, over the body.
pub(super) fn arrows(stage: &Stage, frame: usize, camera: &Camera, line: f32, out: &mut Vec<Item>) {
    let mut list = Vec::new();
    for [from, tip] in arrow_ends(stage, frame) {
        let (Some((a, _)), Some((b, _))) = (camera.project(from), camera.project(tip)) else { continue };
        list.push([a, b]);
        // The head lies in the picture; an arrow towards the eye is all head.
        let along = (b - a).normalize_or(Vec2::Y);
        let head = (3.2 * line).max(2.0 + 1.6 * line);
        for side in [-0.5, 0.5] {
            list.push([b, b - along * head + along.perp() * (head * side)]);
        }
    }
    if !list.is_empty() {
        out.push(Item::Segments { list, width: line * 2.0, ink: Ink::new(ARROW, 0.95) });
    }
}

/// Whether a place lies inside a convex polygon whose corners go round either way.
fn inside(polygon: &[[f32; 2]], p: [f32; 2]) -> bool {
    let p = Vec2::from(p);
    let turn = |i: usize| {
        let (a, b) = (Vec2::from(polygon[i]), Vec2::from(polygon[(i + 1) % polygon.len()]));
        (b - a).perp_dot(p - a)
    };
    let turns = || (0..polygon.len()).map(turn);
    polygon.len() >= 3 && (turns().all(|t| t >= 0.0) || turns().all(|t| t <= 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convex_polygon_knows_its_inside_whichever_way_it_goes() {
        let mut square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        for _ in 0..2 {
            assert!(
                inside(&square, [0.5, 0.9]) && !inside(&square, [1.1, 0.5]) && !inside(&square, [0.5, -0.1])
            );
            square.reverse();
        }
        assert!(!inside(&square[..2], [0.5, 0.0]));
    }
}
