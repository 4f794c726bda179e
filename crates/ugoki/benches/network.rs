//! Building motion networks: every pair in blocks, the index, growth.
//!
//! ```text
//! cargo bench -p ugoki --bench network                       1,000 clips of 31 joints, and the index on 20,000 segments
//! UGOKI_CAPTURES=… cargo bench -p ugoki --bench network      segments of captures instead of the sample actor's
//! UGOKI_BENCH_NODES=100000 …                                 more of them
//! ```
//!
//! Timed by hand: wall clock and, where the system tells it, time on the processor, which a busy machine disturbs less.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::time::Instant;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::formats::{ReadOptions, read};
use ugoki::math::{Random, exp};
use ugoki::network::{
    FeatureConfig, Features, Layers, Method, Network, NetworkConfig, build_network, extend_network,
};
use ugoki::sample;
use ugoki::skeleton::{Joint, Skeleton};

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Nanoseconds this thread has been on a processor; 0 where the system does not tell.
fn on_cpu_ns() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0.0)
}

/// Best and median of `rounds` runs: wall and processor milliseconds.
fn measure(name: &str, rounds: usize, mut work: impl FnMut()) {
    let mut walls = Vec::new();
    let mut cpus = Vec::new();
    for _ in 0..rounds {
        let (wall, cpu) = (Instant::now(), on_cpu_ns());
        work();
        cpus.push((on_cpu_ns() - cpu) / 1e6);
        walls.push(wall.elapsed().as_secs_f64() * 1e3);
    }
    walls.sort_by(f64::total_cmp);
    cpus.sort_by(f64::total_cmp);
    println!(
        "{name}: wall median {:.1} ms, best {:.1} ms; processor median {:.1} ms, best {:.1} ms ({rounds} runs)",
        walls[rounds / 2],
        walls[0],
        cpus[rounds / 2],
        cpus[0]
    );
}

fn main() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load {}", load.trim());
    thousand();
    large();
}

/// 1,000 clips on 31 joints: 40 postures with noise, so that some pairs are near.
fn thousand() {
    let mut joints = vec![Joint::new("root", None, Vec3::Y)];
    joints.extend((1..31).map(|j| Joint::new(format!("j{j}"), Some(j - 1), Vec3::Y * 0.1)));
    let skeleton = Skeleton::build(joints).expect("a chain");
    let mut random = Random::new(1);
    let postures: Vec<Vec<Quat>> =
        (0..40).map(|_| (0..31).map(|_| turn(&mut random, 0.4)).collect()).collect();
    let clips: Vec<Clip> = (0..1000).map(|_| clip(&skeleton, &postures, &mut random)).collect();
    let nodes: Vec<(&Clip, Range<usize>)> = clips.iter().map(|clip| (clip, 0..clip.num_frames())).collect();
    let layers = Layers::full();
    let features = Features::build(&nodes, &layers, 0, &FeatureConfig::default()).expect("features");
    println!("1,000 clips, {} channels", features.num_channels());
    measure("features of 1,000 clips", 5, || {
        let made = Features::build(&nodes, &layers, 0, &FeatureConfig::default());
        assert!(made.is_ok());
    });
    for (name, threshold, method) in [
        ("brute force, threshold 0.05", 0.05, Method::Brute),
        ("brute force, no pair given up early", 1e6, Method::Brute),
        ("index, threshold 0.05", 0.05, Method::Index),
    ] {
        let config = NetworkConfig { threshold, most: None, method };
        let network = build_network(&features, &config, &mut go).expect("a network");
        println!("  {} edges", network.num_edges());
        measure(name, 9, || assert!(build_network(&features, &config, &mut go).is_ok()));
    }
    let config = NetworkConfig { method: Method::Brute, ..NetworkConfig::default() };
    let old = Features::build(&nodes[..990], &layers, 0, &FeatureConfig::default()).expect("features");
    let old = build_network(&old, &config, &mut go).expect("a network");
    measure("ten clips added to 990", 9, || assert!(extend_network(&old, &features, &mut go).is_ok()));
}

fn turn(random: &mut Random, size: f64) -> Quat {
    exp(Vec3::new(random.normal() as f32, random.normal() as f32, random.normal() as f32) * size as f32)
}

/// From one posture to another, with noise.
fn clip(skeleton: &Arc<Skeleton>, postures: &[Vec<Quat>], random: &mut Random) -> Clip {
    let mut clip = Clip::at_rest(skeleton.clone(), 60.0, 4).expect("a rate");
    let ends = [random.index(postures.len()), random.index(postures.len())];
    let [first, last] = ends.map(|end| &postures[end]);
    for (joint, (a, b)) in first.iter().zip(last).enumerate() {
        let noise = [turn(random, 0.1), turn(random, 0.1)];
        let step = [turn(random, 0.01), turn(random, 0.01)];
        for frame in 0..4 {
            let end = frame / 2;
            let q = [*a, *b][end] * noise[end];
            clip.set_rotation(joint, frame, if frame % 2 == 0 { q } else { q * step[end] });
        }
    }
    clip
}

