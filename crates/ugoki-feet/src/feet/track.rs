//! The path of a foot by its plan: held where it stands, its swings edited in between.
//!
//! With x the displacement of each frame from the source's path F, v the speed there, q and K the firmness of the plan, a and g its places and
//! steps:
//!
//! ```text
//! minimise  ∫ q·|F + x − a|² + K·|(F + x)′ − g|² + c·(v₀/v)·|x′|² + b·|x″|² dt
//! ```
//!
//! Stances keep to their places as far as neighbours allow: where two follow each other with hardly a way between them they move together.
//! Between stances nothing but the last two terms is left. The first of them alone has x′ ∝ v: the displacement is spread over a swing by
//! its source's speed, as the position stage of the end-constraint edit does (`docs/methods/segments.md`), and a foot that rests in mid-air
//! keeps resting. The last rounds the ends. The result depends continuously on everything; the normal equations have five diagonals.

use glam::{DQuat, DVec3};
use ugoki_base::math::{Banded, exp64, log64};

use super::config::{
    BEND_S4, FREE_PULL, FREE_PULL_UP, FREE_S, HOLD_RANGE, HOLD_S2, LEAST_PULL, SWING_FLOOR, SWING_M_S,
    SWING_RAD_S, SWING_S2,
};
use super::curve::smooth_above;
use super::path::{FootPath, velocity};
use super::plan::FootPlan;
use super::solve::{FootShift, grip_around};

/// Rounds of turning a foot: rotation vectors add up only nearly, what is left is of second order.
const TURN_ROUNDS: usize = 4;
/// Part of a lift that is made next to a stance, at least: one over how much more is asked for.
const LIFT_PART: f64 = 0.2;

/// Displacement and turn of a foot that follows its plan from a path, and how firmly it is held.
#[must_use]
pub fn track(path: &FootPath, plan: &FootPlan, fps: f64, scale: f64) -> FootShift {
    let num_frames = path.num_frames();
    let steps = num_frames.saturating_sub(1);
    let jumps = |frame: usize| path.glitch[frame] || path.glitch[frame + 1];
    let speed = |frame: usize| {
        let v =
            velocity(&path.ankle, frame, fps).length().min(velocity(&path.ankle, frame + 1, fps).length());
        if jumps(frame) { 0.0 } else { (v + plan.pace[frame]) / (SWING_M_S * scale) }
    };
    let both = |firm: &dyn Fn(usize) -> f64, frame: usize| match jumps(frame) {
        true => 0.0,
        false => firm(frame).min(firm(frame + 1)),
    };

    // The foot's direction stands still while heel and toe do.
    let mut rotation = path.rotation.clone();
    for round in 0..TURN_ROUNDS {
        let mut system = Displacement::new(num_frames, fps);
        let made = |frame: usize| log64(rotation[frame] * path.rotation[frame].conjugate());
        if round == 0 {
            plan.seams.iter().for_each(|seam| system.round_off(seam.frame, seam.turn));
        }
        for (frame, here) in rotation.iter().map(|q| q.conjugate()).enumerate() {
            if !path.glitch[frame] {
                system.place(frame, plan.flat(frame), log64(plan.facing[frame] * here));
            }
            let loosely = FREE_PULL_UP * plan.pull[frame] * (1.0 - plan.flat(frame)) + LEAST_PULL;
            system.place(frame, loosely, log64(plan.facing[frame] * here));
        }
        for frame in 0..steps {
            let turned = |rotation: &[DQuat]| log64(rotation[frame + 1] * rotation[frame].conjugate());
            let firm = both(&|frame| plan.flat(frame), frame);
            system.step(frame, DVec3::splat(stiffness(firm)), plan.turns[frame] - turned(&rotation));
            let own = turned(&path.rotation).length() * fps / SWING_RAD_S;
            let speed = if jumps(frame) { 0.0 } else { own + plan.pace[frame] / (SWING_M_S * scale) };
            system.swing(frame, DVec3::splat(firm), speed, made(frame) - made(frame + 1));
        }
        rotation = rotation.iter().zip(system.solve()).map(|(q, turn)| exp64(turn) * *q).collect();
    }

    // Then the ankle goes where heel and toe stand.
    let arm = |frame: usize| {
        rotation[frame] * (path.rotation[frame].conjugate() * (path.toe[frame] - path.ankle[frame]))
    };
    let toe: Vec<DVec3> = (0..num_frames).map(|frame| path.ankle[frame] + arm(frame)).collect();
    let mut system = Displacement::new(num_frames, fps);
    plan.seams.iter().for_each(|seam| system.round_off(seam.frame, seam.glide));
    for (point, own) in plan.points.iter().zip([&path.ankle, &toe]) {
        for frame in (0..num_frames).filter(|&frame| !path.glitch[frame]) {
            if let Some(place) = point.places[frame] {
                system.place(frame, point.firm[frame], place - own[frame]);
            }
        }
        for frame in 0..steps {
            let step = point.steps[frame] - (own[frame + 1] - own[frame]);
            let [along, up] = [both(&|f| point.firm[f], frame), both(&|f| point.stands(f), frame)];
            system.step(frame, DVec3::new(stiffness(along), stiffness(up), stiffness(along)), step);
        }
    }
    let stands = plan.stands();
    for frame in 0..num_frames {
        let free = plan.pull[frame] * (1.0 - stands[frame]);
        system.place(frame, FREE_PULL * free + LEAST_PULL, plan.drawn[frame]);
        system.rise(frame, FREE_PULL_UP * free, plan.drawn[frame].y);
        if frame < steps {
            let firm = plan.points.each_ref().map(|point| both(&|f| point.firm[f], frame));
            let (along, up) = (firm[0].max(firm[1]), both(&|f| stands[f], frame));
            system.swing(frame, DVec3::new(along, up, along), speed(frame), DVec3::ZERO);
        }
    }
    let turns = rotation.iter().zip(&path.rotation).map(|(now, was)| log64(*now * was.conjugate()));
    let mut found = FootShift {
        turn: turns.collect(),
        shift: system.solve(),
        led: vec![1.0; num_frames],
        grip: grip_around(&stands, fps),
    };
    let held = (0..num_frames).map(|frame| plan.points[0].firm[frame].max(plan.points[1].firm[frame]));
    let free: Vec<f64> =
        grip_around(&held.collect::<Vec<f64>>(), fps).iter().map(|grip| 1.0 - grip).collect();
    lift(path, &mut found, plan, &free, fps);
    found
}

