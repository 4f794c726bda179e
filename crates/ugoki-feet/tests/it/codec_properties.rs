//! Properties of the byte forms: what is written comes back to the bit, packed clips keep their bound, frames do not depend
//! on the order in which they are asked for.

use std::sync::Arc;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::{
    ChannelKind, Clip, OffsetMode, PackedClip, Source, SourceChannel, UpAxis, shell_error,
};
use ugoki_base::math::{Random, angle_between, exp, slerp};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Skeleton};
use ugoki_feet::contact::{ContactConfig, Contacts, find_contacts};
use ugoki_sample as sample;
use ugoki_testing::codec::{Shape, pack, random_clip};

/// The bound of packed clips, metres.
const BOUND_M: f64 = 1e-4;

fn shapes() -> impl Strategy<Value = Shape> {
    (any::<u64>(), 1..40usize, 0..100usize, -3.0..0.5_f64, -1.0..6.0_f64, 0..3usize).prop_map(
        |(seed, joints, frames, turn, travel, paths)| Shape {
            seed,
            joints,
            frames,
            turn: 10f64.powf(turn),
            travel: 10f64.powf(travel),
            paths,
        },
    )
}

/// A source with decimals, odd numbers and negative zeros.
fn source(clip: &Clip, seed: u64) -> Source {
    let mut random = Random::new(seed);
    let channels: Vec<SourceChannel> = (0..random.index(12))
        .map(|i| SourceChannel {
            joint: random.index(clip.num_joints()),
            kind: if i % 2 == 0 {
                ChannelKind::Rotation(random.index(3) as u8)
            } else {
                ChannelKind::Position(random.index(3) as u8)
            },
        })
        .collect();
    let rows = clip.num_frames() + random.index(3);
    let values = (0..rows * channels.len())
        .map(|i| match (i % channels.len()) % 4 {
            0 => (random.range(-1e6, 1e6)).round() / 1e4,
            1 => random.normal(),
            2 => -0.0,
            _ => (random.range(-1e9, 1e9)).round() / 1e6,
        })
        .collect();
    Source {
        channels,
        values,
        frame_time: 0.0083333,
        unit_metres: random.range(0.001, 1.0),
        up: if random.index(2) == 0 { UpAxis::Y } else { UpAxis::Z },
        offset: if random.index(2) == 0 { OffsetMode::Add } else { OffsetMode::Replace },
    }
}

/// Bits of every number, which `==` would not tell apart for 0 and −0.
fn bits(clip: &Clip) -> Vec<u32> {
    let tracks = std::iter::once(clip.root()).chain(clip.translations().iter().map(|t| &t.track));
    let positions = tracks.flat_map(|t| [&t.x, &t.y, &t.z]).flatten().map(|v| v.to_bits());
    positions.chain(clip.rotations().arrays().into_iter().flatten().map(|v| v.to_bits())).collect()
}

fn source_bits(clip: &Clip) -> Vec<u64> {
    clip.source().map_or(Vec::new(), |source| source.values.iter().map(|v| v.to_bits()).collect())
}

