//! Learning and performing with files: what is refused, what is reported.

use crate::support::{Done, Folder};
use ugoki::clip::Clip;
use ugoki::no_progress;
use ugoki::sample;
use ugoki::skeleton::{Joint, Role, Skeleton};

fn write(here: &Folder, file: &str, clip: &Clip) -> String {
    let go_on = &mut no_progress();
    let written = ugoki::formats::write(clip, ugoki::formats::Format::Bvh, &Default::default(), go_on);
    here.write(file, written.expect("BVH holds it").bytes);
    file.to_owned()
}

/// A sample motion as a file.
fn motion(here: &Folder, name: &str) -> String {
    write(here, &format!("{name}.bvh"), &sample::clip(name).expect("a sample motion"))
}

/// The same motion on a body of other lengths.
fn longer(clip: &Clip) -> Clip {
    let joints = clip.skeleton().joints().iter().map(|joint| {
        let leg = joint.role == Some(Role::LeftLowerLeg);
        Joint { offset: joint.offset * if leg { 1.3 } else { 1.0 }, ..joint.clone() }
    });
    let skeleton = Skeleton::build(joints.collect()).expect("a skeleton");
    let (root, turns) = (clip.root().clone(), clip.rotations().clone());
    Clip::from_tracks(skeleton, clip.fps(), root, turns, Vec::new()).expect("a clip")
}

/// The file with the numbers of some columns, by joint and frame, written as `nan`.
fn with_nan(text: &str, lost: impl Fn(&str, usize) -> bool) -> String {
    let mut columns = Vec::new();
    let (mut joint, mut row, mut rows, mut out) = (String::new(), 0, false, String::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ROOT" | "JOINT", name] => joint = (*name).to_owned(),
            ["CHANNELS", _, names @ ..] => columns.extend(names.iter().map(|_| joint.clone())),
            _ => {}
        }
        if rows && !words.is_empty() {
            let number = |(at, word): (usize, &&str)| match lost(&columns[at], row) {
                true => "nan".to_owned(),
                false => (*word).to_owned(),
            };
            out += &words.iter().enumerate().map(number).collect::<Vec<_>>().join(" ");
            row += 1;
        } else {
            out += line;
        }
        out += "\n";
        rows |= line.starts_with("Frame Time");
    }
    out
}

fn said(done: &Done) -> String {
    format!("{}{}", done.stdout, done.stderr)
}

#[test]
fn a_limb_lost_in_a_file_is_reported_by_name_and_time() {
    let here = Folder::new();
    let kick = motion(&here, "front-kick");
    assert_eq!(here.run(&["perform", "learn", &kick, &kick, "-o", "m.ugoki"]).code, Some(0));
    let text = String::from_utf8(here.read(&kick)).expect("text");
    let leg = |joint: &str| joint.starts_with("right") && (joint.contains("Leg") || joint.contains("Foot"));
    here.write("lost.bvh", with_nan(&text, |joint, row| leg(joint) && (60..130).contains(&row)));
    let run = ["perform", "run", "m.ugoki", "--input", "lost.bvh", "--output", "out.bvh"];
    let done = here.run(&run);
    let words = said(&done);
    assert_eq!(done.code, Some(0), "{words}");
    let line = words.lines().find(|line| line.starts_with("not seen")).expect(&words);
    assert!(line.contains("rightFoot") && line.contains("rightLowerLeg"), "{line}");
    assert!(!line.contains("left"), "{line}");
    let done = here.run(&[&run[..], &["--json"][..]].concat());
    let report: serde_json::Value = serde_json::from_str(&done.stdout).expect("a report");
    let fps = sample::clip("front-kick").expect("a sample motion").fps();
    for loss in report["losses"].as_array().expect("losses") {
        let at = |key: &str| loss[key].as_f64().expect("seconds");
        // The last frame that was seen, and the first one seen again.
        assert!((at("from") - 59.0 / fps).abs() < 0.5 / fps, "{loss}");
        assert!((at("to") - 130.0 / fps).abs() < 0.5 / fps, "{loss}");
    }
    let recognized = here.run(&["perform", "recognize", "m.ugoki", "--input", "lost.bvh"]);
    assert!(said(&recognized).contains("not seen from"), "{}", said(&recognized));
}

