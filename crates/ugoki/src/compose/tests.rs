//! Laws of composing: edges, keys, seeds, fitness by a second sum, optimum by exhaustion, and networks that resist.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::*;
use crate::math::Random;
use crate::network::{Climb, Layers, Network, Node, Origin, TORSO_LANES, Torso};

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Nodes of random lengths and torsos; `tags` are `even` and `odd` by number.
fn nodes(count: usize, random: &mut Random) -> Vec<Node> {
    (0..count)
        .map(|i| {
            let seconds = (random.range(0.4, 1.6) * 30.0).round() / 30.0;
            let mut bend = [0.0_f32; TORSO_LANES];
            let rows = (0..(seconds * 30.0) as usize).map(|_| {
                for lane in &mut bend[..6] {
                    *lane = 0.9 * *lane + 0.1 * random.normal() as f32;
                }
                bend
            });
            Node {
                name: format!("n{i}"),
                tags: vec![if i % 2 == 0 { "even" } else { "odd" }.to_owned()],
                whole: true,
                seconds,
                torso: Torso { rate_hz: 30.0, rows: rows.collect() },
                travel: [0.0, random.range(-1.0, 1.0) as f32],
                turn_rad: 0.0,
                climb: Climb::default(),
            }
        })
        .collect()
}

fn random_network(count: usize, density: f64, random: &mut Random) -> Network {
    let mut edges = Vec::new();
    for from in 0..count as u32 {
        for to in 0..count as u32 {
            if random.uniform() < density {
                edges.push((from, to, random.range(0.001, 0.05) as f32));
            }
        }
    }
    Network::from_edges(count, &edges, 0.05).unwrap()
}

struct World {
    nodes: Vec<Node>,
    layers: Layers,
    networks: Vec<Network>,
}

impl World {
    fn new(count: usize, density: f64, layers: Layers, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let nodes = nodes(count, &mut random);
        let networks = layers.layers().iter().map(|_| random_network(count, density, &mut random)).collect();
        Self { nodes, layers, networks }
    }

    fn library(&self) -> Library<'_> {
        Library::new(&self.nodes, &self.layers, &self.networks, &[]).unwrap()
    }
}

fn key(at: f64, clip: &str) -> Key {
    Key { at, clip: Some(clip.to_owned()), ..Key::default() }
}

fn small() -> ComposeConfig {
    ComposeConfig { candidates: 3, population: 24, generations: 60, ..ComposeConfig::default() }
}

