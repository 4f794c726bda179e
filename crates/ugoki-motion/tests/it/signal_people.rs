//! Time alignment across people: bodies of other sizes and postures, mirror images, excerpts; and the tables of
//! `docs/results/signal.md`:
//!
//! ```text
//! UGOKI_TABLES=1 UGOKI_CAPTURES=… UGOKI_ARCHIVE=… cargo test -p ugoki-motion --test it signal_people -- --nocapture --test-threads 1
//! ```

use std::path::PathBuf;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::quantile;
use ugoki_base::skeleton::{Joint, Role, Skeleton};
use ugoki_formats::{ReadOptions, read};
use ugoki_motion::blend::{Alignment, BlendConfig, BlendError, align, blend, build_blend};
use ugoki_motion::retarget::retarget_onto_first;
use ugoki_sample as sample;
use ugoki_testing::bodies::{quiet, wandering_clip};
use ugoki_testing::captures;

const GESTURES: [&str; 6] = ["wave", "bow", "punch", "front-kick", "throw", "walk"];

/// The clip done by someone a quarter taller with long arms, shoulders that hang, a bent back, and three quarters of the
/// swing of every joint about its mean.
fn another_person(clip: &Clip) -> Clip {
    let skeleton = clip.skeleton();
    let long = |joint: usize| match skeleton.joint(joint).role {
        Some(Role::LeftLowerArm | Role::RightLowerArm | Role::LeftHand | Role::RightHand) => 1.45,
        _ => 1.25,
    };
    let joints: Vec<Joint> = (0..skeleton.num_joints())
        .map(|joint| {
            let old = skeleton.joint(joint).clone();
            Joint { offset: old.offset * long(joint), ..old }
        })
        .collect();
    let mut other = Clip::at_rest(Skeleton::build(joints).unwrap(), clip.fps(), clip.num_frames()).unwrap();
    other.name = format!("another {}", clip.name);
    for joint in 0..skeleton.num_joints() {
        let posture = match skeleton.joint(joint).role {
            Some(Role::Spine) => Quat::from_rotation_x(0.12),
            Some(Role::LeftUpperArm) => Quat::from_rotation_z(-0.12),
            Some(Role::RightUpperArm) => Quat::from_rotation_z(0.12),
            _ => Quat::IDENTITY,
        };
        let middle = clip.rotation(joint, clip.num_frames() / 2);
        for frame in 0..clip.num_frames() {
            let q = clip.rotation(joint, frame);
            let own = if joint == 0 { q } else { middle.slerp(q, 0.75) };
            other.set_rotation(joint, frame, (posture * own).normalize());
        }
    }
    for frame in 0..clip.num_frames() {
        other.root_mut().set(frame, clip.root().get(frame) * 1.25);
    }
    other.align_signs();
    other
}

/// Where frame `s` of a clip of `n` frames lies when it is done now slower, now faster: by up to a third either way.
fn uneven(s: f64, n: usize) -> f64 {
    let last = (n - 1) as f64;
    s + 0.05 * last * (std::f64::consts::TAU * s / last).sin()
}

#[test]
fn size_posture_style_and_pace_do_not_matter() {
    for name in GESTURES {
        let clip = sample::clip(name).unwrap();
        let n = clip.motion_frames().len();
        let times: Vec<f64> = (0..n).map(|s| uneven(s as f64, n)).collect();
        let other = another_person(&clip).at_frames(&times, clip.fps());
        let found = align(&clip, &other, &mut quiet).unwrap();
        // How far the pose that was found is from the one it is a copy of: where a body holds still any time corresponds to any.
        let apart: Vec<f64> = found
            .frames
            .clone()
            .zip(&found.times)
            .map(|(frame, &time)| {
                let copied = uneven(time, n).round().clamp(0.0, (n - 1) as f64) as usize;
                let [a, b] = [frame, copied].map(|frame| clip.model_pose(frame).positions);
                let off = |(p, q): (&Vec3, &Vec3)| f64::from((*p - a[0]).distance_squared(*q - b[0]));
                (a.iter().zip(&b).map(off).sum::<f64>() / a.len() as f64).sqrt()
            })
            .collect();
        let [half, most] = [0.5, 0.95].map(|p| quantile(&apart, p).unwrap());
        println!("{name}: {half:.3} m, 95 % {most:.3} m, {:?}", found.report);
        assert!(found.report.matches, "{name}: {:?}", found.report);
        assert!(half < 0.03 && most < 0.06, "{name}: {half} m, {most} m");
    }
}

