//! The tables of `docs/results/segments.md`, "Joining" and "Looping": every capture looped, every ordered pair spliced.
//!
//! `UGOKI_CAPTURES=DIR cargo run --release -p ugoki --example seam_table cmu|seen|unseen|NAME loop|splice`; without the
//! variable it says so and ends.

#[path = "../captures/mod.rs"]
mod captures;
mod judge;

use std::ops::{ControlFlow, Range};

use captures::Capture;
use judge::{Judged, Source, judge};
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::edit::{CycleConfig, SpliceConfig, close_cycle, find_cycle, splice};
use ugoki::job;

/// Motions that stand or step among gestures: they are spliced with every walk and run.
const STANDING: [&str; 3] = ["141_16", "111_37", "79_31"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let what = std::env::args().nth(2).unwrap_or_default();
    let Some(captures) = captures::wanted()? else { return Ok(()) };
    match what.as_str() {
        "loop" => loops(&captures),
        "splice" => splices(&captures),
        _ => println!("loop or splice?"),
    }
    Ok(())
}

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn set(capture: &Capture) -> &'static str {
    if capture.unseen { "unseen" } else { "seen" }
}

fn loops(captures: &[Capture]) {
    println!(
        "| capture | set | kind | cycle s | gap cm | seam mm / mm/s / ° | ordinary mm / mm/s / ° | contact mm | source mm | \
         accel. at seam | in window | hinge ° | hips mm |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    let mut all = Vec::new();
    for capture in captures {
        if !capture.name.contains("locomotion") && !capture.name.contains("gesture") {
            continue;
        }
        let Ok(clip) = capture.load() else { continue };
        let contacts = find_contacts(&clip, &ContactConfig::default()).ok();
        let config = CycleConfig {
            cycles: 3,
            blend_s: knob("BLEND", CycleConfig::default().blend_s),
            ..CycleConfig::default()
        };
        let found = match find_cycle(&clip, contacts.as_ref(), &config, &mut go) {
            Ok(found) => found,
            Err(error) => {
                println!("| {} | {} | {error} |", capture.name, set(capture));
                continue;
            }
        };
        let looped = match close_cycle(&clip, contacts.as_ref(), &found.frames, &config, &mut go) {
            Ok(looped) => looped,
            Err(error) => {
                println!("| {} | {} | {error} |", capture.name, set(capture));
                continue;
            }
        };
        let half = (0.5 * config.blend_s * clip.fps()).round() as usize;
        let seams: Vec<usize> = vec![looped.period, 2 * looped.period];
        let windows: Vec<Range<usize>> = seams.iter().map(|s| s.saturating_sub(half)..s + half).collect();
        let source = Source::of(&clip, contacts.as_ref());
        let judged = judge(&looped.clip, looped.contacts.as_ref(), &seams, &windows, &[&source]);
        let (s, o) = (&looped.seam, &looped.ordinary);
        println!(
            "| {} | {} | {} | {:.3} | {:.1} | {:.1} / {:.0} / {:.2} | {:.1} / {:.0} / {:.2} | {} | {:.0} |",
            capture.name,
            set(capture),
            if found.is_stride { "stride" } else { "longest" },
            looped.period as f64 / clip.fps(),
            100.0 * found.gap_m,
            s.position_mm,
            s.velocity_mm_s,
            s.rotation_deg,
            o.position_mm,
            o.velocity_mm_s,
            o.rotation_deg,
            judged.cells(),
            1e3 * looped.hips_m,
        );
        all.push((capture.name.clone(), s.within(o), judged));
    }
    summary("Loops", &all);
}

fn splices(captures: &[Capture]) {
    let used: Vec<(&Capture, Clip)> = captures
        .iter()
        .filter(|c| c.name.contains("locomotion") || STANDING.iter().any(|s| c.name.ends_with(s)))
        .filter_map(|capture| {
            let mut clip = capture.load().ok()?;
            clip.name = capture.name.rsplit('/').next().unwrap_or_default().to_owned();
            Some((capture, clip))
        })
        .collect();
    println!(
        "| first | second | trimmed s | seam before mm / mm/s / ° | after | ordinary | contact mm | source mm | accel. at seam | \
         in window | hinge ° | hips mm |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    let mut all = Vec::new();
    for (first, a) in &used {
        let own = Source::of(a, find_contacts(a, &ContactConfig::default()).ok().as_ref());
        for (second, b) in &used {
            let moved = match **a.skeleton() == **b.skeleton() {
                true => b.clone(),
                false => match job::onto(b, a, &mut go) {
                    Ok(done) => done.clip,
                    Err(error) => {
                        println!("| {} | {} | {error} |", first.name, second.name);
                        continue;
                    }
                },
            };
            let config = SpliceConfig {
                blend_s: knob("BLEND", SpliceConfig::default().blend_s),
                ..SpliceConfig::default()
            };
            let done = match splice(&[a, &moved], &config, &mut go) {
                Ok(done) => done,
                Err(error) => {
                    println!("| {} | {} | {error} |", first.name, second.name);
                    continue;
                }
            };
            let other = Source::of(&moved, find_contacts(&moved, &ContactConfig::default()).ok().as_ref());
            let half = (0.5 * config.blend_s * a.fps()).round() as usize;
            let seam = &done.seams[0];
            let window = seam.frame.saturating_sub(half)..(seam.frame + half).min(done.clip.num_frames());
            let judged = judge(&done.clip, done.contacts.as_ref(), &[seam.frame], &[window], &[&own, &other]);
            let (p, s, o) = (&seam.before, &seam.after, &done.ordinary);
            println!(
                "| {} | {} | {:.2} + {:.2} | {:.0} / {:.0} / {:.1} | {:.1} / {:.0} / {:.2} | {:.1} / {:.0} / {:.2} | {} | {:.0} |",
                a.name,
                b.name,
                done.clips[0].trimmed_s[1],
                done.clips[1].trimmed_s[0],
                p.position_mm,
                p.velocity_mm_s,
                p.rotation_deg,
                s.position_mm,
                s.velocity_mm_s,
                s.rotation_deg,
                o.position_mm,
                o.velocity_mm_s,
                o.rotation_deg,
                judged.cells(),
                1e3 * done.hips_m,
            );
            all.push((format!("{} → {}", a.name, b.name), s.within(o), judged));
        }
    }
    summary("Splices", &all);
}

fn summary(title: &str, rows: &[(String, bool, Judged)]) {
    if rows.is_empty() {
        return;
    }
    println!("\n{title}: {} in all", rows.len());
    let bad = |what: &str, failing: &dyn Fn(&(String, bool, Judged)) -> bool| {
        let names: Vec<&str> = rows.iter().filter(|row| failing(row)).map(|row| row.0.as_str()).collect();
        println!(
            "- {what}: {} {}",
            names.len(),
            names.iter().take(40).copied().collect::<Vec<_>>().join(", ")
        );
    };
    bad("seam larger than ordinary", &|row| !row.1);
    bad("contact moves 1 mm or more", &|row| row.2.contact_mm >= 1.0);
    bad("hinge flips", &|row| row.2.flips());
    bad("acceleration at the seam over 1.5", &|row| row.2.seam_accel > 1.5);
    bad("acceleration in the window over 1.5", &|row| row.2.window_accel > 1.5);
    let worst = |what: &str, value: &dyn Fn(&Judged) -> f64| {
        let mut order: Vec<(f64, &str)> = rows.iter().map(|r| (value(&r.2), r.0.as_str())).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let middle = order[order.len() / 2].0;
        println!("- {what}: median {middle:.2}, worst {:.2} ({})", order[0].0, order[0].1);
    };
    worst("contact, mm", &|j| j.contact_mm);
    worst("source skate, mm", &|j| j.source_mm);
    worst("acceleration at seam", &|j| j.seam_accel);
    worst("acceleration in window", &|j| j.window_accel);
    worst("hinge past its source, °", &|j| j.hinge_deg);
    worst("under the source's lowest, mm", &|j| j.under_mm);
}

fn knob(name: &str, usual: f64) -> f64 {
    std::env::var(format!("KNOB_{name}")).ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}