fn worst_error(clip: &Clip, packed: &PackedClip) -> f64 {
    let error = |frame| shell_error(clip.skeleton(), &clip.pose(frame), &packed.pose(frame));
    (0..clip.num_frames()).map(error).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn clips_come_back_to_the_bit(shape in shapes(), with_source: bool, tpose: bool, name: String, tags: Vec<String>) {
        let mut clip = random_clip(shape);
        (clip.name, clip.tags, clip.tpose_frame) = (name, tags, tpose);
        if with_source {
            clip.set_source(Some(Arc::new(source(&clip, shape.seed))));
        }
        let back = Clip::from_bytes(&clip.to_bytes()).unwrap();
        prop_assert_eq!(bits(&back), bits(&clip));
        prop_assert_eq!(source_bits(&back), source_bits(&clip));
        prop_assert_eq!(back, clip);
    }

    #[test]
    fn packed_clips_stay_within_a_tenth_of_a_millimetre(shape in shapes()) {
        let clip = random_clip(shape);
        let packed = pack(&clip);
        let error = worst_error(&clip, &packed);
        prop_assert!(error <= BOUND_M, "{} mm", error * 1e3);
        // Kept as f32, which rounds by 1e-7 of it.
        prop_assert!((error - f64::from(packed.max_error_m())).abs() <= 1e-10);
    }

    #[test]
    fn packed_clips_come_back_to_the_bit(shape in shapes()) {
        let packed = pack(&random_clip(shape));
        let back = PackedClip::from_bytes(packed.skeleton(), &packed.to_bytes()).unwrap();
        prop_assert_eq!(&back, &packed);
        prop_assert_eq!(back.to_bytes(), packed.to_bytes());
    }

    #[test]
    fn a_frame_does_not_depend_on_what_was_decoded_before(shape in shapes(), seed: u64) {
        prop_assume!(shape.frames > 0);
        let packed = pack(&random_clip(shape));
        let mut random = Random::new(seed);
        let mut used = Pose::rest(packed.skeleton());
        for _ in 0..20 {
            let frame = random.index(packed.num_frames());
            packed.pose_into(frame, &mut used);
            prop_assert_eq!(&used, &packed.pose(frame));
        }
    }

    #[test]
    fn poses_between_frames_lie_on_the_shortest_way(shape in shapes(), fraction in 0.0..1.0_f64) {
        prop_assume!(shape.frames > 1);
        let packed = pack(&random_clip(shape));
        let frame = shape.frames / 2 - usize::from(shape.frames == 2);
        let mut pose = packed.pose(0);
        packed.sample_into((frame as f64 + fraction) / packed.fps(), &mut pose);
        let (a, b) = (packed.pose(frame), packed.pose((frame + 1).min(packed.num_frames() - 1)));
        let fraction = fraction as f32;
        for joint in 0..packed.num_joints() {
            let (p, q) = (a.rotations[joint], b.rotations[joint]);
            let apart = angle_between(p, q);
            // Near half a turn either way is the shortest.
            if apart < 3.0 {
                let wanted = slerp(p, q, fraction);
                let bound = if apart < 0.17 { 2e-5 } else { 3e-3 };
                prop_assert!(angle_between(pose.rotations[joint], wanted) < bound, "{apart} rad apart: {}", angle_between(pose.rotations[joint], wanted));
            }
        }
        let root = a.root + (b.root - a.root) * fraction;
        prop_assert!((pose.root - root).length() <= 1e-6 * (1.0 + root.length()));
    }
}

#[test]
fn skeletons_and_contacts_come_back_to_the_bit() {
    let skeleton = sample::skeleton();
    let back = Skeleton::from_bytes(&skeleton.to_bytes()).unwrap();
    assert_eq!(back, skeleton);
    assert_eq!(back.fingerprint(), skeleton.fingerprint());
    assert_ne!(skeleton.scaled(1.001).fingerprint(), skeleton.fingerprint());
    let clip = sample::motions()[0].clip();
    let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
    assert!(contacts.feet.iter().any(|foot| !foot.toe.is_empty()), "a walk touches the ground");
    assert_eq!(Contacts::from_bytes(&contacts.to_bytes()).unwrap(), contacts);
}

#[test]
fn another_skeleton_is_refused() {
    let clip = sample::motions()[0].clip();
    let bytes = pack(&clip).to_bytes();
    let error = PackedClip::from_bytes(&clip.skeleton().scaled(1.001), &bytes).unwrap_err();
    assert!(error.to_string().contains("another skeleton"), "{error}");
}

#[test]
fn joints_that_never_move_cost_nothing() {
    let clip = sample::motions()[0].clip();
    let mut joints = clip.skeleton().joints().to_vec();
    let bytes = pack(&clip).to_bytes().len();
    for i in 0..30 {
        joints.push(Joint::new(format!("finger {i}"), Some(3 + i % 5), Vec3::X * 0.03));
    }
    let mut more = Clip::at_rest(Skeleton::build(joints).unwrap(), clip.fps(), clip.num_frames()).unwrap();
    for frame in 0..clip.num_frames() {
        let mut pose = clip.pose(frame);
        pose.rotations.resize(more.num_joints(), Quat::IDENTITY);
        more.set_pose(frame, &pose);
    }
    let (with, frames) = (pack(&more).to_bytes().len(), clip.num_frames());
    // One byte per joint and clip says that it is at rest; what hangs from a joint may make steps finer by an exponent.
    assert!(with < bytes + 30 + bytes / 4, "{with} bytes instead of {bytes} for {frames} frames");
}

