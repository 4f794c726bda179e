//! Composed motions stay on the ground: no body stands on air after a seam, and jumps next to one keep their height.

use std::path::PathBuf;

use crate::compose_support::{Stage, go};
use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_compose::compose::Rendered;
use ugoki_compose::network::{CutConfig, Layers, cut_clip};
use ugoki_formats::{ReadOptions, read};
use ugoki_motion::retarget::{RetargetConfig, retarget_onto};
use ugoki_sample as sample;

/// Height of the lowest toe in every frame, metres.
fn lowest(clip: &Clip) -> Vec<f32> {
    let toes = [Role::LeftToes, Role::RightToes].map(|role| clip.skeleton().find(role).expect("toes"));
    clip.motion_frames()
        .map(|frame| {
            let pose = clip.model_pose(frame);
            toes.iter().map(|&toe| pose.positions[toe].y).fold(f32::INFINITY, f32::min)
        })
        .collect()
}

fn highest(heights: &[f32]) -> f32 {
    heights.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

fn joined(clips: Vec<Clip>) -> Rendered {
    let nodes: Vec<usize> = (0..clips.len()).collect();
    let stage = Stage::with_clips(clips);
    stage.render(&Layers::full(), vec![stage.sequence("full", &nodes)])
}

fn raised(clip: &Clip, by: impl Fn(f32) -> f32) -> Clip {
    let mut out = clip.clone();
    for frame in 0..out.num_frames() {
        let place = out.root().get(frame) + Vec3::Y * by(frame as f32 / out.fps() as f32);
        out.root_mut().set(frame, place);
    }
    out
}

/// The sample actor thrown up so that he lands a little before the end: 0.61 s in the air, 0.46 m high.
fn jump(lands_before_end_s: f32) -> Clip {
    let idle = sample::clip("idle").expect("a sample motion");
    let idle = idle.trimmed(0..120).expect("two seconds");
    let takes_off = 2.0 - lands_before_end_s - 0.6116;
    raised(&idle, |t| {
        let t = (t - takes_off).max(0.0);
        (3.0 * t - 0.5 * 9.81 * t * t).max(0.0)
    })
}

/// Whatever the height of the floor that a clip was captured on, it goes on where the one before it stood.
#[test]
fn clips_of_other_floors_are_put_on_one() {
    let idle = sample::clip("idle").expect("a sample motion");
    let nod = sample::clip("nod").expect("a sample motion");
    let own = highest(&lowest(&idle));
    for floor in [-0.3, -0.015, 0.01, 0.07, 0.26] {
        let made =
            joined(vec![idle.clone(), raised(&nod, |_| floor), idle.clone(), raised(&nod, |_| -floor)]);
        let off = lowest(&made.clip).iter().map(|y| (y - own).abs()).fold(0.0, f32::max);
        assert!(off < 0.01, "floor {floor}: {off} m");
    }
}

/// A jump that ends within the blend of a seam: before, its feet were given a low step instead.
#[test]
fn a_jump_before_a_seam_keeps_its_height() {
    for left_s in [0.1, 0.2, 0.4] {
        let made = joined(vec![jump(left_s), sample::clip("nod").expect("a sample motion")]);
        let own = highest(&lowest(&jump(left_s)));
        let now = highest(&lowest(&made.clip));
        assert!(now > own - 0.05, "lands {left_s} s before the seam: {now} m of {own}");
    }
}

/// Every cut of captures that jump: the flight is in one piece, whole.
#[test]
fn captured_jumps_are_cut_on_the_ground_and_stay_as_high() {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set");
        return;
    };
    let idle = sample::clip("idle").expect("a sample motion");
    // Jumps of three captures, 0.2 to 0.5 m; and squats whose raised toes were taken for ground.
    for name in
        ["physics/13_39", "physics/16_01", "physics/16_03", "sport/13_39", "sport/16_01", "sport/16_03"]
    {
        let Ok(bytes) = std::fs::read(folder.join(format!("cmu/{name}.bvh"))) else { continue };
        let clip = read(&bytes, Some("bvh"), &ReadOptions::default()).expect("a clip").clip;
        let clip = retarget_onto(&clip, &idle, &RetargetConfig::default(), &mut go)
            .expect("legs")
            .clip
            .resampled(60.0)
            .expect("a rate");
        let clip = clip.trimmed(clip.motion_frames()).expect("frames");
        let heights = lowest(&clip);
        let top = (0..heights.len()).max_by(|&a, &b| heights[a].total_cmp(&heights[b])).expect("frames");
        let cuts = cut_clip(&clip, &CutConfig::default(), &mut go).expect("pieces");
        for cut in cuts.iter().filter(|cut| !cut.whole && cut.frames.contains(&top)) {
            let ends = [cut.frames.start, cut.frames.end - 1].map(|frame| heights[frame]);
            assert!(ends.iter().all(|&end| end < 0.15), "{name}: {} begins or ends at {ends:?} m", cut.name);
            let piece = clip.trimmed(cut.frames.clone()).expect("frames");
            let made = joined(vec![idle.clone(), piece, idle.clone()]);
            let (now, own) = (highest(&lowest(&made.clip)), heights[top]);
            assert!(now > 0.8 * own, "{name}: {} is {now} m high, captured {own}", cut.name);
        }
    }
}
