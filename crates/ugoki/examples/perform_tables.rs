//! How well a performance drives an actor it was not learned from, over captures of the same scripts by several people:
//! the tables of `docs/results/perform.md`.
//!
//! `UGOKI_CAPTURES=FOLDER cargo run --profile smoke -p ugoki --example perform_tables -- all`; without `all` one script
//! only, with the name of a table (`all which`) that one only.

mod perform_support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use perform_support::{
    CHOSEN_BY, Outcome, SCRIPTS, Score, Script, Take, Triple, as_modelled, go_on, on_bones, run,
};
use ugoki::clip::Clip;
use ugoki::math::{median, quantile};
use ugoki::perform::{Frame, Imitation, LearnConfig, Method, Mirror, Model, PairMethod, RunConfig, learn};
use ugoki::pose::Pose;
use ugoki::segment::SegmentConfig;

/// What a sensor may be off without a performer being elsewhere, mean leg lengths per point: 2 cm.
const NOISE: f32 = 0.025;

fn main() -> Outcome<()> {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set");
        return Ok(());
    };
    let words: Vec<String> = std::env::args().skip(1).collect();
    let all = words.iter().any(|word| word == "all");
    let wanted = SCRIPTS.iter().filter(|(name, _)| match words.as_slice() {
        [] => *name == "squats",
        words => {
            all || words.iter().any(|word| word == name || word == "half") && CHOSEN_BY.contains(name)
                || words.iter().any(|word| word == name)
        }
    });
    let scripts =
        wanted.map(|(name, takes)| Script::load(&folder, name, takes)).collect::<Outcome<Vec<_>>>()?;
    let named = TABLES.iter().any(|table| words.iter().any(|word| word == table));
    let selected = |table: &str| words.iter().any(|word| word == table) || all && !named;
    if selected("rows") || !named {
        rows(&scripts, all)?;
    }
    if selected("settings") {
        let half: Vec<&Script> = scripts.iter().filter(|script| CHOSEN_BY.contains(&script.name)).collect();
        sweeps(&half)?;
    }
    if selected("bones") {
        bones(&scripts)?;
    }
    if selected("which") {
        recognition(&scripts)?;
    }
    if selected("unknown") {
        unknown(&folder, &scripts)?;
    }
    Ok(())
}

/// Tables that may be asked for alone: `all which`.
const TABLES: [&str; 5] = ["rows", "settings", "bones", "which", "unknown"];

/// Every script's casts.
fn rows(scripts: &[Script], all: bool) -> Outcome<()> {
    let usual = LearnConfig::default();
    println!("## Performers the model was not learned from\n");
    for script in scripts {
        for ((a, x), (mirrored, ratio)) in &script.mirrored {
            let (a, x) = (&script.takes[*a].name, &script.takes[*x].name);
            if *ratio < 1.0 {
                let taken = if *mirrored { "; aligned so" } else { "" };
                println!("{} {a}–{x}: in a mirror {ratio:.2} of the distance{taken}", script.name);
            }
        }
    }
    println!();
    println!("{HEAD}");
    for script in scripts {
        for pair in [PairMethod::Lag, PairMethod::Dtw] {
            let config = LearnConfig { pair, ..usual.clone() };
            let label = if pair == PairMethod::Lag { "lag" } else { "dtw" };
            // A performer that is its own imitator needs no warp.
            if pair == PairMethod::Lag || script.takes.len() > 2 {
                row(script, label, &config, RunConfig::default(), &|clip| Ok(clip.clone()))?;
            }
        }
    }
    if all {
        println!("\n## The pitcher throws with the other hand\n\n{HEAD}");
        for script in scripts.iter().filter(|script| script.name == "pitch") {
            row(script, "mirrored", &usual, RunConfig::default(), &|clip| Ok(clip.mirrored()))?;
        }
    }
    Ok(())
}

const HEAD: &str = "| script | with | tester seen | casts | least correlation | pieces | learned | R² median | worst | cross-validated | variables | within 0.1 s of warping | median ms | pose cm/m leg | any repetition | chance | acceleration × actor's, median | worst | worst cast |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