#[test]
fn a_mirror_image_is_detected_and_not_for_a_walk() {
    for name in ["wave", "punch", "throw"] {
        let clip = sample::clip(name).unwrap();
        let found = align(&clip, &clip.mirrored(), &mut quiet).unwrap().report;
        assert!(found.mirrored_distance_m.is_some_and(|d| d < 0.03), "{name}: {found:?}");
        let same = align(&clip, &clip, &mut quiet).unwrap().report;
        assert_eq!(same.mirrored_distance_m, None, "{name}");
    }
    let walk = sample::clip("walk").unwrap();
    assert_eq!(align(&walk, &walk.mirrored(), &mut quiet).unwrap().report.mirrored_distance_m, None);
}

#[test]
fn an_excerpt_is_found_where_it_comes_from() {
    let mut whole = wandering_clip(5, 600, 0.03);
    // Upright hips: a body that lies keeps the heading it had, which an excerpt does not know.
    for frame in 0..whole.num_frames() {
        whole.set_rotation(0, frame, Quat::from_rotation_y((frame as f32 / 100.0).sin()));
    }
    for start in [0, 137, 300, 450] {
        let part = whole.trimmed(start..start + 150).unwrap().scaled(1.25);
        let found = align(&whole, &part, &mut quiet).unwrap();
        let [first, last] = [found.times[0], found.times[found.times.len() - 1]];
        let off = |frame: usize, time: f64| (frame as f64 - start as f64 - time).abs();
        assert!(found.report.matches && last - first > 75.0, "{start}: {:?}", found.report);
        for (frame, &time) in found.frames.clone().zip(&found.times) {
            // At the ends up to a quarter of a second more is matched at half the pace rather than left out.
            let bound = if (20.0..130.0).contains(&time) { 6.0 } else { 16.0 };
            assert!(off(frame, time) < bound, "{start}: frame {frame} is at {time}");
        }
    }
}

#[test]
fn clips_without_a_common_movement_are_said_not_to_match() {
    let (a, b) = (wandering_clip(5, 400, 0.03), wandering_clip(6, 400, 0.03));
    let found = align(&a, &b, &mut quiet).unwrap().report;
    assert!(!found.matches && found.worst_distance_m > found.distance_m, "{found:?}");
    let done = blend(&[&a, &b], &BlendConfig::new(&[1.0, 1.0]), &mut quiet).unwrap();
    assert!(done.report.clips[1].note().contains("does not match"), "{}", done.report.clips[1].note());
}

#[test]
fn clips_that_match_different_parts_are_named_with_times() {
    let whole = wandering_clip(5, 600, 0.03);
    let named = |range: std::ops::Range<usize>, name: &str| {
        let mut part = whole.trimmed(range).unwrap();
        part.name = name.to_owned();
        part
    };
    let (early, late) = (named(0..150, "early"), named(400..550, "late"));
    let error = blend(&[&whole, &early, &late], &BlendConfig::new(&[1.0; 3]), &mut quiet);
    if let Err(BlendError::NothingInCommon { name, other, matched_s, other_s, .. }) = &error {
        assert_eq!((name.as_str(), other.as_str()), ("early", "late"));
        assert!(matched_s[0] < 0.3 && (other_s[0] - 400.0 / 60.0).abs() < 0.3, "{error:?}");
    } else {
        panic!("{error:?}");
    }
}

fn archive_clip(archive: &std::path::Path, name: &str) -> Clip {
    let subject = name.split_once('_').unwrap().0;
    let file = archive.join(format!("{subject:0>3}")).join(format!("{name}.bvh"));
    let mut clip = read(&std::fs::read(file).unwrap(), Some("bvh"), &ReadOptions::default()).unwrap().clip;
    clip.name = name.to_owned();
    clip
}

fn print(names: [&str; 2], found: &Alignment) {
    let r = &found.report;
    let mirrored = r.mirrored_distance_m.map_or("–".to_owned(), |d| format!("{d:.3}"));
    println!(
        "| {} + {} | {:?} | {} | {:.3} | {:.3} | {:.3} | {mirrored} | {:.1}, {:.1} | {:.2} at {:.1}, {:.1} |",
        names[0],
        names[1],
        r.kind,
        if r.matches { "yes" } else { "no" },
        r.distance_m,
        r.uniform_distance_m,
        r.any_distance_m,
        r.unmatched_reference_s.iter().sum::<f64>(),
        r.unmatched_s.iter().sum::<f64>(),
        r.worst_distance_m,
        r.worst_s[0],
        r.worst_s[1],
    );
}

