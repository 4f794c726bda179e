//! Timelines, lyrics and what they are cut into.

use super::*;

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
    assert!(text(vec![key(0.0, "missing")]).contains("key 1: there is no clip \"missing\""));
    assert!(text(vec![Key { tag: Some("x".into()), ..Key::default() }]).contains("tag \"x\""));
    assert!(text(vec![Key { layer: Some("tail".into()), ..key(0.0, "n1") }]).contains("upper, lower"));
    assert!(text(vec![key(1.0, "n1"), key(1.0, "n2")]).contains("so does key 1"));
    let on_beat = |seconds: Option<f64>, keys: Vec<Key>| {
        let timeline = Timeline { seconds, bpm: Some(3.0), keys, ..Timeline::default() };
        plan(&timeline, &world.library()).unwrap_err().to_string()
    };
    let both = on_beat(None, vec![key(1.0, "n1"), key(2.0, "n2")]);
    assert!(both.contains("the beat moves it from 2 s and key 1 from 1 s to 0 s"), "{both}");
    assert!(both.contains("20.00 s apart"), "{both}");
    assert!(on_beat(None, vec![key(0.0, "n1"), key(2.0, "n2")]).contains("from 2 s to 0 s on layer"));
    assert!(on_beat(None, vec![key(2.0, "n1"), key(0.0, "n2")]).contains("moves key 1 there from 2 s"));
    assert!(on_beat(Some(15.0), vec![key(14.0, "n1")]).contains("from 14 s to the end"), "nothing to see");
}

/// Clips that end between beats wait for the next: as keys always, elsewhere only where nothing else fits, and both are
/// reported.
#[test]
fn only_keys_stand_still_for_the_beat_unless_nothing_else_fits() {
    let edges: Vec<(u32, u32, f32)> = (0..8_u32)
        .flat_map(|from| (0..8).filter(move |to| *to != from).map(move |to| (from, to, 0.002)))
        .collect();
    let mut world = plain(8, &edges);
    let waits = Pace { speed: 1.0, held_s: 0.5 };
    (0..3).for_each(|i| world.nodes[i].pace = waits);
    let timeline = Timeline {
        seconds: Some(12.0),
        bpm: Some(60.0),
        keys: vec![key(3.2, "n1"), key(7.9, "n5")],
        ..Timeline::default()
    };
    let made = search(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    assert_eq!(made.candidates.len(), 3);
    for candidate in &made.candidates {
        let items = candidate.layers[0].items.iter();
        assert!(items.clone().all(|item| item.key.is_some() || item.held_s == 0.0 || item.node == 1));
        let wanted: Vec<[f64; 2]> = candidate.keys.iter().map(|key| [key.wanted_s, key.at_s]).collect();
        assert_eq!(wanted, [[3.2, 3.0], [7.9, 8.0]]);
        let key = items.clone().find(|item| item.key == Some(0)).unwrap();
        // A second of which half is waited: the clip is over by then, and slows down before.
        assert!((key.clip_s(4.0) - 0.5).abs() < 1e-6 && (key.clip_s(3.25) - 0.25).abs() < 1e-6);
        assert!(key.clip_s(3.5) < 0.5 - 0.05, "{}", key.clip_s(3.5));
    }
    assert!(
        made.notes.iter().any(|note| note.contains("held until the next: \"n1\" for 0.50 s")),
        "{:?}",
        made.notes
    );
    // All wait: then there is no choice.
    (0..8).for_each(|i| world.nodes[i].pace = waits);
    let made = search(&world.library(), &timeline, &[], &small(), &mut go).unwrap();
    assert!(made.notes.iter().any(|note| note.contains("stand still for the beat")), "{:?}", made.notes);
}

#[test]
fn the_timeline_is_cut_where_one_clip_holds_every_layer() {
    let (world, _) = rich();
    let upper = Key { layer: Some("upper".into()), ..key(5.0, "n3") };
    let keys = vec![key(2.0, "n1"), upper, key(10.0, "n2")];
    let timeline = Timeline { seconds: Some(20.0), keys, ..Timeline::default() };
    let plan = plan(&timeline, &world.library()).unwrap();
    let legs: Vec<Vec<usize>> =
        plan.intervals.iter().map(|s| s.tracks.iter().map(|t| t.legs_s.len()).collect()).collect();
    // Lead-in; between the keys, where the upper body has one of its own; the rest.
    assert_eq!(legs, [[1, 1], [2, 1], [1, 1]]);
    assert_eq!(plan.intervals[1].tracks[0].legs_s, [3.0, 5.0]);
    let config = ComposeConfig { valid_f: Some(1e9), ..small() };
    let composition = search(&world.library(), &timeline, &[], &config, &mut go).unwrap();
    check(&world, &timeline, &composition, &config);
}

/// An opening that a clip would fit by its length alone, but not in time, was a gap that no walk could fill.
#[test]
fn a_short_opening_is_filled_where_a_walk_fits_and_holds_the_pose_elsewhere() {
    let mut world = plain(4, &[(0, 1, 0.01), (1, 2, 0.01), (2, 1, 0.01), (1, 3, 0.01), (3, 1, 0.01)]);
    let openings = |world: &World, seconds: f64, config: &ComposeConfig| {
        let timeline = Timeline { seconds: Some(seconds), keys: vec![key(0.5, "n1")], ..Timeline::default() };
        let made = search(&world.library(), &timeline, &[], config, &mut go).unwrap();
        check(world, &timeline, &made, config);
        let mut counts: Vec<[usize; 2]> = Vec::new();
        for candidate in &made.candidates {
            let items = &candidate.layers[0].items;
            let at = items.iter().position(|item| item.key.is_some()).unwrap();
            counts.push([at, items.len() - 1 - at]);
        }
        counts.dedup();
        counts
    };
    let (config, key_s) = (ComposeConfig { valid_f: Some(1e9), ..small() }, world.nodes[1].seconds);
    // Too short, and two of it too long, for 0.5 s at either end.
    [0, 2, 3].into_iter().for_each(|i| world.nodes[i].seconds = 0.42);
    assert_eq!(openings(&world, 1.0 + key_s, &config), [[0, 0]]);
    // Off by 4 %.
    world.nodes[0].seconds = 0.48;
    assert_eq!(openings(&world, 1.0 + key_s, &config), [[1, 0]]);
    // Not by a transition that the first threshold excludes.
    let thresholds = vec![0.005, 0.05];
    assert_eq!(openings(&world, 1.0 + key_s, &ComposeConfig { thresholds, ..config.clone() }), [[0, 0]]);
    // At the end the time of the key counts too.
    world.nodes[2].seconds = 0.5;
    assert_eq!(openings(&world, 1.0 + key_s, &config), [[1, 1]]);
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