/// One row for performers seen in learning and one for others.
fn row(
    script: &Script,
    label: &str,
    learning: &LearnConfig,
    running: RunConfig,
    body: &dyn Fn(&Clip) -> Outcome<Clip>,
) -> Outcome<()> {
    for seen in [false, true] {
        let casts: Vec<Triple> =
            script.casts().into_iter().filter(|&cast| script.seen(cast) == seen).collect();
        let (mut sum, mut worst, mut failed) = (Score::default(), (f64::INFINITY, String::new()), Vec::new());
        for &cast in &casts {
            match script.try_cast(cast, learning, running, body)? {
                Ok(score) => {
                    if score.any().0 < worst.0 {
                        worst = (score.any().0, script.label(cast));
                    }
                    sum.add(score);
                }
                Err(error) => failed.push(format!("{}: {error}", script.label(cast))),
            }
        }
        if casts.is_empty() {
            continue;
        }
        let middle = |values: &[f64]| median(values).unwrap_or(f64::NAN);
        println!(
            "| {} | {label} | {} | {} | {:.2} | {} | {} | {:.3} | {:.2} | {:.2} | {:.1} | {:.0} % | {:.0} | {:.1} | {:.0} % | {:.0} % | {:.1} | {:.1} | {:.0} %: {} |",
            script.name,
            if seen { "yes" } else { "no" },
            casts.len(),
            sum.correlation,
            sum.pieces,
            sum.r2.len(),
            middle(&sum.r2),
            quantile(&sum.r2, 0.0).unwrap_or(f64::NAN),
            middle(&sum.crossed),
            sum.variables.iter().sum::<f64>() / sum.variables.len().max(1) as f64,
            sum.right(),
            1000.0 * middle(&sum.errors_s),
            100.0 * sum.poses.iter().sum::<f64>() / sum.poses.len().max(1) as f64,
            sum.any().0,
            sum.any().1,
            middle(&sum.jerks),
            quantile(&sum.jerks, 1.0).unwrap_or(f64::NAN),
            worst.0,
            worst.1,
        );
        for failure in failed {
            println!("| {} | {label} |{} not learned: {failure} |", script.name, " |".repeat(16));
        }
    }
    Ok(())
}

