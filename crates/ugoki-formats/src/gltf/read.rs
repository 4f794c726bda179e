//! A document to a clip.

use glam::{DAffine3, DMat4, DQuat, DVec3, Vec3};
use serde_json::Value;
use ugoki_base::skeleton::{Role, body_height};

use super::buffers::Buffers;
use super::curve::{Curve, Interpolation};
use super::document::{Animation, Document, Node, Sampler};
use super::humanoid::{self, Avatar};
use super::{bind, container, expressions, malformed, marks, rate};
use crate::motion_findings::mark_t_pose;
use crate::scene::{NodeTrack, Scene, SceneNode, Trs, build_clip};
use crate::{Fetch, Findings, Format, Marks, Read, ReadError, ReadOptions, Severity, UpAxis, counted, takes};

/// Rate of a file without motion: any would do.
const REST_FPS: f64 = 30.0;

/// Bodies of another height, metres, were not written in metres.
const LIKELY_HEIGHT: std::ops::Range<f64> = 0.3..3.0;

/// Frames one animation may be sampled at: a day at 100 frames per second.
const MAX_FRAMES: f64 = 8_640_000.0;

/// Reads glTF, GLB, VRM or VRMA; `fetch` gives buffers that lie in files of their own.
///
/// # Errors
/// When the file is broken, a buffer is missing, or nothing in it is a skeleton.
pub fn read(bytes: &[u8], options: &ReadOptions, fetch: Fetch<'_>) -> Result<Read, ReadError> {
    let unit_metres = options.unit_metres.unwrap_or(1.0);
    if !(unit_metres.is_finite() && unit_metres > 0.0) {
        return Err(ReadError::Unit { found: unit_metres });
    }
    let mut findings = Findings::default();
    let container = container::open(bytes, &mut findings)?;
    let document = parse(container.json)?;
    let (format, avatar) = humanoid::find(&document, container.is_binary, &mut findings);
    let takes = take_names(&document);
    let take = takes::choose(&takes, options.take.as_deref())?;
    if options.take.is_none() {
        takes::tell(&takes, &mut findings);
    }
    let animation = document.animations.get(take);
    let needed = needed_buffers(&document, animation);
    let mut buffers = Buffers::open(&document, container.bin, bytes.len(), &needed, fetch)?;

    let mut scene = scene_of(&document, &avatar, bytes.len(), unit_metres, options, &mut findings);
    let mut faces = Vec::new();
    if let Some(animation) = animation {
        let sampling = Sampling::new(&document, animation, &avatar, format, &mut buffers, &mut findings)?;
        faces = sampling.fill(&mut scene, &mut buffers, options.fps, &mut findings)?;
        bind::choose(&document, &mut buffers, &mut scene, &mut findings)?;
    } else {
        let message = "the file has no animation";
        findings.note(Severity::Info, None, "no-motion", message, "one frame: the rest pose");
    }
    let built = build_clip(&scene, &mut findings)?;
    // A weight takes a place and a turn in every frame, as any joint does.
    check_size(2 * avatar.expressions.len(), built.clip.num_frames(), bytes.len())?;
    let mut clip = expressions::put_on(built.clip, &document, &avatar.expressions, &faces, &mut findings)?;
    let mut marks = Marks::default();
    if let Some(animation) = animation {
        clip.name = animation.name.clone().unwrap_or_default();
        let extras = |key: &str| animation.extras.get(key);
        let words = |key: &str| -> Vec<String> {
            let list = extras(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            list.map(str::to_owned).collect()
        };
        let automatic = words("automaticTags");
        clip.tags = words("tags");
        clip.tags.retain(|tag| !automatic.contains(tag));
        let stated = extras("tposeFrame").and_then(Value::as_bool);
        mark_t_pose(&mut clip, stated, None, &mut findings);
        marks = marks::read(&animation.extras, &clip, &mut findings);
    }
    let height_metres = body_height(clip.skeleton()).map(f64::from);
    judge_height(height_metres, clip.skeleton().find(Role::Hips).is_some(), &mut findings);
    Ok(Read {
        frame_time: 1.0 / clip.fps(),
        clip,
        format,
        findings: findings.finish(),
        unit_metres,
        unit_name: if unit_metres == 1.0 { "m".to_owned() } else { format!("{unit_metres} m") },
        height_metres,
        up: options.up.unwrap_or_default(),
        takes: if takes.len() > 1 { takes } else { Vec::new() },
        markers: None,
        marks,
    })
}

fn parse(json: &[u8]) -> Result<Document, ReadError> {
    // GLB pads with blanks; some writers with zeros.
    let end = json.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let document: Document = serde_json::from_slice(&json[..end]).map_err(|error| ReadError::Malformed {
        line: u32::try_from(error.line()).ok().filter(|&line| line > 0),
        message: format!("the glTF document is broken: {error}"),
        hint: "export the file again; gltf-validator reports what is wrong",
    })?;
    if document.asset.version.starts_with('1') {
        return Err(ReadError::Malformed {
            line: None,
            message: format!("glTF version {}, expected 2.0", document.asset.version),
            hint: "convert it to glTF 2.0 first, with Blender or gltf-pipeline",
        });
    }
    Ok(document)
}

/// Names of all animations; those without get their number.
fn take_names(document: &Document) -> Vec<String> {
    let name = |(index, animation): (usize, &Animation)| match animation.name.as_deref() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => index.to_string(),
    };
    document.animations.iter().enumerate().map(name).collect()
}

