//! Crates and the files inside them stand in one order: each uses only what stands before it.
//!
//! Two rules are read from the sources. The crates that a `Cargo.toml` names are those of [`CRATES`]. Inside a crate the
//! graph of files has no cycles but those of [`KNOTS`], a list that may only become shorter.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::rust_paths::{Names, names};

/// Every crate and the crates of the workspace that it may depend on, directly. A crate stands after those it uses.
const CRATES: &[(&str, &[&str])] = &[
    ("ugoki-base", &[]),
    ("ugoki-feet", &["ugoki-base"]),
    ("ugoki-formats", &["ugoki-base"]),
    ("ugoki-files", &["ugoki-formats"]),
    ("ugoki-sample", &["ugoki-base"]),
    ("ugoki-picture", &["ugoki-base"]),
    ("ugoki-live", &["ugoki-base"]),
    ("ugoki-physics", &["ugoki-base", "ugoki-feet"]),
    ("ugoki-motion", &["ugoki-base", "ugoki-feet"]),
    ("ugoki-compose", &["ugoki-base", "ugoki-feet", "ugoki-motion"]),
    ("ugoki-perform", &["ugoki-base", "ugoki-live", "ugoki-motion"]),
    ("ugoki-testing", &["ugoki-base", "ugoki-formats"]),
    (
        "ugoki",
        &[
            "ugoki-base",
            "ugoki-compose",
            "ugoki-feet",
            "ugoki-formats",
            "ugoki-live",
            "ugoki-motion",
            "ugoki-perform",
            "ugoki-physics",
            "ugoki-picture",
            "ugoki-sample",
        ],
    ),
    (
        "ugoki-db",
        &[
            "ugoki-base",
            "ugoki-compose",
            "ugoki-feet",
            "ugoki-files",
            "ugoki-formats",
            "ugoki-motion",
            "ugoki-perform",
            "ugoki-sample",
        ],
    ),
    ("ugoki-verbs", &["ugoki", "ugoki-db", "ugoki-files"]),
    ("ugoki-studio", &["ugoki", "ugoki-db", "ugoki-files", "ugoki-verbs"]),
    ("ugoki-bench", &["ugoki", "ugoki-db"]),
    ("ugoki-py", &["ugoki", "ugoki-db", "ugoki-verbs"]),
    ("ugoki-cli", &["ugoki", "ugoki-db", "ugoki-files", "ugoki-studio", "ugoki-verbs"]),
];

/// Modules that stand in order inside a crate; one may use only those before it.
const MODULES: &[(&str, &[&str])] = &[
    (
        "ugoki-base",
        &[
            "threads",
            "bytes",
            "document",
            "math",
            "skeleton",
            "tracking_loss",
            "pose",
            "ground",
            "clip",
            "markers",
            "contact_labels",
            "ik",
            "bend_axes",
            "signal",
            "mannequin",
        ],
    ),
    ("ugoki-feet", &["contact", "feet", "metric"]),
    ("ugoki-motion", &["retarget", "segment", "blend", "reconstruct", "edit"]),
    ("ugoki-compose", &["network", "compose"]),
    ("ugoki-physics", &["dynamics", "react"]),
];

/// Files that use each other in a cycle today: (crate, files). Take a file off the list when its cycle is cut; the test fails
/// when a file joins a cycle and when the list names one that is in none.
const KNOTS: &[(&str, &[&str])] = &[
    (
        "ugoki-compose",
        &[
            "compose/candidate.rs",
            "compose/config.rs",
            "compose/error.rs",
            "compose/footwork.rs",
            "compose/library.rs",
            "compose/plan.rs",
            "compose/render.rs",
            "compose/runs.rs",
            "compose/score.rs",
            "compose/stepping.rs",
            "compose/tabu.rs",
        ],
    ),
    ("ugoki-compose", &["compose/concatenate.rs", "compose/run.rs", "compose/suggestions.rs"]),
    ("ugoki-compose", &["network/features.rs", "network/layer.rs"]),
];

