//! An independent judge of reactions: it sees only the output clip, the body and the events, and takes everything else from
//! Newton. Where the ground would have to pull, rub harder than friction allows or act beside the feet, or where a joint
//! would need more than its strength in a frame that was not reported as clamped, it says so.
//!
//! Accelerations are second differences over frames, so frames next to a blow, where velocity jumps, are left out. Forces
//! are shared between two planted feet by where the ZMP lies between them; the simulation may share them otherwise,
//! which moves the legs' torques but neither the ground's wrench nor the upper body's torques.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::{DVec2, DVec3};
use ugoki::clip::Clip;
use ugoki::dynamics::{
    Body, BodyConfig, BodyState, Kinematics, Load, PointForce, SupportPolygon, Workspace, difference_into,
    kinematics_into, load, rnea_into, root_wrench, zmp,
};
use ugoki::react::{Config, Event, Push, Reaction, Target, react_to};
use ugoki::sample;
use ugoki::skeleton::Role;

/// Coefficient of friction of [`Config::default`].
const FRICTION: f64 = 0.8;
/// Forces are compared to this share of the weight: what second differences of f32 poses at 60 Hz leave.
const FORCE_SHARE: f64 = 0.03;
/// The ZMP may be this far outside the soles, m: second differences mix two steps of 8 ms.
const ZMP_M: f64 = 0.02;
/// Frames around a blow whose differences see the jump of velocity.
const BLOW_FRAMES: usize = 2;
/// The last moments before a reported fall, s: the body tips over an edge, and its impacts are shorter than a frame.
const TIPPING_S: f64 = 0.2;
/// Soles nearer to the floor than this, m, can stand on it: a centimetre for the capture, one for the sole's thickness.
const SOLE_M: f64 = 0.03;
/// Strength may be overstepped by this share: the legs' sharing of forces is the judge's own.
const STRENGTH_SHARE: f64 = 0.15;

/// What the judge needs to know.
struct Case<'a> {
    clip: &'a Clip,
    /// With loads.
    body: &'a Body,
    fps: f64,
    floor: f64,
    /// Times of blows, s.
    blows: Vec<f64>,
    /// Joints reported as clamped, and whether falling was reported, by frame of motion.
    clamped: Vec<Vec<usize>>,
    falling: Vec<bool>,
}

#[derive(Debug, Default)]
struct Verdict {
    frames: usize,
    faults: Vec<String>,
    worst_zmp_m: f64,
    worst_friction: f64,
    worst_load: f64,
}

