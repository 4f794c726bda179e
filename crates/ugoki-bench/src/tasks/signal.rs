//! Filtering, blending and time alignment; compared with straightforward scalar code.

use std::hint::black_box;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::signal::{
    BlendConfig, BlendMethod, DespikeConfig, Edge, EqualizeConfig, FilterConfig, Kernel, Method, align,
    build_blend, despike, equalize, filter, num_bands,
};

use super::{quiet, sound};
use crate::clock::Bench;
use crate::data::{LENGTHS, near, swinging};

const WEIGHTS: [f64; 8] = [0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05];

pub(crate) fn measure(bench: &mut Bench) {
    let kernel = Kernel::build(&"box:51".parse().expect("a kernel")).expect("a kernel");
    let taps: Vec<f32> = kernel.taps().iter().map(|&h| h as f32).collect();
    for &frames in bench.sizes(&LENGTHS) {
        let clip = swinging(frames, 1);
        let per = frames as f64;
        for (task, method) in [
            ("signal.filter.path", Method::Path),
            ("signal.filter.exact", Method::Exact),
            ("signal.filter.expmap", Method::Expmap),
            ("signal.filter.qlerp", Method::Qlerp),
            ("signal.filter.leeshin", Method::Leeshin),
        ] {
            let config = FilterConfig { method, edge: Edge::Reflect };
            bench.measure(task, frames, per, || {
                sound(filter(black_box(&clip), &kernel, config, &mut quiet));
            });
        }
        if frames == 1000 || bench.smoke {
            let inner = (frames - taps.len() + 1) as f64;
            bench.variant("signal.filter.exact", "scalar glam", frames, inner, || {
                black_box(scalar_exact(black_box(&clip), &taps));
            });
            bench.variant("signal.filter.qlerp", "scalar glam", frames, inner, || {
                black_box(scalar_qlerp(black_box(&clip), &taps));
            });
        }
        blend(bench, &clip);
    }
    for &frames in bench.sizes(&[100, 300, 1000, 3000]) {
        let (a, b) = (swinging(frames, 1), near(&swinging(frames, 1), 3));
        bench.measure("signal.align", frames, 1.0, || {
            sound(align(black_box(&a), &b, &mut quiet));
        });
        let config = DespikeConfig::default();
        bench.measure("signal.despike", frames, 1.0, || {
            sound(despike(black_box(&a), &config, &mut quiet));
        });
        let config = EqualizeConfig { gains: vec![1.1; num_bands(frames)], part: None };
        bench.measure("signal.equalize", frames, 1.0, || {
            sound(equalize(black_box(&a), &config, &mut quiet));
        });
    }
}

/// Eight clips at constant weights.
fn blend(bench: &mut Bench, clip: &Clip) {
    let clips: Vec<Clip> = (0..8).map(|take| near(clip, take)).collect();
    let list: Vec<&Clip> = clips.iter().collect();
    let frames = clip.num_frames();
    for (task, method) in
        [("signal.blend.exact", BlendMethod::Exact), ("signal.blend.qlerp", BlendMethod::Qlerp)]
    {
        let config = BlendConfig { method, ..BlendConfig::plain(&WEIGHTS) };
        let built = build_blend(&list, &config, &mut quiet).expect("clips that fit");
        let mut out = built.empty_clip();
        bench.measure(task, frames, frames as f64, || {
            let _ = built.mix_into(black_box(&mut out), &mut quiet);
        });
    }
    if frames == 1000 || bench.smoke {
        bench.variant("signal.blend.qlerp", "scalar glam", frames, frames as f64, || {
            black_box(scalar_blend(black_box(&clips)));
        });
    }
}

/// The obvious code: one joint and frame at a time in glam, `acos` for the logarithm, step until it stops.
fn scalar_exact(clip: &Clip, taps: &[f32]) -> f32 {
    let reach = taps.len() / 2;
    let mut sink = 0.0;
    for joint in 0..clip.num_joints() {
        let track: Vec<Quat> = (0..clip.num_frames()).map(|frame| clip.rotation(joint, frame)).collect();
        for window in track.windows(taps.len()) {
            let mut m = window[reach];
            for _ in 0..32 {
                let mut v = Vec3::ZERO;
                for (q, &h) in window.iter().zip(taps) {
                    let d = m.conjugate() * *q;
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
    for joint in 0..clip.num_joints() {
        let track: Vec<Quat> = (0..clip.num_frames()).map(|frame| clip.rotation(joint, frame)).collect();
        sink += track.windows(taps.len()).map(|window| mixed(window[reach], window, taps).x).sum::<f32>();
    }
    sink
}

fn scalar_blend(clips: &[Clip]) -> f32 {
    let weights = WEIGHTS.map(|w| w as f32);
    let mut sink = 0.0;
    for frame in 0..clips[0].num_frames() {
        for joint in 0..clips[0].num_joints() {
            let turns: [Quat; WEIGHTS.len()] = std::array::from_fn(|k| clips[k].rotation(joint, frame));
            sink += mixed(turns[0], &turns, &weights).x;
        }
    }
    sink
}

fn mixed(near: Quat, turns: &[Quat], weights: &[f32]) -> Quat {
    let mut sum = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for (&q, &w) in turns.iter().zip(weights) {
        sum += if q.dot(near) < 0.0 { -q } else { q } * w;
    }
    sum.normalize()
}
