//! Byte forms of clips: decoding, opening and packing, beside plain gathering and the variants that lost.
//!
//! ```text
//! UGOKI_CAPTURES=… cargo bench -p ugoki --bench codec
//! ```
//!
//! Timed by hand because the 99th percentile is wanted too: batches of eight random frames, so that asking the clock
//! (some 25 ns) does not count, all candidates in turn within each round so that a busy machine hits them alike.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use glam::{Quat, Vec3};
use ugoki::clip::{Clip, PackedClip, shell_error};
use ugoki::formats::{ReadOptions, read};
use ugoki::math::{Random, slerp};
use ugoki::pose::Pose;
use ugoki::sample;

/// Frames decoded between two looks at the clock.
const BATCH: usize = 8;
/// Batches per candidate.
const ROUNDS: usize = 20_000;

fn quiet(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The captures named here where the environment has them, and a sample motion always.
fn clips() -> Vec<(String, Clip)> {
    let walk = &sample::motions()[0];
    let mut clips = vec![(format!("sample actor, {}", walk.name), walk.clip())];
    if let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(std::path::PathBuf::from) {
        for name in ["cmu/sport/135_04.bvh", "cmu/locomotion/16_15.bvh"] {
            let bytes = std::fs::read(folder.join(name)).expect("a readable capture");
            let clip = read(&bytes, Some("bvh"), &ReadOptions::default()).expect("a BVH").clip;
            clips.push((format!("{name} at 60 fps"), clip.resampled(60.0).expect("a rate")));
            clips.push((name.to_owned(), clip));
        }
    } else {
        println!("UGOKI_CAPTURES is not set: only the sample actor");
    }
    clips
}

fn main() {
    for (name, clip) in clips() {
        decode(&name, &clip);
        open(&clip);
    }
}

/// Median and 99th percentile, ns per frame.
fn spread(mut ns: Vec<f64>) -> (f64, f64) {
    ns.sort_by(f64::total_cmp);
    (ns[ns.len() / 2], ns[ns.len() * 99 / 100])
}

fn decode(name: &str, clip: &Clip) {
    let packed = PackedClip::pack(clip, &mut quiet).expect("a finite clip");
    let three = SmallestThree::new(clip);
    let mut random = Random::new(5);
    let frames: Vec<usize> = (0..ROUNDS + BATCH).map(|_| random.index(clip.num_frames())).collect();
    let mut pose = Pose::rest(clip.skeleton());
    let (mut a, mut b) = (pose.clone(), pose.clone());
    type Run<'a> = (&'a str, Box<dyn FnMut(usize) + 'a>);
    let fps = clip.fps();
    let last = clip.num_frames() - 1;
    let mut pose1 = pose.clone();
    let mut pose2 = pose.clone();
    let mut pose3 = pose.clone();
    let mut runs: Vec<Run<'_>> = vec![
        ("plain f32, Clip::pose_into", Box::new(|frame| clip.pose_into(frame, black_box(&mut pose)))),
        ("packed, pose_into", Box::new(|frame| packed.pose_into(frame, black_box(&mut pose1)))),
        (
            "packed, sample_into between frames",
            Box::new(|frame| {
                packed.sample_into((frame.min(last.max(2) - 1) as f64 + 0.4) / fps, black_box(&mut pose2));
            }),
        ),
        ("lost: smallest three in 48 bits", Box::new(|frame| three.pose_into(frame, black_box(&mut pose3)))),
        (
            "lost: two poses and slerp",
            Box::new(|frame| {
                packed.pose_into(frame, &mut a);
                packed.pose_into((frame + 1).min(last), &mut b);
                for (a, b) in a.rotations.iter_mut().zip(&b.rotations) {
                    *a = slerp(*a, *b, 0.4);
                }
                black_box(&mut a);
            }),
        ),
    ];
    let mut times: Vec<Vec<f64>> = vec![Vec::with_capacity(ROUNDS); runs.len()];
    for round in 0..ROUNDS {
        for (times, (_, run)) in times.iter_mut().zip(&mut runs) {
            let start = Instant::now();
            for &frame in &frames[round..round + BATCH] {
                run(frame);
            }
            times.push(start.elapsed().as_nanos() as f64 / BATCH as f64);
        }
    }
    let names: Vec<&str> = runs.iter().map(|(name, _)| *name).collect();
    drop(runs);
    println!("\n{name}: {} joints, {} frames", clip.num_joints(), clip.num_frames());
    println!("| decoding one frame, random order | median ns | p99 ns |\n|---|---|---|");
    for (name, times) in names.iter().zip(times) {
        let (median, p99) = spread(times);
        println!("| {name} | {median:.0} | {p99:.0} |");
    }
    let raw = clip.num_frames() * (clip.num_joints() * 16 + 12);
    println!(
        "bytes 1/{:.2} of plain, memory 1/{:.2}, largest error {:.4} mm",
        raw as f64 / packed.to_bytes().len() as f64,
        raw as f64 / packed.memory() as f64,
        packed.max_error_m() * 1e3
    );
    let error = (0..clip.num_frames()).map(|f| shell_error(clip.skeleton(), &clip.pose(f), &three.pose(f)));
    println!(
        "smallest three: bytes 1/{:.2} of plain, largest error {:.4} mm",
        raw as f64 / three.bytes() as f64,
        error.fold(0.0, f64::max) * 1e3
    );
}

