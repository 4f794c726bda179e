//! Networks that resist end with a message, and following it gives a motion.

use super::*;

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
        other => panic!("a network of edges knows no other transitions: {other:?}"),
    }
    (timeline, config)
}

#[test]
fn following_the_advice_gives_a_motion() {
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
        let error = search(&world.library(), &timeline, &[], &config, &mut go).unwrap_err();
        let ComposeError::Gap { gap, remedies, .. } = &error else { panic!("{error}") };
        // The third's last gap is too long by as much as the first is too short: no single change helps.
        assert_eq!(remedies.is_empty(), number == 2, "case {number}: {error}");
        for remedy in remedies {
            let (timeline, config) = remedied(&timeline, gap, remedy);
            let made = search(&world.library(), &timeline, &[], &config, &mut go);
            assert!(made.is_ok(), "case {number}: {error}, followed: {:?}", made.err());
        }
    }
}

fn refused(world: &World, keys: Vec<Key>) -> (Gap, Why, String) {
    let timeline = Timeline { keys, ..Timeline::default() };
    let error = search(&world.library(), &timeline, &[], &small(), &mut go).unwrap_err();
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
        search(&world.library(), &timeline, &[], &ComposeConfig { valid_f: Some(10.0), ..small() }, &mut go);
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
        search(&world.library(), &timeline, &[], &small(), &mut go).unwrap().candidates[0].walks(),
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
    assert!(matches!(why, Why::KeyTooLong { by_s, .. } if (by_s - 0.25).abs() < 1e-6), "{text}");
    assert!(text.contains("\"n0\" lasts 1.00 s"), "{text}");
}

#[test]
fn a_bar_that_nothing_passes_names_the_best_found() {
    let (world, timeline) = rich();
    let config = ComposeConfig { valid_f: Some(0.0), generations: 40, ..small() };
    let error = search(&world.library(), &timeline, &[], &config, &mut go).unwrap_err();
    let ComposeError::Gap { why: Why::Strict { best_f, .. }, .. } = error else { panic!("{error}") };
    let config = ComposeConfig { valid_f: Some(best_f), ..config };
    assert!(
        search(&world.library(), &timeline, &[], &config, &mut go).is_ok(),
        "the value named is feasible"
    );
}
