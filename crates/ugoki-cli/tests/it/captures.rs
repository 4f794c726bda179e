//! Real captures through the binary: what `check` finds is what their notes lead one to expect, and
//! `convert` gives every number back.

use std::fs;
use std::path::Path;

use crate::support::{Folder, bvh_files, captures};
use serde_json::Value;
use ugoki::clip::Clip;
use ugoki::contact::FootContacts;
use ugoki::formats::{ReadOptions, read};
use ugoki::skeleton::Role;

/// Finding codes of one file of a `check` report.
fn codes(report: &Value, ending: &str) -> Vec<String> {
    let files = report["files"].as_array().expect("a list of files");
    let file = files
        .iter()
        .find(|file| file["file"].as_str().is_some_and(|name| name.ends_with(ending)))
        .unwrap_or_else(|| panic!("{ending} was not checked"));
    let findings = file["findings"].as_array().expect("a list of findings");
    findings.iter().map(|finding| finding["code"].as_str().expect("a code").to_owned()).collect()
}

/// Captures that give no body, as their notes say: an AMC whose ASF is missing, and markers without known labels,
/// without sides or of an arm alone.
const REFUSED: [&str; 8] = [
    "asfamc/08_02.amc",
    "c3d/sample02_dec_real.c3d",
    "c3d/sample02_pc_int.c3d",
    "c3d/sample02_pc_real.c3d",
    "c3d/sample02_sgi_int.c3d",
    "c3d/sample13_dance.c3d",
    "trc/opensim_eformat.trc",
    "trc/opensim_nan_cases.trc",
];

#[test]
fn every_capture_can_be_used_and_its_problems_are_named() {
    let Some(folder) = captures(134) else { return };
    let here = Folder::new();
    let done = here.run(&["check", &folder.to_string_lossy(), "--json"]);
    assert_eq!(done.code, Some(1), "some captures lack what a body needs");
    let report = done.json();
    let files = report["files"].as_array().expect("a list of files");
    println!("{} files checked", files.len());
    let mut cmu = 0;
    for file in files {
        let name = file["file"].as_str().expect("a name");
        let is_refused = REFUSED.iter().any(|refused| name.ends_with(refused));
        assert_eq!(file["usable"], !is_refused, "{name}");
        if name.contains("cmu") && !name.contains("dialects") {
            cmu += 1;
            let codes = codes(&report, name);
            for code in ["tpose-frame", "frame-time-rounded", "unit-guess", "zero-length"] {
                assert!(codes.iter().any(|found| found == code), "{name} lacks {code}: {codes:?}");
            }
        }
    }
    assert!(cmu > 0, "no CMU files in the captures");
    for (file, code) in [
        ("104_01.bvh", "zero-frames"),
        ("79_77.bvh", "zero-frames"),
        ("90_10.bvh", "few-frames"),
        ("16_16.bvh", "channel-jumps"),
        ("godotvr_root_without_channels.bvh", "root-channels"),
        ("pybvh_mixed_orders.bvh", "order-mixed"),
        ("pybvh_rotation_first_root.bvh", "rotation-first"),
        ("threejs_pirouette.bvh", "exponents"),
        ("makehuman_walk1.bvh", "root-height-relative"),
        ("mixamo_namespaced.bvh", "name-characters"),
        ("fairmotion_sinusoidal.bvh", "end-site-missing"),
    ] {
        let codes = codes(&report, file);
        assert!(codes.iter().any(|found| found == code), "{file} lacks {code}: {codes:?}");
    }
}

#[test]
fn every_capture_converts_to_the_same_numbers() {
    let Some(folder) = captures(134) else { return };
    let here = Folder::new();
    let sources = bvh_files(&folder);
    println!("{} files converted", sources.len());
    let [cmu, dialects] = ["cmu", "dialects"].map(|part| folder.join(part).to_string_lossy().into_owned());
    here.run(&["convert", &cmu, &dialects, "-o", "out"]).ok();
    for source in sources {
        let stem = source.file_stem().expect("a stem").to_string_lossy().into_owned();
        let result = here.path("out").join(format!("{stem}.bvh"));
        let (a, b) = (rows(&source), rows(&result));
        assert_eq!(a.len(), b.len(), "{stem}: rows");
        for (row, (a, b)) in a.iter().zip(&b).enumerate() {
            assert_eq!(a.len(), b.len(), "{stem}: row {row}");
            let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst <= 1e-4, "{stem}: row {row} is off by {worst}");
        }
    }
}

/// The motion block, read by the simplest means.
fn rows(file: &Path) -> Vec<Vec<f64>> {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let text = String::from_utf8_lossy(&bytes);
    let (_, motion) = text.split_once("MOTION").expect("a motion block");
    let numbers = motion.lines().skip_while(|line| !line.trim_start().starts_with("Frame Time")).skip(1);
    numbers
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split_whitespace().map(|word| word.parse().expect("a number")).collect())
        .collect()
}

