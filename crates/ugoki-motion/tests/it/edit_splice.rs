//! What joining clips must keep, on the sample motions and on clips that are hardly any.

use std::ops::ControlFlow;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_motion::edit::{FeetAt, GroundFrame, SpliceConfig, SpliceError, Spliced, splice, splice_from};
use ugoki_sample as sample;

use crate::join_support::{apart, finite, legless, slip_mm, stretch, turned};

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn join(clips: &[&Clip], config: &SpliceConfig) -> Spliced {
    splice(clips, config, &mut go).expect("clips of one skeleton")
}

fn motion(index: usize) -> Clip {
    sample::motions()[index % sample::motions().len()].clip()
}

fn config() -> impl Strategy<Value = SpliceConfig> {
    (0.0..1.2_f64, 0.0..0.6_f64, any::<bool>()).prop_map(|(blend_s, trim_s, all)| SpliceConfig {
        blend_s,
        trim_s,
        feet: if all { FeetAt::All } else { FeetAt::Seam },
    })
}

fn place() -> impl Strategy<Value = GroundFrame> {
    (-3.0..3.0_f32, -4.0..4.0_f32, -4.0..4.0_f32)
        .prop_map(|(yaw, x, z)| GroundFrame { yaw, shift: Vec3::new(x, 0.0, z) })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn labelled_feet_stand_bones_keep_their_lengths_and_nothing_is_nan(
        a in 0..64_usize, b in 0..64_usize, c in 0..64_usize, config in config(),
    ) {
        let clips = [motion(a), motion(b), motion(c)];
        let done = join(&clips.each_ref(), &config);
        prop_assert!(finite(&done.clip));
        prop_assert!(stretch(&done.clip) < 1e-5);
        prop_assert_eq!(done.clip.num_frames(), done.clips.iter().map(|clip| clip.frames).sum::<usize>());
        if config.feet == FeetAt::All {
            let slip = slip_mm(&done.clip, done.contacts.as_ref().expect("the sample actor has legs"));
            prop_assert!(slip < 1.0, "{slip} mm");
        }
        for seam in &done.seams {
            // Half a frame's worth of f32 metres over the rate: the velocity agrees, so the step is one of the motions' own.
            prop_assert!(seam.after.position_mm <= 1.5 * done.ordinary.position_mm + 5.0, "{seam:?} {:?}", done.ordinary);
        }
    }

    #[test]
    fn frames_away_from_seams_are_the_sources_to_the_last_bit(
        a in 0..64_usize, b in 0..64_usize, blend_s in 0.0..0.8_f64, trim_s in 0.0..0.6_f64,
    ) {
        let clips = [motion(a), motion(b)];
        let config = SpliceConfig { blend_s, trim_s, feet: FeetAt::Seam };
        let done = join(&clips.each_ref(), &config);
        for (clip, part) in clips.iter().zip(&done.clips) {
            let moved = clip.carried(&part.placement);
            for (frame, source) in part.source.clone().enumerate() {
                let frame = part.start + frame;
                if done.edited.iter().any(|range| range.contains(&frame)) {
                    continue;
                }
                prop_assert_eq!(done.clip.root().get(frame), moved.root().get(source));
                for joint in 0..clip.num_joints() {
                    let (p, q) = (done.clip.rotation(joint, frame), moved.rotation(joint, source));
                    prop_assert!(p == q || p == -q, "joint {} in frame {}", joint, frame);
                }
            }
        }
    }

    #[test]
    fn moving_either_clip_over_the_ground_moves_the_result_with_the_first(
        a in 0..64_usize, b in 0..64_usize, first in place(), second in place(),
    ) {
        let (one, two) = (motion(a), motion(b));
        let config = SpliceConfig::default();
        let here = join(&[&one, &two], &config);
        let there = join(&[&one.carried(&first), &two.carried(&second)], &config);
        prop_assert_eq!(here.clips[0].frames, there.clips[0].frames);
        // f32 metres some metres from the origin, through legs that are nearly straight: 2 mm and half a degree.
        let (distance, angle) = apart(&here.clip.carried(&first), &there.clip);
        prop_assert!(distance < 2e-3 && angle < 1e-2, "{} m, {} rad", distance, angle);
    }

    #[test]
    fn clips_captured_at_other_heights_are_put_on_the_first_floor(
        a in 0..64_usize, b in 0..64_usize, y in -1.0..1.0_f32,
    ) {
        let (one, two) = (motion(a), motion(b));
        let up = GroundFrame { yaw: 0.0, shift: Vec3::new(0.0, y, 0.0) };
        let here = join(&[&one, &two], &SpliceConfig::default());
        let there = join(&[&one, &two.carried(&up)], &SpliceConfig::default());
        prop_assert_eq!(here.clips[0].frames, there.clips[0].frames);
        let (distance, angle) = apart(&here.clip, &there.clip);
        prop_assert!(distance < 2e-3 && angle < 1e-2, "{} m, {} rad", distance, angle);
    }

    #[test]
    fn a_chain_of_one_clip_stays_level(heights in prop::collection::vec(-0.3..0.3_f32, 2..8), run in any::<bool>()) {
        let clip = sample::clip(if run { "run" } else { "walk" }).unwrap();
        let raised: Vec<Clip> = heights
            .iter()
            .map(|&y| clip.carried(&GroundFrame { yaw: 0.0, shift: Vec3::new(0.0, y, 0.0) }))
            .collect();
        let done = join(&raised.iter().collect::<Vec<_>>(), &SpliceConfig::default());
        for (part, y) in done.clips.iter().zip(&heights) {
            let error = part.shift_m[1] - (heights[0] - y);
            prop_assert!(error.abs() < 1e-4, "{} m off after {} clips", error, heights.len());
        }
        for seam in &done.seams {
            let step = seam.body.floor_step_mm.expect("feet stand on both sides");
            prop_assert!(step.abs() < 20.0, "{} mm at {} s", step, seam.at_s);
        }
    }

    #[test]
    fn acceleration_of_the_hips_at_seams_is_measured(a in 0..64_usize, b in 0..64_usize) {
        let clips = [motion(a), motion(b)];
        let done = join(&clips.each_ref(), &SpliceConfig::default());
        let fps = done.clip.fps();
        let step = (fps / 30.0).round() as usize;
        let hips = |frame: usize| done.clip.model_pose(frame).positions[0].as_dvec3();
        let seam = &done.seams[0];
        let half = (0.5 * fps).round() as usize;
        let near = seam.frame.saturating_sub(half).max(step)..(seam.frame + half).min(done.clip.num_frames() - step);
        let largest = near
            .map(|f| (hips(f + step) - 2.0 * hips(f) + hips(f - step)).length() * (fps / step as f64).powi(2))
            .fold(0.0, f64::max);
        prop_assert!((largest - seam.body.hips_m_s2).abs() < 1e-6 * (1.0 + largest), "{} {:?}", largest, seam.body);
    }

    #[test]
    fn a_clip_cut_in_two_comes_back(index in 0..64_usize, share in 0.3..0.7_f64) {
        let whole = motion(index);
        // A cut through a step leaves open which floor the second half stands on.
        prop_assume!(!whole.name.starts_with("step"));
        let cut = (share * whole.num_frames() as f64) as usize;
        let (a, b) = (whole.trimmed(0..cut).unwrap(), whole.trimmed(cut..whole.num_frames()).unwrap());
        let config = SpliceConfig { trim_s: 0.0, feet: FeetAt::Seam, ..SpliceConfig::default() };
        let done = join(&[&a, &b], &config);
        prop_assert_eq!(done.clip.num_frames(), whole.num_frames());
        // What is unknown is the acceleration over the cut, 100 m/s² at a runner's foot: 3 cm in a sixtieth of a second, and
        // as much again where the second half is turned by it. The worst of all motions, cut at every third frame, is the run's with
        // 0.13 m at the toes of a swinging foot.
        let (distance, _) = apart(&done.clip, &whole);
        prop_assert!(distance < 0.15, "{} {} m", whole.name, distance);
    }
}

