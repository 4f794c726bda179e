//! Aligning and blending any two motions: laws over pairs of the built-in sample motions, and the tables of
//! `docs/results/signal.md` over all of them and over walks and runs:
//!
//! ```text
//! UGOKI_TABLES=1 UGOKI_CAPTURES=… cargo test --release -p ugoki-motion --test it signal_pairs -- --nocapture --test-threads 1
//! ```

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::quantile;
use ugoki_base::skeleton::Role;
use ugoki_feet::contact::find_feet;
use ugoki_motion::blend::{AlignKind, Alignment, BlendConfig, Blended, align, blend};
use ugoki_sample as sample;
use ugoki_testing::bodies::quiet;
use ugoki_testing::captures;

fn half(a: &Clip, b: &Clip) -> Blended {
    blend(&[a, b], &BlendConfig::new(&[0.5, 0.5]), &mut quiet).unwrap()
}

/// All pairs of sample motions, each once.
fn sample_pairs() -> Vec<[Clip; 2]> {
    let clips = sample::clips();
    let mut pairs = Vec::new();
    for (i, a) in clips.iter().enumerate() {
        pairs.extend(clips[i + 1..].iter().map(|b| [a.clone(), b.clone()]));
    }
    pairs
}

/// Largest speed and acceleration of the hips, m/s and m/s²; over a tenth of a second each way, so that the noise of a
/// capture does not count.
fn hips(clip: &Clip) -> [f64; 2] {
    let joint = clip.skeleton().find(Role::Hips).unwrap();
    let motion = clip.motion_frames();
    let path: Vec<Vec3> = clip.joint_path(joint)[motion].to_vec();
    let reach = ((0.05 * clip.fps()).round() as usize).max(1);
    let seconds = reach as f64 / clip.fps();
    let mut most = [0.0_f64; 2];
    for w in path.windows(2 * reach + 1) {
        let (a, b, c) = (w[0], w[reach], w[2 * reach]);
        most[0] = most[0].max(f64::from((c - a).length()) / (2.0 * seconds));
        most[1] = most[1].max(f64::from((a - 2.0 * b + c).length()) / (seconds * seconds));
    }
    most
}

/// Turning points of the way one foot is ahead of the other, metres; those of less than 10 cm are not counted.
fn strides(clip: &Clip) -> Vec<f64> {
    let feet = find_feet(clip.skeleton()).unwrap().feet;
    let ahead: Vec<f64> = clip
        .motion_frames()
        .map(|frame| {
            let p = clip.model_pose(frame).positions;
            let across = p[feet[0].upper] - p[feet[1].upper];
            let forward = across.cross(Vec3::Y).normalize_or_zero();
            f64::from((p[feet[0].ankle] - p[feet[1].ankle]).dot(forward))
        })
        .collect();
    let mut points = vec![ahead[0]];
    let (mut low, mut high) = (ahead[0], ahead[0]);
    let mut rising = None;
    for &x in &ahead {
        match rising {
            Some(true) if x < high - 0.1 => {
                points.push(high);
                (rising, low) = (Some(false), x);
            }
            Some(false) if x > low + 0.1 => {
                points.push(low);
                (rising, high) = (Some(true), x);
            }
            None if x > low + 0.1 => (rising, high) = (Some(true), x),
            None if x < high - 0.1 => (rising, low) = (Some(false), x),
            _ => {}
        }
        (low, high) = (low.min(x), high.max(x));
    }
    points.push(ahead[ahead.len() - 1]);
    points
}

/// Steps, but for the first and last, that are less than half as long as the median one: begun and taken back.
fn half_steps(clip: &Clip) -> usize {
    let points = strides(clip);
    let steps: Vec<f64> = points.windows(2).map(|p| (p[1] - p[0]).abs()).collect();
    if steps.len() < 4 {
        return 0;
    }
    let inner = &steps[1..steps.len() - 1];
    let usual = quantile(inner, 0.5).unwrap();
    inner.iter().filter(|step| **step < 0.5 * usual).count()
}

/// Where a time of the second clip lies in the first, motion frames, by an alignment of (second, first).
fn looked_up(back: &Alignment, time: f64) -> Option<f64> {
    let at = time - back.frames.start as f64;
    let low = at.floor();
    if low < 0.0 || low as usize + 1 >= back.times.len() {
        return None;
    }
    let pair = &back.times[low as usize..];
    Some(pair[0] + (at - low) * (pair[1] - pair[0]))
}

