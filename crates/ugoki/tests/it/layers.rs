//! The modules of the library stand in one order, and each uses only those above it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Top to bottom; modules on one line may use each other.
const ORDER: &[&[&str]] = &[
    &["bytes"],
    &["math"],
    &["skeleton"],
    &["pose"],
    &["clip", "markers"],
    &["contact"],
    &["limb"],
    &["metric"],
    &["picture"],
    &["retarget"],
    &["formats"],
    &["signal"],
    &["segment"],
    &["reconstruct"],
    &["edit"],
    &["network"],
    &["compose"],
    &["perform"],
    &["dynamics"],
    &["react"],
    &["live"],
    &["sample"],
];

/// Modules that see less than their place allows: (module, last module it may use).
const NARROW: &[(&str, &str)] = &[("dynamics", "metric"), ("live", "markers")];

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|row| row.contains(&module))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Modules named by `crate::name` and `crate::{name, other::…}` outside comments.
fn used_modules(text: &str) -> BTreeSet<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut used = BTreeSet::new();
    let word = |text: &str| {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(list) = rest.strip_prefix('{') else {
            used.insert(word(rest));
            continue;
        };
        let mut depth = 1;
        let mut item = String::new();
        for c in list.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 || (depth == 1 && c == ',') {
                used.insert(word(&item));
                item.clear();
            } else {
                item.push(c);
            }
            if depth == 0 {
                break;
            }
        }
    }
    used
}

#[test]
fn no_module_uses_one_below_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 10, "only {} source files found", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let module = inside.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        // Files of tests alone may use what stands below, such as the sample actor.
        if module == "lib" || inside.ends_with("tests.rs") {
            continue;
        }
        let Some(own) = rank(&module) else {
            wrong.push(format!("module {module} has no place in the order"));
            continue;
        };
        let narrow = NARROW.iter().find(|(name, _)| *name == module).and_then(|(_, last)| rank(last));
        for used in used_modules(&fs::read_to_string(&file).unwrap()) {
            let Some(place) = rank(&used) else { continue };
            if used != module && (place > own || narrow.is_some_and(|last| place > last)) {
                wrong.push(format!("{} uses {used}, which stands below {module}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_paths_sees_all_forms() {
    let text = "use crate::clip::Clip;\nuse crate::{math::{log, exp}, pose::Pose};\n// crate::job\nlet x = crate::skeleton::Role::Hips;";
    let found: Vec<String> = used_modules(text).into_iter().collect();
    assert_eq!(found, ["clip", "math", "pose", "skeleton"]);
}
