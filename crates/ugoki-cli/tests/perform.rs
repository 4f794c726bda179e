//! Learning and performing with files: what is refused, what is told.

mod support;

use support::{Done, Folder};
use ugoki::clip::Clip;
use ugoki::sample;
use ugoki::skeleton::{Joint, Role, Skeleton};

fn write(here: &Folder, file: &str, clip: &Clip) -> String {
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
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
fn a_limb_that_is_lost_in_a_file_is_told_by_name_and_time() {
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
    let told = here.run(&["perform", "recognize", "m.ugoki", "--input", "lost.bvh"]);
    assert!(said(&told).contains("not seen from"), "{}", said(&told));
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
    assert!(said(&removed).contains("learned of bow"), "{}", said(&removed));
    let run = here.run(&["perform", "run", "m.ugoki", "--input", &kick, "--output", "out.bvh"]);
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
