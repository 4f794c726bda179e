//! How much cuts depend on rate, bones and noise, and how fast what is called a rest moves.
//!
//! `cargo run --profile smoke -p ugoki-perform --example segment_stability -- [turn=RATIO] [method=paper] [labels=FILE] FILE.bvh …`
//!
//! A file of labels has a take's name and a cut in seconds per line, separated by a tab; other columns do not matter.

use std::path::Path;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_base::no_progress;
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_formats::{ReadOptions, read};
use ugoki_motion::segment::{SegmentConfig, SegmentMethod, segment};

/// Cuts this near to each other are the same, seconds.
const SAME_S: f64 = 0.1;
/// Nothing that rests moves faster for longer: metres per second and seconds.
const RESTLESS: (f32, f64) = (0.3, 0.1);

/// Cuts, and rests from and to, seconds.
fn cuts(clip: &Clip, config: &SegmentConfig) -> (Vec<f64>, Vec<[f64; 2]>) {
    let found = segment(clip, config, &mut no_progress()).expect("a body");
    let first = clip.motion_frames().start as f64 / clip.fps();
    let pieces = found.timed_pieces(clip.fps());
    let rests = pieces.iter().filter(|p| p.group.is_none()).map(|p| [p.start_s - first, p.end_s - first]);
    (pieces.iter().skip(1).map(|p| p.start_s - first).collect(), rests.collect())
}

/// Cuts in common, each matched at most once with the nearest.
fn common(a: &[f64], b: &[f64]) -> usize {
    let mut free = b.to_vec();
    let mut count = 0;
    for cut in a {
        let nearest =
            (0..free.len()).min_by(|&i, &j| (free[i] - cut).abs().total_cmp(&(free[j] - cut).abs()));
        if let Some(at) = nearest.filter(|&at| (free[at] - cut).abs() <= SAME_S + 1e-9) {
            free.swap_remove(at);
            count += 1;
        }
    }
    count
}

fn with_bones(clip: &Clip, factor: &dyn Fn(Role) -> f32) -> Clip {
    let joints = clip.skeleton().joints().iter().map(|joint| {
        let mut joint = joint.clone();
        joint.offset *= joint.role.map_or(1.0, factor);
        joint
    });
    let skeleton = Skeleton::build(joints.collect()).expect("a body");
    let mut out =
        Clip::from_tracks(skeleton, clip.fps(), clip.root().clone(), clip.rotations().clone(), Vec::new())
            .expect("a clip");
    out.tpose_frame = clip.tpose_frame;
    out
}

fn shaken(clip: &Clip, rad: f64) -> Clip {
    let (mut random, mut out) = (Random::new(7), clip.clone());
    out.set_source(None);
    for frame in 0..clip.num_frames() {
        for joint in 0..clip.num_joints() {
            let turn = Vec3::from_array(std::array::from_fn(|_| (rad * random.normal()) as f32));
            out.set_rotation(
                joint,
                frame,
                (clip.rotation(joint, frame) * Quat::from_scaled_axis(turn)).normalize(),
            );
        }
    }
    out
}

/// Seconds of rests in which a joint is faster than a rest may be, for longer than it may.
fn restless(clip: &Clip, rests: &[[f64; 2]]) -> f64 {
    let frames = clip.motion_frames();
    let fps = clip.fps();
    let poses: Vec<_> = frames.clone().map(|frame| clip.model_pose(frame)).collect();
    // Over 33 ms, so that noise of the sensors is no movement.
    let back = ((fps / 30.0).round() as usize).max(1);
    let mut seconds = 0.0;
    for rest in rests {
        let range =
            (rest[0] * fps).round() as usize + back..((rest[1] * fps).round() as usize).min(poses.len());
        for joint in 0..clip.num_joints() {
            if clip.skeleton().joint(joint).role.is_none() {
                continue;
            }
            let mut run = 0;
            for frame in range.clone() {
                let way = poses[frame].positions[joint].distance(poses[frame - back].positions[joint]);
                run = if way * (fps as f32) / back as f32 > RESTLESS.0 { run + 1 } else { 0 };
                if f64::from(run) / fps > RESTLESS.1 {
                    seconds += 1.0 / fps;
                }
            }
        }
    }
    seconds
}

