//! `network` and `compose` as a user runs them.

use crate::support::Folder;
use serde_json::Value;
use ugoki::formats::bvh::{WriteOptions, write};
use ugoki::sample;

const TWO_KEYS: &str =
    "# two keys\n\n[[key]]\nat = 0.5\nclip = \"hand-on-heart\"\n\n[[key]]\nat = 8\nclip = \"point-at-you\"\n";

/// A quick search: few candidates of small populations.
const QUICK: [&str; 4] = ["--candidates=3", "--population=40", "--generations=150", "--json"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn quick<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().copied().chain(QUICK).collect()
}

#[test]
fn performances_are_written_with_a_report_and_a_page() {
    let folder = Folder::new();
    folder.write("two.toml", TWO_KEYS);
    let json = folder.run(&quick(&["compose", "sample", "two.toml", "-o", "out"])).ok().json();
    let kept: Value = serde_json::from_str(&folder.text("out/candidates.json")).expect("JSON");
    assert_eq!(kept, json);
    let candidates = json["candidates"].as_array().expect("a list");
    assert_eq!(candidates.len(), 3, "{json}");
    assert!(number(&json["diversity"]) >= 0.3, "{json}");
    let best: Vec<f64> = candidates.iter().map(|candidate| number(&candidate["f"])).collect();
    assert!(best.is_sorted(), "{best:?}");
    for candidate in candidates {
        let file = format!("out/{}", candidate["file"].as_str().expect("a name"));
        let info = folder.run(&["info", &file, "--json"]).ok().json();
        assert!((number(&info["seconds"]) - number(&candidate["seconds"])).abs() < 0.02, "{info}");
        for layer in ["upper", "lower"] {
            let names = candidate["layers"][layer].as_array().expect("names");
            assert!(names.iter().any(|name| name == "hand-on-heart"), "{candidate}");
            assert_eq!(names.last().expect("clips"), "point-at-you");
        }
        let keys = candidate["keys"].as_array().expect("keys");
        assert_eq!(keys.len(), 4);
        for key in keys {
            // Times are sums of frames in f32.
            assert!((number(&key["at_s"]) - number(&key["wanted_s"])).abs() < 1e-4, "{key}");
        }
        assert!(number(&candidate["stretch"]) <= 0.05 + 1e-6, "{candidate}");
    }
    let page = folder.text("out/index.html");
    assert_eq!(page.matches("<canvas data-performance").count(), 3);
    assert!(!page.contains("http://") && !page.contains("https://"), "the page needs no network");
}

#[test]
fn a_seed_gives_the_same_bytes_again_and_another_seed_others() {
    let folder = Folder::new();
    folder.write("two.toml", TWO_KEYS);
    for (out, seed) in [("a", "7"), ("b", "7"), ("c", "8")] {
        let seed = format!("--seed={seed}");
        folder.run(&quick(&["compose", "sample", "two.toml", "-o", out, &seed, "--to=glb"])).ok();
    }
    assert_eq!(folder.read("a/candidate-01.glb"), folder.read("b/candidate-01.glb"));
    assert_eq!(folder.text("a/candidates.json"), folder.text("b/candidates.json"));
    assert_ne!(folder.text("a/candidates.json"), folder.text("c/candidates.json"));
}

#[test]
fn lyrics_become_gestures_where_their_words_are_sung() {
    let folder = Folder::new();
    folder
        .write("song.lrc", "[00:02.00]My heart\n[00:08.00]is for you\n[00:08.60]you and me\n[00:14.00]la\n");
    folder.write("words.toml", "heart = \"hand-on-heart\"\nyou = \"point-at-you\"\n");
    folder.write("song.toml", "seconds = 15\n");
    let words =
        ["compose", "sample", "song.toml", "-o", "out", "--lyrics", "song.lrc", "--gestures", "words.toml"];
    let json = folder.run(&quick(&[&words[..], &["--gesture-layer", "upper"]].concat())).ok().json();
    let keys = json["candidates"][0]["keys"].as_array().expect("keys");
    let clips: Vec<&str> = keys.iter().filter_map(|key| key["clip"].as_str()).collect();
    assert_eq!(clips, ["hand-on-heart", "point-at-you"], "{json}");
    assert!(keys.iter().all(|key| key["layer"] == "upper"));
    // The second `you` comes while the first is still being pointed at.
    assert!(json["notes"].to_string().contains("left out"), "{}", json["notes"]);
    folder.write("bad.lrc", "[00:02.00]My heart\n[00:0x.00]oh\n");
    let words =
        ["compose", "sample", "song.toml", "-o", "out", "--lyrics", "bad.lrc", "--gestures", "words.toml"];
    folder.run(&words).fails_with(&["bad.lrc", "line 2", "mm:ss"]);
    folder.write("wrong.toml", "heart = \"heartless\"\n");
    let words =
        ["compose", "sample", "song.toml", "-o", "out", "--lyrics", "song.lrc", "--gestures", "wrong.toml"];
    folder.run(&words).fails_with(&["wrong.toml", "heartless", "db list"]);
}

