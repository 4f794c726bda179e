//! Searches of a part of a library, thresholds that relax, and the paper's search.

use super::*;

/// A library larger than a search space: every node has a few successors among its neighbours in number.
fn large(count: usize, dear: f32) -> World {
    let mut random = Random::new(3);
    let nodes = nodes(count, &mut random);
    let mut edges = Vec::new();
    for from in 0..count {
        for _ in 0..12 {
            let to = (from + 1 + random.index(60)) % count;
            edges.push((from as u32, to as u32, random.range(0.001, f64::from(dear)) as f32));
        }
    }
    let layers = Layers::upper_lower();
    let networks = vec![Network::from_edges(count, &edges, 1.0).unwrap(); 2];
    World { nodes, layers, networks }
}

fn between(from: &str, to: &str, seconds: f64) -> Timeline {
    Timeline { keys: vec![key(0.0, from), key(seconds, to)], ..Timeline::default() }
}

#[test]
fn a_part_of_a_large_library_gives_walks_in_the_whole_ones_numbers() {
    let world = large(4000, 0.05);
    let timeline = between("n100", "n400", 12.0);
    for method in [Method::Genetic, Method::Beam, Method::Paths, Method::GeneticPaper] {
        let config = ComposeConfig { method, ..small() };
        let made = search(&world.library(), &timeline, &[], &config, &mut go).unwrap();
        check(&world, &timeline, &made, &config);
        let again = search(&world.library(), &timeline, &[], &config, &mut go).unwrap();
        assert!(made == again, "{method:?}: same seed, same candidates");
    }
}

#[test]
fn a_given_threshold_is_never_relaxed_and_others_only_as_far_as_needed() {
    let world = large(300, 0.9);
    let timeline = between("n10", "n40", 6.0);
    let most = |made: &Composition| {
        let items = made.candidates.iter().flat_map(|c| &c.layers).flat_map(|layer| &layer.items);
        items.map(|item| item.cost).fold(0.0, f32::max)
    };
    let by = |thresholds: Vec<f64>| {
        let config = ComposeConfig { thresholds, ..small() };
        search(&world.library(), &timeline, &[], &config, &mut go)
    };
    let levels = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64];
    let relaxed = by(levels.to_vec()).unwrap();
    let used = relaxed.intervals[0].threshold;
    assert!(most(&relaxed) < used);
    assert!(relaxed.notes.iter().any(|note| note.contains("threshold")), "{:?}", relaxed.notes);
    for level in levels {
        match by(vec![level]) {
            Ok(made) => {
                assert!(most(&made) < level as f32);
                assert!(level as f32 >= used, "{level} would have done, {used} was used");
            }
            Err(error) => assert!((level as f32) < used, "{level}: {error}"),
        }
    }
}

#[test]
fn the_papers_search_writes_f_of_every_generation_and_lowers_m() {
    let (world, timeline) = rich();
    for cut_rule in [CutRule::Figure, CutRule::Text] {
        let config = ComposeConfig { method: Method::GeneticPaper, cut_rule, ..small() };
        let made = search(&world.library(), &timeline, &[], &config, &mut go).unwrap();
        check(&world, &timeline, &made, &config);
        let log = &made.intervals[0].log;
        assert_eq!(log.len(), made.intervals[0].generations + 1);
        // The best two of four stay: the best is never lost. M never rises.
        assert!(
            log.windows(2).all(|pair| pair[1].best_f <= pair[0].best_f && pair[1].wanted <= pair[0].wanted)
        );
        assert!(
            made.candidates.iter().all(|candidate| candidate.f <= made.intervals[0].valid_f * (1.0 + 1e-3))
        );
    }
}

#[test]
fn the_energy_of_key_motions_pulls_what_is_between_them() {
    let (mut world, timeline) = rich();
    let mut random = Random::new(5);
    for node in &mut world.nodes {
        let speed = random.range(0.05, 2.0) as f32;
        node.speeds_m_s = [speed, speed];
    }
    let mean_off = |weight: f64| {
        let criteria = [energy_of_keys(weight, &world.layers)];
        let made = search(&world.library(), &timeline, &criteria, &small(), &mut go).unwrap();
        check(&world, &timeline, &made, &small());
        made.candidates.iter().map(|candidate| candidate.extras[0]).sum::<f64>()
            / made.candidates.len() as f64
    };
    let (without, with) = (mean_off(0.0), mean_off(2.0));
    assert!(with < 0.7 * without, "{with} instead of {without}");
}
