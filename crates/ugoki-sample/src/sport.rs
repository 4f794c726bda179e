//! Throwing, kicking and striking, authored as postures and times, like the everyday gestures.

use super::gesture::Gesture;
use super::gestures::{L, R, idle_posture, on_left_leg};
use super::posture::{Arm, Leg, Posture};

/// A free foot's stance place rises by this much, metres, so that its toes do not scrape while it leaves and lands.
const FREE_LIFT: f64 = 0.05;

/// A pitch: wind-up, stride, arm cocking, release, follow-through, and back.
pub(super) fn throw() -> (Gesture, f64) {
    let windup = idle_posture(|p| {
        (p.torso.x, p.torso.z) = (-0.080, -0.02);
        (p.torso.turn, p.torso.twist, p.torso.list) = (-28.0, -22.0, 4.0);
        (p.torso.bend, p.torso.gaze) = (4.0, 0.9);
        p.arms[R] = Arm {
            flexion: 45.0,
            abduction: 22.0,
            rotation: 50.0,
            elbow: 108.0,
            pronation: 40.0,
            ..Arm::default()
        };
        p.arms[L] = Arm {
            flexion: 52.0,
            abduction: 12.0,
            rotation: 45.0,
            elbow: 105.0,
            pronation: 40.0,
            ..Arm::default()
        };
        p.legs[L] = Leg {
            free: 1.0,
            step_y: FREE_LIFT,
            hip: 78.0,
            abduction: -4.0,
            rotation: 4.0,
            knee: 86.0,
            ankle: 8.0,
            ..Leg::default()
        };
    });
    let stride = idle_posture(|p| {
        (p.torso.x, p.torso.y, p.torso.z) = (-0.030, -0.080, 0.16);
        (p.torso.turn, p.torso.twist) = (-32.0, -20.0);
        (p.torso.lean, p.torso.gaze) = (-5.0, 0.95);
        p.arms[R] = Arm {
            flexion: -10.0,
            abduction: 70.0,
            rotation: -10.0,
            elbow: 75.0,
            pronation: 60.0,
            ..Arm::default()
        };
        p.arms[L] = Arm {
            flexion: 55.0,
            abduction: 50.0,
            rotation: 25.0,
            elbow: 35.0,
            pronation: 60.0,
            ..Arm::default()
        };
        p.legs[L] = Leg { step_z: 0.40, step_y: 0.07, toe_out: -7.0, ..Leg::default() };
        p.legs[R] = Leg { heel_lift: 6.0, ..Leg::default() };
    });
    let landed = |p: &mut Posture| p.legs[L] = Leg { step_z: 0.52, toe_out: -7.0, ..Leg::default() };
    let cocked = idle_posture(|p| {
        (p.torso.x, p.torso.y, p.torso.z) = (0.010, -0.125, 0.27);
        (p.torso.turn, p.torso.twist, p.torso.bend) = (-8.0, -26.0, -10.0);
        (p.torso.gaze, p.torso.lean) = (0.95, 2.0);
        p.arms[R] = Arm {
            flexion: 5.0,
            abduction: 88.0,
            rotation: -78.0,
            elbow: 95.0,
            pronation: 40.0,
            ..Arm::default()
        };
        p.arms[L] = Arm {
            flexion: 60.0,
            abduction: 35.0,
            rotation: 25.0,
            elbow: 40.0,
            pronation: 50.0,
            ..Arm::default()
        };
        landed(p);
        p.legs[R] = Leg { heel_lift: 22.0, ..Leg::default() };
    });
    let release = idle_posture(|p| {
        (p.torso.x, p.torso.y, p.torso.z) = (0.030, -0.135, 0.34);
        (p.torso.turn, p.torso.twist, p.torso.bend, p.torso.tilt) = (16.0, 14.0, 14.0, 12.0);
        (p.torso.lean, p.torso.gaze) = (12.0, 0.8);
        p.arms[R] = Arm {
            flexion: 72.0,
            abduction: 78.0,
            rotation: -12.0,
            elbow: 30.0,
            pronation: 60.0,
            wrist: -5.0,
            ..Arm::default()
        };
        p.arms[L] = Arm {
            flexion: 25.0,
            abduction: 22.0,
            rotation: 30.0,
            elbow: 85.0,
            pronation: 40.0,
            ..Arm::default()
        };
        landed(p);
        p.legs[R] = Leg { heel_lift: 46.0, ..Leg::default() };
    });
    let follow = idle_posture(|p| {
        (p.torso.x, p.torso.y, p.torso.z) = (0.050, -0.150, 0.36);
        (p.torso.turn, p.torso.twist, p.torso.bend, p.torso.tilt) = (24.0, 26.0, 20.0, 16.0);
        (p.torso.lean, p.torso.gaze) = (6.0, 0.7);
        p.arms[R] = Arm {
            flexion: 48.0,
            abduction: -26.0,
            rotation: 40.0,
            elbow: 28.0,
            pronation: 70.0,
            wrist: 15.0,
            ..Arm::default()
        };
        p.arms[L] = Arm {
            flexion: -14.0,
            abduction: 24.0,
            rotation: 20.0,
            elbow: 70.0,
            pronation: 30.0,
            ..Arm::default()
        };
        landed(p);
        p.legs[R] = Leg { heel_lift: 50.0, ..Leg::default() };
    });
    let recover = idle_posture(|p| {
        (p.torso.x, p.torso.y, p.torso.z) = (-0.070, -0.05, 0.06);
        (p.torso.turn, p.torso.twist) = (0.0, 4.0);
        p.arms[R].elbow = 30.0;
        p.arms[L].elbow = 30.0;
        p.legs[L] = Leg { step_z: 0.22, step_y: 0.06, toe_out: -3.0, ..Leg::default() };
    });
    let gesture = Gesture::new()
        .hold(0.30)
        .rest(0.85, windup)
        .via(0.46, stride)
        .via(0.18, cocked)
        .via(0.12, release)
        .rest(0.34, follow)
        .hold(0.15)
        .via(0.55, recover);
    (gesture, 0.60)
}

