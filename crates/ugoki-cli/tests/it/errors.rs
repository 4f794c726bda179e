//! What goes wrong is said in one line that names the file and what to do; nothing is lost.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Done, Folder, SMALL};

#[test]
fn a_missing_file_is_named() {
    Folder::new().run(&["info", "nowhere.bvh"]).fails_with(&["nowhere.bvh", "no such file"]);
}

#[test]
fn errors_are_json_when_asked() {
    let folder = Folder::new();
    folder.write("broken.bvh", "HIERARCHY\n\n\nno joints here\n");
    let done = folder.run(&["info", "broken.bvh", "--json"]);
    assert_eq!(done.code, Some(2));
    let error = &done.json()["error"];
    assert_eq!(error["file"], "broken.bvh");
    assert_eq!(error["line"], 5);
    assert!(error["message"].is_string() && error.get("hint").is_some());
    let done = folder.run(&["info", "--json", "--no-such-option"]);
    assert_eq!(done.code, Some(2));
    assert!(done.json()["error"]["message"].is_string());
}

#[test]
fn other_files_are_refused_with_what_is_read() {
    let folder = Folder::new();
    folder.write("picture.png", b"\x89PNG\r\n\x1a\n0000");
    folder.run(&["info", "picture.png"]).fails_with(&["picture.png", "bvh"]);
    folder.write("empty.bvh", "");
    folder.run(&["info", "empty.bvh"]).fails_with(&["empty.bvh", "empty"]);
}

#[test]
fn impossible_options_say_what_is_possible() {
    let folder = Folder::with_small();
    folder.run(&["convert", "small.bvh", "out.bvh", "--fps", "0"]).fails_with(&["--fps", "above 0"]);
    folder.run(&["convert", "small.bvh", "out.bvh", "--trim", "5:9"]).fails_with(&["5:9", "0f to 2f"]);
    folder.run(&["convert", "small.bvh", "out.fbx"]).fails_with(&["out.fbx", ".bvh"]);
    folder.run(&["convert", "small.bvh"]).fails_with(&["output", "-o DIR"]);
    folder.run(&["render", "small.bvh", "out.jpg"]).fails_with(&["out.jpg", ".png"]);
    folder.run(&["render", "small.bvh", "out.png", "--size", "999999x999999"]).fails_with(&["small.bvh"]);
    folder.run(&["convert", "small.bvh", "none/out.bvh"]).fails_with(&["none/out.bvh", "create the folder"]);
    assert_eq!(folder.names(), ["small.bvh"], "nothing was written");
}

#[test]
fn bodies_without_feet_cannot_be_planted() {
    Folder::with_small().run(&["plant", "small.bvh", "out.bvh"]).fails_with(&[
        "small.bvh",
        "leftUpperLeg",
        "legs",
    ]);
}

#[test]
fn an_existing_result_survives_a_failure() {
    let folder = Folder::with_small();
    folder.write("out.bvh", "precious");
    folder.write("broken.bvh", "HIERARCHY\nnothing");
    assert_eq!(folder.run(&["convert", "broken.bvh", "out.bvh"]).code, Some(2));
    assert_eq!(folder.text("out.bvh"), "precious");
    folder.run(&["convert", "small.bvh", "small.bvh", "--reverse"]).fails_with(&["small.bvh", "--overwrite"]);
    assert_eq!(folder.text("small.bvh"), SMALL);
    folder.run(&["convert", "small.bvh", "small.bvh", "--reverse", "--overwrite"]).ok();
    assert_ne!(folder.text("small.bvh"), SMALL, "the user may allow it");
}

#[test]
fn help_and_version_end_well() {
    let folder = Folder::new();
    assert!(folder.run(&["--help"]).ok().stdout.contains("convert"));
    assert!(folder.run(&["convert", "--help"]).ok().stdout.contains("Examples:"));
    assert!(folder.run(&["--version"]).ok().stdout.contains("ugoki 0.1.0"));
    assert_eq!(folder.run(&[]).code, Some(2));
}

