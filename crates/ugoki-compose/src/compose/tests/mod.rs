//! Properties of composing: edges, keys, seeds, fitness by a second sum, optimum by exhaustion, and networks that
//! resist.

use std::ops::ControlFlow;

use proptest::prelude::*;
use ugoki_base::math::Random;

use super::*;
use crate::network::{Climb, Layers, Network, Node, Origin, Pace, TORSO_LANES, Torso};

mod failures;
mod scaling;
mod search;
mod timelines;
mod variety;

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
                pace: Pace::default(),
                torso: Torso { rate_hz: 30.0, rows: rows.collect() },
                travel: [0.0, random.range(-1.0, 1.0) as f32],
                turn_rad: 0.0,
                speeds_m_s: [0.0; 2],
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

/// Every property of a candidate, whatever the network.
fn check(world: &World, timeline: &Timeline, composition: &Composition, config: &ComposeConfig) {
    assert!(!composition.candidates.is_empty());
    for candidate in &composition.candidates {
        assert!(candidate.tempo_change <= config.tempo_change + 1e-6, "{}", candidate.tempo_change);
        for (layer, sequence) in candidate.layers.iter().enumerate() {
            let network = &world.networks[layer];
            for pair in sequence.items.windows(2) {
                let edge = network.edge(pair[0].node, pair[1].node).expect("every transition is an edge");
                assert_eq!(edge.cost, pair[1].cost);
                assert!((pair[0].end_s - pair[1].start_s).abs() < 1e-9, "no gaps in time");
            }
            for item in &sequence.items {
                let played = (item.leave_s - item.enter_s) / item.speed + item.held_s;
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
    for searched in &composition.intervals {
        assert!(searched.candidates.is_sorted_by(|a, b| a.f <= b.f));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_network_gives_valid_walks_or_a_message(
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
        match search(&world.library(), &timeline, &[], &small(), &mut go) {
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

fn plain(count: usize, edges: &[(u32, u32, f32)]) -> World {
    let mut random = Random::new(1);
    let mut nodes = nodes(count, &mut random);
    nodes.iter_mut().for_each(|node| node.seconds = 1.0);
    World { nodes, layers: Layers::full(), networks: vec![Network::from_edges(count, edges, 0.05).unwrap()] }
}
