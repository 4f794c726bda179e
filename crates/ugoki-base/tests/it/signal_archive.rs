//! The archive (`UGOKI_ARCHIVE`, 30 frames per second): what filters and despiking must hold on it. With `UGOKI_TABLES` the tables of
//! `docs/results/signal.md` are printed. `UGOKI_HALF=tune` takes the other half, `UGOKI_EVERY=N` every Nth clip.

use std::f64::consts::TAU;
use std::path::PathBuf;

use glam::{DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, angle_between, exp64, log64, median};
use ugoki_base::signal::{DespikeConfig, Edge, FilterConfig, Kernel, Method, despike, filter};
use ugoki_base::skeleton::Skeleton;
use ugoki_formats::{ReadOptions, read};
use ugoki_testing::bodies::quiet;
use ugoki_testing::captures;

const SPLIT: &str = include_str!("../../../../docs/results/split.md");

/// Clips of the wanted half; nothing without the archive.
pub(super) fn clips() -> Option<Vec<(String, Clip)>> {
    let Some(archive) = std::env::var_os("UGOKI_ARCHIVE").map(PathBuf::from) else {
        println!("skipped: UGOKI_ARCHIVE is not set");
        return None;
    };
    let half = std::env::var("UGOKI_HALF").unwrap_or_else(|_| "report".to_owned());
    let every: usize = std::env::var("UGOKI_EVERY").map_or(1, |every| every.parse().unwrap());
    let line = SPLIT.lines().find(|line| line.starts_with(&format!("**{half}**"))).unwrap();
    let subjects = line.split_once(": ").unwrap().1.trim_end_matches('.').split(", ");
    let mut files: Vec<PathBuf> = subjects
        .flat_map(|subject| std::fs::read_dir(archive.join(subject)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "bvh"))
        .collect();
    files.sort();
    let load = |file: &PathBuf| {
        let clip = read(&std::fs::read(file).unwrap(), Some("bvh"), &ReadOptions::default()).unwrap().clip;
        (file.file_stem().unwrap().to_string_lossy().into_owned(), clip)
    };
    Some(files.iter().step_by(every).map(load).collect())
}

fn tables() -> bool {
    std::env::var_os("UGOKI_TABLES").is_some()
}

/// Fingers, thumbs and toes: their capture flips.
pub(super) fn is_finger_or_toe(skeleton: &Skeleton, joint: usize) -> bool {
    let name = skeleton.joint(joint).name.to_lowercase();
    ["finger", "thumb", "index", "toe"].iter().any(|part| name.contains(part))
}

fn smoothed(clip: &Clip, kernel: &Kernel, method: Method) -> Clip {
    filter(clip, kernel, FilterConfig { method, edge: Edge::Reflect }, &mut quiet).unwrap().clip
}

/// Largest turn of a joint from frame to frame, degrees.
fn fastest(clip: &Clip, joint: usize) -> f32 {
    let frames = clip.motion_frames().skip(1);
    let turns = frames.map(|f| angle_between(clip.rotation(joint, f - 1), clip.rotation(joint, f)));
    turns.fold(0.0, f32::max).to_degrees()
}

/// Power of a joint's turning above `cut_hz`, by the successive turns, which do not wrap: Σ |ω(f)|²/(2πf)².
fn power_above(clip: &Clip, joint: usize, cuts_hz: [f64; 2]) -> [f64; 2] {
    let frames: Vec<usize> = clip.motion_frames().collect();
    let q = |f: usize| -> DQuat { clip.rotation(joint, f).as_dquat() };
    let turns: Vec<DVec3> = frames.windows(2).map(|p| log64(q(p[0]).conjugate() * q(p[1]))).collect();
    let n = turns.len();
    let mut power = [0.0; 2];
    for bin in 1..=n / 2 {
        let hz = bin as f64 * clip.fps() / n as f64;
        if hz <= cuts_hz[0].min(cuts_hz[1]) {
            continue;
        }
        let (mut re, mut im) = (DVec3::ZERO, DVec3::ZERO);
        for (i, &turn) in turns.iter().enumerate() {
            // A Hann window keeps the ends of the clip from leaking into all frequencies.
            let hann = 0.5 - 0.5 * (TAU * (i as f64 + 0.5) / n as f64).cos();
            let (sine, cosine) = (TAU * (bin * i % n) as f64 / n as f64).sin_cos();
            re += turn * (hann * cosine);
            im += turn * (hann * sine);
        }
        let here = (re.length_squared() + im.length_squared()) / (hz * hz);
        for (power, cut) in power.iter_mut().zip(cuts_hz) {
            *power += if hz > cut { here } else { 0.0 };
        }
    }
    power
}

