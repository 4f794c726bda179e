//! Blends of real captures: laws on a few, and the table of `docs/results/signal.md` over all pairs that make sense:
//!
//! ```text
//! UGOKI_TABLES=1 UGOKI_CAPTURES=… cargo test --release -p ugoki-motion --test it signal_blend_captures -- --nocapture
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, angle_between, quantile};
use ugoki_base::signal::{WeightCurve, WeightKey};
use ugoki_feet::contact::{ContactConfig, find_contacts, find_feet};
use ugoki_motion::blend::{BlendConfig, Blended, blend};
use ugoki_testing::bodies::quiet;
use ugoki_testing::captures;

/// Walks, turns and jogs of one person, all of which make sense with one another.
const GROUPS: [&[&str]; 5] = [
    &["16_11", "16_13", "16_15", "16_17", "16_19", "16_21", "16_27"],
    &["16_08", "16_33"],
    &["16_36", "16_55"],
    &["35_05", "35_10", "35_32", "35_34"],
    &["69_17", "69_24", "69_53", "69_59"],
];
/// Walk and jog of one person.
const MIXED: [[&str; 2]; 3] = [["16_15", "16_36"], ["16_21", "16_36"], ["35_05", "35_25"]];
/// Pairs that were looked at while blending was built.
const KNOWN: [[&str; 2]; 8] = [
    ["16_17", "16_19"],
    ["16_15", "16_17"],
    ["16_15", "16_27"],
    ["35_05", "35_32"],
    ["16_15", "16_21"],
    ["35_10", "35_34"],
    ["16_11", "16_13"],
    ["69_17", "69_24"],
];

