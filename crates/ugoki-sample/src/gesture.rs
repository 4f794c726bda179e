//! Gestures: minimum-jerk curves through authored postures, on top of quiet breathing.

use ugoki_base::skeleton::Side;

use super::minimum_jerk::Curve;
use super::pose::Stage;
use super::posture::{Arm, Posture, Torso};
use super::take::{Contact, FPS, Lowering, MARGIN, Moment, Part, too_high};

/// A breath takes about this long, seconds: 15 a minute, quiet breathing of adults.
const BREATH_S: f64 = 4.0;
/// The forearm follows the upper arm, and the hand the forearm, by this much, seconds: the order from the trunk
/// outwards that reaching and throwing show; small enough not to be seen as a pause.
const LAG_S: f64 = 0.025;

/// Gestures keep their knees at least this bent, degrees: unlocked.
const STRAIGHTEST_DEG: f64 = 4.5;

/// Postures and when they are reached.
pub(super) struct Gesture {
    keys: Vec<(f64, Posture, bool)>,
}

impl Gesture {
    /// Starts in the idle posture.
    pub(super) fn new() -> Self {
        Self { keys: vec![(0.0, Posture::idle(), true)] }
    }

    /// Comes to rest in `posture` after `seconds` more.
    pub(super) fn rest(self, seconds: f64, posture: Posture) -> Self {
        self.key(seconds, posture, true)
    }

    /// Passes through `posture` after `seconds` more.
    pub(super) fn via(self, seconds: f64, posture: Posture) -> Self {
        self.key(seconds, posture, false)
    }

    /// Stays as it is for `seconds`.
    pub(super) fn hold(self, seconds: f64) -> Self {
        let last = self.keys[self.keys.len() - 1].1;
        self.key(seconds, last, true)
    }

    fn key(mut self, seconds: f64, posture: Posture, stop: bool) -> Self {
        let time = self.keys[self.keys.len() - 1].0 + seconds;
        self.keys.push((time, posture, stop));
        self
    }

    /// The moments (with margins) and contacts; returns to the idle posture within `seconds` after the last key.
    pub(super) fn perform(self, seconds: f64) -> (Vec<Moment>, Vec<Contact>) {
        let gesture = self.rest(seconds, Posture::idle()).hold(4.0 * LAG_S);
        let end = gesture.keys[gesture.keys.len() - 1].0;
        let num_frames = (end * FPS).ceil() as usize + 1;
        let channels: Vec<Vec<f64>> = gesture.keys.iter().map(|(_, p, _)| p.to_channels()).collect();
        let curves: Vec<Curve> = (0..Posture::COUNT)
            .map(|i| {
                let points: Vec<_> =
                    gesture.keys.iter().zip(&channels).map(|(key, c)| (key.0, c[i], key.2)).collect();
                Curve::through(&points)
            })
            .collect();
        let lags = lags();
        let stage = Stage::default();
        let length = (num_frames - 1) as f64 / FPS;
        let mut moments: Vec<Moment> = (0..num_frames + 2 * MARGIN)
            .map(|frame| {
                let time = ((frame as f64 - MARGIN as f64) / FPS).clamp(0.0, length);
                let values = curves.iter().zip(&lags).map(|(curve, lag)| curve.at(time - lag));
                let mut posture = Posture::from_channels(values);
                breathe(&mut posture, time, length);
                let feet = [Side::Left, Side::Right];
                let feet = [stage.foot(feet[0], &posture.legs[0]), stage.foot(feet[1], &posture.legs[1])];
                Moment { posture, stage, feet }
            })
            .collect();
        let needed: Vec<f64> = moments
            .iter()
            .map(|m| too_high(&m.posture, &m.stage, m.feet.map(Some), STRAIGHTEST_DEG))
            .collect();
        let lowering = Lowering::new(&needed);
        for (frame, moment) in moments.iter_mut().enumerate() {
            moment.posture.torso.y -= lowering.at((frame as f64 - MARGIN as f64) / FPS);
        }
        let contacts = contacts(&moments[MARGIN..MARGIN + num_frames]);
        (moments, contacts)
    }
}

/// How far each channel runs behind, seconds.
fn lags() -> Vec<f64> {
    let arm =
        Arm { elbow: LAG_S, pronation: LAG_S, wrist: 2.0 * LAG_S, deviation: 2.0 * LAG_S, ..Arm::default() };
    let torso = Torso { nod: LAG_S, head_lean: LAG_S, head_turn: LAG_S, ..Torso::default() };
    Posture { torso, arms: [arm; 2], ..Posture::default() }.to_channels()
}

/// Adds a whole number of breaths and a small sway; nothing at the first and the last moment.
pub(super) fn breathe(posture: &mut Posture, time: f64, length: f64) {
    let breaths = (length / BREATH_S).round().max(1.0);
    let wave = |times: f64| 0.5 - 0.5 * (std::f64::consts::TAU * times * time / length).cos();
    let air = wave(breaths);
    posture.torso.bend -= 1.2 * air;
    posture.torso.nod += 0.6 * air;
    for arm in &mut posture.arms {
        arm.shrug += 1.0 * air;
        arm.abduction += 0.6 * air;
    }
}

/// Contacts of feet that the channels move: a part stands while it does not move.
fn contacts(moments: &[Moment]) -> Vec<Contact> {
    let mut contacts = Vec::new();
    for (i, side) in [Side::Left, Side::Right].into_iter().enumerate() {
        let down = |m: &Moment, part: Part| {
            let leg = &m.posture.legs[i];
            leg.free <= 0.0 && leg.step_y <= 1e-9 && (part == Part::Toe || leg.heel_lift <= 1e-9)
        };
        for part in [Part::Heel, Part::Toe] {
            let mut start = None;
            for frame in 0..=moments.len() {
                let now = moments.get(frame).is_some_and(|m| down(m, part));
                match (start, now) {
                    (None, true) => start = Some(frame),
                    (Some(first), false) => {
                        let (start_s, end_s) = (first as f64 / FPS, (frame - 1) as f64 / FPS);
                        contacts.push(Contact { side, part, start_s, end_s, ground: 0.0 });
                        start = None;
                    }
                    _ => {}
                }
            }
        }
    }
    contacts
}
