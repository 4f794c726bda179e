//! Numbers of walking and running over the gait cycle, and where they come from.
//!
//! Phase 0 is the foot's contact, 1 its next contact. Thigh angles are to the vertical (flexion positive),
//! knee angles are flexion, ankle angles dorsiflexion; degrees. Between the points runs a periodic cubic
//! spline. The ends of the phases of walking are at 12, 31, 50, 62, 75, 87 and 100 % [perryburnfield2010].

/// How one way of going moves, as points over the cycle and amplitudes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Seconds per cycle; a whole number of 60ths, so that cycles start on frames.
    pub cycle_s: f64,
    /// Metres per second.
    pub speed: f64,
    /// Thigh to the vertical over phase, degrees.
    pub thigh: &'static [(f64, f64)],
    /// Knee flexion over phase, degrees.
    pub knee: &'static [(f64, f64)],
    /// Ankle dorsiflexion over phase, degrees.
    pub ankle: &'static [(f64, f64)],
    /// Factor on thigh angles and on knee flexion: range of motion grows with speed [pietraszewski2012].
    pub range: [f64; 2],
    /// Phases at which the foot is flat, its heel leaves, its toes leave.
    pub events: [f64; 3],
    /// Pelvis below its rest height on average, metres.
    pub drop: f64,
    /// Half the pelvis' rise and fall, metres, and the phase at which it is highest.
    pub bob: (f64, f64),
    /// Half the pelvis' way forth and back within a step, metres, and the phase at which it is foremost: it is
    /// slowest in mid-stance and fastest between steps.
    pub surge: (f64, f64),
    /// Half the pelvis' way from side to side, metres; it is over the standing foot in mid-stance.
    pub sway: f64,
    /// Pelvis turn in the ground plane, each way, degrees: its side leads with the leg.
    pub turn: f64,
    /// Pelvis drop on the side of the swinging leg, degrees.
    pub list: f64,
    /// Pelvis tipped forward, degrees.
    pub tilt: f64,
    /// Trunk bent forward relative to the pelvis, degrees.
    pub bend: f64,
    /// Shoulders turning against the pelvis, each way, degrees.
    pub shoulders: f64,
    /// Upper arm: mean flexion and swing each way, degrees.
    pub arm: (f64, f64),
    /// Elbow: mean and swing each way, degrees.
    pub elbow: (f64, f64),
    /// Ankles from the line of progression, metres.
    pub half_width: f64,
    /// Ankle behind the body's place when that foot's stance is half over, metres.
    pub set_back: f64,
    /// Feet pointing outward, degrees.
    pub toe_out: f64,
    /// Extra flexion of the hip in mid-swing, degrees; the knee flexes twice as much, so the foot goes straight up.
    pub clearance: f64,
    /// Knees never straighter than this, degrees.
    pub straightest: f64,
}

/// Thigh to the vertical at the end of each phase [perryburnfield2010, ch. 6].
const WALK_THIGH: &[(f64, f64)] =
    &[(0.0, 20.0), (0.12, 18.0), (0.31, 0.0), (0.50, -19.0), (0.62, -10.0), (0.75, 15.0), (0.87, 25.0)];
/// Knee flexion [perryburnfield2010, ch. 5]: two waves, 15–20° under load and 60° in swing.
const WALK_KNEE: &[(f64, f64)] = &[
    (0.0, 5.0),
    (0.12, 18.0),
    (0.26, 9.0),
    (0.40, 5.0),
    (0.50, 12.0),
    (0.62, 40.0),
    (0.725, 60.0),
    (0.87, 27.0),
    (0.96, 4.0),
];
/// Ankle dorsiflexion [perryburnfield2010, ch. 4]: plantar flexion to foot flat, the ankle rocker to 10°, push-off.
const WALK_ANKLE: &[(f64, f64)] = &[
    (0.0, 0.0),
    (0.06, -5.5),
    (0.20, 3.0),
    (0.31, 6.0),
    (0.46, 10.0),
    (0.62, -18.0),
    (0.75, -5.0),
    (0.87, 1.0),
];

