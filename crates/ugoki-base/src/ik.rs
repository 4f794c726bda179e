//! The two-bone solve: bends and aims a leg or arm so that its end reaches a point.
//!
//! Cosine rule for the middle joint, then one rotation of the whole limb. The limb stays in the plane
//! it is bent in; a straight limb bends towards `pole`.

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec3};

/// How the two joints of a limb must turn, and what is still missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoBone {
    /// World rotation to put before the upper joint's world rotation.
    pub upper: Quat,
    /// World rotation to put before the lower joint's world rotation; includes the upper one.
    pub lower: Quat,
    /// Distance from the end to the target that length alone leaves, metres; 0 within reach.
    pub miss: f32,
}

/// Lengths under this, metres, have no direction to turn.
const TINY: f32 = 1e-6;

/// Bends smaller than this, radians, have no plane: 0.06°.
const MIN_BEND: f32 = 1e-3;

/// Turns the limb `upper`–`middle`–`end` (world positions) so that `end` comes to `target`.
///
/// The bend stays in the limb's own plane and on its side; `pole` is a world direction towards which a
/// straight limb's middle goes. Out of reach, the limb extends straight towards the target and `miss` says
/// how far it stays off. Apply as `world' = upper * world` for the upper joint, `lower * world` for the lower.
#[must_use]
pub fn solve_two_bone(upper: Vec3, middle: Vec3, end: Vec3, target: Vec3, pole: Vec3) -> TwoBone {
    let (a, b) = (middle - upper, end - middle);
    solve(upper, a, b, target, bend_axis(a, b, pole))
}

/// As [`solve_two_bone`], but what the limb must bend beyond its own bend it bends as a hinge that sends its middle
/// towards `pole`, whatever its own plane: a knee captured a few degrees off to the side or back bends forward when a
/// step needs it bent.
///
/// Of rotation vectors the bend is the own one and, towards the pole, what comes to it. Where the own one is towards
/// the pole, or to the side, that is their sum. A limb bent away from the pole would jump where the two cancel; its
/// plane turns as that of a limb bent to the side does, by as many times the angle. So the middle follows the target
/// without a jump, whatever side it starts on. A limb bent straight away from `pole` has two ways round: where frames
/// follow each other, limbs are brought to one side first (`feet::Knees`).
#[must_use]
pub fn solve_hinge(upper: Vec3, middle: Vec3, end: Vec3, target: Vec3, pole: Vec3) -> TwoBone {
    let (a, b) = (middle - upper, end - middle);
    let (len_a, len_b) = (a.length(), b.length());
    let towards = pole.cross(a);
    if len_a < TINY || len_b < TINY || towards.length() < TINY {
        return solve_two_bone(upper, middle, end, target, pole);
    }
    let distance = (target - upper).length().clamp((len_a - len_b).abs(), len_a + len_b);
    let cosine = (distance * distance - len_a * len_a - len_b * len_b) / (2.0 * len_a * len_b);
    let own = a.cross(b);
    let (bent, wanted) = (own.length().atan2(a.dot(b)), cosine.clamp(-1.0, 1.0).acos());
    if bent < MIN_BEND {
        return solve(upper, a, b, target, bend_axis(a, b, pole));
    }
    let towards = towards.normalize();
    // Own axis and hinge are both across the first bone.
    let along = a / len_a;
    let angle = along.dot(towards.cross(own)).atan2(towards.dot(own));
    let ratio = bent / wanted.max(bent);
    let aside = angle.abs().clamp(TINY, FRAC_PI_2);
    let turned = (ratio * aside.sin()).atan2(ratio * aside.cos() + 1.0 - ratio);
    solve(upper, a, b, target, Quat::from_axis_angle(along, angle / aside * turned) * towards)
}

