//! One live frame among a hundred motions of sixty frames and thirty points, with plain dynamic time warping of the last
//! second against all of them in the same run for comparison.
//!
//! The goal is a 99th percentile, which criterion does not give, so every frame is timed by itself. The rejected
//! variant stays: all distances, none given up.
//!
//! `cargo bench -p ugoki --bench perform`

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::math::{Random, quantile};
use ugoki::perform::{
    Imitation, LearnConfig, Method, Model, ModelPiece, Motion, Pattern, Recognizer, RunConfig, Runner, learn,
};
use ugoki::pose::Pose;
use ugoki::sample;
use ugoki::segment::{BodyPoints, Objective, Observer};
use ugoki::skeleton::Role;

const MOTIONS: usize = 100;
const SAMPLES: usize = 60;
const POINTS: usize = 30;
const ROUNDS: usize = 3000;

/// Thirty points for every frame: a body's own, and the middles between neighbours.
fn thirty(points: &BodyPoints, frame: usize) -> Vec<Vec3> {
    let own = points.frame(frame);
    let middles = own.windows(2).map(|pair| pair[0].lerp(pair[1], 0.5));
    own.iter().copied().chain(middles).take(POINTS).collect()
}

/// A hundred motions: the sample actor's, each in several styles (turned limbs, other reach), so that rivals are near.
fn motions() -> Vec<Vec<Vec<Vec3>>> {
    let mut random = Random::new(6);
    let clips = sample::clips();
    (0..MOTIONS)
        .map(|number| {
            let clip = &clips[number % clips.len()];
            let observer = Observer::build(clip.skeleton()).expect("a body");
            let points = BodyPoints::watch(&observer, clip).scaled(1.0 / observer.leg_metres());
            let mut draw =
                |scale: f64| Vec3::from_array(std::array::from_fn(|_| (scale * random.normal()) as f32));
            let turns: Vec<Quat> = (0..POINTS).map(|_| Quat::from_scaled_axis(draw(0.05))).collect();
            let last = points.num_frames() - 1;
            (0..SAMPLES)
                .map(|sample| {
                    let frame = thirty(&points, sample * last / (SAMPLES - 1));
                    frame.iter().zip(&turns).map(|(p, turn)| *turn * *p).collect()
                })
                .collect()
        })
        .collect()
}

fn model(motions: &[Vec<Vec<Vec3>>]) -> Model {
    let clip = Arc::new(sample::clip("idle").expect("a sample motion"));
    let motion = |frames: &Vec<Vec<Vec3>>| {
        let pattern = Pattern { seconds: 2.0, points: frames.concat() };
        let piece = ModelPiece {
            name: "whole".to_owned(),
            start: 0,
            end: 1,
            group: None,
            objective: Objective::Path,
            index: vec![0.0],
            regression: None,
            patterns: vec![pattern],
        };
        Motion { clip: Arc::clone(&clip), pieces: vec![piece], leg_metres: 1.0, strands: Vec::new() }
    };
    Model { roles: Role::ALL[..POINTS].to_vec(), motions: motions.iter().map(motion).collect() }
}

/// Least cost of warping `a` onto `b`, one row at a time: the code one would write first.
fn plain_dtw(a: &[Vec<Vec3>], b: &[Vec<Vec3>], row: &mut Vec<f32>) -> f32 {
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

fn tell(label: &str, times_ms: &[f64]) {
    let at = |p| quantile(times_ms, p).unwrap_or(f64::NAN);
    println!("{label:<52} p50 {:>8.4} ms   p99 {:>8.4} ms   worst {:>8.4} ms", at(0.5), at(0.99), at(1.0));
}

fn timed(mut deed: impl FnMut(usize), rounds: usize) -> Vec<f64> {
    let one = |round: usize| {
        let start = Instant::now();
        deed(round);
        start.elapsed().as_secs_f64() * 1000.0
    };
    (0..rounds).map(one).collect()
}

fn main() {
    // `cargo test` runs benches once with --test: a few rounds show that it works.
    let rounds = if std::env::args().any(|word| word == "--test") { 20 } else { ROUNDS };
    let motions = motions();
    let model = model(&motions);
    let mut random = Random::new(7);
    // A performance that goes through motion after motion, shaking by a centimetre.
    let live: Vec<Vec<Vec3>> = (0..ROUNDS)
        .map(|frame| {
            let motion = &motions[frame / SAMPLES * 37 % MOTIONS];
            let mut shake = || (0.01 * random.normal()) as f32;
            motion[frame % SAMPLES].iter().map(|p| *p + Vec3::new(shake(), shake(), shake())).collect()
        })
        .collect();
    println!("{MOTIONS} motions × {SAMPLES} frames × {POINTS} points, {rounds} frames");
    for method in [Method::Nearest, Method::Sum, Method::Window, Method::Dp] {
        let mut recognizer = Recognizer::build(&model, RunConfig { method, ..RunConfig::default() });
        recognizer.prepare(60.0);
        let step = |round: usize| {
            black_box(recognizer.step(&live[round], 1.0 / 60.0));
        };
        tell(&format!("recognise, {method}"), &timed(step, rounds));
    }
    whole_frame(rounds);
    let mut row = Vec::new();
    let reference = |round: usize| {
        let last = &live[round * SAMPLES % (ROUNDS - SAMPLES)..][..SAMPLES];
        let best =
            motions.iter().map(|motion| plain_dtw(last, motion, &mut row)).fold(f32::INFINITY, f32::min);
        black_box(best);
    };
    tell("plain dynamic time warping of the last 60 frames", &timed(reference, (rounds / 60).max(3)));
}

/// A whole frame of `run`: watching the body, recognising, estimating, showing, with a hundred learned motions of the sample
/// actor (his points only, and more than one pattern for most motions).
fn whole_frame(rounds: usize) {
    let mut clips: Vec<Clip> = Vec::new();
    for number in 0..MOTIONS {
        let all = [
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
        let mut clip = sample::clip(all[number % all.len()]).expect("a sample motion");
        clip.name = format!("{}-{number}", clip.name);
        let turn = Quat::from_rotation_z(0.02 * (number / all.len()) as f32);
        for frame in 0..clip.num_frames() {
            for joint in 1..clip.num_joints() {
                clip.set_rotation(joint, frame, (clip.rotation(joint, frame) * turn).normalize());
            }
        }
        clips.push(clip);
    }
    let pairs: Vec<Imitation<'_>> =
        clips.iter().map(|clip| Imitation { actor: clip, performer: clip }).collect();
    let go_on = &mut |_| ControlFlow::Continue(());
    let (model, _) = learn(&pairs, &LearnConfig::default(), go_on).expect("sample motions can be learned");
    let patterns: usize =
        model.motions.iter().flat_map(|motion| &motion.pieces).map(|piece| piece.patterns.len()).sum();
    let bodies: Vec<_> = clips.iter().flat_map(|c| (0..c.num_frames()).map(|f| c.model_pose(f))).collect();
    let skeleton = clips[0].skeleton();
    let mut runner =
        Runner::build(&model, skeleton, clips[0].fps(), RunConfig::default()).expect("his own body");
    let mut pose = Pose::rest(skeleton);
    let step = |round: usize| {
        black_box(runner.step(&model, skeleton, &bodies[round * 7 % bodies.len()], &mut pose));
    };
    let label = format!("run, {MOTIONS} motions in {patterns} pieces, {} points", model.roles.len());
    tell(&label, &timed(step, rounds));
}