#[test]
fn the_step_over_a_seam_is_no_larger_than_those_beside_it() {
    for (a, b) in
        [("walk", "walk-fast"), ("walk", "stop"), ("start", "run"), ("walk", "step-down"), ("wave", "bow")]
    {
        let clips = [sample::clip(a).unwrap(), sample::clip(b).unwrap()];
        let done = join(&clips.each_ref(), &SpliceConfig::default());
        let (seam, ordinary) = (&done.seams[0].after, &done.ordinary);
        // The sample's curves are smoother than any capture, and a walk that must stand at once stops its foot harder than it ever
        // does by itself (walk → step-down: 1.9 times): twice their own 99 % is still far from a pop.
        let bound = ordinary.times(2.0);
        assert!(seam.within(&bound), "{a} → {b}: {seam:?}, ordinary {ordinary:?}");
    }
}

#[test]
fn clips_of_a_frame_or_two_and_bodies_without_legs_are_joined() {
    let walk = sample::clip("walk").unwrap();
    for frames in 1..4 {
        let short = walk.trimmed(10..10 + frames).unwrap();
        for clips in [[&short, &walk], [&walk, &short], [&short, &short]] {
            for trim_s in [0.0, 1.0] {
                let done = join(&clips, &SpliceConfig { trim_s, ..SpliceConfig::default() });
                assert!(finite(&done.clip) && done.clip.num_frames() >= 2);
            }
        }
    }
    let (arm, none) = (legless(40), legless(1));
    let done = join(&[&arm, &none, &arm], &SpliceConfig::default());
    assert!(finite(&done.clip) && done.contacts.is_none());
}

