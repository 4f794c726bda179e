//! What holds for every picture.

use glam::Vec3;
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::Side;

use super::super::camera::Rect;
use super::super::canvas::{Rgba, draw};
use super::super::config::{PictureConfig, View};
use super::super::drawing::{Drawing, Item, PAPER};
use super::super::film::Film;
use super::super::force_frame::Forces;
use super::super::sheet::layout;
use super::super::solid::Tone;
use super::super::stage::Stage;
use super::super::xml::well_formed;
use super::super::{animation_gif, contact_sheet_png, drawing_svg, frame_rgba};
use super::{footprint, go_on, mirrored, person, small, walk};

/// The body alone, as frame `frame` of a film shows it; `change` may edit the item.
fn body(clip: &Clip, config: &PictureConfig, frame: usize, change: impl Fn(&mut Item)) -> Rgba {
    let stage = Stage::build(clip, config).unwrap();
    let mut drawing = Film::build(&stage, &[frame]).unwrap().drawing(frame);
    drawing.items.retain(|item| matches!(item, Item::Body { .. }));
    drawing.items.iter_mut().for_each(change);
    draw(&drawing, &mut go_on(), 0.0..1.0).unwrap()
}

/// Bounds of what is not paper: left, top, right, bottom.
fn inked(picture: &Rgba) -> Option<[u32; 4]> {
    let mut bounds = None;
    for (i, p) in picture.pixels.chunks_exact(4).enumerate().filter(|(_, p)| p[..3] != PAPER) {
        assert_eq!(p[3], 255, "pictures are opaque");
        let (x, y) = (i as u32 % picture.width, i as u32 / picture.width);
        let [l, t, r, b] = bounds.unwrap_or([x, y, x, y]);
        bounds = Some([l.min(x), t.min(y), r.max(x), b.max(y)]);
    }
    bounds
}

/// Pixels that are clearly blue and clearly orange.
fn blue_and_orange(picture: &Rgba) -> (usize, usize) {
    let count = |test: fn(i32) -> bool| {
        picture.pixels.chunks_exact(4).filter(|p| test(i32::from(p[2]) - i32::from(p[0]))).count()
    };
    (count(|d| d > 50), count(|d| d < -50))
}

