//! Fitness, optimum, seeds and criteria.

use super::*;

#[test]
fn the_same_seed_gives_the_same_candidates_and_another_seed_others() {
    let (world, timeline) = rich();
    let run =
        |seed| search(&world.library(), &timeline, &[], &ComposeConfig { seed, ..small() }, &mut go).unwrap();
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).candidates, run(6).candidates);
}

#[test]
fn fitness_is_what_a_plain_sum_gives() {
    let (world, timeline) = rich();
    let config = small();
    let composition = search(&world.library(), &timeline, &[], &config, &mut go).unwrap();
    let searched = &composition.intervals[0];
    for candidate in &searched.candidates {
        let (mut f1, mut f2) = (0.0, 0.0);
        let mut starts: Vec<Vec<(usize, f64)>> = Vec::new();
        for (layer, walk) in candidate.walks().iter().enumerate() {
            // T counts both keys: at₂ + length₂ − at₁.
            let total = 9.0 + world.nodes[2].seconds;
            let time: f64 = walk.iter().map(|&v| world.nodes[v as usize].seconds).sum();
            f1 += (total - time).powi(2) / 2.0;
            let costs: f64 = walk
                .windows(2)
                .map(|p| f64::from(world.networks[layer].edge(p[0] as usize, p[1] as usize).unwrap().cost))
                .sum();
            f2 += costs / (walk.len() - 1) as f64 / 2.0;
            let mut at = 0.0;
            let start = walk.iter().map(|&v| {
                let now = (v as usize, at);
                at += world.nodes[v as usize].seconds;
                now
            });
            starts.push(start.collect());
        }
        // Squared difference of the torsos in the middle of every frame of 1/30 s.
        let frames = ((9.0 + world.nodes[2].seconds) * 30.0).floor() as usize;
        let mut f3 = 0.0;
        for frame in 0..frames {
            let t = (frame as f64 + 0.5) / 30.0;
            let row = |layer: &[(usize, f64)]| {
                let &(node, at) = layer.iter().rev().find(|(_, at)| *at <= t).unwrap();
                let rows = &world.nodes[node].torso.rows;
                rows[(((t - at) * 30.0) as usize).min(rows.len() - 1)]
            };
            let (a, b) = (row(&starts[0]), row(&starts[1]));
            f3 += a.iter().zip(b).map(|(x, y)| f64::from(x - y).powi(2)).sum::<f64>() / frames as f64;
        }
        assert!((candidate.f1 - f1).abs() < 1e-4, "{} {f1}", candidate.f1);
        assert!((candidate.f2 - f2).abs() < 1e-6, "{} {f2}", candidate.f2);
        // Sums of some hundred numbers in f32.
        assert!((candidate.f3 - f3).abs() < 1e-4 * f3, "{} {f3}", candidate.f3);
        let w = searched.weights;
        let f = w.time * candidate.f1 + w.roughness * candidate.f2 + w.torso * candidate.f3;
        assert!((candidate.f - f).abs() < 1e-9);
    }
}

/// The least F over every walk from key to key of at most `most` nodes, none twice running.
fn exhaustive(world: &World, from: u32, to: u32, at: f64, weights: Weights, most: usize) -> f64 {
    let mut best = f64::INFINITY;
    let mut open = vec![vec![from]];
    while let Some(walk) = open.pop() {
        let last = walk[walk.len() - 1] as usize;
        let time: f64 = walk.iter().map(|&v| world.nodes[v as usize].seconds).sum();
        for edge in world.networks[0].edges(last).filter(|edge| edge.to as usize != last) {
            let mut next = walk.clone();
            next.push(edge.to);
            if edge.to == to && (time / at - 1.0).abs() <= 0.05 {
                let cost: f64 = next
                    .windows(2)
                    .map(|p| f64::from(world.networks[0].edge(p[0] as usize, p[1] as usize).unwrap().cost))
                    .sum();
                let f =
                    weights.time * (at - time).powi(2) + weights.roughness * cost / (next.len() - 1) as f64;
                best = best.min(f);
            }
            if next.len() < most && time < at * 1.05 {
                open.push(next);
            }
        }
    }
    best
}

