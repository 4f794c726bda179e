use std::ops::ControlFlow;
use ugoki_base::no_progress;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_base::skeleton::{Joint, Skeleton};
use ugoki_sample as sample;

use super::*;

fn cut(clip: &Clip) -> Segmentation {
    segment(clip, &SegmentConfig::default(), &mut no_progress()).unwrap()
}

/// The motion elsewhere in the world, turned about the vertical.
fn moved(clip: &Clip, turn: Quat, by: Vec3) -> Clip {
    let mut moved = clip.clone();
    for frame in 0..clip.num_frames() {
        moved.root_mut().set(frame, turn * clip.root().get(frame) + by);
        moved.set_rotation(0, frame, (turn * clip.rotation(0, frame)).normalize());
    }
    moved.align_signs();
    moved
}

#[test]
fn where_a_body_stands_and_faces_does_not_matter() {
    let clip = sample::clip("walk").unwrap();
    let moved = moved(&clip, Quat::from_rotation_y(2.1), Vec3::new(3.0, 0.4, -7.0));
    let observer = Observer::build(clip.skeleton()).unwrap();
    let (a, b) = (BodyPoints::watch(&observer, &clip), BodyPoints::watch(&observer, &moved));
    for frame in 0..a.num_frames() {
        for (p, q) in a.frame(frame).iter().zip(b.frame(frame)) {
            assert!(p.distance(*q) < 1e-5);
        }
        assert!((b.headings[frame] - a.headings[frame] - 2.1).sin().abs() < 1e-4);
    }
    assert_eq!(cut(&clip).cuts(), cut(&moved).cuts());
}

#[test]
fn pieces_cover_the_motion_and_name_what_moves() {
    for motion in sample::motions() {
        let clip = sample::clip(motion.name).unwrap();
        let result = cut(&clip);
        let pieces = &result.pieces;
        assert_eq!(pieces[0].start, clip.motion_frames().start, "{}", motion.name);
        assert_eq!(pieces[pieces.len() - 1].end, clip.num_frames(), "{}", motion.name);
        for pair in pieces.windows(2) {
            assert_eq!(pair[0].end, pair[1].start, "{}", motion.name);
        }
        assert!(
            pieces.iter().all(|piece| piece.start < piece.end && piece.peak <= piece.end),
            "{}",
            motion.name
        );
        let mut names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), pieces.len(), "{}: names are unique", motion.name);
    }
}

#[test]
fn the_limb_that_moves_wins() {
    let group = |name: &str| {
        let result = cut(&sample::clip(name).unwrap());
        let fastest = result.pieces.iter().max_by(|a, b| a.peak_m_s.total_cmp(&b.peak_m_s)).unwrap();
        result.groups[fastest.group.unwrap()].part.clone()
    };
    assert!(group("front-kick").ends_with("-leg"));
    assert!(group("punch").ends_with("-arm"));
    // A motion seen in a mirror is cut by the mirrored limb at the same frames.
    let clip = sample::clip("punch").unwrap();
    let (a, b) = (cut(&clip), cut(&clip.mirrored()));
    assert_eq!(a.cuts(), b.cuts());
    for (a, b) in a.pieces.iter().zip(&b.pieces) {
        let mirrored = match a.name.split_once('-') {
            Some(("left", rest)) => format!("right-{rest}"),
            Some(("right", rest)) => format!("left-{rest}"),
            _ => a.name.clone(),
        };
        assert_eq!(mirrored, b.name);
    }
}

#[test]
fn a_still_body_is_one_rest() {
    let clip = Clip::at_rest(sample::clip("walk").unwrap().skeleton().clone(), 30.0, 90).unwrap();
    let result = cut(&clip);
    assert_eq!(result.pieces.len(), 1);
    assert_eq!((result.pieces[0].group, result.pieces[0].name.as_str()), (None, "rest-1"));
}