/// A chain of joints half a metre apart that all turn: rotation errors would add up to metres at its end.
#[test]
fn long_chains_and_fast_spins_keep_the_bound() {
    for (joints, frames, spin) in [(300, 40, 0.02), (60, 64, 0.5), (4, 100, 2.9), (2, 64, 3.1)] {
        let chain = (0..joints).map(|i: usize| Joint::new(format!("{i}"), i.checked_sub(1), Vec3::Y * 0.5));
        let mut clip = Clip::at_rest(Skeleton::build(chain.collect()).unwrap(), 60.0, frames).unwrap();
        let mut random = Random::new(joints as u64);
        for joint in 0..joints {
            let axis = Vec3::from_array(std::array::from_fn(|_| random.normal() as f32)).normalize();
            for frame in 0..frames {
                clip.set_rotation(joint, frame, exp(axis * (spin * frame as f32)));
            }
        }
        clip.align_signs();
        let error = worst_error(&clip, &pack(&clip));
        assert!(error <= BOUND_M, "{joints} joints, {spin} rad per frame: {} mm", error * 1e3);
    }
}

/// Each joint trembles by less than what counts as still; all together they move the end of the chain by more than the
/// bound.
#[test]
fn trembling_adds_up_to_no_more_than_the_bound() {
    let chain = (0..200).map(|i: usize| Joint::new(format!("{i}"), i.checked_sub(1), Vec3::Y * 0.5));
    let mut clip = Clip::at_rest(Skeleton::build(chain.collect()).unwrap(), 60.0, 33).unwrap();
    for joint in 0..200 {
        // 1.8 µm at the far end.
        let angle = 1.8e-6 / (0.5 * (200 - joint) as f32);
        clip.set_rotation(joint, 32, exp(Vec3::X * angle));
    }
    let error = worst_error(&clip, &pack(&clip));
    assert!(error <= BOUND_M, "{} mm", error * 1e3);
}

/// Far from the origin f32 itself is coarse: 0.06 mm at 1 km, 1 mm at 10 km. Positions are decoded in f64 and rounded
/// once, so there the clip's own number comes out and the bound holds at any distance.
#[test]
fn kilometres_of_travel_keep_the_bound() {
    for distance in [1e3f32, 1e4, 1e5, 1e6, 1e9, 1e20] {
        let mut clip = sample::motions()[0].clip();
        let frames = clip.num_frames() as f32;
        for (frame, x) in clip.root_mut().x.iter_mut().enumerate() {
            *x += distance * frame as f32 / frames;
        }
        let error = worst_error(&clip, &pack(&clip));
        assert!(error <= BOUND_M, "{distance} m: {} mm", error * 1e3);
    }
}

#[test]
fn poses_that_are_not_finite_are_refused_by_frame_and_joint() {
    let mut clip = sample::motions()[0].clip();
    clip.set_rotation(4, 7, Quat::from_xyzw(0.0, f32::NAN, 0.0, 1.0));
    let error = PackedClip::pack(&clip, &mut ugoki_testing::codec::quiet).unwrap_err();
    assert_eq!(error.to_string(), "frame 7, joint 4: the pose is not finite");
    assert!(Clip::from_bytes(&clip.to_bytes()).is_err(), "nor are they read");
    let mut clip = sample::motions()[0].clip();
    clip.root_mut().y[3] = f32::INFINITY;
    assert!(PackedClip::pack(&clip, &mut ugoki_testing::codec::quiet).is_err());
}

#[test]
fn packing_stops_when_told() {
    let clip = sample::motions()[0].clip();
    let stopped = PackedClip::pack(&clip, &mut |_| std::ops::ControlFlow::Break(()));
    assert_eq!(stopped.unwrap_err().to_string(), "cancelled");
}

#[test]
fn an_added_t_pose_is_not_mixed_with_the_motion() {
    let mut clip = sample::motions()[0].clip();
    clip.tpose_frame = true;
    let packed = pack(&clip);
    let mut pose = packed.pose(0);
    packed.sample_into(0.3 / packed.fps(), &mut pose);
    assert_eq!(pose, packed.pose(1));
    packed.sample_into(0.0, &mut pose);
    assert_eq!(pose, packed.pose(0));
    for beyond in [1e9, f64::INFINITY] {
        packed.sample_into(beyond, &mut pose);
        assert_eq!(pose, packed.pose(packed.num_frames() - 1));
    }
    for before in [-1.0, f64::NAN] {
        packed.sample_into(before, &mut pose);
        assert_eq!(pose, packed.pose(0));
    }
}
