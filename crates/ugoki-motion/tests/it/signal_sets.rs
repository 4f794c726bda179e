//! Blends of three to five clips of the archive (`UGOKI_ARCHIVE`, reporting half): no joint outside hands and toes turns faster
//! than 1.5 times its sources' fastest. `UGOKI_TABLES` takes 50 sets of either kind instead of 5 and prints them:
//!
//! ```text
//! UGOKI_TABLES=1 UGOKI_ARCHIVE=… cargo test -p ugoki-motion --test it signal_sets -- --nocapture --test-threads 1
//! ```

use std::path::{Path, PathBuf};

use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, angle_between, median};
use ugoki_base::skeleton::Skeleton;
use ugoki_formats::{ReadOptions, read};
use ugoki_motion::blend::{BlendConfig, BlendError, blend};
use ugoki_motion::retarget::retarget_onto_first;
use ugoki_testing::bodies::quiet;
use ugoki_testing::captures;

const SPLIT: &str = include_str!("../../../../docs/results/split.md");

/// A name, and the takes: subject, first and last number.
type Script = (&'static str, &'static [(u32, u32, u32)]);

/// Takes of one script, by CMU's descriptions.
const SCRIPTS: [Script; 9] = [
    ("walk", &[(35, 1, 16), (35, 28, 34), (16, 15, 16), (16, 21, 22), (16, 31, 32)]),
    ("run", &[(35, 17, 26), (16, 35, 36), (16, 45, 46), (16, 55, 56)]),
    ("jump in place", &[(16, 1, 4), (118, 1, 10)]),
    ("jump forward", &[(118, 11, 20), (16, 5, 7)]),
    ("golf swing", &[(63, 1, 10)]),
    ("golf putt", &[(63, 11, 15)]),
    ("placing a tee", &[(63, 16, 20)]),
    ("picking up a ball", &[(63, 26, 30)]),
    ("uneven terrain", &[(3, 1, 4)]),
];

fn load(file: &Path) -> Option<Clip> {
    let mut clip = read(&std::fs::read(file).ok()?, Some("bvh"), &ReadOptions::default()).ok()?.clip;
    clip.name = file.file_stem()?.to_string_lossy().into_owned();
    (clip.motion_frames().len() >= 15).then_some(clip)
}

fn files(archive: &Path) -> Vec<PathBuf> {
    let half = std::env::var("UGOKI_HALF").unwrap_or_else(|_| "report".to_owned());
    let line = SPLIT.lines().find(|line| line.starts_with(&format!("**{half}**"))).unwrap();
    let subjects = line.split_once(": ").unwrap().1.trim_end_matches('.').split(", ");
    let mut files: Vec<PathBuf> = subjects
        .flat_map(|subject| std::fs::read_dir(archive.join(subject)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "bvh"))
        .collect();
    files.sort();
    files
}

fn script_files(archive: &Path, takes: &[(u32, u32, u32)]) -> Vec<PathBuf> {
    let name = |subject: u32, take: u32| archive.join(format!("{subject:03}/{subject:02}_{take:02}.bvh"));
    takes
        .iter()
        .flat_map(|&(subject, first, last)| (first..=last).map(move |take| name(subject, take)))
        .filter(|file| file.exists())
        .collect()
}

fn is_hand_or_toe(skeleton: &Skeleton, joint: usize) -> bool {
    let name = skeleton.joint(joint).name.to_lowercase();
    ["hand", "finger", "thumb", "index", "toe"].iter().any(|part| name.contains(part))
}

