//! When the bind pose is the better rest pose.
//!
//! A file gives two poses that nothing animates: the nodes' own transforms, and the pose in which the mesh
//! was bound, from the inverse bind matrices. Mostly they agree. Where they do not, the nodes are the rest
//! pose, as viewers show it, unless they stand exactly as the motion begins: then the exporter wrote the
//! body in mid-motion, and the bind pose is the one the rigger built.

use glam::{DAffine3, DMat4, DQuat, Quat};

use super::buffers::Buffers;
use super::document::Document;
use crate::scene::{Scene, rest_worlds};
use crate::{Findings, ReadError, Severity};

/// Joints turned further than this against their parents, degrees, make it another pose.
const SAME_DEGREES: f64 = 5.0;

/// Nodes within this of the first frame, degrees, stand as the motion begins.
const POSED_DEGREES: f64 = 1.0;

/// The body's own space is one of the file's when the root is turned less than this against it, degrees:
/// bodies in motion lean less, axes differ by 90.
const LEAN_DEGREES: f64 = 45.0;

/// Gives the joints of `scene` their bind pose where that is the better rest.
pub(super) fn choose(
    document: &Document,
    buffers: &mut Buffers<'_>,
    scene: &mut Scene,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    if !stands_as_it_begins(scene) {
        return Ok(());
    }
    let worlds = rest_worlds(scene);
    let mut used = false;
    for skin in &document.skins {
        let Some(accessor) = skin.inverse_bind_matrices else { continue };
        let (numbers, width) = buffers.numbers(accessor)?;
        let binds: Vec<DAffine3> = numbers
            .chunks_exact(16)
            .map(|m| DMat4::from_cols_array(&std::array::from_fn(|i| f64::from(m[i]))).inverse())
            .map(DAffine3::from_mat4)
            .collect();
        let sound = width == 16
            && binds.len() >= skin.joints.len()
            && binds.iter().all(|b| b.is_finite() && b.matrix3.determinant().abs() > 1e-18)
            && skin.joints.iter().all(|&node| node < worlds.len());
        let Some(&root) = skin.joints.first().filter(|_| sound) else { continue };
        if same_shape(scene, &skin.joints, &worlds, &binds) {
            continue;
        }
        let file_from_bind = placement(scene, root, &worlds, binds[0]);
        if !file_from_bind.is_finite() {
            continue;
        }
        for (&node, bind) in skin.joints.iter().zip(&binds) {
            scene.nodes[node].bind = Some(file_from_bind * *bind);
        }
        used = true;
    }
    if used {
        let message = "the nodes stand as the motion begins, not as the mesh was bound";
        findings.note(Severity::Info, None, "bind-pose", message, "the bind pose is the rest pose");
    }
    Ok(())
}

/// Whether every turning joint's own transform is the first of its motion, and at least one turns.
fn stands_as_it_begins(scene: &Scene) -> bool {
    let mut turning = 0;
    for track in scene.tracks.iter().filter(|track| scene.nodes[track.node].is_joint) {
        let Some(first) = track.rotation.as_ref().and_then(|rotations| rotations.first()) else { continue };
        if !first.is_finite()
            || degrees(scene.nodes[track.node].rest.rotation, first.as_dquat()) > POSED_DEGREES
        {
            return false;
        }
        turning += usize::from(track.rotation.iter().flatten().any(|q| turned(*first, *q)));
    }
    turning > 0
}

fn turned(a: Quat, b: Quat) -> bool {
    degrees(a.as_dquat(), b.as_dquat()) > POSED_DEGREES
}

fn degrees(a: DQuat, b: DQuat) -> f64 {
    ugoki_base::math::angle_between64(a.normalize(), b.normalize()).to_degrees()
}

fn rotation(world: &DAffine3) -> DQuat {
    world.to_scale_rotation_translation().1
}

/// Whether all joints are turned against their parents alike in both poses.
fn same_shape(scene: &Scene, joints: &[usize], worlds: &[DAffine3], binds: &[DAffine3]) -> bool {
    let mut place = vec![None; scene.nodes.len()];
    for (index, &node) in joints.iter().enumerate() {
        place[node] = Some(index);
    }
    joints.iter().enumerate().all(|(index, &node)| {
        let parent = scene.nodes[node].parent.filter(|&parent| parent < place.len());
        let Some((parent, at)) = parent.and_then(|parent| Some((parent, place[parent]?))) else {
            return true;
        };
        let nodes = rotation(&(worlds[parent].inverse() * worlds[node]));
        let bound = rotation(&(binds[at].inverse() * binds[index]));
        degrees(nodes, bound) < SAME_DEGREES
    })
}

/// Where the bind pose stands in the file's world: with its root where the root node is; turned as the space
/// above the root, or as the file's world, whichever the root node leans least against.
fn placement(scene: &Scene, root: usize, worlds: &[DAffine3], bind: DAffine3) -> DAffine3 {
    let exact = worlds[root] * bind.inverse();
    let above = scene.nodes[root].parent.and_then(|parent| worlds.get(parent)).copied();
    let spaces = [above.unwrap_or(DAffine3::IDENTITY), DAffine3::IDENTITY];
    let lean = |space: &DAffine3| degrees(rotation(space), rotation(&exact));
    let best = spaces.into_iter().min_by(|a, b| lean(a).total_cmp(&lean(b)));
    let turn =
        best.filter(|space| lean(space) < LEAN_DEGREES).map_or(rotation(&exact), |space| rotation(&space));
    let scale = exact.to_scale_rotation_translation().0;
    let placed = DAffine3::from_scale_rotation_translation(scale, turn, glam::DVec3::ZERO);
    let shift = worlds[root].translation - placed.transform_point3(bind.translation);
    DAffine3 { translation: shift, ..placed }
}