#[test]
fn no_joint_turns_faster_than_in_the_archive() {
    let Some(clips) = clips() else { return };
    println!(
        "| kernel | method | clips | joints over 1.1 × Σ|h| | worst ratio | joint | median ratio |\n|---|---|---|---|---|---|---|"
    );
    for text in ["box:5", "box:15", "box:51", "gauss:4", "binomial:9", "savgol:11,3"] {
        let kernel = Kernel::build(&text.parse().unwrap()).unwrap();
        let size: f64 = kernel.taps().iter().map(|h| h.abs()).sum();
        for method in [Method::Path, Method::Exact, Method::Qlerp, Method::Leeshin] {
            if method != Method::Path && !(tables() && ["box:15", "box:51"].contains(&text)) {
                continue;
            }
            let (mut ratios, mut over, mut worst, mut used) =
                (Vec::new(), Vec::new(), (0.0, String::new()), 0);
            for (name, clip) in
                clips.iter().filter(|(_, clip)| clip.motion_frames().len() >= kernel.taps().len())
            {
                let smooth = smoothed(clip, &kernel, method);
                used += 1;
                for joint in (0..clip.num_joints()).filter(|&j| !is_finger_or_toe(clip.skeleton(), j)) {
                    let before = fastest(clip, joint);
                    // 0.01° per frame: below that it is rounding.
                    if before < 0.01 {
                        continue;
                    }
                    let ratio = f64::from(fastest(&smooth, joint) / before);
                    let words = format!("{name} {}", clip.skeleton().joint(joint).name);
                    if ratio > 1.1 * size {
                        over.push(format!("{words} {ratio:.2}"));
                    }
                    if ratio > worst.0 {
                        worst = (ratio, words);
                    }
                    ratios.push(ratio);
                }
            }
            let middle = median(&ratios).unwrap_or(0.0);
            println!(
                "| {text} | {method} | {used} | {} | {:.2} | {} | {middle:.2} |",
                over.len(),
                worst.0,
                worst.1
            );
            if method == Method::Path {
                assert!(over.is_empty(), "{text}: {over:?}");
            }
        }
    }
}

#[test]
fn a_moving_average_of_51_frames_removes_nine_tenths_of_what_is_above_its_cut_off() {
    let Some(clips) = clips() else { return };
    let kernel = Kernel::build(&"box:51".parse().unwrap()).unwrap();
    // Half the power passes at 0.443·fps/51, nothing at fps/51.
    let cuts = [0.443 * 30.0 / 51.0, 30.0 / 51.0];
    let (mut before, mut after, mut per_clip) = ([0.0; 2], [0.0; 2], Vec::new());
    for (_, clip) in clips.iter().step_by(4).filter(|(_, clip)| clip.motion_frames().len() >= 150) {
        let smooth = smoothed(clip, &kernel, Method::Path);
        let mut own = [[0.0; 2]; 2];
        for joint in (0..clip.num_joints()).filter(|&j| !is_finger_or_toe(clip.skeleton(), j)) {
            for (own, clip) in own.iter_mut().zip([clip, &smooth]) {
                let power = power_above(clip, joint, cuts);
                (0..2).for_each(|cut| own[cut] += power[cut]);
            }
        }
        (0..2).for_each(|cut| {
            before[cut] += own[0][cut];
            after[cut] += own[1][cut];
        });
        per_clip.push(own);
    }
    for (cut, hz) in cuts.iter().enumerate() {
        let removed: Vec<f64> = per_clip.iter().map(|own| 1.0 - own[1][cut] / own[0][cut]).collect();
        let least = removed.iter().fold(1.0_f64, |a, &b| a.min(b));
        let whole = 1.0 - after[cut] / before[cut];
        println!(
            "box:51 above {hz:.2} Hz: {} clips, removed {:.2} % in all, median {:.2} %, least {:.2} %, under 90 % {}",
            removed.len(),
            100.0 * whole,
            100.0 * median(&removed).unwrap(),
            100.0 * least,
            removed.iter().filter(|&&r| r < 0.9).count()
        );
        // Just above the first the average itself passes half; above the second at most 5 %.
        assert!(cut == 0 || least >= 0.9, "{least}");
    }
}

