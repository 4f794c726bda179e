//! How well the run-time step keeps the energy of a passive body: the table of `docs/results/dynamics.md`.

use ugoki::dynamics::{
    Body, BodyConfig, BodyState, Kinematics, Workspace, aba_into, energy, kinematics_into,
};
use ugoki::math::Random;
use ugoki::sample;

/// Simulated time, seconds.
const SECONDS: u32 = 5;
/// Velocities at the start, rad/s and m/s, either way.
const FASTEST: f64 = 2.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Without gravity and torques nothing but the step itself can change the energy.
    let config = BodyConfig { gravity_m_s2: 0.0, ..BodyConfig::default() };
    let body = Body::build(&sample::skeleton(), &config)?;
    println!("| steps | largest change of energy | at the end |\n|---|---|---|");
    for rate_hz in [120, 240, 480, 960, 1920] {
        let (largest, last) = drift(&body, rate_hz);
        println!("| {rate_hz} Hz | {:.2} % | {:+.2} % |", 100.0 * largest, 100.0 * last);
    }
    Ok(())
}

/// Largest and last relative change of the kinetic energy.
fn drift(body: &Body, rate_hz: u32) -> (f64, f64) {
    let (mut workspace, mut kinematics) = (Workspace::new(body), Kinematics::new(body));
    let tau = vec![0.0; body.num_dofs()];
    let mut qdd = tau.clone();
    let mut random = Random::new(11);
    let mut state = BodyState::rest(body);
    state.qd.iter_mut().for_each(|v| *v = random.range(-FASTEST, FASTEST));
    kinematics_into(body, &state, &mut kinematics);
    let before = energy(body, &kinematics).kinetic;
    let (mut largest, mut last) = (0.0f64, 0.0);
    for _ in 0..SECONDS * rate_hz {
        aba_into(body, &state, &tau, &[], &mut workspace, &mut qdd);
        state.step(body, &qdd, 1.0 / f64::from(rate_hz));
        kinematics_into(body, &state, &mut kinematics);
        last = energy(body, &kinematics).kinetic / before - 1.0;
        largest = largest.max(last.abs());
    }
    (largest, last)
}