#[test]
fn errors_of_a_timeline_are_reported_with_their_line() {
    let folder = Folder::new();
    let refused = |text: &str, words: &[&str]| {
        folder.write("t.toml", text);
        folder.run(&["compose", "sample", "t.toml", "-o", "out"]).fails_with(words);
    };
    refused(
        &TWO_KEYS.replace("point-at-you", "pint-at-you"),
        &["t.toml", "line 9", "pint-at-you", "db list"],
    );
    refused(&TWO_KEYS.replace("clip = \"point", "clop = \"point"), &["t.toml", "line 9", "clop"]);
    refused(&TWO_KEYS.replace("at = 8", "at = 8\nlayer = \"tail\""), &["line 9", "tail", "upper, lower"]);
    refused(
        &TWO_KEYS.replace("at = 8", "at = 2"),
        &["line 8", "hand-on-heart", "lasts 2.83 s, 1.34 s longer than the gap"],
    );
    refused(&format!("\nbpm = 0\n{TWO_KEYS}"), &["t.toml", "line 2", "bpm is 0"]);
    refused(&format!("\n\nseconds = -3\n{TWO_KEYS}"), &["t.toml", "line 3", "seconds is -3"]);
    refused(&format!("{TWO_KEYS}\n[gestures]\nheart = \"hand-on-heart\"\n"), &["gestures", "no lyrics"]);
    refused(&TWO_KEYS.replace("at = 8", "at = eight"), &["t.toml", "line 8"]);
    refused(
        "{\"seconds\": 9,\n \"key\": [\n  {\"at\": 0, \"clip\": \"wave\"},\n  {\"at\": 5, \"clip\": \"missing\"}]}",
        &["line 4", "missing"],
    );
    let json = folder.run(&["compose", "sample", "t.toml", "-o", "out", "--json"]).json();
    assert_eq!(json["error"]["line"], 4, "{json}");
    assert!(!folder.names().contains(&"out".to_owned()), "nothing was written");
    folder.write("t.toml", TWO_KEYS);
    let strict = [
        "compose",
        "sample",
        "t.toml",
        "-o",
        "out",
        "--valid",
        "0",
        "--generations",
        "20",
        "--population",
        "20",
    ];
    folder.run(&strict).fails_with(&["F = 0.0000", "the best found has F =", "--valid"]);
    folder
        .run(&["compose", "sample", "t.toml", "-o", "out", "--want", "nosuch"])
        .fails_with(&["--want", "nosuch", "db list"]);
    folder.run(&["compose", "sample", "t.toml", "-o", "out", "--to", "fbx"]).fails_with(&["fbx"]);
    folder
        .run(&["compose", "sample", "t.toml", "-o", "out", "--layers", "arms"])
        .fails_with(&["arms", "head-arms-legs"]);
}

/// The number after these words.
fn named<'a>(text: &'a str, words: &str) -> &'a str {
    let rest = text.split_once(words).unwrap_or_else(|| panic!("no {words:?} in {text}")).1;
    rest.split([' ', ',']).next().expect("a word")
}

