//! Searching motions between keys: the price of a generation, and of ten candidates.

use std::hint::black_box;
use std::time::Instant;

use ugoki::compose::{ComposeConfig, Key, Library, Method, Timeline, Weights, search};
use ugoki::math::Random;
use ugoki::network::{Climb, Layers, Network, Node, Pace, TORSO_LANES, Torso};

use super::quiet;
use crate::clock::Bench;

/// Sizes of networks, clips.
pub(crate) const SIZES: [usize; 4] = [100, 300, 1000, 3000];

/// Clips each can be followed by.
const DEGREE: usize = 50;
/// Seeds over which the quality of candidates is reported.
const SEEDS: u64 = 9;

pub(crate) fn measure(bench: &mut Bench) {
    let plain = Weights { time: 1.0, roughness: 20.0, torso: 0.0 };
    let torso = Weights { torso: 5.0, ..plain };
    // So many that the first walks and tables, made once a search, hardly count.
    let generations = if bench.smoke { 10 } else { 4000 };
    for (task, layers, weights) in [
        ("compose.generation", Layers::full(), plain),
        ("compose.generation.torso", Layers::upper_lower(), torso),
    ] {
        for (what, degree) in [("", DEGREE), ("200 successors", 200)] {
            let (nodes, networks) = world(&layers, 1000, degree, 0);
            let library = Library::new(&nodes, &layers, &networks, &[]).expect("a library");
            let config = ComposeConfig {
                weights: Some(weights),
                // Everything passes this bar and no time limit applies: one search, which ends when all generations are
                // done. (A bar that nothing passes makes the search fail and begin again by laxer rules: twice the
                // generations that are counted.)
                valid_f: Some(f64::MAX),
                candidates: 1,
                generations,
                patience: generations,
                ..ComposeConfig::default()
            };
            bench.variant(task, what, 200, generations as f64, || {
                // Fourteen clips of a second between starts: chromosomes of about fifteen.
                let made = search(&library, &timeline(14.0), &[], &config, &mut quiet).expect("walks");
                assert_eq!(black_box(made).intervals[0].generations, generations, "as many as are counted");
            });
        }
    }
    quality(bench);
    for &clips in bench.sizes(&SIZES) {
        for (task, layers) in
            [("compose.candidates", Layers::full()), ("compose.candidates.layers", Layers::upper_lower())]
        {
            let (nodes, networks) = world(&layers, clips, DEGREE, 0);
            let library = Library::new(&nodes, &layers, &networks, &[]).expect("a library");
            let config = ComposeConfig { candidates: 10, ..ComposeConfig::default() };
            bench.measure(task, clips, 1.0, || {
                drop(black_box(search(&library, &timeline(20.0), &[], &config, &mut quiet)));
            });
            if task == "compose.candidates" {
                let config = ComposeConfig { method: Method::Paths, ..config };
                bench.measure("compose.paths", clips, 1.0, || {
                    drop(black_box(search(&library, &timeline(20.0), &[], &config, &mut quiet)));
                });
            }
        }
    }
}

