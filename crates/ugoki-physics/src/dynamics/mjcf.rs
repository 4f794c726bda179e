//! The body as MuJoCo's MJCF, for MuJoCo and Pinocchio.

use std::fmt::Write as _;

use glam::DVec3;

use super::body::{Body, JointKind, Limits};

/// The body as an MJCF document: ball joints and hinges, no armature, no damping, no actuators.
///
/// Numbers are written with as many digits as bring back the same f64. The world is +Y up, as here. Each link is a body
/// named by its role with a capsule for the eye that touches nothing.
#[must_use]
pub fn mjcf(body: &Body) -> String {
    let mut out = String::new();
    let g = body.gravity();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<mujoco model=\"ugoki\">");
    let _ = writeln!(out, "  <compiler angle=\"radian\" balanceinertia=\"false\"/>");
    let _ = writeln!(out, "  <option gravity=\"{}\"/>", numbers(g));
    let _ = writeln!(out, "  <worldbody>");
    write_link(body, 0, 2, &mut out);
    let _ = writeln!(out, "  </worldbody>\n</mujoco>");
    out
}

/// Three numbers, shortest form that reads back exactly.
pub(super) fn numbers(v: DVec3) -> String {
    format!("{} {} {}", v.x, v.y, v.z)
}

fn write_link(body: &Body, index: usize, depth: usize, out: &mut String) {
    let link = body.link(index);
    let pad = "  ".repeat(depth);
    let name = link.role.name();
    let (i, com) = (link.inertia.j_com(), link.inertia.com());
    let _ = writeln!(out, "{pad}<body name=\"{name}\" pos=\"{}\">", numbers(link.offset));
    let _ = match (link.joint, &link.limits) {
        (JointKind::Free, _) => writeln!(out, "{pad}  <freejoint name=\"{name}\"/>"),
        (JointKind::Hinge, Limits::Hinge { low, high }) => writeln!(
            out,
            "{pad}  <joint name=\"{name}\" type=\"hinge\" axis=\"{}\" limited=\"true\" range=\"{low} {high}\"/>",
            numbers(link.axis)
        ),
        _ => writeln!(out, "{pad}  <joint name=\"{name}\" type=\"ball\"/>"),
    };
    let _ = writeln!(
        out,
        "{pad}  <inertial pos=\"{}\" mass=\"{}\" fullinertia=\"{} {} {} {} {} {}\"/>",
        numbers(com),
        link.inertia.mass,
        i.xx,
        i.yy,
        i.zz,
        i.xy,
        i.xz,
        i.yz
    );
    let _ = writeln!(
        out,
        "{pad}  <geom type=\"capsule\" fromto=\"0 0 0 {}\" size=\"{}\" contype=\"0\" conaffinity=\"0\" mass=\"0\"/>",
        numbers(link.end),
        link.radius
    );
    for child in (0..body.links().len()).filter(|&c| body.link(c).parent == Some(index)) {
        write_link(body, child, depth + 1, out);
    }
    let _ = writeln!(out, "{pad}</body>");
}
