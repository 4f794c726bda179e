//! Every verb keeps to the budget of its job: memory for inputs, and stopping when asked to.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use ugoki::no_progress;
use ugoki_verbs::{AnyVerb as _, Budget, Error, FileHost, Outcome, verb_names};

use crate::files::Folder;

/// How a verb ends when its host asks it to stop at once.
#[derive(Debug, PartialEq)]
enum Stop {
    /// With [`Error::Cancelled`]; nothing is written.
    Cancelled,
    /// With a report that says so: what is finished is kept.
    Reported,
    /// Not asked: it takes no longer than reading its input or a few rows of a database.
    Short,
    /// Stopping is how a live session or a server ends.
    Live,
}

/// For a verb: a command, whether it reads a file that counts against the memory, and how it stops. `None` for an unknown
/// verb.
fn case(verb: &str) -> Option<(&'static str, bool, Stop)> {
    use Stop::{Cancelled, Live, Reported, Short};
    Some(match verb {
        "info" => ("info @walk.bvh", true, Short),
        "check" => ("check @walk.bvh", true, Cancelled),
        "convert" => ("convert @walk.bvh @out.bvh --fps 60", true, Cancelled),
        "plant" => ("plant @walk.bvh @out.bvh", true, Cancelled),
        "compare" => ("compare @walk.bvh @kick.bvh", true, Cancelled),
        "render" => ("render @walk.bvh @out.png", true, Cancelled),
        "filter" => ("filter @walk.bvh @out.bvh --kernel box:3", true, Cancelled),
        "equalize" => ("equalize @walk.bvh @out.bvh --gains 1,0.5", true, Cancelled),
        "blend" => ("blend @walk.bvh @kick.bvh -o @out.bvh", true, Cancelled),
        "loop" => ("loop @walk.bvh @out.bvh", true, Cancelled),
        "edit" => ("edit @walk.bvh @out.bvh --handle rightHand@+0,0.1,0", true, Cancelled),
        "splice" => ("splice @walk.bvh @kick.bvh -o @out.bvh", true, Cancelled),
        "segment" => ("segment @walk.bvh -o @out", true, Cancelled),
        "perform learn" => ("perform learn @walk.bvh @walk.bvh -o @new.ugoki", true, Cancelled),
        "perform run" => ("perform run @model.ugoki --input @walk.bvh -o @out.bvh", true, Cancelled),
        "perform recognize" => ("perform recognize @model.ugoki --input @walk.bvh", true, Cancelled),
        "perform evaluate" => ("perform evaluate @model.ugoki --input @walk.bvh", true, Cancelled),
        "react" => ("react @walk.bvh @out.bvh", true, Cancelled),
        "walk" => ("walk @walk.bvh @out.bvh", true, Cancelled),
        "network" => ("network @moves.ugoki --layers @layers.toml", true, Cancelled),
        "compose" => ("compose sample @timeline.toml -o @out", true, Cancelled),
        "db create" => ("db create @new.ugoki --skeleton @walk.bvh", true, Short),
        "db add" => ("db add @moves.ugoki @kick.bvh", true, Reported),
        "db check" => ("db check @moves.ugoki", false, Cancelled),
        "db export" => ("db export @moves.ugoki -o @out", false, Cancelled),
        "db merge" => ("db merge @moves.ugoki @model.ugoki -o @new.ugoki", false, Cancelled),
        "db pull" => ("db pull @. -o @new.ugoki", false, Cancelled),
        "db push" => ("db push @moves.ugoki @archive", false, Cancelled),
        "demo" => ("demo @out", false, Cancelled),
        "db list" | "db show" | "db tag" | "db remove" => ("", false, Short),
        "stream" => ("stream @walk.bvh -o vmc:127.0.0.1:9", true, Live),
        "record" | "studio" => ("", false, Live),
        _ => return None,
    })
}

/// Inputs of all kinds.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("layers.toml", b"base = \"rest\"\n[[layers]]\nname = \"left\"\nroles = [\"leftUpperArm\"]\n[[layers]]\nname = \"rest\"\n");
    folder.write("timeline.toml", b"[[key]]\nat = 0.5\nclip = \"walk\"\n");
    for command in [
        "convert sample#front-kick @kick.bvh",
        "db add @moves.ugoki @walk.bvh",
        "perform learn @walk.bvh @walk.bvh -o @model.ugoki",
    ] {
        let (note, stopped) = (&mut |_: &str| {}, &|| false);
        let request = folder.request(&command.split(' ').collect::<Vec<_>>());
        request
            .run_any(&mut FileHost::new(note, stopped), &mut no_progress())
            .unwrap_or_else(|error| panic!("{command}: {error}"));
    }
    folder
}