fn open(clip: &Clip) {
    let packed = PackedClip::pack(clip, &mut quiet).expect("a finite clip");
    let (bytes, whole) = (packed.to_bytes(), clip.to_bytes());
    let per_thousand = 1000.0 / clip.num_frames() as f64 * 1e-6;
    let time = |count: usize, run: &mut dyn FnMut()| {
        let times = (0..count).map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_nanos() as f64 * per_thousand
        });
        spread(times.collect())
    };
    println!("| per 1,000 frames | median ms | p99 ms |\n|---|---|---|");
    let skeleton = clip.skeleton();
    let (median, p99) = time(200, &mut || drop(black_box(PackedClip::from_bytes(skeleton, &bytes))));
    println!("| PackedClip::from_bytes | {median:.4} | {p99:.4} |");
    let (median, p99) = time(20, &mut || drop(black_box(PackedClip::pack(clip, &mut quiet))));
    println!("| PackedClip::pack | {median:.3} | {p99:.3} |");
    let (median, p99) = time(50, &mut || drop(black_box(Clip::from_bytes(&whole))));
    println!("| Clip::from_bytes, without loss | {median:.3} | {p99:.3} |");
    let (median, p99) = time(50, &mut || drop(black_box(clip.to_bytes())));
    println!("| Clip::to_bytes, without loss | {median:.3} | {p99:.3} |");
}

/// The simplest packing: the three smallest numbers of each quaternion in 15 bits each, two bits for which is left out.
struct SmallestThree {
    rotations: Vec<[u16; 3]>,
    root: Vec<Vec3>,
    joints: usize,
}

impl SmallestThree {
    fn new(clip: &Clip) -> Self {
        let mut rotations = Vec::new();
        for frame in 0..clip.num_frames() {
            for joint in 0..clip.num_joints() {
                let q = clip.rotation(joint, frame).to_array();
                let largest = (0..4).max_by(|&a, &b| q[a].abs().total_cmp(&q[b].abs())).expect("four");
                let sign = q[largest].signum();
                let mut words = [0u16; 3];
                let rest = (0..4).filter(|&c| c != largest);
                for (word, c) in words.iter_mut().zip(rest) {
                    let unit = q[c] * sign * std::f32::consts::FRAC_1_SQRT_2 + 0.5;
                    *word = (unit * 32_767.0).round() as u16;
                }
                words[0] |= (largest as u16 & 1) << 15;
                words[1] |= (largest as u16 >> 1) << 15;
                rotations.push(words);
            }
        }
        Self { rotations, root: clip.root().iter().collect(), joints: clip.num_joints() }
    }

    fn bytes(&self) -> usize {
        self.rotations.len() * 6 + self.root.len() * 12
    }

    fn pose_into(&self, frame: usize, pose: &mut Pose) {
        pose.root = self.root[frame];
        pose.rotations.clear();
        let words = &self.rotations[frame * self.joints..(frame + 1) * self.joints];
        pose.rotations.extend(words.iter().map(|words| {
            let largest = usize::from(words[0] >> 15 | (words[1] >> 15) << 1);
            let rest = words.map(|w| (f32::from(w & 0x7fff) / 32_767.0 - 0.5) * std::f32::consts::SQRT_2);
            let w = (1.0 - rest[0] * rest[0] - rest[1] * rest[1] - rest[2] * rest[2]).max(0.0).sqrt();
            let [a, b, c] = rest;
            match largest {
                0 => Quat::from_xyzw(w, a, b, c),
                1 => Quat::from_xyzw(a, w, b, c),
                2 => Quat::from_xyzw(a, b, w, c),
                _ => Quat::from_xyzw(a, b, c, w),
            }
        }));
    }

    fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        self.pose_into(frame, &mut pose);
        pose
    }
}