/// Every law that a candidate must keep, whatever the network.
fn check(world: &World, timeline: &Timeline, composition: &Composition, config: &ComposeConfig) {
    assert!(!composition.candidates.is_empty());
    for candidate in &composition.candidates {
        assert!(candidate.stretch <= config.stretch + 1e-6, "{}", candidate.stretch);
        for (layer, sequence) in candidate.layers.iter().enumerate() {
            let network = &world.networks[layer];
            for pair in sequence.items.windows(2) {
                let edge = network.edge(pair[0].node, pair[1].node).expect("every transition is an edge");
                assert_eq!(edge.cost, pair[1].cost);
                assert!((pair[0].end_s - pair[1].start_s).abs() < 1e-9, "no gaps in time");
            }
            for item in &sequence.items {
                let played = (item.leave_s - item.enter_s) / item.speed;
                assert!((item.end_s - item.start_s - played).abs() < 1e-4, "{item:?}");
            }
            let keys: Vec<usize> = sequence.items.iter().filter_map(|item| item.key).collect();
            let mut wanted: Vec<usize> = (0..timeline.keys.len())
                .filter(|&k| timeline.keys[k].layer.as_ref().is_none_or(|name| *name == sequence.layer))
                .collect();
            wanted.sort_by(|&a, &b| timeline.keys[a].at.total_cmp(&timeline.keys[b].at));
            assert_eq!(keys, wanted, "all keys, in order");
            for item in sequence.items.iter().filter(|item| item.key.is_some()) {
                let key = &timeline.keys[item.key.unwrap()];
                assert!((item.start_s - timeline.on_beat(key.at)).abs() < 1e-6, "keys on time");
                let node = &world.nodes[item.node];
                assert!(key.clip.as_ref().is_none_or(|clip| *clip == node.name));
                assert!(key.tag.as_ref().is_none_or(|tag| node.tags.contains(tag)));
            }
        }
    }
    for searched in &composition.stretches {
        assert!(searched.candidates.is_sorted_by(|a, b| a.f <= b.f));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_network_gives_walks_that_keep_the_laws_or_a_message(
        count in 1_usize..40, density in 0.0..0.8_f64, seed in 0_u64..1_000_000, way in 0_usize..3,
        times in prop::collection::vec(0.0..9.0_f64, 0..4), length in prop::option::of(1.0..14.0_f64),
    ) {
        let layers = [Layers::full(), Layers::upper_lower(), Layers::head_arms_legs()][way].clone();
        let world = World::new(count, density, layers, seed);
        let mut random = Random::new(seed);
        let keys = times.iter().map(|&at| {
            let names = world.layers.layers();
            let layer = (random.index(3) == 0).then(|| names[random.index(names.len())].name.clone());
            let key = Key { at, layer, ..Key::default() };
            if random.index(3) == 0 {
                Key { tag: Some("even".to_owned()), ..key }
            } else {
                Key { clip: Some(format!("n{}", random.index(count))), ..key }
            }
        });
        let timeline = Timeline { seconds: length, keys: keys.collect(), ..Timeline::default() };
        match compose(&world.library(), &timeline, &[], &small(), &mut go) {
            Ok(composition) => check(&world, &timeline, &composition, &small()),
            Err(error) => prop_assert!(error.to_string().len() > 20, "{error}"),
        }
    }

    #[test]
    fn edit_distance_is_a_distance(
        a in prop::collection::vec(0_u32..4, 0..9), b in prop::collection::vec(0_u32..4, 0..9),
    ) {
        let d = edit_distance(&a, &b);
        prop_assert_eq!(d, edit_distance(&b, &a));
        prop_assert_eq!(d == 0.0, a == b);
        // At least the difference of lengths, at most the longer length.
        let longer = a.len().max(b.len()).max(1) as f64;
        prop_assert!(d <= 1.0 && d >= a.len().abs_diff(b.len()) as f64 / longer);
    }
}

fn rich() -> (World, Timeline) {
    let world = World::new(60, 0.3, Layers::upper_lower(), 7);
    let timeline = Timeline { keys: vec![key(0.0, "n1"), key(9.0, "n2")], ..Timeline::default() };
    (world, timeline)
}

#[test]
fn the_same_seed_gives_the_same_candidates_and_another_seed_others() {
    let (world, timeline) = rich();
    let run = |seed| {
        compose(&world.library(), &timeline, &[], &ComposeConfig { seed, ..small() }, &mut go).unwrap()
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).candidates, run(6).candidates);
}

#[test]
fn fitness_is_what_a_plain_sum_gives() {
    let (world, timeline) = rich();
    let config = small();
    let composition = compose(&world.library(), &timeline, &[], &config, &mut go).unwrap();
    let searched = &composition.stretches[0];
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
    for seed in 0..4 {
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
        let found = compose(&world.library(), &timeline, &[], &config, &mut go).unwrap().candidates[0].f;
        assert!(found <= 1.1 * best && found >= best - 1e-5, "seed {seed}: {found}, the best is {best}");
        let paths = ComposeConfig { method: Method::Paths, ..config };
        let by_paths = compose(&world.library(), &timeline, &[], &paths, &mut go).unwrap();
        assert!(by_paths.candidates[0].f >= best - 1e-5);
        check(&world, &timeline, &by_paths, &paths);
    }
}

