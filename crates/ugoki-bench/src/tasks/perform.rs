//! One live frame among many learned motions: recognising alone, and the whole frame of a run.

use std::hint::black_box;
use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::math::Random;
use ugoki::perform::{
    Imitation, LearnConfig, Method, Model, ModelPiece, Motion, Pattern, Recognizer, RunConfig, Runner, learn,
};
use ugoki::pose::Pose;
use ugoki::sample;
use ugoki::segment::{BodyPoints, Objective, Observer};
use ugoki::skeleton::Role;

use super::quiet;
use crate::clock::Bench;

const SAMPLES: usize = 60;
const POINTS: usize = 30;
/// Frames of the performance, gone through again and again.
const LIVE: usize = 3000;

type Frames = Vec<Vec<Vec3>>;

pub(crate) fn measure(bench: &mut Bench) {
    for &count in bench.sizes(&[10, 30, 100, 300, 1000]) {
        let motions = motions(count);
        let model = model(&motions);
        let live = performance(&motions);
        let methods = [("perform.sum", Method::Paper), ("perform.dp", Method::Dp)];
        for (task, method) in methods {
            let mut recognizer = Recognizer::build(&model, method);
            let mut frames = live.iter().cycle();
            bench.measure(task, count, 1.0, || {
                black_box(recognizer.step(frames.next().expect("a cycle")));
            });
        }
        if count <= 100 {
            let (mut row, mut seconds) = (Vec::new(), live.windows(SAMPLES).cycle());
            bench.variant("perform.dp", "all of the last second warped, plainly", count, 1.0, || {
                let last = seconds.next().expect("a cycle");
                let costs = motions.iter().map(|motion| plain_warp(last, motion, &mut row));
                black_box(costs.fold(f32::INFINITY, f32::min));
            });
        }
    }
    for &count in bench.sizes(&[10, 20, 50, 100]) {
        whole_frame(bench, count);
    }
}

/// The sample actor's motions, each in several styles (turned limbs, other reach), so that rivals are near.
fn motions(count: usize) -> Vec<Frames> {
    let mut random = Random::new(6);
    let clips = sample::clips();
    let one = |number: usize| {
        let clip = &clips[number % clips.len()];
        let observer = Observer::build(clip.skeleton()).expect("a body");
        let points = BodyPoints::watch(&observer, clip).scaled(1.0 / observer.leg_metres());
        let mut draw =
            |scale: f64| Vec3::from_array(std::array::from_fn(|_| (scale * random.normal()) as f32));
        let turns: Vec<Quat> = (0..POINTS).map(|_| Quat::from_scaled_axis(draw(0.05))).collect();
        let last = points.num_frames() - 1;
        let frame = |sample: usize| {
            let frame = thirty(&points, sample * last / (SAMPLES - 1));
            frame.iter().zip(&turns).map(|(p, turn)| *turn * *p).collect()
        };
        (0..SAMPLES).map(frame).collect()
    };
    (0..count).map(one).collect()
}

/// Thirty points for every frame: a body's own, and the middles between neighbours.
fn thirty(points: &BodyPoints, frame: usize) -> Vec<Vec3> {
    let own = points.frame(frame);
    let middles = own.windows(2).map(|pair| pair[0].lerp(pair[1], 0.5));
    own.iter().copied().chain(middles).take(POINTS).collect()
}

fn model(motions: &[Frames]) -> Model {
    let clip = Arc::new(sample::clip("idle").expect("a sample motion"));
    let motion = |frames: &Frames| {
        let piece = ModelPiece {
            name: "whole".to_owned(),
            start: 0,
            end: 1,
            group: None,
            objective: Objective::Path,
            index: vec![0.0],
            regression: None,
            patterns: vec![Pattern { seconds: 2.0, points: frames.concat() }],
        };
        Motion { clip: Arc::clone(&clip), pieces: vec![piece], leg_metres: 1.0, strands: Vec::new() }
    };
    Model { roles: Role::ALL[..POINTS].to_vec(), motions: motions.iter().map(motion).collect() }
}

/// Goes through motion after motion, shaking by a centimetre.
fn performance(motions: &[Frames]) -> Frames {
    let mut random = Random::new(7);
    let one = |frame: usize| {
        let motion = &motions[frame / SAMPLES * 37 % motions.len()];
        let mut shake = || (0.01 * random.normal()) as f32;
        motion[frame % SAMPLES].iter().map(|p| *p + Vec3::new(shake(), shake(), shake())).collect()
    };
    (0..LIVE).map(one).collect()
}

/// Least cost of warping `a` onto `b`, one row at a time: the code one would write first.
fn plain_warp(a: &[Vec<Vec3>], b: &[Vec<Vec3>], row: &mut Vec<f32>) -> f32 {
    row.clear();
    row.resize(b.len() + 1, f32::INFINITY);
    row[0] = 0.0;
    for x in a {
        let mut corner = std::mem::replace(&mut row[0], f32::INFINITY);
        for (j, y) in b.iter().enumerate() {
            let d: f32 = x.iter().zip(y).map(|(p, q)| p.distance(*q)).sum();
            let least = corner.min(row[j]).min(row[j + 1]);
            corner = std::mem::replace(&mut row[j + 1], least + d);
        }
    }
    row[b.len()]
}

/// Watching the body, recognising, estimating, showing, with learned motions of the sample actor.
fn whole_frame(bench: &mut Bench, count: usize) {
    const NAMES: [&str; 10] = [
        "punch",
        "front-kick",
        "side-kick",
        "knife-hand",
        "throw",
        "bow",
        "squat",
        "reach-up",
        "wave",
        "open-arms",
    ];
    let styled = |number: usize| {
        let mut clip = sample::clip(NAMES[number % NAMES.len()]).expect("a sample motion");
        clip.name = format!("{}-{number}", clip.name);
        let turn = Quat::from_rotation_z(0.02 * (number / NAMES.len()) as f32);
        for frame in 0..clip.num_frames() {
            for joint in 1..clip.num_joints() {
                clip.set_rotation(joint, frame, (clip.rotation(joint, frame) * turn).normalize());
            }
        }
        clip
    };
    let clips: Vec<Clip> = (0..count).map(styled).collect();
    let pairs: Vec<Imitation<'_>> =
        clips.iter().map(|clip| Imitation { actor: clip, performer: Some(clip) }).collect();
    let (model, _) =
        learn(&pairs, &LearnConfig::default(), &mut quiet).expect("sample motions can be learned");
    let bodies: Vec<_> = clips.iter().flat_map(|c| (0..c.num_frames()).map(|f| c.model_pose(f))).collect();
    let skeleton = clips[0].skeleton();
    let mut runner =
        Runner::build(&model, skeleton, clips[0].fps(), RunConfig::default()).expect("his own body");
    let mut pose = Pose::rest(skeleton);
    let mut bodies = bodies.iter().cycle();
    bench.measure("perform.frame", count, 1.0, || {
        black_box(runner.step(&model, skeleton, bodies.next().expect("a cycle"), &mut pose));
    });
}
