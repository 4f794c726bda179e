//! Which nodes are joints, which are tips of joints, and in which order they stand.

use ugoki_base::skeleton::Role;

use super::Scene;
use crate::{Findings, ReadError, Severity, counted};

/// What was chosen.
pub(super) struct Plan {
    /// Nodes that are joints, parents before children, the main tree first.
    pub(super) joints: Vec<usize>,
    /// Index in `joints` of every joint's parent.
    pub(super) parents: Vec<Option<usize>>,
    /// Nodes that are end sites: index of the joint, node.
    pub(super) tips: Vec<(usize, usize)>,
    /// Nodes whose transforms matter: joints and everything above them.
    pub(super) needed: Vec<bool>,
}

/// Endings of names that mark an end site, lower case: Blender's, Mixamo's, 3ds Max's and Mesh2Motion's.
const TIP_ENDINGS: [&str; 5] = ["_end", "_leaf", "nub", "_tip", "end site"];

pub(super) fn choose(scene: &Scene, order: &[usize], findings: &mut Findings) -> Result<Plan, ReadError> {
    let nodes = &scene.nodes;
    let mut animated = vec![false; nodes.len()];
    for track in &scene.tracks {
        animated[track.node] = true;
    }
    let is_joint = joint_flags(scene, order, &animated);
    // The nearest joint at or above each node.
    let mut nearest: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut root_of: Vec<usize> = (0..nodes.len()).collect();
    for &node in order {
        let above = scene.parent(node).and_then(|parent| nearest[parent]);
        if is_joint[node] {
            root_of[node] = above.map_or(node, |joint| root_of[joint]);
            nearest[node] = Some(node);
        } else {
            nearest[node] = above;
        }
    }
    let main = main_root(scene, order, &is_joint, &root_of);
    let all = || order.iter().copied().filter(|&node| is_joint[node]);
    let joints: Vec<usize> = all()
        .filter(|&j| Some(root_of[j]) == main)
        .chain(all().filter(|&j| Some(root_of[j]) != main))
        .collect();
    if joints.is_empty() {
        return Err(ReadError::Malformed {
            line: None,
            message: format!(
                "none of {} is in a skin, in a humanoid map or animated, expected a skeleton",
                counted(nodes.len(), "node", "nodes")
            ),
            hint: "export the character with its skeleton, not only its mesh",
        });
    }
    let mut place = vec![usize::MAX; nodes.len()];
    for (index, &node) in joints.iter().enumerate() {
        place[node] = index;
    }
    let parents: Vec<Option<usize>> = joints
        .iter()
        .map(|&node| scene.parent(node).and_then(|parent| nearest[parent]).map(|joint| place[joint]))
        .collect();
    let roots = parents.iter().filter(|parent| parent.is_none()).count();
    if roots > 1 {
        let message = format!("the joints have {roots} roots");
        let assumed = format!("{:?} is the root of the body", nodes[joints[0]].name);
        findings.note(Severity::Info, None, "several-roots", message, assumed);
    }
    let needed = with_ancestors(scene, order, &joints);
    let tips = tips(scene, order, &is_joint, &place, &animated, &parents);
    report_others(scene, &needed, findings);
    Ok(Plan { joints, parents, tips, needed })
}

/// The nodes the file calls joints; without any, the nodes that turn or move and all below them.
fn joint_flags(scene: &Scene, order: &[usize], animated: &[bool]) -> Vec<bool> {
    let nodes = &scene.nodes;
    let mut flags = vec![false; nodes.len()];
    if order.iter().any(|&node| nodes[node].is_joint) {
        for &node in order {
            flags[node] = nodes[node].is_joint;
        }
        return flags;
    }
    for &node in order {
        flags[node] = animated[node] || scene.parent(node).is_some_and(|parent| flags[parent]);
    }
    // Nodes between two that move are below the upper one; a common parent of several is a joint too,
    // so that they make one body.
    let mut moving_below = vec![0usize; nodes.len()];
    for &node in order.iter().rev() {
        let own = usize::from(flags[node]).max(moving_below[node].min(1));
        if let Some(parent) = scene.parent(node) {
            moving_below[parent] += own;
        }
    }
    for &node in order {
        flags[node] |=
            moving_below[node] > 1 || scene.parent(node).is_some_and(|p| flags[p] && moving_below[node] > 0);
    }
    flags
}

/// The root of the body: above the hips, else above the node the file names, else with the most joints.
fn main_root(scene: &Scene, order: &[usize], is_joint: &[bool], root_of: &[usize]) -> Option<usize> {
    let joints = || order.iter().copied().filter(|&node| is_joint[node]);
    if let Some(hips) = joints().find(|&node| scene.nodes[node].role == Some(Role::Hips)) {
        return Some(root_of[hips]);
    }
    if let Some(main) = scene.main.filter(|&node| is_joint.get(node) == Some(&true)) {
        return Some(root_of[main]);
    }
    let mut counts = vec![0usize; scene.nodes.len()];
    joints().for_each(|node| counts[root_of[node]] += 1);
    // The first of equals.
    joints().rev().max_by_key(|&node| counts[node])
}

fn with_ancestors(scene: &Scene, order: &[usize], joints: &[usize]) -> Vec<bool> {
    let mut needed = vec![false; scene.nodes.len()];
    for &joint in joints {
        needed[joint] = true;
    }
    for &node in order.iter().rev() {
        if needed[node]
            && let Some(parent) = scene.parent(node)
        {
            needed[parent] = true;
        }
    }
    needed
}

/// Bare leaves right below a joint: below a joint that ends a chain, or named as ends.
fn tips(
    scene: &Scene,
    order: &[usize],
    is_joint: &[bool],
    place: &[usize],
    animated: &[bool],
    parents: &[Option<usize>],
) -> Vec<(usize, usize)> {
    let nodes = &scene.nodes;
    let mut has_child = vec![false; nodes.len()];
    for &node in order {
        if let Some(parent) = scene.parent(node) {
            has_child[parent] = true;
        }
    }
    let mut ends_chain = vec![true; parents.len()];
    for parent in parents.iter().flatten() {
        ends_chain[*parent] = false;
    }
    let mut tips = Vec::new();
    for &node in order {
        let Some(parent) = scene.parent(node).filter(|&parent| is_joint[parent]) else { continue };
        let bare = !is_joint[node] && !has_child[node] && !nodes[node].has_shape && !animated[node];
        let name = nodes[node].name.to_ascii_lowercase();
        if bare && (ends_chain[place[parent]] || TIP_ENDINGS.iter().any(|ending| name.ends_with(ending))) {
            tips.push((place[parent], node));
        }
    }
    tips
}

/// Says which animated nodes move no joint.
fn report_others(scene: &Scene, needed: &[bool], findings: &mut Findings) {
    let others: Vec<usize> = scene
        .tracks
        .iter()
        .map(|track| track.node)
        .filter(|&node| needed.get(node) == Some(&false))
        .collect();
    if let Some(&first) = others.first() {
        let name = &scene.nodes[first].name;
        let message = format!(
            "{} no joint, first {name:?}",
            counted(others.len(), "animated node is", "animated nodes are")
        );
        findings.note(Severity::Warning, None, "not-a-joint", message, "its motion is left out");
    }
}