/// All pairs; a third of those not known before is drawn as unseen.
fn pairs() -> Vec<([&'static str; 2], bool)> {
    let mut list = Vec::new();
    for group in GROUPS {
        for (i, a) in group.iter().enumerate() {
            list.extend(group[i + 1..].iter().map(|b| [*a, *b]));
        }
    }
    list.extend(MIXED);
    let mut random = Random::new(2026);
    list.into_iter().map(|pair| (pair, !KNOWN.contains(&pair) && random.uniform() < 1.0 / 2.2)).collect()
}

fn load(folder: &Path, name: &str) -> Clip {
    captures::capture(folder, &format!("cmu/locomotion/{name}.bvh"))
}

fn mixed(clips: &[&Clip], weights: &[f64]) -> Blended {
    blend(clips, &BlendConfig::new(weights), &mut quiet).unwrap()
}

/// Largest angle of a joint in degrees and distance of a root in metres, frame by frame; `a` may begin with a T-pose.
fn apart(a: &Clip, b: &Clip) -> (f32, f32) {
    let start = a.motion_frames().start;
    assert_eq!(a.motion_frames().len(), b.num_frames(), "frames");
    let (mut angle, mut distance) = (0.0_f32, 0.0_f32);
    for frame in 0..b.num_frames() {
        distance = distance.max(a.root().get(frame + start).distance(b.root().get(frame)));
        for joint in 0..a.num_joints() {
            let off = angle_between(a.rotation(joint, frame + start), b.rotation(joint, frame));
            angle = angle.max(off.to_degrees());
        }
    }
    (angle, distance)
}

#[test]
fn a_clip_blended_with_itself_is_that_clip() {
    let Some(folder) = captures::folder(4) else { return };
    for name in ["16_17", "35_05", "69_17", "02_01"] {
        let clip = load(&folder, name);
        let (angle, distance) = apart(&clip, &mixed(&[&clip, &clip], &[0.5, 0.5]).clip);
        println!("{name} with itself: {angle}°, {distance} m");
        // f32 positions metres from the origin, through a two-bone solve where anything is left to solve.
        assert!(angle < 1e-3 && distance < 1e-5, "{name}: {angle}° {distance} m");
    }
}

#[test]
fn all_the_weight_on_one_clip_gives_the_whole_of_it() {
    let Some(folder) = captures::folder(6) else { return };
    for [a, b] in [["16_17", "16_19"], ["35_05", "35_32"], ["16_15", "16_27"]] {
        let (a, b) = (load(&folder, a), load(&folder, b));
        for (clip, weights) in [(&a, [1.0, 0.0]), (&b, [0.0, 1.0])] {
            let (angle, distance) = apart(clip, &mixed(&[&a, &b], &weights).clip);
            assert!(angle < 1e-4 && distance < 1e-5, "{}: {angle}° {distance} m", clip.name);
        }
    }
}

/// Positions of all joints at shares of the blend's length.
fn places(clip: &Clip) -> Vec<Vec3> {
    let last = (clip.num_frames() - 1) as f64;
    let times: Vec<f64> = (0..60).map(|i| f64::from(i) / 59.0 * last).collect();
    let sampled = clip.at_frames(&times, clip.fps());
    sampled.model_poses().into_iter().flat_map(|pose| pose.positions).collect()
}

#[test]
fn a_little_more_weight_changes_a_little() {
    let Some(folder) = captures::folder(2) else { return };
    for [a, b] in [["16_17", "16_19"], ["35_05", "35_32"]] {
        let (a, b) = (load(&folder, a), load(&folder, b));
        // The places where a clip gains or loses its say, and where the other becomes the heavier one.
        for w in [0.0, 0.02, 0.05, 0.1, 0.3, 0.5, 0.9, 0.98] {
            // Beside weight 1 its captured feet come back within a thousandth of the weight.
            let steps = if w == 0.0 { [1e-3, 1e-5] } else { [1e-2, 1e-3] };
            let far = |step: f64| -> f32 {
                let (p, q) = (mixed(&[&a, &b], &[1.0 - w, w]), mixed(&[&a, &b], &[1.0 - w - step, w + step]));
                let (p, q) = (places(&p.clip), places(&q.clip));
                p.iter().zip(&q).map(|(p, q)| p.distance(*q)).fold(0.0, f32::max)
            };
            let (coarse, fine) = (far(steps[0]), far(steps[1]));
            println!(
                "{} + {} at {w}: {:.1} mm for {}, {:.2} mm for {}",
                a.name,
                b.name,
                1e3 * coarse,
                steps[0],
                1e3 * fine,
                steps[1]
            );
            // A jump would stay as large; what is continuous shrinks with the step.
            assert!(
                fine < 0.4 * coarse + 1e-3 && fine < 0.06,
                "{} + {} at {w}: {coarse} {fine}",
                a.name,
                b.name
            );
        }
    }
}

#[test]
fn planted_feet_stay_on_turns_and_walks() {
    let Some(folder) = captures::folder(KNOWN.len()) else { return };
    for [a, b] in KNOWN {
        let (a, b) = (load(&folder, a), load(&folder, b));
        let done = mixed(&[&a, &b], &[0.5, 0.5]);
        assert!(!done.report.contacts.is_empty());
        for contact in &done.report.contacts {
            assert!(contact.held && contact.slide_after_m <= 5e-3, "{} + {}: {contact:?}", a.name, b.name);
        }
        let row = Row::of(&a, &b, &done);
        assert!(row.lower_mm < 1.0, "{} + {}: {} mm lower", a.name, b.name, row.lower_mm);
    }
}

/// What the table says of one pair.
struct Row {
    contacts: usize,
    before_mm: f32,
    after_mm: f32,
    failed: Vec<String>,
    /// How much lower a heel or toe comes than in either clip, mm; negative when it stays higher.
    lower_mm: f32,
    depth_mm: [f64; 2],
    hips_mm: f64,
    /// Largest acceleration of a joint as a multiple of the sources' 99th percentile of that joint: the blend's, the sources' own.
    acceleration: [f64; 2],
    joint: String,
}

impl Row {
    fn of(a: &Clip, b: &Clip, done: &Blended) -> Self {
        let contacts = &done.report.contacts;
        let worst = |list: &mut dyn Iterator<Item = f32>| list.fold(0.0, f32::max) * 1e3;
        let used = |clip: &Clip, k: usize| {
            let [head, tail] = done.report.clips[k].left_out_s.map(|s| (s * clip.fps()).floor() as usize);
            let motion = clip.motion_frames();
            clip.trimmed(motion.start + head..motion.end - tail).unwrap()
        };
        let sources = [used(a, 0), used(b, 1)];
        let heights = |clip: &Clip| -> Vec<f32> {
            let feet = find_feet(clip.skeleton()).unwrap();
            let mut low = vec![f32::INFINITY; 4];
            for pose in clip.model_poses() {
                for (side, foot) in feet.feet.iter().enumerate() {
                    low[2 * side] = low[2 * side].min(pose.positions[foot.ankle].y);
                    low[2 * side + 1] = low[2 * side + 1].min(foot.toe.position(&pose).y);
                }
            }
            low
        };
        let (low_a, low_b, low) = (heights(&sources[0]), heights(&sources[1]), heights(&done.clip));
        let lower = (0..4).map(|i| low_a[i].min(low_b[i]) - low[i]).fold(f32::NEG_INFINITY, f32::max);
        let floors = [a, b].map(|clip| find_contacts(clip, &ContactConfig::default()).unwrap().floor.height);
        let under = |floor: f64, low: &[f32]| 1e3 * (floor - f64::from(low[1].min(low[3]))).max(0.0);
        let source_depth = under(floors[0], &low_a).max(under(floors[1], &low_b));
        let depth = under(0.5 * (floors[0] + floors[1]), &low);
        let usual: Vec<f64> = (0..a.num_joints())
            .map(|joint| {
                let mut all = accelerations(&sources[0], joint);
                all.extend(accelerations(&sources[1], joint));
                quantile(&all, 0.99).unwrap()
            })
            .collect();
        let most = |clip: &Clip| {
            (0..clip.num_joints())
                .map(|j| (accelerations(clip, j).into_iter().fold(0.0, f64::max) / usual[j], j))
                .fold((0.0, 0), |x: (f64, usize), y| if y.0 > x.0 { y } else { x })
        };
        let (own, joint) = most(&done.clip);
        let theirs = most(&sources[0]).0.max(most(&sources[1]).0);
        Self {
            contacts: contacts.len(),
            before_mm: worst(&mut contacts.iter().map(|c| c.slide_before_m)),
            after_mm: worst(&mut contacts.iter().map(|c| c.slide_after_m)),
            failed: contacts
                .iter()
                .filter(|c| !c.held)
                .map(|c| format!("{} {}–{}: {:.1} mm", c.joint, c.start, c.end, 1e3 * c.slide_after_m))
                .collect(),
            lower_mm: 1e3 * lower,
            depth_mm: [source_depth, depth],
            hips_mm: 1e3 * done.report.hips_correction_m,
            acceleration: [own, theirs],
            joint: done.clip.skeleton().joint(joint).name.clone(),
        }
    }
}

/// Acceleration of a joint's place in the world in every frame, m/s².
fn accelerations(clip: &Clip, joint: usize) -> Vec<f64> {
    let path = clip.joint_path(joint);
    let square = clip.fps() * clip.fps();
    path.windows(3).map(|p| f64::from((p[0] - 2.0 * p[1] + p[2]).length()) * square).collect()
}

/// How much higher the lower fifth of each heel and toe is than the weighted mean of its clips', mm: the median of the four.
fn rise_mm(a: &Clip, b: &Clip, done: &Blended, weight: f64) -> f64 {
    let low = |clip: &Clip| -> Vec<f64> {
        let feet = find_feet(clip.skeleton()).unwrap();
        let mut heights = vec![Vec::new(); 4];
        for frame in clip.motion_frames() {
            let pose = clip.model_pose(frame);
            for (side, foot) in feet.feet.iter().enumerate() {
                heights[2 * side].push(f64::from(pose.positions[foot.ankle].y));
                heights[2 * side + 1].push(f64::from(foot.toe.position(&pose).y));
            }
        }
        heights.iter().map(|list| quantile(list, 0.2).unwrap()).collect()
    };
    let (a, b, c) = (low(a), low(b), low(&done.clip));
    let rises: Vec<f64> = (0..4).map(|i| 1e3 * (c[i] - (1.0 - weight) * a[i] - weight * b[i])).collect();
    quantile(&rises, 0.5).unwrap()
}

/// Gestures and strokes of one person each, by folder, and sample motions.
const OTHERS: [[&str; 2]; 10] = [
    ["gesture/05_02", "gesture/05_03"],
    ["gesture/49_13", "gesture/49_14"],
    ["gesture/79_17", "gesture/79_18"],
    ["gesture/93_03", "gesture/93_05"],
    ["sport/64_01", "sport/64_03"],
    ["sample/walk", "sample/run"],
    ["sample/walk", "sample/walk-fast"],
    ["sample/turn-left", "sample/turn-right"],
    ["sample/reach-up", "sample/reach-back-down"],
    ["sample/idle", "sample/bow"],
];

/// A capture by folder and name, a sample motion, or a walk by its name alone.
fn any_motion(folder: &Path, name: &str) -> Clip {
    match name.split_once('/') {
        Some(("sample", name)) => {
            ugoki_sample::clip(name).unwrap_or_else(|| panic!("no sample motion {name}"))
        }
        Some(_) => captures::capture(folder, &format!("cmu/{name}.bvh")),
        None => load(folder, name),
    }
}

/// Weights at which feet must stand as firmly as half and half.
const WEIGHTS: [f64; 7] = [0.05, 0.25, 0.5, 0.75, 0.9, 0.97, 0.995];

#[test]
fn planted_feet_stay_at_any_weight() {
    let Some(folder) = captures::folder(WEIGHTS.len() * 2) else { return };
    for [a, b] in [["35_05", "35_32"], ["16_13", "16_19"]] {
        let (a, b) = (load(&folder, a), load(&folder, b));
        for w in WEIGHTS {
            let done = mixed(&[&a, &b], &[1.0 - w, w]);
            for contact in &done.report.contacts {
                assert!(contact.held, "{} + {} at {w}: {contact:?}", a.name, b.name);
            }
            // Walks on one floor: the feet stand as high as the clips', not 3 to 5 mm above.
            let rise = rise_mm(&a, &b, &done, w);
            assert!(rise.abs() < 2.5, "{} + {} at {w}: {rise} mm", a.name, b.name);
        }
    }
}

#[test]
fn table_of_weights() {
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: prints a table over all pairs and weights; set UGOKI_TABLES=1");
        return;
    }
    let Some(folder) = captures::folder(1) else { return };
    let mut clips: BTreeMap<&str, Clip> = BTreeMap::new();
    println!(
        "| weight | contacts | slide before mm | after mm | farthest higher than the clips mm | slides |"
    );
    println!("|---|---|---|---|---|---|");
    let key = |time_s, weight| WeightKey { time_s, weight };
    let curve = |keys| WeightCurve::through(keys).unwrap();
    let over = [
        ("0 to 1 in 1.5 s", vec![key(0.3, 0.0), key(1.8, 1.0)]),
        ("1 to 0.02 and back", vec![key(0.2, 1.0), key(1.0, 0.02), key(1.8, 1.0)]),
    ];
    let constant = WEIGHTS.map(|w| (format!("{w}"), WeightCurve::constant(w)));
    let changing = over.map(|(name, keys)| (name.to_owned(), curve(keys)));
    for (label, weights) in constant.into_iter().chain(changing) {
        let (mut count, mut before, mut after, mut slides) = (0, 0.0_f32, 0.0_f32, Vec::new());
        let mut worst = String::new();
        for [a, b] in pairs().into_iter().map(|(pair, _)| pair).chain(OTHERS) {
            for name in [a, b] {
                clips.entry(name).or_insert_with(|| any_motion(&folder, name));
            }
            let other: Vec<WeightKey> =
                weights.keys().iter().map(|k| key(k.time_s, 1.0 - k.weight)).collect();
            let config =
                BlendConfig { weights: vec![curve(other), weights.clone()], ..BlendConfig::new(&[]) };
            let done = blend(&[&clips[a], &clips[b]], &config, &mut quiet).unwrap();
            for contact in &done.report.contacts {
                count += 1;
                before = before.max(contact.slide_before_m);
                if contact.slide_after_m > after {
                    after = contact.slide_after_m;
                    worst = format!("{a} + {b} {} {}–{}", contact.joint, contact.start, contact.end);
                }
                if !contact.held {
                    slides.push(format!("{a} + {b} {} {:?}", contact.joint, contact.reason));
                }
            }
        }
        println!(
            "| {label} | {count} | {:.1} | {:.1} ({worst}) | {} {} |",
            1e3 * before,
            1e3 * after,
            slides.len(),
            slides.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
        );
    }
}

