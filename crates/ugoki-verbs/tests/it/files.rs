//! Verbs on the files of a folder: outputs, refusals and outcomes.

use std::path::PathBuf;

use clap::Parser;
use serde_json::Value;
use ugoki::formats::bvh::{WriteOptions, write};
use ugoki::{no_progress, sample};
use ugoki_verbs::{AnyVerb as _, FileHost, Outcome, Problem, Request};

/// A folder with sample motions, gone at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ugoki-verbs-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        let walk = sample::clip("walk").unwrap();
        folder.write("walk.bvh", &write(&walk, &WriteOptions::default()).bytes);
        let slow = walk.resampled(24.0).unwrap();
        folder.write("walk; slow.bvh", &write(&slow, &WriteOptions::default()).bytes);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// A command line in which `@name` is a file of the folder.
    pub(crate) fn request(&self, words: &[&str]) -> Request {
        let file = |word: &&str| word.strip_prefix('@').map_or((*word).to_owned(), |name| self.path(name));
        Words::parse_from(words.iter().map(file)).request
    }

    /// Runs a command line in which `@name` is a file of the folder.
    pub(crate) fn run(&self, words: &[&str]) -> Result<(Value, String, Outcome), Problem> {
        let request = self.request(words);
        assert_eq!(Request::from_value(&serde_json::to_value(&request).unwrap()).unwrap(), request);
        let (note, stopped) = (&mut |_: &str| {}, &|| false);
        let report = request.run_any(&mut FileHost::new(note, stopped), &mut no_progress());
        let report = report.map_err(|error| error.problem())?;
        Ok((report.value().unwrap(), report.text(), report.outcome()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Words {
    #[command(subcommand)]
    request: Request,
}

#[test]
fn convert_writes_a_file_or_a_folder() {
    let folder = Folder::new("convert");
    for (words, made) in [
        (&["convert", "@walk.bvh", "@a.glb"][..], "a.glb"),
        (&["convert", "@walk.bvh", "-o", "@b.glb"], "b.glb"),
        (&["convert", "@walk.bvh", "-o", "@c"], "c/walk.bvh"),
        (&["convert", "@walk.bvh", "-o", "@d.glb/"], "d.glb/walk.bvh"),
        (&["convert", "@walk.bvh", "@walk; slow.bvh", "-o", "@e", "--to", "csv"], "e/walk.csv"),
        (&["convert", "@c", "-o", "@f.bvh"], "f.bvh/walk.bvh"),
    ] {
        let (report, ..) = folder.run(words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        assert_eq!(report["files"][0]["output"], folder.path(made), "{words:?}");
        assert!(PathBuf::from(folder.path(made)).is_file(), "{words:?}");
    }
    for (words, expected) in [
        (&["convert", "@walk.bvh"][..], "convert needs an output"),
        (&["convert", "@walk.bvh", "@walk; slow.bvh", "-o", "@e.bvh"], "2 inputs need a folder"),
        (&["convert", "@walk.bvh", "-o", "@out.fbx"], "FBX"),
        (&["convert", "@walk.bvh", "-o", "@walk.bvh"], "both an input and an output"),
        (&["convert", "@walk.bvh", "-o", "@out.bvh", "--to", "glb"], "--to"),
        (&["convert", "@walk.bvh", "@out.bvh", "--unit", "m"], "--scale auto"),
    ] {
        let message = folder.run(words).unwrap_err().to_string();
        assert!(message.contains(expected), "{words:?}: {message}");
    }
}

#[test]
fn strict_names_the_whole_file() {
    let folder = Folder::new("strict");
    for words in [
        &["blend", "@walk.bvh", "@walk; slow.bvh", "-o", "@out.bvh", "--strict"][..],
        &["splice", "@walk.bvh", "@walk; slow.bvh", "-o", "@out.bvh", "--strict"],
        &["compare", "@walk.bvh", "@walk; slow.bvh", "--strict"],
    ] {
        let problem = folder.run(words).unwrap_err();
        assert_eq!(problem.file, Some(folder.path("walk; slow.bvh")), "{words:?}");
        assert!(problem.message.contains("24"), "{problem}");
        assert_eq!(problem.hint.as_deref(), Some("leave out --strict to allow that"));
    }
}

#[test]
fn check_counts_errors() {
    let folder = Folder::new("check");
    let text = std::fs::read_to_string(folder.path("walk.bvh")).unwrap();
    // A row that ends early is an error that leaves the rest of the file usable.
    let row = text.lines().nth_back(3).unwrap();
    let short = row.rsplit_once(' ').unwrap().0;
    folder.write("short.bvh", text.replacen(row, short, 1).as_bytes());
    let (report, text, outcome) = folder.run(&["check", "@short.bvh"]).unwrap();
    assert_eq!((&report["files"][0]["usable"], outcome), (&Value::Bool(true), Outcome::Done));
    assert!(text.contains("short.bvh: can be used, but has 1 error\n"), "{text}");
    assert_eq!(folder.run(&["check", "@short.bvh", "--strict"]).unwrap().2, Outcome::NothingFound);
    let (_, text, outcome) = folder.run(&["check", "@walk.bvh", "--strict"]).unwrap();
    assert!(text.contains("walk.bvh: ok\n") && outcome == Outcome::Done, "{text}");
}

#[test]
fn feet_are_held_everywhere_at_seams_or_nowhere() {
    let folder = Folder::new("feet");
    let loop_with = |feet: &str| folder.run(&["loop", "@walk.bvh", "@out.bvh", "--feet", feet]).unwrap().0;
    let (all, seam, free) = (loop_with("all"), loop_with("seam"), loop_with("free"));
    assert_eq!(loop_with("seams"), seam);
    assert!(all["held"].is_object() && free["held"].is_null());
    let splice = ["splice", "@walk.bvh", "@walk.bvh", "-o", "@out.bvh", "--feet", "free"];
    let (report, ..) = folder.run(&splice).unwrap();
    assert_eq!((&report["held"], &report["hips_mm"]), (&Value::Null, &Value::from(0.0)));
}

#[test]
fn folders_are_drawn_and_cut() {
    let folder = Folder::new("folders");
    let (report, ..) =
        folder.run(&["render", "@", "-o", "@pictures", "--to", "svg", "--frames", "2"]).unwrap();
    assert_eq!(report["files"].as_array().map(Vec::len), Some(2), "{report}");
    assert!(PathBuf::from(folder.path("pictures/walk; slow.svg")).is_file());
    let (report, _, outcome) = folder.run(&["segment", "@", "-o", "@pieces"]).unwrap();
    assert_eq!(outcome, Outcome::Done);
    let file = report["files"][0]["pieces"][0]["file"].as_str().unwrap().to_owned();
    assert!(PathBuf::from(file).is_file());
    folder.run(&["segment", "@", "--plot", "@x.svg"]).unwrap_err();
}

#[test]
fn the_standard_body_rests_in_a_t_pose() {
    let skeleton = ugoki_db::default_skeleton();
    assert!(ugoki::skeleton::is_t_pose(&skeleton, &skeleton.rest_positions()));
}

#[test]
fn a_folder_result_that_is_another_input_is_refused() {
    let folder = Folder::new("crossed");
    for name in ["in", "out"] {
        std::fs::create_dir_all(folder.path(name)).unwrap();
    }
    let bytes = std::fs::read(folder.path("walk.bvh")).unwrap();
    folder.write("in/a.bvh", &bytes);
    for link in
        [std::os::unix::fs::symlink::<String, String>, |a: String, b: String| std::fs::hard_link(a, b)]
    {
        folder.write("out/a.bvh", &bytes);
        // Made last, so that results would replace it before it is read.
        link(folder.path("out/a.bvh"), folder.path("in/b.bvh")).unwrap();
        let words = ["filter", "@in", "-o", "@out", "--kernel", "box:5"];
        let error = folder.run(&words).unwrap_err();
        assert!(error.message.contains("input"), "{error}");
        assert_eq!(std::fs::read(folder.path("in/b.bvh")).unwrap(), bytes);
        std::fs::remove_file(folder.path("in/b.bvh")).unwrap();
        std::fs::remove_file(folder.path("out/a.bvh")).unwrap();
    }
}

#[test]
fn clip_names_do_not_lead_out_of_the_folder() {
    assert_eq!(ugoki_verbs::stem("moves.ugoki#../../x: y"), "..-..-x- y");
}

/// Symptom: three.js showed bodies written from the database 0.93 m over the floor. Cause: `OFFSET 0 92.99 0` at the root and absolute channels,
/// which it adds.
#[test]
fn bvh_of_the_database_has_no_root_offset_and_comes_back_the_same() {
    let folder = Folder::new("root-offset");
    let root = |name: &str| {
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        text.lines().find(|line| line.trim().starts_with("OFFSET")).unwrap().trim().to_owned()
    };
    folder.run(&["convert", "sample#walk", "@a.bvh"]).unwrap();
    folder.run(&["convert", "sample#walk", "@a.glb"]).unwrap();
    folder.run(&["convert", "@a.glb", "@b.bvh"]).unwrap();
    for name in ["a.bvh", "b.bvh"] {
        assert_eq!(root(name), "OFFSET 0 0 0", "{name}");
        let (report, ..) = folder.run(&["compare", "sample#walk", &format!("@{name}")]).unwrap();
        // Six digits of a degree and a centimetre.
        assert!(report["l2p"].as_f64().unwrap() < 1e-4, "{name}: {report}");
    }
    // A file that has an offset keeps it, to the last byte.
    let text =
        std::fs::read_to_string(folder.path("a.bvh")).unwrap().replacen("OFFSET 0 0 0", "OFFSET 0 92.5 0", 1);
    folder.write("c.bvh", text.as_bytes());
    folder.run(&["convert", "@c.bvh", "@d.bvh"]).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path("d.bvh")).unwrap(), text);
}

#[test]
fn edit_reports_its_three_parts_and_refuses_what_it_cannot_do() {
    let folder = Folder::new("edit");
    let (report, text, outcome) = folder
        .run(&[
            "edit",
            "@walk.bvh",
            "@out.bvh",
            "--segment",
            "0.2:1",
            "--handle",
            "rightHand@+0,0.05,0.05,0,0,1",
            "--plot",
            "@p.svg",
        ])
        .unwrap();
    assert_eq!(outcome, Outcome::Done);
    assert!(report["handles"][0]["off_mm"].as_f64().unwrap() < 0.1, "{report}");
    assert!(
        report["skeleton"]["bone_mm"].as_f64().unwrap() < 0.01
            && report["texture"]["max_deg"].as_f64().unwrap() > 0.1
    );
    assert!(["handles", "skeleton", "texture"].iter().all(|part| text.contains(part)), "{text}");
    let svg = std::fs::read_to_string(folder.path("p.svg")).unwrap();
    assert!(
        ["captured", "linear", "position", "one-stage", "two-stage"].iter().all(|name| svg.contains(name))
    );
    let (_, text, outcome) =
        folder.run(&["edit", "@walk.bvh", "@far.bvh", "--handle", "rightHand@9,9,9"]).unwrap();
    assert!(outcome == Outcome::Done && text.contains("out of reach"), "{text}");
    for (words, expected) in [
        (&["--handle", "tail@0,1,0"][..], "tail"),
        (&["--segment", "90:99", "--handle", "head@0,1,0"], "holds no frames"),
        (&["--segment", "3f:5f", "--handle", "head@0,1,0"], "too short"),
        (&["--segment", "3f:50f", "--handle", "head@0,1,0@60f"], "not in the segment"),
    ] {
        let words: Vec<&str> = ["edit", "@walk.bvh", "@bad.bvh"].iter().chain(words).copied().collect();
        let problem = folder.run(&words).unwrap_err();
        assert!(problem.to_string().contains(expected), "{words:?}: {problem}");
    }
}

#[test]
fn a_demo_replaces_no_file_of_the_user() {
    let folder = Folder::new("demo-user-files");
    let walk = std::fs::read(folder.path("walk.bvh")).unwrap();
    let message = folder.run(&["demo", "@"]).unwrap_err().to_string();
    assert!(message.contains("walk.bvh") && message.contains("no earlier demo"), "{message}");
    assert_eq!(std::fs::read(folder.path("walk.bvh")).unwrap(), walk);
}

#[test]
fn outputs_in_missing_folders_are_refused_before_any_work() {
    let folder = Folder::new("missing-folders");
    for (words, made) in [
        (&["segment", "@walk.bvh", "-o", "@pieces", "--plot", "@none/plot.svg"][..], "pieces"),
        (&["react", "@walk.bvh", "@reacted.bvh", "--report", "@none/report.json"], "reacted.bvh"),
    ] {
        let message = folder.run(words).unwrap_err().to_string();
        assert!(message.contains("its folder does not exist"), "{words:?}: {message}");
        assert!(!PathBuf::from(folder.path(made)).exists(), "{words:?}");
    }
}

#[test]
fn options_are_checked_before_anything_is_read() {
    let folder = Folder::new("options-first");
    for words in [
        &["convert", "@missing.bvh", "@out.bvh", "--fps", "-3"][..],
        &["convert", "@missing.bvh", "@out.bvh", "--speed", "0"],
        &["filter", "@missing.bvh", "@out.bvh"],
        &["segment", "@missing.bvh", "--plot", "@plot.png"],
        &["network", "@missing.ugoki", "-o", "@plot.png"],
    ] {
        let problem = folder.run(words).unwrap_err();
        assert_eq!(problem.file, None, "{words:?}: {problem}");
    }
}

#[test]
fn slowed_motions_are_within_the_memory() {
    let folder = Folder::new("slowed");
    let mut host = FileHost::new(Box::leak(Box::new(|_: &str| {})), &|| false);
    host.budget.memory_bytes = 2 << 20;
    let (input, output) = (folder.path("walk.bvh"), folder.path("slow.bvh"));
    let words = ["convert", &input, &output, "--speed", "0.0001"].map(ToOwned::to_owned);
    let Ok(Words { request }) = Words::try_parse_from(words) else { panic!("the words are refused") };
    let error = request.run_any(&mut host, &mut no_progress()).err().expect("too much memory");
    let ugoki_verbs::Error::InFile { source, .. } = &error else { panic!("{error:?}") };
    assert!(matches!(**source, ugoki_verbs::Error::ResultTooLarge { .. }), "{error:?}");
}
