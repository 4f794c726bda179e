//! Properties of rendered candidates: captures are reproduced, layers bring their part and nothing else, keys are on
//! time, joins are smooth.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use glam::Quat;
use ugoki_base::clip::Clip;
use ugoki_base::math::{angle_between, log, quantile, swing_twist};
use ugoki_base::skeleton::Role;
use ugoki_compose::compose::{
    ComposeConfig, Composition, Key, Library, RenderConfig, RenderError, Sequence, Timeline, accelerations,
    clips_of, footwork, render, search,
};
use ugoki_compose::network::{Catalogue, CatalogueConfig, ClipMark, Layer, Layers, Origin, RotationPart};
use ugoki_sample as sample;

use crate::compose_support::{Stage, candidate, go, sources};

/// Largest turn between two motions over joints and frames, degrees.
fn apart(a: &Clip, b: &Clip, joints: &[usize], frames: Range<usize>) -> f32 {
    let pairs = joints.iter().flat_map(|&joint| frames.clone().map(move |frame| (joint, frame)));
    pairs.map(|(j, f)| angle_between(a.rotation(j, f), b.rotation(j, f)).to_degrees()).fold(0.0, f32::max)
}

#[test]
fn pieces_of_a_clip_in_their_order_are_the_clip_again() {
    let mut stage = Stage::new(&["wave"]);
    let frames = stage.clips[&0].num_frames();
    let nodes = [stage.node(0, 0..50), stage.node(0, 50..90), stage.node(0, 90..frames)];
    let made = stage.render(&Layers::full(), vec![stage.sequence("full", &nodes)]);
    assert!(made.seams.is_empty(), "nothing is joined: {:?}", made.seams);
    assert_eq!(made.clip.num_frames(), frames);
    let joints: Vec<usize> = (0..made.clip.num_joints()).collect();
    // Feet that stand are held, which turns legs by a little; the arms are to the bit what they were.
    let arms: Vec<usize> =
        joints.iter().copied().filter(|&j| made.clip.skeleton().joint(j).name.contains("Arm")).collect();
    assert!(!arms.is_empty());
    assert!(apart(&made.clip, &stage.clips[&0], &arms, 0..frames) < 0.05);
    assert!(apart(&made.clip, &stage.clips[&0], &joints, 0..frames) < 3.0);
}

#[test]
fn layers_from_one_sequence_are_the_whole_body_again() {
    let stage = Stage::new(&["hand-on-heart", "walk-in-place", "clap"]);
    let nodes = [0, 2, 0];
    let whole = stage.render(&Layers::full(), vec![stage.sequence("full", &nodes)]).clip;
    let frames = whole.num_frames();
    let joints: Vec<usize> = (0..whole.num_joints()).collect();
    for layers in [Layers::upper_lower(), Layers::head_arms_legs()] {
        let sequences = layers.layers().iter().map(|layer| stage.sequence(&layer.name, &nodes)).collect();
        let made = stage.render(&layers, sequences).clip;
        // f32 quaternions taken apart and put together.
        assert!(apart(&made, &whole, &joints, 0..frames) < 0.1);
        let far =
            (0..frames).map(|f| (made.root().get(f) - whole.root().get(f)).length()).fold(0.0, f32::max);
        assert!(far < 1e-5, "{far}");
    }
}