/// Fists before the chest, elbows in: the guard of kicks and punches.
fn guard(p: &mut Posture) {
    for i in [L, R] {
        p.arms[i] = Arm {
            flexion: 38.0,
            abduction: 14.0,
            rotation: 18.0,
            elbow: 112.0,
            pronation: 10.0,
            ..Arm::default()
        };
    }
    p.arms[L].flexion = 50.0;
    p.torso.nod = 6.0;
}

/// A front kick with the right leg: chamber, kick, chamber, down.
pub(super) fn front_kick() -> (Gesture, f64) {
    let ready = |p: &mut Posture| {
        guard(p);
        on_left_leg(p, 0.088);
        p.torso.y = -0.016;
    };
    let shift = idle_posture(|p| {
        guard(p);
        on_left_leg(p, 0.070);
        p.torso.y = -0.014;
    });
    let chamber = |hip: f64, knee: f64| {
        idle_posture(|p| {
            ready(p);
            (p.torso.tilt, p.torso.bend, p.torso.turn) = (-4.0, 6.0, 6.0);
            p.legs[R] = Leg {
                free: 1.0,
                step_y: FREE_LIFT,
                hip,
                abduction: 2.0,
                knee,
                ankle: 18.0,
                ..Leg::default()
            };
        })
    };
    let kick = idle_posture(|p| {
        ready(p);
        (p.torso.tilt, p.torso.bend, p.torso.turn, p.torso.z) = (-14.0, 4.0, 16.0, -0.02);
        p.legs[R] = Leg {
            free: 1.0,
            step_y: FREE_LIFT,
            hip: 92.0,
            abduction: 0.0,
            knee: 9.0,
            ankle: -30.0,
            ..Leg::default()
        };
        p.arms[R].flexion = 15.0;
        p.arms[R].elbow = 85.0;
        p.arms[L].flexion = 58.0;
    });
    let gesture = Gesture::new()
        .rest(0.65, shift)
        .via(0.34, chamber(88.0, 98.0))
        .via(0.19, kick)
        .via(0.21, chamber(76.0, 84.0))
        .rest(0.50, shift);
    (gesture, 0.75)
}

