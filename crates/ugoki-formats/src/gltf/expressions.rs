//! Facial expressions: nodes whose translation's x is a weight.
//!
//! VRMA names them in its extension; our own glTF files, where no extension has room for them, by a node's extras.
//! They are kept out of the scene, whose transforms mean places, and put on the finished clip as joints of their own.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use serde_json::{Value, json};
use ugoki_base::clip::Clip;

use super::document::{Document, Node};
use super::malformed;
use crate::{Findings, ReadError, Severity, counted};

/// What VRM 1.0 names beforehand; all others are custom. Those that look are the gaze's and may not stand in VRMA.
const PRESETS: [&str; 14] = [
    "happy",
    "angry",
    "sad",
    "relaxed",
    "surprised",
    "aa",
    "ih",
    "ou",
    "ee",
    "oh",
    "blink",
    "blinkLeft",
    "blinkRight",
    "neutral",
];
const GAZE: [&str; 4] = ["lookUp", "lookDown", "lookLeft", "lookRight"];

/// Key in a node's extras.
const MARK: &str = "expression";

/// An expression and its node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expression {
    pub(super) node: usize,
    pub(super) name: String,
}

/// The expressions of VRMA's extension: each name and each node once.
pub(super) fn in_extension(
    document: &Document,
    extension: &Value,
    is_bone: impl Fn(usize) -> bool,
    findings: &mut Findings,
) -> Vec<Expression> {
    let groups = ["/expressions/preset", "/expressions/custom"].map(|place| extension.pointer(place));
    let given = groups.into_iter().flatten().filter_map(Value::as_object).flatten();
    let mut found = Found::new(document);
    for (name, expression) in given {
        let node = expression.get("node").and_then(Value::as_u64).and_then(|node| usize::try_from(node).ok());
        if !node.is_some_and(|node| !is_bone(node) && found.add(node, name)) {
            let message = format!("expression {name:?} is given to node {node:?}");
            let assumed = "left out: given twice, a bone's, or no such node";
            findings.note(Severity::Warning, None, "expression-map", message, assumed);
        }
    }
    found.expressions
}

/// The expressions that a writer of ours marked.
pub(super) fn in_extras(document: &Document) -> Vec<Expression> {
    let mut found = Found::new(document);
    for (index, node) in document.nodes.iter().enumerate() {
        if let Some(name) = node.name.as_ref().filter(|_| node.extras.get(MARK) == Some(&json!(true))) {
            found.add(index, name);
        }
    }
    found.expressions
}

struct Found {
    expressions: Vec<Expression>,
    taken: Vec<bool>,
    names: BTreeSet<String>,
}

impl Found {
    fn new(document: &Document) -> Self {
        let (expressions, names) = (Vec::new(), BTreeSet::new());
        Self { expressions, taken: vec![false; document.nodes.len()], names }
    }

    fn add(&mut self, node: usize, name: &str) -> bool {
        if self.taken.get(node) != Some(&false) || !self.names.insert(name.to_owned()) {
            return false;
        }
        self.taken[node] = true;
        self.expressions.push(Expression { node, name: name.to_owned() });
        true
    }
}

/// The clip with its face; `tracks` are the sampled translations of nodes, others stay as they rest.
pub(super) fn put_on(
    clip: Clip,
    document: &Document,
    expressions: &[Expression],
    tracks: &[(usize, Vec<Vec3>)],
    findings: &mut Findings,
) -> Result<Clip, ReadError> {
    if expressions.is_empty() {
        return Ok(clip);
    }
    let mut outside = 0;
    let mut weight = |x: f32| {
        let inside = if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 };
        outside += usize::from(inside != x);
        inside
    };
    let tracks: BTreeMap<usize, &[Vec3]> = tracks.iter().map(|(node, track)| (*node, &track[..])).collect();
    let mut names: BTreeSet<String> = clip.skeleton().joints().iter().map(|j| j.name.clone()).collect();
    let mut faces: Vec<(String, Vec<f32>)> = Vec::with_capacity(expressions.len());
    for Expression { node, name } in expressions {
        let weights = match tracks.get(node) {
            Some(track) => track.iter().map(|place| weight(place.x)).collect(),
            None => {
                let rest = document.nodes[*node].translation.map_or(0.0, |place| place[0] as f32);
                vec![weight(rest); clip.num_frames()]
            }
        };
        faces.push((free_name(&mut names, name, findings), weights));
    }
    if outside > 0 {
        let message = format!(
            "{} not from 0 to 1",
            counted(outside, "weight of an expression is", "weights of expressions are")
        );
        findings.note(
            Severity::Warning,
            None,
            "expression-range",
            message,
            "0 or 1, as the specification has it",
        );
    }
    clip.with_expressions(&faces).map_err(|error| malformed(error.to_string()))
}

/// Layers claim joints by name, so an expression may not be called as a joint is.
fn free_name(names: &mut BTreeSet<String>, name: &str, findings: &mut Findings) -> String {
    let mut free = name.to_owned();
    while !names.insert(free.clone()) {
        free += "_expression";
    }
    if free != name {
        let message = format!("expression {name:?} is called as a joint is");
        findings.note(Severity::Warning, None, "expression-name", message, format!("called {free:?}"));
    }
    free
}

/// A node for an expression, marked where no extension names it.
pub(super) fn node(name: &str, is_marked: bool) -> Node {
    let extras = if is_marked { json!({MARK: true}) } else { Value::Null };
    Node { name: Some(name.to_owned()), translation: Some([0.0; 3]), extras, ..Node::default() }
}

/// Whether VRMA may not hold the expression: the gaze has a place of its own there.
pub(super) fn is_gaze(name: &str) -> bool {
    GAZE.contains(&name)
}

/// VRMA's map of expressions.
pub(super) fn map<'a>(faces: impl Iterator<Item = (&'a str, usize)>) -> Value {
    let mut map = json!({});
    for (name, node) in faces {
        let group = if PRESETS.contains(&name) { "preset" } else { "custom" };
        map[group][name] = json!({"node": node});
    }
    map
}