#[test]
fn the_torso_swings_with_the_lower_body_and_twists_with_the_upper() {
    let stage = Stage::new(&["walk", "throw"]);
    let layers = Layers::upper_lower();
    let (upper, lower) = (stage.sequence("upper", &[1]), stage.sequence("lower", &[0]));
    let legs = stage.render(&Layers::full(), vec![stage.sequence("full", &[0])]).clip;
    let made = stage.render(&layers, vec![upper, lower]).clip;
    let skeleton = made.skeleton();
    let frames = made.num_frames().min(stage.clips[&1].num_frames());
    let mut split = 0;
    for channel in layers.channels(0, skeleton).expect("channels") {
        for frame in (0..frames).step_by(7) {
            let (now, above) =
                (made.rotation(channel.joint, frame), stage.clips[&1].rotation(channel.joint, frame));
            match channel.part {
                RotationPart::Whole => assert!(angle_between(now, above) < 1e-3),
                RotationPart::Swing => unreachable!("the swing is the lower body's"),
                RotationPart::Twist => {
                    split += 1;
                    let below = legs.rotation(channel.joint, frame);
                    let parts = |q: Quat| swing_twist(q, channel.axis);
                    assert!(angle_between(parts(now).0, parts(below).0) < 2e-3);
                    // What is slow of the twist is the upper clip's; over a second the fast part is nothing.
                    let twist = |clip: &Clip, at: usize| {
                        log(parts(clip.rotation(channel.joint, at)).1).dot(channel.axis)
                    };
                    let around = frame.saturating_sub(30)..(frame + 30).min(frames);
                    let count = around.len() as f32;
                    let off: f32 = around.map(|at| twist(&made, at) - twist(&stage.clips[&1], at)).sum();
                    assert!((off / count).abs() < 0.01, "{} rad", off / count);
                }
            }
        }
    }
    assert!(split > 0, "the sample actor has a torso");
    let hips = skeleton.find(Role::Hips).expect("hips");
    assert!(apart(&made, &legs, &[hips], 0..frames) < 1e-3);
}

/// Lower clips whose pelvis jumps for a frame, as where a marker was mistaken, with a spine that takes it back: arms
/// from another clip must not swing by it.
#[test]
fn a_pelvis_that_jumps_under_its_own_spine_does_not_shake_arms_of_another_clip() {
    let mut stage = Stage::new(&["wave", "sway"]);
    let steady = |stage: &Stage| {
        let (upper, lower) = (stage.sequence("upper", &[0]), stage.sequence("lower", &[1]));
        stage.render(&Layers::upper_lower(), vec![upper, lower]).clip
    };
    let hand = |clip: &Clip, frame: usize| {
        let hand = clip.skeleton().find(Role::RightHand).expect("a hand");
        clip.model_pose(frame).positions[hand]
    };
    let before = steady(&stage);
    let lower = stage.clips.get_mut(&1).expect("sway");
    let skeleton = lower.skeleton().clone();
    let (hips, spine) =
        (skeleton.find(Role::Hips).expect("hips"), skeleton.find(Role::Spine).expect("a spine"));
    let rest = skeleton.rest_positions();
    let axis = (rest[skeleton.find(Role::Neck).expect("a neck")] - rest[spine]).normalize();
    let jump = Quat::from_axis_angle(axis, 0.1);
    let frame = 60;
    let (h, s) = (lower.rotation(hips, frame), lower.rotation(spine, frame));
    lower.set_rotation(hips, frame, h * jump);
    lower.set_rotation(spine, frame, jump.inverse() * s);
    let after = steady(&stage);
    // Unmended the hand would jump by 0.1 rad times its distance from the line of the spine. Of a jump of one frame the
    // slow part has the kernel's largest tap, 0.22 at 60 frames per second.
    let (place, pose) = (hand(&before, frame), before.model_pose(frame));
    let along = pose.rotations[spine] * axis;
    let away = (place - pose.positions[spine]).reject_from_normalized(along.normalize()).length();
    let off = hand(&after, frame).distance(place);
    assert!(away > 0.3 && off < 0.25 * 0.1 * away, "{off} m of {} m", 0.1 * away);
}

fn catalogue(names: &[&str], layers: Layers) -> (Catalogue, BTreeMap<usize, Clip>) {
    let clips: Vec<Clip> = names.iter().map(|name| sample::clip(name).expect("a sample motion")).collect();
    let marks: Vec<ClipMark> = clips
        .iter()
        .enumerate()
        .map(|(id, clip)| ClipMark { id: id as i64, name: clip.name.clone(), mark: 1 })
        .collect();
    let mut load = |mark: &ClipMark| Ok(clips[mark.id as usize].clone());
    let made =
        Catalogue::build(&CatalogueConfig::new(layers), &marks, &mut load, &mut go).expect("a catalogue");
    (made, clips.into_iter().enumerate().collect())
}

