//! Loops of real captures; skipped, and said so, without `UGOKI_CAPTURES`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use ugoki_base::no_progress;

use crate::join_support::{legs, legs_as_captured, slip_mm};
use ugoki_base::clip::Clip;
use ugoki_base::ground::{heading, wrap_angle};
use ugoki_feet::contact::{ContactConfig, find_contacts};
use ugoki_formats::{ReadOptions, read};
use ugoki_motion::edit::walk::build_gait;
use ugoki_motion::edit::{
    Cycle, CycleConfig, CycleError, Looped, Straight, Strides, close_cycle, find_cycle,
};

/// Gaits whose stride NOTES or the eye tells, seconds.
const STRIDES: [(&str, f64); 5] = [
    ("cmu/locomotion/35_05.bvh", 1.17),
    ("cmu/locomotion/35_32.bvh", 1.13),
    ("cmu/locomotion/35_10.bvh", 1.12),
    ("cmu/locomotion/16_15.bvh", 1.15),
    ("cmu/locomotion/35_25.bvh", 0.72),
];
/// Clips that their makers cut as loops: the frame after the last is the first.
const MADE: [&str; 5] = [
    "deepmimic/humanoid3d_walk.txt",
    "deepmimic/humanoid3d_run.txt",
    "dialects/makehuman_walk1.bvh",
    "gltf/CesiumMan.glb",
    "fbx/ozz_pab_jog.fbx",
];
/// Those of them that go somewhere, and so can be walked with.
const TRAVEL: [&str; 3] =
    ["deepmimic/humanoid3d_walk.txt", "deepmimic/humanoid3d_run.txt", "fbx/ozz_pab_jog.fbx"];
/// Gestures that come back.
const GESTURES: [&str; 3] = ["cmu/gesture/29_08.bvh", "cmu/gesture/111_37.bvh", "cmu/gesture/26_04.bvh"];
/// Motions that hold a pose before they move and never come back, or only to that pose.
const HOLDS: [&str; 5] = [
    "cmu/sport/64_01.bvh",
    "cmu/sport/64_05.bvh",
    "cmu/sport/10_05.bvh",
    "cmu/gesture/49_13.bvh",
    "cmu/defects/104_01.bvh",
];

/// Motions of people who stand with knees straight or a few degrees past it, and whose capture jitters.
const STRAIGHT: [&str; 2] = ["cmu/sport/79_91.bvh", "cmu/sport/141_11.bvh"];
/// The same, with more jitter than hips can give way to.
const JITTERS: [&str; 5] = [
    "cmu/gesture/80_13.bvh",
    "cmu/gesture/80_48.bvh",
    "cmu/gesture/141_21.bvh",
    "cmu/sport/80_10.bvh",
    "cmu/physics/77_02.bvh",
];

fn clips(names: &[&'static str]) -> Vec<(&'static str, Clip)> {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set ({} checks)", names.len());
        return Vec::new();
    };
    let load = |name: &&'static str| {
        let bytes = std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let extension = name.rsplit('.').next();
        (*name, read(&bytes, extension, &ReadOptions::default()).unwrap().clip)
    };
    names.iter().map(load).collect()
}

fn looped(clip: &Clip) -> Result<(Cycle, Looped), CycleError> {
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let config = CycleConfig { cycles: 3, ..CycleConfig::default() };
    let mut go = |_: f32| ControlFlow::Continue(());
    let cycle = find_cycle(clip, contacts.as_ref(), &config, &mut go)?;
    let done = close_cycle(clip, contacts.as_ref(), &cycle.frames, &config, &mut go)?;
    Ok((cycle, done))
}

/// Labelled heels and toes stay within a millimetre.
fn stands(name: &str, done: &Looped) {
    let slip = done.contacts.as_ref().map_or(0.0, |contacts| slip_mm(&done.clip, contacts));
    assert!(slip < 1.0, "{name}: {slip} mm");
}

#[test]
fn strides_of_captured_gaits_close_within_ordinary_change() {
    let names = STRIDES.map(|(name, _)| name);
    for ((name, clip), (_, seconds)) in clips(&names).iter().zip(STRIDES) {
        let (cycle, done) = looped(clip).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(cycle.is_stride, "{name}: {cycle:?}");
        let found = cycle.frames.len() as f64 / clip.fps();
        assert!((found - seconds).abs() <= 0.05, "{name}: {found} s");
        assert!(done.excess() <= 1.0, "{name}: {:?} against {:?}", done.seam, done.ordinary);
        stands(name, &done);
    }
}

#[test]
fn clips_made_as_loops_are_taken_whole() {
    for (name, clip) in clips(&MADE) {
        let (cycle, done) = looped(&clip).unwrap_or_else(|error| panic!("{name}: {error}"));
        let motion = clip.motion_frames();
        assert!(cycle.frames.len() + 2 >= motion.len(), "{name}: {:?} of {motion:?}", cycle.frames);
        // Closing never makes worse what its maker closed.
        let (before, after) = (done.before.over(&done.ordinary), done.excess());
        assert!(after <= before.max(1.0), "{name}: {after} times ordinary, {before} as it was made");
        stands(name, &done);
    }
}