fn judge(case: &Case<'_>) -> Verdict {
    let (body, motion) = (case.body, case.clip.motion_frames());
    let dt = 1.0 / case.fps;
    let n = body.num_dofs();
    let states: Vec<BodyState> = motion
        .clone()
        .map(|frame| {
            let mut state = BodyState::rest(body);
            state.set_pose(body, &case.clip.model_pose(frame));
            state
        })
        .collect();
    let (mut workspace, mut kinematics) = (Workspace::new(body), Kinematics::new(body));
    let (mut back, mut ahead, mut qdd, mut tau) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let weight = body.mass() * body.gravity().length();
    let mut verdict = Verdict { worst_zmp_m: f64::NEG_INFINITY, ..Verdict::default() };
    for i in 1..states.len() - 1 {
        let t = i as f64 * dt;
        let near_blow = case.blows.iter().any(|blow| (t - blow).abs() < (BLOW_FRAMES as f64 + 0.5) * dt);
        let soon = (i + (TIPPING_S * case.fps) as usize).min(case.falling.len() - 1);
        if near_blow || case.falling[soon] {
            continue;
        }
        verdict.frames += 1;
        difference_into(body, &states[i - 1].q, &states[i].q, &mut back);
        difference_into(body, &states[i].q, &states[i + 1].q, &mut ahead);
        let mut state = states[i].clone();
        for k in 0..n {
            state.qd[k] = (ahead[k] + back[k]) / (2.0 * dt);
            qdd[k] = (ahead[k] - back[k]) / (dt * dt);
        }
        kinematics_into(body, &state, &mut kinematics);
        rnea_into(body, &state, &qdd, &[], &mut workspace, &mut tau);
        let wrench = root_wrench(workspace.kinematics(), &tau);
        let mut fault = |text: String| verdict.faults.push(format!("frame {i}: {text}"));
        if wrench.force.y < -FORCE_SHARE * weight {
            fault(format!("the ground pulls with {:.0} N", -wrench.force.y));
        }
        let (along, normal) = (DVec2::new(wrench.force.x, wrench.force.z).length(), wrench.force.y.max(0.0));
        if along > FRICTION * normal + FORCE_SHARE * weight {
            fault(format!("{along:.0} N along the ground on {normal:.0} N"));
        }
        verdict.worst_friction = verdict.worst_friction.max(along / normal.max(FORCE_SHARE * weight));
        let standing: Vec<usize> = (0..body.links().len())
            .filter(|&link| {
                let pose = kinematics.link(link);
                body.link(link).sole.iter().any(|corner| pose.point(*corner).y < case.floor + SOLE_M)
            })
            .collect();
        let polygon = SupportPolygon::of_soles(body, &kinematics, &standing);
        let Some(point) = zmp(&wrench, case.floor, 0.05 * weight) else { continue };
        let out = -polygon.margin(DVec2::new(point.x, point.z));
        verdict.worst_zmp_m = verdict.worst_zmp_m.max(out);
        if standing.is_empty() || out > ZMP_M {
            fault(format!("the ground would act {:.1} cm beside the feet", 100.0 * out));
        }
        let forces = shared(body, &kinematics, &standing, wrench.force, point);
        rnea_into(body, &state, &qdd, &forces, &mut workspace, &mut tau);
        for (index, link) in body.links().iter().enumerate().skip(1) {
            let share = load(link, &tau);
            let reported = (i - 1..=i + 1).any(|frame| case.clamped[frame].contains(&index));
            if !reported {
                verdict.worst_load = verdict.worst_load.max(share);
                if share > 1.0 + STRENGTH_SHARE {
                    fault(format!("{} would need {:.0} % of its strength", link.role, 100.0 * share));
                }
            }
        }
    }
    verdict
}

/// The ground's force on the feet that stand, so that together they act at the ZMP.
fn shared(
    body: &Body,
    kinematics: &Kinematics,
    standing: &[usize],
    force: DVec3,
    at: DVec3,
) -> Vec<PointForce> {
    let feet: Vec<usize> = body.feet().iter().map(|foot| foot.foot).collect();
    let stands = |foot: &usize| {
        let toes = body.feet().iter().find(|f| f.foot == *foot).and_then(|f| f.toes);
        standing.contains(foot) || toes.is_some_and(|toes| standing.contains(&toes))
    };
    let places: Vec<(usize, DVec3)> = (feet.iter().copied().filter(|foot| stands(foot)))
        .map(|foot| {
            let sole = &body.link(foot).sole;
            let middle = sole.iter().map(|p| kinematics.link(foot).point(*p)).sum::<DVec3>()
                / sole.len().max(1) as f64;
            (foot, middle)
        })
        .collect();
    let on = |foot: usize, force: DVec3, at: DVec3| {
        let pose = kinematics.link(foot);
        PointForce::new(foot, pose.matrix.transpose() * (at - pose.position), force)
    };
    match places.as_slice() {
        [] => Vec::new(),
        [(foot, _)] => vec![on(*foot, force, at)],
        [(left, a), (right, b), ..] => {
            let flat = |v: DVec3| DVec2::new(v.x, v.z);
            let line = flat(*b) - flat(*a);
            let share = (flat(at) - flat(*a)).dot(line) / line.length_squared().max(1e-9);
            let share = share.clamp(0.0, 1.0);
            let shift = at - a.lerp(*b, share);
            vec![on(*left, force * (1.0 - share), *a + shift), on(*right, force * share, *b + shift)]
        }
    }
}

fn go_on() -> impl FnMut(f32) -> ControlFlow<()> {
    |_| ControlFlow::Continue(())
}