/// Takes that share a skeleton: captures where the environment has them.
fn takes() -> Vec<Clip> {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(std::path::PathBuf::from) else {
        println!("UGOKI_CAPTURES is not set: segments of the sample actor");
        return sample::clips();
    };
    let mut takes: Vec<Clip> = Vec::new();
    for part in ["cmu/gesture", "cmu/locomotion"] {
        let mut files: Vec<_> = std::fs::read_dir(folder.join(part))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "bvh")) {
            let bytes = std::fs::read(file).expect("a readable capture");
            let mut clip = read(&bytes, Some("bvh"), &ReadOptions::default()).expect("a BVH").clip;
            if let Some(first) = takes.first() {
                // Bodies of other people have other lengths; the turning is what counts here.
                if clip.skeleton().num_joints() != first.num_joints() {
                    continue;
                }
                let (root, turns) = (clip.root().clone(), clip.rotations().clone());
                let tpose = clip.tpose_frame;
                clip = Clip::from_tracks(first.skeleton().clone(), clip.fps(), root, turns, Vec::new())
                    .expect("a clip");
                clip.tpose_frame = tpose;
            }
            takes.push(clip);
        }
    }
    println!("{} captures", takes.len());
    takes
}

/// Both ends of a random segment of a take, mirrored or not, 10 % slower or faster, bent a little: four frames.
fn segment(takes: &[(Clip, Clip)], random: &mut Random) -> Clip {
    let (plain, mirrored) = &takes[random.index(takes.len())];
    let take = if random.index(2) == 0 { plain } else { mirrored };
    let frames = take.motion_frames();
    let len = (frames.len() / 2).min(20 + random.index(100)).max(2);
    let start = frames.start + random.index(frames.len() - len);
    let fps = take.fps() * random.range(0.9, 1.1);
    let mut clip = Clip::at_rest(take.skeleton().clone(), fps, 4).expect("a rate");
    let at = [start, start + 1, start + len - 2, start + len - 1];
    for joint in 0..take.num_joints() {
        let bend = [turn(random, 0.03), turn(random, 0.03)];
        for (frame, &from) in at.iter().enumerate() {
            clip.set_rotation(joint, frame, take.rotation(joint, from) * bend[frame / 2]);
        }
    }
    clip
}

/// The index against every pair: time, and recall on random rows.
fn large() {
    let count = std::env::var("UGOKI_BENCH_NODES").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000_usize);
    let takes: Vec<(Clip, Clip)> = takes().into_iter().map(|clip| (clip.clone(), clip.mirrored())).collect();
    let mut random = Random::new(2);
    let layers = Layers::upper_lower();
    for layer in 0..2 {
        let mut features: Option<Features> = None;
        let step = count.div_ceil(10);
        for _ in 0..10 {
            let clips: Vec<Clip> = (0..step).map(|_| segment(&takes, &mut random)).collect();
            let nodes: Vec<(&Clip, Range<usize>)> = clips.iter().map(|clip| (clip, 0..4)).collect();
            let more = Features::build(&nodes, &layers, layer, &FeatureConfig::default()).expect("features");
            features = Some(match features {
                None => more,
                Some(old) => old.appended(&more).expect("the same layer"),
            });
        }
        let features = features.expect("features");
        let name = &layers.layers()[layer].name;
        // The 64 cheapest of each: what a search of this size needs, and what fits memory.
        let config = NetworkConfig { threshold: 0.01, most: Some(64), method: Method::Index };
        let mut network: Option<Network> = None;
        measure(&format!("{name}: index over {} segments", features.num_nodes()), 1, || {
            network = build_network(&features, &config, &mut go).ok();
        });
        let network = network.expect("a network");
        let (mut found, mut wanted) = (0_usize, 0_usize);
        let wall = Instant::now();
        for _ in 0..2000.min(features.num_nodes()) {
            let m = random.index(features.num_nodes());
            let mut row: Vec<(f32, u32)> = (0..features.num_nodes())
                .step_by(1)
                .map(|n| (features.cost(m, n), n as u32))
                .filter(|&(cost, _)| cost < 0.01)
                .collect();
            row.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            row.truncate(64);
            wanted += row.len();
            found += row.iter().filter(|&&(_, n)| network.edge(m, n as usize).is_some()).count();
        }
        println!(
            "  {} edges; recall {:.4} of {wanted} true edges on 2,000 rows ({:.0} s)",
            network.num_edges(),
            found as f64 / wanted.max(1) as f64,
            wall.elapsed().as_secs_f64()
        );
        if features.num_nodes() <= 30_000 {
            let config = NetworkConfig { method: Method::Brute, ..config };
            measure(&format!("{name}: brute force over the same"), 1, || {
                assert!(build_network(&features, &config, &mut go).is_ok());
            });
        }
    }
}
