//! Arrays of research data: rotations of AMASS and joint positions of HumanML3D.

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::clip::{Clip, UpAxis};
use ugoki_base::math::Random;
use ugoki_base::no_progress;
use ugoki_base::skeleton::Role;

use super::array::{floats, number};
use super::smpl;
use super::zip::Zip;
use crate::{Companion, Format, Read, ReadError, ReadOptions, WriteOptions, read, read_with, write};

/// Rest places of a body of 22 joints, about as tall as a person.
fn rest() -> Vec<DVec3> {
    let sample = ugoki_sample::skeleton();
    let places = sample.rest_positions();
    let place = |joint: ugoki_base::skeleton::Joint| {
        let found = joint.role.and_then(|role| sample.find(role));
        found.map_or(DVec3::ZERO, |at| places[at].as_dvec3())
    };
    smpl::joints(22).into_iter().map(place).collect()
}

struct Amass {
    poses: Vec<DVec3>,
    trans: Vec<DVec3>,
}

/// A body that stands along Z and bends its joints at random.
fn motion(frames: usize) -> Amass {
    let mut random = Random::new(11);
    let mut small =
        |size: f64| DVec3::new(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5) * size;
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let mut poses = Vec::new();
    for _ in 0..frames {
        poses.push((upright * DQuat::from_scaled_axis(small(0.4))).to_scaled_axis());
        poses.extend((1..22).map(|_| small(0.6)));
    }
    Amass { poses, trans: (0..frames).map(|frame| small(0.1) + DVec3::X * 0.02 * frame as f64).collect() }
}

fn flat(places: &[DVec3]) -> impl Iterator<Item = f32> + '_ {
    places.iter().flat_map(|place| place.as_vec3().to_array())
}

fn archive(amass: &Amass, rest: Option<&[DVec3]>) -> Vec<u8> {
    let frames = amass.trans.len();
    let mut zip = Zip::default();
    zip.add("poses.npy", &floats(&[frames, 66], flat(&amass.poses)));
    zip.add("trans.npy", &floats(&[frames, 3], flat(&amass.trans)));
    zip.add("betas.npy", &floats(&[2], [0.5, -1.0].into_iter()));
    zip.add("mocap_framerate.npy", &number(120.0));
    if let Some(rest) = rest {
        zip.add("J.npy", &floats(&[rest.len(), 3], flat(rest)));
    }
    zip.finish()
}

/// World positions by the body model's own rule, with Z up turned to Y.
fn expected(amass: &Amass, rest: &[DVec3], frame: usize) -> Vec<Vec3> {
    let mut world: Vec<(DVec3, DQuat)> = Vec::new();
    for (at, joint) in smpl::joints(22).into_iter().enumerate() {
        let turn = DQuat::from_scaled_axis(amass.poses[22 * frame + at]);
        world.push(match joint.parent {
            None => (rest[0] + amass.trans[frame], turn),
            Some(parent) => {
                let (place, above) = world[parent];
                (place + above * (rest[at] - rest[parent]), above * turn)
            }
        });
    }
    world.iter().map(|(place, _)| DVec3::new(place.x, place.z, -place.y).as_vec3()).collect()
}

fn check(found: &Read, amass: &Amass, rest: &[DVec3], bound_m: f32) {
    assert_eq!((found.clip.fps(), found.up, found.format), (120.0, UpAxis::Z, Format::Npz));
    assert!(found.findings.iter().any(|finding| finding.code == "shape-ignored"));
    for frame in 0..found.clip.num_frames() {
        let pose = found.clip.model_pose(frame);
        for (at, place) in expected(amass, rest, frame).into_iter().enumerate() {
            let off = pose.positions[at].distance(place);
            assert!(off < bound_m, "frame {frame}, joint {at}: {off} m");
        }
    }
}

#[test]
fn rotations_of_amass_on_a_given_rest_pose_put_the_joints_where_the_model_does() {
    let (amass, rest) = (motion(20), rest());
    let found = read(&archive(&amass, Some(&rest)), None, &ReadOptions::default()).unwrap();
    // Rounding of f32 along a chain of ten joints.
    check(&found, &amass, &rest, 1e-4);
    assert_eq!(found.clip.skeleton().find(Role::LeftUpperArm), Some(16));
}