/// Lifts a displaced foot whose heel or toe would go under its plan's floor, as far as it is `free` to, 0 to 1.
fn lift(path: &FootPath, by: &mut FootShift, plan: &FootPlan, free: &[f64], fps: f64) {
    let deep = |frame: usize| {
        let ankle = path.ankle[frame] + by.shift[frame];
        let toe = ankle + exp64(by.turn[frame]) * (path.toe[frame] - path.ankle[frame]);
        let [heel, tip] = &plan.points;
        let depth = (heel.floor[frame] - ankle.y).max(tip.floor[frame] - toe.y).max(0.0);
        // Next to a stance the lift is cut, so more is asked for, within reason.
        if free[frame] > 0.0 { depth / free[frame].max(LIFT_PART) } else { 0.0 }
    };
    let deep: Vec<f64> = (0..path.num_frames()).map(deep).collect();
    if deep.iter().any(|&depth| depth > 0.0) {
        let half = ((0.5 * FREE_S * fps).round() as usize).max(1);
        for ((shift, up), free) in by.shift.iter_mut().zip(smooth_above(&deep, half)).zip(free) {
            shift.y += up * free;
        }
    }
}

/// What one step between two frames should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hold {
    /// The earlier frame.
    pub frame: usize,
    /// How firmly, 0 to 1.
    pub firm: f64,
    /// The step the displacement should make.
    pub step: DVec3,
}

/// The displacement that makes a path stand still in some places wherever that takes least, and dies away elsewhere within 0.2 s.
#[must_use]
pub fn correction(num_frames: usize, fps: f64, holds: &[Hold]) -> Vec<DVec3> {
    let mut system = Displacement::new(num_frames, fps);
    (0..num_frames).for_each(|frame| system.place(frame, 1.0, DVec3::ZERO));
    for hold in holds {
        system.step(hold.frame, DVec3::splat(stiffness(hold.firm)), hold.step);
    }
    system.solve()
}