#[test]
fn other_rates_are_brought_to_the_first_and_impossible_wishes_are_refused() {
    let walk = sample::clip("walk").unwrap();
    let film = walk.resampled(24.0).unwrap();
    let done = join(&[&walk, &film], &SpliceConfig::default());
    assert!(done.clips[1].resampled && done.clip.fps() == walk.fps());
    let refused = |clips: &[&Clip], config: SpliceConfig| splice(clips, &config, &mut go).unwrap_err();
    assert!(matches!(refused(&[], SpliceConfig::default()), SpliceError::Count { clips: 0, .. }));
    let other = legless(10);
    assert!(matches!(
        refused(&[&walk, &other], SpliceConfig::default()),
        SpliceError::Skeleton { clip: 1, .. }
    ));
    for seconds in [f64::NAN, -1.0, f64::INFINITY] {
        let config = SpliceConfig { blend_s: seconds, ..SpliceConfig::default() };
        assert!(matches!(refused(&[&walk], config), SpliceError::Seconds { .. }));
    }
    let empty = Clip::at_rest(walk.skeleton().clone(), 60.0, 0).unwrap();
    assert!(matches!(refused(&[&walk, &empty], SpliceConfig::default()), SpliceError::Empty { clip: 1, .. }));
    let stopped = splice(&[&walk, &walk], &SpliceConfig::default(), &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(SpliceError::Cancelled(_))));
}

#[test]
fn a_walk_goes_on_in_its_direction_on_the_lower_floor() {
    let (walk, down) = (sample::clip("walk").unwrap(), sample::clip("step-down").unwrap());
    let turned = turned(&down, Quat::from_rotation_y(2.0));
    let done = join(&[&walk, &turned, &walk], &SpliceConfig::default());
    let end = done.clip.root().get(done.clip.num_frames() - 1);
    let first = done.clip.root().get(0);
    // The sample's step is 17 cm down; both walks head for +Z.
    assert!((first.y - end.y - 0.17).abs() < 0.05, "{first} → {end}");
    assert!(end.z > 8.0 && end.x.abs() < 1.0, "{end}");
    let low = done.clips[2].shift_m[1];
    assert!((low + 0.17).abs() < 0.02, "the last walk is {low} m lower");
}