#[test]
fn the_advice_of_a_failure_works() {
    let folder = Folder::new();
    folder.write("t.toml", TWO_KEYS);
    for threshold in ["0.000001", "0.0000001"] {
        let words = ["compose", "sample", "t.toml", "-o", "out", "--threshold"];
        let json = folder.run(&quick(&[&words[..], &[threshold]].concat())).json();
        let hint = json["error"]["hint"].as_str().expect("advice");
        let better = named(hint, "use a threshold of ");
        assert!(better.parse::<f64>().expect("a number") > 1e-6, "{json}");
        folder.run(&quick(&[&words[..], &[better]].concat())).ok();
    }
    // Between two keys there is room for a fifth of a second, and nothing is as short.
    let near = "seconds = 9\n[[key]]\nat = 0\nclip = \"hand-on-heart\"\n[[key]]\nat = 3.05\nclip = \"bow\"\n";
    folder.write("t.toml", near);
    let words = ["compose", "sample", "t.toml", "-o", "out"];
    let json = folder.run(&quick(&words)).json();
    assert_eq!(json["error"]["line"], 6, "{json}");
    let hint = json["error"]["hint"].as_str().expect("advice");
    assert!(hint.contains("--interior"), "{json}");
    folder.run(&quick(&[&words[..], &["--interior"]].concat())).ok();
    let sooner: f64 = named(hint, "what follows ").parse().expect("seconds");
    let moved =
        near.replace("3.05", &format!("{}", 3.05 - sooner)).replace("= 9", &format!("= {}", 9.0 - sooner));
    folder.write("t.toml", moved);
    folder.run(&quick(&words)).ok();
}

#[test]
fn the_tutorials_timeline_gives_eight_performances_in_every_interval() {
    let folder = Folder::new();
    let show = "seconds = 20\n[[key]]\nat = 2\nclip = \"hand-on-heart\"\n[[key]]\nat = 7\nclip = \"point-at-you\"\nlayer = \"upper\"\n[[key]]\nat = 15\nclip = \"bow\"\n";
    folder.write("show.toml", show);
    let json =
        folder.run(&["compose", "sample", "show.toml", "-o", "show", "--no-page", "--json"]).ok().json();
    let counts: Vec<&Value> =
        json["stretches"].as_array().expect("a list").iter().map(|s| &s["candidates"]).collect();
    // The searches find spare ways too, and eight performances are chosen.
    assert_eq!(counts.len(), 3, "{json}");
    assert!(counts.iter().all(|count| count.as_u64() >= Some(8)), "{counts:?} {}", json["notes"]);
    assert_eq!(json["candidates"].as_array().map(Vec::len), Some(8), "{}", json["notes"]);
    assert_eq!(json["notes"], Value::Array(Vec::new()));
}

#[test]
fn a_folder_holds_what_the_last_run_wrote_and_the_report_is_on_standard_output() {
    let folder = Folder::new();
    folder.write("two.toml", TWO_KEYS);
    folder.run(&quick(&["compose", "sample", "two.toml", "-o", "out"])).ok();
    folder.write("out/candidate-99.bvh", "the user's own");
    let few = ["compose", "sample", "two.toml", "-o", "out", "--population=40", "--generations=150"];
    let done = folder.run(&[&few[..], &["--candidates=1", "--no-page"]].concat()).ok();
    assert!(
        done.stdout.contains("candidate-01.bvh") && !done.stderr.contains("candidate-01.bvh"),
        "{done:?}"
    );
    let mut left: Vec<String> = std::fs::read_dir(folder.path("out"))
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    let expected =
        ["candidate-01.bvh", "candidate-99.bvh", "candidates.csv", "candidates.json", "candidates.svg"];
    assert_eq!(left, expected);
}

/// A database with these sample motions.
fn database(names: &[&str]) -> Folder {
    let folder = Folder::new();
    for name in names {
        let clip = sample::clip(name).expect("a sample motion");
        folder.write(&format!("{name}.bvh"), write(&clip, &WriteOptions::default()).bytes);
    }
    folder.run(&["db", "create", "moves.ugoki"]).ok();
    let files: Vec<String> = names.iter().map(|name| format!("{name}.bvh")).collect();
    let mut words = vec!["db", "add", "moves.ugoki"];
    words.extend(files.iter().map(String::as_str));
    folder.run(&words).ok();
    folder
}

