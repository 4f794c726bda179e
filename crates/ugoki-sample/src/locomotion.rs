//! Locomotion: routes for walking, running, starting, stopping, turning and stepping.

use glam::DVec3;

use super::gait::{Route, go};
use super::gait_tables::{MARCH, RUN, SIDE_STEP, STEP_DOWN, STEP_UP, Style, WALK, WALK_FAST, WALK_SLOW};
use super::minimum_jerk::{ease, ease_integral};
use super::pose::Stage;
use super::take::{Contact, FPS, Moment};

/// Moments with margins, and contacts.
pub(super) type Locomotion = (Vec<Moment>, Vec<Contact>);

/// Straight ahead at a steady pace for whole cycles; loops.
fn steady(style: &Style, cycles: usize) -> Locomotion {
    let num_frames = (style.cycle_s * FPS).round() as usize * cycles;
    let route = Route {
        style,
        num_frames,
        phase: &|t| t / style.cycle_s,
        gain: &|_| 1.0,
        stage: &|t| Stage { place: DVec3::Z * (style.speed * t), heading: 0.0 },
        ground: &|_| 0.0,
        begins: None,
        ends: None,
    };
    go(&route)
}

/// Walking, 4 cycles.
pub(super) fn walk() -> Locomotion {
    steady(&WALK, 4)
}

/// Strolling, 4 cycles.
pub(super) fn walk_slow() -> Locomotion {
    steady(&WALK_SLOW, 4)
}

/// Hurrying, 4 cycles.
pub(super) fn walk_fast() -> Locomotion {
    steady(&WALK_FAST, 4)
}

/// Running, 6 cycles.
pub(super) fn run() -> Locomotion {
    steady(&RUN, 6)
}

/// Walking on the spot, 4 cycles.
pub(super) fn walk_in_place() -> Locomotion {
    steady(&MARCH, 4)
}

/// Phase in which both feet stand and the left is about to leave: where starts begin and stops end.
const STANDING_PHASE: f64 = 0.56;
/// Stillness before a start and after a stop, seconds.
const STILL_S: f64 = 0.4;
/// Seconds over which the legs take up their rhythm.
const RHYTHM_S: f64 = 0.4;

/// From standing to the walk's first frame.
pub(super) fn start() -> Locomotion {
    let style = &WALK;
    // Phase runs from 0.56 to 2; easing the rhythm in costs half of its time.
    let num_frames =
        ((STILL_S + 0.5 * RHYTHM_S + (2.0 - STANDING_PHASE) * style.cycle_s) * FPS).round() as usize;
    let end = num_frames as f64 / FPS;
    let begin = end - (2.0 - STANDING_PHASE) * style.cycle_s - 0.5 * RHYTHM_S;
    let phase =
        |t: f64| STANDING_PHASE + RHYTHM_S / style.cycle_s * ease_integral(((t - begin) / RHYTHM_S).max(0.0));
    // The body gathers speed until the left foot's first contact (phase 1).
    let ramp = 0.62 * style.cycle_s;
    let route = Route {
        style,
        num_frames,
        phase: &phase,
        gain: &|t| ease((t - begin) / (0.75 * style.cycle_s)),
        stage: &|t| Stage {
            place: DVec3::Z * (style.speed * ramp * ease_integral(((t - begin) / ramp).max(0.0))),
            heading: 0.0,
        },
        ground: &|_| 0.0,
        begins: Some(STANDING_PHASE),
        ends: None,
    };
    go(&route)
}

/// From the walk's first frame to standing.
pub(super) fn stop() -> Locomotion {
    let style = &WALK;
    // Left contact at 0, right at 0.5, left at 1; the right foot closes at 1.5.
    let last = 1.62;
    let slow = last * style.cycle_s - 0.5 * RHYTHM_S;
    let phase = |t: f64| {
        let late = ((t - slow) / RHYTHM_S).max(0.0);
        (t - RHYTHM_S * ease_integral(late)) / style.cycle_s
    };
    let num_frames = ((slow + RHYTHM_S + STILL_S) * FPS).round() as usize + 1;
    let (brake, ramp) = (0.55 * style.cycle_s, 0.95 * style.cycle_s);
    let route = Route {
        style,
        num_frames,
        phase: &phase,
        gain: &|t| 1.0 - ease((t - 0.80 * style.cycle_s) / (0.85 * style.cycle_s)),
        stage: &|t| {
            let late = ((t - brake) / ramp).max(0.0);
            Stage { place: DVec3::Z * (style.speed * (t - ramp * ease_integral(late))), heading: 0.0 }
        },
        ground: &|_| 0.0,
        begins: None,
        ends: Some(1.0 + STANDING_PHASE),
    };
    go(&route)
}

