//! The skeleton: constant lengths from medians over all frames, standing in T-pose.

use std::sync::Arc;

use glam::DVec3;

use super::centres::{Arm, Centres, Leg};
use super::frame::{Path, distance, frame_xy, median_point};
use crate::skeleton::{Joint, Role, Side, Skeleton};

/// Heights as fractions of stature, as the sample actor and VRM's T-pose have them: hip joints at 0.530, the spine's
/// lowest joint at 0.588, the chest's at 0.659, the base of the neck at 0.842, the crown 0.110 above the skull's base.
const SPINE_ABOVE_HIPS: f64 = 0.588 - 0.530;
/// Fraction of the way from the spine's lowest joint to the neck that is chest.
pub(super) const CHEST_FRACTION: f64 = (0.842 - 0.659) / (0.842 - 0.588);
const CROWN: f64 = 0.110;
/// Ankle joint above the sole \[winter2009, fig. 4.1\].
const ANKLE_HEIGHT: f64 = 0.039;
/// Centre of the ball of the foot above the sole, metres.
const BALL_HEIGHT_M: f64 = 0.018;
/// Forearm, hand and foot as fractions of stature \[winter2009, fig. 4.1\], for what no marker shows.
const FOREARM: f64 = 0.146;
const HAND: f64 = 0.108;
const FOOT: f64 = 0.152;
/// Where the collar bone starts, as a fraction of the way from the chest's middle to the shoulder joint.
const COLLAR_FRACTION: f64 = 0.15;

/// Roles of one side's limbs.
pub(super) struct SideRoles {
    pub shoulder: Role,
    pub upper_arm: Role,
    pub lower_arm: Role,
    pub hand: Role,
    pub upper_leg: Role,
    pub lower_leg: Role,
    pub foot: Role,
    pub toes: Role,
    /// +1 on the left, −1 on the right.
    pub sign: f64,
}

pub(super) fn roles(side: Side) -> SideRoles {
    match side {
        Side::Left => SideRoles {
            shoulder: Role::LeftShoulder,
            upper_arm: Role::LeftUpperArm,
            lower_arm: Role::LeftLowerArm,
            hand: Role::LeftHand,
            upper_leg: Role::LeftUpperLeg,
            lower_leg: Role::LeftLowerLeg,
            foot: Role::LeftFoot,
            toes: Role::LeftToes,
            sign: 1.0,
        },
        Side::Right => SideRoles {
            shoulder: Role::RightShoulder,
            upper_arm: Role::RightUpperArm,
            lower_arm: Role::RightLowerArm,
            hand: Role::RightHand,
            upper_leg: Role::RightUpperLeg,
            lower_leg: Role::RightLowerLeg,
            foot: Role::RightFoot,
            toes: Role::RightToes,
            sign: -1.0,
        },
    }
}

struct Builder {
    joints: Vec<Joint>,
}

impl Builder {
    fn add(&mut self, role: Role, parent: Option<usize>, offset: DVec3) -> usize {
        let mut joint = Joint::new(role.name(), parent, offset.as_vec3());
        joint.role = Some(role);
        self.joints.push(joint);
        self.joints.len() - 1
    }

    fn tip(&mut self, joint: usize, tip: DVec3) {
        self.joints[joint].tips.push(tip.as_vec3());
    }
}

/// Builds it; `None` without a whole leg.
pub(super) fn place(centres: &Centres) -> Option<Arc<Skeleton>> {
    let h = centres.stature;
    let mut b = Builder { joints: Vec::new() };
    let leg_lengths = |i: usize| {
        let leg = centres.legs[i].as_ref()?;
        Some((distance(&centres.pelvis.hips[i], &leg.knee)?, distance(&leg.knee, &leg.ankle)?))
    };
    let lengths = [leg_lengths(0), leg_lengths(1)];
    let longest = lengths.iter().flatten().map(|(thigh, shank)| thigh + shank).reduce(f64::max)?;
    let hips = b.add(Role::Hips, None, DVec3::Y * (longest + ANKLE_HEIGHT * h));
    trunk(&mut b, hips, centres, h);
    let half_width = 0.5 * distance(&centres.pelvis.hips[0], &centres.pelvis.hips[1])?;
    for (i, side) in super::centres::SIDES.into_iter().enumerate() {
        if let (Some(leg), Some((thigh, shank))) = (&centres.legs[i], lengths[i]) {
            let roles = roles(side);
            let upper = b.add(roles.upper_leg, Some(hips), DVec3::X * (roles.sign * half_width));
            let lower = b.add(roles.lower_leg, Some(upper), DVec3::NEG_Y * thigh);
            let foot = b.add(roles.foot, Some(lower), DVec3::NEG_Y * shank);
            place_foot(&mut b, foot, roles.toes, leg, h);
        }
    }
    Skeleton::build(b.joints).ok()
}

