//! The tables of `docs/results/react.md`, printed as Markdown.
//!
//! ```text
//! cargo run --profile smoke --example react_tables                              the paper's four cases on the sample
//! squat cargo run --profile smoke --example react_tables -- cases a.bvh               … on a file cargo run --profile
//! smoke --example react_tables -- pushes squat idle a.bvh   pushes of 5 to 40 N·s from eight directions cargo run
//! --profile smoke --example react_tables -- nudges squat a.bvh        pushes of 0.5 to 8 N·s, and what control makes
//! of them cargo run --profile smoke --example react_tables -- loads squat a.bvh         the heaviest pack, and what
//! control costs under lighter ones cargo run --profile smoke --example react_tables -- commands squat            a
//! weight and a blow together cargo run --profile smoke --example react_tables -- undisturbed a.bvh         how near
//! the motion is followed when nothing happens
//! ```
//!
//! A name may end in `:FPS`, as `squat:120`; cases are at 30 fps unless it does.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use ugoki::no_progress;

use ugoki::clip::Clip;
use ugoki::dynamics::Load;
use ugoki::formats::{ReadOptions, read};
use ugoki::react::{Config, Control, Event, Outcome, Push, Reaction, Target, react_to};
use ugoki::sample;
use ugoki::skeleton::Role;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let table = arguments.first().map_or("cases", String::as_str);
    let names = if arguments.len() > 1 { arguments[1..].to_vec() } else { vec!["squat".to_owned()] };
    for name in &names {
        let (file, fps) = match name.rsplit_once(':') {
            Some((file, fps)) => (file, Some(fps.parse()?)),
            None => (name.as_str(), (table == "cases").then_some(30.0)),
        };
        let mut clip = clip(file)?;
        if let Some(fps) = fps {
            clip = clip.resampled(fps)?;
        }
        let stem = Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy());
        let name = format!("{stem} {:.0} fps", clip.fps());
        let target = target(&clip)?;
        match table {
            "pushes" => pushes(&name, &target)?,
            "nudges" => nudges(&name, &target)?,
            "loads" => loads(&name, &target)?,
            "undisturbed" => undisturbed(&name, &target)?,
            "commands" => commands(&name, &target)?,
            _ => cases(&name, &target)?,
        }
    }
    Ok(())
}

/// A sample motion, or a file.
fn clip(name: &str) -> Result<Clip, Box<dyn Error>> {
    if let Some(clip) = sample::clip(name) {
        return Ok(clip);
    }
    let extension = Path::new(name).extension().and_then(|e| e.to_str());
    Ok(read(&std::fs::read(name)?, extension, &ReadOptions::default())?.clip)
}

fn target(clip: &Clip) -> Result<Arc<Target>, Box<dyn Error>> {
    Ok(Arc::new(Target::build(clip, &Config::default(), &mut no_progress())?))
}

fn follow(target: &Arc<Target>, control: bool, events: &[Event]) -> Result<Reaction, Box<dyn Error>> {
    let config = Config { control: if control { Control::On } else { Control::Off }, ..Config::default() };
    Ok(react_to(target, &config, events, None, &mut no_progress())?)
}

/// The default place: on the shoulder blades.
fn pack(target: &Target, mass_kg: f64) -> Event {
    Event::Load(Load::on_back(target.clip().skeleton(), target.body().stature(), mass_kg))
}

fn push(at_s: f64, role: Role, impulse_n_s: [f64; 3]) -> Event {
    Event::Push(Push { at_s, role, impulse_n_s, seconds: 0.0 })
}

fn cases(name: &str, target: &Arc<Target>) -> Result<(), Box<dyn Error>> {
    let mut rows = vec![("(a) nothing".to_owned(), Vec::new())];
    for (case, kg) in [("(b)", 5.0), ("(c)", 8.0), ("", 12.0), ("", 20.0), ("", 30.0)] {
        rows.push((format!("{case} {kg} kg"), vec![pack(target, kg)]));
    }
    for size in [15.0, 20.0, 25.0, 30.0] {
        let blow = push(0.1, Role::LeftUpperArm, [-size, 0.0, 0.0]);
        rows.push((format!("(d) {size} N·s at the left shoulder"), vec![blow]));
    }
    println!(
        "| {name} | control | end | peak back | ankle | knee | hand where the back is loaded, forward and up | farthest forward, at | worst error | arms, back, lower rad/s² |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (case, events) in &rows {
        for control in [true, false] {
            let reaction = follow(target, control, events)?;
            let most = |value: &dyn Fn(&ugoki::react::Frame) -> f64| {
                reaction.frames.iter().map(value).fold(0.0, f64::max)
            };
            let link = |name: &str| reaction.links.iter().position(|link| link == name).ok_or("no such link");
            let (spine, ankle, knee) = (link("spine")?, link("leftFoot")?, link("leftLowerLeg")?);
            let [forward, up, farthest, at] = hand(&reaction, spine);
            println!(
                "| {case} | {} | {} | {:.1} N·m | {:.3} | {:.3} | {forward:+.3}, {up:+.3} m | {farthest:.3} m, {at:.2} s | {:.1}° | {:.0}, {:.0}, {:.0} |",
                if control { "on" } else { "off" },
                end(&reaction),
                most(&|f| f.torque_n_m[spine]),
                most(&|f| f.load[ankle]),
                most(&|f| f.load[knee]),
                most(&|f| f.tracking_error_deg),
                most(&|f| f.corrections.arms),
                most(&|f| f.corrections.back),
                most(&|f| f.corrections.lower),
            );
        }
    }
    Ok(())
}