/// A quarter turn while walking, from the walk's first frame to the walk's first frame.
fn turn(degrees: f64) -> Locomotion {
    let style = &WALK;
    let cycles = 4.0;
    let num_frames = (style.cycle_s * FPS * cycles).round() as usize;
    // Eased over 2.2 cycles the bend is 1 m or more in radius, which walkers take without slowing much.
    let heading = |t: f64| degrees.to_radians() * ease((t / style.cycle_s - 0.8) / 2.2);
    // The path is the integral of the heading; 1/240 s steps of the midpoint rule are exact to 1e-6 m.
    const STEP: f64 = 1.0 / 240.0;
    let mut path = vec![DVec3::ZERO];
    let before = 4.0 * style.cycle_s;
    let steps = ((cycles + 8.0) * style.cycle_s / STEP).ceil() as usize;
    for i in 0..steps {
        let a = heading((i as f64 + 0.5) * STEP - before);
        path.push(path[i] + DVec3::new(a.sin(), 0.0, a.cos()) * (style.speed * STEP));
    }
    let zero = (before / STEP).round() as usize;
    let origin = path[zero];
    let stage = |t: f64| {
        let at = ((t + before) / STEP).clamp(0.0, (steps - 1) as f64);
        let (i, fraction) = (at.floor() as usize, at.fract());
        Stage { place: path[i].lerp(path[i + 1], fraction) - origin, heading: heading(t) }
    };
    let route = Route {
        style,
        num_frames,
        phase: &|t| t / style.cycle_s,
        gain: &|_| 1.0,
        stage: &stage,
        ground: &|_| 0.0,
        begins: None,
        ends: None,
    };
    go(&route)
}

/// A quarter turn to the left.
pub(super) fn turn_left() -> Locomotion {
    turn(90.0)
}

/// A quarter turn to the right.
pub(super) fn turn_right() -> Locomotion {
    turn(-90.0)
}

/// From standing to standing: `cycles` of steps, left first, over ground of that height, along `way` of the phase.
fn steps(style: &Style, cycles: f64, way: &dyn Fn(f64) -> DVec3, ground: &dyn Fn(f64) -> f64) -> Locomotion {
    let travel = (cycles + 0.06) * style.cycle_s;
    let end = STILL_S + RHYTHM_S + travel;
    let num_frames = ((end + STILL_S) * FPS).ceil() as usize + 1;
    // Phase rises from standing, runs, and comes to rest: the difference of two eased rates.
    let phase = |t: f64| {
        let ran = |from: f64| RHYTHM_S * ease_integral(((t - from) / RHYTHM_S).max(0.0));
        STANDING_PHASE + (ran(STILL_S) - ran(STILL_S + travel)) / style.cycle_s
    };
    let fraction = move |t: f64| ((t - STILL_S) / (end - STILL_S)).clamp(0.0, 1.0);
    let fade = 0.35 / cycles;
    let route = Route {
        style,
        num_frames,
        phase: &phase,
        gain: &|t| ease(fraction(t) / fade) * ease((1.0 - fraction(t)) / fade),
        stage: &|t| Stage { place: way(phase(t)), heading: 0.0 },
        ground,
        begins: Some(STANDING_PHASE),
        ends: Some(STANDING_PHASE + cycles),
    };
    go(&route)
}

/// Height of the step, metres: a usual stair rise.
const RISE: f64 = 0.17;
/// Length of a step up or down, metres: a usual tread and a little more, the foot being placed whole on it.
const TREAD: f64 = 0.46;
/// Length of a step to the side, metres.
const ASIDE: f64 = 0.30;

/// Up onto a step, left foot first: the body rises once the foot is up there.
pub(super) fn step_up() -> Locomotion {
    let style = Style { clearance: 6.0, ..STEP_UP };
    let way =
        |phase: f64| DVec3::new(0.0, RISE * ease((phase - 0.92) / 0.58), TREAD * ease((phase - 0.60) / 0.88));
    steps(&style, 1.0, &way, &|z| if z > 0.5 * TREAD { RISE } else { 0.0 })
}

/// Down from a step, left foot first; the motion ends on the lower level, which is y = 0.
pub(super) fn step_down() -> Locomotion {
    let style = Style { clearance: 4.0, ..STEP_DOWN };
    let way = |phase: f64| {
        DVec3::new(0.0, RISE * (1.0 - ease((phase - 0.64) / 0.62)), TREAD * ease((phase - 0.60) / 0.88))
    };
    steps(&style, 1.0, &way, &|z| if z > 0.5 * TREAD { 0.0 } else { RISE })
}

/// Two steps to the left: the body moves while the left foot is out, and waits for the right to close.
pub(super) fn side_step() -> Locomotion {
    let style = Style { clearance: 6.0, ..SIDE_STEP };
    let way = |phase: f64| DVec3::X * (ASIDE * (ease((phase - 0.70) / 0.60) + ease((phase - 1.76) / 0.60)));
    steps(&style, 2.0, &way, &|_| 0.0)
}
