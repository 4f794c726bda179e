//! What the body and the target are like at the beginning of a step: H, bias, contacts and how they answer.

use glam::{DQuat, DVec3};

use super::bounds::beyond_range;
use super::ground::{Scene, assist_rows, find_rows};
use super::memory::Memory;
use super::rows::{Kind, Row, Rows};
use super::state::{Motion, Observation, Setup};
use crate::dynamics::{crba_placed_into, kinematics_into, rnea_into, set_vec3, vec3_at};

/// A hinge with less room than this, radians, gets a row that stops it at the end.
const LIMIT_NEAR: f64 = 0.1;
/// Fraction of an exceeded range that one step corrects, and the greatest rate, rad/s.
const LIMIT_BACK: f64 = 0.2;
const LIMIT_BACK_RATE: f64 = 2.0;
/// The view of the target moves to newly planted feet within this time, s.
const FRAME_S: f64 = 0.2;

/// Places body and target and finds the contacts.
pub(super) fn observe(setup: &Setup, motion: &mut Motion, memory: &Memory, seen: &mut Observation) {
    let Setup { target, body, .. } = setup;
    let step = motion.step;
    let schedule = motion.schedule(target, memory);
    for bump in &mut seen.bumps {
        if let Some(tip) = bump.tip {
            bump.point = target.tips[tip].at(step, target.substeps);
        }
    }
    seen.target_state.q.copy_from_slice(target.q(step));
    seen.target_state.qd.copy_from_slice(target.qd(step + 1));
    kinematics_into(body, &seen.target_state, &mut seen.target_kinematics);
    for (sole, parts) in target.soles.iter().zip(target.schedule[step]) {
        if parts != 0 && !motion.blocks.is_empty() {
            let stands = sole.middle(&seen.target_kinematics);
            motion.blocks.retain(|block| !block.swallows(stands));
        }
    }
    rnea_into(body, &motion.state, &seen.zeros, &[], &mut seen.workspace, &mut seen.bias);
    crba_placed_into(body, &mut seen.workspace, &mut seen.h);
    seen.damped.copy_from(&seen.h);
    for (dof, d) in setup.damping.iter().enumerate() {
        seen.damped.add_to_diagonal(dof, d * target.dt);
    }
    seen.factors.factor(&seen.damped);
    let falling = motion.fall.is_falling();
    let scene = Scene {
        body,
        here: seen.workspace.kinematics(),
        target: &seen.target_kinematics,
        soles: &target.soles,
        bumps: &seen.bumps,
        schedule,
        floor: &target.floor,
        blocks: &motion.blocks,
        dt: target.dt,
        falling,
    };
    find_rows(&scene, &mut motion.anchors, &mut seen.rows);
    if !falling {
        assist_rows(&scene, target.slack[step], setup.weight, &mut seen.rows);
    }
    limit_rows(setup, motion, &mut seen.rows);
    seen.rows.respond(&seen.factors, &mut seen.problem);
    see_target(setup, motion, &mut seen.residual);
}

/// Rows of joints at the ends of their ranges.
fn limit_rows(setup: &Setup, motion: &Motion, rows: &mut Rows) {
    for link in setup.body.links() {
        let Some((along, angle)) = beyond_range(link, &motion.state, LIMIT_NEAR) else {
            continue;
        };
        if !rows.has_room(1) {
            return;
        }
        let dt = setup.target.dt;
        // Away from the end: at least this fast.
        let speed = if angle > 0.0 { (angle * LIMIT_BACK / dt).min(LIMIT_BACK_RATE) } else { angle / dt };
        let row = Row {
            kind: Kind::Limit,
            group: 0,
            at: DVec3::ZERO,
            bears: DVec3::ZERO,
            along: DVec3::ZERO,
            speed,
            carries: false,
            cost: 1.0,
            bound: 0.0,
        };
        let entries = (-along).to_array();
        rows.push_joint(link.dof, &entries[..link.num_dofs()], row);
    }
}

/// Moves the view of the target towards the planted feet, and turns the residual with it.
fn see_target(setup: &Setup, motion: &mut Motion, residual: &mut [f64; 6]) {
    let (mut shift, mut turn, mut count) = (DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), 0.0);
    for anchor in motion.anchors.iter().filter(|anchor| anchor.set) {
        shift += anchor.shift;
        turn += if anchor.turn.w < 0.0 { -anchor.turn } else { anchor.turn };
        count += 1.0;
    }
    if count > 0.0 {
        let rate = (setup.target.dt / FRAME_S).min(1.0);
        motion.frame.shift = motion.frame.shift.lerp(shift / count, rate);
        motion.frame.turn = (motion.frame.turn * (1.0 - rate) + turn * (rate / count)).normalize();
    }
    let own = setup.target.tau(motion.step);
    let fade = motion.fall.residual_weight();
    let force = motion.frame.turn * vec3_at(own, 0) * fade;
    set_vec3(residual, 0, force);
    set_vec3(residual, 3, vec3_at(own, 3) * fade);
}