#[test]
fn a_network_is_kept_and_follows_its_database() {
    let folder = database(&["idle", "wave", "nod"]);
    let words = ["network", "moves.ugoki", "--json"];
    let first = folder.run(&words).ok().json();
    assert_eq!(
        (&first["clips"], &first["stored"], &first["changes"]),
        (&3.into(), &true.into(), &Value::Null)
    );
    assert!(number(&first["nodes"]) > 3.0 && number(&first["edges"]) > 0.0, "{first}");
    assert!(first["layers"]["upper"]["edges"].is_number() && first["unreachable"].is_array(), "{first}");
    let again = folder.run(&words).ok().json();
    assert_eq!(again["changes"]["kept"], 3, "{again}");
    assert_eq!((&again["nodes"], &again["edges"]), (&first["nodes"], &first["edges"]));
    let clip = sample::clip("clap").expect("a sample motion");
    folder.write("clap.bvh", write(&clip, &WriteOptions::default()).bytes);
    folder.run(&["db", "add", "moves.ugoki", "clap.bvh"]).ok();
    folder.run(&["db", "remove", "moves.ugoki", "nod"]).ok();
    let grown = folder.run(&words).ok().json();
    assert_eq!((&grown["changes"]["added"], &grown["changes"]["removed"]), (&1.into(), &1.into()), "{grown}");
    // The same as one built at once.
    let fresh = database(&["idle", "wave", "clap"]).run(&words).ok().json();
    assert_eq!((&grown["nodes"], &grown["edges"]), (&fresh["nodes"], &fresh["edges"]));
    assert_eq!(grown["layers"], fresh["layers"]);
}

#[test]
fn a_network_is_drawn_and_layers_come_from_a_file() {
    let folder = Folder::new();
    let layers = "base = \"rest\"\n[[layers]]\nname = \"left\"\nroles = [\"leftShoulder\", \"leftUpperArm\", \"leftLowerArm\", \"leftHand\"]\n\
                  [[layers]]\nname = \"rest\"\n";
    folder.write("layers.toml", layers);
    let words = ["network", "sample", "--layers", "layers.toml", "--plot", "net.svg", "--json"];
    let json = folder.run(&words).ok().json();
    assert!(json["layers"]["left"].is_object() && json["layers"]["rest"].is_object(), "{json}");
    let svg = folder.text("net.svg");
    assert!(svg.starts_with("<svg") && svg.contains("hand-on-heart") && svg.trim_end().ends_with("</svg>"));
    let one = folder.run(&["network", "sample", "--layer", "full", "--json"]).ok().json();
    assert_eq!(one["layers"].as_object().expect("layers").len(), 1, "{one}");
    folder.run(&["network", "sample", "--layer", "tail"]).fails_with(&["tail", "upper, lower"]);
    folder.write("bad.toml", layers.replace("leftHand", "leftPaw"));
    folder.run(&["network", "sample", "--layers", "bad.toml"]).fails_with(&["bad.toml", "leftPaw"]);
    // Hardly anything follows anything: only poses that are the same.
    let done = folder.run(&["network", "sample", "--threshold", "0.00000001", "--whole"]);
    assert!(done.stdout.contains("a threshold above"), "{done:?}");
}

/// Notes of a report as one text.
fn notes(json: &Value) -> String {
    json["notes"].to_string()
}

#[test]
fn a_tempo_moves_keys_to_the_beat_and_plays_them_whole() {
    let folder = Folder::new();
    folder.write("two.toml", format!("seconds = 14\n{TWO_KEYS}"));
    for (bpm, whole_s) in [("97.3", [2.8333, 2.55]), ("60", [2.8333, 2.55])] {
        let words = ["compose", "sample", "two.toml", "-o", "out", "--no-page", "--bpm", bpm];
        let json = folder.run(&quick(&words)).ok().json();
        let beat_s = 60.0 / bpm.parse::<f64>().expect("a tempo");
        assert!(notes(&json).contains("moved to the nearest beat"), "{json}");
        for candidate in json["candidates"].as_array().expect("a list") {
            let clips = candidate["clips"].as_object().expect("layers").values();
            let mut fastest = 0.0_f64;
            for clip in clips.flat_map(|clips| clips.as_array().expect("clips")) {
                let [start, end, speed, held] =
                    ["start_s", "end_s", "speed", "held_s"].map(|field| number(&clip[field]));
                fastest = fastest.max((speed - 1.0).abs());
                let beats = start / beat_s;
                assert!((beats - beats.round()).abs() < 1e-4, "{clip}");
                if clip["key"] == true {
                    let captured = whole_s[usize::from(clip["name"] == "point-at-you")];
                    assert!(((end - start - held) * speed - captured).abs() < 1e-3, "{clip}");
                }
            }
            assert!((number(&candidate["stretch"]) - fastest).abs() < 1e-9, "{candidate}");
            assert!(fastest <= 0.1 + 1e-9, "{candidate}");
            let wanted: Vec<f64> = candidate["keys"]
                .as_array()
                .expect("keys")
                .iter()
                .map(|key| number(&key["wanted_s"]))
                .collect();
            assert!(wanted.iter().all(|at| [0.5, 8.0].contains(at)), "{wanted:?}");
        }
    }
    let slow = ["compose", "sample", "two.toml", "-o", "out", "--bpm", "3"];
    folder.run(&slow).fails_with(&["line 9", "the beat moves", "20.00 s apart"]);
}