#[test]
fn the_search_comes_near_the_best_of_all_walks() {
    for seed in 0..12 {
        let world = World::new(14, 0.3, Layers::full(), 100 + seed);
        let timeline = Timeline { keys: vec![key(0.0, "n1"), key(5.0, "n2")], ..Timeline::default() };
        let weights = Weights { time: 1.0, roughness: 40.0, torso: 0.0 };
        let config = ComposeConfig {
            weights: Some(weights),
            valid_f: Some(1e9),
            candidates: 3,
            population: 100,
            generations: 400,
            ..ComposeConfig::default()
        };
        let best = exhaustive(&world, 1, 2, 5.0, weights, 12);
        let found = search(&world.library(), &timeline, &[], &config, &mut go).unwrap().candidates[0].f;
        assert!(found <= 1.02 * best && found >= best - 1e-5, "seed {seed}: {found}, the best is {best}");
        let paths = ComposeConfig { method: Method::Paths, ..config };
        let by_paths = search(&world.library(), &timeline, &[], &paths, &mut go).unwrap();
        assert!(by_paths.candidates[0].f >= best - 1e-5);
        check(&world, &timeline, &by_paths, &paths);
    }
}

#[test]
fn a_rough_walk_on_time_comes_before_a_smooth_one_that_is_late() {
    // Before the key at half a second: n1 is cheap and lasts too long, n2 is dear and fits.
    let mut world = plain(4, &[(1, 0, 0.0001), (2, 0, 0.04), (3, 0, 0.0002)]);
    for (node, seconds) in [(1, 0.54), (2, 0.49), (3, 0.55)] {
        world.nodes[node].seconds = seconds;
    }
    let timeline = Timeline { keys: vec![key(0.5, "n0")], ..Timeline::default() };
    let made = search(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    assert_eq!(made.candidates[0].walks(), [[2, 0]]);
    let config = ComposeConfig { valid_f: Some(0.0), ..small() };
    let error = search(&world.library(), &timeline, &[], &config, &mut go).unwrap_err();
    assert!(matches!(error, ComposeError::Gap { why: Why::Strict { .. }, .. }), "{error}");
    // Nothing fits: the key's first pose is held. Where it would be held for long, it is said that nothing fits.
    world.nodes[2].seconds = 0.6;
    let made = search(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    assert_eq!((made.candidates[0].walks(), made.seconds), (vec![vec![0]], 1.5));
    let timeline = Timeline { keys: vec![key(1.02, "n0")], ..Timeline::default() };
    assert!(search(&world.library(), &timeline, &[], &small(), &mut go).is_err());
}

#[test]
fn criteria_pull_walks_their_way() {
    let (world, timeline) = rich();
    let free = search(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    let measure = |criterion: Criterion<'static>, config: &ComposeConfig| {
        let weighed = search(&world.library(), &timeline, &[criterion], config, &mut go).unwrap();
        weighed.candidates[0].extras[0]
    };
    let silent = ComposeConfig { valid_f: Some(1e9), generations: 300, ..small() };
    let evens = |candidate: &Candidate| {
        let walks: Vec<u32> = candidate.walks().concat();
        walks.iter().filter(|&&v| v % 2 == 0).count() as f64 / walks.len() as f64
    };
    assert!(measure(tag_preference("odd", false, 20.0), &silent) < 0.5 * (1.0 - evens(&free.candidates[0])));
    assert!(measure(tag_preference("even", true, 20.0), &silent) < 0.5 * (1.0 - evens(&free.candidates[0])));
    assert_eq!(measure(repetition(20.0), &silent), 0.0);
    assert!(measure(travel_direction(0.0, 20.0), &silent) < 0.01);
    assert!(measure(travel_direction(std::f64::consts::PI, 20.0), &silent) < 0.01);
    // A measure that is no number is no reason to panic.
    let bad =
        Criterion { name: "bad".to_owned(), weight: 1.0, measure: Box::new(|_| f64::NAN), of_node: None };
    let lax = ComposeConfig { valid_f: Some(1e12), ..silent };
    assert!(search(&world.library(), &timeline, &[bad], &lax, &mut go).is_ok());
}

#[test]
fn a_caller_can_stop() {
    let (world, timeline) = rich();
    let config = ComposeConfig { valid_f: Some(-1.0), generations: 5000, ..small() };
    let stopped = search(&world.library(), &timeline, &[], &config, &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(ComposeError::Cancelled(_))));
}
