//! The body as URDF, for robotics tools.

use std::fmt::Write as _;

use super::body::{Body, JointKind, Limits, Link};
use super::mjcf::numbers;

/// Joint speed that URDF asks for, rad/s: above the fastest human joints (throwing shoulders aside).
const MAX_SPEED: f64 = 25.0;

/// The body as a URDF document; the root link floats.
///
/// URDF has no ball joint: each is three revolutes about x, then y, then z, through two links without mass.
#[must_use]
pub fn urdf(body: &Body) -> String {
    let mut out = String::from("<robot name=\"ugoki\">\n");
    for link in body.links() {
        let name = link.role.name();
        write_link(name, link, &mut out);
        let Some(parent) = link.parent else { continue };
        let parent = body.link(parent).role.name();
        let effort = link.strength.negative.max(link.strength.positive);
        if let (JointKind::Hinge, Limits::Hinge { low, high }) = (link.joint, &link.limits) {
            let joint = Revolute {
                name,
                parent,
                child: name,
                origin: numbers(link.offset),
                axis: numbers(link.axis),
            };
            write_joint(&joint, [*low, *high], effort.x, &mut out);
            continue;
        }
        let most = effort.max_element();
        let turn = [-std::f64::consts::PI, std::f64::consts::PI];
        let (x, y) = (format!("{name}_x"), format!("{name}_y"));
        for bare in [&x, &y] {
            let _ = writeln!(out, "  <link name=\"{bare}\"/>");
        }
        let chain = [(parent, x.as_str(), "1 0 0"), (&x, &y, "0 1 0"), (&y, name, "0 0 1")];
        for (k, (from, to, axis)) in chain.into_iter().enumerate() {
            let origin = if k == 0 { numbers(link.offset) } else { "0 0 0".into() };
            let label = format!("{name}_{}", ["x", "y", "z"][k]);
            let joint = Revolute { name: &label, parent: from, child: to, origin, axis: axis.into() };
            write_joint(&joint, turn, most, &mut out);
        }
    }
    out.push_str("</robot>\n");
    out
}

struct Revolute<'a> {
    name: &'a str,
    parent: &'a str,
    child: &'a str,
    origin: String,
    axis: String,
}

fn write_link(name: &str, link: &Link, out: &mut String) {
    let (i, com) = (link.inertia.j_com(), numbers(link.inertia.com()));
    let _ = writeln!(
        out,
        "  <link name=\"{name}\">\n    <inertial>\n      <origin xyz=\"{com}\" rpy=\"0 0 0\"/>\n      <mass value=\"{}\"/>\n      \
         <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n    </inertial>\n  </link>",
        link.inertia.mass, i.xx, i.xy, i.xz, i.yy, i.yz, i.zz
    );
}

fn write_joint(joint: &Revolute<'_>, range: [f64; 2], effort: f64, out: &mut String) {
    let Revolute { name, parent, child, origin, axis } = joint;
    let _ = writeln!(
        out,
        "  <joint name=\"{name}\" type=\"revolute\">\n    <parent link=\"{parent}\"/>\n    <child link=\"{child}\"/>\n    \
         <origin xyz=\"{origin}\" rpy=\"0 0 0\"/>\n    <axis xyz=\"{axis}\"/>\n    \
         <limit lower=\"{}\" upper=\"{}\" effort=\"{effort}\" velocity=\"{MAX_SPEED}\"/>\n  </joint>",
        range[0], range[1]
    );
}
