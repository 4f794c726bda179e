//! One take of a loaded scene, sampled at one rate.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::scene::{NodeTrack, Scene, SceneNode, Trs};
use crate::{Findings, ReadError, Severity};

/// Memory that sampled tracks of any file may take, bytes, and how much more per byte of the file.
const ANY_MEMORY: usize = 64 << 20;
const MEMORY_PER_BYTE: usize = 256;

/// Bytes of one node in one frame: translation, rotation, scale.
const SAMPLE_BYTES: usize = 40;

/// Rates that files and people mean, frames per second.
const LIKELY_FPS: std::ops::RangeInclusive<f64> = 1.0..=2000.0;

/// Rate where the file has none, frames per second: what most programs start with.
const DEFAULT_FPS: f64 = 30.0;

/// Fraction of a frame by which a take's end may miss a frame and still be on it: times are rounded in several ways.
const ON_FRAME: f64 = 0.1;

/// Relative distance to a whole or film rate within which a rate is that one: Blender writes 120.0005 for 120.
const SAME_RATE: f64 = 2e-5;

/// Endings of names that mark an end site, lower case: Blender's, 3ds Max's and MotionBuilder's.
const TIP_ENDINGS: [&str; 4] = ["_end", "nub", "_effector", "end site"];

/// Largest difference of a node from its rest that is no motion, in the file's unit and in quaternion components.
const STILL: f64 = 1e-5;

/// Which frames of a take are sampled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub begin: f64,
    pub fps: f64,
    pub num_frames: usize,
}

/// Rate and frames of an animation.
pub(super) fn span(
    file: &ufbx::Scene,
    anim: &ufbx::Anim,
    wanted_fps: Option<f64>,
    findings: &mut Findings,
) -> Result<Span, ReadError> {
    let stated = file.settings.frames_per_second;
    let fps = wanted_fps.unwrap_or_else(|| {
        if LIKELY_FPS.contains(&stated) {
            return tidy(stated);
        }
        let message = format!("the file's rate is {stated} frames per second");
        let assumed = format!("{DEFAULT_FPS} frames per second");
        findings.note(Severity::Warning, None, "rate-bad", message, assumed);
        DEFAULT_FPS
    });
    let (mut begin, mut end) = (anim.time_begin, anim.time_end);
    let keys = key_range(anim);
    // Not a number is no range either.
    let is_range = end > begin;
    if !is_range && let Some((first, last)) = keys {
        let message = format!("the take runs from {begin} s to {end} s");
        let assumed = format!("from its first key to its last, {first:.3} s to {last:.3} s");
        findings.note(Severity::Warning, None, "take-range", message, assumed);
        (begin, end) = (first, last);
    }
    if !(begin.is_finite() && end.is_finite()) || keys.is_none() {
        return Ok(Span { begin: 0.0, fps, num_frames: 1 });
    }
    let frames = ((end - begin).max(0.0) * fps + ON_FRAME).floor() + 1.0;
    // f64 to usize saturates; the bound on memory follows.
    Ok(Span { begin, fps, num_frames: frames as usize })
}

/// The whole rate, or whole rate divided by 1.001, that this one is nearly.
fn tidy(fps: f64) -> f64 {
    let near = [fps.round(), (fps * 1.001).round() / 1.001];
    near.into_iter().find(|rate| (rate / fps - 1.0).abs() < SAME_RATE).unwrap_or(fps)
}

/// Times of the first and the last key.
fn key_range(anim: &ufbx::Anim) -> Option<(f64, f64)> {
    let mut range: Option<(f64, f64)> = None;
    for layer in &anim.layers {
        for value in &layer.anim_values {
            for curve in value.curves.iter().flatten() {
                if curve.keyframes.is_empty() || !(curve.min_time.is_finite() && curve.max_time.is_finite()) {
                    continue;
                }
                let (first, last) = range.unwrap_or((curve.min_time, curve.max_time));
                range = Some((first.min(curve.min_time), last.max(curve.max_time)));
            }
        }
    }
    range
}