fn decode_png(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

#[test]
fn a_mirrored_clip_gives_the_mirrored_picture_with_sides_swapped() {
    let clip = walk(20);
    let config = PictureConfig { view: View::Front, width: 300, height: 400, ..PictureConfig::default() };
    let plain = body(&clip, &config, 7, |_| {});
    // In the mirror world the light stands on the other side and the colours are exchanged.
    let other = body(&mirrored(&clip), &config, 7, |item| {
        if let Item::Body { camera, solids } = item {
            camera.light.x = -camera.light.x;
            for solid in solids {
                solid.tone = match solid.tone {
                    Tone::Left => Tone::Right,
                    Tone::Right => Tone::Left,
                    other => other,
                };
            }
        }
    });
    let pixel = |picture: &Rgba, x: usize, y: usize| {
        let start = (y * 300 + x) * 4;
        [0, 1, 2].map(|i| i32::from(picture.pixels[start + i]))
    };
    let mut far = 0;
    for y in 0..400 {
        for x in 0..300 {
            let (a, b) = (pixel(&plain, x, y), pixel(&other, 299 - x, y));
            // 12 levels: samples on a line between two solids may fall to either by rounding.
            far += usize::from((0..3).any(|i| (a[i] - b[i]).abs() > 12));
        }
    }
    assert!(far < 40, "{far} of 120000 pixels differ");
    assert_ne!(plain, other, "the pose is not symmetric");
}

#[test]
fn the_sides_swap_colours_in_a_mirror() {
    let clip = walk(20);
    // The left arm is raised, so from the front more blue is seen than orange.
    let config = PictureConfig { view: View::Side, width: 300, ..PictureConfig::default() };
    let (blue, orange) = blue_and_orange(&body(&clip, &config, 5, |_| {}));
    assert!(2 * orange > 3 * blue, "the right side is near in the side view: {blue} blue, {orange} orange");
    let legs = |clip: &Clip| {
        let front = PictureConfig { view: View::Front, width: 300, ..PictureConfig::default() };
        blue_and_orange(&body(clip, &front, 0, |_| {}))
    };
    let (blue, orange) = legs(&clip);
    let (blue_mirrored, orange_mirrored) = legs(&mirrored(&clip));
    // Blue and orange pixels differ in how light lifts them over the threshold: 10 %.
    assert!(blue.abs_diff(orange_mirrored) * 10 < blue, "{blue} {orange_mirrored}");
    assert!(orange.abs_diff(blue_mirrored) * 10 < orange, "{orange} {blue_mirrored}");
}

#[test]
fn bodies_of_any_size_look_the_same() {
    let clip = walk(6);
    let config = PictureConfig { width: 200, ..PictureConfig::default() };
    let plain = body(&clip, &config, 3, |_| {});
    for scale in [1e-4, 0.01, 30.0, 1e5] {
        let scaled = body(&clip.scaled(scale), &config, 3, |_| {});
        let differing = plain.pixels.iter().zip(&scaled.pixels).filter(|(a, b)| a.abs_diff(**b) > 12).count();
        assert_eq!((plain.width, plain.height), (scaled.width, scaled.height));
        assert!(differing < 300, "scale {scale}: {differing} bytes differ");
    }
}

#[test]
fn the_figure_grows_with_the_picture() {
    let clip = walk(6);
    let high = |height: u32| {
        let config = PictureConfig { width: height, height, ..PictureConfig::default() };
        let [_, top, _, bottom] = inked(&body(&clip, &config, 2, |_| {})).unwrap();
        (bottom - top) as f32
    };
    let (small, large) = (high(200), high(400));
    assert!(large > 1.7 * small && large < 2.4 * small, "{small} {large}");
}

#[test]
fn the_same_clip_gives_the_same_bytes() {
    let (clip, config) = (walk(12), small());
    let sheet = || contact_sheet_png(&clip, &config, &mut go_on()).unwrap();
    assert_eq!(sheet(), sheet());
    let film = || animation_gif(&clip, &config, &mut go_on()).unwrap();
    assert_eq!(film(), film());
    let svg = || drawing_svg(&clip, &config, &mut go_on()).unwrap();
    assert_eq!(svg(), svg());
    assert_eq!(frame_rgba(&clip, 3, &config), frame_rgba(&clip, 3, &config));
}

#[test]
fn a_sheet_has_the_size_asked_for_and_shows_ink() {
    let (width, height, pixels) = decode_png(&contact_sheet_png(&walk(12), &small(), &mut go_on()).unwrap());
    assert_eq!((width, height), (320, 200));
    assert_eq!(pixels.len(), 320 * 200 * 3);
    let ink = pixels.chunks_exact(3).filter(|p| **p != PAPER).count();
    assert!(ink > 2000, "{ink} pixels of ink");
}

#[test]
fn an_animation_lasts_as_long_as_the_motion() {
    let clip = walk(45);
    for (frames, expected) in [(None, 38), (Some(10), 10), (Some(1000), 45)] {
        let config = PictureConfig { frames, width: 120, height: 140, ..PictureConfig::default() };
        let bytes = animation_gif(&clip, &config, &mut go_on()).unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(bytes.as_slice()).unwrap();
        assert_eq!((decoder.width(), decoder.height()), (120, 140));
        let (mut count, mut hundredths) = (0, 0);
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            assert!(frame.left + frame.width <= 120 && frame.top + frame.height <= 140);
            count += 1;
            hundredths += u32::from(frame.delay);
        }
        assert_eq!(count, expected);
        assert_eq!(hundredths, 150, "45 frames at 30 per second");
    }
}