/// Buffers that the animation and the skins use; textures and meshes often lie in others.
fn needed_buffers(document: &Document, animation: Option<&Animation>) -> Vec<bool> {
    let mut needed = vec![false; document.buffers.len()];
    let samplers = animation.map_or(&[][..], |animation| &animation.samplers);
    let keys = samplers.iter().flat_map(|sampler| [sampler.input, sampler.output]);
    let binds =
        document.skins.iter().filter_map(|skin| skin.inverse_bind_matrices).filter(|_| animation.is_some());
    for accessor in keys.chain(binds).filter_map(|index| document.accessors.get(index)) {
        let sparse = accessor.sparse.iter().flat_map(|s| [s.indices.buffer_view, s.values.buffer_view]);
        for view in accessor.buffer_view.into_iter().chain(sparse) {
            let buffer = document.buffer_views.get(view).map(|view| view.buffer);
            if let Some(flag) = buffer.and_then(|buffer| needed.get_mut(buffer)) {
                *flag = true;
            }
        }
    }
    needed
}

/// The nodes at rest, with what skins and humanoid maps say about them.
fn scene_of(
    document: &Document,
    avatar: &Avatar,
    file_bytes: usize,
    unit_metres: f64,
    options: &ReadOptions,
    findings: &mut Findings,
) -> Scene {
    let mut nodes: Vec<SceneNode> = document.nodes.iter().map(scene_node).collect();
    let mut twice = 0;
    for (index, node) in document.nodes.iter().enumerate() {
        for &child in &node.children {
            match nodes.get_mut(child).map(|child| &mut child.parent) {
                Some(parent @ None) if child != index => *parent = Some(index),
                _ => twice += 1,
            }
        }
    }
    if twice > 0 {
        let message = format!(
            "{} of no node or of a node that has a parent",
            counted(twice, "child is", "children are")
        );
        findings.note(Severity::Warning, None, "node-tree", message, "the first parent counts");
    }
    for &joint in document.skins.iter().flat_map(|skin| &skin.joints) {
        if let Some(node) = nodes.get_mut(joint) {
            node.is_joint = true;
        }
    }
    for &(node, role) in &avatar.roles {
        nodes[node].is_joint = true;
        nodes[node].role = Some(role);
    }
    let turn = if avatar.faces_back { DQuat::from_rotation_y(std::f64::consts::PI) } else { DQuat::IDENTITY };
    let up = match options.up.unwrap_or_default() {
        UpAxis::Y => DQuat::IDENTITY,
        UpAxis::Z => DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
    };
    let world_from_file =
        DAffine3::from_scale_rotation_translation(DVec3::splat(unit_metres), turn * up, DVec3::ZERO);
    let main = document.skins.first().and_then(|skin| skin.joints.first()).copied();
    Scene { nodes, tracks: Vec::new(), fps: REST_FPS, num_frames: 1, world_from_file, main, file_bytes }
}

fn scene_node(node: &Node) -> SceneNode {
    let mut out = SceneNode::new(node.name.clone().unwrap_or_default(), None);
    out.has_shape = node.mesh.is_some() || node.camera.is_some();
    out.rest = match &node.matrix {
        Some(matrix) => {
            let affine = DAffine3::from_mat4(DMat4::from_cols_array(matrix));
            let (scale, rotation, translation) = affine.to_scale_rotation_translation();
            Trs { translation, rotation, scale }
        }
        None => Trs {
            translation: node.translation.map_or(DVec3::ZERO, DVec3::from_array),
            rotation: node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array),
            scale: node.scale.map_or(DVec3::ONE, DVec3::from_array),
        },
    };
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    Translation,
    Rotation,
    Scale,
}

