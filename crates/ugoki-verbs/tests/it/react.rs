//! Files that `react` reads.

use ugoki::dynamics::BodyConfig;
use ugoki::react::world::Scene;
use ugoki::skeleton::Role;

use crate::files::Folder;

const MANUAL: &str = include_str!("../../../../docs/methods/react-world.md");

/// The first block of the manual in this language.
fn block(language: &str) -> &'static str {
    let (_, rest) = MANUAL.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

#[test]
fn the_examples_of_the_manual_are_read() {
    let body: BodyConfig = toml::from_str(block("toml")).unwrap();
    assert_eq!((body.mass_kg, body.strength, body.loads.len()), (72.0, 1.2, 1));
    assert_eq!(body.links[&Role::LeftLowerLeg].strength, Some(0.5));
    assert_eq!(Scene::from_json(block("json")).unwrap().bodies.len(), 2);
}

#[test]
fn faults_of_body_files_name_the_file_and_the_line() {
    let folder = Folder::new("react");
    for (text, line, part) in [
        ("mass_kg = 70\nheight = 2\n", Some(2), "height"),
        ("mass_kg = \"x\"\n", Some(1), "string \"x\""),
        ("[links.knee]\nstrength = 1\n", Some(1), "knee"),
        ("mass_kg = \n", Some(1), "line 1"),
        ("strength = 0\n", None, "strength is 0"),
        ("mass_kg = 1\n", None, "mass_kg is 1"),
    ] {
        folder.write("body.toml", text.as_bytes());
        let run = folder.run(&["react", "@walk.bvh", "@out.bvh", "--body", "@body.toml"]);
        let error = run.unwrap_err();
        assert_eq!((error.file, error.line), (Some(folder.path("body.toml")), line), "{text}");
        assert!(error.message.contains(part), "{text}: {}", error.message);
    }
    let words = ["react", "@walk.bvh", "@out.bvh", "--body", "@body.toml", "--mass", "2"];
    assert!(folder.run(&words).unwrap_err().message.starts_with("--mass: "));
}

/// Symptom: the message ended after "unknown field `foo" and the motion was to blame. Cause: parsers' texts were cut at
/// " at line ".
#[test]
fn faults_of_scenes_and_timelines_are_whole_and_name_the_line() {
    let folder = Folder::new("texts");
    folder.write("balls.json", br#"{"bodies": [{"foo at line bar": 1}]}"#);
    folder.write("t.json", b"{\n\"key\": [{\"foo at line bar\": 1}]}");
    for (words, file, line) in [
        (&["react", "@walk.bvh", "@out.bvh", "--throw", "@balls.json"][..], "balls.json", 1),
        (&["compose", "sample", "@t.json", "-o", "@out"], "t.json", 2),
    ] {
        let error = folder.run(words).unwrap_err();
        assert_eq!((error.file, error.line), (Some(folder.path(file)), Some(line)), "{words:?}");
        let message = error.message;
        assert!(message.contains("unknown field `foo at line bar`, expected"), "{message}");
        assert!(!message.contains("column"), "the line is said once: {message}");
    }
    folder
        .write("balls.json", br#"{"bodies": [{"shape": "ball", "radius_m": -1, "position_m": [0, 0, 0]}]}"#);
    let error = folder.run(&["react", "@walk.bvh", "@out.bvh", "--throw", "@balls.json"]).unwrap_err();
    assert_eq!(error.file, Some(folder.path("balls.json")), "{error}");
}