/// How a limb bent away from `pole` must turn to be bent as much towards it, with its end in the same place, or a
/// `fraction` of the way round to there; `None` when it is bent towards it. Straight limbs are the limit of both, so a
/// limb that passes through straight does not jump. A limb bent nearly straight away goes round to the left of its line
/// to the pole, or to the right where `outward` is negative.
#[must_use]
pub fn turn_towards(
    upper: Vec3,
    middle: Vec3,
    end: Vec3,
    pole: Vec3,
    fraction: f32,
    outward: f32,
) -> Option<TwoBone> {
    let (a, b) = (middle - upper, end - middle);
    let towards = pole.cross(a).try_normalize()?;
    let own = a.cross(b);
    let back = own.dot(towards);
    if back >= 0.0 || own.length() < TINY * TINY {
        return None;
    }
    let bend = (own - towards * (2.0 * back)).try_normalize()?;
    if fraction >= 1.0 {
        return Some(solve(upper, a, b, end, bend));
    }
    let (line, own) = ((end - upper).try_normalize()?, own.normalize());
    let mut way = line.dot(own.cross(bend)).atan2(own.dot(bend));
    // More than a right angle to go: both ways are long, and the same one is taken in every frame.
    if way.abs() > FRAC_PI_2 && way * outward < 0.0 {
        way += outward * std::f32::consts::TAU;
    }
    Some(solve(upper, a, b, end, Quat::from_axis_angle(line, fraction * way) * own))
}

fn solve(upper: Vec3, a: Vec3, b: Vec3, target: Vec3, bend: Vec3) -> TwoBone {
    let end = upper + a + b;
    let (len_a, len_b) = (a.length(), b.length());
    let reach = target - upper;
    if len_a < TINY || len_b < TINY || reach.length() < TINY {
        let miss = (end - target).length();
        return TwoBone { upper: Quat::IDENTITY, lower: Quat::IDENTITY, miss };
    }
    let wanted = reach.length();
    let distance = wanted.clamp((len_a - len_b).abs(), len_a + len_b);

    // Interior angle at the upper joint between the limb's first bone and the line to the end.
    let cosine =
        ((len_a * len_a + distance * distance - len_b * len_b) / (2.0 * len_a * distance)).clamp(-1.0, 1.0);
    let aim = reach / wanted;
    // The plane of bending, carried along by the shortest rotation from the old line to the new one.
    let old_line = end - upper;
    let carry = if old_line.length() > TINY {
        Quat::from_rotation_arc(old_line.normalize(), aim)
    } else {
        Quat::IDENTITY
    };
    let axis = {
        let carried = carry * bend;
        let across = carried - aim * carried.dot(aim);
        if across.length() > TINY { across.normalize() } else { aim.any_orthonormal_vector() }
    };
    // `axis` turns the first bone onto the second, so the first lies behind the line by this angle.
    let first = Quat::from_axis_angle(axis, -cosine.acos()) * aim;
    let second = (aim * distance - first * len_a).normalize_or(first);
    TwoBone {
        upper: frame_rotation(a, bend, first, axis),
        lower: frame_rotation(b, bend, second, axis),
        miss: (wanted - distance).abs(),
    }
}

/// Bends, as sines, between which a limb's own plane takes over from the pole: 1° and 3.5°. Straighter limbs have
/// a plane of noise, and one hair past straight would fold the wrong way.
const OWN_PLANE: [f32; 2] = [0.017, 0.06];

/// Unit axis that turns `a` onto `b`; for a straight limb, the one that sends the middle towards `pole`.
fn bend_axis(a: Vec3, b: Vec3, pole: Vec3) -> Vec3 {
    let bent = a.cross(b) / (a.length() * b.length());
    let own = ((bent.length() - OWN_PLANE[0]) / (OWN_PLANE[1] - OWN_PLANE[0])).clamp(0.0, 1.0);
    let towards = pole.cross(a);
    if own == 1.0 || (towards.length() <= TINY && bent.length() > 1e-3) {
        return bent.normalize();
    }
    let hinge = if towards.length() > TINY { towards.normalize() } else { a.any_orthonormal_vector() };
    let own = own * own * (3.0 - 2.0 * own);
    (hinge * (1.0 - own) + bent.normalize_or_zero() * own).normalize_or(hinge)
}

