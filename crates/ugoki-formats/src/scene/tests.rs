use glam::DMat3;
use proptest::prelude::*;
use ugoki_base::math::Random;

use super::*;

const FRAMES: usize = 5;

fn vector(random: &mut Random, size: f64) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| random.range(-size, size)))
}

fn turn(random: &mut Random) -> DQuat {
    DQuat::from_array(std::array::from_fn(|_| random.normal())).normalize()
}

/// An `Armature` that lies on its back in centimetres, joints with turned rests below it, one bare node
/// between two joints, an animated root and turning joints; listed children first when `upside_down`.
fn random_scene(seed: u64, upside_down: bool, mirrored: bool) -> Scene {
    let mut random = Random::new(seed);
    let num_joints = 2 + random.index(9);
    let mut nodes = vec![SceneNode::new("Armature", None)];
    nodes[0].rest = Trs {
        translation: vector(&mut random, 0.2),
        rotation: DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
        scale: DVec3::splat(0.01) * if mirrored { DVec3::new(-1.0, 1.0, 1.0) } else { DVec3::ONE },
    };
    for joint in 0..num_joints {
        let parent = if joint == 0 { 0 } else { 1 + random.index(joint) };
        let mut node = SceneNode::new(format!("j{joint}"), Some(parent));
        node.rest = Trs {
            translation: vector(&mut random, 50.0),
            rotation: turn(&mut random),
            scale: DVec3::splat(random.range(0.5, 2.0)),
        };
        node.is_joint = joint != 1 || num_joints < 4;
        nodes.push(node);
    }
    let tracks = (0..nodes.len())
        .filter_map(|node| {
            let kind = random.index(4);
            let rotation = (kind != 0).then(|| (0..FRAMES).map(|_| turn(&mut random).as_quat()).collect());
            let translation =
                (kind == 3).then(|| (0..FRAMES).map(|_| vector(&mut random, 50.0).as_vec3()).collect());
            (kind != 0).then_some(NodeTrack { node, translation, rotation, scale: None })
        })
        .collect();
    let world_from_file = DAffine3::from_rotation_y(0.3);
    let mut scene =
        Scene { nodes, tracks, fps: 30.0, num_frames: FRAMES, world_from_file, main: None, file_bytes: 0 };
    if upside_down {
        let last = scene.nodes.len() - 1;
        scene.nodes.reverse();
        for node in &mut scene.nodes {
            node.parent = node.parent.map(|parent| last - parent);
        }
        for track in &mut scene.tracks {
            track.node = last - track.node;
        }
    }
    scene
}

/// World transform by climbing: the oracle, which has no code in common with the baking.
fn world(scene: &Scene, node: usize, frame: Option<usize>) -> DAffine3 {
    let mut at = Some(node);
    let mut out = DAffine3::IDENTITY;
    while let Some(n) = at {
        let mut local = scene.nodes[n].rest;
        if let (Some(frame), Some(track)) = (frame, scene.tracks.iter().find(|track| track.node == n)) {
            if let Some(t) = &track.translation {
                local.translation = t[frame].as_dvec3();
            }
            if let Some(r) = &track.rotation {
                local.rotation = r[frame].as_dquat().normalize();
            }
        }
        out = DAffine3 {
            matrix3: DMat3::from_quat(local.rotation) * DMat3::from_diagonal(local.scale),
            translation: local.translation,
        } * out;
        at = scene.nodes[n].parent;
    }
    scene.world_from_file * out
}

