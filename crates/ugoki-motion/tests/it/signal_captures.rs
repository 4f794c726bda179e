//! Filters and despiking on real captures, and the tables of `docs/results/signal.md`:
//!
//! ```text
//! UGOKI_TABLES=1 UGOKI_CAPTURES=… cargo test --release -p ugoki-motion --test it signal_captures -- --nocapture
//! ```

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, angle_between, exp, log};
use ugoki_base::signal::{DespikeConfig, Despiked, Edge, FilterConfig, Kernel, Method, despike, filter};
use ugoki_motion::blend::{BlendConfig, blend};
use ugoki_testing::bodies::quiet;
use ugoki_testing::captures;

fn kernel(text: &str) -> Kernel {
    Kernel::build(&text.parse().unwrap()).unwrap()
}

fn smoothed(clip: &Clip, text: &str, method: Method) -> Clip {
    let config = FilterConfig { method, edge: Edge::Reflect };
    filter(clip, &kernel(text), config, &mut quiet).unwrap().clip
}

/// Rotation vector of a matrix, by its antisymmetric part and trace; near a half turn by its symmetric part.
fn matrix_log(m: DMat3) -> DVec3 {
    let sines = DVec3::new(m.y_axis.z - m.z_axis.y, m.z_axis.x - m.x_axis.z, m.x_axis.y - m.y_axis.x) * 0.5;
    let cosine = ((m.x_axis.x + m.y_axis.y + m.z_axis.z - 1.0) * 0.5).clamp(-1.0, 1.0);
    let angle = sines.length().atan2(cosine);
    if angle < 1e-7 {
        return sines;
    }
    if angle < 3.1 {
        return sines * (angle / sines.length());
    }
    let axis = DVec3::new(
        ((m.x_axis.x - cosine) / (1.0 - cosine)).max(0.0).sqrt(),
        ((m.y_axis.y - cosine) / (1.0 - cosine)).max(0.0).sqrt(),
        ((m.z_axis.z - cosine) / (1.0 - cosine)).max(0.0).sqrt(),
    );
    axis * DVec3::new(sines.x.signum(), sines.y.signum(), sines.z.signum()) * angle
}

/// The intrinsic mean once more, in matrices: steepest descent from the window's centre with half steps.
fn matrix_mean(window: &[DMat3], centre: usize) -> DMat3 {
    let mut mean = window[centre];
    for _ in 0..200 {
        let step: DVec3 =
            window.iter().map(|m| matrix_log(mean.transpose() * *m)).sum::<DVec3>() / window.len() as f64;
        if step.length() < 1e-10 {
            break;
        }
        let half = 0.5 * step;
        mean *= DMat3::from_axis_angle(half.normalize(), half.length());
    }
    mean
}

#[test]
fn exact_is_the_intrinsic_mean_of_a_karate_capture() {
    let Some(folder) = captures::folder(1) else { return };
    let clip = captures::capture(&folder, "cmu/sport/135_04.bvh");
    assert!(clip.tpose_frame, "the reader marks the added T-pose");
    let clip = clip.trimmed(clip.motion_frames()).unwrap();
    let done = filter(&clip, &kernel("box:51"), FilterConfig::default(), &mut quiet).unwrap();
    println!("cmu/sport/135_04.bvh, box:51: {:?}", done.report);
    let n = clip.num_frames() as isize;
    let mut worst = (0.0, 0, 0);
    for joint in 0..clip.num_joints() {
        let track: Vec<DMat3> =
            (0..clip.num_frames()).map(|f| DMat3::from_quat(clip.rotation(joint, f).as_dquat())).collect();
        if track.windows(2).all(|pair| pair[0] == pair[1]) {
            continue;
        }
        let at = |i: isize| {
            let inside = i.clamp(0, n - 1);
            let mirrored = (2 * inside - i) as usize;
            let end = track[inside as usize];
            if i == inside { end } else { end * track[mirrored].transpose() * end }
        };
        for frame in 0..n {
            let window: Vec<DMat3> = (frame - 25..=frame + 25).map(at).collect();
            let mean = DQuat::from_mat3(&matrix_mean(&window, 25));
            let off =
                ugoki_base::math::angle_between64(mean, done.clip.rotation(joint, frame as usize).as_dquat());
            if off.to_degrees() > worst.0 {
                worst = (off.to_degrees(), joint, frame);
            }
        }
    }
    println!("largest distance to the mean by matrices: {worst:?}");
    assert!(worst.0 < 0.01, "{worst:?}");
}