#[test]
fn an_animation_decodes_to_what_was_drawn() {
    let clip = walk(8);
    let config = PictureConfig { frames: Some(4), width: 120, height: 140, ..PictureConfig::default() };
    let bytes = animation_gif(&clip, &config, &mut go_on()).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(bytes.as_slice()).unwrap();
    let palette = decoder.global_palette().unwrap().to_vec();
    let mut screen = vec![0_u8; 120 * 140];
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (i, &index) in frame.buffer.iter().enumerate() {
            let (x, y) = (i % usize::from(frame.width), i / usize::from(frame.width));
            if frame.transparent != Some(index) {
                screen[(usize::from(frame.top) + y) * 120 + usize::from(frame.left) + x] = index;
            }
        }
    }
    let stage = Stage::build(&clip, &config).unwrap();
    let film = Film::build(&stage, &[0, 2, 4, 6]).unwrap();
    let drawn = draw(&film.drawing(6), &mut go_on(), 0.0..1.0).unwrap();
    for (pixel, &index) in drawn.pixels.chunks_exact(4).zip(&screen) {
        for channel in 0..3 {
            let found = palette[usize::from(index) * 3 + channel];
            // 128 colours for all frames: within 40 levels anywhere, mostly within 3.
            assert!(found.abs_diff(pixel[channel]) < 40, "{pixel:?} became {found}");
        }
    }
}

/// Bounds of the bodies of a drawing, pixels.
fn bodies(drawing: &Drawing) -> Vec<Rect> {
    let bounds = |item: &Item| {
        let Item::Body { camera, solids } = item else { return None };
        let ends = solids.iter().flat_map(|s| [(s.a, s.ra), (s.b, s.rb)]);
        Some(ends.fold(Rect::EMPTY, |rect, (p, r)| {
            let (at, depth) = camera.project(p).unwrap();
            let reach = r * camera.focal / depth;
            rect.with(at - reach).with(at + reach)
        }))
    };
    drawing.items.iter().filter_map(bounds).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_body_leaves_its_picture(
        width in 120..2000_u32, height in prop_oneof![Just(0_u32), 160..1500_u32], poses in 1..30_usize,
        view in prop_oneof![Just(View::Front), Just(View::Side), Just(View::ThreeQuarter)], turn in -3.0..3.0_f32,
    ) {
        let mut clip = walk(60);
        for frame in 0..60 {
            let q = glam::Quat::from_rotation_y(turn);
            clip.set_rotation(0, frame, q);
            let place = q * clip.root().get(frame);
            clip.root_mut().set(frame, place);
        }
        let config = PictureConfig { width, height, frames: Some(poses), view, ..PictureConfig::default() };
        let drawing = layout(&clip, &config, &mut go_on()).unwrap();
        prop_assert_eq!(drawing.width, width);
        let bodies = bodies(&drawing);
        prop_assert!(bodies.len() == poses || bodies.len() == poses + 1);
        for rect in &bodies {
            let (w, h) = (drawing.width as f32, drawing.height as f32);
            prop_assert!(rect.min.cmpge(glam::Vec2::splat(-0.5)).all(), "{rect:?} in {w} × {h}");
            prop_assert!(rect.max.x <= w + 0.5 && rect.max.y <= h + 0.5, "{rect:?} in {w} × {h}");
        }
    }

    #[test]
    fn svg_is_well_formed_whatever_the_title(title in "\\PC*", control in any::<char>()) {
        let config = PictureConfig {
            title: Some(format!("{title}<&>\"'{control}")),
            marks: vec![footprint(Side::Left, 0.0), footprint(Side::Right, 0.4)],
            ..small()
        };
        let svg = drawing_svg(&walk(10), &config, &mut go_on()).unwrap();
        prop_assert!(well_formed(&svg).is_ok(), "{:?}", well_formed(&svg));
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""));
    }
}

#[test]
fn an_added_t_pose_is_not_shown() {
    let mut clip = walk(21);
    clip.tpose_frame = true;
    let config = PictureConfig { frames: Some(3), ..PictureConfig::default() };
    let drawing = layout(&clip, &config, &mut go_on()).unwrap();
    let texts: Vec<&str> = drawing
        .items
        .iter()
        .filter_map(|item| if let Item::Text { text, .. } = item { Some(text.as_str()) } else { None })
        .collect();
    assert!(texts.contains(&"f1") && texts.contains(&"f20") && !texts.contains(&"f0"), "{texts:?}");
    assert!(texts.iter().any(|t| t.contains("20 frames") && t.contains("0.67 s")), "{texts:?}");
}

