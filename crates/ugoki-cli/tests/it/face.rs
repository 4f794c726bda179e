//! Facial expressions as a user has them: VRMA in, a database, a layer of their own, VRMA out.

use std::collections::BTreeMap;
use ugoki::no_progress;

use crate::support::Folder;
use serde_json::Value;
use ugoki::clip::Clip;
use ugoki::formats::{Format, ReadOptions, WriteOptions, read, write};
use ugoki::sample;

const CLIPS: [&str; 6] = ["nod", "clap", "wave", "hand-on-heart", "point-at-you", "open-arms"];

/// Half a blend, seconds: so near to a seam weights are bent to meet.
const BLEND_S: f64 = 0.3;

/// Weights differ by what the database packs away and by where between frames they are looked at.
const SAME_WEIGHT: f32 = 2e-3;

/// A sample motion that smiles and speaks once for each of its letters' numbers, and is calm at both ends.
fn faced(name: &str) -> Clip {
    let clip = sample::clip(name).expect("a sample motion");
    let weights = |peak: f32, times: f32| {
        let fraction = |frame: usize| frame as f32 / (clip.num_frames() - 1) as f32;
        let bell = |frame| peak * (std::f32::consts::PI * times * fraction(frame)).sin().powi(2);
        (0..clip.num_frames()).map(bell).collect()
    };
    let peak = 0.3 + 0.05 * name.len() as f32;
    let faces = [("happy".to_owned(), weights(peak, 1.0)), ("smug".to_owned(), weights(1.0 - peak, 2.0))];
    clip.with_expressions(&faces).expect("a face")
}

fn vrma(clip: &Clip) -> Vec<u8> {
    let go = &mut no_progress();
    write(clip, Format::Vrma, &WriteOptions::default(), go).expect("a file").bytes
}

fn opened(folder: &Folder, name: &str) -> Clip {
    read(&folder.read(name), None, &ReadOptions::default()).expect("a motion").clip
}

/// A database of faces, and the clips in it.
fn database(folder: &Folder) -> BTreeMap<&'static str, Clip> {
    let clips: BTreeMap<&str, Clip> = CLIPS.iter().map(|&name| (name, faced(name))).collect();
    for (name, clip) in &clips {
        folder.write(&format!("{name}.vrma"), vrma(clip));
    }
    folder.run(&["db", "create", "face.ugoki", "--skeleton", "nod.vrma"]).ok();
    let files = CLIPS.map(|name| format!("{name}.vrma"));
    let words: Vec<&str> =
        ["db", "add", "face.ugoki"].into_iter().chain(files.iter().map(String::as_str)).collect();
    folder.run(&words).ok();
    clips
}