#[test]
fn an_imitation_is_not_learned_from_where_it_is_lost() {
    let here = Folder::new();
    let kick = motion(&here, "front-kick");
    let text = String::from_utf8(here.read(&kick)).expect("text");
    let rows = sample::clip("front-kick").expect("a sample motion").num_frames();
    let leg = |joint: &str| joint == "rightUpperLeg" || joint == "rightLowerLeg";
    // Standing still where the foot is highest.
    here.write("lost.bvh", with_nan(&text, |joint, row| leg(joint) && (40..rows / 2).contains(&row)));
    let done = here.run(&["perform", "learn", &kick, "lost.bvh", "-o", "m.ugoki"]);
    let words = said(&done);
    assert_eq!(done.code, Some(0), "{words}");
    let line = words.lines().find(|line| line.starts_with("lost.bvh: not seen from")).expect(&words);
    assert!(line.contains("rightFoot") && line.contains("left out") && !line.contains("leftFoot"), "{line}");
    let learned = here.run(&["perform", "learn", &kick, "lost.bvh", "-o", "j.ugoki", "--json"]).json();
    let whole = here.run(&["perform", "learn", &kick, &kick, "-o", "w.ugoki", "--json"]).json();
    assert_eq!(learned["losses"][0]["file"], "lost.bvh", "{learned}");
    assert_eq!(learned["losses"][0]["losses"][0]["joint"], "rightLowerLeg", "{learned}");
    // The rest of the body shows how late it is.
    assert_eq!(learned["pairings"][0]["lag_s"], 0.0, "{learned}");
    assert_eq!(whole["losses"].as_array().map(Vec::len), Some(0));
    let used = |report: &serde_json::Value| -> u64 {
        report["pieces"].as_array().expect("pieces").iter().filter_map(|piece| piece["rows"].as_u64()).sum()
    };
    // As many frames are left out as were lost, except those next to them.
    let left_out = used(&whole) - used(&learned);
    let lost = (rows / 2 - 40) as u64;
    assert!((lost..=lost + 4).contains(&left_out), "{left_out} of {lost}");
    // What was not lost is performed as before.
    let run = ["perform", "run", "m.ugoki", "--input", &kick, "--output", "out.bvh"];
    assert_eq!(here.run(&run).code, Some(0));
    let foot = |file: &str| {
        let read = ugoki::formats::read(&here.read(file), Some("bvh"), &Default::default()).expect("BVH");
        let foot = read.clip.skeleton().find(Role::RightFoot).expect("a foot");
        read.clip.joint_path(foot).iter().map(|p| p.y).fold(0.0_f32, f32::max)
    };
    assert!((foot("out.bvh") - foot(&kick)).abs() < 0.02, "{} of {}", foot("out.bvh"), foot(&kick));
}

#[test]
fn nothing_is_learned_from_a_lost_actor_or_an_imitation_that_always_is() {
    let here = Folder::new();
    let kick = motion(&here, "front-kick");
    let text = String::from_utf8(here.read(&kick)).expect("text");
    here.write("lost.bvh", with_nan(&text, |joint, row| joint == "rightUpperLeg" && row > 50));
    here.write("never.bvh", with_nan(&text, |joint, _| joint == "rightUpperLeg"));
    for (actor, imitation, named) in
        [("lost.bvh", kick.as_str(), "lost.bvh"), (&kick, "never.bvh", "never.bvh")]
    {
        let done = here.run(&["perform", "learn", actor, imitation, "-o", "m.ugoki"]);
        let words = said(&done);
        assert_eq!(done.code, Some(2), "{words}");
        assert!(words.contains(named) && words.contains("rightFoot"), "{words}");
    }
}

