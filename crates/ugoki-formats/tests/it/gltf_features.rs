//! Corners of glTF that real files use: each built by hand, with the answer known beforehand.

use glam::{Quat, Vec3};
use serde_json::{Value, json};
use ugoki_base::math::angle_between;
use ugoki_base::skeleton::Role;
use ugoki_formats::{Companion, Format, Read, ReadError, ReadOptions, read_with};

/// A buffer put together piece by piece, with a view for each.
#[derive(Default)]
struct Bytes {
    bytes: Vec<u8>,
    views: Vec<Value>,
}

impl Bytes {
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        self.bytes.extend_from_slice(bytes);
        self.views.len() - 1
    }

    fn floats(&mut self, values: &[f32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.view(&bytes)
    }
}

/// Two joints, the upper one turned by one channel.
fn arm(bytes: &Bytes, accessors: &Value, interpolation: &str) -> Value {
    json!({
        "asset": {"version": "2.0"},
        "nodes": [{"name": "lower", "children": [1]}, {"name": "upper", "translation": [0, 1, 0]}],
        "skins": [{"joints": [0, 1]}],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
            "samplers": [{"input": 0, "output": 1, "interpolation": interpolation}],
        }],
        "accessors": accessors,
        "bufferViews": bytes.views,
        "buffers": [{"uri": "the%20arm.bin", "byteLength": bytes.bytes.len()}],
    })
}

fn try_open(json: &Value, bytes: &[u8], options: &ReadOptions) -> Result<Read, ReadError> {
    read_with(json.to_string().as_bytes(), Some("gltf"), options, &mut |companion| {
        (companion == Companion::Named("the arm.bin")).then(|| bytes.to_vec())
    })
}

fn open(json: &Value, bytes: &[u8]) -> Read {
    try_open(json, bytes, &ReadOptions { fps: Some(10.0), ..ReadOptions::default() }).unwrap()
}

const HALF: f32 = std::f32::consts::FRAC_PI_2;

#[test]
fn a_quarter_turn_is_linear_stepped_or_eased() {
    for (kind, middle) in [("LINEAR", 0.5), ("STEP", 0.0), ("CUBICSPLINE", 0.5)] {
        let mut bytes = Bytes::default();
        let times = bytes.floats(&[0.0, 1.0]);
        let (a, b) = (Quat::IDENTITY, Quat::from_rotation_z(HALF));
        let mut values = Vec::new();
        for q in [a, b] {
            let flat = [0.0; 4];
            let parts: &[[f32; 4]] =
                if kind == "CUBICSPLINE" { &[flat, q.to_array(), flat] } else { &[q.to_array()] };
            values.extend(parts.iter().flatten());
        }
        let count = values.len() / 4;
        let turns = bytes.floats(&values);
        let accessors = json!([
            {"bufferView": times, "componentType": 5126, "count": 2, "type": "SCALAR"},
            {"bufferView": turns, "componentType": 5126, "count": count, "type": "VEC4"},
        ]);
        let read = open(&arm(&bytes, &accessors, kind), &bytes.bytes);
        assert_eq!(read.clip.num_frames(), 11, "{kind}");
        let at = |frame| read.clip.rotation(1, frame);
        assert!(angle_between(at(5), Quat::from_rotation_z(HALF * middle)) < 1e-6, "{kind}: {}", at(5));
        assert!(angle_between(at(10), b) < 1e-6, "{kind}");
        // Eased from rest: at first slower than linear.
        if kind == "CUBICSPLINE" {
            assert!(angle_between(at(2), a) < 0.2 * HALF * 0.7);
        }
    }
}

#[test]
fn quantised_and_sparse_values_are_read() {
    let mut bytes = Bytes::default();
    let times = bytes.floats(&[0.0, 0.5, 1.0]);
    let word = |v: f32| ((v * 32767.0).round() as i16).to_le_bytes();
    let turn = Quat::from_rotation_z(HALF);
    let all: Vec<u8> = [Quat::IDENTITY; 3].iter().flat_map(Quat::to_array).flat_map(word).collect();
    let base = bytes.view(&all);
    let places = bytes.view(&[1u8, 2]);
    let changed: Vec<u8> = [turn, turn].iter().flat_map(Quat::to_array).flat_map(word).collect();
    let values = bytes.view(&changed);
    let accessors = json!([
        {"bufferView": times, "componentType": 5126, "count": 3, "type": "SCALAR"},
        {"bufferView": base, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC4", "sparse": {
            "count": 2,
            "indices": {"bufferView": places, "componentType": 5121},
            "values": {"bufferView": values},
        }},
    ]);
    let read = open(&arm(&bytes, &accessors, "LINEAR"), &bytes.bytes);
    // A sixteenth of a thousandth: half a step of 1/32767.
    assert!(angle_between(read.clip.rotation(1, 0), Quat::IDENTITY) < 1e-4);
    assert!(angle_between(read.clip.rotation(1, 5), turn) < 1e-4);
    assert!(angle_between(read.clip.rotation(1, 10), turn) < 1e-4);
}

