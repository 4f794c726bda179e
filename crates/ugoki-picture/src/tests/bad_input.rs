//! Nothing a user gives panics; what cannot be drawn is said.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::{Joint, Side, Skeleton};

use super::super::FootMark;
use super::super::config::{PictureConfig, PictureError};
use super::super::{animation_gif, contact_sheet_png, drawing_svg, frame_rgba};
use super::{footprint, go_on, person, small, walk};

/// Draws the clip in every way.
fn draw_all(clip: &Clip, config: &PictureConfig) -> Result<(), PictureError> {
    contact_sheet_png(clip, config, &mut go_on())?;
    animation_gif(clip, config, &mut go_on())?;
    let svg = drawing_svg(clip, config, &mut go_on())?;
    assert!(!svg.contains("NaN"), "{svg}");
    frame_rgba(clip, 0, config)?;
    Ok(())
}

fn chain(num_joints: usize, offset: Vec3) -> Arc<Skeleton> {
    let joints = (0..num_joints).map(|i| Joint::new(format!("j{i}"), i.checked_sub(1), offset));
    Skeleton::build(joints.collect()).unwrap()
}

#[test]
fn a_clip_without_frames_is_refused_by_name() {
    let mut clip = Clip::at_rest(person(false), 30.0, 0).unwrap();
    clip.name = "empty".into();
    let error = draw_all(&clip, &small()).unwrap_err();
    assert_eq!(error, PictureError::NoFrames { name: "empty".into() });
    assert_eq!(error.to_string(), "clip \"empty\" has no frames to show");
    assert!(frame_rgba(&clip, 0, &small()).is_err());
}

#[test]
fn one_frame_is_a_picture_and_a_lone_t_pose_too() {
    let mut clip = walk(1);
    draw_all(&clip, &small()).unwrap();
    clip.tpose_frame = true;
    draw_all(&clip, &small()).unwrap();
}

#[test]
fn a_frame_outside_the_clip_is_refused() {
    let error = frame_rgba(&walk(4), 4, &small()).unwrap_err();
    assert_eq!(error, PictureError::Frame { frame: 4, frames: 4 });
}

#[test]
fn pictures_too_large_are_refused_with_a_hint() {
    for (width, height) in [(10_000, 10_000), (70_000, 10), (10, 70_000), (u32::MAX, u32::MAX), (u32::MAX, 0)]
    {
        let config = PictureConfig { width, height, ..PictureConfig::default() };
        let error = draw_all(&walk(3), &config).unwrap_err();
        assert!(matches!(error, PictureError::TooLarge { .. }), "{error}");
        assert!(error.to_string().contains("too large, at most"), "{error}");
        let side = |v: u32| if v == 0 { "wide".to_owned() } else { v.to_string() };
        let text = error.to_string();
        assert!(text.contains(&width.to_string()) && text.contains(&side(height)), "{text}");
        assert!(animation_gif(&walk(3), &config, &mut go_on()).is_err());
    }
}

#[test]
fn animations_that_would_take_for_ever_are_refused_with_a_hint() {
    let large = PictureConfig { width: 4000, height: 4000, ..PictureConfig::default() };
    let error = animation_gif(&walk(30), &large, &mut go_on()).unwrap_err();
    assert_eq!(error, PictureError::TooLong { width: 4000, height: 4000, frames: 25 });
    let long = PictureConfig { width: 2000, height: 2000, ..PictureConfig::default() };
    let error = animation_gif(&walk(1500), &long, &mut go_on()).unwrap_err();
    assert_eq!(error, PictureError::TooLong { width: 2000, height: 2000, frames: 1250 });
    assert!(error.to_string().contains("too much, at most"), "{error}");
}

#[test]
fn no_poses_at_all_are_refused() {
    let config = PictureConfig { frames: Some(0), ..small() };
    assert_eq!(draw_all(&walk(3), &config), Err(PictureError::NoPoses));
    assert_eq!(animation_gif(&walk(3), &config, &mut go_on()), Err(PictureError::NoPoses));
}

