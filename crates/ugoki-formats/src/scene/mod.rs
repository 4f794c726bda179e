//! Scenes of nodes, as glTF and FBX have them, to a skeleton and a clip.
//!
//! A [`Scene`] is neutral: nodes with parents in any order, a rest transform each, and sampled local
//! transforms where something moves. [`build_clip`] turns it into Ugoki's terms:
//!
//! ```text
//! Scene ─tree→ parents first ─joints→ which nodes are joints, which are tips ─bake→ skeleton, tracks
//! ```
//!
//! Everything is done on world transforms in f64. With `W(f)` the world transform of a joint's node at
//! frame f and `W₀` at rest, the joint's world rotation is the rotation nearest to `W(f)·W₀⁻¹`, its offset
//! the difference of rest positions, and its local position what is left. So rest rotations vanish, nodes
//! above and between joints (an `Armature` of scale 0.01, lying on its back) are folded in, mirrored and
//! scaled rests cancel, and whatever moves a joint's place beyond its parent's turning becomes a translation
//! track. Scales that change over time cannot be held by a clip: they move the joints below, and are
//! otherwise reported as lost.

mod bake;
mod joints;
mod tree;

use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;

use super::{Findings, ReadError};

/// Translation, rotation and scale relative to the parent, in the file's units: applied in the order
/// scale, rotation, translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Trs {
    pub(crate) translation: DVec3,
    /// Unit.
    pub(crate) rotation: DQuat,
    pub(crate) scale: DVec3,
}

impl Trs {
    pub(crate) const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    pub(crate) fn affine(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// One node of a foreign scene.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SceneNode {
    /// As written; may be empty or occur twice.
    pub(crate) name: String,
    /// Index of the parent, in any order; cycles are found and left out.
    pub(crate) parent: Option<usize>,
    /// Where the node is when nothing animates it.
    pub(crate) rest: Trs,
    /// World transform in the file's world that is the rest pose instead, where the file has a bind pose
    /// that is a better one. Only joints use it.
    pub(crate) bind: Option<DAffine3>,
    /// The file says it is a joint: in a skin, in a humanoid map, an FBX limb.
    pub(crate) is_joint: bool,
    /// Carries a mesh, camera or light: never taken for the tip of a joint.
    pub(crate) has_shape: bool,
    /// What it is on a human, where the file says so.
    pub(crate) role: Option<Role>,
}

impl SceneNode {
    /// A plain node at its parent.
    pub(crate) fn new(name: impl Into<String>, parent: Option<usize>) -> Self {
        let name = name.into();
        let (rest, bind, role) = (Trs::IDENTITY, None, None);
        Self { name, parent, rest, bind, is_joint: false, has_shape: false, role }
    }
}

/// How one node moves: one value per frame where there is a track, else its rest.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct NodeTrack {
    /// The node.
    pub(crate) node: usize,
    /// Local translation, in the file's unit.
    pub(crate) translation: Option<Vec<Vec3>>,
    /// Local rotation; need not be unit.
    pub(crate) rotation: Option<Vec<Quat>>,
    /// Local scale.
    pub(crate) scale: Option<Vec<Vec3>>,
}

/// A foreign scene and one of its animations, sampled.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scene {
    /// All nodes.
    pub(crate) nodes: Vec<SceneNode>,
    /// At most one per node, of nodes that exist; each list has `num_frames` values.
    pub(crate) tracks: Vec<NodeTrack>,
    /// Frames per second.
    pub(crate) fps: f64,
    /// At least 1; a scene without animation has its rest as one frame.
    pub(crate) num_frames: usize,
    /// Ugoki's world (metres, +Y up) from the file's: axes, unit, turn.
    pub(crate) world_from_file: DAffine3,
    /// The node whose tree comes first where joints have several roots, when the file says so.
    pub(crate) main: Option<usize>,
    /// Length of the file, bytes: bounds what joints times frames may take.
    pub(crate) file_bytes: usize,
}

impl Scene {
    /// Parent of `node`; one that does not exist is none.
    fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent.filter(|&parent| parent < self.nodes.len())
    }
}

/// A scene as a clip.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SceneClip {
    /// The motion, without a name.
    pub(crate) clip: Clip,
    /// Node of every joint.
    pub(crate) nodes: Vec<usize>,
}

/// Nodes a scene may have: ten times the joints of the largest rigs, and large worlds around them.
const MAX_NODES: usize = 100_000;

/// Makes a skeleton of the scene's joints and a clip of its tracks.
///
/// # Errors
/// When there is no joint, a place beyond all measure, or more poses than the file could mean.
pub(crate) fn build_clip(scene: &Scene, findings: &mut Findings) -> Result<SceneClip, ReadError> {
    if scene.nodes.len() > MAX_NODES {
        return Err(ReadError::Malformed {
            line: None,
            message: format!("{} nodes, expected at most {MAX_NODES}", scene.nodes.len()),
            hint: "export the character alone",
        });
    }
    let order = tree::parents_first(scene, findings);
    let plan = joints::choose(scene, &order, findings)?;
    bake::bake(scene, &order, &plan, findings)
}

/// World transforms of all nodes at rest, in the file's world; nodes on a circle of parents are at the origin.
pub(crate) fn rest_worlds(scene: &Scene) -> Vec<DAffine3> {
    let mut worlds = vec![DAffine3::IDENTITY; scene.nodes.len()];
    for node in tree::parents_first(scene, &mut Findings::default()) {
        let above = scene.parent(node).map_or(DAffine3::IDENTITY, |parent| worlds[parent]);
        worlds[node] = above * scene.nodes[node].rest.affine();
    }
    worlds
}

#[cfg(test)]
mod tests;