#[test]
fn a_face_goes_from_vrma_through_a_layer_of_its_own_to_vrma() {
    let folder = Folder::new();
    let clips = database(&folder);
    folder.write(
        "layers.toml",
        "base = \"body\"\n[[layers]]\nname = \"face\"\njoints = [\"happy\", \"smug\"]\n[[layers]]\nname = \"body\"\n",
    );
    // The face of one clip on the body of another.
    folder.write(
        "show.toml",
        "seconds = 12\n[[key]]\nat = 1\nclip = \"wave\"\nlayer = \"face\"\n\
         [[key]]\nat = 1\nclip = \"point-at-you\"\nlayer = \"body\"\n",
    );
    let words = [
        "compose",
        "face.ugoki",
        "show.toml",
        "-o",
        "out",
        "--layers",
        "layers.toml",
        "--whole",
        "--to=vrma",
        "--candidates=2",
        "--population=40",
        "--generations=100",
        "--json",
    ];
    let json = folder.run(&words).ok().json();
    let mut compared = 0;
    for candidate in json["candidates"].as_array().expect("a list") {
        let made = opened(&folder, &format!("out/{}", candidate["file"].as_str().expect("a name")));
        let items = candidate["clips"]["face"].as_array().expect("clips of the face");
        assert!(items.iter().any(|item| item["name"] == "wave" && item["key"] == true), "{candidate}");
        let bodies = candidate["clips"]["body"].as_array().expect("clips of the body");
        assert!(bodies.iter().any(|item| item["name"] == "point-at-you"), "{candidate}");
        for item in items {
            let number = |key: &str| item[key].as_f64().expect("a number");
            let clip = &clips[item["name"].as_str().expect("a name")];
            let (start, end) = (number("start_s"), number("end_s"));
            for name in ["happy", "smug"] {
                let (now, was) =
                    (made.expression(name).expect("a weight"), clip.expression(name).expect("a weight"));
                for (frame, now) in now.iter().enumerate() {
                    let at = frame as f64 / made.fps();
                    if at < start + BLEND_S + 0.02 || at > end - BLEND_S - 0.02 {
                        continue;
                    }
                    let there = ((at - start) * number("speed") * clip.fps()).min(was.len() as f64 - 1.0);
                    let (before, fraction) = (there.floor() as usize, there.fract() as f32);
                    let after = was[(before + 1).min(was.len() - 1)];
                    let wanted = was[before] + fraction * (after - was[before]);
                    assert!(
                        (now - wanted).abs() < SAME_WEIGHT,
                        "{name} of {item} at {at} s: {now}, {wanted}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 500, "{compared} weights");
}

#[test]
fn a_database_keeps_faces_and_gives_none_to_clips_without() {
    let folder = Folder::new();
    let clips = database(&folder);
    folder.write("sway.vrma", vrma(&sample::clip("sway").expect("a sample motion")));
    // The same body with another face is another clip.
    let other = sample::clip("nod").expect("a sample motion");
    let still = vec![0.5; other.num_frames()];
    folder.write("smirk.vrma", vrma(&other.with_expressions(&[("smug".to_owned(), still)]).expect("a face")));
    folder.run(&["db", "add", "face.ugoki", "sway.vrma", "smirk.vrma"]).ok();
    for (name, happy, smug) in [
        ("wave", clips["wave"].expression("happy"), clips["wave"].expression("smug")),
        ("sway", None, None),
        ("smirk", None, Some(vec![0.5; other.num_frames()])),
    ] {
        folder.run(&["convert", &format!("face.ugoki#{name}"), "back.vrma"]).ok();
        let back = opened(&folder, "back.vrma");
        for (expression, wanted) in [("happy", happy), ("smug", smug)] {
            let now = back.expression(expression).expect("an expression of the database");
            let wanted = wanted.unwrap_or_else(|| vec![0.0; now.len()]);
            assert_eq!(now.len(), wanted.len());
            // The codec's 0.1 mm.
            assert!(now.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 2e-4), "{name} {expression}");
        }
    }
    let shown = folder.run(&["info", "wave.vrma", "--json"]).ok().json();
    let is_face = |joint: &&Value| joint["is_expression"] == true;
    let names: Vec<&str> = shown["joints"]
        .as_array()
        .expect("joints")
        .iter()
        .filter(is_face)
        .filter_map(|j| j["name"].as_str())
        .collect();
    assert_eq!(names, ["happy", "smug"]);
    // BVH has no faces, and says so.
    let converted = folder.run(&["convert", "wave.vrma", "wave.bvh"]).ok();
    assert!(converted.stderr.contains("expressions-left-out"), "{converted:?}");
}

#[test]
fn a_layer_that_claims_an_unknown_expression_is_refused_by_name() {
    let folder = Folder::new();
    folder.write(
        "layers.toml",
        "base = \"body\"\n[[layers]]\nname = \"face\"\njoints = [\"happy\"]\n[[layers]]\nname = \"body\"\n",
    );
    let words = ["network", "sample", "--layers", "layers.toml"];
    folder.run(&words).fails_with(&["face", "happy", "no expressions"]);
}

#[test]
fn the_smile_of_the_test_animation_is_read() {
    let Some(captures) = crate::support::captures(1) else { return };
    let folder = Folder::new();
    let path = captures.join("vrma/threevrm_test.vrma");
    let file = path.to_string_lossy();
    let text = folder.run(&["info", &file]).ok().stdout;
    assert!(text.lines().any(|line| line.contains("happy") && line.contains("expression")), "{text}");
    folder.run(&["db", "create", "face.ugoki", "--skeleton", &file]).ok();
    folder.run(&["db", "add", "face.ugoki", &file]).ok();
    folder.run(&["convert", "face.ugoki#threevrm_test", "back.vrma"]).ok();
    folder.write("was.vrma", std::fs::read(&path).expect("a capture"));
    let (was, now) = (opened(&folder, "was.vrma"), opened(&folder, "back.vrma"));
    let peak = |clip: &Clip| clip.expression("happy").expect("a smile").into_iter().fold(0.0, f32::max);
    assert!(peak(&was) > 0.5 && (peak(&was) - peak(&now)).abs() < 1e-2, "{} {}", peak(&was), peak(&now));
}