#[test]
fn mirrored_twice_a_capture_is_itself() {
    let Some(folder) = captures(1) else { return };
    let here = Folder::new();
    let walk = folder.join("cmu/locomotion/35_05.bvh");
    here.run(&["convert", &walk.to_string_lossy(), "once.bvh", "--mirror"]).ok();
    here.run(&["convert", "once.bvh", "twice.bvh", "--mirror"]).ok();
    let json = here.run(&["compare", &walk.to_string_lossy(), "twice.bvh", "--json"]).ok().json();
    // Through two files: angles are written to a millionth of a degree.
    assert!(json["angle_deg"]["max"].as_f64().expect("a number") < 1e-3, "{json}");
}

#[test]
fn filtering_keeps_an_added_tpose_where_it_is() {
    let Some(folder) = captures(2) else { return };
    let here = Folder::new();
    for name in ["cmu/locomotion/16_15.bvh", "cmu/defects/16_16.bvh"] {
        let source = folder.join(name);
        here.run(&["filter", &source.to_string_lossy(), "out.bvh", "--despike", "--kernel", "gauss:2.5"])
            .ok();
        assert_eq!(rows(&source)[0], rows(&here.path("out.bvh"))[0], "{name}: the T-pose changed");
        let json = here.run(&["info", "out.bvh", "--json"]).ok().json();
        assert_eq!(json["tpose_frame"], 0, "{name}");
    }
}

#[test]
fn motions_that_are_left_out_are_named() {
    let Some(folder) = captures(1) else { return };
    let here = Folder::new();
    let fox = folder.join("gltf/Fox.glb");
    let done = here.run(&["convert", &fox.to_string_lossy(), "fox.bvh"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    for word in ["3 motions", "\"Walk\"", "\"Run\"", "--take"] {
        assert!(done.stderr.contains(word), "{word} is missing in {}", done.stderr);
    }
    let done = here.run(&["convert", &fox.to_string_lossy(), "fox.bvh", "--take", "Walk"]);
    assert!(!done.stderr.contains("--take"), "{}", done.stderr);
}

#[test]
fn a_database_is_not_made_on_a_rig_that_does_not_stand() {
    let Some(folder) = captures(1) else { return };
    let here = Folder::new();
    let rig = folder.join("fbx/ozz_pab_jog.fbx");
    let done = here.run(&["db", "create", "moves.ugoki", "--skeleton", &rig.to_string_lossy()]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("no standing body") && done.stderr.contains("T-pose"), "{}", done.stderr);
    assert!(!here.path("moves.ugoki").exists());
}

/// Mean speed over the ground of ankles and toes in the frames that the generator labels as standing, mm/s.
fn labelled_skate(clip: &Clip, labels: &[FootContacts; 2]) -> f64 {
    let roles = [[Role::LeftFoot, Role::LeftToes], [Role::RightFoot, Role::RightToes]];
    let (mut sum, mut count) = (0.0, 0.0);
    for (foot, roles) in labels.iter().zip(roles) {
        for (ranges, role) in [&foot.heel, &foot.toe].into_iter().zip(roles) {
            let path = clip.joint_path(clip.skeleton().find(role).expect("a foot"));
            for frame in ranges.iter().flat_map(|range| range.start..range.end - 1) {
                let step = path[frame + 1] - path[frame];
                sum += f64::from(step.x.hypot(step.z)) * clip.fps() * 1e3;
                count += 1.0;
            }
        }
    }
    sum / count
}

#[test]
fn planting_holds_the_contacts_that_a_generator_labels() {
    let Some(folder) = captures(1) else { return };
    let here = Folder::new();
    let source = folder.join("npz/kimodo_01_single_text_prompt.npz");
    let read_back = |bytes: &[u8]| read(bytes, None, &ReadOptions::default()).expect("a motion");
    let original = read_back(&fs::read(&source).expect("the file"));
    let labels = original.marks.contacts.clone().expect("labels");
    let name = source.to_string_lossy();
    let json = here.run(&["plant", &name, "labelled.bvh", "--json"]).ok().json();
    assert_eq!(json["contacts"], "file", "{json}");
    let json = here.run(&["plant", &name, "detected.bvh", "--contacts", "detect", "--json"]).ok().json();
    assert_eq!(json["contacts"], "detect", "{json}");
    let text = here.run(&["plant", &name, "again.bvh"]).ok().stderr;
    assert!(text.contains("labels of the file"), "{text}");
    let skate =
        |file: &str| labelled_skate(&read_back(&fs::read(here.path(file)).expect("written")).clip, &labels);
    let (before, labelled, detected) =
        (labelled_skate(&original.clip, &labels), skate("labelled.bvh"), skate("detected.bvh"));
    println!(
        "skate at the labels: {before:.1} mm/s, {labelled:.1} planted by them, {detected:.1} by detection"
    );
    // Labels last from landing to rolling off; planting holds the part of them in which the point stands.
    assert!(labelled < 0.6 * before && labelled <= detected, "{before} {labelled} {detected}");
}
