//! Everyday gestures, authored as postures and times. Angles in degrees, lengths in metres, times in seconds.
//!
//! Each starts and ends in the idle posture. The right hand and foot lead; mirrored clips lead with the left.

use super::gesture::Gesture;
use super::posture::{Arm, Posture};

/// Index of the side that leads, and of the other.
pub(super) const R: usize = 1;
pub(super) const L: usize = 0;

/// The idle posture, changed.
pub(super) fn idle_posture(edit: impl FnOnce(&mut Posture)) -> Posture {
    Posture::idle().with(edit)
}

/// Weight on the left leg: pelvis over the foot, its free side a little low, the trunk upright above.
pub(super) fn on_left_leg(p: &mut Posture, x: f64) {
    p.torso.x = x;
    p.torso.list += 25.0 * x;
    p.torso.lean += 40.0 * x;
}

/// Standing and breathing; the weight wanders once to either side. Loops.
pub(super) fn idle() -> (Gesture, f64) {
    let left = idle_posture(|p| {
        on_left_leg(p, 0.022);
        p.torso.head_turn = 4.0;
        p.torso.z = 0.004;
        p.arms[R].flexion += 2.0;
    });
    let right = idle_posture(|p| {
        on_left_leg(p, -0.020);
        p.torso.head_turn = -3.0;
        p.torso.nod += 2.0;
        p.torso.z = -0.004;
        p.arms[L].elbow += 3.0;
    });
    (Gesture::new().hold(0.6).rest(1.8, left).hold(0.7).rest(2.4, right).hold(0.6), 1.8)
}

/// Down to a deep squat and up again, arms forward for balance.
pub(super) fn squat() -> (Gesture, f64) {
    let down = idle_posture(|p| {
        (p.torso.y, p.torso.z) = (-0.40, -0.15);
        (p.torso.tilt, p.torso.bend, p.torso.gaze) = (30.0, 6.0, 0.75);
        for i in [L, R] {
            p.arms[i] = Arm {
                flexion: 116.0,
                abduction: 10.0,
                rotation: 10.0,
                elbow: 12.0,
                pronation: 70.0,
                ..Arm::default()
            };
            p.legs[i].knee_out = 12.0;
        }
    });
    (Gesture::new().rest(1.2, down).hold(0.25), 1.2)
}

/// The right hand up high, on tiptoe.
pub(super) fn reach_up() -> (Gesture, f64) {
    let up = idle_posture(|p| {
        (p.torso.y, p.torso.z, p.torso.x) = (0.040, 0.035, -0.015);
        (p.torso.tilt, p.torso.bend, p.torso.lean, p.torso.twist) = (0.0, -9.0, 6.0, 6.0);
        (p.torso.list, p.torso.nod, p.torso.head_turn) = (-4.0, -24.0, -8.0);
        p.arms[R] = Arm {
            shrug: 3.0,
            flexion: 158.0,
            abduction: 18.0,
            elbow: 8.0,
            pronation: 60.0,
            wrist: -8.0,
            ..Arm::default()
        };
        p.arms[L] = Arm { abduction: 18.0, flexion: -6.0, elbow: 20.0, ..p.arms[L] };
        p.legs[L].heel_lift = 22.0;
        p.legs[R].heel_lift = 26.0;
    });
    (Gesture::new().rest(1.1, up).hold(0.35), 1.1)
}

/// Turning round to the right to take something from behind, low down.
pub(super) fn reach_back_down() -> (Gesture, f64) {
    let back = idle_posture(|p| {
        (p.torso.x, p.torso.y, p.torso.z) = (-0.020, -0.34, -0.08);
        (p.torso.tilt, p.torso.turn, p.torso.list) = (14.0, -24.0, -6.0);
        (p.torso.bend, p.torso.lean, p.torso.twist) = (14.0, -24.0, -32.0);
        (p.torso.nod, p.torso.head_turn, p.torso.gaze) = (14.0, -38.0, 0.0);
        p.arms[R] = Arm {
            flexion: -22.0,
            abduction: 26.0,
            rotation: 5.0,
            elbow: 6.0,
            pronation: 40.0,
            wrist: 10.0,
            ..Arm::default()
        };
        p.arms[L] = Arm { flexion: 34.0, abduction: 20.0, rotation: 35.0, elbow: 50.0, ..p.arms[L] };
        p.legs[L].heel_lift = 14.0;
    });
    (Gesture::new().rest(1.1, back).hold(0.35), 1.15)
}