#[test]
fn exchanged_clips_align_inversely_and_no_warp_is_used_without_gain() {
    for [a, b] in sample_pairs() {
        let (forth, back) = (align(&a, &b, &mut quiet).unwrap(), align(&b, &a, &mut quiet).unwrap());
        let names = format!("{} + {}", a.name, b.name);
        for (frame, &time) in forth.frames.clone().zip(&forth.times) {
            if let Some(again) = looked_up(&back, time) {
                // The curve bends a little between two frames.
                assert!((again - frame as f64).abs() < 0.05, "{names}: {frame} → {time} → {again}");
            }
        }
        let ends = [(&forth, &back), (&back, &forth)].map(|(one, other)| {
            let [first, last] = [other.times[0], other.times[other.times.len() - 1]];
            (one.frames.start as f64 - first).abs().max((one.frames.end as f64 - 1.0 - last).abs())
        });
        assert!(ends.iter().all(|off| *off < 1.0 + 1e-6), "{names}: {ends:?}");
        let (one, other) = (forth.report, back.report);
        assert_eq!((one.kind, one.distance_m), (other.kind, other.distance_m), "{names}");
        match one.kind {
            AlignKind::Warped => {
                assert!(one.distance_m < 0.9 * one.uniform_distance_m, "{names}: {one:?}");
                assert!(one.slowest >= 0.49 && one.fastest <= 2.04, "{names}: {one:?}");
            }
            AlignKind::Uniform => assert!(one.fastest - one.slowest < 1e-6, "{names}: {one:?}"),
            AlignKind::Unwarped => {
                // An even stretch may fit a little better; it also bends time, which counts.
                assert!(0.85 * one.distance_m <= one.uniform_distance_m, "{names}: {one:?}");
                assert!((one.fastest - 1.0).abs() < 1e-9 && (one.slowest - 1.0).abs() < 1e-9);
            }
        }
    }
}

/// What the table says of one pair.
struct Row {
    names: [String; 2],
    speed: [f64; 2],
    acceleration: [f64; 2],
    hips_mm: f64,
    longer: f64,
    half_steps: [usize; 2],
    slide_mm: f32,
    kind: AlignKind,
    fit: [f32; 2],
    frames: usize,
}

impl Row {
    fn of(a: &Clip, b: &Clip) -> Self {
        let (done, back) = (half(a, b), half(b, a));
        let aligned = done.report.clips[1].aligned.unwrap();
        let most = |of: [[f64; 2]; 2], k: usize| of[0][k].max(of[1][k]);
        let (own, theirs) = (hips(&done.clip), [hips(a), hips(b)]);
        let [n, m] = [done.clip.num_frames(), back.clip.num_frames()];
        Self {
            names: [a, b].map(|clip| clip.name.clone()),
            speed: [own[0], most(theirs, 0)],
            acceleration: [own[1], most(theirs, 1)],
            hips_mm: 1e3 * done.report.hips_correction_m,
            longer: n.abs_diff(m) as f64 / n.max(m) as f64,
            half_steps: [half_steps(&done.clip), half_steps(a).max(half_steps(b))],
            slide_mm: 1e3 * done.report.contacts.iter().map(|c| c.slide_after_m).fold(0.0, f32::max),
            kind: aligned.kind,
            fit: [aligned.distance_m, aligned.uniform_distance_m],
            frames: n,
        }
    }

    fn print(&self) {
        println!(
            "| {} + {} | {} | {:?} | {:.3}, {:.3} | {:.2}, {:.2} | {:.1}, {:.1} | {:.0} | {:.1} % | {}, {} | {:.1} |",
            self.names[0],
            self.names[1],
            self.frames,
            self.kind,
            self.fit[0],
            self.fit[1],
            self.speed[0],
            self.speed[1],
            self.acceleration[0],
            self.acceleration[1],
            self.hips_mm,
            100.0 * self.longer,
            self.half_steps[0],
            self.half_steps[1],
            self.slide_mm,
        );
    }
}

#[test]
fn lifted_legs_do_not_throw_the_hips_about() {
    let motion = |name: &str| sample::clip(name).unwrap();
    for [a, b] in [
        ["front-kick", "point-at-you"],
        ["front-kick", "idle"],
        ["punch", "front-kick"],
        ["front-kick", "side-kick"],
        ["front-kick", "walk"],
    ] {
        let (a, b) = (motion(a), motion(b));
        let row = Row::of(&a, &b);
        let names = &row.names;
        // A standing foot may ask for a little of its own, but no more than the motions themselves have.
        assert!(row.speed[0] < 1.2 * row.speed[1] + 0.1, "{names:?}: {:?} m/s", row.speed);
        assert!(row.acceleration[0] < 1.2 * row.acceleration[1] + 2.0, "{names:?}: {:?}", row.acceleration);
        assert!(row.hips_mm < 100.0, "{names:?}: {} mm", row.hips_mm);
    }
}

