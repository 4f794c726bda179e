mod losing;

use ugoki_base::no_progress;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Role, Skeleton};
use ugoki_sample as sample;

use super::*;

fn taught(pairs: &[(&Clip, &Clip)]) -> (Model, LearnReport) {
    let imitations: Vec<Imitation<'_>> =
        pairs.iter().map(|&(actor, performer)| Imitation { actor, performer: Some(performer) }).collect();
    learn(&imitations, &LearnConfig::default(), &mut no_progress()).unwrap()
}

/// Every frame of `input` through the model: what was recognised and the poses shown.
fn performed(model: &Model, input: &Clip, config: RunConfig) -> (Vec<Frame>, Vec<Pose>) {
    let mut runner = Runner::build(model, input.skeleton(), input.fps(), config).unwrap();
    let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
    let (mut frames, mut poses) = (Vec::new(), Vec::new());
    for frame in input.motion_frames() {
        let body = input.model_pose(frame);
        frames.push(runner.step(model, input.skeleton(), &body, &mut pose).unwrap());
        poses.push(pose.clone());
    }
    (frames, poses)
}

/// Every pose halfway to the first one: the same movement done by half.
fn by_half(clip: &Clip) -> Clip {
    let mut half = clip.clone();
    for frame in 0..clip.num_frames() {
        half.root_mut().set(frame, clip.root().get(0).lerp(clip.root().get(frame), 0.5));
        for joint in 0..clip.num_joints() {
            half.set_rotation(joint, frame, clip.rotation(joint, 0).slerp(clip.rotation(joint, frame), 0.5));
        }
    }
    half
}

fn shaken(clip: &Clip, radians: f64, seed: u64) -> Clip {
    let mut random = Random::new(seed);
    let mut shaken = clip.clone();
    for frame in 0..clip.num_frames() {
        for joint in 0..clip.num_joints() {
            let axis = Vec3::new(random.normal() as f32, random.normal() as f32, random.normal() as f32);
            let turn = Quat::from_scaled_axis(axis * radians as f32);
            shaken.set_rotation(joint, frame, (clip.rotation(joint, frame) * turn).normalize());
        }
    }
    shaken
}

/// Mean distance of joints from where the actor has them, hips taken out, metres.
fn mean_pose_error(clip: &Clip, poses: &[Pose]) -> f32 {
    let mut sum = 0.0;
    for (frame, pose) in poses.iter().enumerate() {
        let (a, b) = (clip.model_pose(frame), ugoki_base::pose::forward_kinematics(clip.skeleton(), pose));
        let places = a.positions.iter().zip(&b.positions);
        sum += places.map(|(p, q)| ((*p - a.positions[0]) - (*q - b.positions[0])).length()).sum::<f32>()
            / a.positions.len() as f32;
    }
    sum / poses.len() as f32
}

fn mean_frame_error(frames: &[Frame]) -> f64 {
    let errors = frames.iter().enumerate().map(|(i, frame)| frame.actor_frame.abs_diff(i) as f64);
    errors.sum::<f64>() / frames.len() as f64
}

#[test]
fn an_actor_imitating_the_own_motion_is_shown_unchanged() {
    for name in ["front-kick", "punch", "throw", "reach-up"] {
        let clip = sample::clip(name).unwrap();
        let (model, report) = taught(&[(&clip, &clip)]);
        assert_eq!(report.pairings[0].lag_s, 0.0, "{name}");
        assert!(report.pairings[0].correlation > 0.999, "{name}");
        let learned: Vec<f64> = report.pieces.iter().filter_map(|piece| piece.r2).collect();
        assert!(!learned.is_empty() && learned.iter().all(|&r2| r2 > 0.9), "{name}: {learned:?}");
        let (_, poses) = performed(&model, &clip, RunConfig::default());
        let error = mean_pose_error(&clip, &poses);
        assert!(error < 0.03, "{name}: {error} m");
    }
}