/// Everybody's casts together: fraction of right frames, and medians.
fn total(
    scripts: &[&Script],
    cast: &dyn Fn(&Script, Triple) -> bool,
    learning: &LearnConfig,
    running: RunConfig,
    body: &dyn Fn(&Clip) -> Outcome<Clip>,
) -> Outcome<(f64, f64, Score, usize)> {
    let (mut sum, mut failed, mut fractions, mut any) = (Score::default(), 0, Vec::new(), Vec::new());
    for script in scripts {
        let mut own = Score::default();
        for cast in script.casts().into_iter().filter(|&one| cast(script, one)) {
            match script.try_cast(cast, learning, running, body)? {
                Ok(score) => own.add(score),
                Err(_) => failed += 1,
            }
        }
        fractions.push(own.right());
        any.push(own.any().0);
        sum.add(own);
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    Ok((mean(&fractions), mean(&any), sum, failed))
}

/// Whether the imitation is the performer's own, and not the actor's.
fn own_imitation(script: &Script, (a, t, x): Triple) -> bool {
    a != t && script.takes[t].person() == script.takes[x].person()
}

fn bones(scripts: &[Script]) -> Outcome<()> {
    println!("\n## Bones of imitator and performer, one person\n");
    let scripts: Vec<&Script> = scripts
        .iter()
        .filter(|script| script.casts().into_iter().any(|cast| own_imitation(script, cast)))
        .collect();
    println!(
        "| trunk | arms | legs | within 0.1 s, mean over scripts | any repetition | pose cm/m leg | casts not learned |\n|---|---|---|---|---|---|---|"
    );
    let lengths = [(1.0, 1.0, 1.0), (0.8, 0.8, 0.8), (1.2, 1.2, 1.2)];
    let limbs = [(1.0, 0.8, 0.8), (1.0, 1.2, 1.2), (1.0, 0.8, 1.2), (1.0, 1.2, 0.8)];
    for (trunk, arms, legs) in lengths.into_iter().chain(limbs) {
        let body = |clip: &Clip| Ok(on_bones(clip, arms / trunk, legs / trunk)?.scaled(trunk));
        let (right, any, sum, failed) =
            total(&scripts, &own_imitation, &LearnConfig::default(), RunConfig::default(), &body)?;
        let pose = 100.0 * sum.poses.iter().sum::<f64>() / sum.poses.len() as f64;
        println!("| {trunk} | {arms} | {legs} | {right:.1} % | {any:.1} % | {pose:.1} | {failed} |");
    }
    Ok(())
}

fn sweeps(scripts: &[&Script]) -> Outcome<()> {
    let same = |clip: &Clip| Ok(clip.clone());
    let tell = |label: String, learning: &LearnConfig, running: RunConfig| -> Outcome<()> {
        let (right, any, sum, failed) = total(scripts, &|_, _| true, learning, running, &same)?;
        let pose = 100.0 * sum.poses.iter().sum::<f64>() / sum.poses.len() as f64;
        println!(
            "| {label} | {} | {} | {:.3} | {:.2} | {right:.1} % | {any:.1} % | {:.0} | {pose:.1} | {:.1} | {failed} |",
            sum.pieces,
            sum.r2.len(),
            median(&sum.r2).unwrap_or(f64::NAN),
            median(&sum.crossed).unwrap_or(f64::NAN),
            1000.0 * median(&sum.errors_s).unwrap_or(f64::NAN),
            quantile(&sum.jerks, 1.0).unwrap_or(f64::NAN),
        );
        Ok(())
    };
    let names: Vec<&str> = scripts.iter().map(|script| script.name).collect();
    println!("\n## Settings, on {}\n", names.join(", "));
    println!(
        "| setting | pieces | learned | R² median | cross-validated | within 0.1 s, mean over scripts | any repetition | median ms | pose cm/m leg | acceleration, worst | casts not learned |\n|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for method in [Method::Follow, Method::Paper, Method::Dp] {
        let config = RunConfig { method, ..RunConfig::default() };
        tell(format!("method {method}"), &LearnConfig::default(), config)?;
    }
    for mirror in [Mirror::Auto, Mirror::No] {
        let config = RunConfig { mirror, ..RunConfig::default() };
        tell(format!("mirror {mirror:?}"), &LearnConfig::default(), config)?;
    }
    for rest in [0.1, 0.2, 0.3, 0.5] {
        let learning = LearnConfig {
            segment: SegmentConfig { rest, ..SegmentConfig::default() },
            ..LearnConfig::default()
        };
        tell(format!("rest {rest}"), &learning, RunConfig::default())?;
    }
    for reach_s in [0.0, 0.5, 1.0] {
        tell(
            format!("reach {reach_s} s"),
            &LearnConfig { reach_s, ..LearnConfig::default() },
            RunConfig::default(),
        )?;
    }
    Ok(())
}

/// Takes of nothing that the scripts have: walks, runs, turns, steps, jumps, lifting, sitting, conversation, other
/// dances, other sports.
const OTHERS: [&str; 40] = [
    "locomotion/02_01",
    "locomotion/08_02",
    "locomotion/104_06",
    "locomotion/104_09",
    "locomotion/111_29",
    "locomotion/14_21",
    "locomotion/16_08",
    "locomotion/16_11",
    "locomotion/16_17",
    "locomotion/16_27",
    "locomotion/16_36",
    "locomotion/16_55",
    "locomotion/35_05",
    "locomotion/35_25",
    "locomotion/36_01",
    "locomotion/69_17",
    "locomotion/69_53",
    "locomotion/74_14",
    "locomotion/83_08",
    "locomotion/83_28",
    "physics/115_01",
    "physics/115_06",
    "physics/118_03",
    "physics/13_39",
    "physics/16_01",
    "physics/16_03",
    "physics/18_04",
    "physics/22_12",
    "physics/49_18",
    "physics/70_01",
    "physics/77_02",
    "physics/81_05",
    "gesture/05_02",
    "gesture/111_37",
    "gesture/141_16",
    "gesture/18_08",
    "gesture/93_03",
    "sport/124_13",
    "sport/135_04",
    "sport/74_03",
];

/// Mean speed of the points, leg lengths per second, from which a performer moves.
const MOVING: f32 = 0.1;

/// How much of performances is taken for something that was not learned.
#[derive(Default)]
struct Held {
    frames: usize,
    as_built: usize,
    changes: usize,
    seconds: f64,
}

impl Held {
    fn take(&mut self, model: &Model, clip: &Clip) -> Outcome<()> {
        let frames = run(model, clip, RunConfig::default())?.0;
        self.seconds += frames.len() as f64 / clip.fps();
        self.changes += frames.windows(2).filter(|pair| pair[0].known != pair[1].known).count();
        // A performer standing still may be shown or held; both look the same.
        let points = as_modelled(clip)?;
        let back = (clip.fps() / 15.0).round().max(1.0) as usize;
        let moves = |frame: usize| {
            let (now, then) = (points.frame(frame), points.frame(frame.saturating_sub(back)));
            let way: f32 = now.iter().zip(then).map(|(a, b)| a.distance(*b)).sum();
            way / now.len() as f32 * 15.0 > MOVING
        };
        let frames: Vec<Frame> =
            frames.iter().enumerate().filter(|(number, _)| moves(*number)).map(|(_, frame)| *frame).collect();
        self.frames += frames.len();
        self.as_built += frames.iter().filter(|frame| !frame.known).count();
        Ok(())
    }

    fn tell(&self, model: &str, label: &str, takes: usize) {
        let fraction = |count: usize| 100.0 * count as f64 / self.frames.max(1) as f64;
        println!(
            "| {model} | {label} | {takes} | {:.0} % | {:.1} |",
            fraction(self.as_built),
            60.0 * self.changes as f64 / self.seconds.max(1e-9)
        );
    }
}

/// How much of what was learned, and of what was not, is held; and how soon a performance is shown after something
/// else.
fn unknown(folder: &std::path::Path, scripts: &[Script]) -> Outcome<()> {
    println!("\n## What was learned and what was not\n");
    println!("| model | performance | takes | unknown | changes per minute |\n|---|---|---|---|---|");
    let others = OTHERS.iter().map(|path| Take::load(folder, path)).collect::<Outcome<Vec<_>>>()?;
    let folds = (0..4).map(|fold| cast_all(scripts, fold)).collect::<Outcome<Vec<_>>>()?;
    let alone = |model: &Model, number: usize| Model {
        roles: model.roles.clone(),
        motions: vec![model.motions[number].clone()],
    };
    for (number, script) in scripts.iter().enumerate() {
        let (mut one, mut all) = (Held::default(), Held::default());
        for (model, tests) in &folds {
            one.take(&alone(model, number), &tests[number])?;
            all.take(model, &tests[number])?;
        }
        one.tell("of it alone", &format!("{}, learned", script.name), folds.len());
        all.tell("of all", &format!("{}, learned", script.name), folds.len());
    }
    for (number, script) in scripts.iter().enumerate() {
        let (mut one, mut all) = (Held::default(), Held::default());
        for (model, tests) in &folds {
            let mut without = model.clone();
            without.motions.remove(number);
            all.take(&without, &tests[number])?;
        }
        let (model, tests) = &folds[0];
        let own = alone(model, number);
        for other in (0..scripts.len()).filter(|&other| other != number) {
            one.take(&own, &tests[other])?;
        }
        for take in &others {
            one.take(&own, &take.clip)?;
        }
        one.tell(&format!("of {} alone", script.name), "anything else", scripts.len() - 1 + others.len());
        all.tell("of all others", &format!("{}, not learned", script.name), folds.len());
    }
    let mut worst = Vec::new();
    for kind in ["locomotion", "physics", "gesture", "sport"] {
        let mut all = Held::default();
        let mut count = 0;
        for (path, take) in OTHERS.iter().zip(&others).filter(|(path, _)| path.starts_with(kind)) {
            let mut one = Held::default();
            one.take(&folds[0].0, &take.clip)?;
            worst.push((one.as_built as f64 / one.frames as f64, *path));
            all.take(&folds[0].0, &take.clip)?;
            count += 1;
        }
        all.tell("of all", &format!("other {kind}"), count);
    }
    worst.sort_by(|a, b| a.0.total_cmp(&b.0));
    let named: Vec<String> =
        worst.iter().take(6).map(|(held, path)| format!("{path} {:.0} %", 100.0 * held)).collect();
    println!("\nheld least: {}", named.join(", "));
    // Two seconds of a walk, and then the performance.
    let walk = others.iter().find(|take| take.name == "35_05").ok_or("no walk")?;
    let mut waits = Vec::new();
    for (model, tests) in &folds {
        for test in tests {
            let lead = (2.0 * test.fps()) as usize;
            let frames = walk.clip.motion_frames().take(lead);
            let mut poses: Vec<Pose> = frames.map(|frame| walk.clip.pose(frame)).collect();
            poses.extend(test.motion_frames().map(|frame| test.pose(frame)));
            let take = Clip::from_poses(test.skeleton().clone(), test.fps(), &poses)?;
            let frames = run(model, &take, RunConfig::default())?.0;
            let shown = (lead..frames.len()).find(|&frame| frames[frame].known);
            waits.push(shown.map_or(f64::INFINITY, |frame| (frame - lead) as f64 / test.fps()));
        }
    }
    let at = |p: f64| quantile(&waits, p).unwrap_or(f64::NAN);
    println!(
        "shown after a walk of 2 s: median {:.2} s, 90 % within {:.2} s, worst {:.2} s of {} performances",
        at(0.5),
        at(0.9),
        at(1.0),
        waits.len()
    );
    Ok(())
}

/// What one way to recognise did.
#[derive(Default)]
struct Tally {
    frames: BTreeMap<&'static str, (usize, usize)>,
    clear: (usize, usize),
    delays_s: Vec<f64>,
    from_joint_s: Vec<f64>,
    missed: usize,
    flicker: usize,
    seconds: f64,
}

fn recognition(scripts: &[Script]) -> Outcome<()> {
    let ways: Vec<(String, RunConfig)> = [Method::Follow, Method::Paper, Method::Dp]
        .into_iter()
        .map(|method| (method.to_string(), RunConfig { method, ..RunConfig::default() }))
        .collect();
    let hands = [Mirror::Auto, Mirror::Yes, Mirror::No].map(|mirror| {
        (
            format!("follow, performers mirrored, --mirror={mirror}"),
            RunConfig { mirror, ..RunConfig::default() },
        )
    });
    let mut tally: Vec<Tally> = ways.iter().chain(&hands).map(|_| Tally::default()).collect();
    for fold in 0..4 {
        let (model, tests) = cast_all(scripts, fold)?;
        for (way, tally) in ways.iter().zip(&mut tally) {
            judge(&model, scripts, &tests, way.1, tally)?;
        }
        let mirrored: Vec<Clip> = tests.iter().map(Clip::mirrored).collect();
        for (way, tally) in hands.iter().zip(&mut tally[ways.len()..]) {
            judge(&model, scripts, &mirrored, way.1, tally)?;
        }
    }
    println!("\n## Which motion is it\n");
    print!("| method | all frames | clear frames |");
    scripts.iter().for_each(|script| print!(" {} |", script.name));
    println!(
        " changes | delay 0 | delay median ms | worst ms | from the joint ms | missed | switches per minute |"
    );
    println!("|---|---|---|{}---|---|---|---|---|---|---|", "---|".repeat(scripts.len()));
    for ((label, _), tally) in ways.iter().chain(&hands).zip(&tally) {
        let fraction = |(right, all): (usize, usize)| 100.0 * right as f64 / all.max(1) as f64;
        let sum = tally.frames.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        print!("| {label} | {:.1} % | {:.1} % |", fraction(sum), fraction(tally.clear));
        scripts.iter().for_each(|script| print!(" {:.0} % |", fraction(tally.frames[script.name])));
        let changes = tally.delays_s.len() + tally.missed;
        let at_once = tally.delays_s.iter().filter(|&&d| d == 0.0).count();
        println!(
            " {changes} | {:.0} % | {:.0} | {:.0} | {:.0} | {} | {:.1} |",
            fraction((at_once, changes)),
            1000.0 * median(&tally.delays_s).unwrap_or(f64::NAN),
            1000.0 * quantile(&tally.delays_s, 1.0).unwrap_or(f64::NAN),
            1000.0 * median(&tally.from_joint_s).unwrap_or(f64::NAN),
            tally.missed,
            60.0 * tally.flicker as f64 / tally.seconds,
        );
    }
    Ok(())
}

/// A model of all scripts, and for each a take that is not in it.
fn cast_all(scripts: &[Script], fold: usize) -> Outcome<(Model, Vec<Clip>)> {
    let (mut pairs, mut tests) = (Vec::new(), Vec::new());
    for script in scripts {
        // Folds spread over the casts; performers not seen in learning come first.
        let mut casts = script.casts();
        casts.sort_by_key(|&cast| script.seen(cast));
        let (a, t, x) = casts[fold * 7 % casts.len()];
        pairs.push((&script.takes[a].clip, &script.takes[t].clip));
        tests.push(script.takes[x].clip.clone());
    }
    let imitations: Vec<Imitation<'_>> =
        pairs.iter().map(|&(actor, performer)| Imitation { actor, performer: Some(performer) }).collect();
    Ok((learn(&imitations, &LearnConfig::default(), &mut go_on)?.0, tests))
}

/// Each test take after another one's last second, so that every take begins with a change.
fn judge(
    model: &Model,
    scripts: &[Script],
    tests: &[Clip],
    config: RunConfig,
    tally: &mut Tally,
) -> Outcome<()> {
    for (new, script) in scripts.iter().enumerate() {
        let old = (new + 1) % tests.len();
        let (before, clip) = (&tests[old], &tests[new]);
        let fps = clip.fps();
        // All CMU takes have joints of one name; the body of the new take does both.
        let lead = (fps as usize).min(before.motion_frames().len());
        let from = before.num_frames() - lead;
        let mut poses: Vec<Pose> = (from..before.num_frames()).map(|frame| before.pose(frame)).collect();
        poses.extend(clip.motion_frames().map(|frame| clip.pose(frame)));
        let take = Clip::from_poses(clip.skeleton().clone(), fps, &poses)?;
        let points = as_modelled(&take)?;
        let found: Vec<usize> = run(model, &take, config)?.0.into_iter().map(|f| f.motion).collect();
        let clear = |f: usize| {
            let far = |m: usize| distance(model, m, points.frame(f));
            let others = (0..tests.len()).filter(|&m| m != new).map(far);
            others.fold(f32::INFINITY, f32::min) > far(new) + NOISE
        };
        let count = tally.frames.entry(script.name).or_default();
        count.1 += found.len() - lead;
        count.0 += found[lead..].iter().filter(|&&motion| motion == new).count();
        // Every tenth frame is looked at closely.
        for f in (lead..found.len()).step_by(10).filter(|&f| clear(f)) {
            tally.clear.1 += 1;
            tally.clear.0 += usize::from(found[f] == new);
        }
        tally.flicker += found[lead..].windows(2).filter(|pair| pair[0] != pair[1]).count();
        tally.seconds += (found.len() - lead) as f64 / fps;
        let Some(seen) = (lead..found.len()).find(|&f| clear(f)) else { continue };
        match (seen..found.len()).find(|&f| found[f] == new) {
            Some(noticed) => {
                tally.delays_s.push((noticed - seen) as f64 / fps);
                tally.from_joint_s.push((noticed - lead) as f64 / fps);
            }
            None => tally.missed += 1,
        }
    }
    Ok(())
}

/// Least mean distance per point, leg lengths, to any sample of a motion.
fn distance(model: &Model, motion: usize, points: &[glam::Vec3]) -> f32 {
    let patterns = model.motions[motion].pieces.iter().flat_map(|piece| &piece.patterns);
    let samples = patterns.flat_map(|pattern| pattern.points.chunks_exact(points.len()));
    let far = |sample: &[glam::Vec3]| sample.iter().zip(points).map(|(a, b)| a.distance(*b)).sum::<f32>();
    samples.map(far).fold(f32::INFINITY, f32::min) / points.len() as f32
}