/// A joint of a capture, smoothed at its own rate of 120 frames per second by a Gaussian of 12.5 ms, is clean when it never
/// accelerates by more than this, degrees per second squared: no body does but in throws, and what is left of a glitch of 4° does.
/// Decided at the full rate, so a glitch that thinning hides or shows counts at every rate.
const CLEAN_DEG_S2: f64 = 20_000.0;
/// Seconds between injected glitches of one joint, so that they do not hide each other.
const APART_S: f64 = 1.5;

fn is_clean(clip: &Clip, joint: usize) -> bool {
    let q = |f: usize| clip.rotation(joint, f).as_dquat();
    let turns: Vec<DVec3> =
        clip.motion_frames().skip(1).map(|f| log64(q(f - 1).conjugate() * q(f))).collect();
    let moves = turns.iter().any(|turn| turn.length() > 1e-4);
    let least = CLEAN_DEG_S2.to_radians() / (clip.fps() * clip.fps());
    moves && turns.windows(2).all(|pair| (pair[1] - pair[0]).length() < least)
}

/// Every `step`th frame of the motion.
fn thinned(clip: &Clip, step: usize) -> Clip {
    let frames: Vec<usize> = clip.motion_frames().step_by(step).collect();
    let poses: Vec<_> = frames.iter().map(|&f| clip.pose(f)).collect();
    Clip::from_poses(clip.skeleton().clone(), clip.fps() / step as f64, &poses).unwrap()
}

/// Glitches of `height` and `len` put into the `joints` of a clip: the result, and (joint, first frame).
fn with_glitches(
    clip: &Clip,
    joints: &[usize],
    height_deg: f64,
    len: usize,
    random: &mut Random,
) -> (Clip, Vec<(usize, usize)>) {
    let mut bad = clip.clone();
    let mut list = Vec::new();
    for &joint in joints {
        let apart = (APART_S * clip.fps()) as usize;
        let mut at = 8 + (random.uniform() * apart as f64) as usize;
        while at + len + 8 < clip.num_frames() {
            let axis = DVec3::from_array(std::array::from_fn(|_| random.normal())).normalize();
            let glitch = exp64(axis * height_deg.to_radians()).as_quat();
            for frame in at..at + len {
                bad.set_rotation(joint, frame, (clip.rotation(joint, frame) * glitch).normalize());
            }
            list.push((joint, at));
            at += apart + (random.uniform() * apart as f64) as usize;
        }
    }
    bad.align_signs();
    (bad, list)
}