#[test]
fn a_file_is_no_folder_for_results() {
    let folder = Folder::with_small();
    folder.write("other.bvh", SMALL);
    folder.write("file", "text");
    let done = folder.run(&["convert", "small.bvh", "other.bvh", "-o", "file"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("file: is a file") && done.stderr.contains("folder"), "{}", done.stderr);
    assert_eq!(folder.text("file"), "text");
}

#[test]
fn every_refusal_of_a_file_says_what_to_do() {
    let folder = Folder::with_small();
    folder.write("binary.toml", b"\xff\xfe\x00\x01");
    folder.run(&["convert", "sample#wave", "stand.bvh", "--trim", "0:1"]).ok();
    let cases: [(&[&str], &[&str]); 8] = [
        (&["db", "list", "binary.toml"], &["binary.toml", "`ugoki db create`"]),
        (&["db", "list", "none.ugoki"], &["none.ugoki", "`ugoki db create`"]),
        (&["convert", "small.bvh", "-o", "/proc/o.bvh"], &["/proc/o.bvh", "write somewhere else"]),
        (&["convert", "small.bvh", "-o", "small.bvh/x.bvh"], &["its folder is a file", "name a folder"]),
        (&["react", "stand.bvh", "out.bvh", "--body", "binary.toml"], &["binary.toml", "TOML", "UTF-8"]),
        (&["info", "small.bvh", "--markers", "binary.toml"], &["binary.toml", "label map", "UTF-8"]),
        (&["info", "small.bvh", "--markers", "none.toml"], &["none.toml", "check the name"]),
        (&["studio", "--host", "192.0.2.1", "--check"], &["192.0.2.1", "of this machine"]),
    ];
    for (words, expected) in cases {
        let done = folder.run(words);
        assert_eq!(done.code, Some(2), "{words:?}: {done:?}");
        assert!(expected.iter().all(|word| done.stderr.contains(word)), "{words:?}: {done:?}");
    }
}

#[test]
fn commands_in_hints_are_quoted_for_a_shell() {
    let folder = Folder::new();
    // A frame less than announced is a warning.
    folder.write("it's odd.bvh", SMALL.replace("Frames: 2", "Frames: 3"));
    let done = folder.run(&["convert", "it's odd.bvh", "out.bvh"]).ok();
    assert!(done.stderr.contains(r"`ugoki check 'it'\''s odd.bvh'`"), "{done:?}");
}

/// Symptom: only half of the verbs said that a file is damaged.
#[test]
fn every_verb_that_reads_a_motion_reports_its_findings() {
    let folder = Folder::new();
    folder.run(&["convert", "sample#walk", "walk.bvh"]).ok();
    // A frame less than announced is a warning.
    let text = folder.text("walk.bvh");
    let frames = text.lines().find(|line| line.starts_with("Frames:")).expect("a count").to_owned();
    folder.write("odd.bvh", text.replace(&frames, "Frames: 9999"));
    for words in [
        "plant odd.bvh out.bvh",
        "filter odd.bvh out.bvh --kernel box:3",
        "equalize odd.bvh out.bvh --gains 1,0.5",
        "edit odd.bvh out.bvh --handle rightHand@+0,0.1,0",
        "loop odd.bvh out.bvh",
        "walk odd.bvh out.bvh",
        "react odd.bvh out.bvh",
        "render odd.bvh out.png",
        "segment odd.bvh",
        "compare odd.bvh walk.bvh",
        "compare walk.bvh odd.bvh",
        "blend walk.bvh odd.bvh -o out.bvh",
        "splice walk.bvh odd.bvh -o out.bvh",
        "convert odd.bvh out.bvh",
        "convert walk.bvh out.bvh --retarget odd.bvh",
        "perform learn odd.bvh walk.bvh -o new.ugoki",
    ] {
        let done = folder.run(&words.split(' ').collect::<Vec<_>>()).ok();
        assert!(done.stderr.contains("`ugoki check odd.bvh`"), "{words}: {}", done.stderr);
    }
}

#[test]
fn standard_input_and_devices_count_against_the_memory() {
    let folder = Folder::with_small();
    let small = || std::fs::File::open(folder.path("small.bvh")).expect("a file");
    let words = ["info", "-", "--memory", "100"];
    let done = folder.command(&words).stdin(small()).output().expect("a run");
    let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2));
    assert!(stderr.contains("standard input: larger than the 100 bytes"), "{stderr}");
    assert!(stderr.contains("--memory"), "{stderr}");
    folder.run(&["info", "/dev/zero", "--memory", "100000"]).fails_with(&["/dev/zero", "100000 bytes"]);
    let words = ["info", "-", "--memory", "100000"];
    assert!(folder.command(&words).stdin(small()).output().expect("a run").status.success());
}