/// The fastest turn of a joint from frame to frame, degrees, and the frame it ends in.
fn fastest(clip: &Clip, joint: usize) -> (f32, usize) {
    clip.motion_frames()
        .skip(1)
        .map(|f| (angle_between(clip.rotation(joint, f - 1), clip.rotation(joint, f)).to_degrees(), f))
        .fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

#[derive(Default)]
struct Tally {
    ratios: Vec<f64>,
    over: Vec<String>,
    worst: (f32, String),
    refused: usize,
    far: usize,
}

fn blend_set(files: &[PathBuf], feet: bool, tally: &mut Tally) {
    let clips: Vec<Clip> = files.iter().filter_map(|file| load(file)).collect();
    let list: Vec<&Clip> = clips.iter().collect();
    let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
    let Ok(moved) = retarget_onto_first(&list, &mut quiet) else {
        tally.refused += 1;
        return;
    };
    let list: Vec<&Clip> = moved.iter().map(AsRef::as_ref).collect();
    let config = BlendConfig { keep_contacts: feet, ..BlendConfig::new(&vec![1.0; list.len()]) };
    let done = match blend(&list, &config, &mut quiet) {
        Ok(done) => done,
        Err(BlendError::NothingInCommon { .. }) => {
            tally.refused += 1;
            return;
        }
        Err(error) => panic!("{names:?}: {error}"),
    };
    tally.far += usize::from(!done.report.far_apart.is_empty());
    for joint in (0..done.clip.num_joints()).filter(|&j| !is_hand_or_toe(done.clip.skeleton(), j)) {
        let source = list.iter().map(|clip| fastest(clip, joint).0).fold(0.0, f32::max);
        let (speed, frame) = fastest(&done.clip, joint);
        // 0.1° from frame to frame: below it a joint does not move.
        if source < 0.1 {
            continue;
        }
        let ratio = speed / source;
        let joint = &done.clip.skeleton().joint(joint).name;
        let words = format!("{} {joint} {frame}: {speed:.1}°, {ratio:.2}", names.join(" + "));
        if ratio > tally.worst.0 {
            tally.worst = (ratio, words.clone());
        }
        if ratio > 1.5 {
            tally.over.push(words);
        }
        tally.ratios.push(f64::from(ratio));
    }
}

#[test]
fn blends_of_many_turn_no_faster_than_their_sources() {
    let Some(archive) = std::env::var_os("UGOKI_ARCHIVE").map(PathBuf::from) else {
        println!("skipped: UGOKI_ARCHIVE is not set");
        return;
    };
    let sets = if std::env::var_os("UGOKI_TABLES").is_some() { 50 } else { 5 };
    let all = files(&archive);
    println!(
        "| sets | feet | blended | refused | with sources over 120° apart | joints | median ratio | worst | over 1.5 |\n|---|---|---|---|---|---|---|---|---|"
    );
    let mut failures = Vec::new();
    for feet in [false, true] {
        for same in [true, false] {
            let mut random = Random::new(if same { 50 } else { 51 });
            let mut tally = Tally::default();
            for set in 0..sets {
                let pool =
                    if same { script_files(&archive, SCRIPTS[set % SCRIPTS.len()].1) } else { all.clone() };
                let mut pool = pool;
                let drawn: Vec<PathBuf> = (0..(3 + random.index(3)).min(pool.len()))
                    .map(|_| pool.swap_remove(random.index(pool.len())))
                    .collect();
                blend_set(&drawn, feet, &mut tally);
            }
            println!(
                "| {} | {} | {} | {} | {} | {} | {:.2} | {} | {} |",
                if same { "one script" } else { "random" },
                if feet { "all" } else { "free" },
                sets - tally.refused,
                tally.refused,
                tally.far,
                tally.ratios.len(),
                median(&tally.ratios).unwrap_or(0.0),
                tally.worst.1,
                tally.over.len()
            );
            tally.over.iter().for_each(|words| println!("  {words}"));
            failures.extend(tally.over);
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Captures of several people at 120 Hz that do alike: rhymes, mimes, boxing, kicks, jumps, dances, throws, waves, lifting.
const PEOPLE: [&[&str]; 14] = [
    &["gesture/24_01", "gesture/26_04", "gesture/29_08"],
    &["gesture/24_01", "gesture/26_04", "gesture/29_08", "gesture/18_08", "gesture/19_08"],
    &["gesture/79_17", "gesture/79_18", "gesture/80_13"],
    &["sport/79_08", "sport/80_10", "sport/141_14"],
    &["gesture/79_31", "gesture/80_48", "gesture/111_37"],
    &["sport/10_01", "sport/11_01", "sport/74_03"],
    &["sport/10_05", "sport/11_01", "sport/74_04", "sport/135_04"],
    &["physics/16_01", "physics/118_03", "physics/13_39"],
    &["gesture/05_02", "gesture/49_13", "gesture/93_03"],
    &["gesture/05_03", "gesture/49_14", "gesture/93_05"],
    &["gesture/05_11", "gesture/49_17", "gesture/93_03"],
    &["sport/124_01", "sport/79_91", "sport/141_11"],
    &["gesture/111_37", "gesture/141_16", "gesture/141_21"],
    &["physics/115_01", "physics/115_06", "physics/81_05"],
];

#[test]
fn blends_of_several_people_do_not_jump() {
    let Some(folder) = captures::folder(PEOPLE.len()) else { return };
    let mut tally = Tally::default();
    for names in PEOPLE {
        let files: Vec<PathBuf> =
            names.iter().map(|name| folder.join("cmu").join(format!("{name}.bvh"))).collect();
        blend_set(&files, false, &mut tally);
    }
    println!(
        "{} sets, {} with sources over 120° apart, {} refused, {} joints, worst {}",
        PEOPLE.len(),
        tally.far,
        tally.refused,
        tally.ratios.len(),
        tally.worst.1
    );
    assert!(tally.refused == 0 && tally.far > 5, "{} {}", tally.refused, tally.far);
    assert!(tally.over.is_empty(), "{:#?}", tally.over);
}
