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
        (&["convert", "@walk.bvh", "@walk; slow.bvh", "-o", "@e.bvh", "--to", "csv"], "e.bvh/walk.csv"),
        (&["convert", "@c", "-o", "@f.bvh"], "f.bvh/walk.bvh"),
    ] {
        let (report, ..) = folder.run(words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        assert_eq!(report["files"][0]["output"], folder.path(made), "{words:?}");
        assert!(PathBuf::from(folder.path(made)).is_file(), "{words:?}");
    }
    for (words, expected) in [
        (&["convert", "@walk.bvh"][..], "convert needs an output"),
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
