//! The motion database as a process.

use std::process::Stdio;

use crate::support::{Folder, SMALL};

/// A folder `in` with sample motions as BVH, and `moves.ugoki` with them in it.
fn moves(names: &[&str]) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    for name in names {
        let clip = ugoki::sample::clip(name).unwrap();
        let clip = clip.trimmed(0..clip.num_frames().min(90)).unwrap();
        folder.write(&format!("in/{name}.bvh"), ugoki::formats::bvh::write(&clip, &Default::default()).bytes);
    }
    folder.run(&["db", "create", "moves.ugoki"]).ok();
    folder.run(&["db", "add", "moves.ugoki", "in"]).ok();
    folder
}

#[test]
fn create_add_list_show_tag_export_remove_check() {
    let folder = moves(&["walk", "wave"]);
    let list = folder.run(&["db", "list", "moves.ugoki", "--json"]).ok().json();
    let clip = &list["clips"][0];
    assert_eq!((&clip["id"], &clip["name"], &clip["fps"]), (&1.into(), &"walk".into(), &60.0.into()));
    assert_eq!(clip["frames"], 90);
    assert_eq!(clip["source"], "in/walk.bvh");
    assert!(clip["seconds"].as_f64().unwrap() > 1.4);
    assert!(clip["tags"].as_array().unwrap().contains(&"moving".into()), "{clip}");
    let text = folder.run(&["db", "show", "moves.ugoki", "wave"]).ok().stdout;
    assert!(text.contains("in/wave.bvh") && text.contains("right-arm"), "{text}");
    let text = folder.run(&["db", "show", "moves.ugoki"]).ok().stdout;
    assert!(text.contains("52 joints"), "{text}");
    folder.run(&["db", "tag", "moves.ugoki", "w*", "--add", "mine", "--add", "two"]).ok();
    let list = folder.run(&["db", "list", "moves.ugoki", "--tag", "mine", "--tag", "moving", "--json"]).ok();
    assert_eq!(list.json()["clips"].as_array().unwrap().len(), 1);
    let done = folder.run(&["db", "list", "moves.ugoki", "--tag", "unused-tag"]);
    assert_eq!(done.code, Some(1), "nothing found: {done:?}");
    folder.run(&["db", "export", "moves.ugoki", "-o", "out"]).ok();
    assert!(folder.text("out/walk.bvh").contains("leftUpperArm"));
    folder.run(&["db", "export", "moves.ugoki", "walk", "-o", "one.bvh", "--source"]).ok();
    assert_eq!(folder.read("one.bvh"), folder.read("in/walk.bvh"), "the file as it came");
    let checked = folder.run(&["db", "check", "moves.ugoki", "--json"]).ok().json();
    assert_eq!((&checked["sound"], &checked["clips"]), (&true.into(), &2.into()));
    assert_eq!((&checked["derived"], &checked["outdated"]), (&2.into(), &0.into()));
    folder.run(&["db", "remove", "moves.ugoki", "walk"]).ok();
    let list = folder.run(&["db", "list", "moves.ugoki", "--json"]).ok().json();
    assert_eq!(list["clips"].as_array().unwrap().len(), 1);
    assert!(folder.names().iter().all(|name| !name.contains(".part")), "{:?}", folder.names());
}

#[test]
fn a_second_add_says_that_nothing_is_new() {
    let folder = moves(&["walk"]);
    let text = folder.run(&["db", "add", "moves.ugoki", "in"]).ok().stdout;
    assert!(text.contains("nothing new") && text.contains("1 file in the database"), "{text}");
}

