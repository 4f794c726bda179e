//! What finding and closing a cycle must keep, on the sample motions and on clips that are hardly any.

use std::ops::ControlFlow;

use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_feet::contact::{ContactConfig, Contacts, find_contacts};
use ugoki_motion::edit::{
    CycleConfig, CycleError, Drift, GroundFrame, Looped, Pick, close_cycle, find_cycle, splice,
};
use ugoki_sample as sample;

use crate::join_support::{apart, finite, legless, slip_mm, stretch};

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn contacts(clip: &Clip) -> Option<Contacts> {
    find_contacts(clip, &ContactConfig::default()).ok()
}

fn looped(clip: &Clip, config: &CycleConfig) -> Result<Looped, CycleError> {
    let contacts = contacts(clip);
    let cycle = find_cycle(clip, contacts.as_ref(), config, &mut go)?;
    close_cycle(clip, contacts.as_ref(), &cycle.frames, config, &mut go)
}

/// Frames of one authored cycle: four in the walks, six in the run.
fn authored(name: &str) -> usize {
    let clip = sample::clip(name).unwrap();
    clip.num_frames() / if name == "run" { 6 } else { 4 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn any_stretch_can_be_closed_and_repeats_exactly(
        motion in 0..64_usize, start in 0.0..0.6_f64, length in 0.1..0.4_f64, cycles in 1..4_usize, blend_s in 0.0..1.0_f64, removed in any::<bool>(),
    ) {
        let clip = sample::motions()[motion % sample::motions().len()].clip();
        let n = clip.num_frames() as f64;
        let from = (start * n) as usize;
        let frames = from..from + ((length * n) as usize).max(4);
        let drift = if removed { Drift::Remove } else { Drift::Keep };
        let config = CycleConfig { cycles, blend_s, drift, ..CycleConfig::default() };
        let done = close_cycle(&clip, contacts(&clip).as_ref(), &frames, &config, &mut go).unwrap();
        prop_assert_eq!(done.clip.num_frames(), cycles * frames.len());
        prop_assert!(finite(&done.clip) && stretch(&done.clip) < 1e-5);
        let mut place = GroundFrame::HERE;
        for k in 1..cycles {
            place = done.offset.after(&place);
            for frame in 0..done.period {
                let first = done.clip.pose(frame);
                let there = done.clip.pose(k * done.period + frame);
                prop_assert_eq!(place.point(first.root), there.root);
                for joint in 1..clip.num_joints() {
                    let (p, q) = (first.rotations[joint], there.rotations[joint]);
                    prop_assert!(p == q || p == -q);
                }
            }
        }
        if let Some(contacts) = &done.contacts {
            let slip = slip_mm(&done.clip, contacts);
            prop_assert!(slip < 1.0, "{} {:?} slips {} mm", clip.name, frames, slip);
        }
        prop_assert!(!removed || done.offset == GroundFrame::HERE);
    }

    #[test]
    fn closing_what_is_closed_changes_nothing(name in prop::sample::select(vec!["walk", "run", "walk-in-place", "walk-slow"])) {
        let clip = sample::clip(name).unwrap();
        let once = looped(&clip, &CycleConfig { cycles: 3, ..CycleConfig::default() }).unwrap();
        let frames = once.period..2 * once.period;
        let again = close_cycle(&once.clip, once.contacts.as_ref(), &frames, &CycleConfig::default(), &mut go).unwrap();
        let (distance, angle) = apart(&once.clip.trimmed(frames).unwrap(), &again.clip);
        // f32 metres some metres from the origin, through nearly straight legs.
        prop_assert!(distance < 1e-3 && angle < 1e-2, "{} {} m {} rad", name, distance, angle);
    }
}

#[test]
fn a_gait_gives_one_stride_of_its_authored_length() {
    for name in ["walk", "walk-slow", "walk-fast", "walk-in-place", "run"] {
        let clip = sample::clip(name).unwrap();
        let cycle = find_cycle(&clip, contacts(&clip).as_ref(), &CycleConfig::default(), &mut go).unwrap();
        assert!(cycle.is_stride, "{name}");
        let wanted = authored(name);
        assert!(cycle.frames.len().abs_diff(wanted) <= 1, "{name}: {:?} against {wanted}", cycle.frames);
        let done = looped(&clip, &CycleConfig::default()).unwrap();
        // The sample's curves are smoother than any capture: half as much again as their own 99 % is still far from a pop.
        assert!(done.seam.within(&done.ordinary.times(1.5)), "{name}: {:?} {:?}", done.seam, done.ordinary);
    }
}

#[test]
fn standing_still_does_not_win_over_walking() {
    let mut parts = vec![sample::clip("idle").unwrap(), sample::clip("start").unwrap()];
    parts.push(sample::clip("walk").unwrap());
    let all: Vec<&Clip> = parts.iter().collect();
    let joined = splice(&all, &ugoki_motion::edit::SpliceConfig::default(), &mut go).unwrap();
    let walk = joined.clips[2].start;
    let found = contacts(&joined.clip);
    let cycle = find_cycle(&joined.clip, found.as_ref(), &CycleConfig::default(), &mut go).unwrap();
    assert!(cycle.is_stride && cycle.frames.start + 30 >= walk, "{cycle:?}, the walk begins at {walk}");
    let longest = CycleConfig { pick: Pick::Longest, ..CycleConfig::default() };
    let walk = sample::clip("walk").unwrap();
    let cycle = find_cycle(&walk, contacts(&walk).as_ref(), &longest, &mut go).unwrap();
    assert!(cycle.frames.len() > 2 * authored("walk"), "{:?}", cycle.frames);
}

#[test]
fn a_held_pose_is_no_cycle_of_a_motion_that_moves() {
    for gesture in ["throw", "bow", "front-kick"] {
        let parts = [sample::clip("idle").unwrap(), sample::clip(gesture).unwrap()];
        let joined =
            splice(&[&parts[0], &parts[1]], &ugoki_motion::edit::SpliceConfig::default(), &mut go).unwrap();
        let begins = joined.clips[1].start;
        match find_cycle(&joined.clip, contacts(&joined.clip).as_ref(), &CycleConfig::default(), &mut go) {
            Ok(cycle) => assert!(cycle.frames.end > begins, "{gesture}: {cycle:?}, it begins at {begins}"),
            Err(error) => {
                assert!(matches!(error, CycleError::Open { .. } | CycleError::Still), "{gesture}: {error}");
            }
        }
    }
}

#[test]
fn a_clip_made_as_a_loop_is_one() {
    for name in ["walk", "walk-in-place", "run"] {
        let clip = sample::clip(name).unwrap();
        let period = authored(name);
        let own = clip.trimmed(7..7 + period).unwrap();
        let cycle = find_cycle(&own, contacts(&own).as_ref(), &CycleConfig::default(), &mut go)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(cycle.frames, 0..period, "{name}");
        let done = looped(&own, &CycleConfig { cycles: 3, ..CycleConfig::default() }).unwrap();
        assert!(done.excess() <= 1.5, "{name}: {:?} {:?}", done.seam, done.ordinary);
        let (distance, _) = apart(&done.clip.trimmed(0..period).unwrap(), &own);
        // It needs no closing; feet are put where they stand over the seam.
        assert!(distance < 0.03, "{name}: {distance} m");
    }
}

#[test]
fn gestures_and_bodies_without_legs_have_loops() {
    for name in ["wave", "clap", "bow", "sway", "nod", "squat", "idle"] {
        let clip = sample::clip(name).unwrap();
        let done = looped(&clip, &CycleConfig { cycles: 2, ..CycleConfig::default() })
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(done.seam.within(&done.ordinary.times(1.5)), "{name}: {:?} {:?}", done.seam, done.ordinary);
        assert!(10 * done.period > 6 * clip.num_frames(), "{name}: {} of {}", done.period, clip.num_frames());
    }
    // The arm swings in 20 frames; one frame less still closes, and the longest cycle is wanted.
    let arm = legless(60);
    let done = looped(&arm, &CycleConfig::default()).unwrap();
    assert!((1 + done.period) % 20 <= 2, "{} frames", done.period);
    assert!(done.seam.within(&done.ordinary.times(1.5)), "{:?} {:?}", done.seam, done.ordinary);
}

#[test]
fn what_is_no_cycle_is_refused_by_name() {
    let walk = sample::clip("walk").unwrap();
    for frames in 0..5 {
        let short = Clip::at_rest(walk.skeleton().clone(), 60.0, frames).unwrap();
        let error = looped(&short, &CycleConfig::default()).unwrap_err();
        assert!(matches!(error, CycleError::TooShort { .. }), "{error}");
    }
    let close = |frames, config: CycleConfig| close_cycle(&walk, None, &frames, &config, &mut go);
    assert!(matches!(close(0..2, CycleConfig::default()), Err(CycleError::Range { .. })));
    assert!(matches!(close(10..99_999, CycleConfig::default()), Err(CycleError::Range { .. })));
    for cycles in [0, usize::MAX] {
        let config = CycleConfig { cycles, ..CycleConfig::default() };
        assert!(matches!(close(0..60, config), Err(CycleError::Cycles { .. })));
    }
    let nan = CycleConfig { blend_s: f64::NAN, ..CycleConfig::default() };
    assert!(matches!(close(0..60, nan), Err(CycleError::Seconds { .. })));
    // Half a throw never comes back.
    let strict = CycleConfig { gate_m: 1e-6, ..CycleConfig::default() };
    let half = sample::clip("throw").unwrap().trimmed(0..120).unwrap();
    let error = looped(&half, &strict).expect_err("half a throw is no loop");
    assert!(matches!(error, CycleError::Open { .. } | CycleError::Still), "{error}");
}