fn crates_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Names of the workspace's crates under `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut inside = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == "[dependencies]" || line == "[build-dependencies]";
        } else if inside && line.starts_with("ugoki") {
            found.insert(line.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect());
        }
    }
    found
}

#[test]
fn crates_depend_only_on_those_before_them() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(crates_folder()).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let Some(place) = CRATES.iter().position(|(known, _)| *known == name) else {
            wrong.push(format!("crate {name} has no place in the table"));
            continue;
        };
        let allowed: BTreeSet<String> = CRATES[place].1.iter().map(|&name| name.to_owned()).collect();
        for used in &dependencies(&manifest) {
            if !allowed.contains(used) {
                wrong.push(format!("{name} depends on {used}, which the table does not allow"));
            }
        }
        for used in CRATES[place].1 {
            if !CRATES[..place].iter().any(|(before, _)| before == used) {
                wrong.push(format!("the table has {name} use {used}, which does not stand before it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Source files of a crate by module path: `["clip", "packed", "decode"]` is `clip/packed/decode.rs`, no segments the root.
fn modules(src: &Path) -> BTreeMap<Vec<String>, PathBuf> {
    fn visit(folder: &Path, at: &[String], found: &mut BTreeMap<Vec<String>, PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                visit(&path, &[at, &[stem]].concat(), found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let module = match &*stem {
                    "mod" | "lib" | "main" => at.to_vec(),
                    _ => [at, &[stem]].concat(),
                };
                found.insert(module, path);
            }
        }
    }
    let mut found = BTreeMap::new();
    visit(src, &[], &mut found);
    // Files of tests alone may use anything.
    found.retain(|module, _| !module.iter().any(|part| part == "tests" || part == "properties"));
    found
}

/// The files of one crate and which of them each uses. Re-exports are followed to the file that defines the name; a `pub use`
/// is itself no use.
struct FileGraph {
    files: Vec<String>,
    modules: BTreeMap<Vec<String>, usize>,
    names: Vec<Names>,
    edges: Vec<BTreeSet<usize>>,
}

impl FileGraph {
    fn read(src: &Path) -> Self {
        let found = modules(src);
        let names = found
            .iter()
            .map(|(module, file)| names(&fs::read_to_string(file).unwrap(), module))
            .collect::<Vec<_>>();
        let files = found
            .values()
            .map(|file| file.strip_prefix(src).unwrap().to_string_lossy().replace('\\', "/"))
            .collect();
        let modules = found.into_keys().enumerate().map(|(at, module)| (module, at)).collect();
        let mut graph = Self { files, modules, names, edges: Vec::new() };
        graph.edges = (0..graph.files.len()).map(|file| graph.uses(file)).collect();
        graph
    }

    fn uses(&self, file: usize) -> BTreeSet<usize> {
        let names = &self.names[file];
        let imports = names.imports.iter().filter(|import| !import.is_public).map(|import| &import.path);
        let mut used: BTreeSet<usize> =
            imports.chain(&names.paths).filter_map(|path| self.defining_file(path, 0)).collect();
        used.remove(&file);
        used
    }

    /// The file that defines what a path names; `None` for another crate's.
    fn defining_file(&self, path: &[String], depth: usize) -> Option<usize> {
        let path = path.strip_prefix(&["crate".to_owned()])?;
        let (len, file) =
            (0..=path.len()).rev().find_map(|len| Some((len, *self.modules.get(&path[..len])?)))?;
        let Some(name) = path.get(len) else { return Some(file) };
        let import = self.names[file].imports.iter().find(|import| import.name == *name);
        let Some(import) = import.filter(|_| depth < 8) else { return Some(file) };
        // `pub use child::Name` in a `mod.rs`; what is not a child is another crate.
        let mut target = import.path.clone();
        if target[0] != "crate" {
            let child = [&path[..len], &target[..1]].concat();
            if !self.modules.contains_key(&child) {
                return None;
            }
            target = [&["crate".to_owned()], &path[..len], &target].concat();
        }
        target.extend_from_slice(&path[len + 1..]);
        self.defining_file(&target, depth + 1)
    }

    /// Groups of files that use each other in a cycle, by name.
    fn knots(&self) -> Vec<Vec<&str>> {
        let reach: Vec<BTreeSet<usize>> = (0..self.files.len()).map(|file| self.reach(file)).collect();
        let mut knots: Vec<Vec<&str>> = Vec::new();
        for file in 0..self.files.len() {
            let knot: Vec<usize> =
                reach[file].iter().copied().filter(|other| reach[*other].contains(&file)).collect();
            if knot.len() > 1 && knot[0] == file {
                knots.push(knot.iter().map(|&file| self.files[file].as_str()).collect());
            }
        }
        knots
    }

    fn reach(&self, from: usize) -> BTreeSet<usize> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            for &next in &self.edges[at] {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    }
}

#[test]
fn no_file_joins_a_cycle_of_files() {
    let mut wrong = Vec::new();
    for (name, _) in CRATES {
        let graph = FileGraph::read(&crates_folder().join(name).join("src"));
        let found = graph.knots();
        let known: Vec<&[&str]> =
            KNOTS.iter().filter(|(owner, _)| owner == name).map(|(_, files)| *files).collect();
        for knot in &found {
            if !known.iter().any(|known| knot.iter().all(|file| known.contains(file))) {
                wrong.push(format!("{name}: a new cycle, or a file that joined one: {}", knot.join(", ")));
            }
        }
        for file in known.iter().copied().flatten() {
            if !found.iter().any(|knot| knot.contains(file)) {
                wrong.push(format!("{name}: {file} is in no cycle any more; take it off the list"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_use_only_those_before_them() {
    let mut wrong = Vec::new();
    for (name, order) in MODULES {
        let graph = FileGraph::read(&crates_folder().join(name).join("src"));
        let top = |file: &str| file.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        let rank = |file: &str| order.iter().position(|module| *module == top(file));
        for (from, used) in graph.edges.iter().enumerate() {
            let file = &graph.files[from];
            if file == "lib.rs" {
                continue;
            }
            let Some(own) = rank(file) else {
                wrong.push(format!("{name}: {file} has no place in the order"));
                continue;
            };
            for other in used.iter().map(|&to| &graph.files[to]) {
                if rank(other).is_some_and(|place| place > own) {
                    wrong.push(format!("{name}: {file} uses {other}, which stands after it"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_manifest_gives_its_dependencies() {
    let manifest = "[dependencies]\nugoki-base.workspace = true\nglam = \"1\"\nugoki = { workspace = true }\n[dev-dependencies]\nugoki-sample = 1";
    assert_eq!(dependencies(manifest), ["ugoki".to_owned(), "ugoki-base".to_owned()].into());
}

/// Crates that talk to users of the command line, and may name its options.
const NAME_OPTIONS: [&str; 4] = ["ugoki-verbs", "ugoki-cli", "ugoki-studio", "ugoki-bench"];

/// Options such as `--take` on a line of source that is no comment. Code has no such words, so they are in a text.
fn options_named(line: &str) -> bool {
    let line = line.trim_start();
    let starts = |at: usize| {
        let before = line[..at].chars().next_back();
        let named = line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase());
        named && before.is_none_or(|c| matches!(c, ' ' | '"' | '`' | '\'' | '('))
    };
    !line.starts_with("//") && line.match_indices("--").any(|(at, _)| starts(at))
}

#[test]
fn no_library_crate_names_an_option() {
    let mut wrong = Vec::new();
    for (name, _) in CRATES.iter().filter(|(name, _)| !NAME_OPTIONS.contains(name)) {
        let mut open = vec![crates_folder().join(name).join("src")];
        while let Some(folder) = open.pop() {
            for path in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let lines = text.lines().enumerate().filter(|(_, line)| options_named(line));
                    wrong.extend(
                        lines.map(|(at, line)| format!("{}:{}: {}", path.display(), at + 1, line.trim())),
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "options belong to ugoki_verbs::advice:\n{}", wrong.join("\n"));
}