fn composed(catalogue: &Catalogue, timeline: &Timeline) -> Composition {
    let library =
        Library::new(catalogue.nodes(), catalogue.layers(), catalogue.networks(), catalogue.features());
    let config =
        ComposeConfig { candidates: 3, population: 60, generations: 200, ..ComposeConfig::default() };
    search(&library.expect("a library"), timeline, &[], &config, &mut go).expect("candidates")
}

fn key(at: f64, clip: &str, layer: Option<&str>) -> Key {
    Key { at, clip: Some(clip.to_owned()), layer: layer.map(ToOwned::to_owned), ..Key::default() }
}

#[test]
fn keys_are_on_time_joins_smooth_and_feet_stay() {
    let names = ["idle", "hand-on-heart", "point-at-you", "nod", "clap", "wave", "sway", "bow", "side-step"];
    let (catalogue, clips) = catalogue(&names, Layers::upper_lower());
    let keys = vec![key(1.0, "hand-on-heart", None), key(9.0, "point-at-you", Some("upper"))];
    let timeline = Timeline { seconds: Some(14.0), keys, ..Timeline::default() };
    let composition = composed(&catalogue, &timeline);
    let arm = clips[&1].skeleton().find(Role::RightUpperArm).expect("an arm");
    for candidate in &composition.candidates {
        assert!(clips_of(candidate, catalogue.origins()).iter().all(|clip| clips.contains_key(clip)));
        let settings = RenderConfig::default();
        let made = render(
            candidate,
            catalogue.layers(),
            catalogue.origins(),
            &sources(&clips),
            composition.seconds,
            &settings,
            &mut go,
        )
        .expect("a motion");
        assert_eq!(made.clip.num_frames(), (14.0 * made.clip.fps()).round() as usize);
        // In the middle of a key, away from its seams, the arm is as captured at that time.
        for (at, number) in [(1.0, 1), (9.0, 2)] {
            let item =
                candidate.layers[0].items.iter().find(|i| (i.start_s - at).abs() < 1e-3).expect("a key");
            let middle = at + 0.5 * clips[&number].seconds();
            let frame = (middle * made.clip.fps()).round() as usize;
            let time = (frame as f64 / made.clip.fps() - at) * item.speed * made.clip.fps();
            let own = clips[&number].at_frames(&[time], made.clip.fps()).rotation(arm, 0);
            let off = angle_between(made.clip.rotation(arm, frame), own).to_degrees();
            assert!(off < 0.5, "{off}° at {middle} s");
        }
        let own: Vec<f64> = clips.values().flat_map(accelerations).collect();
        let ordinary = quantile(&own, 0.99).expect("frames");
        let now = accelerations(&made.clip);
        for seam in &made.seams {
            let around = seam.frame.saturating_sub(3)..(seam.frame + 2).min(now.len());
            let most = now[around].iter().copied().fold(0.0, f64::max);
            assert!(most <= 1.5 * ordinary, "{seam:?}: {most} m/s², ordinary {ordinary}");
        }
        // A centimetre per second more than the clips' feet may slide while those stand; no foot may glide by a hand's
        // breadth.
        let feet = footwork(&made, &sources(&clips), 18).expect("feet");
        for [now, own] in [feet.skate_m_s, feet.skate_at_seams_m_s] {
            assert!(now <= own + 0.01, "{now} m/s, clips {own}");
        }
        assert!(feet.worst_m < 0.05, "{feet:?}");
    }
}

