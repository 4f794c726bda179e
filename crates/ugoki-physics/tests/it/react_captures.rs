//! Captures of squats, lifts, jumps, dances and flips, undisturbed and pushed; skipped, and said so, without
//! `UGOKI_CAPTURES`.

use std::path::PathBuf;
use std::sync::Arc;
use ugoki_base::no_progress;

use ugoki_base::skeleton::Role;
use ugoki_formats::{ReadOptions, read};
use ugoki_physics::react::{Config, Control, Event, Push, Reaction, Target, react, react_to};

#[test]
fn captures_are_followed() {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES") else {
        return println!("skipped: UGOKI_CAPTURES is not set (25 checks)");
    };
    let folder = PathBuf::from(folder).join("cmu").join("physics");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let (mut followed, mut close) = (0, 0);
    for file in &files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let clip = read(&std::fs::read(file).unwrap(), Some("bvh"), &ReadOptions::default()).unwrap().clip;
        let result = react(&clip, &Config::default(), &[], None, &mut no_progress());
        let reaction = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        let n = reaction.frames.len() as f64;
        let rms = (reaction.frames.iter().map(|f| f.tracking_error_deg.powi(2)).sum::<f64>() / n).sqrt();
        let worst = reaction.frames.iter().map(|f| f.tracking_error_deg).fold(0.0, f64::max);
        let force =
            |f: &ugoki_physics::react::Frame| f.residual_force_n.iter().map(|x| x * x).sum::<f64>().sqrt();
        let odd = reaction.frames.iter().filter(|f| force(f) > 32.0).count() as f64 / n;
        println!(
            "| {name} | {} | {rms:.2} | {worst:.1} | {:.0} % | {} |",
            reaction.frames.len(),
            100.0 * odd,
            reaction.fell_at_s.map_or("—".into(), |t| format!("{t:.2} s"))
        );
        assert!(rms.is_finite() && worst.is_finite(), "{name}");
        let none = |f: &ugoki_physics::react::Frame| {
            [f.corrections.arms, f.corrections.back, f.corrections.lower] == [0.0; 3]
        };
        assert!(reaction.frames.iter().all(none), "{name}");
        followed += usize::from(reaction.fell_at_s.is_none());
        close += usize::from(rms < 0.5);
    }
    println!("{followed} of {} followed to the end, {close} within 0.5°", files.len());
    // Measured: all, and all; 19_04 has 0.47°.
    assert!(followed == files.len() && close + 1 >= files.len(), "{followed}, {close}");
}

#[test]
fn control_fells_no_captured_body() {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES") else {
        return println!("skipped: UGOKI_CAPTURES is not set (80 checks)");
    };
    let mut totals = [0, 0];
    for name in ["22_14", "77_02", "115_01", "104_15", "49_18"] {
        let file = PathBuf::from(&folder).join("cmu").join("physics").join(format!("{name}.bvh"));
        let clip = read(&std::fs::read(file).unwrap(), Some("bvh"), &ReadOptions::default()).unwrap().clip;
        let clip = clip.trimmed(0..clip.num_frames().min(360)).unwrap();
        let go_on = &mut no_progress();
        let target = Arc::new(Target::build(&clip, &Config::default(), go_on).unwrap());
        let mut survived = [0, 0];
        for (direction, size) in (0..8).flat_map(|d| [20.0, 30.0].map(|size| (d, size))) {
            let (sine, cosine) = (f64::from(direction) * std::f64::consts::FRAC_PI_4).sin_cos();
            let impulse_n_s = [size * sine, 0.0, size * cosine];
            let push = Event::Push(Push { at_s: 0.5, role: Role::Chest, impulse_n_s, seconds: 0.0 });
            let stands = |control: bool| {
                let config =
                    Config { control: if control { Control::On } else { Control::Off }, ..Config::default() };
                let go_on = &mut no_progress();
                react_to(&target, &config, &[push], None, go_on).unwrap().fell_at_s.is_none()
            };
            let (on, off) = (stands(true), stands(false));
            assert!(on || !off, "{name} {}° {size} N·s falls only with control", 45 * direction);
            survived = [survived[0] + usize::from(on), survived[1] + usize::from(off)];
        }
        println!("{name}: {survived:?} of 16 with and without control");
        totals = [totals[0] + survived[0], totals[1] + survived[1]];
    }
    assert!(totals[0] >= totals[1] + 20, "{totals:?}");
}

#[test]
fn a_body_tipping_over_its_feet_is_not_taken_for_settled() {
    // Rollouts ended once the joints were right, also of a pelvis on its way down: 115_06 fell, 104_15 ended 10° off,
    // and of two blows the second felled only with control.
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES") else {
        return println!("skipped: UGOKI_CAPTURES is not set (4 checks)");
    };
    let push = |at_s, role, impulse_n_s| Event::Push(Push { at_s, role, impulse_n_s, seconds: 0.0 });
    let hand = push(0.501, Role::LeftHand, [-13.05, 0.0, 3.8]);
    let arm = push(2.267, Role::LeftUpperArm, [-13.11, 0.0, 9.3]);
    let nudge = push(2.587, Role::Chest, [0.349, 0.0, -0.358]);
    for (name, events) in [
        ("104_15", vec![push(0.5, Role::Chest, [5.0, 0.0, 0.0])]),
        ("115_06", vec![hand]),
        ("115_06", vec![arm, hand]),
        ("16_03", vec![nudge]),
    ] {
        let file = PathBuf::from(&folder).join("cmu").join("physics").join(format!("{name}.bvh"));
        let clip = read(&std::fs::read(file).unwrap(), Some("bvh"), &ReadOptions::default()).unwrap().clip;
        let go_on = &mut no_progress();
        let target = Arc::new(Target::build(&clip, &Config::default(), go_on).unwrap());
        let [on, off] = [true, false].map(|control| {
            let config =
                Config { control: if control { Control::On } else { Control::Off }, ..Config::default() };
            react_to(&target, &config, &events, None, &mut no_progress()).unwrap()
        });
        let last = |reaction: &Reaction| reaction.frames.last().map_or(0.0, |frame| frame.tracking_error_deg);
        println!(
            "{name}: {:?} {:.1}° at the end, without control {:?} {:.1}°",
            on.fell_at_s,
            last(&on),
            off.fell_at_s,
            last(&off)
        );
        assert!(on.fell_at_s.is_none(), "{name}: {:?}", on.fell_at_s);
        assert!(
            !off.outcome.follows() || on.outcome.follows(),
            "{name}: {:.1}° against {:.1}°",
            last(&on),
            last(&off)
        );
    }
}