#[test]
fn gestures_begin_and_end_at_rest_in_either_order() {
    let lean = |clip: &Clip, frame: usize| {
        let pose = clip.model_pose(frame);
        let find = |role| pose.positions[clip.skeleton().find(role).unwrap()];
        (find(Role::Neck) - find(Role::Hips)).angle_between(Vec3::Y).to_degrees()
    };
    let (nod, bow) = (sample::clip("nod").unwrap(), sample::clip("bow").unwrap());
    for (a, b) in [(&nod, &bow), (&bow, &nod)] {
        let done = half(a, b).clip;
        let ends = [0, done.num_frames() - 1].map(|frame| lean(&done, frame));
        let most = (0..done.num_frames()).map(|frame| lean(&done, frame)).fold(0.0, f32::max);
        assert!(ends.iter().all(|lean| *lean < 6.0) && most > 15.0, "{} first: {ends:?} {most}", a.name);
    }
}

#[test]
fn walks_and_runs_are_paired_stride_by_stride() {
    let Some(folder) = captures::folder(8) else { return };
    let load = |name: &str| captures::capture(&folder, &format!("cmu/locomotion/{name}.bvh"));
    for walk in ["16_15", "16_21"] {
        for jog in ["16_36", "16_55"] {
            let (walk, jog) = (load(walk), load(jog));
            for (a, b) in [(&walk, &jog), (&jog, &walk)] {
                let done = half(a, b);
                let points = strides(&done.clip);
                assert_eq!(half_steps(&done.clip), 0, "{} + {}: {points:.2?}", a.name, b.name);
            }
        }
    }
}

fn table(rows: &[Row]) {
    println!(
        "| clips | frames | kind | fit m: used, uniform | hips m/s: blend, sources | hips m/s² | hips shifted mm | length when exchanged | half steps: blend, sources | slide mm |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    rows.iter().for_each(Row::print);
    let over = |of: fn(&Row) -> [f64; 2]| rows.iter().filter(|r| of(r)[0] > 1.2 * of(r)[1] + 0.1).count();
    let worst = |of: fn(&Row) -> f64| {
        let row = rows.iter().max_by(|p, q| of(p).total_cmp(&of(q))).unwrap();
        format!("{:.2} ({} + {})", of(row), row.names[0], row.names[1])
    };
    println!("{} pairs", rows.len());
    for kind in [AlignKind::Unwarped, AlignKind::Uniform, AlignKind::Warped] {
        println!("  {kind:?}: {}", rows.iter().filter(|row| row.kind == kind).count());
    }
    println!("  hips faster than 1.2 times the sources + 0.1 m/s: {}", over(|r| r.speed));
    println!("  most above the sources, m/s: {}", worst(|r| r.speed[0] - r.speed[1]));
    println!(
        "  hips acceleration most above the sources, m/s²: {}",
        worst(|r| r.acceleration[0] - r.acceleration[1])
    );
    println!("  hips shifted over 100 mm: {}", rows.iter().filter(|r| r.hips_mm > 100.0).count());
    println!("  farthest, mm: {}", worst(|r| r.hips_mm));
    println!(
        "  length differs by over 1 % when exchanged: {}",
        rows.iter().filter(|r| r.longer > 0.01).count()
    );
    println!(
        "  warped though uniform fits as well: {}",
        rows.iter().filter(|r| r.kind == AlignKind::Warped && r.fit[0] >= r.fit[1]).count()
    );
    println!(
        "  more half steps than the sources: {}",
        rows.iter().filter(|r| r.half_steps[0] > r.half_steps[1]).count()
    );
    println!("  worst slide, mm: {}", worst(|r| f64::from(r.slide_mm)));
}

#[test]
fn table_of_sample_pairs() {
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: prints a table over all sample pairs; set UGOKI_TABLES=1");
        return;
    }
    let rows: Vec<Row> = sample_pairs().iter().map(|[a, b]| Row::of(a, b)).collect();
    table(&rows);
}

#[test]
fn table_of_walks_and_runs() {
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: prints a table of walks and runs; set UGOKI_TABLES=1");
        return;
    }
    let Some(folder) = captures::folder(1) else { return };
    let load = |name: &str| {
        let mut clip = captures::capture(&folder, &format!("cmu/locomotion/{name}.bvh"));
        clip.name = name.to_owned();
        clip
    };
    let mut rows = Vec::new();
    for walk in ["16_11", "16_13", "16_15", "16_17", "16_19", "16_21", "16_27"].map(load) {
        for jog in ["16_36", "16_55"].map(load) {
            rows.push(Row::of(&walk, &jog));
            rows.push(Row::of(&jog, &walk));
        }
    }
    for [walk, jog] in [["35_05", "35_25"], ["35_25", "35_05"]] {
        rows.push(Row::of(&load(walk), &load(jog)));
    }
    table(&rows);
}