#[test]
fn glitches_are_found_at_every_rate_and_nothing_else() {
    let Some(folder) = captures::folder(1) else { return };
    let half = std::env::var("UGOKI_HALF").unwrap_or_else(|_| "report".to_owned());
    let line = SPLIT.lines().find(|line| line.starts_with(&format!("**{half}**"))).unwrap();
    let subjects: Vec<u32> = line
        .split_once(": ")
        .unwrap()
        .1
        .trim_end_matches('.')
        .split(", ")
        .map(|s| s.parse().unwrap())
        .collect();
    let subject =
        |name: &str| name.rsplit('/').next().unwrap().split('_').next().unwrap().parse::<u32>().unwrap();
    let all: Vec<(String, Clip)> = captures::all(&folder)
        .into_iter()
        .filter(|(name, clip, _)| {
            subjects.contains(&subject(name))
                && (clip.fps() - 120.0).abs() < 1.0
                && clip.motion_frames().len() >= 120
        })
        .map(|(name, clip, _)| (name, clip))
        .collect();
    let config = DespikeConfig::default();
    let light = Kernel::build(&"gauss:1.5".parse().unwrap()).unwrap();
    let found = |clip: &Clip| -> Vec<(usize, usize)> {
        let report = despike(clip, &config, &mut quiet).unwrap().report;
        let joint = |name: &str| clip.skeleton().joints().iter().position(|j| j.name == name).unwrap();
        report
            .joints
            .iter()
            .flat_map(|j| j.frames.iter().map(|&f| (joint(&j.joint), f)).collect::<Vec<_>>())
            .collect()
    };
    for (rate, step) in [(30, 4), (60, 2), (120, 1)] {
        let (mut frames, mut changed, mut list) = (0_usize, 0_usize, Vec::new());
        let mut clean = Vec::new();
        for (name, clip) in &all {
            let clip = &smoothed(clip, &light, Method::Path);
            let joints: Vec<usize> = (0..clip.num_joints()).filter(|&j| is_clean(clip, j)).collect();
            let thin = thinned(clip, step);
            frames += joints.len() * thin.num_frames();
            for (joint, frame) in found(&thin).into_iter().filter(|(joint, _)| joints.contains(joint)) {
                changed += 1;
                list.push(format!("{name} {} {frame}", clip.skeleton().joint(joint).name));
            }
            clean.push((thin, joints));
        }
        let per = 1e4 * changed as f64 / frames as f64;
        println!(
            "{rate} fps: {} captures, {frames} clean joint-frames, {changed} changed, {per:.2} per 10000",
            all.len()
        );
        list.iter().take(if tables() { 30 } else { 0 }).for_each(|line| println!("    {line}"));
        let mut recalls = std::collections::BTreeMap::new();
        let heights: &[u32] = if tables() { &[5, 10, 20, 40] } else { &[10, 20] };
        let lengths: &[usize] = if tables() { &[1, 2, 3, 4, 5, 6, 7] } else { &[1, 2] };
        for &height in heights {
            for &len in lengths {
                let mut random = Random::new(u64::from(height) * 10 + len as u64);
                let (mut hit, mut total) = (0, 0);
                for (clip, joints) in &clean {
                    let (bad, list) = with_glitches(clip, joints, f64::from(height), len, &mut random);
                    let found: std::collections::BTreeSet<(usize, usize)> = found(&bad).into_iter().collect();
                    total += list.len();
                    hit += list
                        .iter()
                        .filter(|&&(j, at)| (at..at + len).all(|f| found.contains(&(j, f))))
                        .count();
                }
                recalls.insert((height, len), 100.0 * hit as f64 / total.max(1) as f64);
            }
        }
        for &height in heights {
            let cells: Vec<String> =
                lengths.iter().map(|&len| format!("{:.0}", recalls[&(height, len)])).collect();
            println!("| {rate} fps | {height}° | {} |", cells.join(" | "));
        }
        if rate == 30 {
            assert!(per <= 1.0, "{per} per 10000: {list:?}");
            for len in [1, 2] {
                assert!(recalls[&(20, len)] >= 90.0 && recalls[&(10, len)] >= 70.0, "{recalls:?}");
            }
        }
    }
}

#[test]
fn what_despiking_changes_in_the_archive() {
    if !tables() {
        return;
    }
    let Some(clips) = clips() else { return };
    let (mut frames, mut changed, mut ends) = (0, 0, 0);
    for (_, clip) in &clips {
        frames += clip.num_joints() * clip.motion_frames().len();
        for joint in despike(clip, &DespikeConfig::default(), &mut quiet).unwrap().report.joints {
            let at = clip.skeleton().joints().iter().position(|j| j.name == joint.joint).unwrap();
            changed += joint.frames.len();
            ends += if is_finger_or_toe(clip.skeleton(), at) { joint.frames.len() } else { 0 };
        }
    }
    println!(
        "archive: {} clips, {frames} joint-frames, {changed} changed ({ends} in fingers and toes), {:.2} per 10000",
        clips.len(),
        1e4 * changed as f64 / frames as f64
    );
}