#[test]
fn large_pictures_ask_often_whether_to_go_on() {
    // Rows that a body covers are drawn in pieces of at most 60 000 pixels.
    let config = PictureConfig { width: 1200, height: 1200, frames: Some(1), ..PictureConfig::default() };
    let mut calls = 0;
    contact_sheet_png(&walk(3), &config, &mut |_| {
        calls += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(calls > 12, "asked {calls} times");
}

#[test]
fn pictures_too_small_for_labels_are_still_drawn() {
    for (width, height) in [(1, 1), (2, 500), (500, 2), (40, 0), (17, 23)] {
        for frames in [None, Some(1), Some(usize::MAX)] {
            let config = PictureConfig { width, height, frames, ..PictureConfig::default() };
            draw_all(&walk(12), &config).unwrap();
        }
    }
}

#[test]
fn skeletons_of_every_shape_are_drawn() {
    let shapes = [
        chain(1, Vec3::Y),
        chain(1, Vec3::ZERO),
        chain(5, Vec3::ZERO),
        chain(220, Vec3::X * 0.01),
        chain(3, Vec3::splat(1e18)),
        chain(3, Vec3::splat(1e-18)),
        chain(2, Vec3::Y * -3.0),
        person(true),
    ];
    for skeleton in shapes {
        let clip = Clip::at_rest(skeleton, 30.0, 3).unwrap();
        draw_all(&clip, &small()).unwrap_or_else(|error| panic!("{} joints: {error}", clip.num_joints()));
    }
}

#[test]
fn positions_that_are_not_finite_are_left_out() {
    let mut clip = walk(6);
    clip.root_mut().set(2, Vec3::NAN);
    clip.set_rotation(3, 4, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0));
    clip.root_mut().set(5, Vec3::splat(f32::MAX));
    draw_all(&clip, &PictureConfig { frames: Some(6), ..small() }).unwrap();
    frame_rgba(&clip, 2, &small()).unwrap_err();
    for frame in 0..6 {
        clip.root_mut().set(frame, Vec3::splat(f32::INFINITY));
    }
    let error = draw_all(&clip, &small()).unwrap_err();
    assert!(matches!(error, PictureError::NotFinite { .. }), "{error}");
}

#[test]
fn marks_and_floors_that_are_not_finite_are_left_out() {
    let bad = |position, heading| FootMark { position, heading, ..footprint(Side::Left, 0.0) };
    let marks = vec![
        bad(Vec3::NAN, Vec3::Z),
        bad(Vec3::ZERO, Vec3::ZERO),
        bad(Vec3::ZERO, Vec3::Y),
        bad(Vec3::splat(f32::MAX), Vec3::NAN),
        bad(Vec3::splat(-1e30), Vec3::X),
    ];
    for floor in [0.0, f32::NAN, f32::NEG_INFINITY, -1.0, 5.0] {
        draw_all(&walk(4), &PictureConfig { floor, marks: marks.clone(), ..small() }).unwrap();
    }
}

#[test]
fn work_stops_whenever_the_caller_says_so() {
    type Work = fn(&Clip, &PictureConfig, ugoki_base::Progress<'_>) -> Result<(), PictureError>;
    let works: [Work; 3] = [
        |clip, config, progress| contact_sheet_png(clip, config, progress).map(drop),
        |clip, config, progress| animation_gif(clip, config, progress).map(drop),
        |clip, config, progress| drawing_svg(clip, config, progress).map(drop),
    ];
    for work in works {
        let mut fractions = Vec::new();
        work(&walk(9), &small(), &mut |fraction| {
            fractions.push(fraction);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(
            fractions.len() >= 3 && fractions.is_sorted() && *fractions.last().unwrap() <= 1.0,
            "{fractions:?}"
        );
        for stop in 0..fractions.len() {
            let mut calls = 0;
            let result = work(&walk(9), &small(), &mut |_| {
                calls += 1;
                if calls > stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!(result, Err(PictureError::Cancelled));
            assert_eq!(calls, stop + 1, "work went on after cancellation");
        }
    }
}

#[test]
fn views_have_the_names_of_the_command_line() {
    use super::super::View;
    use serde::Deserialize;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};
    for (name, view) in [("front", View::Front), ("side", View::Side), ("three-quarter", View::ThreeQuarter)]
    {
        let text: StrDeserializer<'_, Error> = name.into_deserializer();
        assert_eq!(View::deserialize(text), Ok(view));
    }
    assert_eq!(View::default(), View::ThreeQuarter);
}
