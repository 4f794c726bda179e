//! Properties of rotation filters.

use std::ops::ControlFlow;
use std::sync::Arc;
use ugoki_base::no_progress;

use glam::{DQuat, Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::markers::Markers;
use ugoki_base::math::{Random, angle_between, angle_between64, exp, mean64};
use ugoki_base::signal::{
    Edge, FilterConfig, FilterError, Kernel, KernelShape, Method, filter, filter_markers,
};
use ugoki_base::skeleton::{Joint, Skeleton};

const METHODS: [Method; 6] =
    [Method::Path, Method::Exact, Method::Expmap, Method::Article, Method::Qlerp, Method::Leeshin];
const EDGES: [Edge; 4] = [Edge::Copy, Edge::Reflect, Edge::Clamp, Edge::Truncate];

fn quiet(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn one_joint() -> Arc<Skeleton> {
    Skeleton::build(vec![Joint::new("root", None, Vec3::ZERO)]).unwrap()
}

fn clip_of(rotations: &[Quat]) -> Clip {
    let mut clip = Clip::at_rest(one_joint(), 60.0, rotations.len()).unwrap();
    for (frame, &q) in rotations.iter().enumerate() {
        clip.set_rotation(0, frame, q);
    }
    clip
}

fn filtered(rotations: &[Quat], kernel: &Kernel, method: Method, edge: Edge) -> Vec<Quat> {
    let config = FilterConfig { method, edge };
    let done = filter(&clip_of(rotations), kernel, config, &mut no_progress()).unwrap();
    (0..rotations.len()).map(|frame| done.clip.rotation(0, frame)).collect()
}

fn kernel(text: &str) -> Kernel {
    Kernel::build(&text.parse::<KernelShape>().unwrap()).unwrap()
}

/// A walk on the rotations whose windows of 11 stay well within 90° of their centre.
fn wandering(seed: u64, frames: usize) -> Vec<Quat> {
    let mut random = Random::new(seed);
    let mut q = Quat::IDENTITY;
    let mut speed = Vec3::ZERO;
    (0..frames)
        .map(|_| {
            let push = Vec3::from_array(std::array::from_fn(|_| random.normal() as f32));
            speed = (speed * 0.9 + push * 0.02).clamp_length_max(0.12);
            q = (q * exp(speed)).normalize();
            q
        })
        .collect()
}

fn rotation() -> impl Strategy<Value = Quat> {
    prop::array::uniform3(-1.8..1.8_f32).prop_map(|v| exp(Vec3::from_array(v)))
}

/// Radians that two f32 pipelines of a few dozen operations may differ by.
const ROUNDING: f32 = 3e-6;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_constant_turn_on_either_side_passes_through(seed in 0..1000_u64, a in rotation(), b in rotation(), which in 0..6_usize, edge in 0..4_usize) {
        let samples = wandering(seed, 40);
        let h = kernel("gauss:1.5");
        let plain = filtered(&samples, &h, METHODS[which], EDGES[edge]);
        let turned: Vec<Quat> = samples.iter().map(|&q| (a * q * b).normalize()).collect();
        for (p, t) in plain.iter().zip(filtered(&turned, &h, METHODS[which], EDGES[edge])) {
            prop_assert!(angle_between(a * *p * b, t) < ROUNDING);
        }
    }

    #[test]
    fn signs_of_the_input_do_not_matter(seed in 0..1000_u64, flips in any::<u64>(), which in 0..6_usize) {
        let samples = wandering(seed, 40);
        let flipped: Vec<Quat> = samples.iter().enumerate().map(|(i, &q)| if flips >> (i % 64) & 1 == 1 { -q } else { q }).collect();
        let h = kernel("box:9");
        let plain = filtered(&samples, &h, METHODS[which], Edge::Reflect);
        for (p, f) in plain.iter().zip(filtered(&flipped, &h, METHODS[which], Edge::Reflect)) {
            prop_assert!(angle_between(*p, f) < ROUNDING);
        }
    }

    #[test]
    fn steady_turning_is_unchanged(start in rotation(), v in prop::array::uniform3(-0.1..0.1_f32), which in 0..6_usize, edge in 0..4_usize, shape in 0..4_usize) {
        let samples: Vec<Quat> = (0..40).map(|i| (start * exp(Vec3::from_array(v) * i as f32)).normalize()).collect();
        let h = kernel(["box:11", "gauss:2", "binomial:9", "savgol:11,3"][shape]);
        let smooth = filtered(&samples, &h, METHODS[which], EDGES[edge]);
        let inside = if EDGES[edge] == Edge::Reflect { 0..40 } else { h.reach()..40 - h.reach() };
        for frame in inside {
            prop_assert!(angle_between(samples[frame], smooth[frame]) < ROUNDING, "frame {frame}");
        }
    }

    #[test]
    fn output_is_unit_and_continuous_in_sign(seed in 0..1000_u64, which in 0..6_usize, edge in 0..4_usize) {
        let smooth = filtered(&wandering(seed, 40), &kernel("box:7"), METHODS[which], EDGES[edge]);
        for pair in smooth.windows(2) {
            prop_assert!((pair[0].length() - 1.0).abs() < 1e-6);
            prop_assert!(pair[0].dot(pair[1]) > 0.0);
        }
    }

    #[test]
    fn exact_agrees_with_an_independent_mean(seed in 0..1000_u64) {
        let samples = wandering(seed, 60);
        let h = kernel("gauss:2");
        let smooth = filtered(&samples, &h, Method::Exact, Edge::Copy);
        for frame in h.reach()..60 - h.reach() {
            let window: Vec<DQuat> = samples[frame - h.reach()..=frame + h.reach()].iter().map(|q| q.as_dquat()).collect();
            let mean = mean64(&window, h.taps()).unwrap();
            prop_assert!(angle_between64(mean, smooth[frame].as_dquat()) < f64::from(ROUNDING));
        }
    }
}

#[test]
fn constants_are_unchanged_by_every_method() {
    let samples = vec![exp(Vec3::new(0.3, 2.0, -1.0)); 30];
    for method in METHODS.into_iter().chain([Method::QlerpRaw, Method::LogRaw]) {
        for edge in EDGES {
            assert_eq!(filtered(&samples, &kernel("box:9"), method, edge), samples);
        }
    }
}

#[test]
fn the_raw_methods_fail_where_the_article_says() {
    // Steady turning through 180°, where a converter from matrices flips the sign.
    let samples: Vec<Quat> = (0..200).map(|i| Quat::from_rotation_y(i as f32 * 0.04)).collect();
    let h = kernel("box:51");
    let worst = |method| {
        let smooth = filtered(&samples, &h, method, Edge::Reflect);
        samples.iter().zip(&smooth).map(|(a, b)| angle_between(*a, *b)).fold(0.0_f32, f32::max)
    };
    assert!(worst(Method::Exact) < ROUNDING && worst(Method::Qlerp) < ROUNDING);
    assert!(worst(Method::QlerpRaw) > 0.5, "{}", worst(Method::QlerpRaw));
    assert!(worst(Method::LogRaw) > 0.5, "{}", worst(Method::LogRaw));
}

/// Rotations made with nothing but sums, products and roots, which are the same on every machine.
fn arithmetic_clip() -> Clip {
    let joints = (0..11).map(|j: usize| Joint::new(format!("j{j}"), j.checked_sub(1), Vec3::Y)).collect();
    let mut clip = Clip::at_rest(Skeleton::build(joints).unwrap(), 60.0, 333).unwrap();
    for joint in 0..11 {
        for frame in 0..333 {
            let u = (frame * (joint + 3) % 97) as f32 / 97.0;
            let v = (frame % 150) as f32 / 150.0;
            let q = Quat::from_xyzw(v * (1.0 - v), u * (1.0 - u), 0.3 * v, 0.4 + joint as f32 * 0.05);
            clip.set_rotation(joint, frame, q.normalize());
        }
        clip.root_mut().set(joint * 30, Vec3::new(joint as f32, 1.0, 0.5));
    }
    clip
}

/// FNV-1a over the bits of every rotation and the root's path.
fn checksum(clip: &Clip) -> u64 {
    let root = clip.root();
    let values = clip.rotations().arrays().into_iter().chain([&root.x[..], &root.y, &root.z]).flatten();
    values.fold(0xcbf2_9ce4_8422_2325, |hash, value| {
        (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[test]
fn the_bits_are_the_same_with_and_without_threads() {
    // One number for every build, with the feature `parallel` and without, AVX2 and not.
    let run = || {
        let config = FilterConfig::default();
        let quiet = &mut no_progress();
        checksum(&filter(&arithmetic_clip(), &kernel("box:21"), config, quiet).unwrap().clip)
    };
    assert_eq!(run(), 0x6da6_284a_d0b0_5044, "{:#x}", run());
    #[cfg(feature = "parallel")]
    for threads in 1..=5 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(run), run(), "{threads} threads");
    }
}

#[test]
fn filtering_keeps_bone_lengths_rate_and_an_added_t_pose() {
    let mut clip = arithmetic_clip();
    clip.tpose_frame = true;
    clip.set_pose(0, &ugoki_base::pose::Pose::rest(clip.skeleton()));
    let quiet = &mut no_progress();
    let motion = clip.trimmed(clip.motion_frames()).unwrap();
    for method in METHODS.into_iter().chain([Method::QlerpRaw, Method::LogRaw]) {
        for edge in EDGES {
            let done = filter(&clip, &kernel("gauss:2"), FilterConfig { method, edge }, quiet).unwrap().clip;
            assert_eq!((done.fps(), done.skeleton()), (clip.fps(), clip.skeleton()));
            assert_eq!(done.pose(0), clip.pose(0));
            let alone =
                filter(&motion, &kernel("gauss:2"), FilterConfig { method, edge }, quiet).unwrap().clip;
            for frame in 0..motion.num_frames() {
                for joint in 0..11 {
                    assert!(
                        angle_between(done.rotation(joint, frame + 1), alone.rotation(joint, frame)) < 1e-6
                    );
                }
                assert_eq!(done.root().get(frame + 1), alone.root().get(frame));
            }
        }
    }
}

#[test]
fn kernels_that_cannot_work_say_why() {
    let quiet = &mut no_progress();
    let clip = arithmetic_clip();
    for (text, hint) in [
        ("box:50", "no centre"),
        ("taps:1,-1", "no centre"),
        ("taps:1,-2,1", "cancel"),
        ("gauss:0", "not possible"),
    ] {
        let error = Kernel::build(&text.parse::<KernelShape>().unwrap()).unwrap_err().to_string();
        assert!(error.contains(hint), "{text}: {error}");
    }
    let error = filter(&clip, &kernel("box:99999"), FilterConfig::default(), quiet).unwrap_err();
    assert!(matches!(error, FilterError::TooLong { most: 333, .. }), "{error}");
    let mut calls = 0;
    let stopped = filter(&clip, &kernel("box:5"), FilterConfig::default(), &mut |_| {
        calls += 1;
        ControlFlow::Break(())
    });
    assert!(stopped.is_err() && calls == 1);
}

#[test]
fn filtered_markers_keep_gaps_and_straight_ways() {
    let (frames, seen) = (60, |frame: usize| !(20..24).contains(&frame));
    let mut random = Random::new(7);
    let mut noisy = Vec::new();
    for frame in 0..frames {
        let noise = Vec3::new(random.normal() as f32, random.normal() as f32, random.normal() as f32);
        let p = Vec3::new(0.01 * frame as f32, 1.0, 0.0) + 0.003 * noise;
        noisy.push(if seen(frame) { p } else { Vec3::NAN });
    }
    let straight = (0..frames).map(|frame| Vec3::new(0.5, 0.02 * frame as f32, 0.0));
    let points = noisy.into_iter().chain(straight).collect();
    let markers = Markers::new(vec!["noisy".into(), "straight".into()], 100.0, points).unwrap();
    let kernel = Kernel::build(&"gauss:3".parse().unwrap()).unwrap();
    let done = filter_markers(&markers, &kernel, Edge::Reflect, &mut quiet).unwrap().markers;
    assert_eq!((done.labels(), done.fps(), done.num_frames()), (markers.labels(), 100.0, frames));
    let off = |markers: &Markers| {
        let way = |frame: usize| Vec3::new(0.01 * frame as f32, 1.0, 0.0);
        // Reflection leaves the ends where they are.
        let squares = (10..50).filter_map(|f| markers.get(0, f).map(|p| p.distance_squared(way(f))));
        squares.sum::<f32>().sqrt()
    };
    assert!(off(&done) < 0.6 * off(&markers), "{} {}", off(&done), off(&markers));
    assert_eq!(done.gaps(0), markers.gaps(0));
    for frame in 0..frames {
        let (p, q) = (markers.get(1, frame).unwrap(), done.get(1, frame).unwrap());
        assert!(p.distance(q) < 1e-5, "frame {frame}: {p} {q}");
    }
    let long = Kernel::build(&"box:61".parse().unwrap()).unwrap();
    assert!(filter_markers(&markers, &long, Edge::Reflect, &mut quiet).is_err());
}