#[test]
fn a_take_with_lost_joints_is_cut_and_reported() {
    let here = Folder::new();
    let kick = motion(&here, "front-kick");
    let text = String::from_utf8(here.read(&kick)).expect("text");
    here.write(
        "lost.bvh",
        with_nan(&text, |joint, row| joint == "rightUpperLeg" && (40..100).contains(&row)),
    );
    here.write("never.bvh", with_nan(&text, |_, _| true));
    let done = here.run(&["segment", "lost.bvh", "--json"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(
        done.stderr.contains("lost.bvh: not seen from") && done.stderr.contains("rightFoot"),
        "{}",
        done.stderr
    );
    let losses = done.json()["losses"].clone();
    let fps = sample::clip("front-kick").expect("a sample motion").fps();
    for loss in losses.as_array().expect("a list") {
        let times = ["from", "to"].map(|end| loss[end].as_f64().expect("seconds") * fps);
        assert!((times[0] - 40.0).abs() < 0.1 && (times[1] - 100.0).abs() < 0.1, "{loss}");
    }
    assert_eq!(here.run(&["segment", &kick, "--json"]).json()["losses"].as_array().map(Vec::len), Some(0));
    let done = here.run(&["segment", "never.bvh"]);
    assert_eq!(done.code, Some(2), "{}", said(&done));
    assert!(done.stderr.contains("nothing of the body is seen"), "{}", done.stderr);
}

#[test]
fn a_performance_that_begins_unseen_begins_with_the_first_pose_that_is_seen() {
    let here = Folder::new();
    let kick = motion(&here, "front-kick");
    assert_eq!(here.run(&["perform", "learn", &kick, &kick, "-o", "m.ugoki"]).code, Some(0));
    let text = String::from_utf8(here.read(&kick)).expect("text");
    here.write("late.bvh", with_nan(&text, |_, row| row < 60));
    here.write("gap.bvh", with_nan(&text, |_, row| row < 30 || (60..100).contains(&row)));
    for (file, first, later) in [("late.bvh", 60, 0), ("gap.bvh", 30, 40)] {
        let done = here.run(&["perform", "run", "m.ugoki", "--input", file, "--output", "out.bvh", "--json"]);
        assert_eq!(done.code, Some(0), "{}", said(&done));
        let report = done.json();
        assert_eq!(report["lost_first"], first, "{file}");
        // A tenth of a second is bridged.
        let lost = report["lost"].as_u64().expect("a number") as usize;
        assert!(lost <= first + later && lost + 15 > first + later, "{file}: {lost}");
        let read =
            ugoki::formats::read(&here.read("out.bvh"), Some("bvh"), &Default::default()).expect("BVH");
        let frame = |at: usize| read.clip.model_pose(at).positions;
        let step = |a: usize, b: usize| {
            frame(a).iter().zip(&frame(b)).map(|(a, b)| a.distance(*b)).fold(0.0_f32, f32::max)
        };
        assert_eq!(step(0, first), 0.0, "{file}");
        // In the middle of a kick the actor goes on at the kick's speed, and no faster: a centimetre may be left to settle.
        let own = sample::clip("front-kick").expect("a sample motion");
        let place = |at: usize| own.model_pose(at).positions;
        let fastest = (first - 5..first + 5).map(|at| {
            place(at).iter().zip(&place(at + 1)).map(|(a, b)| a.distance(*b)).fold(0.0_f32, f32::max)
        });
        let (worst, fastest) = (step(first, first + 1), fastest.fold(0.0, f32::max));
        println!("{file}: first step {worst} m, of the actor {fastest} m");
        assert!(worst < fastest + 0.01, "{file}: a leap of {worst} m, the actor's step is {fastest} m");
        let words = said(&here.run(&["perform", "run", "m.ugoki", "--input", file, "--output", "out.bvh"]));
        assert!(words.contains(&format!("in the first {first} frames")), "{words}");
        assert_eq!(words.contains("the last pose was held"), later > 0, "{words}");
        let count = read.clip.num_frames();
        assert!(words.contains(&format!("out.bvh: {count} frames")), "{words}");
    }
}

#[test]
fn invalid_fractions_and_distances_are_refused_live_as_with_files() {
    let here = Folder::new();
    let kick = motion(&here, "front-kick");
    assert_eq!(here.run(&["perform", "learn", &kick, &kick, "-o", "m.ugoki"]).code, Some(0));
    for (option, value) in [
        ("--unknown", "1.2"),
        ("--unknown", "-0.1"),
        ("--unknown", "nan"),
        ("--amount", "-1"),
        ("--lookahead", "nan"),
    ] {
        for (input, output) in
            [(kick.as_str(), "out.bvh"), ("vmc:41235", "vmc:41236"), (&kick, "vmc:41236"), ("-", "vmc:41236")]
        {
            let done =
                here.run(&["perform", "run", "m.ugoki", "--input", input, "--output", output, option, value]);
            assert_eq!(done.code, Some(2), "{option} {value} {input}: {}", said(&done));
            assert!(
                done.stderr.contains(&format!("{option}: ")) && done.stderr.contains("use "),
                "{}",
                done.stderr
            );
        }
    }
}

#[test]
fn a_performance_without_any_number_is_refused() {
    let here = Folder::new();
    let kick = motion(&here, "front-kick");
    assert_eq!(here.run(&["perform", "learn", &kick, &kick, "-o", "m.ugoki"]).code, Some(0));
    let text = String::from_utf8(here.read(&kick)).expect("text");
    here.write("nothing.bvh", with_nan(&text, |_, _| true));
    for words in [
        &["perform", "run", "m.ugoki", "--input", "nothing.bvh", "--output", "out.bvh"][..],
        &["perform", "recognize", "m.ugoki", "--input", "nothing.bvh"][..],
    ] {
        let done = here.run(words);
        assert_eq!(done.code, Some(2), "{}", said(&done));
        assert!(said(&done).contains("nothing of the body is seen"), "{}", said(&done));
    }
    assert!(!here.path("out.bvh").exists());
}

#[test]
fn an_actor_of_another_skeleton_is_refused_when_learning() {
    let here = Folder::new();
    let (kick, bow) = (motion(&here, "front-kick"), motion(&here, "bow"));
    let other = write(&here, "long-bow.bvh", &longer(&sample::clip("bow").expect("a sample motion")));
    let learn = |actor: &str| here.run(&["perform", "learn", actor, actor, "-o", "m.ugoki"]);
    assert_eq!(learn(&kick).code, Some(0));
    let refused = learn(&other);
    assert_eq!(refused.code, Some(2), "{}", said(&refused));
    let words = said(&refused);
    assert!(words.contains("front-kick") && words.contains("long-bow"), "{words}");
    assert!(words.contains("leftLowerLeg") && words.contains("--retarget"), "{words}");
    // In one run too; and the model goes on as it was.
    let both = here.run(&["perform", "learn", &kick, &kick, &other, &other, "-o", "n.ugoki"]);
    assert_eq!(both.code, Some(2), "{}", said(&both));
    let run = here.run(&["perform", "run", "m.ugoki", "--input", &bow, "--output", "out.bvh"]);
    assert_eq!(run.code, Some(0), "{}", said(&run));
    // The way out that is named works.
    assert_eq!(here.run(&["convert", &other, "bow-on-kick.bvh", "--retarget", &kick]).code, Some(0));
    let learned = learn("bow-on-kick.bvh");
    assert_eq!(learned.code, Some(0), "{}", said(&learned));
}

#[test]
fn what_was_learned_of_a_clip_goes_with_it() {
    let here = Folder::new();
    let (kick, bow) = (motion(&here, "front-kick"), motion(&here, "bow"));
    let learned = here.run(&["perform", "learn", &kick, &kick, &bow, &bow, "-o", "m.ugoki"]);
    assert_eq!(learned.code, Some(0), "{}", said(&learned));
    let removed = here.run(&["db", "remove", "m.ugoki", "bow"]);
    assert_eq!(removed.code, Some(0), "{}", said(&removed));
    assert!(said(&removed).contains("performance models of bow"), "{}", said(&removed));
    let run = here.run(&["perform", "run", "m.ugoki", "--input", &kick, "-o", "out.bvh"]);
    assert_eq!(run.code, Some(0), "{}", said(&run));
}

#[test]
fn what_cannot_be_done_is_refused_with_advice() {
    let here = Folder::new();
    let kick = motion(&here, "front-kick");
    assert_eq!(here.run(&["perform", "learn", &kick, &kick, "-o", "m.ugoki"]).code, Some(0));
    here.write("taken", "a file");
    let run = ["perform", "run", "m.ugoki", "--input", &kick, "--output", "out.bvh"];
    let cases: [(&[&str], &str); 5] = [
        (&["segment", &kick, "--plot", "cuts.png"], ".svg"),
        (&["perform", "learn", &kick, &kick, "-o", "n.ugoki", "--plot", "learned.png"], ".svg"),
        (&["segment", &kick, "-o", "taken"], "name a folder"),
        (&[&run[..], &["--unknown", "1.5"]].concat(), "0 to 1"),
        (&["segment", &kick, "--group", "bat=rightPaw"], "is no role"),
    ];
    for (words, advice) in cases {
        let done = here.run(words);
        assert_eq!(done.code, Some(2), "{words:?}: {}", said(&done));
        assert!(said(&done).contains(advice), "{words:?}: {}", said(&done));
    }
    assert!(!here.path("cuts.png").exists() && !here.path("n.ugoki").exists());
    let done = here.run(&[&run[..], &["--buffer", "40"]].concat());
    assert_eq!(done.code, Some(0));
    assert!(said(&done).contains("--buffer is for live input"), "{}", said(&done));
}

#[test]
fn a_take_is_cut_by_the_groups_that_are_given() {
    let here = Folder::new();
    let kick = motion(&here, "front-kick");
    let cut = here.run(&["segment", &kick, "--group", "foot=rightFoot,rightToes", "--json"]);
    assert_eq!(cut.code, Some(0), "{}", said(&cut));
    let report: serde_json::Value = serde_json::from_str(&cut.stdout).expect("a report");
    let groups: Vec<&str> = report["pieces"]
        .as_array()
        .expect("pieces")
        .iter()
        .filter_map(|piece| piece["group"].as_str())
        .collect();
    assert!(groups.contains(&"foot"), "{groups:?}");
    assert!(groups.iter().all(|group| ["foot", "travel"].contains(group)), "{groups:?}");
}