#[test]
fn table_of_blends() {
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: prints a table over all pairs; set UGOKI_TABLES=1");
        return;
    }
    let Some(folder) = captures::folder(1) else { return };
    let show_unseen = std::env::var_os("UGOKI_UNSEEN").is_some();
    let mut clips: BTreeMap<&str, Clip> = BTreeMap::new();
    for unseen in [false, true] {
        if unseen && !show_unseen {
            println!("unseen pairs are kept back; set UGOKI_UNSEEN=1 to print them");
            return;
        }
        println!("\n{} pairs", if unseen { "unseen" } else { "seen" });
        println!(
            "| clips | frames | left out s | fit m | contacts | slide before mm | after mm | under the floor mm: sources, blend | lower than both mm | hips mm | acceleration: blend, sources | far apart |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
        for ([a, b], _) in pairs().into_iter().filter(|(_, u)| *u == unseen) {
            for name in [a, b] {
                clips.entry(name).or_insert_with(|| load(&folder, name));
            }
            let done = mixed(&[&clips[a], &clips[b]], &[0.5, 0.5]);
            let row = Row::of(&clips[a], &clips[b], &done);
            let report = &done.report;
            let left: Vec<String> = report
                .clips
                .iter()
                .map(|c| format!("{:.2} {:.2}", c.left_out_s[0], c.left_out_s[1]))
                .collect();
            println!(
                "| {a} + {b} | {} | {} | {:.3} | {} | {:.1} | {:.1} | {:.1}, {:.1} | {:.1} | {:.0} | {:.1} {}, {:.1} | {} |",
                report.frames,
                left.join(" / "),
                report.clips[1].aligned.unwrap().distance_m,
                row.contacts,
                row.before_mm,
                row.after_mm,
                row.depth_mm[0],
                row.depth_mm[1],
                row.lower_mm,
                row.hips_mm,
                row.acceleration[0],
                row.joint,
                row.acceleration[1],
                report.far_apart.iter().map(|joint| joint.frames).sum::<usize>(),
            );
            for failed in &row.failed {
                println!("  fails: {failed}");
            }
        }
    }
}
