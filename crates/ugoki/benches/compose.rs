//! Searching: generations per second, candidates over 1,000 clips, the path search beside it.
//!
//! ```text
//! cargo bench -p ugoki --bench compose
//! ```
//!
//! A bar that nothing passes makes a search run all its generations; searches of two lengths tell what one costs by itself. Wall clock and, where the
//! system tells it, time on the processor.

use std::ops::ControlFlow;
use std::time::Instant;

use ugoki::compose::{ComposeConfig, Composition, Key, Library, Method, Timeline, Weights, compose};
use ugoki::math::Random;
use ugoki::network::{Layers, Network, Node, TORSO_LANES, Torso};

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Nanoseconds this thread has been on a processor; 0 where the system does not tell.
fn on_cpu_ns() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0.0)
}

/// Wall and processor seconds of the work.
fn seconds<T>(work: impl FnOnce() -> T) -> (T, f64, f64) {
    let (wall, cpu) = (Instant::now(), on_cpu_ns());
    let made = work();
    (made, wall.elapsed().as_secs_f64(), (on_cpu_ns() - cpu) / 1e9)
}

/// 1,000 clips of about a second whose starts and ends are points in a space of few dimensions: near ones are joined.
fn world(layers: &Layers, degree: usize) -> (Vec<Node>, Vec<Network>) {
    let mut random = Random::new(3);
    let count = 1000;
    let nodes: Vec<Node> = (0..count)
        .map(|i| {
            let seconds = (random.range(0.8, 1.2) * 60.0).round() / 60.0;
            let mut bend = [0.0_f32; TORSO_LANES];
            let rows = (0..(seconds * 60.0) as usize).map(|_| {
                bend[..6].iter_mut().for_each(|lane| *lane = 0.95 * *lane + 0.05 * random.normal() as f32);
                bend
            });
            let torso = Torso { rate_hz: 60.0, rows: rows.collect() };
            Node {
                name: format!("n{i}"),
                tags: Vec::new(),
                whole: true,
                seconds,
                torso,
                travel: [0.0; 2],
                turn_rad: 0.0,
                climb_m: 0.0,
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
    let networks = networks.collect();
    (nodes, networks)
}

fn timeline(gap_s: f64) -> Timeline {
    let key = |at: f64, clip: &str| Key { at, clip: Some(clip.to_owned()), ..Key::default() };
    Timeline { keys: vec![key(0.0, "n10"), key(gap_s, "n20")], ..Timeline::default() }
}

/// Generations of one population that are timed: with its first walks, until long after it has settled.
const GENERATIONS: usize = 1000;

/// Seeds over which the median is taken.
const SEEDS: u64 = 9;

/// What a generation costs by itself, from searches of two lengths, and with first walks and tables counted in.
fn generations(name: &str, layers: &Layers, weights: Weights) {
    for degree in [50, 200] {
        let (nodes, networks) = world(layers, degree);
        let library = Library::new(&nodes, layers, &networks, &[]).expect("a library");
        let time = |seed: u64, generations: usize| {
            let config = ComposeConfig {
                weights: Some(weights),
                valid_f: Some(-1.0),
                candidates: 1,
                generations,
                patience: generations,
                seed,
                ..ComposeConfig::default()
            };
            // Fourteen clips of a second between starts: chromosomes of about fifteen.
            let (made, _, cpu) = seconds(|| compose(&library, &timeline(14.0), &[], &config, &mut go));
            assert!(made.is_err(), "nothing passes the bar");
            cpu
        };
        let rates = (0..SEEDS).map(|seed| {
            let (few, many) = (time(seed, GENERATIONS), time(seed, 4 * GENERATIONS));
            (3.0 * GENERATIONS as f64 / (many - few), GENERATIONS as f64 / few)
        });
        let (mut alone, mut whole): (Vec<f64>, Vec<f64>) = rates.unzip();
        alone.sort_by(f64::total_cmp);
        whole.sort_by(f64::total_cmp);
        let middle = SEEDS as usize / 2;
        println!(
            "{name}, {degree} successors: {:.0} generations per second of processor time ({:.0} to {:.0}), {:.0} with tables and first \
             walks over {GENERATIONS}, median of {SEEDS}",
            alone[middle],
            alone[0],
            alone[SEEDS as usize - 1],
            whole[middle]
        );
    }
}

fn candidates(layers: &Layers) {
    let (nodes, networks) = world(layers, 100);
    let library = Library::new(&nodes, layers, &networks, &[]).expect("a library");
    let mut shares = Vec::new();
    for seed in 0..SEEDS {
        let config = ComposeConfig { candidates: 10, seed, ..ComposeConfig::default() };
        let (made, wall, cpu) = seconds(|| compose(&library, &timeline(20.0), &[], &config, &mut go));
        let made = made.expect("candidates");
        show("genetic", &made, wall, cpu);
        let config = ComposeConfig { method: Method::Paths, ..config };
        match seconds(|| compose(&library, &timeline(20.0), &[], &config, &mut go)) {
            (Ok(by_paths), wall, cpu) => {
                show("paths", &by_paths, wall, cpu);
                let share = made.candidates[0].f / by_paths.candidates[0].f;
                println!("  best F of the genetic search over the paths': {share:.3}");
                shares.push(share);
            }
            (Err(error), wall, _) => println!("  paths: {error} ({wall:.2} s)"),
        }
    }
    shares.sort_by(f64::total_cmp);
    println!("best F over the paths' by seed, from least to most: {shares:.3?}");
}

fn show(name: &str, made: &Composition, wall: f64, cpu: f64) {
    let searched = &made.stretches[0];
    let best = &made.candidates[0];
    let worst = made.candidates[made.candidates.len() - 1].f;
    println!(
        "{name}: {} candidates in {:.0} ms of processor time ({:.0} by the clock), {} generations; F {:.3} to {worst:.3} under \
         {:.3} (f1 {:.4} s², f2 {:.4}, f3 {:.4} rad²), diversity {:.2}, torso rank correlation {:.2}",
        made.candidates.len(),
        cpu * 1e3,
        wall * 1e3,
        searched.generations,
        best.f,
        searched.valid_f,
        best.f1,
        best.f2,
        best.f3,
        made.diversity,
        searched.torso_correlation.unwrap_or(f64::NAN)
    );
}

fn main() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load {}", load.trim());
    generations("f1 and f2", &Layers::full(), Weights { time: 1.0, roughness: 20.0, torso: 0.0 });
    generations(
        "f1, f2, f3 at 10 Hz, two layers",
        &Layers::upper_lower(),
        Weights { time: 1.0, roughness: 20.0, torso: 5.0 },
    );
    println!("full:");
    candidates(&Layers::full());
    println!("upper and lower:");
    candidates(&Layers::upper_lower());
}