#[test]
fn a_kick_at_half_height_is_shown_as_the_full_kick() {
    // A kick held at the top, and one that is fastest there.
    for name in ["side-kick", "front-kick"] {
        let actor = sample::clip(name).unwrap();
        let performer = by_half(&actor);
        let (model, _) = taught(&[(&actor, &performer)]);
        let (_, poses) = performed(&model, &performer, RunConfig::default());
        let foot = actor.skeleton().find(Role::RightFoot).unwrap();
        let highest = |clip: &Clip| clip.joint_path(foot).iter().map(|p| p.y).fold(0.0_f32, f32::max);
        let shown = Clip::from_poses(actor.skeleton().clone(), actor.fps(), &poses).unwrap();
        assert!(highest(&performer) < 0.8 * highest(&actor), "{name}");
        let (shown, wanted) = (highest(&shown), highest(&actor));
        assert!((shown - wanted).abs() < 0.02, "{name}: {shown} of {wanted} m");
    }
}

#[test]
fn bone_lengths_of_the_performer_do_not_matter() {
    let actor = sample::clip("front-kick").unwrap();
    let own = performed(&taught(&[(&actor, &actor)]).0, &actor, RunConfig::default()).0;
    for factor in [0.8, 1.2] {
        let performer = actor.scaled(factor);
        let (model, _) = taught(&[(&actor, &performer)]);
        let (frames, _) = performed(&model, &performer, RunConfig::default());
        let (a, b) = (mean_frame_error(&own), mean_frame_error(&frames));
        assert!((a - b).abs() <= 1.0, "{factor}: {a} {b}");
    }
}

/// The same rotations on other bones.
fn on_bones(clip: &Clip, factor: impl Fn(Role) -> f32) -> Clip {
    let old = clip.skeleton();
    let joint = |j: usize| {
        let mut joint = old.joint(j).clone();
        joint.offset *= joint.role.map_or(1.0, &factor);
        joint
    };
    let skeleton = ugoki_base::skeleton::Skeleton::build((0..old.num_joints()).map(joint).collect()).unwrap();
    let poses: Vec<Pose> = (0..clip.num_frames()).map(|frame| clip.pose(frame)).collect();
    let mut moved = Clip::from_poses(skeleton, clip.fps(), &poses).unwrap();
    moved.name.clone_from(&clip.name);
    moved
}

#[test]
fn proportions_drop_out() {
    let actor = sample::clip("throw").unwrap();
    let (model, _) = taught(&[(&actor, &actor)]);
    let (own, _) = performed(&model, &actor, RunConfig::default());
    // Upper and lower arms, thighs, shins and feet, each otherwise; and a longer trunk.
    let limbs = |role: Role| {
        let name = role.name();
        match () {
            () if name.contains("LowerArm") => 1.2,
            () if name.ends_with("Hand") => 0.8,
            () if name.contains("LowerLeg") => 0.8,
            () if name.ends_with("Foot") => 1.2,
            () if name.ends_with("Toes") => 0.9,
            () if ["spine", "chest", "upperChest", "neck", "head"].contains(&name) => 1.2,
            () if name.contains("Shoulder") || name.contains("UpperArm") => 1.2,
            () => 1.0,
        }
    };
    let other = on_bones(&actor, limbs);
    for model in [&model, &taught(&[(&actor, &other)]).0] {
        let (frames, _) = performed(model, &other, RunConfig::default());
        // The heading is between hips and shoulders, whose widths still weigh: a twisted trunk faces elsewhere. Nowhere
        // is that a tenth of a second, and hardly anywhere a frame.
        let apart = own.iter().zip(&frames).map(|(a, b)| a.actor_frame.abs_diff(b.actor_frame));
        let (worst, sum) = apart.fold((0, 0), |(worst, sum), d| (worst.max(d), sum + d));
        let mean = sum as f64 / own.len() as f64;
        assert!(worst as f64 <= 0.1 * actor.fps() && mean <= 1.0, "worst {worst} frames, mean {mean}");
    }
}