#[test]
fn despiking_the_defects_leaves_nothing_above_its_thresholds() {
    let Some(folder) = captures::folder(4) else { return };
    for (name, clip, _) in captures::all(&folder).iter().filter(|(name, ..)| name.contains("defects")) {
        let done = despiked(clip);
        println!("{name}: {} values in {} frames", done.report.values_changed, done.report.frames_changed);
        assert_eq!(despiked(&done.clip).report.values_changed, 0, "{name}");
        let motion = clip.motion_frames();
        assert!((0..motion.start).all(|frame| done.clip.pose(frame) == clip.pose(frame)), "{name}");
    }
}

#[test]
fn blends_of_captures_give_back_weight_one_and_slerp() {
    let Some(folder) = captures::folder(2) else { return };
    let a = captures::capture(&folder, "cmu/sport/64_01.bvh");
    let b = captures::capture(&folder, "cmu/sport/64_03.bvh");
    let same = |x: &Clip, y: &Clip, frame: usize| -> f32 {
        let start = x.motion_frames().start;
        (0..x.num_joints())
            .map(|j| angle_between(x.rotation(j, frame + start), y.rotation(j, frame)).to_degrees())
            .fold(0.0, f32::max)
    };
    for config in [BlendConfig::new(&[1.0, 0.0]), BlendConfig::plain(&[1.0, 0.0])] {
        let done = blend(&[&a, &b], &config, &mut quiet).unwrap();
        for frame in 0..done.clip.num_frames() {
            assert!(same(&a, &done.clip, frame) < 1e-4, "frame {frame}: {}", same(&a, &done.clip, frame));
        }
    }
    let half = blend(&[&a, &b], &BlendConfig::plain(&[0.5, 0.5]), &mut quiet).unwrap().clip;
    let both = |joint: usize, frame: usize| (a.rotation(joint, frame + 1), b.rotation(joint, frame + 1));
    // Where clips are over 120° apart the blend follows them in time instead.
    let near = |joint: &usize| {
        (0..half.num_frames()).map(|frame| both(*joint, frame)).all(|(p, q)| angle_between(p, q) < 2.09)
    };
    let joints: Vec<usize> = (0..a.num_joints()).filter(near).collect();
    assert!(joints.len() > 24, "{joints:?}");
    for frame in 0..half.num_frames() {
        for &joint in &joints {
            let (p, q) = both(joint, frame);
            let off = angle_between(ugoki_base::math::slerp(p, q, 0.5), half.rotation(joint, frame));
            assert!(off.to_degrees() < 2e-4, "{off}");
        }
    }
}

#[test]
fn table_of_methods() {
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: prints a table over all captures, a minute in release; set UGOKI_TABLES=1");
        return;
    }
    let Some(folder) = captures::folder(1) else { return };
    let all = captures::all(&folder);
    let methods = [
        ("expmap", Method::Expmap),
        ("qlerp", Method::Qlerp),
        ("leeshin", Method::Leeshin),
        ("qlerp-raw", Method::QlerpRaw),
        ("log-raw", Method::LogRaw),
    ];
    let exact: Vec<Option<Clip>> = all
        .iter()
        .map(|(_, clip, _)| {
            (clip.motion_frames().len() >= 51).then(|| smoothed(clip, "box:51", Method::Exact))
        })
        .collect();
    let used = exact.iter().flatten().count();
    println!("distance from exact, box:51, reflect, {used} captures of 51 frames or more");
    println!(
        "| method | 135_04: mean, largest deg | all: mean deg | trunk and limbs: largest deg | hands, fingers, feet: largest deg |"
    );
    println!("|---|---|---|---|---|");
    for (label, method) in methods {
        let mut karate = (0.0, 0.0_f64);
        let (mut sum, mut count) = (0.0, 0);
        let mut worst = [(0.0, String::new()), (0.0, String::new())];
        for ((name, clip, _), exact) in all.iter().zip(&exact) {
            let Some(exact) = exact else { continue };
            let other = smoothed(clip, "box:51", method);
            let (mut own_sum, mut own_count, mut own_worst) = (0.0, 0, 0.0_f64);
            for joint in 0..clip.num_joints() {
                let joint_name = &clip.skeleton().joint(joint).name;
                let worst = &mut worst[usize::from(is_end(joint_name))];
                for frame in clip.motion_frames() {
                    let off = angle_between(exact.rotation(joint, frame), other.rotation(joint, frame));
                    let off = f64::from(off.to_degrees());
                    own_sum += off;
                    own_count += 1;
                    own_worst = own_worst.max(off);
                    if off > worst.0 {
                        *worst = (off, format!("{name} {joint_name} frame {frame}"));
                    }
                }
            }
            sum += own_sum;
            count += own_count;
            if name.ends_with("135_04.bvh") {
                karate = (own_sum / f64::from(own_count), own_worst);
            }
        }
        let mean = sum / f64::from(count);
        println!(
            "| `{label}` | {:.4}, {:.2} | {mean:.4} | {:.1} ({}) | {:.1} ({}) |",
            karate.0, karate.1, worst[0].0, worst[0].1, worst[1].0, worst[1].1
        );
    }
}