/// Walking at a comfortable speed: 1.30 m/s at 112 steps a minute [perryburnfield2010, ch. 1: 1.37 m/s, 113].
///
/// Pelvis turn 5°, list 4°, rise and fall 4–5 cm and sway 4–5 cm in all are those of [perryburnfield2010, ch. 7] and
/// [saunders1953]; height, rise, surge and `set_back` are those at which the standing leg's knee and thigh come nearest to the
/// tables (least squares, docs/methods/sample.md); the arm's swing of 32° about 8° behind the vertical is [murray1967]'s.
pub(super) const WALK: Style = Style {
    cycle_s: 64.0 / 60.0,
    speed: 1.30,
    thigh: WALK_THIGH,
    knee: WALK_KNEE,
    ankle: WALK_ANKLE,
    range: [1.0, 1.0],
    events: [0.09, 0.28, 0.60],
    drop: 0.0225,
    bob: (0.0158, 0.250),
    surge: (0.0135, 0.059),
    sway: 0.020,
    turn: 5.0,
    list: 3.5,
    tilt: 4.0,
    bend: 0.0,
    shoulders: 4.5,
    arm: (-5.0, 17.0),
    elbow: (24.0, 9.0),
    half_width: 0.050,
    set_back: 0.106,
    toe_out: 6.0,
    clearance: 2.0,
    straightest: 7.0,
};

/// Strolling: 0.86 m/s at 92 steps a minute.
pub(super) const WALK_SLOW: Style = Style {
    cycle_s: 78.0 / 60.0,
    speed: 0.86,
    range: [0.78, 0.88],
    events: [0.10, 0.34, 0.62],
    drop: 0.012,
    bob: (0.010, 0.220),
    surge: (0.012, 0.100),
    sway: 0.028,
    turn: 3.5,
    list: 2.5,
    shoulders: 3.0,
    arm: (-2.0, 10.0),
    elbow: (18.0, 5.0),
    half_width: 0.060,
    set_back: 0.104,
    ..WALK
};

/// Hurrying: 1.75 m/s at 133 steps a minute.
pub(super) const WALK_FAST: Style = Style {
    cycle_s: 54.0 / 60.0,
    speed: 1.75,
    range: [1.15, 1.03],
    events: [0.08, 0.27, 0.575],
    drop: 0.033,
    bob: (0.021, 0.243),
    surge: (0.008, 0.086),
    sway: 0.014,
    turn: 8.0,
    list: 4.0,
    tilt: 5.0,
    bend: 2.0,
    shoulders: 7.0,
    arm: (-4.0, 27.0),
    elbow: (38.0, 15.0),
    half_width: 0.042,
    set_back: 0.104,
    straightest: 8.0,
    ..WALK
};

/// Running at 2.9 m/s with a flight phase: toes leave at 36 % of the cycle; angles after [novacheck1998, Figs. 6–8].
pub(super) const RUN: Style = Style {
    cycle_s: 44.0 / 60.0,
    speed: 2.9,
    thigh: &[
        (0.0, 30.0),
        (0.10, 24.0),
        (0.20, 6.0),
        (0.36, -22.0),
        (0.45, -20.0),
        (0.60, 8.0),
        (0.78, 42.0),
        (0.90, 38.0),
    ],
    knee: &[
        (0.0, 22.0),
        (0.14, 44.0),
        (0.28, 28.0),
        (0.37, 20.0),
        (0.48, 48.0),
        (0.65, 98.0),
        (0.80, 72.0),
        (0.93, 24.0),
    ],
    ankle: &[(0.0, 2.0), (0.08, 8.0), (0.20, 24.0), (0.37, -22.0), (0.48, -18.0), (0.65, 2.0), (0.85, 4.0)],
    range: [1.0, 1.0],
    events: [0.07, 0.18, 0.35],
    drop: 0.078,
    bob: (0.038, 0.43),
    surge: (0.0, 0.0),
    sway: 0.008,
    turn: 8.0,
    list: 4.0,
    tilt: 9.0,
    bend: 3.0,
    shoulders: 10.0,
    arm: (-10.0, 34.0),
    elbow: (88.0, 12.0),
    half_width: 0.028,
    set_back: 0.120,
    toe_out: 5.0,
    clearance: 0.0,
    straightest: 14.0,
};