#[test]
fn the_other_hand_is_found_out_among_several_motions() {
    let clips: Vec<Clip> = ["throw", "punch", "bow"].iter().map(|n| sample::clip(n).unwrap()).collect();
    let pairs: Vec<(&Clip, &Clip)> = clips.iter().map(|clip| (clip, clip)).collect();
    let (model, _) = taught(&pairs);
    // A left-hander throws again and again.
    let other = clips[0].mirrored();
    let poses: Vec<Pose> = (0..3 * other.num_frames()).map(|f| other.pose(f % other.num_frames())).collect();
    let (frames, shown) = performed(&model, &as_clip(&clips[0], &poses), RunConfig::default());
    let last = &frames[2 * other.num_frames()..];
    let right = last.iter().filter(|frame| frame.motion == 0 && frame.mirrored).count();
    assert!(right as f64 > 0.8 * last.len() as f64, "{right} of {}", last.len());
    let error = mean_pose_error(&clips[0], &shown[2 * other.num_frames()..]);
    assert!(error < 0.06, "{error} m");
    // No performer using the same hand is mirrored.
    for clip in &clips {
        let (frames, _) = performed(&model, &shaken(clip, 0.02, 9), RunConfig::default());
        let flipped = frames.iter().position(|frame| frame.mirrored);
        assert_eq!(flipped, None, "{}", clip.name);
    }
}

#[test]
fn lag_is_found_and_removed() {
    let actor = sample::clip("punch").unwrap();
    let mut poses = vec![actor.pose(0); 12];
    poses.extend((0..actor.num_frames()).map(|frame| actor.pose(frame)));
    let mut late = Clip::from_poses(actor.skeleton().clone(), actor.fps(), &poses).unwrap();
    late.name = "late".to_owned();
    let (_, report) = taught(&[(&actor, &late)]);
    assert!((report.pairings[0].lag_s - 12.0 / actor.fps()).abs() < 1e-9, "{:?}", report.pairings);
}

#[test]
fn motions_are_distinguished_by_every_method() {
    let clips: Vec<Clip> = ["front-kick", "punch", "bow"].iter().map(|n| sample::clip(n).unwrap()).collect();
    let pairs: Vec<(&Clip, &Clip)> = clips.iter().map(|clip| (clip, clip)).collect();
    let (model, _) = taught(&pairs);
    for method in [Method::Follow, Method::Dp, Method::Paper] {
        for (number, clip) in clips.iter().enumerate() {
            let input = shaken(clip, 0.01, number as u64);
            let (frames, _) = performed(&model, &input, RunConfig { method, ..RunConfig::default() });
            // The motions have their rest pose in common, where no method can decide.
            let rest = clip.model_pose(0);
            let away = |frame: usize| {
                let model = clip.model_pose(frame);
                model.positions.iter().zip(&rest.positions).any(|(a, b)| a.distance(*b) > 0.25)
            };
            let hits: Vec<bool> =
                (0..frames.len()).filter(|&f| away(f)).map(|f| frames[f].motion == number).collect();
            let right = hits.iter().filter(|&&right| right).count() as f64 / hits.len() as f64;
            // The paper's measure favours compact motions (docs/methods/perform.md): it takes part of the kick, the
            // widest of the three, for others and is right in 0.571 of its frames; in 0.980 and 1.000 of the others'.
            // Following, another motion is shown a tick or two after its beginning differs from rest.
            let least = match method {
                Method::Paper if number == 0 => 0.5,
                Method::Follow => 0.9,
                _ => 0.95,
            };
            assert!(right > least, "{method} {}: {right}", clip.name);
        }
    }
}

/// 99th percentile and greatest of the accelerations of hands, feet and head seen from the hips, metres per second
/// squared.
fn accelerations(clip: &Clip) -> (f64, f64) {
    let hips = clip.joint_path(clip.skeleton().find(Role::Hips).unwrap());
    let roles = [Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot, Role::Head];
    let mut all = Vec::new();
    for role in roles {
        let path = clip.joint_path(clip.skeleton().find(role).unwrap());
        let path: Vec<Vec3> = path.iter().zip(&hips).map(|(p, h)| *p - *h).collect();
        let rate = clip.fps() * clip.fps();
        all.extend(path.windows(3).map(|p| f64::from((p[2] - 2.0 * p[1] + p[0]).length()) * rate));
    }
    (ugoki_base::math::quantile(&all, 0.99).unwrap(), ugoki_base::math::quantile(&all, 1.0).unwrap())
}