fn despiked(clip: &Clip) -> Despiked {
    despike(clip, &DespikeConfig::default(), &mut quiet).unwrap()
}

/// Joints of hands, fingers and feet: where CMU's solver leaves glitches, and whose captures are never clean.
fn is_end(name: &str) -> bool {
    ["Hand", "Thumb", "Finger", "Foot", "Toe"].iter().any(|part| name.contains(part))
}

/// (joint, frame) of all mended rotations.
fn found(done: &Despiked) -> BTreeSet<(String, usize)> {
    done.report.joints.iter().flat_map(|j| j.frames.iter().map(|&f| (j.joint.clone(), f))).collect()
}

#[test]
fn table_of_glitches() {
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: prints a table over all captures, a minute in release; set UGOKI_TABLES=1");
        return;
    }
    let Some(folder) = captures::folder(2) else { return };
    let all = captures::all(&folder);
    for unseen in [false, true] {
        println!("\n{} captures", if unseen { "unseen" } else { "seen" });
        let clips: Vec<&(String, Clip, bool)> = all.iter().filter(|(.., u)| *u == unseen).collect();
        found_table(&clips);
        injected_table(&clips);
    }
}

/// Runs mended in all captures, and what each does to the largest change of step it has a part in: none may grow. Two thirds
/// of the captures, by a hash of their names, were looked at when `FALL` and `ABRUPT` were chosen.
#[test]
fn no_mended_run_of_any_capture_becomes_rougher() {
    let Some(folder) = captures::folder(2) else { return };
    let everything = std::env::var_os("UGOKI_TABLES").is_some();
    println!("| captures | mended runs | frames | rougher | largest share of its roughness left |");
    println!("|---|---|---|---|---|");
    let mut sums = [(0, 0, 0, 0, (0.0, String::new())), (0, 0, 0, 0, (0.0, String::new()))];
    for (name, clip, _) in &captures::all(&folder) {
        let kept_back = hash(name).is_multiple_of(3);
        // All take a minute in a debug build: a fifth of them does for a test.
        if !everything && hash(name) % 5 != 1 && !name.contains("16_27") && !name.contains("79_08") {
            continue;
        }
        let done = despiked(clip);
        let (files, runs, frames, rougher, worst) = &mut sums[usize::from(kept_back)];
        *files += 1;
        for mended in &done.report.joints {
            let joint =
                (0..clip.num_joints()).find(|&j| clip.skeleton().joint(j).name == mended.joint).unwrap();
            *frames += mended.frames.len();
            for run in runs_of(&mended.frames) {
                *runs += 1;
                let [before, after] = [clip, &done.clip].map(|clip| roughest(clip, joint, &run));
                *rougher += usize::from(after >= before);
                if after / before > worst.0 {
                    *worst =
                        (after / before, format!("{name} {} {}–{}", mended.joint, run.start, run.end - 1));
                }
            }
        }
    }
    for (label, (files, runs, frames, rougher, worst)) in ["seen", "kept back"].iter().zip(&sums) {
        println!("| {label} ({files}) | {runs} | {frames} | {rougher} | {:.2} ({}) |", worst.0, worst.1);
        assert_eq!(*rougher, 0, "{label}: {worst:?}");
    }
}

/// FNV-1a of a capture's name without folder and ending.
fn hash(name: &str) -> u64 {
    let stem = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".bvh");
    stem.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)) >> 32
}