/// One channel that moves a node.
struct Moving<'a> {
    node: usize,
    /// The node is an expression's and its translation a weight.
    is_face: bool,
    path: Path,
    sampler: &'a Sampler,
    interpolation: Interpolation,
    /// Place in `inputs`.
    times: usize,
}

/// The channels of an animation that are used, with their key times.
struct Sampling<'a> {
    animation: &'a Animation,
    channels: Vec<Moving<'a>>,
    /// Accessor and its times, which do not fall.
    inputs: Vec<(usize, Vec<f32>)>,
}

impl<'a> Sampling<'a> {
    fn new(
        document: &Document,
        animation: &'a Animation,
        avatar: &Avatar,
        format: Format,
        buffers: &mut Buffers<'_>,
        findings: &mut Findings,
    ) -> Result<Self, ReadError> {
        let mut sampling = Self { animation, channels: Vec::new(), inputs: Vec::new() };
        let mut seen = std::collections::BTreeSet::new();
        let faces: std::collections::BTreeSet<usize> = avatar.expressions.iter().map(|e| e.node).collect();
        for channel in &animation.channels {
            let Some(node) = channel.target.node.filter(|&node| node < document.nodes.len()) else {
                findings.info(None, "channel-skipped", "a channel moves something that is not a node");
                continue;
            };
            let path = match channel.target.path.as_str() {
                "translation" => Path::Translation,
                "rotation" => Path::Rotation,
                "scale" => Path::Scale,
                other => {
                    let code = if other == "weights" { "weights-ignored" } else { "channel-skipped" };
                    findings.info(
                        None,
                        code,
                        format!("channel {other:?} of node {node} is no joint's motion"),
                    );
                    continue;
                }
            };
            if avatar.look_at == Some(node) {
                findings.info(None, "face-ignored", "the motion of gaze is left out");
                continue;
            }
            let is_face = faces.contains(&node);
            if is_face && path != Path::Translation {
                findings.info(None, "channel-skipped", "an expression is moved otherwise than along X");
                continue;
            }
            let is_hips = avatar.roles.contains(&(node, Role::Hips));
            if format == Format::Vrma && path == Path::Translation && !(is_hips || is_face) {
                let message = format!("node {node} moves from its place; in VRMA only hips may");
                findings.note(Severity::Warning, None, "translation-ignored", message, "its rest place");
                continue;
            }
            if !seen.insert((node, path as u8)) {
                let message = format!("node {node} is moved twice in the same way");
                findings.note(Severity::Warning, None, "channel-twice", message, "the first counts");
                continue;
            }
            let sampler = animation.samplers.get(channel.sampler).ok_or_else(|| {
                malformed(format!("animation sampler {} is not in the file", channel.sampler))
            })?;
            let interpolation =
                Interpolation::from_name(sampler.interpolation.as_deref()).unwrap_or_else(|| {
                    let message = format!("unknown interpolation {:?}", sampler.interpolation);
                    findings.note(Severity::Warning, None, "interpolation", message, "LINEAR");
                    Interpolation::Linear
                });
            let times = sampling.input(sampler.input, buffers, findings)?;
            sampling.channels.push(Moving { node, is_face, path, sampler, interpolation, times });
        }
        Ok(sampling)
    }

    /// Place of the times of an accessor, decoded once.
    fn input(
        &mut self,
        accessor: usize,
        buffers: &mut Buffers<'_>,
        findings: &mut Findings,
    ) -> Result<usize, ReadError> {
        if let Some(place) = self.inputs.iter().position(|(known, _)| *known == accessor) {
            return Ok(place);
        }
        let (mut times, width) = buffers.numbers(accessor)?;
        if width != 1 || times.iter().any(|time| !time.is_finite()) {
            return Err(malformed(format!("accessor {accessor} holds key times that are not numbers")));
        }
        if times.windows(2).any(|pair| pair[1] <= pair[0]) {
            let message = format!("the key times of accessor {accessor} do not rise");
            findings.note(
                Severity::Warning,
                None,
                "key-order",
                message,
                "each key at the latest time so far",
            );
            for i in 1..times.len() {
                times[i] = times[i].max(times[i - 1]);
            }
        }
        self.inputs.push((accessor, times));
        Ok(self.inputs.len() - 1)
    }