fn trunk(b: &mut Builder, hips: usize, centres: &Centres, h: f64) {
    let low = DVec3::Y * (SPINE_ABOVE_HIPS * h);
    let Some(top) = &centres.top else {
        b.tip(hips, low);
        return;
    };
    let spine_path: Path =
        (0..top.len()).map(|f| Some(centres.pelvis.centre[f]? + centres.pelvis.turns[f]? * low)).collect();
    let Some(whole) = distance(&spine_path, top) else { return };
    let chest_length = CHEST_FRACTION * whole;
    let spine = b.add(Role::Spine, Some(hips), low);
    // From the spine's joint to where the chest begins, estimated from the chest's rotation.
    let chest_path: Path = match &centres.chest {
        Some(turns) => (0..top.len()).map(|f| Some(top[f]? - turns[f]? * DVec3::Y * chest_length)).collect(),
        None => super::frame::between(&spine_path, top, 1.0 - CHEST_FRACTION),
    };
    let spine_length = distance(&spine_path, &chest_path).unwrap_or(whole - chest_length);
    let chest = b.add(Role::Chest, Some(spine), DVec3::Y * spine_length);
    let neck = b.add(Role::Neck, Some(chest), DVec3::Y * chest_length);
    match centres.head.as_ref().and_then(|head| distance(top, &head.centre)) {
        Some(length) => {
            let head = b.add(Role::Head, Some(neck), DVec3::Y * length);
            b.tip(head, DVec3::Y * (CROWN * h));
        }
        None => b.tip(neck, DVec3::Y * (0.048 * h)),
    }
    let Some(turns) = &centres.chest else { return };
    for (side, arm) in super::centres::SIDES.into_iter().zip(&centres.arms) {
        if let Some(arm) = arm {
            place_arm(b, chest, &roles(side), arm, h, |path| {
                median_point(
                    (0..path.len()).filter_map(|f| Some(turns[f]?.conjugate() * (path[f]? - chest_path[f]?))),
                )
            });
        }
    }
}

fn place_arm(
    b: &mut Builder,
    chest: usize,
    roles: &SideRoles,
    arm: &Arm,
    h: f64,
    in_chest: impl Fn(&Path) -> Option<DVec3>,
) {
    let Some(seat) = in_chest(&arm.shoulder) else { return };
    let out = |length: f64| DVec3::X * (roles.sign * length);
    let collar = DVec3::new(COLLAR_FRACTION * seat.x, seat.y, seat.z);
    let girdle = (seat - collar).length();
    let shoulder = b.add(roles.shoulder, Some(chest), collar);
    let Some(upper_length) = arm.elbow.as_ref().and_then(|elbow| distance(&arm.shoulder, elbow)) else {
        b.tip(shoulder, out(girdle));
        return;
    };
    let upper = b.add(roles.upper_arm, Some(shoulder), out(girdle));
    let lower = b.add(roles.lower_arm, Some(upper), out(upper_length));
    let forearm = match (&arm.elbow, &arm.wrist) {
        (Some(elbow), Some(wrist)) => distance(elbow, wrist),
        _ => None,
    };
    match forearm {
        Some(forearm) => {
            let hand = b.add(roles.hand, Some(lower), out(forearm));
            b.tip(hand, out(HAND * h));
        }
        None => b.tip(lower, out(FOREARM * h)),
    }
}

/// The foot's frame: forward from heel to ball, the knee above that line.
///
/// The ankle lies too near to that line to tell which way is up: heel markers sit on the skin as high as the ankle, and
/// a centimetre to the side of it would roll the foot over.
pub(super) fn foot_frame(heel: DVec3, ball: DVec3, knee: DVec3) -> Option<glam::DQuat> {
    let forward = ball - heel;
    let left = (knee - heel).cross(forward);
    frame_xy(left, forward.cross(left))
}

/// Where the ball is from the ankle when no heel marker shows the foot's pitch: down to the ball's height.
fn ball_without_heel(length: f64, h: f64) -> DVec3 {
    let down = (ANKLE_HEIGHT * h - BALL_HEIGHT_M).clamp(0.0, 0.7 * length);
    DVec3::new(0.0, -down, (length * length - down * down).sqrt())
}

fn place_foot(b: &mut Builder, foot: usize, toes_role: Role, leg: &Leg, h: f64) {
    let Some(ball) = &leg.ball else {
        b.tip(foot, DVec3::new(0.0, -ANKLE_HEIGHT * h, 0.5 * FOOT * h));
        return;
    };
    let frames = ball.len();
    let seat = |path: &Path| {
        let heel = leg.heel.as_ref()?;
        median_point((0..frames).filter_map(|f| {
            let frame = foot_frame(heel[f]?, ball[f]?, leg.knee[f]?)?;
            Some(frame.conjugate() * (path[f]? - leg.ankle[f]?))
        }))
    };
    let ball_seat = seat(ball).or_else(|| Some(ball_without_heel(distance(&leg.ankle, ball)?, h)));
    let Some(ball_seat) = ball_seat else { return };
    let toes = b.add(toes_role, Some(foot), ball_seat);
    if let Some(heel) = leg.heel.as_ref().and_then(seat) {
        b.tip(foot, heel);
    }
    let tip = leg.tip.as_ref().and_then(seat).map(|tip| tip - ball_seat);
    b.tip(toes, tip.unwrap_or(DVec3::new(0.0, -BALL_HEIGHT_M, 0.3 * FOOT * h)));
}