#[test]
fn footprints_are_drawn_on_their_side_in_their_colour() {
    let clip = walk(12);
    let count = |marks: Vec<super::FootMark>| {
        let config = PictureConfig { marks, width: 300, ..PictureConfig::default() };
        blue_and_orange(&frame_rgba(&clip, 5, &config).unwrap())
    };
    let (blue, orange) = count(vec![]);
    let (with_left, same) = count(vec![footprint(Side::Left, 0.9)]);
    assert!(with_left > blue + 20 && same.abs_diff(orange) < 20, "{blue} {with_left}, {orange} {same}");
    let (same, with_right) = count(vec![footprint(Side::Right, 0.9)]);
    assert!(with_right > orange + 20 && same.abs_diff(blue) < 20, "{orange} {with_right}, {blue} {same}");
}

#[test]
fn the_wanted_motion_is_drawn_whatever_the_order_of_its_joints() {
    let clip = walk(20);
    let skeleton = clip.skeleton();
    // Joints by depth instead of limb by limb: parents still come first.
    let mut order: Vec<usize> = (0..skeleton.num_joints()).collect();
    let depth = |mut joint: usize| {
        std::iter::from_fn(|| {
            joint = skeleton.joints()[joint].parent?;
            Some(())
        })
        .count()
    };
    order.sort_by_key(|&joint| depth(joint));
    assert!(!order.is_sorted(), "the order is another");
    let place = |joint: usize| order.iter().position(|&other| other == joint).unwrap();
    let joints = order.iter().map(|&joint| {
        let old = &skeleton.joints()[joint];
        ugoki_base::skeleton::Joint { parent: old.parent.map(place), ..old.clone() }
    });
    let other = ugoki_base::skeleton::Skeleton::build(joints.collect()).unwrap();
    let poses: Vec<Pose> = (0..clip.num_frames())
        .map(|frame| {
            let mut pose = clip.pose(frame);
            pose.rotations = order.iter().map(|&joint| pose.rotations[joint]).collect();
            pose
        })
        .collect();
    let target = Clip::from_poses(other, clip.fps(), &poses).unwrap();
    let drawn = |target: Clip| {
        let forces = Forces { target: Some(target), frames: Vec::new() };
        let config = PictureConfig { forces: Some(forces), ..PictureConfig::default() };
        let solids = Stage::build(&clip, &config).unwrap().wanted_solids(12);
        let mut ends: Vec<_> =
            solids.iter().map(|s| [s.a, s.b].map(|p| p.to_array().map(f32::to_bits))).collect();
        ends.sort_unstable();
        ends
    };
    assert!(drawn(clip.clone()).len() > 10);
    assert_eq!(drawn(target), drawn(clip.clone()));
}

#[test]
fn fingers_and_roleless_joints_are_drawn() {
    let with = Clip::at_rest(person(true), 30.0, 1).unwrap();
    let config = PictureConfig { view: View::Front, width: 600, ..PictureConfig::default() };
    let solids = |clip: &Clip| Stage::build(clip, &config).unwrap().solids(0);
    assert!(solids(&with).len() > solids(&Clip::at_rest(person(false), 30.0, 1).unwrap()).len() + 8);
    // Without roles every joint is a grey capsule from its parent.
    let joints =
        with.skeleton().joints().iter().map(|j| ugoki_base::skeleton::Joint { role: None, ..j.clone() });
    let bare = ugoki_base::skeleton::Skeleton::build(joints.collect()).unwrap();
    let bare = Clip::at_rest(bare, 30.0, 1).unwrap();
    let capsules = solids(&bare);
    assert_eq!(capsules.len(), bare.num_joints() - 1);
    assert!(capsules.iter().all(|s| s.tone == Tone::Middle && s.ra.max(s.rb) < 0.03));
    let rest = bare.skeleton().rest_positions();
    let tallest = rest.iter().fold(Vec3::ZERO, |a, b| a.max(*b));
    let drawn = capsules.iter().fold(0.0_f32, |a, s| a.max(s.b.y));
    let size = Stage::build(&bare, &config).unwrap().size;
    assert!((drawn * size - tallest.y).abs() < 1e-3, "the head joint stays at its height");
}
