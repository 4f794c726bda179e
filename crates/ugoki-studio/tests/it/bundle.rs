//! What the build script embeds: the built page, or a notice where there is none, as on a machine without Node.

#[path = "../../build.rs"]
#[allow(dead_code, reason = "the script's own main is for Cargo")]
mod build;

use std::fs;

#[test]
fn without_a_built_page_the_program_has_a_notice() {
    let folder = tempfile::tempdir().unwrap();
    build::bundle(&folder.path().join("nothing"), folder.path()).unwrap();
    let table = fs::read_to_string(folder.path().join("bundle.rs")).unwrap();
    assert_eq!(table.matches("include_bytes!").count(), 1, "{table}");
    assert!(table.contains("index.html") && table.contains("notice.html"), "{table}");
    let notice = fs::read_to_string(folder.path().join("notice.html")).unwrap();
    assert!(notice.starts_with("<!doctype html>") && notice.contains("make web"), "{notice}");
}

#[test]
fn a_built_page_is_embedded_whole() {
    let folder = tempfile::tempdir().unwrap();
    let dist = folder.path().join("dist");
    fs::create_dir_all(dist.join("assets")).unwrap();
    for name in ["index.html", "assets/a.js", "assets/b.css"] {
        fs::write(dist.join(name), name).unwrap();
    }
    build::bundle(&dist, folder.path()).unwrap();
    let table = fs::read_to_string(folder.path().join("bundle.rs")).unwrap();
    let names: Vec<_> =
        table.lines().filter_map(|line| line.trim().strip_prefix("(\"")?.split('"').next()).collect();
    assert_eq!(names, ["assets/a.js", "assets/b.css", "index.html"]);
}