#[test]
fn table_of_people() {
    let archive = std::env::var_os("UGOKI_ARCHIVE").map(PathBuf::from);
    let (Some(archive), true) = (archive, std::env::var_os("UGOKI_TABLES").is_some()) else {
        println!("skipped: prints a table of pairs of people; set UGOKI_TABLES=1 and UGOKI_ARCHIVE");
        return;
    };
    println!(
        "| clips | kind | match | fit m | uniform | any two moments | mirrored | left out s of each | worst half second m |\n|---|---|---|---|---|---|---|---|---|"
    );
    let pairs = |list: &[[&'static str; 2]]| {
        for names in list {
            let [a, b] = names.map(|name| archive_clip(&archive, name));
            print(*names, &align(&a, &b, &mut quiet).unwrap());
        }
    };
    println!("same movement, other people");
    let mimes: Vec<[&str; 2]> = include_str!("../../../../scripts/perform_lists.tsv")
        .lines()
        .filter(|line| line.starts_with("mime"))
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            [columns[2], columns[4]]
        })
        .collect();
    pairs(&mimes);
    pairs(&[["138_01", "138_02"], ["138_01", "138_03"], ["138_02", "138_05"], ["138_04", "138_08"]]);
    pairs(&[
        ["24_01", "29_08"],
        ["93_03", "93_05"],
        ["35_01", "16_15"],
        ["16_15", "08_01"],
        ["35_17", "16_35"],
        ["63_01", "63_04"],
        ["118_01", "16_01"],
        ["118_01", "75_01"],
        ["18_08", "19_08"],
        ["22_14", "23_14"],
    ]);
    println!("other movements");
    pairs(&[
        ["24_01", "118_01"],
        ["63_01", "35_01"],
        ["79_05", "80_70"],
        ["79_12", "16_15"],
        ["80_13", "82_02"],
        ["111_06", "63_16"],
        ["91_39", "80_20"],
        ["79_40", "16_35"],
        ["75_01", "80_24"],
        ["79_02", "111_09"],
    ]);
}

/// Processor time of this thread so far, seconds.
fn processor_s() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

#[test]
fn table_of_rhymes() {
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: prints a table of rhymes; set UGOKI_TABLES=1");
        return;
    }
    let Some(folder) = captures::folder(1) else { return };
    let names = ["24_01", "26_04", "29_08", "18_08", "19_08"];
    let clips = names.map(|name| captures::capture(&folder, &format!("cmu/gesture/{name}.bvh")));
    let at = |found: &Alignment, frame: f64| {
        let i = frame - found.frames.start as f64;
        let low = i.floor();
        (low >= 0.0 && low as usize + 1 < found.times.len()).then(|| {
            let pair = &found.times[low as usize..];
            pair[0] + (i - low) * (pair[1] - pair[0])
        })
    };
    let mut found = Vec::new();
    for (i, j) in [(0, 1), (1, 2), (0, 2)] {
        let before = processor_s();
        let done = align(&clips[i], &clips[j], &mut quiet).unwrap();
        print([names[i], names[j]], &done);
        println!("  {:.3} s of processor time", processor_s() - before);
        found.push(done);
    }
    // Through the second and directly.
    let off: Vec<f64> = found[2]
        .frames
        .clone()
        .filter_map(|frame| {
            let through = at(&found[1], at(&found[0], frame as f64)?)?;
            Some((through - at(&found[2], frame as f64)?).abs() / clips[0].fps())
        })
        .collect();
    println!(
        "24 → 26 → 29 and 24 → 29 differ by {:.2} s in the median, 95 % {:.2} s, {} frames",
        quantile(&off, 0.5).unwrap(),
        quantile(&off, 0.95).unwrap(),
        off.len()
    );
    let list: Vec<&Clip> = clips.iter().collect();
    let before = processor_s();
    let moved = retarget_onto_first(&list, &mut quiet).unwrap();
    let list: Vec<&Clip> = moved.iter().map(AsRef::as_ref).collect();
    println!("moved onto one skeleton: {:.2} s", processor_s() - before);
    let config = BlendConfig { keep_contacts: false, ..BlendConfig::new(&[1.0; 5]) };
    let before = processor_s();
    let built = build_blend(&list, &config, &mut quiet).unwrap();
    println!(
        "five clips of 17 to 19 s registered, with means that follow: {:.2} s, {} frames",
        processor_s() - before,
        built.num_frames()
    );
    let before = processor_s();
    let done = blend(&list, &BlendConfig::new(&[1.0; 5]), &mut quiet).unwrap();
    println!(
        "blended with feet held: {:.2} s; {:?}",
        processor_s() - before,
        done.report.far_apart.iter().map(|j| (&j.joint, j.frames)).collect::<Vec<_>>()
    );
    for clip in &done.report.clips {
        println!("  {} {:?}", clip.note(), clip.aligned.map(|a| a.kind));
    }
}