fn build(scene: &Scene) -> (SceneClip, Vec<crate::Finding>) {
    let mut findings = Findings::default();
    let built = build_clip(scene, &mut findings).unwrap();
    (built, findings.finish())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// What is fixed to a joint at rest moves with it: p ↦ W(f)·W₀⁻¹·p is the clip's own movement.
    #[test]
    fn points_on_joints_move_as_in_the_file(seed in any::<u64>(), upside_down in any::<bool>(), mirrored in any::<bool>()) {
        let scene = random_scene(seed, upside_down, mirrored);
        let (built, _) = build(&scene);
        let clip = &built.clip;
        let rest = clip.skeleton().rest_positions();
        for frame in 0..FRAMES {
            let pose = clip.model_pose(frame);
            for (joint, &node) in built.nodes.iter().enumerate() {
                let moved = world(&scene, node, Some(frame)) * world(&scene, node, None).inverse();
                for offset in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
                    let expected = moved.transform_point3(rest[joint].as_dvec3() + offset);
                    let found = pose.point(joint, offset.as_vec3()).as_dvec3();
                    // 1e-4 m: chains of ten f32 joints whose scales multiply up to metres.
                    let size = 1.0 + world(&scene, node, None).translation.length();
                    prop_assert!((found - expected).length() < 1e-4 * size, "{found} {expected}");
                }
            }
        }
    }

    #[test]
    fn the_order_of_nodes_does_not_matter(seed in any::<u64>()) {
        let (a, b) = (build(&random_scene(seed, false, false)).0, build(&random_scene(seed, true, false)).0);
        for (joint, info) in a.clip.skeleton().joints().iter().enumerate() {
            let other = b.clip.skeleton().find_name(&info.name).unwrap();
            let apart = (a.clip.model_pose(2).positions[joint] - b.clip.model_pose(2).positions[other]).length();
            prop_assert!(apart < 1e-4, "{apart}");
        }
    }
}

#[test]
fn still_joints_have_no_translation_track() {
    let mut scene = random_scene(7, false, false);
    for track in &mut scene.tracks {
        track.translation = None;
    }
    // A bare node between two joints that turns moves the lower one about the upper.
    scene.tracks.retain(|track| scene.nodes[track.node].is_joint);
    assert_eq!(build(&scene).0.clip.translations(), []);
}

#[test]
fn circles_and_missing_parents_are_survived() {
    let mut scene = random_scene(3, false, false);
    let count = scene.nodes.len();
    scene.nodes.push(SceneNode::new("a", Some(count + 1)));
    scene.nodes.push(SceneNode::new("b", Some(count)));
    scene.nodes[count].is_joint = true;
    scene.nodes.push(SceneNode::new("orphan", Some(99_999)));
    let (built, findings) = build(&scene);
    assert!(built.nodes.iter().all(|&node| node < count));
    assert!(findings.iter().any(|finding| finding.code == "node-cycle"), "{findings:?}");
}

#[test]
fn changing_scales_move_joints_and_are_reported() {
    let mut scene = Scene {
        nodes: vec![SceneNode::new("a", None), SceneNode::new("b", Some(0))],
        tracks: vec![NodeTrack {
            node: 0,
            scale: Some(vec![Vec3::ONE, Vec3::splat(2.0)]),
            ..NodeTrack::default()
        }],
        fps: 30.0,
        num_frames: 2,
        world_from_file: DAffine3::IDENTITY,
        main: None,
        file_bytes: 0,
    };
    scene.nodes[1].rest.translation = DVec3::X;
    let (built, findings) = build(&scene);
    assert!(findings.iter().any(|finding| finding.code == "scale-lost"));
    assert!((built.clip.model_pose(1).positions[1] - Vec3::X * 2.0).length() < 1e-6);
    // Hostile values do not reach the clip.
    scene.tracks[0].rotation =
        Some(vec![Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)]);
    scene.nodes[0].rest.scale = DVec3::ZERO;
    let (built, findings) = build(&scene);
    assert!(built.clip.rotation(0, 1).is_normalized());
    assert!(findings.iter().any(|finding| finding.code == "not-finite"));
    assert!(findings.iter().any(|finding| finding.code == "rest-transform"));
}

#[test]
fn a_bind_pose_takes_the_place_of_the_rest() {
    let mut scene = random_scene(11, false, false);
    scene.tracks.clear();
    scene.num_frames = 1;
    for node in 1..scene.nodes.len() {
        scene.nodes[node].bind = Some(DAffine3::from_translation(DVec3::Y * node as f64));
    }
    let (built, _) = build(&scene);
    let rest = built.clip.skeleton().rest_positions();
    for (joint, &node) in built.nodes.iter().enumerate() {
        assert!((rest[joint] - Vec3::Y * node as f32).length() < 1e-5);
        let found = built.clip.model_pose(0).positions[joint].as_dvec3();
        let size = 1.0 + found.length();
        assert!((found - world(&scene, node, None).translation).length() < 1e-5 * size);
    }
}