#[test]
fn beats_that_agree_are_a_tempo_and_others_say_that_they_are_not() {
    let folder = Folder::new();
    let beats: Vec<String> =
        (0..30).map(|i| format!("{:.3}", 0.2 + 0.5 * f64::from(i) + 0.01 * f64::from(i % 2))).collect();
    folder.write("even.toml", format!("seconds = 14\nbeats = [{}]\n{TWO_KEYS}", beats.join(", ")));
    let words = ["compose", "sample", "even.toml", "-o", "out", "--no-page"];
    let json = folder.run(&quick(&words)).ok().json();
    for clip in json["candidates"][0]["clips"]["upper"].as_array().expect("clips") {
        let start = number(&clip["start_s"]);
        let off = |beat: &String| (beat.parse::<f64>().expect("seconds") - start).abs();
        // Times of a search are sums in f32.
        assert!(beats.iter().map(off).fold(f64::INFINITY, f64::min) < 1e-3, "{clip}");
    }
    assert!(notes(&json).contains("until the first beat at 0.20 s"), "{json}");
    folder.write("odd.toml", format!("seconds = 14\nbeats = [0, 0.5, 1.2, 1.5, 8.1]\n{TWO_KEYS}"));
    let words = ["compose", "sample", "odd.toml", "-o", "out", "--no-page"];
    let json = folder.run(&quick(&words)).ok().json();
    assert!(notes(&json).contains("clips are not"), "{json}");
    folder.run(&[&words[..], &["--bpm", "100"]].concat()).fails_with(&["--bpm", "beats of its own"]);
}

#[test]
fn a_layer_for_gestures_must_be_one_and_have_gestures() {
    let folder = Folder::new();
    folder.write("t.toml", TWO_KEYS);
    let words = ["compose", "sample", "t.toml", "-o", "out", "--gesture-layer"];
    folder.run(&[&words[..], &["nope"]].concat()).fails_with(&["--gesture-layer", "nope", "upper, lower"]);
    folder.run(&[&words[..], &["upper"]].concat()).fails_with(&["--gesture-layer", "no lyrics"]);
    folder.write("t.toml", format!("seconds = 9\ngesture_layer = \"wings\"\n{TWO_KEYS}"));
    folder.run(&["compose", "sample", "t.toml", "-o", "out"]).fails_with(&["t.toml", "line 2", "wings"]);
}

#[test]
fn invalid_options_and_equal_keys_are_reported() {
    let folder = Folder::new();
    folder.write("t.toml", TWO_KEYS);
    let run = |words: &[&str]| folder.run(&[&["compose", "sample", "t.toml", "-o"], words].concat());
    run(&["out", "--direction", "nan"]).fails_with(&["--direction", "NaN"]);
    run(&["out", "--valid", "inf"]).fails_with(&["--valid", "inf"]);
    folder.write("afile", "taken");
    run(&["afile"]).fails_with(&["afile", "is a file", "folder"]);
    folder.run(&["network", "sample", "--plot", "p.png"]).fails_with(&["--plot", "p.png", ".svg"]);
    folder.run(&["network", "sample", "--layer", "tail"]).fails_with(&["tail", "upper, lower, full"]);
    folder.write("t.toml", "seconds = \"ten\"\n");
    run(&["out"]).fails_with(&["t.toml", "line 1", "ten", "expected a number"]);
    // The second of two keys alike is the one too many.
    let key = "[[key]]\nat = 2\nclip = \"bow\"\n";
    folder.write("t.toml", format!("seconds = 9\n{key}{key}"));
    run(&["out"]).fails_with(&["t.toml", "line 6"]);
}
