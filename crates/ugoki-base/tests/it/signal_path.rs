//! `path`, `exact` and `article` where windows are wide.

use std::ops::ControlFlow;

use glam::{DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, angle_between, exp, log64, slerp};
use ugoki_base::signal::{Edge, FilterConfig, FilterReport, Kernel, Method, filter};
use ugoki_testing::bodies::{body, turned_clip};

fn quiet(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn kernel(text: &str) -> Kernel {
    Kernel::build(&text.parse().unwrap()).unwrap()
}

const JOINT: usize = 5;

fn clip_of(rotations: &[Quat]) -> Clip {
    let mut clip = Clip::at_rest(body(), 30.0, rotations.len()).unwrap();
    for (frame, &q) in rotations.iter().enumerate() {
        clip.set_rotation(JOINT, frame, q);
    }
    clip
}

fn filtered(rotations: &[Quat], kernel: &Kernel, method: Method, edge: Edge) -> (Vec<Quat>, FilterReport) {
    let done = filter(&clip_of(rotations), kernel, FilterConfig { method, edge }, &mut quiet).unwrap();
    ((0..rotations.len()).map(|frame| done.clip.rotation(JOINT, frame)).collect(), done.report)
}

/// A walk on the rotations; `push` decides how far windows of it reach.
fn wandering(seed: u64, frames: usize, push: f32) -> Vec<Quat> {
    let mut random = Random::new(seed);
    let (mut q, mut speed) = (Quat::IDENTITY, Vec3::ZERO);
    (0..frames)
        .map(|_| {
            speed = 0.95 * speed + push * Vec3::from_array(std::array::from_fn(|_| random.normal() as f32));
            q = (q * exp(speed)).normalize();
            q
        })
        .collect()
}

fn rotation() -> impl Strategy<Value = Quat> {
    prop::array::uniform3(-1.8..1.8_f32).prop_map(|v| exp(Vec3::from_array(v)))
}

/// Largest turn from frame to frame, radians.
fn fastest(rotations: &[Quat]) -> f32 {
    rotations.windows(2).map(|pair| angle_between(pair[0], pair[1])).fold(0.0, f32::max)
}

#[test]
fn a_spin_of_30_degrees_per_frame_stays_as_it_is() {
    for axis in [Vec3::Y, Vec3::new(0.48, -0.6, 0.64)] {
        let spin: Vec<Quat> =
            (0..200).map(|i| Quat::from_axis_angle(axis, i as f32 * 30_f32.to_radians())).collect();
        for taps in (5..=51).step_by(2) {
            let (smooth, report) =
                filtered(&spin, &kernel(&format!("box:{taps}")), Method::Path, Edge::Reflect);
            let worst = spin.iter().zip(&smooth).map(|(a, b)| angle_between(*a, *b)).fold(0.0, f32::max);
            // 0.01°: rounding of f32 quaternions. The requirement is 0.1°.
            assert!(worst.to_degrees() < 0.01, "box:{taps}: {}°", worst.to_degrees());
            // A window of 13 taps reaches 180° to either side.
            assert_eq!(report.ambiguous.is_empty(), taps < 13, "box:{taps}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn where_a_window_lies_within_90_degrees_of_its_mean_path_is_the_mean(seed in 0..10_000_u64, push in 0.005..0.08_f32, shape in 0..3_usize) {
        let samples = wandering(seed, 80, push);
        let h = kernel(["box:21", "gauss:4", "taps:1,0,0,0,2,0,0,3,0"][shape]);
        let (path, _) = filtered(&samples, &h, Method::Path, Edge::Copy);
        let (exact, _) = filtered(&samples, &h, Method::Exact, Edge::Copy);
        for frame in h.reach()..80 - h.reach() {
            let window = &samples[frame - h.reach()..=frame + h.reach()];
            let used = window.iter().zip(h.taps()).filter(|&(_, &h)| h != 0.0);
            let reach = used.map(|(&q, _)| angle_between(exact[frame], q)).fold(0.0, f32::max);
            if reach.to_degrees() < 90.0 {
                let off = angle_between(path[frame], exact[frame]).to_degrees();
                prop_assert!(off < 0.01, "frame {frame}, reach {}°: {off}°", reach.to_degrees());
            }
        }
    }

    #[test]
    fn exact_costs_no_more_than_its_samples_and_its_neighbours(seed in 0..10_000_u64, push in 0.05..0.3_f32) {
        let samples = wandering(seed, 60, push);
        let (exact, _) = filtered(&samples, &kernel("box:21"), Method::Exact, Edge::Copy);
        for frame in 11..49 {
            let window = &samples[frame - 10..=frame + 10];
            let cost = |m: Quat| window.iter().map(|&q| angle_between(m, q).powi(2)).sum::<f32>();
            let others = window.iter().chain(&exact[frame - 1..=frame + 1]).copied();
            let least = others.map(cost).fold(f32::INFINITY, f32::min);
            prop_assert!(cost(exact[frame]) <= least * 1.0001 + 1e-4, "frame {frame}: {} {least}", cost(exact[frame]));
        }
    }

    #[test]
    fn a_constant_turn_the_sign_and_the_sense_of_time_do_not_matter_to_path(seed in 0..10_000_u64, push in 0.01..0.2_f32, a in rotation(), b in rotation(), flips in any::<u64>()) {
        let samples = wandering(seed, 80, push);
        let h = kernel("box:21");
        let (plain, report) = filtered(&samples, &h, Method::Path, Edge::Reflect);
        let turned = turned_clip(&clip_of(&samples), a, b);
        let turned = filter(&turned, &h, FilterConfig::default(), &mut quiet).unwrap();
        let flipped: Vec<Quat> = samples.iter().enumerate().map(|(i, &q)| if flips >> (i % 64) & 1 == 1 { -q } else { q }).collect();
        let (flipped, _) = filtered(&flipped, &h, Method::Path, Edge::Reflect);
        let reversed: Vec<Quat> = samples.iter().rev().copied().collect();
        let (reversed, _) = filtered(&reversed, &h, Method::Path, Edge::Reflect);
        for frame in 0..80 {
            // 0.003°: f32 input differs by 1e-7 per sample, and wide windows enlarge that.
            prop_assert!(angle_between(a * plain[frame] * b, turned.clip.rotation(JOINT, frame)) < 5e-5);
            prop_assert!(angle_between(plain[frame], flipped[frame]) < 5e-5);
            prop_assert!(angle_between(plain[frame], reversed[79 - frame]) < 5e-5);
        }
        prop_assert_eq!(report.fallbacks, 0);
    }

    #[test]
    fn weights_of_one_and_nothing_choose_and_two_weights_are_slerp(seed in 0..10_000_u64, push in 0.01..0.5_f32, second in 0.0..1.0_f64) {
        let samples = wandering(seed, 40, push);
        for method in [Method::Path, Method::Exact] {
            let (same, _) = filtered(&samples, &kernel("taps:0,0,1,0,0"), method, Edge::Reflect);
            let (two, _) = filtered(&samples, &kernel(&format!("taps:0,{},{second}", 1.0 - second)), method, Edge::Reflect);
            for frame in 0..39 {
                prop_assert!(angle_between(same[frame], samples[frame]) < 3e-6);
                let between = slerp(samples[frame], samples[frame + 1], second as f32);
                if angle_between(samples[frame], samples[frame + 1]) < 2.9 {
                    prop_assert!(angle_between(two[frame], between) < 1e-5, "{method} frame {frame}");
                }
            }
        }
    }

    #[test]
    fn path_is_never_faster_than_its_source(seed in 0..10_000_u64, push in 0.01..0.3_f32, shape in 0..3_usize) {
        let samples = wandering(seed, 200, push);
        let (smooth, _) = filtered(&samples, &kernel(["box:51", "gauss:4", "binomial:9"][shape]), Method::Path, Edge::Reflect);
        prop_assert!(fastest(&smooth) <= 1.001 * fastest(&samples), "{} {}", fastest(&smooth), fastest(&samples));
    }
}

#[test]
fn exact_reports_the_frames_whose_mean_is_not_the_only_one() {
    // 178° within one frame, back a second later.
    let out = |i: i32| (30..60).contains(&i);
    let samples: Vec<Quat> =
        (0..90).map(|i| Quat::from_rotation_x(if out(i) { 178_f32.to_radians() } else { 0.0 })).collect();
    let (_, report) = filtered(&samples, &kernel("box:21"), Method::Exact, Edge::Reflect);
    assert_eq!(report.ambiguous.len(), 1);
    let found = &report.ambiguous[0];
    assert_eq!(found.joint, body().joint(JOINT).name);
    let near = |time: f64, interval: &[f64; 2]| interval[0] <= time && time <= interval[1];
    assert_eq!(found.times_s.len(), 2, "{found:?}");
    assert!(near(1.0, &found.times_s[0]) && near(2.0, &found.times_s[1]), "{found:?}");
    assert!(report.to_string().contains("\nambiguous "), "{report}");
    // Nothing is ambiguous where a turn of 120° takes three frames.
    let slow = |i: i32| (40 * ((i - 30).clamp(0, 3) - (i - 60).clamp(0, 3))) as f32;
    let samples: Vec<Quat> = (0..90).map(|i| Quat::from_rotation_x(slow(i).to_radians())).collect();
    for method in [Method::Path, Method::Exact] {
        assert!(filtered(&samples, &kernel("box:21"), method, Edge::Reflect).1.ambiguous.is_empty());
    }
}

/// The algorithm of the article as it is written there, in f64: the logarithm of a quaternion is half the rotation vector, the
/// product of Direct3D is taken from the right, the kernel's first tap is skipped because its logarithm is 0, sums are divided
/// by the sum of the kernel, and K frames at either end are copied.
mod article {
    use super::*;

    fn d3dx_multiply(first: DQuat, second: DQuat) -> DQuat {
        second * first
    }

    fn d3dx_ln(q: DQuat) -> DVec3 {
        let v = DVec3::new(q.x, q.y, q.z);
        let half = q.w.clamp(-1.0, 1.0).acos();
        if half.sin().abs() < 1e-12 { v } else { v * (half / half.sin()) }
    }

    fn d3dx_exp(v: DVec3) -> DQuat {
        let half = v.length();
        let axis = if half < 1e-12 { v } else { v * (half.sin() / half) };
        DQuat::from_xyzw(axis.x, axis.y, axis.z, half.cos())
    }

    fn calc_differential_expmap(q0: DQuat, q1: DQuat) -> DVec3 {
        let mut qd = d3dx_multiply(q0.conjugate(), q1);
        if qd.w < 0.0 {
            qd = -qd;
        }
        d3dx_ln(qd)
    }

    fn interpolate_rotation(rots: &[DQuat], kernel: &[f64]) -> DQuat {
        let ksum: f64 = kernel.iter().sum();
        let mut exd = DVec3::ZERO;
        for k in 1..kernel.len() {
            exd += kernel[k] * calc_differential_expmap(rots[0], rots[k]);
        }
        d3dx_multiply(rots[0], d3dx_exp(exd / ksum))
    }

    pub(super) fn filter(clip: &Clip, kernel: &[f64]) -> (Vec<DVec3>, Vec<Vec<DQuat>>) {
        let ksum: f64 = kernel.iter().sum();
        let (frames, width) = (clip.num_frames(), kernel.len() / 2);
        let mut places: Vec<DVec3> = (0..frames).map(|f| clip.root().get(f).as_dvec3()).collect();
        let rotation = |joint: usize, f: usize| clip.rotation(joint, f).as_dquat();
        let mut turns: Vec<Vec<DQuat>> =
            (0..clip.num_joints()).map(|joint| (0..frames).map(|f| rotation(joint, f)).collect()).collect();
        for f in width..frames - width {
            let window = || (0..kernel.len()).map(|k| f + k - width);
            places[f] =
                window().zip(kernel).map(|(at, &h)| clip.root().get(at).as_dvec3() * h).sum::<DVec3>() / ksum;
            for (joint, turns) in turns.iter_mut().enumerate() {
                let rots: Vec<DQuat> = window().map(|at| rotation(joint, at)).collect();
                turns[f] = interpolate_rotation(&rots, kernel);
            }
        }
        (places, turns)
    }
}

#[test]
fn the_method_article_is_the_published_algorithm() {
    for (seed, push) in [(1, 0.02), (2, 0.08), (3, 0.3)] {
        let mut clip = Clip::at_rest(body(), 30.0, 120).unwrap();
        for joint in 0..clip.num_joints() {
            for (frame, &q) in wandering(seed + 10 * joint as u64, 120, push).iter().enumerate() {
                clip.set_rotation(joint, frame, if frame % 7 == 3 { -q } else { q });
                clip.root_mut().set(frame, Vec3::new(0.01 * frame as f32, q.x, q.y * q.z));
            }
        }
        for (text, taps) in [("box:51", vec![1.0; 51]), ("taps:1,2,5,2,1", vec![1.0, 2.0, 5.0, 2.0, 1.0])] {
            let config = FilterConfig { method: Method::Article, edge: Edge::Copy };
            let done = filter(&clip, &kernel(text), config, &mut quiet).unwrap().clip;
            let (places, turns) = article::filter(&clip, &taps);
            for frame in 0..120 {
                assert!(done.root().get(frame).as_dvec3().distance(places[frame]) < 1e-6);
                for (joint, turns) in turns.iter().enumerate() {
                    let off =
                        log64(done.rotation(joint, frame).as_dquat().conjugate() * turns[frame]).length();
                    // 1e-6 rad: a few roundings of f32. The port works on the same f32 input.
                    assert!(off < 1e-6, "{text} joint {joint} frame {frame}: {off}");
                }
            }
        }
    }
}