/// The scene of this span of an animation.
pub(super) fn sample(
    file: &ufbx::Scene,
    anim: &ufbx::Anim,
    span: Span,
    file_bytes: usize,
) -> Result<Scene, ReadError> {
    let mut nodes: Vec<SceneNode> = (&file.nodes).into_iter().map(scene_node).collect();
    mark_skins(file, &mut nodes);
    let animated = animated_nodes(file, anim);
    check_size(animated.iter().filter(|flag| **flag).count(), span.num_frames, file_bytes)?;
    let mut tracks = Vec::new();
    for (index, node) in (&file.nodes).into_iter().enumerate() {
        if !animated[index] {
            continue;
        }
        let samples: Vec<Trs> = (0..span.num_frames)
            .map(|frame| trs(&ufbx::evaluate_transform(anim, node, span.begin + frame as f64 / span.fps)))
            .collect();
        let is_tip = {
            let name = nodes[index].name.to_ascii_lowercase();
            node.children.is_empty() && TIP_ENDINGS.iter().any(|ending| name.ends_with(ending))
        };
        if is_tip && samples.iter().all(|now| still(now, &nodes[index].rest)) {
            continue;
        }
        tracks.push(NodeTrack {
            node: index,
            translation: Some(samples.iter().map(|trs| trs.translation.as_vec3()).collect()),
            rotation: Some(samples.iter().map(|trs| trs.rotation.as_quat()).collect()),
            scale: Some(samples.iter().map(|trs| trs.scale.as_vec3()).collect()),
        });
    }
    demote_tips(&mut nodes, &tracks);
    Ok(Scene {
        nodes,
        tracks,
        fps: span.fps,
        num_frames: span.num_frames,
        // The root node has the axes and the unit.
        world_from_file: DAffine3::IDENTITY,
        main: None,
        file_bytes,
    })
}

fn check_size(nodes: usize, frames: usize, file_bytes: usize) -> Result<(), ReadError> {
    let bytes = nodes.max(1).saturating_mul(frames).saturating_mul(SAMPLE_BYTES);
    let max = ANY_MEMORY.saturating_add(file_bytes.saturating_mul(MEMORY_PER_BYTE));
    if bytes > max {
        let (megabytes, max_megabytes) = (bytes >> 20, max >> 20);
        return Err(ReadError::TooManySamples { nodes, frames, megabytes, max_megabytes });
    }
    Ok(())
}

fn scene_node(node: &ufbx::Node) -> SceneNode {
    let parent = node.parent.as_ref().map(|parent| parent.element.typed_id as usize);
    let mut out = SceneNode::new(&node.element.name[..], parent);
    out.rest = trs(&node.local_transform);
    out.is_joint = node.bone.is_some();
    out.has_shape = node.mesh.is_some() || node.light.is_some() || node.camera.is_some();
    out
}

/// Bones of skins are joints, whatever they are called, and their bind pose is the rest pose.
fn mark_skins(file: &ufbx::Scene, nodes: &mut [SceneNode]) {
    let mut binds: Vec<Option<DAffine3>> = vec![None; nodes.len()];
    for cluster in &file.skin_clusters {
        let Some(bone) = &cluster.bone_node else { continue };
        let node = bone.element.typed_id as usize;
        if let Some(scene_node) = nodes.get_mut(node) {
            scene_node.is_joint = true;
            let bind = affine(&cluster.bind_to_world);
            // A mesh bound twice keeps the first.
            binds[node] = binds[node].or(Some(bind).filter(|bind| bind.is_finite() && sound(bind)));
        }
    }
    if binds.iter().all(Option::is_none) {
        // Without a skin the pose that programs save as the bind pose, where there is one.
        let poses = (&file.poses).into_iter().filter(|pose| pose.is_bind_pose);
        for bone in poses.flat_map(|pose| &pose.bone_poses) {
            let node = bone.bone_node.element.typed_id as usize;
            let bind = affine(&bone.bone_to_world);
            if binds.get(node) == Some(&None) && bind.is_finite() && sound(&bind) {
                binds[node] = Some(bind);
            }
        }
    }
    // A bind pose of some joints only would tear the body apart: the others follow their parents.
    let joints: Vec<usize> = (0..nodes.len()).filter(|&node| nodes[node].is_joint).collect();
    if joints.is_empty() || binds.iter().all(Option::is_none) {
        return;
    }
    let worlds: Vec<DAffine3> = (&file.nodes).into_iter().map(|node| affine(&node.node_to_world)).collect();
    for &joint in &joints {
        if binds[joint].is_some() {
            continue;
        }
        // Parents stand before children in the file's list.
        let Some(parent) = nodes[joint].parent.filter(|&parent| parent < joint) else { continue };
        if let Some(bind) = binds[parent]
            && sound(&worlds[parent])
        {
            binds[joint] = Some(bind * worlds[parent].inverse() * worlds[joint]);
        }
    }
    // Joints above the skin, such as a root that carries no weight, stay where they are.
    for joint in joints {
        nodes[joint].bind = binds[joint];
    }
}

