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