fn as_clip(actor: &Clip, poses: &[Pose]) -> Clip {
    Clip::from_poses(actor.skeleton().clone(), actor.fps(), poses).unwrap()
}

#[test]
fn what_is_shown_jerks_little_more_than_the_actor() {
    for name in ["front-kick", "throw", "squat", "clap"] {
        let actor = sample::clip(name).unwrap();
        let (model, _) = taught(&[(&actor, &actor.scaled(0.9))]);
        let (own, _) = accelerations(&actor);
        // As learned, slower, and with sensors that shake by half a centimetre at the hand.
        let slow = actor.resampled(1.3 * actor.fps()).unwrap();
        let poses: Vec<Pose> = slow.motion_frames().map(|frame| slow.pose(frame)).collect();
        let slow = as_clip(&actor, &poses);
        for (how, input) in [("same", &actor), ("slow", &slow), ("shaken", &shaken(&actor, 0.004, 5))] {
            let (_, poses) = performed(&model, input, RunConfig::default());
            let (shown, _) = accelerations(&as_clip(&actor, &poses));
            // Motions as gentle as a squat may have 2 m/s² more, a fifth of a g.
            assert!(shown <= 1.3 * own + 2.0, "{name} {how}: {shown:.0} of {own:.0} m/s²");
        }
    }
}

#[test]
fn jumps_settle_and_never_leave_unit_rotations() {
    let (a, b) = (sample::clip("punch").unwrap(), sample::clip("open-arms").unwrap());
    let (model, _) = taught(&[(&a, &a), (&b, &b)]);
    // Cut hard between the two, again and again.
    let mut poses = Vec::new();
    for round in 0..6 {
        let clip = if round % 2 == 0 { &a } else { &b };
        let start = (round * 7) % (clip.num_frames() - 20);
        poses.extend((start..start + 20).map(|frame| clip.pose(frame)));
    }
    let input = as_clip(&a, &poses);
    let (_, shown) = performed(&model, &input, RunConfig::default());
    let shown = as_clip(&a, &shown);
    for frame in 0..shown.num_frames() {
        for joint in 0..shown.num_joints() {
            assert!((shown.rotation(joint, frame).length() - 1.0).abs() < 1e-4);
        }
    }
    // No joint turns by more than 1500 degrees per second from one frame to the next.
    for frame in 1..shown.num_frames() {
        for joint in 0..shown.num_joints() {
            let turn = ugoki_base::math::angle_between(
                shown.rotation(joint, frame - 1),
                shown.rotation(joint, frame),
            );
            assert!(turn.to_degrees() < 25.0, "joint {joint} by {} degrees", turn.to_degrees());
        }
    }
    // The cuts themselves go at hundreds of metres per second squared.
    let ((_, cut), (_, worst)) = (accelerations(&input), accelerations(&shown));
    let (_, own) = accelerations(&a);
    assert!(worst < 0.25 * cut && worst < 4.0 * own, "{worst:.0}, cut {cut:.0}, actor {own:.0} m/s²");
}

