//! The dynamics algorithms at 36 degrees of freedom on one core, a new random state in every call.
//!
//! `cargo bench -p ugoki --bench dynamics`
//!
//! Medians over short batches, by our own clock: a batch of 20 calls fits into a scheduler's time slice, so other
//! work on the machine moves the last percentile but not the median, which a mean over long samples does not survive.

use std::hint::black_box;
use std::time::Instant;

use glam::DVec3;
use ugoki::dynamics::{
    Body, BodyConfig, BodyState, Contact, Factors, Held, Hold, Kinematics, MassMatrix, PointForce, Workspace,
    aba_into, centroid, crba_into, energy, hold_into, impulse_response_into, kinematics_into, rnea_into,
};
use ugoki::math::{Random, exp64};
use ugoki::sample;

/// States in turn, so that no branch or cache learns a single one.
const STATES: usize = 64;

fn states(body: &Body) -> Vec<BodyState> {
    let mut random = Random::new(5);
    (0..STATES)
        .map(|_| {
            let mut state = BodyState::rest(body);
            for link in 0..body.links().len() {
                let turn = DVec3::from_array(std::array::from_fn(|_| 0.7 * random.normal()));
                state.set_rotation(body, link, exp64(turn));
            }
            state.qd.iter_mut().for_each(|v| *v = 2.0 * random.normal());
            state
        })
        .collect()
}

/// Calls per batch and batches.
const CALLS: usize = 20;
const BATCHES: usize = 10_000;

fn measure(name: &str, mut call: impl FnMut()) {
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..CALLS {
                call();
            }
            start.elapsed().as_secs_f64() * 1e6 / CALLS as f64
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    let (best, median, p99) = (times[0], times[BATCHES / 2], times[BATCHES * 99 / 100]);
    println!("| {name} | {best:.2} µs | {median:.2} µs | {p99:.2} µs |");
}

fn main() {
    let body = Body::build(&sample::skeleton(), &BodyConfig::default()).expect("a body");
    let n = body.num_dofs();
    assert_eq!(n, 36);
    let states = states(&body);
    let mut random = Random::new(6);
    let input: Vec<f64> = (0..n).map(|_| 5.0 * random.normal()).collect();
    let mut workspace = Workspace::new(&body);
    let mut out = vec![0.0; n];
    let mut at = 0;
    let mut next = move || {
        at = (at + 1) % STATES;
        at
    };
    println!("| 36 degrees of freedom, one core | best | median | p99 |");
    println!("|---|---|---|---|");
    measure("rnea", || rnea_into(&body, &states[next()], black_box(&input), &[], &mut workspace, &mut out));
    let mut h = MassMatrix::new(&body);
    measure("crba", || crba_into(&body, &states[next()], &mut workspace, black_box(&mut h)));
    measure("aba", || aba_into(&body, &states[next()], black_box(&input), &[], &mut workspace, &mut out));
    let mut kinematics = Kinematics::new(&body);
    measure("kinematics", || kinematics_into(&body, &states[next()], black_box(&mut kinematics)));
    measure("centroid of a placed body", || {
        black_box(centroid(&body, black_box(&kinematics)));
    });
    let mut factors = Factors::new(&body);
    measure("factor H", || factors.factor(black_box(&h)));
    measure("solve with H's factors", || {
        out.copy_from_slice(&input);
        factors.solve(black_box(&mut out));
    });
    let contacts = body.feet().map(|foot| Contact { link: foot.foot, point: DVec3::ZERO, hold: Hold::Link });
    let mut held = Held::new(&body, 12);
    measure("crba, factors and 12 contact rows (both feet held)", || {
        hold_into(&body, &states[next()], &contacts, &mut workspace, &mut held).expect("room");
    });
    let push = [PointForce::new(1, DVec3::Y * 0.3, DVec3::new(0.0, 0.0, -25.0))];
    let mut back = vec![0.0; 12];
    measure("impulse response, both feet held", || {
        impulse_response_into(&body, workspace.kinematics(), &held, black_box(&push), &mut out, &mut back);
    });
    drift();
}

/// How well the run-time step keeps the energy of a passive body in free space.
fn drift() {
    let config = BodyConfig { gravity_m_s2: 0.0, ..BodyConfig::default() };
    let body = Body::build(&sample::skeleton(), &config).expect("a body");
    let (mut workspace, mut kinematics) = (Workspace::new(&body), Kinematics::new(&body));
    let tau = vec![0.0; body.num_dofs()];
    let mut qdd = tau.clone();
    println!("\n| semi-implicit step, passive, 5 s from ±2 rad/s | largest change of energy | at the end |");
    println!("|---|---|---|");
    for rate_hz in [120, 240, 480, 960, 1920] {
        let mut random = Random::new(11);
        let mut state = BodyState::rest(&body);
        state.qd.iter_mut().for_each(|v| *v = random.range(-2.0, 2.0));
        kinematics_into(&body, &state, &mut kinematics);
        let before = energy(&body, &kinematics).kinetic;
        let (mut worst, mut last) = (0.0f64, 0.0);
        for _ in 0..5 * rate_hz {
            aba_into(&body, &state, &tau, &[], &mut workspace, &mut qdd);
            state.step(&body, &qdd, 1.0 / f64::from(rate_hz));
            kinematics_into(&body, &state, &mut kinematics);
            last = energy(&body, &kinematics).kinetic / before - 1.0;
            worst = worst.max(last.abs());
        }
        println!("| {rate_hz} Hz | {:.2} % | {:+.2} % |", 100.0 * worst, 100.0 * last);
    }
}
