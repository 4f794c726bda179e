//! Bones in the order of the hierarchy, parents before children.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use super::asf::Asf;
use super::bone::{Bone, Dof};
use crate::{Findings, Severity, counted};

/// A joint where a bone starts, in file units and axes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AsfJoint {
    pub name: String,
    pub line: u32,
    pub parent: Option<usize>,
    /// Rest position in the parent's frame: where the parent's bone ends; for the root its position.
    pub offset: DVec3,
    /// End of its bone, for bones nothing hangs on.
    pub tip: Option<DVec3>,
    /// The frame in which its angles are measured.
    pub frame: DQuat,
    pub dofs: Vec<Dof>,
}

/// The joints, parents before children, children in file order.
pub(super) fn order(asf: Asf, findings: &mut Findings) -> Vec<AsfJoint> {
    let Asf { radians, root, position, bones, families, .. } = asf;
    let by_name = names(&bones, findings);
    let children = children(&bones, &families, &by_name, findings);
    let frame = root.frame(radians);
    let tip = None;
    let mut joints = vec![AsfJoint {
        name: root.name,
        line: root.line,
        parent: None,
        offset: position,
        tip,
        frame,
        dofs: root.dofs,
    }];
    let mut bones: Vec<Option<Bone>> = bones.into_iter().map(Some).collect();
    // Bones to place with their parent joint and where they start, the next one last.
    let mut open: Vec<(usize, usize, DVec3)> =
        children[0].iter().rev().map(|&bone| (bone, 0, DVec3::ZERO)).collect();
    while let Some((index, parent, offset)) = open.pop() {
        // Every bone has one parent, so it comes up once.
        let Some(bone) = bones[index].take() else { continue };
        let joint = joints.len();
        let below = &children[index + 1];
        open.extend(below.iter().rev().map(|&child| (child, joint, bone.span())));
        joints.push(AsfJoint {
            tip: below.is_empty().then(|| bone.span()),
            frame: bone.frame(radians),
            name: bone.name,
            line: bone.line,
            parent: Some(parent),
            offset,
            dofs: bone.dofs,
        });
    }
    let mut lost = bones.into_iter().flatten();
    if let Some(first) = lost.next() {
        let number = counted(lost.count() + 1, "bone is", "bones are");
        let message = format!("{number} not in the hierarchy, first {:?}", first.name);
        findings.note(Severity::Warning, Some(first.line), "bone-outside", message, "left out");
    }
    joints
}

/// Bones by name; of two with one name the first.
fn names<'a>(bones: &'a [Bone], findings: &mut Findings) -> BTreeMap<&'a str, usize> {
    let mut by_name = BTreeMap::new();
    for (index, bone) in bones.iter().enumerate() {
        if let Some(first) = by_name.insert(bone.name.as_str(), index) {
            by_name.insert(bone.name.as_str(), first);
            let message = format!("the name {:?} is also on line {}", bone.name, bones[first].line);
            findings.note(Severity::Warning, Some(bone.line), "name-duplicate", message, "the first counts");
        }
    }
    by_name
}

/// Children of the root and then of every bone.
fn children(
    bones: &[Bone],
    families: &[(Vec<String>, u32)],
    by_name: &BTreeMap<&str, usize>,
    findings: &mut Findings,
) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); bones.len() + 1];
    let mut has_parent = vec![false; bones.len()];
    let unknown = |name: &str, line: u32, findings: &mut Findings| {
        let message = format!("the hierarchy names {name:?}, which is no bone");
        findings.note(Severity::Warning, Some(line), "bone-unknown", message, "left out");
    };
    for (family, line) in families {
        let Some((parent, below)) = family.split_first() else { continue };
        let place = match by_name.get(parent.as_str()) {
            Some(&bone) => bone + 1,
            None if parent.eq_ignore_ascii_case("root") => 0,
            None => {
                unknown(parent, *line, findings);
                continue;
            }
        };
        for child in below {
            let Some(&bone) = by_name.get(child.as_str()) else {
                unknown(child, *line, findings);
                continue;
            };
            if std::mem::replace(&mut has_parent[bone], true) {
                let message = format!("bone {child:?} has two parents, the second {parent:?}");
                findings.note(Severity::Warning, Some(*line), "parent-twice", message, "the first counts");
            } else {
                children[place].push(bone);
            }
        }
    }
    children
}
