//! Motions one after the other: where they are cut, when a change is noticed, and that the actor's height is shown.

use std::ops::ControlFlow;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::Role;
use ugoki_formats::{Format, WriteOptions, write};
use ugoki_motion::segment::{BodyPoints, Observer, SegmentConfig, segment};
use ugoki_perform::{Imitation, LearnConfig, Model, RunConfig, Runner, learn};
use ugoki_sample as sample;

/// Motions of the sample actor that begin and end standing.
const STANDING: [&str; 14] = [
    "squat",
    "reach-up",
    "throw",
    "front-kick",
    "side-kick",
    "punch",
    "knife-hand",
    "wave",
    "hand-on-heart",
    "point-at-you",
    "open-arms",
    "clap",
    "bow",
    "nod",
];
/// The last of them moves no point by as much as learning needs.
const LEARNABLE: usize = STANDING.len() - 1;
const FPS: f64 = 30.0;
/// What sensors shake, standard deviation of every joint's turn, radians: half a centimetre at the hand.
const NOISE: f64 = 0.004;
/// Good sensors: a quarter of a centimetre.
const LITTLE: f64 = 0.002;
const SEED: u64 = 20_261_116;
/// Sequences that are cut.
const ROUNDS: u64 = 12;

fn go_on(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// How another performer does it: another build, other timing, and sensors that shake.
#[derive(Clone, Copy)]
struct Spoiled {
    scale: f32,
    pace: f64,
    /// Standard deviation of every joint's rotation vector, radians.
    noise: f64,
}

fn spoil(clip: &Clip, how: Spoiled, random: &mut Random) -> Clip {
    let timed = clip.scaled(how.scale).resampled(FPS / how.pace).unwrap();
    let mut poses: Vec<Pose> = timed.motion_frames().map(|frame| timed.pose(frame)).collect();
    for q in poses.iter_mut().flat_map(|pose| &mut pose.rotations) {
        let mut draw = || (how.noise * random.normal()) as f32;
        *q = (*q * Quat::from_scaled_axis(Vec3::new(draw(), draw(), draw()))).normalize();
    }
    let mut spoiled = Clip::from_poses(timed.skeleton().clone(), FPS, &poses).unwrap();
    spoiled.name = format!("{}-imitated", clip.name);
    spoiled
}

/// The clips one after the other, each going on where the one before stood, and the frames at which they meet.
fn joined(clips: &[Clip]) -> (Clip, Vec<usize>) {
    let (mut poses, mut joints): (Vec<Pose>, Vec<usize>) = (Vec::new(), Vec::new());
    for clip in clips {
        let mut shift = Vec3::ZERO;
        if let Some(last) = poses.last() {
            joints.push(poses.len());
            shift = (last.root - clip.pose(0).root) * Vec3::new(1.0, 0.0, 1.0);
        }
        poses.extend((0..clip.num_frames()).map(|frame| {
            let mut pose = clip.pose(frame);
            pose.root += shift;
            pose
        }));
    }
    (Clip::from_poses(clips[0].skeleton().clone(), clips[0].fps(), &poses).unwrap(), joints)
}

/// Five motions, and how one performer does them.
fn five(round: u64, of: usize) -> (Vec<Clip>, f32, Random) {
    let mut random = Random::fork(SEED, round);
    let mut names = STANDING[..of].to_vec();
    for i in 0..5 {
        let other = i + random.index(names.len() - i);
        names.swap(i, other);
    }
    let clips = names[..5].iter().map(|name| sample::clip(name).unwrap()).collect();
    (clips, random.range(0.8, 1.2) as f32, random)
}

fn performance(clips: &[Clip], scale: f32, noise: f64, random: &mut Random) -> (Clip, Vec<usize>) {
    let parts: Vec<Clip> = clips
        .iter()
        .map(|clip| {
            let how = Spoiled { scale, pace: random.range(0.8, 1.25), noise };
            spoil(clip, how, random)
        })
        .collect();
    joined(&parts)
}

/// For every joint of sequences that shake by `noise`: frames to the nearest cut, and whether it lies in a rest.
fn joints(noise: f64, rounds: std::ops::Range<u64>, config: &SegmentConfig) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    for round in rounds {
        let (clips, scale, mut random) = five(round, STANDING.len());
        let (take, joints) = performance(&clips, scale, noise, &mut random);
        let cuts = segment(&take, config, &mut go_on).unwrap();
        for joint in joints {
            let near = cuts.cuts().iter().map(|cut| cut.abs_diff(joint)).min().unwrap_or(usize::MAX);
            let rest = cuts.pieces.iter().any(|p| p.group.is_none() && (p.start..=p.end).contains(&joint));
            found.push((near, rest));
        }
    }
    let resting = found.iter().filter(|(near, rest)| *near > 3 && *rest).count();
    println!(
        "noise {noise}, pause {} s, seed {SEED}: {} joints, {resting} in a rest",
        config.pause_s,
        found.len()
    );
    println!("farther than 3 frames: {:?}", missed(&found));
    found
}

