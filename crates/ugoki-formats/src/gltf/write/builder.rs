//! Puts a document and its one binary buffer together.

use glam::{Mat4, Vec3};
use serde_json::{Map, Value, json};
use ugoki_base::skeleton::{Side, Skeleton};

use super::super::document::{Accessor, Asset, Buffer, BufferView, Document, Node, SceneList, Skin};
use super::mesh;

/// Component types.
const U8: u32 = 5121;
const U16: u32 = 5123;
const F32: u32 = 5126;

/// What a buffer view is for: vertices, indices.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

pub(super) struct Builder {
    pub(super) document: Document,
    bin: Vec<u8>,
}

impl Builder {
    pub(super) fn new() -> Self {
        let generator = format!("Ugoki {}", env!("CARGO_PKG_VERSION"));
        let document =
            Document { asset: Asset { version: "2.0".to_owned(), generator }, ..Document::default() };
        Self { document, bin: Vec::new() }
    }

    /// One node per joint below a common parent, then one per tip; returns the node of every joint.
    pub(super) fn add_skeleton(&mut self, skeleton: &Skeleton) -> Vec<usize> {
        let nodes = &mut self.document.nodes;
        let armature = nodes.len();
        nodes.push(Node { name: Some("Armature".to_owned()), ..Node::default() });
        let first = nodes.len();
        let node = |name: String, place: Vec3| Node {
            name: (!name.is_empty()).then_some(name),
            translation: Some(place.to_array().map(f64::from)),
            ..Node::default()
        };
        for joint in skeleton.joints() {
            let index = nodes.len();
            nodes.push(node(joint.name.clone(), joint.offset));
            nodes[joint.parent.map_or(armature, |parent| first + parent)].children.push(index);
        }
        for (joint, info) in skeleton.joints().iter().enumerate() {
            for &tip in &info.tips {
                let index = nodes.len();
                nodes.push(node(format!("{}_end", info.name), tip));
                nodes[first + joint].children.push(index);
            }
        }
        self.document.scene = Some(0);
        self.document.scenes = vec![SceneList { nodes: vec![armature] }];
        (first..first + skeleton.num_joints()).collect()
    }

    /// The mannequin as a skinned mesh.
    pub(super) fn add_mannequin(&mut self, skeleton: &Skeleton, nodes: &[usize]) {
        let rest = skeleton.rest_positions();
        let inverse: Vec<f32> =
            rest.iter().flat_map(|&place| Mat4::from_translation(-place).to_cols_array()).collect();
        let matrices = self.add_floats(&inverse, "MAT4", 16, None, false);
        let wide = nodes.len() > usize::from(u8::MAX) + 1;
        let mut primitives = Vec::new();
        for (material, side) in [None, Some(Side::Left), Some(Side::Right)].into_iter().enumerate() {
            let mesh = mesh::build(skeleton, side);
            if mesh.positions.is_empty() {
                continue;
            }
            let flat = |vectors: &[Vec3]| vectors.iter().flat_map(Vec3::to_array).collect::<Vec<f32>>();
            let position = self.add_floats(&flat(&mesh.positions), "VEC3", 3, Some(VERTICES), true);
            let normal = self.add_floats(&flat(&mesh.normals), "VEC3", 3, Some(VERTICES), false);
            let weights: Vec<u8> = mesh.weights.iter().flat_map(|&w| [255 - w, w, 0, 0]).collect();
            let weight = self.add_accessor(&weights, U8, "VEC4", mesh.weights.len(), Some(VERTICES));
            self.document.accessors[weight].normalized = true;
            let joints = self.add_joints(&mesh.joints, &mesh.weights, wide);
            let index_bytes: Vec<u8> =
                mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
            let count = mesh.triangles.len() * 3;
            let indices = self.add_accessor(&index_bytes, U16, "SCALAR", count, Some(INDICES));
            primitives.push(json!({
                "attributes": {"POSITION": position, "NORMAL": normal, "JOINTS_0": joints, "WEIGHTS_0": weight},
                "indices": indices,
                "material": material,
            }));
        }
        self.document.materials = mesh::materials();
        self.document.meshes.push(json!({"name": "mannequin", "primitives": primitives}));
        self.document.skins.push(Skin {
            name: Some("mannequin".to_owned()),
            inverse_bind_matrices: Some(matrices),
            skeleton: None,
            joints: nodes.to_vec(),
        });
        let mesh =
            Node { name: Some("mannequin".to_owned()), mesh: Some(0), skin: Some(0), ..Node::default() };
        self.document.nodes.push(mesh);
        self.document.scenes[0].nodes.push(self.document.nodes.len() - 1);
    }

    pub(super) fn add_extension(&mut self, name: &str, content: Value) {
        self.document.extensions_used.push(name.to_owned());
        self.document.extensions.insert(name.to_owned(), content);
    }

    /// An accessor of floats, `width` per element.
    pub(super) fn add_floats(
        &mut self,
        values: &[f32],
        kind: &str,
        width: usize,
        target: Option<u32>,
        with_bounds: bool,
    ) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let index = self.add_accessor(&bytes, F32, kind, values.len() / width, target);
        if with_bounds {
            let accessor = &mut self.document.accessors[index];
            let fold = |start: f32, pick: fn(f32, f32) -> f32| {
                (0..width)
                    .map(|axis| values.iter().skip(axis).step_by(width).copied().fold(start, pick))
                    .collect()
            };
            accessor.min = fold(f32::INFINITY, f32::min);
            accessor.max = fold(f32::NEG_INFINITY, f32::max);
        }
        index
    }

    /// The two joints of every vertex; joints without weight must be 0.
    fn add_joints(&mut self, joints: &[[usize; 2]], weights: &[u8], wide: bool) -> usize {
        let mut bytes = Vec::new();
        for (&[a, b], &weight) in joints.iter().zip(weights) {
            let used = [if weight < u8::MAX { a } else { 0 }, if weight > 0 { b } else { 0 }, 0, 0];
            for joint in used {
                if wide {
                    bytes.extend_from_slice(&(joint as u16).to_le_bytes());
                } else {
                    bytes.push(joint as u8);
                }
            }
        }
        self.add_accessor(&bytes, if wide { U16 } else { U8 }, "VEC4", joints.len(), Some(VERTICES))
    }

    fn add_accessor(
        &mut self,
        bytes: &[u8],
        component_type: u32,
        kind: &str,
        count: usize,
        target: Option<u32>,
    ) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.document.buffer_views.push(BufferView {
            buffer: 0,
            byte_offset: self.bin.len(),
            byte_length: bytes.len(),
            byte_stride: None,
            target,
            extensions: Map::new(),
        });
        self.bin.extend_from_slice(bytes);
        self.document.accessors.push(Accessor {
            buffer_view: Some(self.document.buffer_views.len() - 1),
            component_type,
            kind: kind.to_owned(),
            count,
            ..Accessor::default()
        });
        self.document.accessors.len() - 1
    }

    pub(super) fn finish(mut self) -> (Value, Vec<u8>) {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        if !self.bin.is_empty() {
            self.document.buffers = vec![Buffer { uri: None, byte_length: self.bin.len() }];
        }
        (json!(self.document), self.bin)
    }
}