#[test]
fn negative_numbers_are_answered_with_the_range() {
    let folder = Folder::with_small();
    folder.run(&["segment", "small.bvh", "--smooth", "-1"]).fails_with(&["smooth", "-1", "0 to 10"]);
    let record = ["record", "--input", "vmc:0", "-o", "x.bvh"];
    for option in ["--seconds", "--silence"] {
        folder.run(&[&record[..], &[option, "-1"]].concat()).fails_with(&[option, "-1 s", "0 or more"]);
    }
}

#[test]
fn a_studio_makes_only_databases_that_can_be_used() {
    let folder = Folder::new();
    folder.run(&["studio", "x.txt", "--check"]).fails_with(&["x.txt", "ends in .ugoki"]);
    let done = folder.run(&["studio", "nowhere/x.ugoki", "--check"]);
    done.fails_with(&["nowhere/x.ugoki"]);
    assert!(!done.stderr.contains("made"), "{done:?}");
    assert!(folder.names().is_empty());
}

#[test]
fn trim_means_an_interval_everywhere() {
    let done = Folder::with_small().run(&["splice", "small.bvh", "small.bvh", "-o", "x.bvh", "--trim", "1"]);
    done.fails_with(&["--trim"]);
}

#[test]
fn options_about_files_are_refused_for_clips_of_databases() {
    let folder = Folder::new();
    for (option, value) in [
        ("--take", "1"),
        ("--source-unit", "cm"),
        ("--source-fps", "30"),
        ("--source-up", "z"),
        ("--asf", "none.asf"),
        ("--markers", "none.toml"),
    ] {
        folder.run(&["info", "sample#walk", option, value]).fails_with(&[option]);
    }
    let frames = |words: &[&str]| folder.run(words).ok().json()["frames"].as_u64().expect("a number");
    let all = frames(&["info", "sample#walk", "--json"]);
    assert_eq!(frames(&["info", "sample#walk", "--json", "--tpose", "drop"]), all - 1);
}

#[test]
fn results_beyond_the_memory_are_refused_before_they_are_made() {
    let folder = Folder::new();
    folder.run(&["convert", "sample#walk", "walk.bvh"]).ok();
    let before = folder.names();
    for words in [
        &["loop", "walk.bvh", "o.bvh", "--cycles", "60000", "--memory", "50M"][..],
        &["convert", "walk.bvh", "o.bvh", "--fps", "100000", "--memory", "50M"],
        &["splice", "walk.bvh", "walk.bvh", "-o", "o.bvh", "--memory", "1M"],
        &["blend", "walk.bvh", "walk.bvh", "-o", "o.bvh", "--memory", "500K"],
    ] {
        folder.run(words).fails_with(&["frames of", "would take about", "--memory"]);
        assert_eq!(folder.names(), before, "{words:?}");
    }
    folder
        .run(&["info", "sample#walk", "--memory", "10"])
        .fails_with(&["larger than the 10 bytes", "--memory"]);
    folder.run(&["loop", "walk.bvh", "o.bvh", "--cycles", "3", "--memory", "50M"]).ok();
}

#[cfg(unix)]
#[test]
fn words_that_are_no_text_are_named() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::with_small();
    let mut command = folder.command(&["info"]);
    let done = Done::from(command.arg(std::ffi::OsStr::from_bytes(b"bad\xff.bvh")).output().expect("a run"));
    done.fails_with(&["bad\u{fffd}.bvh", "not valid UTF-8", "rename"]);
}

/// Symptom: `ugoki check folder | …` went on after Ctrl-C while the other program did not read. Cause: the report was written
/// without asking.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_report_that_nothing_reads() {
    let folder = Folder::new();
    // More than a pipe holds.
    let files: Vec<String> = (0..2000).map(|number| format!("no-such-file-{number:08}.bvh")).collect();
    let words: Vec<&str> = ["check"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let mut child = folder.command(&words).stdout(Stdio::piped()).spawn().expect("the binary starts");
    let mut first = [0];
    child.stdout.as_mut().expect("a pipe").read_exact(&mut first).expect("the report begins");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(20), "it goes on");
        thread::sleep(Duration::from_millis(10));
    }
}