/// Frames to the nearest cut of joints that have none within 3 frames and do not rest.
fn missed(found: &[(usize, bool)]) -> Vec<usize> {
    found.iter().filter(|(near, rest)| *near > 3 && !rest).map(|(near, _)| *near).collect()
}

#[test]
fn joints_of_a_spoiled_sequence_are_cut_or_rest() {
    for noise in [LITTLE, NOISE] {
        let found = joints(noise, 0..ROUNDS, &SegmentConfig::default());
        let missed = missed(&found);
        assert_eq!(found.len(), 4 * ROUNDS as usize);
        assert!(missed.is_empty(), "noise {noise}: {missed:?}");
    }
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: sweeps the least pause over sequences not chosen by; set UGOKI_TABLES=1");
        return;
    }
    for noise in [LITTLE, NOISE] {
        for pause_s in [0.1, 0.15, 0.2, 0.25, 0.3, 0.5] {
            let config = SegmentConfig { pause_s, ..SegmentConfig::default() };
            joints(noise, 0..ROUNDS, &config);
            joints(noise, ROUNDS..4 * ROUNDS, &config);
        }
    }
}

/// Least mean distance per point, leg lengths, from `points` to any sample of a motion.
fn distance(model: &Model, motion: usize, points: &[Vec3]) -> f32 {
    let patterns = model.motions[motion].pieces.iter().flat_map(|piece| &piece.patterns);
    let samples = patterns.flat_map(|pattern| pattern.points.chunks_exact(points.len()));
    let far = |sample: &[Vec3]| sample.iter().zip(points).map(|(a, b)| a.distance(*b)).sum::<f32>();
    samples.map(far).fold(f32::INFINITY, f32::min) / points.len() as f32
}

#[test]
fn a_change_is_noticed_soon_after_it_can_be_seen() {
    let (mut changes, mut at_once, mut from_joint, mut late) = (0, 0, Vec::new(), Vec::new());
    for round in 0..6 {
        let (clips, scale, mut random) = five(round, LEARNABLE);
        let imitations: Vec<Clip> = clips
            .iter()
            .map(|clip| spoil(clip, Spoiled { scale, pace: 1.0, noise: NOISE }, &mut random))
            .collect();
        let pairs: Vec<Imitation<'_>> = clips
            .iter()
            .zip(&imitations)
            .map(|(actor, performer)| Imitation { actor, performer: Some(performer) })
            .collect();
        let (model, _) = learn(&pairs, &LearnConfig::default(), &mut go_on).unwrap();
        let (take, joints) = performance(&clips, scale, NOISE, &mut random);
        let observer = Observer::build(take.skeleton()).unwrap();
        let observer = observer.on_usual_bones(take.skeleton()).only(&model.roles);
        let points = BodyPoints::watch(&observer, &take).scaled(1.0 / observer.leg_metres());
        let mut runner = Runner::build(&model, take.skeleton(), FPS, RunConfig::default()).unwrap();
        let mut pose = Pose::rest(clips[0].skeleton());
        let recognized: Vec<usize> = take
            .motion_frames()
            .map(|f| runner.step(&model, take.skeleton(), &take.model_pose(f), &mut pose).unwrap().motion)
            .collect();
        // How far the shaking sensors alone carry a point: the pose in which a motion begins, seen twice.
        let noise = (0..5).map(|m| distance(&model, m, points.frame(if m == 0 { 0 } else { joints[m - 1] })));
        let noise = noise.fold(0.0, f32::max);
        for (number, &joint) in joints.iter().enumerate() {
            let new = number + 1;
            let end = joints.get(new).copied().unwrap_or(take.num_frames());
            let nearer = |&f: &usize| {
                let others = (0..5).filter(|m| *m != new).map(|m| distance(&model, m, points.frame(f)));
                others.fold(f32::INFINITY, f32::min) > distance(&model, new, points.frame(f)) + noise
            };
            let Some(seen) = (joint..end).find(nearer) else { continue };
            changes += 1;
            let noticed = (seen..end).find(|&f| recognized[f] == new).unwrap_or(end);
            at_once += usize::from(noticed <= seen + 2);
            late.push(noticed - seen);
            let first = (joint..end).find(|&f| recognized[f] == new).unwrap_or(end);
            from_joint.push((first - joint) as f64 / FPS);
        }
    }
    from_joint.sort_by(f64::total_cmp);
    let (median, worst) = (from_joint[from_joint.len() / 2], from_joint[from_joint.len() - 1]);
    println!(
        "{at_once} of {changes} changes noticed within 2 frames ({late:?}); from the joint: median {median:.2} s, worst {worst:.2} s"
    );
    assert!(changes >= 20, "{changes}");
    assert!(at_once as f64 >= 0.95 * f64::from(changes), "{at_once} of {changes}");
    // Which of two motions with one rest pose it is shows after some frames; these are counted from the joint itself.
    assert!(median <= 0.25 && worst <= 0.7, "median {median} s, worst {worst} s");
}