/// Walking on the spot: the knee lifted in front, the ball of the foot down first. Authored, no source.
pub(super) const MARCH: Style = Style {
    cycle_s: 66.0 / 60.0,
    speed: 0.0,
    thigh: &[(0.0, 5.0), (0.12, 4.0), (0.50, 4.0), (0.62, 12.0), (0.79, 42.0), (0.93, 16.0)],
    knee: &[(0.0, 12.0), (0.12, 9.0), (0.50, 9.0), (0.62, 34.0), (0.78, 76.0), (0.93, 28.0)],
    ankle: &[(0.0, -4.0), (0.12, 4.0), (0.50, 4.0), (0.62, -10.0), (0.78, -10.0), (0.93, -10.0)],
    range: [1.0, 1.0],
    events: [0.12, 0.46, 0.62],
    drop: 0.014,
    bob: (0.008, 0.31),
    surge: (0.0, 0.0),
    sway: 0.034,
    turn: 2.5,
    list: 2.5,
    arm: (2.0, 15.0),
    elbow: (32.0, 8.0),
    half_width: 0.075,
    set_back: 0.005,
    ..WALK
};

/// Single steps between stands: to the side, up and down. Authored, no source; slower and wider than walking.
pub(super) const STEP: Style = Style {
    cycle_s: 84.0 / 60.0,
    thigh: &[(0.0, 10.0), (0.12, 6.0), (0.50, -4.0), (0.62, 4.0), (0.79, 32.0), (0.93, 17.0)],
    knee: &[(0.0, 12.0), (0.12, 10.0), (0.50, 12.0), (0.62, 34.0), (0.78, 58.0), (0.93, 24.0)],
    ankle: &[(0.0, 6.0), (0.12, 4.0), (0.50, 6.0), (0.62, -6.0), (0.78, 2.0), (0.93, 9.0)],
    bob: (0.004, 0.31),
    sway: 0.045,
    drop: 0.012,
    turn: 1.0,
    arm: (1.0, 6.0),
    elbow: (18.0, 3.0),
    half_width: 0.095,
    toe_out: 7.0,
    straightest: 11.0,
    ..MARCH
};

/// A step to the side: the foot is lifted just enough to clear the ground, for it has nowhere to swing through. Authored.
pub(super) const SIDE_STEP: Style = Style {
    thigh: &[(0.0, 8.0), (0.12, 5.0), (0.50, -3.0), (0.62, 2.0), (0.79, 15.0), (0.93, 10.0)],
    knee: &[(0.0, 12.0), (0.12, 10.0), (0.50, 12.0), (0.62, 20.0), (0.78, 29.0), (0.93, 18.0)],
    ..STEP
};

/// A step down: the trailing knee gives way and the heel lifts while the leading foot reaches down with its ball
/// first. Authored; shape after stair descent in [mcfadyen1988].
pub(super) const STEP_DOWN: Style = Style {
    thigh: &[(0.0, 16.0), (0.12, 10.0), (0.35, 2.0), (0.50, 2.0), (0.62, 12.0), (0.79, 28.0), (0.93, 18.0)],
    knee: &[(0.0, 18.0), (0.12, 16.0), (0.35, 22.0), (0.50, 44.0), (0.62, 52.0), (0.78, 48.0), (0.93, 24.0)],
    ankle: &[(0.0, -10.0), (0.12, 4.0), (0.35, 8.0), (0.50, 6.0), (0.62, -4.0), (0.78, 0.0), (0.93, -14.0)],
    events: [0.12, 0.28, 0.62],
    straightest: 15.0,
    ..STEP
};

/// A step up: hip and knee flex early and the toes are drawn up, so that both feet clear the edge. Authored; shape
/// after stair ascent in [mcfadyen1988].
pub(super) const STEP_UP: Style = Style {
    thigh: &[(0.0, 24.0), (0.12, 14.0), (0.50, -8.0), (0.61, -6.0), (0.73, 20.0), (0.86, 44.0), (0.95, 33.0)],
    knee: &[(0.0, 30.0), (0.12, 22.0), (0.50, 14.0), (0.61, 48.0), (0.72, 90.0), (0.86, 72.0), (0.95, 44.0)],
    ankle: &[(0.0, 8.0), (0.12, 6.0), (0.50, 6.0), (0.61, 2.0), (0.73, 14.0), (0.86, 14.0), (0.95, 12.0)],
    ..STEP
};