/// Stiffness of a stance that is as firm as 0 to 1, s².
fn stiffness(firm: f64) -> f64 {
    HOLD_S2 * (HOLD_RANGE.powf(firm) - 1.0) / (HOLD_RANGE - 1.0)
}

/// The displacement of every frame of a path that costs least; the axes do not depend on each other.
pub(super) struct Displacement {
    fps: f64,
    bend_s4: f64,
    axes: [Banded<2, 3>; 3],
}

impl Displacement {
    pub(super) fn new(num_frames: usize, fps: f64) -> Self {
        Self::bending(num_frames, fps, BEND_S4)
    }

    /// One whose resistance to bending is `bend_s4`, s⁴.
    pub(super) fn bending(num_frames: usize, fps: f64, bend_s4: f64) -> Self {
        Self { fps, bend_s4, axes: [(); 3].map(|()| Banded::new(num_frames)) }
    }

    /// Draws a frame towards a displacement.
    pub(super) fn place(&mut self, frame: usize, weight: f64, to: DVec3) {
        for (axis, to) in self.axes.iter_mut().zip((to * weight).to_array()) {
            axis.add(frame, frame, weight);
            axis.right[frame] += to;
        }
    }

    /// Draws the height of a frame towards a displacement.
    fn rise(&mut self, frame: usize, weight: f64, to: f64) {
        self.axes[1].add(frame, frame, weight);
        self.axes[1].right[frame] += weight * to;
    }

    /// Rounds a jump of the path's velocity between the steps next to frames `seam − 1` and `seam`: what bends there is the path with its displacement.
    fn round_off(&mut self, seam: usize, jump: DVec3) {
        let pull = jump * (0.5 * self.bend_s4 * self.fps.powi(4));
        let last = self.axes[0].len().saturating_sub(1);
        for middle in [seam - 1, seam].into_iter().filter(|at| (1..last).contains(at)) {
            for (frame, part) in [(middle - 1, -1.0), (middle, 2.0), (middle + 1, -1.0)] {
                for (axis, pull) in self.axes.iter_mut().zip((pull * part).to_array()) {
                    axis.right[frame] += pull;
                }
            }
        }
    }

    /// Draws the step from a frame to the next towards another, with a stiffness in s² for each axis.
    pub(super) fn step(&mut self, frame: usize, stiffness_s2: DVec3, step: DVec3) {
        let k = stiffness_s2 * self.fps * self.fps;
        for ((axis, k), pull) in self.axes.iter_mut().zip(k.to_array()).zip((step * k).to_array()) {
            axis.add(frame, frame, k);
            axis.add(frame + 1, frame + 1, k);
            axis.add(frame + 1, frame, -k);
            axis.right[frame] -= pull;
            axis.right[frame + 1] += pull;
        }
    }

    /// A step of a swing at a speed, as a part of the usual one: the slower the stiffer.
    fn swing(&mut self, frame: usize, firm: DVec3, speed: f64, step: DVec3) {
        self.step(frame, (DVec3::ONE - firm) * (SWING_S2 / speed.max(SWING_FLOOR)), step);
    }

