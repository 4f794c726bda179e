//! Outputs are safe: no verb overwrites its input unless the user allows it, whatever name or link leads to it.

use std::fs;

use clap::Subcommand as _;
use ugoki_verbs::Request;

use crate::support::{Done, Folder, SMALL};

/// A command whose output is also its input.
struct Case {
    /// `IN` is the input, `OUT` the output.
    words: &'static str,
    /// The input that must survive, a file of [`folder`].
    input: &'static str,
    /// What is written: a file in a folder that the command names, or the ending of `OUT`.
    written: Written,
    /// Whether the command works with `--overwrite`.
    replaces: bool,
}

enum Written {
    /// `OUT`, with this ending.
    Ending(&'static str),
    /// A file in the folder `out`.
    Inside(&'static str),
}

/// A command that writes to `OUT`.
const fn file(words: &'static str, input: &'static str, ending: &'static str) -> Case {
    Case { words, input, written: Written::Ending(ending), replaces: true }
}

/// A command that writes this file into the folder `out`.
const fn inside(words: &'static str, input: &'static str, name: &'static str) -> Case {
    Case { words, input, written: Written::Inside(name), replaces: true }
}

/// A command that adds to a database `OUT`, which no other file can become.
const fn database(words: &'static str) -> Case {
    Case { replaces: false, ..file(words, "walk.bvh", "ugoki") }
}

/// For a verb: commands for each of its outputs and each of the inputs that only it has. `None` for an unknown verb.
fn cases(verb: &str) -> Option<Vec<Case>> {
    let walk = |words: &'static str| file(words, "walk.bvh", "bvh");
    Some(match verb {
        // These write no file, have no file to read, or write one that is called by its content.
        "info" | "check" | "compare" | "perform recognize" | "perform evaluate" | "stream" | "record"
        | "studio" | "demo" | "db list" | "db show" | "db tag" | "db remove" | "db check" | "db push" => {
            Vec::new()
        }
        "convert" => vec![
            walk("convert IN OUT --mirror"),
            walk("convert IN -o OUT --mirror"),
            walk("convert kick.bvh -o OUT --retarget IN"),
            inside("convert IN -o out --mirror", "walk.bvh", "walk.bvh"),
            inside("convert IN kick.bvh -o out --mirror", "walk.bvh", "walk.bvh"),
            file("convert IN#walk -o OUT", "moves.ugoki", "bvh"),
            file("convert walk.bvh OUT --markers IN", "labels.toml", "bvh"),
            file("convert walk.bvh OUT --asf IN", "body.asf", "bvh"),
        ],
        "plant" => vec![walk("plant IN OUT"), walk("plant IN -o OUT")],
        "filter" => vec![walk("filter IN OUT --kernel box:3"), walk("filter IN -o OUT --kernel box:3")],
        "equalize" => vec![walk("equalize IN OUT --gains 1,1,0.5"), walk("equalize IN -o OUT --gains 1,0.5")],
        "blend" => vec![walk("blend kick.bvh IN -o OUT")],
        "loop" => vec![walk("loop IN OUT"), walk("loop IN -o OUT")],
        "edit" => vec![
            walk("edit IN OUT --handle head@+0,-0.02,0"),
            walk("edit IN -o OUT --handle head@+0,-0.02,0"),
            file("edit IN o.bvh --handle head@+0,-0.02,0 --plot OUT", "walk.bvh", "svg"),
        ],
        "splice" => vec![
            walk("splice kick.bvh IN -o OUT"),
            file("splice kick.bvh walk.bvh --from IN -o OUT", "moves.ugoki", "bvh"),
        ],
        "walk" => vec![
            walk("walk IN OUT"),
            walk("walk IN -o OUT"),
            file("walk walk.bvh -o OUT --steps IN", "steps.json", "bvh"),
            file("walk IN -o OUT --count 2", "moves.ugoki", "bvh"),
        ],
        "react" => vec![
            walk("react IN OUT"),
            walk("react IN -o OUT"),
            file("react walk.bvh o.bvh --report OUT --throw IN", "balls.json", "csv"),
            file("react walk.bvh o.bvh --report OUT --body IN", "body.toml", "json"),
            file("react IN o.bvh --plot OUT", "walk.bvh", "svg"),
            file("react IN o.bvh --export-body OUT", "walk.bvh", "xml"),
        ],
        "render" => vec![
            file("render IN OUT --frames 2 --size 200", "walk.bvh", "png"),
            file("render IN -o OUT --frames 2 --size 200", "walk.bvh", "svg"),
            file("render reacted.bvh -o OUT --frames 2 --size 200 --forces IN", "forces.json", "png"),
            file(
                "render reacted.bvh -o OUT --frames 2 --size 200 --forces forces.json --target IN",
                "walk.bvh",
                "png",
            ),
        ],
        "segment" => vec![
            inside("segment IN -o out", "walk.bvh", "PIECE"),
            file("segment IN --plot OUT", "walk.bvh", "svg"),
        ],
        "network" => vec![
            file("network IN --plot OUT", "moves.ugoki", "svg"),
            file("network moves.ugoki --layers IN --plot OUT", "layers.toml", "svg"),
        ],
        "compose" => {
            const FEW: &str = "compose sample IN -o out --candidates 1 --population 40 --generations 150";
            vec![
                inside(FEW, "timeline.toml", "candidates.json"),
                inside(FEW, "timeline.toml", "candidates.svg"),
                inside(FEW, "timeline.toml", "candidates.csv"),
                inside(FEW, "timeline.toml", "index.html"),
                inside(FEW, "timeline.toml", "candidate-01.bvh"),
                file(
                    "compose sample IN -o out --candidates 1 --population 40 --generations 150 --log OUT",
                    "timeline.toml",
                    "csv",
                ),
            ]
        }
        "perform learn" => vec![
            database("perform learn IN kick.bvh -o OUT"),
            file("perform learn kick.bvh IN -o m.ugoki --plot OUT", "walk.bvh", "svg"),
            file("perform learn sample#front-kick walk.bvh -o IN --plot OUT", "model.ugoki", "svg"),
        ],
        "perform run" => vec![
            walk("perform run model.ugoki --input IN --output OUT"),
            file("perform run IN --input kick.bvh -o OUT", "model.ugoki", "bvh"),
        ],
        "db create" => vec![database("db create OUT --skeleton IN")],
        "db add" => vec![database("db add OUT IN")],
        "db export" => vec![
            file("db export IN walk -o OUT", "moves.ugoki", "bvh"),
            inside("db export IN -o out", "moves.ugoki", "walk.bvh"),
        ],
        "db merge" => vec![
            Case { replaces: false, ..file("db merge IN -o OUT", "moves.ugoki", "ugoki") },
            Case { replaces: false, ..file("db merge model.ugoki IN -o OUT", "moves.ugoki", "ugoki") },
        ],
        "db pull" => vec![Case { replaces: false, ..file("db pull . -o OUT", "moves.ugoki", "ugoki") }],
        _ => return None,
    })
}

/// Inputs of all kinds.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.run(&["convert", "sample#walk", "walk.bvh"]).ok();
    folder.run(&["convert", "sample#front-kick", "kick.bvh"]).ok();
    folder.run(&["perform", "learn", "sample#front-kick", "kick.bvh", "-o", "model.ugoki"]).ok();
    folder.run(&["db", "add", "moves.ugoki", "walk.bvh", "kick.bvh"]).ok();
    folder.run(&["react", "walk.bvh", "reacted.bvh", "--report", "forces.json"]).ok();
    folder.write("labels.toml", "[markers]\nLANK = \"left heel\"\n");
    folder.write("body.asf", "not needed for a BVH");
    folder.write("steps.json", r#"{"steps": [{"foot": "left", "x": 0.1, "z": 0.5}]}"#);
    folder
        .write("balls.json", r#"{"bodies": [{"shape": "ball", "radius_m": 0.1, "position_m": [0, 1, 9]}]}"#);
    folder.write("body.toml", "mass_kg = 70\n");
    folder.write("layers.toml", "base = \"rest\"\n[[layers]]\nname = \"left\"\nroles = [\"leftUpperArm\"]\n[[layers]]\nname = \"rest\"\n");
    folder.write(
        "timeline.toml",
        "[[key]]\nat = 0.5\nclip = \"hand-on-heart\"\n\n[[key]]\nat = 6\nclip = \"point-at-you\"\n",
    );
    folder
}

/// The words with the names of files.
fn filled<'a>(words: &'a str, input: &str, output: &str) -> Vec<String> {
    let replaced = |word: &'a str| match word.strip_prefix("IN") {
        Some(rest) if rest.is_empty() || rest.starts_with('#') => format!("{input}{rest}"),
        _ if word == "OUT" => output.to_owned(),
        _ => word.to_owned(),
    };
    words.split(' ').map(replaced).collect()
}

/// How a name leads to a file.
#[derive(Debug, Clone, Copy)]
enum Link {
    Plain,
    Symbolic,
    Hard,
}

/// The commands of a case with the name of the file that they write: plainly the input, or a link to it.
fn commands(case: &Case, piece: &str) -> Vec<(Link, Vec<String>, String)> {
    let links = [Link::Symbolic, Link::Hard];
    match case.written {
        Written::Ending(ending) => {
            let own = [(Link::Plain, case.input.to_owned())];
            let linked = links.map(|link| (link, format!("link.{ending}")));
            let all = own.into_iter().chain(linked);
            all.map(|(link, output)| (link, filled(case.words, case.input, &output), output)).collect()
        }
        Written::Inside(name) => {
            let file = format!("out/{}", if name == "PIECE" { piece } else { name });
            let mut all: Vec<_> =
                links.map(|link| (link, filled(case.words, case.input, "out"), file.clone())).into();
            if name == case.input {
                all.push((Link::Plain, filled(case.words, &file, "out"), file));
            }
            all
        }
    }
}

/// Runs a command whose output leads to its input, and puts the input back if it was replaced.
fn run_linked(folder: &Folder, case: &Case, link: Link, words: &[String], output: &str) -> (Done, bool) {
    let (input, output) = (folder.path(case.input), folder.path(output));
    let before = folder.read(case.input);
    if let Some(parent) = output.parent() {
        fs::create_dir_all(parent).expect("a folder");
    }
    match link {
        Link::Plain if input == output => {}
        Link::Plain => drop(fs::copy(&input, &output).expect("a copy")),
        #[cfg(unix)]
        Link::Symbolic => std::os::unix::fs::symlink(&input, &output).expect("a symbolic link"),
        #[cfg(not(unix))]
        Link::Symbolic => fs::hard_link(&input, &output).expect("a hard link"),
        Link::Hard => fs::hard_link(&input, &output).expect("a hard link"),
    }
    let done = folder.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let same = fs::read(&output).ok().as_deref() == Some(&before[..]) && folder.read(case.input) == before;
    if input != output {
        fs::remove_file(&output).expect("a link");
    }
    let _ = fs::remove_dir_all(folder.path("out"));
    folder.write(case.input, before);
    (done, same)
}

/// The name of a file that `segment` writes for the walk.
fn piece(folder: &Folder) -> String {
    folder.run(&["segment", "walk.bvh", "-o", "out"]).ok();
    let mut entries = fs::read_dir(folder.path("out")).expect("pieces").flatten();
    let name = entries.next().expect("a piece").file_name().to_string_lossy().into_owned();
    fs::remove_dir_all(folder.path("out")).expect("pieces");
    name
}

#[test]
fn no_verb_overwrites_its_input_unless_allowed() {
    let folder = folder();
    let piece = piece(&folder);
    let mut wrong = Vec::new();
    for verb in ugoki_verbs::verb_names() {
        let cases =
            cases(&verb).unwrap_or_else(|| panic!("{verb}: say here which inputs it could overwrite"));
        for case in &cases {
            for (link, mut words, output) in commands(case, &piece) {
                let (done, same) = run_linked(&folder, case, link, &words, &output);
                // A plain name may also be refused for its ending.
                let ending = match case.written {
                    Written::Ending(ending) => ending,
                    Written::Inside(_) => "",
                };
                let fits = output.ends_with(ending);
                let says = done.stderr.contains("both an input and an output");
                if done.code != Some(2) || !same || fits && !says {
                    wrong.push(format!("{link:?} {words:?}: {done:?}"));
                }
                if fits && case.replaces {
                    words.push("--overwrite".to_owned());
                    let (done, same) = run_linked(&folder, case, link, &words, &output);
                    if done.code != Some(0) || same {
                        wrong.push(format!("{link:?} {words:?}: {done:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(folder.names().iter().all(|name| !name.ends_with(".ugoki-part")), "{:?}", folder.names());
}

/// Pieces go by names of their own, so that one may be the name of another take of the folder.
#[test]
fn pieces_of_a_folder_replace_no_take_of_it() {
    let folder = folder();
    let piece = piece(&folder);
    for overwrite in [&[][..], &["--overwrite"]] {
        fs::create_dir_all(folder.path("takes/first")).expect("a folder");
        folder.write("takes/first/walk.bvh", folder.read("walk.bvh"));
        // Read after the take whose piece has its name.
        let other = format!("takes/{piece}");
        folder.write(&other, folder.read("kick.bvh"));
        let words: Vec<&str> = ["segment", "takes", "-o", "takes"].iter().chain(overwrite).copied().collect();
        let done = folder.run(&words);
        assert_eq!(done.code, Some(2), "{done:?}");
        let said = if overwrite.is_empty() { "both an input and an output" } else { "before it is read" };
        assert!(format!("{}{}", done.stdout, done.stderr).contains(said), "{done:?}");
        assert_eq!(folder.read(&other), folder.read("kick.bvh"));
        fs::remove_dir_all(folder.path("takes")).expect("takes");
    }
}

#[test]
fn two_outputs_of_a_run_are_two_files() {
    let folder = folder();
    fs::create_dir(folder.path("sub")).expect("a folder");
    let done = folder.run(&["react", "walk.bvh", "o.csv", "--report", "sub/../o.csv"]);
    done.fails_with(&["o.csv", "named as an output twice"]);
    assert!(!folder.path("o.csv").exists());
}

#[test]
fn every_option_that_names_an_output_has_a_case() {
    // Names of files are texts.
    let text = clap::value_parser!(String).type_id();
    let command = Request::augment_subcommands(clap::Command::new("ugoki"));
    for verb in ugoki_verbs::verb_names() {
        let cases = cases(&verb).unwrap_or_default();
        // Verbs without file inputs have nothing to overwrite.
        if cases.is_empty() {
            continue;
        }
        let mut of_verb = &command;
        for word in verb.split(' ') {
            of_verb = of_verb.find_subcommand(word).expect("a verb");
        }
        for argument in
            of_verb.get_arguments().filter(|argument| argument.get_value_parser().type_id() == text)
        {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default().to_lowercase();
            let writes =
                help.starts_with("write ") || help.starts_with("draw ") || help.contains(" to write");
            let Some(long) = argument.get_long().filter(|_| writes) else { continue };
            let short = argument.get_short().map(|short| format!("-{short}"));
            let given = |case: &Case| {
                case.words
                    .split(' ')
                    .any(|word| word == format!("--{long}") || Some(word) == short.as_deref())
            };
            assert!(cases.iter().any(given), "{verb} --{long}: no case");
        }
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
    folder.run(&["perform", "learn", "sample#walk", "sample#run", "-o", "model.ugoki"]).ok();
    for (words, ending) in [
        ("plant in", "bvh"),
        ("filter in --kernel box:3", "bvh"),
        ("equalize in --gains 1,0.5", "bvh"),
        ("loop in", "bvh"),
        ("edit in --handle rightHand@+0,0.1,0", "bvh"),
        ("react in", "bvh"),
        ("perform run model.ugoki --input in", "bvh"),
        ("render in --frames 2 --size 200", "png"),
    ] {
        let out = format!("out-{}", words.split(' ').next().unwrap_or_default());
        let words: Vec<&str> = words.split(' ').chain(["-o", &out, "--json"]).collect();
        let done = folder.run(&words);
        assert_eq!(done.code, Some(2), "a broken file is reported: {words:?} {done:?}");
        let report = done.json();
        assert_eq!(report["files"].as_array().map(Vec::len), Some(2), "{words:?}: {report}");
        assert_eq!(report["errors"].as_array().map(Vec::len), Some(1), "{words:?}: {report}");
        for name in ["walk", "run"] {
            assert!(folder.path(&format!("{out}/{name}.{ending}")).is_file(), "{words:?} {name}");
        }
    }
}

/// A pattern, and one file for a new folder, go the same way as a folder.
#[test]
fn patterns_and_new_folders_mean_the_same_for_every_verb() {
    let folder = Folder::new();
    for name in ["walk", "walk-fast"] {
        folder.run(&["convert", &format!("sample#{name}"), &format!("{name}.bvh")]).ok();
    }
    for verb in ["convert", "plant", "loop"] {
        let [many, one] = ["many", "one"].map(|name| format!("{verb}-{name}"));
        folder.run(&[verb, "walk*.bvh", "-o", &many]).ok();
        folder.run(&[verb, "walk.bvh", "-o", &one]).ok();
        // The folder exists now.
        folder.run(&[verb, "walk-fast.bvh", &one]).ok();
        for (out, name) in [(&many, "walk"), (&many, "walk-fast"), (&one, "walk"), (&one, "walk-fast")] {
            assert!(folder.path(&format!("{out}/{name}.bvh")).is_file(), "{out} {name}");
        }
    }
    folder.run(&["convert", "walk.bvh", "o.bvh", "--feet", "free"]).fails_with(&["--feet", "--retarget"]);
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
    assert_eq!(schema["properties"]["method"]["default"], "path", "{schema}");
    assert_eq!(schema["required"], serde_json::json!(["verb", "input", "output"]));
    assert_eq!(schema["additionalProperties"], false);
    folder.run(&["schema", "db", "add"]).ok();
    folder.run(&["schema", "nothing"]).fails_with(&["no verb", "plant", "db add"]);
    let group = folder.run(&["schema", "db"]);
    group.fails_with(&["db has several verbs", "db create, db add"]);
    assert!(!group.stderr.contains("plant"), "only those of the group: {}", group.stderr);
    folder.run(&["schema", "perform"]).fails_with(&["perform learn", "perform run"]);
    let pages = folder.run(&["man", "pages", "--json"]).ok().json();
    assert!(pages["folder"] == "pages" && pages["pages"].as_u64() > Some(20), "{pages}");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(folder.run(&["completions", shell]).ok().stdout.contains("despike"), "{shell}");
    }
    folder.run(&["man", "pages"]).ok();
    let page = String::from_utf8(folder.read("pages/ugoki-filter.1")).expect("text");
    assert!(page.contains("despike"), "{page}");
    assert!(folder.run(&["help", "filter"]).ok().stdout.contains("--despike"));
}

#[test]
fn a_folder_that_exists_takes_a_result_under_the_name_of_its_input() {
    let folder = Folder::new();
    folder.run(&["convert", "sample#walk", "walk.bvh", "--trim", "0:1.5"]).ok();
    for verb in [
        "plant walk.bvh -o out",
        "filter walk.bvh out/ --kernel box:3",
        "equalize walk.bvh -o out --gains 1",
        "loop walk.bvh -o out --range 10f:80f",
        "walk walk.bvh -o out",
        "react walk.bvh -o out",
        "convert walk.bvh -o out",
    ] {
        std::fs::create_dir_all(folder.path("out")).unwrap();
        let done = folder.run(&verb.split(' ').collect::<Vec<_>>()).ok();
        assert!(folder.path("out/walk.bvh").is_file(), "{verb}: {done:?}");
        std::fs::remove_dir_all(folder.path("out")).unwrap();
    }
    std::fs::create_dir(folder.path("out")).unwrap();
    folder.run(&["render", "walk.bvh", "-o", "out", "--to", "svg", "--frames", "2"]).ok();
    assert!(folder.path("out/walk.svg").is_file());
    let here = folder.run(&["plant", "walk.bvh", "-o", "."]);
    here.fails_with(&["walk.bvh", "both an input and an output", "--overwrite"]);
}

#[test]
fn a_folder_can_be_changed_in_place_when_the_user_allows_it() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    folder.write("in/small.bvh", SMALL);
    let filter = ["filter", "in", "-o", "in", "--kernel", "box:1"];
    folder.run(&filter).fails_with(&["in/small.bvh", "--overwrite"]);
    folder.run(&[&filter[..], &["--overwrite"]].concat()).ok();
    assert!(folder.path("in/small.bvh").is_file());
    // A result would replace a motion that is read after it.
    std::fs::create_dir(folder.path("in/deeper")).unwrap();
    folder.write("in/deeper/small.bvh", SMALL);
    let done = folder.run(&[&filter[..], &["--overwrite"]].concat());
    done.fails_with(&["in/small.bvh", "before it is read", "another folder"]);
}

#[test]
fn pictures_go_to_standard_output_and_pieces_do_not() {
    let folder = Folder::with_small();
    let picture = folder.run(&["render", "small.bvh", "-", "--to", "svg", "--frames", "2"]).ok();
    assert!(picture.stdout.contains("<svg"), "{picture:?}");
    folder.run(&["render", "small.bvh", "x.png", "--to", "svg"]).fails_with(&["--to", "standard output"]);
    folder.run(&["convert", "sample#wave", "wave.bvh"]).ok();
    folder.run(&["segment", "wave.bvh", "-o", "-"]).fails_with(&["standard output is one file", "folder"]);
    assert!(!folder.path("-").exists());
}

#[cfg(unix)]
#[test]
fn a_file_that_standard_input_reads_is_an_input_too() {
    let folder = Folder::with_small();
    let before = folder.read("small.bvh");
    let words = ["filter", "-", "small.bvh", "--kernel", "box:3"];
    let input = fs::File::open(folder.path("small.bvh")).expect("a file");
    let done = folder.command(&words).stdin(input).output().expect("a run");
    assert_eq!(done.status.code(), Some(2), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(folder.read("small.bvh"), before);
}

#[cfg(unix)]
#[test]
fn devices_take_the_bytes_and_read_only_files_and_dangling_links_are_refused() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
    let folder = Folder::with_small();
    symlink("/dev/null", folder.path("null.bvh")).expect("a link");
    folder.run(&["convert", "small.bvh", "null.bvh"]).ok();
    assert!(fs::metadata(folder.path("null.bvh")).expect("a device").file_type().is_char_device());

    folder.write("kept.bvh", "kept");
    fs::set_permissions(folder.path("kept.bvh"), fs::Permissions::from_mode(0o444)).expect("rights");
    folder.run(&["convert", "small.bvh", "kept.bvh"]).fails_with(&["kept.bvh", "read-only"]);
    assert_eq!(folder.text("kept.bvh"), "kept");

    symlink("nowhere.bvh", folder.path("dangling.bvh")).expect("a link");
    folder.run(&["convert", "small.bvh", "dangling.bvh"]).fails_with(&["dangling.bvh", "link"]);
}

#[test]
fn requests_of_edit_that_no_number_holds_are_refused() {
    let folder = Folder::with_small();
    for handle in ["hips@1e30,1,0", "hips@+0,0,1e25", "hips@nan,0,0", "hips@+0,0.1,0,1e30,0,0"] {
        folder.run(&["edit", "small.bvh", "out.bvh", "--handle", handle]).fails_with(&[handle]);
    }
}

#[test]
fn an_empty_output_name_is_refused() {
    let folder = Folder::with_small();
    for verb in ["convert", "plant"] {
        folder.run(&[verb, "small.bvh", "-o", ""]).fails_with(&["--output"]);
    }
    folder.write("t.toml", "[[key]]\nat = 0\nclip = \"walk\"\n");
    folder.run(&["convert", "sample#wave", "wave.bvh"]).ok();
    folder.run(&["db", "add", "m.ugoki", "wave.bvh"]).ok();
    let before = folder.names();
    for words in [
        &["segment", "wave.bvh", "-o", ""][..],
        &["filter", "wave.bvh", "", "--kernel", "box:3"],
        &["compose", "sample", "t.toml", "-o", ""],
        &["db", "export", "m.ugoki", "-o", ""],
        &["demo", ""],
        &["man", ""],
    ] {
        folder.run(words).fails_with(&["is empty", "name a f"]);
        assert_eq!(folder.names(), before, "{words:?}");
    }
}

/// Symptom: `filter so.bvh - 1<>so.bvh` destroyed its input. Cause: only standard input was compared with files.
#[cfg(unix)]
#[test]
fn a_file_that_standard_output_writes_is_an_output_too() {
    let folder = Folder::with_small();
    let output =
        fs::OpenOptions::new().read(true).write(true).open(folder.path("small.bvh")).expect("a file");
    let mut command = folder.command(&["filter", "small.bvh", "-", "--kernel", "box:3"]);
    let done = Done::from(command.stdout(output).output().expect("a run"));
    done.fails_with(&["both an input and an output", "small.bvh"]);
    assert_eq!(folder.text("small.bvh"), SMALL);
}

#[cfg(unix)]
#[test]
fn a_result_behind_a_link_to_a_later_input_is_refused() {
    let folder = Folder::new();
    for name in ["in", "out"] {
        fs::create_dir(folder.path(name)).expect("a folder");
    }
    folder.write("in/run.bvh", SMALL);
    folder.write("in/walk.bvh", SMALL);
    std::os::unix::fs::symlink("../in/walk.bvh", folder.path("out/run.bvh")).expect("a link");
    let done = folder.run(&["filter", "in", "-o", "out", "--kernel", "box:3", "--overwrite"]);
    done.fails_with(&["out/run.bvh", "before it is read"]);
    assert_eq!(folder.text("in/walk.bvh"), SMALL);
}

#[test]
fn standard_input_is_read_only_once() {
    let folder = Folder::with_small();
    for words in [
        &["splice", "-", "-", "-o", "x.bvh"][..],
        &["blend", "-", "-", "-o", "x.bvh"],
        &["compare", "-", "-"],
        &["perform", "learn", "-", "-", "-o", "m.ugoki"],
        &["walk", "-", "x.bvh", "--steps", "-"],
    ] {
        folder.run(words).fails_with(&["standard input", "only once"]);
    }
}

#[test]
fn manual_pages_go_into_a_folder_named_either_way() {
    let folder = Folder::new();
    folder.run(&["man", "a"]).ok();
    folder.run(&["man", "-o", "b"]).ok();
    for page in ["ugoki.1", "ugoki-plant.1", "ugoki-db-add.1"] {
        assert!(!folder.read(&format!("a/{page}")).is_empty());
        assert_eq!(folder.read(&format!("a/{page}")), folder.read(&format!("b/{page}")));
    }
    let names = fs::read_dir(folder.path("a")).expect("a folder").flatten().map(|entry| entry.file_name());
    assert!(
        names.into_iter().all(|name| name.to_string_lossy().starts_with("ugoki")),
        "nothing is left over"
    );
}
