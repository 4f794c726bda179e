//! Laws of walking: footfalls where they are planned, feet that stand, and a plan that changes nothing.

use std::ops::ControlFlow;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::{Joint, Role, Side, Skeleton};
use ugoki_feet::contact::{ContactConfig, find_contacts, find_feet};
use ugoki_feet::feet::{PlantConfig, plant_feet};
use ugoki_motion::edit::walk::{Footstep, Gait, StepFault, Strides, WalkError, Walked};
use ugoki_sample as sample;

fn go() -> impl FnMut(f32) -> ControlFlow<()> {
    |_| ControlFlow::Continue(())
}

fn gait(clip: &Clip) -> Gait {
    Gait::build(clip, &mut go()).unwrap()
}

fn walk(gait: &Gait, plan: &[Footstep]) -> Walked {
    gait.walk(plan, true, &mut go()).unwrap()
}

fn sample_walk() -> Clip {
    sample::clip("walk").unwrap()
}

/// The clip turned about the vertical, then shifted.
fn moved(clip: &Clip, by: Vec3, yaw: f32) -> Clip {
    let turn = Quat::from_rotation_y(yaw);
    let mut out = clip.clone();
    for frame in 0..clip.num_frames() {
        out.root_mut().set(frame, turn * clip.root().get(frame) + by);
        out.set_rotation(0, frame, turn * clip.rotation(0, frame));
    }
    out
}

/// Largest distance of any joint in any frame that both have, metres.
fn apart(a: &Clip, b: &Clip) -> f32 {
    let frames = a.num_frames().min(b.num_frames());
    (0..frames)
        .flat_map(|frame| {
            let (a, b) = (a.model_pose(frame), b.model_pose(frame));
            a.positions.into_iter().zip(b.positions).map(|(a, b)| a.distance(b)).collect::<Vec<_>>()
        })
        .fold(0.0, f32::max)
}

/// Knees of every frame bend forward.
fn knees_bend_forward(clip: &Clip) -> bool {
    let find = |role| clip.skeleton().find(role).unwrap();
    let legs = [
        [find(Role::LeftUpperLeg), find(Role::LeftLowerLeg), find(Role::LeftFoot)],
        [find(Role::RightUpperLeg), find(Role::RightLowerLeg), find(Role::RightFoot)],
    ];
    (0..clip.num_frames()).all(|frame| {
        let pose = clip.model_pose(frame);
        legs.iter().all(|&[hip, knee, ankle]| {
            let thigh = pose.positions[knee] - pose.positions[hip];
            let shin = pose.positions[ankle] - pose.positions[knee];
            // A hair past straight is rounding: 2 mm² of cross product.
            (pose.rotations[hip].inverse() * thigh.cross(shin)).x > -2e-3
        })
    })
}

#[test]
fn a_plan_of_the_sources_own_footfalls_gives_the_planted_source_back() {
    let clip = sample_walk();
    let gait = gait(&clip);
    let walked = walk(&gait, &gait.own_plan());
    assert_eq!(walked.laps, 0);
    let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
    // As sources are planted.
    let config = PlantConfig { level: false, hips_stiffness: 1.0, calm: true, ..PlantConfig::default() };
    let planted = plant_feet(&clip, &contacts, &config, &mut go()).unwrap().clip;
    let from = (walked.source_start_s * clip.fps()).round() as usize;
    // The walk starts above the origin facing +Z: bring the source there by its first frame.
    let (there, here) = (walked.clip.model_pose(0), planted.model_pose(from));
    let hips = clip.skeleton().find(Role::Hips).unwrap();
    let turn = there.rotations[hips] * here.rotations[hips].inverse();
    let skeleton = clip.skeleton();
    let feet = find_feet(skeleton).unwrap();
    let in_leg = |joint: usize| feet.feet.iter().any(|foot| skeleton.is_below(joint, foot.upper));
    let place = |p: Vec3| turn * (p - here.positions[hips]) + there.positions[hips];
    let (mut body, mut legs) = (0.0_f32, 0.0_f32);
    for frame in 0..walked.clip.num_frames() {
        let (a, b) = (walked.clip.model_pose(frame), planted.model_pose(from + frame));
        for joint in 0..skeleton.num_joints() {
            let worst = if in_leg(joint) { &mut legs } else { &mut body };
            *worst = worst.max(a.positions[joint].distance(place(b.positions[joint])));
        }
    }
    // Planting holds feet to about a millimetre, walking exactly, and for longer: it lets go of a toe 7 mm from its place, and
    // gives its velocity back within 0.15 s; hips go along by some millimetres. The actor's legs swing as straight as rods, and
    // the soft end of a swinging leg is 3 % of its length wide.
    assert!(body < 1.1e-2 && legs < 3.5e-2, "{body} m, legs {legs} m");
}

