//! Filtering, blending and time alignment, against scalar references in the same run.
//!
//! "Elements" are joint-frames for filters, character-frames for blends. Rejected variants stay: the scalar
//! code one would write first, and the exact mean that takes one more step to see that it has converged.
//!
//! `cargo bench -p ugoki --bench signal`

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::math::{Random, exp};
use ugoki::signal::{
    BlendConfig, BlendMethod, DespikeConfig, Edge, EqualizeConfig, FilterConfig, Kernel, Method, align,
    build_blend, despike, equalize, filter, num_bands,
};
use ugoki::skeleton::{Joint, Skeleton};

const JOINTS: usize = 31;
const FRAMES: usize = 1000;

fn body() -> Arc<Skeleton> {
    let joints =
        (0..JOINTS).map(|j: usize| Joint::new(format!("joint {j}"), j.checked_sub(1 + j % 4), Vec3::Y * 0.2));
    Skeleton::build(joints.collect()).expect("a tree")
}

/// Joints that swing as limbs do: a slow turn of up to 60° and a faster one of 10°, at 120 frames per second.
fn swinging(seed: u64) -> Clip {
    let mut random = Random::new(seed);
    let mut clip = Clip::at_rest(body(), 120.0, FRAMES).expect("a rate");
    let mut draw = |scale: f64| Vec3::from_array(std::array::from_fn(|_| (scale * random.normal()) as f32));
    for joint in 0..JOINTS {
        let (rest, slow, fast) = (exp(draw(0.5)), draw(0.5), draw(0.08));
        for frame in 0..FRAMES {
            let t = frame as f32 / 120.0;
            let turn = exp(slow * (5.0 * t + joint as f32).sin()) * exp(fast * (18.0 * t).sin());
            clip.set_rotation(joint, frame, (rest * turn).normalize());
        }
    }
    clip.align_signs();
    clip
}

fn quiet(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The obvious code: one joint and frame at a time in glam, `acos` for the logarithm, step until it stops.
fn scalar_exact(clip: &Clip, taps: &[f32]) -> f32 {
    let reach = taps.len() / 2;
    let mut sink = 0.0;
    for joint in 0..JOINTS {
        let track: Vec<Quat> = (0..FRAMES).map(|frame| clip.rotation(joint, frame)).collect();
        for frame in reach..FRAMES - reach {
            let mut m = track[frame];
            for _ in 0..32 {
                let mut v = Vec3::ZERO;
                for (k, &h) in taps.iter().enumerate() {
                    let d = m.conjugate() * track[frame + k - reach];
                    let d = if d.w < 0.0 { -d } else { d };
                    v += d.to_scaled_axis() * h;
                }
                m = (m * Quat::from_scaled_axis(v)).normalize();
                if v.length_squared() < 1e-12 {
                    break;
                }
            }
            sink += m.x;
        }
    }
    sink
}

/// Normalised weighted sum in glam, signs corrected.
fn scalar_qlerp(clip: &Clip, taps: &[f32]) -> f32 {
    let reach = taps.len() / 2;
    let mut sink = 0.0;
    for joint in 0..JOINTS {
        let track: Vec<Quat> = (0..FRAMES).map(|frame| clip.rotation(joint, frame)).collect();
        for frame in reach..FRAMES - reach {
            let mut sum = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
            for (k, &h) in taps.iter().enumerate() {
                let q = track[frame + k - reach];
                sum += if q.dot(track[frame]) < 0.0 { -q } else { q } * h;
            }
            sink += sum.normalize().x;
        }
    }
    sink
}

fn filters(c: &mut Criterion) {
    let clip = swinging(1);
    let kernel = Kernel::build(&"box:51".parse().expect("a kernel")).expect("a kernel");
    let taps: Vec<f32> = kernel.taps().iter().map(|&h| h as f32).collect();
    let mut group = c.benchmark_group("filter box:51, 31 joints");
    group.throughput(Throughput::Elements((JOINTS * FRAMES) as u64));
    group.sample_size(20);
    for (name, method) in [
        ("exact", Method::Exact),
        ("expmap", Method::Expmap),
        ("qlerp", Method::Qlerp),
        ("leeshin", Method::Leeshin),
    ] {
        let config = FilterConfig { method, edge: Edge::Reflect };
        group.bench_function(name, |b| b.iter(|| filter(black_box(&clip), &kernel, config, &mut quiet)));
    }
    group.bench_function("scalar glam exact", |b| b.iter(|| scalar_exact(black_box(&clip), &taps)));
    group.bench_function("scalar glam qlerp", |b| b.iter(|| scalar_qlerp(black_box(&clip), &taps)));
    group.finish();
}

/// Eight clips at constant weights; elements are frames of the whole character.
fn blends(c: &mut Criterion) {
    let clips: Vec<Clip> = (0..8).map(|k| near(&swinging(1), k)).collect();
    let list: Vec<&Clip> = clips.iter().collect();
    let weights = [0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05];
    let mut group = c.benchmark_group("blend 8 clips, 31 joints");
    group.throughput(Throughput::Elements(FRAMES as u64));
    group.sample_size(20);
    for (name, method) in [("exact", BlendMethod::Exact), ("qlerp", BlendMethod::Qlerp)] {
        let config = BlendConfig { method, ..BlendConfig::plain(&weights) };
        let built = build_blend(&list, &config, &mut quiet).expect("clips that fit");
        let mut out = built.empty_clip();
        group.bench_function(name, |b| b.iter(|| built.mix_into(black_box(&mut out), &mut quiet)));
    }
    group.bench_function("scalar glam qlerp", |b| b.iter(|| scalar_blend(black_box(&clips), &weights)));
    group.finish();
}

/// The clip with every joint turned a little, as another take would be.
fn near(clip: &Clip, take: u64) -> Clip {
    let mut random = Random::new(take);
    let mut other = clip.clone();
    for joint in 0..JOINTS {
        let turn = exp(Vec3::from_array(std::array::from_fn(|_| (0.2 * random.normal()) as f32)));
        for frame in 0..FRAMES {
            other.set_rotation(joint, frame, (clip.rotation(joint, frame) * turn).normalize());
        }
    }
    other
}

fn scalar_blend(clips: &[Clip], weights: &[f64]) -> f32 {
    let mut sink = 0.0;
    for frame in 0..FRAMES {
        for joint in 0..JOINTS {
            let first = clips[0].rotation(joint, frame);
            let mut sum = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
            for (clip, &w) in clips.iter().zip(weights) {
                let q = clip.rotation(joint, frame);
                sum += if q.dot(first) < 0.0 { -q } else { q } * w as f32;
            }
            sink += sum.normalize().x;
        }
    }
    sink
}

/// Whole operations on clips of 1,000 frames.
fn whole(c: &mut Criterion) {
    let (a, b) = (swinging(1), near(&swinging(1), 3));
    let mut group = c.benchmark_group("1000 frames, 31 joints");
    group.sample_size(10);
    group.bench_function("align", |bench| bench.iter(|| align(black_box(&a), &b, &mut quiet)));
    group.bench_function("despike", |bench| {
        bench.iter(|| despike(black_box(&a), &DespikeConfig::default(), &mut quiet));
    });
    let config = EqualizeConfig { gains: vec![1.1; num_bands(FRAMES)], part: None };
    group.bench_function("equalize", |bench| bench.iter(|| equalize(black_box(&a), &config, &mut quiet)));
    group.finish();
}

criterion_group!(benches, filters, blends, whole);
criterion_main!(benches);