#[test]
fn candidates_are_far_from_each_other_and_good_enough() {
    let (world, timeline) = rich();
    let config =
        ComposeConfig { candidates: 6, population: 100, generations: 2000, ..ComposeConfig::default() };
    let composition = compose(&world.library(), &timeline, &[], &config, &mut go).unwrap();
    assert_eq!(composition.candidates.len(), 6, "{:?}", composition.notes);
    assert!(composition.diversity >= 0.3);
    let walks: Vec<Vec<Vec<u32>>> = composition.candidates.iter().map(Candidate::walks).collect();
    for (i, a) in walks.iter().enumerate() {
        for b in &walks[..i] {
            let mean = (edit_distance(&a[0], &b[0]) + edit_distance(&a[1], &b[1])) / 2.0;
            assert!(mean >= config.distance);
        }
    }
}

/// Keys with an open end of some two seconds after the last: few nodes fit, and one walk may be much better than all others.
fn short_end(seed: u64) -> (World, Timeline) {
    let mut world = World::new(30, 0.35, Layers::upper_lower(), 900 + seed);
    // One way out of the key that costs nothing and fills the time to the frame.
    world.nodes[1].seconds = 2.0;
    world.nodes[2].seconds = 1.0;
    for network in &mut world.networks {
        let edges = (0..30).flat_map(|from| network.edges(from).map(move |edge| (from as u32, edge)));
        let mut edges: Vec<(u32, u32, f32)> = edges.map(|(from, edge)| (from, edge.to, edge.cost)).collect();
        edges.retain(|edge| (edge.0, edge.1) != (2, 1));
        edges.push((2, 1, 0.0));
        *network = Network::from_edges(30, &edges, 0.05).unwrap();
    }
    let timeline = Timeline { seconds: Some(3.0), keys: vec![key(0.0, "n2")], ..Timeline::default() };
    (world, timeline)
}

#[test]
fn a_short_stretch_with_one_perfect_walk_gives_as_many_ways_as_paths_do() {
    for seed in 0..6 {
        let (world, timeline) = short_end(seed);
        let config = ComposeConfig { candidates: 8, ..ComposeConfig::default() };
        let made = compose(&world.library(), &timeline, &[], &config, &mut go).unwrap();
        check(&world, &timeline, &made, &config);
        let paths = ComposeConfig { method: Method::Paths, ..config.clone() };
        let paths = compose(&world.library(), &timeline, &[], &paths, &mut go).unwrap();
        let kinds = |made: &Composition| {
            let all = &made.stretches[0].candidates;
            assert!(all.iter().all(|one| one.f <= made.stretches[0].valid_f), "seed {seed}");
            // The largest set that are far from each other; walks that repeat a clip come in only where near ones do not suffice either.
            let far = |i: usize, j: usize| all[i].distance(&all[j]) >= config.distance;
            let sets =
                (0..1_usize << all.len()).map(|set| (0..all.len()).filter(|i| set >> i & 1 == 1).collect());
            let good = |set: &Vec<usize>| {
                set.iter().all(|&i| all[i].repeats() == 0 && set.iter().all(|&j| j <= i || far(i, j)))
            };
            sets.filter(good).map(|set: Vec<usize>| set.len()).max().unwrap_or(0)
        };
        let fs = |made: &Composition| made.candidates.iter().map(|one| one.f).collect::<Vec<f64>>();
        assert!(
            kinds(&made) >= kinds(&paths),
            "seed {seed}: {} of {}, F {:.3?} and {:.3?}, F_v {}",
            kinds(&made),
            kinds(&paths),
            fs(&made),
            fs(&paths),
            made.stretches[0].valid_f
        );
        assert!(kinds(&paths) >= 4, "seed {seed}: a stretch with so few ways shows nothing");
    }
}