/// A clip whose root also travels by `way` of the seconds since its start, metres.
fn carried_along(clip: &Clip, way: impl Fn(f64) -> Vec3) -> Clip {
    let mut out = clip.clone();
    for frame in 0..clip.num_frames() {
        out.root_mut().set(frame, clip.root().get(frame) + way(frame as f64 / clip.fps()));
    }
    out
}

/// A clip whose root also travels at a constant velocity, m/s.
fn pushed(clip: &Clip, velocity: Vec3) -> Clip {
    carried_along(clip, |seconds| velocity * seconds as f32)
}

#[test]
fn only_violent_seams_exceed_the_limit_of_the_hips() {
    let exceeds = |done: &Spliced| done.seams[0].body.hips_m_s2 > done.sources.hips_limit_m_s2();
    for name in ["walk", "run", "wave"] {
        let clip = sample::clip(name).unwrap();
        let done = join(&[&clip, &clip], &SpliceConfig::default());
        assert!(!exceeds(&done), "{name}: {:?}, {:?}", done.seams[0].body, done.sources);
    }
    let still = sample::clip("wave").unwrap();
    let thrown = pushed(&still, Vec3::new(6.0, 0.0, 0.0));
    let hard = SpliceConfig { blend_s: 0.1, trim_s: 0.0, ..SpliceConfig::default() };
    let hard = join(&[&still, &thrown], &hard);
    assert!(exceeds(&hard), "{:?}, {:?}", hard.seams[0].body, hard.sources);
    // Other cuts and longer windows make it softer.
    let soft = join(&[&still, &thrown], &SpliceConfig::default());
    let [hard, soft] = [hard, soft].map(|done| done.seams[0].body.hips_m_s2);
    assert!(soft < 0.5 * hard, "{soft} m/s², abrupt {hard}");
}

#[test]
fn captured_parts_are_inserted_only_where_the_hips_cannot_follow() {
    let (walk, wave) = (sample::clip("walk").unwrap(), sample::clip("wave").unwrap());
    // It glides at 6 m/s for half a second and comes to rest in one second more.
    let glide = |seconds: f64| {
        let t = (seconds - 0.5).clamp(0.0, 1.0);
        Vec3::new((6.0 * (seconds.min(0.5) + t - t.powi(3) + 0.5 * t.powi(4))) as f32, 0.0, 0.0)
    };
    let mut stop = carried_along(&wave, glide);
    stop.name = "glide-stop".to_owned();
    let database = [walk.clone(), stop, sample::clip("idle").unwrap()];
    let config = SpliceConfig::default();
    let with = |clips: &[&Clip]| splice_from(clips, clips, &database, &config, &mut go).unwrap();
    // A seam within the limit is as without a database.
    assert_eq!(with(&[&walk, &walk]), join(&[&walk, &walk], &config));
    // A body that glides at 6 m/s cannot stand half a second later.
    let fast = pushed(&wave, Vec3::new(6.0, 0.0, 0.0));
    let plain = join(&[&fast, &wave], &config);
    let done = with(&[&fast, &wave]);
    let limit = done.sources.hips_limit_m_s2();
    let worst = |done: &Spliced| done.seams.iter().map(|seam| seam.body.hips_m_s2).fold(0.0, f64::max);
    assert!(worst(&plain) > limit, "{} m/s², limit {limit}", worst(&plain));
    assert!(worst(&done) < 0.8 * worst(&plain), "{} m/s², without database {}", worst(&done), worst(&plain));
    let inserted: Vec<[f64; 2]> = done.clips.iter().filter_map(|clip| clip.inserted).collect();
    assert_eq!(done.clips.len(), 2 + inserted.len());
    assert_eq!((inserted.len(), done.clips[1].name.as_str()), (1, "glide-stop"));
    assert!(inserted.iter().all(|[from, to]| (0.1..=1.5).contains(&(to - from))), "{inserted:?}");
    let report = done.report(Vec::new());
    assert!((report.inserted_s - (inserted[0][1] - inserted[0][0])).abs() < 1e-9);
    assert!(done.clips[1].note().contains("inserted"), "{}", done.clips[1].note());
}
