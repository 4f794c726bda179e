//! Findings about how a file is written and how its tree is built.

use std::collections::BTreeMap;

use glam::DVec3;
use ugoki_base::clip::ChannelKind;

use super::hierarchy::Tree;
use super::motion::MAX_VALUE;
use crate::text::line_of;
use crate::{Findings, ReadError, Severity, counted};

/// Bytes looked at for line ends and tabs; a file is written in one style.
const SAMPLE: usize = 16 * 1024;

/// Line ends, tabs and the last line.
pub(super) fn report_text(text: &[u8], findings: &mut Findings) {
    let sample = &text[..text.len().min(SAMPLE)];
    let crlf = sample.windows(2).position(|pair| pair == b"\r\n");
    let lf = (0..sample.len()).find(|&i| sample[i] == b'\n' && (i == 0 || sample[i - 1] != b'\r'));
    match (crlf, lf) {
        (Some(_), None) => findings.info(Some(1), "line-ends", "lines end in CR LF"),
        (Some(a), Some(b)) => {
            let line = line_of(text, a.max(b));
            findings.info(Some(line), "line-ends", "lines end in CR LF and in LF, mixed");
        }
        _ => {}
    }
    if let Some(at) = sample.iter().position(|&b| b == b'\t') {
        findings.info(Some(line_of(text, at)), "tabs", "words are separated by tabs");
    }
    if text.last().is_some_and(|&b| b != b'\n') {
        let line = line_of(text, text.len());
        findings.info(Some(line), "no-final-newline", "the last line has no line end");
    }
}

/// Fills in missing offsets and reports what is unusual about joints and channels.
pub(super) fn report_tree(tree: &mut Tree, findings: &mut Findings) -> Result<(), ReadError> {
    for joint in &mut tree.joints {
        let line = Some(joint.line);
        if joint.offset.is_nan() {
            joint.offset = DVec3::ZERO;
            let message = format!("joint {:?} has no OFFSET", joint.name);
            findings.note(Severity::Warning, line, "offset-missing", message, "0 0 0");
        }
        let largest = joint.tips.iter().map(|tip| tip.abs().max_element());
        let largest = largest.fold(joint.offset.abs().max_element(), f64::max);
        if largest > MAX_VALUE {
            let joint_name = joint.name.clone();
            return Err(ReadError::Offset { line: joint.line, joint: joint_name, found: largest });
        }
    }
    report_names(tree, findings);
    report_ends(tree, findings);
    report_channels(tree, findings);
    Ok(())
}

fn report_names(tree: &Tree, findings: &mut Findings) {
    let odd = |name: &str| name.contains(|c: char| c.is_whitespace() || matches!(c, ':' | '.' | '|' | '/'));
    let mut odd_names = tree.joints.iter().filter(|joint| odd(&joint.name));
    if let Some(first) = odd_names.next() {
        let message = format!(
            "{} blanks, colons, dots or slashes, first {:?}",
            counted(odd_names.count() + 1, "name contains", "names contain"),
            first.name
        );
        findings.info(Some(first.line), "name-characters", message);
    }
    let mut by_name: Vec<usize> = (0..tree.joints.len()).collect();
    by_name.sort_by(|&a, &b| tree.joints[a].name.cmp(&tree.joints[b].name).then(a.cmp(&b)));
    for pair in by_name.windows(2) {
        let [first, second] = [&tree.joints[pair[0]], &tree.joints[pair[1]]];
        if first.name == second.name {
            let message = format!("the name {:?} is also on line {}", second.name, first.line);
            let assumed = "two joints; searches by name find the first";
            findings.note(Severity::Warning, Some(second.line), "name-duplicate", message, assumed);
        }
    }
}

fn report_ends(tree: &Tree, findings: &mut Findings) {
    let mut has_child = vec![false; tree.joints.len()];
    let mut roots = tree.joints.iter().filter(|joint| joint.parent.is_none());
    if let (Some(first), rest @ 1..) = (roots.nth(1), roots.count() + 1) {
        let message = format!("{} roots", rest + 1);
        let assumed = "one skeleton with several trees; joint 0 carries the path";
        findings.note(Severity::Warning, Some(first.line), "several-roots", message, assumed);
    }
    for joint in &tree.joints {
        if let Some(parent) = joint.parent {
            has_child[parent] = true;
        }
    }
    let mut count = |code, (one, many): (&str, &str), test: &dyn Fn(usize) -> bool| {
        let mut found = (0..tree.joints.len()).filter(|&joint| test(joint));
        if let Some(first) = found.next() {
            let joint = &tree.joints[first];
            let message = format!("{}, first {:?}", counted(found.count() + 1, one, many), joint.name);
            findings.info(Some(joint.line), code, message);
        }
    };
    count("end-site-missing", ("leaf joint has no end site", "leaf joints have no end site"), &|i| {
        !has_child[i] && tree.joints[i].tips.is_empty()
    });
    count("end-sites-several", ("joint has several end sites", "joints have several end sites"), &|i| {
        tree.joints[i].tips.len() > 1
    });
    count("joint-named-end", ("joint is named like an end site", "joints are named like end sites"), &|i| {
        let name = tree.joints[i].name.to_ascii_lowercase();
        ["_end", "end site", "endsite", "_nub", " nub"].iter().any(|end| name.ends_with(end))
    });
    count(
        "zero-length",
        ("joint stands where its parent stands", "joints stand where their parents stand"),
        &|i| tree.joints[i].parent.is_some() && tree.joints[i].offset == DVec3::ZERO,
    );
}

