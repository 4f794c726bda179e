//! The tables of `docs/results/react.md`, printed as Markdown.
//!
//! ```text
//! cargo run --profile smoke --example react_tables                              the paper's four cases on the sample squat
//! cargo run --profile smoke --example react_tables -- cases a.bvh               … on a file
//! cargo run --profile smoke --example react_tables -- pushes squat idle a.bvh   pushes of 5 to 40 N·s from eight directions
//! cargo run --profile smoke --example react_tables -- loads squat a.bvh         the heaviest pack
//! ```

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use ugoki::clip::Clip;
use ugoki::dynamics::Load;
use ugoki::formats::{ReadOptions, read};
use ugoki::react::{Config, Event, Push, Reaction, Target, react_to};
use ugoki::sample;
use ugoki::skeleton::Role;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let table = arguments.first().map_or("cases", String::as_str);
    let names = if arguments.len() > 1 { arguments[1..].to_vec() } else { vec!["squat".to_owned()] };
    for name in &names {
        let clip = clip(name)?;
        let name =
            Path::new(name).file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned());
        match table {
            "pushes" => pushes(&name, &target(&clip)?)?,
            "loads" => loads(&name, &target(&clip)?)?,
            _ => cases(&name, &target(&clip.resampled(30.0)?)?)?,
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
    Ok(Arc::new(Target::build(clip, &Config::default(), &mut |_| ControlFlow::Continue(()))?))
}

fn follow(target: &Arc<Target>, control: bool, events: &[Event]) -> Result<Reaction, Box<dyn Error>> {
    let config = Config { control, ..Config::default() };
    Ok(react_to(target, &config, events, None, &mut |_| ControlFlow::Continue(()))?)
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
        "| {name} | control | end | peak back torque | hand forward | worst error | arms, back, lower rad/s² |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (case, events) in &rows {
        for control in [true, false] {
            let told = follow(target, control, events)?;
            let most = |value: &dyn Fn(&ugoki::react::Frame) -> f64| {
                told.frames.iter().map(value).fold(0.0, f64::max)
            };
            let spine = told.links.iter().position(|link| link == "spine").ok_or("no back")?;
            println!(
                "| {case} | {} | {} | {:.1} N·m | {:.3} m | {:.1}° | {:.0}, {:.0}, {:.0} |",
                if control { "on" } else { "off" },
                end(&told),
                most(&|f| f.torque_n_m[spine]),
                hand_forward(&told),
                most(&|f| f.tracking_error_deg),
                most(&|f| f.corrections.arms),
                most(&|f| f.corrections.back),
                most(&|f| f.corrections.lower),
            );
        }
    }
    Ok(())
}

fn end(told: &Reaction) -> String {
    match told.fell_at_s {
        Some(t) => format!("fell at {t:.2} s"),
        None if told.recovered => "recovered".to_owned(),
        None => "stands".to_owned(),
    }
}

/// Farthest that the left hand is in front of where the target has it, seen from the shoulder, m.
fn hand_forward(told: &Reaction) -> f32 {
    let skeleton = told.clip.skeleton();
    let Some((hand, shoulder)) = skeleton.find(Role::LeftHand).zip(skeleton.find(Role::LeftUpperArm)) else {
        return 0.0;
    };
    let reach = |clip: &Clip, frame: usize| {
        let model = clip.model_pose(frame);
        (model.positions[hand] - model.positions[shoulder]).z
    };
    (0..told.clip.num_frames()).map(|f| reach(&told.clip, f) - reach(&told.target, f)).fold(0.0, f32::max)
}

/// Pushes on the chest at 0.5 s, front first, then every 45° to the left; a letter for each size: recovered, stands, × fell.
fn pushes(name: &str, target: &Arc<Target>) -> Result<(), Box<dyn Error>> {
    for control in [true, false] {
        let (mut line, mut survived, mut recovered) = (String::new(), 0, 0);
        for direction in 0..8 {
            let (sine, cosine) = (f64::from(direction) * std::f64::consts::FRAC_PI_4).sin_cos();
            for size in (1..=8).map(|k| 5.0 * f64::from(k)) {
                let event = push(0.5, Role::Chest, [size * sine, 0.0, size * cosine]);
                let told = follow(target, control, &[event])?;
                survived += usize::from(told.fell_at_s.is_none());
                recovered += usize::from(told.recovered);
                line.push(if told.recovered {
                    'r'
                } else if told.fell_at_s.is_none() {
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

fn loads(name: &str, target: &Arc<Target>) -> Result<(), Box<dyn Error>> {
    for control in [true, false] {
        let mut heaviest = 0.0;
        for kg in (1..=30).map(|k| 2.0 * f64::from(k)) {
            if follow(target, control, &[pack(target, kg)])?.fell_at_s.is_some() {
                break;
            }
            heaviest = kg;
        }
        println!("| {name} | {} | {heaviest} kg |", if control { "on" } else { "off" });
    }
    Ok(())
}
