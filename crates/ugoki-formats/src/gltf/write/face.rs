//! Expressions as nodes.

use ugoki_base::clip::Clip;

use super::super::expressions;
use super::builder::Builder;

/// An expression, its node and its weight in every frame.
pub(super) struct Face {
    pub(super) name: String,
    pub(super) node: usize,
    pub(super) weights: Vec<f32>,
}

impl Builder {
    /// One node per requested expression next to the skeleton, where no joint carries it; marked where no extension
    /// names it.
    pub(super) fn add_faces(
        &mut self,
        clip: &Clip,
        is_marked: bool,
        wanted: impl Fn(&str) -> bool,
    ) -> Vec<Face> {
        let skeleton = clip.skeleton();
        let mut faces = Vec::new();
        for joint in skeleton.expressions().filter(|&joint| wanted(&skeleton.joint(joint).name)) {
            let name = skeleton.joint(joint).name.clone();
            let node = self.document.nodes.len();
            self.document.nodes.push(expressions::node(&name, is_marked));
            self.document.scenes[0].nodes.push(node);
            let weights = (0..clip.num_frames()).map(|frame| clip.expression_weight(joint, frame)).collect();
            faces.push(Face { name, node, weights });
        }
        faces
    }
}
