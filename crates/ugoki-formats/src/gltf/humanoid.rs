//! Humanoid maps of VRM 0.x, VRM 1.0 and VRMA.

use serde::Deserialize;
use serde_json::Value;
use ugoki_base::skeleton::Role;

use super::document::{Document, Humanoid};
use super::expressions::{self, Expression};
use crate::{Findings, Format, Severity};

/// What a file's extension says about the body.
#[derive(Debug, Default)]
pub(super) struct Avatar {
    /// Node and role, each at most once.
    pub(super) roles: Vec<(usize, Role)>,
    /// VRM 0.x bodies face −Z.
    pub(super) faces_back: bool,
    /// Nodes whose translation is the weight of a facial expression.
    pub(super) expressions: Vec<Expression>,
    /// The node that turns with the gaze.
    pub(super) look_at: Option<usize>,
}

/// What the file is by its extensions, and its humanoid map.
pub(super) fn find(document: &Document, is_binary: bool, findings: &mut Findings) -> (Format, Avatar) {
    let named = |name: &str| document.extensions.get(name);
    if let Some(extension) = named("VRMC_vrm_animation") {
        let mut avatar = Avatar { roles: map(document, extension, findings), ..Avatar::default() };
        let is_bone = |node| avatar.roles.iter().any(|&(bone, _)| bone == node);
        avatar.expressions = expressions::in_extension(document, extension, is_bone, findings);
        avatar.look_at = extension.pointer("/lookAt/node").and_then(index);
        return (Format::Vrma, avatar);
    }
    if let Some(extension) = named("VRMC_vrm") {
        return (Format::Vrm, Avatar { roles: map(document, extension, findings), ..Avatar::default() });
    }
    if let Some(extension) = named("VRM") {
        let roles = old_map(document, extension, findings);
        return (Format::Vrm, Avatar { roles, faces_back: true, ..Avatar::default() });
    }
    let avatar = Avatar { expressions: expressions::in_extras(document), ..Avatar::default() };
    (if is_binary { Format::Glb } else { Format::Gltf }, avatar)
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|n| usize::try_from(n).ok())
}

fn map(document: &Document, extension: &Value, findings: &mut Findings) -> Vec<(usize, Role)> {
    let humanoid =
        extension.get("humanoid").and_then(|value| Humanoid::deserialize(value).ok()).unwrap_or_default();
    let bones = humanoid.human_bones.iter().map(|(name, bone)| (name.as_str(), bone.node));
    checked(document, bones.map(|(name, node)| (name.to_owned(), node)), findings)
}

/// VRM 0.x lists bones, and names the thumb as Unity does: its metacarpal is the "proximal".
fn old_map(document: &Document, extension: &Value, findings: &mut Findings) -> Vec<(usize, Role)> {
    let bones = extension.pointer("/humanoid/humanBones").and_then(Value::as_array);
    let bones = bones.into_iter().flatten().filter_map(|bone| {
        let name = bone.get("bone")?.as_str()?;
        let name =
            name.replace("ThumbProximal", "ThumbMetacarpal").replace("ThumbIntermediate", "ThumbProximal");
        Some((name, index(bone.get("node")?)?))
    });
    checked(document, bones, findings)
}

fn checked(
    document: &Document,
    bones: impl Iterator<Item = (String, usize)>,
    findings: &mut Findings,
) -> Vec<(usize, Role)> {
    let mut roles: Vec<(usize, Role)> = Vec::new();
    for (name, node) in bones {
        let taken = |role: Role| roles.iter().any(|&(n, r)| n == node || r == role);
        match Role::from_name(&name) {
            Some(role) if node < document.nodes.len() && !taken(role) => roles.push((node, role)),
            _ => {
                let message = format!("the humanoid map gives {name:?} to node {node}");
                let assumed = "left out: unknown, given twice, or no such node";
                findings.note(Severity::Warning, None, "humanoid-map", message, assumed);
            }
        }
    }
    roles
}