/// Rotation that takes direction `from` to unit `to` and axis `axis_from` to `axis_to`.
fn frame_rotation(from: Vec3, axis_from: Vec3, to: Vec3, axis_to: Vec3) -> Quat {
    let frame = |direction: Vec3, axis: Vec3| {
        let x = direction.normalize();
        let z = (axis - x * axis.dot(x)).normalize_or(x.any_orthonormal_vector());
        glam::Mat3::from_cols(x, z.cross(x), z)
    };
    Quat::from_mat3(&(frame(to, axis_to) * frame(from, axis_from).transpose())).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f32::consts::PI;

    fn point() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0..1.0_f32).prop_map(Vec3::from_array)
    }

    fn apply(upper: Vec3, middle: Vec3, end: Vec3, solved: &TwoBone) -> (Vec3, Vec3) {
        let new_middle = upper + solved.upper * (middle - upper);
        (new_middle, new_middle + solved.lower * (end - middle))
    }

    proptest! {
        #[test]
        fn the_end_reaches_or_misses_by_what_is_said(u in point(), m in point(), e in point(), t in point(), pole in point()) {
            prop_assume!((m - u).length() > 0.05 && (e - m).length() > 0.05 && (t - u).length() > 0.05);
            let solved = solve_two_bone(u, m, e, t, pole);
            let (_, end) = apply(u, m, e, &solved);
            // 1e-4 m: f32 through an arc cosine near a straight limb.
            prop_assert!(((end - t).length() - solved.miss).abs() < 2e-4, "off by {}, said {}", (end - t).length(), solved.miss);
        }

        #[test]
        fn a_hinge_reaches_and_stays_where_it_is(u in point(), m in point(), e in point(), t in point(), pole in point()) {
            let bend = (m - u).cross(e - m).length() / ((m - u).length() * (e - m).length());
            prop_assume!(bend > 0.06 && (m - u).length() > 0.05 && (e - m).length() > 0.05 && (t - u).length() > 0.05 && (e - u).length() > 0.05);
            let solved = solve_hinge(u, m, e, t, pole);
            let (_, end) = apply(u, m, e, &solved);
            prop_assert!(((end - t).length() - solved.miss).abs() < 2e-4);
            let still = solve_hinge(u, m, e, e, pole);
            let (middle, end) = apply(u, m, e, &still);
            // 1e-3: a bend read by arc cosine may be off by that much in f32.
            prop_assert!((middle - m).length() < 1e-3 && (end - e).length() < 1e-3, "{middle} {m}");
        }

        #[test]
        fn a_hinge_bent_back_a_little_bends_forward_when_it_must(back in 0.0..0.1_f32, side in -0.1..0.1_f32, up in 0.3..0.8_f32) {
            // A leg along −Y, its knee captured up to 5° back and aside; Z is forward.
            let (u, m, e) = (Vec3::ZERO, Vec3::new(0.05 * side, -0.5, -0.05 * back), Vec3::new(0.0, -1.0, 0.0));
            let solved = solve_hinge(u, m, e, Vec3::new(0.0, -up, 0.0), Vec3::Z);
            let (middle, _) = apply(u, m, e, &solved);
            prop_assert!(middle.z > 0.2, "{middle}");
        }

        /// The end stays, the middle goes to the pole's side, and the nearer to straight the less it moves.
        #[test]
        fn a_knee_bent_back_is_turned_to_the_front(back in -0.3..0.3_f32, side in -0.1..0.1_f32) {
            let (u, e) = (Vec3::Y, Vec3::ZERO);
            let m = Vec3::new(0.25 * side, 0.5, -0.25 * back);
            let turned = turn_towards(u, m, e, Vec3::Z, 1.0, 1.0);
            prop_assert!(turned.is_none() || back > 0.0);
            let (middle, end) = turned.map_or((m, e), |turned| apply(u, m, e, &turned));
            prop_assert!((end - e).length() < 1e-4 && middle.z > -1e-3, "{middle} {end}");
            prop_assert!((middle - m).length() < 0.5 * back.max(0.0) + 1e-3, "{middle} from {m}");
        }

        /// However far and to whichever side a limb is bent, its middle follows the target: by at most what the
        /// target's way and the change of the bend account for.
        #[test]
        fn the_middle_of_a_hinge_follows_its_target(
            side in prop_oneof![-PI..PI, Just(PI), 3.0..PI, -PI..-3.0], bent in 0.01..0.6_f32, aside in -0.3..0.3_f32,
        ) {
            const STEPS: u16 = 400;
            let (a, b) = (0.43, 0.42);
            // Along −Y, bent by `bent` with its middle towards `side` from Z.
            let offset = Vec3::new(side.sin(), 0.0, side.cos());
            let length = |bend: f32| (a * a + b * b + 2.0 * a * b * bend.cos()).sqrt();
            let reach = length(bent);
            let back = (a * a + reach * reach - b * b) / (2.0 * reach);
            let (u, e) = (Vec3::ZERO, Vec3::NEG_Y * reach);
            let m = Vec3::NEG_Y * back + offset * (a * a - back * back).max(0.0).sqrt();
            let mut before: Option<(f32, Vec3)> = None;
            for step in 0..=STEPS {
                let wanted = bent * (0.5 + 4.0 * f32::from(step) / f32::from(STEPS));
                let turn = aside * f32::from(step) / f32::from(STEPS);
                let target = Vec3::new(turn.sin(), -turn.cos(), 0.0) * length(wanted);
                let (middle, end) = apply(u, m, e, &solve_hinge(u, m, e, target, Vec3::Z));
                prop_assert!((end - target).length() < 2e-4);
                if let Some((wanted_before, middle_before)) = before {
                    // The radius of the middle's circle is at most a·bend and goes with it; the plane turns by at most
                    // 4·Δbend/bend.
                    let bound = a * (1.0 + std::f32::consts::TAU) * (wanted - wanted_before) + a * aside.abs() / f32::from(STEPS) + 3e-3;
                    let moved = (middle - middle_before).length();
                    prop_assert!(moved < bound, "{} m at a bend of {}, at most {}", moved, wanted, bound);
                }
                before = Some((wanted, middle));
            }
        }

        /// A limb turned to the pole's side in small fractions moves there without a jump, its end in place.
        #[test]
        fn a_limb_goes_round_to_the_pole_step_by_step(back in 0.02..0.2_f32, side in -0.02..0.02_f32, outward in prop::sample::select(vec![-1.0_f32, 1.0])) {
            let (u, e) = (Vec3::Y, Vec3::ZERO);
            let m = Vec3::new(0.25 * side, 0.5, -0.25 * back);
            let mut before = m;
            for step in 0..=20_u8 {
                let turned = turn_towards(u, m, e, Vec3::Z, f32::from(step) / 20.0, outward).expect("it is bent back");
                let (middle, end) = apply(u, m, e, &turned);
                prop_assert!((end - e).length() < 1e-4);
                prop_assert!((middle - before).length() < 0.25 * (back + side.abs()) * 0.4 + 1e-3, "{} {}", middle, before);
                // To the left of its line, seen to the pole: the outer side of a left leg.
                prop_assert!(step != 10 || middle.x * outward > 0.0, "{} {}", middle, outward);
                before = middle;
            }
            prop_assert!(before.z > 0.0);
        }

        #[test]
        fn a_limb_already_there_does_not_move(u in point(), m in point(), e in point(), pole in point()) {
            let bend = (m - u).cross(e - m).length() / ((m - u).length() * (e - m).length());
            prop_assume!(bend > 0.06 && (m - u).cross(e - m).length() > 0.02 && (e - u).length() > 0.05);
            let (middle, end) = apply(u, m, e, &solve_two_bone(u, m, e, e, pole));
            prop_assert!((middle - m).length() < 1e-3 && (end - e).length() < 1e-3);
        }
    }

    #[test]
    fn a_knee_a_hair_past_straight_folds_forward() {
        let (hip, ankle) = (Vec3::Y, Vec3::ZERO);
        for knee in [Vec3::new(0.0, 0.5, -0.003), Vec3::new(0.0, 0.5, 0.003)] {
            let (middle, end) = {
                let solved = solve_two_bone(hip, knee, ankle, Vec3::Y * 0.05, Vec3::Z);
                apply(hip, knee, ankle, &solved)
            };
            assert!((end - Vec3::Y * 0.05).length() < 1e-4 && middle.z > 0.1, "{middle} {end}");
        }
    }

    #[test]
    fn a_straight_leg_bends_its_knee_towards_the_pole() {
        let (hip, knee, ankle) = (Vec3::Y, Vec3::Y * 0.5, Vec3::ZERO);
        let solved = solve_two_bone(hip, knee, ankle, Vec3::Y * 0.2, Vec3::Z);
        let (middle, end) = apply(hip, knee, ankle, &solved);
        assert!((end - Vec3::Y * 0.2).length() < 1e-5);
        assert!(middle.z > 0.2 && middle.x.abs() < 1e-6, "{middle}");
    }
}
