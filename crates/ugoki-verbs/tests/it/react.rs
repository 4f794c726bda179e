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
fn body_files_that_cannot_be_are_refused_by_line() {
    let folder = Folder::new("react");
    for (text, part) in [
        ("mass_kg = 70\nheight = 2\n", "line 2"),
        ("mass_kg = \"x\"\n", "line 1"),
        ("[links.knee]\nstrength = 1\n", "knee"),
        ("mass_kg = \n", "line 1"),
    ] {
        folder.write("body.toml", text.as_bytes());
        let run = folder.run(&["react", "@walk.bvh", "@out.bvh", "--body", "@body.toml"]);
        let error = run.unwrap_err().message;
        assert!(error.starts_with("--body: ") && error.contains(part), "{text}: {error}");
    }
}