/// A side kick with the right leg: the trunk leans away, the edge of the foot leads.
pub(super) fn side_kick() -> (Gesture, f64) {
    let shift = idle_posture(|p| {
        guard(p);
        on_left_leg(p, 0.075);
        p.torso.y = -0.016;
        p.torso.head_turn = -35.0;
    });
    let chamber = idle_posture(|p| {
        guard(p);
        on_left_leg(p, 0.098);
        (p.torso.y, p.torso.list, p.torso.lean, p.torso.head_turn) = (-0.020, -10.0, 4.0, -55.0);
        p.legs[R] = Leg {
            free: 1.0,
            step_y: FREE_LIFT,
            hip: 76.0,
            abduction: 20.0,
            rotation: 12.0,
            knee: 80.0,
            ankle: 18.0,
            ..Leg::default()
        };
    });
    let kick = idle_posture(|p| {
        guard(p);
        (p.torso.x, p.torso.y) = (0.115, -0.024);
        (p.torso.list, p.torso.lean, p.torso.turn, p.torso.head_turn) = (-30.0, 10.0, 6.0, -54.0);
        (p.torso.gaze, p.torso.tilt) = (0.3, 8.0);
        p.legs[R] = Leg {
            free: 1.0,
            step_y: FREE_LIFT,
            hip: 15.0,
            abduction: 42.0,
            rotation: 26.0,
            knee: 8.0,
            ankle: 12.0,
            ..Leg::default()
        };
        p.arms[R] = Arm {
            flexion: 10.0,
            abduction: 28.0,
            rotation: 20.0,
            elbow: 70.0,
            pronation: 20.0,
            ..Arm::default()
        };
    });
    let gesture = Gesture::new()
        .rest(0.65, shift)
        .via(0.36, chamber)
        .via(0.21, kick)
        .via(0.24, chamber)
        .rest(0.52, shift);
    (gesture, 0.75)
}

/// A straight punch with the right fist, driven by hip and shoulder.
pub(super) fn punch() -> (Gesture, f64) {
    let ready = idle_posture(|p| {
        guard(p);
        (p.torso.y, p.torso.turn, p.torso.twist, p.torso.z) = (-0.035, -8.0, -8.0, -0.01);
        p.torso.gaze = 0.95;
    });
    let strike = idle_posture(|p| {
        guard(p);
        (p.torso.y, p.torso.z, p.torso.x) = (-0.045, 0.050, 0.020);
        (p.torso.turn, p.torso.twist, p.torso.tilt, p.torso.bend) = (18.0, 20.0, 6.0, 2.0);
        p.torso.gaze = 0.95;
        p.arms[R] = Arm {
            shrug: 4.0,
            protract: 12.0,
            flexion: 84.0,
            abduction: 4.0,
            rotation: 35.0,
            elbow: 8.0,
            pronation: 65.0,
            ..Arm::default()
        };
        p.legs[R].heel_lift = 20.0;
    });
    let gesture = Gesture::new().rest(0.65, ready).rest(0.30, strike).hold(0.06).rest(0.42, ready);
    (gesture, 0.75)
}

/// A knife-hand: the right hand drawn to the left ear, then cut outward with its edge.
pub(super) fn knife_hand() -> (Gesture, f64) {
    let drawn = idle_posture(|p| {
        (p.torso.turn, p.torso.twist, p.torso.gaze) = (10.0, 18.0, 0.95);
        (p.torso.y, p.torso.x) = (-0.025, 0.015);
        p.arms[R] = Arm {
            flexion: 66.0,
            abduction: -14.0,
            rotation: 38.0,
            elbow: 128.0,
            pronation: -30.0,
            ..Arm::default()
        };
        p.arms[L] = Arm {
            flexion: 40.0,
            abduction: 10.0,
            rotation: 40.0,
            elbow: 60.0,
            pronation: 50.0,
            ..Arm::default()
        };
    });
    let cut = idle_posture(|p| {
        (p.torso.turn, p.torso.twist, p.torso.gaze) = (-10.0, -20.0, 0.95);
        (p.torso.y, p.torso.x) = (-0.040, -0.025);
        p.arms[R] = Arm {
            flexion: 58.0,
            abduction: 44.0,
            rotation: 15.0,
            elbow: 34.0,
            pronation: 72.0,
            deviation: -14.0,
            ..Arm::default()
        };
        p.arms[L] = Arm {
            flexion: 8.0,
            abduction: 14.0,
            rotation: 30.0,
            elbow: 100.0,
            pronation: -20.0,
            ..Arm::default()
        };
    });
    (Gesture::new().rest(0.75, drawn).rest(0.36, cut).hold(0.25), 0.85)
}
