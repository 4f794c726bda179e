//! Prints a body, random states of it and what our dynamics say about them, as JSON, for `scripts/oracles`.
//!
//! ```text
//! cargo run -p ugoki --example dynamics_oracle -- 200 > dynamics.json
//! ```
//!
//! Without a number it prints three states, which shows the shape of the document.

use std::fmt::Write as _;

use glam::DVec3;
use ugoki::dynamics::{
    Body, BodyConfig, BodyState, JointKind, Load, MassMatrix, PointForce, Workspace, aba_into, centroid,
    crba_into, mjcf, rnea_into, urdf,
};
use ugoki::math::{Random, exp64};
use ugoki::sample;
use ugoki::skeleton::Role;

fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(3);
    let config = BodyConfig {
        // A load makes the torso's inertia as uneven as a user may make it.
        loads: vec![Load { role: Role::Chest, mass_kg: 8.0, offset_m: [0.05, 0.0, -0.2], radius_m: 0.1 }],
        ..BodyConfig::default()
    };
    let body = Body::build(&sample::skeleton(), &config).expect("the sample actor has a body");
    let n = body.num_dofs();
    let mut random = Random::new(8);
    let mut workspace = Workspace::new(&body);
    let (mut tau, mut qdd_out) = (vec![0.0; n], vec![0.0; n]);
    let mut h = MassMatrix::new(&body);
    let mut states = Vec::new();
    for _ in 0..count {
        let state = random_state(&body, &mut random);
        let draw =
            |scale: f64, random: &mut Random| (0..n).map(|_| scale * random.normal()).collect::<Vec<f64>>();
        let (qdd, torque) = (draw(10.0, &mut random), draw(30.0, &mut random));
        let vector = |scale: f64, random: &mut Random| {
            DVec3::from_array(std::array::from_fn(|_| scale * random.normal()))
        };
        let push = PointForce {
            link: random.index(body.links().len()),
            point: vector(0.1, &mut random),
            force: vector(50.0, &mut random),
            moment: vector(5.0, &mut random),
        };
        rnea_into(&body, &state, &qdd, &[push], &mut workspace, &mut tau);
        crba_into(&body, &state, &mut workspace, &mut h);
        let rows: Vec<f64> = (0..n * n).map(|k| h.at(k / n, k % n)).collect();
        aba_into(&body, &state, &torque, &[push], &mut workspace, &mut qdd_out);
        let c = centroid(&body, workspace.kinematics());
        let mut out = String::from("{");
        let mut field = |name: &str, values: &[f64]| {
            let _ = write!(out, "\"{name}\": {values:?}, ");
        };
        field("q", &state.q);
        field("qd", &state.qd);
        field("qdd", &qdd);
        field("torque", &torque);
        field("push", &[push.point, push.force, push.moment].map(|v| v.to_array()).concat());
        field("rnea", &tau);
        field("crba", &rows);
        field("aba", &qdd_out);
        field("com", &c.com.to_array());
        field("com_velocity", &c.velocity.to_array());
        field("angular_momentum", &c.angular_momentum.to_array());
        let _ = write!(out, "\"push_link\": {:?}}}", body.link(push.link).role.name());
        states.push(out);
    }
    let links: Vec<&str> = body.links().iter().map(|link| link.role.name()).collect();
    println!(
        "{{\"links\": {links:?}, \"mjcf\": {:?}, \"urdf\": {:?}, \"states\": [",
        mjcf(&body),
        urdf(&body)
    );
    println!("{}\n]}}", states.join(",\n"));
}

/// Any pose with velocities of a fast movement: 3 rad/s, 3 m/s.
fn random_state(body: &Body, random: &mut Random) -> BodyState {
    let mut state = BodyState::rest(body);
    state.set_root_position(DVec3::from_array(std::array::from_fn(|_| random.normal())));
    for (index, link) in body.links().iter().enumerate() {
        if link.joint == JointKind::Hinge {
            state.q[link.coordinate] = random.range(-0.5, 2.0);
        } else {
            state.set_rotation(
                body,
                index,
                exp64(DVec3::from_array(std::array::from_fn(|_| random.normal()))),
            );
        }
    }
    state.qd.iter_mut().for_each(|v| *v = 3.0 * random.normal());
    state
}
