//! The dynamics' run functions allocate nothing: a counting allocator watches them.

use glam::DVec3;
use ugoki_base::pose::Pose;
use ugoki_physics::dynamics::{
    Body, BodyConfig, BodyState, Contact, Factors, Held, Hold, Kinematics, MassMatrix, PointForce,
    SupportPolygon, Workspace, aba_into, add_generalized, bias_acceleration, centroid, clamp_to_strength,
    crba_into, difference_into, effective_mass, energy, excess_into, hold_into, impulse_response_into,
    kinematics_into, link_jacobian_into, load_into, rnea_into, root_wrench, write_pose, zmp,
};
use ugoki_sample as sample;
use ugoki_testing::allocations;

#[test]
fn run_functions_allocate_nothing() {
    let body = Body::build(&sample::skeleton(), &BodyConfig::default()).expect("a body");
    let n = body.num_dofs();
    let mut state = BodyState::rest(&body);
    state.qd.fill(0.3);
    let rest = state.clone();
    let mut workspace = Workspace::new(&body);
    let mut kinematics = Kinematics::new(&body);
    let (mut h, mut factors, mut held) = (MassMatrix::new(&body), Factors::new(&body), Held::new(&body, 12));
    let (mut a, mut b, mut c) = (vec![0.1; n], vec![0.0; n], vec![0.0; 12]);
    let mut jacobian = vec![0.0; 6 * n];
    let mut loads = vec![0.0; body.links().len()];
    let feet = body.feet().map(|f| Contact { link: f.foot, point: DVec3::ZERO, hold: Hold::Link });
    let push = [PointForce::new(3, DVec3::Y * 0.1, DVec3::Z * 20.0)];
    let (mut pose, mut world) = (Pose::rest(&sample::skeleton()), Vec::with_capacity(22));
    let skeleton = sample::skeleton();
    // The counter itself works.
    assert!(allocations(|| drop(std::hint::black_box(vec![0u8; 100]))) > 0);
    let count = allocations(|| {
        kinematics_into(&body, &state, &mut kinematics);
        rnea_into(&body, &state, &a, &push, &mut workspace, &mut b);
        let polygon =
            SupportPolygon::from_soles(&body, &kinematics, &[body.feet()[0].foot, body.feet()[1].foot]);
        if let Some(p) = zmp(&root_wrench(workspace.kinematics(), &b), 0.0, 10.0) {
            let _ = polygon.shrunk(0.02).nearest(glam::DVec2::new(p.x, p.z));
        }
        load_into(&body, &b, &mut loads);
        clamp_to_strength(&body, &mut b);
        aba_into(&body, &state, &b, &push, &mut workspace, &mut a);
        crba_into(&body, &state, &mut workspace, &mut h);
        factors.factor(&h);
        factors.solve(&mut b);
        h.multiply_into(&a, &mut b);
        hold_into(&body, &state, &feet, &mut workspace, &mut held).expect("room");
        impulse_response_into(&body, workspace.kinematics(), &held, &push, &mut a, &mut c);
        let _ = effective_mass(
            &body,
            &kinematics,
            &held,
            &PointForce::new(3, DVec3::ZERO, DVec3::Z),
            &mut a,
            &mut c,
        );
        link_jacobian_into(&body, &kinematics, 3, DVec3::ZERO, &mut jacobian);
        let _ = bias_acceleration(&body, &kinematics, 3, DVec3::ZERO);
        add_generalized(&body, &kinematics, &push, &mut b);
        let _ = (centroid(&body, &kinematics), energy(&body, &kinematics));
        excess_into(&body, &state, &mut b);
        write_pose(&body, &kinematics, &skeleton, &mut pose, &mut world);
        state.step(&body, &a, 1e-3);
        difference_into(&body, &rest.q, &state.q, &mut a);
    });
    assert_eq!(count, 0, "allocations in run functions");
}
