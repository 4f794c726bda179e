//! Nodes in an order in which parents stand before children, however the file lists them.

use super::Scene;
use crate::{Findings, Severity, counted};

/// Node indices, parents first; nodes on or below a cycle are left out.
///
/// The file's own order is kept where it already has parents first, else depth first.
pub(super) fn parents_first(scene: &Scene, findings: &mut Findings) -> Vec<usize> {
    let nodes = &scene.nodes;
    if (0..nodes.len()).all(|node| scene.parent(node).is_none_or(|parent| parent < node)) {
        return (0..nodes.len()).collect();
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut stack = Vec::new();
    for node in (0..nodes.len()).rev() {
        match scene.parent(node) {
            Some(parent) => children[parent].push(node),
            None => stack.push(node),
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(node) = stack.pop() {
        order.push(node);
        stack.append(&mut children[node]);
    }
    let lost = nodes.len() - order.len();
    if lost > 0 {
        let message = format!("{} in a circle of parents", counted(lost, "node is", "nodes are"));
        findings.note(Severity::Error, None, "node-cycle", message, "left out");
    }
    order
}