#[test]
fn a_missing_buffer_is_named() {
    let mut bytes = Bytes::default();
    let times = bytes.floats(&[0.0]);
    let accessors = json!([
        {"bufferView": times, "componentType": 5126, "count": 1, "type": "SCALAR"},
        {"componentType": 5126, "count": 1, "type": "VEC4"},
    ]);
    let json = arm(&bytes, &accessors, "LINEAR");
    let error =
        read_with(json.to_string().as_bytes(), None, &ReadOptions::default(), &mut |_| None).unwrap_err();
    assert!(
        matches!(error, ReadError::Companion { .. }) && error.to_string().contains("the arm.bin"),
        "{error}"
    );
}

#[test]
fn compression_is_refused_by_name() {
    let mut bytes = Bytes::default();
    let times = bytes.floats(&[0.0]);
    bytes.views[times]["extensions"] = json!({"EXT_meshopt_compression": {"buffer": 0}});
    let accessors = json!([
        {"bufferView": times, "componentType": 5126, "count": 1, "type": "SCALAR"},
        {"bufferView": times, "componentType": 5126, "count": 1, "type": "VEC4"},
    ]);
    let error =
        try_open(&arm(&bytes, &accessors, "LINEAR"), &bytes.bytes, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("EXT_meshopt_compression"), "{error}");
}

/// Hips, legs, arms and a thumb as VRM 0.x lists them: facing −Z.
#[test]
fn old_vrm_bodies_are_turned_and_their_thumbs_renamed() {
    let names = ["hips", "leftUpperArm", "leftThumbProximal", "leftThumbIntermediate", "leftThumbDistal"];
    // Facing −Z, the character's left is −X.
    let nodes: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let children: Vec<usize> = (i + 1 < names.len()).then_some(i + 1).into_iter().collect();
            let mut node = json!({"name": format!("node of {name}"), "translation": [-0.1, 0.1, -0.02]});
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            node
        })
        .collect();
    let bones: Vec<Value> =
        names.iter().enumerate().map(|(i, name)| json!({"bone": name, "node": i})).collect();
    let json = json!({
        "asset": {"version": "2.0"},
        "nodes": nodes,
        "extensionsUsed": ["VRM"],
        "extensions": {"VRM": {"humanoid": {"humanBones": bones}}},
    });
    let read = open(&json, &[]);
    assert_eq!((read.format, read.clip.num_frames()), (Format::Vrm, 1));
    let skeleton = read.clip.skeleton();
    let thumb = [Role::LeftThumbMetacarpal, Role::LeftThumbProximal, Role::LeftThumbDistal];
    assert_eq!(thumb.map(|role| skeleton.find(role)), [Some(2), Some(3), Some(4)]);
    for joint in skeleton.joints() {
        assert!(joint.offset.distance(Vec3::new(0.1, 0.1, 0.02)) < 1e-6, "{}", joint.offset);
    }
}

#[test]
fn hips_of_a_vrma_move_and_faces_do_not() {
    let mut bytes = Bytes::default();
    let times = bytes.floats(&[0.0, 1.0]);
    let places = bytes.floats(&[0.0, 1.0, 0.0, 0.0, 1.0, 2.0]);
    let channels =
        [0, 1, 2, 3].map(|node| json!({"sampler": 0, "target": {"node": node, "path": "translation"}}));
    let json = json!({
        "asset": {"version": "2.0"},
        "nodes": [
            {"name": "h", "translation": [0, 1, 0], "children": [1]},
            {"name": "s", "translation": [0, 0.2, 0]},
            {"name": "happy"}, {"name": "gaze"},
        ],
        "animations": [{
            "channels": channels,
            "samplers": [{"input": 0, "output": 1}],
        }],
        "accessors": [
            {"bufferView": times, "componentType": 5126, "count": 2, "type": "SCALAR"},
            {"bufferView": places, "componentType": 5126, "count": 2, "type": "VEC3"},
        ],
        "bufferViews": bytes.views,
        "buffers": [{"uri": "the%20arm.bin", "byteLength": bytes.bytes.len()}],
        "extensions": {"VRMC_vrm_animation": {
            "specVersion": "1.0",
            "humanoid": {"humanBones": {"hips": {"node": 0}, "spine": {"node": 1}, "tail": {"node": 2}}},
            "expressions": {"preset": {"happy": {"node": 2}}},
            "lookAt": {"node": 3},
        }},
    });
    let read = open(&json, &bytes.bytes);
    assert_eq!((read.format, read.clip.num_joints()), (Format::Vrma, 3));
    assert_eq!(read.clip.root().get(10), Vec3::new(0.0, 1.0, 2.0));
    // The node of `happy` moves along Y and Z, which are no weight.
    assert_eq!(read.clip.expression("happy").unwrap(), [0.0; 11]);
    assert_eq!(read.clip.translations(), []);
    let codes: Vec<_> = read.findings.iter().map(|finding| finding.code).collect();
    for code in ["humanoid-map", "face-ignored", "translation-ignored"] {
        assert!(codes.contains(&code), "{code} in {codes:?}");
    }
}
