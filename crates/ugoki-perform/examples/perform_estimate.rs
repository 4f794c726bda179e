//! Sweeps the parameters of the filter over motions of `scripts/perform_lists.tsv`.
//!
//! `cargo run --profile smoke -p ugoki-perform --example perform_estimate -- ARCHIVE LISTS tune [name=value …]`

use std::path::Path;
use std::time::Instant;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_formats::{ReadOptions, read};
use ugoki_motion::segment::{BodyPoints, Observer};
use ugoki_perform::evaluate::{Change, Evaluation, Score, evaluate, trial};
use ugoki_perform::follow::{FilterConfig, Follower, Posterior};
use ugoki_perform::{Base, Imitation, LearnConfig, Mirror, Model, RunConfig, Runner, learn};

struct Row {
    task: String,
    half: String,
    learned: String,
    imitation: String,
    performed: String,
}

fn load(archive: &Path, name: &str) -> Clip {
    let subject = name.split('_').next().unwrap_or("0").parse::<u32>().unwrap_or(0);
    let path = archive.join(format!("{subject:03}")).join(format!("{name}.bvh"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut clip = read(&bytes, Some("bvh"), &ReadOptions::default()).expect("a motion").clip;
    clip.name = name.to_owned();
    clip
}

/// A model of motions without imitations.
fn model(clips: &[&Clip]) -> Model {
    let alone: Vec<Imitation<'_>> = clips.iter().map(|&actor| Imitation { actor, performer: None }).collect();
    learn(&alone, &LearnConfig::default(), &mut |_| std::ops::ControlFlow::Continue(())).expect("a model").0
}

/// Every frame of a performance through the filters.
fn follow(model: &Model, config: &FilterConfig, mirror: Mirror, clip: &Clip) -> Vec<Option<Posterior>> {
    let observer =
        Observer::build(clip.skeleton()).expect("a body").on_usual_bones(clip.skeleton()).only(&model.roles);
    let points = BodyPoints::watch(&observer, clip).scaled(1.0 / observer.leg_metres());
    let mut follower = Follower::build(model, config).expect("a body");
    let back = (clip.fps() / 15.0).round() as usize;
    (0..points.num_frames())
        .map(|frame| {
            let before: Option<(&[Vec3], f64)> = (frame > 0)
                .then(|| (points.frame(frame.saturating_sub(back)), frame.min(back) as f64 / clip.fps()));
            let found = follower.step(points.frame(frame), before, 1.0 / clip.fps(), mirror);
            found.map(|found| Posterior { frame: found.frame, ..found.posterior })
        })
        .collect()
}

fn set(config: &mut FilterConfig, name: &str, value: f32) {
    match name {
        "velocity" => config.velocity_s = value,
        "scale" => config.scale = value,
        "ends" => config.ends = value,
        "near" => config.near_rate = value,
        "any" => config.any_rate = value,
        "pause" => config.pause = value,
        "resume" => config.resume = value,
        "resize" => config.resize = value,
        "jump" => config.jump = value,
        "switch" => config.switch = value,
        "power" => config.identity_power = value,
        "noise" => config.identity_noise = value,
        "begin" => config.begin = value,
        "unknown" => config.unknown[0] = value,
        "known" => config.unknown[1] = value,
        "ud0" => config.unknown_distance[0] = value,
        "ud1" => config.unknown_distance[1] = value,
        "leave" => config.leave = value,
        "uw" => config.unknown_weight = value,
        "odds" => config.odds = value,
        "first" => config.unknown_at_first = value,
        "sizes" => {
            let some: &[(f32, Base)] = match value as u32 {
                0 => &[],
                1 => &[(0.7, Base::Mean), (0.5, Base::Mean), (0.35, Base::Mean)],
                2 => &[(0.6, Base::Mean), (0.4, Base::Mean), (0.6, Base::First), (0.4, Base::First)],
                3 => &[(0.65, Base::Mean), (0.4, Base::Mean)],
                _ => &[(0.65, Base::Mean), (0.4, Base::Mean), (0.5, Base::First)],
            };
            config.sizes = some.to_vec();
        }
        "whole" => config.whole = value,
        _ => panic!("no parameter {name}"),
    }
}

fn synthetic(clips: &[Clip], config: &FilterConfig, verbose: bool) {
    let mut line = String::new();
    for change in Change::ALL {
        let mut scores = Vec::new();
        for clip in clips {
            let model = model(&[clip]);
            let trial = trial(clip, change).expect("a trial");
            let found = follow(&model, config, Mirror::No, &trial.clip);
            let shown: Vec<Option<f64>> = found.iter().map(|p| p.map(|p| p.frame / clip.fps())).collect();
            let score = Score::new(&trial, &shown, 0.0);
            if verbose {
                println!(
                    "{:14} {:8} {:6.3} {:5.1} {:4}",
                    change.name(),
                    clip.name,
                    score.ratio(),
                    score.jumps_per_10_s(),
                    score.moving
                );
            }
            scores.push(score);
        }
        let all = scores.iter().fold(Score::default(), |a, b| Score {
            moving: a.moving + b.moving,
            right: a.right + b.right,
            jumps: a.jumps + b.jumps,
            seconds: a.seconds + b.seconds,
        });
        line += &format!("{} {:.3} {:.2}  ", change.name(), all.ratio(), all.jumps_per_10_s());
    }
    println!("{line}");
}

fn main() {
    let mut words = std::env::args().skip(1);
    let archive = words.next().expect("the archive");
    let lists = std::fs::read_to_string(words.next().expect("the lists")).expect("lists");
    let half = words.next().expect("tune or report");
    let rows: Vec<Row> = lists
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("task"))
        .map(|line| {
            let mut cells = line.split('\t').map(str::to_owned);
            let mut next = || cells.next().unwrap_or_default();
            let (task, half, learned, imitation, performed) = (next(), next(), next(), next(), next());
            Row { task, half, learned, imitation, performed }
        })
        .collect();
    let mut config = FilterConfig::default();
    let (mut out, mut lookahead) = ("trials".to_owned(), 0.0);
    let (mut task, mut verbose, mut every) = ("synthetic".to_owned(), false, 1);
    let mut offline = true;
    let mut sweep: Option<(String, Vec<f32>)> = None;
    for word in words {
        let (name, value) = word.split_once('=').expect("name=value");
        match name {
            "task" => task = value.to_owned(),
            "verbose" => verbose = value == "1",
            "offline" => offline = value == "1",
            "lookahead" => lookahead = value.parse().expect("seconds"),
            "out" => out = value.to_owned(),
            "every" => every = value.parse().expect("a number"),
            _ if value.contains(',') => {
                let values = value.split(',').map(|v| v.parse().expect("a number")).collect();
                sweep = Some((name.to_owned(), values));
            }
            _ => set(&mut config, name, value.parse().expect("a number")),
        }
    }
    let of_half = |row: &Row| half == "all" || row.half == half;
    let (name, values) = sweep.unwrap_or((String::new(), vec![0.0]));
    let own: Vec<&Row> = rows.iter().filter(|row| row.task == task && of_half(row)).collect();
    let archive = Path::new(&archive);
    for value in values {
        if !name.is_empty() {
            set(&mut config, &name, value);
            print!("{name}={value}: ");
        }
        match task.as_str() {
            "synthetic" => {
                let clips: Vec<Clip> =
                    own.iter().step_by(every).map(|row| load(archive, &row.learned)).collect();
                synthetic(&clips, &config, verbose);
            }
            "trials" => {
                let own = rows.iter().filter(|row| row.task == "synthetic" && of_half(row));
                own.step_by(every)
                    .for_each(|row| write_trials(&load(archive, &row.learned), Path::new(&out)));
            }
            "speed" => speed(),
            "run" => {
                let own = rows.iter().filter(|row| row.task == "synthetic" && of_half(row));
                let clips: Vec<Clip> = own.step_by(every).map(|row| load(archive, &row.learned)).collect();
                whole_runs(&clips, lookahead);
            }
            "mime" => mimes(archive, &own, &config, verbose, offline),
            "repeat" => {
                let others: Vec<&Row> =
                    rows.iter().filter(|row| row.task == "unknown" && of_half(row)).collect();
                repeats(archive, &own, &others, &config, verbose);
            }
            _ => panic!("no task {task}"),
        }
    }
}

/// What is shown, playhead and rejection included, each motion in a model of its own.
fn whole_runs(clips: &[Clip], lookahead_s: f32) {
    let config = RunConfig { lookahead_s, ..RunConfig::default() };
    let mut all = Evaluation { trials: Vec::new() };
    for clip in clips {
        let model = model(&[clip]);
        let go_on = &mut |_| std::ops::ControlFlow::Continue(());
        all.trials.extend(evaluate(&model, None, config, go_on).expect("an evaluation").trials);
    }
    println!("{} motions\n{all}", clips.len());
}

/// Time of every frame of a whole run among a hundred motions of the sample actor, each in ten styles, least of five passes.
fn speed() {
    let names = [
        "punch",
        "front-kick",
        "side-kick",
        "knife-hand",
        "throw",
        "bow",
        "squat",
        "reach-up",
        "wave",
        "open-arms",
    ];
    let styled = |number: usize| {
        let mut clip = ugoki_sample::clip(names[number % names.len()]).expect("a sample motion");
        clip.name = format!("{}-{number}", clip.name);
        let turn = Quat::from_rotation_z(0.02 * (number / names.len()) as f32);
        for frame in 0..clip.num_frames() {
            for joint in 1..clip.num_joints() {
                clip.set_rotation(joint, frame, (clip.rotation(joint, frame) * turn).normalize());
            }
        }
        clip
    };
    let clips: Vec<Clip> = (0..100).map(styled).collect();
    let model = model(&clips.iter().collect::<Vec<_>>());
    let bodies: Vec<_> = clips.iter().flat_map(|c| (0..c.num_frames()).map(|f| c.model_pose(f))).collect();
    let skeleton = clips[0].skeleton();
    let mut least = vec![f64::INFINITY; bodies.len()];
    let mut all = Vec::new();
    for _ in 0..5 {
        let mut runner =
            Runner::build(&model, skeleton, clips[0].fps(), RunConfig::default()).expect("the actor's body");
        let mut pose = Pose::rest(skeleton);
        for (body, least) in bodies.iter().zip(&mut least) {
            let start = Instant::now();
            std::hint::black_box(runner.step(&model, skeleton, body, &mut pose));
            let ms = 1000.0 * start.elapsed().as_secs_f64();
            *least = least.min(ms);
            all.push(ms);
        }
    }
    for (label, times) in [("least of five", &mut least), ("all", &mut all)] {
        times.sort_by(f64::total_cmp);
        let at = |p: f64| times[((times.len() - 1) as f64 * p) as usize];
        println!(
            "{label}: {} frames, p50 {:.3} ms, p99 {:.3} ms, worst {:.3} ms",
            times.len(),
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
}

/// Every change of a motion as BVH, with its truth and the frames that move.
fn write_trials(clip: &Clip, folder: &Path) {
    std::fs::create_dir_all(folder).expect("a folder");
    for change in Change::ALL {
        let trial = trial(clip, change).expect("a trial");
        let options = ugoki_formats::WriteOptions::default();
        let go_on = &mut |_| std::ops::ControlFlow::Continue(());
        let written =
            ugoki_formats::write(&trial.clip, ugoki_formats::Format::Bvh, &options, go_on).expect("BVH");
        let path = folder.join(&trial.clip.name);
        std::fs::write(path.with_extension("bvh"), written.bytes).expect("written");
        let rows = trial.truth.iter().zip(&trial.moving);
        let first = clip.motion_frames().start;
        let text: String = rows.map(|(t, moving)| format!("{t:.5}\t{}\n", u8::from(*moving))).collect();
        std::fs::write(path.with_extension("tsv"), format!("{first}\n{text}")).expect("written");
    }
}

fn mimes(archive: &Path, rows: &[&Row], config: &FilterConfig, verbose: bool, offline: bool) {
    let learned: Vec<Clip> = rows.iter().map(|row| load(archive, &row.learned)).collect();
    let model = model(&learned.iter().collect::<Vec<_>>());
    let (mut right, mut all) = (0, 0);
    for (number, row) in rows.iter().enumerate() {
        let clip = load(archive, &row.performed);
        let found = follow(&model, config, Mirror::Auto, &clip);
        let own = found.iter().flatten().filter(|p| p.motion == number).count();
        if verbose {
            println!("{} {} {:.2}", row.learned, row.performed, own as f64 / found.len() as f64);
        }
        right += own;
        all += found.len();
    }
    if !offline {
        println!("mimes {:.3}", right as f64 / all as f64);
        return;
    }
    // What is possible offline with the same features: every take is the motion that explains the whole of it best, with the hand
    // that explains it best.
    let mut ceiling = 0;
    let alone: Vec<Model> = learned.iter().map(|clip| self::model(&[clip])).collect();
    for (number, row) in rows.iter().enumerate() {
        let clip = load(archive, &row.performed);
        let evidence = |model: &Model| -> f32 {
            let sum =
                |mirror| follow(model, config, mirror, &clip).iter().flatten().map(|p| p.evidence).sum();
            f32::max(sum(Mirror::No), sum(Mirror::Yes))
        };
        let all: Vec<f32> = alone.iter().map(evidence).collect();
        let best = (0..all.len()).max_by(|&a, &b| all[a].total_cmp(&all[b]));
        ceiling += if best == Some(number) { clip.motion_frames().len() } else { 0 };
    }
    println!("mimes {:.3} offline {:.3}", right as f64 / all as f64, ceiling as f64 / all as f64);
}

/// How much of repeats is taken for something else, and how much of something else for one of them.
fn repeats(archive: &Path, rows: &[&Row], others: &[&Row], config: &FilterConfig, verbose: bool) {
    let clips: Vec<[Clip; 2]> =
        rows.iter().map(|row| [&row.learned, &row.imitation].map(|name| load(archive, name))).collect();
    let pairs: Vec<Imitation<'_>> =
        clips.iter().map(|[actor, own]| Imitation { actor, performer: Some(own) }).collect();
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    let (model, _) = learn(&pairs, &LearnConfig::default(), go_on).expect("a model");
    let known = |name: &str| -> Vec<f32> {
        let clip = load(archive, name);
        follow(&model, config, Mirror::Auto, &clip).iter().flatten().map(|found| found.known).collect()
    };
    let fraction = |all: &[Vec<f32>], least: f32| {
        let all = || all.iter().flatten();
        all().filter(|known| **known > least).count() as f64 / all().count().max(1) as f64
    };
    let own: Vec<Vec<f32>> = rows.iter().map(|row| known(&row.performed)).collect();
    let other: Vec<Vec<f32>> = others.iter().map(|row| known(&row.performed)).collect();
    if verbose {
        for (row, known) in rows.iter().chain(others).zip(own.iter().chain(&other)) {
            println!("{} {:.2}", row.performed, fraction(std::slice::from_ref(known), 0.5));
        }
    }
    for least in [0.1, 0.5, 0.9] {
        print!(
            "p {least}: rejected {:.3} accepted {:.3}  ",
            1.0 - fraction(&own, least),
            fraction(&other, least)
        );
    }
    println!();
}