/// Every pose `fraction` of the way from the first one.
fn by(clip: &Clip, fraction: f32) -> Clip {
    let mut less = clip.clone();
    for frame in 0..clip.num_frames() {
        less.root_mut().set(frame, clip.root().get(0).lerp(clip.root().get(frame), fraction));
        for joint in 0..clip.num_joints() {
            less.set_rotation(
                joint,
                frame,
                clip.rotation(joint, 0).slerp(clip.rotation(joint, frame), fraction),
            );
        }
    }
    less.name = format!("{}-{fraction}", clip.name);
    less
}

/// The highest that the right foot gets, metres.
fn highest(clip: &Clip) -> f32 {
    let foot = clip.skeleton().find(Role::RightFoot).unwrap();
    clip.joint_path(foot).iter().map(|p| p.y).fold(0.0_f32, f32::max)
}

/// Punch, side kick and knife-hand by a shorter performer that imitated them at one size and performs them at another:
/// what it does, what is shown, the motion of every frame, and where motions meet.
fn kempo(imitated: f32, performed: f32) -> (Clip, Clip, Vec<usize>, Vec<usize>) {
    let actors: Vec<Clip> = KEMPO.map(|n| sample::clip(n).unwrap()).into();
    let imitations: Vec<Clip> = actors.iter().map(|clip| by(clip, imitated).scaled(0.85)).collect();
    let pairs: Vec<Imitation<'_>> = actors
        .iter()
        .zip(&imitations)
        .map(|(actor, performer)| Imitation { actor, performer: Some(performer) })
        .collect();
    let (model, _) = learn(&pairs, &LearnConfig::default(), &mut go_on).unwrap();
    let parts: Vec<Clip> = actors.iter().map(|clip| by(clip, performed).scaled(0.85)).collect();
    let (take, joints) = joined(&parts);
    let mut runner = Runner::build(&model, take.skeleton(), take.fps(), RunConfig::default()).unwrap();
    let mut pose = actors[0].pose(0);
    let (mut poses, mut recognized) = (Vec::new(), Vec::new());
    for frame in take.motion_frames() {
        let body = take.model_pose(frame);
        recognized.push(runner.step(&model, take.skeleton(), &body, &mut pose).unwrap().motion);
        poses.push(pose.clone());
    }
    let shown = Clip::from_poses(actors[0].skeleton().clone(), take.fps(), &poses).unwrap();
    // For eyes: `ugoki render` shows them.
    for (name, clip) in [("performed", &take), ("shown", &shown)] {
        let written = write(clip, Format::Bvh, &WriteOptions::default(), &mut go_on).unwrap();
        let name = format!("kempo-{imitated}-{performed}-{name}.bvh");
        std::fs::write(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), written.bytes).unwrap();
    }
    (take, shown, recognized, joints)
}

const KEMPO: [&str; 3] = ["punch", "side-kick", "knife-hand"];

#[test]
fn kempo_done_smaller_is_shown_at_the_actor_s_height_however_it_was_imitated() {
    let full = highest(&sample::clip(KEMPO[1]).unwrap());
    let mut wrong = Vec::new();
    for imitated in [1.0, 0.7, 0.5] {
        for performed in [1.0, 0.85, 0.7, 0.6, 0.5] {
            let (take, shown, recognized, joints) = kempo(imitated, performed);
            let (own, seen) = (highest(&take), highest(&shown));
            println!(
                "imitated by {imitated}, performed by {performed}: foot of performer {own:.3} m, actor {full:.3} m, shown {seen:.3} m"
            );
            if (seen - full).abs() >= 0.02 {
                wrong.push((imitated, performed, seen));
            }
            // In the middle of each motion it is that motion that is shown.
            let ends = [0, joints[0], joints[1], take.num_frames()];
            for (motion, name) in KEMPO.iter().enumerate() {
                let (from, to) = (ends[motion], ends[motion + 1]);
                let right =
                    recognized[from..to].iter().filter(|&&m| m == motion).count() as f64 / (to - from) as f64;
                println!("  {name}: {:.0} % of frames", 100.0 * right);
                assert_eq!(recognized[(from + to) / 2], motion, "{name}");
            }
        }
    }
    assert!(wrong.is_empty(), "of {full} m: {wrong:?}");
}