/// Waving with the right hand next to the head.
pub(super) fn wave() -> (Gesture, f64) {
    let up = |swing: f64| {
        idle_posture(|p| {
            (p.torso.lean, p.torso.x, p.torso.head_lean) = (3.0, -0.012, 5.0);
            (p.torso.twist, p.torso.gaze) = (-4.0, 0.9);
            p.arms[R] = Arm {
                flexion: 32.0,
                abduction: 52.0 + 0.15 * swing,
                rotation: -62.0 - 0.35 * swing,
                elbow: 112.0 - 0.7 * swing,
                pronation: 35.0,
                wrist: -4.0,
                deviation: 0.35 * swing,
                ..Arm::default()
            };
        })
    };
    let gesture = Gesture::new()
        .rest(0.75, up(0.0))
        .via(0.22, up(34.0))
        .via(0.32, up(-30.0))
        .via(0.32, up(34.0))
        .via(0.32, up(-30.0))
        .via(0.32, up(30.0))
        .rest(0.26, up(0.0));
    (gesture, 0.85)
}

/// The right hand laid on the heart, the head a little bowed.
pub(super) fn hand_on_heart() -> (Gesture, f64) {
    let heart = idle_posture(|p| {
        (p.torso.bend, p.torso.nod, p.torso.head_lean) = (2.0, 12.0, 4.0);
        (p.torso.twist, p.torso.gaze, p.torso.z) = (3.0, 0.3, 0.005);
        p.arms[R] = Arm {
            flexion: 20.0,
            abduction: 12.0,
            rotation: 66.0,
            elbow: 124.0,
            pronation: -20.0,
            wrist: 8.0,
            protract: 4.0,
            ..Arm::default()
        };
    });
    (Gesture::new().rest(0.95, heart).hold(0.8), 0.95)
}

/// Pointing at the one in front.
pub(super) fn point_at_you() -> (Gesture, f64) {
    let draw = idle_posture(|p| {
        (p.torso.turn, p.torso.twist, p.torso.gaze) = (-4.0, -8.0, 0.95);
        p.arms[R] = Arm {
            flexion: 22.0,
            abduction: 16.0,
            rotation: 20.0,
            elbow: 95.0,
            pronation: 25.0,
            ..Arm::default()
        };
    });
    let point = idle_posture(|p| {
        (p.torso.turn, p.torso.twist, p.torso.bend) = (6.0, 10.0, 5.0);
        (p.torso.z, p.torso.x, p.torso.gaze) = (0.030, 0.008, 0.95);
        p.arms[R] = Arm {
            flexion: 92.0,
            abduction: 4.0,
            rotation: 15.0,
            elbow: 8.0,
            pronation: 55.0,
            wrist: 2.0,
            protract: 6.0,
            ..Arm::default()
        };
        p.arms[L].elbow = 20.0;
    });
    (Gesture::new().via(0.50, draw).rest(0.42, point).hold(0.55), 0.95)
}

/// Both arms opened wide, palms up: welcome.
pub(super) fn open_arms() -> (Gesture, f64) {
    let open = idle_posture(|p| {
        (p.torso.bend, p.torso.nod, p.torso.z) = (-7.0, -3.0, 0.012);
        for i in [L, R] {
            p.arms[i] = Arm {
                flexion: 34.0,
                abduction: 62.0,
                rotation: -32.0,
                elbow: 28.0,
                pronation: -40.0,
                protract: -6.0,
                wrist: -10.0,
                ..Arm::default()
            };
        }
    });
    let gather = idle_posture(|p| {
        p.torso.bend = 2.0;
        for i in [L, R] {
            p.arms[i] = Arm {
                flexion: 36.0,
                abduction: 16.0,
                rotation: 32.0,
                elbow: 70.0,
                pronation: 10.0,
                ..Arm::default()
            };
        }
    });
    (Gesture::new().via(0.55, gather).rest(0.75, open).hold(0.6), 1.05)
}