    /// All different key times, seconds.
    fn moments(&self) -> Vec<f64> {
        let mut all: Vec<f64> =
            self.inputs.iter().flat_map(|(_, times)| times).map(|&t| f64::from(t)).collect();
        all.sort_by(f64::total_cmp);
        // Two writers' roundings of one moment are one moment.
        all.dedup_by(|b, a| (*b - *a).abs() <= 1e-6 + 2.0 * f64::from(f32::EPSILON) * a.abs());
        all
    }

    /// Samples every channel at the file's rate, the caller's, or the one the keys show; those of expressions are
    /// returned.
    fn fill(
        &self,
        scene: &mut Scene,
        buffers: &mut Buffers<'_>,
        fps: Option<f64>,
        findings: &mut Findings,
    ) -> Result<Vec<(usize, Vec<Vec3>)>, ReadError> {
        let keys = self.moments();
        let Some((&first, &last)) = keys.first().zip(keys.last()) else {
            findings.note(
                Severity::Warning,
                None,
                "no-keys",
                "the animation has no keys",
                "one frame: the rest pose",
            );
            return Ok(Vec::new());
        };
        let stated = self.animation.extras.get("fps").and_then(Value::as_f64).filter(|fps| fps.is_finite());
        let fps = fps.or(stated).filter(|&fps| fps > 0.0).unwrap_or_else(|| rate::choose(&keys, findings));
        let frames = ((last - first) * fps + 1e-3).floor() + 1.0;
        if frames > MAX_FRAMES {
            return Err(malformed(format!(
                "{:.0} s at {fps} frames per second are more than {MAX_FRAMES} frames",
                last - first
            )));
        }
        if first > 0.5 / fps {
            let message = format!("the first key is at {first:.4} s");
            findings.note(Severity::Info, None, "late-start", message, "the motion begins there");
        }
        scene.fps = fps;
        scene.num_frames = frames as usize;
        let moments: Vec<f64> = (0..scene.num_frames).map(|frame| first + frame as f64 / fps).collect();
        check_size(self.channels.len(), moments.len(), scene.file_bytes)?;
        let mut place = vec![usize::MAX; scene.nodes.len()];
        let mut faces = Vec::new();
        for channel in &self.channels {
            let (values, width) = buffers.numbers(channel.sampler.output)?;
            let times = &self.inputs[channel.times].1;
            let wanted = if channel.path == Path::Rotation { 4 } else { 3 };
            let curve = Curve::new(times, &values, width, channel.interpolation).filter(|_| width == wanted);
            let curve = curve.ok_or_else(|| {
                malformed(format!("accessor {} has too few values for its key times", channel.sampler.output))
            })?;
            if channel.is_face {
                faces.push((channel.node, curve.vectors(&moments)));
                continue;
            }
            if place[channel.node] == usize::MAX {
                place[channel.node] = scene.tracks.len();
                scene.tracks.push(NodeTrack { node: channel.node, ..NodeTrack::default() });
            }
            let track = &mut scene.tracks[place[channel.node]];
            match channel.path {
                Path::Translation => track.translation = Some(curve.vectors(&moments)),
                Path::Rotation => track.rotation = Some(curve.rotations(&moments)),
                Path::Scale => track.scale = Some(curve.vectors(&moments)),
            }
        }
        Ok(faces)
    }
}

/// Bounds what sampled channels take: two distant keys in a small file could mean years.
fn check_size(channels: usize, frames: usize, file_bytes: usize) -> Result<(), ReadError> {
    let bytes = channels.saturating_mul(frames).saturating_mul(16);
    let max = (64usize << 20).saturating_add(file_bytes.saturating_mul(256));
    if bytes > max {
        return Err(malformed(format!(
            "{channels} channels of {frames} frames are more than the file could mean"
        )));
    }
    Ok(())
}

fn judge_height(height: Option<f64>, has_hips: bool, findings: &mut Findings) {
    match height {
        Some(height) if !LIKELY_HEIGHT.contains(&height) => {
            let message = format!("the body is {height:.3} m tall; lengths of glTF are metres");
            findings.note(Severity::Warning, None, "unlikely-height", message, "taken as written");
        }
        None if !has_hips => {
            let message = "no human body: hips and legs were not recognised";
            findings.note(Severity::Warning, None, "not-humanoid", message, "joints without roles");
        }
        _ => {}
    }
}