fn end(reaction: &Reaction) -> String {
    match reaction.outcome {
        Outcome::Recovered => "recovered".to_owned(),
        Outcome::Displaced => "displaced".to_owned(),
        Outcome::OffTarget => "stands".to_owned(),
        Outcome::Fell => format!("fell at {:.2} s", reaction.fell_at_s.unwrap_or_default()),
    }
}

/// How the left hand is off where the target has it, seen from the shoulder, m: forward and up, each the mean weighted
/// by what the back carries beyond its comfort; then the farthest forward and when, s.
fn hand(reaction: &Reaction, spine: usize) -> [f64; 4] {
    let skeleton = reaction.clip.skeleton();
    let Some((hand, shoulder)) = skeleton.find(Role::LeftHand).zip(skeleton.find(Role::LeftUpperArm)) else {
        return [0.0; 4];
    };
    let reach = |clip: &Clip, frame: usize| {
        let model = clip.model_pose(frame);
        model.positions[hand] - model.positions[shoulder]
    };
    let (mut sums, mut farthest) = ([0.0; 3], [0.0_f64; 2]);
    for (f, frame) in reaction.clip.motion_frames().zip(&reaction.frames) {
        let off = (reach(&reaction.clip, f) - reach(&reaction.target, f)).as_dvec3();
        let excess = (frame.load[spine] - Config::default().comfort).max(0.0);
        sums = [sums[0] + excess, sums[1] + excess * off.z, sums[2] + excess * off.y];
        if off.z > farthest[0] {
            farthest = [off.z, frame.t];
        }
    }
    let whole = sums[0].max(1e-9);
    [sums[1] / whole, sums[2] / whole, farthest[0], farthest[1]]
}

/// Pushes on the chest at 0.5 s, front first, then every 45° to the left; a letter for each size: recovered, stands, ×
/// fell.
fn pushes(name: &str, target: &Arc<Target>) -> Result<(), Box<dyn Error>> {
    for control in [true, false] {
        let (mut line, mut survived, mut recovered) = (String::new(), 0, 0);
        for direction in 0..8 {
            let (sine, cosine) = (f64::from(direction) * std::f64::consts::FRAC_PI_4).sin_cos();
            for size in (1..=8).map(|k| 5.0 * f64::from(k)) {
                let event = push(0.5, Role::Chest, [size * sine, 0.0, size * cosine]);
                let reaction = follow(target, control, &[event])?;
                survived += usize::from(reaction.fell_at_s.is_none());
                recovered += usize::from(reaction.outcome.follows());
                line.push(if reaction.outcome.follows() {
                    'r'
                } else if reaction.fell_at_s.is_none() {
                    's'
                } else {
                    '×'
                });
            }
            line.push(' ');
        }
        println!("| {name} | {} | {survived} | {recovered} | {line}|", if control { "on" } else { "off" });
    }
    Ok(())
}