#[test]
fn add_makes_the_database_and_explains_what_it_leaves_out() {
    let folder = Folder::with_small();
    folder.write("broken.bvh", "HIERARCHY\n\n\nno joints here\n");
    folder.write("notes.md", "hello");
    let done = folder.run(&["db", "add", "new.ugoki", ".", "--json"]).ok();
    assert!(done.stderr.contains("made a new database"), "{done:?}");
    let json = done.json();
    assert_eq!(json["added"][0]["clips"][0], "small");
    assert!(json["added"][0]["underived"][0].as_str().unwrap().contains("Leg"), "{json}");
    assert_eq!(json["skipped"][0]["line"], 5);
    assert_eq!(json["ignored"][0], "./notes.md");
    let done = folder.run(&["db", "add", "new.ugoki", "nowhere.bvh"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stdout.contains("nowhere.bvh: no such file"), "{done:?}");
}

#[test]
fn clips_of_a_database_are_motion_files_to_every_verb() {
    let folder = moves(&["walk", "wave"]);
    let info = folder.run(&["info", "moves.ugoki#walk", "--json"]).ok().json();
    assert_eq!(
        (&info["frames"], &info["fps"], &info["format"]),
        (&90.into(), &60.0.into(), &"database".into())
    );
    assert_eq!(info["joints"].as_array().unwrap().len(), 52);
    folder.run(&["convert", "moves.ugoki#id:2", "wave.bvh"]).ok();
    let compared = folder.run(&["compare", "moves.ugoki#wave", "wave.bvh", "--json"]).ok().json();
    assert!(compared["angle_deg"]["max"].as_f64().unwrap() < 0.01, "{compared}");
    folder.run(&["convert", "moves.ugoki#walk", "moves.ugoki#wave", "-o", "both"]).ok();
    assert!(folder.path("both/walk.bvh").exists() && folder.path("both/wave.bvh").exists());
    folder.run(&["filter", "moves.ugoki#wave", "calm.bvh", "--kernel", "gauss:2"]).ok();
    folder.run(&["plant", "moves.ugoki#walk", "planted.bvh"]).ok();
    folder.run(&["check", "moves.ugoki#walk"]).ok();
}

#[test]
fn references_that_lead_nowhere_say_what_is_near() {
    let folder = moves(&["walk", "wave"]);
    folder.run(&["info", "moves.ugoki#wlak"]).fails_with(&["moves.ugoki", "wlak", "did you mean walk"]);
    folder.run(&["info", "moves.ugoki"]).fails_with(&["name a clip", "moves.ugoki#walk"]);
    folder.run(&["info", "moves.ugoki#id:77"]).fails_with(&["id:77", "db list"]);
    folder.run(&["info", "none.ugoki#walk"]).fails_with(&["none.ugoki", "no such database"]);
    folder.run(&["db", "show", "moves.ugoki", "wav"]).fails_with(&["did you mean wave"]);
}

#[test]
fn bad_databases_and_impossible_requests_are_one_line() {
    let folder = moves(&["wave"]);
    folder.write("small.bvh", SMALL);
    folder.run(&["db", "list", "small.bvh"]).fails_with(&["small.bvh", "not a motion database", ".ugoki"]);
    folder.run(&["db", "create", "moves.ugoki"]).fails_with(&["exists already", "db add"]);
    folder.run(&["db", "create", "x/y.ugoki"]).fails_with(&["folder does not exist"]);
    folder.run(&["db", "create", "x.ugoki", "--fps", "0"]).fails_with(&["frames per second"]);
    folder.run(&["db", "create", "x.ugoki", "--skeleton", "small.bvh"]).fails_with(&["role"]);
    folder.run(&["db", "remove", "moves.ugoki"]).fails_with(&["no clips are named", "'*'"]);
    folder.run(&["db", "tag", "moves.ugoki", "wave"]).fails_with(&["--add"]);
    folder.run(&["db", "tag", "moves.ugoki", "wave", "--add", "a b"]).fails_with(&["a b", "word"]);
    folder.run(&["db", "add", "moves.ugoki", "-"]).fails_with(&["standard input"]);
    folder.run(&["db", "list", "moves.ugoki", "--length", "5"]).fails_with(&["range"]);
    folder.run(&["db", "list", "moves.ugoki", "--tag", "bad tag"]).fails_with(&["bad tag", "not a tag"]);
    folder.run(&["db", "create", "z.txt"]).fails_with(&["z.txt", ".ugoki", "call it z.txt.ugoki"]);
    folder.run(&["db", "add", "z.txt", "in"]).fails_with(&["z.txt", ".ugoki"]);
    folder.run(&["db", "add", "moves.ugoki", "in", "--threads", "0"]).fails_with(&["--threads", "1.."]);
    folder.run(&["db", "add", "moves.ugoki", "in", "--asf", "none.asf"]).fails_with(&["none.asf", "no such"]);
    folder.run(&["db", "add", "new.ugoki", "in", "--asf", "none.asf"]).fails_with(&["none.asf"]);
    assert!(!folder.path("new.ugoki").exists() && !folder.path("z.txt").exists());
    folder
        .run(&["convert", "in/wave.bvh", "x.glb", "--asf", "none.asf"])
        .fails_with(&["none.asf", "no such"]);
    let bytes = folder.read("moves.ugoki");
    folder.write("cut.ugoki", &bytes[..bytes.len() / 2]);
    folder.run(&["db", "list", "cut.ugoki"]).fails_with(&["cut.ugoki", "cut off"]);
    if cfg!(target_os = "linux") {
        let done = folder.run(&["db", "create", "/proc/x.ugoki"]);
        done.fails_with(&["/proc/x.ugoki"]);
        let done = folder.run(&["db", "export", "moves.ugoki", "-o", "/proc/x"]);
        done.fails_with(&["/proc/x", "name one in a folder that you may write to"]);
    }
    let error = folder.run(&["db", "show", "moves.ugoki", "nope", "--json"]);
    assert_eq!((error.code, &error.json()["error"]["file"]), (Some(2), &"moves.ugoki".into()));
}

/// Ctrl-C while files are taken in: exit 2, one word about it, and a sound database.
#[cfg(unix)]
#[test]
fn an_interrupted_add_leaves_a_sound_database() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    let clip = ugoki::sample::clip("walk").unwrap();
    for number in 0..40 {
        let clip = clip.trimmed(number..number + 200).unwrap();
        folder
            .write(&format!("in/{number}.bvh"), ugoki::formats::bvh::write(&clip, &Default::default()).bytes);
    }
    let child = folder
        .command(&["db", "add", "moves.ugoki", "in"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Until the database is there, the import has not begun.
    while !folder.path("moves.ugoki").exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("cancelled"), "{text}");
    folder.run(&["db", "check", "moves.ugoki"]).ok();
    folder.run(&["db", "add", "moves.ugoki", "in"]).ok();
    let list = folder.run(&["db", "list", "moves.ugoki", "--json"]).ok().json();
    assert_eq!(list["clips"].as_array().unwrap().len(), 40);
}

/// Two processes that both make the database: one makes it, both add.
#[test]
fn two_adds_at_once_make_one_database() {
    for _ in 0..3 {
        let folder = Folder::new();
        for (number, name) in ["walk", "wave", "nod", "bow"].iter().enumerate() {
            let into = if number < 2 { "a" } else { "b" };
            std::fs::create_dir_all(folder.path(into)).unwrap();
            let clip = ugoki::sample::clip(name).unwrap().trimmed(0..30).unwrap();
            let bytes = ugoki::formats::bvh::write(&clip, &Default::default()).bytes;
            folder.write(&format!("{into}/{name}.bvh"), bytes);
        }
        let children = ["a", "b"].map(|from| {
            let mut command = folder.command(&["db", "add", "moves.ugoki", from]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        });
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let list = folder.run(&["db", "list", "moves.ugoki", "--json"]).ok().json();
        assert_eq!(list["clips"].as_array().unwrap().len(), 4);
        folder.run(&["db", "check", "moves.ugoki"]).ok();
    }
}

#[test]
fn the_built_in_database_is_called_sample() {
    let folder = Folder::new();
    let list = folder.run(&["db", "list", "sample", "--json"]).ok().json();
    assert_eq!(list["clips"].as_array().unwrap().len(), ugoki::sample::motions().len());
    folder.run(&["convert", "sample#walk", "walk.glb"]).ok();
    // What was exported comes back in and decodes.
    folder.run(&["db", "add", "mine.ugoki", "walk.glb"]).ok();
    folder.run(&["db", "check", "mine.ugoki"]).ok();
    folder.run(&["convert", "mine.ugoki#walk", "again.bvh"]).ok();
    let info = folder.run(&["info", "walk.glb", "--json"]).ok().json();
    assert_eq!(info["joints"].as_array().unwrap().len(), 52);
    for verb in [
        &["db", "add", "sample", "walk.glb"][..],
        &["db", "remove", "sample", "walk"],
        &["db", "create", "sample"],
    ] {
        let failed = folder.run(verb);
        assert_eq!(failed.code, Some(2), "{failed:?}");
        assert!(failed.stderr.contains("built-in database, which is only read"), "{failed:?}");
    }
}

#[test]
fn exported_glb_has_tags_contacts_and_loop_and_they_come_back() {
    let folder = moves(&["walk"]);
    folder.run(&["db", "tag", "moves.ugoki", "walk", "--add", "loop"]).ok();
    folder.run(&["db", "export", "moves.ugoki", "walk", "-o", "walk.gltf"]).ok();
    let json: serde_json::Value = serde_json::from_str(&folder.text("walk.gltf")).unwrap();
    let extras = &json["animations"][0]["extras"];
    assert_eq!(extras["loop"], serde_json::json!([0, 90]));
    assert!(extras["tags"].as_array().unwrap().contains(&"moving".into()), "{extras}");
    assert!(!extras["contacts"]["left"]["heel"].as_array().unwrap().is_empty(), "{extras}");
    folder.run(&["db", "add", "other.ugoki", "walk.gltf"]).ok();
    let shown = folder.run(&["db", "show", "other.ugoki", "walk", "--json"]).ok().json();
    assert_eq!(shown["clips"][0]["user_tags"], serde_json::json!(["loop"]));
    // `convert` writes the same marks.
    folder.run(&["convert", "in/walk.bvh", "-", "--to", "gltf"]).ok();
    folder.run(&["convert", "walk.gltf", "again.gltf"]).ok();
    let again: serde_json::Value = serde_json::from_str(&folder.text("again.gltf")).unwrap();
    assert_eq!(again["animations"][0]["extras"]["contacts"], extras["contacts"]);
    assert_eq!(again["animations"][0]["extras"]["loop"], extras["loop"]);
}

#[test]
fn messages_name_the_file_and_the_way_out() {
    let folder = moves(&["walk", "wave"]);
    folder.write("small.bvh", SMALL);
    folder.write("map.toml", "[markers]\n\nA = \"left hele\"\n");
    folder.write("points.trc", "PathFileType\t4\t(X/Y/Z)\tx.trc\n");
    for (words, parts) in [
        (
            &["convert", "in/walk.bvh", "walk.fbx"][..],
            &["FBX files are read but not written", "docs/formats/fbx.md"][..],
        ),
        (&["convert", "small.bvh", "small.vrm"], &["small.bvh: VRM needs a human body", "write .glb"]),
        (&["info", "points.trc", "--markers", "map.toml"], &["map.toml: line 3: marker \"A\""]),
        (&["db", "list", "in"], &["in: is a folder, expected a motion database", "NAME.ugoki"]),
        (&["db", "create", "x.ugoki", "--skeleton", "small.bvh"], &["small.bvh: the skeleton has no joint"]),
        (&["db", "create", "x.ugoki", "--skeleton", "none.bvh"], &["none.bvh: no such file"]),
        (&["info", "moves.ugoki#a#b"], &["moves.ugoki: no clip is called \"a#b\""]),
        (&["convert", "moves.ugoki#x*", "-o", "out"], &["moves.ugoki: no clip fits the pattern \"x*\""]),
        (&["convert", "moves.ugoki#w*", "one.bvh"], &["2 inputs need a folder"]),
        (
            &["info", "in/walk.bvh", "--take", "Run"],
            &["in/walk.bvh: the file holds one motion", "leave --take out"],
        ),
        (&["info", "moves.ugoki#walk", "--take", "1"], &["moves.ugoki#walk: --take", "a clip of a database"]),
        (
            &["blend", "in/walk.bvh", "small.bvh", "-o", "o.bvh"],
            &["small.bvh: the source skeleton has no joint"],
        ),
    ] {
        let failed = folder.run(words);
        assert_eq!(failed.code, Some(2), "{words:?}: {failed:?}");
        for part in parts {
            assert!(failed.stderr.contains(part), "{words:?}: {}", failed.stderr);
        }
    }
    let files = folder.run(&["convert", "moves.ugoki#w*", "-o", "out", "--to", "glb", "--json"]).ok().json();
    assert_eq!(files["files"].as_array().unwrap().len(), 2);
}

#[test]
fn exit_codes_tell_whether_everything_was_done() {
    let folder = moves(&["walk"]);
    folder.write("in/broken.bvh", "HIERARCHY\nno joints\n");
    folder.write("in/small.bvh", SMALL);
    assert_eq!(folder.run(&["db", "add", "moves.ugoki", "in"]).code, Some(0), "a folder may hold anything");
    assert_eq!(
        folder.run(&["db", "add", "moves.ugoki", "in/broken.bvh"]).code,
        Some(1),
        "a named file is meant"
    );
    let done = folder.run(&["db", "export", "moves.ugoki", "-o", "out"]);
    assert_eq!(done.code, Some(0), "small.bvh has no form on the skeleton, which is reported: {done:?}");
    assert!(done.stdout.contains("small: not written"), "{done:?}");
    let named = folder.run(&["db", "export", "moves.ugoki", "small", "-o", "out3"]);
    assert_eq!(named.code, Some(1), "a named clip is meant: {named:?}");
    assert!(folder.path("out/walk.bvh").exists());
    assert_eq!(folder.run(&["db", "export", "moves.ugoki", "walk", "-o", "out2"]).code, Some(0));
}

#[test]
fn lengths_agree_wherever_they_are_reported() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    let clip = ugoki::sample::clip("walk").unwrap().resampled(120.0).unwrap();
    let clip = clip.trimmed(0..471).unwrap();
    folder.write("in/walk.bvh", ugoki::formats::bvh::write(&clip, &Default::default()).bytes);
    folder.run(&["db", "add", "moves.ugoki", "in"]).ok();
    let row = &folder.run(&["db", "list", "moves.ugoki", "--json"]).ok().json()["clips"][0];
    let info = folder.run(&["info", "moves.ugoki#walk", "--json"]).ok().json();
    let shown = folder.run(&["db", "show", "moves.ugoki", "walk", "--json"]).ok().json();
    assert_eq!(row["seconds"], info["seconds"]);
    assert_eq!(shown["clips"][0]["seconds"], info["seconds"]);
    assert_eq!(row["frames"], info["frames"]);
}

#[test]
fn mistyped_names_leave_no_database_behind() {
    let folder = moves(&["wave"]);
    folder.run(&["db", "add", "new.ugoki", "typo"]).fails_with(&["typo", "no such file or folder"]);
    folder.write("junk.bvh", "HIERARCHY\nno joints\n");
    let done = folder.run(&["db", "add", "new.ugoki", "junk.bvh"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("no database was made"), "{done:?}");
    assert!(folder.names().iter().all(|name| !name.contains("new.ugoki")), "{:?}", folder.names());
    // Next to a good file a mistyped one does not matter.
    let done = folder.run(&["db", "add", "new.ugoki", "typo", "in"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(folder.path("new.ugoki").exists() && done.stdout.contains("typo"), "{done:?}");
}

#[test]
fn files_that_are_only_written_say_what_to_add_instead() {
    let folder = moves(&["wave"]);
    folder.run(&["db", "export", "moves.ugoki", "wave", "-o", "wave.csv"]).ok();
    for (file, words) in
        [("wave.csv", ["CSV", "GLB or BVH"]), ("moves.ugoki", ["motion database", "db export"])]
    {
        let done = folder.run(&["db", "add", "other.ugoki", file]);
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(words.iter().all(|word| done.stdout.contains(word)), "{done:?}");
        assert!(!folder.path("other.ugoki").exists());
    }
    folder.run(&["db", "add", "other.ugoki", "moves.ugoki#wave"]).fails_with(&[
        "moves.ugoki#wave",
        "clip of a database",
        "db export moves.ugoki wave",
    ]);
}

#[test]
fn an_ending_and_a_format_that_disagree_are_reported() {
    let folder = moves(&["wave"]);
    folder.run(&["db", "export", "moves.ugoki", "wave", "-o", "x.bvh", "--to", "glb"]).fails_with(&[
        "x.bvh",
        "--to says glb",
        "leave --to out",
    ]);
    assert!(!folder.path("x.bvh").exists());
    folder.run(&["db", "export", "moves.ugoki", "wave", "-o", "x.glb", "--to", "glb"]).ok();
}

#[test]
fn the_built_in_database_needs_no_place_to_be_kept() {
    let folder = Folder::new();
    folder.write("file", "no folder");
    let output = folder
        .command(&["convert", "sample#wave", "wave.bvh"])
        .env("XDG_CACHE_HOME", folder.path("file"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("XDG_CACHE_HOME") && text.contains("built again"), "{text}");
    assert!(folder.path("wave.bvh").exists());
}

#[test]
fn what_a_killed_run_left_half_written_is_tidied_up() {
    let folder = moves(&["wave"]);
    // A process that is gone.
    let mut child = folder.command(&["--version"]).stdout(Stdio::null()).spawn().unwrap();
    let process = child.id();
    child.wait().unwrap();
    let left = [".wave.bvh", ".x.ugoki"].map(|name| format!("{name}.{process}.0123456789abcdef.ugoki-part"));
    let hours_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    for name in &left {
        folder.write(name, "half");
        let file = std::fs::File::options().append(true).open(folder.path(name)).unwrap();
        file.set_modified(hours_ago).unwrap();
    }
    folder.run(&["db", "export", "moves.ugoki", "wave", "-o", "wave.bvh"]).ok();
    assert!(left.iter().all(|name| !folder.path(name).exists()));
}

#[test]
fn contacts_that_a_file_marks_go_out_as_they_came_in() {
    let folder = moves(&["walk"]);
    folder.run(&["db", "export", "moves.ugoki", "walk", "-o", "walk.gltf"]).ok();
    let mut json: serde_json::Value = serde_json::from_slice(&folder.read("walk.gltf")).unwrap();
    let feet = serde_json::json!({"heel": [[3, 7]], "toe": [[1, 2], [5, 80]]});
    let contacts = serde_json::json!({"left": feet.clone(), "right": feet});
    json["animations"][0]["extras"]["contacts"] = contacts.clone();
    folder.write("marked.gltf", json.to_string());
    folder.run(&["db", "add", "other.ugoki", "marked.gltf"]).ok();
    let shown = folder.run(&["db", "show", "other.ugoki", "marked"]).ok().stdout;
    assert!(shown.contains("given by the file"), "{shown}");
    for source in [&[][..], &["--source"]] {
        let arguments = [&["db", "export", "other.ugoki", "marked", "-o", "out.gltf"][..], source].concat();
        folder.run(&arguments).ok();
        let out: serde_json::Value = serde_json::from_slice(&folder.read("out.gltf")).unwrap();
        assert_eq!(out["animations"][0]["extras"]["contacts"], contacts, "{source:?}");
    }
}

/// Clips without a derived form are no failure of "everything"; a clip that is named and cannot be written is.
#[test]
fn exporting_everything_of_a_mixed_archive_is_done() {
    let folder = moves(&["wave"]);
    folder.write("in/small.bvh", SMALL);
    folder.write("in/unnamed", folder.read("in/wave.bvh"));
    folder.write("in/NOTES", "no motion");
    let text = folder.run(&["db", "add", "moves.ugoki", "in"]).ok().stdout;
    assert!(text.contains("2 clips") && text.contains("1 without ending"), "{text}");
    let done = folder.run(&["db", "export", "moves.ugoki", "-o", "out"]).ok();
    assert!(
        done.stdout.contains("small: not written") && done.stdout.contains("2 files written"),
        "{done:?}"
    );
    assert_eq!(folder.run(&["db", "export", "moves.ugoki", "small", "-o", "out"]).code, Some(1));
    folder.run(&["db", "tag", "moves.ugoki", "wave", "--add", "loop"]).ok();
    let text = folder.run(&["db", "show", "moves.ugoki", "wave"]).ok().stdout;
    assert!(text.contains("loop       frames 0 to 89"), "{text}");
    folder.run(&["db", "check", "moves.ugoki", "--repair"]).ok();
}