/// The largest change of step, radians, that the frames of a run have a part in.
fn roughest(clip: &Clip, joint: usize, run: &std::ops::Range<usize>) -> f32 {
    let motion = clip.motion_frames();
    let step = |f: usize| log(clip.rotation(joint, f).conjugate() * clip.rotation(joint, f + 1));
    let frames = (run.start - 1).max(motion.start + 1)..(run.end + 1).min(motion.end - 1);
    frames.map(|f| (step(f) - step(f - 1)).length()).fold(0.0, f32::max)
}

/// Runs of consecutive frames.
fn runs_of(frames: &[usize]) -> Vec<std::ops::Range<usize>> {
    let mut list: Vec<std::ops::Range<usize>> = Vec::new();
    for &frame in frames {
        match list.last_mut() {
            Some(run) if run.end == frame => run.end = frame + 1,
            _ => list.push(frame..frame + 1),
        }
    }
    list
}

#[test]
fn known_strokes_and_known_glitches_of_captures() {
    let Some(folder) = captures::folder(3) else { return };
    let frames = |file: &str, joint: &str| {
        let done = despiked(&captures::capture(&folder, file));
        let list = done.report.joints.iter().find(|j| j.joint == joint).map(|j| j.frames.clone());
        list.unwrap_or_default()
    };
    // Two glitches with good frames between: once one bump.
    assert_eq!(frames("cmu/locomotion/16_27.bvh", "RightArm"), [29, 33, 34]);
    // Drumming arms: once bent.
    assert!(frames("cmu/sport/79_08.bvh", "RightForeArm").is_empty());
    assert!(frames("cmu/sport/79_08.bvh", "LeftForeArm").is_empty());
}

/// Steps of more than 15° from one frame to the next in hands, fingers, thumbs, feet and toes.
fn big_steps(clip: &Clip) -> usize {
    let motion = clip.motion_frames();
    let ends = (0..clip.num_joints()).filter(|&j| is_end(&clip.skeleton().joint(j).name));
    ends.map(|j| {
        let step =
            |f: &usize| angle_between(clip.rotation(j, f - 1), clip.rotation(j, *f)).to_degrees() > 15.0;
        (motion.start + 1..motion.end).filter(step).count()
    })
    .sum()
}

/// Frames out of line with both neighbours by more than 15° while those are nearer to each other than half of that: what
/// nobody can call motion.
fn big_spikes(clip: &Clip) -> Vec<(String, usize)> {
    let motion = clip.motion_frames();
    let mut list = Vec::new();
    for j in (0..clip.num_joints()).filter(|&j| is_end(&clip.skeleton().joint(j).name)) {
        for f in motion.start + 1..motion.end.saturating_sub(1) {
            let [a, b, c] = [f - 1, f, f + 1].map(|f| clip.rotation(j, f));
            let (out, back) = (angle_between(a, b).to_degrees(), angle_between(b, c).to_degrees());
            if out.min(back) > 15.0 && angle_between(a, c).to_degrees() < 0.5 * out.min(back) {
                list.push((clip.skeleton().joint(j).name.clone(), f));
            }
        }
    }
    list
}

fn found_table(clips: &[&(String, Clip, bool)]) {
    println!(
        "| captures | frames | ends: steps over 15° before | after | one-frame spikes over 15° before | after | ends: frames mended | trunk, hips, thighs, knees: frames mended | head, arms | root path | second run |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for group in ["defects", "gesture", "locomotion", "physics", "sport"] {
        let (mut files, mut frames) = (0, 0);
        let mut sums = [0; 9];
        for (name, clip, _) in clips.iter().filter(|(name, ..)| name.contains(group)) {
            let done = despiked(clip);
            files += 1;
            frames += clip.motion_frames().len();
            let spikes = big_spikes(&done.clip);
            for (joint, frame) in &spikes {
                println!("spike left: {name} {joint} {frame}");
            }
            let (mut ends, mut trunk, mut arms, mut root) = (0, 0, 0, 0);
            for joint in &done.report.joints {
                let is = |parts: &[&str]| parts.iter().any(|part| joint.joint.contains(part));
                *if is_end(&joint.joint) {
                    &mut ends
                } else if is(&["Arm", "Shoulder", "Neck", "Head"]) {
                    &mut arms
                } else {
                    &mut trunk
                } += joint.frames.len();
                root += joint.path_frames.len();
                if !is_end(&joint.joint) && std::env::var_os("UGOKI_LIST").is_some() {
                    println!("mended: {name} {} {:?} {:.1}°", joint.joint, joint.frames, joint.largest_deg);
                }
            }
            let again = despiked(&done.clip).report.values_changed;
            let row = [
                big_steps(clip),
                big_steps(&done.clip),
                big_spikes(clip).len(),
                spikes.len(),
                ends,
                trunk,
                arms,
                root,
                again,
            ];
            sums.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
        }
        let cells: Vec<String> = sums.iter().map(ToString::to_string).collect();
        println!("| {group} ({files}) | {frames} | {} |", cells.join(" | "));
    }
}