/// Six claps before the chest.
pub(super) fn clap() -> (Gesture, f64) {
    let hands = |rotation: f64, abduction: f64, wrist: f64, nod: f64| {
        idle_posture(|p| {
            (p.torso.bend, p.torso.nod) = (1.0 + 0.3 * nod, 3.0 + nod);
            for i in [L, R] {
                p.arms[i] = Arm {
                    flexion: 38.0,
                    abduction,
                    rotation,
                    elbow: 84.0,
                    pronation: 4.0,
                    wrist,
                    ..Arm::default()
                };
            }
        })
    };
    let (apart, together) = (hands(8.0, 10.0, 0.0, 0.0), hands(CLAP_ROTATION, -6.0, -20.0, 2.0));
    let mut gesture = Gesture::new().rest(0.75, apart);
    for i in 0..6 {
        gesture = gesture.via(0.17, together);
        gesture = if i < 5 { gesture.via(0.19, apart) } else { gesture.rest(0.24, apart) };
    }
    (gesture, 0.85)
}

/// Inward rotation of both upper arms at which the palms meet, degrees; checked by a test.
const CLAP_ROTATION: f64 = 35.0;

/// A formal bow from the hips, hands sliding down the thighs.
pub(super) fn bow() -> (Gesture, f64) {
    let bowed = idle_posture(|p| {
        (p.torso.tilt, p.torso.bend, p.torso.z, p.torso.y) = (32.0, 16.0, -0.075, -0.008);
        (p.torso.nod, p.torso.gaze) = (8.0, 0.0);
        for i in [L, R] {
            p.arms[i] = Arm {
                flexion: 34.0,
                abduction: 6.0,
                rotation: 24.0,
                elbow: 16.0,
                pronation: 45.0,
                ..Arm::default()
            };
        }
    });
    (Gesture::new().rest(1.0, bowed).hold(0.6), 1.15)
}

/// Rocking from foot to foot as if to slow music.
pub(super) fn sway() -> (Gesture, f64) {
    let to = |x: f64| {
        idle_posture(|p| {
            on_left_leg(p, x);
            let side = x / 0.062;
            (p.torso.turn, p.torso.twist, p.torso.y) = (5.0 * side, 4.0 * side, -0.014);
            (p.torso.head_lean, p.torso.lean) = (4.0 * side, p.torso.lean + 3.0 * side);
            for (i, s) in [(L, 1.0), (R, -1.0)] {
                p.arms[i].flexion += 9.0 * side * s;
                p.arms[i].abduction += 5.0 + 5.0 * side * s;
                p.arms[i].elbow = 30.0;
                let loose = (-side * s).max(0.0);
                p.legs[i].heel_lift = 9.0 * loose;
            }
        })
    };
    let gesture = Gesture::new()
        .via(0.90, to(0.062))
        .via(0.95, to(-0.062))
        .via(0.95, to(0.062))
        .via(0.95, to(-0.062))
        .via(0.95, to(0.050));
    (gesture, 1.0)
}

/// Nodding yes, three times, each smaller.
pub(super) fn nod() -> (Gesture, f64) {
    let to = |nod: f64| {
        idle_posture(|p| {
            p.torso.nod = 3.0 + nod;
            p.torso.bend = -1.0 + 0.12 * nod;
            p.torso.z = 0.0002 * nod;
        })
    };
    let gesture = Gesture::new()
        .via(0.32, to(-4.0))
        .via(0.28, to(20.0))
        .via(0.28, to(-1.0))
        .via(0.27, to(16.0))
        .via(0.27, to(0.0))
        .via(0.27, to(10.0));
    (gesture, 0.55)
}