#[test]
fn the_rest_pose_may_come_from_another_file_and_without_one_the_file_is_refused() {
    let (amass, rest) = (motion(6), rest());
    let bytes = archive(&amass, None);
    let refused = read(&bytes, Some("npz"), &ReadOptions::default()).unwrap_err();
    assert_eq!(refused, ReadError::NoRestPose { joints: 22 });
    assert!(refused.hint().is_some_and(|hint| hint.contains('J')));
    let mut model = Zip::default();
    model.add("J.npy", &floats(&[22, 3], flat(&rest)));
    let model = model.finish();
    // As a body model has it: three vertices for each joint, their mean the joint.
    let vertices: Vec<DVec3> =
        rest.iter().flat_map(|&place| [place - DVec3::X, place, place + DVec3::X]).collect();
    let weights = (0..22 * 66).map(|at| if at % 66 / 3 == at / 66 { 1.0 / 3.0 } else { 0.0 });
    let mut regressed = Zip::default();
    regressed.add("v_template.npy", &floats(&[66, 3], flat(&vertices)));
    regressed.add("J_regressor.npy", &floats(&[22, 66], weights));
    let with = |file: Vec<u8>| {
        let mut fetch = |companion: Companion<'_>| (companion == Companion::Skeleton).then(|| file.clone());
        read_with(&bytes, Some("npz"), &ReadOptions::default(), &mut fetch)
    };
    check(&with(model).unwrap(), &amass, &rest, 1e-4);
    check(&with(regressed.finish()).unwrap(), &amass, &rest, 1e-4);
    let still = Clip::at_rest(ugoki_sample::skeleton(), 30.0, 2).unwrap();
    let bvh = write(&still, Format::Bvh, &WriteOptions::default(), &mut no_progress()).unwrap().bytes;
    // The BVH has offsets to the nearest hundredth of a millimetre, but the unit is guessed as centimetres.
    let offsets: Vec<DVec3> = rest.iter().map(|place| *place - rest[0]).collect();
    let by_bvh = with(bvh).unwrap();
    let leg = by_bvh.clip.skeleton().joint(4).offset;
    assert!((leg.as_dvec3() - (offsets[4] - offsets[1])).length() < 1e-3, "{leg}");
    assert!(matches!(with(b"nothing".to_vec()), Err(ReadError::SkeletonFile { .. })));
}

#[test]
fn joint_positions_of_humanml3d_are_markers_and_a_motion() {
    let walk = ugoki_sample::clip("walk").unwrap().resampled(20.0).unwrap();
    let skeleton = walk.skeleton();
    let joints = smpl::joints(22);
    let at = |joint: &ugoki_base::skeleton::Joint| joint.role.and_then(|role| skeleton.find(role)).unwrap();
    let places: Vec<DVec3> = walk
        .model_poses()
        .iter()
        .flat_map(|pose| joints.iter().map(|joint| pose.positions[at(joint)].as_dvec3()).collect::<Vec<_>>())
        .collect();
    let bytes = floats(&[walk.num_frames(), 22, 3], flat(&places));
    let markers = crate::read_markers(&bytes, None, &ReadOptions::default()).unwrap().markers;
    assert_eq!((markers.labels().len(), markers.num_frames(), markers.fps()), (22, walk.num_frames(), 20.0));
    let found = read(&bytes, Some("npy"), &ReadOptions::default()).unwrap();
    assert!(found.markers.is_some() && found.format == Format::Npz);
    let (foot, expected) =
        (found.clip.skeleton().find(Role::LeftFoot).unwrap(), skeleton.find(Role::LeftFoot).unwrap());
    for frame in 0..walk.num_frames() {
        let off =
            found.clip.model_pose(frame).positions[foot].distance(walk.model_pose(frame).positions[expected]);
        // What the solve moves a joint by is twice what soft tissue moves at most.
        assert!(off < 0.03, "frame {frame}: {off} m");
    }
    let features = floats(&[4, 263], std::iter::repeat_n(0.0, 4 * 263));
    let refused = read(&features, Some("npy"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("new_joints"), "{refused}");
    for end in (0..bytes.len()).step_by(331) {
        assert!(read(&bytes[..end], Some("npy"), &ReadOptions::default()).is_err(), "cut at {end}");
    }
}