fn report_channels(tree: &Tree, findings: &mut Findings) {
    let joints = &tree.joints;
    // Per joint: the channel kinds in order.
    let mut kinds: Vec<Vec<ChannelKind>> = vec![Vec::new(); joints.len()];
    for channel in tree.columns.iter().flatten() {
        kinds[channel.joint].push(channel.kind);
    }
    let is_rotation = |kind: &ChannelKind| matches!(kind, ChannelKind::Rotation(_));
    for (joint, kinds) in joints.iter().zip(&kinds) {
        if let Some(twice) = (1..kinds.len()).find(|&i| kinds[..i].contains(&kinds[i])) {
            let message = format!("joint {:?} has a channel twice: {:?}", joint.name, kinds[twice]);
            let assumed = "rotations are applied in turn, of positions the first counts";
            findings.note(Severity::Warning, Some(joint.line), "channel-duplicate", message, assumed);
        }
    }
    if kinds[0].is_empty() && joints.len() > 1 {
        let message = format!("the root {:?} has no channels", joints[0].name);
        let assumed = "it stays at its offset";
        findings.note(Severity::Info, Some(joints[0].line), "root-channels", message, assumed);
    }
    let rotation_first = kinds.iter().position(|kinds| {
        let position = kinds.iter().position(|kind| !is_rotation(kind));
        let rotation = kinds.iter().position(is_rotation);
        matches!((position, rotation), (Some(p), Some(r)) if r < p)
    });
    if let Some(joint) = rotation_first {
        let message = format!("joint {:?} lists rotations before positions", joints[joint].name);
        findings.info(Some(joints[joint].line), "rotation-first", message);
    }
    // Counts and orders over the joints below the root, which is expected to differ.
    let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut orders: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (joint, kinds) in kinds.iter().enumerate() {
        if joint > 0 {
            counts.entry(kinds.len()).or_insert((0, joint)).0 += 1;
        }
        let order: String = kinds
            .iter()
            .filter_map(|kind| match kind {
                ChannelKind::Rotation(axis) => Some(['X', 'Y', 'Z'][usize::from(*axis)]),
                ChannelKind::Position(_) => None,
            })
            .take(8)
            .collect();
        if order.len() > 1 {
            orders.entry(order).or_insert((0, joint)).0 += 1;
        }
    }
    let list = |pairs: Vec<String>| pairs.join(", ");
    if counts.len() > 1 || counts.keys().any(|n| !matches!(n, 3 | 6)) {
        let line = counts.values().map(|(_, joint)| joints[*joint].line).max();
        let each = counts.iter().take(8).map(|(n, (times, _))| format!("{times} with {n}")).collect();
        findings.info(line, "channels-mixed", format!("joints by number of channels: {}", list(each)));
    }
    if orders.len() > 1 {
        let line = orders.values().map(|(_, joint)| joints[*joint].line).max();
        let each = orders.iter().take(8).map(|(order, (times, _))| format!("{times} {order}")).collect();
        findings.info(line, "order-mixed", format!("rotation orders differ between joints: {}", list(each)));
    }
    let moving = |i: &usize| kinds[*i].iter().any(|kind| !is_rotation(kind));
    let mut movers = (1..joints.len()).filter(moving);
    if let Some(first) = movers.next() {
        let message = format!(
            "{} position channels, first {:?}",
            counted(movers.count() + 1, "joint below the root has", "joints below the root have"),
            joints[first].name
        );
        let assumed = "the position in the parent's frame";
        findings.note(Severity::Info, Some(joints[first].line), "position-channels", message, assumed);
    }
    if joints[0].offset != DVec3::ZERO && moving(&0) {
        let o = joints[0].offset;
        let message = format!("the root has OFFSET {:.4} {:.4} {:.4} and position channels", o.x, o.y, o.z);
        findings.info(Some(joints[0].line), "root-offset", message);
    }
}