#[test]
fn a_layer_of_named_joints_carries_paths_that_are_no_turns() {
    // The sample actor with a smile.
    let smiling = |name: &str, weight: &dyn Fn(f32) -> f32| {
        let clip = sample::clip(name).expect("a sample motion");
        let fraction = |frame: usize| frame as f32 / (clip.num_frames() - 1) as f32;
        let weights = (0..clip.num_frames()).map(|frame| weight(fraction(frame))).collect();
        clip.with_expressions(&[("smile".to_owned(), weights)]).expect("a face")
    };
    let clips: BTreeMap<usize, Clip> =
        [smiling("idle", &|t| t), smiling("nod", &|t| 1.0 - t), smiling("clap", &|_| 0.0)]
            .into_iter()
            .enumerate()
            .collect();
    let layer = |name: &str, joints: &[&str]| Layer {
        name: name.to_owned(),
        roles: Vec::new(),
        joints: joints.iter().map(|j| (*j).to_owned()).collect(),
    };
    let layers = Layers::new(vec![layer("face", &["smile"]), layer("body", &[])], "body").expect("layers");
    let marks: Vec<ClipMark> = clips
        .iter()
        .map(|(&id, clip)| ClipMark { id: id as i64, name: clip.name.clone(), mark: 0 })
        .collect();
    let mut load = |mark: &ClipMark| Ok(clips[&(mark.id as usize)].clone());
    let config = CatalogueConfig::new(layers.clone());
    let catalogue = Catalogue::build(&config, &marks, &mut load, &mut go).expect("a catalogue");
    let node = |name: &str| catalogue.nodes().iter().position(|n| n.name == name).expect("a whole clip");
    let face = &catalogue.features()[0];
    // A smile that is full leads on to one that begins full, not to none.
    let (idle, nod, clap) = (node("idle"), node("nod"), node("clap"));
    assert!(face.cost(idle, nod) < 0.05 && face.cost(idle, clap) > 0.05);
    assert!(catalogue.networks()[0].edge(idle, clap).is_none());
    let origins: Vec<Origin> =
        clips.iter().map(|(&clip, c)| Origin { clip, frames: c.motion_frames() }).collect();
    let stage = Stage { clips, origins };
    let made =
        stage.render(&layers, vec![stage.sequence("face", &[0, 1]), stage.sequence("body", &[2, 2])]).clip;
    let smile = made.num_joints() - 1;
    let middle = stage.clips[&0].num_frames() / 2;
    assert!((made.local_position(smile, middle).x - 0.5).abs() < 0.01);
    let head = made.skeleton().find(Role::RightUpperArm).expect("an arm");
    assert!(angle_between(made.rotation(head, 60), stage.clips[&2].rotation(head, 60)) < 1e-3);
}

#[test]
fn what_is_missing_or_without_length_is_said() {
    let stage = Stage::new(&["nod"]);
    let sequence = stage.sequence("full", &[0]);
    let settings = RenderConfig::default();
    let call = |sequences: Vec<Sequence>, seconds: f64, clips: &BTreeMap<usize, Clip>| {
        render(
            &candidate(sequences),
            &Layers::full(),
            &stage.origins,
            &sources(clips),
            seconds,
            &settings,
            &mut go,
        )
    };
    assert_eq!(call(vec![sequence.clone()], 1.0, &BTreeMap::new()), Err(RenderError::Missing { node: 0 }));
    for seconds in [0.0, -1.0, f64::NAN, 1e12] {
        let made = call(vec![sequence.clone()], seconds, &stage.clips);
        assert!(matches!(made, Err(RenderError::Length { .. })), "{seconds}");
    }
    let empty = Sequence { layer: "full".to_owned(), items: Vec::new() };
    assert!(matches!(call(vec![empty], 1.0, &stage.clips), Err(RenderError::Length { .. })));
    let stop = render(
        &candidate(vec![sequence]),
        &Layers::full(),
        &stage.origins,
        &sources(&stage.clips),
        1.0,
        &settings,
        &mut |_| ControlFlow::Break(()),
    );
    assert!(matches!(stop, Err(RenderError::Cancelled(_))));
}
