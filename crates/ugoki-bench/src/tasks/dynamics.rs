//! Inverse dynamics, mass matrix and forward dynamics at 36 degrees of freedom, a new random state in every call.

use std::hint::black_box;

use glam::DVec3;
use ugoki::dynamics::{
    Body, BodyConfig, BodyState, Contact, Factors, Held, Hold, Kinematics, MassMatrix, PointForce, Workspace,
    aba_into, centroid, crba_into, hold_into, impulse_response_into, kinematics_into, rnea_into,
};
use ugoki::math::{Random, exp64};
use ugoki::sample;

use crate::clock::Bench;

/// States in turn, so that no branch or cache learns a single one.
const STATES: usize = 64;

fn states(body: &Body) -> Vec<BodyState> {
    let mut random = Random::new(5);
    let one = |_| {
        let mut state = BodyState::rest(body);
        for link in 0..body.links().len() {
            let turn = DVec3::from_array(std::array::from_fn(|_| 0.7 * random.normal()));
            state.set_rotation(body, link, exp64(turn));
        }
        state.qd.iter_mut().for_each(|v| *v = 2.0 * random.normal());
        state
    };
    (0..STATES).map(one).collect()
}

pub(crate) fn measure(bench: &mut Bench) {
    let body = Body::build(&sample::skeleton(), &BodyConfig::default()).expect("a body");
    let n = body.num_dofs();
    let states = states(&body);
    let mut random = Random::new(6);
    let input: Vec<f64> = (0..n).map(|_| 5.0 * random.normal()).collect();
    let mut workspace = Workspace::new(&body);
    let mut out = vec![0.0; n];
    let mut next = states.iter().cycle();
    bench.measure("dynamics.rnea", n, 1.0, || {
        let state = next.next().expect("a cycle");
        rnea_into(&body, state, black_box(&input), &[], &mut workspace, &mut out);
    });
    let mut h = MassMatrix::new(&body);
    bench.measure("dynamics.crba", n, 1.0, || {
        crba_into(&body, next.next().expect("a cycle"), &mut workspace, black_box(&mut h));
    });
    bench.measure("dynamics.aba", n, 1.0, || {
        let state = next.next().expect("a cycle");
        aba_into(&body, state, black_box(&input), &[], &mut workspace, &mut out);
    });
    let mut kinematics = Kinematics::new(&body);
    bench.measure("dynamics.kinematics", n, 1.0, || {
        kinematics_into(&body, next.next().expect("a cycle"), black_box(&mut kinematics));
    });
    bench.measure("dynamics.centroid", n, 1.0, || {
        black_box(centroid(&body, black_box(&kinematics)));
    });
    let mut factors = Factors::new(&body);
    bench.measure("dynamics.factor", n, 1.0, || factors.factor(black_box(&h)));
    bench.measure("dynamics.solve", n, 1.0, || {
        out.copy_from_slice(&input);
        factors.solve(black_box(&mut out));
    });
    let contacts = body.feet().map(|foot| Contact { link: foot.foot, point: DVec3::ZERO, hold: Hold::Link });
    let mut held = Held::new(&body, 12);
    bench.measure("dynamics.hold", n, 1.0, || {
        let state = next.next().expect("a cycle");
        hold_into(&body, state, &contacts, &mut workspace, &mut held).expect("room");
    });
    let push = [PointForce::new(1, DVec3::Y * 0.3, DVec3::new(0.0, 0.0, -25.0))];
    let mut back = vec![0.0; 12];
    bench.measure("dynamics.impulse", n, 1.0, || {
        impulse_response_into(&body, workspace.kinematics(), &held, black_box(&push), &mut out, &mut back);
    });
}