    /// Solves the normal equations; every frame must have a place.
    pub(super) fn solve(mut self) -> Vec<DVec3> {
        let bend = self.bend_s4 * self.fps.powi(4);
        let [x, y, z] = self.axes.each_mut().map(|axis| {
            for frame in 2..axis.len() {
                // (1, −2, 1) on frames − 2, − 1 and 0.
                for (back, coefficients) in
                    [(2, [0.0, 0.0, 1.0]), (1, [0.0, -2.0, 4.0]), (0, [1.0, -2.0, 1.0])]
                {
                    let row = frame - back;
                    for (left, coefficient) in
                        coefficients.into_iter().rev().enumerate().filter(|c| c.1 != 0.0)
                    {
                        axis.add(row, row - left, bend * coefficient);
                    }
                }
            }
            std::mem::replace(axis, Banded::new(0)).solve()
        });
        x.into_iter().zip(y).zip(z).map(|((x, y), z)| DVec3::new(x, y, z)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feet::{PathSeam, Stance};
    use proptest::prelude::*;

    const FPS: f64 = 120.0;

    /// A flat foot whose ankle goes along a path.
    fn foot(ankle: Vec<DVec3>) -> FootPath {
        let num_frames = ankle.len();
        let toe = ankle.iter().map(|point| *point + DVec3::new(0.0, -0.06, 0.2)).collect();
        FootPath {
            ankle,
            toe,
            rotation: vec![DQuat::IDENTITY; num_frames],
            glitch: vec![false; num_frames],
            ..FootPath::default()
        }
    }

    fn flat(path: &FootPath, frames: std::ops::Range<usize>, by: DVec3) -> [Stance; 2] {
        let middle = usize::midpoint(frames.start, frames.end);
        [true, false].map(|heel| Stance {
            heel,
            frames: frames.clone(),
            anchor: path.point(heel)[middle] + by,
        })
    }

    fn tracked(path: &FootPath, stances: &[Stance]) -> FootShift {
        track(path, &FootPlan::from_stances(path, stances, None, [-1.0; 2], 1.0), FPS, 1.0)
    }

    /// A step of 0.6 m in 48 frames between two stances, with a raised cosine of speed.
    fn step() -> Vec<DVec3> {
        let way = |t: f64| 0.6 * (t - (std::f64::consts::TAU * t).sin() / std::f64::consts::TAU);
        let lift = |t: f64| 0.05 * (std::f64::consts::PI * t).sin().powi(2);
        let at = |t: f64| DVec3::new(0.0, 0.08 + lift(t), way(t));
        (0..120).map(|frame| at(((f64::from(frame) - 36.0) / 48.0).clamp(0.0, 1.0))).collect()
    }

    proptest! {
        /// A skating foot stands to a tenth of a millimetre, where it is least corrected, and the way between two stances is changed
        /// without a jump.
        #[test]
        fn stances_stand(drift in (-0.1..0.1_f64, -0.1..0.1_f64)) {
            let drift = DVec3::new(drift.0, 0.0, drift.1);
            let path = foot(step().iter().enumerate().map(|(f, p)| *p + drift * (f as f64 / FPS)).collect());
            let stances = [flat(&path, 0..37, DVec3::ZERO), flat(&path, 84..120, DVec3::ZERO)].concat();
            let found = tracked(&path, &stances);
            for range in [0..37, 84..120] {
                let place = path.ankle[range.start] + found.shift[range.start];
                for frame in range.clone() {
                    prop_assert!((path.ankle[frame] + found.shift[frame] - place).length() < 1e-4);
                }
                let middle = usize::midpoint(range.start, range.end);
                prop_assert!(found.shift[middle].length() < 0.1 * drift.length() + 1e-6);
            }
            prop_assert!(found.shift.windows(2).all(|pair| (pair[1] - pair[0]).length() < 2.5 * drift.length() / FPS + 1e-9));
        }
    }

    #[test]
    fn between_stances_a_displacement_goes_with_the_speed_of_the_source() {
        let path = foot(step());
        let by = DVec3::new(0.01, 0.0, 0.0);
        let stances = [flat(&path, 0..37, DVec3::ZERO), flat(&path, 84..120, by)].concat();
        let found = tracked(&path, &stances);
        let (first, last) = (found.shift[36], found.shift[84]);
        assert!((last - first).length() > 0.007, "{first} {last}");
        // The position stage of the end-constraint edit: the part of the way that the source has gone.
        let way: Vec<f64> = path.ankle.windows(2).map(|pair| (pair[1] - pair[0]).length()).collect();
        let total: f64 = way[36..84].iter().sum();
        for frame in 36..85 {
            let gone = way[36..frame].iter().sum::<f64>() / total;
            let made = (found.shift[frame] - first).x / (last - first).x;
            assert!((made - gone).abs() < 0.05, "frame {frame}: {made} of {gone}");
        }
    }

    #[test]
    fn a_foot_that_rests_in_the_air_keeps_resting() {
        // Half a step, a second's rest, the other half.
        let mut path = step();
        let rest = path[60];
        path.splice(60..60, vec![rest; 120]);
        let path = foot(path);
        let by = DVec3::new(0.02, 0.0, 0.0);
        let stances = [flat(&path, 0..37, DVec3::ZERO), flat(&path, 204..240, by)].concat();
        let found = tracked(&path, &stances);
        let moved = (found.shift[175] - found.shift[65]).length();
        assert!(moved < 0.2 * by.length(), "{moved}");
    }

    #[test]
    fn a_plan_that_asks_for_nothing_changes_nothing() {
        let path = foot(step());
        let found = tracked(&path, &[]);
        assert!(found.shift.iter().chain(&found.turn).all(|by| by.length() < 1e-12));
    }

    /// A swing at 1 m/s for four seconds, and the plan that leaves it alone.
    fn swinging() -> (FootPath, FootPlan) {
        let path = foot((0..480).map(|frame| DVec3::new(0.0, 0.1, f64::from(frame) / FPS)).collect());
        let plan = FootPlan::from_stances(&path, &[], None, [-1.0; 2], 1.0);
        (path, plan)
    }

    #[test]
    fn a_free_foot_goes_over_to_where_another_motion_has_it_without_a_jump() {
        let (path, mut plan) = swinging();
        let away = DVec3::new(0.1, 0.02, 0.0);
        plan.drawn[240..].fill(away);
        let found = track(&path, &plan, FPS, 1.0);
        assert!(found.shift[0].length() < 5e-3, "{}", found.shift[0]);
        assert!((found.shift[479] - away).length() < 5e-3, "{}", found.shift[479]);
        let largest = found.shift.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f64::max);
        // All of it in a tenth of a second would be 9 mm in a frame.
        assert!(largest < 2e-3, "{largest} m");
    }

    #[test]
    fn a_jump_of_the_velocity_is_rounded() {
        let (mut path, mut plan) = swinging();
        let jump = DVec3::X / FPS;
        for frame in 240..480 {
            path.ankle[frame] += jump * (frame as f64 - 239.5);
        }
        let corner = |shift: &[DVec3]| {
            let at = |frame: usize| path.ankle[frame] + shift[frame];
            (1..479).map(|f| (at(f + 1) - 2.0 * at(f) + at(f - 1)).length()).fold(0.0, f64::max)
        };
        let sharp = corner(&track(&path, &plan, FPS, 1.0).shift);
        plan.seams.push(PathSeam { frame: 240, glide: jump, turn: DVec3::ZERO });
        let round = corner(&track(&path, &plan, FPS, 1.0).shift);
        assert!(round < 0.4 * sharp, "{round} m, {sharp} m without");
    }

    #[test]
    fn a_step_that_no_path_has_is_made_smoothly_and_over_its_floor() {
        let path = foot(vec![DVec3::new(0.0, 0.1, 0.0); 240]);
        let to = DVec3::new(0.3, 0.0, 0.0);
        let mut stances = flat(&path, 0..90, DVec3::ZERO).to_vec();
        stances.extend(flat(&path, 150..240, to));
        let mut plan = FootPlan::from_stances(&path, &stances, None, [-1.0; 2], 1.0);
        for frame in 90..150 {
            let bell = (std::f64::consts::PI * (frame - 89) as f64 / 61.0).sin().powi(2);
            (plan.pace[frame], plan.pull[frame]) = (1.2 * bell, 0.0);
            (plan.points[0].floor[frame], plan.points[1].floor[frame]) =
                (0.1 + 0.05 * bell, 0.04 + 0.05 * bell);
        }
        let found = track(&path, &plan, FPS, 1.0);
        // Stances give way to a step by a tenth of its way at most.
        let missed = found.shift[60].length().max(found.shift[200].distance(to));
        assert!(missed < 0.03, "{missed} m");
        let fastest = found.shift.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f64::max) * FPS;
        // 0.3 m in half a second is 0.6 m/s in the mean, twice that at the top of the bell.
        assert!((0.9..1.6).contains(&fastest), "{fastest} m/s");
        assert!(found.shift[120].y > 0.045, "{}", found.shift[120]);
    }
}
