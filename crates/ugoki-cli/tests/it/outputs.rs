//! Outputs are safe: no verb overwrites its input unless the user allows it, whatever name or link leads to it.

use std::fs;

use crate::support::Folder;

/// For every verb that writes a file: a command whose output `OUT` is also an input.
const COMMANDS: &[&[&str]] = &[
    &["convert", "walk.bvh", "OUT"],
    &["convert", "walk.bvh", "-o", "OUT"],
    &["convert", "walk.bvh", "other.bvh", "--retarget", "kick.bvh", "-o", "OUT"],
    &["plant", "walk.bvh", "OUT"],
    &["plant", "walk.bvh", "-o", "OUT"],
    &["filter", "walk.bvh", "OUT", "--kernel", "box:3"],
    &["equalize", "walk.bvh", "OUT", "--gains", "1,1,0.5"],
    &["blend", "kick.bvh", "walk.bvh", "-o", "OUT"],
    &["loop", "walk.bvh", "OUT"],
    &["splice", "kick.bvh", "walk.bvh", "-o", "OUT"],
    &["walk", "walk.bvh", "-o", "OUT"],
    &["react", "walk.bvh", "OUT"],
    &["perform", "run", "model.ugoki", "--input", "walk.bvh", "--output", "OUT"],
];

/// Names that all mean `walk.bvh`.
const NAMES: [&str; 4] = ["walk.bvh", "./walk.bvh", "symbolic.bvh", "hard.bvh"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.run(&["convert", "sample#walk", "walk.bvh"]).ok();
    folder.run(&["convert", "sample#front-kick", "kick.bvh"]).ok();
    folder.run(&["perform", "learn", "sample#front-kick", "kick.bvh", "-o", "model.ugoki"]).ok();
    #[cfg(unix)]
    std::os::unix::fs::symlink("walk.bvh", folder.path("symbolic.bvh")).expect("a symbolic link");
    #[cfg(not(unix))]
    fs::copy(folder.path("walk.bvh"), folder.path("symbolic.bvh")).expect("a copy");
    fs::hard_link(folder.path("walk.bvh"), folder.path("hard.bvh")).expect("a hard link");
    folder
}

#[test]
#[cfg(unix)]
fn no_verb_overwrites_its_input() {
    let folder = folder();
    let before = folder.read("walk.bvh");
    for command in COMMANDS.iter().filter(|command| command.contains(&"OUT")) {
        for name in NAMES {
            let words: Vec<&str> =
                command.iter().map(|word| if *word == "OUT" { name } else { word }).collect();
            // Several inputs of `convert` go to a folder, which a file is not.
            let done = folder.run(&words);
            assert_eq!(done.code, Some(2), "{words:?}: {done:?}");
            assert_eq!(folder.read("walk.bvh"), before, "{words:?}");
            if !words.contains(&"other.bvh") {
                assert!(done.stderr.contains("both an input and an output"), "{words:?}: {done:?}");
            }
        }
    }
    assert!(folder.names().iter().all(|name| !name.ends_with(".ugoki-part")), "{:?}", folder.names());
}

#[test]
fn side_files_do_not_overwrite_inputs_either() {
    let folder = folder();
    let before = folder.read("kick.bvh");
    for words in [
        &["react", "walk.bvh", "out.bvh", "--report", "kick.bvh", "--throw", "kick.bvh"][..],
        &["segment", "walk.bvh", "--plot", "walk.bvh"],
        &["perform", "learn", "walk.bvh", "kick.bvh", "-o", "m.ugoki", "--plot", "kick.bvh"],
        &["render", "kick.bvh", "kick.bvh"],
    ] {
        let done = folder.run(words);
        assert_eq!(done.code, Some(2), "{words:?}: {done:?}");
        assert_eq!(folder.read("kick.bvh"), before, "{words:?}");
    }
}

#[test]
fn a_user_may_allow_it() {
    let folder = folder();
    let before = folder.read("walk.bvh");
    folder.run(&["filter", "walk.bvh", "walk.bvh", "--kernel", "box:5", "--overwrite"]).ok();
    assert_ne!(folder.read("walk.bvh"), before);
}

#[test]
fn verbs_that_take_one_motion_take_a_folder() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).expect("a folder");
    folder.run(&["convert", "sample#walk", "in/walk.bvh"]).ok();
    folder.run(&["convert", "sample#run", "in/run.bvh"]).ok();
    folder.write("in/broken.bvh", "HIERARCHY\nROOT");
    for (verb, options, ending) in [
        ("plant", &[][..], "bvh"),
        ("filter", &["--kernel", "box:3"], "bvh"),
        ("equalize", &["--gains", "1,0.5"], "bvh"),
        ("loop", &[], "bvh"),
        ("react", &[], "bvh"),
        ("render", &["--frames", "2", "--size", "200"], "png"),
    ] {
        let out = format!("out-{verb}");
        let words: Vec<&str> = [verb, "in", "-o", &out, "--json"].iter().chain(options).copied().collect();
        let done = folder.run(&words);
        assert_eq!(done.code, Some(2), "a broken file is reported: {words:?} {done:?}");
        let report = done.json();
        assert_eq!(report["files"].as_array().map(Vec::len), Some(2), "{verb}: {report}");
        assert_eq!(report["errors"].as_array().map(Vec::len), Some(1), "{verb}: {report}");
        for name in ["walk", "run"] {
            assert!(folder.path(&format!("{out}/{name}.{ending}")).is_file(), "{verb} {name}");
        }
    }
}

#[test]
fn messages_name_files_whole() {
    let folder = folder();
    folder.run(&["convert", "sample#walk", "walk; slow.bvh", "--fps", "30"]).ok();
    let done = folder.run(&["blend", "walk.bvh", "walk; slow.bvh", "-o", "o.bvh", "--strict", "--json"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    let error = &done.json()["error"];
    assert_eq!(error["file"], "walk; slow.bvh", "{error}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("--strict")), "{error}");
}

#[test]
fn definitions_give_schemas_completions_and_manual_pages() {
    let folder = Folder::new();
    let schema = folder.run(&["schema", "filter"]).ok().json();
    assert_eq!(schema["properties"]["method"]["default"], "exact", "{schema}");
    assert_eq!(schema["required"], serde_json::json!(["verb", "input", "output"]));
    assert_eq!(schema["additionalProperties"], false);
    folder.run(&["schema", "db", "add"]).ok();
    folder.run(&["schema", "nothing"]).fails_with(&["no verb", "plant", "db add"]);
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(folder.run(&["completions", shell]).ok().stdout.contains("despike"), "{shell}");
    }
    folder.run(&["man", "pages"]).ok();
    let page = String::from_utf8(folder.read("pages/ugoki-filter.1")).expect("text");
    assert!(page.contains("despike"), "{page}");
    assert!(folder.run(&["help", "filter"]).ok().stdout.contains("--despike"));
}