#[test]
fn what_cannot_be_cut_is_refused_with_a_reason() {
    let go_on = &mut no_progress();
    let walk = sample::clip("walk").unwrap();
    let short = walk.trimmed(0..2).unwrap();
    let config = SegmentConfig::default();
    assert_eq!(segment(&short, &config, go_on), Err(SegmentError::TooShort { frames: 2 }));
    let thing = Skeleton::build(vec![Joint::new("thing", None, Vec3::ZERO)]).unwrap();
    let thing = Clip::at_rest(thing, 30.0, 30).unwrap();
    assert_eq!(segment(&thing, &config, go_on), Err(SegmentError::Body { missing: "hips" }));
    for rest in [f64::NAN, -0.1, 1.0] {
        let odd = SegmentConfig { rest, ..SegmentConfig::default() };
        assert!(matches!(segment(&walk, &odd, go_on), Err(SegmentError::Config { name: "rest", .. })));
    }
    let stop = segment(&walk, &config, &mut |_| ControlFlow::Break(()));
    assert_eq!(stop, Err(SegmentError::Cancelled(Cancelled)));
}

#[test]
fn noise_never_breaks_the_cover() {
    let mut random = Random::new(5);
    let clip = sample::clip("wave").or_else(|| sample::clip("punch")).unwrap();
    for _ in 0..4 {
        let mut noisy = clip.clone();
        for frame in 0..clip.num_frames() {
            for joint in 0..clip.num_joints() {
                let turn = Quat::from_rotation_x((0.02 * random.normal()) as f32);
                noisy.set_rotation(joint, frame, (clip.rotation(joint, frame) * turn).normalize());
            }
        }
        let pieces = cut(&noisy).pieces;
        let frames: usize = pieces.iter().map(|piece| piece.end - piece.start).sum();
        assert_eq!(frames, clip.motion_frames().len());
    }
}

/// Cuts in seconds.
fn times(clip: &Clip) -> Vec<f64> {
    cut(clip).cuts().iter().map(|&frame| frame as f64 / clip.fps()).collect()
}

/// Part of the cuts of both that the other has within 0.1 s.
fn agreement(a: &[f64], b: &[f64]) -> f64 {
    let found = |a: &[f64], b: &[f64]| a.iter().filter(|x| b.iter().any(|y| (*x - y).abs() <= 0.1)).count();
    let all = a.len() + b.len();
    if all == 0 { 1.0 } else { (found(a, b) + found(b, a)) as f64 / all as f64 }
}

#[test]
fn cuts_depend_on_neither_rate_nor_bones() {
    for motion in sample::motions() {
        let clip = sample::clip(motion.name).unwrap();
        let own = times(&clip);
        for fps in [30.0, 120.0] {
            let other = times(&clip.resampled(fps).unwrap());
            assert!(agreement(&own, &other) > 0.85, "{} at {fps}: {own:?} {other:?}", motion.name);
        }
        for factor in [0.8, 1.25] {
            let joints = clip
                .skeleton()
                .joints()
                .iter()
                .map(|joint| Joint { offset: joint.offset * factor, ..joint.clone() });
            let skeleton = Skeleton::build(joints.collect()).unwrap();
            let root = clip.root().iter().map(|p| p * factor).collect();
            let other = Clip::from_tracks(skeleton, clip.fps(), root, clip.rotations().clone(), Vec::new());
            let other = times(&other.unwrap());
            assert!(agreement(&own, &other) > 0.99, "{} × {factor}: {own:?} {other:?}", motion.name);
        }
    }
}

#[test]
fn nothing_in_a_rest_is_fast() {
    for motion in sample::motions() {
        let clip = sample::clip(motion.name).unwrap();
        let result = cut(&clip);
        for rest in result.pieces.iter().filter(|piece| piece.group.is_none()) {
            let fast = |frame: usize| {
                let (a, b) = (clip.model_pose(frame), clip.model_pose(frame + 1));
                let way =
                    a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
                f64::from(way) * clip.fps() > 0.3
            };
            let run = (rest.start..rest.end - 1).filter(|&frame| fast(frame)).count();
            assert!(run as f64 / clip.fps() <= 0.1, "{} {}: {run} frames", motion.name, rest.name);
        }
    }
}

#[test]
fn the_paper_s_bells_are_a_method_of_their_own() {
    let config = SegmentConfig { method: SegmentMethod::Paper, ..SegmentConfig::default() };
    let punch = sample::clip("punch").unwrap();
    let result = segment(&punch, &config, &mut no_progress()).unwrap();
    assert!(!result.bells.is_empty());
    for piece in result.pieces.iter().filter(|piece| piece.group.is_some()) {
        assert!(result.bells.iter().any(|bell| Some(bell.group) == piece.group && bell.peak == piece.peak));
    }
    assert!(cut(&punch).bells.is_empty());
}