#[test]
fn what_was_not_learned_is_shown_as_the_performer_does_it() {
    let kick = sample::clip("front-kick").unwrap();
    let (model, _) = taught(&[(&kick, &kick)]);
    // Crouching with crossed limbs is near no moment of a kick.
    let mut poses: Vec<Pose> = (0..20).map(|frame| kick.pose(frame)).collect();
    let mut crouched = kick.pose(20);
    for (joint, q) in crouched.rotations.iter_mut().enumerate() {
        if joint > 0 {
            *q *= Quat::from_rotation_x(if joint % 2 == 0 { 1.2 } else { -1.2 });
        }
    }
    poses.extend(std::iter::repeat_n(crouched.clone(), 90));
    let config = RunConfig { unknown: 0.5, ..RunConfig::default() };
    let (frames, shown) = performed(&model, &as_clip(&kick, &poses), config);
    assert!(frames[..20].iter().all(|frame| frame.known));
    assert!(frames[40..].iter().all(|frame| !frame.known && frame.confidence < 0.5));
    // The performer is on a body like the actor's, so the pose is the performer's own within what retargeting leaves.
    let last = shown.last().unwrap();
    for (joint, (p, q)) in last.rotations.iter().zip(&crouched.rotations).enumerate().skip(1) {
        let apart = ugoki_base::math::angle_between(*p, *q);
        assert!(apart < 0.02, "joint {joint}: {apart} rad");
    }
    // By default every performance is one of the motions.
    let (frames, _) = performed(&model, &as_clip(&kick, &poses), RunConfig::default());
    assert!(frames.iter().all(|frame| frame.known));
}

#[test]
fn the_amount_lies_between_performer_and_actor() {
    let kick = sample::clip("front-kick").unwrap();
    let (model, _) = taught(&[(&kick, &kick)]);
    let half = by_half(&kick);
    let foot = kick.skeleton().find(Role::RightFoot).unwrap();
    let highest = |amount: f32| {
        let config = RunConfig { amount, ..RunConfig::default() };
        let (_, poses) = performed(&model, &half, config);
        as_clip(&kick, &poses).joint_path(foot).iter().map(|p| p.y).fold(0.0_f32, f32::max)
    };
    let heights = [0.0, 0.5, 1.0].map(highest);
    let own = half.joint_path(foot).iter().map(|p| p.y).fold(0.0_f32, f32::max);
    assert!((heights[0] - own).abs() < 0.03, "{heights:?}, performer {own} m");
    assert!(heights[0] + 0.05 < heights[1] && heights[1] + 0.05 < heights[2], "{heights:?}");
}

#[test]
fn no_imitation_is_needed() {
    let clips: Vec<Clip> = ["front-kick", "punch", "bow"].iter().map(|n| sample::clip(n).unwrap()).collect();
    let alone: Vec<Imitation<'_>> = clips.iter().map(|actor| Imitation { actor, performer: None }).collect();
    let (model, report) = learn(&alone, &LearnConfig::default(), &mut no_progress()).unwrap();
    assert!(report.pairings.is_empty() && model.motions.iter().all(|motion| motion.strands.is_empty()));
    let found = evaluate::evaluate(&model, None, RunConfig::default(), &mut no_progress()).unwrap();
    for change in evaluate::Change::ALL {
        let (total, worst) = found.total(change).unwrap();
        assert!(
            // With joints that shake by 0.02 rad the beginning of a punch is recognised only gradually.
            total.ratio() > 0.8,
            "{change}: {:.3}, {} {:.3}",
            total.ratio(),
            worst.motion,
            worst.score.ratio()
        );
    }
}

#[test]
fn the_paper_s_run_time_adds_nothing() {
    // What is shown is a frame of the actor, and a frame among the five whose index is nearest the estimate.
    let kick = sample::clip("front-kick").unwrap();
    let (model, _) = taught(&[(&kick, &kick)]);
    let config = RunConfig { method: Method::Paper, ..RunConfig::default() };
    let (frames, poses) = performed(&model, &by_half(&kick), config);
    let mut estimated = 0;
    for (frame, pose) in frames.iter().zip(&poses) {
        assert_eq!(*pose, kick.pose(frame.actor_frame));
        let piece = &model.motions[0].pieces[frame.piece];
        let Some(wanted) = frame.estimate else { continue };
        estimated += 1;
        let far = |index: f32| (f64::from(index) - wanted).abs();
        let own = far(piece.index[frame.actor_frame - piece.start]);
        assert!(piece.index.iter().filter(|index| far(**index) < own).count() < 5);
    }
    assert!(estimated > frames.len() / 2, "{estimated} of {}", frames.len());
}