/// Small pushes on the chest at 0.5 s and at half of the clip, from four sides: how many are survived with control and
/// without, how many stray by over 1° more with it in their worst frame, and the one that does most.
fn nudges(name: &str, target: &Arc<Target>) -> Result<(), Box<dyn Error>> {
    let half_s = 0.5 * target.num_steps() as f64 * target.step_s();
    let (mut survived, mut more, mut worst) = ([0, 0], 0, (f64::MIN, String::new()));
    for (at_s, side) in [0.5, half_s].into_iter().flat_map(|at_s| (0..4).map(move |side| (at_s, side))) {
        let (sine, cosine) = (f64::from(side) * std::f64::consts::FRAC_PI_2).sin_cos();
        for size in [0.5, 2.0, 5.0, 8.0] {
            let event = [push(at_s, Role::Chest, [size * sine, 0.0, size * cosine])];
            let [on, off] = [follow(target, true, &event)?, follow(target, false, &event)?];
            survived[0] += usize::from(on.fell_at_s.is_none());
            survived[1] += usize::from(off.fell_at_s.is_none());
            let most = |reaction: &Reaction| {
                reaction.frames.iter().map(|f| f.tracking_error_deg).fold(0.0, f64::max)
            };
            let (on, off) = (most(&on), most(&off));
            more += usize::from(on > off + 1.0);
            if on - off > worst.0 {
                let which = format!("{on:.1}° against {off:.1}°, {size} N·s at {}°, {at_s:.2} s", 90 * side);
                worst = (on - off, which);
            }
        }
    }
    println!("| {name} | {} | {} | {more} | {} |", survived[0], survived[1], worst.1);
    Ok(())
}

/// The heaviest pack carried, by 2 kg, and where control makes most of a load that is carried without it.
fn loads(name: &str, target: &Arc<Target>) -> Result<(), Box<dyn Error>> {
    let (mut heaviest, mut going, mut harm) = ([0.0; 2], [true; 2], (0.0, 0.0, 0.0, 0.0));
    let mut only = Vec::new();
    for kg in (1..=45).map(|k| 2.0 * f64::from(k)) {
        let [on, off] =
            [follow(target, true, &[pack(target, kg)])?, follow(target, false, &[pack(target, kg)])?];
        for (k, reaction) in [&on, &off].into_iter().enumerate() {
            going[k] &= reaction.fell_at_s.is_none();
            if going[k] {
                heaviest[k] = kg;
            }
        }
        if on.fell_at_s.is_some() && off.fell_at_s.is_none() {
            only.push(kg);
        }
        if on.fell_at_s.is_none()
            && off.fell_at_s.is_none()
            && on.worst_of_back_and_legs_deg() - off.worst_of_back_and_legs_deg() > harm.0
        {
            harm = (
                on.worst_of_back_and_legs_deg() - off.worst_of_back_and_legs_deg(),
                kg,
                on.worst_of_back_and_legs_deg(),
                off.worst_of_back_and_legs_deg(),
            );
        }
        if std::env::var("VERBOSE").is_ok() {
            println!(
                "   {kg} kg: on {} {:.1}°, off {} {:.1}°",
                end(&on),
                on.worst_of_back_and_legs_deg(),
                end(&off),
                off.worst_of_back_and_legs_deg()
            );
        }
        if !going[0] && !going[1] {
            break;
        }
    }
    println!(
        "| {name} | {} kg | {} kg | {:.1}° against {:.1}° at {} kg | {only:?} |",
        heaviest[0], heaviest[1], harm.2, harm.3, harm.1
    );
    Ok(())
}

/// The command that the manual shows first, and its neighbours: a weight on the back and a blow at the left shoulder.
fn commands(name: &str, target: &Arc<Target>) -> Result<(), Box<dyn Error>> {
    for kg in [0.0, 8.0] {
        for control in [true, false] {
            let ends = (1..=8).map(|k| 5.0 * f64::from(k)).map(|size| {
                let events = [pack(target, kg), push(1.0, Role::LeftUpperArm, [0.0, 0.0, -size])];
                follow(target, control, &events).map(|reaction| {
                    format!("{size}: {} {:.0}°", end(&reaction), reaction.worst_of_back_and_legs_deg())
                })
            });
            println!(
                "| {name} | {kg} kg | {control} | {} |",
                ends.collect::<Result<Vec<_>, _>>()?.join(" · ")
            );
        }
    }
    Ok(())
}

fn undisturbed(name: &str, target: &Arc<Target>) -> Result<(), Box<dyn Error>> {
    let reaction = follow(target, true, &[])?;
    let mean = |value: &dyn Fn(&ugoki::react::Frame) -> f64| {
        (reaction.frames.iter().map(|f| value(f).powi(2)).sum::<f64>() / reaction.frames.len() as f64).sqrt()
    };
    let force = |f: &ugoki::react::Frame| f.residual_force_n.iter().map(|x| x * x).sum::<f64>().sqrt();
    let most = reaction.frames.iter().map(|f| f.tracking_error_deg).fold(0.0, f64::max);
    let fell = reaction.fell_at_s.map_or("—".to_owned(), |t| format!("{t:.2} s"));
    let rms = mean(&|f| f.tracking_error_deg);
    println!(
        "| {name} | {} | {rms:.2} | {most:.1} | {:.0} N | {fell} |",
        reaction.frames.len(),
        mean(&force)
    );
    Ok(())
}