/// Leaf bones that are only ends: no skin, no motion, a name that says so.
fn demote_tips(nodes: &mut [SceneNode], tracks: &[NodeTrack]) {
    let mut is_leaf = vec![true; nodes.len()];
    for node in nodes.iter() {
        if let Some(parent) = node.parent.filter(|&parent| parent < is_leaf.len()) {
            is_leaf[parent] = false;
        }
    }
    for track in tracks {
        is_leaf[track.node] = false;
    }
    for (node, _) in nodes.iter_mut().zip(is_leaf).filter(|(_, is_leaf)| *is_leaf) {
        let name = node.name.to_ascii_lowercase();
        if TIP_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            node.is_joint = false;
        }
    }
}

/// Nodes that some curve moves, and the helpers that carry a moved node's scale.
fn animated_nodes(file: &ufbx::Scene, anim: &ufbx::Anim) -> Vec<bool> {
    let mut animated = vec![false; file.nodes.len()];
    for layer in &anim.layers {
        for property in &layer.anim_props {
            if property.element.type_ == ufbx::ElementType::Node
                && let Some(flag) = animated.get_mut(property.element.typed_id as usize)
            {
                *flag = true;
            }
        }
    }
    for (index, node) in (&file.nodes).into_iter().enumerate() {
        let parent = node.parent.as_ref().map(|parent| parent.element.typed_id as usize);
        if (node.is_scale_helper || node.is_geometry_transform_helper)
            && parent.is_some_and(|parent| animated.get(parent) == Some(&true))
        {
            animated[index] = true;
        }
    }
    animated
}

fn still(now: &Trs, rest: &Trs) -> bool {
    let same = |a: DVec3, b: DVec3| (a - b).abs().max_element() <= STILL * (1.0 + b.abs().max_element());
    same(now.translation, rest.translation)
        && same(now.scale, rest.scale)
        && 1.0 - now.rotation.dot(rest.rotation).abs() <= STILL
}

/// Whether a transform can be undone.
fn sound(world: &DAffine3) -> bool {
    world.matrix3.determinant().abs() > f64::MIN_POSITIVE
}

fn trs(from: &ufbx::Transform) -> Trs {
    let (t, q, s) = (&from.translation, &from.rotation, &from.scale);
    Trs {
        translation: DVec3::new(t.x, t.y, t.z),
        rotation: DQuat::from_xyzw(q.x, q.y, q.z, q.w),
        scale: DVec3::new(s.x, s.y, s.z),
    }
}

fn affine(m: &ufbx::Matrix) -> DAffine3 {
    DAffine3::from_mat3_translation(
        DMat3::from_cols(
            DVec3::new(m.m00, m.m10, m.m20),
            DVec3::new(m.m01, m.m11, m.m21),
            DVec3::new(m.m02, m.m12, m.m22),
        ),
        DVec3::new(m.m03, m.m13, m.m23),
    )
}