#[test]
fn unknown_movements_are_rejected_and_rough_performers_are_not() {
    let clips: Vec<Clip> = ["front-kick", "punch", "bow"].iter().map(|n| sample::clip(n).unwrap()).collect();
    let pairs: Vec<(&Clip, &Clip)> = clips.iter().map(|clip| (clip, clip)).collect();
    let several = taught(&pairs).0;
    let alone = taught(&pairs[..1]).0;
    let config = RunConfig { unknown: 0.5, ..RunConfig::default() };
    let held = |model: &Model, input: &Clip| {
        let (frames, _) = performed(model, input, config);
        frames.iter().filter(|frame| !frame.known).count() as f64 / frames.len() as f64
    };
    for clip in &clips {
        let slow = clip.resampled(1.4 * clip.fps()).unwrap();
        let poses: Vec<Pose> = slow.motion_frames().map(|frame| slow.pose(frame)).collect();
        let rough = [by_half(clip), shaken(clip, 0.004, 2), as_clip(clip, &poses), clip.scaled(0.7)];
        for (number, input) in rough.iter().enumerate() {
            assert_eq!(held(&several, input), 0.0, "{} {number}", clip.name);
        }
    }
    for name in ["walk", "run"] {
        let input = sample::clip(name).unwrap();
        for model in [&alone, &several] {
            let fraction = held(model, &input);
            assert!(fraction > 0.5, "{name}, of {} motions: {fraction}", model.motions.len());
        }
    }
}

#[test]
fn a_performer_with_the_other_hand_is_found_out() {
    let actor = sample::clip("throw").unwrap();
    let (model, _) = taught(&[(&actor, &actor)]);
    let mut poses = Vec::new();
    let other = actor.mirrored();
    for _ in 0..2 {
        poses.extend((0..other.num_frames()).map(|frame| other.pose(frame)));
    }
    let input = as_clip(&actor, &poses);
    let half = other.num_frames();
    let error = |mirror: Mirror| {
        let config = RunConfig { mirror, ..RunConfig::default() };
        let (frames, shown) = performed(&model, &input, config);
        (mean_pose_error(&actor, &shown[half..]), frames.last().unwrap().mirrored)
    };
    let (named, found, not) = (error(Mirror::Yes), error(Mirror::Auto), error(Mirror::No));
    assert!(named.1 && named.0 < 0.04, "{named:?}");
    assert!(found.1 && found.0 < 0.05, "{found:?}");
    assert!(!not.1 && not.0 > 2.0 * found.0, "{not:?}");
    // A performer using the same hand is never taken for the other.
    let (frames, _) = performed(&model, &shaken(&actor, 0.02, 3), RunConfig::default());
    assert!(frames.iter().all(|frame| !frame.mirrored));
}

#[test]
fn bodies_without_some_joints_are_performed() {
    let actor = sample::clip("front-kick").unwrap();
    let (model, _) = taught(&[(&actor, &actor)]);
    // Toes and hands have lost their roles, so they are unknown.
    let old = actor.skeleton();
    let joints = (0..old.num_joints()).map(|j| {
        let mut joint = old.joint(j).clone();
        let role = joint.role.map_or("", Role::name);
        if role.contains("Toes") || role.contains("Hand") {
            (joint.role, joint.name) = (None, format!("x{j}"));
        }
        joint
    });
    let skeleton = ugoki_base::skeleton::Skeleton::build(joints.collect()).unwrap();
    let poses: Vec<Pose> = (0..actor.num_frames()).map(|frame| actor.pose(frame)).collect();
    let input = Clip::from_poses(skeleton, actor.fps(), &poses).unwrap();
    let runner = Runner::build(&model, input.skeleton(), input.fps(), RunConfig::default()).unwrap();
    assert!(runner.missing().contains(&Role::LeftToes) && runner.missing().len() >= 2);
    let (_, shown) = performed(&model, &input, RunConfig::default());
    let error = mean_pose_error(&actor, &shown);
    assert!(error < 0.04, "{error} m");
}