#[test]
fn a_held_pose_of_a_capture_is_no_cycle() {
    for (name, clip) in clips(&HOLDS) {
        let error = looped(&clip).map(|(cycle, _)| cycle).expect_err(name);
        assert!(matches!(error, CycleError::Open { .. } | CycleError::Still), "{name}: {error}");
    }
}

#[test]
fn feet_that_stand_over_the_seam_stay_though_the_body_turns() {
    for (name, clip) in clips(&["cmu/sport/10_01.bvh"]) {
        let (_, done) = looped(&clip).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(done.excess() <= 1.5, "{name}: {:?} against {:?}", done.seam, done.ordinary);
        let held = done
            .contacts
            .as_ref()
            .map_or(0, |contacts| contacts.feet.iter().map(|foot| foot.any().len()).sum());
        assert!(held > 0, "{name}: no foot is held");
        stands(name, &done);
    }
}

#[test]
fn knees_and_legs_of_loops_are_as_captured() {
    let walks = STRIDES.map(|(name, _)| name);
    for (name, clip) in clips(&STRAIGHT).into_iter().chain(clips(&walks)) {
        let (_, done) = looped(&clip).unwrap_or_else(|error| panic!("{name}: {error}"));
        legs_as_captured(name, &done.clip, &[&clip]);
        assert!(done.strain <= 1.0, "{name}: {}", done.strain);
        stands(name, &done);
    }
}

#[test]
fn knees_never_flip_and_knees_that_twitch_are_told() {
    for (name, clip) in clips(&JITTERS) {
        let (_, done) = looped(&clip).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (now, own) = (legs(&done.clip), legs(&clip));
        // Flips were 40 to 75 mm; what is left of the jitter is a fifth of that.
        assert!(now.flips == 0 && now.leap_mm < own.leap_mm + 9.0, "{name}: {now:?}, captured {own:?}");
        assert_eq!(
            done.strain > 1.0,
            now.knee_deg_s > (1.3 * own.knee_deg_s).max(150.0),
            "{name}: {now:?} {}",
            done.strain
        );
        stands(name, &done);
    }
}

#[test]
fn gestures_of_captures_close_within_ordinary_change() {
    for (name, clip) in clips(&GESTURES) {
        let (_, done) = looped(&clip).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(done.excess() <= 1.0, "{name}: {:?} against {:?}", done.seam, done.ordinary);
        stands(name, &done);
    }
}

#[test]
fn a_clip_made_as_a_loop_is_walked_with() {
    let go = &mut no_progress();
    for (name, clip) in clips(&TRAVEL) {
        let gait = build_gait(&clip, go).unwrap_or_else(|error| panic!("{name}: {error}"));
        let stride_m = [gait.stride_m(); 2];
        let plan = gait.plan(&Strides { stride_m, count: 6, turn_deg: 0.0 }).expect("a plan");
        let walked = gait.walk(&plan, false, go).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(walked.steps.len(), 6, "{name}");
        let missed_m = walked.steps.iter().map(|step| step.reached.distance(step.planned.place));
        assert!(missed_m.fold(0.0, f32::max) < 1e-3, "{name}");
    }
}

#[test]
fn strides_go_straight_where_that_closes_nearly_as_well() {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set (1 check)");
        return;
    };
    let mut straightened = 0;
    for entry in std::fs::read_dir(folder.join("cmu/locomotion")).unwrap().flatten() {
        let bytes = std::fs::read(entry.path()).unwrap();
        let clip = read(&bytes, Some("bvh"), &ReadOptions::default()).unwrap().clip;
        let contacts = find_contacts(&clip, &ContactConfig::default()).ok();
        let found = [Straight::No, Straight::Auto, Straight::Yes].map(|straight| {
            find_cycle(
                &clip,
                contacts.as_ref(),
                &CycleConfig { straight, ..CycleConfig::default() },
                &mut no_progress(),
            )
        });
        let [Ok(best), Ok(auto), Ok(yes)] = found else { continue };
        let turn = |cycle: &Cycle| {
            let at = |frame: usize| {
                let pose = clip.model_pose(frame.min(clip.num_frames() - 1));
                heading(clip.skeleton(), &pose.positions).unwrap_or(0.0)
            };
            wrap_angle(at(cycle.frames.end) - at(cycle.frames.start)).abs().to_degrees()
        };
        assert!(auto == best || auto == yes, "{:?}", entry.path());
        if best != yes {
            straightened += 1;
            assert!(turn(&yes) <= 10.0 && turn(&best) > 10.0, "{:?}", entry.path());
        }
    }
    assert!(straightened > 0, "no capture shows it any more");
}