/// How cheap the best candidate is compared with the best path of a search that was given ten times as long, how unlike
/// the ten are, and how many of them are as good as F_v; over networks and seeds.
fn quality(bench: &mut Bench) {
    // Some minutes of path searches: only where it was asked for.
    if bench.counted.is_some() || !(bench.wants("compose.cost") || bench.wants("compose.alike")) {
        return;
    }
    for &clips in if bench.smoke { &[100_usize][..] } else { &[300, 1000] } {
        for (name, layers) in [("", Layers::full()), (".layers", Layers::upper_lower())] {
            let (mut fractions, mut alike, mut worse) = (Vec::new(), Vec::new(), Vec::new());
            for seed in 0..if bench.smoke { 1 } else { SEEDS } {
                let (nodes, networks) = world(&layers, clips, DEGREE, seed);
                let library = Library::new(&nodes, &layers, &networks, &[]).expect("a library");
                let config = ComposeConfig { candidates: 10, seed, ..ComposeConfig::default() };
                let start = Instant::now();
                let Ok(made) = search(&library, &timeline(20.0), &[], &config, &mut quiet) else { continue };
                let took = start.elapsed();
                alike.push(1.0 - made.diversity);
                let missed = made.candidates.iter().filter(|c| c.f > made.intervals[0].valid_f).count();
                worse.push(missed + 10 - made.candidates.len());
                let mut best = f64::INFINITY;
                for kept in [4, 8, 16, 32, 64, 128] {
                    let config = ComposeConfig { method: Method::Paths, kept, ..config.clone() };
                    let start = Instant::now();
                    if let Ok(paths) = search(&library, &timeline(20.0), &[], &config, &mut quiet) {
                        best = best.min(paths.candidates[0].f);
                    }
                    if start.elapsed() >= 10 * took || bench.smoke {
                        break;
                    }
                }
                fractions.push(made.candidates[0].f / best);
            }
            println!("worse than F_v or lacking of ten{name}, {clips} clips: {worse:?}");
            for (task, values) in [("compose.cost", fractions), ("compose.alike", alike)] {
                if !values.is_empty() {
                    println!("{task}{name}, {clips} clips: {values:.3?}");
                    bench.tell(&format!("{task}{name}.ratio"), "", clips, values);
                }
            }
        }
    }
}

/// The network of so many clips in one layer.
pub(super) fn one_layer(clips: usize) -> Network {
    world(&Layers::full(), clips, DEGREE, 0).1.remove(0)
}

/// The same as the peers read it: a line of *from, to, cost* per edge.
pub(crate) fn edge_list(clips: usize) -> String {
    let network = one_layer(clips);
    let lines = (0..clips)
        .flat_map(|from| network.edges(from).map(move |edge| format!("{from} {} {}\n", edge.to, edge.cost)));
    lines.collect()
}

/// Clips of about a second whose starts and ends are points in a space of few dimensions: near ones are joined.
fn world(layers: &Layers, count: usize, degree: usize, seed: u64) -> (Vec<Node>, Vec<Network>) {
    let mut random = Random::new(3 + seed);
    let nodes = (0..count)
        .map(|i| {
            let seconds = (random.range(0.8, 1.2) * 60.0).round() / 60.0;
            let mut bend = [0.0_f32; TORSO_LANES];
            let rows = (0..(seconds * 60.0) as usize).map(|_| {
                bend[..6].iter_mut().for_each(|lane| *lane = 0.95 * *lane + 0.05 * random.normal() as f32);
                bend
            });
            Node {
                name: format!("n{i}"),
                tags: Vec::new(),
                whole: true,
                seconds,
                pace: Pace::default(),
                torso: Torso { rate_hz: 60.0, rows: rows.collect() },
                travel: [0.0; 2],
                turn_rad: 0.0,
                speeds_m_s: [0.0; 2],
                climb: Climb::default(),
            }
        })
        .collect();
    let networks = layers.layers().iter().map(|_| {
        let mut point = || [random.normal(), random.normal(), random.normal(), random.normal()];
        let ends: Vec<[f64; 4]> = (0..count).map(|_| point()).collect();
        let starts: Vec<[f64; 4]> = (0..count).map(|_| point()).collect();
        let mut edges = Vec::new();
        for (m, end) in ends.iter().enumerate() {
            let mut row: Vec<(f64, u32)> = starts
                .iter()
                .enumerate()
                .map(|(n, start)| (end.iter().zip(start).map(|(a, b)| (a - b) * (a - b)).sum(), n as u32))
                .collect();
            row.sort_by(|a, b| a.0.total_cmp(&b.0));
            edges.extend(row[..degree].iter().map(|&(d, n)| (m as u32, n, (d * 0.01) as f32)));
        }
        Network::from_edges(count, &edges, f32::MAX).expect("edges")
    });
    (nodes, networks.collect())
}

fn timeline(gap_s: f64) -> Timeline {
    let key = |at: f64, clip: &str| Key { at, clip: Some(clip.to_owned()), ..Key::default() };
    Timeline { keys: vec![key(0.0, "n10"), key(gap_s, "n20")], ..Timeline::default() }
}