/// Clean motion is despiked capture through gauss:1.5, hands, fingers and feet held still; glitches of random height,
/// length and axis are put into it.
fn injected_table(clips: &[&(String, Clip, bool)]) {
    const BINS: usize = 6;
    println!(
        "| rate | clean: found of joint-frames | precision | recall 2–4° | 4–8° | 8–16° | 16–32° | 32–64° | 64–128° |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for divisor in [1_usize, 2, 4] {
        let mut random = Random::new(7);
        let (mut false_clean, mut joint_frames) = (0, 0);
        let (mut hits, mut wanted) = ([[0; 3]; BINS], [[0; 3]; BINS]);
        let (mut right, mut wrong) = (0, 0);
        for (name, clip, _) in clips.iter().filter(|(_, clip, _)| clip.motion_frames().len() >= 60) {
            let mut clean = smoothed(&despiked(clip).clip, "gauss:1.5", Method::Exact);
            for joint in 0..clean.num_joints() {
                if is_end(&clean.skeleton().joint(joint).name) {
                    (0..clean.num_frames())
                        .for_each(|frame| clean.set_rotation(joint, frame, Quat::IDENTITY));
                }
            }
            let times: Vec<f64> = clean.motion_frames().step_by(divisor).map(|f| f as f64).collect();
            let clean = clean.at_frames(&times, clip.fps() / divisor as f64);
            let plain = despiked(&clean);
            joint_frames += clean.num_frames() * clean.num_joints();
            false_clean += plain.report.values_changed;
            for joint in &plain.report.joints {
                println!("found in clean motion at {:.0} Hz: {name} {joint:?}", clean.fps());
            }
            let mut bad = clean.clone();
            let mut injected = Vec::new();
            for joint in 0..clean.num_joints() {
                let mut frame = 6 + random.index(60);
                while frame + 20 < clean.num_frames() {
                    let longest = [1, 3, 12 / divisor][random.index(3)].max(1);
                    let (length, bin) = (1 + random.index(longest), random.index(BINS));
                    let class = if length == 1 { 0 } else { 1 + usize::from(length > 3) };
                    let height = 2f64.powf(1.0 + bin as f64 + random.uniform()).to_radians() as f32;
                    let axis = Vec3::from_array(std::array::from_fn(|_| random.normal() as f32)).normalize();
                    for f in frame..frame + length {
                        let q = clean.rotation(joint, f) * exp(axis * height);
                        bad.set_rotation(joint, f, q.normalize());
                    }
                    injected.push((clean.skeleton().joint(joint).name.clone(), frame, length, bin, class));
                    frame += 60 + random.index(120);
                }
            }
            bad.align_signs();
            let mut marked = found(&despiked(&bad));
            for (joint, frame, length, bin, class) in injected {
                wanted[bin][class] += 1;
                let caught = (frame..frame + length).filter(|&f| marked.remove(&(joint.clone(), f))).count();
                right += caught;
                hits[bin][class] += usize::from(caught == length);
            }
            wrong += marked.difference(&found(&plain)).count();
        }
        let percent = |hits: [usize; 3], wanted: [usize; 3]| {
            (0..3)
                .map(|l| format!("{:.0}", 100.0 * hits[l] as f64 / wanted[l] as f64))
                .collect::<Vec<_>>()
                .join(" / ")
        };
        let recalls: Vec<String> = (0..BINS).map(|bin| percent(hits[bin], wanted[bin])).collect();
        let precision = 100.0 * right as f64 / (right + wrong) as f64;
        println!(
            "| {} Hz | {false_clean} of {joint_frames} | {precision:.2} % | {} |",
            120 / divisor,
            recalls.join(" | ")
        );
        assert!(precision > 99.0, "{precision}");
    }
}