#[test]
fn a_walk_starts_above_the_origin_whatever_is_planned() {
    let gait = gait(&sample_walk());
    let plan = |stride: f32, turn_deg: f32| {
        gait.plan(&Strides { stride_m: [stride; 2], count: 4, turn_deg }).unwrap()
    };
    let (a, b) = (walk(&gait, &plan(0.7, 0.0)), walk(&gait, &plan(0.4, 60.0)));
    let first = a.clip.root().get(0);
    assert!(first.with_y(0.0).length() < 1e-5, "{first}");
    let (a, b) = (a.clip.model_pose(0), b.clip.model_pose(0));
    // Heights and paces may differ by what the first step asks for; nothing has moved yet.
    let apart = a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(apart < 5e-3, "{apart} m");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_footfall_is_met_and_nothing_that_stands_moves(
        first in 0.3..0.8_f32, last in 0.3..0.8_f32, turn_deg in -120.0..120.0_f32, count in 2..12_usize,
        jitter in prop::collection::vec((-0.03..0.03_f32, -0.1..0.1_f32, -0.05..0.05_f32, -8.0..8.0_f32), 12),
    ) {
        let gait = gait(&sample_walk());
        let mut plan = gait.plan(&Strides { stride_m: [first, last], count, turn_deg }).unwrap();
        for (step, (x, y, z, turn)) in plan.iter_mut().zip(jitter) {
            step.place += Vec3::new(x, y, z);
            step.heading_deg = step.heading_deg.map(|heading| heading + turn);
        }
        let walked = match gait.walk(&plan, false, &mut go()) {
            // What is possible is walked as it was asked for.
            Ok(walked) => {
                prop_assert!(walked.steps.iter().map(|step| step.planned).eq(plan.iter().copied()));
                walked
            }
            Err(WalkError::Step { step, .. }) => {
                let clamped = walk(&gait, &plan);
                prop_assert!(clamped.steps.iter().take(step - 1).zip(&plan).all(|(a, b)| a.planned == *b));
                clamped
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        prop_assert_eq!(walked.steps.len(), count);
        for step in &walked.steps {
            prop_assert!(step.reached.distance(step.planned.place) < 1e-4, "{step:?}");
            prop_assert!(step.slip_m < 1e-4, "{step:?}");
            let turned = step.planned.heading_deg.unwrap() - step.heading_deg;
            prop_assert!((turned - 360.0 * (turned / 360.0).round()).abs() < 0.1, "{step:?}");
        }
        prop_assert!(knees_bend_forward(&walked.clip));
        prop_assert!(walked.residual_m < 1e-4);
    }

    #[test]
    fn moving_the_source_over_the_ground_changes_nothing(x in -20.0..20.0_f32, z in -20.0..20.0_f32, yaw in -3.1..3.1_f32) {
        let clip = sample_walk();
        let (a, b) = (gait(&clip), gait(&moved(&clip, Vec3::new(x, 0.0, z), yaw)));
        let plan = a.plan(&Strides { stride_m: [0.5; 2], count: 5, turn_deg: 40.0 }).unwrap();
        let (a, b) = (walk(&a, &plan), walk(&b, &plan));
        prop_assert_eq!(a.clip.num_frames(), b.clip.num_frames());
        // f32 at twenty metres, through contacts, planting and rebuilding.
        prop_assert!(apart(&a.clip, &b.clip) < 3e-3, "{} m", apart(&a.clip, &b.clip));
    }
}

#[test]
fn fifteen_frames_a_second_are_enough() {
    let clip = sample_walk().resampled(15.0).unwrap();
    let gait = gait(&clip);
    let plan = gait.plan(&Strides { stride_m: [0.65, 0.3], count: 7, turn_deg: 0.0 }).unwrap();
    let walked = walk(&gait, &plan);
    assert_eq!(walked.clip.fps(), 15.0);
    for step in &walked.steps {
        assert!(step.reached.distance(step.planned.place) < 1e-3 && step.slip_m < 1e-3, "{step:?}");
    }
}

#[test]
fn feet_clear_the_edge_of_a_step() {
    let gait = gait(&sample_walk());
    for rise in [0.15, -0.15_f32] {
        let mut plan = gait.plan(&Strides { stride_m: [0.55; 2], count: 6, turn_deg: 0.0 }).unwrap();
        plan.iter_mut().skip(3).for_each(|step| step.place.y = rise);
        let walked = walk(&gait, &plan);
        // The edge lies midway between the last footfall below and the first above; upstairs the toe, downstairs the heel.
        let edge = 0.5 * (plan[2].place.z + plan[3].place.z);
        let feet = find_feet(walked.clip.skeleton()).unwrap();
        let top = rise.max(0.0);
        for frame in 0..walked.clip.num_frames() {
            let pose = walked.clip.model_pose(frame);
            for foot in &feet.feet {
                let (ankle, toe) = (pose.positions[foot.ankle], foot.toe.position(&pose));
                let rest = walked.clip.skeleton().rest_positions();
                let sole = rest[foot.ankle].y - rest[foot.toe.joint].y;
                if rise > 0.0 && toe.z > edge {
                    assert!(toe.y > top - 0.01, "frame {frame}: toe {toe} under {top}");
                }
                if rise < 0.0 && ankle.z < edge {
                    assert!(ankle.y - sole > top - 0.03, "frame {frame}: heel {ankle} under {top}");
                }
            }
        }
    }
}

#[test]
fn impossible_steps_are_refused_by_name_or_clamped() {
    let gait = gait(&sample_walk());
    let good = gait.plan(&Strides { stride_m: [0.6; 2], count: 4, turn_deg: 0.0 }).unwrap();
    let with = |change: &dyn Fn(&mut Footstep)| {
        let mut plan = good.clone();
        change(&mut plan[2]);
        plan
    };
    let own = |step: &Footstep| if step.foot == Side::Left { 1.0 } else { -1.0 };
    type Case = (Vec<Footstep>, fn(&StepFault) -> bool);
    let cases: [Case; 4] = [
        (with(&|step| step.place.z += 2.0), |fault| matches!(fault, StepFault::Long(_))),
        (with(&|step| step.place.y += 1.0), |fault| matches!(fault, StepFault::High(_))),
        (with(&|step| step.place.x -= own(step) * 0.4), |fault| matches!(fault, StepFault::Crosses(_))),
        (with(&|step| step.heading_deg = Some(170.0)), |fault| matches!(fault, StepFault::Turns(_))),
    ];
    for (plan, expected) in &cases {
        match gait.check(plan, false) {
            Err(WalkError::Step { step: 3, fault, .. }) => assert!(expected(&fault), "{fault}"),
            other => panic!("{other:?}"),
        }
        let walked = walk(&gait, plan);
        let worst = walked.steps.iter().map(|s| s.reached.distance(s.planned.place)).fold(0.0, f32::max);
        assert!(worst < 1e-3, "{worst}");
    }
}

#[test]
fn bad_plans_name_the_step() {
    let gait = gait(&sample_walk());
    let good = gait.plan(&Strides { stride_m: [0.6; 2], count: 3, turn_deg: 0.0 }).unwrap();
    assert_eq!(gait.check(&[], false), Err(WalkError::EmptyPlan));
    let mut twice = good.clone();
    twice[1].foot = twice[0].foot;
    assert!(gait.check(&twice, true).unwrap_err().to_string().starts_with("step 2 ("));
    for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY] {
        let mut plan = good.clone();
        plan[2].place.x = bad;
        let message = gait.check(&plan, true).unwrap_err().to_string();
        assert!(message.contains("step 3") && message.contains("x is not a finite number"), "{message}");
        plan[2] = good[2];
        plan[2].heading_deg = Some(bad);
        assert!(gait.check(&plan, true).is_err());
    }
    let many: Vec<Footstep> = good.iter().cycle().take(100_000).copied().collect();
    assert!(matches!(gait.check(&many, true), Err(WalkError::TooManySteps { steps: 100_000, .. })));
    assert!(gait.plan(&Strides { stride_m: [f32::NAN; 2], count: 3, turn_deg: 0.0 }).is_err());
    assert!(gait.plan(&Strides { stride_m: [0.5; 2], count: 0, turn_deg: 0.0 }).is_err());
}

#[test]
fn what_does_not_walk_is_refused() {
    let build = |clip: &Clip| Gait::build(clip, &mut go());
    let walk = sample_walk();
    let standing = Clip::from_poses(walk.skeleton().clone(), 60.0, &vec![walk.pose(0); 90]).unwrap();
    assert!(matches!(build(&standing), Err(WalkError::NoGait { .. })), "{:?}", build(&standing).map(|_| ()));
    assert!(matches!(build(&walk.trimmed(0..1).unwrap()), Err(WalkError::TooShort { frames: 1 })));
    let bones =
        Skeleton::build(vec![Joint::new("hips", None, Vec3::Y), Joint::new("head", Some(0), Vec3::Y)])
            .unwrap();
    let legless = Clip::at_rest(bones, 30.0, 60).unwrap();
    assert!(matches!(build(&legless), Err(WalkError::Contact(_))));
    let stopped = Gait::build(&walk, &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(WalkError::Cancelled(_))));
}