#[test]
fn bytes_give_the_model_back() {
    let clip = sample::clip("throw").unwrap();
    let (model, _) = taught(&[(&clip, &by_half(&clip))]);
    let bytes = model.motion_bytes(0);
    let (roles, motion) = Model::motion_from_bytes(&bytes, model.motions[0].clip.clone()).unwrap();
    assert_eq!(Model { roles, motions: vec![motion] }, model);
    for cut in (0..bytes.len()).step_by(97) {
        assert!(Model::motion_from_bytes(&bytes[..cut], model.motions[0].clip.clone()).is_err());
    }
    let mut random = Random::new(1);
    for _ in 0..300 {
        let mut broken = bytes.clone();
        let at = random.index(broken.len());
        broken[at] ^= 1 << random.index(8);
        // Any answer will do, but an answer.
        let _ = Model::motion_from_bytes(&broken, model.motions[0].clip.clone());
    }
    let other = std::sync::Arc::new(sample::clip("nod").unwrap());
    assert!(Model::motion_from_bytes(&bytes, other).is_err());
}

#[test]
fn what_cannot_be_learned_says_why() {
    let go_on = &mut no_progress();
    assert_eq!(learn(&[], &LearnConfig::default(), go_on).unwrap_err(), PerformError::Nothing);
    let actor = sample::clip("punch").unwrap();
    let still = Clip::at_rest(actor.skeleton().clone(), 30.0, 90).unwrap();
    let imitation = Imitation { actor: &actor, performer: Some(&still) };
    let error = learn(&[imitation], &LearnConfig::default(), go_on).unwrap_err();
    assert!(matches!(error, PerformError::Unlearnable { .. }), "{error}");
    // An actor that does nothing has no pieces to learn.
    let imitation = Imitation { actor: &still, performer: Some(&actor) };
    assert!(learn(&[imitation], &LearnConfig::default(), go_on).is_err());
    let short = actor.trimmed(0..1).unwrap();
    let imitation = Imitation { actor: &actor, performer: Some(&short) };
    assert!(matches!(learn(&[imitation], &LearnConfig::default(), go_on), Err(PerformError::Unfit { .. })));
}

#[test]
fn lost_points_are_bridged() {
    let clip = sample::clip("front-kick").unwrap();
    let (model, _) = taught(&[(&clip, &clip)]);
    let mut runner = Runner::build(&model, clip.skeleton(), clip.fps(), RunConfig::default()).unwrap();
    let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
    for frame in clip.motion_frames() {
        let mut body = clip.model_pose(frame);
        if frame % 3 == 0 {
            body.positions[frame % clip.num_joints()] = Vec3::NAN;
        }
        if frame % 17 == 0 {
            body.positions.fill(Vec3::NAN);
        }
        runner.step(&model, clip.skeleton(), &body, &mut pose);
        assert!(pose.rotations.iter().all(|q| q.is_finite()) && pose.root.is_finite());
    }
}