fn made(config: &Config, events: &[Event]) -> (Arc<Target>, Reaction) {
    let clip = sample::clip("squat").unwrap();
    let target = Arc::new(Target::build(&clip, config, &mut go_on()).unwrap());
    let reaction = react_to(&target, config, events, None, &mut go_on()).unwrap();
    (target, reaction)
}

/// Everything the judge may know, with `speed` times the clip's rate.
fn judged(target: &Target, reaction: &Reaction, events: &[Event], body: &Body, speed: f64) -> Verdict {
    let blows = events.iter().filter_map(|event| match event {
        Event::Push(push) => Some(push.at_s - target.start_s()),
        Event::Load(_) => None,
    });
    let clamped = |loads: &Vec<f64>| (0..loads.len()).filter(|&link| loads[link] > 0.999).collect();
    judge(&Case {
        clip: &reaction.clip,
        body,
        fps: reaction.clip.fps() * speed,
        floor: target.floor().height,
        blows: blows.collect(),
        clamped: reaction.frames.iter().map(|frame| clamped(&frame.load)).collect(),
        falling: reaction.frames.iter().map(|frame| frame.falling).collect(),
    })
}

fn carried(mass_kg: f64) -> Load {
    Load { role: Role::Chest, mass_kg, offset_m: [0.0, 0.0, -0.2], radius_m: 0.0 }
}

fn shoulder(impulse: f64) -> Event {
    Event::Push(Push { at_s: 0.1, role: Role::LeftUpperArm, impulse_n_s: [0.0, 0.0, -impulse], seconds: 0.0 })
}

#[test]
fn the_four_cases_of_the_paper_obey_newton() {
    let cases: [(&str, Vec<Event>); 4] = [
        ("nothing added", vec![]),
        ("5 kg on the back", vec![Event::Load(carried(5.0))]),
        ("8 kg on the back", vec![Event::Load(carried(8.0))]),
        ("10 N·s at the left shoulder", vec![shoulder(10.0)]),
    ];
    for control in [true, false] {
        for (name, events) in &cases {
            let config = Config { control, ..Config::default() };
            let (target, reaction) = made(&config, events);
            let loads: Vec<Load> = (events.iter())
                .filter_map(|event| match event {
                    Event::Load(load) => Some(*load),
                    Event::Push(_) => None,
                })
                .collect();
            let body = target.body().with_loads(reaction.clip.skeleton(), &loads).unwrap();
            let verdict = judged(&target, &reaction, events, &body, 1.0);
            println!(
                "{name}, control {control}: {} frames, ZMP at most {:.1} cm outside, friction {:.2}, load {:.2}",
                verdict.frames,
                100.0 * verdict.worst_zmp_m,
                verdict.worst_friction,
                verdict.worst_load
            );
            assert!(verdict.faults.is_empty(), "{name}, control {control}: {:#?}", verdict.faults);
            // Only the push without control may end in a fall.
            assert!(reaction.fell_at_s.is_none() || (!control && loads.is_empty()), "{name} falls");
            let least = if reaction.fell_at_s.is_some() { 50 } else { 150 };
            assert!(verdict.frames > least, "{name}: only {} frames judged", verdict.frames);
        }
    }
}

#[test]
fn the_judge_sees_what_cannot_be() {
    let (target, reaction) = made(&Config::default(), &[]);
    let faults = |body: &Body, speed: f64, part: &str| {
        let verdict = judged(&target, &reaction, &[], body, speed);
        verdict.faults.iter().filter(|fault| fault.contains(part)).count()
    };
    // Four times as fast is sixteen times the acceleration.
    assert!(faults(target.body(), 4.0, "pulls") > 0);
    assert!(faults(target.body(), 4.0, "beside the feet") > 0);
    let weak = BodyConfig { strength: 0.1, ..BodyConfig::default() };
    let weak = Body::build(reaction.clip.skeleton(), &weak).unwrap();
    assert!(faults(&weak, 1.0, "strength") > 0);
}