/// Every file of a folder with its bytes. The log of a database that is open may change.
fn contents(folder: &Folder) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder.path("")).expect("a folder").flatten().map(|entry| entry.path());
    entries.map(|path| (path.clone(), std::fs::read(&path).unwrap_or_default())).collect()
}

#[test]
fn every_verb_refuses_an_input_larger_than_its_memory() {
    let folder = folder("memory");
    let before = contents(&folder);
    let mut wrong = Vec::new();
    for verb in verb_names() {
        let (command, reads, _) = case(&verb).unwrap_or_else(|| panic!("{verb}: add a case"));
        if !reads {
            continue;
        }
        let (note, stopped) = (&mut |_: &str| {}, &|| false);
        let mut host = FileHost::new(note, stopped);
        host.budget = Budget { memory_bytes: 10, ..Budget::default() };
        let request = folder.request(&command.split(' ').collect::<Vec<_>>());
        let text = match request.run_any(&mut host, &mut no_progress()) {
            Ok(report) if report.outcome() == Outcome::Done => "done".to_owned(),
            Ok(report) => report.text(),
            Err(error) => error.problem().to_string(),
        };
        if !(text.contains("larger than the 10 bytes") && text.contains("--memory")) {
            wrong.push(format!("{command}: {text}"));
        }
        if contents(&folder) != before {
            wrong.push(format!("{command}: files changed"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_long_verb_stops_when_asked_to() {
    let folder = folder("stop");
    let before = contents(&folder);
    let mut wrong = Vec::new();
    for verb in verb_names() {
        let (command, _, stop) = case(&verb).unwrap_or_else(|| panic!("{verb}: add a case"));
        if matches!(stop, Stop::Short | Stop::Live) {
            continue;
        }
        let (note, stopped) = (&mut |_: &str| {}, &|| false);
        let request = folder.request(&command.split(' ').collect::<Vec<_>>());
        let ended = match request.run_any(&mut FileHost::new(note, stopped), &mut |_| ControlFlow::Break(()))
        {
            Err(Error::Cancelled) => Ok(Stop::Cancelled),
            Err(error) => Err(error.to_string()),
            Ok(report) if report.outcome() == Outcome::Failed => Ok(Stop::Reported),
            Ok(_) => Err("done".to_owned()),
        };
        if ended.as_ref() != Ok(&stop) {
            wrong.push(format!("{command}: {ended:?}"));
        }
        for (path, bytes) in contents(&folder) {
            let is_folder =
                path.is_dir() && std::fs::read_dir(&path).is_ok_and(|mut inside| inside.next().is_none());
            if !is_folder && before.get(&path) != Some(&bytes) {
                wrong.push(format!("{command}: wrote {}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Symptom: Ctrl-C ended `demo` and `perform learn` seconds later. Cause: their longest steps were not asked.
#[test]
fn long_steps_ask_whether_to_go_on() {
    let folder = folder("steps");
    let run = |words: &[&str], progress: &mut dyn FnMut(f32) -> ControlFlow<()>| {
        let (note, stopped) = (&mut |_: &str| {}, &|| false);
        folder.request(words).run_any(&mut FileHost::new(note, stopped), progress)
    };
    let mut calls = 0;
    let ended = run(&["demo", "@demo"], &mut |_| {
        calls += 1;
        if calls < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert!(matches!(ended, Err(Error::Cancelled)));
    let files = std::fs::read_dir(folder.path("demo")).expect("a folder").flatten();
    let names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    assert!(!names.iter().any(|name| name.ends_with(".gif")), "{names:?}");
    let mut parts = Vec::new();
    let learned = run(&["perform", "learn", "@walk.bvh", "@walk.bvh", "-o", "@new.ugoki"], &mut |part| {
        parts.push(part);
        ControlFlow::Continue(())
    });
    learned.expect("a model");
    assert!(parts.iter().any(|part| *part > 0.9 && *part < 1.0), "no piece is reported: {parts:?}");
}