#[test]
fn trackers_alone_are_no_other_movement() {
    // A performer with a long trunk, of whom only hips, head, hands and feet are known.
    let clip = sample::clip("front-kick").unwrap();
    let trunk = [Role::Spine, Role::Chest, Role::UpperChest, Role::Neck];
    let joints = clip.skeleton().joints().iter().map(|joint| {
        let longer = joint.role.is_some_and(|role| trunk.contains(&role));
        Joint { offset: joint.offset * if longer { 1.3 } else { 1.0 }, ..joint.clone() }
    });
    let tall = Skeleton::build(joints.collect()).unwrap();
    let (root, turns) = (clip.root().clone(), clip.rotations().clone());
    let imitation = Clip::from_tracks(tall.clone(), clip.fps(), root, turns, Vec::new()).unwrap();
    let (model, _) = taught(&[(&clip, &imitation)]);
    let roles = [Role::Hips, Role::Head, Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot];
    let own = roles.map(|role| tall.find(role).unwrap());
    let rest = tall.rest_positions();
    let tracker = |k: usize| {
        let offset = if k == 0 { rest[own[0]] } else { rest[own[k]] - rest[own[0]] };
        Joint { role: Some(roles[k]), ..Joint::new(roles[k].name(), (k > 0).then_some(0), offset) }
    };
    let trackers = Skeleton::build((0..roles.len()).map(tracker).collect()).unwrap();
    let config = RunConfig { unknown: 0.5, ..RunConfig::default() };
    let mut runner = Runner::build(&model, &trackers, clip.fps(), config).unwrap();
    let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
    let mut held = 0;
    for frame in clip.motion_frames() {
        let whole = imitation.model_pose(frame);
        let body = ugoki_base::pose::ModelPose {
            positions: own.iter().map(|&joint| whole.positions[joint]).collect(),
            rotations: own.iter().map(|&joint| whole.rotations[joint]).collect(),
        };
        held += usize::from(!runner.step(&model, &trackers, &body, &mut pose).unwrap().known);
    }
    assert!(held * 20 < clip.num_frames(), "{held} of {} frames", clip.num_frames());
}

#[test]
fn several_imitations_of_one_motion_are_pooled() {
    let actor = sample::clip("front-kick").unwrap();
    let performers = [actor.scaled(0.85), by_half(&actor), shaken(&actor, 0.02, 3)];
    let pairs: Vec<(&Clip, &Clip)> = performers.iter().map(|performer| (&actor, performer)).collect();
    let (model, report) = taught(&pairs);
    assert_eq!((model.motions.len(), report.pairings.len()), (1, 3));
    for (piece, reported) in model.motions[0].pieces.iter().zip(&report.pieces) {
        assert_eq!(piece.patterns.len(), 3, "{}", piece.name);
        assert!(reported.rows > 2 * (piece.end - piece.start), "{}: {} rows", piece.name, reported.rows);
    }
    for performer in &performers {
        let (frames, _) = performed(&model, performer, RunConfig::default());
        let error = mean_frame_error(&frames);
        assert!(error < 6.0, "{error} frames");
    }
}

#[test]
fn a_performer_using_the_other_hand_is_paired_by_the_mirror() {
    let actor = sample::clip("throw").unwrap();
    let mut performer = actor.mirrored();
    performer.name = "left-hander".to_owned();
    let (model, report) = taught(&[(&actor, &performer)]);
    assert!(report.pairings[0].mirrored && report.pairings[0].correlation > 0.99);
    assert_eq!(report.pairings[0].lag_s, 0.0);
    let (_, poses) = performed(&model, &performer, RunConfig::default());
    let error = mean_pose_error(&actor, &poses);
    assert!(error < 0.03, "{error} m");
}

#[test]
fn pairing_can_be_stopped_in_the_mirror_too() {
    let (actor, performer) = (sample::clip("throw").unwrap(), sample::clip("bow").unwrap());
    let imitations = [Imitation { actor: &actor, performer: Some(&performer) }];
    // Reports while motions are paired; it is stopped once, at the one of this number.
    let learned = |pair: PairMethod, stop: usize| {
        let config = LearnConfig { pair, ..LearnConfig::default() };
        let mut reports = 0;
        let result = learn(&imitations, &config, &mut |s| {
            reports += usize::from((0.41..0.89).contains(&s));
            if reports == stop {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        });
        (result.map(drop), reports)
    };
    for pair in [PairMethod::Lag, PairMethod::Dtw] {
        let (_, all) = learned(pair, usize::MAX);
        assert!(all > 8, "{pair:?}: {all} reports");
        // The later half are of the mirror image.
        for stop in [all / 4, 3 * all / 4] {
            let (stopped, reports) = learned(pair, stop);
            let is_cancelled = matches!(stopped, Err(PerformError::Cancelled(_)));
            assert!(is_cancelled && reports == stop, "{pair:?}, {stop} of {all}: {reports}");
        }
    }
}