fn main() {
    let mut config = SegmentConfig::default();
    let (mut files, mut labels) = (Vec::new(), None);
    for word in std::env::args().skip(1) {
        match word.split_once('=') {
            Some(("turn", value)) => config.turn = value.parse().expect("a ratio"),
            Some(("quiet", value)) => config.quiet_m_s = value.parse().expect("a speed"),
            Some(("method", "paper")) => config.method = SegmentMethod::Paper,
            Some(("labels", file)) => labels = Some(std::fs::read_to_string(file).expect("labels")),
            _ => files.push(word),
        }
    }
    let longer = |name: &str| name.contains("Leg") || name.contains("Foot") || name.contains("Toes");
    type Change<'a> = (&'a str, Box<dyn Fn(&Clip) -> Clip + 'a>);
    let changes: [Change<'_>; 5] = [
        ("30 fps", Box::new(|clip| clip.resampled(30.0).expect("a rate"))),
        ("bones +20 %", Box::new(|clip| with_bones(clip, &|_| 1.2))),
        ("bones −20 %", Box::new(|clip| with_bones(clip, &|_| 0.8))),
        (
            "legs +20 %, others −20 %",
            Box::new(|clip| with_bones(clip, &|role| if longer(role.name()) { 1.2 } else { 0.8 })),
        ),
        ("noise of 0.01 rad", Box::new(|clip| shaken(clip, 0.01))),
    ];
    let mut counts = [[0_usize; 3]; 6];
    let (mut rest_s, mut restless_s, mut all_s, mut num) = (0.0, 0.0, 0.0, 0);
    for file in &files {
        let bytes = std::fs::read(file).expect("a file");
        let ending = Path::new(file).extension().map(|e| e.to_string_lossy().into_owned());
        let Ok(done) = read(&bytes, ending.as_deref(), &ReadOptions::default()) else { continue };
        let clip = done.clip;
        let (own, rests) = cuts(&clip, &config);
        num += own.len();
        all_s += clip.motion_frames().len() as f64 / clip.fps();
        rest_s += rests.iter().map(|rest| rest[1] - rest[0]).sum::<f64>();
        restless_s += restless(&clip, &rests);
        for ((_, change), count) in changes.iter().zip(&mut counts) {
            let other = cuts(&change(&clip), &config).0;
            for (sum, n) in count.iter_mut().zip([own.len(), other.len(), common(&own, &other)]) {
                *sum += n;
            }
        }
        if let Some(labels) = &labels {
            let stem =
                Path::new(file).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            let of = |line: &str| -> Option<f64> {
                let mut cells = line.split('\t');
                let name = cells.next()?.trim_end_matches(".bvh");
                (name.rsplit('/').next() == Some(&stem)).then(|| cells.next()?.trim().parse().ok())?
            };
            let wanted: Vec<f64> = labels.lines().filter_map(of).collect();
            if !wanted.is_empty() {
                let same = common(&own, &wanted);
                let f1 = 2.0 * same as f64 / (own.len() + wanted.len()) as f64;
                println!("{stem}: {} cuts, {} labels, {same} in common, F1 {f1:.2}", own.len(), wanted.len());
                for (sum, n) in counts[5].iter_mut().zip([own.len(), wanted.len(), same]) {
                    *sum += n;
                }
            }
        }
    }
    println!(
        "{} takes, {all_s:.0} s, {num} cuts; {rest_s:.0} s of rest, of which {restless_s:.2} s restless",
        files.len()
    );
    let names = changes.iter().map(|(name, _)| *name).chain(["labels"]);
    for (name, [own, other, same]) in names.zip(counts).filter(|(_, count)| count[0] + count[1] > 0) {
        println!(
            "{name}: F1 {:.3} ({own}, {other}, {same} in common)",
            2.0 * same as f64 / (own + other) as f64
        );
    }
}