#[test]
fn nothing_is_shown_twice_running_unless_it_must_be() {
    // Node 1 is a rest that may follow itself for nothing; all else costs.
    let mut edges = vec![(1, 1, 0.0)];
    for from in 0..12_u32 {
        edges.extend((0..12).filter(|to| *to != from).map(|to| (from, to, 0.01 + 0.001 * to as f32)));
    }
    let mut world = plain(12, &edges);
    world.nodes[1].seconds = 0.5;
    let timeline = Timeline { keys: vec![key(0.0, "n0"), key(6.0, "n2")], ..Timeline::default() };
    let made = compose(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    assert_eq!(made.candidates.iter().map(Candidate::repeats).collect::<Vec<usize>>(), [0, 0, 0]);
    // The same where nodes are pieces of clips: 3 is the first half of clip 3, 4 its second, which may follow but not go before.
    let origins: Vec<Origin> = (0..12)
        .map(|node| match node {
            4 => Origin { clip: 3, frames: 30..60 },
            _ => Origin { clip: node, frames: 0..30 },
        })
        .collect();
    let library = world.library().with_origins(&origins);
    let config = ComposeConfig { candidates: 8, ..ComposeConfig::default() };
    let made = compose(&library, &timeline, &[], &config, &mut go).unwrap();
    for candidate in &made.candidates {
        assert_eq!(candidate.repeats(), 0);
        assert!(candidate.walks()[0].windows(2).all(|pair| pair != [4, 3]));
    }
}

#[test]
fn walks_differ_by_what_they_show_and_not_by_how_it_is_cut() {
    let run = |clip, start, end| Run { clip, start, end };
    let show = |nodes: &[Run]| vec![shown::runs(nodes.iter().copied())];
    let whole = show(&[run(0, 0, 90), run(1, 0, 50)]);
    let pieces = show(&[run(0, 0, 30), run(0, 30, 60), run(0, 60, 90), run(1, 0, 50)]);
    assert_eq!(shown::distance(&whole, &pieces), 0.0);
    // Other frames of the same clip are half a difference, other clips a whole one.
    assert_eq!(shown::distance(&show(&[run(0, 0, 30)]), &show(&[run(0, 60, 90)])), 0.5);
    assert_eq!(shown::distance(&show(&[run(0, 0, 30)]), &show(&[run(2, 0, 30)])), 1.0);
    let mut random = Random::new(3);
    for _ in 0..200 {
        let mut walk = || -> Vec<Vec<Run>> {
            let mut one = || run(random.index(3) as u32, 30 * random.index(3) as u32, 90);
            vec![(0..6).map(|_| one()).collect(), (0..4).map(|_| one()).collect()]
        };
        let (a, b) = (walk(), walk());
        let distance = shown::distance(&a, &b);
        assert!(shown::far(&a, &b, distance) && !shown::far(&a, &b, distance + 0.01), "{distance}");
    }
}

#[test]
fn clips_stay_on_the_beat_where_the_end_is_off_it() {
    let mut edges = Vec::new();
    for from in 0..10_u32 {
        edges.extend((0..10).filter(|to| *to != from).map(|to| (from, to, 0.002 * (1 + to % 3) as f32)));
    }
    let mut world = plain(10, &edges);
    for (i, node) in world.nodes.iter_mut().enumerate() {
        node.seconds = [0.5, 1.0, 1.5][i % 3];
    }
    // 120 beats a minute: the end lies 0.3 s after a beat and is cut, then 0.1 s after one and is held.
    for (seconds, told) in [(14.3, "is cut"), (14.1, "is held")] {
        let keys = vec![key(2.0, "n1"), key(8.0, "n2")];
        let timeline = Timeline { seconds: Some(seconds), bpm: Some(120.0), keys, ..Timeline::default() };
        let made = compose(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
        assert_eq!(made.seconds, seconds);
        assert!(
            made.notes.iter().any(|note| note.contains("beat") && note.contains(told)),
            "{:?}",
            made.notes
        );
        for item in made.candidates.iter().flat_map(|candidate| &candidate.layers[0].items) {
            let beats = item.start_s / 0.5;
            assert!((beats - beats.round()).abs() < 1e-4 && (item.speed - 1.0).abs() < 1e-4, "{item:?}");
        }
    }
    let keys = vec![key(2.0, "n1")];
    let on = Timeline { seconds: Some(14.0), bpm: Some(120.0), keys, ..Timeline::default() };
    let made = compose(&world.library(), &on, &[], &small(), &mut go).unwrap();
    assert!(made.notes.is_empty(), "{:?}", made.notes);
}

#[test]
fn a_key_that_lasts_beyond_the_end_is_told() {
    let (world, _) = rich();
    let last = world.nodes[2].seconds;
    let keys = vec![key(0.0, "n1"), key(9.0, "n2")];
    let timeline = Timeline { seconds: Some(9.0 + 0.5 * last), keys, ..Timeline::default() };
    let made = compose(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    assert_eq!(
        made.notes.iter().filter(|note| note.contains("\"n2\" at 9.00 s")).count(),
        1,
        "{:?}",
        made.notes
    );
    let longer = Timeline { seconds: Some(9.0 + (100.0 * last).ceil() / 100.0), ..timeline };
    let made = compose(&world.library(), &longer, &[], &small(), &mut go).unwrap();
    assert!(!made.notes.iter().any(|note| note.contains("n2")), "{:?}", made.notes);
}

/// The timeline and settings with a remedy done.
fn remedied(timeline: &Timeline, gap: &Gap, remedy: &Remedy) -> (Timeline, ComposeConfig) {
    let (mut timeline, mut config) = (timeline.clone(), small());
    match remedy {
        Remedy::Move { by_s } => {
            let later = timeline.keys.iter_mut().filter(|key| gap.to.is_some() && key.at >= gap.end_s - 1e-6);
            later.for_each(|key| key.at += by_s);
            timeline.seconds = timeline.seconds.map(|seconds| seconds + by_s);
        }
        Remedy::Valid { valid_f } => config.valid_f = Some(*valid_f),
        Remedy::Threshold { .. } => panic!("a network of edges knows no other threshold"),
    }
    (timeline, config)
}

#[test]
fn whoever_follows_the_advice_gets_a_motion() {
    let chain = plain(5, &[(0, 1, 0.01), (1, 2, 0.01), (2, 3, 0.01), (3, 4, 0.01)]);
    let (rich, nine) = rich();
    let strict = ComposeConfig { valid_f: Some(0.0), generations: 40, ..small() };
    let of = |keys: Vec<Key>| Timeline { keys, ..Timeline::default() };
    let cases = [
        (&chain, of(vec![key(0.0, "n0"), key(2.503, "n4")]), small()),
        (&chain, of(vec![key(0.0, "n0"), key(7.003, "n4")]), small()),
        (&chain, of(vec![key(0.0, "n0"), key(0.747, "n1"), key(5.0, "n4")]), small()),
        // Still under way, and then without a way that is as short.
        (&chain, of(vec![key(0.0, "n0"), key(0.2, "n3")]), small()),
        (&rich, nine, strict),
    ];
    for (number, (world, timeline, config)) in cases.into_iter().enumerate() {
        let error = compose(&world.library(), &timeline, &[], &config, &mut go).unwrap_err();
        let ComposeError::Gap { gap, remedies, .. } = &error else { panic!("{error}") };
        // The third's last gap is too long by as much as the first is too short: no single change helps.
        assert_eq!(remedies.is_empty(), number == 2, "case {number}: {error}");
        for remedy in remedies {
            let (timeline, config) = remedied(&timeline, gap, remedy);
            let made = compose(&world.library(), &timeline, &[], &config, &mut go);
            assert!(made.is_ok(), "case {number}: {error}, followed: {:?}", made.err());
        }
    }
}

fn plain(count: usize, edges: &[(u32, u32, f32)]) -> World {
    let mut random = Random::new(1);
    let mut nodes = nodes(count, &mut random);
    nodes.iter_mut().for_each(|node| node.seconds = 1.0);
    World { nodes, layers: Layers::full(), networks: vec![Network::from_edges(count, edges, 0.05).unwrap()] }
}

fn refused(world: &World, keys: Vec<Key>) -> (Gap, Why, String) {
    let timeline = Timeline { keys, ..Timeline::default() };
    let error = compose(&world.library(), &timeline, &[], &small(), &mut go).unwrap_err();
    let text = error.to_string();
    match error {
        ComposeError::Gap { gap, why, .. } => (*gap, why, text),
        other => panic!("{other}"),
    }
}

#[test]
fn disconnected_keys_end_with_no_path() {
    let world = plain(4, &[(0, 1, 0.01), (1, 0, 0.01), (2, 3, 0.01), (3, 2, 0.01)]);
    let (gap, why, text) = refused(&world, vec![key(0.0, "n0"), key(5.0, "n2")]);
    assert!(matches!(why, Why::NoPath { .. }), "{text}");
    assert_eq!(
        (gap.from.as_deref(), gap.to.as_deref(), gap.start_s, gap.end_s),
        (Some("n0"), Some("n2"), 0.0, 5.0)
    );
    assert!(text.contains("threshold"), "{text}");
}

#[test]
fn self_loops_alone_repeat_one_clip_and_reach_no_other() {
    let world = plain(2, &[(0, 0, 0.01), (1, 1, 0.01)]);
    let (_, why, text) = refused(&world, vec![key(0.0, "n0"), key(5.0, "n1")]);
    assert!(matches!(why, Why::NoPath { .. }), "{text}");
    let timeline = Timeline { keys: vec![key(0.0, "n0"), key(4.0, "n0")], ..Timeline::default() };
    let made =
        compose(&world.library(), &timeline, &[], &ComposeConfig { valid_f: Some(10.0), ..small() }, &mut go);
    let made = made.unwrap();
    assert_eq!(made.candidates[0].walks(), [[0, 0, 0, 0, 0]]);
    assert_eq!(made.candidates.len(), 1);
    assert!(made.notes.iter().any(|note| note.contains("1 of 3")), "{:?}", made.notes);
    assert!(made.notes.iter().any(|note| note.contains("repeat")), "{:?}", made.notes);
}

#[test]
fn one_node_without_edges_ends_with_a_message() {
    let world = plain(1, &[]);
    let (_, why, text) = refused(&world, vec![key(0.0, "n0"), key(3.0, "n0")]);
    assert!(matches!(why, Why::NoPath { .. }), "{text}");
    // Alone and long enough it may stand.
    let timeline = Timeline { keys: vec![key(0.0, "n0")], ..Timeline::default() };
    assert_eq!(
        compose(&world.library(), &timeline, &[], &small(), &mut go).unwrap().candidates[0].walks(),
        [[0]]
    );
}

#[test]
fn clips_without_length_are_refused() {
    let mut world = plain(2, &[(0, 1, 0.01), (1, 0, 0.01)]);
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        world.nodes[1].seconds = seconds;
        let error = Library::new(&world.nodes, &world.layers, &world.networks, &[]).unwrap_err();
        assert!(error.to_string().contains("n1"), "{error}");
    }
}

#[test]
fn gaps_that_are_too_short_or_too_long_say_by_how_much() {
    let chain = plain(5, &[(0, 1, 0.01), (1, 2, 0.01), (2, 3, 0.01), (3, 4, 0.01)]);
    // Four clips of a second lie before n4.
    let (_, why, text) = refused(&chain, vec![key(0.0, "n0"), key(2.5, "n4")]);
    assert!(matches!(why, Why::TooShort { by_s } if (by_s - 1.5).abs() < 1e-6), "{text}");
    let (_, why, text) = refused(&chain, vec![key(0.0, "n0"), key(7.0, "n4")]);
    assert!(matches!(why, Why::TooLong { by_s } if (by_s - 3.0).abs() < 1e-6), "{text}");
    // A key still plays when the next starts.
    let (_, why, text) = refused(&chain, vec![key(0.0, "n0"), key(0.75, "n1")]);
    assert!(matches!(why, Why::TooShort { by_s } if (by_s - 0.25).abs() < 1e-6), "{text}");
}

#[test]
fn a_bar_that_nothing_passes_names_the_best_found() {
    let (world, timeline) = rich();
    let config = ComposeConfig { valid_f: Some(0.0), generations: 40, ..small() };
    let error = compose(&world.library(), &timeline, &[], &config, &mut go).unwrap_err();
    let ComposeError::Gap { why: Why::Strict { best_f, .. }, .. } = error else { panic!("{error}") };
    let config = ComposeConfig { valid_f: Some(best_f), ..config };
    assert!(
        compose(&world.library(), &timeline, &[], &config, &mut go).is_ok(),
        "the value named is feasible"
    );
}

#[test]
fn a_rough_walk_on_time_comes_before_a_smooth_one_that_is_late() {
    // Before the key at half a second: n1 is cheap and lasts too long, n2 is dear and fits.
    let mut world = plain(4, &[(1, 0, 0.0001), (2, 0, 0.04), (3, 0, 0.0002)]);
    for (node, seconds) in [(1, 0.54), (2, 0.49), (3, 0.55)] {
        world.nodes[node].seconds = seconds;
    }
    let timeline = Timeline { keys: vec![key(0.5, "n0")], ..Timeline::default() };
    let made = compose(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    assert_eq!(made.candidates[0].walks(), [[2, 0]]);
    let config = ComposeConfig { valid_f: Some(0.0), ..small() };
    let error = compose(&world.library(), &timeline, &[], &config, &mut go).unwrap_err();
    assert!(matches!(error, ComposeError::Gap { why: Why::Strict { .. }, .. }), "{error}");
    // Nothing fits: the key's first pose is held. Where it would be held for long, it is said that nothing fits.
    world.nodes[2].seconds = 0.6;
    let made = compose(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    assert_eq!((made.candidates[0].walks(), made.seconds), (vec![vec![0]], 1.5));
    let timeline = Timeline { keys: vec![key(1.02, "n0")], ..Timeline::default() };
    assert!(compose(&world.library(), &timeline, &[], &small(), &mut go).is_err());
}

#[test]
fn criteria_pull_walks_their_way() {
    let (world, timeline) = rich();
    let free = compose(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    let measure = |criterion: Criterion<'static>, config: &ComposeConfig| {
        let weighed = compose(&world.library(), &timeline, &[criterion], config, &mut go).unwrap();
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
    let bad = Criterion { name: "bad".to_owned(), weight: 1.0, measure: Box::new(|_| f64::NAN) };
    let lax = ComposeConfig { valid_f: Some(1e12), ..silent };
    assert!(compose(&world.library(), &timeline, &[bad], &lax, &mut go).is_ok());
}

#[test]
fn a_caller_can_stop() {
    let (world, timeline) = rich();
    let config = ComposeConfig { valid_f: Some(-1.0), generations: 5000, ..small() };
    let stopped = compose(&world.library(), &timeline, &[], &config, &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(ComposeError::Cancelled(_))));
}

#[test]
fn timelines_read_alike_in_toml_and_json_and_errors_name_the_line() {
    let toml = "seconds = 20\nbpm = 120\n\n[[key]]\nat = 2.1\nclip = \"hand-on-heart\"\n\n[[key]]\nat = 7\ntag = \"wave\"\nlayer = \"upper\"\n";
    let timeline = Timeline::parse(toml).unwrap();
    assert_eq!((timeline.keys.len(), timeline.on_beat(2.1)), (2, 2.0));
    assert_eq!(Timeline::parse(&serde_json::to_string(&timeline).unwrap()).unwrap(), timeline);
    let line = |text: &str| Timeline::parse(text).unwrap_err();
    assert_eq!(line(&toml.replace("tag = \"wave\"", "")).line, Some(8));
    assert_eq!(line(&toml.replace("at = 7", "at = 70")).line, Some(9));
    assert_eq!(line(&toml.replace("bpm = 120", "bpm = 0")).line, Some(2));
    assert_eq!(line(&toml.replace("bpm = 120", "beats = [2.0, 1.0]")).line, Some(2));
    assert_eq!(line("\n# first\nseconds = -1").line, Some(3));
    assert_eq!(line("{\n\"key\": [],\n\"seconds\": -3}").line, Some(3));
    assert_eq!(line(&toml.replace("layer =", "lair =")).line, Some(11));
    assert_eq!(line("{\n\"seconds\": 3,\n\"kez\": []}").line, Some(3));
    assert!(line("seconds = -1").to_string().contains("-1"));
    assert!(line("").to_string().contains("seconds"));
    let beats = Timeline { beats: vec![0.0, 0.7, 1.5], ..Timeline::default() };
    assert_eq!(beats.on_beat(1.2), 1.5);
}

#[test]
fn unknown_clips_tags_and_layers_and_doubled_keys_are_named() {
    let (world, _) = rich();
    let text = |keys: Vec<Key>| {
        let timeline = Timeline { keys, ..Timeline::default() };
        plan(&timeline, &world.library()).unwrap_err().to_string()
    };
    assert!(text(vec![key(0.0, "nobody")]).contains("key 1: there is no clip \"nobody\""));
    assert!(text(vec![Key { tag: Some("x".into()), ..Key::default() }]).contains("tag \"x\""));
    assert!(text(vec![Key { layer: Some("tail".into()), ..key(0.0, "n1") }]).contains("upper, lower"));
    assert!(text(vec![key(1.0, "n1"), key(1.0, "n2")]).contains("so does key 1"));
}

#[test]
fn the_timeline_is_cut_where_one_clip_holds_every_layer() {
    let (world, _) = rich();
    let upper = Key { layer: Some("upper".into()), ..key(5.0, "n3") };
    let keys = vec![key(2.0, "n1"), upper, key(10.0, "n2")];
    let timeline = Timeline { seconds: Some(20.0), keys, ..Timeline::default() };
    let plan = plan(&timeline, &world.library()).unwrap();
    let legs: Vec<Vec<usize>> =
        plan.stretches.iter().map(|s| s.tracks.iter().map(|t| t.legs_s.len()).collect()).collect();
    // Lead-in; between the keys, where the upper body has one of its own; the rest.
    assert_eq!(legs, [[1, 1], [2, 1], [1, 1]]);
    assert_eq!(plan.stretches[1].tracks[0].legs_s, [3.0, 5.0]);
    let config = ComposeConfig { valid_f: Some(1e9), ..small() };
    let composition = compose(&world.library(), &timeline, &[], &config, &mut go).unwrap();
    check(&world, &timeline, &composition, &config);
}

#[test]
fn lyrics_fill_keys_where_their_words_are_sung() {
    let lrc = "[ti:A song]\n[offset:-500]\n[00:02.00]My heart is yours\n[00:06.00][01:10.50]you and your way\n[00:08.00]<00:08.00>point <00:09.50>at me";
    let sung = parse_lrc(lrc).unwrap();
    assert_eq!(sung.iter().map(|phrase| phrase.at_s).collect::<Vec<f64>>(), [2.5, 6.5, 8.5, 10.0, 71.0]);
    let gestures = [("heart", "hand-on-heart"), ("you", "point-at-you"), ("me", "self")];
    let gestures = gestures.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    let keys = lyric_keys(&sung, &gestures, Some("upper"), &|name| name != "self");
    let found: Vec<(f64, &str)> = keys
        .iter()
        .map(|k| ((k.at * 100.0).round() / 100.0, k.clip.as_deref().or(k.tag.as_deref()).unwrap()))
        .collect();
    // Three of seventeen letters come before the heart; `your` and `yours` are other words.
    assert_eq!(
        found,
        [(3.21, "hand-on-heart"), (6.5, "point-at-you"), (14.8, "self"), (71.0, "point-at-you")],
    );
    assert!(keys[2].tag.is_some() && keys.iter().all(|key| key.layer.as_deref() == Some("upper")));
    // Japanese has no spaces.
    let sung = parse_lrc("[00:01.00]この気持ちあなたに").unwrap();
    let gestures =
        [("気持ち".to_owned(), "heart".to_owned()), ("あなた".to_owned(), "you".to_owned())].into();
    assert_eq!(lyric_keys(&sung, &gestures, None, &|_| false).len(), 2);
    assert_eq!(parse_lrc("[00:0x.00]a").unwrap_err().line, Some(1));
    assert!(parse_lrc("la la la").is_err());
}
